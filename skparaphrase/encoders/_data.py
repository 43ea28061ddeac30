"""What the fit of an encoder learns from: texts in memory or in a store."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import tempfile
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
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

import skparaphrase
from skparaphrase._math import text_groups, unit_vectors
from skparaphrase.encoders._average import check_fit_texts
from skparaphrase.streams import TextStore
from skparaphrase.streams._store import stored_tokens
from skparaphrase.text import (
    NgramTokenizer,
    TokenBatch,
    WordTokenizer,
    check_texts,
    unique_texts,
)
from skparaphrase.text._check import ROWS, is_missing
from skparaphrase.vectors import WordVectors

N_PARTNERS = 2  # of a text that has a label
_WORDS = 2**16  # of a vocabulary, at a time
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


class TextsInMemory:
    """Texts, or pairs or triplets of texts, of which each distinct one is encoded once.

    Parameters
    ----------
    texts : ndarray of shape (n_texts,), (n_pairs, 2) or (n_triplets, 3), dtype object
    signal : Signal

    Attributes
    ----------
    strings : sequence of str
        All texts in a row.
    distinct : list of str
    indices : ndarray of the shape of `texts`
        Numbers of the distinct texts of each example.
    identities : ndarray or None
        Equal where strings are equal; None if the numbered texts are distinct.
    """

    identities = None

    def __init__(self, texts: NDArray[np.object_], signal: Signal) -> None:
        self.array = texts
        self.signal = signal
        self.strings: Any = texts.ravel()
        self.distinct, self.indices = unique_texts(texts)

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: NDArray[np.intp]) -> "TextsInMemory":
        """Some of the examples."""
        return TextsInMemory(self.array[rows], self.signal.take(rows))

    def encode(self, tokenizer: Any, vectors: WordVectors) -> TokenBatch:
        """The tokens of the distinct texts."""
        return vectors.encode(self.distinct, tokenizer, known_only=True)


class TextsInStore:
    """The same for the rows of a store, which are read and encoded as needed.

    Parameters
    ----------
    store : TextStore
    rows : ndarray of int or None
        The rows to use; None for all.
    signal : Signal
    scratch : ExitStack
        Removes temporary files.
    """

    def __init__(
        self,
        store: TextStore,
        rows: NDArray[np.intp] | None,
        signal: Signal,
        scratch: ExitStack,
    ) -> None:
        self._store = store
        self._rows = rows
        self._scratch = scratch
        self.signal = signal
        self.indices = StoredRows(store.shape, rows)
        self.identities = store.identities

    def __len__(self) -> int:
        return len(self.indices)

    @cached_property
    def strings(self) -> Sequence[str]:
        """All texts of the rows in a row."""
        texts = self._store.flat
        if self._rows is None:
            return texts
        return _ChosenTexts(texts, self.indices[:].ravel())

    @property
    def array(self) -> NDArray[np.object_]:
        """The rows in memory."""
        texts = np.array(list(self.strings), dtype=object)
        return texts.reshape(-1, *self._store.shape[1:])

    def take(self, rows: NDArray[np.intp]) -> "TextsInStore":
        """Some of the rows."""
        kept = rows if self._rows is None else self._rows[rows]
        return TextsInStore(self._store, kept, self.signal.take(rows), self._scratch)

    def encode(self, tokenizer: Any, vectors: WordVectors) -> TokenBatch:
        """The tokens of all texts of the store, which are kept in its folder."""
        encode = partial(vectors.encode_blocks, tokenizer=tokenizer, known_only=True)
        key = _tokens_key(tokenizer, vectors)
        return stored_tokens(self._store, encode, key, len(vectors), self._scratch)


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Numbers of the texts of rows of a store, computed when asked for."""

    stored: tuple[int, ...]  # the shape of the store
    rows: NDArray[np.intp] | None

    def __len__(self) -> int:
        return self.stored[0] if self.rows is None else len(self.rows)

    def __getitem__(self, rows: NDArray[np.intp] | slice) -> NDArray[np.intp]:
        if self.rows is not None:
            rows = self.rows[rows]
        elif isinstance(rows, slice):
            rows = np.arange(self.stored[0])[rows]
        if len(self.stored) == 1:
            return rows
        width = self.stored[1]
        return width * rows[:, np.newaxis] + np.arange(width)


class _ChosenTexts(Sequence[str]):
    """Some texts of a longer sequence; a slice is of the same class."""

    def __init__(self, texts: Sequence[str], chosen: NDArray[np.intp]) -> None:
        self._texts = texts
        self._chosen = chosen

    def __len__(self) -> int:
        return len(self._chosen)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return _ChosenTexts(self._texts, self._chosen[i])
        return self._texts[int(self._chosen[i])]


