"""Correlation of predicted with graded similarity."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import check_array, check_consistent_length, column_or_1d


def pearson_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Pearson's correlation coefficient, the measure of the STS tasks.

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
        Between -1 and 1; 0 where one of the two is constant. NaN for one sample.

    Raises
    ------
    ValueError
        For lengths that differ or values that are not finite.

    Examples
    --------
    >>> from skparaphrase.metrics import pearson_score
    >>> round(pearson_score([0, 2, 5], [0.1, 0.3, 0.9]), 3)
    0.986
    """
    true, predicted = _check(y_true, y_pred)
    weight = None
    if sample_weight is not None:
        weight = column_or_1d(
            check_array(sample_weight, ensure_2d=False, dtype=np.float64)
        )
        check_consistent_length(true, weight)
        if weight.min() < 0 or weight.max() == 0:
            raise ValueError("sample_weight must not be negative, nor all zero.")
    return _pearson(true, predicted, weight)


def spearman_score(y_true: Any, y_pred: Any) -> float:
    """Spearman's rank correlation coefficient, ties by their mean rank.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Graded scores.

    y_pred : array-like of shape (n_samples,)
        Predictions on any scale.

    Returns
    -------
    rho : float
        Between -1 and 1; 0 where one of the two is constant. NaN for one sample.

    Examples
    --------
    >>> from skparaphrase.metrics import spearman_score
    >>> round(spearman_score([0, 2, 5], [0.1, 0.3, 0.9]), 3)
    1.0
    """
    true, predicted = _check(y_true, y_pred)
    return _pearson(rankdata(true), rankdata(predicted), None)


def _check(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    checked = [
        column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name=name))
        for y, name in ((y_true, "y_true"), (y_pred, "y_pred"))
    ]
    check_consistent_length(*checked)
    return checked[0], checked[1]


def _pearson(first: Any, second: Any, weight: Any) -> float:
    if len(first) < 2:
        return float("nan")
    weight = np.ones_like(first) if weight is None else weight / weight.max()
    seen = weight > 0
    weight = weight[seen]
    first, second = _centred(first[seen], weight), _centred(second[seen], weight)
    if not (first.any() and second.any()):
        return 0.0
    squares = np.sqrt(weight @ first**2) * np.sqrt(weight @ second**2)
    if squares == 0:
        return 0.0
    return float(np.clip(weight @ (first * second) / squares, -1, 1))


def _centred(values: Any, weight: Any) -> Any:
    """Values less their mean, scaled so that no square overflows or vanishes."""
    if (values == values[0]).all():
        return np.zeros_like(values)  # whatever the rounding of the mean
    values = values / np.abs(values).max()
    values = values - np.average(values, weights=weight)
    return values / np.abs(values).max()
