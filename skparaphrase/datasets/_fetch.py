"""Public data sets: their sources, downloads, archives and loading."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import io
import os
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict

import numpy as np

from skparaphrase._lazy import import_for
from skparaphrase._progress import is_shown
from skparaphrase._typing import FilePath
from skparaphrase.datasets._tables import (
    iter_rows,
    make_bunch,
    read_number,
    select_columns,
)
from skparaphrase.model_selection import pair_groups
from skparaphrase.storage._folders import open_plain

_DTYPES = {"score": np.float64, "label": np.int64}  # other columns have dtype object


def find_data_home(data_home: FilePath | None) -> Path:
    """The folder for downloaded files; it is created if it is missing."""
    if data_home is None:
        data_home = os.environ.get("SKPARAPHRASE_HOME") or "~/skparaphrase_data"
    path = Path(data_home).expanduser()
    path.mkdir(parents=True, exist_ok=True)
    return path


@cache
def sources() -> dict[str, dict[str, dict[str, Any]]]:
    """The files of each data set, described in `data/sources.toml`."""
    path = files("skparaphrase.datasets") / "data" / "sources.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


class Download(TypedDict, total=False):
    """The folder of files, and options of downloads; see :func:`fetch_sts`."""

    data_home: FilePath | None
    download_if_missing: bool
    n_retries: int


def fetch_file(
    source: str,
    name: str,
    *,
    data_home: FilePath | None = None,
    download_if_missing: bool = True,
    n_retries: int = 3,
) -> Path:
    """Return the path of a file in the data home; download or unpack it if missing.

    `source` is the data set in `sources.toml`, and the subfolder. Existing files are
    used unchanged. If a file cannot be obtained, an OSError names its source and where
    to put it.
    """
    folder = find_data_home(data_home) / source
    if (folder / name).is_file():
        return folder / name
    pattern, file = next(
        (pattern, file)
        for pattern, file in sources()[source].items()
        if fnmatchcase(name, pattern) or name in file.get("members", ())
    )
    path = folder / (pattern if "members" in file else name)
    if not path.is_file():
        if not download_if_missing:
            raise OSError(
                f"{path} is missing and download_if_missing=False; its address is "
                f"{file['urls'][0].format(name=path.name)}."
            )
        _download(path, file, n_retries)
    if path.name != name:
        _unpack(path, folder / name)
    return folder / name


def _download(path: Path, file: dict[str, Any], n_retries: int) -> None:
    """Download a file from the first address that has it.

    pooch writes a temporary file and renames it when it is complete and verified.
    """
    urls = [url.format(name=path.name) for url in file["urls"]]
    pooch = import_for(
        f"Downloading {urls[0]} to {path}", "pooch", "'skparaphrase[data]'"
    )
    failures = ""
    for url in urls:
        registry = pooch.create(
            path.parent,
            base_url="",
            registry={path.name: file.get("sha256")},
            urls={path.name: url},
            retry_if_failed=n_retries,
        )
        try:
            downloader = pooch.HTTPDownloader(progressbar=is_shown(), timeout=30)
            registry.fetch(path.name, downloader=downloader)
        except (OSError, ValueError) as error:  # from requests; from a wrong checksum
            failures += f" {url}: {str(error).rstrip('.')}."
        else:
            return
    raise OSError(
        f"{path.name} could not be downloaded.{failures} If you have a copy, put it at "
        f"{path}."
    )


def _unpack(archive: Path, path: Path) -> None:
    """Write the member of a zip file with the name of `path`, if there is one."""
    with (
        report_corruption(archive),
        zipfile.ZipFile(archive) as packed,
        TemporaryDirectory(dir=path.parent) as folder,
    ):
        member = _by_name(packed.namelist())[path.name]
        os.replace(packed.extract(member, folder), path)


def read_members(
    path: Path, names: Sequence[str], simplify: Callable[[str], str] = str
) -> list[bytes]:
    """The bytes of members of a `.zip` or tar file.

    Members are found by the last part of their names, after `simplify`. If several
    match, the member nearest to the top is read.
    """
    with report_corruption(path):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as zipped:
                by_name = _by_name(zipped.namelist(), simplify)
                return [zipped.read(by_name[name]) for name in names]
        with open_gzip(path) as file:  # read completely: its checksum is last
            content = file.read()
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tarred:
            packed = [member.name for member in tarred.getmembers() if member.isfile()]
            by_name = _by_name(packed, simplify)
            opened: Any = [tarred.extractfile(by_name[name]) for name in names]
            return [file.read() for file in opened]


@contextmanager
def open_gzip(path: Path) -> Iterator[Any]:
    """The content of a gzip file, which some servers have already decompressed."""
    with open_plain(path) as file:
        is_packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        yield gzip.open(file) if is_packed else file


def _by_name(
    members: Iterable[str], simplify: Callable[[str], str] = str
) -> dict[str, str]:
    """The member nearest to the top, by the simplified last part of its name."""
    deepest_first = sorted(members, key=lambda x: (x.count("/"), x), reverse=True)
    return {simplify(name.rpartition("/")[2]): name for name in deepest_first}


@contextmanager
def report_corruption(path: Path) -> Iterator[None]:
    """Raise an error with advice if an archive is damaged or the wrong one."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"{path} has no member {error.args[0]}.") from None
    except ValueError:  # from its content
        raise
    except Exception as error:  # many kinds of errors
        raise OSError(
            f"{path} is damaged or cannot be read ({error!r}). Delete it to download "
            "it again."
        ) from error


