"""From texts to token identifiers: checks, tokenizers and ragged batches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.text._batch import TokenBatch
from skparaphrase.text._check import ROWS as ROWS
from skparaphrase.text._check import StoredTexts as StoredTexts
from skparaphrase.text._check import check_fit_texts as check_fit_texts
from skparaphrase.text._check import (
    check_pairs,
    check_texts,
    unique_texts,
)
from skparaphrase.text._check import fit_blocks as fit_blocks
from skparaphrase.text._check import is_missing as is_missing
from skparaphrase.text._lookup import WordLookup
from skparaphrase.text._ngrams import NgramTokenizer
from skparaphrase.text._stored import is_stored as is_stored
from skparaphrase.text._tokenizer import (
    TOKEN_PATTERNS,
    WordTokenizer,
    check_tokenizer,
)
from skparaphrase.text._vocabulary import NgramIndex, Vocabulary

__all__ = [
    "TOKEN_PATTERNS",
    "NgramIndex",
    "NgramTokenizer",
    "TokenBatch",
    "Vocabulary",
    "WordLookup",
    "WordTokenizer",
    "check_pairs",
    "check_texts",
    "check_tokenizer",
    "unique_texts",
]
