"""Phrases, questions and vectors in the formats that they are published in."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import os
import re
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skparaphrase.datasets import (
    fetch_glove,
    fetch_paragram,
    fetch_ppdb,
    fetch_trecqa,
    fetch_wikiqa,
)
from skparaphrase.datasets._archives import unpack_member

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared")) / "data"


def zipped(path, members):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


# PPDB -------------------------------------------------------------------------------

PPDB2 = (
    "[JJ] ||| transplant ||| transplantation ||| PPDB2.0Score=5.22098 "
    "PPDB1.0Score=3.84 -logp(e2|e1,LHS)=2.1 MVLSASim=NA ||| 0-0 ||| Equivalence\n"
    "[S/PP] ||| [NP/NP,1] such activities ||| [NP/NP,1] those ||| PPDB2.0Score=5 ||| "
    "0-0 ||| Equivalence\n"
    "\n"
    "[.] ||| , ||| na\u00efve [sic] ||| PPDB1.0Score=1 ||| 0-0 ||| OtherRelated\n"
    "[CD] ||| 1,5 ||| 1.5 ||| PPDB2.0Score=-1.5 ||| 0-0 ||| ForwardEntailment\n"
)
PPDB1 = (
    "[CD] ||| 67.20 ||| 67,20 ||| Abstract=0 Lex(e|f)=62.9 p(f|e,LHS)=1.2 ||| 0-0\n"
    "[NN,JJ] ||| a b ||| c ||| Abstract=0 ||| 0-0 1-0\r\n"
)


def ppdb(home, name, content):
    path = home / "ppdb" / f"{name}.gz"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(content.encode()))
    return path


def test_ppdb(tmp_path):
    path = ppdb(tmp_path, "ppdb-2.0-s-all", PPDB2)
    found = fetch_ppdb("s", "all", data_home=tmp_path)
    assert found.data.tolist() == [
        ["transplant", "transplantation"],
        [",", "naïve [sic]"],
        ["1,5", "1.5"],
    ]
    np.testing.assert_array_equal(found.target, [5.22098, np.nan, -1.5])
    assert found.constituent.tolist() == ["JJ", ".", "CD"]
    assert found.entailment.tolist() == [
        "Equivalence",
        "OtherRelated",
        "ForwardEntailment",
    ]
    assert found.filename == str(path) and "CC BY 3.0" in found.DESCR
    for limit, n in ((0, 0), (2, 2), (9, 3)):
        X, y = fetch_ppdb("s", "all", limit=limit, return_X_y=True, data_home=tmp_path)
        assert X.shape == (n, 2) and y.shape == (n,)


def test_ppdb_of_2013(tmp_path):
    ppdb(tmp_path, "ppdb-1.0-xl-lexical", PPDB1)
    found = fetch_ppdb("xl", "lexical", version="1.0", data_home=tmp_path)
    assert found.data.tolist() == [["67.20", "67,20"], ["a b", "c"]]
    assert found.constituent.tolist() == ["CD", "NN,JJ"]
    assert found.target is None and "entailment" not in found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PPDB2 + "[A] ||| b\n", "line 6: expected 5 or 6 fields"),
        ("[A] ||| b |||  ||| x=1 ||| 0-0\n", "line 1: expected 5 or 6 fields"),
        (PPDB2.replace("5.22098", "x"), "line 1: 'PPDB2.0Score=x' has no number"),
        (PPDB2.replace("naïve", "na\udcefve"), "line 4: not UTF-8"),
    ],
)
def test_wrong_lines_of_ppdb_are_named(tmp_path, content, message):
    path = tmp_path / "ppdb" / "ppdb-2.0-m-phrasal.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(content.encode(errors="surrogateescape")))
    with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
        fetch_ppdb("m", "phrasal", data_home=tmp_path)


@pytest.mark.parametrize("how", ["cut", "middle", "plain"])
def test_a_damaged_gzip_says_what_to_do(tmp_path, how):
    rng = np.random.default_rng(0)
    words = ["".join(chr(97 + x) for x in rng.integers(0, 26, 9)) for _ in range(4000)]
    lines = [f"[A] ||| {word} ||| {word[::-1]} ||| x=1 ||| 0-0\n" for word in words]
    path = ppdb(tmp_path, "ppdb-2.0-s-lexical", "".join(lines))
    if how == "plain":
        path.write_text("".join(lines))
    else:
        raw = path.read_bytes()
        half = len(raw) // 2
        path.write_bytes(
            raw[:half] + (b"" if how == "cut" else bytes(9) + raw[half + 9 :])
        )
    with pytest.raises(OSError, match=r"lexical\.gz, after line \d+, is damaged .*Del"):
        fetch_ppdb("s", data_home=tmp_path)


# Questions --------------------------------------------------------------------------


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
        (block("question", ["Who", "?"]), "", ", line 27: <negative> out of place"),
        ('</QApairs>\n<QApairs id="z">\n', "", ", line 25: <question> out of place"),
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


def test_wikiqa(tmp_path):
    members = {f"WikiQACorpus/WikiQA-{part}.tsv": WIKI for part in ("train", "test")}
    members["WikiQACorpus/WikiQA-train.txt"] = "x"
    archive = zipped(tmp_path / "wikiqa" / "WikiQACorpus.zip", members)
    found = fetch_wikiqa(data_home=tmp_path)
    assert found.data[:2].tolist() == [
        ['how "big?', 'Not "at all.'],
        ['how "big?', "Very big indeed."],
    ]
    assert found.target.tolist() == [0, 1, 0]
    assert found["query"].tolist() == ["Q1", "Q1", "Q2"]
    assert found.filename == str(tmp_path / "wikiqa" / "WikiQA-train.tsv")
    assert "Microsoft" in found.DESCR
    with pytest.raises(OSError, match=r"Corpus\.zip has no member WikiQA-dev\.tsv"):
        fetch_wikiqa("dev", data_home=tmp_path)
    archive.unlink()
    X, y = fetch_wikiqa(
        answerable_only=True, max_answer_tokens=2, return_X_y=True, data_home=tmp_path
    )
    assert X[:, 1].tolist() == ['Not "at', "Very big"] and y.tolist() == [0, 1]
    assert sorted(path.name for path in (tmp_path / "wikiqa").iterdir()) == [
        "WikiQA-train.tsv"
    ]


# Vectors ----------------------------------------------------------------------------


GLOVE = (
    b"the 0.1 -0.2 3\n. . . 1 2 3\nat name@domain.com 4 5 6\nna\xc3\xafve 7 8 9e-3\n"
)


def test_glove(tmp_path):
    archive = zipped(
        tmp_path / "glove" / "glove.6B.zip",
        {"glove.6B.50d.txt": GLOVE, "glove.6B.100d.txt": b"the 1 2\n"},
    )
    vectors = fetch_glove("6B.50d", data_home=tmp_path)
    assert list(vectors.index) == ["the", ". . .", "at name@domain.com", "na\u00efve"]
    np.testing.assert_allclose(vectors["na\u00efve"], [7, 8, 9e-3])
    archive.unlink()
    few = fetch_glove(
        "6B.50d", limit=3, vocabulary=["the", "x"], dtype="float16", data_home=tmp_path
    )
    assert list(few.index) == ["the"] and few.dtype == np.float16
    with pytest.raises(OSError, match=r"glove\.6B\.zip is missing"):
        fetch_glove("6B.100d", data_home=tmp_path, download_if_missing=False)
    with pytest.raises(ValueError, match="name must be one of"):
        fetch_glove("6B.299d", data_home=tmp_path)


def test_members_stay_in_the_cache(tmp_path):
    home = tmp_path / "home"
    members = {"../../glove.42B.300d.txt": b"the 1 2\n", "../../x.txt": b"x"}
    zipped(home / "glove" / "glove.42B.300d.zip", members)
    assert fetch_glove("42B.300d", data_home=home).dim == 2
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert sorted(path.name for path in home.rglob("*.*")) == [
        "glove.42B.300d.txt",
        "glove.42B.300d.zip",
    ]


def test_threads_unpack_once(tmp_path, monkeypatch):
    text = "the 1 2\n" + "".join(f"w{i} {i} 3\n" for i in range(20_000))
    path = tmp_path / "glove" / "glove.42B.300d.zip"
    zipped(path, {"glove.42B.300d.txt": text})
    # What another process, killed in the middle, has left.
    (path.parent / "glove.42B.300d.txt.part").write_text("the 1")
    together, asked = threading.Barrier(6), []

    def unpack(*arguments):
        asked.append(arguments)
        together.wait()  # all have seen that there is no text file
        unpack_member(*arguments)

    monkeypatch.setattr("skparaphrase.datasets._archives.unpack_member", unpack)
    with ThreadPoolExecutor(6) as pool:
        jobs = [
            pool.submit(fetch_glove, "42B.300d", data_home=tmp_path) for _ in range(6)
        ]
        assert [len(job.result()) for job in jobs] == [20_001] * 6
    assert len(asked) == 6
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "glove.42B.300d.txt",
        "glove.42B.300d.zip",
    ]


@pytest.mark.parametrize("how", ["cut", "middle"])
def test_half_a_member_is_not_kept(tmp_path, how):
    rng = np.random.default_rng(0)
    text = "".join(f"w{i} {x:.5f}\n" for i, x in enumerate(rng.normal(size=9000)))
    path = tmp_path / "glove" / "glove.840B.300d.zip"
    raw = zipped(path, {"glove.840B.300d.txt": text}).read_bytes()
    half = len(raw) // 2
    path.write_bytes(raw[:half] + (b"" if how == "cut" else bytes(9) + raw[half + 9 :]))
    for _ in range(2):
        with pytest.raises(OSError, match=r"840B\.300d\.zip is damaged .* Delete it"):
            fetch_glove("840B.300d", data_home=tmp_path)
        assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_paragram(tmp_path):
    with pytest.raises(OSError, match=r"Google Drive .* Put it there") as info:
        fetch_paragram("sl999", data_home=tmp_path)
    path = tmp_path / "paragram" / "paragram_300_sl999.zip"
    assert str(path) in str(info.value)
    content = b"the 1 2\ncaf\xe9 3 4\n"
    zipped(path, {"paragram_300_sl999/paragram_300_sl999.txt": content})
    vectors = fetch_paragram("sl999", data_home=tmp_path)
    assert list(vectors.index) == ["the", "caf\ufffd"]
    with pytest.raises(ValueError, match=r"line 2: .* is not UTF-8"):
        fetch_paragram("sl999", data_home=tmp_path, encoding_errors="strict")
    (tmp_path / "paragram" / "paragram-phrase-XXL.txt").write_bytes(content)
    assert fetch_paragram(data_home=tmp_path).dim == 2


# Public data ------------------------------------------------------------------------


def rows(name):
    if not (DATA / name).exists():
        pytest.skip(f"{DATA / name} is not there")
    header, *lines = (DATA / name).read_text(encoding="utf-8").split("\n")[:-1]
    cells = [line.split("\t") for line in lines]
    return dict(
        zip(header.split("\t"), map(list, zip(*cells, strict=True)), strict=True)
    )


@pytest.mark.data
@pytest.mark.parametrize(
    ("part", "n", "n_clean"),
    [("train", 4718, 4619), ("dev", 1148, 1117), ("test", 1517, 1442)],
)
def test_trecqa_goes_there_and_back(tmp_path, part, n, n_clean):
    columns = rows(f"trecqa/{part}.tsv")
    content, last = "", None
    names = ("qid", "label", "question", "answer")
    for qid, label, question, answer in zip(*map(columns.get, names), strict=True):
        if qid != last:
            content += "" if last is None else "</QApairs>\n"
            content += f"<QApairs id='{qid}'>\n" + block(
                "question", question.split(" ")
            )
            last = qid
        kind = "positive" if label == "1" else "negative"
        content += block(kind, answer.split(" "), "NN\tNN", "1\t2")
    trecqa(tmp_path, content + "</QApairs>\n", part)
    found = fetch_trecqa(part, data_home=tmp_path)
    assert found.data.shape == (n, 2)
    assert found.data.T.tolist() == [columns["question"], columns["answer"]]
    assert found.target.tolist() == list(map(int, columns["label"]))
    assert found["query"].tolist() == columns["qid"]
    clean = fetch_trecqa(part, clean=True, data_home=tmp_path)
    assert clean.data.shape == (n_clean, 2)


@pytest.mark.data
def test_ppdb_goes_there_and_back(tmp_path):
    columns = rows("paraphrase/ppdb-lexical.tsv")
    pairs = list(zip(columns["word1"], columns["word2"], strict=True))
    lines = [f"[NN] ||| {a} ||| {b} ||| x=1 ||| 0-0\n" for a, b in pairs]
    ppdb(tmp_path, "ppdb-1.0-s-lexical", "".join(lines))
    found = fetch_ppdb(version="1.0", data_home=tmp_path)
    assert list(map(tuple, found.data)) == pairs
