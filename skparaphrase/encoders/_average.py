"""Averages of word vectors: plain, and weighted by inverse document frequency."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import StrOptions, fit_context
from skparaphrase._estimator import (
    PaperSettings,
    Settings,
    store_parameters,
    warn_caller,
)
from skparaphrase.encoders._base import (
    TextEncoder,
    check_word_vectors,
    static_parts,
)
from skparaphrase.encoders._export import to_model2vec, to_static_embedding
from skparaphrase.text._check import check_text_blocks
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._pooling import POOLINGS, pool_texts
from skparaphrase.vectors._weighting import warn_if_weighted


class AveragingEncoder(TextEncoder):
    """Base class of encoders that average word vectors, with a weight per word or none.

    They are static models, which other libraries can load.
    """

    pooling: str

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "pooling": [StrOptions(set(POOLINGS))],
        "tokenizer": [callable, None],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        pooling: str = "mean",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
    ) -> None:
        store_parameters(self, locals())

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        vectors, weights = static_parts(self)
        return pool_texts(
            vectors,
            self._tokenizer(),
            texts,
            weights=weights,
            unknown_weight=getattr(self, "unknown_weight_", 1.0),
            pooling=self.pooling,
        )

    @property
    def _n_features_out(self) -> int:
        return static_parts(self)[0].dim

    to_model2vec = to_model2vec
    to_static_embedding = to_static_embedding


class AverageEncoder(AveragingEncoder):
    """Average of word vectors.

    The common baseline, and the composition of paragram-phrase (Wieting et al. 2016)
    with any vectors. Nothing is learnt: `fit` only checks the parameters, and
    `transform` works without it.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None takes :func:`skparaphrase.datasets.load_word_vectors`.
    pooling : {"mean", "distinct"}, default="mean"
        "distinct" averages the distinct words of a text, each of which has the less
        weight, the more the other words are similar to it. On most tasks this is
        better: see :ref:`the user guide <pooling>`.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words; None is :class:`~skparaphrase.text.WordTokenizer` with
        its defaults.

    See Also
    --------
    SIFEncoder : Down-weights frequent words.
    ParagramEncoder : Trains the vectors on paraphrases.

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
    def fit(self, X: Any, y: Any = None) -> Self:
        """Check parameters and texts.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
        y : array-like, default=None
            Ignored, with a warning if it holds vectors.

        Returns
        -------
        self : AverageEncoder
        """
        for _ in fit_blocks(X):  # which checks them
            pass
        check_word_vectors(self.vectors)
        self._tokenizer()
        warn_of_ignored_vectors(self, y)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def fit_blocks(X: Any) -> Iterator[NDArray[np.object_]]:
    """Texts to fit on, in blocks if they are on disk; at least one."""
    n_rows = 0
    for texts in check_text_blocks(X):
        n_rows += len(texts)
        yield texts
    if not n_rows:
        raise ValueError("Found 0 samples; a minimum of 1 text is required to fit.")


def check_fit_texts(X: Any) -> NDArray[np.object_]:
    """Texts to fit on in memory; at least one."""
    return np.concatenate(list(fit_blocks(X)))


def warn_of_ignored_vectors(encoder: Any, y: Any) -> None:
    """Warn if `y` is a teacher's vectors, which an encoder does not learn from."""
    holds_rows = isinstance(y, (list, tuple)) and len(y) > 0 and np.ndim(y[0]) > 0
    if holds_rows or getattr(y, "ndim", 1) > 1:
        warn_caller(
            f"{type(encoder).__name__} ignores y, and learns nothing from vectors of "
            "the texts. To learn from those of a teacher, use "
            "DistilledEncoder().fit(texts, vectors)."
        )


class TfidfEncoder(PaperSettings, AveragingEncoder):
    r"""Average of word vectors weighted by inverse document frequency.

    The baseline of Arora et al. (2017), section 4.1: the vector of text `s` is
    :math:`\frac{1}{|s|} \sum_{w \in s} \mathrm{IDF}_w v_w` with
    :math:`\mathrm{IDF}_w = \log \frac{1 + N}{1 + N_w}`, where `N` is the number of
    texts given to `fit` and :math:`N_w` the number of those that contain `w`. (The code
    released with the paper counts every occurrence instead, and uses
    :math:`\log_2 \frac{N + 2}{1 + N_w}`.)

    Parameters
    ----------
    vectors : WordVectors, default=None
        None takes :func:`skparaphrase.datasets.load_word_vectors`.
    pooling : {"mean", "distinct"}, default="mean"
        As in :class:`AverageEncoder`.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words; None is :class:`~skparaphrase.text.WordTokenizer` with
        its defaults.

    Attributes
    ----------
    weights_ : ndarray of shape (n_words,)
        Inverse document frequency of each word of the table, seen in `fit` or not.
    unknown_weight_ : float
        That of a word without a row, which no text of `fit` counts for.

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
    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the texts that contain each word.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
            Every text is a document, as is each side of a pair.
        y : array-like, default=None
            Ignored, with a warning if it holds vectors.

        Returns
        -------
        self : TfidfEncoder

        Warns
        -----
        UserWarning
            If the vectors already include weights (`vectors.is_weighted`).
        """
        vectors = check_word_vectors(self.vectors)
        warn_of_ignored_vectors(self, y)
        warn_if_weighted(self, vectors)
        n_texts, n_words = 0, len(vectors)
        found = np.zeros(n_words, dtype=np.int64)
        for texts in fit_blocks(X):
            flat = texts.ravel().tolist()
            batch = vectors.encode(flat, self._tokenizer(), known_only=True)
            document = np.repeat(np.arange(len(batch)), batch.lengths)
            once = np.unique(document * n_words + batch.ids) % n_words
            found += np.bincount(once, minlength=n_words)
            n_texts += len(batch)
        self.weights_ = np.log((1 + n_texts) / (1 + found))
        self.unknown_weight_ = math.log(1 + n_texts)
        return self
