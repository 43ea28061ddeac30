"""Word counts of a corpus, and the counts that come with the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import repeat
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase._files import open_data
from skparaphrase._typing import Texts
from skparaphrase.text import check_texts
from skparaphrase.text._tokenizer import check_tokenizer

_FILE = files("skparaphrase.vectors") / "data" / "english.npz"
_LARGEST = sys.float_info.max


class WordFrequencies(Mapping[str, int]):
    """Word counts and word probabilities of a corpus.

    Immutable, and shared rather than copied by :func:`sklearn.base.clone`.

    Parameters
    ----------
    counts : mapping of str to number
        Number of occurrences of each word.
    total : int, default=None
        Number of tokens in the corpus. None takes the sum of `counts`. Pass the number
        if `counts` contains only some of the words.

    Raises
    ------
    ValueError
        If a count is not a number, is negative or not finite, or if `total` is less
        than the sum of the counts.

    Examples
    --------
    >>> from skparaphrase.vectors import WordFrequencies
    >>> frequencies = WordFrequencies.from_texts(["the cat", "the dog"])
    >>> frequencies["the"], frequencies.total
    (2, 4)
    >>> frequencies.probabilities(["the", "cow"])
    array([0.5, 0. ])
    """

    def __init__(self, counts: Mapping[str, int], *, total: int | None = None) -> None:
        self._counts = {
            word: count.item() if isinstance(count, np.generic) else count
            for word, count in counts.items()
        }
        for word, count in self._counts.items():
            if not isinstance(count, (int, float)) or not 0 <= count <= _LARGEST:
                raise ValueError(
                    "Counts must be finite numbers and not negative; "
                    f"{word!r} has {count!r}."
                )
        summed = sum(self._counts.values())
        if total is None:
            total = int(summed) if summed == int(summed) else summed
        if not summed <= total <= _LARGEST:
            raise ValueError(
                f"total must be finite and at least the sum of counts, {summed}; got "
                f"{total}."
            )
        self.total: int = total.item() if isinstance(total, np.generic) else total

    @classmethod
    def read(
        cls, path: str | PathLike[str], *, encoding: str = "utf-8"
    ) -> WordFrequencies:
        """Read a text file with a word and its count in each line.

        Parameters
        ----------
        path : path-like
            The last space or tab of a line separates word and count. Counts of repeated
            words are added. Files compressed by gzip, bzip2, xz or zip (of one file)
            are decompressed.
        encoding : str, default="utf-8"
            A name of a Python codec that extends ASCII, such as `"latin-1"`.

        Raises
        ------
        ValueError
            If a line is not a word and a count; the message names file and line.
        """
        codecs.lookup(encoding)
        counts: dict[str, int] = {}
        with open_data(Path(path)) as (file, _):
            for number, raw in enumerate(file, 1):
                try:
                    # Not at no-break and other spaces of Unicode, like word2vec
                    word, value = raw.strip().rsplit(None, 1) or (b"", b"0")
                    *more, last = word.split() or (b"",)
                    if not value.isdigit() or (more and last.isdigit()):
                        raise ValueError("a line has one count, in digits")
                    key = word.decode(encoding)
                    counts[key] = counts.get(key, 0) + int(value)
                except ValueError as error:
                    advice = ""
                    if isinstance(error, UnicodeDecodeError):
                        advice = " Pass encoding= for a file in another encoding."
                    raise ValueError(
                        f"{path}, line {number}: expected a word and a whole number, "
                        f"got {raw[:60]!r} ({error}).{advice}"
                    ) from error
        counts.pop("", None)  # from blank lines
        return cls(counts)

    @classmethod
    def from_texts(cls, texts: Texts, *, tokenizer: Any = None) -> WordFrequencies:
        """Count the words of texts.

        Parameters
        ----------
        texts : array-like of str of shape (n_texts,) or (n_pairs, 2)
        tokenizer : WordTokenizer or callable, default=None
            None takes `WordTokenizer()`; a callable takes a text and returns its words.
        """
        return cls(
            check_tokenizer(tokenizer).count(check_texts(texts).ravel().tolist())
        )

    @classmethod
    def check(cls, frequencies: Mapping[str, int] | None) -> WordFrequencies:
        """Convert a mapping.

        Parameters
        ----------
        frequencies : WordFrequencies or mapping of str to int
            None takes the bundled counts of English Wikipedia.

        Returns
        -------
        frequencies : WordFrequencies
            The same object if it is one.
        """
        if frequencies is None:
            return load_word_frequencies()
        if isinstance(frequencies, cls):
            return frequencies
        if isinstance(frequencies, Mapping):
            return cls(frequencies)
        raise TypeError(
            "frequencies must be a WordFrequencies or a mapping of words to counts; "
            f"got {type(frequencies).__name__}."
        )

    def fill_from(self, other: WordFrequencies) -> WordFrequencies:
        """Add the words of other counts, scaled to match.

        For example, the counts that Arora et al. (2017) published with their code lack
        punctuation, so SIF would give every comma the weight of a rare word.

        Parameters
        ----------
        other : WordFrequencies
            Counts to add, scaled so that the words in both have the same total count.

        Returns
        -------
        frequencies : WordFrequencies
        """
        shared = self._counts.keys() & other._counts.keys()
        n_other = sum(other[word] for word in shared)
        if not n_other:
            raise ValueError("Counts cannot be scaled: the two have no word in common.")
        scale = sum(self[word] for word in shared) / n_other
        added = {
            word: round(count * scale)
            for word, count in other.items()
            if word not in self._counts
        }
        return WordFrequencies(
            {**self._counts, **added}, total=self.total + sum(added.values())
        )

    def probabilities(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the share of each word in the corpus.

        Parameters
        ----------
        words : sequence of str

        Returns
        -------
        probabilities : ndarray of shape (n_words,)
            0 for words that are not in the corpus.
        """
        counted = map(self._counts.get, words, repeat(0))
        counts = np.fromiter(counted, np.float64, len(words))
        return counts / max(self.total, 1)

    def __getitem__(self, word: str) -> int:
        return self._counts[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __repr__(self) -> str:
        return f"WordFrequencies({len(self)} words, total={self.total})"

    def __sklearn_clone__(self) -> WordFrequencies:
        return self


@cache
def load_word_frequencies() -> WordFrequencies:
    """Load the counts of the bundled words in the English Wikipedia.

    The counts that Arora et al. (2017) published with their code (MIT) cover letters
    only; contractions, numbers and punctuation are filled in from their frequencies in
    a small sample of Wikipedia.

    Returns
    -------
    frequencies : WordFrequencies
        The same object at every call.

    Examples
    --------
    >>> from skparaphrase.datasets import load_word_frequencies
    >>> frequencies = load_word_frequencies()
    >>> frequencies["the"] > frequencies["cat"]
    True
    """
    with _FILE.open("rb") as file, np.load(file, allow_pickle=False) as data:
        words = bytes(data["words"]).decode("utf-8").split("\n")
        counts = data["counts"]
        total = int(data["total"])
    known = np.flatnonzero(counts)
    return WordFrequencies(
        {words[i]: int(counts[i]) for i in known.tolist()}, total=total
    )
