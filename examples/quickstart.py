"""
The main tasks in one file
==========================

Search, find near duplicates, train on labels, tune and classify::

    python examples/quickstart.py

The script uses the bundled data and needs no network access. It prints its results and
saves a chart, `quickstart.png`. The pretrained encoder was not trained on any of these
texts; training starts from it.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.cluster import pair_confusion_matrix
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

import skparaphrase
from skparaphrase.datasets import load_faq, load_graded_pairs, load_paraphrases
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder, SIFEncoder
from skparaphrase.metrics import RetrievalScorer, pearson_scorer
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairSimilarity
from skparaphrase.search import NearDuplicates, SemanticSearch


def title(text):
    print(f"\n{text}\n{'-' * len(text)}")


started = time.perf_counter()
faq = load_faq()  # 550 questions with answers, of 25 topics

# %%
# Search
# ------
# Search 550 questions by meaning: the hits need not share words with the query.

title("1. Search 550 questions: three queries and their nearest questions")
search = SemanticSearch().fit(faq.data)
for query in (
    "my package never came",
    "I forgot the code to get into my account",
    "How do I quit the fitness studio?",
):
    hits = search.search(query, k=3)
    print(query)
    for score, row in zip(hits.score[0], hits.row[0], strict=True):
        print(f"    {score:.2f}  {faq.data[row]}")
    print(f"          {faq.answers[hits.row[0, 0]]}")

# %%
# Near duplicates
# ---------------
# Group questions with the same meaning, by a threshold for their cosine.

title("2. Near duplicates among these questions: five of the groups")
duplicates = NearDuplicates(threshold=0.8).fit(faq.data)
groups = duplicates.labels_
for group in np.flatnonzero(np.bincount(groups) > 1)[:5]:
    first, *others = faq.data[groups == group]
    print(first, *others, sep="\n    = ")
(_, wrong), (missed, right) = pair_confusion_matrix(faq.groups, groups)
print(
    f"Precision {right / (right + wrong):.0%}, recall {right / (right + missed):.0%} "
    "(half of the duplicates share hardly any words).\nAverages of words do not "
    "distinguish opposites: review before you delete."
)

# %%
# Find the paraphrase
# -------------------
# How often is the paraphrase of a text ranked first among all others?

title("3. Find the paraphrase: recall@1 on 342 pairs")
paraphrases = load_paraphrases().data  # (1140, 2)
split = GroupShuffleSplit(1, test_size=0.3, random_state=0)
(train, test), *_ = split.split(paraphrases, groups=pair_groups(paraphrases))
train, test = paraphrases[train], paraphrases[test]
words = TfidfVectorizer().fit(test.ravel())


def tfidf(pairs):
    return words.transform(pairs.ravel()).toarray().reshape(*pairs.shape, -1)


def show(shares):
    for name, share in shares.items():
        print(f"{name:36} {share:.2f} {'#' * round(40 * share)}")


ranked_first = RetrievalScorer(test, metric="recall@1")
encoders = {
    "tf-idf of words": FunctionTransformer(tfidf),
    "average of word vectors": AverageEncoder(),
    "SIF weights": SIFEncoder().fit(train),
    "SIF, one component removed": make_pipeline(
        SIFEncoder(), CommonComponentRemoval()
    ).fit(train),
    "load_pretrained()": skparaphrase.load_pretrained(),
}
found = {name: ranked_first(encoder) for name, encoder in encoders.items()}
show(found)

# %%
# Train on labels
# ---------------
# Training moves questions of one topic together. The held-out questions are new.

title("4. Train on labelled questions: is the nearest question of the same topic?")
folds = GroupShuffleSplit(3, test_size=0.2, random_state=0)
encoders = {
    "tf-idf of words": TfidfVectorizer(),
    "load_pretrained()": FrozenEstimator(skparaphrase.load_pretrained()),
    "trained on 440 questions": ParaphraseEncoder(random_state=0),
}
same_topic = {}
for name, encoder in encoders.items():
    nearest = make_pipeline(encoder, KNeighborsClassifier(1))
    scores = cross_validate(nearest, faq.data, faq.topics, groups=faq.groups, cv=folds)
    same_topic[name] = scores["test_score"].mean()
show(same_topic)
print(f"A training took {np.median(scores['fit_time']):.1f} s.")

# %%
# Tune
# ----
# A grid search over encoders and components to remove, on graded pairs.

title("5. Tune with GridSearchCV: Pearson's r x 100 on 570 graded pairs")
pairs, grades = load_graded_pairs(return_X_y=True)  # (570, 2) texts, grades 0 to 5
pipe = Pipeline(
    [
        ("encoder", AverageEncoder()),
        ("removal", CommonComponentRemoval()),
        ("cosine", PairSimilarity()),
    ]
)
candidates = {
    "average": AverageEncoder(),
    **{f"SIF, a = {a:g}": SIFEncoder(a=a) for a in (1e-2, 1e-3, 1e-4)},
    "load_pretrained()": skparaphrase.load_pretrained(),
}
grid = {"encoder": [*candidates.values()], "removal__n_components": [0, 1, 2]}
folds = GroupKFold(5).split(pairs, groups=pair_groups(pairs))  # no shared sentences
tuned = GridSearchCV(pipe, grid, scoring=pearson_scorer, cv=list(folds))
tuned.fit(pairs, grades)
table = tuned.cv_results_["mean_test_score"].reshape(-1, 3)
print(f"{'components removed:':36}    0      1      2")
for name, row in zip(candidates, table, strict=True):
    print(f"{name:36}" + "".join(f"{100 * r:7.1f}" for r in row))

# %%
# Classify
# --------
# The vectors are features for any classifier, most useful with few labels.

title("6. Classify questions into 25 topics with few labels: accuracy")
classifiers = {
    "tf-idf of words": TfidfVectorizer(),
    "load_pretrained()": skparaphrase.load_pretrained(),
}
sizes = (50, 100, 440)
print(f"{'labelled questions:':36}" + "".join(f"{size:7}" for size in sizes))
for name, features in classifiers.items():
    classifier = make_pipeline(features, LinearSVC())
    accuracies = []
    for size in sizes:
        folds = GroupShuffleSplit(
            5, train_size=size / 550, test_size=0.2, random_state=0
        )
        scores = cross_val_score(
            classifier, faq.data, faq.topics, groups=faq.groups, cv=folds
        )
        accuracies.append(scores.mean())
    print(f"{name:36}" + "".join(f"{accuracy:7.2f}" for accuracy in accuracies))

# %%
# The chart
# ---------

figure, panels = plt.subplots(2, 1, figsize=(5.6, 4.4), layout="constrained")
tasks = {
    "The paraphrase is ranked first": (found, "recall@1 on 342 pairs"),
    "Nearest question has the same topic": (
        same_topic,
        "accuracy on held-out questions, 25 topics",
    ),
}
for axes, (task, (shares, measure)) in zip(panels, tasks.items(), strict=True):
    names = [*shares][::-1]
    bars = axes.barh(names, [shares[name] for name in names], color="0.75")
    bars[0].set_color("C0")
    axes.bar_label(bars, fmt="%.2f", padding=3)
    axes.set(xlim=(0, 1), title=task, xlabel=measure)
figure.savefig("quickstart.png", dpi=150)
print(f"\nSaved quickstart.png. Total time: {time.perf_counter() - started:.0f} s.")
print("Next: the user guide, https://skparaphrase.readthedocs.io/en/latest/user_guide")
