"""Attacks with some seeds; `make soak` tries more."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from itertools import cycle

import pytest
from attacks import ATTACKS

N_CASES = int(os.environ.get("SKPARAPHRASE_SEEDS", "40"))


# A child may not wait for a lock that coverage held in a thread of its parent.
@pytest.mark.no_cover
@pytest.mark.parametrize(
    "name",
    [
        # Slow tests are run without coverage, which a child waited for once.
        pytest.param(
            name, marks=[pytest.mark.slow] if name == "fork_under_load" else []
        )
        for name in ATTACKS
    ],
)
def test_attacks_do_no_harm(name, tmp_path):
    attack = ATTACKS[name]
    n_calls = max(N_CASES // attack.n_cases, len(attack.kinds))
    for seed, kind in zip(range(n_calls), cycle(attack.kinds), strict=False):
        try:
            attack.run(kind, seed, tmp_path / str(seed))
        except Exception as error:
            raise AssertionError(f"{name} of {kind!r} with seed {seed}") from error
