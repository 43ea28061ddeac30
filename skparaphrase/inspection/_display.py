"""Base of the displays, and what several of them draw."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any

from skparaphrase._compat import check_matplotlib_support

_MANY = 5000  # points from which a vector graphic stores them as an image


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
