"""The training texts of the bundled encoders, and the evaluation texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import lzma
import os
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared")) / "data"
SCRIPT = ROOT / "benchmarks/build/pretrained_encoder.py"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not (DATA / "sentences").is_dir(), reason=f"no sentences under {DATA}"
    ),
]


@pytest.fixture(scope="module")
def sentences():
    """The texts that the build reads, by their source."""
    spec = spec_from_file_location(SCRIPT.stem, SCRIPT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", sys.path.copy())  # the script extends it
        script = module_from_spec(spec)
        spec.loader.exec_module(script)
    return script.read_sentences(DATA / "sentences", "clean")


def plain(text):
    """Letters and digits, in lower case."""
    return "".join(filter(str.isalnum, text.lower()))


def cells(pattern):
    """The distinct plain cells of tables."""
    return {
        plain(cell)
        for path in DATA.glob(pattern)
        for line in path.read_text("utf-8").rstrip("\n").split("\n")[1:]
        for cell in line.split("\t")
    }


@pytest.mark.parametrize("evaluated", ["intents", "sts", "sick", "msrp", "trecqa"])
def test_no_evaluated_text_is_a_training_text(sentences, evaluated):
    """The intents come from CLINC150, with its queries out of scope."""
    read = {plain(text) for texts in sentences.values() for text in texts}
    assert not read & cells(f"{evaluated}/*.tsv")


def test_queries_of_clinc150_stand_behind_the_lines_that_are_read(sentences):
    """So the test above would find the queries of this file."""
    file = lzma.open(DATA / "sentences/clinc.txt.xz", "rt", encoding="utf-8")
    lines = [line.strip() for line in file]
    n_read = len(sentences["clinc"])
    assert lines[:n_read] == sentences["clinc"]
    assert len({*map(plain, lines[n_read:])} & cells("intents/*.tsv")) > 20_000


def test_the_licences_count_the_lines(sentences):
    text = (ROOT / "LICENSES/DATA.md").read_text("utf-8")
    _, *parts = text.split("\n## Training texts of the encoder")
    counts = re.findall(r"^\| \[.+ \| ([\d,]+) \| .+ \|$", parts[0], re.MULTILINE)
    found = sorted(int(count.replace(",", "")) for count in counts)
    assert found == sorted(map(len, sentences.values()))
    assert f"{sum(found):,} sentences" in parts[0]
