"""Groups of texts that say the same."""

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
from skparaphrase.search._base import EncoderUser, check_single_texts
from skparaphrase.search._nearest import QUERIES, best, larger
from skparaphrase.text import numbered_texts

# "600D" is read as 600, with its unit or not; "P2419H" is read as a whole.
_NUMBERS = re.compile(r"[^\W\d_]+\d[^\W_]*|\d+")


class NearDuplicates(ClusterMixin, EncoderUser):
    """Group texts that say the same, and choose one of each group.

    The first text represents a group. Every later text joins the most similar
    representative before it if their cosine is at least `threshold` and the `guard`
    agrees; otherwise it represents a new group. So every text is similar to its
    representative, which it need not be where groups grow by chains of similar texts.
    Equal texts are always in one group.

    Parameters
    ----------
    encoder : transformer, default=None
        As in :class:`SemanticSearch`.
    threshold : float, default=0.8
        The smallest cosine of a text with the representative of its group. Best chosen
        on some texts whose groups are known: it depends on the texts and the encoder.
    guard : {"numbers"}, callable or None, default="numbers"
        What two texts must share besides, because vectors are nearly equal for "500 GB
        drive" and "750 GB drive". "numbers": the same numbers ("500GB" and "500 GB" are
        equal) and the same words that hold a digit ("P2419H"). A callable takes two
        texts and returns whether they may be in one group. None: nothing.

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
    Only representatives are compared with the texts after them, in blocks of bounded
    memory: time grows with the number of texts times the number of groups.

    Examples
    --------
    >>> from skparaphrase.search import NearDuplicates
    >>> texts = ["Reset my password", "Red bike", "How can I reset my password?"]
    >>> NearDuplicates(threshold=0.7).fit_predict(texts)
    array([0, 1, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": [HasMethods(["fit", "transform"]), None],
        "threshold": [Interval(Real, -1, 1, closed="both")],
        "guard": [StrOptions({"numbers"}), callable, None],
    }

    def __init__(
        self,
        encoder: Any = None,
        *,
        threshold: float = 0.8,
        guard: str | Callable[[str, str], bool] | None = "numbers",
    ) -> None:
        self.encoder = encoder
        self.threshold = threshold
        self.guard = guard

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
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
        _, numbers = numbered_texts(texts)
        _, first = np.unique(numbers, return_index=True)  # of equal texts
        leaders = self._leaders(texts[first], self._embed(texts[first]))
        representatives, labels = np.unique(leaders, return_inverse=True)
        self.representative_indices_ = first[representatives]
        self.labels_ = labels[numbers]
        return self

    def _leaders(
        self, texts: NDArray[np.object_], vectors: NDArray[np.float32]
    ) -> NDArray[np.intp]:
        """The row of the representative of each text."""
        agree = self._agree(texts)
        floor = np.nextafter(np.float32(self.threshold), np.float32(-np.inf))
        leaders = np.arange(len(texts))
        representatives: list[int] = []
        rows = np.empty_like(vectors)  # of representatives, then of a block
        for first in range(0, len(texts), QUERIES):
            block = vectors[first : first + QUERIES]
            n_known, stop = len(representatives), first + len(block)
            rows[n_known : n_known + len(block)] = block
            least = np.full((len(block), 1), floor)
            found = larger(block, rows[: n_known + len(block)], least)
            query, row, _ = best(list(found))
            others = np.array([*representatives, *range(first, stop)])[row].tolist()
            ends = np.searchsorted(query, np.arange(len(block) + 1)).tolist()
            for i in range(len(block)):
                text = first + i
                for other in others[ends[i] : ends[i + 1]]:
                    is_before = other < text and leaders[other] == other
                    if is_before and agree(other, text):
                        leaders[text] = other
                        break
                else:
                    rows[len(representatives)] = block[i]
                    representatives.append(text)
        return leaders

    def _agree(self, texts: NDArray[np.object_]) -> Callable[[int, int], bool]:
        """A function that takes two rows and returns whether the guard agrees."""
        guard = self.guard
        if guard is None:
            return lambda first, second: True
        if callable(guard):
            return lambda first, second: guard(texts[first], texts[second])
        numbers = [frozenset(_NUMBERS.findall(text.lower())) for text in texts]
        return lambda first, second: numbers[first] == numbers[second]
