"""The base of encoders that are trained on paraphrase pairs."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from copy import deepcopy
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.callback import CallbackSupportMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import (
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
    with_callbacks,
)
from skparaphrase._estimator import Arrays, warn_caller
from skparaphrase._lazy import networks, training
from skparaphrase._presets import paper
from skparaphrase.encoders._base import TextEncoder, check_word_vectors
from skparaphrase.encoders._data import (
    TextsInMemory,
    check_paraphrases,
    check_teacher,
    mean_targets,
    store_iterator,
    teacher_axes,
)
from skparaphrase.encoders._embedding import embed_texts
from skparaphrase.losses import LOSS, MarginLoss, check_loss
from skparaphrase.metrics import RetrievalScorer
from skparaphrase.optimizers import TRAINING_CONSTRAINTS, check_optimizer
from skparaphrase.vectors import WordVectors

_SAMPLE = 1000  # texts that determine the scale
_START = ("vectors_", "parameters_", "n_epochs_", "_random_state", "_optimizer_state")


class TrainedEncoder(CallbackSupportMixin, TextEncoder):
    """Base class of encoders trained on paraphrase pairs.

    A subclass has the parameters in its signature and defines :meth:`_composition`.
    Encoders of characters also define where tokens and their vectors come from.
    """

    ordered_first_epoch: bool = False
    scale: float | None = None
    freeze: str | None = None

    loss_curve_: list[float]
    n_epochs_: int
    added_words_: list[str]  # of the texts, which `vectors` lacks

    _margin_loss: ClassVar[MarginLoss] = MarginLoss()  # what loss="margin" means
    _optimizer_settings: ClassVar[dict[str, Any]] = {}  # of a name
    _learns_tokens: ClassVar[bool] = False  # True: tokens come from the training texts

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TRAINING_CONSTRAINTS,
        "dim": [Interval(Integral, 1, None, closed="left"), None],
        "embedding_dim": [Interval(Integral, 1, None, closed="left")],
        "n_layers": [Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"linear", "tanh", "relu"})],
        "output_gate": ["boolean"],
        "peepholes": [StrOptions({"diagonal", "full"}), None],
        "lowercase": ["boolean"],
        "init": [HasMethods(["transform"]), None],
        "loss": LOSS,
        "positive_from": [Real, None],
        "batch_size": [Interval(Integral, 2, None, closed="left")],
        "word_dropout": [Interval(Real, 0, 1, closed="left")],
        "scramble": [Interval(Real, 0, 1, closed="both")],
        "ordered_first_epoch": ["boolean"],
        "freeze": [StrOptions({"vectors"}), None],
    }

    @abstractmethod
    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        """The network that composes vectors, before its parameters are drawn."""

    # A class method of a function, which mypy takes for an instance of `classmethod`.
    paper: ClassVar[Callable[..., Self]] = classmethod(paper)  # type: ignore[assignment]

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on paraphrase pairs, or on a teacher's vectors of texts.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2), TextStore, or iterator of pairs
            Paraphrases, at least two. With `loss="distillation"` texts, of shape
            (n_texts,) or (n_pairs, 2). The pairs of a
            :class:`~skparaphrase.streams.TextStore` stay on disk, and those of an
            iterator are written to disk for the duration of the fit.
        y : array-like, default=None
            Of shape (n_pairs,). None: every pair is a paraphrase. Booleans, or 0 and 1:
            pairs marked with 1 are. Other scores need `positive_from`. The other pairs
            are ignored. With `loss="distillation"` the teacher's vectors, of the shape
            of `X` + (dim,).

        Returns
        -------
        self : encoder instance

        Raises
        ------
        ValueError
            If there are fewer than two paraphrases, or if none of their words is known;
            if the teacher's vectors are missing, have another shape or are not finite.

        Notes
        -----
        If training is interrupted (Ctrl-C, an error in a callback), the best epoch is
        kept, or without validation the parameters reached so far, and with
        `warm_start=True` another `fit` resumes.

        For pairs in a store, memory holds 8 bytes a pair, `y`, the held-out pairs, and,
        while an encoder of characters builds its vocabulary, one or two bytes for each
        character. Their tokens are kept in the store's folder (4 bytes a token, 8 a
        text) for the next fit with the same words and tokenizer. With
        `loss="distillation"` texts and vectors are held in memory.
        """
        training.check_patience(self.patience, self.validation_fraction is not None)
        resume = self.warm_start and hasattr(self, "vectors_")
        context = self._init_callback_context(max_subtasks=self.max_epochs)
        with store_iterator(X) as (X, scratch):
            with training.unchanged_on_error(self):
                training.begin_randomness(self, resume=resume)
                texts = self._check_examples(X, y, scratch)
                texts, held_out = self._split(texts)
                run = self._begin(texts, held_out, resume=resume)
                run.begin(context, X, y)
            run.run()
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Train for one epoch on some pairs, continuing from the last call.

        The state of the optimizer is kept from call to call; after a `fit` without
        `warm_start` it starts anew. With `loss="distillation"` and a teacher of more
        dimensions, the first texts determine which of these are kept (`teacher_axes_`),
        with a warning if they are too few. Nothing is split off for validation.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2), TextStore, or iterator of pairs
            As in :meth:`fit`.
        y : array-like, default=None
            As in :meth:`fit`.

        Returns
        -------
        self : encoder instance
        """
        resume = hasattr(self, "vectors_")
        had_axes = hasattr(self, "teacher_axes_")
        with store_iterator(X) as (X, scratch):
            training.begin_randomness(self, resume=resume)
            texts = self._check_examples(X, y, scratch)
            run = self._begin(texts, None, resume=resume)
            if not had_axes and hasattr(self, "teacher_axes_"):
                self._warn_of_few_texts(len(texts.strings))
            run.run_once()
        return self

    def _check_examples(self, X: Any, y: Any, scratch: ExitStack) -> Any:
        if check_loss(self.loss, self._margin_loss).needs_targets:
            return check_teacher(X, y)
        return check_paraphrases(X, y, self.positive_from, scratch)

    def _split(self, texts: Any) -> tuple[Any, Any]:
        """Examples to train on, and those to validate on."""
        if self.validation_fraction is None:
            return texts, None
        train, held_out = training.split_off(
            texts, self.validation_fraction, deepcopy(self._split_state)
        )
        if texts.teacher is None and min(len(train), len(held_out)) < 2:
            raise ValueError(
                f"validation_fraction={self.validation_fraction} leaves {len(train)} "
                f"pairs to train on and {len(held_out)} to validate on, while a "
                "minimum of 2 is required of each."
            )
        return train, held_out

    def _begin(self, texts: Any, held_out: Any, *, resume: bool) -> "training.Training":
        """Encode the texts, initialise unless it resumes, and make a trainer."""
        device = training.resolve_device(self.device)
        optimizer = check_optimizer(self.optimizer, **self._optimizer_settings)
        start = {k: getattr(self, k, None) for k in _START} if resume else None
        vectors = self._table(texts.strings, resume)
        batch = texts.encode(self._tokenizer(), vectors)
        if not len(batch.ids):
            raise ValueError(
                "No word of the texts has a vector: do texts and vectors agree in "
                "language, case and tokens?"
            )
        if not resume:
            self._initialize(vectors)
        initial = None
        if self.vectors_penalty:
            is_start = not (resume or self._source is not None or self._learns_tokens)
            initial = vectors.rows if is_start else self._penalty_target()
        targets = None
        if texts.teacher is not None:
            numbers = texts.examples.ravel()
            teacher = texts.teacher.reshape(numbers.size, -1)
            teacher = self._project_teacher(teacher, texts.distinct, numbers)
            targets = mean_targets(teacher, numbers, len(batch))
        trainer = training.ParaphraseTrainer(
            self._fitted_composition().to(device),
            networks.WordTable(
                self.vectors_.rows(slice(None)),
                initial=initial,
                sparse=optimizer.sparse,
                device=device,
                frozen=self.freeze == "vectors",
            ),
            self,
            optimizer,
            self._random_state,
            loss=check_loss(self.loss, self._margin_loss),
            texts=batch,
            examples=texts.examples,
            identities=texts.identities,
            targets=targets,
        )
        trainer.ordered_first_epoch = self.ordered_first_epoch and not self.n_epochs_
        validate = held_out_data = None
        if held_out is not None:
            held_out_data = held_out.array, held_out.teacher
            if held_out.teacher is not None:
                validate = partial(self._mean_cosine, held_out)
            else:
                validate = partial(RetrievalScorer(held_out_data[0]), self)
        return training.Training(
            self,
            trainer,
            self._fitted_state,
            validate=validate,
            data={
                "the words": self.vectors_.words,
                "the texts": (batch, texts.examples),
                "the teacher's vectors": targets,
                "the validation texts": held_out_data,
                "the fitted state that it resumes from": start,
            },
        )

    def _table(self, texts: Sequence[str], resume: bool) -> WordVectors:
        """The vectors that training starts from."""
        if resume:
            vectors = self.vectors_
        elif self._source is not None:
            vectors = self._check_init().vectors_
            self.added_words_ = getattr(unwrap_frozen(self._source), "added_words_", [])
        else:
            self.added_words_ = []
            if not self._learns_tokens:
                vectors = self._initial_vectors()
                covering = vectors.covering(texts, self._tokenizer())
                self.added_words_ = covering.words[len(vectors) :]
            return self._new_table(texts)
        if not self._learns_tokens and self._initial_vectors().words != vectors.words:
            raise ValueError(
                "Training resumes with the words it started with, but `vectors` now "
                "has other words. Fit a clone to start again."
            )
        return vectors

    def _new_table(self, texts: Sequence[str]) -> WordVectors:
        """The vectors that training starts from, without `init`."""
        self.scale_ = 1.0
        vectors = self._start_vectors()
        if self.scale is None:
            return vectors
        some = list(texts[:_SAMPLE])
        found = np.unique(vectors.encode(some, self._tokenizer(), known_only=True).ids)
        lengths = np.linalg.norm(vectors.rows(found), axis=1)
        if len(lengths) and lengths.mean() > 0:
            self.scale_ = float(self.scale / lengths.mean())
        return self._start_vectors()

    def _initial_vectors(self) -> WordVectors:
        """The word vectors before any training."""
        vectors: WordVectors | None = getattr(self, "vectors", None)
        if vectors is None and self._source is not None:
            found: WordVectors = self._check_init()._initial_vectors()
            return found
        added = getattr(self, "added_words_", [])
        return check_word_vectors(vectors).with_words(added)

    def _start_vectors(self) -> WordVectors:
        """The word vectors before any training, with the factor of `scale`."""
        vectors = self._initial_vectors()
        if self.scale_ == 1.0:
            return vectors
        matrix = vectors.rows(slice(None)) * np.float32(self.scale_)
        return vectors.replace(matrix, factor=self.scale_)

    def _penalty_target(self) -> Any:
        """A function of rows: the vectors that the penalty pulls to; None is zero."""
        return None if self._learns_tokens else self._start_vectors().rows

    def _initialize(self, vectors: WordVectors) -> None:
        """Start from these vectors, with new parameters or those of `init`."""
        if self._source is not None:
            init = unwrap_frozen(self._source)  # checked by `_table`
            parameters = {k: array.copy() for k, array in init.parameters_.items()}
            if not self._learns_tokens:
                self.scale_ = init.scale_
        else:
            composition = self._composition(vectors)
            composition.reset(self._random_state)
            parameters = networks.parameter_arrays(composition)
        self.__dict__.pop("teacher_axes_", None)
        self.vectors_ = vectors
        self.parameters_ = parameters
        training.forget_epochs(self)

    @property
    def _source(self) -> Any:
        """The encoder that training starts from, or None."""
        return None if isinstance(self.init, str) else self.init

    def _check_init(self) -> Any:
        """The fitted encoder that training starts from."""
        init = unwrap_frozen(self.init)
        # Other classes may have parameters of the same names and shapes.
        if not (isinstance(init, type(self)) or isinstance(self, type(init))):
            raise TypeError(
                f"init must be a fitted {type(self).__name__}, or one in a "
                f"FrozenEstimator; got {self.init!r}. To start from a table of word "
                "vectors, pass it as `vectors`, such as load_pretrained().vectors."
            )
        check_fitted_encoder(init, "init")
        networks.with_parameters(
            self._composition(init.vectors_), init.parameters_, "init"
        )
        return init

    def _fitted_composition(self) -> "networks.Composition":
        composition = self._composition(self.vectors_)
        return networks.with_parameters(
            composition, self.parameters_, "The fitted encoder"
        )

    def _fitted_state(self, arrays: Arrays) -> dict[str, Any]:
        """Fitted attributes, given what a trainer of the composition has."""
        parameters = arrays.copy()
        matrix = parameters.pop("vectors", None)
        vectors = self.vectors_ if matrix is None else self.vectors_.replace(matrix)
        return {"vectors_": vectors, "parameters_": parameters}

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        return embed_texts(self, texts)

    def _project_teacher(
        self, teacher: NDArray[np.float32], distinct: list[str], numbers: Any
    ) -> NDArray[np.float32]:
        """The teacher's vectors in our number of dimensions; row i: text numbers[i]."""
        if teacher.shape[1] == self._n_features_out:
            self.__dict__.pop("teacher_axes_", None)
            return teacher
        axes = getattr(self, "teacher_axes_", None)
        if axes is None:
            axes = self.teacher_axes_ = teacher_axes(
                teacher, self._embed(distinct)[numbers]
            )
        elif len(axes) != teacher.shape[1]:
            raise ValueError(
                f"The teacher's vectors had {len(axes)} dimensions before, and now "
                f"have {teacher.shape[1]}. Fit a clone to start again."
            )
        return teacher @ axes

    def _warn_of_few_texts(self, n_texts: int) -> None:
        theirs, ours = self.teacher_axes_.shape
        if n_texts < ours < theirs:
            warn_caller(
                f"{n_texts} texts determine which {ours} of the teacher's {theirs} "
                f"dimensions are kept, also for later texts: start with {ours} texts "
                "or, better, many more."
            )

    def _mean_cosine(self, texts: TextsInMemory) -> float:
        """The validation score of distillation."""
        vectors = np.asarray(self.transform(texts.array))
        vectors = vectors.reshape(len(texts.strings), -1)
        assert texts.teacher is not None
        teacher = texts.teacher.reshape(len(vectors), -1)
        if hasattr(self, "teacher_axes_"):
            teacher = teacher @ self.teacher_axes_
        lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(teacher, axis=1)
        lengths[lengths == 0] = np.inf
        return float(((vectors * teacher).sum(axis=1) / lengths).mean())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vectors_")

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return self._composition(self.vectors_).dim


def unwrap_frozen(encoder: Any) -> Any:
    """The encoder itself, or the one in a :class:`~sklearn.frozen.FrozenEstimator`."""
    return encoder.estimator if isinstance(encoder, FrozenEstimator) else encoder


def check_fitted_encoder(encoder: Any, parameter: str) -> None:
    """Raise if an encoder given as a parameter is not fitted."""
    if not hasattr(encoder, "vectors_"):
        raise ValueError(
            f"{parameter}={encoder!r} is not fitted. Cloning an encoder (as pipelines "
            "and grid searches do) drops its fit: wrap it in "
            "sklearn.frozen.FrozenEstimator."
        )
