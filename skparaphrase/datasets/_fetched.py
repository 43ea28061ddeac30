"""What `fetch_*` functions have in common."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from skparaphrase.datasets._bunch import Columns, make_bunch
from skparaphrase.model_selection import pair_groups


def check_choice(name: str, value: object, choices: tuple[Any, ...]) -> None:
    """Refuse what is not among the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {choices}; got {value!r}.")


def read_descr(name: str) -> str:
    """The description of a data set: what it is, its licence, what to cite."""
    path = files("skparaphrase.datasets") / "descr" / f"{name}.rst"
    return path.read_text(encoding="utf-8")


def finish(
    columns: Columns,
    *,
    data: list[str],
    target: str | None,
    paths: list[Path],
    descr: str,
    return_X_y: bool,
    as_frame: bool,
    extra: Sequence[str] = (),
    groups: bool = True,
) -> Any:
    """What a `fetch_*` function of pairs gives back.

    `extra` names columns to hand out beside data and target, `groups` adds those of
    :func:`~skparaphrase.model_selection.pair_groups`.
    """
    bunch = make_bunch(
        columns,
        data=data,
        target=target,
        descr=descr,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
    if return_X_y:
        return bunch
    for name in extra:
        bunch[name] = columns[name] if bunch.frame is None else bunch.frame[name]
    if groups:
        bunch["groups"] = pair_groups(bunch.data)
    filenames = [str(path) for path in paths]
    bunch["filename"] = filenames[0] if len(filenames) == 1 else filenames
    return bunch
