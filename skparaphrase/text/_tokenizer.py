"""Texts to word identifiers, a whole batch in one pass."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice

import numpy as np

from skparaphrase.text._batch import TokenBatch, ragged_positions, text_blocks

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

Unknown = int | Callable[[str], int] | None  # the row of words that have none

_PARTS = re.compile(r"\w+")
_JOINERS = frozenset("'-.\u2019/:,")


class WordTokenizer:
    r"""Split texts into words, and words into rows of a vocabulary.

    Parameters
    ----------
    lowercase : bool, default=True
        Lower-case the text first.

    token_pattern : {"words", "ptb"} or str, default="words"
        "words": runs of word characters with their inner apostrophes, hyphens and
        dots, and every other visible character alone. "ptb": Penn Treebank-like
        tokens ("do n't", "it 's", "can not"), as in the GloVe and PARAGRAM tables.
        Any other string is a regular expression whose matches are the tokens.

    tokenizer : callable, default=None
        Takes a text, gives its tokens; overrides `token_pattern`. It sees the text
        lower-cased if `lowercase`.

    split_compounds : bool, default=True
        Look a compound that the vocabulary lacks ("blue-eyed", "and/or", "o'clock") up
        in its parts.

    Examples
    --------
    >>> from skparaphrase.text import WordTokenizer
    >>> WordTokenizer().tokenize(["Don't panic: it's well-known."])
    [["don't", 'panic', ':', "it's", 'well-known', '.']]
    >>> WordTokenizer(token_pattern="ptb").tokenize(["Don't panic: it's well-known."])
    [['do', "n't", 'panic', ':', 'it', "'s", 'well-known', '.']]
    """

    def __init__(
        self,
        *,
        lowercase: bool = True,
        token_pattern: str = "words",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        split_compounds: bool = True,
    ) -> None:
        self.lowercase = lowercase
        self.token_pattern = token_pattern
        self.tokenizer = tokenizer
        self.split_compounds = split_compounds
        if tokenizer is not None and not callable(tokenizer):
            raise TypeError(f"tokenizer must be callable or None; got {tokenizer!r}.")
        try:
            pattern = re.compile(TOKEN_PATTERNS.get(token_pattern, token_pattern))
        except (re.error, TypeError) as error:
            raise ValueError(
                f"token_pattern must be one of {sorted(TOKEN_PATTERNS)} or a regular "
                f"expression; got {token_pattern!r} ({error})."
            ) from error
        if not pattern.pattern or pattern.pattern.isalpha():
            raise ValueError(
                f"token_pattern must be one of {sorted(TOKEN_PATTERNS)} or a regular "
                f"expression; {token_pattern!r} would find that word alone."
            )
        if pattern.groups > 1:
            raise ValueError(
                f"token_pattern {token_pattern!r} has {pattern.groups} capturing "
                "groups; at most one says what the token is."
            )
        self._find = tokenizer if tokenizer is not None else pattern.findall
        # A pattern of ours matches no white space: pieces between white space can be
        # looked up once each, however often they occur.
        self._by_piece = tokenizer is None and token_pattern in TOKEN_PATTERNS

    def tokenize(self, texts: Sequence[str]) -> list[list[str]]:
        """The tokens of each text.

        Parameters
        ----------
        texts : sequence of str

        Returns
        -------
        tokens : list of list of str
        """
        if isinstance(texts, str):
            raise TypeError("Expected a list of str; got one str. Put it in a list.")
        if self.lowercase:
            texts = [text.lower() for text in texts]
        return [list(self._find(text)) for text in texts]

    def count(self, texts: Sequence[str]) -> Counter[str]:
        """How often each token occurs.

        Parameters
        ----------
        texts : sequence of str
            Each distinct piece of a text is split once.

        Returns
        -------
        counts : Counter
            Occurrences by token.
        """
        if not self._by_piece:
            return Counter(chain.from_iterable(self.tokenize(texts)))
        pieces = Counter(chain.from_iterable(map(str.split, map(self._fold, texts))))
        counts: Counter[str] = Counter()
        for piece, n in pieces.items():
            for token in self._find(piece):
                counts[token] += n
        return counts

    def encode(
        self, texts: Sequence[str], index: Mapping[str, int], unknown: Unknown = None
    ) -> TokenBatch:
        """Identifiers of the tokens of each text.

        Parameters
        ----------
        texts : sequence of str

        index : mapping of str to int
            The row of every known word.

        unknown : int or callable, default=None
            The row of words that `index` lacks, or a function that gives the row of
            such a word. None leaves them out.

        Returns
        -------
        batch : TokenBatch
        """
        blocks = self.encode_blocks(texts, index, unknown, len(texts) or 1, None)
        return next(blocks)

    def encode_blocks(
        self,
        texts: Sequence[str],
        index: Mapping[str, int],
        unknown: Unknown = None,
        block_size: int = 16384,
        max_characters: int | None = 2**22,
    ) -> Iterator[TokenBatch]:
        """As :meth:`encode`, some texts at a time; at least one batch.

        Parameters
        ----------
        texts : sequence of str
            As in `encode`.

        index : mapping of str to int
            As in `encode`.

        unknown : int or callable, default=None
            As in `encode`.

        block_size : int, default=16384
            Most texts of a block.

        max_characters : int or None, default=2**22
            Most characters of a block; a longer text is a block of its own.

        Yields
        ------
        batch : TokenBatch
            The next texts.
        """
        encoder = _PieceEncoder(self, index, unknown) if self._by_piece else None
        done = 0
        for block in text_blocks(texts, block_size, max_characters):
            if encoder is not None:
                yield encoder.encode(block)
            else:
                yield self._encode_whole(block, index, unknown, done)
            done += len(block)

    def _encode_whole(
        self,
        texts: Sequence[str],
        index: Mapping[str, int],
        unknown: Unknown,
        first: int,
    ) -> TokenBatch:
        found: dict[str, list[int]] = {}
        rows = []
        for i, tokens in enumerate(self.tokenize(texts), start=first):
            row: list[int] = []
            for token in tokens:
                if not isinstance(token, str):
                    raise TypeError(
                        f"The tokenizer gave {token!r} ({type(token).__name__}) "
                        f"for text {i}; tokens must be str."
                    )
                known = found.get(token)
                if known is None:
                    known = found[token] = self._rows([token], index, unknown)
                row += known
            rows.append(row)
        return _ragged(rows)

    def _rows(
        self, tokens: Iterable[str], index: Mapping[str, int], unknown: Unknown
    ) -> list[int]:
        """Rows of a few tokens, compounds by their parts where need be."""
        rows = []
        for token in tokens:
            row = index.get(token)
            if row is not None:
                rows.append(row)
                continue
            if self.split_compounds and not _JOINERS.isdisjoint(token):
                parts = [index[p] for p in _PARTS.findall(token) if p in index]
                if parts:
                    rows += parts
                    continue
            if unknown is not None:
                rows.append(unknown(token) if callable(unknown) else unknown)
        return rows

    def _fold(self, text: str) -> str:
        return text.lower() if self.lowercase else text


class _PieceEncoder:
    """Looks every distinct piece between white space up once, over many batches."""

    def __init__(
        self, tokenizer: WordTokenizer, index: Mapping[str, int], unknown: Unknown
    ) -> None:
        self._tokenizer = tokenizer
        self._index = index
        self._unknown = unknown
        self._numbering: defaultdict[str, int] = defaultdict(count().__next__)
        self._rows = TokenBatch(np.empty(0, np.int32), np.zeros(1, np.int64))

    def encode(self, texts: Sequence[str]) -> TokenBatch:
        joined, separator = _join(texts)
        # Lower-casing looks at neighbouring letters only, and a separator is none.
        pieces = self._tokenizer._fold(joined).split()
        numbers = np.fromiter(
            map(self._numbering.__getitem__, pieces), np.int32, len(pieces)
        )
        self._look_up_new()
        breaks = self._numbering[separator] if len(texts) > 1 else -1
        starts, lengths = self._rows.offsets[numbers], self._rows.lengths[numbers]
        lengths[numbers == breaks] = 0
        positions, ends = ragged_positions(starts, lengths)
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        offsets[1:-1] = ends[np.flatnonzero(numbers == breaks)]
        offsets[-1] = ends[-1]
        return TokenBatch(self._rows.ids[positions], offsets)

    def _look_up_new(self) -> None:
        tokenizer, index = self._tokenizer, self._index
        plain = tokenizer.token_pattern == "words"
        new = list(islice(self._numbering, len(self._rows), None))
        rows = []
        for piece in new:
            row = index.get(piece) if plain and piece.isalnum() else None
            rows.append(
                tokenizer._rows(tokenizer._find(piece), index, self._unknown)
                if row is None
                else (row,)
            )
        self._rows = TokenBatch.concatenate([self._rows, _ragged(rows)])


def _ragged(rows: Sequence[Sequence[int]]) -> TokenBatch:
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=offsets[1:])
    ids = np.fromiter(chain.from_iterable(rows), np.int32, int(offsets[-1]))
    return TokenBatch(ids, offsets)


def _join(texts: Sequence[str]) -> tuple[str, str]:
    """All texts in one, parted by a character that none of them holds."""
    for code in chain((0, 1, 2, 3), range(0xFDD0, 0xFDF0), range(0xE000, 0xF8FF)):
        separator = chr(code)
        joined = f" {separator} ".join(texts)
        if joined.count(separator) == max(len(texts) - 1, 0):
            return joined, separator
    raise ValueError(
        "The texts hold every private character: none is left to part them."
    )
