"""Graded similarity: the STS tasks, the STS benchmark and SICK."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Unpack

from sklearn.utils import Bunch

from skparaphrase.datasets._fetch import (
    Download,
    Source,
    check_choice,
    decode_lines,
    iter_cells,
    read_members,
    read_score,
    sources,
)

_MEMBER = re.compile(r"^STS(?:20\d\d)?\.(input|gs)\.(?:surprise\.)?(.+)\.txt")


def _read_sts(path: Path, names: str) -> Iterator[tuple[str, str, float, str]]:
    """Yield the scored pairs in the archive of a year, with the name of their data set.

    `STS.input.NAME.txt` has two sentences per line, and `STS.gs.NAME.txt` a score or an
    empty line. Names may have the prefix `surprise.`, and files `STS2016.`.
    """
    for name in names.split():
        members = [f"STS.input.{name}.txt", f"STS.gs.{name}.txt"]
        raw = read_members(path, members, lambda x: _MEMBER.sub(r"STS.\1.\2.txt", x))
        source, gold = (f"{path}, {member}" for member in members)
        texts, scores = map(decode_lines, raw)
        for lines, other in ((texts, scores), (scores, texts)):
            while len(lines) > len(other) and not lines[-1].strip():
                del lines[-1]
        if len(texts) != len(scores):
            raise ValueError(
                f"{source} has {len(texts)} lines, but {gold} has {len(scores)}."
            )
        for number, (text, score) in enumerate(zip(texts, scores, strict=True), 1):
            score = score.partition("\t")[0].strip()
            if not score:
                continue
            sentences = text.split("\t")
            if len(sentences) < 2:
                raise ValueError(f"{source}, line {number}: expected two sentences.")
            yield (
                sentences[0].strip(),
                sentences[1].strip(),
                read_score(score, f"{gold}, line {number}", 0, 5),
                name,
            )


_STS = Source("sts", _read_sts, "sentence1 sentence2 score dataset")


def fetch_sts(
    year: int,
    *,
    subset: str = "test",
    return_X_y: bool = False,
    as_frame: bool = False,
    **download: Unpack[Download],
) -> Bunch:
    """Load one year of the semantic textual similarity tasks [1]_.

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

    The training files of 2012 have 2,234 pairs. SMT of 2013 requires a paid licence and
    is not included.

    Parameters
    ----------
    year : {2012, 2013, 2014, 2015, 2016}
    subset : {"test", "train", "all"}, default="test"
        Only 2012 has training files; they come first in "all".
    return_X_y : bool, default=False
        Return `(data, target)`.
    as_frame : bool, default=False
        Return the data as a pandas frame and the other columns as series.
    **download : dict
        - data_home : path-like, default=None. The folder for downloaded files; None
          takes the environment variable `SKPARAPHRASE_HOME`, or else
          `~/skparaphrase_data`. Files that are already in its subfolder of the data
          set's name, such as `sts`, are used.
        - download_if_missing : bool, default=True. If False, raise an OSError instead
          of downloading.
        - n_retries : int, default=3. Number of retries for each address after an error.

        :func:`skparaphrase.show_progress` shows the progress of downloads.

    Returns
    -------
    sts : Bunch
        `data` of shape (n_pairs, 2), dtype object; `target` of shape (n_pairs,), from
        0 (unrelated) to 5 (the same meaning); `dataset` of shape (n_pairs,), the name
        of each pair's data set; `groups` of shape (n_pairs,), int, of pairs linked by
        shared sentences, for `GroupKFold`; `filename`; `DESCR` with licences.

    Raises
    ------
    ImportError
        If a file is missing and pooch, which downloads it, is not installed.
    OSError
        If a file is damaged, or is missing and cannot be downloaded; the message
        contains advice.
    ValueError
        If the content of a file is invalid; the message names the file and the line.

    Notes
    -----
    Pairs without a gold score (most of the files of 2015 and 2016) are skipped, as in
    the official scoring. No checksums of the archives are published.

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
    names = [f"STS{year}-en-{x}.zip" for x in ("train", "test") if subset in (x, "all")]
    files = sources()["sts"]
    parts = {name: files[name]["parts"] for name in names if name in files}
    if not parts:
        raise ValueError(
            f"subset must be 'test' or 'all' for {year}: only 2012 has training files."
        )
    return _STS.load(parts, "score", return_X_y, as_frame, download)


def _read_stsb(path: Path, subsets: list[str]) -> Iterator[tuple[Any, ...]]:
    """Sentences, score, genre, data set and year of each pair.

    In spite of its name, `sts-train.csv` has tabs and no quotes. Its columns are genre,
    data set, year, number, score, two sentences, and in some lines further columns on
    sources.
    """
    members = [f"sts-{subset}.csv" for subset in subsets]
    for member, raw in zip(members, read_members(path, members), strict=True):
        rows = iter_cells(raw, f"{path}, {member}", (5, 6, 4, 0, 1, 2))
        for where, (first, second, score, *origin) in rows:
            yield first, second, read_score(score, where, 0, 5), *origin


