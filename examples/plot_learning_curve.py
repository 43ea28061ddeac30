"""
Learning curve over the number of pairs
=======================================

This example plots scikit-learn's learning curve of a
:class:`~skparaphrase.encoders.ParaphraseEncoder` over the number of training pairs. The
score is computed on separate pairs, which
:class:`~skparaphrase.metrics.RetrievalScorer` contains; it ignores the held-out part of
a split.

For your own paraphrases, in a file with columns sentence1 and sentence2, run::

    python examples/plot_learning_curve.py pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Paraphrases and baseline
# ------------------------
# Pairs that share a text are either all for training or all held out.

import sys

import matplotlib.pyplot as plt
from sklearn.model_selection import (
    GroupShuffleSplit,
    LearningCurveDisplay,
    ShuffleSplit,
)

import skparaphrase
from skparaphrase.datasets import load_paraphrases, read_pairs
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.metrics import RetrievalScorer
from skparaphrase.model_selection import pair_groups

pairs = (read_pairs(sys.argv[1]) if len(sys.argv) > 1 else load_paraphrases()).data
split = GroupShuffleSplit(1, test_size=0.3, random_state=0)
(train, test), *_ = split.split(pairs, groups=pair_groups(pairs))
scorer = RetrievalScorer(pairs[test])
start = scorer(skparaphrase.load_pretrained())
print(f"{len(train):,} pairs to train on, {len(test):,} to score")
print(f"pretrained:   {start:.3f}")

# %%
# The curve
# ---------
# Training starts from the pretrained encoder, the dashed line. The score is the mean
# reciprocal rank of the partner of a text among all texts of the held-out pairs.
# Paraphrases have no target, so `y` is None. We plot only the test score, because
# training and test scores are both computed on these pairs. Error bars show the
# variation between random subsets of the paraphrases.

display = LearningCurveDisplay.from_estimator(
    ParaphraseEncoder(random_state=0),
    pairs[train],
    None,
    train_sizes=[0.07, 0.15, 0.3, 0.6, 1.0],
    cv=ShuffleSplit(3, test_size=0.1, random_state=0),
    scoring=scorer,
    score_name="mean reciprocal rank",
    score_type="test",
    std_display_style="errorbar",
    errorbar_kw={"marker": "o", "capsize": 3},
)
display.errorbar_[0].set_label("trained")
display.ax_.axhline(start, color="0.4", linestyle="--", label="pretrained")
display.ax_.set(xlabel="training pairs", title="ParaphraseEncoder, with its defaults")
display.ax_.set_xticks(display.train_sizes, display.train_sizes)
display.ax_.minorticks_off()
display.ax_.legend()
plt.show()

for size, scores in zip(display.train_sizes, display.test_scores, strict=True):
    print(f"{size:6,} pairs: {scores.mean():.3f}, deviation {scores.std():.3f}")
