"""Fitted models in folders of JSON, words and arrays, without pickle."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from skparaphrase._typing import Arrays, FilePath
from skparaphrase.storage import _folders
from skparaphrase.storage._vectorizers import (
    VECTORIZERS,
    plain,
    read_vectorizer,
    untrusted_pattern,
    write_vectorizer,
)
from skparaphrase.text._tokenizer import TOKEN_PATTERNS

_MODELS = ("encoders", "search", "supervised")
_SETTINGS = ("losses", "optimizers", "text")  # modules with classes of parameters
_ARRAYS = "arrays.safetensors"
_MAPPED = "float32", "float64", "uint8", "int64"  # data types of large arrays


@dataclass
class _Folder:
    """A folder that is written or read.

    Attributes
    ----------
    path : Path
    arrays : dict of str to ndarray
        The content of the file for small arrays.
    trusted, verify : bool
        Parameters of :func:`load`.
    """

    path: Path
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    trusted: bool = False
    verify: bool = False

    def read_model(self, name: str) -> Any:
        """Load the model in an inner folder; a ValueError if it is a link."""
        path = self.path / name
        if path.is_symlink():
            raise ValueError(f"{name} is a link to a folder; copy the folder")
        return _load(path, trusted=self.trusted, verify=self.verify)

    def write_json(self, name: str, content: object) -> None:
        text = json.dumps(content)
        (self.path / f"{name}.json").write_text(text, encoding="ascii")

    def read_json(self, name: str) -> Any:
        path = _folders.checked_file(self.path / f"{name}.json")
        return json.loads(path.read_bytes())


class _Type(NamedTuple):
    """A type of parameters and attributes that are not scalars or lists of them.

    `write` takes a folder, a name and a value, and returns its entry in the metadata;
    `read` takes a folder, the name and this entry.
    """

    includes: Callable[[Any], bool]
    write: Callable[[_Folder, str, Any], Any]
    read: Callable[[_Folder, str, Any], Any]


def _module(name: str) -> Any:
    return import_module(f"skparaphrase.{name}")  # most of these import this module


@cache
def _classes(modules: tuple[str, ...]) -> dict[str, Any]:
    """The classes that a folder may contain: public classes of some modules."""
    return {
        name: getattr(module, name)
        for module in map(_module, modules)
        for name in module.__all__
        if hasattr(getattr(module, name), "get_params")
    }


def _write_settings(folder: _Folder, name: str, value: BaseEstimator) -> Any:
    params = value.get_params(deep=False)
    return [type(value).__name__, {k: plain(v) for k, v in params.items()}]


def _read_settings(folder: _Folder, name: str, content: list[Any]) -> Any:
    kind, parameters = content
    settings = _find_class(_SETTINGS, kind, parameters)(**parameters)
    pattern = getattr(settings, "pattern", "words")
    if pattern not in TOKEN_PATTERNS and not folder.trusted:
        raise ValueError(untrusted_pattern(folder.path, pattern))
    return settings


def _write_arrays(folder: _Folder, name: str, value: Arrays) -> list[str]:
    folder.arrays |= {f"{name}/{key}": array for key, array in value.items()}
    return list(value)


def _read_arrays(folder: _Folder, name: str, content: list[str]) -> Any:
    return {key: folder.arrays[f"{name}/{key}"] for key in content}


def _write_mapping(folder: _Folder, name: str, value: Mapping[Any, Any]) -> None:
    folder.write_json(name, [[plain(k), plain(v)] for k, v in value.items()])


def _read_mapping(folder: _Folder, name: str, content: None) -> Any:
    return dict(folder.read_json(name))


def _write_counts(folder: _Folder, name: str, value: Any) -> None:
    folder.write_json(name, {"counts": dict(value), "total": value.total})


def _read_counts(folder: _Folder, name: str, content: None) -> Any:
    with _folders.refuse_corruption(folder.path / f"{name}.json"):
        return _module("vectors").WordFrequencies(**folder.read_json(name))


def _write_labels(folder: _Folder, name: str, value: NDArray[Any]) -> Any:
    labels = value.tolist()
    if tuple in map(type, labels):
        raise ValueError(f"{name} contains tuples; save supports numbers and strings.")
    return [str(value.dtype), plain(labels)]


def _read_labels(folder: _Folder, name: str, content: list[Any]) -> Any:
    dtype, labels = content
    return np.array(labels, object if dtype == "object" else str)


def _write_array(folder: _Folder, name: str, value: NDArray[Any]) -> bool:
    is_mapped = str(value.dtype) in _MAPPED and _folders.is_large(value.nbytes)
    if is_mapped:
        np.save(folder.path / f"{name}.npy", value)
    else:
        folder.arrays[name] = value
    return is_mapped


def _read_array(folder: _Folder, name: str, is_mapped: bool) -> Any:
    if not is_mapped:
        return folder.arrays[name]
    # Items of a view of a memmap are read several times faster.
    return np.asarray(_folders.load_array(folder.path / f"{name}.npy", *_MAPPED))


def _write_table(folder: _Folder, name: str, value: Any) -> Any:
    storage = _module("vectors._storage")
    reference = storage.bundled_reference(value)
    if reference is not None:
        return reference
    changes = _module("vectors._rows").find_changes(value)
    if changes is not None:  # reference to a bundled table
        names = _write_arrays(folder, name, changes._asdict())
        return [*storage.bundled_reference(value._base), names]
    return storage.save_word_vectors(value, folder.path / name)


def _read_table(folder: _Folder, name: str, reference: list[Any] | None) -> Any:
    if reference is not None:
        table = _module("vectors._storage").referred(*reference[:3])
        for names in reference[3:]:
            changes = _read_arrays(folder, name, names)
            table = _module("vectors._rows").apply_changes(table, **changes)
        return table
    table = folder.read_model(name)
    if not isinstance(table, _module("vectors").WordVectors):
        raise ValueError(f"{name} does not contain word vectors")
    return table


def _write_pipeline(folder: _Folder, name: str, value: Pipeline) -> Any:
    steps = enumerate(value.steps)
    return [[k, _write(folder, f"{name}_{i}", step)] for i, (k, step) in steps]


def _read_pipeline(folder: _Folder, name: str, content: list[Any]) -> Any:
    steps = enumerate(content)
    return Pipeline([(k, _read(folder, f"{name}_{i}", step)) for i, (k, step) in steps])


# The first type that matches a value is used.
_TYPES: dict[str, _Type] = {
    "settings": _Type(
        lambda value: type(value) in _classes(_SETTINGS).values(),
        _write_settings,
        _read_settings,
    ),
    "frozen": _Type(
        lambda value: isinstance(value, FrozenEstimator),
        lambda folder, name, value: _write(folder, name, value.estimator),
        lambda folder, name, content: FrozenEstimator(_read(folder, name, content)),
    ),
    "pipeline": _Type(
        lambda value: isinstance(value, Pipeline), _write_pipeline, _read_pipeline
    ),
    "vectorizer": _Type(
        lambda value: type(value).__name__ in VECTORIZERS,
        write_vectorizer,
        read_vectorizer,
    ),
    "model": _Type(
        lambda value: hasattr(value, "get_params"),
        lambda folder, name, value: save(value, folder.path / name),
        lambda folder, name, content: folder.read_model(name),
    ),
    "counts": _Type(
        lambda value: isinstance(value, _module("vectors").WordFrequencies),
        _write_counts,
        _read_counts,
    ),
    "table": _Type(
        lambda value: isinstance(value, _module("vectors").WordVectors),
        _write_table,
        _read_table,
    ),
    "arrays": _Type(
        lambda value: (
            isinstance(value, dict)
            and any(isinstance(each, np.ndarray) for each in value.values())
        ),
        _write_arrays,
        _read_arrays,
    ),
    "mapping": _Type(
        lambda value: isinstance(value, Mapping), _write_mapping, _read_mapping
    ),
    "array": _Type(
        lambda value: isinstance(value, np.ndarray) and value.dtype.kind in "biuf",
        _write_array,
        _read_array,
    ),
    "labels": _Type(
        lambda value: isinstance(value, np.ndarray), _write_labels, _read_labels
    ),
}


def save(self: BaseEstimator, folder: FilePath) -> None:
    """Save the fitted model to a folder; :func:`skparaphrase.load` loads it.

    The folder contains JSON, words and arrays, but no pickle. It is written completely
    or not at all, and replaces an earlier one. If word vectors were trained from a
    bundled table, only the changed rows and the added words are saved. The state of the
    optimizer is not saved. A `RandomState` parameter, or a function as `vectors`, is
    saved as None.

    Parameters
    ----------
    folder : path-like

    Raises
    ------
    ValueError
        If a parameter is invalid or cannot be stored safely, such as a function or a
        custom loss.
    """
    kind = type(self).__name__
    if type(self) is not _classes(_MODELS).get(kind):
        raise ValueError(
            f"{kind} cannot be saved without pickle: only classes of skparaphrase can. "
            "Save the model with joblib or skops instead."
        )
    self._validate_params()
    parameters = self.get_params(deep=False)
    had_init = parameters.get("init") is not None and hasattr(self, "_forget_init")
    for name, value in parameters.items():
        is_lost_init = name == "init" and had_init  # its effect is in the fitted state
        is_teacher = name == "vectors" and callable(value)  # only called by fit
        if is_lost_init or is_teacher or isinstance(value, np.random.RandomState):
            parameters[name] = None
    attributes, same = {}, []
    for name, value in self.__getstate__().items():
        if not _is_fitted(name):
            continue
        parameter = parameters.get(name[:-1])
        is_same = value is parameter or value is getattr(parameter, "estimator", None)
        if hasattr(value, "get_params") and is_same:
            same.append(name)
        else:
            attributes[name] = value
    with _folders.new_folder(folder) as new:
        inside = _Folder(new)
        content = {
            "parameters": {k: _write(inside, k, v) for k, v in parameters.items()},
            "attributes": {k: _write(inside, k, v) for k, v in attributes.items()},
            "same": same,  # attributes that equal the parameter of this name
            "had_init": had_init,
            "default_table": _default_table(self),
        }
        if inside.arrays:
            _folders.write_safetensors(new / _ARRAYS, inside.arrays)
        _folders.write_metadata(new, kind=kind, **content)


def load(folder: FilePath, *, trusted: bool = False, verify: bool = False) -> Any:
    """Load a model written by its method `save`, or a table of word vectors.

    Tables are written by :func:`~skparaphrase.vectors.save_word_vectors`. Only classes
    of skparaphrase are instantiated, and nothing is unpickled.

    Parameters
    ----------
    folder : path-like
    trusted : bool, default=False
        If True, accept a `WordTokenizer` or a vectorizer with a custom regular
        expression. In a folder from an untrusted source, such an expression may have
        been crafted to run forever on some texts.
    verify : bool, default=False
        If True, also verify the checksums of word vectors of more than 16 MB, which
        takes a second per GB. The checksums of all other files are always verified.

    Returns
    -------
    model : estimator instance or WordVectors
        Large word vectors are memory-mapped.

    Raises
    ------
    FileNotFoundError, ValueError
        If the folder was not written by this version of skparaphrase, is corrupt,
        contains links to folders, or has a pattern that is not trusted.

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
    return _folders.read_folder(Path(folder), _load, trusted=trusted, verify=verify)


