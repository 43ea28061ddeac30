"""Saves that are killed at any step, and concurrent saves and loads."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import skparaphrase
from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import AverageEncoder, CharagramEncoder, SIFEncoder
from skparaphrase.storage import _folders
from skparaphrase.vectors import WordFrequencies, WordVectors

EVENTS = "open os.mkdir os.rename os.remove os.rmdir shutil.rmtree ctypes.dlsym".split()
SCRIPT = """
import os, sys
from pathlib import Path
import numpy as np
import skparaphrase
from skparaphrase.storage import _folders
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.vectors import WordVectors

root, in_one_step, events = Path(sys.argv[1]), sys.argv[2] == "True", sys.argv[3:]
if not in_one_step:
    _folders._exchange = lambda new, old: False
vectors = WordVectors(["a", "cat"], np.eye(2, 3))
AverageEncoder(vectors).save(root / "model")
n_left = 10**9

def die_at(event, args):
    global n_left
    if event in events and str(root) in repr(args) or event == "ctypes.dlsym":
        n_left -= 1
        if not n_left:
            os.kill(os.getpid(), 9)

sys.addaudithook(die_at)
stage, missing, kinds = 0, 0, []
while True:
    stage += 1
    child = os.fork()
    if not child:
        n_left = stage
        SIFEncoder(vectors).save(root / "model")
        os._exit(0)
    killed = os.waitpid(child, 0)[1]
    missing += not (root / "model/metadata.json").exists()
    kinds.append(type(skparaphrase.load(root / "model")).__name__[:3])
    names = {path.name for path in root.iterdir()}
    assert names <= {"model", ".model.lock"}, names
    if not killed:
        break
    AverageEncoder(vectors).save(root / "model")
    assert [path.name for path in root.iterdir()] == ["model"]
print(stage, missing, "".join(kinds).count("AveSIF"), kinds[-1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("in_one_step", [True, False])
def test_a_save_that_is_killed_leaves_a_model_and_nothing_else(in_one_step, tmp_path):
    if in_one_step and not can_exchange(tmp_path):
        pytest.skip("this system cannot exchange folders")
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), str(in_one_step), *EVENTS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.stderr == ""
    stages, n_missing, n_changes, last = done.stdout.split()
    assert int(stages) > 30
    # Otherwise the next load gives the old model back.
    assert int(n_missing) == (0 if in_one_step else 1)
    # The new model is there from one moment on.
    assert (n_changes, last) == ("1", "SIF")


def can_exchange(folder):
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    found = _folders._exchange(folder / "a", folder / "b")
    (folder / "a").rmdir()
    (folder / "b").rmdir()
    return found


def make(kind):
    vectors = WordVectors(["a", "cat"], np.full((2, 300), float(kind)))
    return (AverageEncoder(vectors), SIFEncoder(vectors))[kind % 2]


def test_savers_at_the_same_time(tmp_path):
    """One wins, none fails, and readers get one model or the other."""
    folder = tmp_path / "model"
    make(1).save(folder)

    def save(kind):
        for _ in range(20):
            make(kind).save(folder)

    def read():
        model = skparaphrase.load(folder, verify=True)
        kind = int(model.vectors.matrix[0, 0])
        assert (model.vectors.matrix == kind).all()
        assert type(model) is type(make(kind))

    with ThreadPoolExecutor(4) as pool:
        savers = [pool.submit(save, kind) for kind in (1, 2, 3)]
        while not all(saver.done() for saver in savers):
            read()
        for saver in savers:
            saver.result()
    read()
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_savers_in_other_processes(tmp_path):
    script = (
        "import sys; from skparaphrase.vectors import WordFrequencies, WordVectors\n"
        "for i in range(15):\n"
        "    WordVectors(['a'], [[i]]).save(sys.argv[1] + '/v')\n"
        "    WordFrequencies({'a': i}).save(sys.argv[1] + '/counts')"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    savers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    for saver in savers:
        assert saver.communicate(timeout=200) == (None, b"")
        assert saver.returncode == 0
    assert WordVectors.load(tmp_path / "v")["a"] == 14
    assert WordFrequencies.load(tmp_path / "counts")["a"] == 14
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counts", "v"]


@pytest.mark.skipif(os.name == "nt", reason="Windows allows few links")
@pytest.mark.parametrize("name", ["counts.part", ".counts.new", ".counts.lock"])
def test_counts_are_not_written_through_links(name, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / name).symlink_to(victim)
    try:
        WordFrequencies({"a": 1}).save(tmp_path / "counts")
    except FileExistsError:
        assert name == ".counts.new"
    else:
        assert WordFrequencies.load(tmp_path / "counts")["a"] == 1
    assert victim.read_bytes() == b"precious"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
@pytest.mark.parametrize("umask", [0o022, 0o002, 0o077])
def test_saved_files_have_the_permissions_of_other_files(umask, model, tmp_path):
    before = os.umask(umask)
    try:
        (tmp_path / "other").write_text("")
        WordFrequencies({"a": 1}).save(tmp_path / "counts")
        model.save(tmp_path / "model")
    finally:
        os.umask(before)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 4 and "arrays.safetensors" in {path.name for path in files}
    modes = {stat.S_IMODE(path.stat().st_mode) for path in files}
    assert modes == {0o666 & ~umask}


@pytest.fixture
def model():
    """A model with arrays of its own, besides those of its table."""
    pairs = load_paraphrases().data[:20]
    return CharagramEncoder(dim=3, max_epochs=1, random_state=0).fit(pairs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.no_cover
def test_a_file_that_may_not_be_read_is_not_damaged(model, tmp_path):
    model.save(tmp_path / "model")
    (tmp_path / "model/arrays.safetensors").chmod(0)
    # Parents of tmp_path are closed to others, and root may read everything.
    here = os.open(tmp_path, os.O_RDONLY)
    tmp_path.chmod(0o755)
    child = os.fork()
    if not child:
        os.fchdir(here)
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            skparaphrase.load("model")
        except PermissionError as error:
            os._exit("arrays.safetensors" not in str(error))
        finally:
            os._exit(2)
    os.close(here)
    assert os.waitpid(child, 0)[1] == 0
