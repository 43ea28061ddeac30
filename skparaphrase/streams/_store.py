"""Texts in a folder, read where they are needed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import mmap
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from skparaphrase._persistence import new_folder, read_metadata, write_metadata
from skparaphrase.streams._npy import GrowingArray, mapped
from skparaphrase.text._check import check_text_blocks

_KIND = "TextStore"
_VERSION = 1
_ROWS = 256  # checked and written at a time
_LOOKED_UP = 4096  # ends of texts, when many are read


class TextStore(Sequence[Any]):
    """Texts, or pairs of texts, in a folder.

    A sequence that holds no text in memory. :meth:`write` makes one from anything that
    gives texts one after another. Slices are lists; an array of row numbers, or a mask,
    gives an array of those rows, as searches and splits want it. Paraphrase encoders
    are fitted on it, and keep in the folder what they have tokenised.

    Parameters
    ----------
    folder : path-like
        One that :meth:`write` has made.

    Attributes
    ----------
    folder : Path
        Where it is.

    shape : tuple of int
        (n_texts,) or (n_pairs, 2).

    digest : str
        Of all texts: equal for stores that hold the same.

    identities : ndarray of shape (n_texts,), int64
        64 bits of the blake2b digest of each text of `flat`, memory-mapped.

    Raises
    ------
    FileNotFoundError, ValueError
        If the folder holds no store, or a damaged one.

    Notes
    -----
    On the disk a text takes its UTF-8 bytes and 16 more: where it ends, and 64 bits of
    its blake2b digest, by which training tells whether two texts are the same. (Two
    of a billion texts share those by chance with a probability of 3 %; in training
    that would matter only in one batch, and with `mask_identical`.) There is no
    pickle in it. Lone surrogates are kept.

    Folders in it whose names begin with `tokens-` are what fits have tokenised, with
    `.tokens-` what is left of fits that were killed while they did so. All may be
    deleted while no fit is running.

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

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder).absolute()
        metadata = read_metadata(self.folder, kind=_KIND, version=_VERSION)
        try:
            self.shape: tuple[int, ...] = tuple(map(int, metadata["shape"]))
            self.digest = str(metadata["digest"])
            ends = mapped(self.folder / "ends.npy")
            self.identities: NDArray[np.int64] = mapped(self.folder / "identities.npy")
            raw = _mapped_bytes(self.folder / "texts.bin")
        except (KeyError, TypeError, ValueError, EOFError, OSError) as error:
            raise ValueError(f"{self.folder} is damaged: {error!r}.") from error
        n_texts = int(np.prod(self.shape))
        n_bytes = int(ends[-1]) if len(ends) else 0
        if len(ends) != n_texts or len(raw) != n_bytes:
            raise ValueError(
                f"{self.folder} is damaged: its files do not fit together."
            )
        self._flat = StoredTexts(raw, ends, 0, n_texts)

    @classmethod
    def open(cls, folder: str | PathLike[str]) -> "TextStore":
        """The store in a folder.

        Parameters
        ----------
        folder : path-like
            One that :meth:`write` has made.

        Returns
        -------
        store : TextStore
        """
        return cls(folder)

    @classmethod
    def write(cls, folder: str | PathLike[str], texts: Iterable[Any]) -> "TextStore":
        """Write texts into a folder.

        Memory does not grow with their number, but for frames and arrays, whose texts
        become objects of Python all at once.

        Parameters
        ----------
        folder : path-like
            Appears whole or not at all. A folder that this package wrote is replaced.

        texts : iterable of str, or of pairs of str
            A list, a generator, a store, an array, or a frame with one or two columns;
            read once.

        Returns
        -------
        store : TextStore
            The texts, from the folder.

        Raises
        ------
        TypeError, ValueError
            If an entry is no `str` or no pair of them, with its index in `texts`; if
            `folder` exists and is of somebody else.
        """
        with new_folder(folder) as new:
            _write(new, texts)
        return cls(folder)

    @property
    def flat(self) -> "StoredTexts":
        """All texts in a row, a sequence of `str`; pair `i` at `2i` and `2i + 1`."""
        return self._flat

    def rows(self, start: int, stop: int) -> NDArray[np.object_]:
        """Some rows as an array.

        Parameters
        ----------
        start, stop : int
            The first row, and the row after the last one.

        Returns
        -------
        rows : ndarray of shape (stop - start,) or (stop - start, 2), dtype object
        """
        width = len(self.shape)  # texts of a row
        texts = list(self._flat[start * width : stop * width])
        found = np.empty(len(texts), dtype=object)
        found[:] = texts
        return found.reshape(-1, *self.shape[1:])

    def __len__(self) -> int:
        return self.shape[0]

    @overload
    def __getitem__(self, i: int) -> Any: ...

    @overload
    def __getitem__(self, i: slice) -> list[Any]: ...

    @overload
    def __getitem__(self, i: Any) -> Any: ...

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, tuple) and len(i) == 2 and i[1] is Ellipsis:
            i = i[0]  # so does scikit-learn pick rows of what has a shape
        if isinstance(i, (list, np.ndarray)):
            return self._picked(np.arange(len(self))[i])
        if isinstance(i, slice):
            start, stop, step = i.indices(len(self))
            if step != 1:
                return [self[j] for j in range(start, stop, step)]
            return self._as_rows(start, max(start, stop))
        i = range(len(self))[i]
        return self._as_rows(i, i + 1)[0]

    def __iter__(self) -> Iterator[Any]:
        texts = iter(self._flat)
        return texts if len(self.shape) == 1 else zip(texts, texts, strict=True)

    def _picked(self, rows: NDArray[np.intp]) -> NDArray[np.object_]:
        found = np.empty((len(rows), *self.shape[1:]), dtype=object)
        for place, row in enumerate(rows.tolist()):
            found[place] = self[row]
        return found

    def _as_rows(self, start: int, stop: int) -> list[Any]:
        if len(self.shape) == 1:
            return list(self._flat[start:stop])
        texts = iter(self._flat[2 * start : 2 * stop])
        return list(zip(texts, texts, strict=True))

    def __repr__(self) -> str:
        return f"TextStore({str(self.folder)!r}, shape={self.shape})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TextStore, (str(self.folder),)


