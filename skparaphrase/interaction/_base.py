"""Pairwise word interaction: the estimator around the network of `nn`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import Interval, Options, StrOptions
from skparaphrase._docs import DocumentedOnline
from skparaphrase._paper import PaperSettings
from skparaphrase._saving import SavedInFolders
from skparaphrase.callback._checkpoint import Run
from skparaphrase.encoders._base import WordEncoder
from skparaphrase.encoders._parameters import parameter_arrays, set_parameters
from skparaphrase.interaction._settings import SETTINGS
from skparaphrase.interaction._words import Words, find_words, first_vectors
from skparaphrase.supervised._examples import Examples
from skparaphrase.supervised._fit import FitsExamples
from skparaphrase.text import (
    WordTokenizer,
    check_pairs,
    numbered_texts,
)
from skparaphrase.vectors import WordVectors, load_word_vectors

if TYPE_CHECKING:
    import torch

    from skparaphrase.nn import Interaction, InteractionTrainer

_PAIRS = 256  # predicted at a time, of like lengths, and fewer of long ones:
_TOKENS = 1 << 14  # states of so many tokens take some 160 MB


class PairwiseInteraction(
    PaperSettings, SavedInFolders, FitsExamples, DocumentedOnline, BaseEstimator
):
    """Base of models that compare the words of two sentences, each with each.

    A subclass says what the targets are, and what the outputs mean.
    """

    _settings = SETTINGS
    _trained = ("vectors_", "parameters_")  # vectors where they are trained
    _small_steps = False
    _later_wins = True  # as in the paper's code

    vectors: WordVectors | None
    hidden_dim: int
    limit: int
    context: bool
    share_directions: bool
    focus: str
    dropout: float
    freeze: str | None
    scale: float | None
    unknown_range: float | None
    lowercase: bool
    token_pattern: str
    tokenizer: Any
    split_compounds: bool
    optimizer: str
    learning_rate: float
    schedule: str
    reset_optimizer: bool
    batch_size: int
    clip_norm: float | None
    vectors_penalty: float

    vectors_: WordVectors
    parameters_: dict[str, NDArray[np.float32]]
    scale_: float

    _loss: ClassVar[str]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WordEncoder._parameter_constraints,
        "hidden_dim": [Interval(Integral, 1, None, closed="left")],
        "limit": [Options(Integral, {32, 48, 64})],
        "context": ["boolean"],
        "share_directions": ["boolean"],
        "focus": [StrOptions({"matching", "dropout", "none"})],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "freeze": [StrOptions({"vectors"}), None],
        "scale": [Interval(Real, 0, None, closed="neither"), None],
        "unknown_range": [Interval(Real, 0, None, closed="left"), None],
        "optimizer": [StrOptions({"adagrad", "adam", "rmsprop", "sgd"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "schedule": [StrOptions({"constant", "linear"})],
        "reset_optimizer": ["boolean"],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "max_epochs": [Interval(Integral, 0, None, closed="left")],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "vectors_penalty": [Interval(Real, 0, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "patience": [Interval(Integral, 1, None, closed="left"), None],
        "warm_start": ["boolean"],
        "device": [str],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(self, **params: Any) -> None:
        self.__dict__.update(params)

    @property
    @abstractmethod
    def _n_outputs(self) -> int:
        """Units of the softmax."""

    def _check_texts(self, X: Any) -> NDArray[np.object_]:
        return check_pairs(X)

    def _table(self) -> WordVectors:
        return load_word_vectors() if self.vectors is None else self.vectors

    def _find_words(self, texts: list[str]) -> Words:
        tokenizer = WordTokenizer(
            lowercase=self.lowercase,
            token_pattern=self.token_pattern,
            tokenizer=self.tokenizer,
            split_compounds=self.split_compounds,
        )
        return find_words(
            texts,
            tokenizer,
            self._table(),
            scale=self._scale_of,
            unknown_range=self.unknown_range,
            trained=getattr(self, "vectors_", None),
        )

    def _scale_of(self, known: NDArray[np.float32]) -> float:
        """The factor of vectors; the first ones that are looked up set it."""
        if not hasattr(self, "scale_"):
            length = float(np.linalg.norm(known, axis=1).mean()) if len(known) else 0.0
            wanted = self.scale if length > 0 else None
            self.scale_ = 1.0 if wanted is None else float(wanted) / length
        return self.scale_

    def _start_over(self, texts: NDArray[np.object_]) -> None:
        for name in ("vectors_", "scale_"):  # training begins with new ones
            self.__dict__.pop(name, None)
        network = self._network()
        network.reset(self._random_state)
        self.parameters_ = parameter_arrays(network)
        self._forget_epochs()

    def _resolved_device(self) -> "torch.device":
        from skparaphrase.nn import resolve_device

        device = resolve_device(self.device)
        if device.type == "mps":
            raise ValueError(
                "The similarity cube is computed in double precision, which "
                f"device={self.device!r} does not have; take 'cpu'."
            )
        return device

    def _network(self) -> "Interaction":
        from skparaphrase.nn import Interaction

        return Interaction(
            self._table().dim,
            self.hidden_dim,
            self._n_outputs,
            limit=self.limit,
            context=self.context,
            share_directions=self.share_directions,
            focus=self.focus,
            dropout=self.dropout,
        )

    def _fitted_network(self) -> "Interaction":
        network = self._network()
        set_parameters(network, self.parameters_, "The fitted model")
        return network

    def _training(
        self, X: Any, y: Any, examples: Examples, validation: Examples | None
    ) -> Callable[[Run], None]:
        from skparaphrase.nn import InteractionOptions, InteractionTrainer, WordTable

        device = self._resolved_device()
        distinct, numbers = numbered_texts(examples.texts)
        words = self._find_words(distinct)
        self._warn_if_cut(words, stacklevel=6)  # two decorators wrap `fit`
        frozen = self.freeze == "vectors"
        memory = dict(self._optimizer_state.get(self.optimizer, {}))
        if not frozen:
            if not hasattr(self, "vectors_"):  # new, or frozen until now
                self.vectors_ = WordVectors(words.words, words.vectors)
            words = words.behind(self.vectors_)
            n_new = len(words.words) - len(self.vectors_)
            if "vectors" in memory:  # which knows nothing of new words
                memory["vectors"] = {
                    key: np.pad(value, ((0, n_new), (0, 0)))
                    if isinstance(value, np.ndarray)
                    else value
                    for key, value in memory["vectors"].items()
                }
        initial = None
        if not frozen and self.vectors_penalty:  # where they began, in the first fit
            initial = first_vectors(
                words.words,
                self._table(),
                scale=self.scale_,
                unknown_range=self.unknown_range,
            )
        trainer = InteractionTrainer(
            self._fitted_network().to(device),
            WordTable(
                words.vectors,
                initial=initial,
                sparse=True,
                device=device,
                frozen=frozen,
            ),
            InteractionOptions(
                loss=self._loss,
                optimizer=self.optimizer,
                learning_rate=self.learning_rate,
                batch_size=self.batch_size,
                clip_norm=self.clip_norm,
                clip_together=True,
                vectors_penalty=self.vectors_penalty,
                decay=self.schedule == "linear",
                forget=self.reset_optimizer,
            ),
            self._random_state,
        )
        trainer.optimizer.load(memory, device)
        losses = trainer.epochs(
            words.texts,
            numbers,
            self._distributions(examples.targets),
            examples.mean_one(),
            n_epochs=self.max_epochs,
        )
        table = None if frozen else WordVectors(words.words, words.vectors)
        state = partial(self._state, trainer, table)
        validate = None
        if validation is not None:
            validate = partial(self._validate, state, validation)
        return partial(self._fit_epochs, X, y, trainer, losses, state, validate)

    def _validate(
        self, state: Callable[[], dict[str, Any]], validation: Examples
    ) -> float:
        self.__dict__.update(state())
        return self._score_examples(validation)

    @abstractmethod
    def _score_examples(self, examples: Examples) -> float:
        """Score of examples of validation."""

    def _state(
        self, trainer: "InteractionTrainer", table: WordVectors | None
    ) -> dict[str, Any]:
        """What is trained, as a copy; `table` has the words of trained vectors."""
        state: dict[str, Any] = {"parameters_": parameter_arrays(trainer.module)}
        if table is not None:
            state["vectors_"] = table.replace(trainer.table.numpy().copy())
        return state

    def _logits(self, X: Any, *, tell: bool = True) -> NDArray[np.float64]:
        """Scores before the softmax, shape (n_pairs, n_outputs)."""
        import torch

        from skparaphrase.nn import to_device

        check_is_fitted(self)
        pairs = check_pairs(X)
        found = np.empty((len(pairs), self._n_outputs))
        if not len(pairs):
            return found
        distinct, numbers = numbered_texts(pairs)
        words = self._find_words(distinct)
        if tell:
            self._warn_if_cut(words, stacklevel=4)
        device = self._resolved_device()
        network = self._fitted_network().to(device)
        vectors = torch.from_numpy(words.vectors).to(device)
        with torch.inference_mode():
            for chunk in _like_lengths(words.texts.lengths[numbers]):
                texts, local = np.unique(numbers[chunk], return_inverse=True)
                batch = words.texts.take(texts)
                ids = to_device(batch.ids.astype(np.int64), device)
                logits = network(vectors, ids, batch.offsets, local.reshape(-1, 2))
                found[chunk] = logits.double().cpu().numpy()
        return found

    def _warn_if_cut(self, words: Words, *, stacklevel: int) -> None:
        n_long = int((words.texts.lengths > self.limit).sum())
        if n_long:
            warn(
                f"{n_long} of {len(words.texts)} distinct sentences have more than "
                f"limit={self.limit} words, of which only the first {self.limit} are "
                "compared.",
                UserWarning,
                stacklevel=stacklevel,
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def _like_lengths(lengths: NDArray[np.integer]) -> Iterator[NDArray[np.intp]]:
    """Numbers of pairs in chunks, from long sentences to short ones."""
    longest = lengths.max(axis=1)
    order = np.argsort(-longest, kind="stable")
    start = 0
    while start < len(order):
        n_words = 2 * max(int(longest[order[start]]), 1)
        stop = start + max(min(_TOKENS // n_words, _PAIRS), 1)
        yield order[start:stop]
        start = stop
