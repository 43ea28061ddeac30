"""The index of faiss in the user guide, where faiss is installed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import joblib
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import skparaphrase
from skparaphrase.datasets import load_graded_pairs
from skparaphrase.search import SemanticSearch, _state

SENTENCES = load_graded_pairs().data[:, 0]
QUERIES = load_graded_pairs().data[:40, 1]
GUIDE = Path(__file__).parents[2] / "docs/user_guide/search.rst"


pytestmark = pytest.mark.integration


def faiss_index():
    """The class of the user guide, which can be pickled."""
    pytest.importorskip("faiss")
    text = GUIDE.read_text(encoding="utf-8")
    start = text.index("   import faiss\n")
    code = text[start : text.index("   search = SemanticSearch(neighbors=", start)]
    exec(dedent(code), globals())
    return globals()["FaissIndex"]


@pytest.fixture(
    params=[
        {},
        {"factory": "IVF4,Flat", "parameters": "nprobe=4"},
        {"factory": "Flat", "parameters": ""},
    ],
    ids=str,
)
def index(request):
    return faiss_index()(**request.param)


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


def test_saved_with_the_texts(index, tmp_path):
    search = SemanticSearch(neighbors=index).fit(SENTENCES).remove([3, 4])
    hits = search.search(QUERIES, k=4)
    joblib.dump(search, tmp_path / "search")
    other = joblib.load(tmp_path / "search")
    found = other.search(QUERIES, k=4)
    assert_array_equal(found.id, hits.id)
    assert_allclose(found.score, hits.score, atol=1e-6)
    agree(other.partial_fit(["One more text."]))
    with pytest.raises(
        ValueError, match=r"FaissIndex.* cannot be saved without pickle"
    ):
        search.save(tmp_path / "folder")
    search.set_params(neighbors=None).save(tmp_path / "folder")
    assert skparaphrase.load(tmp_path / "folder").ids_.tolist() == search.ids_.tolist()
