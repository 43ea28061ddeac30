"""Convolutional sentence encoder (CSE)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

from skparaphrase._compat import Interval, StrOptions
from skparaphrase.encoders._word_paraphrase import WordParaphraseEncoder
from skparaphrase.vectors import WordVectors

if TYPE_CHECKING:
    from skparaphrase.nn import Composition


class ConvolutionalEncoder(WordParaphraseEncoder):
    r"""Sums of convolutions over word vectors: convolutional sentence encoder (CSE).

    Jiao et al. (2018): filters of several widths slide over the words, and their
    responses are added up over the text and put side by side, :math:`\hat{c}_h = \sum_i
    f(W_h [x_i; \dots; x_{i+h-1}] + b_h)`. Trained on paraphrases with the loss of
    :class:`ParagramEncoder`. Defaults are the setting of the authors' best model, for
    training on sentences.

    Parameters
    ----------
    vectors : WordVectors, default=None
        Where training starts. None takes those that `init` started from, or
        :func:`skparaphrase.datasets.load_word_vectors`.

    widths : sequence of int, default=(1, 2, 3)
        Words that a filter spans.

    n_filters : int, default=100
        Filters of each width; a vector has n_filters * len(widths) numbers.

    activation : {"linear", "tanh", "relu"}, default="linear"
        f; the paper found tanh slightly worse.

    padding : {"text", "batch"}, default="text"
        "text": each text is followed by as many zeros as the widest filter needs, so
        that a window begins at every word. "batch" is the released code: texts are
        padded to the longest of the batch, the bias counts at every position, and
        vectors depend on what else is in the batch; `transform` then takes 100 texts at
        a time, in the order of their first occurrence.

    loss : {"margin", "infonce", "distillation"}, default="margin"
        "margin" is the paper. "infonce", an addition of ours, is the cross-entropy of
        finding the second text of a pair among all second texts of the batch, and the
        first among the first. "distillation", another one, learns the vectors that a
        teacher gives texts, by their cosines: `fit(texts, vectors)`.

    margin : float, default=0.6
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

    optimizer : {"adagrad", "adam"}, default="adam"
        With eps inside the root for AdaGrad, as in the paper's code.

    learning_rate : float, default=0.001

    batch_size : int, default=256
        Pairs per step, and so the choice of negatives. A last single pair, which would
        have none, joins the batch before it.

    max_epochs : int, default=10
        Passes over the pairs. 0 leaves the initial parameters.

    clip_norm : float, default=None
        Scale the gradient of each array down to this norm.

    vectors_penalty : float, default=1e-6
        Lambda_w, which pulls the vectors to where `vectors` has them. With sparse
        updates only the words of the batch are pulled.

    composition_penalty : float, default=0.0
        Lambda_c, which pulls all other parameters, biases included, to zero.

    word_dropout : float, default=0.1
        Share of the numbers of each word's vector that are set to zero in training.
        Negatives are chosen without it.

    scramble : float, default=0.5
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
        "filters.i.weight", of shape (width, dim, n_filters), and "filters.i.bias" of
        the i-th width.

    teacher_axes_ : ndarray of shape (dim_teacher, dim)
        With "distillation", where the teacher has another number of dimensions: the
        map that its vectors went through, `vectors @ teacher_axes_`.

    loss_curve_ : list of float
        Mean loss of a pair in each epoch, without penalty.

    n_epochs_ : int
        Epochs trained.

    Notes
    -----
    The paper's text does not mention `scramble`; the code has it on by default. With
    linear filters a sum over windows forgets the order of words except at the edges.

    Settings of :meth:`paper`: "simple-wikipedia" (table 2), "ppdb-xl" (table 1),
    "widths" (table 5).

    References
    ----------
    X. Jiao, F. Wang, D. Feng, "Convolutional Neural Network for Universal Sentence
    Embeddings", COLING 2018.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ConvolutionalEncoder
    >>> encoder = ConvolutionalEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 300)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WordParaphraseEncoder._parameter_constraints,
        "widths": ["array-like"],
        "n_filters": [Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"linear", "tanh", "relu"})],
        "padding": [StrOptions({"text", "batch"})],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        widths: Sequence[int] = (1, 2, 3),
        n_filters: int = 100,
        activation: str = "linear",
        padding: str = "text",
        loss: str = "margin",
        margin: float = 0.6,
        temperature: float = 0.1,
        negatives: str = "max",
        negative_pool: str = "both",
        mask_identical: bool = False,
        positive_from: float | None = None,
        optimizer: str = "adam",
        learning_rate: float = 0.001,
        batch_size: int = 256,
        max_epochs: int = 10,
        clip_norm: float | None = None,
        vectors_penalty: float = 1e-6,
        composition_penalty: float = 0.0,
        word_dropout: float = 0.1,
        scramble: float = 0.5,
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
        self.widths = widths
        self.n_filters = n_filters
        self.activation = activation
        self.padding = padding

    def _composition(self, vectors: WordVectors) -> "Composition":
        from skparaphrase.nn import Convolution

        widths = list(self.widths)
        if not widths or not all(isinstance(w, Integral) and w >= 1 for w in widths):
            raise ValueError(
                f"widths must hold at least one positive int; got {self.widths!r}."
            )
        return Convolution(
            vectors.dim,
            [int(width) for width in widths],
            self.n_filters,
            activation=self.activation,
            padding=self.padding,
        )

    def _dim(self, vectors: WordVectors) -> int:
        return self.n_filters * len(list(self.widths))
