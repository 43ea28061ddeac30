"""Neighbours, token weights, scores by group, margins, and their figures."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import builtins
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cosine
from scipy.stats import pearsonr, spearmanr
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.datasets import (
    load_paraphrases,
    load_similarity,
    load_word_vectors,
)
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    ParagramEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.encoders._base import TextEncoder
from skparaphrase.inspection import (
    GroupedScoresDisplay,
    MarginDisplay,
    TokenWeightsDisplay,
    _margins,
    _neighbors,
    _scores,
    grouped_scores,
    margins,
    nearest_units,
    neighbors,
    pair_lengths,
    scores_by_length,
    scores_by_unknown,
    token_weights,
    unknown_words,
)
from skparaphrase.nn._negatives import choose_negatives
from skparaphrase.pairs import PairFeatures, PairSimilarity
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordFrequencies, WordVectors

matplotlib.use("Agg")
pytestmark = pytest.mark.usefixtures("close_figures")


class Letters(TextEncoder):
    """Sum of vectors of letters: an encoder whose table holds no words."""

    def fit(self, X, y=None):
        letters = [*"abcdefghij"]
        matrix = np.random.default_rng(0).normal(size=(len(letters), 4))
        self.vectors_ = WordVectors(letters, matrix)
        return self

    def _embed(self, texts):
        index, matrix = self.vectors_.index, self.vectors_.matrix
        sums = [
            matrix[[index[c] for c in text if c in index]].sum(axis=0) for text in texts
        ]
        return np.array(sums, dtype=np.float32).reshape(-1, 4)


@pytest.fixture
def letters():
    return Letters().fit(["a"])


@pytest.fixture(scope="module")
def bundled():
    return load_similarity(return_X_y=True)


@pytest.fixture(scope="module")
def paraphrases():
    return load_paraphrases().data


@pytest.fixture(scope="module")
def trained(paraphrases):
    encoder = ParagramEncoder(max_epochs=2, device="cpu", random_state=0)
    return encoder.fit(paraphrases)


def ways(pairs):
    """Estimators that hold the same encoder; all but the first remove a component."""
    pipe = make_pipeline(
        SIFEncoder(), CommonComponentRemoval(), "passthrough", PairSimilarity()
    ).fit(pairs)
    search = GridSearchCV(
        pipe, {"sifencoder__a": [1e-3]}, cv=2, scoring=lambda *_: 0.0
    ).fit(pairs)
    return {
        "pipeline": pipe,
        "frozen": FrozenEstimator(pipe),
        "search": search,
        "features": make_pipeline(FrozenEstimator(pipe[:-1]), PairFeatures()),
        "classifier": make_pipeline(
            FrozenEstimator(pipe[0]),
            FrozenEstimator(pipe[1]),
            PairFeatures(),
            LogisticRegression(),
        ),
        "transformer": pipe[:-1],
    }


# Neighbours ----------------------------------------------------------------------


def slow_neighbors(encoder, queries, candidates, n):
    """One query and one candidate at a time."""
    rows = []
    for query in queries:
        scored = []
        for candidate in dict.fromkeys(candidates):
            if candidate != query:
                first, second = encoder.transform([query, candidate]).astype(float)
                known = first.any() and second.any()
                scored.append((1 - cosine(first, second) if known else 0.0, candidate))
        scored.sort(key=lambda pair: -pair[0])
        rows += [
            (query, rank, candidate, similarity)
            for rank, (similarity, candidate) in enumerate(scored[:n], 1)
        ]
    return rows


@pytest.mark.parametrize("block", [1, 4, 100])
@pytest.mark.parametrize("n", [1, 3, 50])
def test_neighbors_are_those_of_a_slow_search(
    vectors, sentences, monkeypatch, block, n
):
    monkeypatch.setattr(_neighbors, "_BLOCK", block)
    monkeypatch.setattr(_neighbors, "_QUERIES", 2)
    encoder = AverageEncoder(vectors)
    queries = [*sentences[:4], "w1 w2", "nothing"]
    candidates = [*sentences, "w1 w2", "w3", sentences[0]]
    found = neighbors(encoder, queries, candidates, n_neighbors=n)
    assert list(found.columns) == ["query", "rank", "neighbor", "similarity"]
    expected = slow_neighbors(encoder, queries, candidates, n)
    assert_array_equal(found["query"], [row[0] for row in expected])
    assert_array_equal(found["rank"], [row[1] for row in expected])
    assert_allclose(found["similarity"], [row[3] for row in expected], atol=1e-6)
    given = encoder.transform(found["neighbor"].tolist())
    own = encoder.transform(found["query"].tolist())
    norms = np.linalg.norm(given, axis=1) * np.linalg.norm(own, axis=1)
    cosines = (given * own).sum(axis=1) / np.maximum(norms, 1e-9)
    assert_allclose(found["similarity"], cosines, atol=1e-6)
    for _, group in found.groupby("query"):
        assert group["neighbor"].is_unique


def test_neighbors_by_hand(vectors):
    table = WordVectors(
        ["cat", "dog", "car", "<unk>"], [[1, 0], [1, 1], [0, 1], [1, 0]]
    )
    table = WordVectors(table.words, table.matrix, unknown="<unk>")
    found = neighbors(AverageEncoder(table), ["cat"])
    assert found["neighbor"].tolist() == ["dog", "car"]
    assert_allclose(found["similarity"], [np.sqrt(0.5), 0], atol=1e-7)


def test_neighbors_of_all_ways_to_give_an_encoder(bundled):
    estimators = ways(bundled[0])
    queries = ["king", "not bad"]
    candidates = ["queen", "good", "train", "kings", "terrible"]
    expected = neighbors(estimators["transformer"], queries, candidates)
    plain = neighbors(estimators["pipeline"][0], queries, candidates)
    assert not np.allclose(expected["similarity"], plain["similarity"])
    for estimator in estimators.values():
        found = neighbors(estimator, queries, candidates)
        assert_array_equal(found["neighbor"], expected["neighbor"])
        assert_allclose(found["similarity"], expected["similarity"], atol=1e-6)
    words = neighbors(estimators["search"], ["king"], n_neighbors=2)
    assert words["neighbor"][0] == "kings"


def test_nearest_units_are_those_of_the_table(letters, trained, monkeypatch):
    monkeypatch.setattr(_neighbors, "_BLOCK", 3)
    found = nearest_units(letters, ["a", "d", "a"], n_neighbors=4)
    for start, unit in ((0, "a"), (4, "d"), (8, "a")):
        rows = found[start : start + 4]
        expected = letters.vectors_.nearest(unit, 4)
        assert rows["neighbor"].tolist() == [word for word, _ in expected]
        assert_allclose(rows["similarity"], [s for _, s in expected], atol=1e-6)
    few = nearest_units(letters.vectors_, ["a"], ["a", "c", "b", "c"])
    assert sorted(few["neighbor"]) == ["b", "c"]
    monkeypatch.undo()
    found = nearest_units(FrozenEstimator(trained), ["king"], n_neighbors=3)
    expected = trained.vectors_.nearest("king", 3)
    assert found["neighbor"].tolist() == [word for word, _ in expected]


def test_neighbors_refuse(letters, vectors):
    encoder = AverageEncoder(vectors)
    with pytest.raises(TypeError, match=r"Letters has no table of words.*candidates="):
        neighbors(letters, ["a"])
    with pytest.raises(TypeError, match="got 'cat'"):
        neighbors(encoder, "cat")
    with pytest.raises(ValueError, match="queries must be texts"):
        neighbors(encoder, [("a", "b")])
    with pytest.raises(ValueError, match="n_neighbors"):
        neighbors(encoder, ["w1"], n_neighbors=0)
    with pytest.raises(NotFittedError):
        neighbors(ParagramEncoder(vectors), ["w1"])
    with pytest.raises(TypeError, match="LogisticRegression, which has no transform"):
        neighbors(LogisticRegression(), ["w1"], ["w2"])
    with pytest.raises(ValueError, match="not vectors of shape"):
        flat = FunctionTransformer(lambda X: np.ones(len(X)))
        neighbors(make_pipeline(flat), ["w1"], ["w2"])
    with pytest.raises(ValueError, match=r"1 of 2 units are not in .* 'nothing'"):
        nearest_units(encoder, ["w1", "nothing"])
    with pytest.raises(TypeError, match="Put it in a list"):
        nearest_units(encoder, "w1")
    with pytest.raises(TypeError, match="got LogisticRegression"):
        nearest_units(LogisticRegression(), ["w1"])
    with pytest.raises(NotFittedError):
        nearest_units(Letters(), ["a"])
    assert len(neighbors(encoder, [])) == len(neighbors(encoder, ["w1"], [])) == 0


# Token weights --------------------------------------------------------------------


def test_token_weights_by_hand():
    start = WordVectors(["a", "b", "c"], [[3, -4], [0, 1], [1, 1]])
    counts = {"a": 6, "b": 2}
    encoder = ParagramEncoder(start)
    encoder.vectors_ = start.replace(np.array([[0, -4.0], [0, 2], [1, 1]]))
    found = token_weights(encoder, counts, a=0.25)
    assert found.index.tolist() == ["a", "b", "c"]
    assert_allclose(found["l1"], [4, 2, 2])
    assert_allclose(found["l2"], [4, 2, np.sqrt(2)])
    assert_allclose(found["count"], [6, 2, 0])
    assert_allclose(found["frequency"], [0.75, 0.25, 0])
    assert_allclose(found["sif"], [0.25, 0.5, 1])
    assert_allclose(found["distance"], [3, 1, 0])
    other = start.replace(np.zeros((3, 2)))
    assert_allclose(token_weights(encoder, counts, other)["distance"], found["l2"])
    assert_allclose(token_weights(start, counts)["l1"], [7, 1, 2])
    assert token_weights(start, counts)["distance"].isna().all()


def test_token_weights_where_the_start_is_unknown(letters):
    frame = token_weights(letters)
    assert frame[["count", "frequency", "sif", "distance"]].isna().all(axis=None)
    assert token_weights(letters, {"a": 2})["count"].tolist() == [2] + [0] * 9
    weighted = ParagramEncoder(weighting="sif", max_epochs=0, device="cpu")
    weighted.fit([("a cat", "the cat"), ("dogs", "a dog")])
    assert token_weights(weighted)["distance"].isna().all()
    start = token_weights(weighted, initial=weighted.vectors_)
    assert (start["distance"] == 0).all()


@pytest.mark.parametrize("make", [SIFEncoder, TfidfEncoder])
def test_token_weights_of_weighted_averages(bundled, make):
    encoder = make_pipeline(make(), PairSimilarity()).fit(bundled[0])
    frame = token_weights(encoder)
    for word in ("the", "cat"):
        vector = encoder[0].transform([word])[0]
        assert_allclose(frame.loc[word, "l1"], np.abs(vector).sum(), rtol=1e-5)
        assert_allclose(frame.loc[word, "l2"], np.linalg.norm(vector), rtol=1e-5)


def test_weights_make_tables(trained):
    """The experiment of the paper's section 6, on a table of the package."""
    start = load_word_vectors()
    frame = token_weights(trained)
    sif = start.replace(start.rows(slice(None)) * frame[["sif"]].to_numpy())
    texts = ["A cat sleeps on the mat.", "He said no."]
    assert_allclose(
        AverageEncoder(sif).transform(texts),
        SIFEncoder().fit(texts).transform(texts),
        atol=1e-6,
    )


