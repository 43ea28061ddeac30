"""
Search across languages
=======================

``load_pretrained("multilingual")`` puts texts of nine languages into one space, so that
a question in one language finds an answer in another. Here, German questions look among
550 English questions of customers.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Questions and answers
# ---------------------
# The texts are English; nothing is translated.

import warnings

import matplotlib.pyplot as plt
import numpy as np

import skparaphrase
from skparaphrase.datasets import load_faq
from skparaphrase.search import SemanticSearch

faq = load_faq()
encoder = skparaphrase.load_pretrained("multilingual")
search = SemanticSearch(encoder).fit(faq.data)

german = [
    "Mein Paket ist nie angekommen, was passiert jetzt?",
    "Wann fährt der letzte Zug zum Flughafen?",
    "Mein Koffer kam nicht auf dem Band.",
    "Wie gebe ich einer Katze eine Tablette?",
    "Darf ich Blut spenden, wenn ich erkältet bin?",
    "Mein Postfach ist voll. Was kann ich löschen?",
]
hits = search.search(german, k=1)
for question, row in zip(german, hits.row[:, 0], strict=True):
    print(f"{question}\n   {faq.data[row]}\n   {faq.answers[row]}")

# %%
# How similar each question is to its translation, and to those of the others
# -----------------------------------------------------------------------------
# The diagonal holds the translations. The English encoder knows few German words, and
# finds those that look alike in both languages; its warning names the other encoder.

warnings.filterwarnings("ignore", "Words that the table lacks")
rows = [0, 72, 96, 192, 504, 312]  # of the translations
fig, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained", sharey=True)
for ax, name in zip(axes, ["english", "multilingual"], strict=True):
    cosines = skparaphrase.similarity(
        german, faq.data[rows], skparaphrase.load_pretrained(name), matrix=True
    )
    image = ax.imshow(cosines, vmin=0, vmax=1, cmap="Blues")
    right = np.mean(cosines.argmax(axis=1) == np.arange(len(rows)))
    ax.set(title=f"{name} encoder: {right:.0%} right")
    ax.set_xticks(range(len(rows)), [text[:22] + "..." for text in faq.data[rows]])
    ax.tick_params("x", rotation=60)
    ax.set_yticks(range(len(rows)), [text[:28] + "..." for text in german])
fig.colorbar(image, ax=axes, label="cosine")
plt.show()

# %%
# Any pair of the languages
# -------------------------
# Polish finds German as well, since no language is the pivot of a search.

polish = ["Moja paczka nigdy nie dotarła, co teraz?", "Czy mogę oddać krew?"]
found = SemanticSearch(encoder).fit(german).search(polish, k=1)
for question, text in zip(polish, found.text[:, 0], strict=True):
    print(f"{question}\n   {text}")
