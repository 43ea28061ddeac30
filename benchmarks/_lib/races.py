"""The comparisons of `guard.py` between our calls and obvious implementations.

Texts are drawn from the bundled words by Zipf's law, and their vectors at random, so no
other data are needed. If both sides of a race compute the same, a check compares their
results.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.testing import assert_allclose
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence

from _lib.paper_encoders import paper_encoder
from _lib.per_pair import N_CLASSES, PerPair
from skparaphrase.datasets import load_word_frequencies, load_word_vectors
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    SIFEncoder,
)
from skparaphrase.networks._recurrent import LSTM
from skparaphrase.supervised import PairwiseInteractionRegressor
from skparaphrase.text._tokenizer import TOKEN_PATTERNS
from skparaphrase.vectors import WordVectors, read_word_vectors

DIM = 300
Call = Callable[[], object]


@dataclass(frozen=True)
class Race:
    """Two calls; the other call does a share of the work of ours."""

    ours: Call
    other: Call
    share: float = 1.0


@dataclass(frozen=True)
class Material:
    """Texts and vectors; fewer with `quick`."""

    folder: Path
    quick: bool = False

    def n(self, size: int, quick: int) -> int:
        return quick if self.quick else size

    @cached_property
    def vectors(self) -> WordVectors:
        """Bundled words, the most frequent first, with random vectors."""
        words = load_word_vectors().words
        order = np.argsort(-load_word_frequencies().probabilities(words), kind="stable")
        words = [words[i] for i in order[: self.n(len(words), 2000)]]
        rng = np.random.default_rng(0)
        return WordVectors(words, rng.standard_normal((len(words), DIM), np.float32))

    @cached_property
    def index(self) -> dict[str, int]:
        """The dictionary in which the obvious implementation looks up words."""
        return {word: row for row, word in enumerate(self.vectors.words)}

    @cached_property
    def texts(self) -> list[str]:
        """Distinct sentences of 6 to 18 words, with capitals and full stops."""
        rng = np.random.default_rng(1)
        words, n_texts = self.vectors.words, self.n(20_000, 200)
        lengths = rng.integers(6, 19, size=n_texts)
        rows = (len(words) ** rng.random(lengths.sum())).astype(int) - 1
        parts = np.split(rows, np.cumsum(lengths)[:-1])
        texts = [" ".join([words[i] for i in part]).capitalize() for part in parts]
        return [f"{text}." for text in dict.fromkeys(texts)]

    def pairs(self, n_pairs: int) -> list[tuple[str, str]]:
        return list(zip(self.texts[:n_pairs], self.texts[-n_pairs:], strict=True))


# The obvious implementation ---------------------------------------------------------

_find = re.compile(TOKEN_PATTERNS["words"]).findall


def _rows(text: str, index: dict[str, int]) -> list[int]:
    return [index[word] for word in _find(text.lower()) if word in index]


def average_in_a_loop(texts: Sequence[str], index: dict[str, int], matrix: Any) -> Any:
    """A dict, a list and a mean for each text."""
    out = np.zeros((len(texts), matrix.shape[1]), np.float32)
    for i, text in enumerate(texts):
        if rows := _rows(text, index):
            out[i] = matrix[rows].mean(axis=0)
    return out


def train_with_modules(
    pairs: Sequence[tuple[str, str]], index: dict[str, int], matrix: Any
) -> None:
    """An epoch of PP with `EmbeddingBag`, autograd and AdaGrad of torch."""
    table = torch.tensor(matrix)
    bag = nn.EmbeddingBag.from_pretrained(table, freeze=False, sparse=True, mode="mean")
    optimizer = torch.optim.Adagrad(bag.parameters(), lr=0.05)
    rows = [[_rows(text, index) for text in pair] for pair in pairs]
    for start in range(0, len(rows), 100):
        batch = rows[start : start + 100]
        texts = [pair[side] for side in (0, 1) for pair in batch]
        offsets = np.cumsum([0, *map(len, texts)])[:-1]
        ids = torch.tensor([row for text in texts for row in text])
        unit = F.normalize(bag(ids, torch.from_numpy(offsets)))
        cosines = unit @ unit.T
        own = torch.arange(len(batch)).repeat(2)
        cosines = cosines.masked_fill(own[:, None] == own, -2.0)
        hardest = cosines.max(dim=1).values
        positive = (unit[: len(batch)] * unit[len(batch) :]).sum(dim=1).repeat(2)
        loss = F.relu(0.4 - positive + hardest).sum() / len(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def read_in_a_loop(path: Path) -> tuple[list[str], Any]:
    """word2vec's binary file, a word and a vector at a time."""
    words, rows = [], []
    with path.open("rb") as file:
        n_words, dim = map(int, file.readline().split())
        for _ in range(n_words):
            word = b"".join(iter(lambda: file.read(1), b" "))
            words.append(word.strip().decode())
            rows.append(np.frombuffer(file.read(4 * dim), np.float32))
    return words, np.array(rows)


def interact_pair_by_pair(words: Sequence[Any], network: PerPair) -> None:
    """An epoch, one pair at a time, with the paper's optimizer."""
    optimizer = torch.optim.RMSprop(network.parameters(), lr=1e-4, alpha=0.99)
    target = torch.full((N_CLASSES,), 1 / N_CLASSES)
    for first, second in words:
        found = network(first, second).log_softmax(1)[0]
        loss = F.kl_div(found, target, reduction="sum")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# Races -----------------------------------------------------------------------------


def _average(found: Material) -> Race:
    encoder = AverageEncoder(found.vectors)

    def other() -> Any:
        return average_in_a_loop(found.texts, found.index, found.vectors.matrix)

    assert_allclose(encoder.transform(found.texts), other(), atol=1e-5)
    return Race(lambda: encoder.transform(found.texts), other)


