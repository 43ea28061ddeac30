"""Shared fixtures: small vectors, encoders, texts and pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
import torch
from hypothesis import settings
from packaging.version import Version
from pyarrow import parquet
from pyarrow.dataset import dataset

from skparaphrase import _core, load_pretrained
from skparaphrase.datasets import load_graded_pairs, load_word_vectors
from skparaphrase.encoders import (
    AverageEncoder,
    ParaphraseEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.networks._convolutions import WIDTHS
from skparaphrase.supervision._examples import Examples
from skparaphrase.vectors import WordFrequencies, WordVectors

sys.path.append(str(Path(__file__).parent))  # of facades, plain_words, registry

settings.register_profile("skparaphrase", deadline=None)
settings.load_profile("skparaphrase")

WORDS = [f"w{i}" for i in range(40)]


def pytest_collection_modifyitems(items):
    """Skip tests and docstrings that use callbacks before scikit-learn 1.9."""
    if Version(sklearn.__version__) >= Version("1.9"):
        return
    skip = pytest.mark.skip(reason="callbacks need scikit-learn 1.9 or later")
    for item in items:
        if item.get_closest_marker("callbacks") or item.path.name == "callback.py":
            item.add_marker(skip)


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """Tensors are small here, and the test processes need the processors."""
    torch.set_num_threads(1)


@pytest.fixture(scope="module", params=["compiled", "plain"])
def core(request):
    """Make the package use each core in turn."""
    if request.param == "compiled" and not _core.COMPILED:
        pytest.skip("the compiled core is not in use")
    for table in (load_word_vectors(), load_pretrained().vectors):
        assert table.index is not None  # made by the core that other tests use
    module = import_module(f"skparaphrase._core._{request.param}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, "core", module)
        yield module


@pytest.fixture
def vectors():
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 6)).astype(np.float32)
    return WordVectors(WORDS, matrix + 1)


@pytest.fixture
def sentences():
    rng = np.random.default_rng(1)
    return [" ".join(rng.choice(WORDS, size=rng.integers(1, 6))) for _ in range(30)]


@pytest.fixture
def pairs(sentences):
    rng = np.random.default_rng(2)
    return [
        (
            text,
            " ".join(rng.permutation([*text.split()[1:], *rng.choice(WORDS, i % 4)])),
        )
        for i, text in enumerate(sentences)
    ]


@pytest.fixture
def columns(pairs):
    """Two columns of texts, none of them empty, and one of numbers."""
    first, second = zip(*pairs, strict=True)
    body = [text or "w39" for text in second]
    return {"title": list(first), "body": body, "n": np.arange(30.0)}


@pytest.fixture
def gold(pairs):
    return np.array(
        [
            5 * len({*first.split()} & {*second.split()}) / len(first.split())
            for first, second in pairs
        ]
    )


@pytest.fixture(scope="session")
def graded():
    """Real pairs and their scores."""
    pairs, gold = load_graded_pairs(return_X_y=True)
    return pairs[:80], gold[:80]


@pytest.fixture
def narrow(monkeypatch):
    """Interaction networks with few channels."""
    for max_words, widths in WIDTHS.items():
        monkeypatch.setitem(WIDTHS, max_words, (6, 7, 8, 7, 6, 8)[: len(widths)])


@pytest.fixture
def double(narrow, monkeypatch):
    """Narrow grid networks that get the cube in double precision."""
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)


@pytest.fixture
def splits(monkeypatch):
    """The training and validation examples of each fit."""

    parts, split = [], Examples.split

    def spy(self, *args):
        parts.append(split(self, *args))
        return parts[-1]

    monkeypatch.setattr(Examples, "split", spy)
    return parts


@pytest.fixture
def close_figures():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


@pytest.fixture
def frame(pairs):
    table = pd.DataFrame(pairs, columns=["sentence1", "sentence2"])
    return table.assign(n=np.arange(30.0))


FREQUENCIES = WordFrequencies({f"w{i}": 2 ** (i % 12) for i in range(35)})


@pytest.fixture
def encoders(vectors):
    return {
        "average": AverageEncoder(vectors),
        "tfidf": TfidfEncoder(vectors),
        "sif": SIFEncoder(vectors, frequencies=FREQUENCIES),
        "corpus": SIFEncoder(vectors, frequencies="corpus"),
        "paragram": ParaphraseEncoder(
            vectors,
            max_epochs=1,
            batch_size=30,
            device="cpu",
            random_state=0,
        ),
    }


@pytest.fixture
def tfidf(vectors):
    return TfidfEncoder(vectors)  # fitted on its texts, so folds differ


@pytest.fixture(params=["average", "tfidf", "sif", "corpus", "paragram"])
def encoder(request, encoders):
    return encoders[request.param]


@pytest.fixture
def to_parquet(tmp_path):
    """Writes rows to a dataset of files of several row groups."""

    def write(rows):
        cells = np.array(rows, dtype=object)
        columns = cells.reshape(len(rows), -1).T.tolist() if len(rows) else [[]]
        table = pa.table(
            [pa.array(c, pa.string()) for c in columns], [*"abcd"][: len(columns)]
        )
        folder = tmp_path / f"rows {len([*tmp_path.iterdir()])}"
        folder.mkdir()
        for start in range(0, len(rows) or 1, 17):
            path = folder / f"{start:05}.parquet"
            parquet.write_table(table.slice(start, 17), path, row_group_size=5)
        return dataset(folder)

    return write


@pytest.fixture
def file(tmp_path):
    """Writes a file of text or bytes, and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
