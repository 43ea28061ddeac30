"""Arrays of a batch on their way to the device."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

# Devices to which page-locked memory is copied while the host goes on. A copy from
# ordinary memory waits for all that the device has still to do.
_PINNED = ("cuda",)


def to_device(array: NDArray[Any], device: torch.device) -> Tensor:
    """A tensor of an array's numbers, for arrays of the size of a batch.

    Parameters
    ----------
    array : ndarray
    device : torch.device

    Returns
    -------
    tensor : Tensor of the shape and dtype of `array`
        On a CPU it shares memory with the array. To CUDA it is copied through memory
        that torch pins and keeps, in step with what else is queued there.
    """
    host = torch.from_numpy(array)
    if device.type == "cpu":
        return host
    if device.type in _PINNED:
        return host.pin_memory().to(device, non_blocking=True)
    return host.to(device)
