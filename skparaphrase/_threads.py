"""Thread limits, work in background threads, and contexts of PyTorch."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from itertools import chain, islice
from typing import Any, TypeVar

from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from skparaphrase._compat import effective_n_threads

A = TypeVar("A")
B = TypeVar("B")

_LOCK = threading.Lock()  # replaced after a fork: see _after_fork
_BLAS_LIMITS: list[Any] = []  # the same limit for each running block
_TORCH_BEFORE: list[int] = []  # torch's own number, for each thread that trains
_THREAD_STATE = threading.local()


def _after_fork() -> None:
    """Make a child process independent of the threads of its parent.

    The child lacks the thread that held the lock. It also lacks the threads that torch
    would wait for, so torch uses one thread.
    """
    global _LOCK
    _LOCK = threading.Lock()
    _TORCH_BEFORE.clear()
    torch: Any = sys.modules.get("torch")
    if hasattr(torch, "set_num_threads"):  # its import is complete
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def in_worker() -> bool:
    """Whether this is a task of joblib or Dask, which runs alongside other tasks."""
    backend, _ = get_active_backend()
    if backend.nesting_level:
        return True
    with suppress(KeyError, AttributeError, ValueError):  # not imported; no worker
        sys.modules["distributed"].get_worker()
        return True
    return False


def available_threads() -> int:
    """The number of threads that a call may use.

    It is the number that OpenMP would use, which joblib sets in its processes. It is
    one in threads other than the main thread, such as Dask tasks, and in workers where
    no number is set.
    """
    if threading.current_thread() is not threading.main_thread():
        return 1
    if in_worker() and "OMP_NUM_THREADS" not in os.environ:
        return 1
    return int(effective_n_threads())


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS and LAPACK to one thread in this process.

    Blocks may overlap; the last one to end restores the number of threads.
    """
    with _LOCK:
        limit = _BLAS_LIMITS[0] if _BLAS_LIMITS else _blas().limit(limits=1)
        _BLAS_LIMITS.append(limit)
    try:
        yield
    finally:
        with _LOCK:
            limit = _BLAS_LIMITS.pop()
            if not _BLAS_LIMITS:
                limit.restore_original_limits()


@contextmanager
def limit_torch_threads(*, small_steps: bool = True) -> Iterator[None]:
    """Limit torch to half of its threads, and at most two, inside the block.

    Most tensors are small, so more threads are no faster. If other processes use the
    same cores, waiting for threads can slow down a step a hundredfold.
    `small_steps=False` allows all threads. In a thread of joblib or Dask, the limit is
    one.

    Blocks may overlap and nest. Part of torch's setting is shared by the whole process,
    so the first block remembers it.
    """
    import torch

    if getattr(_THREAD_STATE, "is_limited", False):
        yield
        return
    with _LOCK:
        before = _TORCH_BEFORE[0] if _TORCH_BEFORE else torch.get_num_threads()
        _TORCH_BEFORE.append(before)
        most = min(max(before // 2, 1), 2) if small_steps else before
        torch.set_num_threads(min(most, available_threads()))
    _THREAD_STATE.is_limited = True
    try:
        yield
    finally:
        _THREAD_STATE.is_limited = False
        with _LOCK:
            if before in _TORCH_BEFORE:  # a child process keeps its one thread
                _TORCH_BEFORE.remove(before)
                torch.set_num_threads(before)


@contextmanager
def own_torch() -> Iterator[None]:
    """Disable contexts of PyTorch around a call, such as `inference_mode`, `autocast`.

    Inside them, training is impossible or less precise.
    """
    module: Any = sys.modules.get("torch")
    with ExitStack() as stack:
        if hasattr(module, "get_default_device"):  # its import is complete
            if module.is_inference_mode_enabled() or not module.is_grad_enabled():
                stack.enter_context(module.inference_mode(False))
                stack.enter_context(module.enable_grad())
            for device in ("cpu", "cuda"):
                if module.is_autocast_enabled(device):
                    stack.enter_context(module.autocast(device, enabled=False))
            if module.get_default_device().type != "cpu":
                stack.enter_context(module.device("cpu"))
        yield


def map_blocks(function: Callable[[A], B], blocks: Iterable[A]) -> Iterator[B]:
    """Apply a function to blocks in all threads that the call may use.

    Parameters
    ----------
    function : callable
        Runs in parallel only while it releases the interpreter's lock.
    blocks : iterable
        Iterated over in the calling thread, a few blocks ahead.

    Returns
    -------
    results : iterator
        In the order of the blocks. A single block is processed in the calling thread.
    """
    rest = iter(blocks)
    first = [*islice(rest, 2)]
    n_threads = available_threads() if len(first) > 1 else 1
    if n_threads == 1:
        return map(function, chain(first, rest))
    n_ahead = 2 * n_threads
    return prefetch(function, chain(first, rest), n_threads=n_threads, n_ahead=n_ahead)


def prefetch(
    function: Callable[[A], B],
    items: Iterable[A],
    *,
    n_threads: int = 1,
    n_ahead: int = 3,
) -> Generator[B, None, None]:
    """Apply a function to items in other threads, a few items ahead.

    Parameters
    ----------
    function : callable
        With one thread, it is called for one item at a time, in order.
    items : iterable
        Iterated over in the calling thread.
    n_threads : int, default=1
        Number of threads.
    n_ahead : int, default=3
        Maximum number of waiting results.

    Yields
    ------
    result : object
        In the order of the items. An error of the function is raised after the previous
        results.
    """
    pool = ThreadPoolExecutor(n_threads, "skparaphrase-prefetch")
    waiting: deque[Future[B]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > n_ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
