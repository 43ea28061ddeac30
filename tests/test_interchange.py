"""Word vectors from other libraries, and encoders that travel to them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import sys
import unicodedata
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from skparaphrase.encoders import (
    AverageEncoder,
    ParagramEncoder,
    SIFEncoder,
    TfidfEncoder,
    _export,
)
from skparaphrase.vectors import WordVectors

os.environ.setdefault("HF_HUB_OFFLINE", "1")

WORDS = [
    *("cat", "Cat", "dog", "blue", "eyed", "well-known", "blue-", "x", "a", "ing"),
    *("don't", "do", "n't", "'s", "it", "'", "-", ".", "...", "u.s.", "3.14", "1,000"),
    *("▁", "_", "\ue000", "οδος", "é", "e\u0301", "i̇", "two words", "", "##", "<unk>"),
    *("mother-in-law", "in-law", "-eyed", "\ud800", "Ⅷ", "日本", "😀"),
]
TABLE = WordVectors(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 6)))
WITH_UNKNOWN = WordVectors(WORDS, TABLE.matrix, unknown="<unk>")

PATTERNS = [
    "words",
    "ptb",
    r"(?u)\b\w\w+\b",
    r"[^\W\d_]+|[\x2d\u2019][\s\x2d\u2019]*|\d{1,2}|\Aa$",
    r"[^]\[&^\s'-]+(?:\s\w)?|[-\w.]",
]


def encoders():
    """Every way of looking words up."""
    for vectors in (TABLE, WITH_UNKNOWN):
        for split in (True, False):
            for pattern in PATTERNS:
                yield AverageEncoder(
                    vectors,
                    split_compounds=split,
                    token_pattern=pattern,
                    lowercase=pattern != PATTERNS[-1],
                )


def is_assigned(character):
    return unicodedata.category(character) not in ("Cn", "Cs")


characters = st.characters(codec="utf-8").filter(is_assigned)
joiners = st.sampled_from([*"'-./:,\u2019 \n\t\x1c\xa0▁_Σ", "  ", "\u200d", "\u0301"])
pieces = st.sampled_from([w for w in WORDS if w != "\ud800"])
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
    "cat" * 2000 + " cat",
    "cat " * 600,
]


@pytest.fixture(scope="module")
def static_models(tmp_path_factory):
    """Encoders, and what model2vec reads of them."""
    model2vec = pytest.importorskip("model2vec")
    folder = tmp_path_factory.mktemp("model2vec")
    pairs = []
    for i, encoder in enumerate(encoders()):
        encoder.to_model2vec(folder / str(i))
        pairs.append((encoder, model2vec.StaticModel.from_pretrained(folder / str(i))))
    return pairs


@settings(deadline=None, max_examples=60)
@given(texts=texts)
def test_model2vec_gives_the_same_vectors(static_models, texts):
    for encoder, model in static_models:
        assert_allclose(model.encode(texts), encoder.transform(texts), atol=1e-5)


def test_model2vec_gives_the_same_vectors_in_the_corners(static_models):
    for encoder, model in static_models:
        expected = encoder.transform(CORNERS)
        assert_allclose(model.encode(CORNERS), expected, atol=1e-5)
        assert not expected[0].any()
        assert expected[2].any() == (encoder.vectors is WITH_UNKNOWN)
        assert np.count_nonzero(expected.any(axis=1)) >= 3


def test_model2vec_sees_every_character_alike(static_models):
    known = [c for c in map(chr, range(sys.maxunicode + 1)) if is_assigned(c)]
    texts = ["cat".join(known[i : i + 40]) for i in range(0, len(known), 40)]
    for encoder, model in static_models:
        if encoder.vectors is TABLE or encoder.split_compounds:
            continue
        if encoder.token_pattern in PATTERNS[:3]:
            # The share of unknown words tells where the boundaries are.
            assert_allclose(model.encode(texts), encoder.transform(texts), atol=1e-5)


TRAIN = [("A blue cat.", "The cat is blue."), ("A dog", "Two dogs"), ("it", "do it")]


def fitted_encoders():
    small = WITH_UNKNOWN.astype("int8")
    counts = {"cat": 5, "a": 50, "never-in-the-table": 7, "<unk>": 3}
    return [
        AverageEncoder(small),
        AverageEncoder(),
        TfidfEncoder(WITH_UNKNOWN).fit(TRAIN),
        SIFEncoder(TABLE, frequencies=counts).fit(TRAIN),
        SIFEncoder(WITH_UNKNOWN, frequencies="corpus", a=0.1).fit(TRAIN),
        SIFEncoder(token_pattern="ptb").fit(TRAIN),
        ParagramEncoder(TABLE, max_epochs=2, random_state=0).fit(TRAIN),
    ]


SENTENCES = [
    *CORNERS,
    "The committee couldn't agree on a state-of-the-art solution (in 1999)!",
    "A cat sleeps; two dogs bark - loudly.",
]


@pytest.mark.parametrize("encoder", fitted_encoders(), ids=lambda e: repr(e)[:30])
def test_every_encoder_travels_to_both_libraries(encoder, tmp_path):
    model2vec = pytest.importorskip("model2vec")
    transformers = pytest.importorskip("sentence_transformers")
    expected = encoder.transform(SENTENCES)
    encoder.to_model2vec(tmp_path / "static")
    module = encoder.to_static_embedding()
    made = transformers.SentenceTransformer(modules=[module], device="cpu")
    made.save(str(tmp_path / "transformer"))
    models = [
        made,
        transformers.SentenceTransformer(str(tmp_path / "transformer"), device="cpu"),
        transformers.SentenceTransformer(str(tmp_path / "static"), device="cpu"),
        model2vec.StaticModel.from_pretrained(tmp_path / "static"),
        model2vec.StaticModel.from_pretrained(
            tmp_path / "transformer", max_length=None
        ),
    ]
    for model in models:
        assert_allclose(model.encode(SENTENCES), expected, atol=1e-5)
        assert_allclose(model.encode([""]), np.zeros((1, expected.shape[1])))


def test_there_and_back(tmp_path):
    model2vec = pytest.importorskip("model2vec")
    pytest.importorskip("sentence_transformers")
    encoder = TfidfEncoder(WITH_UNKNOWN, lowercase=False).fit(TRAIN)
    encoder.to_model2vec(tmp_path / "v")
    model = model2vec.StaticModel.from_pretrained(tmp_path / "v")
    for vectors in (
        WordVectors.from_model2vec(model, unknown="▁"),
        WordVectors.from_sentence_transformers(
            encoder.to_static_embedding(), unknown="▁"
        ),
    ):
        lost = {"", "two words", "\ud800", "▁", "\ue000"}  # "▁" is spelled otherwise
        assert set(WORDS) - set(vectors.words) <= lost
        again = AverageEncoder(vectors, lowercase=False)
        texts = [text for text in SENTENCES if "▁" not in text]
        assert_allclose(again.transform(texts), encoder.transform(texts), atol=1e-5)


def test_training_the_module_leaves_the_encoder():
    torch = pytest.importorskip("torch")
    pytest.importorskip("sentence_transformers")
    encoder = AverageEncoder(TABLE)
    before = encoder.transform(SENTENCES)
    module = encoder.to_static_embedding()
    features = module.preprocess(["cat dog"])
    module(features)["sentence_embedding"].sum().backward()
    assert module.embedding.weight.grad.any()
    with torch.no_grad():
        module.embedding.weight.zero_()
    assert_array_equal(encoder.transform(SENTENCES), before)


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

    monkeypatch.setattr(_export, "save_file", fail)
    with pytest.raises(OSError, match="no space left"):
        AverageEncoder(TABLE).to_model2vec(tmp_path / "half")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "thesis"]


@pytest.mark.parametrize("method", ["to_model2vec", "to_static_embedding"])
def test_what_cannot_travel_says_why(method, tmp_path):
    pytest.importorskip("tokenizers")
    pytest.importorskip("sentence_transformers")
    args = [tmp_path / "v"] if method == "to_model2vec" else []
    with pytest.raises(ValueError, match=f"{method} cannot take the function"):
        getattr(AverageEncoder(TABLE, tokenizer=str.split), method)(*args)
    with pytest.raises(NotFittedError):
        getattr(SIFEncoder(TABLE), method)(*args)
    nothing = WordVectors(["", "CAT"], np.eye(2))
    with pytest.raises(ValueError, match="No word of the table can occur"):
        getattr(AverageEncoder(nothing), method)(*args)
    for pattern, why in (
        (r"(\w)\w*", "capturing group"),
        (r"(?i)\w+", "a flag"),
        (r"(?i:a)+", "only"),
        (r"\w*", "empty string"),
        (r"\w+|\s-", "begin with a space"),
        (r"\w{2,3}+", "something else"),
        (r"\N{BULLET}", "something else"),
    ):
        encoder = AverageEncoder(TABLE, token_pattern=pattern)
        with pytest.raises(ValueError, match=why):
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


@settings(deadline=None)
@given(st.lists(st.text("ab-.\u2019[é", max_size=6), min_size=1))
def test_a_pattern_of_many_words_matches_these_alone(words):
    tokenizers = pytest.importorskip("tokenizers")
    pattern = tokenizers.Regex(rf"\A{_export._any_of(sorted(set(words)))}\z")
    split = tokenizers.pre_tokenizers.Split(pattern, "removed", invert=True)
    for word in {w[:i] + end for w in words for i in range(7) for end in ("", "b")}:
        found = [text for text, _ in split.pre_tokenize_str(word)]
        assert found == ([word] if word in words and word else [])


def test_the_exported_tokenizer_is_plain_json(tmp_path):
    pytest.importorskip("tokenizers")
    AverageEncoder(TABLE).to_model2vec(tmp_path / "v")
    files = sorted(path.name for path in (tmp_path / "v").iterdir())
    names = ("config", "metadata", "model", "modules", "tokenizer")
    assert [name.partition(".")[0] for name in files] == list(names)
    spec = json.loads((tmp_path / "v" / "tokenizer.json").read_text("utf-8"))
    tokens = [token.removeprefix("▁") for token in spec["model"]["vocab"]]
    lower = [w for w in WORDS if w == w.lower() and w not in ("", "\ud800")]
    expected = [w for w in lower if w not in ("▁", "two words")]
    assert [t for t in tokens if t in WORDS] == expected


# Ways in ---------------------------------------------------------------------------


def full(vectors):
    return vectors.rows(slice(None))


@pytest.mark.parametrize("attribute", ["index_to_key", "index2word"])
def test_old_and_new_keyed_vectors(attribute):
    keyed = SimpleNamespace(**{attribute: ["a", "b"], "vectors": np.eye(2)})
    for source in (keyed, SimpleNamespace(wv=keyed)):
        vectors = WordVectors.from_keyed_vectors(source, unknown="b")
        assert (vectors.words, vectors.unknown) == (["a", "b"], "b")
        assert_array_equal(vectors.matrix, np.eye(2))


@pytest.mark.filterwarnings("ignore::DeprecationWarning:gensim.*")
def test_gensim():
    models = pytest.importorskip("gensim.models")
    keyed = models.KeyedVectors(vector_size=6)
    words = [word for word in WORDS if word != "\ud800"]
    keyed.add_vectors(words, TABLE.matrix[: len(words)].astype(np.float32))
    settings = {"vector_size": 5, "min_count": 1, "epochs": 1, "workers": 1}
    sentences = [["cat", "dog", "cat"], ["blue", "cat"]]
    fasttext = models.FastText(sentences, **settings)
    word2vec = models.Word2Vec(sentences, **settings)
    for theirs, source in (
        (keyed, keyed),
        (fasttext.wv, fasttext.wv),
        (word2vec.wv, word2vec),
    ):
        vectors = WordVectors.from_keyed_vectors(source)
        assert vectors.words == theirs.index_to_key
        for word in theirs.index_to_key:
            assert_array_equal(vectors[word], theirs[word])
    expected = keyed.get_mean_vector(["cat", "dog"], pre_normalize=False)
    found = AverageEncoder(WordVectors.from_keyed_vectors(keyed)).transform(["Cat dog"])
    assert_allclose(found[0], expected, atol=1e-6)


def blank_spacy():
    return pytest.importorskip("spacy").blank("en")


def test_spacy():
    nlp = blank_spacy()
    with pytest.raises(ValueError, match="has no word vectors"):
        WordVectors.from_spacy(nlp)
    for word, vector in zip(WORDS[:6], TABLE.matrix[:6], strict=True):
        nlp.vocab.set_vector(word, vector.astype(np.float32))
    for source in (nlp, nlp.vocab):
        vectors = WordVectors.from_spacy(source, unknown="dog")
        assert (vectors.words, vectors.unknown) == (WORDS[:6], "dog")
        assert_allclose(vectors.matrix, TABLE.matrix[:6], rtol=1e-6)
    encoder = AverageEncoder(WordVectors.from_spacy(nlp), lowercase=False)
    text = "Cat cat dog blue"
    assert_allclose(encoder.transform([text])[0], nlp(text).vector, atol=1e-6)
    nlp.vocab.prune_vectors(3)
    pruned = WordVectors.from_spacy(nlp)
    assert sorted(pruned.words) == sorted(WORDS[:6])
    assert len(np.unique(pruned.matrix, axis=0)) == 3
    for word in pruned.words:
        assert_array_equal(pruned[word], nlp.vocab.get_vector(word))
    with pytest.raises(TypeError, match="a Vocab of spaCy; got dict"):
        WordVectors.from_spacy({})


def test_spacy_with_vectors_of_pieces():
    nlp = blank_spacy()
    from spacy.vectors import Vectors

    nlp.vocab.vectors = Vectors(
        mode="floret",
        data=np.ones((9, 2), np.float32),
        hash_count=1,
        minn=2,
        maxn=3,
        strings=nlp.vocab.strings,
    )
    with pytest.raises(ValueError, match="floret"):
        WordVectors.from_spacy(nlp)
    vectors = WordVectors.distill(
        ["cat", "dog"],
        lambda words: np.stack([nlp.vocab.get_vector(word) for word in words]),
    )
    assert_array_equal(vectors["dog"], nlp.vocab.get_vector("dog"))


WORD_PIECES = ["[PAD]", "[UNK]", "[CLS]", "cat", "blue", ".", "##ing", "un", "##cat"]


def word_piece_tokenizer():
    tokenizers = pytest.importorskip("tokenizers")
    vocab = {piece: i for i, piece in enumerate(WORD_PIECES)}
    model = tokenizers.models.WordPiece(vocab, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[PAD]", "[CLS]"])
    tokenizer.add_tokens(["dog"])
    return tokenizer


WHOLE_WORDS = ["Cat.", "blue cat cat .", "", "cat [unheard] of blue", "zzz", "dog"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_model2vec(dtype, mapped, weighted):
    model2vec = pytest.importorskip("model2vec")
    rng = np.random.default_rng(0)
    matrix = (rng.normal(size=(4 if mapped else 10, 3)) * 40).astype(dtype)
    weights = rng.random(10).astype(np.float32) if weighted else None
    mapping = rng.integers(4, size=10) if mapped else None
    model = model2vec.StaticModel(
        matrix, word_piece_tokenizer(), weights=weights, token_mapping=mapping
    )
    vectors = WordVectors.from_model2vec(model)
    assert vectors.words == ["cat", "blue", ".", "##ing", "un", "##cat", "dog"]
    assert vectors.unknown is None
    if not weighted:
        assert vectors.dtype == ("float32" if dtype == "float64" else dtype)
    expected = model.encode(WHOLE_WORDS).astype(np.float32)
    found = AverageEncoder(vectors, split_compounds=False).transform(WHOLE_WORDS)
    error = 0.1 if dtype == "float16" else 1e-5  # theirs averages in float16
    assert_allclose(found, expected, atol=error)
    assert expected[1].any()
    if dtype != "float16":
        model.normalize = True
        scaled = model.encode(WHOLE_WORDS).astype(np.float32)
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        assert_allclose(scaled * norms, found, atol=1e-4)
    assert WordVectors.from_model2vec(model, unknown="[UNK]").unknown == "[UNK]"


def foreign(tokenizer, matrix):
    """A static model, as far as `from_model2vec` looks at it."""
    return SimpleNamespace(tokenizer=tokenizer, embedding=matrix)


def test_marks_of_the_beginning_of_words_go():
    tokenizers = pytest.importorskip("tokenizers")
    pieces = ["<unk>", "▁the", "▁", "ing", ".", "▁.", "▁ing", "th", "▁-"]
    model = tokenizers.models.Unigram([(p, -1.0) for p in pieces], unk_id=0)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [tokenizers.pre_tokenizers.Metaspace()]
    )
    matrix = np.arange(18, dtype=np.float32).reshape(9, 2)
    vectors = WordVectors.from_model2vec(foreign(tokenizer, matrix))
    assert dict(zip(vectors.words, vectors.matrix[:, 0] // 2, strict=True)) == {
        "the": 1,
        "▁": 2,
        "##ing": 3,
        ".": 4,
        "ing": 6,
        "##th": 7,
        "-": 8,
    }
    assert WordVectors.from_model2vec(foreign(tokenizer, matrix[:4])).words == [
        "the",
        "▁",
        "##ing",
    ]


def test_byte_level_tokens_are_decoded():
    tokenizers = pytest.importorskip("tokenizers")
    level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True)
    spelled = [token for token, _ in level.pre_tokenize_str("cat naïve .")]
    vocab = {token: i for i, token in enumerate([*spelled, "ing", "Ġ", "Ã"])}
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab=vocab, merges=[], ignore_merges=True)
    )
    tokenizer.pre_tokenizer = level
    vectors = WordVectors.from_model2vec(foreign(tokenizer, np.eye(6)))
    assert vectors.words == ["cat", "naïve", ".", "##ing", " ", "##Ã"]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_sentence_transformers_count_unknown_words(dtype):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    tokenizers = pytest.importorskip("tokenizers")
    vocab = {"[UNK]": 0, "cat": 1, "blue": 2}
    model = tokenizers.models.WordLevel(vocab, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    static = modules.StaticEmbedding(tokenizer, embedding_weights=np.float32(np.eye(3)))
    theirs = transformers.SentenceTransformer(modules=[static], device="cpu")
    expected = theirs.encode(["Cat sat", "blue blue cat", "", "sat"])
    static.to(getattr(torch, dtype))
    normalized = [static, modules.Normalize()]
    for source in (
        static,
        theirs,
        transformers.SentenceTransformer(modules=normalized, device="cpu"),
    ):
        vectors = WordVectors.from_sentence_transformers(source)
        assert (vectors.words, vectors.unknown) == (["[UNK]", "cat", "blue"], "[UNK]")
        found = AverageEncoder(vectors).transform(["Cat sat", "blue blue cat", "", "s"])
        assert_allclose(found, expected, atol=1e-5)
    assert vectors.dtype == ("float32" if dtype == "bfloat16" else dtype)


def test_sentence_transformers_with_word_pieces():
    transformers = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    matrix = np.float32(np.random.default_rng(0).normal(size=(10, 3)))
    static = modules.StaticEmbedding(word_piece_tokenizer(), embedding_weights=matrix)
    vectors = WordVectors.from_sentence_transformers(static)
    assert (len(vectors), vectors.unknown) == (7, None)
    whole = ["Cat.", "blue cat cat .", "", "dog"]
    theirs = transformers.SentenceTransformer(modules=[static], device="cpu")
    found = AverageEncoder(vectors).transform(whole)
    assert_allclose(found, theirs.encode(whole), atol=1e-5)
    dense = modules.Dense(3, 2)
    longer = transformers.SentenceTransformer(modules=[static, dense], device="cpu")
    with pytest.raises(ValueError, match=r"\['Dense'\] change the means"):
        WordVectors.from_sentence_transformers(longer)
    assert len(WordVectors.from_sentence_transformers(longer[0])) == 7


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="StaticModel of model2vec; got str"):
        WordVectors.from_model2vec("some/model")
    for thing in (object(), "some/model"):
        with pytest.raises(TypeError, match="StaticEmbedding; got"):
            WordVectors.from_sentence_transformers(thing)
    with pytest.raises(TypeError, match="KeyedVectors; got list"):
        WordVectors.from_keyed_vectors([])


# Distillation ----------------------------------------------------------------------


def spell(words):
    """Vectors of 26 letter counts, and a constant."""
    counts = [[word.count(chr(97 + i)) for i in range(26)] + [1] for word in words]
    return np.array(counts, dtype=np.float64)


MANY = [f"{a}{b}x" for a in "abcdefgh" for b in "opqrstuv"]


@pytest.mark.parametrize("batch_size", [1, 7, 64, 1000])
def test_distillation_takes_the_words_in_batches(batch_size):
    seen = []

    def encode(words):
        assert type(words) is list and len(words) <= batch_size
        seen.extend(words)
        return spell(words)

    vectors = WordVectors.distill(iter(MANY), encode, batch_size=batch_size)
    assert seen == vectors.words == MANY
    assert (vectors.dtype, vectors.unknown) == (np.float32, None)
    assert_array_equal(vectors.matrix, spell(MANY))


def test_distillation_takes_tensors_and_lists():
    torch = pytest.importorskip("torch")
    for kind in (
        lambda m: torch.tensor(m, requires_grad=True),
        lambda m: torch.tensor(m).bfloat16(),
        np.ndarray.tolist,
        np.float16,
        np.int64,
    ):
        vectors = WordVectors.distill(MANY, lambda words, kind=kind: kind(spell(words)))
        assert_array_equal(vectors.matrix, spell(MANY))


@pytest.mark.parametrize(("dim", "power"), [(5, 0.0), (3, 0.75), (None, 1.0), (8, 0.5)])
def test_distillation_on_the_strongest_axes(dim, power):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(64, 6)) * [9, 7, 5, 4, 2, 1] @ rng.normal(size=(6, 8))

    def encode(words):
        return table[[MANY.index(word) for word in words]]

    u, s, _ = np.linalg.svd(table, full_matrices=False)
    kept = min(dim or 8, 6)  # two axes have no strength
    expected = u[:, :kept] * s[:kept] * (s[:kept] / s[0]) ** -power
    found = full(WordVectors.distill(MANY, encode, dim=dim, power=power))
    assert found.shape == (64, dim or 8)
    assert not found[:, kept:].any()
    signs = np.sign((found[:, :kept] * expected).sum(axis=0))
    assert_allclose(found[:, :kept] * signs, expected, atol=1e-3)
    smaller = WordVectors.distill(MANY, encode, dim=dim, power=power, batch_size=10)
    assert_array_equal(full(smaller), found)


def test_distillation_of_nothing_but_zeros():
    vectors = WordVectors.distill(MANY, lambda w: np.zeros((len(w), 3)), power=1.0)
    assert not vectors.matrix.any()


def bad_at(word, value):
    def encode(words):
        return [[value if w == word else 1.0, 2.0] for w in words]

    return encode


@pytest.mark.parametrize(
    ("words", "encode", "params", "message"),
    [
        (MANY, bad_at("bpx", np.nan), {}, "gave for 'bpx', number 9, is not finite"),
        (MANY, bad_at("bpx", 1e300), {"batch_size": 4}, "'bpx', number 9, is not"),
        (MANY, lambda w: np.ones(len(w)), {}, r"shape \(64, dim\) .*shape \(64,\)"),
        (MANY, lambda w: np.ones((3, 2)), {"batch_size": 3}, r"\(1, 2\).*'hvx'"),
        (MANY, lambda w: [[0] * len(w)] * len(w), {"batch_size": 60}, r"\(4, 60\)"),
        (["a", "b", "a"], spell, {}, "Word 'a' occurs again at 2"),
        ([], spell, {}, "empty"),
        (MANY, spell, {"batch_size": 0}, "batch_size"),
        (MANY, spell, {"dim": 28}, "dim must be from 1 to 27"),
        (MANY, spell, {"dim": 0}, "dim must be from 1 to 27"),
        (MANY, spell, {"power": 2}, "power must be from 0 to 1"),
    ],
)
def test_distillation_says_what_is_wrong(words, encode, params, message):
    with pytest.raises(ValueError, match=message):
        WordVectors.distill(words, encode, **params)


@pytest.mark.parametrize("params", [{"dim": 28}, {"dim": 2.5}, {"power": -1}])
def test_distillation_asks_the_teacher_little_before_it_complains(params):
    asked = []

    def encode(words):
        asked.append(words)
        return spell(words)

    with pytest.raises(ValueError, match=next(iter(params))):
        WordVectors.distill(MANY, encode, batch_size=4, **params)
    assert len(asked) <= 1


def test_distillation_takes_frames():
    pandas = pytest.importorskip("pandas")
    vectors = WordVectors.distill(MANY, lambda w: pandas.DataFrame(spell(w)))
    assert_array_equal(vectors.matrix, spell(MANY))


@pytest.mark.parametrize("words", ["cat", ["cat", 3]])
def test_distillation_of_other_things_than_words(words):
    with pytest.raises(TypeError, match="words must be"):
        WordVectors.distill(words, spell)
