"""Semantic textual similarity: every STS data set and SICK, with published figures.

    python benchmarks/papers/sts.py [--quick] [--seeds 3] [--sets FOLDER]

Reproduces tables 1, 4 and 5 and figure 2 of Arora et al. (2017). Reads every
`data/sts/YEAR.NAME.tsv` and `data/sick/test.tsv` in the folder (columns score,
sentence1, sentence2; data sets with "train" in their name are left out), or, with
`--sets`, any folder of such files. Writes `benchmarks/results/sts.json` and `sts.md`;
with `--sets`, only if `--out` is given.

Component removal is fitted on the evaluated sentences, both sides of a data set
together, as in the SIF paper. Rates and epochs of the trained encoders were chosen on
the training sets of STS 2012 and SICK.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.datasets import (
    load_paraphrases,
    load_word_frequencies,
    load_word_vectors,
    read_pairs,
)
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    ParagramEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.metrics import STSScorer
from skparaphrase.vectors import WordFrequencies, WordVectors

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib import RESULTS
from _lib.paper_encoders import INFONCE, paper_encoder
from _lib.papers import (
    COLUMNS,
    YEARS,
    Data,
    median,
    parse_args,
    run_all,
    sts_means,
    table,
    versions,
)
from _lib.published import label, published

# What the row is called in the papers, on GloVe and on PARAGRAM-SL999 (PSL).
PUBLISHED = {
    "average": ("GloVe", "PSL"),
    "tf-idf": ("tfidf-GloVe",),
    "SIF weights (W)": ("GloVe+W", "PSL+W"),
    "removal (R)": ("GloVe+R", "PSL+R"),
    "W + R": ("GloVe+WR", "PSL+WR"),
    "PP": ("PP",),
    "PP, paper's setting": ("PP-XXL",),
}

Make = Callable[[int], Any]
Row = tuple[str, str, Make, Any]  # group, name, encoder of a seed, postprocessing


def main() -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--sets", type=Path, help="a folder of scored pairs instead")
    args = parse_args(__doc__, seeds=3, parents=[own])

    found = run_all(args, [(run, (args, seed)) for seed in range(args.seeds)])
    scored = []
    for key in found[0]["rows"]:
        runs = [of["rows"][key] for of in found if key in of["rows"]]
        group, name = key
        row = {"group": group, "name": name, "n_seeds": len(runs)}
        scored.append({**row, **median(runs)})
    _write(args, scored, list(_datasets(args)))


def run(args: argparse.Namespace, seed: int) -> dict[str, Any]:
    """Scores of all rows, or, if the seed is not 0, of those that depend on it."""
    datasets = _datasets(args)
    rows = {}
    for group, name, make, removal in _rows(args):
        if seed == 0 or "trained" in group:
            rows[group, name] = scores = _score(datasets, make, removal, seed)
            print(f"{group:28} {name:34}", _cells(scores, datasets), flush=True)
    return {"rows": rows}


def _datasets(args: argparse.Namespace) -> dict[str, tuple[Any, Any]]:
    if args.sets:
        paths = sorted(args.sets.glob("*.tsv"))
    else:
        paths = sorted((args.data / "data/sts").glob("*.tsv"))
        paths += sorted((args.data / "data/sick").glob("test.tsv"))
    found = {
        "sick" if path.parent.name == "sick" else path.stem: read_pairs(
            path, score="score", return_X_y=True
        )
        for path in paths
        if "train" not in path.stem
    }
    if not found:
        raise SystemExit(f"No data sets under {args.sets or args.data}.")
    return found


def _rows(args: argparse.Namespace) -> list[Row]:
    """The rows of the table."""
    rows: list[Row] = []

    def add(
        group: str, name: str, make: Make, n: int = 0, *, per_side: bool = False
    ) -> None:
        rows.append((group, name, make, CommonComponentRemoval(n, per_side=per_side)))

    bundled = load_word_frequencies()

    def untrained(group: str, vectors: WordVectors | None, counts: Any) -> None:
        plain, sif = AverageEncoder(vectors), SIFEncoder(vectors, frequencies=counts)
        add(group, "average", lambda _: plain)
        add(group, "SIF weights (W)", lambda _: sif)
        add(group, "removal (R)", lambda _: plain, 1)
        add(group, "W + R", lambda _: sif, 1)

    if (args.data / "vectors/minilm-words.300d.bin").exists():
        data = Data(args)
        vectors = data.vectors
        wikipedia = WordFrequencies.read(
            args.data / "data/frequencies/enwiki_vocab_min200.txt"
        )
        filled = wikipedia.fill_from(bundled)
        letters = SIFEncoder(vectors, frequencies=wikipedia)
        group = "minilm-words 77k x 300"
        untrained(group, vectors, filled)
        add(group, "tf-idf", lambda _: TfidfEncoder(vectors))
        sif = SIFEncoder(vectors, frequencies=filled)
        add(group, "W + 2 components", lambda _: sif, 2)
        centred = make_pipeline(FunctionTransformer(_centre), CommonComponentRemoval())
        rows.append((group, "W + R, centred", lambda _: sif, centred))
        add(group, "W, counts of letters only", lambda _: letters)
        add(group, "W + R, counts of letters only", lambda _: letters, 1)
        add(group, "the same, R per side (code)", lambda _: letters, 1, per_side=True)
        _add_figure_2(add, data, {"letters only": wikipedia, "filled": filled})
        _add_trained(add, data, filled)
    untrained("bundled 30k x 128, int8", None, None)
    pairs = load_paraphrases().data

    def small(seed: int) -> Any:
        table = load_word_vectors().centered().weighted()
        return trained(seed, table, **INFONCE).fit(pairs)

    add("bundled, trained, 1,140 pairs", "InfoNCE from SIF + R", small, 1)
    return rows


def _centre(vectors: Any) -> Any:
    """Subtract the mean of a data set, both sides together."""
    return vectors - vectors.mean(axis=(0, 1))


def _add_figure_2(
    add: Callable[..., None], data: Data, counts: dict[str, WordFrequencies]
) -> None:
    """Figure 2 of Arora et al. (2017), and the weights of section 3.1."""
    vectors = data.vectors
    for a in (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5):
        sif = SIFEncoder(vectors, a=a, frequencies=counts["filled"])
        add("W + R by a (figure 2a)", f"a = {a:g}", lambda _, sif=sif: sif, 1)
    pairs = [data.corpus(name) for name in data.sentences]
    sources: dict[str, Any] = {
        "Wikipedia and the bundled marks": counts["filled"],
        "bundled": None,
        "captions and rewrites": WordFrequencies.from_texts(np.concatenate(pairs)),
        "the evaluated sentences": "corpus",
        "Wikipedia, letters only": counts["letters only"],
    }
    for name, source in sources.items():
        sif = SIFEncoder(vectors, frequencies=source)
        group = "W + R by the source of p(w) (figure 2b)"
        add(group, name, lambda _, sif=sif: sif, 1)
    cbow = SIFEncoder(vectors, frequencies=counts["filled"], weights=_subsampling)
    for n in (0, 1):
        name = "its weights" + " + R" * n
        add("Subsampling of word2vec", name, lambda _: cbow, n)


def _subsampling(p: Any) -> Any:
    """The share of the occurrences of a word that word2vec keeps."""
    return np.sqrt(np.minimum(1, 1e-5 / np.maximum(p, 1e-12)))


def trained(seed: int, vectors: WordVectors, **parameters: Any) -> ParagramEncoder:
    """PP with the paper's setting, but for the parameters and sparse updates."""
    encoder: ParagramEncoder = paper_encoder(
        "ParagramEncoder", vectors=vectors, random_state=seed, **parameters
    )
    return encoder


