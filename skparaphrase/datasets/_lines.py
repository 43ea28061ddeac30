"""Lines of text files as old corpora have them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs
from typing import Any

import numpy as np
from numpy.typing import NDArray


def decode_lines(raw: bytes, source: str) -> list[str]:
    """Lines of a file, which end at line feeds only.

    A byte order mark, carriage returns before line feeds and the end of the last line
    are left out. Bytes that are not UTF-8 are read as Windows-1252.

    Raises
    ------
    ValueError
        Names `source` and the line of a byte that is neither.
    """
    lines = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        del lines[-1]
    return [_decode(line, source, number) for number, line in enumerate(lines, 1)]


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252"), error.end


_OR_CP1252 = "skparaphrase-or-cp1252"
codecs.register_error(_OR_CP1252, _as_cp1252)


def _decode(line: bytes, source: str, number: int) -> str:
    try:
        return line.removesuffix(b"\r").decode("utf-8", _OR_CP1252)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{source}, line {number}: neither UTF-8 nor Windows-1252 ({error.reason})."
        ) from error


def read_score(text: str, where: str, low: float, high: float) -> float:
    """A number from `low` to `high`; the error begins with `where`."""
    try:
        score = float(text)
        if not low <= score <= high:
            raise ValueError
    except ValueError:
        raise ValueError(
            f"{where}: {text!r} is not a score from {low:g} to {high:g}."
        ) from None
    return score


def as_texts(values: list[str]) -> NDArray[Any]:
    """An array of objects."""
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return texts
