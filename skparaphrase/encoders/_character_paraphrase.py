"""What encoders of characters share: vocabularies learnt from the training texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from skparaphrase.encoders._paraphrase import ParaphraseEncoder
from skparaphrase.text import NgramIndex, NgramTokenizer, TokenBatch
from skparaphrase.vectors import WordVectors

UNKNOWN = "<unk>"  # no character is as long


class CharacterParaphraseEncoder(ParaphraseEncoder):
    """Base of trained encoders of n-grams, which begin with random vectors."""

    lowercase: bool

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ParaphraseEncoder._parameter_constraints,
        "lowercase": ["boolean"],
    }

    def __init__(self, **params: Any) -> None:
        self.__dict__.update(params)

    @abstractmethod
    def _tokenizer(self) -> NgramTokenizer:
        """What makes n-grams of texts."""

    def _random_table(
        self,
        ngrams: list[str],
        dim: int,
        limit: float,
        random_state: np.random.RandomState,
        unknown: str | None = None,
    ) -> WordVectors:
        """Vectors from U(-limit, limit)."""
        if not ngrams:
            raise ValueError(
                "The training texts hold no n-gram that may be kept: are they blank, "
                "or `min_count` too high?"
            )
        drawn = random_state.uniform(-limit, limit, size=(len(ngrams), dim))
        return WordVectors(ngrams, drawn.astype(np.float32), unknown=unknown)

    def _encode_blocks(
        self, texts: Sequence[str], vectors: WordVectors
    ) -> Iterator[TokenBatch]:
        return self._tokenizer().encode_blocks(
            texts, self._index(vectors), vectors.unknown_row
        )

    def _index(self, vectors: WordVectors) -> NgramIndex:
        """The look-up of n-grams, made once for a vocabulary."""
        kept: tuple[Any, NgramIndex] | None = getattr(self, "_kept_index", None)
        if kept is None or kept[0] is not vectors.words:
            kept = (vectors.words, NgramIndex(vectors.words))
            self._kept_index = kept
        return kept[1]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {key: value for key, value in state.items() if key != "_kept_index"}


class CharacterSequenceEncoder(CharacterParaphraseEncoder):
    """Base of encoders that read a text character by character."""

    embedding_dim: int

    def _new_table(
        self, texts: Sequence[str], random_state: np.random.RandomState
    ) -> WordVectors:
        characters = self._tokenizer().vocabulary(texts)
        if characters:
            characters.append(UNKNOWN)
        limit = 0.5 / max(len(characters), 1)  # as in the code of the paper
        return self._random_table(
            characters, self.embedding_dim, limit, random_state, unknown=UNKNOWN
        )

    def _tokenizer(self) -> NgramTokenizer:
        return NgramTokenizer(
            ngram_range=(1, 1), lowercase=self.lowercase, binary=False
        )
