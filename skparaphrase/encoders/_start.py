"""Initial state of a fit: a table, the rows of it that are trained, and a network."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase._lazy import networks, training
from skparaphrase.encoders._base import AveragingEncoder, check_word_vectors
from skparaphrase.encoders._shrinkage import Gain
from skparaphrase.supervision._examples import Examples
from skparaphrase.text._lookup import TokenBatch
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._storage import SENTENCES, bundled
from skparaphrase.vectors._transforms import multiplied

Matrix = NDArray[np.float32]
Moments = dict[str, dict[str, Any]]  # moments of an optimizer, by the name of a tensor


class TableRows:
    """The rows of a table that a fit trains, for the words in its texts.

    Parameters
    ----------
    table : WordVectors
    batch : TokenBatch
        The texts. Ids below zero stand for new words, whose vectors are in `extra`.
    new_words : list of str
        Words whose rows follow the rows of the table.
    whole : bool
        Whether all rows are trained, as dense updates do.

    Attributes
    ----------
    rows : ndarray of int of shape (n_rows,)
        Ascending.
    batch : TokenBatch
        The texts; ids are positions in `rows`.
    """

    def __init__(
        self, table: WordVectors, batch: TokenBatch, new_words: list[str], whole: bool
    ) -> None:
        self.table = table
        self.new_words = new_words
        self.new_vectors = batch.extra
        ids = np.where(batch.ids < 0, len(table) - 1 - batch.ids, batch.ids)
        is_used = np.full(len(table) + len(new_words), whole)
        is_used[ids] = True
        self.rows = np.flatnonzero(is_used)
        positions = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
        self.batch = TokenBatch(positions[ids], batch.offsets)
        self._scratch: tuple[Matrix, WordVectors] | None = None

    @property
    def _n_known(self) -> int:
        """Number of rows that are in the table; the others are new words."""
        return len(self.rows) - len(self.new_words)

    def matrix(self) -> Matrix:
        """Copy the vectors of the rows, in float32."""
        is_whole = self._n_known == len(self.table)
        rows = slice(None) if is_whole else self.rows[: self._n_known]
        matrix = self.table.rows(rows)
        if self.new_vectors is None:
            return matrix
        return np.concatenate([matrix, self.new_vectors])

    def small_table(self) -> WordVectors:
        """A table of only these rows."""
        known = [self.table.words[row] for row in self.rows[: self._n_known].tolist()]
        weighted = self.table.is_weighted
        words = [*known, *self.new_words]
        return WordVectors(words, self.matrix(), is_weighted=weighted)

    def matrix_of(self, table: WordVectors) -> Matrix:
        """Like :meth:`matrix`, with the vectors of the words in another table."""
        matrix, n_theirs = self.matrix(), np.searchsorted(self.rows, len(table))
        matrix[:n_theirs] = table.rows(self.rows[:n_theirs])
        added = self.rows[n_theirs : self._n_known]
        if len(added) and table._oov is not None:
            words = [self.table.words[row] for row in added.tolist()]
            matrix[n_theirs : self._n_known] = table._oov.vectors(words)
        return matrix

    def trained_table(self, matrix: Matrix, *, is_scratch: bool = False) -> WordVectors:
        """The table with its new words and with these vectors of the rows.

        With `is_scratch`, it shares memory with the next such table, which overwrites
        it.
        """
        if not self.new_words and len(matrix) == len(self.table):
            return self.table.replace(matrix)
        if is_scratch and self._scratch is not None:
            whole, table = self._scratch
            whole[self.rows] = matrix
            return table.replace(whole)
        known, new = np.split(matrix, [self._n_known])
        rows = self.rows[: self._n_known]
        table = self.table.with_rows(rows, known, self.new_words, new)
        if is_scratch:
            self._scratch = table.rows(), table
        return table

    def select(self, moments: Moments) -> Moments:
        """An optimizer's moments of these rows; zeros for rows that are new to it."""
        if "vectors" not in moments:
            return moments
        return {**moments, "vectors": _align(self.rows, moments["vectors"])}

    def merge(self, moments: Moments, before: Moments) -> Moments:
        """An optimizer's moments of these rows, and those `before` of other rows."""
        if "vectors" not in moments:
            return moments
        states = [{"rows": self.rows, **moments["vectors"]}]
        if "vectors" in before:
            states.insert(0, before["vectors"])
        rows = np.unique(np.concatenate([state["rows"] for state in states]))
        return {**moments, "vectors": {"rows": rows, **_align(rows, *states)}}


