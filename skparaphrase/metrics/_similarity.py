"""Correlation with graded scores, and scorers of the similarity of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import TransformerMixin, clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from skparaphrase._compat import BaseScorer
from skparaphrase._estimator import warn_caller
from skparaphrase._frames import without_masks
from skparaphrase._math import cosine
from skparaphrase._typing import Encoder, Predictor, Texts, Vectors


def check_columns(
    columns: Mapping[str, ArrayLike], **options: Any
) -> list[NDArray[np.float64]]:
    """Check float arrays of shape (n,) and equal length; errors contain their names."""
    options = {"ensure_2d": False, "dtype": np.float64, **options}
    checked = [
        column_or_1d(check_array(without_masks(values), input_name=name, **options))
        for name, values in columns.items()
    ]
    check_consistent_length(*checked)
    return checked


def pearson_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Pearson's correlation coefficient, the metric of the STS tasks.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Graded scores.
    y_pred : array-like of shape (n_samples,)
        Predictions on any scale.
    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    r : float
        Between -1 and 1. With an `UndefinedMetricWarning`, 0 if `y_true` or `y_pred` is
        constant, and NaN for one sample. Values that differ by less than 1e-13 of their
        mean may or may not count as constant.

    Examples
    --------
    >>> from skparaphrase.metrics import pearson_score
    >>> round(pearson_score([0, 2, 5], [0.1, 0.3, 0.9]), 3)
    0.986
    """
    true, predicted = check_columns({"y_true": y_true, "y_pred": y_pred})
    weight = None
    if sample_weight is not None:
        (weight,) = check_columns({"sample_weight": sample_weight})
        check_consistent_length(true, weight)
        if weight.min() < 0 or weight.max() == 0:
            raise ValueError("sample_weight must not be negative, nor all zero.")
    return correlation(true, predicted, weight)


