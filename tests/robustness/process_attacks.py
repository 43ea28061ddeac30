"""Attacks on processes: killed saves, and forks with running threads."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from random import Random

import numpy as np
from subjects import ENCODERS, NAMES, fitted, say
from text_attacks import fit_to_nasty_texts

import skparaphrase
from skparaphrase.encoders import AverageEncoder
from skparaphrase.vectors import WordVectors


def fork(work):
    """Start a child that works, and exits with 1 if it fails."""
    with warnings.catch_warnings():  # this process may have threads
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return child


def assert_ends_well(child, seconds=60):
    """A child works and ends; a deadlocked child is killed."""
    end = time.monotonic() + seconds
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise TimeoutError("the child waits for ever")
        time.sleep(0.001)
    assert ended[1] == 0, "the child failed"


def save_number(path, number):
    matrix = np.full((2, 2000), float(number))
    AverageEncoder(WordVectors(["a", "cat"], matrix)).save(path)


def read_number(path):
    matrix = skparaphrase.load(path, verify=True).vectors.matrix
    assert (matrix == matrix[0, 0]).all()
    return matrix[0, 0]


def kill_a_save(kind, seed, folder):
    """A killed save leaves the old or the new content, and later saves are complete."""
    folder.mkdir()
    path = folder / "saved"
    save_number(path, 1)
    child = fork(lambda: [save_number(path, number) for number in (2, 3, 4)])
    time.sleep(Random(seed).uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] in (0, signal.SIGKILL), "the child failed"
    assert read_number(path) in (1, 2, 3, 4)
    save_number(path, 5)
    assert [path.name for path in folder.iterdir() if path.name[0] != "."] == ["saved"]
    assert read_number(path) == 5


KNOWN = "a cat the dog barks a cat the dog sleeps"  # about too many new words


def fork_alone(name, seed, folder):
    """A child of a process that has embedded or fitted can do so, in any thread."""
    random = Random(seed)
    model = fitted(name)[-1]
    texts = [f"a cat the dog barks x{i} {seed}" for i in range(99)]  # several threads'
    expected = say(name, model, [*texts, "the cat " * 300])
    fits = random.random() < 0.2

    def work():
        found = say(name, model, [*texts, "the cat " * 300])
        for row, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(row, wanted, rtol=1e-5, atol=1e-5)
        if fits:
            fit_to_nasty_texts(name, seed, folder)

    def work_in_a_thread():
        with ThreadPoolExecutor(1) as pool:
            pool.submit(work).result()

    if fits:
        fit_to_nasty_texts(name, seed, folder)
    assert_ends_well(fork(random.choice([work, work_in_a_thread])))


@contextmanager
def threads_that_embed(name, model, seed):
    """Threads that continuously look up new words."""
    stop = threading.Event()

    def embed(number):
        for i in count():
            if stop.is_set():
                return
            say(name, model, [f"n{seed}x{number}x{i}x{j} {KNOWN}" for j in range(50)])

    threads = [threading.Thread(target=embed, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def fork_under_load(name, seed, folder):
    """Children get the same vectors as the parent, and none deadlocks."""
    model = fitted(name)[-1]
    texts = [f"child{seed}x{j} {KNOWN}" for j in range(50)]
    expected = say(name, model, texts)

    def work():
        new = say(name, model, [f"new{seed}x{j} {KNOWN}" for j in range(50)])
        assert np.isfinite(new).all()
        found = say(name, model, texts)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)

    with threads_that_embed(name, model, seed):
        for _ in range(5):
            time.sleep(Random(seed).uniform(0, 0.005))
            assert_ends_well(fork(work))


# Models that multiply matrices with OpenBLAS are forked without running threads,
# because the lock of its memory may be held at a fork.
PROCESS_ATTACKS = {
    kill_a_save: ["encoder"],
    fork_alone: NAMES,
    fork_under_load: [name for name in ENCODERS if name != "make_pipeline"],
}
