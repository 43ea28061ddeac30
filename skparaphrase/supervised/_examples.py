"""Texts with targets and weights: what supervised training learns from."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import check_consistent_length

from skparaphrase._compat import check_sample_weight
from skparaphrase.text import check_texts


@dataclass(frozen=True)
class Examples:
    """Texts of shape (n_samples,) or (n_samples, 2), and what is wanted of each.

    Attributes
    ----------
    texts : ndarray of shape (n_samples,) or (n_samples, 2), dtype object
    targets : ndarray of shape (n_samples,)
    weights : ndarray of shape (n_samples,), or None
        None: all weigh the same.
    """

    texts: NDArray[np.object_]
    targets: NDArray[Any]
    weights: NDArray[np.float64] | None

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, chosen: NDArray[Any]) -> "Examples":
        """Some examples, by numbers or by a mask."""
        weights = None if self.weights is None else self.weights[chosen]
        return Examples(self.texts[chosen], self.targets[chosen], weights)

    def weighed(self, factors: NDArray[np.float64]) -> "Examples":
        """The same with weights multiplied by factors."""
        weights = factors if self.weights is None else self.weights * factors
        return Examples(self.texts, self.targets, weights)

    def mean_one(self) -> NDArray[np.float32] | None:
        """The weights, divided by their mean."""
        if self.weights is None:
            return None
        return (self.weights / self.weights.mean()).astype(np.float32)


def check_single_texts(X: Any) -> NDArray[np.object_]:
    """Texts of shape (n_texts,), not pairs."""
    texts = check_texts(X)
    if texts.ndim != 1:
        raise ValueError(
            f"Expected texts of shape (n_texts,); got pairs, shape {texts.shape}. "
            "PairClassifier takes pairs."
        )
    return texts


def check_not_empty(
    texts: NDArray[np.object_], y: Any, name: str, what: str = "X"
) -> None:
    """Raise if there are no texts, or if `y` is missing or of another length."""
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    if len(texts) == 0:
        raise ValueError(
            f"Found array with 0 sample(s) in {what} while a minimum of 1 is required "
            f"by {name}."
        )
    check_consistent_length(texts, y)


def check_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64] | None:
    """Weights of examples, checked.

    Raises
    ------
    ValueError
        For another length, for negative or infinite values, and where all are zero.
    """
    if sample_weight is None:
        return None
    weights: NDArray[np.float64] = check_sample_weight(
        sample_weight,
        np.empty((n_samples, 0)),
        dtype=np.float64,
        ensure_non_negative=True,
    )
    return weights


def split(
    examples: Examples,
    fraction: float,
    random_state: np.random.RandomState,
    *,
    stratify: bool,
) -> tuple[Examples, Examples]:
    """Examples to train on, and a random share of them to validate with."""
    train, held = train_test_split(
        np.arange(len(examples)),
        test_size=fraction,
        random_state=random_state,
        stratify=examples.targets if stratify else None,
    )
    return examples.take(np.sort(train)), examples.take(np.sort(held))
