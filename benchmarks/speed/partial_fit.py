"""Speed and memory of `partial_fit` on two pairs, compared with a copy of the matrix.

    python benchmarks/speed/partial_fit.py

An online update of `ParaphraseEncoder` changes the vectors of a few words, so its cost
should depend on the pairs and not on the size of the table. Each round measures, for a
table that comes with the package, the median time of 20 calls after a first one, and of
20 NumPy copies of its matrix that alternate with them. The peak memory of another call,
beyond the memory before it, is given in copies of the matrix. The number of copies of
the vocabulary is 0 if the encoder keeps the object `vectors_.words`, and 1 otherwise.

Needs Linux and no data. `--quick` times 3 calls. Writes `partial_fit.json` and `.md` to
benchmarks/results (`--out`).
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Group,
    Measures,
    main,
    peak_of,
    timed,
)

SECOND = ("the train was late again", "once more, the train came late")
PAIRS = {
    "known": [("a cat sleeps on the mat", "the cat is sleeping on a mat"), SECOND],
    "unknown": [("a catx sleeps on the mat", "the catx is sleeping on a mat"), SECOND],
}
N_CALLS = 20


def read_table(name: str) -> Any:
    """A bundled table, as float32."""
    from skparaphrase import load_pretrained
    from skparaphrase.datasets import load_word_vectors

    small = name == "load_word_vectors"
    vectors = load_word_vectors() if small else load_pretrained().vectors
    return vectors.astype("float32")


def measure(args: Args, *, table: str, words: str) -> Measures:
    """Milliseconds of an update and of a copy, and the memory copied by an update."""
    import torch

    from skparaphrase.encoders import ParaphraseEncoder

    torch.set_num_threads(args.threads)
    vectors = read_table(table)
    pairs = PAIRS[words]
    encoder = ParaphraseEncoder(vectors, device="cpu", random_state=0)
    encoder.partial_fit(pairs)  # adds the words that the table lacks
    matrix = encoder.vectors_.matrix
    updates, copies = [], []
    for _ in range(3 if args.quick else N_CALLS):
        copies.append(timed(matrix.copy)[0])
        updates.append(timed(lambda: encoder.partial_fit(pairs))[0])
    before = encoder.vectors_.words
    _, peak = peak_of(lambda: encoder.partial_fit(pairs))
    return {
        "update": 1e3 * median(updates),
        "copy": 1e3 * median(copies),
        "matrices": 1e6 * peak / matrix.nbytes,
        "words": float(encoder.vectors_.words is not before),
    }


CASES = {
    f"{table}-{words}": (table, words)
    for table in ("load_word_vectors", "load_pretrained")
    for words in PAIRS
}


def _label(table: str, words: str) -> str:
    return f"{table}(){', a word that it lacks' if words == 'unknown' else ''}"


UPDATE = Group(
    title="Updates of two pairs",
    text="""`ParaphraseEncoder.partial_fit` on two pairs of six to eight tokens, with
    the tables that come with the package as float32, and a NumPy copy of the matrix of
    the same table. In two rows, one pair has a word that the table lacks, which the
    first call has added.""",
    columns={
        "update": "partial_fit, ms",
        "copy": "NumPy copy, ms",
        "matrices": "peak memory, copies of the matrix",
        "words": "copies of the vocabulary",
    },
    contenders={
        case: Contender(_label(*of), partial(measure, table=of[0], words=of[1]))
        for case, of in CASES.items()
    },
    comparisons=tuple(
        Comparison(f"{_label(*of)}: partial_fit / copy", f"{case}.update / {case}.copy")
        for case, of in CASES.items()
    ),
)

if __name__ == "__main__":
    main(Path(__file__), __doc__, {"update": UPDATE})
