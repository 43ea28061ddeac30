"""Search by words and vectors at once."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NearestNeighbors

import skparaphrase
from skparaphrase.datasets import load_faq
from skparaphrase.search import SemanticSearch

bm25s = pytest.importorskip("bm25s")
pytestmark = pytest.mark.integration

FAQ = load_faq().data
QUERIES = load_faq().data[::20]
CODES = [f"The display shows the error ERR-{number}." for number in range(4000, 4100)]
CODES += ["The screen P2419H stays dark.", "A screen stays dark.", "Screens flicker."]


def slow_fusion(texts, queries, chosen):
    """The sum of 1 / (60 + rank) of each chosen row, both ranks counted from 1."""
    vectors = SemanticSearch().fit(texts).search(queries, k=len(texts))
    retriever = bm25s.BM25()
    retriever.index(
        bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False
    )
    tokens = bm25s.tokenize(queries, stopwords=None, show_progress=False)
    words, scores = retriever.retrieve(tokens, k=len(texts), show_progress=False)
    for query in range(len(queries)):
        near = [row for row in vectors.row[query] if row in chosen]
        pairs = sorted(zip(-scores[query], words[query], strict=True))
        shared = [row for score, row in pairs if score < 0 and row in chosen]
        gains = dict.fromkeys(chosen, 0.0)
        for ranking in (near[:20], shared[:20]):
            for rank, row in enumerate(ranking, start=1):
                gains[row] += 1 / (60 + rank)
        yield gains


@pytest.mark.parametrize("mask", [None, np.arange(len(FAQ)) % 3 == 0], ids=type)
@pytest.mark.parametrize("neighbors", [None, NearestNeighbors()], ids=str)
def test_as_a_slow_fusion(mask, neighbors):
    search = SemanticSearch(neighbors=neighbors).fit(FAQ)
    hits = search.search(QUERIES, k=7, hybrid=True, mask=mask)
    chosen = np.arange(len(FAQ)) if mask is None else np.flatnonzero(mask)
    expected = slow_fusion(FAQ, QUERIES, {*chosen.tolist()})
    for rows, gains in zip(hits.row, expected, strict=True):
        best = sorted(gains.values(), reverse=True)[:7]
        assert_allclose([gains[row] for row in rows], best, rtol=1e-9)
    cosines = search.search(QUERIES, k=len(FAQ))
    for query, rows in enumerate(hits.row):
        order = np.argsort(cosines.row[query])
        expected = cosines.score[query][order][rows]
        assert_allclose(hits.score[query], expected, atol=1e-6)


def test_finds_codes_that_vectors_do_not_tell_apart():
    search = SemanticSearch().fit(CODES)
    for query, text in [("What is ERR-4042?", CODES[42]), ("p2419h", CODES[100])]:
        assert search.search(query, k=1, hybrid=True).text[0, 0] == text


def test_after_updates_and_loading(tmp_path):
    search = SemanticSearch().fit(CODES[:3])
    assert search.search("ERR-4042", k=3, hybrid=True).id.shape == (1, 3)
    search.upsert([CODES[42]], ids=[1]).save(tmp_path / "search")
    for each in (search, skparaphrase.load(tmp_path / "search")):
        assert each.search("4042", k=1, hybrid=True).id.item() == 1
    search.remove(1)
    assert search.search("4042", k=5, hybrid=True).id.shape == (1, 2)
    assert search.remove([0, 2]).search("4042", hybrid=True).id.shape == (1, 0)


@pytest.mark.parametrize("texts", [CODES, ["", "..."]])
def test_queries_without_a_known_word(texts):
    search = SemanticSearch().fit(texts)
    hits = search.search(["", "!", "qwxyz"], k=2, hybrid=True)
    assert_array_equal(hits.row, search.search(["", "!", "qwxyz"], k=2).row)
    assert search.search([], k=2, hybrid=True).row.shape == (0, 2)


def test_groups_and_frames():
    groups = load_faq().topics
    search = SemanticSearch().fit(FAQ, payload={"topic": groups})
    hits = search.search(QUERIES, k=4, hybrid=True, groups="topic", as_frame=True)
    assert hits.groupby("query", sort=False)["topic"].nunique().eq(4).all()
    first = search.search(QUERIES, k=1, hybrid=True)
    assert hits["text"][::4].tolist() == first.text[:, 0].tolist()


def test_what_cannot_be_searched():
    search = SemanticSearch().fit(FAQ)
    with pytest.raises(ValueError, match="hybrid=True takes no threshold"):
        search.search("a bank", hybrid=True, threshold=0.5)
    vectors = search.vectors_
    for fitted, query in [(search, vectors[0]), (SemanticSearch().fit(vectors), "a")]:
        with pytest.raises(ValueError, match="needs texts and queries, not vectors"):
            fitted.search(query, hybrid=True)


def test_without_bm25s(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(ImportError, match="pip install bm25s"):
        SemanticSearch().fit(FAQ).search("a bank", hybrid=True)
