"""How many threads a call may use where others work beside it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import sys
import threading

from joblib.parallel import get_active_backend

from skparaphrase._compat import effective_n_threads


def in_worker() -> bool:
    """Whether this is a task of joblib or Dask, which others run beside."""
    backend, _ = get_active_backend()
    return bool(backend.nesting_level) or _in_dask_task()


def available_threads() -> int:
    """The number of threads that a call may use.

    All that OpenMP would take, which is what joblib and Dask leave to each of their
    processes; one in any thread but the main one, and in processes that nobody limits.
    """
    if threading.current_thread() is not threading.main_thread():
        return 1
    if in_worker() and "OMP_NUM_THREADS" not in os.environ:
        return 1
    return int(effective_n_threads())


def _in_dask_task() -> bool:
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True
