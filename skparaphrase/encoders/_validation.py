"""Scores of held-out examples, for each kind of examples that an encoder learns from.

Higher is better, and all compare vectors by their cosines.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from skparaphrase._math import unit_vectors
from skparaphrase._nearest import nearest
from skparaphrase.metrics import RetrievalScorer, STSScorer


def validation(encoder: Any, examples: Any, held_out: Any) -> Callable[[], Any]:
    """What scores an encoder on held-out examples.

    Pairs and triplets: :class:`RetrievalScorer`. Scores: Pearson's r of the cosines.
    Labels: how often the nearest of the training texts has the label. A teacher's
    vectors: the mean cosine.
    """
    signal, texts = held_out.signal, held_out.array
    if signal.kind == "vectors":
        return partial(_mean_cosine, encoder, held_out)
    if signal.kind == "labels":
        return partial(_neighbor_accuracy, encoder, examples, held_out)
    if signal.kind == "scores":
        return partial(STSScorer((texts, signal.values)), encoder)
    if signal.kind == "triplets":
        return partial(RetrievalScorer(texts[:, :2], corpus=texts[:, 2]), encoder)
    return partial(RetrievalScorer(texts), encoder)


def _mean_cosine(encoder: Any, held_out: Any) -> float:
    """The mean cosine with a teacher's vectors."""
    vectors = np.asarray(encoder.transform(held_out.array))
    vectors = vectors.reshape(len(held_out.strings), -1)
    teacher = held_out.signal.values.reshape(len(vectors), -1)
    if hasattr(encoder, "teacher_axes_"):
        teacher = teacher @ encoder.teacher_axes_
    return float((unit_vectors(vectors) * unit_vectors(teacher)).sum(axis=1).mean())


def _neighbor_accuracy(encoder: Any, examples: Any, held_out: Any) -> float:
    """The share of held-out texts whose nearest training text has their label."""
    known, new = (
        unit_vectors(np.asarray(encoder.transform(texts.array), np.float32))
        for texts in (examples, held_out)
    )
    _, rows, _ = nearest(new, known, 1)
    return float((examples.signal.values[rows] == held_out.signal.values).mean())
