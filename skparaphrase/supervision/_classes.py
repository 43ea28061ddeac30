"""Classes of texts and pairs, and tags of tokens."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Mapping, Set
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase.supervision._examples import split_off
from skparaphrase.supervision._labels import check_labels
from skparaphrase.supervision._targets import Parts, Samples, Targets
from skparaphrase.text import describe, is_missing


class Classes(Targets):
    """Labels of any type; the distinct ones, sorted, are the outputs."""

    default_loss, metric = "cross_entropy", "accuracy"

    @staticmethod
    def read(y: ArrayLike, texts: object = None) -> NDArray[Any]:
        """Labels as a vector."""
        return check_labels(y)

    @staticmethod
    def labels(targets: NDArray[Any]) -> NDArray[Any]:
        """The label of everything that gets one."""
        return targets

    @classmethod
    def fit(cls, samples: Samples, levels: ArrayLike | None = None) -> Self:
        """Find the labels."""
        labels = np.unique(cls.labels(samples.targets))
        if len(labels) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got "
                f"{len(labels)} class."
            )
        return cls(labels)

    def check(self, samples: Samples) -> None:
        """Raise if a label is new."""
        new = np.setdiff1d(self.labels(samples.targets), self.outputs)
        if len(new):
            raise ValueError(
                f"y contains the labels {new.tolist()}, but training started with "
                f"{self.outputs.tolist()}. Fit a clone to start again."
            )

    def check_validation(self, samples: Samples) -> None:
        """Raise if all labels are new."""
        if not np.isin(samples.targets, self.outputs).any():
            raise ValueError(
                f"y_val contains the labels {np.unique(samples.targets).tolist()}, "
                f"none of which occurs in y: {self.outputs.tolist()}."
            )

    def distributions(self, targets: NDArray[Any]) -> NDArray[Any]:
        """One-hot rows."""
        return np.eye(self.n_outputs)[np.searchsorted(self.outputs, targets)]

    def decode(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """The most probable label."""
        return self.outputs[probabilities.argmax(axis=1)]

    def split(self, samples: Samples, fraction: float, rng: RandomState) -> Parts:
        """Split so that both parts have about the same shares of the labels."""
        try:
            return split_off(samples, fraction, rng, stratify=samples.targets)
        except ValueError as error:
            raise ValueError(
                f"validation_fraction={fraction} cannot hold out every label: {error} "
                "Hold out more, drop labels of one example, or pass X_val and y_val."
            ) from error


class TokenTags(Classes):
    """Tags of the tokens of sentences; the targets of a sentence are an array."""

    @staticmethod
    def labels(targets: NDArray[Any]) -> NDArray[Any]:
        """The tags of all tokens, end to end."""
        tags: NDArray[Any] = np.concatenate(targets)
        check_classification_targets(tags)
        return tags

    def check_validation(self, samples: Samples) -> None:
        """Tags that are new count as errors."""

    def distributions(self, targets: NDArray[Any]) -> NDArray[np.intp]:
        """The output of each token's tag, end to end; the loss smooths them."""
        return np.searchsorted(self.outputs, np.concatenate(targets))

    def split(self, samples: Samples, fraction: float, rng: RandomState) -> Parts:
        """Split off a random share of the sentences."""
        order = rng.permutation(len(samples))
        n_held = max(round(fraction * len(order)), 1)
        if len(order) <= n_held:
            raise ValueError(
                f"validation_fraction={fraction} leaves none of {len(order)} sentences "
                "to train on."
            )
        held_out, kept = np.sort(order[:n_held]), np.sort(order[n_held:])
        return samples.take(kept), samples.take(held_out)


def check_sentences(X: object, name: str = "X") -> list[list[str]]:
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


def check_tags(y: object, sentences: list[list[str]], name: str = "y") -> NDArray[Any]:
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


def _check_rows(values: object, name: str, what: str) -> list[list[Any]]:
    """The tokens or tags of each sentence."""
    rows = _check_list(values, name, f"a list of {what} lists, one for each sentence")
    wanted, numbered = f"a list of {what}s", enumerate(rows)
    return [_check_list(row, f"{name}: sentence {i}", wanted) for i, row in numbered]


def _check_list(values: object, where: str, wanted: str) -> list[Any]:
    is_one = isinstance(values, (str, bytes, Mapping, Set))
    if is_one or not isinstance(values, Iterable):
        raise TypeError(f"{where} must be {wanted}; got {describe(values)}.")
    # Of Arrow, which iterates over scalars of its own.
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)
