"""What a fit learns from: pairs, triplets, labels, scores, teachers; and stores."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import orthogonal_procrustes
from sklearn.decomposition import TruncatedSVD

import skparaphrase
from skparaphrase._math import text_groups
from skparaphrase.encoders import ParagramEncoder
from skparaphrase.encoders._data import (
    check_examples,
    check_teacher,
    mean_targets,
    partners,
    teacher_axes,
)
from skparaphrase.losses import CoSENTLoss, InfoNCELoss
from skparaphrase.optimizers import Optimizer
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(30)]
VECTORS = WordVectors(WORDS, RNG.randn(30, 8).astype(np.float32))
HIDDEN = dict(zip(WORDS, RNG.randn(30, 8), strict=True))  # the teacher's table
TEXTS = [" ".join(RNG.choice(WORDS, RNG.randint(1, 6))) for _ in range(200)]
PAIRS = list(zip(TEXTS[:38], TEXTS[40:78], strict=True))
PAIRS += [PAIRS[1], (TEXTS[2], TEXTS[2])]  # repeated texts
MASK = np.arange(40) % 3 > 0


def make_encoder(**changes):
    settings = {
        "max_epochs": 3, "batch_size": 20, "random_state": 0, "device": "cpu",
        "learning_rate": 0.05, "optimizer": Optimizer("adagrad", max_change=None),
        "pooling": "mean",
    }  # fmt: skip
    return ParagramEncoder(VECTORS, **{**settings, **changes})


def trained(X, y=None, **changes):
    return make_encoder(**changes).fit(X, y).vectors_.matrix


@pytest.fixture(params=["list", "Parquet"])
def container(request, to_parquet):
    """Takes rows."""
    return list if request.param == "list" else to_parquet


# Paraphrases


@pytest.mark.parametrize("y", [MASK, MASK.astype(int), MASK.astype(float).tolist()])
def test_y_marks_paraphrases(y, container):
    chosen = [pair for pair, is_one in zip(PAIRS, MASK, strict=True) if is_one]
    assert_array_equal(trained(container(PAIRS), y), trained(chosen))


# Kinds

TRIPLETS = [(*pair, TEXTS[100 + i]) for i, pair in enumerate(PAIRS)]
SCORES = np.random.RandomState(4).randint(6, size=40) / 2
LABELS = np.random.RandomState(5).randint(7, size=200)
NAMES = np.array([f"class {label}" for label in LABELS])
VECTORS_OF_TEXTS = np.random.RandomState(6).randn(200, 8)
KINDS = {
    "pairs": (PAIRS, None),
    "triplets": (TRIPLETS, None),
    "labels": (TEXTS, NAMES),
    "scores": (PAIRS, SCORES),
    "vectors": (TEXTS, VECTORS_OF_TEXTS),
}
ALL = frozenset(KINDS)


@pytest.mark.parametrize(
    ("X", "y", "kind"),
    [
        (PAIRS, None, "pairs"),
        (PAIRS, MASK, "pairs"),
        (PAIRS, SCORES, "scores"),
        (PAIRS, -MASK.astype(float), "scores"),
        (TRIPLETS, None, "triplets"),
        (TEXTS, LABELS, "labels"),
        (TEXTS, NAMES, "labels"),
        (TEXTS, LABELS % 2 > 0, "labels"),
        (TEXTS, VECTORS_OF_TEXTS, "vectors"),
        (PAIRS, VECTORS_OF_TEXTS[:80].reshape(40, 2, 8), "vectors"),
    ],
)
def test_shapes_and_values_decide_the_kind(X, y, kind):
    for container in (list, lambda X: np.array(X, dtype=object)):
        assert check_examples(container(X), y, ALL).signal.kind == kind


@pytest.mark.parametrize(
    ("X", "y", "changes", "message"),
    [
        (PAIRS, SCORES, {"loss": "margin"},
         r"between 0 and 2\.5\. Set loss='cosent' \(or 'auto'\).*y >= 4"),
        (PAIRS, np.full(40, 0.5), {}, "All scores are 0.5: there is no order"),
        (PAIRS, np.ones(40), {"loss": "cosent"}, "All scores are 1: there is no order"),
        (PAIRS, np.where(MASK, 1, -1), {}, "-1 and 1.*y > 0"),
        (PAIRS, ["yes", "no"] * 20, {}, "y contains str.*booleans"),
        (PAIRS, MASK[:-1], {}, "inconsistent numbers of samples"),
        (PAIRS, np.full(40, np.nan), {}, "NaN"),
        (PAIRS, np.zeros(40), {}, "Found 0 samples that are paraphrases.*minimum of 2"),
        (PAIRS, np.arange(40) == 7, {}, "Found 1 samples.*minimum of 2"),
        (PAIRS[:1], None, {}, "Found 1 samples.*minimum of 2"),
        ([], None, {}, "Found 0 samples.*minimum of 2"),
        (PAIRS, None, {"loss": "cosent"},
         "hold paraphrases, but the loss learns from graded pairs.*'auto'"),
        (TRIPLETS, np.ones(40), {}, r"X has triplets.*leave out y"),
        ([[*triplet, "w1"] for triplet in TRIPLETS], None, {}, r"shape \(\d+, 4\)"),
        (TEXTS, LABELS, {"loss": "cosent"},
         "hold labelled texts, but .* graded pairs"),
        (TEXTS, None, {}, r"shape \(200,\) and y is None.*FrozenEstimator\(encoder\)"),
        (TEXTS, LABELS[:-1], {}, "inconsistent numbers of samples"),
        (TEXTS, np.linspace(0, 1, 200), {}, "Unknown label type: continuous"),
        (TEXTS, np.where(LABELS > 2, np.nan, 1.0), {}, "NaN"),
        (TEXTS, np.where(LABELS > 2, None, NAMES), {}, r"y\[\d\] is None: drop"),
        (TEXTS, np.zeros(200, int), {}, "of at least two texts are needed; got 1"),
        (TEXTS[:6], [*"abcdef"], {}, "got 0"),
        (TEXTS[:6], [0, 0, 0, 1, 1, 1], {"validation_fraction": 0.6},
         "are needed to train on; got 1"),
        ([("un", "known"), ("no", "word")], None, {}, "No word of the texts"),
        (PAIRS, np.ones((40, 8)), {"loss": "infonce"},
         r"\(40, 8\): .*loss='distillation'"),
        (PAIRS, np.ones((40, 8)), {}, r"shape \(40, 2, 'dim'\).*got shape \(40, 8\)"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_what_cannot_be_learned_from(X, y, changes, message, container):
    encoder = make_encoder(**changes)
    with pytest.raises(ValueError, match=message):
        encoder.fit(container(X), y)
    assert not hasattr(encoder, "vectors_")
    if "validation_fraction" not in changes:
        with pytest.raises(ValueError, match=message):
            encoder.partial_fit(container(X), y)


@pytest.mark.parametrize("loss", ["auto", "margin"])
@pytest.mark.parametrize("kind", ["triplets", "labels", "scores"])
def test_every_container_trains_to_the_same_bits(kind, loss, container):
    if (kind, loss) == ("scores", "margin"):
        loss = CoSENTLoss(20)
    # Some texts have two labels.
    (X, y), settings = KINDS[kind], {"loss": loss, "validation_fraction": 0.2}
    wanted, found = (make_encoder(**settings) for _ in range(2))
    for method in ("fit", "partial_fit"):
        getattr(wanted, method)(X, y)
        getattr(found, method)(container(X), y)
        assert_array_equal(found.vectors_.matrix, wanted.vectors_.matrix)
        assert found.loss_curve_ == wanted.loss_curve_
    assert wanted.loss_curve_[1] < wanted.loss_curve_[0]


# Labels


def test_partners_are_other_texts_of_the_class():
    labels = np.array([3, 0, 3, 1, 3, 2, 2, 3, 3])
    for seed in range(20):
        pairs = partners(labels, np.random.RandomState(seed))
        found = {i: [b for a, b in pairs.tolist() if a == i] for i in range(9)}
        for i, others in found.items():
            mates = {j for j in range(9) if labels[j] == labels[i] and j != i}
            assert len(others) == len(set(others)) == min(len(mates), 2)
            assert set(others) <= mates
    of_first = [
        partners(labels, np.random.RandomState(seed))[:, 1].tolist()
        for seed in range(50)
    ]
    assert len(set(map(tuple, of_first))) > 10  # they are drawn


def test_labels_bring_the_texts_of_a_class_together():
    labels = np.array([int(text.split()[0][1:]) % 4 for text in TEXTS])

    def gap(vectors):
        cosines = unit(vectors) @ unit(vectors).T
        same = labels[:, None] == labels
        others = same & ~np.eye(200, dtype=bool)
        return cosines[others].mean() - cosines[~same].mean()

    start = make_encoder(max_epochs=0).fit(TEXTS, labels)
    encoder = make_encoder(max_epochs=10, loss=InfoNCELoss(keep=0))
    encoder.fit(TEXTS, labels)
    assert gap(encoder.transform(TEXTS)) > gap(start.transform(TEXTS)) + 0.05


def test_examples_that_share_texts_by_search():
    """Against a walk from example to example."""
    rng = np.random.RandomState(0)
    for shape, most in (((30, 2), 100), ((30, 3), 200), ((30,), 30)):
        texts = np.array(
            [f"t{i}" for i in rng.randint(most, size=np.prod(shape))], object
        )
        examples = texts.reshape(shape)
        y = np.arange(30) % 3 if len(shape) == 1 else None
        indices = check_examples(examples, y, ALL).indices.reshape(30, -1)
        groups = text_groups(indices[:, :2])  # no hard negatives
        sets = [set(np.atleast_1d(row)[:2]) for row in examples]
        for i in range(30):
            reached, size = {i}, 0
            while size < len(reached):
                size = len(reached)
                known = set().union(*(sets[j] for j in reached))
                reached = {j for j in range(30) if sets[j] & known}
            assert {*np.flatnonzero(groups == groups[i])} == reached
        assert 1 < len(set(groups)) < 30


# Teachers


def teach(texts, dim=8):
    turned = np.random.RandomState(1).randn(8, dim)
    vectors = np.array([sum(HIDDEN[w] for w in text.split()) for text in texts])
    return vectors if dim == 8 else vectors @ turned


def student(**changes):
    return make_encoder(loss="distillation", **changes)


LONG = {"optimizer": Optimizer("adam", max_change=None), "max_epochs": 40}


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


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
    encoder = student(max_epochs=1, optimizer="adam", vectors_penalty=0)
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


@pytest.mark.parametrize("dim", [3, 8, 12])
def test_averages_learn_a_teacher_that_is_an_average(dim):
    encoder = student(**LONG).fit(TEXTS, teach(TEXTS, dim))
    target = teach(TEXTS, dim)
    assert hasattr(encoder, "teacher_axes_") == (dim != 8)
    if dim != 8:
        assert encoder.teacher_axes_.shape == (dim, 8)
        target = target @ encoder.teacher_axes_
    assert mean_cosine(encoder.transform(TEXTS), target) > 0.99


@pytest.mark.filterwarnings("ignore:.* tokens have no vector")
def test_every_encoder_learns_from_a_teacher(zoo, name):
    encoder = zoo.make(
        name, loss="distillation", optimizer="adam", learning_rate=0.01, max_epochs=5
    ).fit(TEXTS, teach(TEXTS))
    assert encoder.loss_curve_[-1] < encoder.loss_curve_[0]
    assert encoder.teacher_axes_.shape == (8, zoo.dims[name])


def test_axes_are_principal_components_rotated_to_the_student():
    teacher, other = RNG.randn(50, 6) * [9, 7, 5, 3, 2, 1], RNG.randn(50, 6)
    expected, _ = orthogonal_procrustes(teacher, other)
    assert_allclose(teacher_axes(teacher, other), expected, atol=1e-6)
    principal = TruncatedSVD(4, algorithm="arpack").fit(teacher).components_.T
    rotation, _ = orthogonal_procrustes(teacher @ principal, other[:, :4])
    found = teacher_axes(teacher, other[:, :4])
    assert_allclose(found, principal @ rotation, atol=1e-5)
    moved = teacher[:, :4] @ teacher_axes(teacher[:, :4], RNG.randn(50, 6))
    cosines = teacher[:, :4] @ teacher[:, :4].T  # more dimensions keep all of them
    assert_allclose(moved @ moved.T, cosines, atol=1e-3)


def teacher_of(checked):
    return checked.signal.values.reshape(len(checked.strings), -1)


def test_repeated_texts_have_the_means_of_their_vectors():
    texts = ["w1", "w2 w3", "w1", "w4", "w2 w3", "w1"]
    vectors = np.random.RandomState(3).randn(6, 8)
    expected = [
        unit(unit(vectors)[[i for i, t in enumerate(texts) if t == text]].sum(axis=0))
        for text in ("w1", "w2 w3", "w4")
    ]
    checked = check_teacher(texts, vectors)
    assert checked.distinct == ["w1", "w2 w3", "w4"]
    found = mean_targets(teacher_of(checked), checked.indices, 3)
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
        ([], np.ones((0, 8)), "0 samples"),
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
    with pytest.raises(ValueError, match="12 dimensions before, and now have 9"):
        encoder.partial_fit(TEXTS[:5], np.ones((5, 9)))
    encoder.set_params(warm_start=False).fit(TEXTS, teach(TEXTS))
    assert not hasattr(encoder, "teacher_axes_")


def test_too_few_first_texts_to_choose_axes_are_warned_of(recwarn):
    student().partial_fit(TEXTS[:8], teach(TEXTS[:8], 12))
    student().partial_fit(TEXTS[:2], teach(TEXTS[:2], 3))  # all are kept
    student().partial_fit(TEXTS[:2], teach(TEXTS[:2]))
    student().fit(TEXTS[:2], teach(TEXTS[:2], 12))
    assert not recwarn.list
    encoder = student()
    message = "7 texts determine which 8 of the teacher's 12 dimensions"
    with pytest.warns(UserWarning, match=message) as warned:
        encoder.partial_fit(TEXTS[:7], teach(TEXTS[:7], 12))
    assert warned[0].filename == __file__
    encoder.partial_fit(TEXTS[:7], teach(TEXTS[:7], 12))
    assert not recwarn.list
