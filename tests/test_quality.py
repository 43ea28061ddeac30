"""Figures on real data, as in benchmarks/, against their targets."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.frozen import FrozenEstimator

from skparaphrase import load_pretrained
from skparaphrase.datasets import load_word_frequencies, read_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    ParaphraseEncoder,
    SIFEncoder,
)
from skparaphrase.losses import InfoNCELoss
from skparaphrase.metrics import STSScorer, pearson_scorer
from skparaphrase.supervised import (
    PairClassifier,
    PairwiseInteractionRegressor,
    SequenceTagger,
    SimilarityRegressor,
)
from skparaphrase.vectors import (
    WordFrequencies,
    apply_sif_weights,
    read_word_vectors,
    remove_mean,
)

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared"))

# Trainings on tens of thousands of pairs, 20 to 60 s each, whose bounds need as many.
SLOW = pytest.mark.slow
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not (DATA / "data/sts").is_dir(), reason=f"no evaluation data under {DATA}"
    ),
]


@pytest.fixture(scope="module")
def datasets():
    paths = sorted((DATA / "data/sts").glob("201[234].*.tsv"))
    return {
        path.stem: read_pairs(path, score="score", return_X_y=True) for path in paths
    }


@pytest.fixture(scope="module")
def vectors():
    return read_word_vectors(DATA / "vectors/minilm-words.300d.bin")


@pytest.fixture(scope="module")
def counts():
    path = DATA / "data/frequencies/enwiki_vocab_min200.txt"
    return WordFrequencies.read(path)


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
def shuffled(lexical, sentences):
    pairs = np.concatenate([lexical, sentences])
    return pairs[np.random.RandomState(0).permutation(len(pairs))]


@pytest.fixture(scope="module")
def paraphrases():
    paths = sorted((DATA / "data/paraphrase").glob("*.tsv"))
    return np.concatenate([corpus(path.stem) for path in paths])


def means(encoder, datasets, n_components=0):
    """Pearson x 100: 2012, 2013, 2014, and the mean of the three."""
    scorer = STSScorer(datasets, postprocess=CommonComponentRemoval(n_components))
    return year_means(scorer(encoder))


def year_means(scores):
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
    plain, removed = means(average, datasets)[3], means(average, datasets, 1)[3]
    for frequencies in (counts, counts.fill_from(load_word_frequencies())):
        sif = SIFEncoder(vectors, frequencies=frequencies).fit(["any"])
        weighted, both = means(sif, datasets)[3], means(sif, datasets, 1)
        assert plain + 5 < removed < both[3] - 2
        assert plain + 5 < weighted < both[3] - 2
    assert (both[:3] >= [57.5, 64.5, 69.5]).all()


def test_the_pretrained_encoder_is_above_the_bundled_vectors(datasets):
    removed = means(SIFEncoder().fit(["any"]), datasets, 1)
    assert (removed[:3] >= [57.5, 64, 68]).all()
    pretrained = load_pretrained()
    assert (means(pretrained, datasets) > removed + np.array([2, 0.5, 1, 1.5])).all()
    assert (means(pretrained, datasets, 1) > removed + np.array([3, 1, 1, 2.5])).all()


@SLOW
def test_trained_encoders_reach_their_targets(datasets, vectors, counts, paraphrases):
    filled = counts.fill_from(load_word_frequencies())

    trained = margin_averages(vectors, max_epochs=3).fit(paraphrases)
    weighted = SIFEncoder(trained.vectors_, frequencies=filled).fit(["any"])
    assert (means(weighted, datasets, 1)[:3] >= [59.5, 67.5, 72.0]).all()
    table = apply_sif_weights(remove_mean(vectors), filled)
    from_sif = margin_averages(table, max_epochs=2).fit(paraphrases)
    assert means(from_sif, datasets, 1)[3] >= 68.0
    best = infonce_averages(table).fit(paraphrases)
    assert means(best, datasets, 1)[3] >= 69.3


def margin_averages(vectors, **parameters):
    """PP with the setting of the paper, except for sparse updates and their rate."""
    return ParaphraseEncoder.paper(
        vectors=vectors,
        optimizer__sparse=True,
        learning_rate=0.01,
        random_state=0,
        **parameters,
    )


def infonce_averages(vectors):
    loss = InfoNCELoss(keep=0.0, mask_known=False)
    return margin_averages(vectors, loss=loss, batch_size=256, max_epochs=2)


@pytest.fixture(scope="module")
def paragram(vectors, shuffled):
    return margin_averages(vectors, max_epochs=4).fit(shuffled)


@SLOW
def test_defaults_keep_what_the_start_knows(datasets, shuffled):
    before, after = load_pretrained(), ParaphraseEncoder(random_state=0).fit(shuffled)
    assert means(after, datasets)[3] >= means(before, datasets)[3] - 0.3


@pytest.fixture(scope="module")
def charagram(shuffled):
    encoder = CharagramEncoder.paper(
        optimizer__sparse=True, max_epochs=2, random_state=0
    )
    return encoder.fit(shuffled)


@SLOW
def test_charagram_reaches_its_target_without_word_vectors(datasets, charagram):
    scores = means(charagram, datasets)
    assert (scores[:3] >= [58.5, 58.0, 69.5]).all(), scores


@pytest.fixture(scope="module")
def sick():
    return {
        name: read_pairs(DATA / f"data/sick/{name}.tsv", score="score", return_X_y=True)
        for name in ("train", "dev", "test")
    }


def fit_and_score(model, parts):
    X_val, y_val = parts["dev"]
    model.fit(*parts["train"], X_val=X_val, y_val=y_val)
    scorer = pearson_scorer if is_regressor(model) else type(model).score
    return scorer(model, *parts["test"])


@SLOW
def test_relatedness_reaches_its_targets(sick, vectors, paragram):
    prior = FrozenEstimator(paragram)
    models = {
        "plain": SimilarityRegressor(ParaphraseEncoder(vectors)),
        "universal": SimilarityRegressor(init=prior),
        "frozen": SimilarityRegressor(prior),
        "projected": SimilarityRegressor(prior, projection_dim=600),
        "defaults": SimilarityRegressor(),
    }
    scores = {
        name: fit_and_score(model.set_params(random_state=0), sick)
        for name, model in models.items()
    }
    assert scores["defaults"] >= 0.872, scores
    assert scores["plain"] >= 0.845, scores
    assert scores["universal"] > scores["plain"], scores
    assert scores["frozen"] >= 0.80, scores
    assert scores["projected"] > scores["frozen"], scores


@SLOW
def test_entailment_reaches_its_target(vectors):
    parts = {
        name: read_pairs(
            DATA / f"data/sick/{name}.tsv", label="entailment", return_X_y=True
        )
        for name in ("train", "dev", "test")
    }
    model = PairClassifier(ParaphraseEncoder(vectors), max_epochs=6, random_state=0)
    assert fit_and_score(model, parts) >= 0.825


@pytest.mark.filterwarnings("ignore:.* more than max_words=32 words")
@SLOW
def test_interaction_of_words_in_context(sick, vectors):
    X, y = sick["train"]
    model = PairwiseInteractionRegressor(
        vectors, max_epochs=3, levels=range(1, 6), random_state=0
    )
    model.fit(X[::2], y[::2])
    r = pearson_scorer(model, *(of[::4] for of in sick["test"]))
    assert r >= 0.80, r  # without context, after 8 epochs of all pairs: 0.76


def read_tagged(name, tag):
    header, *lines = (DATA / f"data/pos/{name}.tsv").read_text("utf-8").split("\n")
    columns = [header.split("\t").index(column) for column in ("token", tag)]
    sentences = [[*rows] for filled, rows in groupby(lines, bool) if filled]
    return [
        [[row.split("\t")[column] for row in rows] for rows in sentences]
        for column in columns
    ]


@SLOW
def test_tagger_knows_most_words_after_two_epochs():
    train, test = read_tagged("train", "xpos"), read_tagged("dev", "xpos")
    tagger = SequenceTagger(
        optimizer="adam", learning_rate=0.003, max_epochs=2, random_state=0
    )
    assert tagger.fit(*train).score(*test) > 0.90  # most frequent tags: 0.839
