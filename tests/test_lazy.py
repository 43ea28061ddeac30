"""Modules that are imported at their first use."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest

import skparaphrase.nn
from skparaphrase._lazy import nn


def test_attributes_are_those_of_the_module():
    assert nn.Head is skparaphrase.nn.Head
    assert nn.__all__ == skparaphrase.nn.__all__


def test_unknown_attributes_are_errors():
    with pytest.raises(AttributeError, match="Tail"):
        _ = nn.Tail
