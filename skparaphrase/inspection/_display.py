"""Base of the displays, and the heat map that two of them draw."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.inspection._estimators import import_optional

_LETTER = 0.085  # width of a letter in inches
_MANY = 5000  # points that are stored as an image within a vector graphic


class Display:
    """Base of the displays: an optional name, axes and a title."""

    name: str | None = None
    ax_: Any
    figure_: Any

    def _make_axes(self, ax: Any) -> Any:
        """Store and return `ax`, or the axes of a new figure if it is None."""
        pyplot = import_optional("matplotlib.pyplot", f"{type(self).__name__}.plot")
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


def shorten(text: str, longest: int) -> str:
    """First letters of a text, with an ellipsis if some are left out."""
    return text if len(text) <= longest else f"{text[: longest - 1]}\u2026"


def draw_heat_map(
    ax: Any,
    plane: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    framed: Any,
    values: Sequence[str] | None,
    bar_label: str | None,
    new: bool,
    options: Mapping[str, Any],
) -> tuple[Any, Any, list[Any] | None]:
    """Draw cells on axes that have labels, and return the image, frames and texts.

    `plane` is of shape (len(rows), len(columns)); cells that are NaN stay grey.
    `framed` holds the row and column of each cell to frame, `values` the text of each
    cell in reading order. A figure that is new takes the size that the cells need.
    """
    lines = [line for value in values or () for line in value.split("\n")]
    letters, n_lines = max(map(len, lines), default=0), len(lines) // plane.size
    below, left = max(map(len, columns)), max(map(len, rows))
    if new:
        upright = max(map(len, [ax.get_ylabel(), *(bar_label or "").split("\n")]))
        width = max(len(columns) * max(0.3, 0.12 * letters), 1.8)
        width += _LETTER * left + 0.8 + 1.1 * bool(bar_label)
        height = max(len(rows) * (0.3 + 0.15 * n_lines), _LETTER * upright)
        height += 0.7 * _LETTER * below + 1.0
        ax.figure.set_size_inches(np.clip((width, height), (4.5, 3.0), (14, 12)))
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    # Size of a cell in points, before the labels take their room.
    wide = 72 / dpi * box.width / len(columns)
    high = 72 / dpi * box.height / len(rows)

    image = ax.imshow(np.ma.masked_invalid(plane), **{"aspect": "auto", **options})
    ax.set_facecolor("0.85")
    slant: dict[str, Any] = {}
    if 72 * _LETTER * below > wide:
        slant = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    slant |= {"fontsize": min(10, 0.6 * wide), "parse_math": False}
    ax.set_xticks(range(len(columns)), columns, **slant)
    size = min(10, 0.8 * high)
    ax.set_yticks(range(len(rows)), rows, fontsize=size, parse_math=False)
    if bar_label:
        aspect = max(20, 5 * box.height / dpi)
        ax.figure.colorbar(image, ax=ax, label=bar_label, aspect=aspect)
    frames = _frame_cells(ax, framed, min(max(min(wide, high) / 12, 0.5), 1.5))
    if values is None:
        return image, frames, None
    # The width of a digit is some 0.6 of its size, the height of a line 1.2.
    size = min(0.75 * wide / (0.6 * letters), 0.6 * high / (1.2 * n_lines), 10)
    return image, frames, _write_cells(image, plane, values, size)


def _frame_cells(ax: Any, cells: Any, width: float) -> Any:
    """Draw white frames with black edges, visible on any colour."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle
    from matplotlib.patheffects import withStroke

    boxes = [Rectangle((j - 0.43, i - 0.43), 0.86, 0.86) for i, j in cells]
    style: dict[str, Any] = {"fc": "none", "ec": "white", "lw": width}
    style["path_effects"] = [withStroke(linewidth=2.5 * width, foreground="black")]
    frames = PatchCollection(boxes, **style)
    ax.add_collection(frames, autolim=False)
    return frames


def _write_cells(
    image: Any, plane: NDArray[np.float64], values: Sequence[str], size: float
) -> list[Any]:
    """Write values, black on light cells and white on dark ones; none where NaN."""
    light = image.to_rgba(plane)[..., :3] @ [0.299, 0.587, 0.114] > 0.5
    centred = {"ha": "center", "va": "center", "fontsize": size}
    texts = []
    for i, j in np.argwhere(~np.isnan(plane)).tolist():
        value = values[i * plane.shape[1] + j]
        color = "black" if light[i, j] else "white"
        texts.append(image.axes.text(j, i, value, color=color, **centred))
    return texts
