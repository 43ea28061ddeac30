"""
Word interaction in similar sentences
=====================================

A :class:`~skparaphrase.supervised.PairwiseInteractionRegressor` compares each word of
one sentence with each word of the other. We compare it with the cosine of average
vectors.

For your own graded pairs, run::

    python examples/plot_word_interaction.py train.tsv test.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Graded pairs
# ------------
# Pairs that share a sentence are either all used for training or all held out.

import sys
from copy import deepcopy

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import load_graded_pairs, read_pairs
from skparaphrase.encoders import AverageEncoder
from skparaphrase.inspection import word_interactions
from skparaphrase.metrics import pearson_scorer
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairSimilarity
from skparaphrase.supervised import PairwiseInteractionRegressor

if len(sys.argv) > 1:
    (train_pairs, train_scores), (test_pairs, test_scores) = (
        read_pairs(path, score="score", return_X_y=True) for path in sys.argv[1:3]
    )
else:
    pairs, scores = load_graded_pairs(return_X_y=True)
    split = GroupShuffleSplit(1, test_size=0.25, random_state=0)
    train, test = next(split.split(pairs, groups=pair_groups(pairs)))
    train_pairs, train_scores = pairs[train], scores[train]
    test_pairs, test_scores = pairs[test], scores[test]

# %%
# Training
# --------
# A small LSTM and few epochs are suitable for a laptop. With thousands of pairs, use
# the defaults.

model = PairwiseInteractionRegressor(
    hidden_dim=64, learning_rate=2e-3, batch_size=16, max_epochs=2, random_state=0
)
contenders = {
    "cosine of average vectors": make_pipeline(AverageEncoder(), PairSimilarity()),
    "word interaction": model,
}
print(f"{len(train_pairs)} pairs to train, {len(test_pairs)} held out")
for name, contender in contenders.items():
    contender.fit(train_pairs, train_scores)
    r = pearson_scorer(contender, test_pairs, test_scores)
    print(f"{name:28} Pearson's r {r:.3f}", flush=True)

# %%
# Words in focus
# --------------
# Among the held-out pairs with nearly the same meaning, we choose the pair with the
# fewest common words. The plot shows the cosines of the words in context, and marks the
# pairs of words that the model focuses on.

same = np.flatnonzero(test_scores >= np.quantile(test_scores, 0.8))
tokens = [[set(text.lower().split()) for text in pair] for pair in test_pairs[same]]
overlap = [len(one & two) / len(one | two) for one, two in tokens]
pair = test_pairs[same[np.argmin(overlap)]]

found = word_interactions(model, pair)
print(f"{pair[0]}\n{pair[1]}")
print(f"score {found.score:.2f}, graded {test_scores[same[np.argmin(overlap)]]:g}")
cosines = found.cube[found.channels.index("concatenation cosine")]
print("best pairs of words in focus:")
cells = np.argwhere(found.focus)
for i, j in cells[np.argsort(-cosines[found.focus], kind="stable")[:6]]:
    print(f"  {found.words1[i]:>12} - {found.words2[j]:12} cosine {cosines[i, j]:.2f}")


def draw(ax, found, channel):
    """Draw a plane of the cube, with a mark in each cell of the focus."""
    plane = found.cube[found.channels.index(channel)]
    image = ax.imshow(plane, cmap="Blues", vmin=min(0, plane.min()), vmax=1)
    rows, columns = np.nonzero(found.focus)
    ax.plot(columns, rows, "s", markersize=9, mfc="none", mec="C1", mew=2)
    ax.set_xticks(range(len(found.words2)), found.words2, rotation=45, ha="right")
    ax.set_yticks(range(len(found.words1)), found.words1)
    return image


figure, ax = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
image = draw(ax, found, "concatenation cosine")
figure.colorbar(image, label="cosine of the words in context")
ax.set_title("Pairs of words in focus (squares)")
plt.show()

# %%
# The focus layer as printed
# --------------------------
# The default follows the authors' code, which differs from algorithm 2 of the paper.
# The printed algorithm compares the sums of forward and backward states, and stops
# after as many cells as the two sentences have words. The upper plot shows the
# focus of the code, and the lower one that of the printed algorithm.

printed = deepcopy(model).set_params(focus="paper")
_, axes = plt.subplots(2, 1, figsize=(5.6, 9), layout="constrained")
for ax, name, either, channel in zip(
    axes,
    ("code", "printed"),
    (model, printed),
    ("concatenation cosine", "sum cosine"),
    strict=True,
):
    found = word_interactions(either, pair)
    draw(ax, found, channel)
    ax.set_title(f"{name}: score {found.score:.2f}")
plt.show()
