"""
Train a model with several processes
====================================

Data-parallel training, started by ``torchrun``::

    torchrun --nproc-per-node 4 examples/data_parallel.py
    python examples/data_parallel.py  # the same model in a single process

Each process has all pairs, and embeds its share of every batch. The losses equal those
of a single process.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import time

import torch
from torch import distributed

from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.encoders import LSTMEncoder
from skparaphrase.metrics import STSScorer

if "RANK" in os.environ:  # started by torchrun
    if torch.cuda.is_available():  # each process has its own GPU
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group()
is_main = not distributed.is_initialized() or distributed.get_rank() == 0

# %%
# Data, parameters and random state are the same in every process.

pairs = load_paraphrases().data
encoder = LSTMEncoder(max_epochs=2, batch_size=128, random_state=0)
started = time.perf_counter()
encoder.fit(pairs)
seconds = time.perf_counter() - started

# %%
# Now every process has the fitted encoder. Only the main process prints the results; it
# could also call ``encoder.save``.

if is_main:
    print(f"{2 * len(pairs) / seconds:,.0f} pairs/s")
    print("loss " + ", ".join(f"{loss:.4f}" for loss in encoder.loss_curve_))
    r = STSScorer(load_graded_pairs(return_X_y=True))(encoder)
    print(f"Pearson's r {r:.3f}")
if distributed.is_initialized():
    distributed.destroy_process_group()
