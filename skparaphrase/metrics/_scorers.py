"""Scorers for model selection on semantic textual similarity."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import make_scorer

from skparaphrase.metrics._correlation import pearson_score, spearman_score
from skparaphrase.metrics._paired import cosine_similarity

pearson_scorer = make_scorer(pearson_score)
pearson_scorer.__name__ = "pearson"  # learning curves label their axis with it
pearson_scorer.__doc__ = "Scorer of estimators that predict the similarity of pairs."
spearman_scorer = make_scorer(spearman_score)
spearman_scorer.__name__ = "spearman"
spearman_scorer.__doc__ = "As `pearson_scorer`, by ranks."

_METRICS = {"pearson": pearson_score, "spearman": spearman_score}


class STSScorer:
    """Score an encoder by the similarities of its vectors on graded pairs of its own.

    A scorer for `GridSearchCV` and `cross_validate` over encoders that are fitted on
    something else than graded pairs, such as paraphrases: it ignores the test part of
    the split and scores on the pairs it holds.

    Parameters
    ----------
    datasets : tuple (pairs, scores) or mapping of str to such tuples
        Pairs of texts, shape (n_pairs, 2), and graded scores, shape (n_pairs,).

    metric : {"pearson", "spearman"}, default="pearson"

    postprocess : transformer, default=None
        Fitted on the vectors of each data set and applied to them before the cosine,
        such as :class:`~skparaphrase.decomposition.CommonComponentRemoval`, which the
        SIF paper fits on the sentences that it evaluates.

    average : bool, default=False
        Of several data sets give the mean alone, a number: what halving searches,
        learning curves and Optuna's search want.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV, ShuffleSplit
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.metrics import STSScorer
    >>> pairs, scores = load_similarity(return_X_y=True)
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
        metric: str = "pearson",
        postprocess: Any = None,
        average: bool = False,
    ) -> None:
        if metric not in _METRICS:
            raise ValueError(
                f"metric must be one of {sorted(_METRICS)}; got {metric!r}."
            )
        self._single = not isinstance(datasets, Mapping)
        if not isinstance(datasets, Mapping):
            datasets = {"sts": datasets}
        if not datasets or "mean" in datasets:
            raise ValueError(
                "datasets must hold at least one data set, and none named 'mean'."
            )
        for name, data in datasets.items():
            if not isinstance(data, tuple) or len(data) != 2:
                raise TypeError(
                    f"Data set {name!r} must be a tuple (pairs, scores); got "
                    f"{type(data).__name__}."
                )
            if len(data[0]) != len(data[1]):
                raise ValueError(
                    f"Data set {name!r} has {len(data[0])} pairs but {len(data[1])} "
                    "scores."
                )
        self.datasets = dict(datasets)
        self.metric = metric
        self.__name__ = metric  # for LearningCurveDisplay
        self.postprocess = postprocess
        self.average = average

    def __call__(
        self, estimator: Any, X: Any = None, y: Any = None
    ) -> float | dict[str, float]:
        """Score a fitted encoder, or a pipeline that ends in one or in a regressor.

        Parameters
        ----------
        estimator : estimator
            Has `transform` (texts to vectors) or, failing that, `predict` (pairs to
            similarities).

        X, y : ignored

        Returns
        -------
        score : float or dict of str to float
            A number for a single data set, or with `average`; else one per data set,
            and their unweighted "mean" (`GridSearchCV` then wants `refit="mean"`).
        """
        measure = _METRICS[self.metric]
        scores = {
            name: measure(gold, self.similarities(estimator, pairs))
            for name, (pairs, gold) in self.datasets.items()
        }
        if self._single:
            return scores["sts"]
        mean = float(np.mean(list(scores.values())))
        return mean if self.average else {**scores, "mean": mean}

    def similarities(self, estimator: Any, pairs: Any) -> Any:
        """The similarities that are scored.

        Parameters
        ----------
        estimator : estimator
            Has `transform`, or else `predict`.

        pairs : array-like of str of shape (n_pairs, 2)
            Any pairs of texts.

        Returns
        -------
        similarities : ndarray of shape (n_pairs,)
            Cosines, or what `predict` gives.
        """
        if not hasattr(estimator, "transform"):
            return estimator.predict(pairs)
        vectors = estimator.transform(pairs)
        if self.postprocess is not None:
            vectors = clone(self.postprocess).fit_transform(vectors)
        vectors = np.asarray(vectors)
        return cosine_similarity(vectors[:, 0], vectors[:, 1])

    def __repr__(self) -> str:
        average = ", average=True" if self.average else ""
        sets = f"{len(self.datasets)} data sets"
        return f"STSScorer({sets}, metric={self.metric!r}{average})"
