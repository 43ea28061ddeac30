"""Models of scores and classes through encoders: what they learn, keep and predict."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.callback import ProgressBar
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import compute_sample_weight

import skparaphrase.supervised._fit as base
import skparaphrase.supervised._network as network
from skparaphrase import load
from skparaphrase.callback import EarlyStopping, ScoreMonitor
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
    ConvolutionalEncoder,
    DeepAveragingEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    ParagramEncoder,
    ProjectionEncoder,
    RNNEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.supervised import (
    PairClassifier,
    SentenceClassifier,
    SimilarityRegressor,
)

SMALL = {
    "hidden_dim": 4, "max_epochs": 2, "batch_size": 8, "device": "cpu",
    "random_state": 0,
}  # fmt: skip
MODELS = [SimilarityRegressor, PairClassifier, SentenceClassifier]
ENCODERS = {
    "average": AverageEncoder,
    "tfidf": TfidfEncoder,
    "sif": lambda vectors: SIFEncoder(vectors, frequencies="corpus"),
    "paragram": ParagramEncoder,
    "weighted": lambda vectors: ParagramEncoder(
        vectors, weighting="sif", frequencies="corpus"
    ),
    "projection": lambda vectors: ProjectionEncoder(vectors, dim=4),
    "deep": DeepAveragingEncoder,
    "rnn": lambda vectors: RNNEncoder(vectors, dim=3),
    "irnn": IdentityRNNEncoder,
    "lstm": lambda vectors: LSTMEncoder(vectors, output_gate=True),
    "cse": lambda vectors: ConvolutionalEncoder(vectors, n_filters=2),
    "charagram": lambda _: CharagramEncoder(dim=4),
    "char cnn": lambda _: CharCNNEncoder(
        embedding_dim=3, dim=4, filters=[(2, 2), (3, 1)]
    ),
    "char lstm": lambda _: CharLSTMEncoder(embedding_dim=3, dim=4),
}


@pytest.fixture
def labels(sentences):
    return np.array(["few" if len(text.split()) < 3 else "many" for text in sentences])


@pytest.fixture
def examples(sentences, pairs, gold, labels):
    """Texts or pairs, and targets, of a model."""
    return {
        SimilarityRegressor: (pairs, gold),
        PairClassifier: (pairs, labels),
        SentenceClassifier: (sentences, labels),
    }


@pytest.fixture
def fitted(vectors, pairs):
    settings = {"max_epochs": 2, "batch_size": 8, "device": "cpu"}
    settings["random_state"] = np.random.RandomState(1)  # drawing from it changes it
    return LSTMEncoder(vectors, learning_rate=0.01, **settings).fit(pairs)


def arrays(model):
    """Everything that is trained."""
    found = {f"head {name}": value for name, value in model.head_.items()}
    found["vectors"] = model.encoder_.vectors_.matrix
    for name, value in model.encoder_.parameters_.items():
        found[name] = value
    return found


def assert_same_bits(model, other):
    one, two = arrays(model), arrays(other)
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert_array_equal(value, two[name], err_msg=name)


# Predictions


def slow_probabilities(model, X, factor):
    """The equations on the encoder's vectors and the arrays of the head."""
    found = []
    for example in X:
        texts = [example] if isinstance(example, str) else list(example)
        g = model.encoder_.transform(texts).astype(np.float64)
        if model.projection_dim is not None:
            g = g @ model.head_["projection.weight"] + model.head_["projection.bias"]
        if model.normalize:
            g /= np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-12)
        g *= factor
        x = g[0] if len(g) == 1 else np.append(g[0] * g[1], abs(g[0] - g[1]))
        x = x @ model.head_["hidden.weight"] + model.head_["hidden.bias"]
        x = (1 / (1 + np.exp(-x))) @ model.head_["output.weight"]
        x = np.exp(x + model.head_["output.bias"])
        found.append(x / x.sum())
    return np.array(found)


HEADS = [
    {},
    {"projection_dim": 7},
    {"normalize": True, "scale": None},
    {"normalize": True, "scale": 3.0, "projection_dim": 5, "train_projection": False},
]


