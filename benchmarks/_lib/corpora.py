"""Data of the speed benchmarks: word vectors, captions, rewrites.

Imports are inside functions, because they count towards the memory of the caller.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

from _lib.timing import Args

CORPORA = ("flickr8k", "rewrites")
N_SENTENCES = 150_000  # of `some_sentences`


def read_table(args: Args) -> Any:
    from skparaphrase.vectors import read_word_vectors

    return read_word_vectors(args.data / "vectors/minilm-words.300d.bin")


def read_corpora(args: Args, *names: str) -> list[tuple[str, str]]:
    """Pairs of some or all corpora of `CORPORA`."""
    from skparaphrase.datasets import read_pairs

    paths = [args.data / f"data/paraphrase/{name}.tsv" for name in names or CORPORA]
    pairs = [tuple(pair) for path in paths for pair in read_pairs(path).data.tolist()]
    return pairs[:: 4 if args.quick else 1]


def corpus_texts(args: Args) -> list[str]:
    """Both sides of all pairs, in order."""
    return [text for pair in read_corpora(args) for text in pair]


def some_sentences(args: Args, n_texts: int = N_SENTENCES) -> list[str]:
    """Distinct sentences, in equal shares of all sources."""
    from _lib.readers import read_sentences

    found = read_sentences(args.data)
    n_texts //= 30 if args.quick else 1
    return [found[i * len(found) // n_texts] for i in range(n_texts)]


def long_texts(args: Args, n_texts: int, n_words: int) -> list[str]:
    """Distinct texts: consecutive words of captions from random positions."""
    import numpy as np

    captions = [text for pair in read_corpora(args, "flickr8k") for text in pair]
    words = " ".join(captions).split()
    starts = np.random.default_rng(0).choice(
        len(words) - n_words, n_texts, replace=False
    )
    return [" ".join(words[start : start + n_words]) for start in starts]


def word_level(vectors: Any) -> tuple[Any, Any]:
    """A tokenizer of the table's words, and the table with a row for unknown ones.

    The fastest of the pre-tokenizers for white space and punctuation. It splits "don't"
    and "well-known", unlike our tokenizer.
    """
    import numpy as np
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    words = [*vectors.words, "[UNK]"]
    vocabulary = dict(zip(words, range(len(words)), strict=True))
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer, np.pad(vectors.matrix, ((0, 1), (0, 0)))
