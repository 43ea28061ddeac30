"""Character n-grams against a plain implementation and scikit-learn's."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
import unicodedata
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from skparaphrase.datasets import load_graded_pairs
from skparaphrase.text import NgramTokenizer
from skparaphrase.text import _ngrams as ngrams_module
from skparaphrase.text._check import text_blocks

pytestmark = pytest.mark.usefixtures("core")

NASTY = [
    "",
    " \t\n",
    "\N{NO-BREAK SPACE}\N{IDEOGRAPHIC SPACE}\x1c\x85\u2028",
    "a",
    "a\N{NO-BREAK SPACE}\n b",
    "\0",
    "\0 \0a",
    "e\N{COMBINING ACUTE ACCENT}\N{COMBINING ACUTE ACCENT}",
    "\N{GRINNING FACE}\N{GRINNING FACE} x",
    "\ud83d\ude00",  # two lone surrogates, not the face
    "\udc00 \ud800",
    "\U0010ffff",
    "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}STANBUL",
    "ΟΔΟΣ ΣΑΣ",
    "aaaaaaaaaa",
    "A cat  sat on\tthe mat .",
]
# Few characters, so n-grams repeat, and sometimes any other.
characters = st.sampled_from("aAb \t\0é\u0301\N{GRINNING FACE}\ud800\N{NO-BREAK SPACE}")
texts = st.lists(st.text(characters | st.characters(), max_size=12), max_size=8)
ranges = st.tuples(st.integers(1, 6), st.integers(0, 3)).map(
    lambda pair: (pair[0], sum(pair))
)


def plain_ngrams(text, ngram_range=(2, 4), lowercase=True):
    """Position by position, the shorter first."""
    text = unicodedata.normalize("NFC", text)
    text = " ".join((text.lower() if lowercase else text).split())
    text = f" {text} " if text else ""
    lowest, highest = ngram_range
    return [
        text[i : i + n]
        for i in range(len(text))
        for n in range(lowest, highest + 1)
        if i + n <= len(text)
    ]


def plain_rows(text, ngrams, unknown, binary, **how):
    row = {ngram: i for i, ngram in enumerate(ngrams)}
    rows = [row.get(ngram, unknown) for ngram in plain_ngrams(text, **how)]
    rows = [row for row in rows if row is not None]
    return sorted(set(rows)) if binary else rows


def plain_vocabulary(texts, ngram_range, min_count, max_ngrams, **how):
    counts = Counter()
    for text in texts:
        counts.update(plain_ngrams(text, ngram_range, **how))
    lowest, highest = ngram_range
    ngrams = []
    for n in range(lowest, highest + 1):
        of_order = [
            ngram
            for ngram, count in counts.items()
            if len(ngram) == n and count >= min_count
        ]
        of_order.sort(key=lambda ngram: (-counts[ngram], ngram))
        ngrams += of_order[:max_ngrams]
    return ngrams


@pytest.fixture(scope="module")
def sentences():
    pairs, _ = load_graded_pairs(return_X_y=True)
    return list(np.asarray(pairs, dtype=object).ravel())


# Encoding --------------------------------------------------------------------------


@settings(max_examples=120)
@given(
    texts,
    texts,
    ranges,
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
    st.none() | st.integers(0, 4),
)
@example(NASTY, NASTY, (2, 4), True, True, 1, None)
@example(NASTY, NASTY[::-1], (1, 6), False, True, 1, None)
@example(NASTY, NASTY, (1, 1), False, False, 1, None)
@example(NASTY, NASTY, (9, 100), True, False, 1, None)
def test_any_texts_against_plain_loops(
    core,
    as_lists,
    training,
    texts,
    ngram_range,
    binary,
    lowercase,
    min_count,
    max_ngrams,
):
    how = {"ngram_range": ngram_range, "lowercase": lowercase}
    tokenizer = NgramTokenizer(binary=binary, **how)
    ngrams = tokenizer.vocabulary(training, min_count, max_ngrams)
    expected = plain_vocabulary(
        training, ngram_range, min_count, max_ngrams, lowercase=lowercase
    )
    assert ngrams == expected
    for kept in (ngrams, ngrams[::2]):
        index = core.WordIndex(kept)
        assert len(index) == len(kept)
        for unknown in (None, 0, len(ngrams) + 7):
            rows = as_lists(tokenizer.encode(texts, index, unknown))
            assert rows == [
                plain_rows(text, kept, unknown, binary, **how) for text in texts
            ]


@pytest.mark.parametrize("binary", [True, False])
def test_counts_are_those_of_scikit_learn(core, sentences, binary):
    sentences = sentences[:600]
    # scikit-learn pads nothing, and makes a run of white space one space.
    prepared = [f" {' '.join(text.split())} " for text in sentences]
    counter = CountVectorizer(analyzer="char", ngram_range=(2, 4), binary=binary)
    expected = counter.fit_transform(prepared)
    tokenizer = NgramTokenizer(binary=binary)
    ngrams = counter.get_feature_names_out().tolist()
    assert sorted(tokenizer.vocabulary(sentences)) == sorted(ngrams)
    batch = tokenizer.encode(sentences, core.WordIndex(ngrams))
    counts = np.zeros(expected.shape, dtype=expected.dtype)
    np.add.at(counts, (np.repeat(np.arange(len(batch)), batch.lengths), batch.ids), 1)
    np.testing.assert_array_equal(counts, expected.toarray())


def test_every_white_space_parts_as_split_does(core, as_lists):
    spaces = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
    assert not any(map(str.split, spaces))
    tokenizer = NgramTokenizer(ngram_range=(1, 3), binary=False)
    index = core.WordIndex(tokenizer.vocabulary(["a b"]))
    texts = [f"{space}a{space}{space}b{space}" for space in spaces]
    rows = as_lists(tokenizer.encode(texts, index))
    assert rows == as_lists(tokenizer.encode(["a b"], index)) * len(spaces)
    # Prepared texts contain no white space except " ".
    assert as_lists(tokenizer.encode(["a\tb"], core.WordIndex(["a\tb", "a\t"]))) == [[]]


def test_large_alphabets_and_mixed_orders(core, as_lists):
    rng = np.random.default_rng(0)
    codes = np.r_[0x4E00:0x9FA5, 0x20000:0x2A6D0]
    texts = ["".join(map(chr, rng.choice(codes[:5000], 30))) for _ in range(300)]
    texts += ["".join(map(chr, rng.choice(codes, 30))) for _ in range(300)]
    tokenizer = NgramTokenizer(ngram_range=(1, 10), binary=False)
    ngrams = tokenizer.vocabulary(texts)
    assert ngrams == plain_vocabulary(texts, (1, 10), 1, None)
    # Not sorted, and without many a beginning.
    kept = [ngrams[i] for i in rng.permutation(len(ngrams))[: len(ngrams) // 2]]
    rows = as_lists(tokenizer.encode(texts[::20], core.WordIndex(kept)))
    assert rows == [
        plain_rows(text, kept, None, False, ngram_range=(1, 10)) for text in texts[::20]
    ]


def test_the_largest_row(core, as_lists):
    tokenizer = NgramTokenizer()
    rows = as_lists(
        tokenizer.encode(["ab", "x", "ab"], core.WordIndex(["ab"]), 2**31 - 2)
    )
    assert rows == [[0, 2**31 - 2], [2**31 - 2], [0, 2**31 - 2]]


# Vocabulary ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("min_count", "max_ngrams", "ngram_range"),
    [(1, None, (2, 4)), (2, 300, (2, 4)), (5, 10, (2, 4)), (3, None, (2, 9))],
)
@pytest.mark.parametrize("block_size", [7, 2048])
def test_vocabulary_of_sentences(
    core, sentences, min_count, max_ngrams, ngram_range, block_size, monkeypatch
):
    blocks = partial(text_blocks, block_size=block_size)
    monkeypatch.setattr(ngrams_module, "text_blocks", lambda texts, *_: blocks(texts))
    tokenizer = NgramTokenizer(ngram_range=ngram_range)
    ngrams = tokenizer.vocabulary(sentences[:100], min_count, max_ngrams)
    expected = plain_vocabulary(sentences[:100], ngram_range, min_count, max_ngrams)
    assert ngrams == expected


# Errors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: NgramTokenizer().vocabulary("a"), TypeError, "Put it in a list"),
        *(
            (
                lambda r=r: NgramTokenizer(ngram_range=r).vocabulary(["a"]),
                ValueError,
                "must be two int",
            )
            for r in [(0, 2), (3, 2), (2,), (2.0, 3.0), None]
        ),
    ],
)
def test_wrong_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()
