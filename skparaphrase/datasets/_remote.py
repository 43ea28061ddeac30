"""Files fetched into the data home."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import hashlib
import os
import time
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from importlib import import_module
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import IO, Any

from skparaphrase._locks import locked
from skparaphrase.datasets._home import get_data_home

_CHUNK = 1 << 14  # bytes; the beginning of one is lost when the connection ends
_TIMEOUT = 30  # seconds without a byte
_PASSING = {408, 425, 429}  # answers besides 5xx after which a second try is worth it


@dataclass(frozen=True)
class RemoteFile:
    """A public file.

    Parameters
    ----------
    name : str
        Its name in the cache.
    urls : tuple of str
        Where it is, then its mirrors; none if only a person can fetch it.
    sha256 : str or None
        None where nobody has published it: the first download is trusted then, and
        later ones are compared with it.
    by_hand : str
        Sentences on where a person gets it, for error messages.
    """

    name: str
    urls: tuple[str, ...]
    sha256: str | None = None
    by_hand: str = ""


@dataclass(frozen=True)
class Cache:
    """A folder of the data home, and how to fill it.

    Downloads go to `NAME.part` and are renamed when they are whole and right;
    `NAME.sha256` keeps their checksum. A file without one was put there by a person and
    is taken as it is.

    Parameters
    ----------
    folder : Path
    download_if_missing : bool
    n_retries : int
    delay : float
        Seconds.
    progressbar : bool
    """

    folder: Path
    download_if_missing: bool
    n_retries: int
    delay: float
    progressbar: bool

    @classmethod
    def open(
        cls,
        data_home: str | PathLike[str] | None,
        name: str,
        *,
        download_if_missing: bool,
        n_retries: int,
        delay: float,
        progressbar: bool,
    ) -> "Cache":
        """The folder `name` of the data home, made if it is missing."""
        if not isinstance(n_retries, Integral) or n_retries < 0:
            raise ValueError(f"n_retries must be an int >= 0; got {n_retries!r}.")
        if not isinstance(delay, Real) or not 0 <= delay < float("inf"):
            raise ValueError(f"delay must be a number of seconds; got {delay!r}.")
        folder = Path(get_data_home(data_home), name)
        folder.mkdir(exist_ok=True)
        return cls(folder, download_if_missing, int(n_retries), delay, progressbar)

    def get(self, remote: RemoteFile) -> Path:
        """The path of a file, which is fetched if need be.

        Raises
        ------
        OSError
            It is missing and may not or cannot be fetched, or is not what it should
            be; the message says where it comes from and where to put it.
        """
        path = self.folder / remote.name
        if _is_right(path, remote):
            return path
        self._may_fetch(path, remote)
        self._import_pooch(path, remote)
        with locked(path.with_name(f"{path.name}.lock")):
            if not _is_right(path, remote):  # another process was quicker
                if path.exists():
                    warnings.warn(
                        f"{path} has changed since it was fetched; fetching it again.",
                        stacklevel=3,
                    )
                self._fetch(path, remote)
        return path

    def _may_fetch(self, path: Path, remote: RemoteFile) -> None:
        state = "is missing"
        if path.exists():
            record = record_of(path)
            state = f"has changed since it was fetched (to keep it, delete {record})"
        if not remote.urls:
            raise OSError(f"{path} {state}. {remote.by_hand} Put it there.")
        if not self.download_if_missing:
            raise OSError(
                f"{path} {state} and download_if_missing=False; it comes from "
                f"{remote.urls[0]}."
            )

    def _import_pooch(self, path: Path, remote: RemoteFile) -> None:
        for package in ("pooch", "tqdm") if self.progressbar else ("pooch",):
            try:
                import_module(package)
            except ImportError as error:
                raise ImportError(
                    f"Fetching {remote.urls[0]} needs {package}: pip install "
                    f"'skparaphrase[data]'. A copy is read if you put it at {path}."
                ) from error

    def _fetch(self, path: Path, remote: RemoteFile) -> None:
        failures = []
        for url in remote.urls:
            try:
                self._fetch_from(url, path, remote)
            except OSError as error:
                # A full disk is no fault of the server: no mirror would help.
                if not _is_of_server(error):
                    raise
                failures.append(f"{url}: {error}")
            else:
                return
        raise OSError(
            f"{remote.name} could not be fetched. "
            + " ".join(failure.rstrip(".") + "." for failure in failures)
            + f" A copy from elsewhere is read if you put it at {path}."
        )

    def _fetch_from(self, url: str, path: Path, remote: RemoteFile) -> None:
        part = path.with_name(f"{path.name}.part")
        for left in range(self.n_retries, -1, -1):
            try:
                resumed = self._download(url, part, remote)
                self._check(part, path, remote)
            except OSError as error:
                if isinstance(error, WrongFileError):
                    part.unlink(missing_ok=True)
                    if not resumed:
                        raise
                    # Two versions of the file may have been joined.
                elif not _is_passing(error):
                    raise
                if not left:
                    raise
                warnings.warn(f"Trying {url} again: {error}", stacklevel=5)
                time.sleep(self.delay)
            else:
                os.utime(part)
                os.replace(part, path)
                return

    def _download(self, url: str, part: Path, remote: RemoteFile) -> bool:
        """Write `url` into `part`; whether it went on where an earlier try ended."""
        download = _Download(part, sure=remote.sha256 is not None)
        download.run(url, progressbar=self.progressbar)
        return download.resumed

    def _check(self, part: Path, path: Path, remote: RemoteFile) -> None:
        """Refuse a file that is not the right one; keep the checksum of one that is."""
        with open(part, "rb") as file:
            head = file.read(256).lstrip().lower()
        if head.startswith((b"<!doctype html", b"<html")):
            raise WrongFileError("the answer is a web page, not the file")
        if path.suffix == ".zip" and not zipfile.is_zipfile(part):
            raise WrongFileError("the answer is not a whole zip archive")
        if path.suffix == ".gz" and not _is_gzip(part):
            raise WrongFileError("the answer is not a whole gzip file")
        found, recorded = sha256_of(part), _recorded(path)
        expected = remote.sha256 or recorded
        if expected not in (None, found):
            first = (
                ""
                if remote.sha256
                else f", that of the first download; delete {record_of(path)} to trust "
                "the new one"
            )
            raise WrongFileError(f"its SHA256 is {found}, not {expected}{first}")
        if found != recorded:
            new = record_of(path).with_suffix(".sha256.new")
            new.write_text(f"{found}  {path.name}\n", encoding="utf-8")
            os.replace(new, record_of(path))


class WrongFileError(OSError):
    """What has come is not the file that was asked for."""


class _Download:
    """One request by pooch, which goes on where `part` ends.

    A server is asked for the rest only of the version that the beginning came from,
    which the time of `part` names (HTTP's `If-Range`). Without such a time only files
    whose checksum is known (`sure`) are continued.
    """

    def __init__(self, part: Path, *, sure: bool) -> None:
        self.part = part
        self.sure = sure
        self.resumed = False
        self._modified: float | None = None
        self._size: int | None = None

    def run(self, url: str, *, progressbar: bool) -> None:
        try:
            with open(self.part, "ab") as file:
                start = file.tell()
                if start:
                    self._modified = self.part.stat().st_mtime
                download = import_module("pooch").HTTPDownloader(
                    progressbar=progressbar,
                    chunk_size=_CHUNK,
                    timeout=_TIMEOUT,
                    headers=self._headers(start),
                    hooks={
                        "response": lambda response, **_: self._look(file, response)
                    },
                )
                download(url, file, None)
                size = file.tell()
        finally:
            # The time stays with what has come so far.
            if self.part.exists():
                at = self._modified or 0
                os.utime(self.part, (at, at))
        if self._size not in (None, size):
            raise CutOffError(f"cut off after {size} of {self._size} bytes")

    def _headers(self, start: int) -> dict[str, str]:
        # What is compressed on the way has another length.
        headers = {"Accept-Encoding": "identity"}
        modified = int(self.part.stat().st_mtime)
        if start and (modified or self.sure):
            headers["Range"] = f"bytes={start}-"
            if modified:
                headers["If-Range"] = formatdate(modified, usegmt=True)
        return headers

    def _look(self, file: IO[bytes], response: Any) -> None:
        """Make ready for the body of an answer."""
        if response.status_code not in (200, 206, 416):
            return
        start = file.tell()
        headers = response.headers
        if self.part.stem.endswith(".gz"):
            # Some servers take the file's own compression for one on the way.
            for found in (headers, response.raw.headers):
                found.pop("Content-Encoding", None)
        self.resumed = response.status_code == 206
        if self.resumed and not headers.get("Content-Range", "").startswith(
            f"bytes {start}-"
        ):
            raise CutOffError(f"asked for bytes from {start}, got {headers}")
        if not self.resumed:
            file.seek(0)
            file.truncate()
            start = 0
        if response.status_code == 416:
            return
        length = headers.get("Content-Length", "")
        if length.isdigit() and "Content-Encoding" not in headers:
            self._size = start + int(length)
        if self.resumed and "Last-Modified" not in headers:
            return  # need not be said of the version that was asked for
        try:
            date = parsedate_to_datetime(headers.get("Last-Modified", ""))
            self._modified = date.timestamp()
        except ValueError:
            self._modified = None


class CutOffError(OSError):
    """The connection ended too early."""


def _is_of_server(error: OSError) -> bool:
    # Errors of requests have a response, None if there was none.
    return isinstance(error, WrongFileError | CutOffError) or hasattr(error, "response")


def _is_passing(error: OSError) -> bool:
    """Whether the same request may well succeed the next time."""
    if not _is_of_server(error):
        return False
    status = getattr(getattr(error, "response", None), "status_code", None)
    # 416: the part is as long as the file or longer, and is empty by now.
    return status is None or status >= 500 or status in _PASSING or status == 416


def _is_gzip(path: Path) -> bool:
    """Whether the file is one of gzip, whole to its checksum."""
    try:
        with gzip.open(path, "rb") as file:
            while file.read(1 << 20):
                pass
    except (gzip.BadGzipFile, zlib.error, EOFError):
        return False
    return True


def sha256_of(path: Path) -> str:
    """The checksum of a file, in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def record_of(path: Path) -> Path:
    """Where the checksum of a fetched file is kept."""
    return path.with_name(f"{path.name}.sha256")


def _recorded(path: Path) -> str | None:
    try:
        return record_of(path).read_text(encoding="utf-8").split()[0]
    except (FileNotFoundError, IndexError):
        return None


def _is_right(path: Path, remote: RemoteFile) -> bool:
    """Whether the file is there, put by a person or whole as it was fetched."""
    if not path.is_file():
        return False
    recorded = _recorded(path)
    if recorded is None:
        return True
    return recorded == sha256_of(path) and remote.sha256 in (None, recorded)
