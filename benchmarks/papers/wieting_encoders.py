"""All encoders of the papers on the STS data sets of 2012 to 2015 and SICK.

    python benchmarks/papers/wieting_encoders.py --data ../shared [--quick] [--seeds 3]

Reproduces table 2 of Wieting et al. (2016), tables 3 and 11 of the Charagram paper and
table 1 of the CSE paper; adds a union of a word and a character encoder. Writes
`benchmarks/results/wieting_encoders.json` and `.md`.

Rates and epochs that are not the paper's were chosen on the training sets of STS 2012
and SICK; the slow encoders have fewer epochs and one seed. They are trained on words,
captions, rewrites of Wikipedia and news, 92 thousand pairs (charLSTM: a quarter of
them); the papers had 3 to 9 million of PPDB. Because PPDB's phrases are short, "words
first" trains the LSTMs on the lexical pairs before a quarter of the sentences.
The charLSTMs of 100 dimensions differ from the paper's in one thing each; "short pairs
first" is a curriculum, since our pairs have no order of confidence. "Centred start"
subtracts the mean of all word vectors first.
"Defaults" are those of the classes. Encoders of words then start from the pretrained
encoder, whose scores are the row "pretrained", and not from the vectors of the other
rows. "Own setting" is what made the charLSTM learn: InfoNCE and fewer dimensions.
Charagram's score on the development set is constant from the second epoch on (68.2,
68.0, 68.2, 68.0, 69.0), so it is trained for two.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline

from skparaphrase import encoders, load_pretrained
from skparaphrase.datasets import load_word_frequencies
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder
from skparaphrase.losses import MarginLoss
from skparaphrase.metrics import pearson_score
from skparaphrase.optimizers import Optimizer
from skparaphrase.pairs import LastAxisUnion, PairSimilarity
from skparaphrase.vectors import WordFrequencies

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.paper_encoders import INFONCE, PLAIN_INFONCE, multiplied, paper_encoder
from _lib.papers import (
    COLUMNS,
    Data,
    median,
    parse_args,
    run_all,
    score_sts,
    sts_means,
    table,
    write,
)
from _lib.published import SYSTEMS, beaten, label, published


class Model(NamedTuple):
    """A row: class, differences from the paper's setting, and how it is trained."""

    encoder: str
    params: dict[str, Any]
    slow: bool = False  # one seed only
    published: tuple[str, ...] = ()  # what it is called in `_lib/published.py`
    share: float = 1.0  # of the training pairs
    words_first: bool = False  # lexical pairs, then sentences
    centered: bool = False  # the initial word vectors
    short_first: bool = False  # the order of the first epoch
    times: float = 1.0  # factor of the initial word vectors
    defaults: bool = False  # of the class, and its initial vectors


_OF_100: dict[str, Any] = {"dim": 100, "max_epochs": 1}

