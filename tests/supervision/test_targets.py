"""Scores as distributions over levels; labels, answers and tags."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.supervision._examples import Examples
from skparaphrase.supervision._relevance import Relevance
from skparaphrase.supervision._tags import TokenTags
from skparaphrase.supervision._targets import Classes, Scores, weighted_by_class


def labelled(targets, weights=None):
    texts = np.array([f"text {i}" for i in range(len(targets))], dtype=object)
    return Examples(texts, targets, weights)


def find_levels(scores, levels=None):
    return Scores.fit(labelled(np.array(scores, dtype=float)), levels).outputs


@given(
    low=st.integers(-3, 3),
    n_levels=st.integers(2, 9),
    step=st.sampled_from([0.25, 0.5, 1.0, 2.5]),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=20),
)
def test_expectation_of_sparse_targets_is_the_score(low, n_levels, step, shares):
    levels = low + step * np.arange(n_levels)
    graded = Scores(levels)
    assert_array_equal(graded.distributions(levels), np.eye(n_levels))
    scores = levels[0] + np.array(shares) * (levels[-1] - levels[0])
    targets = graded.distributions(scores)
    assert targets.shape == (len(shares), n_levels)
    assert_allclose(graded.decode(targets), scores, atol=1e-12)
    assert_allclose(targets.sum(axis=1), 1, atol=1e-12)
    assert 0 <= targets.min() <= targets.max() <= 1
    for row in targets:  # one level, or two next to each other
        assert np.ptp(np.flatnonzero(row)) <= 1


def test_sparse_targets_by_hand():
    graded = Scores(np.arange(1.0, 6.0))
    targets = graded.distributions(np.array([3.6, 1.0, 5.0, 4.25]))
    expected = [
        [0, 0, 0.4, 0.6, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0.75, 0.25],
    ]  # fmt: skip
    assert_allclose(targets, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("scores", "levels", "expected"),
    [
        ([1.2, 4.9], None, [1, 2, 3, 4, 5]),
        ([1, 5], None, [1, 2, 3, 4, 5]),
        ([0.1, 0.7], None, [0, 1]),
        ([2.5], None, [2, 3]),
        ([-0.5, 0.5], None, [-1, 0, 1]),
        ([2, 3], range(6), [0, 1, 2, 3, 4, 5]),
        ([2, 3], (0.5, 1.5, 2.5, 3.5), [0.5, 1.5, 2.5, 3.5]),
        ([2, 3], [0, 2.5, 5], [0, 2.5, 5]),
        ([1, 5.5], np.arange(1, 6, 0.5), np.arange(1, 6, 0.5)),
    ],
)
def test_levels(scores, levels, expected):
    assert_allclose(find_levels(scores, levels), expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("levels", "match"),
    [
        (
            range(1, 4),
            "1 of 30 scores are outside the levels, 1 to 3; the first is 4.5 at "
            "index 11",
        ),
        ([2.5, 3.5, 4.5], "first is 2 at index 0"),
        ([5, 1], "increasing"),
        ([1, 1], "increasing"),
        ([0, np.inf], "evenly spaced"),
        ([1], "at least two"),
        ([1, 2, 4], "evenly spaced"),
        ([[1, 2]], "evenly spaced"),
    ],
)
def test_bad_levels(levels, match):
    scores = np.full(30, 2.0)
    scores[11] = 4.5
    with pytest.raises(ValueError, match=match):
        find_levels(scores, levels)
    with pytest.raises(ValueError, match="would take 3001 outputs: pass fewer levels"):
        find_levels([0, 3000])


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([np.nan, 1.0], "NaN"),
        ([np.inf, 1.0], "infinity"),
        (["x", "y"], "could not convert"),
        (np.ones((2, 2)), "1d array"),
    ],
)
def test_bad_scores(y, match):
    with pytest.raises(ValueError, match=match):
        Scores.read(y)


def test_scores_of_a_resumed_fit_are_on_the_scale():
    graded = Scores(np.arange(3.0))
    graded.check_resumed(labelled(np.array([0.0, 2.0])))
    with pytest.raises(ValueError, match=r"1 of 2 scores .* first is 2.5 at index 1"):
        graded.check_resumed(labelled(np.array([0.0, 2.5])))
    graded.check_validation(labelled(np.array([9.0, 8.0])))


def test_labels():
    labels = Classes.read(["no", "yes", "no", "maybe"])
    classes = Classes.fit(labelled(labels))
    assert classes.outputs.tolist() == ["maybe", "no", "yes"]
    expected = [[0, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert_array_equal(classes.distributions(labels), expected)
    assert_array_equal(classes.decode(classes.distributions(labels)), labels)
    classes.check_resumed(labelled(labels[:1]))
    with pytest.raises(ValueError, match=r"the labels \['never'\], but training"):
        classes.check_resumed(labelled(np.array(["no", "never"])))
    classes.check_validation(labelled(np.array(["no", "never"])))
    with pytest.raises(ValueError, match="none of which occurs in y"):
        classes.check_validation(labelled(np.array(["never"])))
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        Classes.fit(labelled(labels[:1]))


def test_labels_of_variable_length():
    """NumPy's StringDType, whose missing values are found."""
    labels = np.array(["no", "yes"], dtype=np.dtypes.StringDType())
    assert Classes.fit(labelled(Classes.read(labels))).outputs.tolist() == ["no", "yes"]
    kind = np.dtypes.StringDType(na_object=np.nan)
    with pytest.raises(ValueError, match=r"y\[1\] is nan"):
        Classes.read(np.array(["no", np.nan], dtype=kind))


