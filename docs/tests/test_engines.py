"""The recipes of `engines.rst`, of the engines that are installed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import shutil
import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from pyarrow import parquet
from pyarrow.dataset import dataset

from skparaphrase import load_pretrained
from skparaphrase.datasets import load_faq

PAGE = Path(__file__).parents[1] / "user_guide/engines.rst"
BLOCKS = re.findall(
    r"\.\. code-block:: python\n\n((?:   .*\n|\n)+)", PAGE.read_text("utf-8")
)
ENGINES = [re.search(r"(?:import|from) (\w+)", block)[1] for block in BLOCKS]
TEXTS = list(load_faq().data[:60])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("engine", "block"), [*zip(ENGINES, BLOCKS, strict=True)], ids=ENGINES
)
def test_a_recipe_embeds_every_text(engine, block, tmp_path, monkeypatch):
    pytest.importorskip(engine)
    if engine == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(PAGE.parents[2]))  # of other processes
    table = pa.table({"id": range(100, 160), "text": TEXTS})
    parquet.write_table(table, "texts.parquet")
    # Functions go to other processes, which cannot import them from here.
    exec(textwrap.dedent(block), {"__name__": "__main__"})
    (path,) = tmp_path.glob("vectors*")
    found = dataset(path).to_table(columns=["id", "vector"]).sort_by("id")
    assert found["id"].to_pylist() == [*range(100, 160)]
    expected = load_pretrained().transform(TEXTS)
    assert_allclose(np.array(found["vector"].to_pylist()), expected, atol=1e-6)
