"""Fingerprints of what decides the result of a fit."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import torch
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator

import skparaphrase
from skparaphrase.callback._identity import fingerprint
from skparaphrase.encoders import ParagramEncoder, SIFEncoder
from skparaphrase.losses import InfoNCELoss, MarginLoss
from skparaphrase.optimizers import Optimizer
from skparaphrase.text import NgramTokenizer, TokenBatch, WordTokenizer
from skparaphrase.vectors import Subwords, WordFrequencies, WordVectors

PAIRS = [("a", "b"), ("b a", "a b a"), ("b b", "a b")]


def table(**changes):
    return WordVectors(["a", "b"], [[1.0, 2.0], [2.0, 3.0]], **changes)


def split(text):
    return text.split()


def different():
    """Objects that differ from each other, made anew by each call."""
    vectors = table()
    encoder = ParagramEncoder(vectors, batch_size=8, random_state=0, max_epochs=1)
    yield from (None, 0, 1, 1.5, 1.0, True, "1", "", "None", b"1", -0.0, 0.0)
    yield from ([], [[]], [""], ["", ""], ["a", "b"], ["ab"], ["b", "a"], ["a", ["b"]])
    yield from (["a\0b", "c"], ["a", "b\0c"], ["a', 'b"], ["\ud800"], ["\\ud800"])
    yield from ({"a": 1, "b": 2}, {"a": 2}, {1: "a"}, {"1": "a"}, {"a", "b"}, {"a", 1})
    yield from (str.split, str.upper, str, len, split, partial(split), lambda: None)
    yield from (np.zeros(3), np.zeros(3, int), np.zeros((3, 1)), np.arange(3.0))
    yield from (np.zeros(200), np.zeros((200, 1)), np.zeros(200, "f4"), np.arange(200))
    yield from (np.zeros(1), np.zeros(()), np.zeros((0, 2)), np.zeros((2, 0)))
    yield from (np.array(["a", "b"]), np.array([["a"], ["b"]]), torch.zeros(2))
    yield from (WordFrequencies({"a": 1}), WordFrequencies({"a": 1}, total=5))
    yield from (vectors, vectors.astype("int8"), vectors.astype("float16"))
    yield from (table(unknown="a"), table(unknown="hash"))
    yield WordVectors(["a", "c"], [[1.0, 2.0], [2.0, 3.0]])
    yield vectors.replace(vectors.matrix + np.float32(1e-6))
    for n_rows in (8, 9):
        subwords = Subwords(np.ones((n_rows, 2), np.float32))
        yield table(unknown="subword", subwords=subwords)
        yield table(unknown="subword", subwords=subwords.moved(2.0))
    yield from (encoder, FrozenEstimator(encoder))
    yield clone(encoder).set_params(loss=MarginLoss(0.5))
    fitted = clone(encoder).fit(PAIRS)
    yield from (fitted, FrozenEstimator(fitted), clone(encoder).fit(PAIRS[:2]))
    yield from (MarginLoss(), MarginLoss(0.5), InfoNCELoss())
    yield from (Optimizer(), Optimizer(clip_norm=1.0))
    yield from (NgramTokenizer(), NgramTokenizer(lowercase=False))
    yield from (WordTokenizer(), WordTokenizer("ptb"), WordTokenizer(lowercase=False))
    yield from (np.random.RandomState(0), np.random.RandomState(1))
    yield TokenBatch(np.arange(3), np.array([0, 2, 3]))
    yield TokenBatch(np.arange(3), np.array([0, 1, 3]))
    yield TfidfVectorizer()
    # The weights of words are in a private attribute.
    yield TfidfVectorizer().fit(["one two", "two"])
    yield TfidfVectorizer().fit(["one two", "one"])


def test_fingerprints_differ_where_objects_do():
    found = [fingerprint(value) for value in different()]
    assert found == [fingerprint(value) for value in different()]
    assert len({*found}) == len(found)


def test_fingerprints_are_the_same_in_every_process():
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); "
        "import test_identity as module; "
        "print([module.fingerprint(value) for value in module.different()])"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1


def apart(text):
    """An equal string that is another object."""
    return "".join([text[:1], text[1:]])


def test_only_content_counts(tmp_path):
    text, pair, array = "a" * 30, ("a", "b"), np.arange(300.0)
    rows = np.zeros((4, 6), np.float32)
    vectors = table()
    vectors.save(tmp_path / "vectors")
    mapped = WordVectors.load(tmp_path / "vectors")
    encoder = SIFEncoder(vectors).fit(["a b", "b"])
    encoder.save(tmp_path / "encoder")
    np.save(tmp_path / "array.npy", array)
    np.save(tmp_path / "large.npy", np.zeros((40, 30)))
    for one, other in [
        ([text, text], [apart(text), apart(text)]),
        ([pair, pair], [("a", "b"), ["a", "b"]]),
        ([array, array], [array, array.copy()]),
        (array, np.load(tmp_path / "array.npy", mmap_mode="r")),
        (np.zeros((40, 30)), np.load(tmp_path / "large.npy", mmap_mode="r")),
        (rows[:, ::2], np.zeros((4, 3), np.float32)),
        (rows[::2][:1], np.zeros((1, 6), np.float32)),
        (np.asfortranarray(np.arange(300).reshape(3, 100)), array_of(3, 100)),
        ((np.float64(1.5), np.str_("a")), [1.5, "a"]),
        (np.array(["a", "bc"]), np.array(["a", "bc"], object)),
        ({"b": 2, "a": 1}, {"a": 1, "b": 2}),
        ({1: "x", "a": "y"}, {"a": "y", 1: "x"}),
        ({"b", "a", 1}, {1, "a", "b"}),
        (torch.arange(3.0), np.arange(3, dtype=np.float32)),
        (vectors, mapped),
        (vectors, pickle.loads(pickle.dumps(vectors))),
        (encoder, skparaphrase.load(tmp_path / "encoder")),
        (encoder, pickle.loads(pickle.dumps(encoder))),
    ]:
        assert fingerprint(one) == fingerprint(other), (one, other)


def array_of(*shape):
    return np.arange(np.prod(shape)).reshape(shape)


def test_caches_do_not_count():
    vectors, tokenizer = table(unknown="hash"), WordTokenizer()
    before = fingerprint([vectors, tokenizer])
    encoder = SIFEncoder(vectors, tokenizer=tokenizer).fit(["a b", "b"])
    fitted = fingerprint(encoder)
    encoder.transform(["a b c d", "unknown words"])
    assert vectors._lookups
    assert fingerprint([vectors, tokenizer]) == before
    assert fingerprint(encoder) == fitted
