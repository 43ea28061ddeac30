"""Encoders of the papers on real STS data, as in benchmarks/wieting_encoders.py."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import read_pairs, read_scored_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    CharagramEncoder,
    ConvolutionalEncoder,
    DeepAveragingEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    ParagramEncoder,
    ProjectionEncoder,
)
from skparaphrase.metrics import STSScorer, pearson_score
from skparaphrase.pairs import LastAxisUnion, PairSimilarity
from skparaphrase.vectors import WordVectors

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


def corpus(name):
    columns = ("word1", "word2") if "lexical" in name else ("sentence1", "sentence2")
    return read_pairs(DATA / f"data/paraphrase/{name}.tsv", columns=columns).data


@pytest.fixture(scope="module")
def lexical():
    return corpus("ppdb-lexical")


@pytest.fixture(scope="module")
def sentences():
    pairs = np.concatenate([corpus(n) for n in ("flickr8k", "rewrites", "msrp")])
    return pairs[np.random.RandomState(0).permutation(len(pairs))]


@pytest.fixture(scope="module")
def paraphrases(lexical, sentences):
    pairs = np.concatenate([lexical, sentences])
    return pairs[np.random.RandomState(0).permutation(len(pairs))]


def means(scores):
    """Pearson x 100: 2012, 2013, 2014, and the mean of the three."""
    years = [
        100 * np.mean([s for name, s in scores.items() if name.startswith(year)])
        for year in ("2012", "2013", "2014")
    ]
    return np.array([*years, np.mean(years)])


@pytest.fixture(scope="module")
def paragram(vectors, paraphrases):
    encoder = ParagramEncoder(vectors, learning_rate=0.01, max_epochs=4, random_state=0)
    return encoder.fit(paraphrases)


@pytest.fixture(scope="module")
def charagram(paraphrases):
    return CharagramEncoder(max_epochs=2, random_state=0).fit(paraphrases)


def test_charagram_reaches_its_target_without_word_vectors(datasets, charagram):
    scores = means(STSScorer(datasets)(charagram))
    assert (scores[:3] >= [58.5, 58.0, 69.5]).all(), scores


@pytest.mark.parametrize(
    "encoder",
    [
        ProjectionEncoder(learning_rate=0.0002, max_epochs=3),
        DeepAveragingEncoder(learning_rate=0.005, max_epochs=3),
        IdentityRNNEncoder(learning_rate=0.0005, max_epochs=1),
    ],
    ids=lambda encoder: type(encoder).__name__,
)
def test_layers_on_the_average_keep_up_with_pp(
    encoder, datasets, vectors, paraphrases, paragram
):
    encoder.set_params(vectors=vectors, random_state=0).fit(paraphrases)
    score = STSScorer(datasets)
    assert means(score(encoder))[3] >= means(score(paragram))[3] - 1.5


def test_convolutions_beat_pp_on_2012(datasets, vectors, paraphrases, paragram):
    encoder = ConvolutionalEncoder(
        vectors, learning_rate=0.0003, max_epochs=1, random_state=0
    ).fit(paraphrases)
    score = STSScorer(datasets)
    assert means(score(encoder))[0] > means(score(paragram))[0]


def test_without_output_gate_is_better_after_words(
    datasets, vectors, lexical, sentences
):
    """The published order, which needs short texts first, as PPDB has them."""
    scores = {}
    for output_gate in (False, True):
        options = {"output_gate": output_gate, "batch_size": 50, "random_state": 0}
        words = LSTMEncoder(vectors, max_epochs=3, **options).fit(lexical)
        encoder = LSTMEncoder(vectors, max_epochs=1, init=words, **options)
        encoder.fit(sentences[:8000])
        scores[output_gate] = means(STSScorer(datasets)(encoder))[3]
    assert scores[False] > scores[True]


def test_union_of_words_and_characters_beats_both(
    datasets, vectors, paraphrases, charagram
):
    words = ParagramEncoder(
        vectors,
        weighting="sif",
        loss="infonce",
        batch_size=256,
        learning_rate=0.01,
        max_epochs=2,
        random_state=0,
    ).fit(paraphrases)
    member = {
        name: make_pipeline(FrozenEstimator(encoder), CommonComponentRemoval())
        for name, encoder in (("words", words), ("characters", charagram))
    }
    union = LastAxisUnion(list(member.items()), weights={"characters": 0.5})

    def score(step):
        scores = {}
        for name, (pairs, gold) in datasets.items():
            model = make_pipeline(step, PairSimilarity()).fit(pairs)
            scores[name] = pearson_score(gold, model.predict(pairs))
        return means(scores)[3]

    best = max(score(member["words"]), score(member["characters"]))
    assert score(union) >= best + 0.4
