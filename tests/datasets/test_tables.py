"""Separators, encodings, compression, quotes and headers of files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import bz2
import csv
import gzip
import io
import lzma
import re

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skparaphrase.datasets import (
    iter_pairs,
    read_answers,
    read_labelled_pairs,
    read_pairs,
    read_scored_pairs,
    read_texts,
    read_wikiqa,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*with an empty text")

FRAME = pd.DataFrame(
    {
        "id": ["a", "b", "c"],
        "sentence1": ["naïve; you", 'say "é", now', " a,\nb\t"],
        "sentence2": ["", "x\ty", '"'],
        "score": [4.5, -0.25, 1000.0],
    }
)
PAIRS = FRAME[["sentence1", "sentence2"]].to_numpy().tolist()
SCORES = FRAME["score"].tolist()
READERS = [read_pairs, read_scored_pairs, read_labelled_pairs, read_texts, read_answers]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252", "Latin-1"]
)
@pytest.mark.parametrize(
    ("name", "sep"),
    [("a.csv", ","), ("a.csv", ";"), ("a.csv", "\t"), ("a.txt", "|"), ("a.tsv", ";")],
)
def test_what_pandas_writes(tmp_path, name, sep, encoding):
    path = tmp_path / name
    decimal = "," if sep == ";" else "."
    FRAME.to_csv(path, sep=sep, encoding=encoding, decimal=decimal, index=False)
    bunch = read_scored_pairs(path, sep=sep, encoding=encoding)
    assert bunch.data.tolist() == PAIRS
    assert bunch.target.tolist() == SCORES
    FRAME.to_csv(path, sep=sep, encoding=encoding, index=False, header=False)
    options = {"columns": (1, 2), "score": 3, "sep": sep, "encoding": encoding}
    bunch = read_scored_pairs(path, **options)
    assert bunch.data.tolist() == PAIRS
    assert bunch.target.tolist() == SCORES


@pytest.mark.parametrize("read", READERS)
def test_all_readers_take_separator_and_encoding(tmp_path, read):
    frame = FRAME.drop(columns="score").assign(
        text=FRAME["sentence1"], label=1, qid="q", question="é", answer="ü", score=0.5
    )
    plain, other = tmp_path / "a.csv", tmp_path / "b.csv"
    frame.to_csv(plain, index=False)
    frame.to_csv(other, index=False, sep=";", encoding="cp1252")
    X, y = read(plain, return_X_y=True)
    X_other, y_other = read(other, sep=";", encoding="cp1252", return_X_y=True)
    assert X_other.tolist() == X.tolist()
    assert y is y_other is None or y_other.tolist() == y.tolist()


@pytest.mark.parametrize(
    ("ending", "pack"),
    [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)],
)
def test_compressed_files(tmp_path, ending, pack):
    for name in (f"a.csv.{ending}", f"a.CSV.{ending.upper()}"):
        path = tmp_path / name
        path.write_bytes(pack(FRAME.to_csv(index=False).encode("utf-8-sig")))
        assert read_pairs(path).data.tolist() == PAIRS
    for name in (f"a.tsv.{ending}", f"a.{ending}"):
        path = tmp_path / name
        path.write_bytes(pack(b'sentence1\tsentence2\n"a\tb\n'))
        for sep in ("\t", None):
            assert read_pairs(path, sep=sep).data.tolist() == [['"a', "b"]]
        path.write_bytes(pack(b"sentence1\tsentence2\n" * 9)[:-12])
        match = f"{re.escape(str(path))} is damaged or not a .{ending} file"
        with pytest.raises(ValueError, match=match):
            read_pairs(path)
        path.write_bytes(b"sentence1\tsentence2\n")
        with pytest.raises(ValueError, match=match):
            read_pairs(path)


def test_a_quote_after_spaces_opens_a_cell(file):
    path = file("a.csv", 'a, "b, c",1\n  "d\ne",  "say ""f""", 2\n')
    bunch = read_scored_pairs(path, columns=(0, 1), score=2)
    assert bunch.data.tolist() == [["a", "b, c"], ["d\ne", 'say "f"']]
    assert bunch.target.tolist() == [1, 2]
    labels = read_labelled_pairs(path, columns=(0, 1), label=2).target
    assert labels.tolist() == [1, 2]
    path = file("b.csv", 'sentence1; "sentence2"\na; "b;c"\n')
    assert read_pairs(path, sep=";").data.tolist() == [["a", "b;c"]]


CELLS = st.text(st.sampled_from('ab ",;\n'), max_size=6)
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4)


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
@given(rows=ROWS, sep=st.sampled_from(",; \t"))
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


@given(rows=ROWS)
def test_spaces_before_quotes_are_left_out(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("spaces") / "a.csv"
    lines = [
        ", ".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows
    ]
    path.write_bytes("\n".join(lines).encode())
    assert read_pairs(path, columns=(0, 1)).data.tolist() == [*map(list, rows)]


@pytest.mark.parametrize("packed", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize(
    ("ending", "content", "pairs"),
    [
        (
            ".csv",
            'a,"b\r\n""c"""\r"d\n\n","e"\r\n\nf,g',
            [("a", 'b\r\n"c"'), ("d\n\n", "e"), ("f", "g")],
        ),
        (".csv", 'a,b\n\nc,"d', "line 3: unexpected end of data"),
        (".csv", 'a, "b"\n"c"d,e', "line 2: ',' expected after"),
        (".csv", "a,b\nc\nd,e\n", "line 2: expected 2 columns or more, got 1."),
        (".tsv", "naïve\tĊ \u0a0a\r\n", [("naïve", "Ċ \u0a0a")]),
        (".tsv", 'a\t"b\r\nc\td\te', [("a", '"b'), ("c", "d")]),
        (".tsv", "a\tb\r\n\rc\td\te", "line 2: a carriage return without"),
    ],
)
def test_strange_files(file, packed, ending, content, pairs):
    pack = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-be"):
        path = file(f"a{ending}{packed}", pack[packed](content.encode(encoding)))
        rows = iter_pairs(path, columns=(0, 1), encoding=encoding)
        if isinstance(pairs, str):
            with pytest.raises(ValueError, match=re.escape(f"{path}, {pairs}")):
                list(rows)
        else:
            assert list(rows) == pairs


@pytest.mark.parametrize("name", ["a.tsv.gz", "a.tsv.bz2", "a.tsv.xz"])
def test_a_compressed_file_of_no_bytes(file, name):
    path = file(name, b"")
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))} is damaged or not"):
        list(iter_pairs(path, columns=(0, 1)))


