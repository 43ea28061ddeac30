"""Examples that belong to questions: what can be learnt from them, how they part."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit

from skparaphrase.metrics._ranking import (
    check_relevance,
    query_codes,
    split_queries,
)
from skparaphrase.supervised._examples import Examples


def check_answers(y: Any) -> NDArray[np.intp]:
    """Relevance of 0 and 1, (n_samples,), or with numbers of questions beside it."""
    relevance, queries = split_queries(y)
    targets = check_relevance(relevance).astype(np.intp)
    if queries is None:
        return targets
    return np.column_stack([targets, query_codes(queries)])


def with_questions(examples: Examples) -> Examples:
    """Targets of shape (n_samples, 2): without a column, texts tell the question."""
    targets = examples.targets
    if targets.ndim == 1:
        questions = query_codes(examples.texts[:, 0])
        targets = np.column_stack([targets, questions])
    return Examples(examples.texts, targets, examples.weights)


def split_by_question(
    examples: Examples, fraction: float, random_state: np.random.RandomState
) -> tuple[Examples, Examples]:
    """Examples to train on, and all those of a random share of the questions."""
    questions = examples.targets[:, 1]
    if len(np.unique(questions)) < 2:
        raise ValueError(
            "validation_fraction sets whole questions aside, but there is one question "
            "only: give X_val and y_val, or None."
        )
    splitter = GroupShuffleSplit(1, test_size=fraction, random_state=random_state)
    ((train, held),) = splitter.split(questions, groups=questions)
    return examples.take(np.sort(train)), examples.take(np.sort(held))


def check_both_kinds(examples: Examples) -> None:
    """Raise unless there are right and wrong answers to train on."""
    relevance = examples.targets[:, 0]
    if len(np.unique(relevance)) < 2:
        raise ValueError(
            "PairwiseInteractionRanker needs right and wrong answers to learn "
            f"from; all {len(relevance)} are {'right' if relevance[0] else 'wrong'}."
        )


def check_some_right(validation: Examples) -> None:
    """Raise where every epoch would score 0, and none be better than another."""
    if not validation.targets[:, 0].any():
        raise ValueError(
            f"None of the {len(validation)} answers of validation is right: there is "
            "no reciprocal rank to select an epoch by."
        )
