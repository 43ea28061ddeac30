"""Columns of text, and an encoder that learns from its texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skparaphrase.encoders import TfidfEncoder


@pytest.fixture
def pairs(pairs):
    return [(first, second or "w39") for first, second in pairs]


@pytest.fixture
def columns(pairs):
    first, second = zip(*pairs, strict=True)
    return {"title": list(first), "body": list(second), "n": np.arange(30.0)}


@pytest.fixture
def encoder(vectors):
    return TfidfEncoder(vectors)  # fitted on what it is given, so that folds differ
