"""Searches and transforms on workers of Dask."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import ParaphraseEncoder, SIFEncoder
from skparaphrase.metrics import pearson_scorer
from skparaphrase.pairs import PairSimilarity

pytestmark = pytest.mark.integration

PAIRS, GOLD = load_graded_pairs(return_X_y=True)
TEXTS = PAIRS.ravel()


@pytest.fixture(scope="module")
def client():
    """A client of a cluster of two processes with one thread each."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=":0",  # any free port
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_search_on_workers_of_dask_finds_what_one_process_does(client):
    model = make_pipeline(SIFEncoder(), CommonComponentRemoval(), PairSimilarity())
    grid = {
        "sifencoder__a": [1e-1, 1e-3],
        "commoncomponentremoval__n_components": [0, 1],
    }
    search = GridSearchCV(model, grid, scoring=pearson_scorer, cv=2)
    expected = clone(search).fit(PAIRS, GOLD)
    with joblib.parallel_config("dask"):
        found = search.fit(PAIRS, GOLD)
    assert found.best_params_ == expected.best_params_
    for name, values in expected.cv_results_.items():
        if not name.endswith("_time"):
            assert_array_equal(found.cv_results_[name], values)
    assert_array_equal(found.predict(PAIRS), expected.predict(PAIRS))


def test_blocks_on_workers_of_dask_are_bit_identical_to_one_call(client):
    sif = SIFEncoder().fit(TEXTS)
    paragram = ParaphraseEncoder(max_epochs=1, random_state=0, device="cpu")
    paragram.fit(load_paraphrases().data[:50])
    for encoder in (sif, paragram):
        # The encoder is sent to each worker once, not with each block.
        with joblib.parallel_config("dask", scatter=[encoder]):
            found = joblib.Parallel()(
                joblib.delayed(type(encoder).transform)(encoder, block)
                for block in np.array_split(TEXTS, 3)
            )
        assert_array_equal(np.vstack(found), encoder.transform(TEXTS))


def test_partitions_of_a_dask_frame(client, tmp_path):
    dask = pytest.importorskip("dask")
    dataframe = pytest.importorskip("dask.dataframe")
    pytest.importorskip("pyarrow")
    pipeline = make_pipeline(SIFEncoder(), CommonComponentRemoval())
    pipeline.fit(TEXTS).set_output(transform="pandas")
    frame = pd.DataFrame({"text": pd.Series(TEXTS, dtype="string")})
    texts = dataframe.from_pandas(frame, npartitions=3)["text"]

    vectors = texts.map_partitions(
        lambda part, pipeline: pipeline.transform(part),
        dask.delayed(pipeline),
        meta=pipeline.transform(frame["text"].head(0)),
    )
    vectors.to_parquet(tmp_path / "vectors", write_index=False)

    files = sorted((tmp_path / "vectors").glob("*.parquet"))
    assert len(files) == 3
    found = pd.concat(pd.read_parquet(file) for file in files)
    expected = pipeline.transform(frame["text"])
    assert list(found.columns) == list(pipeline.get_feature_names_out())
    assert set(found.dtypes) == {np.dtype(np.float32)}
    assert_allclose(found, expected, rtol=0, atol=1e-6)
