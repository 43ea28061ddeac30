"""How well near duplicates are grouped, at the best threshold."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from sklearn.metrics.cluster import pair_confusion_matrix

from _lib.products import TEMPLATES
from skparaphrase.datasets import load_faq
from skparaphrase.search import NearDuplicates

THRESHOLDS = np.arange(0.3, 0.96, 0.05)


def duplicates() -> dict[str, tuple[Any, Any]]:
    """Texts and their groups: bundled questions, and titles of products.

    Each product has its own model code, or in "titles, shared numbers" one of the
    numbers that every brand has.
    """
    faq, titles, shared = load_faq(), [], []
    for title, reworded, models in TEMPLATES:
        for model, number in zip(models.split(), (100, 200, 300, 400), strict=True):
            titles += [title.format(model), reworded.format(model)]
            shared += [title.format(number), reworded.format(number)]
    products = np.arange(len(titles)) // 2
    return {
        "questions": (faq.data, faq.groups),
        "product titles": (titles, products),
        "titles, shared numbers": (shared, products),
    }


def best(texts: Any, groups: Any, encoder: Any, guard: Any) -> dict[str, Any]:
    """The threshold of the largest F1, its figures, and thresholds of a large F1."""
    found = []
    for threshold in THRESHOLDS:
        model = NearDuplicates(encoder, threshold=threshold, must_agree=guard)
        (_, wrong), (missed, right) = pair_confusion_matrix(
            groups, model.fit_predict(texts)
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


def repeated_questions() -> tuple[list[tuple[str, str]], Any]:
    """Bundled questions that repeat an earlier one, paired with it, and all of them."""
    faq = load_faq()
    pairs = [
        (question, faq.data[faq.groups == group][0])
        for question, group in zip(faq.data, faq.groups, strict=True)
        if question != faq.data[faq.groups == group][0]
    ]
    return pairs, faq.data
