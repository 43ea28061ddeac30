"""
A map of questions
==================

What do people ask? We group questions by the cosines of their vectors, name each group
by its most typical words, and draw all questions on a plane.

For your own texts, one in each line of a file, run::

    python examples/plot_clusters.py questions.txt
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Clusters
# --------
# K-means needs the number of clusters. Vectors have length 1, so it groups by cosine.
# :class:`sklearn.cluster.HDBSCAN` finds the number itself, and leaves out texts that
# are near no others: with few texts, most of them.

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.datasets import load_faq

faq = load_faq()
texts, topics = list(faq.data), faq.topics
if len(sys.argv) > 1:
    texts, topics = Path(sys.argv[1]).read_text("utf-8").splitlines(), None

encoder = skparaphrase.load_pretrained()
clusters = make_pipeline(
    encoder,
    KMeans(n_clusters=min(25, len(texts) // 4), n_init=10, random_state=0),
)
labels = clusters.fit_predict(texts)
if topics is not None:  # the 25 topics that the questions were written for
    print(f"Agreement with the topics: {adjusted_rand_score(topics, labels):.2f}")

# %%
# Names
# -----
# Words that are frequent in a cluster and rare in the others say what it is about. They
# have the highest tf-idf if all texts of a cluster count as one document.

documents = [
    " ".join(np.array(texts)[labels == label]) for label in range(labels.max() + 1)
]
tfidf = TfidfVectorizer(stop_words="english", sublinear_tf=True)
weights = tfidf.fit_transform(documents).toarray()
words = tfidf.get_feature_names_out()
names = [", ".join(words[np.argsort(-row)[:2]]) for row in weights]

distances = clusters.transform(texts)  # of each text and centre
sizes = np.bincount(labels)
spread = np.array([distances[labels == n, n].mean() for n in range(len(names))])
compact = np.argsort(spread)[:8]
for label in compact:
    print(f"{names[label]} ({sizes[label]} questions)")
    for row in distances[:, label].argsort()[:2]:
        print(f"    {texts[row]}")

# %%
# The map
# -------
# t-SNE places similar texts near each other; distances between groups mean little. The
# eight most compact clusters are coloured; the large ones hold what fits nowhere else.
# For many texts, UMAP (``pip install umap-learn``) is faster:
# ``UMAP(metric="cosine").fit_transform(vectors)``.

vectors = encoder.transform(texts)
perplexity = min(15, len(texts) / 4)
tsne = TSNE(perplexity=perplexity, metric="cosine", init="pca", random_state=0)
plane = tsne.fit_transform(vectors)
figure, ax = plt.subplots(figsize=(7, 5.6), layout="constrained")
ax.scatter(*plane.T, color="0.75", s=12, linewidth=0)
colors = [
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#6A3D9A",
    "0.2",
]
for label, color in zip(compact, colors, strict=False):
    members = plane[labels == label]
    ax.scatter(*members.T, color=color, s=20, linewidth=0)
    x, y = np.median(members[:, 0]), np.quantile(members[:, 1], 0.8) + 2
    halo = [withStroke(linewidth=3, foreground="white")]
    ax.text(x, y, names[label], ha="center", weight="bold", path_effects=halo)
ax.set_axis_off()
ax.set_title(f"{len(texts)} questions, by the vectors of load_pretrained()")
plt.show()
