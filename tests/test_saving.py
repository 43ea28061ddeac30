"""Saving encoders to folders and loading them back."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    CharCNNEncoder,
    CharLSTMEncoder,
    ConvolutionalEncoder,
    DeepAveragingEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    ParagramEncoder,
    ProjectionEncoder,
    RNNEncoder,
    SIFEncoder,
    TfidfEncoder,
)
from skparaphrase.supervised import (
    PairClassifier,
    SentenceClassifier,
    SimilarityRegressor,
)
from skparaphrase.vectors import WordFrequencies, WordVectors

WORDS = ["cat", "dog", "sleeps", "barks", "a", "the", "\ud800"]
TEXTS = ["a cat sleeps", "the dog barks", "", "unknown"]
SHORT = {"max_epochs": 1, "random_state": 0}
PAIRS = [("a cat", "the cat"), ("dog barks", "a dog barks"), ("sleeps", "cat sleeps")]


@pytest.fixture
def vectors():
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 5))
    return WordVectors(WORDS, matrix.astype(np.float32), unknown="a")


@pytest.mark.parametrize(
    "make",
    [
        lambda v: AverageEncoder(v, lowercase=False),
        lambda v: TfidfEncoder(v),
        lambda v: SIFEncoder(v, a=np.float64(0.01), frequencies={"a": 5, "the": 9}),
        lambda v: SIFEncoder(
            v.astype("int8"), frequencies=WordFrequencies({"a": 5}, total=50)
        ),
        lambda v: SIFEncoder(v, frequencies="corpus"),
        lambda v: ParagramEncoder(v, max_epochs=2, random_state=0, weighting="sif"),
        lambda v: SIFEncoder(),
        lambda v: ProjectionEncoder(v, dim=np.int64(3), **SHORT),
        lambda v: DeepAveragingEncoder(v, n_layers=2, **SHORT),
        lambda v: RNNEncoder(v, **SHORT),
        lambda v: IdentityRNNEncoder(v, clip_norm=None, **SHORT),
        lambda v: LSTMEncoder(v.astype("float16"), peepholes=None, **SHORT),
        lambda v: ConvolutionalEncoder(v, n_filters=2, widths=[2, 1], **SHORT),
        lambda v: CharagramEncoder(dim=3, ngram_range=[1, 2], **SHORT),
        lambda v: CharCNNEncoder(embedding_dim=3, dim=4, filters=[[2, 2]], **SHORT),
        lambda v: CharLSTMEncoder(embedding_dim=3, dim=4, **SHORT),
    ],
)
def test_loaded_encoder_gives_the_same_vectors(make, vectors, tmp_path):
    encoder = make(vectors).fit(PAIRS)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder")
    assert type(loaded) is type(encoder)
    np.testing.assert_array_equal(loaded.transform(TEXTS), encoder.transform(TEXTS))
    kept = {k: v for k, v in encoder.get_params().items() if k != "vectors"}
    assert {k: v for k, v in loaded.get_params().items() if k != "vectors"} == kept


def test_trained_encoder_keeps_its_history_and_trains_on(vectors, tmp_path):
    encoder = ParagramEncoder(vectors, max_epochs=2, random_state=0).fit(PAIRS)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder")
    assert loaded.loss_curve_ == encoder.loss_curve_
    assert loaded.n_epochs_ == 2
    np.testing.assert_array_equal(loaded.vectors.matrix, vectors.matrix)
    assert isinstance(loaded.vectors_.matrix, np.memmap)
    np.testing.assert_array_equal(
        loaded.fit(PAIRS).transform(TEXTS), encoder.transform(TEXTS)
    )


def test_loading_never_imports_torch_or_pickle_files(vectors, tmp_path):
    encoder = ParagramEncoder(vectors, max_epochs=1, random_state=0).fit(PAIRS)
    encoder.save(tmp_path / "encoder")
    code = (
        "import sys, skparaphrase; "
        f"skparaphrase.load({str(tmp_path / 'encoder')!r}).transform(['a cat']); "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    suffixes = {path.suffix for path in (tmp_path / "encoder").rglob("*.*")}
    assert suffixes <= {".json", ".npy", ".safetensors"}


@pytest.mark.parametrize("make", [RNNEncoder, CharagramEncoder])
def test_folders_hold_the_parameters_and_not_init(make, vectors, tmp_path):
    start = {} if make is CharagramEncoder else {"vectors": vectors}
    first = make(**start, **SHORT).fit(PAIRS)
    encoder = make(init=first, **SHORT).fit(PAIRS)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder")
    assert loaded.init is None and loaded.parameters_.keys() == first.parameters_.keys()
    for name, value in encoder.parameters_.items():
        np.testing.assert_array_equal(loaded.parameters_[name], value)
    np.testing.assert_array_equal(loaded.transform(TEXTS), encoder.transform(TEXTS))
    suffixes = {path.suffix for path in (tmp_path / "encoder").rglob("*.*")}
    assert suffixes <= {".json", ".npy", ".safetensors"}


def test_functions_are_refused_and_leave_nothing(vectors, tmp_path):
    encoder = AverageEncoder(vectors, tokenizer=str.split).fit(TEXTS)
    with pytest.raises(ValueError, match=r"tokenizer=.*cannot be saved"):
        encoder.save(tmp_path / "encoder")
    assert list(tmp_path.iterdir()) == []


def test_saving_again_replaces_the_folder(vectors, tmp_path):
    SIFEncoder(vectors).fit(TEXTS).save(tmp_path / "encoder")
    AverageEncoder(vectors).save(tmp_path / "encoder")
    assert isinstance(skparaphrase.load(tmp_path / "encoder"), AverageEncoder)
    assert [path.name for path in tmp_path.iterdir()] == ["encoder"]


def test_foreign_classes_and_later_versions_are_refused(vectors, tmp_path):
    folder = tmp_path / "encoder"
    AverageEncoder(vectors).save(folder)
    metadata = json.loads((folder / "metadata.json").read_text())
    (folder / "metadata.json").write_text(json.dumps({**metadata, "kind": "Popen"}))
    with pytest.raises(ValueError, match="holds 'Popen'"):
        skparaphrase.load(folder)
    (folder / "metadata.json").write_text(json.dumps({**metadata, "version": 99}))
    with pytest.raises(ValueError, match=r"version 99.*upgrade"):
        skparaphrase.load(folder)
    (folder / "metadata.json").write_text("{")
    with pytest.raises(ValueError, match="damaged"):
        skparaphrase.load(folder)
    with pytest.raises(FileNotFoundError, match=r"metadata\.json"):
        skparaphrase.load(tmp_path)


def test_a_loaded_encoder_goes_on_training(vectors, tmp_path):
    encoder = ParagramEncoder(vectors, max_epochs=2, random_state=0).fit(PAIRS)
    encoder.save(tmp_path / "encoder")
    loaded = skparaphrase.load(tmp_path / "encoder").partial_fit(PAIRS)
    assert loaded.n_epochs_ == 3
    warm = skparaphrase.load(tmp_path / "encoder").set_params(warm_start=True)
    assert warm.fit(PAIRS).n_epochs_ == 4


def test_training_does_not_go_on_with_other_words_or_weights(vectors):
    encoder = ParagramEncoder(vectors, max_epochs=1, random_state=0, warm_start=True)
    encoder.fit(PAIRS)
    other = WordVectors(["cat", "dog"], np.eye(2))
    with pytest.raises(ValueError, match="Fit a clone"):
        encoder.set_params(vectors=other).fit(PAIRS)
    with pytest.raises(ValueError, match="cannot go on with 'sif'"):
        encoder.set_params(vectors=vectors, weighting="sif").fit(PAIRS)


def test_counts_of_numpy_are_saved(vectors, tmp_path):
    counts = dict(zip(["a", "the"], np.array([5, 9]), strict=True))
    SIFEncoder(vectors, frequencies=counts).fit(TEXTS).save(tmp_path / "encoder")
    assert skparaphrase.load(tmp_path / "encoder").frequencies == counts


SCORES = [0.0, 2.5, 5.0]
LABELS = np.array(["no", "yes", "no"], dtype=object)
LABELS4 = ["no", "yes", "no", "yes"]


@pytest.mark.parametrize(
    ("make", "X", "y", "method"),
    [
        (
            lambda v: SimilarityRegressor(ParagramEncoder(v), score_range=(0, 5)),
            PAIRS,
            SCORES,
            "predict",
        ),
        (
            lambda v: SimilarityRegressor(
                FrozenEstimator(LSTMEncoder(v, **SHORT).fit(PAIRS)), prior="universal"
            ),
            PAIRS,
            SCORES,
            "predict",
        ),
        (
            lambda v: PairClassifier(
                FrozenEstimator(SIFEncoder(v).fit(TEXTS)), projection_dim=7
            ),
            PAIRS,
            LABELS,
            "predict_proba",
        ),
        (
            lambda v: SentenceClassifier(
                CharagramEncoder(dim=4), class_weight={1: 2.0, np.int64(5): 1}
            ),
            TEXTS,
            [1, 5, 1, 5],
            "predict_proba",
        ),
        (lambda v: SentenceClassifier(None), TEXTS, np.array(list("abba")), "predict"),
    ],
)
def test_supervised_models_come_back(make, X, y, method, vectors, tmp_path):
    model = make(vectors).set_params(max_epochs=2, random_state=0)
    model.fit(X, y).save(tmp_path / "model")
    loaded = skparaphrase.load(tmp_path / "model")
    np.testing.assert_array_equal(getattr(loaded, method)(X), getattr(model, method)(X))
    assert loaded.loss_curve_ == model.loss_curve_
    assert type(loaded.encoder) is type(model.encoder)
    if hasattr(model, "classes_"):
        assert loaded.classes_.dtype == model.classes_.dtype
        assert loaded.class_weight == model.class_weight
    state = loaded.head_["hidden.weight"]
    again = loaded.set_params(warm_start=True).fit(X, y)  # training goes on
    assert again.n_epochs_ == 4
    assert np.abs(again.head_["hidden.weight"] - state).max() > 0


def test_foreign_encoders_are_not_saved(tmp_path):
    pipe = make_pipeline(SIFEncoder(), CommonComponentRemoval()).fit(TEXTS)
    model = SentenceClassifier(FrozenEstimator(pipe), max_epochs=1).fit(TEXTS, LABELS4)
    with pytest.raises(ValueError, match="Pipeline cannot be saved without pickle"):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())
