"""
Near duplicates: choose the threshold
=====================================

How similar must two texts be to count as duplicates? With a few labelled groups, the
precision and the recall of all thresholds can be compared, after a single fit. Then we
remove duplicates from a table of products, whose other columns must agree.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Precision and recall over the threshold
# ---------------------------------------
# Of the 550 questions, 96 repeat another one: about half of these with few words
# changed, and the others in entirely different words. ``labels_at`` groups the texts at
# a larger threshold than that of the fit.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.cluster import pair_confusion_matrix

from skparaphrase.datasets import load_faq
from skparaphrase.search import NearDuplicates

faq = load_faq()
thresholds = np.linspace(0.5, 0.98, 25)


def precision_and_recall(model):
    """Of the pairs in one group, by threshold."""
    rows = []
    for threshold in thresholds:
        labels = model.labels_at(threshold)
        (_, wrong), (missed, right) = pair_confusion_matrix(faq.groups, labels)
        rows.append((right / max(1, right + wrong), right / (right + missed)))
    return np.transpose(rows)


models = {
    "load_pretrained()": NearDuplicates(threshold=0.5),
    "tf-idf of words": NearDuplicates(
        threshold=0.5, lexical=TfidfVectorizer(), lexical_weight=1
    ),
}
curves = {
    name: precision_and_recall(model.fit(faq.data)) for name, model in models.items()
}
precision, recall = curves["load_pretrained()"]
figure, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
ax.plot(thresholds, precision, label="precision: pairs that are right")
ax.plot(thresholds, recall, "--", label="recall: duplicates that are found")
ax.axvline(0.8, color="0.4", linewidth=1, linestyle=":")
ax.annotate("default", (0.8, 1.02), xytext=(4, 0), textcoords="offset points")
ax.set(xlabel="threshold (cosine)", ylabel="share of pairs", ylim=(0, 1.08))
ax.set_title("Near duplicates among 550 questions")
ax.legend(loc="lower left")
plt.show()

# %%
# Precision rises with the threshold. Recall stops near one half: the other duplicates
# share hardly any words with their first copy. Both can be compared with tf-idf:

figure, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
for (name, (precision, recall)), marker in zip(curves.items(), "os", strict=True):
    ax.plot(recall, precision, marker=marker, markersize=4, label=name)
ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.03))
ax.set_title("Near duplicates among 550 questions")
ax.legend(loc="lower left")
plt.show()

# %%
# Pairs near the threshold
# ------------------------
# Look at the pairs that a threshold decides about. Averages of words do not distinguish
# opposites: review before you delete.

model = models["load_pretrained()"]
for row in np.abs(model.cosines_ - 0.8).argsort()[:4]:
    first, second = model.pairs_[row]
    mark = "same" if faq.groups[first] == faq.groups[second] else "other"
    print(f"{model.cosines_[row]:.2f} {mark:6}{faq.data[first]}")
    print(f"{'':11}{faq.data[second]}")

# %%
# Records
# -------
# In a table, ``groups`` keeps records apart whose other columns differ. Numbers and
# model codes must agree anyway: a kettle of 1.7 l is not one of 1.5 l.

products = pd.DataFrame(
    [
        ("Electric kettle, stainless steel, 1.7 l", "Bosch"),
        ("Kettle of stainless steel, electric, 1.7 l", "Bosch"),
        ("Electric kettle, stainless steel, 1.5 l", "Bosch"),
        ("Electric kettle, stainless steel, 1.7 l", "Philips"),
        ("Cordless drill with two batteries, 18 V", "Bosch"),
        ("Cordless drill, 18 V, two batteries included", "Bosch"),
        ("Wireless headphones, black", "Sony"),
        ("Black wireless headphones", "Sony"),
    ],
    columns=["title", "brand"],
)
same = NearDuplicates(threshold=0.75)
products["group"] = same.fit_predict(products["title"], groups=products["brand"])
print(products.to_string())
