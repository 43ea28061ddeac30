"""The directive `markdown-page` includes a Markdown file that GitHub also shows."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from references import public_names

UNDERLINES = "=-~^"


def inline(text: str) -> str:
    """Code, links and bold text of Markdown in reStructuredText."""
    codes: list[str] = []  # set aside first, because code contains no markup

    def keep(match: re.Match[str]) -> str:
        codes.append(" ".join(match[1].split()))
        return f"\0{len(codes) - 1}\0"

    text = re.sub(r"`([^`]+)`", keep, text)
    # "nDCG@10" is not an address.
    text = re.sub(r"(?<!\*)\*(?!\*)|_(?=_*(?:\W|$))|[|\\]|@(?=\d)", r"\\\g<0>", text)
    text = re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r"`\1 <\2>`__", text)
    return re.sub(r"\0(\d+)\0(\w?)", lambda m: code(codes[int(m[1])], m[2]), text)


def code(text: str, behind: str) -> str:
    """A code span, or a link to a name of ours; a letter after it needs a separator."""
    ours = text.partition(".")[0] in public_names() and re.fullmatch(r"[\w.]+", text)
    ticks = "`" if ours else "``"
    return ticks + text + ticks + (f"\\ {behind}" if behind else "")


def table(rows: list[str]) -> list[str]:
    """A pipe table as a list-table."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [rows[0], *rows[2:]]:
        for number, cell in enumerate(row.strip().strip("|").split("|")):
            bullet = "  " if number else "* "
            lines.append(f"   {bullet}- {inline(cell.strip())}")
    return lines


def block(lines: list[str]) -> list[str]:
    """Heading, table, code, or text with its lists."""
    first = lines[0]
    if heading := re.fullmatch(r"(#{1,4}) (.+)", first):
        title = inline(heading[2])
        rest = ["", *block(lines[1:])] if lines[1:] else []
        return [title, UNDERLINES[len(heading[1]) - 1] * len(title), *rest]
    if first.startswith("```"):
        inside = [f"   {line}" for line in lines[1:-1]]
        return [f".. code-block:: {first[3:].strip() or 'text'}", "", *inside]
    if first.startswith("|"):
        return table(lines)
    if first.startswith("    "):
        return [".. code-block:: text", "", *lines]
    return inline("\n".join(lines)).split("\n")


def to_rst(text: str) -> str:
    """Headings, lists, code (indented, fenced), pipe tables, links and code spans."""
    blocks = re.findall(r"^```(?s:.*?)^```$|(?:^(?!```).*\S.*\n?)+", text, re.M)
    return "\n\n".join("\n".join(block(found.splitlines())) for found in blocks) + "\n"


class MarkdownPage(Directive):
    """`.. markdown-page:: ../CHANGES.md`, with sections in the table of contents."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The nodes of the file."""
        env = self.state.document.settings.env
        here = Path(env.doc2path(env.docname)).parent
        path = (here / self.arguments[0]).resolve()
        env.note_dependency(str(path))
        rst = to_rst(path.read_text(encoding="utf-8")).splitlines()
        container = nodes.Element()
        container.document = self.state.document
        self.state.nested_parse(
            StringList(rst, source=str(path)), 0, container, match_titles=True
        )
        return container.children


def setup(app: Any) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("markdown-page", MarkdownPage)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
