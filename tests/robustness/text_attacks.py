"""Attacks by texts, on encoders and models."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import unicodedata
import warnings
from random import Random

import numpy as np
from sklearn.base import clone
from subjects import TEXTS, as_pairs, fitted, fitting_data, say

# Characters that a program might treat as separators or ignore.
EVIL_TEXTS = [
    *("\0", "\x1c\x1d\x1e\x1f", "\x85", "\u2028", "\ufeff", "\ufffe", "\U0010ffff"),
    *("\ud800", "\udfff", "\u200b", "\u00ad", "\u0130", "\u1e9e", "e\u0301", "\u0627"),
    *("\r\n", "\t", " ", "", "-", "'", ".", "<unk>", "UUUNKKK", "\u4e2d\u6587"),
    *("\U0001f468\u200d\U0001f469", "\U000f0000\U0010fffd\U0010fffd", "a cat"),
    *("-a-" * 50, "9" * 400, "a" * 5000, "\u0301" * 500),
    "".join(map(chr, range(0xE000, 0xF900))),
]
N_TEXTS = 10
# A recurrence over more characters amplifies rounding; n-grams of them take long.
LENGTHS = {"CharLSTMEncoder": 300, "SequenceTagger": 1000}
INTERACTIONS = "PairwiseInteractionRegressor", "PairwiseInteractionRanker"
LENGTHS |= dict.fromkeys(INTERACTIONS, 60)  # whose time grows with the square


def nasty_texts(random, length=None):
    pieces = (random.choices(EVIL_TEXTS, k=random.randrange(4)) for _ in range(N_TEXTS))
    return [random.choice(["", " "]).join(some)[:length] for some in pieces]


def give_nasty_texts(name, seed, folder):
    """The output for a text is finite, and does not depend on other texts."""
    random = Random(seed)
    texts = nasty_texts(random, LENGTHS.get(name))
    model = random.choice(fitted(name))
    together = say(name, model, texts)
    assert len(together) == len(texts) and all(np.isfinite(r).all() for r in together)
    pairs = as_pairs(texts)
    for i in random.sample(range(N_TEXTS), 1 if name in INTERACTIONS else N_TEXTS):
        [alone] = say(name, model, [texts[i]], [pairs[i]])
        np.testing.assert_allclose(alone, together[i], rtol=1e-5, atol=1e-5)


def fit_to_nasty_texts(name, seed, folder):
    """The outputs of a model that was fitted on them are finite."""
    random = Random(seed)
    texts = [*nasty_texts(random, LENGTHS.get(name)), *TEXTS[:2]]
    model = clone(random.choice(fitted(name)))
    with warnings.catch_warnings():  # of few words, say
        warnings.simplefilter("ignore", UserWarning)
        model.fit(*fitting_data(name, texts))
    assert all(np.isfinite(row).all() for row in say(name, model, texts))


def give_both_forms(name, seed, folder):
    """Composed characters, and letters with marks as macOS and PDFs give them."""
    texts = [
        "The cat sleeps, na\u00efve",
        "A d\u00f3g b\u00e4rks",
        "\ud55c\uad6d\uc5b4 \u1ea1",
    ]
    for model in fitted(name):
        composed, decomposed = (
            say(name, model, [unicodedata.normalize(form, text) for text in texts])
            for form in ("NFC", "NFD")
        )
        for row, other in zip(composed, decomposed, strict=True):
            np.testing.assert_array_equal(row, other)
