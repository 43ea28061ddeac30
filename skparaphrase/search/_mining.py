"""Mining of pairs of similar texts, and of triplets with hard negatives."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_scalar
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import Interval, StrOptions, check_int, fit_context
from skparaphrase._estimator import store_parameters
from skparaphrase._math import dot
from skparaphrase._nearest import QUERIES, Matches, Rows, nearest
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Encoder, Indices, Texts
from skparaphrase.search._base import TextComparer, embed, fitted_encoder
from skparaphrase.search._clusters import EXACT, Clusters
from skparaphrase.text import check_pairs
from skparaphrase.text._check import check_single_texts, unique_texts


class ParaphraseMiner(TextComparer):
    """Find the most similar pairs of texts, in one list or across two.

    Texts are compared in blocks, so memory grows linearly with the number of texts and
    pairs.

    Parameters
    ----------
    encoder : transformer, default=None
        As in :class:`SemanticSearch`.
    threshold : float, default=0.7
        Minimum score of a pair: the cosine, unless `lexical` is given.
    k : int, default=100
        Number of nearest texts considered for each text. A pair is kept if one of its
        texts is among the `k` nearest of the other.
    lexical, lexical_weight
        As in :class:`SemanticSearch`.
    algorithm : {"auto", "exact", "clusters"}, default="auto"
        "exact" compares all texts; its time grows with the square of their number.
        "clusters" compares a text only with texts in the nearest clusters of vectors,
        and misses some pairs: for 200,000 sentences, it missed 0.2 % of the pairs with
        a cosine of 0.7 or more. "auto" is "exact" for up to 40,000 texts, or 1.6
        billion pairs of two lists, and "clusters" for more. Up to 1,000 texts are
        always compared exactly.

    Attributes
    ----------
    encoder_ : transformer
        The fitted encoder.
    lexical_ : vectorizer or None
        The fitted `lexical`.

    See Also
    --------
    NearDuplicates : Groups of near-duplicate texts.

    Examples
    --------
    >>> from skparaphrase.search import ParaphraseMiner
    >>> texts = ["A cat sleeps.", "Buy now!", "The cat is asleep.", "It rains."]
    >>> pairs = ParaphraseMiner().fit(texts).mine(texts)
    >>> pairs.row
    array([[0, 2]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TextComparer._parameter_constraints,
        "threshold": [Interval(Real, -1, 1, closed="both")],
        "k": [Interval(Integral, 1, None, closed="left")],
        "algorithm": [StrOptions({*EXACT})],
    }

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        threshold: float = 0.7,
        k: int = 100,
        lexical: Any = None,
        lexical_weight: float = 0.5,
        algorithm: str = "auto",
    ) -> None:
        store_parameters(self, locals())

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Texts, y: object = None) -> Self:
        """Fit the encoder and the vectorizer of words, unless they are fitted.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,)
        y : ignored

        Returns
        -------
        self : ParaphraseMiner
        """
        self._fit_parts(check_single_texts(X))
        return self

    def mine(self, texts: Texts, others: Texts | None = None) -> Bunch:
        """Find the most similar pairs.

        Parameters
        ----------
        texts : array-like of str of shape (n_texts,)
        others : array-like of str of shape (n_others,), default=None
            The second texts of the pairs. None finds pairs within `texts`, each once.

        Returns
        -------
        pairs : Bunch
            Sorted by decreasing score, then by row, with the fields

            - row : ndarray of int of shape (n_pairs, 2), positions in the lists
            - text : ndarray of shape (n_pairs, 2), dtype object, the pairs of texts
            - score : ndarray of shape (n_pairs,), the cosine; with `lexical`, the
              weighted sum of two cosines
        """
        check_is_fitted(self)
        both = texts = check_single_texts(texts, "texts")
        if others is not None:
            both = np.append(texts, check_single_texts(others, "others"))
        rows = np.arange(len(both))
        asked = rows[: len(texts)]
        known = asked if others is None else rows[len(texts) :]
        is_exact = len(asked) * len(known) <= EXACT[self.algorithm] ** 2
        every = self._rows(both, is_bounded=is_exact)
        clusters = None if is_exact else Clusters(every.vectors, rows)
        matches = [self._k_nearest(every, clusters, asked, known)]
        if others is not None:
            matches.append(self._k_nearest(every, clusters, known, asked))
        first, second, score = map(np.concatenate, zip(*matches, strict=True))
        row = np.sort(np.column_stack([first, second]), axis=1)
        _, places = np.unique(row @ [len(both), 1], return_index=True)
        order = places[np.argsort(-score[places], kind="stable")]
        row = row[order]
        text = both[row]
        row[:, 1] -= len(both) - len(known)
        return Bunch(row=row, text=text, score=score[order])

    def _k_nearest(
        self, every: Rows, clusters: Clusters | None, queries: Indices, others: Indices
    ) -> Matches:
        """The nearest other texts of each query, among all or in its clusters."""
        options: Any = {"k": self.k, "threshold": self.threshold}
        options["weight"] = self._weight
        if clusters is not None:
            return clusters.k_nearest(every, queries, others, **options)
        sides = replace(every, chosen=queries), replace(every, chosen=others)
        query, row, score = nearest(*sides, skip_same=queries is others, **options)
        return queries[query], others[row], score


