"""Readers of files of pairs and texts: cells, separators, encodings, errors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import bz2
import csv
import gzip
import io
import lzma
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skparaphrase.datasets import read_pairs, read_texts

pytestmark = pytest.mark.filterwarnings("ignore:.*with an empty text")

HEADER = "score\tsentence2\tid\tsentence1\n"
ROWS = (
    '4.5\tsecond "b"\t7\tfirst, a\n\n-1e-1\t"x\t8\tnaïve, y\'s"\n0\t \t9\t\u2028z\x0c\n'
)
PAIRS = [["first, a", 'second "b"'], ["naïve, y's\"", '"x'], ["\u2028z\x0c", " "]]
SCORES = [4.5, -0.1, 0]


@pytest.mark.parametrize("name", ["a", "a.TSV"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize(("line_end", "last"), [("\n", True), ("\r\n", False)])
def test_tab_separated_files_hold_plain_characters(file, name, bom, line_end, last):
    content = ROWS if last else ROWS[:-1]
    path = file(name, (bom + HEADER + content).replace("\n", line_end))
    bunch = read_pairs(path, score="score")
    assert bunch.data.tolist() == PAIRS == read_pairs(str(path)).data.tolist()
    assert bunch.target.tolist() == SCORES
    assert bunch.data.dtype == object
    assert bunch.target.dtype == np.float64
    assert str(path) in bunch.DESCR
    path = file(name, (bom + content).replace("\n", line_end))
    X, y = read_pairs(path, columns=(3, np.int64(1)), score=0, return_X_y=True)
    assert (X.tolist(), y.tolist()) == (PAIRS, SCORES)
    X, y = read_texts(path, column=3, label=2, return_X_y=True)
    assert X.tolist() == [first for first, _ in PAIRS]
    assert y.tolist() == [7, 8, 9]


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.csv.gz"])
def test_files_of_no_rows(file, name):
    sep = "," if "csv" in name else "\t"
    pack = gzip.compress if name.endswith("gz") else bytes
    positions = {"columns": (0, 1), "score": 2}
    for content, params in (
        (HEADER, {"score": "score"}),
        ("", positions),
        ("\ufeff\r\n", positions),
    ):
        path = file(name, pack(content.replace("\t", sep).encode()))
        X, y = read_pairs(path, return_X_y=True, **params)
        assert X.shape == (0, 2)
        assert y.shape == (0,)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        *(
            ({"columns": columns}, ValueError, "columns must be two names")
            for columns in [(), ("sentence1",), (0, 1, 2), "ab"]
        ),
        ({"columns": (0, -1)}, ValueError, "counted from 0; got -1"),
        *(
            ({"sep": sep}, ValueError, re.escape(f"got {sep!r}."))
            for sep in ("", ", ", '"', "\n", "\r", 5)
        ),
        *(({"encoding": name}, LookupError, name) for name in ("utf-80", "hex")),
        ({"score": "score", "label": "id"}, ValueError, "score= or label=, not both"),
    ],
)
def test_wrong_arguments(file, params, error, message):
    with pytest.raises(error, match=message):
        read_pairs(file("a.tsv", HEADER), **params)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "0", "-12"], [1, 0, -12]),
        *((labels, labels) for labels in (["1", "0", "x"], ["1", "01", "2"])),
        *((labels, labels) for labels in (["1_0", "0", "²"], ["9" * 30, "0", "2"])),
    ],
)
def test_labels_are_integers_or_strings(file, labels, expected):
    rows = "".join(
        f"{text}\td\t{label}\n" for text, label in zip("abc", labels, strict=True)
    )
    path = file("a.tsv", "sentence1\tsentence2\tlabel\n" + rows)
    pairs = read_pairs(path, label="label")
    texts = read_texts(path, column="sentence1")
    for bunch in (pairs, texts):
        assert bunch.target.tolist() == expected
        assert bunch.target.dtype == (np.int64 if expected[0] == 1 else object)
    assert pairs.data.tolist() == [["a", "d"], ["b", "d"], ["c", "d"]]
    assert texts.data.tolist() == ["a", "b", "c"]
    assert read_texts(path, column=0, label=None).target is None
    assert read_pairs(path).target is None


@pytest.mark.parametrize(
    ("sep", "scores", "bad"),
    [
        (";", ["4,5", "3"], None),
        (";", ["4,5", "3.5"], "4,5"),
        ("\t", ["inf", "3"], "inf"),
        (None, ["4,5", "3"], "4,5"),
    ],
)
def test_decimal_commas_go_with_semicolons(file, sep, scores, bad):
    rows = [["a", "b", score] for score in scores]
    path = file("a.tsv", "".join((sep or "\t").join(row) + "\n" for row in rows))
    params = {"columns": (0, 1), "score": 2, "sep": sep}
    if bad is None:
        assert read_pairs(path, **params).target.tolist() == [4.5, 3]
        labels = read_pairs(path, columns=(0, 1), label=2, sep=sep).target
        assert labels.tolist() == ["4,5", "3"]
        return
    message = f"line 1, column '2': '{bad}' is not a number"
    with pytest.raises(ValueError, match=message):
        read_pairs(path, **params)


SHORT = {"score": 0, "columns": (1, 2)}
SCORED = {"score": "score"}
SCORE_ERRORS = [
    ("a.tsv", "", SCORED, "line 1: no column 'sentence1'"),
    ("a.tsv", HEADER + ROWS + "1\tx\n", {}, "line 6: expected 4 columns .* got 2"),
    ("a.csv", '1,"a\n",b\n2,c\n', SHORT, "line 3: expected 3 columns .* got 2"),
    ("a.tsv", HEADER + ROWS + "x\ta\tb\tc\n", SCORED, "line 6, column 'score': 'x'"),
    ("a.tsv", "1\ta\tb\n\n\tc\td\n", SHORT, "line 3, column '0': '' is not a num"),
    ("a.tsv", "1\ta\tb\r2\tc\td\r", SHORT, "line 1: new-line character .*Unix"),
    ("a.csv", '1,a,b\n2,"c,d\n3,e,f\n', SHORT, "line 3: .*not closed"),
    ("a.csv", "score,sentence1,sentence2\n1,a,b,c\n", {}, "line 2: .*contain ','"),
    ("a.csv", f"1,a,{'b' * 200_000}\n", SHORT, "line 1: field larger than field lim"),
    ("a.csv", "sentence1,x,sentence1\n", {}, "line 1: 2 columns are named 'sentence1'"),
]
TABLE = "text\tsentence1\tsentence2\tlabel\n"
LABEL_ERRORS = [
    (HEADER, "line 1: no column.*Pass the names of yours with column.*, or positions"),
    ("a,b,c\n", r"line 1: no column.*Pass sep= if '\\t' does not"),
    ("text\na\n", r"line 1: no column 'label'.*label= \(None if there is none\)"),
    (TABLE + "a\tb\tc\t1\td\n", "line 2: the header has 4 columns, this row 5"),
    (TABLE + "a\tb\tc\t1\n\nd\te\tf\t\n", "line 4, column 'label': the cell is"),
]


@pytest.mark.parametrize(
    ("read", "name", "content", "params", "message"),
    [(read_pairs, *case) for case in SCORE_ERRORS]
    + [(read_texts, "a.tsv", content, {}, line) for content, line in LABEL_ERRORS]
    + [(read_pairs, "a.tsv", TABLE + "a\tb\tc\t\n", {"label": "label"}, "line 2, col")],
)
def test_errors_name_file_line_and_column(file, read, name, content, params, message):
    path = file(name, content)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}, {message}"):
        read(path, **params)


@pytest.mark.filterwarnings("default")
def test_empty_texts_are_noticed(file):
    """Cells after those of the header may be empty, as some programs write them."""
    path = file("a.csv", "sentence1,sentence2\na,b\n\nc,\n,d\ne,f,,\n")
    with pytest.warns(
        UserWarning, match="2 rows with an empty text, the first in line 4"
    ):
        X = read_pairs(path).data
    assert X.tolist() == [["a", "b"], ["c", ""], ["", "d"], ["e", "f"]]


# Separators, encodings, compression and quotes -------------------------------------

FRAME = pd.DataFrame(
    {
        "id": ["a", "b", "c"],
        "sentence1": ["naïve; you", 'say "é", now', " a,\nb\t"],
        "sentence2": ["", "x\ty", '"'],
        "score": [4.5, -0.25, 1000.0],
    }
)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"]
)
@pytest.mark.parametrize(
    ("name", "sep"),
    [("a.csv", ","), ("a.csv", ";"), ("a.csv", "\t"), ("a.txt", "|"), ("a.tsv", ";")],
)
def test_what_pandas_writes(tmp_path, name, sep, encoding):
    path = tmp_path / name
    decimal = "," if sep == ";" else "."
    FRAME.to_csv(path, sep=sep, encoding=encoding, decimal=decimal, index=False)
    bunch = read_pairs(path, score="score", sep=sep, encoding=encoding)
    assert bunch.data.tolist() == FRAME[["sentence1", "sentence2"]].values.tolist()
    assert bunch.target.tolist() == FRAME["score"].tolist()
    texts = read_texts(path, column="sentence1", label="id", sep=sep, encoding=encoding)
    assert texts.data.tolist() == FRAME["sentence1"].tolist()
    assert texts.target.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("ending", "pack"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)],
)
def test_compressed_files(file, ending, pack):
    content = FRAME.to_csv(index=False).encode("utf-8-sig")
    expected = FRAME[["sentence1", "sentence2"]].values.tolist()
    for name in (f"a.csv{ending}", f"a.CSV{ending.upper()}"):
        assert read_pairs(file(name, pack(content))).data.tolist() == expected
    content = b'sentence1\tsentence2\n"a\tb\n'
    assert read_pairs(file(f"a{ending}", pack(content))).data.tolist() == [['"a', "b"]]
    for damaged in (pack(content * 9)[:-12], content):
        path = file(f"a.tsv{ending}", damaged)
        match = f"{re.escape(str(path))} is damaged or not a {ending} file"
        with pytest.raises(ValueError, match=match):
            read_pairs(path)


def test_cells_longer_than_csv_reads(file):
    for name in ("a.csv", "a.tsv"):
        path = file(name, b"text\n" + b"a" * 131_073)
        with pytest.raises(ValueError, match=r"line 2: field.*csv\.field_size_limit"):
            read_texts(path, column=0, label=None)


CELLS = st.text(st.sampled_from('ab ",;\n'), max_size=6)
CELL_ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4)


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
@given(rows=CELL_ROWS, sep=st.sampled_from(",; \t"))
@example(rows=[(" a", 'b, "c"'), ("  ", ' "')], sep=",")
def test_spaces_of_cells_are_kept(tmp_path_factory, quoting, rows, sep):
    """Except for those before a cell without quotes."""
    path = tmp_path_factory.mktemp("spaces") / "a.csv"
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=sep, quoting=quoting).writerows(rows)
    path.write_bytes(buffer.getvalue().encode())
    pairs = read_pairs(path, columns=(0, 1), sep=sep).data.tolist()
    if quoting == csv.QUOTE_MINIMAL and sep != " ":
        special = {sep, '"', "\n"}
        rows = [
            [cell if special & {*cell} else cell.lstrip(" ") for cell in row]
            for row in rows
        ]
    assert pairs == [*map(list, rows)]


@pytest.mark.parametrize(
    ("ending", "content", "pairs"),
    [
        (
            ".csv",
            'a,"b\r\n""c"""\r"d\n\n","e"\r\n\nf,g',
            [["a", 'b\r\n"c"'], ["d\n\n", "e"], ["f", "g"]],
        ),
        (".csv", 'a, "b, c"\n  "d\ne",  "f"\n', [["a", "b, c"], ["d\ne", "f"]]),
        (".csv", 'a,b\n\nc,"d', "line 3: unexpected end of data"),
        (".tsv", "naïve\tĊ \u0a0a\r\n", [["naïve", "Ċ \u0a0a"]]),
        (".tsv", 'a\t"b\r\nc\td\te', [["a", '"b'], ["c", "d"]]),
    ],
)
def test_strange_files(file, ending, content, pairs):
    for encoding in ("utf-8", "utf-16", "utf-16-be"):
        path = file(f"a{ending}", content.encode(encoding))
        if isinstance(pairs, str):
            with pytest.raises(ValueError, match=re.escape(f"{path}, {pairs}")):
                read_pairs(path, columns=(0, 1), encoding=encoding)
        else:
            data = read_pairs(path, columns=(0, 1), encoding=encoding).data
            assert data.tolist() == pairs


@pytest.mark.parametrize(
    ("raw", "encoding", "line"),
    [
        (b"\xef\xbb\xbfa\tb\nc\td\n\xff", "utf-8-sig", 3),
        (b"a\tb\nc\td\xe4", "utf-8", 2),  # a character that the end cuts
        ("a\tb\n".encode("utf-16"), "utf-8", 1),
        # Line feeds are counted as characters, not as bytes.
        ("a\t\u0a0a\nĊ\td\n\ne".encode("utf-16")[:-1], "utf-16", 4),
        (b"a\0\t\0b\0\n\0", "utf-16", 1),  # without a mark
        (b"a\tb\n\x81\tc\n", "cp1252", 2),
        (b"a\tb\r\n" * 9000 + b"\xff", "utf-8", 9001),
    ],
)
def test_errors_of_encodings_name_the_line(file, raw, encoding, line):
    path = file("a.tsv", raw)
    start = re.escape(f"{path}, line {line}: not {encoding} (")
    with pytest.raises(ValueError, match=rf"^{start}.*\)\. Pass encoding= for a file"):
        read_pairs(path, columns=(0, 1), encoding=encoding)
