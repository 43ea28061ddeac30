"""Margins of paraphrases over their negative examples."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state, gen_batches


def margins(
    encoder: Any, pairs: Any, *, batch_size: int = 100, random_state: int | None = None
) -> pd.DataFrame:
    """Cosines of the pairs, and of each text with the most similar text of a batch.

    The negative of a text comes from the other pairs of its batch, as in training with
    `MarginLoss(negatives="max")`. Section 5 of Wieting et al. (2016) reports the mean
    of the column "margin", 2 cos(g1, g2) - cos(n1, g1) - cos(n2, g2).
    """
    vectors = encoder.transform(pairs)
    units = normalize(vectors.reshape(len(pairs) * 2, -1)).reshape(vectors.shape)
    positive = (units[:, 0] * units[:, 1]).sum(axis=1)
    negative = np.empty((len(pairs), 2))
    order = np.arange(len(pairs))
    check_random_state(random_state).shuffle(order)
    for batch in gen_batches(len(pairs), batch_size, min_batch_size=2):
        rows = order[batch]
        texts = units[rows].reshape(2 * len(rows), -1)
        cosines = (texts @ texts.T).reshape(len(rows), 2, len(rows), 2)
        own = np.arange(len(rows))
        cosines[own, :, own] = -np.inf
        negative[rows] = cosines.max(axis=(2, 3))
    return pd.DataFrame(
        {
            "positive": positive,
            "negative1": negative[:, 0],
            "negative2": negative[:, 1],
            "margin": 2 * positive - negative.sum(axis=1),
        }
    )
