"""Training on paraphrase pairs: the estimator around the loop of `nn`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.callback import with_callbacks
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, Interval, StrOptions, fit_context
from skparaphrase._epochs import FitsByEpochs
from skparaphrase._paper import PaperSettings
from skparaphrase.encoders._base import TextEncoder
from skparaphrase.encoders._embedding import embed_texts
from skparaphrase.encoders._examples import (
    Examples,
    TextsInMemory,
    TextsInStore,
    check_known,
    streamed,
    tokens_key,
)
from skparaphrase.encoders._init import HasInit
from skparaphrase.encoders._parameters import parameter_arrays, set_parameters
from skparaphrase.encoders._settings import SETTINGS
from skparaphrase.encoders._targets import paraphrase_pairs
from skparaphrase.encoders._teacher import HasTeacher, taught_texts, teacher_targets
from skparaphrase.streams import TextStore
from skparaphrase.text import TokenBatch
from skparaphrase.vectors import WordVectors

if TYPE_CHECKING:
    from skparaphrase.nn import Composition, Trainer


class ParaphraseEncoder(PaperSettings, FitsByEpochs, HasInit, HasTeacher, TextEncoder):
    """Base of encoders that are trained on pairs of texts that mean the same.

    A subclass says how texts become tokens, where the vectors of tokens begin, and how
    they are composed.
    """

    loss: str
    margin: float
    temperature: float
    negatives: str
    negative_pool: str
    mask_identical: bool
    positive_from: float | None
    optimizer: str
    learning_rate: float
    batch_size: int
    clip_norm: float | None
    vectors_penalty: float
    composition_penalty: float = 0.0
    word_dropout: float = 0.0
    scramble: float = 0.0
    ordered_first_epoch: bool
    sparse_updates: bool
    device: str

    vectors_: WordVectors
    parameters_: dict[str, NDArray[np.float32]]

    _settings = SETTINGS
    _trained = ("vectors_", "parameters_")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "init": [HasMethods(["transform"]), None],
        "loss": [StrOptions({"margin", "infonce", "distillation"})],
        "margin": [Interval(Real, 0, None, closed="left")],
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "negatives": [StrOptions({"max", "mix", "random"})],
        "negative_pool": [StrOptions({"both", "first"})],
        "mask_identical": ["boolean"],
        "positive_from": [Real, None],
        "optimizer": [StrOptions({"adagrad", "adam"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "batch_size": [Interval(Integral, 2, None, closed="left")],
        "max_epochs": [Interval(Integral, 0, None, closed="left")],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "vectors_penalty": [Interval(Real, 0, None, closed="left")],
        "composition_penalty": [Interval(Real, 0, None, closed="left")],
        "word_dropout": [Interval(Real, 0, 1, closed="left")],
        "scramble": [Interval(Real, 0, 1, closed="both")],
        "ordered_first_epoch": ["boolean"],
        "sparse_updates": ["boolean"],
        "warm_start": ["boolean"],
        "device": [str],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def _penalty_target(self) -> NDArray[np.float32] | None:
        """Where the penalty pulls the vectors, shape (n_tokens, dim); None is zero."""
        return None

    def _penalty_rows(
        self,
    ) -> (
        NDArray[np.float32]
        | Callable[[NDArray[np.integer]], NDArray[np.float32]]
        | None
    ):
        """The same, or what gives some of its rows, and takes no memory."""
        return self._penalty_target()

    @abstractmethod
    def _encode_blocks(
        self, texts: Sequence[str], vectors: WordVectors
    ) -> Iterator[TokenBatch]:
        """Rows of `vectors` for the tokens of each text, so many texts at a time."""

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on pairs of texts, or on a teacher's vectors of texts.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2), TextStore, or iterator of pairs
            Pairs that mean the same, at least two. With `loss="distillation"` texts,
            of shape (n_texts,) or (n_pairs, 2). Pairs of a
            :class:`~skparaphrase.streams.TextStore` stay on the disk, and those of an
            iterator go there for the time of the fit; what is learnt is the same.

        y : array-like, default=None
            Of shape (n_pairs,). None: every pair is a paraphrase. Booleans, or 0 and 1:
            the ones are. Other scores: see `positive_from`. Pairs that are no
            paraphrases are left out. With `loss="distillation"` the teacher's vectors,
            of the shape of `X` + (dim,).

        Returns
        -------
        self : estimator instance

        Raises
        ------
        ValueError
            If there are fewer than two paraphrases, or if no word of them is known; if
            the teacher's vectors are missing, of another shape, or not finite.

        Notes
        -----
        When training is interrupted (Ctrl-C, an error in a callback), the parameters
        reached so far are kept, and with `warm_start=True` another `fit` goes on.

        Of pairs in a store, memory holds the order of an epoch (8 bytes a pair), `y`
        and 8 bytes for each pair that it chooses, and, while an encoder of characters
        makes its vocabulary, a byte or two for each character. Their tokens are made
        once, and kept in the store's folder (4 bytes a token, 8 a text) for the next
        fit with the same words and the same way to find them. With
        `loss="distillation"` texts and vectors are held in memory.
        """
        with streamed(X) as (X, scratch):
            return self._fit(X, y, scratch)

    def _fit(self, X: Any, y: Any, scratch: ExitStack) -> Self:
        goes_on = self.warm_start and hasattr(self, "vectors_")
        with self._unchanged_on_error():
            examples = self._begin(X, y, goes_on=goes_on, scratch=scratch)
            targets = examples.targets
            data = {
                "the words": self.vectors_.words,
                "the texts": (examples.texts, examples.numbers),
                "the teacher's vectors": None if targets is None else y,
            }
            run = self._open_run(data, goes_on=goes_on)
        with run, self._training(targets) as trainer:
            losses = trainer.epochs(
                examples.texts,
                examples.numbers,
                identities=examples.identities,
                n_epochs=self.max_epochs,
                ordered_first_epoch=self.ordered_first_epoch and self.n_epochs_ == 0,
            )
            state = partial(self._state, trainer)
            self._run_epochs(X, y, trainer, losses, state, None, run)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Train for one pass over some pairs, from where the last call ended.

        The state of the optimiser is remembered from call to call; after a `fit`
        without `warm_start` it begins anew. With `loss="distillation"` and a teacher of
        more dimensions, the first texts settle for good which of these are kept
        (`teacher_axes_`); it warns if they are too few for that.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2), TextStore, or iterator of pairs
            As in :meth:`fit`.

        y : array-like, default=None
            As in :meth:`fit`.

        Returns
        -------
        self : estimator instance
        """
        with streamed(X) as (X, scratch):
            return self._fit_once(X, y, scratch)

    def _fit_once(self, X: Any, y: Any, scratch: ExitStack) -> Self:
        had_axes = hasattr(self, "teacher_axes_")
        goes_on = hasattr(self, "vectors_")
        examples = self._begin(X, y, goes_on=goes_on, scratch=scratch)
        if not had_axes and isinstance(examples.numbers, np.ndarray):
            self._warn_of_few_texts(examples.numbers.size)
        with self._training(examples.targets, keep=True) as trainer:
            ordered = self.ordered_first_epoch and self.n_epochs_ == 0
            for loss in trainer.epochs(
                examples.texts,
                examples.numbers,
                identities=examples.identities,
                n_epochs=1,
                ordered_first_epoch=ordered,
            ):
                self._end_epoch(loss)
        return self

    def _begin(self, X: Any, y: Any, *, goes_on: bool, scratch: ExitStack) -> Examples:
        """What to learn from. Checks, then makes a new start."""
        from skparaphrase.nn import resolve_device

        taught = None
        given: TextsInMemory | TextsInStore
        if self.loss == "distillation":
            pairs, taught = taught_texts(X, y)
            given = TextsInMemory(pairs)
        elif isinstance(X, TextStore):
            given = TextsInStore(X, y, self.positive_from, scratch)
        else:
            given = TextsInMemory(
                paraphrase_pairs(X, y, positive_from=self.positive_from)
            )
        resolve_device(self.device)
        random_state = self._new_random_state()
        if goes_on:
            vectors = self.vectors_
            self._check_goes_on(vectors)
        else:
            vectors = self._first_table(given.texts, random_state)
        texts = given.encode(
            partial(self._encode_blocks, vectors=vectors),
            lambda: tokens_key(self._tokenizer(), vectors),
        )
        check_known(texts)
        if not goes_on:
            self._start_over(given.texts, vectors, random_state)
        elif not hasattr(self, "_random_state"):  # loaded from a folder
            self._random_state = random_state
            self._optimizer_state = {}
        targets = None
        if taught is not None:
            assert isinstance(given, TextsInMemory)
            numbers = given.numbers.ravel()
            taught = self._in_own_space(taught, given.distinct, numbers)
            targets = teacher_targets(taught, numbers, len(texts))
        return Examples(texts, given.numbers, given.identities, targets)

    def _encode_known(self, texts: list[str], vectors: WordVectors) -> TokenBatch:
        """All texts in one batch; raises where none of their tokens has a vector."""
        batch = TokenBatch.concatenate(list(self._encode_blocks(texts, vectors)))
        check_known(batch)
        return batch

    def _start_over(
        self,
        texts: Sequence[str],
        vectors: WordVectors,
        random_state: np.random.RandomState,
    ) -> None:
        if self.init is not None:
            found = self._check_init().parameters_
            parameters = {name: value.copy() for name, value in found.items()}
        else:
            composition = self._composition(vectors)
            composition.reset(random_state)
            parameters = parameter_arrays(composition)
        self.__dict__.pop("teacher_axes_", None)
        self.vectors_ = vectors
        self.parameters_ = parameters
        self._random_state = random_state
        self._optimizer_state = {}
        self._forget_epochs()

    def _fitted_composition(self) -> "Composition":
        composition = self._composition(self.vectors_)
        set_parameters(composition, self.parameters_, "The fitted encoder")
        return composition

    @contextmanager
    def _training(
        self, targets: NDArray[np.float32] | None = None, *, keep: bool = False
    ) -> "Iterator[Trainer]":
        """A trainer that goes on from the fitted state, which is updated at the end.

        The state is updated however the block ends. What only a later call needs is
        remembered if `keep` or `warm_start`. `targets` are those of distillation.
        """
        from skparaphrase.nn import (
            DistillationTrainer,
            Trainer,
            TrainingOptions,
            WordTable,
            few_threads,
            resolve_device,
        )

        device = resolve_device(self.device)
        table = WordTable(
            self.vectors_.rows(slice(None)),
            initial=self._penalty_rows() if self.vectors_penalty else None,
            sparse=self.sparse_updates,
            device=device,
            copy=False,
        )
        composition = self._fitted_composition().to(device)
        options = TrainingOptions(
            loss=self.loss,
            margin=self.margin,
            temperature=self.temperature,
            negatives=self.negatives,
            negative_pool=self.negative_pool,
            mask_identical=self.mask_identical,
            optimizer=self.optimizer,
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            clip_norm=self.clip_norm,
            vectors_penalty=self.vectors_penalty,
            composition_penalty=self.composition_penalty,
            word_dropout=self.word_dropout,
            scramble=self.scramble,
        )
        parts = (composition, table, options, self._random_state)
        trainer = (
            Trainer(*parts) if targets is None else DistillationTrainer(*parts, targets)
        )
        trainer.optimizer.load(self._optimizer_state.get(self.optimizer, {}), device)
        try:
            with few_threads():
                yield trainer
        finally:
            self.vectors_ = self.vectors_.replace(table.numpy())
            self.parameters_ = parameter_arrays(trainer.composition)
            self._optimizer_state = {}
            if keep or self.warm_start:
                self._optimizer_state = {self.optimizer: trainer.optimizer.numpy()}

    def _state(self, trainer: "Trainer") -> dict[str, Any]:
        """The fitted state, in arrays of its own."""
        return {
            "vectors_": self.vectors_.replace(trainer.table.numpy().copy()),
            "parameters_": parameter_arrays(trainer.composition),
        }

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        from skparaphrase.nn import resolve_device

        return embed_texts(
            self._fitted_composition(),
            self.vectors_,
            texts,
            partial(self._encode_blocks, vectors=self.vectors_),
            resolve_device(self.device),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vectors_")

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return self._dim(self.vectors_)

    def _dim(self, vectors: WordVectors) -> int:
        """Length of a text's vector, given those of its tokens."""
        dim: int | None = getattr(self, "dim", None)
        return vectors.dim if dim is None else dim
