"""Which words make two texts similar."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer

from skparaphrase._compat import check_pandas_support
from skparaphrase._math import cosine, unit_vectors
from skparaphrase.encoders import AveragingEncoder, ParagramEncoder, load_pretrained
from skparaphrase.inspection._display import Display
from skparaphrase.inspection._estimators import (
    find_encoder,
    find_transformer,
    has_words,
    transform_texts,
)
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors._pooling import token_shares, weighted_tokens

_SAME = 1e-8  # largest difference of a cosine from 1 that rounding explains


def explain_similarity(a: str, b: str, encoder: Any = None) -> Any:
    r"""Share of each pair of words in the cosine of two texts.

    The vector of a text that averages word vectors is a sum over words, so that the
    cosine of two texts is a sum over pairs of words,
    :math:`\sum_{ij} x_i \cdot y_j / (|\sum_i x_i| |\sum_j y_j|)`. Weights and removed
    components only change the word vectors x and y. This holds for all averages and for
    pipelines that continue with linear steps.

    For other encoders, words are left out: the share of a pair of words is
    :math:`c - c_{-i} - c_{-j} + c_{-i,-j}`, where c is the cosine of the texts, and the
    indices are the words that they lack. These shares do not add up to the cosine.

    Parameters
    ----------
    a, b : str
    encoder : estimator, default=None
        A fitted encoder, a pipeline that begins with one, or what has one in
        `encoder_`, such as a search. Steps that turn pairs into similarities are
        ignored. None takes
        :func:`skparaphrase.load_pretrained`.

    Returns
    -------
    shares : DataFrame of shape (n_words of a, n_words of b)
        Indexed by the words of the two texts, in their order. `shares.attrs` holds the
        "cosine", and "is_sum", whether the shares add up to it.

    Raises
    ------
    ValueError
        If a text has no words.

    See Also
    --------
    skparaphrase.similarity : The cosines of texts.
    word_interactions : What a pairwise word interaction model compares.

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
    pandas = check_pandas_support("explain_similarity")
    encoder = load_pretrained() if encoder is None else encoder
    encoder = getattr(encoder, "encoder_", encoder)
    transformer = _without_lengths(find_transformer(encoder))
    found = find_encoder(encoder)
    tokenizer = found._tokenizer() if has_words(found) else WordTokenizer()
    words = []
    for name, text in (("a", a), ("b", b)):
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a text; got {type(text).__name__}.")
        words.append(list(tokenizer(text)))
        if not words[-1]:
            raise ValueError(f"{name} has no words: {text!r}.")
    whole = _embed(transformer, [a, b])
    parts = [_parts(transformer, found, each) for each in words]
    sums = np.array([part.sum(axis=0) for part in parts])
    is_sum = bool((cosine(sums, whole) > 1 - _SAME).all())
    if is_sum:
        first, second = (
            part / (np.linalg.norm(part.sum(axis=0)) or 1) for part in parts
        )
        shares = first @ second.T
    else:
        shares = _erased(transformer, *words)
    frame = pandas.DataFrame(shares, index=words[0], columns=words[1])
    frame.attrs.update(cosine=float(cosine(*whole)), is_sum=is_sum)
    return frame


def _without_lengths(transformer: Any) -> Any:
    """The transformer without last steps that only scale vectors."""
    while isinstance(transformer, Pipeline) and isinstance(
        transformer.steps[-1][1], Normalizer
    ):
        transformer = transformer[:-1]
    return transformer


def _embed(transformer: Any, texts: Sequence[str]) -> NDArray[np.float64]:
    array = np.array(texts, dtype=object)
    return transform_texts(transformer, array).astype(np.float64)


def _parts(transformer: Any, encoder: Any, words: list[str]) -> NDArray[np.float64]:
    """What each word would add to the vector of a text, if that were a sum."""
    if not isinstance(encoder, (AveragingEncoder, ParagramEncoder)):
        return _embed(transformer, words)
    table, weights = encoder._static_parts()
    unknown = getattr(encoder, "unknown_weight_", 1.0)
    batch = table.encode(words, encoder._tokenizer())  # compounds have several vectors
    rows = weighted_tokens(table, batch, weights, unknown).astype(np.float64)
    rows *= token_shares(rows, batch.ids, encoder.pooling)[:, np.newaxis]
    owners = np.repeat(np.arange(len(words)), batch.lengths)
    sums = np.zeros((len(words), rows.shape[1]))
    np.add.at(sums, owners, rows)
    if isinstance(transformer, Pipeline) and len(transformer) > 1:
        sums = np.asarray(transformer[1:].transform(sums))
    return sums


