"""What inspection asks of encoders, pipelines and searches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import BaseSearchCV
from skparaphrase.encoders._base import TextEncoder, WordEncoder
from skparaphrase.metrics._paired import cosine_similarity
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors

Tokenizer = WordTokenizer | Callable[[str], Iterable[str]]


def unwrap(estimator: Any) -> Any:
    """The estimator within a fitted search or a `FrozenEstimator`."""
    while isinstance(estimator, (FrozenEstimator, BaseSearchCV)):
        if isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        else:
            check_is_fitted(estimator, "best_estimator_")
            estimator = estimator.best_estimator_
    return estimator


def text_transformer(estimator: Any) -> Any:
    """The part of an estimator that makes texts of shape S vectors of shape S + (d,).

    Of a pipeline, the steps before the first that takes pairs only or is no
    transformer, such as `PairSimilarity`.

    Raises
    ------
    TypeError
        If there is no such part.
    """
    found = unwrap(estimator)
    if isinstance(found, Pipeline):
        end = 1
        while end < len(found.steps) and _acts_on_rows(found.steps[end][1]):
            end += 1
        found = found[:end]
        first = found.steps[0][1]
    else:
        first = found
    if not hasattr(first, "transform"):
        raise TypeError(
            "Expected a fitted encoder, or a pipeline that begins with one; got "
            f"{type(first).__name__}, which has no transform."
        )
    return found


def _acts_on_rows(step: Any) -> bool:
    if step is None or isinstance(step, str):  # "passthrough"
        return True
    return hasattr(step, "transform") and get_tags(step).input_tags.two_d_array


def transform_texts(transformer: Any, texts: Any) -> NDArray[np.float32]:
    """Vectors of texts of shape S, as an array of shape S + (d,).

    Raises
    ------
    ValueError
        If the transformer gives another shape.
    """
    vectors = np.asarray(transformer.transform(texts))
    if vectors.shape[:-1] != texts.shape:
        raise ValueError(
            f"{type(transformer).__name__} made texts of shape {texts.shape} an array "
            f"of shape {vectors.shape}, not vectors of shape (..., dim)."
        )
    return vectors


def pair_similarities(estimator: Any, pairs: NDArray[np.object_]) -> NDArray[Any]:
    """What an estimator predicts of pairs, or the cosine of its vectors.

    Raises
    ------
    TypeError
        If it can neither `predict` nor `transform`.
    """
    if hasattr(estimator, "predict"):
        return np.asarray(estimator.predict(pairs)).ravel()
    vectors = transform_texts(text_transformer(estimator), pairs)
    return cosine_similarity(vectors[:, 0], vectors[:, 1])


def find_encoder(estimator: Any) -> Any:
    """The encoder in an estimator: itself, or the first step of a pipeline."""
    found = unwrap(estimator)
    while isinstance(found, Pipeline):
        found = unwrap(found.steps[0][1])
    return found


def find_table(estimator: Any) -> WordVectors:
    """The table of word, n-gram or character vectors of an encoder.

    Raises
    ------
    TypeError
        If there is none, as in a union of encoders.
    """
    if isinstance(estimator, WordVectors):
        return estimator
    encoder = find_encoder(estimator)
    if isinstance(encoder, TextEncoder):
        check_is_fitted(encoder)
    if isinstance(encoder, WordEncoder):
        return encoder._word_vectors()
    table = getattr(encoder, "vectors_", None)
    if not isinstance(table, WordVectors):
        raise TypeError(
            "Expected an encoder that has a table of vectors, a pipeline that begins "
            f"with one, or WordVectors; got {type(encoder).__name__}."
        )
    return table


def find_tokenizer(estimator: Any, tokenizer: Tokenizer | None) -> WordTokenizer:
    """What parts texts into words: as asked for, as the encoder does, or as usual."""
    if isinstance(tokenizer, WordTokenizer):
        return tokenizer
    if tokenizer is not None:
        return WordTokenizer(tokenizer=tokenizer)
    encoder = find_encoder(estimator)
    if isinstance(encoder, WordEncoder):
        return encoder._tokenizer()
    return WordTokenizer()
