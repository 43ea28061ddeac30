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


def test_no_texts_and_empty_texts():
    assert skparaphrase.similarity([], []).shape == (0,)
    assert skparaphrase.similarity("", "A cat sleeps.") == 0.0


@pytest.mark.parametrize(
    ("a", "b", "error", "message"),
    [
        (["a"], ["b", "c"], ValueError, r"\(1,\) and \(2,\)"),
        ([("a", "b")], [("a", "b")], ValueError, r"\(1, 2\) and \(1, 2\)"),
        ("a", ["b"], TypeError, r"'a' \(str\). Put a single text in a list"),
        (["a"], "b", TypeError, r"'b' \(str\)"),
        (["a", None], ["b", "c"], ValueError, "None"),
    ],
)
def test_refused(a, b, error, message):
    with pytest.raises(error, match=message):
        skparaphrase.similarity(a, b)