def test_token_weights_refuse(vectors):
    with pytest.raises(ValueError, match="initial must hold the words"):
        token_weights(vectors, initial=WordVectors(["a"], [[1.0]]))
    with pytest.raises(TypeError, match="frequencies must be"):
        token_weights(vectors, frequencies="corpus")
    with pytest.raises(NotFittedError):
        token_weights(SIFEncoder(vectors))


def test_token_weights_display(trained):
    frame = token_weights(trained)
    display = TokenWeightsDisplay.from_estimator(trained, column="l1")
    occurring = frame[frame["frequency"] > 0]
    points = display.scatter_.get_offsets()
    assert_allclose(points, occurring[["frequency", "l1"]])
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_xscale() == "log"
    assert frame["l1"][frame["frequency"] > 0].idxmax() in [
        text.get_text() for text in display.texts_
    ]
    x, y = display.line_.get_data()
    assert (np.diff(x) > 0).all()
    assert (min(y) > frame["l1"].min()) and (max(y) < frame["l1"].max())
    again = TokenWeightsDisplay(frame, column="sif").plot(
        display.ax_, words=["the", "cat"], scatter_kwargs={"c": "red", "lw": 1}
    )
    assert again.ax_ is display.ax_
    assert [text.get_text() for text in again.texts_] == ["the", "cat"]
    assert_allclose(again.texts_[0].xy, frame.loc["the", ["frequency", "sif"]])
    display.figure_.canvas.draw()


