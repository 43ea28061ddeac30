"""Labels of texts and of pairs of texts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite, column_or_1d, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase._compat import StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase.encoders import LSTMEncoder, ParagramEncoder, SIFEncoder
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised._base import FROZEN, SupervisedModel, wieting_settings
from skparaphrase.supervised._graded import smooth_targets
from skparaphrase.supervised._model import Examples


class LabelModel(ClassifierMixin, SupervisedModel):
    """Base class of classifiers, with labels of any type."""

    _loss = "cross_entropy"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupervisedModel._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label of each example.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            As in :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        codes = self._probabilities(X).argmax(axis=1)
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each label.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            As in :meth:`fit`.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._probabilities(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            As in `predict_proba`.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return np.log(self.predict_proba(X))

    def _check_targets(self, y: Any, *, reset: bool) -> NDArray[Any]:
        labels = _check_labels(y)
        found = np.unique(labels)
        if reset:
            if len(found) < 2:
                raise ValueError(
                    "The number of classes has to be greater than one; got "
                    f"{len(found)} class."
                )
            self.classes_ = found
        new = np.setdiff1d(found, self.classes_)
        if len(new):
            raise ValueError(
                f"y contains the labels {new.tolist()}, but training started with "
                f"{self.classes_.tolist()}. Fit a clone to start again."
            )
        return labels

    def _check_held_out(self, y: Any) -> NDArray[Any]:
        labels = _check_labels(y)
        if not np.isin(labels, self.classes_).any():
            raise ValueError(
                f"y_val contains the labels {np.unique(labels).tolist()}, none of "
                f"which occurs in y: {self.classes_.tolist()}."
            )
        return labels

    def _reweight(self, examples: Examples) -> Examples:
        if self.class_weight is None:
            return examples
        by_class = compute_sample_weight(self.class_weight, examples.targets)
        if not (np.isfinite(by_class).all() and by_class.min() >= 0 < by_class.max()):
            raise ValueError(
                "class_weight must be finite, not negative, and positive for some "
                f"label of the examples; got {self.class_weight!r}."
            )
        return examples.reweight(by_class)

    def _distributions(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        codes = np.searchsorted(self.classes_, targets)
        return smooth_targets(np.eye(self._n_outputs)[codes])

    @property
    def _n_outputs(self) -> int:
        return len(self.classes_)


class PairClassifier(LabelModel):
    r"""Label of a pair of texts, such as entailment, learnt from labelled pairs.

    The head of :class:`SimilarityRegressor` with labels as outputs and cross-entropy as
    loss, as Wieting et al. (2016) train it for the entailment of SICK. The defaults are
    their settings for averages, except for `scale` and sparse updates.

    The product and the absolute difference do not depend on the order of the texts.

    Parameters
    ----------
    encoder : encoder, default=None
        Any of :mod:`skparaphrase.encoders`; None is
        :class:`~skparaphrase.encoders.ParagramEncoder` with the bundled vectors. It is
        trained from the beginning, vectors included; only its tokenisation and
        architecture parameters are used. Weighted averages, such as
        :class:`~skparaphrase.encoders.SIFEncoder`, train their weighted vectors. In a
        :class:`~sklearn.frozen.FrozenEstimator`, an encoder (or any transformer of
        texts) stays as it is, unless `prior` is set.
    hidden_dim : int, default=150
        Units of the sigmoid layer.
    how : sequence of str, default=("product", "absdiff")
        Features of a pair that the sigmoid layer reads, as in
        :class:`~skparaphrase.pairs.PairFeatures` but without "cosine".
    projection_dim : int, default=None
        Project the vectors of texts to this length first (2400 in the SIF paper).
    train_projection : bool, default=True
        False keeps the random projection.
    normalize : bool, default=False
        Scale the vectors of texts to length 1, as Jiao et al. (2018) do.
    scale : float, default=6.0
        Mean length that one factor gives to vectors before training: to word vectors,
        if training starts from them; otherwise (the encoder is frozen, was fitted
        before or is one of characters, or `normalize`) to text vectors before the head,
        and the vectors of the encoder then learn at the rate divided by the factor.
        From vectors of length 1 a head learns slowly, and the gates of an LSTM hardly
        open. None leaves them as they are, as the papers do.
    freeze : {"vectors", "encoder"}, default=None
        What is not trained: the vectors of words, n-grams or characters; or the whole
        encoder. With "encoder" each distinct text is embedded once, before the epochs,
        and an unfitted encoder of another library is fitted on the texts. A few hundred
        scores are too few to train an encoder.
    prior : {"universal"}, default=None
        None: the encoder starts untrained, and the penalties pull vectors to where they
        started, other parameters to zero. "universal": training starts from the fitted
        encoder and is regularised towards it (Wieting et al. 2016). In a pipeline or a
        grid search it must then be in a :class:`~sklearn.frozen.FrozenEstimator`, which
        keeps its fit when it is cloned; a copy of it is trained.

    optimizer : {"adagrad", "adam", "rmsprop", "sgd"} or Optimizer, default="adagrad"
        AdaGrad with a rate of 0.05 can saturate the head behind `projection_dim` or an
        encoder with layers; Adam is safer. A name is short for `Optimizer(name)`; see
        :class:`~skparaphrase.optimizers.Optimizer`.
    learning_rate : float, default=0.05
    batch_size : int, default=25
        Examples per step.
    max_epochs : int, default=10
        Passes over the examples. 0 keeps the initial parameters.
    vectors_penalty : float, default=1e-05
        Lambda_w. With sparse updates, only the vectors of the batch are pulled.
    composition_penalty : float, default=1e-6
        Lambda_c, for the other parameters of the encoder.
    head_penalty : float, default=1e-6
        Lambda_s, which pulls projection and head to zero. As in the papers' code, half
        of each lambda multiplies the sum of squares.
    class_weight : dict or "balanced", default=None
        Weights of the labels in the loss, multiplied by `sample_weight`; "balanced":
        inversely proportional to their frequencies.
    validation_fraction : float, default=None
        Fraction of the examples held out to be scored after every epoch; the best epoch
        is kept. Or pass `X_val` and `y_val` to :meth:`fit`.
    patience : int, default=None
        Stop after so many epochs without a better validation score.

    warm_start : bool, default=False
        If True, `fit` resumes from the fitted state, including optimizer and random
        state, for `max_epochs` more epochs. `encoder` and `scale` only matter where
        training starts. After validation it resumes from the best epoch, with the
        optimizer state of the last one.
    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA if available.
    random_state : int, RandomState instance or None, default=None
        The same seed gives bit-identical results on one CPU with one number of threads.
    verbose : bool or int, default=False
        Print the loss of every epoch. See also :mod:`skparaphrase.callback`.

    Attributes
    ----------
    encoder_ : encoder
        The trained encoder: its `transform` gives vectors for other uses.
    head_ : dict of str to ndarray
        "hidden.weight", "hidden.bias", "output.weight", "output.bias", and with
        `projection_dim` "projection.weight" and "projection.bias".
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    scale_ : float
        The factor of `scale`.
    scales_words_ : bool
        Whether the factor is applied to word vectors, or else to text vectors.
    loss_curve_ : list of float
        Mean loss of an example in each epoch, without penalties.
    n_epochs_ : int
        Number of epochs trained.
    validation_scores_ : list of float
        Accuracy on the validation examples after each epoch, if there is validation.
    best_epoch_ : int
        The epoch, from 1, whose parameters were kept, if there is validation.

    See Also
    --------
    SimilarityRegressor : Scores instead of labels.
    skparaphrase.pairs.PairFeatures : The features, for any other classifier.

    Notes
    -----
    Settings of :meth:`paper`: "wieting" (table 5),
    "wieting-universal" and "wieting-features" (tables 5 and 6, with a fitted encoder in
    a :class:`~sklearn.frozen.FrozenEstimator`), "sif" (table 2 of Arora et al. 2017; it
    brings a :class:`~skparaphrase.encoders.SIFEncoder` of a=1e-2, which divides by the
    number of words, where their code divides by the sum of weights; `encoder__vectors`
    is for your vectors).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> from skparaphrase.supervised import PairClassifier
    >>> pairs, scores = load_similarity(return_X_y=True)
    >>> model = PairClassifier(max_epochs=2, random_state=0).fit(pairs, scores >= 4)
    >>> model.predict_proba([("A cat sleeps.", "A cat is asleep.")]).shape
    (1, 2)
    """

    _n_texts = 2

    _paper_settings: ClassVar[Settings] = {
        **wieting_settings("adagrad", ParagramEncoder()),
        "sif": {
            **FROZEN,
            "optimizer": Optimizer("adagrad", sparse=False),
            "encoder": SIFEncoder(a=1e-2),
            "projection_dim": 2400,
        },
    }

    def __init__(
        self,
        encoder: Any = None,
        *,
        hidden_dim: int = 150,
        how: Sequence[str] = ("product", "absdiff"),
        projection_dim: int | None = None,
        train_projection: bool = True,
        normalize: bool = False,
        scale: float | None = 6.0,
        freeze: str | None = None,
        prior: str | None = None,
        optimizer: str | Optimizer = "adagrad",
        learning_rate: float = 0.05,
        batch_size: int = 25,
        max_epochs: int = 10,
        vectors_penalty: float = 1e-05,
        composition_penalty: float = 1e-6,
        head_penalty: float = 1e-6,
        class_weight: Mapping[Any, float] | str | None = None,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())


class SentenceClassifier(LabelModel):
    r"""Label of a text, such as its sentiment, learnt from labelled texts.

    A sigmoid layer and a softmax on any encoder, trained with cross-entropy, as Wieting
    et al. (2016) do for the sentiment of SST. The defaults are their settings for an
    :class:`~skparaphrase.encoders.LSTMEncoder` with output gate, their best encoder,
    except for `scale` and sparse updates.

    Parameters
    ----------
    encoder : encoder, default=None
        Any of :mod:`skparaphrase.encoders`; None is
        :class:`~skparaphrase.encoders.ParagramEncoder` with the bundled vectors. It is
        trained from the beginning, vectors included; only its tokenisation and
        architecture parameters are used. Weighted averages, such as
        :class:`~skparaphrase.encoders.SIFEncoder`, train their weighted vectors. In a
        :class:`~sklearn.frozen.FrozenEstimator`, an encoder (or any transformer of
        texts) stays as it is, unless `prior` is set.
    hidden_dim : int, default=300
        Units of the sigmoid layer.
    projection_dim : int, default=None
        Project the vectors of texts to this length first (2400 in the SIF paper).
    train_projection : bool, default=True
        False keeps the random projection.
    normalize : bool, default=False
        Scale the vectors of texts to length 1, as Jiao et al. (2018) do.
    scale : float, default=6.0
        Mean length that one factor gives to vectors before training: to word vectors,
        if training starts from them; otherwise (the encoder is frozen, was fitted
        before or is one of characters, or `normalize`) to text vectors before the head,
        and the vectors of the encoder then learn at the rate divided by the factor.
        From vectors of length 1 a head learns slowly, and the gates of an LSTM hardly
        open. None leaves them as they are, as the papers do.
    freeze : {"vectors", "encoder"}, default=None
        What is not trained: the vectors of words, n-grams or characters; or the whole
        encoder. With "encoder" each distinct text is embedded once, before the epochs,
        and an unfitted encoder of another library is fitted on the texts. A few hundred
        scores are too few to train an encoder.
    prior : {"universal"}, default=None
        None: the encoder starts untrained, and the penalties pull vectors to where they
        started, other parameters to zero. "universal": training starts from the fitted
        encoder and is regularised towards it (Wieting et al. 2016). In a pipeline or a
        grid search it must then be in a :class:`~sklearn.frozen.FrozenEstimator`, which
        keeps its fit when it is cloned; a copy of it is trained.

    optimizer : {"adagrad", "adam", "rmsprop", "sgd"} or Optimizer, default="adam"
        AdaGrad with a rate of 0.05 can saturate the head behind `projection_dim` or an
        encoder with layers; Adam is safer. A name is short for `Optimizer(name)`; see
        :class:`~skparaphrase.optimizers.Optimizer`.
    learning_rate : float, default=0.001
    batch_size : int, default=25
        Examples per step.
    max_epochs : int, default=10
        Passes over the examples. 0 keeps the initial parameters.
    vectors_penalty : float, default=1e-06
        Lambda_w. With sparse updates, only the vectors of the batch are pulled.
    composition_penalty : float, default=1e-6
        Lambda_c, for the other parameters of the encoder.
    head_penalty : float, default=1e-6
        Lambda_s, which pulls projection and head to zero. As in the papers' code, half
        of each lambda multiplies the sum of squares.
    class_weight : dict or "balanced", default=None
        Weights of the labels in the loss, multiplied by `sample_weight`; "balanced":
        inversely proportional to their frequencies.
    validation_fraction : float, default=None
        Fraction of the examples held out to be scored after every epoch; the best epoch
        is kept. Or pass `X_val` and `y_val` to :meth:`fit`.
    patience : int, default=None
        Stop after so many epochs without a better validation score.

    warm_start : bool, default=False
        If True, `fit` resumes from the fitted state, including optimizer and random
        state, for `max_epochs` more epochs. `encoder` and `scale` only matter where
        training starts. After validation it resumes from the best epoch, with the
        optimizer state of the last one.
    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA if available.
    random_state : int, RandomState instance or None, default=None
        The same seed gives bit-identical results on one CPU with one number of threads.
    verbose : bool or int, default=False
        Print the loss of every epoch. See also :mod:`skparaphrase.callback`.

    Attributes
    ----------
    encoder_ : encoder
        The trained encoder: its `transform` gives vectors for other uses.
    head_ : dict of str to ndarray
        "hidden.weight", "hidden.bias", "output.weight", "output.bias", and with
        `projection_dim` "projection.weight" and "projection.bias".
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    scale_ : float
        The factor of `scale`.
    scales_words_ : bool
        Whether the factor is applied to word vectors, or else to text vectors.
    loss_curve_ : list of float
        Mean loss of an example in each epoch, without penalties.
    n_epochs_ : int
        Number of epochs trained.
    validation_scores_ : list of float
        Accuracy on the validation examples after each epoch, if there is validation.
    best_epoch_ : int
        The epoch, from 1, whose parameters were kept, if there is validation.

    See Also
    --------
    PairClassifier : Labels of pairs.

    Notes
    -----
    Settings of :meth:`paper`: "wieting" (table 5, with a gated LSTM),
    "wieting-universal" and "wieting-features" (tables 5 and 6, with a fitted encoder in
    a :class:`~sklearn.frozen.FrozenEstimator`), "sif" (table 2 of Arora et al. 2017; it
    brings a :class:`~skparaphrase.encoders.SIFEncoder` of a=1e-3, which divides by the
    number of words, where their code divides by the sum of weights; `encoder__vectors`
    is for your vectors).

    Tf-idf of words and word pairs with a linear classifier is a strong alternative
    where topic words decide: see the table of frozen features in the benchmarks.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_sentiment
    >>> from skparaphrase.supervised import SentenceClassifier
    >>> texts, labels = load_sentiment(return_X_y=True)
    >>> model = SentenceClassifier(max_epochs=2, random_state=0).fit(texts, labels)
    >>> model.predict_proba(["A wonderful film."]).shape
    (1, 2)
    """

    _n_texts = 1

    _paper_settings: ClassVar[Settings] = {
        **wieting_settings("adam", LSTMEncoder(output_gate=True)),
        "sif": {
            **FROZEN,
            "optimizer": Optimizer("adagrad", sparse=False),
            "encoder": SIFEncoder(a=1e-3),
            "projection_dim": 2400,
            "learning_rate": 0.05,
            "hidden_dim": 150,
        },
    }

    def __init__(
        self,
        encoder: Any = None,
        *,
        hidden_dim: int = 300,
        projection_dim: int | None = None,
        train_projection: bool = True,
        normalize: bool = False,
        scale: float | None = 6.0,
        freeze: str | None = None,
        prior: str | None = None,
        optimizer: str | Optimizer = "adam",
        learning_rate: float = 0.001,
        batch_size: int = 25,
        max_epochs: int = 10,
        vectors_penalty: float = 1e-06,
        composition_penalty: float = 1e-6,
        head_penalty: float = 1e-6,
        class_weight: Mapping[Any, float] | str | None = None,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())


def _check_labels(y: Any) -> NDArray[Any]:
    """Labels as a vector."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels
