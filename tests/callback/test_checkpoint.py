"""Fits that are killed and resumed from a checkpoint, compared bit for bit."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from operator import attrgetter

import numpy as np
import pytest
from joblib import Parallel, delayed
from numpy.testing import assert_array_equal
from safetensors.numpy import load_file
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, ShuffleSplit

from skparaphrase.callback import Checkpoint, EarlyStopping, ScoreMonitor
from skparaphrase.encoders import (
    CharagramEncoder,
    ConvolutionalEncoder,
    DeepAveragingEncoder,
    LSTMEncoder,
    ParagramEncoder,
    ProjectionEncoder,
)
from skparaphrase.interaction import (
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
)
from skparaphrase.losses import InfoNCELoss, MarginLoss
from skparaphrase.networks._interaction import WIDTHS
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised import (
    PairClassifier,
    SentenceClassifier,
    SimilarityRegressor,
)
from skparaphrase.tagging import SequenceTagger
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors

RNG = np.random.RandomState(0)
WORDS = [f"w{i}" for i in range(30)]
VECTORS = WordVectors(WORDS, RNG.randn(30, 6).astype(np.float32))
TEXTS = [" ".join(RNG.choice(WORDS, RNG.randint(2, 6))) for _ in range(40)]
PAIRS = list(zip(TEXTS[:20], TEXTS[20:], strict=True))
GOLD = np.append(RNG.uniform(0, 5, 18), [0, 5])
LABELS = np.array(["odd", "even"])[np.arange(40) % 2]
HELD_OUT = {"X_val": TEXTS[:10], "y_val": LABELS[5:15]}
ANSWERS = [(f"w{i} w{i + 8}", text) for i in range(5) for text in TEXTS[4 * i :][:4]]
RIGHT = np.arange(20) % 3 == 0
TEACHER = RNG.randn(40, 9)
TOKENS = [text.split() for text in TEXTS]
TAGS = [[f"T{int(word[1:]) % 3}" for word in text.split()] for text in TEXTS]
RUN = {"max_epochs": 6, "batch_size": 8, "device": "cpu", "random_state": 0}
BEST = {"validation_fraction": 0.3, "learning_rate": 0.1}


def frozen(encoder):
    """Fitted on the pairs."""
    return FrozenEstimator(encoder.set_params(**RUN, loss="infonce").fit(PAIRS))


def tagger(encoder, **params):
    return SequenceTagger(encoder, dropout=0.2, **BEST, **params)


KINDS = {
    "mix": lambda: ParagramEncoder(
        VECTORS, loss=MarginLoss(negatives="mix"), ordered_first_epoch=True
    ),
    "weighted": lambda: ParagramEncoder(VECTORS.weighted({"a": 5})),
    "iterator": lambda: ParagramEncoder(
        VECTORS, loss=MarginLoss(negatives="random"), optimizer="adam"
    ),
    "validated": lambda: ParagramEncoder(VECTORS, **BEST),
    "lstm": lambda: LSTMEncoder(VECTORS, dim=4, optimizer="adam"),
    "convolutional": lambda: ConvolutionalEncoder(VECTORS, n_filters=4),
    "scrambled": lambda: ConvolutionalEncoder(VECTORS, n_filters=4, scramble=0.5),
    "without a seed": lambda: DeepAveragingEncoder(
        VECTORS, loss="infonce", word_dropout=0.2
    ),
    "dense charagram": lambda: CharagramEncoder(
        dim=4, optimizer=Optimizer(sparse=False), max_ngrams=50
    ),
    "init": lambda: ProjectionEncoder(
        VECTORS, dim=4, init=frozen(ProjectionEncoder(VECTORS, dim=4))
    ),
    "distillation": lambda: ParagramEncoder(
        VECTORS, loss="distillation", optimizer="adam"
    ),
    "regressor": lambda: SimilarityRegressor(
        ParagramEncoder(VECTORS), patience=5, **BEST
    ),
    "prior": lambda: SimilarityRegressor(
        frozen(DeepAveragingEncoder(VECTORS)),
        prior="universal",
        optimizer="sgd",
        **BEST,
    ),
    "frozen vectors": lambda: PairClassifier(
        LSTMEncoder(VECTORS, dim=4), freeze="vectors", **BEST
    ),
    "classifier": lambda: SentenceClassifier(
        LSTMEncoder(VECTORS, dim=4), class_weight="balanced"
    ),
    "frozen encoder": lambda: SentenceClassifier(
        frozen(ParagramEncoder(VECTORS)), learning_rate=0.1
    ),
    "interaction": lambda: PairwiseInteractionRegressor(
        VECTORS,
        hidden_dim=4,
        freeze=None,
        vectors_penalty=1e-4,
        validation_fraction=0.3,
    ),
    "ranker": lambda: PairwiseInteractionRanker(
        VECTORS, hidden_dim=4, optimizer=Optimizer("rmsprop", reset=True)
    ),
    "tagger": lambda: tagger(CharagramEncoder(dim=4)),
    "frozen tagger": lambda: tagger(frozen(CharagramEncoder(dim=4)), optimizer="adam"),
}
SCORES = {"X": PAIRS, "y": GOLD}
LONG = [" ".join(TEXTS[i:] + TEXTS[:i])[:90] for i in range(40)]
DATA = {  # all others learn from pairs
    "scrambled": lambda: {"X": list(zip(LONG[:20], LONG[20:], strict=True))},
    "iterator": lambda: {"X": iter(PAIRS)},
    "distillation": lambda: {"X": TEXTS, "y": TEACHER},
    **dict.fromkeys(("regressor", "prior", "interaction"), lambda: SCORES),
    "frozen vectors": lambda: {"X": PAIRS, "y": LABELS[:20]},
    **dict.fromkeys(
        ("classifier", "frozen encoder"), lambda: {"X": TEXTS, "y": LABELS, **HELD_OUT}
    ),
    "ranker": lambda: {"X": ANSWERS, "y": RIGHT},
    **dict.fromkeys(("tagger", "frozen tagger"), lambda: {"X": TOKENS, "y": TAGS}),
}


class Callback:
    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context):
        if context.task_name == "epoch":
            self.after_epoch()


class Killed(BaseException):
    pass


class Killer(Callback):
    """End the fit in an epoch, before its checkpoint."""

    def __init__(self, epoch):
        self.left = epoch

    def after_epoch(self):
        self.left -= 1
        if not self.left:
            raise Killed


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    for limit, widths in WIDTHS.items():
        monkeypatch.setitem(WIDTHS, limit, (6, 7, 8, 7, 6, 8)[: len(widths)])


def everything(value):
    """All that an object holds, for comparison."""
    if isinstance(value, np.ndarray):
        numbers = value.tolist() if value.dtype == object else value.tobytes()
        return value.dtype.str, value.shape, numbers
    if isinstance(value, np.random.RandomState):
        return everything(value.get_state())
    if isinstance(value, dict):
        return {key: everything(part) for key, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [everything(part) for part in value]
    if hasattr(value, "__dict__") and not callable(value):
        parts = vars(value).items()
        return {k: everything(part) for k, part in parts if k != "_skl_callbacks"}
    return value.item() if isinstance(value, np.generic) else value


def paragram(folder, *more, every=1, **changes):
    encoder = ParagramEncoder(VECTORS, **{**RUN, "warm_start": True, **changes})
    return encoder.set_callbacks(Checkpoint(folder, every_n_epochs=every), *more)


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


EVERY = [(kind, 1) for kind in KINDS]
EVERY += [("weighted", 2), ("regressor", 2), ("tagger", 2)]


@pytest.mark.filterwarnings("ignore:The loss of .* the same output")
@pytest.mark.parametrize(("kind", "every"), EVERY)
def test_killed_fit_ends_as_an_uninterrupted_one(kind, every, tmp_path):
    def fit(folder, *killers):
        np.random.seed(1)  # noqa: NPY002  of random_state=None
        model = KINDS[kind]().set_params(**RUN, warm_start=True)
        if kind == "without a seed":
            model.set_params(random_state=None)
        checkpoint = Checkpoint(tmp_path / folder, every_n_epochs=every)
        data = DATA.get(kind, lambda: {"X": PAIRS})()
        return model.set_callbacks(checkpoint, *killers).fit(**data)

    whole = everything(fit("whole"))
    kept = 0
    for epoch in (1, 4, 3):
        with pytest.raises(Killed):
            fit("killed", Killer(epoch))
        kept = (kept + epoch - 1) // every * every
        assert names(tmp_path / "killed") == [f"epoch-{kept}"][: bool(kept)]
        np.random.random()  # noqa: NPY002
    assert everything(fit("killed")) == whole
    assert everything(fit("killed", Killer(1))) == whole  # no epoch is left
    assert names(tmp_path / "killed") == ["epoch-6"]


def test_fit_without_a_seed_resumes_with_that_of_the_checkpoint(tmp_path):
    """The scale and the validation pairs depend on the seed."""

    def fit(*killers):
        model = SimilarityRegressor(
            CharagramEncoder(dim=4), validation_fraction=0.3, max_epochs=3, hidden_dim=3
        )
        return model.set_callbacks(Checkpoint(tmp_path), *killers).fit(PAIRS, GOLD)

    with pytest.raises(Killed):
        fit(Killer(3))
    scales = {fit().scale_ for _ in range(2)}
    assert len(scales) == 1


def test_fits_in_threads_have_folders_of_their_own(tmp_path):
    model = ParagramEncoder(VECTORS, **{**RUN, "max_epochs": 3})
    model.set_callbacks(Checkpoint(tmp_path, subfolders=True))
    fits = [clone(model).set_params(learning_rate=0.01 * i) for i in range(1, 7)]
    Parallel(2, backend="threading")(delayed(each.fit)(PAIRS) for each in fits)
    assert len(names(tmp_path)) == 6
    assert {tuple(names(tmp_path / name)) for name in names(tmp_path)} == {("epoch-3",)}


def test_model_can_be_pickled_during_a_fit(tmp_path):
    monitor = ScoreMonitor(pickled_size)
    paragram(
        tmp_path, EarlyStopping(attrgetter("n_epochs_")), monitor, max_epochs=2
    ).fit(PAIRS)
    assert [scores["score"] > 0 for scores in monitor.scores_] == [True, True]


def pickled_size(model):
    return float(len(pickle.dumps(model)))


def test_best_epoch_may_be_an_earlier_one(tmp_path):
    def fit(folder, *callbacks):
        model = SimilarityRegressor(ParagramEncoder(VECTORS), **RUN)
        model.set_params(learning_rate=0.3, max_epochs=20, patience=4)
        model.set_callbacks(Checkpoint(folder), *callbacks)
        return model.fit(PAIRS, GOLD, X_val=PAIRS[10:] + PAIRS[:10], y_val=GOLD)

    whole = fit(tmp_path / "whole")
    epoch = whole.best_epoch_
    assert whole.n_epochs_ == epoch + 4 < 20
    with pytest.raises(Killed):
        fit(tmp_path, Killer(epoch + 3))
    arrays = load_file(tmp_path / f"epoch-{epoch + 2}" / "arrays.safetensors")
    assert "training/best/arrays/vectors" in arrays
    assert everything(fit(tmp_path)) == everything(whole)
    assert everything(fit(tmp_path, Killer(1))) == everything(whole)


# Processes that are killed by a signal

SCRIPT = """
import sys
import torch
from skparaphrase.callback import Checkpoint
from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import LSTMEncoder
from skparaphrase.losses import MarginLoss

