"""Searches and transforms on workers of Dask and Ray."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import load_paraphrases, load_similarity
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import ParagramEncoder, SIFEncoder
from skparaphrase.metrics import pearson_scorer
from skparaphrase.pairs import PairSimilarity
from skparaphrase.vectors import WordVectors

pytestmark = pytest.mark.integration

PAIRS, GOLD = load_similarity(return_X_y=True)
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


@pytest.mark.parametrize("blocks", [3, 7])
def test_blocks_on_workers_of_dask_are_bit_identical_to_one_call(client, blocks):
    sif = SIFEncoder().fit(TEXTS)
    paragram = ParagramEncoder(max_epochs=1, random_state=0, device="cpu")
    paragram.fit(load_paraphrases().data[:50])
    for encoder in (sif, paragram):
        # The encoder goes to each worker once, not along with each block.
        with joblib.parallel_config("dask", scatter=[encoder]):
            found = joblib.Parallel()(
                joblib.delayed(type(encoder).transform)(encoder, block)
                for block in np.array_split(TEXTS, blocks)
            )
        assert_array_equal(np.vstack(found), encoder.transform(TEXTS))


def test_scattered_encoder_is_not_sent_with_each_task(client):
    # Counted by how often workers unpickle the table of vectors.
    def begin_to_count():
        original = WordVectors.__setstate__

        def counting(self, state):
            WordVectors.n_unpickled += 1
            original(self, state)

        WordVectors.n_unpickled = 0
        WordVectors.__setstate__ = counting

    words = [f"word{i}" for i in range(50)]
    vectors = WordVectors(words, np.random.default_rng(0).normal(size=(50, 4)))
    encoder = SIFEncoder(vectors).fit(words)
    client.run(begin_to_count)
    with joblib.parallel_config("dask", scatter=[encoder]):
        found = joblib.Parallel(batch_size=1)(
            joblib.delayed(SIFEncoder.transform)(encoder, [word]) for word in words
        )
    assert_array_equal(np.vstack(found), encoder.transform(words))
    counts = client.run(lambda: WordVectors.n_unpickled)
    assert 2 <= sum(counts.values()) <= 4  # a broadcast may reach a worker twice


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


# Ray -------------------------------------------------------------------------------

RAY = """
import joblib, numpy as np, ray
from ray.util.joblib import register_ray
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from skparaphrase.datasets import load_similarity
from skparaphrase.encoders import SIFEncoder
from skparaphrase.metrics import pearson_scorer
from skparaphrase.pairs import PairSimilarity

ray.init(num_cpus=2, include_dashboard=False, object_store_memory=80_000_000)
register_ray()
pairs, gold = load_similarity(return_X_y=True)
grid = {"sifencoder__a": [1e-1, 1e-3]}
model = make_pipeline(SIFEncoder(), PairSimilarity())
search = GridSearchCV(model, grid, scoring=pearson_scorer, cv=2)
expected = search.fit(pairs, gold).cv_results_["mean_test_score"]
texts = pairs.ravel()
encoder = SIFEncoder().fit(texts)
blocks = np.array_split(texts, 3)
with joblib.parallel_config("ray", n_jobs=2):
    found = search.fit(pairs, gold).cv_results_["mean_test_score"]
    parts = joblib.Parallel()(joblib.delayed(encoder.transform)(b) for b in blocks)
np.testing.assert_array_equal(found, expected)
np.testing.assert_array_equal(np.vstack(parts), encoder.transform(texts))
ray.shutdown()
print("equal")
"""


def test_workers_of_ray_find_what_one_process_does(tmp_path):
    # In a separate process: Ray replaces the pools of joblib.
    pytest.importorskip("ray")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RAY],
        cwd=tmp_path,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "equal"
