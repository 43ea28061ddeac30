"""Training on another device gives the same results, and no step waits for it.

Without a GPU, a stand-in is used: its tensors keep their values on the CPU, but cannot
be combined with CPU tensors, and operations that would wait for a GPU are counted.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
from collections import Counter
from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest
import torch
from joblib import Parallel, delayed
from numpy.testing import assert_allclose, assert_array_equal
from registry import TRAINED
from torch.utils._python_dispatch import TorchDispatchMode

from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.encoders import (
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
    CNNEncoder,
    DeepAveragingEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    ParaphraseEncoder,
    ProjectionEncoder,
    RNNEncoder,
)
from skparaphrase.losses import InfoNCELoss, MarginLoss
from skparaphrase.networks import _table
from skparaphrase.networks._table import resolve_device
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised import (
    PairClassifier,
    PairwiseInteractionRanker,
    PairwiseInteractionRegressor,
    SequenceTagger,
    SimilarityRegressor,
    TextClassifier,
)
from skparaphrase.training import _loop
from skparaphrase.training._trainer import Trainer

# The stand-in ----------------------------------------------------------------------

CPU, ELSEWHERE = torch.device("cpu"), torch.device("meta")
COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd
WAITING = {
    *("aten::_local_scalar_dense", "aten::nonzero", "aten::masked_select"),
    *("aten::equal", "aten::_unique2", "aten::unique_dim"),
}
INDEXING = {
    *("aten::index.Tensor", "aten::index_put", "aten::index_put_"),
    "aten::_index_put_impl_",
}


class Elsewhere(torch.Tensor):
    """A tensor on the stand-in."""

    @staticmethod
    def __new__(cls, held):
        tensor = cls._make_wrapper_subclass(
            cls, held.shape, strides=held.stride(), dtype=held.dtype, device=ELSEWHERE,
            storage_offset=held.storage_offset(),
        )  # fmt: skip
        tensor.held = held
        return tensor

    def __repr__(self):
        return f"Elsewhere({self.held})"

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError(f"{function.name()} outside of the stand-in")


class StandIn(TorchDispatchMode):
    """Runs the operations of the stand-in on the CPU.

    Attributes
    ----------
    waits : Counter
        Operations that would have waited for a GPU.
    """

    def __init__(self):
        super().__init__()
        self.waits = Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name, kwargs = function.name(), kwargs or {}
        given = [*_leaves(args), *kwargs.values()]
        there = [each for each in given if isinstance(each, Elsewhere)]
        asked = any(type(each) is torch.device and each == ELSEWHERE for each in given)
        if not there and not asked:
            return function(*args, **kwargs)
        if function.has_kernel_for_dispatch_key(COMPOSITE):
            with self:
                return function.decompose(*args, **kwargs)
        gets_there = True
        if name == "aten::_to_copy":
            gets_there = asked or "device" not in kwargs
            self._note_copy(bool(there), gets_there, kwargs.get("non_blocking"))
        elif name == "aten::copy_":
            gets_there, comes = (isinstance(each, Elsewhere) for each in args[:2])
            self._note_copy(comes, gets_there, *args[2:], **kwargs)
        else:
            gets_there = kwargs.get("device", ELSEWHERE) != CPU
            self._note(name, args, given)
        inside = {key: _inside(value) for key, value in kwargs.items()}
        found = function(*_map(_inside, args), **inside)
        if not gets_there:
            return found
        known = {id(each.held): each for each in there}  # changed in place

        def outside(value):
            if not isinstance(value, torch.Tensor):
                return value
            return known[id(value)] if id(value) in known else Elsewhere(value)

        return _map(outside, found)

    def _note(self, name, args, given):
        on_cpu = [each for each in given if type(each) is torch.Tensor and each.dim()]
        waits = name in WAITING
        if name in INDEXING:
            places = [each for each in args[1] if each is not None]
            n_copied = sum(type(place) is torch.Tensor for place in places)
            n_masks = sum(place.dtype == torch.bool for place in places)
            on_cpu = on_cpu[n_copied:]
            waits = n_copied or n_masks
        if on_cpu:
            raise RuntimeError(f"{name}: tensors on two devices")
        self.waits[name] += bool(waits)

    def _note_copy(self, comes, goes, non_blocking=False):
        if comes != goes and not non_blocking:
            self.waits["copy there" if goes else "copy back"] += 1


def _leaves(values):
    for value in values:
        if isinstance(value, list | tuple):
            yield from value
        else:
            yield value


def _map(function, values):
    if isinstance(values, list | tuple):
        return type(values)(_map(function, value) for value in values)
    return function(values)


def _inside(value):
    if isinstance(value, torch.device):
        return CPU
    return value.held if isinstance(value, Elsewhere) else value


class Place:
    """A device, and how to work there.

    Attributes
    ----------
    name : str
    rtol : float
        Relative difference of losses from the CPU.
    """

    def __init__(self, name, monkeypatch):
        self.name = name
        self.stand_in = None
        self.rtol = 1e-3
        if name == "cuda":
            return
        self.stand_in, self.rtol = StandIn(), 1e-5
        # A dispatch mode is one of its thread; there are neither generators nor pins.
        monkeypatch.setattr(torch, "Generator", Generator)
        monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor)
        monkeypatch.setattr(_table, "_PINNED", (name,))
        monkeypatch.setattr(
            _loop, "prefetch", lambda make, items: (make(i) for i in items)
        )

    def __enter__(self):
        if self.stand_in is not None:
            self.stand_in.__enter__()

    def __exit__(self, *error):
        if self.stand_in is not None:
            self.stand_in.__exit__(*error)


class Generator(torch.Generator):
    """On the CPU, whatever is asked for."""

    def __new__(cls, device=None):
        return super().__new__(cls)


@pytest.fixture(
    params=[
        pytest.param("meta", id="stand-in"),
        pytest.param(
            "cuda",
            marks=[
                pytest.mark.gpu,
                pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA"),
            ],
        ),
    ]
)
def place(request, monkeypatch):
    """Another device; there, convolutions use float32 instead of TF32."""
    exact = nullcontext()
    if request.param == "cuda":
        exact = torch.backends.cudnn.flags(enabled=True, allow_tf32=False)
    with exact:
        yield Place(request.param, monkeypatch)


# What trains -----------------------------------------------------------------------

TRAINING = {"max_epochs": 2, "batch_size": 6, "random_state": 0}
SMALL = {"dim": 5, "embedding_dim": 4}
CNN = {"filters": [(3, 1), (3, 2), (3, 3)]}
PARAGRAM = partial(ParaphraseEncoder, shrinkage=0)
ENCODERS = {  # the first argument is a table of vectors
    "paragram": PARAGRAM,
    "mix": partial(
        ParaphraseEncoder, loss=MarginLoss(negatives="mix", mask_identical=True)
    ),
    "infonce": partial(PARAGRAM, loss=InfoNCELoss(), optimizer="adam"),
    "all rows": partial(PARAGRAM, optimizer=Optimizer("adagrad", sparse=False)),
    "projection": partial(ProjectionEncoder, dim=5, freeze="vectors"),
    "deep averaging": partial(
        DeepAveragingEncoder, dim=5, optimizer=Optimizer("adagrad", clip_norm=0.1)
    ),
    "rnn": partial(RNNEncoder, dim=5),
    "identity rnn": IdentityRNNEncoder,
    "lstm": partial(LSTMEncoder, dim=5),
    "lstm, full": partial(LSTMEncoder, dim=5, output_gate=True, peepholes="full"),
    "convolutions": partial(CNNEncoder, **CNN),
    "convolutions, batch": partial(
        CNNEncoder, activation="relu", padding="batch", **CNN
    ),
}
CHARACTERS = {
    "charagram": partial(CharagramEncoder, dim=5, n_layers=2),
    "char lstm": partial(CharLSTMEncoder, **SMALL),
    "char cnn": partial(CharCNNEncoder, filters=[(3, 2), (2, 4)], **SMALL),
}
CLIPPED = {"optimizer": Optimizer("adam", clip_norm=1.0)}
SUPERVISED = {
    "similarity": (SimilarityRegressor, "paragram", CLIPPED),
    "pairs": (PairClassifier, "lstm", {"projection_dim": 3}),
    "sentences": (TextClassifier, "convolutions", {}),
    "frozen": (PairClassifier, "deep averaging", {"freeze": "encoder"}),
}
INTERACTION = {
    "regressor": (PairwiseInteractionRegressor, {"freeze": None}),
    "ranker": (PairwiseInteractionRanker, {}),
    "dropout": (PairwiseInteractionRegressor, {"focus": "dropout"}),
}
TAGGERS = {"tags charagram": "charagram", "tags char lstm": "char lstm"}
LEARNT = {  # what else an encoder learns from
    "graded pairs": "paragram",
    "triplets": "paragram",
    "labels": "paragram",
    "vectors of a teacher": "projection",
    "one label of several": "paragram",
}
MODELS = [*ENCODERS, *CHARACTERS, *SUPERVISED, *INTERACTION, *TAGGERS, *LEARNT]
pytestmark = pytest.mark.usefixtures("narrow")  # blocks of few channels
each_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture
def train(vectors, sentences, pairs, gold):
    """Fit a model by its name; `train.numbers` gives its output."""
    sentences, pairs, gold = sentences[:12], pairs[:12], gold[:12]
    labels = (gold > np.median(gold)).astype(int)
    tokens = [text.split() for text in sentences]
    tags = [[word[-1] for word in text] for text in tokens]

    examples = {
        "graded pairs": (pairs, gold),
        "triplets": (np.column_stack([pairs, sentences]), None),
        "labels": (sentences, labels),
        "vectors of a teacher": (
            sentences,
            np.random.default_rng(0).normal(size=(12, 5)),
        ),
        "one label of several": (sentences, np.column_stack([labels, 1 - labels])),
    }

    def encoder(name, **settings):
        if name in CHARACTERS:
            return CHARACTERS[name](**settings)
        return ENCODERS[name](vectors, **settings)

    def fitted(name, device, **settings):
        more = {**TRAINING, "device": device, **settings}
        if name in ENCODERS or name in CHARACTERS:
            return encoder(name, **more).fit(pairs)
        if name in LEARNT:
            X, y = examples[name]
            if name == "one label of several":
                return TextClassifier(encoder(LEARNT[name], **more), **more).fit(X, y)
            return encoder(LEARNT[name], **more).fit(X, y)
        if name in SUPERVISED:
            Model, below, own = SUPERVISED[name]
            X = sentences if Model is TextClassifier else pairs
            y = gold if Model is SimilarityRegressor else labels
            return Model(encoder(below, **more), **own, **more).fit(X, y)
        if name in INTERACTION:
            Model, own = INTERACTION[name]
            y = np.arange(12) % 2 if Model is PairwiseInteractionRanker else gold
            return Model(vectors, hidden_dim=4, **own, **more).fit(pairs, y)
        model = SequenceTagger(
            encoder(TAGGERS[name], **more), hidden_dim=4, dense_dim=4, **more
        )
        return model.fit(tokens, tags)

    def numbers(name, model):
        if name in TAGGERS:
            return np.concatenate(model.predict_proba(tokens))
        if name in INTERACTION:
            return model._logits(pairs)
        texts = pairs if name in SUPERVISED and name != "sentences" else sentences
        for method in ("transform", "predict_proba", "predict"):
            if hasattr(model, method):
                return getattr(model, method)(texts)

    fitted.numbers = numbers
    return fitted


@each_model
def test_another_device_gives_what_the_cpu_does(name, place, train):
    here = train(name, "cpu")
    expected = train.numbers(name, here)
    with place:
        there = train(name, place.name)
        found = train.numbers(name, there)
        moved = train.numbers(name, on_device(here, place.name))
    # The solver of the first head stops where its steps gain little.
    rtol = max(place.rtol, 1e-4) if name in SUPERVISED else place.rtol
    assert_allclose(there.loss_curve_, here.loss_curve_, rtol=rtol)
    assert_allclose(moved, expected, atol=1e-5)
    assert_allclose(found, expected, atol=10 * place.rtol)
    assert_allclose(train.numbers(name, on_device(there, "cpu")), found, atol=1e-5)


def on_device(model, device):
    """A model that is loaded on another machine."""
    loaded = pickle.loads(pickle.dumps(model))
    for part in (loaded, getattr(loaded, "encoder_", loaded)):
        part.set_params(device=device)
    return loaded


@pytest.mark.parametrize("name", ["paragram", "convolutions"])
def test_word_dropout_draws_on_the_device(name, place, train):
    settings = {"optimizer": Optimizer("adagrad", word_dropout=0.3), "batch_size": 12}
    here = train(name, "cpu", **settings)
    with place:
        there = train(name, place.name, **settings)
    rtol = 0.5 if place.name == "cuda" else place.rtol  # other random numbers
    assert_allclose(there.loss_curve_, here.loss_curve_, rtol=rtol)


@pytest.mark.filterwarnings("ignore:Synchronization debug mode")
@each_model
def test_no_step_waits_for_the_device(name, place, train, monkeypatch):
    """With two batches, and with four, the stand-in is waited for as often."""
    if place.name == "cuda":
        monkeypatch.setattr(Trainer, "step", without_waiting(Trainer.step))
        train(name, "cuda", max_epochs=1)
        return
    waits = []
    for batch_size in (6, 3):
        with place:
            train(name, place.name, batch_size=batch_size, max_epochs=1)
        waits.append(+place.stand_in.waits)
        place.stand_in.waits.clear()
    assert waits[0] == waits[1]


# Defaults for each kind of examples.
PAIRS = load_paraphrases().data[:24]
GRADED, SCORES = (values[:24] for values in load_graded_pairs(return_X_y=True))
MARKS = np.arange(24) % 2
TRIPLETS = [(*pair, text) for pair, (text, _) in zip(PAIRS, GRADED, strict=True)]
TOKENS = [text.split()[:9] for text, _ in PAIRS]
DEFAULTS = {
    **{f"{name}()": (Encoder, PAIRS, None) for name, Encoder in TRAINED.items()},
    **{
        f"ParaphraseEncoder(loss={loss!r})": (
            partial(PARAGRAM, loss=loss),
            PAIRS,
            None,
        )
        for loss in ("margin", MarginLoss(negatives="mix"))
    },
    "ParaphraseEncoder(), graded pairs": (PARAGRAM, GRADED, SCORES),
    "ParaphraseEncoder(), triplets": (PARAGRAM, TRIPLETS, None),
    "ParaphraseEncoder(), labels": (ParaphraseEncoder, [a for a, _ in PAIRS], MARKS),
    "ParaphraseEncoder(), a teacher": (
        PARAGRAM,
        [a for a, _ in PAIRS],
        np.random.default_rng(0).normal(size=(24, 256)),
    ),
    "ParaphraseEncoder(validation_fraction=0.25)": (
        partial(PARAGRAM, validation_fraction=0.25),
        PAIRS,
        None,
    ),
    "SimilarityRegressor()": (SimilarityRegressor, GRADED, SCORES),
    "PairClassifier()": (PairClassifier, GRADED, MARKS),
    "TextClassifier()": (TextClassifier, [a for a, _ in PAIRS], MARKS),
    "PairwiseInteractionRegressor()": (PairwiseInteractionRegressor, GRADED, SCORES),
    "PairwiseInteractionRanker()": (PairwiseInteractionRanker, GRADED, MARKS),
    "SequenceTagger()": (
        SequenceTagger,
        TOKENS,
        [[word[-1] for word in text] for text in TOKENS],
    ),
}


def waits_of_a_fit(place, case, batch_size, n_epochs=1):
    Model, X, y = DEFAULTS[case]
    with place:
        Model(
            device=place.name,
            batch_size=batch_size,
            max_epochs=n_epochs,
            random_state=0,
        ).fit(X, y)
    waits = place.stand_in.waits.total()
    place.stand_in.waits.clear()
    return waits


@pytest.mark.filterwarnings("ignore:.* more than max_words", "ignore:.*constant")
@pytest.mark.parametrize("case", DEFAULTS)
def test_no_step_waits_at_the_defaults(case, monkeypatch):
    place = Place("meta", monkeypatch)
    waits = [waits_of_a_fit(place, case, batch_size) for batch_size in (12, 6)]
    assert waits[0] == waits[1]


def print_waits():
    """Waits of each training path, for docs/performance.rst."""
    print(f"{'':45}{'fit':>6}{'epoch':>6}{'step':>6}")
    for case in DEFAULTS:
        with pytest.MonkeyPatch.context() as patch:
            place = Place("meta", patch)
            few, many = (waits_of_a_fit(place, case, size) for size in (12, 6))
            twice = waits_of_a_fit(place, case, 12, n_epochs=2)
        n_steps = {12: 2, 6: 4}
        step = (many - few) / (n_steps[6] - n_steps[12])
        epoch = twice - few - n_steps[12] * step
        fit = few - epoch - n_steps[12] * step
        print(f"{case:45}{fit:6.0f}{epoch:6.0f}{step:6.1f}")


def without_waiting(step):
    def watched(*args):
        torch.cuda.set_sync_debug_mode("error")
        try:
            return step(*args)
        finally:
            torch.cuda.set_sync_debug_mode("default")

    return watched


def test_the_stand_in_sees_what_a_gpu_would_wait_for():
    with StandIn() as stand_in:
        x = torch.arange(4.0).to(ELSEWHERE)
        assert stand_in.waits.pop("copy there") == 1
        (x + 1).sum().item()
        x[x > 1]
        x[[0, 1]]
        x.cpu()
        with pytest.raises(RuntimeError, match="two devices"):
            x + torch.arange(4.0)
        y = x.clone().requires_grad_()
        (y * y).sum().backward()
        assert_array_equal(y.grad.cpu().detach(), [0, 2, 4, 6])
    assert +stand_in.waits == {
        "aten::_local_scalar_dense": 1,
        "aten::index.Tensor": 2,
        "copy back": 2,
    }


def test_arrays_go_to_the_device(place):
    array = np.arange(6).reshape(2, 3)[:, ::2]
    assert np.shares_memory(_table.to_device(array, CPU).numpy(), array)
    with place:
        there = _table.to_device(array, torch.device(place.name))
        assert there.device.type == place.name and there.dtype == torch.int64
        assert_array_equal(there.cpu().numpy(), array)


def test_workers_leave_the_gpu_alone_unless_asked(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)

    def devices():
        return resolve_device("auto").type, resolve_device("cuda").type

    assert devices() == ("cuda", "cuda")
    found = Parallel(2, backend="threading")(delayed(devices)() for _ in range(2))
    assert found == [("cpu", "cuda")] * 2


if __name__ == "__main__":
    print_waits()
