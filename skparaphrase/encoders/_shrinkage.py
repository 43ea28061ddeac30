"""Shrinkage of a fit on few examples towards its start.

The signal of a fit is its gain on unseen examples, and the noise is the standard error
of that gain. Both are estimated by cross-validation.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.model_selection import GroupKFold, PredefinedSplit

from skparaphrase._math import cosine, unit_vectors
from skparaphrase._progress import progress_bar
from skparaphrase.supervision._examples import Examples

N_ENOUGH = 1000  # examples; with this many, gains are larger than their errors
_N_FOLDS = 5
_TEMPERATURES = np.geomspace(0.01, 10, 16)  # at 10, all texts are about equally likely

Rows = NDArray[np.intp]
Values = NDArray[np.float64]
Embed = Callable[[list[str]], NDArray[np.float32]]


class Gain(NamedTuple):
    """Mean gain of training on an unseen example, and its standard error.

    `measure` names the quantity that increases.
    """

    mean: float
    error: float
    measure: str

    @property
    def shrinkage(self) -> float:
        """Squared noise-to-signal ratio, at most 1 (positive-part James-Stein)."""
        return 1.0 if self.mean <= self.error else (self.error / self.mean) ** 2

    def __str__(self) -> str:
        return (
            f"shrinkage {self.shrinkage:.2f}: on unseen examples, training gains "
            f"{self.mean:+.3f} +- {self.error:.3f} ({self.measure}, {_N_FOLDS} folds)"
        )


def measure_gain(
    examples: Examples,
    start: Embed,
    fit: Callable[[Examples], Embed],
    random_state: RandomState,
) -> Gain:
    """Estimate by cross-validation the gain from training on unseen examples.

    Parameters
    ----------
    examples : Examples
        Their weights are used only in training.
    start : callable
        Returns the vectors that training starts from, given texts.
    fit : callable
        Trains on examples and returns a callable that embeds texts.
    random_state : RandomState
        Draws the folds.
    """
    name, measure = _measure_of(examples)
    texts, indices = examples.distinct, examples.indices
    initial = unit_vectors(start(texts))
    rows, before, after = [], [], []
    with progress_bar(_N_FOLDS, "Cross-validation", "fold") as advance:
        for train, held_out in folds(examples, random_state):
            part = examples.take(train)
            try:
                part.kind.check_split(part, part, 1 / _N_FOLDS)
                embed = fit(part)
            except ValueError:  # too few are left to train on
                continue
            measured = slice(None) if measure is class_likelihoods else held_out
            used = np.unique(indices[measured])  # class labels need all texts
            trained = np.zeros_like(initial)
            trained[used] = unit_vectors(embed([texts[i] for i in used]))
            before.append(measure(initial, examples, train, held_out))
            after.append(measure(trained, examples, train, held_out))
            rows.append(held_out)
            advance(1)
    if sum(values.shape[-1] for values in before) < 2:
        return Gain(0.0, 0.0, name)
    first, last = np.hstack(before), np.hstack(after)
    if measure is cosines:  # the less certain gain: a fit may distort one of the two
        y = examples.targets[np.concatenate(rows)]
        both = [influence(last, v) - influence(first, v) for v in (y, rankdata(y))]
        gains = min(both, key=lambda gain: gain.mean() / max(gain.std(), 1e-12))
    else:  # each at its best temperature, so a wider range of cosines is no gain
        gains = last[last.mean(axis=1).argmax()] - first[first.mean(axis=1).argmax()]
    error = gains.std(ddof=1) / np.sqrt(len(gains))
    return Gain(float(gains.mean()), float(error), name)


def folds(examples: Examples, random_state: RandomState) -> Iterator[tuple[Rows, Rows]]:
    """Rows to train on and rows held out; connected examples stay together.

    With labels, each fold has its share of the classes.
    """
    groups = examples.connected()
    first = np.unique(groups, return_index=True)[1]
    n_folds = min(_N_FOLDS, len(first))
    if n_folds < 2:
        return
    if examples.kind.name != "labels":
        splitter = GroupKFold(n_folds, shuffle=True, random_state=random_state)
        yield from splitter.split(groups, groups=groups)
        return
    order = random_state.permutation(len(first))
    order = order[np.argsort(examples.targets[first][order], kind="stable")]
    fold_of = np.empty_like(first)
    fold_of[order] = np.arange(len(first)) % n_folds
    yield from PredefinedSplit(fold_of[groups]).split()


def _measure_of(examples: Examples) -> tuple[str, Any]:
    """The measure for a kind of examples: its name and its function."""
    if examples.kind.name == "labels":
        return "log-likelihood of the class", class_likelihoods
    if examples.targets is None:
        return "log-likelihood of the paraphrase", pair_likelihoods
    return "correlation with y and with its ranks", cosines


def class_likelihoods(
    vectors: NDArray[Any], examples: Examples, train: Any, held_out: Any
) -> Values:
    """Log-likelihoods of the classes of held-out texts, given the training texts."""
    classes, indices = examples.targets, examples.indices
    known = held_out[np.isin(classes[held_out], classes[train])]
    similarities = vectors[indices[known]] @ vectors[indices[train]].T
    return likelihoods(similarities, classes[known][:, np.newaxis] == classes[train])


def pair_likelihoods(
    vectors: NDArray[Any], examples: Examples, train: Any, held_out: Any
) -> Values:
    """Log-likelihoods of paraphrases among held-out texts, mean of both directions."""
    texts, rows = np.unique(examples.indices[held_out], return_inverse=True)
    vectors, (first, second) = vectors[texts], rows.reshape(len(held_out), -1).T[:2]
    both, columns = [], np.arange(len(texts))
    for query, right in (first, second), (second, first):
        is_right = columns == right[:, np.newaxis]
        is_candidate = (columns != query[:, np.newaxis]) | is_right
        both.append(likelihoods(vectors[query] @ vectors.T, is_right, is_candidate))
    return np.asarray(np.mean(both, axis=0))


def cosines(
    vectors: NDArray[Any], examples: Examples, train: Any, held_out: Any
) -> Values:
    """Cosines of held-out pairs."""
    first, second = examples.indices[held_out].T[:2]
    return cosine(vectors[first], vectors[second]).astype(np.float64)


def likelihoods(
    similarities: NDArray[Any], is_right: NDArray[Any], is_candidate: Any = True
) -> Values:
    """Log-likelihood that the soft nearest neighbour among candidates is correct.

    Goldberger et al. (2005), with cosines; shape (n_temperatures, n_queries).
    """
    logs, far = [], similarities.astype(np.float64) - 1  # at 0.01, at least exp(-200)
    for temperature in _TEMPERATURES:
        weights = np.exp(far / temperature)
        right, total = (
            (weights * chosen).sum(axis=1) for chosen in (is_right, is_candidate)
        )
        logs.append(np.log(right / total))
    return np.asarray(logs)


def influence(x: NDArray[Any], y: NDArray[Any]) -> Values:
    """Influence of each example on Pearson's r: r + zx zy - r (zx^2 + zy^2) / 2."""
    x, y = ((v - v.mean()) / max(v.std(), 1e-12) for v in (x, y))
    r = (x * y).mean()
    return np.asarray(r + x * y - r * (x * x + y * y) / 2)
