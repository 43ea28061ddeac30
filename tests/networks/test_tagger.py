"""The tagger against its equations in NumPy, and its blocks of sentences."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import equations
import nets
import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.func import functional_call

from skparaphrase.networks import _tagger
from skparaphrase.networks._compositions import Charagram
from skparaphrase.networks._tagger import Sentences, Tagger
from skparaphrase.text._lookup import TokenBatch

# Four words, the second without a known feature, and sentences of them.
WORDS = TokenBatch(np.array([0, 1, 2, 1, 3, 4], np.int32), np.array([0, 2, 2, 4, 6]))
CAPITALS = np.array([1, 0, 0, 1])
SENTENCES = TokenBatch(np.array([0, 1, 2, 0, 3, 3], np.int32), np.array([0, 4, 5, 6]))


def make_tagger(capitals, **params):
    composition = Charagram(5, 4, activation="tanh")
    sizes = {"hidden_dim": 3, "dense_dim": 4, "n_tags": 3}
    return nets.randomise(Tagger(composition, capitals=capitals, **sizes, **params))


def slow_lstm(x, p, name):
    p = {key.removeprefix(f"{name}."): value for key, value in p.items()}
    return equations.lstm_states(x, p)


def slow_logits(tagger, table, p):
    vectors = []
    for i, capital in enumerate(CAPITALS):
        known = table[WORDS[i]].sum(axis=0)
        if tagger.capitals == "ngram":
            known = known + capital * p["capital"]
        vector = np.tanh(known + p["composition.constant"] + p["composition.bias"])
        vector *= len(WORDS[i]) > 0 or (tagger.capitals == "ngram" and capital)
        vectors.append([*vector, *([capital] * (tagger.capitals == "input"))])
    logits = []
    for i in range(len(SENTENCES)):
        x = np.array(vectors)[SENTENCES[i]]
        states = slow_lstm(x, p, "forwards"), slow_lstm(x[::-1], p, "backwards")[::-1]
        hidden = np.tanh(np.hstack(states) @ p["hidden.weight"] + p["hidden.bias"])
        logits.append(hidden @ p["output.weight"] + p["output.bias"])
    return np.concatenate(logits)


@pytest.mark.parametrize("capitals", ["ngram", "input", None])
def test_tagger(capitals, monkeypatch):
    tagger = make_tagger(capitals)
    table = nets.make_batch([], 6)[0]
    expected = slow_logits(tagger, table.numpy(), nets.arrays(tagger))
    ids = torch.from_numpy(WORDS.ids.astype(np.int64))
    names, parameters = zip(*tagger.named_parameters(), strict=True)

    class Both(torch.nn.Module):
        def forward(self, table):
            columns = CAPITALS.astype(float)
            return self.net(table, ids, WORDS.offsets, columns, SENTENCES)

    both = Both()
    both.net = tagger
    assert_allclose(both(table).detach(), expected, atol=1e-10)

    def logits(table, *values):
        named = {f"net.{n}": v for n, v in zip(names, values, strict=True)}
        return functional_call(both, named, (table,))

    inputs = [table.requires_grad_(), *parameters]
    assert torch.autograd.gradcheck(logits, inputs)

    sentences = Sentences(WORDS, CAPITALS.astype(float), SENTENCES)
    for n_tokens in (_tagger._TOKENS, 3):
        monkeypatch.setattr(_tagger, "_TOKENS", n_tokens)
        found = list(tagger.tag(sentences, lambda rows, _: table.detach()[rows]))
        assert len(found) == (1 if n_tokens > 6 else 2)
        assert_allclose(torch.cat(found), expected, atol=1e-10)


def test_dropout_keeps_the_expectation():
    tagger = make_tagger(None, dropout=0.3)
    values = torch.ones(300, 40)
    dropped = tagger._drop(values, np.random.RandomState(0))
    assert_allclose(np.unique(dropped), [0, 1 / 0.7], rtol=1e-6)
    assert_allclose(dropped.mean(), 1, atol=0.02)
    assert tagger._drop(values, None) is values


def test_draws_leave_the_composition_alone():
    tagger = make_tagger("ngram")
    before = tagger.composition.constant.clone()
    tagger.reset(np.random.RandomState(0))
    assert torch.equal(tagger.composition.constant, before)
    assert 0 < tagger.capital.abs().max() <= tagger.composition.range
    assert not tagger.hidden.bias.any() and not tagger.forwards.b_i.any()