def spearman_score(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Spearman's rank correlation coefficient; ties get their mean rank.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Graded scores, and predictions on any scale.

    Returns
    -------
    rho : float
        Between -1 and 1. With an `UndefinedMetricWarning`, 0 if `y_true` or `y_pred` is
        constant, and NaN for one sample.

    Examples
    --------
    >>> from skparaphrase.metrics import spearman_score
    >>> round(spearman_score([0, 2, 5], [0.1, 0.3, 0.9]), 3)
    1.0
    """
    true, predicted = check_columns({"y_true": y_true, "y_pred": y_pred})
    return correlation(rankdata(true), rankdata(predicted), None)


def correlation(
    first: NDArray[Any],
    second: NDArray[Any],
    weight: NDArray[Any] | None,
    *,
    warn: bool = True,
) -> float:
    """Pearson's r of checked arrays; `weight` may be None."""
    if len(first) < 2:
        return _undefined("of fewer than two samples", float("nan"), warn)
    weight = np.ones_like(first) if weight is None else weight
    columns = [values[weight > 0] for values in (first, second)]
    if any((values == values[0]).all() for values in columns):
        return _undefined("with constant values", 0.0, warn)
    weight = weight[weight > 0] / weight.max()
    units = []
    for values in columns:
        centred = values - np.average(values, weights=weight)
        largest = np.abs(centred).max()  # divided by this, squares do not underflow
        length = largest * np.sqrt(weight @ (centred / largest) ** 2)
        units.append(centred / length)
    return float(np.clip(weight @ (units[0] * units[1]), -1, 1))


def _undefined(samples: str, value: float, warn: bool) -> float:
    if warn:
        message = f"The correlation {samples} is not defined, and is set to {value:g}."
        warn_caller(message, UndefinedMetricWarning)
    return value


class _CorrelationScorer(BaseScorer):
    """Score predicted similarities of pairs, or the cosines of an encoder."""

    def _score(
        self,
        method_caller: Callable[..., Any],
        estimator: Encoder | Predictor,
        X: Texts,
        y_true: ArrayLike,
        **params: Any,
    ) -> float:
        if hasattr(estimator, "predict"):
            similarities = method_caller(estimator, "predict", X, pos_label=None)
        else:
            vectors = transform_pairs(estimator, X)
            similarities = cosine(vectors[:, 0], vectors[:, 1])
        return float(self._score_func(y_true, similarities, **params))


def transform_pairs(encoder: Any, pairs: Texts) -> Vectors:
    """Vectors of pairs; their shape is checked."""
    vectors = np.asarray(encoder.transform(pairs))
    if vectors.ndim != 3 or vectors.shape[1] != 2:
        raise ValueError(
            "The scorer needs predictions for pairs, or their vectors, shape "
            f"(n_pairs, 2, d); transform gives shape {vectors.shape}."
        )
    return vectors


def _scorer(name: str, score: Callable[..., float]) -> _CorrelationScorer:
    scorer = _CorrelationScorer(score, 1, {}, ("predict", "transform"))
    scorer.__name__ = name  # the axis label of learning curves
    scorer.__doc__ = f"""Scorer of the similarity of pairs, by {score.__name__}.

    It supports estimators that predict the similarity, and encoders, for which the
    cosines of their vectors are scored.
    """
    return scorer


pearson_scorer = _scorer("pearson", pearson_score)
spearman_scorer = _scorer("spearman", spearman_score)

#: Correlations with graded scores, by the names that `metric=` accepts.
CORRELATIONS = {"pearson": pearson_score, "spearman": spearman_score}


class STSScorer:
    """Score an encoder on graded pairs by the similarities of its vectors.

    This is a scorer for `GridSearchCV` and `cross_validate` over encoders that are not
    fitted on graded pairs but, for example, on paraphrases. It ignores the test part of
    the split, unlike `pearson_scorer`, and scores on its own pairs.

    Parameters
    ----------
    datasets : tuple (pairs, scores) or mapping of str to such tuples
        Pairs of texts, shape (n_pairs, 2), and graded scores, shape (n_pairs,).
    metric : {"pearson", "spearman"}, callable or list of str, default="pearson"
        A callable takes (y_true, y_pred) and returns a number; higher is better.
    postprocess : transformer, default=None
        Fitted to the vectors of each data set and applied to them before the cosine,
        as in the SIF paper with `CommonComponentRemoval`.
    average : bool, default=False
        If True, return only the mean over data sets, as halving searches, learning
        curves and Optuna's search require.

    See Also
    --------
    RetrievalScorer : For pairs without scores.
    pearson_scorer, spearman_scorer : For the test part, with the weights of its pairs.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV, ShuffleSplit
    >>> from skparaphrase.datasets import load_graded_pairs
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.metrics import STSScorer
    >>> pairs, scores = load_graded_pairs(return_X_y=True)
    >>> search = GridSearchCV(
    ...     SIFEncoder(), {"a": [1e-1, 1e-3]}, cv=ShuffleSplit(1, random_state=0),
    ...     scoring=STSScorer((pairs, scores)),
    ... )
    >>> search.fit(pairs).best_params_
    {'a': 0.001}
    """

    def __init__(
        self,
        datasets: tuple[Any, Any] | Mapping[str, tuple[Any, Any]],
        *,
        metric: str | list[str] | Callable[[Any, Any], float] = "pearson",
        postprocess: TransformerMixin | None = None,
        average: bool = False,
    ) -> None:
        names = metric if isinstance(metric, list) else [metric]
        if not callable(metric) and not (names and {*names} <= {*CORRELATIONS}):
            raise ValueError(
                f"metric must be one or several of {list(CORRELATIONS)}, or a "
                f"callable; got {metric!r}."
            )
        self.average = average
        if not isinstance(datasets, Mapping):
            datasets = {"sts": datasets}
            self.average = True
        if not datasets or "mean" in datasets:
            raise ValueError("datasets must contain data sets, none named 'mean'.")
        for name, data in datasets.items():
            if not isinstance(data, tuple) or len(data) != 2:
                raise TypeError(
                    f"Data set {name!r} must be a tuple (pairs, scores), such as "
                    "load_graded_pairs(return_X_y=True); got "
                    f"{type(data).__name__}."
                )
            if len(data[0]) != len(data[1]):
                raise ValueError(
                    f"Data set {name!r} has {len(data[0])} pairs but {len(data[1])} "
                    "scores."
                )
        self.datasets = dict(datasets)
        self.metric = metric
        # Axis label of learning curves.
        self.__name__ = getattr(metric, "__name__", ", ".join(map(str, names)))
        self.postprocess = postprocess

    def __call__(
        self, estimator: Encoder | Predictor, X: object = None, y: object = None
    ) -> float | dict[str, float]:
        """Score a fitted encoder, or a pipeline that ends in one or in a regressor.

        Parameters
        ----------
        estimator : estimator
            Has `transform` (texts to vectors) or else `predict` (pairs to
            similarities).
        X, y : ignored

        Returns
        -------
        score : float or dict of str to float
            A number for a single data set, or with `average`. Otherwise the score of
            each data set and their unweighted "mean", with which `GridSearchCV` needs
            `refit="mean"`. With a list of metrics, a dict with a key for each metric,
            such as "pearson", or for each data set and metric, such as "mean_pearson".
        """
        predicted = {
            name: (gold, self._similarities(estimator, pairs))
            for name, (pairs, gold) in self.datasets.items()
        }
        if not isinstance(self.metric, list):
            return self._measure(self.metric, predicted)
        all_scores: dict[str, float] = {}
        for metric in self.metric:
            scores = self._measure(metric, predicted)
            if isinstance(scores, dict):
                all_scores |= {f"{name}_{metric}": x for name, x in scores.items()}
            else:
                all_scores[metric] = scores
        return all_scores

    def _measure(
        self, metric: str | Callable[[Any, Any], float], predicted: dict[str, Any]
    ) -> float | dict[str, float]:
        measure = metric if callable(metric) else CORRELATIONS[metric]
        scores = {name: measure(*columns) for name, columns in predicted.items()}
        mean = float(np.mean(list(scores.values())))
        return mean if self.average else {**scores, "mean": mean}

    def _similarities(self, estimator: Encoder | Predictor, pairs: Texts) -> Any:
        """Cosines of pairs, or predictions of an estimator without `transform`."""
        if hasattr(estimator, "predict") and not hasattr(estimator, "transform"):
            return estimator.predict(pairs)
        vectors = transform_pairs(estimator, pairs)
        if self.postprocess is not None:
            vectors = clone(self.postprocess).fit_transform(vectors)
        return cosine(vectors[:, 0], vectors[:, 1])

    def __repr__(self) -> str:
        average = ", average=True" if self.average else ""
        sets = f"{len(self.datasets)} data sets"
        return f"STSScorer({sets}, metric={self.__name__!r}{average})"
