"""Embed texts by a composition, in chunks that limit memory."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from skparaphrase._lazy import networks, torch
from skparaphrase._progress import progress_bar
from skparaphrase._threads import own_torch
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._pooling import pool_vectors

Matrix = NDArray[np.float32]

_TOKENS = 1 << 14  # tokens of a chunk: their vectors and states take about 80 MB


@own_torch()
def embed_batches(
    composition: "networks.Composition",
    vectors: WordVectors,
    batches: Iterable[TokenBatch],
    n_texts: int,
    device: "torch.device",
) -> Matrix:
    """Vectors of texts whose words have been looked up, shape (n_texts, dim).

    Batches are taken one by one: not all texts need to be tokenised at once.
    """
    composition = composition.to(device)
    embedded = np.empty((n_texts, composition.dim), dtype=np.float32)
    size = composition.batch_size
    if size is not None:  # texts that are composed together may come from two batches
        batches = [TokenBatch.concatenate(batches)]
    is_pooled = composition.pooling is not None and device.type == "cpu"
    start = 0
    with progress_bar(n_texts, "Embedding") as advance, torch.inference_mode():
        for batch in batches:
            out = embedded[start : start + len(batch)]
            start += len(batch)
            if is_pooled:
                _embed_pooled(composition, vectors, batch, out)
                advance(len(batch))
                continue
            chunks: Iterable[NDArray[np.intp]] = similar_lengths(batch.lengths)
            if size is not None:
                chunks = np.split(np.arange(len(batch)), range(size, len(batch), size))
            for chunk in chunks:
                out[chunk] = _embed_chunk(
                    composition, vectors, batch.take(chunk), device
                )
                advance(len(chunk))
    return embedded


def _embed_chunk(
    composition: "networks.Composition",
    vectors: WordVectors,
    batch: TokenBatch,
    device: "torch.device",
) -> Matrix:
    rows, ids = np.unique(batch.ids, return_inverse=True)
    used = networks.to_device(vectors.token_vectors(rows, batch.extra), device)
    texts = composition(used, networks.to_device(ids, device), batch.offsets)
    embedded: Matrix = texts.cpu().numpy()
    return embedded


def _embed_pooled(
    composition: "networks.Composition",
    vectors: WordVectors,
    batch: TokenBatch,
    out: Matrix,
) -> None:
    """Write vectors to `out`: threads pool the words, and torch computes the layers."""
    assert composition.pooling is not None
    pooled = np.zeros((len(batch), vectors.dim), dtype=np.float32)
    pool_vectors(vectors, batch, pooled, pooling=composition.pooling)
    out[:] = composition.from_pooled(torch.from_numpy(pooled)).numpy()
    out[batch.lengths == 0] = 0


def similar_lengths(
    lengths: NDArray[np.integer], most: int | None = None
) -> Iterator[NDArray[np.intp]]:
    """Split texts into chunks that fit in memory, from long texts to short ones."""
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        longest = max(int(lengths[order[start]]), 1)
        stop = start + min(max(_TOKENS // longest, 1), most or len(order))
        yield order[start:stop]
        start = stop
