"""Pairs marked 0 and 1: training and validation."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from few_words import make_encoder, unit
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score

from skparaphrase.losses import CoSENTLoss
from skparaphrase.supervision._supervise import supervise

RNG = np.random.RandomState(0)
WORDS = np.array([f"w{i}" for i in range(20)])
TEXTS = np.array([" ".join(RNG.choice(WORDS, 4)) for _ in range(80)], dtype=object)
PAIRS = TEXTS.reshape(-1, 2)
MARKS = np.arange(40) % 3 == 0
SMALL = {"learning_rate": 0.1, "max_epochs": 4, "random_state": 0}


def cosines(encoder, pairs=PAIRS):
    vectors = encoder.transform(pairs).astype(float)
    return (unit(vectors[:, 0]) * unit(vectors[:, 1])).sum(axis=1)


def test_paraphrases_come_first():
    weights = np.linspace(1, 3, 40)
    examples = supervise(PAIRS, MARKS, sample_weight=weights)
    encoded = examples.kind.encode(examples, None, None, None)
    order = [*np.flatnonzero(MARKS), *np.flatnonzero(~MARKS)]
    assert_array_equal(encoded.indices, examples.indices[order])
    assert encoded.n_negative == 26
    # With weight 2, a negative counts as two: the mean of the paraphrases is 1.
    assert_allclose(encoded.weights, weights[order] / weights[MARKS].mean(), rtol=1e-6)


def test_both_marks_are_learnt():
    """Paraphrases rise above the other pairs; without these, they rise less."""
    start, both = make_encoder(max_epochs=0).fit(PAIRS), make_encoder(**SMALL)
    both.fit(PAIRS, MARKS)
    alone = make_encoder(**SMALL).fit(PAIRS[MARKS])
    gaps = [
        np.mean(found[MARKS]) - np.mean(found[~MARKS])
        for found in map(cosines, (start, alone, both))
    ]
    assert gaps[0] < gaps[1] < gaps[2] - 0.05


def test_all_marked_with_1_are_as_without_marks():
    one, other = (make_encoder(**SMALL).fit(PAIRS, y) for y in (None, np.ones(40)))
    assert_array_equal(one.transform(TEXTS), other.transform(TEXTS))


def test_a_loss_that_takes_no_negatives_says_so_once():
    message = f"{(~MARKS).sum()} of 40 pairs are marked with 0 and are left out"
    settings = {**SMALL, "loss": "margin"}
    with pytest.warns(UserWarning, match=message) as warned:
        found = make_encoder(**settings).fit(PAIRS, MARKS, X_val=PAIRS, y_val=MARKS)
    assert len(warned) == 1 and warned[0].filename == __file__
    expected = make_encoder(**settings).fit(PAIRS[MARKS], X_val=PAIRS[MARKS])
    assert_array_equal(found.transform(TEXTS), expected.transform(TEXTS))


def test_marks_are_scores_for_a_loss_of_scores():
    settings = {**SMALL, "loss": CoSENTLoss()}
    found = make_encoder(**settings).fit(PAIRS, MARKS.astype(int))
    expected = make_encoder(**settings).fit(PAIRS, np.where(MARKS, 7.0, 3.0))
    assert_array_equal(found.transform(TEXTS), expected.transform(TEXTS))


def test_batches_of_one_mark_are_for_partial_fit():
    encoder = make_encoder(learning_rate=0.1).partial_fit(PAIRS[~MARKS], MARKS[~MARKS])
    before = cosines(make_encoder(max_epochs=0).fit(PAIRS))[~MARKS]
    assert (cosines(encoder)[~MARKS] < before - 1e-4).mean() > 0.8
    encoder.partial_fit(PAIRS[MARKS], MARKS[MARKS]).partial_fit(PAIRS, MARKS)
    with pytest.raises(ValueError, match="y marks no pair to train on with 1"):
        make_encoder().fit(PAIRS, np.zeros(40))


def test_a_fit_resumes_with_both_marks():
    once = make_encoder(**{**SMALL, "max_epochs": 4}).fit(PAIRS, MARKS)
    twice = make_encoder(**{**SMALL, "max_epochs": 2}, warm_start=True)
    twice.fit(PAIRS, MARKS).fit(PAIRS, MARKS)
    assert_array_equal(once.transform(TEXTS), twice.transform(TEXTS))


def test_validation_uses_the_marks():
    train, held = slice(0, 25), slice(25, 40)
    encoder = make_encoder(**SMALL).fit(
        PAIRS[train], MARKS[train], X_val=PAIRS[held], y_val=MARKS[held]
    )
    found = average_precision_score(MARKS[held], cosines(encoder, PAIRS[held]))
    assert max(encoder.validation_scores_) == pytest.approx(found, abs=1e-6)
    with pytest.raises(ValueError, match="X_val and y_val hold paraphrases, but X and"):
        encoder.fit(PAIRS[train], MARKS[train], X_val=PAIRS[held])
    for seed in range(5):  # both parts have both marks
        make_encoder(max_epochs=1, validation_fraction=0.2, random_state=seed).fit(
            PAIRS, np.arange(40) < 5
        )


def test_weights_and_copies_of_negatives_are_equal():
    """In one batch, and without a schedule of batches."""
    settings = {**SMALL, "batch_size": 200, "max_epochs": 3}
    weights = np.where(MARKS, 1.0, 2.0)
    twice = np.concatenate([PAIRS, PAIRS[~MARKS]])
    weighted = make_encoder(**settings).fit(PAIRS, MARKS, sample_weight=weights)
    copied = make_encoder(**settings).fit(twice, [*MARKS, *MARKS[~MARKS]])
    assert_allclose(weighted.transform(TEXTS), copied.transform(TEXTS), atol=1e-5)


def test_one_pair_of_a_mark():
    """It is in one of the parts; without pairs marked 0, ranks are the score."""
    for seed in range(6):
        encoder = make_encoder(max_epochs=1, validation_fraction=0.3, random_state=seed)
        encoder.fit(PAIRS, np.arange(40) > 0)
        assert (
            0 <= min(encoder.validation_scores_) <= max(encoder.validation_scores_) <= 1
        )
