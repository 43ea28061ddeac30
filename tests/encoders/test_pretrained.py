"""The bundled encoder, and its similarities."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import pickle
import re
import warnings
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cosine
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline

import skparaphrase
from skparaphrase.datasets import load_paraphrases, load_word_vectors
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    ParaphraseEncoder,
    SIFEncoder,
)
from skparaphrase.metrics import pearson_scorer
from skparaphrase.pairs import EncoderUnion, PairFeatures, PairSimilarity

FILE = files("skparaphrase.encoders") / "data" / "english.npz"


@pytest.fixture(scope="module")
def encoder():
    return skparaphrase.load_pretrained()


def test_the_file_is_small_and_is_read_as_it_was_written(encoder):
    vectors = encoder.vectors
    assert (len(vectors), vectors.dim, vectors.dtype) == (60_000, 256, np.int8)
    assert vectors.unknown == "subword"
    assert len(FILE.read_bytes()) < 5.5e6
    with FILE.open("rb") as file, np.load(file) as data:
        words = bytes(data["words"]).decode().split("\n")
        matrix, scale = data["matrix"], data["scale"]
    assert list(vectors.words) == words
    for row in (0, 1, 9_999, len(matrix) - 1):
        steps = np.float32(matrix[row].tolist())
        assert_array_equal(vectors[words[row]], steps * np.float32(scale[row]))


def test_every_call_gives_a_new_encoder_with_the_same_table(encoder):
    again = skparaphrase.load_pretrained()
    assert again is not encoder
    assert again.vectors is encoder.vectors
    assert clone(again).vectors is encoder.vectors


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("dim", [2, 64, 128])
def test_fewer_dimensions_are_the_first_ones(encoder, dim):
    short = skparaphrase.load_pretrained(dim=dim, pooling="mean")
    whole = skparaphrase.load_pretrained(pooling="mean", norm=None)
    texts = ["A cat sleeps.", "The zzxqys were unhearded, 9000 of them"]
    expected = unit(whole.transform(texts)[:, :dim])  # cut first, then scaled
    assert_allclose(short.transform(texts), expected, rtol=1e-5, atol=1e-6)
    assert_array_equal(short.transform([""]), np.zeros((1, dim)))
    assert (len(short.vectors), short.vectors.dim) == (60_000, dim)
    n_bytes = short.vectors.matrix.nbytes
    assert n_bytes == 60_000 * dim and short.vectors.matrix.base.nbytes == n_bytes
    assert short.vectors.subwords.matrix.nbytes == 8192 * dim
    again = skparaphrase.load_pretrained(dim=np.int64(dim))
    assert again.vectors is clone(short).vectors is short.vectors
    assert short.vectors is not encoder.vectors
    assert skparaphrase.load_pretrained(dim=256).vectors is encoder.vectors


def test_distinct_words_of_fewer_dimensions_are_weighted_by_them():
    short = skparaphrase.load_pretrained(dim=64)
    words = ["the", "cat", "saw", "a", "small", "cat"]
    rows = np.array([short.vectors[word] for word in words[:-1]])
    directions = unit(rows)
    s = np.maximum(directions @ directions.sum(axis=0), 1) ** -0.5
    average = s @ rows
    average /= np.linalg.norm(average)
    expected = (s * (0.3 + np.maximum(directions @ average, 0)) ** -0.35) @ rows
    found = short.transform([" ".join(words)])
    assert_allclose(unit(found)[0], unit(expected[np.newaxis])[0], atol=1e-5)


def test_fits_that_need_not_learn_are_silent(encoder):
    pairs = load_paraphrases().data[:20]
    texts, labels = pairs[:, 0], np.arange(20) % 2
    members = [("a", encoder), ("b", AverageEncoder())]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.fit(texts)
        encoder.fit_transform(iter(pairs))
        encoder.fit_transform(pairs, labels)
        make_pipeline(encoder).fit(texts, labels)
        make_pipeline(encoder, PairSimilarity()).fit(pairs, labels)
        EncoderUnion(members).fit(pairs, labels).fit_transform(pairs)
        FeatureUnion(members).fit(texts, labels)
        FrozenEstimator(encoder).fit(pairs, labels)
        search = GridSearchCV(
            encoder, {"pooling": ["mean"]}, scoring=pearson_scorer, cv=2
        )
        search.fit(pairs, np.arange(20.0))
    assert_array_equal(encoder.fit_transform(pairs), encoder.transform(pairs))
    frame = encoder.set_output(transform="pandas").fit_transform(pairs[:, 0])
    assert frame.columns[0] == "averageencoder0"
    encoder.set_output(transform="default")


def test_fits_that_learn_nothing_name_the_class_that_trains(encoder):
    pairs = load_paraphrases().data[:20]
    for arguments in [(pairs,), (pairs, np.arange(20.0)), (pairs[:, 0], ["a"] * 20)]:
        with pytest.warns(
            UserWarning, match=r"nothing.*ParaphraseEncoder\(\)"
        ) as caught:
            encoder.fit(*arguments)
        assert [each.filename for each in caught] == [__file__]


@pytest.mark.filterwarnings("ignore:AverageEncoder learns nothing")
def test_fit_trains_where_the_pages_say(encoder):
    pairs = load_paraphrases().data[:200]
    texts = pairs[:, 0]
    before = encoder.transform(texts)
    fitted = skparaphrase.load_pretrained().fit(pairs)
    assert_array_equal(fitted.transform(texts), before)
    trained = ParaphraseEncoder(max_epochs=0).fit(pairs)
    assert_allclose(trained.transform(texts), before, atol=1e-5)  # starts from it
    assert not np.allclose(ParaphraseEncoder().fit(pairs).transform(texts), before)


GERMAN = [
    "Wo ist mein Paket? Ich habe mein Passwort vergessen.",
    "Die Straßen standen nach dem Sturm unter Wasser.",
    "Gestern sind die Aktien stark gefallen.",
    "Eine Frau spielt Gitarre in einer Band.",
    "Wie kann ich mein Konto löschen?",
    "Der Hund läuft über die Wiese und bellt laut.",
    "Mein Zug hatte heute Morgen wieder Verspätung.",
]


def test_another_language_warns_once():
    encoder = AverageEncoder(
        pickle.loads(pickle.dumps(load_word_vectors().astype("float32")))
    )
    english = load_paraphrases().data[:200]
    encoder.transform(english)
    encoder.transform(
        [f"Order {number} was shipped" for number in range(10_000, 10_100)]
    )
    with pytest.warns(UserWarning, match="the table lacks") as caught:
        encoder.transform(GERMAN)
        encoder.transform(GERMAN)
    assert len(caught) == 1
    few = AverageEncoder(load_word_vectors().astype("float32"))
    with pytest.warns(UserWarning, match=r"lacks are \d\d% of the words"):
        few.transform(GERMAN)
    words = [word for text in GERMAN for word in re.findall(r"\w+|[.,?]", text.lower())]
    share = np.mean([word not in encoder.vectors for word in words])
    assert f"lacks are {share:.0%} of" in str(caught[0].message)


def test_pooling_is_a_choice(encoder):
    plain = skparaphrase.load_pretrained(pooling="mean")
    assert plain.vectors is encoder.vectors
    texts = ["A cat sleeps.", "A cat, a cat and a kitten sleep."]
    expected = AverageEncoder(encoder.vectors, norm="l2").transform(texts)
    assert_array_equal(plain.transform(texts), expected)
    assert (plain.transform(texts) != encoder.transform(texts)).any(axis=1).all()


def test_the_large_encoder_is_a_folder_of_two(encoder, tmp_path):
    texts = ["A cat sleeps.", "The cat is asleep.", "It rained all day."]
    AverageEncoder(encoder.vectors).save(tmp_path / "words")
    characters = CharagramEncoder(min_count=1, dim=8, max_epochs=1, random_state=0)
    characters.fit([texts[:2], texts[1:]]).save(tmp_path / "characters")
    for pooling in ("mean", "distinct"):
        large = skparaphrase.load_pretrained(tmp_path, pooling=pooling)
        found = clone(large).fit(texts).transform(texts)
        words = AverageEncoder(encoder.vectors, pooling=pooling).transform(texts)
        parts = [(0.65, words), (0.35, characters.transform(texts))]
        unit = [
            share**0.5 * x / np.linalg.norm(x, axis=1)[:, np.newaxis]
            for share, x in parts
        ]
        assert_allclose(found, np.hstack(unit), atol=1e-5)
    with pytest.raises(ValueError, match="'pooling' parameter"):
        skparaphrase.load_pretrained(tmp_path, pooling="max")
    for options in ({"dim": 128}, {"norm": None}):
        with pytest.raises(ValueError, match="neither dim nor norm=None"):
            skparaphrase.load_pretrained(tmp_path, **options)


# Similarity, against SciPy's cosine of the vectors

FIRST = ["A cat sleeps.", "Two dogs bark.", "It rains."]
SECOND = ["The cat is asleep.", "It rained all day.", "It rains."]


@pytest.fixture(params=["pretrained", "pipeline"])
def compared(request):
    if request.param == "pretrained":
        return None
    return make_pipeline(SIFEncoder(), CommonComponentRemoval()).fit(FIRST + SECOND)


def test_similarity_is_the_cosine(compared):
    transform = (compared or skparaphrase.load_pretrained()).transform
    vectors = zip(transform(FIRST), transform(SECOND), strict=True)
    expected = [1 - cosine(first, second) for first, second in vectors]
    found = skparaphrase.similarity(FIRST, np.array(SECOND), compared)
    assert found.shape == (3,)
    assert_allclose(found, expected, atol=1e-6)
    one = skparaphrase.similarity(FIRST[0], SECOND[0], compared)
    assert type(one) is float
    assert one == pytest.approx(expected[0], abs=1e-6)


def test_one_text_is_compared_with_all_others(compared):
    expected = skparaphrase.similarity(FIRST[:1] * 3, SECOND, compared)
    for found in (
        skparaphrase.similarity(FIRST[0], SECOND, compared),
        skparaphrase.similarity(np.array(SECOND), FIRST[0], compared),
    ):
        assert_allclose(found, expected, atol=1e-6)


def test_a_matrix_compares_each_with_each(compared):
    found = skparaphrase.similarity(FIRST[:2], SECOND, compared, matrix=True)
    rows = [skparaphrase.similarity(text, SECOND, compared) for text in FIRST[:2]]
    assert found.shape == (2, 3)
    assert_allclose(found, rows, atol=1e-6)
    one = skparaphrase.similarity(FIRST[0], SECOND[0], compared, matrix=True)
    assert one.shape == (1, 1)
    own = skparaphrase.similarity([*FIRST, ""], encoder=compared)
    assert_allclose(own, own.T, atol=1e-6)
    assert_allclose(own.diagonal()[:3], 1, atol=1e-6)
    row = skparaphrase.similarity(FIRST[0], FIRST, compared)
    assert_allclose(own[0, :3], row, atol=1e-6)
    if compared is None:
        assert not own[3].any()


def test_probabilities_are_those_of_the_committed_fit():
    """Platt's sigmoid of the cosine, with the coefficients from the script."""
    path = Path(__file__).parents[2] / "benchmarks/results/probability.json"
    fit = json.loads(path.read_text("utf-8"))["results"]
    pairs = skparaphrase.datasets.load_graded_pairs().data[:50]
    cosines = skparaphrase.similarity(*pairs.T).astype(float)
    logits = fit["slope"] * cosines + fit["intercept"]
    found = skparaphrase.similarity(*pairs.T, probability=True)
    assert_allclose(found, 1 / (1 + np.exp(-logits)), atol=0.002)
    first = skparaphrase.similarity(*pairs[0], probability=True)
    assert isinstance(first, float) and first == pytest.approx(found[0], abs=1e-6)
    texts = pairs[:4, 0]
    matrix = skparaphrase.similarity(texts, pairs[:3, 1], matrix=True, probability=True)
    assert_allclose(matrix.diagonal(), found[:3], atol=1e-6)


