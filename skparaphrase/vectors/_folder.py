"""Tables of word vectors in folders, to be mapped into memory."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from skparaphrase._persistence import new_folder, read_metadata, write_metadata
from skparaphrase.text import Vocabulary

_FORMAT_VERSION = 2  # the first had the words in JSON
_WORDS = ("raw", "ends", "slots")


def save_table(folder: str | PathLike[str], table: dict[str, Any]) -> None:
    """Write `words`, `matrix`, `scale` and `unknown`; see `WordVectors.save`."""
    with new_folder(folder) as new:
        np.save(new / "matrix.npy", table["matrix"], allow_pickle=False)
        if table["scale"] is not None:
            np.save(new / "scale.npy", table["scale"], allow_pickle=False)
        for name, array in table["words"].arrays().items():
            np.save(new / f"words-{name}.npy", array, allow_pickle=False)
        write_metadata(
            new, kind="WordVectors", version=_FORMAT_VERSION, unknown=table["unknown"]
        )


def load_table(folder: Path, *, mmap: bool) -> dict[str, Any]:
    """Read what :func:`save_table` wrote, and check that it fits together."""
    metadata = read_metadata(folder, kind="WordVectors", version=_FORMAT_VERSION)
    mode: Literal["r"] | None = "r" if mmap else None
    try:
        if metadata["version"] == 1:
            text = (folder / "words.json").read_text(encoding="ascii")
            words = Vocabulary(json.loads(text))
        else:
            parts = (np.load(folder / f"words-{n}.npy", mode) for n in _WORDS)
            words = Vocabulary.from_arrays(*parts)
        matrix = np.load(folder / "matrix.npy", mode)
        scale = np.load(folder / "scale.npy") if matrix.dtype == np.int8 else None
        unknown = metadata["unknown"]
    except (KeyError, OSError, TypeError, ValueError) as error:
        raise ValueError(f"{folder} is damaged: {error}") from error
    scales = (len(words),) if scale is None else scale.shape
    if matrix.ndim != 2 or not matrix.shape[:1] == scales == (len(words),):
        raise ValueError(
            f"{folder} is damaged: {len(words)} words, but vectors of shape "
            f"{matrix.shape} and scales of shape {scales}."
        )
    if unknown is not None and unknown not in words:
        raise ValueError(f"{folder} is damaged: no vector for {unknown!r}.")
    return {"words": words, "matrix": matrix, "scale": scale, "unknown": unknown}