def _load(folder: Path, *, trusted: bool, verify: bool) -> Any:
    kinds = [*_classes(_MODELS), "WordVectors"]
    metadata = _folders.read_metadata(folder, kinds, verify=verify)
    if metadata["kind"] == "WordVectors":
        return _module("vectors._storage").load_table(folder, metadata, verify=verify)
    inside = _Folder(folder, trusted=trusted, verify=verify)
    with _folders.refuse_corruption(folder):
        if _ARRAYS in metadata["files"]:
            inside.arrays = _folders.read_safetensors(folder / _ARRAYS)
        kind = _find_class(_MODELS, metadata["kind"], metadata["parameters"])
        parameters = {k: _read(inside, k, v) for k, v in metadata["parameters"].items()}
        model = kind(**parameters)
        model._validate_params()
        if metadata.get("default_table") is not None:
            _module("vectors._storage").referred(*metadata["default_table"])
        for name in (*metadata["attributes"], *metadata["same"]):
            if not _is_fitted(name):
                raise ValueError(f"{name!r} is not the name of a fitted attribute")
        read = {k: _read(inside, k, v) for k, v in metadata["attributes"].items()}
        state = vars(model) | read
        for name in metadata["same"]:
            parameter = parameters[name[:-1]]
            state[name] = getattr(parameter, "estimator", parameter)  # unfrozen
        model.__setstate__(state)
        if metadata["had_init"] and hasattr(model, "_forget_init"):
            model._forget_init()
    return model