DEFAULTS = {
    "charLSTM, defaults": Model("CharLSTMEncoder", {}, True, defaults=True),
    "charCNN, defaults": Model("CharCNNEncoder", {}, True, defaults=True),
    "LSTM, defaults": Model("LSTMEncoder", {}, True, defaults=True),
    "RNN, defaults": Model("RNNEncoder", {}, True, defaults=True),
    "iRNN, defaults": Model("IdentityRNNEncoder", {}, True, defaults=True),
    "Charagram, defaults": Model("CharagramEncoder", {}, defaults=True),
    "CSE, defaults": Model("ConvolutionalEncoder", {}, defaults=True),
    "DAN, defaults": Model("DeepAveragingEncoder", {}, defaults=True),
    "projection, defaults": Model("ProjectionEncoder", {}, defaults=True),
    "PP, defaults": Model("ParagramEncoder", {}, defaults=True),
    "pretrained": Model("AverageEncoder", {}, True, defaults=True),
}
# In the order of training time, longest first.
MODELS = {
    **DEFAULTS,
    "charLSTM, own setting": Model(
        "CharLSTMEncoder",
        {
            "dim": 100,
            "loss": PLAIN_INFONCE,
            "optimizer": Optimizer("adam", schedule="linear"),
            "max_epochs": 6,
        },
        True,
    ),
    "charLSTM": Model("CharLSTMEncoder", {"max_epochs": 1}, True, ("charLSTM",), 0.25),
    "charLSTM of 100": Model("CharLSTMEncoder", _OF_100),
    "charLSTM of 100, short pairs first": Model(
        "CharLSTMEncoder", _OF_100, short_first=True
    ),
    "charLSTM of 100, random negatives": Model(
        "CharLSTMEncoder", {**_OF_100, "loss": MarginLoss(negatives="random")}
    ),
    "charLSTM of 100, InfoNCE": Model(
        "CharLSTMEncoder", {**_OF_100, "loss": PLAIN_INFONCE}
    ),
    "Charagram": Model(
        "CharagramEncoder",
        {"max_epochs": 2},
        False,
        ("PP of the Charagram paper", "Charagram"),
    ),
    "LSTM with gate": Model(
        "LSTMEncoder",
        {"max_epochs": 2, "output_gate": True},
        True,
        ("LSTM with gate",),
    ),
    "LSTM": Model("LSTMEncoder", {"max_epochs": 2}, True, ("LSTM",)),
    "LSTM, vectors of length 6": Model(
        "LSTMEncoder", {"max_epochs": 2}, True, times=6.0
    ),
    "LSTM with gate, words first": Model(
        "LSTMEncoder",
        {"max_epochs": 1, "output_gate": True},
        share=0.25,
        words_first=True,
    ),
    "LSTM, words first": Model(
        "LSTMEncoder", {"max_epochs": 1}, share=0.25, words_first=True
    ),
    "charCNN": Model("CharCNNEncoder", {"max_epochs": 2}, False, ("charCNN",)),
    "CSE": Model(
        "ConvolutionalEncoder",
        {"max_epochs": 3, "learning_rate": 0.0003},
        False,
        ("CSE",),
    ),
    "iRNN": Model(
        "IdentityRNNEncoder",
        {"max_epochs": 3, "learning_rate": 0.0005},
        False,
        ("iRNN",),
    ),
    "RNN": Model("RNNEncoder", {"max_epochs": 3}, False, ("RNN",)),
    "projection": Model(
        "ProjectionEncoder",
        {"max_epochs": 3, "learning_rate": 0.0002},
        False,
        ("projection",),
    ),
    "DAN, 1 layer": Model(
        "DeepAveragingEncoder",
        {"max_epochs": 3, "learning_rate": 0.005},
        False,
        ("DAN",),
    ),
    "DAN, 2 layers": Model(
        "DeepAveragingEncoder", {"max_epochs": 3, "learning_rate": 0.005, "n_layers": 2}
    ),
    "PP": Model(
        "ParagramEncoder",
        {"max_epochs": 4, "learning_rate": 0.01},
        False,
        ("PP",),
    ),
    "projection, centred start": Model(
        "ProjectionEncoder",
        {"max_epochs": 3, "learning_rate": 0.0002},
        centered=True,
    ),
    "PP, centred start": Model(
        "ParagramEncoder", {"max_epochs": 4, "learning_rate": 0.01}, centered=True
    ),
    "average, centred": Model("AverageEncoder", {}, True, centered=True),
    "average": Model("AverageEncoder", {}, True, ("PSL",)),
}
WORD_EPOCHS = 3  # on lexical pairs, if they come first
UNION_WEIGHTS = (
    0.0625,
    0.125,
    0.25,
    0.5,
    1.0,
)  # of the characters; chosen on development


def main() -> None:
    args = parse_args(__doc__, seeds=3)
    tasks = [
        (run, (args, name, seed))
        for name, model in MODELS.items()
        for seed in range(1 if model.slow else args.seeds)
    ]
    found = run_all(args, tasks)
    runs: dict[str, list[dict[str, Any]]] = {}
    for result in found:
        for name, values in result["rows"].items():
            runs.setdefault(name, []).append(values)
    results = {name: {**median(of), "seeds": len(of)} for name, of in runs.items()}
    write(args, "wieting_encoders", results, report(results))


