"""The tables of the papers: descriptions in TOML, and measurements of their rows."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib import import_module
from pathlib import Path

from _lib.paper_tables import Table, descriptions

for _path in sorted(Path(__file__).parent.glob("*.py")):
    if _path.stem not in ("__init__", "run_papers"):
        import_module(f"papers.{_path.stem}")

#: All tables by name, in the order in which they are described.
TABLES: dict[str, Table] = {name: Table.kinds[name]() for name in descriptions()}
