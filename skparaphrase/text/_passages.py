"""Documents to passages of some sentences."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_scalar

from skparaphrase.text._check import check_single_texts

# White space after the end of a sentence, with closing quotes or brackets; empty lines.
_SHORT = ("Mr", "Mrs", "Ms", "Dr", "Prof", "vs", "cf", r"e\.g", r"i\.e", "[A-Z]")
_NOT_SHORT = "".join(rf"(?<!\b{each}\.)" for each in _SHORT)
_END, _CLOSING, _FULL = ".!?\u2026", "\"'\u201d\u2019)\\]", "\u3002\uff01\uff1f"
_BREAK = re.compile(
    rf"(?<=[{_END}]){_NOT_SHORT}\s+|(?<=[{_END}][{_CLOSING}])\s+|(?<=[{_FULL}])|\n\s*\n"
)


def split_passages(documents: Any, n_words: int = 60, *, n_shared: int = 1) -> Bunch:
    """Split documents into passages of whole sentences.

    The vector of a long document is the average of all that it says. Those of its
    passages say what each part is about, so a search finds the document by its best
    passage: see `groups` of :meth:`skparaphrase.search.SemanticSearch.search`.

    Parameters
    ----------
    documents : array-like of str of shape (n_documents,)
    n_words : int, default=60
        The most words of a passage, separated by white space. A sentence that is longer
        is cut.
    n_shared : int, default=1
        How many of the last sentences of a passage the next one repeats, if they fit:
        what stands at a border is then whole in one of the two.

    Returns
    -------
    passages : Bunch
        - text : ndarray of shape (n_passages,), dtype object, in order
        - document : ndarray of int of shape (n_passages,), the positions of documents

        A document without any word is one passage, so that none is lost.

    Examples
    --------
    >>> from skparaphrase.text import split_passages
    >>> passages = split_passages(["It rains. We stay at home. It is warm."], 6)
    >>> passages.text.tolist()
    ['It rains. We stay at home.', 'It is warm.']
    >>> passages.document.tolist()
    [0, 0]
    """
    check_scalar(n_words, "n_words", Integral, min_val=1)
    check_scalar(n_shared, "n_shared", Integral, min_val=0)
    found: list[str] = []
    numbers: list[int] = []
    for number, text in enumerate(check_single_texts(documents, "documents")):
        passages = [*_passages(text, n_words, n_shared)] or [text]
        found += passages
        numbers += [number] * len(passages)
    texts = np.empty(len(found), dtype=object)
    texts[:] = found
    return Bunch(text=texts, document=np.array(numbers, dtype=np.intp))


def _passages(text: str, n_words: int, n_shared: int) -> Iterator[str]:
    """Join sentences while they fit."""
    waiting: list[list[str]] = []
    n_new = 0  # of the waiting sentences, those that are in no passage yet
    for sentence in _sentences(text, n_words):
        if n_new and sum(map(len, waiting)) + len(sentence) > n_words:
            yield _joined(waiting)
            waiting, n_new = waiting[-n_shared:] if n_shared else [], 0
            while waiting and sum(map(len, waiting)) + len(sentence) > n_words:
                waiting = waiting[1:]
        waiting.append(sentence)
        n_new += 1
    if n_new:
        yield _joined(waiting)


def _sentences(text: str, n_words: int) -> Iterator[list[str]]:
    """The words of sentences, of which long ones are cut."""
    for sentence in _BREAK.split(text):
        words = sentence.split()
        for start in range(0, len(words), n_words):
            yield words[start : start + n_words]


def _joined(sentences: list[list[str]]) -> str:
    return " ".join(word for sentence in sentences for word in sentence)
