"""Smooth inverse frequency: what a word weighs, by how often it occurs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from skparaphrase.encoders import ParagramEncoder, SIFEncoder
from skparaphrase.encoders._sif import sif_weights
from skparaphrase.encoders._word_paraphrase import WordParaphraseEncoder
from skparaphrase.inspection._estimators import find_encoder, find_table
from skparaphrase.inspection._optional import make_axes
from skparaphrase.inspection._style import line_style, point_style
from skparaphrase.inspection._weights import _bins
from skparaphrase.vectors import WordFrequencies, load_word_frequencies

_STEPS = 8  # of log frequency, a named word for each


class FrequencyWeightsDisplay:
    r"""SIF weight :math:`a / (a + p)` of words against their share p of a corpus.

    Figure 1 of Arora et al. (2017), which draws such a curve beside the subsampling of
    word2vec, with the words of an encoder among the curves: on one of them, or where
    training has put them. Make one with :meth:`from_estimator`.

    Parameters
    ----------
    words : list of str

    frequency : array-like of shape (n_words,)
        Share of each word. Words that do not occur, with 0, are not drawn.

    weight : array-like of shape (n_words,)
        Weight of each word; NaN where it is not known.

    a : sequence of float, default=(1e-3,)
        Parameters of the curves.

    name : str, default=None
        Of the encoder, for the legend.

    Attributes
    ----------
    scatter_ : matplotlib PathCollection
        A point for every word that occurs.

    lines_ : list of matplotlib Line2D
        A curve for each `a`, in rising order.

    subsampling_line_ : matplotlib Line2D or None

    texts_ : list of matplotlib Annotation

    ax_ : matplotlib Axes

    figure_ : matplotlib Figure

    See Also
    --------
    TokenWeightsDisplay : Length of the vectors, and their median.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import FrequencyWeightsDisplay
    >>> encoder = SIFEncoder().fit(["A cat sleeps."])
    >>> display = FrequencyWeightsDisplay.from_estimator(
    ...     encoder, a=[1e-2, 1e-3, 1e-4], words=["the", "cat"]
    ... )
    >>> [line.get_label() for line in display.lines_]
    ['a = 0.0001', 'a = 0.001', 'a = 0.01']
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        words: Sequence[str],
        frequency: Any,
        weight: Any,
        *,
        a: Iterable[float] = (1e-3,),
        name: str | None = None,
    ) -> None:
        self.words = list(words)
        self.frequency, self.weight = (
            column_or_1d(
                check_array(
                    values,
                    ensure_2d=False,
                    dtype=np.float64,
                    ensure_all_finite="allow-nan",
                    input_name=label,
                )
            )
            for values, label in ((frequency, "frequency"), (weight, "weight"))
        )
        check_consistent_length(self.words, self.frequency, self.weight)
        self.a = sorted({float(value) for value in a})
        if not all(value > 0 for value in self.a):
            raise ValueError(f"a must be greater than 0; got {self.a}.")
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        encoder: Any,
        frequencies: WordFrequencies | Mapping[str, int] | None = None,
        *,
        a: float | Iterable[float] | None = None,
        words: Sequence[str] | None = None,
        subsampling: float | None = None,
        name: str | None = None,
        ax: Any = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the weights of an encoder's words.

        Parameters
        ----------
        encoder : estimator
            A fitted :class:`~skparaphrase.encoders.SIFEncoder`, whose weights these
            are; or an encoder that has trained its word vectors, such as
            :class:`~skparaphrase.encoders.ParagramEncoder`, whose words weigh what
            their vectors have grown by: length now through length at the start
            (with `weighting="sif"`, before that was applied). A pipeline or search
            that begins with one will do.

        frequencies : WordFrequencies or mapping of str to int, default=None
            How often each word occurs. None takes what the encoder's SIF weights are
            made from, and of encoders without, the counts of English Wikipedia that
            come with the package.

        a : float or iterable of float, default=None
            Parameters of the curves. None takes the encoder's, or 1e-3.

        words, subsampling
            As of :meth:`plot`.

        name : str, default=None
            By default the name of the encoder's class.

        ax, scatter_kwargs, line_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : FrequencyWeightsDisplay

        Raises
        ------
        TypeError
            If the encoder has neither SIF weights nor trained word vectors.
        NotFittedError
            If it is not fitted.
        ValueError
            If its parameters do not tell the vectors that training began with, as
            after :func:`skparaphrase.load` of one that began with `init`.
        """
        found = find_encoder(encoder)
        if not isinstance(found, (SIFEncoder, WordParaphraseEncoder)):
            raise TypeError(
                "Expected a SIFEncoder, or an encoder that trains word vectors; got "
                f"{type(found).__name__}."
            )
        check_is_fitted(found)
        own = (
            float(found.a) if isinstance(found, (SIFEncoder, ParagramEncoder)) else 1e-3
        )
        table = find_table(found)
        display = cls(
            table.words,
            _shares(found, table.words, frequencies, own),
            found.weights_ if isinstance(found, SIFEncoder) else _growth(found),
            a=[own] if a is None else np.atleast_1d(np.asarray(a)).tolist(),
            name=type(found).__name__ if name is None else name,
        )
        return display.plot(
            ax,
            words=words,
            subsampling=subsampling,
            scatter_kwargs=scatter_kwargs,
            line_kwargs=line_kwargs,
        )

    def plot(
        self,
        ax: Any = None,
        *,
        words: Sequence[str] | None = None,
        subsampling: float | None = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        words : sequence of str, default=None
            Words to name in the figure. None takes the most frequent, of letters
            only, of eight equal steps of log frequency. Words that do not occur are
            left out.

        subsampling : float, default=None
            Draw the share of its occurrences that word2vec keeps of a word, too:
            min(1, sqrt(subsampling / p)). The paper has 1e-5, beside a = 1e-4.

        scatter_kwargs, line_kwargs : dict, default=None
            For matplotlib's `scatter` of the words and `plot` of the curves.

        Returns
        -------
        display : FrequencyWeightsDisplay

        Raises
        ------
        ValueError
            If no word occurs, or one of `words` is not in the table.
        """
        from itertools import cycle

        ax = make_axes(ax, "FrequencyWeightsDisplay.plot")
        seen = np.flatnonzero((self.frequency > 0) & ~np.isnan(self.weight))
        if not len(seen):
            raise ValueError("No word has both a frequency and a weight.")
        frequency, weight = self.frequency[seen], self.weight[seen]
        named = self._named(seen, words)
        defaults = {"s": 6, "alpha": 0.35, "color": "0.35", "linewidth": 0}
        defaults |= {"rasterized": True, "label": self.name}
        self.scatter_ = ax.scatter(
            frequency, weight, **point_style(defaults, scatter_kwargs or {})
        )
        self._draw_curves(ax, frequency, subsampling, line_kwargs or {})
        ax.scatter(frequency[named], weight[named], s=14, color="black", zorder=4)
        # words that follow each other on a falling curve: one above, the next below
        sides = cycle([("left", "bottom", 3), ("right", "top", -3)])
        self.texts_ = [
            ax.annotate(
                self.words[seen[i]],
                (frequency[i], weight[i]),
                xytext=(shift, shift),
                textcoords="offset points",
                ha=horizontal,
                va=vertical,
                fontsize="small",
                parse_math=False,
                zorder=5,
                bbox={"boxstyle": "square,pad=0", "color": "white", "alpha": 0.6},
            )
            for i, (horizontal, vertical, shift) in zip(named, sides, strict=False)
        ]
        ax.set_xscale("log")
        ax.set_xlabel("share p of the word in the corpus")
        ax.set_ylabel("weight")
        legend = ax.legend(loc="lower left", fontsize="small")
        for handle in legend.legend_handles:
            handle.set_alpha(1)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_curves(
        self,
        ax: Any,
        frequency: NDArray[np.float64],
        subsampling: float | None,
        options: Mapping[str, Any],
    ) -> None:
        """A curve for each `a`, the darker the smaller."""
        from matplotlib import colormaps

        shares = np.geomspace(frequency.min(), max(frequency.max(), 0.1), 200)
        colors = colormaps["viridis"](np.linspace(0.1, 0.85, len(self.a)))
        self.lines_ = []
        for value, color in zip(self.a, colors, strict=True):
            defaults = {"color": color, "linewidth": 1.5, "label": f"a = {value:g}"}
            self.lines_ += ax.plot(
                shares, sif_weights(shares, value), **line_style(defaults, options)
            )
        self.subsampling_line_ = None
        if subsampling is not None:
            (self.subsampling_line_,) = ax.plot(
                shares,
                np.minimum(1, np.sqrt(subsampling / shares)),
                color="C1",
                linestyle="--",
                label=f"word2vec, {subsampling:g}",
            )

    def _named(self, seen: NDArray[np.intp], words: Sequence[str] | None) -> list[int]:
        """Places among the words that occur of those to name."""
        if words is None:
            frequency = self.frequency[seen]
            steps = _bins(frequency, _STEPS)
            first: dict[int, int] = {}
            for i in np.argsort(-frequency, kind="stable").tolist():
                if self.words[seen[i]].isalpha():
                    first.setdefault(int(steps[i]), i)
            return list(reversed(first.values()))
        places = {self.words[row]: i for i, row in enumerate(seen.tolist())}
        lacking = sorted(set(words).difference(self.words))
        if lacking:
            raise ValueError(f"{lacking} are not in the table.")
        return sorted(
            (places[word] for word in words if word in places),
            key=lambda i: self.frequency[seen[i]],
        )


