"""Learning the vectors of a teacher."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import TYPE_CHECKING

from skparaphrase._lazy import training
from skparaphrase.losses._base import Loss

if TYPE_CHECKING:
    from torch import Tensor


class DistillationLoss(Loss):
    """Mean of 1 - cosine between the vectors of texts and those of a teacher.

    The encoder is fitted with `fit(texts, vectors)`.
    """

    needs_targets = True

    def compute(self, unit: "Tensor", batch: "training.LossBatch") -> "Tensor":
        """The mean loss of a text; see :meth:`Loss.compute`.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch
            Its `targets` are the teacher's unit vectors.

        Returns
        -------
        loss : Tensor, a scalar
        """
        assert batch.targets is not None
        return 1 - (unit * batch.targets).sum() / len(unit)