torch.set_num_threads(1)
folder, out = sys.argv[1:]
encoder = LSTMEncoder(
    dim=8, optimizer="adam",
    loss=MarginLoss(negatives="mix"), max_epochs=4, random_state=0, device="cpu",
    verbose=True,
)
pairs = load_paraphrases().data[:400]
encoder.set_callbacks(Checkpoint(folder)).fit(pairs)
encoder.save(out)
"""


def run(script, *arguments, kill_at=None):
    """Lines that a script prints, until a file is there."""
    command = [sys.executable, "-u", "-c", script, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while kill_at and not kill_at.exists() and process.poll() is None:
            time.sleep(0.001)
        if kill_at:
            process.kill()
        lines = process.stdout.read().splitlines()
    assert process.returncode == (-signal.SIGKILL if kill_at else 0)
    return lines


@pytest.mark.filterwarnings("ignore:The loss of .* the same output")
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL")
def test_process_that_is_killed_from_outside(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["", tmp_path / "a", tmp_path / "one"])
    exec(SCRIPT, {})
    whole = capsys.readouterr().out.splitlines()
    arguments = SCRIPT, tmp_path / "b", tmp_path / "other"
    first = run(*arguments, kill_at=tmp_path / "b" / "epoch-2")
    assert names(tmp_path / "b")[-1] == "epoch-2"
    second = run(*arguments)
    assert len(whole) == 4 and (first, second) == (whole[:2], whole[2:])
    for name in ("metadata.json", "arrays.safetensors", "vectors_/matrix.npy"):
        one = (tmp_path / "one" / name).read_bytes()
        assert one == (tmp_path / "other" / name).read_bytes()


EVERY_STAGE = """
import os
import signal
import sys
from pathlib import Path

