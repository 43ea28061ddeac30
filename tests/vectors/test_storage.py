"""Folders of word vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import shutil
import sys

import numpy as np
import pytest
from forged import seal

import skparaphrase
from skparaphrase.encoders import AverageEncoder
from skparaphrase.vectors import nearest_words, save_word_vectors


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_save_and_load(table, assert_same, dtype, tmp_path):
    vectors = table(dtype, unknown="a\nb")
    save_word_vectors(vectors, tmp_path / "new" / "v")
    mapped = skparaphrase.load(str(tmp_path / "new" / "v"))
    assert isinstance(mapped.matrix, np.memmap)
    for loaded in (mapped, pickle.loads(pickle.dumps(mapped))):
        assert_same(loaded, vectors)
        assert nearest_words(loaded, "cat") == nearest_words(vectors, "cat")


def test_save_over_an_existing_table(table, assert_same, tmp_path):
    (tmp_path / "v").mkdir()
    save_word_vectors(table(n=5), tmp_path / "v")
    # Windows does not replace files that are mapped.
    old = table(n=5) if sys.platform == "win32" else skparaphrase.load(tmp_path / "v")
    save_word_vectors(old, tmp_path / "v")
    assert_same(skparaphrase.load(tmp_path / "v"), old)
    save_word_vectors(table("int8"), tmp_path / "v")
    assert_same(skparaphrase.load(tmp_path / "v"), table("int8"))
    assert_same(old, table(n=5))
    assert [path.name for path in tmp_path.iterdir()] == ["v"]


def test_tables_of_models_are_loaded_alone_and_only_tables_serve(table, tmp_path):
    AverageEncoder(table()).save(tmp_path / "model")
    assert skparaphrase.load(tmp_path / "model/vectors").words == table().words
    shutil.rmtree(tmp_path / "model/vectors")
    AverageEncoder().save(tmp_path / "model/vectors")
    seal(tmp_path / "model")
    with pytest.raises(ValueError, match="vectors does not contain word v"):
        skparaphrase.load(tmp_path / "model")


def test_load_refuses_mixed_folders(table, tmp_path):
    save_word_vectors(table(n=5), tmp_path / "v")
    save_word_vectors(table(n=6), tmp_path / "w")
    shutil.copy(tmp_path / "w" / "words.npy", tmp_path / "v" / "words.npy")
    with pytest.raises(ValueError, match=r"words\.npy is corrupt: checksum"):
        skparaphrase.load(tmp_path / "v")
