"""Trained encoders by name, with small data."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
import registry
from numpy.testing import assert_allclose
from sklearn.base import clone

from skparaphrase.losses import MarginLoss
from skparaphrase.optimizers import Optimizer
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(20)]
VECTORS = WordVectors(WORDS, RNG.randn(20, 5).astype(np.float32))
TEXTS = [" ".join(RNG.choice(WORDS, RNG.randint(1, 6))) for _ in range(40)]
PAIRS = list(zip(TEXTS[0::2], TEXTS[1::2], strict=True))
TINY = {"embedding_dim": 4, "dim": 6}

# Class, parameters, length of the vectors.
ENCODERS = {
    "paragram": ("Paraphrase", {"shrinkage": 0}, 5),
    "projection": ("Projection", {"dim": 7}, 5),
    "dan": ("DeepAveraging", {"n_layers": 2}, 5),
    "rnn": ("RNN", {"dim": 4, "loss": MarginLoss(0.5, negatives="mix")}, 5),
    "irnn": ("IdentityRNN", {"learning_rate": 0.01}, 5),
    "lstm": ("LSTM", {"optimizer": Optimizer("adam", clip_norm=2.0), "dim": 5}, 5),
    "network": ("Network", {}, 5),
    "lstm gate": ("LSTM", {"output_gate": True, "dim": 4, "residual": False}, 4),
    "cse": ("CNN", {"filters": ((3, 2), (3, 1))}, 5),
    "charagram": ("Charagram", {"dim": 6}, 6),
    "char cnn": ("CharCNN", {**TINY, "filters": [(2, 1), (3, 3)]}, 6),
    "char lstm": ("CharLSTM", TINY, 6),
}
NAMED = {f"{class_name}Encoder" for class_name, _, _ in ENCODERS.values()}
for other in registry.TRAINED.keys() - NAMED:
    params = {
        k: v for k, v in TINY.items() if registry.takes(registry.TRAINED[other], k)
    }
    ENCODERS[other] = (other.removesuffix("Encoder"), params, None)
OF_WORDS = [
    name
    for name, (class_name, _, _) in ENCODERS.items()
    if registry.takes(registry.TRAINED[f"{class_name}Encoder"], "vectors")
]


def make(name, **changes):
    """An encoder for small data; its vectors follow the equations, without scaling."""
    class_name, params, _ = ENCODERS[name]
    params = {
        "max_epochs": 2, "batch_size": 8, "random_state": 0, "device": "cpu",
        "learning_rate": 0.02, "norm": None, **params, **changes,
    }  # fmt: skip
    if name in OF_WORDS:
        params.setdefault("vectors", VECTORS)
    limits = {k: params.pop(k) for k in list(params) if k.startswith("optimizer__")}
    encoder = registry.TRAINED[f"{class_name}Encoder"](**params)
    if limits:
        encoder.optimizer = clone(encoder.optimizer or encoder._optimizer)
    return encoder.set_params(**limits)


def state(encoder):
    return {"vectors": encoder.vectors_.rows(), **encoder.parameters_}


def same(first, second):
    """Whether two fitted encoders are bit-identical."""
    first, second = state(first), state(second)
    assert first.keys() == second.keys()
    return all(np.array_equal(first[key], second[key]) for key in first)


@pytest.fixture(scope="session")
def zoo():
    """Encoders by name and small data; do not change `fitted(name)`."""
    return SimpleNamespace(
        names=list(ENCODERS),
        of_words=OF_WORDS,
        dims={name: dim for name, (_, _, dim) in ENCODERS.items()},
        words=WORDS,
        vectors=VECTORS,
        texts=TEXTS,
        pairs=PAIRS,
        make=make,
        fitted=cache(lambda name: make(name).fit(PAIRS)),
        state=state,
        same=same,
    )


@pytest.fixture(params=ENCODERS)
def name(request):
    """Each trained encoder."""
    return request.param


@pytest.fixture(params=OF_WORDS)
def of_words(request):
    """Each trained encoder that starts from word vectors."""
    return request.param


@pytest.fixture
def assert_encodes():
    """Compare an encoder with a loop over texts and words."""

    def compare(encoder, texts, weight=lambda word: 1.0):
        table, expected = encoder.vectors, []
        for text in texts:
            words = [w if w in table else table.unknown for w in text.lower().split()]
            words = [word for word in words if word is not None]
            total = sum(weight(w) * table[w].astype(np.float64) for w in words)
            expected.append(total / max(len(words), 1) + np.zeros(table.dim))
        vectors = encoder.transform(texts)
        assert vectors.dtype == np.float32
        assert_allclose(vectors, expected, rtol=1e-5, atol=1e-6)

    return compare
