"""Texts in folders, and training and vectors from them, against the same in memory."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from skparaphrase import _locks
from skparaphrase._locks import locked
from skparaphrase.callback import ScoreMonitor
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
    ConvolutionalEncoder,
    DeepAveragingEncoder,
    LSTMEncoder,
    ParagramEncoder,
    SIFEncoder,
    _examples,
)
from skparaphrase.pairs import PairSimilarity
from skparaphrase.streams import TextStore, _store, _tokens, transform_blocks
from skparaphrase.streams import transform_to as into
from skparaphrase.text import NgramTokenizer, WordTokenizer, _ngrams
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(60)]
VECTORS = WordVectors(WORDS, RNG.randn(60, 8).astype(np.float32) + 0.5)
DISTINCT = [
    tuple(" ".join(RNG.choice(WORDS, RNG.randint(2, 6))) for _ in range(2))
    for _ in range(50)
]
# Texts repeat within and across pairs, so that masks of equal texts matter.
PAIRS = [*DISTINCT, *DISTINCT[:20], *[(b, a) for a, b in DISTINCT[10:25]]]
SETTINGS = {"max_epochs": 2, "batch_size": 16, "random_state": 0, "device": "cpu"}


@pytest.fixture
def store(tmp_path):
    return TextStore.write(tmp_path / "pairs", PAIRS)


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Where temporary folders are made."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


# Stores ------------------------------------------------------------------------------

CHARACTERS = st.characters(codec=None)  # lone surrogates, NUL, all kinds of line ends
TEXTS = st.lists(st.text(CHARACTERS, max_size=8), max_size=12)


@given(texts=TEXTS, block=st.sampled_from([1, 2, 5, 1024]))
def test_what_is_written_is_read(tmp_path_factory, texts, block):
    folder = tmp_path_factory.mktemp("texts") / "store"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_store, "_ROWS", block)
        patch.setattr(_store, "_LOOKED_UP", block)
        store = TextStore.write(folder, iter(texts))
        assert list(store) == store[:] == list(store.flat) == texts
    assert store.shape == (len(texts),)
    again = TextStore.open(str(folder))
    assert [again[i] for i in range(-len(texts), len(texts))] == texts + texts
    for part in (slice(1, 3), slice(3, 1), slice(None, None, -2), slice(-2, 99)):
        assert again[part] == list(again.flat[part]) == texts[part]
        assert list(again.flat[1:][part]) == texts[1:][part]
    equal = [[one == other for other in texts] for one in texts]
    numbers = store.identities
    assert (numbers[:, None] == numbers[None]).tolist() == equal


@given(pairs=st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=1))
def test_pairs_are_read(tmp_path_factory, pairs):
    store = TextStore.write(tmp_path_factory.mktemp("pairs") / "store", iter(pairs))
    assert store.shape == (len(pairs), 2)
    assert [*store] == store[:] == pairs
    assert (store[0], store[-1]) == (pairs[0], pairs[-1])
    assert list(store.flat) == [text for pair in pairs for text in pair]
    assert store.rows(0, len(pairs)).tolist() == [*map(list, pairs)]


@pytest.mark.parametrize(
    "texts",
    [
        tuple(PAIRS),
        [list(pair) for pair in PAIRS],
        np.array(PAIRS),
        np.array(PAIRS, dtype=object),
        pd.DataFrame(PAIRS),
        pl.DataFrame(PAIRS, orient="row"),
        pa.table(dict(zip("ab", map(list, zip(*PAIRS, strict=True)), strict=True))),
    ],
    ids=lambda texts: type(texts).__name__,
)
def test_what_a_store_is_made_of(tmp_path, texts, store):
    other = TextStore.write(tmp_path / "other", texts)
    assert other[:] == PAIRS
    assert other.digest == store.digest
    copied = TextStore.write(tmp_path / "copy", store)
    assert (
        copied.digest == store.digest != TextStore.write(tmp_path / "c", ["ab"]).digest
    )


@pytest.mark.parametrize("empty", [[], (), iter([]), np.empty((0, 2), dtype=object)])
def test_empty_stores(tmp_path, empty):
    store = TextStore.write(tmp_path / "store", empty)
    assert len(store) == 0
    assert store[:] == list(store) == list(store.flat) == []
    assert store.shape == getattr(empty, "shape", (0,))
    with pytest.raises(IndexError):
        store[0]


BAD = [
    (["a"] * 2500 + [None], ValueError, "entry at index 2500 is None"),
    (["a"] * 2500 + [5], TypeError, r"entry at index 2500 is 5 \(int\)"),
    (
        [("a", "b")] * 1500 + [("a", float("nan"))],
        ValueError,
        r"entry at index \(1500, 1\) is nan",
    ),
    ([("a", "b")] * 1500 + [("a",)], ValueError, "Row 1500 holds 1 texts"),
    ([("a", "b")] * 1024 + ["c"], ValueError, "Row 1024 is 'c' .str., unlike"),
    (["a"] * 1024 + [("b", "c")], ValueError, "Row 1024 is .*single texts"),
    (["a"] * 10 + [("b", "c")], TypeError, "entry at index 10 is"),
    ([("a", "b", "c")], ValueError, r"shape \(1, 3\)"),
    ("a text", TypeError, "got 'a text'"),
    (7, TypeError, "got 7"),
    ({"a": 1}, TypeError, "got {'a': 1}"),
]


@pytest.mark.parametrize(("texts", "error", "message"), BAD)
def test_errors_name_the_index_and_leave_nothing(tmp_path, texts, error, message):
    with pytest.raises(error, match=message):
        TextStore.write(tmp_path / "store", texts)
    if isinstance(texts, list):
        with pytest.raises(error, match=message):
            TextStore.write(tmp_path / "store", iter(texts))
    assert not list(tmp_path.iterdir())


def test_folders_of_others_are_left_alone(tmp_path, store):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    with pytest.raises(ValueError, match="was not saved by skparaphrase"):
        TextStore.write(tmp_path / "mine", ["a"])
    with pytest.raises(FileNotFoundError, match=r"has no metadata\.json"):
        TextStore.open(tmp_path / "mine")
    old = store[:]
    TextStore.write(store.folder, ["new"])  # what is open lives on
    assert store[:] == old
    assert TextStore.open(store.folder)[:] == ["new"]


@pytest.mark.parametrize("name", ["texts.bin", "ends.npy", "identities.npy"])
def test_damage_is_found(store, name):
    path = store.folder / name
    path.write_bytes(path.read_bytes()[:-3] if name == "texts.bin" else b"")
    with pytest.raises(ValueError, match="is damaged"):
        TextStore.open(store.folder)
    path.unlink()
    with pytest.raises(ValueError, match="is damaged"):
        TextStore.open(store.folder)


def test_metadata_that_are_not_of_a_store(store):
    path = store.folder / "metadata.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "kind": "WordVectors"}))
    with pytest.raises(ValueError, match="holds 'WordVectors', not TextStore"):
        TextStore.open(store.folder)
    path.write_text(json.dumps({**content, "shape": None}))
    with pytest.raises(ValueError, match="is damaged"):
        TextStore.open(store.folder)


def test_workers_get_the_folder(store, monkeypatch):
    sent = pickle.dumps(store)
    assert len(sent) < 500
    assert pickle.loads(sent)[:] == PAIRS
    assert repr(store) == f"TextStore({str(store.folder)!r}, shape=(85, 2))"
    monkeypatch.chdir(store.folder.parent)
    relative = TextStore.open("pairs")
    monkeypatch.chdir("/")
    assert pickle.loads(pickle.dumps(relative))[0] == PAIRS[0]


@pytest.mark.parametrize("texts", [PAIRS, [text for text, _ in PAIRS]])
def test_rows_that_are_picked(tmp_path, texts):
    store = TextStore.write(tmp_path / "store", texts)
    array = np.array(texts, dtype=object)
    mask = np.arange(len(texts)) % 4 == 0
    for rows in (np.array([5, 5, -1]), [2, 0], mask, np.empty(0, dtype=int)):
        assert store[rows].dtype == object
        assert_array_equal(store[rows], array[rows])
    for part, wanted in zip(
        train_test_split(store, random_state=0),
        train_test_split(array, random_state=0),
        strict=True,
    ):
        assert_array_equal(part, wanted)
    with pytest.raises(IndexError):
        store[[len(texts)]]


# Fitting -----------------------------------------------------------------------------

WORD_SETTINGS = {"vectors": VECTORS, **SETTINGS}
ENCODERS = {
    "paragram": ParagramEncoder(**WORD_SETTINGS),
    "mix": ParagramEncoder(**WORD_SETTINGS, negatives="mix"),
    "masked": ParagramEncoder(**WORD_SETTINGS, negatives="mix", mask_identical=True),
    "infonce": ParagramEncoder(**WORD_SETTINGS, loss="infonce", mask_identical=True),
    "corpus": ParagramEncoder(**WORD_SETTINGS, weighting="sif", frequencies="corpus"),
    "own words": ParagramEncoder(**WORD_SETTINGS, tokenizer=str.split),
    "ordered": ParagramEncoder(**WORD_SETTINGS, ordered_first_epoch=True),
    "dan": DeepAveragingEncoder(**WORD_SETTINGS),
    "lstm": LSTMEncoder(**WORD_SETTINGS, dim=6),
    "convolution": ConvolutionalEncoder(**WORD_SETTINGS),
    "charagram": CharagramEncoder(**SETTINGS, dim=6, max_ngrams=50),
    "charcnn": CharCNNEncoder(**SETTINGS, dim=6, embedding_dim=4),
}
LABELS = np.arange(len(PAIRS)) % 3 > 0


def assert_same(one, other):
    assert one.vectors_.words == other.vectors_.words
    assert_array_equal(one.vectors_.matrix, other.vectors_.matrix)
    assert one.parameters_.keys() == other.parameters_.keys()
    for name, value in one.parameters_.items():
        assert_array_equal(value, other.parameters_[name])
    assert one.loss_curve_ == other.loss_curve_


@pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)
def test_a_store_trains_as_a_list_does(encoder, store, scratch):
    for y in (None, LABELS):
        wanted, found, streamed = clone(encoder), clone(encoder), clone(encoder)
        wanted.fit(PAIRS, y)
        assert_same(wanted, found.fit(store, y))
        assert_same(wanted, streamed.fit(iter(PAIRS), y))
        wanted.partial_fit(PAIRS, y)
        assert_same(wanted, found.partial_fit(store, y))
        assert_same(wanted, streamed.partial_fit((pair for pair in PAIRS), y))
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("n_texts", [1, 7, 1000])
def test_ngrams_of_a_store_in_blocks(store, monkeypatch, n_texts):
    wanted = NgramTokenizer().vocabulary([text for pair in PAIRS for text in pair])
    monkeypatch.setattr(_ngrams, "_TEXTS", n_texts)
    assert NgramTokenizer().vocabulary(store.flat) == wanted


def test_scores_choose_pairs_of_a_store(store):
    scores = np.linspace(0, 5, len(PAIRS))
    encoder = ParagramEncoder(**WORD_SETTINGS, positive_from=2)
    assert_same(clone(encoder).fit(PAIRS, scores), encoder.fit(store, scores))


def test_a_store_trains_in_a_pipeline(store):
    pipe = make_pipeline(ParagramEncoder(**WORD_SETTINGS), PairSimilarity())
    wanted = clone(pipe).fit(PAIRS).predict(PAIRS)
    assert_array_equal(pipe.fit(store).predict(store), wanted)


def test_a_teacher_of_a_store(store):
    vectors = RNG.randn(len(PAIRS), 2, 8)
    encoder = ParagramEncoder(**WORD_SETTINGS, loss="distillation")
    assert_same(clone(encoder).fit(PAIRS, vectors), encoder.fit(store, vectors))


@pytest.mark.parametrize(
    ("texts", "y", "message"),
    [
        (["a", "b"], None, r"pairs of texts, shape \(n_pairs, 2\); got shape \(2,\)"),
        ([("w1", "w2")], None, "Found 1 samples"),
        ([], None, "Found 0 samples"),
        (DISTINCT[:3], [0, 1], "inconsistent numbers of samples"),
        (DISTINCT[:3], [0, 0, 1], "Found 1 samples"),
        (DISTINCT[:3], [0, 2, 1], "positive_from"),
        (DISTINCT[:3], np.ones((3, 2)), "loss='distillation'"),
        ([("a", "b"), ("c", "d")], None, "No word of the texts has a vector"),
        ([("w1", "w2"), ("w3", None)], None, r"entry at index \(1, 1\)"),
    ],
)
def test_fit_refuses(tmp_path, scratch, texts, y, message):
    encoder = ParagramEncoder(**WORD_SETTINGS)
    with pytest.raises(ValueError, match=message):
        encoder.fit(iter(texts), y)
    assert not list(scratch.iterdir())
    if "entry" not in message:
        with pytest.raises(ValueError, match=message):
            encoder.fit(TextStore.write(tmp_path / "store", texts), y)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_nothing_is_left_of_a_stream_that_breaks(scratch, error):
    def pairs():
        yield from PAIRS
        raise error

    with pytest.raises(error):
        ParagramEncoder(**WORD_SETTINGS).fit(pairs())
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_nothing_is_left_of_a_training_that_breaks(scratch, error):
    def scorer(_):
        assert len(list(scratch.iterdir())) == 1
        raise error

    encoder = ParagramEncoder(**WORD_SETTINGS).set_callbacks(ScoreMonitor(scorer))
    with pytest.raises(error):
        encoder.fit(iter(PAIRS))
    assert not list(scratch.iterdir())
    assert encoder.n_epochs_ == 1


# Tokens that are kept ----------------------------------------------------------------


def kept(store):
    return sorted(path.name for path in store.folder.glob("*tokens*"))


def test_tokens_are_found_again(store, monkeypatch):
    encoder = ParagramEncoder(**WORD_SETTINGS)
    wanted = encoder.fit(store).vectors_.matrix
    first = kept(store)
    assert len(first) == 1
    modes = {path.stat().st_mode for path in (store.folder, store.folder / first[0])}
    assert len(modes) == 1  # whoever reads the texts reads the tokens

    def refuse(*_):
        raise AssertionError("tokenised again")

    with monkeypatch.context() as patch:
        patch.setattr(_tokens, "_write", refuse)
        again = clone(encoder).fit(TextStore.open(store.folder))
        assert_array_equal(again.vectors_.matrix, wanted)
        LSTMEncoder(**WORD_SETTINGS).fit(store)  # the same tokens
        with pytest.raises(AssertionError, match="tokenised again"):
            clone(encoder).set_params(lowercase=False).fit(store)
        words = WordVectors([*WORDS[:-1], "other"], VECTORS.matrix)
        with pytest.raises(AssertionError, match="tokenised again"):
            clone(encoder).set_params(vectors=words).fit(store)
    assert kept(store) == first
    clone(encoder).set_params(lowercase=False).fit(store)
    CharagramEncoder(**SETTINGS, dim=3).fit(store)
    assert len(kept(store)) == 3
    TextStore.write(store.folder, PAIRS)
    assert not kept(store)


def test_tokens_of_replaced_texts_are_not_taken(store):
    """One who has the old texts open writes beside the new, and is not mistaken."""
    other = [("w1 w2", "w3"), ("w4", "w5 w6"), ("w7", "w8")] * 10
    new = TextStore.write(store.folder, other)
    encoder = ParagramEncoder(**WORD_SETTINGS)
    assert_same(clone(encoder).fit(PAIRS), clone(encoder).fit(store))
    assert_same(clone(encoder).fit(other), clone(encoder).fit(new))
    assert len(kept(new)) == 2


def test_tokens_of_functions_are_not_kept(store, scratch):
    ParagramEncoder(**WORD_SETTINGS, tokenizer=str.split).fit(store)
    assert not kept(store)
    assert not list(scratch.iterdir())


class SubTokenizer(WordTokenizer):
    pass


def test_keys_tell_settings_and_words_apart():
    tokenizers = [
        WordTokenizer(),
        WordTokenizer(lowercase=False),
        WordTokenizer(token_pattern="ptb"),
        WordTokenizer(split_compounds=False),
        NgramTokenizer(),
        NgramTokenizer(ngram_range=(2, 3)),
        NgramTokenizer(binary=False),
    ]
    tables = [
        WordVectors(["a", "b", "cd"], np.ones((3, 2))),
        WordVectors(["a", "bc", "d"], np.ones((3, 2))),
        WordVectors(["a", "b", "cd"], np.ones((3, 2)), unknown="a"),
        WordVectors(["a", "\ud800", "cd"], np.ones((3, 2))),
    ]
    keys = {_examples.tokens_key(one, table) for one in tokenizers for table in tables}
    assert len(keys) == len(tokenizers) * len(tables)
    same = WordVectors(["a", "b", "cd"], np.zeros((3, 5)))
    assert _examples.tokens_key(WordTokenizer(), same) in keys
    for unknown in (WordTokenizer(tokenizer=str.split), SubTokenizer()):
        assert _examples.tokens_key(unknown, same) is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs permissions")
def test_a_folder_that_may_only_be_read(store, scratch):
    store.folder.chmod(0o555)
    try:
        found = ParagramEncoder(**WORD_SETTINGS).fit(store)
    finally:
        store.folder.chmod(0o755)
    assert_same(ParagramEncoder(**WORD_SETTINGS).fit(PAIRS), found)
    assert not kept(store)
    assert not list(scratch.iterdir())


def test_a_folder_that_refuses(store, scratch, monkeypatch):
    mkdtemp = tempfile.mkdtemp

    def refuse(suffix=None, prefix=None, dir=None):
        if dir == store.folder:
            raise PermissionError(13, "not here")
        return mkdtemp(suffix, prefix, dir)

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    found = ParagramEncoder(**WORD_SETTINGS).fit(store)
    assert_same(ParagramEncoder(**WORD_SETTINGS).fit(PAIRS), found)
    assert not kept(store)
    assert not list(scratch.iterdir())


def test_half_a_cache_is_none(store, monkeypatch):
    encode = ParagramEncoder._encode_blocks

    def broken(self, texts, vectors):
        yield next(encode(self, texts, vectors))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ParagramEncoder, "_encode_blocks", broken)
        with pytest.raises(KeyboardInterrupt):
            ParagramEncoder(**WORD_SETTINGS).fit(store)
    assert not kept(store)


def test_many_write_the_same_tokens(store):
    lookup = VECTORS.lookup(WordTokenizer())
    with ExitStack() as stack, ThreadPoolExecutor(8) as pool:
        made = pool.map(
            lambda _: _tokens.stored_tokens(store, lookup.encode_blocks, "k", stack),
            range(16),
        )
        tokens = list(made)
    assert len(kept(store)) == 1
    wanted = lookup.encode_blocks(list(store.flat))
    ids = np.concatenate([batch.ids for batch in wanted])
    for one in tokens:
        assert_array_equal(one.ids, ids)
        assert one.ids.dtype == np.int32


def test_tokens_that_are_damaged(store):
    encoder = ParagramEncoder(**WORD_SETTINGS).fit(store)
    np.save(store.folder / kept(store)[0] / "ids.npy", np.zeros(3, np.int32))
    with pytest.raises(ValueError, match="is damaged; delete it"):
        encoder.fit(store)


def test_fitting_holds_no_texts(tmp_path):
    """What is held at once is a small part of what a list of the texts takes."""
    words = [f"word{i:04}" for i in range(400)]
    parts = [" ".join(RNG.choice(words, 30)) for _ in range(100)]

    def pairs():
        for i in range(10_000):
            first, second = parts[i % 100], parts[i % 99]
            yield f"{first} {second}", f"{second} {first}"

    table = WordVectors(words, np.random.RandomState(0).randn(len(words), 4))
    encoder = ParagramEncoder(table, **{**SETTINGS, "max_epochs": 1, "batch_size": 50})
    encoder.fit([("word0001", "word0002"), ("word0003", "word0004")])  # imports

    def peak(call):
        tracemalloc.start()
        call()
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    written = peak(lambda: TextStore.write(tmp_path / "store", pairs()))
    store = TextStore.open(tmp_path / "store")
    n_bytes = (store.folder / "texts.bin").stat().st_size
    assert n_bytes > 10_000_000
    fitted = peak(lambda: clone(encoder).fit(store))
    assert peak(lambda: list(store)) > n_bytes  # it can be seen
    assert written < n_bytes / 8
    assert fitted < n_bytes / 3


# Transform ---------------------------------------------------------------------------

TRANSFORMERS = {
    "average": AverageEncoder(VECTORS),
    "sif": SIFEncoder(VECTORS),
    "paragram": ParagramEncoder(**WORD_SETTINGS),
    "charagram": CharagramEncoder(**SETTINGS, dim=6),
    "dan": DeepAveragingEncoder(**WORD_SETTINGS),
    "lstm": LSTMEncoder(**WORD_SETTINGS, dim=6),
    "charlstm": CharLSTMEncoder(**SETTINGS, dim=6, embedding_dim=4),
    "charcnn": CharCNNEncoder(**SETTINGS, dim=6, embedding_dim=4),
    "convolution": ConvolutionalEncoder(**WORD_SETTINGS),
    "removal": make_pipeline(AverageEncoder(VECTORS), CommonComponentRemoval()),
}
EXACT = {"average", "sif", "paragram", "charagram"}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_blocks_are_those_of_one_call(name, store, tmp_path):
    transformer = clone(TRANSFORMERS[name]).fit(PAIRS)
    wanted = transformer.transform(PAIRS)
    for block_size in (1, 7, 84, 85, 1000):
        blocks = list(transform_blocks(transformer, store, block_size=block_size))
        assert all(len(block) == block_size for block in blocks[:-1])
        found = np.concatenate(blocks)
        assert found.shape == wanted.shape
        if name in EXACT:
            assert_array_equal(found, wanted)
        assert_allclose(found, wanted, atol=1e-6)
    path = tmp_path / "vectors.npy"
    found = into(transformer, store, path, block_size=7)
    assert_allclose(found, wanted, atol=1e-6)
    assert_array_equal(np.load(path), found)


def test_groups_that_stay_together():
    texts = [f"{WORDS[i // 60]} {WORDS[i % 60]}" + " w1" * (i % 7) for i in range(450)]
    encoder = ConvolutionalEncoder(**WORD_SETTINGS, padding="batch").fit(PAIRS)
    wanted = encoder.transform(texts)
    for block_size in (100, 300):
        blocks = transform_blocks(encoder, texts, block_size=block_size)
        assert_allclose(np.concatenate(list(blocks)), wanted, atol=1e-6)


FORMS = {
    "list": PAIRS,
    "iterator": PAIRS,
    "object": np.array(PAIRS, dtype=object),
    "pandas": pd.DataFrame(PAIRS),
    "polars": pl.DataFrame(PAIRS, orient="row"),
    "pyarrow": pa.table({"a": [a for a, _ in PAIRS], "b": [b for _, b in PAIRS]}),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_rows(form, tmp_path):
    encoder = AverageEncoder(VECTORS)
    wanted = encoder.transform(PAIRS)

    def rows():
        return iter(PAIRS) if form == "iterator" else FORMS[form]

    blocks = transform_blocks(encoder, rows(), block_size=9)
    assert_array_equal(np.concatenate(list(blocks)), wanted)
    assert_array_equal(into(encoder, rows(), tmp_path / "a.npy", block_size=9), wanted)
    out = np.empty(wanted.shape, dtype=np.float32)
    assert into(encoder, rows(), out, block_size=9) is out
    assert_array_equal(out, wanted)


def test_vectors_in_blocks(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", "f4", (50, 2, 8))
    X[:] = RNG.randn(*X.shape)
    removal = CommonComponentRemoval().fit(X)
    wanted = removal.transform(X)
    out = np.lib.format.open_memmap(tmp_path / "out.npy", "w+", "f2", X.shape)
    into(removal, X, out, block_size=7)
    assert_allclose(out, wanted, atol=2e-3)
    framed = removal.set_output(transform="pandas")
    assert_allclose(
        into(framed, X, tmp_path / "p.npy", block_size=7), wanted, atol=1e-6
    )


@pytest.mark.parametrize("texts", [[], iter([]), np.empty((0, 2), dtype=object)])
def test_no_rows(tmp_path, texts):
    shape = (*getattr(texts, "shape", (0,)), 8)
    found = into(AverageEncoder(VECTORS), texts, tmp_path / "out.npy")
    assert found.shape == np.load(tmp_path / "out.npy").shape == shape


def test_files_are_half_as_large(tmp_path):
    found = into(AverageEncoder(VECTORS), PAIRS, tmp_path / "a.npy", dtype="float16")
    assert found.dtype == np.float16
    assert_allclose(found, AverageEncoder(VECTORS).transform(PAIRS), atol=4e-3)
    with pytest.raises(ValueError, match="cannot be written as int8"):
        into(AverageEncoder(VECTORS), PAIRS, tmp_path / "b.npy", dtype="int8")
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((84, 2, 8), r"first 85 rows have shape \(85, 2, 8\)"),
        ((86, 2, 8), "out has 86 rows, but X has 85"),
        ((85, 2, 7), "have shape"),
        ((85, 8), "have shape"),
    ],
)
def test_arrays_of_another_shape(shape, message):
    with pytest.raises(ValueError, match=message):
        into(AverageEncoder(VECTORS), PAIRS, np.empty(shape), block_size=17)


def test_what_cannot_be_written(tmp_path):
    out = np.empty((85, 2, 8), dtype=np.int64)
    with pytest.raises(TypeError, match="Cannot cast"):
        into(AverageEncoder(VECTORS), PAIRS, out)
    with pytest.raises(ValueError, match="dtype is that of a file"):
        into(AverageEncoder(VECTORS), PAIRS, out, dtype="float16")
    for block_size in (0, -1):
        with pytest.raises(ValueError, match="block_size must be 1 or more"):
            transform_blocks(AverageEncoder(VECTORS), PAIRS, block_size=block_size)
        with pytest.raises(ValueError, match="block_size must be 1 or more"):
            into(AverageEncoder(VECTORS), PAIRS, out, block_size=block_size)


class Stops:
    """An encoder that breaks after some blocks, and counts the rows that it sees."""

    def __init__(self, n_blocks=10**9, scale=1.0):
        self.n_blocks, self.scale, self.rows = n_blocks, scale, []
        self.encoder = AverageEncoder(VECTORS)

    def transform(self, X):
        if len(self.rows) == self.n_blocks:
            raise KeyboardInterrupt
        self.rows.append(len(X))
        return self.encoder.transform(X) * np.float32(self.scale)


@pytest.mark.parametrize("stop", [0, 1, 2, 5, 8])
@pytest.mark.parametrize("block_size", [10, 25])
@pytest.mark.parametrize("form", [list, iter])
def test_a_file_is_gone_on_with(tmp_path, stop, block_size, form):
    path = tmp_path / "out.npy"
    with pytest.raises(KeyboardInterrupt):
        into(Stops(stop), form(PAIRS), path, block_size=10)
    assert [file.name for file in tmp_path.iterdir()] == ["out.npy.part"] * bool(stop)
    whole = Stops()
    found = into(whole, form(PAIRS), path, block_size=block_size)
    assert_array_equal(found, AverageEncoder(VECTORS).transform(PAIRS))
    kept_rows = max(10 * stop // block_size - 1, 0) * block_size
    assert sum(whole.rows) == len(PAIRS) - kept_rows
    assert [file.name for file in tmp_path.iterdir()] == ["out.npy"]


def test_a_file_of_something_else_is_not_gone_on_with(tmp_path):
    path = tmp_path / "out.npy"
    part = tmp_path / "out.npy.part"
    with pytest.raises(KeyboardInterrupt):
        into(Stops(4), PAIRS, path, block_size=10)
    before = part.read_bytes()
    for transformer, X, dtype in (
        (Stops(scale=2), PAIRS, None),
        (Stops(), PAIRS[::-1], None),
        (Stops(), PAIRS[:20], None),
        (Stops(), [first for first, _ in PAIRS], None),
        (Stops(), PAIRS, "float16"),
    ):
        with pytest.raises(ValueError, match=f"{re.escape(str(part))} was begun with"):
            into(transformer, X, path, block_size=10, dtype=dtype)
        assert part.read_bytes() == before
    with pytest.raises(KeyboardInterrupt):
        into(Stops(4, 1e-3), PAIRS, tmp_path / "half", block_size=10, dtype="float16")
    with pytest.raises(ValueError, match="was begun with another transformer"):
        into(Stops(scale=1.1e-3), PAIRS, tmp_path / "half", dtype="float16")
    close = Stops(scale=1e-3 * (1 + 1e-6))  # as products round
    into(close, PAIRS, tmp_path / "half", block_size=20, dtype="float16")
    part.write_bytes(b"")  # killed before the first byte was on the disk
    assert into(Stops(), PAIRS, path, block_size=10).shape == (85, 2, 8)


def test_two_calls_do_not_write_one_file(tmp_path, monkeypatch):
    path = tmp_path / "out.npy"
    expected = Stops().transform(PAIRS)
    with (
        locked(tmp_path / "out.npy.lock"),
        pytest.raises(ValueError, match=r"Another call is writing .*out\.npy"),
    ):
        into(Stops(), PAIRS, path)
    assert_array_equal(into(Stops(), PAIRS, path), expected)
    assert [each.name for each in tmp_path.iterdir()] == ["out.npy"]

    def no_locks(descriptor):
        raise OSError("Function not implemented")

    monkeypatch.setattr(_locks, "_take", no_locks)
    assert_array_equal(into(Stops(), PAIRS, path), expected)


KILLED = """
import os, signal, sys
import numpy as np
from skparaphrase.encoders import AverageEncoder
from skparaphrase.streams import TextStore, transform_to
from skparaphrase.vectors import WordVectors

