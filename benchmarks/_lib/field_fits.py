"""Gains of a fit and of supervised models over the pretrained vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import average_precision_score
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline, make_union

from _lib.field_data import FieldData
from _lib.pages import Row
from skparaphrase import load_pretrained
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.metrics import pearson_score
from skparaphrase.pairs import PairFeatures, PairSimilarity
from skparaphrase.supervised import (
    PairClassifier,
    SimilarityRegressor,
    TextClassifier,
)

N_TEXTS = (5, 20, 100)  # of each class
MAX_TESTED = 2000  # maximum number of texts; drawn if there are more
N_PAIRS = (10, 20, 50, 100, 300)
MORE_SEEDS, MANY = 2, 100  # more seeds with fewer examples than this
START, FIT, HEAD, MODEL = "start", "fit", "features", "model"
LABELS = (
    "start, logistic",
    "start, centroid",
    "fit, logistic",
    "fit, centroid",
    "TextClassifier",
    "tf-idf",
    "start and tf-idf",
    "fit and tf-idf",
)
POSITIVES = "fit on positives"
FITTED = START, POSITIVES, FIT, HEAD, MODEL
FEW = START, FIT, HEAD, MODEL


def with_words(encoder: Any) -> Any:
    """The line of the user guide for words beside vectors."""
    features = make_union(encoder, TfidfVectorizer(sublinear_tf=True))
    return make_pipeline(features, LogisticRegression())


def label_models(seed: int, X: Any, y: Any) -> Iterator[tuple[str, Any]]:
    """Fitted classifiers, in the order of LABELS."""
    trained = ParaphraseEncoder(random_state=seed).fit(X, y)
    encoders = load_pretrained(), FrozenEstimator(trained)
    models = (
        *(
            make_pipeline(encoder, classifier)
            for encoder in encoders
            for classifier in (LogisticRegression(), NearestCentroid())
        ),
        TextClassifier(random_state=seed),
        make_pipeline(TfidfVectorizer(sublinear_tf=True), LogisticRegression(C=10)),
        *map(with_words, encoders),
    )
    for name, model in zip(LABELS, models, strict=True):
        yield name, model.fit(X, y)


def fitted_labels(data: FieldData) -> Iterator[Row]:
    for task, X, y, is_test in (*data.labelled(), *data.broad()):
        for n_texts in N_TEXTS:
            if n_texts * len(np.unique(y)) >= len(y):
                continue
            scores: dict[str, list[float]] = {name: [] for name in LABELS}
            draws = data.draws(y, is_test, n_texts, seeds(data, n_texts))
            for seed, (train, test) in enumerate(draws):
                test = np.random.RandomState(seed).permutation(test)[:MAX_TESTED]
                for name, model in label_models(seed, X[train], y[train]):
                    scores[name].append(100 * float(model.score(X[test], y[test])))
            yield row(f"{task}, {n_texts} a class", "accuracy", scores)


def fitted_pairs(data: FieldData) -> Iterator[Row]:
    """Average precision on the test pairs, after a fit on all training pairs."""
    for task in data.labelled_pairs():
        yield pair_row(data, task, average_precision_score)


def few_pairs(data: FieldData) -> Iterator[Row]:
    """The same after a fit on a few drawn pairs with labels or scores."""
    tasks = [(task, average_precision_score) for task in data.labelled_pairs()]
    tasks += [(task, pearson_score) for task in data.graded_pairs()]
    for task, metric in tasks:
        yield from (pair_row(data, task, metric, n_pairs) for n_pairs in N_PAIRS)


def pair_row(data: FieldData, task: Any, metric: Any, n_pairs: int = 0) -> Row:
    """A few pairs, or all."""
    name, X, y, train, test = task
    scores: dict[str, list[float]] = {each: [] for each in (FEW if n_pairs else FITTED)}
    for seed in seeds(data, n_pairs or len(y)):
        rows = train[drawn(y[train], n_pairs, seed)] if n_pairs else train
        for each, predict in pair_models(seed, X[rows], y[rows], scores):
            scores[each].append(100 * float(metric(y[test], predict(X[test]))))
    measure = "Pearson" if metric is pearson_score else "AP"
    return row(name + f", {n_pairs} pairs" * bool(n_pairs), measure, scores)


def drawn(y: Any, n_pairs: int, seed: int) -> Any:
    """Rows drawn at random; at least two per label."""
    order = np.random.RandomState(seed).permutation(len(y))
    if y.dtype.kind == "b":
        first = [order[y[order] == label][:2] for label in np.unique(y)]
        order = np.concatenate([*first, order[~np.isin(order, np.concatenate(first))]])
    return order[:n_pairs]


def pair_models(
    seed: int, X: Any, y: Any, names: Container[str]
) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Functions from pairs to scores, or to probabilities of label 1."""
    is_label = y.dtype.kind == "b"
    yield START, cosine(load_pretrained())
    if POSITIVES in names:
        yield POSITIVES, cosine_after(seed, X[y == 1])
    yield FIT, cosine_after(seed, X, y)
    head = LogisticRegression() if is_label else Ridge()
    kind = PairClassifier if is_label else SimilarityRegressor
    heads = make_pipeline(load_pretrained(), PairFeatures(), head)
    for name, model in ((HEAD, heads), (MODEL, kind(random_state=seed))):
        model.fit(X, y)
        yield name, positive(model) if is_label else model.predict


def cosine_after(seed: int, *examples: Any) -> Callable[[Any], Any]:
    return cosine(ParaphraseEncoder(random_state=seed).fit(*examples))


def cosine(encoder: Any) -> Callable[[Any], Any]:
    return make_pipeline(FrozenEstimator(encoder), PairSimilarity()).predict


def positive(model: Any) -> Callable[[Any], Any]:
    return lambda pairs: model.predict_proba(pairs)[:, 1]


def seeds(data: FieldData, n_examples: int) -> Sequence[int]:
    """More seeds if there are few examples."""
    few = not data.quick and n_examples < MANY
    return range(len(data.seeds) + MORE_SEEDS * few)


def row(task: str, measure: str, scores: Mapping[str, list[float]]) -> Row:
    return {"task": task, "call": FIT, "measure": measure, "scores": scores}


def fit_cells(each: Row) -> list[Any]:
    """A line of the table: means over the seeds, and the largest standard error."""
    values = each["scores"].values()
    errors = [np.std(of, ddof=1) / len(of) ** 0.5 for of in values if len(of) > 1]
    error = float(max(errors)) if errors else None
    return [each["task"], *(float(np.mean(of)) for of in values), error]
