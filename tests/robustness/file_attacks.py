"""Attacks on files of every kind that the package reads."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import bz2
import gzip
import json
import lzma
import shutil
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path
from random import Random
from unittest.mock import patch

import numpy as np
from forged import seal
from subjects import ENCODERS, MODELS, TEXTS, WORDS, fitted, say, subword_table, table

import skparaphrase
from skparaphrase import datasets
from skparaphrase.storage import _folders
from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    _storage,
    read_word_vectors,
    save_word_vectors,
)

# Files with checksums: reading damaged ones fails or returns the same.


def saved(name):
    def write(folder):
        fitted(name)[0].save(folder / "model")

    def read(folder):
        model = skparaphrase.load(folder / "model", trusted=True)
        said = [np.asarray(row).tobytes() for row in say(name, model, TEXTS)]
        return [repr(model), repr(getattr(model, "loss_curve_", None)), said]

    return write, read


def read_table(folder, **options):
    vectors = skparaphrase.load(folder / "vectors", **options)
    made = vectors.token_vectors(np.arange(len(vectors)), None).tobytes()
    rows = [vectors.index.get(word) for word in WORDS]
    unknown = vectors["unknown"] if vectors.subwords else None
    return [list(vectors.words), rows, made, repr(vectors), repr(unknown)]


def as_large(read):
    """A reader for which all files are so large that it maps and verifies them."""

    def read_large(folder):
        with (
            patch.object(_folders, "is_large", lambda n_bytes: True),
            patch.object(_storage, "is_large", lambda n_bytes: True),
        ):
            return read(folder, verify=True)

    return read_large


FOLDERS = {
    name: saved(name) for name in [*ENCODERS, *MODELS] if name != "make_pipeline"
} | {
    "table": (
        lambda folder: save_word_vectors(table(), folder / "vectors"),
        read_table,
    ),
    "table, int8, subwords": (
        lambda folder: save_word_vectors(subword_table(), folder / "vectors"),
        read_table,
    ),
    "table, mapped": (
        lambda folder: save_word_vectors(subword_table(), folder / "vectors"),
        as_large(read_table),
    ),
}

# Text files: reading damaged ones fails or returns something.

TABLE = 'a cat,"a, ""dog""",3.5\nthe cat,na\u00efve,1\n"a\nb",c,0\n'.encode()
GLOVE = """the 0.1 -0.2 3
cat 1.0 2.25 -0.125
at name@x.com 4 5 6e-1
na\u00efve 7 8 9
\u4e2d 1e-3 0 0.5
1,000 1 2 3
. 3 2 1
""".encode()
BINARY = b"4 3\n" + b"".join(
    word.encode() + b" " + np.arange(3, dtype="<f4").tobytes() + b"\n"
    for word in ["the", "cat", "na\u00efve", "\u4e2d"]
)
TEXT_FILES = {  # name: content, reader
    f"{name}.{format}": (content, partial(read_word_vectors, format=format))
    for name, content in (
        ("glove", GLOVE),
        ("word2vec", b"7 3\n" + GLOVE),
        ("word2vec-binary", BINARY),
    )
    for format in ("auto", name)
} | {
    "counts.txt": (b"the 10\ncat 3\nna\xc3\xafve 1\n", WordFrequencies.read),
    "pairs.csv": (TABLE, partial(datasets.read_pairs, columns=(0, 1), score=2)),
    "labels.csv": (TABLE, partial(datasets.read_pairs, columns=(0, 1), label=2)),
    "texts.csv": (TABLE, partial(datasets.read_texts, column=0, label=2)),
    "semicolon.txt": (
        TABLE.replace(b",", b";"),
        partial(datasets.read_pairs, columns=(0, 1), score=2, sep=";"),
    ),
    "utf16.tsv": (
        "sentence1\tsentence2\na cat\tcats\n".encode("utf-16"),
        partial(datasets.read_pairs, encoding="utf-16"),
    ),
    "pairs.tsv": (
        b"sentence1\tsentence2\na cat\tcats\nb\t\xc3\xafc\n",
        datasets.read_pairs,
    ),
}
COMPRESSED = {".gz": partial(gzip.compress, mtime=0), ".bz2": bz2.compress}
COMPRESSED[".xz"] = lzma.compress


def content_of(found):
    """The result of a reader, for comparison; vectors are finite."""
    if isinstance(found, WordVectors):
        assert np.isfinite(found.matrix).all()
        return [list(found.words), found.matrix.tobytes()]
    if isinstance(found, WordFrequencies):
        return dict(found)
    return repr([found["data"], found["target"]] if hasattr(found, "data") else found)


def plain(name, content, read):
    """A text file without checksum."""
    return (
        lambda folder: (folder / name).write_bytes(content),
        lambda folder: content_of(read(folder / name)),
    )


READERS = {  # for files without checksum
    name: plain(name, *file) for name, file in TEXT_FILES.items()
}
KINDS = FOLDERS | READERS
for suffix, compress in COMPRESSED.items():
    name = f"pairs.csv{suffix}"
    KINDS[name] = plain(name, compress(TABLE), TEXT_FILES["pairs.csv"][1])


