"""Training in several processes started by `torchrun`, and the device of each."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, distributed

from skparaphrase._threads import in_worker
from skparaphrase.networks._table import Ints

# Called with what there is for each token of some texts, and with their offsets.
Compute = Callable[..., Tensor]


class Processes:
    """The processes of the default group of :mod:`torch.distributed`, as one trainer.

    All have the same data, draw the same random numbers and end every step with the
    same state. Each composes only its share of a batch. The rows of all shares go to
    all processes, and each computes the loss of the whole batch, so that negatives come
    from the whole batch. The gradient of a row stays with the process that composed it;
    gradients of parameters and of word vectors are summed over processes.

    Attributes
    ----------
    rank : int
        Of this process, from 0.
    size : int
        How many there are.
    """

    def __init__(self) -> None:
        self.rank = distributed.get_rank()
        self.size = distributed.get_world_size()

    def spread(
        self,
        compute: Compute,
        tokens: Sequence[Tensor],
        offsets: Ints,
        texts_per_row: int = 1,
    ) -> Tensor:
        """The rows of a batch; this process computes its share of them.

        Parameters
        ----------
        compute : callable
            Called as `compute(*tokens, offsets)` for some texts; gives one row per
            `texts_per_row` texts.
        tokens : sequence of Tensor of shape (n_tokens, ...)
        offsets : ndarray of shape (n_texts + 1,)
            Where the tokens of each text start; at least one text.
        texts_per_row : int, default=1

        Returns
        -------
        rows : Tensor of shape (n_texts / texts_per_row, dim)
            The same on all processes.
        """
        bounds = self.shares(offsets[::texts_per_row])
        start, stop = bounds[self.rank : self.rank + 2]
        if start == stop:  # a row that nobody reads, so that gradients exist
            start, stop = 0, 1
        own = offsets[start * texts_per_row : stop * texts_per_row + 1]
        parts = [tensor[own[0] : own[-1]] for tensor in tokens]
        rows = compute(*parts, own - own[0])
        gathered: Tensor = _Gathered.apply(rows, bounds, self.rank)
        return gathered

    def shares(self, offsets: Ints) -> list[int]:
        """Where the share of each process starts, and at last the number of texts.

        Shares have about equal numbers of tokens; some may be empty.
        """
        # A text without tokens has a cost, too.
        cost = offsets + np.arange(len(offsets))
        middles = (cost[1:] + cost[:-1]) / 2
        wanted = cost[-1] / self.size * np.arange(1, self.size)
        return [0, *np.searchsorted(middles, wanted).tolist(), len(middles)]

    def sum_gradients(self, tensors: Iterable[Tensor]) -> None:
        """Replace the gradients of tensors by their sums over all processes."""
        gradients = []
        for tensor in tensors:
            if tensor.requires_grad:
                if tensor.grad is None:  # a share of texts without tokens
                    tensor.grad = torch.zeros_like(tensor)
                gradients.append(tensor.grad)
        # One message is faster than one per tensor.
        message = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(message)
        parts = message.split([gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))

    def check_in_sync(self, parts: Mapping[str, Any], device: torch.device) -> None:
        """Raise, on all processes, unless they agree.

        Parameters
        ----------
        parts : dict of str to object
            Tensors, arrays, tuples of them, or objects compared by their repr.
        device : torch.device
            Where messages are sent from.

        Raises
        ------
        RuntimeError
            Names what differs.
        """
        own = torch.tensor([_digest(part) for part in parts.values()], device=device)
        every = own.new_empty(self.size, len(own))
        distributed.all_gather(list(every), own)
        alike = (every == every[0]).all(dim=0).tolist()
        differ = [name for name, same in zip(parts, alike, strict=True) if not same]
        if differ:
            raise RuntimeError(
                f"torch.distributed is initialised, so that its {self.size} processes "
                f"train one model together; but they differ in {', '.join(differ)}. "
                "Give each of them the same data in the same order, equal parameters "
                "and an int as random_state, on machines of one kind. (To train models "
                "that differ, call torch.distributed.destroy_process_group() first.)"
            )


class _Gathered(torch.autograd.Function):
    """The rows of all processes; each gets the gradient of its own rows back."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, bounds: list[int], rank: int) -> Tensor:
        sizes = np.diff(bounds).tolist()
        ctx.shape = rows.shape
        ctx.own = slice(bounds[rank], bounds[rank + 1])
        # Messages must have equal lengths.
        message = rows.new_zeros(max(sizes), rows.shape[1])
        message[: sizes[rank]] = rows[: sizes[rank]]
        every = list(rows.new_empty(len(sizes), *message.shape))
        distributed.all_gather(every, message)
        return torch.cat(
            [share[:size] for share, size in zip(every, sizes, strict=True)]
        )

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        own = gradient[ctx.own]
        if len(own) != ctx.shape[0]:
            own = gradient.new_zeros(ctx.shape)
        return own, None, None


def joined_processes() -> Processes | None:
    """The processes that this one trains with; None if it trains alone.

    A task of joblib always does: parallel tasks would receive each other's messages.
    """
    if not (distributed.is_available() and distributed.is_initialized()):
        return None
    if in_worker():
        return None
    return Processes() if distributed.get_world_size() > 1 else None


def resolve_device(device: str) -> torch.device:
    """The device that a name stands for.

    "auto" is CUDA if available, but the CPU in a worker of joblib or Dask, since
    several workers would fill one GPU's memory. Each of several processes that train
    together has its own GPU.
    """
    if device == "auto":
        available = torch.cuda.is_available() and not in_worker()
        return _own_device() if available else torch.device("cpu")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(f"device={device!r}, but torch finds no CUDA device here.")
    if device == "cuda":
        return _own_device()
    try:
        return torch.device(device)
    except RuntimeError:
        raise ValueError(
            "device must be 'auto', 'cpu', 'cuda' or another name that torch knows; "
            f"got {device!r}."
        ) from None


def _own_device() -> torch.device:
    """The GPU of this process among those that `torchrun` started."""
    if joined_processes() is None or "LOCAL_RANK" not in os.environ:
        return torch.device("cuda")
    number = int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count()
    return torch.device("cuda", number)


def _digest(part: Any) -> int:
    """A checksum of the content."""
    if isinstance(part, Tensor):
        part = part.detach()
        if part.device.type != "cpu":  # stays there: sums of bits, weighted by row
            bits = part.view(torch.int32).reshape(max(len(part), 1), -1).sum(dim=1)
            places = torch.arange(1, len(bits) + 1, device=bits.device)
            return int((bits * places).sum())
        part = part.numpy()
    if isinstance(part, np.ndarray):
        return zlib.crc32(np.ascontiguousarray(part).data)
    if isinstance(part, tuple):
        return zlib.crc32(repr([_digest(each) for each in part]).encode())
    return zlib.crc32(repr(part).encode())