def test_token_weights_display_refuses(letters):
    frame = token_weights(letters, {"a": 2})
    with pytest.raises(ValueError, match="column must be"):
        TokenWeightsDisplay(frame, column="l3")
    with pytest.raises(ValueError, match=r"lacks the columns \['frequency'\]"):
        TokenWeightsDisplay(frame[["l2"]])
    with pytest.raises(ValueError, match=r"\['q'\] are not in the table"):
        TokenWeightsDisplay(frame).plot(words=["q"])
    with pytest.raises(ValueError, match="give frequencies"):
        TokenWeightsDisplay.from_estimator(letters)
    assert len(TokenWeightsDisplay(frame).plot().texts_) == 1


# Scores by group --------------------------------------------------------------------


def test_lengths_and_unknown_words_by_hand():
    pairs = [("a b, c", "a"), ("", "A  d d"), ("x-y a-x", "e'e")]
    assert pair_lengths(pairs).tolist() == [4, 3, 2]
    assert pair_lengths(pairs, tokenizer=str.split).tolist() == [3, 3, 2]
    assert pair_lengths(pairs, tokenizer=lambda text: text).tolist() == [6, 6, 7]
    known = ["a", "b", ","]
    assert unknown_words(pairs, known).tolist() == [1, 2, 2]
    whole = WordTokenizer(split_compounds=False, lowercase=False)
    assert unknown_words(pairs, known, tokenizer=whole).tolist() == [1, 3, 3]
    table = WordVectors(known, np.eye(3))
    assert unknown_words(pairs, table).tolist() == [1, 2, 2]
    assert unknown_words(pairs, WordFrequencies({"a": 1})).tolist() == [3, 2, 2]
    assert len(pair_lengths([])) == len(unknown_words([], known)) == 0
    with pytest.raises(TypeError, match="got one str"):
        unknown_words(pairs, "abc")


