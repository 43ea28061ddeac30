"""Tags of the tokens of sentences."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Mapping, Set
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase.supervision._examples import Examples
from skparaphrase.supervision._targets import Classes
from skparaphrase.text._check import describe, is_missing, unique_texts


class TokenTags(Classes):
    """Tags of the tokens of sentences; each sentence has an array of tags."""

    @staticmethod
    def labels(targets: NDArray[Any]) -> NDArray[Any]:
        """The tags of all tokens, end to end."""
        tags: NDArray[Any] = np.concatenate(targets)
        check_classification_targets(tags)
        return tags

    def check_validation(self, examples: Examples) -> None:
        """New tags count as errors."""

    def distributions(self, targets: NDArray[Any]) -> NDArray[np.intp]:
        """The outputs of the tags of all tokens, end to end; the loss smooths them."""
        return np.searchsorted(self.outputs, np.concatenate(targets))

    def strata(self, examples: Examples) -> None:
        """Labels to stratify by: none, because sentences have many tags."""

    def links(self, examples: Examples) -> NDArray[np.intp]:
        """Equal sentences stay together."""
        joined = np.array(["\n".join(tokens) for tokens in examples.texts], object)
        _, indices = unique_texts(joined)
        return indices[:, np.newaxis]

    def check_split(self, train: Examples, held_out: Examples, fraction: float) -> None:
        """Do nothing: sentences are left to train on, and tags may be new."""


def check_sentences(X: object, name: str = "X") -> list[list[str]]:
    """Check sentences as lists of str; errors name the sentence and the token."""
    sentences = _check_rows(X, name, "token")
    for i, sentence in enumerate(sentences):
        for j, token in enumerate(sentence):
            if not isinstance(token, str):
                raise TypeError(
                    f"{name}: token {j} of sentence {i} is not a str: "
                    f"{describe(token)}."
                )
    return sentences


def check_tags(y: object, sentences: list[list[str]], name: str = "y") -> NDArray[Any]:
    """The tags of all tokens, end to end, shape (n_tokens,)."""
    rows = _check_rows(y, name, "tag")
    check_consistent_length(sentences, rows)
    for i, (sentence, row) in enumerate(zip(sentences, rows, strict=True)):
        if len(sentence) != len(row):
            raise ValueError(
                f"Sentence {i} has {len(sentence)} tokens, but {len(row)} tags "
                f"in {name}."
            )
        for j, tag in enumerate(row):
            if is_missing(tag):
                raise ValueError(f"{name}: tag {j} of sentence {i} is missing.")
            if isinstance(tag, (list, tuple, np.ndarray)):
                raise TypeError(f"{name}: tokens have one tag; got {describe(tag)}.")
    flat = list(chain.from_iterable(rows))
    if len({isinstance(tag, str) for tag in flat}) > 1:
        raise TypeError(f"{name} mixes tags that are str with tags that are not.")
    return np.asarray(flat)


def _check_rows(values: object, name: str, what: str) -> list[list[Any]]:
    """The tokens or tags of each sentence."""
    rows = _check_list(values, name, f"a list of {what} lists, one for each sentence")
    wanted, numbered = f"a list of {what}s", enumerate(rows)
    return [_check_list(row, f"{name}: sentence {i}", wanted) for i, row in numbered]


def _check_list(values: object, where: str, wanted: str) -> list[Any]:
    is_one = isinstance(values, (str, bytes, Mapping, Set))
    if is_one or not isinstance(values, Iterable):
        raise TypeError(f"{where} must be {wanted}; got {describe(values)}.")
    # Arrow iterates over its own scalars.
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)
