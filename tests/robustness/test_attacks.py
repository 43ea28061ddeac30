"""Attacks with some seeds; `make soak` tries more."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os

import pytest
from attacks import ATTACKS

N_SEEDS = int(os.environ.get("SKPARAPHRASE_SEEDS", "50"))


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_do_no_harm(name, tmp_path):
    for seed in range(N_SEEDS):
        try:
            ATTACKS[name](seed, tmp_path / str(seed))
        except Exception as error:
            raise AssertionError(f"{name} with seed {seed}") from error
