"""Tables of word vectors, word frequencies, and averages of vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import copy
import json
import pickle
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from skparaphrase.text import TokenBatch
from skparaphrase.vectors import WordFrequencies, WordVectors, _pooling, _word_vectors
from skparaphrase.vectors._pooling import weighted_average

DTYPES = ["float32", "float16", "int8"]
ODD_WORDS = ["cat", "a\nb", "\ud800", "", "naïve", "😀\0", ". . .", "\u2028", "\\", '"']


def table(dtype="float32", n=10, dim=4, unknown=None):
    matrix = np.random.default_rng(0).normal(size=(n, dim))
    words = ODD_WORDS if n == 10 else [f"w{i}" for i in range(n)]
    return WordVectors(words, matrix, unknown=unknown).astype(dtype)


def full(vectors):
    matrix = vectors.matrix.astype(np.float32)
    return matrix if vectors.scale is None else matrix * vectors.scale[:, None]


def assert_same(found, expected):
    assert (found.words, found.index) == (expected.words, expected.index)
    assert (found.unknown, found.dtype) == (expected.unknown, expected.dtype)
    assert_array_equal(found.matrix, expected.matrix)
    assert_array_equal(full(found), full(expected))


@pytest.mark.parametrize(
    ("words", "matrix", "params", "message"),
    [
        (["a"], [1.0, 2.0], {}, r"shape \(1, dim\).*got shape \(2,\)"),
        (["a", "b"], np.ones((2, 1, 1)), {}, r"got shape \(2, 1, 1\)"),
        (
            ["a", "b", "c", "b"],
            np.ones((4, 1)),
            {},
            "'b', row 1, occurs again in row 3",
        ),
        (["a"], np.ones((1, 2), np.int8), {}, "int8 vectors need a scale"),
        (["a"], np.ones((1, 2)), {"scale": [1.0]}, "others take none"),
        (["a"], np.ones((1, 2), np.int8), {"scale": 1.0}, r"scale must be .* \(1,\)"),
        (["a"], np.ones((1, 2), np.int8), {"scale": [np.nan]}, "'a', row 0, .*finite"),
        (["a", "b"], [[1, 2], [np.nan, 3]], {}, "'b', row 1, is not finite"),
        (["a", "b"], np.float16([[1, -np.inf], [2, 3]]), {}, "'a', row 0, is not fin"),
        (["a", "b"], [[np.inf, -np.inf], [2, 3]], {}, "'a', row 0, is not finite"),
        (["a"], [[1e300]], {}, "'a', row 0, is not finite"),
        (["a"], [[1.0]], {"unknown": "b"}, "unknown='b' is not a word"),
    ],
)
def test_a_wrong_table_is_a_value_error(words, matrix, params, message):
    with pytest.raises(ValueError, match=message):
        WordVectors(words, matrix, **params)


def test_a_row_far_down_that_is_not_finite_is_found():
    matrix = np.full((40_000, 2), 3e38, dtype=np.float32)
    WordVectors(list(map(str, range(40_000))), matrix)
    matrix[30_001, 1] = np.nan
    with pytest.raises(ValueError, match="'30001', row 30001, is not finite"):
        WordVectors(list(map(str, range(40_000))), matrix)


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.bool_, np.longdouble])
def test_other_numbers_become_float32(dtype):
    vectors = WordVectors(["a", "b"], np.array([[1, 0], [1, 1]], dtype=dtype))
    assert vectors.dtype == np.float32
    assert_array_equal(vectors.matrix, [[1, 0], [1, 1]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_and_words(dtype):
    vectors = table(dtype, unknown="")
    expected = full(vectors)
    assert (len(vectors), vectors.dim, vectors.dtype) == (len(ODD_WORDS), 4, dtype)
    assert vectors.unknown_row == 3
    for row, word in enumerate(ODD_WORDS):
        assert_array_equal(vectors[word], expected[row])
        assert vectors[word].dtype == np.float32
    for rows in (np.array([3, 0, 3]), np.empty(0, int), slice(2, 5), slice(None)):
        assert_array_equal(vectors.rows(rows), expected[rows])
    assert ("cat" in vectors, "cow" in vectors) == (True, False)
    with pytest.raises(KeyError, match="cow"):
        vectors["cow"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_copies_and_the_table_does_not_change(dtype, tmp_path):
    vectors = table(dtype)
    before = full(vectors)
    vectors.rows(slice(None))[:] = 9
    vectors["cat"][:] = 9
    vectors.save(tmp_path / "v")
    made = [f(vectors) for f in (copy.copy, copy.deepcopy, WordVectors.with_unknown)]
    made += [vectors, pickle.loads(pickle.dumps(vectors))]
    made += [WordVectors.load(tmp_path / "v", mmap=mmap) for mmap in (True, False)]
    for other in made:
        assert not other.matrix.flags.writeable
        assert other.scale is None or not other.scale.flags.writeable
    assert_array_equal(full(vectors), before)


def brute_force(vectors, target, without=None):
    rows = vectors.rows(slice(None)).astype(np.float64)
    norms = np.linalg.norm(rows, axis=1) * np.linalg.norm(target)
    cosines = np.divide(rows @ target, norms, out=np.zeros(len(rows)), where=norms > 0)
    ranking = np.argsort(-cosines, kind="stable")
    return [(vectors.words[i], cosines[i]) for i in ranking if i != without]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_words", [1, 2, 50, 70_000])
@pytest.mark.parametrize("n", [0, 1, 7, 49, 50, 10**6])
def test_nearest_against_brute_force(dtype, n_words, n):
    vectors = table(dtype, n=n_words)
    row = n_words // 2
    target = np.float64(vectors[f"w{row}"])
    for asked, without in ((f"w{row}", row), (target + 0.25, None)):
        vector = target if isinstance(asked, str) else asked
        expected = brute_force(vectors, vector, without)[:n]
        found = vectors.nearest(asked, n=n)
        assert len(found) == len(expected)
        assert_allclose([c for _, c in found], [c for _, c in expected], atol=2e-6)
        if n_words <= 50:
            assert [word for word, _ in found] == [word for word, _ in expected]


def test_nearest_leaves_the_word_out_even_where_others_equal_it():
    vectors = WordVectors(["a", "b", "c"], [[1, 0], [2, 0], [0, 3]])
    assert vectors.nearest("b") == [("a", 1.0), ("c", 0.0)]
    assert vectors.nearest(vectors["b"]) == [("a", 1.0), ("b", 1.0), ("c", 0.0)]
    assert vectors.nearest([0.0, 0.0], n=2) == [("a", 0.0), ("b", 0.0)]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 60, 150, 199])
def test_ties_go_to_the_first_words(n):
    matrix = np.tile(np.float32([[1, 0], [0, 1]]), (100, 1))
    vectors = WordVectors([f"w{i}" for i in range(200)], matrix)
    expected = [f"w{i}" for i in [*range(2, 200, 2), *range(1, 200, 2)]]
    assert [word for word, _ in vectors.nearest("w0", n=n)] == expected[:n]


def test_nearest_to_a_wrong_target():
    with pytest.raises(KeyError, match="'cow' is not among the 10 words"):
        table().nearest("cow")
    for target in (np.ones(3), np.ones((1, 4)), 1.0):
        with pytest.raises(ValueError, match=r"Expected a vector of shape \(4,\)"):
            table().nearest(target)


columns = st.floats(2**-60, 1000, width=32) | st.just(0)


@settings(deadline=None)
@given(hnp.arrays(np.float32, (5, 3), elements=columns), st.sampled_from([1, -1]))
def test_int8_errs_by_half_a_step(matrix, sign):
    matrix[:, 1] *= sign
    vectors = WordVectors(list("abcde"), matrix, unknown="c")
    small = vectors.astype(np.int8)
    assert small.matrix.dtype == np.int8
    assert (small.words, small.unknown) == (vectors.words, "c")
    step = np.abs(matrix).max(axis=1, keepdims=True) / 127
    assert np.all(np.abs(full(small) - matrix) <= step * (0.5 + 1e-4))
    assert_array_equal(small.astype("float32").matrix, full(small))


def test_astype_rounds_halves_and_refuses_others():
    vectors = table()
    assert vectors.astype(np.float32) is vectors
    half = vectors.astype("float16")
    assert_array_equal(half.matrix, vectors.matrix.astype(np.float16))
    for dtype in ("float64", "int16", bool):
        with pytest.raises(ValueError, match="dtype must be one of"):
            vectors.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_with_unknown_adds_one_row(dtype):
    vectors = table(dtype)
    error = {"float32": 1e-6, "float16": 2e-3, "int8": 2e-2}[dtype]
    for vector, expected in ((None, full(vectors).mean(axis=0)), ([1, 2, 3, 4],) * 2):
        more = vectors.with_unknown(vector, word="<x>")
        assert more.words == [*ODD_WORDS, "<x>"]
        assert (more.unknown, more.unknown_row, more.dtype) == ("<x>", 10, dtype)
        assert_allclose(more["<x>"], expected, atol=error)
        assert_allclose(full(more)[:-1], full(vectors), rtol=1e-6)
    with pytest.raises(ValueError, match=r"shape \(4,\); got \(3,\)"):
        vectors.with_unknown([1, 2, 3])
    with pytest.raises(ValueError, match="'cat', row 0, occurs again"):
        vectors.with_unknown(word="cat")


def test_replace_keeps_the_words():
    vectors = table(unknown="cat")
    other = vectors.replace(np.zeros((10, 7)))
    assert (other.words, other.unknown, other.dim) == (vectors.words, "cat", 7)
    with pytest.raises(ValueError, match=r"shape \(10, dim\)"):
        vectors.replace(np.zeros((9, 4)))


def test_from_keyed_vectors():
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
    keyed = SimpleNamespace(index_to_key=["a", "b", "c"], vectors=matrix)
    vectors = WordVectors.from_keyed_vectors(keyed, unknown="b")
    assert (vectors.words, vectors.unknown) == (["a", "b", "c"], "b")
    assert_array_equal(vectors.matrix, matrix)
    with pytest.raises(TypeError, match="got dict"):
        WordVectors.from_keyed_vectors({"a": [1]})


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_of_every_kind_are_equal(dtype, tmp_path):
    vectors = table(dtype, unknown="\ud800")
    assert clone(vectors) is vectors
    assert_same(copy.copy(vectors), vectors)
    assert_same(copy.deepcopy(vectors), vectors)
    assert_same(pickle.loads(pickle.dumps(vectors)), vectors)
    joblib.dump(vectors, tmp_path / "v")
    assert_same(joblib.load(tmp_path / "v"), vectors)
    mapped = joblib.load(tmp_path / "v", mmap_mode="r")
    assert_same(mapped, vectors)


@pytest.mark.parametrize("dtype", DTYPES)
def test_save_and_load(dtype, tmp_path):
    vectors = table(dtype, unknown="a\nb")
    vectors.save(tmp_path / "new" / "v")
    mapped = WordVectors.load(str(tmp_path / "new" / "v"))
    assert isinstance(mapped.matrix, np.memmap)
    read = WordVectors.load(tmp_path / "new" / "v", mmap=False)
    assert not isinstance(read.matrix, np.memmap)
    for loaded in (mapped, read, pickle.loads(pickle.dumps(mapped))):
        assert_same(loaded, vectors)
        assert loaded.nearest("cat") == vectors.nearest("cat")


def test_save_over_an_existing_table(tmp_path):
    (tmp_path / "v").mkdir()
    table(n=5).save(tmp_path / "v")
    # Windows does not replace files that are mapped.
    old = WordVectors.load(tmp_path / "v", mmap=sys.platform != "win32")
    old.save(tmp_path / "v")
    assert_same(WordVectors.load(tmp_path / "v"), old)
    table("int8").save(tmp_path / "v")
    assert_same(WordVectors.load(tmp_path / "v"), table("int8"))
    assert_same(old, table(n=5))
    assert [path.name for path in tmp_path.iterdir()] == ["v"]


def test_a_table_that_cannot_be_replaced_is_kept(tmp_path, monkeypatch):
    table(n=5).save(tmp_path / "v")
    rename = Path.rename

    def refuse(self, target):
        if self.name == "v":
            raise PermissionError("Access is denied")  # as Windows where it is mapped
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(PermissionError, match=r"v cannot be replaced: .*elsewhere"):
        table().save(tmp_path / "v")
    assert_same(WordVectors.load(tmp_path / "v"), table(n=5))
    assert [path.name for path in tmp_path.iterdir()] == ["v"]


@pytest.mark.parametrize("name", ["folder", "folder/thesis"])
def test_save_leaves_what_others_wrote(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis").write_text("mine")
    message = f"{re.escape(str(Path(name)))} already exists and was not saved by"
    with pytest.raises(ValueError, match=message):
        table().save(tmp_path / name)
    assert len(list(tmp_path.rglob("*"))) == 2
    assert (tmp_path / "folder" / "thesis").read_text() == "mine"


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("exists", [True, False])
def test_an_interrupted_save_leaves_nothing(tmp_path, monkeypatch, error, exists):
    if exists:
        table(n=5).save(tmp_path / "v")

    def fail(path, *args, **kwargs):
        path.write_bytes(b"half")
        raise error("no space left")

    monkeypatch.setattr(np, "save", fail)
    with pytest.raises(error, match="no space left"):
        table().save(tmp_path / "v")
    assert [path.name for path in tmp_path.iterdir()] == ["v"] * exists
    if exists:
        assert_same(WordVectors.load(tmp_path / "v"), table(n=5))


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b'{"kind": "WordVec', "metadata.json is damaged"),
        (b"\xff", "metadata.json is damaged"),
        (b"[]", ""),
        (b'{"kind": "SIFEncoder", "version": 1}', "'SIFEncoder', not WordVectors"),
        (b'{"kind": "WordVectors", "version": 3}', "version 3.* up to 2: upgrade"),
    ],
)
def test_load_refuses_other_folders(tmp_path, metadata, message):
    table().save(tmp_path / "v")
    (tmp_path / "v" / "metadata.json").write_bytes(metadata)
    folder = re.escape(str(tmp_path / "v"))
    with pytest.raises(ValueError, match=f"{folder}.*{message}"):
        WordVectors.load(tmp_path / "v")


def test_save_leaves_a_project_with_metadata_of_its_own(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "metadata.json").write_text('{"name": "my project"}')
    (tmp_path / "project" / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="not saved by skparaphrase"):
        WordVectors(["a"], [[1.0]]).save(tmp_path / "project")
    assert (tmp_path / "project" / "thesis.txt").read_text() == "mine"


def test_load_of_missing_and_mixed_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match="v was not saved by skparaphrase"):
        WordVectors.load(tmp_path / "v")
    table(n=5).save(tmp_path / "v")
    table(n=6).save(tmp_path / "w")
    words = {path.name: path for path in (tmp_path / "w").glob("words-*")}
    for name, path in words.items():
        shutil.copy(path, tmp_path / "v" / name)
        with pytest.raises(ValueError, match="v is damaged: "):
            WordVectors.load(tmp_path / "v")
    shutil.copy(tmp_path / "w" / "matrix.npy", tmp_path / "v" / "matrix.npy")
    assert_same(WordVectors.load(tmp_path / "v"), table(n=6))


def test_load_of_folders_of_the_first_format(tmp_path):
    table().save(tmp_path / "v")
    for path in (tmp_path / "v").glob("words-*"):
        path.unlink()
    words = json.dumps(list(table().words))
    (tmp_path / "v" / "words.json").write_text(words, encoding="ascii")
    metadata = tmp_path / "v" / "metadata.json"
    content = json.loads(metadata.read_text()) | {"version": 1}
    metadata.write_text(json.dumps(content))
    assert_same(WordVectors.load(tmp_path / "v"), table())


def test_frequencies_are_a_mapping():
    counts = {"the": 6, "cat": 2, "": 0}
    frequencies = WordFrequencies(counts)
    assert isinstance(frequencies, Mapping)
    assert dict(frequencies) == counts == frequencies
    assert (len(frequencies), frequencies.total) == (3, 8)
    assert frequencies.get("cow", 7) == 7
    with pytest.raises(KeyError, match="cow"):
        frequencies["cow"]
    counts["the"] = 99
    assert frequencies["the"] == 6
    assert clone(frequencies) is frequencies is WordFrequencies.check(frequencies)
    again = pickle.loads(pickle.dumps(frequencies))
    assert (again, again.total) == (frequencies, 8)


@pytest.mark.parametrize(
    ("counts", "total", "words", "expected"),
    [
        ({"the": 6, "cat": 2}, None, ["cat", "cow", "the", "cat"], [1, 0, 3, 1]),
        ({"the": 6, "cat": 2}, 16, ["cat", "the"], [0.5, 1.5]),
        ({"the": 0.5, "cat": 1.0}, None, ["cat", "the"], [8 / 3, 4 / 3]),
        ({}, None, ["cat"], [0]),
        ({"cat": 3}, None, [], []),
    ],
)
def test_probabilities(counts, total, words, expected):
    found = WordFrequencies(counts, total=total).probabilities(words)
    assert_allclose(found, np.divide(expected, 4), rtol=1e-12)


def test_fill_from_scales_by_the_shared_words():
    letters = WordFrequencies({"the": 60, "cat": 30, "fox": 5}, total=200)
    sample = WordFrequencies({"the": 8, ",": 4, "cat": 1, ".": 3, "rare": 0})
    filled = letters.fill_from(sample)
    assert filled == {"the": 60, "cat": 30, "fox": 5, ",": 40, ".": 30, "rare": 0}
    assert filled.total == 270
    assert len(letters) == 3
    with pytest.raises(ValueError, match="no word in common"):
        letters.fill_from(WordFrequencies({"cow": 3, "the": 0}))


def slow_average(vectors, texts, weights):
    matrix = full(vectors).astype(np.float64)
    averages = np.zeros((len(texts), vectors.dim))
    for out, ids in zip(averages, texts, strict=True):
        for i in ids:
            out += matrix[i] * (1 if weights is None else weights[i]) / len(ids)
    return averages


def batch_of(texts):
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return TokenBatch(np.array([i for ids in texts for i in ids], np.int32), offsets)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("n_texts", [0, 1, 300, 5000])
@pytest.mark.parametrize("n_threads", [1, 4])
def test_averages_of_any_split(dtype, weighted, n_texts, n_threads, monkeypatch):
    monkeypatch.setattr(_pooling, "available_threads", lambda: n_threads)
    rng = np.random.default_rng(n_texts)
    vectors = table(dtype, n=50, dim=7)
    texts = [rng.integers(50, size=rng.integers(6)).tolist() for _ in range(n_texts)]
    weights = rng.random(50) if weighted else None
    whole = weighted_average(vectors, [batch_of(texts)], n_texts, weights)
    assert whole.dtype == np.float32
    assert_allclose(whole, slow_average(vectors, texts, weights), atol=1e-6)
    assert not whole[[not ids for ids in texts]].any()
    for size in (1 if n_texts <= 300 else 17, 2048, 2049, 4096):
        parts = (batch_of(texts[i : i + size]) for i in range(0, n_texts, size))
        assert_array_equal(weighted_average(vectors, parts, n_texts, weights), whole)
    alone = [weighted_average(vectors, [batch_of([t])], 1, weights) for t in texts[:99]]
    assert_array_equal(np.reshape(alone, (-1, 7)), whole[:99])


@pytest.mark.parametrize("dtype", DTYPES)
def test_texts_without_tokens_are_zero(dtype):
    assert not weighted_average(table(dtype), [batch_of([[], []])], 2).any()


# By path ---------------------------------------------------------------------------


@pytest.fixture
def by_path(tmp_path):
    table(n=500, dim=40, dtype="float16", unknown="w7").save(tmp_path / "v")
    return WordVectors.load(tmp_path / "v", by_path=True)


def test_a_pickle_by_path_holds_no_vectors(by_path):
    pickled = pickle.dumps(by_path)
    assert len(pickled) < 500 < by_path.matrix.nbytes
    found = pickle.loads(pickled)
    assert_same(found, by_path)
    assert isinstance(found.matrix, np.memmap)
    assert pickle.loads(pickled) is found  # one table in a process
    assert pickle.dumps(found) == pickled
    assert joblib.hash(found) == joblib.hash(by_path)


def test_what_is_made_of_a_table_by_path_is_pickled_whole(by_path, tmp_path):
    made = [by_path.replace(full(by_path)), by_path.astype("int8")]
    made.append(by_path.with_unknown(word="new"))
    by_path.save(tmp_path / "copy")
    made.append(WordVectors.load(tmp_path / "copy"))
    for vectors in made:
        pickled = pickle.dumps(vectors)
        assert len(pickled) > vectors.matrix.nbytes
        assert_same(pickle.loads(pickled), vectors)


def test_a_folder_that_is_gone_or_holds_others_is_told(by_path, tmp_path):
    pickled = pickle.dumps(by_path)
    table(n=500, dim=40, dtype="float16").save(tmp_path / "v")  # another `unknown`
    _word_vectors._load_by_path.cache_clear()
    with pytest.raises(ValueError, match="holds other word vectors"):
        pickle.loads(pickled)
    shutil.rmtree(tmp_path / "v")
    with pytest.raises(FileNotFoundError, match="by_path=True"):
        pickle.loads(pickled)