def _add_trained(add: Callable[..., None], data: Data, filled: WordFrequencies) -> None:
    paths = sorted((data.root / "data/paraphrase").glob("*.tsv"))
    pairs = np.concatenate([data.corpus(path.stem) for path in paths])
    pairs = pairs[: 1000 if data.quick else None]
    group = f"minilm-words, trained, {len(pairs) // 1000}k pairs"
    fitted: dict[tuple[Any, ...], ParagramEncoder] = {}
    tables = {"start": data.vectors, "SIF": data.vectors.centered().weighted(filled)}

    def train(seed: int, start: str = "start", **parameters: Any) -> ParagramEncoder:
        key = (seed, start, *sorted(parameters.items()))
        if key not in fitted:
            encoder = trained(seed, tables[start], **parameters)
            started = time.perf_counter()
            fitted[key] = encoder.fit(pairs)
            print(
                f"    {time.perf_counter() - started:.1f} s: {start}, {parameters}, "
                f"seed {seed}"
            )
        return fitted[key]

    gentle = {"learning_rate": 0.01, "max_epochs": 3}

    def weighted(seed: int, **parameters: Any) -> SIFEncoder:
        return SIFEncoder(train(seed, **parameters).vectors_, frequencies=filled)

    def from_sif(seed: int) -> ParagramEncoder:
        return train(seed, "SIF", learning_rate=0.01, max_epochs=2)

    def infonce(seed: int) -> ParagramEncoder:
        return train(seed, "SIF", **INFONCE)

    add(group, "PP, paper's setting", train)
    add(group, "PP, paper's setting + W + R", weighted, 1)
    add(group, "PP", lambda s: train(s, **gentle))
    add(group, "PP + W + R", lambda s: weighted(s, **gentle), 1)
    add(group, "PP from SIF + R", from_sif, 1)
    add(group, "InfoNCE from SIF", infonce)
    add(group, "InfoNCE from SIF + R", infonce, 1)
    add(group, "InfoNCE from SIF + 2 components", infonce, 2)


