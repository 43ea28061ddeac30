"""Settings of the papers' supervised experiments, by model and name."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase._paper import Settings

# From the scripts that the authors released, with the encoder to go with them left
# open; penalties are halved as in their code. All train with dense updates.
_ADAM = {"optimizer": "adam", "learning_rate": 0.001, "sparse_updates": False}
_ADAGRAD = {"optimizer": "adagrad", "learning_rate": 0.05, "sparse_updates": False}
_WIETING = {
    "batch_size": 25,
    "max_epochs": 10,
    "head_penalty": 1e-6,
    "scale": None,
}
_PLAIN = {**_WIETING, "vectors_penalty": 1e-5, "composition_penalty": 1e-6}
_SIF = {
    "batch_size": 25,
    "max_epochs": 20,
    "freeze": "encoder",
    "projection_dim": 2400,
    "head_penalty": 1e-6,
    "scale": None,
}
_FROZEN = {**_WIETING, "max_epochs": 20, "freeze": "encoder"}

SETTINGS: dict[str, Settings] = {
    "SimilarityRegressor": {
        "wieting": {**_PLAIN, **_ADAM, "hidden_dim": 50},
        "wieting-features": {**_FROZEN, **_ADAM, "hidden_dim": 50},
        "sif": {**_SIF, **_ADAM, "hidden_dim": 50},
        "cse": {
            **_ADAM,
            "hidden_dim": 300,
            "normalize": True,
            "scale": None,
            "prior": "universal",
            "batch_size": 32,
            "max_epochs": 10,
            "vectors_penalty": 1e-4,
            "composition_penalty": 1e-5,
            "head_penalty": 1e-7,
        },
    },
    "PairClassifier": {
        "wieting": {**_PLAIN, **_ADAGRAD, "hidden_dim": 150},
        "wieting-features": {**_FROZEN, **_ADAGRAD, "hidden_dim": 150},
        "sif": {**_SIF, **_ADAGRAD, "hidden_dim": 150},
    },
    "SentenceClassifier": {
        "wieting": {
            **_WIETING,
            **_ADAM,
            "hidden_dim": 300,
            "vectors_penalty": 1e-6,
            "composition_penalty": 1e-6,
        },
        "wieting-features": {**_FROZEN, **_ADAM, "hidden_dim": 300},
        "sif": {**_SIF, **_ADAGRAD, "hidden_dim": 150},
    },
}
