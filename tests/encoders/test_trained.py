"""Shared by all trained encoders: fits, resumed fits, validation, `init`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from copy import deepcopy

import joblib
import numpy as np
import pytest
import skops.io
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, ShuffleSplit, train_test_split

import skparaphrase
from skparaphrase import encoders as library
from skparaphrase.callback import ScoreMonitor
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder
from skparaphrase.losses import InfoNCELoss, MarginLoss
from skparaphrase.metrics import RetrievalScorer, STSScorer
from skparaphrase.networks._table import resolve_device
from skparaphrase.optimizers import Optimizer
from skparaphrase.pairs import PairSimilarity
from skparaphrase.supervision import _pairs
from skparaphrase.training._trainer import Trainer
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._subwords import Subwords

GOLD = np.linspace(0, 5, 20)
RNG = np.random.RandomState(3)
TEXTS = [" ".join(f"w{i}" for i in RNG.randint(20, size=4)) for _ in range(40)]
PAIRS = list(zip(TEXTS[0::2], TEXTS[1::2], strict=True))


def test_shapes_types_and_names(zoo, name):
    encoder, dim = zoo.fitted(name), zoo.dims[name]
    for X, shape in (
        (zoo.texts, (40, dim)),
        ([[text] for text in zoo.texts], (40, dim)),
        (zoo.pairs, (20, 2, dim)),
        ([], (0, dim)),
        (np.empty((0, 2), dtype=object), (0, 2, dim)),
    ):
        vectors = encoder.transform(X)
        assert vectors.shape == shape
        assert vectors.dtype == np.float32
    sides = zip(*zoo.pairs, strict=True)
    stacked = np.stack([encoder.transform(list(side)) for side in sides], axis=1)
    assert_allclose(encoder.transform(zoo.pairs), stacked, atol=1e-6)
    prefix = type(encoder).__name__.lower()
    names = [f"{prefix}{i}" for i in range(dim)]
    assert encoder.get_feature_names_out().tolist() == names


def test_blank_texts_and_unknown_words_are_zero(zoo, name):
    blank = ["", " \t\n", *(["unheard of"] if name in zoo.of_words else [])]
    vectors = zoo.fitted(name).transform([*blank, "w1 w2"])
    assert not vectors[:-1].any() and vectors[-1].any()
    pairs = zoo.fitted(name).transform([("w1", ""), ("", "")])
    assert pairs[0, 0].any() and not pairs[0, 1].any() and not pairs[1].any()


@pytest.fixture
def with_subwords(zoo):
    """The table of the zoo, with n-grams for unknown words."""
    rows = np.random.RandomState(0).standard_normal((16, zoo.vectors.dim))
    return WordVectors(
        zoo.vectors.words,
        zoo.vectors.matrix,
        unknown="subword",
        subwords=Subwords(rows.astype(np.float32), ngram_range=(1, 2)),
    )


def test_unknown_words_of_training_become_rows(zoo, of_words, with_subwords, tmp_path):
    pairs = [*zoo.pairs, ("new w1", "new w2"), ("w3 new newer-w1", "w2 ★")]
    encoder = zoo.make(of_words, vectors=with_subwords, optimizer__vectors_penalty=0.1)
    encoder.fit(pairs)
    assert encoder.added_words_ == ["new", "newer"]
    assert [*encoder.vectors_.words] == [*with_subwords.words, "new", "newer"]
    assert np.abs(encoder.vectors_["new"] - with_subwords["new"]).max() > 1e-6
    first, second, blank = encoder.transform(["other w1", "w1", "★"])
    assert np.abs(first - second).max() > 1e-6 and not blank.any()
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder")
    assert_array_equal(
        loaded.transform(["other new"]), encoder.transform(["other new"])
    )
    more = [("other w1", "other w2"), ("new w3", "w4")]
    for resumed in (
        deepcopy(encoder).partial_fit(more),
        loaded.set_params(vectors=with_subwords).partial_fit(more),
        clone(encoder).set_params(init=FrozenEstimator(encoder)).fit(more),
    ):
        assert resumed.added_words_ == ["new", "newer"]
        assert resumed.vectors_.words == encoder.vectors_.words


def test_the_seed_decides_every_bit(zoo, name):
    assert zoo.same(zoo.make(name).fit(zoo.pairs), zoo.fitted(name))
    seed, other = np.random.RandomState(0), zoo.make(name, random_state=1)
    other = zoo.state(other.fit(zoo.pairs))
    for key, value in zoo.state(zoo.fitted(name)).items():
        assert (value != other[key]).any()
    first, second = (
        zoo.make(name, random_state=deepcopy(seed)).fit(zoo.pairs) for _ in range(2)
    )
    assert zoo.same(first, second)


def test_fit_leaves_global_random_states_alone(zoo, name):
    ours, theirs = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    zoo.make(name, loss=MarginLoss(negatives="mix")).fit(zoo.pairs)
    assert_array_equal(np.random.get_state()[1], ours[1])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), theirs)


@pytest.mark.filterwarnings("ignore:The loss of .* a constant output")
@pytest.mark.parametrize(("loss", "sparse"), [("margin", True), ("infonce", False)])
def test_training_lowers_the_loss(zoo, name, loss, sparse):
    # Partners share all words but one, so there is something to learn.
    pairs = [(text, f"{text} w{i % 20}") for i, text in enumerate(zoo.texts)]
    optimizer = Optimizer("adam", sparse=sparse)
    encoder = zoo.make(name, max_epochs=8, loss=loss, optimizer=optimizer)
    curve = encoder.fit(pairs).loss_curve_
    assert min(curve) < 0.97 * curve[0]  # such large steps may lose it again


@pytest.mark.parametrize(
    ("loss", "optimizer"), [("margin", "adam"), ("infonce", "adagrad")]
)
def test_blank_texts_among_the_paraphrases_do_no_harm(zoo, name, loss, optimizer):
    # The first batch has no tokens at all.
    pairs = [("", ""), (" ", ""), *zoo.pairs, ("", "w1"), ("w2 w3", " ")]
    optimizer = Optimizer(optimizer, clip_norm=1.0, ordered_first_epoch=True)
    encoder = zoo.make(name, loss=loss, batch_size=2, optimizer=optimizer).fit(pairs)
    assert all(np.isfinite(array).all() for array in zoo.state(encoder).values())
    assert not encoder.transform([""]).any()
    with pytest.raises(ValueError, match=r"No word|no n-gram"):
        zoo.make(name).fit([("", " "), ("\t", "")])


def test_no_epochs_leave_the_given_vectors(zoo, of_words):
    for dtype in ("float32", "float16", "int8"):
        vectors = zoo.vectors.astype(dtype)
        encoder = zoo.make(of_words, vectors=vectors, max_epochs=0).fit(zoo.pairs)
        assert_array_equal(encoder.vectors_.rows(), vectors.rows())
    assert encoder.loss_curve_ == [] and encoder.n_epochs_ == 0
    assert not hasattr(encoder, "best_epoch_")
    for key, value in encoder.parameters_.items():
        assert value.any() != key.split(".")[-1].startswith(("b", "projection"))


def test_networks_start_as_the_average(zoo, of_words):
    encoder = zoo.make(of_words, max_epochs=0).fit(zoo.pairs)
    if not getattr(encoder, "residual", of_words != "network"):
        pytest.skip("a variant without it")
    average = AverageEncoder(zoo.vectors, pooling="distinct").transform(zoo.texts)
    assert_allclose(encoder.transform(zoo.texts), average, rtol=1e-5, atol=1e-6)


def test_verbose_prints_a_line_an_epoch(zoo, capsys):
    encoder = zoo.make("paragram", verbose=True).fit(zoo.pairs)
    lines = capsys.readouterr().out.splitlines()
    for i, loss in enumerate(encoder.loss_curve_):
        assert lines[i] == f"[ParaphraseEncoder] epoch {i + 1}: loss {loss:.4f}"
    assert "set validation_fraction=0.1" in lines[-1]
    assert len(lines) == encoder.n_epochs_ + 1
    encoder.partial_fit(zoo.pairs)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_the_last_line_says_what_training_gained(zoo, capsys, monkeypatch):
    def fit(*scores):
        script = iter(scores)
        monkeypatch.setattr(_pairs, "RetrievalScorer", lambda: lambda *_: next(script))
        changes = {"max_epochs": len(scores) - 1, "validation_fraction": 0.3}
        encoder = zoo.make("paragram", verbose=True, **changes).fit(zoo.pairs)
        assert encoder.validation_scores_ == list(scores)
        return capsys.readouterr().out.splitlines()

    first, *_, last = fit(0.25, 0.75, 0.5)
    assert first == "[ParaphraseEncoder] epoch 0: validation score 0.2500"
    assert last == (
        "[ParaphraseEncoder] mean reciprocal rank on 6 held-out examples: 0.2500 at "
        "the start, 0.7500 after epoch 1, which is kept; gain +0.5000"
    )
    last = fit(0.5, 0.25)[-1]
    assert last.endswith("0.5000 at the start, which is kept; no epoch is better")


# Penalties and frozen vectors


@pytest.mark.filterwarnings("ignore:The loss of .* a constant output")
def test_the_penalty_pulls_to_the_original_vectors(zoo, of_words):
    assert_pulled(zoo, of_words, vectors=zoo.vectors)


@pytest.mark.filterwarnings("ignore:The loss of .* a constant output")
@pytest.mark.parametrize("name", ["paragram", "dan"])
def test_the_penalty_pulls_to_the_vectors_of_init(zoo, name):
    assert_pulled(zoo, name, vectors=None)


def assert_pulled(zoo, of_words, vectors):
    first = zoo.make(of_words, learning_rate=0.2, optimizer__vectors_penalty=0.0)
    first.fit(zoo.pairs)
    assert np.abs(first.vectors_.matrix - zoo.vectors.matrix).max() > 0.3
    encoder = zoo.make(
        of_words, init=first, vectors=vectors,
        optimizer=Optimizer("adam", sparse=False, vectors_penalty=1e4), max_epochs=40,
        learning_rate=0.02,
    ).fit(zoo.pairs)  # fmt: skip
    assert np.abs(encoder.vectors_.matrix - zoo.vectors.matrix).max() < 0.1


def test_frozen_vectors_stay_to_the_bit(zoo, of_words):
    if of_words == "paragram":
        pytest.skip("nothing would be left to train")
    if of_words == "network":
        with pytest.raises(ValueError, match="'vectors' leaves nothing to train"):
            zoo.make(of_words, freeze="vectors").fit(zoo.pairs)
        return
    encoder = zoo.make(of_words, freeze="vectors", warm_start=True).fit(zoo.pairs)
    start = zoo.make(of_words, max_epochs=0).fit(zoo.pairs)
    assert_array_equal(encoder.vectors_.matrix, zoo.vectors.matrix)
    for key, value in encoder.parameters_.items():
        assert (value != start.parameters_[key]).any()
    assert zoo.same(encoder.fit(zoo.pairs), zoo.make(
        of_words, freeze="vectors", max_epochs=4).fit(zoo.pairs))  # fmt: skip


# Validation


@pytest.fixture
def held_out(monkeypatch):
    """The pairs that fits hold out for validation, without repetition."""
    held = []

    class Watched(RetrievalScorer):
        def __call__(self, encoder, pairs):
            if [*map(tuple, pairs)] not in held:
                held.append([*map(tuple, pairs)])
            return super().__call__(encoder, pairs)

    monkeypatch.setattr(_pairs, "RetrievalScorer", Watched)
    return held


def test_the_best_epoch_on_held_out_pairs_is_kept(zoo, name, held_out):
    changes = {"max_epochs": 4, "learning_rate": 0.2}
    encoder = zoo.make(name, validation_fraction=0.3, **changes).fit(zoo.pairs)
    (held,) = held_out
    rest = [pair for pair in zoo.pairs if pair not in held]
    assert len(held) == 6 and len(rest) == 14
    fits = [zoo.make(name, **{**changes, "max_epochs": n}).fit(rest) for n in range(5)]
    start, *scores = [RetrievalScorer(held)(fit) for fit in fits]
    assert_allclose(encoder.validation_scores_, [start, *scores])
    best = 1 + np.argmax(scores) if max(scores) >= start else 0
    assert encoder.best_epoch_ == best
    assert zoo.same(encoder, fits[encoder.best_epoch_])
    assert encoder.loss_curve_ == fits[4].loss_curve_ and encoder.n_epochs_ == 4


def test_patience_ends_training(zoo, name, monkeypatch):
    scores = iter([0, 1, 3, 2, 2, 5])
    monkeypatch.setattr(_pairs, "RetrievalScorer", lambda: lambda *_: next(scores))
    changes = {"max_epochs": 9, "validation_fraction": 0.2}
    encoder = zoo.make(name, patience=2, **changes).fit(zoo.pairs)
    assert encoder.validation_scores_ == [0, 1, 3, 2, 2]
    assert (encoder.n_epochs_, encoder.best_epoch_) == (4, 2)
    scores = iter([0, 1, 2])
    expected = zoo.make(name, **{**changes, "max_epochs": 2}).fit(zoo.pairs)
    assert zoo.same(encoder, expected)


def test_a_resumed_fit_validates_on_the_same_pairs(zoo, held_out):
    encoder = zoo.make("dan", validation_fraction=0.3, warm_start=True)
    encoder.fit(zoo.pairs).fit(zoo.pairs)
    assert len(held_out) == 1
    scores = encoder.validation_scores_
    assert len(scores) - 1 == encoder.n_epochs_ == 4
    assert scores[encoder.best_epoch_] == max(scores)
    encoder.partial_fit(zoo.pairs)  # trains on all
    assert len(held_out) == 1 and encoder.n_epochs_ == 5
    assert not hasattr(encoder, "best_epoch_")
    encoder.set_params(warm_start=False, validation_fraction=None).fit(zoo.pairs)
    assert not hasattr(encoder, "validation_scores_")
    assert not hasattr(encoder, "best_epoch_")


def teach(texts, dim):
    table = np.random.RandomState(1).randn(20, dim)
    return np.array([sum(table[int(w[1:])] for w in t.split()) for t in texts])


@pytest.mark.parametrize("dim", [5, 8])
def test_distillation_validates_by_the_mean_cosine(zoo, dim):
    texts = list(dict.fromkeys(zoo.texts))
    y = teach(texts, dim)
    changes = {"loss": "distillation", "learning_rate": 0.2, "max_epochs": 4}
    encoder = zoo.make("paragram", validation_fraction=0.25, **changes)
    if dim == 8:
        encoder.set_output(transform="pandas")
    encoder.fit(texts, y)
    train, held = train_test_split(
        np.arange(len(texts)), test_size=0.25, random_state=encoder._seed
    )
    train, scores = np.sort(train), []
    for n in range(5):
        fit = zoo.make("paragram", **{**changes, "max_epochs": n})
        fit.fit([texts[i] for i in train], y[train])
        aim = y[held] @ fit.teacher_axes_ if dim != 5 else y[held]
        vectors = fit.transform([texts[i] for i in held])
        norms = np.linalg.norm(aim, axis=1) * np.linalg.norm(vectors, axis=1)
        scores.append(((aim * vectors).sum(axis=1) / norms).mean())
        if n == encoder.best_epoch_:
            assert zoo.same(encoder, fit)
    assert_allclose(encoder.validation_scores_, scores, rtol=1e-5)
    assert encoder.best_epoch_ == np.argmax(scores)


@pytest.mark.parametrize(
    ("params", "n_pairs", "message"),
    [
        ({"patience": 2}, 20, "patience=2 needs validation scores"),
        (
            {"validation_fraction": 0.05},
            20,
            "19 examples to train on and 1 to validate on",
        ),
        (
            {"validation_fraction": 0.5},
            3,
            "1 examples to train on and 2 to validate on",
        ),
        ({"validation_fraction": 1.0}, 20, "'validation_fraction' parameter"),
        (
            {"validation_fraction": 0.2, "patience": 0},
            20,
            "'patience' parameter",
        ),
    ],
)
def test_validation_that_is_impossible(zoo, params, n_pairs, message):
    with pytest.raises(ValueError, match=message):
        zoo.make("dan", **params).fit(zoo.pairs[:n_pairs])


# Fits that resume

CHANGES = [
    {},
    {"optimizer": "adagrad", "loss": MarginLoss(negatives="mix")},
    {"optimizer": Optimizer("adam", sparse=False, vectors_penalty=0.1)},
    {"optimizer__ordered_first_epoch": True, "loss": InfoNCELoss(mask_known=False)},
]


@pytest.mark.parametrize("changes", CHANGES[::2])
def test_a_resumed_fit_is_the_whole_to_the_bit(zoo, name, changes):
    assert_resumes(zoo, name, changes)


@pytest.mark.parametrize("name", ["paragram", "lstm"])
@pytest.mark.parametrize("changes", CHANGES[1::2])
def test_a_fit_with_drawn_or_ordered_examples_resumes(zoo, name, changes):
    assert_resumes(zoo, name, changes)


def assert_resumes(zoo, name, changes):
    whole = zoo.make(name, max_epochs=3, **changes).fit(zoo.pairs)
    parts = zoo.make(name, max_epochs=1, warm_start=True, **changes).fit(zoo.pairs)
    parts.set_params(max_epochs=2).fit(zoo.pairs)
    steps = zoo.make(name, **changes)
    for _ in range(3):
        steps = pickle.loads(pickle.dumps(steps.partial_fit(zoo.pairs)))
    for encoder in (parts, steps):
        assert zoo.same(encoder, whole)
        assert encoder.n_epochs_ == 3
        assert encoder.loss_curve_ == whole.loss_curve_


KINDS = {
    "marked pairs": (PAIRS, np.arange(20) % 4 > 0),
    "triplets": ([(*pair, TEXTS[i]) for i, pair in enumerate(PAIRS)], None),
    "labels": (TEXTS, np.array([*"abcd"])[np.arange(40) % 4]),
    "scores": (PAIRS, np.arange(20) % 7 / 2),
    "vectors": (TEXTS, np.random.RandomState(0).randn(40, 9)),
}


@pytest.mark.parametrize("name", ["paragram", "cse", "charagram"])
@pytest.mark.parametrize("kind", KINDS)
def test_fits_of_every_kind_resume_to_the_bit(zoo, name, kind):
    X, y = KINDS[kind]
    whole = zoo.make(name, loss="auto", max_epochs=3).fit(X, y)
    assert not zoo.same(whole, zoo.make(name, loss="auto", max_epochs=2).fit(X, y))
    parts = zoo.make(name, loss="auto", max_epochs=1, warm_start=True).fit(X, y)
    parts.set_params(max_epochs=2).fit(X, y)
    steps = zoo.make(name, loss="auto")
    for _ in range(3):
        steps = pickle.loads(pickle.dumps(steps.partial_fit(X, y)))
    for encoder in (parts, steps):
        assert zoo.same(encoder, whole)
        assert encoder.loss_curve_ == whole.loss_curve_


@pytest.mark.parametrize("kind", KINDS)
def test_partial_fit_takes_other_examples_of_any_kind(zoo, kind):
    X, y = KINDS[kind]
    encoder = zoo.make("paragram", loss="auto").partial_fit(zoo.pairs)
    before = encoder.vectors_.matrix.copy()
    encoder.partial_fit(X, y).partial_fit(zoo.pairs)
    assert encoder.n_epochs_ == 3 and (encoder.vectors_.matrix != before).any()


@pytest.mark.parametrize("names", [("adagrad", "adam"), ("adam", "adagrad")])
def test_another_optimizer_starts_with_a_state_of_its_own(zoo, names):
    first = zoo.make("dan", optimizer=names[0], warm_start=True).fit(zoo.pairs)
    second = pickle.loads(pickle.dumps(first))
    second._moments = {}
    for encoder in (first, second):
        encoder.set_params(optimizer=names[1]).fit(zoo.pairs)
    assert zoo.same(first, second)


@pytest.mark.callbacks
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_interrupted_fit_keeps_its_state_and_resumes(zoo, error):
    def score(encoder, calls=iter([False, False, True])):  # noqa: B008
        if next(calls):
            raise error
        return 0.0

    encoder = zoo.make("dan", max_epochs=5, warm_start=True)
    encoder.set_callbacks(ScoreMonitor(score))
    with pytest.raises(error):
        encoder.fit(zoo.pairs)
    assert encoder.n_epochs_ == len(encoder.loss_curve_) == 2
    assert zoo.same(encoder, zoo.fitted("dan"))
    encoder.set_callbacks().set_params(max_epochs=3).fit(zoo.pairs)
    assert zoo.same(encoder, zoo.make("dan", max_epochs=5).fit(zoo.pairs))


def test_an_interrupted_epoch_keeps_its_steps(zoo, with_subwords, monkeypatch):
    pairs = [*zoo.pairs, ("new w1", "new w2")]
    encoder = zoo.make("dan", vectors=with_subwords, warm_start=True, batch_size=4)
    step, n_steps = Trainer.step, iter([True, True, False])
    monkeypatch.setattr(
        Trainer,
        "step",
        lambda trainer, batch: step(trainer, batch) if next(n_steps) else 1 / 0,
    )
    with pytest.raises(ZeroDivisionError):
        encoder.fit(pairs)
    assert encoder.n_epochs_ == 0 and encoder.loss_curve_ == []
    moved = encoder.vectors_.rows(slice(len(with_subwords))) - with_subwords.rows()
    assert moved.any() and encoder.added_words_ == ["new"]


@pytest.mark.parametrize("X", ["pairs", "unknown"])
def test_a_failed_fit_leaves_the_encoder_as_it_was(zoo, X, monkeypatch):
    X = zoo.pairs if X == "pairs" else [("un", "known"), ("no", "word")]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    encoder = zoo.make("dan", device="cuda")
    with pytest.raises(ValueError, match=r"device='cuda'.*no CUDA device|No word"):
        encoder.fit(X)
    with pytest.raises(NotFittedError):
        encoder.transform(zoo.texts)
    encoder.set_params(device="auto").fit(zoo.pairs)
    assert zoo.same(encoder, zoo.fitted("dan"))
    with pytest.raises(ValueError, match=r"CUDA|No word"):
        encoder.set_params(device="cuda:0").fit(X)
    assert zoo.same(encoder, zoo.fitted("dan")) and encoder.n_epochs_ == 2
    with pytest.raises((RuntimeError, ValueError), match="gpu"):
        resolve_device("gpu")


def test_training_that_diverges(zoo, name):
    # The gradient of the penalty overflows.
    optimizer = Optimizer("adam", max_change=None, vectors_penalty=1e-6)
    changes = {"learning_rate": 1e30, "max_epochs": 9, "optimizer": optimizer}
    encoder = zoo.make(name, **changes)
    fitted = deepcopy(zoo.fitted(name)).set_params(**changes)
    for each in (encoder, fitted):
        with pytest.raises(ValueError, match=r"epoch \d is (nan|inf): .*diverged"):
            each.fit(zoo.pairs)
    assert not hasattr(encoder, "vectors_")
    assert zoo.same(fitted, zoo.fitted(name))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("dan", {"n_layers": 3}), ("rnn", {"dim": 3}), ("lstm", {"peepholes": "full"}),
        ("lstm gate", {"output_gate": False}), ("cse", {"filters": [(3, 1), (3, 2)]}),
        ("charagram", {"n_layers": 2}), ("char cnn", {"filters": "kim"}),
    ],
)  # fmt: skip
def test_other_shapes_than_those_trained(zoo, name, params):
    with pytest.raises(ValueError, match="init does not have the parameters"):
        zoo.make(name, init=zoo.fitted(name), **params).fit(zoo.pairs)
    encoder = deepcopy(zoo.fitted(name)).set_params(warm_start=True, **params)
    for method in (encoder.fit, encoder.partial_fit):
        with pytest.raises(ValueError, match="encoder does not have the"):
            method(zoo.pairs)


# Cumulative training


@pytest.mark.parametrize("way", ["itself", "frozen", "loaded"])
def test_init_starts_from_the_other_encoder(zoo, name, way, tmp_path):
    first = init = zoo.fitted(name)
    before = deepcopy(first)
    if way == "loaded":
        first.save(tmp_path / "first")
        init = skparaphrase.load(tmp_path / "first")
    elif way == "frozen":
        init = FrozenEstimator(first)
    encoder = zoo.make(name, init=init, max_epochs=0, random_state=9)
    if name in zoo.of_words:
        encoder.set_params(vectors=None)
    encoder.fit(zoo.pairs[:5])
    assert zoo.same(encoder, first) and encoder.n_epochs_ == 0
    assert_array_equal(encoder.transform(zoo.texts), first.transform(zoo.texts))
    encoder.set_params(max_epochs=2).fit(zoo.pairs)
    assert zoo.same(first, before)  # not changed
    for key, value in zoo.state(encoder).items():
        assert (value != zoo.state(first)[key]).any()
    # A fresh optimizer and its own random state: the same as another such fit.
    assert zoo.same(encoder, zoo.make(name, init=first, random_state=9).fit(zoo.pairs))


@pytest.mark.parametrize("name", ["charagram", "irnn"])
def test_init_in_a_grid_search_is_frozen(zoo, name):
    init = zoo.fitted(name)
    search = GridSearchCV(
        zoo.make(name, init=FrozenEstimator(init)),
        {"max_epochs": [0, 2]},
        scoring=STSScorer((zoo.pairs, GOLD)),
        cv=ShuffleSplit(1, random_state=0),
        error_score="raise",
    ).fit(zoo.pairs)
    best = zoo.make(name, init=init, max_epochs=[0, 2][search.best_index_])
    assert zoo.same(search.best_estimator_, best.fit(zoo.pairs))
    with pytest.raises(ValueError, match="FrozenEstimator"):
        clone(zoo.make(name, init=init)).fit(zoo.pairs)


def test_init_that_cannot_serve(zoo, name):
    for wrap in (clone, FrozenEstimator):
        encoder = zoo.make(name, init=wrap(zoo.make(name)))
        with pytest.raises(ValueError, match=r"is not fitted.*FrozenEstimator"):
            encoder.fit(zoo.pairs)
    kind = type(zoo.make(name))  # parameters of others may have the same shapes
    others = [zoo.fitted(n) for n in zoo.names if type(zoo.make(n)) is not kind]
    others = [init for init in others if not isinstance(init, ParaphraseEncoder)]
    for init in others:
        with pytest.raises(TypeError, match="init must be a fitted"):
            zoo.make(name, init=init).fit(zoo.pairs)
    with pytest.raises(ValueError, match="'init' parameter"):
        zoo.make(name, init=PairSimilarity()).fit(zoo.pairs)
    if name in zoo.of_words:
        vectors = WordVectors([f"v{i}" for i in range(20)], zoo.vectors.matrix)
        with pytest.raises(ValueError, match="with the words it started with"):
            zoo.make(name, init=zoo.fitted(name), vectors=vectors).fit(zoo.pairs)


# Copies and files

OURS = [
    "skparaphrase.vectors._word_vectors.WordVectors",
    "skparaphrase.losses.MarginLoss",
    "skparaphrase.optimizers.Optimizer",
    *(f"{owner.__module__}.{owner.__name__}" for owner in vars(library).values()
      if isinstance(owner, type)),
]  # fmt: skip
BRACKETS = str.maketrans("[]", "()")  # tuples become lists in folders
WAYS = {
    "pickle": lambda encoder, _: pickle.loads(pickle.dumps(encoder)),
    "joblib": lambda encoder, path: joblib.load(joblib.dump(encoder, path)[0]),
    "skops": lambda encoder, _: skops.io.loads(skops.io.dumps(encoder), trusted=OURS),
    "folder": lambda encoder, path: encoder.save(path) or skparaphrase.load(path),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_round_trips(zoo, name, way, tmp_path):
    encoder = zoo.fitted(name)
    again = way(encoder, tmp_path / "encoder")
    assert type(again) is type(encoder) and zoo.same(again, encoder)
    assert again.loss_curve_ == encoder.loss_curve_ and again.n_epochs_ == 2
    assert_array_equal(again.transform(zoo.pairs), encoder.transform(zoo.pairs))
    assert again.partial_fit(zoo.pairs).n_epochs_ == 3
    for copy in (again, clone(again)):
        assert zoo.same(copy.fit(zoo.pairs), encoder)
    found, expected = (
        {k: repr(v).translate(BRACKETS) for k, v in one.get_params(deep=False).items()}
        for one in (again, encoder)
    )
    assert {**found, "vectors": 0} == {**expected, "vectors": 0}


def test_pickles_know_nothing_of_torch(zoo, name):
    encoder = zoo.make(name, warm_start=True).fit(zoo.pairs)
    encoder.transform(zoo.texts)
    assert b"torch" not in pickle.dumps(encoder)


INVALID = {
    "rnn": [
        {"vectors": {"a": 1}}, {"init": "other"},
        {"learning_rate": 0}, {"batch_size": 1}, {"max_epochs": 1.5},
        {"freeze": "encoder"}, {"device": None}, {"tokenizer": "words"},
    ],
    "paragram": [{"loss": "triplet"}],
    "dan": [{"dim": 0}, {"n_layers": 0}, {"activation": "gelu"}],
    "lstm": [{"output_gate": "yes"}, {"peepholes": "both"}],
    "cse": [{"filters": ()}, {"filters": [(1, 0)]}, {"padding": "same"}],
    "charagram": [{"tokenizer": str.split}, {"min_count": 10_000}],
    "char cnn": [
        *({"filters": filters} for filters in ([(2, 1.9)], [], "wide", [3, 4])),
        {"embedding_dim": 0}, {"conv_activation": "linear"}, {"dropout": 1.0},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "params"), [(name, p) for name, given in INVALID.items() for p in given]
)
def test_invalid_parameters_raise_at_fit(zoo, name, params):
    encoder = clone(zoo.make(name).set_params(**params))
    with pytest.raises(ValueError, match=next(iter(params))):
        encoder.fit(zoo.pairs)
    with pytest.raises(NotFittedError):
        encoder.transform(zoo.texts)


def test_every_encoder_learns_from_a_teacher(zoo, name):
    hidden = np.random.RandomState(1).randn(20, 8)
    vectors = [sum(hidden[int(w[1:])] for w in t.split()) for t in TEXTS]
    encoder = zoo.make(
        name, loss="distillation", optimizer="adam", learning_rate=0.01, max_epochs=5
    ).fit(TEXTS, vectors)
    assert encoder.loss_curve_[-1] < encoder.loss_curve_[0]
    assert encoder.teacher_axes_.shape == (8, zoo.dims[name])
