"""
Pairs without a paraphrase database
===================================

The papers train on millions of phrase pairs of PPDB. Without it, pairs can be made from
texts that you have: phrases in which paraphrases differ, similar words, and similar
sentences. A :class:`~skparaphrase.encoders.CharagramEncoder`, which starts from random
vectors, shows what each of them teaches.

For your own pairs, in a file with columns sentence1 and sentence2, run::

    python examples/plot_pairs_to_train_on.py my-pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Phrases
# -------
# The words of two paraphrases are aligned; where they differ, there is a pair of
# phrases. The more words the paraphrases share, the better these are.

import re
import sys

import matplotlib.pyplot as plt
import numpy as np

import skparaphrase
from skparaphrase.datasets import (
    load_faq,
    load_graded_pairs,
    load_paraphrases,
    load_sentiment,
    read_pairs,
)
from skparaphrase.encoders import CharagramEncoder
from skparaphrase.metrics import STSScorer
from skparaphrase.pairs import extract_phrase_pairs
from skparaphrase.search import ParaphraseMiner

pairs = read_pairs(sys.argv[1]).data if len(sys.argv) > 1 else load_paraphrases().data
phrases = extract_phrase_pairs(pairs)
for first, second in phrases[:5]:
    print(f"{first:25}{second}")

# %%
# Words and sentences
# -------------------
# A miner finds the most similar words of the pretrained encoder, and the most similar
# sentences of any list. Pairs that share most of their words teach little, and are
# left out. None of the sentences is in the test data.

vocabulary = skparaphrase.load_pretrained().vectors.words[:10_000]
known = [word for word in vocabulary if word.isalpha()]
words = ParaphraseMiner(threshold=0.6, k=3).fit(known).mine(known).text

texts = np.concatenate([load_faq().data, load_sentiment().data, pairs.ravel()])
sentences = ParaphraseMiner(threshold=0.7, k=3).fit(texts).mine(texts).text


def overlap(pair):
    """Share of the words of two texts that are in both."""
    first, second = (set(re.findall(r"\w+", text.lower())) for text in pair)
    return len(first & second) / max(1, len(first | second))


sentences = sentences[[overlap(pair) <= 0.7 for pair in sentences]]
for mined in (words, sentences):
    print(f"{len(mined):,} pairs, such as", *mined[:: len(mined) // 3][:3].tolist())

# %%
# What they teach
# ---------------
# Pearson's r x 100 of cosines and the scores that people gave. The bars are means of
# three seeds, and the dots are the seeds.

score = STSScorer(load_graded_pairs(return_X_y=True))
sources = {
    "words": [words],
    "phrases": [phrases],
    "paraphrases": [pairs],
    "paraphrases, sentences": [pairs, sentences],
    "paraphrases, phrases": [pairs, phrases],
    "paraphrases, words": [pairs, words],
    "all": [pairs, sentences, phrases, words],
}
found = {}
for name, parts in sources.items():
    training = np.concatenate(parts)
    found[name] = [
        100 * score(CharagramEncoder(max_epochs=3, random_state=seed).fit(training))
        for seed in range(3)
    ]
    print(f"{name:24}{len(training):8,} pairs {np.mean(found[name]):8.1f}")

figure, ax = plt.subplots(figsize=(6.5, 3), layout="constrained")
for place, scores in enumerate(found.values()):
    ax.barh(place, np.mean(scores), color="tab:blue", alpha=0.7)
    ax.plot(scores, [place] * len(scores), "k.", markersize=4)
ax.set_yticks(range(len(found)), found)
ax.set_xlim(40, None)
ax.set(xlabel="Pearson x 100", title="Charagram by the pairs that it is trained on")
plt.show()
