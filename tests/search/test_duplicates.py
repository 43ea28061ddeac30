"""Groups of near-duplicate texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

import skparaphrase
from skparaphrase import _nearest, load_pretrained
from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import AverageEncoder
from skparaphrase.search import NearDuplicates, _clusters, _duplicates
from skparaphrase.text import clean_text
from skparaphrase.vectors import WordVectors

ANGLES = [0, 20, 40, 90, 35, 100]
WORDS = list("abcdef")
PLANE = AverageEncoder(
    WordVectors(WORDS, [[np.cos(np.radians(x)), np.sin(np.radians(x))] for x in ANGLES])
)
TEXTS = load_paraphrases().data[:400].ravel()


def greedy(texts, threshold, agree):
    """Text by text, with all cosines."""
    vectors = skparaphrase.load_pretrained().transform(texts).astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    representatives, labels = [], []
    for i in range(len(texts)):
        fitting = [
            (-(vectors[i] @ vectors[j]), label)
            for label, j in enumerate(representatives)
            if vectors[i] @ vectors[j] >= threshold and agree(texts[j], texts[i])
        ]
        labels.append(min(fitting)[1] if fitting else len(representatives))
        if not fitting:
            representatives.append(i)
    return representatives, labels


def test_no_chains():
    """20 and 35 degrees are close, but the first represents 0 to 25."""
    groups = NearDuplicates(PLANE, threshold=np.cos(np.radians(25))).fit(WORDS)
    assert groups.labels_.tolist() == [0, 0, 1, 2, 1, 2]
    assert groups.representative_indices_.tolist() == [0, 2, 3]


@pytest.mark.parametrize("block", [16, 512])
@pytest.mark.parametrize("compared", [False, True])
@pytest.mark.parametrize("keeps_pairs", [False, True])
def test_as_one_by_one(monkeypatch, block, compared, keeps_pairs):
    def longer(first, second):
        return len(second) >= len(first)

    monkeypatch.setattr(_duplicates, "QUERIES", block)
    monkeypatch.setattr(_nearest, "_ROWS", (100, 100))
    if not keeps_pairs:
        monkeypatch.setattr(_duplicates, "_PAIRS", 0)
        monkeypatch.setattr(_duplicates, "_FEW_PAIRS", 5)
    groups = NearDuplicates(threshold=0.6, must_agree=longer if compared else None)
    groups.fit(TEXTS)
    agree = longer if compared else lambda first, second: True
    representatives, labels = greedy(TEXTS, 0.6, agree)
    assert_array_equal(groups.representative_indices_, representatives)
    assert_array_equal(groups.labels_, labels)
    assert len(representatives) < 0.9 * len(TEXTS)
    assert keeps_pairs == (groups.pairs_ is not None)
    if not keeps_pairs:
        with pytest.raises(ValueError, match="too many pairs to keep"):
            groups.labels_at(0.9)


def test_copies_are_in_one_group_whatever_their_case_and_spaces():
    texts = [
        "Reset my password",
        "reset  my\tPASSWORD ",
        "C",
        "C++",
        "c",
        "\ufb01le",  # a ligature
        "FILE",
        "10\u00b2 nails",  # a superscript
        "102 nails",
        "",
        "  ",
    ]
    model = NearDuplicates(PLANE, threshold=1).fit(texts)
    assert model.copy_of_.tolist() == [0, 0, 2, 3, 2, 5, 5, 7, 8, 9, 9]
    assert_array_equal(model.labels_[model.copy_of_], model.labels_)


@pytest.mark.parametrize("agree", ["numbers", None, lambda one, other: len(one) > 40])
def test_a_larger_threshold_gives_the_labels_of_another_fit(agree):
    texts = [*TEXTS, *np.char.upper(TEXTS[:50].astype(str))]
    model = NearDuplicates(threshold=0.4, must_agree=agree).fit(texts)
    n_groups = []
    for threshold in [0.4, 0.5, 0.65, 0.8, 0.95, 1]:
        new = NearDuplicates(threshold=threshold, must_agree=agree).fit(texts)
        assert_array_equal(model.labels_at(threshold), new.labels_)
        n_groups.append(len(new.representative_indices_))
    assert n_groups[0] < n_groups[-1] < len(texts)
    with pytest.raises(ValueError, match="threshold"):
        model.labels_at(0.3)
    model.set_params(threshold=0.1)
    with pytest.raises(ValueError, match="threshold"):
        model.labels_at(0.3)


def test_pairs_are_those_above_the_threshold():
    texts = ["a", "A", "d", "b", "e", "c"]  # 0, 0, 90, 20, 35, 40 degrees
    model = NearDuplicates(PLANE, threshold=np.cos(np.radians(22))).fit(texts)
    assert model.pairs_.tolist() == [[0, 3], [3, 4], [4, 5], [3, 5]]
    assert_allclose(model.cosines_, np.cos(np.radians([20, 15, 5, 20])), atol=1e-6)


MAILS = [
    "<p>Where is my parcel?</p>\n--\nAnn, Tel. 555 1234",
    "<p>Where is my parcel?</p>\n--\nBob, Tel. 777 9999",
    "<p>Where is my parcel 10?</p>\n--\nAnn, Tel. 555 1234",
]
CLEAN = FunctionTransformer(clean_text)


@pytest.mark.parametrize(
    "encoder",
    [
        make_pipeline(CLEAN, load_pretrained()),
        make_pipeline("passthrough", make_pipeline(CLEAN, CLEAN), load_pretrained()),
        make_pipeline(make_pipeline(CLEAN, load_pretrained()), Normalizer()),
        FrozenEstimator(make_pipeline(CLEAN, load_pretrained())),
    ],
)
def test_texts_are_compared_as_the_encoder_cleans_them(encoder):
    model = NearDuplicates(encoder).fit(MAILS)
    assert model.labels_.tolist() == [0, 0, 1]
    assert model.copy_of_.tolist() == [0, 0, 2]
    asked = []
    NearDuplicates(
        encoder, threshold=0.5, must_agree=lambda *texts: asked.append(texts)
    ).fit(MAILS)
    assert asked == [("Where is my parcel?", "Where is my parcel 10?")]
    assert NearDuplicates().fit_predict(MAILS).tolist() == [0, 1, 0]  # of Ann
    pipeline = make_pipeline(CLEAN, NearDuplicates())
    assert pipeline.fit_predict(MAILS).tolist() == [0, 0, 1]


@pytest.mark.parametrize("keeps_pairs", [False, True])
def test_clusters_find_most_pairs_of_those_compared_exactly(monkeypatch, keeps_pairs):
    texts = np.unique(load_paraphrases().data)
    exact = NearDuplicates(threshold=0.7, algorithm="exact").fit(texts)
    monkeypatch.setattr(_clusters, "_PROBES", 4)
    if not keeps_pairs:
        monkeypatch.setattr(_duplicates, "_PAIRS", 0)
        monkeypatch.setattr(_duplicates, "_FEW_PAIRS", 5)
    model = NearDuplicates(threshold=0.7, algorithm="clusters").fit(texts)
    expected = {*map(tuple, exact.pairs_.tolist())}
    if keeps_pairs:
        found = {*map(tuple, model.pairs_.tolist())}
        assert found < expected and len(found) > 0.95 * len(expected)
        new = NearDuplicates(threshold=0.8, algorithm="clusters").fit(texts)
        assert_array_equal(model.labels_at(0.8), new.labels_)
    # Whatever is missed, each text is similar to the representative of its group.
    rows = model.representative_indices_[model.labels_]
    moved = np.flatnonzero(rows != np.arange(len(texts)))
    assert {*zip(rows[moved].tolist(), moved.tolist(), strict=True)} <= expected
    n_groups = [len(fit.representative_indices_) for fit in (exact, model)]
    assert n_groups[0] <= n_groups[1] < 1.01 * n_groups[0] < 0.9 * len(texts)


def test_progress_counts_every_text_that_is_compared(counts, monkeypatch):
    monkeypatch.setitem(_clusters.EXACT, "auto", 200)
    monkeypatch.setattr(_clusters, "QUERIES", 64)
    NearDuplicates().fit(TEXTS)
    bars = "Reading, Embedding, Comparing, Learning clusters, Clustering"
    assert ", ".join(counts) == bars
    assert min(map(len, counts.values())) >= 1 and len(counts["Clustering"]) > 5


def test_a_saved_model_can_be_thresholded(tmp_path):
    model = NearDuplicates(threshold=0.5).fit(TEXTS)
    model.save(tmp_path / "groups")
    loaded = skparaphrase.load(tmp_path / "groups")
    assert_array_equal(loaded.labels_at(0.7), model.labels_at(0.7))
    assert model.cosines_.max() <= 1


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ("500 GB drive", "750 GB drive", False),
        ("Dell P2419H monitor", "Dell U2419H monitor", False),
        ("at 5.30pm", "at 5.30 pm", True),
        ("on 10/12", "on 12/10", False),
        ("1,000 nails", "1000 nails", True),
        ("1.000 nails", "1000 nails", True),
        ("1.000 nails", "1 nail", False),
        ("0.500 mg", "0500 mg", False),
        ("iPhone6 case", "iPhone 6 case", True),
        ("iPhone6 case", "iPhone 7 case", False),
        ("Windows8.1", "Windows 8.1", True),
        ("mp3", "3", False),
        ("0.500", "500", False),
        ("1,000kg", "1000 kg", True),
        ("1,234,567.50 EUR", "1.234.567,50 EUR", True),
        ("1,0000", "1", True),
        ("64GB", "64 GB", True),
        ("64GB", "128GB", False),
        ("kettle 1.7L", "kettle 1,7 L", True),
        ("kettle 1.7L", "kettle 17 L", False),
        ("42", "42.0", True),
        ("42.", "42,00 in total", True),
        ("42", "420", False),
        ("42.05", "42.5", False),
        ("version 3.1", "version 3.10", False),
        ("version 2.0.1", "version 2.1", False),
        ("10.0.0.1", "10.0.1", False),
        ("v2.0", "v2", True),
        ("on 10.10.2020", "on 10.10.202", False),
        ("a drive", "a drive, 500 GB", True),
        ("drive, 500 GB, 7200", "drive, 500 GB", True),
        ("drive, 500 GB, 7200", "drive, 500 GB, 5400", False),
    ],
)
def test_what_numbers_are(first, second, agree):
    labels = NearDuplicates(PLANE, threshold=-1).fit_predict([first, second])
    assert labels.tolist() == [0, int(not agree)]


@pytest.mark.parametrize(
    ("lexical", "first", "second", "third"),
    [
        (None, "Galaxy S21 128GB", "Galaxy S21 128 GB", "Galaxy S21"),
        (None, "Kettle 1.7L", "Kettle 1.7 L", "Kettle 17L"),
        (None, "Kettle 1.7 L", "Kettle 1,7 L", "Kettle 17 L"),
        ("char_wb", "Kettle 1.7 L", "Kettle 1,7 L", "Kettle 17 L"),
        ("char_wb", "1,000 nails", "1000 nails", "1001 nails"),
    ],
)
def test_equal_numbers_are_equal_words(lexical, first, second, third):
    model = NearDuplicates(threshold=0.99, lexical=lexical)
    assert model.fit_predict([first, second, third]).tolist() == [0, 0, 1]
    assert model.cosines_ == pytest.approx([1])


@pytest.mark.parametrize(
    ("groups", "labels"),
    [
        (None, [0, 0, 0, 0, 0, 1]),
        ([10, 10, 900, 10, None, 10], [0, 0, 1, 0, 2, 3]),
        (pd.cut([9, 9.5, 12, 30, 31, 32], [0, 10, 20, 40]), [0, 0, 1, 2, 2, 3]),
    ],
)
def test_only_texts_of_a_group_are_grouped(groups, labels):
    texts = ["Red bike", "red  bike", "Red bike", "A red bike", "Red bike", "Tent"]
    model = NearDuplicates().fit(texts, groups=groups)
    assert model.labels_.tolist() == labels
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.fit(texts, groups=[1, 2])


def test_groups_are_those_of_separate_fits():
    brand = np.arange(len(TEXTS)) % 3
    labels = NearDuplicates(threshold=0.5).fit(TEXTS, groups=brand).labels_
    for each in range(3):
        alone = NearDuplicates(threshold=0.5).fit_predict(TEXTS[brand == each])
        found = np.unique(labels[brand == each], return_inverse=True)[1]
        assert_array_equal(found, np.unique(alone, return_inverse=True)[1])
    assert len({*zip(labels.tolist(), brand.tolist(), strict=True)}) == labels.max() + 1


def test_groups_with_the_index_of_other_texts():
    texts = pd.Series(["a cat", "a dog"], index=["x", "y"])
    groups = pd.Series([0, 1], index=["y", "x"])
    with pytest.raises(ValueError, match="X and groups have different indices"):
        NearDuplicates().fit(texts, groups=groups)
