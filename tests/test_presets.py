"""Settings of the papers, against the printed values."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib import import_module

import numpy as np
import pytest

from skparaphrase.encoders import TfidfEncoder
from skparaphrase.supervised import SimilarityRegressor

ROOMS = "encoders", "supervised"
SYMBOLS = {
    name: getattr(module, name)
    for module in map(import_module, (f"skparaphrase.{room}" for room in ROOMS))
    for name in module.__all__
}
SETTINGS = {
    name: value._paper_settings
    for name, value in SYMBOLS.items()
    if getattr(value, "_paper_settings", None)
}
# Parameters that change with a default unless a setting includes them.
TRAINING = {
    "loss", "optimizer", "learning_rate", "batch_size", "max_epochs", "residual",
}  # fmt: skip

# Printed values that restrict a setting: `data/published/settings.tsv`.
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
    "filters": (((100, 1), (100, 2), (100, 3)),),
}
NOTE_4 = {
    "margin": (0.6,), "vectors_penalty": (1e-6,), "composition_penalty": (0,),
    "batch_size": (100,), "max_epochs": (10,),
}  # fmt: skip
HEADS = {
    "batch_size": (25, 50, 100),
    "hidden_dim": (50, 150, 300),
    "head_penalty": (1e-3, 1e-4, 1e-5, 1e-6),
    "optimizer": ("adagrad", "adam"),
    "learning_rate": (0.05, 0.001),
    "max_epochs": (10,),
    "text_norm": (None,),
}
TABLE_5 = {
    **HEADS,
    "composition_penalty": (1e-3, 1e-4, 1e-5, 1e-6),
    "vectors_penalty": (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8),
}
UNIVERSAL = {
    **TABLE_5,
    "composition_penalty": (1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
}
TABLE_6 = {**HEADS, "max_epochs": (20,), "freeze": ("encoder",)}
ARORA = {
    **TABLE_6, "projection_dim": (2400,), "encoder__a": (1e-2, 3e-2, 1e-3, 3e-3),
}  # fmt: skip
CSE_PAIRS = {
    "head_penalty": (1e-5, 1e-6, 1e-7, 0),
    "vectors_penalty": (1e-4, 1e-5, 1e-6),
    "composition_penalty": (1e-5, 1e-6, 1e-7, 0),
    "batch_size": (32, 64, 128, 256),
    "optimizer": ("adam",),
    "learning_rate": (0.001,),
    "max_epochs": (10,),
}
INTERACTION = {"optimizer": ("rmsprop",), "learning_rate": (1e-4,)}
SHORT, LONG = {**INTERACTION, "max_words": (32,)}, {**INTERACTION, "max_words": (48,)}
TAGGER = {
    "optimizer": ("sgd",),
    "learning_rate": (0.2,),
    "momentum": (0.95,),
    "batch_size": (100,),
    "max_epochs": (50,),
    "word_encoder__dim": (150,),
}
CHARACTER_TAGGER = {**TAGGER, "word_encoder__embedding_dim": (50,)}
PRINTED = {
    "ParaphraseEncoder ppdb-xl": WIETING,
    "ParaphraseEncoder ppdb-xxl": XXL,
    "ParaphraseEncoder words": {  # of the authors' script
        "batch_size": (50,), "margin": (0.6,), "negatives": ("mix",),
        "vectors_penalty": (1e-9,), "optimizer": ("adagrad",), "learning_rate": (0.05,),
    },
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
        "tokenizer__ngram_range": ((2, 6),),
        "vectors_penalty": (0,), "composition_penalty": (0,),  # section 4.4
    },
    "CharagramEncoder words-2-4": {**CHARACTERS, "tokenizer": (None,)},
    "CharCNNEncoder phrases": {**PHRASES, "ordered_first_epoch": (True,)},
    "CharCNNEncoder words": CHARACTERS,
    "CharLSTMEncoder phrases": {**PHRASES, "ordered_first_epoch": (True,)},
    "CharLSTMEncoder words": CHARACTERS,
    "CNNEncoder simple-wikipedia": JIAO,
    "CNNEncoder ppdb-xl": JIAO,
    "CNNEncoder widths": {**NOTE_4, "filters": JIAO["filters"]},
    "CNNEncoder width": {**NOTE_4, "filters": (((300, 1),),)},
    "SIFEncoder sts": {"a": (1e-3,)},
    "SIFEncoder sick": {"a": (1e-2, 3e-2, 1e-3, 3e-3)},
    "SIFEncoder sst": {"a": (1e-2, 3e-2, 1e-3, 3e-3)},
    "TfidfEncoder sts": {},
    **{
        f"{model} {setting}": grid
        for model in ("SimilarityRegressor", "PairClassifier", "TextClassifier")
        for setting, grid in {
            "wieting": TABLE_5,
            "wieting-universal": UNIVERSAL,
            "wieting-features": TABLE_6,
            "sif": ARORA,
        }.items()
    },
    "SimilarityRegressor cse": CSE_PAIRS,
    "PairwiseInteractionRegressor sick": {**SHORT, "levels": ((1, 2, 3, 4, 5),)},
    "PairwiseInteractionRegressor msrvid": {**SHORT, "levels": ((0, 1, 2, 3, 4, 5),)},
    "PairwiseInteractionRegressor sts2014": {**LONG, "levels": ((0, 1, 2, 3, 4, 5),)},
    "PairwiseInteractionRanker trecqa": LONG,
    "PairwiseInteractionRanker wikiqa": LONG,
    "SequenceTagger charagram": {**TAGGER, "word_encoder__tokenizer": (None,)},
    "SequenceTagger charagram-2-layers": {**TAGGER, "word_encoder__n_layers": (2,)},
    "SequenceTagger char-cnn": CHARACTER_TAGGER,
    "SequenceTagger char-lstm": CHARACTER_TAGGER,
}  # fmt: skip


def make(name, **params):
    kind, setting = name.split()
    return SYMBOLS[kind].paper(setting, **params)


@pytest.mark.parametrize("name", PRINTED)
def test_a_preset_is_in_the_printed_grid(name):
    kind, setting = name.split()
    model = make(name)
    found = model.get_params()
    if hasattr(model, "optimizer"):
        found |= found["optimizer"].get_params()
        found["optimizer"] = found["name"]
        assert found["max_change"] is None  # papers limit no change
    if hasattr(model, "loss") and kind.endswith("Encoder"):
        found |= model._checked_loss("pairs").get_params()
        assert TRAINING & found.keys() <= SETTINGS[kind][setting].keys()
    if kind == "ParaphraseEncoder":  # averages have no composition
        found["composition_penalty"] = 1e-5
    for key, values in PRINTED[name].items():
        assert found[key] in values, key
    assert f'"{setting}"' in SYMBOLS[kind].__doc__


@pytest.mark.parametrize("setting", ["wieting-features", "wieting-universal"])
def test_settings_that_need_a_fitted_encoder(setting):
    pairs = [("a cat", "the cat"), ("a dog", "the dog"), ("one", "two")]
    with pytest.raises(ValueError, match="not fitted"):
        SimilarityRegressor.paper(setting).fit(pairs, [1, 2, 3])


def test_every_preset_is_compared():
    names = {
        f"{kind} {name}" for kind, settings in SETTINGS.items() for name in settings
    }
    assert names == {*PRINTED}
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


def test_averages_take_no_other_parameter():
    assert TfidfEncoder.paper().get_params() == TfidfEncoder().get_params()


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
