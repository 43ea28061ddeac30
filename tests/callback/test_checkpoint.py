"""Models that are saved during training, and fits that resume from them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV

import skparaphrase
from skparaphrase.callback import Checkpoint
from skparaphrase.encoders import LSTMEncoder, ParaphraseEncoder
from skparaphrase.supervised import (
    PairwiseInteractionRegressor,
    SequenceTagger,
    SimilarityRegressor,
    TextClassifier,
)
from skparaphrase.vectors import WordVectors

pytestmark = pytest.mark.callbacks
RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(30)]
VECTORS = WordVectors(WORDS, RNG.randn(30, 6).astype(np.float32))
TEXTS = [" ".join(RNG.choice(WORDS, RNG.randint(2, 6))) for _ in range(40)]
PAIRS = list(zip(TEXTS[:20], TEXTS[20:], strict=True))
GOLD = np.linspace(0, 5, 20)
TOKENS = [text.split() for text in TEXTS]
TAGS = [[f"T{int(word[1:]) % 3}" for word in text.split()] for text in TEXTS]
RUN = {"max_epochs": 5, "batch_size": 8, "device": "cpu", "random_state": 0}

CASES = {
    "average": (ParaphraseEncoder(VECTORS, shrinkage=0), (PAIRS,), "transform"),
    "network": (LSTMEncoder(VECTORS, dim=4), (PAIRS,), "transform"),
    "validated": (
        ParaphraseEncoder(VECTORS, validation_fraction=0.3, learning_rate=0.1),
        (PAIRS,),
        "transform",
    ),
    "regressor": (
        SimilarityRegressor(ParaphraseEncoder(VECTORS), validation_fraction=0.3),
        (PAIRS, GOLD),
        "predict",
    ),
    "classifier": (
        TextClassifier(LSTMEncoder(VECTORS, dim=4)),
        (TEXTS, np.arange(40) % 3),
        "predict_proba",
    ),
    "interaction": (
        PairwiseInteractionRegressor(VECTORS, hidden_dim=3),
        (PAIRS, GOLD),
        "predict",
    ),
    "tagger": (SequenceTagger(), (TOKENS, TAGS), "predict_proba"),
}


class Interruption(Exception):
    pass


class Interrupt:
    """A callback that ends a fit after some epochs, and records its arguments."""

    def __init__(self, after):
        self.after = after

    def setup(self, estimator, context): ...

    on_fit_task_begin = teardown = setup

    def on_fit_task_end(
        self, estimator, context, *, metadata=None, fitted_estimator=None
    ):
        if context.task_name == "epoch" and metadata["epoch"] == self.after:
            self.fitted = fitted_estimator
            raise Interruption


@pytest.mark.parametrize("name", CASES)
def test_the_folder_holds_the_current_epoch_and_training_resumes(name, tmp_path):
    model, data, method = CASES[name]
    interrupt = Interrupt(after=3)
    model.set_params(**RUN).set_callbacks(Checkpoint(tmp_path / "run"), interrupt)
    with pytest.raises(Interruption):
        model.fit(*data)
    loaded = skparaphrase.load(tmp_path / "run")
    assert loaded.n_epochs_ == len(loaded.loss_curve_) == 3
    expected = getattr(interrupt.fitted, method)(data[0])
    for found, row in zip(getattr(loaded, method)(data[0]), expected, strict=True):
        assert_array_equal(found, row)
    if model.validation_fraction is None:  # otherwise, `model` has the best epoch
        for mine, row in zip(getattr(model, method)(data[0]), expected, strict=True):
            assert_array_equal(mine, row)
    else:
        assert loaded.best_epoch_ == len(loaded.validation_scores_) - 1 == 3
    loaded.set_params(warm_start=True, max_epochs=5 - loaded.n_epochs_).fit(*data)
    assert loaded.n_epochs_ == len(loaded.loss_curve_) == 5
    assert loaded.loss_curve_[:3] == model.loss_curve_
    assert loaded.loss_curve_[-1] < loaded.loss_curve_[0]
    if model.validation_fraction is not None:  # the same examples are held out
        assert len(loaded.validation_scores_) == 6
        assert loaded.validation_scores_[:4] == model.validation_scores_
        assert loaded.best_epoch_ >= 3


def test_every_n_epochs(tmp_path):
    encoder = ParaphraseEncoder(VECTORS, **RUN)
    encoder.set_callbacks(Checkpoint(tmp_path, every_n_epochs=2)).fit(PAIRS)
    assert skparaphrase.load(tmp_path).n_epochs_ == 4
    copy = pickle.loads(pickle.dumps(encoder)).set_params(warm_start=True)
    assert copy.set_params(max_epochs=3).fit(PAIRS).n_epochs_ == 8
    assert skparaphrase.load(tmp_path).n_epochs_ == 8


def test_what_checkpoints_refuse(tmp_path):
    with pytest.raises(ValueError, match="every_n_epochs must be at least 1"):
        Checkpoint(tmp_path, every_n_epochs=0)
    grid = {"learning_rate": [0.1]}
    search = GridSearchCV(ParaphraseEncoder(VECTORS), grid, scoring=lambda *_: 0.0)
    with pytest.raises(TypeError, match="GridSearchCV is not trained by epochs"):
        search.set_callbacks(Checkpoint(tmp_path)).fit(PAIRS)
    (tmp_path / "mine").write_text("precious")
    encoder = ParaphraseEncoder(VECTORS, **RUN).set_callbacks(Checkpoint(tmp_path))
    with pytest.raises(ValueError, match="was not saved by skparaphrase"):
        encoder.fit(PAIRS)
    assert encoder.n_epochs_ == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