class Killed(AverageEncoder):
    def transform(self, X):
        found = super().transform(X)
        if "w7 w7 w7" in X[:, 0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

vectors = WordVectors(["w1", "w7"], np.eye(2))
transform_to(
    Killed(vectors), TextStore.open(sys.argv[1]), sys.argv[2], block_size=10
)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL")
def test_a_process_that_is_killed_loses_a_block(tmp_path):
    pairs = [(f"w1 w{i % 9}", "w7") for i in range(95)]
    pairs[57] = ("w7 w7 w7", "w1")
    store = TextStore.write(tmp_path / "store", pairs)
    out = tmp_path / "out.npy"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(store.folder), str(out)], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert not out.exists()
    assert np.load(tmp_path / "out.npy.part").shape == (50, 2, 2)
    encoder = AverageEncoder(WordVectors(["w1", "w7"], np.eye(2)))
    found = into(encoder, store, out, block_size=10)
    assert_array_equal(found, encoder.transform(pairs))
    assert {path.name for path in tmp_path.iterdir()} == {"out.npy", "store"}


class Sparse:
    def transform(self, X):
        return pytest.importorskip("scipy.sparse").eye_array(len(X))


def test_sparse_vectors():
    with pytest.raises(TypeError, match="sparse"):
        next(transform_blocks(Sparse(), ["a"]))


def test_names_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TextStore.write("here", ["a", "b"])
    assert Path("here").is_dir()
    assert into(AverageEncoder(VECTORS), ["w1"], "out.npy").shape == (1, 8)
