"""Why five figures stay below the published ones: one experiment for each.

    python benchmarks/papers/shortfalls.py --data ../shared [--quick]

Each row changes one thing of a row of another script: the number of pairs, the kind of
pairs, the initial vectors, or the number of epochs. One seed. Writes
`benchmarks/results/shortfalls.json` and `.md`. Finished fits are cached in
`benchmarks/results/runs`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from skparaphrase import load_pretrained
from skparaphrase.callback import ScoreMonitor
from skparaphrase.datasets import load_word_frequencies
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.interaction import PairwiseInteractionRanker
from skparaphrase.metrics import pearson_score
from skparaphrase.pairs import PairSimilarity
from skparaphrase.supervised import SentenceClassifier
from skparaphrase.vectors import WordFrequencies

sys.path.insert(0, str(Path(__file__).parents[1]))

from interaction_ranking import measure
from interaction_ranking import read as read_questions

from _lib.interaction import find_vectors, once, timed_fit
from _lib.paper_encoders import paper_encoder
from _lib.papers import Data, parse_args, run_all, score_sts, sts_means, write
from _lib.supervised import evaluate, read

N_BOOT = 2000  # samples of the interval of the shortest texts
FEW_WORDS = 4
WORDS = 12  # most words of a short pair

CHARAGRAM: dict[str, dict[str, Any]] = {
    "all pairs, 2 epochs": {"epochs": 2, "intervals": True},
    "half of the pairs, 4 epochs": {"share": 2, "epochs": 4},
    "a quarter of the pairs, 8 epochs": {"share": 4, "epochs": 8},
    "sentences only, 2 epochs": {"words": False, "epochs": 2},
}
CSE: dict[str, dict[str, Any]] = {
    "as in cse_cumulative": {},
    "centred start": {"centered": True},
    "half of the sentences, 4 epochs": {"share": 2, "epochs": 4},
    "a quarter of the sentences, 8 epochs": {"share": 4, "epochs": 8},
    "5 times the epochs": {"epochs": 10},
    "short pairs of sentences as phrases": {"phrases": "short"},
}
SST: dict[str, dict[str, Any]] = {
    "3 epochs": {"epochs": 3},
    "20 epochs": {"epochs": 20},
    "3 epochs, from load_pretrained()": {"epochs": 3, "start": "pretrained"},
    "3 epochs, a quarter of the phrases": {"epochs": 3, "share": 4},
}
TRECQA: dict[str, dict[str, Any]] = {
    "a quarter of the questions, 6 epochs": {"share": 4},
    "half of the questions, 6 epochs": {"share": 2},
    "all questions, 6 epochs, PP vectors": {"vectors": "PP"},
}
SICK: dict[str, dict[str, Any]] = {
    "all pairs": {"without": ()},
    "without captions": {"without": ("flickr8k",)},
    "without rewrites": {"without": ("rewrites",)},
}


def main() -> None:
    args = parse_args(__doc__)
    tasks = [
        (run, (args, part, name)) for part, (_, rows) in PARTS.items() for name in rows
    ]
    found: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for (_, (_, part, name)), result in zip(tasks, run_all(args, tasks), strict=True):
        found[part][name] = result
    write(args, "shortfalls", found, report(found))


def run(args: argparse.Namespace, part: str, name: str) -> dict[str, Any]:
    """One row."""
    fit, rows = PARTS[part]
    return dict(
        once(
            args,
            f"shortfalls-{part}-{name}",
            rows[name],
            lambda: fit(Data(args), args, **rows[name]),
        )
    )


def charagram(
    data: Data,
    args: argparse.Namespace,
    *,
    epochs: int,
    share: int = 1,
    words: bool = True,
    intervals: bool = False,
) -> dict[str, Any]:
    """The mean of years after each epoch; of short texts with an interval."""
    pairs = data.pairs
    if not words:
        pairs = shuffled([data.corpus(name) for name in data.sentences])
    pairs = pairs[:: share * (30 if args.quick else 1)]
    monitor = ScoreMonitor(lambda encoder: sts_means(score_sts(encoder, data)))
    encoder = paper_encoder(
        "CharagramEncoder", max_epochs=1 if args.quick else epochs, random_state=0
    )
    encoder.set_callbacks(monitor).fit(pairs)
    found = {
        "pairs": len(pairs),
        "epochs": [
            {key: scores[key] for key in ("mean of years", "with 2015", "SICK")}
            for scores in monitor.scores_
        ],
    }
    return found | ({"short": short_texts(encoder, data)} if intervals else {})


def short_texts(encoder: Any, data: Data) -> dict[str, float]:
    """r of the pairs of at most four words, and its 95 % bootstrap interval."""
    sets = [data.sts[key] for key in data.sts if key != "sick"]
    pairs = np.concatenate([pairs for pairs, _ in sets])
    gold = np.concatenate([gold for _, gold in sets])
    split = encoder_words(data)
    short = [max(len(split(text)) for text in pair) <= FEW_WORDS for pair in pairs]
    pairs, gold = pairs[short], gold[short]
    cosines = PairSimilarity().predict(encoder.transform(pairs))
    random = np.random.RandomState(0)
    samples = random.randint(len(gold), size=(N_BOOT, len(gold)))
    scores = [pearson_score(gold[rows], cosines[rows]) for rows in samples]
    low, high = np.percentile(scores, [2.5, 97.5])
    return {
        "pairs": len(gold),
        "r": 100 * float(pearson_score(gold, cosines)),
        "low": 100 * float(low),
        "high": 100 * float(high),
    }


def encoder_words(data: Data) -> Callable[[str], Any]:
    """How texts are split into words, as in `scores_by_length`."""
    from skparaphrase.text import WordTokenizer

    return WordTokenizer()


def cse(
    data: Data,
    args: argparse.Namespace,
    *,
    centered: bool = False,
    share: int = 1,
    epochs: int = 2,
    phrases: str = "words",
) -> dict[str, Any]:
    """CSE on phrases, then on sentences: the row "both" of table 4."""
    step = 30 if args.quick else 1
    sentences = shuffled([data.corpus(name) for name in data.sentences])
    first = shuffled([data.corpus("ppdb-lexical")])
    if phrases == "short":
        split = encoder_words(data)
        first = np.array(
            [p for p in sentences if max(len(split(text)) for text in p) <= WORDS]
        )
    table = data.vectors.centered() if centered else data.vectors
    common = {"vectors": table, "learning_rate": 0.0003, "random_state": 0}
    before = paper_encoder(
        "ConvolutionalEncoder", "ppdb-xl", max_epochs=1 if args.quick else 5, **common
    ).fit(first[::step])
    of_phrases = sts_means(score_sts(before, data))
    both = paper_encoder(
        "ConvolutionalEncoder",
        "simple-wikipedia",
        max_epochs=1 if args.quick else epochs,
        init=before,
        **common,
    ).fit(sentences[:: share * step])
    return {
        "phrase pairs": len(first),
        "after phrases": of_phrases["mean of years"],
        **sts_means(score_sts(both, data)),
    }


def sst(
    data: Data,
    args: argparse.Namespace,
    *,
    epochs: int,
    start: str = "minilm-words",
    share: int = 1,
) -> dict[str, Any]:
    """SST-2 with the paper's setting of SIF features: accuracy x 100."""
    path = data.root / "data/frequencies/enwiki_vocab_min200.txt"
    frequencies = WordFrequencies.read(path).fill_from(load_word_frequencies())
    encoder: Any = SIFEncoder(data.vectors, a=1e-3, frequencies=frequencies)
    if start == "pretrained":
        encoder = AverageEncoder(load_pretrained().vectors)  # already weighted
    parts = read(args, "sentiment")
    X, y = parts["train"]
    parts["train"] = X[::share], y[::share]
    model = SentenceClassifier.paper(
        "sif",
        encoder=encoder,
        max_epochs=1 if args.quick else epochs,
        random_state=0,
    )
    return evaluate(model, parts)


