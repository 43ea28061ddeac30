"""Averages of word vectors: plain, and weighted by tf-idf or SIF."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from skparaphrase._compat import Interval, StrOptions, fit_context
from skparaphrase._estimator import (
    PaperSettings,
    Settings,
    is_called_directly,
    store_parameters,
    warn_caller,
)
from skparaphrase._typing import Texts
from skparaphrase.encoders._base import AveragingEncoder, check_word_vectors
from skparaphrase.supervision._teacher import indicator_rows
from skparaphrase.text._check import fit_blocks
from skparaphrase.vectors import WordFrequencies, WordVectors
from skparaphrase.vectors._transforms import sif_weights, word_probabilities

Weighting = Callable[[NDArray[np.float64]], ArrayLike]


class AverageEncoder(AveragingEncoder):
    """Encode texts as averages of their word vectors.

    This is the common baseline, and also the composition of paragram-phrase (Wieting et
    al. 2016), with any vectors. Nothing is learnt: `fit` only checks the parameters,
    and `transform` works without it.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None uses :func:`skparaphrase.datasets.load_word_vectors`.
    pooling : {"mean", "distinct"}, default="mean"
        "distinct" averages the distinct words of a text. The more similar a word is to
        the other words, the less weight it has. On most tasks this is better: see
        :ref:`the user guide <pooling>`. A text of more than 32 tokens that have a
        vector is split into windows of equal length, whose averages are added in
        proportion to their tokens.
    norm : {"l2"} or None, default=None
        "l2" scales the vectors of texts to length 1, which suits classifiers,
        clustering and Euclidean distances; :func:`skparaphrase.load_pretrained` uses
        it. None keeps the raw averages, for
        :class:`~skparaphrase.decomposition.CommonComponentRemoval`. A zero vector stays
        zero.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words. None uses the defaults of
        :class:`~skparaphrase.text.WordTokenizer`.

    See Also
    --------
    SIFEncoder : Down-weights frequent words.
    ParaphraseEncoder : Trains the vectors on paraphrases.

    Examples
    --------
    >>> from skparaphrase.encoders import AverageEncoder
    >>> encoder = AverageEncoder()
    >>> encoder.transform(["A cat sleeps.", "Two dogs bark."]).shape
    (2, 128)
    >>> encoder.transform([("A cat sleeps.", "A cat is asleep.")]).shape
    (1, 2, 128)
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Texts, y: ArrayLike | None = None) -> Self:
        """Check parameters and texts.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
        y : array-like, default=None
            Ignored.

        Returns
        -------
        self : AverageEncoder

        Warns
        -----
        UserWarning
            If `fit` is called with pairs or with `y`, because nothing is learnt from
            them. There is no warning if a pipeline or a search calls it.
        """
        shapes = [texts.shape for texts in fit_blocks(X)]  # this also checks them
        check_word_vectors(self.vectors)
        self._tokenizer()
        is_taught = y is not None or len(shapes[0]) > 1
        if is_taught and is_called_directly() and not warn_of_ignored_vectors(self, y):
            warn_caller(
                "AverageEncoder learns nothing from pairs, scores or labels. To train, "
                "use skparaphrase.encoders.ParaphraseEncoder().fit(X, y), which starts "
                "from load_pretrained() by default. To transform, no fit is needed."
            )
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def warn_of_ignored_vectors(encoder: AveragingEncoder, y: ArrayLike | None) -> bool:
    """Whether `y` holds a teacher's vectors; if so, warn that they are ignored."""
    holds_rows = isinstance(y, (list, tuple)) and len(y) > 0 and np.ndim(y[0]) > 0
    is_matrix = holds_rows or getattr(y, "ndim", 1) > 1
    # Otherwise, `y` holds the labels or targets of a later step of a pipeline.
    is_ignored = is_matrix and indicator_rows(y) is None and is_called_directly()
    if is_ignored:
        warn_caller(
            f"{type(encoder).__name__} ignores y. To learn from a teacher's vectors of "
            "the texts, use DistilledEncoder().fit(texts, vectors)."
        )
    return is_ignored


