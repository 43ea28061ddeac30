"""Search by meaning: scores, masks, groups, thresholds, vectors and encoders."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, normalize

import skparaphrase
from skparaphrase.datasets import load_graded_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.io import transform_to_file
from skparaphrase.search import SemanticSearch, _base
from skparaphrase.storage import _folders
from skparaphrase.vectors import WordVectors

TEXTS = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
SENTENCES = load_graded_pairs().data[:, 0]
QUERIES = load_graded_pairs().data[:40, 1]


@pytest.mark.parametrize(
    "encoder",
    [
        skparaphrase.load_pretrained(),
        skparaphrase.load_pretrained(dim=128),
        make_pipeline(SIFEncoder(), CommonComponentRemoval()),
    ],
    ids=str,
)
def test_as_the_cosines_of_scikit_learn(encoder):
    search = SemanticSearch(encoder).fit(SENTENCES)
    hits = search.search(QUERIES, k=7)
    vectors = encoder.fit(SENTENCES).transform(SENTENCES)
    cosines = cosine_similarity(encoder.transform(QUERIES), vectors)
    assert search.vectors_.shape == vectors.shape
    assert hits.row.shape == hits.score.shape == (40, 7)
    expected = np.sort(cosines, axis=1)[:, :-8:-1]
    assert_allclose(hits.score, expected, atol=1e-5)
    assert_allclose(np.take_along_axis(cosines, hits.row, axis=1), expected, atol=1e-5)
    assert_array_equal(hits.text, SENTENCES[hits.row])


def test_which_encoder_is_used():
    assert SemanticSearch().fit(TEXTS).encoder_.vectors is not None
    fitted = SIFEncoder().fit(TEXTS)
    assert SemanticSearch(fitted).fit(TEXTS).encoder_ is fitted
    assert clone(SemanticSearch(FrozenEstimator(fitted))).fit(TEXTS)
    # scikit-learn considers this pipeline fitted, because its last step learns nothing.
    pipeline = make_pipeline(SIFEncoder(), Normalizer())
    assert SemanticSearch(pipeline).fit(TEXTS).encoder_ is not pipeline
    assert SemanticSearch(pipeline.fit(TEXTS)).fit(TEXTS).encoder_ is pipeline
    assert SemanticSearch(make_pipeline(SIFEncoder(), "passthrough")).fit(TEXTS)


def test_a_mask(search):
    mask = np.arange(len(SENTENCES)) % 3 == 1
    expected = SemanticSearch().fit(SENTENCES[mask], ids=np.flatnonzero(mask))
    expected = expected.search(QUERIES, k=4)
    approximate = SemanticSearch(neighbors=NearestNeighbors()).fit(SENTENCES)
    for array in (mask, mask.tolist(), pd.Series(mask)):
        for searched in (search, approximate):
            hits = searched.search(QUERIES, k=4, mask=array)
            assert_array_equal(hits.id, expected.id)
            assert_allclose(hits.score, expected.score, atol=1e-6)
    few = search.search(QUERIES, k=4, mask=np.isin(search.ids_, [0, 1]))
    assert few.row.shape == (40, 2)
    assert search.search(QUERIES, mask=~mask & mask).row.shape == (40, 0)


def test_threshold(search):
    full = search.search(QUERIES, k=8)
    hits = search.search(QUERIES, k=8, threshold=0.6)
    is_hit = full.score >= 0.6
    counts = is_hit.sum(axis=1)
    assert 0 == counts.min() < counts.max() == hits.row.shape[1] < 8
    is_hit = is_hit[:, : counts.max()]
    for name, nothing in {"row": -1, "score": np.nan, "text": None, "id": None}.items():
        whole = np.where(is_hit, full[name][:, : counts.max()], nothing)
        assert_array_equal(hits[name], whole.astype(hits[name].dtype))
    frame = search.search(QUERIES, k=8, threshold=0.6, as_frame=True)
    lines = np.maximum(counts, 1)
    assert frame["query"].tolist() == np.repeat(QUERIES, lines).tolist()
    assert frame["query_row"].tolist() == np.repeat(range(40), lines).tolist()
    for is_missing in (frame["score"].isna(), frame["id"].isna(), frame["row"] == -1):
        assert_array_equal(is_missing, np.repeat(counts == 0, lines))
    nothing = search.search(QUERIES[:3], threshold=1, as_frame=True)
    assert nothing.columns.tolist() == frame.columns.tolist()
    assert nothing["query"].tolist() == QUERIES[:3].tolist()
    assert nothing[["id", "text", "score"]].isna().all(axis=None)


@pytest.mark.parametrize("neighbors", [None, NearestNeighbors()], ids=str)
def test_the_best_text_of_each_group(search, neighbors):
    groups = np.array([*"abcdefgh"])[np.arange(len(SENTENCES)) ** 2 % 11 % 8]
    searched = SemanticSearch(neighbors=neighbors).fit(SENTENCES)
    full = search.search(QUERIES, k=len(SENTENCES))
    n_groups = len({*groups})
    allowed = np.arange(len(SENTENCES)) % 5 > 0
    for k in (1, 2, n_groups, n_groups + 3):
        for mask in (None, allowed):
            hits = searched.search(QUERIES, k=k, groups=groups, mask=mask)
            assert hits.row.shape == (40, min(k, n_groups))
            for query, rows in enumerate(full.row):
                best = {}
                for row, score in zip(rows, full.score[query], strict=True):
                    if mask is None or mask[row]:
                        best.setdefault(groups[row], score)
                expected = [*best.values()][:k]
                assert_allclose(hits.score[query], expected, atol=1e-6)
                assert len({*groups[hits.row[query]]}) == len(expected)


@pytest.mark.parametrize(
    ("groups", "n_groups"),
    [
        ([1, "1", 1.0], 2),
        ([None, np.nan, "a"], 2),
        (np.array([np.nan, 1, np.nan]), 2),
        (pd.Series([pd.NA, 1, None], dtype="Int64"), 2),
        (["x", None, 3], 3),
    ],
)
def test_missing_groups_are_one_and_numbers_are_no_text(groups, n_groups):
    search = SemanticSearch().fit(TEXTS, payload={"topic": groups})
    for given in (groups, "topic"):
        assert search.search("a bike", groups=given).row.shape == (1, n_groups)
    mask = np.array([False, True, True])
    assert search.search("a bike", groups="topic", mask=mask).row.shape == (1, 2)


def test_small_integers_of_numpy(search):
    groups = np.arange(len(SENTENCES)) % 200
    hits = search.search(QUERIES, k=np.int8(100), groups=groups)
    assert_array_equal(hits.row, search.search(QUERIES, k=100, groups=groups).row)


# Vectors


def test_vectors_instead_of_texts(search, tmp_path):
    encoder = skparaphrase.load_pretrained()
    stored = transform_to_file(encoder, SENTENCES, tmp_path / "vectors.npy")
    hits = search.search(QUERIES, k=4)
    alone = SemanticSearch().fit(stored)
    beside = SemanticSearch().fit(SENTENCES, vectors=stored)
    for searched in (alone, beside):
        other = searched.search(QUERIES, k=4)
        assert_allclose(other.score, hits.score, atol=1e-6)
        assert (other.row == hits.row).mean() > 0.99
        by_vector = searched.search(encoder.transform(QUERIES), k=4)
        assert_array_equal(by_vector.row, other.row)
        assert by_vector.query.tolist() == list(range(40))
        one = searched.search(encoder.transform(QUERIES)[0], k=4)
        assert_array_equal(one.row, other.row[:1])
    assert alone.texts_ is None
    assert "text" not in alone.search(QUERIES[:1])
    assert "text" not in alone.search(QUERIES[:1], as_frame=True)
    assert_array_equal(beside.search(QUERIES, k=4).text, hits.text)
    alone.partial_fit(encoder.transform(QUERIES) * 3)
    assert_allclose(alone.search(QUERIES[3], k=1).score, 1, atol=1e-6)


def test_unit_vectors_stay_in_their_file(tmp_path):
    encoder = make_pipeline(skparaphrase.load_pretrained(), Normalizer())
    stored = transform_to_file(encoder, SENTENCES, tmp_path / "vectors.npy")
    assert np.shares_memory(SemanticSearch().fit(stored).vectors_, stored)


@pytest.mark.parametrize("size", [1e-30, 1e-23, 1e20, 1e30])
@pytest.mark.parametrize("pooling", ["mean", "distinct"])
def test_vectors_of_any_length(size, pooling):
    words = [*"abcdef"]
    matrix = np.random.default_rng(0).normal(size=(6, 8)) * size
    encoder = AverageEncoder(WordVectors(words, matrix), pooling=pooling)
    search = SemanticSearch(encoder).fit(words)
    for queries in (words, matrix.astype(np.float32)):
        assert search.search(queries, k=1).text.ravel().tolist() == words
    assert_allclose(np.linalg.norm(search.vectors_, axis=1), 1, rtol=1e-5)
    assert {*search.search(["a b"], k=2).text.ravel()} == {"a", "b"}


def test_blocks_of_vectors_are_not_held_twice(monkeypatch):
    monkeypatch.setattr(_base, "_TEXTS", 100)
    texts = [str(number) for number in range(2050)]
    rows = np.random.default_rng(0).normal(size=(len(texts), 300))
    encoder = FunctionTransformer(lambda X: rows[[int(text) for text in X]])
    tracemalloc.start()
    search = SemanticSearch(encoder.fit(texts)).fit(texts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert_allclose(search.vectors_, normalize(rows), rtol=1e-5)
    assert peak < 1.6 * search.vectors_.nbytes


# Files and errors


@pytest.mark.parametrize("is_mapped", [False, True])
@pytest.mark.parametrize("is_frozen", [False, True])
@pytest.mark.parametrize("is_default", [False, True])
def test_saved_and_loaded(is_default, is_frozen, is_mapped, tmp_path, monkeypatch):
    monkeypatch.setattr(_folders, "is_large", lambda n_bytes: is_mapped)
    encoder = None if is_default else SIFEncoder().fit(TEXTS)
    if is_frozen:
        encoder = FrozenEstimator(encoder or skparaphrase.load_pretrained())
    ids = [f"q{number}" for number in range(len(SENTENCES))]
    search = SemanticSearch(encoder).fit(SENTENCES, ids=ids)
    search.save(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search")
    assert isinstance(loaded.encoder, type(encoder))
    assert isinstance(loaded.vectors_.base, np.memmap) == is_mapped
    hits, expected = loaded.search(QUERIES, k=2), search.search(QUERIES, k=2)
    for name in ("id", "text", "score"):
        assert_array_equal(hits[name], expected[name])
    loaded.remove(ids[0]).partial_fit(["A new one."], ids=["new"])
    assert loaded.search("a new one", k=1).id.item() == "new"


def test_length_and_display():
    search = SemanticSearch()
    with pytest.raises(NotFittedError):
        len(search)
    assert not hasattr(search, "vectors_")
    assert len(search.fit(TEXTS).remove([0, 1])) == 1
    assert "SemanticSearch" in search._repr_html_()


@pytest.mark.parametrize(
    ("X", "options", "queries", "error", "message"),
    [
        ([("a", "b")], {}, "a", ValueError, r"must hold texts, shape .*X\['title"),
        ([[1.0, 2.0], [np.nan, 1.0]], {}, "a", ValueError, "vectors contains NaN"),
        (TEXTS, {}, np.eye(5), ValueError, "5 dimensions.* searched .* 256"),
        (TEXTS, {}, ["bikes", 3], TypeError, "index 1"),
        (TEXTS, {"k": 0}, "a", ValueError, "k == 0, must be >= 1"),
        (TEXTS, {"groups": "topic"}, "a", ValueError, "no such column in .*'text'"),
        (TEXTS, {"groups": [1, 2]}, "a", ValueError, "inconsistent numbers"),
        (TEXTS, {"threshold": np.nan}, "a", ValueError, "threshold is nan"),
        (TEXTS, {"threshold": "0.5"}, "a", TypeError, "threshold must be an instance"),
        (TEXTS, {"mask": [True]}, "a", ValueError, "boolean array of length 3"),
        (TEXTS, {"mask": np.arange(3)}, "a", ValueError, "boolean array of len"),
        (TEXTS, {"mask": lambda x: x["id"]}, "a", ValueError, "boolean array of l"),
    ],
)
def test_errors(X, options, queries, error, message):
    X = np.array(X) if isinstance(X[0], list) else X
    with pytest.raises(error, match=message):
        SemanticSearch().fit(X).search(queries, **options)


@pytest.mark.parametrize(
    ("encoder", "X", "vectors", "error", "message"),
    [
        (None, TEXTS, np.eye(2), ValueError, r"inconsistent .* samples: \[3, 2\]"),
        (
            SIFEncoder(),
            np.eye(5),
            None,
            ValueError,
            "pass the fitted encoder that",
        ),
        (TfidfVectorizer(), TEXTS, None, TypeError, "sparse vectors.*TruncatedSVD"),
    ],
)
def test_errors_of_encoders(encoder, X, vectors, error, message):
    with pytest.raises(error, match=message):
        SemanticSearch(encoder).fit(X, vectors=vectors)


@pytest.mark.parametrize("name", ["mask", "groups"])
def test_a_series_is_read_by_its_index(name):
    table = pd.DataFrame({"text": TEXTS}, index=["a", "b", "c"])
    values = pd.Series([True, False, False], index=table.index)
    search = SemanticSearch().fit(table.text)

    def found(values):
        hits = search.search("Do you sell bikes?", k=2, **{name: values})
        return hits.id.tolist()

    expected = {"mask": [["a"]], "groups": [["c", "a"]]}[name]
    assert found(values) == found(values[::-1]) == found(values.tolist()) == expected
    search.upsert([TEXTS[0]], ids=["a"])  # which moves to the end
    assert found(values) == expected
    positions = values.reset_index(drop=True)
    assert found(positions) == found(positions.to_numpy()) != expected
    with pytest.raises(ValueError, match=rf"The index of {name} lacks ids"):
        found(values.set_axis(["a", "b", "x"]))
    search.remove(["b"])
    assert found(values) == expected


@pytest.mark.parametrize("lexical", [None, "char_wb"])
def test_a_query_without_known_words_has_no_hits(lexical):
    search = SemanticSearch(lexical=lexical).fit(TEXTS)
    hits = search.search(["", "my parcel", " \n"], k=2)
    assert hits.row.tolist() == [[-1, -1], [0, hits.row[1, 1]], [-1, -1]]
    assert np.isnan(hits.score[[0, 2]]).all() and hits.score[1, 0] > 0
    frame = search.search("", as_frame=True)
    assert frame.score.isna().tolist() == [True] and frame.text.tolist() == [None]
