"""Errors of readers in little memory, and paths that are not files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from contextlib import contextmanager
from pathlib import Path

import pytest

import skparaphrase

resource = pytest.importorskip("resource")  # Windows has none

PUT = {  # paths that are not files
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "loop": lambda path: path.symlink_to(path),
}


@contextmanager
def little_memory(n_bytes=2**29):
    """Raise a MemoryError instead of large allocations."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def assert_refused(path, reason, read=skparaphrase.load, n_bytes=2**29):
    """Reading fails for a reason, in little memory, and the error names the path."""
    with (
        little_memory(n_bytes),
        pytest.raises((ValueError, OSError), match=reason) as e,
    ):
        read(path)
    assert str(path) in str(e.value)
