"""Search by meaning."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import copy
import os
import pickle
import signal
import tracemalloc
import warnings
from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from sklearn.base import BaseEstimator, clone
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
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder, SIFEncoder
from skparaphrase.io import to_arrow, transform_to_file
from skparaphrase.search import (
    SemanticSearch,
    _base,
    _state,
)
from skparaphrase.storage import _folders
from skparaphrase.vectors import WordVectors

TEXTS = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
SENTENCES = load_graded_pairs().data[:, 0]
QUERIES = load_graded_pairs().data[:40, 1]


@pytest.fixture(scope="module")
def search():
    return SemanticSearch().fit(SENTENCES)


def test_as_the_cosines_of_scikit_learn(search):
    hits = search.search(QUERIES, k=7)
    encoder = skparaphrase.load_pretrained()
    cosines = cosine_similarity(
        encoder.transform(QUERIES), encoder.transform(SENTENCES)
    )
    assert hits.row.shape == hits.score.shape == (40, 7)
    expected = np.sort(cosines, axis=1)[:, :-8:-1]
    assert_allclose(hits.score, expected, atol=1e-6)
    assert_allclose(np.take_along_axis(cosines, hits.row, axis=1), expected, atol=1e-6)
    assert_array_equal(hits.text, SENTENCES[hits.row])


def test_frames(search):
    frame = search.search(pd.Series(QUERIES[:3]), k=2, as_frame=True)
    hits = search.search(QUERIES[:3], k=2)
    names = ["query_row", "query", "id", "row", "text", "score"]
    assert frame.columns.tolist() == names
    assert frame["query_row"].tolist() == frame.index.tolist() == [0, 0, 1, 1, 2, 2]
    assert frame["query"].tolist() == [q for q in QUERIES[:3] for _ in range(2)]
    assert_array_equal(frame["row"], hits.row.ravel())
    assert_array_equal(frame["score"], hits.score.ravel())
    assert SemanticSearch().fit(pd.DataFrame({"text": TEXTS})).texts_.shape == (3,)


class Reversed(BaseEstimator):
    """An index with its own way to count: the worst first, and a row too many."""

    def fit(self, X, y=None):
        self.X_ = X
        return self

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        order = np.argsort(X @ self.X_.T, axis=1)[:, -n_neighbors:]
        return (None, order) if return_distance else order


@pytest.mark.parametrize(
    "neighbors", [NearestNeighbors(algorithm="ball_tree"), Reversed()], ids=str
)
def test_neighbors_of_others(search, neighbors):
    other = SemanticSearch(neighbors=neighbors).fit(SENTENCES)
    hits, expected = other.search(QUERIES, k=4), search.search(QUERIES, k=4)
    assert_allclose(hits.score, expected.score, atol=1e-6)
    assert not hasattr(neighbors, "X_")
    assert not hasattr(neighbors, "n_features_in_")


IDS = [f"q{number}" for number in range(len(SENTENCES))]


def test_ids_of_a_series(search):
    assert search.ids_.tolist() == list(range(len(SENTENCES)))
    series = pd.Series(SENTENCES, index=IDS)
    for named in (
        SemanticSearch().fit(series),
        SemanticSearch().fit(SENTENCES, ids=IDS),
    ):
        hits = named.search(QUERIES[:5], k=3)
        assert hits.id.tolist() == [[IDS[row] for row in rows] for rows in hits.row]
    assert SemanticSearch().fit(series[1::2]).ids_.tolist() == IDS[1::2]
    assert SemanticSearch().fit(pd.Series(SENTENCES)[5:]).ids_[0] == 5
    twice = pd.concat([series[:3], series[:3]])
    with pytest.warns(UserWarning, match="The index of X has a value twice"):
        assert SemanticSearch().fit(twice).ids_.tolist() == list(range(6))
    assert SemanticSearch().fit(twice, ids=range(1, 7)).ids_[0] == 1


def test_ids_of_a_slice_are_those_of_its_rows():
    texts = pd.Series(SENTENCES[:6])
    search = SemanticSearch().fit(texts[::2])
    assert search.ids_.tolist() == [0, 2, 4]
    hits = search.search(SENTENCES[4], k=1)
    assert texts.loc[hits.id[0, 0]] == hits.text[0, 0] == SENTENCES[4]


def test_ids_of_added_texts():
    search = SemanticSearch().fit(TEXTS[:1], ids=[7]).partial_fit(TEXTS[1:])
    assert search.ids_.tolist() == [7, 8, 9]
    search.partial_fit(pd.Series(["A third."]))  # the default index
    search.partial_fit(["With a name.", "Large."], ids=["a", 2**70])
    assert search.ids_.tolist() == [7, 8, 9, 10, "a", 2**70]
    search = SemanticSearch().fit(pd.Series(TEXTS)[1:])
    search.partial_fit(["A text."], ids="name").remove(np.int64(1))
    assert search.ids_.tolist() == [2, "name"]
    assert SemanticSearch().fit(TEXTS, ids=list(np.arange(3))).ids_.dtype == np.int64
    search = SemanticSearch().fit(TEXTS, ids=pa.chunked_array([["a"], ["b", "c"]]))
    assert search.remove(["b"]).ids_.tolist() == ["a", "c"]


@pytest.mark.parametrize("n_rows", [1, 30, 1000])  # of a block
@pytest.mark.parametrize("neighbors", [None, NearestNeighbors(), Reversed()], ids=str)
def test_after_any_changes_as_a_new_search(neighbors, n_rows, monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", n_rows)
    random = np.random.RandomState(0)
    search = SemanticSearch(neighbors=neighbors).fit(SENTENCES[:80])
    there = dict(enumerate(SENTENCES[:80]))
    for start in range(80, 200, 40):
        gone = random.choice(list(there), 45, replace=False).tolist()
        search.remove(gone)
        there = {name: text for name, text in there.items() if name not in gone}
        added = {100 + n: SENTENCES[n] for n in range(start, start + 40)}
        search.partial_fit(list(added.values()), ids=list(added))
        there |= added
        replaced = random.choice(list(there), 7, replace=False).tolist()
        new = {name: f"{there.pop(name)} Really." for name in replaced}
        there |= new  # at the end
        search.upsert([there[name] for name in replaced], ids=replaced)
        new = SemanticSearch().fit(list(there.values()), ids=list(there))
        assert search.ids_.tolist() == list(there)
        assert_array_equal(search.texts_, new.texts_)
        assert_array_equal(search.vectors_, new.vectors_)
        hits, expected = search.search(QUERIES, k=6), new.search(QUERIES, k=6)
        assert_allclose(hits.score, expected.score, atol=1e-6)
        assert (hits.id == expected.id).mean() > 0.98  # ties


def test_a_block_has_an_index_until_half_of_it_is_gone(monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 10)
    search = SemanticSearch(neighbors=Reversed()).fit(SENTENCES[:100])
    before = search.neighbors_
    assert len(search.remove(range(40)).neighbors_.X_) == 100
    assert search.neighbors_ is before
    assert len(search.remove(range(40, 80)).neighbors_.X_) == 20
    assert len(before.X_) == 100
    assert search.remove(range(80, 99)).neighbors_ is None  # few are compared
    assert search.search(QUERIES[0], k=3).id.tolist() == [[99]]


def test_texts_that_are_added_have_an_index_if_they_are_many(monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 10)
    search = SemanticSearch(neighbors=Reversed()).fit(SENTENCES[:100])
    before = search.neighbors_
    for n, sizes in [(1, [1]), (9, [1]), (9, [19]), (3, [19, 3])]:
        start = len(search)
        search.partial_fit(SENTENCES[start : start + n])
        assert search.neighbors_ is before
        later = search._state.blocks[1:]
        if n < 9 or sizes == [19]:
            assert [*map(len, later)] == sizes
        assert [b.index is not None for b in later] == [len(b) >= 10 for b in later]


@pytest.mark.parametrize(
    "stored", [lambda s: s, lambda s: pickle.loads(pickle.dumps(s))]
)
@pytest.mark.parametrize(
    ("before", "after"), [(NearestNeighbors(), None), (None, NearestNeighbors())]
)
def test_another_index_is_that_of_the_next_update(before, after, stored, monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 1)
    search = SemanticSearch(neighbors=before).fit(SENTENCES[:90])
    search = stored(search.set_params(neighbors=after)).remove(range(50))
    assert type(search.neighbors_) is type(after)
    expected = SemanticSearch().fit(SENTENCES[50:90], ids=range(50, 90))
    hits = search.search(SENTENCES[50:90], k=1)
    assert_array_equal(hits.id, expected.search(SENTENCES[50:90], k=1).id)


class Failing(Reversed):
    """Cannot be fitted to more than four vectors."""

    def fit(self, X, y=None):
        if len(X) > 4:
            raise RuntimeError("no more")
        return super().fit(X)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda s: s.partial_fit(["new"], vectors=np.ones((1, 3))), "3 dimensions"),
        (lambda s: s.partial_fit(["new", "newer"]), "no more"),
        (lambda s: s.partial_fit(["new"], ids=[0]), r"ids\[0\] = 0 is there already"),
        (lambda s: s.upsert(TEXTS[:2], ids=[7, 7]), r"ids\[1\] = 7 is there already"),
        (lambda s: s.upsert(pd.Series(TEXTS)), r"ids or not. Pass ids=X\.index"),
        (lambda s: s.upsert(TEXTS[:2], ids=[7, float("nan")]), r"ids\[1\] = nan is m"),
        (
            lambda s: s.upsert(TEXTS[:1], ids=[[7]]),
            r"ids\[0\] = \[7\] is missing or",
        ),
        (lambda s: s.upsert(["a", "b", "c"], ids=[2, 3, 4]), "no more"),
        (
            lambda s: s.upsert(["new"], ids=[2], payload={"a": [1]}),
            "columns .*id.*text.*, and the new",
        ),
        (lambda s: s.fit(SENTENCES[:3], ids=[1]), "1 ids for 3 texts"),
        (lambda s: s.fit(SENTENCES[:9]), "no more"),
        (lambda s: s.remove([0, 9]), "no text with the id 9"),
        (lambda s: s.remove(np.array([True, False, True])), "not a mask"),
    ],
)
def test_what_fails_changes_nothing(change, error, monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 1)
    search = SemanticSearch(SIFEncoder(), neighbors=Failing()).fit(TEXTS)
    before = search.search(TEXTS, k=2)
    with pytest.raises((KeyError, RuntimeError, TypeError, ValueError), match=error):
        change(search)
    after = search.search(TEXTS, k=2)
    assert_array_equal(after.id, before.id)
    assert_array_equal(after.text, before.text)
    assert_array_equal(after.score, before.score)
    assert len(search) == 3
    assert search.partial_fit(["One more text."]).ids_.tolist() == [0, 1, 2, 3]


def test_an_empty_search_with_an_index():
    search = SemanticSearch(neighbors=NearestNeighbors()).fit([])
    assert search.search("bikes").row.shape == (1, 0)
    assert search.partial_fit(TEXTS).search("bikes", k=1).row.item() == 2
    assert search.search([], k=2).row.shape == (0, 2)
    assert search.search("bikes", k=10).row.shape == (1, 3)


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


@pytest.mark.parametrize("mask", [[True], np.arange(3), lambda columns: columns["id"]])
def test_masks_of_another_shape_or_type(mask):
    with pytest.raises(ValueError, match="a bool for each of the 3 texts"):
        SemanticSearch().fit(TEXTS).search("bikes", mask=mask)


def test_threshold(search):
    full = search.search(QUERIES, k=8)
    hits = search.search(QUERIES, k=8, threshold=0.6)
    counts = (full.score >= 0.6).sum(axis=1)
    assert 0 == counts.min() < counts.max() == hits.row.shape[1]
    for query, count in enumerate(counts):
        assert_array_equal(hits.score[query, :count], full.score[query, :count])
        assert_array_equal(hits.text[query, :count], full.text[query, :count])
        assert (hits.row[query, count:] == -1).all()
        assert np.isnan(hits.score[query, count:]).all()
        assert set(hits.text[query, count:]) | set(hits.id[query, count:]) <= {None}
    frame = search.search(QUERIES, k=8, threshold=0.6, as_frame=True)
    lines = np.maximum(counts, 1)
    assert frame["query"].tolist() == np.repeat(QUERIES, lines).tolist()
    assert frame["query_row"].tolist() == np.repeat(range(40), lines).tolist()
    assert frame["score"].min() >= 0.6
    is_missing = np.repeat(counts == 0, lines)
    assert_array_equal(frame["score"].isna(), is_missing)
    assert_array_equal(frame["id"].isna(), is_missing)
    assert_array_equal(frame["row"] == -1, is_missing)
    nothing = search.search(QUERIES[:3], threshold=1, as_frame=True)
    assert nothing.columns.tolist() == frame.columns.tolist()
    assert nothing["query"].tolist() == QUERIES[:3].tolist()
    assert nothing[["id", "text", "score"]].isna().all(axis=None)


@pytest.mark.parametrize("neighbors", [None, NearestNeighbors()], ids=str)
def test_the_best_text_of_each_group(search, neighbors):
    groups = np.array(["x", *"abcdefg"])[np.arange(len(SENTENCES)) ** 2 % 8]
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
    with pytest.raises(ValueError, match="inconsistent numbers"):
        search.search(QUERIES, groups=groups[:3])


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
    found = SemanticSearch(encoder).fit(words)
    assert found.search(words, k=1).text.ravel().tolist() == words
    assert found.search(matrix.astype(np.float32), k=1).row.ravel().tolist() == [
        *range(6)
    ]
    assert_allclose(np.linalg.norm(found.vectors_, axis=1), 1, rtol=1e-5)
    pair = found.search(["a b"], k=2).text.ravel()
    assert {*pair} == {"a", "b"}


def test_vectors_that_do_not_fit(search):
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        SemanticSearch().fit(TEXTS, vectors=np.eye(2))
    with pytest.raises(
        ValueError, match=r"has the columns \['id', 'text'\], and the new rows \['id'\]"
    ):
        SemanticSearch().fit(TEXTS).partial_fit(np.eye(2))
    with pytest.raises(ValueError, match="vectors contains NaN"):
        SemanticSearch().fit(np.array([[1.0, 2.0], [np.nan, 1.0]]))
    with pytest.raises(ValueError, match=r"5 dimensions.* searched 256"):
        search.search(np.eye(5))
    with pytest.raises(ValueError, match="pass the fitted encoder that made"):
        SemanticSearch(SIFEncoder()).fit(np.eye(5))


def test_fewer_dimensions():
    encoder = skparaphrase.load_pretrained(dim=128)
    search = SemanticSearch(encoder).fit(SENTENCES)
    hits = search.search(QUERIES, k=5)
    assert search.vectors_.shape == (len(SENTENCES), 128)
    cosines = cosine_similarity(
        encoder.transform(QUERIES), encoder.transform(SENTENCES)
    )
    expected = np.sort(cosines, axis=1)[:, :-6:-1]
    assert_allclose(hits.score, expected, atol=1e-6)


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


def test_which_encoder_is_used():
    assert SemanticSearch().fit(TEXTS).encoder_.vectors is not None
    pairs = load_graded_pairs().data[:60]
    trained = ParaphraseEncoder(max_epochs=1, random_state=0, device="cpu").fit(pairs)
    search = SemanticSearch(trained).fit(TEXTS)
    assert search.encoder_ is trained
    assert clone(SemanticSearch(FrozenEstimator(trained))).fit(TEXTS)
    unfitted = make_pipeline(SIFEncoder(), CommonComponentRemoval())
    search = SemanticSearch(unfitted).fit(SENTENCES)
    assert search.encoder_ is not unfitted
    expected = unfitted.fit(SENTENCES).transform(QUERIES)
    hits = search.search(QUERIES, k=1)
    cosines = cosine_similarity(expected, search.encoder_.transform(SENTENCES))
    assert_allclose(hits.score[:, 0], cosines.max(axis=1), atol=1e-5)


def test_pipelines_whose_last_step_learns_nothing():
    """scikit-learn takes such a pipeline for fitted."""
    pipeline = make_pipeline(SIFEncoder(), Normalizer())
    assert SemanticSearch(pipeline).fit(TEXTS).encoder_ is not pipeline
    pipeline.fit(TEXTS)
    assert SemanticSearch(pipeline).fit(TEXTS).encoder_ is pipeline
    assert SemanticSearch(make_pipeline(SIFEncoder(), "passthrough")).fit(TEXTS)


class Padded(Reversed):
    """Pads with -1, as faiss does."""

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        return np.full((len(X), n_neighbors), -1)


def test_indexes_that_find_too_few():
    search = SemanticSearch(neighbors=Padded()).fit(TEXTS)
    with pytest.raises(ValueError, match="found fewer than 2 texts"):
        search.search("bikes", k=2)


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("as_given", [True, False])
def test_saved_and_loaded(tmp_path, as_given, frozen):
    encoder = SIFEncoder().fit(TEXTS) if as_given else None
    if as_given and frozen:
        encoder = FrozenEstimator(encoder)
    search = SemanticSearch(encoder).fit(TEXTS)
    search.save(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search")
    assert_array_equal(loaded.texts_, search.texts_)
    assert (loaded.encoder is None) == (not as_given)
    hits, expected = loaded.search(TEXTS, k=2), search.search(TEXTS, k=2)
    assert_array_equal(hits.row, expected.row)
    assert_array_equal(hits.score, expected.score)


def test_large_vectors_are_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(_folders, "is_large", lambda n_bytes: n_bytes > 2**10)
    search = SemanticSearch().fit(SENTENCES, ids=IDS)
    search.save(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search")
    assert not loaded.vectors_.flags.writeable
    assert isinstance(loaded.vectors_.base, np.memmap)
    hits, expected = loaded.search(QUERIES, k=2), search.search(QUERIES, k=2)
    assert_array_equal(hits.id, expected.id)
    assert_array_equal(hits.score, expected.score)
    loaded.remove(IDS[0]).partial_fit(["A new one."], ids=["new"])
    assert loaded.search("a new one", k=1).id.item() == "new"


def test_what_cannot_be_searched(search):
    with pytest.raises(ValueError, match=r"must hold texts, shape .*X\['title"):
        SemanticSearch().fit([("a", "b")])
    with pytest.raises(TypeError, match=r"returns sparse vectors.*TruncatedSVD"):
        SemanticSearch(TfidfVectorizer()).fit(TEXTS)
    with pytest.raises(ValueError, match="k == 0, must be >= 1"):
        search.search("bikes", k=0)
    with pytest.raises(TypeError, match="index 1"):
        search.search(["bikes", 3])
    with pytest.raises(ValueError, match=r"groups='topic' is no column of .*'text'\]"):
        search.search("bikes", groups="topic")
    with pytest.raises(ValueError, match="threshold is nan"):
        search.search("bikes", threshold=np.nan)
    with pytest.raises(TypeError, match="threshold must be an instance of"):
        search.search("bikes", threshold="0.5")


ROWS = [{"topic": "post", "price": 1.5}, {"topic": "shop", "price": 2}]


@pytest.mark.parametrize(
    "payload",
    [
        ROWS,
        {"topic": ["post", "shop"], "price": np.array([1.5, 2], dtype="f4")},
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS, strict=False),
        pa.table({"topic": ["post", "shop"], "price": [1.5, 2]}),
    ],
    ids=lambda payload: type(payload).__module__,
)
def test_a_payload_comes_with_hits(payload, tmp_path):
    search = SemanticSearch().fit(TEXTS[:2], ids=["a", "b"], payload=payload)
    search.partial_fit(TEXTS[2:], ids=["c"], payload=[{"topic": "shop", "price": 3}])
    hits = search.search("Where is my parcel?", k=3)
    assert hits.topic[0].tolist() == ["post", "shop", "shop"]
    assert hits.price[0, 0] == 1.5
    for mask in (
        lambda columns: columns["topic"] == "shop",
        search.payload_["price"] > 1.5,
    ):
        assert {*search.search("a parcel", mask=mask).id[0]} == {"b", "c"}
    best = search.search("a parcel", groups="topic")
    assert best.topic.tolist() == [["post", "shop"]]
    frame = search.search("a parcel", threshold=0.3, as_frame=True)
    assert frame.columns.tolist() == [
        *"query_row query id row text topic price score".split()
    ]
    assert frame["topic"].tolist() == ["post"]
    few = search.search(["a parcel", "qwx"], threshold=0.3)
    assert few.topic.tolist() == [["post"], [None]]
    search.remove("a").upsert([TEXTS[1]], ids=["b"], payload=ROWS[:1])
    assert search.payload_["topic"].tolist() == ["shop", "post"]
    assert search.payload_["price"].tolist() == [3, 1.5]
    search.save(tmp_path / "search")
    for other in (skparaphrase.load(tmp_path / "search"), copy.copy(search)):
        assert_equal(other.payload_, search.payload_)
        assert {k: v.dtype for k, v in other.payload_.items()} == {
            "topic": np.dtype(object),
            "price": np.dtype(float),
        }


def test_columns_of_a_payload_keep_their_order_and_values():
    search = SemanticSearch().fit(TEXTS[:1], payload={"b": [True], "a": [2**62 + 1]})
    search.partial_fit(TEXTS[1:2], payload={"a": [3], "b": [7]}).upsert([])
    assert [*search.payload_] == ["b", "a"]
    assert search.payload_["b"].tolist() == [True, 7]
    assert search.payload_["b"][0] is True
    assert search.payload_["a"].tolist() == [2**62 + 1, 3]
    frame = search.search("bikes", as_frame=True)
    names = "query_row query id row text b a score".split()
    assert frame.columns.tolist() == names


def test_texts_without_a_group_are_one_group():
    search = SemanticSearch().fit(TEXTS + TEXTS, payload={"topic": ["x", None, 3] * 2})
    for mask, topics in [(None, {"x", None, 3}), (np.arange(6) % 3 > 0, {None, 3})]:
        hits = search.search("bikes", groups="topic", mask=mask)
        assert {*hits.topic[0]} == topics
        assert hits.topic.shape == (1, len(topics))


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ({"a": [1, 2]}, r"payload\['a'\] has 2 values, not 3"),
        ({"score": [1, 2, 3]}, "called 'score'; its name must be a str other"),
        ({"query_id": [1, 2, 3]}, "called 'query_id'; its name"),
        ({7: [1, 2, 3]}, "called 7; its name"),
        ([{"a": 1}, {"a": 2}, {"b": 2}], "must have the same keys"),
    ],
)
def test_payloads_that_do_not_fit(payload, error):
    with pytest.raises(ValueError, match=error):
        SemanticSearch().fit(TEXTS, payload=payload)


def test_integers_that_no_float_holds():
    keys = np.array([2**63 + 1, 2**63 + 3], dtype=np.uint64)
    search = SemanticSearch().fit(TEXTS[:2], payload={"key": keys})
    assert search.search("bikes", groups="key").key.shape == (1, 2)
    search.partial_fit(TEXTS[2:], payload={"key": [2**53 + 1]})
    search.partial_fit(TEXTS[:2], payload={"key": [0.5, 2**53]})
    columns = [*keys.tolist(), 2**53 + 1, 0.5, 2**53]
    assert search.payload_["key"].tolist() == columns
    search = SemanticSearch().fit(TEXTS[:2], payload={"key": [2**53 + 1, 2**53]})
    search.partial_fit(TEXTS[:1], payload={"key": [0.5]})
    assert search.payload_["key"].tolist() == [2**53 + 1, 2**53, 0.5]
    search = SemanticSearch().fit(TEXTS[:2], payload={"key": [1, 2]})
    search.partial_fit(TEXTS[:1], payload={"key": [0.5]})
    assert search.payload_["key"].dtype == np.float64


def test_payload_of_nullable_columns_and_durations(tmp_path):
    n = pd.array([1, None, 3], dtype="Int64")
    ages = np.array([1, 2, 3], dtype="m8[ns]") * 10**9
    search = SemanticSearch().fit(TEXTS, payload=pd.DataFrame({"n": n, "age": ages}))
    assert search.payload_["n"].tolist() == [1, None, 3]
    assert search.payload_["age"].tolist() == [timedelta(seconds=s) for s in (1, 2, 3)]


def test_ids_that_are_not_saved(tmp_path):
    frame = pd.Series(TEXTS, index=pd.MultiIndex.from_product([["a"], [1, 2, 3]]))
    search = SemanticSearch().fit(frame).upsert(["Another."], ids=[("a", 2)])
    assert search.remove([("a", 1)]).ids_.tolist() == [("a", 3), ("a", 2)]
    with pytest.raises(ValueError, match="ids_ contains tuples; save takes numbers"):
        search.save(tmp_path / "search")
    assert list(tmp_path.iterdir()) == []


def test_what_a_payload_saves(tmp_path):
    values = [None, float("nan"), "a", True, 2**70, ["x", 1]]
    search = SemanticSearch().fit(SENTENCES[:6], payload={"any": values})
    search.save(tmp_path / "search")
    assert_equal(
        skparaphrase.load(tmp_path / "search").payload_["any"].tolist(), values
    )
    day = np.array(["2026-01-01"], dtype="datetime64[ns]")
    search = SemanticSearch().fit(TEXTS[:1], payload={"day": day})
    assert search.payload_["day"].tolist() == [datetime(2026, 1, 1)]
    dates = {"day": [date(2026, 1, 1)]}
    search = SemanticSearch().fit(TEXTS[:1], payload=dates)
    with pytest.raises(ValueError, match=r"date.* cannot be saved without pickle"):
        search.save(tmp_path / "search")
    assert pickle.loads(pickle.dumps(search)).payload_["day"] == dates["day"]


def test_upserts_replace_and_add(tmp_path):
    search = SemanticSearch().upsert(TEXTS[:2])  # fits
    hits = search.upsert(["Do you sell bicycles?", TEXTS[0]], ids=[0, 5]).search(
        "bikes", k=1
    )
    assert search.ids_.tolist() == [1, 0, 5]
    assert search.texts_.tolist() == [TEXTS[1], "Do you sell bicycles?", TEXTS[0]]
    assert (hits.id.item(), hits.row.item()) == (0, 1)
    assert search.upsert(["One more."]).ids_.tolist() == [1, 0, 5, 6]
    assert len(search.upsert([])) == 4
    assert SemanticSearch().fit(TEXTS, ids=[("a", n) for n in range(3)]).ids_[2] == (
        "a",
        2,
    )


def test_ids_of_removed_texts_are_not_given_again(tmp_path):
    search = SemanticSearch().fit(TEXTS).remove(2).partial_fit(TEXTS[2:])
    assert search.ids_.tolist() == [0, 1, 3]
    search.remove(3).save(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search")
    for other in (search, loaded, pickle.loads(pickle.dumps(search))):
        assert other.partial_fit(["New."]).ids_.tolist() == [0, 1, 4]


def test_what_was_read_stays_while_texts_come_and_go():
    search = SemanticSearch().fit(SENTENCES[:50])
    seen = []
    for n in range(50, 150):
        search.partial_fit(SENTENCES[n : n + 1])
        if n % 30 == 0:
            search.remove(search.ids_[:3]).upsert(["Another."], ids=search.ids_[-1:])
        ids, texts, vectors = search.ids_, search.texts_, search.vectors_
        seen.append((ids, texts, vectors, ids.copy(), texts.copy(), vectors.copy()))
        other = copy.copy(search)  # shares arrays, but no memory behind them
        other.partial_fit(["Of the copy."])
    for ids, texts, vectors, *before in seen:
        for now, then in zip((ids, texts, vectors), before, strict=True):
            assert_array_equal(now, then)
    expected = search.encoder_.transform(search.texts_)
    assert_allclose(search.vectors_, normalize(expected), atol=1e-6)


def test_after_an_interrupted_update(monkeypatch):
    search = SemanticSearch().fit(SENTENCES[:9])
    put = _state.State.put

    def interrupted(*args):
        put(*args)
        raise KeyboardInterrupt

    for name in [("a", 1), ("b", 2)]:
        search.partial_fit([f"New {name}."])
        monkeypatch.setattr(_state.State, "put", interrupted)
        with pytest.raises(KeyboardInterrupt):
            search.upsert(["Lost."], ids=[name])
        monkeypatch.setattr(_state.State, "put", put)
        with pytest.raises(KeyError):
            search.remove([name])
        search.partial_fit(["One."]).partial_fit(["Another."], ids=[name])
    assert search.ids_.tolist() == [*range(11), ("a", 1), 11, 12, ("b", 2)]
    assert set(search.texts_[[9, 12]]) == {"New ('a', 1).", "New ('b', 2)."}


def test_updates_do_not_copy_what_was_there():
    search = SemanticSearch().fit(SENTENCES[:300])
    search.partial_fit(np.resize(SENTENCES, 2000))
    first = search._state.blocks[0]
    for n in range(300, 340):
        search.partial_fit(SENTENCES[n : n + 1]).remove(n - 300)
        search.upsert(["Another."], ids=[200])
        assert search._state.blocks[0] is first
        assert len(search._state.blocks) == 2
    search.remove(search.ids_[:1150])
    assert len(search._state.blocks) == 1 and len(search._state.living) == len(search)


def test_small_integers_of_numpy(search):
    groups = np.arange(len(SENTENCES)) % 200
    hits = search.search(QUERIES, k=np.int8(100), groups=groups)
    assert_array_equal(hits.row, search.search(QUERIES, k=100, groups=groups).row)


def test_length_and_display():
    search = SemanticSearch()
    with pytest.raises(NotFittedError):
        len(search)
    assert not hasattr(search, "vectors_")
    assert len(search.fit(TEXTS).remove([0, 1])) == 1
    assert "SemanticSearch" in search._repr_html_()


@pytest.mark.parametrize("copied", ["saved", "pickled"])
def test_an_empty_search_is_copied(tmp_path, copied):
    search = SemanticSearch().fit([], payload={"topic": []})
    search.upsert(["A cat."], payload={"topic": ["pets"]}).remove(0)
    if copied == "saved":
        search.save(tmp_path / "search")
        other = skparaphrase.load(tmp_path / "search")
    else:
        other = pickle.loads(pickle.dumps(search))
    assert len(other) == 0
    assert (
        other.search("cat", mask=lambda columns: columns["topic"] == "pets").id.size
        == 0
    )
    assert other.upsert(["A dog."], payload={"topic": ["pets"]}).ids_.tolist() == [1]


def test_columns_of_arrow():
    table = pa.table({"id": ["a", "b", "c"], "text": ["A cat.", "A dog.", "Rain."]})
    vectors = to_arrow(skparaphrase.load_pretrained().transform(table["text"]))
    for ids in (table["id"], table["id"].combine_chunks()):
        search = SemanticSearch().fit(table["text"], ids=ids)
        assert search.ids_.tolist() == ["a", "b", "c"]
    assert len(search.upsert(["A kitten."], ids=pa.array(["a"]))) == 3
    assert search.remove(table["id"][:1]).ids_.tolist() == ["b", "c"]
    embedded = pa.table({"vector": vectors})["vector"]
    for column in (vectors, embedded, embedded.to_pandas()):
        other = SemanticSearch().fit(table["text"], ids=table["id"], vectors=column)
        assert other.search("a dog", k=1).id.item() == "b"


# Joining


def test_hits_join_the_table_of_the_queries():
    shop = pd.DataFrame(
        {"name": ["Red bike", "Blue bike", "Red bike", "qwx"], "price": [9, 8, 7, 6]},
        index=["a", "b", "c", "d"],
    )
    catalogue = pd.DataFrame({"title": ["A bicycle, red", "A tent"]}, index=[70, 71])
    search = SemanticSearch().fit(catalogue.title)
    hits = search.search(shop.name, k=1, threshold=0.4, as_frame=True)
    assert hits.index.tolist() == [*"abcd"]
    assert hits.query_row.tolist() == [0, 1, 2, 3]
    joined = shop.join(hits[["id", "score"]])
    assert len(joined) == 4
    assert joined.id[["a", "c"]].tolist() == [70, 70]
    assert joined.id.isna()["d"] and np.isnan(joined.score["d"])
    assert catalogue.loc[joined.id["a"], "title"] == "A bicycle, red"
    found = search.search(shop.name, k=1)
    assert found.query_id.tolist() == [*"abcd"]
    assert search.search(["a", "b"], k=1).query_id.tolist() == [0, 1]


def test_rows_of_another_table_are_refused():
    frame = pd.DataFrame({"text": TEXTS, "price": [1, 2, 3]}, index=[3, 4, 5])
    for payload in (frame[["price"]][::-1], frame[["price"]].reset_index(drop=True)):
        with pytest.raises(ValueError, match="X and payload have different indices"):
            SemanticSearch().fit(frame.text, payload=payload)
    search = SemanticSearch().fit(frame.text, payload=frame[["price"]])
    assert search.ids_.tolist() == [3, 4, 5]
    assert SemanticSearch().fit(TEXTS, payload=frame[["price"]]).ids_[0] == 0


def test_hits_are_displayed_as_a_table(search):
    hits = (
        SemanticSearch()
        .fit(
            [*TEXTS, "A <b>long</b> text. " * 9],
            payload={"topic": ["post", "shop", *"xy"]},
        )
        .search(["Where is my package?", "<b>"], k=2)
    )
    head, *lines = repr(hits).splitlines()
    assert head.split() == ["query", "id", "text", "topic", "score"]
    assert len(lines) == 4
    assert lines[0].startswith("Where is my package?  0   Where is my parcel?")
    assert lines[0].endswith(f"{hits.score[0, 0]:.3f}")
    assert max(map(len, lines)) < 140 and "..." in repr(hits)
    html = hits._repr_html_()
    assert html.count("<tr>") == 5 and "<b>" not in html and "&lt;b&gt;" in html
    many = search.search(QUERIES, k=3)
    assert repr(many).splitlines()[-1] == "... 110 more"
    assert "... 110 more" in many._repr_html_()
    assert repr(search.search([], k=3)).split() == ["query", "id", "text", "score"]
    assert repr(SemanticSearch().fit([]).search("a"))


# Indexes and blocks


@pytest.mark.parametrize("neighbors", [NearestNeighbors(), Reversed()], ids=str)
def test_a_block_of_which_all_texts_are_gone(neighbors, monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 20)
    search = SemanticSearch(neighbors=neighbors).fit(SENTENCES[:100])
    search.partial_fit(SENTENCES[100:140]).remove(range(100, 140))
    hits = search.search(QUERIES, k=5)
    expected = SemanticSearch().fit(SENTENCES[:100]).search(QUERIES, k=5)
    assert_allclose(hits.score, expected.score, atol=1e-6)


def test_empty_texts_do_not_displace_others_in_an_index():
    texts = [*[""] * 20, "A red bike.", "It rains.", "A blue bike.", "Two cats sleep."]
    search = SemanticSearch(neighbors=NearestNeighbors()).fit(texts)
    expected = SemanticSearch().fit(texts)
    for k in (1, 3, 24):
        hits = search.search(["a bicycle", "rain", ""], k=k)
        other = expected.search(["a bicycle", "rain", ""], k=k)
        assert_allclose(hits.score, other.score, atol=1e-6)


def test_groups_are_exact_beside_an_index():
    groups = np.arange(len(SENTENCES)) // (len(SENTENCES) - 3)  # most are in one
    for neighbors in (NearestNeighbors(), Reversed()):
        search = SemanticSearch(neighbors=neighbors).fit(SENTENCES)
        hits = search.search(QUERIES, k=2, groups=groups)
        expected = SemanticSearch().fit(SENTENCES).search(QUERIES, k=2, groups=groups)
        assert_allclose(hits.score, expected.score, atol=1e-6)


def test_missing_groups_are_one_and_numbers_are_no_text():
    search = SemanticSearch().fit(TEXTS)
    for groups, n_groups in [
        ([1, "1", 1.0], 2),
        ([None, np.nan, "a"], 2),
        (np.array([np.nan, 1, np.nan]), 2),
        (pd.Series([pd.NA, 1, None], dtype="Int64"), 2),
    ]:
        assert search.search("a bike", groups=groups).row.shape == (1, n_groups)


def test_private_attributes_are_pickled():
    search = SemanticSearch().fit(TEXTS)
    search._of_a_subclass = 3
    search.remove(0)
    assert pickle.loads(pickle.dumps(search))._of_a_subclass == 3
    assert copy.copy(search)._of_a_subclass == 3


def test_a_search_that_is_pickled_keeps_its_index(monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 20)
    search = SemanticSearch(neighbors=Reversed()).fit(SENTENCES[:100])
    search.partial_fit(SENTENCES[100:103])
    first = pickle.loads(pickle.dumps(search))
    index = search.neighbors_
    assert len(index.X_) == len(first.neighbors_.X_) == 103
    pickle.dumps(search)
    assert search.neighbors_ is index  # built once


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_can_update():
    search = SemanticSearch().fit(TEXTS)
    with search._lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
        if not child:
            signal.alarm(20)  # ends it
            is_added = False
            with contextlib.suppress(BaseException):
                is_added = len(search.partial_fit(["More."])) == 4
            os._exit(not is_added)
    assert os.waitpid(child, 0)[1] == 0
