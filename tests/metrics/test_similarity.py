"""Correlations and their scorers, against SciPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import (
    ConstantInputWarning,
    kendalltau,
    pearsonr,
    spearmanr,
)
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.model_selection import (
    GridSearchCV,
    ShuffleSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import skparaphrase
from skparaphrase.datasets import load_graded_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.metrics import (
    RetrievalScorer,
    STSScorer,
    pearson_score,
    pearson_scorer,
    spearman_score,
    spearman_scorer,
)
from skparaphrase.pairs import LastAxis, PairSimilarity

SCORES = [(pearson_score, pearsonr), (spearman_score, spearmanr)]


@pytest.mark.parametrize(("score", "reference"), SCORES)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_scores_are_those_of_scipy(score, reference, ties, seed):
    true, predicted = np.random.default_rng(seed).normal(size=(2, 50))
    if ties:
        true, predicted = true.round(), predicted.round()
    assert score(true, predicted) == pytest.approx(
        reference(true, predicted).statistic, abs=1e-12
    )


def test_weights_follow_the_formula():
    rng = np.random.default_rng(0)
    true, predicted = rng.normal(size=(2, 50))
    weight = rng.uniform(size=50)
    (yy, yp), (_, pp) = np.cov(true, predicted, aweights=weight)
    weighted = pearson_score(true, predicted, sample_weight=weight)
    assert weighted == pytest.approx(yp / np.sqrt(yy * pp), abs=1e-12)


PAIR = ([("a", "b"), ("c", "d")], [1, 2])
REFUSED = [  # call, arguments, error and its words
    *(
        (score, arguments, ValueError, words)
        for score in (pearson_score, spearman_score)
        for arguments, words in [
            (([1, 2, 3], [1, 2]), "inconsistent numbers of samples"),
            (([1, np.nan], [1, 2]), "y_true contains NaN"),
            (([1, 2], [1, np.inf]), "y_pred contains infinity"),
            (([], []), "0 sample"),
            ((np.ones((3, 2)), np.ones(3)), "1d array"),
            ((np.ones(3), np.ones((3, 2))), "1d array"),
            ((["a", "b"], [1, 2]), "could not convert"),
        ]
    ),
    *(
        (partial(pearson_score, [1, 2, 3], [1, 3, 2], sample_weight=weight), (), *words)
        for weight, *words in [
            ([1, 2], ValueError, "inconsistent"),
            ([1, 2, np.nan], ValueError, "sample_weight contains NaN"),
            ([1, 1, -1], ValueError, "negative"),
            ([0, 0, 0], ValueError, "zero"),
        ]
    ),
    *(
        (
            partial(STSScorer, metric=metric),
            (PAIR,),
            ValueError,
            "metric must be one or",
        )
        for metric in ("kendall", [], ["pearson", "mrr"])
    ),
    (STSScorer, ({},), ValueError, "must contain data sets"),
    (STSScorer, ({"mean": PAIR},), ValueError, "mean"),
    (STSScorer, ({"dev": list(PAIR)},), TypeError, "'dev' must be a tuple"),
    (STSScorer, ({"dev": (*PAIR, PAIR)},), TypeError, "'dev' must be a tuple"),
    (STSScorer, (PAIR[0],), TypeError, "must be a tuple"),
    (STSScorer, ({"dev": (PAIR[0], [1])},), ValueError, "2 pairs but 1 scores"),
]


@pytest.mark.parametrize(("call", "arguments", "error", "words"), REFUSED)
def test_refused(call, arguments, error, words):
    with pytest.raises(error, match=words):
        call(*arguments)


def test_scorers_in_cross_validation(vectors, pairs, gold):
    pipe = make_pipeline(AverageEncoder(vectors), PairSimilarity())
    scoring = {"pearson": pearson_scorer, "spearman": spearman_scorer}
    scores = cross_validate(pipe, pairs, gold, cv=3, scoring=scoring)
    of_method = cross_val_score(pipe, pairs, gold, cv=3)
    assert_array_equal(scores["test_pearson"], of_method)  # PairSimilarity.score
    predicted = pipe.fit(pairs).predict(pairs)
    for fold in range(3):
        part = slice(10 * fold, 10 * (fold + 1))
        for name, reference in (("pearson", pearsonr), ("spearman", spearmanr)):
            expected = reference(gold[part], predicted[part]).statistic
            assert scores[f"test_{name}"][fold] == pytest.approx(expected, abs=1e-6)


@pytest.fixture
def sets(pairs, gold):
    return {"one": (pairs[:12], gold[:12]), "two": (np.array(pairs[12:]), gold[12:])}


@pytest.mark.parametrize(
    ("metric", "reference"), [("pearson", pearsonr), ("spearman", spearmanr)]
)
def test_sts_scores_each_set(vectors, sets, metric, reference):
    encoder = AverageEncoder(vectors)
    scores = STSScorer(sets, metric=metric)(encoder)
    for name, (pairs, gold) in sets.items():
        u, v = encoder.transform(pairs).astype(float).transpose(1, 0, 2)
        norms = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
        cosines = (u * v).sum(axis=1) / np.maximum(norms, 1e-30)
        expected = reference(gold, cosines).statistic
        assert scores[name] == pytest.approx(expected, abs=1e-5)
    assert list(scores) == ["one", "two", "mean"]
    assert scores["mean"] == pytest.approx((scores["one"] + scores["two"]) / 2)
    assert STSScorer(sets, metric=metric, average=True)(encoder) == scores["mean"]
    framed = AverageEncoder(vectors).set_output(transform="pandas")
    assert STSScorer(sets, metric=metric)(framed) == scores
    search = GridSearchCV(
        encoder, {}, cv=ShuffleSplit(1), scoring=STSScorer(sets), refit="mean"
    )
    results = search.fit(sets["one"][0]).cv_results_
    assert {"mean_test_one", "mean_test_two", "mean_test_mean"} <= results.keys()
    single = STSScorer(sets["one"], metric=metric)
    assert_allclose(
        cross_val_score(encoder, sets["one"][0], scoring=single, cv=2), scores["one"]
    )


def test_sts_with_several_metrics(vectors, sets):
    encoder, both = AverageEncoder(vectors), ["pearson", "spearman"]
    alone = {metric: STSScorer(sets, metric=metric)(encoder) for metric in both}
    scorer = STSScorer(sets, metric=both)
    assert scorer(encoder) == {
        f"{name}_{metric}": alone[metric][name]
        for metric in both
        for name in ("one", "two", "mean")
    }
    assert scorer.__name__ == "pearson, spearman"
    single = STSScorer(sets["one"], metric=both)(encoder)
    assert single == {metric: alone[metric]["one"] for metric in both}


@pytest.mark.parametrize("step", [CommonComponentRemoval(2), LastAxis(PCA(3))], ids=str)
def test_sts_postprocess_is_fitted_on_the_set(vectors, sets, step):
    scorer = STSScorer(sets, postprocess=step)
    encoder = SIFEncoder(vectors, frequencies={}).fit(["w1"])
    for name, (pairs, gold) in sets.items():
        by_hand = make_pipeline(encoder, clone(step), PairSimilarity()).fit(pairs)
        assert_allclose(
            scorer._similarities(encoder, pairs), by_hand.predict(pairs), rtol=1e-6
        )
        assert scorer(encoder)[name] == pytest.approx(by_hand.score(pairs, gold))
    with pytest.raises(NotFittedError):  # it is cloned
        step.transform(encoder.transform(pairs))


def test_sts_accepts_a_metric_of_ones_own(vectors, sets):
    encoder = AverageEncoder(vectors)
    scorer = STSScorer(sets["one"], metric=kendall)
    pairs, gold = sets["one"]
    assert scorer(encoder) == kendall(gold, scorer._similarities(encoder, pairs))
    assert repr(scorer) == "STSScorer(1 data sets, metric='kendall', average=True)"
    assert pickle.loads(pickle.dumps(scorer))(encoder) == scorer(encoder)


def kendall(y_true, y_pred):
    return kendalltau(y_true, y_pred).statistic


@pytest.mark.parametrize(
    ("scorer", "correlation"),
    [(pearson_scorer, pearsonr), (spearman_scorer, spearmanr)],
)
def test_scorers_of_encoders_take_their_cosines(scorer, correlation):
    X, y = load_graded_pairs(return_X_y=True)
    encoder = skparaphrase.load_pretrained()
    vectors = encoder.transform(X)
    cosines = np.diag(cosine_similarity(vectors[:, 0], vectors[:, 1]))
    expected = correlation(y, cosines).statistic
    assert scorer(encoder, X, y) == pytest.approx(expected, abs=1e-4)
    predicting = make_pipeline(encoder, PairSimilarity()).fit(X)
    assert scorer(predicting, X, y) == pytest.approx(expected, abs=1e-4)
    with pytest.raises(ValueError, match="predictions for pairs, or their vectors"):
        scorer(encoder, X[:, 0], y)


def test_vectorizers_of_single_texts():
    pairs, gold = load_graded_pairs(return_X_y=True)
    fitted = TfidfVectorizer().fit(pairs.ravel())
    scorers = STSScorer((pairs, gold)), RetrievalScorer(pairs[:50])
    of_pairs = FunctionTransformer(
        lambda X: fitted.transform(np.ravel(X)).toarray().reshape(*np.shape(X), -1)
    )
    left, right = (fitted.transform(side) for side in pairs.T)
    cosines = np.ravel(left.multiply(right).sum(axis=1))
    assert scorers[0](of_pairs) == pytest.approx(pearsonr(gold, cosines)[0])
    assert 0 < scorers[1](of_pairs) <= 1


def test_an_embedder_is_scored_as_its_encoder():
    embedder = skparaphrase.EmbeddingAdapter()
    score = STSScorer(load_graded_pairs(return_X_y=True))
    assert score(embedder) == score(embedder.encoder)


@pytest.mark.parametrize("score", [pearson_score, spearman_score])
def test_correlations_that_are_not_defined(score):
    for true, predicted in (([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [0.1, 0.1, 0.1])):
        with pytest.warns(UndefinedMetricWarning, match="constant values") as warned:
            assert score(true, predicted) == 0
        assert warned[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning, match="fewer than two samples"):
        assert np.isnan(score([1], [2]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert score([1, 2, 4], [1, 2, 3]) > 0.9


@pytest.mark.parametrize(
    "size", [1e-200, 1e-170, 1e-20, 1e150, 1e153, 1 + 1e-9, 1e9, 1e15]
)
def test_correlations_are_those_of_scipy(size):
    """For scores that hardly differ, or whose squares overflow."""
    rng = np.random.default_rng(0)
    true, predicted = rng.normal(size=(2, 50))
    for x in (true * size, true + size, true * 1e-9 + size):
        with warnings.catch_warnings(record=True) as ours:
            warnings.simplefilter("always")
            found = pearson_score(x, predicted)
            weighted = pearson_score(x, predicted, sample_weight=np.full(50, 1e-200))
        with warnings.catch_warnings(record=True) as theirs:
            warnings.simplefilter("always")
            expected = pearsonr(x, predicted).statistic
        if ConstantInputWarning in {each.category for each in theirs}:
            assert {each.category for each in ours} == {UndefinedMetricWarning}
            assert found == 0
        else:
            assert_allclose(found, expected, rtol=1e-7)
            assert not ours
        assert_allclose(weighted, found)
