"""Semantic textual similarity: averages, weights, removal, and trained encoders.

Tables 1, 2, 4 and 5 and figure 2 of Arora et al. (2017). Component removal is fitted on
the evaluated sentences, both sides of a data set together, as in the paper. Rates and
epochs of the trained encoders were chosen on the training sets of STS 2012 and SICK.
Supervised models keep the best epoch on the development set, on which their settings
were chosen.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from _lib.paper_encoders import INFONCE, paper_encoder
from _lib.paper_tables import (
    Results,
    Runs,
    Table,
    lines,
    resolved,
    said,
    spread,
)
from _lib.papers import COLUMNS, Data, median, score_sts, sts_means, table
from _lib.published import SIF, label, printed_row, published
from papers.supervised import (
    HEADS,
    LONGEST_FIRST,
    MODELS,
    beside,
    evaluate,
    lengthened,
    read,
)
from skparaphrase import supervised
from skparaphrase.datasets import (
    load_paraphrases,
    load_word_frequencies,
    load_word_vectors,
)
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder, TfidfEncoder
from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    apply_sif_weights,
    remove_mean,
)

# The name of the row in the papers, on GloVe and on PARAGRAM-SL999 (PSL).
PUBLISHED = {
    "average": ("GloVe", "PSL"),
    "tf-idf": ("tfidf-GloVe",),
    "SIF weights (W)": ("GloVe+W", "PSL+W"),
    "removal (R)": ("GloVe+R", "PSL+R"),
    "W + R": ("GloVe+WR", "PSL+WR"),
    "PP": ("PP",),
    "PP, paper's setting": ("PP-XXL",),
}
Row = tuple[str, str, Any, Any]  # group, name, encoder, postprocessing


class STS(Table):
    name = "sts"

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores of the rows of some groups."""
        texts = np.concatenate([pairs for pairs, _ in data.sts.values()])
        rows = []
        for group, row, encoder, removal in ROWS[name](data, seed):
            if "trained" not in name:
                # tf-idf counts the sentences of all data sets, as in the paper.
                encoder = encoder.fit(texts)
            scores = score_sts(encoder, data, removal)
            rows.append({"group": group, "name": row, **scores})
        return {"rows": rows}

    def combine(self, runs: Runs) -> Any:
        found = []
        for of in runs.values():
            for same in zip(*(run["rows"] for run in of), strict=True):
                row = {**median(same), "n_seeds": len(same)}
                sets = {name: row[name] for name in _sets(row)}
                found.append({**row, "means": sts_means(sets)})
        return found

    def cells(self, results: Any, n_seeds: int) -> Results:
        sets = _sets(results[0])
        parts = []
        for group in dict.fromkeys(row["group"] for row in results):
            means: Results = {}
            for row in results:
                if row["group"] == group:
                    means[row["name"]] = row["means"]
                    means |= _published(row["name"])
            rows = lines(means, COLUMNS)
            parts += [f"## {group}", "", *table(["encoder", *COLUMNS], rows), ""]
        each: Results = {}
        for row in results:
            each[f"{row['group']}: {row['name']}"] = row
            for name, scores in _published(row["name"]).items():
                each.setdefault(name, scores)
        return {
            "groups": parts[:-1],
            "sets": table(["encoder", *sets], lines(each, sets)),
        }


def _sets(row: Results) -> list[str]:
    return [name for name in row if name == "sick" or "." in name]


def _published(name: str) -> Results:
    """The rows of published scores for one of our rows."""
    return {label(method): published(method) for method in PUBLISHED.get(name, ())}


def _untrained(group: str, vectors: WordVectors | None, counts: Any) -> Iterator[Row]:
    plain, sif = AverageEncoder(vectors), SIFEncoder(vectors, frequencies=counts)
    none, one = CommonComponentRemoval(0), CommonComponentRemoval(1)
    yield group, "average", plain, none
    yield group, "SIF weights (W)", sif, none
    yield group, "removal (R)", plain, one
    yield group, "W + R", sif, one


def _minilm(data: Data, seed: int) -> Iterator[Row]:
    """The vectors of the data folder, without training."""
    group, vectors = "minilm-words 77k x 300", data.vectors
    none, one, two = map(CommonComponentRemoval, range(3))

    def sif(counts: Any = data.frequencies, **params: Any) -> SIFEncoder:
        return SIFEncoder(vectors, frequencies=counts, **params)

    letters = WordFrequencies.read(
        data.root / "data/frequencies/enwiki_vocab_min200.txt"
    )
    yield from _untrained(group, vectors, data.frequencies)
    yield group, "tf-idf", TfidfEncoder(vectors), none
    yield group, "W + 2 components", sif(), two
    centred = make_pipeline(FunctionTransformer(_centre), CommonComponentRemoval())
    yield group, "W + R, centred", sif(), centred
    yield group, "W, counts of letters only", sif(letters), none
    yield group, "W + R, counts of letters only", sif(letters), one
    per_side = FunctionTransformer(_remove_per_side)
    yield group, "the same, R per side (code)", sif(letters), per_side
    for a in (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5):
        yield "W + R by a (figure 2a)", f"a = {a:g}", sif(a=a), one
    pairs = [data.corpus(name) for name in data.sentences]
    sources: dict[str, Any] = {
        "Wikipedia and the bundled marks": data.frequencies,
        "bundled": None,
        "captions and rewrites": WordFrequencies.from_texts(np.concatenate(pairs)),
        "the evaluated sentences": "corpus",
        "Wikipedia, letters only": letters,
    }
    for name, source in sources.items():
        yield "W + R by the source of p(w) (figure 2b)", name, sif(source), one
    cbow = sif(weights=_subsampling)
    yield "Subsampling of word2vec", "its weights", cbow, none
    yield "Subsampling of word2vec", "its weights + R", cbow, one


