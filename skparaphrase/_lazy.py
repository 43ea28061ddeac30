"""Lazy imports of PyTorch, of the packages that need it, and of extras."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["functional", "import_for", "networks", "torch", "training"]

if TYPE_CHECKING:
    import torch
    from torch.nn import functional

    from skparaphrase import networks, training
else:

    class _Lazy:
        """A module that is imported at the first use of an attribute."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            try:
                value = getattr(import_module(self._name), name)
            except ModuleNotFoundError as error:
                if error.name != "torch":
                    raise
                raise ModuleNotFoundError(
                    "Training and networks need PyTorch: pip install torch, or for the "
                    "small build without GPU: pip install torch --index-url "
                    "https://download.pytorch.org/whl/cpu. Averages of word vectors, "
                    "search and saved averages do not need it.",
                    name="torch",
                ) from error
            setattr(self, name, value)  # look-ups cost microseconds in every step
            return value

    networks, training = _Lazy("skparaphrase.networks"), _Lazy("skparaphrase.training")
    torch, functional = _Lazy("torch"), _Lazy("torch.nn.functional")


def import_for(caller: str, name: str, install: str) -> Any:
    """Import a module that `caller` needs and `pip install` of `install` provides."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0].replace("_", "-")
        message = f"{caller} needs {package}: pip install {install}"
        raise ImportError(message) from error
