"""Settings of word tokenizers, and a plain reference implementation."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import unicodedata

from hypothesis import strategies as st

from skparaphrase.text._tokenizer import TOKEN_PATTERNS

patterns = st.sampled_from(["words", "ptb", r"\S+", r"\b(\w)\w*", r"\w*", r"[^a]| "])
either = st.booleans()
tokenizers = st.builds(dict, lowercase=either, split_compounds=either, pattern=patterns)


def kind(character):
    """A letter for the kind of a character: w(ord), m(ark), s(pace)."""
    if character.isalnum() or character == "_":
        return "w"
    selects = re.search("variation selector-", unicodedata.name(character, ""), re.I)
    if unicodedata.category(character) in ("Mn", "Mc") and not selects:
        return "m"
    if character in "\u200c\u200d":  # joiners of letters
        return "m"
    return "s" if character.isspace() else character if character in "'-." else "o"


def found(pattern, text):
    """Matches of a pattern of kinds in a text."""
    kinds = "".join(map(kind, text))
    return [text[slice(*match.span())] for match in re.finditer(pattern, kinds)]


def parts_of(token):
    """The runs of word characters and their marks."""
    return found("w[wm]*", token)


def runs_of(token, known):
    """The numbers and letters of a token that has both, if at most four."""
    kinds = "".join(
        "d" if c.isdecimal() else "j" if c in "'-.\u2019/:," else kind(c) for c in token
    )
    runs, places = [], re.finditer("[dw][dwm]*((?<=d)j(?=d)[dwm]+)*", kinds)
    for start, stop in (place.span() for place in places):
        is_name = re.fullmatch("[wm]{1,3}d", kinds[start:stop])
        is_ordinal = re.fullmatch("[0-9]*(1st|2nd|3rd|[0-9]th)", token[start:stop])
        if token[start:stop] in known or is_name or is_ordinal:
            runs.append(token[start:stop])
            continue
        for run in re.finditer("d+(?:jd+)*|[wm]+", kinds[start:stop]):
            runs.append(token[start:stop][slice(*run.span())])
    is_number = {run[0].isdecimal() for run in runs}
    return runs if len(is_number) == 2 and len(runs) <= 4 else []


def with_joiners(text):
    """A text with a joiner after each 30 marks of a longer run."""
    if len(text) <= 30:
        return text
    found, n = [], 0
    for character in text:
        is_mark = unicodedata.category(character) in ("Mn", "Mc")
        n = n + 1 if is_mark and character != "\u034f" else 0
        found += ["\u034f", character] if n > 30 and n % 30 == 1 else [character]
    return "".join(found)


def words_of(text, lowercase=True, pattern="words", **_):
    """The words of a text; compounds are not split."""
    text = unicodedata.normalize("NFC", with_joiners(text))
    text = text.lower() if lowercase else text
    if pattern == "words":
        return found(r"w[wm]*(?:['\-.]w[wm]*)*|[^s]", text)
    return re.findall(TOKEN_PATTERNS.get(pattern, pattern), text)
