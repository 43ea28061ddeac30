"""Look-up of words and n-grams, and sums of rows, in Python and NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, count
from typing import Any, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from skparaphrase._math import unit_vectors

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]

JOINERS = frozenset("'-.\u2019/:,")  # between the parts of a compound
# Characters that continue words but do not start them: marks, such as vowels of Hindi,
# and two joiners of letters. Between these ranges are Chinese, Korean, and variants of
# emoji.
_PLACES = (0x300, 0x3100), (0xA66F, 0xAC00), (0xFB1E, 0xFB1F), (0xFE20, 0x1F000)
MARKS = "\u200c\u200d" + "".join(
    character
    for character in map(chr, chain.from_iterable(range(*place) for place in _PLACES))
    if unicodedata.category(character) in ("Mn", "Mc")
)
MOST_MARKS = 30
_JOINER = "\u034f"  # ends a run of marks that Unicode's normal forms sort
_NEAR = "".join(f"{chr(start)}-{chr(stop - 1)}" for start, stop in _PLACES)
_NEAR_RUN = re.compile(f"[{_NEAR}]{{{MOST_MARKS}}}")  # few ranges are searched faster
_RARE = "\U00010000-\U0001efff"  # a class with them is searched character by character
_SORTED = re.sub(f"[{_JOINER}{_RARE}]", "", MARKS)
_SORTED = f"(?:[{_SORTED}]|(?=[{_RARE}])[{MARKS}])"
_LONG_RUN = re.compile(f"{_SORTED}{{{MOST_MARKS}}}(?={_SORTED})")
WORD = rf"\w+(?:[{MARKS}]+\w*)*"
_PARTS = re.compile(WORD)
_BETWEEN = rf"(?<=\d)[{re.escape(''.join(JOINERS))}](?=\d)"  # as in "1.7" and "5-6mg"
CHUNKS = re.compile(rf"{WORD}(?:{_BETWEEN}{WORD})*")
_RUNS = re.compile(rf"\d+(?:{_BETWEEN}\d+)*|(?:[^\W\d]|[{MARKS}])+")
MOST_RUNS = 4  # parts of a token that is read as numbers and letters; hashes have more
ORDINAL = "[0-9]*(?:1st|2nd|3rd|[0-9]th)"
_WHOLE = re.compile(rf"(?:[^\W\d]|[{MARKS}]){{1,3}}\d|{ORDINAL}")  # "co2", "12th"
_TINY = np.finfo(np.float32).tiny  # minimum length, to avoid dividing by zero
_TEXTS = 256  # tokens whose rows stay in the cache
_MOST_PIECES = 1 << 20  # about 200 MB
WINDOW = 32  # tokens; chosen on search in abstracts and answers (quality/field.py)
_PIECES = ("words", "ptb")  # patterns whose matches contain no white space


class Tokenizer(Protocol):
    """A word tokenizer: see :class:`skparaphrase.text.WordTokenizer`."""

    pattern: str
    split_compounds: bool

    def _fold(self, text: str) -> str: ...

    def _find(self) -> Any: ...

    def _key(self) -> Any: ...


class WordIndex(dict[str, int]):
    """The row of each distinct string, in order of appearance."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        super().__init__(zip(dict.fromkeys(words), count(), strict=False))
        self.memory: dict[Any, Any] = {}  # cache of look-ups

    def insert(self, word: str) -> int:
        """The row of a string; new strings are added."""
        return self.setdefault(word, len(self))

    def words(self) -> list[str]:
        """All strings; they are distinct."""
        return [*self]


def is_word(token: str) -> bool:
    """Whether a token has a letter or digit."""
    return token.isalnum() or any(map(str.isalnum, token))


def normalize(form: Any, text: str, has_long_run: bool | None = None) -> str:
    """A text in one of Unicode's normal forms, in linear time.

    Normal forms sort the marks that follow each other, in quadratic time. A joiner
    after each 30 of them ends the run, as in Unicode's stream-safe format (UAX 15).
    """
    if has_long_run is None:
        has_long_run = _NEAR_RUN.search(text) is not None
    if has_long_run:
        text = _LONG_RUN.sub(rf"\g<0>{_JOINER}", text)
    return unicodedata.normalize(form, text)


