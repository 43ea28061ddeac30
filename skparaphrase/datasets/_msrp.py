"""The Microsoft Research paraphrase corpus."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from os import PathLike
from typing import Any

import numpy as np

from skparaphrase.datasets._bunch import Columns
from skparaphrase.datasets._fetched import check_choice, finish, read_descr
from skparaphrase.datasets._lines import as_texts, decode_lines
from skparaphrase.datasets._remote import Cache, RemoteFile

_BY_HAND = (
    "The Microsoft Research Paraphrase Corpus has a licence that you must accept. Read "
    "it and get the files at "
    "https://www.microsoft.com/en-us/download/details.aspx?id=52398, or let "
    "accept_licence=True fetch them from the copy that GLUE uses."
)
_MIRROR = "https://dl.fbaipublicfiles.com/senteval/senteval_data"
_SHA256 = {  # of that copy, as recorded by Hugging Face's datasets
    "train": "60a9b09084528f0673eedee2b69cb941920f0b8cd0eeccefc464a98768457f89",
    "test": "a04e271090879aaba6423d65b94950c089298587d9c084bf9cd7439bd785f784",
}
_HEADER = ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"]


def fetch_msrp(
    subset: str = "train",
    *,
    accept_licence: bool = False,
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
    progressbar: bool = False,
) -> Any:
    """Load the Microsoft Research paraphrase corpus [1]_.

    Pairs of sentences from the news that are paraphrases or not: 4,076 to train and
    1,725 to test.

    Parameters
    ----------
    subset : {"train", "test", "all"}, default="train"

    accept_licence : bool, default=False
        The corpus may be used for research and not for commerce, by those who accept
        Microsoft's licence, which its `download page
        <https://www.microsoft.com/en-us/download/details.aspx?id=52398>`_ shows. True
        says that you do, and lets the files be fetched from the copy that GLUE and
        SentEval use. Else get `msr_paraphrase_train.txt` and `msr_paraphrase_test.txt`
        from Microsoft and put them in the folder `msrp` of the data home.

    data_home : path-like, default=None
        Where files are kept; see :func:`get_data_home`. Files that are in its folder
        `msrp` already are read, wherever they came from.

    download_if_missing : bool, default=True
        False raises an OSError instead of fetching anything.

    return_X_y : bool, default=False
        Return `(data, target)`.

    as_frame : bool, default=False
        Data as a pandas frame, the other columns as series.

    n_retries : int, default=3
        How often to try again after an answer that may pass.

    delay : float, default=1.0
        Seconds before each of these.

    progressbar : bool, default=False
        Draw one on stderr while fetching; needs tqdm.

    Returns
    -------
    msrp : Bunch
        `data` of shape (n_pairs, 2), dtype object; `target` of shape (n_pairs,),
        dtype int64: 1 for a paraphrase; `groups` of shape (n_pairs,), as in
        :func:`fetch_sts`; `filename`; `DESCR` with the licence.

    Raises
    ------
    ImportError
        A file is missing, and pooch, which fetches it, is not installed.
    OSError
        A file is missing and cannot or may not be fetched; says what to do.
    ValueError
        Names the file and the line of what is wrong, in a file put there by hand.

    References
    ----------
    .. [1] William B. Dolan and Chris Brockett. 2005. Automatically constructing a
       corpus of sentential paraphrases. IWP.

    Examples
    --------
    >>> from skparaphrase.datasets import fetch_msrp
    >>> fetch_msrp("test", accept_licence=True).data.shape  # doctest: +SKIP
    (1725, 2)
    """
    check_choice("subset", subset, ("train", "test", "all"))
    cache = Cache.open(
        data_home,
        "msrp",
        download_if_missing=download_if_missing,
        n_retries=n_retries,
        delay=delay,
        progressbar=progressbar,
    )
    paths, rows = [], []
    for part in ("train", "test") if subset == "all" else (subset,):
        name = f"msr_paraphrase_{part}.txt"
        urls = (f"{_MIRROR}/{name}",) if accept_licence else ()
        path = cache.get(RemoteFile(name, urls, _SHA256[part], _BY_HAND))
        rows += read_msrp(path.read_bytes(), str(path))
        paths.append(path)
    columns: Columns = {
        "sentence1": as_texts([first for _, first, _ in rows]),
        "sentence2": as_texts([second for _, _, second in rows]),
        "label": np.array([label for label, _, _ in rows], dtype=np.int64),
    }
    return finish(
        columns,
        data=["sentence1", "sentence2"],
        target="label",
        paths=paths,
        descr=read_descr("msrp"),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def read_msrp(raw: bytes, source: str) -> list[tuple[int, str, str]]:
    """Label and sentences of each pair in `msr_paraphrase_train.txt` and its like.

    Tabs, and quotes that stand for themselves: read as CSV, lines between two of them
    are lost.
    """
    header, *lines = decode_lines(raw, source) or [""]
    if header.split("\t") != _HEADER:
        raise ValueError(f"{source}, line 1: expected {_HEADER}, got {header[:80]!r}.")
    read = []
    for number, line in enumerate(lines, 2):
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(_HEADER):
            raise ValueError(
                f"{source}, line {number}: expected {len(_HEADER)} columns, got "
                f"{len(cells)}."
            )
        if cells[0] not in ("0", "1"):
            raise ValueError(
                f"{source}, line {number}: {cells[0]!r} is neither 0 nor 1."
            )
        read.append((int(cells[0]), cells[3].strip(), cells[4].strip()))
    return read
