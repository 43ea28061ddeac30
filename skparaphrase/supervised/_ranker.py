"""Ranking of answers by the interaction of their words with a question's."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._typing import Texts
from skparaphrase.metrics import mrr_score
from skparaphrase.metrics._ranking import split_queries
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised._interaction import UPDATE_EACH_PAIR, PairwiseInteraction
from skparaphrase.supervision._examples import Examples
from skparaphrase.supervision._relevance import Relevance
from skparaphrase.text._check import check_single_texts
from skparaphrase.vectors import WordVectors


class PairwiseInteractionRanker(PairwiseInteraction):
    """Rank candidate answers by the interaction of their words with the question's.

    The network of :class:`PairwiseInteractionRegressor` with two outputs, trained on
    single pairs of question and candidate with the hinge loss of He & Lin (2016) on
    their log-probabilities. Validation keeps the epoch with the highest mean reciprocal
    rank, as in the paper.

    The defaults are as good as the paper's settings, and faster; see :meth:`paper`.

    Parameters
    ----------
    vectors
        As in :class:`PairwiseInteractionRegressor`.
    hidden_dim : int, default=250
        Number of units of the LSTM. None compares word vectors instead of LSTM states
        (table 8).
    max_words : {32, 48, 64}, default=48
        Number of words at the beginning of a sentence that are compared.
    focus
        As in :class:`PairwiseInteractionRegressor`.
    similarity : {"cosine", "coverage"} or None, default="coverage"
        Similarity of the two texts' word vectors, as a further input of the output
        layer. Training starts from a regression of relevance on it alone. "coverage"
        measures how well the candidate covers the question: it averages, over the
        question's words, their highest cosine with a word of the candidate, weighted by
        the lengths of the vectors (Mihalcea et al. 2006). "cosine" is the cosine of the
        average word vectors. None is the paper's model.
    scale, tokenizer, optimizer
        As in :class:`PairwiseInteractionRegressor`.
    learning_rate, batch_size
        As in :class:`PairwiseInteractionRegressor`.
    max_epochs
        As in :class:`SimilarityRegressor`.
    freeze
        As in :class:`PairwiseInteractionRegressor`.
    validation_fraction, patience, warm_start, device, random_state, verbose
        As in :class:`SimilarityRegressor`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels 0 and 1.
    parameters_, vectors_, scale_, similarity_
        As in :class:`PairwiseInteractionRegressor`.
    loss_curve_, n_epochs_
        As in :class:`SimilarityRegressor`.
    validation_scores_ : list of float
        Mean reciprocal rank of the validation questions, if any, at the start and after
        each epoch.
    best_epoch_
        As in :class:`SimilarityRegressor`.

    See Also
    --------
    skparaphrase.metrics.mrr_scorer : Scorer for model selection, like `map_scorer`.

    Notes
    -----
    The answers of a question are identified by the question's text, or by a second
    column of `y`. Questions with only right or only wrong answers are used like the
    others. If right answers are rare, `sample_weight` can give them more weight.

    Settings of :meth:`paper`: "trecqa" (table 7), "wikiqa" (table 6), with an update
    for each pair. For TrecQA, the released code compares 64 words, and the paper 48.

    The similarity is not in the paper. With it, a model trained on few or no examples
    is as good as the similarity alone, and more examples improve it.

    References
    ----------
    H. He, J. Lin, "Pairwise Word Interaction Modeling with Deep Neural Networks for
    Semantic Similarity Measurement", NAACL 2016.

    R. Mihalcea, C. Corley, C. Strapparava, "Corpus-based and Knowledge-based Measures
    of Text Semantic Similarity", AAAI 2006.

    Examples
    --------
    >>> from skparaphrase.supervised import PairwiseInteractionRanker
    >>> question = "Where do penguins live?"
    >>> X = [(question, "They live in the south."), (question, "They eat fish.")]
    >>> ranker = PairwiseInteractionRanker(max_epochs=5, random_state=0).fit(X, [1, 0])
    >>> ranker.rank(question, ["They eat fish.", "They live in the south."]).tolist()
    [1, 0]
    """

    classes_: NDArray[np.intp]

    _kind = Relevance

    _paper_settings: ClassVar[Settings] = {
        "trecqa": UPDATE_EACH_PAIR,
        "wikiqa": UPDATE_EACH_PAIR,
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        hidden_dim: int | None = 250,
        max_words: int = 48,
        focus: str = "matching",
        similarity: str | None = "coverage",
        scale: float | None = 6.0,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.0005,
        batch_size: int = 16,
        max_epochs: int = 1,
        freeze: str | None = "vectors",
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def decision_function(self, X: Texts) -> NDArray[np.float64]:
        """Compute the log-odds that candidates are right.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)
            Questions and candidates.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Logarithm of the odds. The paper ranks by the probability, which gives the
            same order.
        """
        logits = self._logits(X)
        return logits[:, 1] - logits[:, 0]

    def predict_proba(self, X: Texts) -> NDArray[np.float64]:
        """Predict the probabilities that candidates are wrong and right.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        Returns
        -------
        probabilities : ndarray of shape (n_pairs, 2)
            In the order of `classes_`. They are trained for ranking, and are not
            calibrated.
        """
        return softmax(self._logits(X), axis=1)

    def predict(self, X: Texts) -> NDArray[np.intp]:
        """Predict whether candidates are more likely right than wrong.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        Returns
        -------
        labels : ndarray of shape (n_pairs,)
            0 or 1. The model is trained for ranking: if right answers are rare, there
            may be no 1.
        """
        logits = self._logits(X)
        return self._targets.decode(logits)

    def rank(self, question: str, candidates: Texts) -> NDArray[np.intp]:
        """Rank candidates, best first.

        Parameters
        ----------
        question : str

        candidates : array-like of str of shape (n_candidates,)

        Returns
        -------
        order : ndarray of shape (n_candidates,)
            Indices of candidates. Candidates with equal scores keep their order.
        """
        if not isinstance(question, str):
            raise TypeError(f"question must be a str; got {question!r}.")
        texts = check_single_texts(candidates, "candidates")
        pairs = np.empty((len(texts), 2), dtype=object)
        pairs[:, 0], pairs[:, 1] = question, texts
        return np.argsort(-self.decision_function(pairs), kind="stable")

    def score(self, X: Texts, y: ArrayLike, query: ArrayLike | None = None) -> float:
        """Compute the mean reciprocal rank of the first right answer.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        y : array-like of shape (n_pairs,) or (n_pairs, 2)
            1 for right answers, 0 for wrong ones, and the question of each pair.

        query : array-like of shape (n_pairs,), default=None
            The question of each pair. None takes the second column of `y` if there is
            one, otherwise the question's text.

        Returns
        -------
        mrr : float
            See :func:`~skparaphrase.metrics.mrr_score`.
        """
        texts = self._check_texts(X)
        if query is None and split_queries(y)[1] is None:
            query = texts[:, 0]
        return mrr_score(y, self.decision_function(texts), query)

    def _validation_score(self, held_out: Examples, train: Examples) -> float:
        logits = self._logits(held_out.texts, warn=False)
        relevance, queries = held_out.targets.T
        return mrr_score(relevance, logits[:, 1] - logits[:, 0], queries)
