"""An encoder and a head: initialisation, training and prediction."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, Interval, StrOptions
from skparaphrase._estimator import Arrays, Settings
from skparaphrase._lazy import networks, training
from skparaphrase._math import cosine, pair_features, unit_vectors
from skparaphrase._typing import Texts
from skparaphrase.encoders import (
    ParagramEncoder,
    Start,
    TrainedEncoder,
    begin_training,
    copy_fitted,
    embed_batch,
    text_vectors,
    unwrap_frozen,
    warn_if_fitted,
)
from skparaphrase.supervised._base import TrainedModel
from skparaphrase.supervised._logistic import logistic_regression
from skparaphrase.supervision import LabelSets, Samples
from skparaphrase.text import TokenBatch, unique_texts

EPSILON = 1e-6  # added to every class, as in the code of Wieting et al. (2016)
# Of the first output layer, by the number of texts of an example; chosen on development
# parts of CLINC150, MSRP, SICK and TrecQA with 50 to 3,000 examples. Of a pair, the
# cosine says most; of a text, all dimensions are needed. Several labels a text were
# chosen on two or three questions of CLINC150 in one text: most labels are rare.
_PENALTIES = {1: 0.1, 2: 10.0}
_LABEL_PENALTY = 0.02
_COSINE_SCALE = 10.0  # its one weight must not be small where examples are few
_MAX_EXAMPLES = 50_000  # that a linear head starts from
_CHUNK = 4096  # examples at a time, which bounds the memory for features

#: What the papers' models on frozen vectors have besides.
FROZEN: dict[str, Any] = {"freeze": "encoder", "max_epochs": 20}
_UNFITTED = FrozenEstimator(ParagramEncoder(pooling="mean", norm=None))  # replace it


def wieting_settings(params: dict[str, Any], encoder: Any) -> Settings:
    """Settings of tables 5 and 6 of Wieting et al. (2016).

    Table 5 has a row for each encoder; "wieting" is that of the released scripts.
    """
    return {
        "wieting": {**params, "encoder": encoder},
        "wieting-universal": {**params, "init": _UNFITTED},
        "wieting-features": {**params, **FROZEN, "encoder": _UNFITTED},
    }


class SupervisedModel(TrainedModel):
    """Base class of models that put a head on an encoder.

    A subclass has the parameters in its signature.
    """

    features: Sequence[str] = ("product", "absdiff")  # of pairs

    encoder_: Any
    head_: dict[str, NDArray[np.float32]]

    # Of the copy on which a fit works:
    _encoder_start: Start | None = None  # None: texts keep their vectors
    _text_vectors: NDArray[np.float32] | None = None  # which may be known

    _fitted_names: ClassVar[tuple[str, ...]] = ("head_", "encoder_")
    _refused = ("word_dropout", "scramble")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedModel._parameter_constraints,
        "encoder": [HasMethods(["transform"]), None],
        "features": [tuple, list],
        "hidden_dim": [Interval(Integral, 1, None, closed="left"), None],
        "projection_dim": [Interval(Integral, 1, None, closed="left"), None],
        "text_norm": [Interval(Real, 0, None, closed="neither"), None],
        "freeze": [StrOptions({"vectors", "encoder"}), None],
        "init": [HasMethods(["transform"]), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def _start_as_in_paper(self, given: set[str]) -> None:
        if self.init is None and "encoder" not in given:
            encoder = ParagramEncoder() if self.encoder is None else self.encoder
            if isinstance(encoder, TrainedEncoder):
                of_encoder = {name.removeprefix("encoder__") for name in given}
                encoder._start_as_in_paper(of_encoder)
                self.set_params(encoder=encoder)

    def predict(self, X: Texts) -> NDArray[Any]:
        """Predict scores or labels.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            As in :meth:`fit`.

        Returns
        -------
        predictions : ndarray of shape (n_samples,)
            The expected score, between the lowest and the highest of `levels_`, or the
            most probable of `classes_`. Of a classifier that is fitted on several
            labels a text, shape (n_samples, n_classes): 1 for those that are more
            probable than 0.5.
        """
        probabilities = self._probabilities(X)
        return self._targets.decode(probabilities)

    @property
    def _is_frozen(self) -> bool:
        """Whether the vectors of texts stay as they are."""
        return self.freeze == "encoder" or isinstance(self.encoder, FrozenEstimator)

    def _initialize(self, samples: Samples, rng: RandomState) -> None:
        distinct, indices = samples.unique
        self._begin(samples, rng)
        vectors = self._initial_vectors(distinct)
        head = self._head(vectors.shape[1])
        head.reset(rng)
        self.head_ = networks.parameter_arrays(head)
        if self.hidden_dim is not None:
            return
        rows = np.arange(len(samples))
        if len(rows) > _MAX_EXAMPLES:
            rows = np.sort(rng.permutation(len(rows))[:_MAX_EXAMPLES])
            samples = samples.take(rows)
        independent = isinstance(self._targets, LabelSets)
        weight, bias = logistic_regression(
            self._features(vectors[indices[rows].ravel()]),
            self._targets.distributions(samples.targets),
            samples.normalized_weights(),
            penalty=_LABEL_PENALTY if independent else _PENALTIES[self._n_texts],
            independent=independent,
        )
        self.head_.update({"output.weight": weight, "output.bias": bias})

    def _initial_vectors(self, distinct: list[str]) -> NDArray[np.float32]:
        """Vectors of texts before any training; computed once if they stay so."""
        if self._encoder_start is None:
            self._text_vectors = text_vectors(self.encoder_, distinct)
            return self._text_vectors
        start = self._encoder_start
        table, batch = start.table_rows.small_table(), start.table_rows.batch
        device = networks.resolve_device(self.encoder_.device)
        return embed_batch(start.composition, table, batch, device)

    def _begin(self, samples: Samples, rng: RandomState) -> None:
        """Set the encoder that training starts with; the one given is not changed."""
        encoder = ParagramEncoder() if self.encoder is None else self.encoder
        if self.init is not None:
            if self.encoder is not None:
                raise ValueError(
                    f"init={self.init!r} brings its own architecture: pass either "
                    "encoder or init."
                )
            self.encoder_ = copy_fitted(self.init)
            self._resume_encoder(samples, rng)
        elif isinstance(encoder, FrozenEstimator):
            check_is_fitted(encoder)
            self.encoder_ = unwrap_frozen(encoder)
        else:
            warn_if_fitted(encoder, "`init`")
            if self.freeze == "encoder" and not isinstance(encoder, TrainedEncoder):
                self.encoder_ = clone(encoder).fit(samples.texts.ravel())
                return
            whole = not self._checked_optimizer().sparse
            self.encoder_, start = begin_training(
                encoder, samples.texts, samples.unique[0], rng, whole=whole
            )
            self._encoder_start = None if self.freeze == "encoder" else start

    def _resume_encoder(self, samples: Samples, rng: RandomState) -> None:
        """Look up texts for the fitted encoder, unless it stays as it is."""
        if self._is_frozen:
            return
        encoder = self.encoder_
        if not isinstance(encoder, TrainedEncoder):
            raise TypeError(
                f"Training started with a frozen {type(encoder).__name__}, which "
                "cannot be trained. Fit a clone to start again."
            )
        distinct, whole = samples.unique[0], not self._checked_optimizer().sparse
        self._encoder_start = encoder._start(
            distinct, distinct, rng, whole=whole, resume=True
        )

    def _head(self, dim: int) -> "networks.Head":
        return networks.Head(
            dim,
            hidden_dim=self.hidden_dim,
            n_outputs=self._targets.n_outputs,
            n_texts=self._n_texts,
            features=self.features,
            projection_dim=self.projection_dim,
            text_norm=self.text_norm,
            cosine_scale=_COSINE_SCALE,
        )

    def _trainer(
        self, samples: Samples, rng: RandomState
    ) -> "training.ExamplesTrainer":
        device = networks.resolve_device(self.device)
        optimizer = self._checked_optimizer()
        distinct, indices = samples.unique
        if self._encoder_start is None:
            self._resume_encoder(samples, rng)
        start, prior = self._encoder_start, None
        if start is None:  # texts are embedded once: averages of one token each
            vectors = self._text_vectors
            if vectors is None:
                vectors = text_vectors(self.encoder_, distinct)
            rows = np.arange(len(distinct) + 1)
            batch = TokenBatch(rows[:-1].astype(np.int32), rows)
            table = networks.WordTable(vectors, device=device, frozen=True)
            composition: networks.Composition = networks.Average(vectors.shape[1])
        else:
            self._words = start.table_rows
            batch, composition = start.table_rows.batch, start.composition.to(device)
            prior = self._checked_init()
            anchors = start.anchors
            if prior is not None:
                anchors = partial(start.table_rows.matrix_of, prior.vectors_)
            uses_anchors = optimizer._uses_start and self.freeze is None
            table = networks.WordTable(
                start.table_rows.matrix(),
                anchors=anchors() if uses_anchors and anchors else None,
                sparse=optimizer.sparse,
                device=device,
                frozen=self.freeze == "vectors",
            )
        head = networks.with_parameters(
            partial(self._head, composition.dim), self.head_, "The fitted model"
        )
        targets = self._targets.distributions(samples.targets) + EPSILON
        trainer = training.head_trainer(
            composition,
            head.to(device),
            table,
            training.Steps(optimizer, self.learning_rate, self.batch_size, rng),
            loss=self._targets.default_loss,
            examples=training.TargetTexts(
                batch,
                indices.reshape(-1, self._n_texts),
                targets.astype(np.float32),
                samples.normalized_weights(),
            ),
            prior=None if prior is None else prior.parameters_,
        )
        if self.text_norm is not None:
            trainer.vectors_rate = 1 / self.text_norm
        return trainer

    def _checked_init(self) -> TrainedEncoder | None:
        """The encoder that training is regularised towards, if it is another one."""
        encoder = self.encoder_
        if self.init is None:
            return None
        prior = copy_fitted(self.init)
        if prior.vectors_.words != encoder.vectors_.words:
            raise ValueError(
                "Training resumes with the words it started with, but `init` now "
                "has other words. Fit a clone to start again."
            )
        build = partial(encoder._composition, encoder.vectors_)
        networks.with_parameters(build, prior.parameters_, "init")
        return prior

    def _fitted_state(self, arrays: Arrays) -> dict[str, Any]:
        encoder = self.encoder_
        if self._encoder_start is not None:
            trained = select_composition(arrays)
            encoder = encoder._trained(self._encoder_start, trained)
        return {"encoder_": encoder, "head_": select(arrays, "head.")}

    def _validation_score(self, examples: Samples) -> float:
        return float(self.score(examples.texts, examples.targets, examples.weights))

    def _probabilities(self, X: Texts) -> NDArray[np.float64]:
        """Probabilities of the outputs, shape (n_samples, n_outputs)."""
        check_is_fitted(self)
        texts, targets = self._check_texts(X), self._targets
        distinct, indices = unique_texts(texts)
        probabilities = np.empty((len(texts), targets.n_outputs))
        if not len(texts):
            return probabilities
        vectors = text_vectors(self.encoder_, distinct)
        for start in range(0, len(texts), _CHUNK):
            rows = slice(start, start + _CHUNK)
            logits = self._logits(vectors[indices[rows].ravel()])
            probabilities[rows] = targets.probabilities(logits.astype(np.float64))
        return probabilities

    def _logits(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """NumPy equivalent of `networks.Head`; avoids importing torch."""
        x = self._features(vectors)
        if "hidden.weight" in self.head_:
            x = expit(self._layer("hidden", x))
        logits = self._layer("output", x)
        if logits.shape[1] != self._targets.n_outputs:
            raise ValueError(f"`head_` is not one for {self._kind.attribute}.")
        return logits

    def _layer(self, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
        weight, bias = self.head_[f"{name}.weight"], self.head_[f"{name}.bias"]
        if weight.ndim != 2 or bias.shape != weight.shape[1:]:
            raise ValueError(f"`head_` has a layer {name!r} of other shapes.")
        layer: NDArray[np.float32] = x @ weight + bias
        return layer

    def _features(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the head's layers read, in new memory."""
        if "projection.weight" in self.head_:
            vectors = self._layer("projection", vectors)
        if self.text_norm is not None:
            vectors = unit_vectors(vectors) * np.float32(self.text_norm)
        if self._n_texts == 2:
            blocks = pair_features(
                self.features, vectors[0::2], vectors[1::2], _scaled_cosine
            )
            vectors = np.concatenate(blocks, axis=1)
        return vectors


def _scaled_cosine(
    first: NDArray[np.float32], second: NDArray[np.float32]
) -> NDArray[np.floating]:
    return cosine(first, second)[:, np.newaxis] * np.float32(_COSINE_SCALE)


def select_composition(arrays: Arrays) -> Arrays:
    """The arrays of an encoder inside a model, as a trainer of the encoder has them."""
    parameters = select(arrays, "composition.")
    vectors = {name: array for name, array in arrays.items() if name == "vectors"}
    return {**parameters, **vectors}


def select(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays whose names start with a prefix, without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
