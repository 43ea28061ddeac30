"""Trained encoders for measurements of speed and memory, by name.

Imports are inside functions, because they count towards the memory of the caller.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

from _lib.corpora import read_table
from _lib.timing import Args

# By encoder: pairs per epoch, a transformed text out of how many, and long texts.
# Slow encoders get fewer; a measurement then takes a second or two.
SIZES = {
    "Paraphrase": (20_000, 1, 40_000),
    "Projection": (20_000, 1, 40_000),
    "DeepAveraging": (20_000, 1, 40_000),
    "RNN": (4000, 2, 8_000),
    "IdentityRNN": (4000, 2, 8_000),
    "LSTM": (1500, 8, 3_000),
    "LSTM-gate": (1500, 8, 3_000),
    "CNN": (4000, 2, 8_000),
    "Charagram": (10_000, 1, 40_000),
    "CharCNN": (3000, 8, 3_000),
    "CharLSTM": (400, 60, 800),
}
LABELS = {name: f"{name}Encoder" for name in SIZES} | {
    "LSTM": "LSTMEncoder(output_gate=False)",
    "LSTM-gate": "LSTMEncoder(output_gate=True)",
}


def trained_encoder(args: Args, name: str, **params: Any) -> Any:
    """An encoder with its paper's setting and sparse updates, of one epoch."""
    import torch

    from _lib.paper_encoders import paper_encoder

    torch.set_num_threads(args.threads)
    if not name.startswith("Char"):
        params["vectors"] = read_table(args)
    if name.startswith("LSTM"):
        params["output_gate"] = name == "LSTM-gate"
    params = {"max_epochs": 1, "device": "cpu", "random_state": 0, **params}
    return paper_encoder(f"{name.partition('-')[0]}Encoder", **params)
