"""Models of word by word interaction: what they learn, keep and predict."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import subprocess
import sys
import warnings
from collections import Counter
from copy import deepcopy
from zlib import crc32

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.callback import ProgressBar
from torch.nn import functional as F

import skparaphrase
import skparaphrase.interaction._base as base
from skparaphrase.callback import EarlyStopping, ScoreMonitor
from skparaphrase.interaction import (
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
)
from skparaphrase.interaction._words import find_words
from skparaphrase.metrics import mean_average_precision, mean_reciprocal_rank
from skparaphrase.nn import Interaction
from skparaphrase.nn._grid import WIDTHS
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors

SMALL = {
    "hidden_dim": 4, "max_epochs": 2, "batch_size": 9, "schedule": "constant",
    "device": "cpu", "random_state": 0,
}  # fmt: skip
MODELS = [PairwiseInteractionRegressor, PairwiseInteractionRanker]
each = pytest.mark.parametrize("Model", MODELS)


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    """Blocks of few channels; the others are tested with the network."""
    for limit, widths in WIDTHS.items():
        monkeypatch.setitem(WIDTHS, limit, (6, 7, 8, 7, 6, 8)[: len(widths)])


@pytest.fixture
def pairs(pairs):
    return pairs[:18]


@pytest.fixture
def gold(gold):
    """From one end of the scale to the other."""
    return np.where(gold == 4, 5.0, gold)[:18]


@pytest.fixture
def answers(sentences):
    """Six questions of three candidates; one has no right one, one no other."""
    X, y = [], []
    for i in range(6):
        found = [f"w{i} w{i + 10}", sentences[i + 10], sentences[i + 20]]
        right = {3: [0, 0, 0], 5: [1, 1, 1]}.get(i, [1, 0, 0])
        for k in np.roll(range(3), i):
            X.append((f"w{i} w{i + 10} {sentences[i]}", found[k]))
            y.append(right[k])
    return X, np.array(y)


@pytest.fixture
def examples(pairs, gold, answers):
    """Pairs and targets of a model."""
    return {
        PairwiseInteractionRegressor: (pairs, gold),
        PairwiseInteractionRanker: answers,
    }


def arrays(model):
    """Everything that is trained."""
    found = dict(model.parameters_)
    if hasattr(model, "vectors_"):
        found["vectors"] = model.vectors_.matrix
    return found


def assert_same_bits(model, other):
    one, two = arrays(model), arrays(other)
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert_array_equal(value, two[name], err_msg=name)


def moved(model, other):
    """Whether all arrays of parameters differ."""
    return all(
        not np.array_equal(value, other.parameters_[name])
        for name, value in model.parameters_.items()
    )


def outputs(model, X):
    """The outputs that say most."""
    if isinstance(model, PairwiseInteractionRanker):
        return model.decision_function(X)
    return model.predict(X)


def drawn(word, dim=6, reach=0.05):
    """The vector of a word that no table has."""
    random_state = np.random.RandomState(crc32(word.encode()))
    return random_state.uniform(-reach, reach, dim).astype(np.float32)


def network(model, n_outputs, dim=6):
    """The network of the module `nn` with the arrays of a fitted model."""
    names = ("limit", "context", "share_directions", "focus", "dropout")
    params = {name: getattr(model, name) for name in names}
    net = Interaction(dim, model.hidden_dim, n_outputs, **params)
    state = {name: torch.tensor(value) for name, value in model.parameters_.items()}
    net.load_state_dict(state)
    return net


def slow_logits(net, pairs, vector_of):
    """Scores before the softmax, from a network that reads one pair at a time."""
    found = []
    for pair in pairs:
        words = [text.split() for text in pair]
        rows = [vector_of(word) for text in words for word in text]
        table = torch.tensor(np.array(rows, dtype=np.float32).reshape(-1, 6))
        offsets = np.cumsum([0, *map(len, words)])
        found.append(net(table, torch.arange(len(rows)), offsets, np.array([[0, 1]])))
    return torch.cat(found)


# Predictions


SETTINGS = [
    {},
    {"context": False},
    {"share_directions": False, "limit": 64},
    {"focus": "none", "limit": 32},
    {"focus": "dropout", "dropout": 0.5, "scale": None},
    {"freeze": None, "scale": 2.0},
]


@pytest.mark.parametrize("params", SETTINGS, ids=str)
@each
def test_predictions_pair_by_pair(Model, params, examples, vectors):
    X, y = examples[Model]
    X = [*X, ("", "w1 w2"), ("w3 new", "new other w3"), ("new", "new")]
    y = [*y, 1, 0, 0]
    model = Model(vectors, learning_rate=0.01, **{**SMALL, **params}).fit(X, y)
    known = getattr(model, "vectors_", {})

    def vector_of(word):
        if word in known:
            return model.vectors_[word]
        return model.scale_ * vectors[word] if word in vectors else drawn(word)

    X = [*X, ("w5 w6 novel", "w6 w7")]
    n_outputs = 2 if Model is PairwiseInteractionRanker else len(model.levels_)
    with torch.no_grad():
        logits = slow_logits(network(model, n_outputs), X, vector_of).double()
    shares = torch.softmax(logits, 1).numpy()
    if Model is PairwiseInteractionRanker:
        assert_allclose(model.predict_proba(X), shares, atol=1e-6)
        odds = np.log(shares[:, 1] / shares[:, 0])
        assert_allclose(model.decision_function(X), odds, rtol=1e-5, atol=1e-5)
        return
    assert_array_equal(model.levels_, np.arange(6))
    assert_allclose(model.predict(X), shares @ model.levels_, atol=1e-5)
    assert model.predict(X).std() > 1e-3


@pytest.mark.parametrize(
    ("biases", "expected"),
    [
        ([0, 0, 0, 0, 0, 0], 2.5),
        ([0, 0, 0, 900, 0, 0], 3),
        ([-900, 0, -900, -900, -900, -900], 1),
        ([0, 0, 0, 0, 0, 1e4], 5),
        (np.log([1, 2, 3, 4, 5, 5]), 65 / 20),
    ],
)
def test_expectation_with_a_network_forced_by_hand(
    biases, expected, vectors, pairs, gold
):
    model = PairwiseInteractionRegressor(vectors, **{**SMALL, "max_epochs": 0})
    model.fit(pairs, gold)
    model.parameters_["grid.output.weight"][:] = 0
    model.parameters_["grid.output.bias"][:] = biases
    found = model.predict(pairs)
    assert_allclose(found, np.full(18, expected), rtol=1e-6)
    assert found.min() >= 0 and found.max() <= 5


def test_probabilities_and_odds(vectors, answers):
    X, y = answers
    model = PairwiseInteractionRanker(vectors, **SMALL).fit(X, y)
    shares = model.predict_proba(X)
    assert shares.shape == (18, 2)
    assert_array_equal(model.classes_, [0, 1])
    assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    found = model.decision_function(X)
    assert_allclose(found, np.log(shares[:, 1] / shares[:, 0]), atol=1e-12)
    model.parameters_["grid.output.weight"][:] = 0
    model.parameters_["grid.output.bias"][:] = [1, 2.5]
    assert_allclose(model.decision_function(X), np.full(18, 1.5))


def test_score_is_the_correlation(vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, **SMALL).fit(pairs, gold)
    found = model.predict(pairs)
    assert_allclose(model.score(pairs, gold), np.corrcoef(found, gold)[0, 1])
    counts = np.arange(18) % 4
    r = np.corrcoef(np.repeat(found, counts), np.repeat(gold, counts))[0, 1]
    assert_allclose(model.score(pairs, gold, sample_weight=counts), r)


def slow_mrr(y, scores, query):
    found = []
    for one in set(query):
        rows = [i for i in range(len(y)) if query[i] == one]
        rows.sort(key=lambda i: (-scores[i], -i))
        found.append(next((1 / k for k, i in enumerate(rows, 1) if y[i]), 0))
    return np.mean(found)


def test_score_is_the_mean_reciprocal_rank(vectors, answers):
    X, y = answers
    model = PairwiseInteractionRanker(vectors, **SMALL).fit(X, y)
    scores = model.decision_function(X)
    texts = [question for question, _ in X]
    assert 0.3 < slow_mrr(y, scores, texts) < 0.9
    assert_allclose(model.score(X, y), slow_mrr(y, scores, texts))
    halves = np.arange(18) // 9
    for query in (halves, halves.astype(str), [f"q{i}" for i in halves]):
        expected = slow_mrr(y, scores, halves)
        assert_allclose(model.score(X, y, query=query), expected)
        both = np.column_stack([y, query])
        assert_allclose(model.score(X, both), expected)
        assert_allclose(model.score(X, both.tolist()), expected)
    with pytest.raises(ValueError, match="query must be None"):
        model.score(X, both, query=halves)


def test_rank(vectors, answers):
    X, y = answers
    model = PairwiseInteractionRanker(vectors, **SMALL).fit(X, y)
    candidates = ["w1 w5", "w9", "", "w1 w2 w3", "w9", "nothing known"]
    order = model.rank("w1 w2", candidates)
    scores = model.decision_function([("w1 w2", text) for text in candidates])
    assert sorted(order) == list(range(6))
    assert (np.diff(scores[order]) <= 0).all() and len(set(scores)) == 5
    assert order.tolist().index(1) == order.tolist().index(4) - 1  # the first first
    assert_array_equal(model.rank("w1 w2", np.array(candidates)), order)
    found = model.rank("w1 w2", [])
    assert found.shape == (0,) and found.dtype == np.intp
    for question in (["w1"], None, 3, ("w1", "w2")):
        with pytest.raises(TypeError, match="question must be a str"):
            model.rank(question, candidates)
    with pytest.raises(ValueError, match="candidates must have the shape"):
        model.rank("w1", [("w1", "w2")])
    with pytest.raises(TypeError):
        model.rank("w1", "w2")


def test_ends_and_levels_of_the_scale(vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, **{**SMALL, "max_epochs": 1})

    def levels(scores, **params):
        found = clone(model).set_params(**params).fit(pairs, scores)
        assert found.predict(pairs).min() >= found.levels_[0]
        assert found.predict(pairs).max() <= found.levels_[-1]
        n_outputs = len(found.parameters_["grid.output.bias"])
        assert n_outputs == len(found.levels_)
        return found.levels_

    share = gold / 5
    assert_array_equal(levels(gold), np.arange(6))
    assert_array_equal(levels(1.2 + 1.6 * share), [1, 2, 3])
    assert_array_equal(levels(4 * share - 2), [-2, -1, 0, 1, 2])
    assert_array_equal(levels(share), [0, 1])
    assert_array_equal(levels(share, score_range=[-1, 2]), [-1, 0, 1, 2])
    assert_allclose(levels(share, n_levels=5), [0, 0.25, 0.5, 0.75, 1])
    assert_allclose(levels(100 * share, n_levels=3), [0, 50, 100])
    assert_allclose(levels(0.2 + share, score_range=(0.2, 1.2)), [0.2, 1.2])


def test_any_scale_is_the_same_model(vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, score_range=(0, 5), **SMALL)
    one = clone(model).fit(pairs, gold)
    model.set_params(score_range=(-7, 3), n_levels=6)
    other = model.fit(pairs, 2 * gold - 7)
    for name, value in arrays(other).items():
        assert_allclose(value, one.parameters_[name], atol=1e-6)
    assert_allclose(other.predict(pairs), 2 * one.predict(pairs) - 7, atol=1e-5)


@each
def test_batch_mates_change_nothing(Model, examples, vectors, monkeypatch):
    X, y = examples[Model]
    X = [*X, ("w1", "w2 " * 31), ("new w1", "w2 other"), ("", "")]
    model = Model(vectors, learning_rate=0.01, **SMALL).fit(X[:18], y)
    expected = outputs(model, X)
    alone = [outputs(model, [pair])[0] for pair in X]
    assert_allclose(alone, expected, atol=1e-6)
    assert_allclose(outputs(model, X[::-1])[::-1], expected, atol=1e-6)
    assert_allclose(outputs(model, X + X), [*expected, *expected], atol=1e-6)
    monkeypatch.setattr(base, "_PAIRS", 7)
    assert_allclose(outputs(model, X), expected, atol=1e-6)
    assert outputs(model, []).shape == (0,)


@each
def test_any_container_of_pairs(Model, examples, vectors, pair_container):
    X, y = examples[Model]
    model = Model(vectors, **{**SMALL, "max_epochs": 0}).fit(X, y)
    expected = outputs(model, X)
    assert_array_equal(outputs(model, pair_container(X)), expected)
    model.fit(pair_container(X), y)
    assert_array_equal(outputs(model, X), expected)


# Words


def test_words_without_vectors_are_drawn_by_a_hash(vectors):
    def found(texts, reach=0.05, **params):
        tokenizer = WordTokenizer(**params)
        words = find_words(
            texts, tokenizer, vectors, scale=lambda _: 2, unknown_range=reach
        )
        rows = dict(zip(words.words, words.vectors, strict=True))
        ids = np.split(words.texts.ids, words.texts.offsets[1:-1])
        return [[words.words[i] for i in text] for text in ids], rows

    texts = ["w1 new", "new w2 \N{SNOWMAN}", "", "other NEW w1"]
    read, rows = found(texts)
    assert read == [["w1", "new"], ["new", "w2", "\N{SNOWMAN}"], [], [
        "other", "new", "w1"]]  # fmt: skip
    assert_array_equal(rows["w2"], 2 * vectors["w2"])
    for word in ("new", "other", "\N{SNOWMAN}"):
        assert_array_equal(rows[word], drawn(word))
        assert 0.01 < np.abs(rows[word]).max() <= 0.05
        # Whatever else is read, in whatever order.
        assert_array_equal(found([f"{word} w9"])[1][word], rows[word])
        assert_allclose(found([word], 0.5)[1][word], 10 * rows[word], rtol=1e-6)
    many = np.array([found([f"n{i}"], 1.0)[1][f"n{i}"] for i in range(300)])
    assert np.abs(many).max() <= 1 and many.min() < -0.99 < 0.99 < many.max()
    assert_allclose(many.mean(), 0, atol=0.05)
    assert_allclose(many.std(), 3**-0.5, atol=0.02)
    read, rows = found(texts, None)
    assert read == [["w1"], ["w2"], [], ["w1"]] and rows.keys() == {"w1", "w2"}
    # Compounds are looked up in their parts, and are one new word without any.
    compounds = ["w1-w2 new-w3 new-other"]
    assert found(compounds)[0] == [["w1", "w2", "w3", "new-other"]]
    whole, rows = found(compounds, split_compounds=False)
    assert whole == [["w1-w2", "new-w3", "new-other"]]
    assert_array_equal(rows["w1-w2"], drawn("w1-w2"))
    assert found(["\ud800 w1"], token_pattern=r"\S+")[0] == [["\ud800", "w1"]]


@each
def test_new_words_matter_or_are_left_out(Model, examples, vectors):
    X, y = examples[Model]
    bare, with_new = [("w1 w2", "w3 w2")], [("w1 new w2", "w3 new w2")]
    model = Model(vectors, unknown_range=1.0, **SMALL).fit(X, y)
    expected = outputs(model, with_new)
    assert_array_equal(outputs(clone(model).fit(X, y), with_new), expected)
    assert outputs(model, [("w1 other w2", "w3 new w2")]) != expected
    assert outputs(model, bare) != expected
    model.set_params(unknown_range=None)
    assert_array_equal(outputs(model, with_new), outputs(model, bare))
    empty = [("new other", "w1"), ("", "w1")]
    assert outputs(model, empty)[0] == outputs(model, empty)[1]


@pytest.mark.parametrize("reach", [0.05, None])
@each
def test_a_table_keeps_its_own_rule(Model, reach, examples, vectors):
    table = WordVectors(vectors.words, vectors.matrix, unknown="w3")
    X, y = examples[Model]
    model = Model(table, unknown_range=reach, **SMALL).fit(X, y)
    one = outputs(model, [("w1 new", "other"), ("new", "w2")])
    assert_array_equal(one, outputs(model, [("w1 w3", "w3"), ("w3", "w2")]))


@each
def test_texts_are_cut_into_words_as_asked(Model, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, **SMALL).fit(X, y)
    upper = [(one.upper(), other.upper()) for one, other in X]
    expected = outputs(model, X)
    assert_array_equal(outputs(model, upper), expected)
    model.set_params(lowercase=False)
    assert_array_equal(outputs(model, X), expected)
    assert np.abs(outputs(model, upper) - expected).max() > 1e-5
    dashed = [(one.replace(" ", "+"), other.replace(" ", "+")) for one, other in X]
    model.set_params(tokenizer=lambda text: text.split("+") if text else [])
    assert_array_equal(outputs(model, dashed), expected)
    model.set_params(tokenizer=None, token_pattern=r"w\d+")
    assert_array_equal(outputs(model, dashed), expected)
    model.set_params(split_compounds=False, token_pattern="words")
    expected = outputs(model, [("w1 w2", "w3")])
    assert outputs(model, [("w1-w2", "w3")]) != expected
    model.set_params(split_compounds=True)
    assert outputs(model, [("w1-w2", "w3")]) == expected


@each
def test_scale_gives_the_words_a_mean_length(Model, examples, vectors):
    X, y = examples[Model]
    X = [(f"{one} new", f"{other} w0 w0 w0") for one, other in X]
    X[-1] = ("w40", "w41")  # which are not in the others
    vectors = WordVectors(
        [*vectors.words, "w40", "w41"], np.vstack([vectors.matrix, np.ones((2, 6))])
    )
    settings = {**SMALL, "max_epochs": 0}
    words = sorted({w for pair in X for text in pair for w in text.split()} - {"new"})
    lengths = {word: np.linalg.norm(vectors[word]) for word in words}

    def fit(weights=None, **params):
        return Model(vectors, **settings, **params).fit(X, y, weights)

    mean = np.mean(list(lengths.values()))
    assert_allclose(fit().scale_, 6 / mean, rtol=1e-5)
    assert_allclose(fit(scale=1).scale_, 1 / mean, rtol=1e-5)
    assert fit(scale=None).scale_ == 1.0
    assert isinstance(fit().scale_, float)
    # Rows of weight zero are left out, and what they hold.
    del lengths["w40"], lengths["w41"]
    mean = np.mean(list(lengths.values()))
    assert_allclose(fit([1] * 17 + [0]).scale_, 6 / mean, rtol=1e-5)
    # Predictions take the factor of fit, whatever words they read.
    model = fit([1] * 17 + [0])
    table = WordVectors(vectors.words, np.float32(model.scale_) * vectors.matrix)
    ready = Model(table, scale=None, **settings).fit(X, y, [1] * 17 + [0])
    assert_allclose(outputs(model, X[-1:]), outputs(ready, X[-1:]), atol=1e-6)
    # Nothing to measure: no factor.
    assert Model(vectors, **settings).fit([("a", "b")] * 18, y).scale_ == 1.0


@each
def test_vectors_are_trained_if_not_frozen(Model, examples, vectors):
    X, y = examples[Model]
    X = [*X, ("w1 new", "w2 w3"), ("w1", "")]
    y = [*y, 1, 0]
    vectors = WordVectors([*vectors.words, "w40"], np.eye(41, 6) + 1)
    matrix = vectors.matrix.copy()
    model = Model(vectors, **SMALL)
    frozen = clone(model).fit(X, y)
    assert not hasattr(frozen, "vectors_")
    start = clone(model).set_params(freeze=None, max_epochs=0).fit(X, y).vectors_
    words = {word for pair in X for text in pair for word in text.split()}
    assert set(start.words) == words and len(start) == len(words)
    known = [word for word in start.words if word != "new"]
    scaled = np.float32(frozen.scale_) * vectors.matrix
    rows = [vectors.index[word] for word in known]
    assert_array_equal([start[word] for word in known], scaled[rows])
    assert_array_equal(start["new"], drawn("new"))
    model.set_params(freeze=None).fit(X, y)
    assert model.vectors_.words == start.words
    for word in start.words:
        assert np.abs(model.vectors_[word] - start[word]).max() > 1e-6, word
    assert_array_equal(vectors.matrix, matrix)  # bit by bit
    # The words of other texts are those of the table.
    found = model._find_words(["w40 unread new w1"])
    rows = dict(zip(found.words, found.vectors, strict=True))
    assert_array_equal(rows["unread"], drawn("unread"))
    assert_array_equal(rows["w40"], scaled[40])
    for word in ("new", "w1"):
        assert_array_equal(rows[word], model.vectors_[word])
    assert outputs(model, [("w40 unread", "w1")]).shape == (1,)
    # Another fit without them forgets them.
    assert not hasattr(model.set_params(freeze="vectors").fit(X, y), "vectors_")
    assert_same_bits(model, frozen)
    assert_array_equal(vectors.matrix, matrix)


@each
def test_a_penalty_holds_the_vectors(Model, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, freeze=None, learning_rate=0.01, **SMALL)
    start = clone(model).set_params(max_epochs=0).fit(X, y).vectors_.matrix
    went = []
    for penalty in (0, 1e6):
        model.set_params(vectors_penalty=penalty, max_epochs=4, batch_size=18)
        went.append(np.abs(model.fit(X, y).vectors_.matrix - start).mean())
    assert went[1] < went[0] / 2


@each
def test_warm_start_with_new_words_keeps_the_old(Model, examples, vectors):
    X, y = examples[Model]
    few = [("w10 fresh", "w11 w10"), ("brand", "w12 new")] * 2
    model = Model(vectors, freeze=None, warm_start=True, **SMALL).fit(X, y)
    old = model.vectors_
    parameters = model.parameters_
    model.fit(few, [1, 0, 1, 0])
    assert model.vectors_.words[: len(old)] == old.words
    assert sorted(model.vectors_.words[len(old) :]) == ["brand", "fresh", "new"]
    for word in old.words:
        same = np.array_equal(model.vectors_[word], old[word])
        assert same == (word not in {"w10", "w11", "w12"}), word
    for word in ("brand", "fresh", "new"):
        assert 0 < np.abs(model.vectors_[word] - drawn(word)).max() < 0.1
    assert not np.array_equal(
        model.parameters_["grid.output.bias"], parameters["grid.output.bias"]
    )
    assert model.n_epochs_ == len(model.loss_curve_) == 4


@pytest.mark.parametrize("first", ["vectors", None])
@each
def test_warm_start_with_vectors_frozen_before_or_after(
    Model, first, examples, vectors
):
    X, y = examples[Model]
    X = [*X, ("new", "new w1")]
    y = [*y, 1]
    model = Model(vectors, freeze=first, warm_start=True, **SMALL).fit(X, y)
    expected = outputs(model, X)
    matrix = model.vectors_.matrix if first is None else None
    then = "vectors" if first is None else None
    model.set_params(freeze=then, max_epochs=0)
    assert_array_equal(outputs(model, X), expected)
    assert_array_equal(outputs(model.fit(X, y), X), expected)
    start = model.vectors_.matrix
    model.set_params(max_epochs=1).fit(X, y)
    assert np.abs(outputs(model, X) - expected).max() > 1e-6
    if first is None:
        assert_array_equal(model.vectors_.matrix, matrix)
    else:
        assert (np.abs(model.vectors_.matrix - start).max(axis=1) > 0).all()


# Training


def loss_of(model, logits, y):
    """Mean loss of a batch, of each of its pairs; equations 11 and 12."""
    logs = torch.log_softmax(logits, 1)
    if isinstance(model, PairwiseInteractionRanker):
        right = logs[torch.arange(len(y)), torch.tensor(y)]
        wrong = logs[torch.arange(len(y)), 1 - torch.tensor(y)]
        return torch.relu(1 - right + wrong) / 2
    targets = np.maximum(0, 1 - np.abs(np.subtract.outer(y, model.levels_)))
    targets = torch.tensor(targets, dtype=torch.float32)
    return F.kl_div(logs, targets, reduction="none").mean(dim=1)


@pytest.mark.parametrize(
    ("schedule", "weighted"), [("constant", False), ("linear", True)]
)
@each
def test_training_is_that_of_torch(Model, schedule, weighted, examples, vectors):
    # By descent with momentum: what adapts its rate makes much of a slope of 1e-9.
    X, y = examples[Model]
    weights = np.random.RandomState(1).uniform(0.2, 3, 18) if weighted else np.ones(18)
    rate, n_steps = 0.05, 3 * 3
    bound = 0.09 if Model is PairwiseInteractionRegressor else 0.2
    model = Model(vectors, optimizer="sgd", learning_rate=rate, **SMALL)
    model.set_params(batch_size=7, clip_norm=bound, max_epochs=0)
    start = clone(model).fit(X, y)
    order = deepcopy(start._random_state)
    model.set_params(max_epochs=3, schedule=schedule)
    model.fit(X, y, weights if weighted else None)
    net = network(start, len(start.parameters_["grid.output.bias"]))
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0, momentum=0.95)
    # The rate is part of what the momentum sums up.
    rates = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        rates, lambda step: 1 - step / n_steps if schedule == "linear" else 1.0
    )
    norms = []
    for epoch in range(3):
        rows = order.permutation(18)
        total = 0
        for i in range(0, 18, 7):
            some = rows[i : i + 7]
            chosen = [X[k] for k in some]
            logits = slow_logits(net, chosen, lambda w: model.scale_ * vectors[w])
            share = torch.tensor(weights[some] / weights.mean())
            loss = (share * loss_of(model, logits, y[some])).mean()
            optimizer.zero_grad()
            loss.backward()
            norms.append(torch.nn.utils.clip_grad_norm_(net.parameters(), bound).item())
            for parameter in net.parameters():
                parameter.grad *= scheduler.get_last_lr()[0]
            optimizer.step()
            rates.step()
            scheduler.step()
            total += loss.item() * len(some)
        assert_allclose(model.loss_curve_[epoch], total / 18, rtol=1e-5)
    assert min(norms) < bound < max(norms)
    assert scheduler.get_last_lr() == [0.0 if schedule == "linear" else rate]
    for name, value in net.named_parameters():
        found = model.parameters_[name]
        assert_allclose(found, value.detach(), rtol=1e-4, atol=1e-5, err_msg=name)
    assert moved(model, start)


@each
def test_linear_schedule_falls_to_zero_in_every_fit(Model, examples, vectors):
    # The first step of adam is as long as the rate: a fit of one step has it whole.
    X, y = examples[Model]
    settings = {**SMALL, "schedule": "linear", "batch_size": 18, "max_epochs": 1}
    model = Model(vectors, learning_rate=0.001, warm_start=True, **settings)
    start = clone(model).set_params(max_epochs=0).fit(X, y).parameters_
    for fit in range(2):
        model.fit(X, y)
        bias = model.parameters_["grid.output.bias"]
        went = np.abs(bias - start["grid.output.bias"]).max()
        assert_allclose(went, 0.001, rtol=[1e-3, 0.3][fit])
        start = model.parameters_


@pytest.mark.parametrize("optimizer", ["adagrad", "adam", "rmsprop", "sgd"])
@each
def test_batches_of_any_size(Model, optimizer, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, optimizer=optimizer, **{**SMALL, "max_epochs": 1})
    whole = clone(model).set_params(batch_size=18).fit(X, y)
    assert_same_bits(whole, clone(model).set_params(batch_size=1000).fit(X, y))
    sevens = clone(model).set_params(batch_size=7).fit(X, y)
    assert moved(whole, sevens)
    assert np.isfinite([*whole.loss_curve_, *sevens.loss_curve_]).all()
    single = clone(model).set_params(batch_size=1).fit(X[:3], y[:3] if y[0] else y[-3:])
    assert moved(single, sevens)


def global_states():
    ours, theirs = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002 (the global state is what is tested)
    return pickle.dumps((ours, theirs.numpy()))


@pytest.mark.parametrize("params", [{}, {"freeze": None, "focus": "dropout"}], ids=str)
@each
def test_same_seed_same_bits(Model, params, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, validation_fraction=0.3, **{**SMALL, **params})
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002 (the global state is what is tested)
    states = global_states()
    one = clone(model).fit(X, y)
    expected = outputs(one, X)
    assert global_states() == states
    torch.manual_seed(6)
    np.random.seed(6)  # noqa: NPY002 (the global state is what is tested)
    same = clone(model).fit(X, y)
    assert_same_bits(one, same)
    assert_array_equal(outputs(same, X), expected)
    assert_array_equal(outputs(one, X), expected)  # nothing is drawn to predict
    assert moved(one, clone(model).set_params(random_state=5).fit(X, y))
    seed = np.random.RandomState(3)  # which each fit draws from
    model.set_params(random_state=seed)
    assert moved(
        model.fit(X, y), deepcopy(model).set_params(random_state=seed).fit(X, y)
    )


@pytest.mark.parametrize(
    ("optimizer", "freeze"), [("adam", "vectors"), ("rmsprop", None)]
)
@pytest.mark.parametrize("reset", [False, True])
@each
def test_warm_start_goes_on(Model, optimizer, freeze, reset, examples, vectors):
    X, y = examples[Model]
    settings = {**SMALL, "optimizer": optimizer, "max_epochs": 1}
    once = Model(vectors, freeze=freeze, reset_optimizer=reset, **settings)
    twice = clone(once).set_params(warm_start=True).fit(X, y)
    first = arrays(twice)
    twice = pickle.loads(pickle.dumps(twice)).fit(X, y)
    once.set_params(max_epochs=2).fit(X, y)
    assert_same_bits(once, twice)
    assert twice.loss_curve_ == once.loss_curve_
    assert twice.n_epochs_ == 2
    # Without warm_start it starts over.
    again = clone(once).set_params(max_epochs=1).fit(X, y).fit(X, y)
    assert again.n_epochs_ == 1
    for name, value in arrays(again).items():
        assert_array_equal(value, first[name])
    other = clone(once).set_params(reset_optimizer=not reset).fit(X, y)
    assert moved(once, other)  # what is remembered counts


@each
def test_warm_start_of_another_shape(Model, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, warm_start=True, **SMALL).fit(X, y)
    before = outputs(model, X)
    with pytest.raises(ValueError, match="The fitted model"):
        model.set_params(hidden_dim=5).fit(X, y)
    assert_array_equal(outputs(model.set_params(hidden_dim=4), X), before)


def test_scores_of_a_warm_start(vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, warm_start=True, **SMALL)
    model.fit(pairs, gold).fit(pairs[:3], [1, 2, 1.5])
    assert_array_equal(model.levels_, np.arange(6))
    with pytest.raises(ValueError, match="at index 2"):
        model.fit(pairs[:3], [1, 2, 9])
    assert model.n_epochs_ == 4


# Weights


@each
def test_weight_zero_is_removal(Model, examples, vectors):
    X, y = examples[Model]
    weights = np.random.RandomState(0).uniform(0.5, 2, 18)
    weights[1::4] = 0
    kept = np.flatnonzero(weights)
    model = Model(vectors, freeze=None, **SMALL)
    if Model is PairwiseInteractionRegressor:
        model.set_params(score_range=(0, 5))
    one = clone(model).fit(X, y, sample_weight=weights)
    two = clone(model).fit([X[i] for i in kept], y[kept], weights[kept])
    assert_same_bits(one, two)
    assert one.loss_curve_ == two.loss_curve_


@each
def test_only_ratios_of_weights_matter(Model, examples, vectors):
    X, y = examples[Model]
    weights = np.random.RandomState(0).uniform(0.5, 2, 18)
    model = Model(vectors, optimizer="sgd", **SMALL)
    one = clone(model).fit(X, y, weights)
    other = clone(model).fit(X, y, 1e3 * weights)
    for name, value in arrays(other).items():
        assert_allclose(value, one.parameters_[name], rtol=1e-5, atol=1e-6)
    plain = clone(model).fit(X, y)
    assert_same_bits(plain, clone(model).fit(X, y, np.full(18, 7)))
    assert moved(plain, one)


# Validation


@each
def test_best_epoch_is_kept(Model, examples, vectors, monkeypatch):
    X, y = examples[Model]
    val = {"X_val": X[12:], "y_val": y[12:]}
    model = Model(vectors, learning_rate=0.05, **{**SMALL, "max_epochs": 4})
    found = Model._score_examples
    seen = []

    def score(self, held):
        seen.append((found(self, held), self.score(**{"X": X[12:], "y": y[12:]})))
        return [0.1, 0.4, 0.4, 0.2][len(seen) - 1]

    monkeypatch.setattr(Model, "_score_examples", score)
    model.fit(X[:12], y[:12], **val)
    assert_allclose(*zip(*seen, strict=True))
    assert len({one for one, _ in seen}) > 1
    assert model.validation_scores_ == [0.1, 0.4, 0.4, 0.2]
    assert (model.best_epoch_, model.n_epochs_) == (3, 4)  # the later of two
    until_then = clone(model).set_params(max_epochs=3).fit(X[:12], y[:12])
    assert_same_bits(model, until_then)
    assert not hasattr(until_then, "best_epoch_")
    # Without a script, the highest score is that of the model.
    monkeypatch.undo()
    for limit, widths in WIDTHS.items():
        monkeypatch.setitem(WIDTHS, limit, (6, 7, 8, 7, 6, 8)[: len(widths)])
    model.fit(X[:12], y[:12], **val)
    assert model.score(X[12:], y[12:]) == max(model.validation_scores_)


def test_weights_of_validation(vectors, pairs, gold, answers):
    counts = np.arange(18) % 4
    settings = {**SMALL, "max_epochs": 1}
    model = PairwiseInteractionRegressor(vectors, **settings)
    model.fit(pairs, gold, X_val=pairs, y_val=gold, sample_weight_val=counts)
    found = np.repeat(model.predict(pairs), counts)
    r = np.corrcoef(found, np.repeat(gold, counts))[0, 1]
    assert_allclose(model.validation_scores_, [r])
    X, y = answers
    with pytest.raises(ValueError, match="takes no weights"):
        PairwiseInteractionRanker(vectors, **settings).fit(
            X, y, X_val=X, y_val=y, sample_weight_val=counts
        )


def test_validation_ranks_by_the_odds(vectors, answers):
    X, y = answers
    model = PairwiseInteractionRanker(
        vectors, learning_rate=1e-9, warm_start=True, **SMALL
    ).fit(X, y)
    weight = model.parameters_["grid.output.weight"]
    weight[1] = weight[0] / 2  # the second output rises where the odds fall
    model.fit(X, y, X_val=X, y_val=y)
    scores, texts = model.decision_function(X), [one for one, _ in X]
    expected = slow_mrr(y, scores, texts)
    assert expected != slow_mrr(y, -scores, texts)
    assert_allclose(model.validation_scores_, [expected, expected])


def spied_splits(Model, monkeypatch):
    parts = []
    split = Model._split

    def spy(self, examples):
        parts.append(split(self, examples))
        return parts[-1]

    monkeypatch.setattr(Model, "_split", spy)
    return parts


@each
def test_validation_fraction(Model, examples, vectors, monkeypatch):
    X, y = examples[Model]
    parts = spied_splits(Model, monkeypatch)
    model = Model(vectors, validation_fraction=0.3, **SMALL).fit(X, y)
    ((train, held),) = parts
    assert (len(train), len(held)) == (12, 6)
    assert Counter(map(tuple, [*train.texts, *held.texts])) == Counter(X)
    wanted = held.targets if held.targets.ndim == 1 else held.targets[:, 0]
    assert model.score(held.texts, wanted) == max(model.validation_scores_)
    again = clone(model).fit(X, y)
    assert again.validation_scores_ == model.validation_scores_
    clone(model).set_params(random_state=1).fit(X, y)
    assert not np.array_equal(parts[-1][1].texts, held.texts)
    # Another fit that goes on holds the same out.
    model = clone(model).set_params(warm_start=True, max_epochs=1).fit(X, y).fit(X, y)
    assert_array_equal(parts[-1][1].texts, parts[-2][1].texts)
    assert len(model.validation_scores_) == 2


def test_validation_by_question(vectors, answers, monkeypatch):
    X, y = answers
    parts = spied_splits(PairwiseInteractionRanker, monkeypatch)
    settings = {**SMALL, "max_epochs": 0}
    model = PairwiseInteractionRanker(vectors, validation_fraction=0.3, **settings)
    queries = np.arange(18) % 6  # not those of the texts
    for seed in range(4):
        model.set_params(random_state=seed).fit(X, y)
        train, held = ({one for one, _ in part.texts} for part in parts[-1])
        assert len(train) == 4 and len(held) == 2 and not train & held
        for names in (queries, [f"q{k}" for k in queries]):
            model.fit(X, [list(row) for row in zip(y, names, strict=True)])
            train, held = parts[-1]
            found = [X.index(tuple(pair)) % 6 for pair in held.texts]
            assert set(found) == set(held.targets[:, 1]) and len(set(found)) == 2
            assert len(train) == 12 and len(held) == 6
            rows = [X.index(tuple(pair)) for pair in train.texts]
            assert rows == sorted(rows)
            assert_array_equal(train.targets[:, 0], y[rows])


def test_questions_in_a_second_column(vectors, answers):
    """They tell where there is validation, and change nothing else."""
    X, y = answers
    model = PairwiseInteractionRanker(vectors, **SMALL)
    plain = clone(model).fit(X, y)
    query = np.arange(18) % 3
    both = np.column_stack([y, query])
    frame = [[str(one), f"q{name}"] for one, name in both]
    for targets in (both, both.astype(str), both.tolist(), frame):
        assert_same_bits(plain, clone(model).fit(X, targets))
    model.fit(X, both, X_val=X, y_val=both)
    best = slow_mrr(y, model.decision_function(X), query)
    assert_allclose(max(model.validation_scores_), best)
    model.fit(X, both, X_val=X, y_val=y)
    best = slow_mrr(y, model.decision_function(X), [one for one, _ in X])
    assert_allclose(max(model.validation_scores_), best)


@each
def test_patience(Model, examples, vectors, monkeypatch):
    X, y = examples[Model]
    model = Model(vectors, **{**SMALL, "max_epochs": 9})
    plain = clone(model).set_params(max_epochs=3).fit(X, y)
    script = iter([0.5, 0.6, 0.6, 0.4, 0.9])
    monkeypatch.setattr(Model, "_score_examples", lambda *_: next(script))
    model.set_params(patience=2).fit(X, y, X_val=X, y_val=y)
    assert model.validation_scores_ == [0.5, 0.6, 0.6, 0.4]
    assert (model.best_epoch_, model.n_epochs_) == (3, 4)  # patience counts from 2
    assert_same_bits(model, plain)


# Callbacks


class Interrupting(ScoreMonitor):
    """Raises in some epoch."""

    def __init__(self, epoch, error):
        super().__init__(lambda _: 0.0)
        self.epoch, self.error = epoch, error

    def _record(self, fitted_estimator):
        found = super()._record(fitted_estimator)
        if len(self.scores_) == self.epoch:
            raise self.error
        return found


@pytest.mark.parametrize(
    ("error", "validated"),
    [(KeyboardInterrupt, False), (KeyboardInterrupt, True), (RuntimeError, False)],
)
@each
def test_interrupted_training_keeps_what_it_has(
    Model, validated, error, examples, vectors, monkeypatch
):
    X, y = examples[Model]
    settings = {**SMALL, "max_epochs": 5, "freeze": None}
    model = Model(vectors, warm_start=True, **settings)
    script = iter([0.5, 0.3, 0.4])
    monkeypatch.setattr(Model, "_score_examples", lambda *_: next(script))
    model.set_callbacks(Interrupting(3, error))
    val = {"X_val": X, "y_val": y} if validated else {}
    with pytest.raises(error):
        model.fit(X, y, **val)
    assert model.n_epochs_ == len(model.loss_curve_) == 3
    plain = Model(vectors, **settings)
    n_epochs = 1 if validated else 3
    assert_same_bits(model, clone(plain).set_params(max_epochs=n_epochs).fit(X, y))
    assert getattr(model, "best_epoch_", None) == (1 if validated else None)
    if not validated:
        model.set_callbacks().set_params(max_epochs=2).fit(X, y)
        assert_same_bits(model, plain.fit(X, y))


@each
def test_callbacks(Model, examples, vectors, capsys):
    X, y = examples[Model]
    model = Model(vectors, freeze=None, verbose=True, **{**SMALL, "max_epochs": 2})
    monitor = ScoreMonitor(lambda m: {"score": m.score(X, y), "n": len(m.vectors_)})
    model.set_callbacks(monitor, ProgressBar()).fit(X, y)
    out = capsys.readouterr().out
    assert f"[{Model.__name__}] epoch 2: loss {model.loss_curve_[1]:.4f}" in out
    assert "100%" in out
    model.set_params(verbose=False)
    assert [scores["epoch"] for scores in monitor.scores_] == [1, 2]
    for n_epochs, scores in enumerate(monitor.scores_, 1):
        until_then = clone(model).set_callbacks().set_params(max_epochs=n_epochs)
        assert scores["score"] == until_then.fit(X, y).score(X, y)
        assert scores["n"] == len(model.vectors_)


@pytest.mark.parametrize("freeze", ["vectors", None])
@each
def test_early_stopping_leaves_the_best_epoch(Model, freeze, examples, vectors):
    X, y = examples[Model]
    script = iter([0.3, 0.5, 0.4, 0.5, 0.1])
    stopping = EarlyStopping(lambda _: next(script), patience=2)
    model = Model(vectors, freeze=freeze, **{**SMALL, "max_epochs": 9})
    plain = clone(model).set_params(max_epochs=2).fit(X, y)
    model.set_callbacks(stopping).fit(X, y)
    assert (stopping.best_epoch_, model.n_epochs_) == (2, 4)
    assert_same_bits(model, plain)


# Sentences beyond the limit


def warned(call, *args, **kwargs):
    """The warnings of a call, each with its place."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        call(*args, **kwargs)
    return [(str(one.message), one.filename) for one in record]


