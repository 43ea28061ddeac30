"""Encoders with the settings of their papers, and with the first InfoNCE setting."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any

import numpy as np

from skparaphrase import encoders
from skparaphrase.losses import InfoNCELoss, MarginLoss
from skparaphrase.vectors import WordVectors, remove_mean

#: The plain loss, as in other libraries: all other texts are negatives.
PLAIN_INFONCE = InfoNCELoss(keep=0.0, mask_known=False)
#: Averages that start from centred vectors with SIF weights; not the defaults.
INFONCE: dict[str, Any] = {
    "loss": PLAIN_INFONCE,
    "batch_size": 256,
    "learning_rate": 0.01,
    "max_epochs": 2,
}
#: Objects by their names in the descriptions of tables.
NAMED = {
    "InfoNCE": PLAIN_INFONCE,
    "random negatives": MarginLoss(negatives="random"),
}


def paper_encoder(name: str, setting: str | None = None, /, **params: Any) -> Any:
    """An encoder with a setting of its paper, but with sparse updates.

    Dense updates, as in the papers' code, take many times as long. An `optimizer` or
    `optimizer__sparse` in `params` is used unchanged.
    """
    encoder = getattr(encoders, name).paper(setting, **params)
    if not {"optimizer", "optimizer__sparse"} & params.keys():
        encoder.set_params(optimizer__sparse=True)
    return encoder


def multiplied(vectors: WordVectors, factor: float) -> WordVectors:
    """The table with longer vectors: gates hardly react to vectors of length 1."""
    return vectors.replace(vectors.rows() * np.float32(factor))


def row_encoder(row: Mapping[str, Any], data: Any, seed: int, **params: Any) -> Any:
    """The unfitted encoder that a row of a table describes.

    A row has "encoder", the class, and may have "setting" and "params" of the paper,
    "centered" and "times" of the word vectors, or "defaults", those of the class.
    """
    class_, params = row["encoder"], {**params, **row.get("params", {})}
    defaults = row.get("defaults", False)
    if not (defaults or class_.startswith("Char")):
        vectors = remove_mean(data.vectors) if row.get("centered") else data.vectors
        params["vectors"] = multiplied(vectors, row.get("times", 1.0))
    if class_ == "AverageEncoder":
        return encoders.AverageEncoder(params.get("vectors"))
    if "max_epochs" in params:
        params["max_epochs"] = data.epochs(params["max_epochs"])
    if defaults:
        return getattr(encoders, class_)(random_state=seed, **params)
    return paper_encoder(class_, row.get("setting"), random_state=seed, **params)
