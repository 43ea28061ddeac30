"""Changes of whatever decides a result, which fingerprints must notice."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from copy import copy
from dataclasses import is_dataclass
from random import Random
from string import ascii_letters

import numpy as np
from subjects import MODELS, fitted, registry, table
from text_attacks import SEARCHES

from skparaphrase.callback._identity import differences, fingerprint, fit_identity
from skparaphrase.optimizers import Optimizer
from skparaphrase.vectors import WordFrequencies, WordVectors

OTHERS = {
    "adam": "adagrad",
    "adagrad": "adam",
    "sgd": "adam",
    "constant": "linear",
}  # are checked
TABLE = ("words", "matrix", "scale", "unknown", "subwords", "is_weighted")


def table_of(parts):
    made = WordVectors.__new__(WordVectors)  # which checks nothing
    made._set(**dict.fromkeys(TABLE) | parts)
    return made


def parts_of(value):
    """The parts of an object by name, and what makes an object of such parts."""
    if isinstance(value, WordVectors):
        parts = {name: getattr(value, name) for name in TABLE}
        return {k: v for k, v in parts.items() if v is not None}, table_of
    if isinstance(value, WordFrequencies):
        parts = {"counts": dict(value), "total": value.total}
        return parts, lambda new: WordFrequencies(new["counts"], total=new["total"])
    if isinstance(value, Mapping):
        return dict(value), dict
    if isinstance(value, (list, tuple)) and 0 < len(value) < 20:
        return dict(enumerate(value)), lambda new: type(value)(new.values())
    if is_dataclass(value) or hasattr(value, "get_params"):
        parts = {k: v for k, v in vars(value).items() if not k.startswith("_")}

        def make(new):
            other = copy(value)
            vars(other).update(new)
            return other

        return parts, make
    return {}, None


def other(value, random):
    """Another value of a leaf; None if it is not known how to make one."""
    if isinstance(value, (bool, np.bool_)):
        return not value
    if isinstance(value, (float, np.floating)):
        return value / 2 + 0.01
    if isinstance(value, (int, np.integer)):
        return value + 1
    if isinstance(value, str):
        return OTHERS.get(value, f"{value}x")
    if value is None:
        return 0.5
    if isinstance(value, np.ndarray) and value.size:
        found = np.array(value)
        place = random.randrange(value.size)
        if value.dtype.kind in "biuf":
            found.flat[place] = found.flat[place] == 0
        else:
            found = found.astype(object)
            found.flat[place] = other(found.flat[place], random)
        return found
    if hasattr(value, "arrays"):  # a vocabulary
        words = [*value]
        words[random.randrange(len(words))] = "another"
        return type(value)(words)
    return None


def changes(value, random, path=""):
    """Yield the path of everything in an object, and the object with it changed."""
    parts, make = parts_of(value)
    for name, part in parts.items():
        where = f"{path}.{name}"
        inner, _ = parts_of(part)
        if inner:
            for place, changed in changes(part, random, where):
                yield place, make({**parts, name: changed})
        else:
            changed = other(part, random)
            if changed is not None:
                yield where, make({**parts, name: changed})


def small_subword_table(random):
    """A table with all that tables can have, of which pickles compare everything."""
    words = [f"word{letter}" for letter in ascii_letters]
    matrix = np.random.default_rng(random.randrange(99)).normal(size=(len(words), 4))
    made = WordVectors(words, matrix.astype("f4")).fit_subwords(n_rows=64)
    return made.replace(made.matrix, factor=2.0, shift=np.ones(4)).astype("int8")


def change_an_attribute(name, seed, folder):
    """Another parameter, attribute or word has another fingerprint."""
    random = Random(seed)
    model = random.choice(fitted(name))
    before = fingerprint(model)
    # The classes of words and vectors that come with the package are large.
    found = [] if name == "load_pretrained" else [*changes(model, random)]
    for path, changed in random.sample(found, min(len(found), 20)):
        assert fingerprint(changed) != before, path


def change_a_table(name, seed, folder):
    """A checkpoint notices a change in a table."""
    vectors = small_subword_table(Random(seed))
    before = fingerprint(vectors)
    assert fingerprint(small_subword_table(Random(seed))) == before
    for path, changed in changes(vectors, Random(seed)):
        assert fingerprint(changed) != before, path


LEFT_OUT = {"device", "max_epochs", "verbose", "warm_start", "random_state"}


# What is trained by epochs.
FITS = [*registry.TRAINED, *[name for name in MODELS if name not in SEARCHES]]


def change_a_parameter(name, seed, folder):
    """A fit with another parameter is a different fit."""
    random = Random(seed)
    model = copy(fitted(name)[0])
    model._seed = 0
    if "vectors" in model.get_params(deep=False):
        model.vectors = table()
    if isinstance(model.optimizer, str):
        model.optimizer = Optimizer(model.optimizer)
    before = fit_identity(model, {})
    for path, changed in changes(model, random):
        parameter = path.split(".")[1]
        if parameter.endswith("_") or parameter in LEFT_OUT:
            continue
        assert differences(before, fit_identity(changed, {})), path