LONG = " ".join(f"w{i}" for i in range(33))


@pytest.mark.parametrize(
    ("Model", "limit"), [(MODELS[0], 32), (MODELS[1], 48), (MODELS[0], 64)]
)
def test_sentences_that_are_cut_are_counted(Model, limit, vectors):
    fits, long = ("w1 " * n for n in (limit, limit + 1))
    X = [(long, long), (f"w2 {long}", "w1"), (fits, "w1 w3"), ("w1", long)]
    y = [1, 0, 1, 0]
    model = Model(vectors, limit=limit, **{**SMALL, "max_epochs": 1})
    message = (
        "{} of {} distinct sentences have more than "
        f"limit={limit} words, of which only the first {limit} are compared."
    )
    both = [(message.format(2, 5), __file__)]
    assert warned(model.fit, X, y) == both
    assert warned(model.fit, X, y, X_val=[(long + "w5", "")] * 4, y_val=y) == both
    assert warned(model.fit, X[2:3] * 2, y[1:3]) == []
    ((told, _),) = warned(model.score, X, y)
    assert told == both[0][0]
    one = [(message.format(1, 2), __file__)]
    assert warned(outputs, model, X[3:]) == one
    assert warned(outputs, model, X[2:3]) == []
    if Model is PairwiseInteractionRanker:
        assert warned(model.predict_proba, X) == both
        ((told, _),) = warned(model.rank, "w1", [long, "w1"])
        assert told == one[0][0]


