"""Training of a tagger: the estimator around the loop of `nn`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase._docs import DocumentedOnline
from skparaphrase._epochs import FitsByEpochs
from skparaphrase.callback._checkpoint import Run
from skparaphrase.encoders._parameters import parameter_arrays, set_parameters
from skparaphrase.encoders._paraphrase import ParaphraseEncoder
from skparaphrase.tagging._sentences import encode_sentences
from skparaphrase.tagging._start import Tagged, begin_encoder, capital_feature
from skparaphrase.vectors import WordVectors

if TYPE_CHECKING:
    import torch

    from skparaphrase.nn import Sentences, Tagger, TaggerTrainer, WordTable


class TrainedTagger(FitsByEpochs, DocumentedOnline, BaseEstimator):
    """What :class:`SequenceTagger` does beneath its methods."""

    word_encoder: Any
    hidden_dim: int
    dense_dim: int
    capitals: bool | str
    optimizer: str
    learning_rate: float
    momentum: float
    batch_size: int
    penalty: float
    clip_norm: float | None
    dropout: float
    sparse_updates: bool
    validation_fraction: float | None
    device: str

    classes_: NDArray[Any]
    word_encoder_: ParaphraseEncoder
    parameters_: dict[str, NDArray[np.float32]]

    _trained = ("word_encoder_", "parameters_")

    def _scores(self, sentences: list[list[str]]) -> NDArray[np.float32]:
        """Scores before the softmax of all tokens, shape (n_tokens, n_tags)."""
        from skparaphrase.nn import resolve_device

        encoder = self.word_encoder_
        return tag_scores(
            self._fitted_tagger().to(resolve_device(self.device)),
            encode_sentences(sentences, encoder),
            encoder.vectors_,
        )

    def _check_classes(
        self, tags: NDArray[Any], goes_on: bool
    ) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Distinct tags, and the number of each token's."""
        check_classification_targets(tags)
        classes, numbers = np.unique(tags, return_inverse=True)
        if not goes_on:
            if len(classes) < 2:
                raise ValueError(
                    "SequenceTagger needs samples of at least 2 classes in the data, "
                    f"but the data contains only one class: {classes[0]!r}"
                )
            return classes, numbers
        new = sorted(set(classes.tolist()) - set(self.classes_.tolist()))
        if new:
            raise ValueError(
                f"Training goes on with the tags it began with; {new} are new. Fit a "
                "clone to start anew."
            )
        return self.classes_, np.searchsorted(self.classes_, tags)

    def _start_over(
        self,
        sentences: list[list[str]],
        classes: NDArray[Any],
        random_state: np.random.RandomState,
    ) -> None:
        encoder = begin_encoder(self.word_encoder, sentences, random_state)
        tagger = self._tagger(encoder, len(classes))
        tagger.reset(random_state)
        self.classes_ = classes
        self.word_encoder_ = encoder
        self.parameters_ = own_parameters(tagger)
        self._forget_epochs()

    def _tagger(self, encoder: ParaphraseEncoder, n_tags: int) -> "Tagger":
        from skparaphrase.nn import Tagger

        return Tagger(
            encoder._composition(encoder.vectors_),
            hidden_dim=self.hidden_dim,
            dense_dim=self.dense_dim,
            n_tags=n_tags,
            capitals=capital_feature(self.capitals, encoder),
            dropout=self.dropout,
        )

    def _fitted_tagger(self) -> "Tagger":
        encoder = self.word_encoder_
        tagger = self._tagger(encoder, len(self.classes_))
        composition = encoder.parameters_.items()
        arrays = {f"composition.{name}": array for name, array in composition}
        set_parameters(tagger, {**arrays, **self.parameters_}, "The fitted tagger")
        return tagger

    def _training(
        self,
        X: Any,
        y: Any,
        sentences: list[list[str]],
        numbers: NDArray[np.intp],
        validation: Tagged | None,
    ) -> Callable[[Run], None]:
        """What goes on from the fitted state, and updates it however it ends.

        `X` and `y` are those of `fit`, for callbacks; `numbers` are those of the tags
        of all tokens.
        """
        from skparaphrase.nn import (
            TaggerOptions,
            TaggerTrainer,
            WordTable,
            resolve_device,
        )

        device = resolve_device(self.device)
        encoder = self.word_encoder_
        frozen = isinstance(self.word_encoder, FrozenEstimator)
        tagger = self._fitted_tagger().to(device)
        tagger.composition.requires_grad_(not frozen)
        table = WordTable(
            encoder.vectors_.rows(slice(None)),
            initial=encoder._penalty_target() if self.penalty else None,
            sparse=self.sparse_updates,
            device=device,
            frozen=frozen,
        )
        trainer = TaggerTrainer(
            tagger,
            table,
            TaggerOptions(
                optimizer=self.optimizer,
                learning_rate=self.learning_rate,
                momentum=self.momentum,
                batch_size=self.batch_size,
                clip_norm=self.clip_norm,
                vectors_penalty=self.penalty,
                penalty=self.penalty,
            ),
            self._random_state,
        )
        trainer.optimizer.load(self._optimizer_state.get(self.optimizer, {}), device)
        losses = trainer.epochs(
            encode_sentences(sentences, encoder), numbers, n_epochs=self.max_epochs
        )
        state = partial(self._state, trainer)
        validate = None
        if validation is not None:
            held = encode_sentences(validation[0], encoder)
            validate = partial(self._validate, trainer, held, validation[1])
        return partial(self._fit_epochs, X, y, trainer, losses, state, validate)

    def _validate(
        self,
        trainer: "TaggerTrainer",
        sentences: "Sentences",
        tags: NDArray[Any],
    ) -> float:
        """Token accuracy of what the trainer has."""
        scores = tag_scores(trainer.module, sentences, trainer.table)
        return float(np.mean(self.classes_[scores.argmax(axis=1)] == tags))

    def _state(self, trainer: "TaggerTrainer") -> dict[str, Any]:
        """What is trained, as a copy."""
        encoder = copy(self.word_encoder_)
        table = trainer.table
        if not table.frozen:
            encoder.vectors_ = encoder.vectors_.replace(table.numpy().copy())
            encoder.parameters_ = parameter_arrays(trainer.module.composition)
        return {"word_encoder_": encoder, "parameters_": own_parameters(trainer.module)}


def own_parameters(tagger: "Tagger") -> dict[str, NDArray[np.float32]]:
    """Copies of all parameters but those of the composition."""
    return {
        name: array
        for name, array in parameter_arrays(tagger).items()
        if not name.startswith("composition.")
    }


def tag_scores(
    tagger: "Tagger", sentences: "Sentences", table: "WordTable | WordVectors"
) -> NDArray[np.float32]:
    """Scores before the softmax of all tokens, shape (n_tokens, n_tags)."""
    import torch

    device = next(tagger.parameters()).device

    def rows(wanted: NDArray[np.integer]) -> "torch.Tensor":
        if isinstance(table, WordVectors):
            return torch.from_numpy(table.rows(wanted)).to(device)
        return table.weight[torch.from_numpy(wanted).to(device)]

    n_tags = len(tagger.output.bias)
    found = [logits.cpu().numpy() for logits in tagger.tag(sentences, rows)]
    return np.concatenate([np.empty((0, n_tags), np.float32), *found])
