"""Settings of the paper's tagger, by name."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

from skparaphrase._paper import Settings
from skparaphrase.encoders import CharagramEncoder, CharCNNEncoder, CharLSTMEncoder


def default_encoder(n_layers: int = 1) -> CharagramEncoder:
    """Charagram as the paper's tagger has it."""
    return CharagramEncoder(
        ngram_range=(2, 4), min_count=2, dim=150, activation="relu", n_layers=n_layers
    )


_TRAINING: dict[str, Any] = {
    "optimizer": "sgd",
    "learning_rate": 0.2,
    "momentum": 0.95,
    "batch_size": 100,
    "max_epochs": 50,
    "sparse_updates": False,
}
_CHARACTERS: dict[str, Any] = {"embedding_dim": 50, "dim": 150, "lowercase": False}

SETTINGS: dict[str, Settings] = {
    "SequenceTagger": {
        "charagram": {
            **_TRAINING,
            "word_encoder": default_encoder(),
            "penalty": 1e-6,
        },
        "charagram-2-layers": {
            **_TRAINING,
            "word_encoder": default_encoder(n_layers=2),
            "penalty": 1e-6,
        },
        "char-cnn": {
            **_TRAINING,
            "word_encoder": CharCNNEncoder(
                filters="equal",
                conv_activation="tanh",
                activation="tanh",
                **_CHARACTERS,
            ),
            "penalty": 1e-5,
        },
        "char-lstm": {
            **_TRAINING,
            "word_encoder": CharLSTMEncoder(output_gate=True, **_CHARACTERS),
            "penalty": 1e-5,
        },
    },
}
