"""Attacks by texts and files with some seeds; `make soak` tries more, and processes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import cycle

import pytest
from attacks import ATTACKS

N_CASES = 40


@pytest.mark.parametrize(
    "name", [k for k, v in ATTACKS.items() if v.run.__module__ != "process_attacks"]
)
def test_attacks_do_no_harm(name, tmp_path):
    attack = ATTACKS[name]
    n_calls = max(N_CASES // attack.n_cases, len(attack.kinds))
    for seed, kind in zip(range(n_calls), cycle(attack.kinds), strict=False):
        try:
            attack.run(kind, seed, tmp_path / str(seed))
        except Exception as error:
            raise AssertionError(f"{name} of {kind!r} with seed {seed}") from error
