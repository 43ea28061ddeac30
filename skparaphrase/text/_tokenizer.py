"""Texts to words, and words to rows of a vocabulary."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, count, pairwise, repeat
from sys import getsizeof
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from skparaphrase._estimator import DocumentedOnline, warn_caller
from skparaphrase.text._batch import TokenBatch, text_blocks

#: Named token patterns. No match of them holds white space.
TOKEN_PATTERNS: Mapping[str, str] = {
    # Words with their inner apostrophes, hyphens and dots; punctuation marks alone.
    "words": r"\w+(?:['\-.]\w+)*|[^\w\s]",
    # Penn Treebank-like: "do n't", "it 's", "can not"; numbers, "u.s." and hyphenated
    # words whole; runs of dots and dashes whole.
    "ptb": (
        r"(?:[^\W\d_]\.){2,}"
        r"|\d+(?:[.,:/]\d+)+"
        r"|\bcan(?=not\b)"
        r"|\w+?(?=n['\u2019]t\b)"
        r"|n['\u2019]t\b"
        r"|['\u2019](?:s|m|d|re|ve|ll)\b"
        r"|\w+(?:-\w+)*"
        r"|\.{2,}|-{2,}|[^\w\s]"
    ),
}
JOINERS = frozenset("'-.\u2019/:,")  # between the parts of a compound
_PARTS = re.compile(r"\w+")
_PIECE_BYTES = 150  # of one piece: its rows and places in dicts
_CHUNK = 1024  # vectors of unknown words in an array
_NO_TOKENS = -(2**31)  # plus n: the mark before the rows of a piece of n tokens
_MARK = -(2**30)  # ids below it are marks
_AT_ONCE = 256  # texts whose pieces are in memory; more take a fifth longer
_FEW = 64  # tokens; looking for repeats does not pay for so few
_FIRST_TEXTS = 200  # of a call, whose words without a vector are counted
_WARN_FROM = 50  # tokens of them; fewer say little about the vocabulary

Unknown = int | Callable[[str], int | None] | None  # the row of words without one
MakeVectors = Callable[[list[str]], NDArray[np.float32]]
_Rows = tuple[NDArray[np.int32], NDArray[np.int64]]  # of tokens, and starts of texts


class WordTokenizer(DocumentedOnline, BaseEstimator):
    r"""Split texts into words, and look words up in a vocabulary.

    A parameter object in the style of scikit-learn: it can be cloned, and its
    parameters can be searched over (`tokenizer__pattern`). They are checked when they
    are used. An instance is callable: it takes a text and returns its tokens.

    Parameters
    ----------
    pattern : {"words", "ptb"} or str, default="words"
        "words": runs of word characters with their inner apostrophes, hyphens and
        dots; every other visible character is a token of its own. "ptb": tokens as in
        the Penn Treebank ("do n't", "it 's", "can not"), which suit the GloVe and
        PARAGRAM tables. Any other string is a regular expression whose matches are the
        tokens.
    lowercase : bool, default=True
        Lower-case the text first.
    split_compounds : bool, default=True
        If the vocabulary lacks a compound ("blue-eyed", "and/or", "o'clock"), look up
        its parts instead.

    Examples
    --------
    >>> from skparaphrase.text import WordTokenizer
    >>> WordTokenizer()("Don't panic: it's well-known.")
    ["don't", 'panic', ':', "it's", 'well-known', '.']
    >>> WordTokenizer("ptb")("Don't panic: it's well-known.")
    ['do', "n't", 'panic', ':', 'it', "'s", 'well-known', '.']
    """

    def __init__(
        self,
        pattern: str = "words",
        *,
        lowercase: bool = True,
        split_compounds: bool = True,
    ) -> None:
        self.pattern = pattern
        self.lowercase = lowercase
        self.split_compounds = split_compounds

    def __call__(self, text: str) -> list[str]:
        return list(self._find()(text.lower() if self.lowercase else text))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordTokenizer) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        """Equal for tokenizers that give equal tokens."""
        return type(self), self.pattern, self.lowercase, self.split_compounds

    def _find(self) -> Callable[[str], Iterable[str]]:
        """The function that finds the tokens of a text; lower case is up to callers."""
        return _compiled(self.pattern)

    def tokenize(self, texts: Sequence[str]) -> list[list[str]]:
        """Split texts into tokens.

        Parameters
        ----------
        texts : sequence of str

        Returns
        -------
        tokens : list of list of str
        """
        if isinstance(texts, str):
            raise TypeError("Expected a list of str; got one str. Put it in a list.")
        return [self(text) for text in texts]

    def count(self, texts: Sequence[str]) -> Counter[str]:
        """Count how often each token occurs.

        Parameters
        ----------
        texts : sequence of str

        Returns
        -------
        counts : Counter
            Number of occurrences by token.
        """
        if self.pattern not in TOKEN_PATTERNS:
            return Counter(chain.from_iterable(self.tokenize(texts)))
        fold, find = str.lower if self.lowercase else str, self._find()
        pieces = Counter(chain.from_iterable(fold(text).split() for text in texts))
        counts: Counter[str] = Counter()
        for piece, n in pieces.items():  # each distinct piece is split once
            for token in find(piece):
                counts[token] += n
        return counts

    def encode(
        self, texts: Sequence[str], index: Mapping[str, int], unknown: Unknown = None
    ) -> TokenBatch:
        """Look up the tokens of texts.

        Parameters
        ----------
        texts : sequence of str
        index : mapping of str to int
            The row of every known word.
        unknown : int or callable, default=None
            The row of words that `index` lacks, or a function that takes such a word
            and returns its row or None. None leaves them out.

        Returns
        -------
        batch : TokenBatch
        """
        blocks = self.lookup(index, unknown).encode_blocks(texts)
        return TokenBatch.concatenate(list(blocks))

    def lookup(
        self,
        index: Mapping[str, int],
        unknown: Unknown = None,
        vectors: MakeVectors | None = None,
    ) -> "WordLookup":
        """Return an encoder of texts that remembers what it has looked up.

        Parameters
        ----------
        index : mapping of str to int
            As in `encode`.
        unknown : int or callable, default=None
            As in `encode`.
        vectors : callable, default=None
            Takes words that `index` lacks and returns their vectors, of shape (n_words,
            dim). Batches then carry these vectors, and `unknown` is not used. Words
            without a letter or digit are left out.

        Returns
        -------
        lookup : WordLookup
        """
        return WordLookup(self, index, unknown, vectors)


class FunctionTokenizer(WordTokenizer):
    """A user's function as a tokenizer; it sees texts as they are."""

    def __init__(self, function: Callable[[str], Iterable[str]]) -> None:
        super().__init__("", lowercase=False)
        self.function = function

    def _key(self) -> tuple[Any, ...]:
        return type(self), id(self.function)

    def _find(self) -> Callable[[str], Iterable[str]]:
        return self.function