class TfidfEncoder(PaperSettings, AveragingEncoder):
    r"""Encode texts as averages of word vectors weighted by IDF.

    The baseline of Arora et al. (2017), appendix A.1, with inverse document
    frequencies. The vector of text `s` is :math:`\frac{1}{|s|} \sum_{w \in s}
    \mathrm{IDF}_w v_w` with :math:`\mathrm{IDF}_w = \log \frac{1 + N}{1 + N_w}`, where
    `N` is the number of texts given to `fit` and :math:`N_w` the number of texts that
    contain `w`. (The code released with the paper counts every occurrence instead, and
    uses :math:`\log_2 \frac{N + 2}{1 + N_w}`.)

    Parameters
    ----------
    vectors : WordVectors, default=None
        None uses :func:`skparaphrase.datasets.load_word_vectors`. For the vectors of
        :func:`skparaphrase.load_pretrained`, see :ref:`own_weights`.
    pooling, norm, tokenizer
        As in :class:`AverageEncoder`.

    Attributes
    ----------
    weights_ : ndarray of shape (n_words,)
        Inverse document frequency of each word of the table, whether seen in `fit` or
        not.
    unknown_weight_ : float
        Weight of words that are not in the table.

    See Also
    --------
    SIFEncoder : Weights by the frequency in a large corpus.

    Notes
    -----
    Setting of :meth:`paper`: "sts" (tables 1 and 4), which has no parameters.

    Examples
    --------
    >>> from skparaphrase.encoders import TfidfEncoder
    >>> texts = ["A cat sleeps.", "A dog barks.", "A bird sings."]
    >>> TfidfEncoder().fit_transform(texts).shape
    (3, 128)
    """

    weights_: NDArray[np.float64]
    unknown_weight_: float

    _paper_settings: ClassVar[Settings] = {"sts": {}}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Texts, y: ArrayLike | None = None) -> Self:
        """Count the texts that contain each word.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
            Every text is a document; the two texts of a pair are two documents.
        y : array-like, default=None
            Ignored, with a warning if it holds vectors.

        Returns
        -------
        self : TfidfEncoder
        """
        vectors = check_word_vectors(self.vectors)
        warn_of_ignored_vectors(self, y)
        n_texts, n_words = 0, len(vectors)
        counts = np.zeros(n_words, dtype=np.int64)
        for texts in fit_blocks(X):
            flat = texts.ravel().tolist()
            batch = vectors.encode(flat, self._tokenizer(), skip_unknown=True)
            document = np.repeat(np.arange(len(batch)), batch.lengths)
            once = np.unique(document * n_words + batch.ids) % n_words
            counts += np.bincount(once, minlength=n_words)
            n_texts += len(batch)
        self.weights_ = np.log((1 + n_texts) / (1 + counts))
        self.unknown_weight_ = math.log(1 + n_texts)
        return self


