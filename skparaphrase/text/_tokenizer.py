"""Texts to words, and words to rows of a vocabulary."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, count, filterfalse
from sys import getsizeof
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from skparaphrase._estimator import DocumentedOnline, warn_caller
from skparaphrase.text._batch import TokenBatch
from skparaphrase.text._check import text_blocks
from skparaphrase.text._vocabulary import Vocabulary

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
_PIECE_BYTES = 150  # memory of a piece besides its characters and rows
_FIRST_TEXTS = 200  # of a call, in which tokens without a vector are counted
_WARN_FROM = 50  # tokens; fewer say little about the vocabulary

Index = Mapping[str, int] | Vocabulary  # the row of every known word
Unknown = int | Callable[[str], int | None] | None  # the row of all other words
MakeVectors = Callable[[Sequence[str]], NDArray[np.float32]]


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
        return self._find()(text.lower() if self.lowercase else text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordTokenizer) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        """Equal for tokenizers that give equal tokens."""
        return type(self), self.pattern, self.lowercase, self.split_compounds

    def _find(self) -> Callable[[str], list[str]]:
        """The function that finds the tokens of a text; callers lower-case the text."""
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
        self, texts: Sequence[str], index: Index, unknown: Unknown = None
    ) -> TokenBatch:
        """Look up the tokens of texts.

        Parameters
        ----------
        texts : sequence of str
        index : Vocabulary or mapping of str to int
            The row of every known word.
        unknown : int or callable, default=None
            The row of words that `index` lacks, or a function that takes such a word
            and returns its row or None. None leaves them out.

        Returns
        -------
        batch : TokenBatch

        See Also
        --------
        WordLookup : Encodes in blocks, and remembers what it has looked up.
        """
        blocks = WordLookup(self, index, unknown).encode_blocks(texts)
        return TokenBatch.concatenate(list(blocks))


class FunctionTokenizer(WordTokenizer):
    """A user's function as a tokenizer; it is called with unchanged texts."""

    def __init__(self, function: Callable[[str], Iterable[str]]) -> None:
        super().__init__("", lowercase=False)
        self.function = function

    def _key(self) -> tuple[Any, ...]:
        return type(self), id(self.function)

    def _find(self) -> Callable[[str], list[str]]:
        return lambda text: list(self.function(text))


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
    """Encodes texts as rows of a vocabulary, and remembers what it has looked up.

    Texts are split at white space, and each distinct piece is tokenised and looked up
    once, in all calls and threads together. When all look-ups of a process take more
    than `WordLookup.max_bytes` of memory, all of them are cleared.

    Parameters
    ----------
    tokenizer : WordTokenizer
    index : Vocabulary or mapping of str to int
        The row of every known word.
    unknown : int or callable, default=None
        The row of other words, or a function that returns it. None leaves them out.
    vectors : callable, default=None
        Takes words that `index` lacks and returns their vectors, of shape (n_words,
        dim). Batches then contain these vectors, and `unknown` is not used. Words
        without a letter or digit are left out.

    Attributes
    ----------
    max_bytes : int, default=2**28
        Class attribute: maximum memory of all look-ups, without the vocabularies. The
        default of 256 MB is enough for about a million pieces.
    """

    max_bytes: ClassVar[int] = 2**28

    def __init__(
        self,
        tokenizer: WordTokenizer,
        index: Index,
        unknown: Unknown = None,
        vectors: MakeVectors | None = None,
    ) -> None:
        self._find = tokenizer._find()
        # Matches of other patterns may contain white space.
        self._by_piece = tokenizer.pattern in TOKEN_PATTERNS
        self._whole_words = tokenizer.pattern == "words"
        self._lowercase = tokenizer.lowercase
        self._split_compounds = tokenizer.split_compounds
        self._index = index
        self._unknown = unknown if vectors is None else None
        self._make_vectors = vectors
        self._memory = _Memory()
        _LOOKUPS[id(self)] = self

    def clear(self) -> None:
        """Forget what was looked up."""
        self._memory = _Memory()

    def encode_blocks(
        self,
        texts: Sequence[str],
        block_size: int = 4096,
        max_characters: int | None = 2**18,
        *,
        known_only: bool = False,
    ) -> Iterator[TokenBatch]:
        """Look up the tokens of texts in one or more blocks.

        Parameters
        ----------
        texts : sequence of str
        block_size : int, default=4096
            Maximum number of texts in a block.
        max_characters : int or None, default=2**18
            Maximum number of characters in a block of several texts.
        known_only : bool, default=False
            Make no vectors: leave out words that `index` lacks.

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
            elif self._make_vectors is not None and not known_only:
                vectors = self._unknown_vectors(ids, unknown, memory)
                yield TokenBatch(ids, offsets, vectors)
            else:
                if n_done == 0 and self._make_vectors is None:
                    n_first = offsets[min(_FIRST_TEXTS, len(block))]
                    _warn_of_unknown_words(unknown, n_first)
                offsets -= unknown.searchsorted(offsets)
                yield TokenBatch(ids[~is_unknown], offsets)
            n_done += len(block)

    def unknown_words(self, texts: Sequence[str]) -> list[str]:
        """List the words of texts that have no row.

        Parameters
        ----------
        texts : sequence of str

        Returns
        -------
        words : list of str
            Distinct words with a letter or digit, in order of appearance.
        """
        found: dict[str, None] = {}
        for block in text_blocks(texts, 4096, 2**18):
            memory = self._memory
            ids, _ = self._find_ids(block, 0, memory)
            words = map(memory.words.__getitem__, ids[ids < 0].tolist())
            found.update(dict.fromkeys(words))
        return [*found]

    def _find_ids(
        self, texts: Sequence[str], first: int, memory: "_Memory"
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Rows of all tokens, negative for unknown words, and where each text starts.

        `first` is the position of the first text in the whole, for error messages.
        """
        split = str.split if self._by_piece else self._find
        rows, n_bytes = memory.rows, memory.n_bytes
        found = []
        for text in texts:
            pieces = split(text.lower() if self._lowercase else text)
            try:
                found.append(b"".join(map(rows.__getitem__, pieces)))
            except (KeyError, TypeError):  # a new piece, or a token that is not a str
                for piece in pieces:
                    if not isinstance(piece, str):
                        raise TypeError(
                            f"The tokenizer gave {piece!r} ({type(piece).__name__}) "
                            f"for text {first + len(found)}; tokens must be str."
                        ) from None
                    if piece not in rows:
                        rows[piece] = self._find_piece(piece, memory)
                found.append(b"".join(map(rows.__getitem__, pieces)))
        if memory.n_bytes > n_bytes:
            _limit_memory()
        ids = np.frombuffer(bytearray().join(found), np.int32)
        ends = accumulate(map(len, found), initial=0)
        offsets = np.fromiter(ends, np.int64, len(found) + 1)
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
                        elif self._make_vectors is not None and is_word(part):
                            rows.append(memory.add(part))
                    continue
            if row is None and unknown is not None:
                row = unknown(token) if callable(unknown) else unknown
            elif row is None and is_word(token):
                row = memory.add(token)
            if row is not None:
                rows.append(row)
        found = array("i", rows).tobytes()
        memory.n_bytes += _PIECE_BYTES + getsizeof(piece) + len(found)
        return found

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
            assert self._make_vectors is not None
            new_words = [*map(memory.words.__getitem__, new)]
            made = np.asarray(self._make_vectors(new_words), dtype=np.float32)
            as_bytes = map(np.ndarray.tobytes, made)
            memory.vectors.update(zip(new, as_bytes, strict=True))
            memory.n_bytes += made.nbytes
        joined = bytearray().join(map(memory.vectors.__getitem__, numbers))
        return np.frombuffer(joined, np.float32).reshape(len(numbers), -1)