def test_probabilities_of_ones_own_encoder():
    """The four lines of the page are a logistic regression on the cosine."""
    pairs, scores = skparaphrase.datasets.load_graded_pairs(return_X_y=True)
    y = scores >= 4
    model = make_pipeline(
        SIFEncoder(), PairFeatures(["cosine"]), LogisticRegression(C=10)
    )
    found = model.fit(pairs[::2], y[::2]).predict_proba(pairs[1::2])[:, 1]
    cosines = [1 - cosine(*both) for both in SIFEncoder().fit_transform(pairs)]
    column = np.reshape(cosines, (-1, 1))
    alone = LogisticRegression(C=10).fit(column[::2], y[::2])
    assert_allclose(found, alone.predict_proba(column[1::2])[:, 1], atol=1e-3)
    assert abs(found.mean() - y[1::2].mean()) < 0.05


def test_no_texts_and_empty_texts():
    assert skparaphrase.similarity([], []).shape == (0,)
    assert skparaphrase.similarity("A cat sleeps.", []).shape == (0,)
    assert skparaphrase.similarity([]).shape == (0, 0)
    assert skparaphrase.similarity("", "A cat sleeps.") == 0.0
    assert skparaphrase.similarity(["A cat sleeps."]).shape == (1, 1)
    several = skparaphrase.similarity("A cat sleeps.", ["", "A cat sleeps.", ""])
    assert_allclose(several, [0, 1, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], ["b", "c"]), {}, "1 texts and b has 2: .* matrix=True"),
        (([("a", "b")], [("a", "b")]), {}, r"a must hold texts.*\(1, 2\)"),
        ((["a", None], ["b", "c"]), {}, "None"),
        (("A cat sleeps.",), {}, "b is None: pass one or more texts"),
        (("a", "b", SIFEncoder()), {"probability": True}, r"default .*sion\(C=10\)"),
    ],
)
def test_what_similarity_refuses(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        skparaphrase.similarity(*arguments, **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"dim": 0}, ValueError, "dim == 0, must be >= 1"),
        ({"dim": 257}, ValueError, "dim == 257, must be <= 256"),
        ({"dim": 128.0}, TypeError, "dim must be an instance of int, not float"),
        ({"dim": "128"}, TypeError, "dim must be an instance of int, not str"),
        ({"pooling": "max"}, ValueError, "'pooling' parameter"),
        ({"norm": "l1"}, ValueError, "'norm' parameter"),
        ({"name": "nothing"}, FileNotFoundError, "Unknown encoder 'nothing'"),
    ],
)
def test_what_load_pretrained_refuses(options, error, message):
    with pytest.raises(error, match=message):
        skparaphrase.load_pretrained(**options)
