"""PyTorch and the room `nn`, imported when something of them is needed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["nn", "torch"]

if TYPE_CHECKING:
    import torch

    from skparaphrase import nn
else:

    class _Lazy:
        """A module that is imported when an attribute is asked for."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._name), name)

    nn, torch = _Lazy("skparaphrase.nn"), _Lazy("torch")
