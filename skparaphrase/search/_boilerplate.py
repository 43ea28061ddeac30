"""Words and lines that many texts share."""

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
_MOST = 2 / 3  # of the texts, which share words
_WORDS, _SHARE = 6, 0.3  # shared words of boilerplate, and their share of a text
_MANY = 0.05  # of the texts, which share a line, and at least 3 of them
_WITH_LINES, _OF_LINES = 0.5, 0.2  # texts with such lines, and their share of a text
_NAMED, _WIDTH = 5, 60  # lines or words that are named, and their characters


def warn_of_boilerplate(texts: NDArray[np.object_]) -> None:
    """Warn if the distinct texts share many of their words or lines, and name them.

    More than two thirds of the texts share at least 6 words, and these are at least
    30 % of the distinct words of a text, on average. In comparison, lists of sentences,
    questions or captions share up to 2 words (12 %), the queries of one intent of
    CLINC150 up to 5 (45 %), and paragraphs of 40 sentences up to 60 (26 %).

    Or more than half of the texts have a line that more than 5 % of them share, and
    these lines have at least 20 % of the words of a text. This notices several
    templates. Lists of sentences and of paragraphs share no line.
    """
    if len(texts) < _FEW:
        return
    read = texts[:: -(-len(texts) // _SAMPLE)].tolist()
    words = [{*_WORD.findall(text.lower())} for text in read]
    shared = _frequent(words, _MOST * len(read))
    share = _mean_share(words, [shared] * len(read))
    lines = [{*map(str.strip, text.splitlines())} for text in read]
    templates = _frequent(lines, max(_MANY * len(read), 2))
    templates = {line for line in templates if _WORD.search(line)}
    of_lines = [{*_WORD.findall(" ".join(own & templates).lower())} for own in lines]
    line_share = _mean_share(words, of_lines)
    with_lines = float(np.mean([bool(own & templates) for own in lines]))
    if with_lines > _WITH_LINES and line_share >= _OF_LINES:
        named, share = templates, line_share
        what = f"{with_lines:.0%} of the texts share lines with many others"
    elif len(shared) >= _WORDS and share >= _SHARE:
        named = shared
        what = f"More than two thirds of the texts share {len(shared)} words"
    else:
        return
    longest = sorted(named, key=lambda part: (-len(part), part))[:_NAMED]
    names = ", ".join(repr(part[:_WIDTH]) for part in longest)
    warnings.warn(
        f"{what}, on average {share:.0%} of the words of a text, such as {names}. "
        "Texts that share so much are similar whatever else they say. Clean them first "
        "(skparaphrase.text.clean_text), remove lines that many of them share, or "
        "remove what their vectors share (CommonComponentRemoval after the encoder).",
        UserWarning,
        stacklevel=4,
    )


def _frequent(parts: list[set[str]], least: float) -> set[str]:
    """What occurs in more than so many texts."""
    counts = Counter(part for some in parts for part in some)
    return {part for part, count in counts.items() if count > least}


def _mean_share(words: list[set[str]], shared: list[set[str]]) -> float:
    pairs = zip(words, shared, strict=True)
    return float(np.mean([len(own & some) / (len(own) or 1) for own, some in pairs]))
