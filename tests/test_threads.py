"""Number of threads of a call, and work done ahead in other threads."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace

import pytest
import torch
from joblib import Parallel, cpu_count, delayed

from skparaphrase import _threads
from skparaphrase._threads import (
    available_threads,
    in_worker,
    limit_torch_threads,
    map_blocks,
    one_blas_thread,
    own_torch,
    prefetch,
)


@pytest.fixture(autouse=True)
def four(monkeypatch):
    """Four processors, whatever machine runs the tests."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(_threads, "effective_n_threads", lambda: 4)


def here():
    return in_worker(), available_threads()


def test_main_thread_takes_all_and_others_one():
    assert here() == (False, 4)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(here).result() == (False, 1)
    for found in Parallel(2, backend="threading")(delayed(here)() for _ in range(4)):
        assert found == (True, 1)
    # A single joblib job is not a worker.
    assert Parallel(1)(delayed(here)() for _ in range(2)) == [(False, 4)] * 2


SCRIPT = """
from joblib import Parallel, cpu_count, delayed
from skparaphrase._threads import available_threads, in_worker

def here():
    return in_worker(), available_threads()

if __name__ == "__main__":
    print(Parallel(2, backend="loky")(delayed(here)() for _ in range(2))[0])
"""


def test_processes_share_the_processors(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"(True, {max(cpu_count() // 2, 1)})"


@pytest.mark.parametrize("in_task", [True, False])
def test_task_of_dask_is_a_worker(in_task, monkeypatch):
    def get_worker():
        if not in_task:
            raise ValueError("No worker found")

    fake = SimpleNamespace(get_worker=get_worker)
    monkeypatch.setitem(sys.modules, "distributed", fake)
    assert in_worker() is in_task


def test_last_block_restores_the_threads_of_blas(monkeypatch):
    # A block that ended within another one would lift the limit of the other.
    active = []

    class Limit:
        def __init__(self, limits):
            assert limits == 1
            active.append(self)

        def restore_original_limits(self):
            active.remove(self)

    monkeypatch.setattr(_threads, "_blas", lambda: SimpleNamespace(limit=Limit))

    def fit(i):
        with one_blas_thread():
            time.sleep(0.01 * (i % 3))
            assert len(active) == 1
            with one_blas_thread():
                time.sleep(0.01)
            assert len(active) == 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fit, range(12)))
    assert active == []


def test_blas_is_limited_and_freed():
    def threads():
        return {info["num_threads"] for info in _threads._blas().info()}

    before = threads()
    with one_blas_thread():
        assert threads() == {1}
    assert threads() == before


def test_last_block_restores_the_threads_of_torch():
    n_before = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        all_inside, some_left = Barrier(3), Barrier(3)

        def work(i):
            with limit_torch_threads():
                n_inside = [torch.get_num_threads()]
                all_inside.wait(60)
                with limit_torch_threads():
                    n_inside.append(torch.get_num_threads())
                n_inside.append(torch.get_num_threads())
                if i:
                    some_left.wait(60)
            if not i:
                some_left.wait(60)
            return n_inside, torch.get_num_threads()

        found = Parallel(3, backend="threading")(delayed(work)(i) for i in range(3))
        assert found == [([1, 1, 1], 4)] * 3
        for small_steps, most in ((True, 2), (False, 4)):
            with limit_torch_threads(small_steps=small_steps):
                assert torch.get_num_threads() == most
        assert torch.get_num_threads() == 4
    finally:
        torch.set_num_threads(n_before)


@pytest.mark.parametrize("n_threads", [1, 4])
def test_prefetch_keeps_the_order_and_works_in_other_threads(n_threads):
    threads = set()

    def square(i):
        time.sleep(0.002 * (i % 3))
        threads.add(threading.get_ident())
        return i * i

    found = prefetch(square, range(20), n_threads=n_threads, n_ahead=6)
    assert list(found) == [i * i for i in range(20)]
    assert threading.get_ident() not in threads and len(threads) <= n_threads
    assert list(prefetch(square, [])) == []


def test_prefetch_takes_only_a_few_items_ahead():
    taken = []
    results = prefetch(abs, (taken.append(i) or i for i in range(100)), n_ahead=3)
    assert next(results) == 0 and len(taken) <= 5
    results.close()
    assert len(taken) <= 5


def test_errors_of_prefetch_come_in_order_and_end_the_work():
    done = []

    def divide(i):
        time.sleep(0.01)
        done.append(i)
        return 1 // (1 - i)

    results = prefetch(divide, range(100), n_ahead=50)
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert len(done) < 10

    def items():
        yield 0
        raise ValueError("no second item")

    with pytest.raises(ValueError, match="no second item"):
        list(prefetch(abs, items()))


@pytest.mark.parametrize("n_blocks", [0, 1, 2, 9])
def test_one_block_stays_in_this_thread(n_blocks):
    both = Barrier(2)

    def square(i):
        if n_blocks > 1 and i < 2:
            both.wait(60)  # two threads process the first two blocks
        return i * i, threading.get_ident()

    results = [*map_blocks(square, iter(range(n_blocks)))]
    assert [square for square, _ in results] == [i * i for i in range(n_blocks)]
    is_here = threading.get_ident() in {thread for _, thread in results}
    assert is_here == (n_blocks == 1)


def test_blocks_of_another_thread_stay_in_it():
    def identify(_):
        return threading.get_ident()

    def work():
        return {identify(0)} == {*map_blocks(identify, range(9))}

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(work).result()


def test_inference_mode_is_left_whether_or_not_gradients_are_enabled():
    with torch.inference_mode():
        for enabled in (False, True):
            with torch.set_grad_enabled(enabled), own_torch():
                assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
