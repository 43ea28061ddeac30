"""Rows of words against a loop over the tokens of a regular expression."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_words import parts_of, patterns, runs_of, words_of

from skparaphrase._core import normalize
from skparaphrase.text import WordTokenizer

# Joiners, white space, marks, letters of other scripts and cases, lone surrogates.
NASTY = "aB1_'-.\u2019/:,!* \t\x1c\x85\xa0\u2028\u3000\u200b\u200d\ufeff\0\x7f\xad"
NASTY += "\u0130\u0131Σ\u03c3ς\u0301\u0307ßẞǅⅧ²½ª\u0627猫\U0001d7d8𐐀😀"
NASTY += "e\u0301\u0902\u093f\u0915\u200c\u1161\u1100\ufe0f"
NASTY += "059\u0665\uff15\U0001d7e1"  # including digits of other scripts
NASTY += "\ud800\udc00\udfff\U0010ffff"
characters = st.sampled_from(NASTY) | st.characters()
texts_of_any_kind = st.lists(st.text(characters, max_size=12), max_size=6)
settings_of_tokenizers = st.fixed_dictionaries(
    {"pattern": patterns, "lowercase": st.booleans(), "split_compounds": st.booleans()}
)


def find(core, texts, words, unknown=None, keep_new=True, **params):
    """Ids of the tokens of each text as lists, and new words."""
    tokenizer, index = WordTokenizer(**params), core.WordIndex(words)
    new = core.WordIndex()
    ids, offsets = core.find_words(texts, index, tokenizer, unknown, keep_new, new)
    assert (ids.dtype, offsets.dtype) == (np.int32, np.int64)
    assert (offsets[0], offsets[-1]) == (0, len(ids))
    bounds = offsets.tolist()
    return [ids[a:b].tolist() for a, b in pairwise(bounds)], new.words()


def slow_find(texts, words, unknown=None, keep_new=True, **params):
    rows = {word: row for row, word in enumerate(words)}
    new = {}

    def id_of(word):
        return rows[word] if word in rows else new.setdefault(word, -1 - len(new))

    def ids_of(token):
        parts = parts_of(token)
        split = params.get("split_compounds", True)
        if token in rows:
            return [rows[token]]
        if split and runs_of(token, rows):
            return [i for run in runs_of(token, rows) for i in ids_of(run)]
        if (
            split
            and re.search(r"['\u2019.,:/-]", token)
            and not rows.keys().isdisjoint(parts)
        ):
            return [
                id_of(part)
                for part in parts
                if part in rows or (keep_new and re.search(r"[^\W_]", part))
            ]
        if unknown is not None:
            return [unknown]
        return [id_of(token)] if re.search(r"[^\W_]", token) else []

    ids = [[i for t in words_of(text, **params) for i in ids_of(t)] for text in texts]
    return ids, [*new]


@settings(max_examples=500)
@given(
    texts_of_any_kind,
    settings_of_tokenizers,
    st.sampled_from([None, 0, 99]),
    st.booleans(),
    st.integers(1, 4),
)
def test_ids_of_any_texts(core, texts, params, unknown, keep_new, step):
    tokens = {token for text in texts for token in words_of(text, **params)}
    parts = {part for token in tokens for part in parts_of(token)}
    words = [*sorted((tokens | parts) - {"", "z"})[::step], "", "z"]
    expected = slow_find(texts, words, unknown, keep_new, **params)
    assert find(core, texts, words, unknown, keep_new, **params) == expected


# Tokens without a row, and the tokens that are found instead.
READ_AS = {
    "64gb 1.7l 2000w 5mg 10\u00b5g": "64 gb 1.7 l 2000 w 5 mg 10 \u00b5g",
    "s21 g960f kdl40v3000 kx-tg1032s": "s 21 g 960 f kdl 40 v 3000 kx tg 1032 s",
    "th42pz85u 0x1f4a 3f2a9c1b a1b2c3d4": "th42pz85u 0x1f4a 3f2a9c1b a1b2c3d4",
    "1e5 12may2020 3d 4k 2x4 1970s": "1 e 5 12 may 2020 3 d 4 k 2 x 4 1970 s",
    "1st 22nd 3rd 11th 4st 12TH 7ths": "1st 22nd 3rd 11th 4 st 12 TH 7 ths",
    "co2 mp3 co2-free a2-b-4c b12 c3po": "co2 mp3 co2-free a2 b 4 c b 12 c 3 po",
    "usb3 qwrtz6 größe8": "usb3 qwrtz 6 größe 8",
    "5-6mg 18-200mm 5'8in 80gb-hdd": "5-6 mg 18-200 mm 5'8 in 80 gb hdd",
    "16-year-old v1.2 v1.2.3rc1 a-1.5": "16 year old v 1.2 v 1.2.3 rc 1 a 1.5",
    "3.14 1-2-3 well-known a_1 64_gb": "3.14 1-2-3 well-known a_1 64 _gb",
    "\uff16\uff14\uff27\uff22 \u0665كغ": "\uff16\uff14 \uff27\uff22 \u0665 كغ",
    "५किग्रा 5गीगा5": "५ किग्रा 5 गीगा 5",
    "x² ½l Ⅷa 5²m 5½l m²5": "x² ½l Ⅷa 5 ²m 5 ½l m²5",
    "5\u0301mg 5\u200dmg": "5 \u0301mg 5 \u200dmg",
}


@pytest.mark.parametrize("text", READ_AS)
def test_numbers_and_letters_are_read_apart(core, text):
    def found(*words, **params):
        (ids,), new = find(core, [text], words, lowercase=False, **params)
        return [words[i] if i >= 0 else new[-1 - i] for i in ids]

    assert found() == READ_AS[text].split()
    assert found(*text.split()) == text.split()
    assert found(split_compounds=False) == text.split()


@pytest.mark.parametrize("unknown", [None, 0, 99])
@pytest.mark.parametrize("pattern", ["words", "ptb", r"\S+"])
def test_a_unit_may_follow_without_a_space(core, pattern, unknown):
    amounts = [("64", "GB"), ("1.7", "L"), ("1,000", "mg"), ("5-6", "mg"), ("५", "كغ")]
    for words in ([], ["64"], ["gb", "mg"], ["1.7", "7"], ["1", "l"], ["1,000"]):
        joined = [f"a {number}{unit} b" for number, unit in amounts]
        apart = [f"a {number} {unit} b" for number, unit in amounts]
        args = words, unknown, True
        assert find(core, joined, *args, pattern=pattern) == find(
            core, apart, *args, pattern=pattern
        )


def test_words_of_the_table_are_not_split(core):
    words = ["mp3", "covid19", "2nd", "90s", "mp", "3", "covid", "19", "s"]
    texts = ["mp3", "covid19", "2nd", "90s", "mp4", "19s", "2nd-hand", "x2-mp3"]
    rows = [[0], [1], [2], [3], [-1], [7, 8], [2, -2], [-3, 0]]
    assert find(core, texts, words) == (rows, ["mp4", "hand", "x2"])


def test_every_character(core):
    """Its class and its lower case."""
    dependent = ["\u0130", "Σ"]  # these would hide the lower case of others in a text
    step = 1 if core.__name__.endswith("_compiled") else 99  # the other is slow
    others = {*map(chr, range(0, sys.maxunicode + 1, step))}.difference(dependent)
    texts = ["".join(f"x{c}Y " for c in part) for part in (*dependent, others)]
    tokens = [words_of(text) for text in texts]
    words = list(dict.fromkeys(token for found in tokens for token in found))
    rows = {word: row for row, word in enumerate(words)}
    ids = [[rows[token] for token in found] for found in tokens]
    assert find(core, texts, words) == (ids, [])
    texts = ["".join(f"x{c}Y " for c in others if c.lower() != c)]
    expected = slow_find(texts, [], lowercase=False)
    assert find(core, texts, [], lowercase=False) == expected


def test_lower_case_of_sigma_depends_on_its_neighbours(core):
    near = ["", "a", "A", "1", "_", ".", "'", "-", "\xad", "\u0301", "\u02b0", " "]
    near += ["Σ", "\u0130", "😀", "\ud800", "𐐀", "\u0345", "\u2019", "a.", ".a"]
    texts = [a + "Σ" + b for a, b in product(near, near)]
    for words in ([], ["aς", "a\u03c3a", "ς", "\u03c3\u03c3", "i\u0307ς"]):
        assert find(core, texts, words) == slow_find(texts, words)


@pytest.mark.parametrize(
    "unit",
    ["a", "é", "猫", "😀", "a-", "-", "a'b ", "_", "_.", " ", "\0", "Σ", "\ud800"],
)
def test_long_texts(core, unit):
    texts = ["a", unit * 20_000, "", "cat " + unit * 20_001]
    for words in ([], ["a", "_", "-", "😀"]):
        assert find(core, texts, words) == slow_find(texts, words)


MARK_RUNS = ["\u0300", "\u0316", "\u0316\u0300", "\u0301\u034f", "\U0001e130\u093f"]


@pytest.mark.parametrize("unit", MARK_RUNS)
@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFD"])
def test_normal_forms_of_runs_of_marks(unit, form):
    """A joiner ends each run of 30 marks; shorter ones have Unicode's normal form."""
    for n in (1, 29, 30, 31, 61, 1000):
        marks = (unit * n)[:n]
        found = normalize(form, f"a{marks}b")
        parts = re.split("(\u034f)", marks)  # the joiner itself ends a run
        pieces = [
            "\u034f".join(part[i : i + 30] for i in range(0, len(part), 30))
            for part in parts
        ]
        assert found == unicodedata.normalize(form, f"a{''.join(pieces)}b")
        assert normalize(form, found) == found


