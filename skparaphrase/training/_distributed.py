"""Training in several processes started by `torchrun`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import joblib
import numpy as np
import torch
from torch import Tensor, distributed

from skparaphrase.networks._table import Ints
from skparaphrase.text._lookup import TokenBatch

Compose = Callable[[Tensor, Tensor, Ints], Tensor]  # of table, ids and offsets


def share_steps(trainer: Any, max_epochs: int) -> None:
    """Let a trainer take every step together with those of other processes.

    All have the same data, draw the same random numbers and end every step with the
    same state. Each composes only its share of a batch. The rows of all shares go to
    all processes, and each computes the loss of the whole batch, so that negatives come
    from the whole batch. The gradient of a row stays with the process that composed it;
    gradients of parameters and of word vectors are summed over processes.
    """
    objective = trainer.objective
    data = {
        name: value
        for name, value in vars(objective.examples).items()
        if isinstance(value, (np.ndarray, TokenBatch))
    }
    settings = {
        "max_epochs": max_epochs,
        "learning_rate": trainer.learning_rate,
        "batch_size": trainer.batch_size,
        **trainer.optimizer.get_params(),
    }
    check_in_sync(trainer, settings=settings, **data)
    objective.compose = partial(share_rows, objective.compose, objective.texts_per_row)
    trainer.is_shared = True


def check_in_sync(trainer: Any, **data: Any) -> None:
    """Raise a RuntimeError, in all processes, if they differ in `data` or state."""
    state = trainer.random_state.get_state()
    check_equal({**data, **trainer.arrays(), "random numbers": state}, trainer.device)


def share_rows(
    compose: Compose, texts_per_row: int, table: Tensor, ids: Tensor, offsets: Ints
) -> Tensor:
    """The rows of a batch, of which this process computes its share.

    `compose` takes table, ids and offsets of texts, and returns a row for each
    `texts_per_row` of them.
    """
    rank, n_processes = distributed.get_rank(), distributed.get_world_size()
    bounds = shares(offsets[::texts_per_row], n_processes)
    start, stop = bounds[rank : rank + 2]
    if start == stop:  # a row that nobody reads, so that gradients exist
        start, stop = 0, 1
    own = offsets[start * texts_per_row : stop * texts_per_row + 1]
    rows = compose(table, ids[own[0] : own[-1]], own - own[0])
    sizes = np.diff(bounds).tolist()
    rows = rows[: sizes[rank]]
    message = rows.new_zeros(max(sizes), rows.shape[1])  # all have one length
    message[: sizes[rank]] = rows.detach()
    every = [torch.empty_like(message) for _ in sizes]
    distributed.all_gather(every, message)
    parts = [part[:size] for part, size in zip(every, sizes, strict=True)]
    parts[rank] = rows  # through which gradients flow
    return torch.cat(parts)


def shares(offsets: Ints, n_processes: int) -> list[int]:
    """Where the share of each process starts, and at last the number of texts.

    Shares have about equal numbers of tokens; some may be empty.
    """
    cost = offsets + np.arange(len(offsets))  # a text without tokens has one, too
    middles = (cost[1:] + cost[:-1]) / 2
    wanted = cost[-1] / n_processes * np.arange(1, n_processes)
    return [0, *np.searchsorted(middles, wanted).tolist(), len(middles)]


def sum_gradients(tensors: Iterable[Tensor]) -> None:
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


def check_equal(parts: Mapping[str, Any], device: torch.device) -> None:
    """Raise a RuntimeError, in all processes, that names the parts they differ in."""
    own = torch.tensor([_digest(part) for part in parts.values()], device=device)
    every = [torch.empty_like(own) for _ in range(distributed.get_world_size())]
    distributed.all_gather(every, own)
    differs = (torch.stack(every) != every[0]).any(dim=0).tolist()
    if any(differs):
        names = [name for name, differ in zip(parts, differs, strict=True) if differ]
        raise RuntimeError(
            f"torch.distributed is initialised, so that its {len(every)} processes "
            f"train one model together; but they differ in {', '.join(names)}. Give "
            "each of them the same data in the same order, equal parameters and an int "
            "as random_state, on machines of one kind. (To train models that differ, "
            "call torch.distributed.destroy_process_group() first.)"
        )


def _digest(part: Any) -> int:
    part = part.cpu().numpy() if isinstance(part, Tensor) else part
    return int(joblib.hash(part)[:15], 16)
