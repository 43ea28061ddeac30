"""Gold scores against predicted similarity, as a figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import linregress

from skparaphrase._typing import Encoder, Predictor, Texts
from skparaphrase.inspection._display import Display, draw_line
from skparaphrase.inspection._estimators import pair_similarities
from skparaphrase.metrics import check_columns, pearson_score, spearman_score
from skparaphrase.text import check_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_N_RASTERIZED = 5000  # more points are an image in a vector graphic


class SimilarityDisplay(Display):
    """Gold scores of pairs against predicted similarity, with the correlations.

    Create one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_pairs,)
        Gold scores, and predictions on any scale.
    name : str, default=None
        Name of the estimator, for the title.

    Attributes
    ----------
    pearson_, spearman_ : float
    scatter_ : matplotlib PathCollection
    line_ : matplotlib Line2D or None
        Least-squares line; None if all gold scores are the same.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.inspection import SimilarityDisplay
    >>> pairs, gold = load_similarity(return_X_y=True)
    >>> encoder = SIFEncoder().fit(pairs)
    >>> display = SimilarityDisplay.from_estimator(encoder, pairs, gold, name="SIF")
    >>> round(display.pearson_, 2)
    0.71
    >>> plt.close(display.figure_)
    """

    def __init__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, name: str | None = None
    ) -> None:
        self.y_true, self.y_pred = check_columns({"y_true": y_true, "y_pred": y_pred})
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Encoder | Predictor,
        X: Texts,
        y: ArrayLike,
        *,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Predict the similarity of pairs, and draw the predictions.

        Parameters
        ----------
        estimator : estimator
            A fitted pipeline or search that predicts the similarity of pairs; or an
            encoder, whose vectors are compared by cosine.
        X : array-like of str of shape (n_pairs, 2)
        y : array-like of shape (n_pairs,)
            Gold scores.
        name : str, default=None
            None uses the name of the estimator's class.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SimilarityDisplay
        """
        predicted = pair_similarities(estimator, check_pairs(X))
        name = type(estimator).__name__ if name is None else name
        return cls(y, predicted, name=name).plot(**plot_options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Draw predictions.

        Parameters
        ----------
        y_true, y_pred, name
            As in :class:`SimilarityDisplay`.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SimilarityDisplay
        """
        return cls(y_true, y_pred, name=name).plot(**plot_options)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the pairs.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure.
        scatter_kwargs, line_kwargs : dict, default=None
            Passed to matplotlib's `scatter` and `plot`.

        Returns
        -------
        display : SimilarityDisplay
        """
        ax = self._make_axes(ax)
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.collections import Collection

        self.pearson_ = pearson_score(self.y_true, self.y_pred)
        self.spearman_ = spearman_score(self.y_true, self.y_pred)
        alpha = float(np.clip(20 / np.sqrt(len(self.y_true)), 0.1, 0.7))
        style: dict[str, Any] = {"s": 14, "alpha": alpha, "linewidth": 0}
        style["rasterized"] = len(self.y_true) > _N_RASTERIZED
        style |= normalize_kwargs(dict(scatter_kwargs or {}), Collection)
        self.scatter_ = ax.scatter(self.y_true, self.y_pred, **style)
        self.line_ = None
        if np.ptp(self.y_true) > 0:
            slope, intercept = linregress(self.y_true, self.y_pred)[:2]
            ends = np.array([self.y_true.min(), self.y_true.max()])
            heights = intercept + slope * ends
            self.line_ = draw_line(ax, ends, heights, line_kwargs, color="black")
        ax.set(xlabel="gold score", ylabel="predicted similarity")
        self._set_title(f"r {self.pearson_:.3f}, \u03c1 {self.spearman_:.3f}")
        return self
