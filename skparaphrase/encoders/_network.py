"""An encoder with a network of the user's own."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from skparaphrase._estimator import store_parameters
from skparaphrase._lazy import networks
from skparaphrase._typing import Encoder
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.losses import BaseLoss
from skparaphrase.optimizers import Optimizer
from skparaphrase.vectors import WordVectors


class NetworkEncoder(TrainedEncoder):
    """An encoder with a network of your own, from word vectors to a text vector.

    Parameters
    ----------
    network : callable, default=None
        Takes the number of dimensions of the word vectors and returns a
        :class:`skparaphrase.networks.Composition`: its class, or a
        `functools.partial` of it. None averages the vectors.
    vectors : WordVectors, default=None
        Where training starts. None takes those of `init`, or of
        :func:`skparaphrase.load_pretrained`.
    tokenizer
        As in :class:`ParaphraseEncoder`.
    init : encoder, default=None
        A fitted `NetworkEncoder` with the same network, or a fitted average of word
        vectors, that training starts from. In pipelines and grid searches in a
        :class:`~sklearn.frozen.FrozenEstimator`.
    norm : {"l2"} or None, default="l2"
        "l2" scales the vectors of texts to length 1; None gives what the network
        computes. A zero vector stays zero.
    loss
        As in :class:`ParaphraseEncoder`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adagrad")`.
    learning_rate, batch_size, max_epochs
        As in :class:`ParaphraseEncoder`.
    freeze : {"vectors"}, default=None
        What is not trained.
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
    skparaphrase.networks.Composition : The base of networks.

    Notes
    -----
    An encoder with a network of your own can be cloned, searched and pickled. `save`
    refuses it, because folders hold no code.

    Examples
    --------
    See :ref:`own_network` for a network of your own.

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
        network: "Callable[[int], networks.Composition] | None" = None,
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

    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        build = self.network or networks.Average
        if isinstance(build, networks.Composition):
            raise TypeError(
                "network must be a class, or a functools.partial of it, no instance: "
                f"pass {type(build).__name__}, or partial({type(build).__name__}, ...)."
            )
        network = build(vectors.dim)
        if not isinstance(network, networks.Composition):
            raise TypeError(
                "network must return a skparaphrase.networks.Composition; got "
                f"{network!r}."
            )
        return network