def _align(rows: NDArray[np.intp], *states: dict[str, Any]) -> dict[str, Any]:
    """Moments of rows, from the last state that has the row; otherwise zeros."""
    aligned: dict[str, Any] = {"n_steps": states[-1]["n_steps"]}
    for state in states:
        _, here, there = np.intersect1d(
            rows, state["rows"], assume_unique=True, return_indices=True
        )
        for name in state.keys() - {"rows", "n_steps"}:
            shape = len(rows), state[name].shape[1]
            whole = aligned.setdefault(name, np.zeros(shape, dtype=np.float32))
            whole[here] = state[name][there]
    return aligned


@dataclass(frozen=True)
class EncoderStart:
    """Initial state of the training of an encoder, alone or inside a model.

    Attributes
    ----------
    rows : TableRows
        The vectors of the words, n-grams or characters of the texts.
    composition : Composition
        The network, with its initial parameters.
    anchors : callable or None
        Returns the vectors that penalties pull the rows towards; None is zero.
    added_words : list of str
        The words at the end of the table that earlier fits added.
    teacher_axes : ndarray of shape (dim_teacher, dim) or None
        The map that is applied to a teacher's vectors.
    shrinkage : float
        How far trained vectors are moved back to the start.
    gain : Gain or None
        The gain from training on unseen examples, if it was measured.
    """

    rows: TableRows
    composition: "networks.Composition"
    anchors: Callable[[], Matrix] | None
    added_words: list[str]
    teacher_axes: Matrix | None = None
    shrinkage: float = 0.0
    gain: Gain | None = None

    def word_table(
        self, steps: "training.Steps", device: str, *, uses_anchors: bool, frozen: bool
    ) -> "networks.WordTable":
        """The rows as a table to train."""
        return networks.WordTable(
            self.rows.matrix(),
            anchors=self.anchors() if uses_anchors and self.anchors else None,
            sparse=steps.optimizer.sparse,
            device=networks.resolve_device(device),
            frozen=frozen,
        )


def encoder_start(
    encoder: Any, examples: Examples, steps: "training.Steps", *, resume: bool = False
) -> EncoderStart:
    """Return the initial state for training an encoder on the texts of examples.

    With `resume`, this is its fitted state; otherwise, its `init` or new parameters.
    Nothing is stored.
    """
    source = encoder if resume else None  # a fitted encoder
    if not resume and encoder.init is not None:
        init = check_init(encoder)
        source = None if starts_as_average(encoder, init) else init
    distinct, tokenizer = examples.distinct, encoder._tokenizer
    if source is not None:  # the first fit determined the words
        table, added, new_words = source.vectors_, source.added_words_, []
        name = "The fitted encoder" if resume else "init"
        build = partial(encoder._composition, table)
        composition = networks.with_parameters(build, source.parameters_, name)
        batch = table.encode(distinct, tokenizer(), skip_unknown=True)
    else:
        rng, added = steps.random_state, []
        if encoder._learns_tokens:
            table = encoder._draw_table(examples.texts.ravel(), rng)
        else:
            table = given_table(encoder)
        composition = encoder._composition(table)
        composition.reset(rng)
        batch, new_words = table.encode_with_new_words(distinct, tokenizer())
    if not len(batch.ids):
        raise ValueError(
            "No word of the texts has a vector: do texts and vectors agree in "
            "language, case and tokens?"
        )
    rows = TableRows(table, batch, new_words, whole=not steps.optimizer.sparse)
    axes = getattr(encoder, "teacher_axes_", None) if resume else None
    anchors = _anchors(encoder, source, rows)
    return EncoderStart(rows, composition, anchors, added, axes)


