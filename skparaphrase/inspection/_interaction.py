"""The words that a model of pairwise word interaction compares, and its focus."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from skparaphrase.inspection._estimators import unwrap
from skparaphrase.interaction import PairwiseInteractionRanker
from skparaphrase.interaction._base import PairwiseInteraction
from skparaphrase.text import check_pairs, check_texts

_STATES = ("forward", "backward", "sum", "concatenation")
_MEASURES = ("cosine", "negative distance", "dot product")
_CHANNELS = [f"{state} {measure}" for state in _STATES for measure in _MEASURES]
_CHANNELS += ["words"]  # 1 in every cell


def word_interactions(model: Any, pair: Any) -> Bunch:
    """How each word of a sentence compares with each of another.

    Parameters
    ----------
    model : estimator
        A fitted :class:`~skparaphrase.interaction.PairwiseInteractionRegressor` or
        :class:`~skparaphrase.interaction.PairwiseInteractionRanker`, or a pipeline or
        search that ends in one. The steps before it transform the pair.

    pair : array-like of str of shape (2,)
        Two sentences.

    Returns
    -------
    interactions : Bunch
        - `words1`, `words2`: lists of str, the words that the model compares: as its
          tokenizer has them, no more than its `limit`, and without those for which it
          has no vector with `unknown_range=None`. Where its table has a vector for
          unknown words, that one's name stands for them.
        - `cube`: float64 of shape (13, n_words1, n_words2), before the focus.
        - `channels`: the names of its 13 planes. Distances are negative, the paper's
          code has them so; "words" is 1 everywhere.
        - `focus`: bool of shape (n_words1, n_words2), the cells that the focus layer
          picks. Of a model without that layer, those that it would pick.
        - `weights`: float64 of shape (n_words1, n_words2), what the cells of all planes
          are multiplied by, 1 or 0.1. Of a model without the layer, 1.
        - `score`: float, what the model makes of the pair: `predict` of a regressor,
          `decision_function` of a ranker.

    Raises
    ------
    TypeError
        If `model` is or ends in something else.
    NotFittedError
        If it is not fitted.
    ValueError
        If `pair` is not two sentences, or one of them has no words.

    References
    ----------
    H. He, J. Lin, "Pairwise Word Interaction Modeling with Deep Neural Networks for
    Semantic Similarity Measurement", NAACL 2016, sections 4 and 5.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.inspection import word_interactions
    >>> from skparaphrase.interaction import PairwiseInteractionRegressor
    >>> pairs, scores = load_similarity(return_X_y=True)
    >>> model = PairwiseInteractionRegressor(hidden_dim=50, max_epochs=1)
    >>> model.fit(pairs[:8], scores[:8])
    PairwiseInteractionRegressor(...)
    >>> found = word_interactions(model, ("Cats sleep", "A cat sleeps"))
    >>> found.words2, found.cube.shape, int(found.focus.sum()) >= 2
    (['a', 'cat', 'sleeps'], (13, 2, 3), True)
    """
    found, before = _find_model(model)
    texts = check_texts(pair)
    if texts.shape != (2,):
        raise ValueError(
            "Expected one pair, (sentence1, sentence2); got texts of shape "
            f"{texts.shape}."
        )
    check_is_fitted(found)
    pairs = texts.reshape(1, 2)
    for step in before:
        pairs = step.transform(pairs)
    pairs = check_pairs(pairs)
    words, cube, focus, weights = _compare(found, pairs[0].tolist())
    ranks = isinstance(found, PairwiseInteractionRanker)
    score = found.decision_function(pairs) if ranks else found.predict(pairs)
    return Bunch(
        words1=words[0],
        words2=words[1],
        cube=cube,
        channels=list(_CHANNELS),
        focus=focus,
        weights=weights,
        score=float(score[0]),
    )


def _find_model(estimator: Any) -> tuple[Any, list[Any]]:
    """The model at the end of an estimator, and the pipelines before it."""
    found = unwrap(estimator)
    before = []
    while isinstance(found, Pipeline):
        if len(found.steps) > 1:
            before.append(found[:-1])
        found = unwrap(found.steps[-1][1])
    if not isinstance(found, PairwiseInteraction):
        raise TypeError(
            "Expected a PairwiseInteractionRegressor or PairwiseInteractionRanker, or "
            f"a pipeline or search that ends in one; got {type(found).__name__}."
        )
    return found, before


def _compare(
    model: Any, texts: list[str]
) -> tuple[list[list[str]], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Words of two sentences, and cube, focus and weights of their cells."""
    import torch

    from skparaphrase.nn._cube import focus_mask, focus_weights

    found = model._find_words(texts)
    offsets = found.texts.offsets
    words = []
    for side, start, stop in zip((0, 1), offsets, offsets[1:], strict=False):
        if start == stop:
            raise ValueError(
                f"Sentence {side + 1} of the pair, {texts[side]!r}, has no words that "
                "the model knows: there is nothing to compare."
            )
        ids = found.texts.ids[start : min(stop, start + model.limit)]
        words.append([found.words[i] for i in ids.tolist()])
    network = model._fitted_network()
    with torch.inference_mode():
        states = network.states(
            torch.from_numpy(found.vectors),
            torch.from_numpy(found.texts.ids.astype(np.int64)),
            offsets,
        )
        cube = network.cube(states, offsets, np.array([[0, 1]]))
        picked = focus_mask(cube)[0]
    if network.focus == "matching":
        weights = focus_weights(picked).double().numpy()
    else:
        weights = np.ones(picked.shape)
    return words, cube[0].numpy(), picked.numpy(), weights
