"""The data home: downloaded files, and the members of archives."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import hashlib
import io
import os
import shutil
import tarfile
import tomllib
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from errno import EINVAL
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from importlib.resources import files
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypedDict

from sklearn.utils import check_scalar

from skparaphrase.datasets._tables import check_expanded, open_compressed
from skparaphrase.storage._folders import locked


def get_data_home(data_home: str | PathLike[str] | None = None) -> str:
    """Return the folder for downloaded files, which is created if it is missing.

    Parameters
    ----------
    data_home : path-like, default=None
        None means the environment variable `SKPARAPHRASE_HOME` or, if that is not set,
        `~/skparaphrase_data`. `~` is the user's home directory.

    Returns
    -------
    data_home : str
        Its path, with `~` expanded.

    Examples
    --------
    >>> import os
    >>> from skparaphrase.datasets import get_data_home
    >>> os.path.isdir(get_data_home())  # doctest: +SKIP
    True
    """
    if data_home is None:
        data_home = os.environ.get("SKPARAPHRASE_HOME") or "~/skparaphrase_data"
    path = Path(data_home).expanduser()
    path.mkdir(parents=True, exist_ok=True)
    return str(path)


def clear_data_home(data_home: str | PathLike[str] | None = None) -> None:
    """Delete the downloaded data sets.

    The subfolders of the data sets are deleted with all their files, including those
    put there by hand; the data home itself is deleted if it is empty afterwards. Of a
    symbolic link only the link is deleted.

    Parameters
    ----------
    data_home : path-like, default=None
        As in :func:`get_data_home`.

    Examples
    --------
    >>> from skparaphrase.datasets import clear_data_home
    >>> clear_data_home()  # doctest: +SKIP
    """
    home = Path(get_data_home(data_home))
    for name in sources():
        folder = home / name
        if folder.is_symlink():
            folder.unlink()
        elif folder.is_dir():
            shutil.rmtree(folder)
    if not home.is_symlink() and not any(home.iterdir()):
        home.rmdir()


@cache
def sources() -> dict[str, dict[str, dict[str, Any]]]:
    """The files of each data set, as `data/sources.toml` describes them."""
    path = files("skparaphrase.datasets") / "data" / "sources.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


class Download(TypedDict, total=False):
    """Where files are, and how to download them; see :func:`fetch_sts`."""

    data_home: str | PathLike[str] | None
    download_if_missing: bool
    n_retries: int
    delay: float
    progressbar: bool


@dataclass
class Cache:
    """The files of a data set in the data home.

    A file with a recorded checksum was downloaded and must not change. A file without
    one was put there by a person and is used as it is. `name` is that of the data set
    in `sources.toml` and of the subfolder; if `accept_licence` is False, nothing is
    downloaded.
    """

    name: str
    data_home: str | PathLike[str] | None = None
    download_if_missing: bool = True
    n_retries: int = 3
    delay: float = 1.0
    progressbar: bool = False
    accept_licence: bool = True

    def __post_init__(self) -> None:
        check_scalar(self.n_retries, "n_retries", Integral, min_val=0)
        check_scalar(self.delay, "delay", Real, min_val=0)
        self.folder = Path(get_data_home(self.data_home), self.name)
        self.folder.mkdir(exist_ok=True)

    def get(self, name: str) -> Path:
        """Return the path of a file, which is downloaded or unpacked if necessary.

        An OSError says where a file that cannot be obtained comes from, and where to
        put it.
        """
        path = self.folder / name
        for pattern, source in sources()[self.name].items():
            if name in source.get("members", ()):
                if not path.is_file():
                    unpack_member(self.get(pattern), name, path)
                return path
            if fnmatchcase(name, pattern):
                urls = source.get("urls", ()) if self.accept_licence else ()
                urls = [url.format(name=name) for url in urls]
                by_hand = source.get("by_hand", "")
                return self.fetch(path, urls, source.get("sha256"), by_hand)
        raise KeyError(name)

    def fetch(
        self, path: Path, urls: list[str], sha256: str | None = None, by_hand: str = ""
    ) -> Path:
        """Return `path` with its right content, which is downloaded if necessary.

        Without `sha256`, the first download is trusted, and later ones are compared
        with it.
        """
        if _is_right(path, sha256):
            return path
        self._check_obtainable(path, urls, by_hand)
        from skparaphrase.datasets._download import download  # needs pooch

        with _writing(path):
            if _is_right(path, sha256):  # another process may have got it
                return path
            if path.exists():
                message = f"{path} has changed since its download; downloading again."
                warnings.warn(message, stacklevel=5)
            expected = sha256 or recorded_sha256(path)
            advice = f"If you have a copy, put it at {path}."
            if expected and not sha256:
                advice += f" To accept another version, delete {record_of(path)}."
            options = self.n_retries, self.delay, self.progressbar
            download(urls, path, record_of(path), expected, advice, *options)
        return path

    def _check_obtainable(self, path: Path, urls: list[str], by_hand: str) -> None:
        changed = f"has changed since its download (delete {record_of(path)} to use it)"
        state = changed if path.exists() else "is missing"
        if not urls:
            raise OSError(f"{path} {state}. {by_hand} Put it there.")
        if not self.download_if_missing:
            raise OSError(
                f"{path} {state} and download_if_missing=False; its address is "
                f"{urls[0]}."
            )
        for package in ("pooch", "tqdm") if self.progressbar else ("pooch",):
            try:
                import_module(package)
            except ImportError as error:
                raise ImportError(
                    f"Downloading {urls[0]} needs {package}: pip install "
                    f"'skparaphrase[data]'. Or put a copy at {path}."
                ) from error


def _is_right(path: Path, sha256: str | None) -> bool:
    """Whether the file was put there by a person, or is still as downloaded."""
    recorded = recorded_sha256(path)
    return path.is_file() and (
        recorded is None or (sha256 in (None, recorded) and recorded == sha256_of(path))
    )


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Let other threads and processes that want to write `path` wait."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(path.with_name(f"{path.name}.lock")))
        except (OSError, NotImplementedError) as error:
            raise OSError(
                f"The file system of {path.parent} cannot lock files ({error}). Choose "
                "another folder with data_home= or SKPARAPHRASE_HOME."
            ) from error
        yield


def read_members(
    path: Path, names: Sequence[str], simplify: Callable[[str], str] = str
) -> list[bytes]:
    """The bytes of members of a `.zip` or `.tar.gz` file.

    Members are found by the last part of their names, after `simplify`; of several that
    match, the one nearest to the top is read.
    """
    with damage_named(path):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as zipped:
                nearest = _nearest(zipped.namelist(), simplify)
                return [_member(zipped, path, nearest[name]).read() for name in names]
        with open_compressed(path, gzip.open) as packed:
            whole = io.BytesIO(packed.read())
        with tarfile.open(fileobj=whole, mode="r:") as tarred:
            files = {m.name: m for m in reversed(tarred.getmembers()) if m.isfile()}
            nearest = _nearest(files, simplify)
            members = [files[nearest[name]] for name in names]
            check_expanded(path, sum(member.size for member in members))
            opened: Any = map(tarred.extractfile, members)
            return [file.read() for file in opened]


def unpack_member(path: Path, name: str, target: Path) -> None:
    """Write a member of a zip file to `target`, completely or not at all."""
    part = target.with_name(f"{target.name}.part")
    with _writing(target):
        if target.is_file():
            return
        try:
            with damage_named(path), zipfile.ZipFile(path) as archive:
                member = _nearest(archive.namelist())[name]
                part.unlink(missing_ok=True)  # and if it is a link to another file
                with _member(archive, path, member) as source, open(part, "xb") as file:
                    shutil.copyfileobj(source, file, 1 << 20)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)


def _nearest(members: Iterable[str], simplify: Callable[[str], str] = str) -> Any:
    """The member nearest to the top, by the simplified last part of its name."""
    deepest_first = sorted(members, key=lambda x: (x.count("/"), x), reverse=True)
    return {simplify(name.rpartition("/")[2]): name for name in deepest_first}


def _member(archive: zipfile.ZipFile, path: Path, name: str) -> IO[bytes]:
    """A member of a zip file, open for reading, if it is not too large."""
    check_expanded(path, archive.getinfo(name).file_size)
    return archive.open(name)


@contextmanager
def damage_named(path: Path, where: Callable[[], str] = str) -> Iterator[None]:
    """Turn errors of a damaged or wrong archive into one that says what to do."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"{path} has no member {error.args[0]}.") from None
    except Exception as error:
        # Those of the modules of archives have no errno, except for a wrong position.
        errno = getattr(error, "errno", EINVAL) or EINVAL
        if type(error) in (ValueError, MemoryError) or errno != EINVAL:
            raise
        record = record_of(path)
        # The checksum of a damaged first download would refuse the right file.
        what = f"it and {record.name}" if record.exists() else "it"
        raise OSError(
            f"{path}{where()} is damaged ({error}). Delete {what} to download it again."
        ) from error


def sha256_of(path: Path) -> str:
    """The checksum of a file in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def record_of(path: Path) -> Path:
    """The file that records the checksum of a downloaded file."""
    return path.with_name(f"{path.name}.sha256")


def recorded_sha256(path: Path) -> str | None:
    """The recorded checksum; None for a file that a person put there."""
    record = record_of(path)
    if record.is_symlink() or not record.is_file():  # none of this package
        return None
    try:
        return record.read_text("utf-8", errors="replace").split()[0]
    except (FileNotFoundError, IndexError):
        return None
