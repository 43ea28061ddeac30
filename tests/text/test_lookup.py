"""How the tokens of texts become rows, and slices of ragged batches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_words import parts_of, runs_of, tokenizers, words_of

from skparaphrase import _core
from skparaphrase.text import WordTokenizer
from skparaphrase.text._lookup import TokenBatch, encode_words

pytestmark = pytest.mark.usefixtures("core")

NASTY = ["", " ", "\n", "\t\r\n", "\0", "\x01", "\x02", "\ud800", "\udfff", "\ufdd0"]
NASTY += ["😀", "👩\u200d👩", "שלום", "ΟΔΟΣ", "ΟΔΟΣ.", "İ", "e\u0301", "\xa0", "\u2028"]
NASTY += ["\x85", "\ue000", "_", "-", "--", "...", "'", "\u2019", "/", "Blue-eyed"]
NASTY += ["o'clock", "and/or", "U.S.", "don't", "can\u2019t", "cannot", "1,650", "cat"]
NASTY += ["CAT", "cats", "well-known", "a.b.c", "3:4", "it's", "x" * 3000]
KNOWN = ["cat", "o", "blue", "eyed", "CAT", "Blue", "don't", "and", "οδος", "ΟΔΟΣ"]
KNOWN += ["\0", "\x01", "\ufdd0", "😀", "שלום", "-", "i", "İ", "can", "n't", "1", "c"]
NASTY += ["64gb", "1.7L", "s21", "kx-tg1032s", "mp3", "mp4", "5-6mg", "a1b2c3"]
NASTY += ["mp3-x", "2x-mp3", "7l", "5.7l-mp3"]
KNOWN += ["64", "1.7", "7l", "mp3", "mp", "1032", "6"]
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


def slow_rows(text, index, unknown, **params):
    rows = []
    tokens = []
    for token in words_of(text, **params):
        split = params["split_compounds"] and token not in index
        tokens += (split and runs_of(token, index)) or [token]
    for token in tokens:
        parts = []
        if token in index:
            parts = [token]
        elif params["split_compounds"] and re.search(r"['\u2019\-./:,]", token):
            parts = [part for part in parts_of(token) if part in index]
        rows += [index[part] for part in parts]
        if not parts and unknown is not None:
            rows.append(unknown)
    return rows


@settings(max_examples=300)
@given(texts_of_any_kind, tokenizers, st.sampled_from([None, 0, 99]))
def test_encode_against_a_loop_over_tokens(as_lists, texts, params, unknown):
    expected = [slow_rows(text, INDEX, unknown, **params) for text in texts]
    tokenizer, index = WordTokenizer(**params), _core.core.WordIndex(KNOWN)
    batch = encode_words(texts, index, tokenizer, unknown)
    assert as_lists(batch) == expected
    for i, text in enumerate(texts):  # alone as among others
        assert (
            encode_words([text], index, tokenizer, unknown).ids.tolist() == expected[i]
        )


@pytest.mark.parametrize("pattern", ["words", "ptb"])
@pytest.mark.parametrize("unit", ["a", "a ", "a-", "cat's ", "1", ".", "\0 ", "nt'"])
def test_a_text_of_a_hundred_thousand_characters(pattern, unit):
    text = (unit * 100_000)[:100_000]
    params = {"pattern": pattern, "split_compounds": True}
    expected = slow_rows(text, INDEX, 7, **params)
    tokenizer, index = WordTokenizer(**params), _core.core.WordIndex(KNOWN)
    batch = encode_words(["cat", text, "cat"], index, tokenizer, 7)
    assert batch[1].tolist() == expected
    assert batch[0].tolist() == batch[2].tolist() == [INDEX["cat"]]


# Batches -----------------------------------------------------------------------------

ROWS = [[5, 7], [], [5], [1, 2, 3], [], []]


def batch_of(rows):
    ids = np.array([row for r in rows for row in r], dtype=np.int32)
    return TokenBatch(ids, np.cumsum([0, *map(len, rows)], dtype=np.int64))


@given(st.slices(len(ROWS)).filter(lambda s: s.step in (None, 1)))
def test_slices(as_lists, part):
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
def test_take_any_texts_in_any_order(as_lists, texts):
    taken = batch_of(ROWS).take(np.array(texts, dtype=np.int64))
    assert as_lists(taken) == [ROWS[i] for i in texts]


def test_an_empty_batch(as_lists):
    batch = batch_of([])
    assert as_lists(batch[:]) == as_lists(batch.take(np.empty(0, np.int64))) == []
