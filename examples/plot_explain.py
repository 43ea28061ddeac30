"""
Explain similarities and predictions
====================================

Which words make two texts similar, and which words speak for a label? The vectors of
averaging encoders are sums over words, so cosines and linear models can be taken apart
exactly.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Similarities of sentences
# -------------------------

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skparaphrase
from skparaphrase.datasets import load_faq
from skparaphrase.inspection import (
    PredictionExplanationDisplay,
    SimilarityExplanationDisplay,
    explain_similarity,
)

texts = [
    "A man is playing a guitar.",
    "Someone strums a guitar.",
    "My parcel never arrived.",
    "The package was not delivered.",
    "How long do I boil potatoes?",
    "Cooking time for potatoes",
]
cosines = skparaphrase.similarity(texts, texts, matrix=True)
figure, ax = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
image = ax.imshow(cosines, cmap="Blues", vmin=0, vmax=1)
for (i, j), cosine in np.ndenumerate(cosines):
    color = "white" if cosine > 0.6 else "black"
    ax.text(j, i, f"{cosine:.2f}", ha="center", va="center", color=color)
ax.set_yticks(range(len(texts)), texts)
ax.set_xticks([])
ax.spines[:].set_visible(False)
ax.set_title("Cosines of load_pretrained()")
plt.show()

# %%
# Why are two texts similar?
# --------------------------
# The cosine is the sum of the shares of all pairs of words.

SimilarityExplanationDisplay.from_estimator(
    None, "My package never came.", "My parcel never arrived, what happens now?"
)
plt.show()

# %%
# Summed over the words of the query, the shares of the words of the hit can be shown in
# the text itself:

query, hit = "my package never came", "My parcel never arrived, what happens now?"
shares = explain_similarity(query, hit)
figure, ax = plt.subplots(figsize=(5.6, 1.2), layout="constrained")
ax.set_axis_off()
for y, axis in ((0.75, 1), (0.25, 0)):
    of_words = shares.sum(axis=axis)
    place, coordinates = (0, y), "axes fraction"
    for word, share in of_words.items():
        strength = np.clip(share / 0.3, -1, 1) / 2 + 0.5
        box = {"facecolor": plt.cm.RdBu_r(strength), "edgecolor": "none", "pad": 3}
        color = "white" if abs(strength - 0.5) > 0.35 else "black"
        text = ax.annotate(
            word,
            place,
            (0 if coordinates == "axes fraction" else 9, 0),
            xycoords=coordinates,
            textcoords="offset points",
            va="bottom",
            color=color,
            bbox=box,
        )
        place, coordinates = (1, 0), text
plt.show()

# %%
# If a text is long, the display shows the strongest pairs of words:

SimilarityExplanationDisplay.from_estimator(
    None,
    "The quick brown fox jumps over the lazy dog near the river while the sun sets "
    "behind the hills.",
    "A fast brown animal leaps across a sleepy hound by a stream as evening comes over "
    "the mountains.",
)
plt.show()

# %%
# Why this label?
# ---------------
# The decision value of a class is the intercept plus a contribution of each word.

faq = load_faq()
model = make_pipeline(skparaphrase.load_pretrained(), LogisticRegression())
model.fit(faq.data, faq.topics)
PredictionExplanationDisplay.from_estimator(model, "How long do I boil the potatoes?")
plt.show()

# %%
# A row of a table
# ----------------
# In a table with several columns, the words of each text column and the other columns
# add up in the same way.

table = pd.DataFrame({"question": faq.data, "answer": faq.answers})
table["length"] = table["question"].str.len()
columns = ColumnTransformer(
    [
        ("question", skparaphrase.load_pretrained(), "question"),
        ("answer", skparaphrase.load_pretrained(), "answer"),
        ("length", StandardScaler(), ["length"]),
    ]
)
of_table = make_pipeline(columns, LogisticRegression()).fit(table, faq.topics)
print(table.iloc[0].to_string())
PredictionExplanationDisplay.from_estimator(of_table, table.iloc[[0]])
plt.show()
