"""Training examples: one class for each kind of examples and of targets.

:class:`Examples` are texts with targets and weights. Their kind determines how they are
read and split. For encoders, it is a :class:`Lesson`, which :func:`supervise` selects
by the shapes of `X` and `y`. A supervised model defines its kind of :class:`Targets`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

__all__: list[str] = []  # models choose the kinds

# Modules that other packages import from; the others are private to this one.
_SHARED = ("_examples", "_relevance", "_supervise", "_tags", "_targets", "_teacher")
