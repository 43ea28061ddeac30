"""What a supervised model learns of each text or pair: the base of the kinds."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils import compute_sample_weight

from skparaphrase.supervision._examples import split_off
from skparaphrase.text import unique_texts


@dataclass(frozen=True)
class Samples:
    """Texts, or pairs, and what is to be learnt from each.

    Attributes
    ----------
    texts : ndarray of shape (n_samples,) or (n_samples, 2), dtype object
    targets : ndarray of shape (n_samples, ...)
    weights : ndarray of shape (n_samples,), or None for equal weights
        Of shape (n_samples, n_labels) once they are weighted by class, where a text has
        several labels.
    """

    texts: NDArray[np.object_]
    targets: NDArray[Any]
    weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def unique(self) -> tuple[list[str], NDArray[np.intp]]:
        """The distinct texts, and the index of each text among them."""
        return unique_texts(self.texts)

    def take(self, chosen: NDArray[Any]) -> "Samples":
        """Some samples, by row indices or a mask."""
        weights = None if self.weights is None else self.weights[chosen]
        return Samples(self.texts[chosen], self.targets[chosen], weights)

    def with_weight(self) -> "Samples":
        """The samples whose weights are not zero."""
        return self if self.weights is None else self.take(self.weights > 0)

    def weighted_by_class(self, class_weight: Mapping[Any, float] | str) -> "Samples":
        """The same with weights that are multiplied by those of labels.

        Where a text has several labels, each is a problem of two classes, 0 and 1.
        """
        if self.targets.ndim == 1:
            by_class = compute_sample_weight(class_weight, self.targets)
        else:
            columns = [compute_sample_weight(class_weight, y) for y in self.targets.T]
            by_class = np.column_stack(columns)
        if not (np.isfinite(by_class).all() and by_class.min() >= 0 < by_class.max()):
            raise ValueError(
                "class_weight must be finite, not negative, and positive for some "
                f"label of the examples; got {class_weight!r}."
            )
        weights = 1.0 if self.weights is None else self.weights
        return replace(self, weights=(weights * by_class.T).T)

    def normalized_weights(self) -> NDArray[np.float32] | None:
        """The weights, divided by their mean."""
        if self.weights is None:
            return None
        return (self.weights / self.weights.mean()).astype(np.float32)


Parts = tuple[Samples, Samples]


@dataclass(frozen=True)
class Targets(ABC):
    """Base class of what the outputs of a network mean.

    Parameters
    ----------
    outputs : ndarray of shape (n_outputs,)
        The level or the label that each output represents. A model keeps them as the
        fitted attribute that `attribute` names.
    """

    outputs: NDArray[Any]

    attribute: ClassVar[str] = "classes_"
    default_loss: ClassVar[str]  # of `training`
    metric: ClassVar[str]  # of validation, in messages

    @staticmethod
    @abstractmethod
    def read(y: ArrayLike, texts: NDArray[np.object_]) -> NDArray[Any]:
        """Check `y` alone, and return it as an array."""

    @classmethod
    @abstractmethod
    def fit(cls, samples: Samples, levels: ArrayLike | None = None) -> Self:
        """Find the outputs that samples need; `levels` are given ones, or names."""

    @abstractmethod
    def distributions(self, targets: NDArray[Any]) -> NDArray[Any]:
        """What :meth:`probabilities` should be, shape (n_samples, n_outputs)."""

    def probabilities(self, logits: NDArray[np.floating]) -> NDArray[np.floating]:
        """Probability of each output; by default, one of them is right."""
        return softmax(logits, axis=1)

    @abstractmethod
    def decode(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """Predictions, given the probabilities of the outputs."""

    def check(self, samples: Samples) -> None:
        """Raise if training on samples cannot resume with these outputs."""
        return  # any samples will do, by default

    def check_validation(self, samples: Samples) -> None:
        """Raise if samples cannot be used for validation."""
        return

    def split(self, samples: Samples, fraction: float, rng: RandomState) -> Parts:
        """Examples to train on, and a random share to validate on."""
        return split_off(samples, fraction, rng)

    @property
    def n_outputs(self) -> int:
        """Units of the last layer."""
        return len(self.outputs)
