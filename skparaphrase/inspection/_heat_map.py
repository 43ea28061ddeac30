"""What pictures of cells share: their size, frames around some, values in them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def cell_size(ax: Any, shape: tuple[int, ...]) -> tuple[float, float]:
    """Width and height of a cell in points, before the labels take their room."""
    box = ax.get_window_extent()
    points = 72 / ax.figure.dpi
    return points * box.width / shape[1], points * box.height / shape[0]


def frame_cells(image: Any, cells: Iterable[Sequence[int]]) -> Any:
    """White frames with black edges, to be seen on any colour.

    Parameters
    ----------
    image : matplotlib AxesImage

    cells : iterable of (row, column)

    Returns
    -------
    frames : matplotlib PatchCollection
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle
    from matplotlib.patheffects import withStroke

    ax = image.axes
    width = min(max(min(cell_size(ax, image.get_array().shape)) / 12, 0.5), 1.5)
    frames = PatchCollection(
        [
            Rectangle((column - 0.43, row - 0.43), 0.86, 0.86)
            for row, column in np.asarray(list(cells), dtype=int).tolist()
        ],
        facecolor="none",
        edgecolor="white",
        linewidth=width,
        path_effects=[withStroke(linewidth=2.5 * width, foreground="black")],
    )
    ax.add_collection(frames, autolim=False)
    return frames


def write_cells(
    image: Any, plane: NDArray[np.float64], labels: NDArray[np.object_]
) -> list[Any]:
    """Texts in the cells, black on light ones and white on dark ones.

    Parameters
    ----------
    image : matplotlib AxesImage
        Of shape (n_rows, n_columns).

    plane : ndarray of shape (n_rows, n_columns)
        The values that are drawn. Cells that are NaN stay empty.

    labels : ndarray of str of shape (n_rows, n_columns)
        A label has one line or more.

    Returns
    -------
    texts : list of matplotlib Text
        In reading order.
    """
    red, green, blue = np.moveaxis(image.to_rgba(plane), -1, 0)[:3]
    light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
    width, height = cell_size(image.axes, plane.shape)
    lines = [label.split("\n") for label in labels[~np.isnan(plane)].tolist()]
    letters = max((len(line) for label in lines for line in label), default=1)
    most = max(map(len, lines), default=1)
    # a digit is some 0.6 of its size wide, a line 1.2 high
    size = min(0.75 * width / (0.6 * letters), 0.6 * height / (1.2 * most), 10)
    return [
        image.axes.text(
            column,
            row,
            labels[row, column],
            ha="center",
            va="center",
            color="black" if light[row, column] else "white",
            fontsize=size,
        )
        for row, column in np.argwhere(~np.isnan(plane)).tolist()
    ]
