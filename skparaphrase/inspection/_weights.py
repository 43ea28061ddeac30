"""What weight training gives a word, against how often the word occurs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skparaphrase.encoders._base import WordEncoder
from skparaphrase.inspection._estimators import find_encoder, find_table
from skparaphrase.inspection._optional import import_pandas, make_axes
from skparaphrase.inspection._style import line_style, point_style
from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    load_word_frequencies,
)

_COLUMNS = {
    "l1": "length of the vector (sum of absolute components)",
    "l2": "length of the vector",
    "distance": "distance from the initial vector",
    "sif": "SIF weight a / (a + p)",
}
_FEW = 5  # words that a median is taken of, at least


def token_weights(
    encoder: Any,
    frequencies: WordFrequencies | Mapping[str, int] | None = None,
    initial: WordVectors | None = None,
    *,
    a: float = 1e-3,
) -> Any:
    r"""Length of every vector of a table, and how often its word occurs.

    In an average, a long vector weighs more. Wieting et al. (2016, section 6) find that
    training lengthens the vectors of words that bear meaning and shortens those of
    others, more than frequency alone would tell.

    Parameters
    ----------
    encoder : estimator or WordVectors
        A fitted encoder that has a table of words or n-grams, a pipeline or search that
        begins with one, or the table itself.

    frequencies : WordFrequencies or mapping of str to int, default=None
        How often each word (or n-gram) occurs. None takes the counts of English
        Wikipedia that come with the package for words, and none for n-grams.

    initial : WordVectors, default=None
        The table that training began with. None takes the encoder's `vectors`, if
        training began with just those.

    a : float, default=1e-3
        Parameter of the SIF weights.

    Returns
    -------
    weights : DataFrame of n_words rows
        Indexed by the words in the order of the table, so that a column as an array of
        shape (n_words,) is a weight for every row of it. NaN where nothing is known.

        - "l1", "l2": sum of absolute components (the paper's measure) and Euclidean
          length; those of encoders with weights (`SIFEncoder`, `TfidfEncoder`) times
          `weights_`.
        - "count", "frequency": occurrences, and their share p of the corpus; 0 for
          words that `frequencies` lacks.
        - "sif": a / (a + p).
        - "distance": Euclidean distance of the vector from the initial one.

    Examples
    --------
    The paper's experiment: weights learnt in training, on the initial vectors.

    >>> from skparaphrase.datasets import load_paraphrases, load_word_vectors
    >>> from skparaphrase.encoders import AverageEncoder, ParagramEncoder
    >>> from skparaphrase.inspection import token_weights
    >>> initial = load_word_vectors()
    >>> encoder = ParagramEncoder(initial, max_epochs=2, random_state=0)
    >>> weights = token_weights(encoder.fit(load_paraphrases().data))
    >>> bool(weights.loc["the", "l1"] < weights.loc["cat", "l1"])
    True
    >>> matrix = initial.rows(slice(None))
    >>> learnt = initial.replace(matrix * weights[["l1"]].to_numpy())
    >>> inverse = 1 / weights[["count"]].clip(lower=1).to_numpy()
    >>> rare = initial.replace(matrix * inverse)
    >>> AverageEncoder(learnt).transform(["A cat sleeps."]).shape
    (1, 128)
    """
    pandas = import_pandas("token_weights")
    table = find_table(encoder)
    found = encoder if isinstance(encoder, WordVectors) else find_encoder(encoder)
    matrix = table.rows(slice(None))
    columns = {
        "l1": np.abs(matrix).sum(axis=1, dtype=np.float64),
        "l2": np.linalg.norm(matrix, axis=1).astype(np.float64),
    }
    own = getattr(found, "weights_", None)
    if own is not None:
        columns = {name: values * np.abs(own) for name, values in columns.items()}
    count, share = _counts(found, table, frequencies)
    columns |= {"count": count, "frequency": share, "sif": a / (a + share)}
    columns["distance"] = np.full(len(table), np.nan)
    start = _initial(found) if initial is None else initial
    if start is not None:
        if start.words != table.words or start.dim != table.dim:
            raise ValueError(
                f"initial must hold the words of the table with vectors of length "
                f"{table.dim}; got {start!r} for {table!r}."
            )
        matrix -= start.rows(slice(None))
        columns["distance"] = np.linalg.norm(matrix, axis=1).astype(np.float64)
    return pandas.DataFrame(columns, index=pandas.Index(table.words, name="token"))


def _counts(
    encoder: Any,
    table: WordVectors,
    frequencies: WordFrequencies | Mapping[str, int] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count and share of every word of the table."""
    if frequencies is not None:
        known = WordFrequencies.check(frequencies)
    elif isinstance(encoder, (WordEncoder, WordVectors)):
        known = load_word_frequencies()
    else:
        unknown = np.full(len(table), np.nan)
        return unknown, unknown
    counts = (known.get(word, 0) for word in table.words)
    return (
        np.fromiter(counts, np.float64, len(table)),
        known.probabilities(table.words),
    )


def _initial(encoder: Any) -> WordVectors | None:
    """The table that training began with, where the parameters tell."""
    if (
        not isinstance(encoder, WordEncoder)
        or getattr(encoder, "init", None) is not None
    ):
        return None
    if getattr(encoder, "weighting", "uniform") != "uniform":
        return None
    return WordEncoder._word_vectors(encoder)


class TokenWeightsDisplay:
    """Weight of words against how often they occur.

    Make one with :meth:`from_estimator`, or from a frame of :func:`token_weights`.

    Parameters
    ----------
    weights : DataFrame
        What :func:`token_weights` returns.

    column : {"l2", "l1", "distance", "sif"}, default="l2"
        The weight to draw.

    Attributes
    ----------
    scatter_ : matplotlib PathCollection
        A point for every word that occurs.

    line_ : matplotlib Line2D
        Median weight of words of like frequency.

    texts_ : list of matplotlib Annotation

    ax_ : matplotlib Axes

    figure_ : matplotlib Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import TokenWeightsDisplay
    >>> encoder = SIFEncoder().fit(["A cat sleeps."])
    >>> display = TokenWeightsDisplay.from_estimator(encoder, words=["the", "cat"])
    >>> [text.get_text() for text in display.texts_]
    ['the', 'cat']
    >>> plt.close(display.figure_)
    """

    def __init__(self, weights: Any, *, column: str = "l2") -> None:
        if column not in _COLUMNS:
            raise ValueError(f"column must be one of {list(_COLUMNS)}; got {column!r}.")
        lacking = [name for name in ("frequency", column) if name not in weights]
        if lacking:
            raise ValueError(
                f"weights lacks the columns {lacking}; give what token_weights returns."
            )
        self.weights = weights
        self.column = column

    @classmethod
    def from_estimator(
        cls,
        encoder: Any,
        frequencies: WordFrequencies | Mapping[str, int] | None = None,
        initial: WordVectors | None = None,
        *,
        column: str = "l2",
        words: Sequence[str] | None = None,
        ax: Any = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the weights of an encoder.

        Parameters
        ----------
        encoder, frequencies, initial
            As of :func:`token_weights`.

        column : {"l2", "l1", "distance", "sif"}, default="l2"
            The weight to draw.

        words, ax, scatter_kwargs, line_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : TokenWeightsDisplay
        """
        display = cls(token_weights(encoder, frequencies, initial), column=column)
        return display.plot(
            ax, words=words, scatter_kwargs=scatter_kwargs, line_kwargs=line_kwargs
        )

    def plot(
        self,
        ax: Any = None,
        *,
        words: Sequence[str] | None = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        words : sequence of str, default=None
            Words to name in the figure. None takes heavy and light ones of every
            frequency. Words that do not occur are left out.

        scatter_kwargs, line_kwargs : dict, default=None
            For matplotlib's `scatter` and `plot`.

        Returns
        -------
        display : TokenWeightsDisplay

        Raises
        ------
        ValueError
            If no word has both a frequency and a weight, or one of `words` is not in
            the table.
        """
        ax = make_axes(ax, "TokenWeightsDisplay.plot")
        frame = self.weights[self.weights["frequency"] > 0].dropna(subset=self.column)
        if not len(frame):
            raise ValueError(
                f"No word has both a frequency and a {self.column!r}: give frequencies "
                "of the units of the table, and for distances the initial vectors."
            )
        frequency = frame["frequency"].to_numpy()
        weight = frame[self.column].to_numpy()
        scatter = {"s": 5, "alpha": 0.25, "color": "C0", "linewidth": 0}
        scatter["rasterized"] = True
        self.scatter_ = ax.scatter(
            frequency, weight, **point_style(scatter, scatter_kwargs or {})
        )
        line = {"color": "C1", "linewidth": 2, "label": "median"}
        (self.line_,) = ax.plot(
            *_medians(frequency, weight), **line_style(line, line_kwargs or {})
        )
        ax.set_xscale("log")
        ax.set_xlabel("share of the word in the corpus")
        ax.set_ylabel(_COLUMNS[self.column])
        if words is None:
            named = _extremes(frequency, weight)
        else:
            lacking = [word for word in words if word not in self.weights.index]
            if lacking:
                raise ValueError(f"{lacking} are not in the table.")
            rows = frame.index.get_indexer(list(words))
            named = rows[rows >= 0].tolist()
        below = weight[named] < np.interp(
            frequency[named], self.line_.get_xdata(), self.line_.get_ydata()
        )
        self.texts_ = [
            ax.annotate(
                frame.index[i],
                (frequency[i], weight[i]),
                xytext=(3, -3 if low else 3),
                textcoords="offset points",
                verticalalignment="top" if low else "bottom",
                fontsize="small",
                parse_math=False,
                bbox={"boxstyle": "square,pad=0", "color": "white", "alpha": 0.6},
            )
            for i, low in zip(named, below.tolist(), strict=True)
        ]
        ax.scatter(frequency[named], weight[named], s=10, color="black", zorder=3)
        # "best" looks at every point, which matplotlib warns of.
        ax.legend(loc="upper left" if self.column == "distance" else "upper right")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _bins(frequency: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """The one of `n` equal steps of log frequency that each word falls into."""
    logs = np.log(frequency)
    width = np.ptp(logs) or 1.0
    return np.minimum((n * (logs - logs.min()) / width).astype(np.intp), n - 1)


def _medians(
    frequency: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[list[float], list[float]]:
    """Medians of frequency and weight in steps of log frequency."""
    order = np.argsort(frequency, kind="stable")
    steps = _bins(frequency[order], 25)
    bounds = [0, *np.flatnonzero(np.diff(steps)) + 1, len(order)]
    starts = [0]
    for bound in bounds[1:-1]:  # a group of few joins the next, at the end the last
        if min(bound - starts[-1], len(order) - bound) >= _FEW:
            starts.append(int(bound))
    groups = np.split(order, starts[1:])
    return (
        [float(np.median(frequency[group])) for group in groups],
        [float(np.median(weight[group])) for group in groups],
    )


def _extremes(frequency: NDArray[np.float64], weight: NDArray[np.float64]) -> list[int]:
    """The heaviest and the lightest word of each of eight steps of log frequency."""
    steps = _bins(frequency, 8)
    found = set()
    for step in np.unique(steps):
        rows = np.flatnonzero(steps == step)
        found |= {int(rows[weight[rows].argmax()]), int(rows[weight[rows].argmin()])}
    return sorted(found)