def _erased(
    transformer: Any, first: list[str], second: list[str]
) -> NDArray[np.float64]:
    """What the cosine loses if two words are missing, beyond what each takes away."""
    units = []
    for words in (first, second):
        lacking = [words[:i] + words[i + 1 :] for i in range(len(words))]
        texts = [" ".join(each) for each in [words, *lacking]]
        units.append(unit_vectors(_embed(transformer, texts)))
    c = units[0] @ units[1].T
    return c[0, 0] - c[1:, :1] - c[:1, 1:] + c[1:, 1:]


class ExplanationDisplay(Display):
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
    im_ : matplotlib AxesImage
        The first text makes rows, the second columns.
    texts_ : list of matplotlib Text, or None
        Values of the cells, in reading order, with `include_values`.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skparaphrase import load_pretrained
    >>> from skparaphrase.inspection import ExplanationDisplay
    >>> texts = "A cat sleeps.", "A kitten naps."
    >>> display = ExplanationDisplay.from_estimator(load_pretrained(), *texts)
    >>> plt.close(display.figure_)
    """

    def __init__(self, shares: Any, *, name: str | None = None) -> None:
        self.shares, self.name = shares, name

    @classmethod
    def from_estimator(
        cls,
        encoder: Any,
        a: str,
        b: str,
        *,
        name: str | None = None,
        **plot_options: Any,
    ) -> Self:
        """Draw which words make two texts similar.

        Parameters
        ----------
        encoder, a, b
            As in :func:`explain_similarity`.
        name : str, default=None
            Name of the encoder, for the title.
        **plot_options : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : ExplanationDisplay
        """
        return cls(explain_similarity(a, b, encoder), name=name).plot(**plot_options)

    def plot(
        self,
        ax: Any = None,
        *,
        include_values: bool = True,
        colorbar: bool = False,
        values_format: str = ".2f",
        cmap: Any = "RdBu_r",
        im_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the shares.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None creates a new figure, whose size depends on the number of words.
        include_values, colorbar : bool
            Write the values into the cells; draw a colour bar.
        values_format, cmap : str
            Format of the values, of which zeros are left out; colour map of matplotlib.
        im_kwargs : dict, default=None
            Passed to matplotlib's `imshow`.

        Returns
        -------
        display : ExplanationDisplay
        """
        plane = self.shares.to_numpy()
        words = {"fontsize": "small", "parse_math": False}
        slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor", **words}
        new = ax is None
        ax = self._make_axes(ax)
        if new:
            height, width = plane.shape
            self.figure_.set_size_inches(
                np.clip((2.5 + 0.45 * width, 2 + 0.35 * height), (3, 2.5), (14, 12))
            )
        most = float(np.abs(plane).max()) or 1.0
        options = {"cmap": cmap, "vmin": -most, "vmax": most, "aspect": "auto"}
        self.im_ = ax.imshow(plane, **options | dict(im_kwargs or {}))
        ax.set_xticks(range(plane.shape[1]), self.shares.columns, **slanted)
        ax.set_yticks(range(plane.shape[0]), self.shares.index, **words)
        self.texts_ = None
        if include_values:
            self.texts_ = [
                self._write(
                    format(share, values_format), i, j, dark=abs(share) > most / 2
                )
                for (i, j), share in np.ndenumerate(plane)
            ]
        if colorbar:
            self.figure_.colorbar(self.im_, ax=ax, label="share of the cosine")
        ax.set(xlabel="text b", ylabel="text a")
        self._set_title(f"cosine {self.shares.attrs['cosine']:.2f}")
        return self

    def _write(self, value: str, i: int, j: int, *, dark: bool) -> Any:
        """Write a value that is not zero into its cell."""
        value = value if value.strip("-0.") else ""
        color = "white" if dark else "black"
        style = {"ha": "center", "va": "center", "fontsize": "small", "color": color}
        return self.ax_.text(j, i, value, **style)
