"""Classes of texts and pairs, and tags of tokens."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase.supervision._examples import split_off
from skparaphrase.supervision._labels import check_labels
from skparaphrase.supervision._targets import Parts, Samples, Targets


class Classes(Targets):
    """Labels of any type; the distinct ones, sorted, are the outputs."""

    default_loss = "cross_entropy"

    @staticmethod
    def read(y: Any, texts: Any = None) -> NDArray[Any]:
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

    def split(self, samples: Samples, fraction: float, rng: Any) -> Parts:
        """Split so that both parts have about the same shares of the labels."""
        return split_off(samples, fraction, rng, stratify=samples.targets)


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

    def split(self, samples: Samples, fraction: float, rng: Any) -> Parts:
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
