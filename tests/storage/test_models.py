"""Saving models to folders, and loading them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import errno
import io

import numpy as np
import pytest
from forged import edit
from numpy.testing import assert_array_equal
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import skparaphrase
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CharCNNEncoder,
    DeepAveragingEncoder,
    LSTMEncoder,
    ParaphraseEncoder,
    ProjectionEncoder,
    RNNEncoder,
    SIFEncoder,
)
from skparaphrase.losses import BaseLoss, DistillationLoss, InfoNCELoss, MarginLoss
from skparaphrase.optimizers import Optimizer
from skparaphrase.storage import _folders
from skparaphrase.supervised import (
    PairClassifier,
    SimilarityRegressor,
    TextClassifier,
)
from skparaphrase.text import NgramTokenizer, WordTokenizer
from skparaphrase.vectors import WordFrequencies, WordVectors, apply_sif_weights

WORDS = ["cat", "dog", "sleeps", "barks", "a", "the", "\ud800"]
TEXTS = ["a cat sleeps", "the dog barks", "", "unknown"]
PAIRS = [("a cat", "the cat"), ("dog barks", "a dog barks"), ("sleeps", "cat sleeps")]
SHORT = {"max_epochs": 1, "random_state": 0}


@pytest.fixture
def vectors():
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 5))
    return WordVectors(WORDS, matrix.astype(np.float32), unknown="a")


def shown(params):
    """Parameters; settings objects by class and parameters."""
    return {
        name: (type(value), value.get_params())
        if hasattr(value, "get_params")
        else value
        for name, value in params.items()
        if name != "vectors"
    }


@pytest.mark.parametrize(
    "make",
    [
        lambda v: AverageEncoder(v, tokenizer=WordTokenizer(lowercase=False)),
        lambda v: SIFEncoder(v, a=np.float64(0.01), frequencies={"a": 5, "the": 9}),
        lambda v: SIFEncoder(v, frequencies={"a": np.int64(5)}),
        lambda v: SIFEncoder(
            v.astype("int8"), frequencies=WordFrequencies({"a": 5}, total=50)
        ),
        lambda v: SIFEncoder(),
        lambda v: ParaphraseEncoder(
            apply_sif_weights(v),
            loss=MarginLoss(np.float32(0.5), negatives="mix"),
            **SHORT,
        ),
        lambda v: ParaphraseEncoder(
            v, validation_fraction=0.5, optimizer="adam", **SHORT
        ),
        lambda v: ProjectionEncoder(v, dim=np.int64(3), loss=InfoNCELoss(0.2), **SHORT),
        lambda v: DeepAveragingEncoder(
            v,
            n_layers=2,
            tokenizer=WordTokenizer(r"\S+", split_compounds=False),
            **SHORT,
        ),
        lambda v: RNNEncoder(v, optimizer=Optimizer("sgd", momentum=0.5), **SHORT),
        lambda v: LSTMEncoder(v.astype("float16"), peepholes=None, **SHORT),
        lambda v: CharagramEncoder(
            dim=3, tokenizer=NgramTokenizer(ngram_range=[1, 2]), **SHORT
        ),
        lambda v: CharCNNEncoder(**SHORT),  # `filters` is the name of a setting
    ],
)
@pytest.mark.filterwarnings("ignore:AverageEncoder learns nothing")
def test_loaded_encoder_gives_the_same_vectors(make, vectors, tmp_path):
    encoder = make(vectors).fit(PAIRS * 2)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder", trusted=True)
    assert type(loaded) is type(encoder)
    assert_array_equal(loaded.transform(TEXTS), encoder.transform(TEXTS))
    assert shown(loaded.get_params(deep=False)) == shown(encoder.get_params(deep=False))
    suffixes = {path.suffix for path in (tmp_path / "encoder").rglob("*.*")}
    assert suffixes <= {".json", ".npy", ".safetensors"}  # no pickle


def test_trained_encoder_keeps_its_history_and_resumes(vectors, tmp_path):
    encoder = ParaphraseEncoder(vectors, **SHORT).set_params(max_epochs=2).fit(PAIRS)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder")
    assert (loaded.loss_curve_, loaded.n_epochs_) == (encoder.loss_curve_, 2)
    assert_array_equal(loaded.vectors.matrix, vectors.matrix)
    assert isinstance(loaded.vectors_.matrix, np.memmap)
    assert loaded.partial_fit(PAIRS).n_epochs_ == 3
    warm = skparaphrase.load(tmp_path / "encoder").set_params(warm_start=True)
    assert warm.fit(PAIRS).n_epochs_ == 4
    again = warm.set_params(warm_start=False).fit(PAIRS)
    assert_array_equal(again.transform(TEXTS), encoder.transform(TEXTS))


@pytest.mark.parametrize("make", [RNNEncoder, CharagramEncoder])
def test_folders_hold_the_parameters_and_not_init(make, vectors, tmp_path):
    start = {} if make is CharagramEncoder else {"vectors": vectors}
    first = make(**start, **SHORT).fit(PAIRS)
    encoder = make(init=first, **SHORT).fit(PAIRS)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder")
    assert loaded.init is None and loaded.parameters_.keys() == first.parameters_.keys()
    for name, value in encoder.parameters_.items():
        assert_array_equal(loaded.parameters_[name], value)
    assert_array_equal(loaded.transform(TEXTS), encoder.transform(TEXTS))


class OwnLoss(BaseLoss):
    def compute(self, unit, batch):
        return unit.sum()


class OwnMarginLoss(MarginLoss):
    pass


def of_parameters(vectors, **params):
    return ParaphraseEncoder(vectors, **SHORT).fit(PAIRS).set_params(**params)


def of_steps(vectors):
    pipe = make_pipeline(FunctionTransformer(), SIFEncoder(vectors)).fit(TEXTS)
    return TextClassifier(FrozenEstimator(pipe), max_epochs=1).fit(TEXTS, list("abba"))


class SIF(SIFEncoder):
    pass


SIF.__name__ = "SIFEncoder"


@pytest.mark.parametrize(
    ("make", "params", "message"),
    [
        (of_parameters, {"tokenizer": str.split}, "tokenizer=.* cannot be saved witho"),
        (of_parameters, {"loss": OwnLoss()}, "OwnLoss .* pickle: only classes of skp"),
        (of_parameters, {"loss": "bad"}, "The 'loss' parameter of ParaphraseEncoder m"),
        (of_parameters, {"loss": OwnMarginLoss()}, "OwnMarginLoss cannot be saved wit"),
        (of_parameters, {"loss": MarginLoss(negatives=str)}, "'str'.* cannot be saved"),
        (of_steps, {}, "FunctionTransformer cannot be saved without pickle"),
        (SIF, {}, "SIFEncoder cannot be saved without pickle"),
    ],
)
def test_what_cannot_be_saved_is_refused(make, params, message, vectors, tmp_path):
    with pytest.raises(ValueError, match=message):
        make(vectors, **params).save(tmp_path / "encoder")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parameters__margin": 0.4}, "has no parameter 'margin'; load"),
        ({"parameters__loss": {"settings": ["Popen", {}]}}, "no public class 'Popen'"),
    ],
)
def test_other_parameters_and_classes_are_refused(changes, message, vectors, tmp_path):
    ParaphraseEncoder(vectors, loss=DistillationLoss()).save(tmp_path / "encoder")
    assert type(skparaphrase.load(tmp_path / "encoder").loss) is DistillationLoss
    edit(tmp_path / "encoder/metadata.json", **changes)
    with pytest.raises(ValueError, match=message):
        skparaphrase.load(tmp_path / "encoder")


SCORES = [0.0, 2.5, 5.0]
LABELS = np.array(["no", "yes", "no"], dtype=object)


@pytest.mark.parametrize(
    ("make", "X", "y"),
    [
        (
            lambda v: SimilarityRegressor(
                init=FrozenEstimator(LSTMEncoder(v, **SHORT).fit(PAIRS))
            ),
            PAIRS,
            SCORES,
        ),
        (
            lambda v: PairClassifier(FrozenEstimator(SIFEncoder(v).fit(TEXTS))),
            PAIRS,
            LABELS,
        ),
        (
            lambda v: TextClassifier(
                CharagramEncoder(dim=4),
                class_weight={1: 2.0, np.int64(5): 1},
                optimizer=Optimizer("adam", clip_norm=1.0),
            ),
            TEXTS,
            [1, 5, 1, 5],
        ),
    ],
)
def test_supervised_models(make, X, y, vectors, tmp_path):
    model = make(vectors).set_params(max_epochs=2, random_state=0)
    model.fit(X, y).save(tmp_path / "model")
    loaded = skparaphrase.load(tmp_path / "model")
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.loss_curve_ == model.loss_curve_
    assert type(loaded.encoder) is type(model.encoder)
    assert type(loaded.init) is type(model.init)
    if hasattr(model, "classes_"):
        assert loaded.classes_.dtype == model.classes_.dtype
        assert loaded.class_weight == model.class_weight
    state = loaded.head_["output.weight"]
    resumed = loaded.set_params(warm_start=True).fit(X, y)
    assert resumed.n_epochs_ == 4
    assert np.abs(resumed.head_["output.weight"] - state).max() > 0


def test_frozen_encoder_is_saved_once(vectors, tmp_path):
    encoder = FrozenEstimator(ParaphraseEncoder(vectors, **SHORT).fit(PAIRS))
    model = SimilarityRegressor(encoder, **SHORT).fit(PAIRS, SCORES)
    model.save(tmp_path / "model")
    assert not (tmp_path / "model/encoder_").exists()
    loaded = skparaphrase.load(tmp_path / "model")
    assert loaded.encoder_ is loaded.encoder.estimator
    assert_array_equal(loaded.predict(PAIRS), model.predict(PAIRS))


def test_pipelines_of_what_can_be_saved(tmp_path):
    pipe = make_pipeline(SIFEncoder(), make_pipeline("passthrough")).fit(TEXTS)
    model = TextClassifier(FrozenEstimator(pipe), max_epochs=1)
    model.fit(TEXTS, list("abba")).save(tmp_path / "model")
    loaded = skparaphrase.load(tmp_path / "model")
    assert_array_equal(loaded.predict_proba(TEXTS), model.predict_proba(TEXTS))


@pytest.mark.parametrize("name", ["metadata.json", "vectors/matrix.npy"])
def test_files_that_may_not_be_read_are_not_corrupt(
    name, vectors, tmp_path, monkeypatch
):
    SIFEncoder(vectors).fit(TEXTS).save(tmp_path / "sif")
    opened = io.open

    def refuse(file, *args, **kwargs):
        if str(file).endswith(f"sif/{name}"):
            raise PermissionError(errno.EACCES, "Permission denied", str(file))
        return opened(file, *args, **kwargs)

    monkeypatch.setattr(io, "open", refuse)  # which paths call
    with pytest.raises(PermissionError, match=f"Permission denied: .*{name}"):
        skparaphrase.load(tmp_path / "sif")


def test_large_arrays_of_other_types_are_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(_folders, "is_large", lambda n_bytes: n_bytes > 2**10)
    encoder = SIFEncoder().fit(["a cat"])  # with weights in float64
    encoder.save(tmp_path / "sif")
    assert_array_equal(skparaphrase.load(tmp_path / "sif").weights_, encoder.weights_)
