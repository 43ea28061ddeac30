"""Paraphrastic sentence embeddings for scikit-learn."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skparaphrase._progress import show_progress
from skparaphrase._versions import show_versions
from skparaphrase.storage import load

if TYPE_CHECKING:
    from skparaphrase.encoders import Embedder, load_pretrained, similarity

__version__ = "0.1.0.dev0"

_SUBMODULES = (
    "callback",
    "datasets",
    "decomposition",
    "encoders",
    "inspection",
    "losses",
    "metrics",
    "model_selection",
    "networks",
    "optimizers",
    "pairs",
    "search",
    "streams",
    "supervised",
    "text",
    "training",
    "vectors",
)

_OF_ENCODERS = ("Embedder", "load_pretrained", "similarity")

__all__ = [
    "Embedder",
    "__version__",
    "load",
    "load_pretrained",
    "show_progress",
    "show_versions",
    "similarity",
]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"skparaphrase.{name}")
    if name in _OF_ENCODERS:
        return getattr(import_module("skparaphrase.encoders"), name)
    raise AttributeError(f"module 'skparaphrase' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBMODULES])