@dataclass(frozen=True)
class Source:
    """A public data set of pairs of texts.

    `data/sources.toml` lists its files, and `descr` contains its licence and citation.
    `parse` takes a path, the key of a part of the data set, such as a subset, and
    options, and yields rows of cells. `columns` names the cells, the two texts first.
    `groups` adds the groups of :func:`~skparaphrase.model_selection.pair_groups`.
    """

    name: str
    parse: Callable[..., Iterable[Sequence[Any]]]
    columns: str
    groups: bool = True

    def load(
        self,
        parts: Mapping[str, Any],
        target: str | None,
        return_X_y: bool,
        as_frame: bool,
        download: Download,
        **options: Any,
    ) -> Any:
        """Obtain and parse files, and return their `Bunch`.

        `parts` maps file names to keys.
        """
        paths = [fetch_file(self.name, name, **download) for name in parts]
        values: dict[str, list[Any]] = {name: [] for name in self.columns.split()}
        for path, key in zip(paths, parts.values(), strict=True):
            for row in self.parse(path, key, **options):
                for column, cell in zip(values.values(), row, strict=False):
                    column.append(cell)
        columns = {
            name: np.array(cells, dtype=_DTYPES.get(name, object))
            for name, cells in values.items()
        }
        data, descr = [*columns][:2], read_descr(self.name)
        bunch = make_bunch(columns, data, target, descr, return_X_y, as_frame)
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
    """Raise a ValueError if a value is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {tuple(choices)}; got {value!r}.")


def decode_lines(content: bytes) -> list[str]:
    """Lines decoded from UTF-8, or else from Windows-1252, without line ends."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        del lines[-1]
    return [_decode_line(line.removesuffix(b"\r")) for line in lines]


def _decode_line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def iter_cells(
    content: bytes, source: str, columns: Sequence[str | int]
) -> Iterator[tuple[str, list[str]]]:
    """Iterate over places and cells of the rows of an old tab-separated file.

    Columns are names in the header, or positions from 0 in a file without a header.
    """
    rows = iter_rows("\n".join(decode_lines(content)).encode(), source)
    for number, cells in select_columns(rows, columns, source):
        yield f"{source}, line {number}", [cell.strip() for cell in cells]


def read_score(text: str, where: str, low: float, high: float) -> float:
    """A number from `low` to `high`; an error begins with `where`."""
    score = read_number(text)
    if not low <= score <= high:
        raise ValueError(f"{where}: {text!r} is not a score from {low:g} to {high:g}.")
    return score


def read_descr(name: str) -> str:
    """The description of a data set, with its licence and citation."""
    path = files("skparaphrase.datasets") / "descr" / f"{name}.rst"
    return path.read_text(encoding="utf-8")
