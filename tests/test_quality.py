"""Figures on real STS data, as in benchmarks/sts.py, against their targets."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from pathlib import Path

import numpy as np
import pytest

from skparaphrase.datasets import (
    load_word_frequencies,
    load_word_vectors,
    read_pairs,
    read_scored_pairs,
)
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, ParagramEncoder, SIFEncoder
from skparaphrase.metrics import STSScorer
from skparaphrase.vectors import WordFrequencies, WordVectors

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared"))

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not (DATA / "data/sts").is_dir(), reason=f"no evaluation data under {DATA}"
    ),
]


@pytest.fixture(scope="module")
def datasets():
    paths = sorted((DATA / "data/sts").glob("201[234].*.tsv"))
    return {path.stem: read_scored_pairs(path, return_X_y=True) for path in paths}


@pytest.fixture(scope="module")
def vectors():
    return WordVectors.read(DATA / "vectors/minilm-words.300d.bin")


@pytest.fixture(scope="module")
def counts():
    path = DATA / "data/frequencies/enwiki_vocab_min200.txt"
    return WordFrequencies.read(path)


@pytest.fixture(scope="module")
def paraphrases():
    columns = {"ppdb-lexical": ("word1", "word2")}
    return np.concatenate(
        [
            read_pairs(
                path, columns=columns.get(path.stem, ("sentence1", "sentence2"))
            ).data
            for path in sorted((DATA / "data/paraphrase").glob("*.tsv"))
        ]
    )


def means(encoder, datasets, n_components=0):
    """Pearson x 100: 2012, 2013, 2014, and the mean of the three."""
    scorer = STSScorer(datasets, postprocess=CommonComponentRemoval(n_components))
    scores = scorer(encoder)
    years = [
        100 * np.mean([s for name, s in scores.items() if name.startswith(year)])
        for year in ("2012", "2013", "2014")
    ]
    return np.array([*years, np.mean(years)])


def test_all_sts_sets_are_there(datasets):
    assert len(datasets) == 14
    assert sum(len(gold) for _, gold in datasets.values()) == 8358


def test_weights_help_removal_helps_and_both_help_most(datasets, vectors, counts):
    average = AverageEncoder(vectors)
    for frequencies in (counts, counts.fill_from(load_word_frequencies())):
        sif = SIFEncoder(vectors, frequencies=frequencies).fit(["any"])
        plain, removed = means(average, datasets)[3], means(average, datasets, 1)[3]
        weighted, both = means(sif, datasets)[3], means(sif, datasets, 1)[3]
        assert plain + 5 < removed < both - 2
        assert plain + 5 < weighted < both - 2


def test_sif_with_removal_reaches_its_target(datasets, vectors, counts):
    filled = counts.fill_from(load_word_frequencies())
    sif = SIFEncoder(vectors, frequencies=filled).fit(["any"])
    assert (means(sif, datasets, 1)[:3] >= [57.5, 64.5, 69.5]).all()


def test_bundled_vectors_reach_their_target(datasets):
    assert load_word_vectors().dtype == np.int8
    assert (means(SIFEncoder().fit(["any"]), datasets, 1)[:3] >= [57.5, 64, 68]).all()


def test_trained_encoders_reach_their_targets(datasets, vectors, counts, paraphrases):
    filled = counts.fill_from(load_word_frequencies())

    def train(**parameters):
        encoder = ParagramEncoder(
            vectors,
            frequencies=filled,
            learning_rate=0.01,
            random_state=0,
            **parameters,
        )
        return encoder.fit(paraphrases)

    weighted = SIFEncoder(train(max_epochs=3).vectors_, frequencies=filled).fit(["any"])
    assert (means(weighted, datasets, 1)[:3] >= [59.5, 67.5, 72.0]).all()
    assert means(train(weighting="sif", max_epochs=2), datasets, 1)[3] >= 68.0
    best = train(weighting="sif", loss="infonce", batch_size=256, max_epochs=2)
    assert means(best, datasets, 1)[3] >= 69.3
