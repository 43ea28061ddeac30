"""Fitted models in folders: JSON, words and arrays, no pickle."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import re
from collections.abc import Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from sklearn.frozen import FrozenEstimator

from skparaphrase.storage._folders import (
    load_arrays,
    new_folder,
    read_folder,
    read_metadata,
    refuse_damage,
    write_metadata,
)
from skparaphrase.text import TOKEN_PATTERNS
from skparaphrase.vectors import WordFrequencies, WordVectors

_FORMAT_VERSION = 2
_MODELS = ("encoders", "interaction", "search", "supervised", "tagging")
_SETTINGS = ("losses", "optimizers", "text")  # modules of parameter objects
_LABEL_BYTES = 2**26  # of an array of labels
_MAPPINGS = "class_weight", "weights"  # of labels, of words
_PLAIN = (str, int, float, bool, type(None))


def save(self: Any, folder: str | PathLike[str]) -> None:
    """Save the fitted model to a folder, for :func:`skparaphrase.load`.

    JSON, the words, and arrays in safetensors; no pickle. The folder appears whole or
    not at all, and replaces an earlier one. The state of the optimizer is not saved,
    and a `RandomState` parameter is saved as None.

    Parameters
    ----------
    folder : path-like

    Raises
    ------
    ValueError
        If a parameter cannot be stored safely, such as a function or a loss of your
        own.
    """
    kind = type(self).__name__
    if kind not in _classes(_MODELS):
        raise ValueError(
            f"{kind} cannot be saved without pickle: only classes of skparaphrase can. "
            "Save the model with joblib or skops instead."
        )
    parameters = self.get_params(deep=False)
    kept: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    objects = {}
    frozen = []
    same = {}
    with new_folder(folder) as new:
        for name, value in parameters.items():
            if name == "init" or isinstance(value, np.random.RandomState):
                kept[name] = None  # the effect of `init` is in the fitted state
            elif isinstance(value, FrozenEstimator):
                frozen.append(name)
                save(value.estimator, new / name)
            elif _is_settings_object(value):
                params = value.get_params(deep=False)
                objects[name] = {
                    "kind": type(value).__name__,
                    "parameters": {k: _plain(v) for k, v in params.items()},
                }
            elif hasattr(value, "get_params"):
                save(value, new / name)
            elif isinstance(value, WordVectors):
                value.save(new / name)
            elif name in _MAPPINGS and isinstance(value, Mapping):
                kept[name] = [[_plain(k), _plain(v)] for k, v in value.items()]
            elif isinstance(value, (WordFrequencies, dict)):
                WordFrequencies.check(value).save(new / f"{name}.json")
            elif isinstance(value, (*_PLAIN, np.generic)):
                kept[name] = _plain(value)
            elif isinstance(value, (tuple, list, range, np.ndarray)):
                kept[name] = np.asarray(value).tolist()
            else:
                raise ValueError(
                    f"{name}={value!r} cannot be saved without pickle; save a whole "
                    "pipeline with joblib or skops instead."
                )
        for name, value in fitted_attributes(self).items():
            given = parameters.get(name[:-1])
            is_model = hasattr(value, "get_params")
            if is_model and (value is given or value is getattr(given, "estimator", 0)):
                same[name] = name[:-1]
            elif is_model:
                save(value, new / name)
            elif isinstance(value, WordVectors):
                value.save(new / name)
            elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
                arrays[name] = np.ascontiguousarray(value)
            elif isinstance(value, np.ndarray):  # of labels
                attributes[name] = {
                    "labels": [_plain(label) for label in value.tolist()],
                    "dtype": str(value.dtype),
                }
            elif isinstance(value, dict):
                arrays.update({f"{name}/{key}": value[key] for key in value})
            else:
                attributes[name] = value
        if arrays:
            save_file(arrays, new / "arrays.safetensors")
        write_metadata(
            new,
            kind=kind,
            version=_FORMAT_VERSION,
            parameters=kept,
            objects=objects,
            attributes=attributes,
            frozen=frozen,
            same=same,  # fitted attributes that are a parameter
        )


def load(
    folder: str | PathLike[str], *, trust_patterns: bool = False, verify: bool = False
) -> Any:
    """Load a model that was written by its method `save`.

    Only classes of skparaphrase are instantiated, and nothing is unpickled.

    Parameters
    ----------
    folder : path-like
    trust_patterns : bool, default=False
        Accept a `WordTokenizer` with a regular expression of its author, which can be
        made such that it never ends on some texts. The named patterns always load.
    verify : bool, default=False
        Also compare the checksums of word vectors of more than 16 MB, which takes a
        second per GB. Those of all other files are always compared.

    Returns
    -------
    model : estimator instance
        Its word vectors are memory-mapped.

    Raises
    ------
    FileNotFoundError, ValueError
        If the folder was not written by `save`, is damaged, of another version, or has
        a pattern that is not trusted.

    Examples
    --------
    >>> import tempfile
    >>> import skparaphrase
    >>> from skparaphrase.encoders import SIFEncoder
    >>> encoder = SIFEncoder(a=1e-4).fit(["A cat sleeps."])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     encoder.save(f"{folder}/sif")
    ...     skparaphrase.load(f"{folder}/sif")
    SIFEncoder(a=0.0001)
    """
    options = {"trust_patterns": trust_patterns, "verify": verify}
    return read_folder(Path(folder), _load, **options)


def _load(folder: Path, *, trust_patterns: bool, verify: bool) -> Any:
    kinds = list(_classes(_MODELS))
    metadata = read_metadata(folder, kind=kinds, version=_FORMAT_VERSION)
    if metadata["version"] < _FORMAT_VERSION:
        raise ValueError(
            f"{folder} was saved by the first edition of skparaphrase (0.1.0.dev0, "
            f"format version {metadata['version']}), whose models had other "
            "parameters. Fit and save the model again."
        )
    with refuse_damage(folder):
        parameters = dict(metadata["parameters"])
        attributes = {
            name: _labels(**value) if isinstance(value, dict) else value
            for name, value in metadata["attributes"].items()
        }
        for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
            values = attributes if inner.name.endswith("_") else parameters
            if inner.name in ("vectors", "vectors_"):
                values[inner.name] = WordVectors.load(inner, verify=verify)
            else:
                values[inner.name] = _load(
                    inner, trust_patterns=trust_patterns, verify=verify
                )
        for name, parameter in metadata.get("same", {}).items():
            attributes[name] = parameters[parameter]
        for name in metadata.get("frozen", []):
            parameters[name] = FrozenEstimator(parameters[name])
        for name, content in metadata["objects"].items():
            parameters[name] = _instantiate(_SETTINGS, **content)
            pattern = getattr(parameters[name], "pattern", "words")
            if pattern not in TOKEN_PATTERNS and not trust_patterns:
                raise ValueError(
                    f"its tokenizer has the regular expression {pattern!r:.200}, which "
                    "may never end on some texts. If you trust its author, load it "
                    "with trust_patterns=True"
                )
        for name in _MAPPINGS:
            if isinstance(parameters.get(name), list):
                parameters[name] = dict(parameters[name])
        if os.path.lexists(path := folder / "frequencies.json"):
            parameters["frequencies"] = WordFrequencies.load(path)
        if os.path.lexists(path := folder / "arrays.safetensors"):
            arrays = load_arrays(path)
            for name, array in arrays.items():
                if not np.isfinite(array).all():
                    raise ValueError(f"{path} is damaged: {name!r} is not finite")
            attributes.update(_nested(arrays))
        model = _instantiate(_MODELS, metadata["kind"], parameters)
        if "vectors_" in attributes and "loss_curve_" in attributes:
            attributes.setdefault("parameters_", {})  # of an average
        if bad := [name for name in attributes if not _is_fitted(name)]:
            raise ValueError(f"{bad[0]!r} is not the name of a fitted attribute")
    vars(model).update(attributes)
    return model


def fitted_attributes(estimator: Any) -> dict[str, Any]:
    """What `fit` has learned, by the names that scikit-learn gives it."""
    return {name: value for name, value in vars(estimator).items() if _is_fitted(name)}


def _is_fitted(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _labels(labels: list[Any], dtype: str) -> NDArray[Any]:
    """The array of labels that `save` has written as a list."""
    if not isinstance(labels, list) or not re.fullmatch(r"object|[<>]U\d{1,9}", dtype):
        raise ValueError(f"labels of type {dtype!r}")
    if np.dtype(dtype).itemsize * len(labels) > _LABEL_BYTES:
        raise ValueError(f"{len(labels)} labels of type {dtype!r} are too large")
    found = np.empty(len(labels), dtype)
    found[:] = labels
    return found


def _classes(modules: tuple[str, ...]) -> dict[str, str]:
    """The module of each public class of parameters of some modules, by name."""
    imported = {module: import_module(f"skparaphrase.{module}") for module in modules}
    return {
        name: module
        for module, content in imported.items()
        for name in content.__all__
        if hasattr(getattr(content, name), "get_params")
    }


def _is_settings_object(value: Any) -> bool:
    module = type(value).__module__.split(".")
    return module[0] == "skparaphrase" and module[1] in _SETTINGS


def _instantiate(
    modules: tuple[str, ...], kind: str, parameters: dict[str, Any]
) -> Any:
    """An object of a public class of some modules."""
    module = import_module(f"skparaphrase.{_classes(modules)[kind]}")
    return getattr(module, kind)(**parameters)


def _plain(value: Any) -> Any:
    """A value that JSON can represent."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, _PLAIN):
        raise ValueError(
            f"{value!r} ({type(value).__name__}) cannot be saved without pickle; save "
            "the model with joblib or skops instead."
        )
    return value


def _nested(arrays: dict[str, Any]) -> dict[str, Any]:
    """Arrays "parameters_/name" in a dict of their own."""
    found: dict[str, Any] = {}
    for name, array in arrays.items():
        group, _, key = name.partition("/")
        if key:
            found.setdefault(group, {})[key] = array
        else:
            found[name] = array
    return found
