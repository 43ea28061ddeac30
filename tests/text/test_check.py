"""Accepted text inputs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from collections import Counter
from functools import partial

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
    """An object with an array, but without length and rows."""

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


WIDE = [["a", "b", "c", "d"], ["", "d", "a", "b"]]


def test_rows_of_any_width_where_they_are_wanted():
    assert check_texts(WIDE, widths=ANY).tolist() == WIDE


def test_triplets_are_texts_where_they_are_wanted():
    rows = [["a", "b", "c"], ["", "d", "a"]]
    for X in (rows, as_object(rows), pd.DataFrame(rows, columns=[*"xyz"]), iter(rows)):
        assert check_texts(X, widths=ROWS).tolist() == rows
    for X in (FLAT, PAIRED):
        assert check_texts(X, widths=ROWS).tolist() == X


def test_no_pairs():
    assert check_pairs([]).shape == (0, 2)


NO_TEXTS = ["a b", b"a", bytearray(b"a"), None, {"a": 1}, {"a"}, frozenset("a"), 3, 2.5]
NO_TEXTS += [np.int64(3), np.array("a"), object(), {"a": 1}.keys(), pd.NA]
NO_TEXTS += [memoryview(np.eye(2)), ArrayLike("a")]
MISSING = [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT]
any_width, triplets = (partial(check_texts, widths=widths) for widths in (ANY, ROWS))


@pytest.mark.parametrize(
    ("check", "X", "error", "message"),
    [
        *(
            (check_texts, X, TypeError, f"pairs of str; got .*{type(X).__name__}")
            for X in NO_TEXTS
            if X is not None
        ),
        (check_texts, None, TypeError, "pairs of str; got None"),
        *(
            (check_texts, X, ValueError, rf"at index {where} is .* Drop missing texts")
            for missing in MISSING
            for X, where in (
                (["a", missing, "b", missing], "1"),
                ([("a", "b"), (missing, "c")], r"\(1, 0\)"),
            )
        ),
        (check_texts, np.ma.array(["a", "b"], mask=[0, 1]), ValueError, "index 1 "),
        (
            check_texts,
            np.ma.array([["a", "b"]], mask=[[0, 1]]),
            ValueError,
            r"\(0, 1\)",
        ),
        (check_texts, pd.Series(["a", None], index=[9, 8]), ValueError, "index 1 "),
        (
            check_texts,
            pd.DataFrame({"x": ["a", "b"], "y": ["c", None]}),
            ValueError,
            r"\(1, 1\)",
        ),
        (check_texts, pa.array(["a", None]), ValueError, "index 1 "),
        (
            check_texts,
            pa.table({"x": ["a", "b"], "y": [None, "c"]}),
            ValueError,
            r"\(0, 1\)",
        ),
        (triplets, [("a", "b", "c"), ("d", "e", None)], ValueError, r"\(1, 2\)"),
        (check_texts, [1, 2], TypeError, "index 0 is 1 "),
        (check_texts, ["a", b"b"], TypeError, "index 1 is b'b' "),
        (check_texts, ["a", ("b", "c")], TypeError, "index 1 is "),
        (check_texts, np.ones((2, 2)), TypeError, r"\(0, 0\) is 1.0 "),
        (check_texts, [("a", "b"), ("c", 4)], TypeError, r"\(1, 1\) is 4 "),
        (check_texts, pa.array([1, 2]), TypeError, "index 0 is 1 "),
        (
            check_texts,
            [("a", "b"), ("c",)],
            ValueError,
            "Row 1 holds 1 texts, but row 0 holds 2",
        ),
        (check_texts, [("a", "b"), "cd"], ValueError, "Row 1 is 'cd'"),
        (any_width, [WIDE[0], WIDE[1][:3]], ValueError, "Row 1 .* 3 .*row 0 holds 4"),
        (check_texts, [("a",) * 3], ValueError, r"\(1, 3\).*one column.*two of a pair"),
        (check_texts, np.array([[["a", "b"]]]), ValueError, r"shape \(1, 1, 2\)"),
        (check_texts, [[], []], ValueError, r"shape \(2, 0\)"),
        (triplets, [["a"] * 4], ValueError, r"shape \(1, 4\)"),
        (triplets, as_object([["a"] * 5] * 2), ValueError, r"shape \(2, 5\)"),
        (check_pairs, [("a", "b", "c")] * 2, ValueError, r"shape \(2, 3\)"),
        (check_pairs, ["a", "b"], ValueError, r"pairs.*shape \(2,\)"),
        (check_pairs, [("a",), ("b",)], ValueError, r"pairs.*shape \(2,\)"),
    ],
)
def test_what_holds_no_texts(check, X, error, message):
    with pytest.raises(error, match=message):
        check(X)


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
