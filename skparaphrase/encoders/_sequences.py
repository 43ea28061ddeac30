"""Encoders that read words in order: recurrent networks and convolutions."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, ClassVar

from skparaphrase._compat import StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._lazy import networks
from skparaphrase.encoders._networks import PPDB_XL, ResidualEncoder
from skparaphrase.losses import BaseLoss, MarginLoss
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.vectors import WordVectors

_LSTM: dict[str, Any] = {
    **PPDB_XL,
    "optimizer": Optimizer(
        "adam", **DENSE, vectors_penalty=1e-6, composition_penalty=1e-3
    ),
    "dim": None,
}
_JIAO_ADAM: dict[str, Any] = {**DENSE, "vectors_penalty": 1e-6, "scramble": 0.5}
_JIAO: dict[str, Any] = {
    "optimizer": Optimizer("adam", **_JIAO_ADAM, word_dropout=0.1),
    "residual": False,
    "loss": MarginLoss(0.6),
    "learning_rate": 0.001,
    "batch_size": 256,
    "max_epochs": 10,
}
_JIAO_WIDTHS: dict[str, Any] = {  # note 4: these values, with 300 filters in total
    **_JIAO,
    "optimizer": Optimizer("adam", **_JIAO_ADAM),
    "batch_size": 100,
}


class SimpleRecurrentEncoder(ResidualEncoder):
    """Base class of encoders that return the last state of a simple network."""

    _is_identity: ClassVar[bool] = False

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        dim: int | None = None,
        activation: str | None = None,
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

    def _network(self, vectors: WordVectors) -> networks.Composition:
        kind = networks.IdentityRecurrent if self._is_identity else networks.Recurrent
        activation = self.activation or ("linear" if self._is_identity else "tanh")
        return kind(vectors.dim, self.dim or vectors.dim, activation=activation)


class RNNEncoder(SimpleRecurrentEncoder):
    r"""Encode texts as the last state of a simple recurrent network.

    Wieting et al. (2016), section 3: :math:`h_t = f(W_x x_t + W_h h_{t-1} + b)`,
    trained on paraphrases. By default, the state is added to the average of the word
    vectors; see `residual`.

    Parameters
    ----------
    vectors
        As in :class:`DeepAveragingEncoder`.
    dim : int, default=None
        Number of units, and with `residual=False` the length of the sentence vectors.
        None takes the length of the word vectors, as in the paper.
    activation : {"tanh", "relu", "linear"}, default=None
        Activation function f; None is "tanh".
    residual, tokenizer, init, norm
        As in :class:`DeepAveragingEncoder`.
    loss : str or BaseLoss, default="auto"
        As in :class:`ParaphraseEncoder`. The paper uses `MarginLoss(negatives="mix")`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)`.
    learning_rate, batch_size, max_epochs, freeze, validation_fraction, patience
        As in :class:`DeepAveragingEncoder`.
    warm_start, device, random_state, verbose
        As in :class:`DeepAveragingEncoder`.

    Attributes
    ----------
    vectors_
        As in :class:`ParaphraseEncoder`.
    parameters_ : dict of str to ndarray
        "W_x" of shape (dim, dim_in), "W_h" of shape (dim, dim) and "b". With `residual`
        "composition.W_x" and so on, and "projection", of shape (dim, dim_in).
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    See Also
    --------
    IdentityRNNEncoder : Starts as the average.
    LSTMEncoder : Long short-term memory.

    Notes
    -----
    Before training, the state depends only on the last words. Without `residual`, the
    network must first learn to remember.

    With "relu", states that pass 2**32 are scaled down by a power of 2; without
    `residual`, this does not change the direction of the vector.

    Setting of :meth:`paper`: "ppdb-xl" (table 2).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import RNNEncoder
    >>> encoder = RNNEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 256)
    """

    _paper_settings: ClassVar[Settings] = {
        "ppdb-xl": {
            **PPDB_XL,
            "optimizer": Optimizer(
                "adam", **DENSE, vectors_penalty=1e-6, composition_penalty=1e-4
            ),
            "loss": MarginLoss(negatives="mix"),
        }
    }


class IdentityRNNEncoder(SimpleRecurrentEncoder):
    r"""Encode texts with a linear recurrent network, initialised as average (iRNN).

    Wieting et al. (2016), section 3, after Le et al. (2015): :math:`h_t = W_x x_t +
    W_h h_{t-1} + b`, initialised with :math:`W_x = W_h = I` and :math:`b = 0`, and
    :math:`g(x) = h_n / n`, which is then exactly the average of the word vectors. The
    optimizer's `composition_penalty` pulls the matrices to the identity. By default the
    network is added to the average; see `residual`.

    Parameters
    ----------
    vectors, dim
        As in :class:`RNNEncoder`.
    activation : {"tanh", "relu", "linear"}, default=None
        None is "linear"; Le et al. use "relu".
    residual, tokenizer, init, norm
        As in :class:`RNNEncoder`.
    loss
        As in :class:`ParaphraseEncoder`.
    optimizer, learning_rate, batch_size, max_epochs, freeze
        As in :class:`RNNEncoder`.
    validation_fraction, patience, warm_start, device, random_state, verbose
        As in :class:`RNNEncoder`.

    Attributes
    ----------
    vectors_, parameters_, teacher_axes_
        As in :class:`RNNEncoder`.
    loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`RNNEncoder`.

    See Also
    --------
    ParaphraseEncoder : The average, without a network.

    Notes
    -----
    States may grow with every word. States that pass 2**32 are scaled down by a power
    of 2; without `residual`, this does not change the direction of the vector.

    Setting of :meth:`paper`: "ppdb-xl" (table 2).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Q. V. Le, N. Jaitly, G. E. Hinton, "A Simple Way to Initialize Recurrent Networks of
    Rectified Linear Units", arXiv:1504.00941, 2015.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import IdentityRNNEncoder
    >>> encoder = IdentityRNNEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 256)
    """

    _is_identity = True

    _paper_settings: ClassVar[Settings] = {
        "ppdb-xl": {
            **PPDB_XL,
            "optimizer": Optimizer(
                "adam",
                **DENSE,
                clip_norm=1.0,
                vectors_penalty=1e-6,
                composition_penalty=10.0,
            ),
            "learning_rate": 0.005,
        }
    }


class LSTMEncoder(ResidualEncoder):
    r"""Encode texts as the last state of a long short-term memory (LSTM).

    With peepholes, as in Wieting et al. (2016), section 3, after Gers et al. (2003):
    :math:`i_t, f_t = \sigma(W_x x_t + W_h h_{t-1} + w_c \odot c_{t-1} + b)`, :math:`c_t
    = f_t \odot c_{t-1} + i_t \odot \tanh(W_x x_t + W_h h_{t-1} + b)`, :math:`o_t =
    \sigma(W_{xo} x_t + W_{ho} h_{t-1} + w_{co} \odot c_t + b_o)`, :math:`h_t = o_t
    \odot \tanh(c_t)`, or :math:`h_t = \tanh(c_t)` without output gate. It is trained on
    paraphrases. By default, the state is added to the average of the word vectors; see
    `residual`.

    Parameters
    ----------
    vectors
        As in :class:`DeepAveragingEncoder`.
    dim : int, default=128
        Number of units. None takes the length of the word vectors, as in the paper.
    output_gate : bool, default=False
        False omits the output gate, which was better for similarity in the paper.
    peepholes : {"diagonal", "full"} or None, default="diagonal"
        Connections from the cells to the gates: one weight per cell, as in the paper's
        code; matrices, as in its equations; or none.
    residual, tokenizer, init, norm
        As in :class:`DeepAveragingEncoder`.
    loss
        As in :class:`ParaphraseEncoder`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)`.
    learning_rate, batch_size, max_epochs, freeze, validation_fraction, patience
        As in :class:`DeepAveragingEncoder`.
    warm_start, device, random_state, verbose
        As in :class:`DeepAveragingEncoder`.

    Attributes
    ----------
    vectors_
        As in :class:`ParaphraseEncoder`.
    parameters_ : dict of str to ndarray
        "W_xi" of shape (dim, dim_in), "W_hi" of shape (dim, dim), the peephole "W_ci"
        and the bias "b_i" of gate i; likewise for f, c (no peephole) and o. With
        `residual` "composition.W_xi" and so on, and "projection", of shape (dim,
        dim_in).
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    Notes
    -----
    Before training, the forget gate keeps half of a cell in each step, so the last
    state depends only on two or three words. Without `residual`, the network must first
    learn to remember.

    Settings of :meth:`paper`: "ppdb-xl" and "ppdb-xl-gate" (table 2).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    F. A. Gers, N. N. Schraudolph, J. Schmidhuber, "Learning Precise Timing with LSTM
    Recurrent Networks", JMLR 2003.

    K. S. Tai, R. Socher, C. D. Manning, "Improved Semantic Representations From
    Tree-Structured Long Short-Term Memory Networks", ACL 2015.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import LSTMEncoder
    >>> encoder = LSTMEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 256)
    """

    _paper_settings: ClassVar[Settings] = {
        "ppdb-xl": {**_LSTM, "batch_size": 50},
        "ppdb-xl-gate": {**_LSTM, "output_gate": True},
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ResidualEncoder._parameter_constraints,
        "output_gate": ["boolean"],
        "peepholes": [StrOptions({"diagonal", "full"}), None],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        dim: int | None = 128,
        output_gate: bool = False,
        peepholes: str | None = "diagonal",
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

    def _network(self, vectors: WordVectors) -> networks.Composition:
        return networks.LSTM(
            vectors.dim,
            self.dim or vectors.dim,
            output_gate=self.output_gate,
            peepholes=self.peepholes,
        )


class CNNEncoder(ResidualEncoder):
    r"""Encode texts with sums of convolutions over word vectors (CSE).

    The convolutional sentence encoder of Jiao et al. (2018): filters of several widths
    slide over the words. Their responses are summed over the text and concatenated,
    :math:`\hat{c}_h = \sum_i f(W_h [x_i; \dots; x_{i+h-1}] + b_h)`. It is trained on
    paraphrases. By default, the sums are added to the average of the word vectors; see
    `residual`.

    Parameters
    ----------
    vectors
        As in :class:`DeepAveragingEncoder`.
    filters : sequence of (number, width), default=((100, 1), (100, 2), (100, 3))
        Number of filters for each width in words. With `residual=False`, sentence
        vectors have one number per filter.
    activation : {"linear", "tanh", "relu"}, default="linear"
        Activation function f; the paper found "tanh" slightly worse.
    padding : {"text", "valid", "batch"}, default="text"
        "text": each text is padded with zeros until a window of the widest filter
        starts at every word. "valid", as in the paper: only texts that are shorter than
        a filter are padded, and a text of n words has n - h + 1 windows of width h, at
        least one. "batch", as in the released code: texts are padded to the longest
        text of the batch, the bias counts at every position, and vectors depend on the
        other texts of the batch. `transform` then takes 100 texts at a time, in the
        order of their first occurrence.
    residual, tokenizer, init, norm
        As in :class:`DeepAveragingEncoder`.
    loss : str or BaseLoss, default="auto"
        As in :class:`ParaphraseEncoder`. The paper uses `MarginLoss(margin=0.6)`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)`.
    learning_rate, batch_size, max_epochs, freeze, validation_fraction, patience
        As in :class:`DeepAveragingEncoder`.
    warm_start, device, random_state, verbose
        As in :class:`DeepAveragingEncoder`.

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
    the paper prints a grid, but not the chosen values. "simple-wikipedia" has the
    values that the authors' code names as the best, and "ppdb-xl" the point nearest to
    the setting of :class:`ParaphraseEncoder`. `scramble` is from the code.

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

    _paper_settings: ClassVar[Settings] = {
        "simple-wikipedia": _JIAO,
        # Table 1: the point of the grid that is nearest to the setting of PP, with
        # margin 0.4 and batches of 100. The paper does not print the chosen point.
        "ppdb-xl": {
            **_JIAO,
            "loss": MarginLoss(0.4),
            "optimizer": Optimizer("adam", **_JIAO_ADAM),
            "batch_size": 128,
        },
        "widths": _JIAO_WIDTHS,
        "width": {**_JIAO_WIDTHS, "filters": ((300, 1),)},
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ResidualEncoder._parameter_constraints,
        "filters": ["array-like"],
        "activation": [StrOptions({"linear", "tanh", "relu"})],
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

    def _network(self, vectors: WordVectors) -> networks.Composition:
        return networks.Convolution(
            vectors.dim,
            check_filters(self.filters),
            activation=self.activation,
            padding=self.padding,
        )


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
