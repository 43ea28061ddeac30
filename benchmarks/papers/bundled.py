"""All models of the papers on the bundled data, for a clone without other data."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

from sklearn.model_selection import cross_val_predict

from _lib.paper_tables import Results, Table
from _lib.papers import Data, table
from skparaphrase import encoders, load_pretrained, supervised
from skparaphrase.datasets import (
    load_graded_pairs,
    load_paraphrases,
    load_word_vectors,
)
from skparaphrase.encoders import AverageEncoder
from skparaphrase.metrics import pearson_score
from skparaphrase.pairs import PairSimilarity

N_FOLDS = 3


class Bundled(Table):
    name = "bundled"
    is_bundled = True

    def measure(self, data: Data | None, name: str, seed: int) -> Results:
        """Pearson x 100 with the setting of the paper, and with defaults."""
        row = self.rows[name]
        module = encoders if hasattr(encoders, row["class"]) else supervised
        class_, seeded = getattr(module, row["class"]), {"random_state": seed}
        if class_ is AverageEncoder:
            paper, ours = class_(load_word_vectors()), load_pretrained()
        elif not hasattr(class_(), "random_state"):
            paper, ours = class_.paper(), class_()
        else:
            paper = class_.paper(row.get("setting"), **seeded)
            ours = class_(**row.get("params", {}), **seeded)
        if "epochs" in row:
            paper.set_params(max_epochs=row["epochs"])
            ours.set_params(max_epochs=row["epochs"])
        if hasattr(paper, "optimizer"):
            paper.set_params(optimizer__sparse=True)
        return {"paper": _score(paper), "defaults": _score(ours)}

    def cells(self, results: Any, n_seeds: int) -> Results:
        rows = [
            [name, results[name]["paper"], results[name]["defaults"]]
            for name in reversed(self.rows)
        ]
        return {
            "table": table(["", "paper's setting", "our defaults"], rows),
            "n_pairs": len(load_graded_pairs().data),
            "n_train": len(load_paraphrases().data),
        }


def _score(model: Any) -> float:
    pairs, gold = load_graded_pairs(return_X_y=True)
    if hasattr(model, "predict"):
        predicted = cross_val_predict(model, pairs, gold, cv=N_FOLDS)
    else:
        encoder = model.fit(load_paraphrases().data)
        predicted = PairSimilarity().predict(encoder.transform(pairs))
    return 100 * float(pearson_score(gold, predicted))
