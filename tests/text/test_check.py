"""What counts as text."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skparaphrase.text import check_pairs, check_texts
from skparaphrase.text._check import (
    ANY,
    ROWS,
    check_text_blocks,
    unique_strings,
    unique_texts,
)

FLAT = ["a b", "", "é\n"]
PAIRED = [["a", "b"], ["", "c d"], ["a", "a"]]
FIRST, SECOND = map(list, zip(*PAIRED, strict=True))
GAPPY = [7, 3, 100]


def as_object(rows):
    return np.array(rows, dtype=object)


class ArrayLike:
    """What has an array, but neither a length nor rows."""

    def __init__(self, rows):
        self.rows = rows

    def __array__(self, dtype=None, copy=None):
        return np.array(self.rows, dtype=dtype)


@pytest.mark.parametrize(
    "X",
    [
        FLAT,
        np.array(FLAT),
        as_object(FLAT),
        np.array(FLAT, dtype=np.dtypes.StringDType()),
        pd.Series(FLAT, index=GAPPY),
        pd.Series(FLAT, dtype="category"),
        pl.Series(FLAT),
        pa.chunked_array([FLAT[:1], FLAT[1:]]),
        [(text,) for text in FLAT],
        pd.DataFrame({"text": FLAT}, index=GAPPY),
        pl.DataFrame({"text": FLAT}),
        pa.table({"text": FLAT}),
        iter(FLAT),
        ArrayLike(FLAT),
    ],
    ids=lambda X: f"{type(X).__module__}.{type(X).__name__}",
)
def test_every_container_of_texts_gives_one_column(X):
    texts = check_texts(X)
    assert texts.dtype == object
    assert texts.tolist() == FLAT


@pytest.mark.parametrize(
    "X",
    [
        PAIRED,
        [pd.Series(row) for row in PAIRED],
        as_object(PAIRED),
        np.array(PAIRED),
        pd.DataFrame({"x": FIRST, "y": SECOND}, index=GAPPY),
        pl.DataFrame({"x": FIRST, "y": SECOND}),
        pa.table({"x": FIRST, "y": SECOND}),
        zip(FIRST, SECOND, strict=True),
    ],
    ids=lambda X: f"{type(X).__module__}.{type(X).__name__}",
)
def test_every_container_of_pairs_gives_two_columns(X):
    texts = check_pairs(X)
    assert texts.dtype == object
    assert texts.tolist() == PAIRED


@pytest.mark.parametrize(
    ("X", "shape"),
    [
        ([], (0,)),
        (np.empty((0, 2), dtype=object), (0, 2)),
        (pl.DataFrame({"x": [], "y": []}), (0, 2)),
        (pa.table({"x": pa.array([], pa.string())}), (0,)),
        (pa.table({c: pa.array([], pa.string()) for c in "xy"}), (0, 2)),
    ],
)
def test_zero_rows_keep_their_shape(X, shape):
    assert check_texts(X).shape == shape


def test_no_text_is_changed_and_the_input_stays():
    X = as_object(["  A ", "\ud800", "\0", "e\u0301", "É"])
    before = X.tolist()
    texts = check_texts(X)
    texts[0] = "other"
    assert X.tolist() == before
    assert check_texts(X).tolist() == before
    [(texts, _)] = check_text_blocks(before)
    before.clear()  # by another thread while texts are embedded
    assert texts == X.tolist()


NO_TEXTS = ["a b", b"a", bytearray(b"a"), None, {"a": 1}, {"a"}, frozenset("a"), 3, 2.5]
NO_TEXTS += [np.int64(3), np.array("a"), object(), {"a": 1}.keys(), pd.NA]
NO_TEXTS += [memoryview(np.eye(2)), ArrayLike("a")]


@pytest.mark.parametrize("X", NO_TEXTS, ids=lambda X: type(X).__name__)
def test_what_holds_no_texts_is_a_type_error_that_names_it(X):
    name = "None" if X is None else type(X).__name__
    with pytest.raises(TypeError, match=f"pairs of str; got .*{name}"):
        check_texts(X)


MISSING = [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT]


@pytest.mark.parametrize("missing", MISSING, ids=lambda m: type(m).__name__)
def test_missing_texts_are_value_errors_with_their_index(missing):
    with pytest.raises(ValueError, match=r"2 of 4 .* at index 1, "):
        check_texts(["a", missing, "b", missing])
    with pytest.raises(ValueError, match=r"1 of 4 .* at index \(1, 0\), "):
        check_texts([("a", "b"), (missing, "c")])


@pytest.mark.parametrize(
    ("X", "where"),
    [
        (np.ma.array(["a", "b"], mask=[0, 1]), r"1, "),
        (np.ma.array([["a", "b"]], mask=[[0, 1]]), r"\(0, 1\)"),
        (pd.Series(["a", None], index=[9, 8]), r"1, "),
        (pd.DataFrame({"x": ["a", "b"], "y": ["c", None]}), r"\(1, 1\)"),
        (pa.array(["a", None]), r"1, "),
        (pa.table({"x": ["a", "b"], "y": [None, "c"]}), r"\(0, 1\)"),
    ],
)
def test_missing_texts_in_frames(X, where):
    with pytest.raises(ValueError, match=f"at index {where}"):
        check_texts(X)


@pytest.mark.parametrize(
    ("X", "where"),
    [
        ([1, 2], "0, is 1 "),
        (["a", b"b"], "1, is b'b' "),
        (["a", ("b", "c")], "1, is "),
        (np.ones((2, 2)), r"\(0, 0\), is 1.0 "),
        ([("a", "b"), ("c", 4)], r"\(1, 1\), is 4 "),
        (pa.array([1, 2]), "0, is 1 "),
    ],
)
def test_other_entries_are_type_errors_with_their_index(X, where):
    with pytest.raises(TypeError, match=f"at index {where}"):
        check_texts(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([("a", "b"), ("c",)], "Row 1 holds 1 texts, but row 0 holds 2"),
        ([("a", "b"), "cd"], "Row 1 is 'cd'"),
        ([("a", "b", "c")], r"shape \(1, 3\).*one column.*two of a pair"),
        (np.array([[["a", "b"]]]), r"shape \(1, 1, 2\)"),
        ([[], []], r"shape \(2, 0\)"),
    ],
)
def test_shapes_other_than_texts_and_pairs_are_value_errors(X, message):
    with pytest.raises(ValueError, match=message):
        check_texts(X)


def test_rows_of_any_width_where_they_are_wanted():
    rows = [["a", "b", "c", "d"], ["", "d", "a", "b"]]
    assert check_texts(rows, widths=ANY).tolist() == rows
    with pytest.raises(ValueError, match=r"Row 1 holds 3 texts, but row 0 holds 4"):
        check_texts([rows[0], rows[1][:3]], widths=ANY)


def test_triplets_are_texts_where_they_are_wanted():
    rows = [["a", "b", "c"], ["", "d", "a"]]
    for X in (rows, as_object(rows), pd.DataFrame(rows, columns=[*"xyz"]), iter(rows)):
        assert check_texts(X, widths=ROWS).tolist() == rows
    for X in (FLAT, PAIRED):
        assert check_texts(X, widths=ROWS).tolist() == X
    for X in ([["a"] * 4], as_object([["a"] * 5] * 2)):
        with pytest.raises(ValueError, match="shape"):
            check_texts(X, widths=ROWS)
    with pytest.raises(ValueError, match=r"1 of 6 .* at index \(1, 2\)"):
        check_texts([("a", "b", "c"), ("d", "e", None)], widths=ROWS)
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        check_pairs(rows)


def test_check_pairs_expects_two_columns():
    assert check_pairs([]).shape == (0, 2)
    for X in (["a", "b"], [("a",), ("b",)]):
        with pytest.raises(ValueError, match=r"pairs.*shape \(2,\)"):
            check_pairs(X)


@given(st.lists(st.sampled_from(["a", "b", "", "\0", "A"]), max_size=8))
def test_unique_texts(texts):
    distinct, indices = unique_texts(as_object(texts))
    assert distinct == list(Counter(texts))
    assert [distinct[i] for i in indices] == texts
    distinct, indices = unique_texts(as_object([texts, texts]))
    assert [[distinct[i] for i in row] for row in indices] == [texts, texts]
    distinct, indices = unique_strings(texts)
    assert (indices is None) == (len(set(texts)) == len(texts))
    positions = range(len(texts)) if indices is None else indices
    assert [distinct[i] for i in positions] == texts


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_of_ids_is_named(kind):
    columns = {"ID": ["t-1", "t-2"], "text": ["A cat sleeps.", "It rains."]}
    with pytest.warns(UserWarning, match="column 'ID' is read as texts. Select one"):
        assert check_texts(kind(columns)).shape == (2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_texts(kind({"ID": columns["ID"]}))
        check_texts(kind({"title": columns["ID"], "text": columns["text"]}))