def _default_table(model: BaseEstimator) -> Any:
    """The reference to the table of `vectors=None`, if the fitted model needs it."""
    name = getattr(model, "_default_table", None)
    if name is None or model.vectors is not None or hasattr(model, "vectors_"):
        return None
    storage = _module("vectors._storage")
    return storage.bundled_reference(storage.bundled(name))


def _write(folder: _Folder, name: str, value: Any) -> Any:
    """The entry of a value in the metadata; {type: entry} for an object."""
    for kind, each in _TYPES.items():
        if each.includes(value):
            return {kind: each.write(folder, name, value)}
    try:
        return plain(value)
    except ValueError as error:
        raise ValueError(f"{name}={error}") from None


def _read(folder: _Folder, name: str, content: Any) -> Any:
    """Restore the value of an entry in the metadata."""
    if not isinstance(content, dict):
        return content
    ((kind, inner),) = content.items()
    return _TYPES[kind].read(folder, name, inner)


def _is_fitted(name: str) -> bool:
    return re.fullmatch(r"[a-z]\w*_", name, re.ASCII) is not None


def _find_class(
    modules: tuple[str, ...], kind: str, parameters: dict[str, Any]
) -> Callable[..., Any]:
    """The public class with a name; it must have these parameters."""
    if kind not in _classes(modules):
        raise ValueError(f"there is no public class {kind!r}")
    found: Callable[..., Any] = _classes(modules)[kind]
    for name in parameters:
        if name not in signature(found).parameters:
            raise ValueError(
                f"{kind} has no parameter {name!r}; load the model with the version of "
                "skparaphrase that wrote it"
            )
    return found
