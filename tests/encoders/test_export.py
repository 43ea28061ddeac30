"""Static models of other libraries return the same vectors as exported averages."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import re
import sys
import unicodedata

import numpy as np
import pytest
from few_words import with_ngrams
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from skparaphrase._core import JOINERS
from skparaphrase.encoders import (
    AverageEncoder,
    ParaphraseEncoder,
    SIFEncoder,
    TfidfEncoder,
    _export,
)
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors, import_word_vectors
from skparaphrase.vectors._storage import load_word_vectors

os.environ.setdefault("HF_HUB_OFFLINE", "1")

WORDS = [
    *("cat", "Cat", "dog", "blue", "eyed", "well-known", "blue-", "x", "a", "ing"),
    *("don't", "do", "n't", "'s", "it", "'", "-", ".", "...", "u.s.", "3.14", "1,000"),
    *("▁", "_", "\ue000", "οδος", "é", "e\u0301", "i̇", "two words", "", "##", "<unk>"),
    *("64", "gb", "1.7", "7l", "mp3", "2nd", "5-6mg", "mp3-x", "3", "tg", "2nd-b"),
    *("mother-in-law", "in-law", "-eyed", "\ud800", "Ⅷ", "日本", "😀"),
]
TABLE = WordVectors(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 6)))
WITH_UNKNOWN = WordVectors(WORDS, TABLE.matrix, unknown="<unk>")


def encoders():
    """Every way to look words up."""
    for vectors in (TABLE, WITH_UNKNOWN):
        for split in (True, False):
            for pattern in ("words", "ptb"):
                for lowercase in (True, False):
                    tokenizer = WordTokenizer(
                        pattern, lowercase=lowercase, split_compounds=split
                    )
                    yield AverageEncoder(vectors, tokenizer=tokenizer)


def is_assigned(character):
    return unicodedata.category(character) not in ("Cn", "Cs")


characters = st.characters(codec="utf-8").filter(is_assigned)
joiners = st.sampled_from([*"'-./:,\u2019 \n\t\x1c\xa0▁_Σ", "  ", "\u200d", "\u0301"])
pieces = st.sampled_from([w for w in WORDS if w != "\ud800"] + [*"07٣\uff15²"])
nasty = st.lists(pieces | pieces.map(str.upper) | joiners | characters, max_size=12)
texts = st.lists(nasty.map("".join), min_size=1, max_size=20)

CORNERS = [
    "",
    " \n",
    "unheardof",
    "unheardof cat",
    "A well-known, blue-eyed cat; blue-eyes and blue-well-known.",
    "mother-in-law x-in-law zz-zz 'zz' zz'",
    "Don't! It's o'clock: it\u2019s and/or 3.14 or 1,000 u.s. ....",
    "\u039f\u0394\u039f\u03a3 \u03a3 \u03a3\u0391. \u0391.\u03a3",
    "\ue000 ▁ ▁cat cat▁ \ue000cat",
    "two words two  words",
    "64GB 64 GB 1.7L 1,000mg 5-6mg 5-6mg-x mp3 mp3-x x-mp3 2nd-hand 2nd-b mp4-x 12th",
    "kx-tg1032s kdl40v3000 th42pz85u 3f2a9c1b 1-2-3x 1--2x v1.2 0x1f x2-mp3 7l 1.7l-x",
    "cat" * 2000 + " cat",
    "cat " * 600,
]


def split_alike(encoder, texts):
    """Texts that are split equally by the exported tokenizer, whose rule for compounds
    is simpler; without numbers in compounds, or unknown parts that count.
    """
    texts = ["", *texts]
    if encoder._tokenizer().split_compounds:
        texts = [text for text in texts if not re.search(r"\d", text)]
        if encoder.vectors.unknown_row is not None:
            texts = [text for text in texts if JOINERS.isdisjoint(text)]
    return texts


@pytest.fixture(scope="module")
def static_models(tmp_path_factory):
    """Encoders, and the models that model2vec reads."""
    model2vec = pytest.importorskip("model2vec")
    folder = tmp_path_factory.mktemp("model2vec")
    pairs = []
    for i, encoder in enumerate(encoders()):
        encoder.to_model2vec(folder / str(i))
        pairs.append((encoder, model2vec.StaticModel.from_pretrained(folder / str(i))))
    return pairs


@pytest.mark.integration
@settings(deadline=None, max_examples=60)
@given(texts=texts)
@example(texts=CORNERS)
def test_any_texts(static_models, texts):
    for encoder, model in static_models:
        same = split_alike(encoder, texts)
        assert_allclose(model.encode(same), encoder.transform(same), atol=1e-5)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("well-known, blue-eyed cat", "well-known blue eyed cat"),
        ("mother-in-law x-in-law", "mother-in-law x"),
        ("64GB 1.7 1.7L mp3 2nd 5-6mg", "64 gb 1.7 mp3 2nd 5-6mg"),
        ("kx-tg1032s 12th x-3", "tg x 3"),
        ("x-mp3", "x 3"),  # WordTokenizer keeps "mp3" also inside of a compound
    ],
)
def test_compounds_are_split(text, parts, tmp_path):
    model2vec = pytest.importorskip("model2vec")
    AverageEncoder(TABLE).to_model2vec(tmp_path / "v")
    model = model2vec.StaticModel.from_pretrained(tmp_path / "v")
    tokens = [token.replace("▁", "") for token in model.tokenizer.encode(text).tokens]
    assert tokens == parts.split()


@pytest.mark.integration
def test_every_character(static_models):
    known = [c for c in map(chr, range(sys.maxunicode + 1)) if is_assigned(c)]
    texts = ["cat".join(known[i : i + 40]) for i in range(0, len(known), 40)]
    for encoder, model in static_models:
        if encoder.vectors is WITH_UNKNOWN and not encoder.tokenizer.split_compounds:
            # The share of unknown words shows where the boundaries are.
            assert_allclose(model.encode(texts), encoder.transform(texts), atol=1e-5)


TRAIN = [("A blue cat.", "The cat is blue."), ("A dog", "Two dogs"), ("it", "do it")]


def fitted_encoders():
    small, bundled = WITH_UNKNOWN.astype("int8"), load_word_vectors()
    words = WordVectors(bundled.words, bundled.matrix, scale=bundled.scale)
    counts = {"cat": 5, "a": 50, "never-in-the-table": 7, "<unk>": 3, ".": 9}
    return [
        AverageEncoder(small),
        AverageEncoder(words),
        TfidfEncoder(WITH_UNKNOWN).fit(TRAIN),
        SIFEncoder(TABLE, frequencies=counts).fit(TRAIN),
        SIFEncoder(WITH_UNKNOWN, frequencies="corpus", a=0.1).fit(TRAIN),
        SIFEncoder(words, tokenizer=WordTokenizer("ptb")).fit(TRAIN),
        ParaphraseEncoder(TABLE, pooling="mean", max_epochs=2, random_state=0).fit(
            TRAIN
        ),
    ]


SENTENCES = [
    *CORNERS,
    "The committee couldn't agree on a state-of-the-art solution (in 1999)!",
    "A cat sleeps; two dogs bark - loudly.",
]


@pytest.mark.integration
@pytest.mark.parametrize("encoder", fitted_encoders(), ids=lambda e: repr(e)[:30])
def test_both_libraries_load_every_encoder(encoder, tmp_path):
    model2vec = pytest.importorskip("model2vec")
    transformers = pytest.importorskip("sentence_transformers")
    sentences = split_alike(encoder, SENTENCES)
    expected = encoder.transform(sentences)
    encoder.to_model2vec(tmp_path / "static")
    modules = [module := encoder.to_static_embedding()]
    if encoder.norm == "l2":
        modules.append(transformers.models.Normalize())
    made = transformers.SentenceTransformer(modules=modules, device="cpu")
    made.save(str(tmp_path / "transformer"))
    models = [
        made,
        transformers.SentenceTransformer(str(tmp_path / "transformer"), device="cpu"),
        transformers.SentenceTransformer(str(tmp_path / "static"), device="cpu"),
        model2vec.StaticModel.from_pretrained(tmp_path / "static"),
        model2vec.StaticModel.from_pretrained(  # does not read the modules
            tmp_path / "transformer", max_length=None, normalize=encoder.norm == "l2"
        ),
    ]
    for model in models:
        assert_allclose(model.encode(sentences), expected, atol=1e-5)
        assert_allclose(model.encode([""]), np.zeros((1, expected.shape[1])))
    module.embedding.weight.data.zero_()  # a copy
    assert_array_equal(encoder.transform(sentences), expected)


@pytest.mark.integration
def test_there_and_back(tmp_path):
    model2vec = pytest.importorskip("model2vec")
    pytest.importorskip("sentence_transformers")
    tokenizer = WordTokenizer(lowercase=False)
    encoder = TfidfEncoder(WITH_UNKNOWN, tokenizer=tokenizer).fit(TRAIN)
    encoder.to_model2vec(tmp_path / "v")
    model = model2vec.StaticModel.from_pretrained(tmp_path / "v")
    for vectors in (
        import_word_vectors(model, unknown="▁"),
        import_word_vectors(encoder.to_static_embedding(), unknown="▁"),
    ):
        lost = {"", "two words", "\ud800", "▁", "\ue000"}  # "▁" is spelled otherwise
        lost.add("e\u0301")  # texts are read in composed characters
        assert set(WORDS) - set(vectors.words) <= lost
        again = AverageEncoder(vectors, tokenizer=tokenizer)
        texts = [text for text in SENTENCES if "▁" not in text]
        assert_allclose(again.transform(texts), encoder.transform(texts), atol=1e-5)


@pytest.mark.integration
def test_folders_are_replaced_and_those_of_others_kept(tmp_path, monkeypatch):
    model2vec = pytest.importorskip("model2vec")
    AverageEncoder(TABLE).to_model2vec(tmp_path / "new" / "v")
    AverageEncoder(WITH_UNKNOWN).to_model2vec(str(tmp_path / "new" / "v"))
    model = model2vec.StaticModel.from_pretrained(tmp_path / "new" / "v")
    assert model.encode(["unheardof"]).any()
    assert (model.normalize, model.max_length) == (False, None)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "config.json").write_text("{}")
    with pytest.raises(ValueError, match="not saved by skparaphrase"):
        AverageEncoder(TABLE).to_model2vec(tmp_path / "thesis")

    def fail(*args):
        raise OSError("no space left")

    monkeypatch.setattr(_export, "write_safetensors", fail)
    with pytest.raises(OSError, match="no space left"):
        AverageEncoder(TABLE).to_model2vec(tmp_path / "half")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "thesis"]


OTHER_TOKENS = "{} can export only .*'words'"


@pytest.mark.integration
@pytest.mark.parametrize("method", ["to_model2vec", "to_static_embedding"])
@pytest.mark.parametrize(
    ("encoder", "error", "message"),
    [
        (AverageEncoder(TABLE, tokenizer=str.split), ValueError, OTHER_TOKENS),
        (
            AverageEncoder(TABLE, tokenizer=WordTokenizer(r"\w+")),
            ValueError,
            OTHER_TOKENS,
        ),
        (SIFEncoder(TABLE), NotFittedError, "not fitted"),
        (AverageEncoder(WordVectors(["", "CAT"], np.eye(2))), ValueError, "any word"),
    ],
)
def test_what_cannot_be_exported(encoder, error, message, method, tmp_path):
    pytest.importorskip("tokenizers")
    pytest.importorskip("sentence_transformers")
    args = [tmp_path / "v"] if method == "to_model2vec" else []
    with pytest.raises(error, match=message.format(method)):
        getattr(encoder, method)(*args)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("package", "method"),
    [
        ("tokenizers", "to_model2vec"),
        ("sentence_transformers", "to_static_embedding"),
    ],
)
def test_missing_packages_are_named(package, method, monkeypatch):
    for name in [n for n in sys.modules if n.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    message = rf"{method} needs {package.replace('_', '-')}: .*skparaphrase\[interchan"
    with pytest.raises(ImportError, match=message):
        getattr(AverageEncoder(TABLE), method)(*["v"] * (method == "to_model2vec"))


@pytest.mark.integration
def test_vectors_made_for_unknown_words_are_left_out(tmp_path):
    pytest.importorskip("tokenizers")
    model2vec = pytest.importorskip("model2vec")
    table = with_ngrams(["cat", "dog"], np.eye(2))
    with pytest.warns(
        UserWarning, match="to_model2vec does not export .*unknown='subword'"
    ):
        AverageEncoder(table).to_model2vec(tmp_path / "model")
    model = model2vec.StaticModel.from_pretrained(tmp_path / "model")
    assert_allclose(model.encode(["cat yak", "yak"]), [[1, 0], [0, 0]])


@pytest.mark.integration
def test_averages_of_distinct_words_become_plain_ones(tmp_path):
    pytest.importorskip("tokenizers")
    model2vec = pytest.importorskip("model2vec")
    encoder = AverageEncoder(TABLE, pooling="distinct")
    for method, arguments in (
        ("to_static_embedding", ()),
        ("to_model2vec", (tmp_path / "model",)),
    ):
        with pytest.warns(UserWarning, match=f"{method} exports a plain .*'distinct'"):
            getattr(encoder, method)(*arguments)
    model = model2vec.StaticModel.from_pretrained(tmp_path / "model")
    sentences = split_alike(encoder, SENTENCES)
    expected = AverageEncoder(TABLE).transform(sentences)
    assert_allclose(model.encode(sentences), expected, atol=1e-5)
