"""Encoders in folders: JSON, words and arrays, no pickle."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from skparaphrase._persistence import new_folder, read_metadata, write_metadata
from skparaphrase.vectors import WordFrequencies, WordVectors

_FORMAT_VERSION = 1
_PLAIN = (str, int, float, bool, type(None))


def save_encoder(encoder: Any, folder: str | PathLike[str]) -> None:
    """Write an encoder; see `TextEncoder.save`."""
    parameters = encoder.get_params(deep=False)
    fitted = {
        name: value
        for name, value in vars(encoder).items()
        if name.endswith("_") and not name.startswith("_")
    }
    kept: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    arrays = {}
    with new_folder(folder) as new:
        for name, value in parameters.items():
            if name == "init":  # what it gave is in the fitted state
                kept[name] = None
            elif isinstance(value, WordVectors):
                value.save(new / name)
            elif isinstance(value, (WordFrequencies, dict)):
                WordFrequencies.check(value).save(new / f"{name}.json")
            elif isinstance(value, np.random.RandomState):
                kept[name] = None
            elif isinstance(value, (*_PLAIN, np.generic)):
                kept[name] = value.item() if isinstance(value, np.generic) else value
            elif isinstance(value, (tuple, list, range, np.ndarray)):
                kept[name] = np.asarray(value).tolist()
            else:
                raise ValueError(
                    f"{name}={value!r} cannot be saved without pickle; save a whole "
                    "pipeline with joblib or skops instead."
                )
        for name, value in fitted.items():
            if isinstance(value, WordVectors):
                value.save(new / name)
            elif isinstance(value, np.ndarray):
                arrays[name] = np.ascontiguousarray(value)
            elif name == "parameters_":
                arrays.update({f"{name}/{key}": value[key] for key in value})
            else:
                attributes[name] = value
        if arrays:
            save_file(arrays, new / "arrays.safetensors")
        write_metadata(
            new,
            kind=type(encoder).__name__,
            version=_FORMAT_VERSION,
            parameters=kept,
            attributes=attributes,
        )


def load(folder: str | PathLike[str]) -> Any:
    """Load an encoder that was written by its method `save`.

    Only classes of :mod:`skparaphrase.encoders` are made, and nothing is unpickled: a
    folder from a stranger can do no harm.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    encoder : estimator instance
        Its word vectors are mapped into memory.

    Raises
    ------
    FileNotFoundError, ValueError
        If the folder is none that `save` wrote, is damaged, or is of a later version.

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
    from skparaphrase import encoders

    folder = Path(folder)
    metadata = read_metadata(folder, kind=encoders.__all__, version=_FORMAT_VERSION)
    try:
        parameters = dict(metadata["parameters"])
        attributes = dict(metadata["attributes"])
        for values, name in ((parameters, "vectors"), (attributes, "vectors_")):
            if (folder / name).is_dir():
                values[name] = WordVectors.load(folder / name)
        if (folder / "frequencies.json").is_file():
            parameters["frequencies"] = WordFrequencies.load(
                folder / "frequencies.json"
            )
        if (folder / "arrays.safetensors").is_file():
            attributes.update(_nested(load_file(folder / "arrays.safetensors")))
        encoder = getattr(encoders, metadata["kind"])(**parameters)
        if "vectors_" in attributes and "loss_curve_" in attributes:
            attributes.setdefault("parameters_", {})
    except (KeyError, TypeError, OSError, SafetensorError) as error:
        raise ValueError(f"{folder} is damaged: {error}") from error
    vars(encoder).update(attributes)
    return encoder


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
