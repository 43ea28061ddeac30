"""
Look behind a correlation
=========================

A correlation summarises in one number how well an encoder agrees with human scores. Two
plots show more: the gold score and the predicted similarity of each pair, and the
correlation by text length.

For your own graded pairs, in a file with columns score, sentence1 and sentence2, run::

    python examples/plot_gold_and_predicted.py pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Individual pairs
# ----------------
# With the plain average of word vectors, even pairs with low gold scores have high
# similarities, because most sentences share frequent words.
# :class:`~skparaphrase.encoders.SIFEncoder` down-weights these words.

import sys

import matplotlib.pyplot as plt
import numpy as np

from skparaphrase.datasets import load_similarity, read_pairs
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.inspection import GroupedScoresDisplay, SimilarityDisplay

if len(sys.argv) > 1:
    pairs, gold = read_pairs(sys.argv[1], score="score", return_X_y=True)
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
# Correlation by length
# ---------------------
# As in table 7 of Wieting et al. (2016), pairs are grouped by the number of words of
# the longer text, here into five groups of similar size. The dashed line is the
# correlation over all pairs.

figure, ax = plt.subplots(layout="constrained")
for name, encoder in encoders.items():
    GroupedScoresDisplay.from_estimator(encoder, pairs, gold, name=name, ax=ax)
plt.show()
