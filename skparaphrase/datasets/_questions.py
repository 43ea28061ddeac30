"""Questions with candidate answers: TREC QA and WikiQA."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Unpack

from sklearn.utils import Bunch

from skparaphrase.datasets._cache import Cache, Download
from skparaphrase.datasets._readers import read_wikiqa
from skparaphrase.datasets._source import Source, check_choice, decode_lines, read_descr

_OPEN = re.compile(r"<QApairs id=(['\"])(.*)\1>")
_BLOCKS = {"<question>": -1, "<positive>": 1, "<negative>": 0}


def _read_trecqa(path: Path, key: str, clean: bool) -> Iterator[tuple[Any, ...]]:
    """Question, answer, label and identifier of each candidate."""
    rows = list(_parse_trecqa(path))
    kept = {row[3] for row in rows}
    if clean:
        for label in (0, 1):
            kept &= {row[3] for row in rows if row[2] == label}
    return (row for row in rows if row[3] in kept)


def _parse_trecqa(path: Path) -> Iterator[tuple[str, str, int, str]]:
    """Parse a file of Yao et al.

    It resembles XML, but nothing is escaped: `<QApairs id='1'>` contains `<question>`,
    `<positive>` and `<negative>`, all on lines of their own, and these contain a line
    of tokens between tabs, followed by lines about them (tags, heads, entities, the
    answer), which are skipped.
    """
    questions: dict[str, str] = {}
    identifier = question = block = None
    text_follows = False
    number = 0
    for number, full in enumerate(decode_lines(path.read_bytes(), str(path)), 1):
        where, line = f"{path}, line {number}", full.strip()
        opened = _OPEN.fullmatch(line)
        if text_follows:
            text = " ".join(line.split())
            if not text or line == f"</{str(block)[1:]}":
                raise ValueError(f"{where}: {block} has no text.")
            if block == "<question>":
                question = text
                # An identifier that recurs with another question is made unique.
                if questions.setdefault(str(identifier), text) != text:
                    identifier = f"{identifier}.{number}"
            else:
                yield str(question), text, _BLOCKS[str(block)], str(identifier)
            text_follows = False
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
                raise ValueError(f"{where}: misplaced {line}.")
            block, text_follows = line, True
        elif line:
            raise ValueError(f"{where}: expected a tag, got {line[:60]!r}.")
    if identifier is not None:
        raise ValueError(f"{path} ends in line {number} within <QApairs>.")


_TRECQA = Source("trecqa", _read_trecqa, "question answer label query")


def fetch_trecqa(
    subset: str = "train",
    *,
    clean: bool = False,
    return_X_y: bool = False,
    as_frame: bool = False,
    **download: Unpack[Download],
) -> Bunch:
    """Load TREC QA [1]_ [2]_, questions with correct and wrong answers.

    Parameters
    ----------
    subset : {"train", "train-all", "dev", "test"}, default="train"
        "train" was judged by people, "train-all" (53,417 candidates) by patterns.
    clean : bool, default=False
        Drop questions that lack a correct or a wrong answer, as some papers do: 4,619
        of 4,718, 1,117 of 1,148 and 1,442 of 1,517 candidates of "train", "dev" and
        "test" remain.
    return_X_y, as_frame, **download : optional
        As in :func:`fetch_sts`; `(data, target)` is without the queries.

    Returns
    -------
    trecqa : Bunch
        `data` of shape (n_candidates, 2), dtype object; `target` of shape
        (n_candidates,), int64: 1 for a correct answer; `query` of shape
        (n_candidates,), str, the question's identifier; `filename`; `DESCR`.

    Notes
    -----
    Texts are tokens of the Penn Treebank separated by spaces, as in the file: a bracket
    is `-LRB-`, and quotes are two backticks or two apostrophes.

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
    parts = {f"{subset}.xml": subset}
    return _TRECQA.load(parts, "label", return_X_y, as_frame, download, clean=clean)


def fetch_wikiqa(
    subset: str = "train",
    *,
    max_answer_tokens: int | None = None,
    answerable_only: bool = False,
    return_X_y: bool = False,
    as_frame: bool = False,
    **download: Unpack[Download],
) -> Bunch:
    """Load WikiQA [1]_, questions with correct and wrong answers.

    20,360 candidates for training, 2,733 for development and 6,165 for testing.

    Parameters
    ----------
    subset : {"train", "dev", "test"}, default="train"
    max_answer_tokens, answerable_only
        As in :func:`read_wikiqa`.
    return_X_y, as_frame, **download : optional
        As in :func:`fetch_sts`; the folder is `wikiqa`, with `WikiQACorpus.zip` or
        files such as `WikiQA-train.tsv`; `(data, target)` is without the queries.

    Returns
    -------
    wikiqa : Bunch
        `data` of shape (n_candidates, 2), dtype object; `target` of shape
        (n_candidates,), int64: 1 for a correct answer; `query` of shape
        (n_candidates,), str, the question's identifier; `filename`; `DESCR` with the
        licence.

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
    path = Cache("wikiqa", **download).get(f"WikiQA-{subset}.tsv")
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
