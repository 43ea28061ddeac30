"""Forged folders with correct checksums."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from zlib import crc32

from skparaphrase.storage._folders import write_json


def seal(folder):
    """Compute the checksums of the files in a folder, inner folders first."""
    paths = [p for p in folder.rglob("*.json") if p.is_file() and not p.is_symlink()]
    for path in sorted(paths, key=lambda path: (-len(path.parts), path.name)):
        try:
            content = json.loads(path.read_bytes())
            del content["crc32"]
        except (KeyError, RecursionError, TypeError, ValueError):
            continue  # it has none
        if isinstance(files := content.get("files"), dict):
            for file in map(path.parent.joinpath, files):
                if file.is_file() and not file.is_symlink():
                    name = file.relative_to(path.parent).as_posix()
                    files[name] = crc32(file.read_bytes())
        write_json(path, content)


def edit(path, **changes):
    """Change entries "outer__inner" of a JSON file, and update checksums."""
    content = json.loads(path.read_bytes())
    for key, value in changes.items():
        *outer, name = key.split("__")
        inner = content
        for part in outer:
            inner = inner[part]
        inner[name] = value
    path.write_text(json.dumps(content))
    seal(path.parent)