class SIFEncoder(PaperSettings, AveragingEncoder):
    r"""Encode texts as averages of word vectors with SIF weights.

    Smooth inverse frequency (SIF), lines 1 to 3 of algorithm 1 of Arora et al. (2017).
    The vector of text `s` is :math:`\frac{1}{|s|} \sum_{w \in s} \frac{a}{a + p(w)}
    v_w`. The remaining lines remove the first principal component; they are implemented
    by :class:`~skparaphrase.decomposition.CommonComponentRemoval`.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None uses :func:`skparaphrase.datasets.load_word_vectors`. For the vectors of
        :func:`skparaphrase.load_pretrained`, see :ref:`own_weights`.
    pooling : {"mean", "distinct"}, default="mean"
        As in :class:`AverageEncoder`. The weighted vectors are averaged.
    norm
        As in :class:`AverageEncoder`.
    a : float, default=1e-3
        A word with probability `a` has weight 1/2. Best between 1e-4 and 1e-3 (figure 2
        of the paper). A very large `a` gives the plain average.
    frequencies : WordFrequencies, mapping of str to int, or "corpus", default=None
        Word counts. Words without a count have weight 1. Count words with
        :meth:`~skparaphrase.vectors.WordFrequencies.from_texts`, which uses the
        tokenizer, unlike `text.split()`. None uses the bundled counts of English
        Wikipedia (:func:`skparaphrase.datasets.load_word_frequencies`). "corpus" counts
        the known words in the texts given to `fit`.
    weights : callable or mapping of str to float, default=None
        Weights that replace a / (a + p(w)): a function of p(w), an array of shape
        (n_words,), or a mapping; words missing from it have weight 1.
    tokenizer
        As in :class:`AverageEncoder`.

    Attributes
    ----------
    weights_ : ndarray of shape (n_words,)
        Weight of each word of the table; in (0, 1] without `weights`.

    See Also
    --------
    skparaphrase.decomposition.CommonComponentRemoval : The next step of the paper.
    skparaphrase.vectors.apply_sif_weights : The same weights, as part of the table.

    Notes
    -----
    Settings of :meth:`paper`: "sts" (tables 1, 4 and 5, the defaults), "sick" and "sst"
    (table 2, features of the models in :mod:`skparaphrase.supervised`).

    References
    ----------
    S. Arora, Y. Liang, T. Ma, "A Simple but Tough-to-Beat Baseline for Sentence
    Embeddings", ICLR 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from skparaphrase.decomposition import CommonComponentRemoval
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.pairs import PairSimilarity
    >>> pairs = [("A cat sleeps.", "A cat is asleep."), ("It rained.", "Buy bread!")]
    >>> pipe = make_pipeline(SIFEncoder(), CommonComponentRemoval(), PairSimilarity())
    >>> first, second = pipe.fit(pairs).predict(pairs)
    >>> bool(first > second)
    True

    The subsampling of word2vec, which the paper compares with its weights:

    >>> def subsampling(p):
    ...     return np.sqrt(np.minimum(1, 1e-5 / np.maximum(p, 1e-9)))
    >>> SIFEncoder(weights=subsampling).fit_transform(["A cat sleeps."]).shape
    (1, 128)
    """

    weights_: NDArray[np.float64]

    _paper_settings: ClassVar[Settings] = {
        "sts": {},
        "sick": {"a": 1e-2},
        "sst": {"a": 1e-3},
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AveragingEncoder._parameter_constraints,
        "a": [Interval(Real, 0, None, closed="neither")],
        "frequencies": [Mapping, StrOptions({"corpus"}), None],
        "weights": [callable, Mapping, None],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        pooling: str = "mean",
        norm: str | None = None,
        a: float = 1e-3,
        frequencies: WordFrequencies | Mapping[str, int] | str | None = None,
        weights: Weighting | Mapping[str, float] | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
    ) -> None:
        store_parameters(self, locals())

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Texts, y: ArrayLike | None = None) -> Self:
        """Compute the weight of each word of the table.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
            Counted if `frequencies` is "corpus", otherwise only checked.
        y : array-like, default=None
            Ignored, with a warning if it holds vectors.

        Returns
        -------
        self : SIFEncoder

        Raises
        ------
        ValueError
            If `weights` does not give a finite number for each word.

        Warns
        -----
        UserWarning
            If the vectors already include weights (`vectors.is_weighted`) and weights
            of general English are also applied, that is, if `frequencies` is None and
            `weights` is not a mapping.
        """
        texts = chain.from_iterable(block.ravel().tolist() for block in fit_blocks(X))
        warn_of_ignored_vectors(self, y)
        vectors, weights = check_word_vectors(self.vectors), self.weights
        if isinstance(weights, Mapping):
            values: ArrayLike = [weights.get(word, 1.0) for word in vectors.words]
        else:
            if vectors.is_weighted and self.frequencies is None:
                warn_caller(
                    "These vectors already include weights of general English, which "
                    "would be applied twice. Use AverageEncoder, or the counts of your "
                    'texts: SIFEncoder(frequencies="corpus") or TfidfEncoder.'
                )
            p = word_probabilities(vectors, self._tokenizer(), self.frequencies, texts)
            values = sif_weights(p, self.a) if weights is None else weights(p)
        for _ in texts:  # check texts that were not counted
            pass
        values = np.asarray(values, dtype=np.float64)
        if values.shape != (len(vectors),) or not np.isfinite(values).all():
            raise ValueError(
                f"weights must give a finite number for each of {len(vectors)} words; "
                f"got shape {values.shape} with {np.isfinite(values).sum()} finite "
                "numbers."
            )
        self.weights_ = values
        return self
