"""
Look behind a correlation
=========================

A correlation summarises in one number how well an encoder agrees with human scores. A
plot of the gold score and the predicted similarity of each pair shows more, and so does
the correlation in groups of pairs.

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

from skparaphrase.datasets import load_graded_pairs, read_pairs
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.inspection import SimilarityErrorDisplay
from skparaphrase.metrics import pearson_score
from skparaphrase.pairs import PairSimilarity
from skparaphrase.text import WordTokenizer

if len(sys.argv) > 1:
    pairs, gold = read_pairs(sys.argv[1], score="score", return_X_y=True)
else:
    pairs, gold = load_graded_pairs(return_X_y=True)
encoders = {"average": AverageEncoder(), "SIF": SIFEncoder().fit(pairs)}

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, (name, encoder) in zip(axes, encoders.items(), strict=True):
    display = SimilarityErrorDisplay.from_estimator(
        encoder, pairs, gold, name=name, ax=ax
    )
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
# the longer text, here into five groups of similar size.

split = WordTokenizer()
lengths = np.array([max(len(split(text)) for text in pair) for pair in pairs])
limits = np.unique(np.quantile(lengths, [0.2, 0.4, 0.6, 0.8]).astype(int))
groups = np.searchsorted(limits, lengths)
names = [f"up to {limit}" for limit in limits] + ["longer"]
similarity = PairSimilarity()

figure, ax = plt.subplots(layout="constrained")
for name, encoder in encoders.items():
    predicted = similarity.predict(encoder.transform(pairs))
    scores = [
        pearson_score(gold[groups == group], predicted[groups == group])
        for group in range(len(names))
    ]
    ax.plot(names, scores, marker="o", label=name)
ax.set(xlabel="words of the longer text", ylabel="Pearson's r")
ax.legend()
plt.show()
