"""Questions with candidate answers: TREC QA and WikiQA."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.datasets._answers import read_wikiqa
from skparaphrase.datasets._archives import get_member
from skparaphrase.datasets._bunch import Columns, make_bunch
from skparaphrase.datasets._fetched import check_choice, read_descr
from skparaphrase.datasets._lines import as_texts, decode_lines
from skparaphrase.datasets._remote import Cache, RemoteFile

# A commit names the bytes, so nothing else can stand at these addresses.
_JACANA = (
    "https://raw.githubusercontent.com/aseveryn/deep-qa/"
    "249a1ec14ef980a5630b1a2dccf5f587245e16e1/jacana-qa-naacl2013-data-results"
)
_CORPUS = RemoteFile(
    "WikiQACorpus.zip",
    (
        "https://download.microsoft.com/download/E/5/F/"
        "E5FCFCEE-7005-4814-853D-DAA7C66507E0/WikiQACorpus.zip",
    ),
    # as recorded by Hugging Face's datasets
    "467c13f9e104552c0a9c16f41836ca8d89f9c0cc4b6e4355e104d5c3109ffa45",
)
_OPEN = re.compile(r"<QApairs id=(['\"])(.*)\1>")
_BLOCKS = {"<question>": None, "<positive>": 1, "<negative>": 0}


def fetch_trecqa(
    subset: str = "train",
    *,
    clean: bool = False,
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
    progressbar: bool = False,
) -> Any:
    """Load TREC QA [1]_ [2]_, questions with right and wrong answers.

    Parameters
    ----------
    subset : {"train", "train-all", "dev", "test"}, default="train"
        "train" was judged by hand, "train-all" (53,417 candidates) by patterns.

    clean : bool, default=False
        Leave out questions without both a right and a wrong answer, as some papers do:
        4,619 of 4,718, 1,117 of 1,148 and 1,442 of 1,517 candidates of "train", "dev"
        and "test" are left.

    data_home : path-like, default=None
        Where files are kept; see :func:`get_data_home`. A file that is in its folder
        `trecqa` already, such as `test.xml`, is read, wherever it came from.

    download_if_missing : bool, default=True
        False raises an OSError instead of fetching anything.

    return_X_y : bool, default=False
        Return `(data, target)`, without the queries.

    as_frame : bool, default=False
        Data as a pandas frame, target and query as series.

    n_retries : int, default=3
        How often to try again after an answer that may pass.

    delay : float, default=1.0
        Seconds before each of these.

    progressbar : bool, default=False
        Draw one on stderr while fetching; needs tqdm.

    Returns
    -------
    trecqa : Bunch
        `data` of shape (n_candidates, 2), dtype object; `target` of shape
        (n_candidates,), int64: 1 for a right answer; `query` of shape (n_candidates,),
        str, the question's identifier; `filename`; `DESCR`.

    Raises
    ------
    ImportError
        A file is missing, and pooch, which fetches it, is not installed.
    OSError
        The file cannot be fetched.
    ValueError
        Names the file and the line of what is wrong.

    Notes
    -----
    Texts are tokens of the Penn Treebank with a space between them, as in the file: a
    bracket is `-LRB-`, and quotes are two backticks or two apostrophes.

    References
    ----------
    .. [1] Mengqiu Wang, Noah A. Smith and Teruko Mitamura. 2007. What is the Jeopardy
       model? A quasi-synchronous grammar for QA. EMNLP.
    .. [2] Xuchen Yao, Benjamin Van Durme, Chris Callison-Burch and Peter Clark. 2013.
       Answer extraction as sequence tagging with tree edit distance. NAACL.

    Examples
    --------
    >>> from skparaphrase.datasets import fetch_trecqa
    >>> fetch_trecqa("test").data.shape  # doctest: +SKIP
    (1517, 2)
    """
    check_choice("subset", subset, ("train", "train-all", "dev", "test"))
    cache = Cache.open(
        data_home,
        "trecqa",
        download_if_missing=download_if_missing,
        n_retries=n_retries,
        delay=delay,
        progressbar=progressbar,
    )
    path = cache.get(RemoteFile(f"{subset}.xml", (f"{_JACANA}/{subset}.xml",)))
    columns, query = read_trecqa(path.read_bytes(), str(path))
    if clean:
        right = set(query[columns["label"] == 1])
        both = right & set(query[columns["label"] == 0])
        kept = np.array([name in both for name in query], dtype=bool)
        columns = {name: values[kept] for name, values in columns.items()}
        query = query[kept]
    bunch = make_bunch(
        columns,
        data=["question", "answer"],
        target="label",
        query=query,
        descr=read_descr("trecqa"),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
    if not return_X_y:
        bunch["filename"] = str(path)
    return bunch


def read_trecqa(raw: bytes, source: str) -> tuple[Columns, NDArray[Any]]:
    """Questions, answers and labels of a file of Yao et al., and identifiers.

    It looks like XML but is none, for nothing is escaped: in `<QApairs id='1'>`, each
    on lines of their own, stand `<question>`, `<positive>` and `<negative>`, and in
    these a line of tokens between tabs, followed by lines about them (tags, heads,
    entities, the answer), which are left out.

    Raises
    ------
    ValueError
        Names `source` and the line of a tag out of place, or of a missing end.
    """
    rows: list[tuple[str, str, int]] = []
    query: list[str] = []
    questions: dict[str, str] = {}
    identifier = question = block = None
    fresh = False  # is the next line that of the tokens?
    number = 0
    for number, full in enumerate(decode_lines(raw, source), 1):
        where, line = f"{source}, line {number}", full.strip()
        opened = _OPEN.fullmatch(line)
        if fresh:
            text = " ".join(line.split())
            if not text or line == f"</{str(block)[1:]}":
                raise ValueError(f"{where}: {block} has no text.")
            if block == "<question>":
                question = text
                # Should an identifier come back with another question, it is made new.
                if questions.setdefault(str(identifier), text) != text:
                    identifier = f"{identifier}.{number}"
            else:
                rows.append((str(question), text, int(_BLOCKS[str(block)] or 0)))
                query.append(str(identifier))
            fresh = False
        elif block is not None:
            if line == f"</{block[1:]}":
                block = None
            elif line in _BLOCKS or opened or line == "</QApairs>":
                raise ValueError(f"{where}: {line} within {block}.")
        elif identifier is None:
            if opened:
                identifier, question = opened[2], None
            elif line:
                raise ValueError(f"{where}: expected <QApairs id='...'>, got {line!r}.")
        elif line == "</QApairs>":
            identifier = None
        elif line in _BLOCKS:
            if (question is None) != (line == "<question>"):
                raise ValueError(f"{where}: {line} out of place.")
            block, fresh = line, True
        elif line:
            raise ValueError(f"{where}: expected a tag, got {line[:60]!r}.")
    if identifier is not None:
        raise ValueError(f"{source} ends in line {number} within <QApairs>.")
    columns: Columns = {
        "question": as_texts([row[0] for row in rows]),
        "answer": as_texts([row[1] for row in rows]),
        "label": np.array([row[2] for row in rows], dtype=np.int64),
    }
    return columns, as_texts(query)


def fetch_wikiqa(
    subset: str = "train",
    *,
    max_answer_tokens: int | None = None,
    answerable_only: bool = False,
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
    progressbar: bool = False,
) -> Any:
    """Load WikiQA [1]_, questions with right and wrong answers, fetched if need be.

    20,360 candidates to train, 2,733 to tune and 6,165 to test.

    Parameters
    ----------
    subset : {"train", "dev", "test"}, default="train"

    max_answer_tokens : int, default=None
        As in :func:`read_wikiqa`.

    answerable_only : bool, default=False
        As in :func:`read_wikiqa`.

    data_home : path-like, default=None
        Where files are kept; see :func:`get_data_home`. `WikiQACorpus.zip` or
        `WikiQA-train.tsv` and its like that are in its folder `wikiqa` already are
        read, wherever they came from.

    download_if_missing : bool, default=True
        False raises an OSError instead of fetching anything.

    return_X_y : bool, default=False
        Return `(data, target)`, without the queries.

    as_frame : bool, default=False
        Data as a pandas frame, target and query as series.

    n_retries : int, default=3
        How often to try again after an answer that may pass.

    delay : float, default=1.0
        Seconds before each of these.

    progressbar : bool, default=False
        Draw one on stderr while fetching; needs tqdm.

    Returns
    -------
    wikiqa : Bunch
        `data` of shape (n_candidates, 2), dtype object; `target` of shape
        (n_candidates,), int64: 1 for a right answer; `query` of shape (n_candidates,),
        str, the question's identifier; `filename`; `DESCR` with the licence.

    Raises
    ------
    ImportError
        A file is missing, and pooch, which fetches it, is not installed.
    OSError
        The archive cannot be fetched, or is damaged.
    ValueError
        Names the file and the line of what is wrong.

    References
    ----------
    .. [1] Yi Yang, Wen-tau Yih and Christopher Meek. 2015. WikiQA: A challenge dataset
       for open-domain question answering. EMNLP.

    Examples
    --------
    >>> from skparaphrase.datasets import fetch_wikiqa
    >>> fetch_wikiqa("dev").data.shape  # doctest: +SKIP
    (2733, 2)
    """
    check_choice("subset", subset, ("train", "dev", "test"))
    cache = Cache.open(
        data_home,
        "wikiqa",
        download_if_missing=download_if_missing,
        n_retries=n_retries,
        delay=delay,
        progressbar=progressbar,
    )
    path = get_member(cache, _CORPUS, f"WikiQA-{subset}.tsv")
    bunch = read_wikiqa(
        path,
        max_answer_tokens=max_answer_tokens,
        answerable_only=answerable_only,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
    if not return_X_y:
        bunch["filename"] = str(path)
        bunch["DESCR"] = read_descr("wikiqa")
    return bunch
