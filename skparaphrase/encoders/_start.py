"""What a fit starts from: vectors, a network, and the vectors that penalties pull to.

:func:`start` is called once a fit. What it finds is kept on the encoder, so that
`partial_fit` and warm starts do not search again.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from skparaphrase._lazy import networks
from skparaphrase.encoders._base import check_word_vectors
from skparaphrase.encoders._sif import sif_weights, word_probabilities
from skparaphrase.vectors import WordVectors

_SAMPLE = 1000  # texts that determine the scale


@dataclass(frozen=True)
class Start:
    """What a fit starts from.

    Attributes
    ----------
    table : WordVectors
        The vectors of words, n-grams or characters.
    anchors : WordVectors or None
        The vectors that the penalty pulls to; None pulls to zero.
    composition : Composition
        The network, with its initial parameters.
    attributes : dict
        Fitted attributes of the encoder that say how the table was made.
    """

    table: WordVectors
    anchors: WordVectors | None
    composition: "networks.Composition"
    attributes: dict[str, Any]


def start(encoder: Any, texts: Sequence[str]) -> Start:
    """Find what a fit of an encoder starts from.

    Parameters
    ----------
    encoder : TrainedEncoder
        With a `_random_state`, which draws what is random.
    texts : sequence of str
        The training texts. They determine which words, n-grams or characters the table
        has besides those of `vectors`, and the factor of `scale`.

    Returns
    -------
    start : Start

    Raises
    ------
    TypeError, ValueError
        If `vectors` or `init` cannot be used.
    """
    if _has_init(encoder):
        return _from_encoder(encoder, check_init(encoder))
    attributes: dict[str, Any] = {}
    if encoder._learns_tokens:
        table, anchors = encoder._draw_table(texts), None
    else:
        anchors = table = _word_table(encoder, texts, attributes)
    composition = encoder._composition(table)
    composition.reset(encoder._random_state)
    return Start(table, anchors, composition, attributes)


def _from_encoder(encoder: Any, init: Any) -> Start:
    """The fitted state of another encoder."""
    names = ("scale_", "added_words_", "initial_weights_")
    attributes = {name: vars(init)[name] for name in names if name in vars(init)}
    check_weighting(encoder, init)
    if getattr(encoder, "weighting", "uniform") == "uniform":
        attributes.pop("initial_weights_", None)
    anchors = anchor_table(init)
    if anchors is not None and encoder.vectors is not None:
        source = check_word_vectors(encoder.vectors)
        source = source.with_words(attributes.get("added_words_", []))
        anchors = _weighted_and_scaled(source, attributes)
    if anchors is not None:
        check_same_words(anchors, init.vectors_)
    composition = encoder._composition(init.vectors_)
    networks.with_parameters(composition, init.parameters_, "init")
    return Start(init.vectors_, anchors, composition, attributes)


def _word_table(
    encoder: Any, texts: Sequence[str], attributes: dict[str, Any]
) -> WordVectors:
    """The word vectors, weighted and scaled; how is noted in `attributes`."""
    source, tokenizer = check_word_vectors(encoder.vectors), encoder._tokenizer()
    source, added = source.covering(texts, tokenizer)
    attributes.update(scale_=1.0, added_words_=added)
    if getattr(encoder, "weighting", "uniform") == "sif":
        frequencies = encoder.frequencies
        probabilities = word_probabilities(source, tokenizer, frequencies, texts)
        attributes["initial_weights_"] = sif_weights(probabilities, encoder.a)
    table = _weighted_and_scaled(source, attributes)
    if encoder.scale is not None:
        batch = table.encode(texts[:_SAMPLE], tokenizer, known_only=True)
        lengths = np.linalg.norm(table.rows(np.unique(batch.ids)), axis=1)
        if len(lengths) and lengths.mean() > 0:
            attributes["scale_"] = float(encoder.scale / lengths.mean())
            table = _weighted_and_scaled(source, attributes)
    return table


def _weighted_and_scaled(
    source: WordVectors, attributes: dict[str, Any]
) -> WordVectors:
    """The table after weighting and scaling; the same one if there is neither."""
    scale = attributes["scale_"]
    weights: NDArray[np.floating] | None = attributes.get("initial_weights_")
    if weights is None and scale == 1.0:
        return source
    matrix, mean = source.rows(slice(None)), np.float32(0)
    if weights is not None:
        mean = matrix.mean(axis=0)
        matrix -= mean
        matrix *= weights[:, np.newaxis].astype(np.float32)
    matrix *= np.float32(scale)
    return source.replace(matrix, factor=scale, shift=-scale * mean)


def source_table(encoder: Any) -> WordVectors:
    """The word vectors before weights, scale and training, with the words added."""
    vectors = getattr(encoder, "vectors", None)
    if vectors is None and _has_init(encoder):
        return source_table(check_init(encoder))
    added = getattr(encoder, "added_words_", [])
    return check_word_vectors(vectors).with_words(added)


def anchor_table(encoder: Any) -> WordVectors | None:
    """The vectors that the penalty of a fitted encoder pulls to; None is zero.

    Those of its start are kept while `vectors` is the same; an encoder from a file has
    none, and makes them anew.
    """
    if encoder._learns_tokens:
        return None
    given, table = getattr(encoder, "_anchors", (None, None))
    if table is None or given is not encoder.vectors:
        table = _weighted_and_scaled(source_table(encoder), vars(encoder))
        encoder._anchors = encoder.vectors, table
    found: WordVectors = table
    return found


def check_weighting(encoder: Any, started: Any) -> None:
    """Raise if weights are asked for, but the encoder `started` without."""
    weighting = getattr(encoder, "weighting", "uniform")
    if weighting == "sif" and not hasattr(started, "initial_weights_"):
        raise ValueError(
            "weighting='sif', but training started with uniform weights. Fit a clone "
            "to start again."
        )


def check_same_words(vectors: WordVectors, trained: WordVectors) -> None:
    """Raise if the parameter `vectors` has other words than the trained table."""
    if vectors.words != trained.words:
        raise ValueError(
            "Training resumes with the words it started with, but `vectors` now has "
            "other words. Fit a clone to start again."
        )


def _has_init(encoder: Any) -> bool:
    """Whether `init` is an encoder, not the name of a start."""
    return encoder.init is not None and not isinstance(encoder.init, str)


def check_init(encoder: Any) -> Any:
    """The fitted encoder that training starts from."""
    init = unwrap_frozen(encoder.init)
    # Other classes may have parameters of the same names and shapes.
    if not (isinstance(init, type(encoder)) or isinstance(encoder, type(init))):
        raise TypeError(
            f"init must be a fitted {type(encoder).__name__}, or one in a "
            f"FrozenEstimator; got {encoder.init!r}. To start from a table of word "
            "vectors, pass it as `vectors`, such as load_pretrained().vectors."
        )
    check_fitted_encoder(init, "init")
    return init


def unwrap_frozen(encoder: Any) -> Any:
    """The encoder itself, or the one in a :class:`~sklearn.frozen.FrozenEstimator`."""
    return encoder.estimator if isinstance(encoder, FrozenEstimator) else encoder


def check_fitted_encoder(encoder: Any, parameter: str) -> None:
    """Raise if an encoder given as a parameter is not fitted."""
    if not hasattr(encoder, "vectors_"):
        raise ValueError(
            f"{parameter}={encoder!r} is not fitted. Cloning an encoder (as pipelines "
            "and grid searches do) drops its fit: wrap it in "
            "sklearn.frozen.FrozenEstimator."
        )
