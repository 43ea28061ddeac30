"""Encoders with a head: equations, what is trained, and what is frozen."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from copy import copy
from functools import partial

import numpy as np
import pytest
import registry
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, normalize

import skparaphrase.supervised._heads as base
from skparaphrase import load, load_pretrained, similarity
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    LSTMEncoder,
    ParaphraseEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised import (
    PairClassifier,
    SimilarityRegressor,
    TextClassifier,
)
from skparaphrase.supervised._logistic import logistic_regression
from skparaphrase.supervision._targets import Scores
from skparaphrase.vectors import apply_sif_weights

SMALL = {
    "hidden_dim": 4, "max_epochs": 2, "batch_size": 8, "device": "cpu",
    "random_state": 0,
}  # fmt: skip
MODELS = [SimilarityRegressor, PairClassifier, TextClassifier]
ENCODERS = {
    "average": AverageEncoder,
    "tfidf": TfidfEncoder,
    "sif": lambda vectors: SIFEncoder(vectors, frequencies="corpus"),
    "paragram": ParaphraseEncoder,
    "weighted": lambda vectors: ParaphraseEncoder(
        apply_sif_weights(vectors, {"w1": 9})
    ),
    **{name: partial(registry.small, kind) for name, kind in registry.TRAINED.items()},
    "output gate": lambda vectors: LSTMEncoder(vectors, output_gate=True),
}


# Predictions


def raw(encoder):
    """The encoder whose vectors the head reads: not scaled to length 1."""
    return copy(encoder).set_params(norm=None)


def slow_probabilities(model, X):
    """The equations on the encoder's vectors and the arrays of the head."""
    found = []
    for example in X:
        texts = [example] if isinstance(example, str) else list(example)
        g = raw(model.encoder_).transform(texts).astype(np.float64)
        if model.projection_dim is not None:
            g = g @ model.head_["projection.weight"] + model.head_["projection.bias"]
        if model.text_norm is not None:
            lengths = np.linalg.norm(g, axis=1, keepdims=True)
            g *= model.text_norm / np.maximum(lengths, 1e-12)
        x = g[0]
        if len(g) == 2:
            similarity = 10 * cosine_similarity(g[:1], g[1:])[0]
            x = np.concatenate([g[0] * g[1], abs(g[0] - g[1]), similarity])
        if model.hidden_dim is not None:
            x = x @ model.head_["hidden.weight"] + model.head_["hidden.bias"]
            x = 1 / (1 + np.exp(-x))
        x = np.exp(x @ model.head_["output.weight"] + model.head_["output.bias"])
        found.append(x / x.sum())
    return np.array(found)


HEADS = [
    {},
    {"projection_dim": 7, "text_norm": None},
    {"text_norm": 1.0},
    {"hidden_dim": None},
    {"hidden_dim": None, "text_norm": None, "projection_dim": 5},
    {"text_norm": 3.0, "projection_dim": 5},
]


@pytest.mark.parametrize("Model", [SimilarityRegressor, PairClassifier])
def test_features_of_pairs(Model, examples, vectors, tmp_path):
    """The printed h* of Jiao et al.: the vectors side by side."""
    X, y = examples[Model]
    features = ("first", "second", "absdiff")
    model = Model(
        ParaphraseEncoder(vectors), features=features, text_norm=None, **SMALL
    )
    model.fit(X, y)
    one, other = raw(model.encoder_).transform(X).astype(float).swapaxes(0, 1)
    x = np.hstack([one, other, abs(one - other)])
    a = x @ model.head_["hidden.weight"] + model.head_["hidden.bias"]
    hidden = 1 / (1 + np.exp(-a))
    logits = hidden @ model.head_["output.weight"] + model.head_["output.bias"]
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert_allclose(model._probabilities(X), shares, rtol=1e-5)
    model.save(tmp_path / "model")
    assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))
    with pytest.raises(ValueError, match="features must contain some of"):
        Model(ParaphraseEncoder(vectors), features=("dot",), **SMALL).fit(X, y)


