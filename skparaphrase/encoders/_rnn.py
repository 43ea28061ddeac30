"""Recurrent networks: simple, and linear from the identity (iRNN)."""

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


class SimpleRecurrentEncoder(TrainedEncoder):
    """Base class of encoders that return the last state of a simple network."""

    _is_identity: ClassVar[bool] = False
    _optimizer = Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "dim": [Interval(Integral, 1, None, closed="left"), None],
        "activation": [StrOptions({"tanh", "relu", "linear"}), None],
        "residual": ["boolean"],
    }

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

    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        kind = networks.IdentityRecurrent if self._is_identity else networks.Recurrent
        activation = self.activation or ("linear" if self._is_identity else "tanh")
        network = kind(vectors.dim, self.dim or vectors.dim, activation=activation)
        return networks.Residual(network, vectors.dim) if self.residual else network


class RNNEncoder(SimpleRecurrentEncoder):
    r"""Last state of a simple recurrent network.

    Wieting et al. (2016), section 3: :math:`h_t = f(W_x x_t + W_h h_{t-1} + b)`,
    trained on paraphrases. By default the state is added to the average of the word
    vectors; see `residual`.

    Parameters
    ----------
    vectors
        As in :class:`DeepAveragingEncoder`.
    dim : int, default=None
        Units of the network, and with `residual=False` the length of the sentence
        vectors; None takes that of the word vectors, as the paper does.
    activation : {"tanh", "relu", "linear"}, default=None
        f; None is "tanh".
    residual, tokenizer, init, norm
        As in :class:`DeepAveragingEncoder`.
    loss : str or BaseLoss, default="auto"
        As in :class:`ParaphraseEncoder`. The paper's is `MarginLoss(negatives="mix")`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)`.
    learning_rate, batch_size, max_epochs
        As in :class:`ParaphraseEncoder`.
    freeze
        As in :class:`DeepAveragingEncoder`.
    validation_fraction, patience
        As in :class:`ParaphraseEncoder`.
    warm_start, device, random_state, verbose
        As in :class:`ParaphraseEncoder`.

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
    The initial state only depends on the last words. Without `residual`, training must
    first learn to remember.

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
            "optimizer": Optimizer(
                "adam", **DENSE, vectors_penalty=1e-6, composition_penalty=1e-4
            ),
            "residual": False,
            "loss": MarginLoss(negatives="mix"),
            "learning_rate": 0.0005,
            "batch_size": 100,
            "max_epochs": 10,
        }
    }


class IdentityRNNEncoder(SimpleRecurrentEncoder):
    r"""Linear recurrent network that starts as the average of word vectors (iRNN).

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
        None is "linear"; Le et al. have "relu".
    residual, tokenizer, init, norm, loss, optimizer, learning_rate, batch_size
        As in :class:`RNNEncoder`.
    max_epochs, freeze, validation_fraction, patience
        As in :class:`RNNEncoder`.
    warm_start, device, random_state, verbose
        As in :class:`RNNEncoder`.

    See Also
    --------
    ParaphraseEncoder : The average, without a network.

    Notes
    -----
    The matrices may let states grow with every word. States that pass 2**32 are scaled
    down by a power of 2; without `residual`, this does not change the direction of the
    vector.

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
            "optimizer": Optimizer(
                "adam",
                **DENSE,
                clip_norm=1.0,
                vectors_penalty=1e-6,
                composition_penalty=10.0,
            ),
            "residual": False,
            "loss": MarginLoss(),
            "learning_rate": 0.005,
            "batch_size": 100,
            "max_epochs": 10,
        }
    }
