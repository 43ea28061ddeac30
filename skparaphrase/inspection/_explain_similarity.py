"""Shares of words in the cosine of two texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from skparaphrase._estimator import warn_caller
from skparaphrase._frames import encodable
from skparaphrase._lazy import import_for
from skparaphrase._math import cosine, unit_vectors
from skparaphrase._typing import Encoder
from skparaphrase.encoders._pretrained import load_pretrained
from skparaphrase.inspection._display import Display
from skparaphrase.inspection._pipelines import (
    find_transformer,
    flat_steps,
    split_at_encoder,
    transform_texts,
)
from skparaphrase.inspection._word_sums import (
    clean,
    read_words,
    step_functions,
    without_each,
    word_sum,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


def explain_similarity(a: str, b: str, encoder: Encoder | None = None) -> "DataFrame":
    r"""Share of each pair of words in the cosine of two texts.

    The vector of a text that averages word vectors is a sum over words, so that the
    cosine of two texts is a sum over pairs of words,
    :math:`\sum_{ij} x_i \cdot y_j / (|\sum_i x_i| |\sum_j y_j|)`. Weights and removed
    components only change the word vectors x and y. This holds for all averages and for
    pipelines that continue with linear steps.

    For other encoders, words are deleted: the share of a pair of words is
    :math:`c - c_{-i} - c_{-j} + c_{-i,-j}`, where c is the cosine of the texts without
    the words in the index. These shares do not add up to the cosine.

    Parameters
    ----------
    a, b : str
    encoder : estimator, default=None
        A fitted encoder, a pipeline that begins with one, or an object with an
        `encoder_`, such as a search. Steps that turn pairs into similarities are
        ignored. None uses :func:`skparaphrase.load_pretrained`.

    Returns
    -------
    shares : DataFrame of shape (n_words of a, n_words of b)
        Indexed by the words of the two texts, in their order. `shares.attrs` holds the
        "cosine" and "is_sum", which is True if the shares add up to the cosine.

    Raises
    ------
    ValueError
        If a text has no words.

    See Also
    --------
    skparaphrase.similarity : The cosines of texts.
    explain_prediction : Contributions of words to a label or score.
    word_interactions : The words that a pairwise word interaction model compares.

    References
    ----------
    J. Li, W. Monroe, D. Jurafsky, "Understanding Neural Networks through Representation
    Erasure", arXiv:1612.08220, 2016.

    Examples
    --------
    >>> from skparaphrase.inspection import explain_similarity
    >>> shares = explain_similarity("The parcel is late.", "My package was delayed.")
    >>> shares.loc["parcel"].idxmax()
    'package'
    >>> bool(abs(shares.to_numpy().sum() - shares.attrs["cosine"]) < 1e-5)
    True
    """
    pandas = import_for("explain_similarity", "pandas", "pandas")
    estimator = load_pretrained() if encoder is None else encoder
    if getattr(estimator, "lexical", None) is not None:
        warn_caller(
            "The search also compares words (lexical=). This explains only the cosine "
            "of the vectors, which is one part of its scores."
        )
    estimator = getattr(estimator, "encoder_", estimator)
    transformer = find_transformer(estimator)
    before, first, after = split_at_encoder(flat_steps(transformer))
    functions = step_functions(after)
    texts = [clean(before, text, name) for name, text in (("a", a), ("b", b))]
    words = [read_words(first, texts[0], "a"), read_words(first, texts[1], "b")]
    vectors = _embed(transformer, [a, b])
    parts = []  # parts of unit vectors
    for text, words_of_text in zip(texts, words, strict=True):
        sums = word_sum(first, text, words_of_text, functions)
        if sums is not None and not sums[0].any():
            parts.append(sums[1] / (np.linalg.norm(sums[1].sum(axis=0)) or 1))
    is_sum = len(parts) == 2
    shares = parts[0] @ parts[1].T if is_sum else _deletions(transformer, *words)
    index, columns = (encodable(pandas.Index, side) for side in words)
    frame = pandas.DataFrame(shares, index=index, columns=columns)
    frame.attrs.update(cosine=float(cosine(*vectors)), is_sum=is_sum)
    return frame


def _embed(transformer: Encoder, texts: Sequence[str]) -> NDArray[np.float64]:
    array = np.array(texts, dtype=object)
    return transform_texts(transformer, array).astype(np.float64)


def _deletions(
    transformer: Encoder, first: list[str], second: list[str]
) -> NDArray[np.float64]:
    """Interaction of deleting word i of `first` and word j of `second`."""
    units = [
        unit_vectors(_embed(transformer, without_each(words)))
        for words in (first, second)
    ]
    c = units[0] @ units[1].T
    return c[0, 0] - c[1:, :1] - c[:1, 1:] + c[1:, 1:]


class SimilarityExplanationDisplay(Display):
    """Share of each pair of words in the cosine of two texts.

    Create one with :meth:`from_estimator`.

    Parameters
    ----------
    shares : DataFrame
        Result of :func:`explain_similarity`.
    name : str, default=None
        Name of the encoder, for the title.

    Attributes
    ----------
    im_ : matplotlib AxesImage or None
        The first text makes rows, the second columns.
    bars_ : matplotlib BarContainer or None
        The ten strongest pairs of words instead, if a text is long.
    texts_ : list of matplotlib Text, or None
        Values of the cells, in reading order, with `include_values`.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase import load_pretrained
    >>> from skparaphrase.inspection import SimilarityExplanationDisplay
    >>> texts = "A cat sleeps.", "A kitten naps."
    >>> display = SimilarityExplanationDisplay.from_estimator(load_pretrained(), *texts)
    >>> plt.close(display.figure_)
    """

    def __init__(self, shares: "DataFrame", *, name: str | None = None) -> None:
        self.shares, self.name = shares, name

    @classmethod
    def from_estimator(
        cls,
        encoder: Encoder | None,
        a: str,
        b: str,
        *,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Explain the similarity of two texts, and draw the shares of their words.

        Parameters
        ----------
        encoder : estimator
            A fitted encoder, a pipeline that begins with one, or an object with an
            `encoder_`, such as a search.
        a, b : str
        name : str, default=None
            Name of the encoder, for the title.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : SimilarityExplanationDisplay
        """
        return cls(explain_similarity(a, b, encoder), name=name).plot(**plot_options)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        max_words: int = 15,
        include_values: bool = True,
        colorbar: bool = False,
        values_format: str = ".2f",
        cmap: str = "RdBu_r",
        im_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the shares.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure, whose size depends on the number of words.
        max_words : int, default=15
            If a text has more words, the ten strongest pairs are drawn as bars.
        include_values : bool, default=True
            Write the values into the cells.
        colorbar : bool, default=False
            Draw a colour bar.
        values_format : str, default=".2f"
            Format of the values; those below 5 % of the largest are not written.
        cmap : str, default="RdBu_r"
            Colour map of matplotlib.
        im_kwargs : dict, default=None
            Passed to matplotlib's `imshow`.

        Returns
        -------
        display : SimilarityExplanationDisplay
        """
        plane = self.shares.to_numpy()
        self.im_: Any = None
        self.texts_: list[Any] | None = None
        self.bars_: Any = None
        if max(plane.shape) > max_words:
            return self._draw_strongest(plane, ax)
        words: dict[str, Any] = {"fontsize": "small", "parse_math": False}
        slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor", **words}
        size = None
        if ax is None:
            height, width = plane.shape
            size = np.clip((2.5 + 0.45 * width, 2 + 0.35 * height), (3, 2.5), (14, 12))
        ax = self._make_axes(ax, figsize=size)
        limit = float(np.abs(plane).max()) or 1.0
        options: dict[str, Any] = {"cmap": cmap, "vmin": -limit, "vmax": limit}
        options |= {"aspect": "auto", **(im_kwargs or {})}
        self.im_ = ax.imshow(plane, **options)
        ax.set_xticks(range(plane.shape[1]), self.shares.columns, **slanted)
        ax.set_yticks(range(plane.shape[0]), self.shares.index, **words)
        if include_values:
            self.texts_ = []
            style: dict[str, Any] = {"ha": "center", "va": "center"}
            for (i, j), share in np.ndenumerate(plane):
                value = format(share, values_format)
                color = "white" if abs(share) > limit / 2 else "black"
                text = value if abs(share) >= 0.05 * limit else ""
                self.texts_.append(
                    ax.text(j, i, text, fontsize="small", color=color, **style)
                )
        if colorbar:
            self.figure_.colorbar(self.im_, ax=ax, label="share of the cosine")
        ax.set(xlabel="words of the second text", ylabel="words of the first text")
        self._set_title(f"cosine {self.shares.attrs['cosine']:.2f}")
        return self

    def _draw_strongest(self, plane: NDArray[Any], ax: "Axes | None") -> Self:
        """Draw the ten strongest pairs of words."""
        strongest = np.argsort(-np.abs(plane), axis=None, kind="stable")[:10]
        cells = [*zip(*np.unravel_index(strongest, plane.shape), strict=True)]
        names = [f"{self.shares.index[i]} - {self.shares.columns[j]}" for i, j in cells]
        values = plane.ravel()[strongest]
        self.bars_ = self._draw_bars(ax, names, values)
        self.ax_.set_xlabel(f"share of the cosine; together {values.sum():.2f}")
        self._set_title(f"cosine {self.shares.attrs['cosine']:.2f}")
        return self
