"""Fitted models in folders: JSON, words and arrays, no pickle."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from inspect import signature
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from skparaphrase._compat import validate_parameter_constraints
from skparaphrase.storage._folders import (
    is_large,
    load_array,
    load_arrays,
    new_folder,
    read_folder,
    read_kind,
    read_metadata,
    refuse_damage,
    save_arrays,
    write_metadata,
)
from skparaphrase.text import TOKEN_PATTERNS

_FORMAT_VERSION = 2
_MODELS = ("encoders", "interaction", "search", "supervised", "tagging")
_SETTINGS = ("losses", "optimizers", "text")  # modules of parameter objects
_TABLES = ("vectors",)  # whose classes load themselves
_ARRAYS = "arrays.safetensors"
_MAPPED = "float32", "float16", "int8", "uint8", "int64"  # arrays of search
_MOST_ENTRIES = 1000  # of a folder; models have a dozen
_MOST_DEPTH = 16  # of folders in folders; models have four
_LABEL_BYTES = 2**26  # of an array of labels
_MAPPINGS = "class_weight", "weights"  # of labels, of words; others are word counts
_PLAIN = (str, int, float, bool, type(None))
# Parameters of the second edition that some classes no longer have. They only decided
# how a fit went: without them, a fitted model is the same.
_DROPPED = ("a", "frequencies", "scale", "scramble", "weighting", "word_dropout")


def save(self: Any, folder: str | PathLike[str]) -> None:
    """Save the fitted model to a folder, for :func:`skparaphrase.load`.

    It contains JSON, words and arrays, and no pickle. The folder is written whole or
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
    if type(self) is not _classes(_MODELS).get(kind):
        raise ValueError(
            f"{kind} cannot be saved without pickle: only classes of skparaphrase can. "
            "Save the model with joblib or skops instead."
        )
    given = self.get_params(deep=False)
    parameters: dict[str, Any] = {}
    objects = {}
    attributes: dict[str, Any] = {}
    frozen = []
    same = {}
    bundled = {}
    tables = import_module("skparaphrase.vectors._bundled")
    with new_folder(folder) as new:
        for name, value in given.items():
            if name == "init" or isinstance(value, np.random.RandomState):
                parameters[name] = None  # the effect of `init` is in the fitted state
            elif isinstance(value, FrozenEstimator):
                frozen.append(name)
                save(value.estimator, new / name)
            elif type(value) in _classes(_SETTINGS).values():
                params = value.get_params(deep=False)
                objects[name] = {
                    "kind": type(value).__name__,
                    "parameters": {k: _plain(v) for k, v in params.items()},
                }
            elif hasattr(value, "get_params"):
                save(value, new / name)
            elif name in _MAPPINGS and isinstance(value, Mapping):
                parameters[name] = [[_plain(k), _plain(v)] for k, v in value.items()]
            elif isinstance(value, Mapping):
                counts = _classes(_TABLES)["WordFrequencies"].check(value)
                counts.save(new / f"{name}.json")
            elif tables.is_bundled(value):
                bundled[name] = value._source
            elif hasattr(value, "save"):  # word vectors
                value.save(new / name)
            elif isinstance(value, (*_PLAIN, np.generic)):
                parameters[name] = value
            elif isinstance(value, (tuple, list, range, np.ndarray)):
                parameters[name] = np.asarray(value).tolist()
            else:
                raise ValueError(
                    f"{name}={value!r} cannot be saved without pickle; save a whole "
                    "pipeline with joblib or skops instead."
                )
        for name, value in fitted_attributes(self).items():
            parameter = given.get(name[:-1])
            if hasattr(value, "get_params"):
                if value is parameter or value is getattr(parameter, "estimator", None):
                    same[name] = name[:-1]
                else:
                    save(value, new / name)
            elif hasattr(value, "save"):
                value.save(new / name)
            elif is_large(getattr(value, "nbytes", 0)) and str(value.dtype) in _MAPPED:
                np.save(new / f"{name}.npy", value)  # to be mapped
            elif isinstance(value, np.ndarray) and value.dtype.kind not in "biuf":
                labels = [_plain(label) for label in value.tolist()]
                attributes[name] = {"labels": labels, "dtype": str(value.dtype)}
            else:
                attributes[name] = value
        write_metadata(
            new,
            kind=kind,
            version=_FORMAT_VERSION,
            parameters=parameters,
            objects=objects,
            attributes=save_arrays(new / _ARRAYS, attributes),
            frozen=frozen,
            same=same,  # fitted attributes that are a parameter
            bundled=bundled,  # word vectors of the package
            had_init=given.get("init") is not None,
        )


