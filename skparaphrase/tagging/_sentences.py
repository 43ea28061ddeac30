"""Token lists and tag lists: checks, and the numbers that networks read."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Mapping, Set
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from skparaphrase._lazy import networks
from skparaphrase.encoders import TrainedEncoder
from skparaphrase.text import TokenBatch
from skparaphrase.text._check import describe, is_missing


def check_sentences(X: Any, name: str = "X") -> list[list[str]]:
    """Sentences as lists of str; errors name the sentence and the token."""
    sentences = _check_rows(X, name, "token")
    for i, sentence in enumerate(sentences):
        for j, token in enumerate(sentence):
            if not isinstance(token, str):
                raise TypeError(
                    f"{name}: token {j} of sentence {i} is not a str: "
                    f"{describe(token)}."
                )
    return sentences


def check_tags(y: Any, sentences: list[list[str]], name: str = "y") -> NDArray[Any]:
    """The tags of all tokens, end to end, shape (n_tokens,)."""
    rows = _check_rows(y, name, "tag")
    check_consistent_length(sentences, rows)
    for i, (sentence, row) in enumerate(zip(sentences, rows, strict=True)):
        if len(sentence) != len(row):
            raise ValueError(
                f"Sentence {i} has {len(sentence)} tokens, but {name} {len(row)} tags."
            )
        for j, tag in enumerate(row):
            if is_missing(tag):
                raise ValueError(f"{name}: tag {j} of sentence {i} is missing.")
            if isinstance(tag, (list, tuple, np.ndarray)):
                raise TypeError(f"{name}: a token has one tag; got {describe(tag)}.")
    flat = list(chain.from_iterable(rows))
    if len({isinstance(tag, str) for tag in flat}) > 1:
        raise TypeError(f"{name} mixes tags that are str with tags that are not.")
    return np.asarray(flat)


def _check_rows(values: Any, name: str, what: str) -> list[list[Any]]:
    """The tokens or tags of each sentence."""
    rows = _check_list(values, name, f"a list of {what} lists, one for each sentence")
    return [
        _check_list(row, f"{name}: sentence {i}", f"a list of {what}s")
        for i, row in enumerate(rows)
    ]


def _check_list(values: Any, where: str, wanted: str) -> list[Any]:
    is_one = isinstance(values, (str, bytes, Mapping, Set))
    if is_one or not isinstance(values, Iterable):
        raise TypeError(f"{where} must be {wanted}; got {describe(values)}.")
    # Of Arrow, which iterates over scalars of its own.
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)


def encode_sentences(
    sentences: list[list[str]], encoder: TrainedEncoder, *, known_only: bool = False
) -> "networks.Sentences":
    """Numbers of distinct words, and what the encoder reads of each.

    With `known_only` no vectors are made for unknown words, as in training. Sentences
    without tokens are left out, which leaves the order of tokens.
    """
    numbers: dict[str, int] = {}
    ids = [
        numbers.setdefault(token, len(numbers))
        for token in chain.from_iterable(sentences)
    ]
    lengths = [len(sentence) for sentence in sentences if sentence]
    words = list(numbers)
    return networks.Sentences(
        encoder.vectors_.encode(words, encoder._tokenizer(), known_only=known_only),
        np.array([any(map(str.isupper, word)) for word in words], dtype=np.float32),
        TokenBatch(
            np.array(ids, dtype=np.int32),
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
        ),
    )


def split_rows(flat: NDArray[Any], sentences: list[list[str]]) -> list[NDArray[Any]]:
    """Rows of tokens, sentence by sentence."""
    ends = np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)
    return np.split(flat, ends[:-1]) if sentences else []
