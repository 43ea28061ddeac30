"""Swear words, which the tests spell in rot13, are named only when asked for."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs

import pandas as pd

from skparaphrase.datasets import load_paraphrases, load_similarity
from skparaphrase.inspection import FrequencyWeightsDisplay, TokenWeightsDisplay
from skparaphrase.inspection._swear_words import is_swear_word
from skparaphrase.text import WordTokenizer

RUDE = codecs.decode("fuvggl ohyyfuvg nff onfgneqf phag qnza Shpxvat juber", "rot13")
POLITE = """bass class passion Dickens peacock cockpit grape therapeutic Scunthorpe
Essex analysis accumulate document title shitake whom crane ship a ü""".split()


def test_swear_words():
    assert all(map(is_swear_word, RUDE.split()))
    rude = [word for word in POLITE if is_swear_word(word)]
    assert rude == ["shitake"]  # the price of beginnings


def test_bundled_texts_are_polite():
    texts = [*load_paraphrases().data.ravel(), *load_similarity().data.ravel()]
    words = {word for text in WordTokenizer().tokenize(texts) for word in text}
    assert not any(map(is_swear_word, words))


def test_figures_name_them_only_when_asked():
    rude = RUDE.split()[0]
    words, share = [rude, "cat", "dog", "zebra"], [0.5, 0.49, 0.48, 1e-6]
    frequency = FrequencyWeightsDisplay(words, share, [0.1, 0.2, 0.3, 0.9])
    assert names(frequency) == ["zebra", "cat"]  # the others are in the step of the cat
    assert names(frequency, [rude]) == [rude]
    frame = pd.DataFrame({"frequency": share, "l2": [9.0, 1.0, 2.0, 5.0]}, index=words)
    weights = TokenWeightsDisplay(frame)
    assert set(names(weights)) == {"zebra", "dog", "cat"}
    assert names(weights, [rude]) == [rude]
    assert names(TokenWeightsDisplay(frame[:1])) == []


def names(display, words=None):
    return [text.get_text() for text in display.plot(words=words).texts_]
