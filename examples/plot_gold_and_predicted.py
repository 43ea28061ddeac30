"""
What is behind a correlation?
=============================

One number says how well an encoder agrees with people. Two figures show the pairs
behind it: each by its gold score and by the similarity that it is given, and the
correlation by length.

Graded pairs of your own, with columns score, sentence1 and sentence2::

    python examples/plot_gold_and_predicted.py pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Every pair
# ----------
# The plain average of word vectors gives high similarities to pairs of every gold
# score, for most sentences share their frequent words;
# :class:`~skparaphrase.encoders.SIFEncoder` weighs these down.

import sys

import matplotlib.pyplot as plt
import numpy as np

from skparaphrase.datasets import load_similarity, read_scored_pairs
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.inspection import (
    GroupedScoresDisplay,
    SimilarityDisplay,
    pair_lengths,
)

if len(sys.argv) > 1:
    pairs, gold = read_scored_pairs(sys.argv[1], return_X_y=True)
else:
    pairs, gold = load_similarity(return_X_y=True)
encoders = {"average": AverageEncoder().fit(pairs), "SIF": SIFEncoder().fit(pairs)}

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, (name, encoder) in zip(axes, encoders.items(), strict=True):
    display = SimilarityDisplay.from_estimator(encoder, pairs, gold, name=name, ax=ax)
    low, high = np.quantile(display.y_pred, [0.1, 0.9])
    print(
        f"{name:8} r {display.pearson_:.3f}  rho {display.spearman_:.3f}  "
        f"most similarities from {low:.2f} to {high:.2f}"
    )
axes[1].set_ylabel("")
plt.show()

# %%
# By length
# ---------
# As table 7 of Wieting et al. (2016): pairs in groups by the words of the longer text,
# here five of like size. Dashed is the correlation of all.

bins = np.unique(np.quantile(pair_lengths(pairs), [0.2, 0.4, 0.6, 0.8]).astype(int))
figure, ax = plt.subplots(layout="constrained")
for name, encoder in encoders.items():
    GroupedScoresDisplay.from_estimator(
        encoder, pairs, gold, bins=bins.tolist(), name=name, ax=ax
    )
plt.show()
