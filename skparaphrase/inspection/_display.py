"""Base of the displays."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from skparaphrase._compat import check_matplotlib_support

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


class Display:
    """Base of the displays: an optional name, axes and a title."""

    name: str | None = None
    ax_: "Axes"
    figure_: Any

    def _make_axes(self, ax: "Axes | None") -> "Axes":
        """Store and return `ax`, or the axes of a new figure if it is None."""
        check_matplotlib_support(f"{type(self).__name__}.plot")
        from matplotlib import pyplot

        self.ax_ = pyplot.subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_

    def _set_title(self, text: str) -> None:
        """Write a title that begins with the name of the display."""
        self.ax_.set_title(text if self.name is None else f"{self.name}: {text}")


def draw_line(
    ax: "Axes",
    x: ArrayLike,
    y: ArrayLike,
    options: Mapping[str, Any] | None,
    **defaults: Any,
) -> "Line2D":
    """Draw a line; `options` replace the defaults under any alias, such as "lw"."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return ax.plot(x, y, **defaults | normalize_kwargs(dict(options or {}), Line2D))[0]
