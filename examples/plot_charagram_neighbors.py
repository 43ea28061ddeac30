"""Neighbours of misspelt and unseen words, by the characters they are made of.

    python examples/plot_charagram_neighbors.py                   # bundled data
    python examples/plot_charagram_neighbors.py --data pairs.tsv  # word1, word2

Trains a Charagram from random vectors, without word vectors, and draws the nearest
words of its training texts to words that are not among them. Saves a figure,
`charagram_neighbors.png`, or to `--out`. With pairs of words from PPDB (16,000 pairs,
a minute) the neighbours are synonyms as well.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import time

try:
    import matplotlib
except ImportError:
    raise SystemExit("This example draws: pip install matplotlib") from None

from skparaphrase.datasets import load_paraphrases, read_pairs
from skparaphrase.encoders import CharagramEncoder
from skparaphrase.inspection import neighbors
from skparaphrase.text import WordTokenizer

matplotlib.use("Agg")
import matplotlib.pyplot as plt

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--data", help="a file of pairs of words, columns word1, word2")
parser.add_argument("--out", default="charagram_neighbors.png")
parser.add_argument("--words", nargs="+", help="words to look up instead")
args = parser.parse_args()

started = time.perf_counter()
if args.data:
    pairs = read_pairs(args.data, columns=("word1", "word2")).data
    encoder = CharagramEncoder.paper(
        "words", max_epochs=5, sparse_updates=True, random_state=0
    )
    queries = ["vehicals", "definately", "goverment", "photografer", "babyies"]
    queries += ["journeying", "unhelpfulness", "disprovable"]
else:
    pairs = load_paraphrases().data
    encoder = CharagramEncoder(
        ngram_range=(2, 5),
        min_count=2,
        loss="infonce",
        learning_rate=0.005,
        batch_size=256,
        random_state=0,
    )
    queries = ["vehicals", "resturant", "goverment", "photografer", "babyies"]
    queries += ["journeying", "repairable", "moneyless"]
queries = args.words or queries
encoder.fit(pairs)

known = {word for text in WordTokenizer().tokenize(pairs.ravel()) for word in text}
words = sorted(word for word in known if word.isalpha())
seen = [query for query in queries if query in known]
print(
    f"{len(encoder.vectors_):,} n-grams from {len(pairs):,} pairs, {len(words):,} words"
)
print(f"of the queries, in training texts: {', '.join(seen) or 'none'}\n")

frame = neighbors(encoder, queries, words, n_neighbors=5)
n_columns = min(4, len(queries))
n_rows = -(-len(queries) // n_columns)
figure, axes = plt.subplots(
    n_rows,
    n_columns,
    figsize=(2.6 * n_columns, 2.1 * n_rows + 0.6),
    sharex=True,
    squeeze=False,
    layout="constrained",
)
for ax in axes.flat[len(queries) :]:
    ax.remove()
for ax, query in zip(axes.flat, queries, strict=False):
    found = frame[frame["query"] == query]
    near, similarity = found["neighbor"].tolist(), found["similarity"].tolist()
    print(
        f"{query:16}",
        *(f"{w} {s:.2f}" for w, s in zip(near, similarity, strict=True)),
        sep="  ",
    )
    ax.barh(range(len(near)), similarity, color="C0", alpha=0.35)
    for row, word in enumerate(near):
        ax.text(0.03, row, word, va="center", fontsize="medium")
    ax.set_title(query, color="C3", fontweight="bold", fontsize="medium")
    ax.set(xlim=(0, 1), yticks=[])
    ax.invert_yaxis()
    ax.spines[["top", "right", "left"]].set_visible(False)
figure.suptitle("Words that training never saw, and their nearest among those it did")
figure.supxlabel("cosine", fontsize="medium")
figure.savefig(args.out, dpi=120)
print(f"\nSaved {args.out}. {time.perf_counter() - started:.0f} s in all.")
