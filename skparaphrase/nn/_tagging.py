"""Tags of words: recurrent networks in both directions above word vectors."""

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
from torch.nn import functional as F

from skparaphrase.nn._compositions import Charagram, Composition, Dense, pool, uniform
from skparaphrase.nn._loop import Loop, LoopOptions, even_slices
from skparaphrase.nn._packing import Packing
from skparaphrase.nn._recurrent import LSTM
from skparaphrase.nn._table import WordTable
from skparaphrase.nn._transfer import to_device
from skparaphrase.text import TokenBatch

_SMOOTHING = 1e-4  # added to every one-hot target, as in the paper's code
_TOKENS = 1 << 14  # tagged at a time


@dataclass(frozen=True)
class Sentences:
    """Sentences of words, with the distinct words apart.

    Parameters
    ----------
    words : TokenBatch
        What the composition reads of each distinct word: its n-grams or characters.

    capitals : ndarray of shape (n_words,), float32
        1 for words that hold an upper-case letter.

    sentences : TokenBatch
        Numbers of words.
    """

    words: TokenBatch
    capitals: NDArray[np.float32]
    sentences: TokenBatch

    def __len__(self) -> int:
        return len(self.sentences)

    def take(self, chosen: NDArray[np.integer] | slice) -> "Sentences":
        """Some sentences, and the words that occur in them."""
        if isinstance(chosen, slice):
            batch = self.sentences[chosen]
        else:
            batch = self.sentences.take(chosen)
        distinct, numbers = np.unique(batch.ids, return_inverse=True)
        return Sentences(
            self.words.take(distinct),
            self.capitals[distinct],
            TokenBatch(numbers.astype(np.int32), batch.offsets),
        )

    def blocks(self) -> Iterator["Sentences"]:
        """All sentences in their order, so many at a time that memory is bounded."""
        block = self.sentences.offsets[:-1] // _TOKENS
        starts = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
        for start, stop in pairwise([*starts, len(self)]):
            yield self.take(slice(start, stop))


class Tagger(nn.Module):
    """Scores of tags for the words of sentences.

    The tagger of Wieting et al. (2016, Charagram), section 4.3: vectors of words from
    their characters, one LSTM from left to right and one from right to left, and a
    dense layer on the states of both.

    Parameters
    ----------
    composition : Composition
        Makes the vector of a word.
    hidden_dim : int
        Units of each LSTM.
    dense_dim : int
        Units of the dense layer.
    n_tags : int
    capitals : {"ngram", "input"} or None
        How the network sees that a word holds an upper-case letter: through a vector
        added to those of its n-grams (Charagram only), through one more input of the
        LSTMs, or not at all.
    dropout : float, default=0.0
        Share of the components of word vectors, and of states, dropped in training.
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
            self.capital = nn.Parameter(
                torch.empty(composition.dim, dtype=torch.float32)
            )
        dim = composition.dim + (capitals == "input")
        self.forwards = LSTM(dim, hidden_dim)
        self.backwards = LSTM(dim, hidden_dim)
        self.hidden = Dense(2 * hidden_dim, dense_dim, "tanh")
        self.output = Dense(dense_dim, n_tags, "linear")

    def reset(self, random_state: RandomState) -> None:
        """Draw all parameters but those of the composition."""
        if self.capitals == "ngram":
            assert isinstance(self.composition, Charagram)
            limit = self.composition.range
            with torch.no_grad():
                self.capital.copy_(uniform(random_state, self.capital.shape, limit))
        for module in (self.forwards, self.backwards, self.hidden, self.output):
            module.reset(random_state)

    def word_vectors(
        self,
        table: Tensor,
        ids: Tensor,
        offsets: NDArray[np.int64],
        capitals: NDArray[np.float32],
    ) -> Tensor:
        """Vectors of words.

        Parameters
        ----------
        table : Tensor of shape (n_rows, dim_in)
        ids : Tensor of shape (n_tokens,)
        offsets : ndarray of shape (n_words + 1,)
        capitals : ndarray of shape (n_words,)
            As in :class:`Sentences`.

        Returns
        -------
        vectors : Tensor of shape (n_words, dim)
            Zero for words of which nothing is known.
        """
        if self.capitals is None:
            found: Tensor = self.composition(table, ids, offsets)
            return found
        column = to_device(capitals, table.device)[:, None]
        if self.capitals == "input":
            return torch.cat([self.composition(table, ids, offsets), column], dim=1)
        assert isinstance(self.composition, Charagram)
        pooled = pool(table, ids, offsets, self.composition.pooling)
        vectors = self.composition.from_pooled(pooled + column * self.capital)
        blank = (offsets[1:] == offsets[:-1]) & (capitals == 0)
        if blank.any():
            mask = to_device(blank, table.device)
            vectors = vectors.masked_fill(mask[:, None], 0)
        return vectors

    def forward(
        self,
        vectors: Tensor,
        sentences: TokenBatch,
        random_state: RandomState | None = None,
    ) -> Tensor:
        """Scores before the softmax.

        Parameters
        ----------
        vectors : Tensor of shape (n_words, dim)
        sentences : TokenBatch
            Numbers of words.
        random_state : RandomState, default=None
            Draws what is dropped; None drops nothing.

        Returns
        -------
        logits : Tensor of shape (n_tokens, n_tags)
        """
        device = vectors.device
        words = to_device(sentences.ids.astype(np.int64), device)
        vectors = self._drop(vectors, random_state)
        states = []
        for lstm, reverse in ((self.forwards, False), (self.backwards, True)):
            packing = Packing(sentences.offsets, device=device, reverse=reverse)
            packed = lstm.states(vectors, words[packing.tokens], packing)
            states.append(packing.unpack(packed))
        both = self._drop(torch.cat(states, dim=1), random_state)
        logits: Tensor = self.output(self.hidden(both))
        return logits

    def _drop(self, values: Tensor, random_state: RandomState | None) -> Tensor:
        if random_state is None or not self.dropout:
            return values
        kept = random_state.random_sample(tuple(values.shape)) >= self.dropout
        scale = kept.astype(np.float32) / np.float32(1 - self.dropout)
        return values * to_device(scale, values.device)

    def tag(
        self, sentences: Sentences, rows: Callable[[NDArray[np.integer]], Tensor]
    ) -> Iterator[Tensor]:
        """Scores of all tokens, some sentences at a time, without gradients.

        Parameters
        ----------
        sentences : Sentences
        rows : callable
            Gives rows of the table.

        Yields
        ------
        logits : Tensor of shape (n_tokens, n_tags)
        """
        with torch.inference_mode():
            for block in sentences.blocks():
                wanted, ids = np.unique(block.words.ids, return_inverse=True)
                table = rows(wanted)
                vectors = self.word_vectors(
                    table,
                    to_device(ids, table.device),
                    block.words.offsets,
                    block.capitals,
                )
                yield self(vectors, block.sentences)


def tagging_loss(logits: Tensor, tags: Tensor) -> Tensor:
    """Mean cross-entropy of tokens against one-hot targets plus 1e-4.

    Parameters
    ----------
    logits : Tensor of shape (n_tokens, n_tags)
    tags : Tensor of shape (n_tokens,), int64
    """
    logs = F.log_softmax(logits, dim=1)
    right = logs.gather(1, tags[:, None])[:, 0]
    return -(right + _SMOOTHING * logs.sum(dim=1)).mean()


@dataclass(frozen=True, kw_only=True)
class TaggerOptions(LoopOptions):
    """Settings of the tagger's training; the estimator documents them."""

    penalty: float