@cache
def written(kind):
    """A folder of a kind, and the result of reading it."""
    write, read = KINDS[kind]
    folder = Path(tempfile.mkdtemp())
    write(folder)
    copy = Path(tempfile.mkdtemp(), "copy")
    shutil.copytree(folder, copy)  # some readers write
    return folder, read(copy)


def read_or_refuse(kind, folder):
    """Read a folder; None if it raises an expected error that names the folder."""
    try:
        with warnings.catch_warnings():  # of words and cells
            for expected in (
                "is left out",
                "in a number",
                "be quoted",
                "an empty text",
            ):
                warnings.filterwarnings("ignore", f".* {expected}", UserWarning)
            return KINDS[kind][1](folder)
    except (ValueError, OSError) as error:
        assert str(folder) in str(error), error
        return None


def changed(raw, random):
    """Bytes with one bit or byte changed, some lost, or some added."""
    raw, place = bytearray(raw), random.randrange(len(raw))
    how = random.choice(["bit", "bit", "bit", "byte", "cut", "hole", "more"])
    if how == "bit":
        raw[place] ^= 1 << random.randrange(8)
    elif how == "byte":
        raw[place] = random.randrange(256)
    elif how == "cut":
        del raw[place:]
    elif how == "hole":
        del raw[place : place + random.randrange(1, 9)]
    else:
        raw[place:place] = random.randbytes(random.randrange(1, 9))
    return bytes(raw)


EVIL_BYTES = [b"\0", b"\xff", b"\xef\xbb\xbf", b"\n", b"\r", b" ", b"\t", b'"', b"1_0"]
EVIL_BYTES += [b"9" * 26, b"9" * 5000, b"nan", b"1e999", b"-", b".", b"\xc2\xa0", b"+1"]
EVIL_BYTES += ["\u0663".encode(), "\u2028".encode(), b"\x1c", b"\x0b", b"\xed\xa0\x80"]


def much_changed(raw, random):
    for _ in range(random.choice([1, 1, 2, 5])):
        if not raw or random.random() < 0.5:
            place = random.randrange(len(raw) + 1)
            raw = raw[:place] + random.choice(EVIL_BYTES) + raw[place:]
        else:
            raw = changed(raw, random)
    return raw


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def damage_a_file(kind, seed, folder):
    """Reading a damaged file fails or returns the same; text may change."""
    random = Random(seed)
    original, content = written(kind)
    shutil.copytree(original, folder)
    path = random.choice(files_of(folder))
    raw = path.read_bytes()
    if kind in READERS:
        path.write_bytes(much_changed(raw, random))
    elif not raw or random.random() < 0.05:
        path.unlink()
    else:
        path.write_bytes(changed(raw, random))
    found = read_or_refuse(kind, folder)
    assert kind in READERS or found in (None, content), path


def lengthen_a_line(kind, seed, folder):
    """Millions of equal bytes in a text are read or raise an error, without hanging."""
    random = Random(seed)
    shutil.copytree(written(kind)[0], folder)
    path = random.choice(files_of(folder))
    raw = path.read_bytes()
    place = random.randrange(len(raw) + 1)
    byte = random.choice([b"a", b"1", b" ", b"\n", b"\r", b"\t", b",", b'"', b"\0"])
    path.write_bytes(raw[:place] + byte * random.randrange(2**23) + raw[place:])
    read_or_refuse(kind, folder)


EVIL = [None, True, -1, 0, 2**63, 1e999, float("nan"), "", "x", "\ud800", [], {}, [[]]]
EVIL += ["words", "../..", "/dev/zero", [1, 2], {"a": 1}, "<U99999999", [None], 10**30]


def forged(value, random):
    """JSON with one value, or one key, replaced."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice([*value])
        if random.random() < 0.1:
            return {
                (random.choice(["x", "y_"]) if k == key else k): v
                for k, v in value.items()
            }
        return value | {key: forged(value[key], random)}
    if isinstance(value, list) and value and random.random() < 0.8:
        i = random.randrange(len(value))
        return [*value[:i], forged(value[i], random), *value[i + 1 :]]
    return random.choice(EVIL)


def forge_a_file(kind, seed, folder):
    """For a forged file with correct checksums, reading fails or succeeds."""
    random = Random(seed)
    shutil.copytree(written(kind)[0], folder)
    path = random.choice(files_of(folder))
    raw = path.read_bytes()
    if path.suffix == ".json":
        content = forged(json.loads(raw), random)
        path.write_text(json.dumps(content), encoding="ascii")
    else:
        path.write_bytes(much_changed(raw, random))
    seal(folder)
    [inner] = folder.iterdir()
    try:
        with warnings.catch_warnings():  # of numpy, about old headers
            warnings.filterwarnings("ignore", "Reading `.npy`", UserWarning)
            skparaphrase.load(inner)
    except (ValueError, FileNotFoundError) as error:
        assert str(folder) in str(error), error
