"""Locks between processes, and between threads of one."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file, unless another process or thread has it.

    The system gives it back when the file is closed, or the process ends.

    Raises
    ------
    OSError
        If the file system has no locks.
    """
    try:
        _take(descriptor)
    except (BlockingIOError, PermissionError):
        return False
    return True


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock file `path`, which is deleted afterwards.

    Parameters
    ----------
    path : Path
    wait : bool, default=True
        While another process or thread holds it. False does without a lock where the
        file system has none.

    Raises
    ------
    BlockingIOError
        If another holds it, and `wait` is False.
    OSError
        If the file system has no locks, and `wait` is True.
    """
    while True:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
        try:
            while not _try_lock(path, descriptor, needed=wait):
                if not wait:
                    raise BlockingIOError(f"{path} is held by another process.")
                time.sleep(0.05)
            # Whoever held it before has deleted this very file, as a rule.
            if _is_file(path, descriptor):
                break
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    try:
        yield
    finally:
        # Windows does not delete what others wait for; the last one does.
        with suppress(PermissionError, FileNotFoundError):
            path.unlink()
        os.close(descriptor)


def _try_lock(path: Path, descriptor: int, *, needed: bool) -> bool:
    try:
        return try_lock(descriptor)
    except OSError as error:
        if not needed:
            return True
        raise OSError(
            f"The file system of {path.parent} cannot lock files ({error}). Choose "
            "another folder; for data sets with data_home= or SKPARAPHRASE_HOME."
        ) from error


def _is_file(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
