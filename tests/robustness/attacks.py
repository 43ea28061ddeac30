"""What can happen to texts, files and processes, by a seed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import file_attacks
import process_attacks
import text_attacks
from subjects import NAMES


class Attack(NamedTuple):
    """A function of a kind, a seed and a folder that is not there, and of what kinds.

    A call is `n_cases` cases; an hour is to have `asked` of each kind.
    """

    run: Callable[[str, int, Path], None]
    kinds: Collection[str]
    asked: int
    n_cases: int = 1


N_TEXTS = text_attacks.N_TEXTS
_ALL = [
    Attack(text_attacks.give_nasty_texts, NAMES, 10_000, N_TEXTS),
    Attack(text_attacks.fit_to_nasty_texts, NAMES, 1_000, N_TEXTS),
    Attack(file_attacks.damage_a_file, file_attacks.KINDS, 2_000),
    Attack(file_attacks.lengthen_a_line, file_attacks.READERS, 20),
    Attack(file_attacks.replace_a_file, file_attacks.REPLACED, 200),
    Attack(file_attacks.add_to_a_folder, file_attacks.FORGED, 200),
    Attack(file_attacks.forge_a_file, file_attacks.FORGED, 1_000),
    Attack(process_attacks.read_while_saving, process_attacks.SAVERS, 200),
]
if hasattr(os, "fork"):
    forks = process_attacks.N_FORKS
    _ALL += [
        Attack(process_attacks.kill_a_save, process_attacks.SAVERS, 200),
        Attack(process_attacks.fill_the_disk, process_attacks.SAVERS, 200),
        Attack(process_attacks.fork_alone, NAMES, 100),
        Attack(process_attacks.fork_under_load, process_attacks.FORKED, 200, forks),
    ]
ATTACKS = {attack.run.__name__: attack for attack in _ALL}
