"""The encoders of the papers through scikit-learn's interface."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import joblib
import numpy as np
import pytest
import skops.io
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase import encoders as library
from skparaphrase.callback import EarlyStopping
from skparaphrase.encoders import AverageEncoder, CharCNNEncoder, CharLSTMEncoder
from skparaphrase.encoders._settings import SETTINGS
from skparaphrase.metrics import STSScorer
from skparaphrase.pairs import PairSimilarity
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(20)]
VECTORS = WordVectors(WORDS, RNG.randn(20, 5).astype(np.float32))
TEXTS = [" ".join(RNG.choice(WORDS, RNG.randint(1, 6))) for _ in range(40)]
PAIRS = list(zip(TEXTS[0::2], TEXTS[1::2], strict=True))
GOLD = np.linspace(0, 5, 20)
TINY = {"embedding_dim": 4, "dim": 6}

# Name, class, settings, length of the vectors.
ENCODERS = {
    "paragram": ("ParagramEncoder", {}, 5),
    "projection": ("ProjectionEncoder", {"dim": 7}, 7),
    "dan": ("DeepAveragingEncoder", {"n_layers": 2}, 5),
    "rnn": ("RNNEncoder", {"dim": 4}, 4),
    "irnn": ("IdentityRNNEncoder", {"learning_rate": 0.01}, 5),
    "lstm": ("LSTMEncoder", {}, 5),
    "lstm gate": ("LSTMEncoder", {"output_gate": True, "dim": 4}, 4),
    "cse": ("ConvolutionalEncoder", {"widths": (2, 1), "n_filters": 3}, 6),
    "charagram": ("CharagramEncoder", {"dim": 6}, 6),
    "char cnn": ("CharCNNEncoder", {**TINY, "filters": [(2, 1), (3, 3)]}, 6),
    "char lstm": ("CharLSTMEncoder", TINY, 6),
}
CHARACTERS = {"charagram", "char cnn", "char lstm"}
OF_WORDS = [name for name in ENCODERS if name not in CHARACTERS]
COMPOSED = [name for name in ENCODERS if name != "paragram"]
each = pytest.mark.parametrize("name", ENCODERS)
each_composed = pytest.mark.parametrize("name", COMPOSED)


def make(name, **changes):
    class_name, params, _ = ENCODERS[name]
    params = {
        "max_epochs": 2,
        "batch_size": 8,
        "random_state": 0,
        "device": "cpu",
        "learning_rate": 0.02,
        **params,
        **changes,
    }
    if name not in CHARACTERS:
        params.setdefault("vectors", VECTORS)
    return getattr(library, class_name)(**params)


@pytest.fixture(scope="module")
def fitted():
    """Encoders by name, each fitted once; not to be changed."""
    kept = {}

    def get(name):
        if name not in kept:
            kept[name] = make(name).fit(PAIRS)
        return kept[name]

    return get


def state(encoder):
    return {"vectors": encoder.vectors_.rows(slice(None)), **encoder.parameters_}


def same(first, second):
    """Whether two fitted encoders are equal to the bit."""
    first, second = state(first), state(second)
    assert first.keys() == second.keys()
    return all(np.array_equal(first[key], second[key]) for key in first)


@each
def test_shapes_types_and_names(name, fitted):
    encoder, dim = fitted(name), ENCODERS[name][2]
    for X, shape in (
        (TEXTS, (40, dim)),
        ([[text] for text in TEXTS], (40, dim)),
        (PAIRS, (20, 2, dim)),
        ([], (0, dim)),
        (np.empty((0, 2), dtype=object), (0, 2, dim)),
    ):
        vectors = encoder.transform(X)
        assert vectors.shape == shape
        assert vectors.dtype == np.float32
    stacked = np.stack([encoder.transform(list(s)) for s in zip(*PAIRS, strict=True)])
    assert_allclose(encoder.transform(PAIRS), stacked.swapaxes(0, 1), atol=1e-6)
    prefix = type(encoder).__name__.lower()
    names = [f"{prefix}{i}" for i in range(dim)]
    assert encoder.get_feature_names_out().tolist() == names


@each
def test_blank_texts_and_unknown_words_are_zero(name, fitted):
    blank = ["", " \t\n", *(["unheard of"] if name in OF_WORDS else [])]
    vectors = fitted(name).transform([*blank, "w1 w2"])
    assert not vectors[:-1].any() and vectors[-1].any()
    pairs = fitted(name).transform([("w1", ""), ("", "")])
    assert pairs[0, 0].any() and not pairs[0, 1].any() and not pairs[1].any()


def test_ngrams_that_are_unknown_are_zero_and_characters_are_not(fitted):
    assert not fitted("charagram").transform(["é"]).any()
    for name in ("char cnn", "char lstm"):
        unknown = fitted(name).transform(["é", "ü", "éé"])
        assert unknown.any(axis=1).all()
        assert_array_equal(unknown[0], unknown[1])


@each
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_set_output(name, fitted, kind):
    encoder = clone(fitted(name)).fit(PAIRS).set_output(transform=kind)
    frame = encoder.transform(TEXTS)
    assert type(frame).__module__.startswith(kind)
    assert list(frame.columns) == encoder.get_feature_names_out().tolist()
    assert_array_equal(np.asarray(frame), fitted(name).transform(TEXTS))
    assert isinstance(encoder.transform(PAIRS), np.ndarray)


@each
def test_the_seed_decides_every_bit(name, fitted):
    assert same(make(name).fit(PAIRS), fitted(name))
    other = make(name, random_state=1).fit(PAIRS)
    for key, value in state(fitted(name)).items():
        assert (value != state(other)[key]).any()


@pytest.mark.parametrize("name", OF_WORDS)
def test_dropout_and_scrambling_follow_the_seed(name):
    params = make(name).get_params()
    changes = {key: 0.5 for key in ("word_dropout", "scramble") if key in params}
    first, again = (make(name, **changes).fit(PAIRS) for _ in range(2))
    assert same(first, again)
    assert not same(first, make(name, **dict.fromkeys(changes, 0.0)).fit(PAIRS))


@each
def test_fit_leaves_global_random_states_alone(name):
    ours, theirs = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    make(name, negatives="mix").fit(PAIRS)
    assert_array_equal(np.random.get_state()[1], ours[1])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), theirs)


@each
@pytest.mark.parametrize("loss", ["margin", "infonce"])
@pytest.mark.parametrize("sparse", [True, False])
def test_training_lowers_the_loss(name, loss, sparse):
    # Partners share all words but one, so that there is something to learn.
    pairs = [(text, f"{text} w{i % 20}") for i, text in enumerate(TEXTS)]
    quiet = {
        key: 0.0
        for key in ("word_dropout", "composition_penalty", "vectors_penalty")
        if key in make(name).get_params()
    }
    encoder = make(name, max_epochs=8, loss=loss, sparse_updates=sparse, **quiet)
    curve = encoder.fit(pairs).loss_curve_
    assert np.mean(curve[-2:]) < curve[0]


# Where training starts.


def test_the_identity_rnn_starts_as_the_average_and_others_do_not():
    average = AverageEncoder(VECTORS).transform(TEXTS)
    for name in ("paragram", "irnn"):
        start = make(name, max_epochs=0).fit(PAIRS).transform(TEXTS)
        assert_allclose(start, average, rtol=1e-5, atol=1e-6)
    for name in ("projection", "dan", "rnn", "lstm"):
        changes = {} if name == "dan" else {"dim": 5}
        start = make(name, max_epochs=0, **changes).fit(PAIRS).transform(TEXTS)
        assert np.abs(start - average).max() > 0.1


@pytest.mark.parametrize("name", OF_WORDS)
def test_no_epochs_leave_the_given_vectors(name):
    encoder = make(name, max_epochs=0).fit(PAIRS)
    assert_array_equal(encoder.vectors_.matrix, VECTORS.matrix)
    assert encoder.loss_curve_ == [] and encoder.n_epochs_ == 0
    for key, value in encoder.parameters_.items():
        if "bias" in key or key.startswith("b"):
            assert not value.any()
        else:
            assert value.any()


def test_tables_of_characters_start_in_the_ranges_of_the_papers():
    encoder = make("charagram", dim=300, max_epochs=0).fit(PAIRS)
    matrix, limit = encoder.vectors_.matrix, (6 / (len(encoder.vectors_) + 301)) ** 0.5
    assert 0.99 * limit < np.abs(matrix).max() <= limit
    assert matrix.std() == pytest.approx(limit / 3**0.5, rel=0.05)
    for name in ("char cnn", "char lstm"):
        encoder = make(name, embedding_dim=300, max_epochs=0).fit(PAIRS)
        matrix, limit = encoder.vectors_.matrix, 0.5 / len(encoder.vectors_)
        assert 0.99 * limit < np.abs(matrix).max() <= limit * (1 + 1e-6)
        assert matrix.std() == pytest.approx(limit / 3**0.5, rel=0.05)


@pytest.mark.parametrize(
    ("encoder", "n_numbers"),
    [
        (CharCNNEncoder(), 881_025),  # the paper's number
        # 134 * 300, filters of 875 * 300 * 9/5, 525 biases, a layer of 526 * 300
        (CharCNNEncoder(filters="equal"), 134 * 300 + 472_500 + 525 + 157_800),
        # Per gate two matrices, a bias and, but for the cell, a peephole.
        (CharLSTMEncoder(), 134 * 300 + 3 * 180_300 + 2 * 300),
        (CharLSTMEncoder(output_gate=True), 134 * 300 + 4 * 180_300 + 3 * 300),
    ],
)
def test_sizes_are_those_of_the_paper(encoder, n_numbers):
    # The paper has 134 symbols: a space, the unknown one and 132 others.
    texts = ["".join(map(chr, range(0x4E00 + i, 0x4E00 + i + 66))) for i in (0, 66)]
    encoder = clone(encoder).set_params(max_epochs=0, random_state=0).fit([texts] * 2)
    assert len(encoder.vectors_) == 134
    assert sum(array.size for array in state(encoder).values()) == n_numbers


# Training that goes on.


@each_composed
@pytest.mark.parametrize("changes", [{}, {"optimizer": "adagrad", "negatives": "mix"}])
def test_warm_start_goes_on_to_the_bit(name, changes):
    whole = make(name, max_epochs=3, **changes).fit(PAIRS)
    parts = make(name, max_epochs=1, warm_start=True, **changes).fit(PAIRS)
    parts.set_params(max_epochs=2).fit(PAIRS)
    steps = make(name, **changes)
    for _ in range(3):
        steps = pickle.loads(pickle.dumps(steps.partial_fit(PAIRS)))
    for encoder in (parts, steps):
        assert same(encoder, whole)
        assert encoder.n_epochs_ == 3
        assert encoder.loss_curve_ == whole.loss_curve_


@each_composed
def test_without_warm_start_fit_starts_over(name, fitted):
    encoder = make(name).fit(PAIRS).partial_fit(PAIRS).fit(PAIRS)
    assert same(encoder, fitted(name))
    assert encoder.n_epochs_ == len(encoder.loss_curve_) == 2


@pytest.mark.parametrize("name", sorted(CHARACTERS))
def test_partial_fit_keeps_the_vocabulary_of_its_first_call(name):
    encoder = make(name).partial_fit(PAIRS)
    words = list(encoder.vectors_.words)
    encoder.partial_fit([("quite new", "very new"), ("w1", "w1 xyz")])
    assert list(encoder.vectors_.words) == words
    assert encoder.n_epochs_ == 2


@each_composed
def test_early_stopping_leaves_the_parameters_of_the_best_epoch(name):
    scores = iter([1, 3, 2, 2])
    encoder = make(name, max_epochs=5)
    encoder.set_callbacks(EarlyStopping(lambda _: next(scores))).fit(PAIRS)
    assert encoder.n_epochs_ == 4
    assert same(encoder, make(name, max_epochs=2).fit(PAIRS))


@each_composed
def test_y_says_which_pairs_are_paraphrases(name):
    chosen = make(name).fit(PAIRS[10:])
    assert same(make(name).fit(PAIRS, GOLD > 2.5), chosen)
    assert same(make(name, positive_from=2.5).fit(PAIRS, GOLD), chosen)


# Cumulative training.


@each
def test_init_starts_from_the_other_encoder(name, fitted):
    first = fitted(name)
    encoder = make(name, init=first, max_epochs=0, random_state=9).fit(PAIRS[:5])
    assert same(encoder, first)
    assert encoder.n_epochs_ == 0
    assert_array_equal(encoder.transform(TEXTS), first.transform(TEXTS))
    encoder.set_params(max_epochs=2).fit(PAIRS)
    assert same(first, make(name).fit(PAIRS))  # not changed
    for key, value in state(encoder).items():
        assert (value != state(first)[key]).any()
    # A fresh optimiser and its own random state: the same as another such fit.
    assert same(encoder, clone_with(encoder, FrozenEstimator(first)).fit(PAIRS))


def clone_with(encoder, init):
    return type(encoder)(**{**encoder.get_params(deep=False), "init": init})


@each
def test_init_of_a_loaded_encoder(name, fitted, tmp_path):
    fitted(name).save(tmp_path / "first")
    init = skparaphrase.load(tmp_path / "first")
    encoder = make(name, init=init).fit(PAIRS)
    assert same(encoder, make(name, init=fitted(name)).fit(PAIRS))


@pytest.mark.parametrize("name", OF_WORDS)
def test_vectors_are_taken_from_init(name, fitted):
    encoder = make(name, vectors=None, init=fitted(name), max_epochs=0).fit(PAIRS)
    assert same(encoder, fitted(name))
    assert encoder.transform(["w1 w2"]).any()


@pytest.mark.parametrize("name", OF_WORDS)
@pytest.mark.parametrize("given", [True, False])
def test_the_penalty_pulls_to_the_original_vectors(name, given):
    first = make(name, learning_rate=0.2, vectors_penalty=0.0).fit(PAIRS)
    drift = np.abs(first.vectors_.matrix - VECTORS.matrix)
    assert drift.max() > 0.3
    encoder = make(
        name, init=first, vectors=VECTORS if given else None, vectors_penalty=1e4,
        optimizer="adam", learning_rate=0.02, max_epochs=40, sparse_updates=False,
    ).fit(PAIRS)  # fmt: skip
    assert np.abs(encoder.vectors_.matrix - VECTORS.matrix).max() < 0.1


@pytest.mark.parametrize("name", ["charagram", "irnn"])
def test_init_in_a_grid_search_is_frozen(name, fitted):
    search = GridSearchCV(
        make(name, init=FrozenEstimator(fitted(name))),
        {"max_epochs": [0, 2]},
        scoring=STSScorer((PAIRS, GOLD)),
        cv=ShuffleSplit(1, random_state=0),
        error_score="raise",
    ).fit(PAIRS)
    expected = [
        make(name, init=fitted(name), max_epochs=0).fit(PAIRS),
        make(name, init=fitted(name)).fit(PAIRS),
    ]
    assert same(search.best_estimator_, expected[search.best_index_])
    with pytest.raises(ValueError, match="FrozenEstimator"):
        clone(make(name, init=fitted(name))).fit(PAIRS)


@each
@pytest.mark.parametrize("wrap", [lambda init: init, FrozenEstimator])
def test_init_that_is_not_fitted(name, wrap):
    encoder = make(name, init=wrap(make(name)))
    with pytest.raises(ValueError, match=r"is not fitted.*FrozenEstimator"):
        encoder.fit(PAIRS)
    with pytest.raises(NotFittedError):
        encoder.transform(TEXTS)


@each
def test_init_of_another_class(name, fitted):
    others = [n for n in ENCODERS if ENCODERS[n][0] != ENCODERS[name][0]]
    inits = [AverageEncoder(VECTORS), PairSimilarity(), *map(fitted, others)]
    for init in inits:
        with pytest.raises((TypeError, ValueError), match="init"):
            make(name, init=init).fit(PAIRS)


@pytest.mark.parametrize(
    ("name", "init", "params"),
    [
        # Their parameters have the same names and shapes.
        ("dan", "projection", {"n_layers": 1, "dim": 7}),
        ("irnn", "rnn", {}),
        ("lstm", "char lstm", {"dim": 6}),
        ("char lstm", "lstm", {"embedding_dim": 5, "dim": 5}),
    ],
)
def test_init_of_another_class_with_like_parameters(name, init, params, fitted):
    init = make("rnn", dim=5).fit(PAIRS) if init == "rnn" else fitted(init)
    with pytest.raises((TypeError, ValueError), match="init must be a fitted"):
        make(name, init=init, **params).fit(PAIRS)
    if name in OF_WORDS:
        with pytest.raises((TypeError, ValueError), match="init must be a fitted"):
            make(name, init=init, **{**params, "vectors": None}).fit(PAIRS)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("projection", {"dim": 3}),
        ("dan", {"n_layers": 3}),
        ("rnn", {"dim": 3}),
        ("lstm", {"output_gate": True}),
        ("lstm", {"peepholes": "full"}),
        ("cse", {"widths": (1, 3)}),
        ("cse", {"n_filters": 4}),
        ("charagram", {"n_layers": 2}),
        ("char cnn", {"filters": "kim"}),
        ("char cnn", {"dim": 3}),
        ("char lstm", {"peepholes": None}),
    ],
)
def test_init_of_other_shapes(name, params, fitted):
    with pytest.raises(ValueError, match="init has parameters of shapes"):
        make(name, init=fitted(name), **params).fit(PAIRS)


@pytest.mark.parametrize("name", OF_WORDS)
def test_init_of_other_words(name, fitted):
    other = WordVectors([f"v{i}" for i in range(20)], VECTORS.matrix)
    with pytest.raises(ValueError, match="with the words it began with"):
        make(name, init=fitted(name), vectors=other).fit(PAIRS)


# Settings of the papers.

EVERY_SETTING = [(kind, s) for kind, settings in SETTINGS.items() for s in settings]


@pytest.mark.parametrize(("kind", "setting"), EVERY_SETTING)
def test_settings_of_the_papers_train(kind, setting):
    owner = getattr(library, kind)
    params = {"random_state": 0, "max_epochs": 1, "device": "cpu"}
    if "vectors" in owner().get_params():
        params["vectors"] = VECTORS
    encoder = owner.paper(setting, **params)
    for key, value in params.items():
        assert encoder.get_params(deep=False)[key] is value
    for key, value in SETTINGS[kind][setting].items():
        if key not in params:
            assert encoder.get_params(deep=False)[key] == value
    if "dim" in owner().get_params():
        encoder.set_params(dim=5)
    if "embedding_dim" in owner().get_params():
        encoder.set_params(embedding_dim=5)
    vectors = encoder.fit(PAIRS).transform(TEXTS)
    assert np.isfinite(vectors).all() and vectors.any(axis=1).all()


@pytest.mark.parametrize("kind", SETTINGS)
def test_settings_by_name(kind):
    owner = getattr(library, kind)
    first, *_ = SETTINGS[kind]
    assert repr(owner.paper()) == repr(owner.paper(first))
    for name in SETTINGS[kind]:
        assert f'"{name}"' in owner.__doc__
    with pytest.raises(ValueError, match=rf"{kind} has no setting 'glove'.*{first}"):
        owner.paper("glove")

    class Mine(owner):
        pass

    assert isinstance(Mine.paper(first), Mine)


def test_every_trained_encoder_has_settings():
    trained = {
        name for name in library.__all__ if hasattr(library.__dict__[name], "paper")
    }
    assert trained == set(SETTINGS) and len(trained) == 10


def test_settings_of_the_released_scripts():
    """A few cells of the tables, written down once more."""
    table = {
        ("ParagramEncoder", "ppdb-xl"): (100, 1e-6, None, 1.0, "adam", 0.005, "max"),
        ("ProjectionEncoder", "ppdb-xl"): (100, 1e-8, 1e-5, None, "adam", 5e-4, "max"),
        ("DeepAveragingEncoder", "ppdb-xl"): (
            100, 1e-5, 1e-5, None, "adagrad", 0.05, "max",
        ),
        ("RNNEncoder", "ppdb-xl"): (100, 1e-6, 1e-4, None, "adam", 5e-4, "mix"),
        ("IdentityRNNEncoder", "ppdb-xl"): (100, 1e-6, 10, 1.0, "adam", 0.005, "max"),
        ("LSTMEncoder", "ppdb-xl-gate"): (100, 1e-6, 1e-3, None, "adam", 5e-4, "max"),
        ("LSTMEncoder", "ppdb-xl"): (50, 1e-6, 1e-3, None, "adam", 5e-4, "max"),
        ("ConvolutionalEncoder", "simple-wikipedia"): (
            256, 1e-6, 0, None, "adam", 0.001, "max",
        ),
        ("CharagramEncoder", "words"): (25, 0, 0, None, "adam", 0.001, "max"),
        ("CharagramEncoder", "phrases"): (100, 1e-6, 1e-6, None, "adam", 0.001, "max"),
        ("CharCNNEncoder", "words"): (25, 1e-6, 1e-6, None, "adam", 0.001, "mix"),
        ("CharLSTMEncoder", "words"): (50, 1e-6, 1e-6, None, "adam", 0.001, "mix"),
    }  # fmt: skip
    names = [
        "batch_size", "vectors_penalty", "composition_penalty", "clip_norm",
        "optimizer", "learning_rate", "negatives",
    ]  # fmt: skip
    for (kind, setting), expected in table.items():
        params = getattr(library, kind).paper(setting).get_params()
        assert tuple(params.get(name) for name in names) == expected, (kind, setting)
        assert params["sparse_updates"] is False


# Copies and files.

OURS = [
    "skparaphrase.text._vocabulary.Vocabulary",
    "skparaphrase.vectors._word_vectors.WordVectors",
    *(
        f"{owner.__module__}.{owner.__name__}"
        for owner in (getattr(library, kind) for kind in SETTINGS)
    ),
]
ROUND_TRIPS = {
    "pickle": lambda encoder, folder: pickle.loads(pickle.dumps(encoder)),
    "joblib": lambda encoder, folder: joblib.load(
        joblib.dump(encoder, folder / "encoder.joblib")[0]
    ),
    "skops": lambda encoder, folder: skops.io.loads(
        skops.io.dumps(encoder), trusted=OURS
    ),
    "folder": lambda encoder, folder: (
        encoder.save(folder / "encoder") or skparaphrase.load(folder / "encoder")
    ),
}


@each
@pytest.mark.parametrize("way", ROUND_TRIPS)
def test_round_trips(name, way, fitted, tmp_path):
    encoder = fitted(name)
    again = ROUND_TRIPS[way](encoder, tmp_path)
    assert type(again) is type(encoder) and same(again, encoder)
    assert again.loss_curve_ == encoder.loss_curve_ and again.n_epochs_ == 2
    assert_array_equal(again.transform(PAIRS), encoder.transform(PAIRS))
    assert_array_equal(again.transform(TEXTS), encoder.transform(TEXTS))
    assert again.partial_fit(PAIRS).n_epochs_ == 3
    assert same(again.fit(PAIRS), encoder)
    for key, value in encoder.get_params(deep=False).items():
        if key != "vectors":
            found = again.get_params(deep=False)[key]
            assert found == value or np.array_equal(found, value), key


@pytest.mark.parametrize("name", ["charagram", "cse", "char cnn"])
def test_parameters_that_are_tuples_survive_a_folder(name, tmp_path):
    encoder = make(name).fit(PAIRS)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder")
    assert_array_equal(loaded.transform(TEXTS), encoder.transform(TEXTS))
    assert same(clone(loaded).fit(PAIRS), encoder)


@each
def test_clones_are_not_fitted(name, fitted):
    encoder = fitted(name)
    copy = clone(encoder)
    assert not hasattr(copy, "vectors_") and not hasattr(copy, "parameters_")
    with pytest.raises(NotFittedError):
        copy.transform(TEXTS)
    assert same(copy.fit(PAIRS), encoder)


@each
def test_pickles_know_nothing_of_torch(name):
    encoder = make(name, warm_start=True).fit(PAIRS)
    encoder.transform(TEXTS)
    assert b"torch" not in pickle.dumps(encoder)


@pytest.mark.parametrize("name", ["rnn", "charagram"])
def test_grid_search_in_other_processes(name):
    pipe = make_pipeline(make(name), PairSimilarity())
    step = pipe.steps[0][0]
    search = GridSearchCV(
        pipe,
        {f"{step}__margin": [0.2, 0.6], f"{step}__max_epochs": [1, 2]},
        scoring=STSScorer((PAIRS, GOLD)),
        cv=ShuffleSplit(1, random_state=0),
        n_jobs=2,
        error_score="raise",
    ).fit(PAIRS)
    serial = clone(search).set_params(n_jobs=1).fit(PAIRS)
    scores = search.cv_results_["mean_test_score"]
    assert_allclose(scores, serial.cv_results_["mean_test_score"], atol=1e-4)
    assert len(set(scores)) == 4
    assert search.best_estimator_[:-1].transform(PAIRS).shape[:2] == (20, 2)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("projection", {"dim": 0}, "dim"),
        ("dan", {"n_layers": 0}, "n_layers"),
        ("dan", {"activation": "gelu"}, "activation"),
        ("rnn", {"composition_penalty": -1}, "composition_penalty"),
        ("rnn", {"word_dropout": 1.0}, "word_dropout"),
        ("rnn", {"scramble": 1.1}, "scramble"),
        ("lstm", {"output_gate": "yes"}, "output_gate"),
        ("lstm", {"peepholes": "both"}, "peepholes"),
        ("cse", {"widths": ()}, "widths"),
        ("cse", {"widths": (0, 1)}, "widths"),
        ("cse", {"padding": "same"}, "padding"),
        ("charagram", {"ngram_range": (3, 2)}, "ngram_range"),
        ("charagram", {"ngram_range": (2, 3, 4)}, "ngram_range|unpack"),
        ("charagram", {"min_count": 10_000}, "min_count"),
        ("charagram", {"binary": None}, "binary"),
        ("char cnn", {"filters": "wide"}, "filters"),
        ("char cnn", {"filters": []}, "filters"),
        ("char cnn", {"filters": [(1, 0)]}, "filters"),
        ("char cnn", {"filters": [3, 4]}, "filters"),
        ("char lstm", {"embedding_dim": 0}, "embedding_dim"),
        ("irnn", {"negative_pool": "second"}, "negative_pool"),
        ("irnn", {"init": "other"}, "init"),
    ],
)
def test_wrong_parameters_are_told_at_fit(name, params, message):
    encoder = clone(make(name).set_params(**params))
    with pytest.raises(ValueError, match=message):
        encoder.fit(PAIRS)
    with pytest.raises(NotFittedError):
        encoder.transform(TEXTS)


@each_composed
def test_blank_paraphrases_cannot_be_learned_from(name):
    with pytest.raises(ValueError, match=r"No word|no n-gram"):
        make(name).fit([("", " "), ("\t", "")])


@each
@pytest.mark.parametrize("loss", ["margin", "infonce"])
@pytest.mark.parametrize("optimizer", ["adagrad", "adam"])
def test_blank_texts_among_the_paraphrases_do_no_harm(name, loss, optimizer):
    # The first batch holds nothing at all.
    pairs = [("", ""), (" ", ""), *PAIRS, ("", "w1"), ("w2 w3", " ")]
    encoder = make(
        name, loss=loss, batch_size=2, clip_norm=1.0, ordered_first_epoch=True,
        optimizer=optimizer,
    ).fit(pairs)  # fmt: skip
    assert all(np.isfinite(array).all() for array in state(encoder).values())
    assert not encoder.transform([""]).any()


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("projection", {"dim": 3}),
        ("dan", {"n_layers": 3}),
        ("dan", {"n_layers": 1}),
        ("lstm", {"peepholes": "full"}),
        ("lstm", {"peepholes": None}),
        ("lstm gate", {"output_gate": False}),
        ("cse", {"widths": (1, 2)}),
        ("charagram", {"dim": 1}),
        ("char cnn", {"filters": "kim"}),
    ],
)
def test_training_does_not_go_on_with_other_shapes(name, params):
    encoder = make(name, warm_start=True).fit(PAIRS).set_params(**params)
    for method in (encoder.fit, encoder.partial_fit):
        with pytest.raises(ValueError, match="parameters of shapes"):
            method(PAIRS)


@pytest.mark.parametrize("filters", [[(2.5, 1)], [(2, 1.9)], [(0, 1)], [], "all", [3]])
def test_filters_that_are_none_are_refused(filters):
    encoder = CharCNNEncoder(filters=filters, dim=4, embedding_dim=3, max_epochs=1)
    with pytest.raises(ValueError, match="filters"):
        encoder.fit([("a b", "b a"), ("c d", "d c")])
