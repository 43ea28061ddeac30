"""Compositions and encoders against loops over texts, written from the equations."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import count, pairwise

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from torch.autograd import gradcheck
from torch.func import functional_call

from skparaphrase import encoders as library
from skparaphrase.encoders import _embedding
from skparaphrase.nn import (
    Average,
    CharacterConvolution,
    Charagram,
    Convolution,
    DeepAverage,
    charagram_range,
)
from skparaphrase.nn._losses import infonce_loss, margin_loss, unit_vectors
from skparaphrase.vectors import WordVectors

F = {"linear": lambda a: a, "tanh": np.tanh, "relu": lambda a: np.maximum(a, 0)}


def through_layers(h, p, f):
    for i in count():
        if f"layers.{i}.weight" not in p:
            return h
        h = F[f](h @ p[f"layers.{i}.weight"] + p[f"layers.{i}.bias"])


def average(x, p):
    return sum(x) / len(x)


def deep_average(x, p, f="linear"):
    return through_layers(sum(x) / len(x), p, f)


def charagram(x, p, f):
    return through_layers(F[f](sum(x) + p["constant"] + p["bias"]), p, f)


def convolved(x, weight, bias):
    """Responses to all full windows: a 'valid' convolution."""
    width, starts = len(weight), range(len(x) - len(weight) + 1)
    return np.array(
        [sum(x[i + j] @ weight[j] for j in range(width)) + bias for i in starts]
    )


def zeros_after(x, n_rows):
    return np.vstack([x, np.zeros((n_rows - len(x), x.shape[1]))])


def filters_of(p):
    numbers = range(sum(name.endswith("weight") for name in p if "filters" in name))
    return [(p[f"filters.{i}.weight"], p[f"filters.{i}.bias"]) for i in numbers]


def cse(x, p, f, longest=None):
    """Zeros on the right: for a window at each word, or up to the longest text."""
    sums = []
    for weight, bias in filters_of(p):
        padded = zeros_after(x, longest or len(x) + len(weight) - 1)
        sums.append(F[f](convolved(padded, weight, bias)).sum(axis=0))
    return np.concatenate(sums)


def cse_in_closed_form(x, p, longest):
    """What the released code comes to, with linear filters."""
    sums = []
    for weight, bias in filters_of(p):
        n_windows = longest - len(weight) + 1
        parts = [x[j : min(len(x), n_windows + j)] @ w for j, w in enumerate(weight)]
        sums.append(sum(part.sum(axis=0) for part in parts) + n_windows * bias)
    return np.concatenate(sums)


def char_cnn(x, p, conv, f):
    maxima = []
    for weight, bias in filters_of(p):
        padded = zeros_after(x, max(len(x), len(weight)))
        maxima.append(F[conv](convolved(padded, weight, bias)).max(axis=0))
    return F[f](np.concatenate(maxima) @ p["layer.weight"] + p["layer.bias"])


def rnn(x, p, f="linear"):
    h = np.zeros(len(p["b"]))
    for x_t in x:
        h = F[f](p["W_x"] @ x_t + p["W_h"] @ h + p["b"])
    return h


def identity_rnn(x, p):
    return rnn(x, p) / len(x)


def lstm(x, p):
    def gate(k, c):
        peephole = p.get(f"W_c{k}", np.zeros(1))
        seen = peephole @ c if peephole.ndim == 2 else peephole * c
        a = p[f"W_x{k}"] @ x_t + p[f"W_h{k}"] @ h + seen + p[f"b_{k}"]
        return 1 / (1 + np.exp(-a))

    h, c = np.zeros((2, len(p["b_i"])))
    for x_t in x:
        i, f = gate("i", c), gate("f", c)
        c = f * c + i * np.tanh(p["W_xc"] @ x_t + p["W_hc"] @ h + p["b_c"])
        h = gate("o", c) * np.tanh(c) if "b_o" in p else np.tanh(c)
    return h


def filters(*shapes, conv, f):
    return CharacterConvolution(4, shapes, 3, conv_activation=conv, activation=f)


# A composition from vectors of 4 numbers, its equation, and the equation's settings.
COMPOSITIONS = {
    "average": (lambda: Average(4), average, {}),
    "projection": (lambda: DeepAverage(4, 3), deep_average, {}),
    **{
        f"dan {n} {f}": (
            lambda n=n, f=f: DeepAverage(4, 3, n_layers=n, activation=f, first_std=0.1),
            deep_average,
            {"f": f},
        )
        for n in (1, 2, 3)
        for f in ("tanh", "relu")
    },
    **{
        f"charagram {n} {f}": (
            lambda n=n, f=f: Charagram(9, 4, activation=f, n_layers=n),
            charagram,
            {"f": f},
        )
        for n in (1, 2)
        for f in ("tanh", "linear", "relu")
    },
    **{
        f"cse {widths} {f}": (
            lambda widths=widths, f=f: Convolution(4, widths, 2, activation=f),
            cse,
            {"f": f},
        )
        for widths in [(1, 2, 3), (3, 1, 2), (4,), (2, 2)]
        for f in ("linear", "tanh", "relu")
    },
    "cnn relu": (
        lambda: filters((2, 1), (3, 3), (1, 6), conv="relu", f="tanh"),
        char_cnn,
        {"conv": "relu", "f": "tanh"},
    ),
    "cnn tanh": (
        lambda: filters((3, 2), (3, 4), conv="tanh", f="linear"),
        char_cnn,
        {"conv": "tanh", "f": "linear"},
    ),
}
LENGTHS = {
    "ragged": [3, 0, 1, 7, 2, 0, 5, 1],
    "shorter than filters": [1, 2, 1],
    "single": [6],
    "all empty": [0, 0],
    "none": [],
}
each_composition = pytest.mark.parametrize("name", COMPOSITIONS)


def make(name, dtype=torch.float64, seed=0):
    """With weights large enough for every term to show."""
    model = COMPOSITIONS[name][0]().to(dtype)
    randomise(model, seed)
    return model


def randomise(model, seed=0):
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.from_numpy(0.6 * rng.normal(size=parameter.shape)))


def make_batch(lengths, dtype=torch.float64, n_rows=9, seed=0):
    rng = np.random.default_rng(seed)
    table = torch.from_numpy(rng.normal(size=(n_rows, 4))).to(dtype)
    ids = torch.from_numpy(rng.integers(n_rows, size=sum(lengths)))
    return table, ids, np.append(0, np.cumsum(lengths)).astype(np.int64)


def arrays(model):
    return {name: value.detach().numpy() for name, value in model.named_parameters()}


def slow(equation, model, batch, **settings):
    table, ids, offsets = batch
    rows = [
        equation(table[ids[a:b]].numpy(), arrays(model), **settings)
        if b > a
        else np.zeros(model.dim)
        for a, b in pairwise(offsets)
    ]
    return np.array(rows).reshape(len(rows), model.dim)


@each_composition
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize(
    ("dtype", "tol"), [(torch.float64, 1e-10), (torch.float32, 1e-5)]
)
def test_equations(name, lengths, dtype, tol):
    _, equation, settings = COMPOSITIONS[name]
    model, batch = make(name, dtype), make_batch(LENGTHS[lengths], dtype)
    expected = slow(equation, model, batch, **settings)
    assert_allclose(model(*batch).detach(), expected, rtol=tol, atol=tol)


@pytest.mark.parametrize("f", ["linear", "tanh"])
@pytest.mark.parametrize("widths", [(1, 2, 3), (3, 1), (5, 2)])
@pytest.mark.parametrize("lengths", ["ragged", "shorter than filters", "single"])
def test_padding_of_a_batch_is_the_released_code(lengths, widths, f):
    model = Convolution(4, widths, 2, activation=f, padding="batch").double()
    randomise(model)
    batch = make_batch(LENGTHS[lengths])
    found = model(*batch).detach()
    longest = max(*LENGTHS[lengths], *widths)
    assert_allclose(found, slow(cse, model, batch, f=f, longest=longest), atol=1e-10)
    if f == "linear":
        expected = slow(cse_in_closed_form, model, batch, longest=longest)
        assert_allclose(found, expected, atol=1e-10)


@each_composition
def test_batch_mates_do_not_matter(name):
    model = make(name, torch.float32)
    table, ids, offsets = make_batch(LENGTHS["ragged"], torch.float32)
    together = model(table, ids, offsets).detach()
    for vector, (start, stop) in zip(together, pairwise(offsets), strict=True):
        alone = model(table, ids[start:stop], np.array([0, stop - start]))
        assert_allclose(vector, alone[0].detach(), rtol=1e-6, atol=1e-6)


def with_parameters(model, batch):
    """The composition as a function of table and parameters, and these."""
    table, ids, offsets = batch
    names = [name for name, _ in model.named_parameters()]

    def compose(table, *parameters):
        values = dict(zip(names, parameters, strict=True))
        return functional_call(model, values, (table, ids, offsets))

    return compose, [table.requires_grad_(), *model.parameters()]


@each_composition
def test_gradients(name):
    assert gradcheck(*with_parameters(make(name), make_batch([3, 0, 1, 5])))


def test_gradients_of_batch_padding():
    model = Convolution(4, (1, 3), 2, activation="tanh", padding="batch").double()
    randomise(model)
    assert gradcheck(*with_parameters(model, make_batch([2, 0, 1, 4])))


CHOSEN = {
    "among the texts": [2, 3, 0, 4, 1, 0],
    "embedded once more": [6, 7, 8, 9, 10, 11],
}


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("margin", [0.3, 3.0])
def test_gradient_of_the_margin_loss(margin, chosen):
    n_rows = max(6, max(CHOSEN[chosen]) + 1)
    vectors = torch.from_numpy(np.random.default_rng(0).normal(size=(n_rows, 4)))
    chosen, found = torch.tensor(CHOSEN[chosen]), torch.tensor([1, 1, 0, 1, 1, 1]) > 0

    def loss(vectors):
        return margin_loss(unit_vectors(vectors), chosen, found, margin)

    unit = (vectors / vectors.norm(dim=1, keepdim=True)).numpy()
    expected = sum(
        max(0, margin - unit[i] @ unit[i ^ 1] + unit[i] @ unit[chosen[i]])
        for i in range(6)
        if found[i]
    )
    assert loss(vectors).item() == pytest.approx(expected / 3)
    assert gradcheck(loss, vectors.requires_grad_())


@pytest.mark.parametrize("mask", [False, True])
def test_gradient_of_the_infonce_loss(mask):
    vectors = torch.from_numpy(np.random.default_rng(0).normal(size=(8, 4)))

    def loss(vectors):
        numbers = np.array([0, 1, 2, 3, 0, 4, 5, 3])
        settings = {"temperature": 0.5, "mask_identical": mask}
        return infonce_loss(unit_vectors(vectors), numbers, **settings)

    assert gradcheck(loss, vectors.requires_grad_())


def reset(model, seed=0):
    model.reset(np.random.RandomState(seed))
    return arrays(model)


def assert_uniform(weight, limit):
    assert 0.99 * limit < np.abs(weight).max() <= limit * (1 + 1e-6)
    assert weight.std() == pytest.approx(limit / 3**0.5, rel=0.05)


def test_draws():
    drawn = reset(DeepAverage(120, 80, n_layers=2, activation="tanh", first_std=0.1))
    assert drawn["layers.0.weight"].std() == pytest.approx(0.1, rel=0.05)
    assert np.abs(drawn["layers.0.weight"]).max() > 0.3
    assert_uniform(drawn["layers.1.weight"], (6 / 160) ** 0.5)
    assert_uniform(reset(DeepAverage(120, 80))["layers.0.weight"], (6 / 200) ** 0.5)

    drawn = reset(Charagram(5000, 3000, activation="tanh", n_layers=1))
    assert charagram_range(5000, 3000) == pytest.approx((6 / 8001) ** 0.5)
    assert_uniform(drawn["constant"], charagram_range(5000, 3000))
    drawn = reset(Charagram(50, 80, activation="tanh", n_layers=2))
    assert_uniform(drawn["layers.0.weight"], (6 / 160) ** 0.5)

    drawn = reset(Convolution(60, (1, 3), 50, activation="linear"))
    for i, width in enumerate((1, 3)):
        assert_uniform(drawn[f"filters.{i}.weight"], (6 / (110 * width)) ** 0.5)
    drawn = reset(
        CharacterConvolution(
            60, [(50, 2), (40, 5)], 90, conv_activation="relu", activation="tanh"
        )
    )
    assert_uniform(drawn["filters.0.weight"], (6 / (110 * 2)) ** 0.5)
    assert_uniform(drawn["filters.1.weight"], (6 / (100 * 5)) ** 0.5)
    assert_uniform(drawn["layer.weight"], (6 / 180) ** 0.5)


@each_composition
def test_draws_follow_the_random_state_and_biases_are_zero(name):
    first, again, other = (reset(make(name), seed) for seed in (0, 0, 1))
    for key, value in first.items():
        assert_array_equal(value, again[key])
        if key.endswith("bias"):
            assert not value.any()
        else:
            assert (value != other[key]).all()


# Encoders: tokens by plain Python, tables and parameters as fitted.

WORDS = [f"w{i}" for i in range(12)]
RNG = np.random.RandomState(0)
VECTORS = WordVectors(WORDS, RNG.randn(12, 5).astype(np.float32))
PAIRS = [
    tuple(" ".join(RNG.choice(WORDS, RNG.randint(1, 8))) for _ in range(2))
    for _ in range(12)
]
# Repeats, words and characters that are unknown, odd spaces, long and short ones.
TEXTS = [
    *(text for pair in PAIRS for text in pair),
    *["w3", "w3", "W3  w1\tw3", "unheard of", "", " ", "w1 unheard w2", "é", "w é w"],
    " ".join(WORDS * 3),
]
SETTINGS = {
    "max_epochs": 2, "batch_size": 6, "random_state": 0, "device": "cpu",
    "optimizer": "adam", "learning_rate": 0.05,
}  # fmt: skip
SMALL = {"embedding_dim": 4, "dim": 6}
KIM = [(25, 1), (50, 2), (75, 3), (100, 4), (125, 5), (150, 6)]
EQUAL = [(175, 2), (175, 3), (175, 4)]
ENCODERS = {
    "average": ("ParagramEncoder", {}, average, {}),
    "projection": ("ProjectionEncoder", {"dim": 7}, deep_average, {}),
    "dan 1": ("DeepAveragingEncoder", {}, deep_average, {"f": "tanh"}),
    "dan 3": (
        "DeepAveragingEncoder",
        {"n_layers": 3, "activation": "relu", "learning_rate": 0.005, "dim": 30},
        deep_average,
        {"f": "relu"},
    ),
    "rnn": ("RNNEncoder", {"dim": 4}, rnn, {"f": "tanh"}),
    "rnn relu": ("RNNEncoder", {"activation": "relu"}, rnn, {"f": "relu"}),
    "irnn": ("IdentityRNNEncoder", {}, identity_rnn, {}),
    "lstm": ("LSTMEncoder", {"dim": 4}, lstm, {}),
    "lstm gate": ("LSTMEncoder", {"output_gate": True}, lstm, {}),
    "lstm full": ("LSTMEncoder", {"peepholes": "full"}, lstm, {}),
    "lstm none": (
        "LSTMEncoder",
        {"peepholes": None, "output_gate": True, "dim": 4},
        lstm,
        {},
    ),
    "cse": ("ConvolutionalEncoder", {"n_filters": 3}, cse, {"f": "linear"}),
    "cse tanh": (
        "ConvolutionalEncoder",
        {"widths": [4, 1], "n_filters": 3, "activation": "tanh"},
        cse,
        {"f": "tanh"},
    ),
    "charagram": ("CharagramEncoder", {"dim": 6}, charagram, {"f": "tanh"}),
    "charagram counts": (
        "CharagramEncoder",
        {"dim": 6, "binary": False, "activation": "linear", "ngram_range": (1, 3)},
        charagram,
        {"f": "linear"},
    ),
    "charagram 2": (
        "CharagramEncoder",
        {"dim": 6, "n_layers": 2, "activation": "relu", "learning_rate": 0.005},
        charagram,
        {"f": "relu"},
    ),
    "cnn kim": ("CharCNNEncoder", SMALL, char_cnn, {"conv": "relu", "f": "tanh"}),
    "cnn equal": (
        "CharCNNEncoder",
        {
            **SMALL,
            "filters": "equal",
            "conv_activation": "tanh",
            "activation": "linear",
        },
        char_cnn,
        {"conv": "tanh", "f": "linear"},
    ),
    "char lstm": ("CharLSTMEncoder", SMALL, lstm, {}),
    "char lstm gate": ("CharLSTMEncoder", {**SMALL, "output_gate": True}, lstm, {}),
}
each_encoder = pytest.mark.parametrize("name", ENCODERS)


@pytest.fixture(scope="module")
def fitted():
    """Encoders by name, each fitted once."""
    kept = {}

    def get(name):
        if name not in kept:
            class_name, params, _, _ = ENCODERS[name]
            params = {**SETTINGS, **params}
            if "char" not in class_name.lower():
                params["vectors"] = VECTORS
            kept[name] = getattr(library, class_name)(**params).fit(PAIRS)
        return kept[name]

    return get


def slow_tokens(encoder, text):
    """Rows of the table."""
    row = {word: i for i, word in enumerate(encoder.vectors_.words)}
    words = text.lower().split()
    if hasattr(encoder, "vectors") or not words:
        return [row[word] for word in words if word in row]
    text = f" {' '.join(words)} "
    if hasattr(encoder, "embedding_dim"):
        return [row.get(character, row["<unk>"]) for character in text]
    low, high = encoder.ngram_range
    sizes = range(low, high + 1)
    ngrams = [text[i : i + n] for n in sizes for i in range(len(text) - n + 1)]
    ngrams = set(ngrams) if encoder.binary else ngrams
    return [row[ngram] for ngram in ngrams if ngram in row]


def slow_transform(encoder, texts, equation, **settings):
    matrix = encoder.vectors_.matrix.astype(np.float64)
    p = {key: value.astype(np.float64) for key, value in encoder.parameters_.items()}
    tokens = [slow_tokens(encoder, text) for text in texts]
    dim = len(encoder.get_feature_names_out())
    return np.array(
        [equation(matrix[t], p, **settings) if t else np.zeros(dim) for t in tokens]
    )


@each_encoder
def test_transform_follows_the_equations(name, fitted):
    _, _, equation, settings = ENCODERS[name]
    encoder = fitted(name)
    expected = slow_transform(encoder, TEXTS, equation, **settings)
    assert np.linalg.norm(expected, axis=1).max() > 0.01
    assert_allclose(encoder.transform(TEXTS), expected, rtol=1e-5, atol=1e-5)


@each_encoder
def test_a_text_alone_is_as_among_others(name, fitted, monkeypatch):
    encoder = fitted(name)
    vectors = encoder.transform(TEXTS)
    for text, vector in list(zip(TEXTS, vectors, strict=True))[::4]:
        assert_allclose(encoder.transform([text])[0], vector, rtol=1e-6, atol=1e-6)
    monkeypatch.setattr(_embedding, "_TOKENS", 11)
    monkeypatch.setattr(_embedding, "_TEXTS", 7)
    assert_allclose(encoder.transform(TEXTS), vectors, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("f", ["linear", "tanh"])
def test_batch_padding_takes_a_hundred_distinct_texts_at_a_time(f):
    encoder = library.ConvolutionalEncoder(
        VECTORS, padding="batch", n_filters=2, activation=f, **SETTINGS
    ).fit(PAIRS)
    rng = np.random.RandomState(1)
    texts = [" ".join(rng.choice(WORDS, rng.randint(1, 20))) for _ in range(250)]
    texts = [*texts[:60], *texts[10:40], *texts]
    distinct = list(dict.fromkeys(texts))
    expected = {}
    for start in range(0, len(distinct), 100):
        batch = distinct[start : start + 100]
        longest = max(len(text.split()) for text in batch)
        found = slow_transform(encoder, batch, cse, f=f, longest=longest)
        expected.update(zip(batch, found, strict=True))
    expected = [expected[text] for text in texts]
    assert_allclose(encoder.transform(texts), expected, rtol=1e-5, atol=1e-5)


def test_a_hundred_texts_stay_together_across_blocks(monkeypatch):
    monkeypatch.setattr(_embedding, "_TEXTS", 16_450)
    encoder = library.ConvolutionalEncoder(
        VECTORS, padding="batch", n_filters=2, **SETTINGS
    ).fit(PAIRS)
    # Distinct by unknown words; the tokenizer's blocks hold 16,384 texts at most.
    texts = [f"w{i % 12} unheard{i}" for i in range(16_500)]
    texts[16_390] = " ".join(WORDS * 2)
    texts[16_460] = " ".join(WORDS)
    vectors = encoder.transform(texts)
    for start, longest in ((16_200, 3), (16_300, 24), (16_400, 12)):
        group = slice(start, start + 100)
        expected = slow_transform(
            encoder, texts[group], cse, f="linear", longest=longest
        )
        assert_allclose(vectors[group], expected, rtol=1e-5, atol=1e-5)


def test_filter_sets_are_those_of_the_paper(fitted):
    for name, shapes in (("cnn kim", KIM), ("cnn equal", EQUAL)):
        found = [weight.shape for weight, _ in filters_of(fitted(name).parameters_)]
        assert found == [(width, 4, number) for number, width in shapes]
        assert sum(number for number, _ in shapes) == 525


def test_ngrams_are_those_of_the_training_texts(fitted):
    ngrams = {
        text[i : i + n]
        for text in (f" {text} " for pair in PAIRS for text in pair)
        for n in (2, 3, 4)
        for i in range(len(text) - n + 1)
    }
    assert set(fitted("charagram").vectors_.words) == ngrams
    characters = {*"".join(text for pair in PAIRS for text in pair), " ", "<unk>"}
    assert set(fitted("char lstm").vectors_.words) == characters


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@each_composition
def test_cuda(name):
    results = []
    for device in ("cpu", "cuda"):
        model = make(name).to(device)
        table, ids, offsets = make_batch(LENGTHS["ragged"])
        table = table.to(device).requires_grad_()
        vectors = model(table, ids.to(device), offsets)
        vectors.pow(3).sum().backward()
        gradients = [tensor.grad.cpu() for tensor in (table, *model.parameters())]
        results.append([vectors.detach().cpu(), *gradients])
    for cpu, cuda in zip(*results, strict=True):
        assert_allclose(cpu, cuda, atol=1e-10)
