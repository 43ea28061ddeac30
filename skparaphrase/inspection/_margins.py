"""Margins of paraphrases over their negative examples."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils import (
    check_array,
    check_consistent_length,
    check_random_state,
    check_scalar,
    gen_batches,
)

from skparaphrase._compat import check_pandas_support
from skparaphrase._lazy import networks, torch
from skparaphrase.inspection._display import Display, merge_style
from skparaphrase.inspection._estimators import (
    find_transformer,
    transform_texts,
)
from skparaphrase.losses import choose_negatives
from skparaphrase.metrics._similarity import check_columns
from skparaphrase.text import check_pairs, unique_texts

_BLOCK = 8192  # pairs that are embedded together
_HOW = ("max", "mix", "random")
_POOLS = ("both", "first")


def margins(
    encoder: Any,
    pairs: Any,
    negatives: str = "max",
    batch_size: int = 100,
    random_state: Any = None,
    *,
    pool: str = "both",
    mask_identical: bool = False,
    shuffle: bool = True,
) -> Any:
    r"""Cosines of paraphrases and of their negative examples, chosen as in training.

    Section 5 of Wieting et al. (2016) compares models by the mean over the training
    pairs of :math:`2 \cos(g_1, g_2) - \cos(n_1, g_1) - \cos(n_2, g_2)`, the mean of
    the column "margin".

    Parameters
    ----------
    encoder : estimator
        As in :func:`neighbors`.
    pairs : array-like of str of shape (n_pairs, 2)
        At least two paraphrase pairs.
    negatives : {"max", "mix", "random"}, default="max"
        The negative of a text, from the other pairs of the batch: the most similar
        text, either that or a random one with equal probability, or a random one. A
        random text may come from the own pair unless `mask_identical`.
    batch_size : int, default=100
        Number of pairs in a batch. A single pair left at the end joins the last batch.
    random_state : int, RandomState instance or None, default=None
        Determines the order of the pairs and the random negatives.
    pool : {"both", "first"}, default="both"
        Choose negatives from both texts of a pair or from the first only.
    mask_identical : bool, default=False
        Exclude negatives that equal the text or its paraphrase.
    shuffle : bool, default=True
        Shuffle the pairs before they are split into batches, as training does.

    Returns
    -------
    margins : DataFrame of n_pairs rows
        In the order of `pairs`.

        - "positive": cos(g1, g2).
        - "negative1", "negative2": cosine of the first and of the second text to its
          negative; NaN if `mask_identical` left no candidate.
        - "margin": twice "positive" minus both negatives.
        - "text1", "text2": the negatives; None if there is none.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.inspection import margins
    >>> frame = margins(AverageEncoder(), load_paraphrases().data, random_state=0)
    >>> bool(frame["margin"].mean() > 0)
    True
    """
    pandas = check_pandas_support("margins")
    for name, value, known in (("negatives", negatives, _HOW), ("pool", pool, _POOLS)):
        if value not in known:
            raise ValueError(f"{name} must be one of {known}; got {value!r}.")
    check_scalar(batch_size, "batch_size", Integral, min_val=2)
    texts = check_pairs(pairs)
    if len(texts) < 2:
        raise ValueError(f"Negatives require at least 2 pairs; got {len(texts)}.")
    choice: dict[str, Any] = {"how": negatives, "pool": pool}
    choice["mask_identical"] = mask_identical
    transformer = find_transformer(encoder)
    generator = check_random_state(random_state)
    order = np.arange(len(texts))
    if shuffle:
        generator.shuffle(order)
    _, identity = unique_texts(texts)  # equal numbers for equal texts
    identity = identity.reshape(-1, 2)
    positive = np.empty(len(texts))
    negative = np.empty((len(texts), 2))
    chosen = np.empty((len(texts), 2), dtype=object)
    batches = list(gen_batches(len(texts), batch_size, min_batch_size=2))
    together = max(_BLOCK // batch_size, 1)
    for i, batch in enumerate(batches):
        if i % together == 0:
            start = batch.start
            stop = batches[min(i + together, len(batches)) - 1].stop
            vectors = transform_texts(transformer, texts[order[start:stop]])
        rows = order[batch]
        block = vectors[batch.start - start : batch.stop - start]
        unit = networks.unit_vectors(
            torch.from_numpy(block.reshape(2 * len(block), -1))
        )
        places, found = choose_negatives(
            unit, identity[rows].ravel(), random_state=generator, **choice
        )
        positive[rows] = (unit[0::2] * unit[1::2]).sum(dim=1).clamp(-1, 1).numpy()
        cosines = (unit * unit[places]).sum(dim=1).clamp(-1, 1)
        negative[rows] = cosines.where(found, torch.nan).numpy().reshape(-1, 2)
        strings = texts[rows].ravel()[places.numpy()]
        strings[~found.numpy()] = None
        chosen[rows] = strings.reshape(-1, 2)
    columns: dict[str, Any] = {"positive": positive}
    columns["negative1"], columns["negative2"] = negative.T
    columns["margin"] = 2 * positive - negative.sum(axis=1)
    columns["text1"], columns["text2"] = chosen.T
    return pandas.DataFrame(columns)


class MarginDisplay(Display):
    """Histograms of the cosines of paraphrases and of their negative examples.

    Create one with :meth:`from_estimator`, or call :meth:`plot` with given cosines.

    Parameters
    ----------
    positive, negative : array-like of shape (n_pairs,) and (n_pairs, 2)
        Cosines of the texts to each other and to their negatives. Pairs with NaN do
        not enter the mean margin.
    name : str, default=None
        Name of the encoder, for the title.

    Attributes
    ----------
    mean_margin_ : float
    positive_, negative_ : matplotlib Polygon
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.inspection import MarginDisplay
    >>> pairs = load_paraphrases().data
    >>> display = MarginDisplay.from_estimator(AverageEncoder(), pairs, random_state=0)
    >>> plt.close(display.figure_)
    """

    mean_margin_: float

    def __init__(
        self, positive: Any, negative: Any, *, name: str | None = None
    ) -> None:
        (self.positive,) = check_columns({"positive": positive})
        options = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}
        self.negative = check_array(negative, **options)
        check_consistent_length(self.positive, self.negative)
        if self.negative.shape[1] != 2:
            shape = self.negative.shape
            raise ValueError(f"negative must be of shape (n_pairs, 2); got {shape}.")
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        encoder: Any,
        pairs: Any,
        *,
        name: str | None = None,
        ax: Any = None,
        positive_kwargs: Mapping[str, Any] | None = None,
        negative_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the cosines of an encoder.

        Parameters
        ----------
        encoder, pairs
            As in :func:`margins`.
        name : str, default=None
            None takes the name of the encoder's class.
        ax, positive_kwargs, negative_kwargs
            As in :meth:`plot`.
        **options : dict
            Passed to :func:`margins`.

        Returns
        -------
        display : MarginDisplay
        """
        frame = margins(encoder, pairs, **options)
        name = type(encoder).__name__ if name is None else name
        display = cls(frame["positive"], frame[["negative1", "negative2"]], name=name)
        return display.plot(
            ax, positive_kwargs=positive_kwargs, negative_kwargs=negative_kwargs
        )

    def plot(
        self,
        ax: Any = None,
        *,
        positive_kwargs: Mapping[str, Any] | None = None,
        negative_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the histograms.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure.
        positive_kwargs, negative_kwargs : dict, default=None
            Passed to matplotlib's `hist`.

        Returns
        -------
        display : MarginDisplay
        """
        whole = ~np.isnan(self.negative).any(axis=1)
        if not whole.any():
            raise ValueError("No pair has a negative example for each of its texts.")
        ax = self._make_axes(ax)
        margin = 2 * self.positive[whole] - self.negative[whole].sum(axis=1)
        self.mean_margin_ = float(margin.mean())
        negative = self.negative[~np.isnan(self.negative)]
        lowest = min(self.positive.min(), negative.min(), 0.99)
        shared: dict[str, Any] = {"density": True, "histtype": "stepfilled"}
        shared |= {"bins": np.linspace(lowest, 1, 51), "alpha": 0.5}
        style = merge_style(positive_kwargs, color="C0", label="paraphrases", **shared)
        (self.positive_,) = ax.hist(self.positive, **style)[2]
        label = "negative examples"
        style = merge_style(negative_kwargs, color="C1", label=label, **shared)
        (self.negative_,) = ax.hist(negative, **style)[2]
        ax.set(xlabel="cosine", ylabel="density")
        self._set_title(f"mean margin {self.mean_margin_:.3f}")
        ax.legend(loc="best")
        return self
