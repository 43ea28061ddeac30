"""Paragram-phrase (PP)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import Interval, StrOptions
from skparaphrase.encoders._paraphrase import ParaphraseEncoder
from skparaphrase.encoders._sif import sif_weights, word_probabilities
from skparaphrase.vectors import WordFrequencies, WordVectors


class ParagramEncoder(ParaphraseEncoder):
    r"""Average of word vectors trained on paraphrases: paragram-phrase (PP).

    Wieting et al. (2016): the word vectors are moved until the averages of texts that
    mean the same are closer by a margin than those of other texts,

    .. math::
        \frac{1}{|X|} \sum_{(x_1, x_2)}
        \max(0, \delta - \cos(x_1, x_2) + \cos(x_1, t_1)) +
        \max(0, \delta - \cos(x_1, x_2) + \cos(x_2, t_2))
        + \frac{\lambda_w}{2} \lVert W - W_{initial} \rVert^2,

    with negative examples :math:`t_1, t_2` from the other pairs of the batch.
    Defaults are the setting of the paper's best model (PP-XXL, table 4): batches of
    100, margin 0.4, AdaGrad with rate 0.05, 10 epochs.

    Parameters
    ----------
    vectors : WordVectors, default=None
        Where training starts. None takes
        :func:`skparaphrase.datasets.load_word_vectors`.

    weighting : {"uniform", "sif"}, default="uniform"
        "uniform" is the paper. "sif", an addition of ours, starts from vectors that
        are centred (less their mean over the table) and multiplied by SIF weights
        a / (a + p(w)); training and averaging go on from there as ever.

    a : float, default=1e-3
        Parameter of the SIF weights.

    frequencies : WordFrequencies, mapping of str to int, or "corpus", default=None
        For SIF weights, as in :class:`SIFEncoder`.

    loss : {"margin", "infonce"}, default="margin"
        "margin" is the paper. "infonce", an addition of ours, is the cross-entropy of
        finding the second text of a pair among all second texts of the batch, and the
        first among the first.

    margin : float, default=0.4
        delta of the margin loss.

    temperature : float, default=0.1
        Divides the cosines in "infonce".

    negatives : {"max", "mix", "random"}, default="max"
        Negative examples of the margin loss, from both sides of the batch: the most
        similar text of another pair; by a fair coin that or a random text; a random
        text. A random text may be of the own pair, as in the paper's code, unless
        `mask_identical`.

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
        Passes over the pairs. 0 leaves the initial vectors.

    clip_norm : float, default=None
        Scale the gradient down to this norm; the paper used none or 1.

    vectors_penalty : float, default=1e-6
        lambda_w, which pulls the vectors to where they began. With sparse updates only
        the words of the batch are pulled.

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

    warm_start : bool, default=False
        Another `fit` goes on from the fitted vectors, with optimiser and random state,
        for `max_epochs` more epochs.

    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA where there is one.

    random_state : int, RandomState instance or None, default=None
        Order of pairs and random negatives. The same seed gives the same vectors, to
        the bit, on one CPU with one number of threads.

    verbose : bool or int, default=False
        Print the loss of every epoch. For a progress bar, early stopping or scores see
        `set_callbacks` and :mod:`skparaphrase.callback`.

    Attributes
    ----------
    vectors_ : WordVectors
        The trained vectors, with the words of `vectors`.

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
        **ParaphraseEncoder._parameter_constraints,
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
        mask_identical: bool = False,
        positive_from: float | None = None,
        optimizer: str = "adagrad",
        learning_rate: float = 0.05,
        batch_size: int = 100,
        max_epochs: int = 10,
        clip_norm: float | None = None,
        vectors_penalty: float = 1e-6,
        ordered_first_epoch: bool = False,
        sparse_updates: bool = True,
        lowercase: bool = True,
        token_pattern: str = "words",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        split_compounds: bool = True,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.vectors = vectors
        self.weighting = weighting
        self.a = a
        self.frequencies = frequencies
        self.loss = loss
        self.margin = margin
        self.temperature = temperature
        self.negatives = negatives
        self.mask_identical = mask_identical
        self.positive_from = positive_from
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.clip_norm = clip_norm
        self.vectors_penalty = vectors_penalty
        self.ordered_first_epoch = ordered_first_epoch
        self.sparse_updates = sparse_updates
        self.lowercase = lowercase
        self.token_pattern = token_pattern
        self.tokenizer = tokenizer
        self.split_compounds = split_compounds
        self.warm_start = warm_start
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(self, pairs: NDArray[np.object_]) -> None:
        if self.weighting == "sif":
            probabilities = word_probabilities(
                self, self._initial_vectors(), self.frequencies, pairs
            )
            self.initial_weights_ = sif_weights(probabilities, self.a)
        else:
            self.__dict__.pop("initial_weights_", None)

    def _initial_matrix(self) -> NDArray[np.float32]:
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

    def _composition(self) -> Any:
        from skparaphrase.nn import Average

        return Average()
