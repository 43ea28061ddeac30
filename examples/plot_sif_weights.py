"""
What do frequent words weigh, by formula and by training?
=========================================================

:class:`~skparaphrase.encoders.SIFEncoder` weighs a word by a / (a + p), the less the
greater its share p of all text. An encoder that trains its word vectors learns weights
of its own: a vector that grows or shrinks counts for more or less in an average.

Paraphrases of your own, with columns sentence1 and sentence2::

    python examples/plot_sif_weights.py pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# By formula
# ----------
# A few dozen words make up half of all text. The smaller `a`, the more words are
# weighed down; the paper finds values from 1e-4 to 1e-3 best. Its figure 1 has the
# dashed curve, too: how much of a frequent word word2vec keeps when it trains.

import sys

import matplotlib.pyplot as plt

from skparaphrase.datasets import load_paraphrases, read_pairs
from skparaphrase.encoders import ParagramEncoder, SIFEncoder
from skparaphrase.inspection import FrequencyWeightsDisplay

pairs = (read_pairs(sys.argv[1]) if len(sys.argv) > 1 else load_paraphrases()).data
a = [1e-2, 1e-3, 1e-4]
FrequencyWeightsDisplay.from_estimator(SIFEncoder().fit(pairs), a=a, subsampling=1e-5)
plt.show()

# %%
# By training
# -----------
# This encoder begins with every word at weight 1, and never sees a count. Words that
# say little of what a text means become shorter, others longer.

encoder = ParagramEncoder(
    loss="infonce", learning_rate=0.05, max_epochs=10, random_state=0
).fit(pairs)
display = FrequencyWeightsDisplay.from_estimator(
    encoder, a=a, words=["the", "a", "is", "about", "man", "red", "dog"]
)
plt.show()

weights = dict(zip(display.words, display.weight.tolist(), strict=True))
print(*(f"{word} {weights[word]:.2f}" for word in ("the", "is", "red", "cat", "dog")))
