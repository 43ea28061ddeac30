"""Readers for benchmarks: sentences, ranked answers, tags."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import csv
import lzma
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.datasets import read_pairs, read_texts

Sentences = list[list[str]]


def read_sentences(root: Path) -> list[str]:
    """The distinct sentences of all sources."""
    found: dict[str, None] = {}
    for path in sorted((root / "data/sentences").glob("*.txt.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            found |= dict.fromkeys(line.strip() for line in lines if line.strip())
    return list(found)


def read_tsv(path: Path, columns: list[str], label: str) -> tuple[Any, Any]:
    """Texts of shape (n_rows, n_columns), and the column of their labels."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    texts = np.array([[row[column] for column in columns] for row in rows], object)
    return texts, np.array([row[label] for row in rows])


def read_answers(path: Path) -> Any:
    """Questions with candidates, 1 for right ones, and the queries (`query`)."""
    answers = read_pairs(path, columns=("question", "answer"), label="label")
    answers["query"] = read_texts(path, column="qid", label=None).data
    return answers


def read_tagged(path: Path, tag: str) -> tuple[Sentences, Sentences]:
    """Tokens and tags of sentences: one token per line, and a blank line after each."""
    header, *rest = path.read_text(encoding="utf-8").split("\n")
    columns = [header.split("\t").index(name) for name in ("token", tag)]
    sentences = [[*lines] for filled, lines in groupby(rest, bool) if filled]
    tokens, tags = (
        [[line.split("\t")[column] for line in lines] for lines in sentences]
        for column in columns
    )
    return tokens, tags
