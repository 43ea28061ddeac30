"""Convolutional sentence encoder (CSE)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, ClassVar

from skparaphrase._compat import StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._lazy import networks
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.losses import BaseLoss, MarginLoss
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.vectors import WordVectors

_ADAM: dict[str, Any] = {**DENSE, "vectors_penalty": 1e-6, "scramble": 0.5}
_PAPER: dict[str, Any] = {
    "optimizer": Optimizer("adam", **_ADAM, word_dropout=0.1),
    "residual": False,
    "loss": MarginLoss(0.6),
    "learning_rate": 0.001,
    "batch_size": 256,
    "max_epochs": 10,
}
_WIDTHS: dict[str, Any] = {  # note 4: these values, and 300 filters in all
    **_PAPER,
    "optimizer": Optimizer("adam", **_ADAM),
    "batch_size": 100,
}


class CNNEncoder(TrainedEncoder):
    r"""Sums of convolutions over word vectors: convolutional sentence encoder (CSE).

    Jiao et al. (2018): filters of several widths slide over the words. Their responses
    are summed over the text and concatenated, :math:`\hat{c}_h = \sum_i f(W_h [x_i;
    \dots; x_{i+h-1}] + b_h)`. Trained on paraphrases. By default the sums are added to
    the average of the word vectors; see `residual`.

    Parameters
    ----------
    vectors
        As in :class:`DeepAveragingEncoder`.
    filters : sequence of (number, width), default=((100, 1), (100, 2), (100, 3))
        How many filters span how many words. With `residual=False`, sentence vectors
        have a number for each filter.
    activation : {"linear", "tanh", "relu"}, default="linear"
        f; the paper found tanh slightly worse.
    padding : {"text", "valid", "batch"}, default="text"
        "text": each text is followed by as many zeros as the widest filter needs, so
        that a window starts at every word. "valid" is the paper: zeros only follow a
        text that is shorter than a filter, and a text of n words has n - h + 1 windows
        of width h, at least one. "batch" is the released code: texts are padded to the
        longest of the batch, the bias counts at every position, and vectors depend on
        the other texts of the batch; `transform` then takes 100 texts at a time, in the
        order of their first occurrence.
    residual, tokenizer, init, norm
        As in :class:`DeepAveragingEncoder`.
    loss : str or BaseLoss, default="auto"
        As in :class:`ParaphraseEncoder`. The paper's is `MarginLoss(margin=0.6)`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)`.
    learning_rate, batch_size, max_epochs
        As in :class:`ParaphraseEncoder`.
    freeze
        As in :class:`DeepAveragingEncoder`.
    validation_fraction, patience, warm_start, device, random_state, verbose
        As in :class:`ParaphraseEncoder`.

    Attributes
    ----------
    vectors_
        As in :class:`ParaphraseEncoder`.
    parameters_ : dict of str to ndarray
        "filters.i.weight", of shape (width, dim, number), and "filters.i.bias" of the
        i-th pair. With `residual` "composition.filters.i.weight" and so on, and
        "projection", of shape (number of all filters, dim).
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    Notes
    -----
    The paper's text does not mention `scramble`; its code uses 0.5 by default.
    With linear filters, a sum over windows loses the order of words except at the
    edges.

    Settings of :meth:`paper`: "simple-wikipedia" (table 2), "ppdb-xl" (table 1),
    "widths" and, with 300 filters of one width, "width" (table 5). For tables 1 and 2,
    the paper prints a grid and not the values it chose: "simple-wikipedia" has those
    that the authors' code names as the best, and "ppdb-xl" the point nearest to the
    setting of :class:`ParaphraseEncoder`. `scramble` is of the code.

    References
    ----------
    X. Jiao, F. Wang, D. Feng, "Convolutional Neural Network for Universal Sentence
    Embeddings", COLING 2018.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import CNNEncoder
    >>> encoder = CNNEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 256)
    """

    _optimizer = Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)

    _paper_settings: ClassVar[Settings] = {
        "simple-wikipedia": _PAPER,
        # Table 1: of the grid, the point that is nearest to the setting of PP, with
        # margin 0.4 and batches of 100. The paper does not print the chosen one.
        "ppdb-xl": {
            **_PAPER,
            "loss": MarginLoss(0.4),
            "optimizer": Optimizer("adam", **_ADAM),
            "batch_size": 128,
        },
        "widths": _WIDTHS,
        "width": {**_WIDTHS, "filters": ((300, 1),)},
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "filters": ["array-like"],
        "activation": [StrOptions({"linear", "tanh", "relu"})],
        "residual": ["boolean"],
        "padding": [StrOptions({"text", "valid", "batch"})],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        filters: Sequence[tuple[int, int]] = ((100, 1), (100, 2), (100, 3)),
        activation: str = "linear",
        padding: str = "text",
        residual: bool = True,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        init: Any = None,
        norm: str | None = "l2",
        loss: str | BaseLoss = "auto",
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.005,
        batch_size: int = 256,
        max_epochs: int = 5,
        freeze: str | None = None,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        network = networks.Convolution(
            vectors.dim,
            check_filters(self.filters),
            activation=self.activation,
            padding=self.padding,
        )
        return networks.Residual(network, vectors.dim) if self.residual else network


def check_filters(filters: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs (number, width) of filters, or a ValueError."""
    try:
        pairs = [(index(number), index(width)) for number, width in filters]
    except (TypeError, ValueError):
        pairs = []
    if not pairs or min(map(min, pairs)) < 1:
        raise ValueError(
            f"filters must be pairs (number, width) of positive ints; got {filters!r}."
        )
    return pairs
