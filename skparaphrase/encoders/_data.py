"""What the fit of an encoder learns from: texts in memory or on disk."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
)
from sklearn.utils.multiclass import check_classification_targets

from skparaphrase._math import unit_vectors
from skparaphrase.encoders._average import check_fit_texts
from skparaphrase.text import check_texts, unique_texts
from skparaphrase.text._check import ROWS, check_text_blocks, is_missing
from skparaphrase.text._stored import is_stored

N_PARTNERS = 2  # of a text that has a label
_hashes: Any = np.frompyfunc(hash, 1, 1)  # of an array of str
_NAMES = {
    "pairs": "paraphrases",
    "triplets": "triplets",
    "labels": "labelled texts",
    "scores": "graded pairs",
    "vectors": "a teacher's vectors",
}


@dataclass(frozen=True)
class Signal:
    """What is known of examples.

    Parameters
    ----------
    kind : {"pairs", "triplets", "labels", "scores", "vectors"}
    values : ndarray of shape (n_examples, ...) or None
        Numbers of labels, scores of pairs, or a teacher's unit vectors.
    """

    kind: str
    values: NDArray[Any] | None = None

    def take(self, rows: NDArray[np.intp]) -> "Signal":
        """That of some examples."""
        return replace(self, values=None if self.values is None else self.values[rows])


class Texts:
    """Texts, or pairs or triplets of texts, of which each distinct one is encoded once.

    Parameters
    ----------
    array : ndarray of str or StoredTexts, of shape (n_texts,), (n_pairs, 2) or
            (n_triplets, 3)
    signal : Signal

    Attributes
    ----------
    strings : ndarray of str or StoredTexts, of shape (n_texts,)
        All texts, one after another.
    distinct : list of str or StoredTexts
        In order of appearance.
    indices : ndarray of the shape of `array`
        Indices of the distinct texts of each example.
    """

    def __init__(self, array: Any, signal: Signal) -> None:
        self._array = array
        self.signal = signal
        self.strings: Any = array.ravel()
        is_stored = isinstance(array, StoredTexts)
        found = array.unique() if is_stored else unique_texts(array)
        self.distinct: Any = found[0]
        self.indices: NDArray[np.intp] = found[1]

    def __len__(self) -> int:
        return len(self._array)

    @property
    def array(self) -> NDArray[np.object_]:
        """The examples in memory."""
        return np.asarray(self._array)

    def take(self, rows: NDArray[np.intp]) -> "Texts":
        """Some of the examples."""
        return Texts(self._array[rows], self.signal.take(rows))


@dataclass(frozen=True, eq=False)
class StoredTexts:
    """Rows of stored data as an array of str that is read whenever it is iterated over.

    Parameters
    ----------
    X : stored data
        See :func:`~skparaphrase.text._stored.is_stored`.
    positions : ndarray of int of any shape, rising
        Those of the texts in `X`; pair `i` is at `2i` and `2i + 1`.
    hashes : ndarray of int of the same shape
        64 bits of each text, by which equal texts are recognised: two of a million
        differing texts share them with a probability of 3e-8.
    """

    X: Any
    positions: NDArray[np.intp]
    hashes: NDArray[np.int64]

    @classmethod
    def read(cls, X: Any) -> "StoredTexts":
        """Check all texts of stored data, and hash them."""
        blocks = map(_hashes, check_text_blocks(X, widths=ROWS))
        hashes = np.concatenate([block.astype(np.int64) for block in blocks])
        return cls(X, np.arange(hashes.size).reshape(hashes.shape), hashes)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.hashes.shape

    def __len__(self) -> int:
        return len(self.hashes)

    def __getitem__(self, rows: Any) -> "StoredTexts":
        return StoredTexts(self.X, self.positions[rows], self.hashes[rows])

    def ravel(self) -> "StoredTexts":
        return StoredTexts(self.X, self.positions.ravel(), self.hashes.ravel())

    def unique(self) -> "tuple[StoredTexts, NDArray[np.intp]]":
        """As :func:`~skparaphrase.text.unique_texts`."""
        _, first, indices = np.unique(
            self.hashes, return_index=True, return_inverse=True
        )
        order = np.argsort(first)  # of appearance
        return self.ravel()[first[order]], np.argsort(order)[indices]

    def __iter__(self) -> Iterator[str]:
        """All texts, one after another."""
        positions, n_read, n_done = self.positions.ravel(), 0, 0
        for block in check_text_blocks(self.X, widths=ROWS):
            texts = block.ravel()
            stop = int(np.searchsorted(positions, n_read + len(texts)))
            yield from texts[positions[n_done:stop] - n_read].tolist()
            n_read, n_done = n_read + len(texts), stop

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[np.object_]:
        return np.array([*self], dtype=object).reshape(self.shape)


def check_examples(X: Any, y: Any, kinds: Collection[str]) -> Texts:
    """Find out what `X` and `y` say, by their shapes, and check it.

    Parameters
    ----------
    X : array-like of str of shape (n_texts,), (n_pairs, 2) or (n_triplets, 3)
    y : array-like or None
    kinds : collection of str
        Those that the loss learns from; see :class:`Signal`.

    Raises
    ------
    ValueError
        If shapes, values or the loss do not go together, and for too few examples.
    """
    shape: tuple[int, ...] = getattr(y, "shape", None) or np.shape(y)
    is_teacher = len(shape) > 1 and shape[-1] > 1
    if set(kinds) == {"vectors"}:
        return check_teacher(X, y)
    if is_teacher and len(shape) == 2 and _is_one_hot(y):
        raise ValueError(
            f"y has shape {tuple(shape)} and holds one-hot labels: pass the labels, as "
            "in y.argmax(axis=1). (If it does hold a teacher's vectors, set "
            "loss='distillation'.)"
        )
    if is_teacher and "vectors" in kinds:
        return check_teacher(X, y)
    if is_teacher:
        raise ValueError(
            f"y has shape {tuple(shape)}: set loss='distillation' to learn the vectors "
            "of a teacher."
        )
    texts: Any
    texts = StoredTexts.read(X) if is_stored(X) else check_texts(X, widths=ROWS)
    if texts.shape[1:] == () and len(texts):
        signal = _labels(texts, y)
    elif texts.shape[1:] == (3,):
        if y is not None:
            raise ValueError("X has triplets, shape (n_triplets, 3): leave out y.")
        signal = Signal("triplets")
    elif y is None or not len(texts):
        signal = Signal("pairs")
    else:
        signal, texts = _paraphrases_or_scores(texts, y, kinds)
    if signal.kind not in kinds:
        raise ValueError(
            f"X and y hold {_NAMES[signal.kind]}, but the loss learns from "
            f"{' or '.join(_NAMES[kind] for kind in sorted(kinds))}. loss='auto' takes "
            "one that fits."
        )
    if len(texts) < 2 and signal.kind != "labels":
        raise ValueError(
            f"Found {len(texts)} samples that are {_NAMES[signal.kind]}, while a "
            "minimum of 2 is required: an example is compared with the others."
        )
    return Texts(texts, signal)


def _labels(texts: Any, y: Any) -> Signal:
    """Numbers of the labels of single texts."""
    if y is None:
        raise ValueError(
            f"X has shape {tuple(texts.shape)} and y is None, so that there is nothing "
            "to learn from. fit takes paraphrase pairs, shape (n_pairs, 2), or texts "
            "with class labels or a teacher's vectors. In a pipeline of single texts, "
            "FrozenEstimator(encoder) keeps an encoder that is already trained."
        )
    labels = check_labels(y)
    check_consistent_length(texts, labels)
    classes = np.unique(labels, return_inverse=True)[1]
    check_classes(classes)
    return Signal("labels", classes)


def _is_one_hot(y: Any) -> bool:
    """Whether the rows of a matrix have one 1 and else zeros, by the first ones."""
    some = np.asarray(y[:100])
    return bool(np.isin(some, (0, 1)).all() and (some.sum(axis=1) == 1).all())


def check_labels(y: Any) -> NDArray[Any]:
    """Class labels as a vector, of which none is missing."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    elif labels.dtype.kind == "O":
        for i, label in enumerate(labels):
            if is_missing(label):
                raise ValueError(f"y[{i}] is {label!r}: drop examples without a label.")
    check_classification_targets(labels)
    return labels


