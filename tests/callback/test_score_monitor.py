"""Scores after every epoch, and the progress bar of scikit-learn."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from operator import attrgetter

import few_words
import numpy as np
import pytest
from few_words import PAIRS, TEXTS
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline

from skparaphrase.callback import ScoreMonitor
from skparaphrase.metrics import STSScorer
from skparaphrase.pairs import PairSimilarity

pytestmark = pytest.mark.callbacks
GOLD = np.random.RandomState(0).uniform(0, 5, len(PAIRS))


def make_encoder(*callbacks, **changes):
    encoder = few_words.make_encoder(**{"max_epochs": 5, **changes})
    return encoder.set_callbacks(*callbacks)


def trained(n_epochs):
    return make_encoder(max_epochs=n_epochs).fit(PAIRS).vectors_.matrix


def script(*scores):
    """A scorer that gives these scores in turn, again and again."""
    calls = []

    def scorer(_):
        calls.append(None)
        return scores[(len(calls) - 1) % len(scores)]

    return scorer


def test_monitor_records_an_entry_an_epoch_and_forgets_earlier_fits():
    monitor = ScoreMonitor(attrgetter("n_epochs_"))
    encoder = make_encoder(monitor, max_epochs=3)
    for _ in range(2):
        encoder.fit(PAIRS)
        assert monitor.scores_ == [{"epoch": n, "score": float(n)} for n in range(4)]
    encoder.set_params(warm_start=True, max_epochs=1).fit(PAIRS)
    assert monitor.scores_ == [{"epoch": 0, "score": 3.0}, {"epoch": 1, "score": 4.0}]


def test_monitor_keeps_the_names_of_scores_and_prints_them(capsys):
    monitor = ScoreMonitor(script({"a": 0.25, "mean": 0.5}, {"a": 1, "mean": 0.75}))
    make_encoder(monitor, max_epochs=1).fit(PAIRS)
    assert monitor.scores_ == [
        {"epoch": 0, "a": 0.25, "mean": 0.5},
        {"epoch": 1, "a": 1, "mean": 0.75},
    ]
    assert capsys.readouterr().out == ""
    monitor.verbose = True
    make_encoder(monitor, max_epochs=0).fit(PAIRS)
    assert capsys.readouterr().out == "epoch 0, a 0.2500, mean 0.5000\n"


def test_scorer_sees_the_encoder_as_if_training_had_ended():
    seen = []
    monitor = ScoreMonitor(lambda e: seen.append((e, e.transform(TEXTS))) or 0.0)
    encoder = make_encoder(monitor, max_epochs=3).fit(PAIRS)
    for n, (fitted, vectors) in enumerate(seen):
        assert_array_equal(fitted.vectors_.matrix, trained(n))
        assert_array_equal(fitted.transform(TEXTS), vectors)
        assert fitted is not encoder
        assert fitted.n_epochs_ == len(fitted.loss_curve_) == n
    assert_array_equal(encoder.vectors_.matrix, trained(3))


class StopOnScore(ScoreMonitor):
    """The callback of the user guide."""

    def on_fit_task_end(self, *task, fitted_estimator=None):
        super().on_fit_task_end(*task, fitted_estimator=fitted_estimator)
        scores = [entry["score"] for entry in self.scores_]
        return len(scores) > scores.index(max(scores)) + 2


def test_a_monitor_may_stop_training():
    monitor = StopOnScore(script(1, 3, 2, 2, 5))
    encoder = make_encoder(monitor).fit(PAIRS)
    assert encoder.n_epochs_ == len(monitor.scores_) - 1 == 3
    assert_array_equal(encoder.vectors_.matrix, trained(3))


@pytest.mark.filterwarnings("ignore:.*does not support callbacks")
@pytest.mark.parametrize("pipeline", [False, True])
@pytest.mark.parametrize("search", [False, True])
def test_progress_bar_of_scikit_learn_works(search, pipeline, capsys):
    from sklearn.callback import ProgressBar

    model = make_encoder(max_epochs=2)
    prefix = ""
    if pipeline:
        model, prefix = make_pipeline(model, PairSimilarity()), "paraphraseencoder__"
    if search:
        model = GridSearchCV(
            model,
            {f"{prefix}learning_rate": [0.1, 0.2]},
            cv=ShuffleSplit(1, random_state=0),
            scoring=STSScorer((PAIRS, GOLD)),
            refit="mean",
        )
    model.set_callbacks(ProgressBar()).fit(PAIRS, GOLD)
    assert "100%" in capsys.readouterr().out
    final = model.best_estimator_ if search else model
    encoder = final[0] if pipeline else final
    assert encoder.n_epochs_ == 2


def test_clones_share_callbacks_and_pickles_carry_them():
    monitor = ScoreMonitor(STSScorer((PAIRS, GOLD)))
    encoder = make_encoder(monitor).fit(PAIRS)
    first = monitor.scores_
    data = pickle.dumps(encoder)
    copy = pickle.loads(data)
    assert b"torch" not in data
    assert_array_equal(copy.transform(TEXTS), encoder.transform(TEXTS))
    clone(encoder).fit(PAIRS)
    assert monitor.scores_ == first and monitor.scores_ is not first
    copy.fit(PAIRS)
    assert_array_equal(copy.transform(TEXTS), encoder.transform(TEXTS))


def test_other_objects_are_refused_as_callbacks():
    for wrong in (ScoreMonitor, "progress"):
        with pytest.raises(TypeError, match="callbacks must be instances"):
            make_encoder(wrong)
