"""Regression of similarity on the interaction of words, and its base class."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import Interval, Options, StrOptions
from skparaphrase._estimator import Settings, store_parameters, warn_caller
from skparaphrase._lazy import networks, torch, training
from skparaphrase._progress import progress_bar
from skparaphrase._threads import own_torch
from skparaphrase._trained import Attributes, FitSettings
from skparaphrase._typing import Arrays, Texts
from skparaphrase.encoders._base import check_word_vectors
from skparaphrase.encoders._embedding import similar_lengths
from skparaphrase.encoders._start import TableRows
from skparaphrase.metrics._similarity import correlation
from skparaphrase.optimizers import Optimizer
from skparaphrase.supervised._base import SupervisedModel
from skparaphrase.supervision._examples import EncodedExamples, Examples
from skparaphrase.supervision._targets import Scores, Targets
from skparaphrase.text._check import unique_texts
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.text._tokenizer import check_tokenizer
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._storage import SENTENCES, bundled, load_word_vectors
from skparaphrase.vectors._transforms import append_new_words, multiplied

_PAIRS = 256  # maximum number of pairs predicted at a time, of similar lengths
# With a start from the cosine, training on SICK (4,500 pairs) learns more slowly.
_MANY_PAIRS = 2000

# For settings of the paper: the code of He & Lin updates after each pair and resets the
# optimizer's moments after every epoch.
UPDATE_EACH_PAIR: dict[str, Any] = {
    "optimizer": Optimizer(
        "rmsprop", reset=True, clip_norm=50.0, clip_jointly=True, max_change=None
    ),
    "learning_rate": 1e-4,
    "batch_size": 1,
    "max_epochs": 35,
    "scale": None,
    "similarity": None,
}


class InteractionStart(NamedTuple):
    """Initial state of a fit.

    Attributes
    ----------
    targets : Targets
    network : Interaction
    scale : float
        Factor by which the word vectors are multiplied.
    similarity : {"cosine", "coverage"} or None
    table : WordVectors or None
        The table whose vectors are or were trained; None if they never were.
    texts : TokenBatch
        The distinct texts; ids are rows of `matrix`.
    matrix : ndarray of shape (n_words, dim)
    rows : TableRows, default=None
        The rows of `table` that are trained; None if vectors are frozen.
    anchors : ndarray of shape (n_words, dim), default=None
        The vectors that penalties pull towards and from which changes are measured.
    """

    targets: Targets
    network: networks.Interaction
    scale: float
    similarity: str | None
    table: WordVectors | None
    texts: TokenBatch
    matrix: NDArray[np.float32]
    rows: TableRows | None = None
    anchors: NDArray[np.float32] | None = None


class PairwiseInteraction(SupervisedModel):
    """Base class of models that compare the words of two sentences with each other.

    A subclass has the parameters in its signature.
    """

    parameters_: dict[str, NDArray[np.float32]]
    scale_: float
    similarity_: str | None
    vectors_: WordVectors  # with freeze=None

    _default_table = SENTENCES
    _n_texts = 2
    _fitted_names = "parameters_", "scale_", "similarity_", "vectors_"
    _optimizer = Optimizer(
        "adam", schedule="linear", clip_norm=50.0, clip_jointly=True, max_change=None
    )
    _refused = ("composition_penalty", "head_penalty", "word_dropout", "scramble")
    _small_steps = False
    _prefer_later_on_ties = True  # as in the paper's code

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupervisedModel._parameter_constraints,
        "max_words": [Options(Integral, {32, 48, 64})],
        "hidden_dim": [Interval(Integral, 1, None, closed="left"), None],
        "focus": [StrOptions({"matching", "paper", "dropout", "none"})],
        "similarity": [StrOptions({"cosine", "coverage"}), None],
        "scale": [Interval(Real, 0, None, closed="neither"), None],
        "tokenizer": [callable, None],
        "freeze": [StrOptions({"vectors"}), None],
    }

    def _start_as_in_paper(self, given: set[str]) -> None:
        if "vectors" not in given:
            self.vectors = load_word_vectors()

    def _table(self) -> tuple[WordVectors, float]:
        """The table in which texts are looked up, and the factor of its vectors."""
        if hasattr(self, "vectors_"):
            return self.vectors_, 1.0
        return self._given_table(), self.scale_

    def _given_table(self) -> WordVectors:
        if self.vectors is None:
            return bundled(self._default_table)
        return check_word_vectors(self.vectors)

    def _look_up(
        self, texts: list[str], table: WordVectors, factor: float
    ) -> tuple[TokenBatch, NDArray[np.float32]]:
        """The words of texts as rows of a matrix, and the matrix of their vectors."""
        batch = table.encode(texts, check_tokenizer(self.tokenizer))
        # Words of the table come first; words with n-gram vectors have negative ids.
        order = np.where(batch.ids < 0, len(table) - 1 - batch.ids, batch.ids)
        rows, local = np.unique(order, return_inverse=True)
        ids = np.where(rows < len(table), rows, len(table) - 1 - rows)
        matrix = table.token_vectors(ids, batch.extra) * np.float32(factor)
        return TokenBatch(local.astype(np.int32), batch.offsets), matrix

    def _start(self, train: Examples, settings: FitSettings) -> InteractionStart:
        texts, targets, resume = train.distinct, train.kind, settings.resume
        steps, tokenizer = settings.steps, check_tokenizer(self.tokenizer)
        if resume:
            scale, similarity = self.scale_, self.similarity_
            (table, factor), network = self._table(), self._fitted_network()
        else:
            table, similarity = self._given_table(), self._choose_similarity(len(train))
            ids = table.encode(texts, tokenizer, skip_unknown=True).ids
            scale = factor = scale_factor(table.rows(np.unique(ids)), self.scale)
            network = self._network(table.dim, targets.n_outputs, similarity)
            network.reset(steps.random_state)
        looked_up = self._look_up(texts, table, factor)
        if similarity is not None and not resume:
            network.start_from(
                self._compute(network.similarities, *looked_up, train.indices),
                targets.distributions(train.targets),
                train.weights,
            )
        trained = getattr(self, "vectors_", None) if resume else None
        start = partial(InteractionStart, targets, network, scale, similarity)
        if self.freeze == "vectors":
            return start(trained, *looked_up)
        if trained is None:
            trained = self._initial_table(texts, scale)
        batch = trained.encode(texts, tokenizer, skip_unknown=True)
        rows, anchors = TableRows(trained, batch, [], not steps.optimizer.sparse), None
        if steps.optimizer._uses_start:
            anchors = rows.matrix_of(self._initial_table(trained.words, scale))
        return start(trained, rows.batch, rows.matrix(), rows, anchors)

    def _choose_similarity(self, n_pairs: int) -> str | None:
        """The similarity to start from, given the number of training pairs."""
        if self.similarity == "auto":
            return "cosine" if n_pairs < _MANY_PAIRS else None
        return self.similarity

    def _resolved_device(self) -> torch.device:
        device = networks.resolve_device(self.device)
        if device.type == "mps":
            raise ValueError(
                "The similarity cube is computed in double precision, which "
                f"device={self.device!r} does not support; use 'cpu'."
            )
        return device

    def _network(
        self, dim: int, n_outputs: int, similarity: str | None
    ) -> networks.Interaction:
        return networks.Interaction(
            dim,
            self.hidden_dim,
            n_outputs,
            max_words=self.max_words,
            focus=self.focus,
            similarity=similarity,
        )

    def _fitted_network(self) -> networks.Interaction:
        sizes = self._table()[0].dim, self._targets.n_outputs, self.similarity_
        build = partial(self._network, *sizes)
        return networks.with_parameters(build, self.parameters_, "The fitted model")

    def _trainer(
        self, start: InteractionStart, train: Examples, settings: FitSettings
    ) -> training.Trainer:
        steps = settings.steps
        self._warn_if_truncated(start.texts)
        table = networks.WordTable(
            start.matrix,
            anchors=start.anchors,
            sparse=steps.optimizer.sparse,
            device=self._resolved_device(),
            frozen=start.rows is None,
        )
        targets = start.targets.distributions(train.targets).astype(np.float32)
        weights = train.normalized_weights()
        objective = training.InteractionObjective(
            start.network,
            start.targets.default_loss,
            EncodedExamples(start.texts, train.indices, targets, weights),
        )
        return training.Trainer(objective, table, steps)

    def _initial_table(self, texts: Iterable[str], scale: float) -> WordVectors:
        """The given table with the words of texts and with scaled vectors."""
        tokenizer = check_tokenizer(self.tokenizer)
        table, _ = append_new_words(self._given_table(), texts, tokenizer)
        is_weighted = table.is_weighted
        return multiplied(table, scale, unknown_weight=scale, is_weighted=is_weighted)

    def _attributes(
        self, start: InteractionStart, arrays: Arrays, *, is_scratch: bool = False
    ) -> Attributes:
        arrays = arrays or networks.parameter_arrays(start.network)
        attributes: Attributes = {
            **self._target_attributes(start.targets),
            "parameters_": {k: v for k, v in arrays.items() if k != "vectors"},
            "scale_": start.scale,
            "similarity_": start.similarity,
        }
        if start.table is not None:
            attributes["vectors_"] = start.table
        if start.rows is not None and "vectors" in arrays:
            table = start.rows.trained_table(arrays["vectors"], is_scratch=is_scratch)
            attributes["vectors_"] = table
        return attributes

    def _logits(self, X: Texts, *, warn: bool = True) -> NDArray[np.float64]:
        """Scores before the softmax, shape (n_pairs, n_outputs)."""
        check_is_fitted(self)
        pairs = self._check_texts(X)
        if not len(pairs):
            return np.empty((0, self._targets.n_outputs))
        distinct, indices = unique_texts(pairs)
        texts, matrix = self._look_up(distinct, *self._table())
        if warn:
            self._warn_if_truncated(texts)
        network = self._fitted_network().to(self._resolved_device())
        return self._compute(network, texts, matrix, indices)

    @own_torch()
    def _compute(
        self,
        function: Callable[..., torch.Tensor],
        texts: TokenBatch,
        matrix: NDArray[np.float32],
        pairs: NDArray[np.intp],
    ) -> NDArray[np.float64]:
        """Apply the network, or a method of it, to pairs."""
        device = self._resolved_device()
        vectors = torch.from_numpy(matrix).to(device)
        n_words = 2 * texts.lengths[pairs].max(axis=1)
        chunks = [*similar_lengths(n_words, most=_PAIRS)]
        values = []
        bar = progress_bar(len(pairs), "Predicting", "pair")
        with bar as advance, torch.inference_mode():
            for chunk in chunks:
                chosen, local = np.unique(pairs[chunk], return_inverse=True)
                batch = texts.take(chosen)
                ids = networks.to_device(batch.ids.astype(np.int64), device)
                of_chunk = function(vectors, ids, batch.offsets, local.reshape(-1, 2))
                values.append(of_chunk.double().cpu().numpy())
                advance(len(chunk))
        return np.concatenate(values)[np.argsort(np.concatenate(chunks))]

    def _warn_if_truncated(self, texts: TokenBatch) -> None:
        n_long = int((texts.lengths > self.max_words).sum())
        if n_long:
            warn_caller(
                f"{n_long} of {len(texts)} distinct sentences have more than "
                f"max_words={self.max_words} words; only the first {self.max_words} "
                "are compared."
            )


class PairwiseInteractionRegressor(RegressorMixin, PairwiseInteraction):
    r"""Predict the similarity of sentences from the interaction of their words.

    The pairwise word interaction model (PWIM) of He & Lin (2016). A bidirectional LSTM
    reads both sentences. A cube contains the cosine, the Euclidean distance and the dot
    product of each word of one sentence with each word of the other. These are computed
    for forward states, backward states, their sums and their concatenations. The focus
    layer keeps the pairs of words that match best, and multiplies the others by 0.1. A
    deep convolutional network processes the cube like an image. Its softmax over the
    integers of the scale is trained with the Kullback-Leibler divergence from the two
    levels next to the score. The prediction is the expected level.

    The defaults are as good as the paper's settings, and faster; see :meth:`paper`.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None takes the table of :func:`skparaphrase.load_pretrained`. Words without a
        vector are left out; the paper draws a random vector for each of them.
    hidden_dim : int, default=250
        Number of units of the LSTM, which reads in both directions, as in the paper's
        code. None compares word vectors instead of LSTM states (table 8).
    max_words : {32, 48, 64}, default=32
        Number of words at the beginning of a sentence that are compared. The LSTM reads
        the whole sentence. A warning gives the number of longer sentences.
    focus : {"matching", "paper", "dropout", "none"}, default="matching"
        "matching" is the focus layer of the paper's code, and "paper" is algorithm 2 as
        printed. "dropout" instead drops 30 % of the cube in training, and "none" omits
        the layer (table 8).
    similarity : {"auto", "cosine", "coverage"} or None, default="auto"
        Similarity of the two texts' word vectors, as a further input of the output
        layer. Training starts from a regression of the scores on it alone. "cosine" is
        the cosine of the average word vectors. "coverage" averages, over the words of
        the first text, their highest cosine with a word of the second, weighted by the
        lengths of the vectors (Mihalcea et al. 2006). None is the paper's model, which
        learns more from many pairs. "auto" is "cosine" for fewer than 2,000 pairs,
        otherwise None.
    scale : float, default=6.0
        Mean length of the vectors of the words in `X`, after multiplication by a
        factor. The gates of an LSTM hardly react to short vectors. None keeps the
        lengths.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words; None is :class:`~skparaphrase.text.WordTokenizer`.
    levels
        As in :class:`SimilarityRegressor`.
    optimizer : str or Optimizer, default=None
        None is ``Optimizer("adam", schedule="linear", clip_norm=50.0,
        clip_jointly=True, max_change=None)``.
    learning_rate : float, default=0.001
        Step size of the optimizer.
    batch_size : int, default=32
        Pairs per step. The gradient of a batch is the mean over its pairs.
    max_epochs
        As in :class:`SimilarityRegressor`.
    freeze : {"vectors"} or None, default="vectors"
        "vectors" keeps the word vectors fixed; None also trains them.
    validation_fraction, patience, warm_start, device, random_state, verbose
        As in :class:`SimilarityRegressor`.

    Attributes
    ----------
    parameters_ : dict of str to ndarray
        "context.W_x" of shape (4 * hidden_dim, dim), rows for the input,
        forget, cell and output gates, "W_h", "b_x" and "b_h";
        "grid.convolutions.0.weight" of shape (128, 13, 3, 3) and so on; "grid.hidden.*"
        and "grid.output.*"; with a similarity,
        "shortcut.weight" of shape (n_levels,).
    vectors_ : WordVectors
        With `freeze=None`, the table with trained vectors of the words in `X`.
    scale_ : float
        The factor of `scale`.
    similarity_ : {"cosine", "coverage"} or None
        The similarity in use.
    levels_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`SimilarityRegressor`.

    See Also
    --------
    PairwiseInteractionRanker : Ranks answers to questions.
    skparaphrase.supervised.SimilarityRegressor : Faster, and its sentence vectors have
        other uses.

    Notes
    -----
    Settings of :meth:`paper`: "sick" (table 3), "msrvid" (table 4), "sts2014"
    (table 5), with an update for each pair. The paper prints the rate and the number of
    words. LSTM units, batch size, epochs and the norm of gradients come from the
    released code. The authors keep the best epoch on the development set: pass `X_val`
    and `y_val`.

    Where the paper and its code disagree, this class follows the code: one LSTM for
    both directions, focus on the concatenated states, a matching that continues until
    one sentence is used up, negative distances, and a channel that marks real cells,
    which the focus weights like the others. With `focus="paper"`, the focus uses the
    sums of the states (channels 10 and 11 in the paper's order), visits as many cells
    as both sentences have words, and does not change the channel that marks real cells.

    An empty sentence has no cells: all such pairs get the score of the empty cube.

    The similarity is not in the paper. With it, a model trained on few or no examples
    is as good as the similarity alone, and more examples improve it.

    References
    ----------
    H. He, J. Lin, "Pairwise Word Interaction Modeling with Deep Neural Networks for
    Semantic Similarity Measurement", NAACL 2016.

    R. Mihalcea, C. Corley, C. Strapparava, "Corpus-based and Knowledge-based Measures
    of Text Semantic Similarity", AAAI 2006.

    Examples
    --------
    >>> from skparaphrase.datasets import load_graded_pairs
    >>> from skparaphrase.supervised import PairwiseInteractionRegressor
    >>> pairs, scores = load_graded_pairs(return_X_y=True)
    >>> model = PairwiseInteractionRegressor(max_epochs=1, random_state=0)
    >>> model.fit(pairs[:32], scores[:32]).predict(pairs[:2]).shape
    (2,)
    """

    levels_: NDArray[np.float64]

    _kind = Scores

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PairwiseInteraction._parameter_constraints,
        "similarity": [StrOptions({"auto", "cosine", "coverage"}), None],
        "levels": ["array-like", None],
    }

    _paper_settings: ClassVar[Settings] = {
        "sick": {**UPDATE_EACH_PAIR, "levels": (1, 2, 3, 4, 5)},
        "msrvid": {**UPDATE_EACH_PAIR, "levels": (0, 1, 2, 3, 4, 5)},
        "sts2014": {**UPDATE_EACH_PAIR, "levels": (0, 1, 2, 3, 4, 5), "max_words": 48},
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        hidden_dim: int | None = 250,
        max_words: int = 32,
        focus: str = "matching",
        similarity: str | None = "auto",
        scale: float | None = 6.0,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        levels: ArrayLike | None = None,
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.001,
        batch_size: int = 32,
        max_epochs: int = 10,
        freeze: str | None = "vectors",
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: int | RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def predict(self, X: Texts) -> NDArray[np.float64]:
        """Scores of pairs.

        Parameters
        ----------
        X : array-like of str of shape (n_pairs, 2)

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Between the lowest and the highest of `levels_`.
        """
        return self._decode(self._logits(X))

    def _validation_score(self, held_out: Examples, train: Examples) -> float:
        scores = self._decode(self._logits(held_out.texts, warn=False))
        return correlation(held_out.targets, scores, held_out.weights, warn=False)

    def _decode(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._targets.decode(softmax(logits, axis=1))


def scale_factor(vectors: NDArray[np.floating], scale: float | None) -> float:
    """The factor that gives vectors the mean length `scale`; 1 if impossible."""
    length = float(np.linalg.norm(vectors, axis=1).mean()) if len(vectors) else 0.0
    return float(scale) / length if scale is not None and length > 0 else 1.0
