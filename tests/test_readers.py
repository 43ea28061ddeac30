"""Readers of a user's own files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import bz2
import csv
import gzip
import io
import lzma
import os
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skparaphrase.datasets import (
    _source,
    iter_pairs,
    read_labelled_pairs,
    read_pairs,
    read_scored_pairs,
    read_tagged,
    read_texts,
)

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared")) / "data"


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


# One after another -------------------------------------------------------------------

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TABLES = [
    (".tsv", HEADER + ROWS, {}),
    (".tsv", (HEADER + ROWS)[:-1].replace("\n", "\r\n"), {"columns": ("id", "score")}),
    (".csv", 'a,"b\r\n""c"""\r"d\n\n","e"\r\n\nf,g', {"columns": (0, 1)}),
    (".csv", 'a, "b,\nc"\nd, " e"\n\rf, g', {"columns": (0, 1)}),
    (".csv", '" a"," ""b, """\nx,"y, "\n', {"columns": (1, 0)}),
    (".txt", 'a;"b;c"\nd;"é\u2028e"\n', {"columns": (0, 1), "sep": ";"}),
    (".csv", "a,b,c\nd,e\n", {"columns": (0, 1)}),
    (".csv", "sentence1,sentence2", {}),
    (".tsv", "", {"columns": (0, 1)}),
    (".csv", "a,b\nc\nd,e\n", {"columns": (0, 1)}),
    (".csv", 'a,b\n\nc,"d', {"columns": (0, 1)}),
    (".csv", 'a, "b"\n"c"d,e', {"columns": (0, 1)}),
    (".csv", "sentence1;sentence2\na;b\n", {}),
    (".tsv", "sentence1\tSentence2\na\tb\n", {}),
]


def outcome(read):
    try:
        return [[*pair] for pair in read()]
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("size", [1, 2, 3, 8, 2**20])
@pytest.mark.parametrize("packed", PACK)
def test_pairs_one_after_another(file, monkeypatch, size, packed):
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-be"):
        for number, (ending, content, params) in enumerate(TABLES):
            raw = PACK[packed](content.encode(encoding))
            path = file(f"{number}{encoding}{ending}{packed}", raw)
            params = {**params, "encoding": encoding}
            whole = outcome(lambda: read_pairs(path, **params).data)  # noqa: B023
            with monkeypatch.context() as patch:
                patch.setattr(_source, "_BYTES", size)
                assert outcome(lambda: iter_pairs(path, **params)) == whole  # noqa: B023


CELL = st.text(st.sampled_from('ab ",;\r\n\té'), max_size=5)


@given(rows=st.lists(st.tuples(CELL, CELL), min_size=1), size=st.integers(1, 9))
def test_quoted_pairs_in_pieces(tmp_path_factory, rows, size):
    path = tmp_path_factory.mktemp("pieces") / "a.csv"
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows(rows)
    path.write_bytes(buffer.getvalue().encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_source, "_BYTES", size)
        assert [*iter_pairs(path, columns=(0, 1))] == rows


@pytest.mark.parametrize("size", [1, 5, 2**20])
@pytest.mark.parametrize(
    ("raw", "encoding", "line"),
    [
        ("a\tb\nä\tc\nd\te".encode("cp1252"), "utf-8", 2),
        (b"a\tb\nc\td\xe4", "utf-8", 2),  # a character that the end cuts
        ("a\tb\nĊ\td\n\ne".encode("utf-16")[:-1], "utf-16", 4),
        ("a\tb\nĊ\td\n\ne".encode("utf-16-be")[:-1], "utf-16-be", 4),
        (b"a\tb\n\x81\tc\n", "cp1252", 2),
        (b"a\tb\n\xff\xff", "shift_jis", 2),
    ],
)
def test_lines_of_bytes_that_are_wrong(file, monkeypatch, raw, encoding, line, size):
    monkeypatch.setattr(_source, "_BYTES", size)
    path = file("a.tsv", raw)
    for read in (read_pairs, lambda *args, **params: [*iter_pairs(*args, **params)]):
        with pytest.raises(ValueError, match=f", line {line}: not "):
            read(path, columns=(0, 1), encoding=encoding)


def test_pairs_before_an_error_are_given(file):
    pairs = iter_pairs(file("a.tsv", "a\tb\nc\n"), columns=(0, 1))
    assert next(pairs) == ("a", "b")
    with pytest.raises(ValueError, match="line 2: expected 2 columns"):
        next(pairs)


