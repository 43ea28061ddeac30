"""Nearest texts, and nearest rows of a table of vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.encoders._base import WordEncoder
from skparaphrase.inspection._estimators import (
    find_encoder,
    find_table,
    text_transformer,
    transform_texts,
)
from skparaphrase.inspection._optional import import_pandas
from skparaphrase.text import check_texts, unique_texts
from skparaphrase.vectors import WordVectors

_BLOCK = 8192  # candidates looked at together
_QUERIES = 1024  # queries held against them


def neighbors(
    encoder: Any, queries: Any, candidates: Any = None, n_neighbors: int = 5
) -> Any:
    """The texts whose vectors are most similar to those of some texts, by cosine.

    Table 8 of Wieting et al. (2016), among the 10,000 most frequent words; tables 8
    and 9 of the Charagram paper, among bigrams and words. For n-grams, whose vectors
    are not those of texts, see :func:`nearest_units`.

    Parameters
    ----------
    encoder : estimator
        A fitted encoder, or a pipeline or search that begins with one; steps that turn
        pairs into similarities are left out.

    queries : array-like of str of shape (n_queries,)
        Words, phrases or sentences.

    candidates : array-like of str of shape (n_candidates,), default=None
        Texts to choose from. None takes all words of the table of a word encoder.

    n_neighbors : int, default=5
        A text is no neighbour of its own string.

    Returns
    -------
    neighbors : DataFrame
        Columns "query", "rank" (from 1), "neighbor" and "similarity", most similar
        first. Fewer rows than `n_neighbors` a query where the candidates do not
        suffice.

    Raises
    ------
    TypeError
        If `candidates` is None and the encoder has no table of words.

    Notes
    -----
    Candidates are embedded block by block: memory does not grow with their number.

    Examples
    --------
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.inspection import neighbors
    >>> neighbors(AverageEncoder(), ["cat", "not bad"], n_neighbors=2).round(2)
         query  rank neighbor  similarity
    0      cat     1     cats        ...
    """
    pandas = import_pandas("neighbors")
    _check_n_neighbors(n_neighbors)
    transformer = text_transformer(encoder)
    if candidates is None:
        if not isinstance(find_encoder(encoder), WordEncoder):
            raise TypeError(
                f"{type(find_encoder(encoder)).__name__} has no table of words to "
                "choose neighbours from; give candidates=."
            )
        table = find_table(encoder)
        chosen = [word for word in table.words if word != table.unknown]
    else:
        chosen, _ = unique_texts(_check_sentences(candidates, "candidates"))
    texts = _check_sentences(queries, "queries")

    def blocks() -> Iterator[NDArray[np.floating]]:
        for start in range(0, len(chosen), _BLOCK):
            block = np.array(chosen[start : start + _BLOCK], dtype=object)
            yield transform_texts(transformer, block)

    return _frame(
        pandas,
        texts.tolist(),
        chosen,
        *_nearest(
            transform_texts(transformer, texts),
            blocks(),
            _positions(texts.tolist(), chosen),
            n_neighbors,
        ),
    )


def nearest_units(
    encoder: Any,
    units: Iterable[str],
    candidates: Iterable[str] | None = None,
    n_neighbors: int = 5,
) -> Any:
    """The rows of an encoder's table that are most similar to some rows, by cosine.

    Table 10 of the Charagram paper: neighbours of n-grams.

    Parameters
    ----------
    encoder : estimator or WordVectors
        A fitted encoder that has a table of words, n-grams or characters, a pipeline or
        search that begins with one, or the table itself.

    units : sequence of str
        Words, n-grams or characters of the table, as it writes them.

    candidates : sequence of str, default=None
        Units of the table to choose from. None takes all.

    n_neighbors : int, default=5
        A unit is no neighbour of its own.

    Returns
    -------
    neighbors : DataFrame
        As of :func:`neighbors`.

    Raises
    ------
    ValueError
        If the table lacks a unit.

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
    pandas = import_pandas("nearest_units")
    _check_n_neighbors(n_neighbors)
    table = find_table(encoder)
    asked = _check_units(units, table, "units")
    chosen: Sequence[str] = table.words
    rows = np.arange(len(table))
    if candidates is not None:
        chosen = list(dict.fromkeys(_check_units(candidates, table, "candidates")))
        rows = _rows(chosen, table)
    blocks = (
        table.rows(rows[start : start + _BLOCK])
        for start in range(0, len(rows), _BLOCK)
    )
    found = _nearest(
        table.rows(_rows(asked, table)), blocks, _positions(asked, chosen), n_neighbors
    )
    return _frame(pandas, asked, chosen, *found)


