"""
Train on paraphrases with early stopping
========================================

We train a :class:`~skparaphrase.encoders.ParagramEncoder`, score it after every epoch,
keep the best epoch, and save and load the encoder. We compare the margin loss of the
paper with InfoNCE, each with plain and with SIF-weighted word vectors.

For your own pairs, in a file with columns sentence1 and sentence2, run::

    python examples/plot_train_paragram.py my-pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Training pairs and graded pairs
# -------------------------------
# Early stopping uses the first half of the graded pairs, and evaluation the other half.

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.callback import ProgressBar

import skparaphrase
from skparaphrase.callback import EarlyStopping
from skparaphrase.datasets import load_paraphrases, load_similarity, read_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import ParagramEncoder
from skparaphrase.inspection import TrainingCurveDisplay
from skparaphrase.metrics import STSScorer

pairs = read_pairs(sys.argv[1]).data if len(sys.argv) > 1 else load_paraphrases().data
graded, gold = load_similarity(return_X_y=True)
half = len(graded) // 2
choose = STSScorer((graded[:half], gold[:half]))
report = STSScorer((graded[half:], gold[half:]))
removed = STSScorer((graded[half:], gold[half:]), postprocess=CommonComponentRemoval())

# %%
# Two losses, two weightings
# --------------------------
# The orange curves show the scores on the half that determines the best epoch, and the
# table shows those on the other half. The loss keeps decreasing after the best epoch,
# so it is not a criterion for stopping.

figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
print("loss     weighting  best epoch   Pearson x 100   with removal")
for i, (loss, batch_size) in enumerate((("margin", 100), ("infonce", 256))):
    for j, weighting in enumerate(("uniform", "sif")):
        stopping = EarlyStopping(choose, patience=2)
        encoder = ParagramEncoder(
            loss=loss,
            batch_size=batch_size,
            weighting=weighting,
            learning_rate=0.01,
            max_epochs=10,
            random_state=0,
        )
        encoder.set_callbacks(stopping).fit(pairs)
        print(
            f"{loss:8} {weighting:10} {stopping.best_epoch_:10}"
            f"{100 * report(encoder):16.1f}"
            f"{100 * removed(encoder):15.1f}"
        )
        name = f"{loss}, {weighting}"
        TrainingCurveDisplay.from_estimator(encoder, name=name, ax=axes[i, j])

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
