"""ParaphraseEncoder: averages of trained vectors, kept near their start."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase import load_pretrained
from skparaphrase.datasets import (
    load_graded_pairs,
    load_paraphrases,
    load_word_vectors,
)
from skparaphrase.encoders import AverageEncoder, CharagramEncoder, ParaphraseEncoder
from skparaphrase.metrics import RetrievalScorer, STSScorer
from skparaphrase.optimizers import Optimizer
from skparaphrase.vectors import WordVectors


def test_it_leaves_the_given_vectors_alone(zoo):
    before = zoo.vectors.matrix.copy()
    encoder = zoo.make("paragram").fit(zoo.pairs)
    assert encoder.vectors is zoo.vectors
    assert_array_equal(zoo.vectors.matrix, before)
    assert not np.shares_memory(encoder.vectors_.matrix, zoo.vectors.matrix)
    assert encoder.vectors_.words == zoo.words


def test_a_batch_larger_than_the_data_is_the_data(zoo):
    first, second = (zoo.make("paragram", batch_size=n) for n in (1000, 20))
    assert zoo.same(first.fit(zoo.pairs), second.fit(zoo.pairs))


# A fit pays

PAIRS = load_paraphrases().data


def chain(pairs):
    """Each pair shares a text with the next; four in a row have the same meaning."""
    for first, second in pairs:
        texts = [first, second, f"Well, {first}", f"And {second}", f"So {first}"]
        yield from pairwise(texts)


def fifty(kind, seed):
    if kind == "graded":
        pairs, scores = load_graded_pairs(return_X_y=True)
        chosen = np.random.RandomState(seed).permutation(len(pairs))[:50]
        return pairs[chosen], scores[chosen]
    pairs = PAIRS[np.random.RandomState(seed).permutation(len(PAIRS))[:50]]
    return (pairs if kind == "pairs" else [*chain(pairs)][:50]), None


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("kind", ["pairs", "chains", "graded"])
def test_fifty_examples_do_no_harm(kind, seed):
    """Other bundled pairs are found at least as well as without a fit."""
    X, y = fifty(kind, seed)
    encoder = ParaphraseEncoder(random_state=seed).fit(X, y)
    order = np.random.RandomState(seed).permutation(len(PAIRS))
    scorer = RetrievalScorer(PAIRS[order[50:]])
    assert scorer(encoder) >= scorer(load_pretrained()) - 0.002
    # Something is learnt, although half of each target comes from the start.
    assert encoder.loss_curve_[-1] < 0.95 * encoder.loss_curve_[0]


def test_scores_teach_their_order():
    pairs, scores = load_graded_pairs(return_X_y=True)
    train, test = slice(0, 400), slice(400, None)
    encoder = ParaphraseEncoder(random_state=0).fit(pairs[train], scores[train])
    start = load_pretrained()
    for part, gain in ((train, 0.02), (test, 0.0)):
        scorer = STSScorer((pairs[part], scores[part]))
        assert scorer(encoder) > scorer(start) + gain


# The largest change


def limited(most, **changes):
    optimizer = Optimizer(
        "adagrad", max_change=most, sparse=changes.pop("sparse", True)
    )
    return {"optimizer": optimizer, "learning_rate": 0.2, **changes}


def changes_of(encoder, vectors):
    """Distance of each word from its start, divided by its initial length."""
    start = vectors.matrix.astype(np.float64)
    moved = np.linalg.norm(encoder.vectors_.matrix - start, axis=1)
    return moved / np.linalg.norm(start, axis=1)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("most", [0.05, 0.6])
def test_no_word_moves_farther_than_the_largest_change(zoo, most, sparse):
    free = zoo.make("paragram", **limited(None, sparse=sparse), max_epochs=9)
    assert changes_of(free.fit(zoo.pairs), zoo.vectors).max() > 0.7
    settings = limited(most, sparse=sparse)
    encoder = zoo.make("paragram", **settings, max_epochs=9).fit(zoo.pairs)
    found = changes_of(encoder, zoo.vectors)
    assert found.max() <= most * (1 + 1e-6)
    assert np.isclose(found, most, rtol=1e-5).any()
    # From the first start, not from the start of a later fit.
    encoder.set_params(warm_start=True).fit(zoo.pairs).partial_fit(zoo.pairs)
    later = zoo.make("paragram", init=encoder, **settings).fit(zoo.pairs)
    for again in (encoder, later):
        assert changes_of(again, zoo.vectors).max() <= most * (1 + 1e-6)


def test_words_within_the_largest_change_are_as_without_it(zoo):
    one_step = {"max_epochs": 1, "batch_size": 20}
    free, bound = (
        zoo.make("paragram", **limited(most), **one_step).fit(zoo.pairs)
        for most in (None, 0.2)
    )
    within = changes_of(free, zoo.vectors) < 0.2
    assert 1 < within.sum() < 19
    found, expected = bound.vectors_.matrix, free.vectors_.matrix
    assert_array_equal(found[within], expected[within])
    assert (found[~within] != expected[~within]).any(axis=1).all()
    loose = zoo.make("paragram", **limited(1e6), max_epochs=5).fit(zoo.pairs)
    assert zoo.same(
        loose, zoo.make("paragram", **limited(None), max_epochs=5).fit(zoo.pairs)
    )


def test_words_without_a_vector_stay_so(zoo):
    matrix = zoo.vectors.matrix.copy()
    matrix[:3] = 0
    vectors = WordVectors(zoo.words, matrix)
    encoder = zoo.make("paragram", vectors=vectors, **limited(0.6)).fit(zoo.pairs)
    assert not encoder.vectors_.matrix[:3].any()
    assert (encoder.vectors_.matrix[3:] != matrix[3:]).any(axis=1).all()
    encoder = zoo.make("paragram", vectors=vectors, **limited(None)).fit(zoo.pairs)
    assert encoder.vectors_.matrix[:3].any(axis=1).all()


def test_vectors_that_are_drawn_have_no_largest_change(zoo):
    found = [
        CharagramEncoder(dim=6, max_epochs=3, random_state=0, **limited(most))
        for most in (None, 1e-3)
    ]
    assert zoo.same(*(encoder.fit(zoo.pairs) for encoder in found))


# The paper


def test_the_setting_of_the_paper_starts_from_its_vectors():
    encoder = ParaphraseEncoder.paper()
    assert encoder.vectors is load_word_vectors()
    found = encoder.set_params(max_epochs=0).fit(PAIRS[:20])
    plain = AverageEncoder(load_word_vectors()).transform(PAIRS[:50, 0])
    assert_allclose(found.transform(PAIRS[:50, 0]), plain, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("setting", ["ppdb-xxl", "ppdb-xl", "words"])
def test_other_vectors_for_the_setting_of_the_paper(setting, zoo):
    encoder = ParaphraseEncoder.paper(setting, vectors=zoo.vectors)
    assert encoder.vectors is zoo.vectors
    fitted = zoo.fitted("paragram")
    assert ParaphraseEncoder.paper(setting, init=fitted).vectors is None


def test_the_margin_loss_of_the_paper_is_its_equation(zoo):
    """The first epoch of one batch, by loops over texts."""
    encoder = ParaphraseEncoder.paper(vectors=zoo.vectors, max_epochs=1, device="cpu")
    table = dict(zip(zoo.words, zoo.vectors.matrix.astype(np.float64), strict=True))
    texts = [text for pair in zoo.pairs for text in pair]
    means = [np.mean([table[word] for word in text.split()], axis=0) for text in texts]
    unit = [mean / np.linalg.norm(mean) for mean in means]
    total = 0.0
    for i, vector in enumerate(unit):
        others = [unit[j] for j in range(len(unit)) if j // 2 != i // 2]
        nearest = max(vector @ other for other in others)
        total += max(0.0, 0.4 - vector @ unit[i ^ 1] + nearest)
    encoder.fit(zoo.pairs)
    assert encoder.loss_curve_ == pytest.approx([total / len(zoo.pairs)], rel=1e-5)
