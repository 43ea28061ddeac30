"""Labels of texts, such as sentiment."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any

from skparaphrase.supervised._classifier import LabelModel


class SentenceClassifier(LabelModel):
    r"""Label of a text, such as its sentiment, learnt from labelled texts.

    A sigmoid layer and a softmax on any encoder, trained with cross-entropy, as Wieting
    et al. (2016) do for the sentiment of SST. Defaults are their setting
    for an :class:`~skparaphrase.encoders.LSTMEncoder` with output gate, their best,
    but for `scale` and sparse updates.

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

    hidden_dim : int, default=300
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
        and an unfitted encoder that is none of ours is fitted on the texts.

    prior : {"universal"}, default=None
        None: the encoder begins untrained, and the penalties pull vectors to where
        they began, other parameters to zero. "universal": training begins with the
        fitted encoder, and the penalties pull back to it (Wieting et al. 2016). In a
        pipeline or a grid search it must then be in a
        :class:`~sklearn.frozen.FrozenEstimator`, which keeps its fit when it is
        cloned; a copy of it is trained.

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

    vectors_penalty : float, default=1e-6
        Lambda_w. With sparse updates only the vectors of the batch are pulled.

    composition_penalty : float, default=1e-6
        Lambda_c, for the other parameters of the encoder.

    head_penalty : float, default=1e-6
        Lambda_s, which pulls projection and head to zero. As in the papers' code, half
        of each lambda multiplies the sum of squares.

    class_weight : dict or "balanced", default=None
        Weights of the labels in the loss, to multiply with `sample_weight`; "balanced":
        inversely proportional to their frequencies.

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

    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.

    scale_ : float
        The factor of `scale`.

    scales_words_ : bool
        Whether the vectors of words have that factor; if not, those of texts get it.

    loss_curve_ : list of float
        Mean loss of an example in each epoch, without penalties.

    n_epochs_ : int
        Epochs trained.

    validation_scores_ : list of float
        Accuracy on the validation examples after each epoch, where there are some.

    best_epoch_ : int
        Epoch, from 1, whose parameters the model has, where there was validation.

    See Also
    --------
    PairClassifier : Labels of pairs.

    Notes
    -----
    Settings of :meth:`paper`: "wieting" (table 5), "wieting-features" (table 6, with a
    fitted encoder in a :class:`~sklearn.frozen.FrozenEstimator`), "sif" (table 2 of
    Arora et al. 2017, with a :class:`~skparaphrase.encoders.SIFEncoder` of a=1e-3, that
    divides by the number of words, where their code divides by the weights' sum).

    Tf-idf of words and word pairs with a linear classifier is a strong rival where
    topic words decide: see the table of frozen features in the benchmarks.

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
        optimizer: str = "adam",
        learning_rate: float = 0.001,
        batch_size: int = 25,
        max_epochs: int = 10,
        clip_norm: float | None = None,
        vectors_penalty: float = 1e-6,
        composition_penalty: float = 1e-6,
        head_penalty: float = 1e-6,
        class_weight: Mapping[Any, float] | str | None = None,
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
        self.class_weight = class_weight