import numpy as np
import torch
from skparaphrase.callback import Checkpoint
from skparaphrase.encoders import ParagramEncoder
from skparaphrase.vectors import WordVectors

torch.set_num_threads(1)
root = Path(sys.argv[1])
words = [f"w{i}" for i in range(20)]
matrix = np.random.RandomState(0).randn(20, 4).astype(np.float32)
vectors = WordVectors(words, matrix)
pairs = [(f"w{i}", f"w{(3 * i) % 20}") for i in range(20)]


def fit(folder):
    encoder = ParagramEncoder(
        vectors, max_epochs=2, batch_size=8, random_state=0, device="cpu"
    )
    return encoder.set_callbacks(Checkpoint(folder)).fit(pairs).vectors_.matrix


def die_at(stage, folder):
    # Before its n-th look at, or change of, a file in the folder.
    count = 0

    def hook(event, arguments):
        nonlocal count
        paths = [os.fspath(a) for a in arguments if isinstance(a, (str, os.PathLike))]
        if event == "os.remove" or any(str(folder) in path for path in paths):
            count += 1
            if count == stage:
                os.write(2, f"{stage} {event}\\n".encode())
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    fit(folder)
    os._exit(0)


whole = fit(root / "whole")
best, stage = 0, 0
while True:
    stage += 1
    folder = root / f"stage-{stage}"
    child = os.fork()
    if child == 0:
        die_at(stage, folder)
    _, status = os.waitpid(child, 0)
    found = [p for p in folder.glob("epoch-*")] if folder.exists() else []
    newest = max((int(p.name[6:]) for p in found), default=0)
    assert newest >= best, f"stage {stage}: epoch {newest} after {best}"
    best = newest
    assert len(found) <= 2
    np.testing.assert_array_equal(fit(folder), whole)
    assert sorted(p.name for p in folder.iterdir()) == ["epoch-2", "lock"], folder
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0 and best == 2
        break
    assert os.WTERMSIG(status) == signal.SIGKILL
