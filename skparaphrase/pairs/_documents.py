"""Training pairs from documents without labels."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from skparaphrase._compat import check_int, check_real
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Texts
from skparaphrase.text._check import check_single_texts, describe, fit_blocks
from skparaphrase.text._stored import is_stored

# A punctuation mark with closing quotes and brackets, or a line end.
_ENDS = re.compile(r"""[.!?…]["'”’)\]]*\s+|[。！？]|\n\s*""")  # noqa: RUF001
_SHORT = 6  # characters; shorter pieces, such as "1." or "Prof.", are not sentences


def make_cloze_pairs(
    documents: Texts | Iterable[str],
    *,
    n_pairs: int = 100_000,
    keep: float = 0.1,
    max_words: int = 256,
    split: Callable[[str], Iterable[str]] | None = None,
    random_state: Any = None,
) -> NDArray[np.object_]:
    """Pair sentences with the rest of their document (inverse cloze task).

    Lee et al. (2019) [1]_ train a search without labels: a sentence represents a query,
    and the text around it the document to find. In most pairs, the sentence is removed
    from its context, so the encoder learns which words occur together. In some it is
    kept, because matching words are also useful.

    Parameters
    ----------
    documents : array-like of str of shape (n_documents,), or iterable of str
        Texts of several sentences, such as abstracts, articles or tickets. Iterables
        without a length, such as generators, are read one document at a time, and data
        on disk in blocks.
    n_pairs : int, default=100_000
        Maximum number of pairs. If the documents have more sentences, this number of
        them is drawn uniformly.
    keep : float, default=0.1
        Probability that the context contains the sentence.
    max_words : int, default=256
        Number of words in a context, not counting the sentence: half of them before it
        and half after it, in whole sentences, but at least one adjacent sentence.
    split : callable, default=None
        Takes a document and returns its sentences. With None, a sentence ends at the
        end of a line, and at ".", "!", "?" or "…" before white space, unless a
        lower-case letter follows in a document that has upper-case letters. A piece of
        fewer than 6 characters, such as "1.", is joined to the next one, and at the end
        to the previous one.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2), dtype object
        A sentence and its context, in order of appearance. There are no pairs for
        documents of one sentence.

    Raises
    ------
    TypeError
        If a document or sentence is not a `str`.
    ValueError
        If no document has two sentences.

    See Also
    --------
    make_group_pairs : Makes pairs of texts with the same meaning.
    skparaphrase.encoders.ParaphraseEncoder : Trains on pairs.

    Notes
    -----
    In addition to `documents`, the pairs and one document are kept in memory. Pairs are
    not paraphrases: an encoder that was trained on them finds more documents, but is
    worse at the similarity of sentences (:doc:`/user_guide/documents`).

    References
    ----------
    .. [1] K. Lee, M.-W. Chang, K. Toutanova, "Latent Retrieval for Weakly Supervised
       Open Domain Question Answering", ACL 2019.

    Examples
    --------
    >>> from skparaphrase.pairs import make_cloze_pairs
    >>> documents = ["Bees dance. The dance shows the way. Others follow it."]
    >>> make_cloze_pairs(documents, keep=0).tolist()
    [['Bees dance.', 'The dance shows the way. Others follow it.'],
     ['The dance shows the way.', 'Bees dance. Others follow it.'],
     ['Others follow it.', 'Bees dance. The dance shows the way.']]
    """
    n_pairs = check_int(n_pairs, "n_pairs")
    max_words = check_int(max_words, "max_words")
    check_real(keep, "keep", min_val=0, max_val=1)
    rng = check_random_state(random_state)
    drawn: list[tuple[int, str, str]] = []  # the index of a sentence, and its pair
    n_seen = 0  # number of sentences so far
    with progress_bar(None, "Pairing sentences", "document") as update:
        for document in _each_document(documents):
            sentences = _sentences(document, split or _split)
            n_words = np.array([len(sentence.split()) for sentence in sentences], int)
            ends = np.cumsum(n_words)
            starts = ends - n_words
            first = np.searchsorted(starts, starts - max_words / 2)
            last = np.searchsorted(ends, ends + max_words / 2, side="right")
            for i in range(len(sentences) if len(sentences) > 1 else 0):
                place = n_seen
                if n_seen >= n_pairs:  # Vitter's algorithm R: reservoir sampling
                    place = rng.randint(n_seen + 1)
                if place < n_pairs:
                    before = sentences[max(min(first[i], i - 1), 0) : i]
                    after = sentences[i + 1 : max(last[i], i + 2)]
                    kept = sentences[i : i + 1] if rng.uniform() < keep else []
                    context = " ".join([*before, *kept, *after])
                    drawn[place : place + 1] = [(n_seen, sentences[i], context)]
                n_seen += 1
            update(1)
    if not drawn:
        raise ValueError(
            "No document has two sentences, so there are no pairs. Pass whole "
            "documents, or a function to split them, such as split=str.splitlines."
        )
    return np.array([pair for _, *pair in sorted(drawn)], dtype=object)


def _each_document(documents: Any) -> Iterator[str]:
    """Yield documents one by one; iterables are not collected."""
    is_stream = isinstance(documents, Iterable) and not isinstance(documents, Sized)
    if not is_stream or is_stored(documents):
        for texts in fit_blocks(documents):
            yield from check_single_texts(texts, "documents")
        return
    for index, text in enumerate(documents):
        if not isinstance(text, str):
            raise TypeError(f"Document {index} is {describe(text)}, not a str.")
        yield text


def _sentences(document: str, split: Callable[[str], Iterable[str]]) -> list[str]:
    """The sentences that `split` returns, without blank ones."""
    result = split(document)
    sentences: list[Any] = [None] if isinstance(result, str) else [*result]
    if not all(isinstance(sentence, str) for sentence in sentences):
        raise TypeError(f"split must return a list of str; got {describe(result)}.")
    return [sentence for sentence in sentences if sentence.strip()]


def _split(document: str) -> list[str]:
    """Split a text into sentences as described in `make_cloze_pairs`."""
    document, sentences, start = document.strip(), list[str](), 0
    has_case = not document.islower()
    for match in _ENDS.finditer(document):
        end = match.end()
        if has_case and "\n" not in match[0] and document[end : end + 1].islower():
            continue
        sentence = document[start:end].strip()
        if len(sentence) >= _SHORT and len(document) - end >= _SHORT:
            sentences.append(sentence)
            start = end
    return [*sentences, document[start:]]
