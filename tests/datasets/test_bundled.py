"""The bundled data sets."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import string
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skparaphrase import datasets

OTHERS = ("pos_tags", "word_vectors", "word_frequencies")  # not texts in an array
LOADERS = [
    getattr(datasets, name)
    for name in datasets.__all__
    if name.startswith("load_") and not name.endswith(OTHERS)
]


@pytest.mark.parametrize(
    ("load", "n_least", "columns", "dtype"),
    [
        (datasets.load_paraphrases, 1000, (2,), None),
        (datasets.load_graded_pairs, 400, (2,), np.float64),
        (datasets.load_sentiment, 400, (), np.int64),
        (datasets.load_entailment, 300, (2,), object),
        (datasets.load_answer_ranking, 300, (2,), np.int64),
        (datasets.load_faq, 550, (), object),
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
    if load is datasets.load_answer_ranking:
        assert bunch.query.shape == (n,)
        assert bunch.query.dtype == np.int64
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
    assert_array_equal(X, bunch.data)
    assert_array_equal(frames.data.to_numpy(), bunch.data)
    assert_array_equal(y, bunch.target)
    assert_array_equal(frames.target, bunch.target)
    bunch.data[:] = "other"
    assert "other" not in load().data.ravel()


@pytest.mark.parametrize("load", LOADERS)
def test_texts_are_clean_and_occur_once(load):
    data = load().data
    assert all(text == " ".join(text.split()) and text for text in data.ravel())
    if load is datasets.load_entailment:
        data = [*data[::3, 0], *data[:, 1]]
    if load is datasets.load_answer_ranking:
        data = data[:, 1]
    folded = [text.casefold() for text in np.ravel(data)]
    assert len(set(folded)) == len(folded)


def test_entailment_comes_in_groups_of_one_first_sentence():
    X, y = datasets.load_entailment(return_X_y=True)
    groups = X[:, 0].reshape(-1, 3)
    assert (groups == groups[:, :1]).all()
    assert len(set(groups[:, 0])) == len(groups)
    assert {tuple(sorted(labels)) for labels in y.reshape(-1, 3)} == {
        ("contradiction", "entailment", "neutral")
    }
    # The position in the group does not reveal the label.
    assert max(Counter(y[::3]).values()) < len(groups) / 2


UPOS = "ADJ ADV INTJ NOUN PROPN VERB ADP AUX CCONJ DET NUM PART PRON SCONJ PUNCT SYM"


def test_bundled_tags():
    bunch = datasets.load_pos_tags()
    X, y = datasets.load_pos_tags(return_X_y=True)
    assert (bunch.data, bunch.target) == (X, y)
    assert [len(tokens) for tokens in X] == [len(tags) for tags in y]
    assert {tag for tags in y for tag in tags} == {*UPOS.split()}
    tokens = [token for sentence in X for token in sentence]
    assert {type(token) for token in tokens} == {str}
    assert all(re.fullmatch(r"\S+", token) for token in tokens)
    assert len({tuple(sentence) for sentence in X}) == len(X)
    assert f"{len(X)} sentences of {len(tokens):,} tokens" in bunch.DESCR
    assert f"({len(X)}, {len(tokens)})" in datasets.load_pos_tags.__doc__
    assert "CC0" in bunch.DESCR
    X[0][0] = "other"
    assert datasets.load_pos_tags().data[0][0] != "other"


def test_bundled_word_vectors():
    vectors = datasets.load_word_vectors()
    assert vectors is datasets.load_word_vectors()
    assert len(vectors) > 30_000
    assert (vectors.dtype, vectors.dim) == (np.int8, 128)
    marks = string.ascii_lowercase + string.digits + string.punctuation
    assert [mark for mark in marks if mark not in vectors] == ["_"]
    assert [word for word in vectors.words if word != word.lower() or not word] == []


def test_bundled_word_frequencies():
    frequencies = datasets.load_word_frequencies()
    assert frequencies is datasets.load_word_frequencies()
    assert set(frequencies) <= set(datasets.load_word_vectors().words)
    assert frequencies.total >= sum(frequencies.values())
    assert 0.03 < frequencies.probabilities(["the"])[0] < 0.1
    assert frequencies["the"] > frequencies["of"] > frequencies["paraphrase"]


def test_the_package_stays_small():
    folder = Path(datasets.__file__).parents[1]
    data = [p for p in folder.rglob("data/*") if p.is_file()]
    assert len(data) >= 4
    # Word vectors have 4.1 MB, the encoders 5.5 and 9.2 MB; a wheel stays below 20 MB.
    assert sum(path.stat().st_size for path in data) <= 19.2e6


def test_bundled_questions_have_right_and_wrong_answers():
    bunch = datasets.load_answer_ranking()
    query = bunch.query
    assert_array_equal(np.unique(query), np.arange(60))
    assert (np.diff(query) >= 0).all()
    counts, right = np.bincount(query), np.bincount(query, bunch.target)
    assert set(counts) == {5, 6}
    assert set(right) == {1, 2}
    _, start = np.unique(query, return_index=True)
    places = Counter(bunch.target[i:].argmax() for i in start)
    assert max(places.values()) <= 20
    questions = [set(bunch.data[query == i, 0]) for i in range(60)]
    assert all(len(texts) == 1 for texts in questions)
    assert len(set.union(*questions)) == 60


def test_bundled_faq_has_groups_of_the_same_meaning():
    bunch, frames = datasets.load_faq(), datasets.load_faq(as_frame=True)
    answers, groups = bunch.answers, bunch.groups
    assert bunch.topics is bunch.target
    assert len({*bunch.topics}) == 25
    assert groups.dtype == np.int64
    _, first = np.unique(groups, return_index=True)
    assert (np.diff(first) > 0).all()  # numbered from 0 in the order of the file
    assert np.bincount(np.bincount(groups)).tolist() == [0, 362, 88, 4]
    assert_array_equal(bunch.topics, bunch.topics[first][groups])
    assert all(text == " ".join(text.split()) and text for text in answers)
    assert len({text.casefold() for text in answers}) == 500
    for name in ("answers", "topics", "groups"):
        assert_array_equal(frames[name].to_numpy(), bunch[name])
    assert [*frames.frame] == ["question", "answer", "topic", "group"]
