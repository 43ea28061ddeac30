"""The training loop: losses, validation, patience, and the state after errors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gc
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skparaphrase._trained import random_states
from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.encoders import (
    CharagramEncoder,
    DeepAveragingEncoder,
    ParaphraseEncoder,
)
from skparaphrase.networks._table import WordTable
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised import SimilarityRegressor
from skparaphrase.training._loop import fit_epochs, warn_if_a_constant_is_better
from skparaphrase.vectors import WordVectors

SMALL = {"max_epochs": 1, "device": "cpu", "random_state": 0}


class Trainer:
    """Has the loss 1 / epoch, and stores the number of the epoch."""

    device = torch.device("cpu")
    texts_per_row, ordered_first_epoch = None, True
    n_slices, n_made = 20, 0
    random_state = np.random.RandomState(0)

    def __init__(self, losses=None):
        self.objective = self
        self.optimizer = SimpleNamespace(schedule="constant")
        self.epoch = 0
        self.n_examples = self.n_slices
        self.losses = losses

    def step(self, batch):
        if batch == 0:
            self.epoch += 1
        return self.losses[self.epoch - 1] if self.losses else 1 / self.epoch

    def slices(self):
        return [slice(0, 1)] * self.n_slices

    def make(self, chosen):
        self.n_made += 1
        return (self.n_made - 1) % self.n_slices

    def end_epoch(self): ...

    def constant_loss(self, first):
        return 0.8

    def parameters_to_change(self):
        return "number"

    def arrays(self):
        return {"epoch": np.array(self.epoch)}


class Callbacks:
    """Record the arguments, and stop or raise after an epoch."""

    def __init__(self, stop_after=None, error=None):
        self.seen = []
        self.stop_after, self.error = stop_after, error

    def begin(self, epoch, history):
        self.seen.append(epoch)
        self.end(history)

    def begin_epoch(self):
        self.seen.append("begin")

    def end_epoch(self, epoch, history):
        self.end(history)
        if epoch["epoch"] == self.stop_after and self.error:
            raise self.error
        return epoch["epoch"] == self.stop_after

    def end(self, history):
        history = history()
        self.seen.append((int(history.arrays["epoch"]), len(history.loss_curve)))


def fit(scores=None, *, start=0, losses=None, max_epochs=5, **options):
    """The history of a fit; `start` is the first score."""
    validate = None
    if scores is not None:
        validate = lambda arrays: [start, *scores][arrays["epoch"]]  # noqa: E731
    options = {"on_interrupt": None, "name": "Model", "validate": validate, **options}
    trainer = Trainer(losses)
    history = fit_epochs(trainer, max_epochs, **options)
    warn_if_a_constant_is_better(trainer, history, "Model")
    return history


def test_callbacks_see_each_epoch_and_may_stop():
    callbacks = Callbacks(stop_after=3)
    history = fit(callbacks=callbacks)
    assert (history.arrays["epoch"], history.n_epochs, history.best_epoch) == (
        3,
        3,
        None,
    )
    assert history.loss_curve == pytest.approx([1, 1 / 2, 1 / 3])
    epochs = [part for n in range(1, 4) for part in ("begin", (n, n))]
    assert callbacks.seen == [{"epoch": 0}, (0, 0), *epochs, (3, 3)]


@pytest.mark.parametrize("scores", [None, [1, 3, 2, 2, 5]])
def test_what_an_interrupted_fit_has_reached_is_passed_on(scores):
    kept = []
    callbacks = Callbacks(stop_after=3, error=KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        fit(scores, callbacks=callbacks, on_interrupt=kept.append)
    assert kept[0].n_epochs == 3
    assert kept[0].arrays["epoch"] == (3 if scores is None else 2)


def test_a_history_goes_on_from_an_earlier_one():
    earlier = fit([1, 3, 2, 2, 5], patience=2)
    history = fit([1, 9], start=3, earlier=earlier, max_epochs=2)
    assert (history.n_epochs, history.n_new_epochs, history.best_epoch) == (6, 2, 6)
    assert history.validation_scores == [0, 1, 3, 2, 2, 1, 9]
    assert (history.start_score, history.best_score) == (3, 9)
    assert earlier.n_epochs == 4
    first_validated = fit([1, 9], start=3, earlier=fit(), max_epochs=2)
    assert first_validated.validation_scores == [3, 1, 9]  # from epoch 5
    worse = fit([1, 2], start=3, earlier=earlier, max_epochs=2)
    assert worse.best_epoch == earlier.best_epoch == 2


class Recorder:
    """Record the `metadata` of the hooks of a real fit.

    A cache of scikit-learn keeps callbacks in memory.
    """

    def __init__(self):
        self.epochs, self.others = [], []

    def setup(self, estimator, context): ...

    teardown = setup

    def on_fit_task_begin(self, estimator, context, *, metadata):
        self.others.append(metadata)

    def on_fit_task_end(self, estimator, context, *, metadata):
        if context.task_name == "epoch":
            self.epochs.append(metadata)
        else:
            self.others.append(metadata)


@pytest.mark.callbacks
@pytest.mark.parametrize("validates", [True, False])
def test_callbacks_are_told_loss_and_score(validates, vectors, pairs, gold):
    options = {**SMALL, "max_epochs": 3, "warm_start": True}
    options["validation_fraction"] = 0.3 if validates else None
    paraphrases = load_paraphrases().data[:40]
    for model, *data in (
        (ParaphraseEncoder(**options), paraphrases),
        (SimilarityRegressor(ParaphraseEncoder(vectors), **options), pairs, gold),
    ):
        recorder = Recorder()
        model.set_callbacks(recorder).fit(*data).fit(*data)
        scores = getattr(model, "validation_scores_", [])
        told = [(each["epoch"], each["loss"]) for each in recorder.epochs]
        assert told == [*enumerate(model.loss_curve_, 1)] and len(told) == 6
        found = [each.get("validation_score") for each in recorder.epochs]
        assert found == (scores[1:] if validates else [None] * 6)
        starts = [each for each in recorder.others if each is not None]
        assert len(recorder.others) == 10 and len(starts) == 2
        assert [start.pop("epoch") for start in starts] == [0, 3]
        kept = [scores[0], max(scores[:4])] if validates else [None] * 2
        assert [start.get("validation_score") for start in starts] == kept


@pytest.mark.parametrize(
    ("scores", "params", "best", "n_epochs"),
    [
        ([1, 3, 2, 2, 5], {}, 5, 5),
        ([1, 3, 2, 2, 5], {"patience": 2}, 2, 4),
        ([1, 3, 2, 2, 5], {"patience": 3}, 5, 5),
        ([2, 2, 2, 1, 1], {}, 1, 5),
        ([2, 2, 2, 1, 1], {"prefer_later_on_ties": True}, 3, 5),
        ([2, 2, 2, 2, 2], {"prefer_later_on_ties": True, "patience": 2}, 3, 3),
        ([np.nan, 1, 2, 1, np.nan], {"patience": 2}, 3, 5),
        # The start is kept if all epochs are worse, but not if one is as good.
        ([1, 3, 2, 2, 3], {"start": 4}, 0, 5),
        ([1, 3, 2, 2, 3], {"start": 4, "patience": 2}, 0, 2),
        ([1, 3, 2, 2, 3], {"start": 3}, 2, 5),
        ([1, 2, 2, 2, 2], {"start": np.nan}, 2, 5),
    ],
)
def test_best_epoch_and_patience(scores, params, best, n_epochs):
    history = fit(scores, **params)
    assert (history.arrays["epoch"], history.best_epoch) == (best, best)
    scores = [params.get("start", 0), *scores]
    assert_array_equal(history.validation_scores, scores[: n_epochs + 1])
    assert_array_equal(history.start_score, scores[0])
    assert_array_equal(history.best_score, scores[best])
    assert history.n_epochs == n_epochs


def test_divergence_is_an_error_and_epochs_are_printed(capsys, monkeypatch):
    fit([1.0] * 5, verbose=True, max_epochs=1)
    assert capsys.readouterr().out == (
        "[Model] epoch 0: validation score 0.0000\n"
        "[Model] epoch 1: loss 1.0000, validation score 1.0000\n"
    )
    kept = []
    with pytest.raises(ValueError, match="loss of epoch 2 is nan: training diverged"):
        fit(losses=[1.0, np.nan], on_interrupt=kept.append)
    monkeypatch.setattr(Trainer, "arrays", lambda self: {"epoch": np.array(np.nan)})
    with pytest.raises(ValueError, match=r"loss of epoch 1 is 1\.0: training diverged"):
        fit(on_interrupt=kept.append)
    monkeypatch.setattr(Trainer, "step", lambda self, batch: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        fit(on_interrupt=kept.append)
    assert not kept  # what is not finite is not passed on


def test_randomness_begins_anew_unless_resumed():
    estimator = SimpleNamespace(random_state=np.random.RandomState(0))
    first, seed = random_states(estimator, resume=False)
    assert np.random.RandomState(seed).randint(99) == first.randint(99)
    estimator._random_state, estimator._seed = first, seed
    again, same_seed = random_states(estimator, resume=True)
    assert same_seed == seed and again is not first
    assert again.randint(99) == first.randint(99)
    other, _ = random_states(estimator, resume=False)
    assert other.randint(99) != again.randint(99)


# With estimators


def test_prior_of_other_words_is_refused(pairs, gold):
    priors = [
        FrozenEstimator(CharagramEncoder(dim=4, min_count=n, **SMALL).fit(pairs))
        for n in (1, 4)
    ]
    model = SimilarityRegressor(init=priors[0], warm_start=True, **SMALL)
    model.fit(pairs, gold)
    with pytest.raises(ValueError, match="now has other words"):
        model.set_params(init=priors[1]).fit(pairs, gold)
    with pytest.raises(ValueError, match="is not fitted"):
        model.set_params(init=CharagramEncoder(dim=4)).fit(pairs, gold)


def test_nothing_of_a_fit_is_left_in_memory():
    """Tables of gigabytes must not wait for the cyclic collector."""
    gc.collect()
    gc.disable()
    try:
        encoder = ParaphraseEncoder(max_epochs=1, random_state=0)
        encoder.fit([("a cat", "the cat"), ("a dog", "the dog")])
        tables = []
        for _ in range(3):
            encoder.partial_fit([("a cat", "the cat"), ("a zzqx dog", "the dog")])
            found = [type(each) for each in gc.get_objects()]
            assert WordTable not in found
            tables.append(found.count(WordVectors))
        assert tables[0] == tables[2]
    finally:
        gc.enable()


def test_fit_of_a_model_that_was_fitted_inside_another():
    pairs = [("a cat", "the cat"), ("a dog", "the dog"), ("a man", "the men")]
    model = SimilarityRegressor(ParaphraseEncoder(), max_epochs=1, random_state=0)
    encoder = model.fit(pairs, [0, 1, 2]).encoder_.set_params(warm_start=True)
    assert encoder.set_params(random_state=0, max_epochs=1).fit(pairs).n_epochs_ == 1


@pytest.mark.parametrize(
    ("losses", "n_slices", "warns"),
    [
        ([1.0, 0.9, 0.9], 20, True),
        ([0.9, 0.8, 0.8], 20, True),
        ([1.0, 0.9, 0.793], 20, True),  # about the same
        ([1.0, 0.9, 0.79], 20, False),
        ([0.5, 0.6, 0.6], 20, False),  # near its end
        ([1.0, 0.9], 50, False),  # the means over two epochs say nothing
        ([1.0, 0.81], 50, False),
        ([1.0, 0.807], 50, True),  # unless they are a constant's
        ([0.793], 100, True),
        ([0.8], 99, False),
        ([1.0, 0.9, 0.9], 9, False),  # nor do few steps
        ([1.0, 0.9, 0.9], 10, True),
    ],
)
def test_a_loss_that_a_constant_beats_warns(losses, n_slices, warns, monkeypatch):
    monkeypatch.setattr(Trainer, "n_slices", n_slices)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(losses=losses, max_epochs=len(losses))
    assert [w.category for w in caught] == [ConvergenceWarning] * warns
    if warns:
        figures = f"from {losses[0]:.3g} to {losses[-1]:.3g} in {len(losses)} epoch"
        assert re.search(f"{figures}.*loss of 0.8.*number", str(caught[0].message))


def test_pairs_that_are_all_connected_warn():
    texts = load_paraphrases().data[:40].ravel()
    star = [("a question about soup", text) for text in texts]
    encoder = ParaphraseEncoder(**SMALL)
    with pytest.warns(ConvergenceWarning, match="has learnt nothing: shared texts"):
        encoder.fit(star)
    encoder.fit([*star, ("Where is my parcel?", "The parcel did not come.")])


def test_pairs_of_wrong_columns_warn():
    X = load_paraphrases().data
    numbers = [(str(1000 + row), text) for row, text in enumerate(X[:, 0])]
    # The paper's setting and small vectors, which cannot memorise any columns.
    encoder = ParaphraseEncoder.paper(**{**SMALL, "max_epochs": 3})
    with pytest.warns(ConvergenceWarning, match="loss of 0.8. Check") as caught:
        encoder.fit(numbers)
    assert caught[0].filename == __file__
    encoder.fit(X)


def test_the_warning_points_at_the_line_that_called_scikit_learn():
    X, scores = load_graded_pairs(return_X_y=True)
    model = SimilarityRegressor(optimizer="adam", learning_rate=10, max_epochs=5)
    search = GridSearchCV(make_pipeline(model), {}, cv=2)
    for estimator in (model, search):
        with pytest.warns(ConvergenceWarning, match="a constant output") as caught:
            estimator.fit(X, scores)
        assert {warning.filename for warning in caught} == {__file__}


PAIRS = [("a cat", "the cat"), ("dog barks", "a dog barks"), ("sleeps", "cat sleeps")]
HUGE = Optimizer("sgd", clip_norm=None, max_change=None)


@pytest.mark.parametrize("again", ["fit", "warm", "partial_fit"])
def test_an_encoder_that_diverges_is_as_before(again):
    fit = "partial_fit" if again == "partial_fit" else "fit"
    encoder = DeepAveragingEncoder(
        max_epochs=3, random_state=0, warm_start=again == "warm"
    )
    broken = clone(encoder).set_params(optimizer=HUGE, learning_rate=1e39)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="is unchanged"):
        for _ in range(9):
            getattr(broken, fit)(PAIRS)
    if again == "fit":
        assert not hasattr(broken, "vectors_")
        with pytest.raises(NotFittedError):
            broken.transform(["a cat"])
    encoder.fit(PAIRS)
    encoder.set_params(optimizer=HUGE, learning_rate=1e39)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="is unchanged"):
        for _ in range(9):
            before, curve = encoder.transform(["a cat sleeps"]), [*encoder.loss_curve_]
            getattr(encoder, fit)(PAIRS)
    assert_array_equal(encoder.transform(["a cat sleeps"]), before)
    assert encoder.loss_curve_ == curve and encoder.n_epochs_ == len(curve)
