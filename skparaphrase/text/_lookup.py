"""Batches of tokens, and the look-up of the words of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from skparaphrase import _core
from skparaphrase._progress import progress_bar
from skparaphrase.text._tokenizer import WordTokenizer

BLOCK = 4096  # texts that are looked up at a time

EmbedOOV = Callable[[Sequence[str]], NDArray[np.float32]]
Check = Callable[[Sequence[str], "TokenBatch", Sequence[str]], None]


@dataclass(eq=False, slots=True)
class TokenBatch:
    """The tokens of a batch of texts, end to end.

    The tokens of text `i` are `ids[offsets[i]:offsets[i + 1]]`.

    Parameters
    ----------
    ids : ndarray of shape (n_tokens,), int32
        Rows of the vocabulary, and `-1 - i` for row `i` of `extra`.
    offsets : ndarray of shape (n_texts + 1,), int64
        Where each text begins, then the number of tokens.
    extra : ndarray of shape (n_extra, dim), float32, default=None
        Vectors of words outside the vocabulary.

    Examples
    --------
    >>> import numpy as np
    >>> from skparaphrase.text._lookup import TokenBatch
    >>> batch = TokenBatch(np.array([5, 7, 5], dtype=np.int32), np.array([0, 2, 2, 3]))
    >>> len(batch), batch.lengths.tolist(), batch[0].tolist()
    (3, [2, 0, 1], [5, 7])
    >>> batch[1:].offsets.tolist()
    [0, 0, 1]
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    extra: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, i: int | np.integer) -> NDArray[np.int32]: ...

    @overload
    def __getitem__(self, i: slice) -> "TokenBatch": ...

    def __getitem__(
        self, i: int | np.integer | slice
    ) -> "NDArray[np.int32] | TokenBatch":
        if isinstance(i, slice):
            start, stop, step = i.indices(len(self))
            if step != 1:
                raise ValueError("A batch is sliced in steps of 1 only; use take().")
            bounds = self.offsets[start : max(start, stop) + 1]
            ids = self.ids[bounds[0] : bounds[-1]]
            return TokenBatch(ids, bounds - bounds[0], self.extra)
        i = range(len(self))[int(i)]
        return self.ids[self.offsets[i] : self.offsets[i + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each text, shape (n_texts,)."""
        return self.offsets[1:] - self.offsets[:-1]  # np.diff takes ten times as long

    @staticmethod
    def concatenate(blocks: "Iterable[TokenBatch]") -> "TokenBatch":
        """Join batches, of which there is at least one.

        Parameters
        ----------
        blocks : iterable of TokenBatch
            A progress bar shows how many texts they have.

        Returns
        -------
        batch : TokenBatch
        """
        batches = []
        with progress_bar(None, "Reading") as advance:
            for batch in blocks:
                batches.append(batch)
                advance(len(batch))
        if len(batches) == 1:
            return batches[0]
        lengths = [batch.lengths for batch in batches]
        offsets = np.append(0, np.cumsum(np.concatenate(lengths)))
        ids = np.concatenate([batch.ids for batch in batches])
        extra = [batch.extra for batch in batches if batch.extra is not None]
        if not extra:
            return TokenBatch(ids, offsets)
        sizes = [0 if b.extra is None else len(b.extra) for b in batches]
        before = np.cumsum([0, *sizes[:-1]]).repeat([len(b.ids) for b in batches])
        ids = np.where(ids < 0, ids - before, ids).astype(np.int32)
        return TokenBatch(ids, offsets, np.concatenate(extra))

    def take(self, texts: NDArray[np.integer]) -> "TokenBatch":
        """Copy some texts into a new batch.

        Parameters
        ----------
        texts : ndarray of int of shape (n_taken,)
            Positions of the texts.

        Returns
        -------
        batch : TokenBatch
        """
        starts = self.offsets[texts]
        lengths = self.offsets[texts + 1] - starts
        positions, offsets = ragged_positions(starts, lengths)
        return TokenBatch(self.ids[positions], offsets, self.extra)


def ragged_positions(
    starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the slices `starts[i]:starts[i] + lengths[i]`, end to end.

    The second array tells where each slice begins in the first.
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    positions = np.repeat(starts - offsets[:-1], lengths)
    positions += np.arange(offsets[-1])
    return positions, offsets


def encode_words(
    texts: Sequence[str],
    index: _core.WordIndex,
    tokenizer: WordTokenizer,
    unknown: int | None = None,
    embed_oov: EmbedOOV | None = None,
    *,
    check: Check | None = None,
) -> TokenBatch:
    """Find the rows of the words of texts.

    Parameters
    ----------
    texts : sequence of str
    index : WordIndex
        The row of every known word.
    tokenizer : WordTokenizer
    unknown : int, default=None
        The row of other words. None leaves them out.
    embed_oov : callable, default=None
        Takes words that `index` lacks and returns their vectors, of shape (n_words,
        dim). The batch then contains these vectors, and `unknown` is not used. Words
        without a letter or digit are left out.
    check : callable, default=None
        Called with the texts, a batch in which the id of unknown word `i` is `-1 - i`,
        and the unknown words.

    Returns
    -------
    batch : TokenBatch
    """
    new = _core.core.WordIndex()
    keep_new = embed_oov is not None
    ids, offsets = _core.core.find_words(
        texts, index, tokenizer, None if keep_new else unknown, keep_new, new
    )
    words = new.words() if len(new) else []
    if check is not None:
        check(texts, TokenBatch(ids, offsets), words)
    if not words:
        return TokenBatch(ids, offsets)
    if embed_oov is not None:
        return TokenBatch(ids, offsets, embed_oov(words))
    is_known = ids >= 0
    offsets -= np.flatnonzero(~is_known).searchsorted(offsets)
    return TokenBatch(ids[is_known], offsets)
