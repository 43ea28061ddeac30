"""Unfinished files of `transform_to` that were changed before it resumes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.preprocessing import FunctionTransformer

from skparaphrase.streams import transform_to

X = np.arange(200.0).reshape(50, 4)
HEADER = 128


def stop_at_30(rows):
    if 30.0 * 4 in rows:
        raise KeyboardInterrupt
    return rows


@pytest.fixture
def part(tmp_path):
    """Three blocks of 10 rows, of which the third is computed again."""
    with pytest.raises(KeyboardInterrupt):
        transform_to(FunctionTransformer(stop_at_30), X, tmp_path / "x", block_size=10)
    return tmp_path / "x.part"


@pytest.mark.parametrize(
    ("row", "n_kept"), [(0, 0), (5, 0), (10, 0), (19, 0), (29, 10)]
)
@pytest.mark.parametrize("bit", [0, 7])
def test_changed_rows_are_computed_again(row, n_kept, bit, part, tmp_path):
    raw = bytearray(part.read_bytes())
    raw[HEADER + row * 32 + 31] ^= 1 << bit
    part.write_bytes(raw)
    seen = []

    def transform(rows):
        seen.extend(rows[:, 0].tolist())
        return rows

    transformer = FunctionTransformer(transform)
    start = row // 10 * 10
    with pytest.warns(UserWarning, match=rf"x\.part from {start} on have changed"):
        found = transform_to(transformer, X, tmp_path / "x", block_size=10)
    assert_array_equal(found, X)
    assert seen == X[n_kept:, 0].tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("block_size", [7, 10, 100])
def test_unchanged_rows_are_kept(block_size, part, tmp_path):
    found = transform_to(
        FunctionTransformer(), X, tmp_path / "x", block_size=block_size
    )
    assert_array_equal(found, X)


def test_checksums_of_other_blocks_are_kept(part, tmp_path):
    """Resumed with blocks of 7, stopped, damaged in one of them, and resumed."""
    with pytest.raises(KeyboardInterrupt):
        transform_to(FunctionTransformer(stop_at_30), X, tmp_path / "x", block_size=7)
    raw = bytearray(part.read_bytes())
    raw[HEADER + 15 * 32] ^= 1
    part.write_bytes(raw)
    with pytest.warns(UserWarning, match="from 10 on have changed"):
        found = transform_to(FunctionTransformer(), X, tmp_path / "x", block_size=5)
    assert_array_equal(found, X)


@pytest.mark.filterwarnings("ignore:Rows of:UserWarning")
@pytest.mark.parametrize(
    ("name", "damage", "is_refused"),
    [
        ("x.part", "cut", True),
        ("x.part", "flip", True),
        ("x.part", "brace", True),
        ("x.part", "unlink", False),  # there is nothing to resume
        ("x.part.crc32", "cut", False),
        ("x.part.crc32", "flip", False),
    ],
)
def test_damaged_files(name, damage, is_refused, part, tmp_path):
    path = tmp_path / name
    raw = bytearray(path.read_bytes())
    if damage == "unlink":
        path.unlink()
    else:
        if damage == "brace":
            raw[raw.index(b"}")] ^= 4
        raw[1] ^= 4 if damage == "flip" else 0
        path.write_bytes(raw[:-5] if damage == "cut" else raw)
    if is_refused:
        with pytest.raises(ValueError, match=r"x\.part and x\.part\.crc32 are damaged"):
            transform_to(FunctionTransformer(), X, tmp_path / "x", block_size=10)
    else:
        found = transform_to(FunctionTransformer(), X, tmp_path / "x", block_size=10)
        assert_array_equal(found, X)


def test_part_of_a_version_without_checksums(part, tmp_path):
    (tmp_path / "x.part.crc32").unlink()
    before = part.read_bytes()
    with pytest.raises(ValueError, match=r"x\.part was written by another version"):
        transform_to(FunctionTransformer(), X, tmp_path / "x", block_size=10)
    assert part.read_bytes() == before
    part.unlink()
    found = transform_to(FunctionTransformer(), X, tmp_path / "x", block_size=10)
    assert_array_equal(found, X)


@pytest.mark.skipif(os.name == "nt", reason="Windows allows few links")
@pytest.mark.parametrize("name", ["x.part", "x.part.crc32"])
def test_links_are_not_followed(name, tmp_path):
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / name).symlink_to(tmp_path / "victim")
    with pytest.raises(ValueError, match="is a symbolic link"):
        transform_to(FunctionTransformer(), X, tmp_path / "x")
    assert (tmp_path / "victim").read_bytes() == b"precious"
