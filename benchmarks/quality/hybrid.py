"""Search by vectors, by words (BM25) and by both, for questions and for codes.

    python benchmarks/quality/hybrid.py

Each repeated question of `load_faq` looks for the earlier one among the other 549, and
questions of TrecQA (development and test) for any right answer among the sentences of
all their candidates. Questions with a product code ("WH-1000XM4", "P2419H") look for
the titles that contain it, among 160, most of which differ in the code alone; questions
for a note ("KB-4042"), for the question and answer of `load_faq` that name it. Vectors
are those of `load_pretrained()`. Takes half a minute. Writes `hybrid.json` and `.md` to
benchmarks/results.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np

from skparaphrase.datasets import load_faq
from skparaphrase.search import SemanticSearch

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.duplicates import duplicates, repeated_questions
from _lib.papers import parse_args, table, write
from _lib.products import TEMPLATES
from _lib.readers import read_answers

K = 11  # hits of a query, which may be one of them

#: Texts, queries, and the texts that each of these should find.
Task = tuple[Sequence[str], list[str], list[set[str]]]


def tasks(data: Path) -> dict[str, Task]:
    pairs, questions = repeated_questions()
    queries, earlier = zip(*pairs, strict=True)
    texts = {
        "repeated questions": (questions, [*queries], [{text} for text in earlier])
    }
    right: dict[str, set[str]] = defaultdict(set)
    sentences = set()
    for part in ("dev", "test"):
        answers = read_answers(data / f"data/trecqa/{part}.tsv")
        for (question, answer), label in zip(answers.data, answers.target, strict=True):
            sentences.add(answer)
            if label:
                right[question].add(answer)
    texts["answers to questions"] = sorted(sentences), [*right], [*right.values()]
    titles, _ = duplicates()["product titles"]
    codes = [code for _, _, models in TEMPLATES for code in models.split()]
    found = [{*titles[start : start + 2]} for start in range(0, len(titles), 2)]
    asked = [f"Do you have the {code} in stock?" for code in codes]
    texts["product codes"] = titles, asked, found
    faq = load_faq()
    notes = [
        f"{question} {answer} See note KB-{4000 + i} of the handbook."
        for i, (question, answer) in enumerate(zip(faq.data, faq.answers, strict=True))
    ]
    asked = [f"What does KB-{4000 + i} say?" for i in range(0, len(notes), 5)]
    texts["codes in longer texts"] = notes, asked, [{text} for text in notes[::5]]
    return texts


def ranked(task: Task) -> dict[str, Any]:
    """Texts by falling score for each query, by vectors, words and both."""
    texts, queries, _ = task
    search = SemanticSearch().fit(texts)
    words = bm25s.BM25()
    options: dict[str, Any] = {"stopwords": None, "show_progress": False}
    words.index(bm25s.tokenize([*texts], **options), show_progress=False)
    tokens = bm25s.tokenize(queries, **options)
    rows, _ = words.retrieve(tokens, k=K, show_progress=False)
    return {
        "vectors": search.search(queries, k=K).text,
        "words": np.asarray(texts, dtype=object)[rows],
        "both": search.search(queries, k=K, hybrid=True).text,
    }


def score(queries: list[str], hits: Any, expected: list[set[str]]) -> dict[str, float]:
    """Of the first right hit of each query."""
    ranks = []
    for query, row, right in zip(queries, hits, expected, strict=True):
        others = [text for text in row if text != query]
        first = (rank for rank, text in enumerate(others, 1) if text in right)
        ranks.append(next(first, np.inf))
    found = np.array(ranks)
    return {
        "first is right": float((found == 1).mean()),
        "right among 10": float((found <= 10).mean()),
        "mean reciprocal rank, or 0": float((1 / found).mean()),
    }


def main() -> None:
    args = parse_args(__doc__)
    rows = []
    for name, task in tasks(args.data).items():
        for by, hits in ranked(task).items():
            kinds = {"task": name, "queries": len(task[1]), "texts": len(task[0])}
            rows.append(kinds | {"search by": by} | score(task[1], hits, task[2]))
    lines = [
        "# Search by vectors, by words, and by both",
        "",
        "Made by `python benchmarks/quality/hybrid.py`. Shares of queries.",
        "",
        "## Hybrid search",
        "",
        *table([*rows[0]], [[*row.values()] for row in rows], 3),
    ]
    write(args, "hybrid", rows, lines)


if __name__ == "__main__":
    main()
