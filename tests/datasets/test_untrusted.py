"""Untrusted paths for readers: folders, pipes and devices."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import pytest
from refused import PUT, assert_refused

from skparaphrase.datasets import read_pairs, read_texts
from skparaphrase.vectors import WordFrequencies, read_word_vectors

READERS = [
    read_pairs,
    read_texts,
    read_word_vectors,
    partial(read_word_vectors, format="word2vec-binary"),
    WordFrequencies.read,
]


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
@pytest.mark.parametrize("read", READERS)
def test_readers_of_what_is_not_a_file(read, kind, suffix, tmp_path):
    path = tmp_path / f"pairs.tsv{suffix}"
    PUT[kind](path)
    assert_refused(path, "is not a file but a folder, a pipe or a device", read)
