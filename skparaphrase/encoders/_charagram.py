"""Charagram: character n-gram embeddings."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from skparaphrase._compat import Interval, StrOptions
from skparaphrase.encoders._character_paraphrase import CharacterParaphraseEncoder
from skparaphrase.text import NgramTokenizer
from skparaphrase.vectors import WordVectors

if TYPE_CHECKING:
    from skparaphrase.nn import Composition


class CharagramEncoder(CharacterParaphraseEncoder):
    r"""Sum of character n-gram vectors (charagram).

    Wieting et al. (2016): :math:`g(x) = h(b + \sum_{i \in V} [i \in x] W^i)` over the
    character n-grams `i` of a word, phrase or sentence, with the vocabulary `V` of
    n-grams of the training texts. Starts from random vectors, needs no word vectors,
    and knows unseen and misspelt words by their parts. Trained on paraphrases with the
    loss of :class:`ParagramEncoder`. Defaults are the setting of charagram-phrase.

    Parameters
    ----------
    ngram_range : tuple of int (lowest, highest), default=(2, 4)
        Orders of the n-grams, in characters. A space stands on each side of a text, and
        n-grams reach across words.

    min_count : int, default=1
        Keep n-grams that occur so many times in the training pairs; the paper took 1
        or 2.

    max_ngrams : int, default=None
        Keep so many n-grams of each order, the most frequent.

    binary : bool, default=True
        Every n-gram of a text counts once, as in the paper's code; False counts each
        occurrence, as in its formula.

    dim : int, default=300
        Length of the vectors.

    n_layers : int, default=1
        2 adds a dense layer with the same activation (the two-layer model of the
        paper's tagging experiment).

    activation : {"tanh", "linear", "relu"}, default="tanh"
        h.

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

    optimizer : {"adagrad", "adam"}, default="adam"
        With eps inside the root for AdaGrad, as in the paper's code.

    learning_rate : float, default=0.001

    batch_size : int, default=100
        Pairs per step, and so the choice of negatives. A last single pair, which would
        have none, joins the batch before it.

    max_epochs : int, default=10
        Passes over the pairs. 0 leaves the initial parameters.

    clip_norm : float, default=None
        Scale the gradient of each array down to this norm.

    vectors_penalty : float, default=1e-6
        Lambda of the n-gram vectors, which pulls them to zero. With sparse updates
        only those of the batch are pulled.

    composition_penalty : float, default=1e-6
        Lambda_c, which pulls all other parameters, biases included, to zero.

    ordered_first_epoch : bool, default=False
        Take the pairs in the order given in the first epoch (PPDB is sorted by
        confidence), and shuffle from the second.

    sparse_updates : bool, default=True
        Update the vectors of the batch's n-grams only; Adam's moments of the others
        stand still. False is the paper's code, whose steps cost as much as the table
        is large.

    lowercase : bool, default=True
        Lower-case the texts first.

    init : encoder, default=None
        A fitted encoder of this class whose n-grams and parameters training starts
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
        The trained vectors; its words are the n-grams.

    parameters_ : dict of str to ndarray
        "constant" and "bias" of shape (dim,), and "layers.i.weight" and "layers.i.bias"
        of further layers.

    teacher_axes_ : ndarray of shape (dim_teacher, dim)
        With "distillation", where the teacher has another number of dimensions: the
        map that its vectors went through, `vectors @ teacher_axes_`.

    loss_curve_ : list of float
        Mean loss of a pair in each epoch, without penalty.

    n_epochs_ : int
        Epochs trained.

    Notes
    -----
    As in the paper's code there is one more feature, "constant", which all texts have,
    beside the bias. A blank text, and one without a known n-gram, is a zero vector; in
    the paper's code it is h(constant + bias).

    `partial_fit` keeps the n-grams of its first call.

    Settings of :meth:`paper`: "phrases" (tables 3 and 11), "words" (the released
    script for words; the large model of table 2 took 25 epochs).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Charagram: Embedding Words and
    Sentences via Character n-grams", EMNLP 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import CharagramEncoder
    >>> encoder = CharagramEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 300)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CharacterParaphraseEncoder._parameter_constraints,
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "max_ngrams": [Interval(Integral, 1, None, closed="left"), None],
        "binary": ["boolean"],
        "dim": [Interval(Integral, 1, None, closed="left")],
        "n_layers": [Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"tanh", "linear", "relu"})],
        "ngram_range": [tuple, list],
    }

    def __init__(
        self,
        *,
        ngram_range: tuple[int, int] = (2, 4),
        min_count: int = 1,
        max_ngrams: int | None = None,
        binary: bool = True,
        dim: int = 300,
        n_layers: int = 1,
        activation: str = "tanh",
        loss: str = "margin",
        margin: float = 0.4,
        temperature: float = 0.1,
        negatives: str = "max",
        negative_pool: str = "both",
        mask_identical: bool = False,
        positive_from: float | None = None,
        optimizer: str = "adam",
        learning_rate: float = 0.001,
        batch_size: int = 100,
        max_epochs: int = 10,
        clip_norm: float | None = None,
        vectors_penalty: float = 1e-6,
        composition_penalty: float = 1e-6,
        ordered_first_epoch: bool = False,
        sparse_updates: bool = True,
        lowercase: bool = True,
        init: Any = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
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
            ordered_first_epoch=ordered_first_epoch,
            sparse_updates=sparse_updates,
            lowercase=lowercase,
            init=init,
            warm_start=warm_start,
            device=device,
            random_state=random_state,
            verbose=verbose,
        )
        self.ngram_range = ngram_range
        self.min_count = min_count
        self.max_ngrams = max_ngrams
        self.binary = binary
        self.dim = dim
        self.n_layers = n_layers
        self.activation = activation

    def _new_table(
        self, texts: Sequence[str], random_state: np.random.RandomState
    ) -> WordVectors:
        from skparaphrase.nn import charagram_range

        ngrams = self._tokenizer().vocabulary(
            texts, min_count=self.min_count, max_ngrams=self.max_ngrams
        )
        limit = charagram_range(len(ngrams), self.dim)
        return self._random_table(ngrams, self.dim, limit, random_state)

    def _composition(self, vectors: WordVectors) -> "Composition":
        from skparaphrase.nn import Charagram

        return Charagram(
            len(vectors), self.dim, activation=self.activation, n_layers=self.n_layers
        )

    def _tokenizer(self) -> NgramTokenizer:
        lowest, highest = self.ngram_range
        return NgramTokenizer(
            ngram_range=(lowest, highest), lowercase=self.lowercase, binary=self.binary
        )
