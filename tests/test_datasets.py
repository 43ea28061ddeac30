"""The data that come with the package, and the readers of tables of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import string
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import skparaphrase
from skparaphrase.datasets import (
    load_paraphrases,
    load_sentiment,
    load_similarity,
    load_word_frequencies,
    load_word_vectors,
    read_pairs,
    read_scored_pairs,
)

LOADERS = [load_paraphrases, load_similarity, load_sentiment]


# Bundled ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("load", "n_least", "columns", "dtype"),
    [
        (load_paraphrases, 1000, (2,), None),
        (load_similarity, 400, (2,), np.float64),
        (load_sentiment, 400, (), np.int64),
    ],
)
def test_shapes_and_types(load, n_least, columns, dtype):
    bunch = load()
    n = len(bunch.data)
    assert n >= n_least
    assert bunch.data.shape == (n, *columns)
    assert bunch.data.dtype == object
    assert {type(text) for text in bunch.data.ravel()} == {str}
    assert f"{n:,} " in bunch.DESCR
    assert "CC0" in bunch.DESCR
    assert re.search(rf"\({n}[,)]", load.__doc__)
    if dtype is None:
        assert bunch.target is None
    else:
        assert bunch.target.shape == (n,)
        assert bunch.target.dtype == dtype


@pytest.mark.parametrize("load", LOADERS)
def test_all_ways_to_load_agree(load):
    bunch, frames = load(), load(as_frame=True)
    X, y = load(return_X_y=True)
    X_frame, y_frame = load(return_X_y=True, as_frame=True)
    assert isinstance(X_frame, pd.DataFrame if bunch.data.ndim == 2 else pd.Series)
    assert_array_equal(X, bunch.data)
    assert_array_equal(X_frame.to_numpy(), bunch.data)
    assert frames.data.equals(X_frame)
    assert len(frames.frame) == len(X)
    if bunch.target is None:
        assert y is y_frame is frames.target is None
    else:
        assert_array_equal(y, bunch.target)
        assert_array_equal(y_frame, bunch.target)
        assert y_frame.dtype == y.dtype
        assert frames.target.equals(y_frame)


@pytest.mark.parametrize("load", LOADERS)
def test_callers_may_change_what_they_got(load):
    load().data[:] = "other"
    assert "other" not in load().data.ravel()


def test_similarity_fills_its_range():
    scores = load_similarity().target
    assert scores.min() == 0
    assert scores.max() == 5
    assert np.isfinite(scores).all()
    shares = np.histogram(scores, bins=range(6))[0] / len(scores)
    assert shares.min() >= 0.15


def test_sentiment_is_balanced():
    assert np.bincount(load_sentiment().target).tolist() == [220, 220]


@pytest.mark.parametrize("load", LOADERS)
def test_texts_are_clean_and_occur_once(load):
    texts = load().data.ravel().tolist()
    assert all(text == " ".join(text.split()) and text for text in texts)
    folded = [text.casefold() for text in texts]
    assert len(set(folded)) == len(folded)


def test_no_graded_text_is_among_the_paraphrases():
    graded, train = (
        {text.casefold() for text in load().data.ravel()}
        for load in (load_similarity, load_paraphrases)
    )
    assert graded.isdisjoint(train)


def test_bundled_word_vectors():
    vectors = load_word_vectors()
    assert vectors is load_word_vectors()
    assert len(vectors) > 30_000
    assert vectors.matrix.shape == (len(vectors), 128)
    assert (vectors.dtype, vectors.dim) == (np.int8, 128)
    assert vectors.scale.shape == (len(vectors),)
    assert np.isfinite(vectors.scale).all()
    assert vectors.scale.min() > 0
    marks = (
        string.ascii_lowercase
        + string.digits
        + "".join(mark for mark in string.punctuation if mark != "_")
    )
    assert [mark for mark in marks if mark not in vectors] == []
    assert [word for word in vectors.words if word != word.lower() or not word] == []
    assert {"king", "queen"} & {word for word, _ in vectors.nearest("prince", 20)}


def test_bundled_word_frequencies():
    frequencies = load_word_frequencies()
    assert frequencies is load_word_frequencies()
    assert set(frequencies) <= set(load_word_vectors().words)
    assert min(frequencies.values()) > 0
    assert frequencies.total >= sum(frequencies.values())
    assert 0.03 < frequencies.probabilities(["the"])[0] < 0.1
    assert frequencies["the"] > frequencies["of"] > frequencies["paraphrase"]


def test_the_package_stays_small():
    folder = Path(skparaphrase.__file__).parent
    data = [p for p in folder.rglob("data/*") if p.is_file()]
    assert len(data) >= 4
    assert sum(path.stat().st_size for path in data) <= 5e6


# Readers ---------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


HEADER = "score\tsentence2\tid\tsentence1\n"
ROWS = (
    '4.5\tsecond "b"\t7\tfirst, a\n\n-1e-1\t"x\t8\tnaïve, y\'s"\n0\t \t9\t\u2028z\x0c\n'
)
PAIRS = [["first, a", 'second "b"'], ["naïve, y's\"", '"x'], ["\u2028z\x0c", " "]]
SCORES = [4.5, -0.1, 0]


@pytest.mark.parametrize("name", ["a.tsv", "a.txt", "a", "a.TSV"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_tab_separated_files_hold_plain_characters(file, name, bom, line_end, last):
    content = bom + HEADER + (ROWS if last else ROWS[:-1])
    path = file(name, content.replace("\n", line_end))
    bunch = read_scored_pairs(path)
    assert bunch.data.tolist() == PAIRS == read_pairs(str(path)).data.tolist()
    assert bunch.target.tolist() == SCORES
    assert bunch.data.dtype == object
    assert bunch.target.dtype == np.float64
    assert str(path) in bunch.DESCR


@pytest.mark.parametrize("name", ["a.csv", "a.CSV"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_comma_separated_files_hold_quotes(file, name, bom, line_end):
    content = (
        bom + 'id,"sentence1",score,sentence2\n'
        '1,"a, b",2,"say ""c""\nor d"\n'
        "\n"
        '"2",e\tf,"0.5",\n'
    )
    path = file(name, content.replace("\n", line_end))
    bunch = read_scored_pairs(path)
    assert bunch.data.tolist() == [["a, b", f'say "c"{line_end}or d'], ["e\tf", ""]]
    assert bunch.target.tolist() == [2, 0.5]
    assert read_pairs(path).data.tolist() == bunch.data.tolist()


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_positions_read_files_without_a_header(file, bom):
    path = file("a.tsv", bom + ROWS)
    bunch = read_scored_pairs(path, columns=(3, 1), score=0)
    assert bunch.data.tolist() == PAIRS
    assert bunch.target.tolist() == SCORES
    assert read_pairs(path, columns=(1, 3)).data.tolist() == [p[::-1] for p in PAIRS]
    path = file("a.csv", bom + 'a,"b,c"\n')
    assert read_pairs(path, columns=(0, 1)).data.tolist() == [["a", "b,c"]]


def test_columns_of_other_names(file):
    path = file("a.tsv", "q\tr\tgold\na\tb\t3\n")
    bunch = read_scored_pairs(path, columns=("r", "q"), score="gold")
    assert bunch.data.tolist() == [["b", "a"]]
    assert bunch.target.tolist() == [3]


@pytest.mark.parametrize("as_frame", [True, False])
def test_pairs_as_arrays_and_frames(file, as_frame):
    path = file("a.tsv", HEADER + ROWS)
    X, y = read_scored_pairs(path, return_X_y=True, as_frame=as_frame)
    assert isinstance(X, pd.DataFrame if as_frame else np.ndarray)
    assert isinstance(y, pd.Series if as_frame else np.ndarray)
    assert np.asarray(X).tolist() == PAIRS
    assert np.asarray(y).tolist() == SCORES
    X, y = read_pairs(path, return_X_y=True, as_frame=as_frame)
    assert np.asarray(X).tolist() == PAIRS
    assert y is None


@pytest.mark.parametrize(
    ("content", "params"), [(HEADER, {}), ("", {"columns": (0, 1), "score": 2})]
)
@pytest.mark.parametrize("name", ["a.tsv", "a.csv"])
def test_files_of_no_rows(file, content, params, name):
    content = content.replace("\t", "," if name == "a.csv" else "\t")
    X, y = read_scored_pairs(file(name, content), return_X_y=True, **params)
    assert X.shape == (0, 2)
    assert y.shape == (0,)


SHORT = {"score": 0, "columns": (1, 2)}


@pytest.mark.parametrize(
    ("name", "content", "params", "message"),
    [
        ("a.tsv", "", {}, "line 1: no column 'sentence1'"),
        ("a.tsv", "a\tb\n", {}, r"line 1: no column 'sentence1'.*\['a', 'b'\]"),
        ("a.csv", HEADER, {}, "line 1: no column 'sentence1'"),
        ("a.tsv", HEADER, {"score": "gold"}, "line 1: no column 'gold'"),
        ("a.tsv", HEADER + ROWS + "1\tx\n", {}, "line 6: expected 4 columns .* got 2"),
        ("a.tsv", "1\ta\tb\n\n2\tc\n", SHORT, "line 3: expected 3 columns .* got 2"),
        ("a.csv", '1,"a\n",b\n2,c\n', SHORT, "line 3: expected 3 columns .* got 2"),
        ("a.tsv", HEADER + ROWS + "x\ta\tb\tc\n", {}, "line 6: 'x' in column 'score'"),
        ("a.tsv", "1\ta\tb\n\n\tc\td\n", SHORT, "line 3: '' in column '0'"),
        ("a.csv", '1,"a\n",b\n"1,5",c,d\n', SHORT, "line 3: '1,5' in column '0'"),
        ("a.tsv", b"1\ta\tb\n2\tc\t\xff\n3\te\tf\n", SHORT, "line 2: not UTF-8"),
        ("a.csv", b"1,a,b\n2,c,d\n3,\xe9,f\n", SHORT, "line 3: not UTF-8"),
        ("a.tsv", b"\xef\xbb\xbf1\ta\tb\n\xff\n", SHORT, "line 2: not UTF-8"),
        ("a.csv", "1,a,b\n2,c," + "d" * 200_000, SHORT, "line 2: field larger"),
    ],
)
def test_errors_name_file_and_line(file, name, content, params, message):
    path = file(name, content)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}, {message}"):
        read_scored_pairs(path, **params)


@pytest.mark.parametrize("read", [read_pairs, read_scored_pairs])
@pytest.mark.parametrize("columns", [(), ("sentence1",), (0, 1, 2)])
def test_columns_must_be_two(file, read, columns):
    with pytest.raises(ValueError, match="columns must be two; got"):
        read(file("a.tsv", HEADER), columns=columns)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_pairs(tmp_path / "nowhere.tsv")
