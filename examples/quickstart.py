"""
The main tasks in one file
==========================

Embed, train, remove the common component, tune, score, search and classify::

    python examples/quickstart.py

The script uses the data that come with the package, needs no network access, and takes
about half a minute on a laptop. It prints tables and saves a plot, `quickstart.png`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import time

import matplotlib
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skparaphrase.datasets import load_paraphrases, load_sentiment, load_similarity
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, ParagramEncoder, SIFEncoder
from skparaphrase.metrics import pearson_score, pearson_scorer
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairSimilarity

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def title(text):
    print(f"\n{text}\n{'-' * len(text)}")


started = time.perf_counter()
paraphrases = load_paraphrases().data  # (1140, 2) texts that mean the same
pairs, gold = load_similarity(return_X_y=True)  # (570, 2) texts, grades 0 to 5

title("1. Embed: texts of shape S become vectors of shape S + (dim,)")
encoder = AverageEncoder()
print("a sentence  ", encoder.transform(["A cat sleeps on the sofa."]).shape)
print("pairs       ", encoder.transform(pairs).shape)

title("2. Train word vectors on paraphrases")
trained = ParagramEncoder(loss="infonce", batch_size=256, random_state=0)
trained.fit(paraphrases)
for epoch in (1, 2, 5, 10):
    print(f"epoch {epoch:2}: loss {trained.loss_curve_[epoch - 1]:.3f}")

title("3. Score similarity: Pearson's r x 100 with the grades of 570 pairs")
print(f"{'components removed:':40} none    one")
contenders = {
    "average of word vectors": AverageEncoder(),
    "SIF weights": SIFEncoder(),
    "trained on 1,140 paraphrases": FrozenEstimator(trained),
    "trained, with SIF weights": SIFEncoder(trained.vectors_),
}
for name, step in contenders.items():
    correlations = []
    for n_components in (0, 1):
        removal = CommonComponentRemoval(n_components)
        pipe = make_pipeline(step, removal, PairSimilarity()).fit(pairs)
        correlations.append(100 * pearson_scorer(pipe, pairs, gold))
    print(f"{name:38}" + "".join(f"{r:7.1f}" for r in correlations))

title("4. Tune with GridSearchCV; pairs that share a sentence are in one fold")
pipe = make_pipeline(
    SIFEncoder(trained.vectors_), CommonComponentRemoval(), PairSimilarity()
)
grid = {
    "commoncomponentremoval__n_components": [0, 1, 2],
    "sifencoder__a": [1e-1, 1e-2, 1e-3, 1e-4],
}
folds = list(GroupKFold(5).split(pairs, groups=pair_groups(pairs)))
search = GridSearchCV(pipe, grid, scoring=pearson_scorer, cv=folds, n_jobs=2)
search.fit(pairs, gold)
table = search.cv_results_["mean_test_score"].reshape(3, 4)
print("n_components    a = " + "".join(f"{a:>9g}" for a in grid["sifencoder__a"]))
for n_components, row in enumerate(table):
    print(f"{n_components:12}        " + "".join(f"{100 * r:9.1f}" for r in row))
print("best:", search.best_params_, f"r = {100 * search.best_score_:.1f}")

title("5. Nearest sentences, by the tuned vectors")
embed = search.best_estimator_[:-1].transform
sentences = np.unique(paraphrases)
index = NearestNeighbors(n_neighbors=3, metric="cosine")
index.fit(embed(sentences))
queries = ["How do I get rid of ants?", "The match was called off because of the rain."]
distances, neighbours = index.kneighbors(embed(queries))
for query, row, distance in zip(queries, neighbours, distances, strict=True):
    print(query)
    for i, d in zip(row, distance, strict=True):
        print(f"    {1 - d:.2f}  {sentences[i]}")

title("6. Features for a classifier: accuracy on 440 sentences, good or bad")
texts, labels = load_sentiment(return_X_y=True)
classifiers = {
    "tf-idf of words": make_pipeline(TfidfVectorizer(), LogisticRegression(C=10)),
    "average of word vectors": make_pipeline(
        AverageEncoder(),
        StandardScaler(),
        LogisticRegression(C=0.01, max_iter=1000),
    ),
}
for name, classifier in classifiers.items():
    accuracy = cross_val_score(classifier, texts, labels, cv=5)
    print(f"{name:30} {accuracy.mean():.3f} +- {accuracy.std():.3f}")

predicted = cross_val_predict(search.best_estimator_, pairs, gold, cv=folds)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.scatter(gold, predicted, s=12, alpha=0.6, linewidths=0)
left.set(
    xlabel="grade",
    ylabel="cosine, out of fold",
    title=f"Best pipeline: r = {pearson_score(gold, predicted):.2f}",
)
image = right.imshow(100 * table, aspect="auto")
right.set(
    xlabel="a of SIF",
    ylabel="components removed",
    xticks=range(4),
    xticklabels=[f"{a:g}" for a in grid["sifencoder__a"]],
    yticks=range(3),
    title="Grid search: Pearson x 100",
)
for (i, j), value in np.ndenumerate(table):
    light = value < (table.min() + table.max()) / 2
    right.text(
        j, i, f"{100 * value:.1f}", ha="center", color="white" if light else "black"
    )
figure.colorbar(image, ax=right)
figure.savefig("quickstart.png", dpi=120)
print(f"\nSaved quickstart.png. {time.perf_counter() - started:.0f} s in all.")
