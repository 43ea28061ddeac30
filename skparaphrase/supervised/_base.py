"""Supervised training: the estimator around the loop of `nn`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils import Tags

from skparaphrase._compat import HasMethods, Interval, StrOptions
from skparaphrase._paper import PaperSettings
from skparaphrase._saving import SavedInFolders
from skparaphrase.supervised._network import Network
from skparaphrase.supervised._settings import SETTINGS


class SupervisedModel(PaperSettings, SavedInFolders, Network):
    """Base of models that learn scores or classes of texts or pairs through an encoder.

    A subclass says what the targets of the head are, and what its outputs mean.
    """

    _settings = SETTINGS

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": [HasMethods(["transform"]), None],
        "hidden_dim": [Interval(Integral, 1, None, closed="left")],
        "projection_dim": [Interval(Integral, 1, None, closed="left"), None],
        "train_projection": ["boolean"],
        "normalize": ["boolean"],
        "scale": [Interval(Real, 0, None, closed="neither"), None],
        "freeze": [StrOptions({"vectors", "encoder"}), None],
        "prior": [StrOptions({"universal"}), None],
        "optimizer": [StrOptions({"adagrad", "adam", "sgd"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "max_epochs": [Interval(Integral, 0, None, closed="left")],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "vectors_penalty": [Interval(Real, 0, None, closed="left")],
        "composition_penalty": [Interval(Real, 0, None, closed="left")],
        "head_penalty": [Interval(Real, 0, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "patience": [Interval(Integral, 1, None, closed="left"), None],
        "sparse_updates": ["boolean"],
        "warm_start": ["boolean"],
        "device": [str],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(self, **params: Any) -> None:
        self.__dict__.update(params)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = self._n_texts == 1
        tags.input_tags.two_d_array = False
        return tags
