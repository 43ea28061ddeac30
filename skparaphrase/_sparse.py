"""Sums of weighted rows: a sparse matrix times a table, without the matrix."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from numpy.typing import NDArray
from scipy.sparse._sparsetools import csr_matvecs


def add_weighted_rows(
    sums: NDArray[np.float32],
    weights: NDArray[np.float32],
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    table: NDArray[np.float32],
) -> None:
    """Add weight times row to each sum, over its tokens from first to last.

    The product of SciPy's `csr_array`, whose construction takes longer than a sentence.
    Other threads run meanwhile.

    Parameters
    ----------
    sums : ndarray of shape (n_sums, dim)
        Contiguous; changed in place.
    weights : ndarray of shape (n_tokens,)
    ids : ndarray of shape (n_tokens,)
        Rows of `table`, all of them in it: nothing is checked.
    offsets : ndarray of shape (n_sums + 1,)
        Where the tokens of each sum begin, and at last their number.
    table : ndarray of shape (n_rows, dim)
        Contiguous.
    """
    n_sums, dim = sums.shape
    csr_matvecs(
        n_sums,
        len(table),
        dim,
        offsets.astype(np.int32),
        ids,
        weights,
        table.reshape(-1),
        sums.reshape(-1),
    )
