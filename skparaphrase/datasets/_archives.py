"""Members of archives, read without unpacking anything where the archive says."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import os
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from skparaphrase._locks import locked
from skparaphrase.datasets._remote import Cache, RemoteFile, record_of

DAMAGE = (
    gzip.BadGzipFile,
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
)


def read_members(path: Path, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """The bytes of the wanted members of a `.zip` or `.tar.gz` file, by their names.

    Parameters
    ----------
    path : Path
    wanted : callable
        Takes the last part of a member's name. Of members that are alike in it the
        one nearest to the top is read.

    Raises
    ------
    OSError
        The archive is damaged; the message says what to do.
    """
    with _damage_named(path):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                names = [i.filename for i in archive.infolist() if not i.is_dir()]
                nearest = _nearest(names, wanted)
                return {base: archive.read(name) for base, name in nearest.items()}
        with gzip.open(path, "rb") as packed:
            content = BytesIO(packed.read())  # to the end, where the checksum is
        with tarfile.open(fileobj=content, mode="r:") as archive:
            members = {m.name: m for m in archive if m.isfile()}
            read = {}
            for base, name in _nearest(list(members), wanted).items():
                file = archive.extractfile(members[name])
                read[base] = b"" if file is None else file.read()
            return read


def get_member(cache: Cache, archive: RemoteFile, name: str) -> Path:
    """The file `name` of the cache, unpacked from its archive the first time."""
    path = cache.folder / name
    if not path.is_file():
        unpack_member(cache.get(archive), name, path)
    return path


def unpack_member(path: Path, base: str, target: Path) -> None:
    """Write a member of a zip file to `target`, all of it or nothing.

    Threads and processes take turns; who finds `target` there leaves it alone.

    Parameters
    ----------
    path : Path
    base : str
        The last part of the member's name.
    target : Path

    Raises
    ------
    OSError
        The archive is damaged or has no such member.
    """
    part = target.with_name(f"{target.name}.part")
    with locked(target.with_name(f"{target.name}.lock")):
        if target.is_file():
            return
        try:
            with _damage_named(path), zipfile.ZipFile(path) as archive:
                names = _nearest(archive.namelist(), lambda name: name == base)
                if base not in names:
                    raise OSError(f"{path} has no member {base}.")
                with archive.open(names[base]) as source, open(part, "wb") as file:
                    shutil.copyfileobj(source, file, 1 << 20)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: BaseException, where: str = "") -> OSError:
    """What to raise for an archive that cannot be read."""
    record = record_of(path)
    # The checksum of a first download that was wrong would refuse the right file.
    what = f"it and {record.name}" if record.exists() else "it"
    return OSError(
        f"{path}{where} is damaged ({error}). Delete {what}, and it is fetched again."
    )


def _nearest(names: list[str], wanted: Callable[[str], bool]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (name.count("/"), name)):
        base = name.rpartition("/")[2]
        if wanted(base):
            found.setdefault(base, name)
    return found
