"""Word vectors of GloVe, and phrases of the paraphrase database."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Unpack

from numpy.typing import DTypeLike
from sklearn.utils import Bunch

from skparaphrase._compat import check_int
from skparaphrase.datasets._fetch import (
    Download,
    Source,
    check_choice,
    fetch_file,
    open_gzip,
    report_corruption,
    sources,
)
from skparaphrase.vectors import WordVectors, read_word_vectors

_VARIABLE = re.compile(r"\[[^][ ]+,\d+\]")  # variables such as [NP/NP,1]
_SCORE = "PPDB2.0Score="


def _read_ppdb(path: Path, key: Any, limit: int | None) -> Iterator[tuple[Any, ...]]:
    """Phrase, paraphrase, constituent, entailment and score of each line.

    Lines are `[LHS] ||| phrase ||| paraphrase ||| feature=value ... ||| alignment`, in
    version 2.0 followed by `||| entailment` and with a score among the features.
    Otherwise the entailment is empty and the score NaN. Lines with variables are
    skipped.
    """
    with report_corruption(path), open_gzip(path) as file:
        yield from islice(_parse_ppdb(file, path), limit)


def _parse_ppdb(file: Iterable[bytes], path: Path) -> Iterator[tuple[Any, ...]]:
    for number, line in enumerate(file, 1):
        try:
            pair = _parse_pair(line)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}.") from error
        if pair is not None:
            yield pair


def _parse_pair(raw: bytes) -> tuple[Any, ...] | None:
    line = raw.decode().strip()
    if not line:
        return None
    fields = line.split("|||")
    constituent, phrase, paraphrase = map(str.strip, [*fields, "", ""][:3])
    if len(fields) not in (5, 6) or not phrase or not paraphrase:
        raise ValueError(f"expected 5 or 6 fields between '|||', got {line[:80]!r}")
    if _VARIABLE.search(phrase) or _VARIABLE.search(paraphrase):
        return None
    _, has_score, rest = fields[3].partition(_SCORE)
    score = float(rest.partition(" ")[0] if has_score else "nan")
    entailment = fields[5].strip() if len(fields) == 6 else ""
    constituent = constituent.removeprefix("[").removesuffix("]")
    return phrase, paraphrase, constituent, entailment, score


_PPDB = Source(
    "ppdb", _read_ppdb, "phrase paraphrase constituent entailment score", groups=False
)


def fetch_ppdb(
    size: str = "s",
    kind: str = "lexical",
    *,
    version: str = "2.0",
    limit: int | None = None,
    return_X_y: bool = False,
    as_frame: bool = False,
    **download: Unpack[Download],
) -> Bunch:
    """Load English phrases and their paraphrases from PPDB [1]_ [2]_.

    Parameters
    ----------
    size : {"s", "m", "l", "xl", "xxl", "xxxl"}, default="s"
        Each size contains the smaller ones and less certain pairs, and is about twice
        as large as the previous one. The largest files have several gigabytes.
    kind : {"lexical", "phrasal", "all"}, default="lexical"
        Single words, phrases of several words, or both together with patterns that
        contain variables. Patterns are skipped.
    version : {"2.0", "1.0"}, default="2.0"
        The papers on paraphrastic embeddings used version 1.0.
    limit : int, default=None
        Read only the first pairs. The whole file is downloaded.
    return_X_y, as_frame
        As in :func:`fetch_sts`.
    **download : dict
        As in :func:`fetch_sts`. The folder is `ppdb`, with files such as
        `ppdb-2.0-s-lexical.gz`.

    Returns
    -------
    ppdb : Bunch
        `data` of shape (n_pairs, 2), dtype object, in file order; `target` of shape
        (n_pairs,), the score of version 2.0 (NaN if the file has none), None for 1.0;
        `constituent` of shape (n_pairs,), str, such as "NN"; `entailment` of shape
        (n_pairs,), str, such as "Equivalence", empty in 1.0; `filename`; `DESCR` with
        the licence (CC BY 3.0 US).

    References
    ----------
    .. [1] Juri Ganitkevitch, Benjamin Van Durme and Chris Callison-Burch. 2013. PPDB:
       The paraphrase database. NAACL.
    .. [2] Ellie Pavlick, Pushpendre Rastogi, Juri Ganitkevitch, Benjamin Van Durme and
       Chris Callison-Burch. 2015. PPDB 2.0: Better paraphrase ranking, fine-grained
       entailment relations, word embeddings, and style classification. ACL.
    """
    check_choice("size", size, ("s", "m", "l", "xl", "xxl", "xxxl"))
    check_choice("kind", kind, ("lexical", "phrasal", "all"))
    check_choice("version", version, ("2.0", "1.0"))
    if limit is not None:
        limit = check_int(limit, "limit", 0)
    parts = {f"ppdb-{version}-{size}-{kind}.gz": None}
    target = "score" if version == "2.0" else None
    return _PPDB.load(parts, target, return_X_y, as_frame, download, limit=limit)


def fetch_glove(
    name: str = "6B.300d",
    *,
    limit: int | None = None,
    vocabulary: Iterable[str] | None = None,
    unknown: str | None = None,
    dtype: DTypeLike = "float32",
    **download: Unpack[Download],
) -> WordVectors:
    """Load GloVe vectors [1]_.

    Their authors dedicated them to the public domain (PDDL 1.0).

    Parameters
    ----------
    name : str, default="6B.300d"
        "6B.50d", "6B.100d", "6B.200d", "6B.300d" (400 thousand words, lower case; one
        download of 0.8 GB), "42B.300d" (1.9 million, lower case; 1.8 GB), "840B.300d"
        (2.2 million, both cases; 2.0 GB), "twitter.27B.25d", "twitter.27B.50d",
        "twitter.27B.100d" or "twitter.27B.200d" (1.2 million; 1.4 GB).
    limit
        As in :func:`~skparaphrase.vectors.read_word_vectors`. The first words are the
        most frequent ones.
    vocabulary, unknown, dtype
        As in :func:`~skparaphrase.vectors.read_word_vectors`.
    **download : dict
        As in :func:`fetch_sts`. The folder is `glove`, with the archive or text files
        such as `glove.6B.300d.txt`.

    Returns
    -------
    vectors : WordVectors
        In the order of the file, with unchanged words.

    Notes
    -----
    The text file is unpacked next to the archive, which may then be deleted.
    :func:`~skparaphrase.vectors.save_word_vectors` writes a folder that loads
    immediately.

    References
    ----------
    .. [1] Jeffrey Pennington, Richard Socher and Christopher D. Manning. 2014. GloVe:
       Global vectors for word representation. EMNLP.
    """
    files = [x for source in sources()["glove"].values() for x in source["members"]]
    names = [x.removeprefix("glove.").removesuffix(".txt") for x in files]
    check_choice("name", name, names)
    return read_word_vectors(
        fetch_file("glove", f"glove.{name}.txt", **download),
        format="glove",
        limit=limit,
        vocabulary=vocabulary,
        unknown=unknown,
        dtype=dtype,
    )