def test_lengths_do_not_depend_on_blocks(bundled, monkeypatch):
    pairs = bundled[0]
    lengths, unknown = pair_lengths(pairs), unknown_words(pairs, ["the", "a"])
    monkeypatch.setattr(_scores, "_BLOCK", 7)
    assert_array_equal(pair_lengths(pairs), lengths)
    assert_array_equal(unknown_words(pairs, ["the", "a"]), unknown)


def test_grouped_scores_are_those_of_scipy():
    rng = np.random.default_rng(0)
    true, predicted = rng.normal(size=(2, 200))
    values = rng.integers(0, 13, size=200)
    found = grouped_scores(true, predicted, values, bins=[0, 3, 4, 10])
    assert found.index.tolist() == ["0", "1-3", "4", "5-10", ">=11", "all"]
    limits = [(0, 0), (1, 3), (4, 4), (5, 10), (11, 99), (0, 99)]
    for row, (low, high) in zip(found.itertuples(), limits, strict=True):
        inside = (values >= low) & (values <= high)
        assert row.n_pairs == inside.sum()
        assert_allclose(row.pearson, pearsonr(true[inside], predicted[inside])[0])
        assert_allclose(row.spearman, spearmanr(true[inside], predicted[inside])[0])


def test_groups_of_one_and_none_are_nan():
    found = grouped_scores([1, 2, 3], [1, 2, 4], [1, 1, 2], bins=[1, 2, 5])
    assert found["n_pairs"].tolist() == [2, 1, 0, 0, 3]
    assert found["pearson"].isna().tolist() == [False, True, True, True, False]
    none = grouped_scores([], [], [], bins=[1])
    assert none["n_pairs"].tolist() == [0, 0, 0]
    assert none["pearson"].isna().all()


@pytest.mark.parametrize("bins", [[], [3, 3], [4, 2], [-1, 2], [1.5]])
def test_bins_must_rise(bins):
    with pytest.raises(ValueError, match="bins must be rising"):
        grouped_scores([1, 2], [1, 2], [1, 2], bins=bins)


def test_grouped_scores_refuse():
    with pytest.raises(ValueError, match="whole numbers"):
        grouped_scores([1, 2], [1, 2], [1, 0.5])
    with pytest.raises(ValueError, match="inconsistent"):
        grouped_scores([1, 2], [1, 2], [1])
    with pytest.raises(ValueError, match="y_pred contains NaN"):
        grouped_scores([1, 2], [1, np.nan], [1, 2])


