"""What a fit is, in a few lines that another process can compare."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any
from zlib import crc32

import numpy as np

from skparaphrase.vectors import WordFrequencies, WordVectors

Identity = dict[str, Any]

_PLAIN = (str, int, float, bool, type(None))
_LEFT_OUT = {"device", "random_state", "verbose", "warm_start"}


def fit_identity(
    estimator: Any, *, seed: Any, start: Any, data: Mapping[str, Any]
) -> Identity:
    """What decides the result of a fit.

    Parameters
    ----------
    estimator : estimator
        Its parameters count, but for `max_epochs`, which may be raised where the
        learning rate does not follow from it, and those that only say how to run.

    seed : int or None
        Of this fit.

    start : object
        The fitted state that it goes on from, or None.

    data : dict of str to object
        What it learns from; the names are for messages.

    Returns
    -------
    identity : dict
        For JSON.
    """
    parameters = estimator.get_params(deep=False)
    left_out = _LEFT_OUT
    if parameters.get("schedule") != "linear":
        left_out = left_out | {"max_epochs"}
    return {
        "estimator": type(estimator).__name__,
        "parameters": {
            name: _shown(value)
            for name, value in parameters.items()
            if name not in left_out
        },
        "random_state": seed,
        "the fitted state that it goes on from": None
        if start is None
        else fingerprint(start),
        **{name: fingerprint(value) for name, value in data.items()},
    }


def differences(before: Identity, now: Identity) -> list[str]:
    """What is not the same, in words."""
    if before.get("estimator") != now["estimator"]:
        return [f"it is of {before.get('estimator')}, not {now['estimator']}"]
    old, new = before.get("parameters", {}), now["parameters"]
    found = [
        f"{name} was {old.get(name)!r} and is {new.get(name)!r}"
        for name in sorted({*old, *new})
        if not _same(old.get(name), new.get(name))
    ]
    found += [
        f"{name} differ" if name.endswith("s") else f"{name} differs"
        for name in now
        if name not in ("estimator", "parameters") and before.get(name) != now[name]
    ]
    return found


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)  # NaN equals NaN, 1 is not 1.0


def digest(identity: Identity) -> str:
    """A name for a fit."""
    return f"{crc32(json.dumps(identity, sort_keys=True).encode()):08x}"


def _shown(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, _PLAIN):
        return value
    return f"{type(value).__name__} {fingerprint(value)}"


def fingerprint(value: Any) -> str:
    """A checksum of arrays, texts, tables, estimators, and what is made of them.

    Equal things have equal fingerprints in every process. Of a thing of another kind
    only the name of its class counts.
    """
    return f"{_mixed(0, value):08x}"


def _mixed(crc: int, value: Any) -> int:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, _PLAIN):
        return _text(crc, f"{type(value).__name__} {value!r}")
    if isinstance(value, type):
        return _text(crc, f"{value.__module__}.{value.__qualname__}")
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            return _each(crc, value.ravel().tolist(), f"{value.shape}")
        crc = _text(crc, f"{value.dtype.str} {value.shape}")
        return crc32(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data, crc)
    if isinstance(value, np.random.RandomState):
        return _mixed(crc, value.get_state(legacy=False))
    if isinstance(value, WordVectors):
        parts = (value.words, value.matrix, value.scale, value.unknown)
        return _each(crc, parts, "WordVectors")
    if isinstance(value, WordFrequencies):
        return _each(crc, ({**value}, value.total), "WordFrequencies")
    if isinstance(value, Mapping):
        items = sorted(value.items(), key=lambda item: str(item[0]))
        return _each(crc, (part for item in items for part in item), "mapping")
    if isinstance(value, Sequence):
        try:
            joined = "\0".join(value)
        except TypeError:
            return _each(crc, value, str(len(value)))
        return _text(crc, f"{len(value)} texts {joined}")
    if hasattr(value, "__array__"):  # a tensor, a column of a frame
        return _mixed(crc, np.asarray(value))
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if is_dataclass(value):
        return _each(crc, (getattr(value, f.name) for f in fields(value)), name)
    if hasattr(value, "get_params"):
        fitted = {
            key: part
            for key, part in vars(value).items()
            if key.endswith("_") and not key.startswith("_")
        }
        return _each(crc, (value.get_params(deep=False), fitted), name)
    if callable(value):
        own = getattr(value, "__qualname__", name)
        return _text(crc, f"{getattr(value, '__module__', '')}.{own}")
    return _text(crc, name)


def _each(crc: int, values: Iterable[Any], name: str) -> int:
    crc = _text(crc, name)
    for value in values:
        crc = _mixed(crc, value)
    return crc


def _text(crc: int, text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"), crc)
