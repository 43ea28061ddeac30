"""Transforms in blocks, and files of their results, against one call."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pyarrow import parquet
from pyarrow.dataset import dataset
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CNNEncoder,
    SIFEncoder,
)
from skparaphrase.io import to_arrow, transform_to_file
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(60)]
VECTORS = WordVectors(WORDS, RNG.randn(60, 8).astype(np.float32) + 0.5)
PAIRS = [
    tuple(" ".join(RNG.choice(WORDS, RNG.randint(2, 6))) for _ in range(2))
    for _ in range(85)
]
TABLE = pa.table({"a": [a for a, _ in PAIRS], "b": [b for _, b in PAIRS]})
AVERAGE = AverageEncoder(VECTORS)
WANTED = AVERAGE.transform(PAIRS)
SETTINGS = {"max_epochs": 2, "batch_size": 16, "random_state": 0, "device": "cpu"}
TRANSFORMERS = {
    "sif": SIFEncoder(VECTORS),
    "charagram": CharagramEncoder(**SETTINGS, dim=6),
    "convolution": CNNEncoder(VECTORS, **SETTINGS),
    "removal": make_pipeline(AVERAGE, CommonComponentRemoval()),
}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_blocks_are_those_of_one_call(name, tmp_path):
    transformer = clone(TRANSFORMERS[name]).fit(PAIRS)
    wanted = transformer.transform(PAIRS)
    for block_size in (1, np.int8(7), np.uint8(200), 85, 1000):
        vectors = transform_to_file(
            transformer, PAIRS, tmp_path / "a.npy", block_size=block_size
        )
        assert_allclose(vectors, wanted, atol=1e-6)


def test_vectors_in_blocks(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", "f4", (50, 2, 8))
    X[:] = RNG.randn(*X.shape)
    removal = CommonComponentRemoval().fit(X).set_output(transform="pandas")
    found = transform_to_file(removal, X[:, 0], tmp_path / "Y.npy", block_size=7)
    assert_allclose(found, removal.transform(X[:, 0]), atol=1e-6)


@pytest.mark.parametrize("texts", [[], np.empty((0, 2), dtype=object)])
def test_no_rows(tmp_path, texts):
    found = transform_to_file(AVERAGE, texts, tmp_path / "a.npy")
    assert found.shape == (*np.shape(texts), 8)


def test_the_type_of_the_file(tmp_path):
    path = tmp_path / "a.npy"
    found = transform_to_file(AVERAGE, PAIRS, path, dtype="float16")
    assert found.dtype == np.float16
    assert_allclose(found, WANTED, atol=4e-3)


class Stopped(AverageEncoder):
    """An encoder that is interrupted in a block."""

    def transform(self, X):
        if PAIRS[50] in X:
            raise KeyboardInterrupt
        return super().transform(X)


def test_an_interrupted_transform_leaves_no_file(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        transform_to_file(Stopped(VECTORS), PAIRS, tmp_path / "a.npy", block_size=10)
    assert not list(tmp_path.iterdir())


LARGE = AverageEncoder(WordVectors(["a"], np.full((1, 2), 7e4)))
DROPS = FunctionTransformer(lambda X: np.ones((len(X) - 1, 2)))
ROWS = "columns must have 85 rows, like X, and"


@pytest.mark.parametrize(
    ("transformer", "X", "name", "options", "error", "words"),
    [
        (AVERAGE, PAIRS, "a.npy", {"dtype": "int8"}, TypeError, "Cannot cast"),
        (LARGE, ["a"], "a.npy", {"dtype": "f2"}, FloatingPointError, "overflow"),
        (DROPS, PAIRS, "a.npy", {"block_size": 10}, ValueError, "85 rows, .* of 76"),
        (DROPS, PAIRS, "a.parquet", {"block_size": 10}, ValueError, "85 rows.*f 76"),
        (AVERAGE, PAIRS, "a.npy", {"block_size": 0}, ValueError, "block_size == 0, mu"),
        (AVERAGE, PAIRS, "a.parquet", {"columns": {"id": [1]}}, ValueError, ROWS),
        (AVERAGE, PAIRS, "a.parquet", {"columns": {"vector": PAIRS}}, ValueError, ROWS),
        (AVERAGE, PAIRS, "a.npy", {"columns": {}}, ValueError, "columns needs a path"),
    ],
)
def test_what_cannot_be_written(transformer, X, name, options, error, words, tmp_path):
    (tmp_path / name).write_text("before")
    with pytest.raises(error, match=words):
        transform_to_file(transformer, X, tmp_path / name, **options)
    assert (tmp_path / name).read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_texts_that_are_read_once(tmp_path):
    texts = [a for a, _ in PAIRS]
    found = transform_to_file(AVERAGE, iter(texts), tmp_path / "a.npy", block_size=10)
    assert_array_equal(found, AVERAGE.transform(texts))


def test_a_link_that_appears_meanwhile_is_not_followed(tmp_path):
    precious, path = tmp_path / "precious", tmp_path / "a.npy"
    precious.write_text("mine")

    def transform(X):
        if not path.is_symlink():
            path.symlink_to(precious)
        return AVERAGE.transform(X)

    transform_to_file(FunctionTransformer(transform), PAIRS, path, block_size=10)
    assert precious.read_text() == "mine" and not path.is_symlink()
    assert_array_equal(np.load(path), AVERAGE.transform(PAIRS))


# Parquet and Arrow


@pytest.mark.parametrize("block_size", [7, 85, 1000])
@pytest.mark.parametrize(
    "frame", [dict, pa.table, pd.DataFrame, pl.DataFrame], ids=lambda f: f.__name__
)
def test_vectors_with_ids_in_parquet(frame, block_size, tmp_path):
    texts = [first for first, _ in PAIRS]
    columns = frame({"id": [f"t{row}" for row in range(85)], "text": texts})
    path = tmp_path / "vectors.parquet"
    data = transform_to_file(
        AVERAGE, texts, path, columns=columns, block_size=block_size
    )
    assert [each.name for each in tmp_path.iterdir()] == ["vectors.parquet"]
    frame = pd.read_parquet(path)  # by another reader
    assert [*frame.columns] == ["id", "text", "vector"]
    assert frame["id"].tolist() == [f"t{row}" for row in range(85)]
    assert frame["text"].tolist() == texts
    assert_array_equal(np.stack(frame["vector"]), WANTED[:, 0])
    assert data.count_rows() == 85
    assert data.schema.field("vector").type == pa.list_(pa.float32(), 8)


def test_the_index_of_a_frame_is_no_column(tmp_path):
    columns = pd.DataFrame({"id": range(170)})[::2]
    data = transform_to_file(AVERAGE, PAIRS, tmp_path / "a.parquet", columns=columns)
    assert data.schema.names == ["id", "vector"]


def test_vectors_of_a_file_with_ids(tmp_path):
    texts = [first for first, _ in PAIRS]
    parquet.write_table(
        pa.table({"id": range(85), "text": texts}), tmp_path / "texts.parquet"
    )
    source = dataset(tmp_path / "texts.parquet")
    data = transform_to_file(
        AVERAGE,
        source.scanner(columns=["text"]),
        tmp_path / "vectors.parquet",
        columns=source.to_table(columns=["id"]),
        block_size=10,
        dtype="float16",
    )
    frame = pl.from_arrow(data.to_table())
    assert frame["id"].to_list() == [*range(85)]
    assert frame["vector"].dtype == pl.Array(pl.Float16, 8)
    assert_allclose(frame["vector"].to_numpy(), WANTED[:, 0], atol=4e-3)


def test_pairs_and_no_rows_in_parquet(tmp_path):
    path = tmp_path / "vectors.parquet"
    found = transform_to_file(AVERAGE, PAIRS, path, block_size=30).to_table()["vector"]
    assert_array_equal(found.to_pylist(), WANTED)
    none = transform_to_file(AVERAGE, [], path, columns={"id": []})
    assert none.schema.names == ["id", "vector"]
    assert none.count_rows() == 0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
@pytest.mark.parametrize("shape", [(0, 3), (5, 3), (5, 2, 3)])
def test_arrow_lists_are_the_vectors(dtype, shape):
    vectors = RNG.randint(-9, 9, shape).astype(dtype)
    for given in (vectors, np.asfortranarray(vectors)):
        array = to_arrow(given)
        assert len(array) == shape[0]
        assert array.type.list_size == shape[1]
        assert array.to_pylist() == vectors.tolist()
    with pytest.raises(ValueError, match="two dimensions"):
        to_arrow(vectors.ravel())
