"""Pairs of similar texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import skparaphrase
from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import AverageEncoder
from skparaphrase.search import ParaphraseMiner
from skparaphrase.vectors import WordVectors

PAIRS = load_paraphrases().data[-300:]
ANGLES = {"a": 0, "b": 10, "c": 25, "d": 90, "e": 95, "f": 95}  # in degrees
PLANE = AverageEncoder(
    WordVectors(
        list(ANGLES),
        [[np.cos(np.radians(x)), np.sin(np.radians(x))] for x in ANGLES.values()],
    )
)


def cosines(texts, others):
    """Of unit vectors, as a whole matrix."""
    encoder = skparaphrase.load_pretrained()
    unit = []
    for some in (texts, others):
        vectors = encoder.transform(some).astype(float)
        unit.append(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return unit[0] @ unit[1].T


def test_angles():
    pairs = ParaphraseMiner(PLANE, threshold=0.95).fit(list(ANGLES)).mine(list(ANGLES))
    degrees = [0, 5, 5, 10, 15]
    assert_allclose(pairs.score, np.cos(np.radians(degrees)), atol=1e-6)
    assert pairs.row.tolist() == [[4, 5], [3, 4], [3, 5], [0, 1], [1, 2]]
    assert pairs.text.tolist()[0] == ["e", "f"]
    few = ParaphraseMiner(PLANE, threshold=0, top_k=1).fit(list(ANGLES))
    # The nearest of c is b, and no text has c as its nearest.
    assert few.mine(list(ANGLES)).row.tolist() == [[4, 5], [3, 4], [0, 1], [1, 2]]


def test_one_list():
    texts = np.unique(PAIRS)
    pairs = ParaphraseMiner(threshold=0.6).fit(texts).mine(texts)
    matrix = cosines(texts, texts)
    expected = np.argwhere(np.triu(matrix >= 0.6, 1))
    assert {*map(tuple, pairs.row)} == {*map(tuple, expected)}
    assert_allclose(pairs.score, matrix[tuple(pairs.row.T)], atol=1e-6)
    assert (np.diff(pairs.score) <= 0).all()


@pytest.mark.parametrize("top_k", [1, 4])
def test_two_lists(top_k):
    first, second = PAIRS[:200, 0], PAIRS[100:, 1]
    miner = ParaphraseMiner(threshold=0.5, top_k=top_k).fit(first)
    pairs = miner.mine(first, second)
    matrix = cosines(first, second)
    forward = matrix >= -np.sort(-matrix, axis=1)[:, [top_k - 1]]
    backward = matrix >= -np.sort(-matrix, axis=0)[[top_k - 1]]
    expected = np.argwhere((forward | backward) & (matrix >= 0.5))
    assert {*map(tuple, pairs.row)} == {*map(tuple, expected)}
    assert_array_equal(pairs.text[:, 0], first[pairs.row[:, 0]])
    assert_array_equal(pairs.text[:, 1], second[pairs.row[:, 1]])


def test_equal_texts_have_a_cosine_of_one():
    texts = [*np.unique(PAIRS), *np.unique(PAIRS)]
    pairs = ParaphraseMiner(threshold=1).fit(texts).mine(texts)
    rows = {*map(tuple, pairs.row.tolist())}
    n = len(texts) // 2
    assert rows >= {(i, i + n) for i in range(n)}
    assert pairs.score.max() == 1


def test_no_pair():
    pairs = ParaphraseMiner(PLANE).fit(["a"]).mine(["a", "d"])
    assert pairs.row.shape == pairs.text.shape == (0, 2)
    assert pairs.score.shape == (0,)


def test_what_is_found_is_better_than_chance():
    """Of 300 pairs whose texts are all in one list, the nearest are paraphrases."""
    texts = PAIRS.ravel()
    pairs = ParaphraseMiner(threshold=0.75).fit(texts).mine(texts)
    partners = pairs.row[:, 0] // 2 == pairs.row[:, 1] // 2
    assert len(partners) > 50
    assert partners.mean() > 0.8
