"""Docstring entries that are written once and copied to where they apply."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
import re
import sys
from collections import ChainMap
from functools import cache
from textwrap import fill, indent
from typing import Any

# An entry of a section: name or names, type, description.
_ENTRY = re.compile(
    r"^(\**\w+(?:, \**\w+)*)(?: : (.+))?$((?:\n+ {4}.*)*)", re.MULTILINE
)
_AS_IN = re.compile(r"\n +As in :(?:class|func|meth):`~?(?:\w+\.)*(\w+)`\.(?=\s|$)")


def complete(room: str) -> None:
    """Write out the entries that refer to others, for all public names of a module.

    The description of a parameter or attribute may begin with "As in :class:`X`."; X
    may also be a function or a method. The entry then gets the type and description
    that X gives to this name, with the default of its own signature. Text after "As in
    :class:`X`." is kept, and an entry of several names becomes one entry per name.
    """
    public = vars(sys.modules[room])
    for name in public["__all__"]:
        owner = public[name]
        if not callable(owner):
            continue
        _complete(owner, ChainMap(public, vars(sys.modules[owner.__module__])))
        for base in getattr(owner, "__mro__", ()):
            if base.__module__.startswith("skparaphrase."):
                for member in vars(base).values():
                    method = getattr(member, "__func__", member)  # for a class method
                    if inspect.isfunction(method):
                        _complete(method, ChainMap({**vars(base)}, public))


def _complete(owner: Any, scope: ChainMap[str, Any]) -> None:
    """Complete the docstring of a function or class."""
    if "As in :" not in (owner.__doc__ or ""):  # None with `python -OO`
        return

    def in_full(entry: re.Match[str]) -> str:
        names, kind, description = entry.groups()
        found = _AS_IN.match(description)
        if found is None:
            return entry[0]
        other = scope[found[1]]
        _complete(other, scope)
        there = _entries(other)
        own, defaults = _defaults(owner), _defaults(other)
        entries = []
        for name in names.split(", "):
            kind_there, text = there[name]
            if name in defaults and own.get(name) != defaults[name]:
                default = repr(own[name]).replace("'", '"')
                kind_there = re.sub("default=.*", f"default={default}", kind_there)
            rest = fill(" ".join(description[found.end() :].split()), 80)
            text += indent(f"\n{rest}" if rest else "", "    ")
            kind_here = kind or kind_there  # errors have no type
            entries.append(name + (f" : {kind_here}" if kind_here else "") + text)
        return "\n".join(entries)

    # Cleaned like by the compiler of Python 3.13, with a line break at the end.
    owner.__doc__ = _ENTRY.sub(in_full, inspect.cleandoc(owner.__doc__)) + "\n"


@cache
def _entries(owner: Any) -> dict[str, tuple[str, str]]:
    """Type and description of each parameter and attribute; parameters come first."""
    found: dict[str, tuple[str, str]] = {}
    for names, kind, description in _ENTRY.findall(inspect.getdoc(owner) or ""):
        for name in names.split(", "):
            found.setdefault(name, (kind, description))
    return found


@cache
def _defaults(owner: Any) -> dict[str, Any]:
    """Defaults of parameters by name."""
    parameters = inspect.signature(owner).parameters
    return {name: parameter.default for name, parameter in parameters.items()}