def load(
    folder: str | PathLike[str], *, trust_patterns: bool = False, verify: bool = False
) -> Any:
    """Load a model that its method `save` has written.

    Only classes of skparaphrase are instantiated, and nothing is unpickled.

    Parameters
    ----------
    folder : path-like
    trust_patterns : bool, default=False
        Accept a `WordTokenizer` with a custom regular expression, which could be
        crafted to run forever on some texts. The named patterns always load.
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
        If the folder was not written by `save`, is damaged or of another version,
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
    options = {"trust_patterns": trust_patterns, "verify": verify}
    return read_folder(Path(folder), _load, **options)


def _load(folder: Path, *, trust_patterns: bool, verify: bool, depth: int = 0) -> Any:
    kinds = list(_classes(_MODELS))
    metadata = read_metadata(
        folder, kind=kinds, version=_FORMAT_VERSION, lazy=".npy", verify=verify
    )
    if metadata["version"] < _FORMAT_VERSION:
        raise ValueError(
            f"{folder} was saved by the first edition of skparaphrase (0.1.0.dev0, "
            f"format version {metadata['version']}), whose models had other "
            "parameters. Fit and save the model again."
        )
    with refuse_damage(folder):
        parameters = dict(metadata["parameters"])
        attributes = {
            # A dict that is not empty holds labels.
            name: _labels(**value) if isinstance(value, dict) and value else value
            for name, value in metadata["attributes"].items()
        }
        for inner in _inner_folders(folder, depth):
            values = attributes if inner.name.endswith("_") else parameters
            if table := _classes(_TABLES).get(read_kind(inner)):
                values[inner.name] = table.load(inner, verify=verify)
            else:
                values[inner.name] = _load(
                    inner,
                    trust_patterns=trust_patterns,
                    verify=verify,
                    depth=depth + 1,
                )
        for name, source in metadata.get("bundled", {}).items():
            tables = import_module("skparaphrase.vectors._bundled")
            parameters[name] = tables.referred(*source)
        for name, parameter in metadata.get("same", {}).items():
            attributes[name] = parameters[parameter]
        for name in metadata.get("frozen", []):
            parameters[name] = FrozenEstimator(parameters[name])
        for name, content in metadata["objects"].items():
            made = _instantiate(_SETTINGS, **content, folder=folder, metadata=metadata)
            pattern = getattr(made, "pattern", "words")
            if pattern not in TOKEN_PATTERNS and not trust_patterns:
                raise ValueError(
                    f"{folder} has a tokenizer with the regular expression "
                    f"{pattern!r:.200}, which may run forever on some texts. If you "
                    "trust its author, load it with trust_patterns=True."
                )
            parameters[name] = made
        for name in _MAPPINGS:
            if isinstance(parameters.get(name), list):
                parameters[name] = dict(parameters[name])
        for path in folder.glob("*.json"):
            if path.name != "metadata.json":
                counts = _classes(_TABLES)["WordFrequencies"].load(path)
                parameters[path.stem] = counts
        load_arrays(folder / _ARRAYS, attributes, finite=True)
        for path in folder.glob("*.npy"):
            attributes[path.stem] = np.asarray(load_array(path, *_MAPPED))
        kind = metadata["kind"]
        model = _instantiate(_MODELS, kind, parameters, folder, metadata)
        _validate(model)
        if "vectors_" in attributes and "loss_curve_" in attributes:
            # The second edition left out the empty dict of an average.
            attributes.setdefault("parameters_", {})
        if bad := [name for name in attributes if not _is_fitted(name)]:
            raise ValueError(f"{bad[0]!r} is not the name of a fitted attribute")
    vars(model).update(attributes)
    if metadata.get("had_init") and getattr(model, "vectors", None) is None:
        model._anchors = None, getattr(model, "vectors_", None)  # see anchor_table
    return model


def _inner_folders(folder: Path, depth: int) -> list[Path]:
    """The folders in that of a model, none of which leads back or on without end."""
    entries = list(islice(folder.iterdir(), _MOST_ENTRIES + 1))
    if len(entries) > _MOST_ENTRIES:
        raise ValueError(f"it has more than {_MOST_ENTRIES} entries")
    found = sorted(path for path in entries if path.is_dir())
    for path in found:
        if path.is_symlink():
            raise ValueError(f"{path.name} is a link to a folder; copy the folder")
    if found and depth == _MOST_DEPTH:
        raise ValueError(f"models are nested more than {_MOST_DEPTH} folders deep")
    return found


def fitted_attributes(estimator: Any) -> dict[str, Any]:
    """The fitted attributes of an estimator, whose names end with an underscore."""
    change = getattr(estimator, "_attributes_to_save", None)
    found = vars(estimator) if change is None else change()
    return {name: value for name, value in found.items() if _is_fitted(name)}


def _is_fitted(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _labels(labels: list[Any], dtype: str) -> NDArray[Any]:
    """Make the array of labels that `save` wrote as a list."""
    if not isinstance(labels, list) or not re.fullmatch(r"object|[<>]U\d{1,9}", dtype):
        raise ValueError(f"labels of type {dtype!r}")
    if dtype != "object" and np.dtype(dtype).itemsize * len(labels) > _LABEL_BYTES:
        raise ValueError(f"{len(labels)} labels of type {dtype!r} are too large")
    found = np.empty(len(labels), dtype)
    found[:] = labels
    return found


def _classes(modules: tuple[str, ...]) -> dict[str, Any]:
    """The classes that a folder may name: public ones of some modules, by name."""
    method = "load" if modules is _TABLES else "get_params"
    imported = [import_module(f"skparaphrase.{module}") for module in modules]
    return {
        name: getattr(module, name)
        for module in imported
        for name in module.__all__
        if hasattr(getattr(module, name), method)
    }


def _instantiate(
    modules: tuple[str, ...],
    kind: str,
    parameters: dict[str, Any],
    folder: Path,
    metadata: dict[str, Any],
) -> Any:
    """Instantiate a public class of some modules, which the metadata of a folder names.

    A class or parameter that this version lacks is not damage.
    """
    found = _classes(modules).get(kind)
    unknown = f"no public class {kind!r}"
    if found is not None:
        known = _defaults(found)
        if "written_by" not in metadata:
            gone = {name for name in _DROPPED if name not in known}
            parameters = {k: v for k, v in parameters.items() if k not in gone}
            if "residual" in known:  # its networks were not
                parameters["residual"] = False
        if "pooling" in known:  # earlier averages were plain
            parameters = {"pooling": "mean", **parameters}
        names = [name for name in parameters if name not in known]
        if not names:
            return found(**parameters)
        unknown = f"no parameter {names[0]!r} of {kind}"
    writer = "a version of skparaphrase that did not record its number"
    if "written_by" in metadata:
        writer = f"skparaphrase {metadata['written_by']}"
    version = import_module("skparaphrase").__version__
    raise ValueError(
        f"{folder} was written by {writer}, but skparaphrase {version} has {unknown}. "
        "Load it with the version that wrote it, or fit and save the model again."
    )


@cache
def _defaults(kind: type) -> dict[str, Any]:
    """The parameters of a class, with their defaults."""
    return {name: p.default for name, p in signature(kind).parameters.items()}


def _validate(model: Any) -> None:
    """Validate the parameters as `fit` does; defaults are valid, which saves time."""
    kind: Any = type(model)
    changed = {}
    for name, default in _defaults(kind).items():
        value = getattr(model, name)
        if type(value) is not type(default) or value != default:
            changed[name] = value
    constraints = model._parameter_constraints
    validate_parameter_constraints(constraints, changed, kind.__name__)


def _plain(value: Any) -> Any:
    """Convert a value for JSON; raise a ValueError if that is not possible."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, _PLAIN):
        raise ValueError(
            f"{value!r} ({type(value).__name__}) cannot be saved without pickle; save "
            "the model with joblib or skops instead."
        )
    return value