@pytest.mark.parametrize("params", HEADS, ids=str)
@pytest.mark.parametrize("frozen", [False, True], ids=["trained", "frozen"])
@pytest.mark.parametrize("Model", MODELS)
def test_predictions_against_slow_version(
    Model, frozen, params, examples, vectors, fitted
):
    X, y = examples[Model]
    encoder = FrozenEstimator(fitted) if frozen else ParagramEncoder(vectors)
    model = Model(encoder, learning_rate=0.05, **{**SMALL, **params})
    model.fit(X, y)
    # Word vectors that are trained have the factor in them, unless it is undone.
    factor = model.scale_ if frozen or model.normalize else 1.0
    expected = slow_probabilities(model, X, factor)
    if Model is SimilarityRegressor:
        levels = np.arange(np.floor(y.min()), np.ceil(y.max()) + 1)
        assert_array_equal(model.levels_, levels)
        assert_allclose(model.predict(X), expected @ levels, rtol=1e-5)
        r = np.corrcoef(model.predict(X), y)[0, 1]
        assert_allclose(model.score(X, y), r, rtol=1e-9)
        return
    found = model.predict_proba(X)
    assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert_allclose(model.predict_log_proba(X), np.log(expected), rtol=1e-4, atol=1e-5)
    assert model.classes_.tolist() == ["few", "many"]
    predicted = model.classes_[expected.argmax(axis=1)]
    assert_array_equal(model.predict(X), predicted)
    assert model.score(X, y) == accuracy_score(y, predicted)


def test_initial_length_of_vectors(vectors, sentences, labels, fitted):
    settings = {**SMALL, "max_epochs": 0}
    model = SentenceClassifier(ParagramEncoder(vectors), **settings)
    matrix = model.fit(sentences, labels).encoder_.vectors_.matrix
    words = sorted({int(word[1:]) for text in sentences for word in text.split()})
    assert_allclose(np.linalg.norm(matrix[words], axis=1).mean(), 6, rtol=1e-5)
    assert_allclose(matrix, model.scale_ * vectors.matrix, rtol=1e-6)
    model.set_params(scale=None).fit(sentences, labels)
    assert model.scale_ == 1
    assert_array_equal(model.encoder_.vectors_.matrix, vectors.matrix)
    for params in ({"encoder": FrozenEstimator(fitted)}, {"prior": "universal"}):
        model = SentenceClassifier(**{"encoder": fitted, **params}, **settings)
        found = model.fit(sentences, labels).encoder_.transform(sentences)
        assert_array_equal(found, fitted.transform(sentences))
        lengths = np.linalg.norm(found, axis=1)
        assert_allclose(model.scale_ * lengths.mean(), 6, rtol=1e-5)
        model.set_params(normalize=True, scale=2).fit(sentences, labels)
        assert model.scale_ == 2


def test_steps_of_vectors_are_shorter_by_the_factor(sentences, labels, fitted):
    # Adam's first step is as long as the rate.
    model = SentenceClassifier(fitted, prior="universal", **SMALL)
    model.set_params(optimizer="adam", max_epochs=1, batch_size=30, vectors_penalty=0)
    model.fit(sentences, labels)
    moved = np.abs(model.encoder_.vectors_.matrix - fitted.vectors_.matrix).max()
    assert model.scale_ > 2
    assert_allclose(moved * model.scale_, 0.001, rtol=0.01)


@pytest.mark.parametrize("change", [{"freeze": "encoder"}, {"freeze": None}])
def test_scale_stays_what_it_was_at_the_start(change, vectors, sentences, labels):
    first = "encoder" if change["freeze"] is None else None
    model = SentenceClassifier(ParagramEncoder(vectors), freeze=first, **SMALL)
    expected = model.fit(sentences, labels).predict_proba(sentences)
    model.set_params(warm_start=True, max_epochs=0, **change)
    assert_array_equal(model.predict_proba(sentences), expected)
    assert_array_equal(model.fit(sentences, labels).predict_proba(sentences), expected)


@pytest.mark.parametrize("Model", MODELS)
def test_nothing_to_predict(Model, examples, vectors):
    model = Model(ParagramEncoder(vectors), **SMALL).fit(*examples[Model])
    assert model.predict([]).shape == (0,)
    if Model is not SimilarityRegressor:
        assert model.predict_proba([]).shape == (0, 2)