@pytest.mark.parametrize("params", HEADS, ids=str)
@pytest.mark.parametrize("frozen", [False, True], ids=["trained", "frozen"])
@pytest.mark.parametrize("Model", MODELS)
def test_predictions_against_slow_version(
    Model, frozen, params, examples, vectors, fitted
):
    X, y = examples[Model]
    encoder = FrozenEstimator(fitted) if frozen else ParaphraseEncoder(vectors)
    model = Model(encoder, learning_rate=0.05, **{**SMALL, **params})
    X = model.fit(X, y)._check_texts(X)[::4]
    expected = slow_probabilities(model, X)
    if Model is SimilarityRegressor:
        levels = np.arange(np.floor(y.min()), np.ceil(y.max()) + 1)
        assert_array_equal(model.levels_, levels)
        assert_allclose(model.predict(X), expected @ levels, rtol=1e-5)
        return
    found = model.predict_proba(X)
    assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert_allclose(model.predict_log_proba(X), np.log(expected), rtol=1e-4, atol=1e-5)
    assert model.classes_.tolist() == ["few", "many"]
    assert_array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])


def test_the_head_of_pairs_starts_as_logistic_regression(vectors, pairs):
    y = np.arange(len(pairs)) % 3
    weights = np.random.RandomState(0).uniform(0.5, 2, len(y))
    model = PairClassifier(ParaphraseEncoder(vectors), max_epochs=0)
    model.fit(pairs, y, weights)
    x = np.hstack([*linear_features(vectors, pairs).values()])
    expected = LogisticRegression(C=0.1, max_iter=1000)
    expected.fit(x, y, weights / weights.mean())
    found = model.predict_proba(pairs)
    assert_allclose(found, expected.predict_proba(x), atol=0.01)
    assert np.ptp(found, axis=0).min() > 0.05


def linear_features(vectors, pairs):
    """Of averages of two vectors, of length 2."""
    start = AverageEncoder(vectors, pooling="distinct").transform(pairs)
    one, other = (2 * normalize(start[:, side]) for side in (0, 1))
    similarity = 10 * np.diag(cosine_similarity(one, other))[:, np.newaxis]
    return {"product": one * other, "absdiff": abs(one - other), "cosine": similarity}


def test_the_head_of_texts_starts_near_the_centroids(vectors, sentences):
    y = np.arange(len(sentences)) % 3
    weights = np.random.RandomState(0).uniform(0.5, 2, len(y)).astype(np.float32)
    model = TextClassifier(ParaphraseEncoder(vectors), max_epochs=0)
    model.fit(sentences, y, weights)
    x = 2 * normalize(AverageEncoder(vectors, pooling="distinct").transform(sentences))
    means = np.array([np.average(x[y == k], 0, weights[y == k]) for k in range(3)])
    prior = 3 * means.T, -1.5 * (means**2).sum(axis=1)
    weight, bias = logistic_regression(
        x, np.eye(3)[y], weights / weights.mean(), penalty=64 * 4 * 2 / 9, prior=prior
    )
    expected = softmax(x @ weight + bias, axis=1)
    assert_allclose(model.predict_proba(sentences), expected, atol=0.001)
    assert np.ptp(expected, axis=0).min() > 0.1


@pytest.mark.parametrize(
    "features",
    [("product", "absdiff", "cosine"), ("absdiff", "cosine", "product"), ("cosine",)],
)
def test_the_head_of_scores_starts_near_the_cosine(features, vectors, pairs, gold):
    settings = {"features": features, "levels": range(6), "max_epochs": 0}
    model = SimilarityRegressor(ParaphraseEncoder(vectors), **settings).fit(pairs, gold)
    blocks = linear_features(vectors, pairs)
    slopes = 0.8 * np.linspace(-1, 1, 6)
    prior = [
        np.outer(np.ones(blocks[name].shape[1]) * (name == "cosine"), slopes)
        for name in features
    ]
    x = np.hstack([blocks[name] for name in features])
    weight, bias = logistic_regression(
        x, Scores(np.arange(6.0)).distributions(gold), penalty=10,
        prior=(np.vstack(prior), None),
    )  # fmt: skip
    expected = softmax(x @ weight + bias, axis=1) @ np.arange(6)
    assert_allclose(model.predict(pairs), expected, atol=0.005)


def test_scores_of_two_pairs_hardly_change_the_order(graded):
    """Equal cosines are uninformative, and two pairs are weak evidence."""
    pairs, gold = graded
    cosines = similarity(*pairs.T)
    for rows in ([0, 1], [2, 3], np.argsort(gold)[[0, -1]]):
        for scores in (gold[rows], [3, 3]):
            model = SimilarityRegressor(levels=range(6), random_state=0)
            found = model.fit(pairs[rows], scores).predict(pairs)
            assert np.corrcoef(found, cosines)[0, 1] > 0.5


