"""Batches of tokens, and the look-up of the words of texts in a vocabulary."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, count, filterfalse
from sys import getsizeof
from typing import ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from skparaphrase._estimator import warn_caller
from skparaphrase.text._check import text_blocks
from skparaphrase.text._tokenizer import TOKEN_PATTERNS, WordTokenizer, is_word

JOINERS = frozenset("'-.\u2019/:,")  # between the parts of a compound
_PARTS = re.compile(r"\w+")
_PIECE_BYTES = 150  # memory of a piece besides its characters and rows
_FIRST_TEXTS = 200  # of a call, in which tokens without a vector are counted
_WARN_FROM = 50  # tokens; fewer say little about the vocabulary

EmbedOOV = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True)
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
    >>> from skparaphrase.text import TokenBatch
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
    def concatenate(batches: "Sequence[TokenBatch]") -> "TokenBatch":
        """Join batches, of which there is at least one.

        Parameters
        ----------
        batches : sequence of TokenBatch

        Returns
        -------
        batch : TokenBatch
        """
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


class WordLookup:
    """Encodes texts as rows of a vocabulary, and remembers what it has looked up.

    Texts are split at white space, and each distinct piece is tokenised and looked up
    once, in all calls and threads together. A look-up whose memory takes more than
    `max_bytes` is cleared.

    Parameters
    ----------
    tokenizer : WordTokenizer
    index : mapping of str to int
        The row of every known word.
    unknown : int, default=None
        The row of other words. None leaves them out.
    vectors : callable, default=None
        Takes words that `index` lacks and returns their vectors, of shape (n_words,
        dim). Batches then contain these vectors, and `unknown` is not used. Words
        without a letter or digit are left out.

    Attributes
    ----------
    max_bytes : int, default=2**28
        Class attribute: maximum memory, without the vocabulary. The default of 256 MB
        is enough for about a million pieces.

    Examples
    --------
    >>> from skparaphrase.text import WordLookup, WordTokenizer
    >>> lookup = WordLookup(WordTokenizer(), {"a": 0, "cat": 1, "dog": 2})
    >>> [batch] = lookup.encode_blocks(["A cat.", "The cat-dog"])
    >>> batch[0].tolist(), batch[1].tolist()
    ([0, 1], [1, 2])
    """

    max_bytes: ClassVar[int] = 2**28

    def __init__(
        self,
        tokenizer: WordTokenizer,
        index: Mapping[str, int],
        unknown: int | None = None,
        vectors: EmbedOOV | None = None,
    ) -> None:
        self._find = tokenizer._find()
        # Matches of other patterns may contain white space.
        self._by_piece = tokenizer.pattern in TOKEN_PATTERNS
        self._whole_words = tokenizer.pattern == "words"
        self._lowercase = tokenizer.lowercase
        self._split_compounds = tokenizer.split_compounds
        self._index = index
        self._unknown = unknown if vectors is None else None
        self._embed_oov = vectors
        self._has_warned = False
        self._memory = _Memory()

    def encode_blocks(
        self,
        texts: Iterable[str],
        block_size: int = 4096,
        max_characters: int | None = 2**18,
        *,
        skip_unknown: bool = False,
    ) -> Iterator[TokenBatch]:
        """Look up the tokens of texts in one or more blocks.

        Parameters
        ----------
        texts : iterable of str
        block_size : int, default=4096
            Maximum number of texts in a block.
        max_characters : int or None, default=2**18
            Maximum number of characters in a block of several texts.
        skip_unknown : bool, default=False
            Compute no vectors: leave out words that `index` lacks.

        Yields
        ------
        batch : TokenBatch
        """
        n_done = 0
        for block in text_blocks(texts, block_size, max_characters):
            memory = self._memory
            ids, offsets = self._find_ids(block, n_done, memory)
            is_unknown = ids < 0
            unknown = is_unknown.nonzero()[0]
            if not len(unknown):
                yield TokenBatch(ids, offsets)
            elif self._embed_oov is not None and not skip_unknown:
                if n_done == 0:
                    self._warn_of_oov(ids, offsets, memory)
                vectors = self._unknown_vectors(ids, unknown, memory)
                yield TokenBatch(ids, offsets, vectors)
            else:
                if n_done == 0 and self._embed_oov is None:
                    _warn_of_unknown_words(unknown, offsets)
                offsets -= unknown.searchsorted(offsets)
                yield TokenBatch(ids[~is_unknown], offsets)
            n_done += len(block)

    def encode_with_new_words(
        self, texts: Iterable[str]
    ) -> tuple[TokenBatch, list[str]]:
        """Look up the tokens of texts, and list the words that have no row.

        Only for a look-up with `vectors`.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        batch : TokenBatch
            Row `i` of `extra` is the vector of word `i` of the list.
        new_words : list of str
            Distinct words with a letter or digit, in order of appearance.
        """
        assert self._embed_oov is not None
        new_ids: dict[str, int] = {}
        batches: list[TokenBatch] = []
        n_done = 0
        for block in text_blocks(texts, 4096, 2**18):
            memory = self._memory
            ids, offsets = self._find_ids(block, n_done, memory)
            unknown = (ids < 0).nonzero()[0]
            words = map(memory.words.__getitem__, ids[unknown].tolist())
            ids[unknown] = [new_ids.setdefault(w, -1 - len(new_ids)) for w in words]
            batches.append(TokenBatch(ids, offsets))
            n_done += len(block)
        batch, new_words = TokenBatch.concatenate(batches), [*new_ids]
        if not new_words:
            return batch, []
        vectors = self._embed_oov(new_words)
        return TokenBatch(batch.ids, batch.offsets, vectors), new_words

    def _warn_of_oov(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], memory: "_Memory"
    ) -> None:
        """Warn once if so many words are unknown as are in another language."""
        first = ids[: offsets[min(_FIRST_TEXTS, len(offsets) - 1)]]
        n_tokens, unknown = len(first), first[first < 0].tolist()
        least = n_tokens / 4 if n_tokens >= _WARN_FROM else max(n_tokens / 3, 7)
        if len(unknown) < least or self._has_warned:
            return
        n_unknown = sum(memory.words[word].isalpha() for word in unknown)
        if n_unknown < least:  # the others are numbers and names of articles
            return
        self._has_warned = True
        warn_caller(
            f"{n_unknown} of the first {n_tokens} tokens are not in the table, and get "
            "vectors made of their characters. That serves rare and misspelt words, "
            "but not another language: for that, use word vectors of the language of "
            "the texts (user guide, Other languages)."
        )

    def _find_ids(
        self, texts: Sequence[str], first: int, memory: "_Memory"
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Rows of all tokens, negative for unknown words, and where each text starts.

        `first` is the position of the first text in the whole, for error messages.
        """
        split = str.split if self._by_piece else self._find
        rows = memory.rows
        encoded = []
        for text in texts:
            pieces = split(text.lower() if self._lowercase else text)
            try:
                encoded.append(b"".join(map(rows.__getitem__, pieces)))
            except (KeyError, TypeError):  # a new piece, or a token that is not a str
                for piece in pieces:
                    if not isinstance(piece, str):
                        raise TypeError(
                            f"The tokenizer gave {piece!r} ({type(piece).__name__}) "
                            f"for text {first + len(encoded)}; tokens must be str."
                        ) from None
                    if piece not in rows:
                        rows[piece] = self._find_piece(piece, memory)
                encoded.append(b"".join(map(rows.__getitem__, pieces)))
        if memory.n_bytes > self.max_bytes:
            self._memory = _Memory()
        ids = np.frombuffer(bytearray().join(encoded), np.int32)
        ends = accumulate(map(len, encoded), initial=0)
        offsets = np.fromiter(ends, np.int64, len(encoded) + 1)
        offsets >>= 2  # an id has four bytes
        return ids, offsets

    def _find_piece(self, piece: str, memory: "_Memory") -> bytes:
        """Rows of the tokens of a new piece, as int32."""
        tokens = [piece]
        if self._by_piece and not (self._whole_words and piece.isalnum()):
            tokens = self._find(piece)
        find, unknown = self._index.get, self._unknown
        rows: list[int] = []
        for token in tokens:
            row = find(token)
            if row is None and self._split_compounds and not JOINERS.isdisjoint(token):
                parts = _PARTS.findall(token)
                part_rows = [*map(find, parts)]
                if part_rows.count(None) < len(parts):
                    for part, row in zip(parts, part_rows, strict=True):
                        if row is not None:
                            rows.append(row)
                        elif self._embed_oov is not None and is_word(part):
                            rows.append(memory.add(part))
                    continue
            if row is None and unknown is not None:
                row = unknown
            elif row is None and is_word(token):
                row = memory.add(token)
            if row is not None:
                rows.append(row)
        encoded = array("i", rows).tobytes()
        memory.n_bytes += _PIECE_BYTES + getsizeof(piece) + len(encoded)
        return encoded

    def _unknown_vectors(
        self, ids: NDArray[np.int32], unknown: NDArray[np.intp], memory: "_Memory"
    ) -> NDArray[np.float32]:
        """Vectors of the unknown words in a batch, whose ids become -1, -2, ..."""
        words = ids[unknown].tolist()
        numbers: dict[int, int] = {}
        for word in words:
            numbers.setdefault(word, -1 - len(numbers))
        ids[unknown] = [*map(numbers.__getitem__, words)]
        new = [*filterfalse(memory.vectors.__contains__, numbers)]
        if new:
            assert self._embed_oov is not None
            new_words = [*map(memory.words.__getitem__, new)]
            made = np.asarray(self._embed_oov(new_words), dtype=np.float32)
            as_bytes = map(np.ndarray.tobytes, made)
            memory.vectors.update(zip(new, as_bytes, strict=True))
            memory.n_bytes += made.nbytes
        joined = bytearray().join(map(memory.vectors.__getitem__, numbers))
        return np.frombuffer(joined, np.float32).reshape(len(numbers), -1)


