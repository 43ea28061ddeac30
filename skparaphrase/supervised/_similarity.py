"""Regression of the similarity of pairs of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._typing import Encoder
from skparaphrase.encoders import CNNEncoder, ParaphraseEncoder, SIFEncoder
from skparaphrase.metrics._similarity import correlation
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.supervised._heads import FROZEN, HeadModel, wieting_settings
from skparaphrase.supervision._examples import Examples
from skparaphrase.supervision._targets import Scores

#: Settings of Wieting et al. (2016), for averages.
_PAPER: dict[str, Any] = {
    "optimizer": Optimizer(
        "adam",
        **DENSE,
        vectors_penalty=1e-5,
        composition_penalty=1e-6,
        head_penalty=1e-6,
    ),
    "hidden_dim": 50,
    "features": ("product", "absdiff"),
    "text_norm": None,
    "learning_rate": 0.001,
    "batch_size": 25,
    "max_epochs": 10,
}


class SimilarityRegressor(RegressorMixin, HeadModel):
    r"""Predict the similarity of two texts on a graded scale.

    The head is a softmax over the integers of the scale, linear in features of the two
    vectors. It starts as logistic regression on the vectors of the encoder. Then both
    are trained with the Kullback-Leibler divergence from the two levels next to the
    score. The prediction is the expected level.

    The regression is regularised towards one in which the level rises with the cosine,
    so ten pairs already give useful scores. (Negate dissimilarities.) :meth:`score` is
    the coefficient of determination, as for any regressor. The papers report Pearson's
    r: use :data:`~skparaphrase.metrics.pearson_scorer`, also as `scoring=` of a search.

    :meth:`paper` returns the head of Tai et al. (2015), equations 15 to 17, which
    Wieting et al. (2016) and Jiao et al. (2018) train for the relatedness of SICK: from
    the vectors :math:`g_1, g_2` of a pair, :math:`\hat p = \mathrm{softmax}(W_p\,
    \sigma(W_1 (g_1 \odot g_2) + W_2 |g_1 - g_2| + b_1) + b_p)`.

    Parameters
    ----------
    encoder : encoder, default=None
        Any encoder of :mod:`skparaphrase.encoders`. None is a
        :class:`~skparaphrase.encoders.ParaphraseEncoder` that starts from
        :func:`~skparaphrase.load_pretrained`. The encoder is trained from its initial
        state, including the vectors; only its tokenisation and architecture parameters
        are used. For weighted averages, such as SIF, the weighted vectors are trained.
        To keep an encoder (or any transformer of texts) unchanged, wrap it in a
        :class:`~sklearn.frozen.FrozenEstimator`.
    hidden_dim : int, default=None
        Number of units of a sigmoid layer between features and softmax, as in the
        papers; it is initialised at random. None: the softmax is linear in the features
        and starts as logistic regression on the vectors of the untrained encoder.
    features : sequence of str, default=("product", "absdiff", "cosine")
        Features of a pair, as in :class:`~skparaphrase.pairs.PairFeatures`; "cosine" is
        multiplied by 10, so a few examples are enough to learn its weight. Jiao et al.
        (2018) print ("first", "second", "absdiff").
    projection_dim : int, default=None
        Number of dimensions to which the vectors of texts are first projected (2400 in
        the SIF paper). None omits the projection.
    text_norm : float, default=2.0
        Length to which the vectors of texts are scaled before the head. With longer
        vectors, the logistic regression that initialises a linear head is less
        regularised. The learning rate of the encoder's vectors is divided by this
        length. None takes the vectors before the `norm` of the encoder, as in most
        papers; Jiao et al. (2018) scale them to 1.
    freeze : {"vectors", "encoder"}, default=None
        Parameters that are not trained: the vectors of words, n-grams or characters; or
        the whole encoder. With "encoder", each distinct text is embedded once, before
        the first epoch, and an unfitted encoder of another library is fitted on the
        texts.
    init : encoder, default=None
        A fitted encoder, instead of `encoder`. Training starts from it and is
        regularised towards it (Wieting et al. 2016). A copy of it is trained. Wrap it
        in a :class:`~sklearn.frozen.FrozenEstimator` if it may be cloned, as in a grid
        search. None: `encoder` starts untrained, and the penalties pull vectors towards
        their initial values and other parameters towards zero.
    levels : array-like of float, default=None
        The scale: evenly spaced scores that the outputs of the softmax represent. None
        takes the integers from the lowest to the highest score in `fit`.
    optimizer : str or Optimizer, default=None
        None is ``Optimizer("adagrad", vectors_penalty=1e-5, composition_penalty=1e-6,
        head_penalty=1e-6)``. See :class:`~skparaphrase.optimizers.Optimizer`, whose
        penalties are the paper's lambdas.
    learning_rate : float, default=0.01
        Step size of the optimizer. With few examples and a linear head, it is reduced
        in proportion to the nats of the targets: with n examples and K outputs, it is
        multiplied by ``min(1, n * log(K) / 100)``.
    batch_size : int, default=50
        Number of examples per step.
    max_epochs : int, default=5
        Passes over the examples. 0 keeps the initial parameters.
    validation_fraction : float, default=None
        Fraction of the examples held out for validation after every epoch; the best
        epoch is kept. Alternatively, pass `X_val` and `y_val` to :meth:`fit`.
    patience : int, default=None
        Number of epochs without a better validation score before training stops.
    warm_start : bool, default=False
        If True, `fit` resumes from the fitted state, including the optimizer and the
        random state, and trains for `max_epochs` more epochs. After validation, it
        resumes from the best epoch, with the optimizer state of the last one.
    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA if available.
    random_state : int, RandomState instance or None, default=None
        Seed. Results are bit-identical on the same CPU with the same number of threads.
    verbose : bool or int, default=False
        Print the loss and the validation score of every epoch, and the gain from
        training at the end. See also :mod:`skparaphrase.callback`.

    Attributes
    ----------
    encoder_ : encoder
        The trained encoder; its `transform` returns vectors for other uses.
    head_ : dict of str to ndarray
        "output.weight" and "output.bias", with `hidden_dim` "hidden.weight" and
        "hidden.bias", and with `projection_dim` "projection.weight" and
        "projection.bias".
    levels_ : ndarray of shape (n_levels,)
        The scores that the outputs of the softmax represent.
    loss_curve_ : list of float
        Mean loss of an example in each epoch, without penalties.
    n_epochs_ : int
        Number of epochs trained.
    validation_scores_ : list of float
        Pearson's r on the validation examples, if there are any, at the start and after
        each epoch.
    best_epoch_ : int
        With validation, the epoch that was kept; 0 is the start.

    See Also
    --------
    PairClassifier : Labels instead of scores.
    skparaphrase.pairs.PairSimilarity : Similarity without training.

    Notes
    -----
    Settings of :meth:`paper`: "wieting" (table 5 of Wieting et al. 2016),
    "wieting-universal" (table 5; pass a fitted encoder as `init`), "wieting-features"
    (table 6; pass a fitted encoder in a :class:`~sklearn.frozen.FrozenEstimator`),
    "sif" (table 2 of Arora et al. 2017, with a
    :class:`~skparaphrase.encoders.SIFEncoder` of a=1e-2, which divides by the number of
    words, unlike their code, which divides by the sum of weights; `encoder__vectors`
    sets your vectors), "cse" (table 3 of Jiao et al. 2018; pass a fitted
    :class:`~skparaphrase.encoders.CNNEncoder` as `init`).

    The divergence is divided by the number of levels, as in the papers' code, which
    increases the relative weight of the penalties.

    References
    ----------
    K. S. Tai, R. Socher, C. D. Manning, "Improved Semantic Representations From
    Tree-Structured Long Short-Term Memory Networks", ACL 2015.

    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_graded_pairs
    >>> from skparaphrase.supervised import SimilarityRegressor
    >>> pairs, scores = load_graded_pairs(return_X_y=True)
    >>> model = SimilarityRegressor(max_epochs=2, random_state=0).fit(pairs, scores)
    >>> model.levels_.tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    >>> model.predict([("A cat sleeps.", "A cat is asleep.")]).shape
    (1,)
    """

    levels_: NDArray[np.float64]

    _kind = Scores
    _n_texts = 2
    _optimizer = Optimizer(
        "adagrad", vectors_penalty=1e-5, composition_penalty=1e-6, head_penalty=1e-6
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **HeadModel._parameter_constraints,
        "levels": ["array-like", None],
    }

    _paper_settings: ClassVar[Settings] = {
        **wieting_settings(_PAPER, ParaphraseEncoder(pooling="mean")),
        "sif": {
            **_PAPER,
            **FROZEN,
            "encoder": SIFEncoder(a=1e-2),
            "projection_dim": 2400,
        },
        "cse": {
            **_PAPER,
            "init": CNNEncoder(norm=None),  # give a fitted one
            "hidden_dim": 300,
            "text_norm": 1.0,
            "batch_size": 32,
            "optimizer": Optimizer(
                "adam",
                **DENSE,
                vectors_penalty=1e-4,
                composition_penalty=1e-5,
                head_penalty=1e-7,
            ),
        },
    }

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        hidden_dim: int | None = None,
        features: Sequence[str] = ("product", "absdiff", "cosine"),
        projection_dim: int | None = None,
        text_norm: float | None = 2.0,
        freeze: str | None = None,
        init: Encoder | None = None,
        levels: ArrayLike | None = None,
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.01,
        batch_size: int = 50,
        max_epochs: int = 5,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def _validation_score(self, held_out: Examples, train: Examples) -> float:
        predicted = self.predict(held_out.texts)
        return correlation(held_out.targets, predicted, held_out.weights, warn=False)