class StoredTexts(Sequence[str]):
    """Texts of a store, end to end; slices without steps are of the same kind.

    Parameters
    ----------
    raw : mmap or bytes
        UTF-8, with lone surrogates.
    ends : ndarray of shape (n_texts,), int64
        Where each text ends in it.
    start, stop : int
        The texts that are meant.
    """

    def __init__(
        self, raw: mmap.mmap | bytes, ends: NDArray[np.int64], start: int, stop: int
    ) -> None:
        self._raw = raw
        self._ends = ends
        self._start = start
        self._stop = stop

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, i: int) -> str: ...

    @overload
    def __getitem__(self, i: slice) -> Sequence[str]: ...

    def __getitem__(self, i: int | slice) -> str | Sequence[str]:
        here = range(self._start, self._stop)[i]
        if isinstance(here, int):
            return next(self._decoded(here, here + 1))
        if here.step != 1:
            return [next(self._decoded(j, j + 1)) for j in here]
        return StoredTexts(
            self._raw, self._ends, here.start, max(here.start, here.stop)
        )

    def __iter__(self) -> Iterator[str]:
        return self._decoded(self._start, self._stop)

    def _decoded(self, start: int, stop: int) -> Iterator[str]:
        raw = self._raw
        for first in range(start, stop, _LOOKED_UP):
            last = min(first + _LOOKED_UP, stop)
            begin = int(self._ends[first - 1]) if first else 0
            for end in self._ends[first:last].tolist():
                yield str(raw[begin:end], "utf-8", "surrogatepass")
                begin = end


def _write(folder: Path, texts: Iterable[Any]) -> None:
    of_bytes, of_lengths = blake2b(), blake2b()
    n_rows = n_bytes = 0
    with (
        (folder / "texts.bin").open("wb") as raw,
        GrowingArray(folder / "ends.npy", np.int64) as ends,
        GrowingArray(folder / "identities.npy", np.int64) as identities,
    ):
        for block in check_text_blocks(texts, _ROWS):
            encoded = [
                text.encode("utf-8", "surrogatepass") for text in block.ravel().tolist()
            ]
            joined = b"".join(encoded)
            raw.write(joined)
            lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
            ends.append(n_bytes + np.cumsum(lengths))
            identities.append(_identities(encoded))
            of_bytes.update(joined)
            of_lengths.update(lengths.astype("<i8").tobytes())
            n_rows += len(block)
            n_bytes += len(joined)
            shape = [n_rows, *block.shape[1:]]
    parts = [json.dumps(shape), of_bytes.hexdigest(), of_lengths.hexdigest()]
    digest = blake2b(" ".join(parts).encode(), digest_size=16).hexdigest()
    write_metadata(folder, kind=_KIND, version=_VERSION, shape=shape, digest=digest)


def _identities(encoded: list[bytes]) -> NDArray[np.int64]:
    """Numbers that are equal where texts are."""
    digests = b"".join(blake2b(text, digest_size=8).digest() for text in encoded)
    return np.frombuffer(digests, dtype="<i8").astype(np.int64)


def _mapped_bytes(path: Path) -> mmap.mmap | bytes:
    if not path.stat().st_size:
        return b""  # which cannot be mapped
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
