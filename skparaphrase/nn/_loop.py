"""The one training loop: epochs, batches, penalties and updates."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from threading import Lock, local
from typing import Any

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn

from skparaphrase._threads import available_threads, in_worker
from skparaphrase.nn._ahead import run_ahead
from skparaphrase.nn._distributed import Compute, Processes, own_device
from skparaphrase.nn._optimizers import OPTIMIZERS, clip_norm_
from skparaphrase.nn._table import WordTable


@dataclass(frozen=True, kw_only=True)
class LoopOptions:
    """Settings that all trainers have; the estimators document them."""

    optimizer: str
    learning_rate: float
    batch_size: int
    clip_norm: float | None = None  # of each gradient by itself, or
    clip_together: bool = False  # of all
    vectors_penalty: float = 0.0
    vectors_rate: float = 1.0  # factor of the learning rate
    momentum: float = 0.95  # of "sgd"


class Loop:
    """Base of trainers: a module on top of a table of vectors.

    A subclass says what the loss of a batch is, and how a parameter is penalised.
    Parameters that require no gradient stay as they are.

    Parameters
    ----------
    module : Module
        What is trained beside the table.

    table : WordTable

    options : LoopOptions

    random_state : RandomState
        All randomness comes from here.

    Attributes
    ----------
    first_epoch : int
        Where to go on: epochs of this training that another process has done.
    """

    first_epoch = 0

    def __init__(
        self,
        module: nn.Module,
        table: WordTable,
        options: LoopOptions,
        random_state: RandomState,
    ) -> None:
        self.module = module
        self.table = table
        self.random_state = random_state
        more = {"momentum": options.momentum} if options.optimizer == "sgd" else {}
        self.optimizer = OPTIMIZERS[options.optimizer](options.learning_rate, **more)
        self.options = options
        self.processes: Processes | None = None  # that take each step together

    def _penalty(self, name: str) -> tuple[float, Tensor | None]:
        """Lambda of a parameter of the module, and what pulls it; None is zero."""
        raise NotImplementedError

    def _shared(self) -> dict[str, Any]:
        """What processes that train together have in common, by a name for it."""
        return {
            "vectors": self.table.weight,
            "parameters": tuple(self.module.parameters()),
            "random numbers": self.random_state.get_state(),
        }

    def _check_alike(self, **data: Any) -> None:
        """Raise if processes that train together have parted."""
        if self.processes is not None:
            self.processes.check_alike(
                {**data, **self._shared()}, self.table.weight.device
            )

    def _spread(
        self,
        compute: Compute,
        tokens: Sequence[Tensor],
        offsets: NDArray[np.int64],
        together: int = 1,
    ) -> Tensor:
        """The rows that `compute` gives, by all processes; see `Processes.spread`."""
        if self.processes is None:
            return compute(*tokens, offsets)
        return self.processes.spread(compute, tokens, offsets, together)

    def _epochs(
        self,
        n_examples: int,
        step: Callable[[Any], Tensor],
        *,
        n_epochs: int,
        slices: Callable[[int, int], list[slice]],
        ordered_first_epoch: bool = False,
        make: Callable[[NDArray[np.intp]], Any] | None = None,
    ) -> Iterator[float]:
        """Take steps, and yield the mean loss of an example after every epoch.

        `step` gets the numbers of the examples of a batch and returns its mean loss.
        Or it gets what `make` made of them; that may run in a thread of its own, some
        batches ahead, and so looks neither at parameters nor at `random_state`.
        """
        for epoch in range(self.first_epoch, n_epochs):
            if ordered_first_epoch and epoch == 0:
                order = np.arange(n_examples)
            else:
                order = self.random_state.permutation(n_examples)
            total = self.table.weight.new_zeros(())
            batches = slices(n_examples, self.options.batch_size)
            examples = (order[batch] for batch in batches)
            made = examples if make is None else _made(make, examples, self.table)
            with closing(made):
                for batch, one in zip(batches, made, strict=True):
                    total += step(one) * (batch.stop - batch.start)
            self._check_alike()
            yield total.item() / n_examples

    def _descend(
        self,
        loss: Tensor,
        leaf: Tensor,
        rows: Tensor | None,
        initial: Tensor | None = None,
    ) -> Tensor:
        """Update on the gradient of a loss and of the penalties; returns the loss.

        `leaf` and `rows` are those that :meth:`WordTable.leaf` gave for the batch.
        `initial` are the rows that the penalty pulls to, if they are at hand.
        """
        loss.backward()
        if self.processes is not None:
            self.processes.sum_gradients([leaf, *self.module.parameters()])
        if self.options.clip_norm is not None and self.options.clip_together:
            tensors = [leaf, *self.module.parameters()]
            nn.utils.clip_grad_norm_(tensors, self.options.clip_norm)
        with torch.no_grad():
            if leaf.requires_grad:
                gradient = leaf.grad
                assert gradient is not None
                penalty = self.options.vectors_penalty
                if penalty:
                    if initial is None:
                        initial = self.table.initial(rows)
                    self.table.add_penalty_(gradient, leaf, initial, penalty)
                self._update(
                    "vectors",
                    self.table.weight,
                    gradient,
                    leaf,
                    rows,
                    self.options.vectors_rate,
                )
                self.table.write(leaf, rows)
            for name, parameter in self.module.named_parameters():
                if parameter.requires_grad:
                    self._update_parameter(name, parameter)
        return loss.detach()

    def _update_parameter(self, name: str, parameter: Tensor) -> None:
        gradient = parameter.grad
        assert gradient is not None
        penalty, anchor = self._penalty(name)
        if penalty:
            gradient.add_(parameter, alpha=penalty)
            if anchor is not None:
                gradient.sub_(anchor, alpha=penalty)
        self._update(name, parameter, gradient, parameter)
        parameter.grad = None

    def _update(
        self,
        name: str,
        parameter: Tensor,
        gradient: Tensor,
        values: Tensor,
        rows: Tensor | None = None,
        factor: float = 1.0,
    ) -> None:
        if self.options.clip_norm is not None and not self.options.clip_together:
            clip_norm_(gradient, self.options.clip_norm)
        self.optimizer.step(name, parameter, gradient, values, rows, factor)


def even_slices(n_examples: int, batch_size: int) -> list[slice]:
    """Where batches begin and end; the last may be smaller."""
    return [
        slice(start, min(start + batch_size, n_examples))
        for start in range(0, n_examples, batch_size)
    ]


def _made(
    make: Callable[[NDArray[np.intp]], Any],
    examples: Iterator[NDArray[np.intp]],
    table: WordTable,
) -> Generator[Any, None, None]:
    """Batches, made ahead if a processor is left for that beside those of a step."""
    if table.weight.device.type != "cpu" or available_threads() > 2:
        return run_ahead(make, examples)
    return (make(chosen) for chosen in examples)


_LIMIT = Lock()
_LIMITED: list[int] = []  # what torch had before, for each thread that trains
_HERE = local()


@contextmanager
def few_threads(*, small_steps: bool = True) -> Iterator[None]:
    """Let torch use half of its threads, and two at most, inside the block.

    The tensors of most steps are small. More threads gain nothing, and where other
    processes want the same processors, threads that wait for each other at every
    operation cost a hundredfold. For steps that are not small it uses all. In a thread
    of joblib or Dask it is one.

    Blocks may run side by side, and one inside another. Torch's number is partly one
    for the whole process, and the first of them knows what it was.
    """
    if getattr(_HERE, "is_limited", False):
        yield
        return
    with _LIMIT:
        before = _LIMITED[0] if _LIMITED else torch.get_num_threads()
        _LIMITED.append(before)
        most = min(max(before // 2, 1), 2) if small_steps else before
        torch.set_num_threads(min(most, available_threads()))
    _HERE.is_limited = True
    try:
        yield
    finally:
        _HERE.is_limited = False
        with _LIMIT:
            _LIMITED.remove(before)
            torch.set_num_threads(before)


def resolve_device(device: str) -> torch.device:
    """The device that a name stands for.

    "auto" is CUDA where there is one, but the CPU in a worker of joblib or Dask: what
    runs side by side would fill one GPU's memory. Of processes that train together each
    has a GPU of its own.
    """
    if device == "auto":
        free = torch.cuda.is_available() and not in_worker()
        return own_device() if free else torch.device("cpu")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(f"device={device!r}, but torch finds no CUDA device here.")
    if device == "cuda":
        return own_device()
    try:
        return torch.device(device)
    except RuntimeError:
        raise ValueError(
            f"device must be 'auto', 'cpu', 'cuda' or another name that torch knows; "
            f"got {device!r}."
        ) from None
