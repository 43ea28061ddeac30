"""Settings of the documentation, which `make docs` builds without network."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
import re
import sys
import tomllib
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import torch

import skparaphrase

torch.set_num_threads(1)  # for reproducible figures in the gallery

project = "skparaphrase"
author = "The skparaphrase developers"
copyright = author
version = release = skparaphrase.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "markdown_page",
    "picture",
    "public_names",
    "references",
    "social",
]
root_doc = "index"
templates_path = ["_templates"]
exclude_patterns = [
    "_build",
    "_templates",
    "tests",
    "**sg_execution_times.rst",
]
# `Name` is a link if the name is ours, and code otherwise.
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:obj", ".*"), ("py:class", r"(?!~?skparaphrase).*")]

# The reference -----------------------------------------------------------------------

autosummary_imported_members = True
autodoc_typehints = "none"  # the docstrings describe types in words
autodoc_member_order = "alphabetical"
add_module_names = False
toc_object_entries_show_parents = "hide"
numpydoc_class_members_toctree = False
# Of torch.nn.Module subclasses, document only our members.
_modules = [
    name
    for name, found in vars(import_module("skparaphrase.networks")).items()
    if isinstance(found, type) and issubclass(found, torch.nn.Module)
]
autosummary_context = {"modules_of_torch": _modules}
numpydoc_show_inherited_class_members = {
    f"skparaphrase.networks.{name}": False for name in _modules
}

# The gallery -------------------------------------------------------------------------

warnings.filterwarnings("error", module="__main__")  # those that an example causes

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/(plot_|quickstart)",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("skparaphrase",),
    "reference_url": {"skparaphrase": None},
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib", "picture.use_style"),
    "minigallery_sort_order": "picture.gallery_order",
    "capture_repr": ("_repr_html_",),  # estimators and frames
    "matplotlib_animations": False,
    "min_reported_time": 1,
    "thumbnail_size": (640, 448),
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "copyfile_regex": r"index\.rst",  # which groups the examples
    "abort_on_example_error": False,  # -W fails the build after the last one
}
suppress_warnings = ["config.cache"]  # the settings of sphinx-gallery contain functions
LICENCE = re.compile(r"\s*# Authors: .*\n\s*# SPDX-License-Identifier: .*\n")


def hide_licence(app: Any, docname: str, source: list[str]) -> None:
    """Remove the comment about authors and licence from pages of the gallery."""
    if docname.startswith("auto_examples/"):
        empty = rf"\.\. code-block:: Python\n{LICENCE.pattern}\s*(?=\.\. GENERATED)"
        source[0] = LICENCE.sub("\n\n", re.sub(empty, "", source[0]))


def hide_edit_link(app: Any, page: str, template: str, context: Any, tree: Any) -> None:
    """Remove the link to the source of pages that are generated."""
    if page.startswith(("api/generated/", "auto_examples/")):
        context["theme_use_edit_page_button"] = False


def setup(app: Any) -> None:
    """Connect the functions."""
    app.connect("source-read", hide_licence)
    app.connect("html-page-context", hide_edit_link)


# The pages ---------------------------------------------------------------------------

LOGO = "_static/favicon.svg"
# The header links to the repository if pyproject.toml names it in [project.urls], as
# Repository = "https://github.com/OWNER/NAME".
_project = tomllib.loads(
    Path(__file__).parents[1].joinpath("pyproject.toml").read_text()
)
REPOSITORY = _project["project"]["urls"].get("Repository")
html_theme = "pydata_sphinx_theme"
html_title = "skparaphrase"
html_baseurl = "https://skparaphrase.readthedocs.io/en/latest/"
html_static_path = ["_static"]
html_css_files = ["skparaphrase.css"]
html_search_scorer = str(Path(__file__).parent / "_templates/scorer.js")
html_favicon = LOGO
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "text": "skparaphrase" if ".dev" in release else f"skparaphrase {release}",
        "image_light": LOGO,
        "image_dark": LOGO,
    },
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "use_edit_page_button": False,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
if REPOSITORY:
    html_theme_options["icon_links"] = [
        {"name": "Repository", "url": REPOSITORY, "icon": "fa-brands fa-github"}
    ]
if ".dev" in release:
    html_theme_options["announcement"] = (
        f"Documentation of the development version {release}"
    )
html_context: dict[str, str] = {"default_mode": "auto"}
# Read the Docs knows the repository, to whose files the pages link.
if _repository := re.fullmatch(
    r"https://github\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?",
    os.environ.get("READTHEDOCS_GIT_CLONE_URL") or REPOSITORY or "",
):
    html_context |= {
        "github_user": _repository[1],
        "github_repo": _repository[2],
        "github_version": "main",
        "doc_path": "docs",
    }
    html_theme_options["use_edit_page_button"] = True
# Pages without others below them need no list of their section.
html_sidebars = {
    page: []
    for page in (
        "index getting_started reliability contributing releasing changes references"
    ).split()
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

# A single file of MathJax with its fonts, instead of a content delivery network.
if (_offline := find_spec("sphinx-mathjax-offline")) and _offline.origin:
    _mathjax = Path(_offline.origin).parent / "static" / "mathjax" / "tex-svg-full.js"
    html_static_path.append(str(_mathjax))
    mathjax_path = _mathjax.name
mathjax3_config = {"svg": {"fontCache": "global"}}
