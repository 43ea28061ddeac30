"""The benchmark of the first call: its measures, baselines, marks and tasks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import json
import lzma
import math
import sys
from argparse import Namespace
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score
from sklearn.preprocessing import FunctionTransformer

from skparaphrase import load_pretrained, similarity
from skparaphrase.datasets import (
    load_answer_ranking,
    load_faq,
    load_graded_pairs,
    load_paraphrases,
)
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder
from skparaphrase.supervised import TextClassifier

FOLDER = Path(__file__).parents[1]
ignore_equal_dimensions = pytest.mark.filterwarnings("ignore:self.within_class_std_dev")


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.syspath_prepend(str(FOLDER / "quality"))


@pytest.fixture
def field():
    return importlib.import_module("field")


@pytest.fixture
def fits(monkeypatch):
    """The fits of the field benchmark, with few examples."""
    module = importlib.import_module("_lib.field_fits")
    monkeypatch.setattr(module, "N_TEXTS", (5,))
    monkeypatch.setattr(module, "N_PAIRS", (10, 100))
    return module


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder with bundled data in place of the public data."""
    root = tmp_path_factory.mktemp("shared")
    faq = load_faq()
    topics = np.unique(faq.topics)[:3]
    texts = [
        (topic, text)
        for topic in topics
        for text in np.array(faq.data)[np.array(faq.topics) == topic][:60]
    ]
    pairs, scores = load_graded_pairs(return_X_y=True)
    scored = [(f"{s}", *pair) for s, pair in zip(scores, pairs, strict=True)]
    labelled = [(int(float(s) > 3), *pair) for s, *pair in scored]
    same = load_paraphrases().data[:60].tolist()
    products = [
        (one, two, ("train", "test")[n % 2], 1) for n, (one, two) in enumerate(same)
    ]
    products.append(("A white lamp, 40 W", "A white lamp, 60 W", "train", 0))
    for step, part in ((1, "train"), (2, "test")):
        others = [*same[step:], *same[:step]]
        products += [
            (one, two, part, 0) for (one, _), (_, two) in zip(same, others, strict=True)
        ]
    folds = [("12"[n % 2], *row) for n, row in enumerate(texts)]
    documents = zip(faq.data[:20], faq.data[20:40], strict=True)
    numbers = [*enumerate(map(" ".join, documents))]
    threads = [(0, "a lost card", "call us"), (0, "a lost card", "block it. at once.")]
    threads += [(1, "the rates", "see our list")]
    write(root, "intents/train.tsv", "intent text", texts[::2])
    write(root, "intents/test.tsv", "intent text", texts[1::2])
    write(root, "field/hwu64.tsv.xz", "fold label text", folds)
    foreign = [("oos", text) for text in load_answer_ranking().data[:20, 0]]
    write(root, "intents/out-of-scope-test.tsv", "intent text", foreign)
    for name in ("agnews", "biomedical"):
        write(root, f"field/{name}.tsv.xz", "label text", texts)
    write(root, "field/medline-docs.tsv.xz", "id text", numbers)
    write(root, "field/medline-queries.tsv.xz", "id text", numbers[5:7])
    judged = [(5, 5), (5, 7), (6, 6)]
    write(root, "field/medline-qrels.tsv.xz", "query doc", judged)
    write(root, "field/stackfaq-answers.tsv.xz", "thread question answer", threads)
    write(
        root,
        "field/stackfaq-queries.tsv.xz",
        "thread text",
        [(1, "rates"), (0, "lost")],
    )
    write(root, "field/abtbuy.tsv.xz", "name1 name2 split label", products)
    wanted = [(n // 60, text) for n, (_, text) in enumerate(texts)]
    for name in ("trec/train", "subj/all", "mr/all"):
        write(root, f"classification/{name}.tsv", "label text", wanted)
    write(root, "classification/trec/test.tsv", "label text", wanted[::7])
    for part in ("train", "test"):
        rows = [(*pair, label) for *pair, where, label in products if where == part]
        write(root, f"trecqa/{part}.tsv", "question answer label", rows)
    for name in ("train", "test"):
        write(root, f"sick/{name}.tsv", "score sentence1 sentence2", scored[:60])
    for n in range(2):
        rows = scored[60 * n : 60 * (n + 1)]
        write(root, f"sts/2012-train.{n}.tsv", "score sentence1 sentence2", rows)
    for n, year in enumerate((2012, 2013, 2014, 2015)):
        rows = scored[30 * n : 30 * (n + 1)]
        write(root, f"sts/{year}.any.tsv", "score sentence1 sentence2", rows)
    for n, name in enumerate(("train", "dev", "test")):
        rows = labelled[n::3]
        write(root, f"msrp/{name}.tsv", "label sentence1 sentence2", rows)
    return root


def write(root, name, head, rows):
    path = root / "data" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join("\t".join(map(str, row)) + "\n" for row in [head.split(), *rows])
    content = text.encode()
    path.write_bytes(lzma.compress(content) if path.suffix == ".xz" else content)


@pytest.fixture
def data(root):
    module = importlib.import_module("_lib.field_data")
    return module.FieldData(Namespace(data=root, quick=False, seeds=2))


# Measures ----------------------------------------------------------------------------


def test_ndcg_by_hand(field):
    second = (1 / math.log2(3)) / (1 + 1 / math.log2(3))  # one of two, in second place
    assert field.ndcg([[3, 1, 7]], [[1, 9]]) == pytest.approx(second)
    assert field.ndcg([[3, 1, 7], [4, 5, 6]], [[1, 9], [4]]) == pytest.approx(
        (second + 1) / 2
    )
    assert field.ndcg([[*range(10)]], [[*range(30)]]) == pytest.approx(1)
    assert field.ndcg([[1, 2]], [[3]]) == 0


def test_recall_at_1_by_hand(field):
    assert field.recall_at_1([[3, 1], [1, 3], [2, 5], [5, 2]], [[3, 4]] * 4) == 0.25


def test_equal_scores_keep_the_order_of_the_texts(field):
    hits = field.best(np.array([[0.0, 2.0, 0.0, 2.0, *[0.0] * 20]]))
    assert hits.tolist() == [[1, 3, 0, 2, 4, 5, 6, 7, 8, 9]]


def test_who_is_better(field):
    def marked(*leads):
        first = [50.0 - lead for lead in leads]
        return field.better({field.FIRST: first, "raw": [50.0] * len(leads)})

    assert marked(0.6) == ["raw"]
    assert marked(0.4) == marked(-3) == []
    assert marked(1.0, 2.0, 3.0) == ["raw"]
    assert marked(-6.0, 1.0, 8.0) == []  # 1 point, with a standard error of 4


def test_a_line_of_the_table(field):
    scores = {field.FIRST: [1.0, 3.0], "mean": [2.0, 3.0], "BM25": [4.0, 6.0]}
    line = field.line_of(field.row("task", "KMeans(2)", "ARI", scores))
    values = [2.0, None, 2.5, None, None, 5.0]
    assert line == ["task", "`KMeans(2)`", "ARI", *values, "BM25"]


def test_a_line_of_words_and_vectors(field):
    scores = {field.FIRST: [50.0], "vectors": [40.0], "words": [51.0]}
    scores |= {"characters": [48.8], "BM25": [50.5]}
    line = field.both_cells(field.row("task", field.BOTH, "R@1", scores))
    assert line == ["task", "R@1", 50.0, 40.0, 51.0, 48.8, 50.5, "+1.2", "words"]
    scores["vectors"] = [50.3]
    assert field.both_cells(field.row("", field.BOTH, "", scores))[-2] == "-0.3"


def test_the_best_f1_by_hand(field, monkeypatch):
    """Two right pairs: both with two wrong ones, then one alone, then none."""
    monkeypatch.setattr(field, "THRESHOLDS", [0.2, 0.5, 0.9])
    is_same = np.array([[True, False], [False, True]])
    found = [np.ones((2, 2), bool), np.array([[True, False], [False, False]])]
    scores = field.best_f1([*found, ~np.ones((2, 2), bool)], is_same)
    assert [*scores] == ["threshold", "precision", "recall", "F1"]
    assert [*scores.values()] == [[0.2], [50], [100], [pytest.approx(200 / 3)]]
    scores = field.best_f1([found[1], is_same, found[0]], is_same)
    assert [*scores.values()] == [[0.5], [100], [100], [100]]


# Baselines ---------------------------------------------------------------------------


def test_raw_averages_of_short_texts_are_those_of_the_encoder(field):
    texts = [*load_faq().data[:1200:40], "xqzzt 128GB", "xqzzt xqzzt, blorf-7!"]
    encoder = AverageEncoder(load_pretrained().vectors, pooling="distinct")
    found = field.raw_average(np.array(texts, object))
    np.testing.assert_allclose(found, encoder.transform(texts), atol=1e-6)


def test_cosines_of_sparse_and_dense_vectors(field):
    pairs = np.array([["a b", "a b"], ["a b", "c"], ["a b", "a d"]], object)
    tfidf = TfidfVectorizer(token_pattern=r"\w+")
    dense = FunctionTransformer(lambda X: 3 * tfidf.fit_transform(X).toarray())
    first, second = tfidf.fit_transform(["a b", "c", "a d", *["a b"] * 3])[[0, 2]]
    weights = first.toarray() @ second.toarray().T
    for vectorizer in (tfidf, dense):
        found = field.cosines(vectorizer, pairs)
        np.testing.assert_allclose(found, [1, 0, weights[0, 0]], atol=1e-6)


# Tasks -------------------------------------------------------------------------------


def test_right_texts_of_queries(data):
    tasks = dict(data.searches())
    texts, queries, right = tasks["Medline"]
    assert [[*rows] for rows in right] == [[5, 7], [6]]
    assert [*queries] == [*texts[5:7]]
    answers, questions = tasks["StackFAQ, answers"], tasks["StackFAQ, questions"]
    first, second = answers.right
    assert [*answers.texts[first]] == ["see our list"]
    assert [*answers.texts[second]] == ["call us", "block it. at once."]
    first, second = questions.right
    assert [*questions.texts[first]] == ["the rates"]
    assert [*questions.texts[second]] == ["a lost card"]
    texts, queries, right = tasks["Abt-Buy"]
    same = {*map(tuple, load_paraphrases().data[:60].tolist())}
    found = [(query, text) for query, rows in zip(queries, right, strict=True)
             for text in texts[rows]]  # fmt: skip
    assert {*found} == same
    names, joined, right = tasks["units"]
    assert len({*names}) == len(names) and not {*names} & {*joined}
    assert [name.replace(" ", "") for name in names] == [
        name.replace(" ", "") for name in joined
    ]


def test_names_of_two_shops(data):
    names, n_first, is_same = data.shops()
    first, second = names[:n_first], names[n_first:]
    rows = zip(*np.nonzero(is_same), strict=True)
    found = sorted((first[i], second[j]) for i, j in rows)
    assert found == sorted({*map(tuple, load_paraphrases().data[:60].tolist())})
    assert len({*first}) == n_first and len({*second}) == len(second)


def test_queries_without_an_answer(data):
    texts, queries, has_answer = data.unanswered()
    assert not {*queries} & {*texts}
    assert {*queries[~has_answer]} == {*load_answer_ranking().data[:20, 0]}
    assert {*queries[has_answer]} <= {*load_faq().data}


def test_texts_that_are_drawn_are_not_tested(data):
    for name, X, y, is_test in data.labelled():
        for train, test in data.draws(y, is_test, 5):
            assert set(Counter(y[train]).values()) == {5}
            assert not {*train} & {*test} and not is_test[train].any()
            n_tested = is_test.sum() if name in ("CLINC150", "HWU64") else len(X) - 15
            assert len(test) == n_tested


def test_folds_of_pairs_share_no_text(data):
    for _, pairs, y, runs in data.scored_pairs():
        assert len(pairs) == len(y)
        for splits in runs:
            for train, test in splits:
                if len(splits) > 1:
                    assert not {*pairs[train].ravel()} & {*pairs[test].ravel()}
                assert not {*train} & {*test}


# Documents ---------------------------------------------------------------------------


def test_rows_of_documents(field, data):
    rows = [*field.documents(data)]
    assert {row["task"] for row in rows} == {*field.DOCUMENTS}
    medline = {row["call"]: row["scores"] for row in rows if row["task"] == "Medline"}
    fits = [name for name in medline if name.startswith("`ParaphraseEncoder(")]
    assert [*medline] == ["`load_pretrained()`", *fits, *field.METHODS[1:]]
    assert len(fits) == 2 + len(field.N_DOCUMENTS)
    for name in fits:
        assert [len(values) for values in medline[name].values()] == [2, 2, 2]
        assert medline[name][field.GENERAL] != medline["`load_pretrained()`"]["STS"]
    found = dict(field.ranked(*dict(data.searches())["Medline"][:2]))
    right = dict(data.searches())["Medline"].right
    start = medline["`load_pretrained()`"]
    for name, scores in (("BM25", medline["BM25"]), (field.FIRST, start)):
        assert scores[field.WHOLE] == [100 * field.ndcg(found[name], right)]


def test_the_best_passage_of_a_document_counts(field, data):
    """Of two documents, one has the query as its second sentence."""
    task = dict(data.searches())["Medline"]
    texts = np.array(["The sun is hot. It shines.", "I lost a card. Cats sleep a lot."])
    data.searches = lambda: [
        ("Medline", task._replace(texts=texts, queries=["Cats sleep."], right=[[1]]))
    ]
    scores = next(field.documents(data))["scores"]
    assert scores[field.PASSAGES] == [100] and len(scores[field.GENERAL]) == 1


# Fits --------------------------------------------------------------------------------


@ignore_equal_dimensions
def test_rows_of_fitted_labels(fits, data):
    """Seven classifiers for each task; two agree with the classifiers by hand."""
    task = next(data.broad())
    data.labelled = list
    data.broad = lambda: [task]
    (row,) = fits.fitted_labels(data)
    name, X, y, is_test = task
    assert row["task"] == f"{name}, 5 a class" and [*row["scores"]] == [*fits.LABELS]
    assert {len(values) for values in row["scores"].values()} == {4}
    encoder = load_pretrained()
    for seed, (train, test) in enumerate(data.draws(y, is_test, 5, range(4))):
        known, unknown = map(encoder.transform, (X[train], X[test]))
        means = [known[y[train] == label].mean(axis=0) for label in np.unique(y)]
        distances = np.linalg.norm(unknown[:, np.newaxis] - means, axis=2)
        right = np.unique(y)[distances.argmin(axis=1)] == y[test]
        found = row["scores"]["start, centroid"][seed]
        assert found == pytest.approx(100 * right.mean())
        model = TextClassifier(random_state=seed).fit(X[train], y[train])
        right = model.predict(X[test]) == y[test]
        found = row["scores"]["TextClassifier"][seed]
        assert found == pytest.approx(100 * right.mean())
    assert fits.fit_cells(row)[0] == row["task"] and len(fits.fit_cells(row)) == 10


def test_rows_of_fitted_pairs(fits, data):
    tasks = list(data.labelled_pairs())
    assert [name for name, *_ in tasks] == ["Abt-Buy", "MSRP", "TrecQA"]
    for row, (name, X, y, train, test) in zip(
        fits.fitted_pairs(data), tasks, strict=True
    ):
        assert row["task"] == name and [*row["scores"]] == [*fits.FITTED]
        assert not {*train} & {*test} and {*y} == {False, True}
        cosines = similarity(*X[test].T)
        order = y[test][np.argsort(-cosines, kind="stable")]
        hits = np.flatnonzero(order)
        precision = np.mean(np.arange(1, len(hits) + 1) / (hits + 1))
        assert row["scores"]["start"] == [pytest.approx(100 * precision, abs=0.5)] * 2
        encoder = ParaphraseEncoder(random_state=1).fit(X[train][y[train]])
        one, other = (encoder.transform(X[test, side]) for side in (0, 1))
        expected = average_precision_score(y[test], np.vecdot(one, other))
        found = row["scores"]["fit on positives"][1]
        assert found == pytest.approx(100 * expected, abs=0.1)


def test_rows_of_few_pairs(fits, data):
    rows = {row["task"]: row["scores"] for row in fits.few_pairs(data)}
    names = [name for name, *_ in (*data.labelled_pairs(), *data.graded_pairs())]
    sizes = [f"{n_pairs} pairs" for n_pairs in fits.N_PAIRS]
    assert [*rows] == [f"{name}, {size}" for name in names for size in sizes]
    for task, scores in rows.items():
        assert [*scores] == [*fits.FEW]
        n_seeds = 2 if task.endswith("100 pairs") else 4
        assert {len(values) for values in scores.values()} == {n_seeds}
        assert len({*scores["start"]}) == 1
    assert any(scores["fit"] != scores["start"] for scores in rows.values())


def test_pairs_that_are_drawn_have_both_labels(fits):
    y = np.arange(1000) >= 996
    for seed in range(3):
        rows = fits.drawn(y, 10, seed)
        assert len({*rows}) == 10 and 2 <= y[rows].sum() <= 4
    assert len(fits.drawn(y.astype(float), 10, 0)) == 10


# The script --------------------------------------------------------------------------


@ignore_equal_dimensions
def test_the_whole_script_on_little_data(
    field, fits, root, tmp_path, monkeypatch, capsys
):
    arguments = f"field.py --data {root} --out {tmp_path} --seeds 2".split()
    monkeypatch.setattr(sys, "argv", arguments)
    field.main()
    results = json.loads((tmp_path / "field.json").read_text("utf-8"))["results"]
    page = (tmp_path / "field.md").read_text("utf-8")
    assert page.startswith("# The first call") and "(not measured)" not in page
    assert "labels: " in capsys.readouterr().out
    both = [row for row in results["search"] if row["call"] == field.BOTH]
    assert len(both) == len(results["search"]) / 2
    for row in both:
        assert [*row["scores"]] == [field.FIRST, "vectors", *field.KINDS[1]]
    assert "| `NearDuplicates()` |" in page and "rows are about combining" in page
    rows = {
        (row["task"], row["measure"]): row["scores"]
        for name, section in results.items()
        for row in section
        if name not in field.OTHERS and row["call"] != field.BOTH
    }
    assert "## Few pairs" in page and "| TREC, 5 a class | " in page
    assert len(rows) == 26
    for (_, measure), scores in rows.items():
        names = (
            field.METHODS
            if measure in ("nDCG@10", "R@1", "AUC")
            else field.METHODS[:-1]
        )
        assert [*scores] == [*names]
        assert all(-100 <= x <= 100 for values in scores.values() for x in values)
    assert len(rows["CLINC150", "ARI"][field.FIRST]) == 2


def test_some_sections_keep_the_others(field, root, tmp_path, monkeypatch):
    for section in ("records", "search"):
        arguments = f"field.py --data {root} --out {tmp_path} --only {section}".split()
        monkeypatch.setattr(sys, "argv", arguments)
        field.main()
    results = json.loads((tmp_path / "field.json").read_text("utf-8"))["results"]
    assert [*results] == ["search", "records"]
