"""Training pairs: aligned phrases, and pairs of a group."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import tracemalloc
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skparaphrase.datasets import load_paraphrases
from skparaphrase.pairs import extract_phrase_pairs, make_group_pairs
from skparaphrase.text import WordTokenizer


@pytest.mark.parametrize(
    ("pair", "phrases"),
    [
        (
            ("The man quickly ate his lunch", "The man gobbled up his lunch"),
            [
                ("quickly ate", "gobbled up"),
                ("man quickly ate his", "man gobbled up his"),
            ],
        ),
        # At the ends there is a common word on one side.
        (
            ("Cats sleep", "Dogs sleep"),
            [("cats", "dogs"), ("cats sleep", "dogs sleep")],
        ),
        (("He runs", "He walks"), [("runs", "walks"), ("he runs", "he walks")]),
        # Insertions and punctuation marks are not phrases.
        (("He runs fast", "He runs very fast"), []),
        (("Yes, he runs", "Yes: he runs"), []),
        (("He runs.", "He runs!"), []),
        (("The same", "the same"), []),
        (("", "words"), []),
    ],
)
def test_phrases_of_a_pair(pair, phrases):
    found = extract_phrase_pairs([pair])
    assert found.shape == (len(phrases), 2) and found.dtype == object
    assert [*map(tuple, found)] == phrases


@pytest.mark.parametrize(("max_words", "n_phrases"), [(6, 2), (5, 1), (4, 0)])
def test_the_number_of_words_is_limited(max_words, n_phrases):
    pair = ("I will call you as soon as I can", "I will call you at once")
    phrases = extract_phrase_pairs([pair], max_words=max_words)
    expected = [
        ["as soon as i can", "at once"],
        ["you as soon as i can", "you at once"],
    ]
    assert phrases.tolist() == expected[:n_phrases]


def test_phrases_stand_between_common_words():
    """For all bundled pairs, each phrase is in its text and not in the other."""
    pairs, split = load_paraphrases().data, WordTokenizer()
    n_found = 0
    for pair in pairs:
        texts = [f" {' '.join(split(text))} " for text in pair]
        for phrase in extract_phrase_pairs([pair]):
            n_found += 1
            for side in (0, 1):
                assert f" {phrase[side]} " in texts[side]
            assert phrase[0] != phrase[1]
    assert n_found > 1000
    together = extract_phrase_pairs(pairs).tolist()
    assert len(together) == len({*map(tuple, together)}) <= n_found


def test_a_tokenizer_of_your_own():
    pair = [("I'm here-now", "I'm home-now")]
    assert extract_phrase_pairs(pair, tokenizer=str.split).tolist() == [
        ["here-now", "home-now"],
        ["I'm here-now", "I'm home-now"],
    ]


def test_all_pairs_of_groups():
    rng = np.random.RandomState(0)
    texts = [f"text {i}" for i in rng.permutation(60)]
    groups = rng.choice(["a", "b", "c", "d"], 60)
    pairs = make_group_pairs(texts, groups)
    expected = Counter()
    for group in "abcd":
        members = [t for t, g in zip(texts, groups, strict=True) if g == group]
        expected.update(combinations(members, 2))
    assert Counter(map(tuple, pairs)) == expected
    assert_array_equal(pairs, make_group_pairs(np.array(texts), list(groups)))


def test_repeated_texts_and_small_groups():
    pairs = make_group_pairs(["a", "b", "a", "c", "a"], [0, 0, 0, 1, 1])
    assert pairs.tolist() == [["a", "b"], ["c", "a"]]
    assert make_group_pairs(["a", "a", "b"], [0, 0, 1]).shape == (0, 2)
    assert make_group_pairs([], []).shape == (0, 2)
    for missing in (None, float("nan")):
        groups = np.array([missing, missing, "x", "x"], dtype=object)
        assert make_group_pairs([*"abcd"], groups).tolist() == [["c", "d"]]


def test_of_a_large_group_pairs_are_drawn():
    texts = [f"text {i}" for i in range(30_000)]
    tracemalloc.start()
    pairs = make_group_pairs(texts, np.zeros(30_000), max_pairs=50, random_state=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6  # of 450 million pairs
    places = [[texts.index(text) for text in pair] for pair in pairs]
    assert len({*map(tuple, places)}) == 50
    assert all(first < second for first, second in places)
    assert max(second for _, second in places) > 25_000
    # Every pair of a group is equally likely.
    counts = Counter()
    for seed in range(600):
        drawn = make_group_pairs([*"abcd"], [0] * 4, max_pairs=3, random_state=seed)
        counts.update(map("".join, drawn))
    assert {*counts} == {"ab", "ac", "ad", "bc", "bd", "cd"}
    assert min(counts.values()) > 250 and max(counts.values()) < 350


@pytest.mark.parametrize(
    ("make", "arguments", "options", "message"),
    [
        (make_group_pairs, (["a", "b"], [1]), {}, "inconsistent numbers"),
        (make_group_pairs, (["a", "b"], [1, 1]), {"max_pairs": 0}, "max_pairs == 0"),
        (extract_phrase_pairs, ([("a", "b")],), {"max_words": 0}, "max_words == 0"),
    ],
)
def test_errors(make, arguments, options, message):
    with pytest.raises(ValueError, match=message):
        make(*arguments, **options)
