"""What users of neighbouring projects reported, tried here; REPORTS.md is the log."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import make_column_transformer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.frozen import FrozenEstimator

import skparaphrase
from skparaphrase.datasets import load_faq, load_word_vectors, read_texts
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.metrics import pearson_score, spearman_score
from skparaphrase.search import NearDuplicates, SemanticSearch, mine_hard_negatives
from skparaphrase.supervised import TextClassifier
from skparaphrase.text import clean_text
from skparaphrase.vectors import (
    WordVectors,
    nearest_words,
    read_word_vectors,
    save_word_vectors,
)

TEXTS = load_faq().data[:60].tolist()


def test_a_positive_that_occurs_twice_is_no_negative():
    capitals = ["France", "Germany", "Italy"]
    pairs = [
        (f"What is the capital of {country}?", city)
        for country, city in zip(capitals, ["Paris", "Berlin", "Rome"], strict=True)
    ]
    pairs.append(("What is Paris Hilton's first name?", "Paris"))
    corpus = ["Paris", "Berlin", "Rome", "Paris"]
    for given in (None, corpus):
        triplets = mine_hard_negatives(pairs, given, n_negatives=4, relative_margin=0)
        assert len(triplets)
        for _, positive, negative in triplets:
            assert positive != negative


def test_a_query_without_hits_leaves_the_others_in_place():
    search = SemanticSearch().fit(["red bike", "late parcel", "blue car"])
    hits = search.search(["late parcel", "", "red bike"], k=2, threshold=0.9)
    assert hits.text[:, 0].tolist() == ["late parcel", None, "red bike"]
    frame = search.search(["late parcel", "", "red bike"], threshold=0.9, as_frame=True)
    assert frame["query"].tolist() == ["late parcel", "", "red bike"]
    assert frame["row"].tolist() == [1, -1, 0]


@pytest.mark.parametrize("make", [skparaphrase.load_pretrained, SIFEncoder])
def test_a_text_has_one_vector_in_any_company(make):
    encoder = make().fit(TEXTS)
    together = encoder.transform([*TEXTS, *TEXTS[::-1]])
    assert_array_equal(together[: len(TEXTS)], together[len(TEXTS) :][::-1])
    for i in (0, 7, 31):
        assert_allclose(encoder.transform(TEXTS[i : i + 1])[0], together[i], rtol=1e-6)


def test_correlations_of_constants_warn():
    for score in (pearson_score, spearman_score):
        with pytest.warns(UndefinedMetricWarning, match="constant"):
            assert score([1, 1, 1], [0.1, 0.2, 0.3]) == 0


def test_more_hits_than_texts():
    hits = SemanticSearch().fit(["red bike", "late parcel"]).search(["bike"] * 3, k=9)
    assert hits.text.shape == (3, 2)
    assert [sorted(row) for row in hits.row.tolist()] == [[0, 1]] * 3


def test_a_word_whose_vector_is_zero():
    table = WordVectors(["cat", "#"], [[1, 2], [0, 0]])
    vectors = AverageEncoder(table).transform(["cat #", "#", "# #", "cat"])
    assert np.isfinite(vectors).all()
    assert not vectors[1:3].any()
    assert dict(nearest_words(table, "cat")) == {"#": 0}
    assert skparaphrase.similarity("#", "# #", AverageEncoder(table)) == 0


def test_a_part_of_a_table_is_saved_and_searched(tmp_path):
    table = load_word_vectors()
    kept = [i for i, word in enumerate(table.words[:5000]) if word.isalpha()]
    part = WordVectors([table.words[i] for i in kept], table.rows(np.array(kept)))
    save_word_vectors(part, tmp_path / "part")
    loaded = skparaphrase.load(tmp_path / "part")
    assert nearest_words(loaded, "cat") == nearest_words(part, "cat")
    assert nearest_words(loaded, "cat")[0][0] == "cats"


def test_nearest_words_do_not_copy_the_table():
    rng = np.random.default_rng(0)
    table = WordVectors([*map(str, range(200_000))], rng.random((200_000, 50), "f4"))
    table.index.get("0")
    tracemalloc.start()
    nearest_words(table, "7")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < table.matrix.nbytes


def test_a_file_that_lacks_one_of_its_words(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("3 2\nthe 1 2\ncat 3 4\n")
    with pytest.raises(ValueError, match="ends after 2 words; its header says 3"):
        read_word_vectors(path)
    assert read_word_vectors(path, limit=2).words == ["the", "cat"]


def test_words_that_are_cut_within_a_character(tmp_path):
    path = tmp_path / "a.vec"
    path.write_bytes(b"3 2\nthe 1 2\n" + "가".encode()[:2] + b" 3 4\ncat 5 6\n")
    with pytest.warns(UserWarning, match="is not utf-8 and is left out"):
        assert read_word_vectors(path).words == ["the", "cat"]


@pytest.mark.parametrize(
    ("texts", "query", "expected"),
    [
        (["hello world", "foo bar", "hello foo"], "bar", 1),  # in half of the texts
        (["кассовый разрыв", "показать портфель", "x"], "портфель", 1),
        (["商品の返品", "配送が遅い", "x"], "返品", 0),
        (["foo", "dog", "", "quick fox"], "QUICK", 3),
        (["plan 7 costs", "plan 8 costs", "plan 9 costs"], "plan 9", 2),
        (["size S", "size M", "size L", "size X"], "size L", 2),
        (["The Who", "The Band", "Them"], "the who", 0),
    ],
)
def test_words_that_a_lexical_search_finds(texts, query, expected):
    for lexical in ("char_wb", None):
        search = SemanticSearch(lexical=lexical).fit(texts)
        if lexical or query.isascii():
            assert search.search(query, k=1).row.item() == expected


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_control_characters_stay_in_their_cell(name, tmp_path):
    texts = ["a\0b", "c\x1cd", "e\x1df", "g\x1eh", "\0", "i\x0bj", "k\x0cl", "m\u2028n"]
    sep = "," if name == "a.csv" else "\t"
    rows = [f"{text}{sep}{i}" for i, text in enumerate(texts)]
    path = tmp_path / name
    path.write_text("\n".join(["\0\0", f"text{sep}label", *rows, ""]), "utf-8")
    X, y = read_texts(path, skiprows=1, return_X_y=True)
    assert (X.tolist(), y.tolist()) == (texts, [*range(8)])


def test_a_wrong_encoding_is_an_error_not_an_empty_table(tmp_path):
    path = tmp_path / "squirrels.csv"
    path.write_bytes("text,label\nan acorn,1\nchât,2\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r'line 3: not utf-8 .* such as "cp1252"'):
        read_texts(path)
    assert read_texts(path, encoding="cp1252").data.tolist() == ["an acorn", "chât"]


@pytest.mark.parametrize("threshold", [0.5, 0.7])
def test_chains_of_similar_texts_are_no_group(threshold):
    """Each text is similar to the one that is kept, and one of each group is."""
    texts = load_faq().data.tolist()
    model = NearDuplicates(threshold=threshold, must_agree=None).fit(texts)
    vectors = skparaphrase.load_pretrained().transform(texts)
    kept = model.representative_indices_[model.labels_]
    cosines = (vectors * vectors[kept]).sum(axis=1)
    assert len({*kept}) < len(texts)
    assert cosines.min() >= threshold - 1e-5
    assert_array_equal(
        model.labels_[model.representative_indices_], range(max(model.labels_) + 1)
    )


def test_rows_of_frames_keep_their_index():
    frame = pd.DataFrame({"text": TEXTS[:3], "price": [1, 2, 3]}, index=[8, 5, 3])
    encoder = FrozenEstimator(skparaphrase.load_pretrained())
    transformer = make_column_transformer(
        (encoder, "text"), ("passthrough", ["price"])
    ).set_output(transform="pandas")
    found = transformer.fit_transform(frame)
    assert found.index.tolist() == [8, 5, 3]
    assert found.iloc[:, -1].tolist() == [1, 2, 3]
    encoder = skparaphrase.load_pretrained().set_output(transform="pandas")
    assert encoder.transform(frame["text"]).index.tolist() == [8, 5, 3]


MISSING = [None, pd.NA, float("nan"), np.nan, pd.NaT]


@pytest.mark.parametrize("dtype", [object, "string", "str", "category"])
def test_missing_texts_are_the_same_whatever_they_are(dtype):
    for missing in MISSING:
        column = pd.Series(["alice", missing, "bob"], dtype=object)
        if missing is not pd.NaT:
            column = column.astype(dtype)
        before = column.copy()
        assert clean_text(column).tolist() == ["alice", "", "bob"]
        pd.testing.assert_series_equal(column, before)  # the column of the user
        with pytest.raises(ValueError, match="at index 1"):
            skparaphrase.load_pretrained().transform(column)
    nothing = pd.Series([None, None], dtype=dtype)
    vectors = skparaphrase.load_pretrained().transform(clean_text(nothing))
    assert vectors.shape == (2, 256)
    assert not vectors.any()


def test_inputs_are_not_changed():
    X = np.array(TEXTS[:6], object)
    y, weights = np.array([0, 1] * 3), np.arange(6.0)
    frame = pd.DataFrame({"text": X, "price": y})
    vectors = np.random.default_rng(0).random((6, 8))
    copies = X.copy(), y.copy(), weights.copy(), frame.copy(), vectors.copy()
    TextClassifier().fit(X, y, sample_weight=weights)
    SemanticSearch().fit(X, vectors=vectors, payload=frame[["price"]]).search(vectors)
    NearDuplicates().fit(X)
    SIFEncoder().fit(X).transform(X)
    assert_array_equal(X, copies[0])
    assert_array_equal(y, copies[1])
    assert_array_equal(weights, copies[2])
    pd.testing.assert_frame_equal(frame, copies[3])
    assert_array_equal(vectors, copies[4])
