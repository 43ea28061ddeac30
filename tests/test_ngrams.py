"""Character n-grams against one written plainly, and against scikit-learn's."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from skparaphrase.datasets import load_similarity
from skparaphrase.text import NgramIndex, NgramTokenizer, TokenBatch, _ngram_index
from skparaphrase.text import _ngrams as ngrams_module
from skparaphrase.vectors import WordVectors, _pooling
from skparaphrase.vectors._pooling import vector_sum

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
# Few characters, so that n-grams meet again, and now and then any other.
characters = st.sampled_from("aAb \t\0é\u0301\N{GRINNING FACE}\ud800\N{NO-BREAK SPACE}")
texts = st.lists(st.text(characters | st.characters(), max_size=12), max_size=8)
ranges = st.tuples(st.integers(1, 6), st.integers(0, 3)).map(
    lambda pair: (pair[0], sum(pair))
)


def plain_ngrams(text, ngram_range=(2, 4), lowercase=True):
    """Position by position, the shorter first."""
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


def as_lists(batch):
    assert batch.ids.dtype == np.int32 and batch.offsets.dtype == np.int64
    assert batch.offsets[0] == 0
    assert batch.offsets[-1] == len(batch.ids)
    return [batch[i].tolist() for i in range(len(batch))]


@pytest.fixture(scope="module")
def sentences():
    pairs, _ = load_similarity(return_X_y=True)
    return list(np.asarray(pairs, dtype=object).ravel())


@pytest.fixture(params=["direct", "hashed"])
def table(request, monkeypatch):
    """Both ways of the look-up."""
    if request.param == "hashed":
        monkeypatch.setattr(_ngram_index, "_DIRECT", 0)


@pytest.fixture
def four_threads(monkeypatch):
    for module in (ngrams_module, _pooling):
        monkeypatch.setattr(module, "available_threads", lambda: 4)


# Encoding --------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("ngram_range", [(1, 1), (2, 4), (1, 6), (5, 5), (9, 10)])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.usefixtures("table")
def test_nasty_texts_are_encoded_as_plainly(ngram_range, binary, lowercase):
    how = {"ngram_range": ngram_range, "lowercase": lowercase}
    tokenizer = NgramTokenizer(binary=binary, **how)
    ngrams = tokenizer.vocabulary(NASTY)
    assert ngrams == plain_vocabulary(NASTY, ngram_range, 1, None, lowercase=lowercase)
    for kept in (ngrams, ngrams[::2], []):
        index = NgramIndex(kept)
        assert len(index) == len(kept)
        for unknown in (None, 0, len(ngrams) + 7):
            rows = as_lists(tokenizer.encode(NASTY, index, unknown))
            assert rows == [
                plain_rows(text, kept, unknown, binary, **how) for text in NASTY
            ]


@settings(max_examples=150, deadline=None)
@given(texts, texts, ranges, st.booleans(), st.booleans(), st.sampled_from([0, 2**23]))
def test_any_texts_are_encoded_as_plainly(
    training, texts, ngram_range, binary, lowercase, direct
):
    how = {"ngram_range": ngram_range, "lowercase": lowercase}
    tokenizer = NgramTokenizer(binary=binary, **how)
    ngrams = tokenizer.vocabulary(training)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ngram_index, "_DIRECT", direct)
        index = NgramIndex(ngrams)
    for unknown in (None, len(ngrams)):
        rows = as_lists(tokenizer.encode(texts, index, unknown))
        assert rows == [
            plain_rows(text, ngrams, unknown, binary, **how) for text in texts
        ]


@settings(max_examples=100, deadline=None)
@given(texts, ranges, st.integers(1, 3), st.none() | st.integers(0, 4))
def test_any_vocabulary_is_as_plainly(texts, ngram_range, min_count, max_ngrams):
    tokenizer = NgramTokenizer(ngram_range=ngram_range)
    ngrams = tokenizer.vocabulary(texts, min_count, max_ngrams)
    assert ngrams == plain_vocabulary(texts, ngram_range, min_count, max_ngrams)


@pytest.mark.parametrize("binary", [True, False])
def test_counts_are_those_of_scikit_learn(sentences, binary):
    sentences = sentences[:600]
    # scikit-learn pads nothing, and makes a run of white space one space.
    prepared = [f" {' '.join(text.split())} " for text in sentences]
    counter = CountVectorizer(analyzer="char", ngram_range=(2, 4), binary=binary)
    expected = counter.fit_transform(prepared)
    tokenizer = NgramTokenizer(binary=binary)
    ngrams = counter.get_feature_names_out().tolist()
    assert sorted(tokenizer.vocabulary(sentences)) == sorted(ngrams)
    batch = tokenizer.encode(sentences, NgramIndex(ngrams))
    counts = np.zeros(expected.shape, dtype=expected.dtype)
    np.add.at(counts, (np.repeat(np.arange(len(batch)), batch.lengths), batch.ids), 1)
    np.testing.assert_array_equal(counts, expected.toarray())


def test_single_characters_are_the_sequence():
    tokenizer = NgramTokenizer(ngram_range=(1, 1), binary=False)
    batch = tokenizer.encode(["Ab  ca", "", "a"], NgramIndex(list(" abc")), 4)
    assert as_lists(batch) == [[0, 1, 2, 0, 3, 1, 0], [], [0, 1, 0]]
    batch = tokenizer.encode(["a?b"], NgramIndex(list(" ab")), 3)
    assert as_lists(batch) == [[0, 1, 3, 2, 0]]


def test_every_white_space_parts_as_split_does():
    for code in range(sys.maxunicode + 1):
        if chr(code).isspace():
            assert code <= _ngram_index._LAST_SPACE
    spaces = [chr(code) for code in range(0x3001) if not chr(code).split()]
    tokenizer = NgramTokenizer(ngram_range=(1, 3), binary=False)
    index = NgramIndex(tokenizer.vocabulary(["a b"]))
    texts = [f"{space}a{space}{space}b{space}" for space in spaces]
    rows = as_lists(tokenizer.encode(texts, index))
    assert rows == as_lists(tokenizer.encode(["a b"], index)) * len(spaces)
    # Prepared texts hold no other white space than " ".
    assert as_lists(tokenizer.encode(["a\tb"], NgramIndex(["a\tb", "a\t"]))) == [[]]


@pytest.mark.usefixtures("table")
def test_large_alphabets_and_mixed_orders():
    rng = np.random.default_rng(0)
    codes = np.r_[0x4E00:0x9FA5, 0x20000:0x2A6D0]
    texts = ["".join(map(chr, rng.choice(codes[:5000], 30))) for _ in range(300)]
    texts += ["".join(map(chr, rng.choice(codes, 30))) for _ in range(300)]
    tokenizer = NgramTokenizer(ngram_range=(1, 10), binary=False)
    ngrams = tokenizer.vocabulary(texts)
    assert ngrams == plain_vocabulary(texts, (1, 10), 1, None)
    # Not sorted, and without many a beginning.
    kept = [ngrams[i] for i in rng.permutation(len(ngrams))[: len(ngrams) // 2]]
    rows = as_lists(tokenizer.encode(texts[::20], NgramIndex(kept)))
    assert rows == [
        plain_rows(text, kept, None, False, ngram_range=(1, 10)) for text in texts[::20]
    ]


def test_orders_of_the_index_beyond_the_range_are_passed_over():
    index = NgramIndex(["a", "at", "cat", " cat"])
    assert as_lists(NgramTokenizer(ngram_range=(2, 3)).encode(["cat"], index)) == [
        [1, 2]
    ]
    assert as_lists(NgramTokenizer(ngram_range=(5, 7)).encode(["cat"], index)) == [[]]


# Blocks ----------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(
    ("block_size", "max_characters"), [(1, 10**6), (7, 10**6), (50, 100), (10**6, 1)]
)
@pytest.mark.usefixtures("four_threads")
def test_blocks_are_the_batch(sentences, binary, block_size, max_characters):
    texts = NASTY + sentences[:200]
    tokenizer = NgramTokenizer(binary=binary)
    index = NgramIndex(tokenizer.vocabulary(texts, 2))
    whole = tokenizer.encode(texts, index, 0)
    blocks = list(tokenizer.encode_blocks(texts, index, 0, block_size, max_characters))
    done = 0
    for block in blocks:
        block_texts = texts[done : done + len(block)]
        assert len(block) <= block_size
        assert len(block) == 1 or sum(map(len, block_texts)) <= max_characters
        assert as_lists(block) == as_lists(whole[done : done + len(block)])
        done += len(block)
    assert done == len(texts)


def test_no_texts():
    tokenizer = NgramTokenizer()
    assert tokenizer.vocabulary([]) == []
    index = NgramIndex(["ab"])
    assert len(tokenizer.encode([], index)) == 0
    assert [len(block) for block in tokenizer.encode_blocks([], index)] == [0]


def test_blocks_may_be_left_before_their_end(sentences):
    index = NgramIndex(["th"])
    blocks = NgramTokenizer().encode_blocks(sentences, index, block_size=5)
    assert len(next(blocks)) == 5
    blocks.close()


def test_many_rows_and_texts_do_not_overflow():
    # Text and row together pass 32 bits.
    tokenizer = NgramTokenizer()
    rows = as_lists(tokenizer.encode(["ab", "x", "ab"], NgramIndex(["ab"]), 2**31 - 2))
    assert rows == [[0, 2**31 - 2], [2**31 - 2], [0, 2**31 - 2]]


# Vocabulary ------------------------------------------------------------------------


@pytest.mark.parametrize(("min_count", "max_ngrams"), [(1, None), (2, 300), (5, 10)])
@pytest.mark.parametrize("counted", [2**20, 500])
def test_vocabulary_of_sentences(
    sentences, min_count, max_ngrams, counted, monkeypatch
):
    monkeypatch.setattr(ngrams_module, "_COUNTED", counted)
    ngrams = NgramTokenizer().vocabulary(sentences[:400], min_count, max_ngrams)
    assert ngrams == plain_vocabulary(sentences[:400], (2, 4), min_count, max_ngrams)


@pytest.mark.parametrize("max_key", [10**4, 10**6])
@pytest.mark.parametrize("min_count", [1, 3])
def test_vocabulary_where_keys_are_packed_often(
    sentences, max_key, min_count, monkeypatch
):
    monkeypatch.setattr(ngrams_module, "_MAX_KEY", max_key)
    tokenizer = NgramTokenizer(ngram_range=(2, 9))
    ngrams = tokenizer.vocabulary(sentences[:60], min_count)
    assert ngrams == plain_vocabulary(sentences[:60], (2, 9), min_count, None)


# Errors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ngram_range", [(0, 2), (3, 2), (2,), (2, 3, 4), (2.0, 3.0), 2, None, "24"]
)
def test_bad_ngram_range(ngram_range):
    with pytest.raises(ValueError, match="ngram_range must be two int") as caught:
        NgramTokenizer(ngram_range=ngram_range)
    assert repr(ngram_range) in str(caught.value)


def test_bad_ngrams():
    with pytest.raises(ValueError, match="row 1 is empty"):
        NgramIndex(["a", ""])
    with pytest.raises(ValueError, match="'b' in row 2 is also in row 1"):
        NgramIndex(["a", "b", "b"])
    with pytest.raises(TypeError, match="got 3 \\(int\\) in row 1"):
        NgramIndex(["a", 3])


def test_one_str_is_no_list():
    tokenizer = NgramTokenizer()
    with pytest.raises(TypeError, match="Put it in a list"):
        tokenizer.encode("a cat", NgramIndex(["ca"]))
    with pytest.raises(TypeError, match="Put it in a list"):
        tokenizer.vocabulary("a cat")


# Sums ------------------------------------------------------------------------------


def tables(n_rows, dim):
    rng = np.random.default_rng(0)
    words = [str(i) for i in range(n_rows)]
    matrix = rng.standard_normal((n_rows, dim)).astype(np.float32)
    yield WordVectors(words, matrix), matrix
    half = matrix.astype(np.float16)
    yield WordVectors(words, half), half.astype(np.float32)
    whole = rng.integers(-127, 128, (n_rows, dim)).astype(np.int8)
    scale = rng.uniform(0.001, 0.01, n_rows).astype(np.float32)
    yield (
        WordVectors(words, whole, scale=scale),
        whole.astype(np.float32) * scale[:, np.newaxis],
    )


@pytest.mark.usefixtures("four_threads")
def test_vector_sum_is_the_dense_sum():
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 30, 5000)
    lengths[[0, 17, -1]] = 0
    ids = rng.integers(0, 400, lengths.sum()).astype(np.int32)
    batch = TokenBatch(ids, np.r_[0, np.cumsum(lengths)])
    owner = np.repeat(np.arange(len(batch)), lengths)
    counts = np.zeros((len(batch), 500))
    np.add.at(counts, (owner, ids), 1)
    for vectors, matrix in tables(500, 7):
        sums = vector_sum(vectors, [batch], len(batch))
        assert sums.dtype == np.float32 and sums.shape == (len(batch), 7)
        np.testing.assert_allclose(sums, counts @ matrix, rtol=1e-5, atol=1e-4)
        assert not sums[lengths == 0].any()
        # Whatever the batches, to the bit.
        parts = [batch[:1], batch[1:60], batch[60:4000], batch[4000:]]
        again = vector_sum(vectors, iter(parts), len(batch))
        np.testing.assert_array_equal(sums, again)
        np.testing.assert_array_equal(
            sums[60:61], vector_sum(vectors, [batch[60:61]], 1)
        )


@pytest.mark.usefixtures("four_threads")
def test_sums_of_ngrams_of_many_texts(sentences):
    texts = (sentences * (9000 // len(sentences) + 1))[:9000]
    tokenizer = NgramTokenizer()
    ngrams = tokenizer.vocabulary(sentences, 2)
    index = NgramIndex(ngrams)
    matrix = np.random.default_rng(0).standard_normal((len(ngrams), 5))
    vectors = WordVectors(ngrams, matrix.astype(np.float32))
    sums = vector_sum(vectors, tokenizer.encode_blocks(texts, index), len(texts))
    row = {ngram: i for i, ngram in enumerate(ngrams)}
    for i in range(0, 9000, 500):
        known = {row[ngram] for ngram in plain_ngrams(texts[i]) if ngram in row}
        np.testing.assert_allclose(sums[i], matrix[list(known)].sum(axis=0), atol=1e-4)


def test_tables_of_small_types_are_not_copied_whole(monkeypatch):
    read = []
    rows = WordVectors.rows

    def spy(self, wanted):
        read.append(len(wanted))
        return rows(self, wanted)

    monkeypatch.setattr(WordVectors, "rows", spy)
    ids = np.array([3, 9, 3, 400] * 100, dtype=np.int32)
    for vectors, _ in tables(500, 4):
        for n_tokens in (4, 400):
            batch = TokenBatch(ids[:n_tokens], np.array([0, 2, n_tokens]))
            vector_sum(vectors, [batch], 2)
    assert read == [4, 3, 4, 3]  # repeats of a few tokens are not looked for
