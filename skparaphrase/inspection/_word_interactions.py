"""Word interactions and focus of a pairwise word interaction model."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from itertools import pairwise

import numpy as np
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from skparaphrase._lazy import networks, torch
from skparaphrase._typing import Predictor, Texts
from skparaphrase.inspection._pipelines import flat_steps
from skparaphrase.supervised import PairwiseInteractionRanker
from skparaphrase.supervised._interaction import PairwiseInteraction
from skparaphrase.text import check_pairs, check_texts
from skparaphrase.text._tokenizer import check_tokenizer

_STATES = ("forward", "backward", "sum", "concatenation")
_MEASURES = ("cosine", "negative distance", "dot product")
_CHANNELS = [f"{state} {measure}" for state in _STATES for measure in _MEASURES]
_CHANNELS += ["words"]  # 1 in every cell


def word_interactions(model: Predictor, pair: Texts) -> Bunch:
    """Compare each word of a sentence with each word of another, as a model does.

    See sections 5 and 6 of He & Lin (NAACL 2016).

    Parameters
    ----------
    model : estimator
        A fitted :class:`~skparaphrase.supervised.PairwiseInteractionRegressor` or
        :class:`~skparaphrase.supervised.PairwiseInteractionRanker`, or a pipeline or
        search that ends in one. Earlier steps of a pipeline transform the pair.
    pair : array-like of str of shape (2,)

    Returns
    -------
    interactions : Bunch
        - `words1`, `words2`: lists of the words that the model compares, up to its
          `max_words`. A word without a vector is left out, or appears as the table's
          unknown word if it has one.
        - `cube`: float64 of shape (13, n_words1, n_words2), before the focus.
        - `channels`: names of its 13 planes. Distances are negated, as in the paper's
          code; "words" is 1 everywhere.
        - `focus`: bool of shape (n_words1, n_words2), the cells that the focus layer
          selects, or would select if the model had one.
        - `weights`: float64 of shape (13, n_words1, n_words2), the factors 1 or 0.1 of
          the cells; 1 without a focus layer.
        - `score`: float, `predict` of a regressor or `decision_function` of a ranker.

    Raises
    ------
    TypeError, NotFittedError
        If `model` is or ends in another estimator, or is not fitted.
    ValueError
        If `pair` is not two sentences, or one of them has no words.

    Examples
    --------
    >>> from skparaphrase.datasets import load_graded_pairs
    >>> from skparaphrase.inspection import word_interactions
    >>> from skparaphrase.supervised import PairwiseInteractionRegressor
    >>> pairs, scores = load_graded_pairs(return_X_y=True)
    >>> model = PairwiseInteractionRegressor(hidden_dim=50, max_epochs=1)
    >>> model = model.fit(pairs[:8], scores[:8])
    >>> interactions = word_interactions(model, ("Cats sleep", "A cat sleeps"))
    >>> interactions.words2, interactions.cube.shape
    (['a', 'cat', 'sleeps'], (13, 2, 3))
    """
    *steps, last = flat_steps(model)
    if not isinstance(last, PairwiseInteraction):
        raise TypeError(
            "Expected a PairwiseInteractionRegressor or PairwiseInteractionRanker, or "
            f"a pipeline or search that ends in one; got {type(last).__name__}."
        )
    texts = check_texts(pair)
    if texts.shape != (2,):
        raise ValueError(f"Expected one pair of sentences; got shape {texts.shape}.")
    check_is_fitted(last)
    pairs = texts.reshape(1, 2)
    for step in steps:
        pairs = step.transform(pairs)
    pairs = check_pairs(pairs)
    interactions = _compare(last, pairs[0].tolist())
    ranks = isinstance(last, PairwiseInteractionRanker)
    score = last.decision_function(pairs) if ranks else last.predict(pairs)
    interactions.score = float(score[0])
    return interactions


def _compare(model: PairwiseInteraction, texts: list[str]) -> Bunch:
    """Words of two sentences, and the cube, focus and weights of their cells."""
    batch, matrix = model._look_up(texts, *model._table())
    words = _words(model, texts)
    for side, text in enumerate(texts):
        if not words[side]:
            name = f"Sentence {side + 1} of the pair, {text!r}"
            raise ValueError(f"{name}, has no words that the model knows.")
    network = model._fitted_network()
    with torch.inference_mode():
        states = network.states(
            torch.from_numpy(matrix),
            torch.from_numpy(batch.ids.astype(np.int64)),
            batch.offsets,
        )
        cube = network.cube(states, batch.offsets, np.array([[0, 1]]))
        selected = networks.focus_mask(cube, network.focus)
    weights = np.ones(cube.shape[1:])
    if network.focus in {"matching", "paper"}:
        weights = networks.focus_weights(selected, network.focus)[0].double().numpy()
    return Bunch(
        words1=words[0],
        words2=words[1],
        cube=cube[0].numpy(),
        channels=list(_CHANNELS),
        focus=selected[0].numpy(),
        weights=weights,
    )


def _words(model: PairwiseInteraction, texts: list[str]) -> list[list[str]]:
    """The words of each text that a model compares."""
    table, _ = model._table()
    batch, new_words = table.encode_with_new_words(
        texts, check_tokenizer(model.tokenizer)
    )
    words = [new_words[-1 - i] if i < 0 else table.words[i] for i in batch.ids.tolist()]
    return [
        words[start : min(stop, start + model.max_words)]
        for start, stop in pairwise(batch.offsets.tolist())
    ]
