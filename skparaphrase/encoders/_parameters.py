"""Parameters of a composition as arrays, and back."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from skparaphrase.nn import Composition

Arrays = Mapping[str, NDArray[np.float32]]


def parameter_arrays(composition: "Composition") -> dict[str, NDArray[np.float32]]:
    """Copies of the parameters by name."""
    return {
        name: parameter.detach().cpu().numpy().copy()
        for name, parameter in composition.named_parameters()
    }


def check_parameters(composition: "Composition", arrays: Arrays, owner: str) -> None:
    """Raise if arrays are not the parameters that the composition has.

    Raises
    ------
    ValueError
        For other names or shapes; `owner` says whose the arrays are.
    """
    wanted = {
        name: tuple(parameter.shape)
        for name, parameter in composition.named_parameters()
    }
    given = {name: array.shape for name, array in arrays.items()}
    if wanted != given:
        raise ValueError(
            f"{owner} has parameters of shapes {given}, but the settings of this "
            f"encoder ask for {wanted}."
        )


def set_parameters(composition: "Composition", arrays: Arrays, owner: str) -> None:
    """Give a composition the values of arrays; see :func:`check_parameters`."""
    import torch

    check_parameters(composition, arrays, owner)
    with torch.no_grad():
        for name, parameter in composition.named_parameters():
            parameter.copy_(torch.tensor(arrays[name]))
