"""The base of losses."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.base import BaseEstimator

from skparaphrase._estimator import DocumentedOnline
from skparaphrase._lazy import training

if TYPE_CHECKING:
    from torch import Tensor


class Loss(DocumentedOnline, BaseEstimator, ABC):
    """Base class of losses. A loss of your own defines :meth:`compute`.

    Parameters of `__init__` can be searched, as in `{"loss__margin": [0.4, 0.6]}`.

    Attributes
    ----------
    needs_targets : bool
        Class attribute. False: examples are paraphrase pairs. True: examples are texts
        with the vectors of a teacher, `fit(texts, vectors)`.
    """

    needs_targets: ClassVar[bool] = False
    _is_contrastive: ClassVar[bool] = False  # with a loss for equal vectors

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    @abstractmethod
    def compute(self, unit: "Tensor", batch: "training.LossBatch") -> "Tensor":
        """The mean loss of an example.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
            Vectors of length 1, or 0 for a text without tokens. The texts of pair `i`
            are in rows `2 * i` and `2 * i + 1`.
        batch : LossBatch
            With attributes `identities`, an ndarray of shape (n_texts,) with equal
            numbers for equal strings; `random_state`, the source of all random choices;
            and `targets`, a Tensor of shape (n_texts, dim) if the loss `needs_targets`.

        Returns
        -------
        loss : Tensor, a scalar
            Differentiable with respect to `unit`.
        """
