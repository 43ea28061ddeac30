"""PPDB and GloVe in their published formats."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import re

import numpy as np
import pytest

from skparaphrase.datasets import fetch_glove, fetch_ppdb

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
    assert found.target is None
    assert found.entailment.tolist() == ["", ""]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PPDB2 + "[A] ||| b\n", "line 6: expected 5 or 6 fields"),
        (PPDB2.replace("5.22098", "x"), "line 1: could not convert string to float"),
        (PPDB2.replace("naïve", "na\udcefve"), "line 4: 'utf-8' codec can't decode"),
    ],
)
def test_wrong_lines_of_ppdb_are_named(tmp_path, content, message):
    path = tmp_path / "ppdb" / "ppdb-2.0-m-phrasal.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(content.encode(errors="surrogateescape")))
    with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
        fetch_ppdb("m", "phrasal", data_home=tmp_path)


def test_a_damaged_gzip_says_what_to_do(tmp_path):
    rng = np.random.default_rng(0)
    words = ["".join(chr(97 + x) for x in rng.integers(0, 26, 9)) for _ in range(4000)]
    lines = [f"[A] ||| {word} ||| {word[::-1]} ||| x=1 ||| 0-0\n" for word in words]
    path = ppdb(tmp_path, "ppdb-2.0-s-lexical", "".join(lines))
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])
    with pytest.raises(OSError, match=r"lexical\.gz is damaged .*Delete it"):
        fetch_ppdb("s", data_home=tmp_path)
    path.write_bytes("".join(lines).encode())  # as some servers send it
    assert fetch_ppdb("s", data_home=tmp_path).data[:, 0].tolist() == words


GLOVE = (
    b"the 0.1 -0.2 3\n. . . 1 2 3\nat name@domain.com 4 5 6\nna\xc3\xafve 7 8 9e-3\n"
)


def test_glove(tmp_path, archive):
    path = archive(
        tmp_path / "glove" / "glove.6B.zip",
        {"glove.6B.50d.txt": GLOVE, "glove.6B.100d.txt": b"the 1 2\n"},
    )
    vectors = fetch_glove("6B.50d", data_home=tmp_path)
    assert list(vectors.words) == ["the", ". . .", "at name@domain.com", "na\u00efve"]
    np.testing.assert_allclose(vectors["na\u00efve"], [7, 8, 9e-3])
    path.unlink()
    few = fetch_glove(
        "6B.50d", limit=3, vocabulary=["the", "x"], dtype="float16", data_home=tmp_path
    )
    assert list(few.words) == ["the"] and few.dtype == np.float16
    with pytest.raises(OSError, match=r"glove\.6B\.zip is missing"):
        fetch_glove("6B.100d", data_home=tmp_path, download_if_missing=False)
    with pytest.raises(ValueError, match="name must be one of"):
        fetch_glove("6B.299d", data_home=tmp_path)
