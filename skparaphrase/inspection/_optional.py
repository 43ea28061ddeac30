"""Packages that frames and figures need."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any


def import_pandas(caller: str) -> Any:
    """The pandas package.

    Raises
    ------
    ImportError
        Says what to install.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            f"{caller} returns a frame, which needs pandas: pip install pandas"
        ) from error
    return pandas


def make_axes(ax: Any, caller: str) -> Any:
    """`ax`, or the axes of a new figure.

    Raises
    ------
    ImportError
        Says what to install.
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            f"{caller} needs matplotlib: pip install matplotlib"
        ) from error
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax
