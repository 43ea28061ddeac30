"""Transforms in blocks, and files that are resumed, against one call."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import signal
import subprocess
import sys
from collections import deque

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from filelock import FileLock
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    ConvolutionalEncoder,
    LSTMEncoder,
    ParagramEncoder,
    SIFEncoder,
)
from skparaphrase.streams import TextStore, transform_blocks
from skparaphrase.streams import transform_to as into
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(60)]
VECTORS = WordVectors(WORDS, RNG.randn(60, 8).astype(np.float32) + 0.5)
PAIRS = [
    tuple(" ".join(RNG.choice(WORDS, RNG.randint(2, 6))) for _ in range(2))
    for _ in range(85)
]
SETTINGS = {"max_epochs": 2, "batch_size": 16, "random_state": 0, "device": "cpu"}
WORD_SETTINGS = {"vectors": VECTORS, **SETTINGS}


@pytest.fixture
def store(tmp_path):
    return TextStore.write(tmp_path / "pairs", PAIRS)


TRANSFORMERS = {
    "average": AverageEncoder(VECTORS),
    "sif": SIFEncoder(VECTORS),
    "paragram": ParagramEncoder(**WORD_SETTINGS),
    "charagram": CharagramEncoder(**SETTINGS, dim=6),
    "lstm": LSTMEncoder(**WORD_SETTINGS, dim=6),
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


FORMS = {
    "list": PAIRS,
    "iterator": PAIRS,
    "object": np.array(PAIRS, dtype=object),
    "pandas": pd.DataFrame(PAIRS),
    "polars": pl.DataFrame(PAIRS, orient="row"),
    "lazy": pl.LazyFrame(PAIRS, orient="row"),
    "deque": deque(PAIRS),
    "values": dict(enumerate(PAIRS)).values(),
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
    with pytest.raises(ValueError, match="dtype is for files"):
        into(AverageEncoder(VECTORS), PAIRS, out, dtype="float16")
    for block_size in (0, -1):
        with pytest.raises(ValueError, match=r"block_size == .*must be >= 1"):
            transform_blocks(AverageEncoder(VECTORS), PAIRS, block_size=block_size)
        with pytest.raises(ValueError, match=r"block_size == .*must be >= 1"):
            into(AverageEncoder(VECTORS), PAIRS, out, block_size=block_size)
    rows = FunctionTransformer(lambda X: sparse.eye_array(len(X)))
    with pytest.raises(TypeError, match="sparse"):
        next(transform_blocks(rows, ["a"]))


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
def test_a_file_is_resumed(tmp_path, stop, block_size, form):
    path = tmp_path / "out.npy"
    with pytest.raises(KeyboardInterrupt):
        into(Stops(stop), form(PAIRS), path, block_size=10)
    left = sorted(file.name for file in tmp_path.iterdir())
    assert left == (["out.npy.part", "out.npy.part.crc32"] if stop else [])
    whole = Stops()
    found = into(whole, form(PAIRS), path, block_size=block_size)
    assert_array_equal(found, AverageEncoder(VECTORS).transform(PAIRS))
    kept_rows = max(10 * stop // block_size - 1, 0) * block_size
    assert sum(whole.rows) == len(PAIRS) - kept_rows
    assert [file.name for file in tmp_path.iterdir()] == ["out.npy"]


def test_a_file_of_something_else_is_not_resumed(tmp_path):
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
        with pytest.raises(ValueError, match=r"\.part holds vectors of another"):
            into(transformer, X, path, block_size=10, dtype=dtype)
        assert part.read_bytes() == before
    with pytest.raises(KeyboardInterrupt):
        into(Stops(4, 1e-3), PAIRS, tmp_path / "half", block_size=10, dtype="float16")
    with pytest.raises(ValueError, match="holds vectors of another"):
        into(Stops(scale=1.1e-3), PAIRS, tmp_path / "half", dtype="float16")
    close = Stops(scale=1e-3 * (1 + 1e-6))  # as products round
    into(close, PAIRS, tmp_path / "half", block_size=20, dtype="float16")
    part.write_bytes(b"")  # killed before the first byte was on the disk
    assert into(Stops(), PAIRS, path, block_size=10).shape == (85, 2, 8)


def test_two_calls_do_not_write_one_file(tmp_path):
    path = tmp_path / "out.npy"
    expected = Stops().transform(PAIRS)
    with (
        FileLock(tmp_path / "out.npy.lock"),
        pytest.raises(ValueError, match=r"Another call is writing .*out\.npy"),
    ):
        into(Stops(), PAIRS, path)
    assert_array_equal(into(Stops(), PAIRS, path), expected)
    assert [each.name for each in tmp_path.iterdir()] == ["out.npy"]


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
    Killed(vectors), TextStore(sys.argv[1]), sys.argv[2], block_size=10
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


def test_vectors_too_large_for_a_file(tmp_path):
    encoder = FunctionTransformer()
    with pytest.raises(ValueError, match="too large for float16: the largest has 7e"):
        into(encoder, np.full((3, 2), 7e4), tmp_path / "x.npy", dtype="float16")
