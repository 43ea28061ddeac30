"""The STS tasks, the STS benchmark and SICK in their published formats."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold

from skparaphrase.datasets import fetch_sick, fetch_sts, fetch_stsb

NAMES = {
    2012: "MSRpar MSRvid SMTeuroparl OnWN SMTnews".split(),
    2013: "FNWN headlines OnWN".split(),
    2014: "deft-forum deft-news headlines images OnWN tweet-news".split(),
    2015: "answers-forums answers-students belief headlines images".split(),
    2016: "answer-answer headlines plagiarism postediting question-question".split(),
}


@pytest.fixture
def year(tmp_path, archive):
    """Writes the archive of a year; `files` has the input and gold of each set."""

    def write(stem, files):
        members = {"readme.txt": b"STS", "test/STS.gs.ALL.txt": b"1\n"}
        for name, (texts, gold) in files.items():
            start = "STS2016" if "2016" in stem else "STS"
            if "2012" in stem and name in ("OnWN", "SMTnews"):
                name = f"surprise.{name}"
            members[f"test/{start}.input.{name}.txt"] = texts
            members[f"test/{start}.gs.{name}.txt"] = gold
            members[f"__MACOSX/test/._STS.input.{name}.txt"] = b"\x00\xff"
        return archive(tmp_path / "sts" / f"{stem}.zip", members)

    return write


SMALL = (b"A b.\tC d.\n", b"2.5\n")
INPUT = (
    b'\xef\xbb\xbf"Yes, he said.\tNo "quotes" end.\r\n'
    b"nothing\tis scored\tnote 1\tnote 2\n"
    b"na\xefve \t caf\xe9 \x93so\x94\tsource: http://a.b\n"
    b"one\xe2\x80\xa8line\x0c, still\xe2\x80\xa6\tNA\n"
    b"again\tnot scored\n"
)
GOLD = b"4.400\r\n\n0\t100\n5\n \n"
PAIRS = [
    ['"Yes, he said.', 'No "quotes" end.'],
    ["naïve", "café “so”"],
    ["one\u2028line\x0c, still…", "NA"],
]


@pytest.mark.parametrize("last", [b"", b"\n", b"\n\n"])
def test_a_year(tmp_path, year, last):
    files = dict.fromkeys(NAMES[2016], SMALL)
    files["plagiarism"] = (INPUT, GOLD.removesuffix(b"\n") + last)
    path = year("STS2016-en-test", files)
    sts = fetch_sts(2016, data_home=tmp_path, download_if_missing=False)
    here = sts.dataset == "plagiarism"
    assert sts.data[here].tolist() == PAIRS
    assert sts.target[here].tolist() == [4.4, 0, 5]
    assert sts.data[~here].tolist() == [["A b.", "C d."]] * 4
    assert list(dict.fromkeys(sts.dataset)) == NAMES[2016]
    assert sts.data.dtype == sts.dataset.dtype == object
    assert sts.target.dtype == np.float64
    assert sts.filename == str(path)
    assert len(set(sts.groups[~here])) == 1
    assert len(set(sts.groups)) == 4
    list(GroupKFold(2).split(sts.data, sts.target, sts.groups))
    assert "CC BY-SA 4.0" in sts.DESCR and "SemEval-2016 task 1" in sts.DESCR


@pytest.mark.parametrize("number", NAMES)
def test_every_year_has_its_sets(tmp_path, year, number):
    names = NAMES[number]
    year(f"STS{number}-en-test", dict.fromkeys(names, SMALL))
    sts = fetch_sts(number, data_home=tmp_path, as_frame=True)
    assert sts.dataset.tolist() == names
    assert isinstance(sts.data, pd.DataFrame) and isinstance(sts.target, pd.Series)
    assert list(sts.frame) == ["sentence1", "sentence2", "score", "dataset"]
    assert list(sts.data) == ["sentence1", "sentence2"]
    X, y = fetch_sts(number, data_home=tmp_path, return_X_y=True)
    assert X.tolist() == [["A b.", "C d."]] * len(names)
    assert y.tolist() == [2.5] * len(names)
    if number == 2012:
        train = year("STS2012-en-train", dict.fromkeys(names[:3], SMALL))
        read = fetch_sts(2012, subset="train", data_home=tmp_path)
        assert read.filename == str(train)
        both = fetch_sts(2012, subset="all", data_home=tmp_path)
        assert both.dataset.tolist() == names[:3] + names
        assert both.filename[0] == str(train)
    else:
        with pytest.raises(ValueError, match="only 2012 has training files"):
            fetch_sts(number, subset="train", data_home=tmp_path)


@pytest.mark.parametrize(
    ("texts", "gold", "message"),
    [
        (b"a\tb\nc\td\n", b"1\n", "STS.input.FNWN.txt has 2 lines, but .* has 1"),
        (b"a\tb\nc d\n", b"1\n2\n", r"STS.input.FNWN.txt, line 2: expected two"),
        (b"a\tb\nc\td\n", b"1\n5.1\n", r"STS.gs.FNWN.txt, line 2: '5.1' is not a"),
        (b"a\tb\n", b"x\n", "line 1: 'x' is not a score from 0 to 5"),
    ],
)
def test_wrong_lines_of_a_year_are_named(tmp_path, year, texts, gold, message):
    files = dict.fromkeys(NAMES[2013], SMALL) | {"FNWN": (texts, gold)}
    path = year("STS2013-en-test", files)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}.*{message}"):
        fetch_sts(2013, data_home=tmp_path)


ROWS = (
    b"main-captions\tMSRvid\t2012test\t0001\t5.000\tA plane.\tAn air plane.\n"
    b'main-forums\tdeft\t2014\t0002\t0\t"Open quote\tB \xc3\xa9\tlicence\thttp://x\r\n'
    b"\n"
    b"main-news\theadlines\t2015\t0003\t2.6\tn\x92t\tNULL\n"
)


@pytest.fixture
def benchmark(tmp_path, archive):
    """Writes the archive of the benchmark."""

    def write(train=ROWS, dev=ROWS[:61], test=ROWS[-42:]):
        subsets = {"train": train, "dev": dev, "test": test}
        members = {f"stsbenchmark/sts-{name}.csv": subsets[name] for name in subsets}
        return archive(tmp_path / "stsb" / "Stsbenchmark.tar.gz", members)

    return write


def test_the_benchmark(tmp_path, benchmark):
    path = benchmark()
    stsb = fetch_stsb(data_home=tmp_path)
    assert stsb.data.tolist() == [
        ["A plane.", "An air plane."],
        ['"Open quote', "B é"],
        ["n\u2019t", "NULL"],
    ]
    assert stsb.target.tolist() == [5, 0, 2.6]
    assert stsb.genre.tolist() == ["main-captions", "main-forums", "main-news"]
    assert stsb.dataset.tolist() == ["MSRvid", "deft", "headlines"]
    assert stsb.year.tolist() == ["2012test", "2014", "2015"]
    assert stsb.groups.tolist() == [0, 1, 2]
    assert stsb.filename == str(path)
    assert fetch_stsb("dev", data_home=tmp_path).target.tolist() == [5]
    assert fetch_stsb("test", data_home=tmp_path).target.tolist() == [2.6]
    frame = fetch_stsb("all", data_home=tmp_path, as_frame=True)
    assert frame.target.tolist() == [5, 0, 2.6, 5, 2.6]
    assert frame.year.index.equals(frame.frame.index)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (b"a\tb\tc\td\t1\te\n", "line 1: expected 7 columns or more, got 6"),
        (ROWS + b"a\tb\tc\td\t-1\te\tf\n", "line 5: '-1' is not a score from 0 to 5"),
    ],
)
def test_wrong_lines_of_the_benchmark_are_named(tmp_path, benchmark, rows, message):
    path = benchmark(rows)
    with pytest.raises(
        ValueError, match=re.escape(f"{path}, sts-train.csv, {message}")
    ):
        fetch_stsb(data_home=tmp_path)


SICK = (
    b"pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\t"
    b"entailment_AB\tentailment_BA\tsentence_A_original\tsentence_B_original\t"
    b"sentence_A_dataset\tsentence_B_dataset\tSemEval_set\r\n"
    b'1\tA "kid\tA b\tNEUTRAL\t4.5\tA_neutral_B\tB_neutral_A\t'
    b"x\ty\tFLICKR\tSTS\tTRAIN\r\n"
    b"2\tC\tD\tENTAILMENT\t5\tA_entails_B\tB_entails_A\tx\ty\tFLICKR\tSTS\tTEST \r\n"
    b"3\tE\tA b\tCONTRADICTION\t1\t\t\tx\ty\tFLICKR\tSTS\tTRIAL\r\n"
)


def test_sick(tmp_path, archive):
    archive(tmp_path / "sick" / "SICK.zip", {"readme.txt": b"", "SICK.txt": SICK})
    sick = fetch_sick("all", data_home=tmp_path)
    assert sick.data.tolist() == [['A "kid', "A b"], ["C", "D"], ["E", "A b"]]
    assert sick.target.tolist() == [4.5, 5, 1] == sick.score.tolist()
    assert sick.entailment.tolist() == ["NEUTRAL", "ENTAILMENT", "CONTRADICTION"]
    assert sick.pair_id.tolist() == ["1", "2", "3"]
    assert sick.groups.tolist() == [0, 1, 0]
    for subset, number in (("train", "1"), ("dev", "3"), ("test", "2")):
        assert fetch_sick(subset, data_home=tmp_path).pair_id.tolist() == [number]
    X, y = fetch_sick(
        "dev", target="entailment", return_X_y=True, as_frame=True, data_home=tmp_path
    )
    assert list(X) == ["sentence1", "sentence2"] and y.tolist() == ["CONTRADICTION"]


SEMEVAL = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"


def test_sick_of_semeval(tmp_path, archive):
    folder = tmp_path / "sick"
    for part, row in (
        ("train", "1\ta\tb\t4.5\tNEUTRAL\n"),
        ("trial", "4\tc\td\t1\tCONTRADICTION\n"),
        ("test_annotated", "6\te\tf\t3\tNEUTRAL\n"),
    ):
        members = {"readme.txt": b"", f"SICK_{part}.txt": SEMEVAL + row}
        archive(folder / f"sick_{part}.zip", members)
    sick = fetch_sick("all", version="semeval", data_home=tmp_path)
    assert sick.pair_id.tolist() == ["1", "4", "6"]
    assert sick.score.tolist() == [4.5, 1, 3]
    assert len(sick.filename) == 3
    test = fetch_sick("test", version="semeval", data_home=tmp_path)
    assert test.data.tolist() == [["e", "f"]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"\tTEST", b"\tPROOF", "line 3: subset must be one of ('TRAIN', 'TRIAL'"),
        (b"ENTAILMENT\t", b"entails\t", "line 3: label must be one of ('NEUTRAL'"),
        (b"\t4.5\t", b"\t0.5\t", "line 2: '0.5' is not a score from 1 to 5"),
        (b"\tTRIAL", b"", "line 4: expected 12 columns or more, got 11"),
        (b"sentence_B\t", b"sentence B\t", "line 1: no column 'sentence_B'"),
    ],
)
def test_wrong_lines_of_sick_are_named(tmp_path, archive, old, new, message):
    path = archive(tmp_path / "sick" / "SICK.zip", {"SICK.txt": SICK.replace(old, new)})
    with pytest.raises(ValueError, match=re.escape(f"{path}, SICK.txt, {message}")):
        fetch_sick("all", data_home=tmp_path)
