"""Files of pairs in the formats that they are published in."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import os
import re
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold

from skparaphrase.datasets import (
    fetch_msrp,
    fetch_sick,
    fetch_sts,
    fetch_stsb,
)
from skparaphrase.datasets._lines import decode_lines
from skparaphrase.datasets._remote import sha256_of

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared")) / "data"

NAMES = {
    2012: ["MSRpar", "MSRvid", "SMTeuroparl", "OnWN", "SMTnews"],
    2013: ["FNWN", "headlines", "OnWN"],
    2014: ["deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"],
    2015: ["answers-forums", "answers-students", "belief", "headlines", "images"],
    2016: [
        "answer-answer",
        "headlines",
        "plagiarism",
        "postediting",
        "question-question",
    ],
}
TOPS = {
    "STS2012-en-train": "train",
    "STS2012-en-test": "test-gold",
    "STS2013-en-test": "test-gs",
    "STS2014-en-test": "sts-en-test-gs-2014",
    "STS2015-en-test": "test_evaluation_task2a",
    "STS2016-en-test": "sts2016-english-with-gs-v1.0",
}


def zipped(path, members):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(path, members):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, BytesIO(content))
    return path


def year(home, stem, files):
    """The archive of a year; `files` holds the bytes of input and gold of each set."""
    members = {"readme.txt": b"STS", f"{TOPS[stem]}/STS.gs.ALL.txt": b"1\n"}
    for name, (texts, gold) in files.items():
        start = "STS2016" if "2016" in stem else "STS"
        part = f"surprise.{name}" if name in ("OnWN", "SMTnews") else name
        part = part if "2012" in stem else name
        members[f"{TOPS[stem]}/{start}.input.{part}.txt"] = texts
        members[f"{TOPS[stem]}/{start}.gs.{part}.txt"] = gold
        members[f"__MACOSX/{TOPS[stem]}/._STS.input.{part}.txt"] = b"\x00\xff"
    return zipped(home / "sts" / f"{stem}.zip", members)


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"))),
    st.booleans(),
)
def test_lines_go_there_and_back(lines, windows):
    end = "\r\n" if windows else "\n"
    raw = "\ufeff" + "".join(line + end for line in lines)
    assert decode_lines(raw.encode(), "x") == lines


@given(st.binary())
def test_bytes_that_are_not_utf8_are_of_windows(raw):
    raw = raw.translate(None, b"\n\r\x81\x8d\x8f\x90\x9d") + b"\n"
    (line,) = decode_lines(b"\xef\xbb\xbf" + raw, "x")
    assert len(line.encode()) >= len(raw) - 1
    if raw.isascii():
        assert line == raw[:-1].decode()


SMALL = (b"A b.\tC d.\n", b"2.5\n")
INPUT = (
    b'\xef\xbb\xbf"Yes, he said.\tNo "quotes" end.\r\n'
    b"nothing\tis scored\tnote 1\tnote 2\n"
    b"na\xc3\xafve \t caf\xe9 \x93so\x94\tsource: http://a.b\n"
    b"one\xe2\x80\xa8line\x0c, still\x85\tNA\n"
    b"again\tnot scored\n"
)
GOLD = b"4.400\r\n\n0\t100\n5\n \n"
PAIRS = [
    ['"Yes, he said.', 'No "quotes" end.'],
    ["naïve", "café “so”"],
    ["one\u2028line\x0c, still…", "NA"],
]


@pytest.mark.parametrize("last", [b"", b"\n", b"\n\n"])
def test_a_year(tmp_path, last):
    files = dict.fromkeys(NAMES[2016], SMALL)
    files["plagiarism"] = (INPUT, GOLD.removesuffix(b"\n") + last)
    path = year(tmp_path, "STS2016-en-test", files)
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
def test_every_year_has_its_sets(tmp_path, number):
    names = NAMES[number]
    year(tmp_path, f"STS{number}-en-test", dict.fromkeys(names, SMALL))
    sts = fetch_sts(number, data_home=tmp_path, as_frame=True)
    assert sts.dataset.tolist() == names
    assert isinstance(sts.data, pd.DataFrame) and isinstance(sts.target, pd.Series)
    assert list(sts.frame) == ["sentence1", "sentence2", "score", "dataset"]
    assert list(sts.data) == ["sentence1", "sentence2"]
    X, y = fetch_sts(number, data_home=tmp_path, return_X_y=True)
    assert X.tolist() == [["A b.", "C d."]] * len(names)
    assert y.tolist() == [2.5] * len(names)
    if number != 2012:
        with pytest.raises(ValueError, match="only 2012 has training files"):
            fetch_sts(number, subset="train", data_home=tmp_path)


def test_training_files(tmp_path):
    first = year(tmp_path, "STS2012-en-train", dict.fromkeys(NAMES[2012][:3], SMALL))
    second = year(tmp_path, "STS2012-en-test", dict.fromkeys(NAMES[2012], SMALL))
    train = fetch_sts(2012, subset="train", data_home=tmp_path)
    assert train.dataset.tolist() == NAMES[2012][:3]
    both = fetch_sts(2012, subset="all", data_home=tmp_path)
    assert both.dataset.tolist() == NAMES[2012][:3] + NAMES[2012]
    assert both.filename == [str(first), str(second)]


@pytest.mark.parametrize(
    ("texts", "gold", "message"),
    [
        (b"a\tb\nc\td\n", b"1\n", "STS.input.FNWN.txt has 2 lines, .*FNWN.txt has 1"),
        (b"a\tb\n", b"1\n2\n", "has 1 lines, .* has 2"),
        (b"a\tb\nc d\n", b"1\n2\n", r"STS.input.FNWN.txt, line 2: expected two"),
        (b"a\tb\nc\td\n", b"1\n5.1\n", r"STS.gs.FNWN.txt, line 2: '5.1' is not a"),
        (b"a\tb\n", b"nan\n", "line 1: 'nan'"),
        (b"a\tb\n", b"x\n", "line 1: 'x' is not a score from 0 to 5"),
        (b"a\tb\nc\x81\td\n", b"1\n2\n", "line 2: neither UTF-8 nor Windows-1252"),
    ],
)
def test_wrong_lines_of_a_year_are_named(tmp_path, texts, gold, message):
    files = dict.fromkeys(NAMES[2013], SMALL) | {"FNWN": (texts, gold)}
    path = year(tmp_path, "STS2013-en-test", files)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}.*{message}"):
        fetch_sts(2013, data_home=tmp_path)


def test_a_missing_set_is_named(tmp_path):
    year(tmp_path, "STS2013-en-test", {"OnWN": SMALL, "headlines": SMALL})
    with pytest.raises(ValueError, match=r"has no member STS\.input\.FNWN\.txt"):
        fetch_sts(2013, data_home=tmp_path)


def damage(path, how):
    content = path.read_bytes()
    if how == "cut":
        content = content[: len(content) * 2 // 3]
    else:
        middle = len(content) // 2 if how == "middle" else 60
        content = content[:middle] + bytes(20) + content[middle + 20 :]
    path.write_bytes(content)


@pytest.mark.parametrize("how", ["cut", "start"])
def test_a_damaged_zip_says_what_to_do(tmp_path, how):
    texts = b"".join(b"%d a\tb %d\n" % (i, i * 7) for i in range(300))
    files = dict.fromkeys(NAMES[2013], (texts, b"1\n" * 300))
    path = zipped(tmp_path / "x.zip", {"a": b""})
    path = year(tmp_path, "STS2013-en-test", files)
    raw = path.read_bytes()
    place = raw.index(b"STS.input.FNWN.txt") + 40
    changed = raw[:place] + bytes(30) + raw[place + 30 :]
    path.write_bytes(raw[:-500] if how == "cut" else changed)
    with pytest.raises(OSError, match=r"STS2013-en-test\.zip is damaged .* Delete it"):
        fetch_sts(2013, data_home=tmp_path)


@pytest.mark.parametrize(
    "wrong", [{"year": 2017}, {"year": "2012"}, {"year": 2012, "subset": "dev"}]
)
def test_wrong_choices(tmp_path, wrong):
    with pytest.raises(ValueError, match=f"{list(wrong)[-1]} must be one of"):
        fetch_sts(data_home=tmp_path, **wrong)


ROWS = (
    b"main-captions\tMSRvid\t2012test\t0001\t5.000\tA plane.\tAn air plane.\n"
    b'main-forums\tdeft\t2014\t0002\t0\t"Open quote\tB \xc3\xa9\tlicence\thttp://x\r\n'
    b"\n"
    b"main-news\theadlines\t2015\t0003\t2.6\tn\x92t\tNULL\n"
)


def benchmark(home, train=ROWS, dev=ROWS[:61], test=ROWS[-42:]):
    members = {"stsbenchmark/readme.txt": b"x", "stsbenchmark/sts-train.csv": train}
    members |= {"stsbenchmark/sts-dev.csv": dev, "stsbenchmark/sts-test.csv": test}
    return tarred(home / "stsb" / "Stsbenchmark.tar.gz", members)


def test_the_benchmark(tmp_path):
    path = benchmark(tmp_path)
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
def test_wrong_lines_of_the_benchmark_are_named(tmp_path, rows, message):
    path = benchmark(tmp_path, rows)
    with pytest.raises(
        ValueError, match=re.escape(f"{path}, sts-train.csv, {message}")
    ):
        fetch_stsb(data_home=tmp_path)


def test_a_changed_bit_of_a_tar_is_found(tmp_path):
    """Tar has no checksum of contents; that of gzip stands at the very end."""
    path = benchmark(tmp_path)
    with tarfile.open(path) as archive:
        plain = BytesIO()
        with tarfile.open(fileobj=plain, mode="w") as copy:
            for member in archive:
                copy.addfile(member, archive.extractfile(member))
    raw = gzip.compress(plain.getvalue(), compresslevel=0)
    path.write_bytes(raw)
    assert fetch_stsb("dev", data_home=tmp_path).data[0, 0] == "A plane."
    path.write_bytes(raw.replace(b"A plane.", b"A plank."))
    (path.parent / f"{path.name}.sha256").write_text(
        f"{sha256_of(path)}  {path.name}\n"
    )
    with pytest.raises(OSError, match=r"Delete it and Stsbenchmark\.tar\.gz\.sha256, "):
        fetch_stsb("dev", data_home=tmp_path)


@pytest.mark.parametrize("how", ["cut", "middle", "start"])
def test_a_damaged_tar_says_what_to_do(tmp_path, how):
    rows = [b"a\tb\tc\td\t1\t%d\t%d\n" % (i * i, i**3) for i in range(500)]
    damage(benchmark(tmp_path, b"".join(rows)), how)
    with pytest.raises(OSError, match=r"Stsbenchmark\.tar\.gz is damaged .* Delete it"):
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


def test_sick(tmp_path):
    zipped(tmp_path / "sick" / "SICK.zip", {"readme.txt": b"", "SICK.txt": SICK})
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


def semeval(rows):
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
    lines = [header, *("\t".join(map(str, row)) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def test_sick_of_semeval(tmp_path):
    folder = tmp_path / "sick"
    for stem, member, row in (
        ("sick_train", "SICK_train.txt", (1, "a", "b", 4.5, "NEUTRAL")),
        ("sick_trial", "SICK_trial.txt", (4, "c", "d", 1, "CONTRADICTION")),
        ("sick_test_annotated", "SICK_test_annotated.txt", (6, "e", "f", 3, "NEUTRAL")),
    ):
        zipped(folder / f"{stem}.zip", {"readme.txt": b"", member: semeval([row])})
    sick = fetch_sick("all", version="semeval", data_home=tmp_path)
    assert sick.pair_id.tolist() == ["1", "4", "6"]
    assert sick.score.tolist() == [4.5, 1, 3]
    assert len(sick.filename) == 3
    test = fetch_sick("test", version="semeval", data_home=tmp_path)
    assert test.data.tolist() == [["e", "f"]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"\tTEST", b"\tPROOF", "line 3: no set 'PROOF'"),
        (b"ENTAILMENT\t", b"entails\t", "line 3: 'entails' is none of"),
        (b"\t4.5\t", b"\t0.5\t", "line 2: '0.5' is not a score from 1 to 5"),
        (b"\tTRIAL", b"", "line 4: expected 12 columns, got 11"),
        (b"sentence_B\t", b"sentence B\t", "line 1: no column 'sentence_B'"),
        (SICK, b"", "line 1: no column 'pair_ID'"),
    ],
)
def test_wrong_lines_of_sick_are_named(tmp_path, old, new, message):
    path = zipped(tmp_path / "sick" / "SICK.zip", {"SICK.txt": SICK.replace(old, new)})
    with pytest.raises(ValueError, match=re.escape(f"{path}, SICK.txt, {message}")):
        fetch_sick("all", data_home=tmp_path)


HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
MSRP = (
    "\ufeff" + HEADER + '1\t702876\t702977\t"Amrozi, accused\tReferring to "him" as\r\n'
    '0\t21\t22\tYucaipa\u2028owned\t"Yucaipa\r\n'
)


@pytest.mark.parametrize("last", [True, False])
def test_msrp(tmp_path, last):
    folder = tmp_path / "msrp"
    folder.mkdir()
    train, test = (folder / f"msr_paraphrase_{x}.txt" for x in ("train", "test"))
    train.write_bytes((MSRP if last else MSRP[:-2]).encode())
    test.write_bytes(HEADER.encode() + b"1\t5\t6\tcaf\xe9\tb\n")
    msrp = fetch_msrp(data_home=tmp_path)
    assert msrp.data.tolist() == [
        ['"Amrozi, accused', 'Referring to "him" as'],
        ["Yucaipa\u2028owned", '"Yucaipa'],
    ]
    assert msrp.target.tolist() == [1, 0] and msrp.target.dtype == np.int64
    assert msrp.groups.tolist() == [0, 1]
    both = fetch_msrp("all", data_home=tmp_path)
    assert both.data[2].tolist() == ["café", "b"]
    assert both.filename == [str(train), str(test)]
    assert "Microsoft" in both.DESCR


def test_msrp_wants_its_licence_accepted(tmp_path):
    with pytest.raises(OSError, match="accept_licence=True") as info:
        fetch_msrp(data_home=tmp_path)
    assert "details.aspx?id=52398" in str(info.value)
    assert str(tmp_path / "msrp" / "msr_paraphrase_train.txt") in str(info.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: expected"),
        ("1\t2\t3\ta\tb\n", "line 1: expected"),
        (HEADER + "1\t2\t3\ta\n", "line 2: expected 5 columns, got 4"),
        (HEADER + "\n2\t2\t3\ta\tb\n", "line 3: '2' is neither 0 nor 1"),
    ],
)
def test_wrong_lines_of_msrp_are_named(tmp_path, content, message):
    path = tmp_path / "msrp" / "msr_paraphrase_test.txt"
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
        fetch_msrp("test", data_home=tmp_path)


# Public data ------------------------------------------------------------------------


def rows(name):
    if not (DATA / name).exists():
        pytest.skip(f"{DATA / name} is not there")
    header, *lines = (DATA / name).read_text(encoding="utf-8").split("\n")[:-1]
    cells = [line.split("\t") for line in lines]
    return dict(
        zip(header.split("\t"), map(list, zip(*cells, strict=True)), strict=True)
    )


def lines_of(*columns):
    cells = zip(*columns, strict=True)
    return "".join("\t".join(row) + "\n" for row in cells).encode()


@pytest.mark.data
@pytest.mark.parametrize(
    ("number", "subset"),
    [(2012, "train"), (2012, "test"), (2013, "test"), (2014, "test")],
)
def test_years_go_there_and_back(tmp_path, number, subset):
    prefix = f"{number}-train" if subset == "train" else f"{number}"
    names = NAMES[number][: 3 if subset == "train" else None]
    public = {name: rows(f"sts/{prefix}.{name}.tsv") for name in names}
    files = {
        name: (
            lines_of(columns["sentence1"], columns["sentence2"]),
            lines_of(columns["score"]),
        )
        for name, columns in public.items()
    }
    year(tmp_path, f"STS{number}-en-{subset}", files)
    sts = fetch_sts(number, subset=subset, data_home=tmp_path)
    counts = {(2012, "train"): 2234, (2012, "test"): 3108, (2013, "test"): 1500}
    assert len(sts.data) == counts.get((number, subset), 3750)
    for name, columns in public.items():
        here = sts.dataset == name
        assert sts.data[here, 0].tolist() == columns["sentence1"]
        assert sts.data[here, 1].tolist() == columns["sentence2"]
        assert sts.target[here].tolist() == list(map(float, columns["score"]))


@pytest.mark.data
def test_the_benchmark_goes_there_and_back(tmp_path):
    columns = rows("sts/2012.MSRpar.tsv")
    n = len(columns["score"])
    origin = [["main-news"] * n, ["MSRpar"] * n, ["2012test"] * n]
    names = ("score", "sentence1", "sentence2")
    content = lines_of(*origin, list(map(str, range(n))), *map(columns.get, names))
    benchmark(tmp_path, test=content)
    stsb = fetch_stsb("test", data_home=tmp_path)
    assert stsb.data.T.tolist() == [columns["sentence1"], columns["sentence2"]]
    assert stsb.target.tolist() == list(map(float, columns["score"]))


@pytest.mark.data
def test_sick_goes_there_and_back(tmp_path):
    for part, stem, member, n in (
        ("train", "sick_train", "SICK_train.txt", 4500),
        ("dev", "sick_trial", "SICK_trial.txt", 500),
        ("test", "sick_test_annotated", "SICK_test_annotated.txt", 4927),
    ):
        names = ("sentence1", "sentence2", "score", "entailment")
        columns = [rows(f"sick/{part}.tsv")[name] for name in names]
        numbered = zip(map(str, range(n)), *columns, strict=True)
        zipped(tmp_path / "sick" / f"{stem}.zip", {member: semeval(numbered)})
        sick = fetch_sick(part, version="semeval", data_home=tmp_path)
        assert sick.data.T.tolist() == columns[:2]
        assert sick.target.tolist() == list(map(float, columns[2]))
        assert sick.entailment.tolist() == columns[3]


@pytest.mark.data
def test_msrp_goes_there_and_back(tmp_path):
    (tmp_path / "msrp").mkdir()
    for part, sources, n in (
        ("train", ("train", "dev"), 4076),
        ("test", ("test",), 1725),
    ):
        parts = [rows(f"msrp/{source}.tsv") for source in sources]
        label, first, second = (
            [value for part in parts for value in part[name]]
            for name in ("label", "sentence1", "sentence2")
        )
        numbers = list(map(str, range(n)))
        content = HEADER.rstrip().encode() + b"\n"
        content += lines_of(label, numbers, numbers, first, second)
        path = tmp_path / "msrp" / f"msr_paraphrase_{part}.txt"
        path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
        msrp = fetch_msrp(part, data_home=tmp_path)
        assert msrp.data.T.tolist() == [first, second]
        assert msrp.target.tolist() == list(map(int, label))