print(stage)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_kill_before_every_file_operation_leaves_a_complete_checkpoint(tmp_path):
    (stages,) = run(EVERY_STAGE, tmp_path)
    assert int(stages) > 30


def test_two_fits_do_not_write_to_one_folder(tmp_path):
    refused = []

    class Second(Callback):
        def after_epoch(self):
            with pytest.raises(ValueError, match="Another fit is writing"):
                paragram(tmp_path).fit(PAIRS)
            refused.append(True)

    paragram(tmp_path, Second()).fit(PAIRS)
    assert len(refused) == 6
    paragram(tmp_path).fit(PAIRS)  # unlocked


# What callbacks remember


def test_callbacks_resume(tmp_path, capsys):
    scores = {1: 1.0, 2: 3.0, 3: 2.0, 4: 2.5, 5: 1.0, 6: 9.0}

    def fit(folder, *more):
        monitor = ScoreMonitor(lambda e: {"n": e.n_epochs_, "m": np.float32(0.1)})
        stopping = EarlyStopping(lambda e: scores[e.n_epochs_], patience=3)
        other = EarlyStopping(lambda e: -e.n_epochs_, patience=9)
        callbacks = (monitor, Checkpoint(folder), other, stopping, *more)
        encoder = ParagramEncoder(VECTORS, **RUN).set_callbacks(*callbacks).fit(PAIRS)
        seen = [
            {k: v for k, v in vars(c).items() if k not in ("scorer", "_best")}
            for c in (monitor, stopping, other)
        ]
        return encoder, seen

    whole, seen = fit(tmp_path / "whole")
    assert whole.n_epochs_ == 5 and seen[1]["best_epoch_"] == 2
    for epoch in (4, 1):
        with pytest.raises(Killed):
            fit(tmp_path / "killed", Killer(epoch))
    resumed, again = fit(tmp_path / "killed", ProgressBar())
    assert everything(resumed) == everything(whole) and again == seen
    done, again = fit(tmp_path / "killed", Killer(1))  # stopped, before max_epochs
    assert everything(done) == everything(whole) and again == seen


