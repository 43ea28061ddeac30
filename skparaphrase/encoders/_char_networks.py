"""Networks over characters: charCNN and charLSTM."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._lazy import networks
from skparaphrase.encoders._charagram import PAPER, random_table
from skparaphrase.encoders._convolutional import check_filters
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.losses import BaseLoss, MarginLoss
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.text import NgramTokenizer
from skparaphrase.vectors import WordVectors

# Wieting et al. (2016, Charagram), section 4.1.3: equal numbers of each width, and the
# filters of Kim et al. (2016); (number, width).
FILTERS = {
    "equal": ((175, 2), (175, 3), (175, 4)),
    "kim": ((25, 1), (50, 2), (75, 3), (100, 4), (125, 5), (150, 6)),
}


UNKNOWN = "<unk>"  # no character is as long

_ORDERED = Optimizer(
    "adam",
    **DENSE,
    vectors_penalty=1e-6,
    composition_penalty=1e-6,
    ordered_first_epoch=True,
)
_PAPER: dict[str, Any] = {**PAPER, "optimizer": _ORDERED}
_PAPER_LSTM: dict[str, Any] = {
    **_PAPER,
    "embedding_dim": 300,
    "embedding_range": None,
    "dim": 300,
}


def _character_tokenizer(encoder: TrainedEncoder) -> NgramTokenizer:
    """Splits a text into characters, with a space on each side."""
    return NgramTokenizer(ngram_range=(1, 1), lowercase=encoder.lowercase, binary=False)


def _character_table(
    encoder: TrainedEncoder, texts: Iterable[str], random_state: np.random.RandomState
) -> WordVectors:
    """Random vectors of the characters of texts, and of "<unk>" for all others."""
    characters = encoder._tokenizer().vocabulary(texts)
    if characters:
        characters.append(UNKNOWN)
    limit = getattr(encoder, "embedding_range", None)
    if limit is None:  # as in the paper's code
        limit = 0.5 / max(len(characters), 1)
    return random_table(characters, encoder.embedding_dim, limit, random_state, UNKNOWN)


class CharCNNEncoder(TrainedEncoder):
    r"""Convolutional network over characters (charCNN).

    The baseline of Wieting et al. (2016, Charagram), after Kim et al. (2016): filters
    of several widths over the characters, the maximum of each over the text, and a
    dense layer. Trained on paraphrases. The network is by default that of the paper for
    sentences.

    Parameters
    ----------
    filters : {"kim", "equal"} or sequence of (number, width), default="kim"
        The two sets of the paper, with 525 filters each: "kim" has widths 1 to 6, more
        of the wider ones; "equal" has 175 each of widths 2, 3 and 4.
    embedding_dim : int, default=300
        Length of the character vectors.
    dim : int, default=300
        Length of the vectors: units of the dense layer. None leaves the layer out; the
        vectors then have a number for each filter.
    conv_activation : {"relu", "tanh"}, default="relu"
        Activation of the filters. (The released code uses that of the dense layer.)
    activation : {"tanh", "linear", "relu"}, default="tanh"
        Activation of the dense layer.
    dropout : float, default=0.0
        Share of the maxima that is set to zero before the dense layer, in training on
        paraphrases; the authors tried it without gain. Negative examples are chosen
        without dropout.
    lowercase : bool, default=True
        Lower-case the texts first.
    init, norm
        As in :class:`CharagramEncoder`.
    loss : str or BaseLoss, default="auto"
        As in :class:`ParaphraseEncoder`. "margin" gains more from some ten thousand
        pairs on, and learns nothing from a thousand.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adam", vectors_penalty=1e-6, composition_penalty=1e-6)`.
    learning_rate, batch_size, max_epochs, validation_fraction, patience
        As in :class:`ParaphraseEncoder`.
    warm_start, device, random_state, verbose
        As in :class:`ParaphraseEncoder`.

    Attributes
    ----------
    vectors_ : WordVectors
        The trained vectors; its words are the characters, and "<unk>" for all others.
    parameters_ : dict of str to ndarray
        "filters.i.weight", of shape (width, embedding_dim, number), "filters.i.bias",
        "layer.weight", of shape (525, dim), and "layer.bias", unless `dim` is None.
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    Notes
    -----
    Windows that extend into the padding are left out. In the released code they take
    part, so that vectors depend on the batch. A text shorter than a filter is padded
    with zeros to its width.

    `partial_fit` keeps the characters of its first call.

    Settings of :meth:`paper`: "phrases" (tables 3 and 11), "words" (table 1).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Charagram: Embedding Words and
    Sentences via Character n-grams", EMNLP 2016.

    Y. Kim, Y. Jernite, D. Sontag, A. M. Rush, "Character-Aware Neural Language Models",
    AAAI 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import CharCNNEncoder
    >>> encoder = CharCNNEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 300)
    """

    _learns_tokens = True
    _optimizer = Optimizer("adam", vectors_penalty=1e-6, composition_penalty=1e-6)

    _paper_settings: ClassVar[Settings] = {
        "phrases": _PAPER,
        "words": {  # the values of the released script; only sentences are ordered
            **PAPER,
            "max_epochs": 50,
            "loss": MarginLoss(negatives="mix"),
            "filters": "equal",
            "activation": "linear",
            "conv_activation": "tanh",
            "batch_size": 25,
        },
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "filters": [StrOptions(set(FILTERS)), "array-like"],
        "embedding_dim": [Interval(Integral, 1, None, closed="left")],
        "dim": [Interval(Integral, 1, None, closed="left"), None],
        "conv_activation": [StrOptions({"relu", "tanh"})],
        "activation": [StrOptions({"linear", "tanh", "relu"})],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "lowercase": ["boolean"],
    }

    def __init__(
        self,
        *,
        filters: str | Sequence[tuple[int, int]] = "kim",
        embedding_dim: int = 300,
        dim: int | None = 300,
        conv_activation: str = "relu",
        activation: str = "tanh",
        dropout: float = 0.0,
        lowercase: bool = True,
        init: Any = None,
        norm: str | None = "l2",
        loss: str | BaseLoss = "auto",
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.001,
        batch_size: int = 128,
        max_epochs: int = 5,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    _tokenizer = _character_tokenizer
    _draw_table = _character_table

    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        filters = self.filters
        if isinstance(filters, str):
            filters = FILTERS[filters]
        return networks.CharacterConvolution(
            vectors.dim,
            check_filters(filters),
            self.dim,
            conv_activation=self.conv_activation,
            activation=self.activation,
            dropout=self.dropout,
        )


class CharLSTMEncoder(TrainedEncoder):
    r"""Last state of a long short-term memory over characters (charLSTM).

    The baseline of Wieting et al. (2016, Charagram): the network of
    :class:`LSTMEncoder` reads the characters of a text, with a space on each side.
    Trained on paraphrases.

    Parameters
    ----------
    embedding_dim : int, default=50
        Length of the character vectors.
    embedding_range : float, default=1.0
        The character vectors start from U(-r, r) with this r. None is 0.5 / the number
        of characters, as in the paper's code, from which training starts much slower.
    dim : int, default=100
        Length of the vectors.
    output_gate : bool, default=False
        False, the paper's choice for sentences, omits the output gate.
    peepholes : {"diagonal", "full"} or None, default="diagonal"
        Connections from the cells to the gates: one weight per cell, as in the paper's
        code; matrices, as in its equations; or none.
    lowercase
        As in :class:`CharCNNEncoder`.
    init, norm
        As in :class:`CharagramEncoder`.
    loss
        As in :class:`ParaphraseEncoder`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adam", vectors_penalty=1e-6, composition_penalty=1e-6)`.
    learning_rate, batch_size, max_epochs, validation_fraction, patience
        As in :class:`ParaphraseEncoder`.
    warm_start, device, random_state, verbose
        As in :class:`ParaphraseEncoder`.

    Attributes
    ----------
    vectors_ : WordVectors
        The trained vectors; its words are the characters, and "<unk>" for all others.
    parameters_ : dict of str to ndarray
        "W_xi" of shape (dim, dim_in), "W_hi" of shape (dim, dim), the peephole "W_ci"
        and the bias "b_i" of gate i; likewise for f, c (no peephole) and o.
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    Notes
    -----
    With the paper's start and loss, and few pairs, all texts may end on one vector (the
    fit then warns).

    The vector of a text depends on the other texts of its batch by rounding only, less
    than 1e-5 for 300 characters. A fit that warns may amplify rounding more than that.

    `partial_fit` keeps the characters of its first call.

    Settings of :meth:`paper`: "phrases" (tables 3 and 11), "words" (table 1).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Charagram: Embedding Words and
    Sentences via Character n-grams", EMNLP 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import CharLSTMEncoder
    >>> encoder = CharLSTMEncoder(
    ...     embedding_dim=10, dim=20, max_epochs=1, random_state=0
    ... )
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 20)
    """

    _learns_tokens = True
    _optimizer = Optimizer("adam", vectors_penalty=1e-6, composition_penalty=1e-6)

    _paper_settings: ClassVar[Settings] = {
        "phrases": _PAPER_LSTM,
        "words": {  # the values of the released script; only sentences are ordered
            **_PAPER_LSTM,
            "optimizer": PAPER["optimizer"],
            "max_epochs": 50,
            "loss": MarginLoss(negatives="mix"),
            "output_gate": True,
            "batch_size": 50,
        },
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "embedding_dim": [Interval(Integral, 1, None, closed="left")],
        "output_gate": ["boolean"],
        "peepholes": [StrOptions({"diagonal", "full"}), None],
        "lowercase": ["boolean"],
        "embedding_range": [Interval(Real, 0, None, closed="neither"), None],
        "dim": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        embedding_dim: int = 50,
        embedding_range: float | None = 1.0,
        dim: int = 100,
        output_gate: bool = False,
        peepholes: str | None = "diagonal",
        lowercase: bool = True,
        init: Any = None,
        norm: str | None = "l2",
        loss: str | BaseLoss = "auto",
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.003,
        batch_size: int = 128,
        max_epochs: int = 10,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    _tokenizer = _character_tokenizer
    _draw_table = _character_table

    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        return networks.LSTM(
            vectors.dim,
            self.dim,
            output_gate=self.output_gate,
            peepholes=self.peepholes,
        )
