"""Word interactions against slow equations."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
import torch
from few_words import with_ngrams
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.inspection import word_interactions
from skparaphrase.supervised import (
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
)
from skparaphrase.vectors import WordVectors

WORDS = "a cat dog sleeps runs the mat on black white .".split()
PAIR = ("The black cat sleeps on the mat.", "A white dog runs.")
WORDS1 = "the black cat sleeps on the mat .".split()
WORDS2 = "a white dog runs .".split()
X = [PAIR, ("A cat sleeps.", "The cat sleeps."), ("Dog", "cat"), ("A mat", "the mat")]
Y = [1.0, 5.0, 2.0, 4.0]
TINY = {"hidden_dim": 5, "max_epochs": 1, "random_state": 0}


@pytest.fixture(scope="module")
def vectors():
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 6))
    return WordVectors(WORDS, matrix.astype(np.float32))


def regressor(vectors, **params):
    return PairwiseInteractionRegressor(vectors, **{**TINY, **params})


@pytest.fixture(scope="module")
def model(vectors):
    return regressor(vectors).fit(X, Y)


@pytest.fixture(scope="module")
def found(model):
    return word_interactions(model, PAIR)


def slow_cube(forwards, backwards):
    """Planes by name, from the states of the words of both sentences."""
    planes = {}
    for name, state in {
        "forward": lambda f, b: f,
        "backward": lambda f, b: b,
        "sum": lambda f, b: f + b,
        "concatenation": lambda f, b: np.concatenate([f, b]),
    }.items():
        for measure, compare in {
            "cosine": lambda u, v: u @ v / np.linalg.norm(u) / np.linalg.norm(v),
            "negative distance": lambda u, v: -np.linalg.norm(u - v),
            "dot product": lambda u, v: u @ v,
        }.items():
            first, second = (
                [state(*word).astype(float) for word in zip(f, b, strict=True)]
                for f, b in zip(forwards, backwards, strict=True)
            )
            plane = [[compare(u, v) for v in second] for u in first]
            planes[f"{name} {measure}"] = np.array(plane)
    planes["words"] = np.ones_like(plane)
    return planes


def slow_focus(planes):
    selected = np.zeros(planes["words"].shape, dtype=bool)
    for name in ("concatenation cosine", "concatenation negative distance"):
        plane = planes[name].copy()
        for _ in range(min(plane.shape)):
            i, j = np.unravel_index(plane.argmax(), plane.shape)
            selected[i, j] = True
            plane[i], plane[:, j] = -np.inf, -np.inf
    return selected


def states_of(model, sentences):
    """By the network, one sentence at a time."""
    states = []
    for sentence in sentences:
        batch, vectors = model._look_up([sentence], *model._table())
        ids = torch.from_numpy(batch.ids.astype(np.int64))
        with torch.no_grad():
            found = model._fitted_network().states(
                torch.from_numpy(vectors), ids, batch.offsets
            )
        states.append([state.numpy() for state in found])
    return zip(*states, strict=True)


def check_against_slow(found, planes):
    assert found.channels == list(planes)
    assert found.cube.dtype == np.float64
    for plane, (name, expected) in zip(found.cube, planes.items(), strict=True):
        assert_allclose(plane, expected, rtol=1e-6, atol=1e-6, err_msg=name)
    assert_array_equal(found.focus, slow_focus(planes))


def test_cube_and_focus_are_those_of_the_states(model, found):
    assert (found.words1, found.words2) == (WORDS1, WORDS2)
    check_against_slow(found, slow_cube(*states_of(model, PAIR)))
    expected = np.tile(np.where(found.focus, 1, 0.1), (13, 1, 1))
    assert_allclose(found.weights, expected, rtol=1e-6)
    cube = torch.from_numpy(found.cube)[None]
    expected = model._fitted_network().focused(cube, None)[0]
    assert_array_equal((found.cube * found.weights).astype(np.float32), expected)


@pytest.mark.parametrize("params", [{}, {"freeze": None, "learning_rate": 0.1}])
def test_without_context_the_cube_is_that_of_the_vectors(vectors, params):
    model = regressor(vectors, hidden_dim=None, scale=3.0, **params).fit(X, Y)
    matrix = vectors.matrix * np.float32(model.scale_)
    if params:
        assert not np.allclose(matrix, model.vectors_.matrix[: len(matrix)])
        matrix = model.vectors_.matrix
    pair = ("The black cat sleeps", "a white dog")
    rows = [matrix[list(map(WORDS.index, text.lower().split()))] for text in pair]
    check_against_slow(word_interactions(model, pair), slow_cube(rows, rows))


def test_printed_focus_does_not_weigh_the_words(vectors):
    model = regressor(vectors, focus="paper").fit(X, Y)
    found = word_interactions(model, PAIR)
    expected = np.tile(np.where(found.focus, 1, 0.1), (13, 1, 1))
    expected[12] = 1
    assert_allclose(found.weights, expected, rtol=1e-6)
    cube = torch.from_numpy(found.cube)[None]
    focused = model._fitted_network().focused(cube, None)[0]
    assert_allclose(found.cube * found.weights, focused, rtol=1e-6)


def test_search_over_a_pipeline_that_changes_texts(vectors):
    remove = np.vectorize(lambda text: text.removeprefix("A "), otypes=[object])
    pipe = make_pipeline(
        FunctionTransformer(remove), regressor(vectors, hidden_dim=None)
    )
    search = GridSearchCV(pipe, {}, cv=2, scoring="r2").fit(X, Y)
    found = word_interactions(search, PAIR)
    assert (found.words2, found.score) == (WORDS2[1:], search.predict([PAIR])[0])


def test_words_without_vectors(vectors):
    pair = ("A zebra sleeps", "zebra")
    table = with_ngrams(vectors.words, vectors.matrix)
    found = word_interactions(regressor(table, hidden_dim=None).fit(X, Y), pair)
    assert (found.words1, found.words2) == (["a", "zebra", "sleeps"], ["zebra"])
    assert_allclose(found.cube[9, 1, 0], 1)
    model = regressor(vectors).fit(X, Y)
    assert word_interactions(model, ("A zebra", "cat")).words1 == ["a"]
    with pytest.raises(ValueError, match=r"Sentence 2 .*'zebra', has no"):
        word_interactions(model, pair)


def test_sentences_are_cut_at_the_limit(model):
    words = np.random.default_rng(0).choice(WORDS, 40).tolist()
    pair = (" ".join(words), "A white dog.")
    with pytest.warns(UserWarning, match="max_words=32"):
        found = word_interactions(model, pair)
    assert found.words1 == words[:32]
    states = states_of(model, pair)  # of the whole sentences
    sides = ([state[:32] for state in side] for side in states)
    check_against_slow(found, slow_cube(*sides))


def test_kinds_of_models_and_of_pairs(model, found, vectors):
    for again in (
        word_interactions(FrozenEstimator(model), list(PAIR)),
        word_interactions(make_pipeline(model), np.array(PAIR)),
        word_interactions(make_pipeline(make_pipeline(model)), pd.Series(PAIR)),
    ):
        assert_array_equal(again.cube, found.cube)
        assert again.score == found.score == model.predict([PAIR])[0]
    ranker = PairwiseInteractionRanker(vectors, **TINY).fit(X, [0, 1, 0, 1])
    score = ranker.decision_function([PAIR])[0]
    assert word_interactions(ranker, PAIR).score == score


def unfitted(model):
    return GridSearchCV(make_pipeline(model), {})


def linear(model):
    return make_pipeline(LinearRegression())


@pytest.mark.parametrize(
    ("wrap", "pair", "error", "message"),
    [
        (None, ("", "A cat"), ValueError, "Sentence 1 of the pair, '', has no words"),
        (None, ("A cat", "  "), ValueError, "Sentence 2 of the pair"),
        (None, [PAIR, PAIR], ValueError, r"one pair.*\(2, 2\)"),
        (None, ("A cat", None), ValueError, "missing"),
        (clone, PAIR, NotFittedError, "not fitted"),
        (unfitted, PAIR, NotFittedError, "not fitted"),
        (linear, PAIR, TypeError, "ends in one; got LinearRegression"),
    ],
)
def test_errors(model, wrap, pair, error, message):
    with pytest.raises(error, match=message):
        word_interactions(wrap(model) if wrap else model, pair)
