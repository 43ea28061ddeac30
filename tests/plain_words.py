"""Settings of word tokenizers, and what a plain regular expression finds with them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re

from hypothesis import strategies as st

from skparaphrase.text import TOKEN_PATTERNS

patterns = st.sampled_from(["words", "ptb", r"\S+", r"\b(\w)\w*", r"\w*", r"[^a]| "])
either = st.booleans()
tokenizers = st.builds(dict, lowercase=either, split_compounds=either, pattern=patterns)


def words_of(text, lowercase=True, pattern="words", **_):
    """The words of a text; compounds are not split."""
    named = TOKEN_PATTERNS | {"words": r"\w+(?:['\-.]\w+)*|[^\w\s]"}
    text = text.lower() if lowercase else text
    return re.findall(named.get(pattern, pattern), text)
