"""Words that no figure names unless it is asked to."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

# Checksums of the beginnings of English swear words and slurs, so that none is written
# here. A whole word ends with a space: a name or a bird may begin like it.
_CHECKSUMS = {
    int(checksum, 16)
    for checksum in """
    020532cb 10181690 1387f6fe 17600cc0 1b4879c4 1c23dabc 212e32ce 21d7259d 2fe02cdc
    31b4780a 386d2dbe 3ad04b30 3b22f8a0 3dbf7a3b 44d1a618 47bba4e3 4925f03e 57d9318a
    5ac8228b 5ce064a9 5fa54145 60e39aff 61448318 617cf8d1 67ce0b7c 6d3d27a0 70429191
    71ef7e37 73f33374 76ad4a1a 82eee163 84c26abe 8824fda0 882a4099 89f71f4b 8bab00e5
    8c03fa08 8d709700 8d984fc8 92a6e863 9559c34b 973cf12f 9779db91 9bd991db a8aa22c5
    a9158864 b117a426 b1bf03ae b1d01868 b5d9a4ad b651226f bef3a4b6 bf2979c1 bf495ddc
    bfa718d7 c00e8627 c063859c c0f5fc59 c16559e1 c43e170f c4f2eb07 c8a4b4b8 c9986a36
    cae09fd2 cb15938e cdfc0c2a d43f4bdb d615a8d4 d7ac3afa da9db1e2 e0dac3ea e4e88f02
    e53e1579 e5fe761a e8a5f9f4 eea71e2d f1a1c072 f6fbde46 f86ef729 f9835dcc fc3b5303
    fc7c42ee fd5d2f3d
    """.split()
}
_SHORTEST = 4  # letters of a beginning, with the space


def is_swear_word(word: str) -> bool:
    """Whether a word, in lower or upper case, begins like one of the list."""
    letters = f"{word.lower()} "
    ends = range(_SHORTEST, len(letters) + 1)
    return any(zlib.crc32(letters[:end].encode()) in _CHECKSUMS for end in ends)


def first_to_name(words: Sequence[str], rows: Any, keys: Any) -> list[int]:
    """The row of the least key whose word may be named, or none."""
    for row in rows[np.argsort(keys, kind="stable")].tolist():
        if not is_swear_word(words[row]):
            return [row]
    return []
