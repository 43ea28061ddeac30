"""What `X` and `y` teach: one class for each kind of examples and of targets.

Encoders learn from kinds of :class:`~skparaphrase.supervision._examples.Examples`,
which :func:`supervise` tells apart by the shapes of `X` and `y`. A supervised model
names its kind of :class:`~skparaphrase.supervision._targets.Targets`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.supervision._classes import Classes as Classes
from skparaphrase.supervision._classes import TokenTags as TokenTags
from skparaphrase.supervision._classes import check_sentences as check_sentences
from skparaphrase.supervision._classes import check_tags as check_tags
from skparaphrase.supervision._examples import Arranged as Arranged
from skparaphrase.supervision._examples import Examples as Examples
from skparaphrase.supervision._label_sets import LabelSets as LabelSets
from skparaphrase.supervision._relevance import Relevance as Relevance
from skparaphrase.supervision._scores import Scores as Scores
from skparaphrase.supervision._supervise import KINDS as KINDS
from skparaphrase.supervision._supervise import supervise as supervise
from skparaphrase.supervision._targets import Samples as Samples
from skparaphrase.supervision._targets import Targets as Targets
from skparaphrase.supervision._teacher import check_vectors as check_vectors
from skparaphrase.supervision._teacher import indicator_rows as indicator_rows

__all__: list[str] = []  # models choose the kinds
