"""Scores of pairs grouped by length or by number of unknown words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import check_pandas_support
from skparaphrase.inspection._estimators import (
    Tokenizer,
    find_tokenizer,
    find_word_table,
    pair_similarities,
)
from skparaphrase.metrics._similarity import CORRELATIONS, check_columns
from skparaphrase.text import WordLookup, check_pairs, check_texts
from skparaphrase.vectors import WordVectors, load_word_vectors

#: Bins of tables 7 and 6 of the Charagram paper.
LENGTH_BINS = (4, 5, 6, 7, 8, 9, 10, 15, 20)
UNKNOWN_BINS = (0, 1, 2)

QUANTILES = 5  # default number of groups, unless a table of a paper has others
_DIGITS = 4  # of the quantiles between groups


def grouped_scores(
    y_true: Any, y_pred: Any, values: Any, *, bins: int | Sequence[float] = QUANTILES
) -> Any:
    """Correlation with the gold scores in groups of pairs.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_pairs,)
        Gold scores, and predictions on any scale.
    values : array-like of shape (n_pairs,)
        A number for each pair, such as a length or a number of unknown words.
    bins : int or sequence of float, default=5
        A number of groups, split at the quantiles of `values`, rounded to four digits;
        there are fewer if many values are equal. Or the largest value of each group,
        increasing; larger values make a further group.

    Returns
    -------
    scores : DataFrame
        A row for each group, even if it is empty, and a last row "all". Groups of
        counts are named "<=4", "5", "11-15", ">=21" and so on, those of other numbers
        "<=0.5", "(0.5, 1.5]", ">1.5". Columns are "n_pairs", "pearson" and "spearman";
        the scores are NaN for fewer than two pairs.

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
    pandas = check_pandas_support("grouped_scores")
    true, predicted, counts = check_columns(
        {"y_true": y_true, "y_pred": y_pred, "values": values}, ensure_min_samples=0
    )
    if isinstance(bins, (int, np.integer)):
        edges = _quantiles(counts, int(bins))
    else:
        edges = list(bins)
    if not edges or not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
        raise ValueError(f"bins must be increasing numbers; got {bins!r}.")
    both = np.concatenate([counts, edges])
    names = _name_groups(edges, counts=not ((both < 0) | (both % 1 != 0)).any())
    group = np.searchsorted(edges, counts, side="left")
    masks = {name: group == i for i, name in enumerate(names)}
    masks["all"] = np.ones(len(true), dtype=bool)
    columns: dict[str, list[Any]] = {
        "n_pairs": [int(mask.sum()) for mask in masks.values()]
    }
    for name, score in CORRELATIONS.items():
        columns[name] = [
            score(true[mask], predicted[mask]) if mask.sum() > 1 else np.nan
            for mask in masks.values()
        ]
    return pandas.DataFrame(columns, index=pandas.Index(masks, name="group"))


def _quantiles(values: NDArray[np.float64], n: int) -> list[float]:
    """Values that split others into at most `n` groups of about the same size."""
    if n < 2:
        raise ValueError(f"bins must be at least 2; got {n}.")
    if not len(values):
        return [0.0]
    shares = np.arange(1, n) / n
    found = np.quantile(values, shares, method="inverted_cdf")
    edges = np.unique([float(f"{edge:.{_DIGITS}g}") for edge in found])
    return edges[edges < values.max()].tolist() or [float(values.max())]


def _name_groups(edges: Sequence[float], *, counts: bool) -> list[str]:
    if not counts:
        digits = 6
        while len({f"{edge:.{digits}g}" for edge in edges}) < len(edges):
            digits += 1
        shown = [f"{edge:.{digits}g}" for edge in edges]
        within = [f"({last}, {edge}]" for last, edge in pairwise(shown)]
        return [f"<={shown[0]}", *within, f">{shown[-1]}"]
    whole = [int(edge) for edge in edges]
    names = ["0" if whole[0] == 0 else f"<={whole[0]}"]
    for last, edge in pairwise(whole):
        names.append(str(edge) if edge == last + 1 else f"{last + 1}-{edge}")
    return [*names, f">={whole[-1] + 1}"]


