"""The encoder that CONTRIBUTING.md adds as an example works."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from skparaphrase.datasets import load_paraphrases

PAGE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
NAMES = {"__name__": __name__}
for block in BLOCKS:
    exec(compile(block, "CONTRIBUTING.md", "exec"), NAMES)
MaximumEncoder = NAMES["MaximumEncoder"]
TESTS = [name for name in NAMES if name.startswith("test_")]


@pytest.mark.parametrize("name", TESTS)
def test_the_tests_of_the_page_pass(name):
    NAMES[name]()


def test_the_page_shows_an_encoder_and_its_tests():
    assert len(BLOCKS) == 2 and len(TESTS) == 2
    assert len(BLOCKS[0].splitlines()) <= 55


def test_the_encoder_is_an_estimator(tmp_path):
    pairs = load_paraphrases().data[:60]
    encoder = MaximumEncoder(max_epochs=1, random_state=0).fit(pairs)
    for again in (clone(encoder).fit(pairs), pickle.loads(pickle.dumps(encoder))):
        np.testing.assert_array_equal(again.transform(pairs), encoder.transform(pairs))
    assert not encoder.transform([""]).any()
    with pytest.raises(ValueError, match="cannot be saved without pickle"):
        encoder.save(tmp_path / "encoder")
    other = MaximumEncoder(loss="infonce", learning_rate=0.01, random_state=0)
    assert other.fit(pairs).get_params()["learning_rate"] == 0.01
