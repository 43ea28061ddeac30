"""The word encoders that the paper's tagger was measured with."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

from skparaphrase.encoders import CharagramEncoder, CharCNNEncoder, CharLSTMEncoder

SETTINGS = ("charagram", "charagram-2-layers", "char-cnn", "char-lstm")


def default_encoder(n_layers: int = 1) -> CharagramEncoder:
    """Charagram as the paper's tagger has it."""
    return CharagramEncoder(
        ngram_range=(2, 4), min_count=2, dim=150, activation="relu", n_layers=n_layers
    )


def paper_setting(setting: str) -> dict[str, Any]:
    """Parameters of a setting; see `SequenceTagger.paper`."""
    encoder: Any
    if setting == "charagram":
        encoder = default_encoder()
    elif setting == "charagram-2-layers":
        encoder = default_encoder(n_layers=2)
    elif setting == "char-cnn":
        encoder = CharCNNEncoder(
            filters="equal",
            embedding_dim=50,
            dim=150,
            conv_activation="tanh",
            activation="tanh",
            lowercase=False,
        )
    elif setting == "char-lstm":
        encoder = CharLSTMEncoder(
            embedding_dim=50, dim=150, output_gate=True, lowercase=False
        )
    else:
        raise ValueError(
            f"SequenceTagger has no setting {setting!r}; there are {sorted(SETTINGS)}."
        )
    return {
        "word_encoder": encoder,
        "optimizer": "sgd",
        "learning_rate": 0.2,
        "momentum": 0.95,
        "batch_size": 100,
        "max_epochs": 50,
        "penalty": 1e-6 if setting.startswith("charagram") else 1e-5,
        "sparse_updates": False,
    }
