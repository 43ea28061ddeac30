"""Blocks, threads and shared memory change nothing about training."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import mmap
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.nn import Average, Trainer, TrainingOptions, WordTable, _loop
from skparaphrase.nn import _loop as loop
from skparaphrase.nn import _negatives as negatives
from skparaphrase.nn._ahead import run_ahead
from skparaphrase.nn._losses import infonce_loss, unit_vectors
from skparaphrase.nn._negatives import choose_negatives
from skparaphrase.nn._optimizers import AdaGrad, Adam
from skparaphrase.text import TokenBatch

CPU = torch.device("cpu")
OPTIONS = TrainingOptions(
    loss="margin", margin=0.4, temperature=0.1, negatives="max", negative_pool="both",
    mask_identical=False, optimizer="adagrad", learning_rate=0.05, batch_size=8,
    clip_norm=None, vectors_penalty=1e-3, composition_penalty=0.0, word_dropout=0.0,
    scramble=0.0,
)  # fmt: skip


def random_matrix(n_rows, dim=4, seed=0):
    return np.random.RandomState(seed).randn(n_rows, dim).astype(np.float32)


def batch_with_ties(n_texts=46, seed=0):
    """Unit vectors of texts, some of which are the same, and their numbers."""
    numbers = np.random.RandomState(seed).randint(n_texts // 2, size=n_texts)
    # Whole numbers, so that the order of a sum does not matter.
    vectors = np.random.RandomState(seed).randint(-3, 4, size=(n_texts, 5))
    return torch.from_numpy(vectors[numbers].astype(np.float32)), numbers


def choose(unit, numbers, **settings):
    rng = np.random.RandomState(0)
    found = choose_negatives(unit, numbers, random_state=rng, **settings)
    return [tensor.numpy() for tensor in found]


def slow_candidates(numbers, pool, mask):
    n = len(numbers)
    allowed = np.zeros((n, n), dtype=bool)
    for i, j in np.ndindex(n, n):
        same = numbers[j] in (numbers[i], numbers[i ^ 1])
        allowed[i, j] = i // 2 != j // 2 and not (mask and same)
        allowed[i, j] &= pool == "both" or j % 2 == 0
    return allowed


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("pool", ["both", "first"])
@pytest.mark.parametrize("how", ["max", "mix", "random"])
def test_blocks_of_texts_choose_the_same_negatives(monkeypatch, how, pool, mask):
    unit, numbers = batch_with_ties()
    settings = {"how": how, "pool": pool, "mask_identical": mask}
    chosen, found = choose(unit, numbers, **settings)
    for block in (2, 10, 44):
        monkeypatch.setattr(negatives, "BLOCK", block)
        in_blocks = choose(unit, numbers, **settings)
        assert_array_equal(in_blocks[0], chosen)
        assert_array_equal(in_blocks[1], found)
    allowed = slow_candidates(numbers, pool, mask)
    if how == "max" or mask:
        assert_array_equal(found, allowed.any(axis=1))
    if mask:
        assert allowed[np.flatnonzero(found), chosen[found]].all()
    if how == "max":
        scores = np.where(allowed, (unit @ unit.T).numpy(), -np.inf)
        assert_array_equal(chosen[found], scores.argmax(axis=1)[found])


def test_masked_draws_are_uniform_over_the_candidates_that_are_left():
    numbers = np.array([0, 1, 2, 0, 3, 4, 5, 6, 0, 7])
    unit = unit_vectors(torch.from_numpy(random_matrix(10)))
    counts = np.zeros((10, 10))
    for seed in range(1000):
        chosen, found = choose_negatives(
            unit, numbers, how="random", mask_identical=True,
            random_state=np.random.RandomState(seed),
        )  # fmt: skip
        counts[np.arange(10), chosen] += 1
        assert found.all()
    allowed = slow_candidates(numbers, "both", mask=True)
    assert_array_equal(counts > 0, allowed)
    expected = 1000 / allowed.sum(axis=1, keepdims=True)
    chi_square = np.where(allowed, (counts - expected) ** 2 / expected, 0).sum(axis=1)
    assert (chi_square < 24.3).all()  # 0.999 quantile with 7 degrees of freedom


def whole_infonce(unit, numbers, temperature, mask):
    """The cross-entropies by torch, on the whole matrix."""
    one, other = unit[0::2], unit[1::2]
    logits = one @ other.T / temperature
    first, second = (torch.from_numpy(numbers[side::2]) for side in (0, 1))
    losses = []
    for scores, own, partner in ((logits, first, second), (logits.T, second, first)):
        same = (partner == partner[:, None]) | (partner == own[:, None])
        same = (same & mask).fill_diagonal_(False)
        target = torch.arange(len(scores))
        masked = scores.masked_fill(same, -torch.inf)
        losses.append(torch.nn.functional.cross_entropy(masked, target))
    return sum(losses) / 2


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("block", [1, 7, 1024])
def test_blocks_of_pairs_give_the_same_infonce_loss(monkeypatch, block, mask):
    monkeypatch.setattr(negatives, "BLOCK", block)
    vectors = torch.from_numpy(random_matrix(46, 5).astype(np.float64))
    numbers = np.random.RandomState(0).randint(23, size=46)
    found, gradients = [], []
    for loss in (
        lambda u: infonce_loss(u, numbers, temperature=0.3, mask_identical=mask),
        lambda u: whole_infonce(u, numbers, 0.3, mask),
    ):
        leaf = vectors.clone().requires_grad_()
        value = loss(unit_vectors(leaf)) * 3
        value.backward()
        found.append(value.item())
        gradients.append(leaf.grad)
    assert found[0] == pytest.approx(found[1], rel=1e-12)
    assert_allclose(gradients[0], gradients[1], rtol=1e-9, atol=1e-12)


# Batches that are made ahead


def test_run_ahead_keeps_the_order_and_works_in_one_other_thread():
    threads = []

    def square(i):
        threads.append(threading.current_thread())
        return i * i

    assert list(run_ahead(square, range(20))) == [i * i for i in range(20)]
    assert len(set(threads)) == 1 and threads[0] is not threading.current_thread()
    assert not threads[0].is_alive()


def test_run_ahead_does_not_take_all_items_at_once():
    taken = []
    results = run_ahead(lambda i: i, (taken.append(i) or i for i in range(100)))
    assert next(results) == 0
    assert len(taken) < 10
    results.close()
    assert len(taken) < 10


def test_run_ahead_raises_when_the_turn_comes():
    results = run_ahead(lambda i: 1 // (i - 2), range(5))
    assert [next(results), next(results)] == [-1, -1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def make_trainer(matrix, initial, **options):
    table = WordTable(matrix, initial=initial, sparse=True, device=CPU)
    return Trainer(
        Average(matrix.shape[1]),
        table,
        replace(OPTIONS, **options),
        np.random.RandomState(0),
    )


def random_texts(n_texts, n_words):
    lengths = np.random.RandomState(0).randint(6, size=n_texts)
    ids = np.random.RandomState(1).randint(n_words, size=lengths.sum())
    return TokenBatch(ids.astype(np.int32), np.append(0, np.cumsum(lengths)))


@pytest.mark.parametrize(
    "options",
    [
        {"negatives": "mix"},
        {"word_dropout": 0.2, "mask_identical": True, "negatives": "random"},
        {"scramble": 0.5, "loss": "infonce", "optimizer": "adam"},
    ],
)
def test_batches_made_ahead_train_as_those_made_in_line(monkeypatch, options):
    matrix, texts = random_matrix(30), random_texts(100, 30)
    pairs = np.random.RandomState(2).randint(100, size=(60, 2))
    trained = []
    for ahead in (True, False):
        if not ahead:
            monkeypatch.setattr(loop, "run_ahead", lambda f, xs: (f(x) for x in xs))
        trainer = make_trainer(matrix, random_matrix(30, seed=1), **options)
        losses = list(trainer.epochs(texts, pairs, n_epochs=3))
        trained.append(np.append(trainer.table.numpy(), losses))
    assert_array_equal(*trained)


@pytest.mark.parametrize("n_threads", [4, 2])
def test_training_that_is_interrupted_leaves_no_thread_behind(n_threads, monkeypatch):
    monkeypatch.setattr(_loop, "available_threads", lambda: n_threads)
    trainer, threads = make_trainer(random_matrix(30), None), []
    make = trainer._batch

    def interrupt(batch):
        raise KeyboardInterrupt

    def watched(*args):
        threads.append(threading.current_thread())
        return make(*args)

    trainer._step, trainer._batch = interrupt, watched
    losses = trainer.epochs(
        random_texts(100, 30), np.arange(100).reshape(-1, 2), n_epochs=1
    )
    with pytest.raises(KeyboardInterrupt) as caught:
        next(losses)
    assert caught.tb is not None  # what it refers to is not yet gone
    here = threading.current_thread()
    others = [thread for thread in threads if thread is not here]
    assert bool(others) == (n_threads > 2)  # none where no processor is left for it
    assert threads and not any(thread.is_alive() for thread in others)


def test_batches_made_ahead_are_those_made_in_line(monkeypatch):
    losses = []
    for n_threads in (1, 4):
        monkeypatch.setattr(_loop, "available_threads", lambda n=n_threads: n)
        trainer = make_trainer(random_matrix(30), None)
        pairs = np.arange(100).reshape(-1, 2)
        losses.append(list(trainer.epochs(random_texts(100, 30), pairs, n_epochs=3)))
        losses[-1].append(float(np.abs(trainer.table.numpy()).sum()))
    assert losses[0] == losses[1]


# Memory


def test_initial_rows_may_come_from_a_function():
    matrix, initial = random_matrix(30), random_matrix(30, seed=1)
    asked, texts = [], random_texts(40, 20)

    def rows(which):
        asked.append(which)
        return initial[which]

    trained = []
    for source in (initial, rows):
        trainer = make_trainer(matrix, source, vectors_penalty=0.1)
        for _ in trainer.epochs(texts, np.arange(40).reshape(-1, 2), n_epochs=1):
            trained.append(trainer.table.numpy())
    assert_array_equal(*trained)
    assert max(map(len, asked)) <= 20
    for sparse in (True, False):
        table = WordTable(matrix, initial=rows, sparse=sparse, device=CPU)
        whole = table.initial(torch.arange(30) if sparse else None)
        assert_array_equal(whole, initial)


def test_a_table_may_train_in_the_matrix_given():
    matrix = random_matrix(8)
    copied = WordTable(matrix, initial=None, sparse=True, device=CPU)
    shared = WordTable(matrix, initial=None, sparse=True, device=CPU, copy=False)
    rows = torch.tensor([2, 5])
    for table in (copied, shared):
        table.write(torch.zeros(2, 4), rows)
    assert not copied.numpy()[[2, 5]].any() and not matrix[[2, 5]].any()
    assert np.shares_memory(matrix, shared.numpy())
    assert not np.shares_memory(matrix, copied.numpy())


@pytest.mark.parametrize("make", [AdaGrad, Adam])
def test_state_that_is_loaded_is_used_in_place_unless_it_is_read_only(make):
    first, values = make(0.05), torch.ones(3, 2)
    first.step("w", values, torch.ones(3, 2), values)
    state = first.numpy()["w"]
    for writeable in (True, False):
        before = state["square"].copy()
        given = {**state, "square": before.copy()}
        given["square"].flags.writeable = writeable
        optimizer = make(0.05)
        optimizer.load({"w": given}, CPU)
        optimizer.step("w", values, torch.ones(3, 2), values)
        assert (given["square"] != before).all() == writeable


@pytest.mark.skipif(not hasattr(mmap, "MADV_NOHUGEPAGE"), reason="needs Linux")
def test_sums_of_squares_take_memory_for_the_rows_that_are_used():
    def resident():
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        (line,) = [line for line in lines if line.startswith("RssAnon")]
        return int(line.split()[1]) / 1024  # MB

    table = torch.from_numpy(np.zeros((500_000, 300), np.float32))  # 600 MB
    rows = torch.arange(0, 500_000, 2500)
    values, gradient = torch.zeros(200, 300), torch.ones(200, 300)
    optimizer, before = AdaGrad(0.05), resident()
    optimizer.step("w", table, gradient, values, rows)
    assert resident() - before < 60
    state = optimizer.numpy()["w"]["square"]
    assert_allclose(state[rows.numpy()], 1, atol=1e-5)
    assert not state[1:2500].any()
