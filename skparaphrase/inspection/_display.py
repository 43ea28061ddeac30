"""Base of the displays."""

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


def draw_points(
    ax: Any, x: Any, y: Any, options: Mapping[str, Any] | None, **defaults: Any
) -> Any:
    """Draw points without edges; `options` replace the defaults under any alias."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.collections import Collection

    style = {"linewidth": 0, "rasterized": len(x) > _MANY, **defaults}
    return ax.scatter(x, y, **style | normalize_kwargs(dict(options or {}), Collection))


def draw_line(
    ax: Any, x: Any, y: Any, options: Mapping[str, Any] | None, **defaults: Any
) -> Any:
    """Draw a line; `options` replace the defaults under any alias, such as "lw"."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return ax.plot(x, y, **defaults | normalize_kwargs(dict(options or {}), Line2D))[0]
