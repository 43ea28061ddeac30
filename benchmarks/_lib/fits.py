"""Fits of encoders with defaults, and scores of their vectors as features."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import normalize

from _lib.adaptation_data import AdaptationData
from _lib.pages import Row
from skparaphrase import load_pretrained
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder

START = ", start"  # suffix of columns with the figure before the fit


class Fit(NamedTuple):
    """A fitted estimator, its CPU seconds, and its ConvergenceWarnings."""

    estimator: Any
    seconds: float
    n_warnings: int


def trained(X: Any, y: Any = None, *, seed: int, **changes: Any) -> Fit:
    """`ParaphraseEncoder().fit(X, y)`: pairs, graded pairs, or texts with labels."""
    return timed(ParaphraseEncoder(random_state=seed, **changes), X, y)


def timed(estimator: Any, X: Any, y: Any = None) -> Fit:
    """Fit an estimator."""
    started = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X, y)
    found = [each for each in caught if issubclass(each.category, ConvergenceWarning)]
    return Fit(estimator, time.process_time() - started, len(found))


def blend(encoder: Any, share: float) -> AverageEncoder:
    """Word vectors between the start (0) and the end (1) of a fitted encoder.

    This is linear interpolation of weights, as in Wortsman et al. (2022).
    """
    end = encoder.vectors_
    start, words = load_pretrained().vectors, encoder.added_words_
    start = start.with_rows([], [], words, [start[word] for word in words])
    first, last = start.rows(), end.rows()
    vectors = end.replace(first + share * (last - first))
    return AverageEncoder(vectors, pooling=encoder.pooling, norm=encoder.norm)


def on_vectors(encoder: Any) -> Pipeline:
    """Logistic regression on the vectors; C=10 suits many labels of few texts."""
    return make_pipeline(encoder, LogisticRegression(C=10, max_iter=1000))


def logistic(encoder: Any, known: tuple[Any, Any], asked: tuple[Any, Any]) -> float:
    """Accuracy x 100 of logistic regression on the vectors of a fitted encoder."""
    return 100 * on_vectors(FrozenEstimator(encoder)).fit(*known).score(*asked)


def neighbour(encoder: Any, known: tuple[Any, Any], asked: tuple[Any, Any]) -> float:
    """Accuracy x 100 of the label of the text with the largest cosine."""
    (X, y), (X_test, y_test) = known, asked
    cosines = normalize(encoder.transform(X_test)) @ normalize(encoder.transform(X)).T
    return 100 * float(np.mean(y[cosines.argmax(axis=1)] == y_test))


def over_seeds(
    data: AdaptationData,
    name: str,
    run: Callable[..., dict[str, float]],
    *given: Any,
    n_times: int = 1,
) -> Row:
    """A row with the figures of `run(*given, seed)` for each seed, or for more."""
    runs = [run(*given, seed) for seed in range(n_times * len(data.seeds))]
    return {"": name, **{key: [each[key] for each in runs] for key in runs[0]}}


def compared(fit: Fit, scores: Callable[[Any], dict[str, float]]) -> dict[str, float]:
    """Scores of the pretrained encoder and of a fit, and the cost of the fit."""
    before, after = scores(load_pretrained()), scores(fit.estimator)
    found = {}
    for key, score in after.items():
        found |= {key + START: before[key], key: score}
    return {**found, "seconds": fit.seconds, "warnings": fit.n_warnings}
