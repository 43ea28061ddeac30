"""Build the bundled word vectors and counts.

    python benchmarks/build/word_vectors.py --data ../shared

Takes the 30,000 most frequent words of `data/frequencies/enwiki_vocab_min200.txt` that
have a vector in `vectors/minilm-words.300d.bin` (single words through all-MiniLM-L6-v2,
Apache-2.0), then the contractions, digits, numbers and punctuation marks of the table.
The vectors are rotated to their uncentred principal axes, of which the first `dim` are
kept, each divided by its strength to the power 0.75 (`--power`; chosen on the training
sets of STS 2012); every vector is stored as int8 with its scale. Other words get
vectors from 4,096 rows of n-grams, which are learnt from the vectors of the table and
rounded as in `build/pretrained_encoder.py`, with one step for all rows. The rows of the
bundled file were rounded before that, to 15 values, with a step for each row; its
scores on the development sets are listed below.

The counts come from the file, which contains only words of letters. Other tokens get
their frequencies in the sentences of `data/paraphrase/rewrites.tsv`, from Wikipedia.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import re
import sys
from pathlib import Path

import numpy as np

from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    fit_subwords,
    read_word_vectors,
)

sys.path.insert(0, str(Path(__file__).parents[1]))

from _lib.tables import quantised, write_compressed

TARGET = Path(__file__).parents[2] / "skparaphrase/vectors/data/english.npz"
N_WORDS = 30_000
N_ROWS = 4096  # of n-grams; 2,048 and 8,192 gave 68.2 and 70.2 where these give 69.8
OTHERS = re.compile(r"[a-z]+n't|[a-z]+'(?:ll|re|ve|m|d)|\d{1,4}|[^\w\s]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--power", type=float, default=0.75)
    parser.add_argument("--out", type=Path, default=TARGET)
    args = parser.parse_args()

    table = read_word_vectors(args.data / "vectors/minilm-words.300d.bin")
    counts = WordFrequencies.read(
        args.data / "data/frequencies/enwiki_vocab_min200.txt"
    )
    frequent = sorted(counts, key=lambda word: -counts[word])
    words = [word for word in frequent if word in table][:N_WORDS]
    words += [
        word for word in table.words if word not in counts and OTHERS.fullmatch(word)
    ]
    matrix = table.rows(np.array([table.index.get(word) for word in words]))
    _, strengths, axes = np.linalg.svd(matrix, full_matrices=False)
    kept = slice(0, args.dim)
    small = matrix @ (axes[kept].T * (strengths[kept] / strengths[0]) ** -args.power)
    vectors = WordVectors(words, small).astype("int8")
    vectors = fit_subwords(vectors, n_rows=N_ROWS)
    assert vectors.subwords is not None
    ngrams, ngrams_scale = quantised(vectors.subwords.matrix)
    counts = counts.fill_from(
        WordFrequencies.from_texts(_wikipedia_sentences(args.data))
    )

    args.out.parent.mkdir(parents=True, exist_ok=True)
    arrays = {
        "words": np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        "matrix": np.asfortranarray(vectors.matrix),
        "scale": vectors.scale,
        "ngrams": np.asfortranarray(ngrams),
        "ngrams_scale": ngrams_scale,
        "ngram_range": np.array(vectors.subwords.ngram_range),
        "factor": np.array(vectors.subwords.factor),
        "counts": np.array([counts.get(word, 0) for word in words], dtype=np.int64),
        "total": np.int64(counts.total),
    }
    write_compressed(args.out, arrays)
    share = np.square(strengths[kept]).sum() / np.square(strengths).sum()
    print(
        f"{args.out.name}: {len(words)} words, {args.out.stat().st_size / 1e6:.2f} MB, "
        f"{share:.1%} of the sum of squares"
    )


def _wikipedia_sentences(data: Path) -> list[str]:
    lines = (data / "data/paraphrase/rewrites.tsv").read_text("utf-8").split("\n")[1:-1]
    rows = [line.split("\t") for line in lines]
    return list(dict.fromkeys(text for row in rows for text in row[1:3]))


if __name__ == "__main__":
    main()
