"""Encoders that learn the vectors of a teacher."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from few_words import HIDDEN, RNG, TEXTS, VECTORS, WORDS, make_encoder, unit
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import orthogonal_procrustes
from sklearn.decomposition import TruncatedSVD
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervision._supervise import supervise
from skparaphrase.supervision._teacher import find_axes, mean_targets


def teach(texts, dim=8):
    turned = np.random.RandomState(1).randn(8, dim)
    vectors = np.array([sum(HIDDEN[w] for w in text.split()) for text in texts])
    return vectors if dim == 8 else vectors @ turned


def student(**changes):
    return make_encoder(loss="distillation", **changes)


LONG = {"optimizer": Optimizer("adam", max_change=None), "max_epochs": 40}


def mean_cosine(a, b):
    return (unit(a) * unit(b)).sum(axis=1).mean()


def test_the_loss_is_one_less_the_mean_cosine():
    encoder = student(max_epochs=1, batch_size=200).fit(TEXTS, teach(TEXTS))
    table = dict(zip(WORDS, VECTORS.matrix, strict=True))
    averages = [np.mean([table[w] for w in text.split()], axis=0) for text in TEXTS]
    expected = 1 - mean_cosine(np.array(averages), teach(TEXTS))
    assert_allclose(encoder.loss_curve_, [expected], rtol=1e-5)


def test_a_step_follows_the_gradient():
    """One text of one word, against the derivative of the cosine written out."""
    encoder = student(max_epochs=1, optimizer="adam")
    target = teach(["w3"])
    encoder.fit(["w3", "w3"], np.repeat(target, 2, axis=0))
    start, aim = VECTORS["w3"].astype(float), unit(target)[0]
    length = np.linalg.norm(start)
    gradient = -(aim - (start @ aim) * start / length**2) / length
    moved = encoder.vectors_["w3"] - start
    # The first step of Adam is the rate times the sign of the gradient.
    assert_allclose(moved, -0.05 * np.sign(gradient), rtol=1e-3)


def test_one_hot_labels_are_no_vectors_of_a_teacher():
    one_hot = np.eye(3)[np.arange(len(TEXTS)) % 3]
    with pytest.raises(ValueError, match=r"one-hot labels.*argmax\(axis=1\)"):
        make_encoder().fit(TEXTS, one_hot)
    student(max_epochs=1).fit(TEXTS, one_hot)  # if it is meant


@pytest.mark.parametrize("container", [np.array, list, sparse.csr_array], ids=str)
def test_several_labels_are_no_vectors_of_a_teacher(container):
    rows = np.random.RandomState(0).randint(0, 2, size=(len(TEXTS), 4))
    for y in (rows, rows.astype(float), rows > 0):
        with pytest.raises(ValueError, match=r"several labels.*TextClassifier"):
            make_encoder().fit(TEXTS, container(y))
    # The advice of the message, in a pipeline.
    frozen = FrozenEstimator(make_encoder(max_epochs=0).fit(TEXTS, rows[:, 0]))
    one_vs_rest = OneVsRestClassifier(LogisticRegression())
    pipe = make_pipeline(frozen, one_vs_rest).fit(TEXTS, rows)
    assert pipe.predict(TEXTS).shape == rows.shape


@pytest.mark.parametrize("dim", [3, 8, 12])
def test_averages_learn_a_teacher_that_is_an_average(dim):
    encoder = student(**LONG).fit(TEXTS, teach(TEXTS, dim))
    target = teach(TEXTS, dim)
    assert hasattr(encoder, "teacher_axes_") == (dim != 8)
    if dim != 8:
        assert encoder.teacher_axes_.shape == (dim, 8)
        target = target @ encoder.teacher_axes_
    assert mean_cosine(encoder.transform(TEXTS), target) > 0.99


def test_axes_are_principal_components_rotated_to_the_student():
    teacher, other = RNG.randn(50, 6) * [9, 7, 5, 3, 2, 1], RNG.randn(50, 6)
    expected, _ = orthogonal_procrustes(teacher, other)
    assert_allclose(find_axes(teacher, other), expected, atol=1e-6)
    principal = TruncatedSVD(4, algorithm="arpack").fit(teacher).components_.T
    rotation, _ = orthogonal_procrustes(teacher @ principal, other[:, :4])
    found = find_axes(teacher, other[:, :4])
    assert_allclose(found, principal @ rotation, atol=1e-5)
    moved = teacher[:, :4] @ find_axes(teacher[:, :4], RNG.randn(50, 6))
    cosines = teacher[:, :4] @ teacher[:, :4].T  # more dimensions keep all of them
    assert_allclose(moved @ moved.T, cosines, atol=1e-3)


def test_repeated_texts_have_the_means_of_their_vectors():
    texts = ["w1", "w2 w3", "w1", "w4", "w2 w3", "w1"]
    vectors = np.random.RandomState(3).randn(6, 8)
    expected = [
        unit(unit(vectors)[[i for i, t in enumerate(texts) if t == text]].sum(axis=0))
        for text in ("w1", "w2 w3", "w4")
    ]
    examples = supervise(texts, vectors)
    assert examples.distinct == ["w1", "w2 w3", "w4"]
    found = mean_targets(examples.targets, examples.indices, 3)
    assert found.dtype == np.float32
    assert_allclose(found, expected, atol=1e-6)
    encoder = student(max_epochs=200).fit(["w1 w2", "w1 w2"], np.eye(8)[:2])
    assert unit(encoder.transform(["w1 w2"]))[0] @ unit(np.eye(8)[:2].sum(0)) > 0.999


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_teachers_vectors_stay_as_they_are(order):
    vectors = np.array(teach(TEXTS), dtype=np.float32, order=order)
    before = vectors.copy()
    vectors.flags.writeable = False
    encoder = student().fit(TEXTS, vectors)
    assert_array_equal(vectors, before)
    plain = student().fit(TEXTS, before.tolist())
    assert_array_equal(encoder.vectors_.matrix, plain.vectors_.matrix)


def test_texts_without_known_words_and_zero_vectors_do_no_harm():
    targets = np.vstack([teach(TEXTS), np.ones((2, 8))])
    targets[3] = 0
    encoder = student().fit([*TEXTS, "", "unheard of"], targets)
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
        ([], np.ones((0, 8)), "0 sample"),
        (["un", "known"], np.ones((2, 8)), "No word of the texts"),
    ],
)
def test_teachers_that_cannot_be_learned_from(X, y, message):
    with pytest.raises(ValueError, match=message):
        student().fit(X, y)


def test_resumed_fits_keep_the_axes(tmp_path):
    encoder = student(warm_start=True).fit(TEXTS, teach(TEXTS, 12))
    axes = encoder.teacher_axes_
    assert encoder.fit(TEXTS[:50], teach(TEXTS[:50], 12)).teacher_axes_ is axes
    assert encoder.partial_fit(TEXTS[:5], teach(TEXTS[:5], 12)).teacher_axes_ is axes
    encoder.save(tmp_path / "model")
    assert_array_equal(skparaphrase.load(tmp_path / "model").teacher_axes_, axes)
    with pytest.raises(ValueError, match="12 dimensions before, but now have 9"):
        encoder.partial_fit(TEXTS[:5], np.ones((5, 9)))
    encoder.set_params(warm_start=False).fit(TEXTS, teach(TEXTS))
    assert not hasattr(encoder, "teacher_axes_")


def test_too_few_first_texts_to_choose_axes_are_warned_of(recwarn):
    student().partial_fit(TEXTS[:8], teach(TEXTS[:8], 12))
    student().partial_fit(TEXTS[:2], teach(TEXTS[:2], 3))  # all are kept
    student().partial_fit(TEXTS[:2], teach(TEXTS[:2]))
    student().fit(TEXTS[:8], teach(TEXTS[:8], 12))
    assert not recwarn.list
    message = "7 texts determine which 8 of the teacher's 12 dimensions"
    for fit in (student().fit, student().partial_fit):
        with pytest.warns(UserWarning, match=message) as warned:
            encoder = fit(TEXTS[:7], teach(TEXTS[:7], 12))
        assert warned[0].filename == __file__
    encoder.partial_fit(TEXTS[:7], teach(TEXTS[:7], 12))
    assert not recwarn.list
