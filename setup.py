"""Declares the compiled core, which is left out if there is no C++ compiler."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

from setuptools import Extension, setup

# Fused multiply-add rounds differently. Only square roots that set no error number are
# computed several at a time. Debug symbols are larger than the core.
flags = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-g0"]
if sys.platform == "win32":
    flags = []
name = "skparaphrase._core._compiled"
sources = ["skparaphrase/_core/_compiled.pyx"]
core = Extension(name, sources, extra_compile_args=flags, optional=True)
setup(ext_modules=[core])
