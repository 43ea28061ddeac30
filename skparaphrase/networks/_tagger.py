"""A tagger of words, and its input sentences."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn

from skparaphrase.networks._cells import read_tokens
from skparaphrase.networks._compositions import (
    Charagram,
    Composition,
    Dense,
    mask_rows,
    new_parameter,
    uniform_,
)
from skparaphrase.networks._recurrent import LSTM
from skparaphrase.networks._table import Ints, pool, to_device
from skparaphrase.text._lookup import TokenBatch

_TOKENS = 1 << 14  # words tagged at a time


@dataclass(frozen=True)
class Sentences:
    """Sentences of words; each distinct word is stored once.

    Parameters
    ----------
    words : TokenBatch
        Tokens of each distinct word that the composition reads: n-grams or characters.
    capitals : ndarray of shape (n_words,), float32
        1 for words with an upper-case letter.
    sentences : TokenBatch
        Indices of words.
    """

    words: TokenBatch
    capitals: NDArray[np.float32]
    sentences: TokenBatch

    def __len__(self) -> int:
        return len(self.sentences)

    def take(self, chosen: Ints) -> "Sentences":
        """Return some of the sentences, with the words that occur in them."""
        batch = self.sentences.take(chosen)
        distinct, indices = np.unique(batch.ids, return_inverse=True)
        return Sentences(
            self.words.take(distinct),
            self.capitals[distinct],
            TokenBatch(indices.astype(np.int32), batch.offsets),
        )

    def blocks(self) -> Iterator["Sentences"]:
        """Yield all sentences in order, in blocks that limit the memory."""
        block = self.sentences.offsets[:-1] // _TOKENS
        starts = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
        for start, stop in pairwise([*starts, len(self)]):
            yield self.take(np.arange(start, stop))


class Tagger(nn.Module):
    """Compute scores of tags for the words of sentences.

    Tagger of Wieting et al. (2016, Charagram), section 4.2: vectors of words from
    their characters, one LSTM from left to right and one from right to left, and a
    dense layer on the states of both.

    Parameters
    ----------
    composition : Composition
        Network that computes the vector of a word.
    hidden_dim : int
        Units of each LSTM.
    dense_dim : int
        Units of the dense layer.
    n_tags : int
    capitals : {"ngram", "input"} or None
        Feature of words with an upper-case letter: a vector added to the n-gram vectors
        (Charagram only), an additional input of the LSTMs, or none.
    dropout : float, default=0.0
        Dropout rate of word vectors and states in training.
    """

    def __init__(
        self,
        composition: Composition,
        *,
        hidden_dim: int,
        dense_dim: int,
        n_tags: int,
        capitals: str | None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.composition = composition
        self.capitals = capitals
        self.dropout = dropout
        if capitals == "ngram":
            self.capital = new_parameter(composition.dim)
        dim = composition.dim + (capitals == "input")
        self.forwards = LSTM(dim, hidden_dim)
        self.backwards = LSTM(dim, hidden_dim)
        self.hidden = Dense(2 * int(hidden_dim), dense_dim, "tanh")
        self.output = Dense(dense_dim, n_tags, "linear")

    def reset(self, random_state: RandomState) -> None:
        """Draw all parameters except the composition's."""
        if self.capitals == "ngram":
            assert isinstance(self.composition, Charagram)
            uniform_(self.capital, random_state, self.composition.range)
        for module in (self.forwards, self.backwards, self.hidden, self.output):
            module.reset(random_state)

    def word_vectors(
        self, table: Tensor, ids: Tensor, offsets: Ints, capitals: NDArray[np.float32]
    ) -> Tensor:
        """Return vectors of words, (n_words, dim); zero without any known feature.

        `capitals` is as in :class:`Sentences`; the other parameters are as in
        :meth:`Composition.forward`, for words instead of texts.
        """
        column = to_device(capitals, table.device)[:, None]
        if self.capitals == "ngram":
            assert isinstance(self.composition, Charagram)
            pooled = pool(table, ids, offsets, self.composition.pooling)
            vectors = self.composition.from_pooled(pooled + column * self.capital)
            return mask_rows(vectors, (offsets[1:] == offsets[:-1]) & (capitals == 0))
        vectors = self.composition(table, ids, offsets)
        if self.capitals == "input":
            vectors = torch.cat([vectors, column], dim=1)
        return vectors

    def forward(
        self,
        table: Tensor,
        ids: Tensor,
        offsets: Ints,
        capitals: NDArray[np.float32],
        sentences: TokenBatch,
        random_state: RandomState | None = None,
    ) -> Tensor:
        """Return the logits, of shape (n_tokens, n_tags).

        The first four parameters are as in :meth:`word_vectors`, and the others as in
        :meth:`tag_words`.
        """
        vectors = self.word_vectors(table, ids, offsets, capitals)
        return self.tag_words(vectors, sentences, random_state)

    def tag_words(
        self,
        vectors: Tensor,
        sentences: TokenBatch,
        random_state: RandomState | None = None,
    ) -> Tensor:
        """Return the logits, of shape (n_tokens, n_tags).

        `vectors`, of shape (n_words, dim), belong to the words that `sentences` index.
        `random_state` draws the dropout; None disables it.
        """
        words = to_device(sentences.ids.astype(np.int64), vectors.device)
        vectors = self._drop(vectors, random_state)
        states = [
            read_tokens(lstm.states, vectors, words, sentences.offsets, reverse=reverse)
            for lstm, reverse in ((self.forwards, False), (self.backwards, True))
        ]
        both = self._drop(torch.cat(states, dim=1), random_state)
        logits: Tensor = self.output(self.hidden(both))
        return logits

    def _drop(self, values: Tensor, random_state: RandomState | None) -> Tensor:
        if random_state is None or not self.dropout:
            return values
        kept = random_state.random_sample(tuple(values.shape)) >= self.dropout
        scale = kept.astype(np.float32) / np.float32(1 - self.dropout)
        return values * to_device(scale, values.device)

    @torch.inference_mode()
    def tag(
        self, sentences: Sentences, rows: Callable[..., Tensor]
    ) -> Iterator[Tensor]:
        """Yield the logits of all tokens, block by block, without gradients.

        `rows` returns vectors, given ids and the `extra` of a `TokenBatch`.
        """
        for block in sentences.blocks():
            wanted, ids = np.unique(block.words.ids, return_inverse=True)
            table = rows(wanted, block.words.extra)
            local, offsets = to_device(ids, table.device), block.words.offsets
            yield self(table, local, offsets, block.capitals, block.sentences)
