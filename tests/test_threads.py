"""How many threads a call takes, and where it takes one."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from types import SimpleNamespace

import pytest
from joblib import Parallel, cpu_count, delayed

from skparaphrase import _threads
from skparaphrase._threads import available_threads, in_worker, one_blas_thread


@pytest.fixture(autouse=True)
def four(monkeypatch):
    """The processors of this machine do not matter, nor does how tests are run."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(_threads, "effective_n_threads", lambda: 4)


def here():
    return in_worker(), available_threads()


def test_the_main_thread_takes_all():
    assert here() == (False, 4)


def test_other_threads_take_one():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(here).result() == (False, 1)
    for found in Parallel(2, backend="threading")(delayed(here)() for _ in range(4)):
        assert found == (True, 1)


def test_a_single_job_of_joblib_is_no_worker():
    assert Parallel(1)(delayed(here)() for _ in range(2)) == [(False, 4)] * 2


SCRIPT = """
from joblib import Parallel, cpu_count, delayed
from skparaphrase._threads import available_threads, in_worker

def here():
    return in_worker(), available_threads()

if __name__ == "__main__":
    print(Parallel(2, backend={backend!r})(delayed(here)() for _ in range(2))[0])
"""


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_processes_share_the_processors(backend, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(backend=backend))
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True
    )
    # loky says how many of the processors each process may take, the other says none.
    share = max(cpu_count() // 2, 1) if backend == "loky" else 1
    assert done.stdout.strip() == f"(True, {share})"


@pytest.mark.parametrize("in_task", [True, False])
def test_a_task_of_dask_is_a_worker(in_task, monkeypatch):
    def get_worker():
        if not in_task:
            raise ValueError("No worker found")

    fake = SimpleNamespace(get_worker=get_worker)
    monkeypatch.setitem(sys.modules, "distributed", fake)
    assert in_worker() is in_task


def test_the_last_to_end_gives_threads_of_blas_back(monkeypatch):
    """One that ends within another would take the limit of the other away."""
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
            sleep(0.01 * (i % 3))
            assert len(active) == 1
            with one_blas_thread():
                sleep(0.01)
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
