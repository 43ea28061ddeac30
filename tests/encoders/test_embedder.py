"""The methods that other libraries call."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import asyncio
import inspect
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

import skparaphrase
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import SIFEncoder

TEXTS = ["Where is my parcel?", "I want my money back.", "zzxqy unheardofness", ""]


@pytest.mark.parametrize("pipeline", [False, True])
def test_unit_vectors_of_the_encoder(pipeline):
    encoder = None
    if pipeline:
        encoder = make_pipeline(SIFEncoder(), CommonComponentRemoval()).fit(TEXTS)
    embedder = skparaphrase.Embedder(encoder)
    expected = normalize((encoder or skparaphrase.load_pretrained()).transform(TEXTS))
    found = embedder.encode(TEXTS, batch_size=2, show_progress_bar=True)
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


def test_what_chroma_asks_for():
    embedder = skparaphrase.Embedder()
    assert list(inspect.signature(type(embedder).__call__).parameters) == [
        "self",
        "input",
    ]
    assert embedder.name() == "skparaphrase"
    assert embedder.is_legacy()


def test_pickles_and_names():
    embedder = skparaphrase.Embedder(SIFEncoder().fit(TEXTS))
    again = pickle.loads(pickle.dumps(embedder))
    assert_array_equal(again.encode(TEXTS), embedder.encode(TEXTS))
    assert repr(embedder) == "Embedder(SIFEncoder())"
    with pytest.raises(TypeError, match="index 1"):
        embedder.encode(["a", 3])


def test_what_mteb_asks_for():
    embedder = skparaphrase.Embedder()
    vectors = embedder.encode(TEXTS)
    batches = iter([{"text": TEXTS[:3]}, {"text": TEXTS[3:]}])
    assert_array_equal(embedder.encode(batches, task_metadata=None), vectors)
    expected = normalize(3 * vectors) @ vectors[1:].T
    assert_allclose(embedder.similarity(3 * vectors, vectors[1:]), expected, atol=1e-6)
    found = embedder.similarity_pairwise(vectors[1:], vectors[:-1])
    assert_allclose(found, (vectors[1:] * vectors[:-1]).sum(axis=1), atol=1e-6)
