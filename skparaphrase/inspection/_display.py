"""Base of the displays, and what several of them draw."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import check_matplotlib_support

_MANY = 5000  # points from which a vector graphic stores them as an image
_LONGEST = 24  # letters of a label
_LETTER = 0.085  # width of a letter in inches


class Display:
    """Base of the displays: an optional name, axes and a title."""

    name: str | None = None
    ax_: Any
    figure_: Any

    def _make_axes(self, ax: Any) -> Any:
        """Store and return `ax`, or the axes of a new figure if it is None."""
        check_matplotlib_support(f"{type(self).__name__}.plot")
        from matplotlib import pyplot

        self.ax_ = pyplot.subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_

    def _set_title(self, text: str) -> None:
        """Write a title that begins with the name of the display."""
        self.ax_.set_title(text if self.name is None else f"{self.name}: {text}")


def merge_style(options: Mapping[str, Any] | None, **defaults: Any) -> dict[str, Any]:
    """Options of a matplotlib call, and the defaults that they do not replace.

    An option replaces a default under any of its names, such as "c" for "color" and
    "lw" for "linewidth". A face colour replaces "color", too.
    """
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D

    options = dict(options or {})
    given = set(normalize_kwargs(normalize_kwargs(options, Line2D), Collection))
    if "facecolor" in given:
        given.add("color")
    return {k: v for k, v in defaults.items() if k not in given} | options


def draw_points(ax: Any, points: Any, options: Any, **defaults: Any) -> Any:
    """Draw points without edges; `points` are their two coordinates."""
    defaults |= {"linewidth": 0, "rasterized": len(points[0]) > _MANY}
    return ax.scatter(*points, **merge_style(options, **defaults))


def draw_legend(ax: Any, loc: str) -> None:
    """Draw a small legend whose handles are opaque where the points are not."""
    for handle in ax.legend(loc=loc, fontsize="small").legend_handles:
        handle.set_alpha(1)


def draw_cells(
    ax: Any,
    plane: NDArray[np.floating],
    words1: Sequence[str],
    words2: Sequence[str],
    *,
    label: str,
    values_format: str | None,
    colorbar: bool,
    resize: bool,
    options: Mapping[str, Any],
) -> tuple[Any, list[Any] | None, float]:
    """Draw a matrix of words by words.

    Parameters
    ----------
    ax : matplotlib Axes
    plane : ndarray of shape (n_words1, n_words2)
    words1, words2 : sequence of str
        Labels of the rows and columns.
    label : str
        Label of the colour bar.
    values_format : str or None
        Write the values into the cells.
    colorbar : bool
    resize : bool
        Give the figure a size that depends on the numbers of words.
    options : dict
        Passed to `imshow`.

    Returns
    -------
    image : AxesImage
    texts : list of Text or None
    edge : float
        Width in points of lines around cells.
    """
    rows, columns = [*map(_shorten, words1)], [*map(_shorten, words2)]
    with_values = values_format is not None
    values = [format(value, values_format or "") for value in plane.flat]
    letters = max(map(len, values)) if with_values else 0
    below = max(map(len, columns))
    if resize:
        width = max(len(columns) * max(0.3, 0.12 * letters), 1.8)
        width += _LETTER * max(map(len, rows)) + 0.8 + 1.1 * colorbar
        upright = max(map(len, label.split("\n")))
        height = max(len(rows) * (0.3 + 0.15 * with_values), _LETTER * upright)
        height += 0.7 * _LETTER * below + 1.0
        ax.figure.set_size_inches(np.clip((width, height), (4.5, 3.0), (14, 12)))
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    # Size of a cell in points, before the labels take up space.
    wide = 72 / dpi * box.width / len(columns)
    high = 72 / dpi * box.height / len(rows)
    image = ax.imshow(plane, **{"aspect": "auto", **options})
    slant: dict[str, Any] = {}
    if 72 * _LETTER * below > wide:
        slant = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    slant |= {"fontsize": min(10, 0.6 * wide), "parse_math": False}
    ax.set_xticks(range(len(columns)), columns, **slant)
    size = min(10, 0.8 * high)
    ax.set_yticks(range(len(rows)), rows, fontsize=size, parse_math=False)
    if colorbar:
        aspect = max(20, 5 * box.height / dpi)
        ax.figure.colorbar(image, ax=ax, label=label, aspect=aspect)
    texts = None
    if with_values:
        # A digit is about 0.6 of the font size wide, and a line 1.2 of it high.
        size = min(0.75 * wide / (0.6 * letters), 0.6 * high / 1.2, 10)
        texts = _write_cells(image, plane, values, size)
    return image, texts, min(max(min(wide, high) / 12, 0.5), 1.5)


def _shorten(word: str) -> str:
    """First letters of a word, with an ellipsis if some are left out."""
    return word if len(word) <= _LONGEST else f"{word[: _LONGEST - 1]}\u2026"


def _write_cells(
    image: Any, plane: NDArray[np.floating], values: Sequence[str], size: float
) -> list[Any]:
    """Write values, black on light cells and white on dark ones."""
    light = image.to_rgba(plane)[..., :3] @ [0.299, 0.587, 0.114] > 0.5
    centred = {"ha": "center", "va": "center", "fontsize": size}
    texts = []
    for (i, j), value in zip(np.ndindex(plane.shape), values, strict=True):
        color = "black" if light[i, j] else "white"
        texts.append(image.axes.text(j, i, value, color=color, **centred))
    return texts
