"""Nearest texts, and nearest rows of a table of vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import check_pandas_support
from skparaphrase._math import unit_vectors
from skparaphrase._nearest import Found, best, nearest
from skparaphrase.inspection._estimators import (
    find_table,
    find_transformer,
    find_word_table,
    transform_texts,
)
from skparaphrase.text import unique_texts
from skparaphrase.text._check import check_single_texts
from skparaphrase.vectors import WordVectors

_BLOCK = 8192  # candidates that are embedded together


def neighbors(
    encoder: Any, queries: Any, candidates: Any = None, n_neighbors: int = 5
) -> Any:
    """Find the texts whose vectors have the highest cosine to those of the queries.

    Table 8 of Wieting et al. (2016) shows such neighbours of words, tables 8 and 9 of
    the Charagram paper of bigrams and words. For n-grams, see :func:`nearest_units`.

    Parameters
    ----------
    encoder : estimator
        A fitted encoder, or a pipeline or search that begins with one. Steps that turn
        pairs into similarities are ignored.
    queries : array-like of str of shape (n_queries,)
        Words, phrases or sentences.
    candidates : array-like of str of shape (n_candidates,), default=None
        Texts to choose from, embedded in blocks. None takes all words of the table of
        a word encoder.
    n_neighbors : int, default=5
        A text is not a neighbour of itself.

    Returns
    -------
    neighbors : DataFrame
        Columns "query", "rank" (from 1), "neighbor" and "similarity", most similar
        first. A query has fewer rows if there are not enough candidates.

    Raises
    ------
    TypeError
        If `candidates` is None and the encoder has no table of words.

    Examples
    --------
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.inspection import neighbors
    >>> neighbors(AverageEncoder(), ["cat", "not bad"], n_neighbors=2).round(2)
         query  rank neighbor  similarity
    0      cat     1     cats        ...
    """
    pandas = check_pandas_support("neighbors")
    transformer = find_transformer(encoder)
    if candidates is None:
        table = find_word_table(encoder, "candidates")
        chosen = [word for word in table.words if word != table.unknown]
    else:
        chosen, _ = unique_texts(check_single_texts(candidates, "candidates"))

    def embed(texts: Sequence[str]) -> NDArray[Any]:
        return transform_texts(transformer, np.array(texts, dtype=object))

    asked = check_single_texts(queries, "queries").tolist()
    return _nearest(pandas, embed, asked, chosen, n_neighbors)


def nearest_units(
    encoder: Any,
    units: Iterable[str],
    candidates: Iterable[str] | None = None,
    n_neighbors: int = 5,
) -> Any:
    """Find the rows of an encoder's table with the highest cosine to given rows.

    Table 10 of the Charagram paper shows such neighbours of n-grams.

    Parameters
    ----------
    encoder : estimator or WordVectors
        A fitted encoder that has a table of words, n-grams or characters, a pipeline or
        search that begins with one, or the table itself.
    units, candidates : sequence of str
        Words, n-grams or characters, as they are spelled in the table. `None` takes
        all candidates.
    n_neighbors : int, default=5
        A unit is not a neighbour of itself.

    Returns
    -------
    neighbors : DataFrame
        As in :func:`neighbors`.

    Examples
    --------
    >>> from skparaphrase.inspection import nearest_units
    >>> from skparaphrase.vectors import WordVectors
    >>> table = WordVectors(["ing", "ed ", "cat"], [[1, 0], [1, 1], [-1, 1]])
    >>> nearest_units(table, ["ing"], n_neighbors=2).round(2)
      query  rank neighbor  similarity
    0   ing     1      ed         0.71
    1   ing     2      cat       -0.71
    """
    pandas = check_pandas_support("nearest_units")
    table = find_table(encoder)
    asked = _check_units(units, table, "units")
    chosen: Sequence[str] = table.words
    if candidates is not None:
        chosen = list(dict.fromkeys(_check_units(candidates, table, "candidates")))

    def embed(block: Sequence[str]) -> NDArray[Any]:
        rows = map(table.words.get, block)  # all are known
        return table.rows(np.fromiter(rows, np.intp, len(block)))

    return _nearest(pandas, embed, asked, chosen, n_neighbors)


def _nearest(
    pandas: Any,
    embed: Callable[[Sequence[str]], NDArray[Any]],
    queries: Sequence[str],
    candidates: Sequence[str],
    n: int,
) -> Any:
    """Frame of the `n` distinct candidates nearest to each query."""
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"n_neighbors must be an integer of at least 1; got {n!r}.")
    wanted = set(queries)
    places = {text: i for i, text in enumerate(candidates) if text in wanted}
    own = np.array([places.get(text, -1) for text in queries], dtype=np.intp)
    vectors = _unit(embed(queries))
    found: list[Found] = []
    for start in range(0, len(candidates), _BLOCK):
        block = _unit(embed(candidates[start : start + _BLOCK]))
        query, row, cosine = nearest(vectors, block, n + 1)  # one may be the query
        found = [best([*found, (query, row + start, cosine)], n + 1)]
    query, row, cosine = best(found)
    other = row != own[query]
    query, row, cosine = query[other], row[other], cosine[other]
    rank = np.arange(len(query)) - np.searchsorted(query, query)
    query, row, cosine, rank = (a[rank < n] for a in (query, row, cosine, rank))
    columns = {"query": [queries[i] for i in query.tolist()], "rank": rank + 1}
    columns["neighbor"] = [candidates[i] for i in row.tolist()]
    columns["similarity"] = cosine
    return pandas.DataFrame(columns)


def _unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    return unit_vectors(vectors.astype(np.float32, copy=False))


def _check_units(units: Iterable[str], table: WordVectors, name: str) -> list[str]:
    if isinstance(units, str):
        raise TypeError(f"{name} must be a list of str; got the str {units!r}.")
    found = list(units)
    missing = [unit for unit in found if unit not in table]
    if missing:
        raise ValueError(
            f"{len(missing)} of {len(found)} {name} are not in the table of "
            f"{len(table)}; the first is {missing[0]!r}."
        )
    return found