def _counts(found: Material) -> Race:
    encoder = AverageEncoder(found.vectors)
    peer = TfidfVectorizer().fit(found.texts)
    return Race(
        lambda: encoder.transform(found.texts), lambda: peer.transform(found.texts)
    )


def _one_sentence(found: Material) -> Race:
    encoder = AverageEncoder(found.vectors)
    some = [[text] for text in found.texts[:500]]
    index, matrix = found.index, found.vectors.matrix
    return Race(
        lambda: [encoder.transform(text) for text in some],
        lambda: [average_in_a_loop(text, index, matrix) for text in some],
    )


def _removal_of_texts(found: Material) -> Race:
    ours = make_pipeline(SIFEncoder(found.vectors), CommonComponentRemoval())
    n_components = found.n(100, 10)
    peer = make_pipeline(TfidfVectorizer(), TruncatedSVD(n_components, random_state=0))
    some = found.texts[: found.n(5000, 200)]
    return Race(
        lambda: ours.fit_transform(found.texts),
        lambda: peer.fit_transform(some),
        len(some) / len(found.texts),
    )


def _removal(found: Material) -> Race:
    X = np.random.default_rng(2).standard_normal((len(found.texts), DIM), np.float32)
    X += 1  # a dominant component
    ours = CommonComponentRemoval(norm=None)

    def other() -> Any:
        svd = TruncatedSVD(1, random_state=0)
        return X - svd.fit_transform(X) @ svd.components_

    assert_allclose(ours.fit_transform(X), other(), atol=0.05)
    return Race(lambda: ours.fit_transform(X), other)


def _ngrams(found: Material) -> Race:
    texts = found.texts[: found.n(10_000, 200)]
    encoder = CharagramEncoder(dim=DIM, max_epochs=0, random_state=0, device="cpu")
    encoder.fit(found.pairs(len(texts) // 2))
    peer = CountVectorizer(analyzer="char", ngram_range=(2, 4)).fit(texts)
    some = texts[: found.n(2000, 200)]
    return Race(
        lambda: encoder.transform(texts),
        lambda: peer.transform(some),
        len(some) / len(texts),
    )


def _training(found: Material) -> Race:
    pairs = found.pairs(found.n(8000, 100))
    some = pairs[: found.n(1000, 100)]
    encoder = paper_encoder(
        "ParaphraseEncoder",
        vectors=found.vectors,
        max_epochs=1,
        random_state=0,
        device="cpu",
    )
    return Race(
        lambda: encoder.fit(pairs),
        lambda: train_with_modules(some, found.index, found.vectors.matrix),
        len(some) / len(pairs),
    )


def _lstm(found: Material) -> Race:
    lengths = sorted((len(text.split()) for text in found.texts[:200]), reverse=True)
    offsets = np.cumsum([0, *lengths])
    tokens = torch.randn(int(offsets[-1]), DIM, requires_grad=True)
    every = torch.arange(len(tokens))
    ours, theirs = LSTM(DIM, DIM), nn.LSTM(DIM, DIM)
    ours.reset(np.random.RandomState(0))

    def backward(module: nn.Module, forward: Callable[[], torch.Tensor]) -> None:
        tokens.grad = None
        module.zero_grad()
        forward().square().sum().backward()

    padded = nn.utils.rnn.pad_sequence(torch.split(tokens.detach(), lengths))
    padded.requires_grad_()
    packed = lambda: theirs(pack_padded_sequence(padded, lengths))[1][0]  # noqa: E731
    return Race(
        lambda: backward(ours, lambda: ours(tokens, every, offsets)),
        lambda: backward(theirs, packed),
    )


def _interaction(found: Material) -> Race:
    pairs, n_apart = found.pairs(32), found.n(4, 1)
    y = np.linspace(0, 5, len(pairs))
    model = PairwiseInteractionRegressor(
        found.vectors, similarity=None, max_epochs=1, random_state=0, device="cpu"
    )
    matrix, index = torch.tensor(found.vectors.matrix), found.index
    words = [[matrix[_rows(text, index)] for text in pair] for pair in pairs[:n_apart]]
    network = PerPair()
    return Race(
        lambda: model.fit(pairs, y),
        lambda: interact_pair_by_pair(words, network),
        n_apart / len(pairs),
    )


def _reading(found: Material) -> Race:
    path = found.folder / "words.bin"
    with path.open("wb") as file:
        file.write(f"{len(found.vectors)} {DIM}\n".encode())
        for word, row in zip(found.vectors.words, found.vectors.matrix, strict=True):
            file.write(word.encode() + b" " + row.tobytes() + b"\n")
    words, matrix = read_in_a_loop(path)
    read = read_word_vectors(path)
    assert list(read.words) == words
    assert_allclose(read.matrix, matrix)
    return Race(lambda: read_word_vectors(path), lambda: read_in_a_loop(path))


RACES: dict[str, Callable[[Material], Race]] = {
    "AverageEncoder.transform / a loop over texts": _average,
    "AverageEncoder.transform / TfidfVectorizer.transform": _counts,
    "AverageEncoder, one sentence / dict and mean": _one_sentence,
    "SIF + removal, fit_transform / tf-idf + TruncatedSVD(100)": _removal_of_texts,
    "CommonComponentRemoval / TruncatedSVD(1)": _removal,
    'CharagramEncoder.transform / CountVectorizer(analyzer="char")': _ngrams,
    "ParaphraseEncoder.fit / EmbeddingBag, autograd, Adagrad": _training,
    "LSTM, forward and backward / torch.nn.LSTM, packed": _lstm,
    "PairwiseInteractionRegressor.fit / a loop over pairs": _interaction,
    "read_word_vectors, word2vec binary / a loop over words": _reading,
}