@pytest.mark.filterwarnings("ignore:.*distinct sentences")
@pytest.mark.parametrize("context", [True, False])
@each
def test_the_memory_reads_what_is_cut(Model, context, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, limit=32, context=context, **SMALL).fit(X, y)
    cut = " ".join(LONG.split()[:32])
    for other in ("w1 w2", LONG):
        whole, end, start = outputs(
            model, [(LONG, other), (f"{cut} w39", other), (cut, other)]
        )
        if context:
            assert len({whole, end, start}) == 3
        else:
            assert_allclose([end, start], whole, rtol=1e-6, atol=1e-6)


# Folders and papers


def test_a_loaded_model_needs_torch_to_predict_only(
    pairs, gold, vectors, tmp_path, monkeypatch
):
    monkeypatch.undo()  # another process knows nothing of narrow blocks
    X, y = pairs, gold
    model = PairwiseInteractionRegressor(vectors, freeze=None, **SMALL)
    model.fit(X[:4], y[:4]).save(tmp_path / "model")
    loaded = skparaphrase.load(tmp_path / "model")
    expected = model.predict(X[:2])
    assert_array_equal(loaded.predict(X[:2]), expected)
    assert loaded.loss_curve_ == model.loss_curve_
    code = (
        "import sys, skparaphrase; "
        f"model = skparaphrase.load({str(tmp_path / 'model')!r}); "
        "assert 'torch' not in sys.modules; "
        f"print(*model.predict({X[:2]!r}))"
    )
    run = [sys.executable, "-c", code]
    found = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert_allclose(np.array(found.split(), dtype=float), expected, atol=1e-6)
    again = loaded.set_params(warm_start=True).fit(X[:4], y[:4])
    assert again.n_epochs_ == 4 and moved(again, model)


