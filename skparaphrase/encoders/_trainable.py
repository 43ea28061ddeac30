"""Encoders that another training goes on with."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from skparaphrase.encoders._average import AveragingEncoder
from skparaphrase.encoders._paragram import ParagramEncoder
from skparaphrase.encoders._paraphrase import ParaphraseEncoder

_WORDS = ("lowercase", "token_pattern", "tokenizer", "split_compounds")


def thawed(encoder: Any) -> Any:
    """The encoder itself, or the one in a :class:`~sklearn.frozen.FrozenEstimator`."""
    return encoder.estimator if isinstance(encoder, FrozenEstimator) else encoder


def warn_if_fitted(encoder: Any, start: str) -> None:
    """Warn, from within a `fit`, that an encoder's training will not be used.

    `start` says what would begin with it.
    """
    if hasattr(encoder, "vectors_"):
        warnings.warn(
            f"The {type(encoder).__name__} given is fitted, but its training is not "
            f"used: {start} starts from it, and a sklearn.frozen.FrozenEstimator keeps "
            "it as it is.",
            UserWarning,
            stacklevel=7,  # whoever called `fit`, which two decorators wrap
        )


def untrained(
    encoder: Any, texts: NDArray[np.object_], random_state: np.random.RandomState
) -> ParaphraseEncoder:
    """An encoder as training on texts begins with it.

    Parameters
    ----------
    encoder : encoder
        Left as it is. Averages, weighted or not, become a :class:`ParagramEncoder`
        that averages weighted vectors.

    texts : ndarray of any shape, dtype object
        What character n-grams and word counts are taken from.

    random_state : RandomState
        Of the initial parameters.

    Returns
    -------
    encoder : ParaphraseEncoder
        With `vectors_` and `parameters_`.

    Raises
    ------
    TypeError
        If there is nothing in the encoder that torch could train.
    """
    encoder = thawed(encoder)
    if isinstance(encoder, ParaphraseEncoder):  # ParagramEncoder averages as well
        encoder = clone(encoder)
    elif isinstance(encoder, AveragingEncoder):
        encoder = _averaging(encoder, texts)
    else:
        raise TypeError(
            "Only encoders of skparaphrase.encoders can be trained end to end; got "
            f"{encoder!r}. freeze='encoder' takes any transformer of texts."
        )
    flat: list[str] = texts.ravel().tolist()
    vectors = encoder._first_table(flat, random_state)
    encoder._start_over(flat, vectors, random_state)
    return encoder


def trained(encoder: Any) -> ParaphraseEncoder:
    """A copy of a fitted encoder, to be trained further.

    Raises
    ------
    ValueError
        If it is not fitted.
    TypeError
        If it is no encoder that was trained.
    """
    encoder = thawed(encoder)
    if not isinstance(encoder, ParaphraseEncoder):
        raise TypeError(
            "prior='universal' takes an encoder that was trained on paraphrases; got "
            f"{encoder!r}."
        )
    if not hasattr(encoder, "vectors_"):
        raise ValueError(
            f"prior='universal', but {encoder!r} is not fitted. Cloning an encoder (as "
            "pipelines and grid searches do) drops its fit: wrap it in "
            "sklearn.frozen.FrozenEstimator."
        )
    new = copy(encoder)
    new._optimizer_state = {}
    new.__dict__.pop("_random_state", None)  # the given one is not ours to draw from
    new.loss_curve_ = list(encoder.loss_curve_)
    return new


def _averaging(
    encoder: AveragingEncoder, texts: NDArray[np.object_]
) -> ParagramEncoder:
    """The mean of weighted vectors as an average that can be trained."""
    fitted = clone(encoder).fit(texts)
    vectors = fitted._word_vectors()
    weights = fitted._word_weights()
    if weights is not None:
        column = weights.astype(np.float32)[:, np.newaxis]
        vectors = vectors.replace(vectors.rows(slice(None)) * column)
    words = {name: getattr(encoder, name) for name in _WORDS}
    return ParagramEncoder(vectors, **words)
