"""From texts to token identifiers: checks, tokenizers and ragged batches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase._core import JOINERS as JOINERS
from skparaphrase._core import is_word as is_word
from skparaphrase.text._check import ANY as ANY
from skparaphrase.text._check import ROWS as ROWS
from skparaphrase.text._check import StoredTexts as StoredTexts
from skparaphrase.text._check import check_fit_texts as check_fit_texts
from skparaphrase.text._check import check_pairs, check_texts
from skparaphrase.text._check import check_single_texts as check_single_texts
from skparaphrase.text._check import check_text_blocks as check_text_blocks
from skparaphrase.text._check import count_rows as count_rows
from skparaphrase.text._check import describe as describe
from skparaphrase.text._check import fit_blocks as fit_blocks
from skparaphrase.text._check import is_missing as is_missing
from skparaphrase.text._check import is_stored as is_stored
from skparaphrase.text._check import materialize as materialize
from skparaphrase.text._check import read_blocks as read_blocks
from skparaphrase.text._check import text_blocks as text_blocks
from skparaphrase.text._check import unique_strings as unique_strings
from skparaphrase.text._check import unique_texts as unique_texts
from skparaphrase.text._clean import clean_text
from skparaphrase.text._lookup import BLOCK as BLOCK
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.text._lookup import encode_words as encode_words
from skparaphrase.text._lookup import ragged_positions as ragged_positions
from skparaphrase.text._ngrams import LONGEST_NGRAM as LONGEST_NGRAM
from skparaphrase.text._ngrams import NgramTokenizer
from skparaphrase.text._tokenizer import TOKEN_PATTERNS as TOKEN_PATTERNS
from skparaphrase.text._tokenizer import FunctionTokenizer as FunctionTokenizer
from skparaphrase.text._tokenizer import WordTokenizer, check_tokenizer

__all__ = [
    "NgramTokenizer",
    "TokenBatch",
    "WordTokenizer",
    "check_pairs",
    "check_texts",
    "check_tokenizer",
    "clean_text",
]
