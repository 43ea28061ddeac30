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
# The encoder matters
# -------------------
# The questions are compared with their English counterparts: the diagonal should be the
# darkest cell of each row. The English encoder knows few German words, and finds those
# that look alike in both languages; its warning names the other encoder.

warnings.filterwarnings("ignore", "Words that the table lacks")
rows = [0, 72, 96, 192, 504, 312]  # of the English questions
topics = ["parcel", "last train", "suitcase", "cat, tablet", "blood, cold", "mailbox"]
for name in ("multilingual", "english"):
    _, ax = plt.subplots(figsize=(5.6, 4.2), layout="constrained")
    cosines = skparaphrase.similarity(
        german, faq.data[rows], skparaphrase.load_pretrained(name), matrix=True
    )
    ax.imshow(cosines, vmin=0, vmax=1, cmap="Blues")
    for (i, j), cosine in np.ndenumerate(cosines):
        color = "white" if cosine > 0.6 else "black"
        ax.text(j, i, f"{cosine:.2f}", ha="center", va="center", color=color)
    right = np.sum(cosines.argmax(axis=1) == np.arange(len(rows)))
    ax.set_title(f'load_pretrained("{name}"): {right} of {len(rows)} right')
    ax.set_xticks(range(len(rows)), topics, rotation=30, ha="right")
    ax.set_yticks(range(len(rows)), topics)
    ax.set(xlabel="English question", ylabel="German question")
    ax.spines[:].set_visible(False)
plt.show()

# %%
# Any pair of the languages
# -------------------------
# Polish finds German as well, since no language is the pivot of a search.

polish = ["Moja paczka nigdy nie dotarła, co teraz?", "Czy mogę oddać krew?"]
found = SemanticSearch(encoder).fit(german).search(polish, k=1)
for question, text in zip(polish, found.text[:, 0], strict=True):
    print(f"{question}\n   {text}")
