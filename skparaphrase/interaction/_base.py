"""Pairwise word interaction: the estimators around their network."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import Interval, Options, StrOptions
from skparaphrase._estimator import Arrays, warn_caller
from skparaphrase._lazy import networks, torch, training
from skparaphrase.encoders import check_word_vectors, similar_lengths
from skparaphrase.optimizers import Optimizer, check_optimizer
from skparaphrase.supervised._base import scale_factor
from skparaphrase.supervised._model import TrainedModel
from skparaphrase.supervised._targets import LabelledTexts
from skparaphrase.text import TokenBatch, WordLookup, check_tokenizer, unique_texts
from skparaphrase.vectors import WordVectors, load_word_vectors
from skparaphrase.vectors._bundled import SENTENCES, bundled

_PAIRS = 256  # predicted at a time, of similar lengths, and fewer of long ones

# For settings of the paper: He & Lin's code updates after each pair and discards the
# optimizer's moments after every epoch.
UPDATE_EACH_PAIR: dict[str, Any] = {
    "optimizer": Optimizer("rmsprop", reset=True, clip_norm=50.0),
    "learning_rate": 1e-4,
    "batch_size": 1,
    "max_epochs": 35,
    "scale": None,
    "similarity": None,
}


class PairwiseInteraction(TrainedModel):
    """Base class of models that compare each word of one sentence with each of another.

    A subclass has the parameters in its signature.
    """

    parameters_: dict[str, NDArray[np.float32]]
    scale_: float
    similarity_: str | None
    vectors_: WordVectors  # with freeze=None

    _n_texts = 2
    _fitted_name = "parameters_"
    _optimizer_settings: ClassVar[dict[str, Any]] = {
        "schedule": "linear",
        "clip_norm": 50.0,
    }
    _small_steps = False
    _later_wins = True  # as in the paper's code

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedModel._parameter_constraints,
        "max_words": [Options(Integral, {32, 48, 64})],
        "context": ["boolean"],
        "share_directions": ["boolean"],
        "focus": [StrOptions({"matching", "paper", "dropout", "none"})],
        "similarity": [StrOptions({"cosine", "coverage"}), None],
        "freeze": [StrOptions({"vectors"}), None],
        "unknown_range": [Interval(Real, 0, None, closed="left"), None],
    }

    def _start_as_in_paper(self, given: set[str]) -> None:
        if "vectors" not in given:
            self.vectors = load_word_vectors()

    def _table(self) -> WordVectors:
        if self.vectors is None:
            return bundled(SENTENCES)
        return check_word_vectors(self.vectors)

    def _find_words(self, texts: list[str]) -> "Words":
        """Look up the words of texts; the first time, set the factor of vectors.

        A word without a vector gets the one that `vectors` has or makes for it, or its
        draw; with `unknown_range=None` it is ignored.
        """
        vectors = self._table()
        tokenizer = check_tokenizer(self.tokenizer)
        unknown: dict[str, int] = {}
        n_known = len(vectors)

        def number(word: str) -> int | None:
            if self.unknown_range is None and vectors.unknown_vector(word) is None:
                return None
            return unknown.setdefault(word, n_known + len(unknown))

        row = vectors.unknown_row
        rule = number if row is None else row
        batch = WordLookup(tokenizer, vectors.words.rows, rule).encode(texts)
        rows, numbers = np.unique(batch.ids, return_inverse=True)
        names = list(unknown)
        words = [
            vectors.words[row] if row < n_known else names[row - n_known]
            for row in rows.tolist()
        ]
        if not hasattr(self, "scale_"):
            known = vectors.rows(rows[rows < n_known])
            self.scale_ = scale_factor(known, self.scale)
        matrix = self._initial_vectors(words)
        if hasattr(self, "vectors_"):
            trained, places = _rows_of(words, self.vectors_)
            matrix[trained] = self.vectors_.rows(places)
        ids = numbers.astype(np.int32)
        return Words(TokenBatch(ids, batch.offsets), words, matrix)

    def _initial_vectors(self, words: list[str]) -> NDArray[np.float32]:
        """The vectors of words before any training; zero for words without one.

        Those that the table neither has nor makes are drawn from
        U(-unknown_range, unknown_range) by a hash of the word, and so always the same.
        """
        vectors, reach = self._table(), self.unknown_range
        matrix = np.zeros((len(words), vectors.dim), dtype=np.float32)
        known, rows = _rows_of(words, vectors)
        matrix[known] = vectors.rows(rows) * np.float32(self.scale_)
        for i in np.flatnonzero(~known):
            made = vectors.unknown_vector(words[i])
            if made is not None:
                matrix[i] = made * np.float32(self.scale_)
            elif reach is not None:
                draw = np.random.RandomState(crc32(words[i].encode("utf-8", "replace")))
                matrix[i] = draw.uniform(-reach, reach, vectors.dim)
        return matrix

    def _initialize(self, examples: LabelledTexts) -> None:
        for name in ("vectors_", "scale_"):
            self.__dict__.pop(name, None)
        self.similarity_ = self._choose_similarity(len(examples))
        network = self._network()
        network.reset(self._random_state)
        if self.similarity_ is not None:
            distinct, indices = unique_texts(examples.texts)
            network.start_from(
                self._compute(
                    network.similarities, self._find_words(distinct), indices
                ),
                self._targets.distributions(examples.targets),
                examples.weights,
            )
        self.parameters_ = networks.parameter_arrays(network)
        training.forget_epochs(self)

    def _choose_similarity(self, n_pairs: int) -> str | None:
        """The similarity that training on so many pairs starts from."""
        similarity: str | None = self.similarity
        return similarity

    def _resolved_device(self) -> "torch.device":
        device = networks.resolve_device(self.device)
        if device.type == "mps":
            raise ValueError(
                "The similarity cube is computed in double precision, which "
                f"device={self.device!r} does not support; use 'cpu'."
            )
        return device

    def _network(self) -> "networks.Interaction":
        return networks.Interaction(
            self._table().dim,
            self.hidden_dim,
            self._targets.n_outputs,
            max_words=self.max_words,
            context=self.context,
            share_directions=self.share_directions,
            focus=self.focus,
            dropout=self.dropout,
            similarity=self.similarity_,
        )

    def _fitted_network(self) -> "networks.Interaction":
        return networks.with_parameters(
            self._network, self.parameters_, "The fitted model"
        )

    def _trainer(self, examples: LabelledTexts) -> "training.InteractionTrainer":
        device = self._resolved_device()
        optimizer = check_optimizer(self.optimizer, **self._optimizer_settings)
        distinct, indices = unique_texts(examples.texts)
        words = self._find_words(distinct)
        self._warn_if_truncated(words)
        frozen = self.freeze == "vectors"
        initial = None
        if not frozen:
            words = self._add_words(words, optimizer.name)
            if self.vectors_penalty:
                initial = self._initial_vectors(words.words)
        return training.InteractionTrainer(
            self._fitted_network().to(device),
            networks.WordTable(
                words.vectors,
                initial=initial,
                sparse=optimizer.sparse,
                device=device,
                frozen=frozen,
            ),
            self,
            optimizer,
            self._random_state,
            loss=self._kind.loss,
            examples=training.Examples(
                words.texts,
                indices,
                self._targets.distributions(examples.targets).astype(np.float32),
                examples.normalized_weights(),
            ),
        )

    def _add_words(self, words: "Words", optimizer: str) -> "Words":
        """Append new words to the trained vectors, and to the optimizer's moments."""
        if hasattr(self, "vectors_"):  # else new, or frozen until now
            words = words.append_to(self.vectors_)
            n_new = len(words.words) - len(self.vectors_)
            memory = dict(self._optimizer_state.get(optimizer, {}))
            self._optimizer_state = {optimizer: memory}
            if "vectors" in memory:
                memory["vectors"] = {
                    key: np.pad(value, ((0, n_new), (0, 0)))
                    if isinstance(value, np.ndarray)
                    else value
                    for key, value in memory["vectors"].items()
                }
        self.vectors_ = WordVectors(words.words, words.vectors.copy())
        return words

    def _fitted_state(self, arrays: Arrays) -> dict[str, Any]:
        parameters = {k: array for k, array in arrays.items() if k != "vectors"}
        state: dict[str, Any] = {"parameters_": parameters}
        if "vectors" in arrays:
            state["vectors_"] = self.vectors_.replace(arrays["vectors"])
        return state

    def _logits(self, X: Any, *, warn: bool = True) -> NDArray[np.float64]:
        """Scores before the softmax, shape (n_pairs, n_outputs)."""
        check_is_fitted(self)
        pairs = self._check_texts(X)
        if not len(pairs):
            return np.empty((0, self._targets.n_outputs))
        distinct, indices = unique_texts(pairs)
        words = self._find_words(distinct)
        if warn:
            self._warn_if_truncated(words)
        network = self._fitted_network().to(self._resolved_device())
        return self._compute(network, words, indices)

    def _compute(
        self,
        function: Callable[..., "torch.Tensor"],
        words: "Words",
        pairs: NDArray[np.intp],
    ) -> NDArray[np.float64]:
        """What the network or a method of it returns for pairs of texts."""
        device = self._resolved_device()
        vectors = torch.from_numpy(words.vectors).to(device)
        n_words = 2 * words.texts.lengths[pairs].max(axis=1)
        chunks = [*similar_lengths(n_words, most=_PAIRS)]
        values = []
        with torch.inference_mode():
            for chunk in chunks:
                texts, local = np.unique(pairs[chunk], return_inverse=True)
                batch = words.texts.take(texts)
                ids = networks.to_device(batch.ids.astype(np.int64), device)
                some = function(vectors, ids, batch.offsets, local.reshape(-1, 2))
                values.append(some.double().cpu().numpy())
        found = np.concatenate(values)
        return found[np.argsort(np.concatenate(chunks))]

    def _warn_if_truncated(self, words: "Words") -> None:
        n_long = int((words.texts.lengths > self.max_words).sum())
        if n_long:
            warn_caller(
                f"{n_long} of {len(words.texts)} distinct sentences have more than "
                f"max_words={self.max_words} words, of which only the first "
                f"{self.max_words} are compared."
            )


def _rows_of(
    words: list[str], vectors: WordVectors
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Which words are in a table, and the rows of these."""
    get = vectors.words.rows.get
    rows = np.array([get(word, -1) for word in words], dtype=np.intp)
    return rows >= 0, rows[rows >= 0]


@dataclass(frozen=True)
class Words:
    """Texts and the words that occur in them.

    Attributes
    ----------
    texts : TokenBatch
        Numbers of words.

    words : list of str
        Distinct.

    vectors : ndarray of shape (n_words, dim), float32
    """

    texts: TokenBatch
    words: list[str]
    vectors: NDArray[np.float32]

    def append_to(self, table: WordVectors) -> "Words":
        """The same, with all words of a table first and new ones after them."""
        new = [i for i, word in enumerate(self.words) if word not in table]
        words = [*table.words, *(self.words[i] for i in new)]
        index = {word: i for i, word in enumerate(words)}
        numbers = np.array([index[word] for word in self.words], dtype=np.int32)
        return Words(
            TokenBatch(numbers[self.texts.ids], self.texts.offsets),
            words,
            np.concatenate([table.rows(slice(None)), self.vectors[new]]),
        )
