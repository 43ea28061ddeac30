"""Shared parts of the quality benchmarks: data, scores, processes, results."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import platform
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
import torch

import skparaphrase
from _lib import RESULTS
from _lib.made_pairs import MADE
from skparaphrase.datasets import load_word_frequencies, read_pairs
from skparaphrase.metrics import STSScorer
from skparaphrase.vectors import WordFrequencies, WordVectors, read_word_vectors

YEARS = ("2012", "2013", "2014", "2015")
LINE = 79  # of pages of Markdown
COLUMNS = (*YEARS, "mean of years", "with 2015", "SICK")


def parse_args(
    doc: str | None,
    *,
    seeds: int = 1,
    sections: Iterable[str] = (),
    parents: Sequence[argparse.ArgumentParser] = (),
) -> argparse.Namespace:
    """The options of all scripts, `--only` if there are sections, and of `parents`."""
    description = (doc or "").partition("\n")[0]
    parser = argparse.ArgumentParser(description=description, parents=parents)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--quick", action="store_true", help="a sample of each")
    parser.add_argument("--tables", action="store_true", help="write only the page")
    if sections:
        parser.add_argument("--only", default=",".join(sections), help="with commas")
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    args.data = args.data.resolve()
    if args.quick:
        args.seeds = 1
    return args


class Data:
    """The folders `data` and `vectors`, read on first use."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.root = args.data
        self.quick = args.quick
        self.short = getattr(args, "short", False)
        self.step = 3 if self.short else 1  # of pairs to train on
        self.runs: Path | None = getattr(args, "runs", None)  # cache
        self._made: dict[str, Any] = {}
        if not (self.root / "data").is_dir():
            raise SystemExit(f"No folder 'data' under {self.root}; see --data.")

    @cached_property
    def vectors(self) -> WordVectors:
        """The stand-in for PARAGRAM-SL999."""
        return read_word_vectors(self.root / "vectors/minilm-words.300d.bin")

    @cached_property
    def pairs(self) -> Any:
        """All training pairs in random order (words, captions, rewrites, news)."""
        parts = [self.corpus("ppdb-lexical"), *map(self.corpus, self.sentences)]
        pairs = np.concatenate(parts)
        order = np.random.RandomState(0).permutation(len(pairs))
        return pairs[order[:3000] if self.quick else order]

    sentences = ("flickr8k", "rewrites", "msrp")
    phrases = ("ppdb-lexical", "phrases")  # and words

    def corpus(self, name: str) -> Any:
        """Pairs of one file, in its order, or made pairs; see `made_pairs`."""
        if name in MADE:
            if name not in self._made:
                self._made[name] = MADE[name](self)
            return self._made[name]
        words = ("word1", "word2")
        columns = words if name == "ppdb-lexical" else ("sentence1", "sentence2")
        path = self.root / f"data/paraphrase/{name}.tsv"
        return read_pairs(path, columns=columns).data[:: self.step]

    def shuffled(self, *names: str) -> Any:
        """Pairs of these files in random order; in a quick run, a thousand."""
        pairs = np.concatenate([self.corpus(name) for name in names])
        order = np.random.RandomState(0).permutation(len(pairs))
        return pairs[order[: 1000 if self.quick else None]]

    @cached_property
    def frequencies(self) -> WordFrequencies:
        """Counts of Wikipedia, with the bundled counts of punctuation marks."""
        path = self.root / "data/frequencies/enwiki_vocab_min200.txt"
        return WordFrequencies.read(path).fill_from(load_word_frequencies())

    def epochs(self, number: int, short: int | None = None) -> int:
        """The number of epochs, one in a quick run, and `short` in a short one."""
        if self.quick:
            return 1
        return min(number, short) if self.short and short is not None else number

    def scored(self, *patterns: str) -> dict[str, tuple[Any, Any]]:
        """Pairs and their scores, of files under `data`, such as "sick-test"."""
        paths = [p for of in patterns for p in sorted((self.root / "data").glob(of))]
        return {
            f"{path.parent.name}-{path.stem}": read_pairs(
                path, score="score", return_X_y=True
            )
            for path in paths
        }

    def sick(self, part: str) -> tuple[Any, Any]:
        (found,) = self.scored(f"sick/{part}.tsv").values()
        return found

    @cached_property
    def sts(self) -> dict[str, tuple[Any, Any]]:
        """Test sets by name, "2012.MSRpar", ..., and "sick"."""
        sets = self.scored("sts/201[2-5].*.tsv")
        found = {name.removeprefix("sts-"): of for name, of in sets.items()}
        return {**found, "sick": self.sick("test")}

    @cached_property
    def development(self) -> dict[str, tuple[Any, Any]]:
        """Development data for rates and epochs: STS 2012 train and SICK train."""
        return self.scored("sts/2012-train.*.tsv", "sick/train.tsv")

    @cached_property
    def word_similarity(self) -> dict[str, tuple[Any, Any]]:
        """Pairs of words with scores: "ws353", "simlex999", "rw"."""
        return {
            path.stem: read_pairs(
                path, score="score", columns=("word1", "word2"), return_X_y=True
            )
            for path in sorted((self.root / "data/wordsim").glob("*.tsv"))
        }


