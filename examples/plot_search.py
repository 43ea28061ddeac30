"""
Search by words and by meaning
==============================

Vectors find what is said in other words; words find names, codes and rare terms. We
search notes with both kinds of queries, and vary the weight of the words.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Documents and queries
# ---------------------
# Each note consists of a question, its answer, and a code. Some queries name the code.
# The others ask a question of the notes in different words.

import matplotlib.pyplot as plt
import numpy as np

from skparaphrase.datasets import load_faq
from skparaphrase.search import SemanticSearch

faq = load_faq()
first = np.unique(faq.groups, return_index=True)[1]  # the first question of a meaning
notes = [
    f"{faq.data[row]} {faq.answers[row]} See note KB-{4000 + row} of the handbook."
    for row in first
]
repeats = np.setdiff1d(np.arange(len(faq.data)), first)
coded = np.arange(0, len(notes), 5)
queries = {
    "question in other words": (
        faq.data[repeats],
        np.searchsorted(faq.groups[first], faq.groups[repeats]),
    ),
    "question for a code": (
        [f"What does KB-{4000 + row} say?" for row in first[coded]],
        coded,
    ),
}
for name, (texts, _) in queries.items():
    print(f"{len(texts)} queries, {name}: {texts[0]}")

# %%
# Hits
# ----
# ``lexical="char_wb"`` also compares sequences of characters within words. The score of
# a text is a weighted mean of the cosines of vectors and of words.

both = SemanticSearch(lexical="char_wb", lexical_weight=0.5).fit(notes)
print(both.search(["my package never came", queries["question for a code"][0][3]], k=2))

# %%
# The weight of the words
# -----------------------
# A weight of 0 compares vectors only, a weight of 1 words only. For a mixture of
# queries, the best weight lies between them, so tune it on your own queries.

weights = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1]
figure, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
for (name, (texts, right)), marker in zip(queries.items(), "os", strict=True):
    shares = []
    for weight in weights:
        search = SemanticSearch(lexical="char_wb", lexical_weight=weight).fit(notes)
        shares.append(np.mean(search.search(texts, k=1).row[:, 0] == right))
    ax.plot(weights, shares, marker=marker, label=name)
    print(f"{name:24}" + "".join(f"{share:6.2f}" for share in shares))
ax.set(xlabel="weight of words (0: vectors only, 1: words only)", ylim=(0, 1.03))
ax.set_ylabel("right note ranked first, share")
ax.set_title(f"Search in {len(notes)} notes")
ax.legend(loc="lower left")
plt.show()
