"""Tables that differ from a bundled table in some rows."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import skparaphrase
from skparaphrase import load_pretrained
from skparaphrase.encoders import AverageEncoder, ParaphraseEncoder
from skparaphrase.vectors import _storage, remove_mean
from skparaphrase.vectors._rows import apply_changes, find_changes

PAIRS = [("A cat sleeps.", "A cat is asleep."), ("It rained zxqy.", "Rain fell.")]


@pytest.fixture(scope="module")
def base():
    return load_pretrained(dim=8).vectors


def saved(table, folder):
    AverageEncoder(table).save(folder)
    return skparaphrase.load(folder).vectors


def n_bytes(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def assert_same_bits(found, expected):
    assert found.words == expected.words
    assert (found.dtype, found.unknown) == (expected.dtype, expected.unknown)
    assert found.is_weighted is expected.is_weighted
    assert_array_equal(found.matrix.view(np.uint8), expected.matrix.view(np.uint8))
    words = ["unheardof", "zxqyed"]
    of_found, of_expected = (each._oov.vectors(words) for each in (found, expected))
    assert_array_equal(of_found, of_expected)


def test_only_changes_are_stored(base, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(base))[:500]
    words = ["zxqy", "", "a\nb", "\ud800", "naïvely😀"]
    vectors = rng.normal(size=(505, 8))
    once = base.with_rows(rows, vectors[:500], words, vectors[500:])
    zeros = once.rows()
    zeros[np.flatnonzero((zeros == 0).any(axis=1))[:100]] *= -1  # other bits of zeros
    twice = once.with_rows([len(base), 5], vectors[:2], ["qqq"], vectors[:1])
    for table in (once, twice, once.replace(zeros)):
        folder = tmp_path / "model"
        content = pickle.dumps(table)
        for found in (
            saved(table, folder),
            pickle.loads(content),
            copy.deepcopy(table),
            pickle.loads(pickle.dumps(pickle.loads(content))),
            saved(skparaphrase.load(folder).vectors, tmp_path / "again"),
        ):
            assert_same_bits(found, table)
        assert max(len(content), n_bytes(folder)) < 50_000  # of 1.9 MB


def test_a_table_without_changes_stays_in_float32(base, tmp_path):
    table = base.replace(base.rows())
    for found in (saved(table, tmp_path / "model"), pickle.loads(pickle.dumps(table))):
        assert found.dtype == np.float32
        assert_same_bits(found, table)
    assert n_bytes(tmp_path / "model") < 10_000


def test_other_tables_are_stored_whole(base, tmp_path):
    half = np.arange(len(base) // 2 + 1)
    ones = np.ones((len(half), 8), np.float32)
    moved = base.subwords.moved(2.0)
    tables = [
        base.with_rows(half, ones),
        base.astype("float16"),
        base.replace(base.rows(), is_weighted=False),
        base.replace(base.rows(), subwords=moved),
        remove_mean(base),
        load_pretrained(dim=7).vectors.replace(base.rows()[:, :8], subwords=moved),
    ]
    for table in tables:
        assert find_changes(table) is None
        assert_same_bits(pickle.loads(pickle.dumps(table)), table)
        assert_same_bits(saved(table, tmp_path / "model"), table)
    assert find_changes(base.with_rows(half[1:-1], ones[1:-1])) is not None


def test_a_trained_model_is_small_and_trains_further(tmp_path, monkeypatch):
    model = ParaphraseEncoder(max_epochs=2, shrinkage=0, random_state=0).fit(PAIRS)
    assert model.added_words_ == ["zxqy"]
    content = pickle.dumps(model)
    model.save(tmp_path / "small")
    assert max(len(content), n_bytes(tmp_path / "small")) < 100_000
    monkeypatch.setattr("skparaphrase.vectors._rows.find_changes", lambda table: None)
    model.save(tmp_path / "whole")
    assert n_bytes(tmp_path / "whole") > 60e6
    texts = ["A cat rained.", "zxqy and zxqyes", "Nothing of it"]
    whole = skparaphrase.load(tmp_path / "whole")
    for found in (skparaphrase.load(tmp_path / "small"), pickle.loads(content)):
        assert_array_equal(found.transform(texts), model.transform(texts))
        assert found.added_words_ == ["zxqy"]
    found = skparaphrase.load(tmp_path / "small")
    more = [("New words.", "A word is new."), PAIRS[0]]
    before = found.transform(texts)
    for each in (found, whole):
        each.partial_fit(more)
    assert_array_equal(found.transform(texts), whole.transform(texts))
    assert np.abs(found.transform(texts) - before).max() > 1e-4


def test_a_changed_table_of_another_version_is_refused(base, tmp_path, monkeypatch):
    table = base.with_rows([3], np.ones((1, 8)))
    content = pickle.dumps(table)
    AverageEncoder(table).save(tmp_path / "model")
    fingerprint = _storage._fingerprint("skparaphrase:sentences")
    monkeypatch.setattr(_storage, "_fingerprint", lambda name: fingerprint + 1)
    for read in (
        lambda: pickle.loads(content),
        lambda: skparaphrase.load(tmp_path / "model"),
    ):
        with pytest.raises(ValueError, match="of another version of skparaphrase"):
            read()


def test_the_fingerprint_is_of_all_arrays(tmp_path, monkeypatch):
    """The checksum changes if one number differs after the first rows."""
    path = tmp_path / "table.npz"
    arrays = {"matrix": np.zeros((1000, 4), np.int8), "ngrams": np.zeros((9, 4))}
    monkeypatch.setitem(_storage.BUNDLED, "name", (path, 4, False))
    found = []
    for last in (0, 0, 1):
        arrays["ngrams"][-1, -1] = last
        np.savez_compressed(path, **arrays)
        found.append(_storage._fingerprint.__wrapped__("name"))
    assert found[0] == found[1] != found[2]


BROKEN = {
    "twice": {"rows": np.array([0, 0, 2], np.int32)},
    "descending": {"rows": np.array([0, 2, 1], np.int32)},
    "negative": {"rows": np.array([-1, 0, 2], np.int32)},
    "too large": {"rows": np.array([0, 1, 10**6], np.int32)},
    "no integers": {"rows": np.array([0, 1, 2], np.float32)},
    "two dimensions": {"rows": np.zeros((3, 2), np.int32)},
    "too few vectors": {"vectors": np.zeros((3, 8), np.float32)},
    "one number": {"vectors": np.zeros((4, 1), np.float32)},
    "float64": {"vectors": np.zeros((4, 8))},
    "not finite": {"vectors": np.full((4, 8), np.nan, np.float32)},
    "a word of the table": {"new_words": np.frombuffer(b"\nthe", np.uint8)},
    "no text": {"new_words": np.frombuffer(b"\n\xff", np.uint8)},
}


@pytest.mark.parametrize("kind", BROKEN)
def test_changes_that_do_not_fit_are_refused(base, kind):
    table = base.with_rows([0, 1, 2], np.ones((3, 8)), ["zxqy"], np.ones((1, 8)))
    changes = find_changes(table)._replace(**BROKEN[kind])
    with pytest.raises(ValueError, match=r"fit the table|not finite|decode"):
        apply_changes(base, **changes._asdict())
