"""Selection of the core."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from runpy import run_path
from shutil import which

import pytest

from skparaphrase import _core


@pytest.mark.skipif(
    os.environ.get("SKPARAPHRASE_CORE") == "plain"
    or not any(map(which, ["c++", "g++", "cl"])),
    reason="the environment asks for the plain core, or there is no compiler",
)
def test_the_core_is_compiled_where_there_is_a_compiler():
    assert _core.COMPILED


def test_the_environment_may_ask_for_the_plain_core(monkeypatch):
    monkeypatch.setenv("SKPARAPHRASE_CORE", "plain")
    fresh = run_path(_core.__file__, run_name=_core.__name__)
    assert fresh["core"].__name__ == "skparaphrase._core._plain"
    assert not fresh["COMPILED"]