def test_results_do_not_depend_on_chunks(vectors, pairs, gold, monkeypatch):
    model = SimilarityRegressor(ParagramEncoder(vectors), **SMALL).fit(pairs, gold)
    expected = model.predict(pairs)
    monkeypatch.setattr(network, "_CHUNK", 7)
    assert_allclose(model.predict(pairs), expected, rtol=1e-6)
    assert_allclose(model.predict(pairs[:1]), expected[:1], rtol=1e-6)


LABELS = {
    "str": np.array(["b", "a", "c"]),
    "bool": np.array([True, False]),
    "int": np.array([7, -1, 3]),
    "float": np.array([2.0, 1.0]),
    "object": np.array(["no", "yes"], dtype=object),
}


@pytest.mark.parametrize("names", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("Model", [PairClassifier, SentenceClassifier])
def test_labels_of_any_type(Model, names, examples, vectors):
    X, _ = examples[Model]
    codes = np.arange(30) % len(names)
    model = Model(ParagramEncoder(vectors), **SMALL).fit(X, names[codes])
    assert_array_equal(model.classes_, np.sort(names))
    assert model.classes_.dtype == names.dtype
    assert model.predict(X).dtype == names.dtype
    # Numbers in the same order give the same model.
    numbered = clone(model).fit(X, np.searchsorted(np.sort(names), names[codes]))
    assert_array_equal(model.predict_proba(X), numbered.predict_proba(X))


def test_classes_are_learnt(vectors, sentences, labels):
    model = SentenceClassifier(ParagramEncoder(vectors), **SMALL)
    model.set_params(max_epochs=150, learning_rate=0.05).fit(sentences, labels)
    assert model.score(sentences, labels) == 1
    assert model.loss_curve_[-1] < 0.1 < model.loss_curve_[0]


class Counting(TransformerMixin, BaseEstimator):
    """Counts the texts that it embeds."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        self.calls_ = [*getattr(self, "calls_", []), list(X)]
        return np.array([[len(text), text.count("1"), 1.0] for text in X])

    def __sklearn_is_fitted__(self):
        return True


def test_repeated_texts_are_embedded_once(labels):
    pairs = [("w1 w2", "w3"), ("w3", "w11"), ("w1 w2", "w11")] * 10
    encoder = Counting()
    model = PairClassifier(FrozenEstimator(encoder), **SMALL).fit(pairs, labels)
    assert sorted(encoder.calls_[-1]) == ["w1 w2", "w11", "w3"]
    assert max(Counter(encoder.calls_[-1]).values()) == 1
    n_calls = len(encoder.calls_)
    model.predict(pairs)
    assert sorted(encoder.calls_[-1]) == ["w1 w2", "w11", "w3"]
    assert len(encoder.calls_) == n_calls + 1


# Encoders


@pytest.mark.parametrize("freeze", [None, "vectors", "encoder"])
@pytest.mark.parametrize("kind", ENCODERS)
def test_every_encoder_trains_and_freezes(kind, freeze, vectors, sentences, labels):
    # A batch may have no known token at all.
    texts, y = ["", *sentences[:9]], labels[:10]
    model = SentenceClassifier(
        ENCODERS[kind](vectors), freeze=freeze, **{**SMALL, "batch_size": 1}
    )
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
def test_averages_start_from_their_own_transform(kind, vectors, pairs, gold):
    encoder = ENCODERS[kind](vectors)
    model = SimilarityRegressor(encoder, **{**SMALL, "max_epochs": 0}).fit(pairs, gold)
    if kind == "paragram":
        expected = AverageEncoder(vectors).transform(pairs)
    else:
        expected = clone(encoder).fit(pairs).transform(pairs)
    expected = model.scale_ * expected
    assert_allclose(model.encoder_.transform(pairs), expected, rtol=1e-5, atol=1e-5)
    assert model.n_epochs_ == 0
    assert model.loss_curve_ == []


@pytest.mark.parametrize("how", ["FrozenEstimator", "freeze"])
@pytest.mark.parametrize("Model", MODELS)
def test_frozen_encoder_keeps_its_bits(Model, how, examples, vectors, fitted):
    if how == "FrozenEstimator":
        model = Model(FrozenEstimator(fitted), **SMALL)
    else:
        model = Model(fitted, freeze="encoder", prior="universal", **SMALL)
    state = pickle.dumps((fitted.vectors_.matrix, fitted.parameters_))
    model.fit(*examples[Model])
    encoder = model.encoder_
    assert pickle.dumps((encoder.vectors_.matrix, encoder.parameters_)) == state
    assert pickle.dumps((fitted.vectors_.matrix, fitted.parameters_)) == state
    # The plain head on the same vectors, so that only the head has been trained.
    again = Model(FrozenEstimator(fitted), **SMALL).fit(*examples[Model])
    for name, value in again.head_.items():
        assert_array_equal(value, model.head_[name])


def test_any_transformer_can_be_frozen(vectors, sentences, labels):
    pipe = make_pipeline(SIFEncoder(vectors, frequencies="corpus"))
    pipe.steps.append(("removal", CommonComponentRemoval()))
    model = SentenceClassifier(pipe, freeze="encoder", **SMALL)
    model.fit(sentences, labels)
    ready = FrozenEstimator(clone(pipe).fit(sentences))
    other = SentenceClassifier(ready, **SMALL).fit(sentences, labels)
    assert_array_equal(model.predict_proba(sentences), other.predict_proba(sentences))


@pytest.mark.parametrize("Model", MODELS)
def test_prior_leaves_the_given_encoder(Model, examples, fitted):
    state = pickle.dumps(fitted)
    model = Model(fitted, prior="universal", learning_rate=0.05, **SMALL)
    model.fit(*examples[Model])
    assert pickle.dumps(fitted) == state
    moved = np.abs(model.encoder_.vectors_.matrix - fitted.vectors_.matrix)
    assert moved.max() > 1e-3


def test_huge_penalties_return_the_prior(pairs, gold, fitted):
    rate = 0.001
    settings = {**SMALL, "max_epochs": 20, "scale": None, "learning_rate": rate}
    penalties = {"vectors_penalty": 1e4, "composition_penalty": 1e4}
    model = SimilarityRegressor(fitted, prior="universal", **settings)
    held = clone(model).set_params(encoder=fitted, **penalties).fit(pairs, gold)
    free = clone(model).set_params(encoder=fitted).fit(pairs, gold)

    def moved(model):
        encoder = model.encoder_
        yield np.abs(encoder.vectors_.matrix - fitted.vectors_.matrix).max()
        for name, value in fitted.parameters_.items():
            yield np.abs(encoder.parameters_[name] - value).max()

    assert max(moved(held)) < 3 * rate
    assert min(moved(free)) > 10 * rate


def test_huge_penalties_return_the_start(vectors, pairs, gold):
    model = SimilarityRegressor(ParagramEncoder(vectors), **SMALL)
    start = clone(model).set_params(max_epochs=0).fit(pairs, gold).encoder_.vectors_
    model.set_params(max_epochs=20)
    moved = []
    for penalty in (0, 1e4):
        model.set_params(vectors_penalty=penalty).fit(pairs, gold)
        found = model.encoder_.vectors_.matrix
        moved.append(np.abs(found - start.matrix).max())
    assert moved[1] < 0.003 < 0.01 < moved[0]


@pytest.mark.parametrize("Encoder", [ParagramEncoder, LSTMEncoder])
def test_prior_without_penalties_is_the_plain_model(Encoder, vectors, pairs, gold):
    settings = {"max_epochs": 1, "batch_size": 8, "device": "cpu", "random_state": 1}
    trained = FrozenEstimator(Encoder(vectors, **settings).fit(pairs))
    none = {"vectors_penalty": 0, "composition_penalty": 0, **SMALL}
    prior = SimilarityRegressor(trained, prior="universal", **none).fit(pairs, gold)
    plain = SimilarityRegressor(Encoder(vectors, init=trained), **none)
    assert_same_bits(prior, plain.fit(pairs, gold))


def test_frozen_projection(vectors, sentences, labels):
    model = SentenceClassifier(ParagramEncoder(vectors), projection_dim=9, **SMALL)
    start = clone(model).set_params(max_epochs=0).fit(sentences, labels).head_
    for trained in (True, False):
        model.set_params(train_projection=trained).fit(sentences, labels)
        for name in ("projection.weight", "projection.bias"):
            assert np.array_equal(model.head_[name], start[name]) == (not trained)
        assert not np.array_equal(model.head_["hidden.weight"], start["hidden.weight"])


# Weights


def test_weight_zero_is_removal(vectors, sentences, labels):
    weights = np.random.RandomState(0).uniform(0.5, 2, 30)
    weights[::4] = 0
    kept = np.flatnonzero(weights)
    model = SentenceClassifier(TfidfEncoder(vectors), **SMALL)
    one = clone(model).fit(sentences, labels, sample_weight=weights)
    few = [sentences[i] for i in kept]
    assert_same_bits(one, clone(model).fit(few, labels[kept], weights[kept]))


def test_only_ratios_of_weights_matter(vectors, pairs, gold):
    weights = np.random.RandomState(0).uniform(0.5, 2, 30)
    model = SimilarityRegressor(ParagramEncoder(vectors), **SMALL)
    one = clone(model).fit(pairs, gold, sample_weight=weights)
    for factor in (7, 1e-3):
        other = clone(model).fit(pairs, gold, sample_weight=factor * weights)
        for name, value in arrays(other).items():
            assert_allclose(value, arrays(one)[name], rtol=1e-5, atol=1e-6)
    assert_same_bits(
        clone(model).fit(pairs, gold), clone(model).fit(pairs, gold, np.full(30, 7))
    )


def test_class_weights_are_sample_weights(vectors, sentences, labels):
    model = SentenceClassifier(ParagramEncoder(vectors), **SMALL)
    own = np.random.RandomState(0).uniform(0.5, 2, 30)
    for class_weight in ("balanced", {"few": 3.0, "many": 0.5}):
        weighted = clone(model).set_params(class_weight=class_weight)
        by_class = compute_sample_weight(class_weight, labels)
        assert_same_bits(
            clone(weighted).fit(sentences, labels),
            clone(model).fit(sentences, labels, by_class),
        )
        assert_same_bits(
            clone(weighted).fit(sentences, labels, own),
            clone(model).fit(sentences, labels, own * by_class),
        )
    n_few = (labels == "few").sum()
    balanced = np.where(labels == "few", 15 / n_few, 15 / (30 - n_few))
    assert_allclose(compute_sample_weight("balanced", labels), balanced)


# Validation


def test_best_epoch_is_kept(vectors, pairs, gold):
    model = SimilarityRegressor(
        ParagramEncoder(vectors), learning_rate=0.5, **{**SMALL, "max_epochs": 8}
    )
    model.fit(pairs[:20], gold[:20], X_val=pairs[20:], y_val=gold[20:])
    scores = model.validation_scores_
    assert len(scores) == len(model.loss_curve_) == model.n_epochs_ == 8
    best = int(np.argmax(scores)) + 1
    assert 1 < best < 8, "a better seed is needed"
    assert model.best_epoch_ == best
    assert model.score(pairs[20:], gold[20:]) == max(scores)
    until_then = clone(model).set_params(max_epochs=best).fit(pairs[:20], gold[:20])
    assert_same_bits(model, until_then)
    assert not hasattr(until_then, "best_epoch_")


def test_weights_of_validation(vectors, sentences, labels):
    weights = np.arange(10) + 1.0
    val = {"X_val": sentences[20:], "y_val": labels[20:]}
    model = SentenceClassifier(ParagramEncoder(vectors), **SMALL)
    model.fit(sentences[:20], labels[:20], **val, sample_weight_val=weights)
    expected = weights[model.predict(val["X_val"]) == val["y_val"]].sum() / 55
    assert_allclose(max(model.validation_scores_), expected)


def spied_splits(monkeypatch):
    """What is trained on and what is held out, fit by fit."""
    parts = []
    split = base.split

    def spy(*args, **kwargs):
        parts.append(split(*args, **kwargs))
        return parts[-1]

    monkeypatch.setattr(base, "split", spy)
    return parts


@pytest.mark.parametrize("Model", MODELS)
def test_validation_fraction(Model, examples, vectors, monkeypatch):
    X, y = examples[Model]
    parts = spied_splits(monkeypatch)
    model = Model(ParagramEncoder(vectors), validation_fraction=0.3, **SMALL).fit(X, y)
    ((train, held),) = parts
    assert len(train) == 21
    assert len(held) == 9
    rows = [
        *map(tuple, train.texts.reshape(21, -1)),
        *map(tuple, held.texts.reshape(9, -1)),
    ]
    assert Counter(rows) == Counter(
        map(tuple, np.array(X, dtype=object).reshape(30, -1))
    )
    score = model.score(held.texts, held.targets)
    assert score == max(model.validation_scores_)
    if Model is not SimilarityRegressor:
        share = 9 * np.mean(np.array(y) == "few")
        for seed in range(6):
            clone(model).set_params(random_state=seed, max_epochs=0).fit(X, y)
            assert abs((parts[-1][1].targets == "few").sum() - share) < 1
    # The rest is trained on as if it had been given.
    assert_array_equal(
        clone(model).fit(X, y).validation_scores_, model.validation_scores_
    )


def scripted(monkeypatch, Model, *scores):
    script = iter(scores)
    monkeypatch.setattr(Model, "score", lambda *_: next(script))


def test_patience(vectors, sentences, labels, monkeypatch):
    val = {"X_val": sentences[20:], "y_val": labels[20:]}
    data = sentences[:20], labels[:20]
    model = SentenceClassifier(ParagramEncoder(vectors), **{**SMALL, "max_epochs": 9})
    plain = clone(model).set_params(max_epochs=2).fit(*data)
    scripted(monkeypatch, SentenceClassifier, 0.5, 0.6, 0.6, 0.4, 0.9)
    model.set_params(patience=2).fit(*data, **val)
    assert model.validation_scores_ == [0.5, 0.6, 0.6, 0.4]
    assert model.best_epoch_ == 2
    assert model.n_epochs_ == len(model.loss_curve_) == 4
    assert_same_bits(model, plain)


# Going on, stopping


@pytest.mark.parametrize("optimizer", ["adagrad", "adam", "sgd"])
@pytest.mark.parametrize("sparse_updates", [True, False])
def test_warm_start_goes_on(optimizer, sparse_updates, vectors, pairs, gold):
    settings = {**SMALL, "optimizer": optimizer, "sparse_updates": sparse_updates}
    encoder = LSTMEncoder(vectors)
    once = SimilarityRegressor(encoder, **{**settings, "max_epochs": 4})
    once.fit(pairs, gold)
    twice = SimilarityRegressor(encoder, warm_start=True, **settings)
    twice = pickle.loads(pickle.dumps(twice.fit(pairs, gold))).fit(pairs, gold)
    assert_same_bits(once, twice)
    assert twice.loss_curve_ == once.loss_curve_
    assert twice.n_epochs_ == 4
    # Without warm_start it starts over.
    again = clone(once).set_params(max_epochs=2).fit(pairs, gold).fit(pairs, gold)
    assert again.n_epochs_ == 2
    assert_same_bits(again, clone(once).set_params(max_epochs=2).fit(pairs, gold))


def test_warm_start_without_validation_goes_on_after_validation(
    vectors, sentences, labels
):
    model = SentenceClassifier(
        ParagramEncoder(vectors), warm_start=True, validation_fraction=0.3, **SMALL
    )
    before = model.fit(sentences, labels).head_["hidden.weight"]
    model.set_params(validation_fraction=None).fit(sentences, labels)
    assert not np.array_equal(model.head_["hidden.weight"], before)


@pytest.mark.parametrize("Model", [SimilarityRegressor, SentenceClassifier])
def test_warm_start_holds_the_same_examples_out(Model, examples, vectors, monkeypatch):
    parts = spied_splits(monkeypatch)
    model = Model(
        ParagramEncoder(vectors), warm_start=True, validation_fraction=0.3, **SMALL
    )
    model.fit(*examples[Model]).fit(*examples[Model])
    assert_array_equal(parts[0][1].texts, parts[1][1].texts)


def test_best_epoch_of_another_validation_set(vectors, pairs, gold):
    model = SimilarityRegressor(ParagramEncoder(vectors), warm_start=True, **SMALL)
    model.fit(pairs, gold, X_val=pairs, y_val=gold)
    before = model.score(pairs, -gold)
    model.set_params(learning_rate=0.01).fit(pairs, -gold + 4, X_val=pairs, y_val=-gold)
    assert max(model.validation_scores_[2:]) > before
    assert model.best_epoch_ > 2
    assert model.score(pairs, -gold) == max(model.validation_scores_[2:])


@pytest.mark.parametrize("start", ["plain", "init", "prior", "frozen"])
def test_saved_model_predicts_the_same(start, vectors, pairs, gold, fitted, tmp_path):
    ready = FrozenEstimator(fitted)
    encoder = {
        "plain": LSTMEncoder(vectors),
        "init": LSTMEncoder(vectors, init=ready),
    }.get(start, ready)
    prior = "universal" if start == "prior" else None
    model = SimilarityRegressor(encoder, prior=prior, **SMALL).fit(pairs, gold)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert_array_equal(loaded.predict(pairs), model.predict(pairs))


def test_prior_from_a_folder(pairs, gold, fitted, tmp_path):
    fitted.save(tmp_path / "encoder")
    model = SimilarityRegressor(fitted, prior="universal", **SMALL).fit(pairs, gold)
    loaded = clone(model).set_params(encoder=load(tmp_path / "encoder"))
    assert_same_bits(model, loaded.fit(pairs, gold))


@pytest.mark.parametrize("Model", MODELS)
def test_same_seed_same_bits(Model, examples, vectors):
    model = Model(ConvolutionalEncoder(vectors, n_filters=2), **SMALL)
    X, y = examples[Model]
    one = clone(model).fit(X, y)
    assert_same_bits(one, clone(model).fit(X, y))
    other = clone(model).set_params(random_state=5).fit(X, y)
    assert not np.array_equal(one.head_["hidden.weight"], other.head_["hidden.weight"])


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


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_interrupted_training_keeps_what_it_has(error, vectors, pairs, gold):
    settings = {**SMALL, "max_epochs": 5}
    model = SimilarityRegressor(ParagramEncoder(vectors), warm_start=True, **settings)
    model.set_callbacks(Interrupting(2, error))
    with pytest.raises(error):
        model.fit(pairs, gold)
    assert model.n_epochs_ == len(model.loss_curve_) == 2
    plain = SimilarityRegressor(ParagramEncoder(vectors), **settings)
    assert_same_bits(model, clone(plain).set_params(max_epochs=2).fit(pairs, gold))
    model.set_callbacks().set_params(max_epochs=3).fit(pairs, gold)
    assert_same_bits(model, plain.fit(pairs, gold))


@pytest.mark.parametrize("Model", MODELS)
def test_callbacks(Model, examples, vectors, capsys):
    X, y = examples[Model]
    model = Model(ParagramEncoder(vectors), **{**SMALL, "max_epochs": 3})
    monitor = ScoreMonitor(lambda m: {"score": m.score(X, y), "n": len(m.predict(X))})
    model.set_callbacks(monitor, ProgressBar()).fit(X, y)
    assert [scores["epoch"] for scores in monitor.scores_] == [1, 2, 3]
    for n_epochs, scores in enumerate(monitor.scores_, 1):
        until_then = clone(model).set_callbacks().set_params(max_epochs=n_epochs)
        assert scores["score"] == until_then.fit(X, y).score(X, y)
        assert scores["n"] == 30


def test_early_stopping_leaves_the_best_epoch(vectors, sentences, labels):
    script = iter([0.3, 0.5, 0.4, 0.5, 0.1])
    stopping = EarlyStopping(lambda _: next(script), patience=2)
    model = SentenceClassifier(ParagramEncoder(vectors), **{**SMALL, "max_epochs": 9})
    plain = clone(model).set_params(max_epochs=2).fit(sentences, labels)
    model.set_callbacks(stopping).fit(sentences, labels)
    assert stopping.best_epoch_ == 2
    assert model.n_epochs_ == 4
    assert_same_bits(model, plain)