def fit(data: Data, name: str, seed: int) -> tuple[Any, dict[str, float]]:
    """A trained encoder, and the cost of its training."""
    model = MODELS[name]
    kwargs: dict[str, Any] = {}
    if not (model.defaults or model.encoder.startswith("Char")):
        vectors = data.vectors.centered() if model.centered else data.vectors
        kwargs["vectors"] = multiplied(vectors, model.times)
    if name == "pretrained":
        encoder: Any = clone(load_pretrained())
    elif model.encoder == "AverageEncoder":
        encoder = AverageEncoder(**kwargs)
    else:
        kwargs = {**kwargs, **model.params, "random_state": seed}
        if data.quick:
            kwargs["max_epochs"] = 1
        if model.defaults:
            encoder = getattr(encoders, model.encoder)(**kwargs)
        else:
            encoder = paper_encoder(model.encoder, **kwargs)
    if not model.words_first:
        pairs = data.pairs[: int(model.share * len(data.pairs))]
        if model.short_first:
            lengths = [len(first) + len(second) for first, second in pairs]
            pairs = pairs[np.argsort(lengths, kind="stable")]
        return _train(pairs, encoder)
    words = clone(encoder).set_params(max_epochs=WORD_EPOCHS)
    first = words.fit(data.corpus("ppdb-lexical")[: 500 if data.quick else None])
    pairs = np.concatenate([data.corpus(name) for name in data.sentences])
    order = np.random.RandomState(0).permutation(len(pairs))
    return _train(
        pairs[order[: 1000 if data.quick else int(model.share * len(pairs))]],
        encoder.set_params(init=first),
    )


def _train(pairs: Any, encoder: Any) -> tuple[Any, dict[str, float]]:
    started = time.process_time()
    encoder.fit(pairs)
    seconds = time.process_time() - started
    if not hasattr(encoder, "parameters_"):
        return encoder, {}
    sizes = [len(encoder.vectors_) * encoder.vectors_.dim]
    sizes += [value.size for value in encoder.parameters_.values()]
    return encoder, {
        "fit seconds": seconds,
        "epochs": float(encoder.n_epochs_),
        "pairs": float(len(pairs)),
        "pairs/s": len(pairs) * encoder.n_epochs_ / seconds,
        "million parameters": sum(sizes) / 1e6,
    }


def run(args: argparse.Namespace, name: str, seed: int) -> dict[str, Any]:
    """Rows of one encoder; for Charagram also those of the union."""
    data = Data(args)
    encoder, costs = fit(data, name, seed)
    rows = {name: {**_sets(score_sts(encoder, data)), **costs}}
    if name == "Charagram":
        rows |= union(data, encoder, seed)
    return {"rows": rows}


def _sets(scores: dict[str, float]) -> dict[str, float]:
    return {**scores, **sts_means(scores)}


def union(data: Data, characters: Any, seed: int) -> dict[str, dict[str, float]]:
    """Rows of the members, with a component removed, and of their union."""
    folder = data.root / "data/frequencies/enwiki_vocab_min200.txt"
    frequencies = WordFrequencies.read(folder).fill_from(load_word_frequencies())
    words, costs = _train(
        data.pairs,
        paper_encoder(
            "ParagramEncoder",
            vectors=data.vectors.centered().weighted(frequencies),
            random_state=seed,
            **INFONCE,
        ),
    )
    removal = CommonComponentRemoval()
    members = [  # a union fits its members in place: each has a removal of its own
        ("words", make_pipeline(FrozenEstimator(words), clone(removal))),
        ("characters", make_pipeline(FrozenEstimator(characters), clone(removal))),
    ]
    weighed = [
        LastAxisUnion(members, weights={"characters": weight})
        for weight in UNION_WEIGHTS
    ]
    best = max(weighed, key=lambda one: _development(one, data))
    assert isinstance(best.weights, dict)
    return {
        "PP, InfoNCE from SIF": {**_sets(score_sts(words, data)), **costs},
        "the same + R": _sets(score_sts(words, data, removal)),
        "Charagram + R": _sets(score_sts(characters, data, removal)),
        "union of these two": {
            **_sets(_fitted_scores(best, data.sts)),
            "weight of characters": best.weights["characters"],
        },
    }


def _fitted_scores(union: LastAxisUnion, sets: Any) -> dict[str, float]:
    """Pearson x 100; like component removal, the union is fitted on each data set."""
    scores = {}
    for name, (pairs, gold) in sets.items():
        model = make_pipeline(union, PairSimilarity()).fit(pairs)
        scores[name] = 100 * float(pearson_score(gold, model.predict(pairs)))
    return scores


def _development(union: LastAxisUnion, data: Data) -> float:
    """Mean of STS 2012 train and SICK train, with equal weights."""
    scores = _fitted_scores(union, data.development)
    sts = [score for name, score in scores.items() if name.startswith("sts")]
    return float(np.mean([np.mean(sts), scores["sick-train"]]))


