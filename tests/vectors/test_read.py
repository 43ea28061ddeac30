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


def fails(path, message, **params):
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))}\b.*{message}"):
        read(path, **params)


@pytest.mark.parametrize("format", _read.FORMATS)
def test_an_empty_file(file, format):
    fails(file(b""), "is empty", format=format)


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (["a 1 2 3", "b 1 2 ", "c 4 5 6"], 2),
        (["a 1 2 3", "", "c 4 5 6"], 2),
        (["a 1 2 3", "b 4 5 6", "c 1 2", "d 4 5 6 7"], 3),
        (["a 1 2 3", "b 1 2 ", "c 4 5\t6 7", "d 4 5 6"], 2),
    ],
)
@pytest.mark.parametrize("header", [[], ["{} 3"]])
def test_rows_of_wrong_length(file, rows, line, header):
    content = "\n".join([*(h.format(len(rows)) for h in header), *rows])
    format = "word2vec" if header else "glove"
    message = f", line {line + len(header)}:"
    fails(file(content.encode()), message, format=format)


@pytest.mark.parametrize(
    "value",
    ["abc", "1.5abc", "1.0.0", "0x10", "1_0", "٣", "5\x005", "5\x1c5"],
)
@pytest.mark.parametrize("row", ["b {} 2", "b 2 {}"])
def test_a_word_where_a_number_should_be(file, value, row):
    content = f"a 1 2\n{row.format(value)}\nc 3 4\n"
    fails(file(content.encode()), ", line 2:")
    fails(file(content.partition("\nc")[0].encode()), ", line 2:")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"the 1 2 3\n", "line 1: expected the header .* b'the 1 2 3'"),
        (b"2 3.5\nthe 1 2 3\n", "line 1: expected the header"),
        (b"2 0\nthe\n", "line 1: the header b'2 0' does not fit"),
        (b"2 " + b"9" * 5000 + b"\nthe 1 2 3\n", ""),
    ],
)
@pytest.mark.parametrize("format", ["word2vec", "word2vec-binary"])
def test_a_wrong_header(file, content, message, format):
    fails(file(content), message, format=format)


def test_a_first_line_without_numbers(file):
    fails(
        file(b"the\ncat 1\n"), "line 1: expected a word and its vector", format="glove"
    )


@pytest.mark.parametrize("format", ["auto", "word2vec"])
def test_a_header_that_promises_more_words(file, format):
    content = FILES["word2vec"].replace(b"6 3", b"8 3", 1)
    fails(file(content), "ends after 6 words; its header says 8", format=format)
    assert read(file(content), format=format, limit=6)[0] == WORDS


