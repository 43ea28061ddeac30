"""Information about an installation, for bug reports."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from skparaphrase._core import COMPILED
from skparaphrase._threads import available_threads

_PACKAGES = (
    "skparaphrase",
    "joblib",
    "numpy",
    "safetensors",
    "scikit-learn",
    "scipy",
    "threadpoolctl",
    "torch",
)


def show_versions() -> None:
    """Print information for a bug report: versions, core and number of threads.

    The core looks up words and averages their vectors. It is "compiled", or "plain"
    (Python and NumPy, slower) if no C compiler was found during the installation or the
    environment variable `SKPARAPHRASE_CORE` is "plain".

    Examples
    --------
    >>> import skparaphrase
    >>> skparaphrase.show_versions()
           system: ...
           python: 3...
       executable: ...
             core: ...
          threads: ...
     skparaphrase: ...
    ...
    """
    facts = {
        "system": platform.platform(),
        "python": sys.version.replace("\n", " "),
        "executable": sys.executable,
        "core": "compiled" if COMPILED else "plain",
        "threads": available_threads(),
        **{name: _version(name) for name in _PACKAGES},
    }
    for name, value in facts.items():
        print(f"{name:>13}: {value}")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
