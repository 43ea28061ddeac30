"""
Learning curve over the number of pairs
=======================================

This example plots scikit-learn's learning curve of a
:class:`~skparaphrase.encoders.ParagramEncoder` over the number of training pairs. The
score is computed on separate graded pairs, which
:class:`~skparaphrase.metrics.STSScorer` contains; it ignores the held-out part of a
split.

For your own paraphrases, in a file with columns sentence1 and sentence2, run::

    python examples/plot_learning_curve.py pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Paraphrases and baseline
# ------------------------

import sys

import matplotlib.pyplot as plt
from sklearn.model_selection import LearningCurveDisplay, ShuffleSplit

from skparaphrase.datasets import load_paraphrases, load_similarity, read_pairs
from skparaphrase.encoders import AverageEncoder, ParagramEncoder
from skparaphrase.metrics import STSScorer

pairs = (read_pairs(sys.argv[1]) if len(sys.argv) > 1 else load_paraphrases()).data
scorer = STSScorer(load_similarity(return_X_y=True))
start = scorer(AverageEncoder().fit(pairs))
print(f"{len(pairs):,} paraphrases; r of the untrained average {start:.3f}")

# %%
# The curve
# ---------
# Paraphrases have no target, so `y` is None. We plot only the test score, because
# training and test scores are both computed on the graded pairs. Error bars show the
# variation between random subsets of the paraphrases.

display = LearningCurveDisplay.from_estimator(
    ParagramEncoder(loss="infonce", learning_rate=0.03, max_epochs=3, random_state=0),
    pairs,
    None,
    train_sizes=[0.05, 0.1, 0.25, 0.5, 1.0],
    cv=ShuffleSplit(3, test_size=0.1, random_state=0),
    scoring=scorer,
    score_name="Pearson's r",
    score_type="test",
    std_display_style="errorbar",
    errorbar_kw={"marker": "o", "capsize": 3},
)
display.errorbar_[0].set_label("trained")
display.ax_.axhline(start, color="0.4", linestyle="--", label="untrained")
display.ax_.set(xlabel="training pairs", title="ParagramEncoder, InfoNCE, 3 epochs")
display.ax_.legend()
plt.show()

for size, scores in zip(display.train_sizes, display.test_scores, strict=True):
    print(f"{size:6,} pairs: r {scores.mean():.3f}, deviation {scores.std():.3f}")
