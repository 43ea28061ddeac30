"""Sequence tagging: tags for the words of sentences."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from itertools import chain
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import (
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
    with_callbacks,
)
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._lazy import networks, torch, training
from skparaphrase._progress import progress_bar
from skparaphrase._threads import own_torch
from skparaphrase._trained import Attributes, FitSettings
from skparaphrase._typing import Arrays, Encoder, Texts
from skparaphrase.encoders import CharagramEncoder, CharCNNEncoder, CharLSTMEncoder
from skparaphrase.encoders._start import EncoderStart, TableRows, encoder_start
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.supervised._base import SupervisedModel
from skparaphrase.supervised._encoders import (
    copy_fitted,
    initialize_encoder,
    trained_encoder,
)
from skparaphrase.supervision._examples import EncodedExamples, Examples
from skparaphrase.supervision._tags import TokenTags, check_sentences, check_tags
from skparaphrase.supervision._targets import Targets
from skparaphrase.text._lookup import TokenBatch


def _sgd(penalty: float, **settings: Any) -> Optimizer:
    """Gradient descent with the same penalty for all parameters, as in the paper."""
    return Optimizer(
        "sgd",
        vectors_penalty=penalty,
        composition_penalty=penalty,
        head_penalty=penalty,
        **settings,
    )


_CHARAGRAM: dict[str, Any] = {"min_count": 2, "dim": 150, "activation": "relu"}
_CHARACTERS: dict[str, Any] = {"embedding_dim": 50, "dim": 150, "lowercase": False}


class TaggerStart(NamedTuple):
    """Initial state of a fit of a tagger.

    Attributes
    ----------
    targets : TokenTags
    encoder : TrainedEncoder
        The encoder of words, in its initial state.
    of_words : EncoderStart
        Initial state of the word encoder: the vectors, and the network that composes
        them.
    sentences : Sentences
    tagger : Tagger
    """

    targets: Targets
    encoder: TrainedEncoder
    of_words: EncoderStart
    sentences: networks.Sentences
    tagger: networks.Tagger

    @property
    def rows(self) -> TableRows:
        """The rows of the table."""
        return self.of_words.rows


class SequenceTagger(SupervisedModel):
    r"""Tag the words of sentences, for example with parts of speech.

    The tagger of Wieting et al. (2016, Charagram), section 4.2. An encoder embeds each
    word by its characters. One LSTM reads the vectors from left to right, and another
    from right to left. A dense layer and a softmax on the states of both predict the
    tag. All parts are trained together on tagged sentences. The defaults are the
    paper's settings for Charagram, except that updates are sparse.

    Parameters
    ----------
    word_encoder : encoder, default=None
        Encoder of words. It is trained with the rest, from its initial parameters or
        from its `init`. None is a :class:`CharagramEncoder` of 150 dimensions with
        `activation="relu"` and `min_count=2`. The other encoders of characters are
        :class:`CharCNNEncoder` and :class:`CharLSTMEncoder`, which are best with
        `lowercase=False`; for word vectors, use :class:`ParaphraseEncoder`. An encoder
        in a :class:`~sklearn.frozen.FrozenEstimator` must be fitted, and is not
        trained.
    hidden_dim : int, default=50
        Number of units of each LSTM over words.
    dense_dim : int, default=50
        Number of units of the dense layer, with tanh, on top of the LSTMs.
    capitals : bool or "auto", default="auto"
        Whether the network has a feature for words with an upper-case letter. For
        Charagram, it is an additional n-gram, as in the paper's code; for other
        encoders, an additional input of the LSTMs. "auto" adds it if the encoder
        lower-cases words.
    dropout : float, default=0.0
        Fraction of the components of word vectors and states that are dropped in
        training. It is not in the paper.
    optimizer : str or Optimizer, default=None
        None is ``Optimizer("sgd", vectors_penalty=1e-6, composition_penalty=1e-6,
        head_penalty=1e-6)``.
    learning_rate : float, default=0.2
        Step size of the optimizer. For Adam, use about 0.002.
    batch_size : int, default=100
        Number of sentences per step.
    max_epochs : int, default=50
        Number of passes over the sentences. 0 keeps the initial parameters.
    validation_fraction : float, default=None
        Fraction of the sentences, chosen at random, held out for validation after every
        epoch; the best epoch is kept.
    patience : int, default=None
        Number of epochs without a better validation score before training stops.
    warm_start : bool, default=False
        If True, `fit` resumes from the fitted state, including the optimizer and the
        random state, and trains for `max_epochs` more epochs. After validation, it
        resumes from the best epoch, with the optimizer state of the last one. `y` must
        not contain unseen tags.
    device, random_state, verbose
        As in :class:`SimilarityRegressor`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_tags,)
        The tags, sorted.
    word_encoder_ : encoder
        The trained encoder; its `transform` embeds words, without the feature for
        capitals.
    parameters_ : dict of str to ndarray
        "forwards.*" and "backwards.*" as in :class:`LSTMEncoder`; "hidden.weight",
        "hidden.bias", "output.weight" and "output.bias"; and "capital" of shape (dim,)
        where it is an n-gram.
    loss_curve_ : list of float
        Mean loss of a token in each epoch, without penalties.
    n_epochs_
        As in :class:`SimilarityRegressor`.
    validation_scores_ : list of float
        Accuracy on the validation tokens, if there are any, at the start and after each
        epoch.
    best_epoch_
        As in :class:`SimilarityRegressor`.

    Notes
    -----
    The loss is the cross-entropy with targets to which 1e-4 is added, as in the paper's
    code. A word without a known n-gram is a zero vector, as in the encoder.

    `predict` returns an array of lists, which `cross_val_predict` can join. For the
    metrics of :mod:`sklearn.metrics`, flatten both sides: `np.concatenate(y)`.

    Settings of :meth:`paper`, table 4: "charagram", "charagram-2-layers", "char-cnn",
    "char-lstm".

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Charagram: Embedding Words and
    Sentences via Character n-grams", EMNLP 2016.

    Examples
    --------
    >>> from skparaphrase.supervised import SequenceTagger
    >>> X = [["The", "cat", "sleeps"], ["A", "dog", "barks"]]
    >>> y = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]]
    >>> tagger = SequenceTagger(batch_size=1, random_state=0).fit(X, y)
    >>> tagger.predict([["A", "cat", "barks"]])[0]
    ['DET', 'NOUN', 'VERB']
    """

    classes_: NDArray[Any]
    word_encoder_: TrainedEncoder
    parameters_: dict[str, NDArray[np.float32]]

    _kind = TokenTags
    _n_texts = 1
    _fitted_names = "parameters_", "word_encoder_"
    _optimizer = _sgd(1e-6)
    _refused = ("word_dropout", "scramble")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupervisedModel._parameter_constraints,
        "word_encoder": [HasMethods(["transform"]), None],
        "hidden_dim": [Interval(Integral, 1, None, closed="left")],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "dense_dim": [Interval(Integral, 1, None, closed="left")],
        "capitals": [StrOptions({"auto"}), "boolean"],
    }

    _paper_settings: ClassVar[Settings] = {
        "charagram": {
            "word_encoder": CharagramEncoder(norm=None, **_CHARAGRAM),
            "optimizer": _sgd(1e-6, **DENSE),
        },
        "charagram-2-layers": {
            "word_encoder": CharagramEncoder(norm=None, **_CHARAGRAM, n_layers=2),
            "optimizer": _sgd(1e-6, **DENSE),
        },
        "char-cnn": {
            "word_encoder": CharCNNEncoder(
                **_CHARACTERS, filters="equal", conv_activation="tanh", norm=None
            ),
            "optimizer": _sgd(1e-5, **DENSE),
        },
        "char-lstm": {
            "word_encoder": CharLSTMEncoder(
                **_CHARACTERS, embedding_range=None, output_gate=True, norm=None
            ),
            "optimizer": _sgd(1e-5, **DENSE),
        },
    }

    def __init__(
        self,
        word_encoder: Encoder | None = None,
        *,
        hidden_dim: int = 50,
        dense_dim: int = 50,
        capitals: bool | str = "auto",
        dropout: float = 0.0,
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.2,
        batch_size: int = 100,
        max_epochs: int = 50,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: int | RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=False)
    def fit(  # type: ignore[override]  # tokens have no weights
        self,
        X: Texts,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        X_val: Texts | None = None,
        y_val: ArrayLike | None = None,
    ) -> Self:
        """Train on sentences and their tags.

        Parameters
        ----------
        X : sequence of token lists
            Lists, tuples or arrays of str; a column of lists. Sentences without tokens
            are ignored.
        y : sequence of tag lists
            Labels of any type, one per token.
        groups : array-like of shape (n_sentences,), default=None
            Sentences of one group, such as a document, stay together in the split of
            `validation_fraction`, as do equal sentences.
        X_val : sequence of token lists, default=None
            Sentences to score after every epoch. The best epoch is kept.
        y_val : sequence of tag lists, default=None
            Their tags; tags that do not occur in `y` count as errors.

        Returns
        -------
        self : SequenceTagger

        Raises
        ------
        TypeError, ValueError
            If `X` and `y` are not lists of tokens and of as many tags, or contain only
            one tag.

        Notes
        -----
        If training is interrupted (Ctrl-C, an error in a callback), the best epoch is
        kept, or without validation the parameters reached so far. With
        `warm_start=True`, another `fit` resumes.
        """
        self._fit(X, y, None, groups, (X_val, y_val, None))
        return self

    def predict(self, X: Texts) -> NDArray[np.object_]:
        """Tags of words.

        Parameters
        ----------
        X : sequence of token lists

        Returns
        -------
        tags : ndarray of shape (n_sentences,), dtype object
            A list of tags for each sentence.
        """
        scores, sentences = self._scores(X)
        rows = by_sentence(self._targets.decode(scores), sentences)
        return np.fromiter((row.tolist() for row in rows), dtype=object)

    def predict_proba(self, X: Texts) -> list[NDArray[np.float32]]:
        """Probabilities of tags.

        Parameters
        ----------
        X : sequence of token lists

        Returns
        -------
        probabilities : list of ndarray of shape (n_tokens, n_tags)
            In the order of `classes_`.
        """
        scores, sentences = self._scores(X)
        return by_sentence(softmax(scores, axis=1), sentences)

    def score(self, X: Texts, y: ArrayLike) -> float:
        """Compute the fraction of words that are tagged correctly.

        Parameters
        ----------
        X : sequence of token lists
        y : sequence of tag lists
            Tags that did not occur in training count as errors.

        Returns
        -------
        accuracy : float
        """
        scores, sentences = self._scores(X)
        tags = check_tags(y, sentences)
        if not len(tags):
            raise ValueError("There are no tokens to score.")
        return float(np.mean(self._targets.decode(scores) == tags))

    @own_torch()
    def _scores(self, X: Texts) -> tuple[NDArray[np.float32], list[list[str]]]:
        """Scores before the softmax, shape (n_tokens, n_tags), and the sentences."""
        check_is_fitted(self)
        sentences = check_sentences(X)
        encoder, device = self.word_encoder_, networks.resolve_device(self.device)
        tagger, table = self._fitted_tagger().to(device), encoder.vectors_

        def rows(
            wanted: NDArray[np.integer], extra: NDArray[np.float32] | None
        ) -> torch.Tensor:
            return torch.from_numpy(table.token_vectors(wanted, extra)).to(device)

        words, capitals, positions = index_words(sentences)
        batch = table.encode(words.distinct, encoder._tokenizer())
        logits = tagger.tag(networks.Sentences(batch, capitals, positions), rows)
        parts = [np.empty((0, len(self.classes_)), np.float32)]
        with progress_bar(len(words), "Predicting", "token") as advance:
            for part in logits:
                parts.append(part.cpu().numpy())
                advance(len(part))
        return np.concatenate(parts), sentences

    def _read_rows(
        self, X: Any, y: Any, sample_weight: Any, name: str, kind: type[Targets]
    ) -> Examples:
        sentences = check_sentences(X, name)
        rows = by_sentence(check_tags(y, sentences, name.replace("X", "y")), sentences)
        if not any(sentences):
            raise ValueError(f"Found 0 token(s) in {name}; at least 1 is required.")
        return Examples(
            np.fromiter(sentences, dtype=object), np.fromiter(rows, dtype=object)
        )

    def _read(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, *, resume: bool
    ) -> Examples:
        """Sentences and arrays of their tags, without sentences that have no tokens."""
        examples = super()._read(X, y, sample_weight, groups, resume=resume)
        return examples.take(np.array([*map(bool, examples.texts)]))

    def _start(self, train: Examples, settings: FitSettings) -> TaggerStart:
        words, capitals, positions = index_words([*train.texts])
        steps, targets, of_words = settings.steps, train.kind, None
        if settings.resume:
            encoder = self.word_encoder_
        elif self._is_frozen:
            encoder = copy_fitted(self.word_encoder, "word_encoder")
        else:
            encoder = self.word_encoder
            if encoder is None:
                encoder = CharagramEncoder(**_CHARAGRAM)
            encoder, of_words = initialize_encoder(
                encoder, words, steps, "`init` of a new one"
            )
        if of_words is None:
            of_words = encoder_start(encoder, words, steps, resume=True)
        if settings.resume:
            tagger = self._fitted_tagger()
        else:
            if self.validation_fraction is not None:  # other tags are not trained
                targets = TokenTags.fit(train)
            tagger = self._tagger(encoder, of_words.composition, targets.n_outputs)
            tagger.reset(steps.random_state)
        tagger.composition.requires_grad_(not self._is_frozen)
        sentences = networks.Sentences(of_words.rows.batch, capitals, positions)
        return TaggerStart(targets, encoder, of_words, sentences, tagger)

    @property
    def _is_frozen(self) -> bool:
        """Whether the vectors of words stay fixed."""
        return isinstance(self.word_encoder, FrozenEstimator)

    def _tagger(
        self, encoder: TrainedEncoder, composition: networks.Composition, n_tags: int
    ) -> networks.Tagger:
        capitals = self.capitals
        if capitals == "auto":
            capitals = encoder._tokenizer().lowercase
        feature = "ngram" if isinstance(encoder, CharagramEncoder) else "input"
        return networks.Tagger(
            composition,
            hidden_dim=self.hidden_dim,
            dense_dim=self.dense_dim,
            n_tags=n_tags,
            capitals=feature if capitals else None,
            dropout=self.dropout,
        )

    def _fitted_tagger(self) -> networks.Tagger:
        encoder = self.word_encoder_
        arrays = {f"composition.{k}": v for k, v in encoder.parameters_.items()}

        def build() -> networks.Tagger:
            composition = encoder._composition(encoder.vectors_)
            return self._tagger(encoder, composition, len(self.classes_))

        return networks.with_parameters(
            build, arrays | self.parameters_, "The fitted tagger"
        )

    def _trainer(
        self, start: TaggerStart, train: Examples, settings: FitSettings
    ) -> training.Trainer:
        steps = settings.steps
        table = start.of_words.word_table(
            steps,
            self.device,
            uses_anchors=steps.optimizer._uses_start,
            frozen=self._is_frozen,
        )
        rows = np.arange(len(start.sentences))
        targets = start.targets.distributions(train.targets)
        examples = EncodedExamples(start.sentences, rows, targets)
        objective = training.TaggingObjective(start.tagger, "tags", examples)
        return training.Trainer(objective, table, steps)

    def _attributes(
        self, start: TaggerStart, arrays: Arrays, *, is_scratch: bool = False
    ) -> Attributes:
        of_encoder = None if self._is_frozen else start.of_words
        encoder = trained_encoder(
            start.encoder, of_encoder, arrays, is_scratch=is_scratch
        )
        arrays = arrays or networks.parameter_arrays(start.tagger)
        parameters = {
            name: array
            for name, array in arrays.items()
            if not name.startswith(("vectors", "composition."))
        }
        return {
            **self._target_attributes(start.targets),
            "word_encoder_": encoder,
            "parameters_": parameters,
        }

    def _validation_score(self, held_out: Examples, train: Examples) -> float:
        return self.score(held_out.texts, held_out.targets)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.one_d_labels = True
        return tags


def index_words(
    sentences: list[list[str]],
) -> tuple[Examples, NDArray[np.float32], TokenBatch]:
    """All tokens, whether each distinct one has a capital, and their positions."""
    words = Examples(np.array([*chain.from_iterable(sentences)], dtype=object))
    capitals = [any(map(str.isupper, word)) for word in words.distinct]
    ends = np.cumsum([0, *filter(None, map(len, sentences))], dtype=np.int64)
    positions = TokenBatch(words.indices.astype(np.int32), ends)
    return words, np.array(capitals, dtype=np.float32), positions


def by_sentence(flat: NDArray[Any], sentences: list[list[str]]) -> list[NDArray[Any]]:
    """Split values of tokens by sentences."""
    ends = np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)
    return np.split(flat, ends[:-1]) if sentences else []
