"""The compiled core; an install without a C compiler goes without it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

from setuptools import Extension, setup

# Equal to the plain version to the bit: no sum is fused with a product.
flags = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-g0"]
name = "skparaphrase._core._compiled"
sources = ["skparaphrase/_core/_compiled.pyx"]
core = Extension(name, sources, extra_compile_args=flags, optional=True)
setup(ext_modules=[core])
