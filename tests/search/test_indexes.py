"""Approximate indexes of faiss and usearch, each where it is installed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import pytest
from numpy.testing import assert_allclose, assert_array_equal

import skparaphrase
from skparaphrase.datasets import load_similarity
from skparaphrase.search import FaissIndex, SemanticSearch, UsearchIndex

SENTENCES = load_similarity().data[:, 0]
QUERIES = load_similarity().data[:40, 1]


pytestmark = pytest.mark.integration


@pytest.fixture(
    params=[
        FaissIndex(),
        FaissIndex("IVF4,Flat", parameters="nprobe=4"),
        UsearchIndex(),
    ],
    ids=str,
)
def index(request):
    module = "faiss" if isinstance(request.param, FaissIndex) else "usearch"
    pytest.importorskip(module)
    return request.param


def agree(search, n_agree=0.95):
    """Compare with an exact search of the same texts."""
    exact = SemanticSearch().fit(search.texts_, ids=search.ids_)
    hits, expected = search.search(QUERIES, k=4), exact.search(QUERIES, k=4)
    assert (hits.id == expected.id).mean() > n_agree
    same = hits.id == expected.id
    assert_allclose(hits.score[same], expected.score[same], atol=1e-6)


def test_finds_what_exact_search_finds(index):
    agree(SemanticSearch(neighbors=index).fit(SENTENCES))


def test_texts_are_added_without_a_new_index(index):
    search = SemanticSearch(neighbors=index).fit(SENTENCES[:200])
    before = search.neighbors_
    search.partial_fit(SENTENCES[200:300])
    assert search.neighbors_ is before
    agree(search)
    search.remove(range(0, 120))
    assert search.neighbors_ is before
    assert search.search(SENTENCES[10], k=3).id.min() >= 120
    agree(search)
    search.partial_fit(SENTENCES[300:340], ids=[f"new {n}" for n in range(40)])
    agree(search)


def test_saved_with_the_texts(index, tmp_path):
    search = SemanticSearch(neighbors=index).fit(SENTENCES).remove([3, 4])
    hits = search.search(QUERIES, k=4)
    search.save(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search")
    for other in (loaded, pickle.loads(pickle.dumps(search))):
        found = other.search(QUERIES, k=4)
        assert_array_equal(found.id, hits.id)
        assert_allclose(found.score, hits.score, atol=1e-6)
        agree(other.partial_fit(["One more text."]))
