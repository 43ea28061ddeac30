"""What can happen to files and texts, by a seed: `ATTACKS` of a seed and a folder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import bz2
import gzip
import json
import lzma
import os
import shutil
import signal
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

import skparaphrase
from skparaphrase.datasets import (
    read_answers,
    read_pairs,
    read_scored_pairs,
    read_tagged,
)
from skparaphrase.encoders import (
    AverageEncoder,
    CharagramEncoder,
    ParagramEncoder,
    SIFEncoder,
)
from skparaphrase.streams import TextStore
from skparaphrase.supervised import PairClassifier
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordFrequencies, WordVectors

ATTACKS = {}
TEXTS = ["a cat sleeps", "the dog barks", "", "unknown well-known", "\ud800 na\u00efve"]
PAIRS = [("a cat", "the cat"), ("dog barks", "a dog barks"), ("sleeps", "cat sleeps")]
WORDS = ["a", "the", "cat", "dog", "sleeps", "barks", "\ud800", "na\u00efve", ""]


def attack(function):
    ATTACKS[function.__name__] = function
    return function


@cache
def table():
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 5))
    return WordVectors(WORDS, matrix.astype(np.float32))


def subword_table():
    return table().fit_subwords(n_rows=16).astype("int8")


def trained():
    model = ParagramEncoder(table(), loss="infonce", max_epochs=2)
    return model.set_params(random_state=0).fit(PAIRS)


def classifier():
    encoder = SIFEncoder(subword_table(), frequencies={"a": 5, "the": 9})
    model = PairClassifier(encoder, max_epochs=1, random_state=0)
    return model.fit(PAIRS, ["no", "yes", "no"])


def content_of_model(model):
    """Parameters, loss and predictions of a model, to compare it with another."""
    encoder = getattr(model, "encoder_", model)
    about = [repr(model), repr(model.loss_curve_), encoder.transform(TEXTS).tobytes()]
    if hasattr(model, "predict_proba"):
        about += [model.predict_proba(PAIRS).tobytes(), model.classes_.tolist()]
    return about


def content_of_table(vectors):
    made = vectors.token_vectors(np.arange(len(vectors)), None).tobytes()
    rows = [vectors.index[word] for word in WORDS]
    unknown = vectors.unknown_vector("unknown")
    return [list(vectors.words), rows, made, repr(vectors), repr(unknown)]


def content_of_store(store):
    return [list(store), store.shape, store.digest, store.identities.tolist()]


def write_counts(path):
    path.mkdir()
    WordFrequencies({"a": 5, "na\u00efve": 2}, total=9).save(path / "counts.json")


def read_counts(path):
    found = WordFrequencies.load(path / "counts.json")
    return [dict(found), found.total]


KINDS = {
    "model": (
        lambda path: classifier().save(path),
        lambda path: content_of_model(skparaphrase.load(path)),
    ),
    "trained": (
        lambda path: trained().save(path),
        lambda path: content_of_model(skparaphrase.load(path)),
    ),
    "table": (
        lambda path: subword_table().save(path),
        lambda path: content_of_table(WordVectors.load(path)),
    ),
    "store": (
        lambda path: TextStore.write(path, PAIRS),
        lambda path: content_of_store(TextStore(path)),
    ),
    "counts": (write_counts, read_counts),
}


@cache
def written(kind):
    """A folder of a kind, and its content."""
    write, read = KINDS[kind]
    folder = Path(tempfile.mkdtemp(), kind)
    write(folder)
    return folder, read(folder)


def read_or_refuse(kind, folder):
    """Read a folder; None if it raises what it should, which names the folder."""
    try:
        return KINDS[kind][1](folder)
    except (ValueError, FileNotFoundError) as error:
        assert str(folder) in str(error), error
        return None


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


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


@attack
def damage_a_file(seed, folder):
    """A changed file is refused, or the content is the same."""
    random = Random(seed)
    kind = random.choice([*KINDS])
    original, content = written(kind)
    shutil.copytree(original, folder)
    path = random.choice(files_of(folder))
    if random.random() < 0.05:
        path.unlink()
    else:
        path.write_bytes(changed(path.read_bytes(), random))
    found = read_or_refuse(kind, folder)
    assert found in (None, content), (kind, path)


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


@attack
def forge_metadata(seed, folder):
    """Metadata of a stranger without checksums is refused, or the folder is read."""
    random = Random(seed)
    kind = random.choice([*KINDS])
    shutil.copytree(written(kind)[0], folder)
    for path in folder.rglob("*.json"):
        content = json.loads(path.read_bytes())
        content.pop("files", None)
        content.pop("crc32", None)
        path.write_text(json.dumps(content), encoding="ascii")
    path = random.choice([*folder.rglob("*.json")])
    content = forged(json.loads(path.read_bytes()), random)
    path.write_text(json.dumps(content), encoding="ascii")
    load = {"model": skparaphrase.load, "trained": skparaphrase.load}
    load |= {"table": WordVectors.load, "store": TextStore, "counts": read_counts}
    try:
        load[kind](folder)
    except (ValueError, FileNotFoundError) as error:
        assert str(folder) in str(error), error


def glove():
    rng = Random(0)
    lines = [
        " ".join([word, *(f"{rng.gauss(0, 1):.4f}" for _ in range(3))])
        for word in [
            "the",
            "cat",
            "at name@x.com",
            "na\u00efve",
            "\u4e2d",
            "1,000",
            ".",
        ]
    ]
    return "\n".join(lines).encode() + b"\n"


def word2vec():
    return b"7 3\n" + glove()


def word2vec_binary():
    rows = np.random.default_rng(0).normal(size=(4, 3)).astype("<f4")
    words = ["the", "cat", "na\u00efve", "\u4e2d"]
    pairs = zip(words, rows, strict=True)
    return b"4 3\n" + b"".join(
        w.encode() + b" " + r.tobytes() + b"\n" for w, r in pairs
    )


def table_of_pairs():
    return 'a cat,"a, ""dog""",3.5\nthe cat,na\u00efve,1\n"a\nb",c,0\n'.encode()