def report(results: dict[str, dict[str, Any]]) -> list[str]:
    names = [*reversed(MODELS), *(name for name in results if name not in MODELS)]
    methods = {name: of.published for name, of in MODELS.items() if of.published}
    sets = [key for key in results["PP"] if key.startswith("20") and "." in key]
    rows, each = [], []
    for name in names:
        rows.append([name, *map(results[name].get, COLUMNS)])
        each.append([name, *map(results[name].get, sets)])
        for method in methods.get(name, ()):
            theirs, title = published(method), label(method)
            rows.append([title, *map(theirs.get, COLUMNS)])
            each.append([title, *map(theirs.get, sets)])
    costs = [
        [
            name,
            f"{results[name]['epochs']:.0f}",
            f"{results[name]['pairs']:,.0f}",
            results[name]["seeds"],
            results[name]["fit seconds"],
            f"{results[name]['pairs/s']:,.0f}",
            results[name]["million parameters"],
            _differences(name),
        ]
        for name in names
        if "epochs" in results[name]
    ]
    return [
        "# Encoders of the papers on textual similarity",
        "",
        "Pearson x 100; means over the data sets of a year; mean of years: 2012 to",
        "2014. Made by `python benchmarks/papers/wieting_encoders.py`. Published:",
        "Wieting et al. (2016), table 2 (PSL is PARAGRAM-SL999); Charagram paper,",
        "tables 3 and 11; CSE paper, table 1. The papers trained on 3 to 9 million",
        "pairs of PPDB, from PARAGRAM-SL999 vectors; these encoders on 92 thousand",
        "pairs, from other word vectors. The published means of 2013 are of the same",
        "three sets, without SMT. Of their 22 sets, 19 and SICK are here.",
        "",
        *table(["encoder", *COLUMNS], rows),
        "",
        "R: the first common component of each data set removed; in the union within",
        "the members. The weight of its characters, chosen on the development sets:",
        f"{results['union of these two']['weight of characters']}.",
        "",
        *_orders(results, methods),
        "",
        "## Systems of the shared tasks",
        "",
        "On how many of the 20 data sets an encoder is above the median, the 75th",
        "percentile and the best of the systems that took part in the task; in",
        "brackets, by the published scores.",
        "",
        *table(["encoder", *SYSTEMS], _counts(results, methods)),
        "",
        "## Training",
        "",
        "One thread each, several at a time. Parameters include the whole table of",
        "words, of which training touches those of its texts.",
        "",
        *table(
            [
                "encoder",
                "epochs",
                "pairs",
                "seeds",
                "seconds",
                "pairs/s",
                "million parameters",
                "not the paper's",
            ],
            costs,
        ),
        "",
        "## Each data set",
        "",
        *table(["encoder", *sets], each),
    ]


def _differences(name: str) -> str:
    """What is not the paper's."""
    if name in MODELS and MODELS[name].defaults:
        return "all: the defaults of the class, and its initial vectors"
    params = MODELS[name].params if name in MODELS else INFONCE
    return ", ".join(f"{k}={v!r}" for k, v in params.items() if k != "max_epochs")


def _counts(
    results: dict[str, dict[str, Any]], methods: dict[str, tuple[str, ...]]
) -> list[list[Any]]:
    """Rows of the number of data sets on which an encoder is better than systems."""
    rows: list[list[Any]] = []
    for name in [*reversed(MODELS), "union of these two"]:
        ours = beaten(results[name])
        cells = [str(ours[system]) for system in SYSTEMS]
        if name in methods:
            theirs = beaten(published(methods[name][-1]))
            cells = [f"{ours[system]} ({theirs[system]})" for system in SYSTEMS]
        rows.append([name, *cells])
    for method in ("PP-XXL", "PP of the Charagram paper", "skip-thought"):
        theirs = beaten(published(method))
        rows.append([label(method), *(f"({theirs[system]})" for system in SYSTEMS)])
    return rows


def _orders(
    results: dict[str, dict[str, Any]], methods: dict[str, tuple[str, ...]]
) -> list[str]:
    """The models from best to worst, measured and published on the same sets."""
    ours = {name: results[name]["mean of years"] for name in methods}
    theirs = {
        name: published(method)["mean of years"]
        for name, (*_, method) in methods.items()
    }
    agreement = spearmanr(list(ours.values()), list(theirs.values())).statistic
    return [
        f"Order by the mean of years; rank correlation of the two {agreement:.2f}:",
        "",
        *(
            f"- {who}: {', '.join(sorted(of, key=of.__getitem__, reverse=True))}"
            for who, of in (("here", ours), ("published", theirs))
        ),
    ]


if __name__ == "__main__":
    main()