def _centre(vectors: Any) -> Any:
    """Subtract the mean of a data set, both sides together."""
    return vectors - vectors.mean(axis=(0, 1))


def _remove_per_side(vectors: Any) -> Any:
    """Remove the component of the first and of the second sentences separately."""
    sides = [
        CommonComponentRemoval().fit_transform(side) for side in vectors.swapaxes(0, 1)
    ]
    return np.stack(sides, axis=1)


def _subsampling(p: Any) -> Any:
    """The share of the occurrences of a word that word2vec keeps."""
    return np.sqrt(np.minimum(1, 1e-5 / np.maximum(p, 1e-12)))


def _trained(data: Data, seed: int) -> Iterator[Row]:
    """PP on all pairs; from SIF: from centred vectors with SIF weights."""
    paths = sorted((data.root / "data/paraphrase").glob("*.tsv"))
    pairs = np.concatenate([data.corpus(path.stem) for path in paths])
    pairs = pairs[: 1000 if data.quick else None]
    group = f"minilm-words, trained, {len(pairs) // 1000}k pairs"
    none, one, two = map(CommonComponentRemoval, range(3))
    start = apply_sif_weights(remove_mean(data.vectors), data.frequencies)

    def train(vectors: WordVectors = data.vectors, **params: Any) -> Any:
        return paper_encoder(
            "ParaphraseEncoder", vectors=vectors, random_state=seed, **params
        ).fit(pairs)

    def weighted(encoder: Any) -> SIFEncoder:
        return SIFEncoder(encoder.vectors_, frequencies=data.frequencies).fit(pairs)

    paper = train()
    yield group, "PP, paper's setting", paper, none
    yield group, "PP, paper's setting + W + R", weighted(paper), one
    gentle = train(learning_rate=0.01, max_epochs=3)
    yield group, "PP", gentle, none
    yield group, "PP + W + R", weighted(gentle), one
    from_sif = train(start, learning_rate=0.01, max_epochs=2)
    yield group, "PP from SIF + R", from_sif, one
    infonce = train(start, **INFONCE)
    yield group, "InfoNCE from SIF", infonce, none
    yield group, "InfoNCE from SIF + R", infonce, one
    yield group, "InfoNCE from SIF + 2 components", infonce, two


def _bundled(data: Data, seed: int) -> Iterator[Row]:
    """The bundled vectors."""
    yield from _untrained("bundled 30k x 128, int8", None, None)


def _bundled_trained(data: Data, seed: int) -> Iterator[Row]:
    vectors = apply_sif_weights(
        remove_mean(load_word_vectors()), load_word_frequencies()
    )
    encoder = paper_encoder(
        "ParaphraseEncoder", vectors=vectors, random_state=seed, **INFONCE
    ).fit(load_paraphrases().data)
    removal = CommonComponentRemoval(1)
    yield "bundled, trained, 1,140 pairs", "InfoNCE from SIF + R", encoder, removal


ROWS = {
    "minilm-words": _minilm,
    "trained": _trained,
    "bundled": _bundled,
    "bundled, trained": _bundled_trained,
}


# Supervised models --------------------------------------------------------------------


class SIFFeatures(Table):
    """Word vectors are fixed; a layer projects averages to 2400 dimensions."""

    name = "sif_supervised"

    @cached_property
    def rows(self) -> dict[str, Any]:
        of = resolved(self.description)
        rows = {}
        for task in LONGEST_FIRST:
            for name, row in of["models"].items():
                params = dict(of["ours"]) if row["ours"] else {}
                if task == "sentiment" or not row["ours"]:
                    params["max_epochs"] = of["epochs"][task]
                rows[f"{task}, {name}"] = {
                    "encoder": row["encoder"],
                    "a": of["a"][task],
                    "params": {**params, **row.get("params", {})},
                }
        return rows

    def measure(self, data: Data, name: str, seed: int) -> Results:
        """Scores x 100 of one model on development and test set."""
        row, task = self.rows[name], name.partition(", ")[0]
        params = {**row["params"], "random_state": seed}
        params["max_epochs"] = data.epochs(params["max_epochs"])
        parts, encoder = read(data, task), self._encoder(data, row, seed)
        X, _ = parts["train"]
        if length := params.pop("length", None):
            encoder = FrozenEstimator(lengthened(encoder.fit(X, None), X, length))
        class_ = getattr(supervised, MODELS[task])
        model = class_.paper("sif", encoder=encoder, **params)
        return evaluate(model, parts)

    def _encoder(self, data: Data, row: Results, seed: int) -> Any:
        """The encoder of the features, which is not trained on the task."""
        if row["encoder"] == "average":
            return AverageEncoder(data.vectors)
        if row["encoder"] == "SIF":
            return SIFEncoder(data.vectors, a=row["a"], frequencies=data.frequencies)
        vectors = apply_sif_weights(remove_mean(data.vectors), data.frequencies)
        encoder = paper_encoder(
            "ParaphraseEncoder", vectors=vectors, random_state=seed, **INFONCE
        )
        return FrozenEstimator(encoder.fit(data.pairs))

    summary = staticmethod(spread)

    def cells(self, results: Any, n_seeds: int) -> Results:
        of = self.description
        rows = []
        for name, row in of["models"].items():
            theirs: Any = (None, None, None)
            if "published" in row:
                theirs = printed_row(f"{SIF} 2", row["published"])
            found = [results[f"{task}, {name}"] for task in MODELS]
            rows.append([name, *beside(found, theirs)])
        return {
            "scores": table(["features", *HEADS], rows),
            "a": of["a"],
            "sentiment_epochs": of["epochs"]["sentiment"],
            "ours": said(of["ours"]),
            "infonce": said(INFONCE),
        }
