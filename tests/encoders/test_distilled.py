"""DistilledEncoder against dense linear algebra, and by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.encoders import AverageEncoder, DistilledEncoder
from skparaphrase.vectors import WordVectors, fit_subwords

RNG = np.random.RandomState(0)
WORDS = [a + b + "x" for a in "abcdef" for b in "ghijk"]
VECTORS = WordVectors(WORDS, RNG.randn(30, 6).astype(np.float32))
TEXTS = [" ".join(RNG.choice(WORDS[:25], RNG.randint(1, 7))) for _ in range(80)]
COUNTS = {word: 3 * i + 1 for i, word in enumerate(WORDS)}
FIRST, SECOND = RNG.randn(80, 7), RNG.randn(80, 4)
EXACT = {"vectors": VECTORS, "n_steps": 300, "frequencies": COUNTS, "dim": 5}
EXACT["n_subwords"] = None


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


BOTH = np.hstack([unit(FIRST), unit(SECOND)])


def ridge(X, T, alpha):
    """The minimum of |X W - T|^2 + alpha |W|^2 as that of least squares."""
    penalty = np.sqrt(alpha) * np.eye(X.shape[1])
    zeros = np.zeros((X.shape[1], T.shape[1]))
    return np.linalg.lstsq(np.vstack([X, penalty]), np.vstack([T, zeros]))[0]


def slow_matrix(texts, teacher, dim, alpha, a=1e-3):
    """The word vectors by dense algebra in double precision, up to a rotation."""
    units = unit(teacher)
    centred = units - units.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:dim].T
    T = centred @ axes
    X = np.array([[text.split().count(word) for word in WORDS] for text in texts])
    p = np.array([COUNTS[word] for word in WORDS]) / sum(COUNTS.values())
    start = VECTORS.matrix.astype(np.float64)
    start = (start - start.mean(axis=0)) * (a / (a + p))[:, np.newaxis]
    start = start @ ridge(unit(X @ start), T, 0.3)
    lengths = np.linalg.norm(T, axis=1).mean() / np.linalg.norm(X @ start, axis=1)
    X = lengths[:, np.newaxis] * X
    W = start + ridge(X, T - X @ start, alpha)
    common = np.linalg.svd(X @ W)[2][0]
    return W - np.outer(W @ common, common), centred


@pytest.mark.parametrize("alpha", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("teacher", [FIRST, BOTH], ids=["one", "two"])
def test_vectors_are_those_of_dense_least_squares(teacher, alpha):
    expected, centred = slow_matrix(TEXTS, teacher, dim=5, alpha=alpha)
    encoder = DistilledEncoder(alpha=alpha, **EXACT).fit(TEXTS, teacher)
    found = encoder.vectors_.matrix
    assert encoder.vectors_.words == VECTORS.words
    assert_allclose(found @ found.T, expected @ expected.T, rtol=1e-3, atol=1e-4)
    assert_allclose(np.abs(found), np.abs(expected), rtol=1e-3, atol=2e-4)
    variances = np.linalg.svd(centred)[1] ** 2
    assert_allclose(encoder.explained_variance_ratio_, (variances / sum(variances))[:5])
    assert_allclose(encoder.teacher_axes_.T @ encoder.teacher_axes_, np.eye(5), 0, 1e-9)
    assert_allclose(encoder.teacher_means_, unit(teacher).mean(axis=0))


def test_kinds_of_teachers_are_equal(tmp_path):
    def matrix(X, y):
        return DistilledEncoder(**EXACT).fit(X, y).vectors_.matrix

    expected = matrix(TEXTS, FIRST)
    assert_allclose(matrix(TEXTS, 3 * FIRST), expected, atol=1e-4)
    pairs = np.reshape(TEXTS, (40, 2))
    assert_allclose(matrix(pairs, FIRST.reshape(40, 2, 7)), expected, atol=1e-6)
    np.save(tmp_path / "half.npy", FIRST.astype(np.float16))
    mapped = np.load(tmp_path / "half.npy", mmap_mode="r")
    assert_allclose(matrix(TEXTS, mapped), expected, atol=0.02)
    assert_allclose(matrix(TEXTS, FIRST.tolist()), expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["texts", "pairs"])
def test_integer_weights_count_like_repeated_rows(kind):
    X, y = np.array(TEXTS, dtype=object), FIRST
    if kind == "pairs":
        X, y = X.reshape(40, 2), y.reshape(40, 2, 7)
    counts = np.arange(len(X)) % 4
    found = DistilledEncoder(**EXACT).fit(X, y, sample_weight=counts)
    expected = DistilledEncoder(**EXACT)
    expected.fit(X.repeat(counts, axis=0), y.repeat(counts, axis=0))
    assert_allclose(found.teacher_means_, expected.teacher_means_)
    assert_allclose(found.teacher_axes_, expected.teacher_axes_, atol=1e-9)
    assert_allclose(found.vectors_.matrix, expected.vectors_.matrix, atol=2e-5)
    unweighted = DistilledEncoder(**EXACT).fit(X, y).vectors_.matrix
    assert np.abs(found.vectors_.matrix - unweighted).max() > 0.01
    with pytest.raises(ValueError, match="sample_weight"):
        DistilledEncoder(**EXACT).fit(X, y, sample_weight=counts[1:])


def test_a_teacher_may_have_no_direction_in_common_and_zero_vectors():
    teacher = FIRST.copy()
    teacher[3] = 0
    texts = ["", "nobody knows", *TEXTS[2:]]
    encoder = DistilledEncoder(**EXACT).fit(texts, teacher)
    vectors = encoder.transform(texts)
    assert np.isfinite(vectors).all()
    assert not vectors[:2].any()
    same = DistilledEncoder(**EXACT).fit(TEXTS, np.ones((80, 6)))
    assert np.isfinite(same.vectors_.matrix).all()


def test_dimensions():
    fit = DistilledEncoder(VECTORS, dim=None).fit
    assert fit(TEXTS, BOTH).transform(TEXTS).shape == (80, 11)
    assert fit(TEXTS, SECOND).get_feature_names_out().tolist()[-1].endswith("3")
    pairs = [("agx ahx", "aix"), ("ajx", "")]
    assert fit(TEXTS, SECOND).transform(pairs).shape == (2, 2, 4)


def test_the_vectors_are_those_of_an_average():
    encoder = DistilledEncoder(**EXACT)
    found = encoder.fit_transform(TEXTS, BOTH)
    assert_array_equal(AverageEncoder(encoder.vectors_).transform(TEXTS), found)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([], np.ones((0, 3)), "Found 0 samples"),
        (TEXTS, None, r"requires y to be passed, .*shape \(80, 'dim'\)"),
        (TEXTS, FIRST[:79], r"y must hold .* shape \(80, 'dim'\) .* got shape \(79, 7"),
        (TEXTS, FIRST[:, 0], r"got shape \(80,\)"),
        (np.reshape(TEXTS, (40, 2)), FIRST, r"shape \(40, 2, 'dim'\)"),
        (TEXTS, np.where(FIRST > 2, np.nan, FIRST), "contains NaN"),
        (TEXTS, FIRST[:, :4], "dim=5 is more than the 4 dimensions"),
        (["nobody", "knows"], FIRST[:2], "None of the 2 texts contains any"),
    ],
)
def test_wrong_data_raise(X, y, message):
    with pytest.raises(ValueError, match=message):
        DistilledEncoder(VECTORS, dim=5).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [("dim", 0), ("alpha", 0), ("n_steps", -1), ("a", 0), ("vectors", "glove.txt")],
)
def test_invalid_parameters_raise_at_fit(name, value):
    encoder = DistilledEncoder(VECTORS).set_params(**{name: value})
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        encoder.fit(TEXTS, FIRST)


def test_unknown_words_are_learnt_or_get_ngrams():
    made = fit_subwords(WordVectors(["cat", "sleeps", "barks"], np.eye(3)), n_rows=50)
    texts = ["cat sleeps", "dog barks", "cat barks", "dog sleeps .", "bird sleeps"]
    encoder = DistilledEncoder(made, dim=3, n_subwords=40).fit(texts, RNG.randn(5, 4))
    words = ["cat", "sleeps", "barks", "dog", "bird"]
    assert [*encoder.vectors_.words] == words
    assert encoder.vectors_.subwords.matrix.shape == (40, 3)
    assert encoder.transform(["doggy"]).any()
    plain = WordVectors(["cat", "sleeps", "barks"], np.eye(3))
    encoder = DistilledEncoder(plain, dim=3, n_subwords=None)
    assert not encoder.fit(texts, RNG.randn(5, 4)).transform(["doggy", "dog"]).any()
    assert encoder.vectors_.words == plain.words
