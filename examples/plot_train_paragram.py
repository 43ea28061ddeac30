"""
Train on paraphrases with early stopping
========================================

We train a :class:`~skparaphrase.encoders.ParaphraseEncoder`, score its start and every
epoch, keep the best one, and save and load the encoder. Training starts from the
pretrained encoder. We compare InfoNCE, the default loss, with the margin loss of the
paper.

For your own pairs, in a file with columns sentence1 and sentence2, run::

    python examples/plot_train_paragram.py my-pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Training pairs and graded pairs
# -------------------------------
# Early stopping uses the first half of the graded pairs, and evaluation the other half.
# With ``norm=None``, vectors are averages, of which the common component is removed.

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.callback import ProgressBar

import skparaphrase
from skparaphrase.callback import ScoreMonitor
from skparaphrase.datasets import load_graded_pairs, load_paraphrases, read_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.inspection import TrainingCurveDisplay
from skparaphrase.metrics import STSScorer

pairs = read_pairs(sys.argv[1]).data if len(sys.argv) > 1 else load_paraphrases().data
graded, gold = load_graded_pairs(return_X_y=True)
half = len(graded) // 2
choose = STSScorer((graded[:half], gold[:half]))
report = STSScorer((graded[half:], gold[half:]))
removed = STSScorer((graded[half:], gold[half:]), postprocess=CommonComponentRemoval())

# %%
# Two losses
# ----------
# The orange curves show the scores on the half that determines the best epoch, and the
# table shows those on the other half, after a second fit that ends with the best epoch.
# Epoch 0 is the start, so the title says what training gained.
# The loss keeps decreasing after it, so it is not a criterion for stopping.


class StopOnScore(ScoreMonitor):
    """Stop three epochs after the best one."""

    def best_epoch(self):
        return int(np.argmax([entry["score"] for entry in self.scores_]))

    def on_fit_task_end(self, *task, fitted_estimator=None):
        super().on_fit_task_end(*task, fitted_estimator=fitted_estimator)
        return len(self.scores_) > self.best_epoch() + 3


pretrained = skparaphrase.load_pretrained(norm=None)
start = f"{100 * report(pretrained):16.1f}{100 * removed(pretrained):15.1f}"
print(f"{'':12}best epoch   Pearson x 100   with removal")
print(f"{'pretrained':22}{start}")
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for loss, ax in zip(("infonce", "margin"), axes, strict=True):
    stopping = StopOnScore(choose)
    encoder = ParaphraseEncoder(norm=None, loss=loss, max_epochs=20, random_state=0)
    encoder.set_callbacks(stopping).fit(pairs)
    best = stopping.best_epoch()
    scores = [epoch["score"] for epoch in stopping.scores_]
    curve = TrainingCurveDisplay(
        encoder.loss_curve_, scores, best_epoch=best, name=loss
    )
    curve.plot(ax)
    encoder.set_callbacks().set_params(max_epochs=best).fit(pairs)
    print(
        f"{loss:12}{best:10}{100 * report(encoder):16.1f}{100 * removed(encoder):15.1f}"
    )

# %%
# Show progress, save and load
# ----------------------------

if sys.stdout.isatty():
    encoder.set_callbacks(ProgressBar()).fit(pairs)

with tempfile.TemporaryDirectory() as folder:
    encoder.set_callbacks().save(Path(folder) / "paragram")
    loaded = skparaphrase.load(Path(folder) / "paragram")
    same = np.array_equal(loaded.transform(graded), encoder.transform(graded))
    print("same vectors after saving and loading:", same)
plt.show()