@pytest.mark.parametrize(
    ("Model", "nats"),
    [(TextClassifier, 100), (SimilarityRegressor, 100), (PairClassifier, 0)],
)
@pytest.mark.parametrize("hidden_dim", [None, 4])
def test_few_examples_take_shorter_steps(Model, nats, hidden_dim, examples, vectors):
    """Adam's first step is as long as the rate: 30 times ln K nats are too few."""
    X, y = examples[Model]
    settings = SMALL | {"hidden_dim": hidden_dim, "batch_size": 30, "optimizer": "adam"}
    model = Model(ParaphraseEncoder(vectors), **settings, learning_rate=1e-3)
    start = model.set_params(max_epochs=0).fit(X, y).head_
    after = model.set_params(max_epochs=1).fit(X, y).head_
    moved = max(np.abs(after[name] - start[name]).max() for name in start)
    n_outputs = start["output.bias"].size
    share = min(1, 30 * np.log(n_outputs) / nats) if nats and hidden_dim is None else 1
    assert moved == pytest.approx(1e-3 * share, rel=0.02)


@pytest.mark.parametrize("penalty", [0.0, 1e-6])
def test_the_largest_change_needs_no_penalty(penalty, vectors, sentences, labels):
    optimizer = Optimizer("adagrad", max_change=0.05, vectors_penalty=penalty)
    model = TextClassifier(
        ParaphraseEncoder(vectors),
        text_norm=None,
        **{**SMALL, "optimizer": optimizer, "learning_rate": 0.5},
    )
    model.fit(sentences, labels)
    moved = np.linalg.norm(model.encoder_.vectors_.matrix - vectors.matrix, axis=1)
    share = moved / np.linalg.norm(vectors.matrix, axis=1)
    assert share.max() == pytest.approx(0.05, rel=1e-3)


def test_default_start_is_the_pretrained_average(pairs, gold):
    model = SimilarityRegressor(max_epochs=0).fit(pairs, gold)
    expected = load_pretrained().transform(pairs)
    assert_allclose(model.encoder_.transform(pairs), expected, atol=1e-6)


def test_steps_of_vectors_are_shorter_by_the_norm(sentences, labels, fitted):
    # Adam's first step is as long as the rate.
    model = TextClassifier(init=fitted, text_norm=9.0, **SMALL)
    model.set_params(learning_rate=0.001)
    model.set_params(optimizer="adam", max_epochs=1, batch_size=30)
    model.fit(sentences, labels)
    moved = np.abs(model.encoder_.vectors_.matrix - fitted.vectors_.matrix).max()
    assert_allclose(moved * 9, 0.001, rtol=0.01)


@pytest.mark.parametrize("change", [{"freeze": "encoder"}, {"freeze": None}])
def test_a_fit_resumes_with_other_parts_frozen(change, vectors, sentences, labels):
    first = "encoder" if change["freeze"] is None else None
    model = TextClassifier(ParaphraseEncoder(vectors), freeze=first, **SMALL)
    expected = model.fit(sentences, labels).predict_proba(sentences)
    model.set_params(warm_start=True, max_epochs=0, **change)
    assert_array_equal(model.predict_proba(sentences), expected)
    assert_array_equal(model.fit(sentences, labels).predict_proba(sentences), expected)


def test_results_do_not_depend_on_chunks(vectors, pairs, gold, monkeypatch):
    model = SimilarityRegressor(ParaphraseEncoder(vectors), **SMALL).fit(pairs, gold)
    expected = model.predict(pairs)
    monkeypatch.setattr(base, "_CHUNK", 7)
    assert_allclose(model.predict(pairs), expected, rtol=1e-6)
    assert_allclose(model.predict(pairs[:1]), expected[:1], rtol=1e-6)


def test_repeated_texts_are_embedded_once(labels):
    calls = []

    def embed(texts):
        calls.append(sorted(texts))
        return np.array([[len(text), text.count("1"), 1.0] for text in texts])

    pairs = [("w1 w2", "w3"), ("w3", "w11"), ("w1 w2", "w11")] * 10
    model = PairClassifier(FunctionTransformer(embed), freeze="encoder", **SMALL)
    model.fit(pairs, labels).predict(pairs)
    assert calls[-1] == ["w1 w2", "w11", "w3"]  # to predict
    assert calls.count(calls[-1]) <= 3  # all texts, and those for scale and size


# Encoders