def folded(text: str, lowercase: bool) -> str:
    """Convert to composed characters (Unicode's form NFC), optionally to lower case."""
    if not text.isascii():
        text = normalize("NFC", text)
    return text.lower() if lowercase else text


def find_words(
    texts: Iterable[str],
    index: WordIndex,
    tokenizer: Tokenizer,
    unknown: int | None,
    keep_new: bool,
    new: WordIndex,
) -> tuple[Ids, Offsets]:
    """Find the rows of the words of texts.

    Parameters
    ----------
    unknown : int or None
        The row of words that are missing from `index`.
    keep_new : bool
        Whether unknown parts of a compound count if other parts are known. (Numbers and
        letters of a token are treated like tokens.)
    new : WordIndex
        Receives the words that are missing from `index`, in order of appearance.

    Returns
    -------
    ids : ndarray of shape (n_tokens,), int32
        Without `unknown`, the id of word `i` of `new` is `-1 - i`. Tokens that are
        missing from `index` and have no letter or digit are left out.
    offsets : ndarray of shape (n_texts + 1,), int64
    """
    find = tokenizer._find()
    by_piece = tokenizer.pattern in _PIECES
    ids: list[int] = []
    offsets = [0]

    def rows(token: str) -> list[int]:
        row = index.get(token)
        if row is not None:
            return [row]
        if tokenizer.split_compounds:
            runs = [
                run
                for chunk in CHUNKS.findall(token)
                for run in (
                    [chunk]
                    if chunk in index or _WHOLE.fullmatch(chunk)
                    else _RUNS.findall(chunk)
                )
            ]
            if 0 < sum(run[0].isdecimal() for run in runs) < len(runs) <= MOST_RUNS:
                return [row for run in runs for row in rows(run)]
        if tokenizer.split_compounds and not JOINERS.isdisjoint(token):
            parts = _PARTS.findall(token)
            known = [*map(index.get, parts)]
            if known.count(None) < len(parts):
                return [
                    -1 - new.insert(part) if row is None else row
                    for part, row in zip(parts, known, strict=True)
                    if row is not None or (keep_new and is_word(part))
                ]
        if unknown is not None:
            return [unknown]
        return [-1 - new.insert(token)] if is_word(token) else []

    known: dict[str, list[int]] = {}  # rows of pieces without new words
    if tokenizer.pattern:  # if it is not a user's function
        known = index.memory.setdefault((tokenizer._key(), unknown, keep_new), known)
    if len(known) > _MOST_PIECES:
        known.clear()
    others: dict[str, list[int]] = {}
    for text in texts:
        text = tokenizer._fold(text)
        for piece in text.split() if by_piece else find(text):
            found = known.get(piece)
            if found is None:
                found = others.get(piece)
            if found is None:
                tokens = find(piece) if by_piece else [piece]
                found = [row for token in tokens for row in rows(token)]
                kept = known if min(found, default=0) >= 0 else others
                kept[piece] = found
            ids += found
        offsets.append(len(ids))
    return np.array(ids, np.int32), np.array(offsets, np.int64)


def _ngrams(text: str, low: int, high: int) -> Iterator[str]:
    """The n-grams of a text, by their first character, then by order."""
    for start in range(len(text)):
        for stop in range(start + low, min(start + high, len(text)) + 1):
            yield text[start:stop]


