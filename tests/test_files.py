"""Files that readers are given: compressed, in UTF-16, or of another kind."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import bz2
import gzip
import io
import lzma
import pickle
import re
import tarfile
import zipfile

import numpy as np
import pandas as pd
import pytest

from skparaphrase.datasets import read_pairs, read_texts
from skparaphrase.vectors import WordFrequencies, read_word_vectors


def zipped(content, *names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ("inner.csv",):
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(content):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("inner.csv")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def words_and_vectors(path):
    vectors = read_word_vectors(path)
    return dict(zip(vectors.words, vectors.matrix.tolist(), strict=True))


BINARY = b"2 2\nthe " + np.array([1, 2], "<f4").tobytes()
BINARY += b"cat " + np.array([3, 4], "<f4").tobytes()
READERS = {  # a file, its reader, and what it holds
    "texts.csv": (
        b'text,label\n"a, b",1\nc,2\n',
        lambda path: read_texts(path).data.tolist(),
        ["a, b", "c"],
    ),
    "pairs.csv": (
        b'sentence1,sentence2\n"a, b",c\n',
        lambda path: read_pairs(path).data.tolist(),
        [["a, b", "c"]],
    ),
    "counts.txt": (
        b"the 5\ncat 3\n",
        lambda path: dict(WordFrequencies.read(path)),
        {"the": 5, "cat": 3},
    ),
    "vectors.vec": (
        b"2 2\nthe 1 2\ncat 3 4\n",
        words_and_vectors,
        {"the": [1, 2], "cat": [3, 4]},
    ),
    "vectors.bin": (BINARY, words_and_vectors, {"the": [1, 2], "cat": [3, 4]}),
}
PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": zipped,
    ".zip of a Mac": lambda content: zipped(content, "a.csv", "__MACOSX/a.csv", "b/"),
    ".gz.xz": lambda content: lzma.compress(gzip.compress(content)),
    ", without an extension": gzip.compress,
    ".gz that a browser has decompressed": bytes,
}


@pytest.mark.parametrize("pack", PACK)
@pytest.mark.parametrize("name", READERS)
def test_compressed_files(name, pack, tmp_path):
    content, read, expected = READERS[name]
    ending = re.match(r"[.\w]*", pack)[0]
    path = tmp_path / (name if ending == ".gz.xz" else name + ending)
    path.write_bytes(PACK[pack](content))
    assert read(path) == expected


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("pack", [".gz", ".bz2", ".xz", ".zip"])
def test_damaged_files(name, pack, tmp_path):
    content = READERS[name][0]
    noise = np.random.RandomState(0).bytes(200).hex().encode()
    packed = PACK[pack](content + noise)
    path = tmp_path / f"{name}{pack}"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}"):
        READERS[name][1](path)


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "name", ["texts.csv", "pairs.csv", "counts.txt", "vectors.vec"]
)
def test_the_mark_of_utf_16(name, mark, tmp_path):
    content, read, expected = READERS[name]
    path = tmp_path / name
    path.write_bytes(("\ufeff" + content.decode()).encode(mark))
    assert read(path) == expected


def saved(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


KINDS = {
    "pandas.read_parquet": lambda: saved(pd.DataFrame({"text": ["a"]}).to_parquet),
    "np.load": lambda: saved(lambda file: np.save(file, np.eye(2))),
    "pickle": lambda: pickle.dumps({"a": 1}),
    "load_facebook_vectors": lambda: (793712314).to_bytes(4, "little") + bytes(60),
    "zstd": lambda: b"\x28\xb5\x2f\xfd" + bytes(60),
    "pandas.read_excel": lambda: zipped(b"<xml/>", "[Content_Types].xml", "a.xml"),
    "pandas.read_excel.": lambda: bytes.fromhex("d0cf11e0a1b11ae1") + bytes(60),
    "tar archive": lambda: tarred(b"a 1 2\n"),
    "holds 2 files, a.txt, b.txt; extract": lambda: zipped(b"a", "a.txt", "b.txt"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_files_of_another_kind(kind, name, pack, tmp_path):
    path = tmp_path / name
    path.write_bytes(pack(KINDS[kind]()))
    words = f"^{re.escape(str(path))} .*{re.escape(kind)}"
    with pytest.raises(ValueError, match=words):
        READERS[name][1](path)


def test_words_that_look_like_other_files(tmp_path):
    """A text with "custard" where archives have their name, and so on."""
    for text in ("a" * 256 + "custard", "BZh 1", "PAR1", "PK", "7z"):
        path = tmp_path / "a.tsv"
        path.write_text(f"{text}\t1\n")
        assert read_texts(path, column=0, label=1).data.tolist() == [text]


def test_what_fasttext_and_gensim_write(tmp_path):
    fasttext = pytest.importorskip("gensim.models.fasttext")
    model = fasttext.FastText(
        [["the", "cat"]], vector_size=4, min_count=1, epochs=1, bucket=50
    )
    fasttext.save_facebook_model(model, str(tmp_path / "model.bin"))
    model.save(str(tmp_path / "model"))
    for name, way in (("model.bin", "load_facebook_vectors"), ("model", "pickle")):
        with pytest.raises(ValueError, match=way):
            read_word_vectors(tmp_path / name)
