"""Training pairs from paraphrases and from groups of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.random import sample_without_replacement

from skparaphrase._compat import check_int
from skparaphrase._frames import without_masks
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Texts
from skparaphrase.text import check_pairs
from skparaphrase.text._check import check_single_texts, is_missing
from skparaphrase.text._tokenizer import check_tokenizer


def extract_phrase_pairs(
    pairs: Texts, *, max_words: int = 6, tokenizer: Any = None
) -> NDArray[np.object_]:
    """Extract the phrases in which paraphrases differ.

    The words of a pair are aligned. The words in which the texts differ become a pair
    of phrases, alone and with the common word on each side (after Barzilay and McKeown
    [1]_, who align syntactic phrases). Such pairs can replace a paraphrase database
    such as PPDB.

    Parameters
    ----------
    pairs : array-like of str of shape (n_pairs, 2)
        Paraphrases that share words, such as rewrites of a sentence. Pairs without
        shared words are not useful.
    max_words : int, default=6
        Maximum number of words in a phrase.
    tokenizer : WordTokenizer or callable, default=None
        None takes `WordTokenizer()`; a callable takes a text and returns its words.

    Returns
    -------
    phrases : ndarray of shape (n_phrases, 2), dtype object
        Distinct pairs of phrases in order of appearance; words are joined by spaces.

    See Also
    --------
    skparaphrase.search.ParaphraseMiner : Pairs of similar texts, or words, of a list.

    References
    ----------
    .. [1] Barzilay and McKeown (2001), "Extracting paraphrases from a parallel corpus".

    Examples
    --------
    >>> from skparaphrase.pairs import extract_phrase_pairs
    >>> extract_phrase_pairs([("He gets up at noon.", "He rises at noon.")]).tolist()
    [['gets up', 'rises'], ['he gets up at', 'he rises at']]
    """
    pairs, words = check_pairs(pairs), check_tokenizer(tokenizer)
    max_words = check_int(max_words, "max_words")
    phrases: dict[tuple[str, str], None] = {}
    with progress_bar(len(pairs), "Aligning words", "pair") as update:
        for first, second in pairs.tolist():
            phrases |= dict.fromkeys(_phrases(words(first), words(second), max_words))
            update(1)
    return _as_array(phrases)


def _phrases(a: list[str], b: list[str], most: int) -> Iterator[tuple[str, str]]:
    """The parts in which two lists of words differ, without and with common words."""
    # In lists of 200 words and more, frequent words are no anchors: time stays linear.
    for tag, *places in SequenceMatcher(None, a, b).get_opcodes():
        from_a, to_a, from_b, to_b = places
        if tag != "replace" or not (
            _has_word(a[from_a:to_a]) and _has_word(b[from_b:to_b])
        ):
            continue
        for around in (0, 1):
            first = a[max(from_a - around, 0) : to_a + around]
            second = b[max(from_b - around, 0) : to_b + around]
            if len(first) <= most and len(second) <= most:
                yield " ".join(first), " ".join(second)


def _has_word(tokens: list[str]) -> bool:
    return any(map(str.isalnum, "".join(tokens)))


def make_group_pairs(
    texts: Texts,
    groups: ArrayLike,
    *,
    max_pairs: int = 1000,
    random_state: Any = None,
) -> NDArray[np.object_]:
    """Pair all texts of a group, such as the rewrites of a sentence.

    Parameters
    ----------
    texts : array-like of str of shape (n_texts,)
    groups : array-like of shape (n_texts,)
        Equal for texts with the same meaning, such as captions of an image, questions
        with the same answer, or texts with the same label of
        :class:`~skparaphrase.search.NearDuplicates`. Texts whose group is None or NaN
        are left out.
    max_pairs : int, default=1000
        Maximum number of pairs per group. For larger groups, this number of pairs is
        drawn at random, because the number of all pairs grows with the square of the
        group's size.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2), dtype object
        Pairs of different texts, group by group in order of appearance.

    See Also
    --------
    skparaphrase.model_selection.pair_groups : Groups of pairs that share texts.

    Examples
    --------
    >>> from skparaphrase.pairs import make_group_pairs
    >>> texts = ["Hi!", "Bye.", "Hello!", "Hey!"]
    >>> make_group_pairs(texts, [1, 2, 1, 1]).tolist()
    [['Hi!', 'Hello!'], ['Hi!', 'Hey!'], ['Hello!', 'Hey!']]
    """
    texts = check_single_texts(texts)
    groups = np.asarray(column_or_1d(without_masks(groups)))
    check_consistent_length(texts, groups)
    max_pairs = check_int(max_pairs, "max_pairs")
    rng = check_random_state(random_state)
    members: dict[Any, dict[str, None]] = {}  # the distinct texts of each group
    for text, group in zip(texts.tolist(), groups.tolist(), strict=True):
        if not is_missing(group):
            members.setdefault(group, {})[text] = None
    pairs: list[tuple[str, str]] = []
    with progress_bar(len(members), "Pairing texts", "group") as update:
        for group_texts in map(list, members.values()):
            n_all = len(group_texts) * (len(group_texts) - 1) // 2
            number = np.arange(min(n_all, max_pairs))
            if n_all > max_pairs:
                number = sample_without_replacement(n_all, max_pairs, random_state=rng)
                number.sort()
            # Pairs are numbered (0, 1), (0, 2), (1, 2), (0, 3), ...
            later = ((1 + np.sqrt(1 + 8 * number)) // 2).astype(np.intp)
            earlier = number - later * (later - 1) // 2
            pairs += [
                (group_texts[i], group_texts[j])
                for i, j in zip(earlier, later, strict=True)
            ]
            update(1)
    return _as_array(pairs)


def _as_array(pairs: Iterable[tuple[str, str]]) -> NDArray[np.object_]:
    return np.array(list(pairs), dtype=object).reshape(-1, 2)
