"""Download of one file: mirrors, retries, resumption and verification."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import hashlib
import os
import time
import warnings
import zipfile
import zlib
from email.utils import formatdate, parsedate_to_datetime
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

_CHUNK = 1 << 14  # bytes; the incomplete one is lost when the connection ends
_TIMEOUT = 30  # seconds without a byte
_TRANSIENT = {408, 416, 425, 429}  # worth a retry, as is 5xx; 416 empties the part


class WrongFileError(OSError):
    """The server sent something other than the expected file."""


class CutOffError(OSError):
    """The connection ended too early."""


def download(
    urls: list[str],
    path: Path,
    sha256: str | None,
    n_retries: int,
    delay: float,
    progressbar: bool,
) -> None:
    """Download a file from the first address that has the right one.

    It is written to `NAME.part` and renamed when it is complete and verified.
    `NAME.sha256` records its checksum; without `sha256`, the first download is trusted
    and later ones are compared with it. An OSError lists why no address has it.
    """
    part = path.with_name(f"{path.name}.part")
    failures = ""
    for url in urls:
        for n_left in range(n_retries, -1, -1):
            request = _Request(part, has_checksum=sha256 is not None)
            try:
                request.run(url, progressbar)
                _verify(part, path, sha256)
                os.utime(part)
                os.replace(part, path)
                return
            except OSError as error:
                # If the disk is full, for example, no mirror helps.
                if not _is_of_server(error):
                    raise
                retry = _is_transient(error)
                if isinstance(error, WrongFileError):
                    part.unlink(missing_ok=True)
                    retry = request.resumed  # from parts of two versions, perhaps
                if not retry or not n_left:
                    failures += f" {url}: {str(error).rstrip('.')}."
                    break
                warnings.warn(f"Retrying {url}: {error}", stacklevel=6)
                time.sleep(delay)
    raise OSError(
        f"{path.name} could not be downloaded.{failures} If you have a copy, put it at "
        f"{path}."
    )


class _Request:
    """One request by pooch, which cannot resume, for what `part` lacks.

    `If-Range` asks the server for the rest of the version that the part belongs to,
    identified by the modification time of the part. Without such a time, only files
    with a known checksum are resumed.
    """

    def __init__(self, part: Path, *, has_checksum: bool) -> None:
        self.part = part
        self.has_checksum = has_checksum
        self.resumed = False
        self._modified = 0.0
        self._size: int | None = None

    def run(self, url: str, progressbar: bool) -> None:
        try:
            with open(self.part, "ab") as file:
                start = file.tell()
                # The length of a compressed response would be another.
                headers = {"Accept-Encoding": "identity"}
                if start:
                    self._modified = self.part.stat().st_mtime
                if start and (int(self._modified) or self.has_checksum):
                    headers["Range"] = f"bytes={start}-"
                    if int(self._modified):
                        headers["If-Range"] = formatdate(self._modified, usegmt=True)
                request = import_module("pooch").HTTPDownloader(
                    progressbar=progressbar,
                    chunk_size=_CHUNK,
                    timeout=_TIMEOUT,
                    headers=headers,
                    hooks={"response": lambda answer, **_: self._start(file, answer)},
                )
                request(url, file, None)
                size = file.tell()
        finally:
            if self.part.exists():
                os.utime(self.part, (self._modified, self._modified))
        if self._size not in (None, size):
            raise CutOffError(f"cut off after {size} of {self._size} bytes")

    def _start(self, file: BinaryIO, answer: Any) -> None:
        """Prepare the file for the body of an answer."""
        if answer.status_code not in (200, 206, 416):
            return
        start, headers = file.tell(), answer.headers
        if self.part.stem.endswith(".gz"):
            # Some servers declare the file's own compression as one for transport.
            for found in (headers, answer.raw.headers):
                found.pop("Content-Encoding", None)
        self.resumed = answer.status_code == 206
        if not self.resumed:
            start = 0
            file.seek(0)
            file.truncate()
        elif not headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            raise CutOffError(f"asked for bytes from {start}, got {headers}")
        if answer.status_code == 416:
            return
        length = headers.get("Content-Length", "")
        if length.isdigit() and "Content-Encoding" not in headers:
            self._size = start + int(length)
        if self.resumed and "Last-Modified" not in headers:
            return  # a server need not repeat it
        try:
            date = parsedate_to_datetime(headers.get("Last-Modified", ""))
            self._modified = date.timestamp()
        except ValueError:
            self._modified = 0.0


def _verify(part: Path, path: Path, sha256: str | None) -> None:
    """Refuse a wrong file; record the checksum of the right one."""
    with open(part, "rb") as file:
        head = file.read(256).lstrip().lower()
    if head.startswith((b"<!doctype html", b"<html")):
        raise WrongFileError("the server sent a web page, not the file")
    if path.suffix == ".zip" and not zipfile.is_zipfile(part):
        raise WrongFileError("the file is not a complete zip archive")
    if path.suffix == ".gz" and not _is_gzip(part):
        raise WrongFileError("the file is not a complete gzip file")
    found, recorded = sha256_of(part), recorded_sha256(path)
    record = record_of(path)
    expected = sha256 or recorded
    if expected not in (None, found):
        advice = f", as in the first download; delete {record} to trust the new file"
        raise WrongFileError(
            f"the SHA256 is {found}, not {expected}{'' if sha256 else advice}"
        )
    if found != recorded:
        new = record.with_suffix(".sha256.new")
        new.write_text(f"{found}  {path.name}\n", encoding="utf-8")
        os.replace(new, record)


def _is_gzip(path: Path) -> bool:
    """Whether the file is a gzip file, complete and with the right checksum."""
    try:
        with gzip.open(path, "rb") as file:
            while file.read(1 << 20):
                pass
    except (gzip.BadGzipFile, zlib.error, EOFError):
        return False
    return True


def _is_of_server(error: OSError) -> bool:
    # Errors of requests have a response, which is None if there was none.
    return isinstance(error, WrongFileError | CutOffError) or hasattr(error, "response")


def _is_transient(error: OSError) -> bool:
    """Whether the same request may succeed the next time."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    return status is None or status >= 500 or status in _TRANSIENT


def sha256_of(path: Path) -> str:
    """The checksum of a file in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def record_of(path: Path) -> Path:
    """The file that records the checksum of a downloaded file."""
    return path.with_name(f"{path.name}.sha256")


def recorded_sha256(path: Path) -> str | None:
    """The recorded checksum; None for a file that a person put there."""
    try:
        return record_of(path).read_text("utf-8", errors="replace").split()[0]
    except (FileNotFoundError, IndexError):
        return None