def test_wishes_are_checked_at_once(tmp_path):
    path = tmp_path / "nowhere.tsv"
    for params in ({"columns": (0,)}, {"columns": (0, -1)}, {"sep": ""}):
        with pytest.raises(ValueError):
            iter_pairs(path, **params)
    pairs = iter_pairs(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        next(pairs)
    for encoding in ("utf-80", "hex"):
        with pytest.raises(LookupError, match=encoding):
            next(iter_pairs(path, encoding=encoding))


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.csv.gz"])
def test_memory_does_not_grow_with_a_file(file, name):
    sep = "," if ".csv" in name else "\t"
    raw = f"a text of some length, or two{sep}b\n".replace("h,", "h").encode() * 100_000
    path = file(name, gzip.compress(raw, 1) if name.endswith("gz") else raw)
    tracemalloc.start()
    n_pairs = sum(1 for _ in iter_pairs(path, columns=(0, 1)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_pairs == 100_000
    assert peak < len(raw) * 0.8


# Labels -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "0", "-12"], [1, 0, -12]),
        (["1", "0", "x"], ["1", "0", "x"]),
        (["1", "01", "2"], ["1", "01", "2"]),
        (["1.0", "0", "2"], ["1.0", "0", "2"]),
        (["+1", "0", "2"], ["+1", "0", "2"]),
        (["1_0", "0", "²"], ["1_0", "0", "²"]),
        (["9" * 30, "0", "2"], ["9" * 30, "0", "2"]),
        ([" ", "a b", "A"], [" ", "a b", "A"]),
    ],
)
def test_labels_are_whole_numbers_or_strings(file, labels, expected):
    rows = zip("abc", "def", labels, strict=True)
    content = "sentence1\tsentence2\tlabel\n" + "".join(
        "\t".join(row) + "\n" for row in rows
    )
    path = file("a.tsv", content)
    pairs = read_labelled_pairs(path)
    texts = read_texts(path, column="sentence2")
    dtype = np.int64 if isinstance(expected[0], int) else object
    for bunch in (pairs, texts):
        assert bunch.target.tolist() == expected
        assert bunch.target.dtype == dtype
        assert str(path) in bunch.DESCR
    assert pairs.data.tolist() == [["a", "d"], ["b", "e"], ["c", "f"]]
    assert texts.data.tolist() == ["d", "e", "f"]


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_labelled_files_with_marks_of_windows(file, bom, line_end):
    content = bom + 'label\ttext\n1\tfirst, a\n\n0\tnaïve "y\n'
    path = file("a.tsv", content.replace("\n", line_end))
    bunch = read_texts(path)
    assert bunch.data.tolist() == ["first, a", 'naïve "y']
    assert bunch.target.tolist() == [1, 0]
    assert read_texts(path, target=None).target is None
    pairs = read_labelled_pairs(path, columns=("text", "text"))
    assert pairs.data.tolist() == [["first, a"] * 2, ['naïve "y'] * 2]


@pytest.mark.parametrize("as_frame", [True, False])
def test_labelled_data_as_arrays_and_frames(file, as_frame):
    path = file("a.csv", '"a, b",c,yes\nd,e,no\n')
    X, y = read_texts(path, column=0, target=2, return_X_y=True, as_frame=as_frame)
    assert isinstance(X, pd.Series if as_frame else np.ndarray)
    assert isinstance(y, pd.Series if as_frame else np.ndarray)
    assert list(X) == ["a, b", "d"]
    assert list(y) == ["yes", "no"]
    X, y = read_labelled_pairs(
        path, columns=(1, 0), label=2, return_X_y=True, as_frame=as_frame
    )
    assert isinstance(X, pd.DataFrame if as_frame else np.ndarray)
    assert np.asarray(X).tolist() == [["c", "a, b"], ["e", "d"]]
    assert list(y) == ["yes", "no"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text\tsentence1\tsentence2\n", "line 1: no column 'label'"),
        (b"label\ttext\n1\t\xe9\n", "line 2: not UTF-8"),
        (
            "text\tsentence1\tsentence2\tlabel\n\na\tb\tc\n",
            "line 3: expected 4 columns .* got 3",
        ),
        (
            "text\tsentence1\tsentence2\tlabel\na\tb\tc\t1\n\nd\te\tf\t\n",
            "line 4: no label in column 'label'",
        ),
    ],
)
@pytest.mark.parametrize("read", [read_texts, read_labelled_pairs])
def test_errors_of_labelled_files_name_file_and_line(file, read, content, message):
    path = file("a.tsv", content)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}, {message}"):
        read(path)