def sts_means(scores: Mapping[str, float]) -> dict[str, float]:
    """Unweighted means over the data sets of each year and over the years, and SICK.

    The "mean of years" is over 2012 to 2014; "with 2015" is over all years.
    """
    means = {
        year: float(np.mean([s for name, s in scores.items() if name.startswith(year)]))
        for year in YEARS
    }
    *three, _ = every = list(means.values())
    return {
        **means,
        "mean of years": float(np.mean(three)),
        "with 2015": float(np.mean(every)),
        "SICK": float(scores["sick"]),
    }


def score_sts(encoder: Any, data: Data, postprocess: Any = None) -> dict[str, float]:
    """Pearson x 100 of every data set."""
    scores = STSScorer(data.sts, postprocess=postprocess)(encoder)
    return {name: 100 * score for name, score in scores.items() if name != "mean"}


def score_words(encoder: Any, data: Data) -> dict[str, float]:
    """Spearman x 100 of cosines, the papers' measure of word similarity."""
    scorer = STSScorer(data.word_similarity, metric="spearman")
    scores = scorer(encoder)
    return {name: 100 * score for name, score in scores.items() if name != "mean"}


def median(runs: Sequence[Any]) -> Any:
    """Medians over runs for numbers; other values are taken from the first run."""
    first = runs[0]
    if isinstance(first, Mapping):
        return {key: median([run[key] for run in runs]) for key in first}
    if isinstance(first, list) and not isinstance(first[0], (str, dict)):
        return np.median(runs, axis=0).tolist()
    return float(np.median(runs)) if isinstance(first, (int, float)) else first


def table(
    heads: Sequence[str], rows: Sequence[Sequence[Any]], digits: int = 1
) -> list[str]:
    """Lines of a Markdown table; see :func:`cell`."""
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows:
        lines.append(f"| {' | '.join(cell(value, digits) for value in row)} |")
    return lines


def cell(value: Any, digits: int = 1) -> str:
    """Format a number with `digits` decimals, None as a dash, and others unchanged."""
    if value is None:
        return "–"  # noqa: RUF001 (as in print)
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def filled(text: str, cells: Mapping[str, Any], **values: Any) -> str:
    """Make a page: replace names in braces in a text, and wrap its paragraphs.

    A replacement may be the lines of a table. Titles, tables and lists are not wrapped.
    """
    lines = {
        k: "\n".join(of) if isinstance(of, list) else of for k, of in cells.items()
    }
    blocks = []
    for block in text.strip("\n").format_map({**values, **lines}).split("\n\n"):
        if not block.startswith(("#", "|", "- ")):
            block = textwrap.fill(
                block, LINE, break_long_words=False, break_on_hyphens=False
            )
        blocks.append(block)
    return "\n\n".join(blocks)


def versions() -> dict[str, str]:
    """Versions of the libraries that affect the figures."""
    return {
        "skparaphrase": skparaphrase.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
