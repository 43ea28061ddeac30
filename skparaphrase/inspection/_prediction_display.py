"""A display of the contributions of words to a prediction."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skparaphrase.inspection._display import Display
from skparaphrase.inspection._explain_prediction import explain_prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame, Series


class PredictionExplanationDisplay(Display):
    """Contribution of each word of a text to a prediction.

    Create one with :meth:`from_estimator`.

    Parameters
    ----------
    contributions : Series
        Result of :func:`explain_prediction`.
    name : str, default=None
        Name of the model, for the title.

    Attributes
    ----------
    bars_ : matplotlib BarContainer
        The strongest contributions, the strongest on top.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.inspection import PredictionExplanationDisplay
    >>> from skparaphrase.supervised import TextClassifier
    >>> texts, labels = ["My train is late.", "Refund me!"], ["delay", "refund"]
    >>> model = TextClassifier(random_state=0).fit(texts, labels)
    >>> display = PredictionExplanationDisplay.from_estimator(model, "A late train")
    >>> plt.close(display.figure_)
    """

    def __init__(self, contributions: "Series", *, name: str | None = None) -> None:
        self.contributions, self.name = contributions, name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        text: "str | tuple[str, str] | DataFrame",
        target: Any = None,
        *,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Explain a prediction, and draw the contributions of the words.

        Parameters
        ----------
        estimator, text, target
            As in :func:`explain_prediction`.
        name : str, default=None
            Name of the model, for the title.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : PredictionExplanationDisplay
        """
        contributions = explain_prediction(estimator, text, target)
        return cls(contributions, name=name).plot(**plot_options)

    def plot(
        self, ax: "Axes | None" = None, *, max_words: int = 10, **bar_kwargs: Any
    ) -> Self:
        """Draw the contributions.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure, whose size depends on the number of words.
        max_words : int, default=10
            The strongest are drawn.
        **bar_kwargs : dict
            Passed to matplotlib's `barh`.

        Returns
        -------
        display : PredictionExplanationDisplay
        """
        words = self.contributions
        words = words.iloc[np.argsort(-words.abs(), kind="stable")[:max_words]]
        labels = [
            word if isinstance(word, str) else ": ".join(filter(None, word))
            for word in words.index
        ]
        self.bars_ = self._draw_bars(ax, labels, words.to_numpy(), **bar_kwargs)
        self.ax_.set_xlabel("contribution to the value")
        self._set_title(f"{words.name}, value {words.attrs['value']:.2f}")
        return self