TABLE = "sentence1,sentence2,score\na,b,1\n"
BY_POSITION = {"columns": (0, 1), "score": 2}


@pytest.mark.parametrize(
    ("name", "content", "params", "sep"),
    [
        ("a.csv", TABLE.replace(",", ";"), {}, ";"),
        ("a.csv", '"sentence1";"sentence2";"score"\na;b;1\n', {}, ";"),
        ("a.csv", TABLE.replace(",", "\t"), {}, "\t"),
        ("a.csv", "\na;b;1\n", BY_POSITION, ";"),
        ("a.tsv", TABLE, {}, ","),
        ("a.tsv", "a,b,1\r\n", BY_POSITION, ","),
        ("a.csv", TABLE, {"sep": ";"}, ","),
        ("a.csv.gz", gzip.compress(TABLE.replace(",", ";").encode(), mtime=0), {}, ";"),
    ],
)
def test_another_separator_is_passed(file, name, content, params, sep):
    path = file(name, content)
    match = f"{re.escape(str(path))}, line [12]: "
    with pytest.raises(ValueError, match=match) as info:
        read_scored_pairs(path, **params)
    expected = params.get("sep", "," if ".csv" in name else "\t")
    assert str(info.value).endswith(
        f" Pass sep= if {expected!r} does not separate the columns."
    )
    params = {**params, "sep": sep}
    assert read_scored_pairs(path, **params).target.tolist() == [1]


LATIN = "sentence1,sentence2\nnaïve,é\n"


@pytest.mark.parametrize(
    ("raw", "line", "encoding"),
    [
        (LATIN.encode("cp1252"), 2, "cp1252"),
        (LATIN.encode("utf-16"), 1, "utf-16"),
        (b"\xfe\xff" + LATIN.encode("utf-16-be"), 1, "utf-16"),
        (LATIN.encode("utf-16-le"), 2, "utf-16-le"),
        (LATIN.encode("utf-16-be"), 2, "utf-16-be"),
        (LATIN.replace("ï", "i").replace("é", "e").encode("utf-16-le"), 1, "utf-16-le"),
    ],
)
def test_another_encoding_is_passed(file, raw, line, encoding):
    path = file("a.csv", raw)
    for given_encoding in ("utf-8", "UTF8", "utf-8-sig"):
        start = re.escape(f"{path}, line {line}: not {given_encoding} (")
        match = rf"^{start}.*\)\. Pass encoding= for a file in another encoding\.$"
        with pytest.raises(ValueError, match=match):
            read_pairs(path, encoding=given_encoding)
    X = read_pairs(path, encoding=encoding).data
    assert X.tolist() in ([["naïve", "é"]], [["naive", "e"]])


@pytest.mark.parametrize(
    ("raw", "encoding", "line"),
    [
        ("a\tb\nä\tc\nd\te".encode("cp1252"), "utf-8", 2),
        (b"\xef\xbb\xbfa\tb\nc\td\n\xff", "utf-8-sig", 3),
        (b"a\tb\nc\td\xe4", "utf-8", 2),  # a character that the end cuts
        # Line feeds are counted as characters, not as bytes.
        ("a\t\u0a0a\nĊ\td\n\ne".encode("utf-16")[:-1], "utf-16", 4),
        ("a\tb\nĊ\td\n\ne".encode("utf-16-be")[:-1], "utf-16-be", 4),
        (b"a\0\t\0b\0\n\0", "utf-16", 1),  # without a mark
        (b"\0\xd8a\0\t\0b\0", "utf-16", 1),  # and not UTF-16
        (b"a\tb\n\x81\tc\n", "cp1252", 2),
        (b"a\tb\n\xff\xff", "shift_jis", 2),
        (b"a\tb\r\n" * 9000 + b"\xff", "utf-8", 9001),
    ],
)
def test_errors_of_encodings_name_the_line(file, raw, encoding, line):
    path = file("a.tsv", raw)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}, line {line}: not "):
        read_pairs(path, columns=(0, 1), encoding=encoding)


def test_wikiqa_names_no_option(file):
    for content in (b"Question,Sentence,Label,QuestionID\n", b"\xff", b"\xff\xfe"):
        with pytest.raises(ValueError, match=", line 1: ") as info:
            read_wikiqa(file("a.tsv", content))
        assert "sep=" not in str(info.value)
        assert "encoding=" not in str(info.value)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("Sentence1,sentence2", "no column 'sentence1'; "),
        ("sentence1,x,sentence1,sentence2", "2 columns are named 'sentence1'; "),
    ],
)
def test_errors_show_the_header(file, header, message):
    path = file("a.csv", header + "\na,b,c,d\n")
    shown = f"{path}, line 1: {message}the header is {header.split(',')}. Pass"
    with pytest.raises(ValueError, match=re.escape(shown)):
        read_pairs(path)
