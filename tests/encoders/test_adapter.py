"""The adapter of encoders to interfaces of other libraries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import asyncio
import inspect
import pickle
import re
from contextlib import redirect_stderr
from io import StringIO

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

import skparaphrase
from skparaphrase import _progress
from skparaphrase.datasets import load_faq
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import SIFEncoder
from skparaphrase.search import ParaphraseMiner, SemanticSearch
from skparaphrase.text._lookup import BLOCK

TEXTS = ["Where is my parcel?", "I want my money back.", "zzxqy unheardofness", ""]


@pytest.mark.parametrize("pipeline", [False, True])
def test_unit_vectors_of_the_encoder(pipeline):
    encoder = None
    if pipeline:
        encoder = make_pipeline(SIFEncoder(), CommonComponentRemoval()).fit(TEXTS)
    embedder = skparaphrase.EmbeddingAdapter(encoder)
    expected = normalize((encoder or skparaphrase.load_pretrained()).transform(TEXTS))
    found = embedder.encode(TEXTS)
    assert_allclose(found, expected, atol=1e-6)
    assert found[2].any()  # words that the table lacks have vectors
    assert_array_equal(embedder.encode(np.array(TEXTS)), found)
    assert_array_equal(embedder(TEXTS), found)
    assert_array_equal(embedder.embed_query(input=TEXTS), found)
    single = embedder.encode(TEXTS[0])
    assert_allclose(single, found[0], atol=1e-6)
    assert_array_equal(embedder(TEXTS[0]), single)  # LangChain's index of faiss
    assert embedder.embed_query(TEXTS[0]) == single.tolist()
    assert asyncio.run(embedder.aembed_query(TEXTS[0])) == single.tolist()
    assert asyncio.run(embedder.aembed_documents(TEXTS)) == found.tolist()
    assert type(embedder.embed_query(TEXTS[0])[0]) is float
    assert embedder.embed_documents(TEXTS) == found.tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda embedder: embedder.embed_documents("abc"),
        lambda embedder: embedder.embed_query(["abc"]),
        lambda embedder: embedder.embed_query(None),
        lambda embedder: embedder.embed_query(input="abc"),
        lambda embedder: asyncio.run(embedder.aembed_documents("abc")),
        lambda embedder: asyncio.run(embedder.aembed_query(["abc"])),
    ],
)
def test_one_text_is_not_a_list_of_texts(call):
    with pytest.raises(TypeError, match=r"got .*abc|got None"):
        call(skparaphrase.EmbeddingAdapter())


def test_pickles_and_names():
    embedder = skparaphrase.EmbeddingAdapter(SIFEncoder().fit(TEXTS))
    parameters = inspect.signature(type(embedder).__call__).parameters
    assert [*parameters] == ["self", "input"]  # Chroma checks this
    assert embedder.name() == "skparaphrase" and embedder.is_legacy()
    again = pickle.loads(pickle.dumps(embedder))
    assert_array_equal(again.encode(TEXTS), embedder.encode(TEXTS))
    assert repr(embedder) == "EmbeddingAdapter(SIFEncoder())"
    assert "SIFEncoder" in embedder._repr_html_()  # in a notebook, by dir
    assert embedder.get_embedding_dimension() == 128
    assert embedder.get_sentence_embedding_dimension() == 128
    with pytest.raises(TypeError, match="index 1"):
        embedder.encode(["a", 3])


def test_what_is_no_encoder():
    message = r"encoder must be .* skparaphrase.load\(folder\) .* Got 'a-folder'"
    with pytest.raises(TypeError, match=message):
        skparaphrase.EmbeddingAdapter("a-folder")


def test_an_embedder_is_an_encoder(tmp_path):
    encoder = SIFEncoder().fit(TEXTS)
    embedder = skparaphrase.EmbeddingAdapter(encoder)
    assert embedder.fit(TEXTS, None) is embedder is clone(embedder)
    assert_array_equal(embedder.transform(TEXTS), encoder.transform(TEXTS))
    cosine = skparaphrase.similarity("A cat.", "The cat.", encoder)
    assert skparaphrase.similarity("A cat.", "The cat.", embedder) == cosine
    search = SemanticSearch(embedder).fit(TEXTS)
    expected = SemanticSearch(encoder).fit(TEXTS).search(TEXTS)
    assert_array_equal(search.search(TEXTS).score, expected.score)
    search.save(tmp_path / "search")
    found = skparaphrase.load(tmp_path / "search").search(TEXTS)
    assert_array_equal(found.score, expected.score)
    pairs = ParaphraseMiner(embedder).fit(TEXTS).mine(TEXTS)
    assert_array_equal(pairs.row, ParaphraseMiner(encoder).fit(TEXTS).mine(TEXTS).row)
    embedder.save(tmp_path / "encoder")
    again = skparaphrase.EmbeddingAdapter(skparaphrase.load(tmp_path / "encoder"))
    assert_array_equal(again.encode(TEXTS), embedder.encode(TEXTS))


def test_what_mteb_asks_for():
    embedder = skparaphrase.EmbeddingAdapter()
    vectors = embedder.encode(TEXTS)
    batches = iter([{"text": TEXTS[:3]}, {"text": TEXTS[3:]}])
    assert_array_equal(embedder.encode(batches, task_metadata=None), vectors)
    expected = normalize(3 * vectors) @ vectors[1:].T
    assert_allclose(embedder.similarity(3 * vectors, vectors[1:]), expected, atol=1e-6)
    found = embedder.similarity_pairwise(vectors[1:], vectors[:-1])
    assert_allclose(found, (vectors[1:] * vectors[:-1]).sum(axis=1), atol=1e-6)


# The options of sentence-transformers; `tests/integration` compares them with it

FAQ = load_faq().data
EMBEDDER = skparaphrase.EmbeddingAdapter()
RAW = EMBEDDER.encoder.transform(FAQ)


def test_lengths_and_fewer_dimensions():
    raw = EMBEDDER.encode(FAQ, normalize_embeddings=False)
    assert_array_equal(raw, RAW)
    found = EMBEDDER.encode(FAQ, truncate_dim=64)
    assert_allclose(found, normalize(RAW[:, :64]), atol=1e-6)
    found = EMBEDDER.encode(FAQ, truncate_dim=64, normalize_embeddings=False)
    assert_array_equal(found, RAW[:, :64])
    assert EMBEDDER.encode("A cat.", truncate_dim=256).shape == (256,)
    for dim in (0, 257):
        with pytest.raises(ValueError, match=f"truncate_dim == {dim}, must be"):
            EMBEDDER.encode(FAQ, truncate_dim=dim)


@pytest.mark.parametrize("name", ["encode", "encode_query", "encode_document"])
def test_vectors_do_not_depend_on_the_batch(name):
    found = getattr(EMBEDDER, name)(FAQ, batch_size=7)
    assert_allclose(found, normalize(RAW), atol=1e-6)
    assert EMBEDDER.encode([]).shape == (0, 256)


def test_tensors():
    found = EMBEDDER.encode(FAQ, convert_to_tensor=True)
    assert found.dtype is torch.float32
    assert_allclose(found.numpy(), normalize(RAW), atol=1e-6)
    listed = EMBEDDER.encode(FAQ, convert_to_numpy=False)
    assert type(listed) is list
    assert torch.equal(torch.stack(listed), found)
    assert torch.equal(EMBEDDER.encode(FAQ[0], convert_to_tensor=True), found[0])
    cosines = EMBEDDER.similarity(found[:2], found[:3])
    assert type(cosines) is torch.Tensor
    assert_allclose(cosines, EMBEDDER.similarity(RAW[:2], RAW[:3]), atol=1e-6)
    pairwise = EMBEDDER.similarity_pairwise(found[:2], found[1:3])
    assert_allclose(pairwise, cosines[[0, 1], [1, 2]], atol=1e-6)


def test_a_bar(monkeypatch):
    class Terminal(StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(_progress, "_DELAY", 0)
    texts = [f"Ticket {i}" for i in range(BLOCK + 1)]
    for options, shown in (({}, False), ({"show_progress_bar": True}, True)):
        with redirect_stderr(Terminal()) as terminal:
            EMBEDDER.encode(texts, **options)
        assert (f"{len(texts)}/{len(texts)}" in terminal.getvalue()) is shown


@pytest.mark.parametrize(
    "option",
    [
        {"prompt": "query: "},
        {"prompt_name": "query"},
        {"output_value": "token_embeddings"},
        {"device": "cuda"},
        {"pool": {"processes": []}},
        {"chunk_size": 100},
        {"precision": "int8"},
        {"normalise": True},
    ],
)
def test_options_that_cannot_be_honoured_are_refused(option):
    ((name, value),) = option.items()
    message = re.escape(f"encode() does not support {name}={value!r}. Averages need no")
    with pytest.raises(TypeError, match=message):
        EMBEDDER.encode(["A cat."], **option)


def test_options_that_change_nothing_are_accepted():
    options = {
        **{"prompt": None, "prompt_name": None, "output_value": "sentence_embedding"},
        **{"device": None, "pool": None, "chunk_size": None, "precision": None},
    }
    expected = EMBEDDER.encode(FAQ, precision="float32")
    assert_array_equal(EMBEDDER.encode(FAQ, **options), expected)
    for device in ("cpu", torch.device("cpu")):
        assert_array_equal(EMBEDDER.encode(FAQ, device=device), expected)
