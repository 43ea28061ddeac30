"""Word interactions and focus of a pairwise word interaction model."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from skparaphrase._lazy import torch
from skparaphrase.inspection._display import Display
from skparaphrase.inspection._estimators import unwrap
from skparaphrase.interaction import PairwiseInteractionRanker
from skparaphrase.interaction._base import PairwiseInteraction
from skparaphrase.text import check_pairs, check_texts

_STATES = ("forward", "backward", "sum", "concatenation")
_MEASURES = ("cosine", "negative distance", "dot product")
_CHANNELS = [f"{state} {measure}" for state in _STATES for measure in _MEASURES]
_CHANNELS += ["words"]  # 1 in every cell
_LONGEST = 24  # letters of a label
_LETTER = 0.085  # width of a letter in inches


def word_interactions(model: Any, pair: Any) -> Bunch:
    """Compare each word of a sentence with each word of another, as a model does.

    See sections 5 and 6 of He & Lin (NAACL 2016).

    Parameters
    ----------
    model : estimator
        A fitted :class:`~skparaphrase.interaction.PairwiseInteractionRegressor` or
        :class:`~skparaphrase.interaction.PairwiseInteractionRanker`, or a pipeline or
        search that ends in one. Earlier steps of a pipeline transform the pair.
    pair : array-like of str of shape (2,)

    Returns
    -------
    interactions : Bunch
        - `words1`, `words2`: lists of the words that the model compares, up to its
          `max_words`. A word without a vector is left out if `unknown_range=None`, or
          appears as the table's unknown word if it has one.
        - `cube`: float64 of shape (13, n_words1, n_words2), before the focus.
        - `channels`: names of its 13 planes. Distances are negated, as in the paper's
          code; "words" is 1 everywhere.
        - `focus`: bool of shape (n_words1, n_words2), the cells that the focus layer
          selects, or would select if the model had one.
        - `weights`: float64 of shape (13, n_words1, n_words2), the factors 1 or 0.1 of
          the cells; 1 without a focus layer.
        - `score`: float, `predict` of a regressor or `decision_function` of a ranker.

    Raises
    ------
    TypeError, NotFittedError
        If `model` is or ends in another estimator, or is not fitted.
    ValueError
        If `pair` is not two sentences, or one of them has no words.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.inspection import word_interactions
    >>> from skparaphrase.interaction import PairwiseInteractionRegressor
    >>> pairs, scores = load_similarity(return_X_y=True)
    >>> model = PairwiseInteractionRegressor(hidden_dim=50, max_epochs=1)
    >>> model = model.fit(pairs[:8], scores[:8])
    >>> found = word_interactions(model, ("Cats sleep", "A cat sleeps"))
    >>> found.words2, found.cube.shape, int(found.focus.sum()) >= 2
    (['a', 'cat', 'sleeps'], (13, 2, 3), True)
    """
    found, before = unwrap(model), []
    while isinstance(found, Pipeline):
        before += [found[:-1]] if len(found.steps) > 1 else []
        found = unwrap(found.steps[-1][1])
    if not isinstance(found, PairwiseInteraction):
        raise TypeError(
            "Expected a PairwiseInteractionRegressor or PairwiseInteractionRanker, or "
            f"a pipeline or search that ends in one; got {type(found).__name__}."
        )
    texts = check_texts(pair)
    if texts.shape != (2,):
        raise ValueError(f"Expected one pair of sentences; got shape {texts.shape}.")
    check_is_fitted(found)
    pairs = texts.reshape(1, 2)
    for step in before:
        pairs = step.transform(pairs)
    pairs = check_pairs(pairs)
    interactions = _compare(found, pairs[0].tolist())
    ranks = isinstance(found, PairwiseInteractionRanker)
    score = found.decision_function(pairs) if ranks else found.predict(pairs)
    interactions.score = float(score[0])
    return interactions


def _compare(model: Any, texts: list[str]) -> Bunch:
    """Words of two sentences, and the cube, focus and weights of their cells."""
    from skparaphrase.networks._interaction import focus_mask, focus_weights

    found = model._find_words(texts)
    offsets = found.texts.offsets
    words = []
    for side, (start, stop) in enumerate(pairwise(offsets.tolist())):
        if start == stop:
            name = f"Sentence {side + 1} of the pair, {texts[side]!r}"
            raise ValueError(f"{name}, has no words that the model knows.")
        ids = found.texts.ids[start : min(stop, start + model.max_words)]
        words.append([found.words[i] for i in ids.tolist()])
    network = model._fitted_network()
    with torch.inference_mode():
        states = network.states(
            torch.from_numpy(found.vectors),
            torch.from_numpy(found.texts.ids.astype(np.int64)),
            offsets,
        )
        cube = network.cube(states, offsets, np.array([[0, 1]]))
        selected = focus_mask(cube, network.focus)
    weights = np.ones(cube.shape[1:])
    if network.focus in {"matching", "paper"}:
        weights = focus_weights(selected, network.focus)[0].double().numpy()
    return Bunch(
        words1=words[0],
        words2=words[1],
        cube=cube[0].numpy(),
        channels=list(_CHANNELS),
        focus=selected[0].numpy(),
        weights=weights,
    )


class InteractionDisplay(Display):
    """Similarity of each word of a sentence to each word of another, and the focus.

    Table 10 of He & Lin (2016). Frames mark the cells that the focus layer selects.
    Create one with :meth:`from_estimator`.

    Parameters
    ----------
    interactions : Bunch
        Result of :func:`word_interactions`.
    name : str, default=None
        Name of the model, for the title.

    Attributes
    ----------
    im_, marks_ : matplotlib AxesImage and PatchCollection
        The first sentence makes rows, the second columns; frames of cells in focus.
    texts_ : list of matplotlib Text, or None
        Values of the cells, in reading order, with `include_values`.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.inspection import InteractionDisplay
    >>> from skparaphrase.interaction import PairwiseInteractionRegressor
    >>> pairs, scores = load_similarity(return_X_y=True)
    >>> model = PairwiseInteractionRegressor(hidden_dim=50, max_epochs=1)
    >>> model = model.fit(pairs[:8], scores[:8])
    >>> display = InteractionDisplay.from_estimator(model, pairs[0])
    >>> plt.close(display.figure_)
    """

    def __init__(self, interactions: Bunch, *, name: str | None = None) -> None:
        self.interactions, self.name = interactions, name

    @classmethod
    def from_estimator(
        cls, model: Any, pair: Any, *, name: str | None = None, **plot_options: Any
    ) -> Self:
        """Draw how a model compares two sentences.

        Parameters
        ----------
        model, pair
            As in :func:`word_interactions`.
        name : str, default=None
            Name of the model, for the title.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : InteractionDisplay
        """
        return cls(word_interactions(model, pair), name=name).plot(**plot_options)

    def plot(
        self,
        ax: Any = None,
        *,
        channel: str = "concatenation cosine",
        focused: bool = True,
        include_values: bool = False,
        colorbar: bool = True,
        values_format: str = ".2f",
        cmap: Any = "viridis",
        im_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw one plane of the cube.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure, whose size depends on the number of words.
        channel : str, default="concatenation cosine"
            One of `interactions.channels`.
        focused : bool, default=True
            Draw the plane after the focus, as the convolutions receive it, or before.
        include_values, colorbar : bool
            Write the values into the cells; draw a colour bar.
        values_format, cmap : str
            Format of the values; colour map of matplotlib.
        im_kwargs : dict, default=None
            Passed to matplotlib's `imshow`. Colours of cosines range from the lowest
            value, at most 0, to 1 by default.

        Returns
        -------
        display : InteractionDisplay
        """
        found = self.interactions
        if channel not in found.channels:
            names = found.channels
            raise ValueError(f"channel must be one of {names}; got {channel!r}.")
        number = found.channels.index(channel)
        plane, weights = found.cube[number], found.weights[number]
        label = channel
        if focused and weights.min() < 1:
            plane = plane * weights
            label = f"{channel}\nafter the focus"
        options: dict[str, Any] = {"aspect": "auto", "cmap": cmap}
        if channel.endswith("cosine"):
            options |= {"vmin": min(0.0, plane.min()), "vmax": 1.0}
        rows, columns = [*map(_shorten, found.words1)], [*map(_shorten, found.words2)]
        values = [format(value, values_format) for value in plane.flat]
        letters = max(map(len, values)) if include_values else 0
        below = max(map(len, columns))
        new, ax = ax is None, self._make_axes(ax)
        ax.set(xlabel="sentence 2", ylabel="sentence 1")
        if new:
            width = max(len(columns) * max(0.3, 0.12 * letters), 1.8)
            width += _LETTER * max(map(len, rows)) + 0.8 + 1.1 * colorbar
            upright = max(map(len, label.split("\n")))
            height = max(len(rows) * (0.3 + 0.15 * include_values), _LETTER * upright)
            height += 0.7 * _LETTER * below + 1.0
            ax.figure.set_size_inches(np.clip((width, height), (4.5, 3.0), (14, 12)))
        box, dpi = ax.get_window_extent(), ax.figure.dpi
        # Size of a cell in points, before the labels take up space.
        wide = 72 / dpi * box.width / len(columns)
        high = 72 / dpi * box.height / len(rows)
        self.im_ = ax.imshow(plane, **options | dict(im_kwargs or {}))
        slant: dict[str, Any] = {}
        if 72 * _LETTER * below > wide:
            slant = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        slant |= {"fontsize": min(10, 0.6 * wide), "parse_math": False}
        ax.set_xticks(range(len(columns)), columns, **slant)
        size = min(10, 0.8 * high)
        ax.set_yticks(range(len(rows)), rows, fontsize=size, parse_math=False)
        if colorbar:
            aspect = max(20, 5 * box.height / dpi)
            ax.figure.colorbar(self.im_, ax=ax, label=label, aspect=aspect)
        edge = min(max(min(wide, high) / 12, 0.5), 1.5)
        self.marks_ = _frame_cells(ax, np.argwhere(found.focus), edge)
        self.texts_ = None
        if include_values:
            # A digit is about 0.6 of the font size wide, and a line 1.2 of it high.
            size = min(0.75 * wide / (0.6 * letters), 0.6 * high / 1.2, 10)
            self.texts_ = _write_cells(self.im_, plane, values, size)
        self._set_title(f"score {found.score:.2f}")
        return self


def _shorten(word: str) -> str:
    """First letters of a word, with an ellipsis if some are left out."""
    return word if len(word) <= _LONGEST else f"{word[: _LONGEST - 1]}\u2026"


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
    """Write values, black on light cells and white on dark ones."""
    light = image.to_rgba(plane)[..., :3] @ [0.299, 0.587, 0.114] > 0.5
    centred = {"ha": "center", "va": "center", "fontsize": size}
    texts = []
    for (i, j), value in zip(np.ndindex(plane.shape), values, strict=True):
        color = "black" if light[i, j] else "white"
        texts.append(image.axes.text(j, i, value, color=color, **centred))
    return texts
