"""Collect pairs of translations from a package under a free licence.

    python benchmarks/build/translations.py sv cs --data ../shared --out pairs

Writes `pairs-interfaces.tsv.xz`: the messages of Chromium (BSD-3-Clause), about 10,000
in each of fifty languages. Placeholders and markup are removed, and texts of the
development sets are left out. Needs Debian's `apt-get` and `dpkg-deb` to download and
read the package `chromium-l10n`, unless it is in `results/runs`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import html
import lzma
import re
import struct
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib import RESULTS
from _lib.multilingual import read_columns

REGIONS = ("", "BR", "PT")  # others repeat the main variant
PLACEHOLDER = re.compile(r"<[^<>]*>|\$\w+|%(?:\(\w+\)|\d\$)?[sdif@]|\{[^{}]*\}|\\n")
LINK = re.compile(r"(?:BEGIN|END)_[A-Z_]*LINK")
SEVERAL_FORMS = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select)")

Messages = Iterator[tuple[str, str, str]]  # locale, key, text


def pak(locale: str, data: bytes) -> Messages:
    """The messages of a Chromium file (version 5, UTF-8), by number."""
    (n_messages,) = struct.unpack_from("<H", data, 8)
    rows = [struct.unpack_from("<HI", data, 12 + 6 * i) for i in range(n_messages + 1)]
    for (number, start), (_, stop) in pairwise(rows):
        yield locale, str(number), data[start:stop].decode("utf-8", "replace")


def chromium(path: Path) -> Messages:
    command = ["dpkg-deb", "--fsys-tarfile", str(path)]
    unpacked = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(unpacked)) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None and member.name.endswith(".pak") and member.size > 100:
                yield from pak(Path(member.name).stem, file.read())


def plain(text: str) -> str:
    """A text without placeholders and markup; "" if it has several forms."""
    if SEVERAL_FORMS.search(text):
        return ""
    text = LINK.sub(" ", PLACEHOLDER.sub(" ", html.unescape(text)))
    return " ".join(text.replace("&", "").split())


def aligned(messages: Messages, languages: Iterable[str]) -> set[tuple[str, str, str]]:
    """Language, English text and translation of messages with the same key."""
    english: dict[str, str] = {}
    others = defaultdict[str, dict[str, list[str]]](lambda: defaultdict(list))
    for locale, key, text in messages:
        code, _, region = locale.partition("-")
        if locale == "en-GB":
            english[key] = plain(text)
        elif code in languages and region in REGIONS:
            others[code][key].append(plain(text))
    return {
        (code, english[key], text)
        for code, of_keys in others.items()
        for key, texts in of_keys.items()
        for text in texts
        if text and english.get(key) not in (None, "", text)
    }


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def held_out(folder: Path) -> set[str]:
    """The sentences of the development sets, letters and digits only."""
    return {
        letters(text)
        for name in ("stsb-multi-mt-dev", "tatoeba-dev")
        for rows in read_columns(folder / f"{name}.tsv.xz").values()
        for row in rows
        for text in row[-2:]
    }


def fetch(package: str) -> Path:
    """Download a Debian package, unless it exists."""
    folder = RESULTS / "runs/translations"
    folder.mkdir(parents=True, exist_ok=True)
    if not [*folder.glob(f"{package}_*.deb")]:
        subprocess.run(["apt-get", "download", package], cwd=folder, check=True)
    return max(folder.glob(f"{package}_*.deb"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("languages", nargs="+", help="codes, such as sv and cs")
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--out", type=Path, default=Path())
    args = parser.parse_args()
    left_out = held_out(args.data / "data/languages")
    package = fetch("chromium-l10n")
    found = aligned(chromium(package), args.languages)
    kept = sorted(r for r in found if not {letters(r[1]), letters(r[2])} & left_out)
    lines = ["language\tenglish\tother", *map("\t".join, kept)]
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / "pairs-interfaces.tsv.xz"
    path.write_bytes(lzma.compress("\n".join(lines).encode() + b"\n"))
    print(f"{path}: {len(kept):,} pairs of {package.name}")


if __name__ == "__main__":
    main()
