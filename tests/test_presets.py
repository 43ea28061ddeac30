"""Settings of the papers, written out once more."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib import import_module

import numpy as np
import pytest

from skparaphrase.datasets import load_word_vectors
from skparaphrase.encoders import LSTMEncoder, ParagramEncoder, SIFEncoder
from skparaphrase.losses import MarginLoss
from skparaphrase.optimizers import Optimizer, check_optimizer

ROOMS = "encoders", "supervised", "interaction", "tagging"
SYMBOLS = {
    name: getattr(module, name)
    for module in map(import_module, (f"skparaphrase.{room}" for room in ROOMS))
    for name in module.__all__
}
SETTINGS = {
    name: value._paper_settings
    for name, value in SYMBOLS.items()
    if hasattr(value, "paper")
}

# Wieting et al. (2016) and their scripts, Charagram, CSE: batch size, epochs,
# optimizer, learning rate, norm to clip to, margin, negatives, lambda_w, lambda_c.
ENCODERS = """
Paragram ppdb-xl                100 10 adam    5e-3 1 0.4 max 1e-6
Paragram ppdb-xxl               100 10 adagrad 0.05 - 0.4 max 1e-6
Paragram words                   50 10 adagrad 0.05 - 0.6 mix 1e-9
Projection ppdb-xl              100 10 adam    5e-4 - 0.4 max 1e-8 1e-5
Projection features             100 10 adam    5e-4 - 0.4 max 1e-8 1e-5
DeepAveraging ppdb-xl           100 10 adagrad 0.05 - 0.4 max 1e-5 1e-5
RNN ppdb-xl                     100 10 adam    5e-4 - 0.4 mix 1e-6 1e-4
IdentityRNN ppdb-xl             100 10 adam    5e-3 1 0.4 max 1e-6 10
LSTM ppdb-xl                     50 10 adam    5e-4 - 0.4 max 1e-6 1e-3
LSTM ppdb-xl-gate               100 10 adam    5e-4 - 0.4 max 1e-6 1e-3
Convolutional simple-wikipedia  256 10 adam    1e-3 - 0.6 max 1e-6 0
Convolutional ppdb-xl           128 10 adam    1e-3 - 0.4 max 1e-6 0
Convolutional widths            100 10 adam    1e-3 - 0.6 max 1e-6 0
Convolutional width             100 10 adam    1e-3 - 0.6 max 1e-6 0
Charagram phrases               100 10 adam    1e-3 - 0.4 max 1e-6 1e-6
Charagram words                  25 25 adam    1e-3 - 0.4 max 1e-6 1e-6
Charagram words-2-4              25 50 adam    1e-3 - 0.4 max 1e-6 1e-6
CharCNN phrases                 100 10 adam    1e-3 - 0.4 max 1e-6 1e-6
CharCNN words                    25 50 adam    1e-3 - 0.4 mix 1e-6 1e-6
CharLSTM phrases                100 10 adam    1e-3 - 0.4 max 1e-6 1e-6
CharLSTM words                   50 50 adam    1e-3 - 0.4 mix 1e-6 1e-6
"""
ORDERED = {"ordered_first_epoch": True}
CSE = {"n_filters": 100, "activation": "linear", "scramble": 0.5, "word_dropout": 0.0}
CSE["widths"] = (1, 2, 3)
EQUAL = {"filters": "equal", "conv_activation": "tanh", "activation": "linear"}
KIM = {"filters": "kim", "conv_activation": "relu", "activation": "tanh"}
MORE = {
    "DeepAveraging ppdb-xl": {"n_layers": 1, "activation": "tanh"},
    "RNN ppdb-xl": {"activation": "tanh"},
    "LSTM ppdb-xl": {"peepholes": "diagonal", "output_gate": False},
    "LSTM ppdb-xl-gate": {"peepholes": "diagonal", "output_gate": True},
    "Convolutional simple-wikipedia": {**CSE, "word_dropout": 0.1},
    "Convolutional ppdb-xl": CSE,
    "Convolutional widths": CSE,
    "Convolutional width": {**CSE, "widths": (1,), "n_filters": 300},
    "Projection features": {"dim": 2400},
    "Charagram phrases": {"ngram_range": (2, 4), "activation": "tanh"},
    "Charagram words": {
        "ngram_range": (2, 6),
        "activation": "linear",
        "max_ngrams": 50_000,
    },
    "Charagram words-2-4": {"ngram_range": (2, 4), "activation": "linear"},
    "CharCNN phrases": {**KIM, **ORDERED},
    "CharCNN words": EQUAL,
    "CharLSTM phrases": {"output_gate": False, **ORDERED},
    "CharLSTM words": {"output_gate": True},
}

# What the papers print, as far as it bounds a setting: `data/published/settings.tsv`.
WIETING = {
    "batch_size": (25, 50, 100),
    "vectors_penalty": (1e-5, 1e-6, 1e-7, 1e-8),
    "composition_penalty": (1e-3, 1e-4, 1e-5, 1e-6),
    "margin": (0.4, 0.6, 0.8),
    "negatives": ("mix", "max"),
    "optimizer": ("adagrad", "adam"),
    "learning_rate": (0.05, 0.005, 0.0005),
    "clip_norm": (None, 1),
    "max_epochs": (10,),
}
XXL = {
    **WIETING, "batch_size": (100,), "margin": (0.4,), "optimizer": ("adagrad",),
    "learning_rate": (0.05,), "vectors_penalty": (1e-6, 1e-7, 1e-8),
}  # fmt: skip
PROJECTIONS = {
    "batch_size": (100,), "margin": (0.4,), "negatives": ("max",), "dim": (1200, 2400),
    "composition_penalty": (1e-4, 1e-5, 1e-6, 1e-7, 1e-8),
}  # fmt: skip
CHARACTERS = {
    "margin": (0.4,),
    "negatives": ("mix", "max"),
    "batch_size": (25, 50),
    "vectors_penalty": (1e-4, 1e-5, 1e-6),
    "composition_penalty": (1e-4, 1e-5, 1e-6),
    "max_epochs": (50,),
    "ordered_first_epoch": (False,),
}
PHRASES = {
    "batch_size": (100,), "margin": (0.4,), "negatives": ("max",),
    "optimizer": ("adam",), "learning_rate": (0.001,), "max_epochs": (10,),
}  # fmt: skip
JIAO = {
    "margin": (0.4, 0.6, 0.8),
    "vectors_penalty": (1e-4, 1e-5, 1e-6),
    "composition_penalty": (1e-5, 1e-6, 1e-7, 0),
    "batch_size": (32, 64, 128, 256),
    "optimizer": ("adam",),
    "learning_rate": (0.001,),
    "max_epochs": (10,),
    "widths": ((1, 2, 3),),
    "n_filters": (100,),
}
NOTE_4 = {
    "margin": (0.6,), "vectors_penalty": (1e-6,), "composition_penalty": (0,),
    "batch_size": (100,), "max_epochs": (10,),
}  # fmt: skip
PRINTED = {
    "ParagramEncoder ppdb-xl": WIETING,
    "ParagramEncoder ppdb-xxl": XXL,
    "ProjectionEncoder ppdb-xl": WIETING,
    "ProjectionEncoder features": PROJECTIONS,
    "DeepAveragingEncoder ppdb-xl": WIETING,
    "RNNEncoder ppdb-xl": WIETING,
    "IdentityRNNEncoder ppdb-xl": {**WIETING, "composition_penalty": (1e3, 1e2, 10, 1)},
    "LSTMEncoder ppdb-xl": WIETING,
    "LSTMEncoder ppdb-xl-gate": WIETING,
    "CharagramEncoder phrases": {**PHRASES, "ordered_first_epoch": (False,)},
    "CharagramEncoder words": {
        **CHARACTERS, "max_epochs": (25,), "max_ngrams": (50_000,),
        "ngram_range": ((2, 6),),
    },
    "CharagramEncoder words-2-4": {**CHARACTERS, "ngram_range": ((2, 4),)},
    "CharCNNEncoder phrases": {**PHRASES, "ordered_first_epoch": (True,)},
    "CharCNNEncoder words": CHARACTERS,
    "CharLSTMEncoder phrases": {**PHRASES, "ordered_first_epoch": (True,)},
    "CharLSTMEncoder words": CHARACTERS,
    "ConvolutionalEncoder simple-wikipedia": JIAO,
    "ConvolutionalEncoder ppdb-xl": JIAO,
    "ConvolutionalEncoder widths": {**NOTE_4, "n_filters": (100,)},
    "ConvolutionalEncoder width": {**NOTE_4, "n_filters": (300,)},
}  # fmt: skip


# All other parameters of encoders, in every setting.
OTHERS = {
    "pooling": "mean",
    "vectors": None, "tokenizer": None, "init": None, "positive_from": None,
    "residual": False, "n_layers": 1, "bidirectional": False, "padding": "text",
    "min_count": 1, "max_ngrams": None, "binary": True, "lowercase": True,
    "embedding_dim": 300, "embedding_range": None, "peepholes": "diagonal",
    "dropout": 0.0, "word_dropout": 0.0,
    "ordered_first_epoch": False, "freeze": None, "validation_fraction": None,
    "patience": None, "warm_start": False, "device": "auto", "random_state": None,
    "verbose": False,
}  # fmt: skip
# What changes with a default unless a setting names it.
TRAINING = {
    "loss", "optimizer", "learning_rate", "batch_size", "max_epochs",
    "vectors_penalty", "composition_penalty", "residual",
}  # fmt: skip

# Arora et al. (2017): a of table 1, and of the scripts of table 2.
AVERAGES = {
    "SIFEncoder sts": {"a": 1e-3},
    "SIFEncoder sick": {"a": 1e-2},
    "SIFEncoder sst": {"a": 1e-3},
    "TfidfEncoder sts": {},
}

# Classifiers and regressors on pairs and sentences, without optimizer.
TRAINED = {"batch_size": 25, "max_epochs": 10, "head_penalty": 1e-6, "scale": None}
FROZEN = {**TRAINED, "max_epochs": 20, "freeze": "encoder"}
SIF = {**FROZEN, "projection_dim": 2400, "encoder": SIFEncoder(a=1e-2)}
WORDS = {"vectors_penalty": 1e-5, "composition_penalty": 1e-6}
PP = {"encoder": ParagramEncoder(load_word_vectors(), pooling="mean")}
UNIVERSAL = {**TRAINED, **WORDS, "prior": "universal"}
ADAM, ADAGRAD = ("adam", 1e-3), ("adagrad", 0.05)
SUPERVISED = {
    "SimilarityRegressor wieting": (*ADAM, 50, {**TRAINED, **WORDS, **PP}),
    "SimilarityRegressor wieting-universal": (*ADAM, 50, UNIVERSAL),
    "SimilarityRegressor wieting-features": (*ADAM, 50, FROZEN),
    "SimilarityRegressor sif": (*ADAM, 50, SIF),
    "SimilarityRegressor cse": (*ADAM, 300, {
        "batch_size": 32, "max_epochs": 10, "head_penalty": 1e-7, "scale": None,
        "normalize": True, "prior": "universal", "vectors_penalty": 1e-4,
        "composition_penalty": 1e-5,
    }),
    "PairClassifier wieting": (*ADAGRAD, 150, {**TRAINED, **WORDS, **PP}),
    "PairClassifier wieting-universal": (*ADAGRAD, 150, UNIVERSAL),
    "PairClassifier wieting-features": (*ADAGRAD, 150, FROZEN),
    "PairClassifier sif": (*ADAGRAD, 150, SIF),
    "SentenceClassifier wieting": (
        *ADAM, 300,
        {
            **TRAINED, "vectors_penalty": 1e-6, "composition_penalty": 1e-6,
            "encoder": LSTMEncoder(
                load_word_vectors(), dim=None, residual=False, output_gate=True
            ),
        },
    ),
    "SentenceClassifier wieting-universal": (
        *ADAM, 300, {**UNIVERSAL, "vectors_penalty": 1e-6},
    ),
    "SentenceClassifier wieting-features": (*ADAM, 300, FROZEN),
    "SentenceClassifier sif": (*ADAGRAD, 150, {**SIF, "encoder": SIFEncoder(a=1e-3)}),
}  # fmt: skip

# He & Lin (2016): an update for each pair; moments are discarded after each epoch.
INTERACTION = {
    "PairwiseInteractionRegressor sick": {"max_words": 32, "score_range": (1, 5)},
    "PairwiseInteractionRegressor msrvid": {"max_words": 32, "score_range": (0, 5)},
    "PairwiseInteractionRegressor sts2014": {"max_words": 48, "score_range": (0, 5)},
    "PairwiseInteractionRanker trecqa": {"max_words": 48},
    "PairwiseInteractionRanker wikiqa": {"max_words": 48},
}

# The taggers of Charagram: lambda, and the encoder of words.
NGRAMS = {"ngram_range": (2, 4), "min_count": 2, "dim": 150, "activation": "relu"}
CASED = {"embedding_dim": 50, "dim": 150, "lowercase": False}
TAGGERS = {
    "charagram": (1e-6, "CharagramEncoder", NGRAMS),
    "charagram-2-layers": (1e-6, "CharagramEncoder", {**NGRAMS, "n_layers": 2}),
    "char-cnn": (1e-5, "CharCNNEncoder", {**CASED, **EQUAL, "activation": "tanh"}),
    "char-lstm": (
        1e-5,
        "CharLSTMEncoder",
        {**CASED, "output_gate": True, "embedding_range": None},
    ),
}


def written_out():
    """Class, setting, optimizer, and the other parameters, by a name for the test."""
    for line in ENCODERS.strip().splitlines():
        kind, setting, *cells = line.split()
        size, epochs, rule, rate, clip, margin, negatives, *penalties = cells
        names = ("vectors_penalty", "composition_penalty")[: len(penalties)]
        clip = None if clip == "-" else float(clip)
        parameters = {
            "batch_size": int(size), "max_epochs": int(epochs),
            "learning_rate": float(rate),
            "loss": MarginLoss(float(margin), negatives=negatives),
            **dict(zip(names, map(float, penalties), strict=True)),
            **MORE.get(f"{kind} {setting}", {}),
        }  # fmt: skip
        optimizer = Optimizer(rule, sparse=False, clip_norm=clip, max_change=None)
        yield f"{kind}Encoder", setting, optimizer, parameters
    for name, (rule, rate, hidden_dim, more) in SUPERVISED.items():
        cells = {"learning_rate": rate, "hidden_dim": hidden_dim, "normalize": False}
        if not name.startswith("Sentence"):
            cells["how"] = ("product", "absdiff")
        optimizer = Optimizer(rule, sparse=False, max_change=None)
        yield *name.split(), optimizer, {**cells, **more}
    rule = Optimizer("rmsprop", reset=True, clip_norm=50)
    for name, more in INTERACTION.items():
        cells = {"learning_rate": 1e-4, "batch_size": 1, "max_epochs": 35}
        cells |= {"scale": None, "similarity": None, "vectors": load_word_vectors()}
        yield *name.split(), rule, {**cells, **more}
    rule = Optimizer("sgd", sparse=False, momentum=0.95)
    for setting, (penalty, encoder, params) in TAGGERS.items():
        cells = {"learning_rate": 0.2, "batch_size": 100, "max_epochs": 50}
        cells["word_encoder"] = SYMBOLS[encoder](**params)
        yield "SequenceTagger", setting, rule, {**cells, "penalty": penalty}


PRESETS = {f"{kind} {setting}": row for kind, setting, *row in written_out()}


def flat(parameters):
    """Names and values, those of objects as well."""
    found = {}
    for name, value in parameters.items():
        found[name] = type(value) if hasattr(value, "get_params") else value
        if hasattr(value, "get_params"):
            deep = {f"{name}__{k}": v for k, v in value.get_params(deep=False).items()}
            found.update(flat(deep))
    return found


def make(name, **params):
    kind, setting = name.split()
    return SYMBOLS[kind].paper(setting, **params)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_the_papers(name):
    optimizer, expected = PRESETS[name]
    kind, setting = name.split()
    model = make(name)
    found = model.get_params(deep=False)
    assert set(SETTINGS[kind][setting]) <= {"optimizer", *OTHERS, "dim", *expected}
    rule = check_optimizer(
        found["optimizer"], **getattr(model, "_optimizer_settings", {})
    )
    assert rule.get_params() == optimizer.get_params()
    if "loss" in expected:
        found["loss"] = model._checked_loss("pairs")
    assert flat({key: found[key] for key in expected}) == flat(expected)
    assert f'"{setting}"' in SYMBOLS[kind].__doc__


@pytest.mark.parametrize("name", [n for n in PRESETS if "Encoder" in n])
def test_a_preset_of_an_encoder_is_complete(name):
    kind, setting = name.split()
    found = make(name).get_params(deep=False)
    assert TRAINING & found.keys() <= SETTINGS[kind][setting].keys()
    dim = 300 if kind.startswith("Char") else None
    expected = {"dim": dim, **OTHERS, **PRESETS[name][1]}
    if not kind.startswith("Char"):
        expected["vectors"] = load_word_vectors()
    for key in found.keys() - {"optimizer", "loss"}:
        assert found[key] == expected[key], key


@pytest.mark.parametrize("name", PRINTED)
def test_a_preset_is_in_the_printed_grid(name):
    model = make(name)
    found = {**model.get_params(), **model._checked_loss("pairs").get_params()}
    rule = check_optimizer(found["optimizer"])
    found |= {"optimizer": rule.name, "clip_norm": rule.clip_norm}
    if "vectors_penalty" in PRINTED[name] and "composition_penalty" not in found:
        found["composition_penalty"] = PRINTED[name]["composition_penalty"][0]  # PP
    for key, values in PRINTED[name].items():
        assert found[key] in values, key


def test_every_preset_is_written_out():
    names = {
        f"{kind} {name}" for kind, settings in SETTINGS.items() for name in settings
    }
    assert names == {*PRESETS, *AVERAGES}
    assert all(SETTINGS.values())


@pytest.mark.parametrize("kind", SETTINGS)
def test_presets_by_name(kind):
    first, *_ = SETTINGS[kind]
    owner = SYMBOLS[kind]
    assert repr(owner.paper()) == repr(owner.paper(first))
    more = {"tokenizer": str.split}
    if hasattr(owner(), "max_epochs"):
        more = {"max_epochs": 3, "random_state": 5}
    changed = make(f"{kind} {first}", **more)
    assert {name: getattr(changed, name) for name in more} == more
    with pytest.raises(ValueError, match=rf"{kind} has no setting 'glove'.*{first}"):
        owner.paper("glove")

    class Mine(owner):
        pass

    assert isinstance(Mine.paper(first), Mine)


@pytest.mark.parametrize("name", AVERAGES)
def test_a_preset_of_averages_is_the_papers(name, vectors, sentences):
    expected, (kind, setting) = AVERAGES[name], name.split()
    encoder = make(name, vectors=vectors)
    assert encoder.get_params() == {**SYMBOLS[kind](vectors).get_params(), **expected}
    assert f'"{setting}"' in SYMBOLS[kind].__doc__
    assert np.isfinite(encoder.fit_transform(sentences)).all()


def test_parameters_of_the_parts_of_a_preset(vectors, pairs):
    model = make(
        "SimilarityRegressor sif", encoder__vectors=vectors, encoder__a=0.5,
        max_epochs=1, random_state=0, device="cpu",
    )  # fmt: skip
    assert model.encoder.vectors is vectors and model.encoder.a == 0.5
    model.fit(pairs, np.arange(len(pairs)) / len(pairs))
    assert model.encoder_.weights_.shape == (len(vectors),)
    assert make("SimilarityRegressor sif").encoder.vectors is None
    encoder = make("CharCNNEncoder words", loss__margin=0.7, optimizer__sparse=True)
    assert (encoder.loss.margin, encoder.optimizer.sparse) == (0.7, True)
    assert (encoder.loss.negatives, encoder.optimizer.name) == ("mix", "adam")
    with pytest.raises(ValueError, match="Invalid parameter 'vectors'"):
        make("SequenceTagger charagram", word_encoder__vectors=vectors)


def test_objects_of_presets_are_not_shared():
    first, second = (make("CharCNNEncoder words") for _ in range(2))
    first.set_params(loss__margin=9.0, optimizer__name="sgd")
    for other in (second, make("CharLSTMEncoder words")):
        assert other.loss.margin == 0.4 and other.optimizer.name == "adam"