def test_weights_of_labels_multiply_those_of_examples():
    examples = labelled(np.array([0, 1, 1, 1]), np.array([1.0, 0.0, 2.0, 3.0]))
    found = weighted_by_class(examples, {0: 5.0, 1: 0.5})
    assert found.weights.tolist() == [5.0, 0.0, 1.0, 1.5]
    assert len(examples.with_weight()) == 3
    for bad in ({0: 0, 1: 0}, {0: -1, 1: 1}, {0: np.inf, 1: 1}):
        with pytest.raises(ValueError, match="class_weight must be finite"):
            weighted_by_class(examples, bad)


def test_answers_belong_to_questions():
    texts = np.array([("q", "a"), ("r", "b"), ("q", "c")], dtype=object)
    read = Relevance.read([1, 0, 0], texts)
    assert read.tolist() == [[1, 0], [0, 1], [0, 0]]
    assert Relevance.read([(1, 7), (0, 7), (0, 5)], texts)[:, 1].tolist() == [0, 0, 1]
    relevance = Relevance.fit(Examples(texts, read))
    assert_array_equal(relevance.distributions(read), [[0, 1], [1, 0], [1, 0]])
    assert relevance.decode(np.array([[0, 1], [1, 1], [1, 0]])).tolist() == [1, 0, 0]
    only = Examples(texts, read, np.array([0.0, 1.0, 1.0]))
    with pytest.raises(ValueError, match="all 2 are wrong"):
        Relevance.fit(only)
    with pytest.raises(ValueError, match="does not support w"):
        relevance.check_validation(only)


def test_answers_are_split_by_question():
    targets = np.array([(1, 0), (0, 0), (1, 1), (0, 1), (1, 2), (0, 2)])
    relevance = Relevance(np.arange(2))
    examples = replace(labelled(targets), kind=relevance)
    train, held_out = examples.split(0.3, np.random.RandomState(0))
    assert len(train) == 4 and len(held_out) == 2
    assert not set(train.targets[:, 1]) & set(held_out.targets[:, 1])


def test_tags_of_sentences():
    rows = [["D", "N"], ["N"], ["V", "D", "N"]]
    targets = np.fromiter((np.array(row) for row in rows), dtype=object)
    tags = TokenTags.fit(labelled(targets))
    assert tags.outputs.tolist() == ["D", "N", "V"] and tags.n_outputs == 3
    assert tags.distributions(targets).tolist() == [0, 1, 1, 2, 0, 1]
    assert tags.decode(np.eye(3)).tolist() == ["D", "N", "V"]
    with pytest.raises(ValueError, match=r"labels \['X'\], but"):
        tags.check_resumed(labelled([np.array(["X", "D"])]))
    with pytest.raises(ValueError, match="has to be greater than one"):
        TokenTags.fit(labelled(targets[1:2]))
    texts = np.fromiter((["a"] * len(row) for row in rows), dtype=object)
    examples = Examples(texts, targets, kind=tags)
    train, held_out = examples.split(0.3, np.random.RandomState(0))
    assert len(train) == 2 and len(held_out) == 1
