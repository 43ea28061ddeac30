"""Files to read: compressed ones are decompressed, those of another kind refused."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs
import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from skparaphrase.storage._folders import open_plain, refuse_corruption

_UTF16 = {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}
_SUFFIXES = {".gz", ".bz2", ".xz", ".zip"}
# What files begin with, whatever they are called.
_MODULES = {rb"\x1f\x8b\x08": "gzip", rb"BZh[1-9]1AY&SY": "bz2", rb"\xfd7zXZ\0": "lzma"}
_KINDS = {
    rb"PAR1\x15": "a Parquet file; read it with pandas.read_parquet",
    rb"\x93NUMPY": "an array of NumPy; pass np.load(path) and words to WordVectors",
    rb"\x80[\2-\5]": "a pickle; load it with the library that wrote it, such as pandas "
    "or gensim (KeyedVectors.load), whose vectors import_word_vectors takes",
    rb"\xba\x16\x4f\x2f": "a model of fastText; load it with load_facebook_vectors of "
    "gensim.models.fasttext, and pass that to import_word_vectors with "
    "unknown='subword'",
    rb"\x28\xb5\x2f\xfd": "compressed with zstd; decompress it",
    rb"\xd0\xcf\x11\xe0": "an Excel file; read it with pandas.read_excel",
    rb".{257}ustar(\0|  \0)": "a tar archive; extract the file to read",
}


@contextmanager
def open_data(path: Path, encoding: str = "utf-8") -> Iterator[tuple[BinaryIO, str]]:
    """Open a file to read its content, and find the name that this has.

    Compressed files are decompressed, and a byte order mark of UTF-8 is skipped. If the
    `encoding` is "utf-8", a file with the mark of UTF-16 is converted. Files of some
    other kinds raise a ValueError that says how to read them.
    """
    name = path.stem if path.suffix.lower() in _SUFFIXES else path.name
    with open_plain(path) as raw, refuse_corruption(path):
        file, name = _open(path, raw, name)
        with file:
            head = file.peek(3)[:3]
            if head == codecs.BOM_UTF8:
                file.read(3)
            elif encoding == "utf-8" and head[:2] in _UTF16:
                file = io.BytesIO(file.read().decode("utf-16").encode())
            yield file, name


def _open(path: Path, file: Any, name: str) -> tuple[Any, str]:
    """A file whose content is not compressed, and its name."""
    head = file.peek(512)
    for pattern, module in _MODULES.items():
        if re.match(pattern, head):
            return _open(path, import_module(module).open(file), name)
    for pattern, kind in _KINDS.items():
        if re.match(pattern, head, re.DOTALL):
            raise ValueError(f"{path} is {kind}.")
    if not head.startswith(b"PK\3\4"):
        return file, name
    with zipfile.ZipFile(file) as archive:
        names = [n for n in archive.namelist() if not re.search("/$|^__MACOSX/", n)]
        if "[Content_Types].xml" in names:
            raise ValueError(
                f"{path} is an Excel file; read it with pandas.read_excel."
            )
        if len(names) != 1:
            raise ValueError(
                f"{path} holds {len(names)} files, {', '.join(names[:5])}; extract the "
                "one to read."
            )
        return _open(path, archive.open(names[0]), Path(names[0]).name)
