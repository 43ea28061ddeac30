"""Downloads by pooch, which are resumed where the connection ended."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import os
import time
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from email.utils import formatdate, mktime_tz, parsedate_tz
from pathlib import Path
from typing import Any, BinaryIO

import pooch  # type: ignore[import-untyped]
import requests

_CHUNK = 1 << 14  # bytes; the incomplete one is lost when the connection ends
_TIMEOUT = 30  # seconds without a byte
_MOST_BYTES = 2**34  # of a file without a known checksum; the largest has 5 GB
_MOST_SECONDS = 24 * 3600.0  # of a download, which the next call resumes
_TRANSIENT = {408, 416, 425, 429}  # worth a retry, as is 5xx; 416 empties the part


def download(
    urls: Sequence[str],
    path: Path,
    record: Path,
    sha256: str | None,
    advice: str,
    n_retries: int,
    delay: float,
    progressbar: bool,
) -> None:
    """Download a file from the first address that has the right one.

    Until it is complete and verified, the file is named `NAME.part`. `record`
    gets its checksum. An OSError lists why no address has it, and ends with
    `advice`.
    """
    downloader = _ResumingDownloader(path, record, sha256, progressbar)
    failures = ""
    for url in urls:
        source = pooch.Pooch(path.parent, "", {path.name: sha256}, {path.name: url})
        for n_left in range(n_retries, -1, -1):
            try:
                source.fetch(path.name, downloader=downloader)
            except (requests.RequestException, ValueError) as error:
                if not (n_left and downloader.may_succeed(error)):
                    failures += f" {url}: {str(error).rstrip('.')}."
                    break
                warnings.warn(f"Retrying {url}: {error}", stacklevel=6)
                time.sleep(delay)
            else:
                return
    raise OSError(f"{path.name} could not be downloaded.{failures} {advice}")


class _ResumingDownloader:
    """Downloader for pooch that requests only what `NAME.part` lacks.

    `If-Range` asks the server for the rest of the version that the part belongs to,
    identified by the modification time of the part. Without such a time, only files
    with a known checksum are resumed.
    """

    def __init__(
        self, path: Path, record: Path, sha256: str | None, progressbar: bool
    ) -> None:
        self.path = path
        self.record = record
        self.part = path.with_name(f"{path.name}.part")
        self.sha256 = sha256
        self.progressbar = progressbar

    def __call__(self, url: str, output_file: str, _: Any) -> None:
        self.resumed = False
        # The length of a compressed response would be another.
        headers = {"Accept-Encoding": "identity"}
        try:
            for name in (self.part, self.record):
                if name.is_symlink():  # of somebody who wants its target overwritten
                    name.unlink()
            with open(self.part, "ab", opener=_open_no_link) as file:
                start = file.tell()
                self._asked = False
                self._modified = int(self.part.stat().st_mtime) if start else 0
                if start and (self._modified or self.sha256):
                    self._asked = True
                    headers["Range"] = f"bytes={start}-"
                    if self._modified:
                        headers["If-Range"] = formatdate(self._modified, usegmt=True)
                request = pooch.HTTPDownloader(
                    progressbar=self.progressbar,
                    chunk_size=_CHUNK,
                    timeout=_TIMEOUT,
                    headers=headers,
                    hooks={"response": lambda answer, **_: self._start(file, answer)},
                )
                request(url, file, None)
        finally:
            if self.part.exists():
                os.utime(self.part, (self._modified, self._modified))
        os.utime(self.part)
        os.replace(self.part, output_file)  # pooch deletes it if it is wrong
        _refuse_wrong(output_file, self.path.name)
        found = pooch.file_hash(output_file)
        if self.sha256 in (None, found):  # else pooch refuses it
            # The record comes first: a file without one counts as put there by hand.
            line = f"{found}  {self.path.name}\n"
            self.record.write_text(line, encoding="utf-8")

    def _start(self, file: BinaryIO, answer: Any) -> None:
        """Prepare the file for the body of an answer."""
        code, length = answer.status_code, answer.headers.get("Content-Length", "0")
        if code // 100 == 2 and code != 200 and not (code == 206 and self._asked):
            answer.close()
            raise requests.ConnectionError(f"the server sent no file (status {code})")
        if not (length.isascii() and length.isdigit()):
            answer.close()
            raise requests.ConnectionError(f"the length of the file is {length!r}")
        if code not in (200, 206, 416):
            return
        start, headers = file.tell(), answer.headers
        if self.path.suffix == ".gz":
            # Some servers declare the file's own compression as one for transport.
            for found in (headers, answer.raw.headers):
                found.pop("Content-Encoding", None)
        self.resumed = answer.status_code == 206
        if not self.resumed:
            file.seek(0)
            file.truncate()
        elif not headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            raise requests.ConnectionError(
                f"asked for bytes from {start}, got {headers}"
            )
        answer.raw.enforce_content_length = True  # the default since urllib3 2
        date = parsedate_tz(headers.get("Last-Modified", ""))
        if date or not self.resumed:  # a server need not repeat it
            self._modified = mktime_tz(date) if date else 0
        if code != 416:  # whose body nobody reads
            self._limit_body(file, answer)

    def _limit_body(self, file: BinaryIO, answer: Any) -> None:
        """Stop a body that does not end, which the file is read from in chunks."""
        iter_content, end = answer.iter_content, time.monotonic() + _MOST_SECONDS

        def limited(*args: Any, **kwargs: Any) -> Iterator[bytes]:
            try:
                for chunk in iter_content(*args, **kwargs):
                    if not self.sha256 and file.tell() + len(chunk) > _MOST_BYTES:
                        raise ValueError(f"it has more than {_MOST_BYTES:,} bytes")
                    yield chunk
                    if time.monotonic() > end:
                        raise ValueError(f"it took more than {_MOST_SECONDS:,} seconds")
            finally:
                del answer.iter_content  # a cycle would keep the connection open
                answer.close()

        answer.iter_content = limited

    def may_succeed(self, error: Exception) -> bool:
        """Whether the same request may succeed the next time."""
        if not isinstance(error, requests.RequestException):  # a wrong file,
            return self.resumed  # which may be made of parts of two versions
        status = getattr(error.response, "status_code", None)
        return status is None or status >= 500 or status in _TRANSIENT


def _open_no_link(path: str, flags: int) -> int:
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags, 0o666)


def _refuse_wrong(file: str, name: str) -> None:
    """Raise a ValueError if `file` cannot be what its `name` says."""
    with open(file, "rb") as opened:
        head = opened.read(256).lstrip().lower()
    if head.startswith((b"<!doctype html", b"<html")):
        raise ValueError("the server sent a web page, not the file")
    if name.endswith(".zip") and not zipfile.is_zipfile(file):
        raise ValueError("the file is not a complete zip archive")
    if name.endswith(".gz"):
        try:
            with gzip.open(file) as unpacked:
                while unpacked.read(1 << 20):
                    pass
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise ValueError("the file is not a complete gzip file") from error
