"""Search, compare and classify texts by meaning, with scikit-learn.

Encoders map texts to vectors that are close if the texts have similar meanings. They
are scikit-learn estimators and work in pipelines, grid searches and `clone`. A small
English encoder is bundled, and nothing is downloaded. PyTorch is imported only if you
train an encoder or use a network.

>>> import skparaphrase
>>> encoder = skparaphrase.load_pretrained()
>>> encoder.transform(["The cat sleeps.", "A kitten naps."]).shape
(2, 256)
>>> skparaphrase.similarity("The cat sleeps.", "A kitten naps.") > 0.5
True
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skparaphrase._progress import show_progress
from skparaphrase._versions import show_versions
from skparaphrase.storage._models import load

if TYPE_CHECKING:
    from skparaphrase.encoders._adapter import EmbeddingAdapter
    from skparaphrase.encoders._pretrained import load_pretrained, similarity

__version__ = "0.1.0.dev0"

_SUBMODULES = (
    "callback",
    "datasets",
    "decomposition",
    "encoders",
    "inspection",
    "io",
    "losses",
    "metrics",
    "model_selection",
    "networks",
    "optimizers",
    "pairs",
    "search",
    "supervised",
    "text",
    "vectors",
)

_HOMES = {
    "EmbeddingAdapter": "encoders._adapter",
    "load_pretrained": "encoders._pretrained",
    "similarity": "encoders._pretrained",
}

__all__ = [
    "EmbeddingAdapter",
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
    if name in _HOMES:
        return getattr(import_module(f"skparaphrase.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'skparaphrase' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBMODULES])
