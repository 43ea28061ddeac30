"""The pages of `docs/`: their code runs, and they list all names that exist."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import doctest
import re
import runpy
import sys
from importlib import import_module
from inspect import ismodule
from pathlib import Path
from types import ModuleType

import pytest

import skparaphrase

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = {"_build", "auto_examples", "generated", "backreferences"}
PAGES = [
    page
    for page in sorted(DOCS.rglob("*.rst"))
    if not {*page.relative_to(DOCS).parts} & MADE and "_templates" not in page.parts
]
ROOMS = sorted(skparaphrase._SUBMODULES)
expand = runpy.run_path(str(DOCS / "_ext/public_names.py"))["expand"]
ROLE = re.compile(r":(?:py:)?(class|func|meth|attr|mod|data|obj|exc):`([^`]+)`")


def find(target):
    """The object of a dotted name, or None."""
    parts = target.split(".")
    try:
        found = import_module(parts[0])
        for n, part in enumerate(parts[1:], start=2):
            if ismodule(found) and not hasattr(found, part):
                found = import_module(".".join(parts[:n]))
            else:
                found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found


def targets(text):
    for _, content in ROLE.findall(text):
        target = re.sub(r"(?s).*<(.+)>$", r"\1", content)
        yield " ".join(target.split()).removesuffix("()").lstrip("~!")


def page_id(path):
    return str(path.relative_to(ROOT))


def run(text, name, number=0):
    """Run the `>>>` lines of a page as in a Python session of their own."""
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, number)
    main, report = ModuleType("__main__"), []  # its functions can be pickled
    test.globs = vars(main)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", main)
        result = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert not result.failed, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_code_of_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    run(page.read_text(encoding="utf-8"), page_id(page))


@pytest.mark.parametrize("room", [*ROOMS, "skparaphrase"])
def test_reference_lists_every_public_name(room):
    module = skparaphrase if room == "skparaphrase" else find(f"skparaphrase.{room}")
    page = expand((DOCS / "api" / f"{room}.rst").read_text(encoding="utf-8"))
    assert "public-names" not in page
    listed = re.findall(r"(?m)^   (\w+)$", page)
    assert len(listed) == len(set(listed))
    assert all(hasattr(module, name) for name in listed)
    # Names that another package also exports are on its page.
    elsewhere = (
        {"load_word_vectors", "load_word_frequencies"} if room == "vectors" else ()
    )
    assert sorted(listed) == sorted({*module.__all__} - {*elsewhere, "__version__"})


def test_reference_lists_every_room():
    index = (DOCS / "api.rst").read_text(encoding="utf-8")
    listed, linked = (re.findall(rf"(?m)^   {of}(\w+)$", index) for of in ("", "api/"))
    assert listed == linked
    assert sorted(listed) == sorted([*ROOMS, "skparaphrase"])


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_what_a_page_links_to_exists(page):
    text = page.read_text(encoding="utf-8")
    module = re.search(r"currentmodule:: ([\w.]+)", text)
    public = {
        name: f"skparaphrase.{room}.{name}"
        for room in ROOMS
        for name in find(f"skparaphrase.{room}").__all__
    }
    for target in targets(text):
        first, _, rest = target.partition(".")
        names = [target, f"skparaphrase.{target}"]
        if module:
            names.append(f"{module[1]}.{target}")
        if first in public:
            names.append(public[first] + (f".{rest}" if rest else ""))
        assert any(find(name) is not None for name in names), target


def test_what_docstrings_link_to_exists():
    for path in (ROOT / "skparaphrase").rglob("*.py"):
        for target in targets(path.read_text(encoding="utf-8")):
            if target.startswith("skparaphrase.") and "{" not in target:
                assert find(target) is not None, (path.name, target)


def test_gallery_has_every_example_and_its_title():
    page = (ROOT / "examples/index.rst").read_text(encoding="utf-8")
    paths = list((ROOT / "examples").glob("*.py"))
    listed = re.findall(r"(?m)^   (\w+)$", page)
    assert sorted(listed) == sorted(path.stem for path in paths)
    for path in paths:
        head = path.read_text(encoding="utf-8").splitlines()[:3]
        assert head[0] == '"""' and head[2] == "=" * len(head[1]), path.name
        shown = f"../examples/{path.name}", f":doc:`{path.stem}`"
        assert any(each in page for each in shown), path.name


def test_description_of_a_page_is_its_first_paragraph(monkeypatch):
    pytest.importorskip("sphinx")
    core = import_module("docutils.core")
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    text = "Title\n=====\n\n.. note::\n\n   Not this.\n\nThis *one*.\n\nNor this.\n"
    description = import_module("social").description
    assert description(core.publish_doctree(text)) == "This one."
    assert len(description(core.publish_doctree("word " * 100))) <= 200
