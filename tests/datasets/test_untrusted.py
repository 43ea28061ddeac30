"""Files of strangers that readers are given: what is no file, and what expands."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import tarfile
import zipfile
from functools import partial

import pytest
from refused import PUT, assert_refused

from skparaphrase.datasets import read_pairs, read_texts
from skparaphrase.datasets._fetch import read_members
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


def bomb(path, n_bytes=2**26):
    """A file that is a thousand times as large when it is decompressed."""
    content = bytes(n_bytes)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.txt", content)
    elif path.name.endswith(".tar.gz"):
        info = tarfile.TarInfo("a.txt")
        info.size = n_bytes
        path.write_bytes(gzip.compress(info.tobuf() + content, 1))
    else:
        path.write_bytes(gzip.compress(b"a cat\tsleeps" + content, 1))


@pytest.mark.parametrize("names", [["a.txt"], ["b.txt"]])
@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_archives_that_are_much_larger_inside(name, names, tmp_path):
    path = tmp_path / name
    bomb(path)
    reason = "malicious: it holds more" if names == ["a.txt"] or "tar" in name else "no"
    assert_refused(path, reason, partial(read_members, names=names), 2**27)


def test_texts_that_are_much_larger_inside(tmp_path):
    path = tmp_path / "pairs.tsv.gz"
    bomb(path)
    assert_refused(path, "malicious: it holds", partial(read_pairs, columns=(0, 1)))


def test_text_may_be_compressed_well(tmp_path):
    path = tmp_path / "pairs.tsv.gz"
    path.write_bytes(gzip.compress(b"a cat\ta dog\n" * 100_000))
    assert len(read_pairs(path, columns=(0, 1)).data) == 100_000
