"""Models of word by word interaction: equations, words, training and long texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
import pytest
import torch
from few_words import with_ngrams
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import skparaphrase.supervised._interaction as base
from skparaphrase.encoders import AverageEncoder
from skparaphrase.metrics import pearson_scorer
from skparaphrase.networks._interaction import Interaction
from skparaphrase.optimizers import Optimizer
from skparaphrase.pairs import PairSimilarity
from skparaphrase.supervised import (
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
)
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors

SMALL = {
    "hidden_dim": 4, "max_epochs": 2, "batch_size": 9, "device": "cpu",
    "random_state": 0, "optimizer": Optimizer("adam"),
}  # fmt: skip
MODELS = [PairwiseInteractionRegressor, PairwiseInteractionRanker]
each = pytest.mark.parametrize("Model", MODELS)
pytestmark = pytest.mark.usefixtures("narrow")  # `networks` tests those of the paper


@pytest.fixture
def pairs(pairs):
    return pairs[:18]


@pytest.fixture
def gold(gold):
    """From one end of the scale to the other."""
    return np.where(gold == 4, 5.0, gold)[:18]


@pytest.fixture
def examples(pairs, gold, answers):
    """Pairs and targets of a model."""
    return {
        PairwiseInteractionRegressor: (pairs, gold),
        PairwiseInteractionRanker: answers,
    }


def outputs(model, X):
    """The most informative outputs."""
    if isinstance(model, PairwiseInteractionRanker):
        return model.decision_function(X)
    return model.predict(X)


def network(model, n_outputs, dim=6):
    """The network of the module `networks` with the arrays of a fitted model."""
    params = {"max_words": model.max_words, "focus": model.focus}
    params["similarity"] = model.similarity_
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


SETTINGS = [
    {},
    {"hidden_dim": None, "max_words": 64},
    {"focus": "none", "max_words": 32},
    {"focus": "paper"},
    {"focus": "dropout", "scale": None},
    {"freeze": None, "scale": 2.0, "similarity": "cosine"},
    {"similarity": "coverage"},
    {"similarity": None},
]


@pytest.mark.parametrize("params", SETTINGS, ids=str)
@each
def test_predictions_pair_by_pair(Model, params, examples, vectors):
    X, y = examples[Model]
    vectors = with_ngrams(vectors.words, vectors.matrix)
    X = [*X, ("", "w1 w2"), ("w3 new", "new other w3"), ("new", "new")]
    y = [*y, 1, 0, 0]
    model = Model(vectors, learning_rate=0.01, **{**SMALL, **params}).fit(X, y)

    def vector_of(word):
        if hasattr(model, "vectors_"):
            return model.vectors_[word]
        return model.scale_ * vectors[word]

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


# What training starts from


@each
def test_an_untrained_model_orders_pairs_as_the_cosine(Model, examples, vectors):
    X, y = examples[Model]
    settings = {**SMALL, "max_epochs": 0, "similarity": "cosine"}
    model = Model(vectors, **settings).fit(X, y)
    cosines = PairSimilarity().predict(AverageEncoder(vectors).transform(X))
    assert np.ptp(cosines) > 0.5
    assert_array_equal(outputs(model, X).argsort(), cosines.argsort())
    odd = outputs(model, [("", "w1"), ("w1 w2", "w2 w1")])
    assert odd[0] < odd[1]


# Words


def test_new_words_are_left_out_unless_the_table_has_a_rule(vectors, pairs, gold):
    bare, with_new = [("w1 w2", "w3 w2")], [("w1 new w2", "w3 new w2")]

    def fit(unknown):
        if unknown == "subword":
            table = with_ngrams(vectors.words, vectors.matrix)
        else:
            table = WordVectors(vectors.words, vectors.matrix, unknown=unknown)
        return PairwiseInteractionRegressor(table, **SMALL).fit(pairs, gold)

    model = fit(None)
    assert_array_equal(model.predict(with_new), model.predict(bare))
    empty, same = model.predict([("new other", "w1"), ("", "w1")])
    assert empty == same
    model = fit("subword")
    expected = model.predict(with_new)
    assert model.predict([("w1 other w2", "w3 new w2")]) != expected
    assert model.predict(bare) != expected
    one = fit("w3").predict([("w1 new", "other"), ("new", "w2")])
    assert_array_equal(one, model.predict([("w1 w3", "w3"), ("w3", "w2")]))


@each
def test_scale_gives_the_words_a_mean_length(Model, examples, vectors):
    X, y = examples[Model]
    X = [(f"{one} new", f"{other} w0 w0 w0") for one, other in X]
    settings = {**SMALL, "max_epochs": 0}
    words = {w for pair in X[:-1] for text in pair for w in text.split()} - {"new"}
    mean = np.mean([np.linalg.norm(vectors[word]) for word in words])
    weights = [1] * 17 + [0]  # pairs of weight zero are left out
    for scale in (1.0, 6.0):
        model = Model(vectors, **settings, scale=scale).fit(X, y, weights)
        assert_allclose(model.scale_, scale / mean, rtol=1e-5)
    # Predictions take the factor of fit, whatever words they read.
    table = WordVectors(vectors.words, np.float32(model.scale_) * vectors.matrix)
    ready = Model(table, scale=None, **settings).fit(X, y, weights)
    assert ready.scale_ == 1.0
    assert_allclose(outputs(model, X[-1:]), outputs(ready, X[-1:]), atol=1e-6)


@each
def test_vectors_are_trained_if_not_frozen(Model, examples, vectors):
    X, y = examples[Model]
    X = [*X, ("w1 new", "w2 w3"), ("w1", "")]
    y = [*y, 1, 0]
    words, rows = [*vectors.words, "w40"], np.eye(41, 6) + 1
    vectors = with_ngrams(words, rows)
    matrix = vectors.matrix.copy()
    model = Model(vectors, **SMALL)
    frozen = clone(model).fit(X, y)
    assert not hasattr(frozen, "vectors_")
    start = clone(model).set_params(freeze=None, max_epochs=0).fit(X, y).vectors_
    assert [*start.words] == [*words, "new"]
    expected = np.vstack([vectors.matrix, vectors["new"]])
    assert_allclose(start.matrix, frozen.scale_ * expected, rtol=1e-6)
    model.set_params(freeze=None).fit(X, y)
    assert model.vectors_.words == start.words
    used = {word for pair in X for text in pair for word in text.split()}
    moved = np.abs(model.vectors_.matrix - start.matrix).max(axis=1) > 1e-6
    assert {start.words[i] for i in np.flatnonzero(moved)} == used
    assert_array_equal(vectors.matrix, matrix)  # bit by bit
    assert outputs(model, [("w40 unread", "w1")]).shape == (1,)
    # Another fit without them drops them.
    assert not hasattr(model.set_params(freeze="vectors").fit(X, y), "vectors_")
    for name, value in model.parameters_.items():
        assert_array_equal(value, frozen.parameters_[name])
    assert_array_equal(vectors.matrix, matrix)


@pytest.mark.parametrize("first", ["vectors", None])
@each
def test_warm_start_with_vectors_frozen_before_or_after(
    Model, first, examples, vectors
):
    X, y = examples[Model]
    X = [*X, ("new", "new w1")]
    y = [*y, 1]
    settings = {**SMALL, "similarity": None}  # with it, some losses start at zero
    model = Model(vectors, freeze=first, warm_start=True, **settings).fit(X, y)
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
        assert (model.vectors_.matrix != start).any()


def test_penalty_pulls_to_where_vectors_began(vectors, pairs, gold):
    settings = {**SMALL, "freeze": None, "warm_start": True, "max_epochs": 0}
    model = PairwiseInteractionRegressor(vectors, learning_rate=0.1, **settings)
    start = model.fit(pairs, gold).vectors_.matrix
    far = []
    for penalty in (0.0, 100.0):
        optimizer = Optimizer("adam", vectors_penalty=penalty)
        model.set_params(optimizer=optimizer, max_epochs=5).fit(pairs, gold)
        far.append(np.abs(model.vectors_.matrix - start).mean())
    assert far[1] < far[0] / 2


# Training


def test_warm_start_of_another_shape(vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, warm_start=True, **SMALL)
    before = model.fit(pairs, gold).predict(pairs)
    with pytest.raises(ValueError, match="The fitted model"):
        model.set_params(hidden_dim=5).fit(pairs, gold)
    assert_array_equal(model.set_params(hidden_dim=4).predict(pairs), before)


# Sentences beyond the limit, and many of them


def warned(call, *args, **kwargs):
    """The warnings of a call, each with its place."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        call(*args, **kwargs)
    return [(str(one.message), one.filename) for one in record]


