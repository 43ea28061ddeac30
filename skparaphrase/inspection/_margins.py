"""How far paraphrases stand above their negative examples."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, check_random_state

from skparaphrase.inspection._estimators import text_transformer, transform_texts
from skparaphrase.inspection._optional import import_pandas, make_axes
from skparaphrase.text import check_pairs, unique_texts

_BLOCK = 8192  # pairs embedded together
_HOW = ("max", "mix", "random")


def margins(
    encoder: Any,
    pairs: Any,
    negatives: str = "max",
    batch_size: int = 100,
    random_state: Any = None,
    *,
    negative_pool: str = "both",
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
        A fitted encoder, or a pipeline or search that begins with one; steps that turn
        pairs into similarities are left out.

    pairs : array-like of str of shape (n_pairs, 2)
        Texts that mean the same, at least two pairs.

    negatives : {"max", "mix", "random"}, default="max"
        Which texts of the other pairs of the batch: the most similar; by a fair coin
        that or a random one; a random one, which may be of the own pair unless
        `mask_identical`.

    batch_size : int, default=100
        Pairs a batch. A last single pair joins the batch before it.

    random_state : int, RandomState instance or None, default=None
        Order of the pairs, and random negatives.

    negative_pool : {"both", "first"}, default="both"
        Negatives are either text of a pair, or the first alone.

    mask_identical : bool, default=False
        Take no text as a negative that equals the text or its partner.

    shuffle : bool, default=True
        Put the pairs in random order before they are cut into batches, as in training.

    Returns
    -------
    margins : DataFrame of n_pairs rows
        In the order of `pairs`.

        - "positive": cos(g1, g2).
        - "negative1", "negative2": cosine of the first and of the second text with its
          negative. NaN where no candidate was left, under `mask_identical`.
        - "margin": twice the first less the other two.
        - "text1", "text2": the negatives; None where there is none.

    Raises
    ------
    ValueError
        For fewer than two pairs, or parameters out of range.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.inspection import margins
    >>> frame = margins(AverageEncoder(), load_paraphrases().data, random_state=0)
    >>> bool(frame["margin"].mean() > 0)
    True
    """
    pandas = import_pandas("margins")
    if negatives not in _HOW:
        raise ValueError(f"negatives must be one of {_HOW}; got {negatives!r}.")
    if negative_pool not in ("both", "first"):
        raise ValueError(
            f"negative_pool must be 'both' or 'first'; got {negative_pool!r}."
        )
    if not isinstance(batch_size, (int, np.integer)) or batch_size < 2:
        raise ValueError(
            f"batch_size must be a whole number of at least 2; got {batch_size!r}."
        )
    texts = check_pairs(pairs)
    if len(texts) < 2:
        raise ValueError(
            f"Found {len(texts)} pairs, while a minimum of 2 is required: the negative "
            "examples of a pair are the other pairs."
        )
    transformer = text_transformer(encoder)
    generator = check_random_state(random_state)
    _, inverse = unique_texts(texts)
    numbers = np.arange(texts.size) if inverse is None else inverse
    numbers = numbers.reshape(-1, 2)
    order = np.arange(len(texts))
    if shuffle:
        generator.shuffle(order)
    positive = np.empty(len(texts))
    cosines = np.empty((len(texts), 2))
    chosen = np.empty((len(texts), 2), dtype=object)
    for block in _blocks(len(texts), batch_size):
        start = block[0].start
        vectors = transform_texts(transformer, texts[order[start : block[-1].stop]])
        for batch in block:
            rows = order[batch]
            positive[rows], cosines[rows], places = _batch_margins(
                vectors[batch.start - start : batch.stop - start],
                numbers[rows],
                how=negatives,
                pool=negative_pool,
                mask_identical=mask_identical,
                random_state=generator,
            )
            strings = texts[rows].ravel()[places]
            strings[places < 0] = None
            chosen[rows] = strings
    return pandas.DataFrame(
        {
            "positive": positive,
            "negative1": cosines[:, 0],
            "negative2": cosines[:, 1],
            "margin": 2 * positive - cosines.sum(axis=1),
            "text1": chosen[:, 0],
            "text2": chosen[:, 1],
        }
    )


def _blocks(n_pairs: int, batch_size: int) -> list[list[slice]]:
    """Batches, as many together as are embedded at a time."""
    from skparaphrase.nn import batch_slices

    batches = batch_slices(n_pairs, batch_size)
    together = max(_BLOCK // batch_size, 1)
    return [batches[i : i + together] for i in range(0, len(batches), together)]


def _batch_margins(
    vectors: NDArray[np.floating], numbers: NDArray[np.integer], **choice: Any
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.intp]]:
    """Cosines of the pairs of a batch and of their negatives, chosen as in training.

    Parameters
    ----------
    vectors : ndarray of shape (n_pairs, 2, dim)
    numbers : ndarray of shape (n_pairs, 2)
        Equal numbers mean equal strings.
    **choice : dict
        For `nn.choose_negatives`.

    Returns
    -------
    positive : ndarray of shape (n_pairs,)
    cosines : ndarray of shape (n_pairs, 2)
        NaN where there is no negative.
    places : ndarray of shape (n_pairs, 2)
        The negatives among the 2 n_pairs texts, or -1.
    """
    import torch

    from skparaphrase.nn import choose_negatives, unit_vectors

    unit = unit_vectors(torch.from_numpy(vectors.reshape(2 * len(vectors), -1)))
    chosen, found = choose_negatives(unit, numbers.ravel(), **choice)
    cosines = (unit * unit[chosen]).sum(dim=1).clamp(-1, 1)
    positive = (unit[0::2] * unit[1::2]).sum(dim=1).clamp(-1, 1)
    return (
        positive.numpy(),
        cosines.where(found, torch.nan).numpy().reshape(-1, 2),
        chosen.where(found, -1).numpy().reshape(-1, 2),
    )


