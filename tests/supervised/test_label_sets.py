"""Several labels per text, against slow equations and scikit-learn."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer, normalize
from sklearn.utils import compute_sample_weight

import skparaphrase
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder
from skparaphrase.supervised import PairClassifier, TextClassifier
from skparaphrase.supervised._heads import _LABEL_PENALTY

SMALL = {"batch_size": 8, "max_epochs": 2, "device": "cpu", "random_state": 0}


@pytest.fixture
def model(vectors):
    return TextClassifier(ParaphraseEncoder(vectors), **SMALL)


@pytest.fixture
def Y(sentences):
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, size=(len(sentences), 3))


def test_as_a_person_would_type_it():
    texts = ["Refund my ticket.", "My ticket is wet.", "The train was late."] * 4
    labels = [["refund", "ticket"], ["ticket"], ["delay"]] * 4
    binarizer = MultiLabelBinarizer()
    Y = binarizer.fit_transform(labels)
    model = TextClassifier(random_state=0).fit(texts, Y)
    assert_array_equal(model.predict(texts), Y)
    new = model.predict(["Please refund the ticket!"])
    assert binarizer.inverse_transform(new) == [("refund", "ticket")]
    assert model.predict_proba(texts[:2]).shape == (2, 3)
    assert model.score(texts, Y) == 1
    assert model.multilabel_ and model.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_labels_are_named_by_the_columns_of_a_frame(
    make, model, sentences, Y, tmp_path
):
    names = ["refund", "delay", "luggage"]
    frame = make(dict(zip(names, Y.T, strict=True)))
    expected = clone(model).fit(sentences, Y)
    model.set_params(warm_start=True).fit(sentences, frame)
    assert model.classes_.tolist() == names
    found = model.predict_proba(sentences)
    assert_array_equal(found, expected.predict_proba(sentences))
    assert_array_equal(model.predict(sentences), expected.predict(sentences))
    model.save(tmp_path / "model")
    assert skparaphrase.load(tmp_path / "model").classes_.tolist() == names
    assert model.fit(sentences, Y).classes_.tolist() == names  # resumes
    mixed = pd.DataFrame(Y, columns=["refund", 1, 2])
    assert clone(model).fit(sentences, mixed).classes_.tolist() == [0, 1, 2]


def test_probabilities_and_predictions(model, sentences, Y):
    model.fit(sentences, Y)
    vectors = normalize(model.encoder_.transform(sentences).astype(float)) * 2
    logits = vectors @ model.head_["output.weight"] + model.head_["output.bias"]
    assert_allclose(model.predict_proba(sentences), expit(logits), atol=1e-6)
    predicted = model.predict(sentences)
    assert_array_equal(predicted, (logits > 0).astype(int))
    assert predicted.dtype.kind == "i"
    assert model.score(sentences, Y) == accuracy_score(Y, predicted)  # of whole sets
    assert model.predict([]).shape == model.predict_proba([]).shape == (0, 3)


def test_the_start_is_one_logistic_regression_a_label(vectors, sentences, Y):
    encoder = AverageEncoder(vectors)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(sentences))
    features = normalize(encoder.transform(sentences).astype(float)) * 2
    reference = LogisticRegression(C=1 / _LABEL_PENALTY, max_iter=10_000, tol=1e-8)
    for class_weight in (None, "balanced", {0: 1.0, 1: 3.0}):
        model = TextClassifier(
            encoder, freeze="encoder", class_weight=class_weight, max_epochs=0
        ).fit(sentences, Y, sample_weight=weights)
        found = model.predict_proba(sentences)
        total = [compute_sample_weight(class_weight, y) * weights for y in Y.T]
        for label, weight in enumerate(total):
            weight = weight / np.mean(total)
            each = clone(reference).fit(features, Y[:, label], weight)
            expected = each.predict_proba(features)[:, 1]
            assert_allclose(found[:, label], expected, atol=0.01)
        assert np.ptp(found) > 0.3


def test_the_loss_is_the_mean_of_binary_cross_entropies(vectors, sentences, Y):
    """The loss of an epoch that changes nothing equals the loss of its start."""
    weights = np.random.default_rng(1).uniform(0.5, 2, len(sentences))
    balanced = np.column_stack([compute_sample_weight("balanced", y) for y in Y.T])
    for class_weight, by_label in ((None, 1.0), ("balanced", balanced)):
        model = TextClassifier(
            AverageEncoder(vectors), freeze="encoder", max_epochs=1,
            learning_rate=1e-12, class_weight=class_weight, device="cpu",
        ).fit(sentences, Y, weights)  # fmt: skip
        p = model.predict_proba(sentences)
        losses = -np.where(Y, np.log(p), np.log(1 - p))
        total = weights[:, np.newaxis] * by_label * np.ones_like(p)
        expected = (losses * total).sum() / total.sum()
        assert model.loss_curve_[0] == pytest.approx(expected, rel=1e-3)


def test_labels_are_learnt(model, sentences):
    lengths = np.array([len(text.split()) for text in sentences])
    Y = np.column_stack([lengths == 1, lengths > 2])
    model.set_params(max_epochs=100, learning_rate=0.05).fit(sentences, Y)
    assert model.score(sentences, Y) > 0.9
    assert model.loss_curve_[-1] < 0.2 < model.loss_curve_[0]


@pytest.mark.parametrize(
    "container",
    [
        sparse.csr_array, sparse.csr_matrix, sparse.coo_array, pd.DataFrame, list,
        np.ndarray.tolist, lambda y: y > 0, lambda y: y.astype(float),
    ],
    ids=["csr", "matrix", "coo", "frame", "rows", "lists", "bool", "float"],
)  # fmt: skip
def test_any_indicator(container, model, sentences, Y):
    expected = clone(model).fit(sentences, Y).predict_proba(sentences)
    model.fit(sentences, container(Y), X_val=sentences[:9], y_val=container(Y[:9]))
    assert len(model.validation_scores_) == 3
    model.set_params(validation_fraction=None).fit(sentences, container(Y))
    assert_array_equal(model.predict_proba(sentences), expected)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([["a", "b"], ["a"], []] * 10, r"MultiLabelBinarizer\(\)\.fit_transform"),
        ([{"a", "b"}, {"a"}, set()] * 10, "MultiLabelBinarizer"),
        ([["a", "b"], ["a", "c"]] * 15, r"y\[0, 0\] is 'a'.*MultiLabelBinarizer"),
        ([[0, 1], [2, 0]] * 15, r"only 0 and 1 .*; y\[1, 0\] is 2"),
        ([[0.0, np.nan], [1, 0]] * 15, r"y\[0, 1\] is nan"),
        (np.zeros((30, 2, 2)), r"got shape \(30, 2, 2\)"),
    ],
    ids=["lists", "sets", "names", "numbers", "nan", "3-D"],
)
def test_other_targets_are_refused(y, message, model, sentences):
    with pytest.raises(ValueError, match=message):
        model.fit(sentences, y)


def test_labels_that_all_or_no_texts_have(model, sentences, Y):
    """Also where every output could be constant; warnings are errors."""
    Y = np.column_stack([Y[:, 0], np.ones(30, int), np.zeros(30, int)])
    for class_weight in (None, "balanced"):
        model.set_params(class_weight=class_weight).fit(sentences, Y)
        probabilities = model.predict_proba(sentences)
        assert probabilities[:, 1].min() > 0.99 and probabilities[:, 2].max() < 0.01
        assert np.isfinite(model.loss_curve_).all()


def test_pairs_have_one_label(vectors, pairs, Y):
    with pytest.raises(ValueError, match="1d array"):
        PairClassifier(ParaphraseEncoder(vectors), **SMALL).fit(pairs, Y)


def test_a_warm_start_keeps_to_its_labels(model, sentences, labels, Y):
    model.set_params(warm_start=True).fit(sentences, Y)
    assert model.fit(sentences, Y).n_epochs_ == 4
    with pytest.raises(ValueError, match="2 labels, but training started with 3"):
        model.fit(sentences, Y[:, :2])
    with pytest.raises(ValueError, match="indicator matrix of labels"):
        model.fit(sentences, labels)
    model.set_params(warm_start=False).fit(sentences, labels)
    assert not model.multilabel_
    assert model.predict(sentences).shape == (30,)
    with pytest.raises(ValueError, match="1d array"):
        model.set_params(warm_start=True).fit(sentences, Y)


def test_a_fit_is_saved(model, sentences, Y, tmp_path):
    model.fit(sentences, Y).save(tmp_path / "model")
    pickled = pickle.loads(pickle.dumps(model))
    for again in (skparaphrase.load(tmp_path / "model"), pickled):
        for method in ("predict", "predict_proba"):
            expected = getattr(model, method)(sentences)
            assert_array_equal(getattr(again, method)(sentences), expected)


def test_a_random_share_is_held_out(model, sentences, Y):
    model.set_params(validation_fraction=0.25).fit(sentences, Y)
    assert len(model.validation_scores_) == 3


def test_in_cross_validation(model, sentences, Y):
    scores = cross_val_score(model, sentences, Y, cv=3, scoring="f1_micro")
    assert np.isfinite(scores).all()
    found = cross_val_predict(model, sentences, Y, cv=2, method="predict_proba")
    first = clone(model).fit(sentences[15:], Y[15:]).predict_proba(sentences[:15])
    assert_array_equal(found[:15], first)


def test_better_than_one_vs_rest_at_the_defaults():
    """Two of five topics in a text; `benchmarks/` has more."""
    faq = skparaphrase.datasets.load_faq()
    topics = np.unique(faq.topics)[:5]
    rng = np.random.RandomState(0)
    by_topic = [np.flatnonzero(faq.topics == topic) for topic in topics]
    texts, Y = [], np.zeros((200, 5), int)
    for row in Y:
        row[chosen := rng.choice(5, 2, replace=False)] = 1
        texts.append(" ".join(faq.data[rng.choice(by_topic[t])] for t in chosen))
    encoder = skparaphrase.load_pretrained()
    baseline = OneVsRestClassifier(LogisticRegression()).fit(
        encoder.transform(texts[:100]), Y[:100]
    )
    model = TextClassifier(random_state=0).fit(texts[:100], Y[:100])
    scores = model.score(texts[100:], Y[100:])
    assert scores > baseline.score(encoder.transform(texts[100:]), Y[100:])
