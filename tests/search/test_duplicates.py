"""Groups of texts that say the same."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import skparaphrase
from skparaphrase import _math
from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import AverageEncoder
from skparaphrase.search import NearDuplicates
from skparaphrase.vectors import WordVectors

ANGLES = [0, 20, 40, 90, 35, 100]
WORDS = list("abcdef")
PLANE = AverageEncoder(
    WordVectors(WORDS, [[np.cos(np.radians(x)), np.sin(np.radians(x))] for x in ANGLES])
)
TEXTS = load_paraphrases().data[:400].ravel()


def greedy(texts, threshold, agree):
    """Text by text, with all cosines."""
    vectors = skparaphrase.load_pretrained().transform(texts).astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    representatives, labels = [], []
    for i in range(len(texts)):
        fitting = [
            (-(vectors[i] @ vectors[j]), label)
            for label, j in enumerate(representatives)
            if vectors[i] @ vectors[j] >= threshold and agree(texts[j], texts[i])
        ]
        labels.append(min(fitting)[1] if fitting else len(representatives))
        if not fitting:
            representatives.append(i)
    return representatives, labels


def test_no_chains():
    """20 and 35 degrees are near, but the first represents 0 to 25."""
    groups = NearDuplicates(PLANE, threshold=np.cos(np.radians(25))).fit(WORDS)
    assert groups.labels_.tolist() == [0, 0, 1, 2, 1, 2]
    assert groups.representative_indices_.tolist() == [0, 2, 3]


@pytest.mark.parametrize("block", [16, 512])
@pytest.mark.parametrize("compared", [False, True])
def test_as_one_by_one(monkeypatch, block, compared):
    def longer(first, second):
        return len(second) >= len(first)

    monkeypatch.setattr("skparaphrase.search._duplicates.QUERIES", block)
    monkeypatch.setattr(_math, "_ROWS", 100)
    groups = NearDuplicates(threshold=0.6, must_agree=longer if compared else None)
    groups.fit(TEXTS)
    agree = longer if compared else lambda first, second: True
    representatives, labels = greedy(TEXTS, 0.6, agree)
    assert_array_equal(groups.representative_indices_, representatives)
    assert_array_equal(groups.labels_, labels)
    assert len(representatives) < 0.9 * len(TEXTS)


def test_numbers_must_agree():
    texts = [
        "Canon EOS 600D camera, 18 megapixels",
        "Canon EOS 650D camera, 18 megapixels",
        "Camera: Canon EOS 600D (18 megapixels)",
        "Canon EOS camera",
    ]
    assert NearDuplicates(threshold=0.7).fit_predict(texts).tolist() == [0, 1, 0, 2]
    free = NearDuplicates(threshold=0.7, must_agree=None).fit_predict(texts)
    assert free.tolist()[:3] == [0, 0, 0]


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ("500 GB drive", "750 GB drive", False),
        ("Dell P2419H monitor", "Dell U2419H monitor", False),
        ("at 5.30pm", "at 5.30 pm", True),
        ("on 10/12", "on 12/10", False),
        ("1,000 nails", "1000 nails", True),
        ("a drive", "a drive, 500 GB", False),
    ],
)
def test_what_numbers_are(first, second, agree):
    labels = NearDuplicates(PLANE, threshold=-1).fit_predict([first, second])
    assert labels.tolist() == [0, int(not agree)]


def test_time_does_not_grow_with_the_square_of_letters():
    start = time.process_time()
    NearDuplicates(PLANE, threshold=-1).fit(["x" * 100_000, "1x" * 50_000])
    assert time.process_time() - start < 5


def test_a_wrong_condition():
    with pytest.raises(ValueError, match="must_agree"):
        NearDuplicates(must_agree="words").fit(["a"])
