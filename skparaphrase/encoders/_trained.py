"""The base of encoders that are trained."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import (
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
    with_callbacks,
)
from skparaphrase._lazy import networks, training
from skparaphrase._trained import Attributes, FitSettings, TrainedEstimator, Validation
from skparaphrase._typing import Arrays
from skparaphrase.encoders._base import TextEncoder
from skparaphrase.encoders._embedding import embed_batches
from skparaphrase.encoders._start import EncoderStart, encoder_start
from skparaphrase.losses import LOSS, LOSSES
from skparaphrase.optimizers import TRAINING_CONSTRAINTS, Optimizer
from skparaphrase.supervision._examples import Examples
from skparaphrase.supervision._supervise import supervise
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._storage import load_word_vectors


class TrainedEncoder(TrainedEstimator, TextEncoder):
    """Base class of trained encoders.

    A subclass has the parameters in its signature and defines :meth:`_composition`.
    Encoders of characters also define :meth:`_tokenizer` and :meth:`_draw_table`.
    """

    vectors_: WordVectors
    parameters_: Arrays
    added_words_: list[str]  # words of the texts that `vectors` lacks
    teacher_axes_: NDArray[np.float32]

    _fitted_names = "vectors_", "parameters_", "added_words_", "teacher_axes_"
    _optimizer = Optimizer("adam")
    _refused = ("head_penalty",)
    _learns_tokens: ClassVar[bool] = False  # True: tokens come from the training texts
    _has_lost_init = False  # True: loaded from a file, which does not contain `init`

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TextEncoder._parameter_constraints,
        **TRAINING_CONSTRAINTS,
        "init": [HasMethods(["transform"]), None],
        "loss": LOSS,
        "batch_size": [Interval(Integral, 2, None, closed="left")],
        "freeze": [StrOptions({"vectors"}), None],
    }

    @abstractmethod
    def _composition(self, vectors: WordVectors) -> networks.Composition:
        """The network that composes vectors, before its parameters are drawn."""

    def _start_as_in_paper(self, given: set[str]) -> None:
        if "norm" not in given:
            self.norm = None
        if not self._learns_tokens and self.init is None and "vectors" not in given:
            self.vectors = load_word_vectors()

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Train on pairs, triplets, labelled texts or a teacher's vectors.

        The shapes of `X` and `y` determine what is learnt:

        ====================  =================  ==================================
        `X`                   `y`                what is learnt
        ====================  =================  ==================================
        (n_pairs, 2)          None               paraphrases
        (n_pairs, 2)          booleans, 0 and 1  paraphrases (1) and other pairs (0)
        (n_pairs, 2)          other scores       the order of the pairs
        (n_triplets, 3)       None               paraphrases, each with a hard negative
        (n_texts,)            class labels       texts of one class are paraphrases
        (n_texts,) or         vectors            to predict the vectors of a teacher
        (n_pairs, 2)
        ====================  =================  ==================================

        Parameters
        ----------
        X : array-like of str, or dataset of pyarrow or datasets
            At least two examples. Texts of a Parquet dataset or file stay on disk, as
            do texts of Hugging Face datasets.
        y : array-like, default=None
            Of shape (n_examples,). Pairs marked with 0 are negatives of all texts
            (:class:`~skparaphrase.losses.InfoNCELoss`; other losses leave them out with
            a warning). To learn only from pairs with high scores, pass `X[y >= 4]`.
            Labels are integers or str. A teacher's vectors have the shape of `X` +
            (dim,).
        sample_weight : array-like of shape (n_examples,), default=None
            Weight of each example in the loss. Only ratios matter; examples of weight 0
            are ignored. Weights change neither how often a text is a negative example
            nor the validation scores.
        groups : array-like of shape (n_examples,), default=None
            Examples of one group stay together in the split of `validation_fraction`,
            as do examples that share a text.
        X_val : array-like of str, default=None
            Examples to score after every epoch; the best epoch is kept. They have the
            shape of `X`.
        y_val : array-like, default=None
            Like `y`, for `X_val`.

        Returns
        -------
        self : encoder instance

        Raises
        ------
        ValueError
            If there are too few examples, or none of their words is known; if `loss`
            does not learn from such `y`, or does not support weights; if a teacher's
            vectors are missing, have another shape or are not finite; if training
            diverges. The encoder is then unchanged: not fitted, or with the result of
            the last fit.

        Notes
        -----
        If training is interrupted (Ctrl-C, an error in a callback), the best epoch is
        kept, or without validation the parameters reached so far. With
        `warm_start=True`, another `fit` resumes.

        Texts on disk are read a few times before the first epoch. Memory then contains
        50 bytes per text, 4 bytes per token, `y` and the held-out texts. A teacher's
        vectors and their texts are kept in memory. If a loss uses the initial averages
        of texts and they take at most 256 MB, they are kept on the device.
        """
        self._fit(X, y, sample_weight, groups, (X_val, y_val, None))
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train for one epoch on some pairs, continuing from the last call.

        The state of the optimizer is kept from call to call; it is reset after a `fit`
        without `warm_start`. If the teacher has more dimensions, the first texts
        determine which of them are kept (`teacher_axes_`), with a warning if there are
        too few. No examples are held out for validation.

        Parameters
        ----------
        X : array-like of str, or dataset of pyarrow or datasets
            As in :meth:`fit`.
        y : array-like, default=None
            As in :meth:`fit`.
        sample_weight : array-like of shape (n_examples,), default=None
            As in :meth:`fit`. Ratios to the weights of other calls do not matter.

        Returns
        -------
        self : encoder instance
        """
        self._fit(X, y, sample_weight, is_partial=True)
        return self

    def _read(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, *, resume: bool
    ) -> Examples:
        return supervise(X, y, self._checked_loss(), sample_weight, groups)

    def _hold_out(
        self, examples: Examples, validation: Validation, seed: int
    ) -> tuple[Examples, Examples | None]:
        parts = super()._hold_out(examples, validation, seed)
        for part, where in zip(parts, ("to train on", "to validate on"), strict=True):
            if part is not None:
                part.kind.check_part(part, where)
        return parts

    def _read_validation(self, train: Examples, X: Any, y: Any, weights: Any) -> Any:
        try:
            held_out = supervise(X, y, self._checked_loss(), warn=False)
        except ValueError as error:
            raise ValueError(f"X_val and y_val: {error}") from error
        if held_out.kind is not train.kind:
            raise ValueError(
                f"X_val and y_val hold {held_out.kind.noun}, but X and y hold "
                f"{train.kind.noun}."
            )
        train.kind.check_validation(held_out, train)
        return replace(held_out, texts=np.asarray(held_out.texts))

    def _optimizer_for(self, examples: Examples) -> Optimizer:
        optimizer = super()._optimizer_for(examples)
        if examples.kind.has_teacher:
            return clone(optimizer).set_params(max_change=None)
        return optimizer

    def _checked_loss(self, auto: str | None = None) -> Any:
        """The loss; "auto" stands for `auto`, or None while the kind is unknown."""
        loss: Any = auto if self.loss == "auto" else self.loss
        if isinstance(loss, str):
            loss = LOSSES[loss]
        if loss is not None:
            loss._validate_params()
        return loss

    def _start(self, train: Examples, settings: FitSettings) -> EncoderStart:
        start = encoder_start(self, train, settings.steps, resume=settings.resume)
        axes = start.teacher_axes
        if train.kind.has_teacher:
            dim, embed = start.composition.dim, self._at_start(start)._embed
            axes = train.kind.teacher_axes(train, dim, embed, axes)
        return replace(start, teacher_axes=axes)

    def _trainer(
        self, start: EncoderStart, train: Examples, settings: FitSettings
    ) -> training.Trainer:
        composition, steps = start.composition, settings.steps
        is_frozen = getattr(self, "freeze", None) == "vectors"  # if it is a parameter
        if is_frozen and not composition.state_dict():
            raise ValueError(
                "freeze='vectors' leaves nothing to train: the network has no "
                "parameters."
            )
        loss = self._checked_loss(train.kind.default_loss)
        rng, axes = RandomState(settings.seed), start.teacher_axes  # same if resumed
        encoded = train.kind.encode(train, start.rows.batch, rng, axes)
        table = start.word_table(
            steps,
            self.device,
            uses_anchors=steps.optimizer._uses_start or loss._uses_start,
            frozen=is_frozen,
        )
        objective = training.ParaphraseObjective(
            composition, loss, encoded, steps.optimizer
        )
        return training.Trainer(objective, table, steps)

    def _attributes(
        self, start: EncoderStart, arrays: Arrays, *, is_scratch: bool = False
    ) -> Attributes:
        parameters = arrays.copy() or networks.parameter_arrays(start.composition)
        matrix, words = parameters.pop("vectors", None), start.rows
        attributes: Attributes = {
            "vectors_": words.table,
            "parameters_": parameters,
            "added_words_": start.added_words,
        }
        if matrix is not None:
            attributes["vectors_"] = words.trained_table(matrix, is_scratch=is_scratch)
            attributes["added_words_"] = [*start.added_words, *words.new_words]
        if start.teacher_axes is not None:
            attributes["teacher_axes_"] = start.teacher_axes
        return attributes

    def _validation_score(self, held_out: Examples, train: Examples) -> float:
        return float(held_out.kind.validate(self, held_out, train))

    def _at_start(self, start: EncoderStart) -> Self:
        """A copy in the initial state of training."""
        attributes = self._attributes(start, {})
        return self._with({"loss_curve_": [], "n_epochs_": 0, **attributes})

    def _forget_init(self) -> None:
        """Let penalties pull towards `vectors_`: the folder does not contain `init`."""
        self._has_lost_init = getattr(self, "vectors", None) is None

    def _fitted_composition(self) -> networks.Composition:
        build = partial(self._composition, self.vectors_)
        return networks.with_parameters(build, self.parameters_, "The fitted encoder")

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        return embed_batches(
            self._fitted_composition(),
            self.vectors_,
            self.vectors_.encode_blocks(texts, self._tokenizer()),
            len(texts),
            networks.resolve_device(self.device),
        )

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return self._fitted_composition().dim
