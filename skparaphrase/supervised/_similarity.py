"""Graded similarity of pairs of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import Interval
from skparaphrase.supervised._base import SupervisedModel
from skparaphrase.supervised._graded import GradedScores
from skparaphrase.supervised._targets import softened, sparse_targets


class SimilarityRegressor(GradedScores, SupervisedModel):
    r"""Similarity of two texts on a graded scale, learnt from scored pairs.

    The head of Tai et al. (2015), equations 15 to 17, on any encoder, as Wieting et al.
    (2016) and Jiao et al. (2018) train it for the relatedness of SICK: from the vectors
    :math:`g_1, g_2` of a pair, :math:`\hat p = \mathrm{softmax}(W_p\, \sigma(W_1
    (g_1 \odot g_2) + W_2 |g_1 - g_2| + b_1) + b_p)` over the whole numbers of the
    scale, trained with the Kullback-Leibler divergence from the two levels next to the
    score; the expectation of the level is the prediction. Defaults are Wieting's
    setting for averages, but for `scale` and sparse updates.

    Parameters
    ----------
    encoder : encoder, default=None
        Any of :mod:`skparaphrase.encoders`; None is
        :class:`~skparaphrase.encoders.ParagramEncoder` with the bundled vectors. It is
        trained from its beginning with all that it has, vectors included, and it is
        its parameters on texts and shape that count, not those on training. Averages
        with weights, as of :class:`~skparaphrase.encoders.SIFEncoder`, train their
        weighted vectors. In a :class:`~sklearn.frozen.FrozenEstimator`, an encoder (or
        any transformer of texts) stays as it is, unless `prior` says otherwise.

    hidden_dim : int, default=50
        Units of the sigmoid layer.

    projection_dim : int, default=None
        A linear layer takes the vectors of texts to this length first (2400 in the SIF
        paper).

    train_projection : bool, default=True
        False leaves that layer as it is drawn.

    normalize : bool, default=False
        Divide the vectors of texts by their lengths, as Jiao et al. (2018) do.

    scale : float, default=6.0
        Mean length that one factor gives to vectors before training: to those of words,
        where training begins with them; to those of texts, before the head, where the
        encoder is frozen, fitted before, or one of characters, or with `normalize`; the
        table of the encoder then learns at the rate divided by the factor. From vectors
        of length 1 a head learns slowly, and the gates of an LSTM hardly open. None
        leaves them as they are, as the papers do.

    freeze : {"vectors", "encoder"}, default=None
        What is not trained: the vectors of words, n-grams or characters; or all of the
        encoder. With "encoder" each distinct text is embedded once, before the epochs,
        and an unfitted encoder that is none of ours is fitted on the texts. A few
        hundred scores are too few to train an encoder.

    prior : {"universal"}, default=None
        None: the encoder begins untrained, and the penalties pull vectors to where
        they began, other parameters to zero. "universal": training begins with the
        fitted encoder, and the penalties pull back to it (Wieting et al. 2016). In a
        pipeline or a grid search it must then be in a
        :class:`~sklearn.frozen.FrozenEstimator`, which keeps its fit when it is
        cloned; a copy of it is trained.

    score_range : tuple of float (lowest, highest), default=None
        Ends of the scale. None: the whole numbers below and above the scores of `fit`.

    n_levels : int, default=None
        Outputs of the softmax, evenly spaced over the scale. None: one a whole number.

    optimizer : {"adagrad", "adam", "sgd"}, default="adam"
        "sgd" has momentum 0.95. AdaGrad's first steps are as long as its rate: behind
        `projection_dim`, and with encoders that have layers, 0.05 can saturate the
        head, and Adam is the safer choice.

    learning_rate : float, default=0.001

    batch_size : int, default=25
        Examples per step.

    max_epochs : int, default=10
        Passes over the examples. 0 leaves the initial parameters.

    clip_norm : float, default=None
        Scale the gradient of each array down to this norm.

    vectors_penalty : float, default=1e-5
        Lambda_w. With sparse updates only the vectors of the batch are pulled.

    composition_penalty : float, default=1e-6
        Lambda_c, for the other parameters of the encoder.

    head_penalty : float, default=1e-6
        Lambda_s, which pulls projection and head to zero. As in the papers' code, half
        of each lambda multiplies the sum of squares.

    validation_fraction : float, default=None
        Share of the examples to score after every epoch instead of training on them;
        the best epoch is kept. For a set of your own, give `X_val` and `y_val` to
        :meth:`fit`.

    patience : int, default=None
        Stop after so many epochs without a better score of validation.

    sparse_updates : bool, default=True
        Update the vectors of the batch's words only; Adam's moments of the others stand
        still. False is the papers' code, whose steps cost as much as the vocabulary is
        large.

    warm_start : bool, default=False
        Another `fit` goes on from the fitted state, with optimiser and random state,
        for `max_epochs` more epochs; `encoder` and `scale` count only where training
        begins. After validation that is the state of the best epoch, with the
        optimiser's state of the last one.

    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA where there is one.

    random_state : int, RandomState instance or None, default=None
        Initial parameters, those of the encoder included, validation examples, and the
        order of examples. The same seed gives the same model, to the bit, on one CPU
        with one number of threads.

    verbose : bool or int, default=False
        Print loss and score of every epoch. For a progress bar see `set_callbacks`.

    Attributes
    ----------
    encoder_ : encoder
        The trained encoder: its `transform` gives vectors for other uses.

    head_ : dict of str to ndarray
        "hidden.weight", "hidden.bias", "output.weight", "output.bias", and with
        `projection_dim` "projection.weight" and "projection.bias".

    levels_ : ndarray of shape (n_levels,)
        The scores that the outputs of the softmax stand for.

    scale_ : float
        The factor of `scale`.

    scales_words_ : bool
        Whether the vectors of words have that factor; if not, those of texts get it.

    loss_curve_ : list of float
        Mean loss of an example in each epoch, without penalties.

    n_epochs_ : int
        Epochs trained.

    validation_scores_ : list of float
        Pearson's r on the validation examples after each epoch, where there are some.

    best_epoch_ : int
        Epoch, from 1, whose parameters the model has, where there was validation.

    See Also
    --------
    PairClassifier : Labels instead of scores.
    skparaphrase.pairs.PairSimilarity : Similarity without training.

    Notes
    -----
    Settings of :meth:`paper`: "wieting" (table 5 of Wieting et al. 2016),
    "wieting-features" (table 6, with a fitted encoder in a
    :class:`~sklearn.frozen.FrozenEstimator`), "sif" (table 2 of Arora et al. 2017, with
    a :class:`~skparaphrase.encoders.SIFEncoder` of a=1e-2, which divides by the number
    of words, where their code divides by the weights' sum), "cse" (table 3 of Jiao et
    al. 2018, with a fitted :class:`~skparaphrase.encoders.ConvolutionalEncoder`).

    The divergence is divided by the number of levels, as in the papers' code, which
    makes the penalties weigh as much more.

    References
    ----------
    K. S. Tai, R. Socher, C. D. Manning, "Improved Semantic Representations From
    Tree-Structured Long Short-Term Memory Networks", ACL 2015.

    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.supervised import SimilarityRegressor
    >>> pairs, scores = load_similarity(return_X_y=True)
    >>> model = SimilarityRegressor(max_epochs=2, random_state=0).fit(pairs, scores)
    >>> model.levels_.tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    >>> model.predict([("A cat sleeps.", "A cat is asleep.")]).shape
    (1,)
    """

    _loss = "divergence"
    _n_texts = 2

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupervisedModel._parameter_constraints,
        "score_range": [tuple, list, None],
        "n_levels": [Interval(Integral, 2, None, closed="left"), None],
    }

    def __init__(
        self,
        encoder: Any = None,
        *,
        hidden_dim: int = 50,
        projection_dim: int | None = None,
        train_projection: bool = True,
        normalize: bool = False,
        scale: float | None = 6.0,
        freeze: str | None = None,
        prior: str | None = None,
        score_range: tuple[float, float] | None = None,
        n_levels: int | None = None,
        optimizer: str = "adam",
        learning_rate: float = 0.001,
        batch_size: int = 25,
        max_epochs: int = 10,
        clip_norm: float | None = None,
        vectors_penalty: float = 1e-5,
        composition_penalty: float = 1e-6,
        head_penalty: float = 1e-6,
        validation_fraction: float | None = None,
        patience: int | None = None,
        sparse_updates: bool = True,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
            encoder=encoder,
            hidden_dim=hidden_dim,
            projection_dim=projection_dim,
            train_projection=train_projection,
            normalize=normalize,
            scale=scale,
            freeze=freeze,
            prior=prior,
            optimizer=optimizer,
            learning_rate=learning_rate,
            batch_size=batch_size,
            max_epochs=max_epochs,
            clip_norm=clip_norm,
            vectors_penalty=vectors_penalty,
            composition_penalty=composition_penalty,
            head_penalty=head_penalty,
            validation_fraction=validation_fraction,
            patience=patience,
            sparse_updates=sparse_updates,
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
        return self._expected(self._probabilities(X))

    def _distributions(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        return softened(sparse_targets(targets, self.levels_))
