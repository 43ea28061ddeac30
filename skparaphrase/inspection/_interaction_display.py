"""A picture of the words that a model compares."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils import Bunch

from skparaphrase.inspection._heat_map import cell_size, frame_cells, write_cells
from skparaphrase.inspection._interaction import word_interactions
from skparaphrase.inspection._optional import make_axes

_CELL, _WIDE_CELL = 0.3, 0.4  # inches; wide ones hold values
_LETTER = 0.08  # inches, of a label
_LONGEST = 24  # letters of a label


class InteractionDisplay:
    """Similarity of each word of a sentence with each of another, and the focus.

    Table 10 of He & Lin (2016): the focus cube, of which the planes of cosines show
    best which words match. Framed are the cells that the focus layer picks, by cosine
    or by distance. Make one with :meth:`from_estimator`, or from what
    :func:`word_interactions` returns.

    Parameters
    ----------
    interactions : Bunch
        What :func:`word_interactions` returns.

    name : str, default=None
        Of the model, for the title.

    Attributes
    ----------
    im_ : matplotlib AxesImage
        The first sentence goes down, the second across.

    marks_ : matplotlib PatchCollection
        A frame for each cell in focus, in reading order.

    text_ : list of matplotlib Text, or None
        Values of the cells, in reading order, with `include_values`.

    ax_ : matplotlib Axes

    figure_ : matplotlib Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.inspection import InteractionDisplay
    >>> from skparaphrase.interaction import PairwiseInteractionRegressor
    >>> pairs, scores = load_similarity(return_X_y=True)
    >>> model = PairwiseInteractionRegressor(hidden_dim=50, max_epochs=1)
    >>> model.fit(pairs[:8], scores[:8])
    PairwiseInteractionRegressor(...)
    >>> pair = ("Cats sleep", "A cat sleeps")
    >>> display = InteractionDisplay.from_estimator(model, pair)
    >>> [label.get_text() for label in display.ax_.get_xticklabels()]
    ['a', 'cat', 'sleeps']
    >>> plt.close(display.figure_)
    """

    def __init__(self, interactions: Bunch, *, name: str | None = None) -> None:
        self.interactions = interactions
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        pair: Any,
        *,
        channel: str = "concatenation cosine",
        focused: bool = True,
        include_values: bool = False,
        values_format: str = ".2f",
        cmap: Any = "viridis",
        colorbar: bool = True,
        name: str | None = None,
        ax: Any = None,
        im_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw how a model compares two sentences.

        Parameters
        ----------
        model, pair
            As of :func:`word_interactions`.

        channel, focused, include_values, values_format, cmap, colorbar
            As of :meth:`plot`.

        name : str, default=None
            Of the model, for the title.

        ax, im_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : InteractionDisplay
        """
        display = cls(word_interactions(model, pair), name=name)
        return display.plot(
            ax,
            channel=channel,
            focused=focused,
            include_values=include_values,
            values_format=values_format,
            cmap=cmap,
            colorbar=colorbar,
            im_kwargs=im_kwargs,
        )

    def plot(
        self,
        ax: Any = None,
        *,
        channel: str = "concatenation cosine",
        focused: bool = True,
        include_values: bool = False,
        values_format: str = ".2f",
        cmap: Any = "viridis",
        colorbar: bool = True,
        im_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default those of a new figure, as large as the sentences need. On others,
            labels shrink to the size of the cells.

        channel : str, default="concatenation cosine"
            One of `channels`.

        focused : bool, default=True
            Draw the plane after the focus, as the convolutions get it; False, before.

        include_values : bool, default=False
            Write the values into the cells.

        values_format : str, default=".2f"

        cmap : str or matplotlib Colormap, default="viridis"

        colorbar : bool, default=True

        im_kwargs : dict, default=None
            For matplotlib's `imshow`. Colours of cosines go from 0, or from the lowest
            if that is less, to 1; give "vmin" and "vmax" for other ends.

        Returns
        -------
        display : InteractionDisplay

        Raises
        ------
        ValueError
            If there is no such channel.
        """
        found = self.interactions
        if channel not in found.channels:
            raise ValueError(
                f"channel must be one of {found.channels}; got {channel!r}."
            )
        words1, words2 = (
            [_short(word) for word in words] for words in (found.words1, found.words2)
        )
        plane = found.cube[found.channels.index(channel)]
        label = channel
        if focused and found.weights.min() < 1:
            plane = plane * found.weights
            label = f"{channel}\nafter the focus"
        new = ax is None
        ax = make_axes(ax, "InteractionDisplay.plot")
        if new:
            cell = _WIDE_CELL if include_values else _CELL
            ax.figure.set_size_inches(*_size(words1, words2, cell, colorbar))
        options: dict[str, Any] = {"cmap": cmap, "aspect": "auto"}
        if channel.endswith("cosine"):
            options |= {"vmin": min(0.0, plane.min()), "vmax": 1.0}
        self.im_ = ax.imshow(plane, **{**options, **(im_kwargs or {})})
        self._label(words1, words2, cell=None if new else cell_size(ax, plane.shape))
        score = f"score {found.score:.2f}"
        ax.set_title(score if self.name is None else f"{self.name}: {score}")
        if colorbar:
            ax.figure.colorbar(self.im_, ax=ax, label=label)
        self.marks_ = frame_cells(self.im_, np.argwhere(found.focus).tolist())
        self.text_ = None
        if include_values:
            texts = [format(value, values_format) for value in plane.flat]
            labels = np.array(texts, dtype=object).reshape(plane.shape)
            self.text_ = write_cells(self.im_, plane, labels)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _label(
        self, words1: list[str], words2: list[str], *, cell: tuple[float, float] | None
    ) -> None:
        """Words on the axes, small enough for cells of so many points."""
        from matplotlib.font_manager import FontProperties

        ax = self.im_.axes
        sizes = [FontProperties(size="medium").get_size_in_points()] * 2
        if cell is not None:
            sizes = [min(sizes[0], 0.6 * cell[0]), min(sizes[1], 0.8 * cell[1])]
        text = {"parse_math": False}
        slant = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(len(words2)), words2, fontsize=sizes[0], **slant, **text)
        ax.set_yticks(range(len(words1)), words1, fontsize=sizes[1], **text)
        ax.set_xlabel("sentence 2")
        ax.set_ylabel("sentence 1")


def _short(word: str) -> str:
    return word if len(word) <= _LONGEST else f"{word[: _LONGEST - 1]}\u2026"


def _size(
    words1: list[str], words2: list[str], cell: float, colorbar: bool
) -> tuple[float, float]:
    """Width and height of a figure in inches, with room for labels that slant."""
    left, below = (_LETTER * max(map(len, words)) for words in (words1, words2))
    width = max(cell * len(words2), 1.8) + left + 0.6 + 1.2 * colorbar
    height = max(cell * len(words1), 2.4) + 0.75 * below + 0.9
    return width, height
