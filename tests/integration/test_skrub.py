"""Encoders in the pipelines and data plans of skrub."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.pairs import (
    PairFeatures,
)
from skparaphrase.text import clean_text

pytestmark = pytest.mark.integration

FRAMES = pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"]
)


@pytest.fixture
def skrub():
    return pytest.importorskip("skrub")


def of(table, *names):
    return np.column_stack([np.asarray(table[name]) for name in names])


def alone(encoder, texts):
    return clone(encoder).set_output(transform="default").fit_transform(list(texts))


@FRAMES
def test_skrub_gives_each_column_to_an_encoder(skrub, tfidf, columns, make):
    table = make(columns)
    apply = skrub.ApplyToCols(tfidf, cols=["title", "body"])
    found = apply.fit_transform(table)
    assert isinstance(found, make)
    names = list(found.columns)
    assert names[:6] == [f"tfidfencoder{i}" for i in range(6)]
    assert apply.input_to_outputs_["body"] == names[6:12]
    for name, outputs in apply.input_to_outputs_.items():
        expected = clone(tfidf).fit(columns[name])
        assert_array_equal(of(found, *outputs), expected.transform(columns[name]))
        later = apply.transform(table[3:9])
        assert_array_equal(of(later, *outputs), expected.transform(columns[name][3:9]))
        assert_array_equal(apply.transformers_[name].weights_, expected.weights_)
    assert_array_equal(found["n"], columns["n"])


@FRAMES
def test_skrub_gives_pairs_to_a_step(skrub, tfidf, columns, make):
    step = make_pipeline("passthrough", tfidf, PairFeatures())
    expected = clone(step).fit_transform(pd.DataFrame(columns)[["title", "body"]])
    apply = skrub.ApplyToCols(step, cols=["title", "body"])
    found = apply.fit_transform(make(columns))
    assert found.columns[0] == "n"
    assert_allclose(of(found, *found.columns[1:]), expected, atol=1e-12)
    later = apply.transform(make(columns)[:4])
    assert_allclose(of(later, *later.columns[1:]), expected[:4], atol=1e-12)


@FRAMES
def test_table_vectorizer(skrub, tfidf, columns, make):
    tfidf = make_pipeline(tfidf, CommonComponentRemoval())
    vectorizer = skrub.TableVectorizer(cardinality_threshold=5, high_cardinality=tfidf)
    table = make({**columns, "colour": ["red", "blue", "green"] * 10})
    found = vectorizer.fit_transform(table)
    assert vectorizer.kind_to_columns_["high_cardinality"] == ["title", "body"]
    for name in ("title", "body"):
        outputs = vectorizer.input_to_outputs_[name]
        expected = alone(tfidf, columns[name])
        assert_allclose(of(found, *outputs), expected, rtol=1e-5, atol=1e-6)
    assert list(vectorizer.get_feature_names_out()) == list(found.columns)
    assert len(found.columns) == 16
    again = pickle.loads(pickle.dumps(vectorizer)).transform(table)
    assert_array_equal(np.asarray(again), np.asarray(found))


@FRAMES
def test_table_vectorizer_of_missing_texts(skrub, tfidf, columns, make):
    columns["title"][:2] = ["", None]
    columns["body"][5] = "N/A"
    table = make(columns)
    refuses = skrub.TableVectorizer(cardinality_threshold=5, high_cardinality=tfidf)
    with pytest.raises(ValueError, match=r"is None|is nan") as caught:
        refuses.fit_transform(table)
    assert "failed on column 'title'" in "".join(caught.value.__notes__)
    fill = FunctionTransformer(clean_text, feature_names_out="one-to-one")
    vectorizer = skrub.TableVectorizer(
        cardinality_threshold=5, high_cardinality=make_pipeline(fill, tfidf)
    )
    found = vectorizer.fit_transform(table)
    filled = ["", "", *columns["title"][2:]]
    outputs = vectorizer.input_to_outputs_["title"]
    assert_array_equal(of(found, *outputs), alone(tfidf, filled))
    assert not of(found, *vectorizer.input_to_outputs_["body"])[5].any()
    later = vectorizer.transform(make({**columns, "title": [None] * 30}))
    assert not of(later, *outputs).any()


def test_data_ops(skrub, tfidf, columns, gold):
    table = skrub.var("table", pd.DataFrame(columns))
    y = skrub.var("gold", gold)
    embedded = table[["title"]].skb.mark_as_X().skb.apply(tfidf, cols="title")
    learner = embedded.skb.apply(Ridge(), y=y.skb.mark_as_y()).skb.make_learner()
    learner.fit({"table": pd.DataFrame(columns), "gold": gold})
    found = learner.predict({"table": pd.DataFrame(columns)[:7]})
    vectors = alone(tfidf, columns["title"])
    assert_allclose(found, Ridge().fit(vectors, gold).predict(vectors[:7]), rtol=1e-5)
