"""The most different texts, against a loop over all of them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import skparaphrase
from skparaphrase.datasets import load_faq
from skparaphrase.encoders import AverageEncoder
from skparaphrase.search import most_different
from skparaphrase.vectors import WordVectors

ANGLES = {"a": 0, "b": 10, "c": 170, "d": 90, "e": 80, "f": 0}
PLANE = AverageEncoder(
    WordVectors(
        list(ANGLES),
        [[np.cos(np.radians(x)), np.sin(np.radians(x))] for x in ANGLES.values()],
    )
)


def test_angles():
    chosen = most_different(list(ANGLES), 6, PLANE)
    assert chosen.row.tolist() == [0, 2, 3, 1, 4, 5]
    degrees = [180, 170, 80, 10, 10, 0]
    assert_allclose(chosen.score, np.cos(np.radians(degrees)), atol=1e-6)
    assert chosen.text.tolist() == list("acdbef")


def test_as_a_loop():
    texts = load_faq().data[:150]
    vectors = skparaphrase.load_pretrained().transform(texts).astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [0]
    while len(rows) < 40:
        left = [i for i in range(len(texts)) if i not in rows]
        rows.append(min(left, key=lambda i: max(vectors[rows] @ vectors[i])))
    chosen = most_different(texts, 40)
    assert_array_equal(chosen.row, rows)
    assert_array_equal(most_different(texts, 7).row, rows[:7])
    assert (np.diff(chosen.score) > -1e-6).all()


def test_at_most_twice_the_distance_of_the_best_choice():
    texts = load_faq().data[:18]
    vectors = skparaphrase.load_pretrained().transform(texts).astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    distances = np.sqrt(np.maximum(2 - 2 * vectors @ vectors.T, 0))

    def radius(rows):
        return distances[:, rows].min(axis=1).max()

    best = min(radius(list(rows)) for rows in combinations(range(18), 4))
    assert best <= radius(most_different(texts, 4).row) <= 2 * best


def test_texts_without_words_are_alike():
    texts = ["a", "?", "!", "b", "..."]
    assert most_different(texts, 5, PLANE).row.tolist() == [0, 1, 3, 2, 4]


@pytest.mark.parametrize("n_texts", [0, 3])
def test_a_wrong_number(n_texts):
    with pytest.raises(ValueError, match="n_texts"):
        most_different(["a", "b"], n_texts, PLANE)
