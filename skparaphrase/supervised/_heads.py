"""Models of an encoder and a head: initialisation, training and prediction."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone, is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, Interval, StrOptions
from skparaphrase._estimator import Settings
from skparaphrase._lazy import networks, torch, training
from skparaphrase._math import cosine, pair_features, unit_vectors
from skparaphrase._trained import Attributes, FitSettings
from skparaphrase._typing import Arrays, Texts
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.encoders._base import text_vectors
from skparaphrase.encoders._embedding import embed_batches
from skparaphrase.encoders._start import EncoderStart, TableRows, encoder_start
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.supervised._base import SupervisedModel
from skparaphrase.supervised._encoders import (
    copy_fitted,
    initialize_encoder,
    select,
    trained_encoder,
    warn_if_fitted,
)
from skparaphrase.supervised._logistic import centroid_prior, logistic_regression
from skparaphrase.supervision._examples import EncodedExamples, Examples
from skparaphrase.supervision._targets import LabelSets, Targets
from skparaphrase.text._check import unique_texts
from skparaphrase.text._lookup import TokenBatch

EPSILON = 1e-6  # added to every class, as in the code of Wieting et al. (2016)
# For the first output layer; chosen on development parts of MSRP, SICK and TrecQA with
# 50 to 3,000 pairs. For several labels per text, chosen on texts of two or three
# questions of CLINC150, where most labels are rare.
_PAIR_PENALTY, _LABEL_PENALTY = 10.0, 0.02
# Slope of the logit of the highest level in the scaled cosine, before training; chosen
# on training sets of STS 2012 and SICK with 10 to 1,000 pairs.
_COSINE_SLOPE = 0.8
_COSINE_SCALE = 10.0  # its single weight must not be small if examples are few
_MAX_EXAMPLES = 50_000  # of the regression that initialises a linear head
_CHUNK = 4096  # examples predicted at a time, to limit the memory of features

#: Further settings of the papers' models on frozen vectors.
FROZEN: dict[str, Any] = {"freeze": "encoder", "max_epochs": 20}
_UNFITTED = FrozenEstimator(ParaphraseEncoder(pooling="mean", norm=None))  # replace it


def wieting_settings(params: dict[str, Any], encoder: Any) -> Settings:
    """Settings of tables 5 and 6 of Wieting et al. (2016).

    Table 5 has a row for each encoder; "wieting" is the row of the released scripts.
    """
    return {
        "wieting": {**params, "encoder": encoder},
        "wieting-universal": {**params, "init": _UNFITTED},
        "wieting-features": {**params, **FROZEN, "encoder": _UNFITTED},
    }


class HeadStart(NamedTuple):
    """Initial state of a fit of a head.

    Attributes
    ----------
    targets : Targets
    encoder : encoder
        In its initial state.
    of_encoder : EncoderStart or None
        Initial state of the training of the encoder; None if vectors stay fixed.
    vectors : ndarray of shape (n_distinct, dim) or None
        The vectors of the distinct texts, if they stay fixed.
    head : Head
    """

    targets: Targets
    encoder: Any
    of_encoder: EncoderStart | None
    vectors: Any
    head: networks.Head

    @property
    def rows(self) -> TableRows | None:
        """The rows of a table that are trained."""
        return None if self.of_encoder is None else self.of_encoder.rows


class HeadModel(SupervisedModel):
    """Base class of models that put a head on an encoder.

    A subclass has the parameters in its signature.
    """

    features: Sequence[str]  # only of models of pairs

    encoder_: Any
    head_: dict[str, NDArray[np.float32]]

    _fitted_names: ClassVar[tuple[str, ...]] = ("head_", "encoder_")
    _refused = ("word_dropout", "scramble")
    _enough_nats: ClassVar[float] = 100.0  # with fewer, the rate is lower

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupervisedModel._parameter_constraints,
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
            encoder = ParaphraseEncoder() if self.encoder is None else self.encoder
            if isinstance(encoder, TrainedEncoder):
                of_encoder = {name.removeprefix("encoder__") for name in given}
                encoder._start_as_in_paper(of_encoder)
                self.set_params(encoder=encoder)

    def predict(self, X: Texts) -> NDArray[Any]:
        """Predict scores or labels.

        Parameters
        ----------
        X : array-like of str of shape (n_samples,) or (n_samples, 2)
            The texts or pairs.

        Returns
        -------
        predictions : ndarray of shape (n_samples,)
            The expected score, between the lowest and the highest of `levels_`, or the
            most probable of `classes_`. For a classifier fitted on several labels per
            text, the shape is (n_samples, n_classes), with 1 for labels with a
            probability above 0.5.
        """
        probabilities = self._probabilities(X)
        return self._targets.decode(probabilities)

    @property
    def _is_frozen(self) -> bool:
        """Whether the vectors of texts stay fixed."""
        return self.freeze == "encoder" or isinstance(self.encoder, FrozenEstimator)

    def _start(self, train: Examples, settings: FitSettings) -> HeadStart:
        encoder, of_encoder = self._initial_encoder(train, settings)
        vectors: Any = None
        if of_encoder is None:
            vectors = text_vectors(encoder, train.distinct)
        dim = vectors.shape[1] if of_encoder is None else of_encoder.composition.dim
        build = partial(self._head, dim, train.kind.n_outputs)
        if settings.resume:
            head = networks.with_parameters(build, self.head_, "The fitted model")
            return HeadStart(train.kind, encoder, of_encoder, vectors, head)
        head = build()
        head.reset(settings.steps.random_state)
        start = HeadStart(train.kind, encoder, of_encoder, vectors, head)
        if self.hidden_dim is None:
            self._start_as_regression(start, train, settings.steps.random_state)
        return start

    def _initial_encoder(
        self, train: Examples, settings: FitSettings
    ) -> tuple[Any, EncoderStart | None]:
        """The encoder before training, and the initial state of its training.

        The latter is None if the vectors of texts stay fixed. The parameter is not
        changed.
        """
        if settings.resume:
            encoder = self.encoder_
        elif self.init is not None:
            if self.encoder is not None:
                raise ValueError(
                    f"init={self.init!r} has its own architecture: pass either "
                    "encoder or init."
                )
            encoder = copy_fitted(self.init)
        elif isinstance(self.encoder, FrozenEstimator):
            check_is_fitted(self.encoder)
            return self.encoder.estimator, None
        else:
            encoder = ParaphraseEncoder() if self.encoder is None else self.encoder
            if self.freeze == "encoder" and not isinstance(encoder, TrainedEncoder):
                warn_if_fitted(encoder, "`init`")
                return clone(encoder).fit(train.texts.ravel()), None
            encoder, start = initialize_encoder(
                encoder, train, settings.steps, "`init`"
            )
            return encoder, None if self.freeze == "encoder" else start
        if self._is_frozen:
            return encoder, None
        if not isinstance(encoder, TrainedEncoder):
            raise TypeError(
                f"Training started with a frozen {type(encoder).__name__}, which "
                "cannot be trained. Fit a clone to start again."
            )
        return encoder, encoder_start(encoder, train, settings.steps, resume=True)

    def _start_as_regression(
        self, start: HeadStart, train: Examples, random_state: RandomState
    ) -> None:
        """Set the output layer to a logistic regression on the initial vectors."""
        vectors, of_encoder = start.vectors, start.of_encoder
        if of_encoder is not None:
            table, batch = of_encoder.rows.small_table(), of_encoder.rows.batch
            device = networks.resolve_device(start.encoder.device)
            vectors = embed_batches(
                of_encoder.composition, table, [batch], len(batch), device
            )
        indices = train.indices  # of `vectors`
        if len(train) > _MAX_EXAMPLES:
            rows = np.sort(random_state.permutation(len(train))[:_MAX_EXAMPLES])
            train, indices = train.take(rows), indices[rows]
        arrays = networks.parameter_arrays(start.head)
        features = self._features(vectors[indices.ravel()], arrays)
        targets = start.targets.distributions(train.targets)
        weights = train.normalized_weights()
        settings: dict[str, Any] = {"penalty": _PAIR_PENALTY}
        if isinstance(start.targets, LabelSets):
            settings = {"penalty": _LABEL_PENALTY, "independent": True}
        elif self._n_texts == 1:
            settings = centroid_prior(features, targets, weights)
        elif is_regressor(self) and "cosine" in self.features:
            W0 = np.zeros((features.shape[1], targets.shape[1]), np.float32)
            width = (len(W0) - 1) // max(len(self.features) - 1, 1)  # of other features
            column = [*self.features].index("cosine") * width
            W0[column] = _COSINE_SLOPE * np.linspace(-1, 1, targets.shape[1])
            settings["prior"] = W0, None
        weight, bias = logistic_regression(features, targets, weights, **settings)
        arrays |= {"output.weight": weight, "output.bias": bias}
        start.head.load_state_dict({k: torch.tensor(v) for k, v in arrays.items()})

    def _head(self, dim: int, n_outputs: int) -> networks.Head:
        return networks.Head(
            dim,
            hidden_dim=self.hidden_dim,
            n_outputs=n_outputs,
            n_texts=self._n_texts,
            features=getattr(self, "features", ("cosine",)),  # of pairs only
            projection_dim=self.projection_dim,
            text_norm=self.text_norm,
            cosine_scale=_COSINE_SCALE,
        )

    def _trainer(
        self, start: HeadStart, train: Examples, settings: FitSettings
    ) -> training.Trainer:
        of_encoder, prior, steps = start.of_encoder, None, settings.steps
        if self.hidden_dim is None and not isinstance(start.targets, LabelSets):
            nats = len(train) * np.log(start.targets.n_outputs)
            # AdaGrad's first steps are as long as the rate, even with few examples.
            if nats < self._enough_nats:
                rate = steps.learning_rate * nats / self._enough_nats
                steps = steps._replace(learning_rate=rate)
        if of_encoder is None:  # averages of one token each
            rows = np.arange(len(train.distinct) + 1)
            batch = TokenBatch(rows[:-1].astype(np.int32), rows)
            device = networks.resolve_device(self.device)
            table = networks.WordTable(start.vectors, device=device, frozen=True)
            composition: networks.Composition = networks.Average(table.weight.shape[1])
        else:
            batch, composition = of_encoder.rows.batch, of_encoder.composition
            if self.init is not None:
                prior = self._prior(start.encoder)
                anchors = partial(of_encoder.rows.matrix_of, prior.vectors_)
                of_encoder = replace(of_encoder, anchors=anchors)
            table = of_encoder.word_table(
                steps,
                self.device,
                uses_anchors=steps.optimizer._uses_start and self.freeze is None,
                frozen=self.freeze == "vectors",
            )
        targets = start.targets.distributions(train.targets) + EPSILON
        examples = EncodedExamples(
            batch,
            train.indices.reshape(-1, self._n_texts),
            targets.astype(np.float32),
            train.normalized_weights(),
        )
        objective = training.HeadObjective(
            composition,
            start.head,
            start.targets.default_loss,
            examples,
            None if prior is None else prior.parameters_,
        )
        if self.text_norm is not None:
            objective.vectors_rate = 1 / self.text_norm
        return training.Trainer(objective, table, steps)

    def _prior(self, encoder: TrainedEncoder) -> TrainedEncoder:
        """The encoder `init`, towards which `encoder` is regularised."""
        prior = copy_fitted(self.init)
        if prior.vectors_.words != encoder.vectors_.words:
            raise ValueError(
                "Training resumes with the words it started with, but `init` now "
                "has other words. Fit a clone to start again."
            )
        build = partial(encoder._composition, encoder.vectors_)
        networks.with_parameters(build, prior.parameters_, "init")
        return prior

    def _attributes(
        self, start: HeadStart, arrays: Arrays, *, is_scratch: bool = False
    ) -> Attributes:
        head = select(arrays, "head.") or networks.parameter_arrays(start.head)
        trained = trained_encoder(
            start.encoder, start.of_encoder, arrays, is_scratch=is_scratch
        )
        targets = self._target_attributes(start.targets)
        return {**targets, "encoder_": trained, "head_": head}

    def _validation_score(self, held_out: Examples, train: Examples) -> float:
        return float(self.score(held_out.texts, held_out.targets, held_out.weights))

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
        x = self._features(vectors, self.head_)
        if "hidden.weight" in self.head_:
            x = expit(_layer(self.head_, "hidden", x))
        logits = _layer(self.head_, "output", x)
        if logits.shape[1] != self._targets.n_outputs:
            raise ValueError(f"`head_` does not fit {self._kind.attribute}.")
        return logits

    def _features(
        self, vectors: NDArray[np.float32], head: Arrays
    ) -> NDArray[np.float32]:
        """Compute the input of the head's layers from the vectors of texts."""
        if "projection.weight" in head:
            vectors = _layer(head, "projection", vectors)
        if self.text_norm is not None:
            vectors = unit_vectors(vectors) * np.float32(self.text_norm)
        if self._n_texts == 2:
            blocks = pair_features(
                self.features, vectors[0::2], vectors[1::2], _scaled_cosine
            )
            vectors = np.concatenate(blocks, axis=1)
        return vectors


def _layer(head: Arrays, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
    weight, bias = head[f"{name}.weight"], head[f"{name}.bias"]
    if weight.ndim != 2 or bias.shape != weight.shape[1:]:
        raise ValueError(f"`head_` has a layer {name!r} of another shape.")
    layer: NDArray[np.float32] = x @ weight + bias
    return layer


def _scaled_cosine(
    first: NDArray[np.float32], second: NDArray[np.float32]
) -> NDArray[np.floating]:
    return cosine(first, second)[:, np.newaxis] * np.float32(_COSINE_SCALE)
