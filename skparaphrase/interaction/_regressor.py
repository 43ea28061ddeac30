"""Graded similarity of sentences by the interaction of their words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from skparaphrase._compat import Interval
from skparaphrase.interaction._base import PairwiseInteraction
from skparaphrase.metrics import pearson_score
from skparaphrase.supervised._examples import Examples
from skparaphrase.supervised._graded import GradedScores
from skparaphrase.supervised._targets import sparse_targets
from skparaphrase.vectors import WordVectors


class PairwiseInteractionRegressor(GradedScores, PairwiseInteraction):
    r"""Similarity of two sentences, from each word of one with each of the other.

    The pairwise word interaction model (PWIM) of He & Lin (2016). A bidirectional long
    short-term memory reads both sentences. A cube holds the cosine, the Euclidean
    distance and the dot product of each word of the one with each of the other: of
    forward states, backward states, their sums and their concatenations. The focus
    layer leaves the pairs of words that match best as they are, and multiplies the
    others by 0.1. A deep convolutional network looks at the cube as at an image, and
    its softmax over the whole numbers of the scale is trained with the
    Kullback-Leibler divergence from the two levels next to the score. The expectation
    of the level is the prediction.

    Defaults are quicker than the paper's setting and as good; see :meth:`paper`.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None: those that come with the package.

    hidden_dim : int, default=250
        Units of the memory.

    limit : {32, 48, 64}, default=32
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
        Mean length that one factor gives to the vectors of the words in `X`. The gates
        of a memory hardly open to short vectors. None leaves them as they are.

    unknown_range : float, default=0.05
        A word without a vector gets one from U(-unknown_range, unknown_range), drawn by
        a hash of the word, so that it is the same in all texts. None leaves such words
        out. `scale` does not change them. A table with a vector for unknown words keeps
        its own rule.

    lowercase : bool, default=True

    token_pattern : str, default="words"
        As in :class:`~skparaphrase.encoders.AverageEncoder`.

    tokenizer : callable, default=None

    split_compounds : bool, default=True

    score_range : tuple of float (lowest, highest), default=None
        Ends of the scale. None: the whole numbers below and above the scores of `fit`.

    n_levels : int, default=None
        Outputs of the softmax, evenly spaced over the scale. None: one a whole number.

    optimizer : {"adagrad", "adam", "rmsprop", "sgd"}, default="adam"

    learning_rate : float, default=0.001

    schedule : {"constant", "linear"}, default="linear"
        "linear" lets the learning rate fall from step to step, to zero after
        `max_epochs`.

    reset_optimizer : bool, default=False
        Let the optimiser forget its moments after every epoch, as the paper's code
        does.

    batch_size : int, default=32
        Pairs per step. The gradient of a batch is the mean of those of its pairs.

    max_epochs : int, default=10
        Passes over the pairs. 0 leaves the initial parameters.

    clip_norm : float, default=50.0
        Scale the gradients of all arrays together down to this norm.

    vectors_penalty : float, default=0.0
        Lambda that pulls trained vectors to where they began.

    validation_fraction : float, default=None
        Share of the pairs to score after every epoch instead of training on them; the
        best epoch is kept. For a set of your own, give `X_val` and `y_val` to
        :meth:`fit`.

    patience : int, default=None
        Stop after so many epochs without a better score of validation.

    warm_start : bool, default=False
        Another `fit` goes on from the fitted state, with optimiser and random state,
        for `max_epochs` more epochs.

    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA where there is one.

    random_state : int, RandomState instance or None, default=None
        Initial parameters, validation pairs, order of pairs and dropout. The same seed
        gives the same model, to the bit, on one CPU with one number of threads.

    verbose : bool or int, default=False
        Print loss and score of every epoch. For a progress bar see `set_callbacks`.

    Attributes
    ----------
    parameters_ : dict of str to ndarray
        "context.forwards.W_x" of shape (4 * hidden_dim, dim), rows for the input,
        forget, cell and output gates, "W_h", "b_x" and "b_h";
        "grid.convolutions.0.weight" of shape (128, 13, 3, 3) and so on;
        "grid.hidden.*" and "grid.output.*".

    vectors_ : WordVectors
        Trained vectors of the words in `X`, with `freeze=None`.

    scale_ : float
        The factor of `scale`.

    levels_ : ndarray of shape (n_levels,)
        The scores that the outputs of the softmax stand for.

    loss_curve_ : list of float
        Mean loss of a pair in each epoch.

    n_epochs_ : int
        Epochs trained.

    validation_scores_ : list of float
        Pearson's r on the validation pairs after each epoch, where there are some.

    best_epoch_ : int
        Epoch, from 1, whose parameters the model has, where there was validation.

    See Also
    --------
    PairwiseInteractionRanker : Ranks answers instead.
    skparaphrase.supervised.SimilarityRegressor : From the vectors of two sentences,
        which are of use elsewhere, and quicker.

    Notes
    -----
    Settings of :meth:`paper`: "sick" (table 3), "msrvid" (table 4), "sts2014"
    (table 5). They take an update for each pair. Their authors keep the best epoch of
    the development set: give `X_val` and `y_val`.

    Where the paper and its code disagree, this follows the code: one memory for both
    directions, focus on the concatenated states, a matching that goes on until one
    sentence is used up, negative distances, and a channel of real cells that the focus
    weighs like the others.

    An empty sentence has no cells: all such pairs get one score, that of the empty
    cube.

    References
    ----------
    H. He, J. Lin, "Pairwise Word Interaction Modeling with Deep Neural Networks for
    Semantic Similarity Measurement", NAACL 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.interaction import PairwiseInteractionRegressor
    >>> pairs, scores = load_similarity(return_X_y=True)
    >>> model = PairwiseInteractionRegressor(max_epochs=1, random_state=0)
    >>> model.fit(pairs[:32], scores[:32]).predict(pairs[:2]).shape
    (2,)
    """

    _loss = "divergence"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PairwiseInteraction._parameter_constraints,
        "score_range": [tuple, list, None],
        "n_levels": [Interval(Integral, 2, None, closed="left"), None],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        hidden_dim: int = 250,
        limit: int = 32,
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
        score_range: tuple[float, float] | None = None,
        n_levels: int | None = None,
        optimizer: str = "adam",
        learning_rate: float = 0.001,
        schedule: str = "linear",
        reset_optimizer: bool = False,
        batch_size: int = 32,
        max_epochs: int = 10,
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
        self.score_range = score_range
        self.n_levels = n_levels

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Scores of pairs.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            From the lowest to the highest of `levels_`.
        """
        return self._expected(softmax(self._logits(X), axis=1))

    def _score_examples(self, examples: Examples) -> float:
        logits = self._logits(examples.texts, tell=False)
        found = self._expected(softmax(logits, axis=1))
        return pearson_score(examples.targets, found, sample_weight=examples.weights)

    def _distributions(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        return sparse_targets(targets, self.levels_).astype(np.float32)
