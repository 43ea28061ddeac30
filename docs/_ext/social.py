"""Meta description and Open Graph tags of every page, for search engines and previews.

The description is the first paragraph of a page, and the picture its first image, or
else that of the README.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from html import escape, unescape
from pathlib import PurePosixPath
from textwrap import shorten
from typing import Any

from docutils import nodes
from sphinx import addnodes

PICTURE = "_static/results.png"


def description(doctree: nodes.document) -> str:
    """The first paragraph of the text, without notes, captions and tables."""
    for node in doctree.findall(nodes.paragraph):
        outer: Any = node.parent
        while outer and (
            isinstance(outer, addnodes.desc)  # an Admonition, oddly
            or not isinstance(outer, (nodes.Admonition, nodes.table))
        ):
            outer = outer.parent
        if not outer and (text := node.astext().strip()):
            return shorten(text, 200, placeholder=" ...")
    return ""


def picture(doctree: nodes.document) -> str:
    """The first image, also of the gallery, as the builder has copied it."""
    for node in doctree.findall(nodes.Element):
        uri = node.get("uri", "")
        if uri and "://" not in uri:
            return f"_images/{PurePosixPath(uri).name}"
    return PICTURE


def add_tags(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Append the tags of a page to those of its header."""
    if doctree is None:  # the search, the index
        return
    base, text = app.config.html_baseurl, description(doctree)
    plain = unescape(re.sub("<[^>]+>", "", context.get("title", "")))
    tags = {
        "og:title": doctree.get("title") or plain,
        "og:type": "website",
        "og:site_name": app.config.project,
        "og:url": f"{base}{page}.html",
        "og:description": text,
        "og:image": base + picture(doctree),
    }
    if text:
        context["metatags"] += f'<meta name="description" content="{escape(text)}">\n'
    for key, value in tags.items():
        context["metatags"] += f'<meta property="{key}" content="{escape(value)}">\n'


def setup(app: Any) -> dict[str, bool]:
    """Connect the function."""
    app.connect("html-page-context", add_tags)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
