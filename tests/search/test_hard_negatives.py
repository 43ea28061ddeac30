"""Hard negatives against loops over pairs and texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from skparaphrase import load_pretrained
from skparaphrase.datasets import load_faq, load_paraphrases
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.search import mine_hard_negatives
from skparaphrase.vectors import WordVectors

PAIRS = load_paraphrases().data[:60]
# One anchor has two partners, one is a partner itself, and one pair is there twice.
CHAINED = np.vstack([PAIRS, [(PAIRS[0, 0], PAIRS[1, 1])], PAIRS[5:6, ::-1], PAIRS[7:8]])
CORPUS = load_faq().data.tolist() * 2 + PAIRS[:9, 1].tolist()


def unit(texts):
    vectors = load_pretrained().transform(texts).astype(float)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def slow_candidates(pairs, corpus, relative=0.05):
    """For each pair the texts that may be its negative, most similar first."""
    corpus = list(dict.fromkeys(corpus))
    vectors, found = unit(corpus), []
    for anchor, partner in pairs:
        known = {anchor}
        for one, other in pairs:
            if anchor in (one, other):
                known |= {one, other}
        a, p = unit([anchor, partner])
        most = a @ p - abs(a @ p) * relative
        cosines = vectors @ a
        rows = [i for i in np.argsort(-cosines) if cosines[i] <= most]
        found.append([corpus[i] for i in rows if corpus[i] not in known])
    return found


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
    triplets = mine_hard_negatives(load_pretrained(), CHAINED, corpus, **options)
    slow = [
        [*pair, negative]
        for pair, negatives in zip(CHAINED, expected, strict=True)
        for negative in negatives[ranks]
    ]
    assert triplets.tolist() == slow
    assert triplets.dtype == object and len(triplets) > 40


def test_blocks_of_anchors(monkeypatch):
    whole = mine_hard_negatives(None, CHAINED, n_negatives=2)
    monkeypatch.setattr("skparaphrase.search._hard_negatives.QUERIES", 7)
    blocks = mine_hard_negatives(None, CHAINED, n_negatives=2)
    assert whole.tolist() == blocks.tolist()


def test_any_encoder():
    pipe = make_pipeline(SIFEncoder(), Normalizer())
    unfitted = mine_hard_negatives(pipe, PAIRS[:, ::-1])
    assert not hasattr(pipe[0], "weights_")
    fitted = mine_hard_negatives(pipe.fit(PAIRS.ravel()), PAIRS[:, ::-1])
    assert unfitted.tolist() == fitted.tolist()


def test_pairs_without_a_candidate_are_left_out():
    plane = AverageEncoder(WordVectors([*"abcd"], [[1, 0], [1, 1], [0, 1], [2, 2]]))
    pairs = [("a", "b"), ("c", "a")]
    # Of a: c is its partner, d too similar. Of c: all but a are more similar than a.
    assert mine_hard_negatives(plane, [*pairs, ("a", "a")], [*"cdb"]).tolist() == [
        ["a", "a", "d"]
    ]
    with pytest.raises(ValueError, match=r"None of 3 texts .* of any of 2 pairs"):
        mine_hard_negatives(plane, pairs, [*"cdb"])
    with pytest.raises(ValueError, match="None of 0 texts"):
        mine_hard_negatives(plane, [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_negatives", 0),
        ("range_min", -1),
        ("relative_margin", -0.1),
    ],
)
def test_parameters_out_of_range_raise(name, value):
    options = {"n_negatives": 1, "range_min": 2, name: value}
    with pytest.raises(ValueError, match=name):
        mine_hard_negatives(None, PAIRS, **options)
