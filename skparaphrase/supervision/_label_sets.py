"""Several labels of a text, each of which is present or absent."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit

from skparaphrase.supervision._targets import Samples, Targets
from skparaphrase.text import describe

_HINT = "MultiLabelBinarizer().fit_transform(y) encodes lists of labels."


class LabelSets(Targets):
    """Columns of 0 and 1, one for each label; names or indices are the outputs."""

    default_loss, metric = "binary_cross_entropy", "accuracy of the sets of labels"

    @staticmethod
    def matches(y: Any) -> bool:
        """Whether `y` has several columns, or lists of labels, which are refused."""
        rows = y if hasattr(y, "shape") else np.array(y, dtype=object)
        if len(rows.shape) != 1:
            return len(rows.shape) > 1 and rows.shape[1] > 1
        return any(isinstance(row, (list, tuple, set, frozenset)) for row in rows)

    @staticmethod
    def read(y: Any, texts: object = None) -> NDArray[np.int8]:
        """An indicator matrix as an array."""
        if sparse.issparse(y):
            y = y.toarray()
        rows = np.asarray(y) if hasattr(y, "shape") else np.array(y, dtype=object)
        if rows.ndim != 2 or rows.shape[1] < 2:
            raise ValueError(
                "y must be an indicator of several labels, shape (n_samples, "
                f"n_labels); got shape {rows.shape}. {_HINT}"
            )
        wrong = np.argwhere(~np.isin(rows, (0, 1)))
        if len(wrong):
            row, column = wrong[0].tolist()
            raise ValueError(
                "y of several labels must hold 0 and 1; "
                f"y[{row}, {column}] is {describe(rows[row].tolist()[column])}. {_HINT}"
            )
        return rows.astype(np.int8)

    @classmethod
    def fit(cls, samples: Samples, levels: ArrayLike | None = None) -> Self:
        """The names of the columns, by default their indices."""
        indices = np.arange(samples.targets.shape[1])
        return cls(indices if levels is None else np.asarray(levels))

    def check(self, samples: Samples) -> None:
        """Raise if there are more or fewer labels."""
        n_labels = samples.targets.shape[1]
        if n_labels != self.n_outputs:
            raise ValueError(
                f"y has {n_labels} labels, but training started with "
                f"{self.n_outputs}. Fit a clone to start again."
            )

    check_validation = check

    def distributions(self, targets: NDArray[Any]) -> NDArray[Any]:
        """The probability of each label, 0 or 1."""
        return targets.astype(np.float64)

    def probabilities(self, logits: NDArray[np.floating]) -> NDArray[np.floating]:
        """Of each label, independent of the others."""
        return expit(logits)

    def decode(self, probabilities: NDArray[Any]) -> NDArray[np.intp]:
        """The labels that are more probable than not."""
        return (probabilities > 0.5).astype(np.intp)
