"""Vectors of pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest


@pytest.fixture
def paired():
    return np.random.default_rng(0).normal(size=(40, 2, 5)) + 0.5
