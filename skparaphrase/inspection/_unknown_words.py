"""Number of words that a vocabulary lacks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.text import WordLookup, WordTokenizer, check_texts, check_tokenizer
from skparaphrase.vectors import WordVectors, load_word_vectors


def unknown_words(
    X: Any,
    vocabulary: Iterable[str] | WordVectors | None = None,
    *,
    tokenizer: WordTokenizer | Callable[[str], Iterable[str]] | None = None,
) -> NDArray[np.int64]:
    """Number of words of each text, or of the two texts of a pair, not in a vocabulary.

    Parameters
    ----------
    X : array-like of str of shape (n_texts,) or (n_pairs, 2)
    vocabulary : iterable of str or WordVectors, default=None
        The known words, in lower case unless the tokenizer keeps capitals. None takes
        :func:`skparaphrase.datasets.load_word_vectors`.
    tokenizer : callable or WordTokenizer, default=None
        Takes a text and returns its words, such as `str.split` for tokenised texts.
        None takes `WordTokenizer()`. A compound with a known part counts as known if
        the tokenizer splits compounds.

    Returns
    -------
    counts : ndarray of shape (n_texts,) or (n_pairs,)
        Also of words that a table makes a vector for, of n-grams or a hash.

    Examples
    --------
    >>> from skparaphrase.inspection import unknown_words
    >>> unknown_words([("a cat", "a yak"), ("a", "a")], ["a", "cat"])
    array([1, 0])
    >>> unknown_words(["The refund is 9000 dollars."])
    array([1])
    """
    if isinstance(vocabulary, str):
        raise TypeError(f"vocabulary must be a list; got the str {vocabulary!r}.")
    if vocabulary is None:
        vocabulary = load_word_vectors()
    words = vocabulary.words if isinstance(vocabulary, WordVectors) else vocabulary
    texts = check_texts(X)
    lookup = WordLookup(check_tokenizer(tokenizer), dict.fromkeys(words, 0), unknown=1)
    batch = lookup.encode(texts.ravel().tolist())
    total = np.append(0, np.cumsum(batch.ids, dtype=np.int64))
    counts = np.diff(total[batch.offsets]).reshape(texts.shape)
    return counts if texts.ndim == 1 else counts.sum(axis=1)
