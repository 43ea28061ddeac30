"""Similarity of two sentences from the interaction of their words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import RegressorMixin

from skparaphrase._compat import StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase.interaction._base import UPDATE_EACH_PAIR, PairwiseInteraction
from skparaphrase.metrics import correlation
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised._targets import Graded, LabelledTexts, score
from skparaphrase.vectors import WordVectors

# With a start from the cosine, training on SICK (4,500 pairs) learns more slowly.
_MANY_PAIRS = 2000


class PairwiseInteractionRegressor(RegressorMixin, PairwiseInteraction):
    r"""Similarity of two sentences from the interaction of their words.

    The pairwise word interaction model (PWIM) of He & Lin (2016). A bidirectional LSTM
    reads both sentences. A cube holds the cosine, the Euclidean distance and the dot
    product of each word of one sentence with each word of the other: of forward states,
    backward states, their sums and their concatenations. The focus layer keeps the
    pairs of words that match best, and multiplies the others by 0.1. A deep
    convolutional network processes the cube like an image, and its softmax over the
    integers of the scale is trained with the Kullback-Leibler divergence from the two
    levels next to the score. The prediction is the expected level.

    The defaults are faster than the paper's settings and as good; see :meth:`paper`.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None takes the table of :func:`skparaphrase.load_pretrained`.
    hidden_dim : int, default=250
        Units of the LSTM.
    max_words : {32, 48, 64}, default=32
        Words of a sentence that are compared, from its beginning. The LSTM reads the
        whole sentence. A warning says how many sentences were truncated.
    context : bool, default=True
        False compares word vectors instead of LSTM states (table 8).
    share_directions : bool, default=True
        One LSTM reads in both directions, as in the paper's code; False: one for each,
        as in its text.
    focus : {"matching", "paper", "dropout", "none"}, default="matching"
        The focus layer of the paper's code, or algorithm 2 as printed ("paper"); or
        instead of it dropout on the cube in training, or nothing (table 8).
    dropout : float, default=0.3
        Dropout rate, with `focus="dropout"`.
    similarity : {"auto", "cosine", "coverage"} or None, default="auto"
        Similarity of the two texts' word vectors that is a further input of the output
        layer. Training starts from a regression of the scores on it alone. "cosine" is
        that of the average word vectors. "coverage" is the mean over the words of the
        first text of their highest cosine with a word of the second, weighted by the
        lengths of the vectors (Mihalcea et al. 2006). None is the paper's model, which
        learns more from many pairs. "auto" is the cosine for fewer than 2,000 pairs,
        otherwise None.
    scale : float, default=6.0
        Mean length that one factor gives to the vectors of the words in `X`. The gates
        of an LSTM hardly open to short vectors. None leaves them as they are.
    unknown_range : float, default=0.05
        A word without a vector gets one from U(-unknown_range, unknown_range), drawn by
        a hash of the word, so that it is the same in all texts; `scale` does not apply.
        None ignores such words. A table with a vector for unknown words uses that.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words; None is :class:`~skparaphrase.text.WordTokenizer`.
    score_range : tuple of float (lowest, highest), default=None
        The ends of the scale. None: the integers below and above the scores of `fit`.
    n_levels : int, default=None
        Outputs of the softmax, evenly spaced over the scale. None: one for each
        integer.

    optimizer : {"adagrad", "adam", "rmsprop", "sgd"} or Optimizer, default="adam"
        A name is short for `Optimizer(name, schedule="linear", clip_norm=50.0)`.
    learning_rate : float, default=0.001
    batch_size : int, default=32
        Pairs per step. The gradient of a batch is the mean over its pairs.
    max_epochs : int, default=10
        Passes over the pairs. 0 keeps the initial parameters.
    vectors_penalty : float, default=0.0
        Lambda, which pulls trained vectors to where they started.
    freeze : {"vectors"} or None, default="vectors"
        None also trains the word vectors.
    validation_fraction : float, default=None
        Fraction of the examples held out to be scored after every epoch; the best epoch
        is kept. Or pass `X_val` and `y_val` to :meth:`fit`.
    patience : int, default=None
        Number of epochs without improvement before training stops.

    warm_start : bool, default=False
        If True, `fit` resumes from the fitted state, with optimizer and random state,
        for `max_epochs` more epochs.
    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA if available.
    random_state : int, RandomState instance or None, default=None
        The same seed gives bit-identical results on one CPU with one number of threads.
    verbose : bool or int, default=False
        Print the loss of every epoch. See also :mod:`skparaphrase.callback`.

    Attributes
    ----------
    parameters_ : dict of str to ndarray
        "context.forwards.W_x" of shape (4 * hidden_dim, dim), rows for the input,
        forget, cell and output gates, "W_h", "b_x" and "b_h";
        "grid.convolutions.0.weight" of shape (128, 13, 3, 3) and so on; "grid.hidden.*"
        and "grid.output.*"; with a similarity,
        "shortcut.weight" of shape (n_levels,).
    vectors_ : WordVectors
        Trained vectors of the words in `X`, with `freeze=None`.
    scale_ : float
        The factor of `scale`.
    similarity_ : {"cosine", "coverage"} or None
        The similarity in use.
    levels_ : ndarray of shape (n_levels,)
        The scores that the outputs of the softmax represent.
    loss_curve_ : list of float
        Mean loss of a pair in each epoch, without penalties.
    n_epochs_ : int
        Number of epochs trained.
    validation_scores_ : list of float
        Pearson's r on the validation pairs after each epoch, if there are any.
    best_epoch_ : int
        The epoch that was kept, if there is validation; 0 is the start.

    See Also
    --------
    PairwiseInteractionRanker : Ranks answers instead.
    skparaphrase.supervised.SimilarityRegressor : Faster, and its sentence vectors have
        other uses.

    Notes
    -----
    Settings of :meth:`paper`: "sick" (table 3), "msrvid" (table 4), "sts2014"
    (table 5), with an update for each pair. The paper prints the rate and the number of
    words; LSTM units, batch size, epochs and the norm of gradients are of the released
    code. The authors keep the best epoch of the development set: pass `X_val` and
    `y_val`.

    Where the paper and its code disagree, this follows the code: one LSTM for both
    directions, focus on the concatenated states, a matching that continues until one
    sentence is used up, negative distances, and a channel that marks real cells, which
    the focus weights like the others. With `focus="paper"`, the focus uses the sums of
    the states (channels 10 and 11 in the paper's order), visits as many cells as both
    sentences have words, and leaves the channel that marks real cells as it is.

    An empty sentence has no cells: all such pairs get the score of the empty cube.

    The similarity is no part of the paper. With it, a model that has seen few examples,
    or none, is as good as the similarity alone, which the networks then refine.

    References
    ----------
    H. He, J. Lin, "Pairwise Word Interaction Modeling with Deep Neural Networks for
    Semantic Similarity Measurement", NAACL 2016.

    R. Mihalcea, C. Corley, C. Strapparava, "Corpus-based and Knowledge-based Measures
    of Text Semantic Similarity", AAAI 2006.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.interaction import PairwiseInteractionRegressor
    >>> pairs, scores = load_similarity(return_X_y=True)
    >>> model = PairwiseInteractionRegressor(max_epochs=1, random_state=0)
    >>> model.fit(pairs[:32], scores[:32]).predict(pairs[:2]).shape
    (2,)
    """

    levels_: NDArray[np.float64]

    _kind = Graded

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PairwiseInteraction._parameter_constraints,
        "similarity": [StrOptions({"auto", "cosine", "coverage"}), None],
    }

    _paper_settings: ClassVar[Settings] = {
        "sick": {**UPDATE_EACH_PAIR, "score_range": (1, 5)},
        "msrvid": {**UPDATE_EACH_PAIR, "score_range": (0, 5)},
        "sts2014": {**UPDATE_EACH_PAIR, "score_range": (0, 5), "max_words": 48},
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        hidden_dim: int = 250,
        max_words: int = 32,
        context: bool = True,
        share_directions: bool = True,
        focus: str = "matching",
        dropout: float = 0.3,
        similarity: str | None = "auto",
        scale: float | None = 6.0,
        unknown_range: float | None = 0.05,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        score_range: tuple[float, float] | None = None,
        n_levels: int | None = None,
        optimizer: str | Optimizer = "adam",
        learning_rate: float = 0.001,
        batch_size: int = 32,
        max_epochs: int = 10,
        vectors_penalty: float = 0.0,
        freeze: str | None = "vectors",
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def _choose_similarity(self, n_pairs: int) -> str | None:
        if self.similarity == "auto":
            return "cosine" if n_pairs < _MANY_PAIRS else None
        return super()._choose_similarity(n_pairs)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Scores of pairs.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Between the lowest and the highest of `levels_`.
        """
        return self._decode(self._logits(X))

    score = score

    def _validation_score(self, examples: LabelledTexts) -> float:
        found = self._decode(self._logits(examples.texts, warn=False))
        return correlation(examples.targets, found, examples.weights, warn=False)

    def _decode(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._targets.decode(softmax(logits, axis=1))