def _shares(
    encoder: Any,
    words: Sequence[str],
    frequencies: WordFrequencies | Mapping[str, int] | None,
    a: float,
) -> NDArray[np.float64]:
    """Share of every word: as given, by the SIF weights, or of English Wikipedia."""
    if frequencies is not None:
        return WordFrequencies.check(frequencies).probabilities(words)
    weights = getattr(encoder, "initial_weights_", None)
    if isinstance(encoder, SIFEncoder):
        weights = encoder.weights_
    if weights is not None:
        return a / np.asarray(weights, dtype=np.float64) - a
    return load_word_frequencies().probabilities(words)


def _growth(encoder: Any) -> NDArray[np.float64]:
    """Length of every vector through its length before weights and training."""
    start = encoder._initial_vectors()
    if start.words != encoder.vectors_.words:
        raise ValueError(
            "The encoder's parameters do not tell the vectors that training began with."
        )
    start = start.rows(slice(None))
    if hasattr(encoder, "initial_weights_"):
        start -= start.mean(axis=0)  # as weighting="sif" does
    lengths = np.linalg.norm(start, axis=1).astype(np.float64)
    now = np.linalg.norm(encoder.vectors_.rows(slice(None)), axis=1)
    known = lengths > 0
    return np.divide(now, lengths, out=np.full(len(now), np.nan), where=known)
