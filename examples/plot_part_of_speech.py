"""
Part-of-speech tagging with character n-grams
=============================================

We compare a :class:`~skparaphrase.supervised.SequenceTagger`, whose word vectors are
made of character n-grams, with a baseline that predicts the most frequent tag of each
word. We evaluate both on known and on out-of-vocabulary words.

Treebanks in CoNLL-U are read by the package ``conllu``: pass lists of tokens and of
tags. Training on one takes a few minutes.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Tagged sentences
# ----------------

from collections import Counter, defaultdict

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from skparaphrase.datasets import load_pos_tags
from skparaphrase.encoders import CharagramEncoder
from skparaphrase.supervised import SequenceTagger

X, X_test, y, y_test = train_test_split(
    *load_pos_tags(return_X_y=True), test_size=0.25, random_state=0
)
words, gold = np.concatenate(X_test), np.concatenate(y_test)
print(f"{len(X)} sentences to learn from, {len(X_test)} to test on")

# %%
# A tagger
# --------
# We use Adam and dropout. ``SequenceTagger.paper("charagram")`` returns a tagger with
# the settings of the paper, which require a treebank.

tagger = SequenceTagger(
    CharagramEncoder(dim=50, activation="relu", min_count=2),
    optimizer="adam",
    learning_rate=0.01,
    batch_size=20,
    max_epochs=12,
    dropout=0.3,
    random_state=0,
)
tagger.fit(X, y)
predicted = np.concatenate(list(tagger.predict(X_test)))

# %%
# Comparison with the baseline
# ----------------------------
# The baseline assigns unknown words the most frequent tag of words that occur once,
# because these resemble them.

tags_of = defaultdict(Counter)
for word, tag in zip(np.concatenate(X), np.concatenate(y), strict=True):
    tags_of[word][tag] += 1
most_frequent = {word: tags.most_common(1)[0][0] for word, tags in tags_of.items()}
once = Counter(most_frequent[word] for word in tags_of if tags_of[word].total() == 1)
fallback = once.most_common(1)[0][0]
baseline = np.array([most_frequent.get(word, fallback) for word in words])

known = np.array([word in tags_of for word in words])
print(f"{'accuracy x 100':28}{'all':>8}{'known words':>14}{'unknown words':>15}")
for name, tags in (("most frequent tag", baseline), ("tagger", predicted)):
    right = 100 * (gold == tags)
    scores = [
        right[part].mean() if part.any() else np.nan
        for part in (known | ~known, known, ~known)
    ]
    print("{:28}{:8.1f}{:14.1f}{:15.1f}".format(name, *scores))
print(f"{'words':28}{len(words):8}{known.sum():14}{(~known).sum():15}")

# %%
# Ambiguous and invented words
# ----------------------------

for sentence in ("She will book a room .", "The glorpest wugs snorfled blickly ."):
    tokens = sentence.split()
    (tags,) = tagger.predict([tokens])
    print(*(f"{word}/{tag}" for word, tag in zip(tokens, tags, strict=True)))

# %%
# Accuracy by tag
# ---------------
# The rarer tags are harder. Each dot is the share of the words of a tag that got it.

common = [tag for tag, _ in Counter(gold).most_common(12)]
figure, ax = plt.subplots(figsize=(5.6, 4.2), layout="constrained")
for tags, style, label in (
    (baseline, "o", "most frequent tag of the word"),
    (predicted, "s", "tagger"),
):
    shares = [np.mean(tags[gold == tag] == tag) for tag in common]
    ax.plot(shares, range(len(common)), style, label=label)
ax.set_yticks(
    range(len(common)), [f"{tag} ({np.sum(gold == tag)} words)" for tag in common]
)
ax.set(xlim=(-0.02, 1.02), xlabel="recall", title="Parts of speech of held-out words")
ax.grid(axis="y", color="0.9")
ax.invert_yaxis()
ax.legend(loc="upper left")
plt.show()
