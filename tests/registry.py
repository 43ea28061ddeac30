"""Public objects of the package, such as small instances of all encoders."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
import pkgutil
from importlib import import_module

from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils.estimator_checks import check_estimator

import skparaphrase
from skparaphrase import encoders
from skparaphrase.encoders._trained import TrainedEncoder

PUBLIC = [
    "skparaphrase",
    *(
        module.name
        for module in pkgutil.walk_packages(skparaphrase.__path__, "skparaphrase.")
        if not any(part.startswith("_") for part in module.name.split("."))
    ),
]
SMALL = {
    "dim": 4,
    "embedding_dim": 3,
    "filters": [(2, 2), (3, 1)],
    "max_epochs": 1,
    "shrinkage": 0,
    "batch_size": 8,
    "device": "cpu",
    "random_state": 0,
}
OTHERS = {"DistilledEncoder": {"dim": None, "n_subwords": None}}  # than SMALL


def public_classes(module, base=object):
    """The classes among the public names of a module, by name."""
    found = {name: getattr(module, name) for name in module.__all__}
    return {
        name: value
        for name, value in found.items()
        if inspect.isclass(value) and issubclass(value, base)
    }


def classes():
    """All public classes, each once."""
    found = {
        value.__qualname__: value
        for name in PUBLIC
        for value in public_classes(import_module(name)).values()
    }
    return list(found.values())


def estimators():
    """All public classes with parameters like scikit-learn's estimators."""
    return [
        owner
        for owner in classes()
        if issubclass(owner, BaseEstimator)
        and not inspect.isabstract(owner)
        and not issubclass(owner, FrozenEstimator)  # EmbeddingAdapter
    ]


ENCODERS = public_classes(encoders)
TRAINED = public_classes(encoders, TrainedEncoder)


def takes(Estimator, parameter):
    return parameter in inspect.signature(Estimator).parameters


def small(Encoder, vectors, **params):
    """An encoder with few parameters, of `vectors` if it takes word vectors."""
    name = next(name for name in ENCODERS if issubclass(Encoder, ENCODERS[name]))
    given = {"vectors": vectors, **SMALL, **OTHERS.get(name, {})}
    given = {key: value for key, value in given.items() if takes(Encoder, key)}
    return Encoder(**{**given, **params})


def check(estimator, expected_failures):
    """Run scikit-learn's common checks; those that should fail must."""
    results = check_estimator(
        estimator, expected_failed_checks=expected_failures, on_skip=None
    )
    assert len(results) >= 40
    for result in results:
        if result["expected_to_fail"]:
            assert result["status"] == "xfail", result["check_name"]
