"""Answers ranked by the interaction of their words with those of the question."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from skparaphrase.interaction._base import PairwiseInteraction
from skparaphrase.interaction._questions import (
    check_answers,
    check_both_kinds,
    check_some_right,
    split_by_question,
    with_questions,
)
from skparaphrase.metrics import mean_reciprocal_rank
from skparaphrase.metrics._ranking import split_queries
from skparaphrase.supervised._examples import Examples
from skparaphrase.supervised._targets import one_hot
from skparaphrase.text import check_texts
from skparaphrase.vectors import WordVectors


class PairwiseInteractionRanker(PairwiseInteraction):
    r"""Rank candidate answers, from each of their words with each of the question.

    The network of :class:`PairwiseInteractionRegressor` with two outputs, trained on
    single pairs of question and candidate with the hinge loss of He & Lin (2016)
    on their log-probabilities. The best epoch of validation is that of the highest mean
    reciprocal rank, as in the paper.

    Defaults are quicker than the paper's setting and as good; see :meth:`paper`.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None: those that come with the package.

    hidden_dim : int, default=250
        Units of the memory.

    limit : {32, 48, 64}, default=48
        Words of a sentence that are compared, from its beginning. The memory reads the
        whole sentence, and training needs memory for it. A warning says how many
        sentences were cut.

    context : bool, default=True
        False compares the vectors of words instead of the memory's states (table 8).

    share_directions : bool, default=True
        One memory reads both ways, as in the paper's code; False: one each, as in its
        text.

    focus : {"matching", "dropout", "none"}, default="matching"
        The focus layer; or instead of it dropout of the cube's values in training, or
        nothing (table 8).

    dropout : float, default=0.3
        Of the cube's values, with `focus="dropout"`.

    freeze : {"vectors"} or None, default="vectors"
        None trains the vectors of words, too.

    scale : float, default=6.0
        Mean length that one factor gives to the vectors of the words in `X`. None
        leaves them as they are.

    unknown_range : float, default=0.05
        A word without a vector gets one from U(-unknown_range, unknown_range), drawn by
        a hash of the word: a name in the question is known again in the answer. None
        leaves such words out. `scale` does not change them. A table with a vector for
        unknown words keeps its own rule.

    lowercase : bool, default=True

    token_pattern : str, default="words"
        As in :class:`~skparaphrase.encoders.AverageEncoder`.

    tokenizer : callable, default=None

    split_compounds : bool, default=True

    optimizer : {"adagrad", "adam", "rmsprop", "sgd"}, default="adam"

    learning_rate : float, default=0.0005

    schedule : {"constant", "linear"}, default="linear"
        "linear" lets the learning rate fall from step to step, to zero after
        `max_epochs`.

    reset_optimizer : bool, default=False
        Let the optimiser forget its moments after every epoch, as the paper's code
        does.

    batch_size : int, default=16
        Pairs per step. The gradient of a batch is the mean of those of its pairs.

    max_epochs : int, default=6
        Passes over the pairs. 0 leaves the initial parameters.

    clip_norm : float, default=50.0
        Scale the gradients of all arrays together down to this norm.

    vectors_penalty : float, default=0.0
        Lambda that pulls trained vectors to where they began.

    validation_fraction : float, default=None
        Share of the questions to score after every epoch instead of training on them;
        the best epoch is kept. For a set of your own, give `X_val` and `y_val` to
        :meth:`fit`.

    patience : int, default=None
        Stop after so many epochs without a better score of validation.

    warm_start : bool, default=False
        Another `fit` goes on from the fitted state, with optimiser and random state,
        for `max_epochs` more epochs.

    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA where there is one.

    random_state : int, RandomState instance or None, default=None
        Initial parameters, validation questions, order of pairs and dropout. The same
        seed gives the same model, to the bit, on one CPU with one number of threads.

    verbose : bool or int, default=False
        Print loss and score of every epoch. For a progress bar see `set_callbacks`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        0 and 1, a wrong and a right answer.

    parameters_ : dict of str to ndarray
        As in :class:`PairwiseInteractionRegressor`.

    vectors_ : WordVectors
        Trained vectors of the words in `X`, with `freeze=None`.

    scale_ : float
        The factor of `scale`.

    loss_curve_ : list of float
        Mean loss of a pair in each epoch.

    n_epochs_ : int
        Epochs trained.

    validation_scores_ : list of float
        Mean reciprocal rank of the validation questions after each epoch, where there
        are some.

    best_epoch_ : int
        Epoch, from 1, whose parameters the model has, where there was validation.

    See Also
    --------
    skparaphrase.metrics.mrr_scorer : For model selection, with `map_scorer`.

    Notes
    -----
    What belongs to one question is known by the question's text, or by a second column
    of `y`. Questions with only right or only wrong answers are trained on like others.
    Where right answers are few, `sample_weight` can give them more weight.

    Settings of :meth:`paper`: "trecqa" (table 7), "wikiqa" (table 6), with an update
    for each pair. The released code has a grid of 64 words for TrecQA, the paper one of
    48.

    References
    ----------
    H. He, J. Lin, "Pairwise Word Interaction Modeling with Deep Neural Networks for
    Semantic Similarity Measurement", NAACL 2016.

    Examples
    --------
    >>> from skparaphrase.interaction import PairwiseInteractionRanker
    >>> question = "Where do penguins live?"
    >>> X = [(question, "They live in the south."), (question, "They eat fish.")]
    >>> ranker = PairwiseInteractionRanker(max_epochs=5, random_state=0).fit(X, [1, 0])
    >>> ranker.rank(question, ["They eat fish.", "They live in the south."]).tolist()
    [1, 0]
    """

    classes_: NDArray[np.intp]

    _loss = "hinge"
    _n_outputs = 2

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        hidden_dim: int = 250,
        limit: int = 48,
        context: bool = True,
        share_directions: bool = True,
        focus: str = "matching",
        dropout: float = 0.3,
        freeze: str | None = "vectors",
        scale: float | None = 6.0,
        unknown_range: float | None = 0.05,
        lowercase: bool = True,
        token_pattern: str = "words",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        split_compounds: bool = True,
        optimizer: str = "adam",
        learning_rate: float = 0.0005,
        schedule: str = "linear",
        reset_optimizer: bool = False,
        batch_size: int = 16,
        max_epochs: int = 6,
        clip_norm: float | None = 50.0,
        vectors_penalty: float = 0.0,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
            vectors=vectors,
            hidden_dim=hidden_dim,
            limit=limit,
            context=context,
            share_directions=share_directions,
            focus=focus,
            dropout=dropout,
            freeze=freeze,
            scale=scale,
            unknown_range=unknown_range,
            lowercase=lowercase,
            token_pattern=token_pattern,
            tokenizer=tokenizer,
            split_compounds=split_compounds,
            optimizer=optimizer,
            learning_rate=learning_rate,
            schedule=schedule,
            reset_optimizer=reset_optimizer,
            batch_size=batch_size,
            max_epochs=max_epochs,
            clip_norm=clip_norm,
            vectors_penalty=vectors_penalty,
            validation_fraction=validation_fraction,
            patience=patience,
            warm_start=warm_start,
            device=device,
            random_state=random_state,
            verbose=verbose,
        )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How much more likely a candidate is right than wrong.

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

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities that candidates are wrong and right.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        Returns
        -------
        probabilities : ndarray of shape (n_pairs, 2)
            In the order of `classes_`. Trained to rank, not to be calibrated.
        """
        return softmax(self._logits(X), axis=1)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Whether candidates are more likely right than wrong.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        Returns
        -------
        labels : ndarray of shape (n_pairs,)
            0 or 1. Trained to rank: where right answers are few, there may be no 1.
        """
        right = self.decision_function(X) > 0
        return self.classes_[right.astype(np.intp)]

    def rank(self, question: str, candidates: Any) -> NDArray[np.intp]:
        """Candidates in order, the best first.

        Parameters
        ----------
        question : str

        candidates : array-like of str of shape (n_candidates,)

        Returns
        -------
        order : ndarray of shape (n_candidates,)
            Indices of candidates. Of equal scores the first comes first.
        """
        if not isinstance(question, str):
            raise TypeError(f"question must be a str; got {question!r}.")
        texts = check_texts(candidates)
        if texts.ndim != 1:
            raise ValueError(
                f"candidates must have the shape (n_candidates,); got {texts.shape}."
            )
        pairs = np.empty((len(texts), 2), dtype=object)
        pairs[:, 0], pairs[:, 1] = question, texts
        return np.argsort(-self.decision_function(pairs), kind="stable")

    def score(self, X: Any, y: Any, query: Any = None) -> float:
        """Mean reciprocal rank of the first right answer.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        y : array-like of shape (n_pairs,) or (n_pairs, 2)
            1 for right answers, 0 for wrong ones, and what question a pair belongs to.

        query : array-like of shape (n_pairs,), default=None
            What question a pair belongs to. None: `y` says it, or the question's text.

        Returns
        -------
        mrr : float
            See :func:`~skparaphrase.metrics.mean_reciprocal_rank`.
        """
        texts = self._check_texts(X)
        if query is None and split_queries(y)[1] is None:
            query = texts[:, 0]
        return mean_reciprocal_rank(y, self.decision_function(texts), query)

    def _score_examples(self, examples: Examples) -> float:
        logits = self._logits(examples.texts, tell=False)
        relevance, queries = examples.targets.T
        return mean_reciprocal_rank(relevance, logits[:, 1] - logits[:, 0], queries)

    def _check_examples(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> Examples:
        examples = super()._check_examples(X, y, sample_weight, reset=reset)
        examples = with_questions(examples)
        if reset:
            check_both_kinds(examples)
        return examples

    def _check_validation(
        self, X_val: Any, y_val: Any, sample_weight: Any
    ) -> Examples | None:
        if sample_weight is not None:
            raise ValueError(
                "The mean reciprocal rank takes no weights: sample_weight_val must be "
                "None."
            )
        examples = super()._check_validation(X_val, y_val, None)
        if examples is None:
            return None
        examples = with_questions(examples)
        check_some_right(examples)
        return examples

    def _check_targets(self, y: Any, *, reset: bool) -> NDArray[np.intp]:
        self.classes_ = np.arange(2)
        return check_answers(y)

    def _check_held_out(self, y: Any) -> NDArray[np.intp]:
        return check_answers(y)

    def _split(self, examples: Examples) -> tuple[Examples, Examples]:
        assert self.validation_fraction is not None
        train, held_out = split_by_question(
            examples, self.validation_fraction, deepcopy(self._split_state)
        )
        check_both_kinds(train)
        check_some_right(held_out)
        return train, held_out

    def _distributions(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        return one_hot(targets[:, 0], 2).astype(np.float32)
