"""A shared search, and counts of progress bars."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from contextlib import contextmanager

import pytest

from skparaphrase import _nearest
from skparaphrase.datasets import load_graded_pairs
from skparaphrase.search import SemanticSearch, _base, _clusters, _duplicates, _mining


@pytest.fixture(scope="session")
def search():
    return SemanticSearch().fit(load_graded_pairs().data[:, 0])


@pytest.fixture
def counts(monkeypatch):
    """The counts of each progress bar by its text, which add up to its total."""
    counts = {}

    @contextmanager
    def count(total, description, unit="text"):
        counts[description] = []
        yield counts[description].append
        assert sum(counts[description]) == total

    for module in (_nearest, _base, _clusters, _duplicates, _mining):
        monkeypatch.setattr(module, "progress_bar", count)
    return counts
