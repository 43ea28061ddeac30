"""AdaGrad, Adam, RMSProp and SGD on whole tensors or on some of their rows."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import mmap
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.optim.adagrad import adagrad
from torch.optim.adam import adam

from skparaphrase.networks import gather_rows, scatter_rows

State = dict[str, dict[str, Any]]

_LARGE = 1 << 29  # bytes
_FUSED: dict[str, Any] = {"fused": True, "weight_decay": 0.0, "maximize": False}
_CLEARLY = 1.001  # more than what rounding adds to a distance
_CHUNK = 2048  # rows updated at a time, so that their arrays stay in the cache


def clip_norm_(gradient: Tensor, clip_norm: float) -> None:
    """Scale one gradient tensor down to a norm, as the papers' code does.

    Each tensor by itself: the factor is min(norm, clip_norm) / (norm + 1e-7).
    """
    norm = torch.linalg.vector_norm(gradient)
    gradient *= norm.clamp(max=clip_norm) / (norm + 1e-7)


class ChangeLimits:
    """How far a step may take rows from their initial values.

    `most * |initial|`, or their distance before the step, if that is clearly more: an
    earlier fit without a limit is not undone. The first is remembered, on a CPU, for
    rows that a step has found within it, since they stay so.

    Parameters
    ----------
    most : float
        Not used if it is None.
    """

    def __init__(self, most: Any) -> None:
        self.most = most
        self._known: Tensor | None = None  # of all rows; NaN until it is known

    def for_rows(
        self, values: Tensor, initial: Tensor, rows: Tensor | None, n_rows: int
    ) -> Tensor:
        """The limits of some `rows` of `n_rows`, or of all, shape (len(values), 1)."""
        if rows is None or rows.device.type != "cpu":
            return self._compute(values, initial)
        if self._known is None:
            self._known = values.new_full((n_rows, 1), torch.nan)
        limits = self._known[rows]
        new = limits[:, 0].isnan().nonzero()[:, 0]
        if len(new):
            few, start = values[new], initial[new]
            found = limits[new] = self._compute(few, start)
            found[found > self.most * _lengths(start)] = torch.nan
            self._known[rows[new]] = found
        return limits

    def _compute(self, values: Tensor, initial: Tensor) -> Tensor:
        limits, before = self.most * _lengths(initial), _lengths(values - initial)
        return torch.where(before > _CLEARLY * limits, before, limits)


def limit_change_(rows: Tensor, initial: Tensor, limits: Tensor) -> None:
    """Move rows back to the distance `limits` from their initial values."""
    distances = _lengths(rows - initial)
    kept = (limits / distances.clamp_min_(1e-30)).clamp_(max=1)
    torch.lerp(initial, rows, kept, out=rows)  # the row itself, to the bit, where 1


def _lengths(rows: Tensor) -> Tensor:
    return torch.linalg.vector_norm(rows, dim=1, keepdim=True)


class UpdateRule:
    """Base of update rules, which know tensors by name.

    A subclass names its `moments` and implements `_update`.

    Attributes
    ----------
    state : dict of name to dict
        For each tensor its moments, tensors of its shape, and "n_steps".
    """

    moments: tuple[str, ...]

    def __init__(self, learning_rate: float, momentum: float = 0.95) -> None:
        self.learning_rate = learning_rate
        self.momentum = momentum  # of SGD
        self.state: State = {}
        self._kept: dict[str, Tensor] = {}

    def step(
        self,
        name: str,
        parameter: Tensor,
        gradient: Tensor,
        values: Tensor,
        rows: Tensor | None = None,
        factor: float = 1.0,
    ) -> None:
        """Update `values` in place.

        Parameters
        ----------
        name : str
        parameter : Tensor
            The whole tensor; not changed, unless `values` is a view of it.
        gradient : Tensor of the shape of `values`
        values : Tensor
            `parameter` itself, or a copy of its `rows`.
        rows : Tensor of shape (n_rows,), default=None
            The rows of `parameter` to update, without repetition.
        factor : float, default=1.0
            Multiplies the learning rate.
        """
        rate = factor * self.learning_rate
        state = self.state.setdefault(name, {})
        for key in self.moments:
            if key not in state:
                state[key] = _zeros_like(parameter)
            elif state[key].stride() != parameter.stride():  # it was loaded
                state[key] = torch.empty_like(parameter).copy_(state[key])
        state["n_steps"] = n_steps = state.get("n_steps", 0) + 1
        moments = [state[key] for key in self.moments]
        if rows is None:
            tensors = [values, gradient, *moments, torch.empty_like(values)]
            self._update(tensors, n_steps, rate)
            return
        if not len(rows):  # texts without tokens only
            return
        # New tensors of the size of a batch cost more than the arithmetic.
        size = min(_CHUNK, len(rows)) if rows.device.type == "cpu" else len(rows)
        buffers = self._buffers(name, size, values)
        for start in range(0, len(rows), size):
            chunk = rows[start : start + size]
            few = slice(start, start + len(chunk))
            *parts, scratch = buffers[:, : len(chunk)]
            for moment, part in zip(moments, parts, strict=True):
                gather_rows(moment, chunk, part)
            tensors = [values[few], gradient[few], *parts, scratch]
            self._update(tensors, n_steps, rate)
            for moment, part in zip(moments, parts, strict=True):
                scatter_rows(moment, chunk, part)

    def _update(self, tensors: list[Tensor], n_steps: int, rate: float) -> None:
        """Change values and moments in place.

        `tensors` are the values, the gradient, the moments and one for results in
        between, all of the same shape.
        """
        raise NotImplementedError

    def _buffers(self, name: str, size: int, like: Tensor) -> Tensor:
        """Scratch space for each moment and one more, shape (n, >= size, ...)."""
        kept = self._kept.get(name)
        if kept is None or kept.shape[1] < size:
            kept = like.new_empty((len(self.moments) + 1, size, *like.shape[1:]))
            self._kept[name] = kept
        return kept

    def state_dict(self) -> State:
        """The state in arrays, which share memory with it on a CPU."""
        return {
            name: {
                key: value.cpu().numpy() if isinstance(value, Tensor) else value
                for key, value in state.items()
            }
            for name, state in self.state.items()
        }

    def load_state_dict(self, state: State, device: torch.device) -> None:
        """Resume from what :meth:`state_dict` gave; on a CPU, in these very arrays."""
        self.state = {
            name: {key: _on_device(value, device) for key, value in kept.items()}
            for name, kept in state.items()
        }


def _zeros_like(parameter: Tensor) -> Tensor:
    """Zeros; on a CPU, only the rows in use take memory, and time to clear it."""
    shape, size = tuple(parameter.shape), parameter.nbytes
    is_plain = parameter.dtype == torch.float32 and parameter.is_contiguous()
    if parameter.device.type != "cpu" or not is_plain:
        return torch.zeros_like(parameter)
    if size < _LARGE or not hasattr(mmap, "MADV_NOHUGEPAGE"):
        return torch.from_numpy(np.zeros(shape, dtype=np.float32))
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    # NumPy asks for pages of 2 MB, and a few words in each would use all memory.
    with suppress(OSError):  # a kernel without huge pages
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return torch.from_numpy(np.frombuffer(memory, dtype=np.float32).reshape(shape))


def _on_device(value: Any, device: torch.device) -> Any:
    """A tensor of an array; any other value as it is."""
    if not isinstance(value, np.ndarray):
        return value
    if device.type == "cpu" and value.flags.writeable:
        return torch.from_numpy(value)
    return torch.tensor(value, device=device)


def _adam(tensors: list[Tensor], n_steps: float, **settings: Any) -> None:
    """A fused step of Adam on values, gradient, mean and mean square."""
    values, gradient, mean, square = tensors
    steps = [values.new_full((), n_steps - 1.0)]
    settings |= {"amsgrad": False, **_FUSED}
    adam([values], [gradient], [mean], [square], [], steps, **settings)


class AdaGrad(UpdateRule):
    """Duchi et al. (2011) as in Lasagne: g / sqrt(sum of g^2 + 1e-6).

    With rows, exactly the dense update of them.
    """

    moments = ("square",)

    def _update(self, tensors: list[Tensor], n_steps: int, rate: float) -> None:
        values, gradient, square, scratch = tensors
        square.clamp_(min=1e-6)  # includes eps from the first step
        if values.device.type != "cpu":
            square.addcmul_(gradient, gradient)
            root = torch.sqrt(square, out=scratch)
            values.addcdiv_(gradient, root, value=-rate)
            return
        steps = [square.new_zeros(())]
        settings = {"lr": rate, "lr_decay": 0.0, "eps": 0.0, **_FUSED}
        adagrad([values], [gradient], [square], steps, has_complex=False, **settings)


class Adam(UpdateRule):
    """Kingma & Ba (2015), with betas 0.9 and 0.999 and eps 1e-8.

    With rows, the moments of other rows stand still (lazy Adam). A dense update, as in
    the papers' code, also moves words that the batch does not contain.
    """

    moments = ("mean", "square")
    beta1, beta2, eps = 0.9, 0.999, 1e-8

    def _update(self, tensors: list[Tensor], n_steps: int, rate: float) -> None:
        # Its eps is added after the correction of the root.
        eps = self.eps / float((1 - self.beta2**n_steps) ** 0.5)
        betas = {"beta1": self.beta1, "beta2": self.beta2}
        _adam(tensors[:4], n_steps, lr=rate, eps=eps, **betas)


class RMSProp(UpdateRule):
    """Tieleman & Hinton (2012) as in Torch: g / (root of the mean of g^2 + 1e-8).

    The mean decays by 0.99 and starts at zero, without bias correction.
    """

    moments = ("square",)
    alpha, eps = 0.99, 1e-8

    def _update(self, tensors: list[Tensor], n_steps: int, rate: float) -> None:
        values, gradient, square, scratch = tensors
        # Adam without its mean, after so many steps that the bias correction is 1.
        tensors = [values, gradient, scratch.zero_(), square]
        _adam(tensors, 1e9, lr=rate, beta1=0.0, beta2=self.alpha, eps=self.eps)


class SGD(UpdateRule):
    """Gradient descent with momentum: v = momentum v - rate g; x = x + v.

    With rows, the velocities of other rows stand still.
    """

    moments = ("velocity",)

    def _update(self, tensors: list[Tensor], n_steps: int, rate: float) -> None:
        values, gradient, velocity, _ = tensors
        velocity.mul_(self.momentum).sub_(gradient, alpha=rate)
        values.add_(velocity)


RULES: dict[str, type[UpdateRule]] = {
    "adagrad": AdaGrad,
    "adam": Adam,
    "rmsprop": RMSProp,
    "sgd": SGD,
}
