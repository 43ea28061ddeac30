"""An encoder and a head: how they start, train, and predict."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase._docs import DocumentedOnline
from skparaphrase.callback._checkpoint import Run
from skparaphrase.encoders._parameters import parameter_arrays, set_parameters
from skparaphrase.encoders._trainable import trained
from skparaphrase.encoders._word_paraphrase import WordParaphraseEncoder
from skparaphrase.supervised._encoders import (
    begin_encoder,
    frozen_material,
    text_vectors,
    trainable_material,
)
from skparaphrase.supervised._examples import Examples, check_single_texts
from skparaphrase.supervised._fit import FitsExamples
from skparaphrase.text import check_pairs, numbered_texts

if TYPE_CHECKING:
    from skparaphrase.nn import Head, SupervisedTrainer

_SAMPLE = 1000  # texts by which the scale is set
_CHUNK = 4096  # examples at a time, so that no array of features grows with them


class Network(FitsExamples, DocumentedOnline, BaseEstimator):
    """Base of models that put a head on an encoder.

    A subclass has the parameters, and says what the outputs mean.
    """

    encoder: Any
    hidden_dim: int
    projection_dim: int | None
    train_projection: bool
    normalize: bool
    scale: float | None
    freeze: str | None
    prior: str | None
    optimizer: str
    learning_rate: float
    batch_size: int
    clip_norm: float | None
    vectors_penalty: float
    composition_penalty: float
    head_penalty: float
    sparse_updates: bool

    encoder_: Any
    head_: dict[str, NDArray[np.float32]]
    scale_: float
    scales_words_: bool

    _trained = ("encoder_", "head_")

    _loss: ClassVar[str]
    _n_texts: ClassVar[int]  # of an example

    @property
    @abstractmethod
    def _n_outputs(self) -> int:
        """Units of the softmax."""

    def _check_texts(self, X: Any) -> NDArray[np.object_]:
        """Texts of shape (n_samples,), or pairs of shape (n_samples, 2)."""
        return check_pairs(X) if self._n_texts == 2 else check_single_texts(X)

    @property
    def _is_frozen(self) -> bool:
        """Whether the encoder's vectors of texts stay as they are."""
        return self.freeze == "encoder" or (
            isinstance(self.encoder, FrozenEstimator) and self.prior is None
        )

    def _start_over(self, texts: NDArray[np.object_]) -> None:
        encoder = begin_encoder(
            self.encoder,
            texts,
            self._random_state,
            freeze=self.freeze,
            universal=self.prior == "universal",
        )
        self.encoder_ = encoder
        some = texts.ravel()[:_SAMPLE].tolist()
        self.scales_words_ = self._scales_words()
        self.scale_ = self._new_scale(some)
        if self.scales_words_:
            vectors = encoder.vectors_
            matrix = vectors.rows(slice(None)) * np.float32(self.scale_)
            encoder.vectors_ = vectors.replace(matrix)
        head = self._head(text_vectors(encoder, some[:1]).shape[1])
        head.reset(self._random_state)
        self.head_ = parameter_arrays(head)
        self._forget_epochs()

    def _scales_words(self) -> bool:
        """Whether `scale` is the length of word vectors, not that of texts."""
        return (
            isinstance(self.encoder_, WordParaphraseEncoder)
            and self.encoder_.init is None
            and self.prior is None
            and not self._is_frozen
            and not self.normalize  # which would undo it
        )

    def _new_scale(self, texts: list[str]) -> float:
        """What takes vectors of words, or of texts, to the length asked for."""
        if self.scale is None:
            return 1.0
        if self.scales_words_:
            vectors = self.encoder_.vectors_
            batches = self.encoder_._encode_blocks(texts, vectors)
            found = np.unique(np.concatenate([batch.ids for batch in batches]))
            some = vectors.rows(found)
        else:
            some = text_vectors(self.encoder_, texts)
            if self.normalize:
                return float(self.scale)
        length = float(np.linalg.norm(some, axis=1).mean()) if len(some) else 0.0
        return float(self.scale) / length if length > 0 else 1.0

    def _head(self, dim: int) -> "Head":
        from skparaphrase.nn import Head

        return Head(
            dim,
            hidden_dim=self.hidden_dim,
            n_outputs=self._n_outputs,
            n_texts=self._n_texts,
            projection_dim=self.projection_dim,
            train_projection=self.train_projection,
            normalize=self.normalize,
            scale=1.0 if self.scales_words_ else self.scale_,
        )

    def _fitted_head(self, dim: int) -> "Head":
        head = self._head(dim)
        set_parameters(head, self.head_, "The fitted model")
        return head

    def _training(
        self, X: Any, y: Any, examples: Examples, validation: Examples | None
    ) -> Callable[[Run], None]:
        """What goes on from the fitted state, and updates it however it ends.

        `X` and `y` are those of `fit`, for callbacks.
        """
        from skparaphrase.nn import (
            SupervisedOptions,
            SupervisedTrainer,
            resolve_device,
        )

        texts = examples.texts
        device = resolve_device(self.device)
        distinct, numbers = numbered_texts(texts)
        if self._is_frozen:
            material = frozen_material(self.encoder_, distinct, device)
        else:
            material = trainable_material(
                self.encoder_,
                distinct,
                device,
                prior=trained(self.encoder) if self.prior == "universal" else None,
                frozen_vectors=self.freeze == "vectors",
                sparse_updates=self.sparse_updates,
                penalised=self.vectors_penalty > 0 and self.freeze is None,
                scale=self.scale_ if self.scales_words_ else 1.0,
            )
        composition = material.composition
        trainer = SupervisedTrainer(
            composition,
            self._fitted_head(composition.dim).to(device),
            material.table,
            SupervisedOptions(
                loss=self._loss,
                optimizer=self.optimizer,
                learning_rate=self.learning_rate,
                batch_size=self.batch_size,
                clip_norm=self.clip_norm,
                vectors_penalty=self.vectors_penalty,
                vectors_rate=1.0 if self.scales_words_ else 1 / self.scale_,
                composition_penalty=self.composition_penalty,
                head_penalty=self.head_penalty,
            ),
            self._random_state,
            material.prior,
        )
        trainer.optimizer.load(self._optimizer_state.get(self.optimizer, {}), device)
        losses = trainer.epochs(
            material.texts,
            numbers.reshape(-1, self._n_texts),
            self._distributions(examples.targets),
            examples.mean_one(),
            n_epochs=self.max_epochs,
        )
        state = partial(self._state, trainer)
        validate = None
        if validation is not None:
            validate = partial(self._validate, trainer, validation)
        return partial(self._fit_epochs, X, y, trainer, losses, state, validate)

    def _validate(self, trainer: "SupervisedTrainer", validation: Examples) -> float:
        self.__dict__.update(self._state(trainer, own=False))
        score: float = self.score(
            validation.texts, validation.targets, validation.weights
        )
        return score

    def _state(
        self, trainer: "SupervisedTrainer", *, own: bool = True
    ) -> dict[str, Any]:
        """The fitted state; if `own`, with a table that training leaves alone."""
        encoder = self.encoder_
        if not self._is_frozen:
            encoder = copy(encoder)
            encoder.parameters_ = parameter_arrays(trainer.composition)
            if not trainer.table.frozen:
                matrix = trainer.table.numpy()
                encoder.vectors_ = encoder.vectors_.replace(
                    matrix.copy() if own else matrix
                )
        return {"encoder_": encoder, "head_": parameter_arrays(trainer.head)}

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        """Outputs of the softmax, shape (n_samples, n_outputs)."""
        import torch

        from skparaphrase.nn import resolve_device, to_device

        check_is_fitted(self)
        texts = self._check_texts(X)
        distinct, numbers = numbered_texts(texts)
        found = np.empty((len(texts), self._n_outputs))
        if not len(texts):
            return found
        vectors = text_vectors(self.encoder_, distinct)
        numbers = numbers.ravel()
        device = resolve_device(self.device)
        head = self._fitted_head(vectors.shape[1]).to(device)
        step = _CHUNK * self._n_texts
        with torch.inference_mode():
            for start in range(0, len(numbers), step):
                part = to_device(vectors[numbers[start : start + step]], device)
                logits = head(part).double()
                rows = slice(start // self._n_texts, start // self._n_texts + _CHUNK)
                found[rows] = torch.softmax(logits, dim=1).cpu().numpy()
        return found
