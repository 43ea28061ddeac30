"""Search by meaning."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

import skparaphrase
from skparaphrase.datasets import load_similarity
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, ParagramEncoder, SIFEncoder
from skparaphrase.search import SemanticSearch
from skparaphrase.vectors import WordVectors

TEXTS = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
SENTENCES = load_similarity().data[:, 0]
QUERIES = load_similarity().data[:40, 1]


@pytest.fixture(scope="module")
def search():
    return SemanticSearch().fit(SENTENCES)


def test_finds_the_text_that_means_the_same():
    search = SemanticSearch().fit(TEXTS)
    hits = search.search(["The package has not arrived.", "refund, please"], k=1)
    assert hits.text.tolist() == [[TEXTS[0]], [TEXTS[1]]]
    assert hits.row.tolist() == [[0], [1]]
    assert hits.query.tolist() == ["The package has not arrived.", "refund, please"]


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


def test_the_query_itself_is_a_hit(search):
    hits = search.search(SENTENCES[5], k=1)
    assert hits.text[0, 0] == SENTENCES[5]
    assert_allclose(hits.score, 1, atol=1e-6)


def test_frames(search):
    frame = search.search(pd.Series(QUERIES[:3]), k=2, as_frame=True)
    hits = search.search(QUERIES[:3], k=2)
    assert frame.columns.tolist() == ["query", "row", "text", "score"]
    assert frame["query"].tolist() == [q for q in QUERIES[:3] for _ in range(2)]
    assert_array_equal(frame["row"], hits.row.ravel())
    assert_array_equal(frame["score"], hits.score.ravel())
    assert SemanticSearch().fit(pd.DataFrame({"text": TEXTS})).texts_.shape == (3,)


def test_kneighbors_are_those_of_scikit_learn(search):
    peer = NearestNeighbors(metric="cosine").fit(search.vectors_)
    expected, _ = peer.kneighbors()
    distances, indices = search.kneighbors()
    assert_allclose(distances, expected, atol=2e-6)
    assert (indices != np.arange(len(SENTENCES))[:, np.newaxis]).all()
    distances, indices = search.kneighbors(QUERIES, 3)
    expected, rows = peer.kneighbors(search._embed(QUERIES), 3)
    assert_allclose(distances, expected, atol=2e-6)
    assert (indices == rows).mean() > 0.99  # ties
    only = search.kneighbors(QUERIES, 3, return_distance=False)
    assert_array_equal(only, indices)


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
    own, expected = other.kneighbors(n_neighbors=3), search.kneighbors(n_neighbors=3)
    assert_allclose(own[0], expected[0], atol=1e-6)
    assert not hasattr(neighbors, "X_")
    assert not hasattr(neighbors, "n_features_in_")


class Descent(BaseEstimator):
    """The adapter of pynndescent in the user guide."""

    def fit(self, X, y=None):
        from pynndescent import NNDescent

        self.index_ = NNDescent(X, random_state=0)
        return self

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        rows, distances = self.index_.query(X, k=n_neighbors)
        return (distances, rows) if return_distance else rows


class Faiss(BaseEstimator):
    """The adapter of faiss in the user guide."""

    def fit(self, X, y=None):
        import faiss

        self.index_ = faiss.IndexHNSWFlat(X.shape[1], 32)
        self.index_.add(X)
        return self

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        distances, rows = self.index_.search(X, n_neighbors)
        return (distances, rows) if return_distance else rows


@pytest.mark.parametrize("adapter", [Descent, Faiss])
def test_approximate_indexes(search, adapter):
    pytest.importorskip({Descent: "pynndescent", Faiss: "faiss"}[adapter])
    other = SemanticSearch(neighbors=adapter()).fit(SENTENCES)
    hits, expected = other.search(QUERIES, k=4), search.search(QUERIES, k=4)
    assert (hits.row == expected.row).mean() > 0.9
    assert_allclose(hits.score[:, 0], expected.score[:, 0], atol=0.2)


@pytest.mark.parametrize("neighbors", [None, NearestNeighbors()], ids=str)
def test_texts_can_be_added(neighbors):
    search = SemanticSearch(neighbors=neighbors)
    search.partial_fit(TEXTS[:1]).partial_fit(TEXTS[1:])
    whole = SemanticSearch(neighbors=neighbors).fit(TEXTS)
    assert_array_equal(search.texts_, whole.texts_)
    assert_array_equal(search.vectors_, whole.vectors_)
    assert search.search("bicycle shop", k=1).row.item() == 2


def test_which_encoder_is_used():
    assert SemanticSearch().fit(TEXTS).encoder_.vectors is not None
    pairs = load_similarity().data[:60]
    trained = ParagramEncoder(max_epochs=1, random_state=0, device="cpu").fit(pairs)
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


def test_in_a_pipeline():
    shout = FunctionTransformer(lambda texts: [text.upper() for text in texts])
    pipeline = make_pipeline(shout, SemanticSearch()).fit(TEXTS)
    assert pipeline[-1].texts_[0] == "WHERE IS MY PARCEL?"


def test_words_that_are_not_known():
    vectors = WordVectors(["cat", "dog"], np.eye(2))
    search = SemanticSearch(AverageEncoder(vectors)).fit(["cat", "xyz", "dog"])
    hits = search.search(["dog", "abc"], k=3)
    assert hits.score.tolist() == [[1, 0, 0], [0, 0, 0]]
    assert hits.row.tolist() == [[2, 0, 1], [0, 1, 2]]


class Padded(Reversed):
    """Pads with -1, as faiss does."""

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        return np.full((len(X), n_neighbors), -1)


class Short(Reversed):
    """Finds fewer than it was asked for."""

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        return np.zeros((len(X), 1), dtype=int)


@pytest.mark.parametrize("neighbors", [Padded(), Short()], ids=str)
def test_indexes_that_find_too_few(neighbors):
    search = SemanticSearch(neighbors=neighbors).fit(TEXTS)
    with pytest.raises(ValueError, match="found fewer than 2 texts"):
        search.search("bikes", k=2)


def test_nothing():
    search = SemanticSearch().fit([])
    assert search.search(["bikes"], k=2).row.shape == (1, 0)
    assert search.partial_fit(TEXTS).search([], k=2).row.shape == (0, 2)
    assert SemanticSearch().fit(["bikes"]).kneighbors()[1].shape == (1, 0)


def test_scores_are_cosines(search):
    scores = search.search(SENTENCES, k=3).score
    assert scores.max() == 1
    assert search.kneighbors(SENTENCES, 1)[0].min() == 0


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


def test_more_neighbours_than_texts(search):
    hits = SemanticSearch().fit(TEXTS).search("bikes", k=10)
    assert hits.row.shape == (1, 3)
    assert SemanticSearch().fit(TEXTS).kneighbors()[1].shape == (3, 2)
    with pytest.raises(ValueError, match="k == 0, must be >= 1"):
        search.search("bikes", k=0)


def test_what_cannot_be_searched(search):
    with pytest.raises(ValueError, match=r"must hold texts, shape .*X\['title"):
        SemanticSearch().fit([("a", "b")])
    with pytest.raises(TypeError, match=r"returns sparse vectors.*TruncatedSVD"):
        SemanticSearch(TfidfVectorizer()).fit(TEXTS)
    with pytest.raises(TypeError, match="index 1"):
        search.search(["bikes", 3])
