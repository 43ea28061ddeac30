"""Classifiers of texts and of pairs of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._frames import column_names
from skparaphrase._trained import Attributes
from skparaphrase._typing import Encoder, Texts
from skparaphrase.encoders import LSTMEncoder, ParaphraseEncoder, SIFEncoder
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.supervised._heads import FROZEN, HeadModel, wieting_settings
from skparaphrase.supervision._targets import Classes, LabelSets, Targets

#: Settings of Wieting et al. (2016), for averages and for LSTMs with output gate.
_PENALTIES: dict[str, Any] = {"composition_penalty": 1e-6, "head_penalty": 1e-6}
_PAIRS: dict[str, Any] = {
    "optimizer": Optimizer("adagrad", **DENSE, vectors_penalty=1e-5, **_PENALTIES),
    "hidden_dim": 150,
    "features": ("product", "absdiff"),
    "text_norm": None,
    "learning_rate": 0.05,
    "batch_size": 25,
    "max_epochs": 10,
}
_SENTENCES: dict[str, Any] = {
    "optimizer": Optimizer("adam", **DENSE, vectors_penalty=1e-6, **_PENALTIES),
    "hidden_dim": 300,
    "text_norm": None,
    "learning_rate": 0.001,
    "batch_size": 25,
    "max_epochs": 10,
}


class LabelProbabilities(ClassifierMixin):
    """Mixin for classifiers that predict probabilities of labels."""

    _probabilities: Callable[[Any], NDArray[np.float64]]

    def predict_proba(self, X: Texts) -> NDArray[np.float64]:
        """Probability of each label.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            The texts or pairs.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._probabilities(X)

    def predict_log_proba(self, X: Texts) -> NDArray[np.float64]:
        """Logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            The texts or pairs.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return np.log(self.predict_proba(X))


class PairClassifier(LabelProbabilities, HeadModel):
    r"""Classify pairs of texts, for example by entailment.

    The head is as in :class:`SimilarityRegressor`, with labels as outputs and
    cross-entropy as loss. It starts as logistic regression on features of the two
    vectors; then the vectors are also trained. :meth:`paper` returns the heads of
    Wieting et al. (2016) for the entailment of SICK.

    The default features do not depend on the order of the texts.

    Parameters
    ----------
    encoder, hidden_dim, features, projection_dim, text_norm, freeze, init
        As in :class:`SimilarityRegressor`.
    optimizer : str or Optimizer, default=None
        None is ``Optimizer("adagrad", vectors_penalty=1e-5, composition_penalty=1e-6,
        head_penalty=1e-6)``.
    learning_rate : float, default=0.01
        Length of the steps. Unlike in :class:`SimilarityRegressor`, it does not depend
        on the number of examples.
    batch_size, max_epochs
        As in :class:`SimilarityRegressor`.
    class_weight : dict or "balanced", default=None
        Weights of the labels in the loss, multiplied by `sample_weight`; "balanced"
        makes them inversely proportional to the frequencies of the labels.
    validation_fraction, patience, warm_start, device, random_state, verbose
        As in :class:`SimilarityRegressor`.

    Attributes
    ----------
    encoder_, head_
        As in :class:`SimilarityRegressor`.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    loss_curve_, n_epochs_
        As in :class:`SimilarityRegressor`.
    validation_scores_ : list of float
        Accuracy on the validation examples, if there are any, at the start and after
        each epoch.
    best_epoch_
        As in :class:`SimilarityRegressor`.

    See Also
    --------
    SimilarityRegressor : Scores instead of labels.
    skparaphrase.pairs.PairFeatures : The features, for any other classifier.

    Notes
    -----
    Settings of :meth:`paper`: "wieting" (table 5),
    "wieting-universal" (table 5; pass a fitted encoder as `init`), "wieting-features"
    (table 6; pass a fitted encoder in a :class:`~sklearn.frozen.FrozenEstimator`),
    "sif" (table 2 of Arora et al. 2017,
    with a :class:`~skparaphrase.encoders.SIFEncoder` of a=1e-2). See also
    :class:`SimilarityRegressor`.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_graded_pairs
    >>> from skparaphrase.supervised import PairClassifier
    >>> pairs, scores = load_graded_pairs(return_X_y=True)
    >>> model = PairClassifier(max_epochs=2, random_state=0).fit(pairs, scores >= 4)
    >>> model.predict_proba([("A cat sleeps.", "A cat is asleep.")]).shape
    (1, 2)
    """

    classes_: NDArray[Any]

    _kind = Classes
    _n_texts = 2
    _optimizer = Optimizer("adagrad", vectors_penalty=1e-5, **_PENALTIES)
    _enough_nats = 0.0

    _paper_settings: ClassVar[Settings] = {
        **wieting_settings(_PAIRS, ParaphraseEncoder(pooling="mean")),
        "sif": {
            **_PAIRS,
            **FROZEN,
            "encoder": SIFEncoder(a=1e-2),
            "projection_dim": 2400,
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
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.01,
        batch_size: int = 50,
        max_epochs: int = 5,
        class_weight: Mapping[Any, float] | str | None = None,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())


class TextClassifier(LabelProbabilities, HeadModel):
    r"""Classify texts, for example by topic, intent or sentiment.

    Logistic regression is fitted on the vectors of any encoder; then both are trained
    with cross-entropy. The regression is regularised towards the nearest-centroid
    classifier, so a few texts per label are enough, and labels may be imbalanced. The
    more texts there are, the weaker this prior is.

    Texts may have several labels, or none. Then `y` is an indicator matrix of shape
    (n_samples, n_labels), dense or sparse;
    :class:`~sklearn.preprocessing.MultiLabelBinarizer` makes it from lists of labels.
    Each label has a sigmoid instead of the softmax, and `predict` returns an indicator
    matrix.

    :meth:`paper` returns the sigmoid layer of Wieting et al. (2016) for the sentiment
    of SST.

    Parameters
    ----------
    encoder, hidden_dim, projection_dim, text_norm, freeze, init
        As in :class:`SimilarityRegressor`.
    optimizer : str or Optimizer, default=None
        None is ``Optimizer("adagrad", vectors_penalty=1e-6, composition_penalty=1e-6,
        head_penalty=1e-6)``.
    learning_rate, batch_size, max_epochs
        As in :class:`SimilarityRegressor`.
    class_weight : dict or "balanced", default=None
        As in :class:`PairClassifier`. With several labels per text, the weights of 0
        and 1 for each label; "balanced" makes rare labels more probable.
    validation_fraction, patience, warm_start, device, random_state, verbose
        As in :class:`SimilarityRegressor`.

    Attributes
    ----------
    encoder_, head_
        As in :class:`SimilarityRegressor`.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted. With several labels per text, the names of the columns of
        `y` if it is a data frame, otherwise their indices.
    multilabel_ : bool
        Whether texts have several labels.
    loss_curve_, n_epochs_
        As in :class:`SimilarityRegressor`.
    validation_scores_
        As in :class:`PairClassifier`.
    best_epoch_
        As in :class:`SimilarityRegressor`.

    See Also
    --------
    PairClassifier : Labels of pairs.

    Notes
    -----
    Settings of :meth:`paper`: "wieting" (table 5, with a gated LSTM),
    "wieting-universal" (table 5; pass a fitted encoder as `init`), "wieting-features"
    (table 6; pass a fitted encoder in a :class:`~sklearn.frozen.FrozenEstimator`),
    "sif" (table 2 of Arora et al. 2017,
    with a :class:`~skparaphrase.encoders.SIFEncoder` of a=1e-3). See also
    :class:`SimilarityRegressor`.

    The linear head starts as multinomial logistic regression with a penalty on the
    difference from a prior. With vectors of length 1, the prior's logits are -6 times
    the squared distance between the vector of a text and the mean vector of a label.
    For K labels, the penalty is 64 (K - 1) / K**2, a multiple of the curvature of the
    loss where all labels are equally probable. `text_norm` changes neither the prior
    nor the penalty of weights.

    Tf-idf of words and word pairs with a linear classifier is a strong alternative if
    the label depends on topic words: see the table of frozen features in the
    benchmarks.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_sentiment
    >>> from skparaphrase.supervised import TextClassifier
    >>> texts, labels = load_sentiment(return_X_y=True)
    >>> model = TextClassifier(max_epochs=2, random_state=0).fit(texts, labels)
    >>> model.predict_proba(["A wonderful film."]).shape
    (1, 2)
    """

    classes_: NDArray[Any]
    multilabel_: bool

    _kind = Classes
    _fitted_names = *HeadModel._fitted_names, "multilabel_"
    _n_texts = 1
    _optimizer = Optimizer("adagrad", vectors_penalty=1e-6, **_PENALTIES)

    _paper_settings: ClassVar[Settings] = {
        **wieting_settings(
            _SENTENCES, LSTMEncoder(dim=None, residual=False, output_gate=True)
        ),
        "sif": {
            **_SENTENCES,
            **FROZEN,
            "optimizer": Optimizer(
                "adagrad", **DENSE, vectors_penalty=1e-6, **_PENALTIES
            ),
            "encoder": SIFEncoder(a=1e-3),
            "projection_dim": 2400,
            "learning_rate": 0.05,
            "hidden_dim": 150,
        },
    }

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        hidden_dim: int | None = None,
        projection_dim: int | None = None,
        text_norm: float | None = 2.0,
        freeze: str | None = None,
        init: Encoder | None = None,
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.01,
        batch_size: int = 50,
        max_epochs: int = 5,
        class_weight: Mapping[Any, float] | str | None = None,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def _kind_of(self, y: ArrayLike) -> type[Targets]:
        return LabelSets if LabelSets.matches(y) else Classes

    def _outputs_of(self, y: ArrayLike) -> NDArray[np.str_] | None:
        names = column_names(y)
        named = names and all(isinstance(name, str) for name in names)
        return np.array(names) if named else None

    def _check_columns(self, targets: Targets, y: Any, name: str) -> None:
        names = self._outputs_of(y)
        if not isinstance(targets, LabelSets) or names is None:
            return
        if names.tolist() != targets.outputs.tolist():
            raise ValueError(
                f"{name} has the columns {names.tolist()}, but training started with "
                f"{targets.outputs.tolist()}: select them in this order."
            )

    def _target_attributes(self, targets: Targets) -> Attributes:
        multilabel = isinstance(targets, LabelSets)
        return {**super()._target_attributes(targets), "multilabel_": multilabel}

    @property
    def _targets(self) -> Targets:
        return (LabelSets if self.multilabel_ else Classes)(self.classes_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
