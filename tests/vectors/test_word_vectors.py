"""Tables of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import copy
import pickle

import joblib
import numpy as np
import pytest
from few_words import with_ngrams
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import skparaphrase
from skparaphrase.text import NgramTokenizer, WordTokenizer
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.vectors import (
    WordVectors,
    apply_sif_weights,
    fit_subwords,
    nearest_words,
    remove_mean,
    save_word_vectors,
)
from skparaphrase.vectors._transforms import append_new_words

DTYPES = ["float32", "float16", "int8"]


def made(*args, **params):
    return lambda table: WordVectors(*args, **params)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (made(["a"], [1.0, 2.0]), r"shape \(1, dim\).*got shape \(2,\)"),
        (made(["a", "b", "b"], np.eye(3)), "'b', row 1, occurs again in row 2"),
        (made(["a"], np.ones((1, 2), np.int8)), "int8 vectors need a scale"),
        (made(["a"], np.ones((1, 2)), scale=[1.0]), "other vectors take none"),
        (made(["a"], np.ones((1, 2), np.int8), scale=1.0), r"scale must be .* \(1,\)"),
        (made(["a"], np.ones((1, 2), np.int8), scale=[np.nan]), "'a', row 0, .*finite"),
        (made(["a"], np.full((1, 2), 127, np.int8), scale=[3e37]), "scale of 'a'"),
        (made(["a", "b"], [[1, 2], [np.nan, 3]]), "'b', row 1, is not finite"),
        (made(["a"], [[1e300]]), "'a', row 0, is not finite"),
        (made(["a"], [[1.0]], unknown="b"), "unknown='b' is neither 'subword'"),
        (made(["a"], [[1.0]], unknown="subword"), "fit_subwords learns them"),
        *(
            (lambda table, dtype=dtype: table.astype(dtype), "dtype must be one of")
            for dtype in ("float64", "int16", bool)
        ),
        (lambda table: table.replace(np.zeros((9, 4))), r"shape \(10, dim\)"),
        (lambda table: table.replace(np.full((10, 4), np.nan)), "'cat', row 0, is not"),
        (
            lambda table: table.with_rows([1, 3], [[0] * 4, [np.nan] * 4]),
            "row 3, is not finite",
        ),
        (
            lambda table: table.with_rows([1], [[0] * 4], ["x"], [[np.inf] * 4]),
            "'x', row 10,",
        ),
        *(
            (
                lambda table, target=target: nearest_words(table, target),
                r"Expected a vector of shape \(4,\)",
            )
            for target in (np.ones(3), np.ones((1, 4)), 1.0)
        ),
        *(
            (
                lambda table, value=value: nearest_words(table, [1, value, 0, 0]),
                "The vector is not finite",
            )
            for value in (np.nan, np.inf, -np.inf, 1e300)
        ),
        (lambda table: fit_subwords(table, (3, 2)), "must rise"),
        (lambda table: fit_subwords(table, (0, 2)), "must rise"),
        (lambda table: fit_subwords(table, n_rows=0), "must be positive"),
        (lambda table: fit_subwords(table, alpha=0), "must be positive"),
        (lambda _: fit_subwords(WordVectors(["a"], [[1]])), "three letters"),
        (lambda table: apply_sif_weights(table, a=0), "a == "),
        (lambda table: apply_sif_weights(table, a=-1.0), "a == "),
    ],
)
def test_what_is_wrong_is_a_value_error(table, call, message):
    with pytest.raises(ValueError, match=message):
        call(table())


def test_a_row_far_down_that_is_not_finite_is_found(full):
    matrix = np.full((40_000, 2), 3e38, dtype=np.float32)
    WordVectors(list(map(str, range(40_000))), matrix)
    matrix[30_001, 1] = np.nan
    with pytest.raises(ValueError, match="'30001', row 30001, is not finite"):
        WordVectors(list(map(str, range(40_000))), matrix)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_and_words(table, full, dtype):
    vectors = table(dtype, unknown="")
    expected = full(vectors)
    assert (len(vectors), vectors.dim, vectors.dtype) == (10, 4, dtype)
    assert vectors.unknown_row == 3
    for row, word in enumerate(vectors.words):
        assert_array_equal(vectors[word], expected[row])
        assert vectors[word].dtype == np.float32
    for rows in (np.array([3, 0, 3]), np.empty(0, int), slice(2, 5), slice(None)):
        assert_array_equal(vectors.rows(rows), expected[rows])
    assert ("cat" in vectors, "cow" in vectors) == (True, False)
    with pytest.raises(KeyError, match="cow"):
        vectors["cow"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_copies_and_the_table_does_not_change(table, full, dtype, tmp_path):
    vectors = table(dtype)
    before = full(vectors)
    vectors.rows()[:] = 9
    vectors["cat"][:] = 9
    save_word_vectors(vectors, tmp_path / "v")
    made = [f(vectors) for f in (copy.copy, copy.deepcopy)]
    made += [vectors, pickle.loads(pickle.dumps(vectors))]
    made += [skparaphrase.load(tmp_path / "v")]
    for other in made:
        assert not other.matrix.flags.writeable
        assert other.scale is None or not other.scale.flags.writeable
    assert_array_equal(full(vectors), before)


def brute_force(vectors, target, without=None):
    rows = vectors.rows().astype(np.float64)
    norms = np.linalg.norm(rows, axis=1) * np.linalg.norm(target)
    cosines = np.divide(rows @ target, norms, out=np.zeros(len(rows)), where=norms > 0)
    ranking = np.argsort(-cosines, kind="stable")
    return [(vectors.words[i], cosines[i]) for i in ranking if i != without]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_words", [1, 2, 50])
@pytest.mark.parametrize("n", [0, 1, 7, 10**6])
def test_nearest_against_brute_force(table, dtype, n_words, n):
    vectors = table(dtype, n=n_words)
    row = n_words // 2
    target = np.float64(vectors[f"w{row}"])
    for asked, without in ((f"w{row}", row), (target + 0.25, None)):
        vector = target if isinstance(asked, str) else asked
        expected = brute_force(vectors, vector, without)[:n]
        found = nearest_words(vectors, asked, k=n)
        assert len(found) == len(expected)
        assert_allclose([c for _, c in found], [c for _, c in expected], atol=2e-6)
        assert [word for word, _ in found] == [word for word, _ in expected]


def test_nearest_with_ties_and_unknown_words(table):
    vectors = WordVectors(["a", "b", "c"], [[1, 0], [2, 0], [0, 3]])
    assert nearest_words(vectors, vectors["b"]) == [("a", 1.0), ("b", 1.0), ("c", 0.0)]
    assert nearest_words(vectors, [0.0, 0.0], k=2) == [("a", 0.0), ("b", 0.0)]
    with pytest.raises(KeyError, match="'cow' is not among the 10 words"):
        nearest_words(table(), "cow")


columns = st.floats(2**-60, 1000, width=32) | st.just(0)


@given(hnp.arrays(np.float32, (5, 3), elements=columns), st.sampled_from([1, -1]))
def test_int8_errs_by_half_a_step(full, matrix, sign):
    matrix[:, 1] *= sign
    vectors = WordVectors(list("abcde"), matrix, unknown="c")
    small = vectors.astype(np.int8)
    assert small.matrix.dtype == np.int8
    assert (small.words, small.unknown) == (vectors.words, "c")
    step = np.abs(matrix).max(axis=1, keepdims=True) / 127
    assert np.all(np.abs(full(small) - matrix) <= step * (0.5 + 1e-4))
    assert_array_equal(small.astype("float32").matrix, full(small))


def test_data_types_that_are_kept_or_converted(table):
    for other in (np.float64, np.int64, np.bool_, np.longdouble):  # become float32
        made = WordVectors(["a", "b"], np.array([[1, 0], [1, 1]], dtype=other))
        assert (made.dtype, made.matrix.tolist()) == (np.float32, [[1, 0], [1, 1]])
    vectors = table()
    assert vectors.astype(np.float32) is vectors
    half = vectors.astype("float16")
    assert_array_equal(half.matrix, vectors.matrix.astype(np.float16))


def test_replace_keeps_the_words(table):
    vectors = table(unknown="cat")
    other = vectors.replace(np.zeros((10, 7)))
    assert (other.words, other.unknown, other.dim) == (vectors.words, "cat", 7)


@pytest.mark.parametrize("dtype", DTYPES)
def test_centered_vectors_have_no_mean(table, dtype):
    vectors = table(dtype, unknown="cat")
    before = vectors.rows().astype(np.float64)
    centered = remove_mean(vectors)
    after = centered.rows()
    assert_allclose(after, before - before.sum(axis=0) / len(before), atol=1e-6)
    assert_allclose(after.sum(axis=0), 0, atol=1e-5)
    assert (centered.words, centered.unknown) == (vectors.words, "cat")


def test_centering_moves_what_is_made_of_ngrams(table):
    vectors = fit_subwords(table())
    mean = vectors.rows().mean(axis=0)
    found, before = remove_mean(vectors)["catalogue"], vectors["catalogue"]
    assert_allclose(found, before - mean, atol=1e-6)


def test_tables_of_the_same_words_share_their_index(table):
    vectors = table()
    index = vectors.index  # made when it is needed
    for other in (vectors.replace(vectors.matrix), vectors.with_rows([0], [[1] * 4])):
        assert other.index is index and other.words is vectors.words
    more = vectors.with_rows([], [], ["new"], np.ones((1, 4)))
    assert more.index.get("new") == 10 and vectors.index.get("new") is None


@pytest.mark.parametrize("skip_unknown", [False, True])
@pytest.mark.parametrize("unknown", [None, "cat", "subword"])
def test_texts_are_encoded_whole_or_in_blocks(table, unknown, skip_unknown):
    vectors = table(unknown=unknown if unknown == "cat" else None)
    if unknown == "subword":
        vectors = with_ngrams(vectors.words, vectors.matrix)
    texts = [f"Cat naïve dog{chr(0x4E00 + i)} ★" for i in range(5000)]
    batch = vectors.encode(texts, WordTokenizer(), skip_unknown=skip_unknown)
    blocks = vectors.encode_blocks(texts, WordTokenizer(), skip_unknown=skip_unknown)
    whole = TokenBatch.concatenate([*blocks])
    for name in ("ids", "offsets", "extra"):
        assert_array_equal(getattr(batch, name), getattr(whole, name))
    dog, star = {None: ([], []), "cat": ([0], [0]), "subword": ([-1], [])}[unknown]
    if skip_unknown and unknown == "subword":
        dog = []
    assert batch[0].tolist() == [0, 4, *dog, *star]
    assert batch.lengths.tolist() == [len(batch[0])] * 5000
    assert (batch.extra is None) == (dog != [-1])


def test_ngrams_are_encoded_by_one_index():
    vectors = WordVectors([" c", "ca", "at"], np.eye(3))
    batch = vectors.encode(["Cat", "x"], NgramTokenizer())
    assert [batch[0].tolist(), batch[1].tolist()] == [[0, 1, 2], []]
    other = vectors.replace(np.zeros((3, 2)))
    [batch] = other.encode_blocks(["at"], NgramTokenizer(ngram_range=(2, 2)))
    assert batch.ids.tolist() == [2]


@pytest.mark.parametrize("pattern", ["words", r"\S+"])
def test_new_words_are_appended_in_the_order_of_texts(table, pattern):
    cjk = [*map(chr, range(0x4E00, 0x4E00 + 5000))]
    texts = ["dog cat Zoo", "cat-mouse dog ★ 9", *(f"x{c} dog" for c in cjk)]
    vectors = with_ngrams(table().words, table().matrix)
    more, rows = append_new_words(vectors, texts, WordTokenizer(pattern))
    new = ["dog", "zoo", "mouse", "9", *(f"x{c}" for c in cjk)]
    assert more.words == [*vectors.words, *new]
    assert_array_equal(more.matrix[10:], [vectors[word] for word in new])
    assert append_new_words(more, texts, WordTokenizer(pattern))[0] is more
    same = table()
    assert append_new_words(same, texts, WordTokenizer(pattern))[0] is same
    batch = more.encode(texts, WordTokenizer(pattern))
    assert batch.extra is None and batch[1].tolist() == [0, 12, 10, 13]
    assert_array_equal(rows.ids, batch.ids)
    found, words = vectors.encode_with_new_words(texts, WordTokenizer(pattern))
    assert words == new and found.offsets.tolist() == batch.offsets.tolist()
    assert_array_equal(np.where(found.ids < 0, 9 - found.ids, found.ids), batch.ids)
    assert_array_equal(found.extra, more.matrix[10:])
    found, words = same.encode_with_new_words(texts, WordTokenizer(pattern))
    assert words == [] and found.extra is None and len(found) == len(texts)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_replaced_and_words_appended(table, dtype):
    vectors = table(dtype)
    other = vectors.with_rows([1, 0], [[1, 2, 3, 4], [5, 6, 7, 8]])
    expected = vectors.rows()
    expected[[1, 0]] = [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert_array_equal(other.matrix, expected)
    assert other.words is vectors.words and other.matrix.dtype == np.float32
    more = other.with_rows([], [], ["new", "words"], np.ones((2, 4)))
    assert more.words == [*vectors.words, "new", "words"] and "new" in more
    assert_array_equal(more.matrix, [*expected, *np.ones((2, 4))])
    assert vectors.with_rows([], []) is vectors


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_of_every_kind_are_equal(table, assert_same, dtype, tmp_path):
    vectors = table(dtype, unknown="\ud800")
    assert clone(vectors) is vectors
    assert_same(copy.copy(vectors), vectors)
    assert_same(copy.deepcopy(vectors), vectors)
    assert_same(pickle.loads(pickle.dumps(vectors)), vectors)
    joblib.dump(vectors, tmp_path / "v")
    assert_same(joblib.load(tmp_path / "v"), vectors)
    mapped = joblib.load(tmp_path / "v", mmap_mode="r")
    assert_same(mapped, vectors)


words_of_any_kind = st.lists(
    st.text(st.characters(), max_size=5) | st.sampled_from(["a", "\ud800", "\udc00"]),
    unique=True,
    max_size=60,
)


@given(words_of_any_kind, st.lists(st.text(max_size=3), max_size=5))
def test_words_and_their_rows(words, others):
    index = {word: row for row, word in enumerate(words)}
    made = WordVectors(words, np.ones((len(words), 1)))
    for vectors in (made, pickle.loads(pickle.dumps(made)), made.replace(made.matrix)):
        assert vectors.words == words
        assert {word: vectors.index.get(word) for word in words} == index
        assert all((word in vectors) == (word in index) for word in [*words, *others])
    assert 1 not in made and [] not in made


def test_mapped_tables_are_the_same_tables_to_joblib(tmp_path):
    vectors = WordVectors([f"w{i}" for i in range(1000)], np.ones((1000, 1)))
    save_word_vectors(vectors, tmp_path / "saved")
    mapped = skparaphrase.load(tmp_path / "saved")
    joblib.dump(mapped, tmp_path / "dumped")
    read = joblib.load(tmp_path / "dumped", mmap_mode="r")
    for found in (mapped, read, pickle.loads(pickle.dumps(read))):
        assert joblib.hash(found) == joblib.hash(vectors)
        assert found.index["w999"] == 999


def test_copies_keep_attributes_that_were_added():
    vectors = WordVectors(["a", "b"], np.eye(2))
    vectors.note = "x"
    for found in (copy.copy(vectors), pickle.loads(pickle.dumps(vectors))):
        assert found.note == "x"
        assert_array_equal(found["b"], [0, 1])
        assert not found.matrix.flags.writeable
