"""Equations of the compositions in slow NumPy.

Each takes the vectors of a text's tokens and the parameters by name.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import count

import numpy as np

F = {"linear": lambda a: a, "tanh": np.tanh, "relu": lambda a: np.maximum(a, 0)}


def through_layers(h, p, f):
    for i in count():
        if f"layers.{i}.weight" not in p:
            return h
        h = F[f](h @ p[f"layers.{i}.weight"] + p[f"layers.{i}.bias"])


def average(x, p):
    return sum(x) / len(x)


def distinct_average(x, p=None):
    x = np.array([row for i, row in enumerate(x) if not (x[:i] == row).all(1).any()])
    unit = [row / (np.linalg.norm(row) or 1) for row in x]
    first = [max(sum(u @ v for v in unit), 1) ** -0.5 for u in unit]
    a = sum(s * row for s, row in zip(first, x, strict=True))
    a = a / (np.linalg.norm(a) or 1)
    w = [s * (0.3 + max(u @ a, 0)) ** -0.35 for s, u in zip(first, unit, strict=True)]
    return sum(each * row for each, row in zip(w, x, strict=True)) / sum(w)


def deep_average(x, p, f="linear"):
    return through_layers(sum(x) / len(x), p, f)


def residual(x, p, network, settings=None):
    """`network`, an equation of this file, has the parameters under "composition.".

    Layers on the average of a text read its average of distinct words.
    """
    own = {name.removeprefix("composition."): value for name, value in p.items()}
    start = distinct_average(x)
    read = [start] if network is deep_average else x
    output = network(read, own, **(settings or {}))
    return start + output @ p["projection"] / len(p["projection"])


def charagram(x, p, f):
    return through_layers(F[f](sum(x) + p["constant"] + p["bias"]), p, f)


def convolved(x, weight, bias, n_rows):
    """Responses to all full windows of a text with zeros after its end."""
    x = np.vstack([x, np.zeros((n_rows - len(x), x.shape[1]))])
    width, starts = len(weight), range(n_rows - len(weight) + 1)
    return np.array(
        [sum(x[i + j] @ weight[j] for j in range(width)) + bias for i in starts]
    )


def filters_of(p):
    numbers = range(sum(name.endswith("weight") for name in p if "filters" in name))
    return [(p[f"filters.{i}.weight"], p[f"filters.{i}.bias"]) for i in numbers]


def cse(x, p, f, longest=None):
    """Zeros on the right: for a window at each word, or up to the longest text."""
    sums = []
    for weight, bias in filters_of(p):
        n_rows = longest or len(x) + len(weight) - 1
        sums.append(F[f](convolved(x, weight, bias, n_rows)).sum(axis=0))
    return np.concatenate(sums)


def cse_of_full_windows(x, p, f):
    """Zeros only after a text that is shorter than a filter."""
    sums = []
    for weight, bias in filters_of(p):
        responses = convolved(x, weight, bias, max(len(x), len(weight)))
        sums.append(F[f](responses).sum(axis=0))
    return np.concatenate(sums)


def cse_in_closed_form(x, p, longest):
    """The result of the released code with linear filters."""
    sums = []
    for weight, bias in filters_of(p):
        n_windows = longest - len(weight) + 1
        parts = [x[j : min(len(x), n_windows + j)] @ w for j, w in enumerate(weight)]
        sums.append(sum(part.sum(axis=0) for part in parts) + n_windows * bias)
    return np.concatenate(sums)


def char_cnn(x, p, conv, f):
    maxima = []
    for weight, bias in filters_of(p):
        responses = convolved(x, weight, bias, max(len(x), len(weight)))
        maxima.append(F[conv](responses).max(axis=0))
    if "layer.weight" not in p:
        return np.concatenate(maxima)
    return F[f](np.concatenate(maxima) @ p["layer.weight"] + p["layer.bias"])


def rnn_states(x, p, f="linear"):
    h, states = np.zeros(len(p["b"])), []
    for x_t in x:
        h = F[f](p["W_x"] @ x_t + p["W_h"] @ h + p["b"])
        states.append(h)
    return states


def rnn(x, p, f="linear"):
    return rnn_states(x, p, f)[-1]


def identity_rnn(x, p):
    return rnn(x, p) / len(x)


def lstm_states(x, p):
    def gate(k, c):
        peephole = p.get(f"W_c{k}", np.zeros(1))
        seen = peephole @ c if peephole.ndim == 2 else peephole * c
        a = p[f"W_x{k}"] @ x_t + p[f"W_h{k}"] @ h + seen + p[f"b_{k}"]
        return 1 / (1 + np.exp(-a))

    (h, c), states = np.zeros((2, len(p["b_i"]))), []
    for x_t in x:
        i, f = gate("i", c), gate("f", c)
        c = f * c + i * np.tanh(p["W_xc"] @ x_t + p["W_hc"] @ h + p["b_c"])
        h = gate("o", c) * np.tanh(c) if "b_o" in p else np.tanh(c)
        states.append(h)
    return states


def lstm(x, p):
    return lstm_states(x, p)[-1]
