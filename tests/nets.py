"""Batches of tokens, random parameters and vectors by equations, for networks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise

import numpy as np
import pytest
import torch

from skparaphrase.networks._interaction import Interaction
from skparaphrase.training._loop import train_epoch

LENGTHS = {
    "ragged": [3, 0, 1, 7, 2, 0, 6, 6, 1],
    "shorter than filters": [1, 2, 1],
    "single": [6],
    "all empty": [0, 0],
    "none": [],
}


def make_batch(lengths, n_rows=9, dim=4, dtype=torch.float64, seed=0):
    rng = np.random.default_rng(seed)
    table = torch.from_numpy(rng.normal(size=(n_rows, dim))).to(dtype)
    ids = torch.from_numpy(rng.integers(n_rows, size=sum(lengths)))
    return table, ids, np.append(0, np.cumsum(lengths)).astype(np.int64)


def randomise(module, dtype=torch.float64, seed=0):
    """Parameters that are large enough for every term to matter."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in module.to(dtype).parameters():
            parameter.copy_(torch.from_numpy(0.6 * rng.normal(size=parameter.shape)))
    return module


def enlarge(module):
    """Weights and biases that are large enough for all terms of a deep network."""
    rng = np.random.default_rng(0)
    with torch.no_grad():
        for parameter in module.parameters():
            values = rng.normal(size=parameter.shape)
            if parameter.ndim == 1:
                values = 0.2 + 0.3 * values
            else:
                values *= (2 / parameter[0].numel()) ** 0.5
            parameter.copy_(torch.from_numpy(values))
    return module


def make_network(n_outputs=3, *, dim=3, max_words=32, **params):
    return enlarge(Interaction(4, dim, n_outputs, max_words=max_words, **params))


def assert_uniform(weight, limit):
    assert 0.99 * limit < np.abs(weight).max() <= limit * (1 + 1e-6)
    assert weight.std() == pytest.approx(limit / 3**0.5, rel=0.05)


def arrays(module):
    return {name: value.detach().numpy() for name, value in module.named_parameters()}


def slow_vectors(model, equation, table, ids, offsets):
    """The equation text by text, given the vectors of its tokens and the parameters."""
    vectors = np.zeros((len(offsets) - 1, model.dim))
    for i, (start, stop) in enumerate(pairwise(offsets)):
        if stop > start:
            vectors[i] = equation(table[ids[start:stop]].numpy(), arrays(model))
    return vectors


def normal(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def epochs(trainer, n_epochs):
    """Train, and return the mean loss of each epoch."""
    for epoch in range(n_epochs):
        yield train_epoch(trainer, epoch, n_epochs, lambda n: None)


def state_of(trainer):
    """All trained arrays, in double precision."""
    state = {"vectors": trainer.table.numpy(), **trainer.arrays()}
    return {name: array.astype(np.float64) for name, array in state.items()}
