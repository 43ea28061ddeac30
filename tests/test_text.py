"""What counts as text, how it falls into tokens, and how tokens become rows."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skparaphrase.text import (
    TOKEN_PATTERNS,
    TokenBatch,
    WordTokenizer,
    _lookup,
    check_pairs,
    check_texts,
    unique_texts,
)

FLAT = ["a b", "", "é\n"]
PAIRED = [["a", "b"], ["", "c d"], ["a", "a"]]
FIRST, SECOND = map(list, zip(*PAIRED, strict=True))
GAPPY = [7, 3, 100]


def as_object(rows):
    return np.array(rows, dtype=object)


def as_lists(batch):
    assert batch.offsets[0] == 0
    assert batch.offsets[-1] == len(batch.ids)
    return [batch[i].tolist() for i in range(len(batch))]


@pytest.mark.parametrize(
    "X",
    [
        FLAT,
        tuple(FLAT),
        np.array(FLAT),
        as_object(FLAT),
        np.array(FLAT, dtype=np.dtypes.StringDType()),
        pd.Series(FLAT, index=GAPPY),
        pd.Series(FLAT, index=GAPPY, dtype=object),
        pd.Series(FLAT, dtype="category"),
        pl.Series(FLAT),
        pa.array(FLAT),
        pa.chunked_array([FLAT[:1], FLAT[1:]]),
        [(text,) for text in FLAT],
        as_object([[text] for text in FLAT]),
        pd.DataFrame({"text": FLAT}, index=GAPPY),
        pl.DataFrame({"text": FLAT}),
        pa.table({"text": FLAT}),
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
        tuple(map(tuple, PAIRED)),
        [np.array(row) for row in PAIRED],
        [pd.Series(row) for row in PAIRED],
        as_object(PAIRED),
        np.array(PAIRED),
        np.array(PAIRED, dtype=np.dtypes.StringDType()),
        pd.DataFrame({"x": FIRST, "y": SECOND}, index=GAPPY),
        pl.DataFrame({"x": FIRST, "y": SECOND}),
        pa.table({"x": FIRST, "y": SECOND}),
    ],
    ids=lambda X: f"{type(X).__module__}.{type(X).__name__}",
)
def test_every_container_of_pairs_gives_two_columns(X):
    texts = check_pairs(X)
    assert texts.dtype == object
    assert texts.tolist() == check_texts(X).tolist() == PAIRED


@pytest.mark.parametrize("check", [check_texts, check_pairs])
def test_generators_are_read_to_their_end(check):
    assert check(zip(FIRST, SECOND, strict=True)).tolist() == PAIRED
    assert check(row for row in PAIRED).tolist() == PAIRED
    assert check_texts(text for text in FLAT).tolist() == FLAT


@pytest.mark.parametrize(
    ("X", "shape"),
    [
        ([], (0,)),
        (iter([]), (0,)),
        (np.empty((0, 2), dtype=object), (0, 2)),
        (pd.DataFrame({"x": [], "y": []}), (0, 2)),
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


NO_TEXTS = ["a b", b"a", bytearray(b"a"), None, {"a": 1}, {"a"}, frozenset("a"), 3, 2.5]
NO_TEXTS += [np.int64(3), np.array("a"), object(), {"a": 1}.keys(), pd.NA]


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
        (pd.Series(["a", None], index=[9, 8]), r"1, "),
        (pd.Series(["a", pd.NA], dtype="string"), r"1, "),
        (pd.DataFrame({"x": ["a", "b"], "y": ["c", None]}), r"\(1, 1\)"),
        (pl.Series(["a", None]), r"1, "),
        (pl.DataFrame({"x": ["a", None], "y": ["c", "d"]}), r"\(1, 0\)"),
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
        (["a", ["b"]], "1, is "),
        (np.arange(3), "0, is 0 "),
        (np.ones((2, 2)), r"\(0, 0\), is 1.0 "),
        ([("a", "b"), ("c", 4)], r"\(1, 1\), is 4 "),
        ([(["a"], "b"), (["c"], "d")], r"\(0, 0\), is \['a'\]"),
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
        ([("a", "b", "c")], r"shape \(1, 3\).*one or two columns"),
        ([["a", "b", "c"], ["d", "e", "f"]], r"shape \(2, 3\).*zip\(first, second\)"),
        (pd.DataFrame({c: ["a"] for c in "xyz"}), r"shape \(1, 3\)"),
        (pa.table({c: ["a"] for c in "xyz"}), r"shape \(1, 3\)"),
        (np.array([[["a", "b"]]]), r"shape \(1, 1, 2\)"),
        ([[], []], r"shape \(2, 0\)"),
        (np.empty((2, 0), dtype=object), r"shape \(2, 0\)"),
    ],
)
def test_shapes_other_than_texts_and_pairs_are_value_errors(X, message):
    with pytest.raises(ValueError, match=message):
        check_texts(X)


@pytest.mark.parametrize("X", [["a", "b"], [("a",), ("b",)]])
def test_check_pairs_wants_two_columns(X):
    assert check_pairs([]).shape == (0, 2)
    with pytest.raises(ValueError, match=r"pairs.*shape \(2,\)"):
        check_pairs(X)


@given(st.lists(st.sampled_from(["a", "b", "", "\0", "A"]), max_size=8))
def test_unique_texts(texts):
    distinct, inverse = unique_texts(as_object(texts))
    assert distinct == list(Counter(texts))
    assert (inverse is None) == (len(distinct) == len(texts))
    assert inverse is None or [distinct[i] for i in inverse] == texts


def test_unique_texts_of_pairs_go_row_by_row():
    distinct, inverse = unique_texts(as_object([["b", "a"], ["a", "c"]]))
    assert (distinct, inverse.tolist()) == (["b", "a", "c"], [0, 1, 1, 2])


# Tokens ----------------------------------------------------------------------------

NASTY = ["", " ", "\n", "\t\r\n", "\0", "\x01", "\x02", "\ud800", "\udfff", "\ufdd0"]
NASTY += ["😀", "👩\u200d👩", "שלום", "ΟΔΟΣ", "ΟΔΟΣ.", "İ", "e\u0301", "\xa0", "\u2028"]
NASTY += ["\x85", "\ue000", "_", "-", "--", "...", "'", "\u2019", "/", "Blue-eyed"]
NASTY += ["o'clock", "and/or", "U.S.", "don't", "can\u2019t", "cannot", "1,650", "cat"]
NASTY += ["CAT", "cats", "well-known", "a.b.c", "3:4", "it's", "x" * 3000]
KNOWN = ["cat", "o", "blue", "eyed", "CAT", "Blue", "don't", "and", "οδος", "ΟΔΟΣ"]
KNOWN += ["\0", "\x01", "\ufdd0", "😀", "שלום", "-", "i", "İ", "can", "n't", "1", "c"]
KNOWN += ["u.s.", "S", "s", "...", "3", "\ud800", "it", "'", "o'clock", "_", ""]
INDEX = {word: row for row, word in enumerate(KNOWN)}
texts_of_any_kind = st.lists(
    st.builds(
        str.join,
        st.sampled_from(["", " "]),
        st.lists(st.sampled_from(NASTY) | st.text(st.characters(), max_size=4)),
    ),
    max_size=6,
)
patterns = st.sampled_from(["words", "ptb", r"\S+", r"\b(\w)\w*", r"\w*", r"[^a]| "])
either = st.booleans()
tokenizers = st.builds(
    dict, lowercase=either, split_compounds=either, token_pattern=patterns
)


def words_of(text, lowercase=True, token_pattern="words", **_):
    pattern = {"words": r"\w+(?:['\-.]\w+)*|[^\w\s]", "ptb": TOKEN_PATTERNS["ptb"]}
    text = text.lower() if lowercase else text
    return re.findall(pattern.get(token_pattern, token_pattern), text)


def slow_rows(text, index, unknown, **params):
    rows = []
    for token in words_of(text, **params):
        parts = []
        if token in index:
            parts = [token]
        elif params["split_compounds"] and re.search(r"['\u2019\-./:,]", token):
            parts = [part for part in re.findall(r"\w+", token) if part in index]
        rows += [index[part] for part in parts]
        if not parts and unknown is not None:
            rows.append(unknown)
    return rows


@settings(deadline=None)
@given(texts_of_any_kind, tokenizers)
def test_tokenize_and_count_against_plain_findall(texts, params):
    expected = [words_of(text, **params) for text in texts]
    tokenizer = WordTokenizer(**params)
    assert tokenizer.tokenize(texts) == expected
    assert tokenizer.count(texts) == Counter(chain.from_iterable(expected))


few_texts = st.sampled_from([2, 8])  # from which number on they are joined


@settings(deadline=None, max_examples=300)
@given(texts_of_any_kind, tokenizers, st.sampled_from([None, 0, 99]), few_texts)
def test_encode_against_a_loop_over_tokens(texts, params, unknown, few):
    expected = [slow_rows(text, INDEX, unknown, **params) for text in texts]
    with patch.object(_lookup, "_FEW", few):
        batch = WordTokenizer(**params).encode(texts, INDEX, unknown)
    assert batch.ids.dtype == np.int32
    assert as_lists(batch) == expected


@settings(deadline=None)
@given(texts_of_any_kind, tokenizers, st.integers(1, 8), st.sampled_from([None, 5]))
def test_blocks_of_any_size_give_the_same_rows(texts, params, block_size, unknown):
    lookup = WordTokenizer(**params).lookup(INDEX, unknown)
    expected = [slow_rows(text, INDEX, unknown, **params) for text in texts]
    for few, most in ((8, 10**6), (2, 10**6), (2, 1)):
        with patch.multiple(_lookup, _FEW=few, _MOST=most):
            blocks = list(lookup.encode_blocks(texts, block_size))
        sizes = [len(block) for block in blocks[:-1]]
        assert sizes == [block_size] * (len(blocks) - 1)
        assert [row for block in blocks for row in as_lists(block)] == expected


@pytest.mark.parametrize("n_texts", [1, 20])
def test_pieces_without_end_are_forgotten(n_texts):
    """As texts of a language that has no white space would give them."""
    lookup = WordTokenizer().lookup(INDEX, 7)
    with patch.object(_lookup, "_MOST", 20_000):
        for i in range(30):
            texts = [f"{'x' * 500}{i}y{j}," for j in range(n_texts)]
            [batch] = lookup.encode_blocks(texts)
            assert as_lists(batch) == [[7, 7]] * n_texts
            [pieces] = lookup._pieces.values()
            assert sum(map(len, pieces)) < 2 * 20_000


def test_threads_share_what_was_looked_up():
    texts = [f"well-known cat{i % 7}. dog {i} a.b" for i in range(3000)]
    params = {"token_pattern": "words", "split_compounds": True}
    expected = [slow_rows(text, INDEX, 7, **params) for text in texts]
    lookup = WordTokenizer(**params).lookup(INDEX, 7)

    def rows(block_size):
        blocks = lookup.encode_blocks(texts, block_size)
        return [row for block in blocks for row in as_lists(block)]

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(rows, [5, 7, 50, 51, 100, 999, 1000, 3000] * 3):
            assert found == expected


@pytest.mark.parametrize("pattern", ["words", "ptb"])
@pytest.mark.parametrize("unit", ["a", "a ", "a-", "cat's ", "1", ".", "\0 ", "nt'"])
def test_a_text_of_a_hundred_thousand_characters(pattern, unit):
    text = (unit * 100_000)[:100_000]
    params = {"token_pattern": pattern, "split_compounds": True}
    expected = slow_rows(text, INDEX, 7, **params)
    batch = WordTokenizer(**params).encode(["cat", text, "cat"], INDEX, 7)
    assert batch[1].tolist() == expected
    assert batch[0].tolist() == batch[2].tolist() == [INDEX["cat"]]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("don't Don\u2019t can't won't", "do n't do n\u2019t ca n't wo n't"),
        ("cannot canned cannots", "can not canned cannots"),
        ("it's we'll they've I'd I'm", "it 's we 'll they 've i 'd i 'm"),
        ("u.s. the U.S. is", "u.s. the u.s. is"),
        ("1,650 3.5 12:30 1/2 1,650.", "1,650 3.5 12:30 1/2 1,650 ."),
        ("well-known wait... a--b", "well-known wait ... a -- b"),
        ("(yes), 'no'! end. Start", "( yes ) , ' no ' ! end . start"),
    ],
)
def test_ptb_tokens_by_hand(text, tokens):
    assert WordTokenizer(token_pattern="ptb").tokenize([text]) == [tokens.split()]


def test_a_callable_sees_folded_text_and_overrides_the_pattern():
    seen = []

    def tokenizer(text):
        seen.append(text)
        return iter(text.split("|"))

    words = WordTokenizer(tokenizer=tokenizer, token_pattern="ptb")
    batch = words.encode(["CAT|x y", "", "o'clock|blue-x"], INDEX)
    assert seen == ["cat|x y", "", "o'clock|blue-x"]
    assert batch.lengths.tolist() == [1, 1, 2]
    assert batch.ids.tolist() == [INDEX[w] for w in ("cat", "", "o'clock", "blue")]
    assert words.count(["a|b|a"]) == {"a": 2, "b": 1}


@pytest.mark.parametrize("token", [3, None, b"cat", ("cat",), ["cat"]])
def test_tokens_that_are_not_str_are_named_with_their_text(token):
    words = WordTokenizer(tokenizer=lambda text: ["cat"] if text == "x" else [token])
    with pytest.raises(TypeError, match=rf"{re.escape(repr(token))} .*for text 1;"):
        words.encode(["x", "y"], INDEX)


@pytest.mark.parametrize(
    "pattern", ["[", "(", 3, None, r"(\w)(\d)", r"(?P<x>a)|(b)", "wrods", ""]
)
def test_wrong_patterns_are_value_errors(pattern):
    with pytest.raises(ValueError, match=re.escape(f"{pattern!r}")):
        WordTokenizer(token_pattern=pattern)


def test_a_tokenizer_that_cannot_be_called_is_a_type_error():
    with pytest.raises(TypeError, match="must be callable or None; got 'ptb'"):
        WordTokenizer(tokenizer="ptb")


# Batches ---------------------------------------------------------------------------

ROWS = [[5, 7], [], [5], [1, 2, 3], [], []]


def batch_of(rows):
    ids = np.array([row for r in rows for row in r], dtype=np.int32)
    return TokenBatch(ids, np.cumsum([0, *map(len, rows)], dtype=np.int64))


@given(st.slices(len(ROWS)).filter(lambda s: s.step in (None, 1)))
def test_slices_of_a_batch(part):
    assert as_lists(batch_of(ROWS)[part]) == ROWS[part]
    assert batch_of(ROWS)[part].lengths.tolist() == [len(row) for row in ROWS[part]]


def test_positions_in_a_batch():
    batch = batch_of(ROWS)
    assert batch[-3].tolist() == ROWS[-3]
    assert batch[np.int64(3)].tolist() == ROWS[3]
    for i in (6, -7):
        with pytest.raises(IndexError):
            batch[i]
    with pytest.raises(ValueError, match="take"):
        batch[::2]


@given(st.lists(st.integers(0, len(ROWS) - 1), max_size=9))
def test_take_any_texts_in_any_order(texts):
    taken = batch_of(ROWS).take(np.array(texts, dtype=np.int64))
    assert as_lists(taken) == [ROWS[i] for i in texts]


@given(st.lists(st.booleans(), min_size=6, max_size=6))
def test_keep_tokens_by_mask(mask):
    marks = iter(mask)
    expected = [[token for token in row if next(marks)] for row in ROWS]
    assert as_lists(batch_of(ROWS).keep(np.array(mask))) == expected


def test_an_empty_batch():
    batch = batch_of([])
    assert as_lists(batch[:]) == as_lists(batch.take(np.empty(0, np.int64))) == []
    assert batch.keep(np.empty(0, bool)).lengths.tolist() == []
