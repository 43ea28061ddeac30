"""InfoNCE: finding the partner among the texts of the batch."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from skparaphrase._compat import Interval
from skparaphrase._estimator import store_parameters
from skparaphrase._lazy import networks, torch, training
from skparaphrase.losses._base import Loss

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 1024  # texts whose cosines with all others are in memory at a time


class InfoNCELoss(Loss):
    """Cross-entropy of finding the partner in the batch, averaged over both directions.

    Not in the papers; van den Oord et al. (2018). The first text of each pair is
    classified among all second texts of the batch, and the second among the first.

    Parameters
    ----------
    temperature : float, default=0.1
        Divides the cosines.
    mask_identical : bool, default=False
        Exclude candidates whose string equals the text or its partner.

    References
    ----------
    A. van den Oord, Y. Li, O. Vinyals, "Representation Learning with Contrastive
    Predictive Coding", 2018.
    """

    _is_contrastive = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "mask_identical": ["boolean"],
    }

    def __init__(
        self, temperature: float = 0.1, *, mask_identical: bool = False
    ) -> None:
        store_parameters(self, locals())

    def compute(self, unit: "Tensor", batch: "training.LossBatch") -> "Tensor":
        """The mean loss of a pair; see :meth:`Loss.compute`.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch

        Returns
        -------
        loss : Tensor, a scalar
        """
        texts = batch.identities if self.mask_identical else None
        return _infonce(unit, texts, self.temperature)


def _infonce(
    unit: "Tensor", texts: NDArray[np.integer] | None, temperature: float
) -> "Tensor":
    """Cross-entropy in both directions, one block of rows of the cosines at a time.

    Only the log-sum-exp of every row and column is kept for the gradient: at a batch
    size of 8,192 it takes 134 MB, the whole matrix 1,074 MB. The gradient is computed
    at once, and given to autograd as that of a product which adds nothing to the loss.
    """
    vectors = unit.detach()
    n_pairs = len(unit) // 2
    of_rows = unit.new_empty(n_pairs)
    of_columns = unit.new_full((n_pairs,), -torch.inf)
    own = unit.new_empty(n_pairs)
    for rows in gen_batches(n_pairs, BLOCK):
        by_row, by_column = _logits(vectors, rows, temperature, texts)
        of_rows[rows] = by_row.logsumexp(dim=1)
        of_columns = of_columns.logaddexp(by_column.logsumexp(dim=0))
        own[rows] = by_row.diagonal(rows.start)
    loss = (of_rows + of_columns - 2 * own).sum() / (2 * n_pairs)
    if not unit.requires_grad:
        return loss
    gradient = torch.zeros_like(vectors)
    one, other = vectors.view(-1, 2, unit.shape[1]).unbind(dim=1)
    of_one, of_other = gradient.view(-1, 2, unit.shape[1]).unbind(dim=1)
    for rows in gen_batches(n_pairs, BLOCK):
        by_row, by_column = _logits(vectors, rows, temperature, texts)
        shares = (by_row - of_rows[rows, None]).exp_()
        shares += (by_column - of_columns).exp_()
        shares.diagonal(rows.start).sub_(2)
        shares *= unit.new_ones(()) / (len(unit) * temperature)
        of_one[rows] = shares @ other
        of_other += shares.T @ one[rows]
    product = (unit * gradient).sum()
    return loss + (product - product.detach())


def _logits(
    unit: "Tensor", rows: slice, temperature: float, texts: NDArray[np.integer] | None
) -> "tuple[Tensor, Tensor]":
    """Cosines of some first texts with all second texts, divided by the temperature.

    Returned twice: as candidates of the first texts, and of the second texts. Where
    `texts` excludes a candidate, its logit is -inf.
    """
    one, other = unit.view(-1, 2, unit.shape[1]).unbind(dim=1)
    logits = one[rows] @ other.T / temperature
    if texts is None:
        return logits, logits
    first, second = texts[0::2], texts[1::2]
    firsts, seconds = first[rows, None], second[rows, None]
    own = np.arange(rows.start, rows.stop)[:, None] == np.arange(len(first))
    by_row, by_column = (
        logits.masked_fill(networks.to_device(same & ~own, unit.device), -torch.inf)
        for same in (
            (second == seconds) | (second == firsts),
            (firsts == first) | (firsts == second),
        )
    )
    return by_row, by_column
