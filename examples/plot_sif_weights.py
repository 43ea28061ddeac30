"""
SIF weights and learnt weights of words
=======================================

:class:`~skparaphrase.encoders.SIFEncoder` weights a word by a / (a + p), where p is its
relative frequency. An encoder that trains its word vectors also learns weights, because
a longer vector has more weight in an average.

For your own paraphrases, in a file with columns sentence1 and sentence2, run::

    python examples/plot_sif_weights.py pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# SIF weights
# -----------
# A few dozen words make up half of all text. The smaller `a` is, the more words are
# down-weighted; values from 1e-4 to 1e-3 are the best in the paper. As in its figure 1,
# the dashed curve is the subsampling of frequent words in word2vec.

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import (
    load_graded_pairs,
    load_paraphrases,
    load_word_vectors,
    read_pairs,
)
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import ParaphraseEncoder, SIFEncoder
from skparaphrase.inspection import token_weights
from skparaphrase.metrics import pearson_score
from skparaphrase.optimizers import Optimizer
from skparaphrase.pairs import PairSimilarity
from skparaphrase.vectors import WordFrequencies, remove_mean

pairs = (read_pairs(sys.argv[1]) if len(sys.argv) > 1 else load_paraphrases()).data
words = ["the", "is", "about", "man", "red", "dog"]


def draw(weights, column):
    """Draw a column against the frequencies, with the names of some words."""
    weights = weights[weights["frequency"] > 0]
    ax = weights.plot.scatter("frequency", column, s=5, alpha=0.25, logx=True)
    for word, row in weights.loc[words].iterrows():
        ax.annotate(word, (row["frequency"], row[column]), fontsize="small")
    return ax


ax = draw(token_weights(SIFEncoder().fit(pairs)), "sif")
share = np.geomspace(1e-8, 0.1, 200)
for a in (1e-2, 1e-3, 1e-4):
    ax.plot(share, a / (a + share), label=f"a = {a:g}", zorder=0)
ax.plot(share, np.minimum(1, np.sqrt(1e-5 / share)), "k--", label="word2vec, 1e-5")
ax.legend(loc="lower left")
plt.show()

# %%
# The choice of a and of the counts
# ---------------------------------
# As in figure 2 of the paper, the correlation hardly depends on the source of the
# counts, as long as they include punctuation. As a function of `a`, it has a broad
# maximum.

graded, gold = load_graded_pairs(return_X_y=True)
sources = {
    "Wikipedia": None,
    "paraphrases": WordFrequencies.from_texts(pairs),
    "the pairs themselves": "corpus",
}
grid = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5]
pipe = make_pipeline(SIFEncoder(), CommonComponentRemoval(), PairSimilarity())
_, ax = plt.subplots()
for name, frequencies in sources.items():
    scores = []
    for value in grid:
        pipe.set_params(sifencoder__a=value, sifencoder__frequencies=frequencies)
        scores.append(pearson_score(gold, pipe.fit(graded).predict(graded)))
    ax.semilogx(grid, scores, marker="o", label=name)
    best = max(zip(scores, grid, strict=True))
    print(f"{name:22} best r {best[0]:.3f} at a = {best[1]:g}")
ax.set(xlabel="a", ylabel="Pearson's r")
ax.legend(title="counts")
plt.show()

# %%
# Learnt weights
# --------------
# This encoder starts from plain word vectors, which have weight 1 for every word, and
# uses no counts. (The default, the table of the pretrained encoder, has weights
# already.) Training shortens the vectors of words that contribute little to the meaning
# of a text, and lengthens others. ``max_change=None`` lets it change them freely.

encoder = ParaphraseEncoder(
    remove_mean(load_word_vectors()),
    optimizer=Optimizer("adagrad", max_change=None),
    learning_rate=0.05,
    max_epochs=10,
    random_state=0,
).fit(pairs)
draw(token_weights(encoder), "l2")
plt.show()

before, after = token_weights(encoder.vectors)["l2"], token_weights(encoder)["l2"]
growth = (after / before)[words]
print(*(f"{word} {factor:.2f}" for word, factor in growth.items()))
