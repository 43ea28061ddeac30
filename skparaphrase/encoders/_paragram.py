"""Averages of trained word vectors: paragram-phrase."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._lazy import networks
from skparaphrase.encoders._average import to_model2vec, to_static_embedding
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.losses import Loss, MarginLoss
from skparaphrase.optimizers import CLIPPED_ADAM, DENSE_ADAGRAD, Optimizer
from skparaphrase.vectors import WordFrequencies, WordVectors
from skparaphrase.vectors._pooling import pool_texts


class ParagramEncoder(TrainedEncoder):
    r"""Average of word vectors trained on paraphrases: paragram-phrase (PP).

    Wieting et al. (2016), equation 1: the word vectors are trained until the averages
    of paraphrases are more similar, by a margin, than those of other texts,

    .. math::
        \frac{1}{|X|} \sum_{(x_1, x_2)}
        \Big( & \max(0, \delta - \cos(x_1, x_2) + \cos(x_1, t_1)) \\
        + & \max(0, \delta - \cos(x_1, x_2) + \cos(x_2, t_2)) \Big)
        + \frac{\lambda_w}{2} \lVert W - W_{initial} \rVert^2,

    with negative examples :math:`t_1, t_2` from the other pairs of the batch. The
    defaults are the settings of the paper's best model (PP-XXL, table 4): batches of
    100, margin 0.4, AdaGrad with learning rate 0.05, 10 epochs.

    Parameters
    ----------
    vectors : WordVectors, default=None
        Where training starts. None takes those that `init` started from, or
        :func:`skparaphrase.datasets.load_word_vectors`.
    weighting : {"uniform", "sif"}, default="uniform"
        "uniform" is the paper. "sif", not in the paper, starts from vectors that are
        centred (minus the mean of the table) and multiplied by SIF weights a / (a +
        p(w)).
    a : float, default=1e-3
        Parameter of the SIF weights.
    frequencies : WordFrequencies, mapping of str to int, or "corpus", default=None
        For SIF weights, as in :class:`SIFEncoder`.
    scale : float, default=None
        Mean length that one factor gives to the word vectors before training; None
        leaves them as they are, as the papers do.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words; None is :class:`~skparaphrase.text.WordTokenizer` with
        its defaults.
    init : encoder, default=None
        A fitted encoder of this class, or one in a
        :class:`~sklearn.frozen.FrozenEstimator` (in pipelines and grid searches), that
        training starts from: phrases first, then sentences.

    loss : {"margin", "infonce", "distillation"} or Loss, default="margin"
        "margin" is the paper's, `MarginLoss()`. See :mod:`skparaphrase.losses` for
        others and for your own; "distillation" is fitted with `fit(texts, vectors)`.
    positive_from : float, default=None
        Pairs with at least this graded score are paraphrases.
    optimizer : {"adagrad", "adam", "rmsprop", "sgd"} or Optimizer, default="adagrad"
        The paper used AdaGrad and Adam, with `clip_norm` None or 1. A name is short for
        `Optimizer(name)`; see :class:`~skparaphrase.optimizers.Optimizer`.
    learning_rate : float, default=0.05
        The paper's best for AdaGrad; for Adam it used 0.005 and 0.0005.
    batch_size : int, default=100
        Pairs per step, whose texts are also the negative examples.
    max_epochs : int, default=10
        Passes over the pairs. 0 keeps the initial parameters.
    vectors_penalty : float, default=1e-06
        Lambda_w, which pulls the vectors to those of `vectors`. With sparse updates,
        only the words of the batch are pulled.
    word_dropout : float, default=0.0
        Fraction of the numbers of each word's vector that are set to zero in training.
        Negative examples are chosen without dropout.
    ordered_first_epoch : bool, default=False
        Do not shuffle the pairs in the first epoch (PPDB is sorted by confidence).
    validation_fraction : float, default=None
        Fraction of the examples held out to be scored after every epoch, by
        :class:`~skparaphrase.metrics.RetrievalScorer` or with "distillation" by the
        mean cosine; the best epoch is kept.
    patience : int, default=None
        Stop after so many epochs without a better validation score.

    warm_start : bool, default=False
        If True, `fit` resumes from the fitted state, with optimizer and random state,
        for `max_epochs` more epochs.
    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA if available.
    random_state : int, RandomState instance or None, default=None
        The same seed gives bit-identical results on one CPU with one number of threads.
    verbose : bool or int, default=False
        Print the loss of every epoch. See also :mod:`skparaphrase.callback`.

    Attributes
    ----------
    vectors_ : WordVectors
        The trained vectors, with the words of `vectors`, and those of the texts that it
        makes vectors for.
    initial_weights_ : ndarray of shape (n_words,)
        The SIF weights that training started with, if `weighting` is "sif".
    scale_ : float
        The factor of `scale`; 1 without it.
    teacher_axes_ : ndarray of shape (dim_teacher, dim)
        With "distillation": the map applied to a teacher's vectors of other dimensions.
    loss_curve_ : list of float
        Mean loss of a pair in each epoch, without penalties.
    n_epochs_ : int
        Number of epochs trained.
    validation_scores_ : list of float
        Score after each epoch, with `validation_fraction`.
    best_epoch_ : int
        The epoch, from 1, whose parameters were kept, with `validation_fraction`.

    See Also
    --------
    SIFEncoder : Pass it `vectors_`, trained with uniform weights, to weight them.

    Notes
    -----
    In a `Pipeline`, `fit` trains from the beginning. Wrap a fitted encoder in
    :class:`~sklearn.frozen.FrozenEstimator` to keep it.

    The defaults are the paper's. :meth:`recommended` gives better vectors in less time:
    `weighting="sif"`, `loss="infonce"`, `learning_rate=0.01`, `batch_size=256` and
    `max_epochs=2`. To start from vectors that are weighted already, such as those of
    :func:`skparaphrase.load_pretrained`, pass it `weighting="uniform"`.

    Settings of :meth:`paper`: "ppdb-xxl" (table 4), "ppdb-xl" (table 2), and "words",
    the public recipe of PARAGRAM word vectors for PPDB lexical pairs.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> encoder = ParagramEncoder(max_epochs=2, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 128)
    >>> encoder.loss_curve_[1] < encoder.loss_curve_[0]
    True
    """

    _paper_settings: ClassVar[Settings] = {
        "ppdb-xxl": DENSE_ADAGRAD,
        "ppdb-xl": {**CLIPPED_ADAM, "learning_rate": 0.005},
        "words": {
            **DENSE_ADAGRAD,
            "loss": MarginLoss(0.6, negatives="mix"),
            "batch_size": 50,
            "vectors_penalty": 1e-9,
        },
    }

    _recommended: ClassVar[dict[str, Any]] = {
        "weighting": "sif",
        "loss": "infonce",
        "learning_rate": 0.01,
        "batch_size": 256,
        "max_epochs": 2,
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "weighting": [StrOptions({"uniform", "sif"})],
        "a": [Interval(Real, 0, None, closed="neither")],
        "frequencies": [Mapping, StrOptions({"corpus"}), None],
    }

    initial_weights_: NDArray[np.float64]

    to_model2vec = to_model2vec
    to_static_embedding = to_static_embedding

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        weighting: str = "uniform",
        a: float = 1e-3,
        frequencies: WordFrequencies | Mapping[str, int] | str | None = None,
        scale: float | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        init: Any = None,
        loss: str | Loss = "margin",
        positive_from: float | None = None,
        optimizer: str | Optimizer = "adagrad",
        learning_rate: float = 0.05,
        batch_size: int = 100,
        max_epochs: int = 10,
        vectors_penalty: float = 1e-06,
        word_dropout: float = 0.0,
        ordered_first_epoch: bool = False,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        return networks.Average(vectors.dim)

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        return pool_texts(self.vectors_, self._tokenizer(), texts)