@pytest.mark.parametrize(
    ("Model", "max_words"), [(MODELS[0], 32), (MODELS[1], 48), (MODELS[0], 64)]
)
def test_sentences_that_are_cut_are_counted(Model, max_words, vectors):
    fits, long = ("w1 " * n for n in (max_words, max_words + 1))
    X = [(long, long), (f"w2 {long}", "w1"), (fits, "w1 w3"), ("w1", long)]
    y = [1, 0, 1, 0]
    model = Model(vectors, max_words=max_words, **{**SMALL, "max_epochs": 1})
    message = (
        f"{{}} of {{}} distinct sentences have more than max_words={max_words} words; "
        f"only the first {max_words} are compared."
    )
    both = [(message.format(2, 5), __file__)]
    assert warned(model.fit, X, y, X_val=[(long + "w5", "")] * 4, y_val=y) == both
    assert warned(model.fit, X[2:3] * 2, y[1:3]) == []
    assert warned(outputs, model, X[3:]) == [(message.format(1, 2), __file__)]
    assert warned(outputs, model, X[2:3]) == []


@pytest.mark.filterwarnings("ignore:.*distinct sentences")
@pytest.mark.parametrize("hidden_dim", [4, None])
def test_the_memory_reads_what_is_cut(hidden_dim, vectors, pairs, gold):
    settings = {**SMALL, "similarity": "coverage"}  # the cosine reads all words
    model = PairwiseInteractionRegressor(
        vectors, **{**settings, "hidden_dim": hidden_dim}
    )
    model.fit(pairs, gold)
    cut = " ".join(f"w{i}" for i in range(32))
    long = f"{cut} w33"
    for other in ("w1 w2", long):
        texts = [(long, other), (f"{cut} w39", other), (cut, other)]
        whole, end, start = model.predict(texts)
        if hidden_dim:
            assert len({whole, end, start}) == 3
        else:
            assert_allclose([end, start], whole, rtol=1e-6, atol=1e-6)