def find_ngrams(
    texts: Iterable[str],
    index: WordIndex,
    low: int,
    high: int,
    unknown: int | None,
    lowercase: bool,
    binary: bool,
    grow: bool,
) -> tuple[Ids, Offsets]:
    """Find the rows of the character n-grams of texts.

    Parameters
    ----------
    low, high : int
        The lowest and the highest order.
    unknown : int or None
        The row of n-grams that are missing from `index`; None leaves them out.
    lowercase, binary : bool
        As in :class:`skparaphrase.text.NgramTokenizer`.
    grow : bool
        Whether to add missing n-grams to `index` instead.

    Returns
    -------
    ids : ndarray of shape (n_ngrams,), int32
    offsets : ndarray of shape (n_texts + 1,), int64
    """
    ids: list[int] = []
    offsets = [0]
    for text in texts:
        pieces = folded(text, lowercase).split()
        ngrams = _ngrams(f" {' '.join(pieces)} " if pieces else "", low, high)
        if grow:
            rows = [*map(index.insert, ngrams)]
        else:
            found = [index.get(ngram, unknown) for ngram in ngrams]
            rows = [row for row in found if row is not None]
        ids += sorted(set(rows)) if binary else rows
        offsets.append(len(ids))
    return np.array(ids, np.int32), np.array(offsets, np.int64)


def hash_ngrams(
    words: Iterable[str], low: int, high: int, kind: str, n_rows: int, factor: float
) -> tuple[Ids, Offsets, NDArray[np.float32]]:
    """Hash the character n-grams of each `<word>`.

    "crc32" is the checksum of an n-gram in UTF-8; the whole word is also an n-gram.
    "fasttext" is 32-bit FNV-1a over signed bytes, and leaves out single characters at
    the ends.

    Returns
    -------
    ids : ndarray of shape (n_ngrams,), int32
        Hashes modulo `n_rows`, word by word, sorted by the first character and then by
        order, the whole word last.
    offsets : ndarray of shape (n_words + 1,), int64
    weights : ndarray of shape (n_ngrams,), float32
        `factor` over the number of n-grams of the word ("fasttext") or its square root.
    """
    hashes = [_hashes(word, low, high, kind) for word in words]
    lengths = np.array([*map(len, hashes)], np.int64)
    ids = np.concatenate([np.empty(0, np.uint32), *hashes]) % np.uint32(n_rows)
    weights = factor / np.maximum(lengths, 1) ** (0.5 if kind == "crc32" else 1)
    return (
        ids.astype(np.int32),
        np.append(0, np.cumsum(lengths)),
        weights.astype(np.float32).repeat(lengths),
    )


@lru_cache(1 << 16)
def _hashes(word: str, low: int, high: int, kind: str) -> NDArray[np.uint32]:
    whole = f"<{word}>"
    ngrams = [*_ngrams(whole, low, high)]
    if kind == "crc32" and not low <= len(whole) <= high:
        ngrams.append(whole)
    elif kind == "fasttext" and low == 1:
        ngrams = ngrams[1:-1]  # without the single ones at the ends
    function = crc32 if kind == "crc32" else _fnv
    encoded = [ngram.encode("utf-8", "surrogatepass") for ngram in ngrams]
    return np.array([*map(function, encoded)], np.uint32)


def _fnv(ngram: bytes) -> int:
    state = 2166136261
    for byte in ngram:
        state = (state ^ (byte - 256 if byte > 127 else byte)) * 16777619 % 2**32
    return state


