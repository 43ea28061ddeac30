"""
How many training pairs does it take?
=====================================

scikit-learn's own learning curve over the paraphrases that a
:class:`~skparaphrase.encoders.ParagramEncoder` is trained on. The score is on graded
pairs that it never sees: :class:`~skparaphrase.metrics.STSScorer` carries them, and
ignores the part of the paraphrases that a split leaves out.

Paraphrases of your own, with columns sentence1 and sentence2::

    python examples/plot_learning_curve.py pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Paraphrases, and the score before training
# ------------------------------------------

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
# Paraphrases have no target: `y` is None. With `score_type="test"` there is one line,
# for on the graded pairs both parts of a split score the same. Bars show how much it
# matters which of the paraphrases are taken.

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