@dataclass(eq=False)
class _Memory:
    """What a look-up remembers.

    Threads add to it without a lock, which a fork could leave locked: every thread
    finds the same rows and makes the same vectors. A piece is added after its unknown
    words. To clear a look-up, its memory is replaced: calls in progress keep theirs.
    """

    # of the tokens of each piece, as int32
    rows: dict[str, bytes] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    new_ids: Iterator[int] = field(default_factory=partial(count, -1, -1))
    words: dict[int, str] = field(default_factory=dict)  # the word of each of these ids
    vectors: dict[int, bytes] = field(default_factory=dict)  # of them, as float32
    n_bytes: int = 0

    def add(self, word: str) -> int:
        """The id of an unknown word."""
        word_id = self.ids.setdefault(word, next(self.new_ids))
        if word_id not in self.words:
            self.words[word_id] = word
            self.n_bytes += _PIECE_BYTES + getsizeof(word)
        return word_id


def _warn_of_unknown_words(
    unknown: NDArray[np.intp], offsets: NDArray[np.int64]
) -> None:
    """Warn if more than a fifth of the first tokens are at these positions."""
    n_tokens = int(offsets[min(_FIRST_TEXTS, len(offsets) - 1)])
    n_unknown = int(np.searchsorted(unknown, n_tokens))
    if n_tokens >= _WARN_FROM and n_unknown * 5 > n_tokens:
        warn_caller(
            f"{n_unknown} of the first {n_tokens} tokens have no vector and are "
            "left out. Vectors of character n-grams can stand in for them: see "
            "vectors.fit_subwords."
        )
