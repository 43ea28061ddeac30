"""Texts of one class as paraphrases of each other."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from few_words import TEXTS, make_encoder, unit

from skparaphrase.losses import InfoNCELoss
from skparaphrase.supervision._labels import partners


def test_partners_are_other_texts_of_the_class():
    labels = np.array([3, 0, 3, 1, 3, 2, 2, 3, 3])
    for seed in range(20):
        pairs = partners(labels, np.random.RandomState(seed))
        found = {i: [b for a, b in pairs.tolist() if a == i] for i in range(9)}
        for i, others in found.items():
            mates = {j for j in range(9) if labels[j] == labels[i] and j != i}
            assert len(others) == len(set(others)) == min(len(mates), 2)
            assert set(others) <= mates
    of_first = [
        partners(labels, np.random.RandomState(seed))[:, 1].tolist()
        for seed in range(50)
    ]
    assert len(set(map(tuple, of_first))) > 10  # they are drawn


def test_labels_bring_the_texts_of_a_class_together():
    labels = np.array([int(text.split()[0][1:]) % 4 for text in TEXTS])

    def gap(vectors):
        cosines = unit(vectors) @ unit(vectors).T
        same = labels[:, None] == labels
        others = same & ~np.eye(200, dtype=bool)
        return cosines[others].mean() - cosines[~same].mean()

    start = make_encoder(max_epochs=0).fit(TEXTS, labels)
    encoder = make_encoder(max_epochs=10, loss=InfoNCELoss(keep=0))
    encoder.fit(TEXTS, labels)
    assert gap(encoder.transform(TEXTS)) > gap(start.transform(TEXTS)) + 0.05