PAPER = {
    "optimizer": "rmsprop", "learning_rate": 1e-4, "schedule": "constant",
    "reset_optimizer": True, "batch_size": 1, "max_epochs": 35, "clip_norm": 50.0,
    "scale": None, "freeze": "vectors", "hidden_dim": 250, "context": True,
    "share_directions": True, "focus": "matching", "unknown_range": 0.05,
    "vectors_penalty": 0.0, "lowercase": True, "validation_fraction": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("Model", "setting", "expected"),
    [
        (MODELS[0], "sick", {"limit": 32, "score_range": (1, 5)}),
        (MODELS[0], "msrvid", {"limit": 32, "score_range": (0, 5)}),
        (MODELS[0], "sts2014", {"limit": 48, "score_range": (0, 5)}),
        (MODELS[1], "trecqa", {"limit": 48}),
        (MODELS[1], "wikiqa", {"limit": 48}),
    ],
)
def test_settings_of_the_paper(Model, setting, expected, examples, vectors):
    model = Model.paper(setting, vectors=vectors, random_state=0, device="cpu")
    params = model.get_params()
    for name, value in {**PAPER, **expected}.items():
        assert params[name] == value, name
    X, y = examples[Model]
    if setting == "sick":
        y = 1 + 4 / 5 * y
    model.set_params(max_epochs=1, hidden_dim=4).fit(X[:6], y[:6])
    assert np.isfinite(model.loss_curve_).all()
    with pytest.raises(ValueError, match=setting):
        Model.paper("bert")


