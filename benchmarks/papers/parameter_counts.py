"""Numbers of parameters, beside those that the papers print.

    python benchmarks/papers/parameter_counts.py

The charCNN and the charLSTM of the notes of the Charagram paper, with 134 characters,
and PWIM (table 9 of He & Lin 2016). Needs no data. Writes
`benchmarks/results/parameter_counts.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import string
import sys
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase.encoders import CharCNNEncoder, CharLSTMEncoder
from skparaphrase.interaction import PairwiseInteractionRegressor
from skparaphrase.vectors import WordVectors

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.papers import parse_args, table, write
from _lib.published import CHARAGRAM, PWIM, printed

N_CHARACTERS = printed(f"{CHARAGRAM} text", "character embeddings")
ROWS = {
    "charCNN": printed(f"{CHARAGRAM} text", "parameters charCNN (similarity)"),
    "charLSTM": printed(f"{CHARAGRAM} text", "parameters charLSTM (similarity)"),
    "PWIM": printed(f"{PWIM} 9", "This work", "parameters"),
    "He et al. (2015)": printed(f"{PWIM} 9", "He et al. (2015)", "parameters"),
}


def main() -> None:
    args = parse_args(__doc__)
    found = count()
    write(args, "parameter_counts", found, report(found))


def count() -> dict[str, int]:
    """Parameters of our models, by row."""
    known = string.ascii_lowercase + string.digits + string.punctuation + " "
    others = map(
        chr, range(0x4E00, 0x4E00 + N_CHARACTERS - len(known) - 1)
    )  # and <unk>
    text = known + "".join(others)
    pairs = [(text, text[::-1]), ("a", "b")]
    cnn = CharCNNEncoder.paper("phrases", max_epochs=0).fit(pairs)
    lstm = CharLSTMEncoder.paper("phrases", max_epochs=0)
    words = WordVectors(["a", "cat", "dog"], np.ones((3, 300), dtype=np.float32))
    pwim = PairwiseInteractionRegressor.paper("sick", vectors=words, max_epochs=0)
    pwim.fit([("a cat", "a dog"), ("a cat", "a cat")], [1.0, 5.0])
    gated = CharLSTMEncoder.paper("words", max_epochs=0)
    return {
        "charCNN": total(cnn),
        "charLSTM": total(gated.fit(pairs)),
        "charLSTM, no output gate": total(lstm.fit(pairs)),
        "PWIM": sum(value.size for value in pwim.parameters_.values()),
    }


def total(encoder: Any) -> int:
    """Character vectors and all other parameters."""
    table = encoder.vectors_
    return len(table) * table.dim + sum(v.size for v in encoder.parameters_.values())


def report(found: dict[str, int]) -> list[str]:
    def shown(value: Any) -> str | None:
        return f"{value:,}" if isinstance(value, int) else value or None

    names = dict.fromkeys([*found, *ROWS])
    return [
        "# Numbers of parameters",
        "",
        f"With {N_CHARACTERS} characters (charCNN and charLSTM; the charLSTM with an",
        "output gate, unless said), word vectors of length 300 and 5 levels (PWIM).",
        "Published: notes of the Charagram paper; He & Lin (2016), table 9. Made by",
        "`python benchmarks/papers/parameter_counts.py`.",
        "",
        *table(
            ["", "here", "published"],
            [[name, shown(found.get(name)), shown(ROWS.get(name))] for name in names],
        ),
    ]


if __name__ == "__main__":
    main()
