"""Losses as parameters of encoders."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline

from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.losses import (
    BaseLoss,
    CoSENTLoss,
    DistillationLoss,
    InfoNCELoss,
    LossBatch,
    MarginLoss,
)
from skparaphrase.metrics import RetrievalScorer
from skparaphrase.optimizers import Optimizer
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(20)]
VECTORS = WordVectors(WORDS, RNG.randn(20, 5).astype(np.float32))
TEXTS = [" ".join(RNG.choice(WORDS, RNG.randint(1, 6))) for _ in range(40)]
PAIRS = list(zip(TEXTS[0::2], TEXTS[1::2], strict=True))


def fit(loss, make=ParaphraseEncoder, X=PAIRS, y=None, **changes):
    settings = {"max_epochs": 2, "batch_size": 8, "random_state": 0, "device": "cpu"}
    if make is ParaphraseEncoder:
        settings["shrinkage"] = 0
    return make(VECTORS, loss=loss, **{**settings, **changes}).fit(X, y)


class Squares(BaseLoss):
    """A loss of a user: the squared distance of partners, and a pull to zero."""

    def __init__(self, pull=0.1):
        self.pull = pull

    def compute(self, unit, batch):
        assert len(unit) == len(batch.identities) and batch.targets is None
        apart = (unit[0::2] - unit[1::2]).square().sum(dim=1).mean()
        return apart + self.pull * unit.mean(dim=0).square().sum()


def test_a_loss_is_one_number():
    class OfEachPair(BaseLoss):
        def compute(self, unit, batch):
            return (unit[0::2] - unit[1::2]).square().sum(dim=1)

    with pytest.raises(ValueError, match=r"OfEachPair\.compute must return one number"):
        fit(OfEachPair())


def test_a_loss_of_a_user_trains():
    encoder = fit(Squares(), max_epochs=6, learning_rate=0.2)
    assert encoder.loss_curve_[-1] < 0.5 * encoder.loss_curve_[0]
    other = clone(encoder).set_params(loss__pull=3.0).fit(PAIRS)
    assert (other.vectors_.matrix != encoder.vectors_.matrix).any()
    dropped = [
        fit(Squares(), optimizer=Optimizer(word_dropout=rate)).loss_curve_
        for rate in (0.0, 0.5)
    ]
    assert dropped[0] != dropped[1]


@pytest.mark.parametrize(
    ("name", "loss"), [("margin", MarginLoss()), ("infonce", InfoNCELoss())]
)
def test_a_name_equals_its_object_to_the_bit(name, loss):
    named, given = fit(name), fit(loss)
    assert named.loss_curve_ == given.loss_curve_
    assert_array_equal(named.vectors_.matrix, given.vectors_.matrix)


def test_parameters_are_searched():
    pipe = make_pipeline(fit(MarginLoss()))
    grid = {
        "paraphraseencoder__loss__margin": [0.2, 0.6],
        "paraphraseencoder__loss__negatives": ["max", "mix"],
    }
    search = GridSearchCV(
        pipe, grid, scoring=RetrievalScorer(PAIRS), cv=ShuffleSplit(1, random_state=0),
        error_score="raise",
    ).fit(PAIRS)  # fmt: skip
    names = (name.rpartition("__")[2] for name in grid)
    values = (search.best_params_[name] for name in grid)
    best = fit(MarginLoss(**dict(zip(names, values, strict=True))))
    found = search.best_estimator_[0]
    assert_array_equal(found.vectors_.matrix, best.vectors_.matrix)
    assert pipe[0].loss.get_params() == MarginLoss().get_params()  # not changed
    over_losses = {"loss": ["margin", InfoNCELoss(), Squares()]}
    search.set_params(
        estimator=fit("margin", pooling="mean"), param_grid=over_losses
    ).fit(PAIRS)
    assert len(set(search.cv_results_["mean_test_score"])) == 3


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("triplet", "'loss' parameter of ParaphraseEncoder"),
        (MarginLoss, "'loss' parameter of ParaphraseEncoder"),
        (MarginLoss(-0.1), "'margin' parameter of MarginLoss"),
        (MarginLoss(negatives="min"), "'negatives' parameter of MarginLoss"),
        (MarginLoss(pool="second"), "'pool' parameter of MarginLoss"),
        (MarginLoss(mask_identical="yes"), "'mask_identical' parameter of MarginLoss"),
        (InfoNCELoss(0), "'temperature' parameter of InfoNCELoss"),
        (CoSENTLoss(0), "'scale' parameter of CoSENTLoss"),
        (InfoNCELoss(mask_known=None), "'mask_known' parameter of InfoNCELoss"),
    ],
)
def test_invalid_parameters_raise_at_fit(loss, message):
    with pytest.raises(ValueError, match=message):
        fit(loss)


def test_compute_on_vectors():
    """The objects without a trainer, for custom losses."""
    unit = torch.eye(4)
    batch = LossBatch(np.arange(4), np.random.RandomState(0), None)
    assert MarginLoss(0.4).compute(unit, batch).item() == pytest.approx(0.8)
    assert InfoNCELoss().compute(unit, batch).item() == pytest.approx(np.log(2))
    targets = LossBatch(batch.identities, batch.random_state, targets=-unit)
    assert DistillationLoss().compute(unit, targets).item() == 2
    scores = LossBatch(batch.identities, batch.random_state, torch.arange(2))
    assert CoSENTLoss().compute(unit, scores).item() == pytest.approx(np.log(2))


SCORES = np.arange(20) / 4.0
AUTOMATIC = {
    "pairs": (PAIRS, None, "infonce"),
    "marked pairs": (PAIRS, np.arange(20) % 3 > 0, "infonce"),
    "triplets": ([(*pair, TEXTS[i]) for i, pair in enumerate(PAIRS)], None, "infonce"),
    "labels": (TEXTS, np.arange(40) % 3, "infonce"),
    "scores": (PAIRS, SCORES, "cosent"),
    "vectors": (TEXTS, np.random.RandomState(0).randn(40, 5), "distillation"),
}


@pytest.mark.parametrize("kind", AUTOMATIC)
def test_auto_is_the_loss_of_the_kind(kind):
    X, y, name = AUTOMATIC[kind]
    auto, named = (fit(loss, X=X, y=y) for loss in ("auto", name))
    assert auto.loss_curve_ == named.loss_curve_ and len(auto.loss_curve_) == 2
    assert_array_equal(auto.vectors_.matrix, named.vectors_.matrix)
    assert (auto.vectors_.matrix != VECTORS.matrix).any()
