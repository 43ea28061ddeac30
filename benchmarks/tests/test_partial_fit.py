"""Memory copied by an update of two pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from argparse import Namespace

import pytest

from speed import partial_fit as script


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads what Linux keeps in /proc"
)
@pytest.mark.parametrize(("words", "n_matrices"), [("known", 1.2), ("unknown", 1.2)])
def test_copies_of_an_update(words, n_matrices):
    args = Namespace(quick=True, threads=1)
    found = script.measure(args, table="load_word_vectors", words=words)
    assert {*found} == {*script.UPDATE.columns}
    assert found["update"] > 0 and found["copy"] > 0
    assert found["matrices"] < n_matrices
    assert found["words"] == 0
