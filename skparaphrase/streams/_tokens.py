"""The tokens of a store, in its folder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import errno
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path

import numpy as np

from skparaphrase.streams._npy import GrowingArray, mapped
from skparaphrase.streams._store import TextStore
from skparaphrase.text import TokenBatch

_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}


def stored_tokens(
    store: TextStore,
    encode_blocks: Callable[[Sequence[str]], Iterable[TokenBatch]],
    key: str | None,
    scratch: ExitStack,
) -> TokenBatch:
    """The tokens of all texts of a store, memory-mapped.

    They are written into the store's folder, whole or not at all, and found there by
    the next call with the same key.

    Parameters
    ----------
    store : TextStore
    encode_blocks : callable
        Makes batches of texts, one after another.
    key : str or None
        What the tokens follow from, besides the texts. None: do not keep them.
    scratch : ExitStack
        Removes what is not to be kept, or cannot be kept in a folder that may only be
        read.

    Returns
    -------
    tokens : TokenBatch
        Of `store.flat`.
    """
    folder = None
    if key is not None:
        name = blake2b(f"{store.digest} {key}".encode(), digest_size=16).hexdigest()
        folder = store.folder / f"tokens-{name}"
        if not folder.is_dir():
            try:
                _write(folder, store, encode_blocks)
            except OSError as error:
                if error.errno not in _READ_ONLY:
                    raise
                folder = None
    if folder is None:
        place = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        folder = Path(scratch.enter_context(place)) / "tokens"
        _write(folder, store, encode_blocks)
    tokens = TokenBatch(mapped(folder / "ids.npy"), mapped(folder / "offsets.npy"))
    if len(tokens) != len(store.flat) or tokens.offsets[-1] != len(tokens.ids):
        raise ValueError(f"{folder} is damaged; delete it, and it is made anew.")
    return tokens


def _write(
    folder: Path,
    store: TextStore,
    encode_blocks: Callable[[Sequence[str]], Iterable[TokenBatch]],
) -> None:
    place = Path(tempfile.mkdtemp(prefix=".tokens-", dir=folder.parent))
    new = place / "new"  # which others may read, unlike what mkdtemp makes
    try:
        new.mkdir()
        with (
            GrowingArray(new / "ids.npy", np.int32) as ids,
            GrowingArray(new / "offsets.npy", np.int64) as offsets,
        ):
            offsets.append(np.zeros(1))
            for batch in encode_blocks(store.flat):
                offsets.append(batch.offsets[1:] + ids.n_rows)
                ids.append(batch.ids)
        try:
            new.rename(folder)
        except OSError:  # another process was quicker, with the same tokens
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(place, ignore_errors=True)
