"""Work that is done before it is wanted."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")

_N_AHEAD = 3


def run_ahead(
    function: Callable[[A], B], items: Iterable[A]
) -> Generator[B, None, None]:
    """What a function gives for each item, a few items ahead, in one other thread.

    Parameters
    ----------
    function : callable
        Called for one item at a time, in order.

    items : iterable

    Yields
    ------
    result : object
        In the order of the items. An exception is raised when its turn comes.
    """
    waiting: deque[Future[B]] = deque()
    with ThreadPoolExecutor(1, "skparaphrase-ahead") as thread:
        try:
            for item in items:
                waiting.append(thread.submit(function, item))
                if len(waiting) > _N_AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
