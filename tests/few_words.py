"""An encoder with few words, and texts for it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.optimizers import Optimizer
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._subwords import Subwords

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(30)]
VECTORS = WordVectors(WORDS, RNG.randn(30, 8).astype(np.float32))
HIDDEN = dict(zip(WORDS, RNG.randn(30, 8), strict=True))  # the teacher's table
TEXTS = [" ".join(RNG.choice(WORDS, RNG.randint(1, 6))) for _ in range(200)]
PAIRS = list(zip(TEXTS[:38], TEXTS[40:78], strict=True))
PAIRS += [PAIRS[1], (TEXTS[2], TEXTS[2])]  # repeated texts
MASK = np.arange(40) % 3 > 0


def make_encoder(**changes):
    settings = {
        "max_epochs": 3, "batch_size": 20, "random_state": 0, "device": "cpu",
        "learning_rate": 0.05, "optimizer": Optimizer("adagrad", max_change=None),
        "pooling": "mean", "shrinkage": 0,
    }  # fmt: skip
    return ParaphraseEncoder(VECTORS, **{**settings, **changes})


def with_ngrams(words, matrix):
    """A table with n-grams, which gives each unknown word a different vector."""
    rows = np.random.default_rng(0).normal(size=(97, np.shape(matrix)[1]))
    subwords = Subwords(rows.astype(np.float32))
    return WordVectors(words, matrix, unknown="subword", subwords=subwords)


def unit(vectors):
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-30)
