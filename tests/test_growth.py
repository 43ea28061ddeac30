"""Time grows linearly with the length of a text, also of texts written to take long."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import random
import time
from functools import cache
from math import log

import pytest

import skparaphrase
from skparaphrase.datasets import load_faq, load_pos_tags
from skparaphrase.encoders import CharagramEncoder, SIFEncoder
from skparaphrase.pairs import PairVectorizer, extract_phrase_pairs, make_cloze_pairs
from skparaphrase.search import NearDuplicates, ParaphraseMiner, SemanticSearch
from skparaphrase.supervised import SequenceTagger, TextClassifier
from skparaphrase.text import NgramTokenizer, WordTokenizer, check_texts, clean_text
from skparaphrase.vectors import WordFrequencies

SIZES = 4_000, 32_000  # characters
WORDS = [*filter(str.isascii, " ".join(load_faq().data).split())]
QUESTIONS = load_faq().data[:40]
PAIRS = [*zip(QUESTIONS[:20], QUESTIONS[20:], strict=True)]
SMALL = {"max_epochs": 1, "random_state": 0}


def repeat(unit):
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def distinct(make):
    return lambda size: " ".join(make(i) for i in range(size // 17))


TEXTS = {
    "words": lambda size: " ".join(random.Random(0).choices(WORDS, k=size // 6)),
    "one word": repeat("a"),
    "marks": lambda size: "a" + "\u0300" * (size // 2) + "\u0316" * (size // 2),
    "doubled words": distinct(lambda i: f"{i:08d}" * 2),
    "new words": distinct(lambda i: f"zq{i:06d}xkwvjh"),
    "compounds": repeat("a-b.c'd/"),
    "numbers": repeat("1,000.5:3"),
    "lines": repeat("wrote:\n"),
    "quotes": repeat("> x\n"),
    "tags": repeat("<a <"),
    "entities": repeat("&amp;"),
    "addresses": repeat("a@b.c/"),
    "repeated words": repeat("a a b "),
    "emoji": repeat("\U0001f468\u200d\U0001f469"),
    "Chinese": repeat("\u4e2d\u6587"),
    "Thai": repeat("\u0e01\u0e33\u0e49"),
    "Unicode's longest": repeat("\ufdfa"),
}


MODELS = {
    "charagram": lambda: CharagramEncoder(**SMALL).fit(PAIRS),
    "lexical": lambda: SemanticSearch(lexical="char_wb").fit(QUESTIONS),
    "vectorizer": lambda: PairVectorizer().fit(PAIRS),
    "classifier": lambda: TextClassifier(**SMALL).fit(QUESTIONS, [0, 1] * 20),
    "tagger": lambda: SequenceTagger(**SMALL).fit(*load_pos_tags(return_X_y=True)),
}


@cache
def fitted(name):
    return MODELS[name]()


FUNCTIONS = {
    "check_texts": lambda text: check_texts([text]),
    "WordTokenizer": WordTokenizer(),
    "WordTokenizer('ptb')": WordTokenizer("ptb"),
    "NgramTokenizer": lambda text: NgramTokenizer().vocabulary([text]),
    "clean_text": lambda text: clean_text([text]),
    "WordFrequencies": lambda text: WordFrequencies.from_texts([text]),
    "load_pretrained": lambda text: skparaphrase.load_pretrained().transform([text]),
    "similarity": lambda text: skparaphrase.similarity(text, "A cat."),
    "SIFEncoder": lambda text: SIFEncoder(frequencies="corpus").fit_transform([text]),
    "CharagramEncoder": lambda text: fitted("charagram").transform([text]),
    "SemanticSearch.fit": lambda text: SemanticSearch().fit([text, "A cat."]),
    "SemanticSearch.search": lambda text: fitted("lexical").search(text),
    "NearDuplicates": lambda text: NearDuplicates().fit([text, text + "!", "A cat."]),
    "ParaphraseMiner": lambda text: ParaphraseMiner().fit([text]).mine([text + "!"]),
    "extract_phrase_pairs": lambda text: extract_phrase_pairs([(text, f"b {text} c")]),
    "make_cloze_pairs": lambda text: make_cloze_pairs([text, f"{text}. A cat."]),
    "PairVectorizer": lambda text: fitted("vectorizer").transform([(text, text)]),
    "TextClassifier": lambda text: fitted("classifier").predict([text]),
    "SequenceTagger": lambda text: fitted("tagger").predict([text.split()]),
}


def exponent(function, make, sizes=SIZES, n_rounds=1):
    """Of growth: 1 if time is proportional to the length, 2 for its square."""
    short, long = map(make, sizes)
    spent = {short: [], long: []}
    for _ in range(n_rounds):
        for text, times in spent.items():
            started = time.process_time()
            function(text)
            times.append(time.process_time() - started)
    ratio = (min(spent[long]) + 1e-3) / (min(spent[short]) + 1e-3)
    return log(ratio, len(long) / len(short))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_grows_linearly(name):
    FUNCTIONS[name]("a cat")  # imports, and fits its model
    for kind, make in TEXTS.items():
        for _ in range(4):  # other programs disturb some measurements
            found = exponent(FUNCTIONS[name], make)
            if found < 1.4:
                break
        assert found < 1.4, kind