_SUBSETS = {"train": "TRAIN", "dev": "TRIAL", "test": "TEST"}  # as in SICK.txt
_STSB = Source("stsb", _read_stsb, "sentence1 sentence2 score genre dataset year")


def fetch_stsb(
    subset: str = "train",
    *,
    return_X_y: bool = False,
    as_frame: bool = False,
    **download: Unpack[Download],
) -> Bunch:
    """Load the STS benchmark [1]_.

    It is a selection from the English tasks of 2012 to 2017, with 5,749 pairs for
    training, 1,500 for development and 1,379 for testing. Many pairs are also in
    :func:`fetch_sts`, so do not train on one and test on the other.

    Parameters
    ----------
    subset : {"train", "dev", "test", "all"}, default="train"
    return_X_y, as_frame, **download
        As in :func:`fetch_sts`.

    Returns
    -------
    stsb : Bunch
        `data` of shape (n_pairs, 2), dtype object; `target` of shape (n_pairs,), from
        0 to 5; `genre`, `dataset` and `year` of shape (n_pairs,), str, the origin of
        each pair; `groups` of shape (n_pairs,), as in :func:`fetch_sts`; `filename`;
        `DESCR` with licences.

    References
    ----------
    .. [1] Daniel Cer, Mona Diab, Eneko Agirre, Iñigo Lopez-Gazpio and Lucia Specia.
       2017. SemEval-2017 task 1: Semantic textual similarity multilingual and
       crosslingual focused evaluation. SemEval.
    """
    check_choice("subset", subset, (*_SUBSETS, "all"))
    subsets = [name for name in _SUBSETS if subset in (name, "all")]
    parts = {"Stsbenchmark.tar.gz": subsets}
    return _STSB.load(parts, "score", return_X_y, as_frame, download)


_SEMEVAL = {"train": "train", "dev": "trial", "test": "test_annotated"}
_LABELS = ("NEUTRAL", "ENTAILMENT", "CONTRADICTION")


def _read_sick(path: Path, subset: str) -> Iterator[tuple[Any, ...]]:
    """Sentences, score, label and ID of each pair, from tab-separated cells.

    `SICK.txt` and the files of the task, which have fewer columns, use different
    labels.
    """
    columns = ["sentence_A", "sentence_B", "relatedness_score", "pair_ID"]
    if path.name == "SICK.zip":
        member = "SICK.txt"
        columns += ["entailment_label", "SemEval_set"]
    else:
        member = f"SICK_{_SEMEVAL[subset]}.txt"
        columns += ["entailment_judgment"]
    (raw,) = read_members(path, [member])
    for where, cells in iter_cells(raw, f"{path}, {member}", columns):
        first, second, score, number, label, *sets = cells
        for name in sets:
            check_choice(f"{where}: subset", name, (*_SUBSETS.values(),))
        if subset == "all" or sets in ([], [_SUBSETS[subset]]):
            check_choice(f"{where}: label", label, _LABELS)
            yield first, second, read_score(score, where, 1, 5), label, number


_SICK = Source("sick", _read_sick, "sentence1 sentence2 score entailment pair_id")


def fetch_sick(
    subset: str = "train",
    *,
    target: str = "score",
    version: str = "whole",
    return_X_y: bool = False,
    as_frame: bool = False,
    **download: Unpack[Download],
) -> Bunch:
    """Load SICK [1]_, sentence pairs with relatedness scores and entailment labels.

    Parameters
    ----------
    subset : {"train", "dev", "test", "all"}, default="train"
    target : {"score", "entailment"}, default="score"
        The relatedness from 1 to 5, or "NEUTRAL", "ENTAILMENT", "CONTRADICTION".
    version : {"whole", "semeval"}, default="whole"
        "whole" is `SICK.txt` of its authors, with 4,439, 495 and 4,906 pairs. "semeval"
        is the three files of SemEval-2014 task 1, with 4,500, 500 and 4,927 pairs,
        which papers use; no checksums of these files are published.
    return_X_y, as_frame, **download
        As in :func:`fetch_sts`.

    Returns
    -------
    sick : Bunch
        `data` of shape (n_pairs, 2), dtype object; `target` of shape (n_pairs,),
        float64 or str; `score` and `entailment` of shape (n_pairs,), both of them;
        `pair_id` of shape (n_pairs,), str; `groups` of shape (n_pairs,), as in
        :func:`fetch_sts`; `filename`; `DESCR` with the licence (CC BY-NC-SA 3.0).

    References
    ----------
    .. [1] Marco Marelli, Stefano Menini, Marco Baroni, Luisa Bentivogli, Raffaella
       Bernardi and Roberto Zamparelli. 2014. A SICK cure for the evaluation of
       compositional distributional semantic models. LREC.
    """
    check_choice("subset", subset, (*_SUBSETS, "all"))
    check_choice("target", target, ("score", "entailment"))
    check_choice("version", version, ("whole", "semeval"))
    parts = {"SICK.zip": subset}
    if version == "semeval":
        names = [name for name in _SEMEVAL if subset in (name, "all")]
        parts = {f"sick_{_SEMEVAL[name]}.zip": name for name in names}
    return _SICK.load(parts, target, return_X_y, as_frame, download)
