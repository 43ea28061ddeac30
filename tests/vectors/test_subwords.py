"""Vectors of unknown words: n-grams, and their uses."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import accumulate
from zlib import crc32

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.datasets import load_word_vectors
from skparaphrase.encoders import AverageEncoder, SIFEncoder, TfidfEncoder
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors, fit_subwords
from skparaphrase.vectors._subwords import Subwords, fit_rows, ngram_matrix
from skparaphrase.vectors._transforms import append_new_words

pytestmark = pytest.mark.usefixtures("core")

WORDS = ["cat", "cats", "dog", "dogs", "running", "run", "naïve", "."]


@pytest.fixture
def vectors():
    matrix = np.random.RandomState(0).standard_normal((len(WORDS), 6))
    return fit_subwords(WordVectors(WORDS, matrix), (2, 4), n_rows=50)


def slow_hashes(word, ngram_range, kind):
    """One n-gram after another, from the code of zlib or the definition of FNV-1a."""
    whole, hashes = f"<{word}>", []
    for start in range(len(whole)):
        for size in range(ngram_range[0], ngram_range[1] + 1):
            ngram = whole[start : start + size]
            encoded = ngram.encode("utf-8", "surrogatepass")
            if len(ngram) < size:
                continue
            if kind == "crc32":
                hashes.append(crc32(encoded))
            elif size > 1 or 0 < start < len(whole) - 1:
                found = 2166136261
                for byte in np.frombuffer(encoded, np.int8).tolist():
                    found = (found ^ byte % 2**32) * 16777619 % 2**32
                hashes.append(found)
    if kind == "crc32" and not ngram_range[0] <= len(whole) <= ngram_range[1]:
        hashes.append(crc32(whole.encode("utf-8", "surrogatepass")))
    return hashes


MANY = [
    *["", "a", "é", "日", "😀", "cat", "naïveté", "日本語", "a😀b", "no\ud83dpair"],
    *["<", "><", "a b", "\0", "e\u0301", "\u0130Σ", *(f"word{i}" for i in range(300))],
    "ab" * 1000,
]


@pytest.mark.parametrize("kind", ["crc32", "fasttext"])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3), (3, 5), (2, 9), (40, 60)])
@pytest.mark.parametrize("n_rows", [1, 1000, 2**31 - 1])
def test_hashes_against_a_loop(core, kind, ngram_range, n_rows):
    for words in (MANY, MANY[:1], []):
        ids, offsets, weights = core.hash_ngrams(words, *ngram_range, kind, n_rows, 3.0)
        assert (ids.dtype, offsets.dtype) == (np.int32, np.int64)
        expected = [slow_hashes(word, ngram_range, kind) for word in words]
        assert offsets.tolist() == [0, *accumulate(map(len, expected))]
        assert ids.tolist() == [h % n_rows for each in expected for h in each]
        power = 0.5 if kind == "crc32" else 1
        shares = [3 / len(each) ** power for each in expected for _ in each]
        assert_array_equal(weights, np.array(shares, np.float32))


def test_ngrams_of_a_fit_and_moved_ones(core):
    rows = np.random.RandomState(0).standard_normal((37, 4)).astype(np.float32)
    subwords = Subwords(rows, ngram_range=(2, 9))
    words = ["a", "cat", "unknown", "naïveté", "日本語", "x" * 40]
    expected = subwords.vectors(words)
    product = ngram_matrix(words, 37, (2, 9)) @ rows
    assert_allclose(product, expected, rtol=1e-5, atol=1e-6)
    moved = subwords.moved(3, shift=[1, 0, 0, 0]).moved(2).vectors(words)
    assert_allclose(moved, 6 * expected + [2, 0, 0, 0], rtol=1e-5, atol=1e-5)


def test_a_long_word_has_the_vector_of_its_first_thousand_characters():
    subwords = Subwords(np.random.RandomState(0).standard_normal((37, 5)))
    word = "".join(map(chr, range(0x4E00, 0x4E00 + 1000)))
    one, other, cut = subwords.vectors([word, word + "a" * 9, word[:-1]])
    assert_array_equal(one, other)
    assert not np.array_equal(one, cut)


@pytest.mark.parametrize("kind", ["crc32", "fasttext"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_vectors_do_not_depend_on_other_words(core, kind, dtype):
    rows = np.random.RandomState(0).standard_normal((37, 5)).astype(np.float32)
    subwords = Subwords(rows, kind=kind, shift=np.arange(5)).astype(dtype)
    full = rows.astype(float)
    if dtype == "int8":
        full = subwords.matrix * subwords.scale[:, np.newaxis].astype(float)
    found = subwords.vectors(MANY)
    assert found.shape == (len(MANY), 5) and found.dtype == np.float32
    assert_array_equal(found, [subwords.vectors([word])[0] for word in MANY])
    power = 0.5 if kind == "crc32" else 1
    expected = []
    for word in MANY:
        ngrams = full[np.array(slow_hashes(word[:1000], (3, 5), kind), int) % 37]
        expected.append(ngrams.sum(axis=0) / max(len(ngrams), 1) ** power)
    atol = 0.05 if dtype == "float16" else 1e-5
    assert_allclose(found - np.arange(5), expected, rtol=1e-4, atol=atol)
    assert subwords.vectors([]).shape == (0, 5)


def test_rows_solve_the_ridge_regression():
    words = [
        f"{a}{b}" for a in ("car", "bus", "bike") for b in ("s", "ing", "ed", "er")
    ]
    ngrams = ngram_matrix(words, 20, (2, 3))
    targets = np.random.RandomState(1).standard_normal((12, 5)).astype(np.float32)
    dense = ngrams.toarray().astype(float)
    expected = np.linalg.solve(dense.T @ dense + 0.7 * np.eye(20), dense.T @ targets)
    found = fit_rows(ngrams, targets, alpha=0.7, n_steps=60)
    assert_allclose(found, expected, atol=1e-4)
    one_step = fit_rows(ngrams, targets, alpha=0.7, n_steps=1)
    assert_array_equal(fit_rows(ngrams, targets, alpha=0.7, tol=1e9), one_step)
    assert np.abs(one_step - expected).max() > 0.1


def test_unknown_words_have_nearly_the_vectors_of_the_exact_solution():
    bundled = load_word_vectors()
    rows = np.array([i for i, w in enumerate(bundled.words) if len(w) > 2])[:5000]
    words = [w for w in (bundled.words[i] for i in rows) if w.isalpha()]
    known = WordVectors(words, [bundled[word] for word in words])
    dense = ngram_matrix(words, 600).toarray().astype(float)
    gram = dense.T @ dense + np.eye(600)
    exact = np.linalg.solve(gram, dense.T @ known.matrix)
    unknown = [word for word in bundled.words[-2000:] if word not in known]
    expected = ngram_matrix(unknown, 600) @ exact
    found = fit_subwords(known, n_rows=600, factor=1).subwords.vectors(unknown)
    cosines = np.vecdot(found, expected) / np.linalg.norm(found, axis=1)
    cosines /= np.maximum(np.linalg.norm(expected, axis=1), 1e-12)
    assert cosines.mean() > 0.999 and np.quantile(cosines, 0.01) > 0.99


def test_averages_use_vectors_of_unknown_words(vectors):
    texts = ["cat catty dogs .", "doggy", "", "★ ★", "run-away x-run", "zzz cat doggy"]

    def vector(word):
        return vectors[word] if word in vectors else vectors.subwords.vectors([word])[0]

    words = [
        ["cat", "catty", "dogs", "."],
        ["doggy"],
        [],
        [],  # nothing is made for symbols
        ["run", "away", "x", "run"],
        ["zzz", "cat", "doggy"],
    ]
    expected = [
        np.mean([vector(w) for w in each], axis=0) if each else np.zeros(6)
        for each in words
    ]
    assert_allclose(AverageEncoder(vectors).transform(texts), expected, atol=1e-6)
    for dtype in ("float16", "int8"):
        found = AverageEncoder(vectors.astype(dtype)).transform(texts)
        assert_allclose(found, expected, atol=0.05)


def test_weights_of_unknown_words(vectors):
    texts = ["cat doggy", "cat dogs"]
    sif = SIFEncoder(vectors, a=0.1, frequencies={"cat": 3, "dogs": 1}).fit(texts)
    cat = 0.1 / (0.1 + 0.75) * vectors["cat"]
    assert_allclose(sif.transform(["cat doggy"])[0], (cat + vectors["doggy"]) / 2, 1e-5)
    tfidf = TfidfEncoder(vectors).fit(texts)
    cat, doggy = np.log(3 / 3) * vectors["cat"], np.log(3 / 1) * vectors["doggy"]
    assert_allclose(tfidf.transform(["cat doggy"])[0], (cat + doggy) / 2, 1e-5)


def test_tables_made_from_one_keep_its_ngrams(vectors):
    for dtype in ("float16", "int8"):
        small = vectors.astype(dtype)
        assert small.unknown == "subword" and small.subwords.matrix.dtype == dtype
        assert_allclose(small["doggy"], vectors["doggy"], atol=0.02)
        assert_allclose(small.astype("float32")["doggy"], small["doggy"], atol=1e-3)
    doubled = vectors.replace(2 * vectors.matrix, subwords=vectors.subwords.moved(2))
    assert_allclose(doubled["doggy"], 2 * vectors["doggy"], rtol=1e-6)
    more, _ = append_new_words(vectors, ["doggy cat ★ doggy"], WordTokenizer())
    assert [*more.words] == [*WORDS, "doggy"]
    assert_array_equal(more["doggy"], vectors["doggy"])
    assert_array_equal(more["catty"], vectors["catty"])
    assert append_new_words(vectors, ["cat"], WordTokenizer())[0] is vectors


def test_texts_of_a_call_do_not_change_each_other(vectors):
    texts = [f"cat new{i % 90} 日本{i} x{i}-run ★" for i in range(700)]
    again = WordVectors(
        WORDS, vectors.matrix, unknown="subword", subwords=vectors.subwords
    )
    one_by_one = AverageEncoder(again)
    expected = np.concatenate([one_by_one.transform([text]) for text in texts])
    encoder = AverageEncoder(vectors)
    assert_array_equal(encoder.transform(texts), expected)
    words = "cat new5 日本5 x5 run".split()
    word = np.mean([vectors[w] for w in words], axis=0)
    assert_allclose(expected[5], word, atol=1e-6)
