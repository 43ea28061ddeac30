"""Trainable word vectors, averages of their rows, and transfers to the device."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from skparaphrase import _core
from skparaphrase._threads import in_worker

Ints = NDArray[Any]  # integers of any size
Matrix = NDArray[np.float32]

# Devices to which page-locked memory is copied asynchronously. A copy from ordinary
# memory waits for all queued work.
_PINNED = ("cuda",)


def resolve_device(device: str) -> torch.device:
    """The device for a name.

    "auto" is CUDA if available, except in a worker of joblib or Dask, because several
    workers would fill the memory of a GPU.
    """
    if device == "auto":
        available = torch.cuda.is_available() and not in_worker()
        device = "cuda" if available else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(f"device={device!r}, but torch finds no CUDA device here.")
    try:
        return torch.device(device)
    except RuntimeError:
        raise ValueError(
            "device must be 'auto', 'cpu', 'cuda' or another device of torch; "
            f"got {device!r}."
        ) from None


def to_device(array: NDArray[Any], device: torch.device) -> Tensor:
    """A small array as a tensor; on a CPU they share memory."""
    host = torch.from_numpy(array)
    if device.type == "cpu":
        return host
    if device.type in _PINNED:
        return host.pin_memory().to(device, non_blocking=True)
    return host.to(device)


def gather_rows(source: Tensor, rows: Tensor) -> Tensor:
    """Copy some rows."""
    if source.device.type != "cpu" or torch.get_num_threads() > 1:
        return source.index_select(0, rows)
    # NumPy copies whole rows, but in one thread.
    return torch.from_numpy(source.numpy().take(rows.numpy(), axis=0))


@dataclass(frozen=True)
class UsedRows:
    """The rows of a table that a batch uses, independent of their values.

    Attributes
    ----------
    rows : Tensor of shape (n_rows,) or None
        Their indices in the table; None means all rows in order.
    local : Tensor of shape (n_tokens,)
        The position in `rows` of each token.
    """

    rows: Tensor | None
    local: Tensor


class WordTable:
    """A matrix of word vectors; a step touches only the rows of its batch.

    The rows of a batch are copied into a small leaf tensor, which is used by
    composition, loss and backward pass. The cost of a step therefore does not grow with
    the vocabulary.

    Parameters
    ----------
    matrix : ndarray of shape (n_words, dim), float32
        On a CPU it is trained in place.
    device : torch.device
    anchors : ndarray of shape (n_words, dim), float32, default=None
        The vectors that penalties pull towards and from which changes are measured;
        None is zero.
    sparse : bool, default=True
        If False, every step touches all rows, as in the papers' code.
    frozen : bool, default=False
        If True, the vectors never change.
    """

    def __init__(
        self,
        matrix: Matrix,
        *,
        device: torch.device,
        anchors: Matrix | None = None,
        sparse: bool = True,
        frozen: bool = False,
    ) -> None:
        self.weight = torch.as_tensor(matrix, dtype=torch.float32, device=device)
        self.sparse = sparse
        self.frozen = frozen
        self._place = np.zeros(len(matrix) if sparse else 0, dtype=np.int32)
        self.anchors: Tensor | None = None
        if anchors is not None:
            self.anchors = torch.as_tensor(anchors, device=device)

    def used(self, ids: Ints) -> UsedRows:
        """The rows that tokens `ids` use."""
        device, places = self.weight.device, ids.astype(np.int64)
        if not self.sparse:
            return UsedRows(None, to_device(places, device))
        # The last token of each word wins its place; the winners are the rows.
        tokens = np.arange(len(ids), dtype=np.int32)
        self._place[places] = tokens
        rows = places[self._place.take(places) == tokens]
        rows.sort()  # faster to gather
        self._place[rows] = tokens[: len(rows)]
        local = self._place.take(places).astype(np.int64)
        return UsedRows(to_device(rows, device), to_device(local, device))

    def leaf(self, used: UsedRows) -> Tensor:
        """The rows in use, shape (n_rows, dim), as a leaf of the autograd graph."""
        rows = used.rows
        leaf = self.weight.detach() if rows is None else gather_rows(self.weight, rows)
        return leaf.requires_grad_(not self.frozen)

    def numpy(self) -> Matrix:
        """All vectors; on a CPU they share memory with the table."""
        return self.weight.detach().cpu().numpy()


def pool(table: Tensor, ids: Tensor, offsets: Ints, pooling: str) -> Tensor:
    """Averages or sums of bags of rows, (n_bags, dim); zero for empty bags.

    Bag `i` holds the rows `ids[offsets[i]:offsets[i + 1]]` of the table. "distinct"
    averages the distinct rows of the windows of a bag, with weights that are constants
    for the gradient (see ``distinct_weights`` and ``windows``).
    """
    if table.device.type == "cpu":
        pooled: Tensor = _Pool.apply(table, ids, offsets, pooling)
        return pooled
    weights = None
    if pooling == "distinct":
        weights = weights_on_device(table.detach(), ids, offsets)
    return F.embedding_bag(
        ids,
        table,
        to_device(offsets[:-1], table.device),
        mode="mean" if pooling == "mean" else "sum",
        per_sample_weights=weights,
    )


@torch.no_grad()
def weights_on_device(table: Tensor, ids: Tensor, offsets: Ints) -> Tensor:
    """Weights of tokens, as computed by ``distinct_weights``.

    All but the first of equal tokens of a window have weight zero, which avoids waiting
    for the device.
    """
    bounds, parts = _core.windows(np.asarray(offsets, np.int64))
    starts = to_device(bounds[:-1], table.device)
    numbers = np.arange(len(starts)).repeat(np.diff(bounds))
    bags = to_device(numbers, table.device)
    keys, order = (bags * len(table) + ids).sort(stable=True)
    is_first = keys.new_ones(len(keys), dtype=table.dtype)
    is_first[order[1:]] = (keys[1:] != keys[:-1]).to(table.dtype)
    rows = table.index_select(0, ids)
    scales = is_first / _lengths(rows)

    def along_sums(weights: Tensor) -> tuple[Tensor, Tensor]:
        sums = F.embedding_bag(
            ids, table, starts, mode="sum", per_sample_weights=weights
        )
        dots = (rows * sums.index_select(0, bags)).sum(dim=1)
        return dots * scales, _lengths(sums).index_select(0, bags)

    others, _ = along_sums(scales)
    weights = is_first * others.clamp(min=1) ** -0.5
    along, lengths = along_sums(weights)
    weights = weights * ((along / lengths).clamp(min=0) + 0.3) ** -0.35
    totals = weights.new_zeros(len(starts)).index_add(0, bags, weights)
    parts = torch.from_numpy(parts).to(table.dtype).numpy()
    totals /= to_device(parts, table.device)
    return weights / totals.index_select(0, bags)


def _lengths(rows: Tensor) -> Tensor:
    """Lengths of rows; infinite for zero rows, which then stay zero when divided."""
    lengths = torch.linalg.vector_norm(rows, dim=1)
    return lengths.masked_fill(lengths == 0, torch.inf)


class _Pool(torch.autograd.Function):
    """Averages or sums, computed by the core, with their gradient."""

    @staticmethod
    def forward(
        ctx: Any, table: Tensor, ids: Tensor, offsets: Ints, pooling: str
    ) -> Tensor:
        pooled = table.new_zeros(len(offsets) - 1, table.shape[1])
        matrix = table.detach().contiguous().numpy()
        tokens = ids.numpy().astype(np.int32, copy=False)
        texts = tokens, np.asarray(offsets, np.int64)
        arguments = matrix, None, None, *texts, None, pooling, pooled.numpy()
        shares = _core.core.pool_rows(*arguments)
        ctx.arguments, ctx.shape = (*texts, shares, pooling), table.shape
        return pooled

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        of_table = gradient.new_zeros(ctx.shape)
        arguments = gradient.contiguous().numpy(), *ctx.arguments, of_table.numpy()
        _core.core.add_to_rows(*arguments)
        return of_table, None, None, None


def unit_vectors(vectors: Tensor) -> Tensor:
    """Vectors of length 1; a zero vector stays zero, with cosine and gradient 0."""
    unit: Tensor = _Unit.apply(vectors)
    return unit


class _Unit(torch.autograd.Function):
    """v / |v|, with a gradient of three operations.

    Without it a fit of `ParaphraseEncoder` takes 6 to 11 % longer.
    """

    @staticmethod
    def forward(ctx: Any, vectors: Tensor) -> Tensor:
        norms = torch.linalg.vector_norm(vectors, dim=1, keepdim=True)
        norms.masked_fill_(norms < 1e-12, torch.inf)
        unit = vectors / norms
        ctx.save_for_backward(unit, norms)
        return unit

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        unit, norms = ctx.saved_tensors
        along = (unit * gradient).sum(dim=1, keepdim=True)
        return torch.addcmul(gradient, unit, along, value=-1).div_(norms)
