"""Pages of the reference list the public names of a module by `.. public-names::`.

Its content are patterns, such as `load_*`. Without content, it lists all names that no
other list of the page names. The names are those of `__all__`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any

LISTED = re.compile(r"^   ([\w*]+)$", re.MULTILINE)
DIRECTIVE = re.compile(r"^\.\. public-names::\n(?:\n((?:   [\w*]+\n)+))?", re.MULTILINE)
TABLE = ".. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n"


def expand(page: str) -> str:
    """The page with a directive `autosummary` in the place of each `public-names`."""
    module = re.search(r"^\.\. currentmodule:: (\S+)$", page, re.MULTILINE)
    if module is None:
        return page
    names = [n for n in import_module(module[1]).__all__ if not n.startswith("_")]

    def table(found: re.Match[str]) -> str:
        wanted = LISTED.findall(found[1] or "   *\n")
        others = [] if found[1] else LISTED.findall(page)
        chosen = [
            name
            for name in names
            if any(fnmatchcase(name, pattern) for pattern in wanted)
            and not any(fnmatchcase(name, pattern) for pattern in others)
        ]
        return TABLE + "".join(f"   {name}\n" for name in chosen) if chosen else ""

    return DIRECTIVE.sub(table, page)


def expand_source(app: Any, docname: str, source: list[str]) -> None:
    """Expand a page that Sphinx reads."""
    source[0] = expand(source[0])


def make_stubs(app: Any, config: Any) -> None:
    """Let autosummary, which reads files, find the names of the expanded pages."""
    folder = Path(app.doctreedir) / "expanded"
    folder.mkdir(parents=True, exist_ok=True)
    toctree = f":toctree: {Path(app.srcdir, 'api/generated')}"
    pages = []
    for page in sorted(Path(app.srcdir, "api").glob("*.rst")):
        expanded = expand(page.read_text(encoding="utf-8"))
        pages.append(folder / page.name)
        pages[-1].write_text(
            expanded.replace(":toctree: generated", toctree), encoding="utf-8"
        )
    config.autosummary_generate = [str(page) for page in pages]


def setup(app: Any) -> None:
    """Connect the functions."""
    app.connect("config-inited", make_stubs)
    app.connect("source-read", expand_source)
