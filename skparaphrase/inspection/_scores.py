"""Scores on pairs of like length, or with like numbers of unknown words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from skparaphrase.encoders._base import WordEncoder
from skparaphrase.inspection._estimators import (
    Tokenizer,
    find_encoder,
    find_table,
    find_tokenizer,
    pair_similarities,
)
from skparaphrase.inspection._optional import import_pandas
from skparaphrase.metrics import pearson_score, spearman_score
from skparaphrase.text import TokenBatch, check_pairs
from skparaphrase.vectors import WordVectors

#: The bins of tables 7 and 6 of the Charagram paper.
LENGTH_BINS = (4, 5, 6, 7, 8, 9, 10, 15, 20)
UNKNOWN_BINS = (0, 1, 2)

_BLOCK = 16384  # pairs tokenised together


def grouped_scores(
    y_true: Any, y_pred: Any, values: Any, *, bins: Sequence[int] = LENGTH_BINS
) -> Any:
    """Correlation with the gold scores, separately for groups of pairs.

    Parameters
    ----------
    y_true : array-like of shape (n_pairs,)
        Graded scores.

    y_pred : array-like of shape (n_pairs,)
        Predictions on any scale.

    values : array-like of shape (n_pairs,)
        A whole number, 0 or more, for every pair: a length, a count of unknown words.

    bins : sequence of int, default=(4, 5, 6, 7, 8, 9, 10, 15, 20)
        The largest number of each group, rising; numbers beyond the last make a group
        of their own.

    Returns
    -------
    scores : DataFrame
        A row for every group, also for an empty one, named "<=4", "5", "11-15", ">=21"
        and so on, and last the row "all". Columns "n_pairs", "pearson" and "spearman",
        the last two NaN for fewer than two pairs.

    Raises
    ------
    ValueError
        For lengths that differ, values that are no whole numbers, bins that do not
        rise.

    Examples
    --------
    >>> from skparaphrase.inspection import grouped_scores
    >>> grouped_scores([1, 2, 3, 5], [0.1, 0.3, 0.2, 0.9], [4, 7, 3, 6], bins=[4, 6])
           n_pairs   pearson  spearman
    group
    <=4          2  1.000000       1.0
    5-6          1       NaN       NaN
    >=7          1       NaN       NaN
    all          4  0.909651       0.8
    """
    pandas = import_pandas("grouped_scores")
    true, predicted, numbers = (
        column_or_1d(
            check_array(
                y,
                ensure_2d=False,
                dtype=np.float64,
                input_name=name,
                ensure_min_samples=0,
            )
        )
        for y, name in ((y_true, "y_true"), (y_pred, "y_pred"), (values, "values"))
    )
    check_consistent_length(true, predicted, numbers)
    if (numbers < 0).any() or (numbers % 1 != 0).any():
        raise ValueError("values must be whole numbers, 0 or more.")
    names = _names(bins)
    group = np.searchsorted(np.asarray(bins), numbers, side="left")
    masks = {name: group == i for i, name in enumerate(names)}
    return _table(pandas, true, predicted, masks)


def scores_by_length(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    bins: Sequence[int] = LENGTH_BINS,
    tokenizer: Tokenizer | None = None,
) -> Any:
    """Correlation with the gold scores by the length of the longer text of a pair.

    Table 7 of Wieting et al. (2016), there with `bins=(4, 5, 6, 7, 8, 9)`, and table 7
    of the Charagram paper.

    Parameters
    ----------
    estimator : estimator
        A fitted pipeline or search that predicts the similarity of pairs, such as one
        that ends in :class:`~skparaphrase.pairs.PairSimilarity`; or an encoder, whose
        vectors are compared by cosine.

    X : array-like of str of shape (n_pairs, 2)

    y : array-like of shape (n_pairs,)
        Graded scores.

    bins : sequence of int, default=(4, 5, 6, 7, 8, 9, 10, 15, 20)
        As of :func:`grouped_scores`.

    tokenizer : callable or WordTokenizer, default=None
        As of :func:`pair_lengths`; None takes that of a word encoder.

    Returns
    -------
    scores : DataFrame
        As of :func:`grouped_scores`.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import scores_by_length
    >>> pairs, gold = load_similarity(return_X_y=True)
    >>> encoder = SIFEncoder().fit(pairs)
    >>> scores_by_length(encoder, pairs, gold, bins=[5, 10])["n_pairs"].sum() // 2
    np.int64(570)
    """
    pairs = check_pairs(X)
    lengths = pair_lengths(pairs, tokenizer=find_tokenizer(estimator, tokenizer))
    return grouped_scores(y, pair_similarities(estimator, pairs), lengths, bins=bins)


def scores_by_unknown(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    vocabulary: Iterable[str] | WordVectors | None = None,
    bins: Sequence[int] = UNKNOWN_BINS,
    tokenizer: Tokenizer | None = None,
) -> Any:
    """Correlation with the gold scores by the number of unknown words of a pair.

    Table 6 of the Charagram paper.

    Parameters
    ----------
    estimator : estimator
        As of :func:`scores_by_length`.

    X : array-like of str of shape (n_pairs, 2)

    y : array-like of shape (n_pairs,)
        Graded scores.

    vocabulary : iterable of str or WordVectors, default=None
        The known words. None takes those of the table of a word encoder.

    bins : sequence of int, default=(0, 1, 2)
        As of :func:`grouped_scores`.

    tokenizer : callable or WordTokenizer, default=None
        As of :func:`unknown_words`; None takes that of a word encoder.

    Returns
    -------
    scores : DataFrame
        As of :func:`grouped_scores`, and before "all" a row "any" of the pairs with at
        least one unknown word.

    Raises
    ------
    TypeError
        If `vocabulary` is None and the encoder has no table of words.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import scores_by_unknown
    >>> pairs, gold = load_similarity(return_X_y=True)
    >>> encoder = SIFEncoder().fit(pairs)
    >>> scores_by_unknown(encoder, pairs, gold).index.tolist()
    ['0', '1', '2', '>=3', 'any', 'all']
    """
    pairs = check_pairs(X)
    counts = count_unknown(estimator, pairs, vocabulary, tokenizer)
    predicted = pair_similarities(estimator, pairs)
    scores = grouped_scores(y, predicted, counts, bins=bins)
    some = counts > 0
    pandas = import_pandas("scores_by_unknown")
    gold = np.asarray(y, dtype=np.float64).ravel()
    known = _table(pandas, gold[some], predicted[some], {}).set_axis(["any"])
    return pandas.concat([scores[:-1], known, scores[-1:]]).rename_axis("group")


def count_unknown(
    estimator: Any,
    pairs: Any,
    vocabulary: Iterable[str] | WordVectors | None,
    tokenizer: Tokenizer | None,
) -> NDArray[np.int64]:
    """Unknown words of each pair, with the words and the tokenizer of an encoder."""
    if vocabulary is None:
        encoder = find_encoder(estimator)
        if not isinstance(encoder, WordEncoder):
            raise TypeError(
                f"{type(encoder).__name__} has no table of words; say with vocabulary= "
                "which words are known."
            )
        vocabulary = find_table(encoder)
    return unknown_words(
        pairs, vocabulary, tokenizer=find_tokenizer(estimator, tokenizer)
    )


def pair_lengths(X: Any, *, tokenizer: Tokenizer | None = None) -> NDArray[np.int64]:
    """Number of words of the longer text of each pair.

    Parameters
    ----------
    X : array-like of str of shape (n_pairs, 2)

    tokenizer : callable or WordTokenizer, default=None
        Takes a text, gives its words (`str.split` for texts that are parted already).
        None takes `WordTokenizer()`.

    Returns
    -------
    lengths : ndarray of shape (n_pairs,)

    Examples
    --------
    >>> from skparaphrase.inspection import pair_lengths
    >>> pair_lengths([("A cat sleeps.", "A cat"), ("Hm", "")])
    array([4, 1])
    """
    splitter = find_tokenizer(None, tokenizer)
    found = [
        np.fromiter(map(len, splitter.tokenize(block)), np.int64, len(block))
        for block in _blocks(check_pairs(X))
    ]
    return np.concatenate([*found, np.empty(0, np.int64)]).reshape(-1, 2).max(axis=1)


def unknown_words(
    X: Any,
    vocabulary: Iterable[str] | WordVectors,
    *,
    tokenizer: Tokenizer | None = None,
) -> NDArray[np.int64]:
    """Number of words of each pair, both texts together, that a vocabulary lacks.

    Parameters
    ----------
    X : array-like of str of shape (n_pairs, 2)

    vocabulary : iterable of str or WordVectors
        In lower case, unless the tokenizer keeps capitals.

    tokenizer : callable or WordTokenizer, default=None
        As of :func:`pair_lengths`. A compound one part of which is known counts as
        known, if the tokenizer splits compounds.

    Returns
    -------
    counts : ndarray of shape (n_pairs,)

    Examples
    --------
    >>> from skparaphrase.inspection import unknown_words
    >>> unknown_words([("a cat", "a yak"), ("a", "a")], ["a", "cat"])
    array([1, 0])
    """
    if isinstance(vocabulary, str):
        raise TypeError("vocabulary must be several words; got one str.")
    words = vocabulary.words if isinstance(vocabulary, WordVectors) else vocabulary
    index = dict.fromkeys(words, 0)
    splitter = find_tokenizer(None, tokenizer)
    found = [
        _marks(splitter.encode(block, index, unknown=1))
        for block in _blocks(check_pairs(X))
    ]
    return np.concatenate([*found, np.empty(0, np.int64)]).reshape(-1, 2).sum(axis=1)


def _marks(batch: TokenBatch) -> NDArray[np.int64]:
    """How many identifiers of each text are 1, where all are 0 or 1."""
    summed = np.zeros(len(batch.ids) + 1, dtype=np.int64)
    np.cumsum(batch.ids, out=summed[1:])
    return np.diff(summed[batch.offsets])


def _blocks(pairs: NDArray[np.object_]) -> Iterator[list[str]]:
    for start in range(0, len(pairs), _BLOCK):
        yield pairs[start : start + _BLOCK].ravel().tolist()


def _names(bins: Sequence[int]) -> list[str]:
    """Names of the groups that end with `bins`, and of the open one."""
    edges = [int(edge) for edge in bins]
    if not edges or edges != list(bins) or edges[0] < 0 or (np.diff(edges) < 1).any():
        raise ValueError(f"bins must be rising whole numbers, 0 or more; got {bins!r}.")
    names = ["0" if edges[0] == 0 else f"<={edges[0]}"]
    for last, edge in pairwise(edges):
        names.append(str(edge) if edge == last + 1 else f"{last + 1}-{edge}")
    return [*names, f">={edges[-1] + 1}"]


def _table(
    pandas: Any,
    true: NDArray[np.float64],
    predicted: NDArray[np.float64],
    masks: dict[str, NDArray[np.bool_]],
) -> Any:
    """Scores of the pairs of each mask, and of all."""
    masks = {**masks, "all": np.ones(len(true), dtype=bool)}
    rows = [
        [int(mask.sum())]
        + [
            measure(true[mask], predicted[mask]) if mask.sum() > 1 else float("nan")
            for measure in (pearson_score, spearman_score)
        ]
        for mask in masks.values()
    ]
    return pandas.DataFrame(
        rows,
        index=pandas.Index(masks, name="group"),
        columns=["n_pairs", "pearson", "spearman"],
    ).astype({"n_pairs": np.int64})
