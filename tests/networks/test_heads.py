"""Heads and their losses against NumPy."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from nets import normal
from numpy.testing import assert_allclose
from scipy.spatial.distance import cosine

from skparaphrase.networks._heads import Head, cross_entropy_losses, divergence_losses

DIM = 3
HEADS = {
    "plain": {},
    "normalized": {"text_norm": 2.5},
    "projected": {"projection_dim": 4, "text_norm": 1.0},
    "as printed by Jiao et al.": {"features": ("first", "second", "absdiff")},
    "other features": {
        "features": ["sum", "difference", "product"], "projection_dim": 2
    },
    "linear": {
        "hidden_dim": None, "features": ["cosine", "product"], "text_norm": 2.0,
        "cosine_scale": 7.0,
    },
}  # fmt: skip


LOGITS = np.log([[0.05, 0.10, 0.15, 0.20, 0.50], [0.30, 0.30, 0.20, 0.10, 0.10]])
TARGETS = np.array([[0, 0, 0.4, 0.6, 0], [0, 1, 0, 0, 0]])
# Computed with 40 digits, with 1e-6 added to every class: the sum of p log(p / p_hat)
# divided by 5 levels, and the sum of -p log p_hat.
DIVERGENCES = (0.21029353975641, 0.24078543296758)
CROSS_ENTROPIES = (1.72452023943725, 1.20398142687964)


@pytest.mark.parametrize(
    ("losses", "expected"),
    [(divergence_losses, DIVERGENCES), (cross_entropy_losses, CROSS_ENTROPIES)],
)
def test_losses_by_hand(losses, expected):
    logits = torch.from_numpy(LOGITS + 3.0)  # a constant makes no difference
    targets = torch.from_numpy(TARGETS + 1e-6)
    assert_allclose(losses(logits, targets), expected, rtol=1e-10)
    assert_allclose(losses(logits.float(), targets.float()), expected, rtol=1e-6)


def slow_head(
    vectors, p, *, n_texts, text_norm=None, cosine_scale=1.0,
    features=("product", "absdiff"), **_
):  # fmt: skip
    """Logits of the equations; row by row."""
    texts = []
    for g in vectors:
        if "projection.weight" in p:
            g = g @ p["projection.weight"] + p["projection.bias"]
        if text_norm is not None:
            g = text_norm * g / (np.linalg.norm(g) or 1)
        texts.append(g)
    logits = []
    for i in range(0, len(texts), n_texts):
        x = texts[i]
        if n_texts == 2:
            one, other = texts[i : i + 2]
            by_name = {
                "product": one * other,
                "absdiff": np.abs(one - other),
                "difference": one - other,
                "sum": one + other,
                "first": one,
                "second": other,
                "cosine": [cosine_scale * (1 - cosine(one, other))],
            }
            x = np.concatenate([by_name[name] for name in features])
        if "hidden.weight" in p:
            activations = x @ p["hidden.weight"] + p["hidden.bias"]
            x = 1 / (1 + np.exp(-activations))
        logits.append(x @ p["output.weight"] + p["output.bias"])
    return np.array(logits)


def make_head(n_texts, dim=DIM, *, off=0.3, **params):
    head = Head(dim, n_outputs=4, n_texts=n_texts, **{"hidden_dim": 5, **params})
    head.reset(np.random.RandomState(3))
    with torch.no_grad():
        for i, parameter in enumerate(head.parameters()):  # biases too
            parameter.add_(torch.from_numpy(off * normal(*parameter.shape, seed=i)))
    return head


def arrays(module):
    named = module.named_parameters()
    return {name: value.detach().numpy().astype(np.float64) for name, value in named}


@pytest.mark.parametrize("params", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("n_texts", [1, 2])
def test_head_against_slow_version(n_texts, params):
    head = make_head(n_texts, **params)
    vectors = normal(6, DIM)
    found = head(torch.from_numpy(vectors)).detach().numpy()
    expected = slow_head(vectors, arrays(head), n_texts=n_texts, **params)
    assert found.shape == (6 // n_texts, 4)
    assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("features", [(), ("dot",), ("product", 1)])
def test_features_that_a_head_does_not_have(features):
    with pytest.raises(ValueError, match="features must contain some of"):
        make_head(2, features=features)


def test_initial_head():
    head = make_head(2, off=0.0, projection_dim=20)
    p = arrays(head)
    shapes = {name: value.shape for name, value in p.items()}
    assert shapes == {
        "projection.weight": (3, 20), "projection.bias": (20,),
        "hidden.weight": (40, 5), "hidden.bias": (5,),
        "output.weight": (5, 4), "output.bias": (4,),
    }  # fmt: skip
    for name, value in p.items():
        if name.endswith("bias"):
            assert not value.any()
        else:
            glorot = (6 / sum(value.shape)) ** 0.5
            assert 0.8 * glorot < np.abs(value).max() <= glorot
