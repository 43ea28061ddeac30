"""Access to estimators of the other rooms."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

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
from skparaphrase._typing import Encoder
from skparaphrase.encoders._base import AveragingEncoder, TextEncoder
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.vectors import WordVectors


def unwrap(estimator: Any) -> Any:
    """The estimator inside a fitted search or a `FrozenEstimator`, or itself."""
    while isinstance(estimator, (FrozenEstimator, BaseSearchCV)):
        if isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        else:
            check_is_fitted(estimator, "best_estimator_")
            estimator = estimator.best_estimator_
    return estimator


def flat_steps(estimator: Any) -> list[Any]:
    """The steps of an estimator and of the pipelines in it, or itself."""
    estimator = unwrap(estimator)
    if isinstance(estimator, Pipeline):
        return [s for _, step in estimator.steps for s in flat_steps(step)]
    return [] if estimator is None or isinstance(estimator, str) else [estimator]


def split_at_encoder(steps: list[Any]) -> tuple[list[Any], Any, list[Any]]:
    """The steps before the encoder, which clean texts, the encoder, and the others.

    The encoder is the first step that is made for texts, or else the first.
    """
    i = next((i for i, step in enumerate(steps) if reads_texts(step)), 0)
    return steps[:i], steps[i], steps[i + 1 :]


def find_encoder(estimator: Any) -> Any:
    """The encoder in an estimator: itself, or a step of a pipeline."""
    return split_at_encoder(flat_steps(estimator))[1]


def find_transformer(estimator: Any) -> Any:
    """The part of an estimator that maps texts of shape S to vectors of shape S + (d,).

    In a pipeline, these are the steps before the first one that accepts pairs only or
    does not transform, such as `PairSimilarity`.
    """
    transformer = first = unwrap(estimator)
    if isinstance(transformer, Pipeline):
        before, first, others = split_at_encoder([s for _, s in transformer.steps])
        n_vectors = len([*takewhile(_accepts_vectors, others)])
        transformer = transformer[: len(before) + 1 + n_vectors]
    if not hasattr(first, "transform"):
        raise TypeError(
            "Expected a fitted encoder, or a pipeline that begins with one; got "
            f"{type(first).__name__}, which has no transform."
        )
    return transformer


def reads_texts(step: Any) -> bool:
    """Whether a step is made for texts."""
    return any(
        hasattr(part, "__sklearn_tags__") and get_tags(part).input_tags.string
        for part in flat_steps(step)
    )


def _accepts_vectors(step: Any) -> bool:
    if step in (None, "passthrough"):
        return True
    return hasattr(step, "transform") and get_tags(step).input_tags.two_d_array


def transform_texts(transformer: Encoder, texts: NDArray[np.object_]) -> NDArray[Any]:
    """Vectors of texts of shape S; checks that their shape is S + (d,)."""
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
    """The table of word, n-gram or character vectors of an encoder."""
    if isinstance(estimator, WordVectors):
        return estimator
    encoder = find_encoder(estimator)
    if isinstance(encoder, TextEncoder):
        check_is_fitted(encoder)
    if isinstance(encoder, AveragingEncoder):
        return encoder._static_parts()[0]
    table = getattr(encoder, "vectors_", None)
    if not isinstance(table, WordVectors):
        raise TypeError(
            "Expected an encoder that has a table of vectors, a pipeline that begins "
            f"with one, or WordVectors; got {type(encoder).__name__}."
        )
    return table


def has_words(encoder: Any) -> bool:
    """Whether the rows of an encoder's table are words, not n-grams or characters."""
    if isinstance(encoder, TrainedEncoder):
        return not encoder._learns_tokens
    return isinstance(encoder, AveragingEncoder)
