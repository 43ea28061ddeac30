"""Lengths of word vectors against the frequencies of the words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from scipy.stats import binned_statistic

from skparaphrase._compat import check_pandas_support
from skparaphrase.inspection._display import Display, draw_line, draw_points
from skparaphrase.inspection._estimators import find_encoder, find_table, has_words
from skparaphrase.vectors import WordFrequencies, WordVectors, load_word_frequencies

_LABELS = {
    "l1": "length of the vector (sum of absolute components)",
    "l2": "length of the vector",
    "sif": "SIF weight a / (a + p)",
}
_STEPS = 25  # of log frequency, for the medians
_FEWEST = 5  # words in a median
_WORD: dict[str, Any] = {  # style of a word beside its point
    "textcoords": "offset points",
    "fontsize": "small",
    "parse_math": False,
    "zorder": 5,
    "bbox": {"boxstyle": "square,pad=0", "color": "white", "alpha": 0.6},
}


def token_weights(
    encoder: Any,
    frequencies: WordFrequencies | Mapping[str, int] | None = None,
    *,
    a: float = 1e-3,
) -> Any:
    r"""Length of each vector of a table, and frequency of its word.

    A long vector has more weight in an average. Wieting et al. (2016, section 6) find
    that training lengthens the vectors of content words and shortens others.

    Parameters
    ----------
    encoder : estimator or WordVectors
        A fitted encoder that has a table of words, n-grams or characters, a pipeline or
        search that begins with one, or the table itself.
    frequencies : WordFrequencies or mapping of str to int, default=None
        Counts of the words (or n-grams). None takes the bundled counts of English
        Wikipedia for words, and none for n-grams.
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
    own = np.abs(getattr(found, "weights_", 1.0))
    l1 = own * np.abs(matrix).sum(axis=1, dtype=np.float64)
    l2 = own * np.linalg.norm(matrix, axis=1).astype(np.float64)
    count = share = np.full(len(table), np.nan)
    if frequencies is None and (isinstance(found, WordVectors) or has_words(found)):
        frequencies = load_word_frequencies()
    if frequencies is not None:
        known = WordFrequencies.check(frequencies)
        count = np.array([known.get(word, 0) for word in table.words], np.float64)
        share = known.probabilities(table.words)
    columns = {"l1": l1, "l2": l2, "count": count, "frequency": share}
    columns["sif"] = a / (a + share)
    return pandas.DataFrame(columns, index=pandas.Index(table.words, name="token"))


class TokenWeightsDisplay(Display):
    """Weights of words against their frequencies.

    Create one with :meth:`from_estimator`.

    Parameters
    ----------
    weights : DataFrame
        Result of :func:`token_weights`.
    column : {"l2", "l1", "sif"}, default="l2"
        The weight to draw.

    Attributes
    ----------
    scatter_, line_ : matplotlib PathCollection and Line2D
        Points of the words that occur, and the median of those of like frequency.
    texts_ : list of matplotlib Annotation
        The named words that occur, in the order asked for.
    ax_, figure_ : matplotlib Axes and Figure

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
        if column not in _LABELS:
            raise ValueError(f"column must be one of {list(_LABELS)}; got {column!r}.")
        self.weights, self.column = weights, column

    @classmethod
    def from_estimator(
        cls,
        encoder: Any,
        frequencies: WordFrequencies | Mapping[str, int] | None = None,
        *,
        column: str = "l2",
        **plot_options: Any,
    ) -> Self:
        """Draw the weights of an encoder.

        Parameters
        ----------
        encoder, frequencies
            As in :func:`token_weights`.
        column : {"l2", "l1", "sif"}, default="l2"
            The weight to draw.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : TokenWeightsDisplay
        """
        weights = token_weights(encoder, frequencies)
        return cls(weights, column=column).plot(**plot_options)

    def plot(
        self,
        ax: Any = None,
        *,
        words: Sequence[str] = (),
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the words.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure.
        words : sequence of str, default=()
            Words of the table to name.
        scatter_kwargs, line_kwargs : dict, default=None
            Passed to matplotlib's `scatter` and `plot`.

        Returns
        -------
        display : TokenWeightsDisplay
        """
        missing = sorted(set(words).difference(self.weights.index))
        if missing:
            raise ValueError(f"{missing} are not in the table.")
        drawn = self.weights[["frequency", self.column]]
        drawn = drawn[drawn["frequency"] > 0]
        if drawn.empty:
            raise ValueError("No word has a frequency; pass frequencies of the units.")
        ax = self._make_axes(ax)
        x, y = drawn.to_numpy().T
        self.scatter_ = draw_points(ax, x, y, scatter_kwargs, s=5, alpha=0.25)
        median, edges, step = binned_statistic(np.log(x), y, "median", _STEPS)
        kept = np.bincount(step, minlength=_STEPS + 1)[1:] >= _FEWEST
        middle = np.exp((edges[1:] + edges[:-1]) / 2)
        style = {"color": "C1", "linewidth": 2, "label": "median"}
        self.line_ = draw_line(ax, middle[kept], median[kept], line_kwargs, **style)
        named = drawn.loc[[word for word in words if word in drawn.index]]
        ax.scatter(named["frequency"], named[self.column], 12, "black", zorder=4)
        self.texts_ = [
            ax.annotate(word, point, (3, 3), **_WORD)
            for word, point in zip(named.index, named.to_numpy(), strict=True)
        ]
        ax.set(xscale="log", xlabel="share of the word in the corpus")
        ax.set_ylabel(_LABELS[self.column])
        ax.legend(loc="upper right")  # "best" would compare with every point
        return self
