"""Tags of the words of sentences, from the characters of the words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from copy import deepcopy
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.callback import with_callbacks
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, Interval, StrOptions, fit_context
from skparaphrase._epochs import check_one_validation
from skparaphrase._paper import PaperSettings
from skparaphrase._saving import SavedInFolders
from skparaphrase.tagging._base import TrainedTagger
from skparaphrase.tagging._sentences import (
    check_sentences,
    check_tags,
    split_rows,
)
from skparaphrase.tagging._settings import SETTINGS
from skparaphrase.tagging._start import check_validation, split


class SequenceTagger(PaperSettings, SavedInFolders, TrainedTagger):
    r"""Tags for the words of sentences, such as parts of speech.

    The tagger of Wieting et al. (2016, Charagram), section 4.3. An encoder makes the
    vector of each word from its characters, a long short-term memory reads the vectors
    from left to right and another from right to left, and a dense layer and a softmax
    on the states of both give the tag. All parts are trained together on sentences
    with tags. Defaults are the paper's setting for Charagram, but for sparse updates.

    Parameters
    ----------
    word_encoder : encoder, default=None
        Makes the vectors of words, and is trained with the rest from its initial
        parameters, or from those of its `init`. None: a :class:`CharagramEncoder` of
        150 dimensions with `activation="relu"` and `min_count=2`. Characters: that,
        :class:`CharCNNEncoder` or :class:`CharLSTMEncoder`, best with
        `lowercase=False`. Word vectors: :class:`ParagramEncoder`. One in a
        :class:`~sklearn.frozen.FrozenEstimator` must be fitted and stays as it is.

    hidden_dim : int, default=50
        Units of each long short-term memory over words.

    dense_dim : int, default=50
        Units of the dense layer, with tanh, above them.

    capitals : bool or "auto", default="auto"
        Tell the network whether a word holds an upper-case letter: as one more n-gram
        for Charagram, as in the paper's code; for other encoders as one more input of
        the memories. "auto" does so where the encoder lower-cases words.

    optimizer : {"sgd", "adam", "adagrad"}, default="sgd"

    learning_rate : float, default=0.2
        Something like 0.002 suits Adam.

    momentum : float, default=0.95
        Of "sgd".

    batch_size : int, default=100
        Sentences per step.

    max_epochs : int, default=50
        Passes over the sentences. 0 leaves the initial parameters.

    penalty : float, default=1e-6
        Lambda, which pulls all parameters, biases included, to zero; those of word
        encoders that begin with word vectors, to these. With sparse updates only the
        n-grams, characters or words of the batch are pulled.

    clip_norm : float, default=None
        Scale the gradient of each array down to this norm.

    dropout : float, default=0.0
        Share of the components of word vectors, and of states, that are dropped in
        training. An addition of ours.

    sparse_updates : bool, default=True
        Update the vectors of the batch's n-grams, characters or words only; what the
        optimiser remembers of the others stands still. False is the paper's code.

    validation_fraction : float, default=None
        Share of the sentences set aside, at random, to score after every epoch. The
        best epoch is kept.

    patience : int, default=None
        Stop after so many epochs without a better validation score.

    warm_start : bool, default=False
        Another `fit` goes on from the fitted state, with optimiser and random state,
        for `max_epochs` more epochs. It may not bring new tags.

    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA where there is one.

    random_state : int, RandomState instance or None, default=None
        Initial parameters, split, order of sentences and dropout. The same seed gives
        the same tagger, to the bit, on one CPU with one number of threads.

    verbose : bool or int, default=False
        Print loss and score of every epoch. For a progress bar see `set_callbacks`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_tags,)
        The tags, sorted.

    word_encoder_ : encoder
        The trained encoder; its `transform` gives vectors of words, without the
        feature for capitals.

    parameters_ : dict of str to ndarray
        "forwards.*" and "backwards.*" as in :class:`LSTMEncoder`; "hidden.weight",
        "hidden.bias", "output.weight" and "output.bias"; and "capital" of shape (dim,)
        where it is an n-gram.

    loss_curve_ : list of float
        Mean loss of a token in each epoch, without penalty.

    n_epochs_ : int
        Epochs trained.

    validation_scores_ : list of float
        Token accuracy after each epoch, if there are sentences to validate on.

    best_epoch_ : int
        The epoch that was kept, from 1, if so.

    Notes
    -----
    The loss is the cross-entropy against targets to which 1e-4 is added, as in the
    paper's code. Vectors are made once for each distinct word of a batch.

    A word none of whose n-grams is known is a zero vector, as in the encoder.

    `predict` gives an array of lists, which `cross_val_predict` can join. For metrics
    of :mod:`sklearn.metrics` flatten both sides: `np.concatenate(y)`.

    A tagger with `warm_start` goes on from the best epoch, with the optimiser's state
    of the last one.

    Settings of :meth:`paper`, table 4: "charagram", "charagram-2-layers", "char-cnn",
    "char-lstm".

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Charagram: Embedding Words and
    Sentences via Character n-grams", EMNLP 2016.

    Examples
    --------
    >>> from skparaphrase.tagging import SequenceTagger
    >>> X = [["The", "cat", "sleeps"], ["A", "dog", "barks"]]
    >>> y = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]]
    >>> tagger = SequenceTagger(batch_size=1, random_state=0).fit(X, y)
    >>> tagger.predict([["A", "cat", "barks"]])[0]
    ['DET', 'NOUN', 'VERB']
    """

    _settings = SETTINGS

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "word_encoder": [HasMethods(["transform"]), None],
        "hidden_dim": [Interval(Integral, 1, None, closed="left")],
        "dense_dim": [Interval(Integral, 1, None, closed="left")],
        "capitals": [StrOptions({"auto"}), "boolean"],
        "optimizer": [StrOptions({"adagrad", "adam", "sgd"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "max_epochs": [Interval(Integral, 0, None, closed="left")],
        "penalty": [Interval(Real, 0, None, closed="left")],
        "clip_norm": [Interval(Real, 0, None, closed="neither"), None],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "sparse_updates": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "patience": [Interval(Integral, 1, None, closed="left"), None],
        "warm_start": ["boolean"],
        "device": [str],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        word_encoder: Any = None,
        *,
        hidden_dim: int = 50,
        dense_dim: int = 50,
        capitals: bool | str = "auto",
        optimizer: str = "sgd",
        learning_rate: float = 0.2,
        momentum: float = 0.95,
        batch_size: int = 100,
        max_epochs: int = 50,
        penalty: float = 1e-6,
        clip_norm: float | None = None,
        dropout: float = 0.0,
        sparse_updates: bool = True,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.word_encoder = word_encoder
        self.hidden_dim = hidden_dim
        self.dense_dim = dense_dim
        self.capitals = capitals
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.penalty = penalty
        self.clip_norm = clip_norm
        self.dropout = dropout
        self.sparse_updates = sparse_updates
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Train on sentences and their tags.

        Parameters
        ----------
        X : sequence of token lists
            Lists, tuples or arrays of str; a column of lists. Sentences without tokens
            are left out.

        y : sequence of tag lists
            Labels of any type, as many as there are tokens.

        X_val : sequence of token lists, default=None
            Sentences to score after every epoch. The best epoch is kept.

        y_val : sequence of tag lists, default=None
            Their tags; those that training has not seen count as missed.

        Returns
        -------
        self : SequenceTagger

        Raises
        ------
        TypeError, ValueError
            If `X` and `y` are no lists of tokens and of as many tags; the message
            names the sentence. If there is one tag only.

        Notes
        -----
        When training is interrupted (Ctrl-C, an error in a callback), the best epoch
        is kept, or without validation the parameters reached so far; with
        `warm_start=True` another `fit` goes on.
        """
        from skparaphrase.nn import resolve_device

        resolve_device(self.device)
        if y is None:
            raise ValueError(
                "SequenceTagger requires y to be passed, but the target y is None."
            )
        sentences = check_sentences(X)
        tags = check_tags(y, sentences)
        check_one_validation(
            X_val, y_val, fraction=self.validation_fraction, patience=self.patience
        )
        validation = check_validation(X_val, y_val)
        goes_on = self.warm_start and hasattr(self, "word_encoder_")
        if not len(tags):
            raise ValueError(
                "Found sentences with 0 token(s) in all while a minimum of 1 is "
                "required by SequenceTagger."
            )
        with self._unchanged_on_error():
            self._begin_randomness(goes_on)
            data = {"the sentences and tags": (sentences, tags, validation)}
            if self.validation_fraction is not None:
                (sentences, tags), validation = split(
                    (sentences, tags),
                    self.validation_fraction,
                    deepcopy(self._split_state),
                )
            classes, numbers = self._check_classes(tags, goes_on)
            if not goes_on:
                self._start_over(sentences, classes, self._random_state)
            train = self._training(X, y, sentences, numbers, validation)
            run = self._open_run(data, goes_on=goes_on)
        with run:
            train(run)
        return self

    def predict(self, X: Any) -> NDArray[np.object_]:
        """Tags of words.

        Parameters
        ----------
        X : sequence of token lists

        Returns
        -------
        tags : ndarray of shape (n_sentences,), dtype object
            A list of tags for each sentence.
        """
        check_is_fitted(self)
        sentences = check_sentences(X)
        rows = split_rows(self._predict_flat(sentences), sentences)
        found = np.empty(len(rows), dtype=object)
        for i, row in enumerate(rows):
            found[i] = row.tolist()
        return found

    def predict_proba(self, X: Any) -> list[NDArray[np.float32]]:
        """Probabilities of tags.

        Parameters
        ----------
        X : sequence of token lists

        Returns
        -------
        probabilities : list of ndarray of shape (n_tokens, n_tags)
            In the order of `classes_`.
        """
        check_is_fitted(self)
        sentences = check_sentences(X)
        scores = self._scores(sentences)
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return split_rows(scores, sentences)

    def score(self, X: Any, y: Any) -> float:
        """Share of words that get their tag.

        Parameters
        ----------
        X : sequence of token lists

        y : sequence of tag lists
            Tags that training has not seen count as missed.

        Returns
        -------
        accuracy : float
        """
        check_is_fitted(self)
        sentences = check_sentences(X)
        tags = check_tags(y, sentences)
        if not len(tags):
            raise ValueError("There are no tokens to score.")
        return float(np.mean(self._predict_flat(sentences) == tags))

    def _predict_flat(self, sentences: list[list[str]]) -> NDArray[Any]:
        return self.classes_[self._scores(sentences).argmax(axis=1)]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "word_encoder_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        tags.target_tags.one_d_labels = True
        return tags
