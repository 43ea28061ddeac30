"""Contributions of the columns of a table, and of the words in them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer

from skparaphrase.inspection._pipelines import (
    flat_steps,
    reads_texts,
    split_at_encoder,
)
from skparaphrase.inspection._word_sums import (
    Function,
    Sum,
    clean,
    dense,
    extend_sum,
    split_words,
    step_functions,
    word_sum,
)


def column_sums(
    transformer: ColumnTransformer, row: Any, functions: Iterable[Function]
) -> tuple[list[tuple[str, str]], Sum | None]:
    """Write what functions make of a row as a sum over its words and other columns.

    Returns the column and the word of each part, and the sum; see :func:`word_sum`. The
    word is empty where columns are one part: they are no texts, or their vectors are
    not sums of words.
    """
    whole = dense(transformer.transform(row))
    base = np.zeros(whole.shape[1])
    index: list[tuple[str, str]] = []
    parts: list[Any] = []
    for name, step, columns in transformer.transformers_:
        block = transformer.output_indices_[name]
        width = block.stop - block.start
        if not width:
            continue
        names = _names(transformer, columns)
        words, sums = [""], None
        if len(names) == 1 and any(map(reads_texts, flat_steps(step))):
            words, sums = _text_sum(flat_steps(step), row[names[0]].iloc[0])
        weight = (transformer.transformer_weights or {}).get(name, 1)
        if sums is not None:
            base[block] = weight * sums[0]
            added = weight * sums[1]
            index += [(names[0], word) for word in words]
        elif len(names) == width:  # one number for each column
            added = np.diag(whole[0, block])
            index += [(column, "") for column in names]
        else:
            added = whole[:, block]
            index.append((", ".join(names), ""))
        rows = np.zeros((len(added), len(base)))
        rows[:, block] = added
        parts.append(rows)
    return index, extend_sum((base, np.vstack(parts)), whole, functions)


def _text_sum(steps: list[Any], text: Any) -> tuple[list[str], Sum | None]:
    """The words of a text, and its vector as a sum over them."""
    before, encoder, after = split_at_encoder(steps)
    text = clean(before, text, "text")
    words = split_words(encoder, text)
    functions = step_functions(after)
    return words, word_sum(encoder, text, words, functions) if words else None


def _names(transformer: ColumnTransformer, columns: Any) -> list[str]:
    """The names of the columns of one of the transformers."""
    if isinstance(columns, str):
        return [columns]
    if not isinstance(columns, slice) and all(isinstance(c, str) for c in columns):
        return [*columns]
    return [*np.atleast_1d(transformer.feature_names_in_[columns])]