def scores_by_length(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    bins: int | Sequence[int] = LENGTH_BINS,
    tokenizer: Tokenizer | None = None,
) -> Any:
    """Correlation with the gold scores by the length of the longer text of a pair.

    Table 7 of Wieting et al. (2016), with `bins=(4, 5, 6, 7, 8, 9)`, and table 7 of the
    Charagram paper.

    Parameters
    ----------
    estimator : estimator
        A fitted pipeline or search that predicts the similarity of pairs; or an
        encoder, whose vectors are compared by cosine.
    X : array-like of str of shape (n_pairs, 2)
    y : array-like of shape (n_pairs,)
        Gold scores.
    bins, tokenizer
        As in :func:`grouped_scores` and :func:`pair_lengths`. None takes the tokenizer
        of a word encoder.

    Returns
    -------
    scores : DataFrame
        As in :func:`grouped_scores`.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.inspection import scores_by_length
    >>> scores = scores_by_length(AverageEncoder(), *load_similarity(return_X_y=True))
    >>> scores.index.tolist()
    ['<=4', '5', '6', '7', '8', '9', '10', '11-15', '16-20', '>=21', 'all']
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
    bins: int | Sequence[int] = UNKNOWN_BINS,
    tokenizer: Tokenizer | None = None,
) -> Any:
    """Correlation with the gold scores by the number of unknown words of a pair.

    Table 6 of the Charagram paper.

    Parameters
    ----------
    estimator, X, y
        As in :func:`scores_by_length`.
    vocabulary, bins, tokenizer
        As in :func:`unknown_words` and :func:`grouped_scores`. None takes the
        vocabulary and the tokenizer of a word encoder.

    Returns
    -------
    scores : DataFrame
        As in :func:`grouped_scores`, with a row "any" before "all" for the pairs that
        have at least one unknown word.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.inspection import scores_by_unknown
    >>> scores = scores_by_unknown(AverageEncoder(), *load_similarity(return_X_y=True))
    >>> scores.index.tolist()
    ['0', '1', '2', '>=3', 'any', 'all']
    """
    pandas = check_pandas_support("scores_by_unknown")
    pairs = check_pairs(X)
    if vocabulary is None:
        vocabulary = find_word_table(estimator, "vocabulary")
    tokenizer = find_tokenizer(estimator, tokenizer)
    counts = unknown_words(pairs, vocabulary, tokenizer=tokenizer)
    predicted = pair_similarities(estimator, pairs)
    scores = grouped_scores(y, predicted, counts, bins=bins)
    some = grouped_scores(y, predicted, counts > 0, bins=[0])
    some = some.loc[[">=1"]].rename({">=1": "any"})
    return pandas.concat([scores[:-1], some, scores[-1:]])


def pair_lengths(X: Any, *, tokenizer: Tokenizer | None = None) -> NDArray[np.int64]:
    """Number of words of the longer text of each pair.

    Parameters
    ----------
    X : array-like of str of shape (n_pairs, 2)
    tokenizer : callable or WordTokenizer, default=None
        Takes a text and returns its words, such as `str.split` for tokenised texts.
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
    return _count_unknown(check_pairs(X), {}, tokenizer).max(axis=1)


def unknown_words(
    X: Any,
    vocabulary: Iterable[str] | WordVectors | None = None,
    *,
    tokenizer: Tokenizer | None = None,
) -> NDArray[np.int64]:
    """Number of words of each text, or of the two texts of a pair, not in a vocabulary.

    Parameters
    ----------
    X : array-like of str of shape (n_texts,) or (n_pairs, 2)
    vocabulary : iterable of str or WordVectors, default=None
        The known words, in lower case unless the tokenizer keeps capitals. None takes
        :func:`skparaphrase.datasets.load_word_vectors`.
    tokenizer : callable or WordTokenizer, default=None
        As in :func:`pair_lengths`. A compound with a known part counts as known if the
        tokenizer splits compounds.

    Returns
    -------
    counts : ndarray of shape (n_texts,) or (n_pairs,)
        Also of words that a table makes a vector for, of n-grams or a hash.

    Examples
    --------
    >>> from skparaphrase.inspection import unknown_words
    >>> unknown_words([("a cat", "a yak"), ("a", "a")], ["a", "cat"])
    array([1, 0])
    >>> unknown_words(["The refund is 9000 dollars."])
    array([1])
    """
    if isinstance(vocabulary, str):
        raise TypeError(f"vocabulary must be a list; got the str {vocabulary!r}.")
    if vocabulary is None:
        vocabulary = load_word_vectors()
    words = vocabulary.words if isinstance(vocabulary, WordVectors) else vocabulary
    texts = check_texts(X)
    counts = _count_unknown(texts, dict.fromkeys(words, 0), tokenizer)
    return counts if texts.ndim == 1 else counts.sum(axis=1)


def _count_unknown(
    texts: NDArray[np.object_], known: Mapping[str, int], tokenizer: Tokenizer | None
) -> NDArray[np.int64]:
    """Number of words of each text that are not known, of the shape of `texts`."""
    tokenizer = find_tokenizer(None, tokenizer)
    batch = WordLookup(tokenizer, known, unknown=1).encode(texts.ravel().tolist())
    total = np.append(0, np.cumsum(batch.ids, dtype=np.int64))
    return np.diff(total[batch.offsets]).reshape(texts.shape)
