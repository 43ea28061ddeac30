"""Translations are read and aligned, and a table of several languages is fitted."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import lzma
import struct

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skparaphrase import load_pretrained
from skparaphrase.encoders import AverageEncoder
from skparaphrase.vectors import WordFrequencies


@pytest.fixture
def scripts(monkeypatch):
    """Import a module of the benchmarks."""
    folder = __file__.rpartition("/tests/")[0]
    monkeypatch.syspath_prepend(folder)
    monkeypatch.syspath_prepend(f"{folder}/build")
    monkeypatch.syspath_prepend(f"{folder}/quality")
    return importlib.import_module


def test_a_file_of_chromium(scripts):
    texts = ["Öffnen", "", "Zwei"]
    stored = [text.encode() for text in texts]
    start = 12 + 6 * 4
    places = start + np.cumsum([0, *map(len, stored)])
    rows = [struct.pack("<HI", 7 + i, place) for i, place in enumerate(places)]
    head = struct.pack("<IBBBBHH", 5, 1, 0, 0, 0, len(texts), 0)
    found = scripts("translations").pak("de", head + b"".join(rows) + b"".join(stored))
    assert [*found] == [("de", str(7 + i), text) for i, text in enumerate(texts)]


def test_messages_with_the_same_key_are_pairs_without_placeholders(scripts):
    messages = [
        ("en-GB", "1", "&Open <b>$1</b>"),
        ("de", "1", "<b>$1</b> öffnen"),
        ("en-GB", "2", "{n, plural, one {# tab} other {# tabs}}"),
        ("de", "2", "{n, plural, one {# Tab} other {# Tabs}}"),
        ("en-GB", "3", "Chrome"),
        ("de", "3", "Chrome"),
        ("fr-CA", "1", "Ouvrir"),
        ("pt-BR", "1", "Abrir %1$s"),
        ("pt-PT", "1", "Abra"),
        ("de", "4", "ohne Englisch"),
    ]
    found = scripts("translations").aligned(messages, ["de", "fr", "pt"])
    assert found == {
        ("de", "Open", "öffnen"), ("pt", "Open", "Abrir"), ("pt", "Open", "Abra")
    }  # fmt: skip


def test_templates_are_filled_in(scripts):
    filled = scripts("multilingual").filled
    rules = {"turn": "(schalte|<mach>)", "mach": "mach[e]"}
    rng = np.random.RandomState(0)
    template = "<turn> [bitte ]das Licht {name} (an|ein)"
    found = {filled(template, rules, rng) for _ in range(200)}
    assert found == {
        f"{verb} {please}das Licht {end}"
        for verb in ("schalte", "mach", "mache")
        for please in ("", "bitte ")
        for end in ("an", "ein")
    }


def write_columns(path, rows):
    lines = ["language\tenglish\tother", *map("\t".join, rows)]
    path.write_bytes(lzma.compress("\n".join(lines).encode() + b"\n"))


def test_words_learn_from_translations(scripts, tmp_path, monkeypatch):
    """The teacher knows nothing; what "katze" means is in the pairs."""
    recipe = scripts("_lib.multilingual_encoder")
    for name, value in {"N_ROWS": 512, "N_STORED": (50, 3), "ALPHA": 0.01}.items():
        monkeypatch.setattr(recipe, name, value)
    rng = np.random.RandomState(0)
    monkeypatch.setattr(
        recipe, "teach", lambda words, _: rng.randn(len(words), 8).astype(np.float32)
    )
    words = {"cat": "katze", "rain": "regen", "house": "haus", "bread": "brot"}
    write_columns(
        tmp_path / "pairs-all.tsv.xz",
        [
            ("de", f"{a} {b}", f"{words[a]} {words[b]}")
            for a in words
            for b in words
            for _ in range(5)
        ],
    )
    counts = [("de", word, str(9 - i)) for i, word in enumerate(words.values())]
    codes = recipe.LANGUAGES[2:]
    counts += [(code, "und" + code, "1") for code in codes]
    write_columns(tmp_path / "word-counts.tsv.xz", counts)
    vocabulary = recipe.read_vocabulary(tmp_path, WordFrequencies({"cat": 3, "die": 2}))
    language = dict(zip(vocabulary.words, vocabulary.languages, strict=True))
    assert [language[word] for word in ("cat", "katze", "undru")] == [0, 1, 8]
    stored = {
        w for w, k in zip(vocabulary.words, vocabulary.is_stored, strict=True) if k
    }
    assert {"katze", "regen", "haus", "undru"} <= stored and "brot" not in stored
    texts, targets = recipe.read_examples(tmp_path, ["another text"])
    assert len(texts) == len(targets) == 80 + 16 + 1
    assert_allclose(np.linalg.norm(targets, axis=1), 1, rtol=1e-5)
    start = recipe.start_vectors(vocabulary)
    table = recipe.fit_table(vocabulary, start, texts, targets)
    found = AverageEncoder(table).transform([*words.values()])  # "brot" by n-grams
    english = load_pretrained().transform([*words])[:, : recipe.DIM]
    cosines = (found @ english.T) / np.outer(
        np.linalg.norm(found, axis=1), np.linalg.norm(english, axis=1)
    )
    assert (cosines.argmax(axis=1) == range(4)).all()


def test_scores_of_an_encoder_that_knows_all(scripts, tmp_path):
    """Each text is the number of its meaning, in any language."""
    library = scripts("_lib.multilingual")
    pairs = [("5", "1", "1"), ("3", "1", "2"), ("0", "1", "4")]
    sts = [(code, *pair) for code in library.LANGUAGES for pair in pairs]
    write_columns(tmp_path / "stsb-multi-mt-dev.tsv.xz", sts)
    write_columns(tmp_path / "tatoeba-dev.tsv.xz", [("de", x, x) for x in "123"])

    def transform(texts):
        angles = 0.3 * np.array(texts, dtype=float)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    scores = library.development_scores(tmp_path, transform)
    assert library.summary(scores) == pytest.approx(
        dict.fromkeys(["English", "sts", "cross", "Tatoeba", "mean"], 100)
    )
