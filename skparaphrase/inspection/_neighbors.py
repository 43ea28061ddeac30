"""Nearest texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral
from typing import Any

import numpy as np

from skparaphrase._compat import check_pandas_support
from skparaphrase._math import unit_vectors
from skparaphrase._nearest import nearest
from skparaphrase.inspection._estimators import (
    find_encoder,
    find_table,
    find_transformer,
    has_words,
    transform_texts,
)
from skparaphrase.text._check import check_single_texts


def neighbors(
    encoder: Any, queries: Any, candidates: Any = None, n_neighbors: int = 5
) -> Any:
    """Find the texts whose vectors have the highest cosine to those of the queries.

    Table 8 of Wieting et al. (2016) shows such neighbours of words, tables 8 and 9 of
    the Charagram paper of bigrams and words. For n-grams, as in its table 10, call
    :meth:`~skparaphrase.vectors.WordVectors.nearest` of the encoder's `vectors_`.

    Parameters
    ----------
    encoder : estimator
        A fitted encoder, or a pipeline or search that begins with one. Steps that turn
        pairs into similarities are ignored.
    queries : array-like of str of shape (n_queries,)
        Words, phrases or sentences.
    candidates : array-like of str of shape (n_candidates,), default=None
        Texts to choose from. None takes all words of the table of a word encoder.
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
    if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(
            f"n_neighbors must be an integer of at least 1; got {n_neighbors!r}."
        )
    transformer = find_transformer(encoder)
    asked = check_single_texts(queries, "queries")
    if candidates is None:
        found = find_encoder(encoder)
        if not has_words(found):
            name = type(found).__name__
            raise TypeError(f"{name} has no table of words; pass candidates=.")
        table = find_table(found)
        candidates = [word for word in table.words if word != table.unknown]
    chosen = pandas.unique(check_single_texts(candidates, "candidates"))
    units = [
        unit_vectors(transform_texts(transformer, texts).astype(np.float32, copy=False))
        for texts in (asked, chosen)
    ]
    query, row, cosine = nearest(*units, n_neighbors + 1)  # one may be the query
    other = asked[query] != chosen[row]
    query, row, cosine = query[other], row[other], cosine[other]
    rank = np.arange(len(query)) - np.searchsorted(query, query)
    kept = rank < n_neighbors
    columns = {"query": asked[query], "rank": rank + 1}
    columns |= {"neighbor": chosen[row], "similarity": cosine}
    return pandas.DataFrame(columns)[kept].reset_index(drop=True)
