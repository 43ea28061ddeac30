"""Labels of texts and pairs: their types, weights and validation."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.utils import compute_sample_weight

from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.supervised import PairClassifier, TextClassifier

SMALL = {
    "hidden_dim": 4, "max_epochs": 2, "batch_size": 8, "device": "cpu",
    "random_state": 0,
}  # fmt: skip
each = pytest.mark.parametrize("Model", [PairClassifier, TextClassifier])
LABELS = {
    "str": np.array(["b", "a", "c"]),
    "bool": np.array([True, False]),
    "int": np.array([7, -1, 3]),
    "float": np.array([2.0, 1.0]),
    "object": np.array(["no", "yes"], dtype=object),
}


@pytest.fixture
def model(vectors):
    return TextClassifier(ParaphraseEncoder(vectors), **SMALL)


@pytest.mark.parametrize("names", LABELS.values(), ids=LABELS)
@each
def test_labels_of_any_type(Model, names, examples, vectors):
    X, _ = examples[Model]
    codes = np.arange(30) % len(names)
    model = Model(ParaphraseEncoder(vectors), **SMALL).fit(X, names[codes])
    assert_array_equal(model.classes_, np.sort(names))
    assert model.classes_.dtype == names.dtype
    predicted = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert_array_equal(model.predict(X), predicted)
    assert model.predict(X).dtype == names.dtype
    assert model.score(X, names[codes]) == accuracy_score(names[codes], predicted)
    # Numbers in the same order result in the same model.
    numbered = clone(model).fit(X, np.searchsorted(np.sort(names), names[codes]))
    assert_array_equal(model.predict_proba(X), numbered.predict_proba(X))


def test_one_text_a_label(model):
    """Without a warning that `y` could be a regression problem; warnings are errors."""
    texts = ["w1", "w2", "w3"]
    labels = ["card", "cancel", "time"]
    model.set_params(hidden_dim=None)
    for y in (labels, np.array(labels), pd.Series(labels)):
        assert model.fit(texts, y).score(texts, y) == 1
    with pytest.raises(ValueError, match="drop labels of one example, or pass X_val"):
        model.set_params(validation_fraction=0.5).fit(texts, labels)


def test_classes_are_learnt(model, sentences, labels):
    model.set_params(hidden_dim=None, max_epochs=150, learning_rate=0.3)
    model.fit(sentences, labels)
    assert model.score(sentences, labels) == 1
    assert model.loss_curve_[-1] < 0.1 < model.loss_curve_[0]


def test_class_weights_are_sample_weights(model, sentences, labels, assert_same_bits):
    own = np.random.RandomState(0).uniform(0.5, 2, 30)
    for class_weight in ("balanced", {"few": 3.0, "many": 0.5}):
        weighted = clone(model).set_params(class_weight=class_weight)
        by_class = compute_sample_weight(class_weight, labels)
        for weights in (np.ones(30), own):
            assert_same_bits(
                clone(weighted).fit(sentences, labels, weights),
                clone(model).fit(sentences, labels, weights * by_class),
            )


def test_validation(model, sentences, labels, splits):
    weights = np.arange(10) + 1.0
    val = {"X_val": sentences[20:], "y_val": labels[20:]}
    model.fit(sentences[:20], labels[:20], **val, sample_weight_val=weights)
    expected = weights[model.predict(val["X_val"]) == val["y_val"]].sum() / 55
    assert_allclose(model.validation_scores_[model.best_epoch_], expected)
    assert expected >= max(model.validation_scores_) - 1e-9
    # Labels are split off in about their proportions; equal texts stay together.
    model.set_params(validation_fraction=0.3, max_epochs=0)
    for seed in range(6):
        model.set_params(random_state=seed).fit(sentences, labels)
        n_few = (splits[-1][1].targets == "few").sum()
        assert abs(n_few - 9 * np.mean(labels == "few")) < 2


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"y": [True] * 30}, "greater than one; got 1 "),
        ({"y": np.arange(30) / 7}, "continuous"),
        ({"y": [np.inf, 1] * 15}, "infinity"),
        ({"y": [np.nan, 1] * 15}, "NaN"),
        ({"y": ["few", None] * 15}, r"y\[1\] is None: drop examples without a label"),
        ({"X_val": ["w1", "w2"], "y_val": [1, 2]}, "none of which occurs in y"),
        ({"X_val": [("w1", "w1")], "y_val": ["few"]}, "PairClassifier for pairs"),
        ({"class_weight": "even"}, "class_weight"),
        ({"class_weight": {"none": 2}}, "not in class_weight"),
        ({"class_weight": {"few": 0, "many": 0}}, "class_weight must be finite"),
        ({"class_weight": {"few": -1, "many": 1}}, "class_weight must be finite"),
        ({"validation_fraction": 0.01}, "0.01 cannot be held out: .*Hold out"),
    ],
    ids=str,
)
def test_bad_labels(change, match, model, sentences, labels):
    given = {"X": sentences, "y": labels, **change}
    params = {name: given.pop(name) for name in change if hasattr(model, name)}
    with pytest.raises(ValueError, match=match):
        model.set_params(**params).fit(**given)
    assert not hasattr(model, "loss_curve_")


def test_texts_and_pairs(model, sentences, pairs, labels, vectors):
    with pytest.raises(ValueError, match=r"pairs.*PairClassifier"):
        model.fit(pairs, labels)
    classifier = PairClassifier(ParaphraseEncoder(vectors), **SMALL)
    with pytest.raises(ValueError, match="pairs"):
        classifier.fit(sentences, labels)


def test_new_labels_on_a_warm_start(model, sentences, labels):
    model.set_params(warm_start=True).fit(sentences, labels)
    with pytest.raises(ValueError, match=r"\['none'\].*\['few', 'many'\]"):
        model.fit(sentences, ["none", *labels[1:]])
    model.fit(sentences[:5], labels[:5])  # some of them may be missing
    assert model.classes_.tolist() == ["few", "many"]
