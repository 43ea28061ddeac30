"""Data on disk, read in blocks, against the same rows in a list."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pyarrow as pa
import pytest
from few_words import with_ngrams
from numpy.testing import assert_allclose, assert_array_equal
from pyarrow import parquet
from pyarrow.dataset import dataset
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CharCNNEncoder,
    DistilledEncoder,
    LSTMEncoder,
    ParaphraseEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.io import transform_to_file
from skparaphrase.supervised import SimilarityRegressor
from skparaphrase.text import _check, check_texts
from skparaphrase.text._stored import is_stored

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(40)]
VECTORS = with_ngrams(WORDS, RNG.randn(40, 8))
TEXTS = [" ".join(RNG.choice([*WORDS, "new", "newer"], 4)) for _ in range(60)]
PAIRS = [[text, TEXTS[i - i % 3]] for i, text in enumerate(TEXTS)]  # some repeat
GOLD = RNG.uniform(size=60)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(_check, "_ROWS", 7)


class Dataset:
    """The methods of a Hugging Face `Dataset` that the package uses."""

    __module__ = "datasets.arrow_dataset"
    num_rows = property(len)

    def __init__(self, table, is_arrow=False):
        self.table, self.is_arrow = table, is_arrow

    def __len__(self):
        return len(self.table)

    def with_format(self, name):
        return Dataset(self.table, name == "arrow")

    def __getitem__(self, rows):
        assert self.is_arrow
        return self.table[rows]


def parquet_file(table, folder):
    parquet.write_table(table, folder / "one.parquet", row_group_size=9)
    return parquet.ParquetFile(folder / "one.parquet")


def scanner(table, folder):
    wide = table.append_column("label", pa.array(range(len(table))))
    parquet.write_table(wide, folder / "wide.parquet")
    return dataset(folder / "wide.parquet").scanner(columns=table.column_names)


def hugging_face(table, folder):
    module = pytest.importorskip("datasets.arrow_dataset")
    return module.Dataset.from_dict(table.to_pydict())


FORMS = {
    "file": parquet_file,
    "scanner": scanner,
    "like datasets": lambda table, folder: Dataset(table),
    "datasets": hugging_face,
}


@pytest.fixture(
    params=[
        *("dataset", "file", "scanner", "like datasets"),
        pytest.param("datasets", marks=pytest.mark.integration),
    ]
)
def stored(request, to_parquet, tmp_path):
    """Writes rows to something that is read in blocks."""
    if request.param == "dataset":
        return to_parquet

    def store(rows):
        columns = np.array(rows, dtype=object).reshape(len(rows), -1).T.tolist()
        table = pa.table(columns, [*"abc"][: len(columns)])
        return FORMS[request.param](table, tmp_path)

    return store


@pytest.mark.parametrize("rows", [TEXTS, PAIRS], ids=["texts", "pairs"])
def test_rows_are_read_in_blocks(stored, rows, tmp_path):
    X, encoder = stored(rows), AverageEncoder(VECTORS)
    assert is_stored(X)
    assert check_texts(X).tolist() == rows
    assert check_texts(X).tolist() == rows  # read again
    expected = encoder.transform(rows)
    assert_array_equal(encoder.transform(X), expected)
    path = tmp_path / "x.npy"
    assert_array_equal(transform_to_file(encoder, X, path, block_size=8), expected)


@pytest.mark.parametrize(
    "encoder",
    [
        AverageEncoder(VECTORS),
        TfidfEncoder(VECTORS),
        SIFEncoder(VECTORS),
        SIFEncoder(VECTORS, frequencies="corpus"),
        ParaphraseEncoder(VECTORS, validation_fraction=0.2),
        LSTMEncoder(VECTORS, dim=4),
        CharagramEncoder(dim=4, min_count=2),
        CharCNNEncoder(dim=4),
    ],
    ids=lambda encoder: type(encoder).__name__,
)
@pytest.mark.filterwarnings("ignore:AverageEncoder learns nothing")
def test_fits_are_those_of_a_list(encoder, stored):
    if hasattr(encoder, "max_epochs"):
        encoder.set_params(max_epochs=2, batch_size=9, random_state=0, device="cpu")
    expected, found = clone(encoder).fit(PAIRS), clone(encoder).fit(stored(PAIRS))
    assert_array_equal(found.transform(TEXTS), expected.transform(TEXTS))
    assert getattr(found, "loss_curve_", 0) == getattr(expected, "loss_curve_", 0)
    assert getattr(found, "added_words_", 0) == getattr(expected, "added_words_", 0)


@pytest.mark.parametrize("model", ["teacher", "distilled", "regressor", "pipeline"])
def test_other_models_take_data_on_disk(model, to_parquet):
    settings = {"max_epochs": 1, "random_state": 0, "device": "cpu"}
    teacher = np.random.RandomState(1).randn(60, 2, 5)
    model, y = {
        "teacher": (ParaphraseEncoder(VECTORS, **settings), teacher),
        "distilled": (DistilledEncoder(VECTORS, dim=4), teacher),
        "regressor": (
            SimilarityRegressor(ParaphraseEncoder(VECTORS), **settings),
            GOLD,
        ),
        "pipeline": (
            make_pipeline(SIFEncoder(VECTORS), CommonComponentRemoval()),
            None,
        ),
    }[model]
    X = to_parquet(PAIRS)
    expected, found = clone(model).fit(PAIRS, y), clone(model).fit(X, y)
    name = "predict" if hasattr(model, "predict") else "transform"
    assert_array_equal(getattr(found, name)(PAIRS), getattr(expected, name)(PAIRS))
    assert_allclose(getattr(found, name)(X), getattr(found, name)(PAIRS), atol=1e-6)


@pytest.mark.integration
def test_columns_of_datasets():
    module = pytest.importorskip("datasets.arrow_dataset")
    data = module.Dataset.from_dict({"text": TEXTS, "label": [0, 1] * 30})
    for rows in (data, data.select(range(59, 9, -1))):
        X, y, texts = rows["text"], rows["label"], list(rows["text"])
        assert is_stored(X)
        assert check_texts(X).tolist() == texts
        settings = {"max_epochs": 1, "random_state": 0, "device": "cpu"}
        expected = ParaphraseEncoder(VECTORS, **settings).fit(texts, list(y))
        found = ParaphraseEncoder(VECTORS, **settings).fit(X, y)
        assert_array_equal(found.transform(texts), expected.transform(texts))


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([*TEXTS[:20], None, "a"], ValueError, "at index 20 is None.*Drop missing"),
        ([*PAIRS[:30], ["a", None]], ValueError, r"at index \(30, 1\) is None"),
        ([["a"] * 4] * 3, ValueError, r"got shape \(\d+, 4\)"),
        ([], ValueError, "Found 0 samples"),
    ],
)
def test_errors_name_the_index_in_the_whole(rows, error, message, to_parquet):
    for encoder in (SIFEncoder(VECTORS), ParaphraseEncoder(VECTORS)):
        with pytest.raises(error, match=message):
            encoder.fit(to_parquet(rows))


def test_no_rows(to_parquet, tmp_path):
    X, encoder = to_parquet([]), AverageEncoder(VECTORS)
    assert encoder.transform(X).shape == (0, 8)
    assert transform_to_file(encoder, X, tmp_path / "x.npy").shape == (0, 8)
