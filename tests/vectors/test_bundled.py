"""The bundled word vectors and word counts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import copy
import json
import pickle
import re

import pytest

import skparaphrase
from skparaphrase.encoders import SIFEncoder
from skparaphrase.search import SemanticSearch
from skparaphrase.storage._folders import write_json
from skparaphrase.vectors import _storage, save_word_vectors
from skparaphrase.vectors._storage import load_word_vectors

TABLES = [
    load_word_vectors,
    lambda: skparaphrase.load_pretrained().vectors,
    lambda: skparaphrase.load_pretrained(dim=64).vectors,
]


@pytest.mark.parametrize("load", TABLES)
def test_pickles_refer_to_it(load):
    vectors = load()
    content = pickle.dumps(vectors)
    assert len(content) < 300
    assert pickle.loads(content) is copy.deepcopy(vectors) is vectors
    whole = vectors.replace(vectors.rows() + 1)
    assert len(pickle.dumps(whole)) > 1e6


def test_saved_models_refer_to_it(tmp_path):
    for dim in (None, 128):
        encoder = skparaphrase.load_pretrained(dim=dim)
        search = SemanticSearch(encoder).fit(["a cat", "a dog"])
        search.save(tmp_path / "search")
        files = [path for path in (tmp_path / "search").rglob("*") if path.is_file()]
        assert sum(path.stat().st_size for path in files) < 10_000
        loaded = skparaphrase.load(tmp_path / "search")
        assert loaded.encoder_.vectors is encoder.vectors
    SIFEncoder(load_word_vectors()).fit(["a cat"]).save(tmp_path / "sif")
    assert skparaphrase.load(tmp_path / "sif").vectors is load_word_vectors()
    save_word_vectors(load_word_vectors(), tmp_path / "vectors")  # a copy
    assert (tmp_path / "vectors" / "matrix.npy").stat().st_size > 1e6


def test_the_table_of_another_version_is_refused(tmp_path, monkeypatch):
    content = pickle.dumps(load_word_vectors())
    SIFEncoder(load_word_vectors()).fit(["a cat"]).save(tmp_path / "sif")
    monkeypatch.setattr(_storage, "_fingerprint", lambda name: 1)
    for read in (
        lambda: pickle.loads(content),
        lambda: skparaphrase.load(tmp_path / "sif"),
    ):
        with pytest.raises(ValueError, match="'skparaphrase:words' of another version"):
            read()


@pytest.mark.parametrize("dim", [0, 257, "64", None, [64]])
def test_references_to_tables_that_cannot_be(tmp_path, dim):
    folder = tmp_path / "encoder"
    skparaphrase.load_pretrained(dim=64).save(folder)
    path = folder / "metadata.json"
    content = json.loads(path.read_text())
    assert content["parameters"]["vectors"]["table"][2] == 64
    content["parameters"]["vectors"]["table"][2] = dim
    del content["crc32"]
    write_json(path, content)
    with pytest.raises(ValueError, match=re.escape(str(folder))):
        skparaphrase.load(folder)
