"""What decides the result of a fit, for comparison with that of a checkpoint."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from collections.abc import Collection, Mapping, Set
from dataclasses import fields, is_dataclass
from pickle import PicklingError
from typing import Any

import joblib
import numpy as np

from skparaphrase.optimizers import check_optimizer
from skparaphrase.storage._models import fitted_attributes
from skparaphrase.vectors import WordFrequencies, WordVectors

Identity = dict[str, Any]

_PLAIN = (str, int, float, bool, type(None))
_FEW = 100  # numbers that are not worth a hash of their own
_LEFT_OUT = {"device", "random_state", "verbose", "warm_start"}


def fit_identity(estimator: Any, data: Mapping[str, Any]) -> Identity:
    """Describe all that decides the result of a fit, for JSON.

    It contains all parameters, except those that only say how to run, and `max_epochs`
    if the learning rate does not depend on it; the seed, if `random_state` is set; and
    the fingerprints of `data`, by name.
    """
    parameters = estimator.get_params(deep=False)
    left_out = _LEFT_OUT
    settings = getattr(estimator, "_optimizer_settings", {})
    if check_optimizer(parameters["optimizer"], **settings).schedule != "linear":
        left_out = left_out | {"max_epochs"}
    return {
        "estimator": type(estimator).__name__,
        "parameters": {
            name: _shown(value)
            for name, value in parameters.items()
            if name not in left_out
        },
        "random_state": None if estimator.random_state is None else estimator._seed,
        **{name: fingerprint(value) for name, value in data.items()},
    }


def differences(before: Identity, now: Identity) -> list[str]:
    """Describe the differences between two fits in words."""
    if before.get("estimator") != now["estimator"]:
        return [f"the model was {before.get('estimator')} and is {now['estimator']}"]
    old, new = before.get("parameters", {}), now["parameters"]
    found = [
        f"{name} was {old.get(name)!r} and is {new.get(name)!r}"
        for name in sorted({*old, *new})
        # NaN equals NaN here, and 1 is not 1.0.
        if json.dumps(old.get(name)) != json.dumps(new.get(name))
    ]
    found += [
        f"{name} differ" if name.endswith("s") else f"{name} differs"
        for name in now
        if name not in ("estimator", "parameters") and before.get(name) != now[name]
    ]
    return found


def _shown(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, _PLAIN):
        return value
    return f"{type(value).__name__} {fingerprint(value)}"


def fingerprint(value: Any) -> str:
    """Hash arrays, texts, tables, estimators, and collections of them to 64 bits.

    Equal objects have equal fingerprints in every process, whether arrays are mapped or
    in memory. Functions count by their names, and other objects by what is pickled.
    """
    return _hash(repr(_comparable(value)))


def _hash(value: Any) -> str:
    return str(joblib.hash(value, hash_name="sha1"))[:16]  # takes half as long as MD5


def _state(estimator: Any) -> dict[str, Any]:
    """What an estimator has learned, some of which may be private."""
    if hasattr(estimator, "save"):
        return fitted_attributes(estimator)
    # TfidfVectorizer keeps its weights in `_tfidf`, and an `id` in `_stop_words_id`.
    return {
        name: value
        for name, value in vars(estimator).items()
        if not (name.startswith("_") and isinstance(value, _PLAIN))
    }


def _comparable(value: Any) -> Any:
    """Reduce an object to lists of numbers and strings.

    `joblib.hash` itself distinguishes a shared object from equal copies, and a view
    with strides or a memmap from an array.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, type):
        return ["class", f"{value.__module__}.{value.__qualname__}"]
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            return ["objects", [*value.shape], _comparable(value.ravel().tolist())]
        flat = np.asarray(value, order="C").ravel()
        numbers = flat.tolist() if flat.size < _FEW else _hash(flat)
        return ["array", value.dtype.str, [*value.shape], numbers]
    if hasattr(value, "__array__"):  # a tensor, or a column of a frame
        return _comparable(np.asarray(value))
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, WordVectors):
        return [name, _comparable(value.__getstate__())]
    if isinstance(value, WordFrequencies):
        return [name, _comparable(vars(value))]
    if isinstance(value, np.random.RandomState):
        return [name, _comparable(value.get_state(legacy=False))]
    if is_dataclass(value):
        return [name, [_comparable(getattr(value, f.name)) for f in fields(value)]]
    if hasattr(value, "get_params"):
        return [name, _comparable({**value.get_params(deep=False), **_state(value)})]
    if isinstance(value, Mapping):
        items = [[_comparable(key), _comparable(value[key])] for key in value]
        return ["mapping", sorted(items, key=lambda item: repr(item[0]))]
    if isinstance(value, Set):
        return ["set", sorted(map(_comparable, value), key=repr)]
    if isinstance(value, Collection) and not isinstance(value, bytes):
        parts = [*value]
        if {*map(type, parts)} - {str}:  # texts are many, and comparable as they are
            parts = [_comparable(part) for part in parts]
        return ["sequence", parts]
    try:
        return [name, _hash(value)]
    except (AttributeError, PicklingError, TypeError):  # a lambda, for example
        return [name, getattr(value, "__qualname__", "")]
