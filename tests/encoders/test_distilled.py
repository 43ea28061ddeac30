"""DistilledEncoder against dense linear algebra, and by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import skparaphrase
from skparaphrase.datasets import load_faq, load_word_frequencies
from skparaphrase.encoders import AverageEncoder, DistilledEncoder, ParaphraseEncoder
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
    """The minimum of |X W - T|^2 + alpha |W|^2 by least squares."""
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
    average = AverageEncoder(encoder.vectors_, norm="l2")
    assert_array_equal(average.transform(TEXTS), found)


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


class Teacher:
    """Vectors of the words in the table above, and one vector for all others."""

    def encode(self, words):
        self.words = words
        return np.stack([VECTORS[w] if w in VECTORS else np.arange(6) for w in words])


PAIRS = [(f"ein {text} zwei", text) for text in TEXTS]  # each with its translation
SMALL = {"dim": 4, "n_subwords": 50}


def test_a_teacher_of_words_gives_those_of_the_texts_their_start():
    teacher = Teacher()
    found = DistilledEncoder(teacher.encode, **SMALL).fit(PAIRS, FIRST)
    assert teacher.words[:2] == ["ein", TEXTS[0].split()[0]]
    assert sorted(teacher.words) == sorted({w for x, _ in PAIRS for w in x.split()})
    table = WordVectors(teacher.words, teacher.encode(teacher.words))
    expected = DistilledEncoder(table, frequencies="corpus", **SMALL)
    expected.fit(PAIRS, np.stack([FIRST, FIRST], axis=1))
    assert found.vectors_.words == expected.vectors_.words
    assert_allclose(found.transform(PAIRS), expected.transform(PAIRS), atol=1e-5)


def slow_corpus(texts, teacher, alpha, weights):
    """Words that start from the targets, by dense algebra in double precision."""
    words = list(dict.fromkeys(" ".join(texts).split()))
    X = np.array([[text.split().count(word) for word in words] for text in texts], "f8")
    T = unit(teacher)
    start = np.zeros((len(words), T.shape[1]))
    for j in range(len(words)):
        for i in range(len(texts)):
            start[j] += weights[i] * X[i, j] * T[i]
        start[j] /= 1 + weights @ X[:, j]
    start -= start.mean(axis=0)
    roots = np.sqrt(weights)[:, np.newaxis]
    start = start @ ridge(roots * unit(X @ start), roots * T, 0.3)
    lengths = np.linalg.norm(X @ start, axis=1)[:, np.newaxis]
    length = np.average(np.linalg.norm(T, axis=1), weights=weights)
    X = roots * length / lengths * X
    W = start + ridge(X, roots * T - X @ start, alpha)
    common = np.linalg.svd(X @ W)[2][0]
    return words, W - np.outer(W @ common, common)


@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_words_learn_from_the_texts_alone_in_the_space_of_the_teacher(alpha):
    weights = RNG.uniform(0.5, 2, len(PAIRS))
    options = {"alpha": alpha, "n_steps": 300, "n_subwords": None, "dim": None}
    encoder = DistilledEncoder("corpus", axes="teacher", **options)
    encoder.fit(PAIRS, FIRST, sample_weight=weights)
    texts = np.ravel(PAIRS).tolist()
    twice = weights.repeat(2)
    words, expected = slow_corpus(texts, FIRST.repeat(2, axis=0), alpha, twice)
    assert [*encoder.vectors_.words] == words
    assert_allclose(encoder.vectors_.matrix, expected, rtol=1e-3, atol=2e-4)
    assert_array_equal(encoder.teacher_axes_, np.eye(7))
    assert not encoder.teacher_means_.any()
    variances = np.cov(unit(FIRST).T, aweights=weights, ddof=0).diagonal()
    shares = variances / variances.sum()
    assert_allclose(encoder.explained_variance_ratio_, shares)
    encoder.set_params(dim=3).fit(PAIRS, FIRST, sample_weight=weights)
    assert encoder.vectors_.dim == 3
    assert_allclose(encoder.explained_variance_ratio_, shares[:3])


def test_one_vector_a_pair_is_the_target_of_both_texts():
    twice = np.stack([FIRST, FIRST], axis=1)
    pairs = [(text, text[:3]) for text in TEXTS]
    for options in (EXACT, {"vectors": "corpus", "axes": "teacher", **SMALL}):
        found = DistilledEncoder(**options).fit(pairs, FIRST.tolist())
        expected = DistilledEncoder(**options).fit(pairs, twice)
        assert_allclose(found.vectors_.matrix, expected.vectors_.matrix, atol=1e-5)


def test_another_language_is_compared_with_the_teacher():
    english = load_faq().data[:200]
    letters = str.maketrans("abcdefghijklmnopqrstuvwxyz", "αβγδεζηθικλμνξοπρστυφχψωϊϋ")
    pairs = [(text, text.lower().translate(letters)) for text in english]
    teacher = skparaphrase.load_pretrained()
    vectors = teacher.transform(english)
    greek = DistilledEncoder("corpus", axes="teacher").fit(pairs, vectors)
    theirs = greek.transform([other for _, other in pairs])
    assert theirs.shape == vectors.shape
    cosines = unit(vectors) @ unit(theirs).T
    assert np.mean(cosines.argmax(axis=1) == np.arange(200)) > 0.95


def test_counts_of_texts_weight_words_unless_they_are_english():
    english = [*load_faq().data[:100]]
    teacher = RNG.randn(100, 5)
    others = [text.replace("e", "ë").replace("a", "ä") for text in english]
    for texts, same in ((english, load_word_frequencies()), (others, "corpus")):
        found, expected = (
            DistilledEncoder(frequencies=each, **SMALL).fit(texts, teacher)
            for each in (None, same)
        )
        assert_array_equal(found.vectors_.matrix, expected.vectors_.matrix)


@pytest.mark.parametrize(
    "vectors", ["corpus", Teacher().encode], ids=["corpus", "call"]
)
def test_a_whole_life(vectors, tmp_path):
    encoder = DistilledEncoder(vectors).fit(PAIRS, RNG.randn(80, 300))
    expected = encoder.transform(TEXTS)
    assert expected.shape == (80, 256)
    again = clone(encoder)
    assert type(again.vectors) is type(vectors)
    assert not hasattr(again, "vectors_")
    assert_array_equal(pickle.loads(pickle.dumps(encoder)).transform(TEXTS), expected)
    encoder.save(tmp_path / "model")
    loaded = skparaphrase.load(tmp_path / "model")
    assert loaded.vectors == (None if callable(vectors) else "corpus")
    assert_array_equal(loaded.transform(TEXTS), expected)
    average = AverageEncoder(encoder.vectors_, norm="l2")
    assert_array_equal(average.transform(TEXTS), expected)
    trained = ParaphraseEncoder(init=encoder, max_epochs=1, random_state=0).fit(PAIRS)
    assert trained.transform(TEXTS).shape == (80, 256)


GRID = np.reshape(TEXTS, (40, 2))


@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({}, ([], np.ones((0, 3))), "Found 0 samples"),
        ({}, (TEXTS, None), r"requires y to be passed, .*shape \(80, 'dim'\)"),
        ({}, (TEXTS, FIRST[:79]), r"must be .* \(80, 'dim'\) .* got shape \(79, 7"),
        ({}, (TEXTS, FIRST[:, 0]), r"got shape \(80,\)"),
        ({}, (GRID, FIRST), r"shape \(40, 2, 'dim'\)"),
        ({}, (GRID, FIRST[:39]), r"got shape \(39, 7\)"),
        ({}, (TEXTS, np.where(FIRST > 2, np.nan, FIRST)), "contains NaN"),
        ({}, (TEXTS, FIRST, np.ones(79)), "sample_weight"),
        ({}, (["nobody", "knows"], FIRST[:2]), "None of the 2 texts contains any"),
        ({"dim": 9}, (TEXTS, FIRST), "dim=9 is more than the 7 dimensions"),
        ({"dim": 0}, (TEXTS, FIRST), "'dim' parameter"),
        ({"alpha": 0}, (TEXTS, FIRST), "'alpha' parameter"),
        ({"n_steps": -1}, (TEXTS, FIRST), "'n_steps' parameter"),
        ({"a": 0}, (TEXTS, FIRST), "'a' parameter"),
        ({"axes": "english"}, (TEXTS, FIRST), "'axes' parameter"),
        ({"vectors": "glove.txt"}, (TEXTS, FIRST), "must be a WordVectors; got str"),
        ({"vectors": lambda words: np.ones((3, 2))}, (PAIRS, FIRST), "rows|shape"),
        ({"vectors": lambda words: [[np.nan]] * len(words)}, (PAIRS, FIRST), "finite"),
    ],
)  # fmt: skip
def test_what_fit_refuses(options, data, message):
    encoder = DistilledEncoder(**{"vectors": VECTORS, "dim": 4, **options})
    with pytest.raises(ValueError, match=message):
        encoder.fit(*data)
