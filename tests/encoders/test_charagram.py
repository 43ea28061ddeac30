"""CharagramEncoder; its equations: test_embedding.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

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
