"""The focus cubes of two pairs, table 10 of He & Lin (2016), and parameter counts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import string
from pathlib import Path
from typing import Any

import numpy as np

from _lib.paper_tables import Results, Runs, Table, only
from _lib.papers import Data, table
from _lib.published import CHARAGRAM, PWIM, printed, tables
from skparaphrase.encoders import CharCNNEncoder, CharLSTMEncoder
from skparaphrase.inspection import word_interactions
from skparaphrase.supervised import PairwiseInteractionRegressor
from skparaphrase.vectors import WordVectors


class Matrices(Table):
    """The cosines of the focus cube, times 10, for two pairs of SICK."""

    name = "interaction_matrices"
    channel = "concatenation cosine"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Cosines of the focus cube times 10, by pair."""
        X, y = data.sick("train")
        model = PairwiseInteractionRegressor(
            data.vectors,
            similarity=None,  # as in the paper
            levels=range(1, 6),
            max_epochs=1,
            random_state=0,
        )
        step = 30 if data.quick else 1
        model.fit(X[::step], y[::step])
        found: Results = {}
        for name, pair in self.description["pairs"].items():
            of = word_interactions(model, pair)
            plane = of.channels.index(self.channel)
            found[name] = {
                "cosines": (10 * of.cube[plane] * of.weights[plane]).tolist(),
                "focus": of.focus.astype(int).tolist(),
                "score": of.score,
            }
        return found

    def combine(self, runs: Runs) -> Results:
        return only(runs)

    def _printed(self, name: str) -> np.ndarray:
        """The matrix of the paper."""
        shape = [len(text.split()) for text in self.description["pairs"][name]]
        (row,) = (
            of for key, of in tables()[f"{PWIM} 10"].items() if key.startswith(name)
        )
        return np.reshape(list(row.values()), shape)

    def cells(self, results: Any, n_seeds: int) -> Results:
        shown: Results = {}
        for name, (first, second) in self.description["pairs"].items():
            ours, theirs = np.array(results[name]["cosines"]), self._printed(name)
            focus = np.array(results[name]["focus"], dtype=bool)
            # With factor 0.1, a cosine times 10 is at most 1.
            selected = np.abs(theirs) > 1
            rows = []
            for i, word in enumerate(first.split()):
                cells = [
                    f"**{value:.2f}**" if focus[i, j] else f"{value:.2f}"
                    for j, value in enumerate(ours[i])
                ]
                both = zip(cells, theirs[i], strict=True)
                rows.append([word, *(f"{a} ({b:.2f})" for a, b in both)])
            shown[name.replace(" ", "_")] = {
                "table": "\n".join(table(["", *second.split()], rows)),
                "here": int(focus.sum()),
                "there": int(selected.sum()),
                "both": int((focus & selected).sum()),
            }
        return shown

    def draw(self, results: Any, path: Path) -> None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 7), layout="constrained")
        pairs = self.description["pairs"]
        for axes, (name, texts) in zip(
            figure.subplots(2, 2), pairs.items(), strict=True
        ):
            rows, columns = (text.split() for text in texts)
            here = np.array(results[name]["cosines"])
            matrices = {"here": here, "table 10": self._printed(name)}
            for of, (title, matrix) in zip(axes, matrices.items(), strict=True):
                of.imshow(matrix, cmap="Greys", vmin=0, vmax=10)
                of.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
                of.set_yticks(range(len(rows)), rows)
                of.set_title(f"{name}, {title}", fontsize=9)
                for (i, j), value in np.ndenumerate(matrix):
                    color = "white" if value > 5 else "black"
                    text = of.text(j, i, f"{value:.1f}", ha="center", va="center")
                    text.set(fontsize=7, color=color)
        figure.savefig(path, dpi=110)


class ParameterCounts(Table):
    name = "parameter_counts"

    @property
    def n_characters(self) -> int:
        return int(printed(f"{CHARAGRAM} text", "character embeddings"))

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Parameters of our models, by row; needs no data."""
        known = string.ascii_lowercase + string.digits + string.punctuation + " "
        others = range(0x4E00, 0x4E00 + self.n_characters - len(known) - 1)  # and <unk>
        text = known + "".join(map(chr, others))
        pairs = [(text, text[::-1]), ("a", "b")]

        def total(encoder: Any) -> int:
            sizes = [value.size for value in encoder.fit(pairs).parameters_.values()]
            return len(encoder.vectors_) * encoder.vectors_.dim + sum(sizes)

        words = WordVectors(["a", "cat", "dog"], np.ones((3, 300), dtype=np.float32))
        pwim = PairwiseInteractionRegressor.paper("sick", vectors=words, max_epochs=0)
        pwim.fit([("a cat", "a dog"), ("a cat", "a cat")], [1.0, 5.0])
        return {
            "charCNN": total(CharCNNEncoder.paper("phrases", max_epochs=0)),
            "charLSTM": total(CharLSTMEncoder.paper("words", max_epochs=0)),
            "charLSTM, no output gate": total(
                CharLSTMEncoder.paper("phrases", max_epochs=0)
            ),
            "PWIM": sum(value.size for value in pwim.parameters_.values()),
        }

    def combine(self, runs: Runs) -> Results:
        found = only(runs)
        del found["seconds"]
        return found

    def cells(self, results: Any, n_seeds: int) -> Results:
        def shown(value: Any) -> str | None:
            return f"{value:,}" if isinstance(value, int) else value or None

        text, table_9 = f"{CHARAGRAM} text", f"{PWIM} 9"
        theirs = {
            "charCNN": printed(text, "parameters charCNN (similarity)"),
            "charLSTM": printed(text, "parameters charLSTM (similarity)"),
            "PWIM": printed(table_9, "This work", "parameters"),
            "He et al. (2015)": printed(table_9, "He et al. (2015)", "parameters"),
        }
        rows = [
            [name, shown(results.get(name)), shown(theirs.get(name))]
            for name in dict.fromkeys([*results, *theirs])
        ]
        return {
            "table": table(["", "here", "published"], rows),
            "characters": self.n_characters,
        }
