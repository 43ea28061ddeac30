"""ParagramEncoder: training on paraphrases through scikit-learn's interface."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from skparaphrase.callback import ScoreMonitor
from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import AverageEncoder, ParagramEncoder
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(60)]
VECTORS = WordVectors(WORDS, RNG.randn(60, 8).astype(np.float32) + 0.5)
USED = 50  # w50 to w59 occur in no text
PAIRS = [
    tuple(" ".join(RNG.choice(WORDS[:USED], RNG.randint(2, 6))) for _ in range(2))
    for _ in range(40)
]
TEXTS = [text for pair in PAIRS for text in pair]


def make_encoder(**changes):
    settings = {"max_epochs": 3, "batch_size": 8, "random_state": 0, "device": "cpu"}
    return ParagramEncoder(VECTORS, **{**settings, **changes})


def trained(X=PAIRS, y=None, **changes):
    return make_encoder(**changes).fit(X, y).vectors_.matrix


def distance(matrix):
    return np.linalg.norm(matrix - VECTORS.matrix)


def cosine_margin(encoder, pairs):
    """Mean cosine of partners less that of texts of other pairs."""
    vectors = encoder.transform(pairs)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=2, keepdims=True), 1e-9)
    cosines = vectors[:, 0] @ vectors[:, 1].T
    return 2 * np.diag(cosines).mean() - cosines.mean()


def raise_at(n_calls, error):
    calls = []

    def scorer(_):
        calls.append(None)
        if len(calls) == n_calls:
            raise error
        return 0.0

    return ScoreMonitor(scorer)


def test_transform_is_the_mean_of_the_trained_vectors():
    encoder = make_encoder().fit(PAIRS)
    table = dict(zip(encoder.vectors_.words, encoder.vectors_.matrix, strict=True))
    expected = [np.mean([table[word] for word in t.split()], axis=0) for t in TEXTS]
    assert_allclose(encoder.transform(TEXTS), expected, rtol=1e-5, atol=1e-6)
    assert encoder.transform(PAIRS).shape == (40, 2, 8)
    assert_array_equal(encoder.transform(["", "unheard of"]), np.zeros((2, 8)))


@pytest.mark.parametrize("seed", [int, np.random.RandomState])
@pytest.mark.parametrize("negatives", ["max", "mix", "random"])
def test_the_seed_decides_every_bit(negatives, seed):
    first, again, other = (
        trained(negatives=negatives, random_state=seed(n)) for n in (1, 1, 2)
    )
    assert_array_equal(first, again)
    assert (first != other).any()


def test_fit_leaves_global_random_states_alone():
    state, torch_state = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    make_encoder(negatives="mix").fit(PAIRS)
    assert_array_equal(np.random.get_state()[1], state[1])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), torch_state)


@pytest.mark.parametrize("loss", ["margin", "infonce"])
def test_training_lowers_the_loss_and_parts_the_pairs(loss):
    pairs = load_paraphrases().data
    encoder = ParagramEncoder(loss=loss, max_epochs=3, random_state=0).fit(pairs)
    first, second, third = encoder.loss_curve_
    assert first > second > third
    assert cosine_margin(encoder, pairs) > cosine_margin(AverageEncoder(), pairs) + 0.05


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_no_epochs_leave_the_vectors_to_the_bit(dtype):
    vectors = VECTORS.astype(dtype)
    encoder = make_encoder(max_epochs=0).set_params(vectors=vectors).fit(PAIRS)
    assert_array_equal(encoder.vectors_.matrix, vectors.rows(slice(None)))
    assert encoder.loss_curve_ == [] and encoder.n_epochs_ == 0


@pytest.mark.parametrize("source", ["mapping", "corpus"])
def test_sif_weighting_starts_from_weighted_centred_vectors(source):
    tokens = " ".join(TEXTS).split()
    counts = {word: tokens.count(word) for word in set(tokens)}
    frequencies = counts if source == "mapping" else "corpus"
    encoder = make_encoder(
        weighting="sif", a=0.01, frequencies=frequencies, max_epochs=0
    ).fit(PAIRS)
    mean = np.mean(VECTORS.matrix, axis=0, dtype=np.float64)
    expected = [
        0.01 / (0.01 + counts.get(word, 0) / len(tokens)) * (VECTORS[word] - mean)
        for word in WORDS
    ]
    assert_allclose(encoder.vectors_.matrix, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("optimizer", ["adagrad", "adam"])
@pytest.mark.parametrize("vectors_penalty", [0.0, 0.1])
def test_sparse_updates_keep_unseen_words_to_the_bit(optimizer, vectors_penalty):
    matrix = trained(optimizer=optimizer, vectors_penalty=vectors_penalty)
    assert_array_equal(matrix[USED:], VECTORS.matrix[USED:])
    assert (matrix[:USED] != VECTORS.matrix[:USED]).all()


@pytest.mark.parametrize("clip_norm", [None, 0.5])
def test_sparse_and_dense_adagrad_agree_without_penalty(clip_norm):
    settings = {"vectors_penalty": 0.0, "clip_norm": clip_norm}
    sparse, dense = (trained(sparse_updates=s, **settings) for s in (True, False))
    assert_allclose(sparse, dense, atol=1e-6)


def test_penalty_holds_the_vectors_near_their_start():
    distances = [distance(trained(vectors_penalty=p)) for p in (0.0, 0.03, 0.3, 3.0)]
    assert distances == sorted(distances, reverse=True)
    held = trained(vectors_penalty=1e4, learning_rate=1e-3, max_epochs=5)
    assert np.abs(held - VECTORS.matrix).max() < 3e-3


def test_given_vectors_are_not_changed():
    before = VECTORS.matrix.copy()
    encoder = make_encoder(weighting="sif", frequencies="corpus").fit(PAIRS)
    assert encoder.vectors is VECTORS
    assert_array_equal(VECTORS.matrix, before)
    assert not np.shares_memory(encoder.vectors_.matrix, VECTORS.matrix)
    assert encoder.vectors_.words == WORDS


MASK = np.arange(40) % 3 > 0


@pytest.mark.parametrize(
    ("y", "positive_from"),
    [
        (MASK, None),
        (MASK.astype(int), None),
        (MASK.astype(float).tolist(), None),
        (np.where(MASK, 4.0, 3.9), 4),
        (np.where(MASK, 1, -1), 1),
    ],
)
def test_y_says_which_pairs_are_paraphrases(y, positive_from):
    chosen = [pair for pair, is_one in zip(PAIRS, MASK, strict=True) if is_one]
    assert_array_equal(trained(PAIRS, y, positive_from=positive_from), trained(chosen))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (PAIRS, np.linspace(0, 5, 40), "positive_from="),
        (PAIRS, np.where(MASK, 1, -1), "-1 and 1.*positive_from=1"),
        (PAIRS, ["yes", "no"] * 20, "y holds str.*booleans"),
        (PAIRS, MASK[:-1], "inconsistent numbers of samples"),
        (PAIRS, np.full(40, np.nan), "NaN"),
        (PAIRS, np.zeros(40), "Found 0 samples.*minimum of 2"),
        (PAIRS, np.arange(40) == 7, "Found 1 samples.*minimum of 2"),
        (PAIRS[:1], None, "Found 1 samples.*minimum of 2"),
        ([], None, "Found 0 samples.*minimum of 2"),
        (TEXTS, None, "Expected pairs"),
        ([("un", "known"), ("no", "word")], None, "No word of the texts"),
    ],
)
def test_data_that_cannot_be_learned_from_is_an_error(X, y, message):
    with pytest.raises(ValueError, match=message):
        make_encoder().fit(X, y)
    with pytest.raises(ValueError, match=message):
        make_encoder().partial_fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vectors", {"a": 1}),
        ("weighting", "idf"),
        ("a", 0),
        ("frequencies", "wiki"),
        ("loss", "triplet"),
        ("margin", -0.1),
        ("temperature", 0),
        ("negatives", "min"),
        ("mask_identical", "yes"),
        ("positive_from", "4"),
        ("optimizer", "sgd"),
        ("learning_rate", 0),
        ("batch_size", 1),
        ("max_epochs", -1),
        ("max_epochs", 1.5),
        ("clip_norm", 0),
        ("vectors_penalty", -1),
        ("ordered_first_epoch", None),
        ("sparse_updates", None),
        ("warm_start", 2),
        ("device", None),
        ("random_state", "seed"),
        ("token_pattern", "("),
    ],
)
def test_wrong_parameters_are_told_at_fit(name, value):
    encoder = clone(make_encoder().set_params(**{name: value}))
    with pytest.raises(ValueError, match=name):
        encoder.fit(PAIRS)


def test_missing_cuda_is_a_clear_error(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=r"device='cuda'.*no CUDA device"):
        make_encoder(device="cuda").fit(PAIRS)
    assert_array_equal(trained(device="auto"), trained(device="cpu"))


@pytest.mark.parametrize("X", [PAIRS, [("un", "known"), ("no", "word")]])
def test_a_fit_that_failed_does_not_look_fitted(X, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    encoder = make_encoder(device="cuda")
    with pytest.raises(ValueError, match=r"CUDA|No word"):
        encoder.fit(X)
    with pytest.raises(NotFittedError):
        encoder.transform(TEXTS)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"optimizer": "adam", "learning_rate": 0.01},
        {"vectors_penalty": 0.1},
        {"vectors_penalty": 0.1, "sparse_updates": False},
        {"negatives": "mix"},
        {"ordered_first_epoch": True},
        {"weighting": "sif", "frequencies": "corpus", "loss": "infonce"},
    ],
)
def test_warm_start_goes_on_to_the_bit(changes):
    whole = make_encoder(max_epochs=5, **changes).fit(PAIRS)
    parts = make_encoder(max_epochs=2, warm_start=True, **changes).fit(PAIRS)
    parts.set_params(max_epochs=3).fit(PAIRS)
    assert_array_equal(parts.vectors_.matrix, whole.vectors_.matrix)
    assert parts.n_epochs_ == 5 and parts.loss_curve_ == whole.loss_curve_
    steps = make_encoder(**changes)
    for epoch in range(1, 6):
        steps = pickle.loads(pickle.dumps(steps.partial_fit(PAIRS)))
        assert steps.n_epochs_ == epoch
    assert_array_equal(steps.vectors_.matrix, whole.vectors_.matrix)
    assert steps.loss_curve_ == whole.loss_curve_


def test_without_warm_start_fit_starts_over():
    encoder = make_encoder(max_epochs=2, vectors_penalty=0.1).fit(PAIRS)
    first = encoder.vectors_.matrix.copy()
    assert_array_equal(encoder.fit(PAIRS).vectors_.matrix, first)
    assert encoder.n_epochs_ == len(encoder.loss_curve_) == 2
    encoder.partial_fit(PAIRS).fit(PAIRS)
    assert_array_equal(encoder.vectors_.matrix, first)


@pytest.mark.parametrize("optimizers", [("adagrad", "adam"), ("adam", "adagrad")])
def test_another_optimizer_starts_with_a_state_of_its_own(optimizers):
    first = make_encoder(optimizer=optimizers[0], warm_start=True).fit(PAIRS)
    second = pickle.loads(pickle.dumps(first))
    second._optimizer_state = {}
    for encoder in (first, second):
        encoder.set_params(optimizer=optimizers[1]).fit(PAIRS)
    assert_array_equal(first.vectors_.matrix, second.vectors_.matrix)


def test_ordered_first_epoch_needs_no_seed():
    first, second = (
        make_encoder(ordered_first_epoch=True, max_epochs=1, random_state=seed)
        for seed in (1, 2)
    )
    assert_array_equal(*(e.fit(PAIRS).vectors_.matrix for e in (first, second)))
    assert (first.partial_fit(PAIRS).loss_curve_[0]) == second.loss_curve_[0]
    second.partial_fit(PAIRS)
    assert (first.vectors_.matrix != second.vectors_.matrix).any()


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_interrupted_training_keeps_what_it_has_and_goes_on(error):
    encoder = make_encoder(max_epochs=5, warm_start=True)
    encoder.set_callbacks(raise_at(2, error))
    with pytest.raises(error):
        encoder.fit(PAIRS)
    assert encoder.n_epochs_ == len(encoder.loss_curve_) == 2
    assert_array_equal(encoder.vectors_.matrix, trained(max_epochs=2))
    encoder.set_callbacks().set_params(max_epochs=3).fit(PAIRS)
    assert_array_equal(encoder.vectors_.matrix, trained(max_epochs=5))


@pytest.mark.parametrize("warm_start", [False, True])
@pytest.mark.parametrize("optimizer", ["adagrad", "adam"])
def test_pickles_know_nothing_of_torch(optimizer, warm_start, tmp_path):
    encoder = make_encoder(optimizer=optimizer, warm_start=warm_start).fit(PAIRS)
    data = pickle.dumps(encoder)
    assert b"torch" not in data
    assert_array_equal(pickle.loads(data).transform(TEXTS), encoder.transform(TEXTS))


def test_a_pickle_is_used_without_importing_torch(tmp_path):
    encoder = make_encoder(warm_start=True).fit(PAIRS)
    (tmp_path / "encoder.pkl").write_bytes(pickle.dumps(encoder))
    code = (
        "import pickle, sys\n"
        "encoder = pickle.load(open('encoder.pkl', 'rb'))\n"
        "print(encoder.transform(['w1 w2 w3']).tolist())\n"
        "assert 'torch' not in sys.modules\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == str(encoder.transform(["w1 w2 w3"]).tolist())


def test_a_batch_larger_than_the_data_is_the_data():
    assert_array_equal(trained(batch_size=1000), trained(batch_size=len(PAIRS)))


def test_verbose_prints_a_line_an_epoch(capsys):
    encoder = make_encoder(verbose=True).fit(PAIRS)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    for epoch, (line, loss) in enumerate(zip(lines, encoder.loss_curve_, strict=True)):
        assert f"epoch {epoch + 1}:" in line and f"{loss:.4f}" in line
    make_encoder().fit(PAIRS)
    assert capsys.readouterr().out == ""
