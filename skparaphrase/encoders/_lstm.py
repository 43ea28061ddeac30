"""Long short-term memory over words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, ClassVar

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._lazy import networks
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.losses import BaseLoss, MarginLoss
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.vectors import WordVectors

_PAPER: dict[str, Any] = {
    "optimizer": Optimizer(
        "adam", **DENSE, vectors_penalty=1e-6, composition_penalty=1e-3
    ),
    "dim": None,
    "residual": False,
    "loss": MarginLoss(),
    "learning_rate": 0.0005,
    "batch_size": 50,
    "max_epochs": 10,
}


class LSTMEncoder(TrainedEncoder):
    r"""Last state of a long short-term memory with peepholes.

    Wieting et al. (2016), section 3, after Gers et al. (2003):
    :math:`i_t, f_t = \sigma(W_x x_t + W_h h_{t-1} + w_c \odot c_{t-1} + b)`,
    :math:`c_t = f_t \odot c_{t-1} + i_t \odot \tanh(W_x x_t + W_h h_{t-1} + b)`,
    :math:`o_t = \sigma(W_{xo} x_t + W_{ho} h_{t-1} + w_{co} \odot c_t + b_o)`,
    :math:`h_t = o_t \odot \tanh(c_t)`, or :math:`h_t = \tanh(c_t)` without output gate.
    Trained on paraphrases. By default the state is added to the average of the word
    vectors; see `residual`.

    Parameters
    ----------
    vectors
        As in :class:`DeepAveragingEncoder`.
    dim : int, default=128
        Units; None takes the length of the word vectors, as the paper does.
    output_gate : bool, default=False
        False, better for similarity in the paper, omits the output gate.
    peepholes : {"diagonal", "full"} or None, default="diagonal"
        Connections from the cells to the gates: one weight per cell, as in the paper's
        code; matrices, as in its equations; or none.
    residual, tokenizer, init, norm
        As in :class:`DeepAveragingEncoder`.
    loss
        As in :class:`ParaphraseEncoder`.
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
        "W_xi" of shape (dim, dim_in), "W_hi" of shape (dim, dim), the peephole "W_ci"
        and the bias "b_i" of gate i; likewise for f, c (no peephole) and o. With
        `residual` "composition.W_xi" and so on, and "projection", of shape (dim,
        dim_in).
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    Notes
    -----
    The initial forget gate keeps half of a cell in each step, so that the last state
    only depends on two or three words. Without `residual`, training must first learn to
    remember.

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

    _optimizer = Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)

    _paper_settings: ClassVar[Settings] = {
        "ppdb-xl": _PAPER,
        "ppdb-xl-gate": {**_PAPER, "output_gate": True, "batch_size": 100},
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "dim": [Interval(Integral, 1, None, closed="left"), None],
        "output_gate": ["boolean"],
        "peepholes": [StrOptions({"diagonal", "full"}), None],
        "residual": ["boolean"],
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

    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        network = networks.LSTM(
            vectors.dim,
            self.dim or vectors.dim,
            output_gate=self.output_gate,
            peepholes=self.peepholes,
        )
        return networks.Residual(network, vectors.dim) if self.residual else network
