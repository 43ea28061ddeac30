"""The script that `torchrun` runs for `parallel_processes.py`: trains one model."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.corpora import read_corpora, read_table

# Estimator, parameters, pairs.
MODELS: dict[str, tuple[str, dict[str, Any], int]] = {
    "Paragram 100": ("ParagramEncoder", {"batch_size": 100}, 24_000),
    "Paragram 1024": ("ParagramEncoder", {"batch_size": 1024}, 32_768),
    "LSTM 100": ("LSTMEncoder", {"batch_size": 100}, 2_000),
    "LSTM 512": ("LSTMEncoder", {"batch_size": 512}, 4_096),
    "CSE 100": ("ConvolutionalEncoder", {"batch_size": 100}, 4_000),
    "CSE 512": ("ConvolutionalEncoder", {"batch_size": 512}, 8_192),
}
N_EPOCHS = 4


class Clock:
    """Callback that records when each epoch ended."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def setup(self, estimator: Any, context: Any) -> None: ...

    def teardown(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        if context.task_name == "epoch":
            self.ends.append(time.perf_counter())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()

    import torch
    from torch import distributed

    from _lib.paper_encoders import paper_encoder

    torch.set_num_threads(1)
    if "RANK" in os.environ:
        distributed.init_process_group("gloo")
    name, params, n_pairs = MODELS[args.model]
    quick, args.quick = args.quick, False
    pairs = read_corpora(args, "rewrites")[: n_pairs // (4 if quick else 1)]
    clock = Clock()
    encoder = paper_encoder(
        name,
        vectors=read_table(args),
        max_epochs=N_EPOCHS,
        device="cpu",
        random_state=0,
        **params,
    )
    encoder.set_callbacks(clock).fit(pairs)
    # The first epoch includes one-time costs.
    best = min(b - a for a, b in zip(clock.ends, clock.ends[1:], strict=False))
    if not distributed.is_initialized() or distributed.get_rank() == 0:
        found = {"rate": len(pairs) / best, "loss": encoder.loss_curve_[-1]}
        print(json.dumps(found))
    if distributed.is_initialized():
        distributed.destroy_process_group()


if __name__ == "__main__":
    main()
