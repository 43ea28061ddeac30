"""Shared by all supervised models, whatever they predict."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from types import SimpleNamespace

import facades  # of the folder that conftest.py adds to the path
import numpy as np
import pytest
import registry
import skops.io
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import type_of_target

import skparaphrase
from skparaphrase.callback import ScoreMonitor
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    LSTMEncoder,
    ParaphraseEncoder,
)
from skparaphrase.metrics import pearson_scorer
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised import (
    PairClassifier,
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
    SequenceTagger,
    SimilarityRegressor,
    TextClassifier,
)

SMALL = {
    "hidden_dim": 4, "max_epochs": 2, "batch_size": 9, "device": "cpu",
    "random_state": 0, "optimizer": Optimizer("adam"),
}  # fmt: skip
MODELS = [
    SimilarityRegressor,
    PairClassifier,
    TextClassifier,
    PairwiseInteractionRegressor,
    PairwiseInteractionRanker,
    SequenceTagger,
]
GRADED = [SimilarityRegressor, PairwiseInteractionRegressor]
INTERACTIONS = (PairwiseInteractionRegressor, PairwiseInteractionRanker)
pytestmark = pytest.mark.usefixtures("narrow")
with_weights = pytest.mark.parametrize("case", MODELS[:-1], indirect=True)


def rows_of(values, rows):
    return [values[i] for i in rows]


@pytest.fixture(params=MODELS)
def case(request, vectors, sentences, pairs, gold):
    """A model and eighteen examples; `make` passes parameters on."""
    Model = request.param
    X, y = pairs[:18], gold[:18]
    first, more = ParaphraseEncoder(vectors), {}
    if Model is SimilarityRegressor:
        first, more = LSTMEncoder(vectors, dim=3), {"levels": range(6)}
    elif Model is PairClassifier:
        y = np.where(gold[:18] > 3, "many", "few")
    elif Model is TextClassifier:
        X, y = sentences[:18], np.arange(18) % 3
    elif Model is PairwiseInteractionRegressor:
        first, more = vectors, {"levels": range(6)}
    elif Model is PairwiseInteractionRanker:
        first, more = vectors, {"freeze": None}
        X = [(f"w{i % 6} {sentences[i % 6]}", sentences[-i]) for i in range(18)]
        y = np.random.RandomState(0).permutation([1] * 7 + [0] * 11)
    else:
        first, more = CharagramEncoder(dim=4), {"dense_dim": 3}
        X = [text.split() for text in sentences[:18]]
        y = [["few" if len(word) < 3 else "many" for word in row] for row in X]

    def make(**params):
        return Model(first, **{**SMALL, **more, **params})

    def take(rows):
        chosen = rows_of(y, rows)
        return rows_of(X, rows), chosen if Model is SequenceTagger else np.array(chosen)

    return SimpleNamespace(Model=Model, make=make, take=take, X=X, y=y)


def outputs(model, X):
    """The most informative outputs."""
    if isinstance(model, SequenceTagger):
        return np.concatenate([np.empty((0, 2)), *model.predict_proba(X)])
    for name in ("decision_function", "predict_proba", "predict"):
        if hasattr(model, name):
            return getattr(model, name)(X)


def arrays(model):
    """All trained arrays."""
    found = dict(getattr(model, "parameters_", {}), **getattr(model, "head_", {}))
    encoder = getattr(model, "encoder_", getattr(model, "word_encoder_", model))
    if encoder is not model:
        found.update({f"encoder.{k}": v for k, v in encoder.parameters_.items()})
    if hasattr(encoder, "vectors_"):
        found["vectors"] = encoder.vectors_.matrix
    return found


def assert_same_bits(model, other):
    one, two = arrays(model), arrays(other)
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert_array_equal(value, two[name], err_msg=name)


def assert_moved(model, other):
    """All arrays differ."""
    for name, value in arrays(model).items():
        assert not np.array_equal(value, arrays(other)[name]), name


def global_states():
    ours, theirs = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002 (the global state is what is tested)
    return pickle.dumps((ours, theirs.numpy()))


# Randomness, weights, and fits that resume


def test_same_seed_same_bits(case):
    model = case.make(validation_fraction=0.3)
    states = global_states()
    one, same = (clone(model).fit(case.X, case.y) for _ in range(2))
    expected = outputs(one, case.X)
    assert global_states() == states
    assert_same_bits(one, same)
    assert_array_equal(outputs(one, case.X), expected)
    model.set_params(random_state=5, validation_fraction=None)
    assert_moved(one, model.fit(case.X, case.y))
    state = np.random.RandomState(3)  # which each fit draws from
    one, other = (case.make(random_state=state).fit(case.X, case.y) for _ in range(2))
    assert_moved(one, other)


@pytest.mark.parametrize(
    "optimizer",
    [Optimizer(), Optimizer("rmsprop", reset=True), Optimizer("sgd", sparse=False)],
    ids=str,
)
def test_warm_start_resumes(optimizer, case):
    X, y = case.X, case.y
    once = case.make(optimizer=optimizer, max_epochs=4).fit(X, y)
    twice = case.make(optimizer=optimizer, warm_start=True).fit(X, y)
    twice = pickle.loads(pickle.dumps(twice)).fit(X, y)
    assert_same_bits(once, twice)
    assert twice.loss_curve_ == once.loss_curve_
    assert twice.n_epochs_ == 4


def test_a_fit_without_warm_start_starts_over(case):
    again = case.make(max_epochs=1).fit(case.X, case.y).fit(case.X, case.y)
    assert again.n_epochs_ == 1
    assert_same_bits(again, clone(again).fit(case.X, case.y))


@with_weights
def test_weights(case):
    # The layers below one that starts at zero move in the second step.
    model = case.make(optimizer="sgd", learning_rate=0.1, max_epochs=3)
    weights = np.random.RandomState(0).uniform(0.5, 2, 18)
    weighted = clone(model).fit(case.X, case.y, weights)
    for name, value in arrays(clone(model).fit(case.X, case.y, 1e3 * weights)).items():
        assert_allclose(value, arrays(weighted)[name], rtol=1e-5, atol=1e-6)
    plain = clone(model).fit(case.X, case.y)
    assert_same_bits(plain, clone(model).fit(case.X, case.y, np.full(18, 7)))
    assert_moved(plain, weighted)
    weights[1::4] = 0  # is removal
    kept = np.flatnonzero(weights)
    one = clone(model).fit(case.X, case.y, sample_weight=weights)
    assert_same_bits(one, clone(model).fit(*case.take(kept), weights[kept]))


# Validation


def validated(model, X, y):
    """The score by which a fit selects an epoch."""
    of_scores = isinstance(model, tuple(GRADED))
    return pearson_scorer(model, X, y) if of_scores else model.score(X, y)


def script_scores(case, monkeypatch, *scores):
    """Set the scores of epochs; the start has a lower score."""
    script = iter([-1, *scores])
    monkeypatch.setattr(case.Model, "_validation_score", lambda *_: next(script))


def test_best_epoch_is_kept(case, monkeypatch):
    train, held = case.take(range(12)), case.take(range(12, 18))
    val = dict(zip(("X_val", "y_val"), held, strict=True))
    model = case.make(max_epochs=4, learning_rate=0.05)
    model.fit(*train, **val)
    start = clone(model).set_params(max_epochs=0).fit(*train)
    assert model.validation_scores_[0] == validated(start, *held)
    assert validated(model, *held) == max(model.validation_scores_)
    script_scores(case, monkeypatch, 0.1, 0.4, 0.4, 0.2)
    model.fit(*train, **val)
    assert model.validation_scores_ == [-1, 0.1, 0.4, 0.4, 0.2]
    assert model.n_epochs_ == len(model.loss_curve_) == 4
    best = 3 if case.Model in INTERACTIONS else 2  # the later of two, or the first
    assert model.best_epoch_ == best
    until_then = clone(model).set_params(max_epochs=best).fit(*train)
    assert_same_bits(model, until_then)
    assert not hasattr(until_then, "best_epoch_")


def test_patience(case, monkeypatch):
    script_scores(case, monkeypatch, 0.5, 0.6, 0.6, 0.4, 0.9)
    model = case.make(max_epochs=9, optimizer="adam", patience=2)
    model.fit(case.X, case.y, X_val=case.X, y_val=case.y)
    assert model.validation_scores_ == [-1, 0.5, 0.6, 0.6, 0.4]
    assert model.n_epochs_ == 4  # patience counts from the second
    n_epochs = 3 if case.Model in INTERACTIONS else 2
    assert_same_bits(model, case.make(max_epochs=n_epochs).fit(case.X, case.y))


def test_validation_fraction(case, splits):
    model = case.make(validation_fraction=0.3, warm_start=True).fit(case.X, case.y)
    train, held = splits[0]
    assert (len(train), len(held)) == (12, 6)
    found = [*map(list, train.texts), *map(list, held.texts)]
    assert sorted(found) == sorted(map(list, case.X))
    y = held.targets[:, 0] if case.Model is PairwiseInteractionRanker else held.targets
    assert validated(model, held.texts, y) >= max(model.validation_scores_)
    # A fit that resumes holds the same examples out; another seed does not.
    model.fit(case.X, case.y)
    assert_array_equal(splits[1][1].texts, held.texts)
    case.make(validation_fraction=0.3, random_state=1).fit(case.X, case.y)
    assert list(splits[2][1].texts.ravel()) != list(held.texts.ravel())
    # The rest is trained on as if it had been given.
    before = arrays(model)[
        "vectors" if "vectors" in arrays(model) else "grid.output.bias"
    ]
    model.set_params(validation_fraction=None).fit(case.X, case.y)
    assert not np.array_equal(before, next(reversed(arrays(model).values())))
    assert not hasattr(model, "best_epoch_")


# Graded scores


@pytest.mark.parametrize("case", GRADED, indirect=True)
def test_scores(case):
    X, y, counts = case.X, case.y, np.arange(18) % 4
    model = case.make().fit(X, y, X_val=X, y_val=y, sample_weight_val=counts)
    found = model.predict(X)
    assert_allclose(pearson_scorer(model, X, y), np.corrcoef(found, y)[0, 1])
    assert_allclose(model.score(X, y), r2_score(y, found))
    r = np.corrcoef(np.repeat(found, counts), np.repeat(y, counts))[0, 1]
    r2 = r2_score(y, found, sample_weight=counts)
    assert_allclose(model.score(X, y, sample_weight=counts), r2)
    assert_allclose(max(model.validation_scores_), r)


@pytest.mark.parametrize("case", GRADED, indirect=True)
def test_scale_of_the_scores(case):
    X, y = case.X, case.y
    with pytest.raises(ValueError, match="outside the levels, 0 to 3"):
        case.make(levels=range(4)).fit(X, y)
    model = case.make(levels=None, warm_start=True)
    with pytest.raises(ValueError, match="All scores are 3: pass the levels"):
        model.fit(X, [3] * 18)
    model.fit(X, 1.2 + 0.32 * y)
    assert_array_equal(model.levels_, [1, 2, 3])
    assert 1 <= model.predict(X).min() < model.predict(X).max() <= 3
    model.fit(X[:3], [1, 2, 1.5])  # and keeps the scale
    assert_array_equal(model.levels_, [1, 2, 3])
    with pytest.raises(ValueError, match="at index 17"):
        model.fit(X, [*np.ones(17), 9])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, np.ones(18), X_val=X[:2], y_val=[1.0, np.nan])


# Callbacks


@pytest.mark.callbacks
@pytest.mark.parametrize(
    ("error", "validated"),
    [(KeyboardInterrupt, False), (RuntimeError, True)],
)
def test_interrupted_training_keeps_what_it_has(case, validated, error, monkeypatch):
    model = case.make(max_epochs=5, warm_start=True)
    script_scores(case, monkeypatch, 0.5, 0.3, 0.4)

    def score(fitted):
        if len(fitted.loss_curve_) == 3:
            raise error
        return 0.0

    model.set_callbacks(ScoreMonitor(score))
    val = {"X_val": case.X, "y_val": case.y} if validated else {}
    with pytest.raises(error):
        model.fit(case.X, case.y, **val)
    assert model.n_epochs_ == len(model.loss_curve_) == 3
    n_epochs = 1 if validated else 3
    assert_same_bits(model, case.make(max_epochs=n_epochs).fit(case.X, case.y))
    assert getattr(model, "best_epoch_", None) == (1 if validated else None)
    if not validated:
        model.set_callbacks().set_params(max_epochs=2).fit(case.X, case.y)
        assert_same_bits(model, case.make(max_epochs=5).fit(case.X, case.y))


@pytest.mark.callbacks
def test_callbacks(case, capsys):
    from sklearn.callback import ProgressBar

    model = case.make(verbose=True)
    monitor = ScoreMonitor(lambda fitted: fitted.score(case.X, case.y))
    model.set_callbacks(monitor, ProgressBar()).fit(case.X, case.y)
    out = capsys.readouterr().out
    assert f"[{case.Model.__name__}] epoch 2: loss {model.loss_curve_[1]:.4f}" in out
    assert "100%" in out
    assert "gain not measured: to measure it on held-out" in out
    assert [scores["epoch"] for scores in monitor.scores_] == [0, 1, 2]
    for n_epochs, scores in enumerate(monitor.scores_):
        until_then = case.make(max_epochs=n_epochs).fit(case.X, case.y)
        assert scores["score"] == until_then.score(case.X, case.y)


# Among scikit-learn's tools


def through_folder(model, folder):
    model.save(folder / "model")
    return skparaphrase.load(folder / "model")


def through_skops(model, folder):
    data = skops.io.dumps(model)
    return skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))


def through_pickle(model, folder):
    data = pickle.dumps(model)
    assert b"torch" not in data
    return pickle.loads(data)


@pytest.fixture(scope="module")
def fitted_once():
    """Pickles of a validated model, and of a clone without validation."""
    pickles = {}

    def fit(case):
        if case.Model not in pickles:
            X, y = case.X, case.y
            model = case.make(warm_start=True).fit(X, y, X_val=X, y_val=y)
            pickles[case.Model] = pickle.dumps((model, clone(model).fit(X, y)))
        return pickle.loads(pickles[case.Model])

    return fit


@pytest.mark.parametrize("way", [through_pickle, through_skops, through_folder])
def test_round_trips(way, case, tmp_path, fitted_once):
    X, y = case.X, case.y
    model, cloned = fitted_once(case)
    again = way(model, tmp_path)
    assert type(again) is case.Model
    assert_same_bits(again, model)
    assert_array_equal(outputs(again, X), outputs(model, X))
    for name in ("loss_curve_", "n_epochs_", "validation_scores_", "best_epoch_"):
        assert getattr(again, name) == getattr(model, name), name
    copy = clone(again)
    with pytest.raises(NotFittedError):
        outputs(copy, X)
    assert_array_equal(outputs(copy.fit(X, y), X), outputs(cloned, X))
    assert again.fit(X, y).n_epochs_ == 4


def test_validation_is_routed(case):
    with config_context(enable_metadata_routing=True):
        model = case.make().set_fit_request(X_val=True, y_val=True)
        pipe = make_pipeline(FunctionTransformer(), model)
        pipe.fit(case.X, case.y, X_val=case.X, y_val=case.y)
    assert len(pipe[-1].validation_scores_) == 3
    assert_array_equal(outputs(pipe[-1], case.X), outputs(model.fit(
        case.X, case.y, X_val=case.X, y_val=case.y), case.X))  # fmt: skip


def test_search_and_predictions_of_cross_validation(case):
    cv = KFold(2, shuffle=True, random_state=1)
    model = case.make(learning_rate=0.05)
    search = GridSearchCV(model, {"hidden_dim": [2, 5]}, cv=cv, error_score="raise")
    search.fit(case.X, case.y)
    predicted = cross_val_predict(search.best_estimator_, case.X, case.y, cv=cv)
    scores = []
    for train, test in cv.split(case.X):
        fold = clone(search.best_estimator_).fit(*case.take(train))
        held, y = case.take(test)
        scores.append(fold.score(held, y))
        assert list(predicted[test]) == list(fold.predict(held))
    assert_allclose(np.mean(scores), search.best_score_)


# Input


def test_nothing_to_predict(case):
    model = case.make(max_epochs=0)
    for name in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, name):
            with pytest.raises(NotFittedError, match="fit"):
                getattr(model, name)([])
    with pytest.raises(NotFittedError, match="fit"):
        model.score(case.X, case.y)
    model.fit(case.X, case.y)
    assert len(outputs(model, [])) == 0
    assert model.predict([]).shape == (0,)


BAD = [
    ({}, {"y": None}, "requires y"),
    ({}, {"X": [], "y": []}, "0 (sample|token)"),
    ({}, {"y": [1, 0]}, "inconsistent"),
    ({}, {"X_val": "own"}, "together"),
    ({}, {"y_val": "own"}, "together"),
    ({}, {"X_val": [], "y_val": []}, "X_val"),
    ({"validation_fraction": 0.5}, {"X_val": "own", "y_val": "own"}, "set it to None"),
    ({"patience": 2}, {}, "needs validation scores"),
    ({"validation_fraction": 1.0}, {}, "validation_fraction"),
    ({"hidden_dim": 0}, {}, "hidden_dim"),
    ({"optimizer": "lbfgs"}, {}, "optimizer"),
    ({"optimizer": Optimizer(schedule="cosine")}, {}, "schedule"),
    ({"optimizer": Optimizer(scramble=0.5)}, {}, "scramble=0.5 .* no effect"),
    ({"learning_rate": 0}, {}, "learning_rate"),
    ({"batch_size": 0}, {}, "batch_size"),
    ({"max_epochs": -1}, {}, "max_epochs"),
    ({"device": "abacus"}, {}, "device"),
    ({"warm_start": "no"}, {}, "warm_start"),
]
WEIGHTS = [
    ({"sample_weight": [1, 2]}, "sample_weight"),
    ({"sample_weight": -np.ones(18)}, "[Nn]egative"),
    ({"sample_weight": np.zeros(18)}, "non-zero"),
    ({"sample_weight_val": [1]}, "_val (needs X_val|must be None)"),
]


@pytest.mark.parametrize(("params", "change", "match"), BAD, ids=str)
def test_bad_input_leaves_a_model_as_it_was(params, change, match, case):
    own = {"X_val": case.X, "y_val": case.y}
    given = {"X": case.X, "y": case.y, **change}
    given = {k: own[k] if isinstance(v, str) else v for k, v in given.items()}
    if case.Model is SequenceTagger and match == "inconsistent":
        given["y"] = [["few"]]
    fitted = case.make(max_epochs=0).fit(case.X, case.y)
    for model in (case.make(), fitted):
        model.set_params(**params)
        before = vars(model).copy()
        with pytest.raises(ValueError, match=match):
            model.fit(**given)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize(("change", "match"), WEIGHTS, ids=str)
@with_weights
def test_bad_weights(change, match, case):
    with pytest.raises(ValueError, match=match):
        case.make().fit(case.X, case.y, **change)


def test_training_that_diverges_says_so(case):
    optimizer = Optimizer("sgd", vectors_penalty=1e-6)
    if "similarity" in case.make().get_params():  # its output starts at zero, and stays
        model = case.make(similarity=None)
    else:  # the gradients of penalties overflow
        optimizer.set_params(composition_penalty=1e-6, head_penalty=1e-6)
        model = case.make()
    model.set_params(optimizer=optimizer, learning_rate=1e30, max_epochs=9)
    with pytest.raises(ValueError, match=r"loss of epoch \d is .*diverged"):
        model.fit(case.X, case.y)


# The common checks


def row_tags(X, y):
    """The words of a row have the row's target as tag."""
    if y is None:
        return None
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    type_of_target(y, raise_unknown=True)
    rows = [[int(tag)] * X.shape[1] for tag in np.rint(y)]
    rows[0][0] = -1  # two tags at least
    return rows


