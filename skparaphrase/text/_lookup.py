"""Batches of tokens, and the look-up of the words of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import overload
from unicodedata import name

import numpy as np
from numpy.typing import NDArray

from skparaphrase import _core
from skparaphrase._estimator import warn_caller
from skparaphrase._progress import progress_bar
from skparaphrase.text._tokenizer import WordTokenizer

BLOCK = 4096  # texts that are looked up at a time
_SEEN = "unknown words"  # what an index remembers of the texts of all calls
_TEXTS, _WORDS = 10, 30  # of a call, and of each text, that are counted
_TEXTS_LEFT_OUT = 200  # of a call, if unknown words are left out
# Unknown words, less those that known words outweigh, that make another language.
# Chosen on English of 60 sorts and on texts of 25 other languages.
_ENOUGH = 9
_LEFT_OUT_ADVICE = (
    "Vectors of character n-grams can stand in for them: see vectors.fit_subwords."
)
_MARKS = dict.fromkeys(map(ord, _core.MARKS))

EmbedOOV = Callable[[Sequence[str]], NDArray[np.float32]]
GuessLanguage = Callable[[Sequence[str]], tuple[str | None, float]]


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
        Warn once per index if the texts, of this and earlier calls, seem to be in a
        language that it lacks. Takes unknown words, and returns the name of their
        language or None, and the share of them that is known in some language.

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
    if warn is not None and (words or index.memory.get(_SEEN)):
        guess = warn if keep_new else None
        _warn_of_language(index, texts, TokenBatch(ids, offsets), words, guess)
    if not words:
        return TokenBatch(ids, offsets)
    if embed_oov is not None:
        return TokenBatch(ids, offsets, embed_oov(words))
    is_known = ids >= 0
    offsets -= np.flatnonzero(~is_known).searchsorted(offsets)
    return TokenBatch(ids[is_known], offsets)


def _warn_of_language(
    index: _core.WordIndex,
    texts: Sequence[str],
    batch: TokenBatch,
    words: list[str],
    guess_language: GuessLanguage | None,
) -> None:
    """Warn if texts seem to be in a language that the table lacks.

    A cumulative sum over texts (CUSUM; Page 1954), because some programs embed a text
    at a time: unknown words less those that known words outweigh, never below zero.
    Tables contain short words of other languages, so only known words of five letters
    or more count; each outweighs two unknown words. A text adds at most two unknown
    words, because it may list names. Words of the multilingual table count four times.

    If unknown words are left out, all words count alike, and one unknown word in eight
    is too many.
    """
    state = index.memory.get(_SEEN, ())
    if state is None:  # it has warned
        return
    unknown, n_known = state or ([], 0)
    bounds, most = batch.offsets[: _TEXTS + 1].tolist(), _WORDS
    if guess_language is None:  # all texts count as one
        most = int(batch.offsets[: _TEXTS_LEFT_OUT + 1][-1])
        bounds = [0, most]
    ids = batch.ids[: bounds[-1]].tolist()
    for text, (start, stop) in zip(texts, pairwise(bounds), strict=False):
        new = [words[-1 - i] for i in ids[start:stop][:most] if i < 0]
        new = [w for w in new if w.isalpha() or w.translate(_MARKS).isalpha()]
        n_counted = stop - start
        if guess_language is not None:
            n_counted = len([w for w in text.split(maxsplit=most)[:most] if len(w) > 4])
        n_known += max(0, n_counted - len(new))
        if guess_language is not None:
            new = [word for word in dict.fromkeys(new) if word not in unknown][:2]
        unknown = unknown + new
    excess, language = len(unknown) - n_known / 8, None
    if guess_language is not None:
        excess = 4 * len(unknown) - 2 * n_known  # if the multilingual table has all
        if excess >= _ENOUGH:
            language, known_elsewhere = guess_language(unknown)
            excess -= 3 * (1 - known_elsewhere) * len(unknown)
    index.memory[_SEEN] = (unknown, n_known) if excess > 0 else ()
    if excess < _ENOUGH:
        return
    index.memory[_SEEN] = None
    what, advice = "are left out", _LEFT_OUT_ADVICE
    if guess_language is not None:
        what = "get vectors made of their characters"
        advice = _advice(unknown, language)
    warn_caller(
        f"Words that the table lacks are {sum(i < 0 for i in ids) / len(ids):.0%} of "
        f"the words of the texts, and {what}. {advice}"
    )


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
