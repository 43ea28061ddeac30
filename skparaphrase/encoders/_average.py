"""Averages of word vectors, plain and weighted."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import fit_context
from skparaphrase.encoders._base import WordEncoder
from skparaphrase.encoders._export import StaticExport
from skparaphrase.text import check_texts
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._pooling import weighted_average


class AveragingEncoder(StaticExport, WordEncoder):
    """Base of encoders that average word vectors, with a weight per word or none."""

    def _word_weights(self) -> NDArray[np.floating] | None:
        """Weights of shape (n_words,), or None for a plain average."""
        return None

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        vectors = self._word_vectors()
        batches = vectors.lookup(self._tokenizer()).encode_blocks(texts)
        return weighted_average(vectors, batches, len(texts), self._word_weights())


class AverageEncoder(AveragingEncoder):
    """Average of word vectors.

    The usual baseline, and the composition of paragram-phrase (Wieting et al.
    2016) with whatever vectors it is given. Nothing is fitted: `fit`
    only checks the parameters, and `transform` works without it.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None takes :func:`skparaphrase.datasets.load_word_vectors`.

    lowercase : bool, default=True
        Lower-case the texts first.

    token_pattern : {"words", "ptb"} or str, default="words"
        What a word is: "words" keeps inner apostrophes, hyphens and dots, "ptb" parts
        as the Penn Treebank does (for GloVe and PARAGRAM tables). Any other string is
        a regular expression. See :class:`skparaphrase.text.WordTokenizer`.

    tokenizer : callable, default=None
        Takes a text, gives its words; overrides `token_pattern`.

    split_compounds : bool, default=True
        Look a compound that the table lacks up in its parts.

    See Also
    --------
    SIFEncoder : Weighs frequent words down.
    ParagramEncoder : Trains the vectors on paraphrases.

    Examples
    --------
    >>> from skparaphrase.encoders import AverageEncoder
    >>> encoder = AverageEncoder()
    >>> encoder.transform(["A cat sleeps.", "Two dogs bark."]).shape
    (2, 128)
    >>> encoder.transform([("A cat sleeps.", "A cat is asleep.")]).shape
    (1, 2, 128)
    """

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
        """Check parameters and texts.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)

        y : None
            Ignored.

        Returns
        -------
        self : AverageEncoder
        """
        check_fit_texts(X)
        self._tokenizer()
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def check_fit_texts(X: Any) -> NDArray[np.object_]:
    """Texts to fit on: at least one.

    Raises
    ------
    ValueError
        If there is none, and what `check_texts` raises.
    """
    texts = check_texts(X)
    if len(texts) == 0:
        raise ValueError("Found 0 samples; a minimum of 1 text is required to fit.")
    return texts
