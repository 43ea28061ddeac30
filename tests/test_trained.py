"""Validation of every trained model: held-out examples and scores."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib.util import find_spec

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import GroupKFold, cross_val_score

from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.supervised import (
    PairClassifier,
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
    SequenceTagger,
    SimilarityRegressor,
    TextClassifier,
)
from skparaphrase.vectors import WordVectors

pytestmark = pytest.mark.usefixtures("narrow")
N = 90
RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(60)]
VECTORS = WordVectors(WORDS, RNG.randn(60, 8).astype(np.float32))
SENTENCES = [" ".join(RNG.choice(WORDS, 5)) for _ in range(2 * N)]
PAIRS = list(zip(SENTENCES[:N], SENTENCES[N:], strict=True))
TOKENS = [text.split() for text in SENTENCES[:N]]
MARKS = RNG.randint(2, size=N)
SCORES = RNG.uniform(0, 4, N)
TAGS = [[*RNG.choice(["D", "N"], 5)] for _ in range(N)]
QUESTIONS = [(SENTENCES[i // 6], answer) for i, (answer, _) in enumerate(PAIRS)]


def encoder(**params):
    settings = {"shrinkage": 0, "device": "cpu", "random_state": 0}
    return ParaphraseEncoder(VECTORS, **{**settings, **params})


def on_encoder(Model):
    return lambda **params: Model(encoder(), device="cpu", random_state=0, **params)


def on_vectors(Model):
    return lambda **params: Model(
        VECTORS, hidden_dim=4, device="cpu", random_state=0, **params
    )


MODELS = {  # with examples, and the score of chance
    "pairs": (encoder, PAIRS, None, None),
    "graded pairs": (encoder, PAIRS, SCORES, 0),
    "labels": (encoder, SENTENCES[:N], MARKS, 0.5),
    "SimilarityRegressor": (on_encoder(SimilarityRegressor), PAIRS, SCORES, 0),
    "PairClassifier": (on_encoder(PairClassifier), PAIRS, MARKS, 0.5),
    "TextClassifier": (on_encoder(TextClassifier), SENTENCES[:N], MARKS, 0.5),
    "regressor": (on_vectors(PairwiseInteractionRegressor), PAIRS, SCORES, 0),
    "ranker": (on_vectors(PairwiseInteractionRanker), QUESTIONS, MARKS, None),
    "tagger": (
        lambda **params: SequenceTagger(
            encoder(), hidden_dim=4, dense_dim=4, random_state=0, **params
        ),
        TOKENS,
        TAGS,
        0.5,
    ),
}
each_model = pytest.mark.parametrize("name", MODELS)


@each_model
def test_groups_and_equal_texts_stay_together(name, splits):
    make, X, y, _ = MODELS[name]
    groups = np.random.RandomState(1).randint(15, size=N)
    if name == "ranker":  # of questions
        groups = np.arange(N) // 6 % 5
    model = make(max_epochs=0, validation_fraction=0.3)
    model.fit(X, y, groups=[f"g{group}" for group in groups])
    rows = [*map(repr, map(list, X))]
    train, held_out = ({*map(repr, map(list, part.texts))} for part in splits[-1])
    assert not train & held_out and train | held_out == {*rows}
    of = dict(zip(rows, groups, strict=True))
    assert not {*map(of.get, train)} & {*map(of.get, held_out)}
    if name != "ranker":  # which holds out a share of the questions
        assert 0.15 * N <= len(splits[-1][1]) <= 0.3 * N + 1


ERRORS = [  # models, parameters, arguments of `fit` besides X and y, words
    (MODELS, {}, {"groups": [1, 2]}, "groups has 2 values for 90 examples"),
    (MODELS, {}, {"groups": [*range(89), np.nan]}, r"groups\[89\] is nan"),
    (
        MODELS,
        {"validation_fraction": 0.1},
        {"groups": ["one"] * N},
        "groups, questions or shared texts connect",
    ),
    (
        ["pairs"],
        {"validation_fraction": 0.1},
        {"X_val": PAIRS},
        "set it to None to pass X_val",
    ),
    (["pairs"], {}, {"y_val": MARKS}, "must be given together"),
    (
        ["pairs"],
        {},
        {"X_val": SENTENCES[:N], "y_val": MARKS},
        "X_val and y_val hold labelled texts, but X and y hold paraphrases",
    ),
    (
        ["labels", "TextClassifier"],
        {},
        {"X_val": SENTENCES[:4], "y_val": [5, 5, 7, 7]},
        r"\[5, 7\], none of which occurs in y: \[0, 1\]",
    ),
    (
        ["labels"],
        {},
        {"X_val": SENTENCES[:2], "y_val": [0, 1]},
        "X_val and y_val: Labels teach",
    ),
    (
        ["SimilarityRegressor"],
        {},
        {"X_val": PAIRS[:3], "y_val": [2.0, 2.0, 2.0]},
        "All scores in y_val are 2",
    ),
]


@pytest.mark.parametrize(
    ("name", "params", "given", "words"),
    [(name, *case) for names, *case in ERRORS for name in names],
)
def test_what_cannot_be_held_out(name, params, given, words):
    make, X, y, _ = MODELS[name]
    with pytest.raises(ValueError, match=words):
        make(**params).fit(X, y, **given)


@each_model
def test_random_targets_score_as_chance(name, splits):
    """Each text three times: a model that had seen them would recognise them."""
    make, X, y, chance = MODELS[name]
    if chance is None:
        pytest.skip("paraphrases and questions have no random targets")
    max_epochs = 3 if name == "regressor" else 10  # whose epochs take long
    model = make(
        max_epochs=max_epochs, learning_rate=0.05, validation_fraction=0.34
    ).fit([*X, *X, *X], [*y, *y, *y])
    last = model.validation_scores_[-1]
    assert abs(last - chance) < 0.25
    assert len(splits[-1][1]) > 0.5 * 0.34 * 3 * N


@pytest.mark.parametrize("name", ["pairs", "graded pairs", "labels"])
def test_an_encoder_takes_validation_examples(name):
    make, X, y, _ = MODELS[name]
    X, y = np.array(X, object), None if y is None else np.array(y)
    rows, held = np.arange(N) < 60, np.arange(N) >= 60
    of = (lambda part: None) if y is None else y.__getitem__
    model = make(max_epochs=4, patience=1).fit(
        X[rows], of(rows), X_val=X[held], y_val=of(held)
    )
    assert len(model.validation_scores_) == model.n_epochs_ + 1
    # Nothing is held out: it is trained on all examples.
    plain = make(max_epochs=model.best_epoch_).fit(X[rows], of(rows))
    assert_array_equal(model.transform(X[held]), plain.transform(X[held]))


def test_groups_of_a_splitter_are_not_asked_for():
    """With or without metadata routing, like any estimator of scikit-learn."""
    from sklearn import config_context

    model, groups = MODELS["PairClassifier"][0](max_epochs=0), np.arange(N) // 3
    with config_context(enable_metadata_routing=True):
        scores = cross_val_score(
            model, PAIRS, MARKS, cv=GroupKFold(3), params={"groups": groups}
        )
    assert len(scores) == 3


def test_validation_examples_with_some_of_the_labels():
    """They are the labels of `y`, not the first ones."""
    texts, labels = SENTENCES[:30], np.repeat([*"abc"], 10)
    few = labels != "a"
    model = encoder(max_epochs=1)
    model.fit(texts, labels, X_val=np.array(texts, object)[few], y_val=labels[few])
    assert model.validation_scores_ == [1, 1]  # the texts are those trained on


def test_large_groups_are_held_out_whole(splits):
    model = encoder(max_epochs=0, validation_fraction=0.1)
    model.fit(PAIRS, groups=np.arange(N) % 2)
    sizes = sorted(len(part) for part in splits[-1])
    assert sizes == [45, 45]
    model.fit(PAIRS, groups=np.array([*range(45), *map(str, range(45))], object))


def test_columns_of_validation_labels_have_the_order_of_those_learnt():
    import pandas as pd

    y = pd.DataFrame(np.eye(3, dtype=int)[np.arange(30) % 3], columns=[*"abc"])
    model = MODELS["TextClassifier"][0](max_epochs=1)
    model.fit(SENTENCES[:30], y, X_val=SENTENCES[:30], y_val=y)
    with pytest.raises(ValueError, match=r"y_val has the columns \['c', 'b', 'a'\]"):
        model.fit(SENTENCES[:30], y, X_val=SENTENCES[:30], y_val=y[[*"cba"]])
    model.set_params(warm_start=True)
    with pytest.raises(ValueError, match="select them in this order"):
        model.fit(SENTENCES[:30], y[[*"cab"]])


def test_a_tagger_resumes_without_the_tags_that_are_held_out():
    tags = [[f"T{i}", "D"] for i in range(10)]
    model = MODELS["tagger"][0](max_epochs=1, validation_fraction=0.3, warm_start=True)
    sentences = [[f"w{i}", "w1"] for i in range(10)]
    model.fit(sentences, tags).fit(sentences, tags)
    assert model.n_epochs_ == 2


@pytest.mark.skipif(find_spec("sklearn.callback"), reason="scikit-learn has callbacks")
def test_callbacks_need_a_later_scikit_learn():
    with pytest.raises(ImportError, match=r"need scikit-learn 1\.9 or later; this is"):
        ParaphraseEncoder().set_callbacks()
