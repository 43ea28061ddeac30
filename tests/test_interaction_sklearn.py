"""Models of interaction among scikit-learn's tools, and with bad input."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import joblib
import numpy as np
import pytest
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

import skparaphrase
from skparaphrase.interaction import (
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
)
from skparaphrase.metrics import (
    map_scorer,
    mean_average_precision,
    mean_reciprocal_rank,
    mrr_scorer,
)
from skparaphrase.model_selection import pair_groups
from skparaphrase.nn._grid import WIDTHS
from skparaphrase.vectors import WordVectors

SMALL = {
    "hidden_dim": 4, "max_epochs": 1, "batch_size": 9, "device": "cpu",
    "random_state": 0,
}  # fmt: skip
MODELS = [PairwiseInteractionRegressor, PairwiseInteractionRanker]
each = pytest.mark.parametrize("Model", MODELS)
N_WORDS = 101
VECTORS = WordVectors(
    [f"w{i}" for i in range(N_WORDS)],
    np.random.default_rng(0).normal(size=(N_WORDS, 5)),
)


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    """Blocks of few channels; the others are tested with the network."""
    for limit, widths in WIDTHS.items():
        monkeypatch.setitem(WIDTHS, limit, (6, 7, 8, 7, 6, 8)[: len(widths)])


@pytest.fixture
def wide(narrow, monkeypatch):
    """Blocks as other processes have them."""
    monkeypatch.undo()


@pytest.fixture
def pairs(pairs):
    return pairs[:18]


@pytest.fixture
def gold(gold):
    return gold[:18]


@pytest.fixture
def answers(sentences):
    """Pairs, relevance and questions: six of three candidates, interleaved."""
    question = np.arange(18) % 6
    X = [(f"w{i} {sentences[i]}", sentences[-k]) for k, i in enumerate(question)]
    y = np.random.RandomState(0).permutation([1] * 7 + [0] * 11)
    return X, y, question


@pytest.fixture
def examples(pairs, gold, answers):
    """Pairs and targets of a model."""
    return {
        PairwiseInteractionRegressor: (pairs, gold),
        PairwiseInteractionRanker: answers[:2],
    }


def outputs(model, X):
    """The outputs that say most."""
    if isinstance(model, PairwiseInteractionRanker):
        return model.decision_function(X)
    return model.predict(X)


# The common checks


class Rows:
    """Every row of numbers is a text, a word a number; its partner is the same."""

    def _check_texts(self, X):
        reset = not self.__dict__.get("_seen", False)
        rows = np.rint(4 * validate_data(self, X, reset=reset)).astype(int)
        texts = [
            " ".join(f"w{(n + 31 * i) % N_WORDS}" for i, n in enumerate(row[:6]))
            for row in rows
        ]
        pairs = np.array([(text, "w1 w2") for text in texts], dtype=object)
        return super()._check_texts(pairs)

    def _logits(self, X, *, tell=True):
        check_is_fitted(self)
        is_text = isinstance(X, np.ndarray) and X.ndim == 2 and X.size
        if not (is_text and isinstance(X[0, 0], str)):  # as in validation
            X = self._check_texts(X)
        return super()._logits(X, tell=tell)

    def fit(self, X, y=None, sample_weight=None):
        self._seen = False
        super().fit(X, self._as_targets(y), sample_weight)
        self._seen = True
        return self

    def _as_targets(self, y):
        return y

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.one_d_array = False
        tags.input_tags.string = False
        if tags.regressor_tags is not None:
            # Words that stand for numbers say nothing about each other.
            tags.regressor_tags.poor_score = True
        return tags


class RegressorFacade(Rows, PairwiseInteractionRegressor):
    pass


class RankerFacade(Rows, PairwiseInteractionRanker):
    """Numbers above the least one are right answers."""

    def _as_targets(self, y):
        if y is None:
            return None
        values = np.asarray(y)
        type_of_target(values, raise_unknown=True)
        if values.ndim > 1 or values.dtype.kind not in "biuf" or len(values) < 2:
            return y
        if not np.isfinite(values).all():
            return y
        found = (values > values.min()).astype(int)
        found[0] = 1 - found[1:].max()  # both kinds
        return found

    def score(self, X, y):
        return float(np.mean(self.predict(X) == (np.asarray(y) > 0)))


FACADES = [
    RegressorFacade(VECTORS, **SMALL),
    RankerFacade(VECTORS, freeze=None, **SMALL),
]


def expected_failures(estimator):
    """Checks that fail, and why."""
    reasons = {
        "check_sample_weight_equivalence_on_dense_data": (
            "a weight of two is one example in one batch, not two in any; our own "
            "tests ask that zero is removal"
        ),
        "check_fit2d_1sample": "one answer is right or wrong: there is no other kind",
    }
    if isinstance(estimator, PairwiseInteractionRegressor):
        reasons["check_fit2d_1sample"] = "a whole score alone tells of no scale"
    return reasons


@parametrize_with_checks(
    FACADES, expected_failed_checks=expected_failures, xfail_strict=True
)
def test_common_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", FACADES, ids=str)
def test_all_checks_run(estimator):
    assert len(list(estimator_checks_generator(estimator))) >= 42


def test_tags():
    regressor, ranker = (Model() for Model in MODELS)
    assert is_regressor(regressor) and not is_classifier(regressor)
    assert not is_regressor(ranker) and not is_classifier(ranker)
    for model in (regressor, ranker):
        tags = model.__sklearn_tags__()
        assert tags.target_tags.required and tags.input_tags.string
        assert not tags.input_tags.two_d_array


# Company


OURS = [
    "skparaphrase.interaction._ranker.PairwiseInteractionRanker",
    "skparaphrase.interaction._regressor.PairwiseInteractionRegressor",
    "skparaphrase.text._vocabulary.Vocabulary",
    "skparaphrase.vectors._word_vectors.WordVectors",
]
ROUND_TRIPS = {
    "pickle": lambda model, folder: pickle.loads(pickle.dumps(model)),
    "joblib": lambda model, folder: joblib.load(
        joblib.dump(model, folder / "model.joblib")[0]
    ),
    "skops": lambda model, folder: skops.io.loads(skops.io.dumps(model), trusted=OURS),
    "folder": lambda model, folder: (
        model.save(folder / "model") or skparaphrase.load(folder / "model")
    ),
}


@pytest.mark.parametrize("way", ROUND_TRIPS)
@each
def test_round_trips(Model, way, examples, vectors, tmp_path):
    X, y = examples[Model]
    freeze = "vectors" if Model is PairwiseInteractionRegressor else None
    more = [*X, ("w1 new", "w2 new")]
    params = {"freeze": freeze, "warm_start": True, **SMALL}
    model = Model(vectors, **params).fit(X, y, X_val=X, y_val=y)
    again = ROUND_TRIPS[way](model, tmp_path)
    assert type(again) is Model
    assert_array_equal(outputs(again, more), outputs(model, more))
    for name in ("loss_curve_", "n_epochs_", "validation_scores_", "best_epoch_"):
        assert getattr(again, name) == getattr(model, name), name
    assert again.scale_ == model.scale_
    assert repr(again) == repr(model)
    copy = clone(again)
    assert not hasattr(copy, "parameters_") and not hasattr(copy, "vectors_")
    with pytest.raises(NotFittedError):
        outputs(copy, X)
    assert_array_equal(outputs(copy.fit(X, y), X), outputs(clone(model).fit(X, y), X))
    if Model is PairwiseInteractionRanker:
        assert again.classes_.dtype == model.classes_.dtype
        assert_array_equal(again.vectors_.matrix, model.vectors_.matrix)
    else:
        assert_array_equal(again.levels_, model.levels_)
    assert again.fit(X, y).n_epochs_ == 2


@each
def test_pickles_know_nothing_of_torch(Model, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, validation_fraction=0.3, warm_start=True, **SMALL)
    data = pickle.dumps(model.fit(X, y))
    assert b"torch" not in data
    assert_array_equal(outputs(pickle.loads(data), X), outputs(model, X))


def test_functions_are_not_saved(vectors, pairs, gold, tmp_path):
    model = PairwiseInteractionRegressor(vectors, tokenizer=str.split, **SMALL)
    with pytest.raises(ValueError, match=r"tokenizer=.*cannot be saved"):
        model.fit(pairs, gold).save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_clones_and_parameters(vectors):
    model = PairwiseInteractionRegressor(vectors, hidden_dim=7, score_range=(1, 5))
    twin = clone(model)
    assert twin.get_params() == {**model.get_params(), "vectors": twin.vectors}
    assert "hidden_dim=7" in repr(model) and twin.score_range == (1, 5)
    assert twin.set_params(limit=48).limit == 48 and model.limit == 32


def test_cross_validation_by_groups(vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, score_range=(0, 5), **SMALL)
    groups = pair_groups(pairs)
    cv = GroupKFold(2)
    found = cross_val_score(model, pairs, gold, groups=groups, cv=cv)
    for score, (train, test) in zip(found, cv.split(pairs, gold, groups), strict=True):
        model.fit([pairs[i] for i in train], gold[train])
        assert score == model.score([pairs[i] for i in test], gold[test])


@pytest.mark.usefixtures("wide")
def test_grid_search_in_other_processes(vectors, pairs, gold):
    model = PairwiseInteractionRegressor(vectors, score_range=(0, 5), **SMALL)
    grid = {"focus": ["matching", "none"], "hidden_dim": [2, 5]}
    X, y = pairs[:8], gold[:8]
    search = GridSearchCV(model, grid, cv=KFold(2), n_jobs=2, error_score="raise")
    scores = search.fit(X, y).cv_results_["mean_test_score"]
    assert len(set(scores)) == 4
    best = clone(model).set_params(**search.best_params_)
    serial = cross_val_score(best, X, y, cv=KFold(2)).mean()
    assert_allclose(serial, max(scores), atol=1e-4)
    found = search.best_estimator_
    assert found.parameters_["context.forwards.W_h"].shape == (
        4 * search.best_params_["hidden_dim"],
        search.best_params_["hidden_dim"],
    )
    assert_array_equal(search.predict(X), best.fit(X, y).predict(X))


def ranked(model, X, y, train, test, query, metric):
    """The score of a fold, the long way."""
    fitted = clone(model).fit([X[i] for i in train], y[train])
    scores = fitted.decision_function([X[i] for i in test])
    return metric(y[test], scores, query[test])


BOTH = [(map_scorer, mean_average_precision), (mrr_scorer, mean_reciprocal_rank)]


def test_scorers_by_the_text_of_the_question(vectors, answers):
    X, y, question = answers
    model = PairwiseInteractionRanker(vectors, **SMALL)
    cv = GroupKFold(2)
    scoring = {"map": map_scorer, "mrr": mrr_scorer}
    found = cross_validate(model, X, y, groups=question, cv=cv, scoring=scoring)
    own = cross_val_score(model, X, y, groups=question, cv=cv)
    assert_array_equal(own, found["test_mrr"])
    for (_, metric), name in zip(BOTH, scoring, strict=True):
        expected = [
            ranked(model, X, y, train, test, question, metric)
            for train, test in cv.split(X, y, question)
        ]
        assert_allclose(found[f"test_{name}"], expected)
    assert len({*found["test_map"], *found["test_mrr"]}) > 2


@pytest.mark.parametrize(("scorer", "metric"), BOTH)
def test_scorers_with_questions_in_a_second_column(scorer, metric, vectors, answers):
    X, y, _ = answers
    other = np.arange(18) // 9
    model = PairwiseInteractionRanker(vectors, **SMALL)
    both = np.column_stack([y, other])
    cv = KFold(2, shuffle=True, random_state=0)
    found = cross_val_score(model, X, both, cv=cv, scoring=scorer)
    expected = [
        ranked(model, X, y, train, test, other, metric) for train, test in cv.split(X)
    ]
    assert_allclose(found, expected)


def test_groups_are_routed_to_scorers_and_score(vectors, answers):
    X, y, _ = answers
    other = np.arange(18) // 3 % 4  # not the questions of the texts
    names = np.array([f"q{i}" for i in other])
    model = PairwiseInteractionRanker(vectors, **SMALL)
    splits = list(GroupKFold(2).split(X, y, names))
    expected = {
        metric: [
            ranked(model, X, y, train, test, names, metric) for train, test in splits
        ]
        for _, metric in BOTH
    }
    with config_context(enable_metadata_routing=True):
        scoring = {
            metric.__name__: clone(scorer).set_score_request(query="groups")
            for scorer, metric in BOTH
        }
        common = {"params": {"groups": names}, "cv": GroupKFold(2)}
        found = cross_validate(model, X, y, scoring=scoring, **common)
        routed = clone(model).set_score_request(query="groups")
        own = cross_val_score(routed, X, y, **common)
    for metric, scores in expected.items():
        assert_allclose(found[f"test_{metric.__name__}"], scores)
    assert_allclose(own, expected[mean_reciprocal_rank])
    by_text = cross_val_score(model, X, y, groups=names, cv=GroupKFold(2))
    assert not np.allclose(by_text, own)


@pytest.mark.usefixtures("wide")
def test_grid_search_with_groups_in_other_processes(vectors, answers):
    X, y, _ = answers
    names = np.arange(18) // 3 % 4
    model = PairwiseInteractionRanker(vectors, limit=32, **SMALL)
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            model,
            {"context": [True, False]},
            cv=GroupKFold(2),
            scoring=clone(map_scorer).set_score_request(query="groups"),
            n_jobs=2,
            error_score="raise",
        ).fit(X, y, groups=names)
    for i, context in enumerate((True, False)):
        model.set_params(context=context)
        expected = [
            ranked(model, X, y, train, test, names, mean_average_precision)
            for train, test in GroupKFold(2).split(X, y, names)
        ]
        found = [search.cv_results_[f"split{k}_test_score"][i] for k in range(2)]
        assert_allclose(found, expected, atol=1e-9)
    assert_array_equal(
        search.decision_function(X), search.best_estimator_.decision_function(X)
    )


def test_predictions_of_cross_validation(vectors, pairs, gold, answers):
    X, y, question = answers
    model = PairwiseInteractionRanker(vectors, **SMALL)
    found = {
        method: cross_val_predict(
            model, X, y, groups=question, cv=GroupKFold(2), method=method
        )
        for method in ("decision_function", "predict_proba", "predict")
    }
    for train, test in GroupKFold(2).split(X, y, question):
        model.fit([X[i] for i in train], y[train])
        for method, values in found.items():
            some = getattr(model, method)([X[i] for i in test])
            assert_array_equal(values[test], some)
    model = PairwiseInteractionRegressor(vectors, score_range=(0, 5), **SMALL)
    assert cross_val_predict(model, pairs, gold, cv=2).shape == (18,)


def test_right_answers_are_those_more_likely_right(vectors, answers):
    X, y, _ = answers
    model = PairwiseInteractionRanker(vectors, **SMALL).fit(X, y)
    shift = np.median(model.decision_function(X))
    model.parameters_["grid.output.bias"] -= np.float32([0, shift])
    expected = model.predict_proba(X).argmax(axis=1)
    assert_array_equal(model.predict(X), expected)
    assert 0 < expected.sum() < 18


@each
def test_the_end_of_a_pipeline(Model, examples, vectors):
    X, y = examples[Model]
    shouted = [(one.upper(), other.upper()) for one, other in X]
    lower = FunctionTransformer(
        lambda X: [[text.lower() for text in pair] for pair in X]
    )
    model = Model(vectors, lowercase=False, **SMALL)
    pipe = make_pipeline(lower, model).fit(shouted, y)
    assert_array_equal(outputs(pipe[-1], X), outputs(clone(model).fit(X, y), X))
    assert pipe.score(shouted, y) == pipe[-1].score(X, y)
    if Model is PairwiseInteractionRanker:
        found = pipe.decision_function(shouted)
        assert mrr_scorer(pipe, shouted, y) == pipe.score(shouted, y)
    else:
        found = pipe.predict(shouted)
    assert_array_equal(found, outputs(pipe[-1], X))


def test_weights_and_validation_are_routed(vectors, pairs, gold):
    weights = np.random.RandomState(0).uniform(0.1, 3, 18)
    model = PairwiseInteractionRegressor(vectors, score_range=(0, 5), **SMALL)
    cv = KFold(2)
    with config_context(enable_metadata_routing=True):
        routed = clone(model).set_fit_request(sample_weight=True)
        routed.set_score_request(sample_weight=True)
        found = cross_val_score(
            routed, pairs, gold, cv=cv, params={"sample_weight": weights}
        )
        final = clone(model).set_fit_request(X_val=True, y_val=True)
        pipe = make_pipeline(FunctionTransformer(list), final)
        pipe.fit(pairs, gold, X_val=pairs[:5], y_val=gold[:5])
    assert len(pipe[-1].validation_scores_) == 1
    for score, (train, test) in zip(found, cv.split(pairs), strict=True):
        model.fit([pairs[i] for i in train], gold[train], weights[train])
        few = [pairs[i] for i in test]
        assert score == model.score(few, gold[test], sample_weight=weights[test])


# Bad input


@each
def test_sentences_of_no_and_one_word(Model, examples, vectors):
    X, y = examples[Model]
    blank = [("", "w1"), ("w1 w2 w3", ""), ("", ""), ("  ", "\t")]
    short = [("w1", "w2"), ("w1", "w1"), ("w2", "w1")]
    for focus in ("matching", "none", "dropout"):
        model = Model(vectors, focus=focus, **SMALL)
        model.fit([*X, *blank, *short], [*y, 1, 0, 1, 0, 1, 0, 0])
        assert np.isfinite(model.loss_curve_).all()
        found = outputs(model, blank)
        assert_allclose(found, np.full(4, found[0]), atol=1e-6)
        assert [*map(float, found)] == [
            pytest.approx(outputs(model, [pair])[0], abs=1e-6) for pair in blank
        ]
        assert np.isfinite(outputs(model, short)).all()
        assert outputs(model, short)[0] != found[0]
        # Batches of nothing else, and of single pairs.
        model.set_params(batch_size=1).fit([*blank, *short], [1, 0, 1, 0, 1, 0, 0])
        assert np.isfinite(model.loss_curve_).all()
        model.fit(blank, [1, 0, 1, 0])
        assert np.isfinite(outputs(model, [*X, *blank])).all()


@pytest.mark.parametrize("freeze", ["vectors", None])
@each
def test_no_known_word_at_all(Model, freeze, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, freeze=freeze, unknown_range=None, **SMALL)
    model.fit([("new", "other")] * 18, y)
    found = outputs(model, [("", ""), *X])
    assert np.isfinite(found).all() and model.scale_ == 1


@pytest.mark.filterwarnings("ignore:.* have more than limit")
@each
def test_both_sides_longer_than_the_limit(Model, examples, vectors):
    X, y = examples[Model]
    long = " ".join(f"w{i % 40}" for i in range(70))
    model = Model(vectors, **SMALL)
    model.fit([*X, (long, long), (long, "w1")], [*y, 1, 0])
    found = outputs(model, [(long, long), (long, "w1"), ("w1", long), ("", long)])
    assert np.isfinite([*found, *model.loss_curve_]).all()
    assert len(set(found)) == 4


def test_constant_scores(vectors, pairs):
    model = PairwiseInteractionRegressor(vectors, **SMALL)
    for score in (3, 0.0):
        with pytest.raises(ValueError, match=f"All scores are {score:g}: give"):
            model.fit(pairs, [score] * 18)
    model.set_params(score_range=(1, 5), max_epochs=12, learning_rate=0.05)
    found = model.fit(pairs, [3] * 18).predict(pairs)
    assert_allclose(found, np.full(18, 3), atol=0.2)
    assert_allclose(model.set_params(score_range=None).fit(pairs, [2.5] * 18).levels_,
                    [2, 3])  # fmt: skip


def test_questions_of_one_kind_are_learnt_from(vectors, answers):
    X, _, question = answers
    y = (question < 2).astype(int)  # each has only right or only wrong answers
    model = PairwiseInteractionRanker(vectors, **SMALL).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert_allclose(model.score(X, y), 2 / 6)  # first in two, nowhere in four
    model.set_params(max_epochs=30, learning_rate=0.02).fit(X, y)
    assert model.loss_curve_[-1] < model.loss_curve_[0]


@pytest.mark.parametrize(
    ("Model", "change", "error", "match"),
    [
        (MODELS[0], {"y": None}, ValueError, "requires y"),
        (MODELS[1], {"y": None}, ValueError, "requires y"),
        (MODELS[0], {"X": [], "y": []}, ValueError, "0 sample"),
        (MODELS[1], {"X": [], "y": []}, ValueError, "0 sample"),
        (MODELS[0], {"y": [np.nan] + [1.0] * 17}, ValueError, "NaN"),
        (MODELS[0], {"y": [np.inf] + [1.0] * 17}, ValueError, "infinity"),
        (MODELS[0], {"y": ["x"] * 18}, ValueError, "could not convert"),
        (MODELS[0], {"y": np.arange(18) * 1e3}, ValueError, "n_levels"),
        (MODELS[0], {"y": np.ones((18, 2))}, ValueError, "1d array"),
        (MODELS[0], {"y": [1, 2, 3]}, ValueError, "inconsistent numbers"),
        (MODELS[1], {"y": [1, 0, 1]}, ValueError, "inconsistent numbers"),
        (MODELS[1], {"y": [0] * 18}, ValueError, "right and wrong .* all 18 are wrong"),
        (
            MODELS[1],
            {"y": [0, 1] * 9, "sample_weight": [0, 1] * 9},
            ValueError,
            "right and wrong .* all 9 are right",
        ),
        (
            MODELS[1],
            {"y": [1.0] * 18},
            ValueError,
            "right and wrong .* all 18 are right",
        ),
        (MODELS[1], {"y": [0, 1, 2] * 6}, ValueError, r"0 or 1; y_true\[2\] is 2"),
        (MODELS[1], {"y": [0, 0.5] * 9}, ValueError, r"y_true\[1\] is 0.5"),
        (MODELS[1], {"y": [0, np.nan] * 9}, ValueError, r"y_true\[1\] is nan"),
        (MODELS[1], {"y": [0, -np.inf] * 9}, ValueError, r"y_true\[1\] is -inf"),
        (MODELS[1], {"y": ["no", "yes"] * 9}, ValueError, "Relevance must be 0 or 1"),
        (MODELS[1], {"y": [(1, None), (0, 2)] * 9}, ValueError, "query of row 0 is"),
        (MODELS[1], {"y": [(1, np.nan), (0, 2)] * 9}, ValueError, "query of row 0 is"),
        (MODELS[1], {"y": np.zeros((18, 3))}, ValueError, "1d array"),
        (MODELS[0], {"X": ["w1"] * 18}, ValueError, "Expected pairs of texts"),
        (MODELS[1], {"X": ["w1"] * 18}, ValueError, "Expected pairs of texts"),
        (MODELS[1], {"X": [("a", "b", "c")] * 18}, ValueError, "pairs"),
        (MODELS[0], {"X": [("w1", None)] * 18}, ValueError, "None"),
        (MODELS[0], {"X": [("w1", 3)] * 18}, TypeError, "3"),
        (MODELS[0], {"sample_weight": [1, 2]}, ValueError, "sample_weight"),
        (MODELS[1], {"sample_weight": -np.ones(18)}, ValueError, "[Nn]egative"),
        (MODELS[1], {"sample_weight": np.zeros(18)}, ValueError, "non-zero"),
        (MODELS[0], {"X_val": [("a", "b")]}, ValueError, "together"),
        (MODELS[1], {"y_val": [1]}, ValueError, "together"),
        (MODELS[0], {"sample_weight_val": [1]}, ValueError, "_val needs X_val"),
        (MODELS[1], {"sample_weight_val": [1]}, ValueError, "takes no weights"),
        (MODELS[0], {"X_val": [], "y_val": []}, ValueError, "0 .* in X_val"),
        (MODELS[1], {"X_val": ["w1"], "y_val": [1]}, ValueError, "pairs"),
        (MODELS[0], {"X_val": [("a", "b")], "y_val": [np.nan]}, ValueError, "NaN"),
        (MODELS[1], {"X_val": [("a", "b")], "y_val": [2]}, ValueError, "0 or 1"),
        (MODELS[1], {"X_val": [("a", "b")], "y_val": [1, 0]}, ValueError, "inconsis"),
    ],
)
def test_bad_examples(Model, change, error, match, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, **SMALL)
    with pytest.raises(error, match=match):
        model.fit(**{"X": X, "y": y, **change})
    assert not [name for name in vars(model) if name.endswith("_")]
    before = outputs(model.fit(X, y), X)
    state = vars(model).copy()
    with pytest.raises(error, match=match):
        model.fit(**{"X": X, "y": y, **change})
    assert vars(model).keys() == state.keys()
    assert all(vars(model)[name] is value for name, value in state.items())
    assert_array_equal(outputs(model, X), before)


@pytest.mark.parametrize(
    ("score_range", "match"),
    [
        ((0, 3), r"1 of 18 scores lie outside .*\(0, 3\), the first, 4.5, at index 11"),
        ((5, 0), "rising"),
        ((1, 1), "rising"),
        ((0, np.inf), "finite"),
        ((1,), "lowest, highest"),
        (("low", "high"), "lowest, highest"),
        ((1, 5.5), "no whole number of steps"),
    ],
)
def test_bad_score_range(score_range, match, vectors, pairs):
    y = np.full(18, 2.0)
    y[11] = 4.5
    model = PairwiseInteractionRegressor(vectors, score_range=score_range)
    with pytest.raises(ValueError, match=match):
        model.fit(pairs, y)


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"hidden_dim": 0}, "hidden_dim"),
        ({"limit": 33}, "limit"),
        ({"focus": "greedy"}, "focus"),
        ({"dropout": 1.0}, "dropout"),
        ({"freeze": "all"}, "freeze"),
        ({"scale": 0}, "scale"),
        ({"unknown_range": -1}, "unknown_range"),
        ({"optimizer": "lbfgs"}, "optimizer"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"schedule": "cosine"}, "schedule"),
        ({"batch_size": 0}, "batch_size"),
        ({"max_epochs": -1}, "max_epochs"),
        ({"clip_norm": 0}, "clip_norm"),
        ({"vectors_penalty": -1}, "vectors_penalty"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"patience": 2}, "nothing to go by"),
        ({"device": "abacus"}, "device"),
        ({"vectors": "glove"}, "vectors"),
        ({"token_pattern": "("}, "token_pattern"),
    ],
)
@each
def test_bad_parameters(Model, params, match, examples, vectors):
    X, y = examples[Model]
    with pytest.raises((ValueError, TypeError), match=match):
        Model(vectors, **SMALL).set_params(**params).fit(X, y)


@each
def test_validation_both_ways(Model, examples, vectors):
    X, y = examples[Model]
    model = Model(vectors, validation_fraction=0.5, **SMALL)
    with pytest.raises(ValueError, match="set it to None"):
        model.fit(X, y, X_val=X, y_val=y)


def test_one_question_cannot_be_held_out(vectors):
    model = PairwiseInteractionRanker(vectors, validation_fraction=0.5, **SMALL)
    with pytest.raises(ValueError, match="one question only"):
        model.fit([("w1", "w2"), ("w1", "w3")], [0, 1])


@each
def test_nothing_to_predict(Model, examples, vectors):
    model = Model(vectors, **SMALL).fit(*examples[Model])
    for empty in ([], np.empty((0, 2), dtype=object), ()):
        found = outputs(model, empty)
        assert found.shape == (0,) and found.dtype == np.float64
    if Model is PairwiseInteractionRanker:
        assert model.predict_proba([]).shape == (0, 2)
    for bad in (["w1", "w2"], "w1", [("a", "b", "c")]):
        with pytest.raises((ValueError, TypeError)):
            outputs(model, bad)


def test_not_fitted(vectors, pairs):
    ranker = PairwiseInteractionRanker(vectors)
    calls = [
        lambda: PairwiseInteractionRegressor(vectors).predict(pairs),
        lambda: PairwiseInteractionRegressor(vectors).predict([]),
        lambda: PairwiseInteractionRegressor(vectors).score(pairs, [1] * 18),
        lambda: ranker.decision_function(pairs),
        lambda: ranker.predict(pairs),
        lambda: ranker.predict_proba(pairs),
        lambda: ranker.rank("w1", ["w2"]),
        lambda: ranker.score(pairs, [1] * 18),
    ]
    for call in calls:
        with pytest.raises(NotFittedError, match="fit"):
            call()


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([0, 1, 2] * 6, "0 or 1"),
        ([0, 1], "inconsistent"),
        (np.zeros((18, 3)), "1d array"),
    ],
)
def test_bad_targets_to_score(y, match, vectors, answers):
    X, right, _ = answers
    model = PairwiseInteractionRanker(vectors, **SMALL).fit(X, right)
    with pytest.raises(ValueError, match=match):
        model.score(X, y)
