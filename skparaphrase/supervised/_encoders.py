"""Encoders that a supervised model or a tagger starts from."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from skparaphrase._estimator import warn_caller
from skparaphrase._lazy import training
from skparaphrase.encoders._base import AveragingEncoder
from skparaphrase.encoders._paraphrase import ParaphraseEncoder
from skparaphrase.encoders._start import (
    Start,
    check_fitted_encoder,
    unwrap_frozen,
    weighted_table,
)
from skparaphrase.encoders._trained import TrainedEncoder


def warn_if_fitted(encoder: Any, alternative: str) -> None:
    """Warn, from within a `fit`, that the training of an encoder will not be used.

    `alternative` names what starts from it.
    """
    if hasattr(encoder, "vectors_"):
        warn_caller(
            f"The {type(encoder).__name__} is fitted, but its training is not used: "
            f"{alternative} starts from it, and a sklearn.frozen.FrozenEstimator keeps "
            "it as it is."
        )


def begin_training(
    encoder: Any, texts: Any, distinct: list[str], steps: "training.Steps"
) -> tuple[TrainedEncoder, Start]:
    """A copy of an encoder in the state that training on texts starts from.

    The texts determine vocabularies of characters and word counts; each distinct one is
    looked up. Weighted or plain averages become a :class:`ParaphraseEncoder` that
    averages weighted vectors. Raises TypeError for an encoder that torch cannot train.
    """
    encoder = unwrap_frozen(encoder)
    if isinstance(encoder, TrainedEncoder):
        encoder = clone(encoder)
    elif isinstance(encoder, AveragingEncoder):
        encoder = _as_paragram(clone(encoder).fit(texts.ravel()))
    else:
        raise TypeError(
            "Only encoders of skparaphrase.encoders can be trained end to end; got "
            f"{encoder!r}. freeze='encoder' accepts any transformer of texts."
        )
    start = encoder._start_of(
        texts.ravel().tolist(),
        distinct,
        steps.random_state,
        whole=not steps.optimizer.sparse,
    )
    return encoder._started(start), start


def resume_training(
    encoder: TrainedEncoder, distinct: list[str], steps: "training.Steps"
) -> Start:
    """The state that training of a fitted encoder on distinct texts resumes from."""
    rng, whole = steps.random_state, not steps.optimizer.sparse
    return encoder._start_of(distinct, distinct, rng, whole=whole, resume=True)


def copy_fitted(encoder: Any) -> TrainedEncoder:
    """A copy of a fitted encoder, to be trained further.

    Weighted or plain averages become a :class:`ParaphraseEncoder`.
    """
    encoder = unwrap_frozen(encoder)
    if not isinstance(encoder, TrainedEncoder):
        if not isinstance(encoder, AveragingEncoder):
            raise TypeError(
                "init must be a fitted encoder of skparaphrase.encoders; got "
                f"{encoder!r}."
            )
        check_is_fitted(encoder)
        average = _as_paragram(encoder)
        fitted = {"vectors_": average.vectors, "parameters_": {}, "added_words_": []}
        return average._with({**fitted, "loss_curve_": [], "n_epochs_": 0})
    check_fitted_encoder(encoder, "init")
    new = encoder._with({"loss_curve_": [*encoder.loss_curve_], "_moments": {}})
    for name in ("_random_state", "_split_state", "validation_scores_", "best_epoch_"):
        if hasattr(new, name):  # of the fit of `encoder`
            delattr(new, name)
    return new


def _as_paragram(encoder: AveragingEncoder) -> ParaphraseEncoder:
    """The fitted mean of weighted vectors as an average that can be trained."""
    return ParaphraseEncoder(
        weighted_table(encoder),
        pooling=encoder.pooling,
        norm=encoder.norm,
        tokenizer=encoder.tokenizer,
    )
