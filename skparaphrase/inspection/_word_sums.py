"""Contributions of words to what is computed from the vector of a text."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase._math import unit_vectors
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.encoders._base import AveragingEncoder, text_vectors
from skparaphrase.inspection._pipelines import flat_steps, has_words
from skparaphrase.pairs import LastAxis
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors._pooling import token_shares, weighted_tokens

#: A vector, and the vector of each word.
Sum = tuple[NDArray[np.float64], NDArray[np.float64]]
Function = Callable[[Any], Any]

_TOLERANCE = 1e-4  # relative error of sums that are computed in single precision


def clean(steps: list[Any], text: Any, name: str) -> str:
    """The text after steps that clean texts."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a text; got {type(text).__name__}.")
    texts = np.array([text], dtype=object)
    for step in steps:
        texts = step.transform(texts)
    return str(texts[0])


def split_words(encoder: Any, text: str) -> list[str]:
    """The words of a text as the encoder splits them."""
    tokenizer = encoder._tokenizer() if has_words(encoder) else WordTokenizer()
    return list(tokenizer(text))


def read_words(encoder: Any, text: str, name: str) -> list[str]:
    """The words of a text as the encoder splits them; an error if there are none."""
    if not (words := split_words(encoder, text)):
        raise ValueError(f"{name} has no words: {text!r}.")
    return words


def without_each(words: Sequence[str]) -> list[str]:
    """The text of all words, then those without one of them."""
    shortened = ([*words[:i], *words[i + 1 :]] for i in range(len(words)))
    return [*map(" ".join, (words, *shortened))]


def step_functions(steps: Iterable[Any]) -> list[Function]:
    """The functions of steps; removing components and scaling are two functions."""
    functions: list[Function] = []
    for step in steps:
        if isinstance(step, LastAxis):  # Here the vectors are rows already.
            functions += step_functions(flat_steps(step.transformer_))
        elif isinstance(step, CommonComponentRemoval) and step.norm is not None:
            functions += [copy(step).set_params(norm=None).transform, unit_vectors]
        else:
            functions.append(step.transform)
    return functions


def word_sum(
    encoder: Any,
    text: str,
    words: list[str],
    functions: Iterable[Function],
    *,
    is_inside: bool = False,
) -> Sum | None:
    """Write what functions make of the vector of a text as a sum over its words.

    Parameters
    ----------
    encoder : transformer of texts
    text : str
    words : list of str
        Of the text.
    functions : iterable of callable
        Each takes the rows that the one before returns, first vectors of texts.
    is_inside : bool, default=False
        Whether the encoder is that of a supervised model, whose head reads vectors
        before `norm`.

    Returns
    -------
    sum : (ndarray of shape (n_outputs,), ndarray of shape (n_words, n_outputs)) or None
        What the functions give for a text without words, and the contribution of each
        word, which together are what they give for the text. None if the encoder does
        not add vectors of words, or if a function is neither affine nor scales vectors.
    """
    embed = partial(text_vectors, encoder) if is_inside else encoder.transform
    whole = dense(embed([text]))
    parts = _word_vectors(encoder, words)
    return extend_sum((np.zeros(whole.shape[1]), parts), whole, functions)


def extend_sum(
    sums: Sum, whole: NDArray[np.float64], functions: Iterable[Function]
) -> Sum | None:
    """The sum that functions make of a sum, which is `whole` up to a scale, or None."""
    extended: Sum | None = sums
    for function in (lambda rows: np.vstack([whole, rows[1:]]), *functions):
        if extended is not None:
            extended = _add(function, *extended)
    return extended


def _word_vectors(encoder: Any, words: list[str]) -> NDArray[np.float64]:
    """The vector of each word of a text, as its encoder would add them."""
    if not isinstance(encoder, (AveragingEncoder, ParaphraseEncoder)):
        return dense(encoder.transform(words))
    table, weights = encoder._static_parts()
    unknown = getattr(encoder, "unknown_weight_", 1.0)
    batch = table.encode(words, encoder._tokenizer())  # compounds have several vectors
    rows = weighted_tokens(table, batch, weights, unknown).astype(np.float64)
    rows *= token_shares(rows, batch.ids, encoder.pooling)[:, np.newaxis]
    owners = np.repeat(np.arange(len(words)), batch.lengths)
    sums = np.zeros((len(words), rows.shape[1]))
    np.add.at(sums, owners, rows)
    return sums


def _add(
    function: Function, base: NDArray[np.float64], parts: NDArray[np.float64]
) -> Sum | None:
    """The sum that a function makes of a sum, or None; see :func:`word_sum`."""
    whole = base + parts.sum(axis=0)
    images = dense(function(np.vstack([whole, base, base + parts])))
    image, new_base, new_parts = images[0], images[1], images[2:] - images[1]
    if _are_equal(image, new_base, new_parts):
        return new_base, new_parts
    if image.shape == whole.shape:  # The function may scale, as a Normalizer does.
        scale = image @ whole / (whole @ whole or 1.0)
        if _are_equal(image, scale * base, scale * parts):
            return scale * base, scale * parts
    return None


def _are_equal(
    whole: NDArray[np.float64], base: NDArray[np.float64], parts: NDArray[np.float64]
) -> bool:
    error = np.abs(whole - base - parts.sum(axis=0)).max(initial=0)
    largest = max(np.abs(x).max(initial=0) for x in (whole, base, parts))
    return bool(error <= _TOLERANCE * largest)


def dense(rows: Any) -> NDArray[np.float64]:
    """Rows as a dense array in double precision."""
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, np.float64)
