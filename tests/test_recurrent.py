"""Recurrent compositions against loops over texts and steps, and against torch's."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import ctypes
import shutil
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from torch.autograd import gradcheck
from torch.func import functional_call
from torch.nn.utils.rnn import pack_sequence

from skparaphrase.nn import _fused
from skparaphrase.nn._packing import Packing
from skparaphrase.nn._recurrent import LSTM, IdentityRecurrent, Recurrent

DIM_IN, DIM = 5, 4
LENGTHS = {
    "ragged": [3, 0, 1, 6, 6, 2, 0, 1],
    "ones": [1, 1, 1],
    "equal": [4, 4],
    "single": [5],
    "all empty": [0, 0],
    "none": [],
}
MODELS = {
    "tanh": lambda: Recurrent(DIM_IN, DIM),
    "relu": lambda: Recurrent(DIM_IN, DIM, activation="relu"),
    "linear": lambda: Recurrent(DIM_IN, DIM, activation="linear"),
    "identity": lambda: IdentityRecurrent(DIM_IN),
    "lstm": lambda: LSTM(DIM_IN, DIM),
    "lstm, no gate": lambda: LSTM(DIM_IN, DIM, output_gate=False),
    "lstm, full": lambda: LSTM(DIM_IN, DIM, peepholes="full"),
    "lstm, no gate, full": lambda: LSTM(
        DIM_IN, DIM, output_gate=False, peepholes="full"
    ),
    "lstm, none": lambda: LSTM(DIM_IN, DIM, peepholes=None),
}
each_model = pytest.mark.parametrize("model", MODELS)


def make_model(name, dtype=torch.float64, seed=0):
    """With weights large enough for every term to show."""
    model = MODELS[name]().to(dtype)
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.from_numpy(0.5 * rng.normal(size=parameter.shape)))
    return model


def make_batch(lengths, n_rows=7, dtype=torch.float64, seed=0):
    rng = np.random.default_rng(seed)
    table = torch.from_numpy(rng.normal(size=(n_rows, DIM_IN))).to(dtype)
    ids = torch.from_numpy(rng.integers(n_rows, size=sum(lengths)))
    return table, ids, np.append(0, np.cumsum(lengths)).astype(np.int64)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def slow_simple(x, p, activation):
    f = {"tanh": np.tanh, "relu": lambda a: np.maximum(a, 0), "linear": lambda a: a}
    h, states = np.zeros(len(p["b"])), []
    for x_t in x:
        h = f[activation](p["W_x"] @ x_t + p["W_h"] @ h + p["b"])
        states.append(h)
    return states


def slow_lstm(x, p):
    def peep(gate, c):
        weight = p.get(f"W_c{gate}")
        if weight is None:
            return 0
        return weight * c if weight.ndim == 1 else weight @ c

    dim = len(p["b_i"])
    h, c, states = np.zeros(dim), np.zeros(dim), []
    for x_t in x:
        a = {k: p[f"W_x{k}"] @ x_t + p[f"W_h{k}"] @ h + p[f"b_{k}"] for k in "ifc"}
        i = sigmoid(a["i"] + peep("i", c))
        f = sigmoid(a["f"] + peep("f", c))
        c = f * c + i * np.tanh(a["c"])
        if "b_o" in p:
            o = sigmoid(p["W_xo"] @ x_t + p["W_ho"] @ h + p["b_o"] + peep("o", c))
            h = o * np.tanh(c)
        else:
            h = np.tanh(c)
        states.append(h)
    return states


def slow_states(model, table, ids, offsets):
    """A list of states for each text."""
    p = {name: value.detach().numpy() for name, value in model.named_parameters()}
    texts = [
        table[ids[start:stop]].detach().numpy() for start, stop in pairwise(offsets)
    ]
    if isinstance(model, LSTM):
        return [slow_lstm(x, p) for x in texts]
    return [slow_simple(x, p, model.activation) for x in texts]


def slow_vectors(model, table, ids, offsets):
    rows = []
    for states in slow_states(model, table, ids, offsets):
        last = states[-1] if states else np.zeros(model.dim)
        divide = isinstance(model, IdentityRecurrent) and states
        rows.append(last / len(states) if divide else last)
    return np.array(rows).reshape(len(offsets) - 1, model.dim)


@given(st.lists(st.integers(0, 5), max_size=8), st.booleans())
def test_packing(lengths, reverse):
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    packing = Packing(offsets, reverse=reverse)
    texts = [list(range(start, stop)) for start, stop in pairwise(offsets)]
    if reverse:
        texts = [text[::-1] for text in texts]
    by_length = sorted(texts, key=len, reverse=True)  # stable
    steps = [
        [text[t] for text in by_length if len(text) > t]
        for t in range(max(lengths, default=0))
    ]
    packed = packing.tokens.tolist()
    assert packed == [i for step in steps for i in step]
    assert [packed[a:b] for a, b in pairwise(packing.starts)] == steps
    before = {text[t]: text[t - 1] for text in texts for t in range(1, len(text))}
    later = packed[len(packed) - len(packing.previous) :]
    assert [packed[row] for row in packing.previous] == [before[i] for i in later]

    values = torch.arange(1, 1 + sum(lengths))[:, None]
    assert_array_equal(packing.unpack(values[packing.tokens]), values)
    last = packing.last(values[packing.tokens]).ravel().tolist()
    assert last == [text[-1] + 1 if text else 0 for text in texts]


@each_model
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize(
    ("dtype", "tol"), [(torch.float64, 1e-10), (torch.float32, 1e-5)]
)
def test_equations(model, lengths, dtype, tol):
    model = make_model(model, dtype)
    for n_rows in (7, 100):  # fewer rows than tokens, and more
        batch = make_batch(LENGTHS[lengths], n_rows, dtype)
        vectors = model(*batch)
        assert vectors.dtype == dtype
        expected = slow_vectors(model, *batch)
        assert_allclose(vectors.detach(), expected, rtol=tol, atol=tol)


@each_model
@pytest.mark.parametrize("n_rows", [3, 12])
def test_gradients(model, n_rows):
    model = make_model(model)
    table, ids, offsets = make_batch([2, 0, 1, 4], n_rows)
    names = [name for name, _ in model.named_parameters()]

    def compose(table, *parameters):
        values = dict(zip(names, parameters, strict=True))
        return functional_call(model, values, (table, ids, offsets))

    inputs = [table.requires_grad_(), *model.parameters()]
    assert gradcheck(compose, inputs)


@each_model
@pytest.mark.parametrize("n_rows", [3, 12])
def test_gradients_of_all_states(model, n_rows):
    model = make_model(model)
    table, ids, offsets = make_batch([2, 0, 1, 4], n_rows)
    packing = Packing(offsets, reverse=True)
    weight = torch.from_numpy(np.random.default_rng(1).normal(size=(7, model.dim)))

    def total(table):
        states = model.states(table, ids[packing.tokens], packing)
        return (packing.unpack(states) * weight).sum()

    assert gradcheck(total, [table.requires_grad_()])


@each_model
def test_table_without_a_gradient(model):
    model = make_model(model)
    gradients = []
    for requires_grad in (False, True):
        table, ids, offsets = make_batch(LENGTHS["ragged"])
        loss = model(table.requires_grad_(requires_grad), ids, offsets).square().sum()
        gradients.append(torch.autograd.grad(loss, list(model.parameters())))
    for frozen, trained in zip(*gradients, strict=True):
        assert_array_equal(frozen, trained)


@each_model
@pytest.mark.parametrize("lengths", ["all empty", "none"])
def test_nothing_to_read(model, lengths):
    model = make_model(model)
    table, ids, offsets = make_batch(LENGTHS[lengths])
    vectors = model(table.requires_grad_(), ids, offsets)
    assert_array_equal(vectors.detach(), np.zeros((len(offsets) - 1, model.dim)))
    vectors.sum().backward()
    for tensor in (table, *model.parameters()):
        assert_array_equal(tensor.grad, torch.zeros_like(tensor))


@each_model
def test_states_and_reverse(model):
    model = make_model(model)
    table, ids, offsets = make_batch(LENGTHS["ragged"])
    packing = Packing(offsets)
    states = packing.unpack(model.states(table, ids[packing.tokens], packing))
    expected = np.concatenate(
        [
            np.reshape(s, (-1, model.dim))
            for s in slow_states(model, table, ids, offsets)
        ]
    )
    assert_allclose(states.detach(), expected, atol=1e-10)

    packing = Packing(offsets, reverse=True)
    states = packing.unpack(model.states(table, ids[packing.tokens], packing))
    for start, stop in pairwise(offsets):
        alone = np.array([0, stop - start])
        (turned,) = slow_states(model, table, ids[start:stop].flip(0), alone)
        turned = np.reshape(turned[::-1], (-1, model.dim))
        assert_allclose(states[start:stop].detach(), turned, atol=1e-10)


@each_model
def test_batch_mates_do_not_matter(model):
    model = make_model(model, torch.float32)
    table, ids, offsets = make_batch(LENGTHS["ragged"], dtype=torch.float32)
    together = model(table, ids, offsets).detach()
    for vector, (start, stop) in zip(together, pairwise(offsets), strict=True):
        alone = model(table, ids[start:stop], np.array([0, stop - start]))
        assert_allclose(vector, alone[0].detach(), atol=1e-6)


def torch_twin(kind, w_x, w_h, b, **options):
    twin = kind(w_x.shape[1], w_h.shape[1], **options).double()
    with torch.no_grad():
        twin.weight_ih_l0.copy_(w_x)
        twin.weight_hh_l0.copy_(w_h)
        twin.bias_ih_l0.copy_(b)
        twin.bias_hh_l0.zero_()
    return twin


@pytest.mark.parametrize("model", ["tanh", "relu", "lstm, none"])
def test_against_torch(model):
    model = make_model(model)
    p = dict(model.named_parameters())
    if isinstance(model, LSTM):  # torch's order of gates is i, f, c, o
        names = [[f"{k}{gate}" for gate in "ifco"] for k in ("W_x", "W_h", "b_")]
        stacked = [torch.cat([p[name] for name in stack]) for stack in names]
        twin = torch_twin(torch.nn.LSTM, *stacked)
    else:
        names = [["W_x"], ["W_h"], ["b"]]
        weights = (p[name] for (name,) in names)
        twin = torch_twin(torch.nn.RNN, *weights, nonlinearity=model.activation)
    table, ids, offsets = make_batch([3, 1, 6, 6, 2, 1])
    table.requires_grad_()
    vectors = model(table, ids, offsets)
    texts = [table[ids[start:stop]] for start, stop in pairwise(offsets)]
    _, last = twin(pack_sequence(texts, enforce_sorted=False))
    last = last[0] if isinstance(model, LSTM) else last
    assert_allclose(vectors.detach(), last[0].detach(), atol=1e-12)

    loss, of_twin = vectors.pow(3).sum(), last.pow(3).sum()
    (of_table,) = torch.autograd.grad(loss, [table], retain_graph=True)
    assert_allclose(
        of_table, torch.autograd.grad(of_twin, [table], retain_graph=True)[0]
    )
    loss.backward()
    of_twin.backward()
    weights = [twin.weight_ih_l0, twin.weight_hh_l0, twin.bias_ih_l0]
    for stack, weight in zip(names, weights, strict=True):
        gradient = torch.cat([p[name].grad for name in stack])
        assert_allclose(gradient, weight.grad, atol=1e-12)


@pytest.mark.parametrize("output_gate", [True, False])
def test_diagonal_peepholes_are_diagonal_matrices(output_gate):
    diagonal = make_model("lstm" if output_gate else "lstm, no gate")
    full = LSTM(DIM_IN, DIM, output_gate=output_gate, peepholes="full").double()
    with torch.no_grad():
        for name, parameter in diagonal.named_parameters():
            value = parameter.diag() if name.startswith("W_c") else parameter
            full.get_parameter(name).copy_(value)
    batch = make_batch(LENGTHS["ragged"])
    vectors = [model(*batch) for model in (diagonal, full)]
    assert_allclose(vectors[0].detach(), vectors[1].detach(), atol=1e-12)
    for v in vectors:
        v.pow(3).sum().backward()
    for name, parameter in diagonal.named_parameters():
        gradient = full.get_parameter(name).grad
        if name.startswith("W_c"):
            gradient = gradient.diag()
        assert_allclose(parameter.grad, gradient, atol=1e-12)


def test_identity_starts_as_the_average():
    model = IdentityRecurrent(DIM_IN)
    model.reset(np.random.RandomState(0))
    table, ids, offsets = make_batch(LENGTHS["ragged"], dtype=torch.float32)
    vectors = model(table, ids, offsets).detach()
    for vector, (start, stop) in zip(vectors, pairwise(offsets), strict=True):
        mean = table[ids[start:stop]].sum(dim=0) / max(stop - start, 1)
        assert_allclose(vector, mean, rtol=1e-6, atol=1e-6)


def test_identity_is_held_at_its_start():
    model = IdentityRecurrent(3)
    model.reset(np.random.RandomState(0))
    assert sorted(model.anchors) == ["W_h", "W_x"]
    for name, anchor in model.anchors.items():
        assert_array_equal(anchor, np.eye(3))
        assert_array_equal(model.get_parameter(name).detach(), np.eye(3))
    with torch.no_grad():
        model.W_x.zero_()
    assert_array_equal(model.anchors["W_x"], np.eye(3))
    assert not make_model("tanh").anchors and not make_model("lstm").anchors


def test_draws():
    model = Recurrent(200, 100)
    model.reset(np.random.RandomState(0))
    for weight in (model.W_x, model.W_h):
        assert 0.0099 < weight.abs().max() <= 0.01
        assert weight.std().item() == pytest.approx(0.01 / 3**0.5, rel=0.03)
    assert not model.b.any()

    model = LSTM(200, 300)
    model.reset(np.random.RandomState(0))
    for name, parameter in model.named_parameters():
        if name.startswith("b_"):
            assert not parameter.any()
        else:
            rel = 0.15 if parameter.dim() == 1 else 0.03
            assert parameter.std().item() == pytest.approx(0.1, rel=rel)
            assert abs(parameter.mean().item()) < 0.03


@each_model
def test_draws_follow_the_random_state(model):
    def draw(seed):
        drawn = make_model(model, torch.float32, seed=seed)
        drawn.reset(np.random.RandomState(seed))
        return torch.cat([p.detach().ravel() for p in drawn.parameters()])

    assert_array_equal(draw(0), draw(0))
    assert torch.equal(draw(0), draw(1)) == (model == "identity")


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (Recurrent(300, 300), 180_300),  # 2 * 300^2 + 300
        (IdentityRecurrent(300), 180_300),
        (LSTM(300, 300), 722_100),  # 4 * 180,300 and three peepholes of 300
        (LSTM(300, 300, output_gate=False), 541_500),
        (LSTM(300, 300, peepholes=None), 721_200),
        (LSTM(300, 300, peepholes="full"), 991_200),  # 721,200 + 3 * 300^2
        (LSTM(200, 100, peepholes="full", output_gate=False), 110_300),
    ],
)
def test_number_of_parameters(model, count):
    assert sum(parameter.numel() for parameter in model.parameters()) == count


HARNESS = """
#include <cmath>
{code}
extern "C" void forward(long n, const double* in, double* out) {{
  for (long k = 0; k < n; k++, in += 8, out += 7)
    lstm_forward(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7],
                 out[0], out[1], out[2], out[3], out[4], out[5], out[6]);
}}
extern "C" void forward_without_output(long n, const double* in, double* out) {{
  for (long k = 0; k < n; k++, in += 6, out += 5)
    lstm_forward_without_output(in[0], in[1], in[2], in[3], in[4], in[5],
                                out[0], out[1], out[2], out[3], out[4]);
}}
extern "C" void backward(long n, const double* in, double* out) {{
  for (long k = 0; k < n; k++, in += 5)
    out[k] = lstm_backward(in[0], in[1], in[2], in[3], in[4]);
}}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """The kernels' code, compiled for the CPU."""
    compiler = shutil.which("g++")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs g++ on Linux")
    folder = tmp_path_factory.mktemp("kernels")
    source, library = folder / "kernels.cpp", folder / "kernels.so"
    code = _fused.FORWARD + _fused.FORWARD_WITHOUT_OUTPUT + _fused.BACKWARD
    source.write_text(HARNESS.format(code=code), "utf-8")
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library], check=True)
    compiled = ctypes.CDLL(str(library))

    def call(function, n_outputs, tensors):
        tensors = torch.broadcast_tensors(*tensors)
        given = torch.stack(tensors, dim=-1).contiguous()
        found = given.new_empty(*given.shape[:-1], n_outputs)
        pointers = (ctypes.c_void_p(t.data_ptr()) for t in (given, found))
        function(ctypes.c_long(tensors[0].numel()), *pointers)
        return [part.contiguous() for part in found.unbind(dim=-1)]

    def forward(*tensors):
        if len(tensors) == 8:
            return call(compiled.forward, 7, tensors)
        return call(compiled.forward_without_output, 5, tensors)

    return _fused.Kernels(
        forward, lambda *tensors: call(compiled.backward, 1, tensors)[0]
    )


