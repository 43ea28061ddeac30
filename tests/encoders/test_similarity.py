"""`skparaphrase.similarity`, against SciPy's cosine of the vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cosine
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import SIFEncoder

FIRST = ["A cat sleeps.", "Two dogs bark.", "It rains."]
SECOND = ["The cat is asleep.", "It rained all day.", "It rains."]


@pytest.fixture(params=["pretrained", "pipeline"])
def encoder(request):
    if request.param == "pretrained":
        return None
    return make_pipeline(SIFEncoder(), CommonComponentRemoval()).fit(FIRST + SECOND)


def test_similarity_is_the_cosine(encoder):
    transform = (encoder or skparaphrase.load_pretrained()).transform
    vectors = zip(transform(FIRST), transform(SECOND), strict=True)
    expected = [1 - cosine(first, second) for first, second in vectors]
    found = skparaphrase.similarity(FIRST, np.array(SECOND), encoder)
    assert found.shape == (3,)
    assert_allclose(found, expected, atol=1e-6)
    one = skparaphrase.similarity(FIRST[0], SECOND[0], encoder)
    assert type(one) is float
    assert one == pytest.approx(expected[0], abs=1e-6)


def test_one_text_is_compared_with_all_others(encoder):
    expected = skparaphrase.similarity(FIRST[:1] * 3, SECOND, encoder)
    for found in (
        skparaphrase.similarity(FIRST[0], SECOND, encoder),
        skparaphrase.similarity(np.array(SECOND), FIRST[0], encoder),
    ):
        assert_allclose(found, expected, atol=1e-6)


def test_a_matrix_compares_each_with_each(encoder):
    found = skparaphrase.similarity(FIRST[:2], SECOND, encoder, matrix=True)
    rows = [skparaphrase.similarity(text, SECOND, encoder) for text in FIRST[:2]]
    assert found.shape == (2, 3)
    assert_allclose(found, rows, atol=1e-6)
    one = skparaphrase.similarity(FIRST[0], SECOND[0], encoder, matrix=True)
    assert one.shape == (1, 1)
    own = skparaphrase.similarity([*FIRST, ""], encoder=encoder)
    assert_allclose(own, own.T, atol=1e-6)
    assert_allclose(own.diagonal()[:3], 1, atol=1e-6)
    row = skparaphrase.similarity(FIRST[0], FIRST, encoder)
    assert_allclose(own[0, :3], row, atol=1e-6)
    if encoder is None:
        assert not own[3].any()


def test_no_texts_and_empty_texts():
    assert skparaphrase.similarity([], []).shape == (0,)
    assert skparaphrase.similarity("A cat sleeps.", []).shape == (0,)
    assert skparaphrase.similarity([]).shape == (0, 0)
    assert skparaphrase.similarity("", "A cat sleeps.") == 0.0


@pytest.mark.parametrize(
    ("a", "b", "error", "message"),
    [
        (["a"], ["b", "c"], ValueError, "1 texts and b 2; .* matrix=True"),
        ([("a", "b")], [("a", "b")], ValueError, r"a must hold texts.*\(1, 2\)"),
        (["a", None], ["b", "c"], ValueError, "None"),
    ],
)
def test_refused(a, b, error, message):
    with pytest.raises(error, match=message):
        skparaphrase.similarity(a, b)
