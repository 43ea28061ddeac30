"""What `X` and `y` teach: one class for each kind of examples and of targets.

:class:`Examples` are texts and what is known of them. Their kind says how they are read
and split: for encoders a :class:`Lesson`, which :func:`supervise` tells apart by the
shapes of `X` and `y`; a supervised model names its kind of :class:`Targets`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

__all__: list[str] = []  # models choose the kinds

# Modules that other rooms import from; the others serve this room alone.
_SHARED = ("_examples", "_relevance", "_supervise", "_tags", "_targets", "_teacher")
