"""The text of a file, packed or not, in any encoding, line by line."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import NamedTuple

PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
_BYTES = 2**17  # read at a time; its lines take some twelve times as much


class Form(NamedTuple):
    """What the caller said of a file; errors then tell what else to say.

    Parameters
    ----------
    sep : str or None
        None leaves it to the ending.
    encoding : str
    """

    sep: str | None
    encoding: str


class TextSource:
    """A file that can be read more than once, a piece at a time.

    Parameters
    ----------
    path : Path
    is_packed : bool
        The ending says how.
    form : Form or None
        Without, it is UTF-8, and errors name no option.
    """

    def __init__(self, path: Path, *, is_packed: bool, form: Form | None) -> None:
        self.path = path
        self.is_packed = is_packed
        self.form = form

    def lines(self, newline: str) -> Iterator[str]:
        """Lines with their ends: all kinds of ends if `newline` is "", else that."""
        rest = ""
        for text in self._pieces():
            lines = list(StringIO(rest + text, newline=newline))
            # After a "\r" at the end of a piece there may come a "\n".
            rest = lines.pop() if lines and not lines[-1].endswith("\n") else ""
            yield from lines
        if rest:
            yield rest

    def text(self) -> str:
        """All of it, without a byte order mark."""
        return "".join(self._pieces())

    def _pieces(self) -> Iterator[str]:
        encoding = "utf-8" if self.form is None else self.form.encoding
        "".encode(encoding)  # a LookupError if it is no encoding of texts
        utf8 = codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
        decoder = codecs.getincrementaldecoder(encoding)()
        n_lines = 0
        first = True
        for raw, is_last in self._raw():
            if first and utf8 and raw[:2].count(0) == 1:
                # UTF-16 without a mark can pass for UTF-8.
                raise ValueError(
                    f"{self.path}, line 1: not UTF-8 (null bytes).{self._advice(utf8)}"
                )
            before = decoder.getstate()
            try:
                text = decoder.decode(raw, final=is_last)
            except UnicodeDecodeError as error:
                # The bytes that failed end where this piece ends.
                fine = max(len(raw) - (len(error.object) - error.start), 0)
                lenient = codecs.getincrementaldecoder(encoding)("replace")
                lenient.setstate(before)
                number = n_lines + lenient.decode(raw[:fine]).count("\n") + 1
                name = "UTF-8" if utf8 else encoding
                raise ValueError(
                    f"{self.path}, line {number}: not {name} ({error.reason})."
                    f"{self._advice(utf8)}"
                ) from error
            n_lines += text.count("\n")
            yield text.removeprefix("\ufeff") if first else text
            first = first and not text

    def _raw(self) -> Iterator[tuple[bytes, bool]]:
        """Unpacked bytes, and whether they are the last ones."""
        with self.path.open("rb") as packed:
            if not self.is_packed:
                while raw := packed.read(_BYTES):
                    yield raw, False
                yield b"", True
                return
            # Not every Python is built with all three.
            module = import_module(PACKED[self.path.suffix.lower()])
            try:
                with module.open(packed) as file:
                    while raw := file.read(_BYTES):
                        yield raw, False
            except Exception as error:  # each module has its own
                raise ValueError(
                    f"{self.path} is damaged or no {self.path.suffix} file ({error})."
                ) from error
        yield b"", True

    def _advice(self, utf8: bool) -> str:
        """What encoding a file that is not UTF-8 may have."""
        if not utf8 or self.form is None:
            return ""
        raw, _ = next(self._raw())
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            guess = "utf-16"
        elif b"\0" in raw:
            big = raw[::2].count(0) > raw[1::2].count(0)
            guess = "utf-16-be" if big else "utf-16-le"
        else:
            guess = "cp1252"
        return f" Perhaps encoding={guess!r}."


def read_utf8(path: Path) -> str:
    """The text of a file without its byte order mark; errors name the line."""
    return TextSource(path, is_packed=False, form=None).text()
