"""Rows out of large tensors, and back."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from torch import Tensor

# On a CPU NumPy copies a row at once; torch's `index_copy_` goes number by number and
# takes twice as long.


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
    if source.device.type != "cpu":
        return torch.index_select(source, 0, rows, out=out)
    # "clip" takes the place of a check that would need a buffer.
    np.take(source.numpy(), rows.numpy(), axis=0, out=out.numpy(), mode="clip")
    return out


def put_rows(target: Tensor, rows: Tensor, values: Tensor) -> None:
    """Overwrite some rows; they do not repeat."""
    if target.device.type != "cpu":
        target.index_copy_(0, rows, values)
    else:
        target.numpy()[rows.numpy()] = values.detach().numpy()
