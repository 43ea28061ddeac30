"""Training on paraphrase pairs: the estimator around the loop of `nn`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import Interval, StrOptions, fit_context
from skparaphrase.encoders._average import AveragingEncoder
from skparaphrase.encoders._base import WordEncoder
from skparaphrase.encoders._targets import paraphrase_pairs
from skparaphrase.text import TokenBatch, unique_texts
from skparaphrase.vectors import WordVectors

if TYPE_CHECKING:
    from skparaphrase.nn import Trainer


class ParaphraseEncoder(CallbackSupportMixin, AveragingEncoder):
    """Base of encoders that are trained on pairs of texts that mean the same.

    A subclass says what the word vectors are at the start and how they are composed.
    """

    loss: str
    margin: float
    temperature: float
    negatives: str
    mask_identical: bool
    positive_from: float | None
    optimizer: str
    learning_rate: float
    batch_size: int
    max_epochs: int
    clip_norm: float | None
    vectors_penalty: float
    ordered_first_epoch: bool
    sparse_updates: bool
    warm_start: bool
    device: str
    random_state: Any
    verbose: bool | int

    vectors_: WordVectors
    _optimizer_state: dict[str, Any]
    loss_curve_: list[float]
    n_epochs_: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WordEncoder._parameter_constraints,
        "loss": [StrOptions({"margin", "infonce"})],
        "margin": [Interval(Real, 0, None, closed="left")],
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "negatives": [StrOptions({"max", "mix", "random"})],
        "mask_identical": ["boolean"],
        "positive_from": [Real, None],
        "optimizer": [StrOptions({"adagrad", "adam"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "batch_size": [Interval(Integral, 2, None, closed="left")],
        "max_epochs": [Interval(Integral, 0, None, closed="left")],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "vectors_penalty": [Interval(Real, 0, None, closed="left")],
        "ordered_first_epoch": ["boolean"],
        "sparse_updates": ["boolean"],
        "warm_start": ["boolean"],
        "device": [str],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    @abstractmethod
    def _prepare(self, pairs: NDArray[np.object_]) -> None:
        """Learn what the initial vectors need to know of the pairs."""

    @abstractmethod
    def _initial_matrix(self) -> NDArray[np.float32]:
        """Word vectors before training, shape (n_words, dim)."""

    @abstractmethod
    def _composition(self) -> Any:
        """The module of `nn` that is trained."""

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on pairs of texts.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)
            Pairs that mean the same, at least two.

        y : array-like of shape (n_pairs,), default=None
            None: every pair is a paraphrase. Booleans, or 0 and 1: the ones are. Other
            scores: see `positive_from`. Pairs that are no paraphrases are left out.

        Returns
        -------
        self : estimator instance

        Raises
        ------
        ValueError
            If there are fewer than two paraphrases, or if no word of them is known.

        Notes
        -----
        When training is interrupted (Ctrl-C, an error in a callback), the parameters
        reached so far are kept, and with `warm_start=True` another `fit` goes on.
        """
        pairs = paraphrase_pairs(X, y, positive_from=self.positive_from)
        texts, numbers = self._begin(
            pairs, goes_on=self.warm_start and hasattr(self, "vectors_")
        )
        context = self._init_callback_context(max_subtasks=self.max_epochs)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        with self._training() as trainer:
            losses = trainer.epochs(
                texts,
                numbers,
                n_epochs=self.max_epochs,
                ordered_first_epoch=self.ordered_first_epoch and self.n_epochs_ == 0,
            )
            for _ in range(self.max_epochs):
                epoch = context.subcontext(task_name="epoch")
                epoch.call_on_fit_task_begin(estimator=self, X=X, y=y)
                self._end_epoch(next(losses))
                if epoch.call_on_fit_task_end(
                    estimator=self,
                    X=X,
                    y=y,
                    reconstruction_attributes=lambda: self._snapshot(trainer),
                ):
                    break
        context.call_on_fit_task_end(
            estimator=self, X=X, y=y, reconstruction_attributes=dict
        )
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Train for one pass over some pairs, from where the last call ended.

        The state of the optimiser is remembered from call to call; after a `fit`
        without `warm_start` it begins anew.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        y : array-like of shape (n_pairs,), default=None
            As in :meth:`fit`.

        Returns
        -------
        self : estimator instance
        """
        pairs = paraphrase_pairs(X, y, positive_from=self.positive_from)
        texts, numbers = self._begin(pairs, goes_on=hasattr(self, "vectors_"))
        with self._training(keep=True) as trainer:
            ordered = self.ordered_first_epoch and self.n_epochs_ == 0
            for loss in trainer.epochs(
                texts, numbers, n_epochs=1, ordered_first_epoch=ordered
            ):
                self._end_epoch(loss)
        return self

    def _begin(
        self, pairs: NDArray[np.object_], *, goes_on: bool
    ) -> tuple[TokenBatch, NDArray[np.intp]]:
        """Distinct texts and pairs of their numbers; checks, then a new start."""
        from skparaphrase.nn import resolve_device

        resolve_device(self.device)
        distinct, inverse = unique_texts(pairs)
        numbers = np.arange(pairs.size) if inverse is None else inverse
        vectors = self._initial_vectors()
        if goes_on and vectors.words != self.vectors_.words:
            raise ValueError(
                "Training goes on with the words it began with, but `vectors` now "
                "holds others. Fit a clone to start anew."
            )
        texts = self._encode(distinct, vectors)
        if not len(texts.ids):
            raise ValueError(
                "No word of the paraphrases has a vector: do texts and vectors agree "
                "in language, case and tokens?"
            )
        if not goes_on:
            self._start_over(pairs)
        elif not hasattr(self, "_random_state"):  # loaded from a folder
            self._start_randomness()
        return texts, numbers.reshape(-1, 2)

    def _start_randomness(self) -> None:
        self._optimizer_state = {}
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self._random_state = np.random.RandomState(seed)  # ours to keep and to pickle

    def _start_over(self, pairs: NDArray[np.object_]) -> None:
        self._start_randomness()
        self._prepare(pairs)
        self.vectors_ = self._initial_vectors().replace(self._initial_matrix())
        self.loss_curve_ = []
        self.n_epochs_ = 0

    @contextmanager
    def _training(self, *, keep: bool = False) -> "Iterator[Trainer]":
        """A trainer that goes on from the fitted state, which is updated at the end.

        The state is updated however the block ends. What only a later call needs is
        remembered if `keep` or `warm_start`.
        """
        from skparaphrase.nn import (
            Trainer,
            TrainingOptions,
            WordTable,
            few_threads,
            resolve_device,
        )

        device = resolve_device(self.device)
        table = WordTable(
            self.vectors_.rows(slice(None)),
            initial=self._initial_matrix() if self.vectors_penalty else None,
            sparse=self.sparse_updates,
            device=device,
        )
        trainer = Trainer(
            self._composition(),
            table,
            TrainingOptions(
                loss=self.loss,
                margin=self.margin,
                temperature=self.temperature,
                negatives=self.negatives,
                mask_identical=self.mask_identical,
                optimizer=self.optimizer,
                learning_rate=self.learning_rate,
                batch_size=self.batch_size,
                clip_norm=self.clip_norm,
                vectors_penalty=self.vectors_penalty,
                composition_penalty=0.0,
            ),
            self._random_state,
        )
        trainer.optimizer.load(self._optimizer_state.get(self.optimizer, {}), device)
        try:
            with few_threads():
                yield trainer
        finally:
            self.vectors_ = self.vectors_.replace(table.numpy())
            self._optimizer_state = {}
            if keep or self.warm_start:
                self._optimizer_state = {self.optimizer: trainer.optimizer.numpy()}

    def _end_epoch(self, loss: float) -> None:
        self.loss_curve_.append(loss)
        self.n_epochs_ += 1
        if self.verbose:
            print(f"[{type(self).__name__}] epoch {self.n_epochs_}: loss {loss:.4f}")

    def _snapshot(self, trainer: "Trainer") -> dict[str, Any]:
        """Fitted state after an epoch, as a copy."""
        return {
            "vectors_": self.vectors_.replace(trainer.table.numpy().copy()),
            "loss_curve_": list(self.loss_curve_),
        }

    def _initial_vectors(self) -> WordVectors:
        """The table that training starts from."""
        return super()._word_vectors()

    def _word_vectors(self) -> WordVectors:
        return self.vectors_ if hasattr(self, "vectors_") else self._initial_vectors()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vectors_")

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return self.vectors_.dim
