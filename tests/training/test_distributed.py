"""Training in several processes, compared with the same training in one."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import pickle
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from joblib import Parallel, delayed
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import skparaphrase
from skparaphrase.callback import Checkpoint
from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.encoders import (
    CharagramEncoder,
    CharCNNEncoder,
    CNNEncoder,
    LSTMEncoder,
    ParaphraseEncoder,
)
from skparaphrase.losses import MarginLoss
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised import SimilarityRegressor
from skparaphrase.training._distributed import shares
from skparaphrase.vectors import WordFrequencies, WordVectors, fit_subwords

launched = pytest.mark.skipif(
    sys.platform != "linux"
    or not torch.distributed.is_available()
    or not torch.distributed.is_gloo_available(),
    reason="needs torch.distributed with gloo, and an interface that it finds",
)

PAIRS = load_paraphrases().data[:30]
TEACHER = np.random.default_rng(0).normal(size=(30, 2, 16))
SIMILAR, GOLD = (part[:22] for part in load_graded_pairs(return_X_y=True))
WORDS = [*WordFrequencies.from_texts([*PAIRS.flat, *SIMILAR.flat])]
MATRIX = np.random.default_rng(1).normal(size=(len(WORDS), 16))
COMMON = {"max_epochs": 2, "batch_size": 7, "random_state": 0, "device": "cpu"}
WORD = {"vectors": fit_subwords(WordVectors(WORDS, MATRIX), n_rows=64), **COMMON}
PARAGRAM = {**WORD, "shrinkage": 0}
# 30 pairs in batches of 7 leave a batch of 2 pairs, and 22 a batch of one pair, of
# which the second process has no share.
MODELS = {
    "paragram": ParaphraseEncoder(**PARAGRAM),
    "few examples": ParaphraseEncoder(**WORD),
    "validation": ParaphraseEncoder(**PARAGRAM, validation_fraction=0.2),
    "dense updates": ParaphraseEncoder(
        **PARAGRAM, optimizer=Optimizer("adagrad", sparse=False)
    ),
    "dropout": ParaphraseEncoder(
        **PARAGRAM,
        optimizer=Optimizer("adagrad", word_dropout=0.3),
        loss=MarginLoss(negatives="mix"),
    ),
    "lstm": LSTMEncoder(**WORD, optimizer=Optimizer("adam", clip_norm=1.0)),
    "n-grams": CharagramEncoder(**COMMON, dim=8),
    "characters": CharCNNEncoder(**COMMON, dim=8),
    "texts that see each other": CNNEncoder(**WORD, padding="batch"),
}


def fitted(name):
    """A model after training, by its losses and vectors."""
    if name == "teacher":
        model = ParaphraseEncoder(**PARAGRAM, loss="distillation")
        model.fit(PAIRS, TEACHER)
    elif name in KINDS:
        model = ParaphraseEncoder(**PARAGRAM).fit(*KINDS[name])
    elif name == "supervised":
        model = SimilarityRegressor(ParaphraseEncoder(WORD["vectors"]), **COMMON).fit(
            SIMILAR, GOLD
        )
        return model.loss_curve_, model.predict(SIMILAR)
    elif name == "unknown words":  # the second process has nothing else
        pairs = [PAIRS[0], *[("qzqz", "zqzq")] * 6]
        model = LSTMEncoder(**WORD, optimizer=Optimizer(ordered_first_epoch=True))
        model.fit(pairs)
    elif name == "parts":
        model = ParaphraseEncoder(**PARAGRAM).fit(PAIRS[:15]).partial_fit(PAIRS[15:])
    else:
        model = MODELS[name].fit(PAIRS)
    return model.loss_curve_, model.transform(PAIRS)


KINDS = {
    "triplets": ([(*pair, PAIRS[i - 1][0]) for i, pair in enumerate(PAIRS)], None),
    "labels": (PAIRS[:, 0], np.arange(30) // 4),
    "scores": (SIMILAR, GOLD),
}
FITS = [*MODELS, *KINDS, "teacher", "supervised", "unknown words", "parts"]


def differing(rank):
    """The messages for processes with different data."""
    shifted = PAIRS[rank:]
    for params, pairs in (
        ({}, shifted),
        ({"random_state": rank}, PAIRS),
        ({"learning_rate": 0.1 * (1 + rank)}, PAIRS),
        ({"max_epochs": 1 + rank}, PAIRS),
    ):
        encoder = ParaphraseEncoder(**PARAGRAM).set_params(**params)
        with pytest.raises(RuntimeError, match="train one model together") as caught:
            encoder.fit(pairs)
        yield str(caught.value)
    targets = TEACHER + rank
    with pytest.raises(RuntimeError, match="train one model together") as caught:
        ParaphraseEncoder(**PARAGRAM, loss="distillation").fit(PAIRS, targets)
    yield str(caught.value)


def work(folder):
    """The work of each process."""
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    found = {name: fitted(name) for name in FITS}
    encoder = ParaphraseEncoder(**PARAGRAM, verbose=rank == 0)
    if rank == 0:
        with suppress(ImportError):  # before scikit-learn 1.9
            encoder.set_callbacks(Checkpoint(folder / "run"))
    found["checkpoint"] = encoder.fit(PAIRS).loss_curve_
    found["differing"] = list(differing(rank))
    with (folder / f"{rank}.pickle").open("wb") as file:
        pickle.dump(found, file)
    torch.distributed.destroy_process_group()


@pytest.fixture(scope="module")
def by_two(tmp_path_factory):
    """The output of two processes, their results, and their folder."""
    folder = tmp_path_factory.mktemp("two")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {  # those of torchrun, which would be a third process
        **{"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"},
        **{"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
    }
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, str(folder)],
            cwd=folder,
            env={**os.environ, **settings, "RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    printed, errors = zip(
        *(process.communicate() for process in processes), strict=True
    )
    assert [process.returncode for process in processes] == [0, 0], errors
    files = [folder / f"{rank}.pickle" for rank in range(2)]
    found = [pickle.loads(file.read_bytes()) for file in files]
    return "".join(printed), found, folder


@launched
@pytest.mark.parametrize("name", FITS)
def test_two_processes_train_what_one_does(by_two, name):
    losses, vectors = fitted(name)
    first, second = (found[name] for found in by_two[1])
    assert first[0] == second[0]
    assert_array_equal(first[1], second[1])
    assert_allclose(first[0], losses, rtol=1e-5)
    scale = np.abs(vectors).max()
    assert_allclose(first[1], vectors, rtol=0, atol=1e-4 * scale)


@launched
def test_what_differs_is_named(by_two):
    first, second = (found["differing"] for found in by_two[1])
    assert first == second  # both raise an error, and neither waits
    for message, names in zip(
        first,
        [
            "texts, indices, vectors",
            "random numbers",
            *["settings"] * 2,
            "targets",
        ],
        strict=True,
    ):
        assert (
            f"its 2 processes train one model together, but they differ in {names}."
            in message
        )


@launched
def test_one_process_may_print(by_two):
    printed, (first, second), _ = by_two
    assert first["checkpoint"] == second["checkpoint"] == first["paragram"][0]
    assert printed.count("epoch 1: loss") == 1


@launched
@pytest.mark.callbacks
def test_one_process_may_save(by_two):
    _, (first, _), folder = by_two
    assert skparaphrase.load(folder / "run").loss_curve_ == first["checkpoint"]


def test_a_task_of_joblib_trains_alone(monkeypatch):
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    encoder = ParaphraseEncoder(**PARAGRAM)
    fits = Parallel(2, backend="threading")([delayed(clone(encoder).fit)(PAIRS)] * 2)
    monkeypatch.undo()
    assert fits[0].loss_curve_ == encoder.fit(PAIRS).loss_curve_


@given(
    lengths=st.lists(st.integers(0, 30), min_size=1, max_size=40),
    size=st.integers(2, 6),
)
def test_shares_cover_all_texts_and_have_about_as_many_tokens(lengths, size):
    offsets = np.cumsum([0, *lengths])
    bounds = shares(offsets, size)
    assert len(bounds) == size + 1
    assert (bounds[0], bounds[-1]) == (0, len(lengths))
    assert (np.diff(bounds) >= 0).all()
    cost = offsets + np.arange(len(offsets))
    costs = np.diff(cost[bounds])
    assert (abs(costs - cost[-1] / size) <= max(lengths) + 1).all()


if __name__ == "__main__":
    work(Path(sys.argv[1]))
