"""Parameters of a module as arrays, and back."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch.nn import Module

Arrays = Mapping[str, NDArray[np.float32]]


def parameter_arrays(module: "Module") -> dict[str, NDArray[np.float32]]:
    """Copies of the parameters by name."""
    return {
        name: parameter.detach().cpu().numpy().copy()
        for name, parameter in module.named_parameters()
    }


def check_parameters(module: "Module", arrays: Arrays, owner: str) -> None:
    """Raise if arrays are not the parameters that the module has.

    Raises
    ------
    ValueError
        For other names or shapes; `owner` says whose the arrays are.
    """
    wanted = {
        name: tuple(parameter.shape) for name, parameter in module.named_parameters()
    }
    given = {name: array.shape for name, array in arrays.items()}
    if wanted != given:
        raise ValueError(
            f"{owner} has parameters of shapes {given}, but the settings ask "
            f"for {wanted}."
        )


def set_parameters(module: "Module", arrays: Arrays, owner: str) -> None:
    """Give a module the values of arrays; see :func:`check_parameters`."""
    import torch

    check_parameters(module, arrays, owner)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.copy_(torch.tensor(arrays[name]))
