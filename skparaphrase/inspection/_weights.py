"""Lengths of word vectors against the frequencies of the words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import check_pandas_support
from skparaphrase.inspection._display import Display, draw_points, merge_style
from skparaphrase.inspection._estimators import (
    find_encoder,
    find_table,
    has_words,
    initial_table,
)
from skparaphrase.inspection._swear_words import first_to_name
from skparaphrase.vectors import WordFrequencies, WordVectors, load_word_frequencies

_COLUMNS = {
    "l1": "length of the vector (sum of absolute components)",
    "l2": "length of the vector",
    "distance": "distance from the initial vector",
    "sif": "SIF weight a / (a + p)",
}
NAMED_STEPS = 8  # steps of log frequency, in each of which words are named
_MEDIAN_STEPS = 25
_FEWEST = 5  # words in a median


def token_weights(
    encoder: Any,
    frequencies: WordFrequencies | Mapping[str, int] | None = None,
    initial: WordVectors | None = None,
    *,
    a: float = 1e-3,
) -> Any:
    r"""Length of each vector of a table, and frequency of its word.

    A long vector has more weight in an average. Wieting et al. (2016, section 6) find
    that training lengthens the vectors of content words and shortens others.

    Parameters
    ----------
    encoder : estimator or WordVectors
        As in :func:`nearest_units`.
    frequencies : WordFrequencies or mapping of str to int, default=None
        Counts of the words (or n-grams). None takes the bundled counts of English
        Wikipedia for words, and none for n-grams.
    initial : WordVectors, default=None
        The table from which training started. None takes the `vectors` of the encoder,
        if training started from them unchanged.
    a : float, default=1e-3
        Parameter of the SIF weights.

    Returns
    -------
    weights : DataFrame of n_words rows
        Indexed by the words in the order of the table; NaN where a value is unknown.

        - "l1", "l2": sum of absolute components (the paper's measure) and Euclidean
          length, multiplied by `weights_` if the encoder has it.
        - "count", "frequency": number of occurrences, and their share p of the corpus.
        - "sif": a / (a + p).
        - "distance": Euclidean distance of the vector from the initial one.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> from skparaphrase.inspection import token_weights
    >>> encoder = ParagramEncoder(max_epochs=2, random_state=0)
    >>> weights = token_weights(encoder.fit(load_paraphrases().data))
    >>> bool(weights.loc["the", "l1"] < weights.loc["cat", "l1"])
    True
    """
    pandas = check_pandas_support("token_weights")
    table = find_table(encoder)
    found = find_encoder(encoder)
    matrix = table.rows(slice(None))
    columns = {
        "l1": np.abs(matrix).sum(axis=1, dtype=np.float64),
        "l2": np.linalg.norm(matrix, axis=1).astype(np.float64),
    }
    own = getattr(found, "weights_", None)
    if own is not None:
        columns = {name: values * np.abs(own) for name, values in columns.items()}
    count = share = distance = np.full(len(table), np.nan)
    is_words = isinstance(found, WordVectors) or has_words(found)
    if frequencies is None and is_words:
        frequencies = load_word_frequencies()
    if frequencies is not None:
        known = WordFrequencies.check(frequencies)
        counts = (known.get(word, 0) for word in table.words)
        count = np.fromiter(counts, np.float64, len(table))
        share = known.probabilities(table.words)
    start = initial_table(found) if initial is None else initial
    if start is not None:
        if start.words != table.words or start.dim != table.dim:
            raise ValueError(f"initial and the table differ: {start!r} and {table!r}.")
        matrix -= start.rows(slice(None))
        distance = np.linalg.norm(matrix, axis=1).astype(np.float64)
    columns |= {"count": count, "frequency": share, "sif": a / (a + share)}
    columns["distance"] = distance
    return pandas.DataFrame(columns, index=pandas.Index(table.words, name="token"))


class TokenWeightsDisplay(Display):
    """Weights of words against their frequencies.

    Create one with :meth:`from_estimator`.

    Parameters
    ----------
    weights : DataFrame
        Result of :func:`token_weights`.
    column : {"l2", "l1", "distance", "sif"}, default="l2"
        The weight to draw.

    Attributes
    ----------
    scatter_, line_ : matplotlib PathCollection and Line2D
        Points of the words that occur, and the median of those of like frequency.
    texts_ : list of matplotlib Annotation
        The named words, in rising frequency.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import TokenWeightsDisplay
    >>> encoder = SIFEncoder().fit(["A cat sleeps."])
    >>> display = TokenWeightsDisplay.from_estimator(encoder, words=["the", "cat"])
    >>> [text.get_text() for text in display.texts_]
    ['cat', 'the']
    >>> plt.close(display.figure_)
    """

    def __init__(self, weights: Any, *, column: str = "l2") -> None:
        if column not in _COLUMNS:
            raise ValueError(f"column must be one of {list(_COLUMNS)}; got {column!r}.")
        missing = [name for name in ("frequency", column) if name not in weights]
        if missing:
            raise ValueError(f"weights has no columns {missing}; use token_weights.")
        self.weights, self.column = weights, column

    @classmethod
    def from_estimator(
        cls,
        encoder: Any,
        frequencies: WordFrequencies | Mapping[str, int] | None = None,
        initial: WordVectors | None = None,
        *,
        column: str = "l2",
        **plot_options: Any,
    ) -> Self:
        """Draw the weights of an encoder.

        Parameters
        ----------
        encoder, frequencies, initial
            As in :func:`token_weights`.
        column : {"l2", "l1", "distance", "sif"}, default="l2"
            The weight to draw.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : TokenWeightsDisplay
        """
        weights = token_weights(encoder, frequencies, initial)
        return cls(weights, column=column).plot(**plot_options)

    def plot(
        self,
        ax: Any = None,
        *,
        words: Sequence[str] | None = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the words.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure.
        words : sequence of str, default=None
            Words to name if they occur. None names those of highest and of lowest
            weight among words of like frequency, but no swear words.
        scatter_kwargs, line_kwargs : dict, default=None
            Passed to matplotlib's `scatter` and `plot`.

        Returns
        -------
        display : TokenWeightsDisplay
        """
        ax = self._make_axes(ax)
        table = self.weights.index
        columns = self.weights[["frequency", self.column]].to_numpy().T
        known, points = drawable(table, columns)
        style: dict[str, Any] = {"s": 5, "alpha": 0.25, "color": "C0"}
        self.scatter_ = draw_points(ax, points, scatter_kwargs, **style)
        median = _medians(points)
        style = merge_style(line_kwargs, color="C1", linewidth=2, label="median")
        (self.line_,) = ax.plot(*median, **style)
        if words is None:
            extremes = set()
            for rows in steps(points[0], NAMED_STEPS):
                heights = points[1, rows]
                for keys in (-heights, heights):
                    extremes.update(first_to_name(known, rows, keys))
            named = sorted(extremes)
        else:
            named = find_words(words, table, known, points)
        below = points[1, named] < np.interp(points[0, named], *median)
        corners = [("left", "top" if low else "bottom") for low in below]
        self.texts_ = name_points(ax, known, points, named, corners)
        ax.set(xlabel="share of the word in the corpus", ylabel=_COLUMNS[self.column])
        # "best" would compare with every point, of which matplotlib warns.
        ax.legend(loc="upper left" if self.column == "distance" else "upper right")
        return self


def drawable(
    words: Sequence[str], points: NDArray[np.float64]
) -> tuple[list[str], NDArray[np.float64]]:
    """Words that occur and have a weight, and their frequencies and weights."""
    rows = np.flatnonzero((points[0] > 0) & ~np.isnan(points[1]))
    if not len(rows):
        raise ValueError(
            "No word has both a frequency and a weight; pass frequencies of the units "
            "of the table, and for distances the initial vectors."
        )
    return [words[row] for row in rows.tolist()], points[:, rows]


def find_words(asked: Any, words: Any, known: list[str], points: Any) -> list[int]:
    """Positions of the asked words among the known ones, in rising frequency."""
    missing = sorted(set(asked).difference(words))
    if missing:
        raise ValueError(f"{missing} are not in the table.")
    places = {word: i for i, word in enumerate(known)}
    found = (places[word] for word in asked if word in places)
    return sorted(found, key=points[0].item)


def steps(frequency: NDArray[np.float64], n: int) -> list[NDArray[np.intp]]:
    """Rows of the words in each of `n` equal steps of log frequency, if it has any."""
    logs = np.log(frequency)
    width = np.ptp(logs) or 1.0
    step = np.minimum((n * (logs - logs.min()) / width).astype(np.intp), n - 1)
    return [np.flatnonzero(step == i) for i in np.unique(step)]


def _medians(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Median frequency and weight of steps of log frequency, joined if too small."""
    groups: list[NDArray[np.intp]] = []
    for rows in steps(points[0], _MEDIAN_STEPS):
        if groups and len(groups[-1]) < _FEWEST:
            rows = np.concatenate([groups.pop(), rows])
        groups.append(rows)
    if len(groups) > 1 and len(groups[-1]) < _FEWEST:
        groups[-2:] = [np.concatenate(groups[-2:])]
    return np.array([np.median(points[:, rows], axis=1) for rows in groups]).T


def name_points(
    ax: Any, known: list[str], points: Any, named: list[int], corners: Any
) -> list[Any]:
    """Draw black points on a log axis, each with its word at one of its corners."""
    ax.set_xscale("log")
    ax.scatter(*points[:, named], s=12, color="black", zorder=4)
    style: dict[str, Any] = {"fontsize": "small", "parse_math": False, "zorder": 5}
    style["bbox"] = {"boxstyle": "square,pad=0", "color": "white", "alpha": 0.6}
    texts = []
    for i, (ha, va) in zip(named, corners, strict=False):
        style |= {"ha": ha, "va": va, "textcoords": "offset points"}
        shift = 3 if ha == "left" else -3, 3 if va == "bottom" else -3
        texts.append(ax.annotate(known[i], points[:, i], shift, **style))
    return texts
