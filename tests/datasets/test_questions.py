"""TREC QA and WikiQA in their published formats."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re

import numpy as np
import pandas as pd
import pytest

from skparaphrase.datasets import fetch_trecqa, fetch_wikiqa


def block(tag, tokens, *more):
    return f"<{tag}>\n" + "\n".join(["\t".join(tokens), *more]) + f"\n</{tag}>\n"


TREC = (
    "<QApairs id='1.4'>\n"
    + block("question", ["What", "<", "&", "AT&T", "?"], "WP\t-", "VMOD\t-")
    + block(
        "negative", ["``", "-LRB-", "Xinhua", "-RRB-", "na\u00efve"], "NN\tIN", "2\t1"
    )
    + block("positive", ["Blue", "\u2028"], "JJ", "1", "-", "blue\t", "20\t")
    + "</QApairs>\n"
    + "<QApairs id='1.5'>\n"
    + block("question", ["Nobody", "answers", "?"])
    + "</QApairs>\n"
    + '<QApairs id="z">\n'
    + block("question", ["Who", "?"])
    + block("negative", ["<positive>"], "</QApair>")
    + "</QApairs>\n"
)


def trecqa(home, content, name="dev"):
    path = home / "trecqa" / f"{name}.xml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_trecqa(tmp_path, line_end):
    path = trecqa(tmp_path, TREC.replace("\n", line_end))
    found = fetch_trecqa("dev", data_home=tmp_path)
    question = "What < & AT&T ?"
    assert found.data.tolist() == [
        [question, "`` -LRB- Xinhua -RRB- na\u00efve"],
        [question, "Blue"],
        ["Who ?", "<positive>"],
    ]
    assert found.target.tolist() == [0, 1, 0] and found.target.dtype == np.int64
    assert found["query"].tolist() == ["1.4", "1.4", "z"]
    assert found.filename == str(path) and "Jeopardy" in found.DESCR
    clean = fetch_trecqa("dev", clean=True, as_frame=True, data_home=tmp_path)
    assert clean.target.tolist() == [0, 1]
    assert isinstance(clean["query"], pd.Series)
    X, y = fetch_trecqa("dev", return_X_y=True, data_home=tmp_path)
    assert X.shape == (3, 2) and y.tolist() == [0, 1, 0]


def test_questions_of_one_identifier_are_two(tmp_path):
    other = TREC.replace("What", "Which").replace("id='1.5'", "id='1.4'")
    trecqa(tmp_path, TREC + other, "train-all")
    found = fetch_trecqa("train-all", data_home=tmp_path)
    assert found["query"].tolist() == ["1.4", "1.4", "z", "1.4.37", "1.4.37", "z"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Blue\t\u2028\n", " \n", ", line 13: <positive> has no text"),
        ("</question>\n<neg", "<neg", ", line 6: <negative> within <question>"),
        ("<QApairs id='1.4'>\n", "", ", line 1: expected <QApairs id='...'>, got '<qu"),
        ("<QApairs id='1.5'>\n", "<QA>\n", ", line 21: expected <QApairs"),
        ("</positive>\n", "", ", line 19: </QApairs> within <positive>"),
        ("</positive>\n", "</positive>\nblue\n", ", line 20: expected a tag, got 'bl"),
        (block("question", ["Who", "?"]), "", ", line 27: misplaced <negative>"),
        ('</QApairs>\n<QApairs id="z">\n', "", ", line 25: misplaced <question>"),
    ],
)
def test_wrong_lines_of_trecqa_are_named(tmp_path, old, new, message):
    assert old in TREC
    path = trecqa(tmp_path, TREC.replace(old, new))
    with pytest.raises(ValueError, match=re.escape(f"{path}{message}")):
        fetch_trecqa("dev", data_home=tmp_path)


@pytest.mark.parametrize("left", [2, 5, 12, 19])
def test_trecqa_that_ends_early(tmp_path, left):
    lines = TREC.split("\n")[:left]
    path = trecqa(tmp_path, "\n".join(lines))
    with pytest.raises(ValueError, match=re.escape(f"{path} ends in line {left}")):
        fetch_trecqa("dev", data_home=tmp_path)


WIKI = (
    "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\r\n"
    'Q1\thow "big?\tD1\tTitle\tD1-0\tNot "at all.\t0\r\n'
    'Q1\thow "big?\tD1\tTitle\tD1-1\tVery big indeed.\t1\r\n'
    "Q2\twhy?\tD2\tTitle\tD2-0\tna\u00efve\t0\r\n"
)


def test_wikiqa(tmp_path, archive):
    members = {f"WikiQACorpus/WikiQA-{part}.tsv": WIKI for part in ("train", "test")}
    members["WikiQACorpus/WikiQA-train.txt"] = "x"
    path = archive(tmp_path / "wikiqa" / "WikiQACorpus.zip", members)
    found = fetch_wikiqa(data_home=tmp_path)
    assert found.data[0].tolist() == ['how "big?', 'Not "at all.']
    assert found.target.tolist() == [0, 1, 0]
    assert found["query"].tolist() == ["Q1", "Q1", "Q2"]
    assert found.filename == str(tmp_path / "wikiqa" / "WikiQA-train.tsv")
    assert "Microsoft" in found.DESCR
    with pytest.raises(ValueError, match=r"Corpus\.zip has no member WikiQA-dev\.tsv"):
        fetch_wikiqa("dev", data_home=tmp_path)
    path.unlink()
    X, y = fetch_wikiqa(
        answerable_only=True, max_answer_tokens=2, return_X_y=True, data_home=tmp_path
    )
    assert X[:, 1].tolist() == ['Not "at', "Very big"] and y.tolist() == [0, 1]
    assert [each.name for each in path.parent.iterdir()] == ["WikiQA-train.tsv"]


@pytest.mark.data
@pytest.mark.parametrize(
    ("part", "n", "n_clean"),
    [("train", 4718, 4619), ("dev", 1148, 1117), ("test", 1517, 1442)],
)
def test_trecqa_goes_there_and_back(tmp_path, columns, part, n, n_clean):
    read = columns(f"trecqa/{part}.tsv")
    content, last = "", None
    names = ("qid", "label", "question", "answer")
    for qid, label, question, answer in zip(*map(read.get, names), strict=True):
        if qid != last:
            content += "" if last is None else "</QApairs>\n"
            content += f"<QApairs id='{qid}'>\n"
            content += block("question", question.split(" "))
            last = qid
        kind = "positive" if label == "1" else "negative"
        content += block(kind, answer.split(" "), "NN\tNN", "1\t2")
    trecqa(tmp_path, content + "</QApairs>\n", part)
    found = fetch_trecqa(part, data_home=tmp_path)
    assert found.data.shape == (n, 2)
    assert found.data.T.tolist() == [read["question"], read["answer"]]
    assert found.target.tolist() == list(map(int, read["label"]))
    assert found["query"].tolist() == read["qid"]
    clean = fetch_trecqa(part, clean=True, data_home=tmp_path)
    assert clean.data.shape == (n_clean, 2)
