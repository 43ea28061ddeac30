"""The encoder inside a supervised model: its initial state, and its result."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

from sklearn.base import clone

from skparaphrase._estimator import warn_caller
from skparaphrase._lazy import training
from skparaphrase._typing import Arrays
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.encoders._base import AveragingEncoder
from skparaphrase.encoders._start import (
    EncoderStart,
    check_fitted_encoder,
    encoder_start,
    unwrap_frozen,
    weighted_table,
)
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.supervision._examples import Examples


def initialize_encoder(
    encoder: Any, examples: Examples, steps: "training.Steps", alternative: str
) -> tuple[TrainedEncoder, EncoderStart]:
    """A copy of an encoder in the initial state for training on the texts.

    Weighted or plain averages become a :class:`ParaphraseEncoder` that averages
    weighted vectors. Raises TypeError if the encoder cannot be trained by torch. Warns
    if it is fitted, because training does not start from its fit, unlike with
    `alternative`.
    """
    warn_if_fitted(encoder, alternative)
    if isinstance(encoder, TrainedEncoder):
        encoder = clone(encoder)
    elif isinstance(encoder, AveragingEncoder):
        encoder = _trainable(clone(encoder).fit(examples.texts.ravel()))
    else:
        raise TypeError(
            "Only encoders of skparaphrase.encoders can be trained end to end; got "
            f"{encoder!r}. freeze='encoder' accepts any transformer of texts."
        )
    start = encoder_start(encoder, examples, steps)
    return encoder._at_start(start), start


def warn_if_fitted(encoder: Any, alternative: str) -> None:
    """Warn, from within a `fit`, if an encoder is fitted: its fit is not used."""
    if hasattr(encoder, "vectors_"):
        warn_caller(
            f"The {type(encoder).__name__} is fitted, but its training is not used. "
            f"Use {alternative} to start from it, or wrap it in a "
            "sklearn.frozen.FrozenEstimator to keep it unchanged."
        )


def copy_fitted(encoder: Any, parameter: str = "init") -> TrainedEncoder:
    """A copy of a fitted encoder, given as a parameter, to be trained further.

    Weighted or plain averages become a :class:`ParaphraseEncoder`.
    """
    encoder = unwrap_frozen(encoder)
    if not isinstance(encoder, TrainedEncoder | AveragingEncoder):
        raise TypeError(
            f"{parameter} must be a fitted encoder of skparaphrase.encoders; got "
            f"{encoder!r}."
        )
    check_fitted_encoder(encoder, parameter)
    if isinstance(encoder, TrainedEncoder):
        new = encoder._with({"loss_curve_": [*encoder.loss_curve_], "_moments": {}})
        for name in ("_random_state", "_seed", "validation_scores_", "best_epoch_"):
            new.__dict__.pop(name, None)  # of the fit of `encoder`
        return new
    average = _trainable(encoder)
    fitted = {"vectors_": average.vectors, "parameters_": {}, "added_words_": []}
    return average._with({**fitted, "loss_curve_": [], "n_epochs_": 0})


def _trainable(encoder: AveragingEncoder) -> ParaphraseEncoder:
    """Convert a fitted average of weighted vectors to one that can be trained."""
    return ParaphraseEncoder(
        weighted_table(encoder),
        pooling=encoder.pooling,
        norm=encoder.norm,
        tokenizer=encoder.tokenizer,
    )


def trained_encoder(
    encoder: Any, start: EncoderStart | None, arrays: Arrays, *, is_scratch: bool
) -> Any:
    """The encoder inside a model, given the arrays of the model's trainer.

    It is the initial encoder if it was not trained, or if there are no arrays.
    """
    if start is None or not arrays:
        return encoder
    of_encoder = select(arrays, "composition.")
    of_encoder |= {k: array for k, array in arrays.items() if k == "vectors"}
    attributes = encoder._attributes(start, of_encoder, is_scratch=is_scratch)
    return encoder._with(attributes)


def select(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays whose names start with a prefix, with the prefix removed."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
