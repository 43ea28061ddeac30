"""Documents to passages."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skparaphrase.text import split_passages

TEXT = (
    'It rains. We stay at home! Do you come? "Not today." (He is ill.) It is 3.5 km.\n'
    "\nA new paragraph without an end"
)


def test_sentences_stay_whole():
    found = split_passages([TEXT, "", "One."], 6, n_shared=0)
    assert found.text.tolist() == [
        "It rains. We stay at home!",
        'Do you come? "Not today."',
        "(He is ill.)",
        "It is 3.5 km.",
        "A new paragraph without an end",
        "",
        "One.",
    ]
    assert found.document.tolist() == [0, 0, 0, 0, 0, 1, 2]


def test_the_last_sentences_are_repeated_where_they_fit():
    text = "a b. c d. e f. g h i j k. l."
    found = split_passages([text], 4)
    assert found.text.tolist() == ["a b. c d.", "c d. e f.", "g h i j", "k. l."]
    two = split_passages([text], 6, n_shared=2).text.tolist()
    assert two == ["a b. c d. e f.", "g h i j k. l."]


@pytest.mark.parametrize("n_shared", [3, 4, 7])
def test_no_more_is_shared_than_there_is(n_shared):
    text = "One a. Two b. Three c. Four d. Five e."
    found = split_passages([text], 8, n_shared=n_shared).text.tolist()
    assert found == [
        "One a. Two b. Three c. Four d.",
        "Two b. Three c. Four d. Five e.",
    ]


@given(
    st.lists(
        st.text(st.sampled_from('ab .!?\n"\u3002'), max_size=60), min_size=1, max_size=4
    ),
    st.integers(1, 9),
    st.integers(0, 3),
)
def test_no_word_is_lost_and_none_is_too_many(documents, n_words, n_shared):
    found = split_passages(documents, n_words, n_shared=n_shared)
    assert sorted({*found.document.tolist()}) == [*range(len(documents))]
    for text in found.text:
        assert len(text.split()) <= n_words or "\u3002" in text
    whole = split_passages(documents, n_words, n_shared=0)
    for number, document in enumerate(documents):
        parts = whole.text[whole.document == number]
        words = " ".join(parts).split()
        assert "".join(words) == "".join(document.split())


def test_abbreviations_end_no_sentence():
    text = "Ask Dr. Lee or J. Doe, e.g. by mail. Plan A or B? Mr. Ray knows."
    found = split_passages([text], 9, n_shared=0).text.tolist()
    assert found == [
        "Ask Dr. Lee or J. Doe, e.g. by mail.",
        "Plan A or B? Mr. Ray knows.",
    ]


def test_refused():
    with pytest.raises(ValueError, match="n_words == 0, must be >= 1"):
        split_passages(["a"], 0)
    with pytest.raises(TypeError, match="Put a single text in a list"):
        split_passages("a")