def test_the_first_setting_is_the_default():
    for Model, setting in zip(MODELS, ("sick", "trecqa"), strict=True):
        assert repr(Model.paper()) == repr(Model.paper(setting))


# Learning


def tasks(n, seed):
    """Pairs of four words that share none, two or all, in any order."""
    rng = np.random.default_rng(seed)
    pairs, shared = [], rng.choice([0, 2, 4], n)
    for k in shared:
        words = rng.permutation(40)
        other = rng.permutation([*words[:k], *words[4 : 8 - k]])
        first = rng.permutation(words[:4])
        pairs.append(tuple(" ".join(f"w{i}" for i in text) for text in (first, other)))
    return pairs, shared


def test_scores_follow_the_words_that_are_shared(vectors):
    X, y = tasks(120, 0)
    model = PairwiseInteractionRegressor(
        vectors, hidden_dim=8, max_epochs=12, batch_size=8, learning_rate=0.01,
        schedule="linear", n_levels=3, device="cpu", random_state=0,
    )  # fmt: skip
    assert model.fit(X, y).score(*tasks(90, 1)) > 0.8
    assert model.loss_curve_[-1] < 0.7 * model.loss_curve_[0]


def test_right_answers_share_words(vectors):
    X, y = tasks(120, 0)
    model = PairwiseInteractionRanker(
        vectors, hidden_dim=8, max_epochs=8, batch_size=16, learning_rate=0.01,
        schedule="linear", device="cpu", random_state=0,
    ).fit(X, y == 4)  # fmt: skip
    X, y = tasks(90, 1)
    queries = np.arange(90) % 15
    scores = model.decision_function(X)
    both = np.column_stack([y == 4, queries])
    assert mean_reciprocal_rank(both, scores) > 0.9
    assert mean_average_precision(both, scores) > 0.85
    chance = np.random.RandomState(0).uniform(size=90)
    assert mean_reciprocal_rank(both, chance) < 0.75


