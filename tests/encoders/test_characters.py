"""Charagram, charCNN and charLSTM; their equations: test_embedding.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from skparaphrase import load
from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import CharCNNEncoder, CharLSTMEncoder
from skparaphrase.text import NgramTokenizer


def test_ngrams_are_drawn_in_the_range_of_the_paper(zoo):
    encoder = zoo.make("charagram", dim=300, max_epochs=0).fit(zoo.pairs)
    matrix, limit = encoder.vectors_.matrix, (6 / (len(encoder.vectors_) + 301)) ** 0.5
    assert 0.99 * limit < np.abs(matrix).max() <= limit
    assert matrix.std() == pytest.approx(limit / 3**0.5, rel=0.05)


@pytest.mark.parametrize("name", ["charagram", "char cnn", "char lstm"])
def test_partial_fit_keeps_the_vocabulary_of_its_first_call(zoo, name):
    encoder = zoo.make(name).partial_fit(zoo.pairs)
    words = list(encoder.vectors_.words)
    encoder.partial_fit([("quite new", "very new"), ("w1", "w1 xyz")])
    assert list(encoder.vectors_.words) == words
    assert encoder.n_epochs_ == 2


def test_the_vocabulary_can_be_limited(zoo):
    ngrams = [*zoo.fitted("charagram").vectors_.words]
    counts = {n: sum(f" {t} ".count(n) for t in zoo.texts) for n in ngrams}
    often = zoo.make("charagram", min_count=5, max_epochs=0).fit(zoo.pairs)
    assert set(often.vectors_.words) == {n for n in ngrams if counts[n] >= 5}
    few = zoo.make("charagram", max_ngrams=4, max_epochs=0).fit(zoo.pairs)
    assert len(few.vectors_) == 12
    for length in (2, 3, 4):
        kept = [counts[n] for n in few.vectors_.words if len(n) == length]
        every = sorted(counts[n] for n in ngrams if len(n) == length)
        assert sorted(kept) == every[-4:]


def test_misspelt_words_are_near_and_unknown_ngrams_are_zero(zoo):
    encoder = zoo.fitted("charagram")
    assert not encoder.transform(["é"]).any()
    word, misspelt = encoder.transform(["w12", "w122"])
    norms = np.linalg.norm(word) * np.linalg.norm(misspelt)
    assert word @ misspelt > 0.5 * norms
    upper = zoo.make("charagram", tokenizer=NgramTokenizer(lowercase=False)).fit(
        zoo.pairs
    )
    assert not upper.transform(["W"]).any() and encoder.transform(["W"]).any()


each = pytest.mark.parametrize("name", ["char cnn", "char lstm"])


@pytest.mark.parametrize(
    ("encoder", "n_numbers"),
    [
        (CharCNNEncoder(), 881_025),  # the paper's number
        # 134 * 300, filters of 875 * 300 * 9/5, 525 biases, a layer of 526 * 300
        (CharCNNEncoder(filters="equal"), 134 * 300 + 472_500 + 525 + 157_800),
        # Per gate two matrices, a bias and, but for the cell, a peephole.
        (CharLSTMEncoder.paper(), 134 * 300 + 3 * 180_300 + 2 * 300),
        (CharLSTMEncoder.paper(output_gate=True), 134 * 300 + 4 * 180_300 + 3 * 300),
    ],
)
def test_sizes_are_those_of_the_paper(zoo, encoder, n_numbers):
    # The paper has 134 symbols: a space, the unknown one and 132 others.
    texts = ["".join(map(chr, range(0x4E00 + i, 0x4E00 + i + 66))) for i in (0, 66)]
    encoder = clone(encoder).set_params(max_epochs=0, random_state=0).fit([texts] * 2)
    assert len(encoder.vectors_) == 134
    assert sum(array.size for array in zoo.state(encoder).values()) == n_numbers


@pytest.mark.parametrize(
    ("name", "changes", "limit"),
    [
        ("char cnn", {}, None),
        ("char lstm", {"embedding_range": None}, None),
        ("char lstm", {}, 1.0),
    ],
)
def test_characters_are_drawn_in_a_range(zoo, name, changes, limit):
    encoder = zoo.make(name, embedding_dim=300, max_epochs=0, **changes).fit(zoo.pairs)
    matrix, papers = encoder.vectors_.matrix, 0.5 / len(encoder.vectors_)
    limit = limit or papers
    assert 0.99 * limit < np.abs(matrix).max() <= limit * (1 + 1e-6)
    assert matrix.std() == pytest.approx(limit / 3**0.5, rel=0.05)


@each
def test_unknown_characters_share_a_vector(zoo, name):
    unknown = zoo.fitted(name).transform(["é", "ü", "éé"])
    assert unknown.any(axis=1).all()
    assert_allclose(unknown[0], unknown[1], rtol=1e-6)


def test_dropout_before_the_layer(zoo):
    """Reproducible, only in training, and without effect for a share near 0."""
    plain = zoo.fitted("char cnn")
    dropped = zoo.make("char cnn", dropout=0.6).fit(zoo.pairs)
    assert not zoo.same(dropped, plain)
    assert zoo.same(zoo.make("char cnn", dropout=0.6).fit(zoo.pairs), dropped)
    vectors = dropped.transform(zoo.texts)
    assert_array_equal(dropped.transform(zoo.texts), vectors)
    assert_array_equal(
        clone(dropped).set_params(dropout=0.0, init=dropped, max_epochs=0)
        .fit(zoo.pairs)
        .transform(zoo.texts),
        vectors,
    )  # fmt: skip
    more = zoo.make("char cnn", dropout=0.6, max_epochs=1, warm_start=True)
    assert zoo.same(more.fit(zoo.pairs).fit(zoo.pairs), dropped)


def test_without_the_layer_vectors_are_the_maxima(zoo, tmp_path):
    encoder = zoo.make("char cnn", dim=None, filters=[(2, 1), (3, 3)]).fit(zoo.pairs)
    assert sorted(encoder.parameters_) == [
        f"filters.{i}.{part}" for i in range(2) for part in ("bias", "weight")
    ]
    vectors = encoder.transform(zoo.texts)
    assert vectors.shape == (len(zoo.texts), 5)
    assert len(encoder.get_feature_names_out()) == 5
    encoder.save(tmp_path / "encoder")
    assert_array_equal(load(tmp_path / "encoder").transform(zoo.texts), vectors)


def test_a_fit_that_puts_all_texts_on_one_vector_warns():
    X = [pair for pair in load_paraphrases().data if max(map(len, pair)) <= 30]
    encoder = CharLSTMEncoder.paper(
        embedding_dim=10, dim=20, learning_rate=0.01, batch_size=25, max_epochs=9,
        device="cpu", random_state=0,
    )  # fmt: skip
    with pytest.warns(
        ConvergenceWarning, match=r"0.8 in 9.* loss \(.infonce"
    ) as caught:
        cosines = mean_cosine(encoder.fit(X), X)
    assert cosines > 0.999
    assert "scale" not in str(caught[0].message)  # for word vectors only
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mean_cosine(encoder.set_params(loss="infonce").fit(X), X) < 0.8


def mean_cosine(encoder, X):
    vectors = encoder.transform(X)[:, 0]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors @ vectors.T).mean()


def test_a_text_of_300_characters_alone_is_as_among_others():
    X = load_paraphrases().data
    encoder = CharLSTMEncoder(
        embedding_dim=10, dim=50, learning_rate=0.01, max_epochs=4,
        device="cpu", random_state=0,
    ).fit([pair for pair in X if max(map(len, pair)) <= 30])  # fmt: skip
    texts = [" ".join(X[start : start + 12, 0])[:300] for start in range(80)]
    assert {len(text) for text in texts} == {300}
    alone = np.vstack([encoder.transform([text]) for text in texts])
    assert_allclose(encoder.transform(texts), alone, rtol=0, atol=1e-5)
