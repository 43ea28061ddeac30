"""Links to our names by their last part, and to other libraries, without network."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cache
from importlib import import_module
from inspect import isclass, ismodule
from types import SimpleNamespace
from typing import Any

import numpy as np
from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.ext.autosummary import autosummary_table
from sphinx.ext.intersphinx import InventoryAdapter

import skparaphrase

# Where a library documents an object (found by importing it), and whether methods are
# on the page of their class.
PAGES = {
    "imblearn": ("https://imbalanced-learn.org/stable/references/generated/", True),
    "joblib": ("https://joblib.readthedocs.io/en/latest/generated/", True),
    "matplotlib": ("https://matplotlib.org/stable/api/_as_gen/", False),
    "numpy": ("https://numpy.org/doc/stable/reference/generated/", False),
    "pandas": ("https://pandas.pydata.org/docs/reference/api/", False),
    "scipy": ("https://docs.scipy.org/doc/scipy/reference/generated/", False),
    "sklearn": ("https://scikit-learn.org/stable/modules/generated/", True),
    "skrub": ("https://skrub-data.org/stable/reference/generated/", True),
    "torch": ("https://docs.pytorch.org/docs/stable/generated/", True),
}
ELSEWHERE = ("numpy.random", "matplotlib.spines")  # their pages have other names
LABELS = {  # in docstrings that our estimators inherit from scikit-learn
    "accuracy_score": "modules/model_evaluation.html#accuracy-score",
    "meta-estimator": "glossary.html#term-meta-estimator",
    "metadata_routing": "metadata_routing.html#metadata-routing",
    "r2_score": "modules/model_evaluation.html#r2-score",
    "set_output": "auto_examples/miscellaneous/plot_set_output.html",
}


@cache
def public_names() -> dict[str, str]:
    """The full name of each public name, in the first module that exports it.

    Names of networks are left out, because some are common words of the field, such
    as LSTM.
    """
    found: dict[str, str] = {}
    for room in skparaphrase._SUBMODULES:
        if room != "networks":
            for name in import_module(f"skparaphrase.{room}").__all__:
                found.setdefault(name, f"skparaphrase.{room}.{name}")
    return found


@cache
def outside(target: str) -> tuple[str | None, bool]:
    """Address of the page of an object elsewhere, and whether it is a class."""
    parts = target.split(".")
    hidden = any(part.startswith("_") for part in parts)
    if parts[0] not in PAGES or hidden or target.startswith(ELSEWHERE):
        return None, False
    parent: Any = None
    try:
        found = import_module(parts[0])
        for n, part in enumerate(parts[1:], start=2):
            if ismodule(found) and not hasattr(found, part):
                import_module(".".join(parts[:n]))
            parent, found = found, getattr(found, part)
    except (ImportError, AttributeError):
        return None, False
    if isclass(found) and issubclass(found, np.generic):
        return None, False
    site, methods_on_page = PAGES[parts[0]]
    if ismodule(found):
        page = f"{site.removesuffix('modules/generated/')}api/{target}.html"
        return (page if parts[0] == "sklearn" else None), False
    if isclass(parent) and methods_on_page:
        return f"{site}{'.'.join(parts[:-1])}.html#{target}", False
    return f"{site}{target}.html", isclass(found)


class Outside:
    """The inventory that intersphinx would fetch, for the code of the gallery."""

    def __init__(self, classes: bool) -> None:
        self.classes = classes

    def __contains__(self, target: str) -> bool:
        page, is_class = outside(target)
        return page is not None and is_class == self.classes

    def __getitem__(self, target: str) -> Any:
        return SimpleNamespace(uri=outside(target)[0])


def offer(app: Any) -> None:
    """Put the inventory where sphinx-gallery looks for it."""
    InventoryAdapter(app.env).main_inventory.update(
        {"py:class": Outside(True), "py:function": Outside(False)}
    )


def resolve(app: Any, env: Any, node: Any, content: nodes.Node) -> nodes.Node | None:
    """A link for a target that Sphinx did not find."""
    target = node.get("reftarget", "").removeprefix("~").removesuffix("()")
    if node.get("refdomain") == "std" and target in LABELS:
        page = f"https://scikit-learn.org/stable/{LABELS[target]}"
    elif node.get("refdomain") == "py":
        first, _, rest = target.partition(".")
        if first in public_names():
            full = public_names()[first] + (f".{rest}" if rest else "")
            return env.get_domain("py").resolve_xref(
                env, node["refdoc"], app.builder, "obj", full, node, content
            )
        page = outside(target)[0]
    else:
        page = None
    if page is None:
        return None
    link = nodes.reference("", "", internal=False, refuri=page)
    link += content
    return link


class Modules(Directive):
    """`.. modules::` with the names of modules: what each is for, and its names."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The modules with links to their pages, and a line about each name."""
        lines = []
        for room in self.content:
            full = room if room == "skparaphrase" else f"skparaphrase.{room}"
            module = import_module(full)
            about = (module.__doc__ or "").strip().partition("\n")[0]
            names = [name for name in module.__all__ if not name.startswith("_")]
            lines += [f".. rubric:: :doc:`{full} <api/{room}>`", "", about, ""]
            lines += [f".. currentmodule:: {full}", "", ".. autosummary::"]
            lines += ["   :nosignatures:", "", *(f"   {name}" for name in names), ""]
        container = nodes.Element()
        container.document = self.state.document
        self.state.nested_parse(StringList(lines, source="modules"), 0, container)
        return container.children


def plain_summaries(app: Any, doctree: nodes.document) -> None:
    """Remove citations from tables of summaries, because numpydoc labels are hashes."""
    for table in doctree.findall(autosummary_table):
        for node in list(table.findall(pending_xref)):
            if node.get("refdomain") == "citation":
                line = node.parent
                before = line[line.index(node) - 1]
                if isinstance(before, nodes.Text):
                    line.replace(before, nodes.Text(before.rstrip()))
                line.remove(node)


def setup(app: Any) -> dict[str, bool]:
    """Add the directive, and connect the functions."""
    app.add_directive("modules", Modules)
    app.connect("builder-inited", offer)
    app.connect("doctree-read", plain_summaries)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
