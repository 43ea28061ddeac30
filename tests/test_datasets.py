"""The data that come with the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import re
import string
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import skparaphrase
from skparaphrase.datasets import (
    load_entailment,
    load_paraphrases,
    load_sentiment,
    load_similarity,
    load_tagged,
    load_word_frequencies,
    load_word_vectors,
    read_pairs,
)

LOADERS = [load_paraphrases, load_similarity, load_sentiment, load_entailment]
ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SKPARAPHRASE_DATA", ROOT / "../shared")) / "data"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no evaluation data in {DATA}"
)


@pytest.mark.parametrize(
    ("load", "n_least", "columns", "dtype"),
    [
        (load_paraphrases, 1000, (2,), None),
        (load_similarity, 400, (2,), np.float64),
        (load_sentiment, 400, (), np.int64),
        (load_entailment, 300, (2,), object),
    ],
)
def test_shapes_and_types(load, n_least, columns, dtype):
    bunch = load()
    n = len(bunch.data)
    assert n >= n_least
    assert bunch.data.shape == (n, *columns)
    assert bunch.data.dtype == object
    assert {type(text) for text in bunch.data.ravel()} == {str}
    assert f"{n:,} " in bunch.DESCR
    assert "CC0" in bunch.DESCR
    assert re.search(rf"\({n}[,)]", load.__doc__)
    if dtype is None:
        assert bunch.target is None
    else:
        assert bunch.target.shape == (n,)
        assert bunch.target.dtype == dtype


@pytest.mark.parametrize("load", LOADERS)
def test_all_ways_to_load_agree(load):
    bunch, frames = load(), load(as_frame=True)
    X, y = load(return_X_y=True)
    X_frame, y_frame = load(return_X_y=True, as_frame=True)
    assert isinstance(X_frame, pd.DataFrame if bunch.data.ndim == 2 else pd.Series)
    assert_array_equal(X, bunch.data)
    assert_array_equal(X_frame.to_numpy(), bunch.data)
    assert frames.data.equals(X_frame)
    assert len(frames.frame) == len(X)
    if bunch.target is None:
        assert y is y_frame is frames.target is None
    else:
        assert_array_equal(y, bunch.target)
        assert_array_equal(y_frame, bunch.target)
        # pandas 3 has a type of its own for strings.
        assert y_frame.dtype == y.dtype or y.dtype == object
        assert frames.target.equals(y_frame)


@pytest.mark.parametrize("load", LOADERS)
def test_callers_may_change_what_they_got(load):
    load().data[:] = "other"
    assert "other" not in load().data.ravel()


def test_similarity_fills_its_range():
    scores = load_similarity().target
    assert scores.min() == 0
    assert scores.max() == 5
    assert np.isfinite(scores).all()
    shares = np.histogram(scores, bins=range(6))[0] / len(scores)
    assert shares.min() >= 0.15


def test_sentiment_is_balanced():
    assert np.bincount(load_sentiment().target).tolist() == [220, 220]


@pytest.mark.parametrize("load", LOADERS)
def test_texts_are_clean_and_occur_once(load):
    data = load().data
    assert all(text == " ".join(text.split()) and text for text in data.ravel())
    if load is load_entailment:
        data = [*data[::3, 0], *data[:, 1]]
    folded = [text.casefold() for text in np.ravel(data)]
    assert len(set(folded)) == len(folded)


@pytest.mark.parametrize("load", [load_similarity, load_entailment])
def test_no_labelled_text_is_among_the_paraphrases(load):
    labelled, train = (
        {text.casefold() for text in data.ravel()}
        for data in (load().data, load_paraphrases().data)
    )
    assert labelled.isdisjoint(train)


def test_entailment_comes_in_groups_of_one_first_sentence():
    X, y = load_entailment(return_X_y=True)
    groups = X[:, 0].reshape(-1, 3)
    assert (groups == groups[:, :1]).all()
    assert len(set(groups[:, 0])) == len(groups)
    assert {tuple(sorted(labels)) for labels in y.reshape(-1, 3)} == {
        ("contradiction", "entailment", "neutral")
    }
    # The place in the group does not give the label away.
    assert max(Counter(y[::3]).values()) < len(groups) / 2


def test_a_negation_does_not_give_the_label_away():
    X, y = load_entailment(return_X_y=True)
    negation = re.compile(r"\b(no|not|none|never|nobody|neither|nothing|without)\b")
    counts = Counter(y[[bool(negation.search(text.lower())) for text in X[:, 1]]])
    assert min(counts.values()) >= 30
    assert max(counts.values()) < sum(counts.values()) / 2


_OPEN = ["ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB"]
_CLOSED = ["ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ"]
UPOS = {*_OPEN, *_CLOSED, "PUNCT", "SYM"}


def test_bundled_tags():
    bunch = load_tagged()
    X, y = load_tagged(return_X_y=True)
    assert (bunch.data, bunch.target) == (X, y)
    assert [len(tokens) for tokens in X] == [len(tags) for tags in y]
    assert min(map(len, X)) >= 2
    assert {tag for tags in y for tag in tags} == UPOS
    tokens = [token for sentence in X for token in sentence]
    assert {type(token) for token in tokens} == {str}
    assert all(re.fullmatch(r"\S+", token) for token in tokens)
    assert len({tuple(sentence) for sentence in X}) == len(X)
    assert f"{len(X)} sentences of {len(tokens):,} tokens" in bunch.DESCR
    assert f"({len(X)}, {len(tokens)})" in load_tagged.__doc__
    assert "CC0" in bunch.DESCR
    X[0][0] = "other"
    assert load_tagged().data[0][0] != "other"


def test_a_table_of_words_does_not_solve_the_bundled_tags():
    X, y = load_tagged(return_X_y=True)
    words = [
        (token.lower(), tag)
        for tokens, tags in zip(X, y, strict=True)
        for token, tag in zip(tokens, tags, strict=True)
    ]
    half = len(words) // 2
    known = {word for word, _ in words[:half]}
    new = Counter(tag for word, tag in words[half:] if word not in known)
    assert 0.2 < new.total() / half < 0.5
    assert min(new[tag] for tag in ("NOUN", "VERB", "ADJ", "ADV", "PROPN")) >= 10
    tags_of = {word: set() for word, _ in words}
    for word, tag in words:
        tags_of[word].add(tag)
    assert sum(len(tags) > 1 for tags in tags_of.values()) >= 40


def test_bundled_word_vectors():
    vectors = load_word_vectors()
    assert vectors is load_word_vectors()
    assert len(vectors) > 30_000
    assert vectors.matrix.shape == (len(vectors), 128)
    assert (vectors.dtype, vectors.dim) == (np.int8, 128)
    assert vectors.scale.shape == (len(vectors),)
    assert np.isfinite(vectors.scale).all()
    assert vectors.scale.min() > 0
    marks = (
        string.ascii_lowercase
        + string.digits
        + "".join(mark for mark in string.punctuation if mark != "_")
    )
    assert [mark for mark in marks if mark not in vectors] == []
    assert [word for word in vectors.words if word != word.lower() or not word] == []
    assert {"king", "queen"} & {word for word, _ in vectors.nearest("prince", 20)}


def test_bundled_word_frequencies():
    frequencies = load_word_frequencies()
    assert frequencies is load_word_frequencies()
    assert set(frequencies) <= set(load_word_vectors().words)
    assert min(frequencies.values()) > 0
    assert frequencies.total >= sum(frequencies.values())
    assert 0.03 < frequencies.probabilities(["the"])[0] < 0.1
    assert frequencies["the"] > frequencies["of"] > frequencies["paraphrase"]


def test_the_package_stays_small():
    folder = Path(skparaphrase.__file__).parent
    data = [p for p in folder.rglob("data/*") if p.is_file()]
    assert len(data) >= 4
    # Word vectors and the pretrained encoder have 4 MB each.
    assert sum(path.stat().st_size for path in data) <= 8.5e6


@pytest.mark.data
@needs_data
def test_no_bundled_sentence_is_of_sick():
    known = {
        text.casefold().strip(". ")
        for name in ("train", "dev", "test")
        for text in read_pairs(DATA / f"sick/{name}.tsv").data.ravel()
    }
    texts = {text.casefold().strip(". ") for text in load_entailment().data.ravel()}
    assert texts.isdisjoint(known)