def test_scores_of_all_ways_to_give_an_estimator(bundled):
    pairs, gold = bundled
    estimators = ways(pairs)
    predicted = estimators["pipeline"].predict(pairs)
    lengths = [max(map(len, WordTokenizer().tokenize(list(pair)))) for pair in pairs]
    expected = grouped_scores(gold, predicted, lengths, bins=[5, 7, 9])
    for name in ("pipeline", "frozen", "search", "transformer", "features"):
        found = scores_by_length(estimators[name], pairs, gold, bins=[5, 7, 9])
        assert_array_equal(found["n_pairs"], expected["n_pairs"])
        assert_allclose(found["pearson"], expected["pearson"], atol=1e-6)
    encoder = estimators["pipeline"][0]
    plain = make_pipeline(FrozenEstimator(encoder), PairSimilarity()).fit(pairs)
    assert_allclose(
        scores_by_length(encoder, pairs, gold), scores_by_length(plain, pairs, gold)
    )


def test_scores_use_the_tokenizer_of_the_encoder(bundled):
    pairs, gold = bundled
    encoder = AverageEncoder(tokenizer=lambda text: [*text])
    found = scores_by_length(encoder, pairs, gold, bins=[20, 40])
    lengths = np.array([max(map(len, pair)) for pair in pairs])
    assert found["n_pairs"].tolist() == [
        (lengths <= 20).sum(),
        ((lengths > 20) & (lengths <= 40)).sum(),
        (lengths > 40).sum(),
        len(pairs),
    ]
    words = scores_by_length(encoder, pairs, gold, tokenizer=str.split)
    assert words["n_pairs"].iloc[0] == sum(
        max(len(text.split()) for text in pair) <= 4 for pair in pairs
    )


def test_scores_by_unknown_words(bundled, letters):
    pairs, gold = bundled
    vocabulary = set("the a is in of on to and . , ?".split())
    vocabulary |= {word for text in pairs[:300, 0] for word in text.lower().split()}
    tokens = WordTokenizer(split_compounds=False)
    counts = np.array(
        [
            sum(
                word not in vocabulary
                for text in tokens.tokenize(pair)
                for word in text
            )
            for pair in pairs.tolist()
        ]
    )
    encoder = AverageEncoder()
    predicted = make_pipeline(encoder, PairSimilarity()).fit(pairs).predict(pairs)
    found = scores_by_unknown(
        encoder, pairs, gold, vocabulary=vocabulary, tokenizer=tokens
    )
    assert found.index.tolist() == ["0", "1", "2", ">=3", "any", "all"]
    groups = [counts == 0, counts == 1, counts == 2, counts >= 3, counts > 0]
    for group, row in zip(groups, found.itertuples(), strict=False):
        assert row.n_pairs == group.sum() > 2
        expected = pearsonr(gold[group], predicted[group])[0]
        assert_allclose(row.pearson, expected, rtol=1e-5)
    own = scores_by_unknown(encoder, pairs, gold, bins=[0])
    lacking = unknown_words(pairs, load_word_vectors())
    assert own.loc["0", "n_pairs"] == (lacking == 0).sum()
    assert own.loc["any", "n_pairs"] == own.loc[">=1", "n_pairs"] == (lacking > 0).sum()
    with pytest.raises(TypeError, match="Letters has no table of words"):
        scores_by_unknown(letters, pairs, gold)
    assert len(scores_by_unknown(letters, pairs, gold, vocabulary=vocabulary)) == 6


