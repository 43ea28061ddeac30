"""Smooth inverse frequency."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import Interval, StrOptions, fit_context
from skparaphrase._estimator import PaperSettings, Settings, store_parameters
from skparaphrase.encoders._average import (
    AveragingEncoder,
    fit_blocks,
    warn_of_ignored_vectors,
)
from skparaphrase.encoders._base import check_word_vectors
from skparaphrase.vectors import WordFrequencies, WordVectors
from skparaphrase.vectors._weighting import (
    sif_weights,
    warn_if_weighted,
    word_probabilities,
)


class SIFEncoder(PaperSettings, AveragingEncoder):
    r"""Average of word vectors with smooth inverse frequency (SIF) weights.

    Lines 1 to 3 of algorithm 1 of Arora et al. (2017): the vector of text `s` is
    :math:`\frac{1}{|s|} \sum_{w \in s} \frac{a}{a + p(w)} v_w`. The remaining lines,
    the removal of the first principal component, are
    :class:`~skparaphrase.decomposition.CommonComponentRemoval`.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None uses :func:`skparaphrase.datasets.load_word_vectors`.
    pooling : {"mean", "distinct"}, default="mean"
        As in :class:`AverageEncoder`, of the weighted vectors.
    a : float, default=1e-3
        A word with probability `a` has weight 1/2. Best between 1e-4 and 1e-3 (figure 2
        of the paper). A very large `a` gives the plain average.
    frequencies : WordFrequencies, mapping of str to int, or "corpus", default=None
        Word counts. Words without a count have weight 1; `fit` warns if these include
        all punctuation. None uses the bundled counts of English Wikipedia
        (:func:`skparaphrase.datasets.load_word_frequencies`), and "corpus" those of the
        known words in the texts given to `fit`.
    weights : callable or mapping of str to float, default=None
        Weights that replace a / (a + p(w)): a function of p(w), an array of shape
        (n_words,), or a mapping; words missing from it have weight 1.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words; None is :class:`~skparaphrase.text.WordTokenizer` with
        its defaults.

    Attributes
    ----------
    weights_ : ndarray of shape (n_words,)
        Weight of each word of the table; in (0, 1] without `weights`.

    See Also
    --------
    skparaphrase.decomposition.CommonComponentRemoval : The next step of the paper.
    skparaphrase.vectors.WordVectors.weighted : The same weights, as part of the table.

    Notes
    -----
    Settings of :meth:`paper`: "sts" (tables 1, 4 and 5, the defaults), "sick" and "sst"
    (table 2, features of the models in :mod:`skparaphrase.supervised`).

    References
    ----------
    S. Arora, Y. Liang, T. Ma, "A Simple but Tough-to-Beat Baseline for Sentence
    Embeddings", ICLR 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from skparaphrase.decomposition import CommonComponentRemoval
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.pairs import PairSimilarity
    >>> pairs = [("A cat sleeps.", "A cat is asleep."), ("It rained.", "Buy bread!")]
    >>> pipe = make_pipeline(SIFEncoder(), CommonComponentRemoval(), PairSimilarity())
    >>> first, second = pipe.fit(pairs).predict(pairs)
    >>> bool(first > second)
    True

    The subsampling of word2vec, which the paper compares with its weights:

    >>> def subsampling(p):
    ...     return np.sqrt(np.minimum(1, 1e-5 / np.maximum(p, 1e-9)))
    >>> SIFEncoder(weights=subsampling).fit_transform(["A cat sleeps."]).shape
    (1, 128)
    """

    weights_: NDArray[np.float64]

    _paper_settings: ClassVar[Settings] = {
        "sts": {},
        "sick": {"a": 1e-2},
        "sst": {"a": 1e-3},
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AveragingEncoder._parameter_constraints,
        "a": [Interval(Real, 0, None, closed="neither")],
        "frequencies": [Mapping, StrOptions({"corpus"}), None],
        "weights": [callable, Mapping, None],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        pooling: str = "mean",
        a: float = 1e-3,
        frequencies: WordFrequencies | Mapping[str, int] | str | None = None,
        weights: Callable[[Any], Any] | Mapping[str, float] | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
    ) -> None:
        store_parameters(self, locals())

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the weight of each word of the table.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
            Counted if `frequencies` is "corpus", otherwise only checked.
        y : array-like, default=None
            Ignored, with a warning if it holds vectors.

        Returns
        -------
        self : SIFEncoder

        Raises
        ------
        ValueError
            If `weights` gives anything but a finite number for each word.

        Warns
        -----
        UserWarning
            If the vectors already include weights (`vectors.is_weighted`), unless
            `weights` is a mapping.
        """
        texts = chain.from_iterable(block.ravel().tolist() for block in fit_blocks(X))
        warn_of_ignored_vectors(self, y)
        vectors, weights = check_word_vectors(self.vectors), self.weights
        if isinstance(weights, Mapping):
            found: Any = [weights.get(word, 1.0) for word in vectors.words]
        else:
            warn_if_weighted(self, vectors)
            found = word_probabilities(
                vectors, self._tokenizer(), self.frequencies, texts
            )
            found = sif_weights(found, self.a) if weights is None else weights(found)
        for _ in texts:  # check those that were not counted
            pass
        found = np.asarray(found, dtype=np.float64)
        if found.shape != (len(vectors),) or not np.isfinite(found).all():
            raise ValueError(
                f"weights must give a finite number for each of {len(vectors)} words; "
                f"got an array of shape {found.shape}, {np.isfinite(found).sum()} of "
                "them finite."
            )
        self.weights_ = found
        return self
