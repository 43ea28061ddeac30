"""Transforms in blocks, and files of their results, against one call."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    ConvolutionalEncoder,
    SIFEncoder,
)
from skparaphrase.streams import transform_to
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
    "convolution": ConvolutionalEncoder(VECTORS, **SETTINGS),
    "removal": make_pipeline(AVERAGE, CommonComponentRemoval()),
}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_blocks_are_those_of_one_call(name, tmp_path):
    transformer = clone(TRANSFORMERS[name]).fit(PAIRS)
    wanted = transformer.transform(PAIRS)
    for block_size in (1, 7, 85, 1000):
        vectors = transform_to(
            transformer, PAIRS, tmp_path / "a.npy", block_size=block_size
        )
        assert_allclose(vectors, wanted, atol=1e-6)


def test_vectors_in_blocks(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", "f4", (50, 2, 8))
    X[:] = RNG.randn(*X.shape)
    removal = CommonComponentRemoval().fit(X).set_output(transform="pandas")
    found = transform_to(removal, X[:, 0], tmp_path / "Y.npy", block_size=7)
    assert_allclose(found, removal.transform(X[:, 0]), atol=1e-6)


@pytest.mark.parametrize("texts", [[], np.empty((0, 2), dtype=object)])
def test_no_rows(tmp_path, texts):
    found = transform_to(AVERAGE, texts, tmp_path / "a.npy")
    assert found.shape == (*np.shape(texts), 8)


def test_the_type_of_the_file(tmp_path):
    path = tmp_path / "a.npy"
    found = transform_to(AVERAGE, PAIRS, path, dtype="float16")
    assert found.dtype == np.float16
    assert_allclose(found, WANTED, atol=4e-3)
    with pytest.raises(TypeError, match="Cannot cast"):
        transform_to(AVERAGE, PAIRS, path, dtype="int8")
    large = AverageEncoder(WordVectors(["a"], np.full((1, 2), 7e4)))
    with pytest.raises(FloatingPointError, match="overflow"):
        transform_to(large, ["a"], path, dtype="float16")
    assert_array_equal(np.load(path), found)  # a failure leaves the file as it was
    assert [file.name for file in tmp_path.iterdir()] == ["a.npy"]


class Stopped(AverageEncoder):
    """An encoder that is interrupted in a block."""

    def transform(self, X):
        if PAIRS[50] in X:
            raise KeyboardInterrupt
        return super().transform(X)


def test_an_interrupted_transform_leaves_no_file(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        transform_to(Stopped(VECTORS), PAIRS, tmp_path / "a.npy", block_size=10)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written(tmp_path):
    drops = FunctionTransformer(lambda X: np.ones((len(X) - 1, 2)))
    with pytest.raises(ValueError, match="X has 85 rows, but got vectors of 76"):
        transform_to(drops, PAIRS, tmp_path / "a.npy", block_size=10)
    with pytest.raises(ValueError, match=r"block_size == 0, must be >= 1"):
        transform_to(AVERAGE, PAIRS, tmp_path / "a.npy", block_size=0)


def test_progress(tmp_path, capsys):
    transform_to(AVERAGE, PAIRS, tmp_path / "a.npy")
    assert capsys.readouterr().err == ""
    transform_to(AVERAGE, PAIRS, tmp_path / "a.npy", block_size=10, progress=True)
    assert "85/85" in capsys.readouterr().err
