"""The content of wheel, sdist and metadata."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from configparser import ConfigParser
from email import message_from_bytes
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import skparaphrase
from skparaphrase import _versions

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]


def pins(name):
    """Requirements of a file of constraints, by the names of the packages."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {requirement.name.lower(): requirement for requirement in found}


def requirements(*groups):
    wanted = [Requirement(line) for group in groups for line in group]
    return [item for item in wanted if item.name != "skparaphrase"]


def test_one_version():
    version = skparaphrase.__version__
    assert str(Version(version)) == version
    assert "version" in PROJECT["dynamic"]
    source = PYPROJECT["tool"]["setuptools"]["dynamic"]["version"]
    assert source == {"attr": "skparaphrase.__version__"}
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [version]


def package_files():
    """Files of the package, without files from Python and builds."""
    package = Path(skparaphrase.__file__).parent
    made = {".pyc", ".cpp", ".so", ".pyd"}
    return {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in made
    }


def test_data_files_are_those_of_the_wheel():
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    patterns = [
        f"{package.replace('.', '/')}/{pattern.strip()}"
        for package, line in setup["options.package_data"].items()
        for pattern in line.split(",")
    ]
    files = {PurePosixPath(file) for file in package_files()}
    assert PurePosixPath("skparaphrase/vectors/data/english.npz") in files
    assert PurePosixPath("skparaphrase/py.typed") in files
    for file in files:
        packed = file.suffix in (".py", ".pyx")  # the one, and no longer the other
        assert packed or any(file.match(pattern) for pattern in patterns), file
    package = Path(skparaphrase.__file__).parent
    folders = {path.parent for path in package.rglob("*.py")}
    for folder in folders:  # a folder without __init__.py is not packed
        assert (folder / "__init__.py").exists(), folder


def test_what_is_needed_is_pinned():
    pinned = pins("constraints.txt")
    for needed in requirements(PROJECT["dependencies"], *EXTRAS.values()):
        (version,) = pinned[needed.name.lower()].specifier
        assert needed.specifier.contains(version.version), needed


def test_oldest_versions_are_the_floors():
    oldest = pins("constraints-oldest.txt")
    names = "data", "plot", "progress", "train", "interchange"
    run_time = [EXTRAS[name] for name in names]
    for needed in requirements(PROJECT["dependencies"], *run_time):
        (pin,) = oldest[needed.name.lower()].specifier
        (floor,) = needed.specifier
        pinned, lowest = Version(pin.version), Version(floor.version)
        assert pinned >= lowest, needed
        assert pinned.release[:2] == lowest.release[:2], needed


def test_changes_have_a_section_of_this_version():
    text = (ROOT / "CHANGES.md").read_text(encoding="utf-8")
    version = Version(skparaphrase.__version__)
    found = re.findall(r"^## (\S+) \((.+)\)$", text, re.MULTILINE)
    assert found[0][0] == version.base_version
    assert (found[0][1] == "unreleased") == version.is_devrelease


def test_workflows_run_what_was_reviewed():
    """Actions are pinned by commit, and releases use only files with checksums."""
    workflows = ROOT / ".github/workflows"
    if not workflows.is_dir():
        pytest.skip("a source distribution has no workflows")
    used = [
        line
        for path in workflows.glob("*.yml")
        for line in re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
        if not line.startswith("./")
    ]
    assert len(used) > 10
    for line in used:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[0-9.]+", line), line
    assert len({*used}) == len({line.partition("@")[0] for line in used})
    for name in ("release.yml", "dist.yml"):
        text = (workflows / name).read_text(encoding="utf-8")
        assert "INDEX_URL" not in text and "index-url" not in text
    pinned = {}
    for name in ("build.txt", "cibuildwheel.txt"):
        text = (ROOT / ".github" / name).read_text(encoding="utf-8")
        for line in re.split(r"\n(?=\S)", re.sub("#.*", "", text).strip()):
            found = re.match(r"(\S+)==(\S+).* \\\n +--hash=sha256:[0-9a-f]{64}", line)
            pinned[found[1].lower()] = found[2]
    for needed in map(Requirement, PYPROJECT["build-system"]["requires"]):
        assert needed.specifier.contains(pinned[needed.name.lower()])
    assert {"build", "cibuildwheel"} <= {*pinned}


@pytest.fixture
def built():
    """The folder that `make dist` filled; SKPARAPHRASE_DIST names it."""
    folder = os.environ.get("SKPARAPHRASE_DIST")
    if folder is None:
        pytest.skip("SKPARAPHRASE_DIST names no folder of built files")
    return Path(folder)


def test_what_the_files_hold(built):
    wheels, (sdist,) = [*built.glob("*.whl")], built.glob("*.tar.gz")
    cython = "skparaphrase/_core/_compiled.pyx"
    ours = package_files() - {cython}
    licences = {f"LICENSES/{path.name}" for path in (ROOT / "LICENSES").iterdir()}
    assert wheels
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as file:
            names = file.namelist()
            (path,) = [name for name in names if name.endswith("/METADATA")]
            metadata = message_from_bytes(file.read(path))
        packed = {name for name in names if name.startswith("skparaphrase/")}
        (binary,) = packed - ours  # a wheel of a release is never the plain version
        version = wheel.name.split("-")[2].removeprefix("cp")
        name = rf"skparaphrase/_core/_compiled\.(cp|cpython-){version}-.+\.(so|pyd)"
        assert re.fullmatch(name, binary)
        assert ours <= packed
        assert metadata["Version"] == skparaphrase.__version__
        assert metadata["License-Expression"] == PROJECT["license"]
        assert {*metadata.get_all("License-File")} == {"LICENSE", *licences}
    with tarfile.open(sdist) as file:
        source = {member.name.partition("/")[2] for member in file if member.isfile()}
    assert ours | {cython, "setup.py", "LICENSE", "CITATION.cff"} <= source
    assert {"constraints.txt", "tests/conftest.py", "docs/conf.py"} <= source
    assert "examples/quickstart.py" in source
    assert not [name for name in source if name.endswith((".cpp", ".so", ".pyd"))]
    assert not [name for name in source if name.startswith("benchmarks/results/runs")]


@pytest.mark.parametrize("core", ["compiled", "plain"])
def test_show_versions(core, monkeypatch, capsys):
    monkeypatch.setattr(_versions, "COMPILED", core == "compiled")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    skparaphrase.show_versions()
    lines = capsys.readouterr().out.splitlines()
    found = dict(line.strip().split(": ", 1) for line in lines)
    assert found["core"] == core
    assert found["executable"] == sys.executable
    assert found["numpy"] == np.__version__
    assert int(found["threads"]) >= 1
    names = {needed.name for needed in requirements(PROJECT["dependencies"])}
    assert names < {*found}
    monkeypatch.setattr(_versions, "_PACKAGES", ("no-such-package",))
    skparaphrase.show_versions()
    assert "no-such-package: not installed" in capsys.readouterr().out


@pytest.mark.slow
def test_type_checkers_see_what_users_get(tmp_path):
    """`typed_user.py` passes strict checks, where `Any` would fail, as a user's file.

    The package is then an installed one, found by its `py.typed`.
    """
    shutil.copy(ROOT / "tests/typed_user.py", tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file="]
    done = subprocess.run(
        [*command, "--cache-dir", str(tmp_path / "cache"), "typed_user.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