@pytest.fixture
def half(tmp_path):
    """A folder with the checkpoint of epoch 3."""
    with pytest.raises(Killed):
        paragram(tmp_path, Killer(4)).fit(PAIRS)
    return tmp_path


def test_new_callback_sees_the_remaining_epochs(half):
    monitor = ScoreMonitor(lambda encoder: encoder.n_epochs_)
    paragram(half, monitor).fit(PAIRS)
    assert [entry["score"] for entry in monitor.scores_] == [4, 5, 6]


# Checkpoints of a different fit


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learning_rate": 0.1}, "learning_rate was 0.0075 and is 0.1"),
        ({"random_state": 1}, "random_state differs"),
        ({"loss": InfoNCELoss()}, "loss was 'auto' and is 'InfoNCELoss"),
        ({"optimizer": Optimizer("adagrad")}, "optimizer was 'adagrad' and is 'Opt"),
        ({"vectors": VECTORS.replace(2 * VECTORS.matrix)}, "vectors was 'WordV"),
        ({"tokenizer": str.split}, "tokenizer was None and is 'method"),
        ({"tokenizer": WordTokenizer("ptb")}, "tokenizer was None and is 'WordTok"),
        ({"max_epochs": 2}, "it has 3 epochs, but max_epochs=2"),
        ({"X": PAIRS[:-1]}, "the texts differ"),
        ({"X": PAIRS[::-1]}, "the texts differ"),
        ({"y": np.arange(20) > 0}, "the texts differ"),
        (
            {"model": DeepAveragingEncoder},
            "model was ParagramEncoder and is DeepAv",
        ),
    ],
)
def test_another_fit_is_refused(changes, message, half):
    changes = changes.copy()
    X, y = changes.pop("X", PAIRS), changes.pop("y", None)
    model = changes.pop("model", ParagramEncoder)(
        VECTORS, **RUN, warm_start=True
    ).set_params(**changes)
    before = {k: id(v) for k, v in vars(model).items()}
    with pytest.raises(ValueError, match=f"{message}.*Use another folder"):
        model.set_callbacks(Checkpoint(half)).fit(X, y)
    model.set_callbacks()
    assert {k: id(v) for k, v in vars(model).items()} == before
    assert names(half) == ["epoch-3"]
    paragram(half).fit(PAIRS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": GOLD[::-1]}, "the examples differ"),
        ({"sample_weight": np.arange(20)}, "the examples differ"),
        ({"y_val": GOLD[:8]}, "the validation examples differ"),
    ],
)
def test_other_targets_are_refused(change, message, tmp_path):
    data = {"X": PAIRS, "y": GOLD, "X_val": PAIRS[:8], "y_val": GOLD[8:16]}
    model = SimilarityRegressor(ParagramEncoder(VECTORS), **RUN)
    model.set_callbacks(Checkpoint(tmp_path)).fit(**data)
    with pytest.raises(ValueError, match=message):
        model.fit(**{**data, **change})
    with pytest.raises(ValueError, match=r"encoder was 'Para.*is 'Frozen"):
        model.set_params(encoder=frozen(ParagramEncoder(VECTORS))).fit(**data)


@pytest.mark.parametrize("teacher", [None, TEACHER[:20]])
def test_other_validation_texts_are_refused(teacher, tmp_path):
    encoder = paragram(tmp_path, loss="margin" if teacher is None else "distillation")
    encoder.set_params(**BEST, max_epochs=1, warm_start=False)
    X = PAIRS if teacher is None else TEXTS[:20]
    encoder.fit(X, teacher)
    for i in range(20):  # each is trained on or held out
        changed = X[:i] + X[i - 1 : i] + X[i + 1 :] if i else X[1:2] + X[1:]
        with pytest.raises(ValueError, match=r"the (validation )?texts differ"):
            encoder.fit(changed, teacher)


def test_max_epochs_may_be_raised(tmp_path):
    whole = everything(paragram(tmp_path / "whole", max_epochs=8).fit(PAIRS))
    paragram(tmp_path / "more", max_epochs=5, every=3).fit(PAIRS)
    assert names(tmp_path / "more") == ["epoch-5"]  # the last, in any case
    more = paragram(tmp_path / "more", max_epochs=8, verbose=True).fit(PAIRS)
    assert {**everything(more), "verbose": False} == whole


