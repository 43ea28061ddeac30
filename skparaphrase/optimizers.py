"""Optimizers as parameters of trained models."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import DocumentedOnline

__all__ = ["Optimizer"]

NAMES = ("adagrad", "adam", "rmsprop", "sgd")


class Optimizer(DocumentedOnline, BaseEstimator):
    """An update rule and its settings, for the parameter `optimizer` of a model.

    The name alone, such as `optimizer="adam"`, is short for `Optimizer("adam")`, unless
    the model documents other settings. The learning rate is a parameter of the model.

    Parameters
    ----------
    name : {"adagrad", "adam", "rmsprop", "sgd"}, default="adam"
        "adagrad": Duchi et al. (2011), with eps inside the root as in Lasagne. "adam":
        Kingma & Ba (2015). "rmsprop": Tieleman & Hinton (2012), as in Torch. "sgd":
        gradient descent with momentum.
    sparse : bool, default=True
        Update only the vectors and moments of the words in the batch, so that the cost
        of a step does not grow with the vocabulary. False updates all vectors in every
        step, like the papers' code; AdaGrad without a penalty gives the same result.
    clip_norm : float, default=None
        Clip the gradient of each array to this norm. The models of word interaction
        clip all gradients together.
    momentum : float, default=0.95
        Used by "sgd" only.
    schedule : {"constant", "linear"}, default="constant"
        "linear" decreases the learning rate to zero, step by step.
    reset : bool, default=False
        Discard the moments after every epoch, as the code of He & Lin (2016) does.
    max_change : float, default=0.8
        The largest distance of a word's vector from where an encoder started, divided
        by its length there. It keeps what the vectors knew about other texts, however
        long the fit: less is forgotten than by a lower learning rate or by going back a
        part of the way. None, and with a teacher's vectors: no limit, as in the papers.

    Examples
    --------
    >>> from skparaphrase.encoders import LSTMEncoder
    >>> from skparaphrase.optimizers import Optimizer
    >>> LSTMEncoder(optimizer=Optimizer("adam", sparse=False), learning_rate=0.001)
    LSTMEncoder(learning_rate=0.001, optimizer=Optimizer(sparse=False))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "name": [StrOptions(set(NAMES))],
        "sparse": ["boolean"],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "schedule": [StrOptions({"constant", "linear"})],
        "reset": ["boolean"],
        "max_change": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        name: str = "adam",
        *,
        sparse: bool = True,
        clip_norm: float | None = None,
        momentum: float = 0.95,
        schedule: str = "constant",
        reset: bool = False,
        max_change: float | None = 0.8,
    ) -> None:
        self.name = name
        self.sparse = sparse
        self.clip_norm = clip_norm
        self.momentum = momentum
        self.schedule = schedule
        self.reset = reset
        self.max_change = max_change

    def _uses_start(self, penalty: float) -> bool:
        """Whether steps depend on the vectors at the start, given their penalty."""
        return penalty > 0 or self.max_change is not None


_PAPER: dict[str, Any] = {"sparse": False, "max_change": None}
#: For settings of papers, which all train with dense updates and without limits.
DENSE_ADAGRAD: dict[str, Any] = {"optimizer": Optimizer("adagrad", **_PAPER)}
DENSE_ADAM: dict[str, Any] = {"optimizer": Optimizer("adam", **_PAPER)}
CLIPPED_ADAM = {"optimizer": Optimizer("adam", clip_norm=1.0, **_PAPER)}

#: Constraint of the parameter `optimizer`.
OPTIMIZER = [StrOptions(set(NAMES)), Optimizer]

#: Constraints of the parameters that trained models share.
TRAINING_CONSTRAINTS: dict[str, list[Any]] = {
    "optimizer": OPTIMIZER,
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "batch_size": [Interval(Integral, 1, None, closed="left")],
    "max_epochs": [Interval(Integral, 0, None, closed="left")],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
    "patience": [Interval(Integral, 1, None, closed="left"), None],
    "warm_start": ["boolean"],
    "device": [str],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "vectors_penalty": [Interval(Real, 0, None, closed="left")],
    "composition_penalty": [Interval(Real, 0, None, closed="left")],
    "hidden_dim": [Interval(Integral, 1, None, closed="left")],
    "dropout": [Interval(Real, 0, 1, closed="left")],
    "scale": [Interval(Real, 0, None, closed="neither"), None],
    "tokenizer": [callable, None],
    "score_range": [tuple, list, None],
    "n_levels": [Interval(Integral, 2, None, closed="left"), None],
}


def check_optimizer(optimizer: str | Optimizer, **settings: Any) -> Optimizer:
    """Resolve and validate the parameter `optimizer`; a name gets the `settings`."""
    if isinstance(optimizer, str):
        optimizer = Optimizer(optimizer, **settings)
    optimizer._validate_params()
    return optimizer
