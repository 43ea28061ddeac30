"""What a tagger begins with: sentences to train and to validate on, and an encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from copy import copy
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from skparaphrase.encoders import CharagramEncoder
from skparaphrase.encoders._paraphrase import ParaphraseEncoder
from skparaphrase.encoders._trainable import untrained, warn_if_fitted
from skparaphrase.tagging._sentences import check_sentences, check_tags, split_rows
from skparaphrase.tagging._settings import default_encoder

Tagged = tuple[list[list[str]], NDArray[Any]]  # sentences, and tags end to end


def begin_encoder(
    encoder: Any, sentences: list[list[str]], random_state: RandomState
) -> ParaphraseEncoder:
    """The encoder as training begins with it; a frozen one as it is.

    Raises
    ------
    TypeError
        If it cannot be trained, or frozen.
    ValueError
        If it is in a FrozenEstimator, and not fitted.
    """
    if isinstance(encoder, FrozenEstimator):
        if not isinstance(encoder.estimator, ParaphraseEncoder):
            raise TypeError(
                "A frozen word_encoder must be one that was trained on paraphrases; "
                f"got {encoder.estimator!r}."
            )
        if not hasattr(encoder.estimator, "vectors_"):
            raise ValueError(f"word_encoder={encoder!r} is frozen, but not fitted.")
        return copy(encoder.estimator)
    if encoder is None:
        encoder = default_encoder()
    warn_if_fitted(encoder, "`init` of a new one")
    tokens = [token for sentence in sentences for token in sentence]
    return untrained(encoder, np.array(tokens, dtype=object), random_state)


def capital_feature(capitals: bool | str, encoder: ParaphraseEncoder) -> str | None:
    """How the network sees capitals; see :class:`skparaphrase.nn.Tagger`."""
    if capitals == "auto":
        capitals = bool(getattr(encoder, "lowercase", False))
    if not capitals:
        return None
    return "ngram" if isinstance(encoder, CharagramEncoder) else "input"


def check_validation(X_val: Any, y_val: Any) -> Tagged | None:
    """Sentences and tags that were given to validate on."""
    if X_val is None:
        return None
    sentences = check_sentences(X_val, "X_val")
    tags = check_tags(y_val, sentences, "y_val")
    if not len(tags):
        raise ValueError("X_val holds no tokens.")
    return sentences, tags


def split(
    tagged: Tagged, fraction: float, random_state: RandomState
) -> tuple[Tagged, Tagged]:
    """Sentences to train on, and a random share to validate on.

    Raises
    ------
    ValueError
        If there are too few.
    """
    sentences, tags = tagged
    rows = split_rows(tags, sentences)
    # Sentences without tokens tell nothing on either side.
    order = random_state.permutation([i for i, row in enumerate(rows) if len(row)])
    n_held = max(round(fraction * len(order)), 1)
    if len(order) <= n_held:
        raise ValueError(
            f"validation_fraction={fraction} leaves none of {len(order)} sentences to "
            "train on."
        )
    held, kept = (
        ([sentences[i] for i in part], np.concatenate([rows[i] for i in part]))
        for part in (np.sort(order[:n_held]), np.sort(order[n_held:]))
    )
    return kept, held
