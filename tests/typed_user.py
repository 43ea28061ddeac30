"""The package's types in a user's file; `test_release.py` checks it with mypy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import skparaphrase
from skparaphrase.callback import ScoreMonitor
from skparaphrase.datasets import load_graded_pairs, load_word_vectors
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    DistilledEncoder,
    LSTMEncoder,
    ParaphraseEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.losses import BaseLoss, CoSENTLoss, InfoNCELoss, MarginLoss
from skparaphrase.metrics import STSScorer, pearson_score
from skparaphrase.optimizers import Optimizer
from skparaphrase.pairs import PairFeatures, PairSimilarity
from skparaphrase.search import NearDuplicates, SemanticSearch, mine_hard_negatives
from skparaphrase.supervised import (
    PairClassifier,
    PairwiseInteractionRegressor,
    SequenceTagger,
    SimilarityRegressor,
    TextClassifier,
)
from skparaphrase.text import WordTokenizer
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    apply_sif_weights,
    import_word_vectors,
    nearest_words,
    read_word_vectors,
    remove_mean,
    save_word_vectors,
)

Texts = list[str]
Pairs = list[tuple[str, str]]


def use_tables(path: Path, texts: Texts) -> None:
    vectors = assert_type(read_word_vectors(path, limit=10), WordVectors)
    save_word_vectors(vectors, path)
    assert_type(import_word_vectors(path), WordVectors)
    assert_type(load_word_vectors(), WordVectors)
    assert_type(remove_mean(vectors).astype("float16"), WordVectors)
    assert_type(apply_sif_weights(vectors, {"cat": 1}).is_weighted, bool)
    assert_type(vectors.words, list[str])
    assert_type(vectors.words[0], str)
    assert_type(vectors.index.get("cat"), int | None)
    assert_type(vectors.scale, NDArray[np.float32] | None)
    assert_type(vectors["cat"], NDArray[np.float32])
    assert_type(nearest_words(vectors, "cat"), list[tuple[str, float]])
    batch = assert_type(vectors.encode(texts, WordTokenizer()), TokenBatch)
    assert_type(batch[0], NDArray[np.int32])
    assert_type(batch.lengths, NDArray[np.int64])
    assert_type(WordFrequencies({"cat": 1}).total, int)


def use_encoders(texts: Texts, pairs: Pairs) -> None:
    pretrained = assert_type(skparaphrase.load_pretrained(), AverageEncoder)
    assert_type(pretrained.transform(texts), NDArray[np.float32])
    assert_type(skparaphrase.similarity("a", "b"), float)
    assert_type(skparaphrase.similarity(texts, texts), NDArray[np.floating])
    sif = assert_type(SIFEncoder(a=1e-4).fit(texts), SIFEncoder)
    assert_type(sif.fit_transform(texts), NDArray[np.float32])
    assert_type(TfidfEncoder().fit(texts).unknown_weight_, float)
    distilled = assert_type(DistilledEncoder().fit(texts, [[1.0]]), DistilledEncoder)
    assert_type(distilled.vectors_, WordVectors)
    encoder = assert_type(ParaphraseEncoder.paper("ppdb-xl"), ParaphraseEncoder)
    assert_type(encoder.fit(pairs), ParaphraseEncoder)
    assert_type(encoder.partial_fit(pairs), ParaphraseEncoder)
    assert_type(encoder.vectors_, WordVectors)
    lstm = LSTMEncoder(loss=MarginLoss(0.3), optimizer=Optimizer("adam"))
    assert_type(lstm.fit(pairs).parameters_, dict[str, NDArray[Any]])
    losses: list[BaseLoss] = [MarginLoss(margin=0.6), InfoNCELoss(0.05), CoSENTLoss()]
    assert_type(losses[0].learns_from, frozenset[str])
    removal = assert_type(CommonComponentRemoval().fit([[1.0]]), CommonComponentRemoval)
    assert_type(removal.components_, NDArray[np.floating])
    monitor = ScoreMonitor(STSScorer(load_graded_pairs(return_X_y=True)))
    assert_type(monitor.scores_, list[dict[str, float]])


def use_models(texts: Texts, pairs: Pairs, scores: list[float], folder: Path) -> None:
    model = assert_type(SimilarityRegressor().fit(pairs, scores), SimilarityRegressor)
    assert_type(model.head_, dict[str, NDArray[np.float32]])
    assert_type(model.predict(pairs), NDArray[Any])
    assert_type(model.save(folder), None)
    assert_type(pearson_score(scores, model.predict(pairs)), float)
    classifier = assert_type(PairClassifier.paper().fit(pairs, scores), PairClassifier)
    assert_type(classifier.classes_, NDArray[Any])
    assert_type(classifier.predict_proba(pairs), NDArray[np.float64])
    assert_type(TextClassifier().fit(texts, scores), TextClassifier)
    assert_type(SequenceTagger().fit([texts], [texts]), SequenceTagger)
    interaction = PairwiseInteractionRegressor().fit(pairs, scores)
    assert_type(interaction, PairwiseInteractionRegressor)
    search = assert_type(SemanticSearch().fit(texts), SemanticSearch)
    assert_type(search.remove([0]).upsert(texts), SemanticSearch)
    assert_type(len(search), int)
    assert_type(mine_hard_negatives([("a", "b")], texts), NDArray[np.object_])
    assert_type(NearDuplicates().fit(texts).labels_, NDArray[np.intp])
    assert_type(PairSimilarity().predict([[[1.0], [1.0]]]), NDArray[np.floating])
    assert_type(PairFeatures().fit([[[1.0], [1.0]]]), PairFeatures)


def any_on_purpose(model: PairClassifier, folder: Path) -> None:
    """Encoders of other packages, estimators of any class, classes without types."""
    assert_type(skparaphrase.load(folder), Any)
    assert_type(load_graded_pairs(), Any)  # scikit-learn's Bunch
    assert_type(model.encoder_, Any)