def check_classes(classes: NDArray[np.intp], where: str = "") -> None:
    """Raise unless two classes have two texts; `where` is added to the message."""
    n_classes = int((np.bincount(classes) > 1).sum())
    if n_classes < 2:
        raise ValueError(
            "Labels teach that texts of one class are similar and those of different "
            f"classes are not: two classes of at least two texts are needed{where}; "
            f"got {n_classes}."
        )


def _paraphrases_or_scores(
    pairs: Any, y: Any, kinds: Collection[str]
) -> tuple[Signal, Any]:
    """What scores teach, and the pairs to learn from."""
    labels = np.asarray(y)
    if labels.dtype.kind in "UTO" and any(isinstance(y_i, str) for y_i in labels.flat):
        raise ValueError(
            "y contains str; mark paraphrases with booleans, such as y == 'entailment'."
        )
    scores = column_or_1d(
        check_array(
            y, ensure_2d=False, dtype=np.float64, input_name="y", ensure_min_samples=0
        )
    )
    check_consistent_length(pairs, scores)
    values = set(np.unique(scores).tolist())
    if values <= {-1.0, 1.0} and -1.0 in values:
        raise ValueError(
            "y contains -1 and 1; mark paraphrases with 1 and other pairs with 0, such "
            "as y > 0."
        )
    if values <= {0.0, 1.0} and "pairs" in kinds:
        return Signal("pairs"), pairs[np.flatnonzero(scores)]
    if "scores" not in kinds:
        raise ValueError(
            f"y contains scores between {min(values):g} and {max(values):g}. Set "
            "loss='cosent' (or 'auto') to learn their order, or mark the paraphrases, "
            "such as y >= 4."
        )
    if len(values) < 2:
        raise ValueError(f"All scores are {min(values):g}: there is no order to learn.")
    return Signal("scores", scores.astype(np.float32)), pairs


