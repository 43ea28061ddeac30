"""Settings of the paper's experiments, by model and name."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase._paper import Settings

# The authors' code: an update for each pair, RMSProp that forgets after every epoch,
# frozen vectors as they are.
_PAPER = {
    "optimizer": "rmsprop",
    "learning_rate": 1e-4,
    "schedule": "constant",
    "reset_optimizer": True,
    "batch_size": 1,
    "max_epochs": 35,
    "clip_norm": 50.0,
    "scale": None,
}

SETTINGS: dict[str, Settings] = {
    "PairwiseInteractionRegressor": {
        "sick": {**_PAPER, "limit": 32, "score_range": (1, 5)},
        "msrvid": {**_PAPER, "limit": 32, "score_range": (0, 5)},
        "sts2014": {**_PAPER, "limit": 48, "score_range": (0, 5)},
    },
    "PairwiseInteractionRanker": {
        "trecqa": {**_PAPER, "limit": 48},
        "wikiqa": {**_PAPER, "limit": 48},
    },
}