# Tagged sentences -------------------------------------------------------------------

TAGGED = "token\tlemma\ttag\n\nThe\tthe\tDET\n#\t#\tSYM\n\n  \n\nYes\t\tINTJ\n"
SENTENCES = [["The", "#"], ["Yes"]]
TAGS = [["DET", "SYM"], ["INTJ"]]


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_tagged_files(file, bom, line_end, end):
    content = bom + TAGGED.removesuffix("\n") + end
    path = file("a.tsv", content.replace("\n", line_end))
    bunch = read_tagged(path)
    assert (bunch.data, bunch.target) == (SENTENCES, TAGS)
    assert str(path) in bunch.DESCR
    assert read_tagged(str(path), return_X_y=True) == (SENTENCES, TAGS)
    by_name = read_tagged(path, columns=("tag", "token"))
    assert (by_name.data, by_name.target) == (TAGS, SENTENCES)
    by_position = read_tagged(path, columns=(0, 2))
    assert by_position.data == [["token"], *SENTENCES]


def test_tagged_files_with_spaces(file):
    path = file("a.txt", "EU NNP  B-NP I-ORG\nrejects VBZ B-VP O\n\nPeter NNP B-NP B\n")
    X, y = read_tagged(path, columns=(0, 3), return_X_y=True)
    assert X == [["EU", "rejects"], ["Peter"]]
    assert y == [["I-ORG", "O"], ["B"]]


CONLLU = """\
# sent_id = 1
# text = Vámonos al # mar
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_
3\t#\t#\tSYM\tS\t_\t1\tdep\t_\t_
3.1\tvamos\tir\tVERB\tV\t_\t_\t_\t0:root\t_

# text = a b
1\ta b\t_\tNOUN\tN\t_\t0\troot\t_\t_

"""


@pytest.mark.parametrize("name", ["a.conllu", "a.CONLLU"])
@pytest.mark.parametrize(
    ("columns", "tags"),
    [
        (None, [["VERB", "PRON", "SYM"], ["NOUN"]]),
        (("FORM", "XPOS"), [["V", "P", "S"], ["N"]]),
        ((1, "DEPREL"), [["root", "obj", "dep"], ["root"]]),
        ((1, 4), [["V", "P", "S"], ["N"]]),
    ],
)
def test_conllu(file, name, columns, tags):
    X, y = read_tagged(file(name, CONLLU), columns=columns, return_X_y=True)
    assert X == [["Vamos", "nos", "#"], ["a b"]]
    assert y == tags


@pytest.mark.parametrize(
    ("name", "content", "columns"),
    [
        ("a.tsv", "token\ttag\n\n\n", None),
        ("a.tsv", "", (0, 1)),
        ("a.conllu", "# a comment\n\n", None),
    ],
)
def test_tagged_files_of_no_sentence(file, name, content, columns):
    path = file(name, content)
    assert read_tagged(path, columns=columns, return_X_y=True) == ([], [])


ROW = "1\ta\t_\tX\tY\t_\t_\t_\t_\t_\n"


@pytest.mark.parametrize(
    ("name", "content", "columns", "message"),
    [
        ("a.tsv", "", None, ", line 1: the header has no column 'token'"),
        (
            "a.tsv",
            "\ntoken\tupos\n",
            None,
            r", line 2: .* no column 'tag' but \['token', 'upos'\]",
        ),
        ("a.tsv", TAGGED + "x\n", None, ", line 9: expected 3 columns or more, got 1"),
        ("a.tsv", "a\tX\n\nb\t\n", (0, 1), ", line 3: no tag in column 1"),
        ("a.tsv", "a\tX\n\tY\n", (0, 1), ", line 2: no token in column 0"),
        ("a.tsv", "a X\n\n\nb\n", (0, 1), ", line 4: expected 2 columns .* got 1"),
        ("a.tsv", b"a\tX\n\n\xff\tY\n", (0, 1), ", line 3: not UTF-8"),
        ("a.conllu", ROW + "2\tb\t_\tX\n", None, ", line 2: expected 10 .* got 4"),
        ("a.conllu", ROW + ROW[1:], None, ", line 2: '' is not an ID"),
        ("a.conllu", "#\n" + ROW.replace("1", "x"), None, ", line 2: 'x' is not an ID"),
        ("a.conllu", ROW.replace("X", ""), None, ", line 1: no tag in column 3"),
        ("a.conllu", ROW, ("FORM", "POS"), ": CoNLL-U has no column 'POS'"),
    ],
)
def test_errors_of_tagged_files_name_file_and_line(
    file, name, content, columns, message
):
    path = file(name, content)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}{message}"):
        read_tagged(path, columns=columns)


