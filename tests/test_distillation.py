"""loss="distillation": learning the vectors that a teacher gives texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import orthogonal_procrustes
from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
    ConvolutionalEncoder,
    DeepAveragingEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    ParagramEncoder,
    ProjectionEncoder,
    RNNEncoder,
)
from skparaphrase.encoders._teacher import (
    taught_texts,
    teacher_axes,
    teacher_targets,
)
from skparaphrase.metrics import STSScorer
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(30)]
VECTORS = WordVectors(WORDS, RNG.randn(30, 8).astype(np.float32))
HIDDEN = dict(zip(WORDS, RNG.randn(30, 8), strict=True))  # the teacher's table
TEXTS = [" ".join(RNG.choice(WORDS, RNG.randint(1, 6))) for _ in range(200)]


def teach(texts, dim=8):
    turned = np.random.RandomState(1).randn(8, dim)
    vectors = np.array([sum(HIDDEN[w] for w in text.split()) for text in texts])
    return vectors if dim == 8 else vectors @ turned


LONG = {"optimizer": "adam", "max_epochs": 40}


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def make_encoder(**changes):
    settings = {
        "loss": "distillation",
        "max_epochs": 3,
        "batch_size": 20,
        "random_state": 0,
        "device": "cpu",
    }
    return ParagramEncoder(VECTORS, **{**settings, **changes})


def test_the_loss_is_one_less_the_mean_cosine():
    encoder = make_encoder(max_epochs=1, batch_size=len(TEXTS))
    encoder.fit(TEXTS, teach(TEXTS))
    table = dict(zip(WORDS, VECTORS.matrix, strict=True))
    averages = [np.mean([table[w] for w in text.split()], axis=0) for text in TEXTS]
    cosines = (unit(np.array(averages)) * unit(teach(TEXTS))).sum(axis=1)
    assert_allclose(encoder.loss_curve_, [1 - cosines.mean()], rtol=1e-5)


def test_a_step_goes_down_the_gradient():
    """One text of one word, against the derivative of the cosine written out."""
    encoder = make_encoder(max_epochs=1, optimizer="adam", vectors_penalty=0)
    target = teach(["w3"])
    encoder.fit(["w3", "w3"], np.repeat(target, 2, axis=0))
    start, aim = VECTORS["w3"].astype(float), unit(target)[0]
    length = np.linalg.norm(start)
    gradient = -(aim - (start @ aim) * start / length**2) / length
    moved = encoder.vectors_["w3"] - start
    # The first step of Adam is the rate times the sign of the gradient.
    assert_allclose(moved, -0.05 * np.sign(gradient), rtol=1e-3)


def test_averages_learn_a_teacher_that_is_an_average():
    encoder = make_encoder(**LONG).fit(TEXTS, teach(TEXTS))
    cosines = (unit(encoder.transform(TEXTS)) * unit(teach(TEXTS))).sum(axis=1)
    assert cosines.mean() > 0.99
    assert not hasattr(encoder, "teacher_axes_")


@pytest.mark.parametrize("dim", [3, 12])
def test_a_teacher_of_other_dimensions(dim):
    encoder = make_encoder(**LONG).fit(TEXTS, teach(TEXTS, dim))
    target = teach(TEXTS, dim) @ encoder.teacher_axes_
    assert encoder.teacher_axes_.shape == (dim, 8)
    cosines = (unit(encoder.transform(TEXTS)) * unit(target)).sum(axis=1)
    assert cosines.mean() > 0.99


def test_axes_are_those_of_procrustes():
    teacher, student = RNG.randn(50, 6), RNG.randn(50, 6)
    expected, _ = orthogonal_procrustes(teacher, student)
    assert_allclose(teacher_axes(teacher, student), expected, atol=1e-6)


def test_axes_keep_the_principal_components_of_the_teacher():
    teacher, student = RNG.randn(50, 6) * [9, 7, 5, 3, 2, 1], RNG.randn(50, 4)
    axes = teacher_axes(teacher, student)
    principal = TruncatedSVD(4, algorithm="arpack").fit(teacher).components_
    assert_allclose(axes @ axes.T, principal.T @ principal, atol=1e-5)
    assert_allclose(axes.T @ axes, np.eye(4), atol=1e-6)
    # No other orthogonal turn brings them nearer to the student's.
    best = np.linalg.norm(teacher @ axes - student)
    for seed in range(20):
        other, _ = np.linalg.qr(np.random.RandomState(seed).randn(4, 4))
        assert best <= np.linalg.norm(teacher @ axes @ other - student)


def test_axes_to_more_dimensions_keep_every_cosine():
    teacher, student = RNG.randn(50, 4), RNG.randn(50, 6)
    moved = teacher @ teacher_axes(teacher, student)
    assert_allclose(moved @ moved.T, teacher @ teacher.T, atol=1e-4)


def test_pairs_are_texts_side_by_side():
    pairs = np.array(TEXTS, dtype=object).reshape(-1, 2)
    targets = teach(TEXTS).reshape(-1, 2, 8)
    encoder = make_encoder(batch_size=10).fit(pairs, targets)
    again = make_encoder(batch_size=10).fit(pairs.tolist(), targets)
    assert_array_equal(encoder.vectors_.matrix, again.vectors_.matrix)
    flat = make_encoder(**LONG).fit(TEXTS, teach(TEXTS))
    of_pairs = make_encoder(**{**LONG, "batch_size": 10}).fit(pairs, targets)
    cosines = unit(flat.transform(TEXTS)) * unit(of_pairs.transform(TEXTS))
    assert cosines.sum(axis=1).mean() > 0.98


def test_a_text_that_comes_twice_has_the_mean_of_its_vectors():
    first, second = np.eye(8)[:2]
    encoder = make_encoder(max_epochs=200).fit(["w1 w2", "w1 w2"], [first, second])
    expected = unit(first + second)
    assert unit(encoder.transform(["w1 w2"]))[0] @ expected > 0.999


def test_texts_that_come_often_have_the_means_of_their_vectors():
    texts = ["w1", "w2 w3", "w1", "w4", "w2 w3", "w1"]
    vectors = np.random.RandomState(3).randn(6, 8)
    expected = [
        unit(
            unit(vectors)[[i for i, other in enumerate(texts) if other == text]].sum(0)
        )
        for text in ("w1", "w2 w3", "w4")
    ]
    _, taught = taught_texts(texts, vectors)
    numbers = np.array([0, 1, 0, 2, 1, 0])
    found = teacher_targets(taught, numbers, 3)
    assert found.dtype == np.float32
    assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_teachers_vectors_stay_as_they_are(dtype, order):
    vectors = np.array(teach(TEXTS), dtype=dtype, order=order)
    before = vectors.copy()
    vectors.flags.writeable = False
    encoder = make_encoder().fit(TEXTS, vectors)
    assert_array_equal(vectors, before)
    plain = make_encoder().fit(TEXTS, before.astype(np.float32).tolist())
    assert_allclose(encoder.vectors_.matrix, plain.vectors_.matrix, atol=1e-5)


def test_one_copy_of_a_teachers_vectors_is_made():
    texts = [f"w{i}" for i in range(20_000)]
    vectors = np.random.RandomState(0).standard_normal((20_000, 64))
    vectors = vectors.astype(np.float32)
    tracemalloc.start()
    _, taught = taught_texts(texts, vectors)
    teacher_targets(taught, np.arange(len(texts)), len(texts))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * vectors.nbytes


def test_texts_without_known_words_and_zero_vectors_do_no_harm():
    targets = teach(TEXTS)
    targets[3] = 0
    texts = [*TEXTS, "", "unheard of"]
    targets = np.vstack([targets, np.ones((2, 8))])
    encoder = make_encoder().fit(texts, targets)
    assert np.isfinite(encoder.vectors_.matrix).all()
    assert np.isfinite(encoder.loss_curve_).all()


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (TEXTS, None, r"fit\(texts, vectors\).*shape \(200, 'dim'\)"),
        (TEXTS, np.ones(200), r"got shape \(200,\)"),
        (TEXTS, np.ones((199, 8)), r"got shape \(199, 8\)"),
        (list(zip(TEXTS, TEXTS, strict=True)), np.ones((200, 8)), r"\(200, 2, 'dim'\)"),
        (TEXTS, np.full((200, 8), np.nan), "NaN"),
        ([], np.ones((0, 8)), "0 samples"),
        (["un", "known"], np.ones((2, 8)), "No word of the texts"),
    ],
)
def test_what_cannot_be_learnt_is_an_error(X, y, message):
    with pytest.raises(ValueError, match=message):
        make_encoder().fit(X, y)


@pytest.mark.parametrize("X", [TEXTS, np.array(TEXTS).reshape(-1, 2)])
def test_vectors_for_another_loss_are_an_error(X):
    with pytest.raises(ValueError, match=r"\(200, 8\): .*loss='distillation'"):
        make_encoder(loss="margin").fit(X, teach(TEXTS))


def test_warm_start_and_partial_fit_keep_the_axes():
    encoder = make_encoder(warm_start=True).fit(TEXTS, teach(TEXTS, 12))
    axes = encoder.teacher_axes_
    assert encoder.fit(TEXTS[:50], teach(TEXTS[:50], 12)).teacher_axes_ is axes
    assert encoder.partial_fit(TEXTS[:5], teach(TEXTS[:5], 12)).teacher_axes_ is axes
    with pytest.raises(ValueError, match="12 dimensions before, and have 9"):
        encoder.partial_fit(TEXTS[:5], np.ones((5, 9)))
    assert not hasattr(
        encoder.set_params(warm_start=False).fit(TEXTS, teach(TEXTS)), "teacher_axes_"
    )


def test_too_few_first_texts_to_choose_axes_are_warned_of(recwarn):
    make_encoder().partial_fit(TEXTS[:8], teach(TEXTS[:8], 12))
    make_encoder().partial_fit(TEXTS[:2], teach(TEXTS[:2], 3))  # all are kept
    make_encoder().partial_fit(TEXTS[:2], teach(TEXTS[:2]))
    make_encoder().fit(TEXTS[:2], teach(TEXTS[:2], 12))
    assert not recwarn.list
    encoder = make_encoder()
    message = "7 texts settle which 8 of the teacher's 12 dimensions"
    with pytest.warns(UserWarning, match=message) as warned:
        encoder.partial_fit(TEXTS[:7], teach(TEXTS[:7], 12))
    assert warned[0].filename == __file__
    encoder.partial_fit(TEXTS[:7], teach(TEXTS[:7], 12))
    assert not recwarn.list


def test_saved_and_loaded_with_its_axes(tmp_path):
    encoder = make_encoder().fit(TEXTS, teach(TEXTS, 12))
    encoder.save(tmp_path / "model")
    loaded = skparaphrase.load(tmp_path / "model")
    assert_array_equal(loaded.teacher_axes_, encoder.teacher_axes_)
    assert_array_equal(loaded.transform(TEXTS), encoder.transform(TEXTS))


@pytest.mark.parametrize(
    "encoder",
    [
        ProjectionEncoder(VECTORS, dim=6),
        DeepAveragingEncoder(VECTORS, dim=6),
        RNNEncoder(VECTORS, dim=6, scramble=0.5),
        IdentityRNNEncoder(VECTORS),
        LSTMEncoder(VECTORS, dim=6, word_dropout=0.1),
        ConvolutionalEncoder(VECTORS, n_filters=4),
        CharagramEncoder(dim=6, min_count=1),
        CharCNNEncoder(filters=[(6, 2)]),
        CharLSTMEncoder(dim=6),
    ],
    ids=lambda encoder: type(encoder).__name__,
)
def test_every_encoder_has_a_teacher(encoder):
    encoder.set_params(
        loss="distillation",
        optimizer="adam",
        learning_rate=0.01,
        max_epochs=4,
        batch_size=20,
        random_state=0,
        device="cpu",
    )
    encoder.fit(TEXTS, teach(TEXTS))
    assert encoder.loss_curve_[-1] < encoder.loss_curve_[0]


def test_a_grid_search_splits_texts_and_vectors():
    pairs = np.array(TEXTS, dtype=object).reshape(-1, 2)
    cosines = (unit(teach(TEXTS[::2])) * unit(teach(TEXTS[1::2]))).sum(axis=1)
    search = GridSearchCV(
        make_pipeline(make_encoder(), CommonComponentRemoval(0)),
        {"paragramencoder__max_epochs": [0, 30]},
        scoring=STSScorer({"sts": (pairs, cosines)}),
        refit="mean",
        cv=2,
    ).fit(TEXTS, teach(TEXTS))
    assert search.best_params_ == {"paragramencoder__max_epochs": 30}
