"""What a call may do where others work beside it: threads, and who writes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from skparaphrase._compat import effective_n_threads

_LOCK = threading.Lock()
_LIMITS: list[Any] = []  # the same one for each block that is running


def in_worker() -> bool:
    """Whether this is a task of joblib or Dask, which others run beside."""
    backend, _ = get_active_backend()
    return bool(backend.nesting_level) or _in_dask_task()


def available_threads() -> int:
    """The number of threads that a call may use.

    All that OpenMP would take, which in a process of joblib is what joblib leaves to
    it; one in any thread but the main one, as that of a Dask task, and in processes of
    others that nobody limits.
    """
    if threading.current_thread() is not threading.main_thread():
        return 1
    if in_worker() and "OMP_NUM_THREADS" not in os.environ:
        return 1
    return int(effective_n_threads())


def process_rank() -> int:
    """Number of this process among those that train together; the first one writes."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available():
        return 0
    return torch.distributed.get_rank() if torch.distributed.is_initialized() else 0


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS and LAPACK use one thread, in all of this process.

    Blocks may run side by side: the last to end gives the threads back.
    """
    with _LOCK:
        _LIMITS.append(_LIMITS[0] if _LIMITS else _blas().limit(limits=1))
    try:
        yield
    finally:
        with _LOCK:
            limit = _LIMITS.pop()
            if not _LIMITS:
                limit.restore_original_limits()


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def _in_dask_task() -> bool:
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True