def trecqa(
    data: Data,
    args: argparse.Namespace,
    *,
    share: int = 1,
    vectors: str | None = None,
) -> dict[str, Any]:
    """MAP and MRR of the paper's model, trained on a part of the questions."""
    train, dev, test = (read_questions(args, part) for part in ("train", "dev", "test"))
    queries = np.unique(train.query)[:: share * (10 if args.quick else 1)]
    keep = np.isin(train.query, queries)
    model = PairwiseInteractionRanker(
        find_vectors(args, vectors),
        similarity=None,
        max_epochs=1 if args.quick else 6,
        random_state=0,
    )
    costs = timed_fit(
        model, train.data[keep], train.target[keep], X_val=dev.data, y_val=dev.target
    )
    return {"pairs": int(keep.sum()), **measure(model, test), **costs}


def sick(
    data: Data, args: argparse.Namespace, *, without: tuple[str, ...]
) -> dict[str, Any]:
    """PP trained without some pairs."""
    names = [n for n in ("ppdb-lexical", *data.sentences) if n not in without]
    pairs = shuffled([data.corpus(name) for name in names])
    pairs = pairs[:: 30 if args.quick else 1]
    encoder = paper_encoder(
        "ParagramEncoder",
        vectors=data.vectors,
        learning_rate=0.01,
        max_epochs=4,
        random_state=0,
    )
    return {
        "pairs": len(pairs),
        **sts_means(score_sts(encoder.fit(pairs), data)),
    }


def shuffled(parts: Any) -> Any:
    """All pairs in random order."""
    pairs = np.concatenate(parts)
    return pairs[np.random.RandomState(0).permutation(len(pairs))]


# Longest first, so that all parts are done at about the same time.
PARTS: dict[str, tuple[Callable[..., dict[str, Any]], Mapping[str, Any]]] = {
    "sst": (sst, SST),
    "sick": (sick, SICK),
    "cse": (cse, CSE),
    "charagram": (charagram, CHARAGRAM),
    "trecqa": (trecqa, TRECQA),
}


def report(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return ["# Shortfalls", "", str(found)]


if __name__ == "__main__":
    main()