@pytest.mark.parametrize("unit", MARK_RUNS)
def test_words_with_many_marks(core, unit):
    texts = [f"cat a{unit * n} b" for n in (1, 15, 16, 30, 31, 500)]
    assert find(core, texts, ["cat"]) == slow_find(texts, ["cat"])


def test_no_texts(core):
    assert find(core, [], ["a"]) == ([], [])
    assert find(core, ["", " \n", "..."], []) == ([[], [], []], [])


def test_texts_may_be_of_a_subclass_of_str(core):
    words = np.array(["naïve", "Σας"])
    assert find(core, words, words, lowercase=False) == ([[0], [1]], [])
    assert find(core, iter(words), []) == ([[-1], [-2]], ["naïve", "σας"])


@pytest.mark.parametrize("text", [None, b"cat", 3, ["cat"]])
def test_texts_that_are_not_str(core, text):
    with pytest.raises((TypeError, AttributeError)):
        find(core, ["cat", text], ["cat"])


def test_threads_share_an_index(core):
    texts = [f"well-known cat{i % 7}. Dog {i} a.b ΟΔΟΣ" for i in range(2000)]
    index = core.WordIndex(["cat1", "known", "dog", "οδος", "a"])

    def run(_):
        new = core.WordIndex()
        found = core.find_words(texts, index, WordTokenizer(), None, True, new)
        return [part.tolist() for part in found], new.words()

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(run, range(8))
    assert all(other == first for other in others)


