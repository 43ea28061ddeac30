"""What `X` and `y` teach: one class for each kind of examples and of targets.

:class:`Examples` are texts and what is known of them. Their kind says how they are read
and split: for encoders a :class:`Lesson`, which :func:`supervise` tells apart by the
shapes of `X` and `y`; a supervised model names its kind of :class:`Targets`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.supervision._examples import EncodedExamples as EncodedExamples
from skparaphrase.supervision._examples import Examples as Examples
from skparaphrase.supervision._examples import Lesson as Lesson
from skparaphrase.supervision._relevance import Relevance as Relevance
from skparaphrase.supervision._supervise import KINDS as KINDS
from skparaphrase.supervision._supervise import check_groups as check_groups
from skparaphrase.supervision._supervise import supervise as supervise
from skparaphrase.supervision._tags import TokenTags as TokenTags
from skparaphrase.supervision._tags import check_sentences as check_sentences
from skparaphrase.supervision._tags import check_tags as check_tags
from skparaphrase.supervision._targets import Classes as Classes
from skparaphrase.supervision._targets import LabelSets as LabelSets
from skparaphrase.supervision._targets import Scores as Scores
from skparaphrase.supervision._targets import Targets as Targets
from skparaphrase.supervision._targets import weighted_by_class as weighted_by_class
from skparaphrase.supervision._teacher import check_vectors as check_vectors
from skparaphrase.supervision._teacher import indicator_rows as indicator_rows

__all__: list[str] = []  # models choose the kinds
