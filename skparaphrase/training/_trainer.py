"""Steps of training: a module on top of a table of vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from torch import Tensor, nn

from skparaphrase.networks._compositions import parameter_arrays
from skparaphrase.networks._table import Ints, UsedRows, WordTable
from skparaphrase.optimizers import Optimizer
from skparaphrase.training._objectives import Batch, Objective
from skparaphrase.training._update_rules import UpdateRule, change_limits, clip_norm_


class Steps(NamedTuple):
    """Settings for the steps of a trainer.

    Attributes
    ----------
    optimizer : Optimizer
        See :class:`skparaphrase.optimizers.Optimizer`.
    learning_rate : float
    batch_size : int
    random_state : RandomState
        The source of all random choices.
    """

    optimizer: Optimizer
    learning_rate: float
    batch_size: int
    random_state: RandomState


class Trainer:
    """Trains a table of vectors and the module of an objective on top of it.

    Parameters that do not require gradients are not changed.

    Parameters
    ----------
    objective : Objective
        Makes batches and computes their loss.
    table : WordTable
    steps : Steps

    Attributes
    ----------
    exchange : callable or None
        If processes train together, called before every update with the tensors that
        have gradients.
    """

    exchange: Callable[[list[Tensor]], None] | None = None

    def __init__(self, objective: Objective, table: WordTable, steps: Steps) -> None:
        self.objective = objective
        self.n_examples = len(objective.examples)
        self.module = objective.module
        self.table = table
        self.device = table.weight.device
        self.optimizer = optimizer = steps.optimizer
        self.learning_rate = steps.learning_rate
        self.batch_size = steps.batch_size
        self.random_state = steps.random_state
        self.rule = UpdateRule(optimizer.name, steps.learning_rate, optimizer.momentum)
        ordered = optimizer.ordered_first_epoch and objective.has_order
        self.ordered_first_epoch: bool = ordered
        objective.begin(table, steps.random_state)

    def slices(self) -> list[slice]:
        """The batches of an epoch; the last one may be smaller."""
        least = self.objective.min_batch_size
        batches = gen_batches(self.n_examples, self.batch_size, min_batch_size=least)
        return list(batches)

    def make(self, chosen: Ints) -> tuple[Batch, UsedRows]:
        """Make a batch of the examples with these indices, and find its rows.

        This may be called in another thread, some batches ahead, so it uses neither
        parameters nor `random_state`.
        """
        batch = self.objective.batch(chosen)
        return batch, self.table.used(batch.tokens.ids)

    def step(self, made: tuple[Batch, UsedRows]) -> Tensor:
        """Update on a batch and return its mean loss without penalties."""
        batch, used = made
        with torch.enable_grad():
            leaf = self.table.leaf(used)
            loss = self.objective.loss(leaf, used.local, batch)
            loss.backward()
        if self.exchange is not None:
            self.exchange([leaf, *self.module.parameters()])
        self.update(leaf, used)
        return loss.detach() * self.objective.share(batch)

    @torch.no_grad()
    def update(self, leaf: Tensor, used: UsedRows) -> None:
        """Update with the gradients of a loss and of the penalties."""
        if self.optimizer.clip_norm is not None and self.optimizer.clip_jointly:
            tensors = [leaf, *self.module.parameters()]
            nn.utils.clip_grad_norm_(tensors, self.optimizer.clip_norm)
        if leaf.requires_grad:
            anchors, penalty = self.table.anchors, self.optimizer.vectors_penalty
            pulls_to = None
            if penalty and anchors is not None:
                pulls_to = anchors if used.rows is None else anchors[used.rows]
            self.rule.step(
                "vectors",
                self.table.weight,
                self._gradient(leaf, penalty, pulls_to),
                self.objective.vectors_rate,
                used.rows,
                anchors,
                self._limits,
            )
        for name, parameter in self.module.named_parameters():
            if parameter.requires_grad:
                anchor = self.objective.anchors.get(name)
                penalty = self.objective.penalty(name, self.optimizer)
                gradient = self._gradient(parameter, penalty, anchor)
                self.rule.step(name, parameter, gradient)
                parameter.grad = None

    @cached_property
    def _limits(self) -> Tensor | None:
        """Maximum distance of each row from its anchor."""
        most, anchors = self.optimizer.max_change, self.table.anchors
        if most is None or anchors is None:
            return None
        return change_limits(self.table.weight, anchors, most)

    def _gradient(
        self, values: Tensor, penalty: float, anchor: Tensor | None
    ) -> Tensor:
        """Add the gradient of half the penalty times the squared distance."""
        gradient = values.grad
        assert gradient is not None
        if penalty:
            # Exactly zero for rows that have not moved: Adam would turn rounding into
            # steps.
            pull = values if anchor is None else values - anchor
            gradient.add_(pull, alpha=penalty)
        if self.optimizer.clip_norm is not None and not self.optimizer.clip_jointly:
            clip_norm_(gradient, self.optimizer.clip_norm)
        return gradient

    def end_epoch(self) -> None:
        """Reset the moments if the optimizer does so after each epoch."""
        if self.optimizer.reset:
            self.rule.state.clear()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All trained arrays: "vectors", and parameters by name.

        On a CPU, vectors share memory with the table; parameters are copies.
        """
        vectors = {} if self.table.frozen else {"vectors": self.table.numpy()}
        return {**vectors, **parameter_arrays(self.module)}