def test_grouped_scores_display(bundled):
    pairs, gold = bundled
    average, sif = AverageEncoder(), SIFEncoder().fit(pairs)
    first = GroupedScoresDisplay.from_estimator(average, pairs, gold, bins=[5, 9])
    scores = scores_by_length(average, pairs, gold, bins=[5, 9])
    assert_allclose(first.line_.get_ydata(), scores["pearson"][:-1])
    assert_allclose(first.all_line_.get_ydata(), scores.loc["all", "pearson"])
    assert [label.get_text() for label in first.ax_.get_xticklabels()] == [
        f"{group}\n{n}"
        for group, n in zip(
            ["\u22645", "6\u20139", "\u226510"], scores["n_pairs"], strict=False
        )
    ]
    second = GroupedScoresDisplay.from_predictions(
        gold,
        make_pipeline(sif, PairSimilarity()).fit(pairs).predict(pairs),
        pair_lengths(pairs),
        bins=[5, 9],
        metric="spearman",
        name="SIF",
        ax=first.ax_,
        line_kwargs={"linestyle": ":"},
    )
    assert second.ax_ is first.ax_
    assert second.figure_ is first.figure_
    assert second.line_.get_linestyle() == ":"
    legend = [text.get_text() for text in second.ax_.get_legend().get_texts()]
    assert legend[0].startswith("AverageEncoder (all 0.")
    assert legend[1].startswith("SIF (all 0.")
    assert first.line_.get_color() != second.line_.get_color()
    second.figure_.canvas.draw()
    with pytest.raises(ValueError, match="other groups"):
        GroupedScoresDisplay.from_estimator(average, pairs, gold, ax=first.ax_)
    unknown = GroupedScoresDisplay.from_estimator(
        average, pairs, gold, by="unknown", vocabulary=["the", "a"], bins=[4, 5]
    )
    assert len(unknown.line_.get_ydata()) == 3
    with pytest.raises(ValueError, match="by must be"):
        GroupedScoresDisplay.from_estimator(average, pairs, gold, by="words")
    with pytest.raises(ValueError, match="metric must be"):
        first.plot(metric="kendall")
    with pytest.raises(ValueError, match="lacks the columns"):
        GroupedScoresDisplay(scores[["pearson"]])


# Margins ----------------------------------------------------------------------------


def test_margins_by_hand():
    table = WordVectors(
        ["a", "b", "c", "d", "e", "f"],
        [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [0, -2]],
    )
    pairs = [("a", "b"), ("c", "d"), ("e", "f")]
    found = margins(AverageEncoder(table), pairs)
    half = np.sqrt(0.5)
    assert_allclose(found["positive"], [half, half, 0], atol=1e-6)
    assert_allclose(found["negative1"], [0, half, half], atol=1e-6)
    assert_allclose(found["negative2"], [half, half, 0], atol=1e-6)
    assert_allclose(found["margin"], [half, 0, -half], atol=1e-6)
    assert found["text1"][1:].tolist() == ["b", "d"]
    assert found["text2"][:2].tolist() == ["c", "e"]


@pytest.mark.parametrize("mask_identical", [False, True])
@pytest.mark.parametrize("negatives", ["max", "mix", "random"])
@pytest.mark.parametrize("pool", ["both", "first"])
def test_negatives_are_those_of_training(paraphrases, negatives, pool, mask_identical):
    pairs = np.concatenate([paraphrases[:30], paraphrases[5:15, ::-1]])
    found = margins(
        AverageEncoder(),
        pairs,
        negatives,
        batch_size=100,
        random_state=3,
        negative_pool=pool,
        mask_identical=mask_identical,
        shuffle=False,
    )
    vectors = AverageEncoder().transform(pairs).reshape(2 * len(pairs), -1)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    flat = pairs.ravel()
    chosen, _ = choose_negatives(
        torch.from_numpy(unit),
        np.unique(flat, return_inverse=True)[1],
        how=negatives,
        pool=pool,
        mask_identical=mask_identical,
        random_state=np.random.RandomState(3),
    )
    cosines = (unit * unit[chosen.numpy()]).sum(axis=1).reshape(-1, 2)
    assert_allclose(found[["negative1", "negative2"]], cosines, atol=1e-6)
    if negatives == "random":
        assert_array_equal(found[["text1", "text2"]], flat[chosen].reshape(-1, 2))


@pytest.mark.parametrize("block", [1, 10000])
@pytest.mark.parametrize("n_pairs", [40, 41, 45])
def test_margins_of_batches(paraphrases, monkeypatch, block, n_pairs):
    """Each batch by itself, against the most similar text found one by one."""
    monkeypatch.setattr(_margins, "_BLOCK", block)
    pairs = paraphrases[:n_pairs]
    encoder = AverageEncoder()
    found = margins(encoder, pairs, batch_size=10, random_state=0)
    order = np.arange(n_pairs)
    np.random.RandomState(0).shuffle(order)
    bounds = [0, 10, 20, 30, n_pairs if n_pairs == 41 else 40, n_pairs]
    for start, stop in pairwise(bounds):
        for row in order[start:stop]:
            others = [pairs[other] for other in order[start:stop] if other != row]
            texts = np.concatenate(others)
            for side, column in enumerate(["negative1", "negative2"]):
                vector = encoder.transform([pairs[row][side]])[0]
                cosines = [1 - cosine(vector, v) for v in encoder.transform(texts)]
                assert_allclose(found[column][row], max(cosines), atol=1e-5)


