"""Text columns of any type in ColumnTransformer, and frames with any index."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.pairs import EncoderUnion, LastAxis, PairFeatures

FRAMES = pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"]
)


def alone(encoder, texts):
    return clone(encoder).set_output(transform="default").fit_transform(list(texts))


# ColumnTransformer -----------------------------------------------------------------


@pytest.fixture
def transformer(tfidf):
    removal = CommonComponentRemoval()
    pair = make_pipeline(tfidf, removal, LastAxis(StandardScaler()), PairFeatures())
    return ColumnTransformer(
        [
            ("title", tfidf, "title"),
            ("body", make_pipeline(tfidf, removal), ["body"]),
            ("pair", pair, ["title", "body"]),
            ("number", "passthrough", ["n"]),
        ]
    )


@FRAMES
def test_columns_alone_and_as_a_pair(transformer, tfidf, columns, make):
    found = transformer.fit_transform(make(columns))
    removal = make_pipeline(tfidf, CommonComponentRemoval())
    pair = clone(transformer.transformers[2][1])
    blocks = [
        alone(tfidf, columns["title"]),
        removal.fit_transform(columns["body"]),
        pair.fit_transform(pd.DataFrame(columns)[["title", "body"]]),
        columns["n"][:, np.newaxis],
    ]
    assert_array_equal(found, np.hstack(blocks))
    names = transformer.get_feature_names_out()
    assert names[[0, 6, 12, 18, 24, 25]].tolist() == [
        "title__tfidfencoder0",
        "body__commoncomponentremoval0",
        "pair__product0",
        "pair__absdiff0",
        "pair__cosine",
        "number__n",
    ]


@pytest.mark.parametrize("steps", ["serial", "jobs", "memory"])
@pytest.mark.parametrize("index", [range(30), range(90, 30, -2)], ids=["plain", "gaps"])
def test_columns_as_a_frame(transformer, columns, tmp_path, steps, index):
    table = pd.DataFrame(columns, index=index)
    expected = clone(transformer).fit_transform(table)
    if steps == "jobs":
        transformer.set_params(n_jobs=2)
    if steps == "memory":
        transformer.set_params(pair__memory=str(tmp_path))
    transformer.set_output(transform="pandas")
    with parallel_config("threading"):
        for _ in range(2):
            found = clone(transformer).fit_transform(table)
            assert found.index.tolist() == list(index)
            assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
        part = transformer.fit(table).transform(table[4:9])
    assert part.index.tolist() == list(index)[4:9]
    assert part.columns.tolist() == transformer.get_feature_names_out().tolist()
    # The product of matrices of fewer rows may round differently.
    assert_allclose(part, expected[4:9], rtol=1e-5, atol=1e-6)


def test_vectors_of_pairs_pass_on_the_index(tfidf, pairs):
    index = pd.Index(range(60, 0, -2), name="row")
    table = pd.DataFrame(pairs, index=index)
    tfidf.fit(pairs)
    plain = tfidf.transform(table)
    assert type(plain) is np.ndarray
    found = tfidf.set_output(transform="pandas").transform(table)
    assert isinstance(found, np.ndarray)
    assert_array_equal(found, plain)
    removed = CommonComponentRemoval().fit(found).set_output(transform="pandas")
    other = tfidf.transform(table.reset_index(drop=True))
    assert removed.transform(other).index.tolist() == list(range(30))
    union = EncoderUnion([("same", "passthrough")]).fit(found)
    union.set_output(transform="pandas")
    assert union.transform(found).index.equals(index)
    frame = PairFeatures().set_output(transform="pandas").fit_transform(found)
    assert frame.index.name == "row"
    assert frame.index.equals(index)
    frame = PairFeatures().set_output(transform="pandas").fit_transform(found[:5])
    assert frame.index.tolist() == list(range(5))
    assert type(tfidf.transform(pairs)) is np.ndarray


# String types ----------------------------------------------------------------------

ARROW = {"string": pa.string(), "large": pa.large_string(), "view": pa.string_view()}
DICTIONARY = pa.dictionary(pa.int32(), pa.string())
PANDAS = {
    **{
        name: name for name in ("object", "str", "string", "string[python]", "category")
    },
    **{f"arrow {name}": pd.ArrowDtype(ARROW[name]) for name in ("string", "large")},
    "arrow dictionary": pd.ArrowDtype(DICTIONARY),
}


def chunks(texts, kind):
    parts = texts[:3], texts[3:3], texts[3:]
    return pa.chunked_array([pa.array(part, kind) for part in parts])


def enum(texts):
    return pl.Enum(sorted({text for text in texts if text is not None}))


STRINGS = {
    **{name: partial(pd.Series, dtype=dtype) for name, dtype in PANDAS.items()},
    "polars": partial(pl.Series, dtype=pl.String),
    "polars categorical": partial(pl.Series, dtype=pl.Categorical),
    "polars enum": lambda texts: pl.Series(texts, dtype=enum(texts)),
    **{f"pyarrow {name}": partial(pa.array, type=kind) for name, kind in ARROW.items()},
    "pyarrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "pyarrow chunks": partial(chunks, kind=pa.string()),
    "pyarrow chunks of views": partial(chunks, kind=pa.string_view()),
    "StringDType": partial(np.array, dtype=np.dtypes.StringDType(na_object=None)),
}
STRING_TYPES = pytest.mark.parametrize("make", STRINGS.values(), ids=STRINGS)


@STRING_TYPES
def test_string_types(tfidf, columns, make):
    vectors = clone(tfidf).fit_transform(make(columns["title"]))
    assert_array_equal(vectors, alone(tfidf, columns["title"]))


@STRING_TYPES
def test_missing_in_string_types(tfidf, columns, make):
    texts = ["w1", *columns["title"]]
    texts[4] = None
    with pytest.raises(ValueError, match=r"at index 4 is .*missing texts"):
        tfidf.fit(make(texts))


@pytest.mark.parametrize("module", ["pandas", "polars"])
def test_imputed_texts(tfidf, columns, module):
    texts = ["w1", *columns["title"]]
    make, missing = (
        (pd.DataFrame, np.nan) if module == "pandas" else (pl.DataFrame, None)
    )
    texts[4] = missing
    fill = SimpleImputer(missing_values=missing, strategy="constant", fill_value="")
    found = Pipeline([("fill", fill), ("encode", tfidf)]).fit_transform(
        make({"text": texts})
    )
    texts[4] = ""
    assert_array_equal(found, alone(tfidf, texts))


def test_lazy_frames_are_collected(tfidf, columns):
    frame = pl.DataFrame(columns).select("title")
    expected = tfidf.fit(frame).transform(frame)
    lazy = frame.lazy()
    assert_array_equal(tfidf.fit(lazy).transform(lazy), expected)
