"""Translated pairs, texts and word counts of nine languages, and development scores."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from skparaphrase._math import cosine, unit_vectors

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "ru")

Transform = Callable[[list[str]], NDArray[np.float32]]


def read_columns(path: Path) -> dict[str, list[list[str]]]:
    """The rows of a TSV file, by the language in the first column."""
    found: dict[str, list[list[str]]] = {}
    with lzma.open(path, "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            language, *row = line.rstrip("\n").split("\t")
            found.setdefault(language, []).append(row)
    return found


def development_scores(
    folder: Path, transform: Transform
) -> dict[str, dict[str, float]]:
    """Scores of the development sets, times 100, by task and language.

    Parameters
    ----------
    folder : Path
        Folder of the multilingual data.
    transform : callable
        From texts to vectors.

    Returns
    -------
    scores : dict of dict
        "sts" is the Spearman correlation of cosines with human scores in each language.
        "cross" is the same, with the first sentence in English. "to English" and "from
        English" are the shares of translations that are the nearest of 1,000.
    """
    sts = {
        language: list(zip(*rows, strict=True))
        for language, rows in read_columns(folder / "stsb-multi-mt-dev.tsv.xz").items()
    }
    gold = np.array(sts["en"][0], dtype=float)
    first, second = (
        {language: transform(list(each[side])) for language, each in sts.items()}
        for side in (1, 2)
    )
    scores = {
        "sts": {x: _spearman(first[x], second[x], gold) for x in LANGUAGES},
        "cross": {x: _spearman(first["en"], second[x], gold) for x in LANGUAGES[1:]},
        "to English": {},
        "from English": {},
    }
    for language, rows in read_columns(folder / "tatoeba-dev.tsv.xz").items():
        english, other = (
            unit_vectors(transform(list(texts))) for texts in zip(*rows, strict=True)
        )
        cosines = other @ english.T
        right = np.arange(len(rows))
        for name, axis in {"to English": 1, "from English": 0}.items():
            found = cosines.argmax(axis=axis) == right
            scores[name][language] = 100 * float(found.mean())
    return scores


def summary(scores: dict[str, dict[str, float]]) -> dict[str, float]:
    """English, and the means of the other languages.

    "mean" is the score by which settings were chosen: the mean of three numbers, STS of
    eight languages, STS across languages, and translations found both ways.
    """
    means = {
        "English": scores["sts"]["en"],
        "sts": float(np.mean([scores["sts"][x] for x in LANGUAGES[1:]])),
        "cross": float(np.mean([*scores["cross"].values()])),
        "Tatoeba": float(
            np.mean([*scores["to English"].values(), *scores["from English"].values()])
        ),
    }
    means["mean"] = float(np.mean([means["sts"], means["cross"], means["Tatoeba"]]))
    return means


def _spearman(
    first: NDArray[np.float32], second: NDArray[np.float32], gold: NDArray[np.float64]
) -> float:
    return 100 * float(spearmanr(cosine(first, second), gold).statistic)
