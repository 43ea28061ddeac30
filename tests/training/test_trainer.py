"""Steps of training against loops, with finite differences in place of gradients."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import threading
from itertools import pairwise

import equations
import numpy as np
import pytest
import torch
from nets import epochs, normal, state_of
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.losses import (
    CoSENTLoss,
    DistillationLoss,
    InfoNCELoss,
    MarginLoss,
)
from skparaphrase.networks._compositions import Average, DeepAverage
from skparaphrase.networks._recurrent import IdentityRecurrent
from skparaphrase.networks._table import WordTable
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervision._examples import EncodedExamples
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.training import _loop, _objectives
from skparaphrase.training._objectives import ParaphraseObjective, _scrambled
from skparaphrase.training._trainer import Steps, Trainer

CPU = torch.device("cpu")
N_WORDS, DIM = 9, 3


def make_texts(n_texts=6, *, longest=4, shortest=1):
    rng = np.random.RandomState(0)
    lengths = rng.randint(shortest, longest + 1, n_texts)
    ids = rng.randint(N_WORDS - 2, size=lengths.sum()).astype(np.int32)
    return TokenBatch(ids, np.append(0, np.cumsum(lengths)))


def make_trainer(
    composition=None, texts=None, *, loss=None, examples=None, seed=0, frozen=False,
    optimizer="adagrad", sparse=True, max_change=None, known=None, learning_rate=0.05,
    batch_size=4, **limits,
):  # fmt: skip
    composition = Average(DIM) if composition is None else composition
    texts = make_texts() if texts is None else texts
    table = WordTable(
        normal(N_WORDS, DIM), anchors=normal(N_WORDS, DIM, seed=1), sparse=sparse,
        device=CPU, frozen=frozen,
    )  # fmt: skip
    composition.reset(np.random.RandomState(0))
    with torch.no_grad():
        for i, parameter in enumerate(composition.parameters()):
            # Away from the start, so each penalty matters.
            parameter.add_(torch.from_numpy(0.3 * normal(*parameter.shape, seed=i)))
    optimizer = Optimizer(optimizer, sparse=sparse, max_change=max_change, **limits)
    indices = np.arange(len(texts)).reshape(-1, 2) if examples is None else examples
    objective = ParaphraseObjective(
        composition,
        MarginLoss(0.9) if loss is None else loss,
        EncodedExamples(texts, indices, **(known or {})),
        optimizer,
    )
    state = np.random.RandomState(seed)
    return Trainer(objective, table, Steps(optimizer, learning_rate, batch_size, state))


def constant_loss(trainer):
    return trainer.objective.constant_loss(np.arange(trainer.slices()[0].stop))


def step(trainer, pairs=None):
    pairs = np.arange(trainer.n_examples) if pairs is None else pairs
    return trainer.step(trainer.make(pairs)).item()


def cosines_of(batch, p, equation):
    v = [equation(p["vectors"][batch[i]], p) for i in range(len(batch))]
    unit = np.array([x / (np.linalg.norm(x) or 1) for x in v])
    return unit @ unit.T


def slow_negatives(cosines, n_hard=0):
    n = len(cosines) - n_hard
    own = np.arange(len(cosines)) // 2
    own[n:] = -1  # of no pair
    return np.where(own[:n, None] == own, -np.inf, cosines[:n]).argmax(axis=1)


def slow_loss(cosines, chosen):
    hinges = [
        max(0, 0.9 - cosines[i, i ^ 1] + cosines[i, j]) for i, j in enumerate(chosen)
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


MODELS = {
    "projection": (lambda: DeepAverage(DIM, 4), equations.deep_average, {}),
    "irnn": (
        lambda: IdentityRecurrent(DIM, DIM),
        equations.identity_rnn,
        {"W_x": np.eye(DIM), "W_h": np.eye(DIM)},
    ),
}


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("clip_norm", [None, 0.4])
@pytest.mark.parametrize("model", MODELS)
def test_steps_by_hand(model, clip_norm, sparse):
    make, equation, anchors = MODELS[model]
    texts = make_texts(18)
    trainer = make_trainer(
        make(), texts, sparse=sparse, clip_norm=clip_norm, vectors_penalty=0.05,
        composition_penalty=0.2,
    )  # fmt: skip
    p = state_of(trainer)
    squares = {name: np.zeros_like(value) for name, value in p.items()}
    anchors = {"vectors": normal(N_WORDS, DIM, seed=1), **anchors}
    for pairs in np.arange(9).reshape(3, 3):
        batch = texts.take(np.arange(2 * pairs[0], 2 * pairs[-1] + 2))
        cosines = cosines_of(batch, p, equation)
        chosen = slow_negatives(cosines)
        gradients = slow_gradients(batch, p, equation, chosen)
        expected = slow_loss(cosines, chosen)
        assert step(trainer, pairs) == pytest.approx(expected, rel=1e-4)
        for name, value in p.items():
            every = np.arange(len(value))
            rows = np.unique(batch.ids) if name == "vectors" and sparse else every
            strength = 0.05 if name == "vectors" else 0.2
            gradient = np.zeros_like(value)
            pull = strength * (value - anchors.get(name, 0))
            gradient[rows] = (gradients[name] + pull)[rows]
            norm = np.linalg.norm(gradient)
            gradient *= min(norm, clip_norm or norm) / (norm + 1e-7)
            squares[name] += gradient**2  # AdaGrad
            value -= 0.05 * gradient / np.sqrt(squares[name] + 1e-6)
        for name, value in state_of(trainer).items():
            assert_allclose(value, p[name], rtol=2e-4, atol=2e-5, err_msg=name)


def test_a_step_on_triplets_by_hand():
    """Hard negatives follow the pairs of a batch, in the same order."""
    texts = make_texts(30, longest=6)
    examples = np.random.RandomState(3).permutation(30).reshape(10, 3)
    trainer = make_trainer(DeepAverage(DIM, 4), texts, examples=examples)
    p, chosen = state_of(trainer), np.array([7, 2, 4, 9, 0])
    rows = examples[chosen]
    batch = texts.take(np.append(rows[:, :2], rows[:, 2]))
    cosines = cosines_of(batch, p, equations.deep_average)
    negatives = slow_negatives(cosines, n_hard=5)
    assert (negatives >= 10).any() and (negatives < 10).any()
    gradients = slow_gradients(batch, p, equations.deep_average, negatives)
    expected = slow_loss(cosines, negatives)
    assert step(trainer, chosen) == pytest.approx(expected, rel=1e-4)
    for name, value in state_of(trainer).items():  # the first step of AdaGrad
        moved = p[name] - 0.05 * gradients[name] / np.sqrt(gradients[name] ** 2 + 1e-6)
        assert_allclose(value, moved, rtol=2e-4, atol=2e-5, err_msg=name)


def test_scores_follow_their_pairs_into_a_batch():
    scores = np.array([3, 1, 4, 1, 5, 9], np.float32)
    known = {"targets": scores}
    trainer = make_trainer(None, make_texts(12), loss=CoSENTLoss(2.0), known=known)
    chosen = np.array([4, 1, 0, 3])
    table = normal(N_WORDS, DIM)
    cosines, texts = [], trainer.objective.examples.texts
    for pair in chosen:
        a, b = (table[texts[2 * pair + side]].mean(axis=0) for side in (0, 1))
        cosines.append(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    total = 1.0
    for i, j in np.ndindex(4, 4):
        if scores[chosen[i]] > scores[chosen[j]]:
            total += np.exp(2 * (cosines[j] - cosines[i]))
    assert step(trainer, chosen) == pytest.approx(np.log(total), rel=1e-5)


@pytest.mark.parametrize("classes", [True, False])
def test_a_batch_knows_the_classes_of_its_texts(classes):
    class Watched(InfoNCELoss):
        def compute(self, unit, batch):
            self.seen = batch
            return super().compute(unit, batch)

    loss, labels = Watched(), np.array([5, 5, 6, 6, 5, 5, 7, 7])
    known = {"identities": labels, "has_classes": True} if classes else None
    trainer = make_trainer(None, make_texts(8), loss=loss, known=known)
    step(trainer, np.array([3, 0, 2]))
    assert loss.seen.has_classes == classes and loss.seen.n_pairs == 3
    expected = [7, 7, 5, 5, 5, 5] if classes else [6, 7, 0, 1, 4, 5]
    assert_array_equal(loss.seen.identities, expected)


@pytest.mark.parametrize("sparse", [True, False])
def test_a_step_ends_within_the_largest_change(sparse):
    trainers = [
        make_trainer(None, make_texts(12), sparse=sparse, max_change=most)
        for most in (None, 1e-3, 0.6)
    ]
    initial = normal(N_WORDS, DIM, seed=1)
    for trainer in trainers:  # half of the words have not moved
        trainer.table.weight[::2] = torch.from_numpy(initial[::2])
        before = trainer.table.numpy().copy()
        step(trainer)
    free, tight, loose = (trainer.table.numpy() for trainer in trainers)
    lengths = np.linalg.norm(initial, axis=1)
    for table, most in ((tight, 1e-3), (loose, 0.6)):
        change = np.linalg.norm(free - initial, axis=1) / lengths + 1e-12
        limit = np.maximum(most, np.linalg.norm(before - initial, axis=1) / lengths)
        expected = initial + (free - initial) * np.minimum(1, limit / change)[:, None]
        used = np.unique(make_texts(12).ids) if sparse else np.arange(N_WORDS)
        assert_allclose(table[used], expected[used], rtol=1e-5, atol=1e-6)
        others = np.setdiff1d(np.arange(N_WORDS), used)
        assert_array_equal(table[others], free[others])
    near = np.linalg.norm(free - initial, axis=1) < 0.6 * lengths
    assert_array_equal(loose[near], free[near])
    assert 2 <= near.sum() < N_WORDS


def test_a_zero_vector_does_not_drown_the_others_when_clipping():
    texts = TokenBatch(np.array([0, 1, 2, 3, 5, 4], np.int32), np.arange(7))
    trainer = make_trainer(None, texts, clip_norm=1.0, loss=MarginLoss(2.0))
    trainer.table.weight[5] = 0
    before = trainer.table.numpy().copy()
    step(trainer)
    assert (np.abs(trainer.table.numpy() - before).max(axis=1)[:5] > 1e-3).all()


def test_a_frozen_table_stays_while_parameters_move():
    trainer = make_trainer(DeepAverage(DIM, 4), frozen=True, vectors_penalty=0.1)
    before = trainer.arrays()
    step(trainer)
    assert_array_equal(trainer.table.numpy(), normal(N_WORDS, DIM))
    assert "vectors" not in trainer.arrays() and "vectors" not in trainer.rule.state
    assert all((value != before[k]).any() for k, value in trainer.arrays().items())


# Word dropout and scrambling


class Watched(Average):
    """Keeps its inputs."""

    def __init__(self):
        super().__init__(DIM)
        self.seen = []

    def forward(self, table, ids, offsets):
        self.seen.append((table.detach()[ids].numpy(), offsets))
        return super().forward(table, ids, offsets)


class WatchedLoss(MarginLoss):
    """Keeps the vectors from which it chose, and its choices."""

    def choose(self, unit, batch):
        self.kept = (unit, *super().choose(unit, batch))
        return self.kept[1:]


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize(
    "loss",
    [*(MarginLoss(negatives=n) for n in ("max", "mix", "random")), InfoNCELoss()],
)
def test_dropout_at_a_vanishing_rate_is_no_dropout(loss, width):
    plain, dropped = (
        make_trainer(
            DeepAverage(DIM, 4), make_texts(12), loss=loss, clip_norm=1.0,
            vectors_penalty=0.1, composition_penalty=0.1, word_dropout=rate,
            examples=np.arange(12).reshape(-1, width),
        )
        for rate in (0.0, 1e-30)
    )  # fmt: skip
    assert step(plain) == pytest.approx(step(dropped), rel=1e-5)
    for name, value in state_of(plain).items():
        assert_allclose(state_of(dropped)[name], value, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("loss", [MarginLoss(), InfoNCELoss(), DistillationLoss()])
@pytest.mark.parametrize("rate", [0.1, 0.6])
def test_dropout_zeroes_numbers_and_scales_the_others(rate, loss):
    texts, more = make_texts(600), {}
    if isinstance(loss, DistillationLoss):
        more = {
            "examples": np.arange(600),
            "known": {"targets": normal(600, DIM), "of_texts": True},
        }
    trainer = make_trainer(Watched(), texts, word_dropout=rate, loss=loss, **more)
    given = normal(N_WORDS, DIM)[texts.ids]
    step(trainer)
    dropped, offsets = trainer.objective.composition.seen[-1]
    if isinstance(loss, MarginLoss):  # negatives with other masks follow the texts
        dropped, offsets = dropped[: len(given)], offsets[:601]
    assert_array_equal(offsets, texts.offsets)
    zero = dropped == 0
    assert zero.mean() == pytest.approx(rate, abs=0.02)
    assert_allclose(dropped[~zero], (given / (1 - rate))[~zero], rtol=1e-5)
    # By number, not by word, and independently.
    assert np.ptp(zero.mean(axis=0)) < 0.06
    assert np.abs(np.corrcoef(zero.T) - np.eye(DIM)).max() < 0.06


def test_negatives_are_chosen_without_dropout_and_embedded_with_it():
    loss, texts, rate = WatchedLoss(0.9), make_texts(40, longest=9), 0.5
    start = normal(N_WORDS, DIM)
    trainer = make_trainer(Watched(), texts, word_dropout=rate, loss=loss)
    value = step(trainer)
    unit, chosen, found = loss.kept
    means = np.array([start[texts[i]].mean(axis=0) for i in range(40)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    assert_allclose(unit, means, atol=1e-5)
    assert found.all()

    plain, (dropped, offsets) = trainer.objective.composition.seen
    assert_array_equal(plain[0], start[texts.ids])
    negatives = texts.take(chosen.numpy())
    n_tokens = len(texts.ids)
    expected = np.append(texts.offsets, negatives.offsets[1:] + n_tokens)
    assert_array_equal(offsets, expected)
    zero = dropped[n_tokens:] == 0
    assert zero.mean() == pytest.approx(rate, abs=0.1)
    expected = start[negatives.ids] / (1 - rate)
    assert_allclose(dropped[n_tokens:][~zero], expected[~zero], rtol=1e-5)
    again = np.concatenate([np.arange(*texts.offsets[i : i + 2]) for i in chosen])
    assert (zero != (dropped[again] == 0)).any()  # a mask of their own

    everything = TokenBatch(np.arange(len(dropped)), offsets)
    cosines = cosines_of(everything, {"vectors": dropped}, equations.average)
    assert value == pytest.approx(slow_loss(cosines, range(40, 80)), rel=1e-4)


def test_each_copy_of_a_word_is_dropped_by_itself():
    texts = TokenBatch(np.zeros(400, np.int32), np.arange(401))
    trainer = make_trainer(Watched(), texts, word_dropout=0.5)
    step(trainer)
    assert len(np.unique(trainer.objective.composition.seen[-1][0], axis=0)) == 2**DIM


def test_both_texts_of_a_chosen_pair_are_scrambled():
    ids = np.tile(np.arange(20, dtype=np.int32), 2000)
    offsets = np.arange(0, len(ids) + 1, 20)
    for together in (1, 2):
        order = _scrambled(offsets, 0.3, np.random.RandomState(0), together)
        texts = ids[order].reshape(-1, together, 20)
        changed = (texts != np.arange(20)).any(axis=2)
        assert (changed == changed[:, :1]).all()
        assert changed[:, 0].mean() == pytest.approx(0.3, abs=0.05)
        assert_array_equal(np.sort(texts, axis=2).reshape(-1, 20), ids.reshape(-1, 20))
        orders = texts[changed]
        assert len(np.unique(orders, axis=0)) == len(orders)
        assert_allclose(orders.mean(axis=0), 9.5, atol=1.2)  # each word in each place
    order = _scrambled(offsets, 0.0, np.random.RandomState(0), 2)
    assert_array_equal(order, np.arange(len(ids)))


@pytest.mark.parametrize("loss", [MarginLoss(), InfoNCELoss()])
def test_negatives_inherit_the_scrambled_order(loss):
    texts = make_texts(40, longest=8)
    trainer = make_trainer(Watched(), texts, scramble=1.0, loss=loss)
    step(trainer)
    ((seen, offsets),) = (
        trainer.objective.composition.seen
    )  # one pass: negatives are its rows
    given = normal(N_WORDS, DIM)[texts.ids]
    changed = 0
    for start, stop in pairwise(offsets):
        a, b = given[start:stop], seen[start:stop]
        assert_array_equal(np.sort(a, axis=0), np.sort(b, axis=0))
        changed += (a != b).any()
    assert changed > 20


# Epochs


def record_batches(n_pairs, n_epochs=1, **settings):
    trainer = make_trainer(None, make_texts(2 * n_pairs), **settings)
    seen, trainer.make = [], lambda chosen: chosen
    trainer.step = lambda pairs: seen.append(pairs) or torch.tensor(pairs[0])
    return seen, list(epochs(trainer, n_epochs))


@pytest.mark.parametrize(
    ("n_pairs", "sizes"),
    [(2, [2]), (3, [3]), (4, [4]), (5, [5]), (6, [4, 2]), (9, [4, 5]), (8, [4, 4])],
)
def test_a_last_single_pair_joins_the_batch_before(n_pairs, sizes):
    seen, losses = record_batches(n_pairs)
    assert [len(pairs) for pairs in seen] == sizes
    assert sorted(np.concatenate(seen)) == list(range(n_pairs))
    expected = sum(pairs[0] * len(pairs) for pairs in seen) / n_pairs
    assert losses == [pytest.approx(expected)]


@pytest.mark.parametrize("ordered", [True, False])
def test_ordered_first_epoch_shuffles_from_the_second(ordered):
    seen, _ = record_batches(16, n_epochs=3, ordered_first_epoch=ordered)
    first, second, third = np.concatenate(seen).reshape(3, -1).tolist()
    assert (first == list(range(16))) == ordered
    assert second != list(range(16)) and third != second


def test_a_linear_schedule_falls_to_zero_and_reset_discards_moments():
    trainer = make_trainer(None, make_texts(16), schedule="linear", reset=True)
    rates, update = [], trainer.step

    def watched(batch):
        rates.append(trainer.rule.learning_rate)
        return update(batch)

    trainer.step = watched
    for _ in epochs(trainer, 3):
        assert trainer.rule.state == {}
    assert_allclose(rates, 0.05 * (1 - np.arange(6) / 6))


OPTIONS = [
    {"loss": MarginLoss(negatives="mix")},
    {"loss": MarginLoss(negatives="random", mask_identical=True), "word_dropout": 0.2},
    {"loss": InfoNCELoss(), "scramble": 0.5, "optimizer": "adam"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_prefetched_batches_train_as_those_made_in_line(monkeypatch, options):
    trained = []
    pairs = np.random.RandomState(2).randint(100, size=(60, 2))
    for n_threads in (1, 4):
        monkeypatch.setattr(_loop, "available_threads", lambda n=n_threads: n)
        texts = make_texts(100, shortest=0)
        trainer = make_trainer(None, texts, examples=pairs, **options)
        losses = list(epochs(trainer, 3))
        trained.append(np.append(trainer.table.numpy(), losses))
    assert_array_equal(*trained)


@pytest.mark.parametrize("n_threads", [4, 2])
def test_interrupted_training_leaves_no_thread_behind(n_threads, monkeypatch):
    monkeypatch.setattr(_loop, "available_threads", lambda: n_threads)
    trainer, threads = make_trainer(None, make_texts(100)), []
    make = trainer.make

    def interrupt(batch):
        raise KeyboardInterrupt

    def watched(*args):
        threads.append(threading.current_thread())
        return make(*args)

    trainer.step, trainer.make = interrupt, watched
    with pytest.raises(KeyboardInterrupt) as caught:
        next(epochs(trainer, 1))
    assert caught.tb is not None  # the referenced object still exists
    others = [thread for thread in threads if thread is not threading.current_thread()]
    assert bool(others) == (n_threads > 2)  # none where no processor is left for it
    assert threads and not any(thread.is_alive() for thread in others)


def test_loss_of_equal_vectors():
    texts = make_texts(8)
    pairs = np.arange(8).reshape(4, 2)
    triplets = np.column_stack([pairs, np.arange(4)])
    for loss, examples, known, expected in (
        (MarginLoss(0.3), pairs, None, 2 * 0.3),
        (MarginLoss(0.3, negatives="mix"), pairs, None, 2 * 0.3),
        (InfoNCELoss(0.2), pairs, None, np.log(4)),
        # First texts have four more candidates than second ones.
        (InfoNCELoss(0.2, mask_known=False), triplets, None, np.log([8, 4]).mean()),
    ):
        trainer = make_trainer(texts=texts, loss=loss, examples=examples, known=known)
        before = trainer.random_state.get_state()[1].copy()
        assert constant_loss(trainer) == pytest.approx(expected, abs=1e-6)
        assert_array_equal(trainer.random_state.get_state()[1], before)
    teacher, scores = normal(8, DIM), normal(4)
    classes = {"identities": np.array([0, 0, 1, 1, 1, 1, 2, 2]), "has_classes": True}
    for loss, known in (
        (InfoNCELoss(0.2), classes),
        (DistillationLoss(), {"targets": teacher, "of_texts": True}),
        (CoSENTLoss(), {"targets": scores}),
    ):
        trainer = make_trainer(texts=texts, loss=loss, known=known)
        assert np.isnan(constant_loss(trainer))


@pytest.mark.parametrize("pooling", ["mean", "distinct"])
def test_averages_that_texts_start_from(pooling, monkeypatch):
    """They use the initial vectors, whatever is cached or scrambled."""

    class Recorded(InfoNCELoss):
        def compute(self, unit, batch):
            starts.append((batch.identities, batch.start.numpy()))
            return super().compute(unit, batch)

    texts = make_texts(12, longest=7)
    equation = getattr(equations, {"mean": "average"}.get(pooling, "distinct_average"))
    initial = normal(N_WORDS, DIM, seed=1).astype(np.float64)
    slow = np.array([equation(initial[texts[i]], {}) for i in range(len(texts))])
    slow /= np.linalg.norm(slow, axis=1, keepdims=True)
    found = []
    for most in (_objectives._MAX_STARTS, 0):
        monkeypatch.setattr(_objectives, "_MAX_STARTS", most)
        starts = []
        trainer = make_trainer(
            Average(DIM, pooling), texts, loss=Recorded(), scramble=0.5, batch_size=3,
            examples=np.array([[0, 1], [2, 3], [4, 5], [6, 7], [8, 0], [9, 11]]),
        )  # fmt: skip
        for _ in epochs(trainer, 3):
            pass
        found.append(starts)
    for (indices, remembered), (_, computed) in zip(*found, strict=True):
        assert_array_equal(remembered, computed)
        assert_allclose(remembered, slow[indices], atol=1e-6)
    assert len(found[0]) == 6
