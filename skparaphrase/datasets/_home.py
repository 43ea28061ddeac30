"""The folder that fetched data sets are kept in."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import shutil
from os import PathLike
from pathlib import Path

_VARIABLE = "SKPARAPHRASE_HOME"

FOLDERS = (
    "glove",
    "msrp",
    "paragram",
    "ppdb",
    "sick",
    "sts",
    "stsb",
    "trecqa",
    "wikiqa",
)
"""What `fetch_*` functions write into, each its own."""


def get_data_home(data_home: str | PathLike[str] | None = None) -> str:
    """The folder that `fetch_*` functions keep their files in, made if it is missing.

    Parameters
    ----------
    data_home : path-like, default=None
        None stands for the environment variable `SKPARAPHRASE_HOME` or, without it,
        `~/skparaphrase_data`. `~` is the home folder of the user.

    Returns
    -------
    data_home : str
        Its path, with `~` replaced.

    Examples
    --------
    >>> import os
    >>> from skparaphrase.datasets import get_data_home
    >>> os.path.isdir(get_data_home())  # doctest: +SKIP
    True
    """
    if data_home is None:
        data_home = os.environ.get(_VARIABLE) or Path("~", "skparaphrase_data")
    path = Path(data_home).expanduser()
    path.mkdir(parents=True, exist_ok=True)
    return str(path)


def clear_data_home(data_home: str | PathLike[str] | None = None) -> None:
    """Delete everything that `fetch_*` functions keep, and what was put beside it.

    The subfolders of the data sets are deleted with all that is in them, files put
    there by hand as well; the folder itself goes if nothing else is left in it. Of
    symbolic links only the link is deleted.

    Parameters
    ----------
    data_home : path-like, default=None
        As in :func:`get_data_home`.

    Examples
    --------
    >>> from skparaphrase.datasets import clear_data_home
    >>> clear_data_home()  # doctest: +SKIP
    """
    home = Path(get_data_home(data_home))
    for name in FOLDERS:
        folder = home / name
        if folder.is_symlink():  # what it leads to may serve others
            folder.unlink()
        elif folder.is_dir():
            shutil.rmtree(folder)
    if not home.is_symlink() and not any(home.iterdir()):
        home.rmdir()
