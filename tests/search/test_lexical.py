"""Search, near duplicates and mining by words in addition to vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import skparaphrase
from skparaphrase.datasets import load_graded_pairs
from skparaphrase.search import NearDuplicates, ParaphraseMiner, SemanticSearch
from skparaphrase.text import clean_text

SENTENCES = load_graded_pairs().data[:, 0]
QUERIES = load_graded_pairs().data[:40, 1]
CHARACTERS = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
VECTORIZERS = ["char_wb", TfidfVectorizer(), CountVectorizer(), HashingVectorizer()]


def slow_scores(queries, texts, lexical, weight):
    """The whole matrix, of the cosines of scikit-learn."""
    encoder = skparaphrase.load_pretrained()
    lexical = CHARACTERS if isinstance(lexical, str) else lexical
    rows = lexical.fit_transform(texts)
    cosines = cosine_similarity(encoder.transform(queries), encoder.transform(texts))
    return (1 - weight) * cosines + weight * cosine_similarity(
        lexical.transform(queries), rows
    )


@pytest.mark.parametrize("lexical", VECTORIZERS, ids=str)
@pytest.mark.parametrize("weight", [0, 0.3, 1])
def test_scores_are_sums_of_two_cosines(lexical, weight):
    search = SemanticSearch(lexical=lexical).fit(SENTENCES)
    search.set_params(lexical_weight=weight)
    scores = slow_scores(QUERIES, SENTENCES, lexical, weight)
    hits = search.search(QUERIES, k=9)
    assert_allclose(hits.score, np.sort(scores, axis=1)[:, :-10:-1], atol=1e-5)
    found = np.take_along_axis(scores, hits.row, axis=1)
    assert_allclose(hits.score, found, atol=1e-5)
    few = search.search(QUERIES, k=3)
    assert_allclose(few.score, hits.score[:, :3], atol=1e-6)
    mask = np.arange(len(SENTENCES)) % 3 == 0
    hits = search.search(QUERIES, k=9, mask=mask)
    expected = np.sort(scores[:, mask], axis=1)[:, :-10:-1]
    assert_allclose(hits.score, expected, atol=1e-5)
    groups = np.arange(len(SENTENCES)) % 7
    hits = search.search(QUERIES, k=7, groups=groups)
    expected = [scores[:, groups == group].max(axis=1) for group in range(7)]
    assert_allclose(hits.score, np.sort(expected, axis=0)[::-1].T, atol=1e-5)
    hits = search.search(QUERIES, k=9, threshold=0.5)
    assert (hits.row >= 0).sum() == np.minimum(
        (scores > 0.5 - 2e-6).sum(axis=1), 9
    ).sum()


@pytest.mark.parametrize("lexical", VECTORIZERS[1:], ids=str)
def test_no_texts_and_no_queries(lexical):
    search = SemanticSearch(lexical=lexical.fit(SENTENCES)).fit([])
    assert search.search("a cat").score.shape == (1, 0)
    assert search.partial_fit(["A cat."]).search([]).score.shape == (0, 1)
    assert search.search(["", "a cat", "qwx"]).score.shape == (3, 1)
    assert np.isnan(search.search("").score.item())


def test_equal_scores_keep_the_order_of_the_texts():
    texts = ["Same text.", "Another.", "Same text.", "same text.", "Same text."]
    search = SemanticSearch(lexical="char_wb").fit(texts)
    for k in (1, 2, 4, 5):
        rows = search.search("Same text.", k=k).row[0]
        assert rows.tolist() == [0, 2, 3, 4, 1][:k]


class Counting(TfidfVectorizer):
    """Counts the texts that it reads."""

    def transform(self, raw_documents):
        self.n_read_ = getattr(self, "n_read_", 0) + len(raw_documents)
        return super().transform(raw_documents)


def test_updates_read_no_other_text():
    lexical = Counting().fit(SENTENCES)
    search = SemanticSearch(lexical=lexical).fit(SENTENCES[:300])
    before = lexical.n_read_
    search.partial_fit(SENTENCES[300:350]).remove(range(20, 170))
    search.upsert(["A new text.", "Another new text."], ids=[3, 301])
    assert lexical.n_read_ - before == 52
    new = SemanticSearch(lexical=lexical).fit(search.texts_, ids=search.ids_)
    hits, expected = search.search(QUERIES, k=5), new.search(QUERIES, k=5)
    assert_allclose(hits.score, expected.score, atol=1e-6)
    assert (hits.id == expected.id).mean() > 0.98  # ties


@pytest.mark.parametrize(
    "lexical",
    [
        *VECTORIZERS,
        CountVectorizer(dtype=np.int32, binary=True, stop_words=["a", "the"]),
        TfidfVectorizer(norm=None, max_features=50, dtype=np.float32),
        TfidfVectorizer(vocabulary={"cat": 0, "dog": 1}),
        make_pipeline(
            HashingVectorizer(alternate_sign=False, norm=None, n_features=2**10),
            TfidfTransformer(sublinear_tf=True),
        ),
        FrozenEstimator(TfidfVectorizer().fit(SENTENCES)),
    ],
    ids=str,
)
def test_saved_and_pickled(lexical, tmp_path):
    payload = {"number": range(len(SENTENCES))}
    search = SemanticSearch(lexical=lexical).fit(SENTENCES, payload=payload)
    search.remove(range(9)).partial_fit(["New."], payload={"number": [-1]})
    hits = search.search(QUERIES, k=4)
    search.save(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search")
    for other in (loaded, pickle.loads(pickle.dumps(search))):
        found = other.search(QUERIES, k=4)
        for name in ("id", "text", "number"):
            assert_array_equal(found[name], hits[name])
        assert_allclose(found.score, hits.score, atol=1e-6)
        other.partial_fit(["The newest."], payload={"number": [-2]})
        assert other.search("the newest", k=1).number.item() == -2


def test_words_stay_when_an_index_is_set():
    search = SemanticSearch(lexical="char_wb").fit(SENTENCES)
    before = search.search(QUERIES, k=3)
    search.set_params(neighbors=NearestNeighbors())
    for each in (search, pickle.loads(pickle.dumps(search))):
        assert_array_equal(each.search(QUERIES, k=3).score, before.score)


def test_forged_words_are_refused(tmp_path):
    search = SemanticSearch(lexical="char_wb").fit(SENTENCES[:20])
    attributes = search.__getstate__()
    attributes["words_"]["indices"] = attributes["words_"]["indices"] + 10**8
    with pytest.raises(ValueError, match="must be < 20"):  # words of SciPy
        SemanticSearch().__setstate__(attributes)


def test_a_pattern_of_a_stranger_is_not_trusted(tmp_path):
    lexical = TfidfVectorizer(token_pattern=r"(\w+)+\b")
    SemanticSearch(lexical=lexical).fit(SENTENCES[:9]).save(tmp_path / "search")
    with pytest.raises(ValueError, match=r"regular expression .*may run forever"):
        skparaphrase.load(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search", trusted=True)
    assert loaded.lexical_.token_pattern == lexical.token_pattern


def test_words_of_cleaned_texts():
    clean = FunctionTransformer(clean_text)
    mails = [f"<p>{text}</p>" for text in SENTENCES[:50]]
    encoder = make_pipeline(clean, skparaphrase.load_pretrained())
    search = SemanticSearch(encoder, lexical="char_wb").fit(mails)
    expected = SemanticSearch(lexical="char_wb").fit(SENTENCES[:50])
    hits, other = search.search(QUERIES, k=3), expected.search(QUERIES, k=3)
    assert_allclose(hits.score, other.score, atol=1e-5)


def test_near_duplicates_by_words_and_vectors():
    texts = np.append(SENTENCES[:200], np.char.add(SENTENCES[:60].astype(str), " Yes."))
    for lexical, weight in [("char_wb", 0.5), (TfidfVectorizer(), 0.8)]:
        model = NearDuplicates(
            threshold=0.6, lexical=lexical, lexical_weight=weight, must_agree=None
        ).fit(texts.astype(object))
        scores = np.triu(slow_scores(texts, texts, lexical, weight), 1)
        copies = model.copy_of_ != np.arange(len(texts))
        scores[copies] = scores[:, copies] = 0
        first, second = np.nonzero(scores >= 0.6)
        assert {*map(tuple, model.pairs_.tolist())} == {
            *zip(first.tolist(), second.tolist(), strict=True)
        }
        assert_allclose(model.cosines_, scores[tuple(model.pairs_.T)], atol=1e-5)
        assert len(first) >= 60


def test_pairs_by_words_and_vectors():
    texts, others = SENTENCES[:150], QUERIES
    for weight in (0.3, 0.9):
        miner = ParaphraseMiner(threshold=0.5, lexical="char_wb", lexical_weight=weight)
        pairs = miner.fit(texts).mine(texts, others)
        rows = CHARACTERS.fit(np.unique(texts))
        encoder = skparaphrase.load_pretrained()
        scores = (1 - weight) * cosine_similarity(
            encoder.transform(texts), encoder.transform(others)
        ) + weight * cosine_similarity(rows.transform(texts), rows.transform(others))
        assert len(pairs.row) == (scores >= 0.5).sum() > 5
        assert_allclose(pairs.score, scores[tuple(pairs.row.T)], atol=1e-5)


@pytest.mark.parametrize(
    ("params", "X", "query", "error"),
    [
        ({"neighbors": NearestNeighbors()}, ["a"], "a", "exclude each other"),
        ({}, np.eye(3), "a", "lexical needs texts"),
        ({}, ["a cat", "a dog"], np.zeros(256), "queries must be texts, not vec"),
        ({"lexical": "word"}, ["a"], "a", "'lexical' parameter"),
        ({"lexical_weight": 2}, ["a"], "a", "'lexical_weight' parameter"),
        (
            {"lexical": skparaphrase.load_pretrained()},
            ["a"],
            "a",
            "returns dense vectors; it must be",
        ),
    ],
    ids=str,
)
def test_what_words_cannot_do(params, X, query, error):
    search = SemanticSearch(**{"lexical": TfidfVectorizer(), **params})
    with pytest.raises((TypeError, ValueError), match=error):
        search.fit(X).search(query)
