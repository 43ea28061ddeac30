"""Scores of held-out examples, by loops, and who is held out."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skparaphrase.encoders import _trained

RNG = np.random.RandomState(0)


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-30)


def mean_reciprocal_rank(queries, candidates):
    """Of candidate i for query i; candidates are different texts."""
    cosines = unit(queries) @ unit(candidates).T
    own = np.diag(cosines)[:, np.newaxis]
    return np.mean(1 / (cosines >= own - 1e-6).sum(axis=1))


def slow_score(kind, encoder, train, held_out, y_train, y_held_out):
    shown = held_out.ravel() if kind == "triplets" else held_out
    vectors = encoder.transform(shown).astype(float)
    if kind == "pairs":
        both = vectors[:, 0], vectors[:, 1]
        return (mean_reciprocal_rank(*both) + mean_reciprocal_rank(*both[::-1])) / 2
    if kind == "triplets":
        first, second, hard = vectors[0::3], vectors[1::3], vectors[2::3]
        return mean_reciprocal_rank(first, np.concatenate([second, hard]))
    if kind == "scores":
        cosines = (unit(vectors[:, 0]) * unit(vectors[:, 1])).sum(axis=1)
        return np.corrcoef(cosines, y_held_out)[0, 1]
    if kind == "labels":
        known = encoder.transform(train).astype(float)
        nearest = [np.argmax(unit(known) @ vector) for vector in unit(vectors)]
        return np.mean(y_train[nearest] == y_held_out)
    return (unit(vectors) * unit(y_held_out)).sum(axis=1).mean()


TEXTS = [" ".join(RNG.permutation(20)[:4].astype(str)) for _ in range(90)]
TEXTS = np.array(["w" + text.replace(" ", " w") for text in TEXTS], dtype=object)
KINDS = {
    "pairs": (TEXTS.reshape(-1, 2), None),
    "triplets": (TEXTS.reshape(-1, 3), None),
    "scores": (TEXTS.reshape(-1, 2), RNG.rand(45)),
    "labels": (TEXTS, np.array([*"abcde"])[np.arange(90) % 5]),
    "vectors": (TEXTS, RNG.randn(90, 5)),
}


@pytest.fixture
def parts(monkeypatch):
    """Training and held-out examples of each fit."""
    found, split = [], _trained.TrainedEncoder._split

    def spy(self, texts):
        found.append(split(self, texts))
        return found[-1]

    monkeypatch.setattr(_trained.TrainedEncoder, "_split", spy)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_each_kind(zoo, kind, parts):
    assert len(set(TEXTS)) == 90
    X, y = KINDS[kind]
    settings = {"validation_fraction": 0.3, "learning_rate": 0.1, "max_epochs": 3}
    encoder = zoo.make("paragram", **settings).fit(X, y)
    rest, held = (
        [[*map(tuple, X.reshape(len(X), -1))].index(tuple(np.atleast_1d(row)))
         for row in part.array] for part in parts[0]
    )  # fmt: skip
    assert sorted(rest + held) == [*range(len(X))]
    assert len(held) == np.ceil(0.3 * len(X))
    settings["validation_fraction"] = None
    of = (lambda rows: None) if y is None else y.__getitem__
    for n, score in enumerate(encoder.validation_scores_, start=1):
        fit = zoo.make("paragram", **{**settings, "max_epochs": n})
        if kind == "labels":  # whose partners are drawn from the same state
            continue
        fit.fit(X[rest], of(rest))
        expected = slow_score(kind, fit, X[rest], X[held], of(rest), of(held))
        assert score == pytest.approx(expected, abs=1e-5)
    kept = slow_score(kind, encoder, X[rest], X[held], of(rest), of(held))
    start = zoo.make("paragram", **{**settings, "max_epochs": 0}).fit(X, y)
    first = slow_score(kind, start, X[rest], X[held], of(rest), of(held))
    assert kept == pytest.approx(max(first, *encoder.validation_scores_), abs=1e-5)


@pytest.mark.parametrize("kind", ["pairs", "triplets", "scores", "labels"])
def test_held_out_examples_share_no_text_with_the_others(zoo, kind, parts):
    X, y = KINDS[kind]
    rng = np.random.RandomState(1)
    X = X.copy().reshape(len(X), -1)  # groups of two to five examples share texts
    groups = rng.randint(12, size=len(X))
    for group in range(12):
        X[groups == group, 0] = f"w{group} w1 w{group}"
    X = X[:, 0] if kind == "labels" else X
    if kind == "labels":
        y = groups % 3
    zoo.make("paragram", validation_fraction=0.3, max_epochs=1).fit(X, y)
    train, held = ({*np.ravel(part.array)} for part in parts[0])
    assert not train & held
    assert 0.15 * len(X) <= len(parts[0][1]) <= 0.3 * len(X) + 1


def test_the_scores_of_random_labels_are_chance(zoo):
    labels = RNG.randint(2, size=90)
    encoder = zoo.make("paragram", validation_fraction=0.5, max_epochs=1)
    encoder.fit(TEXTS, labels)
    assert_allclose(encoder.validation_scores_, 0.5, atol=0.25)
