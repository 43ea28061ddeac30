"""The examples that are held out, and their scores by loops."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
import pytest
from few_words import make_encoder, unit
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import train_test_split

from skparaphrase._math import text_groups
from skparaphrase.supervision._examples import split_rows
from skparaphrase.supervision._supervise import supervise

RNG = np.random.RandomState(0)


def test_scores_that_single_precision_merges():
    """Times in seconds have an order, which is learnt; so do scores of any size."""
    rows = [(f"w{i}", f"w{i + 1}") for i in range(40)]
    for first, step in ((1.7e9, 1.0), (-5e15, 2.0), (1.0, 1e-12), (0.0, 0.25)):
        scores = first + step * RNG.permutation(40)
        examples = supervise(rows, scores)
        encoded = examples.kind.encode(examples, None, None, None)
        assert encoded.targets.dtype == np.float32
        assert_array_equal(encoded.targets.argsort(), scores.argsort())
        assert len(np.unique(encoded.targets)) == 40
        if step == 0.25:
            assert_array_equal(encoded.targets, scores)  # unchanged


def mrr_score(queries, candidates):
    """Of candidate i for query i; candidates are different texts."""
    cosines = unit(queries) @ unit(candidates).T
    own = np.diag(cosines)[:, np.newaxis]
    return np.mean(1 / (cosines >= own - 1e-6).sum(axis=1))


def slow_score(kind, encoder, train, held_out, y_train, y_held_out):
    shown = held_out.ravel() if kind == "triplets" else held_out
    vectors = encoder.transform(shown).astype(float)
    if kind == "pairs":
        both = vectors[:, 0], vectors[:, 1]
        return (mrr_score(*both) + mrr_score(*both[::-1])) / 2
    if kind == "triplets":
        first, second, hard = vectors[0::3], vectors[1::3], vectors[2::3]
        return mrr_score(first, np.concatenate([second, hard]))
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
    "vectors": (TEXTS, RNG.randn(90, 8)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_each_kind(kind, splits):
    assert len(set(TEXTS)) == 90
    X, y = KINDS[kind]
    settings = {"validation_fraction": 0.3, "learning_rate": 0.1, "max_epochs": 3}
    encoder = make_encoder(**settings).fit(X, y)
    rest, held = (
        [[*map(tuple, X.reshape(len(X), -1))].index(tuple(np.atleast_1d(row)))
         for row in part.texts] for part in splits[0]
    )  # fmt: skip
    assert sorted(rest + held) == [*range(len(X))]
    assert len(held) == np.ceil(0.3 * len(X))
    settings["validation_fraction"] = None
    of = (lambda rows: None) if y is None else y.__getitem__
    for n, score in enumerate(encoder.validation_scores_):
        fit = make_encoder(**{**settings, "max_epochs": n})
        if kind == "labels":  # whose partners are drawn from the same state
            continue
        fit.fit(X[rest], of(rest))
        expected = slow_score(kind, fit, X[rest], X[held], of(rest), of(held))
        assert score == pytest.approx(expected, abs=1e-5)
    kept = slow_score(kind, encoder, X[rest], X[held], of(rest), of(held))
    assert kept == pytest.approx(max(encoder.validation_scores_), abs=1e-5)


@pytest.mark.parametrize("kind", ["pairs", "triplets", "scores", "labels"])
def test_held_out_examples_share_no_text_with_the_others(kind, splits):
    X, y = KINDS[kind]
    rng = np.random.RandomState(1)
    X = X.copy().reshape(len(X), -1)  # groups of two to five examples share texts
    groups = rng.randint(12, size=len(X))
    for group in range(12):
        X[groups == group, 0] = f"w{group} w1 w{group}"
    X = X[:, 0] if kind == "labels" else X
    if kind == "labels":
        y = groups % 3
    make_encoder(validation_fraction=0.3, max_epochs=1).fit(X, y)
    train, held = ({*np.ravel(part.texts)} for part in splits[0])
    assert not train & held
    assert 0.15 * len(X) <= len(splits[0][1]) <= 0.3 * len(X) + 1


def test_the_scores_of_random_labels_are_chance():
    labels = RNG.randint(2, size=90)
    encoder = make_encoder(validation_fraction=0.5, max_epochs=1)
    encoder.fit(TEXTS, labels)
    assert_allclose(encoder.validation_scores_, 0.5, atol=0.25)


def test_examples_that_share_texts_by_search():
    """Against a walk from example to example."""
    rng = np.random.RandomState(0)
    for shape, most in (((30, 2), 100), ((30, 3), 200), ((30,), 30)):
        texts = np.array(
            [f"t{i}" for i in rng.randint(most, size=np.prod(shape))], object
        )
        examples = texts.reshape(shape)
        y = np.arange(30) % 3 if len(shape) == 1 else None
        indices = supervise(examples, y).indices.reshape(30, -1)
        groups = text_groups(indices[:, :2])  # no hard negatives
        sets = [set(np.atleast_1d(row)[:2]) for row in examples]
        for i in range(30):
            reached, size = {i}, 0
            while size < len(reached):
                size = len(reached)
                known = set().union(*(sets[j] for j in reached))
                reached = {j for j in range(30) if sets[j] & known}
            assert {*np.flatnonzero(groups == groups[i])} == reached
        assert 1 < len(set(groups)) < 30


@given(
    sizes=st.lists(st.integers(1, 6), min_size=3, max_size=30),
    fraction=st.sampled_from([0.1, 0.25, 0.5]),
    seed=st.integers(0, 9),
)
def test_groups_are_held_out_whole(sizes, fraction, seed):
    groups = np.random.RandomState(seed).permutation(
        np.repeat(range(len(sizes)), sizes)
    )
    rows = np.arange(len(groups))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train, held_out = split_rows(groups, fraction, np.random.RandomState(seed))
    assert sorted([*train, *held_out]) == rows.tolist()
    assert list(train) == sorted(train) and list(held_out) == sorted(held_out)
    wanted = np.ceil(fraction * len(groups))
    assert len(held_out) <= wanted
    shared = set(groups[train]) & set(groups[held_out])
    assert len(caught) == bool(shared)
    if shared:  # the small groups are too few, and the others are too large
        assert len(held_out) == wanted
        assert 2 * sum(size for size in sizes if 2 * size <= wanted) < wanted
    else:
        assert 2 * len(held_out) >= wanted


def test_examples_are_held_out_one_by_one_without_groups():
    expected = train_test_split(np.arange(40), test_size=0.3, random_state=5)
    parts = split_rows(np.arange(40), 0.3, 5)
    for part, wanted in zip(parts, expected, strict=True):
        assert_array_equal(part, np.sort(wanted))
    # One group of all examples cannot be held out.
    groups = np.zeros(40, np.intp) + (np.arange(40) > 38)
    with pytest.warns(UserWarning, match="Shared texts connect so many examples"):
        _, held_out = split_rows(groups, 0.3, np.random.RandomState(0))
    assert len(held_out) == 12