def test_penalty_pulls_to_where_vectors_began(vectors, pairs, gold):
    settings = {**SMALL, "freeze": None, "warm_start": True, "max_epochs": 5}
    first = PairwiseInteractionRegressor(vectors, **{**settings, "max_epochs": 0})
    start = first.fit(pairs, gold).vectors_
    model = PairwiseInteractionRegressor(vectors, learning_rate=0.1, **settings)
    moved_to = model.fit(pairs, gold).vectors_.matrix
    far = np.abs(moved_to - start.matrix).mean()
    model.set_params(vectors_penalty=100.0).fit(pairs, gold)
    assert np.abs(model.vectors_.matrix - start.matrix).mean() < far / 2


def test_new_words_in_a_warm_start_leave_the_memory_of_others(vectors, pairs, gold):
    settings = {**SMALL, "freeze": None, "warm_start": True, "batch_size": 18}
    model = PairwiseInteractionRegressor(vectors, **settings).fit(pairs, gold)
    before = model._optimizer_state["adam"]["vectors"]
    more = [*pairs[:-1], ("novelword", "w1")]
    model.set_params(max_epochs=0).fit(more, gold)
    after = model._optimizer_state["adam"]["vectors"]
    n_words = len(before["mean"])
    assert len(after["mean"]) == len(model.vectors_) > n_words
    for key in ("mean", "square"):
        assert_array_equal(after[key][:n_words], before[key])
        assert not after[key][n_words:].any()
    assert before["mean"].any()


