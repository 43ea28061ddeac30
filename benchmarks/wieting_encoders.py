"""All encoders of the papers on the STS data sets of 2012 to 2014 and SICK.

    python benchmarks/wieting_encoders.py --data ../shared [--quick] [--seeds 3]

Reproduces table 2 of Wieting et al. (2016), tables 3 and 11 of the Charagram paper and
table 1 of the CSE paper; adds a union of a word and a character encoder. Writes
`benchmarks/results/wieting_encoders.json` and `.md`.

Rates and epochs that are not the paper's were chosen on the training sets of STS 2012
and SICK; the slow encoders have fewer epochs and one seed. They are trained on words,
captions, rewrites of Wikipedia and news, 92 thousand pairs (charLSTM: a quarter of
them); the papers had 3 to 9 million of PPDB. Because PPDB's phrases are short, "words
first" trains the LSTMs on the lexical pairs before a quarter of the sentences.
"Own setting" is what made the recurrent encoders learn: a start as the average (RNN,
LSTM), InfoNCE, and fewer dimensions (charLSTM).
Charagram's score on the development set is constant from the second epoch on (68.2,
68.0, 68.2, 68.0, 69.0), so it is trained for two.

With `--recommended`, compares the recommended settings of encoders with the defaults
and the paper's, on the development sets, after training on 12,000 pairs. Writes
`recommended.json` and `.md`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import time
from typing import Any, NamedTuple

import numpy as np
from _papers import (
    Data,
    median,
    parse_args,
    run_all,
    score_sts,
    sts_means,
    table,
    write,
)
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline

from skparaphrase import encoders
from skparaphrase.datasets import load_word_frequencies
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.metrics import STSScorer, pearson_score
from skparaphrase.optimizers import Optimizer
from skparaphrase.pairs import LastAxisUnion, PairSimilarity
from skparaphrase.vectors import WordFrequencies


class Model(NamedTuple):
    """A row: class, differences from its defaults, and how it is trained."""

    encoder: str
    params: dict[str, Any]
    slow: bool = False  # one seed only
    published: tuple[float, float, float, float] | None = None
    share: float = 1.0  # of the training pairs
    words_first: bool = False  # lexical pairs, then sentences


_OWN: dict[str, Any] = {"start": "average", "loss": "infonce", "max_epochs": 1}

# In the order of training time, longest first. Published: 2012, 2013, 2014, SICK; the
# first seven and the average from Wieting, CSE from the CSE paper, the rest Charagram.
MODELS = {
    "charLSTM, own setting": Model(
        "CharLSTMEncoder",
        {
            "dim": 100,
            "loss": "infonce",
            "optimizer": Optimizer("adam", schedule="linear"),
            "max_epochs": 2,
        },
        True,
    ),
    "charLSTM": Model(
        "CharLSTMEncoder", {"max_epochs": 1}, True, (40.1, 30.7, 46.8, 50.3), 0.25
    ),
    "Charagram": Model(
        "CharagramEncoder", {"max_epochs": 2}, False, (66.1, 57.2, 74.7, 70.0)
    ),
    "LSTM with gate": Model(
        "LSTMEncoder",
        {"max_epochs": 2, "output_gate": True},
        True,
        (46.4, 41.5, 51.5, 59.0),
    ),
    "LSTM": Model("LSTMEncoder", {"max_epochs": 2}, True, (51.0, 45.2, 59.8, 63.9)),
    "LSTM with gate, words first": Model(
        "LSTMEncoder",
        {"max_epochs": 1, "output_gate": True},
        True,
        share=0.25,
        words_first=True,
    ),
    "LSTM, own setting": Model("LSTMEncoder", {**_OWN, "batch_size": 100}, True),
    "LSTM, words first": Model(
        "LSTMEncoder", {"max_epochs": 1}, True, share=0.25, words_first=True
    ),
    "charCNN": Model(
        "CharCNNEncoder", {"max_epochs": 2}, True, (56.5, 47.7, 64.7, 62.9)
    ),
    "CSE": Model(
        "ConvolutionalEncoder",
        {"max_epochs": 3, "learning_rate": 0.0003},
        True,
        (63.3, 58.6, 72.1, 71.9),
    ),
    "iRNN": Model(
        "IdentityRNNEncoder",
        {"max_epochs": 3, "learning_rate": 0.0005},
        True,
        (58.4, 56.7, 70.9, 71.2),
    ),
    "RNN": Model("RNNEncoder", {"max_epochs": 3}, True, (48.1, 44.7, 57.7, 61.2)),
    "RNN, own setting": Model("RNNEncoder", _OWN, True),
    "projection": Model(
        "ProjectionEncoder",
        {"max_epochs": 3, "learning_rate": 0.0002},
        False,
        (60.0, 56.8, 71.3, 71.6),
    ),
    "DAN, 1 layer": Model(
        "DeepAveragingEncoder",
        {"max_epochs": 3, "learning_rate": 0.005},
        False,
        (56.0, 54.2, 69.5, 70.7),
    ),
    "DAN, 2 layers": Model(
        "DeepAveragingEncoder", {"max_epochs": 3, "learning_rate": 0.005, "n_layers": 2}
    ),
    "PP": Model(
        "ParagramEncoder",
        {"max_epochs": 4, "learning_rate": 0.01},
        False,
        (58.7, 55.8, 70.9, 71.6),
    ),
    "average": Model("AverageEncoder", {}, True, (52.8, 46.4, 59.5, 66.4)),
}
# The word member of the union: PP with InfoNCE, from SIF-weighted vectors.
WORDS = {
    "weighting": "sif",
    "loss": "infonce",
    "batch_size": 256,
    "learning_rate": 0.01,
    "max_epochs": 2,
}
WORD_EPOCHS = 3  # on lexical pairs, if they come first
UNION_WEIGHTS = (
    0.0625,
    0.125,
    0.25,
    0.5,
    1.0,
)  # of the characters; chosen on development
RECOMMENDED = ("ParagramEncoder", "DeepAveragingEncoder")
SETTINGS = ("recommended", "default", "paper")
N_PAIRS = 12_000
COLUMNS = ("2012", "2013", "2014", "mean of years", "SICK")


def main() -> None:
    args = parse_args(__doc__, seeds=3, recommended="compare recommended settings")
    if args.recommended:
        return compare_settings(args)
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


def compare_settings(args: argparse.Namespace) -> None:
    tasks = [
        (run_setting, (args, kind, setting, seed))
        for setting in SETTINGS
        for kind in RECOMMENDED
        for seed in range(1 if setting == "paper" else args.seeds)
    ]
    scores: dict[str, dict[str, list[float]]] = {kind: {} for kind in RECOMMENDED}
    runs = run_all(args, tasks)
    for (_, (_, kind, setting, _)), run in zip(tasks, runs, strict=True):
        scores[kind].setdefault(setting, []).append(run["score"])
    rows = [[kind, *map(_range, each.values())] for kind, each in scores.items()]
    lines = [
        "# Recommended settings",
        "",
        "Pearson x 100, mean of SICK train and of the three training sets of STS 2012,",
        f"after training on {N_PAIRS:,} pairs; mean and range of the seeds, of which",
        "the paper's dense updates have one. Made by",
        "`python benchmarks/wieting_encoders.py --recommended`.",
        "",
        *table(["encoder", *SETTINGS], rows),
    ]
    write(args, "recommended", scores, lines)


def _range(scores: list[float]) -> str:
    ends = f" ({min(scores):.1f} to {max(scores):.1f})" if len(scores) > 1 else ""
    return f"{np.mean(scores):.1f}{ends}"


def run_setting(
    args: argparse.Namespace, kind: str, setting: str, seed: int
) -> dict[str, Any]:
    """Score of an encoder with one of the settings, on the development sets."""
    data, owner = Data(args), getattr(encoders, kind)
    make = owner if setting == "default" else getattr(owner, setting)
    encoder = make(random_state=seed)
    if "vectors" in encoder.get_params():
        encoder.set_params(vectors=data.vectors)
    encoder.fit(data.pairs[:N_PAIRS])
    scores = STSScorer(data.development)(encoder)
    return {"score": 100 * _mean_development(scores)}


def fit(data: Data, name: str, seed: int) -> tuple[Any, dict[str, float]]:
    """A trained encoder, and the cost of its training."""
    model = MODELS[name]
    kwargs = {} if model.encoder.startswith("Char") else {"vectors": data.vectors}
    if name != "average":
        kwargs = {**kwargs, **model.params, "random_state": seed}
    if data.quick and "max_epochs" in kwargs:
        kwargs["max_epochs"] = 1
    encoder = getattr(encoders, model.encoder)(**kwargs)
    if not model.words_first:
        return _train(data.pairs[: int(model.share * len(data.pairs))], encoder)
    words = clone(encoder).set_params(max_epochs=WORD_EPOCHS)
    first = words.fit(data.corpus("ppdb-lexical")[: 500 if data.quick else None])
    pairs = np.concatenate([data.corpus(name) for name in data.sentences])
    order = np.random.RandomState(0).permutation(len(pairs))
    return _train(
        pairs[order[: 1000 if data.quick else int(model.share * len(pairs))]],
        encoder.set_params(init=first),
    )


def _train(pairs: Any, encoder: Any) -> tuple[Any, dict[str, float]]:
    started = time.perf_counter()
    encoder.fit(pairs)
    seconds = time.perf_counter() - started
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
        encoders.ParagramEncoder(
            data.vectors, frequencies=frequencies, random_state=seed, **WORDS
        ),
    )
    removal = CommonComponentRemoval()
    members = [
        ("words", make_pipeline(FrozenEstimator(words), removal)),
        ("characters", make_pipeline(FrozenEstimator(characters), removal)),
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
    return _mean_development(_fitted_scores(union, data.development))


def _mean_development(scores: dict[str, float]) -> float:
    sts = [score for name, score in scores.items() if name.startswith("sts")]
    return float(np.mean([np.mean(sts), scores["sick-train"]]))


def report(results: dict[str, dict[str, Any]]) -> list[str]:
    names = [*reversed(MODELS), *(name for name in results if name not in MODELS)]
    published = {
        name: (*of[:3], float(np.mean(of[:3])), of[3])
        for name, model in MODELS.items()
        if (of := model.published)
    }
    rows = []
    for name in names:
        ours = results[name]
        theirs = " / ".join(f"{value:.1f}" for value in published.get(name, ()))
        rows.append([name, *(ours[column] for column in COLUMNS), theirs])
    costs = [
        [
            name,
            f"{results[name]['epochs']:.0f}",
            f"{results[name]['pairs']:,.0f}",
            results[name]["seeds"],
            results[name]["fit seconds"],
            f"{results[name]['pairs/s']:,.0f}",
            results[name]["million parameters"],
            ", ".join(
                f"{key}={value!r}"
                for key, value in _params(name).items()
                if key != "max_epochs"
            ),
        ]
        for name in names
        if "epochs" in results[name]
    ]
    sets = [key for key in results["PP"] if key.startswith("20") and "." in key]
    each = [[name, *(results[name][key] for key in sets)] for name in names]
    return [
        "# Encoders of the papers on textual similarity",
        "",
        "Pearson x 100; means over the data sets of a year. Made by",
        "`python benchmarks/wieting_encoders.py`. Published: 2012 / 2013 / 2014 / mean",
        "of these / SICK: Wieting et al. (2016), table 2 (average: PARAGRAM-SL999);",
        "Charagram paper, table 3; CSE paper, table 1. The papers trained on 3 to 9",
        "million pairs of PPDB, from PARAGRAM-SL999 vectors; these encoders on 92",
        "thousand pairs, from other word vectors. 2013 has a fourth set there, SMT,",
        "save in the CSE paper; of their 22 sets, 14 and SICK are here.",
        "",
        *table(["encoder", *COLUMNS, "published"], rows),
        "",
        "R: the first common component of each data set removed; in the union within",
        "the members. The weight of its characters, chosen on the development sets:",
        f"{results['union of these two']['weight of characters']}.",
        "",
        *_orders(results, published),
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
                "not by default",
            ],
            costs,
        ),
        "",
        "## Each data set",
        "",
        *table(["encoder", *sets], each),
    ]


def _params(name: str) -> dict[str, Any]:
    return MODELS[name].params if name in MODELS else WORDS


def _orders(
    results: dict[str, dict[str, Any]], published: dict[str, tuple[float, ...]]
) -> list[str]:
    """The models from best to worst, measured and published."""
    ours = {name: results[name]["mean of years"] for name in published}
    theirs = {name: values[3] for name, values in published.items()}
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
