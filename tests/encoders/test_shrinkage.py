"""Shrinkage: a fit of few examples is never worse than its start."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from copy import deepcopy

import numpy as np
import pytest
from few_words import PAIRS, TEXTS, VECTORS, make_encoder, unit
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import pearsonr
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import skparaphrase
from skparaphrase import load_pretrained
from skparaphrase.datasets import load_faq, load_graded_pairs, load_paraphrases
from skparaphrase.encoders import LSTMEncoder, ParaphraseEncoder
from skparaphrase.encoders import _paraphrase as base
from skparaphrase.encoders._shrinkage import (
    _TEMPERATURES,
    N_ENOUGH,
    Gain,
    class_likelihoods,
    folds,
    influence,
    measure_gain,
    pair_likelihoods,
)
from skparaphrase.supervision._supervise import supervise

RNG = np.random.RandomState(0)
FAQ = load_faq()
QUESTIONS, TOPICS = np.array(FAQ.data, dtype=object), np.array(FAQ.topics)
CAPTIONS, SCORES = load_graded_pairs(return_X_y=True)
CAPTIONS, SCORES = CAPTIONS[:100], SCORES[:100]


@pytest.mark.parametrize(
    ("mean", "error", "shrinkage"),
    [
        (0.4, 0.1, 0.0625),
        (0.068, 0.039, 0.3289),
        (0.1, 0.1, 1.0),
        (0.05, 0.1, 1.0),
        (-0.4, 0.1, 1.0),
        (0.0, 0.0, 1.0),
        (0.2, 0.0, 0.0),
    ],
)
def test_the_factor_by_hand(mean, error, shrinkage):
    assert_allclose(Gain(mean, error, "").shrinkage, shrinkage, atol=1e-4)


@pytest.mark.parametrize("scale", ["ranks", "marks"])
def test_influence_values_are_those_of_a_jackknife(scale):
    x, y = RNG.randn(400), RNG.randn(400)
    y += x
    y = y.argsort().argsort() if scale == "ranks" else y > 0.5
    n, values, r = len(x), influence(x, y), pearsonr(x, y)[0]
    assert_allclose(values.mean(), r)
    left_out = [
        pearsonr(np.delete(x, i), np.delete(y, i).astype(float))[0] for i in range(n)
    ]
    pseudo = n * r - (n - 1) * np.array(left_out)
    assert_allclose(values, pseudo, atol=0.05)
    assert_allclose(values.std(), pseudo.std(), rtol=0.01)


@pytest.mark.parametrize(("bend", "is_kept"), [(1, True), (9, False)])
def test_a_fit_of_scores_gains_in_their_values_and_in_their_order(bend, is_kept):
    pairs = np.array([[f"a{i}", f"b{i}"] for i in range(60)])
    y = np.linspace(0, 1, 60)

    def embed(cosine):
        of = {f"b{i}": [c, np.sqrt(1 - c * c)] for i, c in enumerate(cosine.clip(0, 1))}
        return lambda texts: np.array([of.get(text, [1, 0]) for text in texts], "f4")

    start, trained = embed(y + 0.1 * RNG.randn(60)), embed(y**bend)
    gain = measure_gain(supervise(pairs, y), start, lambda _: trained, RNG)
    assert (gain.shrinkage < 1) == is_kept


def test_values_that_are_all_equal_have_no_influence():
    assert_array_equal(influence(np.ones(4), np.arange(4)), 0)


def softmax_log(cosines, right, temperature):
    exp = [np.exp(cosine / temperature) for cosine in cosines]
    return np.log(
        sum(e for e, is_right in zip(exp, right, strict=True) if is_right)
    ) - (np.log(sum(exp)))


def test_the_likelihood_of_the_class_by_a_loop():
    y = [*RNG.randint(3, size=40)]
    y[30] = y[31] = 3  # a class that is held out
    examples = supervise(TEXTS[:40], y)
    vectors = unit(RNG.randn(len(examples.distinct), 5))
    train, held_out = np.arange(30), np.arange(30, 40)
    found = class_likelihoods(vectors, examples, train, held_out)
    assert found.shape == (len(_TEMPERATURES), 8)
    of = {text: vectors[i] for i, text in enumerate(examples.distinct)}
    for row, t in zip(found[3:], _TEMPERATURES[3:], strict=True):
        expected = [
            softmax_log(
                [of[TEXTS[i]] @ of[TEXTS[j]] for j in train],
                [y[i] == y[j] for j in train],
                t,
            )
            for i in range(32, 40)
        ]
        assert_allclose(row, expected, rtol=1e-6)


@pytest.mark.parametrize("width", [2, 3])
def test_the_likelihood_of_the_paraphrase_by_a_loop(width):
    rows = [(a, b, TEXTS[-i])[:width] for i, (a, b) in enumerate(PAIRS, 1)]
    examples = supervise(rows)
    vectors = unit(RNG.randn(len(examples.distinct), 5))
    held_out = np.array([0, 5, 1, 38, 39])  # shared texts, and two equal ones
    found = pair_likelihoods(vectors, examples, None, held_out)
    of = {text: vectors[i] for i, text in enumerate(examples.distinct)}
    others = {text for i in held_out for text in rows[i]}
    for row, t in zip(found[3:], _TEMPERATURES[3:], strict=True):
        expected = []
        for i in held_out:
            both = []
            for query, right in (rows[i][:2], rows[i][1::-1]):
                texts = [text for text in others if text != query or text == right]
                cosines = [of[query] @ of[text] for text in texts]
                both.append(softmax_log(cosines, [t == right for t in texts], t))
            expected.append(np.mean(both))
        assert_allclose(row, expected, rtol=1e-6, atol=1e-12)


def test_opposite_texts_at_the_lowest_temperature_have_a_finite_likelihood():
    examples = supervise(TEXTS[:4], [0, 0, 1, 1])
    vectors = np.array([[1, 0], [-1, 0], [1, 0], [1, 0]], dtype=np.float32)
    found = class_likelihoods(vectors, examples, np.array([1, 2, 3]), np.array([0]))
    assert_allclose(found[0], -200 - np.log(2), rtol=1e-6)


@pytest.mark.parametrize("y", [None, np.arange(40) % 4], ids=["pairs", "labels"])
def test_closer_cosines_alone_gain_nothing(y):
    """All cosines become c + (1 - c) cosine, so the best temperature is one lower."""
    texts = [f"w{i}" for i in range(40)]
    X = texts if y is not None else [(text, f"other {text}") for text in texts]
    examples, rng = supervise(X, y), np.random.RandomState(0)
    same = np.arange(40) if y is None else y
    centers = rng.randn(40, 6)
    of = {text: i for i, row in enumerate(np.reshape(X, (40, -1))) for text in row}
    table = {text: unit(centers[same[i]] + rng.randn(6)) for text, i in of.items()}

    def start(texts):
        return np.array([table[text] for text in texts])

    step = _TEMPERATURES[0] / _TEMPERATURES[1]

    def closer(texts):
        vectors = np.sqrt(step) * start(texts)
        return np.column_stack([vectors, np.full(len(texts), np.sqrt(1 - step))])

    def padded(texts):  # as wide as those
        return np.column_stack([start(texts), np.zeros(len(texts))])

    def to_center(texts):
        centered = [unit(table[t] + 3 * unit(centers[same[of[t]]])) for t in texts]
        return np.column_stack([centered, np.zeros(len(texts))])

    gain = measure_gain(examples, padded, lambda part: closer, rng)
    assert abs(gain.mean) < 1e-6 and gain.error < 1e-6
    better = measure_gain(examples, padded, lambda part: to_center, rng)
    assert better.mean > 5 * better.error > 0


@pytest.mark.parametrize("n_classes", [2, 7])
def test_folds_of_labels_have_the_classes(n_classes):
    y = np.arange(70) % n_classes
    texts = [f"w{i}" for i in range(70)]
    parts = [*folds(supervise(texts, y), np.random.RandomState(0))]
    assert len(parts) == 5
    assert sorted(np.concatenate([held_out for _, held_out in parts])) == [*range(70)]
    for train, held_out in parts:
        assert sorted([*train, *held_out]) == [*range(70)]
        assert np.ptp(np.bincount(y[held_out])) <= 1


@pytest.mark.parametrize("kind", ["pairs", "scores", "labels"])
def test_folds_keep_shared_texts_and_groups_together(kind):
    groups = np.arange(39) // 3
    X, y = PAIRS[:39], None
    if kind == "labels":
        X, y = TEXTS[:39], np.arange(39) % 2
    elif kind == "scores":
        y = np.linspace(0, 5, 39)
    examples = supervise(X, y, groups=groups)
    for train, held_out in folds(examples, np.random.RandomState(0)):
        assert not {*groups[train]} & {*groups[held_out]}
        texts, others = (
            {text for i in rows for text in np.atleast_1d(X[i])}
            for rows in (train, held_out)
        )
        assert not texts & others


def test_examples_that_are_all_connected_keep_the_start():
    chain = [(TEXTS[i], TEXTS[i + 1]) for i in range(20)]
    assert not [*folds(supervise(chain), np.random.RandomState(0))]
    encoder = make_encoder(shrinkage="auto")
    with pytest.warns(ConvergenceWarning, match="keeps the vectors that it started"):
        encoder.fit(chain)
    assert encoder.shrinkage_ == 1 and encoder.vectors_ is VECTORS


# In a fit

DATA = {
    "pairs": (PAIRS, None),
    "triplets": ([(*pair, TEXTS[i]) for i, pair in enumerate(PAIRS)], None),
    "marks": (PAIRS, np.arange(40) % 3 > 0),
    "scores": (PAIRS, np.arange(40) % 7),
    "labels": (TEXTS[:40], np.arange(40) % 2),
}


@pytest.mark.parametrize("kind", DATA)
def test_a_fixed_one_is_the_interpolation(kind):
    X, y = DATA[kind]
    trained = make_encoder().fit(X, y)
    assert trained.shrinkage_ == 0
    start, end = VECTORS.rows(), trained.vectors_.rows()
    assert np.abs(start - end).max() > 1e-3
    shrunken = make_encoder(shrinkage=0.3).fit(X, y)
    assert shrunken.shrinkage_ == 0.3
    assert_allclose(
        shrunken.vectors_.rows(), 0.3 * start + 0.7 * end, rtol=1e-5, atol=1e-6
    )
    assert shrunken.loss_curve_ == trained.loss_curve_
    assert make_encoder(shrinkage=1).fit(X, y).vectors_ is VECTORS


def test_one_stores_the_table_of_the_start_without_new_words():
    pairs = [("zyxxy plumbus", "wibblefrotz"), *load_paraphrases().data[:10]]
    given = {"max_epochs": 1, "random_state": 0}
    half, start = (ParaphraseEncoder(**given, shrinkage=s).fit(pairs) for s in (0.5, 1))
    table = load_pretrained().vectors
    assert "wibblefrotz" in half.added_words_
    assert start.added_words_ == [] and start.vectors_ is table
    found = half.vectors_["wibblefrotz"] - table["wibblefrotz"]
    whole = ParaphraseEncoder(**given, shrinkage=0).fit(pairs)
    expected = whole.vectors_["wibblefrotz"] - table["wibblefrotz"]
    assert np.abs(expected).max() > 1e-4
    assert_allclose(found, expected / 2, atol=1e-6)


@pytest.mark.parametrize("kind", DATA)
def test_what_is_chosen_is_what_the_gains_say(kind, monkeypatch):
    gains, measure = [], base.measure_gain

    def spy(*args):
        gains.append(measure(*args))
        return gains[-1]

    monkeypatch.setattr(base, "measure_gain", spy)
    X, y = DATA[kind]
    encoder = make_encoder(shrinkage="auto").fit(X, y)
    (gain,) = gains
    assert gain.error > 0 and encoder.shrinkage_ == gain.shrinkage
    same = make_encoder(shrinkage=gain.shrinkage).fit(X, y)
    assert_array_equal(same.vectors_.rows(), encoder.vectors_.rows())
    assert same.loss_curve_ == encoder.loss_curve_


def test_the_gain_of_scores_by_public_fits(monkeypatch):
    """Fold by fold, with encoders fitted on the rest."""
    gains, measure = [], base.measure_gain
    monkeypatch.setattr(
        base, "measure_gain", lambda *args: gains.append(measure(*args)) or gains[-1]
    )
    X, y = np.array(PAIRS[:38], dtype=object), RNG.permutation(38)
    make_encoder(shrinkage="auto").fit(X, y)
    state = np.random.RandomState(
        np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    )
    rows, sides = [], ([], [])
    for train, held_out in folds(supervise(X, y), state):
        rows.extend(held_out)
        for max_epochs, values in zip((0, 3), sides, strict=True):
            encoder = make_encoder(max_epochs=max_epochs).fit(X[train], y[train])
            first, second = encoder.transform(X[held_out]).swapaxes(0, 1)
            values.extend((first * second).sum(axis=1))
    before, after = (influence(np.array(values), y[rows]) for values in sides)
    difference = after - before
    assert_allclose(gains[0].mean, difference.mean(), rtol=1e-3)
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    assert_allclose(gains[0].error, error, rtol=1e-3)


def test_a_lesson_that_is_learnt_is_kept_and_random_labels_are_not():
    start = load_pretrained().vectors.rows()

    def moved(y, **params):
        encoder = ParaphraseEncoder(random_state=0, **params).fit(QUESTIONS, y)
        rows = encoder.vectors_.rows()[: len(start)]
        return encoder, np.linalg.norm(rows - start)

    learnt, distance = moved(TOPICS)
    assert 0 < learnt.shrinkage_ < 0.1
    assert distance > 0.9 * moved(TOPICS, shrinkage=0)[1]
    for seed in range(2):
        random = np.random.RandomState(seed).permutation(TOPICS)
        assert moved(random)[1] < 0.4 * moved(random, shrinkage=0)[1]


@pytest.mark.parametrize(
    ("params", "more"),
    [
        ({"validation_fraction": 0.2}, {}),
        ({}, {"X_val": PAIRS[:6], "y_val": np.arange(6)}),
        ({"warm_start": True}, {}),
        ({"max_epochs": 0}, {}),
    ],
)
def test_it_is_zero_where_the_start_is_compared_or_nothing_is_mixed(params, more):
    y = np.arange(40) % 7
    encoder = make_encoder(shrinkage="auto", **params).fit(PAIRS, y, **more)
    assert encoder.shrinkage_ == 0
    plain = make_encoder(**params).fit(PAIRS, y, **more)
    assert_array_equal(encoder.vectors_.rows(), plain.vectors_.rows())


def test_it_is_zero_in_partial_fit_and_with_a_teacher():
    assert make_encoder(shrinkage="auto").partial_fit(PAIRS).shrinkage_ == 0
    teacher = RNG.randn(200, 8)
    assert make_encoder(shrinkage="auto").fit(TEXTS, teacher).shrinkage_ == 0


def test_it_is_zero_from_a_thousand_examples_on():
    X = np.array(load_paraphrases().data, dtype=object)
    encoder = ParaphraseEncoder(max_epochs=1, random_state=0)
    assert N_ENOUGH == 1000
    assert encoder.fit(X[:N_ENOUGH]).shrinkage_ == 0
    weights = np.ones(N_ENOUGH)
    weights[:2] = 0  # left out
    assert encoder.fit(X[:N_ENOUGH], sample_weight=weights).shrinkage_ > 0


def test_other_encoders_have_no_such_parameter():
    assert "shrinkage" not in LSTMEncoder().get_params()
    assert not hasattr(LSTMEncoder(VECTORS, max_epochs=1).fit(PAIRS), "shrinkage_")


@pytest.mark.parametrize("shrinkage", ["none", -0.1, 1.1, None])
def test_what_it_may_be(shrinkage):
    with pytest.raises(ValueError, match="'shrinkage' parameter"):
        make_encoder(shrinkage=shrinkage).fit(PAIRS)


def test_weights_count_in_training_only():
    weights, encoder = np.full(100, 0.5), ParaphraseEncoder(random_state=0)
    plain = clone(encoder).fit(CAPTIONS, SCORES).shrinkage_
    even = clone(encoder).fit(CAPTIONS, SCORES, sample_weight=weights)
    assert even.shrinkage_ == plain
    weights[::2] = 9
    other = clone(encoder).fit(CAPTIONS, SCORES, sample_weight=weights)
    assert 0 < other.shrinkage_ != plain


def test_seeds_copies_and_files(tmp_path):
    for seed in (np.random.RandomState(1), 0):
        first, second = (
            ParaphraseEncoder(random_state=deepcopy(seed)).fit(CAPTIONS, SCORES)
            for _ in range(2)
        )
        assert 0 < first.shrinkage_ == second.shrinkage_ < 1
        assert_array_equal(first.vectors_.rows(), second.vectors_.rows())
    assert clone(first).shrinkage == "auto"
    assert ParaphraseEncoder(shrinkage=0.25).get_params()["shrinkage"] == 0.25
    first.save(tmp_path / "encoder")
    for copy in (
        pickle.loads(pickle.dumps(first)),
        skparaphrase.load(tmp_path / "encoder"),
    ):
        assert copy.shrinkage_ == first.shrinkage_ and copy.shrinkage == "auto"
        assert_array_equal(copy.transform(CAPTIONS), first.transform(CAPTIONS))


@pytest.mark.parametrize("setting", ["ppdb-xxl", "ppdb-xl", "words"])
def test_the_settings_of_the_paper_have_none(setting):
    assert ParaphraseEncoder.paper(setting).shrinkage == 0


def test_verbose_says_what_training_gains(capsys):
    encoder = make_encoder(shrinkage="auto", verbose=True)
    encoder.fit(PAIRS, np.arange(40) % 7)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4  # three epochs: those of the folds are quiet
    assert lines[-1].startswith(
        f"[ParaphraseEncoder] shrinkage {encoder.shrinkage_:.2f}: on unseen examples, "
        "training gains "
    )
    assert lines[-1].endswith("(correlation with y and with its ranks, 5 folds)")
    make_encoder(verbose=True).fit(PAIRS)
    assert "gain not measured" in capsys.readouterr().out
