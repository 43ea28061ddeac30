"""A lock between processes, and between threads of one."""

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

    def _acquire(descriptor: int) -> None:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(0.1)
            else:
                return

else:
    import fcntl

    def _acquire(descriptor: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            raise OSError(
                f"The file system of the data home cannot lock files ({error}). Choose "
                "another with data_home= or SKPARAPHRASE_HOME."
            ) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path`; wait while another process or thread does.

    The system gives the lock back when a process ends, however it ends. The file is
    deleted afterwards.
    """
    while True:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
        try:
            _acquire(descriptor)
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


def _is_file(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
