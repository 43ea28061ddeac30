"""Word vectors from other libraries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skparaphrase.encoders import AverageEncoder
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors, import_word_vectors

os.environ.setdefault("HF_HUB_OFFLINE", "1")

WORDS = ["cat", "Cat", "dog", "blue", "eyed", "well-known"]
TABLE = WordVectors(WORDS, np.random.default_rng(0).normal(size=(6, 6)))


def test_keyed_vectors():
    keyed = SimpleNamespace(index_to_key=["a", "b"], vectors=np.eye(2))
    for source in (keyed, SimpleNamespace(wv=keyed)):
        vectors = import_word_vectors(source, unknown="b")
        assert (vectors.words, vectors.unknown) == (["a", "b"], "b")
        assert_array_equal(vectors.matrix, np.eye(2))


@pytest.mark.integration
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
        vectors = import_word_vectors(source)
        assert vectors.words == theirs.index_to_key
        for word in theirs.index_to_key:
            assert_array_equal(vectors[word], theirs[word])
    made = import_word_vectors(fasttext.wv, unknown="subword")
    for word in ("doggy", "x", "naïveté", "日本"):
        assert word not in made
        assert_allclose(made[word], fasttext.wv[word], atol=1e-6)
    expected = keyed.get_mean_vector(["cat", "dog"], pre_normalize=False)
    found = AverageEncoder(import_word_vectors(keyed)).transform(["Cat dog"])
    assert_allclose(found[0], expected, atol=1e-6)


def blank_spacy():
    return pytest.importorskip("spacy").blank("en")


@pytest.mark.integration
def test_spacy():
    nlp = blank_spacy()
    with pytest.raises(ValueError, match="has no word vectors"):
        import_word_vectors(nlp)
    for word, vector in zip(WORDS[:6], TABLE.matrix[:6], strict=True):
        nlp.vocab.set_vector(word, vector.astype(np.float32))
    for source in (nlp, nlp.vocab):
        vectors = import_word_vectors(source, unknown="dog")
        assert (vectors.words, vectors.unknown) == (WORDS[:6], "dog")
        assert_allclose(vectors.matrix, TABLE.matrix[:6], rtol=1e-6)
    encoder = AverageEncoder(
        import_word_vectors(nlp), tokenizer=WordTokenizer(lowercase=False)
    )
    text = "Cat cat dog blue"
    assert_allclose(encoder.transform([text])[0], nlp(text).vector, atol=1e-6)
    nlp.vocab.prune_vectors(3)
    pruned = import_word_vectors(nlp)
    assert sorted(pruned.words) == sorted(WORDS[:6])
    assert len(np.unique(pruned.matrix, axis=0)) == 3
    for word in pruned.words:
        assert_array_equal(pruned[word], nlp.vocab.get_vector(word))


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


@pytest.mark.integration
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
    vectors = import_word_vectors(model)
    assert vectors.words == ["cat", "blue", ".", "##ing", "un", "##cat", "dog"]
    assert vectors.unknown is None
    if not weighted:
        assert vectors.dtype == ("float32" if dtype == "float64" else dtype)
    expected = model.encode(WHOLE_WORDS).astype(np.float32)
    found = AverageEncoder(
        vectors, tokenizer=WordTokenizer(split_compounds=False)
    ).transform(WHOLE_WORDS)
    error = 0.1 if dtype == "float16" else 1e-5  # theirs averages in float16
    assert_allclose(found, expected, atol=error)
    assert expected[1].any()
    if dtype != "float16":
        model.normalize = True
        scaled = model.encode(WHOLE_WORDS).astype(np.float32)
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        assert_allclose(scaled * norms, found, atol=1e-4)
    assert import_word_vectors(model, unknown="[UNK]").unknown == "[UNK]"


def foreign(tokenizer, matrix):
    """A static model with the attributes that `from_model2vec` reads."""
    return SimpleNamespace(tokenizer=tokenizer, embedding=matrix)


@pytest.mark.integration
@pytest.mark.parametrize("has_decoder", [True, False])
def test_marks_of_the_beginning_of_words_go(has_decoder):
    tokenizers = pytest.importorskip("tokenizers")
    pieces = ["<unk>", "▁the", "▁", "ing", ".", "▁.", "▁ing", "th", "▁-"]
    model = tokenizers.models.Unigram([(p, -1.0) for p in pieces], unk_id=0)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    if has_decoder:
        tokenizer.decoder = tokenizers.decoders.Metaspace()
    matrix = np.arange(18, dtype=np.float32).reshape(9, 2)
    vectors = import_word_vectors(foreign(tokenizer, matrix))
    assert dict(zip(vectors.words, vectors.matrix[:, 0] // 2, strict=True)) == {
        "the": 1,
        " ": 2,
        "##ing": 3,
        ".": 4,
        "ing": 6,
        "##th": 7,
        "-": 8,
    }
    assert import_word_vectors(foreign(tokenizer, matrix[:4])).words == [
        "the",
        " ",
        "##ing",
    ]


@pytest.mark.integration
def test_byte_level_tokens_are_decoded():
    tokenizers = pytest.importorskip("tokenizers")
    level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True)
    spelled = [token for token, _ in level.pre_tokenize_str("cat naïve .")]
    vocab = {token: i for i, token in enumerate([*spelled, "ing", "Ġ", "Ã"])}
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab=vocab, merges=[], ignore_merges=True)
    )
    tokenizer.pre_tokenizer = level
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    vectors = import_word_vectors(foreign(tokenizer, np.eye(6)))
    assert vectors.words == ["cat", "naïve", ".", "##ing", " ", "\ufffd"]


@pytest.mark.integration
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
        vectors = import_word_vectors(source)
        assert (vectors.words, vectors.unknown) == (["[UNK]", "cat", "blue"], "[UNK]")
        found = AverageEncoder(vectors).transform(["Cat sat", "blue blue cat", "", "s"])
        assert_allclose(found, expected, atol=1e-5)
    assert vectors.dtype == ("float32" if dtype == "bfloat16" else dtype)


@pytest.mark.integration
def test_sentence_transformers_with_word_pieces():
    transformers = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    matrix = np.float32(np.random.default_rng(0).normal(size=(10, 3)))
    static = modules.StaticEmbedding(word_piece_tokenizer(), embedding_weights=matrix)
    vectors = import_word_vectors(static)
    assert (len(vectors), vectors.unknown) == (7, None)
    whole = ["Cat.", "blue cat cat .", "", "dog"]
    theirs = transformers.SentenceTransformer(modules=[static], device="cpu")
    found = AverageEncoder(vectors).transform(whole)
    assert_allclose(found, theirs.encode(whole), atol=1e-5)
    dense = modules.Dense(3, 2)
    longer = transformers.SentenceTransformer(modules=[static, dense], device="cpu")
    with pytest.raises(ValueError, match=r"\['Dense'\] change the means"):
        import_word_vectors(longer)
    assert len(import_word_vectors(longer[0])) == 7


def test_other_things_are_refused():
    for thing, name in (({}, "dict"), ("some/model", "str"), ([], "list")):
        with pytest.raises(TypeError, match=f"Expected KeyedVectors of .*; got {name}"):
            import_word_vectors(thing)
