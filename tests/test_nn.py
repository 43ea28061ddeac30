"""The training room: negatives, losses, optimisers, word table, loop."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from torch import nn

from skparaphrase.nn import Average, Trainer, TrainingOptions, WordTable, resolve_device
from skparaphrase.nn._losses import infonce_loss, margin_loss, unit_vectors
from skparaphrase.nn._negatives import choose_negatives
from skparaphrase.nn._optimizers import AdaGrad, Adam, clip_norm_
from skparaphrase.text import TokenBatch

CPU = torch.device("cpu")
IDS = np.array([0, 1, 2, 3, 1, 4, 4, 5, 6, 7, 2, 0], dtype=np.int32)
OFFSETS = [np.array([0, 2, 3, 5, 7, 9, 12]), np.array([0, 0, 3, 5, 5, 9, 12])]
OPTIONS = TrainingOptions(
    loss="margin", margin=0.4, temperature=0.1, negatives="max", negative_pool="both",
    mask_identical=False, optimizer="adagrad", learning_rate=0.05, batch_size=4,
    clip_norm=None, vectors_penalty=0.0, composition_penalty=0.0, word_dropout=0.0,
    scramble=0.0,
)  # fmt: skip


def make_trainer(matrix, *, sparse=True, initial=None, device=CPU, **changes):
    table = WordTable(matrix, initial=initial, sparse=sparse, device=device)
    random_state = np.random.RandomState(0)
    return Trainer(
        Average(matrix.shape[1]), table, replace(OPTIONS, **changes), random_state
    )


def random_matrix(n_rows=8, dim=4, seed=0):
    return np.random.RandomState(seed).randn(n_rows, dim).astype(np.float32)


def random_units(n_texts, seed=0):
    return unit_vectors(torch.from_numpy(random_matrix(n_texts, 5, seed)))


def random_texts(n_texts, n_words, seed=0):
    rng = np.random.RandomState(seed)
    lengths = rng.randint(1, 5, n_texts)
    ids = rng.randint(n_words, size=lengths.sum()).astype(np.int32)
    return TokenBatch(ids, np.append(0, np.cumsum(lengths)).astype(np.int64))


def slow_average(table, ids, offsets):
    bags = [table[ids[start:stop]] for start, stop in pairwise(offsets)]
    return np.array([bag.sum(axis=0) / max(len(bag), 1) for bag in bags])


def slow_cosines(vectors):
    norms = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.where(norms > 0, norms, 1)[:, np.newaxis]
    return unit @ unit.T


def slow_allowed(numbers, mask_identical=False):
    n = len(numbers)
    allowed = np.zeros((n, n), dtype=bool)
    for i, j in np.ndindex(n, n):
        identical = numbers[j] in (numbers[i], numbers[i ^ 1])
        allowed[i, j] = i // 2 != j // 2 and not (mask_identical and identical)
    return allowed


def slow_negatives(vectors, numbers, mask_identical=False):
    allowed = slow_allowed(numbers, mask_identical)
    cosines = np.where(allowed, slow_cosines(vectors), -np.inf)
    return [row.argmax() if row.max() > -np.inf else None for row in cosines]


def slow_margin_loss(vectors, chosen, margin):
    cosines, total = slow_cosines(vectors), 0.0
    for i, j in enumerate(chosen):
        if j is not None:
            total += max(0, margin - cosines[i, i ^ 1] + cosines[i, j])
    return total / (len(vectors) // 2)


def slow_infonce_loss(vectors, numbers, temperature, mask_identical=False):
    logits, n = slow_cosines(vectors) / temperature, len(vectors)
    partner = np.eye(n, dtype=bool)[np.arange(n) ^ 1]
    across = np.add.outer(np.arange(n), np.arange(n)) % 2 == 1
    kept = partner | across & slow_allowed(numbers, mask_identical)
    return np.mean(np.log((np.exp(logits) * kept).sum(axis=1)) - logits[partner])


def finite_differences(function, x, eps=1e-6):
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[index] = eps
        gradient[index] = (function(x + step) - function(x - step)) / (2 * eps)
    return gradient


def choose(unit, numbers, how, seed=0, mask=False):
    settings = {"how": how, "mask_identical": mask}
    rng = np.random.RandomState(seed)
    found = choose_negatives(unit, np.asarray(numbers), random_state=rng, **settings)
    return [tensor.numpy() for tensor in found]


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_max_negatives_and_their_margin_loss_match_brute_force(seed, mask):
    unit, vectors = random_units(8, seed), random_matrix(8, 5, seed)
    numbers = np.random.RandomState(seed).randint(3, size=8)
    chosen, found = choose(unit, numbers, "max", mask=mask)
    expected = slow_negatives(vectors, numbers, mask)
    assert [j if f else None for j, f in zip(chosen, found, strict=True)] == expected
    for margin in (0.0, 0.4, 1.0):
        loss = margin_loss(unit, torch.tensor(chosen), torch.tensor(found), margin)
        assert_allclose(loss, slow_margin_loss(vectors, expected, margin), atol=1e-5)


def test_random_negatives_are_uniform_over_pairs_and_sides():
    counts = np.zeros((6, 6))
    for seed in range(1500):
        chosen, _ = choose(random_units(6), range(6), "random", seed)
        counts[np.arange(6), chosen] += 1
    chi_square = ((counts - 250) ** 2 / 250).sum(axis=1)
    assert (chi_square < 20.5).all()  # 0.999 quantile with 5 degrees of freedom


def test_mix_tosses_a_coin_for_each_text():
    unit = random_units(2000)
    hits = np.equal(*(choose(unit, range(2000), how)[0] for how in ("max", "mix")))
    assert 0.46 < hits.mean() < 0.54
    assert abs(np.corrcoef(hits[0::2], hits[1::2])[0, 1]) < 0.1


@pytest.mark.parametrize("how", ["max", "mix", "random"])
def test_mask_identical_rules_texts_outside_the_own_pair_out(how):
    numbers = np.random.RandomState(0).randint(20, size=200)
    allowed = slow_allowed(numbers, mask_identical=True)
    chosen, found = choose(random_units(200), numbers, how, mask=True)
    own = chosen // 2 == np.arange(200) // 2
    assert found.all() and (own | allowed[np.arange(200), chosen]).all()
    _, found = choose(random_units(6), [3] * 6, how, mask=True)
    assert not found.any()


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("numbers", [range(8), [0, 1, 0, 2, 3, 1, 1, 4]])
def test_infonce_loss_is_a_cross_entropy_both_ways(numbers, mask):
    vectors, numbers = random_matrix(8), np.array(numbers)
    unit = unit_vectors(torch.from_numpy(vectors))
    loss = infonce_loss(unit, numbers, temperature=0.3, mask_identical=mask)
    assert_allclose(loss, slow_infonce_loss(vectors, numbers, 0.3, mask), rtol=1e-5)


@pytest.mark.parametrize("offsets", OFFSETS)
@pytest.mark.parametrize("loss", ["margin", "infonce"])
def test_gradient_of_average_and_loss_matches_finite_differences(loss, offsets):
    matrix = random_matrix().astype(np.float64)
    chosen = slow_negatives(slow_average(matrix, IDS, offsets), range(6))
    chosen, found = torch.tensor(chosen), torch.ones(6).bool()

    def step(table):
        unit = unit_vectors(Average(4)(table, ids, offsets))
        if loss == "margin":
            return margin_loss(unit, chosen, found, 0.4)
        return infonce_loss(unit, np.arange(6), temperature=0.5, mask_identical=False)

    ids, table = torch.tensor(IDS.astype(np.int64)), torch.tensor(matrix)
    assert torch.autograd.gradcheck(step, table.requires_grad_(), atol=1e-6)


@pytest.mark.parametrize("offsets", OFFSETS)
def test_backward_of_average_is_that_of_embedding_bag(offsets):
    ids, starts = torch.from_numpy(IDS.astype(np.int64)), torch.from_numpy(offsets[:-1])
    ours = torch.tensor(random_matrix(9), requires_grad=True)
    theirs = torch.tensor(random_matrix(9), requires_grad=True)
    vectors = Average(4)(ours, ids, offsets)
    expected = nn.functional.embedding_bag(ids, theirs, starts, mode="mean")
    for output in (vectors, expected):
        output.backward(torch.from_numpy(random_matrix(6, seed=1)))
    assert torch.equal(vectors, expected)
    assert_allclose(ours.grad, theirs.grad, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("loss", ["margin", "infonce"])
@pytest.mark.parametrize("sparse", [True, False])
def test_texts_without_words_give_no_nan(loss, sparse):
    texts = TokenBatch(IDS, np.array([0, 0, 3, 5, 5, 5, 5, 9, 12]))
    wordless = TokenBatch(IDS[:0], np.zeros(9, dtype=np.int64))
    trainer = make_trainer(random_matrix(), sparse=sparse, loss=loss, clip_norm=1.0)
    for batch in (texts, wordless, texts):
        assert torch.isfinite(trainer.step(batch, np.arange(8)))
    assert np.isfinite(trainer.table.numpy()).all()


def test_a_word_whose_vector_is_zero_does_not_drown_the_others_when_clipping():
    matrix = random_matrix()
    matrix[5] = 0
    texts = TokenBatch(np.array([0, 1, 2, 3, 5, 4], np.int32), np.arange(7))
    trainer = make_trainer(matrix, clip_norm=1.0, margin=2.0)
    trainer.step(texts, np.arange(6))
    moved = np.abs(trainer.table.numpy() - matrix).max(axis=1)
    assert (moved[:5] > 1e-3).all()


def slow_updates(make, value, steps):
    value = value.astype(np.float64)
    mean, square = np.zeros_like(value), np.zeros_like(value)
    for t, (gradient, rows) in enumerate(steps, start=1):
        g, m, s = gradient[rows], mean[rows], square[rows]
        if make is AdaGrad:
            square[rows] = s + g**2
            value[rows] -= 0.05 * g / np.sqrt(s + g**2 + 1e-6)
        else:
            mean[rows], square[rows] = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g**2
            root = np.sqrt(square[rows] / (1 - 0.999**t)) + 1e-8
            value[rows] -= 0.05 * mean[rows] / (1 - 0.9**t) / root
    return value


def update(optimizer, parameter, gradient, rows=None):
    if rows is None:
        optimizer.step("w", parameter, gradient, parameter)
    else:
        values = parameter[rows]
        optimizer.step("w", parameter, gradient[rows], values, rows)
        parameter[rows] = values


@pytest.mark.parametrize("some_rows", [False, True])
@pytest.mark.parametrize("make", [AdaGrad, Adam])
def test_updates_follow_the_recurrence(make, some_rows):
    start, optimizer = random_matrix(), make(0.05)
    parameter = torch.tensor(start)
    used = [[0, 1], [2], [0], [1, 2, 4], [4]] if some_rows else [range(8)] * 5
    steps = [(random_matrix(seed=seed), list(used[seed])) for seed in range(5)]
    for gradient, rows in steps:
        rows = torch.tensor(rows) if some_rows else None
        update(optimizer, parameter, torch.tensor(gradient), rows)
    expected = slow_updates(make, start, steps)
    assert_allclose(parameter, expected, rtol=1e-5, atol=1e-6)


def test_adagrad_with_rows_equals_dense_to_the_bit():
    dense, sparse = torch.tensor(random_matrix()), torch.tensor(random_matrix())
    first, second = AdaGrad(0.05), AdaGrad(0.05)
    for seed, rows in enumerate([[6, 1, 3], [1, 2, 5], [0, 6, 3]]):
        rows, gradient = torch.tensor(rows), torch.zeros(8, 4)
        gradient[rows] = torch.tensor(random_matrix(3, seed=seed + 1))
        update(first, dense, gradient)
        update(second, sparse, gradient, rows)
    assert torch.equal(dense, sparse)


@pytest.mark.parametrize("make", [AdaGrad, Adam])
def test_optimizer_goes_on_from_its_kept_state(make):
    whole, parts = torch.tensor(random_matrix()), torch.tensor(random_matrix())
    optimizer, interrupted = make(0.05), make(0.05)
    for seed in range(1, 5):
        gradient = torch.tensor(random_matrix(seed=seed))
        update(optimizer, whole, gradient)
        update(interrupted, parts, gradient)
        state = interrupted.numpy()
        assert not any(map(torch.is_tensor, state["w"].values()))
        interrupted = make(0.05)
        interrupted.load(state, CPU)
    assert torch.equal(whole, parts)


@pytest.mark.parametrize("clip", [0.5, 1.0, 100.0])
def test_clip_scales_by_the_papers_factor(clip):
    matrix = random_matrix()
    gradient = torch.tensor(matrix)
    clip_norm_(gradient, clip)
    norm = np.linalg.norm(matrix)
    assert_allclose(gradient, matrix * min(norm, clip) / (norm + 1e-7), rtol=1e-6)


@pytest.mark.parametrize("sparse", [True, False])
def test_leaf_holds_each_word_once_and_rebuilds_the_ids(sparse):
    matrix, initial = random_matrix(20), random_matrix(20, seed=1)
    table = WordTable(matrix, initial=initial, sparse=sparse, device=CPU)
    for size in (30, 5, 0, 12):
        ids = np.random.RandomState(size).randint(20, size=size).astype(np.int32)
        leaf, rows, local = table.leaf(ids)
        assert_array_equal(leaf.detach()[local], matrix[ids])
        if sparse:
            assert sorted(rows.tolist()) == np.unique(ids).tolist()
            assert_array_equal(rows[local], ids)
        pull = (matrix - initial)[slice(None) if rows is None else rows.numpy()]
        with torch.no_grad():
            gradient = torch.ones_like(leaf)
            table.add_penalty_(gradient, leaf, table.initial(rows), 0.5)
        assert_allclose(gradient, 1 + 0.5 * pull, rtol=1e-6, atol=1e-6)


def slow_step(parameters, batch, loss, initial, used):
    def vectors(x):
        return slow_average(x[:-1], batch.ids, batch.offsets) * x[-1]

    def loss_of(x):
        if loss == "infonce":
            return slow_infonce_loss(vectors(x), range(6), 0.1)
        return slow_margin_loss(vectors(x), chosen, 0.4)

    def objective(x):
        distance = ((x[:-1] - initial)[used] ** 2).sum()
        return loss_of(x) + 0.05 / 2 * distance + 0.1 / 2 * (x[-1] ** 2).sum()

    chosen = slow_negatives(vectors(parameters), range(6))
    return loss_of(parameters), finite_differences(objective, parameters)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("clip_norm", [None, 0.3])
@pytest.mark.parametrize("loss", ["margin", "infonce"])
def test_steps_match_a_slow_reimplementation(loss, clip_norm, sparse):
    matrix, initial = random_matrix(10), random_matrix(10, seed=1)
    trainer = make_trainer(
        matrix, sparse=sparse, initial=initial, loss=loss, clip_norm=clip_norm,
        vectors_penalty=0.05, composition_penalty=0.1,
    )  # fmt: skip
    # The last row holds the parameters of the composition.
    slow = np.vstack([matrix, [1.0, 0.5, 2.0, 1.5]])
    trainer.composition.scale = nn.Parameter(torch.tensor(slow[-1]).float())
    trainer.composition.register_forward_hook(lambda module, _, y: y * module.scale)

    square = np.zeros_like(slow)
    for seed in range(3):
        batch = random_texts(6, 9, seed)
        used = np.unique(batch.ids) if sparse else np.arange(10)
        value, gradient = slow_step(slow, batch, loss, initial, used)
        for part in (gradient[:-1], gradient[-1:]):
            norm = np.linalg.norm(part)
            part *= min(norm, clip_norm or norm) / (norm + 1e-7)
        square += gradient**2
        slow = slow - 0.05 * gradient / np.sqrt(square + 1e-6)
        assert_allclose(trainer.step(batch, np.arange(6)), value, rtol=1e-4)
        trained = [*trainer.table.numpy(), trainer.composition.scale.detach().numpy()]
        assert_allclose(trained, slow, atol=2e-5)


def record_steps(n_pairs, **settings):
    trainer, seen = make_trainer(random_matrix()), []
    trainer._step = lambda b: seen.append(b.numbers) or torch.tensor(b.numbers[0])
    pairs = np.arange(2 * n_pairs).reshape(-1, 2)
    losses = list(trainer.epochs(random_texts(2 * n_pairs, 8), pairs, **settings))
    return seen, losses


@pytest.mark.parametrize(
    ("n_pairs", "sizes"),
    [(2, [2]), (3, [3]), (4, [4]), (5, [5]), (6, [4, 2]), (9, [4, 5]), (8, [4, 4])],
)
def test_a_last_single_pair_joins_the_batch_before(n_pairs, sizes):
    seen, losses = record_steps(n_pairs, n_epochs=1)
    assert [len(numbers) // 2 for numbers in seen] == sizes
    assert sorted(np.concatenate(seen).tolist()) == list(range(2 * n_pairs))
    expected = sum(numbers[0] * len(numbers) / 2 for numbers in seen) / n_pairs
    assert losses == [pytest.approx(expected)]


@pytest.mark.parametrize("ordered", [True, False])
def test_ordered_first_epoch_shuffles_from_the_second(ordered):
    seen, _ = record_steps(16, n_epochs=3, ordered_first_epoch=ordered)
    first, second, third = np.concatenate(seen).reshape(3, -1).tolist()
    assert (first == list(range(32))) == ordered
    assert second != list(range(32)) and third != second
    assert [i ^ 1 for i in second[0::2]] == second[1::2]


def test_missing_cuda_is_a_clear_error(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for name in ("cuda", "cuda:0"):
        with pytest.raises(ValueError, match=f"device='{name}'.*no CUDA device"):
            resolve_device(name)
    assert resolve_device("auto") == resolve_device("cpu") == CPU
    with pytest.raises((RuntimeError, ValueError), match="gpu"):
        resolve_device("gpu")