@pytest.mark.parametrize("name", ["word2vec-binary", "word2vec-binary, bare"])
def test_a_binary_file_that_was_cut_off(file, name):
    content = FILES[name]
    for size in range(4, len(content) - 1):
        fails(file(content[:size]), "", format="word2vec-binary")
    fails(file(content[:-2]), "cut off in row 5 of 6")
    fails(file(content[:60]), "header says 6 words of 3 numbers")
    for header in (b"99999999999999999999 300", b"9" * 90 + b" 1"):  # no such array
        fails(file(header + b"\na \0\0"), "not fit", format="word2vec-binary")


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"a 1 2\nb\xff 3 4\nc 5 6\n", "line 2"),
        (b"3 2\na 1 2\nb\xff 3 4\nc 5 6\n", "line 3"),
        (binary("abc", [[1, 2], [3, 4], [5, 6]]).replace(b"b ", b"b\xff "), "row 1"),
    ],
)
def test_a_word_that_is_not_utf8(file, content, where):
    path = file(content)
    fails(path, rf"{where}: the word b'b\\xff' is not UTF-8")
    for errors, word in {"replace": "b\ufffd", "ignore": "b"}.items():
        words, matrix = read(path, encoding_errors=errors)
        assert words == ["a", word, "c"]
        assert_array_equal(matrix, [[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"a 1 2\nb 3 4\na 5 6\nb 7 8\na 0 0\nc 9 9\n", "line 3"),
        (b"6 2\na 1 2\nb 3 4\na 5 6\nb 7 8\na 0 0\nc 9 9\n", "line 4"),
        (binary("abab", [[1, 2], [3, 4], [5, 6], [7, 8]]), "row 2"),
    ],
)
def test_a_word_that_occurs_again_keeps_its_first_vector(file, content, where):
    path = file(content)
    n = 2 if where == "row 2" else 3
    message = f"{re.escape(str(path))}: {n} words .* 'a' in {where}"
    with pytest.warns(UserWarning, match=message):
        vectors = read_word_vectors(path)
    assert vectors.words[:2] == ["a", "b"]
    assert_array_equal(vectors.matrix[:2], [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("value", "dtype"),
    [("nan", "float32"), ("-inf", "float32"), ("1e39", "float32"), ("1e5", "float16")],
)
@pytest.mark.parametrize("row", ["b {} 2", "b 2 {}"])
def test_numbers_that_are_not_finite(file, value, dtype, row):
    content = f"a 1 2\n{row.format(value)}\nc 3 4\n"
    fails(file(content.encode()), "'b', row 1", dtype=dtype)
    if "e" not in value:
        rows = [[1, 2], [3, float(value)], [5, 6]]
        fails(file(binary("abc", rows)), "row 1")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"format": "fasttext"}, "format must be one of .*'fasttext'"),
        ({"dtype": "int8"}, "dtype must be float32 or float16; got int8"),
        ({"limit": -1}, "limit must not be negative; got -1"),
        ({"unknown": "cow"}, "unknown='cow' is neither"),
    ],
)
def test_wrong_parameters(file, params, message):
    with pytest.raises(ValueError, match=message):
        read_word_vectors(file(FILES["glove"]), **params)


@pytest.mark.parametrize("limit", [None, 2])
def test_more_words_than_the_header_says(file, limit):
    text = file(b"2 3\na 1 2 3\nb 4 5 6\nc 7 8 9\n")
    fails(text, "line 4: more lines follow", limit=limit)
    row = np.ones(3, dtype="<f4")
    content = binary(["a", "b", "c"], [row] * 3).replace(b"3 3", b"2 3", 1)
    fails(file(content), "more bytes follow row 1", limit=limit)


def test_a_vocabulary_keeps_the_unknown_word(file):
    vectors = read_word_vectors(file(FILES["glove"]), vocabulary=["cat"], unknown="the")
    assert (vectors.words, vectors.unknown) == (["the", "cat"], "the")
    with pytest.raises(TypeError, match="got one str"):
        read_word_vectors(file(FILES["glove"]), vocabulary="cat")


LONG = 5 * 2**20  # bytes, more than a line may have


@pytest.mark.parametrize(
    "content",
    [b"a" * LONG, b"a" * LONG + b" 1 2\n", b"a" + b" 1" * LONG, b" " * LONG + b"\n"],
    ids=range(4),
)
@pytest.mark.parametrize("header", [b"", b"9 2\n"])
def test_lines_without_end(file, content, header):
    path = file(header + b"x 1 2\n" + content)
    line = 2 + bool(header)
    with pytest.raises(ValueError, match=r", line \d+: a line of more") as raised:
        read_word_vectors(path)
    assert f"{path}, line {line}:" in str(raised.value)


def test_a_table_takes_the_memory_of_its_rows(file):
    """And little more while it grows."""
    path = file(b"".join(b"w%d %s\n" % (i, b"0.5 " * 100) for i in range(5000)))
    tracemalloc.start()
    matrix = read(path, format="glove")[1]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert matrix.shape == (5000, 100)
    assert peak < 3 * matrix.nbytes


def test_a_binary_word_without_end(file):
    path = file(b"2 1\n" + b"a" * LONG + b" " + bytes(4) + b"b " + bytes(4))
    with pytest.raises(ValueError, match="row 0 of 2, or damaged, at byte 4"):
        read_word_vectors(path, format="word2vec-binary")
