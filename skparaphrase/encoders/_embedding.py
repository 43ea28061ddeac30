"""Texts through a trained composition, in chunks of bounded memory."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from skparaphrase._lazy import networks, torch
from skparaphrase._progress import progress_bar
from skparaphrase._threads import own_torch
from skparaphrase.text import NgramTokenizer, WordTokenizer
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._pooling import pool_vectors

Batches = Iterable[TokenBatch]
Matrix = NDArray[np.float32]
Advance = Callable[[int], object]

_TEXTS = 1 << 15  # at a time, so that no array but the result grows with the texts
_TOKENS = 1 << 14  # of a chunk: vectors and states of its tokens take some 80 MB


def embed_texts(
    composition: "networks.Composition",
    vectors: WordVectors,
    tokenizer: WordTokenizer | NgramTokenizer,
    texts: list[str],
    device: "torch.device",
) -> Matrix:
    """Vectors of texts, shape (n_texts, dim).

    Not all of the texts are tokenised at once: there may be many.
    """
    composition = composition.to(device)
    embedded = np.empty((len(texts), composition.dim), dtype=np.float32)
    group = composition.batch_size or 1  # composed together
    step = max(_TEXTS // group, 1) * group
    with progress_bar(len(texts), "Embedding") as advance:
        for start in range(0, len(texts), step):
            part = texts[start : start + step]
            out = embedded[start : start + len(part)]
            batches = vectors.encode_blocks(part, tokenizer)
            _embed(composition, vectors, batches, out, device, advance)
    return embedded


def embed_batch(
    composition: "networks.Composition",
    vectors: WordVectors,
    batch: TokenBatch,
    device: "torch.device",
) -> Matrix:
    """Vectors of texts whose words have been looked up, shape (n_texts, dim)."""
    composition = composition.to(device)
    embedded = np.empty((len(batch), composition.dim), dtype=np.float32)
    with progress_bar(len(batch), "Embedding") as advance:
        _embed(composition, vectors, [batch], embedded, device, advance)
    return embedded


@own_torch()
def _embed(
    composition: "networks.Composition",
    vectors: WordVectors,
    batches: Batches,
    out: Matrix,
    device: "torch.device",
    advance: Advance,
) -> None:
    """Write vectors of texts into `out`, batch by batch if they are independent."""
    if composition.pooling is not None and device.type == "cpu":
        _embed_pooled(composition, vectors, batches, out, advance)
        return
    size = composition.batch_size
    if size is not None:  # a block may end inside a group
        batches = [TokenBatch.concatenate(batches)]
    done = 0
    with torch.inference_mode():
        for batch in batches:
            rest = out[done : done + len(batch)]
            done += len(batch)
            chunks: Iterable[NDArray[np.intp]] = similar_lengths(batch.lengths)
            if size is not None:
                chunks = np.split(np.arange(len(batch)), range(size, len(batch), size))
            for chunk in chunks:
                part = batch.take(chunk)
                rows, ids = np.unique(part.ids, return_inverse=True)
                used = vectors.token_vectors(rows, part.extra)
                rest[chunk] = (
                    composition(
                        networks.to_device(used, device),
                        networks.to_device(ids, device),
                        part.offsets,
                    )
                    .cpu()
                    .numpy()
                )
                advance(len(chunk))


def _embed_pooled(
    composition: "networks.Composition",
    vectors: WordVectors,
    batches: Batches,
    out: Matrix,
    advance: Advance,
) -> None:
    """As above on a CPU: threads pool, and torch computes the layers."""
    assert composition.pooling is not None
    start = 0
    for batch in batches:
        part = slice(start, start + len(batch))
        pooled = np.zeros((len(batch), vectors.dim), dtype=np.float32)
        pool_vectors(vectors, batch, pooled, pooling=composition.pooling)
        with torch.inference_mode():
            out[part] = composition.from_pooled(torch.from_numpy(pooled)).numpy()
        out[part][batch.lengths == 0] = 0
        start = part.stop
        advance(len(batch))


def similar_lengths(
    lengths: NDArray[np.integer], most: int = _TEXTS
) -> Iterator[NDArray[np.intp]]:
    """Indices of texts in chunks that fit in memory, from long texts to short ones."""
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        longest = max(int(lengths[order[start]]), 1)
        stop = start + min(max(_TOKENS // longest, 1), most)
        yield order[start:stop]
        start = stop
