"""The paraphrase database."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import re
from collections.abc import Iterator
from itertools import islice
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.datasets._archives import DAMAGE, damaged
from skparaphrase.datasets._bunch import Columns
from skparaphrase.datasets._fetched import check_choice, finish, read_descr
from skparaphrase.datasets._lines import as_texts
from skparaphrase.datasets._remote import Cache, RemoteFile

_SIZES = ("s", "m", "l", "xl", "xxl", "xxxl")
_KINDS = ("lexical", "phrasal", "all")
_FOLDERS = {  # no checksums have been published
    "1.0": "http://www.cis.upenn.edu/~ccb/ppdb/release-1.0",
    "2.0": "http://nlpgrid.seas.upenn.edu/PPDB/eng",
}
_VARIABLE = re.compile(r"\[[^ \]]+,\d+\](?= |$)")
_SCORE = "PPDB2.0Score="


def fetch_ppdb(
    size: str = "s",
    kind: str = "lexical",
    *,
    version: str = "2.0",
    limit: int | None = None,
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
    progressbar: bool = False,
) -> Any:
    """Load English phrases and paraphrases of PPDB [1]_ [2]_, fetched if need be.

    Parameters
    ----------
    size : {"s", "m", "l", "xl", "xxl", "xxxl"}, default="s"
        A larger one holds the smaller ones, and pairs that are less certain; each is
        about twice the one before. The largest take gigabytes.

    kind : {"lexical", "phrasal", "all"}, default="lexical"
        Single words, phrases of several words, or both and patterns with variables.
        Patterns are left out.

    version : {"2.0", "1.0"}, default="2.0"
        The papers on paraphrastic embeddings trained on 1.0.

    limit : int, default=None
        Read only the first pairs of the file; what follows them is not unpacked. The
        file is fetched whole.

    data_home : path-like, default=None
        Where files are kept; see :func:`get_data_home`. A file that is in its folder
        `ppdb` already, such as `ppdb-2.0-s-lexical.gz`, is read, wherever it came
        from.

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
    ppdb : Bunch
        `data` of shape (n_pairs, 2), dtype object, in the order of the file; `target`
        of shape (n_pairs,), the score of version 2.0 (NaN where the file has none),
        None for 1.0; `constituent` of shape (n_pairs,), str, such as "NN";
        `entailment` of shape (n_pairs,), str, such as "Equivalence", in version 2.0;
        `filename`; `DESCR` with the licence (CC BY 3.0 US).

    Raises
    ------
    ImportError
        A file is missing, and pooch, which fetches it, is not installed.
    OSError
        The file cannot be fetched, or is damaged.
    ValueError
        Names the file and the line of what is wrong.

    References
    ----------
    .. [1] Juri Ganitkevitch, Benjamin Van Durme and Chris Callison-Burch. 2013. PPDB:
       The paraphrase database. NAACL.
    .. [2] Ellie Pavlick, Pushpendre Rastogi, Juri Ganitkevitch, Benjamin Van Durme and
       Chris Callison-Burch. 2015. PPDB 2.0: Better paraphrase ranking, fine-grained
       entailment relations, word embeddings, and style classification. ACL.

    Examples
    --------
    >>> from skparaphrase.datasets import fetch_ppdb
    >>> fetch_ppdb("s", "lexical", limit=1000).data.shape  # doctest: +SKIP
    (1000, 2)
    """
    check_choice("size", size, _SIZES)
    check_choice("kind", kind, _KINDS)
    check_choice("version", version, tuple(_FOLDERS))
    if limit is not None and (not isinstance(limit, Integral) or limit < 0):
        raise ValueError(f"limit must be an int >= 0 or None; got {limit!r}.")
    cache = Cache.open(
        data_home,
        "ppdb",
        download_if_missing=download_if_missing,
        n_retries=n_retries,
        delay=delay,
        progressbar=progressbar,
    )
    name = f"ppdb-{version}-{size}-{kind}.gz"
    path = cache.get(RemoteFile(name, (f"{_FOLDERS[version]}/{name}",)))
    found: list[list[str]] = [[], [], [], []]
    scores: list[float] = []
    for *texts, score in islice(read_ppdb(path), limit):
        for values, text in zip(found, texts, strict=True):
            values.append(text)
        scores.append(score)
    names = ("phrase", "paraphrase", "constituent", "entailment")
    columns: Columns = {
        name: as_texts(values) for name, values in zip(names, found, strict=True)
    }
    extra = ["constituent", "entailment"]
    if version == "1.0":
        del columns[extra.pop()]
    else:
        columns["score"] = np.array(scores, dtype=np.float64)
    return finish(
        columns,
        data=["phrase", "paraphrase"],
        target="score" if version == "2.0" else None,
        extra=extra,
        paths=[path],
        descr=read_descr("ppdb"),
        return_X_y=return_X_y,
        as_frame=as_frame,
        groups=False,
    )


def read_ppdb(path: Path) -> Iterator[tuple[str, str, str, str, float]]:
    """Phrase, paraphrase, constituent, entailment and score of a line, one by one.

    Lines are `[LHS] ||| phrase ||| paraphrase ||| feature=value ... ||| alignment`, in
    version 2.0 with `||| entailment` after that and the score among the features.
    Without these, entailment is empty and the score NaN. Lines with variables, such as
    `[NP/NP,1]`, are left out.

    Raises
    ------
    OSError
        The file is cut off or no gzip file.
    ValueError
        Names the file and the line of another form, or that is not UTF-8.
    """
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            for number, raw in enumerate(file, 1):
                try:
                    pair = _read_line(raw)
                except ValueError as error:
                    for _ in file:  # the checksum at the end tells of damage
                        pass
                    raise ValueError(f"{path}, line {number}: {error}.") from error
                if pair is not None:
                    yield pair
    except DAMAGE as error:
        raise damaged(path, error, f", after line {number},") from error


def _read_line(raw: bytes) -> tuple[str, str, str, str, float] | None:
    try:
        line = raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 ({error.reason})") from error
    if not line.strip():
        return None
    fields = line.split("|||")
    texts = [field.strip() for field in fields[:3]]
    if len(fields) not in (5, 6) or not all(texts[1:]):
        raise ValueError(f"expected 5 or 6 fields between '|||', got {line[:80]!r}")
    constituent, phrase, paraphrase = texts
    if _VARIABLE.search(phrase) or _VARIABLE.search(paraphrase):
        return None
    _, scored, rest = fields[3].partition(_SCORE)
    score = float("nan")
    if scored:
        value = rest.partition(" ")[0]
        try:
            score = float(value)
        except ValueError:
            raise ValueError(f"{_SCORE + value!r} has no number") from None
    entailment = fields[5].strip() if len(fields) == 6 else ""
    constituent = constituent.removeprefix("[").removesuffix("]")
    return phrase, paraphrase, constituent, entailment, score
