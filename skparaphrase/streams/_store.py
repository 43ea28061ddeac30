"""Texts in a folder, and their tokens, read from the disk when they are needed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import errno
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.storage._folders import (
    checked_file,
    is_large,
    new_folder,
    read_folder,
    read_metadata,
    refuse_damage,
    temporary_folder,
    write_metadata,
)
from skparaphrase.text import TokenBatch
from skparaphrase.text._check import check_text_blocks

_Encode = Callable[[Sequence[str]], Iterable[TokenBatch]]

_KIND, _TOKENS = "TextStore", "Tokens"
_VERSION = 1
_ROWS = 256  # rows checked and written at a time
_LOOKED_UP = 4096  # bounds of texts read at a time
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}


class TextStore(Sequence[Any]):
    """Texts, or pairs or triplets of texts, in a folder.

    A sequence that holds no text in memory; :meth:`write` makes one from any iterable
    of texts. A slice is a list; an array of row numbers, or a mask, gives an array of
    those rows, as searches and splits expect. Paraphrase encoders can be fitted on it,
    and store the tokens of its texts in the folder.

    Parameters
    ----------
    folder : path-like
        A folder written by :meth:`write`.
    verify : bool, default=False
        Compare the checksums of all files, which takes a second per GB. Those of files
        of up to 16 MB are always compared.

    Attributes
    ----------
    folder : Path
        The absolute path.
    shape : tuple of int
        (n_texts,), (n_pairs, 2) or (n_triplets, 3).
    digest : str
        Digest of all texts, equal for stores of the same texts.
    identities : ndarray of shape (n_texts,), int64
        64 bits of the blake2b digest of each text of `flat`, memory-mapped.

    Raises
    ------
    FileNotFoundError, ValueError
        If the folder holds no store, or one that is damaged or of another version.

    Notes
    -----
    On the disk, a text takes its UTF-8 bytes (lone surrogates are kept) and 16 bytes
    for its position and its digest, by which training recognises equal texts. Two of a
    billion texts share a digest with a probability of 3 %, which would matter only if
    they were in one batch with `mask_identical`.

    Folders in it named `tokens-` hold what fits have tokenised, those named `.tokens-`
    what killed fits have left. All may be deleted while no fit is running.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from skparaphrase.streams import TextStore
    >>> with TemporaryDirectory() as folder:
    ...     pairs = (("a cat", f"cat {i}") for i in range(1000))
    ...     store = TextStore.write(f"{folder}/pairs", pairs)
    ...     store.shape, store[1], store[-1:], store.flat[1]
    ((1000, 2), ('a cat', 'cat 1'), [('a cat', 'cat 999')], 'cat 0')
    """

    def __init__(self, folder: str | PathLike[str], *, verify: bool = False) -> None:
        self.folder = Path(folder).absolute()
        read_folder(self.folder, self._open, verify=verify)

    def _open(self, folder: Path, *, verify: bool) -> None:
        metadata = read_metadata(
            folder, kind=_KIND, version=_VERSION, lazy=".bin", verify=verify
        )
        if not os.path.lexists(folder / "bounds.bin"):
            raise ValueError(
                f"{folder} was written by another version of skparaphrase, whose "
                "stores have other files. Write the texts again."
            )
        with refuse_damage(folder):
            n_rows, *more = metadata["shape"]
            if type(n_rows) is not int or n_rows < 0 or more not in ([], [2], [3]):
                raise ValueError(f"it has shape {metadata['shape']!r}")
            self.shape: tuple[int, ...] = (n_rows, *more)
            self.digest = str(metadata["digest"])
            raw = _map(folder / "texts.bin", np.uint8)
            bounds = _map(folder / "bounds.bin", "<i8")
            self.identities = _map(folder / "identities.bin", "<i8")
            n_texts = math.prod(self.shape)
            if (len(bounds) - 1, len(self.identities)) != (n_texts, n_texts):
                raise ValueError("its files do not match")
            _check_bounds(bounds, len(raw), all=verify)
        self._flat = StoredTexts(raw.data, bounds)

    @classmethod
    def write(cls, folder: str | PathLike[str], texts: Iterable[Any]) -> "TextStore":
        """Write texts into a folder, which appears complete or not at all.

        Memory does not grow with the number of texts, except for frames and arrays,
        whose texts all become Python objects.

        Parameters
        ----------
        folder : path-like
            An existing folder written by this package is replaced.
        texts : iterable of str, or of pairs or triplets of str
            A list, a generator, a store, an array, or a frame with one to three
            columns; read once.

        Returns
        -------
        store : TextStore
            The texts, read from the folder.

        Raises
        ------
        TypeError, ValueError
            If an entry is not a `str` or a tuple of them, with its index in `texts`, or
            if this package did not write the existing `folder`.
        """
        with new_folder(folder) as new:
            _write_texts(new, texts)
        return cls(folder)

    @property
    def flat(self) -> "StoredTexts":
        """All texts as a sequence of `str`; pair `i` is at `2i` and `2i + 1`."""
        return self._flat

    @property
    def _width(self) -> int:
        """The number of texts in a row."""
        return math.prod(self.shape[1:])

    def rows(self, start: int, stop: int) -> NDArray[np.object_]:
        """Read consecutive rows as an array.

        Parameters
        ----------
        start, stop : int
            The first row, and the row after the last one.

        Returns
        -------
        rows : ndarray of shape (stop - start,) + shape[1:], dtype object
        """
        width = self._width
        return self._array(self._flat[start * width : stop * width])

    def _array(self, texts: Iterable[str]) -> NDArray[np.object_]:
        return np.array([*texts], dtype=object).reshape(-1, *self.shape[1:])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, tuple) and len(i) == 2 and i[1] is Ellipsis:
            i = i[0]  # scikit-learn's way to pick rows of what has a shape
        width = self._width
        if isinstance(i, (list, np.ndarray)):
            picked = np.arange(len(self))[i][:, np.newaxis] * width + np.arange(width)
            return self._array(self._flat[j] for j in picked.ravel().tolist())
        here = range(len(self))[i]
        if isinstance(here, int):
            return self[here : here + 1][0]
        if here.step != 1:
            return [self[j] for j in here]
        return list(self._as_rows(self._flat[here.start * width : here.stop * width]))

    def __iter__(self) -> Iterator[Any]:
        return self._as_rows(self._flat)

    def _as_rows(self, texts: Iterable[str]) -> Iterator[Any]:
        texts = iter(texts)
        if len(self.shape) == 1:
            return texts
        return zip(*[texts] * self._width, strict=True)

    def __repr__(self) -> str:
        return f"TextStore({str(self.folder)!r}, shape={self.shape})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TextStore, (str(self.folder),)


class StoredTexts(Sequence[str]):
    """Texts end to end; a slice without a step shares them.

    `raw` is UTF-8; `bounds`, of shape (n_texts + 1,), holds where each text starts and
    where the last one ends.
    """

    # Slices of text.Vocabulary, which are lists, take three times as long to read.

    def __init__(self, raw: memoryview, bounds: NDArray[np.int64]) -> None:
        self._raw = raw
        self._bounds = bounds

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, i: Any) -> Any:
        here = range(len(self))[i]
        if isinstance(here, int):
            start, end = self._bounds[here : here + 2].tolist()
            return str(self._raw[start:end], "utf-8", "surrogatepass")
        if here.step != 1:
            return [self[j] for j in here]
        stop = max(here.start, here.stop)
        return StoredTexts(self._raw, self._bounds[here.start : stop + 1])

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _LOOKED_UP):
            bounds = self._bounds[first : first + _LOOKED_UP + 1].tolist()
            for start, end in pairwise(bounds):
                yield str(self._raw[start:end], "utf-8", "surrogatepass")


def _check_bounds(bounds: NDArray[np.int64], size: int, *, all: bool) -> None:
    """Raise a ValueError unless bounds rise from 0 to `size`; many, only if asked."""
    if bounds[0] != 0 or bounds[-1] != size:
        raise ValueError("its files do not match")
    if all or not is_large(bounds.nbytes):
        if (bounds[1:] < bounds[:-1]).any():
            raise ValueError("its texts overlap")


def _map(path: Path, dtype: Any) -> NDArray[Any]:
    """The array in a file, memory-mapped."""
    if not checked_file(path).stat().st_size:
        return np.empty(0, dtype)  # an empty file cannot be mapped
    # As a plain array: look-ups in a memmap take several times as long.
    return np.asarray(np.memmap(path, dtype, mode="r"))


def _write_texts(folder: Path, texts: Iterable[Any]) -> None:
    digest = blake2b(digest_size=16)
    n_rows = n_bytes = 0
    with (
        (folder / "texts.bin").open("wb") as raw,
        (folder / "bounds.bin").open("wb") as bounds,
        (folder / "identities.bin").open("wb") as identities,
    ):
        bounds.write(bytes(8))
        for block in check_text_blocks(texts, _ROWS):
            encoded = [
                text.encode("utf-8", "surrogatepass") for text in block.ravel().tolist()
            ]
            joined = b"".join(encoded)
            lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
            raw.write(joined)
            bounds.write((n_bytes + np.cumsum(lengths)).astype("<i8").tobytes())
            digests = [blake2b(text, digest_size=8).digest() for text in encoded]
            digest.update(b"".join(digests))
            identities.write(b"".join(digests))
            n_rows += len(block)
            n_bytes += len(joined)
            shape = [n_rows, *block.shape[1:]]
    digest.update(json.dumps(shape).encode())
    about = {"shape": shape, "digest": digest.hexdigest()}
    write_metadata(folder, kind=_KIND, version=_VERSION, **about)


def stored_tokens(
    store: TextStore,
    encode_blocks: _Encode,
    key: str | None,
    n_words: int,
    scratch: ExitStack,
) -> TokenBatch:
    """The tokens of `store.flat`, memory-mapped from the store's folder.

    The next call with the same key finds them. It identifies all that the tokens depend
    on except the texts; if it is None, or the folder is read-only, the tokens are kept
    only until `scratch` is closed.
    """
    folder = None
    if key is not None:
        name = blake2b(f"{store.digest} {key}".encode(), digest_size=16).hexdigest()
        folder = store.folder / f"tokens-{name}"
        if not folder.is_dir():
            try:
                _write_tokens(folder, store, encode_blocks)
            except OSError as error:
                if error.errno not in _READ_ONLY:
                    raise
                folder = None
    if folder is None:
        place = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        folder = Path(scratch.enter_context(place)) / "tokens"
        _write_tokens(folder, store, encode_blocks)
    try:
        read_metadata(folder, kind=_TOKENS, version=_VERSION)
        with refuse_damage(folder):
            ids = _map(folder / "ids.bin", "<i4")
            offsets = _map(folder / "offsets.bin", "<i8")
            if len(offsets) - 1 != len(store.flat):
                raise ValueError("its files do not match")
            _check_bounds(offsets, len(ids), all=True)
            if len(ids) and not 0 <= ids.min() <= ids.max() < n_words:
                raise ValueError(f"there are no more than {n_words} words")
    except (FileNotFoundError, ValueError) as error:
        raise ValueError(f"{error}. Delete it to tokenise the texts again.") from error
    return TokenBatch(ids, offsets)


def _write_tokens(folder: Path, store: TextStore, encode_blocks: _Encode) -> None:
    with temporary_folder(folder) as new:
        if folder.is_dir():  # another has written the same tokens meanwhile
            return
        with (
            (new / "ids.bin").open("wb") as ids,
            (new / "offsets.bin").open("wb") as offsets,
        ):
            offsets.write(bytes(8))
            n_ids = 0
            for batch in encode_blocks(store.flat):
                ids.write(batch.ids.astype("<i4").tobytes())
                offsets.write((n_ids + batch.offsets[1:]).astype("<i8").tobytes())
                n_ids += len(batch.ids)
        write_metadata(new, kind=_TOKENS, version=_VERSION)
        new.rename(folder)
