"""
Few labelled texts
==================

How many labels do you need? With 50 to 440 labelled questions of 25 topics, we classify
other questions, and look for the nearest question of the same topic. We compare tf-idf,
the pretrained encoder, and an encoder that is trained on the labels.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Accuracy by the number of labels
# --------------------------------
# The held-out questions share no meaning with the labelled ones: `groups` keeps
# questions that repeat each other on one side. Every score is a mean of five splits.

import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.datasets import load_faq
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.inspection import TrainingCurveDisplay
from skparaphrase.search import SemanticSearch
from skparaphrase.supervised import TextClassifier

faq = load_faq()
sizes = [50, 100, 200, 440]
pretrained = FrozenEstimator(skparaphrase.load_pretrained())


def accuracies(model):
    """Mean accuracy on a fifth of the questions, by the number of labels."""
    means = []
    for size in sizes:
        folds = GroupShuffleSplit(
            5, train_size=size / len(faq.data), test_size=0.2, random_state=0
        )
        scores = cross_val_score(
            model, faq.data, faq.topics, groups=faq.groups, cv=folds
        )
        means.append(scores.mean())
    return means


logistic, nearest = LogisticRegression(C=10), KNeighborsClassifier(1)
tasks = {
    "Classifier": {
        "TextClassifier": TextClassifier(random_state=0),
        "load_pretrained(), logistic regression": make_pipeline(pretrained, logistic),
        "tf-idf, logistic regression": make_pipeline(TfidfVectorizer(), logistic),
    },
    "Nearest question": {
        "ParaphraseEncoder, trained": make_pipeline(
            ParaphraseEncoder(random_state=0), nearest
        ),
        "load_pretrained()": make_pipeline(pretrained, nearest),
        "tf-idf": make_pipeline(TfidfVectorizer(), nearest),
    },
}
for task, models in tasks.items():
    _, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
    print(f"{task:40}" + "".join(f"{size:6}" for size in sizes))
    for (name, model), marker in zip(models.items(), "os^", strict=True):
        found = accuracies(model)
        print(f"  {name:38}" + "".join(f"{share:6.2f}" for share in found))
        ax.plot(sizes, found, marker=marker, label=name)
    ax.set(xscale="log", xlabel="labelled questions", ylim=(0, 0.75))
    ax.set(ylabel="accuracy", title=f"{task}: 25 topics")
    ax.set_xticks(sizes, sizes)
    ax.minorticks_off()
    ax.legend(loc="upper left", fontsize="small")
plt.show()

# %%
# Training helps where vectors are compared directly, as in a search or a clustering.
# The more labels there are, the more it helps. The two classifiers hardly differ,
# because a classifier learns from the labels in any case. Both are far ahead of tf-idf.

# %%
# Watch the training
# ------------------
# With ``validation_fraction``, a fifth of the questions is held out, and the best epoch
# is kept. Epoch 0 is the pretrained encoder. The loss keeps falling when the score no
# longer rises, so it is not a criterion for stopping.

encoder = ParaphraseEncoder(validation_fraction=0.2, max_epochs=12, random_state=0)
encoder.fit(faq.data, faq.topics)
TrainingCurveDisplay.from_estimator(encoder)
plt.show()

# %%
# Use it
# ------
# The trained encoder is an encoder like any other.

search = SemanticSearch(encoder).fit(faq.data)
print(search.search(["The chain of my bike slips", "Is my luggage insured?"], k=3))