@pytest.mark.parametrize("freeze", [None, "vectors", "encoder"])
@pytest.mark.parametrize("kind", ENCODERS)
def test_every_encoder_trains_and_freezes(kind, freeze, vectors, sentences, labels):
    # A batch may have no known token at all.
    texts, y = ["", *sentences[:9]], labels[:10]
    once = {**SMALL, "batch_size": 1, "max_epochs": 1}
    model = TextClassifier(ENCODERS[kind](vectors), freeze=freeze, **once)
    start = clone(model).set_params(max_epochs=0).fit(texts, y).encoder_
    model.fit(texts, y)
    assert np.isfinite(model.loss_curve_).all()
    assert model.predict_proba(texts).shape == (10, 2)
    before, after = start.transform(texts), model.encoder_.transform(texts)
    assert not after[0].any()
    if freeze == "encoder":
        assert_array_equal(after, before)
        return
    fixed = np.array_equal(start.vectors_.matrix, model.encoder_.vectors_.matrix)
    assert fixed == (freeze == "vectors")
    for name, value in start.parameters_.items():
        assert not np.array_equal(value, model.encoder_.parameters_[name]), name


@pytest.mark.parametrize("kind", ["average", "tfidf", "sif", "paragram"])
@pytest.mark.filterwarnings("ignore:AverageEncoder learns nothing")
def test_averages_start_from_their_own_transform(kind, vectors, pairs, gold):
    encoder = ENCODERS[kind](vectors)
    model = SimilarityRegressor(encoder, **{**SMALL, "max_epochs": 0})
    model.fit(pairs, gold)
    if kind == "paragram":
        expected = AverageEncoder(vectors, pooling="distinct").transform(pairs)
    else:
        expected = clone(encoder).fit(pairs).transform(pairs)
    found = raw(model.encoder_).transform(pairs)
    assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert model.encoder_.norm == ("l2" if kind == "paragram" else None)
    assert model.n_epochs_ == 0
    assert model.loss_curve_ == []


@pytest.mark.parametrize("Model", MODELS)
def test_the_given_encoder_stays(Model, examples, fitted):
    state = pickle.dumps((fitted.vectors_.matrix, fitted.parameters_))
    frozen = Model(FrozenEstimator(fitted), **SMALL).fit(*examples[Model])
    same = Model(init=fitted, freeze="encoder", **SMALL)
    same.fit(*examples[Model])
    for name, value in frozen.head_.items():
        assert_array_equal(value, same.head_[name])
    trained = Model(init=fitted, learning_rate=0.05, **SMALL)
    moved = trained.fit(*examples[Model]).encoder_.vectors_.matrix
    assert np.abs(moved - fitted.vectors_.matrix).max() > 1e-3
    for encoder in (frozen.encoder_, same.encoder_, fitted):
        assert pickle.dumps((encoder.vectors_.matrix, encoder.parameters_)) == state


@pytest.mark.filterwarnings("error")
def test_vectors_that_are_read_only(sentences, labels):
    encoder = SIFEncoder().set_output(transform="pandas").fit(sentences)
    frozen = FrozenEstimator(encoder)
    assert len(TextClassifier(frozen).fit(sentences, labels).classes_) > 1


def test_any_transformer_can_be_frozen(vectors, sentences, labels):
    pipe = make_pipeline(SIFEncoder(vectors, frequencies="corpus"))
    pipe.steps.append(("removal", CommonComponentRemoval()))
    model = TextClassifier(pipe, freeze="encoder", **SMALL)
    model.fit(sentences, labels)
    ready = FrozenEstimator(clone(pipe).fit(sentences))
    other = TextClassifier(ready, **SMALL).fit(sentences, labels)
    assert_array_equal(model.predict_proba(sentences), other.predict_proba(sentences))


@pytest.mark.filterwarnings("ignore:The loss of .* a constant output")
@pytest.mark.parametrize("from_init", [False, True])
def test_huge_penalties_return_the_start(from_init, vectors, pairs, gold, fitted):
    model = SimilarityRegressor(ParaphraseEncoder(vectors), **SMALL)
    if from_init:
        model.set_params(encoder=None, init=fitted, text_norm=1.0)
    start = model.set_params(max_epochs=0).fit(pairs, gold).encoder_
    model.set_params(max_epochs=20)
    moved = []
    for penalty in (0, 1e4):
        limits = {"vectors_penalty": penalty, "composition_penalty": penalty}
        model.set_params(optimizer=Optimizer("adagrad", **limits))
        encoder = model.fit(pairs, gold).encoder_
        found = [np.abs(encoder.vectors_.matrix - start.vectors_.matrix).max()]
        for name, value in start.parameters_.items():
            found.append(np.abs(encoder.parameters_[name] - value).max())
        moved.append(found)
    assert max(moved[1]) < 0.003 < 0.01 < min(moved[0])


