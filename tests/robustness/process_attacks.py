"""Attacks on processes: kills, forks, and savers at the same time."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from random import Random

import numpy as np
from subjects import ENCODERS, fitted, say
from text_attacks import fit_to_nasty_texts

import skparaphrase
from skparaphrase.encoders import AverageEncoder
from skparaphrase.vectors import WordVectors


def fork(work):
    """Start a child that works, and ends with 1 where it fails."""
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


def kill(work, seconds):
    """Let a child work, and kill it after a time."""
    child = fork(work)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), "the child failed"


def small_table(number):
    return WordVectors(["a", "cat"], np.full((2, 2000), float(number)))


def number_of(path):
    matrix = WordVectors.load(path, verify=True).matrix
    assert (matrix == matrix[0, 0]).all()
    return int(matrix[0, 0])


# Savers of a number, and readers.
SAVERS = {
    "table": (lambda path, n: small_table(n).save(path), number_of),
    "model": (
        lambda path, n: AverageEncoder(small_table(n)).save(path),
        lambda path: int(skparaphrase.load(path, verify=True).transform(["a"])[0, 0]),
    ),
}


def first_save(kind, folder):
    """A function that saves, one that reads, and the path with the first content."""
    save, read = SAVERS[kind]
    path = folder / "saved"
    folder.mkdir()
    save(path, 1)
    return save, read, path


def last_save(number, save, read, path):
    """A save after the attack is complete; only what is hidden lies beside it."""
    save(path, number)
    names = [path.name for path in path.parent.iterdir()]
    assert [name for name in names if not name.startswith(".")] == ["saved"]
    assert read(path) == number


def kill_a_save(kind, seed, folder):
    """It leaves the old content or the new one."""
    save, read, path = first_save(kind, folder)
    kill(lambda: [save(path, n) for n in (2, 3, 4)], Random(seed).uniform(0, 0.02))
    assert read(path) in (1, 2, 3, 4)
    last_save(5, save, read, path)


def read_while_saving(kind, seed, folder):
    """Readers get one content or the other."""
    save, read, path = first_save(kind, folder)
    with ThreadPoolExecutor(1) as pool:
        saver = pool.submit(lambda: [save(path, n) for n in (2, 3)])
        time.sleep(Random(seed).uniform(0, 0.005))
        assert read(path) in (1, 2, 3)
        saver.result()
    last_save(4, save, read, path)


# Averages remember words, which children get from threads that look them up, and
# networks share work with threads that children lack. Models that multiply matrices
# with OpenBLAS, whose lock of its memory can be held at a fork, are forked alone only.
FORKED = [name for name in ENCODERS if name != "make_pipeline"]
N_FORKS = 5
KNOWN = "a cat the dog barks a cat the dog sleeps"  # too many new words are warned of
MANY_TEXTS = [f"a cat the dog barks x{i}" for i in range(99)]  # for several threads


@contextmanager
def threads_that_embed(name, model, seed):
    """Threads that look new words up all the time."""
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


def end_of(child, seconds=60):
    """The status of a child that has ended; one that waits for ever is killed."""
    end = time.monotonic() + seconds
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise TimeoutError("the child waits for ever")
        time.sleep(0.001)
    return ended[1]


def fork_alone(name, seed, folder):
    """A child of a process that has embedded or fitted does the same, in any thread."""
    random = Random(seed)
    model = fitted(name)[-1]
    texts = [f"{text} {seed}" for text in MANY_TEXTS] + ["the cat " * 300]
    expected = say(name, model, texts)
    with_fit = random.random() < 0.2

    def work():
        for got, row in zip(say(name, model, texts), expected, strict=True):
            np.testing.assert_allclose(got, row, rtol=1e-5, atol=1e-5)
        if with_fit:
            fit_to_nasty_texts(name, seed, folder)

    def work_in_a_thread():
        with ThreadPoolExecutor(1) as pool:
            pool.submit(work).result()

    if with_fit:
        fit_to_nasty_texts(name, seed, folder)
    child = fork(random.choice([work, work_in_a_thread]))
    assert end_of(child) == 0, "the child failed"


def fork_under_load(name, seed, folder):
    """Children get the vectors that the parent gets, and none waits for ever."""
    model = fitted(name)[-1]
    texts = [f"child{seed}x{j} {KNOWN}" for j in range(50)]
    expected = say(name, model, texts)

    def work():
        new = say(name, model, [f"new{seed}x{j} {KNOWN}" for j in range(50)])
        assert np.isfinite(new).all()
        found = say(name, model, texts)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)

    with threads_that_embed(name, model, seed):
        for _ in range(N_FORKS):
            time.sleep(Random(seed).uniform(0, 0.005))
            assert end_of(fork(work)) == 0, "the child failed"


def fill_the_disk(kind, seed, folder):
    """A save whose files may not grow raises an OSError, and keeps the old content."""
    save, read, path = first_save(kind, folder)
    import resource  # which Windows lacks

    limit = Random(seed).randrange(1, 1500)

    def work():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        with suppress(OSError):
            save(path, 2)

    assert end_of(fork(work)) == 0, "not an OSError"
    assert read(path) in (1, 2)
    last_save(3, save, read, path)
