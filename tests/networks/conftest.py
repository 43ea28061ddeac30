"""Checks for every composition."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
import torch
from nets import LENGTHS, arrays, make_batch, randomise, slow_vectors
from numpy.testing import assert_allclose, assert_array_equal
from torch.autograd import gradcheck
from torch.func import functional_call


def check_equations(make, equation):
    for dtype, tolerance in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
        model = randomise(make(), dtype)
        for lengths in LENGTHS.values():
            for n_rows in (9, 100):  # fewer rows than tokens, and more
                batch = make_batch(lengths, n_rows, dtype=dtype)
                vectors = model(*batch)
                assert vectors.dtype == dtype
                expected = slow_vectors(model, equation, *batch)
                assert_allclose(
                    vectors.detach(), expected, rtol=tolerance, atol=tolerance
                )


def constant_weights(rows, texts):
    """Equal weights of distinct words; the real ones are constants for the gradient."""
    return np.linspace(0.5, 1.5, len(rows))


@mock.patch("skparaphrase._core._plain.distinct_weights", new=constant_weights)
def check_gradients(make):
    """Gradients of the table and all parameters; zero for texts without tokens."""
    model = randomise(make())
    names = [name for name, _ in model.named_parameters()]
    for n_rows in (3, 12):
        table, ids, offsets = make_batch([2, 0, 1, 5], n_rows)

        def compose(table, *parameters, ids=ids, offsets=offsets):
            named = dict(zip(names, parameters, strict=True))
            return functional_call(model, named, (table, ids, offsets))

        inputs = [table.requires_grad_(), *model.parameters()]
        assert gradcheck(compose, inputs, fast_mode=n_rows == 12)  # a random direction
    for lengths in ([0, 0], []):
        table, ids, offsets = make_batch(lengths)
        vectors = model(table.requires_grad_(), ids, offsets)
        assert_array_equal(vectors.detach(), np.zeros((len(lengths), model.dim)))
        vectors.sum().backward()
        for tensor in (table, *model.parameters()):
            assert tensor.grad is None or not tensor.grad.any()


def check_batch_mates(make):
    model = randomise(make(), torch.float32)
    table, ids, offsets = make_batch(LENGTHS["ragged"], dtype=torch.float32)
    together = model(table, ids, offsets).detach()
    for vector, (start, stop) in zip(together, pairwise(offsets), strict=True):
        alone = model(table, ids[start:stop], np.array([0, stop - start]))
        assert_allclose(vector, alone[0].detach(), rtol=1e-6, atol=1e-6)


def check_draws(make):
    """They depend only on the random state; biases and projections are zero."""

    def draw(seed):
        model = randomise(make(), torch.float32, seed)
        model.reset(np.random.RandomState(seed))
        return arrays(model)

    first, again, other = draw(0), draw(0), draw(1)
    for name, values in first.items():
        assert_array_equal(values, again[name])
        if name.split(".")[-1].startswith(("b", "projection")):
            assert not values.any()
        else:
            assert (values != other[name]).all()


def check_cuda(make):
    results = []
    for device in ("cpu", "cuda"):
        model = randomise(make()).to(device)
        table, ids, offsets = make_batch(LENGTHS["ragged"])
        table = table.to(device).requires_grad_()
        vectors = model(table, ids.to(device), offsets)
        vectors.pow(3).sum().backward()
        gradients = [tensor.grad.cpu() for tensor in (table, *model.parameters())]
        results.append([vectors.detach().cpu(), *gradients])
    for cpu, cuda in zip(*results, strict=True):
        assert_allclose(cpu, cuda, atol=1e-10)


@pytest.fixture(
    params=[
        "equations",
        "gradients",
        "batch mates",
        "draws",
        pytest.param(
            "cuda",
            marks=[
                pytest.mark.gpu,
                pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA"),
            ],
        ),
    ]
)
def check(request):
    """Each check of a composition, given its constructor and its equation."""
    if request.param == "equations":
        return check_equations
    checks = {
        "gradients": check_gradients,
        "batch mates": check_batch_mates,
        "draws": check_draws,
        "cuda": check_cuda,
    }
    return lambda make, equation: checks[request.param](make)
