"""Optimizers as parameters of models."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.optimizers import NAMES, Optimizer
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(20)]
VECTORS = WordVectors(WORDS, RNG.randn(20, 5).astype(np.float32))
TEXTS = [" ".join(RNG.choice(WORDS[:15], RNG.randint(1, 6))) for _ in range(40)]
PAIRS = list(zip(TEXTS[0::2], TEXTS[1::2], strict=True))


def trained(optimizer, make=ParaphraseEncoder, **changes):
    settings = {"max_epochs": 3, "batch_size": 8, "random_state": 0, "device": "cpu"}
    if make is ParaphraseEncoder:
        settings["shrinkage"] = 0
    encoder = make(VECTORS, optimizer=optimizer, **{**settings, **changes})
    return encoder.fit(PAIRS).vectors_.matrix


@pytest.mark.parametrize("name", NAMES)
def test_a_name_equals_its_object_to_the_bit(name):
    assert_array_equal(trained(name), trained(Optimizer(name)))


def test_without_a_name_it_is_that_of_the_model():
    assert_array_equal(trained(Optimizer()), trained(Optimizer("adagrad")))
    assert_array_equal(
        trained(Optimizer(schedule="linear")),
        trained(Optimizer("adagrad", schedule="linear")),
    )


def test_each_parameter_changes_the_result():
    found = [
        trained(optimizer)
        for optimizer in (
            *map(Optimizer, NAMES),
            Optimizer("adam", sparse=False),
            Optimizer("adam", clip_norm=0.1),
            Optimizer("adam", schedule="linear"),
            Optimizer("adam", reset=True),
            Optimizer("adam", vectors_penalty=0.1),
            Optimizer("adam", word_dropout=0.5),
            Optimizer("adam", ordered_first_epoch=True),
            Optimizer("sgd", momentum=0.5),
        )
    ]
    for i, matrix in enumerate(found):
        assert np.isfinite(matrix).all()
        assert not any(np.allclose(matrix, other) for other in found[:i])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("vectors_penalty", [0.0, 0.1])
def test_sparse_updates_keep_unseen_words_to_the_bit(name, vectors_penalty):
    matrix = trained(Optimizer(name, vectors_penalty=vectors_penalty))
    assert_array_equal(matrix[15:], VECTORS.matrix[15:])
    assert (matrix[:15] != VECTORS.matrix[:15]).all()


@pytest.mark.parametrize(
    "optimizer",
    [
        "lbfgs",
        Optimizer,
        Optimizer("lbfgs"),
        Optimizer(sparse=None),
        Optimizer(clip_norm=0),
        Optimizer(momentum=1),
        Optimizer(schedule="cosine"),
        Optimizer(reset="yes"),
        Optimizer(vectors_penalty=-1),
        Optimizer(composition_penalty=-1),
        Optimizer(word_dropout=1.0),
        Optimizer(scramble=1.1),
        Optimizer(ordered_first_epoch=None),
    ],
)
def test_invalid_parameters_raise_at_fit(optimizer):
    with pytest.raises(ValueError, match=r"parameter of (ParaphraseEncoder|Optimizer)"):
        trained(optimizer)
