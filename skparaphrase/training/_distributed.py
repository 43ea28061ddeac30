"""Training in several processes started by `torchrun`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from functools import partial
from typing import Any

import joblib
import numpy as np
import torch
from torch import Tensor, distributed
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from skparaphrase._threads import in_worker
from skparaphrase.networks._table import Ints
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.training._trainer import Trainer

Compose = Callable[[Tensor, Tensor, Ints], Tensor]  # table, ids, offsets


def share_steps(trainer: Trainer, max_epochs: int) -> None:
    """Let a trainer take every step together with other processes, if there are any.

    All processes have the same data, draw the same random numbers and end every step in
    the same state. Each composes only its share of a batch. The rows of all shares are
    sent to all processes, and each computes the loss of the whole batch, so negatives
    come from the whole batch. The gradient of a row stays with the process that
    composed it. Gradients of parameters and word vectors are summed over processes.

    A joblib task trains alone, because parallel tasks would receive each other's
    messages.
    """
    is_group = distributed.is_available() and distributed.is_initialized()
    objective = trainer.objective
    if objective.texts_per_row is None or not is_group or in_worker():
        return
    check_same(trainer, max_epochs)
    objective.compose = partial(share_rows, objective.compose, objective.texts_per_row)
    trainer.exchange = sum_gradients


def check_same(trainer: Trainer, max_epochs: int) -> None:
    """Raise a RuntimeError in all processes that names their differences."""
    parts: dict[str, Any] = {
        name: value
        for name, value in vars(trainer.objective.examples).items()
        if isinstance(value, (np.ndarray, TokenBatch))
    }
    parts |= trainer.arrays()
    parts["random numbers"] = trainer.random_state.get_state()
    parts["settings"] = {
        "max_epochs": max_epochs,
        "learning_rate": trainer.learning_rate,
        "batch_size": trainer.batch_size,
        **trainer.optimizer.get_params(),
    }
    digests = [int(joblib.hash(part)[:15], 16) for part in parts.values()]
    own = torch.tensor(digests, device=trainer.device)
    every = [torch.empty_like(own) for _ in range(distributed.get_world_size())]
    distributed.all_gather(every, own)
    differs = (torch.stack(every) != every[0]).any(dim=0).tolist()
    if any(differs):
        names = [name for name, differ in zip(parts, differs, strict=True) if differ]
        raise RuntimeError(
            f"torch.distributed is initialised, so its {len(every)} processes train "
            f"one model together, but they differ in {', '.join(names)}. Pass the same "
            "data in the same order, equal parameters and an int as random_state in "
            "each of them. (To train separate models, call "
            "torch.distributed.destroy_process_group() first.)"
        )


def share_rows(
    compose: Compose, texts_per_row: int, table: Tensor, ids: Tensor, offsets: Ints
) -> Tensor:
    """The rows of a batch; this process computes only its share.

    `compose` takes table, ids and offsets of texts, and returns one row per
    `texts_per_row` texts.
    """
    rank, n_processes = distributed.get_rank(), distributed.get_world_size()
    bounds = shares(offsets[::texts_per_row], n_processes)
    start, stop = bounds[rank : rank + 2]
    if start == stop:  # an unused row, to have gradients
        start, stop = 0, 1
    own = offsets[start * texts_per_row : stop * texts_per_row + 1]
    rows = compose(table, ids[own[0] : own[-1]], own - own[0])
    sizes = np.diff(bounds).tolist()
    rows = rows[: sizes[rank]]
    message = rows.new_zeros(max(sizes), rows.shape[1])  # all have the same length
    message[: sizes[rank]] = rows.detach()
    every = [torch.empty_like(message) for _ in sizes]
    distributed.all_gather(every, message)
    parts = [part[:size] for part, size in zip(every, sizes, strict=True)]
    parts[rank] = rows  # through which gradients flow
    return torch.cat(parts)


def shares(offsets: Ints, n_processes: int) -> list[int]:
    """The start of the share of each process, followed by the number of texts.

    Shares have about equal numbers of tokens; some may be empty.
    """
    cost = offsets + np.arange(len(offsets))  # an empty text counts as well
    middles = (cost[1:] + cost[:-1]) / 2
    wanted = cost[-1] / n_processes * np.arange(1, n_processes)
    return [0, *np.searchsorted(middles, wanted).tolist(), len(middles)]


def sum_gradients(tensors: list[Tensor]) -> None:
    """Replace the gradients of tensors by their sums over all processes."""
    gradients = []
    for tensor in tensors:
        if tensor.requires_grad:
            if tensor.grad is None:  # a share of texts without tokens
                tensor.grad = torch.zeros_like(tensor)
            gradients.append(tensor.grad)
    message = parameters_to_vector(gradients)  # one is faster than many
    distributed.all_reduce(message)
    vector_to_parameters(message, gradients)
