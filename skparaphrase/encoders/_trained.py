"""The base of encoders that are trained."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Iterable
from copy import deepcopy
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.callback import CallbackSupportMixin
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import (
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
    with_callbacks,
)
from skparaphrase._estimator import Arrays, PaperSettings, warn_caller
from skparaphrase._lazy import networks, training
from skparaphrase.encoders._base import TextEncoder
from skparaphrase.encoders._embedding import embed_texts
from skparaphrase.encoders._start import anchor_table, check_same_words, start
from skparaphrase.losses import LOSS, LOSSES, Loss
from skparaphrase.optimizers import TRAINING_CONSTRAINTS, Optimizer, check_optimizer
from skparaphrase.supervision import Examples, supervise
from skparaphrase.vectors import POOLINGS, WordVectors, load_word_vectors


class TrainedEncoder(PaperSettings, CallbackSupportMixin, TextEncoder):
    """Base class of trained encoders.

    A subclass has the parameters in its signature and defines :meth:`_composition`.
    Encoders of characters also define :meth:`_tokenizer` and :meth:`_draw_table`.
    """

    freeze: str | None = None

    vectors_: WordVectors
    parameters_: Arrays
    loss_curve_: list[float]
    n_epochs_: int
    validation_scores_: list[float]
    best_epoch_: int
    added_words_: list[str]  # of the texts, which `vectors` lacks
    teacher_axes_: NDArray[np.float32]

    #: With `optimizer=None`.
    _optimizer: ClassVar[Optimizer] = Optimizer()
    _learns_tokens: ClassVar[bool] = False  # True: tokens come from the training texts

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TRAINING_CONSTRAINTS,
        "pooling": [StrOptions(set(POOLINGS))],
        "dim": [Interval(Integral, 1, None, closed="left"), None],
        "embedding_dim": [Interval(Integral, 1, None, closed="left")],
        "n_layers": [Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"linear", "tanh", "relu"})],
        "residual": ["boolean"],
        "output_gate": ["boolean"],
        "peepholes": [StrOptions({"diagonal", "full"}), None],
        "lowercase": ["boolean"],
        "init": [HasMethods(["transform"]), None],
        "loss": LOSS,
        "batch_size": [Interval(Integral, 2, None, closed="left")],
        "freeze": [StrOptions({"vectors"}), None],
    }

    @abstractmethod
    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        """The network that composes vectors, before its parameters are drawn."""

    def _start_as_in_paper(self, given: set[str]) -> None:
        if not self._learns_tokens and self.init is None and "vectors" not in given:
            self.vectors = load_word_vectors()

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on what is known about texts, which the shapes of `X` and `y` say.

        ====================  =================  ==================================
        `X`                   `y`                what is learnt
        ====================  =================  ==================================
        (n_pairs, 2)          None               paraphrases
        (n_pairs, 2)          booleans, 0 and 1  the paraphrases among the pairs
        (n_pairs, 2)          other scores       the order of the pairs
        (n_triplets, 3)       None               paraphrases, and a hard negative each
        (n_texts,)            class labels       texts of one class are paraphrases
        (n_texts,) or         vectors            to give the vectors of a teacher
        (n_pairs, 2)
        ====================  =================  ==================================

        Parameters
        ----------
        X : array-like of str, or dataset of pyarrow or datasets
            At least two examples. Texts of a Parquet dataset or file stay on disk, as
            do those of Hugging Face's datasets.
        y : array-like, default=None
            Of shape (n_examples,): pairs marked with 0 are ignored. To learn from the
            pairs of high scores only, pass booleans, such as `y >= 4`. Labels are
            integers or str. A teacher's vectors have the shape of `X` + (dim,).

        Returns
        -------
        self : encoder instance

        Raises
        ------
        ValueError
            If there are too few examples, or if none of their words is known; if `loss`
            learns from something else; if a teacher's vectors are missing, have another
            shape or are not finite; if training diverges. The encoder then is as
            before: not fitted, or with the result of the last fit.

        Notes
        -----
        If training is interrupted (Ctrl-C, an error in a callback), the best epoch is
        kept, or without validation the parameters reached so far, and with
        `warm_start=True` another `fit` resumes.

        Texts on disk are read a few times before the first epoch. Memory then holds 50
        bytes a text, 4 bytes a token, `y` and the held-out texts. A teacher's vectors
        and their texts are held in memory, and on the device the averages that texts
        start from, if a loss uses them and they take at most 256 MB.
        """
        validates = self.validation_fraction is not None
        training.check_patience(self._checked_optimizer().patience, validates)
        resume = self.warm_start and hasattr(self, "vectors_")
        context = self._init_callback_context(max_subtasks=self.max_epochs)
        with training.unchanged_on_error(self) as before:
            training.begin_randomness(self, resume=resume)
            examples = self._supervise(X, y)
            train, held_out = examples.split(
                self.validation_fraction, deepcopy(self._split_state)
            )
            run = self._training(train, held_out, resume=resume)
            run.begin(context, X, y)
        run.fit_epochs(before)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Train for one epoch on some pairs, continuing from the last call.

        The state of the optimizer is kept from call to call; after a `fit` without
        `warm_start` it starts anew. With a teacher of more dimensions, the first texts
        determine which of these are kept (`teacher_axes_`), with a warning if they are
        too few. Nothing is split off for validation.

        Parameters
        ----------
        X : array-like of str, or dataset of pyarrow or datasets
            As in :meth:`fit`.
        y : array-like, default=None
            As in :meth:`fit`.

        Returns
        -------
        self : encoder instance
        """
        resume = hasattr(self, "vectors_")
        had_axes = hasattr(self, "teacher_axes_")
        with training.unchanged_on_error(self) as before:
            training.begin_randomness(self, resume=resume)
            examples = self._supervise(X, y)
            run = self._training(examples, None, resume=resume)
        if not had_axes and hasattr(self, "teacher_axes_"):
            self._warn_of_few_texts(len(examples.texts))
        run.fit_once(before)
        return self

    def _supervise(self, X: Any, y: Any) -> Examples:
        """What `X` and `y` teach."""
        if isinstance(self.loss, str) and self.loss == "auto":
            return supervise(X, y)
        return supervise(X, y, self._checked_loss().learns_from)

    def _checked_loss(self, default: str = "infonce") -> Loss:
        """The loss; `default` is the one that "auto" stands for."""
        loss: Any = self.loss
        if isinstance(loss, str):
            loss = LOSSES[default if loss == "auto" else loss]
        loss._validate_params()
        checked: Loss = loss
        return checked

    def _checked_optimizer(self) -> Optimizer:
        return check_optimizer(self.optimizer, self._optimizer, ["head_penalty"])

    def _training(
        self, examples: Examples, held_out: Examples | None, *, resume: bool
    ) -> "training.Training":
        """Start or resume, encode the texts, and return what trains on them."""
        composition = self._resume() if resume else self._start(examples.texts)
        batch = self.vectors_.encode(
            examples.distinct, self._tokenizer(), skip_unknown=True
        )
        if not len(batch.ids):
            raise ValueError(
                "No word of the texts has a vector: do texts and vectors agree in "
                "language, case and tokens?"
            )
        axes = examples.teacher_axes(
            composition.dim, self._embed, getattr(self, "teacher_axes_", None)
        )
        self.__dict__.pop("teacher_axes_", None)
        if axes is not None:
            self.teacher_axes_ = axes
        # The same partners in a fit that resumes.
        arranged = examples.arrange(batch, deepcopy(self._split_state), axes)
        device = networks.resolve_device(self.device)
        optimizer = self._checked_optimizer()
        if examples.starts_far:
            optimizer = clone(optimizer).set_params(max_change=None)
        loss = self._checked_loss(examples.default_loss)
        uses_start = optimizer._uses_start or loss._uses_start
        anchors = anchor_table(self) if uses_start else None
        trainer = training.ParaphraseTrainer(
            composition.to(device),
            networks.WordTable(
                self.vectors_.rows(),
                initial=None if anchors is None else anchors.rows,
                sparse=optimizer.sparse,
                device=device,
                frozen=self.freeze == "vectors",
            ),
            self,
            optimizer,
            self._random_state,
            loss=loss,
            texts=arranged.texts,
            examples=arranged.examples,
            identities=arranged.identities,
            has_classes=arranged.has_classes,
            scores=arranged.scores,
            teacher=arranged.teacher,
        )
        if not examples.has_order:
            trainer.ordered_first_epoch = False
        validate = None
        if held_out is not None:
            validate = partial(held_out.validate, self, examples)
        return training.Training(self, trainer, self._fitted_state, validate=validate)

    def _start(self, texts: Iterable[str]) -> "networks.Composition":
        """Forget an earlier fit, and return the network that training starts with."""
        found = start(self, texts)
        self.__dict__.pop("teacher_axes_", None)
        self.added_words_ = found.added_words
        self._anchors = getattr(self, "vectors", None), found.anchors
        self.vectors_ = found.table
        self.parameters_ = networks.parameter_arrays(found.composition)
        training.forget_epochs(self)
        return found.composition

    def _resume(self) -> "networks.Composition":
        """The fitted network, if the parameters still are those it started from."""
        anchors = anchor_table(self)
        if anchors is not None:
            check_same_words(anchors, self.vectors_)
        return self._fitted_composition()

    def _forget_init(self) -> None:
        """Without `init`, which folders do not hold, penalties pull to `vectors_`."""
        if getattr(self, "vectors", None) is None:
            self._anchors = None, self.vectors_

    def _fitted_composition(self) -> "networks.Composition":
        build = partial(self._composition, self.vectors_)
        return networks.with_parameters(build, self.parameters_, "The fitted encoder")

    def _fitted_state(self, arrays: Arrays) -> dict[str, Any]:
        """Fitted attributes, given what a trainer of the composition has."""
        parameters = arrays.copy()
        matrix = parameters.pop("vectors", None)
        vectors = self.vectors_ if matrix is None else self.vectors_.replace(matrix)
        return {"vectors_": vectors, "parameters_": parameters}

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        return embed_texts(self, texts)

    def _warn_of_few_texts(self, n_texts: int) -> None:
        theirs, ours = self.teacher_axes_.shape
        if n_texts < ours < theirs:
            warn_caller(
                f"{n_texts} texts determine which {ours} of the teacher's {theirs} "
                f"dimensions are kept, also for later texts: start with {ours} texts "
                "or, better, many more."
            )

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        state.pop("_anchors", None)  # made anew when they are needed
        return state

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return self._fitted_composition().dim
