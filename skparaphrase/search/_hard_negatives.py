"""Texts that are similar to the anchor of a pair, but not its paraphrases."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from skparaphrase._math import dot
from skparaphrase._nearest import QUERIES, nearest
from skparaphrase.search._mining import ParaphraseMiner
from skparaphrase.text import unique_texts
from skparaphrase.text._check import check_pairs, check_single_texts


def mine_hard_negatives(
    encoder: Any,
    pairs: Any,
    corpus: Any = None,
    *,
    n_negatives: int = 1,
    range_min: int = 0,
    relative_margin: float = 0.05,
) -> NDArray[np.object_]:
    """Make triplets of an anchor, its paraphrase and a hard negative.

    A hard negative is a text of the corpus that is similar to the anchor without being
    its paraphrase. Training on triplets separates them. The parameters are those of
    `sentence_transformers.util.mine_hard_negatives`.

    Parameters
    ----------
    encoder : transformer or None
        Maps texts to vectors. None is :func:`skparaphrase.load_pretrained`. A fitted
        encoder is used as it is; an unfitted one is cloned and fitted on all texts.
    pairs : array-like of str of shape (n_pairs, 2)
        Paraphrases. The first text of each is the anchor.
    corpus : array-like of str of shape (n_texts,), default=None
        The texts to choose from. None takes all texts of `pairs`.
    n_negatives : int, default=1
        Number of negatives for each pair, the most similar ones.
    range_min : int, default=0
        Skip so many of the most similar candidates, which may be paraphrases that are
        not in `pairs`.
    relative_margin : float, default=0.05
        The negative's cosine is smaller than the paraphrase's by at least this share of
        it. 0.05 is the best value of Moreira et al. (2024), "TopK-PercPos".

    Returns
    -------
    triplets : ndarray of shape (n_triplets, 3), dtype object
        Anchor, paraphrase and negative, in the order of the pairs, and for each pair by
        falling cosine. A pair has fewer than `n_negatives` triplets, or none, if the
        corpus has too few candidates within the limits.

    Raises
    ------
    ValueError
        If a parameter is out of range, or if there is no triplet at all.

    See Also
    --------
    ParaphraseMiner : Finds the pairs themselves.
    skparaphrase.encoders.ParagramEncoder : Learns from triplets.

    Notes
    -----
    Candidates are all texts of the corpus except the anchor and all texts that are
    paired with it anywhere in `pairs`, on either side. The search is exact. It compares
    blocks of anchors with blocks of the corpus, so that memory grows only with the
    number of texts.

    References
    ----------
    G. Moreira, R. Osmulski, M. Xu, R. Ak, B. Schifferer, E. Oldridge, "NV-Retriever:
    Improving text embedding models with effective hard-negative mining", 2024.

    Examples
    --------
    >>> from skparaphrase.search import mine_hard_negatives
    >>> pairs = [
    ...     ("How do I freeze soup?", "Can soup be frozen?"),
    ...     ("How do I freeze my account?", "Can I block my account?"),
    ... ]
    >>> for triplet in mine_hard_negatives(None, pairs, relative_margin=0.2):
    ...     print(triplet[0], "/", triplet[2])
    How do I freeze soup? / Can I block my account?
    How do I freeze my account? / Can soup be frozen?
    """
    check_scalar(n_negatives, "n_negatives", Integral, min_val=1)
    check_scalar(range_min, "range_min", Integral, min_val=0)
    check_scalar(relative_margin, "relative_margin", Real, min_val=0, max_val=2)

    pairs = check_pairs(pairs)
    texts = pairs.ravel()
    if corpus is not None:
        texts = np.concatenate([texts, check_single_texts(corpus, "corpus")])
    distinct, indices = unique_texts(texts)
    anchors, partners = indices[: pairs.size].reshape(-1, 2).T
    candidates = np.unique(indices if corpus is None else indices[pairs.size :])
    excluded, n_excluded = _known_pairs(anchors, partners, len(distinct))

    miner = ParaphraseMiner(encoder).fit(distinct)
    vectors = miner._embed(np.array(distinct, dtype=object))
    rows = vectors if len(candidates) == len(vectors) else vectors[candidates]
    found = []
    for start in range(0, len(pairs), QUERIES):
        anchor, partner = (ids[start : start + QUERIES] for ids in (anchors, partners))
        score = dot(vectors[anchor], vectors[partner])
        pair, row, _ = nearest(
            vectors[anchor],
            rows,
            range_min + n_negatives + n_excluded,
            at_most=score - relative_margin * np.abs(score),
        )
        negative = candidates[row]
        new = ~_contains(excluded, anchor[pair] * len(distinct) + negative)
        pair, negative = pair[new], negative[new]
        rank = np.arange(len(pair)) - np.searchsorted(pair, pair)
        chosen = (rank >= range_min) & (rank < range_min + n_negatives)
        found.append(np.column_stack([pair[chosen] + start, negative[chosen]]))
    pair, negative = np.concatenate(found or [np.empty((0, 2), np.intp)]).T
    if not len(pair):
        raise ValueError(
            f"None of {len(candidates)} texts is a hard negative of any of "
            f"{len(pairs)} pairs: each is a paraphrase, or too similar. Pass a larger "
            "corpus, or lower relative_margin."
        )
    return np.column_stack([pairs[pair], np.array(distinct, dtype=object)[negative]])


def _known_pairs(
    anchors: NDArray[np.intp], partners: NDArray[np.intp], n_texts: int
) -> tuple[NDArray[np.intp], int]:
    """Pairs that are no negatives, as sorted numbers, and the most of any text."""
    own = np.arange(n_texts)
    first = np.concatenate([anchors, partners, own])
    known = np.unique(first * n_texts + np.concatenate([partners, anchors, own]))
    return known, int(np.bincount(known // n_texts).max(initial=0))


def _contains(known: NDArray[np.intp], values: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether values are among the sorted known ones, of which there is at least one.

    Much faster than `np.isin`, which would sort them for every block.
    """
    places = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return known[places] == values