@pytest.mark.parametrize("Encoder", [ParaphraseEncoder, LSTMEncoder])
def test_init_without_penalties_is_the_plain_model(
    Encoder, vectors, pairs, gold, assert_same_bits
):
    settings = {"max_epochs": 1, "batch_size": 8, "device": "cpu", "random_state": 1}
    trained = FrozenEstimator(Encoder(vectors, **settings).fit(pairs))
    none = {**SMALL, "optimizer": "adagrad"}
    started = SimilarityRegressor(init=trained, **none).fit(pairs, gold)
    plain = SimilarityRegressor(Encoder(vectors, init=trained), **none)
    assert_same_bits(started, plain.fit(pairs, gold))


def test_init_of_an_average(vectors, pairs, gold):
    average = AverageEncoder(vectors)
    model = SimilarityRegressor(init=average, **SMALL)
    start = clone(model).set_params(max_epochs=0).fit(pairs, gold).encoder_
    assert_array_equal(start.transform(pairs), average.transform(pairs))
    moved = model.fit(pairs, gold).encoder_.vectors_.matrix - vectors.matrix
    model.set_params(optimizer=Optimizer(vectors_penalty=1e4)).fit(pairs, gold)
    held = model.encoder_.vectors_.matrix - vectors.matrix
    assert np.abs(held).max() < np.abs(moved).max()


def test_init_from_a_folder(pairs, gold, fitted, tmp_path, assert_same_bits):
    model = SimilarityRegressor(init=fitted, **SMALL).fit(pairs, gold)
    fitted.save(tmp_path / "encoder")
    loaded = clone(model).set_params(init=load(tmp_path / "encoder"))
    assert_same_bits(model, loaded.fit(pairs, gold))


# Bad encoders


def test_bad_encoders(vectors, sentences, labels, fitted):
    def fit(encoder, **params):
        return TextClassifier(encoder, **params, **SMALL).fit(sentences, labels)

    with pytest.raises(ValueError, match="'encoder' parameter"):
        fit("average")
    with pytest.raises(ValueError, match="not fitted"):
        fit(None, init=ParaphraseEncoder(vectors))
    with pytest.raises(ValueError, match="pass either encoder or init"):
        fit(ParaphraseEncoder(vectors), init=fitted)
    with pytest.raises(TypeError, match=r"fitted encoder of skparaphrase\.encoders"):
        fit(None, init=FrozenEstimator(CountVectorizer().fit(sentences)))
    with pytest.raises(NotFittedError):
        fit(FrozenEstimator(SIFEncoder(vectors, frequencies="corpus")))
    with pytest.raises(TypeError, match=r"can be trained end to end.*freeze"):
        fit(CountVectorizer())
    with pytest.raises(TypeError, match="dense data is required"):
        fit(TfidfVectorizer(), freeze="encoder")
    model = fit(SIFEncoder(vectors, frequencies="corpus"), freeze="encoder")
    with pytest.raises(TypeError, match="started with a frozen SIFEncoder"):
        model.set_params(freeze=None, warm_start=True).fit(sentences, labels)
    with pytest.warns(UserWarning, match=r"LSTMEncoder is fitted.*init"):
        fit(fitted)
    with pytest.raises(ValueError, match="No word of the texts has a vector"):
        clone(model).set_params(freeze=None).fit(["unknown"] * 30, labels)


@pytest.mark.parametrize(
    ("vectors", "error", "match"),
    [
        ([[np.nan, 1.0]] * 30, ValueError, "vectors contains NaN"),
        ([[np.inf, 1.0]] * 30, ValueError, "vectors contains infinity"),
        ([[1.0, 1.0]], ValueError, "inconsistent numbers of samples"),
        ([[[1.0]]] * 30, ValueError, "dim 3"),
    ],
    ids=["nan", "inf", "one", "3d"],
)
def test_bad_vectors_of_a_frozen_encoder(vectors, error, match, sentences, labels):
    encoder = FunctionTransformer(lambda X: np.array(vectors[: len(X)]))
    model = TextClassifier(encoder, freeze="encoder", **SMALL)
    with pytest.raises(error, match=match):
        model.fit(sentences, labels)
