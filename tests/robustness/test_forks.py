"""Processes that fork while other threads embed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from skparaphrase import _threads

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SCRIPT = """
import itertools, os, sys, threading, time
from skparaphrase.encoders import SIFEncoder

model = SIFEncoder()
model.fit([f"a cat number {i}" for i in range(600)])
stop = []

def embed(name):
    for i in itertools.count():
        if stop:
            return
        model.transform([f"nLSTMEncoderx{i}x{j} a" for j in range(300)])

threads = [threading.Thread(target=embed, args=(name,)) for name in range(4)]
for thread in threads:
    thread.start()
n_hung = 0
for fork in range(20):
    time.sleep(0.02)
    child = os.fork()
    if not child:
        model.transform([f"child{fork}x{j} a" for j in range(300)])
        os._exit(0)
    end = time.monotonic() + 20
    while not os.waitpid(child, os.WNOHANG)[0]:
        if time.monotonic() > end:
            n_hung += 1
            os.kill(child, 9)
            os.waitpid(child, 0)
            break
        time.sleep(0.01)
stop.append(True)
for thread in threads:
    thread.join()
print(n_hung, "hang")
"""


def test_children_of_a_process_whose_threads_embed_new_words():
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert (done.stdout, done.stderr) == ("0 hang\n", "")


# In a process of its own, where torch has several threads.
ALONE = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:]
from process_attacks import fork_alone, fork_under_load
from subjects import NAMES
for seed, name in enumerate(NAMES):
    try:
        fork_alone(name, seed, Path())
    except TimeoutError:
        print(name, "hangs")
fork_under_load("LSTMEncoder", 0, Path())
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_threads", [None, "2"])
def test_children_of_a_process_whose_networks_have_used_all_threads(n_threads):
    variables = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    if n_threads is not None:
        variables["OMP_NUM_THREADS"] = n_threads
    command = [sys.executable, "-W", "ignore", "-c", ALONE, str(Path(__file__).parent)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=2000, env=variables
    )
    assert (done.stdout, done.stderr) == ("", "")


THREADS = """
import os, sys
import numpy as np
from skparaphrase.encoders import LSTMEncoder
from skparaphrase.vectors import WordVectors
import torch
torch.set_num_threads(2)
vectors = WordVectors(["a", "b"], np.eye(2))
model = LSTMEncoder(vectors, max_epochs=1).fit([("a", "b"), ("b", "a")])
model.transform(["a b " * 200] * 4)
torch.set_num_threads(2)
torch.zeros(10**6).exp_()
child = os.fork()
if not child:
    import faulthandler
    faulthandler.dump_traceback_later(60, exit=True)
    model.transform(["a b " * 200] * 4)
    model.fit([("a", "b"), ("b", "a")])
    torch.zeros(10**6).exp_()
    os._exit(torch.get_num_threads())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), torch.get_num_threads())
"""


def test_torch_has_one_thread_in_children():
    command = [sys.executable, "-W", "ignore", "-c", THREADS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("1 2\n", "")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_lock_that_was_held_at_the_fork_is_open_in_the_child():
    is_held, may_go = threading.Event(), threading.Event()

    def hold():
        with _threads._LOCK:
            is_held.set()
            may_go.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait()
    child = os.fork()
    if not child:
        os._exit(not _threads._LOCK.acquire(timeout=5))
    may_go.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
