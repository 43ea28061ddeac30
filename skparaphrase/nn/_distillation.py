"""Training on the vectors that a teacher gives texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor

from skparaphrase.nn._compositions import Composition
from skparaphrase.nn._losses import cosine_loss
from skparaphrase.nn._table import WordTable
from skparaphrase.nn._training import Trainer, TrainingOptions
from skparaphrase.nn._transfer import to_device


class DistillationTrainer(Trainer):
    """Trains word vectors and a composition to predict vectors of texts.

    An example is a text; :meth:`epochs` takes their numbers, of any shape.

    Parameters
    ----------
    composition, table, options, random_state
        As in :class:`Trainer`; what concerns margins and negatives is not used.

    targets : ndarray of shape (n_texts, dim), float32
        What to predict for each distinct text.
    """

    _together = 1

    def __init__(
        self,
        composition: Composition,
        table: WordTable,
        options: TrainingOptions,
        random_state: RandomState,
        targets: NDArray[np.float32],
    ) -> None:
        super().__init__(composition, table, options, random_state)
        self.targets = torch.from_numpy(targets).to(table.weight.device)

    def _shared(self) -> dict[str, Any]:
        return {**super()._shared(), "targets": self.targets}

    def _loss(
        self,
        leaf: Tensor,
        ids: Tensor,
        offsets: NDArray[np.int64],
        numbers: NDArray[np.integer],
    ) -> Tensor:
        chosen = to_device(numbers, self.targets.device)
        unit = self._embed(leaf, ids, offsets)
        return cosine_loss(unit, self.targets.index_select(0, chosen))
