"""Averages of word vectors weighted by inverse document frequency."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import fit_context
from skparaphrase.encoders._average import AveragingEncoder, check_fit_texts
from skparaphrase.vectors import WordVectors


class TfidfEncoder(AveragingEncoder):
    r"""Average of word vectors weighted by inverse document frequency.

    The baseline of Arora et al. (2017), section 4.1: the vector of text `s` is
    :math:`\frac{1}{|s|} \sum_{w \in s} \mathrm{IDF}_w v_w` with
    :math:`\mathrm{IDF}_w = \log \frac{1 + N}{1 + N_w}`, where `N` is the number of
    texts given to `fit` and :math:`N_w` the number of them that hold `w`. (The code
    released with the paper counts every occurrence instead, and takes
    :math:`\log_2 \frac{N + 2}{1 + N_w}`.)

    Parameters
    ----------
    vectors : WordVectors, default=None
        None takes :func:`skparaphrase.datasets.load_word_vectors`.

    lowercase : bool, default=True
        Lower-case the texts first.

    token_pattern : {"words", "ptb"} or str, default="words"
        What a word is. See :class:`skparaphrase.text.WordTokenizer`.

    tokenizer : callable, default=None
        Takes a text, gives its words; overrides `token_pattern`.

    split_compounds : bool, default=True
        Look a compound that the table lacks up in its parts.

    Attributes
    ----------
    weights_ : ndarray of shape (n_words,)
        Inverse document frequency of every word of the table, seen in `fit` or not.

    See Also
    --------
    SIFEncoder : Weighs by frequency in a large corpus.

    Examples
    --------
    >>> from skparaphrase.encoders import TfidfEncoder
    >>> texts = ["A cat sleeps.", "A dog barks.", "A bird sings."]
    >>> TfidfEncoder().fit_transform(texts).shape
    (3, 128)
    """

    weights_: NDArray[np.float64]

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        lowercase: bool = True,
        token_pattern: str = "words",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        split_compounds: bool = True,
    ) -> None:
        self.vectors = vectors
        self.lowercase = lowercase
        self.token_pattern = token_pattern
        self.tokenizer = tokenizer
        self.split_compounds = split_compounds

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the texts that hold each word.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
            Every text is a document, both sides of a pair as well.

        y : None
            Ignored.

        Returns
        -------
        self : TfidfEncoder
        """
        texts = check_fit_texts(X).ravel().tolist()
        vectors = self._word_vectors()
        n_words = len(vectors)
        batch = self._encode(texts, vectors)
        document = np.repeat(np.arange(len(batch)), batch.lengths)
        once = np.unique(document * n_words + batch.ids) % n_words
        found = np.bincount(once, minlength=n_words)
        self.weights_ = np.log((1 + len(texts)) / (1 + found))
        return self

    def _word_weights(self) -> NDArray[np.float64]:
        return self.weights_
