"""Access to estimators of the other rooms."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import BaseSearchCV
from skparaphrase._math import cosine
from skparaphrase.encoders._average import AveragingEncoder, static_parts
from skparaphrase.encoders._base import TextEncoder, check_word_vectors
from skparaphrase.encoders._start import anchor_table
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.text import WordTokenizer, check_tokenizer
from skparaphrase.vectors import WordVectors

Tokenizer = WordTokenizer | Callable[[str], Iterable[str]]


def unwrap(estimator: Any) -> Any:
    """Estimator inside a fitted search or a `FrozenEstimator`."""
    while isinstance(estimator, (FrozenEstimator, BaseSearchCV)):
        if isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        else:
            check_is_fitted(estimator, "best_estimator_")
            estimator = estimator.best_estimator_
    return estimator


def find_encoder(estimator: Any) -> Any:
    """Encoder in an estimator: the estimator itself, or a pipeline's first step."""
    found = unwrap(estimator)
    while isinstance(found, Pipeline):
        found = unwrap(found.steps[0][1])
    return found


def find_transformer(estimator: Any) -> Any:
    """Part of an estimator that turns texts of shape S into vectors of shape S + (d,).

    In a pipeline, these are the steps before the first one that accepts pairs only or
    does not transform, such as `PairSimilarity`.
    """
    found = first = unwrap(estimator)
    if isinstance(found, Pipeline):
        first, *others = (step for _, step in found.steps)
        found = found[: 1 + len([*takewhile(_accepts_vectors, others)])]
    if not hasattr(first, "transform"):
        raise TypeError(
            "Expected a fitted encoder, or a pipeline that begins with one; got "
            f"{type(first).__name__}, which has no transform."
        )
    return found


def _accepts_vectors(step: Any) -> bool:
    if step in (None, "passthrough"):
        return True
    return hasattr(step, "transform") and get_tags(step).input_tags.two_d_array


def transform_texts(transformer: Any, texts: NDArray[np.object_]) -> NDArray[Any]:
    """Vectors of texts of shape S, as an array whose shape S + (d,) is checked."""
    vectors = np.asarray(transformer.transform(texts))
    if vectors.shape[:-1] != texts.shape:
        raise ValueError(
            f"Expected vectors of shape {(*texts.shape, 'dim')} from "
            f"{type(transformer).__name__}; got shape {vectors.shape}."
        )
    return vectors


def pair_similarities(estimator: Any, pairs: NDArray[np.object_]) -> NDArray[Any]:
    """Predictions of an estimator for pairs, or the cosines of its vectors."""
    if hasattr(estimator, "predict"):
        return np.asarray(estimator.predict(pairs)).ravel()
    vectors = transform_texts(find_transformer(estimator), pairs)
    return cosine(vectors[:, 0], vectors[:, 1])


def find_table(estimator: Any) -> WordVectors:
    """Table of the word, n-gram or character vectors of an encoder."""
    if isinstance(estimator, WordVectors):
        return estimator
    encoder = find_encoder(estimator)
    if isinstance(encoder, TextEncoder):
        check_is_fitted(encoder)
    if isinstance(encoder, AveragingEncoder):
        return static_parts(encoder)[0]
    table = getattr(encoder, "vectors_", None)
    if not isinstance(table, WordVectors):
        raise TypeError(
            "Expected an encoder that has a table of vectors, a pipeline that begins "
            f"with one, or WordVectors; got {type(encoder).__name__}."
        )
    return table


def find_word_table(estimator: Any, parameter: str) -> WordVectors:
    """Table of a word encoder; the error for others asks for `parameter`."""
    encoder = find_encoder(estimator)
    if not has_words(encoder):
        name = type(encoder).__name__
        raise TypeError(f"{name} has no table of words; pass {parameter}=.")
    return find_table(encoder)


def has_words(encoder: Any) -> bool:
    """Whether the rows of an encoder's table are words, not n-grams or characters."""
    if isinstance(encoder, TrainedEncoder):
        return not encoder._learns_tokens
    return isinstance(encoder, AveragingEncoder)


def find_tokenizer(estimator: Any, tokenizer: Tokenizer | None) -> WordTokenizer:
    """`tokenizer` if it is given, else that of a word encoder, else the default one."""
    encoder = find_encoder(estimator)
    if tokenizer is None and has_words(encoder):
        found: WordTokenizer = encoder._tokenizer()
        return found
    return check_tokenizer(tokenizer)


def initial_table(encoder: Any) -> WordVectors | None:
    """Table from which training started, if it is the encoder's `vectors`."""
    known = (
        has_words(encoder)
        and getattr(encoder, "init", None) is None
        and getattr(encoder, "scale", None) is None
        and getattr(encoder, "weighting", "uniform") == "uniform"
    )
    if not known:
        return None
    if isinstance(encoder, TrainedEncoder):
        return anchor_table(encoder)
    return check_word_vectors(encoder.vectors)


def vector_growth(encoder: Any) -> NDArray[np.float64]:
    """Length of each trained word vector divided by its length before training."""
    if not isinstance(encoder, TrainedEncoder) or encoder._learns_tokens:
        raise TypeError(
            "Expected a SIFEncoder, or an encoder that trains word vectors; got "
            f"{type(encoder).__name__}."
        )
    check_is_fitted(encoder)
    initial = anchor_table(encoder)
    # One from a file without `vectors` resumes from where it is.
    is_itself = initial is encoder.vectors_ and encoder.freeze is None
    if initial is None or is_itself or initial.words != encoder.vectors_.words:
        raise ValueError("The vectors from which training started are unknown.")
    before = np.linalg.norm(initial.rows(slice(None)), axis=1).astype(np.float64)
    after = np.linalg.norm(encoder.vectors_.rows(slice(None)), axis=1)
    return np.where(before > 0, after / np.where(before > 0, before, 1), np.nan)
