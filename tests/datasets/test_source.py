"""What all public data sets share: addresses, signatures, old files."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import inspect
from typing import Unpack, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skparaphrase import datasets
from skparaphrase.datasets._cache import Cache, Download, sources
from skparaphrase.datasets._source import decode_lines, read_descr

FETCH = [getattr(datasets, name) for name in datasets.__all__ if name[:6] == "fetch_"]
WIKI = "https://ixa2.si.ehu.eus/stswiki/images"
STS = {
    f"t/STS.{kind}.{name}.txt": content
    for kind, content in (("input", "a\tb\n"), ("gs", "2\n"))
    for name in ("FNWN", "headlines", "OnWN")
}
SICK = "pair_ID sentence_A sentence_B relatedness_score entailment_judgment".split()
TREC = "<QApairs id='1'> <question> a </question> <positive> b </positive> </QApairs>"


@pytest.mark.parametrize(
    ("fetch", "params", "url", "content"),
    [
        (datasets.fetch_sts, {"year": 2013}, f"{WIKI}/2/2f/STS2013-en-test.zip", STS),
        (
            datasets.fetch_stsb,
            {"subset": "dev"},
            f"{WIKI}/4/48/Stsbenchmark.tar.gz",
            {"stsbenchmark/sts-dev.csv": b"g\td\t2012\t1\t2.0\ta\tb\n"},
        ),
        (
            datasets.fetch_sick,
            {"subset": "dev", "version": "semeval"},
            "https://alt.qcri.org/semeval2014/task1/data/uploads/sick_trial.zip",
            {"SICK_trial.txt": "\t".join(SICK) + "\n4\ta\tb\t2\tNEUTRAL\n"},
        ),
        (
            datasets.fetch_ppdb,
            {"size": "xl", "version": "1.0"},
            "https://www.cis.upenn.edu/~ccb/ppdb/release-1.0/ppdb-1.0-xl-lexical.gz",
            gzip.compress(b"[NN] ||| a ||| b ||| x=2 ||| 0-0\n", mtime=0),
        ),
        (
            datasets.fetch_trecqa,
            {"subset": "test"},
            None,
            TREC.replace("> ", ">\n").replace(" <", "\n<").encode(),
        ),
    ],
)
def test_fetched_and_read(public, tmp_path, archive, fetch, params, url, content):
    folder, asked = public
    name = url.rpartition("/")[2] if url else "test.xml"
    if isinstance(content, dict):
        archive(folder / name, content)
    else:
        (folder / name).write_bytes(content)
    home = tmp_path / "home"
    for _ in range(2):
        assert set(map(tuple, fetch(**params, data_home=home).data)) == {("a", "b")}
        (address,) = asked
        assert url in (None, address)
    (home,) = home.iterdir()
    assert home.name in sources()
    found = sorted(path.name for path in home.iterdir())
    assert found == [name, f"{name}.sha256"]


@pytest.mark.parametrize(
    ("fetch", "params", "name"),
    [
        (datasets.fetch_sick, {}, "SICK.zip"),
        (
            datasets.fetch_msrp,
            {"subset": "test", "accept_licence": True},
            "msr_paraphrase_test.txt",
        ),
        (datasets.fetch_wikiqa, {}, "WikiQACorpus.zip"),
        (datasets.fetch_glove, {}, "glove.6B.zip"),
        (datasets.fetch_glove, {"name": "840B.300d"}, "glove.840B.300d.zip"),
        (datasets.fetch_glove, {"name": "twitter.27B.25d"}, "glove.twitter.27B.zip"),
    ],
)
def test_wrong_files_are_refused(public, tmp_path, archive, fetch, params, name):
    folder, asked = public
    archive(folder / "a.zip", {"a": "b"}).rename(folder / name)
    home = tmp_path / "home"
    with pytest.raises(OSError, match=r"expected [0-9a-f]{64} but got [0-9a-f]{64}"):
        fetch(**params, data_home=home)
    (home,) = home.iterdir()
    (url,) = sources()[home.name][name]["urls"]
    assert asked == [url.format(name=name)]
    assert [*home.iterdir()] == []


def test_mirrors(public, tmp_path):
    with pytest.raises(OSError, match=r"404.*404.*put it at .*STS2014"):
        datasets.fetch_sts(2014, data_home=tmp_path, delay=0)
    url = f"{WIKI}/8/8c/STS2014-en-test.zip"
    assert public[1] == [url, url.replace("https", "http")]


def test_options_of_downloads_are_those_of_scikit_learn(tmp_path):
    cache = inspect.signature(Cache).parameters
    assert {name: cache[name].default for name in Download.__annotations__} == {
        "data_home": None,
        "download_if_missing": True,
        "n_retries": 3,
        "delay": 1.0,
        "progressbar": False,
    }
    for fetch in FETCH:
        assert get_type_hints(fetch)["download"] == Unpack[Download]
        required = [2012] if fetch is datasets.fetch_sts else []
        with pytest.raises(TypeError, match="unexpected keyword argument 'retries'"):
            fetch(*required, data_home=tmp_path, retries=1)
    assert [*tmp_path.iterdir()] == []


def test_every_description_names_licence_and_citation():
    for name in sources().keys() - {"glove", "paragram"}:
        text = read_descr(name)
        for part in ("\nSource: ", "\nLicence", "\nCitation\n--------\n"):
            assert part in text, name


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
