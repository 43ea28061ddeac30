"""Which language unknown words are of, by the words of the multilingual table."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np

MULTILINGUAL = "encoders/data/multilingual.npz"  # in the package


@cache
def languages() -> tuple[list[str], dict[str, int]]:
    """Names of languages, and the language of each word of the multilingual table.

    The vectors are not read.
    """
    path = files("skparaphrase") / MULTILINGUAL
    with path.open("rb") as file, np.load(file) as data:
        names, words = (
            bytes(data[key]).decode().split("\n") for key in ("language_names", "words")
        )
        return names, dict(zip(words, data["language"].tolist(), strict=True))


def guess_language(words: Sequence[str]) -> tuple[str | None, float]:
    """The language of a quarter of the words or more, and the share that is of any.

    Of the words that the English table lacks, a third or more is of one language in
    texts of each language of the multilingual table. Of other languages a fifth
    (Ukrainian) or less is in it.
    """
    names, of_words = languages()
    counts = Counter(of_words[word] for word in words if word in of_words)
    for number, count in counts.most_common(1):
        return names[number] if 4 * count >= len(words) else None, (
            counts.total() / len(words)
        )
    return None, 0.0
