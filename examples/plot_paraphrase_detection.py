"""
Paraphrase detection
====================

We compare word overlap, tf-idf, sentence vectors, and their combination as features of
the same classifier. The trained encoder is frozen, so the pipeline does not train it
again. :class:`~skparaphrase.pairs.PairFeatures` combines the two sentence vectors into
features of the pair, and :class:`~skparaphrase.pairs.PairVectorizer` does the same with
the tf-idf vectors of the two sentences.

For your own file with columns sentence1 and sentence2, pass the column of the scores or
labels, and the lowest score of a paraphrase::

    python examples/plot_paraphrase_detection.py msrp.tsv label 1
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Labelled pairs
# --------------

import sys
import textwrap

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
)
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
from sklearn.pipeline import FeatureUnion, make_pipeline

from skparaphrase.datasets import load_graded_pairs, load_paraphrases, read_pairs
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairFeatures, PairVectorizer

if len(sys.argv) > 1:
    path, column, least = sys.argv[1:]
    pairs, scores = read_pairs(path, score=column, return_X_y=True)
else:
    least = 4
    pairs, scores = load_graded_pairs(return_X_y=True)
same = scores >= float(least)
print(f"{len(pairs):,} pairs, of which {same.mean():.0%} are paraphrases")

# %%
# Four kinds of features
# ----------------------
# The encoder is trained on different pairs from those to be classified.

encoder = ParaphraseEncoder(random_state=0)
encoder.fit(load_paraphrases().data)

how = ("product", "absdiff", "cosine")
words = PairVectorizer(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), how)
vectors = make_pipeline(FrozenEstimator(encoder), PairFeatures())
contenders = {
    "word overlap": PairVectorizer(TfidfVectorizer(), features=("cosine",)),
    "tf-idf of words": words,
    "sentence vectors": vectors,
    "vectors and tf-idf": FeatureUnion([("vectors", vectors), ("words", words)]),
}

# %%
# Cross-validation
# ----------------
# Pairs that share a sentence are in the same fold.

groups = pair_groups(pairs)
folds = StratifiedGroupKFold(5, shuffle=True, random_state=0)
figure, ax = plt.subplots(figsize=(5.6, 4), layout="constrained")
styles = iter(["k:", "C1--", "C2-.", "C0-"])
print(f"{'x 100, five folds':20} accuracy  average precision  ROC AUC")
print(f"{'majority class':20} {100 * max(same.mean(), 1 - same.mean()):8.1f}")
best, best_precision = "", 0.0
chances = {}
for name, features in contenders.items():
    pipe = make_pipeline(features, LogisticRegression(C=10, max_iter=1000))
    chances[name] = cross_val_predict(
        pipe, pairs, same, groups=groups, cv=folds, method="predict_proba"
    )[:, 1]
    precision = average_precision_score(same, chances[name])
    print(
        f"{name:20} {100 * accuracy_score(same, chances[name] > 0.5):8.1f} "
        f"{100 * precision:18.1f} {100 * roc_auc_score(same, chances[name]):8.1f}"
    )
    if precision > best_precision:
        best, best_precision = name, precision
    curve = precision_recall_curve(same, chances[name])
    ax.plot(curve[1], curve[0], next(styles), label=f"{name} ({precision:.2f})")
ax.axhline(same.mean(), color="0.5", linewidth=1)
ax.annotate("by chance", (0.99, same.mean() - 0.05), ha="right", color="0.35")
ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
ax.set_title(f"Paraphrases among {len(pairs):,} pairs")
ax.legend(title="average precision", loc="upper right", fontsize="small")

# %%
# Errors
# ------

print(f"False positives with the highest probability ({best}):")
wrong = np.flatnonzero(~same)
for row in wrong[np.argsort(-chances[best][wrong], kind="stable")[:3]]:
    print(f"  {chances[best][row]:.2f}  score {scores[row]:g}")
    for text in pairs[row]:
        print("       ", textwrap.shorten(text, 90))
plt.show()