@np.errstate(over="ignore", invalid="ignore")  # training reports divergence
def pool_rows(
    matrix: NDArray[Any],
    scale: NDArray[np.float32] | None,
    extra: NDArray[np.float32] | None,
    ids: Ids,
    offsets: Offsets,
    weights: NDArray[np.floating] | None,
    pooling: str,
    out: NDArray[np.floating],
) -> NDArray[np.floating] | None:
    """Add the sum or average of the rows of each text to a row of `out`.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, dim), float32, float16 or int8
        Or float64, with `out` in float64.
    scale : ndarray of shape (n_rows,), float32
        With int8: row `i` is `matrix[i] * scale[i]`. Otherwise None.
    extra : ndarray of shape (n_extra, dim), float32, or None
        Row `i` has the id `-1 - i`.
    ids, weights : ndarray of shape (n_tokens,), int32 and float32
        Rows and their factors; weights may be None.
    offsets : ndarray of shape (n_texts + 1,), int64
    pooling : {"mean", "sum", "distinct"}
        "distinct" averages the distinct ids of each of the :func:`windows` of a text
        with :func:`distinct_weights`, and the windows in proportion to their tokens.
    out : ndarray of shape (n_texts, dim), float32

    Returns
    -------
    shares : ndarray of shape (n_tokens,), float32, or None
        With "distinct", the share of each token, 0 for repeats in its window.

    Raises
    ------
    ValueError
        If `offsets` does not rise from 0 to the number of ids, with a step for each
        text.
    IndexError
        If an id has no row.
    """
    _check_offsets(offsets, len(out), len(ids))
    shares = np.zeros(len(ids), out.dtype) if pooling == "distinct" else None
    for first in range(0, len(out), _TEXTS):
        part = slice(first, first + _TEXTS)
        bounds = offsets[first : first + _TEXTS + 1]
        texts = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        tokens = np.arange(bounds[0], bounds[-1])
        if shares is not None:
            starts, parts = windows(bounds)
            groups = np.repeat(np.arange(len(parts)), np.diff(starts))
            keys = groups.astype(np.int64) << 32 | ids[tokens].view(np.uint32)
            tokens = np.sort(np.unique(keys, return_index=True)[1])
            texts, groups = texts[tokens], groups[tokens]
            tokens += bounds[0]
        used, places = np.unique(ids[tokens], return_inverse=True)
        rows = _rows(matrix, scale, extra, used).astype(out.dtype, copy=False)
        factors = np.ones(len(tokens), out.dtype)
        if weights is not None:
            factors = weights[tokens].astype(out.dtype)
        if shares is not None:
            rows = rows[places] * factors[:, np.newaxis]
            factors = distinct_weights(rows, groups) * parts[groups].astype(out.dtype)
            shares[tokens] = factors
            places = np.arange(len(rows))
        elif pooling == "mean":
            factors /= np.bincount(texts).astype(out.dtype)[texts]
        out[part] += _sum(rows, factors, places, texts, len(bounds) - 1)
    return shares


