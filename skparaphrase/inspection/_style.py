"""Styles that a person chooses, before those of a display."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any


def line_style(
    defaults: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """`options` of a line, and the defaults that none of them replaces.

    An option replaces a default under any of its names: "c" for "color", "lw" for
    "linewidth".
    """
    from matplotlib.lines import Line2D

    return _merged(defaults, options, Line2D)


def point_style(
    defaults: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """As :func:`line_style`, for `scatter`; "c" and "facecolor" replace "color"."""
    from matplotlib.collections import PathCollection

    style = _merged(defaults, options, PathCollection)
    faces = {"c", "facecolor", "facecolors", "fc"}
    if "color" not in options and not faces.isdisjoint(options):
        style.pop("color", None)
    return style


def _merged(
    defaults: Mapping[str, Any], options: Mapping[str, Any], artist: type
) -> dict[str, Any]:
    from matplotlib.cbook import normalize_kwargs

    given = normalize_kwargs(dict(options), artist)
    kept = {name: value for name, value in defaults.items() if name not in given}
    return {**kept, **options}
