"""Averages of word vectors learnt from teachers' vectors of texts, in closed form."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils import Tags, gen_batches

from skparaphrase._compat import Interval, StrOptions, check_weights, fit_context
from skparaphrase._estimator import store_parameters
from skparaphrase._math import unit_vectors
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Texts
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders._base import AveragingEncoder, check_word_vectors
from skparaphrase.supervision._teacher import check_vectors
from skparaphrase.text._check import check_fit_texts
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.vectors import WordFrequencies, WordVectors, fit_subwords
from skparaphrase.vectors._frequencies import load_word_frequencies
from skparaphrase.vectors._subwords import fit_rows
from skparaphrase.vectors._transforms import (
    append_new_words,
    sif_weights,
    word_probabilities,
)

_BLOCK = 8192  # texts processed in double precision at a time
_COLUMNS = 64  # dimensions solved for at a time
_SHRINKAGE = 0.3  # ridge penalty of the map from initial vectors to the teacher's


class DistilledEncoder(AveragingEncoder):
    r"""Encode texts as averages of word vectors distilled from a slower encoder.

    The averages predict the vectors of a better encoder, the teacher. This is a ridge
    regression: the word vectors :math:`W` minimise

    .. math::
        \lVert D X W - T \rVert^2 + \alpha \lVert W - W_0 \rVert^2,

    where :math:`X` holds the word counts of the texts, and :math:`T` the teacher's
    vectors, scaled to length 1, centred and projected onto their `dim` principal axes.
    :math:`W_0` are the initial word vectors (centred, with the SIF weights of Arora et
    al. 2017), mapped to these axes by another ridge regression. The diagonal :math:`D`
    scales all predictions of :math:`W_0` to the mean length of the rows of :math:`T`.
    Words that occur in no text keep their row of :math:`W_0`. Finally, the first
    principal direction of the predictions is removed from :math:`W`.

    The sparse system is solved by conjugate gradients, so time and memory are linear in
    the number of texts: 60,000 sentences take about half a minute on one core.

    Parameters
    ----------
    vectors : WordVectors, callable or "corpus", default=None
        Words and initial vectors, ideally the teacher's vectors of single words. None
        uses :func:`skparaphrase.datasets.load_word_vectors`. A callable, such as
        `teacher.encode`, maps the list of the words of the texts to vectors of shape
        (n_words, dim_words). It is needed only by `fit`, and is saved as None. `clone`
        copies the model of a method, but does not copy a function. With "corpus", each
        word of the texts starts from the mean of the targets of the texts that contain
        it, and of a zero vector. This start needs no weights, so `a` and `frequencies`
        are not used.
    pooling : {"mean", "distinct"}, default="mean"
        As in :class:`AverageEncoder`. Only `transform` uses it; `fit` learns plain
        averages.
    norm : {"l2"} or None, default="l2"
        As in :class:`AverageEncoder`. The teacher's vectors are always scaled to length
        1.
    dim : int or None, default=256
        Number of dimensions. None uses the maximum, all dimensions of the teacher.
    alpha : float, default=1.0
        Strength of the regularisation towards the initial vectors.
    n_steps : int, default=8
        Number of conjugate gradient steps; few steps also regularise.
    a : float, default=1e-3
        Parameter of the SIF weights, as in :class:`SIFEncoder`.
    frequencies : WordFrequencies, mapping of str to int, or "corpus", default=None
        For the SIF weights, as in :class:`SIFEncoder`. None uses the counts of English
        Wikipedia if they include at least four fifths of the tokens of the texts.
        Otherwise, the texts are not (only) English, and their words are counted, as
        with "corpus". A table that already includes weights is used as it is.
    n_subwords : int or None, default=8192
        Rows of n-gram vectors for unknown words
        (:func:`~skparaphrase.vectors.fit_subwords`). None ignores such words.
    tokenizer
        As in :class:`AverageEncoder`.
    axes : {"principal", "teacher"}, default="principal"
        With "teacher", :math:`T` holds the first `dim` coordinates of the teacher's
        unit vectors (`dim=None` keeps all), not centred. The vectors can then be
        compared with the teacher's, for example an English encoder's.

    Attributes
    ----------
    vectors_ : WordVectors
        The learnt vectors of the words of `vectors`, and of the other words in the
        texts if `vectors` has n-grams for them. They include weights (`is_weighted`).
    teacher_means_ : ndarray of shape (dim_teacher,)
        Means of the teacher's unit vectors; 0 with `axes="teacher"`.
    teacher_axes_ : ndarray of shape (dim_teacher, dim)
        The axes: `T` equals (unit vectors - means) @ axes.
    explained_variance_ratio_ : ndarray of shape (dim,)
        Share of the teacher's variance on each axis.

    See Also
    --------
    ParaphraseEncoder : With `loss="distillation"`, learns by gradient descent.

    Notes
    -----
    A teacher in single or half precision may be a memory map; it is read in blocks. For
    several teachers, concatenate their unit vectors, with weights if you like:
    `np.hstack([first, 1.4 * second])`.

    References
    ----------
    N. Reimers, I. Gurevych, "Making Monolingual Sentence Embeddings Multilingual using
    Knowledge Distillation", EMNLP 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from skparaphrase.encoders import AverageEncoder, DistilledEncoder
    >>> texts = ["A cat sleeps.", "A dog barks.", "Birds sing.", "It rained all day."]
    >>> teacher = np.eye(4)  # SentenceTransformer(...).encode(texts)
    >>> encoder = DistilledEncoder(dim=3).fit(texts, teacher)
    >>> encoder.transform(["The cat is asleep."]).shape
    (1, 3)
    >>> AverageEncoder(encoder.vectors_).transform(["The cat is asleep."]).shape
    (1, 3)

    Learn another language from translations. The vector of the English side is the
    target of both sides, so the vectors can be compared with the teacher's.

    >>> from skparaphrase import load_pretrained
    >>> pairs = [("A cat sleeps.", "En katt sover."), ("It rains.", "Det regnar.")]
    >>> english = load_pretrained().transform([first for first, _ in pairs])
    >>> swedish = DistilledEncoder("corpus", axes="teacher").fit(pairs, english)
    >>> swedish.transform(["Katten sover."]).shape
    (1, 256)
    """

    vectors_: WordVectors
    teacher_means_: NDArray[np.float64]
    teacher_axes_: NDArray[np.float64]
    explained_variance_ratio_: NDArray[np.float64]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AveragingEncoder._parameter_constraints,
        "axes": [StrOptions({"principal", "teacher"})],
        "dim": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "n_steps": [Interval(Integral, 0, None, closed="left")],
        "a": [Interval(Real, 0, None, closed="neither")],
        "frequencies": [Mapping, str, None],
        "n_subwords": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        vectors: WordVectors | Callable[[list[str]], ArrayLike] | str | None = None,
        *,
        pooling: str = "mean",
        norm: str | None = "l2",
        dim: int | None = 256,
        alpha: float = 1.0,
        n_steps: int = 8,
        a: float = 1e-3,
        frequencies: WordFrequencies | Mapping[str, int] | str | None = None,
        n_subwords: int | None = 8192,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        axes: str = "principal",
    ) -> None:
        store_parameters(self, locals())

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Texts,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn the word vectors.

        Parameters
        ----------
        X : array-like of str of shape S, that is (n_texts,) or (n_pairs, 2)
        y : array-like of shape S + (dim_teacher,), or (n_pairs, dim_teacher)
            The teacher's vectors of the texts. Lengths of vectors are ignored. One
            vector per pair is the target of both texts.
        sample_weight : array-like of shape (n_texts,) or (n_pairs,), default=None
            A text of weight 2 counts as two equal texts, but once in the frequencies of
            "corpus".

        Returns
        -------
        self : DistilledEncoder

        Raises
        ------
        ValueError
            If shapes disagree, a value is not finite, `dim` exceeds the dimensions of
            the teacher, or no text contains a known word.
        """
        rows = check_fit_texts(X)
        if y is None:
            raise ValueError(
                "DistilledEncoder requires y to be passed, but the target y is None. "
                "Call fit(texts, vectors) with a teacher's vectors, shape "
                f"{(*rows.shape, 'dim')}."
            )
        dtypes = [np.float32, np.float64, np.float16]
        one_a_pair = rows.ndim == 2 == np.ndim(y) and len(rows) == np.shape(y)[0]
        taught = rows[:, 0] if one_a_pair else rows
        teacher = check_vectors(y, taught, "y", dtype=dtypes).reshape(taught.size, -1)
        weights = check_weights(sample_weight, len(rows))
        texts = rows.ravel().tolist()
        tokenizer = self._tokenizer()
        words = WordFrequencies(tokenizer.count(texts))
        initial, batch = append_new_words(self._table([*words]), texts, tokenizer)
        counts = count_matrix(batch, len(initial))
        if not counts.nnz:
            raise ValueError(
                f"None of the {len(texts)} texts contains any of the {len(initial)} "
                "words of vectors."
            )
        targets = self._fit_targets(teacher, weights.repeat(taught.size // len(rows)))
        if one_a_pair:
            targets = targets.repeat(2, axis=0)
        weights = weights.repeat(rows.size // len(rows))
        start = initial.rows()
        if self._is_from_corpus:
            of_words = counts.T.tocsr() * weights.astype(np.float32)
            start = of_words @ targets / (of_words.sum(axis=1)[:, np.newaxis] + 1)
        start -= start.mean(axis=0)
        if not initial.is_weighted:
            frequencies = self.frequencies
            if frequencies is None and not _are_english(words):
                frequencies = "corpus"
            p = word_probabilities(initial, tokenizer, frequencies, texts)
            start *= sif_weights(p, self.a)[:, np.newaxis]
        start = map_to_targets(counts, start, targets, weights)
        options = {"alpha": self.alpha, "n_steps": self.n_steps}
        matrix = ridge(counts, targets, start, weights, **options)
        self.vectors_ = WordVectors(initial.words, matrix, is_weighted=True)
        if self.n_subwords is not None:
            self.vectors_ = fit_subwords(self.vectors_, n_rows=self.n_subwords)
        return self

    def _table(self, words: list[str]) -> WordVectors:
        """The initial vectors; with "corpus", zeros for the words of the texts."""
        if self._is_from_corpus:
            return WordVectors(words, np.zeros((len(words), 1)), is_weighted=True)
        if callable(self.vectors):
            return WordVectors(words, self.vectors(words))
        return check_word_vectors(self.vectors)

    @property
    def _is_from_corpus(self) -> bool:
        return isinstance(self.vectors, str) and self.vectors == "corpus"

    def _fit_targets(
        self, teacher: NDArray[Any], weights: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        """Coordinates of the teacher's vectors on the axes."""
        n_texts, n_all = teacher.shape
        if self.dim is not None and self.dim > n_all:
            raise ValueError(
                f"dim={self.dim} is more than the {n_all} dimensions of the teacher's "
                "vectors."
            )
        total, gram = np.zeros(n_all), np.zeros((n_all, n_all))
        for rows, block in _unit_blocks(teacher):
            total += (block * weights[rows, np.newaxis]).sum(axis=0)
            block *= np.sqrt(weights[rows, np.newaxis])
            gram += block.T @ block
        mean, gram = total / weights.sum(), gram / weights.sum()
        covariance = gram - np.outer(mean, mean)
        if self.axes == "teacher":
            mean, axes = np.zeros(n_all), np.eye(n_all, self.dim)
            squares = np.diagonal(covariance)
        else:
            squares, axes = np.linalg.eigh(covariance)
            squares = np.maximum(squares[::-1], 0)
            axes = axes[:, ::-1][:, : self.dim]
            axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
        self.teacher_means_, self.teacher_axes_ = mean, axes
        variance = max(squares.sum(), 1e-300)
        self.explained_variance_ratio_ = squares[: axes.shape[1]] / variance
        targets = np.empty((n_texts, axes.shape[1]), dtype=np.float32)
        for rows, block in _unit_blocks(teacher):
            targets[rows] = (block - mean) @ axes
        return targets

    @property
    def _n_features_out(self) -> int:
        return self.vectors_.dim

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


def _are_english(words: WordFrequencies) -> bool:
    """Whether these are the word counts of English texts.

    The counts of English Wikipedia include at least 88 % of the tokens of English texts
    from 18 sources, and at most 58 % of the tokens of texts in 15 other languages, or
    77 % if half of the texts are English.
    """
    english = load_word_frequencies()
    known = sum(count for word, count in words.items() if word in english)
    return known >= 0.8 * words.total


def count_matrix(batch: TokenBatch, n_words: int) -> csr_array:
    """Counts of each word in each text, shape (n_texts, n_words)."""
    ones = np.ones(len(batch.ids), dtype=np.float32)
    offsets = batch.offsets.astype(np.int32)
    counts = csr_array((ones, batch.ids.copy(), offsets), shape=(len(batch), n_words))
    counts.sum_duplicates()
    return counts


def map_to_targets(
    counts: csr_array,
    vectors: NDArray[np.float32],
    targets: NDArray[np.float32],
    weights: NDArray[np.float64],
) -> NDArray[np.float32]:
    """Map word vectors linearly so that unit text vectors predict the targets."""
    dim = vectors.shape[1]
    gram, across = _SHRINKAGE * np.eye(dim), np.zeros((dim, targets.shape[1]))
    for rows in gen_batches(len(targets), _BLOCK):
        texts = unit_vectors((counts[rows] @ vectors).astype(np.float64))
        roots = np.sqrt(weights[rows, np.newaxis])  # for a weighted sum of squares
        texts *= roots
        gram += texts.T @ texts
        across += texts.T @ (targets[rows] * roots)
    return vectors @ np.linalg.solve(gram, across).astype(np.float32)


def ridge(
    counts: csr_array,
    targets: NDArray[np.float32],
    start: NDArray[np.float32],
    weights: NDArray[np.float64],
    *,
    alpha: float,
    n_steps: int,
) -> NDArray[np.float32]:
    """Find word vectors near those of `start` whose sums predict the targets of texts.

    Only words that occur are solved for, and a few dimensions at a time to limit
    memory. The common component of the predictions is removed.
    """
    lengths = np.linalg.norm(counts @ start, axis=1)
    weights = weights.astype(np.float32)
    mean_length = np.average(np.linalg.norm(targets, axis=1), weights=weights)
    scale = (mean_length / np.where(lengths > 0, lengths, np.inf)).astype(np.float32)
    scale *= np.sqrt(weights)
    targets = targets * np.sqrt(weights)[:, np.newaxis]
    scaled = counts.copy()
    scaled.data *= scale.repeat(np.diff(counts.indptr))
    words = np.unique(counts.indices)
    occurring = scaled[:, words]
    vectors = start.copy()
    with progress_bar(start.shape[1], "Training", "dimension") as advance:
        for dims in gen_batches(start.shape[1], _COLUMNS):
            residual = targets[:, dims] - scaled @ start[:, dims]
            changes = fit_rows(occurring, residual, alpha=alpha, n_steps=n_steps)
            vectors[words, dims] += changes
            advance(changes.shape[1])
    predicted = scaled @ vectors
    if not predicted.any():  # the teacher's vectors have no variance
        return vectors
    return CommonComponentRemoval(norm=None).fit(predicted).transform(vectors)


def _unit_blocks(
    teacher: NDArray[Any],
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Unit vectors of the teacher, in blocks of texts."""
    for rows in gen_batches(len(teacher), _BLOCK):
        yield rows, unit_vectors(teacher[rows].astype(np.float64))