def last_words(rows):
    return np.array([row[-1] for row in rows])


ONCE = {**SMALL, "max_epochs": 1}
VECTORS, facade = facades.VECTORS, facades.facade
FACADES = [
    facade(SimilarityRegressor, facades.pairs)(ParaphraseEncoder(VECTORS), **ONCE),
    # They represent PairClassifier: it has the pairs of one, the labels of the other.
    facade(TextClassifier)(ParaphraseEncoder(VECTORS), **ONCE),
    facade(TextClassifier)(AverageEncoder(VECTORS), freeze="encoder", **ONCE),
    # It also represents the ranker, which shares its fit and predictions.
    facade(PairwiseInteractionRegressor, facades.pairs)(VECTORS, **ONCE),
    facade(SequenceTagger, facades.tokens, targets=row_tags, outputs=last_words)(
        CharagramEncoder(dim=4), dense_dim=3, **ONCE
    ),
]


def expected_failures(estimator):
    """Checks that fail, and why."""
    if isinstance(estimator, SequenceTagger):
        return {}
    reasons = {
        "check_sample_weight_equivalence_on_dense_data": (
            "a weight of two is one example in one batch, not two in any; our own "
            "tests ask that zero is removal"
        )
    }
    if not hasattr(estimator, "class_weight"):
        reasons["check_fit2d_1sample"] = "one example has no scale, and one kind"
    return reasons


@pytest.mark.parametrize("estimator", FACADES, ids=lambda x: type(x).__name__)
def test_common_checks(estimator):
    registry.check(estimator, expected_failures(estimator))
