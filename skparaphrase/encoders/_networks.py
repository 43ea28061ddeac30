"""Networks on the average of word vectors, and custom networks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._lazy import networks
from skparaphrase._typing import Encoder
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.losses import BaseLoss, MarginLoss
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.vectors import WordVectors

#: Shared settings of the networks of table 2 of Wieting et al. (2016).
PPDB_XL: dict[str, Any] = {
    "residual": False,
    "loss": MarginLoss(),
    "learning_rate": 0.0005,
    "batch_size": 100,
    "max_epochs": 10,
}
_PROJECTION: dict[str, Any] = {
    **PPDB_XL,
    "optimizer": Optimizer(
        "adam", **DENSE, vectors_penalty=1e-8, composition_penalty=1e-5
    ),
}


class ResidualEncoder(TrainedEncoder):
    """Base class of encoders with a network that may be added to the average of words.

    A subclass has the parameters in its signature and defines :meth:`_network`.
    """

    residual: bool

    _optimizer = Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "dim": [Interval(Integral, 1, None, closed="left"), None],
        "n_layers": [Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"tanh", "relu", "linear"}), None],
        "residual": ["boolean"],
    }

    @abstractmethod
    def _network(self, vectors: WordVectors) -> networks.Composition:
        """The network, without the average."""

    def _composition(self, vectors: WordVectors) -> networks.Composition:
        network = self._network(vectors)
        return networks.Residual(network, vectors.dim) if self.residual else network


class AveragingNetworkEncoder(ResidualEncoder):
    """Base class of encoders with dense layers on the average of word vectors."""

    _activation: ClassVar[str] = "tanh"
    _first_std: ClassVar[float | None] = 0.1  # first layer; None: Glorot's range

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        dim: int | None = None,
        n_layers: int = 1,
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
        return networks.DeepAverage(
            vectors.dim,
            self.dim or vectors.dim,
            n_layers=self.n_layers,
            activation=self.activation or self._activation,
            first_std=self._first_std,
        )


class DeepAveragingEncoder(AveragingNetworkEncoder):
    r"""Encode texts with dense layers on the average of word vectors (DAN).

    The deep averaging network of Iyyer et al. (2015), trained on paraphrases as in
    Wieting et al. (2016), section 3.1: :math:`g(x) = f(W_d f(\dots f(W_1 \bar{x} +
    b_1)) + b_d)`, where :math:`\bar{x}` is the average of the word vectors. By default
    the network is added to the average; see `residual`.

    Parameters
    ----------
    vectors : WordVectors, default=None
        Initial word vectors. None takes the vectors of `init`, or of
        :func:`skparaphrase.load_pretrained`.
    dim : int, default=None
        Number of units of each layer, and with `residual=False` the length of the
        sentence vectors. None takes the length of the word vectors, as in the paper.
    n_layers : int, default=1
        Number of dense layers; the paper tried 1 and 2, its code up to 4.
    activation : {"tanh", "relu", "linear"}, default=None
        Activation function f; None is "tanh".
    residual : bool, default=True
        True: the sentence vector is the average of the word vectors plus a linear map
        of the network's output, "projection", which starts at zero. Training thus
        starts from the average. False: the sentence vector is the network's output, as
        in the paper.
    tokenizer
        As in :class:`ParaphraseEncoder`.
    init : encoder, default=None
        A fitted encoder of this class, or a fitted average of word vectors, that
        training starts from, for example first phrases and then sentences. In pipelines
        and grid searches, wrap it in a :class:`~sklearn.frozen.FrozenEstimator`.
    norm : {"l2"} or None, default="l2"
        As in :class:`ParaphraseEncoder`.
    loss
        As in :class:`ParaphraseEncoder`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-5)`.
    learning_rate, batch_size, max_epochs
        As in :class:`ParaphraseEncoder`.
    freeze : {"vectors"}, default=None
        Parameters that are not trained; None trains all.
    validation_fraction, patience, warm_start, device, random_state, verbose
        As in :class:`ParaphraseEncoder`.

    Attributes
    ----------
    vectors_
        As in :class:`ParaphraseEncoder`.
    parameters_ : dict of str to ndarray
        "layers.i.weight", of shape (dim_in, dim), and "layers.i.bias" of layer i. With
        `residual` "composition.layers.i.weight" and so on, and "projection", of shape
        (dim, dim_in).
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    See Also
    --------
    ProjectionEncoder : One linear layer.

    Notes
    -----
    As in the paper's code, the weights of the first layer are drawn from N(0, 0.01),
    and the weights of the other layers from Glorot's range.

    Setting of :meth:`paper`: "ppdb-xl" (table 2).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    M. Iyyer, V. Manjunatha, J. Boyd-Graber, H. Daume III, "Deep Unordered Composition
    Rivals Syntactic Methods for Text Classification", ACL 2015.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import DeepAveragingEncoder
    >>> encoder = DeepAveragingEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 256)
    """

    _paper_settings: ClassVar[Settings] = {
        "ppdb-xl": {
            **PPDB_XL,
            "optimizer": Optimizer(
                "adagrad", **DENSE, vectors_penalty=1e-5, composition_penalty=1e-5
            ),
            "learning_rate": 0.05,
        }
    }


class ProjectionEncoder(AveragingNetworkEncoder):
    r"""Encode texts with a linear projection of the average of word vectors.

    Wieting et al. (2016), section 3: :math:`g(x) = W_p \frac{1}{n} \sum_i W_w^{x_i} +
    b`. Word vectors and projection are trained together on paraphrases. By default, the
    projection is added to the average (see `residual`).

    Parameters
    ----------
    vectors, dim, n_layers
        As in :class:`DeepAveragingEncoder`.
    activation : {"tanh", "relu", "linear"}, default=None
        None is "linear".
    residual, tokenizer, init, norm, loss, optimizer, learning_rate, batch_size
        As in :class:`DeepAveragingEncoder`.
    max_epochs, freeze, validation_fraction, patience
        As in :class:`DeepAveragingEncoder`.
    warm_start, device, random_state, verbose
        As in :class:`DeepAveragingEncoder`.

    Attributes
    ----------
    vectors_, parameters_, teacher_axes_
        As in :class:`DeepAveragingEncoder`.
    loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`DeepAveragingEncoder`.

    See Also
    --------
    DeepAveragingEncoder : With activation functions and more layers.
    ParaphraseEncoder : Without the projection.

    Notes
    -----
    Settings of :meth:`paper`: "ppdb-xl" (table 2) and "features" (the 2400 dimensions
    of table 6). For "features", the paper prints the loss, the batch size and a grid of
    lambda_c, 1e-4 to 1e-8. All other parameters are as in "ppdb-xl", whose lambda_c is
    in the grid.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ProjectionEncoder
    >>> encoder = ProjectionEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 256)
    """

    _activation = "linear"
    _first_std = None

    _paper_settings: ClassVar[Settings] = {
        "ppdb-xl": _PROJECTION,
        "features": {**_PROJECTION, "dim": 2400},
    }


class NetworkEncoder(TrainedEncoder):
    """Encode texts with a custom network over word vectors.

    Parameters
    ----------
    network : callable, default=None
        A subclass of :class:`skparaphrase.networks.Composition`, or a
        `functools.partial` of one. It is called with the number of dimensions of the
        word vectors. None averages the vectors.
    vectors : WordVectors, default=None
        Initial word vectors. None takes the vectors of `init`, or of
        :func:`skparaphrase.load_pretrained`.
    tokenizer
        As in :class:`ParaphraseEncoder`.
    init : encoder, default=None
        A fitted `NetworkEncoder` with the same network, or a fitted average of word
        vectors, that training starts from. In pipelines and grid searches, wrap it in a
        :class:`~sklearn.frozen.FrozenEstimator`.
    norm : {"l2"} or None, default="l2"
        "l2" scales the vectors of texts to length 1; None keeps the output of the
        network. A zero vector stays zero.
    loss
        As in :class:`ParaphraseEncoder`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adagrad")`.
    learning_rate, batch_size, max_epochs
        As in :class:`ParaphraseEncoder`.
    freeze : {"vectors"}, default=None
        Parameters that are not trained; None trains all.
    validation_fraction, patience, warm_start, device, random_state, verbose
        As in :class:`ParaphraseEncoder`.

    Attributes
    ----------
    vectors_
        As in :class:`ParaphraseEncoder`.
    parameters_ : dict of str to ndarray
        The parameters of the network, by name.
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    See Also
    --------
    skparaphrase.networks.Composition : Base class of networks.

    Notes
    -----
    An encoder with a custom network can be cloned, tuned and pickled. `save` raises an
    error, because folders contain no code.

    Examples
    --------
    See :ref:`own_network` for an example of a custom network.

    >>> from functools import partial
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import NetworkEncoder
    >>> from skparaphrase.networks import DeepAverage
    >>> network = partial(DeepAverage, dim=50, activation="relu")
    >>> encoder = NetworkEncoder(network, max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 50)
    """

    _optimizer = Optimizer("adagrad")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "network": [callable, None],
    }

    def __init__(
        self,
        network: Callable[[int], networks.Composition] | None = None,
        *,
        vectors: WordVectors | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        init: Encoder | None = None,
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
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def _composition(self, vectors: WordVectors) -> networks.Composition:
        build = self.network or networks.Average
        if isinstance(build, networks.Composition):
            raise TypeError(
                "network must be a class or a functools.partial of one, not an "
                f"instance: pass {type(build).__name__}, or "
                f"partial({type(build).__name__}, ...)."
            )
        network = build(vectors.dim)
        if not isinstance(network, networks.Composition):
            raise TypeError(
                "network must return a skparaphrase.networks.Composition; got "
                f"{network!r}."
            )
        return network
