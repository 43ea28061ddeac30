"""Semantic textual similarity: every STS data set and SICK, with published figures.

    python benchmarks/sts.py --data ../shared [--quick] [--seeds 3]

Reads every `data/sts/YEAR.NAME.tsv` and `data/sick/test.tsv` in the folder (columns
score, sentence1, sentence2; data sets with "train" in their name are left out), or,
with `--sets`, any folder of such files. Writes `benchmarks/results/sts.json` and
`sts.md`.

Component removal is fitted on the evaluated sentences, both sides of a data set
together, as in the SIF paper. Rates and epochs of the trained encoders were chosen on
the training sets of STS 2012 and SICK.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _papers import COLUMNS, YEARS, Data, sts_means, table, versions
from _published import label, published

from skparaphrase.datasets import (
    load_paraphrases,
    load_word_frequencies,
    read_scored_pairs,
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

RESULTS = Path(__file__).parent / "results"
# What the row is called in the papers, on GloVe and on PARAGRAM-SL999 (PSL).
PUBLISHED = {
    "average": ("GloVe", "PSL"),
    "tf-idf": ("tfidf-GloVe",),
    "SIF weights (W)": ("GloVe+W", "PSL+W"),
    "removal (R)": ("GloVe+R", "PSL+R"),
    "W + R": ("GloVe+WR", "PSL+WR"),
    "PP": ("PP",),
}

Make = Callable[[int], Any]
Row = tuple[str, str, Make, int, bool]  # group, name, encoder of a seed, n, per_side


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--sets", type=Path, help="a folder of scored pairs instead")
    parser.add_argument("--seeds", type=int, default=3, help="of trained encoders")
    parser.add_argument("--quick", action="store_true", help="untrained encoders only")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()

    datasets = _datasets(args)
    scored = []
    for group, name, make, n_components, per_side in _rows(args):
        n_seeds = args.seeds if "trained" in group else 1
        runs = [
            _score(datasets, make, n_components, per_side, s) for s in range(n_seeds)
        ]
        scores = {key: float(np.median([run[key] for run in runs])) for key in runs[0]}
        scored.append({"group": group, "name": name, "n_seeds": n_seeds, **scores})
        print(f"{group:28} {name:34}", _cells(scores, datasets), flush=True)
    _write(args.out, scored, datasets)


def _datasets(args: argparse.Namespace) -> dict[str, tuple[Any, Any]]:
    if args.sets:
        paths = sorted(args.sets.glob("*.tsv"))
    else:
        paths = sorted((args.data / "data/sts").glob("*.tsv"))
        paths += sorted((args.data / "data/sick").glob("test.tsv"))
    found = {
        "sick" if path.parent.name == "sick" else path.stem: read_scored_pairs(
            path, return_X_y=True
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
        group: str, name: str, make: Make, n: int = 0, per_side: bool = False
    ) -> None:
        rows.append((group, name, make, n, per_side))

    bundled = load_word_frequencies()

    def untrained(group: str, vectors: WordVectors | None, counts: Any) -> None:
        plain, sif = AverageEncoder(vectors), SIFEncoder(vectors, frequencies=counts)
        add(group, "average", lambda _: plain)
        add(group, "SIF weights (W)", lambda _: sif)
        add(group, "removal (R)", lambda _: plain, 1)
        add(group, "W + R", lambda _: sif, 1)

    table = args.data / "vectors/minilm-words.300d.bin"
    if table.exists():
        vectors = WordVectors.read(table)
        wikipedia = WordFrequencies.read(
            args.data / "data/frequencies/enwiki_vocab_min200.txt"
        )
        filled = wikipedia.fill_from(bundled)
        letters = SIFEncoder(vectors, frequencies=wikipedia)
        group = "minilm-words 77k x 300"
        untrained(group, vectors, filled)
        add(group, "tf-idf", lambda _: TfidfEncoder(vectors))
        add(
            group,
            "W + 2 components",
            lambda _: SIFEncoder(vectors, frequencies=filled),
            2,
        )
        add(group, "W, counts of letters only", lambda _: letters)
        add(group, "W + R, counts of letters only", lambda _: letters, 1)
        add(group, "the same, R per side (code)", lambda _: letters, 1, True)
        _add_figure_2(add, args, vectors, {"letters only": wikipedia, "filled": filled})
        if not args.quick:
            _add_trained(add, args, vectors, filled)
    untrained("bundled 30k x 128, int8", None, None)
    pairs = load_paraphrases().data

    def small(seed: int) -> Any:
        return ParagramEncoder(**_SIF, **_INFONCE, random_state=seed).fit(pairs)

    add("bundled, trained, 1,140 pairs", "InfoNCE from SIF + R", small, 1)
    return rows


def _add_figure_2(
    add: Callable[..., None],
    args: argparse.Namespace,
    vectors: WordVectors,
    counts: dict[str, WordFrequencies],
) -> None:
    """Figure 2 of Arora et al. (2017), and the weights of section 3.1."""
    for a in (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5):
        sif = SIFEncoder(vectors, a=a, frequencies=counts["filled"])
        add("W + R by a (figure 2a)", f"a = {a:g}", lambda _, sif=sif: sif, 1)
    data = Data(args)
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


_SIF = {"weighting": "sif", "learning_rate": 0.01, "max_epochs": 2}
_INFONCE = {"loss": "infonce", "batch_size": 256}


def _add_trained(
    add: Callable[..., None],
    args: argparse.Namespace,
    vectors: WordVectors,
    filled: WordFrequencies,
) -> None:
    data = Data(args)
    paths = sorted((args.data / "data/paraphrase").glob("*.tsv"))
    pairs = np.concatenate([data.corpus(path.stem) for path in paths])
    group = f"minilm-words, trained, {len(pairs) // 1000}k pairs"
    fitted: dict[tuple[Any, ...], ParagramEncoder] = {}

    def train(seed: int, **parameters: Any) -> ParagramEncoder:
        key = (seed, *sorted(parameters.items()))
        if key not in fitted:
            encoder = ParagramEncoder(
                vectors, frequencies=filled, random_state=seed, **parameters
            )
            started = time.perf_counter()
            fitted[key] = encoder.fit(pairs)
            print(
                f"    {time.perf_counter() - started:.1f} s: {parameters}, seed {seed}"
            )
        return fitted[key]

    paper: dict[str, Any] = {}
    gentle = {"learning_rate": 0.01, "max_epochs": 3}
    best = {**_SIF, **_INFONCE}

    def weighted(seed: int, **parameters: Any) -> SIFEncoder:
        return SIFEncoder(train(seed, **parameters).vectors_, frequencies=filled)

    add(group, "PP, defaults (paper)", lambda s: train(s, **paper))
    add(group, "PP, defaults + W + R", lambda s: weighted(s, **paper), 1)
    add(group, "PP", lambda s: train(s, **gentle))
    add(group, "PP + W + R", lambda s: weighted(s, **gentle), 1)
    add(group, "PP from SIF + R", lambda s: train(s, **_SIF), 1)
    add(group, "InfoNCE from SIF", lambda s: train(s, **best))
    add(group, "InfoNCE from SIF + R", lambda s: train(s, **best), 1)
    add(group, "InfoNCE from SIF + 2 components", lambda s: train(s, **best), 2)


def _score(
    datasets: dict[str, tuple[Any, Any]],
    make: Make,
    n_components: int,
    per_side: bool,
    seed: int,
) -> dict[str, float]:
    encoder = make(seed)
    if not isinstance(encoder, ParagramEncoder):
        # tf-idf counts the evaluated sentences of all data sets, as in the paper.
        encoder = encoder.fit(np.concatenate([pairs for pairs, _ in datasets.values()]))
    removal = CommonComponentRemoval(n_components, per_side=per_side)
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


def _write(out: Path, scored: list[dict[str, Any]], names: Any) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for row in scored:
        row["means"] = _means(row, names)
    found = versions()
    content = {"versions": found, "rows": scored}
    (out / "sts.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    text = "\n".join(
        [*report(scored, names), "", ", ".join(map(" ".join, found.items()))]
    )
    (out / "sts.md").write_text(text + "\n", "utf-8")
    print(f"Wrote {out / 'sts.json'} and {out / 'sts.md'}.")


def report(scored: list[dict[str, Any]], names: Any) -> list[str]:
    lines = [
        "# Semantic textual similarity",
        "",
        "Pearson x 100, unweighted mean over the data sets of a year; mean of years:",
        "2012 to 2014. Trained encoders: median of the seeds for each data set.",
        "Published means are those of the papers' rows: 2013 without SMT, as here,",
        "unless said. (By its rows, with SMT, GloVe+W has 46.1 in 2013, printed 44.0;",
        "GloVe+WR 57.3, printed 56.6.) Nothing was chosen by 2015. Made by",
        "`python benchmarks/sts.py`.",
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
    methods = PUBLISHED.get(name.removesuffix(", defaults (paper)"), ())
    return [[label(method), *map(published(method).get, columns)] for method in methods]


if __name__ == "__main__":
    main()
