"""Modules that are imported at their first use."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest

import skparaphrase.networks
from skparaphrase._lazy import networks


def test_attributes_are_those_of_the_module():
    assert networks.Head is skparaphrase.networks.Head
    assert networks.__all__ == skparaphrase.networks.__all__


def test_unknown_attributes_are_errors():
    with pytest.raises(AttributeError, match="Tail"):
        _ = networks.Tail
