"""The benchmarks of one query, all pairs and updates compare equal results."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from argparse import Namespace

import numpy as np
import pytest

from _lib import exact_search as exact
from skparaphrase import load_pretrained
from skparaphrase._nearest import Bound
from skparaphrase.datasets import load_faq


@pytest.fixture
def args(tmp_path):
    texts = [*load_faq().data, *load_faq().answers]
    vectors = load_pretrained().transform(texts)
    (tmp_path / "texts.json").write_text(json.dumps([texts, texts[:500:5]]), "utf-8")
    np.save(tmp_path / "sentences.npy", vectors)
    np.save(tmp_path / "sentences-queries.npy", vectors[:500:5])
    return Namespace(folder=tmp_path, quick=False, threads=1)


def hit(rows, scores):
    return [(np.array(rows), np.array(scores, np.float32))]


def test_worse_rows_are_an_error():
    ours = hit([3, 1, 2], [0.9, 0.5, 0.4])
    exact._check_same({"ours": ours, "same": hit([3, 1, 2], [0.9, 0.5000001, 0.4])})
    with pytest.raises(AssertionError, match="other"):
        exact._check_same({"ours": ours, "other": hit([3, 1, 2], [0.9, 0.5, 0.39])})


def test_pairs_at_the_threshold_do_not_count():
    rows, scores = np.array([[0, 1], [0, 2]]), np.array([0.9, 0.8])
    assert exact._pairs_above((rows, scores), 0.8) == {(0, 1)}


def test_bounds_are_left_out():
    vectors = np.random.default_rng(0).standard_normal((5000, 256), np.float32)
    assert Bound.of(vectors) is not None
    with exact._without_bound():
        assert Bound.of(vectors) is None


@pytest.mark.parametrize("name", ["NearDuplicates", "ParaphraseMiner"])
def test_all_pairs_are_those_of_the_product(args, name):
    vectors = np.load(args.folder / "sentences.npy")
    n_pairs = int(np.triu(vectors @ vectors.T >= 0.8, 1).sum())
    assert exact.all_pairs(args, name, 10_000)["pairs"] == n_pairs > 20
    n_pairs = int(np.triu(vectors @ vectors.T >= 0.8, 1)[:300, :300].sum())
    assert exact.all_pairs(args, name, 300)["pairs"] == n_pairs
    lost = exact.by_clusters(args, name, 300)  # so few are compared exactly
    assert lost["lost"] == 0 and lost["pairs"] >= n_pairs


def test_queries_by_vectors_and_words_agree(args):
    found = exact.lexical_query(args, 1_000)
    assert {*found} == {"both", "plain", "products", "vectors"}


def test_updates_are_timed(args):
    found = exact.updates(args, 10_000)
    assert {*found} == {"add", "replace", "remove", "mean", "first", "query", "after"}
    assert min(found.values()) > 0
