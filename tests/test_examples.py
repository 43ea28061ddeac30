"""Every example runs, without a warning and without network."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
FIGURES = {
    "entailment": ["entailment.png"],
    "paraphrase_detection": ["paraphrase_detection.png"],
    "part_of_speech": ["part_of_speech.png"],
    "plot_charagram_neighbors": ["charagram_neighbors.png"],
    "quickstart": ["quickstart.png"],
    "sentiment_features": ["sentiment_features.png"],
    "word_interaction": ["word_interaction.png"],
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path):
    run = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout
    for figure in FIGURES.get(path.stem, ()):
        assert (tmp_path / figure).read_bytes().startswith(b"\x89PNG")
