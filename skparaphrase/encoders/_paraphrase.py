"""Averages of trained word vectors: paragram-phrase."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy, deepcopy
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import Settings, store_parameters, warn_caller
from skparaphrase._lazy import networks, training
from skparaphrase._trained import Attributes, FitSettings
from skparaphrase._typing import Arrays, Encoder
from skparaphrase.encoders._export import StaticEncoder
from skparaphrase.encoders._shrinkage import N_ENOUGH, measure_gain
from skparaphrase.encoders._start import EncoderStart
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.losses import BaseLoss, MarginLoss
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.supervision._examples import Examples
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._pooling import POOLINGS, pool_texts

_PAPER: dict[str, Any] = {  # shared by the settings of tables 2 and 4
    "pooling": "mean",
    "loss": "margin",
    "learning_rate": 0.05,
    "batch_size": 100,
    "max_epochs": 10,
    "shrinkage": 0,
}


class ParaphraseEncoder(TrainedEncoder, StaticEncoder):
    r"""Encode texts as averages of word vectors trained on paraphrases (PP).

    `fit` trains the word vectors on paraphrases, scores, triplets, labels or a
    teacher's vectors. The default settings did best on development data: they start
    from the pretrained vectors, use in-batch negatives
    (:class:`~skparaphrase.losses.InfoNCELoss`) and take small steps.

    :meth:`paper` returns the settings of paragram-phrase (Wieting et al. 2016,
    equation 1). There, the word vectors are trained until the averages of paraphrases
    are more similar, by a margin, than the averages of other texts,

    .. math::
        \frac{1}{|X|} \sum_{(x_1, x_2)}
        \Big( & \max(0, \delta - \cos(x_1, x_2) + \cos(x_1, t_1)) \\
        + & \max(0, \delta - \cos(x_1, x_2) + \cos(x_2, t_2)) \Big)
        + \frac{\lambda_w}{2} \lVert W - W_{initial} \rVert^2,

    with negative examples :math:`t_1, t_2` from the other pairs of the batch.

    Parameters
    ----------
    vectors : WordVectors, default=None
        Initial word vectors. None takes the vectors of `init`, or of
        :func:`skparaphrase.load_pretrained`. Raw vectors, such as GloVe, do better
        after :func:`~skparaphrase.vectors.remove_mean` and
        :func:`~skparaphrase.vectors.apply_sif_weights`.
    pooling : {"mean", "distinct"}, default="distinct"
        As in :class:`AverageEncoder`. The paper uses "mean". In training, the weights
        of "distinct" words are constants: no gradient flows through them.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words; None is :class:`~skparaphrase.text.WordTokenizer` with
        its defaults.
    init : encoder, default=None
        A fitted average of word vectors that training starts from, such as an encoder
        trained on phrases, or :func:`skparaphrase.load_pretrained`. In pipelines and
        grid searches, wrap it in a :class:`~sklearn.frozen.FrozenEstimator`.
    norm : {"l2"} or None, default="l2"
        "l2" scales the vectors of texts to length 1; None, as in :meth:`paper`, does
        not. Training is the same, because losses compare by cosine. A zero vector stays
        zero.
    loss : str or BaseLoss, default="auto"
        "auto" takes "infonce" for paraphrases, triplets and labels, "cosent" for scores
        and "distillation" for vectors. "margin" is `MarginLoss()`, the loss of Wieting
        et al. See :mod:`skparaphrase.losses` for custom losses.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adagrad")`. See :class:`~skparaphrase.optimizers.Optimizer`,
        whose penalties are the paper's lambdas.
    learning_rate : float, default=0.0075
        With a higher rate, the vectors fit the examples better, but get worse for other
        texts.
    batch_size : int, default=256
        Number of examples per step. Their texts are also the negative examples.
    max_epochs : int, default=5
        Passes over the examples. 0 keeps the initial parameters.
    shrinkage : "auto" or float in [0, 1], default="auto"
        How far the trained vectors :math:`W` are moved back to the initial vectors:
        they become :math:`W_{initial} + (1 - s) (W - W_{initial})`. 0 keeps the trained
        vectors, as in :meth:`paper`, and 1 the initial ones. "auto" chooses it by
        cross-validation (see Notes), which keeps few examples from making the encoder
        worse. It is 0 with 1,000 examples or more, with a teacher's vectors, in
        `partial_fit`, with `warm_start=True`, and with `validation_fraction` or
        `X_val`, because validation already compares the start with each epoch.
    validation_fraction : float, default=None
        Fraction of the examples held out for validation after every epoch; the best
        epoch is kept. Examples that share a text, or belong to one of the `groups` of
        :meth:`fit`, are not split. Pairs and triplets are scored by
        :class:`~skparaphrase.metrics.RetrievalScorer`, pairs marked 0 and 1 by average
        precision, scores by Pearson's r, labels by the accuracy of the nearest
        neighbour, vectors by the mean cosine. Alternatively, pass `X_val` and `y_val`
        to :meth:`fit`.
    patience : int, default=None
        Number of epochs without a better validation score before training stops.
    warm_start : bool, default=False
        If True, `fit` resumes from the fitted state, including the optimizer and the
        random state, and trains for `max_epochs` more epochs.
    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA if available.
    random_state : int, RandomState instance or None, default=None
        Seed. Results are bit-identical on the same CPU with the same number of threads.
    verbose : bool or int, default=False
        Print the loss and the validation score of every epoch, and the gain from
        training at the end. See also :mod:`skparaphrase.callback`.

    Attributes
    ----------
    vectors_ : WordVectors
        The trained vectors, with the words of `vectors`, and the other words of the
        texts if `vectors` has n-grams for them.
    teacher_axes_ : ndarray of shape (dim_teacher, dim)
        With "distillation": the map applied to a teacher's vectors of other dimensions.
    shrinkage_ : float
        The `shrinkage` of the last fit. If it is 1, `vectors_` is the initial table,
        without added words, and a warning says so.
    loss_curve_ : list of float
        Mean loss of a pair in each epoch, without penalties.
    n_epochs_ : int
        Number of epochs trained.
    validation_scores_ : list of float
        With validation, the score before training, and after each epoch:
        `validation_scores_[best_epoch_] - validation_scores_[0]` is the gain.
    best_epoch_ : int
        With validation, the epoch that was kept; 0 is the start.

    See Also
    --------
    skparaphrase.load_pretrained : The encoder that training starts from by default.

    Notes
    -----
    In a `Pipeline`, `fit` trains from the beginning. Wrap a fitted encoder in
    :class:`~sklearn.frozen.FrozenEstimator` to keep it.

    `shrinkage="auto"` trains five more times, each time without a fifth of the
    examples. On these it measures the gain from training: the mean gain :math:`g` per
    example and its standard error :math:`e`. Like the positive-part estimator of James
    and Stein (1961), :math:`s = \min(1, (e / g)^2)`, and 1 where :math:`g \le e`. With
    labels, the gain is measured in the log-likelihood of the class under soft nearest
    neighbours among the training texts (Goldberger et al., 2005). With paraphrases, it
    is measured in the log-likelihood of the paraphrase among the other texts of the
    fifth. Start and fit each use their best temperature. With scores or marks, it is
    measured in the correlation of the cosines with the ranks of `y`. Examples that
    share a text, or belong to one of the `groups`, stay together; if all examples do,
    the start is kept. Weights of unseen examples are ignored.

    Settings of :meth:`paper`: "ppdb-xxl" (table 4), "ppdb-xl" (table 2), and "words",
    the public recipe of the PARAGRAM word vectors for lexical pairs of PPDB. Without
    `vectors`, training starts from :func:`skparaphrase.datasets.load_word_vectors`.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    W. James, C. Stein, "Estimation with Quadratic Loss", Proceedings of the Fourth
    Berkeley Symposium on Mathematical Statistics and Probability, 1961.

    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, "Neighbourhood Components
    Analysis", NIPS 2004.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParaphraseEncoder
    >>> encoder = ParaphraseEncoder(random_state=0).fit(load_paraphrases().data)
    >>> encoder.transform(["A cat sleeps."]).shape
    (1, 256)
    >>> encoder.loss_curve_[-1] < encoder.loss_curve_[0]
    True
    """

    _paper_settings: ClassVar[Settings] = {
        "ppdb-xxl": {
            **_PAPER,
            "optimizer": Optimizer("adagrad", **DENSE, vectors_penalty=1e-6),
        },
        "ppdb-xl": {
            **_PAPER,
            "optimizer": Optimizer(
                "adam", **DENSE, clip_norm=1.0, vectors_penalty=1e-6
            ),
            "learning_rate": 0.005,
        },
        "words": {
            **_PAPER,
            "optimizer": Optimizer("adagrad", **DENSE, vectors_penalty=1e-9),
            "loss": MarginLoss(0.6, negatives="mix"),
            "batch_size": 50,
        },
    }

    _optimizer = Optimizer("adagrad")

    shrinkage_: float

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "pooling": [StrOptions(set(POOLINGS))],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        pooling: str = "distinct",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        init: Encoder | None = None,
        norm: str | None = "l2",
        loss: str | BaseLoss = "auto",
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.0075,
        batch_size: int = 256,
        max_epochs: int = 5,
        shrinkage: float | str = "auto",
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def _composition(self, vectors: WordVectors) -> networks.Composition:
        return networks.Average(vectors.dim, self.pooling)

    def _start(self, train: Examples, settings: FitSettings) -> EncoderStart:
        fixed = 0.0 if self.shrinkage == "auto" else float(self.shrinkage)
        return replace(super()._start(train, settings), shrinkage=fixed)

    def _shrink(
        self, start: EncoderStart, train: Examples, settings: FitSettings
    ) -> EncoderStart:
        is_fixed = self.shrinkage != "auto"
        needs_none = train.kind.has_teacher or len(train) >= N_ENOUGH
        if is_fixed or needs_none or not self.max_epochs:
            return start
        train = replace(train, texts=np.asarray(train.texts))
        small = copy(self)  # only words of the texts: tables are copied often
        small.vectors, small.init = start.rows.small_table(), None
        fit, embed = partial(small._embed_after, settings), self._at_start(start)._embed
        gain = measure_gain(train, embed, fit, RandomState(settings.seed))
        if gain.shrinkage == 1:
            warn_caller(
                f"{type(self).__name__} keeps the vectors that it started from, with "
                f"{gain}. More examples help; shrinkage=0 keeps the trained vectors.",
                ConvergenceWarning,
            )
        return replace(start, shrinkage=gain.shrinkage, gain=gain)

    def _embed_after(
        self, settings: FitSettings, train: Examples
    ) -> Callable[[list[str]], NDArray[np.float32]]:
        """Train on examples and return a function that embeds texts; store nothing."""
        rng = deepcopy(settings.steps.random_state)
        settings = settings._replace(steps=settings.steps._replace(random_state=rng))
        start = self._start(train, settings)
        history = training.fit_epochs(
            self._trainer(start, train, settings),
            self.max_epochs,
            name=type(self).__name__,
            on_interrupt=lambda history: None,
            small_steps=self._small_steps,
        )
        attributes = self._attributes(start, history.arrays, is_scratch=True)
        return self._with(attributes)._embed

    def _attributes(
        self, start: EncoderStart, arrays: Arrays, *, is_scratch: bool = False
    ) -> Attributes:
        """Move the trained vectors back towards their start."""
        arrays = arrays.copy()
        if start.shrinkage and "vectors" in arrays:
            trained, initial = arrays.pop("vectors"), start.rows.matrix()
            if start.shrinkage < 1:
                step = np.float32(1 - start.shrinkage) * (trained - initial)
                arrays["vectors"] = initial + step
        attributes = super()._attributes(start, arrays, is_scratch=is_scratch)
        return attributes | {"shrinkage_": start.shrinkage}

    def _static_parts(self) -> tuple[WordVectors, None]:
        """The table that is averaged, and None for the weights of its words."""
        return self.vectors_, None

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        tokenizer = self._tokenizer()
        return pool_texts(self.vectors_, texts, tokenizer, pooling=self.pooling)
