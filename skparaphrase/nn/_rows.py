"""Rows out of large tensors, and back."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from torch import Tensor


def _by_numpy(tensor: Tensor) -> bool:
    """Whether NumPy is quicker: it copies a row at once, but in one thread."""
    return tensor.device.type == "cpu" and torch.get_num_threads() == 1


def take_rows(source: Tensor, rows: Tensor, out: Tensor | None = None) -> Tensor:
    """Some rows, copied.

    Parameters
    ----------
    source : Tensor of shape (n_all, dim)
    rows : Tensor of shape (n_rows,), int64
        From 0 to n_all - 1.
    out : Tensor of shape (n_rows, dim), default=None
        Where they go; contiguous.

    Returns
    -------
    taken : Tensor of shape (n_rows, dim)
    """
    if out is None:
        out = source.new_empty((len(rows), *source.shape[1:]))
    if not _by_numpy(source):
        return torch.index_select(source, 0, rows, out=out)
    # "clip" takes the place of a check that would need a buffer.
    np.take(source.numpy(), rows.numpy(), axis=0, out=out.numpy(), mode="clip")
    return out


def put_rows(target: Tensor, rows: Tensor, values: Tensor) -> None:
    """Overwrite some rows; they do not repeat."""
    if _by_numpy(target):
        target.numpy()[rows.numpy()] = values.detach().numpy()
    else:
        target.index_copy_(0, rows, values.detach())