class MarginDisplay:
    """Cosines of paraphrases and of their negative examples, as histograms.

    Make one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    positive : ndarray of shape (n_pairs,)
        Cosines of paraphrases.

    negative : ndarray of shape (n_pairs, 2)
        Cosines of the first and of the second text with its negative example. Pairs
        with NaN do not count in the mean margin.

    name : str, default=None
        Of the encoder, for the title.

    Attributes
    ----------
    mean_margin_ : float
        Mean of twice the positive cosine less the two negative ones.

    positive_, negative_ : matplotlib Polygon
        The two histograms.

    ax_ : matplotlib Axes

    figure_ : matplotlib Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import AverageEncoder
    >>> from skparaphrase.inspection import MarginDisplay
    >>> pairs = load_paraphrases().data
    >>> display = MarginDisplay.from_estimator(AverageEncoder(), pairs, random_state=0)
    >>> display.mean_margin_ > 0
    True
    >>> plt.close(display.figure_)
    """

    def __init__(
        self, *, positive: Any, negative: Any, name: str | None = None
    ) -> None:
        self.positive = positive
        self.negative = negative
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        encoder: Any,
        pairs: Any,
        *,
        negatives: str = "max",
        batch_size: int = 100,
        random_state: Any = None,
        negative_pool: str = "both",
        mask_identical: bool = False,
        shuffle: bool = True,
        name: str | None = None,
        ax: Any = None,
        positive_kwargs: Mapping[str, Any] | None = None,
        negative_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the cosines of an encoder.

        Parameters
        ----------
        encoder, pairs, negatives, batch_size, random_state
            As of :func:`margins`.

        negative_pool, mask_identical, shuffle
            As of :func:`margins`.

        name : str, default=None
            By default the name of the encoder's class.

        ax, positive_kwargs, negative_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : MarginDisplay
        """
        frame = margins(
            encoder,
            pairs,
            negatives,
            batch_size,
            random_state,
            negative_pool=negative_pool,
            mask_identical=mask_identical,
            shuffle=shuffle,
        )
        return cls.from_predictions(
            frame["positive"],
            frame[["negative1", "negative2"]],
            name=type(encoder).__name__ if name is None else name,
            ax=ax,
            positive_kwargs=positive_kwargs,
            negative_kwargs=negative_kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        positive: Any,
        negative: Any,
        *,
        name: str | None = None,
        ax: Any = None,
        positive_kwargs: Mapping[str, Any] | None = None,
        negative_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw given cosines.

        Parameters
        ----------
        positive : array-like of shape (n_pairs,)

        negative : array-like of shape (n_pairs, 2)

        name : str, default=None

        ax, positive_kwargs, negative_kwargs
            As of :meth:`plot`.

        Returns
        -------
        display : MarginDisplay
        """
        positive = check_array(positive, ensure_2d=False, dtype=np.float64)
        negative = check_array(
            negative, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        check_consistent_length(positive, negative)
        if positive.ndim != 1 or negative.shape[1] != 2:
            raise ValueError(
                "positive must be of shape (n_pairs,) and negative of shape "
                f"(n_pairs, 2); got {positive.shape} and {negative.shape}."
            )
        display = cls(positive=positive, negative=negative, name=name)
        return display.plot(
            ax, positive_kwargs=positive_kwargs, negative_kwargs=negative_kwargs
        )

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        positive_kwargs: Mapping[str, Any] | None = None,
        negative_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        name : str, default=None
            By default that of the display.

        positive_kwargs, negative_kwargs : dict, default=None
            For matplotlib's `hist`.

        Returns
        -------
        display : MarginDisplay
        """
        ax = make_axes(ax, "MarginDisplay.plot")
        name = self.name if name is None else name
        whole = ~np.isnan(self.negative).any(axis=1)
        if not whole.any():
            raise ValueError("No pair has a negative example for each of its texts.")
        margin = 2 * self.positive[whole] - self.negative[whole].sum(axis=1)
        self.mean_margin_ = float(margin.mean())
        negative = self.negative[~np.isnan(self.negative)]
        low = min(self.positive.min(), negative.min())
        shared = {
            "bins": np.linspace(min(low, 0.99), 1, 51),
            "density": True,
            "histtype": "stepfilled",
            "alpha": 0.5,
        }
        _, _, (self.positive_,) = ax.hist(
            self.positive,
            **shared
            | {"label": "paraphrases", "color": "C0", **(positive_kwargs or {})},
        )
        _, _, (self.negative_,) = ax.hist(
            negative,
            **shared
            | {"label": "negative examples", "color": "C1", **(negative_kwargs or {})},
        )
        ax.set_xlabel("cosine")
        ax.set_ylabel("density")
        mean = f"mean margin {self.mean_margin_:.3f}"
        ax.set_title(mean if name is None else f"{name}: {mean}")
        ax.legend(loc="best")
        self.ax_, self.figure_ = ax, ax.figure
        return self
