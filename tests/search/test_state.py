"""Updates of a search, its blocks, indexes and copies."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import copy
import os
import pickle
import signal
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

import skparaphrase
from skparaphrase.datasets import load_graded_pairs
from skparaphrase.encoders import SIFEncoder
from skparaphrase.search import SemanticSearch, _state

TEXTS = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
SENTENCES = load_graded_pairs().data[:, 0]
QUERIES = load_graded_pairs().data[:40, 1]


class Reversed(BaseEstimator):
    """An index with a different order: the worst first, and one row too many."""

    def fit(self, X, y=None):
        self.X_ = X
        return self

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        order = np.argsort(X @ self.X_.T, axis=1)[:, -n_neighbors:]
        return (None, order) if return_distance else order


class Padded(Reversed):
    """Pads with -1, as faiss does."""

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        return np.full((len(X), n_neighbors), -1)


class Failing(Reversed):
    """Cannot be fitted on more than four vectors."""

    def fit(self, X, y=None):
        if len(X) > 4:
            raise RuntimeError("no more")
        return super().fit(X)


# Updates


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
    assert not hasattr(neighbors, "X_") and not hasattr(neighbors, "n_features_in_")


def columns_of(search):
    return search.ids_, search.texts_, search.vectors_


def test_what_was_read_stays_while_texts_come_and_go():
    search = SemanticSearch().fit(SENTENCES[:50])
    seen = []
    for n in range(50, 150):
        search.partial_fit(SENTENCES[n : n + 1])
        if n % 30 == 0:
            search.remove(search.ids_[:3]).upsert(["Another."], ids=search.ids_[-1:])
        seen.append((columns_of(search), copy.deepcopy(columns_of(search))))
        copy.copy(search).partial_fit(["Of the copy."])
    for now, before in seen:
        for column, expected in zip(now, before, strict=True):
            assert_array_equal(column, expected)
    expected = search.encoder_.transform(search.texts_)
    assert_allclose(search.vectors_, normalize(expected), atol=1e-6)


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


NAN = float("nan")


@pytest.mark.parametrize(
    ("method", "arguments", "options", "message"),
    [
        ("partial_fit", ["new"], {"vectors": np.ones((1, 3))}, "3 dimensions"),
        ("partial_fit", ["new", "newer"], {}, "no more"),
        ("partial_fit", ["new"], {"ids": [0]}, r"ids\[0\] = 0 exists already"),
        ("partial_fit", np.eye(2), {}, r"\['id', 'text'\] of .*; got \['id'\]"),
        ("upsert", TEXTS[:2], {"ids": [7, 7]}, r"ids\[1\] = 7 exists already"),
        ("upsert", pd.Series(TEXTS), {}, r"as ids. .* pass ids=X\.index"),
        ("upsert", TEXTS[:2], {"ids": [7, NAN]}, r"ids\[1\] = nan is missing"),
        ("upsert", TEXTS[:1], {"ids": [[7]]}, r"ids\[0\] = \[7\] is missing or"),
        ("upsert", ["a", "b", "c"], {"ids": [2, 3, 4]}, "no more"),
        ("upsert", ["a"], {"ids": [2], "payload": {"a": [1]}}, "columns .*; got"),
        ("fit", SENTENCES[:3], {"ids": [1]}, "1 ids for 3 texts"),
        ("fit", SENTENCES[:9], {}, "no more"),
        ("remove", [0, 9], {}, "no text with the id 9"),
        ("remove", np.array([True, False, True]), {}, "not a mask"),
    ],
)
def test_what_fails_changes_nothing(method, arguments, options, message, monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 1)
    search = SemanticSearch(SIFEncoder(), neighbors=Failing()).fit(TEXTS)
    before = search.search(TEXTS, k=2)
    with pytest.raises((KeyError, RuntimeError, TypeError, ValueError), match=message):
        getattr(search, method)(arguments, **options)
    after = search.search(TEXTS, k=2)
    for name in ("id", "text", "score"):
        assert_array_equal(after[name], before[name])
    assert len(search) == 3
    assert search.partial_fit(["One more text."]).ids_.tolist() == [0, 1, 2, 3]


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


# Indexes


def test_a_block_has_an_index_until_half_of_it_is_gone(monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 10)
    search = SemanticSearch(neighbors=Reversed()).fit(SENTENCES[:100])
    before = search.neighbors_
    assert search.remove(range(40)).neighbors_ is before
    assert len(search.remove(range(40, 80)).neighbors_.X_) == 20
    assert len(before.X_) == 100
    assert search.remove(range(80, 99)).neighbors_ is None  # few are compared
    assert search.search(QUERIES[0], k=3).id.tolist() == [[99]]


def test_texts_that_are_added_have_an_index_if_they_are_many(monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 10)
    search = SemanticSearch(neighbors=Reversed()).fit(SENTENCES[:100])
    before = search.neighbors_
    for n, n_indexed, sizes in [
        (1, 0, [1]),
        (9, 1, [10]),
        (9, 1, [19]),
        (3, 1, [19, 3]),
    ]:
        start = len(search)
        search.partial_fit(SENTENCES[start : start + n])
        assert search.neighbors_ is before
        later = search._state.blocks[1:]
        assert [*map(len, later)] == sizes
        assert sum(block.index is not None for block in later) == n_indexed


@pytest.mark.parametrize("is_pickled", [False, True])
@pytest.mark.parametrize(
    ("before", "after"), [(NearestNeighbors(), None), (None, NearestNeighbors())]
)
def test_another_index_is_that_of_the_next_update(
    before, after, is_pickled, monkeypatch
):
    monkeypatch.setattr(_state, "_BLOCK", 1)
    search = SemanticSearch(neighbors=before).fit(SENTENCES[:90])
    search.set_params(neighbors=after)
    search = pickle.loads(pickle.dumps(search)) if is_pickled else search
    assert type(search.remove(range(50)).neighbors_) is type(after)
    expected = SemanticSearch().fit(SENTENCES[50:90], ids=range(50, 90))
    hits = search.search(SENTENCES[50:90], k=1)
    assert_array_equal(hits.id, expected.search(SENTENCES[50:90], k=1).id)


def test_an_empty_search_with_an_index():
    search = SemanticSearch(neighbors=NearestNeighbors()).fit([])
    assert search.search("bikes").row.shape == (1, 0)
    assert search.partial_fit(TEXTS).search("bikes", k=1).row.item() == 2
    assert search.search([], k=2).row.shape == (0, 2)
    assert search.search("bikes", k=10).row.shape == (1, 3)


def test_indexes_that_find_too_few():
    search = SemanticSearch(neighbors=Padded()).fit(TEXTS)
    with pytest.raises(ValueError, match="found fewer than 2 texts"):
        search.search("bikes", k=2)


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


# Copies


def test_a_search_that_is_pickled_keeps_its_index(monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 20)
    search = SemanticSearch(neighbors=Reversed()).fit(SENTENCES[:100])
    search.partial_fit(SENTENCES[100:103])
    search._of_a_subclass = 3
    first = pickle.loads(pickle.dumps(search))
    index = search.neighbors_
    assert len(index.X_) == len(first.neighbors_.X_) == 103
    assert pickle.loads(pickle.dumps(search))._of_a_subclass == 3
    assert search.neighbors_ is index  # built once


@pytest.mark.parametrize("is_saved", [False, True])
def test_an_empty_search_is_copied(tmp_path, is_saved):
    search = SemanticSearch().fit([], payload={"topic": []})
    search.upsert(["A cat."], payload={"topic": ["pets"]}).remove(0)
    if is_saved:
        search.save(tmp_path / "search")
        other = skparaphrase.load(tmp_path / "search")
    else:
        other = pickle.loads(pickle.dumps(search))
    assert len(other) == 0
    hits = other.search("cat", mask=lambda columns: columns["topic"] == "pets")
    assert hits.id.size == 0
    assert other.upsert(["A dog."], payload={"topic": ["pets"]}).ids_.tolist() == [1]
