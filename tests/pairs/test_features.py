"""Features of the vectors of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from skparaphrase.pairs import PairFeatures, PairSimilarity, PairVectorizer


def test_features_stand_side_by_side(paired, how, by_hand):
    assert PairFeatures().how == ("product", "absdiff")
    features = PairFeatures(how).fit(paired)
    assert_allclose(features.transform(paired), by_hand(how, paired), rtol=1e-12)
    names = [
        name + ("" if name == "cosine" else str(i))
        for name in how
        for i in range(1 if name == "cosine" else 5)
    ]
    assert features.get_feature_names_out().tolist() == names
    assert features.transform(paired.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_features_as_frames(paired, kind):
    features = PairFeatures(("cosine", "product")).set_output(transform=kind)
    frame = features.fit_transform(paired)
    assert type(frame).__module__.startswith(kind)
    assert list(frame.columns) == ["cosine", *(f"product{i}" for i in range(5))]


@pytest.mark.parametrize("bad", [(), ("product", "prod"), "product", [["sum"]], None])
@pytest.mark.parametrize("step", [PairFeatures, PairVectorizer])
def test_unknown_names_are_refused(paired, step, bad):
    with pytest.raises(ValueError, match="how"):
        step(how=bad).fit(paired)


@pytest.mark.parametrize("step", [PairSimilarity(), PairFeatures()], ids=str)
@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.ones((6, 5)), r"expects vectors of pairs.*\(6, 5\)"),
        (np.ones((6, 3, 5)), r"\(6, 3, 5\)"),
        (np.ones((6, 2, 5, 1)), r"\(6, 2, 5, 1\)"),
        (np.ones(6), "2D"),
        (np.ones((0, 2, 5)), r"0 sample\(s\)"),
        (np.ones((6, 2, 0)), r"0 feature\(s\)"),
        (np.full((6, 2, 5), np.nan), "NaN"),
        (np.full((6, 2, 5), np.inf), "infinity"),
    ],
)
def test_pair_steps_refuse(step, vectors, message):
    with pytest.raises(ValueError, match=message):
        step.fit(vectors)


@pytest.mark.parametrize(
    ("step", "method"),
    [(PairSimilarity(), "predict"), (PairFeatures(), "transform")],
    ids=["similarity", "features"],
)
def test_pair_steps_after_fit(paired, step, method):
    apply = getattr(step.fit(paired), method)
    assert apply(np.empty((0, 2, 5))).shape[0] == 0
    assert_array_equal(apply(paired.tolist()), apply(paired))
    for wrong in (paired[..., :3], paired[:, 0], np.full_like(paired, np.nan)):
        with pytest.raises(ValueError, match=r"features|pairs|NaN"):
            apply(wrong)


def test_features_need_fit(paired):
    with pytest.raises(NotFittedError):
        PairFeatures().transform(paired)
