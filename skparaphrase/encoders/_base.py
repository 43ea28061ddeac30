"""What all encoders share: the shape law, and the parameters of words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._docs import DocumentedOnline
from skparaphrase._output import LastAxisTransformer
from skparaphrase._saving import SavedInFolders
from skparaphrase.text import TokenBatch, WordTokenizer, check_texts, unique_texts
from skparaphrase.vectors import WordVectors, load_word_vectors


class TextEncoder(SavedInFolders, DocumentedOnline, LastAxisTransformer, BaseEstimator):
    """Base of encoders: texts of shape S become vectors of shape S + (dim,)."""

    # skrub gives each text column to a clone of its own, instead of two as pairs
    __single_column_transformer__ = True

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, then embed the same texts.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,), (n_texts, 1) or (n_pairs, 2)
            An iterator is read once.

        y : array-like, default=None
            As in `fit`.

        **fit_params : dict
            Go to `fit`.

        Returns
        -------
        vectors : ndarray of shape (n_texts, dim) or (n_pairs, 2, dim), float32
            As in :meth:`transform`.
        """
        if isinstance(X, Iterator):
            X = list(X)
        return super().fit_transform(X, y, **fit_params)

    def transform(self, X: Any) -> Any:
        """Embed texts or pairs of texts.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,), (n_texts, 1) or (n_pairs, 2)
            A text that occurs many times is embedded once.

        Returns
        -------
        vectors : ndarray of shape (n_texts, dim) or (n_pairs, 2, dim), float32
            A frame if `set_output` asks for one and there are two dimensions. The
            vector of an empty text, or of one without a known word, is zero.

        Raises
        ------
        TypeError, ValueError
            If `X` holds something else than texts; the message has its index.
        """
        check_is_fitted(self)
        texts = check_texts(X)
        distinct, inverse = unique_texts(texts)
        vectors = self._embed(distinct)
        if inverse is not None:
            vectors = vectors[inverse]
        return self._wrap(vectors.reshape(*texts.shape, vectors.shape[1]), X)

    @abstractmethod
    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Vectors of shape (n_texts, dim) of distinct texts."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        assert tags.transformer_tags is not None
        tags.transformer_tags.preserves_dtype = []
        return tags


class WordEncoder(TextEncoder):
    """Base of encoders of words that have vectors."""

    vectors: WordVectors | None
    lowercase: bool
    token_pattern: str
    tokenizer: Callable[[str], Iterable[str]] | None
    split_compounds: bool

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "vectors": [WordVectors, None],
        "lowercase": ["boolean"],
        "token_pattern": [str],
        "tokenizer": [callable, None],
        "split_compounds": ["boolean"],
    }

    def _word_vectors(self) -> WordVectors:
        """The table that texts are looked up in."""
        if self.vectors is not None and not isinstance(self.vectors, WordVectors):
            raise TypeError(
                f"vectors must be a WordVectors; got {type(self.vectors).__name__}. "
                "WordVectors.read(path) reads a file."
            )
        return load_word_vectors() if self.vectors is None else self.vectors

    def _tokenizer(self) -> WordTokenizer:
        return WordTokenizer(
            lowercase=self.lowercase,
            token_pattern=self.token_pattern,
            tokenizer=self.tokenizer,
            split_compounds=self.split_compounds,
        )

    def _encode(self, texts: list[str], vectors: WordVectors) -> TokenBatch:
        blocks = vectors.lookup(self._tokenizer()).encode_blocks(texts)
        return TokenBatch.concatenate(list(blocks))

    @property
    def _n_features_out(self) -> int:
        return self._word_vectors().dim
