"""Steps of training against loops, with finite differences in place of gradients."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.nn import (
    Average,
    DeepAverage,
    IdentityRecurrent,
    Trainer,
    TrainingOptions,
    WordTable,
)
from skparaphrase.nn._negatives import choose_negatives
from skparaphrase.nn._training import _scrambled
from skparaphrase.text import TokenBatch

CPU = torch.device("cpu")
N_WORDS, DIM = 9, 3
OPTIONS = {
    "loss": "margin", "margin": 0.9, "temperature": 0.5, "negatives": "max",
    "negative_pool": "both", "mask_identical": False, "optimizer": "adagrad",
    "learning_rate": 0.05, "batch_size": 4, "clip_norm": None,
    "vectors_penalty": 0.0, "composition_penalty": 0.0, "word_dropout": 0.0,
    "scramble": 0.0,
}  # fmt: skip


def normal(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def make_trainer(composition, *, sparse=True, seed=0, **options):
    table = WordTable(
        normal(N_WORDS, DIM), initial=normal(N_WORDS, DIM, seed=1), sparse=sparse,
        device=CPU,
    )  # fmt: skip
    composition.reset(np.random.RandomState(0))
    with torch.no_grad():
        for i, parameter in enumerate(composition.parameters()):
            # Off their start, so that each penalty shows.
            parameter.add_(torch.from_numpy(0.3 * normal(*parameter.shape, seed=i)))
    options = TrainingOptions(**{**OPTIONS, **options})
    return Trainer(composition, table, options, np.random.RandomState(seed))


def make_texts(n_texts=6, seed=0, longest=4, n_words=N_WORDS - 2):
    rng = np.random.RandomState(seed)
    lengths = rng.randint(1, longest + 1, n_texts)
    ids = rng.randint(n_words, size=lengths.sum()).astype(np.int32)
    return TokenBatch(ids, np.append(0, np.cumsum(lengths)))


def state_of(trainer):
    """Everything that is trained, in double precision."""
    state = {"vectors": trainer.table.numpy().astype(np.float64)}
    for name, parameter in trainer.composition.named_parameters():
        state[name] = parameter.detach().numpy().astype(np.float64)
    return state


def projection(x, p):
    return x.mean(axis=0) @ p["layers.0.weight"] + p["layers.0.bias"]


def identity_rnn(x, p):
    h = np.zeros(DIM)
    for x_t in x:
        h = p["W_x"] @ x_t + p["W_h"] @ h + p["b"]
    return h / len(x)


def cosines_of(batch, p, equation):
    v = [equation(p["vectors"][batch[i]], p) for i in range(len(batch))]
    unit = np.array([x / (np.linalg.norm(x) or 1) for x in v])
    return unit @ unit.T


def slow_negatives(cosines, pool="both"):
    chosen = []
    for i, row in enumerate(cosines):
        allowed = [j for j in range(len(row)) if j // 2 != i // 2]
        allowed = [j for j in allowed if pool == "both" or j % 2 == 0]
        chosen.append(max(allowed, key=row.__getitem__))
    return chosen


def slow_loss(cosines, chosen, margin=0.9):
    hinges = [
        max(0, margin - cosines[i, i ^ 1] + cosines[i, j]) for i, j in enumerate(chosen)
    ]
    return sum(hinges) / (len(chosen) / 2)


def slow_gradients(batch, p, equation, chosen, eps=1e-6):
    gradients = {}
    for name, value in p.items():
        gradients[name] = np.zeros_like(value)
        for index in np.ndindex(*value.shape):
            losses = []
            for sign in (1, -1):
                moved = {**p, name: value.copy()}
                moved[name][index] += sign * eps
                losses.append(slow_loss(cosines_of(batch, moved, equation), chosen))
            gradients[name][index] = (losses[0] - losses[1]) / (2 * eps)
    return gradients


class SlowOptimizer:
    """AdaGrad with eps inside the root, Adam with corrected moments."""

    def __init__(self, kind):
        self.kind, self.memory, self.t = kind, {}, {}

    def step(self, name, value, gradient, rows):
        mean, square = self.memory.setdefault(name, np.zeros((2, *value.shape)))
        self.t[name] = t = self.t.get(name, 0) + 1
        g = gradient[rows]
        if self.kind == "adagrad":
            square[rows] += g**2
            value[rows] -= 0.05 * g / np.sqrt(square[rows] + 1e-6)
            return
        mean[rows] = 0.9 * mean[rows] + 0.1 * g
        square[rows] = 0.999 * square[rows] + 0.001 * g**2
        root = np.sqrt(square[rows] / (1 - 0.999**t)) + 1e-8
        value[rows] -= 0.05 * mean[rows] / (1 - 0.9**t) / root


MODELS = {
    "projection": (lambda: DeepAverage(DIM, 4), projection, {}),
    "irnn": (
        lambda: IdentityRecurrent(DIM),
        identity_rnn,
        {"W_x": np.eye(DIM), "W_h": np.eye(DIM)},
    ),
}


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("clip_norm", [None, 0.4])
@pytest.mark.parametrize("optimizer", ["adagrad", "adam"])
@pytest.mark.parametrize("model", MODELS)
def test_steps_by_hand(model, optimizer, clip_norm, sparse):
    make, equation, anchors = MODELS[model]
    trainer = make_trainer(
        make(), sparse=sparse, optimizer=optimizer, clip_norm=clip_norm,
        vectors_penalty=0.05, composition_penalty=0.2,
    )  # fmt: skip
    p, by_hand = state_of(trainer), SlowOptimizer(optimizer)
    anchors = {"vectors": normal(N_WORDS, DIM, seed=1), **anchors}
    for seed in range(3):
        batch = make_texts(seed=seed)
        cosines = cosines_of(batch, p, equation)
        chosen = slow_negatives(cosines)
        gradients = slow_gradients(batch, p, equation, chosen)
        loss = trainer.step(batch, np.arange(6))
        assert loss.item() == pytest.approx(slow_loss(cosines, chosen), rel=1e-4)
        for name, value in p.items():
            every = np.arange(len(value))
            rows = np.unique(batch.ids) if name == "vectors" and sparse else every
            strength = 0.05 if name == "vectors" else 0.2
            gradient = np.zeros_like(value)
            pull = strength * (value - anchors.get(name, 0))
            gradient[rows] = (gradients[name] + pull)[rows]
            norm = np.linalg.norm(gradient)
            gradient *= min(norm, clip_norm or norm) / (norm + 1e-7)
            by_hand.step(name, value, gradient, rows)
        # Adam makes a whole step of a gradient near zero, whatever its noise.
        atol = 2e-5 if optimizer == "adagrad" else 2e-4
        for name, value in state_of(trainer).items():
            assert_allclose(value, p[name], rtol=2e-4, atol=atol, err_msg=name)


# Negatives. Angles in degrees of the texts of four pairs; the cosine falls with the
# angle between.
ANGLES = [0, 10, 25, 60, 52, 90, 28, 180]
NEAREST = {"both": [2, 2, 6, 4, 3, 3, 2, 5], "first": [2, 2, 6, 4, 6, 6, 2, 4]}


def choose(unit, *, how="max", pool="both", mask=False, numbers=None, seed=0):
    numbers = np.arange(len(unit)) if numbers is None else np.asarray(numbers)
    chosen, found = choose_negatives(
        unit, numbers, how=how, pool=pool, mask_identical=mask,
        random_state=np.random.RandomState(seed),
    )  # fmt: skip
    return chosen.numpy(), found.numpy()


def on_circle(angles):
    radians = np.deg2rad(angles)
    return torch.from_numpy(np.stack([np.cos(radians), np.sin(radians)], axis=1))


@pytest.mark.parametrize("pool", NEAREST)
def test_the_nearest_text_of_another_pair(pool):
    chosen, found = choose(on_circle(ANGLES), pool=pool)
    assert found.all()
    assert chosen.tolist() == NEAREST[pool]


def test_nearest_of_first_texts_by_hand_with_equal_strings():
    # Texts 2 and 6 are the same string: neither is a negative of the other's pair.
    numbers = [0, 1, 2, 3, 4, 5, 2, 7]
    chosen, found = choose(on_circle(ANGLES), pool="first", mask=True, numbers=numbers)
    assert found.all()
    assert chosen.tolist() == [2, 2, 0, 4, 6, 6, 4, 4]
    chosen, _ = choose(on_circle(ANGLES), pool="first", numbers=numbers)
    assert chosen.tolist() == NEAREST["first"]


@pytest.mark.parametrize("pool", ["both", "first"])
@pytest.mark.parametrize("seed", range(4))
def test_nearest_is_brute_force(pool, seed):
    vectors = normal(20, 4, seed=seed).astype(np.float64)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    chosen, _ = choose(torch.from_numpy(unit), pool=pool)
    assert chosen.tolist() == slow_negatives(unit @ unit.T, pool)


@pytest.mark.parametrize("mask", [False, True])
def test_drawn_negatives_are_uniform_over_the_pool(mask):
    unit, n_draws = on_circle(ANGLES), 3000
    for pool, candidates in (("both", np.arange(8)), ("first", np.arange(0, 8, 2))):
        counts = np.zeros((8, 8))
        for seed in range(n_draws):
            chosen, _ = choose(unit, how="random", pool=pool, mask=mask, seed=seed)
            counts[np.arange(8), chosen] += 1
        for i, row in enumerate(counts):
            # As in the paper's code the own pair is drawn, unless equal texts are out.
            allowed = [j for j in candidates if not mask or j // 2 != i // 2]
            assert row[allowed].sum() == n_draws
            expected = n_draws / len(allowed)
            chi_square = ((row[allowed] - expected) ** 2 / expected).sum()
            assert chi_square < 30  # 0.9999 quantile with 7 degrees of freedom: 29.9


@pytest.mark.parametrize("pool", ["both", "first"])
def test_mix_takes_the_nearest_or_draws_from_the_pool(pool):
    n_draws, hits = 2000, np.zeros(8)
    for seed in range(n_draws):
        chosen, found = choose(on_circle(ANGLES), how="mix", pool=pool, seed=seed)
        assert found.all() and (pool == "both" or not (chosen % 2).any())
        hits += chosen == NEAREST[pool]
    share = 0.5 + 0.5 / (8 if pool == "both" else 4)
    assert_allclose(hits / n_draws, share, atol=0.05)


# Word dropout.


class Watched(Average):
    """Keeps what it is given."""

    def __init__(self, dim):
        super().__init__(dim)
        self.seen = []

    def forward(self, table, ids, offsets):
        self.seen.append((table.detach()[ids].numpy(), offsets))
        return super().forward(table, ids, offsets)


@pytest.mark.parametrize("negatives", ["max", "mix", "random"])
@pytest.mark.parametrize("loss", ["margin", "infonce"])
def test_dropout_at_a_vanishing_rate_is_no_dropout(loss, negatives):
    results = []
    for rate in (0.0, 1e-30):
        trainer = make_trainer(
            DeepAverage(DIM, 4), loss=loss, negatives=negatives, clip_norm=1.0,
            vectors_penalty=0.1, composition_penalty=0.1, word_dropout=rate,
        )  # fmt: skip
        loss_value = trainer.step(make_texts(8), np.arange(8)).item()
        results.append((loss_value, state_of(trainer)))
    (first, plain), (second, dropped) = results
    assert first == pytest.approx(second, rel=1e-5)
    for name, value in plain.items():
        assert_allclose(dropped[name], value, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("loss", ["margin", "infonce"])
@pytest.mark.parametrize("rate", [0.1, 0.6])
def test_dropout_zeroes_numbers_and_scales_the_others(rate, loss):
    composition = Watched(DIM)
    trainer = make_trainer(composition, word_dropout=rate, loss=loss)
    batch = make_texts(600)
    given = trainer_start()[batch.ids]
    trainer.step(batch, np.arange(600))
    dropped, offsets = composition.seen[-1]
    if loss == "margin":  # after the texts come their negatives, with other masks
        dropped = dropped[: len(given)]
        offsets = offsets[:601]
    assert_array_equal(offsets, batch.offsets)
    zero = dropped == 0
    assert zero.mean() == pytest.approx(rate, abs=0.02)
    assert_allclose(dropped[~zero], (given / (1 - rate))[~zero], rtol=1e-5)
    # By number, not by word, and independently.
    assert np.ptp(zero.mean(axis=0)) < 0.06
    assert np.abs(np.corrcoef(zero.T) - np.eye(DIM)).max() < 0.06


def test_negatives_are_chosen_without_dropout_and_embedded_with_it():
    composition, rate = Watched(DIM), 0.5
    trainer = make_trainer(composition, word_dropout=rate)
    batch, kept = make_texts(40, longest=9), []
    find = trainer._choose

    def watched(unit, numbers):
        kept.append((unit, find(unit, numbers)))
        return kept[-1][1]

    trainer._choose = watched
    loss = trainer.step(batch, np.arange(40))
    ((unit, (chosen, found)),) = kept
    means = np.array([trainer_start()[batch[i]].mean(axis=0) for i in range(40)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    assert_allclose(unit, means, atol=1e-5)
    assert found.all()

    plain, (dropped, offsets) = composition.seen
    assert_array_equal(plain[0], trainer_start()[batch.ids])
    negatives = batch.take(chosen.numpy())
    expected = np.append(batch.offsets, negatives.offsets[1:] + len(batch.ids))
    assert_array_equal(offsets, expected)
    of_negatives = dropped[len(batch.ids) :]
    zero = of_negatives == 0
    assert zero.mean() == pytest.approx(rate, abs=0.1)
    expected = trainer_start()[negatives.ids] / (1 - rate)
    assert_allclose(of_negatives[~zero], expected[~zero], rtol=1e-5)
    tokens = np.concatenate(
        [np.arange(batch.offsets[i], batch.offsets[i + 1]) for i in chosen]
    )
    assert (zero != (dropped[tokens] == 0)).any()  # a mask of their own

    everything = TokenBatch(np.arange(len(dropped)), offsets)
    cosines = cosines_of(everything, {"vectors": dropped}, lambda x, _: x.mean(axis=0))
    expected = slow_loss(cosines, range(40, 80))
    assert loss.item() == pytest.approx(expected, rel=1e-4)


def trainer_start():
    """Vectors of a trainer before its first step."""
    return normal(N_WORDS, DIM)


def test_each_copy_of_a_word_is_dropped_by_itself():
    composition = Watched(DIM)
    trainer = make_trainer(composition, word_dropout=0.5)
    trainer.step(TokenBatch(np.zeros(400, np.int32), np.arange(401)), np.arange(400))
    dropped, _ = composition.seen[-1]
    assert len(np.unique(dropped, axis=0)) == 2**DIM


def test_dropout_follows_the_random_state_alone():
    def train(seed):
        trainer = make_trainer(DeepAverage(DIM, 4), word_dropout=0.4, seed=seed)
        for step in range(3):
            trainer.step(make_texts(seed=step), np.arange(6))
        return trainer.table.numpy()

    state = torch.get_rng_state()
    first = train(0)
    torch.manual_seed(5)
    assert_array_equal(train(0), first)
    torch.set_rng_state(state)
    assert (train(1) != first).any()


# Scrambling.


def test_scrambling_no_pair_or_all():
    batch = make_texts(200, longest=9)
    for probability in (0.0, 1.0):
        order = _scrambled(batch.offsets, probability, np.random.RandomState(0))
        scrambled = TokenBatch(batch.ids[order], batch.offsets)
        changed = 0
        for i in range(len(batch)):
            assert sorted(scrambled[i]) == sorted(batch[i])
            changed += scrambled[i].tolist() != batch[i].tolist()
        assert changed == 0 if probability == 0 else changed > 120


def test_both_texts_of_a_chosen_pair_are_scrambled():
    ids = np.tile(np.arange(20, dtype=np.int32), 2000)
    offsets = np.arange(0, len(ids) + 1, 20)
    texts = ids[_scrambled(offsets, 0.3, np.random.RandomState(0))].reshape(-1, 2, 20)
    changed = (texts != np.arange(20)).any(axis=2)
    assert_array_equal(changed[:, 0], changed[:, 1])
    assert changed[:, 0].mean() == pytest.approx(0.3, abs=0.05)
    assert_array_equal(np.sort(texts, axis=2).reshape(-1, 20), ids.reshape(-1, 20))
    orders = texts[changed]
    assert len(np.unique(orders, axis=0)) == len(orders)
    assert_allclose(orders.mean(axis=0), 9.5, atol=1.2)  # each word in each place


@pytest.mark.parametrize("loss", ["margin", "infonce"])
def test_negatives_inherit_the_scrambled_order(loss):
    composition = Watched(DIM)
    trainer = make_trainer(composition, scramble=1.0, loss=loss)
    batch = make_texts(40, longest=8)
    trainer.step(batch, np.arange(40))
    ((seen, offsets),) = composition.seen  # one pass: negatives are its rows
    given = trainer_start()[batch.ids]
    changed = 0
    for start, stop in pairwise(offsets):
        a, b = given[start:stop], seen[start:stop]
        assert_array_equal(np.sort(a, axis=0), np.sort(b, axis=0))
        changed += (a != b).any()
    assert changed > 20


def test_scrambling_does_not_change_an_average_but_a_sequence():
    for composition, same in ((Average(DIM), True), (IdentityRecurrent(DIM), False)):
        steps = []
        for scramble in (0.0, 1.0):
            trainer = make_trainer(composition, scramble=scramble)
            trainer.step(make_texts(), np.arange(6))
            steps.append(trainer.table.numpy().copy())
        assert np.allclose(*steps, atol=1e-5) == same