@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
@pytest.mark.parametrize("name", ["lstm", "lstm, none", "lstm, no gate"])
@pytest.mark.parametrize("n_rows", [3, 30])
def test_fused_steps_are_the_plain_ones(name, lengths, n_rows, kernels, monkeypatch):
    results = []
    for found in (None, kernels):
        monkeypatch.setattr(_fused, "find_kernels", lambda *_, found=found: found)
        model = make_model(name)
        table, ids, offsets = make_batch(lengths, n_rows)
        packing = Packing(offsets)
        states = model.states(table.requires_grad_(), ids[packing.tokens], packing)
        weights = torch.arange(states.numel(), dtype=states.dtype).view_as(states)
        (states.pow(3) * weights.cos()).sum().backward()
        gradients = [tensor.grad for tensor in (table, *model.parameters())]
        results.append([states.detach(), *gradients])
    for plain, fused in zip(*results, strict=True):
        assert_allclose(fused, plain, rtol=1e-10, atol=1e-12)


def test_memories_that_have_kernels(monkeypatch):
    monkeypatch.setattr(_fused, "_compiled", lambda *given: given)
    there = torch.empty(8, 2).to("meta")
    assert _fused.find_kernels(torch.empty(8, 2), None) is None
    assert _fused.find_kernels(there, None) is None

    class OnCuda:
        device, dtype = torch.device("cuda:0"), torch.float32

        def __init__(self, *shape):
            self.shape = shape

        def __len__(self):
            return self.shape[0]

        def dim(self):
            return len(self.shape)

    found = (OnCuda.device, OnCuda.dtype)
    assert _fused.find_kernels(OnCuda(8, 2), None) == (*found, 4)
    assert _fused.find_kernels(OnCuda(8, 2), OnCuda(3, 2)) == (*found, 4)
    assert _fused.find_kernels(OnCuda(6, 2), OnCuda(2, 2)) == (*found, 3)
    assert _fused.find_kernels(OnCuda(8, 2), OnCuda(3, 2, 2)) is None


def test_plain_steps_where_kernels_cannot_be_compiled(monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("no such thing")

    monkeypatch.setattr(_fused.jiterator, "_create_jit_fn", fail)
    assert _fused._compiled.__wrapped__(torch.device("cpu"), torch.float32, 4) is None


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@each_model
def test_cuda(model):
    """The plain steps of a CPU, and the fused ones of CUDA where there are some."""
    results = []
    for device in ("cpu", "cuda"):
        there = make_model(model).to(device)
        table, ids, offsets = make_batch(LENGTHS["ragged"])
        table = table.to(device).requires_grad_()
        vectors = there(table, ids.to(device), offsets)
        vectors.pow(3).sum().backward()
        gradients = [tensor.grad.cpu() for tensor in (table, *there.parameters())]
        results.append([vectors.detach().cpu(), *gradients])
    for cpu, cuda in zip(*results, strict=True):
        assert_allclose(cpu, cuda, atol=1e-10)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("n_gates", [3, 4])
def test_cuda_has_kernels(dtype, n_gates):
    w_h = torch.empty(2 * n_gates, 2, device="cuda", dtype=dtype)
    assert _fused.find_kernels(w_h, None) is not None