def mine_hard_negatives(
    pairs: Texts,
    corpus: Texts | None = None,
    *,
    encoder: Encoder | None = None,
    n_negatives: int = 1,
    range_min: int = 0,
    relative_margin: float = 0.05,
) -> NDArray[np.object_]:
    """Make triplets of an anchor, its paraphrase and a hard negative.

    A hard negative is a text of the corpus that is similar to the anchor, but is not
    its paraphrase. Training on triplets separates them. The parameters are named as in
    `sentence_transformers.util.mine_hard_negatives`.

    Parameters
    ----------
    pairs : array-like of str of shape (n_pairs, 2)
        Paraphrases. The first text of each is the anchor.
    corpus : array-like of str of shape (n_texts,), default=None
        The texts to choose from. None takes all texts of `pairs`.
    encoder : transformer, default=None
        Maps texts to vectors. None is :func:`skparaphrase.load_pretrained`. A fitted
        encoder is used unchanged; an unfitted one is cloned and fitted on all texts.
    n_negatives : int, default=1
        Number of negatives per pair; the most similar ones are taken.
    range_min : int, default=0
        Number of the most similar candidates within the margin to skip, because they
        may be paraphrases that are not in `pairs`.
    relative_margin : float, default=0.05
        Margin between the cosines of the paraphrase and the negative, as a share of the
        former. 0.05 is the best value of Moreira et al. (2024), "TopK-PercPos".

    Returns
    -------
    triplets : ndarray of shape (n_triplets, 3), dtype object
        Anchor, paraphrase and negative, in the order of the pairs, and for each pair by
        decreasing cosine. A pair has fewer than `n_negatives` triplets, or none, if the
        corpus has too few candidates within the limits.

    Raises
    ------
    ValueError
        If a parameter is out of range, or if no triplet is found.

    See Also
    --------
    ParaphraseMiner : Finds paraphrase pairs.
    skparaphrase.encoders.ParaphraseEncoder : Learns from triplets.

    Notes
    -----
    Candidates are all texts of the corpus except the anchor and all texts that are
    paired with it anywhere in `pairs`, on either side. The search is exact. Blocks of
    anchors are compared with blocks of the corpus, so memory grows linearly with the
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
    >>> for triplet in mine_hard_negatives(pairs, relative_margin=0.2):
    ...     print(triplet[0], "/", triplet[2])
    How do I freeze soup? / Can I block my account?
    How do I freeze my account? / Can soup be frozen?
    """
    n_negatives = check_int(n_negatives, "n_negatives")
    range_min = check_int(range_min, "range_min", 0)
    check_scalar(relative_margin, "relative_margin", Real, min_val=0, max_val=2)

    pairs = check_pairs(pairs)
    texts = pairs.ravel()
    if corpus is not None:
        texts = np.concatenate([texts, check_single_texts(corpus, "corpus")])
    distinct, indices = unique_texts(texts)
    anchors, partners = indices[: pairs.size].reshape(-1, 2).T
    candidates = np.unique(indices if corpus is None else indices[pairs.size :])
    excluded, n_excluded = _paired_texts(anchors, partners, len(distinct))

    texts = np.array(distinct, dtype=object)
    vectors = embed(fitted_encoder(encoder, texts), texts)
    rows = vectors if len(candidates) == len(vectors) else vectors[candidates]
    chosen = []
    with progress_bar(len(pairs), "Mining", "pair") as update:
        for start in range(0, len(pairs), QUERIES):
            block = slice(start, start + QUERIES)
            anchor, partner = anchors[block], partners[block]
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
            kept = (rank >= range_min) & (rank < range_min + n_negatives)
            chosen.append(np.column_stack([pair[kept] + start, negative[kept]]))
            update(len(anchor))
    pair, negative = np.concatenate(chosen or [np.empty((0, 2), np.intp)]).T
    if not len(pair):
        raise ValueError(
            f"None of {len(candidates)} texts is a hard negative for any of "
            f"{len(pairs)} pairs: all are paraphrases or too similar. Pass a larger "
            "corpus, or lower relative_margin."
        )
    return np.column_stack([pairs[pair], texts[negative]])


def _paired_texts(
    anchors: Indices, partners: Indices, n_texts: int
) -> tuple[Indices, int]:
    """Sorted keys of texts that are paired or equal, and their maximum per text."""
    same = np.arange(n_texts)
    first = np.concatenate([anchors, partners, same])
    keys = np.unique(first * n_texts + np.concatenate([partners, anchors, same]))
    return keys, int(np.bincount(keys // n_texts).max(initial=0))


def _contains(keys: Indices, values: Indices) -> NDArray[np.bool_]:
    """Mask of the values that are among sorted keys; there must be at least one key.

    This is much faster than `np.isin`, which would sort them for every block.
    """
    places = np.minimum(np.searchsorted(keys, values), len(keys) - 1)
    return keys[places] == values
