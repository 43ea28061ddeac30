"""Ids and payload of texts, from lists, arrays and frames."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import copy
import pickle
from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_equal

import skparaphrase
from skparaphrase.io import to_arrow
from skparaphrase.search import SemanticSearch

TEXTS = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
TWICE = pd.Series(TEXTS, index=[7, 7, 8])
TUPLES = pd.MultiIndex.from_product([["a"], [1, 2, 3]])


@pytest.mark.parametrize(
    ("X", "ids", "expected"),
    [
        (TEXTS, None, [0, 1, 2]),
        (pd.Series(TEXTS), None, [0, 1, 2]),
        (pd.DataFrame({"text": TEXTS}), None, [0, 1, 2]),
        (pd.Series(TEXTS, index=[*"abc"]), None, [*"abc"]),
        (pd.Series(TEXTS, index=TUPLES), None, TUPLES.tolist()),
        (pd.Series(TEXTS)[1:], None, [1, 2]),
        (pd.Series(TEXTS)[::2], None, [0, 2]),
        (TWICE, range(1, 4), [1, 2, 3]),
        (TEXTS, [*"abc"], [*"abc"]),
        (TEXTS, [("a", n) for n in range(3)], [("a", n) for n in range(3)]),
        (TEXTS, list(np.arange(3)), [0, 1, 2]),
        (TEXTS, pa.array([*"abc"]), [*"abc"]),
        (TEXTS, pa.chunked_array([["a"], ["b", "c"]]), [*"abc"]),
        (TEXTS[:1], "name", ["name"]),
    ],
)
def test_ids(X, ids, expected):
    search = SemanticSearch().fit(X, ids=ids)
    assert search.ids_.tolist() == expected
    assert search.search(search.texts_[0], k=1).id.tolist() == [expected[:1]]
    assert search.ids_.dtype == (int if isinstance(expected[0], int) else object)


def test_an_index_with_a_value_twice_warns():
    with pytest.warns(UserWarning, match="The index of X has repeated"):
        assert SemanticSearch().fit(TWICE).ids_.tolist() == [0, 1, 2]


def test_ids_of_added_and_removed_texts(tmp_path):
    search = SemanticSearch().fit(TEXTS[:1], ids=[7]).partial_fit(TEXTS[1:])
    search.partial_fit(pd.Series(["A third."]))  # The default index means no ids.
    search.partial_fit(["With a name.", "Large."], ids=["a", 2**70])
    assert search.ids_.tolist() == [7, 8, 9, 10, "a", 2**70]
    search = SemanticSearch().fit(TEXTS).remove(np.int64(2)).partial_fit(TEXTS[2:])
    assert search.ids_.tolist() == [0, 1, 3]
    search.remove(3).save(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search")
    for other in (search, loaded, pickle.loads(pickle.dumps(search))):
        assert other.partial_fit(["New."]).ids_.tolist() == [0, 1, 4]


def test_upserts_replace_and_add():
    search = SemanticSearch().upsert(TEXTS[:2])  # fits
    search.upsert(["Do you sell bicycles?", TEXTS[0]], ids=[0, 5])
    hits = search.search("bikes", k=1)
    assert search.ids_.tolist() == [1, 0, 5]
    assert search.texts_.tolist() == [TEXTS[1], "Do you sell bicycles?", TEXTS[0]]
    assert (hits.id.item(), hits.row.item()) == (0, 1)
    assert search.upsert(["One more."]).ids_.tolist() == [1, 0, 5, 6]
    assert len(search.upsert([])) == 4


# Payload

ROWS = [{"topic": "post", "price": 1.5}, {"topic": "shop", "price": 2}]


@pytest.mark.parametrize(
    "payload",
    [
        ROWS,
        {"topic": ["post", "shop"], "price": np.array([1.5, 2], dtype="f4")},
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS, strict=False),
        pa.table({"topic": ["post", "shop"], "price": [1.5, 2]}),
    ],
    ids=lambda payload: type(payload).__module__,
)
def test_a_payload_comes_with_hits(payload, tmp_path):
    search = SemanticSearch().fit(TEXTS[:2], ids=["a", "b"], payload=payload)
    search.partial_fit(TEXTS[2:], ids=["c"], payload=[{"topic": "shop", "price": 3}])
    hits = search.search("Where is my parcel?", k=3)
    assert hits.topic[0].tolist() == ["post", "shop", "shop"]
    assert hits.price[0, 0] == 1.5
    for mask in (
        lambda columns: columns["topic"] == "shop",
        search.payload_["price"] > 1.5,
    ):
        assert {*search.search("a parcel", mask=mask).id[0]} == {"b", "c"}
    best = search.search("a parcel", groups="topic")
    assert best.topic.tolist() == [["post", "shop"]]
    frame = search.search("a parcel", threshold=0.3, as_frame=True)
    names = "query_row query id row text topic price score"
    assert frame.columns.tolist() == names.split()
    assert frame["topic"].tolist() == ["post"]
    few = search.search(["a parcel", "qwx"], threshold=0.3)
    assert few.topic.tolist() == [["post"], [None]]
    search.remove("a").upsert([TEXTS[1]], ids=["b"], payload=ROWS[:1])
    assert search.payload_["topic"].tolist() == ["shop", "post"]
    assert search.payload_["price"].tolist() == [3, 1.5]
    search.save(tmp_path / "search")
    for other in (skparaphrase.load(tmp_path / "search"), copy.copy(search)):
        assert_equal(other.payload_, search.payload_)
        assert other.payload_["topic"].dtype == object
        assert other.payload_["price"].dtype == float


def test_a_payload_with_equal_names_is_refused():
    """Its columns would be the names."""
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["p", "p"])
    with pytest.raises(ValueError, match=r"equal names: \['p', 'p'\]"):
        SemanticSearch().fit(TEXTS[:2], payload=frame)


def test_columns_of_a_payload_keep_their_order_and_values():
    search = SemanticSearch().fit(TEXTS[:1], payload={"b": [True], "a": [2**62 + 1]})
    search.partial_fit(TEXTS[1:2], payload={"a": [3], "b": [7]}).upsert([])
    assert [*search.payload_] == ["b", "a"]
    assert search.payload_["b"].tolist() == [True, 7]
    assert search.payload_["b"][0] is True
    assert search.payload_["a"].tolist() == [2**62 + 1, 3]


@pytest.mark.parametrize(
    ("first", "second", "dtype"),
    [
        (np.array([2**63 + 1, 2**63 + 3], dtype=np.uint64), [0.5, 2**53], object),
        ([2**53 + 1, 2**53], [0.5], object),
        ([1, 2], [0.5], float),
        ([1, 2], [3], int),
        ([True, False], [True], bool),
    ],
)
def test_integers_that_no_float_holds(first, second, dtype):
    search = SemanticSearch().fit(TEXTS[:2], payload={"key": first})
    assert search.search("bikes", groups="key").key.shape == (1, 2)
    search.partial_fit(TEXTS[: len(second)], payload={"key": second})
    assert search.payload_["key"].tolist() == [*np.array(first).tolist(), *second]
    assert search.payload_["key"].dtype == dtype


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.array([1, None, 3], dtype="Int64"), [1, None, 3]),
        (np.array([1, 2], "m8[ns]") * 10**9, [timedelta(seconds=s) for s in (1, 2)]),
        (np.array(["2026-01-01"], "M8[ns]"), [datetime(2026, 1, 1)]),
    ],
)
def test_values_become_those_of_python(values, expected):
    search = SemanticSearch().fit(TEXTS[: len(values)], payload={"x": values})
    assert search.payload_["x"].tolist() == expected


def test_what_a_payload_saves(tmp_path):
    values = [None, float("nan"), "a", True, 2**70, ["x", 1]]
    search = SemanticSearch().fit(TEXTS + TEXTS, payload={"any": values})
    search.save(tmp_path / "search")
    loaded = skparaphrase.load(tmp_path / "search")
    assert_equal(loaded.payload_["any"].tolist(), values)
    dates = {"day": [date(2026, 1, 1)]}
    search = SemanticSearch().fit(TEXTS[:1], payload=dates)
    with pytest.raises(ValueError, match=r"date.* cannot be saved without pickle"):
        search.save(tmp_path / "search")
    assert pickle.loads(pickle.dumps(search)).payload_["day"] == dates["day"]
    search = SemanticSearch().fit(TEXTS[:1], ids=[("a", 1)])
    with pytest.raises(ValueError, match="ids_ contains tuples; save supports"):
        search.save(tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["search"]


def test_columns_of_arrow():
    table = pa.table({"id": ["a", "b", "c"], "text": ["A cat.", "A dog.", "Rain."]})
    vectors = to_arrow(skparaphrase.load_pretrained().transform(table["text"]))
    search = SemanticSearch().fit(table["text"], ids=table["id"])
    assert len(search.upsert(["A kitten."], ids=pa.array(["a"]))) == 3
    assert search.remove(table["id"][:1]).ids_.tolist() == ["b", "c"]
    embedded = pa.table({"vector": vectors})["vector"]
    for column in (vectors, embedded, embedded.to_pandas()):
        other = SemanticSearch().fit(table["text"], ids=table["id"], vectors=column)
        assert other.search("a dog", k=1).id.item() == "b"


PRICED = pd.DataFrame({"text": TEXTS, "price": [1, 2, 3]}, index=[3, 4, 5])


def test_rows_of_one_table():
    search = SemanticSearch().fit(PRICED.text, payload=PRICED[["price"]])
    assert search.ids_.tolist() == [3, 4, 5]
    assert SemanticSearch().fit(TEXTS, payload=PRICED[["price"]]).ids_[0] == 0


@pytest.mark.parametrize(
    ("X", "payload", "error"),
    [
        (TEXTS, {"a": [1, 2]}, r"payload\['a'\] has 2 values, not 3"),
        (TEXTS, {"score": [1, 2, 3]}, "a column 'score'; its name must be a str other"),
        (TEXTS, {"query_id": [1, 2, 3]}, "a column 'query_id'; its name"),
        (TEXTS, {7: [1, 2, 3]}, "a column 7; its name"),
        (TEXTS, [{"a": 1}, {"a": 2}, {"b": 2}], "must have the same keys"),
        (PRICED.text, PRICED[["price"]][::-1], "payload have different indices"),
        (PRICED.text, PRICED[["price"]].reset_index(drop=True), "different indices"),
    ],
)
def test_errors(X, payload, error):
    with pytest.raises(ValueError, match=error):
        SemanticSearch().fit(X, payload=payload)
