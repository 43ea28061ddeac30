"""
Weights of frequent words, by formula and by training
=====================================================

:class:`~skparaphrase.encoders.SIFEncoder` weights a word by a / (a + p), where p is its
relative frequency. An encoder that trains its word vectors learns weights as well,
because a longer vector has more weight in an average.

For your own paraphrases, in a file with columns sentence1 and sentence2, run::

    python examples/plot_sif_weights.py pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# By formula
# ----------
# A few dozen words make up half of all text. The smaller `a`, the more words are
# down-weighted; values from 1e-4 to 1e-3 are the best in the paper. As in its figure 1,
# the dashed curve is the subsampling of frequent words in word2vec.

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
# This encoder starts with weight 1 for every word, and uses no counts. The vectors of
# words that contribute little to the meaning of a text become shorter, others longer.

encoder = ParagramEncoder(
    loss="infonce", learning_rate=0.05, max_epochs=10, random_state=0
).fit(pairs)
display = FrequencyWeightsDisplay.from_estimator(
    encoder, a=a, words=["the", "a", "is", "about", "man", "red", "dog"]
)
plt.show()

weights = dict(zip(display.words, display.weight.tolist(), strict=True))
print(*(f"{word} {weights[word]:.2f}" for word in ("the", "is", "red", "cat", "dog")))
