"""Texts in a common form are noticed, and natural lists of texts are not."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest

from skparaphrase.datasets import load_faq, load_paraphrases
from skparaphrase.search import NearDuplicates

TEXTS = load_paraphrases().data[:400].ravel()
MAIL = """Dear support team,

{}

Kind regards
--
This message is confidential and intended solely for the addressee.
"""
LETTER = "Dear support team,\n{}\nKind regards"
SHORT = '<div class="ticket"><p>Hello,</p><p>{}</p><p>Thanks!</p></div>'


@pytest.mark.parametrize(
    ("form", "named"),
    [
        (MAIL, "'This message is confidential and intended"),
        (SHORT, "'ticket', 'class'"),
    ],
)
def test_boilerplate_is_noticed_once_and_named(form, named):
    texts = [form.format(text) for text in load_faq().data[::5]]
    with pytest.warns(UserWarning, match="of the texts share") as warned:
        NearDuplicates().fit(texts)
    (warning,) = warned
    assert named in str(warning.message)
    assert warning.filename == __file__


def test_lines_of_several_templates_are_noticed():
    forms = ["Hi team,\n{}\nBest regards,\nAnn Miller", "Hello,\n{}\nThanks", "{}"]
    texts = [forms[i % 3].format(text) for i, text in enumerate(load_faq().data)]
    with pytest.warns(UserWarning, match="67% of the texts share lines .* 'Ann Miller"):
        NearDuplicates().fit(texts)


def captions():
    things = ["dog", "cat", "man", "child", "woman", "horse", "boy", "girl"]
    deeds = [
        "sleeping on",
        "sitting on",
        "running across",
        "standing near",
        "eating on",
    ]
    places = ["a sofa", "the grass", "a red bus", "the beach", "the road"]
    return [
        f"A {thing} is {deed} {place}."
        for thing in things
        for deed in deeds
        for place in places
    ]


@pytest.mark.parametrize(
    "texts",
    [
        load_faq().data,
        TEXTS,
        captions(),
        ["<p>Hello, this is a list of equal texts that all share their words.</p>"]
        * 99,
        [" ".join(TEXTS[i : i + 40]) for i in range(700)],
        ["\n".join(TEXTS[i : i + 10]) for i in range(0, 800, 10)],
        [],
    ],
    ids=["questions", "sentences", "captions", "copies", "documents", "lines", "none"],
)
def test_natural_lists_have_no_boilerplate(texts):
    NearDuplicates().fit([*texts, "one"])