def _anchors(encoder: Any, source: Any, rows: TableRows) -> Callable[[], Matrix] | None:
    """A callable that returns the targets of penalties on the rows; None is zero.

    A fit that starts from the fitted encoder `source` is pulled towards the table given
    to `encoder`. If that table was part of an `init`, which is not saved, the fit is
    pulled towards its own start.
    """
    if encoder._learns_tokens:
        return None
    if source is None or encoder._has_lost_init:
        return rows.matrix
    if source is not encoder:
        check_same_tokenizer(encoder, source)
    table = given_table(encoder)
    if not has_same_words(table, source.added_words_, rows.table):
        if encoder.vectors is None:  # `init` is not saved
            return rows.matrix
        raise ValueError(
            "Training resumes with the words it started with, but `vectors` now "
            "has other words. Fit a clone to start again."
        )
    return partial(rows.matrix_of, table)


def given_table(encoder: Any) -> WordVectors:
    """The word vectors given to an encoder, before words are added.

    They come from the parameter `vectors`, from `init`, or from
    :func:`skparaphrase.load_pretrained`.
    """
    init = check_init(encoder)
    is_average = init is not None and starts_as_average(encoder, init)
    if encoder.vectors is not None:
        if is_average:
            raise ValueError(
                f"init={init!r} has its own word vectors: pass either vectors or init."
            )
        return check_word_vectors(encoder.vectors)
    if init is None:
        return bundled(SENTENCES)
    if not is_average:
        return given_table(init)
    check_same_tokenizer(encoder, init)
    return weighted_table(init)


def check_same_tokenizer(encoder: Any, init: Any) -> None:
    """Raise an error if two encoders split texts in different ways."""
    if init._tokenizer()._key() != encoder._tokenizer()._key():
        raise ValueError(
            f"init={init!r} has another tokenizer: also pass its tokenizer here."
        )


def weighted_table(average: Any) -> WordVectors:
    """The table of a fitted average, multiplied by its weights."""
    table, weights = average._static_parts()
    if weights is None:
        return table
    unknown = getattr(average, "unknown_weight_", 1.0)
    return multiplied(table, weights, unknown_weight=unknown)


def has_same_words(table: WordVectors, added: list[str], trained: WordVectors) -> bool:
    """Whether a trained table has the words of the given one, then added words."""
    if not added and trained.words is table.words:
        return True
    n_given = len(trained) - len(added)
    return len(table) == n_given and trained.words[:n_given] == table.words[:]


def check_init(encoder: Any) -> Any:
    """The fitted encoder that training starts from; None if there is none."""
    if encoder.init is None:
        return None
    init = unwrap_frozen(encoder.init)
    # Other classes may have parameters of the same names and shapes.
    is_alike = isinstance(init, type(encoder)) or isinstance(encoder, type(init))
    if not is_alike and not starts_as_average(encoder, init):
        average = "" if encoder._learns_tokens else " or an average of word vectors"
        raise TypeError(
            f"init must be a fitted {type(encoder).__name__}{average}, or one in a "
            f"FrozenEstimator; got {encoder.init!r}. To start from a table of word "
            "vectors, pass it as `vectors`."
        )
    check_fitted_encoder(init, "init")
    return init


def starts_as_average(encoder: Any, init: Any) -> bool:
    """Whether `init` is an average of word vectors, and not of the class of `encoder`.

    Then only its table is used.
    """
    if encoder._learns_tokens or isinstance(init, type(encoder)):
        return False
    return isinstance(init, AveragingEncoder) or hasattr(init, "to_model2vec")


def unwrap_frozen(encoder: Any) -> Any:
    """The encoder itself, or the one in a :class:`~sklearn.frozen.FrozenEstimator`."""
    return encoder.estimator if isinstance(encoder, FrozenEstimator) else encoder


def check_fitted_encoder(encoder: Any, parameter: str) -> None:
    """Raise an error if an encoder given as a parameter is not fitted."""
    try:
        check_is_fitted(encoder)
    except NotFittedError:
        raise ValueError(
            f"{parameter}={encoder!r} is not fitted. Cloning an encoder (as pipelines "
            "and grid searches do) drops its fit: wrap it in "
            "sklearn.frozen.FrozenEstimator."
        ) from None
