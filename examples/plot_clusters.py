"""
Clusters of questions, and their names
======================================

What do people ask? The questions are grouped by the cosines of their vectors, each
group is named by the words that are nearest to its centre, and all are drawn on a
plane.

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
from sklearn.cluster import KMeans
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.datasets import load_faq, load_word_frequencies
from skparaphrase.vectors import nearest_words

faq = load_faq()
texts, topics = list(faq.data), faq.topics
if len(sys.argv) > 1:
    texts, topics = Path(sys.argv[1]).read_text("utf-8").splitlines(), None

encoder = skparaphrase.load_pretrained()
clusters = make_pipeline(
    encoder,
    KMeans(n_clusters=min(25, len(texts) // 4), n_init=10, random_state=0),
)
numbers = clusters.fit_predict(texts)
if topics is not None:  # the 25 topics that the questions were written for
    print(f"Agreement with the topics: {adjusted_rand_score(topics, numbers):.2f}")

# %%
# Names
# -----
# The centre of a cluster is a vector like that of a text, so the words nearest to it
# say what the cluster is about; what all clusters share is subtracted first. Rare words
# are left out. The questions nearest to the centre show what is meant.

frequencies = load_word_frequencies()
centres = clusters[-1].cluster_centers_
distances = clusters.transform(texts)  # of each text and centre
names = {}
for number, centre in enumerate(centres):
    direction = centre - centres.mean(axis=0)
    nearest = nearest_words(encoder.vectors, direction, k=500)
    common = [word for word, _ in nearest if frequencies.get(word, 0) > 20_000]
    names[number] = common[0]
    print(f"{', '.join(common[:3])} ({np.sum(numbers == number)} questions)")
    for example in distances[:, number].argsort()[:2]:
        print(f"    {texts[example]}")

# %%
# A picture
# ---------
# t-SNE places similar texts near each other; distances between groups mean little. For
# many texts, UMAP (``pip install umap-learn``) is faster:
# ``UMAP(metric="cosine").fit_transform(vectors)``.

vectors = encoder.transform(texts)
perplexity = min(30, len(texts) / 4)
tsne = TSNE(perplexity=perplexity, metric="cosine", init="pca", random_state=0)
plane = tsne.fit_transform(vectors)
fig, ax = plt.subplots(figsize=(9, 6.5), layout="constrained")
ax.scatter(*plane.T, c=numbers, cmap="nipy_spectral", s=14)
for number, name in names.items():
    x, y = plane[distances[:, number].argmin()]
    box = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1}
    ax.text(x, y, name, ha="center", va="center", fontsize=9, bbox=box)
ax.set_axis_off()
ax.set_title("Questions, by K-means on the vectors of load_pretrained()")
plt.show()
