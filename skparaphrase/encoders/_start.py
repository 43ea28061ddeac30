"""What a fit starts from: vectors, a network, and the vectors that penalties pull to.

:func:`start` is called once a fit. What it finds is kept on the encoder, so that
`partial_fit` and warm starts do not search again.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase._lazy import networks
from skparaphrase.encoders._base import AveragingEncoder, check_word_vectors
from skparaphrase.vectors import SENTENCES, WordVectors, bundled, multiplied


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
    added_words : list of str
        Words of the texts that the table of the start lacks, at the end of `table`.
    """

    table: WordVectors
    anchors: WordVectors | None
    composition: "networks.Composition"
    added_words: list[str]


def start(encoder: Any, texts: Iterable[str]) -> Start:
    """Find what a fit of an encoder starts from.

    Its `_random_state` draws what is random; the training texts determine which words,
    n-grams or characters the table has besides those of its start.
    """
    init = check_init(encoder)
    if init is not None and not starts_as_average(encoder, init):
        return _from_encoder(encoder, init)
    anchors: WordVectors | None = None
    added: list[str] = []
    if encoder._learns_tokens:
        table = encoder._draw_table(texts)
    else:
        table, added = given_table(encoder).covering(texts, encoder._tokenizer())
        anchors = table
    composition = encoder._composition(table)
    composition.reset(encoder._random_state)
    return Start(table, anchors, composition, added)


def _from_encoder(encoder: Any, init: Any) -> Start:
    """The fitted state of another encoder of the same kind."""
    added: list[str] = getattr(init, "added_words_", [])
    anchors = anchor_table(init)
    if anchors is not None:
        _check_same_tokenizer(encoder, init)
        if encoder.vectors is not None:
            anchors = check_word_vectors(encoder.vectors).with_words(added)
        check_same_words(anchors, init.vectors_)
    build = partial(encoder._composition, init.vectors_)
    composition = networks.with_parameters(build, init.parameters_, "init")
    return Start(init.vectors_, anchors, composition, added)


def given_table(encoder: Any) -> WordVectors:
    """The word vectors that training starts from, without those it adds.

    Those of the parameter `vectors`, or of the average that `init` is, or of
    :func:`skparaphrase.load_pretrained`.
    """
    init = check_init(encoder)
    if init is None:
        if encoder.vectors is None:
            return bundled(SENTENCES)
        return check_word_vectors(encoder.vectors)
    if not starts_as_average(encoder, init):
        if encoder.vectors is None:
            return given_table(init)
        return check_word_vectors(encoder.vectors)
    if encoder.vectors is not None:
        raise ValueError(
            f"init={init!r} brings its own word vectors: pass either vectors or init."
        )
    _check_same_tokenizer(encoder, init)
    return weighted_table(init)


def _check_same_tokenizer(encoder: Any, init: Any) -> None:
    if init._tokenizer()._key() != encoder._tokenizer()._key():
        raise ValueError(
            f"init={init!r} has another tokenizer: pass its tokenizer here, too."
        )


def weighted_table(average: Any) -> WordVectors:
    """The table of a fitted average, whose vectors are multiplied by its weights."""
    table, weights = average._static_parts()
    if weights is None:
        return table
    unknown = getattr(average, "unknown_weight_", 1.0)
    return multiplied(table, weights, unknown_weight=unknown)


def anchor_table(encoder: Any) -> WordVectors | None:
    """The vectors that the penalty of a fitted encoder pulls to; None is zero.

    Those of its start are kept while `vectors` is the same; an encoder from a file has
    none, and makes them anew.
    """
    if encoder._learns_tokens:
        return None
    given, table = getattr(encoder, "_anchors", (None, None))
    if table is None or given is not encoder.vectors:
        added = getattr(encoder, "added_words_", [])
        table = given_table(encoder).with_words(added)
        if encoder.vectors is None and table.words != encoder.vectors_.words:
            table = encoder.vectors_  # files do not hold `init`
        encoder._anchors = encoder.vectors, table
    found: WordVectors = table
    return found


def check_same_words(vectors: WordVectors, trained: WordVectors) -> None:
    """Raise if the parameter `vectors` has other words than the trained table."""
    if vectors.words != trained.words:
        raise ValueError(
            "Training resumes with the words it started with, but `vectors` now has "
            "other words. Fit a clone to start again."
        )


def check_init(encoder: Any) -> Any:
    """The fitted encoder that training starts from; None if there is none."""
    if encoder.init is None:
        return None
    init = unwrap_frozen(encoder.init)
    # Other classes may have parameters of the same names and shapes.
    is_alike = isinstance(init, type(encoder)) or isinstance(encoder, type(init))
    if not is_alike and not starts_as_average(encoder, init):
        average = "" if encoder._learns_tokens else " or an average of word vectors"
        raise TypeError(
            f"init must be a fitted {type(encoder).__name__}{average}, or one in a "
            f"FrozenEstimator; got {encoder.init!r}. To start from a table of word "
            "vectors, pass it as `vectors`."
        )
    check_fitted_encoder(init, "init")
    return init


def starts_as_average(encoder: Any, init: Any) -> bool:
    """Whether `init` is an average of word vectors, and not of the class of `encoder`.

    Then only its table is used.
    """
    if encoder._learns_tokens or isinstance(init, type(encoder)):
        return False
    return isinstance(init, AveragingEncoder) or hasattr(init, "to_model2vec")


def unwrap_frozen(encoder: Any) -> Any:
    """The encoder itself, or the one in a :class:`~sklearn.frozen.FrozenEstimator`."""
    return encoder.estimator if isinstance(encoder, FrozenEstimator) else encoder


def check_fitted_encoder(encoder: Any, parameter: str) -> None:
    """Raise if an encoder given as a parameter is not fitted."""
    try:
        check_is_fitted(encoder)
    except NotFittedError:
        raise ValueError(
            f"{parameter}={encoder!r} is not fitted. Cloning an encoder (as pipelines "
            "and grid searches do) drops its fit: wrap it in "
            "sklearn.frozen.FrozenEstimator."
        ) from None
