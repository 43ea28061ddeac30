"""How texts are split into tokens, and how tokens become rows."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import skparaphrase
from skparaphrase.encoders import AverageEncoder
from skparaphrase.text import (
    TOKEN_PATTERNS,
    WordLookup,
    WordTokenizer,
    check_tokenizer,
)

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
tokenizers = st.builds(dict, lowercase=either, split_compounds=either, pattern=patterns)


def words_of(text, lowercase=True, pattern="words", **_):
    named = TOKEN_PATTERNS | {"words": r"\w+(?:['\-.]\w+)*|[^\w\s]"}
    text = text.lower() if lowercase else text
    return re.findall(named.get(pattern, pattern), text)


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


@given(texts_of_any_kind, tokenizers)
def test_tokenize_and_count_against_plain_findall(texts, params):
    expected = [words_of(text, **params) for text in texts]
    tokenizer = WordTokenizer(**params)
    assert tokenizer.tokenize(texts) == expected
    assert tokenizer.count(texts) == Counter(chain.from_iterable(expected))


@pytest.mark.filterwarnings("ignore:.* tokens have no vector")
@settings(max_examples=300)
@given(texts_of_any_kind, tokenizers, st.integers(1, 8), st.sampled_from([None, 0, 99]))
def test_encode_against_a_loop_over_tokens(
    as_lists, texts, params, block_size, unknown
):
    expected = [slow_rows(text, INDEX, unknown, **params) for text in texts]
    batch = WordTokenizer(**params).encode(texts, INDEX, unknown)
    assert as_lists(batch) == expected
    lookup = WordLookup(WordTokenizer(**params), INDEX, unknown)
    for most in (10**6, 1):
        with patch.object(WordLookup, "max_bytes", most):
            blocks = list(lookup.encode_blocks(texts, block_size))
        assert {len(block) for block in blocks[:-1]} <= {block_size}
        assert [row for block in blocks for row in as_lists(block)] == expected


@pytest.mark.parametrize("n_texts", [1, 20])
def test_memory_of_pieces_is_bounded(as_lists, n_texts):
    """As with texts of a language without white space."""
    lookup = WordLookup(WordTokenizer(), INDEX, 7)
    with patch.object(WordLookup, "max_bytes", 20_000):
        for i in range(30):
            texts = [f"{'x' * 500}{i}y{j}," for j in range(n_texts)]
            [batch] = lookup.encode_blocks(texts)
            assert as_lists(batch) == [[7, 7]] * n_texts
            assert sum(map(len, lookup._memory.rows)) < 2 * 20_000


def test_threads_share_what_was_looked_up(as_lists):
    texts = [f"well-known cat{i % 7}. dog {i} a.b" for i in range(3000)]
    expected = [slow_rows(text, INDEX, 7, split_compounds=True) for text in texts]
    lookup = WordLookup(WordTokenizer(), INDEX, 7)

    def rows(block_size):
        blocks = lookup.encode_blocks(texts, block_size)
        return [row for block in blocks for row in as_lists(block)]

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(rows, [5, 7, 50, 51, 100, 999, 1000, 3000] * 3):
            assert found == expected


def test_an_encoder_clones_searches_and_saves_its_tokenizer(tmp_path):
    encoder = AverageEncoder(tokenizer=WordTokenizer("ptb"))
    encoder = clone(encoder).set_params(tokenizer__lowercase=False).fit(["I don't."])
    assert encoder.tokenizer == WordTokenizer("ptb", lowercase=False)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder")
    assert loaded.tokenizer == encoder.tokenizer
    texts = ["I don't.", "I DO NOT", "i do n't ."]
    found = loaded.transform(texts)
    np.testing.assert_array_equal(found, encoder.transform(texts))
    assert found[2].any() and not np.array_equal(found[0], found[2])


@pytest.mark.parametrize("pattern", ["words", "ptb"])
@pytest.mark.parametrize("unit", ["a", "a ", "a-", "cat's ", "1", ".", "\0 ", "nt'"])
def test_a_text_of_a_hundred_thousand_characters(pattern, unit):
    text = (unit * 100_000)[:100_000]
    params = {"pattern": pattern, "split_compounds": True}
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
    assert WordTokenizer("ptb").tokenize([text]) == [tokens.split()]


def test_a_callable_sees_the_text_as_it_is():
    seen = []

    def tokenizer(text):
        seen.append(text)
        return iter(text.split("|"))

    words = check_tokenizer(tokenizer)
    batch = words.encode(["CAT|x y", "", "o'clock|blue-x"], INDEX)
    assert seen == ["CAT|x y", "", "o'clock|blue-x"]
    assert batch.lengths.tolist() == [1, 1, 2]
    assert batch.ids.tolist() == [INDEX[w] for w in ("CAT", "", "o'clock", "blue")]
    assert words.count(["a|b|a"]) == {"a": 2, "b": 1}


@pytest.mark.parametrize("token", [3, None, b"cat", ("cat",), ["cat"]])
def test_tokens_that_are_not_str_are_named_with_their_text(token):
    words = check_tokenizer(lambda text: ["cat"] if text == "x" else [token])
    with pytest.raises(TypeError, match=rf"{re.escape(repr(token))} .*for text 1;"):
        words.encode(["x", "y"], INDEX)


@pytest.mark.parametrize(
    "pattern", ["[", "(", 3, None, r"(\w)(\d)", r"(?P<x>a)|(b)", "wrods", ""]
)
def test_wrong_patterns_are_value_errors(pattern):
    with pytest.raises(ValueError, match=re.escape(f"{pattern!r}")):
        check_tokenizer(WordTokenizer(pattern))


def test_check_tokenizer_takes_none_callables_and_tokenizers():
    words = WordTokenizer("ptb")
    assert check_tokenizer(words) is words
    assert check_tokenizer(None) == WordTokenizer()
    assert check_tokenizer(str.split)("Blue cat") == ["Blue", "cat"]
    for wrong in ("ptb", 3, ["a"]):
        with pytest.raises(
            TypeError, match="tokenizer must be None, a callable or a W"
        ):
            check_tokenizer(wrong)


def test_a_tokenizer_is_a_parameter_object():
    words = WordTokenizer("ptb", lowercase=False)
    copies = [clone(words), pickle.loads(pickle.dumps(words))]
    copies.append(WordTokenizer().set_params(**words.get_params()))
    assert repr(words) == "WordTokenizer(lowercase=False, pattern='ptb')"
    assert all(copy == words and hash(copy) == hash(words) for copy in copies)
    for name, value in {"lowercase": 1, "split_compounds": 0, "pattern": "a|b"}.items():
        assert clone(words).set_params(**{name: value}) != words != "ptb"
    assert words.tokenize(["Don't"]) == [words("Don't")] == [["Do", "n't"]]
    WordTokenizer("(").set_params(pattern="words")(" checked in use ")


def test_a_call_does_not_walk_through_all_that_is_remembered():
    class Remembered(dict):
        def __iter__(self):
            raise AssertionError("walked through")

        keys = items = values = __iter__

    lookup = WordLookup(WordTokenizer(), {"a": 0, "b": 1})
    list(lookup.encode_blocks(["a b", "a"]))
    lookup._memory.rows = Remembered(lookup._memory.rows)
    (batch,) = lookup.encode_blocks(["b", "a b. a"])
    assert batch.ids.tolist() == [1, 0, 1, 0]