def check_tokenizer(tokenizer: Any) -> WordTokenizer:
    """Return the tokenizer that a parameter `tokenizer` stands for.

    Parameters
    ----------
    tokenizer : None, callable or WordTokenizer
        None is `WordTokenizer()`. A callable takes a text as it is given and returns
        its tokens; compounds that the vocabulary lacks are split.

    Returns
    -------
    tokenizer : WordTokenizer
        The same object if it is one.

    Raises
    ------
    TypeError
        If it is none of these.
    ValueError
        If a parameter of a `WordTokenizer` is not valid.
    """
    if tokenizer is None:
        return WordTokenizer()
    if isinstance(tokenizer, WordTokenizer):
        tokenizer._find()  # raises for a wrong pattern
        for name in ("lowercase", "split_compounds"):
            if not isinstance(value := getattr(tokenizer, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False; got {value!r}.")
        return tokenizer
    if callable(tokenizer):
        return FunctionTokenizer(tokenizer)
    raise TypeError(
        "tokenizer must be None, a callable or a WordTokenizer; got "
        f"{tokenizer!r} ({type(tokenizer).__name__})."
    )


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Callable[[str], list[str]]:
    """The function that finds the matches of a checked pattern."""
    names = sorted(TOKEN_PATTERNS)
    expected = f"pattern must be one of {names} or a regular expression"
    try:
        compiled = re.compile(TOKEN_PATTERNS.get(pattern, pattern))
    except (re.error, TypeError) as error:
        raise ValueError(f"{expected}; got {pattern!r} ({error}).") from error
    if not compiled.pattern or compiled.pattern.isalpha():
        raise ValueError(f"{expected}; {pattern!r} would match only that word.")
    if compiled.groups > 1:
        raise ValueError(
            f"pattern {pattern!r} has {compiled.groups} capturing groups; it may have "
            "one, which is then the token."
        )
    return compiled.findall


class WordLookup:
    """Encodes texts as rows of one vocabulary, and remembers what it has looked up.

    Texts are split at white space, and each distinct piece is tokenised and looked up
    once, in all calls and threads together. When what all look-ups of a process
    remember takes more than `WordLookup.max_bytes`, they forget it and begin anew.

    Parameters
    ----------
    tokenizer : WordTokenizer
    index : mapping of str to int
        The row of every known word.
    unknown : int or callable, default=None
        The row of other words, or a function that returns it. None leaves them out.
    vectors : callable, default=None
        Takes words that `index` lacks and returns their vectors, of shape (n_words,
        dim). Batches then carry these vectors.

    Attributes
    ----------
    max_bytes : int, default=2**28
        Of the class: bytes of memory, without those of the vocabularies. 256 MB are
        about a million pieces.
    """

    max_bytes: ClassVar[int] = 2**28

    def __init__(
        self,
        tokenizer: WordTokenizer,
        index: Mapping[str, int],
        unknown: Unknown,
        vectors: MakeVectors | None = None,
    ) -> None:
        self._find = tokenizer._find()
        # Matches of other patterns may hold white space.
        self._by_piece = tokenizer.pattern in TOKEN_PATTERNS
        self._whole_words = tokenizer.pattern == "words"
        self._lowercase = tokenizer.lowercase
        self._split_compounds = tokenizer.split_compounds
        self._index = index
        self._unknown = unknown
        self._vectors = vectors
        self.forget()
        _LOOKUPS[id(self)] = self

    def forget(self) -> None:
        """Forget what was looked up."""
        self._remembered = _Remembered(self._look_up, self._vectors)

    def encode_blocks(
        self,
        texts: Sequence[str],
        block_size: int = 4096,
        max_characters: int | None = 2**18,
    ) -> Iterator[TokenBatch]:
        """Look up the tokens of texts in one or more blocks.

        Parameters
        ----------
        texts : sequence of str
        block_size : int, default=4096
            Maximum number of texts in a block.
        max_characters : int or None, default=2**18
            Maximum number of characters in a block of several texts.

        Yields
        ------
        batch : TokenBatch
        """
        n_done = 0
        blocks = text_blocks(texts, block_size, max_characters)
        for block in [texts] if len(texts) == 1 else blocks:
            if _Remembered.n_added > WordLookup.max_bytes:
                _forget()
            remembered = self._remembered
            first = self._split(block[:_AT_ONCE], n_done)
            if len(block) == 1:
                ids, offsets = remembered.join_one(first[0])
            else:
                rest = (
                    self._split(block[start : start + _AT_ONCE], n_done + start)
                    for start in range(_AT_ONCE, len(block), _AT_ONCE)
                )
                ids, offsets = remembered.join(chain([first], rest))
            is_long = len(block) != 1 or len(block[0]) > 2 * _WARN_FROM
            if n_done == 0 and remembered.n_left_out and is_long:
                some = first[:_FIRST_TEXTS]
                remembered.warn(some, offsets[len(some)])
            n_done += len(block)
            extra = None
            if self._vectors is not None:
                ids, extra = remembered.resolve(ids)
            yield TokenBatch(ids, offsets, extra)

    def _split(self, texts: Sequence[str], first: int) -> list[list[str]]:
        """The parts of each text that are looked up whole."""
        folded = map(str.lower, texts) if self._lowercase else texts
        if self._by_piece:
            return list(map(str.split, folded))
        return list(self._tokens(folded, first))

    def _tokens(self, texts: Iterable[str], first: int) -> Iterator[list[str]]:
        for i, text in enumerate(texts, first):
            tokens = list(self._find(text))
            for token in tokens:
                if not isinstance(token, str):
                    raise TypeError(
                        f"The tokenizer gave {token!r} ({type(token).__name__}) for "
                        f"text {i}; tokens must be str."
                    )
            yield tokens

    def _look_up(
        self, piece: str, place: Callable[[str], int]
    ) -> tuple[list[int], int]:
        """Rows of the tokens of a piece, and the number of words without one.

        `place` is where the vector that is made for an unknown word will be.
        """
        if not self._by_piece or (self._whole_words and piece.isalnum()):
            tokens: Iterable[str] = (piece,)
        else:
            tokens = self._find(piece)
        index = self._index
        rows: list[int] = []
        n_left_out = 0
        for token in tokens:
            row = index.get(token)
            if row is not None:
                rows.append(row)
                continue
            if self._split_compounds and not JOINERS.isdisjoint(token):
                parts = _PARTS.findall(token)
                if any(part in index for part in parts):
                    for part in parts:
                        row = index.get(part)
                        if row is not None:
                            rows.append(row)
                        elif self._vectors is not None and is_word(part):
                            rows.append(-1 - place(part))
                    continue
            if self._vectors is None and self._unknown is not None:
                unknown = self._unknown
                row = unknown(token) if callable(unknown) else unknown
                rows += [] if row is None else [row]
            elif is_word(token):
                if self._vectors is not None:
                    rows.append(-1 - place(token))
                else:
                    n_left_out += 1
        return rows, n_left_out


def is_word(token: str) -> bool:
    """Whether it has a letter or digit."""
    return token.isalnum() or any(map(str.isalnum, token))


_LOOKUPS: WeakValueDictionary[int, WordLookup] = WeakValueDictionary()


def _forget() -> None:
    """Forget what all look-ups remember, if it is too much."""
    lookups = [lookup for ref in _LOOKUPS.valuerefs() if (lookup := ref()) is not None]
    n_bytes = sum(lookup._remembered.n_bytes for lookup in lookups)
    if n_bytes > WordLookup.max_bytes:
        n_bytes = 0
        for lookup in lookups:
            lookup.forget()
    _Remembered.n_added = n_bytes


class _Remembered:
    """The rows of each piece as the bytes of int32, and vectors of unknown words.

    The rows of all texts are joined in one call. A piece that is not one token starts
    with a mark, from which the ends of the texts follow; joining text by text takes a
    fifth longer. Threads write at once, without a lock, which a fork could leave
    closed: each vector has a place of its own. It is made with those of all new words
    of a block, and others see a piece only after that.
    """

    n_added = 0  # bytes of all, and of those that are gone since `_forget` looked

    def __init__(
        self, look_up: Callable[..., Any], make_vectors: MakeVectors | None
    ) -> None:
        self.n_bytes = 0
        self.rows: dict[str, bytes] = {}
        self.n_left_out: dict[str, int] = {}  # words without a row, where there are any
        self._look_up = look_up
        self._make_vectors = make_vectors
        self.places = count()  # of vectors
        self._chunks: list[NDArray[np.float32]] = []

    def join_one(self, pieces: list[str]) -> _Rows:
        """The rows of one text given as pieces, and where it starts and ends."""
        try:
            joined = b"".join(map(self.rows.__getitem__, pieces))
        except KeyError:
            block, known = _Block(self), self.rows.get
            joined = b"".join([known(piece) or block[piece] for piece in pieces])
            self._publish(block)
        ids = np.frombuffer(joined, np.int32)
        ids = ids[ids >= _MARK]
        return ids, np.array([0, len(ids)], dtype=np.int64)

    def join(self, parts: Iterable[list[list[str]]]) -> _Rows:
        """The same for texts, of which each part holds some."""
        joined = bytearray()
        sizes: list[int] = []  # of texts, in pieces
        block = _Block(self)
        for pieces in parts:
            try:
                joined += b"".join(
                    map(self.rows.__getitem__, chain.from_iterable(pieces))
                )
            except KeyError:  # once in many blocks; sets for all would take longer
                joined += b"".join(map(block.__getitem__, chain.from_iterable(pieces)))
            sizes += map(len, pieces)
        self._publish(block)
        ids = np.frombuffer(joined, np.int32)
        is_mark = ids < _MARK
        ends = accumulate(sizes, initial=0)
        offsets = np.fromiter(ends, np.int64, len(sizes) + 1)  # in pieces
        if len(marks := np.flatnonzero(is_mark)):
            n_more = ids[marks] - _NO_TOKENS - 1  # tokens of these pieces, less one
            sums = np.cumsum(n_more + 1)
            ids = ids[~is_mark]
            which = marks - sums + n_more + 1
            n_before = np.searchsorted(which, offsets)
            offsets += np.append(0, sums - np.arange(1, len(sums) + 1))[n_before]
        return ids, offsets

    def find(self, piece: str, place: Callable[[str], int]) -> bytes:
        """The rows of a new piece; `place` is where a vector will be."""
        rows, n_left_out = self._look_up(piece, place)
        if n_left_out:
            self.n_left_out[piece] = n_left_out
        if len(rows) != 1:
            rows.insert(0, _NO_TOKENS + len(rows))
        return array("i", rows).tobytes()

    def _publish(self, block: "_Block") -> None:
        """Make the vectors of new words, and only then show their pieces to others."""
        # Not a difference of keys, which walks through all that are remembered.
        new = [piece for piece in block if piece not in self.rows]
        n_bytes = _PIECE_BYTES * len(new) + sum(map(getsizeof, new))
        n_bytes += sum(map(len, map(block.__getitem__, new)))
        if block.places:
            assert self._make_vectors is not None
            vectors = self._make_vectors([*block.places])
            for place, vector in zip(block.places.values(), vectors, strict=True):
                chunk, row = divmod(place, _CHUNK)
                while len(self._chunks) <= chunk:  # one too many does no harm
                    self._chunks.append(np.empty((_CHUNK, len(vector)), np.float32))
                self._chunks[chunk][row] = vector
            n_bytes += vectors.nbytes
        self.rows.update(block)
        self.n_bytes += n_bytes
        _Remembered.n_added += n_bytes

    def warn(self, texts: Iterable[Iterable[str]], n_found: Any) -> None:
        """Warn if more than a fifth of the words of some texts have no row.

        `texts` are their pieces, and `n_found` is the number of tokens with a row.
        """
        pieces = chain.from_iterable(texts)
        n_left_out = sum(map(self.n_left_out.get, pieces, repeat(0)))
        n_tokens = int(n_found) + n_left_out
        if n_left_out * 5 > n_tokens >= _WARN_FROM:
            warn_caller(
                f"{n_left_out} of the first {n_tokens} tokens have no vector and are "
                "left out. Vectors of character n-grams can stand in for them: see "
                "WordVectors.fit_subwords. inspection.unknown_words counts them."
            )

    def resolve(
        self, ids: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32] | None]:
        """Collect the vectors of unknown words, whose ids, -1 - place, are changed."""
        if len(ids) <= _FEW:  # a text or two; arrays take three times as long
            values, rows = ids.tolist(), []
            if min(values, default=0) >= 0:
                return ids, None
            for i, value in enumerate(values):
                if value < 0:
                    chunk, row = divmod(-1 - value, _CHUNK)
                    rows.append(self._chunks[chunk][row])
                    ids[i] = -len(rows)
            return ids, np.array(rows)
        new = np.flatnonzero(ids < 0)
        if not len(new):
            return ids, None
        places = ~ids[new]
        used = np.zeros(_CHUNK * len(self._chunks), dtype=bool)
        used[places] = True  # much faster than np.unique
        found = np.flatnonzero(used)
        numbers = np.empty(len(used), dtype=np.int32)
        numbers[found] = np.arange(len(found))
        ids[new] = ~numbers[places]
        bounds = np.searchsorted(found, np.arange(0, len(used) + 1, _CHUNK)).tolist()
        parts = [
            self._chunks[i].take(found[start:stop] % _CHUNK, axis=0)
            for i, (start, stop) in enumerate(pairwise(bounds))
            if start < stop
        ]
        return ids, np.concatenate(parts)


class _Block(dict[str, bytes]):
    """Rows of the pieces of a block of texts, and the places of its new words."""

    def __init__(self, remembered: _Remembered) -> None:
        self._remembered = remembered
        self.places: dict[str, int] = {}

    def __missing__(self, piece: str) -> bytes:
        found = self._remembered.rows.get(piece)
        if found is None:
            found = self._remembered.find(piece, self._place)
        self[piece] = found
        return found

    def _place(self, word: str) -> int:
        if word not in self.places:
            self.places[word] = next(self._remembered.places)
        return self.places[word]