class _Memory:
    """What a look-up remembers.

    Threads add to it without a lock, which a fork could leave locked: every thread
    finds the same rows and makes the same vectors. A piece is added after its unknown
    words. To clear a look-up, its memory is replaced: calls in progress keep theirs.
    """

    def __init__(self) -> None:
        self.rows: dict[str, bytes] = {}  # of the tokens of each piece, as int32
        self.ids: dict[str, int] = defaultdict(count(-1, -1).__next__)
        self.words: dict[int, str] = {}  # the unknown word of each of these ids
        self.vectors: dict[int, bytes] = {}  # made for them, as float32
        self.n_bytes = 0

    def add(self, word: str) -> int:
        """The id of an unknown word."""
        found = self.ids[word]
        if found not in self.words:
            self.words[found] = word
            self.n_bytes += _PIECE_BYTES + getsizeof(word)
        return found


def is_word(token: str) -> bool:
    """Whether a token has a letter or digit."""
    return token.isalnum() or any(map(str.isalnum, token))


_LOOKUPS: WeakValueDictionary[int, WordLookup] = WeakValueDictionary()


def _limit_memory() -> None:
    """Clear all look-ups if together they take too much memory."""
    n_bytes, lookups = 0, []
    for reference in _LOOKUPS.valuerefs():  # a copy; threads may add to the original
        if (lookup := reference()) is not None:
            n_bytes += lookup._memory.n_bytes
            lookups.append(lookup)
    if n_bytes > WordLookup.max_bytes:
        for lookup in lookups:
            lookup.clear()


def _warn_of_unknown_words(unknown: NDArray[np.intp], n_tokens: np.int64) -> None:
    """Warn if more than a fifth of the first tokens are at these positions."""
    if n_tokens < _WARN_FROM:
        return
    n_unknown = np.searchsorted(unknown, n_tokens)
    if n_unknown * 5 > n_tokens:
        warn_caller(
            f"{n_unknown} of the first {n_tokens} tokens have no vector and are "
            "left out. Vectors of character n-grams can stand in for them: see "
            "WordVectors.fit_subwords. inspection.unknown_words counts them."
        )
