"""Threads that update and search one index; `make soak` does more of it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "robustness"))
from thread_attacks import use_in_threads


@pytest.mark.parametrize("kind", ["exact", "fitted again", "words"])
def test_nothing_is_lost_or_misaligned(kind, tmp_path):
    done = use_in_threads(kind, 0, tmp_path, n_threads=6)
    assert done.total() == 72