def partners(labels: NDArray[np.intp], random_state: Any) -> NDArray[np.intp]:
    """Pairs of texts of one class, as rows of texts, shape (n_pairs, 2).

    Each text is the first of up to `N_PARTNERS` pairs, each with another text of its
    class: the next ones in a random circle of the class.
    """
    order = random_state.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    counts = np.bincount(labels)
    size = counts[labels[order]]
    start = (np.cumsum(counts) - counts)[labels[order]]
    place = np.arange(len(order)) - start
    pairs = []
    for step in range(1, N_PARTNERS + 1):
        found = np.column_stack([order, order[start + (place + step) % size]])
        pairs.append(found[size > step])
    return np.concatenate(pairs)


def check_teacher(X: Any, y: Any) -> Texts:
    """Texts of shape S, and the unit vectors that a teacher gives them.

    Raises ValueError unless `y` has shape S + (dim,) and is finite.
    """
    texts = check_fit_texts(X)
    if y is None:
        raise ValueError(
            "loss='distillation' learns the vectors of a teacher: call "
            f"fit(texts, vectors) with vectors of shape {(*texts.shape, 'dim')}."
        )
    vectors = check_vectors(y, texts, "y", dtype=np.float32, order="C", copy=True)
    flat = vectors.reshape(texts.size, -1)
    unit_vectors(flat, out=flat)
    return Texts(texts, Signal("vectors", vectors))


def check_vectors(
    vectors: Any, texts: NDArray[np.object_], name: str, hint: str = "", **checks: Any
) -> NDArray[Any]:
    """The vectors that a teacher gives texts, an array of their shape + (dim,)."""
    vectors = check_array(
        vectors, ensure_2d=False, allow_nd=True, input_name=name, **checks
    )
    if vectors.ndim != texts.ndim + 1 or vectors.shape[:-1] != texts.shape:
        raise ValueError(
            f"{name} must hold a teacher's vectors, shape {(*texts.shape, 'dim')} for "
            f"texts of shape {texts.shape}; got shape {vectors.shape}.{hint}"
        )
    return vectors


def mean_targets(
    vectors: NDArray[np.float32], indices: NDArray[np.intp], n_texts: int
) -> NDArray[np.float32]:
    """Unit targets of distinct texts, shape (n_texts, dim).

    Row `i` of `vectors` belongs to text `indices[i]`; a text that occurs more than once
    gets the mean of its rows. `vectors` are changed in place.
    """
    if n_texts == len(vectors):  # numbered in order
        return unit_vectors(vectors, out=vectors)
    ones = np.ones(len(vectors), dtype=np.float32)
    shape = (n_texts, len(vectors))
    belongs = csr_array((ones, (indices, np.arange(len(vectors)))), shape=shape)
    return unit_vectors(belongs @ vectors)


def teacher_axes(
    teacher: NDArray[np.float32], student: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The linear map from a teacher's vectors to the dimensions of a student.

    The principal axes of the teacher's vectors (not centred, which keeps cosines as
    well as so many dimensions can), rotated toward the student's vectors of the same
    texts (orthogonal Procrustes problem, Schoenemann 1966), so that training does not
    start with learning another basis.

    Parameters
    ----------
    teacher : ndarray of shape (n, dim_teacher)
    student : ndarray of shape (n, dim)

    Returns
    -------
    axes : ndarray of shape (dim_teacher, dim)
        With orthonormal columns, or rows if the teacher has fewer dimensions.
    """
    gram = (teacher.T @ teacher).astype(np.float64)
    principal = np.linalg.eigh(gram)[1][:, ::-1][:, : student.shape[1]]
    across = principal.T @ (teacher.T @ student).astype(np.float64)
    left, _, right = np.linalg.svd(across, full_matrices=False)
    axes: NDArray[np.float32] = (principal @ left @ right).astype(np.float32)
    return axes
