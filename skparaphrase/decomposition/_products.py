"""Products over very many rows, in blocks that stay in a processor's cache."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from skparaphrase._compat import device
from skparaphrase._threads import available_threads, one_blas_thread

_ROWS = 256  # multiplied at a time
_TASK = 64 * _ROWS  # that a thread takes at once


def add_gram(xp: Any, X: Any, gram: Any = None) -> Any:
    """Inner products of the columns of `X`, added to those of earlier rows.

    Blocks of rows are multiplied in the precision of `X` and summed in double.

    Parameters
    ----------
    xp : module
        Namespace of the arrays.
    X : array of shape (n_samples, n_features)
    gram : array of shape (n_features, n_features), float64, default=None
        Not changed.

    Returns
    -------
    gram : array of shape (n_features, n_features), float64
    """
    if gram is None:
        shape = (X.shape[1], X.shape[1])
        gram = xp.zeros(shape, dtype=xp.float64, device=device(X))

    def part(rows: slice) -> Any:
        sums = xp.zeros_like(gram)
        for block in _slices(rows, _ROWS):
            few = X[block, :]
            sums += xp.astype(few.T @ few, xp.float64)
        return sums

    for sums in _map(part, X):
        gram = gram + sums
    return gram


def without(xp: Any, X: Any, components: Any) -> Any:
    """Vectors on the last axis of `X` less their part in the span of `components`.

    Parameters
    ----------
    xp : module
        Namespace of the arrays.
    X : array of shape (..., n_features)
    components : array of shape (n_components, n_features)
        Orthonormal, of the type of `X`.

    Returns
    -------
    kept : array of the shape of `X`
    """
    if not isinstance(X, np.ndarray):
        kept = xp.matmul(xp.matmul(X, components.T), components)
        kept *= -1  # in place: a large corpus is held twice, not thrice
        kept += X
        return kept
    kept = np.empty(X.shape, X.dtype)
    flat, out = (each.reshape(-1, X.shape[-1]) for each in (X, kept))

    def part(rows: slice) -> None:
        for block in _slices(rows, _ROWS):
            few = flat[block]
            np.subtract(few, few @ components.T @ components, out=out[block])

    for _ in _map(part, flat):
        pass
    return kept


def _map(function: Callable[[slice], Any], X: Any) -> Iterator[Any]:
    """Results for rows of `X`, in order; threads do not change what they are."""
    tasks = list(_slices(slice(0, X.shape[0]), _TASK))
    if X.shape[0] <= _ROWS or not isinstance(X, np.ndarray):
        yield from map(function, tasks)
        return
    # Threads of BLAS would wait for one another, and for all else that runs here.
    with one_blas_thread():
        n_threads = min(available_threads(), len(tasks))
        if n_threads == 1:
            yield from map(function, tasks)
            return
        with ThreadPoolExecutor(n_threads) as pool:
            yield from pool.map(function, tasks)


def _slices(rows: slice, step: int) -> Iterator[slice]:
    for start in range(rows.start, rows.stop, step):
        yield slice(start, min(start + step, rows.stop))
