"""Gold against predicted, weight against frequency, learning curves: figures."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import builtins

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import same_color, to_rgba
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import pearsonr, spearmanr
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import LearningCurveDisplay, ShuffleSplit
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    DeepAveragingEncoder,
    ParagramEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.inspection import (
    FrequencyWeightsDisplay,
    GridSearchDisplay,
    SimilarityDisplay,
)
from skparaphrase.metrics import STSScorer
from skparaphrase.pairs import PairSimilarity
from skparaphrase.vectors import WordVectors

matplotlib.use("Agg")
pytestmark = pytest.mark.usefixtures("close_figures")


def new_axes():
    from matplotlib import pyplot

    return pyplot.subplots()[1]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# Gold against predicted


TRUE = np.array([0.0, 1.0, 2.0, 5.0, 3.0, 3.0])
PREDICTED = np.array([0.1, 0.4, 0.2, 0.9, 0.5, 0.7])


def test_points_line_and_title():
    display = SimilarityDisplay.from_predictions(TRUE, PREDICTED)
    (points,), (line,) = display.scatters_, display.lines_
    assert_array_equal(points.get_offsets(), np.column_stack([TRUE, PREDICTED]))
    slope, start = np.polyfit(TRUE, PREDICTED, 1)
    assert_allclose(line.get_xdata(), [0, 5])
    assert_allclose(line.get_ydata(), [start, start + 5 * slope])
    r, rho = pearsonr(TRUE, PREDICTED)[0], spearmanr(TRUE, PREDICTED)[0]
    assert_allclose([display.pearson_, display.spearman_], [r, rho])
    assert display.ax_.get_title() == f"r {r:.3f}, \u03c1 {rho:.3f}"
    assert display.ax_.get_legend() is None
    assert (display.group_scores_, display.hexbin_) == (None, None)
    assert display.figure_ is display.ax_.figure


@pytest.mark.parametrize("predicts", [True, False])
def test_of_estimators(graded, predicts):
    pairs, gold = graded
    encoder = SIFEncoder().fit(pairs)
    u, v = np.moveaxis(encoder.transform(pairs).astype(float), 1, 0)
    expected = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    model, name = encoder, "SIFEncoder"
    if predicts:
        model, name = make_pipeline(encoder, PairSimilarity()).fit(pairs), "Pipeline"
    display = SimilarityDisplay.from_estimator(model, pairs, gold)
    points = display.scatters_[0].get_offsets()
    assert_allclose(points, np.column_stack([gold, expected]), rtol=1e-5, atol=1e-6)
    assert display.ax_.get_title().startswith(f"{name}: r ")
    display = SimilarityDisplay.from_estimator(model, pairs, gold, name="SIF")
    assert display.ax_.get_title().startswith("SIF: r ")
    assert display.plot(name="other").ax_.get_title().startswith("other: r ")


def test_groups_are_data_sets():
    rng = np.random.default_rng(0)
    groups = np.array(["b", "a", "b", "a", "b", "c"] * 5)[:26]  # c: 4 pairs
    true, predicted = rng.normal(size=26), rng.normal(size=26)
    true[groups == "c"] = 2.0
    true, predicted = np.append(true, 1.0), np.append(predicted, 1.0)
    groups = np.append(groups, "one")
    display = SimilarityDisplay.from_predictions(true, predicted, groups=groups)
    assert list(display.group_scores_) == ["b", "a", "c", "one"]
    for name in "ab":
        mask = groups == name
        expected = [f(true[mask], predicted[mask])[0] for f in (pearsonr, spearmanr)]
        assert_allclose(display.group_scores_[name], expected)
    assert display.group_scores_["c"] == (0, 0)  # constant
    assert np.isnan(display.group_scores_["one"]).all()
    means = np.mean([display.group_scores_[name] for name in "bac"], axis=0)
    assert_allclose([display.pearson_, display.spearman_], means)
    assert display.ax_.get_title().startswith(f"mean r {means[0]:.3f}")
    for points, name in zip(display.scatters_, ["b", "a", "c", "one"], strict=True):
        mask = groups == name
        expected = np.column_stack([true[mask], predicted[mask]])
        assert_array_equal(points.get_offsets(), expected)
    assert len(display.lines_) == 2  # no line through gold scores that are all the same
    first = display.group_scores_["b"]
    assert legend(display.ax_)[0] == f"b: r {first[0]:.3f}, \u03c1 {first[1]:.3f}"
    assert legend(display.ax_)[3] == "one: r nan, \u03c1 nan"
    colors = [tuple(points.get_facecolor()[0][:3]) for points in display.scatters_]
    assert len(set(colors)) == 4
    assert same_color(display.lines_[0].get_color(), colors[0])


def test_more_groups_than_colors():
    groups = np.arange(24) % 12
    display = SimilarityDisplay.from_predictions(
        np.arange(24), np.arange(24) ** 2, groups=groups
    )
    colors = {tuple(points.get_facecolor()[0]) for points in display.scatters_}
    assert len(colors) == 12
    assert legend(display.ax_)[11].startswith("11: r 1.000")


def test_many_pairs_are_hexagons():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 26, 6000) / 5
    predicted = true + rng.normal(size=6000)
    display = SimilarityDisplay.from_predictions(true, predicted)
    assert display.scatters_ == []
    assert display.hexbin_.get_array().sum() == 6000
    assert display.hexbin_.get_array().min() >= 1
    assert display.figure_.axes[-1].get_ylabel() == "pairs"
    display = display.plot(kind="scatter")
    assert display.hexbin_ is None
    assert len(display.scatters_[0].get_offsets()) == 6000
    grouped = SimilarityDisplay(true, predicted, groups=true > 2)
    assert len(grouped.plot().scatters_) == 2
    with pytest.raises(ValueError, match="cannot show groups"):
        grouped.plot(kind="hexbin")
    options = {"gridsize": 7, "cmap": "magma"}
    display = SimilarityDisplay(TRUE, PREDICTED).plot(
        kind="hexbin", hexbin_kwargs=options
    )
    assert display.hexbin_.get_cmap().name == "magma"


def test_options_of_similarity():
    ax = new_axes()
    display = SimilarityDisplay.from_predictions(
        TRUE,
        PREDICTED,
        ax=ax,
        scatter_kwargs={"color": "C4", "s": 50},
        line_kwargs={"linestyle": ":", "color": "C5"},
    )
    assert display.ax_ is ax
    assert same_color(display.scatters_[0].get_facecolor()[0][:3], to_rgba("C4")[:3])
    assert display.scatters_[0].get_sizes() == [50]
    assert display.lines_[0].get_linestyle() == ":"
    again = SimilarityDisplay.from_predictions(
        TRUE, PREDICTED, ax=ax, scatter_kwargs={"c": TRUE}
    )
    assert_array_equal(again.scatters_[0].get_array(), TRUE)
    assert len(ax.collections) == 2


OPTIONS = [
    ("lw", 3),
    ("linewidth", 3),
    ("c", "red"),
    ("color", "red"),
    ("ls", ":"),
]


@pytest.mark.parametrize(("name", "value"), OPTIONS)
@pytest.mark.parametrize("groups", [None, [0, 1] * 3])
def test_options_under_any_name(name, value, groups):
    options = {name: value}
    similarity = SimilarityDisplay(TRUE, PREDICTED, groups=groups)
    drawn = similarity.plot(line_kwargs=options).lines_
    if name != "ls":
        points = similarity.plot(scatter_kwargs=options).scatters_
        weights = FrequencyWeightsDisplay(["the"], [0.5], [0.1])
        points.append(weights.plot(scatter_kwargs=options).scatter_)
        for artist in points:
            if name in ("c", "color"):
                assert same_color(artist.get_facecolor()[0][:3], "red")
            else:
                assert artist.get_linewidth() == [3]
        drawn += weights.plot(line_kwargs=options).lines_
    search = GridSearchDisplay([[1.0, 2]], [[0.0, 0]], "a", ["x", "y"])
    drawn.append(search.plot(errorbar_kwargs=options).errorbar_[0])
    for line in drawn:
        if name in ("c", "color"):
            assert same_color(line.get_color(), "red")
        else:
            assert value in (line.get_linewidth(), line.get_linestyle())


@pytest.mark.parametrize("name", ["facecolor", "facecolors", "fc"])
def test_faces_of_groups(name):
    display = SimilarityDisplay(TRUE, PREDICTED, groups=[0, 1] * 3)
    for points in display.plot(scatter_kwargs={name: "red"}).scatters_:
        assert same_color(points.get_facecolor()[0][:3], "red")


def test_bad_similarities(graded):
    with pytest.raises(ValueError, match=r"one of \['auto'.*got 'box'"):
        SimilarityDisplay.from_predictions(TRUE, PREDICTED, kind="box")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SimilarityDisplay(TRUE, PREDICTED[1:])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SimilarityDisplay(TRUE, PREDICTED, groups=[1, 2])
    with pytest.raises(ValueError, match="groups contains NaN"):
        SimilarityDisplay(TRUE, PREDICTED, groups=[1, 2, np.nan, 1, 2, 2])
    with pytest.raises(ValueError, match="y_pred contains NaN"):
        SimilarityDisplay(TRUE, PREDICTED * np.nan)
    with pytest.raises(NotFittedError):
        SimilarityDisplay.from_estimator(SIFEncoder(), *graded)


# Weight against frequency


COUNTS = {"the": 600, "cat": 300, "sat": 99, "zebra": 1}
WORDS = ["cat", "the", "zebra", "sat", "unseen"]


@pytest.fixture(scope="module")
def vectors():
    matrix = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    return WordVectors(WORDS, matrix)


def test_curves_and_words(vectors):
    encoder = SIFEncoder(vectors, a=0.1, frequencies=COUNTS).fit(["the cat"])
    display = FrequencyWeightsDisplay.from_estimator(encoder, a=[0.5, 0.02])
    share = np.array([0.3, 0.6, 0.001, 0.099])
    weight = 0.1 / (0.1 + share)
    assert_allclose(display.scatter_.get_offsets(), np.column_stack([share, weight]))
    for line, a in zip(display.lines_, (0.02, 0.5), strict=True):
        x, y = line.get_data()
        assert_allclose([x.min(), x.max()], [0.001, 0.6])
        assert_allclose(y, a / (a + x))
    assert legend(display.ax_) == ["SIFEncoder", "a = 0.02", "a = 0.5"]
    assert display.ax_.get_xscale() == "log"
    named = {text.get_text(): text.xy for text in display.texts_}
    assert set(named) == {"the", "sat", "zebra"}  # the has cat in its step
    assert_allclose(named["sat"], (0.099, 0.1 / 0.199))


def test_subsampling_of_word2vec(vectors):
    encoder = SIFEncoder(vectors, a=1e-4, frequencies=COUNTS).fit(["the cat"])
    display = FrequencyWeightsDisplay.from_estimator(encoder, subsampling=1e-2)
    share, kept = display.subsampling_line_.get_data()
    assert_array_equal(share, display.lines_[0].get_xdata())
    assert (kept[share <= 0.01] == 1).all()
    assert_allclose(kept[-1], np.sqrt(0.01 / 0.6))
    assert legend(display.ax_)[-1] == "word2vec, 0.01"
    assert display.plot().subsampling_line_ is None


def test_shares_of_a_corpus_and_of_others(vectors):
    encoder = SIFEncoder(vectors, frequencies="corpus").fit(["the cat", "the sat"])
    display = FrequencyWeightsDisplay.from_estimator(encoder, words=["the", "zebra"])
    assert_allclose(display.frequency, [0.25, 0.5, 0, 0.25, 0], atol=1e-12)
    assert [text.get_text() for text in display.texts_] == ["the"]
    display = FrequencyWeightsDisplay.from_estimator(encoder, COUNTS, name="SIF")
    assert_allclose(display.frequency, [0.3, 0.6, 0.001, 0.099, 0])
    assert_allclose(display.weight, encoder.weights_)
    assert legend(display.ax_) == ["SIF", "a = 0.001"]


@pytest.mark.parametrize("weighting", ["uniform", "sif"])
@pytest.mark.parametrize("wrap", [lambda encoder: encoder, make_pipeline])
def test_learnt_weights(vectors, weighting, wrap):
    encoder = ParagramEncoder(
        vectors,
        weighting=weighting,
        a=0.1,
        frequencies=COUNTS,
        max_epochs=0,
        random_state=0,
    )
    pairs = [("the cat", "cat sat"), ("zebra", "sat the")]
    encoder.fit(pairs)
    start = FrequencyWeightsDisplay.from_estimator(wrap(encoder), COUNTS)
    share = np.array([0.3, 0.6, 0.001, 0.099, 0])
    assert_allclose(start.frequency, share)
    expected = 0.1 / (0.1 + share) if weighting == "sif" else np.ones(5)
    assert_allclose(start.weight, expected, rtol=1e-5)
    if weighting == "sif":
        own = FrequencyWeightsDisplay.from_estimator(wrap(encoder))
        assert_allclose(own.frequency, share, atol=1e-9)
        assert legend(own.ax_)[1] == "a = 0.1"
    encoder.set_params(max_epochs=3, learning_rate=0.1).fit(pairs)
    initial = vectors.matrix.astype(float)
    if weighting == "sif":
        initial = initial - initial.mean(axis=0)
    lengths = np.linalg.norm(encoder.vectors_.matrix, axis=1)
    learnt = FrequencyWeightsDisplay.from_estimator(encoder, COUNTS)
    assert_allclose(learnt.weight, lengths / np.linalg.norm(initial, axis=1), rtol=1e-4)
    assert not np.allclose(learnt.weight, expected)


def test_vectors_of_length_zero_have_no_weight():
    vectors = WordVectors(["the", "cat"], np.array([[0, 0], [1, 0]], np.float32))
    encoder = DeepAveragingEncoder(vectors, max_epochs=1, random_state=0)
    encoder.fit([("the cat", "cat"), ("the", "cat cat")])
    display = FrequencyWeightsDisplay.from_estimator(encoder)
    assert np.isnan(display.weight[0])
    assert len(display.scatter_.get_offsets()) == 1


def test_encoders_that_go_on_from_others(vectors):
    pairs = [("the cat", "cat sat"), ("zebra", "sat the")]
    first = ParagramEncoder(vectors, max_epochs=2, random_state=0).fit(pairs)
    second = ParagramEncoder(init=first, max_epochs=1, random_state=0).fit(pairs)
    display = FrequencyWeightsDisplay.from_estimator(second, COUNTS)
    expected = np.linalg.norm(second.vectors_.matrix, axis=1)
    expected /= np.linalg.norm(vectors.matrix, axis=1)
    assert_allclose(display.weight, expected, rtol=1e-5)
    second.init = None  # as after load
    with pytest.raises(ValueError, match="do not tell the vectors"):
        FrequencyWeightsDisplay.from_estimator(second, COUNTS)


def test_options_of_frequencies(vectors):
    ax = new_axes()
    display = FrequencyWeightsDisplay(
        ["the", "$x$"], [0.5, 0.1], [0.1, 0.6], a=[1], name="mine"
    ).plot(
        ax,
        words=["$x$", "the"],
        scatter_kwargs={"s": 40},
        line_kwargs={"linestyle": "--"},
    )
    assert display.ax_ is ax
    assert [text.get_text() for text in display.texts_] == ["$x$", "the"]
    assert display.scatter_.get_sizes() == [40]
    assert display.lines_[0].get_linestyle() == "--"
    display.figure_.draw_without_rendering()


def test_bad_frequencies(vectors):
    with pytest.raises(ValueError, match="a must be greater than 0"):
        FrequencyWeightsDisplay(["the"], [0.5], [0.1], a=[0])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        FrequencyWeightsDisplay(["the"], [0.5, 0.5], [0.1, 0.1])
    with pytest.raises(ValueError, match="No word has both"):
        FrequencyWeightsDisplay(["the"], [0.0], [0.1]).plot()
    with pytest.raises(ValueError, match=r"\['dog', 'ox'\] are not in the table"):
        FrequencyWeightsDisplay(["the"], [0.5], [0.1]).plot(words=["ox", "dog", "the"])
    with pytest.raises(NotFittedError):
        FrequencyWeightsDisplay.from_estimator(SIFEncoder(vectors))
    with pytest.raises(NotFittedError):
        FrequencyWeightsDisplay.from_estimator(ParagramEncoder(vectors))
    for encoder in (AverageEncoder(), TfidfEncoder(), CharagramEncoder()):
        with pytest.raises(TypeError, match=f"got {type(encoder).__name__}"):
            FrequencyWeightsDisplay.from_estimator(encoder)


# Without matplotlib, and with scikit-learn's own


@pytest.mark.parametrize(
    "display",
    [
        SimilarityDisplay(TRUE, PREDICTED),
        GridSearchDisplay([[1.0]], [[0.0]], "a", [1]),
        FrequencyWeightsDisplay(["the"], [0.5], [0.1]),
    ],
    ids=lambda display: type(display).__name__,
)
def test_matplotlib_is_asked_for(display, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="plot needs matplotlib: pip install"):
        display.plot()


def test_learning_curve_over_training_pairs(graded):
    pairs = load_paraphrases().data[:200]
    scorer = STSScorer(graded)
    encoder = ParagramEncoder(
        loss="infonce", learning_rate=0.05, max_epochs=2, random_state=0
    )
    split = ShuffleSplit(2, test_size=0.5, random_state=0)
    display = LearningCurveDisplay.from_estimator(
        encoder,
        pairs,
        None,
        train_sizes=[10, 100],
        cv=split,
        scoring=scorer,
        score_name="Pearson's r",
        score_type="test",
    )
    assert_array_equal(display.train_sizes, [10, 100])
    for column, (train, _) in enumerate(split.split(pairs)):
        for row, size in enumerate([10, 100]):
            expected = scorer(encoder.fit(pairs[train[:size]]))
            assert_allclose(display.test_scores[row, column], expected, rtol=1e-6)
    assert_array_equal(display.train_scores, display.test_scores)
    assert_allclose(display.lines_[0].get_ydata(), display.test_scores.mean(axis=1))
    assert display.ax_.get_ylabel() == "Pearson's r"
