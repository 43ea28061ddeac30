"""What a fit learns from: texts in memory, or in a store."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, cast, overload

import numpy as np
from numpy.typing import NDArray

import skparaphrase
from skparaphrase.encoders._targets import check_enough, positive_rows, refuse_vectors
from skparaphrase.streams import TextStore
from skparaphrase.streams._tokens import stored_tokens
from skparaphrase.text import (
    NgramTokenizer,
    TokenBatch,
    WordTokenizer,
    numbered_texts,
)
from skparaphrase.vectors import WordVectors

_WORDS = 2**16  # of a vocabulary, at a time
_Encode = Callable[[Sequence[str]], Iterable[TokenBatch]]


@dataclass(frozen=True)
class Examples:
    """What the trainers of `nn` take.

    Attributes
    ----------
    texts : TokenBatch
    numbers : ndarray or StoredPairs
        Numbers of the texts of each example.
    identities : ndarray of shape (n_texts,) or None
        Equal where strings are; None where texts are distinct.
    targets : ndarray or None
        What a teacher has for the texts.
    """

    texts: TokenBatch
    numbers: "NDArray[np.intp] | StoredPairs"
    identities: NDArray[np.int64] | None
    targets: NDArray[np.float32] | None = None


class TextsInMemory:
    """Texts, each distinct one of which is encoded once.

    Parameters
    ----------
    texts : ndarray of any shape, dtype object
    """

    identities = None

    def __init__(self, texts: NDArray[np.object_]) -> None:
        self._texts = texts
        self.distinct, self.numbers = numbered_texts(texts)

    @property
    def texts(self) -> Sequence[str]:
        """All texts in a row."""
        return cast(Sequence[str], self._texts.ravel())

    def encode(
        self, encode_blocks: _Encode, key: Callable[[], str | None]
    ) -> TokenBatch:
        """The tokens of the distinct texts."""
        return TokenBatch.concatenate(list(encode_blocks(self.distinct)))


class TextsInStore:
    """Pairs of a store, which are read, and encoded, as they come.

    Parameters
    ----------
    store : TextStore
    y : array-like of shape (n_pairs,) or None
        Which of them are paraphrases.
    positive_from : float or None
    scratch : ExitStack
        Removes what is not to be kept.
    """

    def __init__(
        self, store: TextStore, y: Any, positive_from: float | None, scratch: ExitStack
    ) -> None:
        refuse_vectors(y)
        if len(store.shape) != 2 and len(store):
            raise ValueError(
                f"Expected pairs of texts, shape (n_pairs, 2); got shape {store.shape}."
            )
        chosen = positive_rows(store, y, positive_from)
        rows = None if chosen is None else np.flatnonzero(chosen)
        self.numbers = StoredPairs(len(store), rows, store.digest)
        check_enough(len(self.numbers))
        self.identities = store.identities
        self._store = store
        self._scratch = scratch

    @cached_property
    def texts(self) -> Sequence[str]:
        """All texts of the pairs in a row."""
        texts = self._store.flat
        rows = self.numbers.rows
        return texts if rows is None else ChosenTexts(texts, self.numbers[:].ravel())

    def encode(
        self, encode_blocks: _Encode, key: Callable[[], str | None]
    ) -> TokenBatch:
        """The tokens of all texts of the store."""
        return stored_tokens(self._store, encode_blocks, key(), self._scratch)


@dataclass(frozen=True)
class StoredPairs:
    """Numbers of the texts of pairs, shape (n_pairs, 2), without an array of them.

    Parameters
    ----------
    n_rows : int
        Of the store.
    rows : ndarray of int or None
        The pairs that are meant; None for all.
    digest : str
        Of the store.
    """

    n_rows: int
    rows: NDArray[np.intp] | None
    digest: str

    def __len__(self) -> int:
        return self.n_rows if self.rows is None else len(self.rows)

    def __getitem__(self, pairs: NDArray[np.intp] | slice) -> NDArray[np.intp]:
        if self.rows is not None:
            pairs = self.rows[pairs]
        elif isinstance(pairs, slice):
            pairs = np.arange(self.n_rows)[pairs]
        return 2 * pairs[:, np.newaxis] + np.arange(2)


class ChosenTexts(Sequence[str]):
    """Some texts of a longer sequence; slices are of the same kind."""

    def __init__(self, texts: Sequence[str], chosen: NDArray[np.intp]) -> None:
        self._texts = texts
        self._chosen = chosen

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, i: int) -> str: ...

    @overload
    def __getitem__(self, i: slice) -> "ChosenTexts": ...

    def __getitem__(self, i: int | slice) -> "str | ChosenTexts":
        if isinstance(i, slice):
            return ChosenTexts(self._texts, self._chosen[i])
        return self._texts[int(self._chosen[i])]


def check_known(batch: TokenBatch) -> None:
    """Raise if no token of the texts has a vector."""
    if not len(batch.ids):
        raise ValueError(
            "No word of the texts has a vector: do texts and vectors agree in "
            "language, case and tokens?"
        )


@contextmanager
def streamed(X: Any) -> Iterator[tuple[Any, ExitStack]]:
    """What is given to a fit, an iterator in a store that is removed at the end.

    Yields
    ------
    X : TextStore, or what was given
    scratch : ExitStack
        Closed at the end.
    """
    with ExitStack() as scratch:
        if isinstance(X, Iterator):
            place = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            X = TextStore.write(Path(scratch.enter_context(place)) / "texts", X)
        yield X, scratch


def tokens_key(tokenizer: Any, vectors: WordVectors) -> str | None:
    """What the tokens of a text follow from; None if nobody can tell."""
    settings = {k: v for k, v in vars(tokenizer).items() if not k.startswith("_")}
    if type(tokenizer) not in (WordTokenizer, NgramTokenizer):
        return None
    if settings.get("tokenizer") is not None:
        return None
    facts = [
        type(tokenizer).__name__,
        sorted(settings.items()),
        vectors.unknown_row,
        skparaphrase.__version__,
        unicodedata.unidata_version,
    ]
    digest = blake2b(json.dumps(facts).encode(), digest_size=16)
    words = iter(vectors.words)
    while block := list(islice(words, _WORDS)):
        digest.update(json.dumps(block).encode())
    return digest.hexdigest()
