"""Texts to words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from skparaphrase.text._batch import TokenBatch
from skparaphrase.text._lookup import Unknown, WordLookup

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
        blocks = self.lookup(index, unknown).encode_blocks(texts)
        return TokenBatch.concatenate(list(blocks))

    def lookup(self, index: Mapping[str, int], unknown: Unknown = None) -> WordLookup:
        """What encodes texts in blocks, and remembers what it has looked up.

        Parameters
        ----------
        index : mapping of str to int
            As in `encode`.

        unknown : int or callable, default=None
            As in `encode`.

        Returns
        -------
        lookup : WordLookup
        """
        return WordLookup(
            self._find,
            by_piece=self._by_piece,
            whole_words=self.token_pattern == "words",
            lowercase=self.lowercase,
            split_compounds=self.split_compounds,
            index=index,
            unknown=unknown,
        )

    def _fold(self, text: str) -> str:
        return text.lower() if self.lowercase else text