def test_vectors_of_zero_do_not_blow_up_gradients(vectors, pairs, gold):
    settings = {**SMALL, "freeze": None, "context": False, "unknown_range": 0.0}
    unknown = [(f"novel {one}", f"word {other}") for one, other in pairs]
    model = PairwiseInteractionRegressor(vectors, **{**settings, "clip_norm": None})
    model.fit(unknown, gold)
    drawn = model.vectors_["novel"]
    assert np.abs(drawn).max() < 1  # Adam's steps are of the size of the rate
    assert np.isfinite(model.loss_curve_).all()


def test_long_texts_are_predicted_a_few_at_a_time(vectors, pairs, gold, monkeypatch):
    model = PairwiseInteractionRegressor(vectors, **SMALL).fit(pairs, gold)
    expected = model.predict(pairs)
    sizes = []
    found = base._like_lengths

    def noted(lengths):
        for chunk in found(lengths):
            sizes.append(2 * lengths[chunk].max() * len(chunk))
            yield chunk

    monkeypatch.setattr(base, "_TOKENS", 40)
    monkeypatch.setattr(base, "_like_lengths", noted)
    assert_allclose(model.predict(pairs), expected, atol=1e-6)
    assert len(sizes) > 2
    assert max(sizes) <= 40


def test_validation_that_cannot_select_is_refused(vectors, answers):
    X, y = answers
    model = PairwiseInteractionRanker(vectors, **SMALL)
    with pytest.raises(ValueError, match="None of the 3 answers of validation"):
        model.fit(X, y, X_val=X[9:12], y_val=y[9:12])
    model.set_params(validation_fraction=0.5)
    with pytest.raises(ValueError, match="one question only"):
        model.fit(X[:3], y[:3])
    same = [(1, 0), (1, 0), (0, 1), (0, 1)]
    with pytest.raises(ValueError, match="right and wrong"):
        model.set_params(random_state=1).fit(X[:4], same)
    assert not hasattr(model, "parameters_")


def test_training_that_diverges_says_so(vectors, pairs, gold):
    model = PairwiseInteractionRegressor(
        vectors, **SMALL, optimizer="sgd", learning_rate=1e12, clip_norm=None
    )
    with pytest.raises(ValueError, match=r"loss of epoch \d is .*diverged"):
        model.set_params(max_epochs=9).fit(pairs, gold)


def test_devices_without_double_precision_are_refused(vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, **SMALL).set_params(device="mps")
    with pytest.raises(ValueError, match="double precision"):
        model.fit(pairs, gold)
