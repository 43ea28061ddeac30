"""Models of scores and classes among scikit-learn's tools, and with bad input."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from skparaphrase.encoders import (
    AverageEncoder,
    ConvolutionalEncoder,
    LSTMEncoder,
    ParagramEncoder,
    SIFEncoder,
)
from skparaphrase.model_selection import pair_groups
from skparaphrase.supervised import (
    PairClassifier,
    SentenceClassifier,
    SimilarityRegressor,
)
from skparaphrase.vectors import WordVectors

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared"))
SMALL = {
    "hidden_dim": 4, "max_epochs": 2, "batch_size": 8, "device": "cpu",
    "random_state": 0,
}  # fmt: skip
ONCE = {**SMALL, "max_epochs": 1}
MODELS = [SimilarityRegressor, PairClassifier, SentenceClassifier]
N_WORDS = 101
VECTORS = WordVectors(
    [f"w{i}" for i in range(N_WORDS)],
    np.random.default_rng(0).normal(size=(N_WORDS, 5)),
)


@pytest.fixture
def labels(sentences):
    return np.array(["few" if len(text.split()) < 3 else "many" for text in sentences])


@pytest.fixture
def fitted(vectors, pairs):
    settings = {"max_epochs": 1, "batch_size": 8, "device": "cpu", "random_state": 1}
    return LSTMEncoder(vectors, **settings).fit(pairs)


# The common checks


class Rows:
    """Every row of numbers is a text, a word a number; or a pair with its reverse."""

    def _check_texts(self, X):
        reset = not self.__dict__.get("_seen", False)
        rows = np.rint(4 * validate_data(self, X, reset=reset)).astype(int)
        texts = np.array(
            [
                " ".join(f"w{(n + 31 * i) % N_WORDS}" for i, n in enumerate(row))
                for row in rows
            ],
            dtype=object,
        )
        if self._n_texts == 1:
            return super()._check_texts(texts)
        return super()._check_texts(np.stack([texts, np.full(len(texts), "w1 w2")], 1))

    def fit(self, X, y=None, sample_weight=None):
        self._seen = False
        super().fit(X, y, sample_weight)
        self._seen = True
        return self

    def predict(self, X):
        check_is_fitted(self)
        return super().predict(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.one_d_array = False
        tags.input_tags.string = False
        # Words that stand for numbers say nothing about each other.
        (tags.classifier_tags or tags.regressor_tags).poor_score = True
        return tags


class SimilarityFacade(Rows, SimilarityRegressor):
    pass


class PairFacade(Rows, PairClassifier):
    pass


class SentenceFacade(Rows, SentenceClassifier):
    pass


FACADES = [
    SimilarityFacade(ParagramEncoder(VECTORS), **ONCE),
    PairFacade(ParagramEncoder(VECTORS), **ONCE),
    SentenceFacade(ParagramEncoder(VECTORS), **ONCE),
    SentenceFacade(AverageEncoder(VECTORS), freeze="encoder", **ONCE),
]


def expected_failures(estimator):
    """Checks that fail, and why."""
    reasons = {
        "check_sample_weight_equivalence_on_dense_data": (
            "a weight of two is one example in one batch, not two in any; our own "
            "tests ask that zero is removal"
        )
    }
    if isinstance(estimator, SimilarityRegressor):
        reasons["check_fit2d_1sample"] = "a whole score alone tells of no scale"
    return reasons


@parametrize_with_checks(
    FACADES, expected_failed_checks=expected_failures, xfail_strict=True
)
def test_common_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", FACADES, ids=str)
def test_all_checks_run(estimator):
    assert len(list(estimator_checks_generator(estimator))) >= 45


# Company


@pytest.mark.parametrize("Model", MODELS)
def test_clones_and_nested_parameters(Model, vectors, fitted):
    model = Model(ParagramEncoder(vectors, lowercase=False), hidden_dim=7)
    twin = clone(model)
    params, others = model.get_params(), twin.get_params()
    assert params.keys() == others.keys()
    assert params["hidden_dim"] == others["hidden_dim"] == 7
    assert others["encoder__lowercase"] is False
    assert others["encoder__vectors"] is not None
    assert twin.set_params(encoder__lowercase=True).encoder.lowercase
    assert model.encoder.lowercase is False
    assert clone(Model(FrozenEstimator(fitted))).encoder.estimator is fitted
    assert "hidden_dim=7" in repr(model)


@pytest.mark.parametrize("Model", MODELS)
def test_pickles(Model, vectors, pairs, sentences, gold, labels):
    X = sentences if Model is SentenceClassifier else pairs
    y = gold if Model is SimilarityRegressor else labels
    model = Model(LSTMEncoder(vectors), validation_fraction=0.3, **SMALL).fit(X, y)
    data = pickle.dumps(model)
    assert b"torch" not in data
    loaded = pickle.loads(data)
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.best_epoch_ == model.best_epoch_


def test_grid_search_over_encoder_and_head(vectors, pairs, gold):
    model = SimilarityRegressor(LSTMEncoder(vectors), score_range=(0, 5), **SMALL)
    upper = [(one.upper(), other.upper()) for one, other in pairs]
    grid = {
        "encoder__lowercase": [True, False],
        "encoder__output_gate": [True, False],
        "hidden_dim": [2, 5],
    }
    grid = {**grid, "encoder__lowercase": [True]}
    search = GridSearchCV(model, grid, cv=KFold(2), n_jobs=2).fit(upper, gold)
    assert len(search.cv_results_["params"]) == 4
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores)) == 4
    best = clone(model).set_params(**search.best_params_)
    assert_allclose(
        cross_val_score(best, upper, gold, cv=KFold(2)).mean(), max(scores), rtol=1e-4
    )
    assert search.best_estimator_.head_["hidden.bias"].shape == (
        search.best_params_["hidden_dim"],
    )
    found = search.best_estimator_.fit(upper, gold).predict(upper)
    assert_array_equal(search.predict(upper), found)


def test_search_with_a_prior(pairs, gold, fitted):
    state = pickle.dumps((fitted.vectors_.matrix, fitted.parameters_))
    model = SimilarityRegressor(
        FrozenEstimator(fitted), prior="universal", score_range=(0, 5), **SMALL
    )
    grid = {"vectors_penalty": [0, 1e4], "encoder": [FrozenEstimator(fitted)]}
    search = GridSearchCV(model, grid, cv=KFold(2), refit=False, error_score="raise")
    results = search.fit(pairs, gold).cv_results_
    assert len(set(results["mean_test_score"])) == 2
    assert pickle.dumps((fitted.vectors_.matrix, fitted.parameters_)) == state


def test_pipeline(vectors, sentences, labels):
    lower = FunctionTransformer(lambda X: [text.lower() for text in X])
    classifier = SentenceClassifier(ParagramEncoder(vectors, lowercase=False), **SMALL)
    shouted = [text.upper() for text in sentences]
    pipe = make_pipeline(lower, classifier).fit(shouted, labels)
    expected = clone(classifier).fit(sentences, labels).predict_proba(sentences)
    assert_array_equal(pipe.predict_proba(shouted), expected)
    assert pipe.classes_.tolist() == ["few", "many"]


def test_cross_validation_by_groups(vectors, pairs, gold):
    model = SimilarityRegressor(ParagramEncoder(vectors), score_range=(0, 5), **SMALL)
    groups = pair_groups(pairs)
    cv = GroupKFold(2)
    found = cross_val_score(model, pairs, gold, groups=groups, cv=cv)
    for score, (train, test) in zip(found, cv.split(pairs, gold, groups), strict=True):
        model.fit([pairs[i] for i in train], gold[train])
        assert score == model.score([pairs[i] for i in test], gold[test])


WEIGHTS = np.random.RandomState(0).uniform(0.1, 3, 30)


def test_weights_are_routed(vectors, sentences, labels):
    model = SentenceClassifier(ParagramEncoder(vectors), **SMALL)
    cv = KFold(3)
    with config_context(enable_metadata_routing=True):
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        params = {"sample_weight": WEIGHTS}
        found = cross_validate(
            model, sentences, labels, cv=cv, params=params, return_estimator=True
        )
        search = GridSearchCV(make_pipeline(model), {"sentenceclassifier__scale": [2]})
        search.fit(sentences, labels, **params)
    plain = SentenceClassifier(ParagramEncoder(vectors), **SMALL)
    for i, (train, test) in enumerate(cv.split(sentences)):
        few = [sentences[k] for k in train]
        plain.fit(few, labels[train], WEIGHTS[train])
        head = found["estimator"][i].head_
        assert_array_equal(head["hidden.weight"], plain.head_["hidden.weight"])
        few = [sentences[k] for k in test]
        score = plain.score(few, labels[test], WEIGHTS[test])
        assert found["test_score"][i] == score
    plain.set_params(scale=2).fit(sentences, labels, WEIGHTS)
    head = search.best_estimator_[-1].head_
    assert_array_equal(head["hidden.weight"], plain.head_["hidden.weight"])
    plain.fit(sentences, labels)
    assert not np.array_equal(head["hidden.weight"], plain.head_["hidden.weight"])


def test_validation_set_is_routed(vectors, sentences, labels):
    model = SentenceClassifier(ParagramEncoder(vectors), **SMALL)
    val = {"X_val": sentences[:7], "y_val": labels[:7]}
    with config_context(enable_metadata_routing=True):
        model.set_fit_request(X_val=True, y_val=True)
        pipe = make_pipeline(FunctionTransformer(list), model)
        pipe.fit(sentences[7:], labels[7:], **val)
    assert len(pipe[-1].validation_scores_) == 2


# Bad input


def data_of(Model, sentences, pairs, gold, labels):
    X = sentences if Model is SentenceClassifier else pairs
    return X, gold if Model is SimilarityRegressor else labels


@pytest.mark.parametrize(
    ("Model", "change", "error", "match"),
    [
        (PairClassifier, {"y": ["a"] * 30}, ValueError, "greater than one; got 1 "),
        (SentenceClassifier, {"y": [True] * 30}, ValueError, "greater than one"),
        (SentenceClassifier, {"y": np.arange(30) / 7}, ValueError, "continuous"),
        (SentenceClassifier, {"y": None}, ValueError, "requires y"),
        (SentenceClassifier, {"X": [], "y": []}, ValueError, "0 sample"),
        (PairClassifier, {"X": [], "y": []}, ValueError, "0 sample"),
        (SimilarityRegressor, {"y": [np.nan] + [1.0] * 29}, ValueError, "NaN"),
        (SimilarityRegressor, {"y": [np.inf] + [1.0] * 29}, ValueError, "infinity"),
        (SimilarityRegressor, {"y": [3] * 30}, ValueError, "All scores are 3: give"),
        (SimilarityRegressor, {"y": ["x"] * 30}, ValueError, "could not convert"),
        (SimilarityRegressor, {"y": [1, 2, 3]}, ValueError, "inconsistent numbers"),
        (SentenceClassifier, {"y": [1, 2, 3]}, ValueError, "inconsistent numbers"),
        (PairClassifier, {"sample_weight": [1, 2]}, ValueError, "sample_weight"),
        (PairClassifier, {"sample_weight": -np.ones(30)}, ValueError, "[Nn]egative"),
        (PairClassifier, {"sample_weight": np.zeros(30)}, ValueError, "non-zero"),
        (PairClassifier, {"X_val": [("a", "b")]}, ValueError, "together"),
        (PairClassifier, {"y_val": ["few"]}, ValueError, "together"),
        (PairClassifier, {"sample_weight_val": [1]}, ValueError, "_val needs X_val"),
        (SentenceClassifier, {"y": [np.inf, 1] * 15}, ValueError, "infinity"),
        (SentenceClassifier, {"y": [np.nan, 1] * 15}, ValueError, "NaN"),
        (SimilarityRegressor, {"y": np.arange(30) * 1e3}, ValueError, "n_levels"),
        (
            SentenceClassifier,
            {"X_val": ["w1", "w2"], "y_val": ["few"]},
            ValueError,
            "inconsistent numbers",
        ),
        (SentenceClassifier, {"X_val": [], "y_val": []}, ValueError, "0 .* in X_val"),
        (
            SentenceClassifier,
            {"X_val": [("w1",) * 2], "y_val": [1]},
            ValueError,
            "pair",
        ),
    ],
)
def test_bad_examples(
    Model, change, error, match, vectors, sentences, pairs, gold, labels
):
    X, y = data_of(Model, sentences, pairs, gold, labels)
    given = {"X": X, "y": y, **change}
    with pytest.raises(error, match=match):
        Model(ParagramEncoder(vectors), **SMALL).fit(**given)


@pytest.mark.parametrize(
    ("score_range", "match"),
    [
        ((1, 3), r"1 of 30 scores lie outside .*\(1, 3\), the first, 4.5, at index 11"),
        ((2.5, 5.5), "first, 2, at index 0"),
        ((5, 1), "rising"),
        ((1, 1), "rising"),
        ((0, np.inf), "finite"),
        ((np.nan, 5), "finite"),
        ((1,), "lowest, highest"),
        ((1, 2, 3), "lowest, highest"),
        (("low", "high"), "lowest, highest"),
        ((1, 5.5), "no whole number of steps"),
    ],
)
def test_bad_score_range(score_range, match, vectors, pairs):
    y = np.full(30, 2.0)
    y[11] = 4.5
    model = SimilarityRegressor(ParagramEncoder(vectors), score_range=score_range)
    with pytest.raises(ValueError, match=match):
        model.fit(pairs, y)


def test_uneven_range_with_levels(vectors, pairs):
    model = SimilarityRegressor(ParagramEncoder(vectors), **SMALL)
    model.set_params(score_range=(0.2, 1.2)).fit(pairs, np.linspace(0.2, 1.2, 30))
    assert_allclose(model.levels_, [0.2, 1.2])
    model.set_params(score_range=(1.2, 2.2)).fit(pairs, np.linspace(1.2, 2.2, 30))
    assert_allclose(model.levels_, [1.2, 2.2])
    model.set_params(score_range=(1, 5.5), n_levels=10)
    model.fit(pairs, np.linspace(1, 5.5, 30))
    assert_allclose(model.levels_, np.arange(1, 6, 0.5))


def test_texts_where_pairs_belong(vectors, sentences, pairs, gold, labels):
    encoder = ParagramEncoder(vectors)
    with pytest.raises(ValueError, match=r"pairs.*PairClassifier"):
        SentenceClassifier(encoder, **SMALL).fit(pairs, labels)
    for Model, y in ((PairClassifier, labels), (SimilarityRegressor, gold)):
        model = Model(encoder, **SMALL)
        with pytest.raises(ValueError, match="pairs"):
            model.fit(sentences, y)
        with pytest.raises(ValueError, match="pairs"):
            model.fit(pairs, y).predict(sentences)


@pytest.mark.parametrize("Model", MODELS)
def test_not_fitted(Model):
    with pytest.raises(NotFittedError):
        Model().predict([("a", "b")])


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({"hidden_dim": 0}, ValueError, "hidden_dim"),
        ({"scale": 0}, ValueError, "scale"),
        ({"freeze": "head"}, ValueError, "freeze"),
        ({"prior": "normal"}, ValueError, "prior"),
        ({"encoder": "average"}, ValueError, "encoder"),
        ({"optimizer": "lbfgs"}, ValueError, "optimizer"),
        ({"class_weight": "even"}, ValueError, "class_weight"),
        ({"device": "abacus"}, ValueError, "device"),
        ({"patience": 2}, ValueError, "nothing to go by"),
        ({"validation_fraction": 1.0}, ValueError, "validation_fraction"),
        ({"validation_fraction": 0.01}, ValueError, "greater or equal"),
        ({"class_weight": {"none": 2}}, ValueError, "not in class_weight"),
        ({"class_weight": {"few": 0, "many": 0}}, ValueError, "class_weight"),
        ({"class_weight": {"few": -1, "many": 1}}, ValueError, "class_weight"),
    ],
)
def test_bad_parameters(params, error, match, vectors, sentences, labels):
    model = SentenceClassifier(ParagramEncoder(vectors), **SMALL).set_params(**params)
    with pytest.raises(error, match=match):
        model.fit(sentences, labels)


def test_bad_encoders(vectors, sentences, labels, fitted):
    def fit(encoder, **params):
        return SentenceClassifier(encoder, **params, **SMALL).fit(sentences, labels)

    with pytest.raises(ValueError, match=r"not fitted.*FrozenEstimator"):
        fit(ParagramEncoder(vectors), prior="universal")
    with pytest.raises(ValueError, match="not fitted"):
        fit(None, prior="universal")
    with pytest.raises(TypeError, match="trained on paraphrases"):
        fit(FrozenEstimator(AverageEncoder(vectors)), prior="universal")
    with pytest.raises(NotFittedError):
        fit(FrozenEstimator(SIFEncoder(vectors, frequencies="corpus")))
    with pytest.raises(TypeError, match=r"can be trained end to end.*freeze"):
        fit(CountVectorizer())
    with pytest.raises(TypeError, match="dense vectors"):
        fit(TfidfVectorizer(), freeze="encoder")
    with pytest.raises(TypeError, match="dense vectors"):
        fit(FrozenEstimator(TfidfVectorizer().fit(sentences)))
    model = fit(SIFEncoder(vectors, frequencies="corpus"), freeze="encoder")
    with pytest.raises(TypeError, match="began with a frozen SIFEncoder"):
        model.set_params(freeze=None, warm_start=True).fit(sentences, labels)
    with pytest.warns(UserWarning, match=r"LSTMEncoder given is fitted.*universal"):
        fit(fitted)


@pytest.mark.parametrize("vector", [[np.nan, 1.0], [np.inf, 1.0], [[1.0]]])
def test_bad_vectors_of_a_frozen_encoder(vector, sentences, labels):
    bad = FunctionTransformer(lambda X: np.array([vector] * len(X)))
    error = TypeError if np.ndim(vector) == 2 else ValueError
    few = FunctionTransformer(lambda X: np.ones((1, 2)))
    for encoder, expected in ((bad, error), (few, ValueError)):
        model = SentenceClassifier(encoder, freeze="encoder", **SMALL)
        with pytest.raises(expected):
            model.fit(sentences, labels)


def test_no_known_word(vectors, labels):
    model = SentenceClassifier(ParagramEncoder(vectors), **SMALL)
    with pytest.raises(ValueError, match="No word of the texts has a vector"):
        model.fit(["unknown"] * 30, labels)


def test_validation_both_ways(vectors, sentences, labels):
    model = SentenceClassifier(
        ParagramEncoder(vectors), validation_fraction=0.5, **SMALL
    )
    with pytest.raises(ValueError, match="set it to None"):
        model.fit(sentences, labels, X_val=sentences, y_val=labels)


def test_bad_targets_of_validation_are_found_before_training(
    vectors, sentences, pairs, gold, labels
):
    for Model, bad in (
        (SimilarityRegressor, [1.0, np.nan]),
        (SimilarityRegressor, ["x", "y"]),
        (SentenceClassifier, [1, 2]),
    ):
        X, y = data_of(Model, sentences, pairs, gold, labels)
        model = Model(ParagramEncoder(vectors), **SMALL)
        with pytest.raises(ValueError):
            model.fit(X, y, X_val=X[:2], y_val=bad)
        assert not model.__dict__.get("loss_curve_")


def test_new_targets_on_a_warm_start(vectors, sentences, pairs, gold, labels):
    model = SentenceClassifier(ParagramEncoder(vectors), warm_start=True, **SMALL)
    model.fit(sentences, labels)
    with pytest.raises(ValueError, match=r"\['none'\].*\['few', 'many'\]"):
        model.fit(sentences, ["none", *labels[1:]])
    model.fit(sentences[:5], labels[:5])  # some of them may be missing
    model = SimilarityRegressor(ParagramEncoder(vectors), warm_start=True, **SMALL)
    model.fit(pairs, gold)
    with pytest.raises(ValueError, match="at index 29"):
        model.fit(pairs, [*gold[:29], 9])


# Papers and data


@pytest.mark.parametrize(
    ("Model", "settings"),
    [
        (SimilarityRegressor, ["wieting", "wieting-features", "sif", "cse"]),
        (PairClassifier, ["wieting", "wieting-features", "sif"]),
        (SentenceClassifier, ["wieting", "wieting-features", "sif"]),
    ],
)
def test_paper_settings(Model, settings, vectors, sentences, pairs, gold, labels):
    X, y = data_of(Model, sentences, pairs, gold, labels)
    assert repr(Model.paper()) == repr(Model.paper(settings[0]))
    for setting in settings:
        encoder = SIFEncoder(vectors, frequencies="corpus", a=1e-2)
        if setting == "cse":
            encoder = ConvolutionalEncoder(
                vectors, n_filters=2, max_epochs=1, device="cpu", random_state=0
            ).fit(pairs)
        model = Model.paper(setting, encoder=encoder, random_state=0, device="cpu")
        assert model.batch_size == {"cse": 32}.get(setting, 25)
        model.set_params(max_epochs=1).fit(X, y)
        assert np.isfinite(model.loss_curve_).all()
    with pytest.raises(ValueError, match=settings[-1]):
        Model.paper("bert")
