"""Folders of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import shutil
import sys

import numpy as np
import pytest

import skparaphrase
from skparaphrase.encoders import AverageEncoder
from skparaphrase.vectors import WordVectors


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_save_and_load(table, assert_same, dtype, tmp_path):
    vectors = table(dtype, unknown="a\nb")
    vectors.save(tmp_path / "new" / "v")
    mapped = WordVectors.load(str(tmp_path / "new" / "v"))
    assert isinstance(mapped.matrix, np.memmap)
    read = WordVectors.load(tmp_path / "new" / "v", mmap=False)
    assert not isinstance(read.matrix, np.memmap)
    for loaded in (mapped, read, pickle.loads(pickle.dumps(mapped))):
        assert_same(loaded, vectors)
        assert loaded.nearest("cat") == vectors.nearest("cat")


def test_save_over_an_existing_table(table, assert_same, tmp_path):
    (tmp_path / "v").mkdir()
    table(n=5).save(tmp_path / "v")
    # Windows does not replace files that are mapped.
    old = WordVectors.load(tmp_path / "v", mmap=sys.platform != "win32")
    old.save(tmp_path / "v")
    assert_same(WordVectors.load(tmp_path / "v"), old)
    table("int8").save(tmp_path / "v")
    assert_same(WordVectors.load(tmp_path / "v"), table("int8"))
    assert_same(old, table(n=5))
    assert [path.name for path in tmp_path.iterdir()] == ["v"]


def test_load_refuses_other_folders(table, tmp_path):
    AverageEncoder(table()).save(tmp_path / "model")
    with pytest.raises(ValueError, match="model holds 'AverageEncoder', not WordVect"):
        WordVectors.load(tmp_path / "model")
    assert skparaphrase.load(tmp_path / "model").vectors.words == table().words
    with pytest.raises(ValueError, match="vectors holds 'WordVectors', not "):
        skparaphrase.load(tmp_path / "model/vectors")


def test_load_refuses_missing_and_mixed_folders(table, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*v"):
        WordVectors.load(tmp_path / "v")
    table(n=5).save(tmp_path / "v")
    table(n=6).save(tmp_path / "w")
    shutil.copy(tmp_path / "w" / "words.npy", tmp_path / "v" / "words.npy")
    with pytest.raises(ValueError, match=r"words\.npy is corrupt: checksum"):
        WordVectors.load(tmp_path / "v")
    shutil.copy(tmp_path / "w" / "matrix.npy", tmp_path / "v" / "matrix.npy")
    with pytest.raises(ValueError, match=r"corrupt: checksum mismatch"):
        WordVectors.load(tmp_path / "v")
