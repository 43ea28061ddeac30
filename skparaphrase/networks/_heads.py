"""What predicts from the vectors of texts and words, and losses of predictions."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from skparaphrase._math import check_pair_features, pair_features
from skparaphrase.networks._cells import read_tokens
from skparaphrase.networks._compositions import (
    Charagram,
    Composition,
    Dense,
    Network,
    mask_rows,
    new_parameter,
    uniform_,
)
from skparaphrase.networks._recurrent import LSTM
from skparaphrase.networks._table import Ints, pool, to_device, unit_vectors
from skparaphrase.text._lookup import TokenBatch

_TOKENS = 1 << 14  # tagged at a time
_SMOOTHING = 1e-4  # added to every one-hot target, as in the paper's code


class Head(Network):
    r"""A softmax on features of texts or of pairs, with or without a sigmoid layer.

    With it the heads of Wieting et al. (2016), after Tai et al. (2015), equation 15:
    :math:`\mathrm{softmax}(W_p\, \sigma(W_1 (g_1 \odot g_2) + W_2 |g_1 - g_2| + b_1) +
    b_p)` for pairs; for single texts, the vector :math:`g` replaces the pair features.
    Weights are drawn from Glorot's range, and biases start at zero.

    Parameters
    ----------
    dim : int
        Length of the text vectors.
    hidden_dim : int or None
        Units of the sigmoid layer; None: logits are linear in the features.
    n_outputs : int
    n_texts : {1, 2}
    features : sequence of str, default=("product", "absdiff")
        Of a pair: any of "product", "absdiff", "difference", "sum", "first", "second"
        and "cosine".
    projection_dim : int, default=None
        If given, a linear layer with bias first maps the vectors to this length.
    text_norm : float, default=None
        Length that vectors are scaled to, after the projection; None leaves them as
        they are.
    cosine_scale : float, default=1.0
        Factor of the cosine.
    """

    def __init__(
        self,
        dim: int,
        *,
        hidden_dim: int | None,
        n_outputs: int,
        n_texts: int,
        features: Sequence[str] = ("product", "absdiff"),
        projection_dim: int | None = None,
        text_norm: float | None = None,
        cosine_scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.n_texts = n_texts
        self.features = check_pair_features(features)
        self.text_norm = text_norm
        self.cosine_scale = cosine_scale
        self.projection: Dense | None = None
        if projection_dim is not None:
            self.projection = Dense(dim, projection_dim, "linear")
            dim = int(projection_dim)  # sums of small integers of NumPy overflow
        if n_texts == 2:
            dim = sum(1 if name == "cosine" else dim for name in self.features)
        self.hidden: Dense | None = None
        if hidden_dim is not None:
            self.hidden = Dense(dim, hidden_dim, "sigmoid")
            dim = hidden_dim
        self.output = Dense(dim, n_outputs, "linear")

    def forward(self, vectors: Tensor) -> Tensor:
        """Return the logits, of shape (n_examples, n_outputs).

        The texts of pair `i` are in rows `2i` and `2i + 1` of `vectors`.
        """
        if self.projection is not None:
            vectors = self.projection(vectors)
        if self.text_norm is not None:
            vectors = unit_vectors(vectors) * self.text_norm
        if self.n_texts == 2:
            one, other = vectors.view(-1, 2, vectors.shape[1]).unbind(dim=1)
            features = pair_features(self.features, one, other, self._cosine)
            vectors = torch.cat(features, dim=1)
        if self.hidden is not None:
            vectors = self.hidden(vectors)
        logits: Tensor = self.output(vectors)
        return logits

    def _cosine(self, one: Tensor, other: Tensor) -> Tensor:
        cosines = (unit_vectors(one) * unit_vectors(other)).sum(dim=1, keepdim=True)
        return cosines * self.cosine_scale


def divergence_losses(logits: Tensor, targets: Tensor) -> Tensor:
    r"""Kullback-Leibler divergence of the targets from the predictions, by class.

    :math:`\frac{1}{K} \sum_k p_k (\log p_k - \log \hat p_k)` with `K` classes, as in
    the code of Wieting et al. (2016), who follow Tai et al. (2015), equation 17.

    `logits` and `targets`, which are p, have shape (n_examples, K), and the result has
    shape (n_examples,).
    """
    predicted = F.log_softmax(logits, dim=1)
    return F.kl_div(predicted, targets, reduction="none").mean(dim=1)


def cross_entropy_losses(logits: Tensor, targets: Tensor) -> Tensor:
    r"""Cross-entropy :math:`-\sum_k p_k \log \hat p_k` of each example."""
    return F.cross_entropy(logits, targets, reduction="none")


def binary_cross_entropy_losses(logits: Tensor, targets: Tensor) -> Tensor:
    r"""Cross-entropy of independent labels, shape (n_examples, K).

    :math:`-p \log \hat p - (1 - p) \log (1 - \hat p)` of each, after a sigmoid.
    """
    return F.binary_cross_entropy_with_logits(logits, targets, reduction="none")


def hinge_losses(logits: Tensor, targets: Tensor) -> Tensor:
    r"""Margin of 1 between the log-probabilities of two classes, for each example.

    :math:`\frac{1}{2} \max(0, 1 - \log \hat p_y + \log \hat p_{1 - y})`: the loss of
    He & Lin (2016) for ranking, halved as in their code. `targets` are one at the class
    and zero at the other.
    """
    signs = targets[:, 1] - targets[:, 0]
    return F.relu(1 - signs * (logits[:, 1] - logits[:, 0])) / 2


def tagging_losses(logits: Tensor, tags: Tensor) -> Tensor:
    """Cross-entropy of each token against one-hot targets plus 1e-4.

    Parameters
    ----------
    logits : Tensor of shape (n_tokens, n_tags)
    tags : Tensor of shape (n_tokens,), int64
    """
    logs = F.log_softmax(logits, dim=1)
    right = logs.gather(1, tags[:, None])[:, 0]
    return -(right + _SMOOTHING * logs.sum(dim=1))


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
        """Yield all sentences in order, in blocks that bound the memory."""
        block = self.sentences.offsets[:-1] // _TOKENS
        starts = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
        for start, stop in pairwise([*starts, len(self)]):
            yield self.take(np.arange(start, stop))


class Tagger(nn.Module):
    """Scores of tags for the words of sentences.

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
        Feature of words with an upper-case letter: a vector added to those of the
        n-grams (Charagram only), an additional input of the LSTMs, or none.
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
        """Draw all parameters except those of the composition."""
        if self.capitals == "ngram":
            assert isinstance(self.composition, Charagram)
            uniform_(self.capital, random_state, self.composition.range)
        for module in (self.forwards, self.backwards, self.hidden, self.output):
            module.reset(random_state)

    def word_vectors(
        self, table: Tensor, ids: Tensor, offsets: Ints, capitals: NDArray[np.float32]
    ) -> Tensor:
        """Return vectors of words, (n_words, dim); zero without any known feature.

        `capitals` are those of :class:`Sentences`; the other parameters are those of
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

        The first four parameters are those of :meth:`word_vectors`, and the others
        those of :meth:`tag_words`.
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

        `vectors`, of shape (n_words, dim), are those of the words that `sentences`
        index; `random_state` draws the dropout, or None drops nothing.
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
