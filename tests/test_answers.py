"""Questions with candidate answers: the readers, and those of the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import (
    load_answers,
    load_entailment,
    load_paraphrases,
    load_sentiment,
    load_similarity,
    read_answers,
    read_wikiqa,
)
from skparaphrase.encoders import SIFEncoder
from skparaphrase.pairs import PairSimilarity

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared")) / "data"


HEADER = "answer\tqid\tlabel\tquestion\n"
ROWS = (
    "`` Yes , ''\t1.4\t0\tWho, me?\n"
    'naïve "x\t1.4\t1\tWho, me?\n'
    "\n"
    '\u2028z\x0c\t10\t1\t"Why\n'
    " \t1.4\t0\tWho, me?\n"
)
PAIRS = [
    ["Who, me?", "`` Yes , ''"],
    ["Who, me?", 'naïve "x'],
    ['"Why', "\u2028z\x0c"],
    ["Who, me?", " "],
]
LABELS = [0, 1, 1, 0]
QUERIES = ["1.4", "1.4", "10", "1.4"]


@pytest.mark.parametrize("name", ["a.tsv", "a.txt", "a"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_tab_separated_answers(file, name, bom, line_end, last):
    content = bom + HEADER + (ROWS if last else ROWS[:-1])
    path = file(name, content.replace("\n", line_end))
    bunch = read_answers(str(path))
    assert bunch.data.tolist() == PAIRS
    assert bunch.target.tolist() == LABELS
    assert bunch.query.tolist() == QUERIES
    assert bunch.data.dtype == bunch.query.dtype == object
    assert bunch.target.dtype == np.int64
    assert (bunch.feature_names, bunch.target_names) == (
        ["question", "answer"],
        "label",
    )
    assert str(path) in bunch.DESCR


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_comma_separated_answers(file, bom, line_end):
    content = (
        bom + 'question,answer,label,qid\n"a, b?","say ""c""\nd",1,7\n\n?,e,0,12\n'
    )
    bunch = read_answers(file("a.csv", content.replace("\n", line_end)))
    assert bunch.data.tolist() == [["a, b?", f'say "c"{line_end}d'], ["?", "e"]]
    assert bunch.target.tolist() == [1, 0]
    assert bunch.query.tolist() == ["7", "12"]


def test_positions_and_other_names(file):
    path = file("a.tsv", ROWS)
    bunch = read_answers(path, columns=(3, 0), label=2, query=1)
    assert (bunch.data.tolist(), bunch.target.tolist()) == (PAIRS, LABELS)
    assert bunch.query.tolist() == QUERIES
    path = file("b.tsv", "group\ttext\tasked\tgold\n3\tyes\tis it\t1\n")
    bunch = read_answers(path, columns=("asked", "text"), label="gold", query="group")
    assert bunch.data.tolist() == [["is it", "yes"]]
    assert (bunch.target.tolist(), bunch.query.tolist()) == ([1], ["3"])


def test_without_identifiers_the_questions_are_the_queries(file):
    path = file("a.tsv", HEADER + ROWS)
    bunch = read_answers(path, query=None)
    assert bunch.query.tolist() == [0, 0, 1, 0]
    assert bunch.query.dtype == np.int64
    assert read_answers(path, query="question").query.tolist() == [
        question for question, _ in PAIRS
    ]
    # A column of that name is a column like any other.
    path = file("b.tsv", "query\tanswer\tlabel\na\tb\t1\n")
    bunch = read_answers(path, columns=("query", "answer"), query=None, as_frame=True)
    assert bunch.frame.to_dict("list") == {
        "query": ["a"],
        "answer": ["b"],
        "label": [1],
    }
    assert bunch.query.tolist() == [0]


def test_answers_that_nobody_has_judged(file):
    bunch = read_answers(file("a.tsv", HEADER + ROWS), label=None)
    assert bunch.data.tolist() == PAIRS
    assert bunch.target is None
    assert bunch.query.tolist() == QUERIES


@pytest.mark.parametrize("as_frame", [True, False])
def test_answers_as_arrays_and_frames(file, as_frame):
    path = file("a.tsv", HEADER + ROWS)
    bunch = read_answers(path, as_frame=as_frame)
    X, y = read_answers(path, return_X_y=True, as_frame=as_frame)
    assert isinstance(X, pd.DataFrame if as_frame else np.ndarray)
    for vector in (y, bunch.query):
        assert isinstance(vector, pd.Series if as_frame else np.ndarray)
    assert np.asarray(X).tolist() == np.asarray(bunch.data).tolist() == PAIRS
    assert list(y) == list(bunch.target) == LABELS
    assert list(bunch.query) == QUERIES
    assert (bunch.frame is None) != as_frame


@pytest.mark.parametrize(
    ("name", "content", "params"),
    [
        ("a.tsv", HEADER, {}),
        ("a.csv", HEADER.replace("\t", ","), {"query": None}),
        ("a.tsv", "", {"columns": (0, 1), "label": 2, "query": 3}),
        ("a.tsv", "\ufeff\r\n", {"columns": (0, 1), "label": 2, "query": None}),
    ],
)
def test_files_without_answers(file, name, content, params):
    bunch = read_answers(file(name, content), **params)
    assert bunch.data.shape == (0, 2)
    assert bunch.target.shape == bunch.query.shape == (0,)
    assert bunch.target.dtype == np.int64


BY_POSITION = {"columns": (0, 1), "label": 2, "query": 3}


@pytest.mark.parametrize(
    ("name", "content", "params", "message"),
    [
        ("a.tsv", "", {}, "line 1: no column 'question'"),
        ("a.csv", HEADER, {}, "line 1: no column 'question'"),
        (
            "a.tsv",
            "question\tanswer\tlabel\n",
            {},
            r"line 1: no column 'qid'.*\['question', 'answer', 'label'\]",
        ),
        ("a.tsv", "question\tanswer\tqid\n", {}, "line 1: no column 'label'"),
        ("a.tsv", HEADER, {"label": "gold"}, "line 1: no column 'gold'"),
        ("a.tsv", HEADER + ROWS + "a\t1\t1\n", {}, "line 7: expected 4 columns .* 3"),
        ("a.tsv", HEADER + ROWS + "a\t1\t2\tb\n", {}, "line 7: '2' in column 'label'"),
        ("a.tsv", "a\tb\t\t1\n", BY_POSITION, "line 1: '' in column '2' is neither 0"),
        ("a.tsv", "\na\tb\t1.0\t1\n", BY_POSITION, "line 2: '1.0' in column '2'"),
        ("a.tsv", "a\tb\t1\t1\r\n\r\na\tb\t-1\t1", BY_POSITION, "line 3: '-1' in"),
        ("a.csv", 'a,"b\n",1,1\na,b,true,1\n', BY_POSITION, "line 3: 'true' in"),
        ("a.tsv", HEADER + "a\t\t1\tb\n", {}, "line 2: no query in column 'qid'"),
        ("a.tsv", b"a\tb\t1\t1\n\n\xff\tb\t1\t1\n", BY_POSITION, "line 3: not UTF-8"),
    ],
)
def test_errors_of_answers_name_file_and_line(file, name, content, params, message):
    path = file(name, content)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}, {message}"):
        read_answers(path, **params)


@pytest.mark.parametrize("columns", [(), ("question",), (0, 1, 2), "qa"])
def test_columns_of_answers_must_be_two(file, columns):
    with pytest.raises(ValueError, match="columns must be two; got"):
        read_answers(file("a.tsv", HEADER), columns=columns)


CELLS = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\r\n"), min_size=1, max_size=5
)


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


# WikiQA -----------------------------------------------------------------------------

WIKIQA = (
    "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"
    "Q1\thow are caves formed?\tD1\tCave\tD1-0\tA partly \xa0 wet  cave .\t0\n"
    'Q1\thow are caves formed?\tD1\tCave\tD1-1\tThe word "cave" is old.\t0\n'
    'Q2\twho said " no?\tD2\tNo (film)\tD2-0\t"No one  two three.\t1\n'
    'Q2\twho said " no?\tD2\tNo (film)\tD2-1\tOne   two\t0\n'
    "Q11\twhy?\tD3\tWhy\tD3-0\tBecause.\t1\n"
)
WIKIQA_PAIRS = [
    ["how are caves formed?", "A partly \xa0 wet  cave ."],
    ["how are caves formed?", 'The word "cave" is old.'],
    ['who said " no?', '"No one  two three.'],
    ['who said " no?', "One   two"],
    ["why?", "Because."],
]


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_wikiqa(file, bom, line_end):
    path = file("WikiQA-train.tsv", bom + WIKIQA.replace("\n", line_end))
    bunch = read_wikiqa(path)
    assert bunch.data.tolist() == WIKIQA_PAIRS
    assert bunch.target.tolist() == [0, 0, 1, 0, 1]
    assert bunch.target.dtype == np.int64
    assert bunch.query.tolist() == ["Q1", "Q1", "Q2", "Q2", "Q11"]
    assert str(path) in bunch.DESCR
    assert "WikiQA" in bunch.DESCR


def test_wikiqa_as_papers_prepare_it(file):
    path = file("WikiQA-dev.tsv", WIKIQA)
    cut = read_wikiqa(path, max_answer_tokens=3)
    assert cut.data[:, 0].tolist() == [question for question, _ in WIKIQA_PAIRS]
    assert cut.data[:, 1].tolist() == [
        "A partly wet",
        'The word "cave"',
        '"No one two',
        "One   two",
        "Because.",
    ]
    answerable = read_wikiqa(path, answerable_only=True)
    assert answerable.data.tolist() == WIKIQA_PAIRS[2:]
    assert answerable.target.tolist() == [1, 0, 1]
    assert answerable.query.tolist() == ["Q2", "Q2", "Q11"]
    both = read_wikiqa(path, answerable_only=True, max_answer_tokens=1, as_frame=True)
    assert both.data["Sentence"].tolist() == ['"No', "One", "Because."]
    assert both.query.index.equals(both.frame.index)
    X, y = read_wikiqa(path, answerable_only=True, return_X_y=True)
    assert_array_equal(X, answerable.data)
    assert_array_equal(y, answerable.target)


def test_wikiqa_without_an_answerable_question(file):
    header, *rows = WIKIQA.splitlines(keepends=True)
    for content in (header, header + rows[0] + rows[1]):
        path = file("WikiQA-test.tsv", content)
        bunch = read_wikiqa(path, answerable_only=True, max_answer_tokens=40)
        assert bunch.data.shape == (0, 2)
        assert bunch.target.shape == bunch.query.shape == (0,)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: no column 'Question'"),
        (HEADER, "line 1: no column 'Question'"),
        (WIKIQA.replace("\tLabel", ""), "line 1: no column 'Label'"),
        (WIKIQA.replace("\tBecause.", ""), "line 6: expected 7 columns .* got 6"),
        (WIKIQA.replace("Because.\t1", "Because.\t3"), "line 6: '3' in column 'Label'"),
        (WIKIQA.replace("Q11", ""), "line 6: no query in column 'QuestionID'"),
    ],
)
def test_errors_of_wikiqa_name_file_and_line(file, content, message):
    path = file("WikiQA.tsv", content)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}, {message}"):
        read_wikiqa(path)


@pytest.mark.parametrize("n", [0, -1, 2.5, "40"])
def test_answers_are_cut_to_a_whole_number(file, n):
    with pytest.raises(ValueError, match=f"max_answer_tokens .* got {n!r}"):
        read_wikiqa(file("WikiQA.tsv", WIKIQA), max_answer_tokens=n)


# Bundled answers --------------------------------------------------------------------


def test_bundled_answers():
    bunch = load_answers()
    n = len(bunch.data)
    assert bunch.data.shape == (n, 2)
    assert bunch.target.shape == bunch.query.shape == (n,)
    assert bunch.data.dtype == object
    assert {type(text) for text in bunch.data.ravel()} == {str}
    assert bunch.target.dtype == bunch.query.dtype == np.int64
    assert f", {n} in all" in bunch.DESCR
    assert "CC0" in bunch.DESCR
    assert f"({n}, 2)" in load_answers.__doc__
    bunch.data[:] = "other"
    assert "other" not in load_answers().data


def test_all_ways_to_load_answers_agree():
    bunch, frames = load_answers(), load_answers(as_frame=True)
    X, y = load_answers(return_X_y=True)
    X_frame, y_frame = load_answers(return_X_y=True, as_frame=True)
    for data in (X, X_frame, frames.data):
        assert_array_equal(data, bunch.data)
    for target in (y, y_frame, frames.target, frames.frame["label"]):
        assert_array_equal(target, bunch.target)
    assert isinstance(frames.query, pd.Series)
    assert_array_equal(frames.query, bunch.query)


def test_bundled_questions_have_right_and_wrong_answers():
    bunch = load_answers()
    query = bunch.query
    assert_array_equal(np.unique(query), np.arange(60))
    assert (np.diff(query) >= 0).all()
    counts, right = np.bincount(query), np.bincount(query, bunch.target)
    assert set(counts) == {5, 6}
    assert set(right) == {1, 2}
    questions = [set(bunch.data[query == i, 0]) for i in range(60)]
    assert all(len(texts) == 1 for texts in questions)
    assert len(set.union(*questions)) == 60


def test_bundled_answers_are_clean_and_occur_once():
    data = load_answers().data
    assert all(text == " ".join(text.split()) for text in data.ravel())
    assert all(5 <= len(text.split()) <= 25 for text in data.ravel())
    assert all(text.endswith("?") for text in data[:, 0])
    assert all(text.endswith(".") for text in data[:, 1])
    folded = [text.casefold() for text in data[:, 1]]
    assert len(set(folded)) == len(folded)


@pytest.mark.parametrize(
    "load", [load_paraphrases, load_similarity, load_entailment, load_sentiment]
)
def test_no_answer_is_among_the_other_bundled_texts(load):
    ours, others = (
        {text.casefold() for text in data.ravel()}
        for data in (load_answers().data, load().data)
    )
    assert ours.isdisjoint(others)


def reciprocal_rank(score):
    """Mean over the bundled questions; half of the equal wrong answers come first."""
    bunch = load_answers()
    found = []
    for i in range(60):
        of, right = score[bunch.query == i], bunch.target[bunch.query == i] == 1
        best, wrong = of[right].max(), of[~right]
        found.append(1 / (1 + (wrong > best).sum() + (wrong == best).sum() / 2))
    return np.mean(found)


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def test_bundled_answers_are_neither_trivial_nor_left_to_chance():
    X = load_answers().data
    draws = np.random.RandomState(0).rand(100, len(X))
    chance = np.mean([reciprocal_rank(draw) for draw in draws])
    score = make_pipeline(SIFEncoder(), PairSimilarity()).fit(X).predict(X)
    assert 0.45 < chance < 0.53
    assert chance + 0.08 < reciprocal_rank(score) < 0.75


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "feature",
    [
        lambda question, answer: len(answer.split()),
        lambda question, answer: len(words(question) & words(answer)),
        lambda question, answer: "because" in words(answer),
        lambda question, answer: bool(words(answer) & {"it", "they", "its", "their"}),
    ],
    ids=["length", "overlap", "because", "pronouns"],
)
def test_the_look_of_an_answer_does_not_give_it_away(feature, sign):
    X = load_answers().data
    score = np.array([sign * feature(*pair) for pair in X])
    assert reciprocal_rank(score) < 0.65


def test_the_words_of_an_answer_alone_do_not_give_it_away():
    X, y = load_answers(return_X_y=True)
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(C=10))
    score = cross_val_predict(
        model,
        X[:, 1],
        y,
        groups=load_answers().query,
        cv=GroupKFold(5),
        method="decision_function",
    )
    assert reciprocal_rank(score) < 0.6


def test_the_place_of_an_answer_does_not_give_it_away():
    bunch = load_answers()
    _, start = np.unique(bunch.query, return_index=True)
    first = [bunch.target[i:].argmax() for i in start]
    assert max(Counter(first).values()) <= 20


# Published files --------------------------------------------------------------------

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no evaluation data in {DATA}"
)


@pytest.mark.data
@needs_data
@pytest.mark.parametrize(
    ("name", "n", "n_questions", "n_right"),
    [("train", 4718, 93, 348), ("dev", 1148, 81, 222), ("test", 1517, 95, 284)],
)
def test_published_answers(name, n, n_questions, n_right):
    path = DATA / f"trecqa/{name}.tsv"
    bunch = read_answers(path)
    assert bunch.data.shape == (n, 2)
    assert len(set(bunch.query)) == n_questions
    assert np.bincount(bunch.target).tolist() == [n - n_right, n_right]
    # No two of these questions are worded alike.
    numbers = read_answers(path, query=None).query
    assert len(set(zip(numbers, bunch.query, strict=True))) == n_questions


@pytest.mark.data
@needs_data
def test_no_bundled_answer_is_published():
    ours = {text.casefold() for text in load_answers().data.ravel()}
    for name in ("train", "dev", "test"):
        data = read_answers(DATA / f"trecqa/{name}.tsv").data
        assert ours.isdisjoint(text.casefold() for text in data.ravel())
