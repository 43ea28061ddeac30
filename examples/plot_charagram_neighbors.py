"""
Neighbours of misspelt and unseen words
=======================================

A :class:`~skparaphrase.encoders.CharagramEncoder` represents words by their character
n-grams. It starts from random vectors and needs no word vectors. This example shows the
nearest neighbours of words that are not in the training texts.

If you train on word pairs of PPDB (16,000 pairs take a minute), synonyms become
neighbours as well. Pass a file with columns word1 and word2::

    python examples/plot_charagram_neighbors.py pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Train on pairs
# --------------

import sys

import matplotlib.pyplot as plt

from skparaphrase.datasets import load_paraphrases, read_pairs
from skparaphrase.encoders import CharagramEncoder
from skparaphrase.inspection import nearest_texts
from skparaphrase.text import NgramTokenizer, WordTokenizer

if len(sys.argv) > 1:
    pairs = read_pairs(sys.argv[1], columns=("word1", "word2")).data
    encoder = CharagramEncoder.paper("words", max_epochs=5, random_state=0).set_params(
        optimizer__sparse=True
    )
    queries = ["vehicals", "definately", "goverment", "photografer", "babyies"]
    queries += ["journeying", "unhelpfulness", "disprovable"]
else:
    pairs = load_paraphrases().data
    encoder = CharagramEncoder(
        tokenizer=NgramTokenizer(ngram_range=(2, 5)),
        min_count=2,
        loss="infonce",
        learning_rate=0.005,
        batch_size=256,
        random_state=0,
    )
    queries = ["vehicals", "resturant", "goverment", "photografer", "babyies"]
    queries += ["journeying", "repairable", "moneyless"]
encoder.fit(pairs)

known = {word for text in WordTokenizer().tokenize(pairs.ravel()) for word in text}
words = sorted(word for word in known if word.isalpha())
seen = [query for query in queries if query in known]
print(
    f"{len(encoder.vectors_):,} n-grams from {len(pairs):,} pairs, {len(words):,} words"
)
print(f"of the queries, in training texts: {', '.join(seen) or 'none'}")

# %%
# Nearest neighbours
# ------------------
# The neighbours are words of the training texts.

frame = nearest_texts(encoder, queries, words, k=5)
figure, axes = plt.subplots(4, 2, figsize=(5.6, 8), sharex=True, layout="constrained")
for ax, query in zip(axes.flat, queries, strict=True):
    found = frame[frame["query"] == query]
    near, similarity = found["neighbor"].tolist(), found["similarity"].tolist()
    print(
        f"{query:12}",
        *(f"{w} {s:.2f}" for w, s in zip(near, similarity, strict=True)),
        sep="  ",
    )
    ax.barh(range(len(near)), similarity, color="#bcd7ea")
    for row, word in enumerate(near):
        ax.text(0.03, row, word, va="center", fontsize="medium")
    ax.set_title(query, fontsize="medium")
    ax.set(xlim=(0, 1), yticks=[])
    ax.invert_yaxis()
    ax.spines[["top", "right", "left"]].set_visible(False)
figure.supxlabel("cosine", fontsize="medium")
plt.show()