# Bad and poor input


@pytest.mark.parametrize("focus", ["matching", "paper", "none", "dropout"])
@each
def test_sentences_of_no_and_one_word(Model, focus, examples, vectors):
    X, y = examples[Model]
    blank = [("", "w1"), ("w1 w2 w3", ""), ("", ""), ("  ", "\t")]
    short = [("w1", "w2"), ("w1", "w1"), ("w2", "w1")]
    model = Model(vectors, focus=focus, **SMALL)
    model.fit([*X, *blank, *short], [*y, 1, 0, 1, 0, 1, 0, 0])
    assert np.isfinite(model.loss_curve_).all()
    found = outputs(model, blank)
    assert_allclose(found, np.full(4, found[0]), atol=1e-6)
    assert np.isfinite(outputs(model, short)).all()
    assert outputs(model, short)[0] != found[0]
    # Batches of nothing else, and of single pairs.
    model.set_params(batch_size=1).fit([*blank, *short], [1, 0, 1, 0, 1, 0, 0])
    model.fit(blank, [1, 0, 1, 0])
    assert np.isfinite(outputs(model, [*X, *blank])).all()


@pytest.mark.parametrize("freeze", ["vectors", None])
def test_no_known_word_at_all(freeze, vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, **{**SMALL, "freeze": freeze})
    found = model.fit([("new", "other")] * 18, gold).predict([("", ""), *pairs])
    assert np.isfinite(found).all() and model.scale_ == 1


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"max_words": 33}, "max_words"),
        ({"focus": "greedy"}, "focus"),
        ({"hidden_dim": 0}, "hidden_dim"),
        ({"freeze": "all"}, "freeze"),
        ({"scale": 0}, "scale"),
        ({"optimizer": Optimizer(head_penalty=1)}, "head_penalty=1 .* no effect"),
        ({"vectors": "glove"}, "vectors"),
        ({"tokenizer": WordTokenizer("(")}, "pattern"),
        ({"device": "mps"}, "double precision"),
    ],
    ids=str,
)
def test_bad_parameters(params, match, vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, **SMALL).set_params(**params)
    with pytest.raises((ValueError, TypeError), match=match):
        model.fit(pairs, gold)


# Scores


@pytest.fixture
def model(vectors):
    return PairwiseInteractionRegressor(
        vectors, levels=range(6), **{**SMALL, "max_epochs": 1, "optimizer": "adam"}
    )


def test_many_pairs_need_no_similarity(model, pairs, gold, monkeypatch):
    model.set_params(max_epochs=0)
    for n_pairs, expected in ((len(pairs), None), (len(pairs) + 1, "cosine")):
        monkeypatch.setattr(base, "_MANY_PAIRS", n_pairs)
        assert model.fit(pairs, gold).similarity_ == expected
        assert ("shortcut.weight" in model.parameters_) == (expected is not None)


def test_any_scale_is_the_same_model(model, pairs, gold):
    one = clone(model).fit(pairs, gold)
    model.set_params(levels=np.linspace(-7, 3, 6))
    other = model.fit(pairs, 2 * gold - 7)
    for name, value in other.parameters_.items():
        assert_allclose(value, one.parameters_[name], atol=1e-6)
    assert_allclose(other.predict(pairs), 2 * one.predict(pairs) - 7, atol=1e-5)


def test_scores_follow_the_words_that_are_shared(vectors, tasks):
    X, y = tasks(120, 0)
    model = PairwiseInteractionRegressor(
        vectors, hidden_dim=8, max_epochs=12, batch_size=8, learning_rate=0.01,
        levels=(0, 2, 4), similarity=None, device="cpu", random_state=0,
    )  # fmt: skip
    assert pearson_scorer(model.fit(X, y), *tasks(90, 1)) > 0.8
    assert model.loss_curve_[-1] < 0.7 * model.loss_curve_[0]
