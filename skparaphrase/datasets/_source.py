"""Public data sets: one description of a source, and what loads it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from skparaphrase.datasets._cache import Cache, Download
from skparaphrase.datasets._tables import make_bunch, plain_rows, select_columns
from skparaphrase.model_selection import pair_groups

_DTYPES = {"score": np.float64, "label": np.int64}  # other columns are objects
_OR_CP1252 = "skparaphrase-or-cp1252"


@dataclass(frozen=True)
class Source:
    """A public data set of pairs of texts.

    `data/sources.toml` has its files, and `descr` its licence and citation. `parse`
    takes a path, the key of a part of the data set, such as a subset, and options; it
    yields rows of cells, which `columns` names, those of the two texts first. `groups`
    adds those of :func:`~skparaphrase.model_selection.pair_groups`.
    """

    name: str
    parse: Callable[..., Iterable[Sequence[Any]]]
    columns: str
    groups: bool = False

    def load(
        self,
        parts: Mapping[str, Any],
        target: str | None,
        return_X_y: bool,
        as_frame: bool,
        download: Download,
        *,
        accept_licence: bool = True,
        **options: Any,
    ) -> Any:
        """Download, verify and parse files, and return their `Bunch`.

        `parts` maps names of files to keys.
        """
        cache = Cache(self.name, **download, accept_licence=accept_licence)
        paths = [cache.get(name) for name in parts]
        values: dict[str, list[Any]] = {name: [] for name in self.columns.split()}
        for path, key in zip(paths, parts.values(), strict=True):
            for row in self.parse(path, key, **options):
                for column, cell in zip(values.values(), row, strict=False):
                    column.append(cell)
        columns = {
            name: np.array(cells, dtype=_DTYPES.get(name, object))
            for name, cells in values.items()
        }
        query = columns.pop("query", None)
        data, descr = [*columns][:2], read_descr(self.name)
        bunch = make_bunch(columns, data, target, descr, return_X_y, as_frame, query)
        if return_X_y:
            return bunch
        for name in columns.keys() - {*data}:
            bunch[name] = columns[name] if bunch.frame is None else bunch.frame[name]
        if self.groups:
            bunch["groups"] = pair_groups(bunch.data)
        filenames = [str(path) for path in paths]
        bunch["filename"] = filenames[0] if len(filenames) == 1 else filenames
        return bunch


def check_choice(name: str, value: object, choices: Sequence[Any]) -> None:
    """Refuse a value that is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {tuple(choices)}; got {value!r}.")


def decode_lines(raw: bytes, source: str) -> list[str]:
    """Decode the lines of an old file, which end at line feeds only.

    A byte order mark and carriage returns before line feeds are dropped. Bytes that are
    not UTF-8 are read as Windows-1252; the error for a byte that is neither names
    `source` and the line.
    """
    try:
        text = raw.decode("utf-8-sig", _OR_CP1252)
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{source}, line {number}: neither UTF-8 nor Windows-1252."
        ) from error
    lines = text.split("\n")
    if not lines[-1]:
        del lines[-1]
    return [line.removesuffix("\r") for line in lines]


def _as_cp1252(error: Any) -> tuple[str, int]:
    try:
        return error.object[error.start : error.end].decode("cp1252"), error.end
    except UnicodeDecodeError:
        raise error from None  # has the position in the file


codecs.register_error(_OR_CP1252, _as_cp1252)


def iter_cells(
    raw: bytes, source: str, columns: Sequence[str | int]
) -> Iterator[tuple[str, list[str]]]:
    """Iterate over the rows of an old tab-separated file: their place, their cells.

    Columns are names in the header, or positions from 0 in a file without a header.
    """
    rows = plain_rows(decode_lines(raw, source), "\t")
    for number, cells in select_columns(source, rows, columns):
        yield f"{source}, line {number}", [cell.strip() for cell in cells]


def read_choice(text: str, where: str, choices: Collection[str]) -> str:
    """One of the choices; an error begins with `where`."""
    if text not in choices:
        raise ValueError(f"{where}: {text!r} is none of {', '.join(choices)}.")
    return text


def read_score(text: str, where: str, low: float, high: float) -> float:
    """A number from `low` to `high`; an error begins with `where`."""
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not low <= score <= high:
        raise ValueError(f"{where}: {text!r} is not a score from {low:g} to {high:g}.")
    return score


def read_descr(name: str) -> str:
    """The description of a data set: what it is, its licence, what to cite."""
    path = files("skparaphrase.datasets") / "descr" / f"{name}.rst"
    return path.read_text(encoding="utf-8")
