"""Tests of progress bars."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import itertools
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from joblib import Parallel, delayed
from pyarrow.dataset import dataset
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import skparaphrase
from skparaphrase import _progress
from skparaphrase._progress import print_line, progress_bar
from skparaphrase.encoders import (
    AverageEncoder,
    DistilledEncoder,
    LSTMEncoder,
    ParaphraseEncoder,
)
from skparaphrase.io import transform_to_file
from skparaphrase.supervised import PairwiseInteractionRegressor, SequenceTagger
from skparaphrase.text import _check, clean_text
from skparaphrase.vectors import WordVectors


class _Terminal:
    """A stderr that is a terminal and records its output."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(_progress, "_DELAY", 0)
    return _Terminal()


def _count(terminal):
    with redirect_stderr(terminal), progress_bar(3, "Counting") as advance:
        for _ in range(3):
            advance(1)


def test_a_bar_is_shown_only_if_it_is_asked_for(terminal):
    _count(terminal)
    assert terminal.text == ""
    with skparaphrase.show_progress():
        _count(terminal)
    assert "Counting:" in terminal.text and "3/3" in terminal.text
    before = terminal.text
    _count(terminal)
    assert terminal.text == before


def test_only_the_outermost_bar_is_shown(terminal):
    with skparaphrase.show_progress(), redirect_stderr(terminal):
        with progress_bar(1, "Outer") as advance:
            _count(terminal)
            advance(1)
    assert "Outer" in terminal.text and "Counting" not in terminal.text


def test_what_ends_soon_has_no_bar(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "_DELAY", 60)
    with skparaphrase.show_progress():
        _count(terminal)
    assert terminal.text == ""


def test_there_is_no_bar_in_a_file(terminal, monkeypatch):
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    with skparaphrase.show_progress():
        _count(terminal)
    assert terminal.text == ""


def test_after_an_error_bars_are_shown_again(terminal):
    with skparaphrase.show_progress():
        with pytest.raises(KeyError), progress_bar(3, "Failing"):
            raise KeyError
        _count(terminal)
    assert "Counting" in terminal.text


def test_tqdm_is_needed(monkeypatch):
    monkeypatch.setattr(_progress, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        with skparaphrase.show_progress():
            pass


def _printed(terminal, function, *args):
    """The output inside `show_progress`; outside, nothing is printed."""
    with redirect_stderr(terminal):
        function(*args)
        assert terminal.text == ""
        with skparaphrase.show_progress():
            function(*args)
    return terminal.text


def test_figures_and_a_total_that_is_counted(terminal):
    def count():
        with progress_bar(lambda: 9, "Counting") as advance:
            advance(9, loss=0.25)

    text = _printed(terminal, count)
    assert "loss=0.25" in text and "9/9" in text


def test_lines_are_printed_above_a_bar(terminal, monkeypatch):
    """A line begins where the bar was cleared, and the bar follows it."""
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("sys.stdout", terminal)
    with skparaphrase.show_progress(), progress_bar(2, "Training") as advance:
        advance(1, loss=0.5)
        print_line("[Encoder] epoch 1")
        advance(1)
    before, after = terminal.text.split("[Encoder] epoch 1\n")
    assert "Training" in before and re.search(r"\r *\r$", before)
    assert after.startswith("\rTraining: ")


def test_a_bar_with_figures_is_readable_in_80_columns(terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with redirect_stderr(terminal), skparaphrase.show_progress():
        with progress_bar(1200, "Training", "step") as advance:
            advance(600, epoch=12, loss=1.84, validation_score=0.934)
            advance(600)
    line = terminal.text.split("\r")[-1]
    assert "score=0.934" in line
    assert len(re.search(r"\|(.+)\|", line)[1]) >= 8


WORDS = WordVectors(["a", "b"], np.eye(2, dtype=np.float32))
TEXTS = ["a " * (i // 100) + "b " * (i % 100 + 1) for i in range(5000)]
PAIRS = [("a a", "a"), ("b", "b b"), ("a b", "b a a"), ("a", "a b b a")] * 3
SMALL = {"max_epochs": 2, "batch_size": 4, "random_state": 0, "device": "cpu"}


def train(model, X, y=None):
    """Fit a model, and predict on its training data."""
    model.set_params(**SMALL).fit(X, y)
    getattr(model, "predict", getattr(model, "transform", None))(X)


TOKENS = [["a", "b"], ["b"]] * 6
DISTILLED = DistilledEncoder(WORDS, dim=2, n_subwords=None)
REGRESSOR = PairwiseInteractionRegressor(WORDS), PAIRS, np.arange(12) % 4 / 3
NO_EPOCH = ParaphraseEncoder(WORDS, max_epochs=0)
SHOWN = [  # functions, their arguments, and what their bars say
    (AverageEncoder(WORDS).transform, [TEXTS], ["Embedding", "5000/5000"]),
    (clean_text, [TEXTS], ["Cleaning", "5000/5000"]),
    (NO_EPOCH.fit, [[*itertools.pairwise(TEXTS)]], ["Reading: 5000 text"]),
    (train, [LSTMEncoder(WORDS), PAIRS], ["Training", "Embedding"]),
    (DISTILLED.fit, [TEXTS[:12], np.eye(12, 3)], ["2/2"]),
    (train, REGRESSOR, ["Training", "Predicting", "12/12"]),
    (train, [SequenceTagger(), TOKENS, TOKENS], ["Training", "Predicting", "18/18"]),
]


@pytest.mark.parametrize(("function", "args", "words"), SHOWN)
def test_what_takes_long_shows_bars(function, args, words, terminal):
    text = _printed(terminal, function, *args)
    assert [word for word in words if word not in text] == []


def test_blocks_have_one_bar(terminal, monkeypatch, tmp_path):
    """Of stored texts, and of a file of vectors."""
    monkeypatch.setattr(_check, "_ROWS", 2000)
    args = AverageEncoder(WORDS), TEXTS, tmp_path / "a.npy"
    for call in (
        (AverageEncoder(WORDS).transform, dataset(pa.table({"text": TEXTS}))),
        (partial(transform_to_file, block_size=4999), *args),
    ):
        terminal.text = ""
        text = _printed(terminal, *call)
        assert "5000/5000" in text and " row" in text and " text" not in text


def test_training_shows_steps_loss_and_score(terminal):
    encoder = ParaphraseEncoder(WORDS, validation_fraction=0.2, **SMALL)
    text = _printed(terminal, encoder.fit, [(f"{a} a", b) for a, b in PAIRS])
    assert "4/4" in text
    assert f"epoch=2, loss={encoder.loss_curve_[1]:.3g}" in text
    assert f", score={encoder.validation_scores_[2]:.3g}" in text


def test_threads_and_pipelines(terminal):
    pipe = make_pipeline(AverageEncoder(WORDS), Normalizer())
    with skparaphrase.show_progress(), redirect_stderr(terminal):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(pipe[0].transform, TEXTS).result()
        Parallel(2, prefer="threads")(delayed(pipe[0].transform)(TEXTS) for _ in "ab")
        assert terminal.text == ""
        pipe.fit_transform(TEXTS)
    assert "Embedding" in terminal.text
