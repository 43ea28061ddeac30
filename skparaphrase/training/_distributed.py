"""Training in several processes started by `torchrun`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, distributed

from skparaphrase.networks._table import Ints

Encode = Callable[[Tensor, Tensor, Ints], Tensor]  # of table, ids and offsets


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
        encode: Encode,
        texts_per_row: int,
        table: Tensor,
        ids: Tensor,
        offsets: Ints,
    ) -> Tensor:
        """The rows of a batch, of which this process computes its share.

        `encode` takes table, ids and offsets of texts, and returns a row for each
        `texts_per_row` of them. The gradient of its own rows goes back to each process.
        """
        bounds = self.shares(offsets[::texts_per_row])
        start, stop = bounds[self.rank : self.rank + 2]
        if start == stop:  # a row that nobody reads, so that gradients exist
            start, stop = 0, 1
        own = offsets[start * texts_per_row : stop * texts_per_row + 1]
        rows = encode(table, ids[own[0] : own[-1]], own - own[0])
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


class DistributedTrainer:
    """A trainer that takes every step together with those of other processes.

    It has all attributes of the trainer that it wraps.

    Parameters
    ----------
    trainer : BaseTrainer
        One whose batches are shareable. It is changed.
    """

    def __init__(self, trainer: Any) -> None:
        self.trainer = trainer
        self.processes = processes = Processes()
        trainer.encode = partial(
            processes.spread, trainer.encode, trainer.texts_per_row
        )
        self.check_in_sync(**trainer.data(), settings=plain_settings(trainer.settings))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.trainer, name)

    def step(self, batch: Any) -> Tensor:
        """Update on a batch, and return its mean loss without penalties."""
        trainer = self.trainer
        with torch.enable_grad():
            loss, leaf, used = trainer.forward(batch)
            loss.backward()
        self.processes.sum_gradients([leaf, *trainer.module.parameters()])
        trainer.update(leaf, used)
        found: Tensor = loss.detach()
        return found

    def end_epoch(self) -> None:
        """End the epoch of the trainer, and check that processes agree."""
        self.trainer.end_epoch()
        self.check_in_sync()

    def check_in_sync(self, **data: Any) -> None:
        """Raise if the processes differ in `data` or state."""
        trainer = self.trainer
        state = {
            "vectors": trainer.table.weight,
            "parameters": tuple(trainer.module.parameters()),
            "random numbers": trainer.random_state.get_state(),
        }
        self.processes.check_in_sync({**data, **state}, trainer.device)


def plain_settings(settings: Any) -> list[tuple[str, Any]]:
    """Numbers and strings among parameters, except those that say how to run."""
    return [
        (name, value)
        for name, value in settings.get_params().items()
        if isinstance(value, (str, int, float, type(None)))
        and name.rpartition("__")[2] not in ("device", "verbose")
    ]


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