def read_vectors(path):
    with warnings.catch_warnings():  # words that occur again
        warnings.simplefilter("ignore", UserWarning)
        return WordVectors.read(path, format=path.suffix[1:])


TEXT_FILES = {
    f"{make.__name__}.{format}": (make, read_vectors)
    for make in (glove, word2vec, word2vec_binary)
    for format in ("auto", "glove", "word2vec", "word2vec-binary")
} | {
    "counts.txt": (lambda: b"the 10\ncat 3\nna\xc3\xafve 1\n", WordFrequencies.read),
    "pairs.csv": (
        table_of_pairs,
        lambda path: read_scored_pairs(path, columns=(0, 1), score=2),
    ),
    "pairs.csv.gz": (
        lambda: gzip.compress(table_of_pairs(), mtime=0),
        lambda path: read_scored_pairs(path, columns=(0, 1), score=2),
    ),
    "pairs.csv.bz2": (
        lambda: bz2.compress(table_of_pairs()),
        lambda path: read_scored_pairs(path, columns=(0, 1), score=2),
    ),
    "pairs.csv.xz": (
        lambda: lzma.compress(table_of_pairs()),
        lambda path: read_scored_pairs(path, columns=(0, 1), score=2),
    ),
    "pairs.tsv": (
        lambda: b"sentence1\tsentence2\na cat\tcats\nb\t\xc3\xafc\n",
        read_pairs,
    ),
    "answers.tsv": (
        lambda: b"question\tanswer\tlabel\tqid\nwho\the\t1\tq1\nwho\tshe\t0\tq1\n",
        read_answers,
    ),
    "tagged.tsv": (
        lambda: b"a\tDT\ncat\tNN\n\nsleeps\tVB\n\xc3\xaf\tNN\n",
        lambda path: read_tagged(path, columns=(0, 1)),
    ),
}
EVIL_BYTES = [b"\0", b"\xff", b"\xef\xbb\xbf", b"\n", b"\r", b" ", b"\t", b'"', b"1_0"]
EVIL_BYTES += [b"9" * 26, b"9" * 5000, b"nan", b"1e999", b"-", b".", b"\xc2\xa0", b"+1"]
EVIL_BYTES += ["\u0663".encode(), "\u2028".encode(), b"\x1c", b"\x0b", b"\xed\xa0\x80"]


