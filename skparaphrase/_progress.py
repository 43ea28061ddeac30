"""Progress bars of long computations."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any

_DELAY = 0.5  # seconds; what ends sooner has no bar

_IS_SHOWN = ContextVar("_IS_SHOWN", default=False)


@contextmanager
def show_progress() -> Iterator[None]:
    """Show progress bars inside a ``with`` block. Needs tqdm.

    Everything that may take long has one: embedding, training, search, mining, near
    duplicates and downloads. Bars appear after half a second, on a terminal or in a
    notebook; if the output goes to a file, there are none. Other threads and processes
    show none.

    Raises
    ------
    ImportError
        If tqdm is not installed.

    See Also
    --------
    sklearn.callback.ProgressBar : A bar for the epochs of one estimator.

    Examples
    --------
    >>> import skparaphrase
    >>> encoder = skparaphrase.load_pretrained()
    >>> with skparaphrase.show_progress():
    ...     vectors = encoder.transform(["A cat sleeps."] * 1000)
    """
    if find_spec("tqdm") is None:
        raise ImportError("show_progress needs tqdm: pip install tqdm")
    token = _IS_SHOWN.set(True)
    try:
        yield
    finally:
        _IS_SHOWN.reset(token)


@contextmanager
def progress_bar(
    total: int | None, description: str, unit: str = "text"
) -> Iterator[Callable[[int], object]]:
    """Yield a function that is called with the number of units just completed.

    It shows a bar inside :func:`show_progress`, where no other bar is shown yet.

    Parameters
    ----------
    total : int or None
        Number of units; None if it is unknown.
    description : str
        What is done, such as "Embedding".
    unit : str, default="text"
    """
    if not _IS_SHOWN.get():
        yield lambda n: None
        return
    from tqdm.auto import tqdm

    token = _IS_SHOWN.set(False)
    bar: Any = tqdm(
        total=total, desc=description, unit=f" {unit}", delay=_DELAY, disable=None
    )
    try:
        with bar:
            yield bar.update
    finally:
        _IS_SHOWN.reset(token)
