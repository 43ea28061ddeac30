"""Readers of files of texts, pairs and answers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import tracemalloc
from gzip import compress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
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
    content = ROWS if last else ROWS[:-1]
    path = file(name, (bom + HEADER + content).replace("\n", line_end))
    bunch = read_scored_pairs(path)
    assert bunch.data.tolist() == PAIRS == read_pairs(str(path)).data.tolist()
    assert bunch.target.tolist() == SCORES
    assert bunch.data.dtype == object
    assert bunch.target.dtype == np.float64
    assert str(path) in bunch.DESCR
    path = file(name, (bom + content).replace("\n", line_end))
    bunch = read_scored_pairs(path, columns=(3, 1), score=0)
    assert bunch.data.tolist() == PAIRS
    assert bunch.target.tolist() == SCORES


@pytest.mark.parametrize("as_frame", [True, False])
def test_arrays_and_frames(file, as_frame):
    path = file("a.tsv", HEADER + ROWS)
    options = {"return_X_y": True, "as_frame": as_frame}
    X, y = read_scored_pairs(path, **options)
    assert isinstance(X, pd.DataFrame if as_frame else np.ndarray)
    assert isinstance(y, pd.Series if as_frame else np.ndarray)
    assert np.asarray(X).tolist() == PAIRS
    assert list(y) == SCORES
    X, y = read_labelled_pairs(path, label="id", **options)
    assert np.asarray(X).tolist() == PAIRS
    assert list(y) == [7, 8, 9]
    X, y = read_pairs(path, **options)
    assert np.asarray(X).tolist() == PAIRS
    assert y is None
    X, y = read_texts(path, column=3, target=0, **options)
    assert isinstance(X, pd.Series if as_frame else np.ndarray)
    assert list(X) == ["sentence1", *(first for first, _ in PAIRS)]
    assert y[0] == "score"


@pytest.mark.parametrize("sep", ["\t", ","])
def test_files_of_no_rows(file, sep):
    name = "a.tsv" if sep == "\t" else "a.csv"
    for content, params in (
        (HEADER, {}),
        ("", {"columns": (0, 1), "score": 2}),
        ("\ufeff\r\n", {"columns": (0, 1), "score": 2}),
    ):
        path = file(name, content.replace("\t", sep))
        X, y = read_scored_pairs(path, return_X_y=True, **params)
        assert X.shape == (0, 2)
        assert y.shape == (0,)


@pytest.mark.parametrize("read", [read_pairs, read_scored_pairs, read_answers])
@pytest.mark.parametrize("columns", [(), ("sentence1",), (0, 1, 2), "ab"])
def test_columns_must_be_two(file, read, columns):
    with pytest.raises(ValueError, match="columns must be two names"):
        read(file("a.tsv", HEADER), columns=columns)


def test_pairs_one_after_another(file):
    pairs = iter_pairs(file("a.csv", 'a, "b,\nc"\nd, e\nf\n'), columns=(1, 0))
    assert [next(pairs), next(pairs)] == [("b,\nc", "a"), ("e", "d")]
    with pytest.raises(ValueError, match="line 4: expected 2 columns"):
        next(pairs)
    assert [*iter_pairs(file("a.csv", ""), columns=(1, 0))] == []


def test_arguments_are_checked_immediately(tmp_path):
    path = tmp_path / "nowhere.tsv"
    with pytest.raises(ValueError, match="counted from 0; got -1"):
        iter_pairs(path, columns=(0, -1))
    for sep in ("", ", ", '"', "\n", "\r", 5):
        with pytest.raises(ValueError, match=re.escape(f"got {sep!r}.")):
            iter_pairs(path, sep=sep)
    for encoding in ("utf-80", "hex"):
        with pytest.raises(LookupError, match=encoding):
            iter_pairs(path, encoding=encoding)
    pairs = iter_pairs(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        next(pairs)


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.csv.gz"])
def test_memory_does_not_grow_with_a_file(file, name):
    sep = "," if ".csv" in name else "\t"
    raw = f"a text of some length, or two{sep}b\n".replace("h,", "h").encode() * 100_000
    path = file(name, compress(raw, 1) if name.endswith("gz") else raw)
    tracemalloc.start()
    n_pairs = sum(1 for _ in iter_pairs(path, columns=(0, 1)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_pairs == 100_000
    assert peak < len(raw) * 0.1


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "0", "-12"], [1, 0, -12]),
        *((labels, labels) for labels in (["1", "0", "x"], ["1", "01", "2"])),
        *((labels, labels) for labels in (["1.0", "0", "2"], ["+1", "0", "2"])),
        *((labels, labels) for labels in (["1_0", "0", "²"], ["9" * 30, "0", "2"])),
        ([" ", "a b", "A"], [" ", "a b", "A"]),
    ],
)
def test_labels_are_integers_or_strings(file, labels, expected):
    rows = "".join(
        f"{text}\td\t{label}\n" for text, label in zip("abc", labels, strict=True)
    )
    path = file("a.tsv", "sentence1\tsentence2\tlabel\n" + rows)
    pairs = read_labelled_pairs(path)
    texts = read_texts(path, column="sentence1")
    for bunch in (pairs, texts):
        assert bunch.target.tolist() == expected
        assert bunch.target.dtype == (np.int64 if expected[0] == 1 else object)
    assert pairs.data.tolist() == [["a", "d"], ["b", "d"], ["c", "d"]]
    assert texts.data.tolist() == ["a", "b", "c"]
    assert read_texts(path, column=0, target=None).target is None
    assert read_pairs(path, columns=("label", "label")).data[0, 1] == labels[0]


CELLS = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\r\n"), min_size=1, max_size=5
)


@pytest.mark.parametrize(
    ("sep", "scores", "bad"),
    [
        (";", ["4,5", "3"], None),
        (";", ["4,5", "3.5"], "4,5"),
        (";", ["1.234,5", "3"], "1.234,5"),
        (";", ["1,234,5", "3"], "1,234,5"),
        (";", ["1_0", "3"], "1_0"),
        ("|", ["4,5", "3"], "4,5"),
        ("\t", ["inf", "3"], "inf"),
        (None, ["4,5", "3"], "4,5"),
    ],
)
def test_decimal_commas_go_with_semicolons(file, sep, scores, bad):
    rows = [["a", "b", score] for score in scores]
    path = file("a.tsv", "".join((sep or "\t").join(row) + "\n" for row in rows))
    params = {"columns": (0, 1), "score": 2, "sep": sep}
    if bad is None:
        assert read_scored_pairs(path, **params).target.tolist() == [4.5, 3]
        labels = read_labelled_pairs(path, columns=(0, 1), label=2, sep=sep).target
        assert labels.tolist() == ["4,5", "3"]
        return
    message = f"line 1, column '2': '{bad}' is not a number"
    with pytest.raises(ValueError, match=message):
        read_scored_pairs(path, **params)


# Answers ----------------------------------------------------------------------------

ANSWERS = "answer\tqid\tlabel\tquestion\n"
CANDIDATES = (
    "`` Yes , ''\t1.4\t0\tWho, me?\nnaïve \"x\t1.4\t1\tWho, me?\n\n"
    '\u2028z\x0c\t10\t1\t"Why\n \t1.4\t0\tWho, me?\n'
)
ANSWER_PAIRS = [
    ["Who, me?", "`` Yes , ''"],
    ["Who, me?", 'naïve "x'],
    ['"Why', "\u2028z\x0c"],
    ["Who, me?", " "],
]


@pytest.mark.parametrize("as_frame", [True, False])
def test_answers(file, as_frame):
    path = file("a.tsv", ANSWERS + CANDIDATES)
    bunch = read_answers(path, as_frame=as_frame)
    X, y = read_answers(path, return_X_y=True, as_frame=as_frame)
    for vector in (y, bunch.query):
        assert isinstance(vector, pd.Series if as_frame else np.ndarray)
    assert np.asarray(X).tolist() == np.asarray(bunch.data).tolist() == ANSWER_PAIRS
    assert list(y) == list(bunch.target) == [0, 1, 1, 0]
    assert y.dtype == np.int64
    assert list(bunch.query) == ["1.4", "1.4", "10", "1.4"]
    assert bunch.feature_names == ["question", "answer"]
    assert bunch.target_names == "label"
    by_position = {"columns": (3, 0), "label": None, "query": 1}
    bunch = read_answers(file("b.tsv", CANDIDATES), as_frame=as_frame, **by_position)
    assert np.asarray(bunch.data).tolist() == ANSWER_PAIRS
    assert bunch.target is None
    assert list(bunch.query) == ["1.4", "1.4", "10", "1.4"]


@pytest.mark.filterwarnings("ignore:.*with an empty text")
def test_without_identifiers_the_questions_are_the_queries(file):
    path = file("a.tsv", ANSWERS + CANDIDATES)
    bunch = read_answers(path, query=None)
    assert bunch.query.tolist() == [0, 0, 1, 0]
    assert bunch.query.dtype == np.int64
    questions = [question for question, _ in ANSWER_PAIRS]
    assert read_answers(path, query="question").query.tolist() == questions
    # A column of that name is a column like any other, and questions may be empty.
    path = file("b.tsv", "query\tanswer\tlabel\n\tb\t1\n")
    bunch = read_answers(path, columns=("query", "answer"), query=None, as_frame=True)
    columns = {"query": [""], "answer": ["b"], "label": [1]}
    assert bunch.frame.to_dict("list") == columns
    assert bunch.query.tolist() == [0]


SHORT = {"score": 0, "columns": (1, 2)}
SCORE_ERRORS = [
    ("a.tsv", "", {}, "line 1: no column 'sentence1'"),
    ("a.tsv", "a\tb\n", {}, r"line 1: no column 'sentence1'.*\['a', 'b'\]"),
    ("a.csv", HEADER, {}, "line 1: no column 'sentence1'"),
    ("a.tsv", HEADER, {"score": "gold"}, "line 1: no column 'gold'"),
    ("a.tsv", HEADER + ROWS + "1\tx\n", {}, "line 6: expected 4 columns .* got 2"),
    ("a.tsv", "1\ta\tb\n\n2\tc\n", SHORT, "line 3: expected 3 columns .* got 2"),
    ("a.csv", '1,"a\n",b\n2,c\n', SHORT, "line 3: expected 3 columns .* got 2"),
    ("a.tsv", HEADER + ROWS + "x\ta\tb\tc\n", {}, "line 6, column 'score': 'x'"),
    ("a.tsv", "1\ta\tb\n\n\tc\td\n", SHORT, "line 3, column '0': '' is not a num"),
    ("a.csv", '1,"a\n",b\n"1,5",c,d\n', SHORT, "line 3, column '0': '1,5' is"),
    ("a.tsv", "1\ta\tb\r2\tc\td\r", SHORT, "line 1: a carriage return without"),
    ("a.tsv", "1\ta\tb\n2\tc\td\re\n", SHORT, "line 2: a carriage return without"),
    ("a.csv", '1,a,b\n2,"c,d\n3,e,f\n', SHORT, "line 3: .*not closed"),
    ("a.csv", "score,sentence1,sentence2\n1,a,b,c\n", {}, "line 2: .*contain ','"),
]
TABLE = "text\tsentence1\tsentence2\tlabel\n"
LABEL_ERRORS = [
    (HEADER, "line 1: no column.*Pass the names of yours with column.*, or positions"),
    ("a,b,c\n", r"line 1: no column.*Pass sep= if '\\t' does not"),
    (TABLE + "a\tb\tc\t1\td\n", "line 2: the header has 4 columns, this row 5"),
    (TABLE[:-7] + "\n", "line 1: no column 'label'"),
    (TABLE + "\na\tb\tc\n", "line 3: expected 4 columns .* got 3"),
    (TABLE + "a\tb\tc\t1\n\nd\te\tf\t\n", "line 4, column 'label': the cell is"),
]
BY_POSITION = {"columns": (0, 1), "label": 2, "query": 3}
ANSWER_ERRORS = [
    ("a.tsv", "question\tanswer\tlabel\n", {}, r"line 1: no column 'qid'.*\['quest"),
    ("a.tsv", "question\tanswer\tqid\n", {}, "line 1: no column 'label'"),
    ("a.tsv", ANSWERS + "a\t1\t2\tb\n", {}, "line 2, column 'label': '2' is"),
    ("a.tsv", "a\tb\t\t1\n", BY_POSITION, "line 1, column '2': '' is neither 0"),
    ("a.tsv", "\na\tb\t1.0\t1\n", BY_POSITION, "line 2, column '2': '1.0' is"),
    ("a.csv", 'a,"b\n",1,1\na,b,true,1\n', BY_POSITION, "line 3, column '2': 'true"),
    ("a.tsv", ANSWERS + "a\t\t1\tb\n", {}, "line 2, column 'qid': the cell is"),
]


@pytest.mark.parametrize(
    ("read", "name", "content", "params", "message"),
    [(read_scored_pairs, *case) for case in SCORE_ERRORS]
    + [(read_texts, "a.tsv", content, {}, line) for content, line in LABEL_ERRORS]
    + [(read_labelled_pairs, "a.tsv", text, {}, line) for text, line in LABEL_ERRORS]
    + [(read_answers, *case) for case in ANSWER_ERRORS],
)
def test_errors_name_file_and_line(file, read, name, content, params, message):
    path = file(name, content)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}, {message}"):
        read(path, **params)


def test_empty_texts_are_noticed(file):
    """Cells after those of the header may be empty, as some programs write them."""
    path = file("a.csv", "sentence1,sentence2\na,b\n\nc,\n,d\ne,f,,\n")
    with pytest.warns(
        UserWarning, match="2 rows with an empty text, the first in line 4"
    ):
        X = read_pairs(path).data
    assert X.tolist() == [["a", "b"], ["c", ""], ["", "d"], ["e", "f"]]


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS, st.integers(0, 1))),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_answers_that_are_written_are_read(tmp_path_factory, rows, line_end):
    path = tmp_path_factory.mktemp("answers") / "a.tsv"
    lines = [("question", "answer", "qid", "label"), *rows]
    path.write_bytes("".join("\t".join(map(str, r)) + line_end for r in lines).encode())
    bunch = read_answers(path)
    assert [tuple(pair) for pair in bunch.data] == [row[:2] for row in rows]
    assert [str(query) for query in bunch.query] == [row[2] for row in rows]
    assert bunch.target.tolist() == [row[3] for row in rows]
    distinct = list(dict.fromkeys(row[0] for row in rows))
    numbers = read_answers(path, query=None).query
    assert [distinct[number] for number in numbers] == [row[0] for row in rows]


WIKIQA = (
    "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"
    "Q1\thow are caves formed?\tD1\tCave\tD1-0\tA partly \xa0 wet  cave .\t0\n"
    'Q1\thow are caves formed?\tD1\tCave\tD1-1\tThe word "cave" is old.\t0\n'
    'Q2\twho said " no?\tD2\tNo (film)\tD2-0\t"No one  two three.\t1\n'
    'Q2\twho said " no?\tD2\tNo (film)\tD2-1\tOne   two\t0\n'
    "Q11\twhy?\tD3\tWhy\tD3-0\tBecause.\t1\n"
)


WIKIQA_PAIRS = [line.split("\t")[1:6:4] for line in WIKIQA.split("\n")[1:-1]]


def test_wikiqa(file):
    path = file("WikiQA-dev.tsv", WIKIQA)
    bunch = read_wikiqa(path)
    assert bunch.data.tolist() == WIKIQA_PAIRS
    assert bunch.target.tolist() == [0, 0, 1, 0, 1]
    assert bunch.target.dtype == np.int64
    assert bunch.query.tolist() == ["Q1", "Q1", "Q2", "Q2", "Q11"]
    assert str(path) in bunch.DESCR
    answers = read_wikiqa(path, max_answer_tokens=3).data[:, 1].tolist()
    expected = ["A partly wet", 'The word "cave"', '"No one two', "One   two"]
    assert answers == [*expected, "Because."]
    answerable = read_wikiqa(path, answerable_only=True)
    assert answerable.data.tolist() == WIKIQA_PAIRS[2:]
    assert answerable.target.tolist() == [1, 0, 1]
    assert answerable.query.tolist() == ["Q2", "Q2", "Q11"]
    both = read_wikiqa(path, answerable_only=True, max_answer_tokens=1, as_frame=True)
    assert both.data["Sentence"].tolist() == ['"No', "One", "Because."]
    assert both.query.index.equals(both.frame.index)
    header, *rows = WIKIQA.splitlines(keepends=True)
    path = file("WikiQA-test.tsv", header + rows[0] + rows[1])
    bunch = read_wikiqa(path, answerable_only=True, max_answer_tokens=40)
    assert bunch.data.shape == (0, 2)
    assert bunch.target.shape == bunch.query.shape == (0,)


@pytest.mark.parametrize("n", [0, -1, 2.5, "40"])
def test_answers_are_cut_to_a_positive_integer(file, n):
    with pytest.raises((TypeError, ValueError), match="max_answer_tokens"):
        read_wikiqa(file("WikiQA.tsv", WIKIQA), max_answer_tokens=n)


# Published files --------------------------------------------------------------------


SICK = ["CONTRADICTION", "ENTAILMENT", "NEUTRAL"]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "label", "n", "classes"),
    [
        ("sick/test", "entailment", 4927, SICK),
        ("msrp/test", "label", 1725, [0, 1]),
    ],
)
def test_published_labels(evaluation, name, label, n, classes):
    path = evaluation(f"{name}.tsv")
    X, y = read_labelled_pairs(path, label=label, return_X_y=True)
    assert len(X) == n
    assert np.unique(y).tolist() == classes


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_long_cells_and_positions_of_numpy(name, tmp_path):
    sep = "," if name == "a.csv" else "\t"
    path = tmp_path / name
    path.write_text(f"a{sep}{'d' * 200_000}\n")
    found = read_pairs(path, columns=(np.int64(0), np.int64(1))).data
    assert found.tolist() == [["a", "d" * 200_000]]
