"""Pairs from documents: the inverse cloze task."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import weakref
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from skparaphrase.datasets import load_faq
from skparaphrase.pairs import make_cloze_pairs

SENTENCES = ["One two three four.", "Five six seven.", "Eight nine ten?", "Eleven!!!!!"]


def numbered(n_documents, n_sentences=4):
    """Documents whose sentences contain the document and their position."""
    for n in range(n_documents):
        yield " ".join(f"Sentence {i} of document {n}." for i in range(n_sentences))


# A pair ------------------------------------------------------------------------------


def test_pairs_by_hand():
    first, second, third, last = SENTENCES
    documents = [
        " ".join(SENTENCES),
        "Only one sentence.",
        "",
        "Rain falls.\nIt pours.",
    ]
    pairs = make_cloze_pairs(documents, keep=0)
    assert pairs.dtype == object
    assert pairs.tolist() == [
        [first, f"{second} {third} {last}"],
        [second, f"{first} {third} {last}"],
        [third, f"{first} {second} {last}"],
        [last, f"{first} {second} {third}"],
        ["Rain falls.", "It pours."],
        ["It pours.", "Rain falls."],
    ]
    kept = make_cloze_pairs(documents, keep=1)
    assert_array_equal(kept[:, 0], pairs[:, 0])
    assert {*kept[:4, 1]} == {documents[0]}
    assert {*kept[4:, 1]} == {"Rain falls. It pours."}


@pytest.mark.parametrize(
    ("max_words", "around"),
    [
        (1, [[1], [0, 2], [1, 3], [2]]),  # at least the next sentence
        (12, [[1, 2], [0, 2, 3], [1, 3], [1, 2]]),  # of 4, 3, 3 and 1 words
        (13, [[1, 2], [0, 2, 3], [1, 3], [1, 2]]),
        (14, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [1, 2]]),
        (20, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]),
    ],
)
def test_the_nearest_sentences(max_words, around):
    pairs = make_cloze_pairs([" ".join(SENTENCES)], keep=0, max_words=max_words)
    expected = [" ".join(SENTENCES[i] for i in sorted(rows)) for rows in around]
    assert pairs[:, 1].tolist() == expected


def test_the_share_of_contexts_with_their_sentence():
    pairs = make_cloze_pairs(numbered(5000), random_state=0)
    assert len(pairs) == 20_000
    is_kept = [sentence in context for sentence, context in pairs]
    assert 0.09 < np.mean(is_kept) < 0.11  # 5 standard errors
    assert Counter(context.count(".") for _, context in pairs) == {
        3: 20_000 - sum(is_kept),
        4: sum(is_kept),
    }


# Sentences ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "sentences"),
    [
        ("So late! Is it? 7 bells rang.", ["So late!", "Is it?", "7 bells rang."]),
        ("He waits, i.e. he reads. I eat.", ["He waits, i.e. he reads.", "I eat."]),
        ("It costs 3.50 now. It was 2.10.", ["It costs 3.50 now.", "It was 2.10."]),
        ('"Come in." (He came.) She sat.', ['"Come in."', "(He came.)", "She sat."]),
        ("A short title\nthe text of it", ["A short title", "the text of it"]),
        ("Steps to take:\r\n\r\n  Open the box.", ["Steps to take:", "Open the box."]),
        # Pieces of fewer than six characters are not sentences.
        ("1. Open the box. 2. Close it.", ["1. Open the box.", "2. Close it."]),
        ("Dr. Smith called. I met him. Bye.", ["Dr. Smith called.", "I met him. Bye."]),
        ("Prof. Smith called. Hello.", ["Prof. Smith called.", "Hello."]),
        # Without upper case, a lower-case letter may begin a sentence.
        ("it is clear . it bends light .", ["it is clear .", "it bends light ."]),
        ("Ärzte helfen. Über Nacht auch.", ["Ärzte helfen.", "Über Nacht auch."]),
        ("यह पहला वाक्य है! यह दूसरा है!", ["यह पहला वाक्य है!", "यह दूसरा है!"]),
        ("今天天气很好。明天会下雨。", ["今天天气很好。", "明天会下雨。"]),
    ],
)  # fmt: skip
def test_where_sentences_end(document, sentences):
    assert make_cloze_pairs([f" {document}\n"])[:, 0].tolist() == sentences


def test_no_character_is_lost():
    texts = [*load_faq(as_frame=True).frame.groupby("topic")["answer"].agg(" ".join)]
    texts += [text.lower() for text in texts]
    for text in texts:
        pairs = make_cloze_pairs([text], keep=1, max_words=10**6)
        assert {*pairs[:, 1]} == {" ".join(text.split())}
        assert " ".join(pairs[:, 0]) == " ".join(text.split())
        assert len(pairs) > 10


def test_a_split_of_your_own():
    pairs = make_cloze_pairs(["a;b; ;c"], split=lambda text: text.split(";"), keep=0)
    assert pairs.tolist() == [["a", "b c"], ["b", "a c"], ["c", "a b"]]
    iterators = make_cloze_pairs(["a b"], split=lambda text: iter(text.split()), keep=0)
    assert iterators.tolist() == [["a", "b"], ["b", "a"]]


# Draws -------------------------------------------------------------------------------


def test_drawn_pairs_are_distinct_and_in_order():
    everything = make_cloze_pairs(numbered(50), keep=0).tolist()
    drawn = [
        make_cloze_pairs(numbered(50), keep=0, n_pairs=30, random_state=seed).tolist()
        for seed in (0, 0, 1)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    places = [everything.index(pair) for pair in drawn[0]]
    assert len({*places}) == 30 and places == sorted(places)
    assert make_cloze_pairs(numbered(50), keep=0, n_pairs=200).tolist() == everything


def test_every_sentence_is_equally_likely():
    counts = Counter()
    for seed in range(600):
        pairs = make_cloze_pairs(["A b c d. E f g h.", "I j k l. M n o p. Q r s t."],
                                 split=lambda text: text.split(". "),
                                 n_pairs=2, random_state=seed)  # fmt: skip
        counts.update(pairs[:, 0])
    assert len(counts) == 5
    assert 190 < min(counts.values()) and max(counts.values()) < 290  # of 240


# Documents ---------------------------------------------------------------------------


def test_containers_give_the_same_pairs(tmp_path):
    documents = [*numbered(20)]
    expected = make_cloze_pairs(documents, n_pairs=10, random_state=0)

    class Corpus:
        def __iter__(self):
            return iter(documents)

    table = pa.table({"text": documents})
    pa.parquet.write_table(table, tmp_path / "documents.parquet")
    for container in (
        iter(documents),
        (text for text in documents),
        Corpus(),
        np.array(documents),
        pd.Series(documents, index=range(20, 0, -1)),
        pd.DataFrame({"text": documents}),
        table["text"],
        pa.dataset.dataset(tmp_path / "documents.parquet"),
    ):
        pairs = make_cloze_pairs(container, n_pairs=10, random_state=0)
        assert_array_equal(pairs, expected)


def test_documents_of_an_iterable_are_not_held():
    class Document(str):
        """A str that can be referenced weakly."""

    alive = weakref.WeakSet()

    def stream():
        for text in numbered(300):
            assert len(alive) <= 1  # the one before
            alive.add(document := Document(text))
            yield document
            del document

    assert len(make_cloze_pairs(stream(), n_pairs=50, random_state=0)) == 50


# What is no document -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("documents", "options", "error", "words"),
    [
        (["One sentence.", "Another one."], {}, ValueError, "No document has two"),
        ([], {}, ValueError, "Found 0 samples"),
        (iter(()), {}, ValueError, "No document has two sentences"),
        ("A text. And more.", {}, TypeError, "Put a single text in a list"),
        ([*numbered(1), None], {}, ValueError, "index 1 is None"),
        (iter([*numbered(1), None]), {}, TypeError, "Document 1 is None, not a str"),
        (iter([*numbered(2), b"x"]), {}, TypeError, "Document 2 is b'x'"),
        ([("title", "text")], {}, ValueError, r"documents must hold texts, .*\(1, 2\)"),
        ([*numbered(1)], {"n_pairs": 0}, ValueError, "n_pairs == 0"),
        ([*numbered(1)], {"max_words": 0}, ValueError, "max_words == 0"),
        ([*numbered(1)], {"keep": 1.5}, ValueError, "keep == 1.5"),
        ([*numbered(1)], {"keep": -0.1}, ValueError, "keep == -0.1"),
        ([*numbered(1)], {"split": str.upper}, TypeError, "split must return"),
        ([*numbered(1)], {"split": str.encode}, TypeError, "split must return"),
        ([*numbered(1)], {"random_state": "x"}, ValueError, "cannot be used to seed"),
    ],
)
def test_errors(documents, options, error, words):
    with pytest.raises(error, match=words):
        make_cloze_pairs(documents, **options)
