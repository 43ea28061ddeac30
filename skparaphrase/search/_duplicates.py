"""Groups of near-duplicate texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.utils import check_consistent_length, check_scalar
from sklearn.utils.validation import check_is_fitted

from skparaphrase import _core
from skparaphrase._compat import Interval, StrOptions, fit_context
from skparaphrase._estimator import store_parameters
from skparaphrase._nearest import QUERIES, Matches, Rows, lower_bound, top_k
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Encoder, Indices, Texts
from skparaphrase.search._base import TextComparer, cleaned
from skparaphrase.search._clusters import EXACT, Clusters, pairs_of_parts
from skparaphrase.search._columns import check_same_index, group_codes
from skparaphrase.text._check import check_single_texts, unique_texts

# "600D" is read as 600, with its unit or not; "P2419H" and "10/12" as a whole. Matches
# start only at the beginning of letters; otherwise, the time would be quadratic. A name
# before a number is not part of it: "iPhone6" is read as 6.
_NUMBERS = re.compile(
    r"(?<![^\W\d_])(?![^\W\d_]{4,}\d+(?![^\W_]))[^\W\d_]+\d[^\W_]*"
    r"|\d+(?:[.,:/]\d+)*"
)
_DIGIT = re.compile(r"\d")
# "1,000" is 1000, and "42.0" is 42; but "0.500" is not 0500.
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:[.,]\d{3})+(?!\d)")
_ZEROS = re.compile(r"(?<=\d)[.,]0+(?!\d|[.,:/]\d)")
_COMMA = re.compile(r"(?<=\d),(?=\d)")

_PAIRS = 64  # average number of pairs per text that are kept
_FEW_PAIRS = 2**22  # number of pairs that are always kept
_JOINED = 2**14  # texts that join groups at a time
_READ = 2**12  # texts between two updates of the progress bar

_Agreement = Callable[[Indices], NDArray[np.bool_]]


class NearDuplicates(ClusterMixin, TextComparer):
    """Group near-duplicate texts, and choose a representative of each group.

    Exact copies are grouped first. These are texts that are equal after Unicode
    normalisation (NFKC), in lower case and with single spaces. Punctuation counts, as
    in "C" and "C++". Then each distinct text joins the most similar representative
    before it if their score is at least `threshold` and they satisfy `must_agree`.
    Otherwise, it becomes the representative of a new group. So every text is similar to
    its representative, unlike in single-linkage clustering. The first text represents
    its group: to keep the newest copy, sort the texts by date, the newest first.

    Parameters
    ----------
    encoder : transformer, default=None
        As in :class:`SemanticSearch`. If it is a pipeline that begins with steps that
        return texts, such as a ``FunctionTransformer(clean_text)``, then copies,
        numbers and `must_agree` are evaluated on the texts after these steps.
    threshold : float, default=0.8
        Minimum score of a text with the representative of its group: the cosine, unless
        `lexical` is given. The best value depends on the texts and the encoder; choose
        it on texts whose groups are known.
    must_agree : {"numbers"}, callable or None, default="numbers"
        Extra condition for grouping two texts, because "500 GB drive" and "750 GB
        drive" have nearly equal vectors. "numbers": the numbers of one text, and its
        words with a digit ("P2419H"), must all occur in the other, in any order.
        "500GB" and "500 GB", "1.7" and "1,7", "1,000" and "1000", "42" and "42.0", and
        "-5" and "5" are equal, also for the vectors. A callable takes two texts, the
        earlier one first, and returns whether they may be grouped; it is not called for
        exact copies.
    lexical, lexical_weight
        As in :class:`SemanticSearch`.
    algorithm : {"auto", "exact", "clusters"}, default="auto"
        "exact" compares all texts; its time grows with the square of their number.
        "clusters" compares a text only with texts in the nearest clusters of vectors,
        and misses some pairs: for 515,000 sentences, it missed 0.3 % of the pairs with
        a cosine of 0.8 or more, and 1.3 % of the pairs with 0.7 or more. "auto" is
        "exact" for up to 40,000 distinct texts of a group of `fit`, and "clusters" for
        more. Up to 1,000 texts are always compared exactly.

    Attributes
    ----------
    encoder_ : transformer
        The fitted encoder.
    lexical_ : vectorizer or None
        The fitted `lexical`.
    labels_ : ndarray of int of shape (n_texts,)
        The group of each text, numbered in order of appearance.
    representative_indices_ : ndarray of int of shape (n_groups,)
        The first text of each group: `texts[representative_indices_]` are the texts
        without near duplicates.
    threshold_ : float
        The threshold of the fit.
    copy_of_ : ndarray of int of shape (n_texts,)
        Index of the first exact copy of each text; its own index if there is none
        before it.
    pairs_ : ndarray of int of shape (n_pairs, 2), or None
        Pairs of distinct texts that may be grouped, the earlier text first. None if
        there are more than 64 pairs per text (and more than 4 million).
    cosines_ : ndarray of shape (n_pairs,), or None
        The scores of these pairs.

    See Also
    --------
    ParaphraseMiner : Finds pairs instead of groups.

    Notes
    -----
    Texts are compared in blocks, so memory grows linearly with the number of texts. If
    there are too many pairs to keep, only representatives are compared with the texts
    after them. A callable `must_agree` is called for each pair above the threshold.

    Examples
    --------
    >>> from skparaphrase.search import NearDuplicates
    >>> texts = ["Reset my password", "Red bike", "How can I reset my password?"]
    >>> model = NearDuplicates(threshold=0.7).fit(texts)
    >>> model.labels_
    array([0, 1, 0])

    A stricter threshold, without comparing again:

    >>> model.labels_at(0.95)
    array([0, 1, 2])
    """

    labels_: Indices
    representative_indices_: Indices
    threshold_: float
    copy_of_: Indices
    pairs_: Indices | None
    cosines_: NDArray[np.floating[Any]] | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TextComparer._parameter_constraints,
        "threshold": [Interval(Real, -1, 1, closed="both")],
        "must_agree": [StrOptions({"numbers"}), callable, None],
        "algorithm": [StrOptions({*EXACT})],
    }

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        threshold: float = 0.8,
        must_agree: str | Callable[[str, str], bool] | None = "numbers",
        lexical: Any = None,
        lexical_weight: float = 0.5,
        algorithm: str = "auto",
    ) -> None:
        store_parameters(self, locals())

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Texts, y: object = None, *, groups: ArrayLike | None = None
    ) -> Self:
        """Group the texts.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,)
        y : ignored
        groups : array-like of shape (n_texts,), default=None
            Only texts with the same value, such as the brand of products, are grouped;
            this also holds for exact copies. Missing values are one group.

        Returns
        -------
        self : NearDuplicates
        """
        texts = check_single_texts(X)
        check_same_index(X, groups, "groups")
        codes = np.zeros(len(texts), np.intp) if groups is None else group_codes(groups)
        check_consistent_length(texts, codes)
        self._fit_parts(texts)
        read = cleaned(self.encoder_, texts)
        by_value = self.must_agree == "numbers"
        numbers, self.copy_of_ = _read(read, codes, by_value)
        distinct = np.unique(self.copy_of_)
        self.threshold_ = self.threshold
        agree = _agreement(self.must_agree, read[distinct], numbers[distinct])
        compared = texts[distinct]
        if by_value:
            compared = np.array([*map(_with_values, compared)], dtype=object)
        is_exact = len(compared) <= EXACT[self.algorithm]
        every = self._rows(compared, is_bounded=is_exact)
        rows, pairs = self._leaders(every, codes[distinct], agree)
        self.pairs_ = self.cosines_ = None
        if pairs is not None:
            query, other, score = pairs
            self.pairs_ = distinct[np.column_stack([other, query])]
            self.cosines_ = np.clip(score, -1, 1)
        leaders = np.arange(len(texts))
        leaders[distinct] = distinct[rows]
        self.labels_ = self._labels(leaders)
        self.representative_indices_ = np.unique(self.labels_, return_index=True)[1]
        return self

    def labels_at(self, threshold: float) -> Indices:
        """Group the fitted texts with a larger threshold, without comparing them again.

        Parameters
        ----------
        threshold : float
            At least the `threshold` of the fit.

        Returns
        -------
        labels : ndarray of int of shape (n_texts,)
            The labels of a fit with this threshold. The first text of each group is
            its representative: `np.unique(labels, return_index=True)[1]`.

        Raises
        ------
        ValueError
            If `threshold` is smaller than in the fit, or if there were too many pairs
            to keep (`pairs_` is None).
        """
        check_is_fitted(self)
        check_scalar(threshold, "threshold", Real, min_val=self.threshold_, max_val=1)
        if self.pairs_ is None or self.cosines_ is None:
            raise ValueError(
                f"With threshold={self.threshold_}, there were too many pairs to keep. "
                "Fit again with the new threshold."
            )
        leaders = np.arange(len(self.copy_of_))
        other, query = self.pairs_[self.cosines_ > lower_bound(threshold)].T
        _join(leaders, query, other)
        return self._labels(leaders)

    def _labels(self, leaders: Indices) -> Indices:
        """Groups of texts, from the representative of each distinct text."""
        return np.unique(leaders[self.copy_of_], return_inverse=True)[1]

    def _leaders(
        self, every: Rows, codes: Indices, agree: _Agreement
    ) -> tuple[Indices, Matches | None]:
        """The representative of each distinct text, and the pairs, if not too many."""
        order = np.argsort(codes, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
        groups = [rows for rows in groups if len(rows) > 1]
        leaders = np.arange(len(every))
        kept: list[Matches] = []
        n_left: float = max(_PAIRS * len(every), _FEW_PAIRS)  # pairs to keep at most
        with progress_bar(sum(map(len, groups)), "Comparing") as update:
            for rows in groups:
                is_large = len(rows) > EXACT[self.algorithm]
                clusters = Clusters(every.vectors, rows) if is_large else None
                start = 0
                while start < len(rows):
                    keeps = n_left < np.inf
                    stop = start + (
                        clusters.n_queries if clusters and keeps else QUERIES
                    )
                    block, others = rows[start:stop], rows[:stop]
                    if not keeps:  # The other texts may still become representatives.
                        others = others[leaders[others] == others]
                    parts = (
                        clusters.parts(block, others) if clusters else [(block, others)]
                    )
                    pairs = self._pairs(every, parts, agree, n_left)
                    if pairs is None:
                        kept, n_left = [], np.inf
                        continue
                    _join(leaders, *pairs[:2])
                    if keeps:
                        kept.append(pairs)
                        n_left -= len(pairs[0])
                    update(len(block))
                    start = stop
        return leaders, top_k(kept) if n_left < np.inf else None

    def _pairs(
        self,
        every: Rows,
        parts: Iterable[tuple[Indices, Indices]],
        agree: _Agreement,
        at_most: float,
    ) -> Matches | None:
        """Pairs of a query and a text before it that may be grouped, in order.

        None if there are more than `at_most`.
        """
        pairs: list[Matches] = []
        matches = pairs_of_parts(every, parts, self.threshold, self._weight)
        for query, other, score in matches:
            keep = other < query
            keep[keep] = agree(np.column_stack([other[keep], query[keep]]))
            pairs.append((query[keep], other[keep], score[keep]))
            at_most -= int(keep.sum())
            if at_most < 0:
                return None
        return top_k(pairs)


def _agreement(
    must_agree: str | Callable[[str, str], bool] | None,
    texts: NDArray[np.object_],
    numbers: NDArray[np.object_],
) -> _Agreement:
    """A function of pairs that returns the mask of pairs that satisfy `must_agree`."""
    if callable(must_agree):
        return lambda pairs: np.array([must_agree(*x) for x in texts[pairs]], bool)
    if must_agree is None:
        return lambda pairs: np.ones(len(pairs), dtype=bool)
    sets, code = unique_texts(numbers)

    def share_numbers(pairs: Indices) -> NDArray[np.bool_]:
        both, inverse = np.unique(code[pairs] @ [len(sets), 1], return_inverse=True)
        first, second = np.divmod(both, len(sets))
        is_part = [
            sets[i] <= sets[j] or sets[j] <= sets[i]
            for i, j in zip(first, second, strict=True)
        ]
        return np.array(is_part, dtype=bool)[inverse]

    return share_numbers


def _join(leaders: Indices, query: Indices, other: Indices) -> None:
    """Let each query join the first of its other texts that is a representative.

    The pairs are sorted by the query.
    """
    edges = np.flatnonzero(np.diff(query, prepend=-1, append=-1))
    for first in range(0, len(edges) - 1, _JOINED):
        ends = edges[first : first + _JOINED + 1]
        others = other[ends[0] : ends[-1]].tolist()
        texts = query[ends[:-1]].tolist()
        ends = (ends - ends[0]).tolist()
        for text, start, stop in zip(texts, ends, ends[1:], strict=False):
            for leader in others[start:stop]:
                if leaders[leader] == leader:
                    leaders[text] = leader
                    break


def _read(
    texts: NDArray[np.object_], codes: Indices, with_numbers: bool
) -> tuple[NDArray[np.object_], Indices]:
    """The numbers in texts, and the first copy of each text.

    Copies are texts of a group that have the same numbers and are equal after
    normalisation, which converts superscripts to digits.
    """
    numbers = np.full(len(texts), frozenset(), dtype=object)
    keys = np.empty(len(texts), dtype=object)
    with progress_bar(len(texts), "Reading") as update:
        for i, text in enumerate(texts):
            if with_numbers and _DIGIT.search(text):
                numbers[i] = frozenset(_NUMBERS.findall(_with_values(text).lower()))
            if not text.isascii():
                text = _core.normalize("NFKC", text)
            keys[i] = " ".join(text.casefold().split()), numbers[i], codes[i]
            if i % _READ == 0:
                update(min(_READ, len(texts) - i))
    _, key = unique_texts(keys)
    return numbers, np.unique(key, return_index=True)[1][key]


def _with_values(text: str) -> str:
    """Rewrite a text so that equal numbers are written in the same way."""
    if not _DIGIT.search(text):
        return text
    text = _THOUSANDS.sub(lambda number: re.sub("[.,]", "", number[0]), text)
    return _COMMA.sub(".", _ZEROS.sub("", text))