def _nearest(
    queries: NDArray[np.floating],
    blocks: Iterable[NDArray[np.floating]],
    own: NDArray[np.intp],
    n: int,
) -> tuple[NDArray[np.floating], NDArray[np.intp]]:
    """Cosines and positions of the `n` best candidates, shape (n_queries, <= n).

    Parameters
    ----------
    queries : ndarray of shape (n_queries, dim)
    blocks : iterable of ndarray of shape (n_block, dim)
        The vectors of the candidates.
    own : ndarray of shape (n_queries,)
        The candidate to leave out, -1 for none; its cosine is -inf, if it is among the
        last.
    n : int
    """
    queries = _unit(queries)
    best = np.empty((len(queries), 0), dtype=queries.dtype)
    where = np.empty((len(queries), 0), dtype=np.intp)
    start = 0
    for block in blocks:
        block = _unit(block)
        stop = start + len(block)
        size = min(n, best.shape[1] + len(block))
        new_best = np.empty((len(queries), size), dtype=queries.dtype)
        new_where = np.empty((len(queries), size), dtype=np.intp)
        for first in range(0, len(queries), _QUERIES):
            part = slice(first, first + _QUERIES)
            cosines = queries[part] @ block.T
            inside = np.flatnonzero((own[part] >= start) & (own[part] < stop))
            cosines[inside, own[part][inside] - start] = -np.inf
            scores = np.concatenate([best[part], cosines], axis=1)
            positions = np.argpartition(-scores, size - 1, axis=1)[:, :size]
            positions.sort(axis=1)  # so that ties come in order
            kept = np.take_along_axis(scores, positions, axis=1)
            order = np.argsort(-kept, axis=1, kind="stable")
            positions = np.take_along_axis(positions, order, axis=1)
            new_best[part] = np.take_along_axis(kept, order, axis=1)
            old = best.shape[1]
            new_where[part] = positions - old + start
            if old:
                earlier = np.take_along_axis(
                    where[part], np.minimum(positions, old - 1), axis=1
                )
                new_where[part] = np.where(positions < old, earlier, new_where[part])
        best, where, start = new_best, new_where, stop
    return best, where


def _unit(vectors: NDArray[np.floating]) -> NDArray[np.floating]:
    """Vectors of length 1, or 0."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)


def _frame(
    pandas: Any,
    queries: Sequence[str],
    candidates: Sequence[str],
    similarities: NDArray[np.floating],
    positions: NDArray[np.intp],
) -> Any:
    query, rank = np.nonzero(similarities > -np.inf)
    columns = {
        "query": [queries[i] for i in query.tolist()],
        "rank": rank + 1,
        "neighbor": [candidates[i] for i in positions[query, rank].tolist()],
        "similarity": similarities[query, rank],
    }
    return pandas.DataFrame(columns)


def _positions(asked: Sequence[str], candidates: Sequence[str]) -> NDArray[np.intp]:
    """Where each string stands among the candidates, or -1."""
    wanted = set(asked)
    index = {text: i for i, text in enumerate(candidates) if text in wanted}
    return np.fromiter((index.get(text, -1) for text in asked), np.intp, len(asked))


def _rows(units: Sequence[str], table: WordVectors) -> NDArray[np.intp]:
    return np.fromiter(map(table.index.__getitem__, units), np.intp, len(units))


def _check_units(units: Iterable[str], table: WordVectors, name: str) -> list[str]:
    if isinstance(units, str):
        raise TypeError(f"{name} must be several str; got one. Put it in a list.")
    found = list(units)
    lacking = [unit for unit in found if unit not in table]
    if lacking:
        raise ValueError(
            f"{len(lacking)} of {len(found)} {name} are not in the table of "
            f"{len(table)}; the first is {lacking[0]!r}."
        )
    return found


def _check_sentences(texts: Any, name: str) -> NDArray[np.object_]:
    checked = check_texts(texts)
    if checked.ndim != 1:
        raise ValueError(
            f"{name} must be texts of shape (n_texts,); got pairs of shape "
            f"{checked.shape}."
        )
    return checked


def _check_n_neighbors(n_neighbors: Any) -> None:
    if not isinstance(n_neighbors, (int, np.integer)) or n_neighbors < 1:
        raise ValueError(
            f"n_neighbors must be a whole number of at least 1; got {n_neighbors!r}."
        )
