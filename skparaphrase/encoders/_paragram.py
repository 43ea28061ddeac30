"""Paragram-phrase (PP)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import Interval, StrOptions
from skparaphrase.encoders._average import AveragingEncoder
from skparaphrase.encoders._sif import sif_weights, word_probabilities
from skparaphrase.encoders._word_paraphrase import WordParaphraseEncoder
from skparaphrase.vectors import WordFrequencies, WordVectors

if TYPE_CHECKING:
    from skparaphrase.nn import Composition


class ParagramEncoder(AveragingEncoder, WordParaphraseEncoder):
    r"""Average of word vectors trained on paraphrases: paragram-phrase (PP).

    Wieting et al. (2016): the word vectors are moved until the averages of texts that
    mean the same are closer by a margin than those of other texts,

    .. math::
        \frac{1}{|X|} \sum_{(x_1, x_2)}
        \Big( & \max(0, \delta - \cos(x_1, x_2) + \cos(x_1, t_1)) \\
        + & \max(0, \delta - \cos(x_1, x_2) + \cos(x_2, t_2)) \Big)
        + \frac{\lambda_w}{2} \lVert W - W_{initial} \rVert^2,

    with negative examples :math:`t_1, t_2` from the other pairs of the batch.
    Defaults are the setting of the paper's best model (PP-XXL, table 4): batches of
    100, margin 0.4, AdaGrad with rate 0.05, 10 epochs.

    Parameters
    ----------
    vectors : WordVectors, default=None
        Where training starts. None takes those that `init` started from, or
        :func:`skparaphrase.datasets.load_word_vectors`.

    weighting : {"uniform", "sif"}, default="uniform"
        "uniform" is the paper. "sif", an addition of ours, starts from vectors that
        are centred (less their mean over the table) and multiplied by SIF weights
        a / (a + p(w)); training and averaging go on from there as ever.

    a : float, default=1e-3
        Parameter of the SIF weights.

    frequencies : WordFrequencies, mapping of str to int, or "corpus", default=None
        For SIF weights, as in :class:`SIFEncoder`.

    loss : {"margin", "infonce", "distillation"}, default="margin"
        "margin" is the paper. "infonce", an addition of ours, is the cross-entropy of
        finding the second text of a pair among all second texts of the batch, and the
        first among the first. "distillation", another one, learns the vectors that a
        teacher gives texts, by their cosines: `fit(texts, vectors)`.

    margin : float, default=0.4
        The delta of the margin loss.

    temperature : float, default=0.1
        Divides the cosines in "infonce".

    negatives : {"max", "mix", "random"}, default="max"
        Negative examples of the margin loss: the most similar text of another pair; by
        a fair coin that or a random text; a random text. A random text may be of the
        own pair, as in the paper's code, unless `mask_identical`.

    negative_pool : {"both", "first"}, default="both"
        Negatives come from both texts of the other pairs, as in the paper's code, or
        from the first texts alone, as in its formula.

    mask_identical : bool, default=False
        Do not take a text as negative example whose string is that of the text or of
        its partner. The paper's code does take it.

    positive_from : float, default=None
        Where `y` holds graded scores: pairs with this score or more are paraphrases.

    optimizer : {"adagrad", "adam"}, default="adagrad"
        With eps inside the root for AdaGrad, as in the paper's code.

    learning_rate : float, default=0.05
        The paper's best for AdaGrad; for Adam it used 0.005 and 0.0005.

    batch_size : int, default=100
        Pairs per step, and so the choice of negatives. A last single pair, which would
        have none, joins the batch before it.

    max_epochs : int, default=10
        Passes over the pairs. 0 leaves the initial parameters.

    clip_norm : float, default=None
        Scale the gradient of each array down to this norm; the paper used none or 1.

    vectors_penalty : float, default=1e-6
        Lambda_w, which pulls the vectors to where `vectors` has them. With sparse
        updates only the words of the batch are pulled.

    word_dropout : float, default=0.0
        Share of the numbers of each word's vector that are set to zero in training.
        Negatives are chosen without it.

    ordered_first_epoch : bool, default=False
        Take the pairs in the order given in the first epoch (PPDB is sorted by
        confidence), and shuffle from the second.

    sparse_updates : bool, default=True
        Update the vectors of the batch's words only. With AdaGrad and no penalty the
        result is that of dense updates; Adam's moments of the other words stand still.
        False is the paper's code, whose steps cost as much as the table is large.

    lowercase : bool, default=True
        Lower-case the texts first.

    token_pattern : {"words", "ptb"} or str, default="words"
        What a word is. See :class:`skparaphrase.text.WordTokenizer`.

    tokenizer : callable, default=None
        Takes a text, gives its words; overrides `token_pattern`.

    split_compounds : bool, default=True
        Look a compound that the table lacks up in its parts.

    init : encoder, default=None
        A fitted encoder of this class whose vectors and parameters training starts
        from (cumulative training: phrases, then sentences). In a pipeline or a grid
        search wrap it in :class:`~sklearn.frozen.FrozenEstimator`.

    warm_start : bool, default=False
        Another `fit` goes on from the fitted state, with optimiser and random state,
        for `max_epochs` more epochs.

    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA where there is one.

    random_state : int, RandomState instance or None, default=None
        Initial parameters, order of pairs and random negatives. The same seed gives the
        same encoder, to the bit, on one CPU with one number of threads.

    verbose : bool or int, default=False
        Print the loss of every epoch. For a progress bar, early stopping or scores see
        `set_callbacks` and :mod:`skparaphrase.callback`.

    Attributes
    ----------
    vectors_ : WordVectors
        The trained vectors, with the words of `vectors`.

    teacher_axes_ : ndarray of shape (dim_teacher, dim)
        With "distillation", where the teacher has another number of dimensions: the
        map that its vectors went through, `vectors @ teacher_axes_`.

    loss_curve_ : list of float
        Mean loss of a pair in each epoch, without penalty.

    n_epochs_ : int
        Epochs trained.

    initial_weights_ : ndarray of shape (n_words,)
        The SIF weights that the vectors began with, if `weighting` is "sif".

    See Also
    --------
    SIFEncoder : Give it `vectors_`, trained with uniform weights, to weigh them.

    Notes
    -----
    In a `Pipeline`, `fit` trains anew. Wrap an encoder that is trained already in
    :class:`~sklearn.frozen.FrozenEstimator`.

    The defaults are the paper's. Better vectors in less time came from
    `weighting="sif"`, `loss="infonce"`, `learning_rate=0.01`, `batch_size=256` and
    `max_epochs=2` (see "How to choose an encoder" in the documentation).

    Settings of :meth:`paper`: "ppdb-xxl" (table 4), "ppdb-xl" (table 2), and "words",
    the public recipe of PARAGRAM word vectors for PPDB lexical pairs.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> encoder = ParagramEncoder(max_epochs=2, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 128)
    >>> encoder.loss_curve_[1] < encoder.loss_curve_[0]
    True
    """

    initial_weights_: NDArray[np.float64]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WordParaphraseEncoder._parameter_constraints,
        "weighting": [StrOptions({"uniform", "sif"})],
        "a": [Interval(Real, 0, None, closed="neither")],
        "frequencies": [Mapping, StrOptions({"corpus"}), None],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        weighting: str = "uniform",
        a: float = 1e-3,
        frequencies: WordFrequencies | Mapping[str, int] | str | None = None,
        loss: str = "margin",
        margin: float = 0.4,
        temperature: float = 0.1,
        negatives: str = "max",
        negative_pool: str = "both",
        mask_identical: bool = False,
        positive_from: float | None = None,
        optimizer: str = "adagrad",
        learning_rate: float = 0.05,
        batch_size: int = 100,
        max_epochs: int = 10,
        clip_norm: float | None = None,
        vectors_penalty: float = 1e-6,
        word_dropout: float = 0.0,
        ordered_first_epoch: bool = False,
        sparse_updates: bool = True,
        lowercase: bool = True,
        token_pattern: str = "words",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        split_compounds: bool = True,
        init: Any = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
            vectors=vectors,
            loss=loss,
            margin=margin,
            temperature=temperature,
            negatives=negatives,
            negative_pool=negative_pool,
            mask_identical=mask_identical,
            positive_from=positive_from,
            optimizer=optimizer,
            learning_rate=learning_rate,
            batch_size=batch_size,
            max_epochs=max_epochs,
            clip_norm=clip_norm,
            vectors_penalty=vectors_penalty,
            word_dropout=word_dropout,
            ordered_first_epoch=ordered_first_epoch,
            sparse_updates=sparse_updates,
            lowercase=lowercase,
            token_pattern=token_pattern,
            tokenizer=tokenizer,
            split_compounds=split_compounds,
            init=init,
            warm_start=warm_start,
            device=device,
            random_state=random_state,
            verbose=verbose,
        )
        self.weighting = weighting
        self.a = a
        self.frequencies = frequencies

    def _start_over(
        self,
        texts: Sequence[str],
        vectors: WordVectors,
        random_state: np.random.RandomState,
    ) -> None:
        self.__dict__.pop("initial_weights_", None)
        if self.weighting == "sif" and self.init is not None:
            init = self._check_init()
            if not hasattr(init, "initial_weights_"):
                raise ValueError("weighting='sif', but init was trained without it.")
            self.initial_weights_ = init.initial_weights_
        elif self.weighting == "sif":
            probabilities = word_probabilities(self, vectors, self.frequencies, texts)
            self.initial_weights_ = sif_weights(probabilities, self.a)
            vectors = vectors.replace(self._penalty_target())
        super()._start_over(texts, vectors, random_state)

    def _penalty_target(self) -> NDArray[np.float32]:
        matrix = self._initial_vectors().rows(slice(None))
        if self.weighting == "sif":
            if not hasattr(self, "initial_weights_"):
                raise ValueError(
                    "Training began with weighting='uniform' and cannot go on with "
                    "'sif'. Fit a clone to start anew."
                )
            matrix -= matrix.mean(axis=0)
            matrix *= self.initial_weights_[:, np.newaxis].astype(np.float32)
        return matrix

    def _penalty_rows(
        self,
    ) -> NDArray[np.float32] | Callable[[NDArray[np.integer]], NDArray[np.float32]]:
        if self.weighting == "sif":
            return self._penalty_target()
        return super()._penalty_rows()

    def _composition(self, vectors: WordVectors) -> "Composition":
        from skparaphrase.nn import Average

        return Average(vectors.dim)
