"""Readers of files of pairs and texts: cells, separators, encodings, errors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import bz2
import csv
import gzip
import io
import lzma
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skparaphrase.datasets import read_pairs, read_texts

pytestmark = pytest.mark.filterwarnings("ignore:.*with an empty text")

GZIP = partial(gzip.compress, mtime=0)  # workers name the cases alike
PACK = {".gz": GZIP, ".bz2": bz2.compress, ".xz": lzma.compress}
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
    pack = GZIP if name.endswith("gz") else bytes
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


# Errors name the file and the line, or the argument ----------------------------------

ARGUMENTS = [  # and an error and its words
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
]
SHORT = {"score": 0, "columns": (1, 2)}
SCORED = {"score": "score"}
TABLE = "text\tsentence1\tsentence2\tlabel\n"
FILES = [  # name, content, arguments of read_pairs, or None for read_texts; words
    ("a.tsv", "", SCORED, ", line 1: no column 'sentence1'"),
    ("a.tsv", HEADER + ROWS + "1\tx\n", {}, ", line 6: expected 4 columns .* got 2"),
    ("a.csv", '1,"a\n",b\n2,c\n', SHORT, ", line 3: expected 3 columns .* got 2"),
    ("a.tsv", HEADER + ROWS + "x\ta\tb\tc\n", SCORED, ", line 6, column 'score': 'x'"),
    ("a.tsv", "1\ta\tb\n\n\tc\td\n", SHORT, ", line 3, column '0': the cell is empty"),
    ("a.csv", '"4,5",a,b\n', SHORT, ", line 1, column '0': '4,5' is not a number"),
    ("a.tsv", "inf\ta\tb\n", SHORT, ", line 1, column '0': 'inf' is not a number"),
    ("a.tsv", "1\ta\tb\n1_0\tc\td\n", SHORT, ", line 2, column '0': '1_0' is not a"),
    ("a.tsv", '"text"\t"label"\n', None, ", line 1: .* Pass quoted=True if cells are"),
    (
        "a.tsv",
        'text\tlabel\n"a\nb"\t1\n',
        None,
        ", line 2: .* got 1.* Pass quoted=True",
    ),
    (
        "a.tsv",
        "# from R\n" + HEADER,
        {},
        ", line 1: .* Pass skiprows= to skip comments",
    ),
    ("a.tsv", "#a b\n1\ta\tb\n", SHORT, ", line 1: .* got 1.* Pass skiprows= to skip"),
    ("a.csv", '1,a,b\n2,"c,d\n3,e,f\n', SHORT, ", line 3: .*not closed"),
    ("a.csv", "score,sentence1,sentence2\n1,a,b,c\n", {}, ", line 2: .*contain ','"),
    ("a.csv", f"1,a,{'b' * 200_000}\n", SHORT, ", line 1: field larger than field lim"),
    ("a.csv", "sentence1,x,sentence1\n", {}, ", line 1: 2 columns are .* 'sentence1'"),
    ("a.tsv", TABLE + "a\tb\tc\t\n", {"label": "label"}, ", line 2, column 'label'"),
    ("a.tsv", HEADER, None, ", line 1: no column.*the names of yours with column=.*,"),
    ("a.tsv", "a,b,c\n", None, r", line 1: no column.* sep= if '\\t' does not"),
    ("a.tsv", "text\na\n", None, r".* no column 'label'.*label= \(None if there is no"),
    ("a.tsv", TABLE + "a\tb\tc\t1\td\n", None, ", line 2: the header has 4 .* row 5.$"),
    ("a.tsv", TABLE + "a\tb\tc\t1\n\nd\te\tf\t\n", None, ", line 4, .*the cell is emp"),
    *(
        (f"a.tsv{ending}", pack(HEADER.encode() * 9)[:-12], {}, " is corrupt: ")
        for ending, pack in PACK.items()
    ),
    *(
        (
            "a.tsv",
            raw,
            {"columns": (0, 1), "encoding": encoding},
            rf", line {line}: not {encoding} \(.*\)\. Pass encoding= for a file",
        )
        for raw, encoding, line in [
            (b"\xef\xbb\xbfa\tb\nc\td\n\xff", "utf-8-sig", 3),
            (b"a\tb\nc\td\xe4", "utf-8", 2),  # a character that the end cuts
            ("a\tb\n".encode("utf-16"), "UTF-8", 1),
            # Line feeds are counted as characters, not as bytes.
            ("a\t\u0a0a\nĊ\td\n\ne".encode("utf-16")[:-1], "utf-16", 4),
            (b"a\0\t\0b\0\n\0", "utf-16", 1),  # without a mark
            (b"a\tb\n\x81\tc\n", "cp1252", 2),
            (b"a\tb\r\n" * 9000 + b"\xff", "utf-8", 9001),
        ]
    ),
]


@pytest.mark.parametrize(
    ("name", "content", "params", "error", "words"),
    [("a.tsv", HEADER, *case) for case in ARGUMENTS]
    + [(*case, ValueError, f"{{}}{words}") for *case, words in FILES],
)
def test_refused(file, name, content, params, error, words):
    path = file(name, content)
    read = read_texts if params is None else read_pairs
    with pytest.raises(error, match=words.replace("{}", f"^{re.escape(str(path))}")):
        read(path, **params or {})


@pytest.mark.filterwarnings("default")
def test_empty_texts_are_noticed(file):
    """Cells after those of the header may be empty, as some programs write them."""
    path = file("a.csv", "sentence1,sentence2\na,b\n\nc,\n,d\ne,f,,\n")
    with pytest.warns(
        UserWarning, match="2 rows with an empty text, the first in line 4"
    ):
        X = read_pairs(path).data
    assert X.tolist() == [["a", "b"], ["c", ""], ["", "d"], ["e", "f"]]


@pytest.mark.filterwarnings("default")
def test_rows_to_leave_out(file):
    path = file("a.tsv", "4.5\ta\tb\n\tc\td\n \te\tf\n3\t\tg\n2\th\ti\n")
    with pytest.raises(ValueError, match=r", line 2, .*Pass dropna=True to leave out"):
        read_pairs(path, columns=(1, 2), score=0)
    X, y = read_pairs(path, columns=(1, 2), score=0, dropna=True, return_X_y=True)
    assert (X.tolist(), y.tolist()) == ([["a", "b"], ["h", "i"]], [4.5, 2])
    X, y = read_texts(path, column=1, label=0, dropna=True, return_X_y=True)
    assert (X.tolist(), y.tolist()) == (["a", "h"], ["4.5", "2"])


def test_spaces_around_labels_and_scores(file):
    path = file("a.tsv", "text\tlabel\na\t1\n b \t 2 \n")
    X, y = read_texts(path, return_X_y=True)
    assert (X.tolist(), y.tolist()) == (["a", " b "], [1, 2])
    path = file("a.csv", "text,label\na,spam\nb,ham \n")
    assert read_texts(path).target.tolist() == ["spam", "ham"]
    path = file("a.csv", "text,label\na,1 \nb,2\n")
    assert read_pairs(path, columns=("text", "text"), score="label").target.sum() == 3


@pytest.mark.parametrize("name", ["a.tsv", "a.csv"])
def test_lines_before_the_header(file, name):
    content = '# "made by\r\n# R\r\ntext\tlabel\r\na\t1\r\nb\n'
    sep = "\t" if name == "a.tsv" else ","
    path = file(name, content.replace("\t", sep))
    with pytest.raises(ValueError, match=", line 5: expected 2 columns"):
        read_texts(path, skiprows=2)
    path = file(name, content.replace("\t", sep)[:-2])
    assert read_texts(path, skiprows=2).data.tolist() == ["a"]
    assert read_texts(path, skiprows=3, column=0, label=1).target.tolist() == [1]
    with pytest.raises(ValueError, match="skiprows == -1, must be >= 0"):
        read_texts(path, skiprows=-1)


@pytest.mark.filterwarnings("default")
def test_quoted_cells_between_tabs(tmp_path):
    path = tmp_path / "a.tsv"
    FRAME.to_csv(path, sep="\t", index=False, quoting=csv.QUOTE_ALL)
    with pytest.raises(ValueError, match="Pass quoted=True if cells are quoted"):
        read_pairs(path)
    expected = FRAME[["sentence1", "sentence2"]].values.tolist()
    with pytest.warns(UserWarning, match="1 rows with an empty text"):
        assert read_pairs(path, quoted=True).data.tolist() == expected
    path.write_text('text\tlabel\na "b"\t1\n"a ""b"" c"\t1\n')
    with pytest.warns(UserWarning, match="line 3: a cell seems to be quoted"):
        assert read_texts(path).data.tolist() == ['a "b"', '"a ""b"" c"']
    assert read_texts(path, quoted=False).data.tolist() == ['a "b"', '"a ""b"" c"']
    assert read_texts(path, quoted=True).data.tolist() == ['a "b"', 'a "b" c']


def test_carriage_returns_and_long_cells_between_tabs(file):
    path = file("a.tsv", "text\tlabel\na\rb\t1\r\n" + "c" * 200_000 + "\t2\n")
    assert read_texts(path).data.tolist() == ["a\rb", "c" * 200_000]
    path = file("a.tsv", "text\tlabel\ra\t1\rb\t2\r")  # of an old Mac
    assert read_texts(path).data.tolist() == ["a", "b"]


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
    FRAME.to_csv(path, sep=sep, encoding=encoding, index=False)
    bunch = read_pairs(path, score="score", sep=sep, encoding=encoding)
    assert bunch.data.tolist() == FRAME[["sentence1", "sentence2"]].values.tolist()
    assert bunch.target.tolist() == FRAME["score"].tolist()
    texts = read_texts(path, column="sentence1", label="id", sep=sep, encoding=encoding)
    assert texts.data.tolist() == FRAME["sentence1"].tolist()
    assert texts.target.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("ending", PACK)
def test_compressed_files(file, ending):
    content = FRAME.to_csv(index=False).encode("utf-8-sig")
    expected = FRAME[["sentence1", "sentence2"]].values.tolist()
    for name in (f"a.csv{ending}", f"a.CSV{ending.upper()}"):
        path = file(name, PACK[ending](content))
        assert read_pairs(path).data.tolist() == expected
    path = file(f"a{ending}", PACK[ending](b'sentence1\tsentence2\n"a\tb\n'))
    assert read_pairs(path).data.tolist() == [['"a', "b"]]


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
