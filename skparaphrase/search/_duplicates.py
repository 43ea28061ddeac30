"""Groups of texts that mean the same."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin

from skparaphrase._compat import HasMethods, Interval, StrOptions, fit_context
from skparaphrase._math import QUERIES, UnitVectors, best, floor, larger
from skparaphrase._typing import Encoder, Indices, Texts
from skparaphrase.search._base import EncoderUser
from skparaphrase.text import check_single_texts, unique_texts

# "600D" is read as 600, with its unit or not; "P2419H" and "10/12" as a whole.
# Only from the beginning of letters: time would grow with the square of their number.
_NUMBERS = re.compile(r"(?<![^\W\d_])[^\W\d_]+\d[^\W_]*|\d+(?:[.,:/]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


class NearDuplicates(ClusterMixin, EncoderUser):
    """Group texts that mean the same, and choose a representative of each group.

    The first text represents a group. Every later text joins the most similar
    representative before it if their cosine is at least `threshold` and they agree in
    `must_agree`; otherwise it represents a new group. So every text is similar to its
    representative, unlike in single-linkage clustering. Equal texts are always in one
    group.

    Parameters
    ----------
    encoder : transformer, default=None
        As in :class:`SemanticSearch`.
    threshold : float, default=0.8
        Smallest cosine of a text with the representative of its group. It depends on
        the texts and the encoder; choose it on texts whose groups are known.
    must_agree : {"numbers"}, callable or None, default="numbers"
        Extra condition for grouping two texts, because "500 GB drive" and "750 GB
        drive" have nearly equal vectors. "numbers": the texts contain the same numbers
        ("500GB" and "500 GB" are equal) and the same words with a digit ("P2419H"), in
        any order. A callable takes two texts and returns whether they may be grouped.

    Attributes
    ----------
    encoder_ : transformer
        The fitted encoder.
    labels_ : ndarray of int of shape (n_texts,)
        The group of each text, numbered in order of appearance.
    representative_indices_ : ndarray of int of shape (n_groups,)
        The first text of each group: `texts[representative_indices_]` are the texts
        without near duplicates.

    See Also
    --------
    ParaphraseMiner : Pairs rather than groups.

    Notes
    -----
    Only representatives are compared with the texts after them, in blocks: time grows
    with the number of texts times the number of groups. A callable
    `must_agree` is called for each representative above the threshold until it accepts
    one.

    Examples
    --------
    >>> from skparaphrase.search import NearDuplicates
    >>> texts = ["Reset my password", "Red bike", "How can I reset my password?"]
    >>> NearDuplicates(threshold=0.7).fit_predict(texts)
    array([0, 1, 0])
    """

    labels_: Indices
    representative_indices_: Indices

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": [HasMethods(["fit", "transform"]), None],
        "threshold": [Interval(Real, -1, 1, closed="both")],
        "must_agree": [StrOptions({"numbers"}), callable, None],
    }

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        threshold: float = 0.8,
        must_agree: str | Callable[[str, str], bool] | None = "numbers",
    ) -> None:
        self.encoder = encoder
        self.threshold = threshold
        self.must_agree = must_agree

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Texts, y: object = None) -> Self:
        """Group the texts.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,)
        y : ignored

        Returns
        -------
        self : NearDuplicates
        """
        texts = check_single_texts(X)
        self._fit_encoder(texts)
        _, indices = unique_texts(texts)
        _, first = np.unique(indices, return_index=True)  # of equal texts
        leaders = self._leaders(texts[first], self._embed(texts[first]))
        representatives, labels = np.unique(leaders, return_inverse=True)
        self.representative_indices_ = first[representatives]
        self.labels_ = labels[indices]
        return self

    def _leaders(self, texts: NDArray[np.object_], vectors: UnitVectors) -> Indices:
        """The row of the representative of each text."""
        keys = np.zeros(len(texts), np.intp)
        if self.must_agree == "numbers":
            keys = _number_keys(texts)
        agree = self.must_agree if callable(self.must_agree) else lambda *texts: True
        leaders = np.arange(len(texts))
        representatives: list[int] = []
        rows = np.empty_like(vectors)  # of representatives, then of a block
        for first in range(0, len(texts), QUERIES):
            block = vectors[first : first + QUERIES]
            start, stop = len(representatives), first + len(block)
            rows[start : start + len(block)] = block
            least = np.full((len(block), 1), floor(self.threshold))
            candidates = np.array([*representatives, *range(first, stop)])
            matches = []
            for query, row, cosine in larger(block, rows[: len(candidates)], least):
                asked, other = first + query, candidates[row]
                keep = (other < asked) & (keys[other] == keys[asked])
                matches.append((query[keep], row[keep], cosine[keep]))
            query, row, _ = best(matches)
            others = candidates[row].tolist()
            ends = np.searchsorted(query, np.arange(len(block) + 1)).tolist()
            for i in range(len(block)):
                text = first + i
                for other in others[ends[i] : ends[i + 1]]:
                    if leaders[other] == other and agree(texts[other], texts[text]):
                        leaders[text] = other
                        break
                else:
                    rows[len(representatives)] = block[i]
                    representatives.append(text)
        return leaders


def _number_keys(texts: NDArray[np.object_]) -> Indices:
    """Equal keys for texts with the same set of numbers."""
    keys = np.empty(len(texts), dtype=object)
    for i, text in enumerate(texts):
        keys[i] = frozenset(_NUMBERS.findall(_THOUSANDS.sub("", text.lower())))
    return unique_texts(keys)[1]
