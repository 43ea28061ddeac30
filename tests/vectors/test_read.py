"""Files of word vectors and word counts, written by hand here and read back."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import codecs
import re
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from skparaphrase.vectors import _read, read_word_vectors

pytestmark = pytest.mark.usefixtures("core")

DTYPES = ["float32", "float16"]
WORDS = ["the", "cat", ",", "naïve", "猫", "don't"]
NUMBERS = [
    ["0.5", "-1.25", "3"],
    ["1e-05", "-0", "0.1"],
    ["1E2", "+2.5", ".5"],
    ["-7.", "0.333333333333", "1e-46"],
    ["16777217", "123456.789", "-0.000001"],
    ["0", "1", "-1"],
]
MATRIX = np.array([[float(value) for value in row] for row in NUMBERS], np.float32)
LINES = [f"{word} {' '.join(row)}" for word, row in zip(WORDS, NUMBERS, strict=True)]


def binary(words, matrix, row_end=b"\n"):
    head = b"%d %d\n" % np.shape(matrix)
    rows = zip(words, matrix, strict=True)
    return head + b"".join(
        word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + row_end
        for word, row in rows
    )


FILES = {
    "glove": ("\n".join(LINES) + "\n").encode(),
    "glove, empty lines at the end": ("\r\n".join(LINES) + "\r\n\r\n\n").encode(),
    "glove, byte order mark": codecs.BOM_UTF8 + ("\n".join(LINES) + "\n").encode(),
    "glove, tabs": ("\n".join(LINES) + "\n").replace(" ", "\t").encode(),
    "word2vec": ("\n".join(["6 3", *LINES]) + "\n").encode(),
    "word2vec, C tool": (" \n".join(["6 3\n" + LINES[0], *LINES[1:]]) + " \n").encode(),
    "word2vec, byte order mark": codecs.BOM_UTF8 + "\n".join(["6 3", *LINES]).encode(),
    "word2vec-binary": binary(WORDS, MATRIX),
    "word2vec-binary, bare": binary(WORDS, MATRIX, b""),
}


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "table"
        path.write_bytes(content)
        return path

    return write


def read(path, **params):
    vectors = read_word_vectors(path, **params)
    assert len(vectors.words) == len(vectors.matrix)
    return vectors.words, vectors.matrix


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_numbers(file, name):
    for format in ("auto", name.partition(",")[0]):
        words, matrix = read(file(FILES[name]), format=format)
        assert (words, matrix.dtype) == (WORDS, np.float32)
        assert_array_equal(matrix, MATRIX)
    words, matrix = read(file(FILES[name]), dtype="float16", limit=4)
    assert (words, matrix.dtype) == (WORDS[:4], np.float16)
    assert_array_equal(matrix, MATRIX[:4].astype(np.float16))


@pytest.mark.parametrize("name", ["glove", "word2vec", "word2vec-binary"])
@pytest.mark.parametrize("limit", [None, 0, 1, 4, 6, 100])
@pytest.mark.parametrize(
    "vocabulary", [None, [], ["cat", "cat", "cow", "don't"], {"the", "猫"}, WORDS]
)
def test_limit_counts_the_words_of_the_file(file, name, limit, vocabulary):
    rows = [
        row
        for row, word in enumerate(WORDS[:limit])
        if vocabulary is None or word in vocabulary
    ]
    wanted = vocabulary if vocabulary is None else iter(vocabulary)
    words, matrix = read(file(FILES[name]), limit=limit, vocabulary=wanted)
    assert words == [WORDS[row] for row in rows]
    assert matrix.shape == (len(rows), 3)
    assert_array_equal(matrix, MATRIX[rows])


numbers = st.one_of(
    st.floats(-1e30, 1e30).map(repr),
    st.floats(-100, 100, width=32).map(lambda x: f"{x:.6f}"),
    st.floats(-1, 1).map(lambda x: f"{x:.5g}"),
    st.integers(-(10**17), 10**17).map(str),
    st.from_regex(
        r"[+-]?([0-9]{1,9}\.[0-9]{0,9}|\.[0-9]{1,9})(e-?[0-9])?", fullmatch=True
    ),
)


@pytest.mark.filterwarnings("ignore:overflow")
@given(st.lists(numbers, min_size=2, max_size=20), st.sampled_from(DTYPES))
def test_values_are_those_of_float(tmp_path_factory, texts, dtype):
    path = tmp_path_factory.mktemp("numbers") / "table"
    path.write_text(f"a {' '.join(texts)}\n")
    expected = np.array([float(text) for text in texts]).astype(dtype)
    if np.isfinite(expected).all():
        matrix = read_word_vectors(path, format="glove", dtype=dtype).matrix
        assert matrix[0].tobytes() == expected.tobytes()
    else:
        with pytest.raises(ValueError, match="'a', row 0, is not finite"):
            read_word_vectors(path, format="glove", dtype=dtype)


@pytest.mark.parametrize("header", ["", "5 2\n"])
def test_words_may_hold_white_space(file, header):
    words = ["a", ". . .", "1999", "at name@domain.com", "x\xa0y\u3000z\u2028\x85"]
    text = header + "".join(f"{word} 1.5 -{i}\n" for i, word in enumerate(words))
    found, matrix = read(file(text.encode()))
    assert found == words
    assert_array_equal(matrix, [[1.5, -i] for i in range(5)])


@pytest.mark.parametrize("header", ["", "6 2\n"])
def test_words_that_are_a_space_or_end_in_a_number(file, header):
    words = ["the", "cat", " ", "", "Route 66", "dog"]
    text = header + "".join(f"{word} 1.5 -{i}\n" for i, word in enumerate(words))
    with pytest.warns(UserWarning, match="b'Route 66' ends in a number, .* words: 1"):
        found, matrix = read(file(text.encode()))
    assert found == words
    assert_array_equal(matrix, [[1.5, -i] for i in range(6)])


def test_a_control_character_does_not_make_a_file_binary(file):
    words, _ = read(file(b"2 2\nthe 1 2\na\x01b 3 4\n"))
    assert words == ["the", "a\x01b"]


def test_words_in_another_encoding(file):
    words, _ = read(file("café 1 2\nthe 3 4\n".encode("cp1252")), encoding="cp1252")
    assert words == ["café", "the"]
    with pytest.warns(UserWarning, match=r"line 1: b'caf\\xe9' .* pass encoding="):
        read(file("café 1 2\nthe 3 4\n".encode("cp1252")))


@pytest.mark.parametrize("dim", [4, 50])
@pytest.mark.parametrize("row_end", [b"", b"\n"])
def test_binary_files_whose_words_hold_spaces(file, dim, row_end):
    """Nothing in the format tells; one word in a hundred looks like a word."""
    n_read = 0
    for seed in range(100):
        matrix = np.random.RandomState(seed).normal(size=(4, dim)) / 10
        path = file(binary(["the", "new york", "cat", "dog"], matrix, row_end))
        try:
            read(path)
        except ValueError as error:
            words = "a word contains a space.* import_word_vectors|is not finite"
            assert re.search(words, str(error))
        else:
            n_read += 1
    assert n_read <= (0 if row_end else 3)


def test_control_characters_in_words_of_binary_files(file):
    rows = np.ones((2, 3))
    with pytest.raises(ValueError, match=r"row 1: b'a\\x01b' is no word"):
        read(file(binary(["the", "a\x01b"], rows, b"")))
    assert read(file(binary(["the", "naïve"], rows, b"")))[0] == ["the", "naïve"]
    latin = binary(["the", "naïve"], rows, b"").replace("ï".encode(), b"\xef")
    assert read(file(latin), encoding="latin-1")[0] == ["the", "naïve"]
    first = binary(["é", "the"], rows, b"").replace("é".encode(), b"\xe9")
    with pytest.raises(ValueError, match=r"row 0: b'\\xe9' .*pass encoding="):
        read(file(first))


def test_binary_vectors_may_hold_newlines_and_spaces(file):
    row = np.frombuffer(b"\n\n\n\n \n  \n \n ", dtype="<f4")
    words, matrix = read(file(binary(["5", "x"], [row, row])))
    assert words == ["5", "x"]
    assert_array_equal(matrix, [row, row])


@pytest.mark.parametrize("content", [b"0 3\n", b"0 3\r\n"])
@pytest.mark.parametrize("format", ["auto", "word2vec", "word2vec-binary"])
def test_a_header_of_no_words_is_an_empty_table(file, content, format):
    words, matrix = read(file(content), format=format)
    assert words == []
    assert matrix.shape == (0, 3)


# Errors ----------------------------------------------------------------------------

CUT = FILES["word2vec-binary"]
ROW = np.ones(3, dtype="<f4")
TOO_MANY = binary(["a", "b", "c"], [ROW] * 3).replace(b"3 3", b"2 3", 1)
NO_NUMBERS = ["abc", "1.5abc", "1.0.0", "0x10", "1_0", "٣", "5\x005", "5\x1c5"]


def text(*rows, header=None):
    return "\n".join([*([header] if header else []), *rows, ""]).encode()


@pytest.mark.parametrize(
    ("content", "params", "message"),
    [
        *((b"", {"format": format}, "is empty") for format in _read.FORMATS),
        # Rows of wrong length
        (text("a 1 2 3", "b 1 2 ", "c 4 5 6"), {}, ", line 2:"),
        (text("a 1 2 3", "b 4 5 6", "c 1 2", "d 4 5 6 7"), {}, ", line 3:"),
        (text("a 1 2 3", "b 1 2 ", "c 4 5\t6 7", header="3 3"), {}, ", line 3:"),
        (
            b"the\ncat 1\n",
            {"format": "glove"},
            "line 1: expected a word and its vector",
        ),
        # Numbers
        *(
            (content.encode(), {}, ", line 2:")
            for value in NO_NUMBERS
            for row in (f"b {value} 2", f"b 2 {value}")
            for content in (f"a 1 2\n{row}\nc 3 4\n", f"a 1 2\n{row}")
        ),
        (text("a 1 2", "b nan 2", "c 3 4"), {}, "'b', row 1"),
        (text("a 1 2", "b 2 -inf"), {}, "'b', row 1"),
        (text("a 1 2", "b 1e39 2"), {}, "'b', row 1"),
        (text("a 1 2", "b 2 1e5"), {"dtype": "float16"}, "'b', row 1"),
        (binary("abc", [[1, 2], [3, np.nan], [5, 6]]), {}, "row 1"),
        # Headers
        *(
            (content, {"format": format}, "line 1: expected a header")
            for format in ("word2vec", "word2vec-binary")
            for content in (
                b"the 1 2 3\n",
                b"2 3.5\nthe 1 2 3\n",
                b"2 0\nthe\n",
                b"2 " + b"9" * 5000 + b"\nthe 1 2 3\n",
                b"-2 3\nthe 1 2 3\n",
            )
        ),
        (text(*LINES, header="8 3"), {}, "ends after 6 words; its header says 8"),
        # Binary files that are cut off, or have other headers
        *((CUT[:n], {"format": "word2vec-binary"}, "") for n in range(4, len(CUT) - 1)),
        (CUT[:-2], {}, "cut off in row 5 of 6"),
        (FILES["word2vec-binary, bare"][:-2], {}, "cut off in row 5 of 6"),
        (CUT[:60], {}, "header says 6 words of 3 numbers"),
        (
            b"9" * 90 + b" 1\na \0\0",
            {"format": "word2vec-binary"},
            "not fit",  # no array is so large
        ),
        (TOO_MANY, {}, "more bytes follow row 1"),
        (TOO_MANY, {"limit": 2}, "more bytes follow row 1"),
        # Words
        (FILES["glove"], {"unknown": "cow"}, "unknown='cow' is neither"),
    ],
)
def test_files_that_are_refused(file, content, params, message):
    path = file(content)
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))}\b.*{message}"):
        read(path, **params)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"format": "fasttext"}, ValueError, "format must be one of .*'fasttext'"),
        ({"dtype": "int8"}, ValueError, "dtype must be float32 or float16; got int8"),
        ({"limit": -1}, ValueError, "limit must not be negative; got -1"),
        ({"vocabulary": "cat"}, TypeError, "got one str"),
        ({"encoding": "utf-80"}, LookupError, "utf-80"),
    ],
)
def test_wrong_parameters(file, params, error, message):
    with pytest.raises(error, match=message):
        read_word_vectors(file(FILES["glove"]), **params)


@pytest.mark.parametrize(
    ("content", "n_left_out", "where"),
    [
        (b"a 1 2\nb 3 4\na 5 6\nb 7 8\na 0 0\nc 9 9\n", 3, "line 3: b'a'"),
        (b"6 2\na 1 2\nb 3 4\na 5 6\nb 7 8\na 0 0\nc 9 9\n", 3, "line 4: b'a'"),
        (binary("abab", [[1, 2], [3, 4], [5, 6], [7, 8]]), 2, "row 2: b'a'"),
        (b"a 1 2\n\xff 5 6\nb 3 4\n", 1, r"line 2: b'\\xff'"),
        (
            binary("aeb", [[1, 2], [5, 6], [3, 4]]).replace(b"e ", b"\xff "),
            1,
            r"row 1: b'\\xff'",
        ),
    ],
)
def test_words_that_are_left_out(file, content, n_left_out, where):
    path = file(content)
    message = f"{re.escape(str(path))}, {where} .* such words: {n_left_out}."
    with pytest.warns(UserWarning, match=message):
        vectors = read_word_vectors(path)
    assert vectors.words[:2] == ["a", "b"]
    assert_array_equal(vectors.matrix[:2], [[1, 2], [3, 4]])
    words, _ = read(file(b"a 1 2\n\xff 3 4\nb 1 2"), vocabulary=["b"])  # no warning
    assert words == ["b"]


def test_a_limit_within_a_header_that_promises_more_words(file):
    content = text(*LINES, header="8 3")
    assert read(file(content), limit=6)[0] == WORDS


def test_a_vocabulary_keeps_the_unknown_word(file):
    vectors = read_word_vectors(file(FILES["glove"]), vocabulary=["cat"], unknown="the")
    assert (vectors.words, vectors.unknown) == (["the", "cat"], "the")


def test_a_table_takes_the_memory_of_its_rows(file):
    """And little more while it grows."""
    path = file(b"".join(b"w%d %s\n" % (i, b"0.5 " * 100) for i in range(5000)))
    tracemalloc.start()
    matrix = read(path, format="glove")[1]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert matrix.shape == (5000, 100)
    assert peak < 3 * matrix.nbytes
