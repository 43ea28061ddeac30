"""Smooth inverse frequency."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import Interval, StrOptions, fit_context
from skparaphrase.encoders._average import AveragingEncoder, check_fit_texts
from skparaphrase.encoders._base import WordEncoder
from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    load_word_frequencies,
)


class SIFEncoder(AveragingEncoder):
    r"""Average of word vectors with smooth inverse frequency (SIF) weights.

    Lines 1 to 3 of algorithm 1 of Arora et al. (2017): the vector of text `s` is
    :math:`\frac{1}{|s|} \sum_{w \in s} \frac{a}{a + p(w)} v_w`. The other lines, the
    removal of the first principal direction, are
    :class:`~skparaphrase.decomposition.CommonComponentRemoval`, a step of its own.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None takes :func:`skparaphrase.datasets.load_word_vectors`.

    a : float, default=1e-3
        The paper's parameter: a word as frequent as `a` weighs a half. Best between
        1e-4 and 1e-3 (the paper's figure 2). A very large `a` is a plain average.

    frequencies : WordFrequencies, mapping of str to int, or "corpus", default=None
        How often each word occurs; a word that is missing weighs 1. None takes the
        counts of English Wikipedia that come with the package
        (:func:`skparaphrase.datasets.load_word_frequencies`), right for English text;
        "corpus" takes the share of each word among the known words of the texts given
        to `fit`, compounds parted as in `transform`.

    lowercase : bool, default=True
        Lower-case the texts first.

    token_pattern : {"words", "ptb"} or str, default="words"
        What a word is. See :class:`skparaphrase.text.WordTokenizer`.

    tokenizer : callable, default=None
        Takes a text, gives its words; overrides `token_pattern`.

    split_compounds : bool, default=True
        Look a compound that the table lacks up in its parts.

    Attributes
    ----------
    weights_ : ndarray of shape (n_words,)
        Weight of every word of the table, in (0, 1].

    See Also
    --------
    skparaphrase.decomposition.CommonComponentRemoval : The next step of the paper.

    References
    ----------
    S. Arora, Y. Liang, T. Ma, "A Simple but Tough-to-Beat Baseline for Sentence
    Embeddings", ICLR 2017.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skparaphrase.decomposition import CommonComponentRemoval
    >>> from skparaphrase.encoders import SIFEncoder
    >>> from skparaphrase.pairs import PairSimilarity
    >>> pairs = [("A cat sleeps.", "A cat is asleep."), ("It rained.", "Buy bread!")]
    >>> pipe = make_pipeline(SIFEncoder(), CommonComponentRemoval(), PairSimilarity())
    >>> first, second = pipe.fit(pairs).predict(pairs)
    >>> bool(first > second)
    True
    """

    weights_: NDArray[np.float64]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WordEncoder._parameter_constraints,
        "a": [Interval(Real, 0, None, closed="neither")],
        "frequencies": [Mapping, StrOptions({"corpus"}), None],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        a: float = 1e-3,
        frequencies: WordFrequencies | Mapping[str, int] | str | None = None,
        lowercase: bool = True,
        token_pattern: str = "words",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        split_compounds: bool = True,
    ) -> None:
        self.vectors = vectors
        self.a = a
        self.frequencies = frequencies
        self.lowercase = lowercase
        self.token_pattern = token_pattern
        self.tokenizer = tokenizer
        self.split_compounds = split_compounds

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the weight of every word of the table.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
            Counted if `frequencies` is "corpus", only checked if not.

        y : None
            Ignored.

        Returns
        -------
        self : SIFEncoder
        """
        texts = check_fit_texts(X)
        self._tokenizer()
        probabilities = word_probabilities(
            self, self._word_vectors(), self.frequencies, texts.ravel().tolist()
        )
        self.weights_ = sif_weights(probabilities, self.a)
        return self

    def _word_weights(self) -> NDArray[np.float64]:
        return self.weights_


def sif_weights(probabilities: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """Weights `a / (a + p(w))` of Arora et al. (2017)."""
    return a / (a + probabilities)


def word_probabilities(
    encoder: WordEncoder,
    vectors: WordVectors,
    frequencies: WordFrequencies | Mapping[str, int] | str | None,
    texts: Sequence[str],
) -> NDArray[np.float64]:
    """p(w) of every word of a table, shape (n_words,)."""
    if isinstance(frequencies, str):  # "corpus"
        counts = np.zeros(len(vectors), dtype=np.int64)
        for batch in vectors.lookup(encoder._tokenizer()).encode_blocks(texts):
            np.add.at(counts, batch.ids, 1)
        return counts / max(counts.sum(), 1)
    if frequencies is None:
        return load_word_frequencies().probabilities(vectors.words)
    return WordFrequencies.check(frequencies).probabilities(vectors.words)