def test_margins_grow_in_training(trained, paraphrases):
    before = margins(AverageEncoder(), paraphrases, random_state=0)
    pipe = make_pipeline(FrozenEstimator(trained), PairSimilarity()).fit(paraphrases)
    after = margins(pipe, paraphrases, random_state=0)
    assert after["margin"].mean() > before["margin"].mean() + 0.1
    assert_allclose(after["positive"], pipe.predict(paraphrases), atol=1e-6)


def test_margins_without_candidates(vectors):
    pairs = [("w1", "w2"), ("w2", "w1"), ("w1", "w2")]
    found = margins(AverageEncoder(vectors), pairs, mask_identical=True)
    assert found[["negative1", "negative2", "margin"]].isna().all(axis=None)
    assert found["text1"].tolist() == [None] * 3
    with pytest.raises(ValueError, match="No pair has a negative"):
        MarginDisplay.from_predictions(
            found["positive"], found[["negative1", "negative2"]]
        )
    identical = margins(AverageEncoder(vectors), pairs)
    assert_allclose(identical["negative1"], 1, atol=1e-6)


def test_margins_refuse(vectors, pairs):
    encoder = AverageEncoder(vectors)
    with pytest.raises(ValueError, match="Found 1 pairs"):
        margins(encoder, pairs[:1])
    with pytest.raises(ValueError, match="negatives must be"):
        margins(encoder, pairs, "hard")
    with pytest.raises(ValueError, match="negative_pool"):
        margins(encoder, pairs, negative_pool="second")
    with pytest.raises(ValueError, match="batch_size"):
        margins(encoder, pairs, batch_size=1)
    with pytest.raises(ValueError, match="Expected pairs"):
        margins(encoder, ["w1", "w2"])


def test_margin_display(paraphrases):
    encoder = AverageEncoder()
    frame = margins(encoder, paraphrases, random_state=0)
    display = MarginDisplay.from_estimator(encoder, paraphrases, random_state=0)
    assert_allclose(display.mean_margin_, frame["margin"].mean())
    title = display.ax_.get_title()
    assert title == f"AverageEncoder: mean margin {frame['margin'].mean():.3f}"
    assert display.figure_ is display.ax_.figure
    assert len(display.ax_.get_legend().get_texts()) == 2
    again = MarginDisplay.from_predictions(
        [0.5, 1.0],
        [[0.25, 0.25], [0.75, np.nan]],
        name="by hand",
        ax=display.ax_,
        positive_kwargs={"color": "red"},
    )
    assert again.mean_margin_ == 0.5
    assert again.ax_ is display.ax_
    assert again.positive_.get_facecolor()[:3] == (1, 0, 0)
    display.figure_.canvas.draw()
    with pytest.raises(ValueError, match="must be of shape"):
        MarginDisplay.from_predictions([0.5, 1.0], [[0.5], [0.5]])
    with pytest.raises(ValueError, match="inconsistent"):
        MarginDisplay.from_predictions([0.5], [[0.5, 1], [0.5, 0]])


# Optional packages ------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["pandas", "matplotlib"])
def test_missing_packages_are_named(vectors, pairs, gold, monkeypatch, missing):
    encoder = AverageEncoder(vectors)
    frame = margins(encoder, pairs)
    scores = grouped_scores(gold, gold, pair_lengths(pairs))
    weights = token_weights(encoder, {"w1": 1})
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == missing:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    calls = {
        "pandas": [
            lambda: neighbors(encoder, ["w1"]),
            lambda: nearest_units(encoder, ["w1"]),
            lambda: token_weights(encoder),
            lambda: scores_by_length(encoder, pairs, gold),
            lambda: scores_by_unknown(encoder, pairs, gold),
            lambda: margins(encoder, pairs),
        ],
        "matplotlib": [
            lambda: GroupedScoresDisplay(scores).plot(),
            lambda: TokenWeightsDisplay(weights).plot(),
            lambda: MarginDisplay(
                positive=frame["positive"].to_numpy(),
                negative=frame[["negative1", "negative2"]].to_numpy(),
            ).plot(),
        ],
    }[missing]
    monkeypatch.setattr(builtins, "__import__", without)
    for call in calls:
        with pytest.raises(ImportError, match=f"pip install {missing}"):
            call()
