"""What wheel, sdist and metadata promise."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
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
from importlib import import_module, resources
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import skparaphrase

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


def test_data_files_are_those_of_the_wheel():
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    patterns = [
        f"{package.replace('.', '/')}/{pattern.strip()}"
        for package, line in setup["options.package_data"].items()
        for pattern in line.split(",")
    ]
    package = Path(skparaphrase.__file__).parent
    files = [
        PurePosixPath(path.relative_to(package.parent)).as_posix()
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    ]
    assert "skparaphrase/vectors/data/english.npz" in files
    for file in files:
        assert any(PurePosixPath(file).match(pattern) for pattern in patterns), file
    folders = {path.parent for path in package.rglob("*.py")}
    for folder in folders:  # a folder without __init__.py is not packed
        assert (folder / "__init__.py").exists(), folder


def test_the_package_says_that_it_is_typed():
    assert (resources.files("skparaphrase") / "py.typed").is_file()


def test_what_is_needed_is_pinned():
    pinned = pins("constraints.txt")
    for needed in requirements(PROJECT["dependencies"], *EXTRAS.values()):
        (version,) = pinned[needed.name.lower()].specifier
        assert needed.specifier.contains(version.version), needed


def test_oldest_versions_are_the_floors():
    oldest = pins("constraints-oldest.txt")
    run_time = [EXTRAS[name] for name in ("data", "plot", "progress", "interchange")]
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
    """Actions are pinned by commit, and a release takes nothing without a checksum."""
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
    build = (ROOT / ".github/build.txt").read_text(encoding="utf-8")
    for requirement in re.split(r"\n(?=\S)", re.sub("#.*", "", build).strip()):
        assert re.search(r"==\S+ \\\n +--hash=sha256:[0-9a-f]{64}", requirement)
    assert "setuptools==" in build


@pytest.fixture
def built():
    """The folder that `make dist` filled; SKPARAPHRASE_DIST names it."""
    folder = os.environ.get("SKPARAPHRASE_DIST")
    if folder is None:
        pytest.skip("SKPARAPHRASE_DIST names no folder of built files")
    return Path(folder)


def test_what_the_files_hold(built):
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as file:
        packed = {name for name in file.namelist() if name.startswith("skparaphrase/")}
        (path,) = [name for name in file.namelist() if name.endswith("/METADATA")]
        metadata = message_from_bytes(file.read(path))
    with tarfile.open(sdist) as file:
        source = {member.name.partition("/")[2] for member in file if member.isfile()}
    package = Path(skparaphrase.__file__).parent
    ours = {
        PurePosixPath(path.relative_to(package.parent)).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == ours
    assert metadata["Version"] == skparaphrase.__version__
    assert metadata["License-Expression"] == PROJECT["license"]
    licences = {f"LICENSES/{path.name}" for path in (ROOT / "LICENSES").iterdir()}
    assert {*metadata.get_all("License-File")} == {"LICENSE", *licences}
    assert ours <= source
    kept = {"LICENSE", "CITATION.cff", "constraints.txt", "tests/conftest.py"}
    assert kept | {"examples/quickstart.py", "docs/conf.py"} <= source
    assert not [name for name in source if name.startswith("benchmarks/results/runs")]


ROOMS = "decomposition encoders pairs search supervised"
ESTIMATORS = {
    name: getattr(module, name)
    for module in (import_module(f"skparaphrase.{room}") for room in ROOMS.split())
    for name in module.__all__
    if inspect.isclass(getattr(module, name))
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_documented_fitted_attributes_have_types(name):
    """Without annotations in the class, editors show `Any`."""
    docscrape = pytest.importorskip("numpydoc.docscrape")
    found = ESTIMATORS[name]
    typed = {key for base in found.__mro__ for key in inspect.get_annotations(base)}
    for entry in docscrape.ClassDoc(found)["Attributes"]:
        for attribute in entry.name.split(", "):
            assert attribute in typed or hasattr(found, attribute), attribute


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
