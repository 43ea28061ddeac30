"""Words of a pair as a model of word interaction compares them, and their figure."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import builtins
from itertools import pairwise

import matplotlib
import numpy as np
import pandas as pd
import pytest
import torch
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.inspection import InteractionDisplay, word_interactions
from skparaphrase.interaction import (
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
)
from skparaphrase.vectors import WordVectors

matplotlib.use("Agg")
pytestmark = pytest.mark.usefixtures("close_figures")

WORDS = "a cat dog sleeps runs the mat on black white".split()
PAIR = ("The black cat sleeps on the mat.", "A white dog runs.")
WORDS1 = "the black cat sleeps on the mat .".split()
WORDS2 = "a white dog runs .".split()
X = [
    PAIR,
    ("A cat sleeps.", "The cat sleeps."),
    ("Dog", "cat"),
    ("On the mat", "the mat"),
]
Y = [1.0, 5.0, 2.0, 4.0]
STATES = ("forward", "backward", "sum", "concatenation")


@pytest.fixture(scope="module")
def vectors():
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 6))
    return WordVectors(WORDS, matrix.astype(np.float32))


def regressor(vectors, **params):
    options = {"hidden_dim": 5, "max_epochs": 1, "random_state": 0, **params}
    return PairwiseInteractionRegressor(vectors, **options)


@pytest.fixture(scope="module")
def model(vectors):
    return regressor(vectors).fit(X, Y)


@pytest.fixture(scope="module")
def found(model):
    return word_interactions(model, PAIR)


def slow_cube(forwards, backwards):
    """Planes by name, from the states of the words of both sentences."""
    planes = {}
    for name in STATES:
        sides = []
        for f, b in zip(forwards, backwards, strict=True):
            sides.append(
                {
                    "forward": f,
                    "backward": b,
                    "sum": f + b,
                    "concatenation": np.hstack([f, b]),
                }[name].astype(np.float64)
            )
        shape = len(sides[0]), len(sides[1])
        for measure in ("cosine", "negative distance", "dot product"):
            planes[f"{name} {measure}"] = np.empty(shape)
        for i, j in np.ndindex(*shape):
            u, v = sides[0][i], sides[1][j]
            length = np.linalg.norm(u) * np.linalg.norm(v)
            planes[f"{name} cosine"][i, j] = u @ v / length
            planes[f"{name} negative distance"][i, j] = -np.linalg.norm(u - v)
            planes[f"{name} dot product"][i, j] = u @ v
    planes["words"] = np.ones(shape)
    return planes


def slow_focus(planes):
    picked = np.zeros(planes["words"].shape, dtype=bool)
    for name in ("concatenation cosine", "concatenation negative distance"):
        plane = planes[name]
        rows, columns = set(), set()
        for cell in np.argsort(-plane, axis=None, kind="stable"):
            i, j = divmod(int(cell), plane.shape[1])
            if i not in rows and j not in columns:
                picked[i, j] = True
                rows.add(i)
                columns.add(j)
    return picked


def states_of(model, sentences):
    """By the network, one sentence at a time."""
    network, forwards, backwards = model._fitted_network(), [], []
    for sentence in sentences:
        words = model._find_words([sentence])
        with torch.no_grad():
            f, b = network.states(
                torch.from_numpy(words.vectors),
                torch.from_numpy(words.texts.ids.astype(np.int64)),
                words.texts.offsets,
            )
        forwards.append(f.numpy())
        backwards.append(b.numpy())
    return forwards, backwards


def check_against_slow(found, planes):
    assert found.channels == list(planes)
    assert found.cube.dtype == np.float64
    for plane, (name, expected) in zip(found.cube, planes.items(), strict=True):
        assert_allclose(plane, expected, rtol=1e-6, atol=1e-6, err_msg=name)
    assert_array_equal(found.focus, slow_focus(planes))


# What is found


def test_cube_and_focus_are_those_of_the_states(model, found):
    assert (found.words1, found.words2) == (WORDS1, WORDS2)
    assert found.cube.shape == (13, len(WORDS1), len(WORDS2))
    check_against_slow(found, slow_cube(*states_of(model, PAIR)))
    n = found.focus.sum()
    assert len(WORDS2) <= n <= 2 * len(WORDS2)


def test_without_context_the_cube_is_that_of_the_vectors(vectors):
    model = regressor(vectors, context=False, scale=3.0).fit(X, Y)
    pair = ("The black cat sleeps", "a white dog")
    rows = [
        vectors.matrix[[vectors.index[word] for word in text.lower().split()]]
        * np.float32(model.scale_)
        for text in pair
    ]
    check_against_slow(word_interactions(model, pair), slow_cube(rows, rows))


def test_weights_are_those_of_the_network(model, found):
    assert_allclose(found.weights, np.where(found.focus, 1, 0.1), rtol=1e-6)
    cube = torch.from_numpy(found.cube)[None]
    expected = model._fitted_network().focused(cube, None)[0]
    assert_array_equal((found.cube * found.weights).astype(np.float32), expected)


@pytest.mark.parametrize("focus", ["none", "dropout"])
def test_without_the_layer_cells_are_named_but_not_weighed(vectors, focus):
    model = regressor(vectors, focus=focus).fit(X, Y)
    found = word_interactions(model, PAIR)
    check_against_slow(found, slow_cube(*states_of(model, PAIR)))
    assert (found.weights == 1).all()
    display = InteractionDisplay(found).plot()
    assert_array_equal(display.im_.get_array(), found.cube[9])
    assert "focus" not in display.figure_.axes[-1].get_ylabel()


def test_score_is_the_prediction(model, found, vectors):
    assert found.score == model.predict([PAIR])[0]
    ranker = PairwiseInteractionRanker(
        vectors, hidden_dim=5, max_epochs=1, random_state=0
    ).fit(X, [0, 1, 0, 1])
    found = word_interactions(ranker, PAIR)
    assert found.score == ranker.decision_function([PAIR])[0]
    assert found.cube.shape == (13, 8, 5)


def test_trained_vectors_are_used(vectors):
    model = regressor(vectors, freeze=None, context=False, learning_rate=0.1)
    model.fit(X, Y)
    found = word_interactions(model, ("cat", "dog"))
    cat, dog = (
        model.vectors_.matrix[model.vectors_.index[word]].astype(np.float64)
        for word in ("cat", "dog")
    )
    assert_allclose(found.cube[[2, 1], 0, 0], [cat @ dog, -np.linalg.norm(cat - dog)])
    first, second = vectors.matrix[[1, 2]].astype(np.float64)
    assert not np.isclose(found.cube[2, 0, 0], model.scale_**2 * first @ second)


@pytest.mark.parametrize(
    "wrap",
    [
        FrozenEstimator,
        make_pipeline,
        lambda model: make_pipeline(make_pipeline(FrozenEstimator(model))),
    ],
)
def test_wrapped_models(model, found, wrap):
    again = word_interactions(wrap(model), PAIR)
    assert_array_equal(again.cube, found.cube)
    assert again.score == found.score


def test_search_over_a_pipeline_that_changes_texts(vectors):
    def drop_article(pairs):
        pairs = np.asarray(pairs, dtype=object)
        return np.vectorize(lambda s: s.removeprefix("A "), otypes=[object])(pairs)

    pipe = make_pipeline(FunctionTransformer(drop_article), regressor(vectors))
    grid = {"pairwiseinteractionregressor__context": [False]}
    search = GridSearchCV(pipe, grid, cv=2, scoring="r2").fit(X, Y)
    found = word_interactions(search, PAIR)
    assert found.words2 == WORDS2[1:]
    assert found.score == search.predict([PAIR])[0]


def test_words_without_vectors(vectors):
    pair = ("A zebra sleeps", "zebra")
    found = word_interactions(regressor(vectors, context=False).fit(X, Y), pair)
    assert (found.words1, found.words2) == (["a", "zebra", "sleeps"], ["zebra"])
    assert_allclose(found.cube[9, 1, 0], 1)
    left_out = regressor(vectors, unknown_range=None).fit(X, Y)
    assert word_interactions(left_out, ("A zebra sleeps", "cat")).words1 == [
        "a",
        "sleeps",
    ]


def test_sentences_are_cut_at_the_limit(model):
    words = np.random.default_rng(0).choice(WORDS, 40).tolist()
    pair = (" ".join(words), "A white dog.")
    with pytest.warns(UserWarning, match="limit=32"):
        found = word_interactions(model, pair)
    assert found.words1 == words[:32]
    forwards, backwards = states_of(model, pair)  # of the whole sentences
    sides = ([state[:32] for state in states] for states in (forwards, backwards))
    check_against_slow(found, slow_cube(*sides))


def test_one_word_each(model):
    found = word_interactions(model, ("Cat", "dog"))
    assert found.cube.shape == (13, 1, 1)
    assert found.focus.all()
    assert InteractionDisplay(found).plot().im_.get_array().shape == (1, 1)


@pytest.mark.parametrize(
    "pair", [list(PAIR), np.array(PAIR), np.array(PAIR, object), pd.Series(PAIR)]
)
def test_kinds_of_pairs(model, found, pair):
    assert word_interactions(model, pair).score == found.score


# What cannot be


@pytest.mark.parametrize(
    ("pair", "kind", "message"),
    [
        (("", "A cat"), ValueError, "Sentence 1 of the pair, '', has no words"),
        (("A cat", "  "), ValueError, "Sentence 2 of the pair"),
        (("", ""), ValueError, "Sentence 1 of the pair"),
        ([PAIR, PAIR], ValueError, r"one pair.*\(2, 2\)"),
        ([PAIR], ValueError, r"one pair.*\(1, 2\)"),
        (("a", "b", "c"), ValueError, r"one pair.*\(3,\)"),
        ("A cat", TypeError, "A cat"),
        (("A cat", None), ValueError, "missing"),
        (("A cat", 3), TypeError, "3"),
    ],
)
def test_bad_pairs(model, pair, kind, message):
    with pytest.raises(kind, match=message):
        word_interactions(model, pair)
    with pytest.raises(kind, match=message):
        InteractionDisplay.from_estimator(model, pair)


def test_only_words_that_are_left_out(vectors):
    model = regressor(vectors, unknown_range=None).fit(X, Y)
    with pytest.raises(ValueError, match=r"Sentence 2 .*'zebras', has no"):
        word_interactions(model, ("A cat", "zebras"))


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline])
def test_not_fitted(vectors, wrap):
    with pytest.raises(NotFittedError):
        word_interactions(wrap(regressor(vectors)), PAIR)
    with pytest.raises(NotFittedError):
        word_interactions(GridSearchCV(regressor(vectors), {}), PAIR)


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (LinearRegression(), "LinearRegression"),
        (make_pipeline(LinearRegression()), "LinearRegression"),
        ("model", "str"),
    ],
)
def test_other_models(other, name):
    with pytest.raises(TypeError, match=f"ends in one; got {name}"):
        word_interactions(other, PAIR)


def test_unknown_channel(found):
    with pytest.raises(ValueError, match=r"one of .*'words'.*got 'cosine'"):
        InteractionDisplay(found).plot(channel="cosine")


def test_matplotlib_is_asked_for(found, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        InteractionDisplay(found).plot()


# What is drawn


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def marked(display):
    """Cells in whose middle a frame is, and which hold all of it."""
    cells = set()
    for path in display.marks_.get_paths():
        (left, bottom), (right, top) = path.get_extents().get_points()
        column, row = round((left + right) / 2), round((bottom + top) / 2)
        assert column - 0.5 < left < right < column + 0.5
        assert row - 0.5 < bottom < top < row + 0.5
        cells.add((row, column))
    return cells


def test_figure(model, found):
    display = InteractionDisplay.from_estimator(model, PAIR, name="PWIM")
    ax = display.ax_
    assert display.figure_ is ax.figure
    assert_array_equal(display.im_.get_array(), found.cube[9] * found.weights)
    assert (labels(ax.yaxis), labels(ax.xaxis)) == (WORDS1, WORDS2)
    assert_array_equal(ax.get_yticks(), range(len(WORDS1)))
    assert ax.yaxis_inverted()  # the first word is at the top
    assert marked(display) == set(map(tuple, np.argwhere(found.focus)))
    assert len(display.marks_.get_paths()) == found.focus.sum()
    assert to_hex(display.marks_.get_edgecolor()[0]) == "#ffffff"
    assert display.marks_.get_path_effects()
    assert ax.get_title() == f"PWIM: score {found.score:.2f}"
    bar = display.figure_.axes[-1]
    assert bar.get_ylabel() == "concatenation cosine\nafter the focus"
    assert display.text_ is None


def test_other_channels_and_before_the_focus(found):
    for channel, plane in zip(found.channels, found.cube, strict=True):
        display = InteractionDisplay(found).plot(channel=channel, focused=False)
        assert_array_equal(display.im_.get_array(), plane)
        assert display.figure_.axes[-1].get_ylabel() == channel
        matplotlib.pyplot.close(display.figure_)


def test_options(found):
    figure, axes = matplotlib.pyplot.subplots(1, 2)
    size = figure.get_size_inches().copy()
    display = InteractionDisplay(found)
    assert display.plot(
        axes[0],
        include_values=True,
        values_format=".1f",
        cmap="magma",
        colorbar=False,
        im_kwargs={"vmin": -1, "alpha": 0.5},
    )
    assert display.ax_ is axes[0]
    assert_array_equal(figure.get_size_inches(), size)
    assert len(figure.axes) == 2
    assert display.im_.get_cmap().name == "magma"
    assert display.im_.get_clim() == (-1, 1)
    assert display.im_.get_alpha() == 0.5
    values = found.cube[9] * found.weights
    assert [text.get_text() for text in display.text_] == [
        f"{value:.1f}" for value in values.ravel()
    ]


def boxes(display, axis):
    """Corners of the labels in pixels, turned so that they lie level."""
    display.figure_.draw_without_rendering()
    found = []
    for label in axis.get_ticklabels():
        x, y = label.get_transform().transform(label.get_position())
        height = label.get_fontsize() * display.figure_.dpi / 72
        turn = np.radians(label.get_rotation())
        found.append((x * np.sin(turn) - y * np.cos(turn), height))
    return found


@pytest.mark.parametrize("own", [False, True], ids=["new figure", "small axes"])
def test_labels_do_not_collide(model, own):
    pair = ("the black cat sleeps " * 8, "a white dog runs on " * 6)
    ax = matplotlib.pyplot.subplots(figsize=(3, 3))[1] if own else None
    display = InteractionDisplay.from_estimator(model, pair, ax=ax)
    for axis in (display.ax_.xaxis, display.ax_.yaxis):
        lines = boxes(display, axis)
        for (here, height), (there, _) in pairwise(lines):
            assert abs(there - here) > 0.9 * height


def test_all_of_a_new_figure_is_inside(model):
    words = "unbelievablylongwordsthatareuniformresourcelocators"
    pair = ("cat", f"a {words} $5$ and $x^2$")
    display = InteractionDisplay.from_estimator(model, pair)
    assert labels(display.ax_.xaxis)[1] == words[:23] + "\u2026"
    figure = display.figure_
    figure.draw_without_rendering()
    inside = figure.get_tightbbox().padded(-0.02).get_points()
    assert (inside[0] >= 0).all()
    assert (inside[1] <= figure.get_size_inches()).all()
