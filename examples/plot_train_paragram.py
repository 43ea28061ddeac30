"""
Train on paraphrases, and keep the best epoch
=============================================

A :class:`~skparaphrase.encoders.ParagramEncoder` is scored after every epoch, keeps the
best one, is saved and loaded again. We compare the margin loss of the paper with the
softmax over the batch, each with plain and with SIF-weighted word vectors.

For your own pairs, in a file with columns sentence1 and sentence2, run::

    python examples/plot_train_paragram.py my-pairs.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Training pairs and graded pairs
# -------------------------------
# Early stopping uses the first half of the graded pairs, the evaluation uses the other.

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
# The curves show the half that chooses the epoch, the table shows the other.

figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
print("loss     weighting  best epoch   Pearson x 100   with removal")
for loss, batch_size in (("margin", 100), ("infonce", 256)):
    for weighting in ("uniform", "sif"):
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
        curve = [100 * scores["score"] for scores in stopping.scores_]
        (line,) = ax.plot(range(1, len(curve) + 1), curve, label=f"{loss}, {weighting}")
        best = stopping.best_epoch_
        ax.plot(best, curve[best - 1], "o", color=line.get_color())
ax.set(xlabel="epoch", ylabel="Pearson x 100", title="Dots mark the best epochs")
ax.legend()
ax.spines[["top", "right"]].set_visible(False)

# %%
# Show progress, save and load
# ----------------------------

if sys.stdout.isatty():
    encoder.set_callbacks(ProgressBar()).fit(pairs)

with tempfile.TemporaryDirectory() as folder:
    encoder.set_callbacks().save(Path(folder) / "paragram")
    loaded = skparaphrase.load(Path(folder) / "paragram")
    same = np.array_equal(loaded.transform(graded), encoder.transform(graded))
    print("saved and loaded, the same vectors:", same)
plt.show()
