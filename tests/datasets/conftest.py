"""Archives and evaluation data for the tests of data sets."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared")) / "data"


@pytest.fixture
def archive():
    """Writes a zip or tar.gz file of members and returns its path."""

    def write(path, members):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".zip":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
                for name, content in members.items():
                    zipped.writestr(name, content)
            return path
        with tarfile.open(path, "w:gz") as tarred:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tarred.addfile(info, BytesIO(content))
        return path

    return write


@pytest.fixture
def evaluation():
    """Returns the path of an evaluation file, or skips the test."""

    def path(name):
        if not (DATA / name).exists():
            pytest.skip(f"{DATA / name} is not there")
        return DATA / name

    return path
