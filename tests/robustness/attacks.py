"""What can happen to files and texts, by a seed: `ATTACKS` of a seed and a folder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

import skparaphrase
from skparaphrase.encoders import ParagramEncoder, SIFEncoder
from skparaphrase.streams import TextStore
from skparaphrase.supervised import PairClassifier
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
    """What a model is, in bytes."""
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
