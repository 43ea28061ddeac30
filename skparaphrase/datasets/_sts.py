"""Semantic textual similarity: the tasks of 2012 to 2016, and the benchmark."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.datasets._archives import read_members
from skparaphrase.datasets._bunch import Columns
from skparaphrase.datasets._fetched import check_choice, finish, read_descr
from skparaphrase.datasets._lines import as_texts, decode_lines, read_score
from skparaphrase.datasets._remote import Cache, RemoteFile

_Pair = tuple[str, str, float]

_WIKI = "ixa2.si.ehu.eus/stswiki/images"


def _of_wiki(folder: str, name: str) -> RemoteFile:
    # Nobody has published checksums of these.
    urls = (f"https://{_WIKI}/{folder}/{name}", f"http://{_WIKI}/{folder}/{name}")
    return RemoteFile(name, urls)


_ARCHIVES = {
    (2012, "train"): _of_wiki("e/e4", "STS2012-en-train.zip"),
    (2012, "test"): _of_wiki("4/40", "STS2012-en-test.zip"),
    (2013, "test"): _of_wiki("2/2f", "STS2013-en-test.zip"),
    (2014, "test"): _of_wiki("8/8c", "STS2014-en-test.zip"),
    (2015, "test"): _of_wiki("d/da", "STS2015-en-test.zip"),
    (2016, "test"): _of_wiki("9/98", "STS2016-en-test.zip"),
}
_BENCHMARK = _of_wiki("4/48", "Stsbenchmark.tar.gz")
_DATASETS = {
    (2012, "train"): ("MSRpar", "MSRvid", "SMTeuroparl"),
    (2012, "test"): ("MSRpar", "MSRvid", "SMTeuroparl", "OnWN", "SMTnews"),
    (2013, "test"): ("FNWN", "headlines", "OnWN"),
    (2014, "test"): (
        "deft-forum",
        "deft-news",
        "headlines",
        "images",
        "OnWN",
        "tweet-news",
    ),
    (2015, "test"): (
        "answers-forums",
        "answers-students",
        "belief",
        "headlines",
        "images",
    ),
    (2016, "test"): (
        "answer-answer",
        "headlines",
        "plagiarism",
        "postediting",
        "question-question",
    ),
}
_MEMBER = re.compile(r"STS(?:20\d\d)?\.(input|gs)\.(?:surprise\.)?(.+)\.txt")


def fetch_sts(
    year: int,
    *,
    subset: str = "test",
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
    progressbar: bool = False,
) -> Any:
    """Load a year of the semantic textual similarity tasks [1]_, fetched if need be.

    ====  ===========================================================  =====
    Year  Data sets                                                    Pairs
    ====  ===========================================================  =====
    2012  MSRpar, MSRvid, SMTeuroparl, OnWN, SMTnews                   3,108
    2013  FNWN, headlines, OnWN                                        1,500
    2014  deft-forum, deft-news, headlines, images, OnWN, tweet-news   3,750
    2015  answers-forums, answers-students, belief, headlines, images  3,000
    2016  answer-answer, headlines, plagiarism, postediting,           1,186
          question-question
    ====  ===========================================================  =====

    The training files of 2012 have 2,234 pairs. SMT of 2013 has a licence that must be
    bought; it is not among them.

    Parameters
    ----------
    year : {2012, 2013, 2014, 2015, 2016}

    subset : {"test", "train", "all"}, default="test"
        Only 2012 has training files; "all" has them first.

    data_home : path-like, default=None
        Where files are kept; see :func:`get_data_home`. An archive that is in its
        folder `sts` already is read, wherever it came from.

    download_if_missing : bool, default=True
        False raises an OSError instead of fetching anything.

    return_X_y : bool, default=False
        Return `(data, target)`.

    as_frame : bool, default=False
        Data as a pandas frame, the other columns as series.

    n_retries : int, default=3
        How often to try again, at every address, after an answer that may pass.

    delay : float, default=1.0
        Seconds before each of these.

    progressbar : bool, default=False
        Draw one on stderr while fetching; needs tqdm.

    Returns
    -------
    sts : Bunch
        `data` of shape (n_pairs, 2), dtype object; `target` of shape (n_pairs,), from
        0 (unrelated) to 5 (the same meaning); `dataset` of shape (n_pairs,), the name
        of each pair's data set; `groups` of shape (n_pairs,), int, of pairs linked by
        a sentence in common, for `GroupKFold`; `filename`; `DESCR` with licences.

    Raises
    ------
    ImportError
        A file is missing, and pooch, which fetches it, is not installed.
    OSError
        The archive cannot be fetched, or is damaged.
    ValueError
        Names the file and the line of what is wrong, in a file put there by hand.

    Notes
    -----
    Pairs without a gold score (most of the files of 2015 and 2016) are left out, as
    they are in the official scoring. The archives have no published checksum: the one
    of the first download is kept beside the file and holds from then on.

    References
    ----------
    .. [1] Eneko Agirre, Daniel Cer, Mona Diab and Aitor Gonzalez-Agirre. 2012.
       SemEval-2012 task 6: A pilot on semantic textual similarity. SemEval. The papers
       of 2013 to 2016 are in `DESCR`.

    Examples
    --------
    >>> from skparaphrase.datasets import fetch_sts
    >>> fetch_sts(2012).data.shape  # doctest: +SKIP
    (3108, 2)
    """
    check_choice("year", year, (2012, 2013, 2014, 2015, 2016))
    check_choice("subset", subset, ("test", "train", "all"))
    keys = [key for key in _ARCHIVES if key[0] == year and subset in (key[1], "all")]
    if not keys:
        raise ValueError(
            f"subset must be 'test' or 'all' for {year}: only 2012 has training files."
        )
    cache = Cache.open(
        data_home,
        "sts",
        download_if_missing=download_if_missing,
        n_retries=n_retries,
        delay=delay,
        progressbar=progressbar,
    )
    paths = [cache.get(_ARCHIVES[key]) for key in keys]
    pairs: list[_Pair] = []
    names: list[str] = []
    for key, path in zip(keys, paths, strict=True):
        for name, found in read_year(path, _DATASETS[key]).items():
            pairs += found
            names += [name] * len(found)
    return finish(
        {**_columns(pairs), "dataset": as_texts(names)},
        data=["sentence1", "sentence2"],
        target="score",
        extra=["dataset"],
        paths=paths,
        descr=read_descr("sts"),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def read_year(path: Path, datasets: tuple[str, ...]) -> dict[str, list[_Pair]]:
    """The scored pairs of each data set in an archive of a year.

    `STS.input.NAME.txt` has the two sentences in its first two columns,
    `STS.gs.NAME.txt` a score in the same line, or nothing. Names may begin with
    `surprise.` (2012) and files with `STS2016.`.

    Raises
    ------
    ValueError
        Names archive, member and line; one of `datasets` is missing.
    """
    members: dict[tuple[str, str], tuple[str, bytes]] = {}
    for base, raw in read_members(path, lambda x: bool(_MEMBER.fullmatch(x))).items():
        match = _MEMBER.fullmatch(base)
        if match is not None:
            members[match[1], match[2]] = (f"{path}, {base}", raw)
    read = {}
    for name in datasets:
        for kind in ("input", "gs"):
            if (kind, name) not in members:
                raise ValueError(f"{path} has no member STS.{kind}.{name}.txt.")
        read[name] = _scored(members["input", name], members["gs", name])
    return read


def _scored(pairs: tuple[str, bytes], scores: tuple[str, bytes]) -> list[_Pair]:
    source, gold = pairs[0], scores[0]
    texts, values = decode_lines(pairs[1], source), decode_lines(scores[1], gold)
    for lines, other in ((texts, values), (values, texts)):
        while len(lines) > len(other) and not lines[-1].strip():
            del lines[-1]
    if len(texts) != len(values):
        raise ValueError(f"{source} has {len(texts)} lines, {gold} has {len(values)}.")
    read = []
    for number, (text, value) in enumerate(zip(texts, values, strict=True), 1):
        value = value.partition("\t")[0].strip()
        if not value:
            continue
        sentences = text.split("\t")
        if len(sentences) < 2:
            raise ValueError(f"{source}, line {number}: expected two sentences.")
        score = read_score(value, f"{gold}, line {number}", 0, 5)
        read.append((sentences[0].strip(), sentences[1].strip(), score))
    return read


def fetch_stsb(
    subset: str = "train",
    *,
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
    progressbar: bool = False,
) -> Any:
    """Load the STS benchmark [1]_, fetched if need be.

    A selection of the tasks of 2012 to 2017 in English: 5,749 pairs to train, 1,500 to
    tune and 1,379 to test. They are pairs of :func:`fetch_sts`: do not train on one and
    test on the other.

    Parameters
    ----------
    subset : {"train", "dev", "test", "all"}, default="train"

    data_home : path-like, default=None
        Where files are kept; see :func:`get_data_home`. An archive that is in its
        folder `stsb` already is read, wherever it came from.

    download_if_missing : bool, default=True
        False raises an OSError instead of fetching anything.

    return_X_y : bool, default=False
        Return `(data, target)`.

    as_frame : bool, default=False
        Data as a pandas frame, the other columns as series.

    n_retries : int, default=3
        How often to try again, at every address, after an answer that may pass.

    delay : float, default=1.0
        Seconds before each of these.

    progressbar : bool, default=False
        Draw one on stderr while fetching; needs tqdm.

    Returns
    -------
    stsb : Bunch
        `data` of shape (n_pairs, 2), dtype object; `target` of shape (n_pairs,), from
        0 to 5; `genre`, `dataset` and `year` of shape (n_pairs,), str, where each pair
        comes from; `groups` of shape (n_pairs,), as in :func:`fetch_sts`; `filename`;
        `DESCR` with licences.

    Raises
    ------
    ImportError
        A file is missing, and pooch, which fetches it, is not installed.
    OSError
        The archive cannot be fetched, or is damaged.
    ValueError
        Names the file and the line of what is wrong, in a file put there by hand.

    References
    ----------
    .. [1] Daniel Cer, Mona Diab, Eneko Agirre, Iñigo Lopez-Gazpio and Lucia Specia.
       2017. SemEval-2017 task 1: Semantic textual similarity multilingual and
       crosslingual focused evaluation. SemEval.

    Examples
    --------
    >>> from skparaphrase.datasets import fetch_stsb
    >>> fetch_stsb("dev").data.shape  # doctest: +SKIP
    (1500, 2)
    """
    check_choice("subset", subset, ("train", "dev", "test", "all"))
    cache = Cache.open(
        data_home,
        "stsb",
        download_if_missing=download_if_missing,
        n_retries=n_retries,
        delay=delay,
        progressbar=progressbar,
    )
    path = cache.get(_BENCHMARK)
    subsets = ("train", "dev", "test") if subset == "all" else (subset,)
    members = {f"sts-{name}.csv": name for name in subsets}
    read = read_members(path, members.__contains__)
    pairs: list[_Pair] = []
    origins: list[list[str]] = []
    for member in members:
        if member not in read:
            raise ValueError(f"{path} has no member {member}.")
        for pair, origin in read_benchmark(read[member], f"{path}, {member}"):
            pairs.append(pair)
            origins.append(origin)
    extra = ["genre", "dataset", "year"]
    columns = _columns(pairs)
    for i, name in enumerate(extra):
        columns[name] = as_texts([origin[i] for origin in origins])
    return finish(
        columns,
        data=["sentence1", "sentence2"],
        target="score",
        extra=extra,
        paths=[path],
        descr=read_descr("stsb"),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def read_benchmark(raw: bytes, source: str) -> list[tuple[_Pair, list[str]]]:
    """Pairs of a file of the benchmark, and their genre, data set and year.

    Tabs and no quotes, in spite of its name: genre, data set, year, number, score, two
    sentences; some lines have columns on sources after these.
    """
    read = []
    for number, line in enumerate(decode_lines(raw, source), 1):
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) < 7:
            raise ValueError(
                f"{source}, line {number}: expected 7 columns or more, got "
                f"{len(cells)}."
            )
        score = read_score(cells[4], f"{source}, line {number}", 0, 5)
        read.append(((cells[5].strip(), cells[6].strip(), score), cells[:3]))
    return read


def _columns(pairs: list[_Pair]) -> Columns:
    return {
        "sentence1": as_texts([first for first, _, _ in pairs]),
        "sentence2": as_texts([second for _, second, _ in pairs]),
        "score": np.array([score for _, _, score in pairs], dtype=np.float64),
    }