@contextmanager
def store_iterator(X: Any) -> Iterator[tuple[Any, ExitStack]]:
    """Yield `X`, or a temporary store if it is an iterator, and what cleans up."""
    with ExitStack() as scratch:
        if isinstance(X, Iterator):
            place = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            X = TextStore.write(Path(scratch.enter_context(place)) / "texts", X)
        yield X, scratch


def check_examples(
    X: Any,
    y: Any,
    kinds: Collection[str],
    positive_from: float | None,
    scratch: ExitStack,
) -> TextsInMemory | TextsInStore:
    """Find out what `X` and `y` say, by their shapes, and check it.

    Parameters
    ----------
    X : array-like of str of shape (n_texts,), (n_pairs, 2) or (n_triplets, 3)
        Or a TextStore of such a shape.
    y : array-like or None
    kinds : collection of str
        Those that the loss learns from; see :class:`Signal`.
    positive_from : float or None
        Pairs with at least this graded score are paraphrases.
    scratch : ExitStack
        Removes temporary files.

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
    texts = X if isinstance(X, TextStore) else check_texts(X, widths=ROWS)
    rows: NDArray[np.intp] | None = None
    if texts.shape[1:] == () and len(texts):
        signal, rows = _labels(texts, y)
    elif texts.shape[1:] == (3,):
        if y is not None:
            raise ValueError("X has triplets, shape (n_triplets, 3): leave out y.")
        signal = Signal("triplets")
    elif y is None or not len(texts):
        signal = Signal("pairs")
    else:
        signal, rows = _paraphrases_or_scores(texts, y, kinds, positive_from)
    if signal.kind not in kinds:
        raise ValueError(
            f"X and y hold {_NAMES[signal.kind]}, but the loss learns from "
            f"{' or '.join(_NAMES[kind] for kind in sorted(kinds))}. loss='auto' takes "
            "one that fits."
        )
    n_left = len(texts) if rows is None else len(rows)
    if n_left < 2 and signal.kind != "labels":
        raise ValueError(
            f"Found {n_left} samples that are {_NAMES[signal.kind]}, while a minimum "
            "of 2 is required: an example is compared with the others."
        )
    if isinstance(texts, TextStore):
        return TextsInStore(texts, rows, signal, scratch)
    return TextsInMemory(texts if rows is None else texts[rows], signal)


def _labels(texts: Any, y: Any) -> tuple[Signal, NDArray[np.intp] | None]:
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
    return Signal("labels", classes), None


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
    pairs: Any, y: Any, kinds: Collection[str], positive_from: float | None
) -> tuple[Signal, NDArray[np.intp] | None]:
    """Which pairs are paraphrases, or how similar all are."""
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
    if positive_from is None:
        values = set(np.unique(scores).tolist())
        if values <= {-1.0, 1.0} and -1.0 in values:
            raise ValueError(
                "y contains -1 and 1; mark paraphrases with 1 and other pairs with 0, "
                "or set positive_from=1."
            )
        if not values <= {0.0, 1.0} or "pairs" not in kinds:
            if "scores" not in kinds:
                raise ValueError(
                    f"y contains scores between {min(values):g} and {max(values):g}. "
                    "Set loss='cosent' (or 'auto') to learn their order, or "
                    "positive_from= to the lowest score of a paraphrase."
                )
            if len(values) < 2:
                raise ValueError(
                    f"All scores are {min(values):g}: there is no order to learn."
                )
            return Signal("scores", scores.astype(np.float32)), None
        positive_from = 1.0
    return Signal("pairs"), np.flatnonzero(scores >= positive_from)


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


def share_texts(texts: Any) -> NDArray[np.intp]:
    """Numbers of groups of examples, shape (n_examples,): those that share a text.

    Hard negatives do not count: they would connect nearly all triplets.
    """
    indices = texts.indices[:].reshape(len(texts), -1)[:, :2]
    if texts.identities is not None:
        indices = texts.identities[indices]
    return text_groups(indices)


def check_teacher(X: Any, y: Any) -> TextsInMemory:
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
    return TextsInMemory(texts, Signal("vectors", vectors))


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


def _tokens_key(tokenizer: Any, vectors: WordVectors) -> str | None:
    """A digest of what the tokens of a text depend on; None if it is unknown."""
    if type(tokenizer) not in (WordTokenizer, NgramTokenizer):
        return None
    settings = {k: v for k, v in vars(tokenizer).items() if not k.startswith("_")}
    facts = [
        type(tokenizer).__name__,
        sorted(settings.items()),
        vectors.unknown_row,
        skparaphrase.__version__,
        unicodedata.unidata_version,
    ]
    digest = blake2b(json.dumps(facts).encode(), digest_size=16)
    words = iter(vectors.words)
    while block := list(islice(words, _WORDS)):
        digest.update(json.dumps(block).encode())
    return digest.hexdigest()