@pytest.mark.parametrize("optimizer", ["rmsprop", Optimizer("adam", schedule="linear")])
def test_max_epochs_decides_a_linear_schedule(optimizer, tmp_path):
    # A name takes the schedule of the model, which is linear.
    model = PairwiseInteractionRanker(VECTORS, hidden_dim=4, optimizer=optimizer, **RUN)
    model.set_params(max_epochs=1).set_callbacks(Checkpoint(tmp_path))
    model.fit(ANSWERS, RIGHT)
    with pytest.raises(ValueError, match="max_epochs was 1 and is 2"):
        model.set_params(max_epochs=2).fit(ANSWERS, RIGHT)


def test_warm_start_from_another_state_is_another_fit(tmp_path):
    def script(*killers):
        encoder = paragram(tmp_path / "one").fit(PAIRS)
        encoder.set_callbacks(Checkpoint(tmp_path / "two"), *killers)
        return encoder.fit(PAIRS)

    with pytest.raises(Killed):
        script(Killer(3))
    twice = script()
    plain = ParagramEncoder(VECTORS, **RUN, warm_start=True).fit(PAIRS).fit(PAIRS)
    assert everything(twice) == everything(plain) and twice.n_epochs_ == 12
    with pytest.raises(ValueError, match="fitted state that it resumes from differs"):
        twice.fit(PAIRS)


def test_killed_grid_search_resumes(tmp_path):
    def search(subfolders, *killers):
        checkpoint = Checkpoint(tmp_path, subfolders=subfolders)
        encoder = ParagramEncoder(VECTORS, loss=MarginLoss(), **RUN)
        return GridSearchCV(
            encoder.set_callbacks(checkpoint, *killers),
            {"loss__margin": [0.3, 0.5]},
            cv=ShuffleSplit(2, random_state=0),
            scoring=lambda encoder, X, y=None: -encoder.loss_curve_[-1],
            error_score="raise",
        ).fit(PAIRS)

    with pytest.raises(ValueError, match="by a different fit: the texts differ"):
        search(False)
    shutil.rmtree(tmp_path / "epoch-6")
    with pytest.raises(Killed):
        search(True, Killer(20))  # in the fourth of five fits
    assert len(names(tmp_path)) == 4
    found = search(True, Killer(12))  # of ten epochs that are left
    assert len(names(tmp_path)) == 5
    plain = ParagramEncoder(VECTORS, loss=MarginLoss(), **RUN)
    plain.set_params(**found.best_params_).fit(PAIRS)
    assert_array_equal(found.best_estimator_.vectors_.matrix, plain.vectors_.matrix)


def test_what_checkpoints_refuse(tmp_path):
    with pytest.raises(ValueError, match="every_n_epochs must be at least 1"):
        Checkpoint(tmp_path, every_n_epochs=0)
    with pytest.raises(ValueError, match="one Checkpoint"):
        paragram(tmp_path, Checkpoint(tmp_path)).fit(PAIRS)
    encoder = ParagramEncoder(VECTORS, **{**RUN, "random_state": None})
    encoder.set_callbacks(Checkpoint(tmp_path, subfolders=True))
    with pytest.raises(ValueError, match="set random_state to an int"):
        encoder.fit(PAIRS)
    grid = {"learning_rate": [0.1]}
    search = GridSearchCV(ParagramEncoder(VECTORS), grid, scoring=lambda *_: 0.0)
    with pytest.raises(TypeError, match="GridSearchCV is not trained by epochs"):
        search.set_callbacks(Checkpoint(tmp_path)).fit(PAIRS)
    copy = pickle.loads(pickle.dumps(Checkpoint(tmp_path, every_n_epochs=3)))
    assert copy.every_n_epochs == 3


def test_incomplete_state_is_refused(half):
    path = half / "epoch-3" / "metadata.json"
    text = path.read_text().replace('"stopped"', '"begun"')
    path.write_text(text.replace("crc32", "old"))  # as of an old version
    with pytest.raises(ValueError, match=r"epoch-3 is damaged: KeyError\('stopped'\)"):
        paragram(half).fit(PAIRS)
