"""Objectives of training: losses of paraphrases, and of outputs with targets."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor, nn

from skparaphrase._loss_batch import LossBatch
from skparaphrase.networks import Composition, Head, Sentences, pool, to_device
from skparaphrase.networks._heads import TARGET_LOSSES, binary_cross_entropy_losses
from skparaphrase.networks._table import Ints, WordTable, gather_rows, unit_vectors
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervision._examples import EncodedExamples
from skparaphrase.text._lookup import TokenBatch

_MAX_STARTS = 1 << 28  # bytes of remembered averages


class Batch(NamedTuple):
    """The examples of a step.

    Attributes
    ----------
    tokens : TokenBatch
        The texts or words to embed.
    rows : ndarray of int
        The examples; for a tagger, the words in `targets`.
    n_examples : int
    indices : ndarray of int of shape (n_texts,) or (n_pairs, 2), default=None
        Indices of the texts that are embedded or compared.
    arguments : tuple, default=()
        Arguments of a network after vectors, ids and offsets; a random state follows.
    """

    tokens: TokenBatch
    rows: Ints
    n_examples: int
    indices: Any = None
    arguments: tuple[Any, ...] = ()


class Objective(ABC):
    """Base class of objectives for training a module on a table of vectors.

    Attributes
    ----------
    module : Module
        The module that is trained, in addition to the table.
    examples : EncodedExamples
    anchors : dict of str to Tensor
        Values that penalties pull parameters towards; others are pulled towards zero.
    compose : callable
        Takes a table, ids and offsets of texts, and returns one row per `texts_per_row`
        texts.
    texts_per_row : int or None
        None if rows also depend on other texts of the batch, so processes cannot share
        them.
    has_order : bool
        Whether an optimizer may keep the examples in order.
    vectors_rate : float
        Factor of the learning rate of the table.
    """

    has_order = True
    texts_per_row: int | None = None
    vectors_rate = 1.0
    min_batch_size = 0
    compose: Callable[..., Tensor]

    device: torch.device
    initial: Tensor | None  # the initial table
    random_state: RandomState
    targets: Any  # None, or tensors
    weights: Any

    def __init__(
        self,
        module: nn.Module,
        examples: EncodedExamples,
        anchors: Mapping[str, Tensor] | None = None,
    ) -> None:
        self.module = module
        self.examples = examples
        self.anchors = dict(anchors or {})

    def begin(self, table: WordTable, random_state: RandomState) -> None:
        """Move all data of a step to the device of the table."""
        self.device, self.initial = table.weight.device, table.anchors
        self.random_state = random_state
        self.module.to(self.device)
        self.anchors = {name: to.to(self.device) for name, to in self.anchors.items()}
        self.targets, self.weights = (
            None if values is None else torch.from_numpy(values).to(self.device)
            for values in (self.examples.targets, self.examples.weights)
        )

    @abstractmethod
    def batch(self, chosen: Ints) -> Batch:
        """Make a batch of the examples with these indices."""

    @abstractmethod
    def loss(self, leaf: Tensor, ids: Tensor, batch: Batch) -> Tensor:
        """The mean loss of a batch, without penalties.

        Parameters
        ----------
        leaf : Tensor of shape (n_rows, dim)
            The rows of the table that the batch uses.
        ids : Tensor of shape (n_tokens,)
            Their positions in `leaf`.
        batch : Batch
        """

    def share(self, batch: Batch) -> float:
        """The weight of a batch in the mean over all batches."""
        return 1.0

    def penalty(self, name: str, optimizer: Optimizer) -> float:
        """Penalty (lambda) of a parameter of the module."""
        return float(optimizer.composition_penalty)

    def constant_loss(self, first: Ints) -> float:
        """Approximate loss of a constant output for all texts; NaN if unknown.

        `first` are the examples of the first batch.
        """
        return float("nan")

    def parameters_to_change(self) -> str:
        """Parameters to change if the loss is not below :meth:`constant_loss`."""
        return "learning_rate"


class ParaphraseObjective(Objective):
    """Objective with a loss on unit vectors of texts.

    Parameters
    ----------
    composition : Composition
    loss : Loss
        See :class:`skparaphrase.losses.BaseLoss`.
    examples : EncodedExamples
        At least two.
    optimizer : Optimizer
        Its `scramble` and `word_dropout` change the texts.
    """

    min_batch_size = 2  # a single last pair joins the batch before it

    def __init__(
        self,
        composition: Composition,
        loss: Any,
        examples: EncodedExamples,
        optimizer: Optimizer,
    ) -> None:
        super().__init__(composition, examples, composition.anchors)
        self.composition = self.compose = composition
        # Otherwise, the vector of a text depends on its batch, or on a draw for the
        # batch.
        if composition.batch_size is None and not composition.dropout:
            self.texts_per_row = 1
        self.loss_of_texts = loss
        # Otherwise, partners are drawn, or paraphrases come before other pairs.
        self.has_order = not (examples.has_classes or examples.n_negative)
        self.scramble = optimizer.scramble
        self.word_dropout = optimizer.word_dropout
        self._averages: Tensor | None = None  # unit averages before training
        self._has_average = np.zeros(len(examples.texts), dtype=bool)

    def batch(self, chosen: Ints) -> Batch:
        """The texts of some examples: texts of pairs, followed by hard negatives.

        Pairs marked 0 follow the paraphrases.
        """
        if self.examples.n_negative:
            chosen = np.sort(chosen)
        rows = self.examples.indices[chosen]
        if rows.ndim > 1:
            rows = np.concatenate([rows[:, :2].ravel(), rows[:, 2:].ravel()])
        return Batch(self.examples.texts.take(rows), chosen, len(chosen), rows)

    def loss(self, leaf: Tensor, ids: Tensor, batch: Batch) -> Tensor:
        """The mean loss of a batch, without penalties."""
        offsets, n_texts = batch.tokens.offsets, len(batch.tokens)
        if self.scramble:
            n_together = 2 if n_texts == 2 * batch.n_examples else 1
            order = _scrambled(offsets, self.scramble, self.random_state, n_together)
            ids = ids[to_device(order, ids.device)]
        start = None
        if self.initial is not None and self.loss_of_texts._uses_start:
            start = self._initial_averages(self.initial, batch)
        loss_batch = self._loss_batch(batch, self.random_state, start)
        return self._loss(leaf, ids, offsets, loss_batch)

    @torch.no_grad()
    def _initial_averages(self, initial: Tensor, batch: Batch) -> Tensor:
        """Unit averages of texts before training, stored if they fit in memory.

        Texts are read in order, because another order rounds differently, and a resumed
        fit would differ.
        """
        indices, texts, device = batch.indices, batch.tokens, initial.device
        if self._averages is not None and self._has_average[indices].all():
            return gather_rows(self._averages, to_device(indices, device))
        pooling = self.composition.start_pooling
        ids = to_device(texts.ids, device)
        averages = unit_vectors(pool(initial, ids, texts.offsets, pooling))
        shape = len(self._has_average), averages.shape[1]
        if averages.element_size() * shape[0] * shape[1] <= _MAX_STARTS:
            if self._averages is None:
                self._averages = averages.new_empty(shape)
            self._averages[to_device(indices, device)] = averages
            self._has_average[indices] = True
        return averages

    def constant_loss(self, first: Ints) -> float:
        """The loss of the first batch if all texts had the same vector.

        It is unknown for labels, because texts of one class may differ as much as any
        others.
        """
        if not self.loss_of_texts._is_contrastive or self.examples.has_classes:
            return super().constant_loss(first)
        if self.examples.n_negative:  # a batch contains a share of them
            first = np.linspace(0, len(self.examples) - 1, len(first)).astype(np.intp)
        batch = self.batch(first)
        shape = len(batch.tokens), self.composition.dim
        vectors = torch.ones(shape, device=self.device)
        loss_batch = self._loss_batch(batch, RandomState(0), None)
        with torch.no_grad():
            return float(self.loss_of_texts.compute(unit_vectors(vectors), loss_batch))

    def parameters_to_change(self) -> str:
        """Parameters to change if the loss is not below :meth:`constant_loss`."""
        names = super().parameters_to_change()
        if getattr(self.loss_of_texts, "negatives", "random") != "random":
            names += ', loss ("infonce", or MarginLoss(negatives="random"))'
        return f"{names}, or init (an encoder of short texts)"

    def _loss_batch(
        self, batch: Batch, random_state: RandomState, start: Tensor | None
    ) -> LossBatch:
        """The batch in the form that losses take."""
        indices, examples = batch.indices, self.examples
        rows = indices if examples.of_texts else batch.rows
        n_paraphrases = len(examples) - examples.n_negative

        def select(values: Tensor | None) -> Tensor | None:
            if values is None:
                return None
            return values.index_select(0, to_device(rows, values.device))

        return LossBatch(
            indices if examples.identities is None else examples.identities[indices],
            random_state,
            select(self.targets),
            n_negative=int((batch.rows >= n_paraphrases).sum()),
            n_hard=max(len(indices) - 2 * len(batch.rows), 0),
            has_classes=examples.has_classes,
            start=start,
            weights=select(self.weights),
        )

    def _loss(
        self, leaf: Tensor, ids: Tensor, offsets: Ints, batch: LossBatch
    ) -> Tensor:
        rate = self.word_dropout or self.composition.dropout
        if not (rate and hasattr(self.loss_of_texts, "choose")):
            unit = self._embed(leaf, ids, offsets, rate)
            loss = self.loss_of_texts.compute(unit, batch)
            if loss.ndim:
                raise ValueError(
                    f"{type(self.loss_of_texts).__name__}.compute must return one "
                    f"number, such as a mean; got shape {tuple(loss.shape)}."
                )
            return loss
        # Negatives are chosen without dropout and embedded again with other masks.
        with torch.no_grad():
            unit = self._embed(leaf, ids, offsets, 0.0)
            chosen, has_negative = self.loss_of_texts.choose(unit, batch)
        again = TokenBatch(np.arange(len(ids), dtype=np.int32), offsets).take(
            np.concatenate([np.arange(len(chosen)), chosen.cpu().numpy()])
        )
        ids = ids[to_device(again.ids, ids.device)]
        unit = self._embed(leaf, ids, again.offsets, rate)
        rows = torch.arange(len(chosen), 2 * len(chosen), device=unit.device)
        return self.loss_of_texts.compare(unit, rows, has_negative, batch.weights)

    def _embed(self, leaf: Tensor, ids: Tensor, offsets: Ints, rate: float) -> Tensor:
        """Unit vectors, with dropout of the components of token vectors.

        If the composition has its own dropout, that is also applied, or applied
        instead.
        """
        generator = None
        if rate:
            seed = self.random_state.randint(np.iinfo(np.int32).max)
            generator = torch.Generator(leaf.device).manual_seed(int(seed))
        if self.composition.dropout:
            self.composition.generator = generator
        if generator is not None and self.word_dropout:
            drawn = leaf.new_empty(len(ids), leaf.shape[1])
            kept = drawn.uniform_(generator=generator) >= rate
            leaf = leaf.index_select(0, ids) * kept / (1 - rate)
            ids = torch.arange(len(ids), device=ids.device)
        return unit_vectors(self.compose(leaf, ids, offsets))


class TargetObjective(Objective):
    """Objective with a loss on the outputs of a network with targets.

    Parameters
    ----------
    module : Module
        Returns logits, given vectors, ids, offsets and the arguments of a batch. The
        penalty of parameters named "composition.*" is lambda_c, and the penalty of
        others lambda_s.
    loss : {"divergence", "cross_entropy", "binary_cross_entropy", "hinge", "tags"}
    examples : EncodedExamples
    anchors : mapping of str to Tensor, default=None
        Values that penalties pull parameters of the composition towards; by default,
        the values that it defines.
    """

    def __init__(
        self,
        module: nn.Module,
        loss: str,
        examples: EncodedExamples,
        anchors: Mapping[str, Tensor] | None = None,
    ) -> None:
        composition = getattr(module, "composition", None)
        if anchors is None and isinstance(composition, Composition):
            anchors = composition.anchors
        anchors = {f"composition.{name}": to for name, to in (anchors or {}).items()}
        super().__init__(module, examples, anchors)
        self.compose = module
        self.losses = TARGET_LOSSES[loss]

    def batch(self, chosen: Ints) -> Batch:
        """The texts of some examples, end to end."""
        texts = self.examples.texts.take(self.examples.indices[chosen].ravel())
        return Batch(texts, chosen, len(chosen))

    def loss(self, leaf: Tensor, ids: Tensor, batch: Batch) -> Tensor:
        """The mean loss of a batch, without penalties."""
        texts = leaf, ids, batch.tokens.offsets
        if batch.arguments:
            texts = *texts, *batch.arguments, self.random_state
        return self.mean_loss(self.compose(*texts), batch.rows)

    def share(self, batch: Batch) -> float:
        """The weight of a batch, which is larger if its examples have more targets."""
        per_example = len(self.targets) / len(self.examples)
        return len(batch.rows) / batch.n_examples / per_example

    def constant_loss(self, first: Ints) -> float:
        """The loss if the output is always the mean target; unknown for tags."""
        if self.targets.ndim == 1:
            return super().constant_loss(first)
        weights = torch.ones_like(self.targets)
        if self.weights is not None:
            weights = weights * self.weights.reshape(len(weights), -1)
        mean = (self.targets * weights).sum(dim=0) / weights.sum(dim=0)
        is_binary = self.losses is binary_cross_entropy_losses
        logits = mean.logit(1e-6) if is_binary else mean.clamp_min(1e-9).log()
        logits = logits.expand_as(self.targets)
        return float(self.mean_loss(logits, np.arange(len(self.targets))))

    def mean_loss(self, logits: Tensor, rows: Ints) -> Tensor:
        """The weighted mean loss of some outputs, given the rows of their targets."""
        chosen = to_device(rows, logits.device)
        losses = self.losses(logits, self.targets[chosen])
        if self.weights is not None:
            weights = self.weights[chosen]
            if weights.ndim < losses.ndim:
                weights = weights[:, None]
            losses = losses * weights
        return losses.mean()

    def penalty(self, name: str, optimizer: Optimizer) -> float:
        """Penalty (lambda) of a parameter of the module."""
        if name.startswith("composition."):
            return super().penalty(name, optimizer)
        return float(optimizer.head_penalty)


class HeadObjective(TargetObjective):
    """A composition, with a head on the vectors of the texts of an example.

    `prior` has the values that the penalty pulls the composition's parameters towards;
    by default, the composition defines them.
    """

    def __init__(
        self,
        composition: Composition,
        head: Head,
        loss: str,
        examples: EncodedExamples,
        prior: Mapping[str, Any] | None = None,
    ) -> None:
        module = nn.ModuleDict({"composition": composition, "head": head})
        anchors = None
        if prior is not None:
            anchors = {name: torch.tensor(array) for name, array in prior.items()}
        super().__init__(module, loss, examples, anchors)
        self.compose = lambda *texts: head(composition(*texts))
        if composition.batch_size is None:
            self.texts_per_row = head.n_texts


class InteractionObjective(TargetObjective):
    """A network that reads distinct texts, and the indices of compared texts."""

    def batch(self, chosen: Ints) -> Batch:
        """The distinct texts of some pairs."""
        distinct, pairs = np.unique(self.examples.indices[chosen], return_inverse=True)
        texts, arguments = self.examples.texts.take(distinct), (pairs.reshape(-1, 2),)
        return Batch(texts, chosen, len(chosen), arguments=arguments)


class TaggingObjective(TargetObjective):
    """A tagger of the words of sentences; `targets` are end to end."""

    def batch(self, chosen: Ints) -> Batch:
        """The words of some sentences, and their positions."""
        sentences: Sentences = self.examples.texts
        part, offsets = sentences.take(chosen), sentences.sentences.offsets
        positions = np.arange(offsets[-1], dtype=np.int32)
        rows = TokenBatch(positions, offsets).take(chosen).ids.astype(np.int64)
        arguments = part.capitals, part.sentences
        return Batch(part.words, rows, len(chosen), arguments=arguments)


def _scrambled(
    offsets: Ints, probability: float, random_state: RandomState, texts_per_example: int
) -> Ints:
    """An order of the tokens, which is random inside the texts of some examples."""
    lengths = np.diff(offsets)
    drawn = random_state.random_sample(len(lengths) // texts_per_example)
    chosen = np.repeat(drawn < probability, texts_per_example)
    texts = np.repeat(np.arange(len(lengths)), lengths)
    keys = np.where(chosen[texts], random_state.random_sample(len(texts)), 0.0)
    return np.lexsort((keys, texts))  # stable: equal keys keep their order
