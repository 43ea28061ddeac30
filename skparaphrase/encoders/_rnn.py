"""Simple recurrent network."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

from skparaphrase._compat import Interval, StrOptions
from skparaphrase.encoders._word_paraphrase import WordParaphraseEncoder
from skparaphrase.vectors import WordVectors

if TYPE_CHECKING:
    from skparaphrase.nn import Composition


class RNNEncoder(WordParaphraseEncoder):
    r"""Last state of a simple recurrent network.

    Wieting et al. (2016): :math:`h_t = f(W_x x_t + W_h h_{t-1} + b)`, trained on
    paraphrases with the loss of :class:`ParagramEncoder`. Defaults are the setting of
    the paper's code.

    Parameters
    ----------
    vectors : WordVectors, default=None
        Where training starts. None takes those that `init` started from, or
        :func:`skparaphrase.datasets.load_word_vectors`.

    dim : int, default=None
        Length of the sentence vectors; None takes that of the word vectors, as the
        paper does.

    activation : {"tanh", "relu"}, default="tanh"

    loss : {"margin", "infonce", "distillation"}, default="margin"
        "margin" is the paper. "infonce", an addition of ours, is the cross-entropy of
        finding the second text of a pair among all second texts of the batch, and the
        first among the first. "distillation", another one, learns the vectors that a
        teacher gives texts, by their cosines: `fit(texts, vectors)`.

    margin : float, default=0.4
        The delta of the margin loss.

    temperature : float, default=0.1
        Divides the cosines in "infonce".

    negatives : {"max", "mix", "random"}, default="mix"
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

    optimizer : {"adagrad", "adam"}, default="adam"
        With eps inside the root for AdaGrad, as in the paper's code.

    learning_rate : float, default=0.0005

    batch_size : int, default=100
        Pairs per step, and so the choice of negatives. A last single pair, which would
        have none, joins the batch before it.

    max_epochs : int, default=10
        Passes over the pairs. 0 leaves the initial parameters.

    clip_norm : float, default=None
        Scale the gradient of each array down to this norm.

    vectors_penalty : float, default=1e-6
        Lambda_w, which pulls the vectors to where `vectors` has them. With sparse
        updates only the words of the batch are pulled.

    composition_penalty : float, default=1e-4
        Lambda_c, which pulls all other parameters, biases included, to zero.

    word_dropout : float, default=0.0
        Share of the numbers of each word's vector that are set to zero in training.
        Negatives are chosen without it.

    scramble : float, default=0.0
        Share of the pairs whose words are put in random order, anew in each epoch.

    ordered_first_epoch : bool, default=False
        Take the pairs in the order given in the first epoch (PPDB is sorted by
        confidence), and shuffle from the second.

    sparse_updates : bool, default=True
        Update the vectors of the batch's words only; Adam's moments of the others
        stand still. False is the paper's code, whose steps cost as much as the table
        is large.

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

    parameters_ : dict of str to ndarray
        "W_x" of shape (dim, dim_in), "W_h" of shape (dim, dim) and "b".

    teacher_axes_ : ndarray of shape (dim_teacher, dim)
        With "distillation", where the teacher has another number of dimensions: the
        map that its vectors went through, `vectors @ teacher_axes_`.

    loss_curve_ : list of float
        Mean loss of a pair in each epoch, without penalty.

    n_epochs_ : int
        Epochs trained.

    See Also
    --------
    IdentityRNNEncoder : Starts as the average.
    LSTMEncoder : Long short-term memory.

    Notes
    -----
    Settings of :meth:`paper`: "ppdb-xl" (table 2).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import RNNEncoder
    >>> encoder = RNNEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 128)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WordParaphraseEncoder._parameter_constraints,
        "dim": [Interval(Integral, 1, None, closed="left"), None],
        "activation": [StrOptions({"tanh", "relu"})],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        dim: int | None = None,
        activation: str = "tanh",
        loss: str = "margin",
        margin: float = 0.4,
        temperature: float = 0.1,
        negatives: str = "mix",
        negative_pool: str = "both",
        mask_identical: bool = False,
        positive_from: float | None = None,
        optimizer: str = "adam",
        learning_rate: float = 0.0005,
        batch_size: int = 100,
        max_epochs: int = 10,
        clip_norm: float | None = None,
        vectors_penalty: float = 1e-6,
        composition_penalty: float = 1e-4,
        word_dropout: float = 0.0,
        scramble: float = 0.0,
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
            composition_penalty=composition_penalty,
            word_dropout=word_dropout,
            scramble=scramble,
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
        self.dim = dim
        self.activation = activation

    def _composition(self, vectors: WordVectors) -> "Composition":
        from skparaphrase.nn import Recurrent

        return Recurrent(vectors.dim, self._dim(vectors), activation=self.activation)
