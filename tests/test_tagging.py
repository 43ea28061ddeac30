"""The tagger against its equations written out, and as a citizen of scikit-learn."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from itertools import chain

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import skparaphrase
from skparaphrase.callback import EarlyStopping, ScoreMonitor
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
    ParagramEncoder,
)
from skparaphrase.nn import (
    Charagram,
    Sentences,
    Tagger,
    TaggerOptions,
    TaggerTrainer,
    WordTable,
)
from skparaphrase.nn._tagging import tagging_loss
from skparaphrase.tagging import SequenceTagger
from skparaphrase.text import TokenBatch
from skparaphrase.vectors import WordVectors

KINDS = {
    "DET": ["the", "a", "every"],
    "NOUN": ["cat", "cats", "Berlin", "houses", "NATO", "mouse"],
    "VERB": ["sleeps", "walked", "sings", "eats"],
    "ADV": ["slowly", "quickly", "badly"],
}
PATTERNS = ["DET NOUN VERB", "NOUN VERB ADV", "DET NOUN VERB DET NOUN", "VERB", "NOUN"]


def make_sentences(n, seed=0):
    rng = np.random.default_rng(seed)
    y = [rng.choice(PATTERNS).split() for _ in range(n)]
    return [[str(rng.choice(KINDS[tag])) for tag in tags] for tags in y], y


X, Y = make_sentences(36)
SMALL = {
    "hidden_dim": 5,
    "dense_dim": 4,
    "batch_size": 12,
    "max_epochs": 2,
    "device": "cpu",
    "random_state": 0,
}
ENCODERS = {
    "charagram": lambda: CharagramEncoder(dim=6, activation="relu"),
    "2 layers": lambda: CharagramEncoder(dim=6, activation="tanh", n_layers=2),
    "cased": lambda: CharagramEncoder(dim=6, lowercase=False),
    "cnn": lambda: CharCNNEncoder(
        embedding_dim=4, dim=6, filters=[(3, 2), (2, 3)], lowercase=False
    ),
    "lstm": lambda: CharLSTMEncoder(embedding_dim=4, dim=6, lowercase=False),
    "lower-cased lstm": lambda: CharLSTMEncoder(embedding_dim=4, dim=6),
    "words": lambda: ParagramEncoder(word_vectors()),
    "averages": lambda: AverageEncoder(word_vectors()),
}
each_encoder = pytest.mark.parametrize("name", ENCODERS)


def word_vectors():
    words = sorted({word.lower() for word in chain.from_iterable(KINDS.values())})
    matrix = np.random.default_rng(3).normal(size=(len(words), 6))
    return WordVectors(words[1:], matrix[1:].astype(np.float32))


def make_tagger(name="charagram", **params):
    return SequenceTagger(ENCODERS[name](), **{**SMALL, **params})


@pytest.fixture(scope="module")
def fitted():
    return make_tagger().fit(X, Y)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def slow_lstm(rows, p, name):
    p = {key.split(".")[1]: p[key] for key in p if key.startswith(name)}
    h = c = np.zeros(len(p["b_i"]))
    states = []
    for x in rows:
        a = {k: p[f"W_x{k}"] @ x + p[f"W_h{k}"] @ h + p[f"b_{k}"] for k in "ifco"}
        i, f = sigmoid(a["i"] + p["W_ci"] * c), sigmoid(a["f"] + p["W_cf"] * c)
        c = f * c + i * np.tanh(a["c"])
        h = sigmoid(a["o"] + p["W_co"] * c) * np.tanh(c)
        states.append(h)
    return states


def slow_charagram(tagger, word):
    """Of one or two layers; the n-grams one by one."""
    encoder = tagger.word_encoder_
    p = encoder.parameters_
    text = f" {word.lower()} "
    ngrams = {text[i : i + n] for n in (2, 3, 4) for i in range(len(text) - n + 1)}
    known = [encoder.vectors_[ngram] for ngram in ngrams if ngram in encoder.vectors_]
    if word != word.lower():
        known.append(tagger.parameters_["capital"])
    if not known:
        return np.zeros(encoder.dim)
    h = {"relu": lambda a: np.maximum(a, 0), "tanh": np.tanh}[encoder.activation]
    vector = h(sum(known) + p["constant"] + p["bias"])
    if encoder.n_layers == 2:
        vector = h(vector @ p["layers.0.weight"] + p["layers.0.bias"])
    return vector


def slow_proba(tagger, vectors):
    p = tagger.parameters_
    forwards = slow_lstm(vectors, p, "forwards")
    backwards = slow_lstm(vectors[::-1], p, "backwards")[::-1]
    rows = []
    for states in zip(forwards, backwards, strict=True):
        dense = np.tanh(np.concatenate(states) @ p["hidden.weight"] + p["hidden.bias"])
        scores = np.exp(dense @ p["output.weight"] + p["output.bias"])
        rows.append(scores / scores.sum())
    return rows


@pytest.mark.parametrize("name", ["charagram", "2 layers"])
def test_charagram_tagger_is_its_equations(name):
    tagger = make_tagger(name, max_epochs=4, learning_rate=0.5).fit(X, Y)
    tagger.word_encoder_.parameters_["bias"] += 0.1
    new = [["The", "unseen", "zzqq", "ZZQQ"], ["cat"], ["A", "Katze", "eats", "the"]]
    for sentence, found in zip(new, tagger.predict_proba(new), strict=True):
        vectors = [slow_charagram(tagger, word) for word in sentence]
        assert_allclose(found, slow_proba(tagger, vectors), atol=1e-5)


@pytest.mark.parametrize(
    "name", ["cased", "cnn", "lstm", "lower-cased lstm", "words", "averages"]
)
def test_other_taggers_read_the_vectors_of_their_encoder(name):
    tagger = make_tagger(name).fit(X, Y)
    sentence = ["The", "unseen", "cat", "eats", "Berlin"]
    vectors = tagger.word_encoder_.transform(sentence).astype(float)
    if name in ("lower-cased lstm", "words", "averages"):
        vectors = np.column_stack([vectors, [1, 0, 0, 0, 1]])
    (found,) = tagger.predict_proba([sentence])
    assert_allclose(found, slow_proba(tagger, vectors), atol=1e-5)


@each_encoder
def test_a_sentence_does_not_see_the_others(name):
    tagger = make_tagger(name).fit(X, Y)
    together = tagger.predict_proba(X[:20])
    for sentence, found in zip(X[:20], together, strict=True):
        assert_allclose(tagger.predict_proba([sentence])[0], found, atol=1e-6)


def test_many_sentences_are_tagged_in_blocks(monkeypatch, fitted):
    whole = np.concatenate(fitted.predict_proba(X))
    monkeypatch.setattr("skparaphrase.nn._tagging._TOKENS", 9)
    assert_allclose(np.concatenate(fitted.predict_proba(X)), whole, atol=1e-6)


@each_encoder
def test_learns(name):
    tagger = make_tagger(
        name, hidden_dim=10, optimizer="adam", learning_rate=0.05, max_epochs=30
    )
    tagger.fit(X, Y)
    assert tagger.loss_curve_[-1] < tagger.loss_curve_[0] / 3
    test_X, test_Y = make_sentences(30, seed=1)
    assert tagger.score(test_X, test_Y) > 0.8


# ---------------------------------------------------------------- loss and gradients


def test_loss_by_hand():
    probabilities = np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]])
    loss = tagging_loss(torch.from_numpy(np.log(probabilities)), torch.tensor([0, 1]))
    one = 1.0001 * np.log(0.5) + 2e-4 * np.log(0.25)
    other = 1.0001 * np.log(0.1) + 1e-4 * (np.log(0.1) + np.log(0.8))
    assert_allclose(loss, -(one + other) / 2)


WORDS = TokenBatch(np.array([0, 1, 2, 1, 3, 4], np.int32), np.array([0, 2, 2, 4, 6]))
CAPITALS = np.array([1, 0, 0, 1], dtype=np.float32)
SENTENCES = TokenBatch(np.array([0, 1, 2, 0, 3, 3], np.int32), np.array([0, 4, 5, 6]))
BATCH = Sentences(WORDS, CAPITALS, SENTENCES)
TAGS = np.array([0, 1, 2, 0, 1, 1])


def make_trainer(capitals="ngram", *, sparse=True, frozen=False, **options):
    """On a table of six rows, the last of which no word has."""
    tagger = Tagger(
        Charagram(5, 4, activation="tanh", n_layers=2),
        hidden_dim=3,
        dense_dim=4,
        n_tags=3,
        capitals=capitals,
    )
    random_state = np.random.RandomState(0)
    with torch.no_grad():
        for parameter in tagger.parameters():
            drawn = 0.4 * random_state.randn(*parameter.shape)
            parameter.copy_(torch.from_numpy(drawn))
    matrix = random_state.randn(6, 4).astype(np.float32)
    table = WordTable(
        matrix, initial=None, sparse=sparse, frozen=frozen, device=torch.device("cpu")
    )
    settings = {
        "optimizer": "sgd",
        "learning_rate": 1.0,
        "momentum": 0.0,
        "batch_size": 2,
        "penalty": 0.0,
        "vectors_penalty": 0.0,
    }
    options = TaggerOptions(**{**settings, **options})
    return TaggerTrainer(tagger, table, options, random_state)


def values(trainer):
    named = trainer.module.named_parameters()
    return {
        "table": trainer.table.weight.numpy().copy(),
        **{name: value.detach().numpy().copy() for name, value in named},
    }


def loss_in_doubles(tagger, table):
    ids = torch.from_numpy(WORDS.ids.astype(np.int64))
    capitals = CAPITALS.astype(np.float64)
    with torch.no_grad():
        vectors = tagger.word_vectors(table, ids, WORDS.offsets, capitals)
        logits = tagger(vectors, SENTENCES)
        return tagging_loss(logits, torch.from_numpy(TAGS)).item()


@pytest.mark.parametrize("capitals", ["ngram", "input", None])
def test_a_step_goes_down_the_gradient(capitals):
    trainer = make_trainer(capitals)
    before = values(trainer)
    trainer.step(BATCH, TAGS)
    after = values(trainer)
    tagger = make_trainer(capitals).module.double()
    table = torch.from_numpy(before["table"]).double()
    arrays = {"table": table, **dict(tagger.named_parameters())}
    rng = np.random.default_rng(0)
    for name, array in arrays.items():
        place = tuple(rng.integers(array.shape))
        losses = []
        with torch.no_grad():
            for shift in (1e-5, -2e-5):
                array[place] += shift
                losses.append(loss_in_doubles(tagger, table))
            array[place] += 1e-5  # as it was
        slope = (losses[0] - losses[1]) / 2e-5
        moved_by = before[name][place] - after[name][place]
        assert_allclose(moved_by, slope, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("sparse", [True, False])
def test_penalty_shrinks_all_that_the_batch_has(sparse):
    plain = make_trainer(sparse=sparse)
    pulled = make_trainer(sparse=sparse, penalty=0.1, vectors_penalty=0.1)
    before = values(plain)
    loss = plain.step(BATCH, TAGS)
    assert pulled.step(BATCH, TAGS) == loss  # without penalty
    without, found = values(plain), values(pulled)
    for name, value in found.items():
        expected = without[name] - 0.1 * before[name]
        if name == "table" and sparse:
            expected[-1] = before[name][-1]
        assert_allclose(value, expected, atol=1e-6, err_msg=name)


def test_vectors_are_made_once_for_each_distinct_word(monkeypatch):
    seen = []
    compose = Tagger.word_vectors

    def spy(self, table, ids, offsets, capitals):
        seen.append(len(offsets) - 1)
        return compose(self, table, ids, offsets, capitals)

    monkeypatch.setattr(Tagger, "word_vectors", spy)
    make_tagger(batch_size=36, max_epochs=1).fit(X, Y)
    assert seen == [len(set(chain.from_iterable(X)))]


def test_loss_curve_is_the_mean_of_tokens():
    tagger = make_tagger(learning_rate=1e-12, max_epochs=1, penalty=0).fit(X, Y)
    start = make_tagger(max_epochs=0).fit(X, Y)
    losses = []
    for row, tags in zip(start.predict_proba(X), Y, strict=True):
        logs = np.log(row)
        places = np.searchsorted(start.classes_, tags)
        losses += list(-logs[np.arange(len(tags)), places] - 1e-4 * logs.sum(axis=1))
    assert_allclose(tagger.loss_curve_, [np.mean(losses)], rtol=1e-5)


def test_same_seed_same_bits_and_dropout_only_in_training():
    one, other = (make_tagger(dropout=0.3).fit(X, Y) for _ in range(2))
    for name, value in one.parameters_.items():
        assert_array_equal(value, other.parameters_[name])
    assert_array_equal(
        one.word_encoder_.vectors_.matrix, other.word_encoder_.vectors_.matrix
    )
    assert_array_equal(one.predict_proba(X[:1]), one.predict_proba(X[:1]))
    assert one.loss_curve_ != make_tagger().fit(X, Y).loss_curve_


def test_frozen_encoder_stays():
    encoder = CharagramEncoder(dim=6, max_epochs=1, device="cpu", random_state=0)
    encoder.fit([("a cat", "the cat"), ("Berlin sings", "a mouse"), ("cats", "cat")])
    matrix = encoder.vectors_.matrix.copy()
    tagger = SequenceTagger(FrozenEstimator(encoder), **SMALL).fit(X, Y)
    assert_array_equal(tagger.word_encoder_.vectors_.matrix, matrix)
    assert_array_equal(
        tagger.word_encoder_.parameters_["bias"], encoder.parameters_["bias"]
    )
    assert tagger.loss_curve_[-1] < tagger.loss_curve_[0]
    with pytest.raises(ValueError, match="not fitted"):
        clone(tagger).set_params(word_encoder=FrozenEstimator(clone(encoder))).fit(X, Y)
    with pytest.raises(TypeError, match="trained on paraphrases"):
        SequenceTagger(FrozenEstimator(AverageEncoder())).fit(X, Y)


# ------------------------------------------------------------------ scikit-learn ways


def test_grid_search_and_cross_validation_on_lists():
    tagger = make_tagger(optimizer="adam", learning_rate=0.02, max_epochs=4)
    grid = {"learning_rate": [1e-6, 0.02], "word_encoder__dim": [3]}
    search = GridSearchCV(tagger, grid, cv=3, n_jobs=2).fit(X, Y)
    assert search.best_params_["learning_rate"] == 0.02
    scores = cross_val_score(tagger, X, Y, cv=3)
    predicted = cross_val_predict(tagger, X, Y, cv=3)
    assert predicted.shape == (36,)
    sizes = np.array([len(row) for row in Y]).reshape(3, 12).sum(axis=1)
    flat = np.concatenate(Y), np.concatenate(predicted)
    assert_allclose(accuracy_score(*flat), np.average(scores, weights=sizes))


def test_validation_sentences_are_routed():
    with config_context(enable_metadata_routing=True):
        tagger = make_tagger(max_epochs=3).set_fit_request(X_val=True, y_val=True)
        pipe = make_pipeline(FunctionTransformer(), tagger)
        pipe.fit(X[:30], Y[:30], X_val=X[30:], y_val=Y[30:])
    assert len(pipe[-1].validation_scores_) == 3


def test_clone_and_pickle(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(
        np.concatenate(again.predict_proba(X)), np.concatenate(fitted.predict_proba(X))
    )
    assert not hasattr(clone(fitted), "classes_")
    assert fitted.get_params()["word_encoder__activation"] == "relu"


@each_encoder
def test_saved_without_pickle(name, tmp_path):
    tagger = make_tagger(name, warm_start=True).fit(X, Y)
    tagger.save(tmp_path / "tagger")
    again = skparaphrase.load(tmp_path / "tagger")
    assert again.classes_.tolist() == tagger.classes_.tolist()
    for sentence in X[:3]:
        assert_array_equal(
            again.predict_proba([sentence]), tagger.predict_proba([sentence])
        )
    assert again.fit(X, Y).n_epochs_ == 4


def test_presets():
    for setting in ("charagram", "charagram-2-layers", "char-cnn", "char-lstm"):
        tagger = SequenceTagger.paper(setting, max_epochs=0, device="cpu")
        tagger.fit(X[:4], Y[:4])
        assert tagger.word_encoder_.transform(["cat"]).shape == (1, 150)
        assert tagger.parameters_["forwards.W_hi"].shape == (50, 50)
        assert ("capital" in tagger.parameters_) == setting.startswith("charagram")
    with pytest.raises(ValueError, match="no setting 'penn'"):
        SequenceTagger.paper("penn")


def test_default_encoder_is_the_papers():
    tagger = SequenceTagger(max_epochs=0, random_state=0).fit(X, Y)
    other = SequenceTagger.paper(max_epochs=0, random_state=0).fit(X, Y)
    assert_array_equal(tagger.predict_proba(X[:1]), other.predict_proba(X[:1]))


def filled(rows):
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


@pytest.mark.parametrize(
    "container",
    [
        tuple,
        filled,
        pd.Series,
        pl.Series,
        lambda rows: pd.DataFrame({"rows": rows})["rows"],
        lambda rows: [tuple(row) for row in rows],
        lambda rows: [np.array(row) for row in rows],
        lambda rows: [np.array(row, dtype=object) for row in rows],
        lambda rows: [pd.Series(row) for row in rows],
        iter,
    ],
)
def test_containers(container, fitted):
    tagger = make_tagger().fit(container(X), container(Y))
    assert tagger.loss_curve_ == fitted.loss_curve_
    assert tagger.predict(container(X)).tolist() == fitted.predict(X).tolist()


@pytest.mark.parametrize(
    "label",
    [int, lambda i: i % 2 == 0, lambda i: f"t{i}", np.int8],
    ids=["int", "bool", "str", "int8"],
)
def test_labels_of_any_type(label):
    numbers = {tag: label(i) for i, tag in enumerate(KINDS)}
    y = [[numbers[tag] for tag in tags] for tags in Y]
    tagger = make_tagger().fit(X, y)
    assert tagger.classes_.tolist() == sorted(set(numbers.values()))
    assert set(chain.from_iterable(tagger.predict(X))) <= set(numbers.values())
    assert 0 <= tagger.score(X, y) <= 1


# ----------------------------------------------------------------- training in stages


def test_best_epoch_is_kept():
    test_X, test_Y = make_sentences(8, seed=5)
    settings = {"learning_rate": 3.0, "momentum": 0.9, "max_epochs": 12}
    monitor = ScoreMonitor(lambda tagger: tagger.score(test_X, test_Y))
    tagger = make_tagger(**settings).set_callbacks(monitor)
    tagger.fit(X, Y, X_val=test_X, y_val=test_Y)
    scores = tagger.validation_scores_
    assert [one["score"] for one in monitor.scores_] == scores
    assert tagger.best_epoch_ == 1 + int(np.argmax(scores))
    assert tagger.score(test_X, test_Y) == max(scores)
    assert scores[-1] < max(scores)  # else this would show nothing
    short = make_tagger(**settings, patience=2)
    short.fit(X, Y, X_val=test_X, y_val=test_Y)
    assert short.validation_scores_ == scores[: short.n_epochs_]
    assert short.n_epochs_ == min(12, short.best_epoch_ + 2)


def test_early_stopping_restores_the_best_epoch():
    test_X, test_Y = make_sentences(8, seed=5)
    settings = {"learning_rate": 3.0, "momentum": 0.9, "max_epochs": 12}
    stopping = EarlyStopping(lambda tagger: tagger.score(test_X, test_Y), patience=2)
    tagger = make_tagger(**settings).set_callbacks(stopping).fit(X, Y)
    other = make_tagger(**settings, patience=2)
    other.fit(X, Y, X_val=test_X, y_val=test_Y)
    assert tagger.n_epochs_ == other.n_epochs_
    assert tagger.score(test_X, test_Y) == stopping.best_score_
    assert_array_equal(
        np.concatenate(tagger.predict_proba(X)), np.concatenate(other.predict_proba(X))
    )


@pytest.mark.parametrize(
    ("name", "capitals", "has_ngram", "n_inputs"),
    [
        ("charagram", "auto", True, 6),
        ("charagram", False, False, 6),
        ("cased", "auto", False, 6),
        ("cased", True, True, 6),
        ("lstm", "auto", False, 6),
        ("lstm", True, False, 7),
        ("lower-cased lstm", "auto", False, 7),
    ],
)
def test_capitals_are_an_ngram_or_an_input(name, capitals, has_ngram, n_inputs):
    tagger = make_tagger(name, capitals=capitals, max_epochs=0).fit(X, Y)
    assert ("capital" in tagger.parameters_) == has_ngram
    assert tagger.parameters_["backwards.W_xi"].shape == (5, n_inputs)
    lower, upper = tagger.predict_proba([["berlin"], ["Berlin"]])
    sees = name in ("cased", "lstm") or capitals
    assert (lower == upper).all() == (not sees)


def test_validation_fraction_holds_sentences_back():
    tagger = make_tagger(validation_fraction=0.2, max_epochs=1).fit(X, Y)
    assert len(tagger.validation_scores_) == 1
    with pytest.raises(ValueError, match="takes examples from X"):
        tagger.fit(X, Y, X_val=X, y_val=Y)
    with pytest.raises(ValueError, match="leaves none of 1"):
        tagger.fit([["a", "b"], []], [["x", "y"], []])
    with pytest.raises(ValueError, match="patience=3 has nothing"):
        make_tagger(patience=3).fit(X, Y)
    with pytest.raises(ValueError, match="given together"):
        make_tagger().fit(X, Y, X_val=X)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_warm_start_goes_on(optimizer):
    settings = {"optimizer": optimizer, "learning_rate": 0.02, "warm_start": True}
    staged = make_tagger(**settings).fit(X, Y).fit(X, Y)
    whole = make_tagger(**{**settings, "max_epochs": 4}).fit(X, Y)
    assert staged.n_epochs_ == 4
    assert staged.loss_curve_ == whole.loss_curve_
    with pytest.raises(ValueError, match=r"\['new'\] are new"):
        staged.fit([["a", "b"]], [["DET", "new"]])


class RaiseAt:
    def __init__(self, epoch, error):
        self.epoch, self.error = epoch, error

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        if context.task_name == "epoch" and estimator.n_epochs_ == self.epoch:
            raise self.error

    def teardown(self, estimator, context):
        pass


def test_interrupted_training_keeps_what_it_has_and_goes_on():
    tagger = make_tagger(max_epochs=5, warm_start=True)
    tagger.set_callbacks(RaiseAt(2, KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        tagger.fit(X, Y)
    whole = make_tagger(max_epochs=2).fit(X, Y)
    assert tagger.n_epochs_ == 2
    assert_array_equal(
        np.concatenate(tagger.predict_proba(X)), np.concatenate(whole.predict_proba(X))
    )
    tagger.set_callbacks().set_params(max_epochs=3).fit(X, Y)
    whole = make_tagger(max_epochs=5).fit(X, Y)
    assert tagger.loss_curve_ == whole.loss_curve_


# -------------------------------------------------------------------------- bad input


def test_empty_sentences_have_empty_lists_of_tags(fitted):
    tagger = make_tagger().fit([[], *X, []], [[], *Y, []])
    assert tagger.loss_curve_ == fitted.loss_curve_
    assert tagger.predict([[], X[0], []])[[0, 2]].tolist() == [[], []]
    assert [row.shape for row in tagger.predict_proba([[], ["cat"]])] == [
        (0, 4),
        (1, 4),
    ]
    assert tagger.predict([[]]).tolist() == [[]]
    assert tagger.predict([]).shape == (0,)
    with pytest.raises(ValueError, match="no tokens to score"):
        tagger.score([[]], [[]])


def test_unseen_tags_count_as_missed(fitted):
    best = fitted.predict(X[:1]).tolist()
    assert fitted.score(X[:1], best) == 1
    best[0][0] = "new"
    assert fitted.score(X[:1], best) == 1 - 1 / len(X[0])
    tagger = make_tagger(max_epochs=1).fit(
        X, Y, X_val=X[:1], y_val=[["new"] * len(X[0])]
    )
    assert tagger.validation_scores_ == [0]


@pytest.mark.parametrize(
    ("bad_X", "bad_y", "error", "message"),
    [
        ("a cat", Y, TypeError, "list of token lists"),
        (None, Y, TypeError, "list of token lists.* got None"),
        (["a cat", "a dog"], [["x"], ["y"]], TypeError, "sentence 0 must be a list"),
        ([["a"], None], [["x"], ["y"]], TypeError, "sentence 1 must be a list of tok"),
        ([["a"], ["b", 3]], [["x"], ["y", "z"]], TypeError, "token 1 of sentence 1"),
        (
            [["a"], ["b", None]],
            [["x"], ["y", "z"]],
            TypeError,
            "1 of sentence 1 .*None",
        ),
        ([["a"], ["b"]], [["x"], ["y", "z"]], ValueError, "Sentence 1 has 1 tokens"),
        ([["a"], ["b"]], [["x"]], ValueError, "2 sentences, but y holds tags of 1"),
        ([["a"], ["b"]], ["x", "y"], TypeError, "y: sentence 0 must be a list of tags"),
        ([["a"], ["b"]], None, ValueError, "requires y to be passed"),
        ([["a"], ["b"]], [["x"], ["x"]], ValueError, "only one class: .*'x'"),
        ([["a"], ["b"]], [["x"], [None]], ValueError, "tag 0 of sentence 1 is missing"),
        ([["a"], ["b"]], [[1.0], [np.nan]], ValueError, "tag 0 of sentence 1 is miss"),
        ([["a"], ["b"]], [["x"], [1]], TypeError, "mixes tags"),
        ([["a"], ["b"]], [[0.5], [1.7]], ValueError, "Unknown label type"),
        ([], [], ValueError, "0 token"),
        ([[], []], [[], []], ValueError, "0 token"),
    ],
)
def test_bad_input_is_named(bad_X, bad_y, error, message):
    with pytest.raises(error, match=message):
        make_tagger().fit(bad_X, bad_y)


def test_bad_encoders_and_parameters():
    with pytest.raises(TypeError, match="can be trained"):
        SequenceTagger(FunctionTransformer()).fit(X, Y)
    with pytest.raises(ValueError, match="'dense_dim' parameter"):
        make_tagger(dense_dim=0).fit(X, Y)
    with pytest.raises(ValueError, match="device must be"):
        make_tagger(device="abacus").fit(X, Y)
    with pytest.raises(ValueError, match="not fitted"):
        make_tagger().predict(X)
