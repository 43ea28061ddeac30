"""Shares of words in a cosine, against sums written out by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler

import skparaphrase
from skparaphrase.datasets import load_paraphrases, load_word_vectors
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    ParaphraseEncoder,
    SIFEncoder,
)
from skparaphrase.inspection import (
    SimilarityExplanationDisplay,
    explain_similarity,
    nearest_texts,
)
from skparaphrase.pairs import LastAxis
from skparaphrase.search import SemanticSearch
from skparaphrase.vectors import WordVectors

A, B = "I forgot my password.", "How do I reset my login, my login?"
TABLE = WordVectors(["a", "cat", "dog"], [[1, 0], [0, 2], [3, 4]])


@pytest.fixture(scope="module")
def pipeline():
    texts = load_paraphrases().data[:, 0]
    return make_pipeline(SIFEncoder(), CommonComponentRemoval(2), Normalizer()).fit(
        texts
    )


def test_shares_of_an_average_by_hand():
    found = explain_similarity("A cat", "a dog dog", AverageEncoder(TABLE))
    assert found.index.tolist() == ["a", "cat"]
    assert found.columns.tolist() == ["a", "dog", "dog"]
    first, second = np.array([1, 2]), np.array([7, 8])  # sums of the vectors
    expected = np.array([[1, 3, 3], [0, 8, 8]])  # products of two words' vectors
    expected = expected / np.linalg.norm(first) / np.linalg.norm(second)
    assert_allclose(found, expected, rtol=1e-6)
    assert found.attrs["is_sum"]
    cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert found.attrs["cosine"] == pytest.approx(cosine)


def test_weights_and_removed_components_are_part_of_the_shares(pipeline):
    sif, removal, _ = (step for _, step in pipeline.steps)
    table, tokens = load_word_vectors(), {}
    for text in (A, B):
        words = sif._tokenizer()(text)
        rows = [table.words.index(word) for word in words]
        vectors = table.rows(np.array(rows)) * sif.weights_[rows][:, np.newaxis]
        for component in removal.components_:
            vectors = vectors - np.outer(vectors @ component, component)
        tokens[text] = vectors / np.linalg.norm(vectors.sum(axis=0))
    found = explain_similarity(A, B, FrozenEstimator(pipeline))
    assert found.attrs["is_sum"]
    assert_allclose(found, tokens[A] @ tokens[B].T, atol=1e-5)


def scaled(**options):
    return make_pipeline(AverageEncoder(), Normalizer(), StandardScaler(**options))


def without_component(norm, wrap=lambda step: step):
    removal = wrap(CommonComponentRemoval(norm=norm))
    return make_pipeline(AverageEncoder(), LastAxis(removal))


@pytest.mark.parametrize(
    "text",
    [
        *("A well-known state-of-the-art parcel", "qwertyx!", "one one one"),
        "The parcel that I ordered, and that you sent, is late. " * 7,  # windows
    ],
)
@pytest.mark.parametrize(
    "encoder",
    [
        FrozenEstimator(skparaphrase.load_pretrained()),
        scaled(with_mean=False),
        without_component("l2"),
        without_component(None),
        without_component("l2", make_pipeline),
        ParaphraseEncoder(max_epochs=1, random_state=0, device="cpu"),
        SemanticSearch(),
    ],
    ids=str,
)
def test_shares_add_up_to_the_cosine(encoder, text):
    pairs = load_paraphrases().data[:60]
    texts = pairs if isinstance(encoder, ParaphraseEncoder) else pairs.ravel()
    encoder.fit(texts, None)
    found = explain_similarity(text, B, encoder)
    assert found.attrs["is_sum"]
    vectors = getattr(encoder, "encoder_", encoder).transform([text, B])
    cosine = cosine_similarity(vectors)[0, 1]
    assert found.attrs["cosine"] == pytest.approx(cosine, abs=1e-5)
    assert found.to_numpy().sum() == pytest.approx(cosine, abs=1e-5)


def test_offsets_that_no_word_brings_are_not_shares():
    encoder = scaled().fit(load_paraphrases().data[:100, 0])
    assert not explain_similarity(A, B, encoder).attrs["is_sum"]


def test_steps_that_clean_texts():
    clean = FunctionTransformer(lambda texts: np.char.lstrip(texts.astype(str), "#"))
    encoder = make_pipeline(clean, skparaphrase.load_pretrained(), Normalizer())
    shares = explain_similarity(f"#{A}", f"###{B}", encoder)
    assert_allclose(shares, explain_similarity(A, B))
    assert shares.attrs["is_sum"]
    found = nearest_texts(encoder, ["#cat"], ["##dog", "#kitten"], k=1)
    assert found["neighbor"].tolist() == ["#kitten"]
    assert nearest_texts(encoder, ["###cat"], k=1)["neighbor"][0] == "cat"


def test_words_are_left_out_where_vectors_are_no_sums():
    def count(texts):
        counts = [[text.split().count(word) for word in "abc"] for text in texts]
        return np.square(np.array(counts, dtype=float))

    encoder = FunctionTransformer(count).fit(["a"])
    found = explain_similarity("a a b", "a c", encoder)
    assert not found.attrs["is_sum"]
    whole, no_a, no_b = [4, 1, 0], [1, 1, 0], [4, 0, 0]
    second, only_c, only_a = [1, 0, 1], [0, 0, 1], [1, 0, 0]

    def c(x, y):
        return np.dot(x, y) / np.linalg.norm(x) / np.linalg.norm(y)

    for row, left in enumerate((no_a, no_a, no_b)):
        for column, right in enumerate((only_c, only_a)):
            share = c(whole, second) - c(left, second) - c(whole, right)
            assert found.iloc[row, column] == pytest.approx(share + c(left, right))
    assert found.attrs["cosine"] == pytest.approx(c(whole, second))


def test_empty_vectors_have_no_shares():
    found = explain_similarity("zzz", "a cat", AverageEncoder(TABLE))
    assert found.shape == (1, 2) and not found.to_numpy().any()


@pytest.mark.parametrize(
    ("a", "b", "error", "message"),
    [
        ("", "a cat", ValueError, "a has no words: ''"),
        ("a cat", "  ", ValueError, "b has no words"),
        (["a cat"], "a", TypeError, "a must be a text; got list"),
    ],
)
def test_refused(a, b, error, message):
    with pytest.raises(error, match=message):
        explain_similarity(a, b)


def test_display():
    display = SimilarityExplanationDisplay.from_estimator(
        None, A, B, name="shipped", colorbar=True
    )
    shares = explain_similarity(A, B)
    assert_allclose(display.im_.get_array(), shares)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == shares.index.tolist()
    least = 0.05 * shares.abs().to_numpy().max()
    values = shares.to_numpy().ravel()
    expected = [f"{share:.2f}" if abs(share) >= least else "" for share in values]
    assert [text.get_text() for text in display.texts_] == expected
    assert "" in expected
    assert display.ax_.get_title() == f"shipped: cosine {shares.attrs['cosine']:.2f}"
    low, high = display.im_.get_clim()
    assert low == -high
    plt.close(display.figure_)
    display.plot(include_values=False)
    assert display.texts_ is None
    plt.close(display.figure_)


def test_strongest_pairs_of_long_texts():
    display = SimilarityExplanationDisplay.from_estimator(None, A, B, max_words=2)
    assert display.im_ is display.texts_ is None
    frame = explain_similarity(A, B)
    pairs = [f"{one} - {other}" for one in frame.index for other in frame.columns]
    shares = frame.to_numpy().ravel()
    strongest = np.argsort(-abs(shares), kind="stable")[:10]
    assert len(shares) > 10
    assert_allclose(display.bars_.datavalues, shares[strongest])
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == [pairs[i] for i in strongest]
    low, high = display.ax_.get_ylim()
    assert low > high  # the strongest is on top


def test_the_words_of_a_search_are_not_explained():
    search = SemanticSearch(lexical="char_wb").fit(["a red car", "a blue cat"])
    with pytest.warns(UserWarning, match="explains only the cosine of the vectors"):
        explain_similarity("red car", "a red car", search)
