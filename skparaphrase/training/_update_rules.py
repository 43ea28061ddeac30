"""AdaGrad, Adam, RMSProp and SGD on whole tensors or some of their rows."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
import torch
from torch import Tensor

from skparaphrase import _core

State = dict[str, dict[str, Any]]

#: Names of the rules, and the moments that each keeps of every tensor.
RULES = {
    "adagrad": ("square",),
    "adam": ("mean", "square"),
    "rmsprop": ("square",),
    "sgd": ("mean",),
}
_CLEARLY = 1.001  # exceeds the rounding error of a distance


def clip_norm_(gradient: Tensor, clip_norm: float) -> None:
    """Scale one gradient tensor down to a norm, as in the papers' code.

    Each tensor is clipped separately: the factor is min(norm, clip_norm) / (norm +
    1e-7).
    """
    norm = torch.linalg.vector_norm(gradient)
    gradient *= norm.clamp(max=clip_norm) / (norm + 1e-7)


def change_limits(values: Tensor, anchors: Tensor, most: float) -> Tensor:
    """Maximum distance of each row from its anchor after a step, shape (n_rows,).

    This is `most * |anchor|`, or the current distance if that is clearly larger,
    because an earlier fit without a limit is not undone.
    """
    limits, distances = most * _lengths(anchors), _lengths(values - anchors)
    return torch.where(distances > _CLEARLY * limits, distances, limits)


def limit_change_(rows: Tensor, anchors: Tensor, limits: Tensor) -> None:
    """Move rows back to the distance `limits` from their anchors."""
    kept = (limits / _lengths(rows - anchors).clamp_min_(1e-30)).clamp_(max=1)
    # Rows with factor 1 stay bit-identical.
    torch.lerp(anchors, rows, kept[:, None], out=rows)


def _lengths(rows: Tensor) -> Tensor:
    return torch.linalg.vector_norm(rows, dim=1)


class UpdateRule:
    """An update rule of `RULES` for tensors by name; all are cases of one formula.

    "adagrad": Duchi et al. (2011) as in Lasagne, g / sqrt(sum of g^2 + 1e-6). "adam":
    Kingma & Ba (2015), with betas 0.9 and 0.999 and eps 1e-8. "rmsprop": Tieleman &
    Hinton (2012) as in Torch, g / (root of the mean of g^2 + 1e-8); the mean decays by
    0.99 and starts at zero, without bias correction. "sgd": gradient descent with
    momentum, v = momentum v + rate g; x = x - v.

    With rows, the moments of other rows do not change (lazy Adam). A dense update, as
    in the papers' code, also moves words that are not in the batch, except with
    AdaGrad.

    Parameters
    ----------
    name : str
    learning_rate : float
    momentum : float
        Momentum of "sgd".

    Attributes
    ----------
    state : dict of name to dict
        For each tensor, its moments, which are tensors of its shape, and "n_steps".
    """

    def __init__(self, name: str, learning_rate: float, momentum: float = 0.95) -> None:
        self.name = name
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.state: State = {}

    @torch.no_grad()
    def step(
        self,
        name: str,
        parameter: Tensor,
        gradient: Tensor,
        factor: float = 1.0,
        rows: Tensor | None = None,
        anchors: Tensor | None = None,
        limits: Tensor | None = None,
    ) -> None:
        """Update a tensor, or some of its rows, in place.

        Parameters
        ----------
        name : str
        parameter : Tensor
        gradient : Tensor
            It has the shape of `parameter`, or of its `rows`.
        factor : float, default=1.0
            Factor of the learning rate.
        rows : Tensor of shape (n_rows,), default=None
            The rows to update, which must be distinct.
        anchors, limits : Tensor, default=None
            Shapes of `parameter` and (len(parameter),). After the step, no row is
            farther from its anchor than its limit.
        """
        parameter, state = parameter.detach(), self.state.setdefault(name, {})
        for key in RULES[self.name]:
            if key not in state:
                state[key] = torch.zeros_like(parameter)
            elif state[key].stride() != parameter.stride():  # it was loaded
                state[key] = torch.empty_like(parameter).copy_(state[key])
        state["n_steps"] = n_steps = state.get("n_steps", 0) + 1
        constants = self._constants(n_steps, factor * self.learning_rate)
        moments = state.get("mean"), state.get("square")
        tensors: list[Any] = [parameter, *moments, anchors, limits]
        is_plain = parameter.device.type == "cpu" and parameter.is_contiguous()
        # The plain core leaves this to torch.
        update_rows = getattr(_core.core, "update_rows", None)
        if update_rows is not None and is_plain and parameter.dtype == torch.float32:
            tensors = [rows, gradient.contiguous(), *tensors]
            arrays = [None if each is None else each.numpy() for each in tensors]
            update_rows(*arrays, np.array(constants, np.float32))
        elif rows is None:
            _update(constants, gradient, *tensors)
        else:
            parts: list[Any] = [
                None if each is None else each[rows] for each in tensors
            ]
            _update(constants, gradient, *parts)
            for tensor, part in zip(tensors[:3], parts[:3], strict=True):
                if tensor is not None:
                    tensor.index_copy_(0, rows, part)

    def _constants(self, n_steps: int, rate: float) -> list[float]:
        """Rate, (decay and weight) of the mean and of the square, floor, and eps.

        The floor of the square is applied before it decays; eps is added to its root.
        """
        if self.name == "adagrad":
            return [rate, 0.0, 0.0, 1.0, 1.0, 1e-6, 0.0]
        if self.name == "adam":
            rate *= (1 - 0.999**n_steps) ** 0.5 / (1 - 0.9**n_steps)
            return [rate, 0.9, 0.1, 0.999, 0.001, 0.0, 1e-8]  # eps as in Lasagne
        if self.name == "rmsprop":
            return [rate, 0.0, 0.0, 0.99, 0.01, 0.0, 1e-8]
        return [1.0, self.momentum, rate, 0.0, 0.0, 0.0, 0.0]

    def state_dict(self) -> State:
        """The state as arrays, which share memory with it on a CPU."""
        return {
            name: {
                key: value.cpu().numpy() if isinstance(value, Tensor) else value
                for key, value in state.items()
            }
            for name, state in self.state.items()
        }

    def load_state_dict(self, state: State, device: torch.device) -> None:
        """Resume from an output of :meth:`state_dict`; on a CPU, its arrays change."""
        self.state = {
            name: {
                key: torch.as_tensor(value, device=device)
                if isinstance(value, np.ndarray)
                else value
                for key, value in kept.items()
            }
            for name, kept in state.items()
        }


def _update(
    constants: list[float],
    gradient: Tensor,
    values: Tensor,
    mean: Tensor | None,
    square: Tensor | None,
    anchors: Any,
    limits: Tensor | None,
) -> None:
    """Update values and moments in place; the core does the same, row by row."""
    rate, keep_mean, add_mean, keep_square, add_square, floor, eps = constants
    change = gradient
    if mean is not None:
        change = mean.mul_(keep_mean).add_(gradient, alpha=add_mean)
    if square is None:
        values.sub_(change, alpha=rate)
    else:
        square.clamp_(min=floor).mul_(keep_square)
        square.addcmul_(gradient, gradient, value=add_square)
        values.addcdiv_(change, square.sqrt().add_(eps), value=-rate)
    if limits is not None:
        limit_change_(values, anchors, limits)
