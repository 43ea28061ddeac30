"""
Answer ranking
==============

A :class:`~skparaphrase.supervised.PairwiseInteractionRanker` compares the words of a
question with those of each candidate. We compare it with logistic regression on
features of the two sentence vectors, and with the cosine of the vectors, which is not
trained on answers. All three start from the pretrained encoder.

For your own questions, in a file with columns question, answer and label, run::

    python examples/plot_answer_ranking.py answers.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Questions and their candidates
# ------------------------------
# All candidates of a question are in the same fold.

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.datasets import load_answer_ranking, read_pairs
from skparaphrase.inspection import word_interactions
from skparaphrase.metrics import map_score, mrr_score
from skparaphrase.pairs import PairFeatures, PairSimilarity
from skparaphrase.supervised import PairwiseInteractionRanker

answers = load_answer_ranking()
X, y, query = answers.data, answers.target, answers.query
if len(sys.argv) > 1:
    columns = ("question", "answer")
    X, y = read_pairs(sys.argv[1], columns=columns, label="label", return_X_y=True)
    query = X[:, 0]
folds = list(GroupKFold(3, shuffle=True, random_state=0).split(X, groups=query))
print(f"{len(np.unique(query))} questions with {len(y)} candidates")

# %%
# Three rankers
# -------------
# The ranker starts from a similarity that needs no training: how well the candidate
# covers the words of the question (``similarity="coverage"``).

encoder = skparaphrase.load_pretrained()
contenders = {
    "cosine": make_pipeline(encoder, PairSimilarity()),
    "logistic regression": make_pipeline(encoder, PairFeatures(), LogisticRegression()),
    "word interaction": PairwiseInteractionRanker(max_words=32, random_state=0),
}

# %%
# Cross-validated MAP and MRR
# ---------------------------
# The bundled data set has few questions, and its wrong answers share words with their
# question. Logistic regression learns as much from so few answers as the ranker, which
# owes its lead over the cosine to its start. So it does for the most part on TrecQA,
# which has 4,718 candidates to learn from (:doc:`/user_guide/rank`).

measures = {"MAP": map_score, "MRR": mrr_score}
chance = np.random.default_rng(0).random((100, len(y)))
table = {
    "in random order": [
        np.mean([measure(y, scores, query) for scores in chance])
        for measure in measures.values()
    ]
}
for name, contender in contenders.items():
    scores = np.empty(len(y))
    for train, test in folds:
        model = clone(contender).fit(X[train], y[train])
        learns = hasattr(model, "decision_function")
        scores[test] = (model.decision_function if learns else model.predict)(X[test])
    table[name] = [measure(y, scores, query) for measure in measures.values()]
for name, row in table.items():
    print(f"{name:22} " + "  ".join(f"{value:.3f}" for value in row))

figure, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
rows = np.arange(len(table))
for n, measure in enumerate(measures):
    bars = ax.barh(
        rows + 0.38 * (n - 0.5), [row[n] for row in table.values()], 0.36, label=measure
    )
    ax.bar_label(bars, fmt="%.2f", padding=3)
ax.set(yticks=rows, yticklabels=table, xlim=(0, 0.8), title="Ranking of the answers")
ax.invert_yaxis()
ax.spines[["top", "right"]].set_visible(False)
ax.legend(loc="upper right")

# %%
# A ranked list
# -------------
# The question was not used to train the last model.

rows = test[query[test] == query[test[0]]]
question, candidates = X[rows[0], 0], X[rows, 1]
print(question)
order = model.rank(question, candidates)
for place, i in enumerate(order, start=1):
    mark = "right" if y[rows[i]] else ""
    print(f"{place:2} {mark:6}{scores[rows[i]]:6.2f}  {candidates[i]}")

# %%
# To see why the first candidate is ranked first, print the pairs of words that the
# model focuses on. :ref:`sphx_glr_auto_examples_plot_word_interaction.py` plots them.

found = word_interactions(model, (question, candidates[order[0]]))
cosines = found.cube[found.channels.index("concatenation cosine")]
for i, j in np.argwhere(found.focus):
    print(f"{found.words1[i]:>12} - {found.words2[j]:12} cosine {cosines[i, j]:.2f}")
plt.show()
