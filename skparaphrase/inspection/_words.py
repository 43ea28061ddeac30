"""Nearest texts, and weights of the words of a table."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from skparaphrase._compat import check_int
from skparaphrase._frames import encodable
from skparaphrase._lazy import import_for
from skparaphrase._math import unit_vectors
from skparaphrase._nearest import nearest
from skparaphrase._typing import Encoder, Texts
from skparaphrase.inspection._pipelines import (
    find_encoder,
    find_table,
    find_transformer,
    has_words,
    transform_texts,
)
from skparaphrase.text._check import check_single_texts
from skparaphrase.vectors import WordFrequencies, WordVectors
from skparaphrase.vectors._frequencies import load_word_frequencies

if TYPE_CHECKING:
    from pandas import DataFrame


def nearest_texts(
    encoder: Encoder,
    queries: Texts,
    candidates: Texts | None = None,
    k: int = 5,
) -> DataFrame:
    """Find the texts whose vectors have the highest cosines with each query's vector.

    Table 8 of Wieting et al. (2016) shows such neighbours of words, tables 8 and 9 of
    the Charagram paper of bigrams and words. For n-grams, as in its table 10, use
    :func:`~skparaphrase.vectors.nearest_words` with the encoder's `vectors_`.

    Parameters
    ----------
    encoder : estimator
        A fitted encoder, or a pipeline or search that begins with one. Steps that turn
        pairs into similarities are ignored.
    queries : array-like of str of shape (n_queries,)
        Words, phrases or sentences.
    candidates : array-like of str of shape (n_candidates,), default=None
        Texts to choose from. None uses all words of the table of a word encoder.
    k : int, default=5
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
    >>> from skparaphrase.inspection import nearest_texts
    >>> nearest_texts(AverageEncoder(), ["cat", "not bad"], k=2).round(2)
         query  rank neighbor  similarity
    0      cat     1     cats        ...
    """
    pandas = import_for("nearest_texts", "pandas", "pandas")
    k = check_int(k, "k")
    transformer = find_transformer(encoder)
    asked = check_single_texts(queries, "queries")
    if candidates is None:
        first = find_encoder(encoder)
        if not has_words(first):
            name = type(first).__name__
            raise TypeError(f"{name} has no table of words; pass candidates=.")
        table = find_table(first)
        candidates = [word for word in table.words if word != table.unknown]
    distinct = pandas.unique(check_single_texts(candidates, "candidates"))
    asked_units, units = (
        unit_vectors(transform_texts(transformer, texts).astype(np.float32, copy=False))
        for texts in (asked, distinct)
    )
    # One more, which may be the query
    query, row, cosine = nearest(asked_units, units, k + 1)
    differs = asked[query] != distinct[row]
    query, row, cosine = query[differs], row[differs], cosine[differs]
    rank = np.arange(len(query)) - np.searchsorted(query, query)
    columns = {"query": encodable(pandas.Series, asked[query]), "rank": rank + 1}
    columns["neighbor"] = encodable(pandas.Series, distinct[row])
    columns["similarity"] = cosine
    return pandas.DataFrame(columns)[rank < k].reset_index(drop=True)


def token_weights(
    encoder: Encoder | WordVectors,
    frequencies: WordFrequencies | Mapping[str, int] | None = None,
    *,
    a: float = 1e-3,
) -> DataFrame:
    """Length of each vector of a table, and frequency of its word.

    A long vector has more weight in an average. Wieting et al. (2016, section 6) find
    that training lengthens the vectors of content words and shortens others. To plot
    the weights: ``token_weights(encoder).plot.scatter("frequency", "l2", logx=True)``.

    Parameters
    ----------
    encoder : estimator or WordVectors
        A fitted encoder that has a table of words, n-grams or characters, a pipeline or
        search that begins with one, or the table itself.
    frequencies : WordFrequencies or mapping of str to int, default=None
        Counts of the words (or n-grams). None uses the bundled counts of English
        Wikipedia for words, and no counts for n-grams.
    a : float, default=1e-3
        Parameter of the SIF weights.

    Returns
    -------
    weights : DataFrame of n_words rows
        Indexed by the words in the order of the table; NaN where a value is unknown.

        - "l1", "l2": sum of absolute components (the paper's measure) and Euclidean
          length, multiplied by `weights_` if the encoder has it.
        - "count", "frequency": number of occurrences, and their share p of the corpus.
        - "sif": a / (a + p).

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParaphraseEncoder
    >>> from skparaphrase.inspection import token_weights
    >>> encoder = ParaphraseEncoder(max_epochs=2, random_state=0)
    >>> weights = token_weights(encoder.fit(load_paraphrases().data))
    >>> bool(weights.loc["the", "l1"] < weights.loc["cat", "l1"])
    True
    """
    pandas = import_for("token_weights", "pandas", "pandas")
    table = find_table(encoder)
    first = find_encoder(encoder)
    matrix = table.rows()
    weights = np.abs(getattr(first, "weights_", 1.0))
    l1 = weights * np.abs(matrix).sum(axis=1, dtype=np.float64)
    l2 = weights * np.linalg.norm(matrix, axis=1).astype(np.float64)
    count = share = np.full(len(table), np.nan)
    if frequencies is None and (first is table or has_words(first)):
        frequencies = load_word_frequencies()
    if frequencies is not None:
        counts = WordFrequencies.check(frequencies)
        count = np.array([counts.get(word, 0) for word in table.words], np.float64)
        share = counts.probabilities(table.words)
    columns = {"l1": l1, "l2": l2, "count": count, "frequency": share}
    columns["sif"] = a / (a + share)
    index = encodable(pandas.Index, table.words, name="token")
    return pandas.DataFrame(columns, index=index)
