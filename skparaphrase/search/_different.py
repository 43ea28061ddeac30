"""The most different of many texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.utils import Bunch

from skparaphrase._compat import check_int
from skparaphrase._math import dot
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Encoder, Texts
from skparaphrase.search._base import embed, fitted_encoder
from skparaphrase.text import check_single_texts


def most_different(texts: Texts, n_texts: int, encoder: Encoder | None = None) -> Bunch:
    """Choose the texts that differ most from each other.

    The first text is chosen first, then always the text whose largest cosine with those
    chosen is the smallest ("farthest first"; Gonzalez, 1985). So each text that is left
    out is similar to one that is chosen: no choice of as many texts makes its largest
    distance less than half as large.

    Parameters
    ----------
    texts : array-like of str of shape (n_all,)
        Clean them first, because outliers are chosen early. Texts without a known word
        have a cosine of 0 with all others, and of 1 with each other.
    n_texts : int
        Number of texts to choose, at most `n_all`.
    encoder : transformer, default=None
        As in :func:`mine_hard_negatives`.

    Returns
    -------
    chosen : Bunch
        In the order of choice, so that the first ones are the choice of fewer texts.

        - row : ndarray of int of shape (n_texts,), positions in the list
        - text : ndarray of shape (n_texts,), dtype object
        - score : ndarray of shape (n_texts,), the largest cosine with a text that was
          chosen before; -1 for the first. It does not fall, but for rounding.

    See Also
    --------
    NearDuplicates : Keeps a text of each group, for a given threshold.

    Notes
    -----
    Time is proportional to the number of texts times the number of chosen texts.

    References
    ----------
    T. F. Gonzalez, "Clustering to minimize the maximum intercluster distance",
    Theoretical Computer Science, 1985.

    Examples
    --------
    >>> from skparaphrase.search import most_different
    >>> texts = ["A cat sleeps.", "The cat is asleep.", "It rains.", "A cat naps."]
    >>> most_different(texts, 2).text
    array(['A cat sleeps.', 'It rains.'], dtype=object)
    """
    texts = check_single_texts(texts, "texts")
    n_texts = check_int(n_texts, "n_texts", max_val=len(texts))
    vectors = embed(fitted_encoder(encoder, texts), texts)
    is_zero = dot(vectors, vectors) == 0
    largest = np.full(len(texts), -1, np.float32)  # cosine with a chosen text
    row = np.zeros(n_texts, np.intp)
    score = np.full(n_texts, -1, np.float32)
    with progress_bar(n_texts, "Choosing") as update:
        for i in range(n_texts):
            if i:
                row[i] = largest.argmin()
                score[i] = largest[row[i]]
            cosines = vectors @ vectors[row[i]]
            if is_zero[row[i]]:
                cosines[is_zero] = 1
            np.maximum(largest, cosines, out=largest)
            largest[row[i]] = np.inf  # is not chosen again
            update(1)
    return Bunch(row=row, text=texts[row], score=score)
