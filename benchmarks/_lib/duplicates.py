"""Quality of groups of near duplicates, at the best threshold."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics.cluster import pair_confusion_matrix
from sklearn.pipeline import make_pipeline

from _lib.adaptation_data import AdaptationData
from _lib.labelled import read_labelled
from skparaphrase import load_pretrained
from skparaphrase.datasets import load_faq
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.search import NearDuplicates
from skparaphrase.text import clean_text

THRESHOLDS = np.arange(0.3, 0.96, 0.05)
N_TICKETS = 11  # per intent
DELETION = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7)


def duplicates() -> dict[str, tuple[Any, Any]]:
    """Texts and their groups: bundled questions, and titles of products.

    Each product has its own model code. In "titles, shared numbers", the codes are
    numbers that all brands share.
    """
    faq, titles, shared = load_faq(), [], []
    path = Path(__file__).with_name("products.toml")
    for of in tomllib.loads(path.read_text("utf-8"))["products"]:
        models = zip(of["models"].split(), (100, 200, 300, 400), strict=True)
        for model, number in models:
            titles += [of[form].format(model) for form in ("title", "reworded")]
            shared += [of[form].format(number) for form in ("title", "reworded")]
    products = np.arange(len(titles)) // 2
    return {
        "questions": (faq.data, faq.groups),
        "product titles": (titles, products),
        "titles, shared numbers": (shared, products),
    }


def best(texts: Any, groups: Any, encoder: Any, guard: Any) -> dict[str, Any]:
    """The threshold with the largest F1, its figures, and thresholds near it."""
    found = []
    model = NearDuplicates(encoder, threshold=THRESHOLDS[0], must_agree=guard)
    model.fit(texts)
    for threshold in THRESHOLDS:
        (_, wrong), (missed, right) = pair_confusion_matrix(
            groups, model.labels_at(threshold)
        )
        found.append(
            {
                "threshold": float(threshold),
                "precision": float(right / max(right + wrong, 1)),
                "recall": float(right / (right + missed)),
                "F1": float(2 * right / (2 * right + wrong + missed)),
            }
        )
    large = [each["threshold"] for each in found if each["F1"] >= 0.95]
    between = f"{large[0]:.2f} to {large[-1]:.2f}" if large else "nowhere"
    return max(found, key=lambda each: each["F1"]) | {"F1 of 0.95 or more": between}


def removals(data: AdaptationData) -> list[dict[str, Any]]:
    """The share of texts removed by `NearDuplicates` at a threshold that is correct."""
    X, y, is_test = read_labelled(data.args, "MSRP")
    sts = zip(*data.scored("sts/201*.tsv").values(), strict=True)
    texts, scores = map(np.concatenate, sts)
    pairs = {"MSRP": (X[is_test], y[is_test] == 1), "STS": (texts, scores >= 4)}
    rows: list[dict[str, Any]] = [{"threshold": each} for each in DELETION]
    for name, (texts, is_same) in pairs.items():
        scores = _scores(texts)
        for row in rows:
            is_found = scores >= row["threshold"]
            row[f"{name}, right"] = float(is_same[is_found].mean())
            row[f"{name}, found"] = float(is_found[is_same].mean())
    texts, intents = data.intents("train")
    order = [*range(len(texts))]
    np.random.default_rng(0).shuffle(order)
    texts, intents = texts[order], intents[order]
    model = NearDuplicates(threshold=DELETION[-1]).fit(texts)
    for row in rows:
        labels = model.labels_at(row["threshold"])
        kept = np.unique(labels, return_index=True)[1][labels]
        removed = np.flatnonzero(kept != np.arange(len(texts)))
        row["CLINC150, right"] = float((intents[kept] == intents)[removed].mean())
        row["CLINC150, removed"] = len(removed) / len(texts)
    return rows


MAIL = """Dear support team,

{text}

Kind regards,
{name}
--
This message and any attachments are confidential and intended solely for the addressee.
If you have received this message in error, please notify the sender and delete it.
"""
HTML = """<html><head><style>td {{ font-family: Arial; font-size: 13px }}</style></head>
<body><table width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
<td align="left" valign="top"><p>{text}</p><p>{name}</p></td></tr></table></body></html>
"""
FORMS = {"plain": "{text}", "e-mail": MAIL, "HTML": HTML}
NAMES = "Ann Bob Carla Dimitri Eve Farid Gina Hugo Ines Jan".split()


def forms(data: AdaptationData) -> list[dict[str, Any]]:
    """Texts removed from tickets in a common form, before and after cleaning."""
    rng = np.random.default_rng(0)
    texts, intents = data.intents("train")
    chosen = [
        rng.choice(np.flatnonzero(intents == intent), N_TICKETS, replace=False)
        for intent in np.unique(intents)
    ]
    rows = rng.permutation(np.concatenate(chosen))
    intents, texts = intents[rows], texts[rows]
    names = rng.choice(NAMES, len(texts))
    found = []
    for form, pattern in FORMS.items():
        written = [
            pattern.format(text=text, name=name)
            for text, name in zip(texts, names, strict=True)
        ]
        cleaned = clean_text(written)
        prepared = {"as it is": written}
        if form != "plain":
            prepared["clean_text"] = cleaned
        if form == "e-mail":
            prepared["clean_text, shared lines removed"] = without_shared(cleaned)
        for preparation, some in prepared.items():
            found.append({"form": form, "preparation": preparation})
            found[-1] |= _removed(NearDuplicates(), some, intents)
        if form != "plain":
            encoder = make_pipeline(load_pretrained(), CommonComponentRemoval())
            model = NearDuplicates(encoder.fit(written))
            found.append({"form": form, "preparation": "common component removed"})
            found[-1] |= _removed(model, written, intents)
    return found


def without_shared(texts: Any) -> list[str]:
    """Texts without the lines that more than 5 % of them share."""
    counts = Counter(line for text in texts for line in set(text.splitlines()))
    return [
        "\n".join(x for x in text.splitlines() if counts[x] <= 0.05 * len(texts))
        for text in texts
    ]


def _removed(model: Any, texts: Any, intents: Any) -> dict[str, Any]:
    """The number of removed texts, and the share represented by their intent."""
    labels = model.fit_predict(texts)
    kept = model.representative_indices_[labels]
    removed = np.flatnonzero(kept != np.arange(len(texts)))
    return {
        "removed": len(removed),
        "same intent": float((intents[kept] == intents)[removed].mean()),
    }


def _scores(pairs: Any) -> Any:
    """The cosine of each pair, or 0 if it is not grouped at the lowest threshold."""
    model = NearDuplicates(threshold=DELETION[-1]).fit(np.array(pairs).ravel())
    found = map(tuple, model.pairs_.tolist())
    cosines = dict(zip(found, model.cosines_.tolist(), strict=True))
    rows = np.sort(model.copy_of_.reshape(-1, 2)).tolist()
    return np.array([1.0 if i == j else cosines.get((i, j), 0.0) for i, j in rows])


def repeated_questions() -> tuple[list[tuple[str, str]], Any]:
    """Bundled questions that repeat an earlier one, paired with it, and all of them."""
    faq = load_faq()
    pairs = [
        (question, faq.data[faq.groups == group][0])
        for question, group in zip(faq.data, faq.groups, strict=True)
        if question != faq.data[faq.groups == group][0]
    ]
    return pairs, faq.data
