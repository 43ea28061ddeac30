"""Warnings about texts in an unknown language, and about many words left out."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np

from skparaphrase._core import MARKS
from skparaphrase._estimator import warn_caller
from skparaphrase.text._lookup import TokenBatch

MULTILINGUAL = "encoders/data/multilingual.npz"  # in the package
_TEXTS, _WORDS = 10, 30  # of a call, and of each text, that are counted at most
_TEXTS_LEFT_OUT = 200  # of a call, if unknown words are left out
# Excess of unknown over known words (weighted) that indicates another language. Chosen
# on 60 kinds of English texts and on texts in 25 other languages.
_ENOUGH = 9
_MARKS = dict.fromkeys(map(ord, MARKS))  # for str.translate, which removes them


class LanguageCheck:
    """Warn once if the texts of all calls seem to be in a language unknown to a table.

    This is a cumulative sum over texts (CUSUM; Page 1954), because some programs embed
    one text at a time. It adds unknown words, subtracts known words, and never falls
    below zero. Tables contain short words of other languages, so only known words of
    five letters or more count; each outweighs two unknown words. A text adds at most
    two unknown words, because it may list names. Unknown words that are in the
    multilingual table count four times.

    If unknown words have no vectors, all words count alike, and one unknown word in
    eight is too many.
    """

    def __init__(self) -> None:
        self._unknown: list[str] = []
        self._n_known = 0
        self._n_left_out = 0.0  # more than one word in eight
        self._has_warned = False

    def update(
        self, texts: Sequence[str], batch: TokenBatch, words: Sequence[str]
    ) -> None:
        """Count the words of texts; the id of the unknown `words[i]` is `-1 - i`."""
        if self._has_warned or not (words or self._unknown):
            return
        bounds = batch.offsets[: _TEXTS + 1].tolist()
        ids = batch.ids[: bounds[-1]].tolist()
        for text, (start, stop) in zip(texts, pairwise(bounds), strict=False):
            unknown = [words[-1 - i] for i in ids[start:stop][:_WORDS] if i < 0]
            unknown = [word for word in unknown if word.translate(_MARKS).isalpha()]
            n_long = sum(len(w) > 4 for w in text.split(maxsplit=_WORDS)[:_WORDS])
            self._n_known += max(0, n_long - len(unknown))
            new = [word for word in dict.fromkeys(unknown) if word not in self._unknown]
            self._unknown += new[:2]
        excess = 4 * len(self._unknown) - 2 * self._n_known
        if excess >= _ENOUGH:
            in_package = _multilingual_words()
            excess -= 3 * sum(word not in in_package for word in self._unknown)
        if excess <= 0:
            self._unknown, self._n_known = [], 0
        if excess >= _ENOUGH:
            self._has_warned = True
            share = sum(i < 0 for i in ids) / len(ids)
            warn_caller(
                f"Words that the table lacks are {share:.0%} of the words of the "
                "texts, which seem to be in another language or spelling (such as "
                "upper case) than the table. "
                'load_pretrained("multilingual") supports English, German, French, '
                "Spanish, Italian, Dutch, Portuguese, Polish and Russian. For another "
                "language, use its word vectors, or learn them from pairs of "
                "translations (user guide, Other languages)."
            )

    def count_left_out(self, batch: TokenBatch, words: Sequence[str]) -> None:
        """Count the words that have no vector; the id of `words[i]` is `-1 - i`."""
        if self._has_warned or not len(batch):
            return
        ids = batch.ids[: batch.offsets[: _TEXTS_LEFT_OUT + 1][-1]].tolist()
        unknown = [words[-1 - i].translate(_MARKS).isalpha() for i in ids if i < 0]
        n_unknown = sum(unknown)
        excess = n_unknown - (len(ids) - n_unknown) / 8
        self._n_left_out = max(0.0, self._n_left_out + excess)
        if self._n_left_out < _ENOUGH:
            return
        self._has_warned = True
        warn_caller(
            f"Words that the table lacks are left out: {len(unknown) / len(ids):.0%} "
            "of the words of the texts. vectors.fit_subwords gives them vectors of "
            "character n-grams; texts in another language need its word vectors, or "
            'load_pretrained("multilingual").'
        )


@cache
def _multilingual_words() -> frozenset[str]:
    """Words of the multilingual table, whose vectors are not read."""
    path = files("skparaphrase") / MULTILINGUAL
    with path.open("rb") as file, np.load(file) as data:
        return frozenset(bytes(data["words"]).decode().split("\n"))
