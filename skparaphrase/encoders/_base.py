"""The base of all encoders: texts of shape S become vectors of shape S + (dim,)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import (
    InvalidParameterError,
    StrOptions,
    is_fitted,
    validate_parameter_constraints,
)
from skparaphrase._core import core
from skparaphrase._estimator import DocumentedOnline, store_parameters
from skparaphrase._output import LastAxisTransformer
from skparaphrase._progress import NO_BAR, progress_bar
from skparaphrase._typing import Encoder, Texts, Vectors
from skparaphrase.encoders._export import StaticEncoder
from skparaphrase.storage._models import save
from skparaphrase.text._check import (
    ANY,
    check_text_blocks,
    unique_strings,
)
from skparaphrase.text._stored import count_rows, is_stored
from skparaphrase.text._tokenizer import check_tokenizer
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._pooling import POOLINGS, pool_texts
from skparaphrase.vectors._storage import WORDS, bundled

_NORMS: list[Any] = [StrOptions({"l2"}), None]


class TextEncoder(LastAxisTransformer, BaseEstimator):
    """Base class of encoders. A subclass embeds a list of distinct texts."""

    # Assigned instead of inherited: fewer base classes are easier to follow.
    _doc_link_module = DocumentedOnline._doc_link_module
    _doc_link_template = DocumentedOnline._doc_link_template

    # skrub then clones an encoder for each text column, instead of passing pairs
    __single_column_transformer__ = True

    norm: str | None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "norm": _NORMS,
        "tokenizer": [callable, None],
    }

    def fit_transform(
        self, X: Texts, y: ArrayLike | None = None, **fit_params: Any
    ) -> NDArray[np.float32]:
        """Fit, then embed the same texts.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,), (n_texts, 1) or (n_pairs, 2)
            An iterator is read once.
        y : array-like, default=None
            Passed to `fit`.
        **fit_params : dict
            Passed to `fit`.

        Returns
        -------
        vectors : ndarray of shape (n_texts, dim) or (n_pairs, 2, dim), float32
            As returned by :meth:`transform`.
        """
        if isinstance(X, Iterator):
            X = list(X)
        return super().fit_transform(X, y, **fit_params)

    def transform(self, X: Texts) -> NDArray[np.float32]:
        """Embed texts, or rows of several texts, such as pairs.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,), (n_texts, 1) or (n_rows, k)
            Each distinct text is embedded once. Data on disk (Parquet datasets and
            files of pyarrow, Hugging Face datasets) are read in blocks.

        Returns
        -------
        vectors : ndarray of shape (n_texts, dim) or (n_rows, k, dim), float32
            A frame if `set_output` requests one and there are two dimensions. With
            `norm="l2"`, vectors have length 1. The vector of a text without a token
            that has a vector is zero.

        Raises
        ------
        TypeError, ValueError
            If `X` contains anything but texts; the message names the first index.
        """
        if not is_fitted(self):  # collects no tags, 5 % of a sentence's time
            check_is_fitted(self)
        blocks = []
        bar = NO_BAR  # each block in memory has a bar of its own
        if is_stored(X):
            bar = progress_bar(partial(count_rows, X), "Embedding", "row")
        with bar as advance:
            for texts, shape in check_text_blocks(X, widths=ANY):
                distinct, indices = unique_strings(texts)
                vectors = self._embed(distinct)
                if self.norm == "l2":
                    core.scale_to_unit(vectors)
                elif self.norm is not None:  # `fit` may not have seen it
                    validate_parameter_constraints(
                        {"norm": _NORMS}, {"norm": self.norm}, type(self).__name__
                    )
                if indices is not None:
                    vectors = vectors[indices]
                blocks.append(vectors.reshape(*shape, vectors.shape[1]))
                advance(shape[0])
        return self._wrap(blocks[0] if len(blocks) == 1 else np.concatenate(blocks), X)

    def _tokenizer(self) -> Any:
        """The tokenizer given by the parameter `tokenizer`."""
        return check_tokenizer(getattr(self, "tokenizer", None))

    @abstractmethod
    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Vectors of shape (n_texts, dim) of distinct texts, before `norm`.

        The array is new: `transform` writes to it.
        """

    save = save

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags


def text_vectors(
    encoder: Encoder | TextEncoder, texts: list[str]
) -> NDArray[np.float32]:
    """Vectors of texts by a fitted transformer, shape (n_texts, dim).

    For an encoder, they are the vectors before its `norm`, which is how it is trained.
    """
    embed = encoder._embed if isinstance(encoder, TextEncoder) else encoder.transform
    vectors: NDArray[np.float32] = check_array(
        embed(texts),
        dtype=np.float32,
        order="C",
        force_writeable=True,  # PyTorch warns about frames, which are read-only
        input_name="vectors",
    )
    check_consistent_length(texts, vectors)
    return vectors


class AveragingEncoder(TextEncoder, StaticEncoder):
    """Base class of encoders that average word vectors, which may have weights."""

    vectors: WordVectors | None

    _default_table = WORDS
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TextEncoder._parameter_constraints,
        "pooling": [StrOptions(set(POOLINGS))],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        pooling: str = "mean",
        norm: str | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
    ) -> None:
        store_parameters(self, locals())

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        vectors, weights = self._static_parts()
        return pool_texts(
            vectors,
            texts,
            self._tokenizer(),
            weights=weights,
            unknown_weight=getattr(self, "unknown_weight_", 1.0),
            pooling=self.pooling,
        )

    def _static_parts(self) -> tuple[WordVectors, Vectors | None]:
        table = getattr(self, "vectors_", None)  # of an encoder that learns it
        table = check_word_vectors(self.vectors) if table is None else table
        weights = getattr(self, "weights_", None)
        if weights is not None and weights.shape != (len(table),):
            raise ValueError(
                f"There are weights of shape {weights.shape} for {len(table)} words: "
                "`vectors` is not the same table as in `fit`."
            )
        return table, weights

    @property
    def _n_features_out(self) -> int:
        return self._static_parts()[0].dim


def check_word_vectors(vectors: object) -> WordVectors:
    """The table for the parameter `vectors`; None stands for the bundled table."""
    if vectors is None:
        return bundled(WORDS)
    if isinstance(vectors, WordVectors):
        return vectors
    raise InvalidParameterError(
        "The 'vectors' parameter must be a WordVectors; got "
        f"{type(vectors).__name__}. In skparaphrase.vectors, read_word_vectors(path) "
        "reads a file, import_word_vectors(model) converts a model of another library, "
        "and WordVectors(words, matrix) wraps an array."
    )
