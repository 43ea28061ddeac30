"""Optimizers as parameters of trained models."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import DocumentedOnline, store_parameters

__all__ = ["Optimizer"]

NAMES = ("adagrad", "adam", "rmsprop", "sgd")


class Optimizer(DocumentedOnline, BaseEstimator):
    """Optimizer, penalties and dropout of a trained model.

    Pass it as the parameter `optimizer` of a model. A name, such as `optimizer="adam"`,
    is short for `Optimizer("adam")`. With `optimizer=None`, a model uses its default,
    which is given in its documentation. An `Optimizer(...)` without a name uses the
    name of this default, but not its penalties. The learning rate is a parameter of the
    model.

    Parameters
    ----------
    name : {"adagrad", "adam", "rmsprop", "sgd"}, default=None
        "adagrad": Duchi et al. (2011), with eps inside the root as in Lasagne. "adam":
        Kingma & Ba (2015). "rmsprop": Tieleman & Hinton (2012), as in Torch. "sgd":
        gradient descent with momentum. None uses the model's default.
    sparse : bool, default=True
        Update only the vectors and moments of the words in the batch, so the cost of a
        step does not grow with the vocabulary. False updates all vectors in every step,
        as in the papers' code. With AdaGrad and no penalty, the results are the same.
    clip_norm : float, default=None
        Norm to which the gradient of each array is clipped, including penalties.
    clip_jointly : bool, default=False
        Clip all gradients together, before penalties, as in the code of He & Lin
        (2016).
    momentum : float, default=0.95
        Momentum; used only by "sgd".
    schedule : {"constant", "linear"}, default="constant"
        "linear" decreases the learning rate to zero, step by step.
    reset : bool, default=False
        Discard the moments after every epoch, as in the code of He & Lin (2016).
    max_change : float, default=0.8
        Maximum distance of a word's vector from its initial value in an encoder,
        divided by its initial length. It preserves the quality for other texts, even in
        long fits, better than a lower learning rate or shrinkage towards the start.
        With None, or with a teacher's vectors, there is no limit, as in the papers.
    vectors_penalty : float, default=0.0
        Lambda_w; half of it is the weight of the squared distance of the vectors from
        their initial values. Vectors of n-grams and characters are pulled towards zero
        instead. With sparse updates, only the vectors in the batch are pulled.
    composition_penalty : float, default=0.0
        Lambda_c, which pulls all other parameters of an encoder, including biases,
        towards zero, or towards values defined by the encoder.
    head_penalty : float, default=0.0
        Lambda_s, which pulls the parameters of a supervised model, except those in its
        encoder, towards zero. Not supported by encoders.
    word_dropout : float, default=0.0
        Fraction of the components of each token's vector that are set to zero in
        training. Negative examples are chosen without dropout. Not supported by
        supervised models.
    scramble : float, default=0.0
        Fraction of the examples whose tokens are shuffled in each epoch. Not supported
        by supervised models.
    ordered_first_epoch : bool, default=False
        Do not shuffle the examples in the first epoch (PPDB is sorted by confidence).

    Examples
    --------
    >>> from skparaphrase.encoders import LSTMEncoder
    >>> from skparaphrase.optimizers import Optimizer
    >>> LSTMEncoder(optimizer=Optimizer("adam", sparse=False), learning_rate=0.001)
    LSTMEncoder(learning_rate=0.001, optimizer=Optimizer(name='adam', sparse=False))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "name": [StrOptions(set(NAMES)), None],
        "sparse": ["boolean"],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "clip_jointly": ["boolean"],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "schedule": [StrOptions({"constant", "linear"})],
        "reset": ["boolean"],
        "max_change": [Interval(Real, 0, None, closed="neither"), None],
        "vectors_penalty": [Interval(Real, 0, None, closed="left")],
        "composition_penalty": [Interval(Real, 0, None, closed="left")],
        "head_penalty": [Interval(Real, 0, None, closed="left")],
        "word_dropout": [Interval(Real, 0, 1, closed="left")],
        "scramble": [Interval(Real, 0, 1, closed="both")],
        "ordered_first_epoch": ["boolean"],
    }

    def __init__(
        self,
        name: str | None = None,
        *,
        sparse: bool = True,
        clip_norm: float | None = None,
        clip_jointly: bool = False,
        momentum: float = 0.95,
        schedule: str = "constant",
        reset: bool = False,
        max_change: float | None = 0.8,
        vectors_penalty: float = 0.0,
        composition_penalty: float = 0.0,
        head_penalty: float = 0.0,
        word_dropout: float = 0.0,
        scramble: float = 0.0,
        ordered_first_epoch: bool = False,
    ) -> None:
        store_parameters(self, locals())

    @property
    def _uses_start(self) -> bool:
        """Whether steps depend on the vectors at the start."""
        return bool(self.vectors_penalty) or self.max_change is not None


#: Shared by the settings of papers: all train with dense updates, without limits.
DENSE: dict[str, Any] = {"sparse": False, "max_change": None}

#: Constraints of the parameters shared by all trained models.
TRAINING_CONSTRAINTS: dict[str, list[Any]] = {
    "optimizer": [StrOptions(set(NAMES)), Optimizer, None],
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "batch_size": [Interval(Integral, 1, None, closed="left")],
    "max_epochs": [Interval(Integral, 0, None, closed="left")],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
    "patience": [Interval(Integral, 1, None, closed="left"), None],
    "warm_start": ["boolean"],
    "device": [str],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}


def check_optimizer(
    optimizer: str | Optimizer | None, own: Optimizer, refused: Iterable[str] = ()
) -> Optimizer:
    """Resolve and validate the parameter `optimizer`; None is the model's default.

    Raises a ValueError if it sets one of the parameters `refused` by the model, on
    which they have no effect.
    """
    if optimizer is None:
        optimizer = own
    elif isinstance(optimizer, str):
        optimizer = Optimizer(optimizer)
    optimizer._validate_params()
    if optimizer.name is None:
        optimizer = Optimizer(**optimizer.get_params() | {"name": own.name})
    for name in refused:
        if value := getattr(optimizer, name):
            raise ValueError(
                f"{name}={value!r} of the optimizer has no effect on this model; "
                "omit it."
            )
    return optimizer
