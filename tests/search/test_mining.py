"""Pairs of similar texts, and hard negatives against loops over pairs and texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from skparaphrase import _nearest, load_pretrained
from skparaphrase.datasets import load_faq, load_paraphrases
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.search import (
    ParaphraseMiner,
    _clusters,
    mine_hard_negatives,
)
from skparaphrase.vectors import WordVectors

PAIRS = load_paraphrases().data[-300:]
ANGLES = {"a": 0, "b": 10, "c": 25, "d": 90, "e": 95, "f": 95}  # in degrees
PLANE = AverageEncoder(
    WordVectors(
        list(ANGLES),
        [[np.cos(np.radians(x)), np.sin(np.radians(x))] for x in ANGLES.values()],
    )
)


def unit(texts):
    vectors = load_pretrained().transform(texts).astype(float)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_angles():
    pairs = ParaphraseMiner(PLANE, threshold=0.95).fit(list(ANGLES)).mine(list(ANGLES))
    degrees = [0, 5, 5, 10, 15]
    assert_allclose(pairs.score, np.cos(np.radians(degrees)), atol=1e-6)
    assert pairs.row.tolist() == [[4, 5], [3, 4], [3, 5], [0, 1], [1, 2]]
    assert pairs.text.tolist()[0] == ["e", "f"]
    few = ParaphraseMiner(PLANE, threshold=0, k=1).fit(list(ANGLES))
    # The nearest of c is b, and no text has c as its nearest.
    assert few.mine(list(ANGLES)).row.tolist() == [[4, 5], [3, 4], [0, 1], [1, 2]]


@pytest.mark.parametrize("k", [1, 4])
def test_two_lists(k):
    first, second = PAIRS[:200, 0], PAIRS[100:, 1]
    pairs = ParaphraseMiner(threshold=0.5, k=k).fit(first).mine(first, second)
    matrix = unit(first) @ unit(second).T
    forward = matrix >= -np.sort(-matrix, axis=1)[:, [k - 1]]
    backward = matrix >= -np.sort(-matrix, axis=0)[[k - 1]]
    expected = np.argwhere((forward | backward) & (matrix >= 0.5))
    assert {*map(tuple, pairs.row)} == {*map(tuple, expected)}
    assert_allclose(pairs.score, matrix[tuple(pairs.row.T)], atol=1e-6)
    assert_array_equal(pairs.text[:, 0], first[pairs.row[:, 0]])
    assert_array_equal(pairs.text[:, 1], second[pairs.row[:, 1]])
    none = ParaphraseMiner(threshold=1).fit(first).mine(first[:1], second[:1])
    assert none.row.shape == none.text.shape == (0, 2)


@pytest.mark.parametrize(
    ("k", "threshold", "missed"), [(1, 0.2, 0.1), (2, 0.6, 0.03), (100, 0.6, 0.03)]
)
@pytest.mark.parametrize("two_lists", [False, True])
def test_clusters_find_most_pairs(two_lists, k, threshold, missed, monkeypatch):
    data = load_paraphrases().data
    texts, others = (data[:, 0], data[:, 1]) if two_lists else (np.unique(data), None)
    options = {"threshold": threshold, "k": k}
    exact = ParaphraseMiner(**options, algorithm="exact").fit(texts)
    expected = exact.mine(texts, others)
    miner = ParaphraseMiner(**options, algorithm="clusters").fit(texts)
    pairs = miner.mine(texts, others)
    known = {*map(tuple, expected.row.tolist())}
    found = {*map(tuple, pairs.row.tolist())}
    assert len(found & known) > (1 - missed) * len(known)
    assert len(found) == len(pairs.row) and len(found - known) < missed * len(known)
    second = others if two_lists else texts
    assert_array_equal(pairs.text[:, 1], second[pairs.row[:, 1]])
    cosines = (unit(pairs.text[:, 0]) * unit(pairs.text[:, 1])).sum(axis=1)
    assert_allclose(pairs.score, cosines, atol=1e-6)
    assert (np.diff(pairs.score) <= 0).all()
    if not two_lists:
        assert (pairs.row[:, 0] < pairs.row[:, 1]).all()
    # Many texts are compared in clusters by default.
    auto = ParaphraseMiner(**options).fit(texts)
    assert_array_equal(auto.mine(texts, others).row, expected.row)
    monkeypatch.setitem(_clusters.EXACT, "auto", len(texts) - 1)
    assert_array_equal(auto.mine(texts, others).row, pairs.row)


def test_equal_texts_have_a_cosine_of_one():
    texts = np.unique(PAIRS)
    pairs = ParaphraseMiner(threshold=1).fit(texts).mine([*texts, *texts])
    n = len(texts)
    assert {*map(tuple, pairs.row.tolist())} >= {(i, i + n) for i in range(n)}
    assert pairs.score.max() == 1


def test_progress_counts_every_text(counts, monkeypatch):
    monkeypatch.setattr(_nearest, "QUERIES", 100)
    texts = np.unique(PAIRS)
    ParaphraseMiner().fit(texts).mine(texts)
    assert [*counts] == ["Embedding", "Comparing"] and len(counts["Comparing"]) > 5
    mine_hard_negatives(PAIRS)
    assert "Mining" in counts


# Hard negatives

FEW = load_paraphrases().data[:60]
# One anchor has two partners, one is itself a partner, and one pair is repeated.
CHAINED = np.vstack(
    [
        FEW,
        [(FEW[0, 0], FEW[1, 1])],
        FEW[5:6, ::-1],
        FEW[7:8],
    ]
)
CORPUS = load_faq().data.tolist() * 2 + FEW[:9, 1].tolist()


def slow_candidates(pairs, corpus, relative=0.05):
    """For each pair the texts that may be its negative, most similar first."""
    corpus = list(dict.fromkeys(corpus))
    vectors, candidates = unit(corpus), []
    for anchor, partner in pairs:
        paired = {anchor}
        for one, other in pairs:
            if anchor in (one, other):
                paired |= {one, other}
        a, p = unit([anchor, partner])
        most = a @ p - abs(a @ p) * relative
        cosines = vectors @ a
        rows = [i for i in np.argsort(-cosines) if cosines[i] <= most]
        candidates.append([corpus[i] for i in rows if corpus[i] not in paired])
    return candidates


@pytest.mark.parametrize("has_corpus", [True, False])
@pytest.mark.parametrize(
    ("options", "limits", "ranks"),
    [
        ({}, {}, slice(0, 1)),
        ({"n_negatives": 3}, {}, slice(0, 3)),
        ({"n_negatives": 2, "range_min": 4}, {}, slice(4, 6)),
        ({"relative_margin": 0}, {"relative": 0}, slice(0, 1)),
        ({"relative_margin": 0.5}, {"relative": 0.5}, slice(0, 1)),
    ],
)
def test_negatives_are_the_nearest_within_the_limits(
    has_corpus, options, limits, ranks
):
    corpus = CORPUS if has_corpus else None
    expected = slow_candidates(
        CHAINED, CORPUS if has_corpus else CHAINED.ravel(), **limits
    )
    triplets = mine_hard_negatives(
        CHAINED, corpus, encoder=load_pretrained(), **options
    )
    slow = [
        [*pair, negative]
        for pair, negatives in zip(CHAINED, expected, strict=True)
        for negative in negatives[ranks]
    ]
    assert triplets.tolist() == slow
    assert triplets.dtype == object and len(triplets) > 40


def test_blocks_of_anchors(monkeypatch):
    whole = mine_hard_negatives(CHAINED, n_negatives=2)
    monkeypatch.setattr("skparaphrase.search._mining.QUERIES", 7)
    blocks = mine_hard_negatives(CHAINED, n_negatives=2)
    assert whole.tolist() == blocks.tolist()


def test_any_encoder():
    pipe = make_pipeline(SIFEncoder(), Normalizer())
    unfitted = mine_hard_negatives(FEW[:, ::-1], encoder=pipe)
    assert not hasattr(pipe[0], "weights_")
    fitted = mine_hard_negatives(FEW[:, ::-1], encoder=pipe.fit(FEW.ravel()))
    assert unfitted.tolist() == fitted.tolist()


FLAT = AverageEncoder(WordVectors([*"abcd"], [[1, 0], [1, 1], [0, 1], [2, 2]]))
FLAT_PAIRS = [("a", "b"), ("c", "a")]


def test_pairs_without_a_candidate_are_left_out():
    # Of a: c is its partner, d too similar. Of c: all but a are more similar than a.
    pairs = [*FLAT_PAIRS, ("a", "a")]
    triplets = mine_hard_negatives(pairs, [*"cdb"], encoder=FLAT)
    assert triplets.tolist() == [["a", "a", "d"]]


@pytest.mark.parametrize(
    ("pairs", "options", "message"),
    [
        (FLAT_PAIRS, {"corpus": [*"cdb"]}, "None of 3 texts .* for any of 2 pairs"),
        ([], {}, "None of 0 texts"),
        (FEW, {"n_negatives": 0}, "n_negatives"),
        (FEW, {"range_min": -1}, "range_min"),
        (FEW, {"relative_margin": -0.1}, "relative_margin"),
    ],
)
def test_errors(pairs, options, message):
    with pytest.raises(ValueError, match=message):
        mine_hard_negatives(pairs, **options, encoder=FLAT)
