"""A search that tests share."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest

from skparaphrase.datasets import load_graded_pairs
from skparaphrase.search import SemanticSearch


@pytest.fixture(scope="session")
def search():
    return SemanticSearch().fit(load_graded_pairs().data[:, 0])
