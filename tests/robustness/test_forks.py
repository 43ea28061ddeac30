"""Processes that fork while other threads embed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import subprocess
import sys
import threading

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
        model.transform([f"n{name}x{i}x{j} a" for j in range(300)])

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
