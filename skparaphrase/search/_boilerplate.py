"""Words that most of many texts share."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import warnings
from collections import Counter

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 1000  # texts that are read
_FEW = 20  # texts of which nothing can be said
_WORDS, _SHARE = 6, 0.3  # shared words of boilerplate, and their share of a text
_NAMED, _WIDTH = 5, 60  # lines or words that are named, and their characters


def warn_of_boilerplate(texts: NDArray[np.object_]) -> None:
    """Warn if most of the distinct texts share many of their words, and name them.

    More than two thirds of the texts share at least 6 words, or whole lines, and these
    are at least 30 % of the distinct words of a text, on average. In comparison, lists
    of sentences, questions or captions share up to 2 words (12 %), the queries of one
    intent of CLINC150 up to 5 (45 %), and paragraphs of 40 sentences up to 60 (26 %).
    """
    if len(texts) < _FEW:
        return
    read = texts[:: -(-len(texts) // _SAMPLE)].tolist()
    words = [{*_WORD.findall(text.lower())} for text in read]
    shared = _frequent(words)
    share = float(np.mean([len(some & shared) / (len(some) or 1) for some in words]))
    lines = _frequent([{*map(str.strip, text.splitlines())} for text in read])
    lines = {line for line in lines if _WORD.search(line)}
    if share < _SHARE or not (lines or len(shared) >= _WORDS):
        return
    named = sorted(lines or shared, key=lambda part: (-len(part), part))[:_NAMED]
    names = ", ".join(repr(part[:_WIDTH]) for part in named)
    warnings.warn(
        f"More than two thirds of the texts share {len(shared)} words, on average "
        f"{share:.0%} of the words of a text, in {'lines' if lines else 'words'} such "
        f"as {names}. Texts that share so much are similar whatever else they say. "
        "Clean them first (skparaphrase.text.clean_text), or remove what their vectors "
        "share (CommonComponentRemoval after the encoder).",
        UserWarning,
        stacklevel=4,
    )


def _frequent(parts: list[set[str]]) -> set[str]:
    """What occurs in more than two thirds of the texts."""
    counts = Counter(part for some in parts for part in some)
    return {part for part, count in counts.items() if count > 2 / 3 * len(parts)}
