"""AdaGrad and Adam on whole tensors or on some of their rows."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
import torch
from torch import Tensor

State = dict[str, dict[str, Any]]


def clip_norm_(gradient: Tensor, clip_norm: float) -> None:
    """Scale one gradient tensor down to a norm, as the papers' code does.

    Every tensor by itself, not all together: the factor is
    min(norm, clip_norm) / (norm + 1e-7).
    """
    norm = torch.linalg.vector_norm(gradient)
    gradient *= norm.clamp(max=clip_norm) / (norm + 1e-7)


class Optimizer:
    """Base of optimisers that know tensors by name.

    Parameters
    ----------
    learning_rate : float

    Attributes
    ----------
    state : dict of name to dict
        What is remembered of each tensor: tensors of its shape, and step counts.
    """

    def __init__(self, learning_rate: float) -> None:
        self.learning_rate = learning_rate
        self.state: State = {}

    def step(
        self,
        name: str,
        parameter: Tensor,
        gradient: Tensor,
        values: Tensor,
        rows: Tensor | None = None,
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
            Which rows of `parameter` are updated. They do not repeat.
        """
        raise NotImplementedError

    def numpy(self) -> State:
        """The state in arrays, to be kept."""
        return {
            name: {
                key: value.cpu().numpy() if isinstance(value, Tensor) else value
                for key, value in state.items()
            }
            for name, state in self.state.items()
        }

    def load(self, state: State, device: torch.device) -> None:
        """Go on from what :meth:`numpy` gave."""
        self.state = {
            name: {
                key: torch.tensor(value, device=device)
                if isinstance(value, np.ndarray)
                else value
                for key, value in remembered.items()
            }
            for name, remembered in state.items()
        }

    def _memory(self, name: str, key: str, parameter: Tensor) -> Tensor:
        state = self.state.setdefault(name, {})
        if key not in state:
            state[key] = torch.zeros_like(parameter)
        memory: Tensor = state[key]
        return memory


class AdaGrad(Optimizer):
    """Duchi et al. (2011) as in Lasagne: g / sqrt(sum of g^2 + 1e-6)."""

    def step(
        self,
        name: str,
        parameter: Tensor,
        gradient: Tensor,
        values: Tensor,
        rows: Tensor | None = None,
    ) -> None:
        """See :meth:`Optimizer.step`. With rows, exactly the dense update of them."""
        memory = self._memory(name, "square", parameter)
        square = memory if rows is None else memory.index_select(0, rows)
        square.addcmul_(gradient, gradient)
        if rows is not None:
            memory.index_copy_(0, rows, square)
        scale = square + 1e-6 if rows is None else square.add_(1e-6)
        scale.rsqrt_()
        values.addcmul_(gradient, scale, value=-self.learning_rate)


class Adam(Optimizer):
    """Kingma & Ba (2015), with betas 0.9 and 0.999 and eps 1e-8.

    With rows, the moments of the other rows stand still (lazy Adam); a dense update
    keeps moving a word in batches that do not hold it, as in the papers' code.
    """

    beta1, beta2, eps = 0.9, 0.999, 1e-8

    def step(
        self,
        name: str,
        parameter: Tensor,
        gradient: Tensor,
        values: Tensor,
        rows: Tensor | None = None,
    ) -> None:
        """See :meth:`Optimizer.step`."""
        means = self._memory(name, "mean", parameter)
        squares = self._memory(name, "square", parameter)
        state = self.state[name]
        state["n_steps"] = n_steps = state.get("n_steps", 0) + 1
        mean = means if rows is None else means.index_select(0, rows)
        square = squares if rows is None else squares.index_select(0, rows)
        mean.lerp_(gradient, 1 - self.beta1)
        square.mul_(self.beta2).addcmul_(gradient, gradient, value=1 - self.beta2)
        if rows is not None:
            means.index_copy_(0, rows, mean)
            squares.index_copy_(0, rows, square)
        correction = (1 - self.beta2**n_steps) ** 0.5 / (1 - self.beta1**n_steps)
        denominator = square.sqrt().add_(self.eps)
        values.addcdiv_(mean, denominator, value=-self.learning_rate * correction)


OPTIMIZERS: dict[str, type[Optimizer]] = {"adagrad": AdaGrad, "adam": Adam}
