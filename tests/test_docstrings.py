"""Parameters are fully described in `help`, and written once in the source."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
import re
import sys
from ast import literal_eval
from importlib import import_module

import pytest
import registry  # of the folder that conftest.py adds to the path

from skparaphrase import _docstrings

ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : (\S.*)$", re.MULTILINE)


def section(doc, title):
    """The lines of a section of a docstring."""
    found = re.search(
        rf"^{title}\n-+\n(.*?)(?=\n\n\S|\Z)", doc, re.MULTILINE | re.DOTALL
    )
    return found[1] if found else ""


def callables():
    """Public classes and functions with parameters, once each, and public methods."""
    found = {}
    for module in map(import_module, registry.PUBLIC):
        for name in module.__all__:
            owner = getattr(module, name)
            documented = inspect.isclass(owner) or inspect.isfunction(owner)
            if documented and "networks" not in module.__name__:  # for contributors
                found.setdefault(owner, f"{module.__name__}.{name}")
    return {name: owner for owner, name in found.items()}


CALLABLES = callables()
ORDER = ["Second", "undocumented", "First", "CALLABLES"]


@pytest.mark.parametrize("name", CALLABLES)
def test_parameters_are_described_in_order_with_their_defaults(name):
    owner = CALLABLES[name]
    parameters = inspect.signature(owner).parameters
    text = section(inspect.getdoc(owner), "Parameters")
    documented = {
        single.lstrip("*"): kind
        for names, kind in ENTRY.findall(text)
        for single in names.split(", ")
    }
    assert list(documented) == list(parameters)
    for key, parameter in parameters.items():
        written, default = documented[key].rpartition("default=")[2], parameter.default
        if isinstance(default, str | float | int | tuple | None):
            assert literal_eval(written) == default, key


@pytest.mark.parametrize("name", CALLABLES)
def test_no_entry_refers_to_another(name):
    owner = CALLABLES[name]
    methods = [
        method
        for key, method in inspect.getmembers(owner)
        if key[0] != "_" and (getattr(method, "__module__", "") or "").startswith("skp")
    ]
    for documented in (owner, *methods):
        assert not re.search(
            r"\n +as in :\w+:`\S+`\.?(\n|$)", inspect.getdoc(documented), re.I
        )


@pytest.mark.parametrize("name", CALLABLES)
def test_help_shows_short_types(name):
    """Types are shown as in the source: ArrayLike is a union of 300 characters."""
    for key, function in [("", CALLABLES[name]), *inspect.getmembers(CALLABLES[name])]:
        module = getattr(function, "__module__", None) or ""
        if key[:1] == "_" or not module.startswith("skp") or not callable(function):
            continue
        signature = inspect.signature(function)
        for parameter in signature.parameters.values():
            assert len(inspect.formatannotation(parameter.annotation)) < 100, key
        assert len(inspect.formatannotation(signature.return_annotation)) < 100, key


class First:
    """The entries.

    Parameters
    ----------
    rate, speed : float, default=0.5
        How fast.

        In steps.
    name : str, default="first"
        A name.

    Raises
    ------
    ValueError
        If it is too fast.
    """

    def __init__(self, rate=0.5, speed=0.5, name="first"):
        pass


class Second:
    """A class that refers to them.

    Parameters
    ----------
    rate, name
        As in :class:`First`.
    speed : int, default=3
        As in :class:`~somewhere.First`. Never
        slow.
    other : str
        Its own, as in :class:`First`.

    Raises
    ------
    ValueError
        As in :class:`First`.
    """

    def __init__(self, rate=1e-3, name="first", speed=3, other=""):
        pass


def undocumented():
    pass


def test_entries_of_others_are_written_out(monkeypatch):
    # Public names in an order in which the first refers to a later one.
    monkeypatch.setattr(sys.modules[__name__], "__all__", ORDER, raising=False)
    _docstrings.complete(__name__)
    assert (
        section(inspect.getdoc(Second), "Parameters")
        == """\
rate : float, default=0.001
    How fast.

    In steps.
name : str, default="first"
    A name.
speed : int, default=3
    How fast.

    In steps.
    Never slow.
other : str
    Its own, as in :class:`First`."""
    )
    assert (
        section(inspect.getdoc(Second), "Raises")
        == """\
ValueError
    If it is too fast."""
    )
    assert undocumented.__doc__ is None  # as with `python -OO`
