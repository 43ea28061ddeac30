"""
Log the training to a file and to TensorBoard
=============================================

A callback is told the loss of every epoch, and the validation score. We write both to a
CSV file and, if it is installed (``pip install tensorboard``), to TensorBoard, while we
train an encoder on labelled questions.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# A callback
# ----------
# A callback is an object with four methods. ``fit`` calls ``setup`` and ``teardown``
# once, and the other two at the beginning and at the end of the fit and of each of its
# epochs. They receive only the keyword arguments that they name: of ``metadata``,
# ``X``, ``y`` and ``fitted_estimator``, we need the first. At the beginning of the fit,
# it describes the start, epoch 0, so that the files show what training gained.

import csv
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from skparaphrase.datasets import load_faq
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.inspection import TrainingCurveDisplay

SCORES = ("loss", "validation_score")


class CSVLog:
    """Write a row for every epoch; the file is complete at any moment."""

    def __init__(self, path):
        self.path = Path(path)

    def setup(self, estimator, context):
        self._write("w", csv.DictWriter.writeheader)

    def on_fit_task_begin(self, estimator, context, *, metadata):
        if metadata is not None:
            self._write("a", csv.DictWriter.writerow, metadata)

    on_fit_task_end = on_fit_task_begin

    def teardown(self, estimator, context): ...

    def _write(self, mode, write, *row):
        with self.path.open(mode, newline="") as file:
            write(csv.DictWriter(file, ("epoch", *SCORES), extrasaction="ignore"), *row)


class TensorBoardLog:
    """Write the curves of a fit to a folder that TensorBoard shows."""

    def __init__(self, folder):
        self.folder = folder

    def setup(self, estimator, context):
        self.writer = SummaryWriter(self.folder)

    def on_fit_task_begin(self, estimator, context, *, metadata):
        for name in SCORES:
            if metadata and name in metadata:  # there may be no validation
                self.writer.add_scalar(name, metadata[name], metadata["epoch"])

    on_fit_task_end = on_fit_task_begin

    def teardown(self, estimator, context):
        self.writer.close()


# %%
# Train and log
# -------------
# With ``validation_fraction``, a fifth of the questions is held out. Their score is the
# share of questions whose nearest training question has the same topic.

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
folder.mkdir(exist_ok=True)
callbacks = [CSVLog(folder / "epochs.csv")]
try:
    from torch.utils.tensorboard import SummaryWriter
except ImportError:
    print("TensorBoard is not installed; only the CSV file is written.")
else:
    callbacks.append(TensorBoardLog(folder / "tensorboard"))
    print(f"Show the curves with: tensorboard --logdir {folder}")

faq = load_faq()
encoder = ParaphraseEncoder(validation_fraction=0.2, max_epochs=6, random_state=0)
encoder.set_callbacks(*callbacks).fit(faq.data, faq.topics)
print((folder / "epochs.csv").read_text())

# %%
# Plot the curves
# ---------------
# The fitted encoder keeps both curves, and the display marks the epoch whose vectors
# were kept. The loss falls in every epoch, also after the best one, and so does not say
# when to stop.

TrainingCurveDisplay.from_estimator(encoder)
plt.show()
