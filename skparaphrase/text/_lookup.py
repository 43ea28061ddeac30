"""Batches of tokens, and the look-up of the words of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload
from unicodedata import name

import numpy as np
from numpy.typing import NDArray

from skparaphrase import _core
from skparaphrase._estimator import warn_caller
from skparaphrase._progress import progress_bar
from skparaphrase.text._tokenizer import WordTokenizer

BLOCK = 4096  # texts that are looked up at a time
_FIRST_TEXTS = 200  # of a call, in which tokens without a vector are counted
_WARNED = "unknown words"  # of what an index remembers: it warns once
_LEAST = 7  # unknown words of another language
_WARN_FROM = 50  # tokens; fewer say little about the vocabulary
# Unknown words of languages that no table knows, at least, and their share: of the
# multilingual table .51 and more, in Polish and Russian, which it knows, up to .37
_LEAST_FOREIGN, _FOREIGN = 25, 0.45
_MARKS = dict.fromkeys(map(ord, _core.MARKS))

EmbedOOV = Callable[[Sequence[str]], NDArray[np.float32]]
GuessLanguage = Callable[[Sequence[str]], str | None]


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
    warn: GuessLanguage | None = None,
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
    warn : callable, default=None
        Warn if many words of the first texts are not in `index`, once per index. Takes
        these words and returns the name of their language, or None.

    Returns
    -------
    batch : TokenBatch
    """
    new = _core.core.WordIndex()
    keep_new = embed_oov is not None
    ids, offsets = _core.core.find_words(
        texts, index, tokenizer, None if keep_new else unknown, keep_new, new
    )
    if not len(new):
        return TokenBatch(ids, offsets)
    words = new.words()
    if index.memory.get(_WARNED):
        warn = None
    if embed_oov is not None:
        if warn is not None:
            index.memory[_WARNED] = _warn_of_oov(ids, offsets, words, warn)
        return TokenBatch(ids, offsets, embed_oov(words))
    is_known = ids >= 0
    unknown_tokens = np.flatnonzero(~is_known)
    if warn is not None:
        index.memory[_WARNED] = _warn_of_unknown_words(unknown_tokens, offsets)
    offsets -= unknown_tokens.searchsorted(offsets)
    return TokenBatch(ids[is_known], offsets)


def _warn_of_oov(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    words: list[str],
    guess_language: GuessLanguage,
) -> bool:
    """Warn if so many words are unknown as are in another language."""
    if np.count_nonzero(ids < 0) < _LEAST:  # most calls
        return False
    first = ids[: offsets[min(_FIRST_TEXTS, len(offsets) - 1)]]
    n_tokens, unknown = len(first), -1 - first[first < 0]
    least = n_tokens / 6 if n_tokens >= _WARN_FROM else max(n_tokens / 4, _LEAST)
    if len(unknown) < least:
        return False
    # Others are numbers and names of articles.
    found = (words[i] for i in unknown.tolist())
    unknown_words = [word for word in found if word.translate(_MARKS).isalpha()]
    n_unknown = len(unknown_words)
    if n_unknown < least:
        return False
    language = guess_language(unknown_words)
    if language is None and n_unknown < max(_FOREIGN * n_tokens, _LEAST_FOREIGN):
        return False
    warn_caller(
        f"{n_unknown} of the first {n_tokens} tokens are not in the table, and get "
        "vectors made of their characters, which is meant for rare and misspelt words. "
        + _advice(unknown_words, language)
    )
    return True


def _advice(words: list[str], language: str | None) -> str:
    """What serves texts with these words."""
    if language is not None:
        return (
            f'The texts look {language}: load_pretrained("multilingual") knows this '
            "language and eight others."
        )
    scripts = Counter(name(word[0], "LATIN").partition(" ")[0] for word in words)
    ((script, _),) = scripts.most_common(1)
    where = "" if script in ("LATIN", "CYRILLIC") else f" ({script.lower()} script)"
    return (
        f"The texts seem to be in a language{where} that it does not know. Use word "
        "vectors of this language, or learn them from pairs of translations (user "
        "guide, Other languages)."
    )


def _warn_of_unknown_words(
    unknown: NDArray[np.intp], offsets: NDArray[np.int64]
) -> bool:
    """Warn if more than a fifth of the first tokens are at these positions."""
    n_tokens = int(offsets[min(_FIRST_TEXTS, len(offsets) - 1)])
    n_unknown = int(np.searchsorted(unknown, n_tokens))
    if n_tokens < _WARN_FROM or n_unknown * 5 <= n_tokens:
        return False
    warn_caller(
        f"{n_unknown} of the first {n_tokens} tokens have no vector and are left out. "
        "Vectors of character n-grams can stand in for them: see vectors.fit_subwords."
    )
    return True
