"""What unknown words and misspelt words cost the shipped encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import statistics
import string
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import precision_recall_curve
from sklearn.preprocessing import normalize

from _lib.labelled import read_rows
from _lib.paper_encoders import paper_encoder
from _lib.products import title_pairs
from _lib.shipped import UNKNOWN, Material, Row, called
from skparaphrase.metrics import STSScorer
from skparaphrase.pairs import PairSimilarity
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors

N_EDITED = 3  # every third word of five letters or more
REFUNDS = ("The refund is 10 dollars", "The refund is 9000 dollars")

# Damage ------------------------------------------------------------------------------


def damage(data: Material) -> list[Row]:
    folder = data.root / "data"
    X, _ = read_rows(data.args, folder / "classification/trec/train.tsv")
    questions = list(dict.fromkeys(X.tolist()))
    news, _ = read_rows(data.args, folder / "msrp/train.tsv")
    headlines = [of[0] for of in data.scored("sts/201[345].headlines.tsv").values()]
    texts = {
        "TREC questions": questions,
        "headlines": np.concatenate(headlines).ravel().tolist(),
        "MSRP sentences": news.ravel().tolist(),
    }
    titles, same = title_pairs()
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4))
    characters.fit(np.ravel(titles).tolist())
    encoders = {**data.variants, "tf-idf": characters}
    facts = [
        "cosine of the two refunds",
        "pairs of different TREC questions with cosine above .9995",
        *(f"{name} with a word without a vector, %" for name in texts),
        "product titles, best F1",
    ]
    rows: list[Row] = [{"": fact} for fact in facts]
    for name, encoder in encoders.items():
        column = name.removeprefix("shipped, ")
        if name == "tf-idf":  # rows have length 1
            first, second = map(encoder.transform, zip(*titles, strict=True))
            cosines = np.asarray(first.multiply(second).sum(axis=1)).ravel()
            found = [None] * (len(facts) - 1)
        else:
            cosines = pair_cosines(encoder, titles)
            unit = normalize(encoder.transform(questions))
            alike = np.triu(unit @ unit.T > 0.9995, k=1).sum()
            refund = float(pair_cosines(encoder, [REFUNDS])[0])
            shares = [100 * share_lacking(encoder.vectors, of) for of in texts.values()]
            found = [f"{refund:.3f}", int(alike), *shares]
        precision, recall, _ = precision_recall_curve(same, cosines)
        f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
        for row, value in zip(rows, [*found, f"{f1.max():.3f}"], strict=True):
            row[column] = value
    return rows


def pair_cosines(encoder: Any, pairs: Any) -> Any:
    vectors = encoder.transform(pairs)
    return PairSimilarity().fit(vectors).predict(vectors)


def share_lacking(vectors: WordVectors, texts: Sequence[str]) -> float:
    """The share of texts with a word, or a part of a compound, without a vector."""
    if vectors.unknown is not None:
        return 0.0
    tokens = WordTokenizer().tokenize(texts)
    lacking = {
        word
        for word in {*chain.from_iterable(tokens)} - {*vectors.words}
        if not all(part in vectors for part in re.findall(r"\w+", word))
    }
    return float(np.mean([not lacking.isdisjoint(words) for words in tokens]))


def about_damage(rows: list[Row]) -> str:
    none, subword = (called("", u).removeprefix(", ") for u in UNKNOWN)
    alike, f1 = rows[1], rows[-1]
    return f"""What the shipped encoder gets wrong when it drops unknown words, and
    what n-grams change. The refunds: "{REFUNDS[0]}" and
    "{REFUNDS[1]}". With n-grams, {alike[subword]} pairs of different questions are
    as good as identical, without them {alike[none]}. Product titles: each of
    {len(title_pairs()[0]) // 2} titles is paired with itself in other words, and with
    the next model in the same words. The best F1 of a threshold on the cosine is
    {f1[subword]} with n-grams, {f1[none]} without, and {f1["tf-idf"]} for tf-idf of
    n-grams of characters; calling all pairs the same has 0.667."""


# Misspelt text -----------------------------------------------------------------------


def misspelt(data: Material) -> list[Row]:
    charagram = paper_encoder("CharagramEncoder", max_epochs=2, random_state=0)
    charagram.fit(data.pairs)
    sets = data.scored("sts/2014.*.tsv")
    edited = [
        {
            name: (np.vectorize(Editor(seed).text, otypes=[object])(X), y)
            for name, (X, y) in sets.items()
        }
        for seed in range(data.args.seeds)
    ]
    rows = []
    encoders = {**data.variants, "Charagram, trained on pairs": charagram}
    for name, encoder in encoders.items():
        before = 100 * STSScorer(sets)(encoder)["mean"]
        after = [100 * STSScorer(of)(encoder)["mean"] for of in edited]
        mean = statistics.mean(after)
        row = {"": name, "as written": before, "misspelt": mean, "loss": before - mean}
        rows.append({**row, "lowest": min(after), "highest": max(after)})
    return rows


class Editor:
    """Random edits of words; the same seed gives the same edits."""

    def __init__(self, seed: int) -> None:
        self.random_state = RandomState(seed)

    def word(self, word: str) -> str:
        """Delete, insert or replace a letter, or swap two."""
        draw = self.random_state.randint
        kind = draw(4)
        at = draw(len(word) - (kind == 3))
        letter = string.ascii_lowercase[draw(26)]
        if kind == 3:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        return word[:at] + ("", letter + word[at], letter)[kind] + word[at + 1 :]

    def text(self, text: str) -> str:
        """One edit in every third word of five letters or more."""
        words, n_long = text.split(" "), 0
        for i, word in enumerate(words):
            if len(word) >= 5 and word.isalpha():
                n_long += 1
                if n_long % N_EDITED == 0:
                    words[i] = self.word(word)
        return " ".join(words)


def about_misspelt(rows: list[Row]) -> str:
    of = {row[""]: row for row in rows}
    none, subword = (of[called("shipped", u)] for u in UNKNOWN)
    charagram = rows[-1]
    return f"""Mean Pearson x 100 of the data sets of STS 2014 as they are, and with one
    random edit (a letter deleted, inserted, replaced or swapped) in every third word of
    five letters or more: the mean of several draws, the lowest and the highest. Edits
    cost the shipped encoder {subword["loss"]:.1f} points with n-grams for unknown words
    and {none["loss"]:.1f} without; they cost Charagram {charagram["loss"]:.1f}, which
    starts from {charagram["as written"]:.1f} (two epochs on the pairs of
    `charagram_unknown_and_length.md`)."""
