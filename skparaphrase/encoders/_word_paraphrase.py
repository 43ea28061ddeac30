"""What encoders of words share that are trained on paraphrases."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skparaphrase.encoders._base import WordEncoder
from skparaphrase.encoders._paraphrase import ParaphraseEncoder
from skparaphrase.text import TokenBatch
from skparaphrase.vectors import WordVectors


class WordParaphraseEncoder(ParaphraseEncoder, WordEncoder):
    """Base of trained encoders of words that have vectors at the start."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WordEncoder._parameter_constraints,
        **ParaphraseEncoder._parameter_constraints,
    }

    def __init__(self, **params: Any) -> None:
        self.__dict__.update(params)

    def _initial_vectors(self) -> WordVectors:
        """Where the vectors began, before any training."""
        if self.vectors is None and self.init is not None:
            vectors: WordVectors = self._check_init()._initial_vectors()
            return vectors
        return super()._word_vectors()

    def _new_table(
        self, texts: Sequence[str], random_state: np.random.RandomState
    ) -> WordVectors:
        return self._initial_vectors()  # training copies them

    def _penalty_target(self) -> NDArray[np.float32]:
        return self._initial_vectors().rows(slice(None))

    def _penalty_rows(
        self,
    ) -> NDArray[np.float32] | Callable[[NDArray[np.integer]], NDArray[np.float32]]:
        return self._initial_vectors().rows

    def _check_goes_on(self, vectors: WordVectors) -> None:
        if self._initial_vectors().words != vectors.words:
            raise ValueError(
                "Training goes on with the words it began with, but `vectors` now "
                "holds others. Fit a clone to start anew."
            )

    def _encode_blocks(
        self, texts: Sequence[str], vectors: WordVectors
    ) -> Iterator[TokenBatch]:
        return vectors.lookup(self._tokenizer()).encode_blocks(texts)

    def _word_vectors(self) -> WordVectors:
        return self.vectors_ if hasattr(self, "vectors_") else self._initial_vectors()