class TaggerTrainer(Loop):
    """Trains a table of n-grams, characters or words, and a tagger above it.

    Parameters
    ----------
    tagger : Tagger

    table : WordTable

    options : TaggerOptions

    random_state : RandomState
    """

    module: Tagger
    options: TaggerOptions

    def __init__(
        self,
        tagger: Tagger,
        table: WordTable,
        options: TaggerOptions,
        random_state: RandomState,
    ) -> None:
        super().__init__(tagger, table, options, random_state)
        device = table.weight.device
        self._anchors = {
            f"composition.{name}": anchor.to(device)
            for name, anchor in tagger.composition.anchors.items()
        }

    def epochs(
        self, sentences: Sentences, tags: NDArray[np.integer], *, n_epochs: int
    ) -> Iterator[float]:
        """Train, and yield the mean loss of a token after every epoch.

        Parameters
        ----------
        sentences : Sentences
            Each holds a word.

        tags : ndarray of shape (n_tokens,)

        n_epochs : int

        Yields
        ------
        loss : float
            Without penalty.
        """
        targets = TokenBatch(tags.astype(np.int32), sentences.sentences.offsets)
        per_sentence = len(tags) / max(len(sentences), 1)

        def step(chosen: NDArray[np.intp]) -> Tensor:
            batch = targets.take(chosen)
            loss = self.step(sentences.take(chosen), batch.ids)
            # The loop weighs batches by sentences, but the loss is that of tokens.
            return loss * (len(batch.ids) / len(chosen) / per_sentence)

        return self._epochs(len(sentences), step, n_epochs=n_epochs, slices=even_slices)

    @torch.enable_grad()
    def step(self, batch: Sentences, tags: NDArray[np.integer]) -> Tensor:
        """Update on one batch and return the mean loss of its tokens.

        Parameters
        ----------
        batch : Sentences
            Its words are those of the batch; a vector is composed for each.
        tags : ndarray of shape (n_tokens,)

        Returns
        -------
        loss : Tensor of shape ()
            Without penalties.
        """
        leaf, rows, ids = self.table.leaf(batch.words.ids)
        vectors = self.module.word_vectors(
            leaf, ids, batch.words.offsets, batch.capitals
        )
        logits = self.module(vectors, batch.sentences, self.random_state)
        targets = to_device(tags.astype(np.int64), logits.device)
        return self._descend(tagging_loss(logits, targets), leaf, rows)

    def _penalty(self, name: str) -> tuple[float, Tensor | None]:
        return self.options.penalty, self._anchors.get(name)
