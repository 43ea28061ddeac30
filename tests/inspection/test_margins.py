"""Margins against the choice of negatives in training, and their display."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cosine
from sklearn.preprocessing import normalize

from skparaphrase.encoders import AverageEncoder
from skparaphrase.inspection import MarginDisplay, _margins, margins
from skparaphrase.losses import choose_negatives
from skparaphrase.vectors import WordVectors


def test_margins_by_hand():
    matrix = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [0, -2]]
    table = WordVectors([*"abcdef"], matrix)
    found = margins(AverageEncoder(table), [("a", "b"), ("c", "d"), ("e", "f")])
    columns = ["positive", "negative1", "negative2", "margin"]
    expected = np.sqrt(0.5) * np.array([[1, 1, 0], [0, 1, 1], [1, 1, 0], [1, 0, -1]])
    assert_allclose(found[columns].T, expected, atol=1e-6)
    assert found["text1"][1:].tolist() == ["b", "d"]
    assert found["text2"][:2].tolist() == ["c", "e"]


@pytest.mark.parametrize("mask_identical", [False, True])
@pytest.mark.parametrize("negatives", ["max", "mix", "random"])
@pytest.mark.parametrize("pool", ["both", "first"])
def test_negatives_are_those_of_training(paraphrases, negatives, pool, mask_identical):
    pairs = np.concatenate([paraphrases[:30], paraphrases[5:15, ::-1]])
    choice = {"pool": pool, "mask_identical": mask_identical}
    found = margins(
        AverageEncoder(), pairs, negatives, random_state=3, shuffle=False, **choice
    )
    flat = pairs.ravel()
    unit = normalize(AverageEncoder().transform(flat))
    chosen, _ = choose_negatives(
        torch.from_numpy(unit),
        np.unique(flat, return_inverse=True)[1],
        how=negatives,
        random_state=np.random.RandomState(3),
        **choice,
    )
    cosines = (unit * unit[chosen.numpy()]).sum(axis=1).reshape(-1, 2)
    assert_allclose(found[["negative1", "negative2"]], cosines, atol=1e-6)
    if negatives == "random":
        assert_array_equal(found[["text1", "text2"]], flat[chosen].reshape(-1, 2))


@pytest.mark.parametrize("block", [1, 10000])
@pytest.mark.parametrize("n_pairs", [40, 41, 45])
def test_margins_of_batches(paraphrases, monkeypatch, block, n_pairs):
    """Each batch by itself, against the most similar text found one by one."""
    monkeypatch.setattr(_margins, "_BLOCK", block)
    pairs = paraphrases[:n_pairs]
    encoder = AverageEncoder()
    found = margins(encoder, pairs, batch_size=10, random_state=0)
    order = np.arange(n_pairs)
    np.random.RandomState(0).shuffle(order)
    bounds = [0, 10, 20, 30, n_pairs if n_pairs == 41 else 40, n_pairs]
    for start, stop in pairwise(bounds):
        for row in order[start:stop]:
            others = [pairs[other] for other in order[start:stop] if other != row]
            texts = np.concatenate(others)
            for side, column in enumerate(["negative1", "negative2"]):
                vector = encoder.transform([pairs[row][side]])[0]
                cosines = [1 - cosine(vector, v) for v in encoder.transform(texts)]
                assert_allclose(found[column][row], max(cosines), atol=1e-5)


def test_margins_without_candidates(vectors):
    pairs = [("w1", "w2"), ("w2", "w1"), ("w1", "w2")]
    found = margins(AverageEncoder(vectors), pairs, mask_identical=True)
    assert found[["negative1", "negative2", "margin"]].isna().all(axis=None)
    assert found["text1"].tolist() == [None] * 3
    with pytest.raises(ValueError, match="No pair has a negative"):
        MarginDisplay(found["positive"], found[["negative1", "negative2"]]).plot()
    identical = margins(AverageEncoder(vectors), pairs)
    assert_allclose(identical["negative1"], 1, atol=1e-6)


def test_bad_parameters(vectors, pairs):
    encoder = AverageEncoder(vectors)
    with pytest.raises(ValueError, match="at least 2 pairs; got 1"):
        margins(encoder, pairs[:1])
    with pytest.raises(ValueError, match="Expected pairs"):
        margins(encoder, ["w1", "w2"])
    for bad in ({"negatives": "hard"}, {"pool": "second"}, {"batch_size": 1}):
        (name,) = bad
        with pytest.raises(ValueError, match=f"{name} (must be|== 1)"):
            margins(encoder, pairs, **bad)


def test_margin_display(paraphrases):
    encoder = AverageEncoder()
    options = {"negatives": "random", "random_state": 0}
    frame = margins(encoder, paraphrases, **options)
    display = MarginDisplay.from_estimator(encoder, paraphrases, **options)
    assert_allclose(display.mean_margin_, frame["margin"].mean())
    title = display.ax_.get_title()
    assert title == f"AverageEncoder: mean margin {frame['margin'].mean():.3f}"
    cosines = [0.5, 1.0], [[0.25, 0.25], [0.75, np.nan]]
    options = {"ax": display.ax_, "positive_kwargs": {"color": "red"}}
    again = MarginDisplay(*cosines, name="by hand").plot(**options)
    assert again.mean_margin_ == 0.5
    assert again.positive_.get_facecolor()[:3] == (1, 0, 0)
    with pytest.raises(ValueError, match="must be of shape"):
        MarginDisplay([0.5, 1.0], [[0.5], [0.5]])
    with pytest.raises(ValueError, match="inconsistent"):
        MarginDisplay([0.5], [[0.5, 1], [0.5, 0]])
