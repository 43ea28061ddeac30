"""The first call, with all defaults, and cheap baselines on tasks of many kinds.

    export OMP_NUM_THREADS=1
    python benchmarks/quality/field.py --data ../shared [--quick] [--only SECTIONS]

Sections (`--only search,labels` runs some): search (by vectors, and by vectors and
words), documents (passages, and a fit on the texts themselves), unanswered (queries
that no text answers), clusters, labels, records, duplicates, pair features, and gains
from a fit and supervised models ("fitted labels", "fitted pairs" and "few pairs"). All
use development data. The results of sections that were not run are kept. A seed, 0 to 2
(0 to 4 if there are few examples), draws training texts, pairs, initial centres and
folds.

Takes a quarter of an hour on one core. Writes `benchmarks/results/field.json`, with the
figures of all seeds, and `.md`, with their means and the targets.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import clone, is_classifier
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    adjusted_rand_score,
    average_precision_score,
    roc_auc_score,
    v_measure_score,
)
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, normalize

from skparaphrase import load_pretrained, similarity
from skparaphrase._core import distinct_weights
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.losses import InfoNCELoss
from skparaphrase.metrics import pearson_score
from skparaphrase.pairs import PairFeatures, make_cloze_pairs
from skparaphrase.search import NearDuplicates, SemanticSearch
from skparaphrase.search._duplicates import _read
from skparaphrase.text import WordTokenizer

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.field_data import FieldData
from _lib.field_fits import (
    FEW,
    FITTED,
    LABELS,
    few_pairs,
    fit_cells,
    fitted_labels,
    fitted_pairs,
)
from _lib.pages import Results, Row, publish_sections
from _lib.papers import parse_args, score_sts, sts_means, table

FIRST = "first call"
BOTH = 'SemanticSearch(lexical="char_wb")'
VECTORS = "vectors"  # SemanticSearch(), compared with BOTH
KINDS = ("raw", "mean"), ("words", "characters", "BM25")  # baselines: vectors, words
METHODS = (FIRST, *KINDS[0], *KINDS[1])
CHARACTERS: dict[str, Any] = {
    "analyzer": "char_wb",
    "ngram_range": (3, 5),
    "sublinear_tf": True,
}
N_TEXTS = (5, 20)  # of each class
K = 10  # hits of a query
FITS = {  # sections and their columns
    "fitted labels": LABELS,
    "fitted pairs": FITTED,
    "few pairs": FEW,
}
OTHERS = {"documents", "duplicates", *FITS}  # sections with tables of their own
MARGIN = 0.5  # a smaller lead does not count
SENTENCE = r"(?<=[.!?])\s+"  # between the passages of a document
DOCUMENTS = "Medline", "StackFAQ, answers"  # tasks
N_DOCUMENTS = (10, 30, 100, 300)  # numbers of documents of a fit
WHOLE, PASSAGES, GENERAL = "whole texts", "passages", "STS"
THRESHOLDS = np.arange(20, 100) / 100  # of near duplicates
PAIRS, GROUPED = KINDS_FOUND = "pairs", "groups"
FOUND = "threshold", "precision", "recall", "F1"
DUPLICATE_HEADS = (
    *(f"{kind}, {name}" for kind in KINDS_FOUND for name in FOUND[1:]),
    *(f"threshold of {kind}" for kind in KINDS_FOUND),
)
Scores = Mapping[str, list[float]]  # a figure of each seed, or one, by method
Hits = Sequence[Any]  # for each query, the rows of the best texts, the best first


# Vectors -----------------------------------------------------------------------------


def raw_average(texts: Any) -> Any:
    """Average the distinct words of whole texts, without normalisation."""
    vectors, blocks = load_pretrained().vectors, []
    for start in range(0, len(texts), 1000):
        batch = vectors.encode(texts[start : start + 1000], WordTokenizer())
        text = np.repeat(np.arange(len(batch)), batch.lengths)
        keys = text << 32 | batch.ids.view(np.uint32)
        first = np.sort(np.unique(keys, return_index=True)[1])
        rows = vectors.token_vectors(batch.ids[first], batch.extra)
        places = text[first], np.arange(len(rows))
        weights = distinct_weights(rows, text[first])
        blocks.append(csr_array((weights, places), (len(batch), len(rows))) @ rows)
    return np.concatenate(blocks)


def vectorizers() -> dict[str, Any]:
    """The encoder of the first call, and the vectors of the baselines."""
    return {
        FIRST: load_pretrained(),
        "raw": FunctionTransformer(raw_average),
        "mean": load_pretrained(pooling="mean"),
        "words": TfidfVectorizer(),
        "characters": TfidfVectorizer(**CHARACTERS),
    }


def cosines(vectorizer: Any, pairs: Any) -> Any:
    """The cosine of each pair; tf-idf is fitted on all of their texts."""
    unit = normalize(vectorizer.fit_transform(pairs.ravel()))
    if issparse(unit):
        return np.asarray(unit[0::2].multiply(unit[1::2]).sum(axis=1)).ravel()
    return np.vecdot(unit[0::2], unit[1::2])


# Search ------------------------------------------------------------------------------


def ndcg(hits: Hits, right: Sequence[Any]) -> float:
    """nDCG@10, the mean over queries; a text is right or wrong."""
    gains = 1 / np.log2(np.arange(2, K + 2))
    found = [
        gains[: len(rows)][np.isin(rows, expected)].sum()
        for rows, expected in zip(hits, right, strict=True)
    ]
    ideal = [gains[: len(expected)].sum() for expected in right]
    return float(np.mean(np.divide(found, ideal)))


def recall_at_1(hits: Hits, right: Sequence[Any]) -> float:
    """The share of the queries whose first text is right."""
    found = [rows[0] in expected for rows, expected in zip(hits, right, strict=True)]
    return float(np.mean(found))


def ranked(texts: Any, queries: Any) -> Iterator[tuple[str, Hits]]:
    """The best texts for each query, by method."""
    for name, vectorizer in vectorizers().items():
        if name == FIRST:
            yield name, SemanticSearch().fit(texts).search(queries, k=K).row
        else:
            corpus = normalize(vectorizer.fit_transform(texts))
            products = normalize(vectorizer.transform(queries)) @ corpus.T
            yield name, best(products.toarray() if issparse(products) else products)
    yield "BM25", best(np.array([*word_scores(texts, queries)]))


def word_scores(texts: Any, queries: Any) -> Iterator[Any]:
    """The scores of all texts by BM25, for each query."""
    options: dict[str, Any] = {"stopwords": None, "show_progress": False}
    words = bm25s.BM25(k1=1.5, b=0.75)
    words.index(bm25s.tokenize([*texts], **options), show_progress=False)
    tokens = bm25s.tokenize([*queries], return_ids=False, **options)
    yield from map(words.get_scores, tokens)


def best(scores: Any) -> Hits:
    """The columns of the largest scores of each row; with ties, the first."""
    return np.argsort(-scores, axis=1, kind="stable")[:, :K]


def search(data: FieldData) -> Iterator[Row]:
    measures = {"Abt-Buy": {"nDCG@10": ndcg, "R@1": recall_at_1}}
    measures["units"] = {"R@1": recall_at_1}
    for task, (texts, queries, right) in data.searches():
        hits = dict(ranked(texts, queries))
        both = SemanticSearch(lexical="char_wb").fit(texts).search(queries, k=K).row
        for measure, score in measures.get(task, {"nDCG@10": ndcg}).items():
            scores = {name: [100 * score(rows, right)] for name, rows in hits.items()}
            yield row(task, "SemanticSearch()", measure, scores)
            rivals = {name: scores[name] for name in KINDS[1]}
            found = {FIRST: [100 * score(both, right)], VECTORS: scores[FIRST]}
            yield row(task, BOTH, measure, found | rivals)


def best_scores(texts: Any, queries: Any) -> Iterator[tuple[str, Any]]:
    """The score of the best text for each query, by method."""
    for name, vectorizer in vectorizers().items():
        if name == FIRST:
            yield name, SemanticSearch().fit(texts).search(queries, k=1).score[:, 0]
        else:
            nearest = NearestNeighbors(n_neighbors=1, metric="cosine")
            nearest.fit(vectorizer.fit_transform(texts))
            yield name, 1 - nearest.kneighbors(vectorizer.transform(queries))[0][:, 0]
    yield "BM25", [scores.max() for scores in word_scores(texts, queries)]


def unanswered(data: FieldData) -> Iterator[Row]:
    texts, queries, has_answer = data.unanswered()
    scores = {
        name: [100 * float(roc_auc_score(has_answer, values))]
        for name, values in best_scores(texts, queries)
    }
    yield row("CLINC150, out of scope", "SemanticSearch()", "AUC", scores)


def documents(data: FieldData) -> Iterator[Row]:
    """Whole texts and passages, before and after a fit on the texts, and baselines."""
    for task, (texts, queries, right) in data.searches():
        if task not in DOCUMENTS:
            continue
        splits = [list(filter(str.strip, re.split(SENTENCE, text))) for text in texts]
        passages = [sentence for sentences in splits for sentence in sentences]
        groups = np.repeat(np.arange(len(texts)), list(map(len, splits)))
        for call, encoders in trained(texts, data.seeds).items():
            scores: dict[str, list[float]] = {WHOLE: [], PASSAGES: [], GENERAL: []}
            for encoder in encoders:
                hits = SemanticSearch(encoder).fit(texts).search(queries, k=K).row
                scores[WHOLE].append(100 * ndcg(hits, right))
                search = SemanticSearch(encoder).fit(passages)
                hits = groups[search.search(queries, k=K, groups=groups).row]
                scores[PASSAGES].append(100 * ndcg(hits, right))
                scores[GENERAL].append(sts_means(score_sts(encoder, data))["with 2015"])
            yield row(task, call, "nDCG@10", scores)
        for name, hits in ranked(texts, queries):
            if name != FIRST:
                yield row(task, name, "nDCG@10", {WHOLE: [100 * ndcg(hits, right)]})


def trained(texts: Any, seeds: Sequence[int]) -> dict[str, list[Any]]:
    """The encoder without a fit, and fitted on texts, once per seed."""
    found = {"`load_pretrained()`": [load_pretrained()]}
    best = ParaphraseEncoder(loss=InfoNCELoss(keep=0))
    for n_texts, each in (
        (None, ParaphraseEncoder()),
        *((n_texts, best) for n_texts in (None, *N_DOCUMENTS)),
    ):
        name = f"`{each}`" + (f", {n_texts} texts" if n_texts else "")
        found[name] = [fit_on(texts, n_texts, each, seed) for seed in seeds]
    return found


def fit_on(texts: Any, n_texts: int | None, encoder: Any, seed: int) -> Any:
    """A fit on the texts, or on a sample of them."""
    if n_texts:
        texts = np.random.RandomState(seed).permutation(texts)[:n_texts]
    pairs = make_cloze_pairs(texts, random_state=seed)
    return clone(encoder).set_params(random_state=seed).fit(pairs)


# Clusters, labels, records -----------------------------------------------------------


def clusters(data: FieldData) -> Iterator[Row]:
    for task, texts, y in data.clusters():
        n_clusters, found = len(np.unique(y)), {}
        for name, vectorizer in vectorizers().items():
            vectors = vectorizer.fit_transform(texts)
            models = [KMeans(n_clusters, random_state=seed) for seed in data.seeds]
            found[name] = [model.fit_predict(vectors) for model in models]
        for measure, score in (
            ("ARI", adjusted_rand_score),
            ("v-measure", v_measure_score),
        ):
            scores = {
                name: [100 * float(score(y, labels)) for labels in runs]
                for name, runs in found.items()
            }
            yield row(task, f"KMeans({n_clusters})", measure, scores)


def labels(data: FieldData) -> Iterator[Row]:
    for task, X, y, is_test in data.labelled():
        runs: list[tuple[Any, int]] = [(LogisticRegression(), n) for n in N_TEXTS]
        if task == "CLINC150":
            runs.append((KNeighborsClassifier(), 100))
        for classifier, n_texts in runs:
            scores = {}
            for name, vectorizer in vectorizers().items():
                model = make_pipeline(vectorizer, classifier)
                scores[name] = [
                    100 * float(model.fit(X[train], y[train]).score(X[test], y[test]))
                    for train, test in data.draws(y, is_test, n_texts)
                ]
            yield row(f"{task}, {n_texts} a class", f"{classifier}", "accuracy", scores)


def records(data: FieldData) -> Iterator[Row]:
    pairs, is_same = data.records("test")
    found = {name: cosines(each, pairs) for name, each in vectorizers().items()}
    found[FIRST] = similarity(*pairs.T)
    scores = {
        name: [100 * float(average_precision_score(is_same, values))]
        for name, values in found.items()
    }
    yield row("Abt-Buy, pairs", "similarity(a, b)", "AP", scores)


# Near duplicates ---------------------------------------------------------------------


def duplicates(data: FieldData) -> Iterator[Row]:
    """Matching of the names of two shops by product, at the best threshold."""
    names, n_first, is_same = data.shops()
    for call, model in groupings(names).items():
        model.set_params(threshold=THRESHOLDS[0]).fit(names)
        cosines = cosines_of(model)[:n_first, n_first:]
        labels = map(model.labels_at, THRESHOLDS)
        found = {
            PAIRS: [cosines >= threshold for threshold in THRESHOLDS],
            GROUPED: [each[:n_first, np.newaxis] == each[n_first:] for each in labels],
        }
        scores = {
            f"{kind}, {name}": value
            for kind, of_thresholds in found.items()
            for name, value in best_f1(of_thresholds, is_same).items()
        }
        yield row("Abt-Buy, all names", call, "F1", scores)


def groupings(names: Any) -> dict[str, NearDuplicates]:
    """Unfitted models by their calls; `equal_numbers` compares all numbers."""
    numbers = dict(zip(names, _read(names, np.zeros(len(names)), True)[0], strict=True))

    def equal_numbers(first: str, second: str) -> bool:
        return bool(numbers[first] == numbers[second])

    calls: dict[str, dict[str, Any]] = {
        "must_agree=equal_numbers": {"must_agree": equal_numbers}
    }
    for call, options in (
        ("", {}),
        ('lexical="char_wb"', {"lexical": "char_wb"}),
        ("characters", {"lexical": "char_wb", "lexical_weight": 1}),
        ("words", {"lexical": TfidfVectorizer(), "lexical_weight": 1}),
        ("raw", {"encoder": FunctionTransformer(raw_average)}),
        ("mean", {"encoder": load_pretrained(pooling="mean")}),
    ):
        calls[call] = options
        without = options | {"must_agree": None}
        calls[f"{call}, must_agree=None".removeprefix(", ")] = without
    return {
        f"NearDuplicates({call})": NearDuplicates(**options)
        for call, options in calls.items()
    }


def cosines_of(model: Any) -> Any:
    """The score of all pairs of texts; 1 for copies, and -1 if not a candidate."""
    n = len(model.copy_of_)
    scores = np.full((n, n), -1.0, np.float32)
    for rows in (model.pairs_, model.pairs_[:, ::-1]):
        scores[tuple(rows.T)] = model.cosines_
    np.fill_diagonal(scores, 1)
    return scores[model.copy_of_][:, model.copy_of_]


def best_f1(found: Sequence[Any], is_same: Any) -> dict[str, list[float]]:
    """The threshold of the largest F1, and its figures."""
    n_same, figures = np.count_nonzero(is_same), []
    for threshold, pairs in zip(THRESHOLDS, found, strict=True):
        n_right, n_found = map(np.count_nonzero, (pairs & is_same, pairs))
        precision, recall = n_right / max(n_found, 1), n_right / n_same
        shares = precision, recall, 2 * n_right / (n_found + n_same)
        figures.append((float(threshold), *(100 * float(each) for each in shares)))
    best = max(figures, key=lambda each: each[-1])
    return {name: [value] for name, value in zip(FOUND, best, strict=True)}


# Pair features -----------------------------------------------------------------------


def pair_features(data: FieldData) -> Iterator[Row]:
    for task, pairs, y, runs in data.scored_pairs():
        head: Any = Ridge()
        measures = {"Pearson": pearson_score}
        if task == "MSRP":
            head = LogisticRegression()
            measures = {"accuracy": share_right, "AP": average_precision_score}
        found = {}
        for name, vectorizer in vectorizers().items():
            X, model = pairs, make_pipeline(vectorizer, PairFeatures(), head)
            if name != FIRST:
                X, model = cosines(vectorizer, pairs)[:, np.newaxis], head
            found[name] = [predicted(model, X, y, splits) for splits in runs]
        gold = [y[np.concatenate([test for _, test in splits])] for splits in runs]
        for measure, score in measures.items():
            scores = {
                name: [
                    100 * float(score(*each)) for each in zip(gold, values, strict=True)
                ]
                for name, values in found.items()
            }
            yield row(task, f"PairFeatures(), {head}", measure, scores)


def predicted(model: Any, X: Any, y: Any, splits: Sequence[Any]) -> Any:
    """The tested rows of all splits: their scores, or probabilities of label 1."""
    values = []
    for train, test in splits:
        model.fit(X[train], y[train])
        if is_classifier(model):
            values.append(model.predict_proba(X[test])[:, 1])
        else:
            values.append(model.predict(X[test]))
    return np.concatenate(values)


def share_right(gold: Any, probabilities: Any) -> float:
    return float(np.mean(gold == (probabilities > 0.5)))


# Table -------------------------------------------------------------------------------


def row(task: str, call: str, measure: str, scores: Scores) -> Row:
    return {"task": task, "call": call, "measure": measure, "scores": scores}


def better(scores: Scores) -> list[str]:
    """The baselines whose mean lead exceeds MARGIN and its standard error."""
    found = []
    for name, values in scores.items():
        leads = np.subtract(values, scores[FIRST])
        error = leads.std(ddof=1) / np.sqrt(len(leads)) if len(leads) > 1 else 0
        if leads.mean() > max(MARGIN, error):
            found.append(name)
    return found


def line_of(each: Row) -> list[Any]:
    """A line of the table: means over the seeds, and better baselines."""
    scores = each["scores"]
    means = [
        float(np.mean(scores[name])) if name in scores else None for name in METHODS
    ]
    leaders = ", ".join(better(scores)) or None
    return [each["task"], f"`{each['call']}`", each["measure"], *means, leaders]


def document_cells(each: Row) -> list[Any]:
    """A line of the table of documents: means over the seeds."""
    scores = each["scores"]
    columns = [scores.get(name) for name in (WHOLE, PASSAGES, GENERAL)]
    means = [None if values is None else float(np.mean(values)) for values in columns]
    return [each["task"], each["call"], *means]


def both_cells(each: Row) -> list[Any]:
    """A line of the table of words and vectors; the last columns compare."""
    means = {name: float(np.mean(values)) for name, values in each["scores"].items()}
    leaders = ", ".join(better(each["scores"])) or None
    lead = f"{lead_of_both(each):+.1f}"
    return [each["task"], each["measure"], *means.values(), lead, leaders]


def lead_of_both(each: Row) -> float:
    """The lead of words and vectors over the better of the two parts."""
    both, *parts = (each["scores"][name] for name in (FIRST, VECTORS, "characters"))
    return float(np.mean(both) - max(map(np.mean, parts)))


def duplicate_cells(each: Row) -> list[Any]:
    """A line of the table of near duplicates."""
    scores = {name: value for name, (value,) in each["scores"].items()}
    thresholds = [f"{scores.pop(f'{kind}, {FOUND[0]}'):.2f}" for kind in KINDS_FOUND]
    return [f"`{each['call']}`", *scores.values(), *thresholds]


SECTIONS: dict[str, Callable[[FieldData], Iterator[Row]]] = {
    "search": search,
    "unanswered": unanswered,
    "documents": documents,
    "clusters": clusters,
    "labels": labels,
    "records": records,
    "duplicates": duplicates,
    "pairs": pair_features,
    "fitted labels": fitted_labels,
    "fitted pairs": fitted_pairs,
    "few pairs": few_pairs,
}


def main() -> None:
    args = parse_args(__doc__, seeds=3, sections=SECTIONS)
    publish_sections(args, "field", SECTIONS, FieldData, cells)


def cells(results: Results) -> dict[str, Any]:
    rows = [
        each
        for name, section in results.items()
        for each in section
        if name not in OTHERS and each["call"] != BOTH
    ]
    both = [each for each in results.get("search", []) if each["call"] == BOTH]
    leads = [{*better(each["scores"])} for each in rows]
    vectors, words = (sum(map(bool, map({*of}.intersection, leads))) for of in KINDS)
    documents, duplicates = (results.get(of, []) for of in ("documents", "duplicates"))
    return {
        "n_rows": len(rows),
        "by_vectors": vectors,
        "by_words": words,
        "n_both": len(both),
        "n_below": sum(lead_of_both(each) < 0 for each in both),
        "tasks": table(
            ["task", "call", "measure", *METHODS, "better"], list(map(line_of, rows))
        ),
        "words_and_vectors": table(
            ["task", "measure", "both", VECTORS, *KINDS[1], "lead", "better"],
            list(map(both_cells, both)),
        ),
        "near_duplicates": table(
            ["call", *DUPLICATE_HEADS], list(map(duplicate_cells, duplicates))
        ),
        "documents": table(
            ["task", "vectors", WHOLE, PASSAGES, GENERAL],
            list(map(document_cells, documents)),
        ),
        **{
            name.replace(" ", "_"): table(
                ["task", *columns, "error"], list(map(fit_cells, results.get(name, [])))
            )
            for name, columns in FITS.items()
        },
    }


if __name__ == "__main__":
    main()
