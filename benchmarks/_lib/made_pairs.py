"""Pairs made from the available texts, as a replacement for PPDB.

Phrases are the words in which rewrites and news differ. Groups are all pairs of the
rewrites of a sentence and of the captions of an image. Pairs are mined with
`load_pretrained()`, which was distilled from all-MiniLM-L6-v2, in texts without
sentences of evaluations. `data` is an instance of `_lib.papers.Data`, which imports
this module.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np

from _lib.readers import read_sentences
from skparaphrase import load_pretrained
from skparaphrase.datasets import read_texts
from skparaphrase.pairs import extract_phrase_pairs, make_group_pairs
from skparaphrase.search import ParaphraseMiner

N_OF_GROUP = 40  # pairs per group of rewrites; all ten pairs of an image are taken
N_SENTENCES, SENTENCES_FROM = 60_000, 0.75  # sentences to mine, threshold
N_WORDS, WORDS_FROM = 30_000, 0.6
TOP_K = 3


def phrases(data: Any) -> Any:
    """Aligned phrases of rewrites and news."""
    texts = np.concatenate([data.corpus("rewrites"), data.corpus("msrp")])
    return extract_phrase_pairs(texts)


def groups(data: Any, name: str) -> Any:
    """Pairs within the groups of a file."""
    path = data.root / f"data/paraphrase/{name}.tsv"
    names, first, second = (
        read_texts(path, column=column, label=None).data
        for column in ("group", "sentence1", "sentence2")
    )
    pairs = make_group_pairs(
        np.concatenate([first, second]),
        np.concatenate([names, names]),
        max_pairs=N_OF_GROUP,
        random_state=0,
    )
    return pairs[:: data.step]


def mined(data: Any, name: str, most: int) -> Any:
    """Pairs of similar sentences, among a random sample."""
    texts = read_sentences(data.root)
    most = min(most, len(texts)) // (30 if data.quick else 1)
    chosen = Random(0).sample(texts, most)
    return _mined(data, name, chosen, SENTENCES_FROM)


def mined_words(data: Any) -> Any:
    """Pairs of similar words, among the most frequent ones."""
    words = [word for word in load_pretrained().vectors.words if word.isalpha()]
    chosen = words[: N_WORDS // (30 if data.quick else 1)]
    return _mined(data, "words", chosen, WORDS_FROM)


def _mined(data: Any, name: str, texts: list[str], threshold: float) -> Any:
    """Pairs above a threshold; they are cached, because this takes a minute."""
    path = data.runs and data.runs / f"mined-{name}.json"
    if path and path.exists():
        pairs = np.array(json.loads(path.read_text("utf-8")), dtype=object)
        return pairs[:: data.step]
    miner = ParaphraseMiner(threshold=threshold, k=TOP_K).fit(texts)
    pairs = miner.mine(texts).text
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps(pairs.tolist()), "utf-8")
        new.replace(path)
    return pairs[:: data.step]


MADE: dict[str, Callable[[Any], Any]] = {
    "phrases": phrases,
    "groups of rewrites": partial(groups, name="rewrites"),
    "groups of captions": partial(groups, name="flickr8k"),
    "mined": partial(mined, name="sentences", most=N_SENTENCES),
    "all mined": partial(mined, name="all-sentences", most=sys.maxsize),
    "mined words": mined_words,
}