def windows(offsets: Offsets) -> tuple[Offsets, NDArray[np.float64]]:
    """Split each text into the fewest windows of equal length, up to `WINDOW` tokens.

    A text without tokens has one window. Lengths differ by at most one token.

    Returns
    -------
    starts : ndarray of shape (n_windows + 1,), int64
        Start of each window, followed by the last offset.
    parts : ndarray of shape (n_windows,)
        Share of the text's tokens in each window.
    """
    lengths = np.diff(offsets)
    counts = np.maximum(-(-lengths // WINDOW), 1)
    text = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(text)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = offsets[text] + number * lengths[text] // counts[text]
    starts = np.append(starts, offsets[-1])
    return starts, np.diff(starts) / np.maximum(lengths[text], 1)


def _check_offsets(offsets: Offsets, n_texts: int, n_tokens: int) -> None:
    ends = [len(offsets), *offsets[:1], *offsets[-1:]]
    if ends != [n_texts + 1, 0, n_tokens] or (np.diff(offsets) < 0).any():
        raise ValueError(f"offsets must rise from 0 to {n_tokens}, the number of ids.")


def _rows(
    matrix: NDArray[Any],
    scale: NDArray[np.float32] | None,
    extra: NDArray[np.float32] | None,
    ids: Ids,
) -> NDArray[np.floating]:
    known = np.maximum(ids, 0)
    rows = np.asarray(matrix[known])
    if matrix.dtype != np.float64:
        rows = rows.astype(np.float32)
    if scale is not None:
        rows *= scale[known, np.newaxis]
    extra = matrix[:0] if extra is None else extra
    rows[ids < 0] = extra[-1 - ids[ids < 0]]
    return rows


def _sum(
    rows: NDArray[np.floating],
    factors: NDArray[np.floating],
    places: NDArray[np.intp],
    texts: NDArray[np.intp],
    n_texts: int,
) -> NDArray[np.floating]:
    """Sum factor times row over the tokens of each text.

    `places` contains the row of each token, and `texts` its text, ascending.
    """
    if n_texts == 1:  # the same order, three times as fast
        return np.einsum("t,td->d", factors, rows[places])[np.newaxis]
    starts = np.searchsorted(texts, np.arange(n_texts + 1))
    return csr_array((factors, places, starts), shape=(n_texts, len(rows))) @ rows


def distinct_weights(
    rows: NDArray[np.floating], texts: NDArray[np.intp]
) -> NDArray[np.floating]:
    r"""Weights of the distinct words of texts, which add up to 1 in each text.

    Let word :math:`i` have the vector :math:`x_i` with the unit vector :math:`u_i`.
    First, :math:`s_i = \max(\sum_j u_i \cdot u_j, 1)^{-1/2}`. Then, with the direction
    :math:`a` of :math:`\sum_i s_i x_i`, its weight is proportional to :math:`s_i (0.3 +
    \max(u_i \cdot a, 0))^{-0.35}`. The more similar a word is to the other words, the
    smaller is its weight. Exponents were chosen on STS 2012 and SICK train.

    Parameters
    ----------
    rows : ndarray of shape (n_words, dim), float32 or float64
    texts : ndarray of shape (n_words,)
        The index of the text of each word, ascending.

    Returns
    -------
    weights : ndarray of shape (n_words,)
    """
    number, n_texts = rows.dtype.type, int(texts.max(initial=-1)) + 1
    places = np.arange(len(rows))
    scales = 1 / _lengths(rows)
    sums = _sum(rows, scales, places, texts, n_texts)
    others = np.vecdot(rows, sums[texts]) * scales
    weights = 1 / np.sqrt(np.maximum(others, 1))
    sums = _sum(rows, weights, places, texts, n_texts)
    axes = sums / _lengths(sums)[:, np.newaxis]
    along = np.vecdot(rows, axes[texts]) * scales
    weights *= (np.maximum(along, 0) + number(0.3)) ** number(-0.35)
    return weights / np.bincount(texts, weights).astype(rows.dtype)[texts]


def _lengths(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """The lengths of rows; not 0, so zero rows can be divided by them."""
    lengths = np.sqrt(np.vecdot(rows, rows, dtype=np.float64))
    return np.maximum(lengths, _TINY).astype(rows.dtype)


def scale_to_unit(rows: NDArray[np.floating]) -> None:
    """Scale rows to length 1 in place; zero rows stay zero."""
    unit_vectors(rows, out=rows)


def add_to_rows(
    gradient: NDArray[np.floating],
    ids: Ids,
    offsets: Offsets,
    weights: NDArray[np.floating] | None,
    pooling: str,
    out: NDArray[np.floating],
) -> None:
    """Add the gradient of each text to the rows of its tokens in `out`.

    This is the gradient of :func:`pool_rows`, with its shares as weights for
    "distinct".

    Parameters
    ----------
    gradient : ndarray of shape (n_texts, dim)
    ids, offsets, pooling
        As in :func:`pool_rows`.
    weights : ndarray of shape (n_tokens,) or None
    out : ndarray of shape (n_rows, dim)
    """
    _check_offsets(offsets, len(gradient), len(ids))
    lengths = np.diff(offsets)
    if len(ids) and not 0 <= ids.min() <= ids.max() < len(out):
        raise IndexError(f"Rows must be between 0 and {len(out) - 1}.")
    factors = np.ones(len(ids), out.dtype) if weights is None else weights
    if pooling == "mean":
        factors = factors / lengths.repeat(lengths).astype(out.dtype)
    shape = len(lengths), len(out)
    out += csr_array((factors, ids, offsets), shape=shape).T @ gradient


def parse_numbers(line: bytes, out: NDArray[np.float64]) -> int:
    """Read the numbers at the end of a line.

    Parameters
    ----------
    line : bytes
    out : ndarray of shape (n_numbers,), float64
        Receives the `float` of the last fields, separated by ASCII white space; "1_0"
        is not a number.

    Returns
    -------
    stop : int
        End of the word before the numbers; 0 if there is no word, or a field is not a
        number.
    """
    word, *fields = line.rsplit(None, len(out)) or [b""]
    if len(fields) < len(out) or b"_" in line[len(word) :]:
        return 0
    try:
        out[:] = np.array(fields, np.float64)  # float() of each
    except ValueError:
        return 0
    return len(word)
