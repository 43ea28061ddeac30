"""Missing and odd values of real tables, in whatever they come."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest

import skparaphrase
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.inspection import (
    explain_prediction,
    explain_similarity,
    nearest_texts,
    token_weights,
)
from skparaphrase.metrics import map_score, pearson_score
from skparaphrase.pairs import make_group_pairs
from skparaphrase.search import SemanticSearch
from skparaphrase.supervised import PairClassifier, SimilarityRegressor, TextClassifier
from skparaphrase.vectors import WordFrequencies, WordVectors

TEXTS = ["a cat", "a dog", "red rose", "blue sky", "my parcel", "late parcel"]
PAIRS = [*zip(TEXTS, TEXTS[::-1], strict=True)]
LABELS = [0, 1, 0, 1, 0, 1]
SCORES = [0, 1, 0.5, 0.25, 1, 0.75]
MISSING = {  # columns whose last value is missing
    "None": lambda values: [*values[:-1], None],
    "NA": lambda values: [*values[:-1], pd.NA],
    "NA, array": lambda values: np.array([*values[:-1], pd.NA], object),
    "NA, objects": lambda values: pd.Series([*values[:-1], pd.NA], dtype=object),
    "Float64": lambda values: pd.Series([*values[:-1], pd.NA], dtype="Float64"),
    "masked": lambda values: np.ma.array(values, mask=[False] * 5 + [True]),
}
WORDS = r"contains NaN|\[5\] is (None|nan|<NA>)|expected a number"
SHORT = ParaphraseEncoder(max_epochs=1)
FITS = {
    "TextClassifier": lambda y, w: TextClassifier().fit(TEXTS, y, sample_weight=w),
    "PairClassifier": lambda y, w: PairClassifier().fit(PAIRS, y, sample_weight=w),
    "ParaphraseEncoder": lambda y, w: SHORT.fit(TEXTS, y, sample_weight=w),
    "ParaphraseEncoder, pairs": lambda y, w: SHORT.fit(PAIRS, y, sample_weight=w),
    "SimilarityRegressor": lambda y, w: SimilarityRegressor(levels=[0, 1]).fit(
        PAIRS, y, sample_weight=w
    ),
}


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("fit", FITS)
def test_missing_labels_scores_and_weights(fit, missing):
    for y in (LABELS, SCORES) if fit == "SimilarityRegressor" else (LABELS,):
        with pytest.raises(ValueError, match=WORDS):
            FITS[fit](MISSING[missing](y), None)
        with pytest.raises(ValueError, match=WORDS):
            FITS[fit](y, MISSING[missing](SCORES))


@pytest.mark.parametrize("missing", MISSING)
def test_missing_values_of_metrics(missing):
    for call in (
        lambda: pearson_score(MISSING[missing](SCORES), SCORES),
        lambda: pearson_score(SCORES, MISSING[missing](SCORES)),
        lambda: map_score(MISSING[missing](LABELS), SCORES),
    ):
        with pytest.raises(ValueError, match=WORDS):
            call()


def test_masked_label_sets_and_vectors():
    sets = np.ma.array([[0, 1], [1, 0]] * 3, mask=False)
    sets[2, 1] = np.ma.masked
    with pytest.raises(ValueError, match=r"y\[2, 1\] is None"):
        TextClassifier().fit(TEXTS, sets)
    vectors = np.ma.array(np.eye(6, dtype=np.float32), mask=False)
    assert WordVectors(TEXTS, vectors).matrix.tolist() == np.eye(6).tolist()
    assert TextClassifier().fit(TEXTS, np.ma.array(LABELS)).classes_.tolist() == [0, 1]
    vectors[1, 0] = np.ma.masked
    for call, words in (
        (lambda: WordVectors(TEXTS, vectors), r"a masked number in row 1\."),
        (lambda: SHORT.fit(TEXTS, vectors + 0.5), "contains NaN"),
        (lambda: SemanticSearch().fit(vectors), "contains NaN"),
        (
            lambda: SemanticSearch().fit(TEXTS).search("a", mask=vectors[1] > 0),
            "mask must be .* dtype object",
        ),
        (lambda: SemanticSearch().fit(np.eye(6)).search(vectors), "contains NaN"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("dtype", ["str", "string", "object", "category"])
def test_groups_that_are_missing(dtype):
    names = ["x", "x", None, "y", None, "y"]
    groups = pd.Series(names, dtype=dtype)
    masked = np.ma.array(["x"] * 3 + ["y"] * 3, mask=[0, 0, 1, 0, 1, 0])
    listed = [pd.NA if name is None else name for name in names]
    for given in (groups, masked, listed):
        pairs = make_group_pairs(TEXTS, given).tolist()
        assert pairs == [[TEXTS[0], TEXTS[1]], [TEXTS[3], TEXTS[5]]]
        hits = SemanticSearch().fit(TEXTS).search("a cat", k=6, groups=given)
        assert len({*hits.text[0]} & {*TEXTS[:2]}) == 1  # one of each group
        with pytest.raises(ValueError, match=r"groups\[2\] is (None|nan|<NA>)"):
            ParaphraseEncoder(validation_fraction=0.5).fit(PAIRS, groups=given)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_tensors_as_vectors(dtype):
    torch = pytest.importorskip("torch")
    tensor = torch.eye(6, dtype=getattr(torch, dtype), requires_grad=True)
    assert WordVectors(TEXTS, tensor).matrix.tolist() == np.eye(6).tolist()
    search = SemanticSearch().fit(TEXTS, vectors=tensor)
    assert search.search(np.eye(6)[3:4], k=1).text.tolist() == [["blue sky"]]


def test_a_missing_text_is_not_similar_to_all():
    for missing in (None, float("nan"), pd.NA, [None], [pd.NA]):
        with pytest.raises((ValueError, TypeError), match=r"None|nan|<NA>"):
            skparaphrase.similarity("red bike", missing)
    with pytest.raises(ValueError, match="'a' has <NA>"):
        WordFrequencies({"a": pd.NA})


# Half an emoji, as of json.loads('"\\ud83d"') ----------------------------------------

HALF = ["late \ud83d parcel", "my late parcel", "red bike"]


def test_half_an_emoji_in_a_search():
    search = SemanticSearch().fit(HALF, ids=HALF, payload={"column": HALF})
    queries = pd.Series([HALF[0]], index=["x"], dtype=object)
    frame = search.search(queries, k=3, as_frame=True)
    assert frame["text"].tolist()[0] == frame["query"].tolist()[0] == HALF[0]
    assert frame["id"].tolist() == frame["column"].tolist() == frame["text"].tolist()
    assert frame.index.tolist() == ["x"] * 3
    hits = search.search(HALF[0], k=3)
    for shown in (repr(hits), hits._repr_html_()):
        assert "late \\ud83d parcel" in shown
        shown.encode()  # can be printed
    plain = SemanticSearch().fit(HALF[1:]).search("parcel", as_frame=True)
    assert plain["text"].dtype == pd.Series(["a"]).dtype


def test_half_an_emoji_in_explanations():
    shares = explain_similarity(HALF[0], HALF[1])
    assert shares.index.tolist() == ["late", "\ud83d", "parcel"]
    assert shares.columns.tolist() == ["my", "late", "parcel"]
    model = TextClassifier().fit(TEXTS, LABELS)
    assert explain_prediction(model, HALF[0]).index.tolist() == HALF[0].split()
    pairs = PairClassifier().fit(PAIRS, LABELS)
    words = explain_prediction(pairs, (HALF[0], HALF[1]))
    assert words.index.tolist()[1] == ("a", "\ud83d")
    encoder = skparaphrase.load_pretrained()
    found = nearest_texts(encoder, [HALF[0]], candidates=HALF, k=2)
    assert found["neighbor"].tolist() == HALF[1:]
    found = nearest_texts(encoder, ["parcel"], candidates=HALF, k=3)
    assert HALF[0] in found["neighbor"].tolist()
    table = WordVectors(["a", "\ud83d"], np.eye(2))
    assert token_weights(table).index.tolist() == ["a", "\ud83d"]
