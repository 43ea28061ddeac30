"""Texts in folders, and training and vectors from them, against the same in memory."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import pickle
import tempfile
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from skparaphrase.callback import ScoreMonitor
from skparaphrase.encoders import (
    CharagramEncoder,
    CharCNNEncoder,
    ConvolutionalEncoder,
    LSTMEncoder,
    ParagramEncoder,
)
from skparaphrase.encoders._data import _tokens_key
from skparaphrase.losses import InfoNCELoss, MarginLoss
from skparaphrase.streams import TextStore, _store
from skparaphrase.text import (
    NgramTokenizer,
    WordLookup,
    WordTokenizer,
    check_tokenizer,
)
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
    again = TextStore(str(folder))
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


TRIPLETS = [(*pair, PAIRS[i - 7][0]) for i, pair in enumerate(PAIRS)]


@given(rows=st.lists(st.tuples(*[st.text(max_size=3)] * 3), min_size=1))
def test_triplets_are_read(tmp_path_factory, rows):
    store = TextStore.write(tmp_path_factory.mktemp("triplets") / "store", iter(rows))
    assert store.shape == (len(rows), 3)
    assert [*store] == store[:] == rows
    assert (store[0], store[-1]) == (rows[0], rows[-1])
    assert list(store.flat) == [text for row in rows for text in row]
    assert store.rows(0, len(rows)).tolist() == [*map(list, rows)]
    assert store[::-2] == rows[::-2]
    picked = store[[-1, 0]]
    assert picked.shape == (2, 3)
    assert picked.tolist() == [list(rows[-1]), list(rows[0])]


@pytest.mark.parametrize(
    "texts",
    [
        tuple(PAIRS),
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
    ([("a", "b")] * 1500 + [("a", 5)], TypeError, r"entry at index \(1500, 1\) is 5"),
    (
        [("a", "b")] * 1024 + ["c"],
        ValueError,
        "Row 1024 is 'c' .str., unlike the rows before",
    ),
    (["a"] * 1024 + [("b", "c")], ValueError, "Row 1024 is .*single texts"),
    ([("a", "b", "c")] * 1024 + [("d", "e")], ValueError, "Row 1024 is .*triplets"),
    ([("a", "b", "c", "d")] * 3, ValueError, r"shape \(3, 4\)"),
    ("a text", TypeError, "got 'a text'"),
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
        TextStore(tmp_path / "mine")
    old = store[:]
    TextStore.write(store.folder, ["new"])  # what is open lives on
    assert store[:] == old
    assert TextStore(store.folder)[:] == ["new"]


@pytest.mark.parametrize("name", ["texts.bin", "bounds.bin", "identities.bin"])
def test_damage_is_found(store, name):
    path = store.folder / name
    path.write_bytes(path.read_bytes()[:-3] if name == "texts.bin" else b"")
    with pytest.raises(ValueError, match="is damaged"):
        TextStore(store.folder)
    path.unlink()
    with pytest.raises(ValueError, match="is damaged"):
        TextStore(store.folder)
    path = store.folder / "metadata.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "shape": None}))
    with pytest.raises(ValueError, match="is damaged"):
        TextStore(store.folder)


def test_stores_of_the_first_edition_are_of_another_version(store):
    for path in store.folder.iterdir():
        path.unlink()
    np.save(store.folder / "ends.npy", [5, 8])
    np.save(store.folder / "identities.npy", [1, 2])
    (store.folder / "texts.bin").write_bytes(b"a catdog")
    about = {"format": "skparaphrase", "kind": "TextStore", "version": 1}
    about |= {"shape": [1, 2], "digest": "0"}
    (store.folder / "metadata.json").write_text(json.dumps(about))
    with pytest.raises(ValueError, match=r"pairs was written by another version"):
        TextStore(store.folder)
    assert len(TextStore.write(store.folder, PAIRS)) == len(PAIRS)  # is replaced


def test_a_store_that_is_replaced_while_it_is_opened(tmp_path, monkeypatch):
    folder, mapped = tmp_path / "s", _store._map
    TextStore.write(folder, ["old", "older", "oldest"])

    def replace(path, dtype):
        monkeypatch.setattr(_store, "_map", mapped)
        TextStore.write(folder, ["new", "newer"])
        return mapped(path, dtype)

    monkeypatch.setattr(_store, "_map", replace)
    assert TextStore(folder)[:] == ["new", "newer"]


def test_workers_get_the_folder(store, monkeypatch):
    assert repr(store) == f"TextStore({str(store.folder)!r}, shape=(85, 2))"
    monkeypatch.chdir(store.folder.parent)
    sent = pickle.dumps(TextStore("pairs"))
    monkeypatch.chdir("/")
    assert len(sent) < 500
    assert pickle.loads(sent)[:] == PAIRS


@pytest.mark.parametrize("texts", [PAIRS, TRIPLETS, [text for text, _ in PAIRS]])
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
    "masked": ParagramEncoder(
        **WORD_SETTINGS, loss=MarginLoss(negatives="mix", mask_identical=True)
    ),
    "hard": ParagramEncoder(**WORD_SETTINGS, loss=InfoNCELoss(mask_known=False)),
    "own words": ParagramEncoder(**WORD_SETTINGS, tokenizer=str.split),
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


@pytest.mark.parametrize(
    ("parameters", "y"),
    [
        ({"positive_from": 2}, np.linspace(0, 5, len(PAIRS))),
        ({}, np.arange(len(PAIRS)) % 9 / 2),
        ({"loss": "distillation"}, RNG.randn(len(PAIRS), 2, 8)),
    ],
    ids=["positive scores", "scores", "teacher"],
)
def test_targets_of_a_store(store, parameters, y):
    encoder = ParagramEncoder(**WORD_SETTINGS, **parameters)
    assert_same(clone(encoder).fit(PAIRS, y), encoder.fit(store, y))
    wanted = encoder.transform(PAIRS)
    assert_array_equal(encoder.transform(store), wanted)


@pytest.mark.parametrize("fraction", [None, 0.3])
@pytest.mark.parametrize("kind", ["triplets", "labels"])
def test_stores_of_other_kinds(tmp_path, scratch, kind, fraction):
    X, y = TRIPLETS, None
    if kind == "labels":  # some texts have two labels
        X, y = [text for text, _ in PAIRS], np.arange(len(PAIRS)) % 4
    encoder = ParagramEncoder(**WORD_SETTINGS, validation_fraction=fraction)
    wanted, found, streamed = clone(encoder), clone(encoder), clone(encoder)
    wanted.fit(X, y)
    store = TextStore.write(tmp_path / "store", X)
    assert_same(wanted, found.fit(store, y))
    assert_same(wanted, streamed.fit(iter(X), y))
    if fraction is not None:
        assert found.validation_scores_ == wanted.validation_scores_
    assert_same(wanted.partial_fit(X, y), found.partial_fit(store, y))
    assert len(kept(store)) == 1
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    ("texts", "y", "message"),
    [
        (["a", "b"], None, r"X has shape \(2,\) and y is None.* nothing to learn"),
        (["a", "b", "c"], [0, 0, 1], "two classes of at least two texts"),
        ([("a", "b", "c")] * 2, [0, 1], "leave out y"),
        ([], None, "Found 0 samples"),
        (DISTINCT[:3], [0, 1], "inconsistent numbers of samples"),
        (DISTINCT[:3], [0, 0, 1], "Found 1 samples"),
        (DISTINCT[:3], np.ones((3, 2)), r"shape \(3, 2, 'dim'\)"),
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
def test_nothing_is_left_of_a_fit_that_breaks(scratch, error):
    def broken_stream():
        yield from PAIRS
        raise error

    def broken_scorer(_):
        assert len(list(scratch.iterdir())) == 1
        raise error

    encoder = ParagramEncoder(**WORD_SETTINGS)
    with pytest.raises(error):
        encoder.fit(broken_stream())
    assert not list(scratch.iterdir())
    with pytest.raises(error):
        encoder.set_callbacks(ScoreMonitor(broken_scorer)).fit(iter(PAIRS))
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
        patch.setattr(_store, "_write_tokens", refuse)
        again = clone(encoder).fit(TextStore(store.folder))
        assert_array_equal(again.vectors_.matrix, wanted)
        LSTMEncoder(**WORD_SETTINGS).fit(store)  # the same tokens
        with pytest.raises(AssertionError, match="tokenised again"):
            clone(encoder).set_params(tokenizer=WordTokenizer(lowercase=False)).fit(
                store
            )
        words = WordVectors([*WORDS[:-1], "other"], VECTORS.matrix)
        with pytest.raises(AssertionError, match="tokenised again"):
            clone(encoder).set_params(vectors=words).fit(store)
    assert kept(store) == first
    damaged = TextStore.write(store.folder.parent / "other", PAIRS)
    clone(encoder).fit(damaged)
    (damaged.folder / kept(damaged)[0] / "ids.bin").write_bytes(bytes(12))
    with pytest.raises(ValueError, match=r"is damaged: .*mismatch\. Delete it"):
        clone(encoder).fit(damaged)
    clone(encoder).set_params(tokenizer=WordTokenizer(lowercase=False)).fit(store)
    CharagramEncoder(**SETTINGS, dim=3).fit(store)
    assert len(kept(store)) == 3
    ParagramEncoder(**WORD_SETTINGS, tokenizer=str.split).fit(store)
    assert len(kept(store)) == 3  # nobody can tell what a function does
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


def test_keys_tell_settings_and_words_apart():
    tokenizers = [WordTokenizer(), WordTokenizer(lowercase=False), NgramTokenizer()]
    tables = [
        WordVectors(["a", "b", "cd"], np.ones((3, 2))),
        WordVectors(["a", "bc", "d"], np.ones((3, 2))),
        WordVectors(["a", "b", "cd"], np.ones((3, 2)), unknown="a"),
        WordVectors(["a", "\ud800", "cd"], np.ones((3, 2))),
    ]
    keys = {_tokens_key(one, table) for one in tokenizers for table in tables}
    assert len(keys) == 12
    same = WordVectors(["a", "b", "cd"], np.zeros((3, 5)))
    assert _tokens_key(WordTokenizer(), same) in keys
    assert _tokens_key(check_tokenizer(str.split), same) is None


def test_a_folder_that_refuses(store, scratch, monkeypatch):
    mkdir = Path.mkdir

    def refuse(path, *args, **kwargs):
        if path.parent == store.folder:
            raise PermissionError(13, "not here")
        mkdir(path, *args, **kwargs)

    monkeypatch.setattr(Path, "mkdir", refuse)
    found = ParagramEncoder(**WORD_SETTINGS).fit(store)
    assert_same(ParagramEncoder(**WORD_SETTINGS).fit(PAIRS), found)
    assert not kept(store)
    assert not list(scratch.iterdir())


def test_half_a_cache_is_none(store, monkeypatch):
    encode = WordLookup.encode_blocks

    def broken(self, texts, **params):
        yield next(encode(self, texts, **params))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(WordLookup, "encode_blocks", broken)
        with pytest.raises(KeyboardInterrupt):
            ParagramEncoder(**WORD_SETTINGS).fit(store)
    assert not kept(store)


def test_many_write_the_same_tokens(store):
    lookup = VECTORS._lookup(WordTokenizer())
    together, calls = Barrier(8), []

    def encode_blocks(texts):
        calls.append(len(texts))
        return lookup.encode_blocks(texts)

    def tokenize(_):
        together.wait(60)
        return _store.stored_tokens(store, encode_blocks, "k", len(VECTORS), stack)

    with ExitStack() as stack, ThreadPoolExecutor(8) as pool:
        tokens = list(pool.map(tokenize, range(8)))
    assert len(kept(store)) == len(calls) == 1  # the others have waited
    wanted = lookup.encode_blocks(list(store.flat))
    ids = np.concatenate([batch.ids for batch in wanted])
    for one in tokens:
        assert_array_equal(one.ids, ids)
        assert one.ids.dtype == np.int32


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
    store = TextStore(tmp_path / "store")
    n_bytes = (store.folder / "texts.bin").stat().st_size
    assert n_bytes > 10_000_000
    fitted = peak(lambda: clone(encoder).fit(store))
    assert peak(lambda: list(store)) > n_bytes  # it can be seen
    assert written < n_bytes / 8
    assert fitted < n_bytes / 3