# The index ----------------------------------------------------------------------------


@given(st.lists(st.text(characters, max_size=4)))
def test_an_index_is_a_dict(core, words):
    rows = {word: row for row, word in enumerate(dict.fromkeys(words))}
    index = core.WordIndex(words)
    assert index.words() == [*rows] and len(index) == len(rows)
    for word in {*words, *"".join(words), *(word + "a" for word in words), ""}:
        assert index.get(word) == rows.get(word)
        assert index.get(word, "none") == rows.get(word, "none")
        assert (word in index) == (word in rows)
    assert [*index] == [*rows] and dict(index) == rows


def test_an_index_of_many_words(core):
    """There are so many that some have the same 32-bit hash."""
    words = [*map(str, range(250_000))]
    index = core.WordIndex(words)
    assert [*map(index.get, words)] == [*range(len(words))]
    assert not any(map(index.get, map(str, range(-1, -250_000, -1))))


@pytest.mark.parametrize("key", [None, 3, b"cat", ("cat",)])
def test_keys_that_are_not_str_are_not_in_an_index(core, key):
    index = core.WordIndex(["cat"])
    assert key not in index
    assert index.get(key, 7) == 7


def test_new_words_of_several_calls(core):
    index, new = core.WordIndex(["cat"]), core.WordIndex()
    for text, expected in (("dog cat", [-1, 0]), ("emu dog", [-2, -1])):
        ids, _ = core.find_words([text], index, WordTokenizer(), None, True, new)
        assert ids.tolist() == expected
    assert new.words() == ["dog", "emu"] and len(new) == 2
    assert [new.insert(word) for word in ("dog", "fox")] == [0, 2]
