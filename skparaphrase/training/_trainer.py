"""Steps of training, and those of encoders on paraphrases."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from torch import Tensor, nn

from skparaphrase.networks import (
    Composition,
    Ints,
    UsedRows,
    WordTable,
    gather_rows,
    parameter_arrays,
    pool,
    to_device,
    unit_vectors,
)
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervision import Arranged
from skparaphrase.text import TokenBatch
from skparaphrase.training._distributed import check_in_sync, sum_gradients
from skparaphrase.training._update_rules import UpdateRule, change_limits, clip_norm_

_MAX_STARTS = 1 << 28  # bytes of remembered averages


class Steps(NamedTuple):
    """How a trainer takes its steps.

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


class BaseTrainer:
    """Base of trainers: a module on top of a table of vectors.

    A subclass makes batches, computes the loss of a batch and says how parameters are
    penalised. Parameters that require no gradient are left alone.

    Parameters
    ----------
    module : Module
        What is trained besides the table.
    table : WordTable
    steps : Steps
    n_examples : int
    anchors : mapping of str to Tensor, default=None
        Where penalties pull parameters of the module; all others are pulled to zero.

    Attributes
    ----------
    compose : callable
        Takes a table, ids and offsets of texts, and returns a row for each
        `texts_per_row` of them.
    is_shareable : bool
        Whether each row depends on its own texts alone, so that processes can share
        the rows of a batch.
    """

    vectors_rate = 1.0  # factor of the learning rate
    texts_per_row = 1
    is_shareable = False
    is_shared = False  # with other processes
    compose: Callable[..., Tensor]

    def __init__(
        self,
        module: nn.Module,
        table: WordTable,
        steps: Steps,
        *,
        n_examples: int,
        anchors: Mapping[str, Tensor] | None = None,
    ) -> None:
        self.module = module
        self.table = table
        self.device = table.weight.device
        self.optimizer = optimizer = steps.optimizer
        self.learning_rate = steps.learning_rate
        self.batch_size = steps.batch_size
        self.random_state = steps.random_state
        self.n_examples = n_examples
        self.anchors: dict[str, Tensor] = {}
        for name, anchor in (anchors or {}).items():
            self.anchors[name] = anchor.to(self.device)
        assert optimizer.name is not None
        self.rule = UpdateRule(optimizer.name, steps.learning_rate, optimizer.momentum)
        self.ordered_first_epoch: bool = optimizer.ordered_first_epoch

    def slices(self) -> list[slice]:
        """The batches of an epoch; the last one may be smaller."""
        return list(gen_batches(self.n_examples, self.batch_size))

    def make(self, chosen: Ints) -> Any:
        """Make a batch of the examples with these indices.

        It may be called in another thread, some batches ahead, and therefore uses
        neither parameters nor `random_state`.
        """
        raise NotImplementedError

    def forward(self, batch: Any) -> tuple[Tensor, Tensor, UsedRows]:
        """The mean loss of a batch, the leaf of the table it depends on, and its rows.

        Penalties are not part of the loss.
        """
        raise NotImplementedError

    def step(self, batch: Any) -> Tensor:
        """Update on a batch, and return its mean loss without penalties."""
        with torch.enable_grad():
            loss, leaf, used = self.forward(batch)
            loss.backward()
        if self.is_shared:
            sum_gradients([leaf, *self.module.parameters()])
        self.update(leaf, used)
        return loss.detach()

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
                self.vectors_rate,
                used.rows,
                anchors,
                self._limits,
            )
        for name, parameter in self.module.named_parameters():
            if parameter.requires_grad:
                anchor = self.anchors.get(name)
                gradient = self._gradient(parameter, self.penalty(name), anchor)
                self.rule.step(name, parameter, gradient)
                parameter.grad = None

    @cached_property
    def _limits(self) -> Tensor | None:
        """How far from its anchor each row may be."""
        most, anchors = self.optimizer.max_change, self.table.anchors
        if most is None or anchors is None:
            return None
        return change_limits(self.table.weight, anchors, most)

    def _gradient(
        self, values: Tensor, penalty: float, anchor: Tensor | None
    ) -> Tensor:
        """The gradient, with that of half the penalty times the squared distance."""
        gradient = values.grad
        assert gradient is not None
        if penalty:
            # Exactly zero where nothing has moved: Adam would turn rounding into steps.
            pull = values if anchor is None else values - anchor
            gradient.add_(pull, alpha=penalty)
        if self.optimizer.clip_norm is not None and not self.optimizer.clip_jointly:
            clip_norm_(gradient, self.optimizer.clip_norm)
        return gradient

    def end_epoch(self) -> None:
        """Forget the moments if asked to, and check that processes agree."""
        if self.optimizer.reset:
            self.rule.state.clear()
        if self.is_shared:
            check_in_sync(self)

    def penalty(self, name: str) -> float:
        """Lambda of a parameter of the module."""
        return 0.0

    def constant_loss(self) -> float:
        """About the loss of an output that is the same for all texts; NaN: unknown."""
        return float("nan")

    def parameters_to_change(self) -> str:
        """What may help if the loss is no better than :meth:`constant_loss`."""
        return "learning_rate"

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is trained: "vectors", and parameters by name.

        On a CPU, vectors share memory with the table; parameters are copies.
        """
        vectors = {} if self.table.frozen else {"vectors": self.table.numpy()}
        return {**vectors, **parameter_arrays(self.module)}


@dataclass(frozen=True)
class LossBatch:
    """The texts of a batch, as a loss sees them.

    Parameters
    ----------
    identities : ndarray of int of shape (n_texts,)
        Equal numbers stand for equal strings, or with `has_classes` for equal labels.
    random_state : RandomState
        The source of all random choices.
    targets : Tensor, default=None
        The scores of pairs, shape (n_pairs,), or a teacher's unit vectors of texts,
        shape (n_texts, dim), if the loss learns from these.
    n_hard : int, default=0
        The number of hard negatives, whose texts are the last ones.
    has_classes : bool, default=False
        Whether texts of equal identities are never negatives of each other.
    start : Tensor of shape (n_texts, dim), default=None
        Unit averages of the word vectors that training started from, if they are known.
    weights : Tensor, default=None
        Weights in the loss of pairs, shape (n_pairs,), or with a teacher's vectors of
        texts, shape (n_texts,).
    """

    identities: Ints
    random_state: RandomState
    targets: Tensor | None = None
    n_hard: int = 0
    has_classes: bool = False
    start: Tensor | None = None
    weights: Tensor | None = None

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return (len(self.identities) - self.n_hard) // 2


class ParaphraseTrainer(BaseTrainer):
    """Trains word vectors and a composition with a loss on unit vectors of texts.

    Parameters
    ----------
    composition : Composition
    *parts : table, steps
        See :class:`BaseTrainer`.
    loss : Loss
        See :class:`skparaphrase.losses.Loss`.
    examples : Arranged
        At least two.
    """

    def __init__(
        self,
        composition: Composition,
        *parts: Any,
        loss: Any,
        examples: Arranged,
    ) -> None:
        n_examples, anchors = len(examples.examples), composition.anchors
        super().__init__(composition, *parts, n_examples=n_examples, anchors=anchors)
        self.composition = composition
        # Else a text's vector depends on the batch, or on what is drawn for all of it.
        self.is_shareable = composition.batch_size is None and not composition.dropout
        self.compose = composition
        self.loss = loss
        self.texts = examples.texts
        self.examples = examples.examples
        self.identities = examples.identities
        self.has_classes = examples.has_classes
        self._averages: Tensor | None = None  # unit averages before training
        self._has_average = np.zeros(len(self.texts), dtype=bool)
        self.scores = self._on_device(examples.scores)
        self.teacher = self._on_device(examples.teacher)
        self.weights = self._on_device(examples.weights)

    def _on_device(self, values: NDArray[np.float32] | None) -> Tensor | None:
        return None if values is None else torch.from_numpy(values).to(self.device)

    def slices(self) -> list[slice]:
        """The batches of an epoch; a last single pair joins the batch before it."""
        size = self.batch_size
        return list(gen_batches(self.n_examples, size, min_batch_size=2))

    def make(self, chosen: Ints) -> tuple[UsedRows, TokenBatch, Ints, Ints]:
        """The rows in use, the texts of some examples and their indices."""
        indices = self._indices(chosen)
        texts = self.texts.take(indices)
        return self.table.used(texts.ids), texts, indices, chosen

    def _indices(self, chosen: Ints) -> Ints:
        """The texts of some examples: those of all pairs, and then hard negatives."""
        rows = self.examples[chosen]
        if rows.ndim == 1:
            return rows
        return np.concatenate([rows[:, :2].ravel(), rows[:, 2:].ravel()])

    def forward(
        self, batch: tuple[UsedRows, TokenBatch, Ints, Ints]
    ) -> tuple[Tensor, Tensor, UsedRows]:
        """The mean loss of a batch, the leaf that it depends on, and its rows."""
        used, texts, indices, chosen = batch
        ids, offsets = used.local, texts.offsets
        if self.optimizer.scramble:
            n_together = 2 if len(indices) == 2 * len(chosen) else 1
            order = _scrambled(
                offsets, self.optimizer.scramble, self.random_state, n_together
            )
            ids = ids[to_device(order, ids.device)]
        leaf = self.table.leaf(used)
        known = self._batch(indices, chosen, self.random_state)
        anchors = self.table.anchors
        if anchors is not None and self.loss._uses_start:
            start = self._initial_averages(anchors, texts, indices)
            known = replace(known, start=start)
        return self._loss(leaf, ids, offsets, known), leaf, used

    @torch.no_grad()
    def _initial_averages(
        self, initial: Tensor, texts: TokenBatch, indices: Ints
    ) -> Tensor:
        """Unit averages of texts before training, which are remembered if they fit.

        Of the texts in order: another order rounds in another way, and a fit that
        resumes would differ.
        """
        if self._averages is not None and self._has_average[indices].all():
            return gather_rows(self._averages, to_device(indices, self.device))
        pooling = self.composition.start_pooling
        ids = to_device(texts.ids, self.device)
        found = unit_vectors(pool(initial, ids, texts.offsets, pooling))
        shape = len(self.texts), found.shape[1]
        if found.element_size() * shape[0] * shape[1] <= _MAX_STARTS:
            if self._averages is None:
                self._averages = found.new_empty(shape)
            self._averages[to_device(indices, self.device)] = found
            self._has_average[indices] = True
        return found

    def penalty(self, name: str) -> float:
        """Lambda of a parameter."""
        return float(self.optimizer.composition_penalty)

    def constant_loss(self) -> float:
        """The loss of the first batch if all texts had the same vector.

        Unknown for labels: texts of one class may be as different as any others.
        """
        if not self.loss._is_contrastive or self.has_classes:
            return super().constant_loss()
        first = np.arange(self.slices()[0].stop)
        indices = self._indices(first)
        vectors = torch.ones((len(indices), self.composition.dim), device=self.device)
        batch = self._batch(indices, first, RandomState(0))
        with torch.no_grad():
            return float(self.loss.compute(unit_vectors(vectors), batch))

    def parameters_to_change(self) -> str:
        """What may help if the loss is no better than :meth:`constant_loss`."""
        found = super().parameters_to_change()
        if getattr(self.loss, "negatives", "random") != "random":
            found += ', loss ("infonce", or MarginLoss(negatives="random"))'
        return f"{found}, or init (an encoder of short texts)"

    def _batch(
        self, indices: Ints, chosen: Ints, random_state: RandomState
    ) -> LossBatch:
        rows = chosen if self.teacher is None else indices

        def select(values: Tensor | None) -> Tensor | None:
            if values is None:
                return None
            return values.index_select(0, to_device(rows, self.device))

        return LossBatch(
            indices if self.identities is None else self.identities[indices],
            random_state,
            select(self.scores if self.teacher is None else self.teacher),
            n_hard=max(len(indices) - 2 * len(chosen), 0),
            has_classes=self.has_classes,
            weights=select(self.weights),
        )

    def _loss(
        self, leaf: Tensor, ids: Tensor, offsets: Ints, batch: LossBatch
    ) -> Tensor:
        rate = self.optimizer.word_dropout or self.composition.dropout
        if not (rate and hasattr(self.loss, "choose")):
            return self.loss.compute(self._embed(leaf, ids, offsets, rate), batch)
        # Negatives are chosen without dropout, and embedded again with other masks.
        with torch.no_grad():
            chosen, has_negative = self.loss.choose(
                self._embed(leaf, ids, offsets, 0.0), batch
            )
        again = TokenBatch(np.arange(len(ids), dtype=np.int32), offsets).take(
            np.concatenate([np.arange(len(chosen)), chosen.cpu().numpy()])
        )
        ids = ids[to_device(again.ids, ids.device)]
        unit = self._embed(leaf, ids, again.offsets, rate)
        rows = torch.arange(len(chosen), 2 * len(chosen), device=unit.device)
        return self.loss.compare(unit, rows, has_negative, batch.weights)

    def _embed(self, leaf: Tensor, ids: Tensor, offsets: Ints, rate: float) -> Tensor:
        """Unit vectors, with dropout on every number of every token's vector.

        If the composition has a dropout of its own, also or only inside of it.
        """
        generator = None
        if rate:
            seed = self.random_state.randint(np.iinfo(np.int32).max)
            generator = torch.Generator(leaf.device).manual_seed(int(seed))
        if self.composition.dropout:
            self.composition.generator = generator
        if generator is not None and self.optimizer.word_dropout:
            drawn = leaf.new_empty(len(ids), leaf.shape[1])
            kept = drawn.uniform_(generator=generator) >= rate
            leaf = leaf.index_select(0, ids) * kept / (1 - rate)
            ids = torch.arange(len(ids), device=ids.device)
        return unit_vectors(self.compose(leaf, ids, offsets))


def _scrambled(
    offsets: Ints, probability: float, random_state: RandomState, texts_per_example: int
) -> Ints:
    """An order of the tokens: random inside the texts of some examples."""
    lengths = np.diff(offsets)
    drawn = random_state.random_sample(len(lengths) // texts_per_example)
    chosen = np.repeat(drawn < probability, texts_per_example)
    texts = np.repeat(np.arange(len(lengths)), lengths)
    keys = np.where(chosen[texts], random_state.random_sample(len(texts)), 0.0)
    return np.lexsort((keys, texts))  # stable: equal keys keep their order
