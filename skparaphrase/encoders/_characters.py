"""Encoders of characters: Charagram, charCNN and charLSTM."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._lazy import networks
from skparaphrase.encoders._sequences import check_filters
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.losses import BaseLoss, MarginLoss
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.text import NgramTokenizer
from skparaphrase.vectors import WordVectors

# How the paper trains its models on phrases.
_PAPER: dict[str, Any] = {
    "optimizer": Optimizer(
        "adam", **DENSE, vectors_penalty=1e-6, composition_penalty=1e-6
    ),
    "loss": MarginLoss(),
    "learning_rate": 0.001,
    "batch_size": 100,
    "max_epochs": 10,
}
# Table 1 prints a grid: batches of 25 or 50, MIX or MAX, tanh or linear, and lambda in
# 1e-4, 1e-5, 1e-6. Here are the grid's values that the released script uses, and the
# smallest lambda: the script's lambda is 0, which the paper uses for the large model
# (section 4.4).
_WORDS: dict[str, Any] = {
    **_PAPER,
    "max_epochs": 50,
    "activation": "linear",
    "batch_size": 25,
}
# Wieting et al. (2016, Charagram), section 4.1.3: equal numbers of each width, and the
# filters of Kim et al. (2016); (number, width).
_FILTERS = {
    "equal": ((175, 2), (175, 3), (175, 4)),
    "kim": ((25, 1), (50, 2), (75, 3), (100, 4), (125, 5), (150, 6)),
}
_UNKNOWN = "<unk>"  # longer than any character, so it cannot be one

_ORDERED = Optimizer(
    "adam",
    **DENSE,
    vectors_penalty=1e-6,
    composition_penalty=1e-6,
    ordered_first_epoch=True,
)
_PAPER_LSTM: dict[str, Any] = {
    **_PAPER,
    "optimizer": _ORDERED,
    "embedding_dim": 300,
    "embedding_range": None,
    "dim": 300,
}


class CharagramEncoder(TrainedEncoder):
    r"""Encode texts as sums of character n-gram vectors (charagram).

    Wieting et al. (2016, Charagram): :math:`g(x) = h(b + \sum_{i \in V} [i \in x]
    W^i)` over the character n-grams `i` of a word, phrase or sentence, where the
    vocabulary `V` is taken from the training texts. It starts from random vectors,
    needs no word vectors, and embeds unseen and misspelt words through their n-grams.
    It is trained on paraphrases. By default, the vocabulary and the network are as in
    charagram-phrase.

    Parameters
    ----------
    tokenizer : NgramTokenizer, default=None
        Determines the orders of the n-grams and whether a text is lower-cased. By
        default, an n-gram counts once per text, as in the paper's code; with
        `binary=False` it counts as often as it occurs, as in the paper's equation. None
        is :class:`~skparaphrase.text.NgramTokenizer` with its defaults.
    min_count : int, default=1
        Minimum number of occurrences of an n-gram in the training pairs; the paper used
        1 and 2.
    max_ngrams : int, default=None
        Maximum number of n-grams of each order; the most frequent are kept. None keeps
        all.
    dim : int, default=300
        Length of the vectors.
    n_layers : int, default=1
        2 adds a dense layer with the same activation (the two-layer model of the
        paper's tagging experiment).
    activation : {"tanh", "linear", "relu"}, default="tanh"
        Activation function h.
    init : encoder, default=None
        A fitted encoder of this class that training starts from, for example first
        phrases and then sentences. In pipelines and grid searches, wrap it in a
        :class:`~sklearn.frozen.FrozenEstimator`.
    norm : {"l2"} or None, default="l2"
        As in :class:`ParaphraseEncoder`.
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
        The trained vectors; its words are the n-grams.
    parameters_ : dict of str to ndarray
        "constant" and "bias" of shape (dim,), and "layers.i.weight" and "layers.i.bias"
        of further layers.
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    Notes
    -----
    As in the paper's code, all texts have an additional feature, "constant", as well as
    the bias. A text that is blank or has no known n-gram is a zero vector; in the
    paper's code it is h(constant + bias).

    `partial_fit` keeps the n-grams of its first call.

    Settings of :meth:`paper`: "phrases" (tables 3 and 11), "words" (the large model of
    table 2: the 50,000 most frequent n-grams of each order, 25 epochs, no penalty; the
    paper selects it on WordSim-353), "words-2-4" (table 1). For table 1, the paper
    prints a grid; the setting takes the values of the released script and the smallest
    lambda.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Charagram: Embedding Words and
    Sentences via Character n-grams", EMNLP 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import CharagramEncoder
    >>> encoder = CharagramEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 300)
    """

    _learns_tokens = True
    _optimizer = Optimizer("adam", vectors_penalty=1e-6, composition_penalty=1e-6)

    _paper_settings: ClassVar[Settings] = {
        "phrases": _PAPER,
        "words": {
            **_WORDS,
            "optimizer": Optimizer("adam", **DENSE),
            "tokenizer": NgramTokenizer(ngram_range=(2, 6)),
            "max_ngrams": 50_000,
            "max_epochs": 25,
        },
        "words-2-4": _WORDS,
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "tokenizer": [NgramTokenizer, None],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "max_ngrams": [Interval(Integral, 1, None, closed="left"), None],
        "dim": [Interval(Integral, 1, None, closed="left")],
        "n_layers": [Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"linear", "tanh", "relu"})],
    }

    def __init__(
        self,
        *,
        tokenizer: NgramTokenizer | None = None,
        min_count: int = 1,
        max_ngrams: int | None = None,
        dim: int = 300,
        n_layers: int = 1,
        activation: str = "tanh",
        init: Any = None,
        norm: str | None = "l2",
        loss: str | BaseLoss = "auto",
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.001,
        batch_size: int = 256,
        max_epochs: int = 5,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def _tokenizer(self) -> NgramTokenizer:
        return NgramTokenizer() if self.tokenizer is None else self.tokenizer

    def _draw_table(
        self, texts: Iterable[str], random_state: np.random.RandomState
    ) -> WordVectors:
        ngrams = self._tokenizer().vocabulary(
            texts, min_count=self.min_count, max_ngrams=self.max_ngrams
        )
        limit = networks.charagram_range(len(ngrams), self.dim)
        return random_table(ngrams, self.dim, limit, random_state)

    def _composition(self, vectors: WordVectors) -> networks.Composition:
        return networks.Charagram(
            len(vectors), self.dim, activation=self.activation, n_layers=self.n_layers
        )


def random_table(
    tokens: list[str],
    dim: int,
    limit: float,
    random_state: np.random.RandomState,
    unknown: str | None = None,
) -> WordVectors:
    """Vectors drawn from U(-limit, limit)."""
    if not tokens:
        raise ValueError(
            "The training texts contain no n-gram to keep: are they blank, or is "
            "`min_count` too high?"
        )
    drawn = random_state.uniform(-limit, limit, size=(len(tokens), dim))
    return WordVectors(tokens, drawn.astype(np.float32), unknown=unknown)


class CharacterEncoder(TrainedEncoder):
    """Base class of encoders that read texts character by character.

    A text has a space on each side. A subclass has the parameters in its signature.
    """

    embedding_dim: int
    lowercase: bool

    _learns_tokens = True
    _optimizer = Optimizer("adam", vectors_penalty=1e-6, composition_penalty=1e-6)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "embedding_dim": [Interval(Integral, 1, None, closed="left")],
        "lowercase": ["boolean"],
    }

    def _tokenizer(self) -> NgramTokenizer:
        return NgramTokenizer(
            ngram_range=(1, 1), lowercase=self.lowercase, binary=False
        )

    def _draw_table(
        self, texts: Iterable[str], random_state: np.random.RandomState
    ) -> WordVectors:
        """Random vectors for the characters of texts, and for "<unk>" (all others)."""
        characters = self._tokenizer().vocabulary(texts)
        if characters:
            characters.append(_UNKNOWN)
        limit = getattr(self, "embedding_range", None)
        if limit is None:  # as in the paper's code
            limit = 0.5 / max(len(characters), 1)
        return random_table(
            characters, self.embedding_dim, limit, random_state, _UNKNOWN
        )


class CharCNNEncoder(CharacterEncoder):
    r"""Encode texts with a convolutional network over characters (charCNN).

    The baseline of Wieting et al. (2016, Charagram), after Kim et al. (2016): filters
    of several widths over the characters, the maximum of each over the text, and a
    dense layer. It is trained on paraphrases. By default, the network is the paper's
    network for sentences.

    Parameters
    ----------
    filters : {"kim", "equal"} or sequence of (number, width), default="kim"
        The two sets of the paper, with 525 filters each: "kim" has widths 1 to 6, more
        of the wider ones; "equal" has 175 each of widths 2, 3 and 4.
    embedding_dim : int, default=300
        Length of the character vectors.
    dim : int, default=300
        Length of the vectors and number of units of the dense layer. None omits the
        layer; the vectors then have one number per filter.
    conv_activation : {"relu", "tanh"}, default="relu"
        Activation of the filters. (The released code uses `activation` for both.)
    activation : {"tanh", "linear", "relu"}, default="tanh"
        Activation of the dense layer.
    dropout : float, default=0.0
        Share of the maxima that is set to zero before the dense layer in training on
        paraphrases. The authors found no gain from it. Negative examples are chosen
        without dropout.
    lowercase : bool, default=True
        Lower-case the texts first.
    init, norm
        As in :class:`CharagramEncoder`.
    loss : str or BaseLoss, default="auto"
        As in :class:`ParaphraseEncoder`. "margin" is better from about ten thousand
        pairs, but learns nothing from a thousand.
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
    Windows that extend into the padding are left out. The released code includes them,
    so its vectors depend on the batch. A text shorter than a filter is padded with
    zeros to its width.

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

    _paper_settings: ClassVar[Settings] = {
        "phrases": {**_PAPER, "optimizer": _ORDERED},
        "words": {  # the values of the released script; only sentences are ordered
            **_PAPER,
            "max_epochs": 50,
            "loss": MarginLoss(negatives="mix"),
            "filters": "equal",
            "activation": "linear",
            "conv_activation": "tanh",
            "batch_size": 25,
        },
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CharacterEncoder._parameter_constraints,
        "filters": [StrOptions(set(_FILTERS)), "array-like"],
        "dim": [Interval(Integral, 1, None, closed="left"), None],
        "conv_activation": [StrOptions({"relu", "tanh"})],
        "activation": [StrOptions({"linear", "tanh", "relu"})],
        "dropout": [Interval(Real, 0, 1, closed="left")],
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

    def _composition(self, vectors: WordVectors) -> networks.Composition:
        filters = self.filters
        if isinstance(filters, str):
            filters = _FILTERS[filters]
        return networks.CharacterConvolution(
            vectors.dim,
            check_filters(filters),
            self.dim,
            conv_activation=self.conv_activation,
            activation=self.activation,
            dropout=self.dropout,
        )


class CharLSTMEncoder(CharacterEncoder):
    r"""Encode texts with a long short-term memory over characters (charLSTM).

    The baseline of Wieting et al. (2016, Charagram): the network of
    :class:`LSTMEncoder` reads the characters of a text, with a space on each side. The
    vector is its last state. It is trained on paraphrases.

    Parameters
    ----------
    embedding_dim : int, default=50
        Length of the character vectors.
    embedding_range : float, default=1.0
        The character vectors are drawn from U(-r, r) with this r. None is 0.5 / the
        number of characters, as in the paper's code, with which training starts much
        more slowly.
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
    With the paper's initial vectors and loss, and few pairs, all texts may get the same
    vector (`fit` then warns).

    The vector of a text depends on the other texts of its batch only through rounding,
    less than 1e-5 for 300 characters. If the fit warns, rounding errors may be larger.

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

    _paper_settings: ClassVar[Settings] = {
        "phrases": _PAPER_LSTM,
        "words": {  # the values of the released script; only sentences are ordered
            **_PAPER_LSTM,
            "optimizer": _PAPER["optimizer"],
            "max_epochs": 50,
            "loss": MarginLoss(negatives="mix"),
            "output_gate": True,
            "batch_size": 50,
        },
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CharacterEncoder._parameter_constraints,
        "output_gate": ["boolean"],
        "peepholes": [StrOptions({"diagonal", "full"}), None],
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

    def _composition(self, vectors: WordVectors) -> networks.Composition:
        return networks.LSTM(
            vectors.dim,
            self.dim,
            output_gate=self.output_gate,
            peepholes=self.peepholes,
        )