@attack
def damage_a_text_file(seed, folder):
    """A damaged file is read, or refused with its name."""
    random = Random(seed)
    name = random.choice([*TEXT_FILES])
    make, read = TEXT_FILES[name]
    raw = make()
    for _ in range(random.choice([1, 1, 2, 5])):
        if not raw or random.random() < 0.5:
            place = random.randrange(len(raw) + 1)
            raw = raw[:place] + random.choice(EVIL_BYTES) + raw[place:]
        else:
            raw = changed(raw, random)
    folder.mkdir()
    path = folder / name
    path.write_bytes(raw)
    try:
        found = read(path)
    except ValueError as error:
        assert str(path) in str(error), error
    else:
        if isinstance(found, WordVectors):
            assert np.isfinite(found.matrix).all()


# What a program might take for a separator, or for nothing.
EVIL_TEXTS = [
    "\0",
    "\x1c\x1d\x1e\x1f",
    "\x85",
    "\u2028",
    "\ufeff",
    "\ufffe",
    "\U0010ffff",
]
EVIL_TEXTS += [
    "\ud800",
    "\udfff",
    "\u200b",
    "\u00ad",
    "\u0130",
    "\u1e9e",
    "e\u0301",
    "\u0627",
]
EVIL_TEXTS += [
    "\r\n",
    "\t",
    " ",
    "",
    "-",
    "'",
    ".",
    "<unk>",
    "UUUNKKK",
    "\U0001f468\u200d\U0001f469",
]
EVIL_TEXTS += ["".join(map(chr, range(0xE000, 0xF900))), "a" * 5000, "\u0301" * 500]
EVIL_TEXTS += [
    "\U000f0000\U0010fffd\U0010fffd",
    "a cat",
    "\u4e2d\u6587",
    "-a-" * 50,
    "9" * 400,
]


@cache
def embedders():
    tables = [
        table(),
        subword_table(),
        WordVectors(WORDS, table().matrix, unknown="hash"),
    ]
    tokenizers = [None, WordTokenizer("ptb"), WordTokenizer(r"\S+", lowercase=False)]
    words = [
        AverageEncoder(vectors, tokenizer=tokenizer)
        for vectors in tables
        for tokenizer in tokenizers
    ]
    ngrams = CharagramEncoder(dim=3, min_count=1, max_epochs=1, random_state=0)
    return [*words, ngrams.fit([*PAIRS, (EVIL_TEXTS[0], EVIL_TEXTS[3])])]


@attack
def embed_nasty_texts(seed, folder):
    """A text has the vector that it has alone, whatever stands beside it."""
    random = Random(seed)
    texts = [
        random.choice(["", " "]).join(random.choices(EVIL_TEXTS, k=random.randrange(4)))
        for _ in range(random.randrange(1, 9))
    ]
    encoder = random.choice(embedders())
    together = encoder.transform(texts)
    alone = np.concatenate([encoder.transform([text]) for text in texts])
    assert np.isfinite(together).all()
    np.testing.assert_allclose(together, alone, rtol=1e-5, atol=1e-6)
    assert TextStore.write(folder, texts)[:] == texts


def small_table(number):
    return WordVectors(["a", "cat"], np.full((2, 2000), float(number)))


def number_of(folder):
    matrix = WordVectors.load(folder, verify=True).matrix
    assert (matrix == matrix[0, 0]).all()
    return int(matrix[0, 0])


@attack
def kill_a_saver(seed, folder):
    """It leaves the old table or the new one, and nothing else after the next save."""
    if not hasattr(os, "fork"):
        return
    small_table(1).save(folder / "v")
    with warnings.catch_warnings():  # this process may have threads
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        for number in (2, 3, 4):
            small_table(number).save(folder / "v")
        os._exit(0)
    time.sleep(Random(seed).uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert number_of(folder / "v") in (1, 2, 3, 4)
    small_table(5).save(folder / "v")
    assert [path.name for path in folder.iterdir()] == ["v"]
    assert number_of(folder / "v") == 5


@attack
def save_at_once(seed, folder):
    """One of two savers wins, none fails, and readers get one table or the other."""
    small_table(0).save(folder / "v")
    with ThreadPoolExecutor(2) as pool:
        savers = [pool.submit(small_table(n).save, folder / "v") for n in (1, 2)]
        time.sleep(Random(seed).uniform(0, 0.005))
        assert number_of(folder / "v") in (0, 1, 2)
        for saver in savers:
            saver.result()
    assert number_of(folder / "v") in (1, 2)
    assert [path.name for path in folder.iterdir()] == ["v"]