@pytest.mark.parametrize("columns", [(), ("token",), (0, 1, 2), "ab"])
def test_columns_of_tags_must_be_two(file, columns):
    with pytest.raises(ValueError, match="columns must be two; got"):
        read_tagged(file("a.tsv", TAGGED), columns=columns)


def test_positions_are_counted_from_zero(file):
    with pytest.raises(ValueError, match="counted from 0; got -1"):
        read_tagged(file("a.tsv", TAGGED), columns=(0, -1))


CELLS = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\r\n"), min_size=1, max_size=5
)


@given(
    sentences=st.lists(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5)),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_is_read(tmp_path_factory, sentences, line_end):
    path = tmp_path_factory.mktemp("tagged") / "a.tsv"
    lines = ["token\ttag", *("\n".join(map("\t".join, s)) + "\n" for s in sentences)]
    path.write_bytes("\n".join(lines).replace("\n", line_end).encode())
    X, y = read_tagged(path, return_X_y=True)
    assert X == [[token for token, _ in sentence] for sentence in sentences]
    assert y == [[tag for _, tag in sentence] for sentence in sentences]


@given(rows=st.lists(st.tuples(CELLS, CELLS)))
def test_labelled_texts_that_are_written_are_read(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("texts") / "a.tsv"
    lines = ["\t".join(row) + "\n" for row in [("text", "label"), *rows]]
    path.write_bytes("".join(lines).encode())
    X, y = read_texts(path, return_X_y=True)
    assert X.tolist() == [text for text, _ in rows]
    assert [str(label) for label in y] == [label for _, label in rows]


# Published files --------------------------------------------------------------------

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no evaluation data in {DATA}"
)


@pytest.mark.data
@needs_data
@pytest.mark.parametrize("column", ["upos", "xpos"])
def test_published_tags(column):
    X, y = read_tagged(DATA / "pos/dev.tsv", columns=("token", column), return_X_y=True)
    assert len(X) == len(y) == 2001
    assert sum(map(len, X)) == sum(map(len, y)) == 25147
    if column == "upos":
        assert len({tag for tags in y for tag in tags}) == 17


@pytest.mark.data
@needs_data
@pytest.mark.parametrize(
    ("name", "n", "n_classes"),
    [
        ("sst2/train", 6920, 2),
        ("sst2/train-phrases", 67349, 2),
        ("sst2/dev", 872, 2),
        ("sst2/test", 1821, 2),
        ("mr/all", 10662, 2),
        ("subj/all", 10000, 2),
        ("trec/train", 5452, 6),
        ("trec/test", 500, 6),
    ],
)
def test_published_texts(name, n, n_classes):
    X, y = read_texts(DATA / f"classification/{name}.tsv", return_X_y=True)
    assert X.shape == y.shape == (n,)
    assert np.unique(y).tolist() == list(range(n_classes))


@pytest.mark.data
@needs_data
@pytest.mark.parametrize(
    ("name", "label", "n"),
    [
        ("sick/train", "entailment", 4500),
        ("sick/dev", "entailment", 500),
        ("sick/test", "entailment", 4927),
        ("msrp/train", "label", 3576),
        ("msrp/dev", "label", 500),
        ("msrp/test", "label", 1725),
    ],
)
def test_published_labelled_pairs(name, label, n):
    X, y = read_labelled_pairs(DATA / f"{name}.tsv", label=label, return_X_y=True)
    assert X.shape == (n, 2)
    expected = (
        [0, 1] if label == "label" else ["CONTRADICTION", "ENTAILMENT", "NEUTRAL"]
    )
    assert np.unique(y).tolist() == expected