def _score(
    datasets: dict[str, tuple[Any, Any]], make: Make, removal: Any, seed: int
) -> dict[str, float]:
    encoder = make(seed)
    if not isinstance(encoder, ParagramEncoder):
        # tf-idf counts the evaluated sentences of all data sets, as in the paper.
        encoder = encoder.fit(np.concatenate([pairs for pairs, _ in datasets.values()]))
    scores = STSScorer(datasets, postprocess=removal)(encoder)
    del scores["mean"]
    return {name: 100 * score for name, score in scores.items()}


def _means(scores: dict[str, Any], names: Any) -> dict[str, float]:
    """Means of years if all are there, otherwise that of all data sets."""
    sets = {name: scores[name] for name in names}
    if all(any(name.startswith(group) for name in sets) for group in (*YEARS, "sick")):
        return sts_means(sets)
    return {"mean": float(np.mean(list(sets.values())))}


def _cells(scores: dict[str, float], names: Any) -> str:
    return "  ".join(f"{k} {v:.1f}" for k, v in _means(scores, names).items())


def _write(args: argparse.Namespace, scored: list[dict[str, Any]], names: Any) -> None:
    for row in scored:
        row["means"] = _means(row, names)
    found = versions()
    lines = [*report(scored, names), "", ", ".join(map(" ".join, found.items()))]
    if (args.quick or args.short or args.sets) and args.out == RESULTS:
        print("\n".join([*lines, "(a part of the data: not written)"]))
        return
    args.out.mkdir(parents=True, exist_ok=True)
    content = {"versions": found, "rows": scored}
    (args.out / "sts.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    (args.out / "sts.md").write_text("\n".join(lines) + "\n", "utf-8")
    print(f"Wrote {args.out / 'sts.json'} and {args.out / 'sts.md'}.")


def report(scored: list[dict[str, Any]], names: Any) -> list[str]:
    lines = [
        "# Semantic textual similarity",
        "",
        "Pearson x 100, unweighted mean over the data sets of a year; mean of years:",
        "2012 to 2014. Trained encoders: median of the seeds for each data set.",
        "Published means are those of the papers' rows: 2013 without SMT, as here.",
        "PP-XXL has the setting of the row above it, and 9 million pairs. Nothing was",
        "chosen by 2015. Made by `python benchmarks/papers/sts.py`.",
    ]
    for group in dict.fromkeys(row["group"] for row in scored):
        rows = [row for row in scored if row["group"] == group]
        columns = COLUMNS if "2012" in rows[0]["means"] else ("mean",)
        lines += ["", f"## {group}", ""]
        cells = []
        for row in rows:
            cells.append([row["name"], *map(row["means"].get, columns)])
            if columns == COLUMNS:
                cells += _published(row["name"], columns)
        lines += table(["encoder", *columns], cells)
    lines += ["", "## Each data set", ""]
    cells, seen = [], set[str]()
    for row in scored:
        cells.append([f"{row['group']}: {row['name']}", *map(row.get, names)])
        for line in _published(row["name"], names):
            if line[1] is not None and line[0] not in seen:
                cells.append(line)
                seen.add(line[0])
    return [*lines, *table(["encoder", *names], cells)]


def _published(name: str, columns: Any) -> list[list[Any]]:
    """The rows of published scores that belong to one of ours."""
    methods = PUBLISHED.get(name, ())
    return [[label(method), *map(published(method).get, columns)] for method in methods]


if __name__ == "__main__":
    main()
