"""Progress bars of long computations."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any

_DELAY = 0.5  # seconds; shorter computations have no bar
# With figures, a terminal of 80 columns has no room for a rate.
_WITH_FIGURES = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"

_IS_SHOWN = ContextVar("_IS_SHOWN", default=False)
Bar = AbstractContextManager[Callable[..., object]]
NO_BAR: Bar = nullcontext(lambda n, **figures: None)  # fast, for single sentences


@contextmanager
def show_progress() -> Iterator[None]:
    """Show progress bars inside a ``with`` block. Needs tqdm.

    All long computations have one: embedding, training, search, mining, near duplicates
    and downloads. Bars appear after half a second, on a terminal or in a notebook.
    There are no bars if the output goes to a file, and none in other threads and
    processes.

    Yields
    ------
    None

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


def is_shown() -> bool:
    """Whether another library may show its own bar."""
    return _IS_SHOWN.get() and sys.stderr.isatty()


def progress_bar(
    total: int | Callable[[], int] | None, description: str, unit: str = "text"
) -> Bar:
    """Return a context with a function to call with the number of completed units.

    Its keyword arguments, such as `loss=0.5`, are written after the bar. It shows a bar
    inside :func:`show_progress`, where no other bar is shown yet.

    Parameters
    ----------
    total : int, callable or None
        Number of units, or a function that returns it if counting is slow; None if
        unknown.
    description : str
        Description of the task, such as "Embedding".
    unit : str, default="text"
    """
    return _bar(total, description, unit) if _IS_SHOWN.get() else NO_BAR


def print_line(line: str) -> None:
    """Print a line above the bars that are shown, if there are any."""
    if tqdm := sys.modules.get("tqdm"):
        tqdm.tqdm.write(line)
    else:
        print(line)


@contextmanager
def _bar(
    total: int | Callable[[], int] | None, description: str, unit: str
) -> Iterator[Callable[..., object]]:
    from tqdm.auto import tqdm

    token = _IS_SHOWN.set(False)
    bar: Any = tqdm(
        total=total() if callable(total) else total,
        desc=description,
        unit=f" {unit}",
        delay=_DELAY,
        disable=None,
    )

    def advance(n: int, **figures: float) -> None:
        if figures:
            bar.bar_format = _WITH_FIGURES
            short = {key.removeprefix("validation_"): figures[key] for key in figures}
            bar.set_postfix(short, refresh=False)
        bar.update(n)

    try:
        with bar:
            yield advance
    finally:
        _IS_SHOWN.reset(token)
