"""Attacks by texts and files, a case of each kind; `make soak` tries more."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest
from file_attacks import (
    FOLDERS,
    KINDS,
    READERS,
    damage_a_file,
    forge_a_file,
    lengthen_a_line,
)
from parameter_attacks import PARAMETER_ATTACKS
from subjects import NAMES
from text_attacks import fit_to_nasty_texts, give_both_forms, give_nasty_texts

ATTACKS = {  # functions of a kind, a seed and a new folder, and their kinds
    give_nasty_texts: NAMES,
    fit_to_nasty_texts: NAMES,
    give_both_forms: NAMES,
    damage_a_file: KINDS,
    lengthen_a_line: READERS,
    forge_a_file: FOLDERS,
    **PARAMETER_ATTACKS,
}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_attacks_do_no_harm(attack, tmp_path):
    for seed, kind in enumerate(ATTACKS[attack]):
        try:
            attack(kind, seed, tmp_path / str(seed))
        except Exception as error:
            raise AssertionError(f"{kind!r} with seed {seed}") from error
