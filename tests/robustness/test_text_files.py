"""Text files with what editors and attackers put in."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs
import re

import pytest
from file_attacks import GLOVE
from numpy.testing import assert_array_equal

from skparaphrase.vectors import WordFrequencies, read_word_vectors


@pytest.mark.parametrize("content", [GLOVE, b"7 3\n" + GLOVE])
def test_byte_order_marks_are_no_part_of_the_first_word(content, file):
    found = read_word_vectors(file("marked.txt", codecs.BOM_UTF8 + content))
    expected = read_word_vectors(file("plain.txt", content))
    assert found.words == expected.words and found.words[0] == "the"
    assert_array_equal(found.matrix, expected.matrix)


def test_byte_order_marks_are_no_part_of_the_first_count(file):
    found = WordFrequencies.read(file("counts.txt", codecs.BOM_UTF8 + b"the 10\na 3\n"))
    assert dict(found) == {"the": 10, "a": 3}


@pytest.mark.parametrize("format", ["word2vec", "word2vec-binary"])
@pytest.mark.parametrize(
    "header",
    ["9" * 26 + " 3", "2 " + "9" * 26, "2 " + "9" * 5000, "2 100", "9" * 18 + " 3"],
)
def test_headers_that_promise_more_than_the_file_holds(header, format, file):
    path = file("vectors", f"{header}\nthe 1 2 3\na 4 5 6\n")
    with pytest.raises(ValueError, match=re.escape(str(path))):
        read_word_vectors(path, format=format)


@pytest.mark.parametrize("mark", ["\0", "\x1c", "\x1f", "\x0b"])
def test_control_characters_in_numbers(mark, file):
    path = file("vectors.txt", f"the 1 2 3\na 4 5{mark}5 6\nb 7 8 9\n")
    with pytest.raises(ValueError, match=r"vectors\.txt, line 2: "):
        read_word_vectors(path, format="glove")
