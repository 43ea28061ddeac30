"""
Sentiment from frozen sentence vectors
======================================

We compare sentence vectors, tf-idf, and both as features. The trained encoder is
frozen, so the pipeline trains only the classifier. If embedding is slow,
``Pipeline(memory=...)`` caches the vectors.

For your own file, with columns text and label, run::

    python examples/plot_sentiment_features.py reviews.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Positive and negative sentences
# -------------------------------

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import (
    GridSearchCV,
    LearningCurveDisplay,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.pipeline import FeatureUnion, Pipeline

from skparaphrase.datasets import load_paraphrases, load_sentiment, read_texts
from skparaphrase.encoders import ParaphraseEncoder

if len(sys.argv) > 1:
    texts, labels = read_texts(sys.argv[1], return_X_y=True)
else:
    texts, labels = load_sentiment(return_X_y=True)
    labels = np.where(labels == 1, "good", "bad")
commonest = np.unique(labels, return_counts=True)[1].max() / len(labels)
print(f"{len(texts):,} sentences; majority class: {commonest:.1%}")

# %%
# Three kinds of features
# -----------------------
# scikit-learn's `FeatureUnion` concatenates sentence vectors and tf-idf.

encoder = ParaphraseEncoder(random_state=0)
vectors = FrozenEstimator(encoder.fit(load_paraphrases().data))
words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
features = {
    "tf-idf of words": words,
    "sentence vectors": vectors,
    "vectors and tf-idf": FeatureUnion([("vectors", vectors), ("words", words)]),
}

# %%
# Tune the classifiers
# --------------------
# Each accuracy is slightly too optimistic, because it is the best of four on the same
# folds. With thousands of labels, tf-idf outperforms averages of word vectors on
# reviews (``benchmarks/results/frozen_features.md``).

grid = {"classifier__C": [0.1, 1.0, 10.0, 100.0]}
folds = StratifiedKFold(5, shuffle=True, random_state=0)

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
best, best_score = None, 0.0
for color, (name, transformer) in enumerate(features.items()):
    classifier = LogisticRegression(max_iter=1000)
    steps = [("features", transformer), ("classifier", classifier)]
    search = GridSearchCV(Pipeline(steps), grid, cv=folds)
    search.fit(texts, labels)
    spread = search.cv_results_["std_test_score"][search.best_index_]
    print(
        f"{name:20} accuracy {search.best_score_:.1%}, ± {spread:.1%} between "
        f"folds (C={search.best_params_['classifier__C']:g})"
    )
    chosen = search.best_estimator_
    curve = LearningCurveDisplay.from_estimator(
        chosen,
        texts,
        labels,
        train_sizes=np.linspace(0.25, 1, 4),
        cv=folds,
        score_type="test",
        score_name="accuracy",
        std_display_style=None,
        line_kw={"marker": "o", "color": f"C{color}"},
        ax=axes[0],
    )
    curve.lines_[0].set_label(name)
    if search.best_score_ > best_score:
        best, best_name, best_score = chosen, name, search.best_score_
predicted = cross_val_predict(best, texts, labels, cv=folds)

axes[0].axhline(commonest, color="grey", linestyle=":", label="majority class")
axes[0].set(title="Learning curves", xlabel="training sentences")
axes[0].legend(fontsize="small", loc=(0.55, 0.12))
ConfusionMatrixDisplay.from_predictions(
    labels, predicted, cmap="Blues", colorbar=False, ax=axes[1]
)
axes[1].set_title(f"Sentences, by {best_name}")
plt.show()
