"""Declares the compiled core, which is left out if there is no C++ compiler."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

from setuptools import Extension, setup

# Fused multiply-add rounds differently; debug symbols are larger than the core.
flags = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-g0"]
name = "skparaphrase._core._compiled"
sources = ["skparaphrase/_core/_compiled.pyx"]
core = Extension(name, sources, extra_compile_args=flags, optional=True)
setup(ext_modules=[core])
