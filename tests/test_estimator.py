"""The start of paper settings, and the place of warnings; see `test_presets`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest

from skparaphrase._estimator import warn_caller
from skparaphrase.datasets import load_word_vectors
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.supervised import PairwiseInteractionRanker


@pytest.mark.parametrize("kind", [ParaphraseEncoder, PairwiseInteractionRanker])
def test_papers_start_from_word_vectors_unless_given(kind):
    table = load_word_vectors()
    assert kind.paper().vectors is table
    assert kind.paper(vectors=None).vectors is None


def test_a_warning_points_at_the_caller():
    with pytest.warns(UserWarning, match="look here") as caught:
        warn_caller("look here")
    assert caught[0].filename == __file__
