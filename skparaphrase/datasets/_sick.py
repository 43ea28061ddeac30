"""Sentences involving compositional knowledge."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from os import PathLike
from typing import Any

import numpy as np

from skparaphrase.datasets._archives import read_members
from skparaphrase.datasets._bunch import Columns
from skparaphrase.datasets._fetched import check_choice, finish, read_descr
from skparaphrase.datasets._lines import as_texts, decode_lines, read_score
from skparaphrase.datasets._remote import Cache, RemoteFile

_UPLOADS = "http://alt.qcri.org/semeval2014/task1/data/uploads"
_WHOLE = RemoteFile(
    "SICK.zip",
    ("https://zenodo.org/record/2787612/files/SICK.zip?download=1",),
    # as recorded by Hugging Face's datasets
    "da272af924399fc2de4889ed55383e38822c10d16c4a949a89d597d09a0b7912",
)
_SUBSETS = {"train": "TRAIN", "dev": "TRIAL", "test": "TEST"}
_SEMEVAL = {  # the archive and its member
    "train": ("sick_train.zip", "SICK_train.txt"),
    "dev": ("sick_trial.zip", "SICK_trial.txt"),
    "test": ("sick_test_annotated.zip", "SICK_test_annotated.txt"),
}
_LABELS = ("NEUTRAL", "ENTAILMENT", "CONTRADICTION")


def fetch_sick(
    subset: str = "train",
    *,
    target: str = "score",
    version: str = "whole",
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
    progressbar: bool = False,
) -> Any:
    """Load SICK [1]_, sentence pairs with a score and an entailment label.

    Parameters
    ----------
    subset : {"train", "dev", "test", "all"}, default="train"

    target : {"score", "entailment"}, default="score"
        The relatedness from 1 to 5, or "NEUTRAL", "ENTAILMENT", "CONTRADICTION".

    version : {"whole", "semeval"}, default="whole"
        "whole" is `SICK.txt`, as its authors keep it: 4,439, 495 and 4,906 pairs.
        "semeval" has the three files of SemEval-2014 task 1, with 4,500, 500 and 4,927
        pairs, which papers report; no checksum of them has been published.

    data_home : path-like, default=None
        Where files are kept; see :func:`get_data_home`. An archive that is in its
        folder `sick` already is read, wherever it came from.

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
    sick : Bunch
        `data` of shape (n_pairs, 2), dtype object; `target` of shape (n_pairs,),
        float64 or str; `score` and `entailment` of shape (n_pairs,), both of them;
        `pair_id` of shape (n_pairs,), str; `groups` of shape (n_pairs,), as in
        :func:`fetch_sts`; `filename`; `DESCR` with the licence (CC BY-NC-SA 3.0).

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
    .. [1] Marco Marelli, Stefano Menini, Marco Baroni, Luisa Bentivogli, Raffaella
       Bernardi and Roberto Zamparelli. 2014. A SICK cure for the evaluation of
       compositional distributional semantic models. LREC.

    Examples
    --------
    >>> from skparaphrase.datasets import fetch_sick
    >>> fetch_sick("dev", version="semeval").data.shape  # doctest: +SKIP
    (500, 2)
    """
    check_choice("subset", subset, (*_SUBSETS, "all"))
    check_choice("target", target, ("score", "entailment"))
    check_choice("version", version, ("whole", "semeval"))
    cache = Cache.open(
        data_home,
        "sick",
        download_if_missing=download_if_missing,
        n_retries=n_retries,
        delay=delay,
        progressbar=progressbar,
    )
    subsets = list(_SUBSETS) if subset == "all" else [subset]
    if version == "whole":
        sources = [(_WHOLE, "SICK.txt", {_SUBSETS[name] for name in subsets})]
    else:
        sources = [
            (RemoteFile(name, (f"{_UPLOADS}/{name}",)), member, set())
            for name, member in map(_SEMEVAL.__getitem__, subsets)
        ]
    rows: list[list[str]] = []
    scores: list[float] = []
    paths = []
    for remote, member, wanted in sources:
        path = cache.get(remote)
        raw = read_members(path, member.__eq__).get(member)
        if raw is None:
            raise ValueError(f"{path} has no member {member}.")
        for row, score in read_sick(raw, f"{path}, {member}", wanted):
            rows.append(row)
            scores.append(score)
        paths.append(path)
    names = ("pair_id", "sentence1", "sentence2", "entailment")
    columns: Columns = {
        name: as_texts([row[i] for row in rows]) for i, name in enumerate(names)
    }
    columns["score"] = np.array(scores, dtype=np.float64)
    return finish(
        columns,
        data=["sentence1", "sentence2"],
        target=target,
        extra=["score", "entailment", "pair_id"],
        paths=paths,
        descr=read_descr("sick"),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def read_sick(
    raw: bytes, source: str, wanted: set[str]
) -> list[tuple[list[str], float]]:
    """Rows of `SICK.txt`, or of a file of SemEval, which has fewer columns.

    Parameters
    ----------
    raw : bytes
        Tabs, no quotes, a header.

    source : str
        The file's name in errors.

    wanted : set of str
        Values of `SemEval_set` to keep; all rows are kept if it is empty.

    Returns
    -------
    rows : list of (list of str, float)
        Pair ID, two sentences and the label; the score.
    """
    header, *lines = decode_lines(raw, source) or [""]
    names = header.split("\t")
    # `SICK.txt` and the files of the task name the label differently.
    label = "entailment_label"
    if label not in names:
        label = "entailment_judgment"
    columns = ["pair_ID", "sentence_A", "sentence_B", label, "relatedness_score"]
    if wanted:
        columns.append("SemEval_set")
    for column in columns:
        if column not in names:
            raise ValueError(f"{source}, line 1: no column {column!r} in {names}.")
    positions = [names.index(column) for column in columns]
    read = []
    for number, line in enumerate(lines, 2):
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) <= max(positions):
            raise ValueError(
                f"{source}, line {number}: expected {len(names)} columns, got "
                f"{len(cells)}."
            )
        *row, score, last = [cells[i].strip() for i in positions] + [""] * (not wanted)
        if wanted and last not in wanted:
            if last not in _SUBSETS.values():
                raise ValueError(f"{source}, line {number}: no set {last!r} is known.")
            continue
        if row[3] not in _LABELS:
            raise ValueError(
                f"{source}, line {number}: {row[3]!r} is none of {_LABELS}."
            )
        read.append((row, read_score(score, f"{source}, line {number}", 1, 5)))
    return read
