"""An approximate index of faiss, where it is installed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import skparaphrase
from skparaphrase.datasets import load_similarity
from skparaphrase.search import (
    FaissIndex,
    SemanticSearch,
    _indexes,
    _state,
)

SENTENCES = load_similarity().data[:, 0]
QUERIES = load_similarity().data[:40, 1]


pytestmark = pytest.mark.integration


@pytest.fixture(
    params=[
        FaissIndex(),
        FaissIndex("IVF4,Flat", parameters="nprobe=4"),
    ],
    ids=str,
)
def index(request):
    pytest.importorskip("faiss")
    return request.param


def agree(search, n_agree=0.85):
    """Compare with an exact search of the same texts."""
    exact = SemanticSearch().fit(search.texts_, ids=search.ids_)
    hits, expected = search.search(QUERIES, k=4), exact.search(QUERIES, k=4)
    assert (hits.id == expected.id).mean() > n_agree
    same = hits.id == expected.id
    assert_allclose(hits.score[same], expected.score[same], atol=1e-6)


def test_finds_what_exact_search_finds(index):
    agree(SemanticSearch(neighbors=index).fit(SENTENCES))


def test_texts_that_are_added_and_removed(index, monkeypatch):
    monkeypatch.setattr(_state, "_BLOCK", 40)
    search = SemanticSearch(neighbors=index).fit(SENTENCES[:200])
    before = search.neighbors_
    search.partial_fit(SENTENCES[200:250])
    assert search.neighbors_ is before
    assert [block.index is None for block in search._state.blocks] == [False, False]
    agree(search)
    search.partial_fit(SENTENCES[250:320])
    assert search.neighbors_ is not before  # the blocks were joined
    agree(search)
    search.remove(range(0, 120))
    assert search.search(SENTENCES[10], k=3).id.min() >= 120
    agree(search)
    search.partial_fit(SENTENCES[300:340], ids=[f"new {n}" for n in range(40)])
    search.upsert(SENTENCES[:9], ids=range(120, 129))
    agree(search)


def test_many_threads_read_a_loaded_index(index):
    search = pickle.loads(pickle.dumps(SemanticSearch(neighbors=index).fit(SENTENCES)))
    with ThreadPoolExecutor(8) as pool:
        hits = [*pool.map(search.search, [QUERIES] * 16)]
    for each in hits:
        assert_array_equal(each.id, hits[0].id)


def test_pickling_leaves_the_index(index):
    fitted = clone(index).fit(SemanticSearch().fit(SENTENCES).vectors_)
    before = fitted.index_
    pickle.dumps(fitted)
    assert fitted.index_ is before


def test_saved_with_the_texts(index, tmp_path):
    search = SemanticSearch(neighbors=index).fit(SENTENCES).remove([3, 4])
    hits = search.search(QUERIES, k=4)
    search.save(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search", trusted=True)
    for other in (loaded, pickle.loads(pickle.dumps(search))):
        found = other.search(QUERIES, k=4)
        assert_array_equal(found.id, hits.id)
        assert_allclose(found.score, hits.score, atol=1e-6)
        agree(other.partial_fit(["One more text."]))


def test_progress_of_building(index, monkeypatch):
    done = []

    @contextmanager
    def bar(total, description):
        assert (total, description) == (len(SENTENCES), "Indexing")
        yield done.append

    monkeypatch.setattr(_indexes, "progress_bar", bar)
    monkeypatch.setattr(_indexes, "_TEXTS", 100)
    agree(SemanticSearch(neighbors=index).fit(SENTENCES))
    assert done == [100] * (len(SENTENCES) // 100) + [len(SENTENCES) % 100]
