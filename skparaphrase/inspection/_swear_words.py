"""Words that no figure names unless it is asked to."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import zlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

# Checksums of the beginnings of English swear words and slurs, so that none is written
# here. A whole word ends with a space: a name or a bird may begin like it.
_PATH = files("skparaphrase.inspection") / "data" / "swear_words.txt"
_CHECKSUMS = {int(line, 16) for line in _PATH.read_text(encoding="ascii").split()}
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
