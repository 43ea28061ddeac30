"""Tiny fitted encoders and models by name, and their outputs for texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase import encoders
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder, SIFEncoder
from skparaphrase.search import SemanticSearch
from skparaphrase.supervised import (
    PairClassifier,
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
    SequenceTagger,
    SimilarityRegressor,
    TextClassifier,
)
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors, fit_subwords

sys.path.append(str(Path(__file__).parents[1]))
import registry

WORDS = ["a", "the", "cat", "dog", "sleeps", "barks", "\ud800", "na\u00efve", ""]
TEXTS = ["a cat sleeps", "the dog barks", "", "unknown well-known", "\ud800 na\u00efve"]
PAIRS = [("a cat", "the cat"), ("dog barks", "a dog barks"), ("sleeps", "cat sleeps")]
SENTENCES = [text.split() for text, _ in PAIRS]
ONCE = {"max_epochs": 1, "random_state": 0, "device": "cpu"}


@cache
def table():
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 5))
    return WordVectors(WORDS, matrix.astype(np.float32))


@cache
def subword_table():
    return fit_subwords(table(), n_rows=16).astype("int8")


def averages():
    """For each kind of tokenizer and of table."""
    tokenizers = [None, WordTokenizer("ptb"), WordTokenizer(r"\S+", lowercase=False)]
    return [
        AverageEncoder(vectors, tokenizer=tokenizer)
        for vectors in (table(), subword_table())
        for tokenizer in tokenizers
    ]


def trained(Encoder, **params):
    return [registry.small(Encoder, table(), **params).fit(PAIRS)]


def distilled():
    teacher = AverageEncoder(table()).transform(TEXTS)
    encoder = encoders.DistilledEncoder(subword_table(), dim=None, n_subwords=None)
    return [encoder.fit(TEXTS, teacher)]


def pipeline():
    steps = SIFEncoder(subword_table()), CommonComponentRemoval(n_components=2)
    return [make_pipeline(*steps).fit([text for pair in PAIRS for text in pair])]


PARAMETERS = {
    "ParaphraseEncoder": {"loss": "infonce"},
    "DeepAveragingEncoder": {"n_layers": 2},
}
ENCODERS = {
    **{
        name: partial(trained, Encoder, **PARAMETERS.get(name, {}))
        for name, Encoder in registry.ENCODERS.items()
    },
    "AverageEncoder": averages,
    "TfidfEncoder": lambda: [encoders.TfidfEncoder(subword_table()).fit(TEXTS)],
    "SIFEncoder": lambda: [
        SIFEncoder(subword_table(), frequencies=frequencies).fit(PAIRS)
        for frequencies in ({"a": 5, "the": 9}, "corpus")
    ],
    "DistilledEncoder": distilled,
    "load_pretrained": lambda: [skparaphrase.load_pretrained()],
    "make_pipeline": pipeline,
}


def paragram():
    return ParaphraseEncoder(subword_table(), **ONCE)


def as_pairs(texts):
    return list(zip(texts, texts[1:] + texts[:1], strict=True))


def fitting_data(name, texts):
    """The training data of a model."""
    X = texts if name in ("TextClassifier", "SemanticSearch") else as_pairs(texts)
    y = [i % 2 for i in range(len(texts))]
    if name == "SequenceTagger":
        y = [[number, 1 - number] for number in y]
    elif name == "DistilledEncoder":
        y = np.random.default_rng(0).normal(size=(len(texts), 2, 5))
    return X, y


def compared(method):
    """Outputs of a model of pairs for each text and the next one."""
    return lambda model, texts, pairs: getattr(model, method)(pairs)


def tagged(model, texts, pairs):
    """Tags of sentences that have the two texts and a known word as tokens."""
    return [rows.ravel() for rows in model.predict_proba([(*p, "cat") for p in pairs])]


# Functions that make a model, and its outputs for texts.
MODELS = {
    "SimilarityRegressor": (
        lambda: SimilarityRegressor(paragram(), **ONCE).fit(PAIRS, [1, 2, 3]),
        compared("predict"),
    ),
    "PairClassifier": (
        lambda: PairClassifier(
            SIFEncoder(subword_table(), frequencies={"a": 5}), **ONCE
        ).fit(PAIRS, ["no", "yes", "no"]),
        compared("predict_proba"),
    ),
    "TextClassifier": (
        lambda: TextClassifier(paragram(), **ONCE).fit(TEXTS, [0, 1, 0, 1, 2]),
        lambda model, texts, pairs: model.predict_proba(texts),
    ),
    "PairwiseInteractionRegressor": (
        lambda: PairwiseInteractionRegressor(subword_table(), hidden_dim=3, **ONCE).fit(
            PAIRS, [1, 2, 3]
        ),
        compared("predict"),
    ),
    "PairwiseInteractionRanker": (
        lambda: PairwiseInteractionRanker(subword_table(), hidden_dim=3, **ONCE).fit(
            [(PAIRS[0][0], text) for text, _ in PAIRS], [0, 1, 0]
        ),
        compared("decision_function"),
    ),
    "SequenceTagger": (
        lambda: SequenceTagger(
            encoders.CharagramEncoder(dim=4, min_count=1), hidden_dim=3, **ONCE
        ).fit(SENTENCES, [["x"] * len(s[1:]) + ["y"] for s in SENTENCES]),
        tagged,
    ),
    "SemanticSearch": (
        lambda: SemanticSearch(SIFEncoder(subword_table())).fit(TEXTS),
        # A text without a known word has no hits, whose scores are NaN.
        lambda model, texts, pairs: np.nan_to_num(model.search(texts, k=3).score),
    ),
}
NAMES = [*ENCODERS, *MODELS]


@cache
def fitted(name):
    """All of a name."""
    return ENCODERS[name]() if name in ENCODERS else [MODELS[name][0]()]


def say(name, model, texts, pairs=None):
    """The output of a model for each text, an array or list of rows."""
    if name in ENCODERS:
        return model.transform(texts)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* have more than max_words", UserWarning)
        return MODELS[name][1](model, texts, pairs or as_pairs(texts))
