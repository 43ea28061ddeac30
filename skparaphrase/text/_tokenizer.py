"""Tokenizers that split texts into words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from skparaphrase._core import WORD, folded
from skparaphrase._estimator import DocumentedOnline
from skparaphrase.text._check import describe

#: Named token patterns. Their matches contain no white space.
TOKEN_PATTERNS: Mapping[str, str] = {
    # Words with their inner apostrophes, hyphens and dots; punctuation marks alone.
    "words": rf"{WORD}(?:['\-.]{WORD})*|[^\w\s]",
    # Penn Treebank-like: "do n't", "it 's", "can not"; numbers, "u.s." and hyphenated
    # words whole; runs of dots and dashes whole.
    "ptb": (
        r"(?:[^\W\d_]\.){2,}"
        r"|\d+(?:[.,:/]\d+)+"
        r"|\bcan(?=not\b)"
        r"|\w+?(?=n['\u2019]t\b)"
        r"|n['\u2019]t\b"
        r"|['\u2019](?:s|m|d|re|ve|ll)\b"
        rf"|{WORD}(?:-{WORD})*"
        r"|\.{2,}|-{2,}|[^\w\s]"
    ),
}


class WordTokenizer(DocumentedOnline, BaseEstimator):
    r"""Split texts into words.

    A parameter object in the style of scikit-learn: it can be cloned, and its
    parameters can be searched over (`tokenizer__pattern`). They are checked when they
    are used. An instance is callable: it takes a text and returns its tokens. They are
    always in composed characters (Unicode's form NFC).

    Parameters
    ----------
    pattern : {"words", "ptb"} or str, default="words"
        "words": runs of word characters with their marks, inner apostrophes, hyphens
        and dots; every other visible character is a token of its own. "ptb": tokens as
        in the Penn Treebank ("do n't", "it 's", "can not"), which suit the GloVe and
        PARAGRAM tables. Any other string is a regular expression whose matches are the
        tokens.
    lowercase : bool, default=True
        Lower-case the text first.
    split_compounds : bool, default=True
        If the vocabulary lacks a compound ("blue-eyed", "and/or", "o'clock"), look up
        its parts instead. Numbers and letters are looked up as separate words: "1.7l"
        as "1.7 l", and "kx-tg1032s" as "kx tg 1032 s". Letters with one digit ("co2"),
        ordinals ("12th"), and tokens of more than four such parts (hashes) stay whole.

    See Also
    --------
    NgramTokenizer : Splits texts into character n-grams.

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
        return self._find()(self._fold(text))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordTokenizer) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        """Key that is equal for tokenizers that return equal tokens."""
        return type(self), self.pattern, self.lowercase, self.split_compounds

    def _fold(self, text: str) -> str:
        """The text that is split."""
        return folded(text, self.lowercase)

    def _find(self) -> Callable[[str], list[str]]:
        """The function that finds the tokens of a folded text."""
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
        find = self._find()
        folded_texts = map(self._fold, texts)
        pieces = Counter(chain.from_iterable(map(str.split, folded_texts)))
        counts: Counter[str] = Counter()
        for piece, n in pieces.items():  # each distinct piece is split once
            for token in find(piece):
                counts[token] += n
        return counts


_DEFAULT = WordTokenizer()


class FunctionTokenizer(WordTokenizer):
    """A tokenizer that calls a user's function with unchanged texts."""

    def __init__(self, function: Callable[[str], Iterable[str]]) -> None:
        split_compounds = getattr(function, "split_compounds", True)
        super().__init__("", lowercase=False, split_compounds=split_compounds)
        self.function = function

    def _key(self) -> tuple[Any, ...]:
        return type(self), id(self.function)

    def _fold(self, text: str) -> str:
        return text

    def _find(self) -> Callable[[str], list[str]]:
        return self._tokens

    def _tokens(self, text: str) -> list[str]:
        """The words that the function returns, checked."""
        words = self.function(text)
        if type(words) is not list:
            # Iterating over a str gives characters, and over a mapping (such as the
            # output of a transformers tokenizer) its keys.
            if isinstance(words, (str, bytes, Mapping)) or not np.iterable(words):
                raise TypeError(
                    "The tokenizer must return the words of a text, such as a list of "
                    f"str; for {describe(text)} it returned {describe(words)}."
                )
            words = list(words)
        for word in words:
            if not isinstance(word, str):
                raise TypeError(
                    f"The tokenizer returned {describe(word)} among the words of "
                    f"{describe(text)}; words must be str."
                )
        return words


def check_tokenizer(tokenizer: Any) -> WordTokenizer:
    """Return the tokenizer that a parameter `tokenizer` stands for.

    Parameters
    ----------
    tokenizer : None, callable or WordTokenizer
        None is one shared `WordTokenizer()`: do not change it. A callable takes an
        unchanged text and returns its tokens, an iterable of str that is not a str
        itself. Compounds that are missing from the vocabulary are split.

    Returns
    -------
    tokenizer : WordTokenizer
        The same object if it is a `WordTokenizer`.

    Raises
    ------
    TypeError
        If it is none of these.
    ValueError
        If a parameter of a `WordTokenizer` is not valid.
    """
    if tokenizer is None:
        return _DEFAULT
    if isinstance(tokenizer, WordTokenizer):
        tokenizer._find()  # raises for a wrong pattern
        for name in ("lowercase", "split_compounds"):
            if not isinstance(value := getattr(tokenizer, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False; got {value!r}.")
        is_ours = type(tokenizer).__call__ in _CALLS
        return tokenizer if is_ours else FunctionTokenizer(tokenizer)
    if callable(tokenizer):
        return FunctionTokenizer(tokenizer)
    raise TypeError(
        "tokenizer must be None, a callable or a WordTokenizer; got "
        f"{tokenizer!r} ({type(tokenizer).__name__})."
    )


_CALLS = WordTokenizer.__call__, FunctionTokenizer.__call__


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
            "one, whose match becomes the token."
        )
    return compiled.findall
