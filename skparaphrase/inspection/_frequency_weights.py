"""Weights of words, from SIF or learnt, against their frequencies."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length

from skparaphrase.encoders import SIFEncoder
from skparaphrase.inspection._display import (
    Display,
    draw_legend,
    draw_points,
    merge_style,
)
from skparaphrase.inspection._estimators import (
    find_encoder,
    find_table,
    vector_growth,
)
from skparaphrase.inspection._swear_words import first_to_name
from skparaphrase.inspection._weights import (
    NAMED_STEPS,
    drawable,
    find_words,
    name_points,
    steps,
)
from skparaphrase.metrics._similarity import check_columns
from skparaphrase.vectors import WordFrequencies, load_word_frequencies


class FrequencyWeightsDisplay(Display):
    r"""SIF weight :math:`a / (a + p)` of words against their share p of a corpus.

    Figure 1 of Arora et al. (2017), with the words of an encoder, on one of the curves
    or where training has put them. Create one with :meth:`from_estimator`.

    Parameters
    ----------
    words, frequency, weight : array-like of shape (n_words,)
        Words, their shares and their weights. Share 0 or weight NaN is not drawn.
    a : sequence of float, default=(1e-3,)
        Parameters of the curves.
    name : str, default=None
        Name of the encoder, for the legend.

    Attributes
    ----------
    scatter_ : matplotlib PathCollection
        A point for each word that occurs.
    lines_, subsampling_line_ : list of matplotlib Line2D, and Line2D or None
        The curves of `a`, in rising order, and of word2vec.
    texts_ : list of matplotlib Annotation
        The named words, in rising frequency.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import FrequencyWeightsDisplay
    >>> encoder = SIFEncoder().fit(["A cat sleeps."])
    >>> display = FrequencyWeightsDisplay.from_estimator(encoder, a=[1e-2, 1e-3])
    >>> [line.get_label() for line in display.lines_]
    ['a = 0.001', 'a = 0.01']
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
        self.frequency, self.weight = check_columns(
            {"frequency": frequency, "weight": weight}, ensure_all_finite="allow-nan"
        )
        check_consistent_length(self.words, self.frequency)
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
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the weights of an encoder's words.

        Parameters
        ----------
        encoder : estimator
            A fitted :class:`~skparaphrase.encoders.SIFEncoder`, whose weights are
            drawn; or an encoder that has trained its word vectors, whose weights are
            their lengths divided by those that training started from. Or a pipeline or
            search that begins with one.
        frequencies : WordFrequencies or mapping of str to int, default=None
            Counts of the words. None takes those of the encoder's SIF weights, or for
            an encoder without them the bundled counts of English Wikipedia.
        a : float or iterable of float, default=None
            Parameters of the curves. None takes the encoder's, or 1e-3.
        name : str, default=None
            None takes the name of the encoder's class.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : FrequencyWeightsDisplay

        Raises
        ------
        TypeError, NotFittedError
            If the encoder has neither SIF weights nor trained word vectors.
        ValueError
            If the vectors from which training started are unknown.
        """
        found = find_encoder(encoder)
        own = float(getattr(found, "a", 1e-3))
        learned = not isinstance(found, SIFEncoder)
        weight = vector_growth(found) if learned else None
        table = find_table(found)
        sif = getattr(found, "weights_", None)
        if frequencies is not None:
            share = WordFrequencies.check(frequencies).probabilities(table.words)
        elif sif is not None and getattr(found, "weights", None) is None:
            share = own / np.asarray(sif, dtype=np.float64) - own
        else:
            share = load_word_frequencies().probabilities(table.words)
        name = type(found).__name__ if name is None else name
        curves = np.atleast_1d(np.asarray(own if a is None else a)).tolist()
        weight = sif if weight is None else weight
        display = cls(table.words, share, weight, a=curves, name=name)
        return display.plot(**plot_options)

    def plot(
        self,
        ax: Any = None,
        *,
        words: Sequence[str] | None = None,
        subsampling: float | None = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves and the words.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure.
        words : sequence of str, default=None
            Words to name if they occur. None names the most frequent alphabetic word,
            but no swear word, of each of eight equal steps of log frequency.
        subsampling : float, default=None
            Also draw the probability with which word2vec keeps an occurrence,
            min(1, sqrt(subsampling / p)). The paper has 1e-5, with a = 1e-4.
        scatter_kwargs, line_kwargs : dict, default=None
            Passed to matplotlib's `scatter` for the words and `plot` for the curves.

        Returns
        -------
        display : FrequencyWeightsDisplay
        """
        ax = self._make_axes(ax)
        from matplotlib import colormaps

        known, points = drawable(self.words, np.array([self.frequency, self.weight]))
        if words is None:
            named = []
            for step in steps(points[0], NAMED_STEPS):
                rows = np.array([i for i in step if known[i].isalpha()], dtype=np.intp)
                named += first_to_name(known, rows, -points[0, rows])
        else:
            named = find_words(words, self.words, known, points)
        style = {"s": 6, "alpha": 0.35, "color": "0.35", "label": self.name}
        self.scatter_ = draw_points(ax, points, scatter_kwargs, **style)
        shares = np.geomspace(points[0].min(), max(points[0].max(), 0.1), 200)
        colors = colormaps["viridis"](np.linspace(0.1, 0.85, len(self.a)))
        self.lines_ = []
        for a, color in zip(self.a, colors, strict=True):
            style = {"color": color, "linewidth": 1.5, "label": f"a = {a:g}"}
            style = merge_style(line_kwargs, **style)
            self.lines_ += ax.plot(shares, a / (a + shares), **style)
        self.subsampling_line_ = None
        if subsampling is not None:
            kept = np.minimum(1, np.sqrt(subsampling / shares))
            label = f"word2vec, {subsampling:g}"
            (self.subsampling_line_,) = ax.plot(shares, kept, "C1--", label=label)
        # Neighbours on a falling curve are named above and below it in turn.
        corners = [("left", "bottom"), ("right", "top")] * len(named)
        self.texts_ = name_points(ax, known, points, named, corners)
        ax.set(xlabel="share p of the word in the corpus", ylabel="weight")
        draw_legend(ax, "lower left")
        return self
