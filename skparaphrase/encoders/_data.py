"""What a fit on paraphrases learns from: texts in memory or in a store."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils import check_array, check_consistent_length, column_or_1d

import skparaphrase
from skparaphrase.encoders._average import check_fit_texts
from skparaphrase.streams import TextStore
from skparaphrase.streams._store import stored_tokens
from skparaphrase.text import (
    NgramTokenizer,
    TokenBatch,
    WordTokenizer,
    check_pairs,
    unique_texts,
)
from skparaphrase.vectors import WordVectors

_WORDS = 2**16  # of a vocabulary, at a time


class TextsInMemory:
    """Texts, or pairs of texts, of which each distinct one is encoded once.

    Parameters
    ----------
    texts : ndarray of shape (n_texts,) or (n_pairs, 2), dtype object
    teacher : ndarray of shape (n_texts, dim) or (n_pairs, 2, dim), default=None
        The vectors that a teacher gives them.

    Attributes
    ----------
    strings : sequence of str
        All texts in a row.
    distinct : list of str
    examples : ndarray of the shape of `texts`
        Numbers of the distinct texts of each example.
    identities : ndarray or None
        Equal where strings are equal; None if the numbered texts are distinct.
    """

    identities = None

    def __init__(
        self, texts: NDArray[np.object_], teacher: NDArray[np.float32] | None = None
    ) -> None:
        self.array = texts
        self.teacher = teacher
        self.strings: Any = texts.ravel()
        self.distinct, self.examples = unique_texts(texts)

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: NDArray[np.intp]) -> "TextsInMemory":
        """Some of the examples."""
        teacher = None if self.teacher is None else self.teacher[rows]
        return TextsInMemory(self.array[rows], teacher)

    def encode(self, tokenizer: Any, vectors: WordVectors) -> TokenBatch:
        """The tokens of the distinct texts."""
        return vectors.encode(self.distinct, tokenizer, known_only=True)


class TextsInStore:
    """The same for the pairs of a store, which are read and encoded as needed.

    Parameters
    ----------
    store : TextStore
    rows : ndarray of int or None
        The pairs to use; None for all.
    scratch : ExitStack
        Removes temporary files.
    """

    teacher = None

    def __init__(
        self, store: TextStore, rows: NDArray[np.intp] | None, scratch: ExitStack
    ) -> None:
        self._store = store
        self._rows = rows
        self._scratch = scratch
        self.examples = StoredPairs(len(store), rows)
        self.identities = store.identities

    def __len__(self) -> int:
        return len(self.examples)

    @cached_property
    def strings(self) -> Sequence[str]:
        """All texts of the pairs in a row."""
        texts = self._store.flat
        if self._rows is None:
            return texts
        return _ChosenTexts(texts, self.examples[:].ravel())

    @property
    def array(self) -> NDArray[np.object_]:
        """The pairs in memory."""
        return np.array(list(self.strings), dtype=object).reshape(-1, 2)

    def take(self, rows: NDArray[np.intp]) -> "TextsInStore":
        """Some of the pairs."""
        rows = rows if self._rows is None else self._rows[rows]
        return TextsInStore(self._store, rows, self._scratch)

    def encode(self, tokenizer: Any, vectors: WordVectors) -> TokenBatch:
        """The tokens of all texts of the store, which are kept in its folder."""
        encode = partial(vectors.encode_blocks, tokenizer=tokenizer, known_only=True)
        key = _tokens_key(tokenizer, vectors)
        return stored_tokens(self._store, encode, key, len(vectors), self._scratch)


@dataclass(frozen=True, eq=False)
class StoredPairs:
    """Numbers of the texts of pairs, shape (n_pairs, 2), computed when asked for."""

    n_stored: int
    rows: NDArray[np.intp] | None

    def __len__(self) -> int:
        return self.n_stored if self.rows is None else len(self.rows)

    def __getitem__(self, pairs: NDArray[np.intp] | slice) -> NDArray[np.intp]:
        if self.rows is not None:
            pairs = self.rows[pairs]
        elif isinstance(pairs, slice):
            pairs = np.arange(self.n_stored)[pairs]
        return 2 * pairs[:, np.newaxis] + np.arange(2)


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


def check_paraphrases(
    X: Any, y: Any, positive_from: float | None, scratch: ExitStack
) -> TextsInMemory | TextsInStore:
    """The pairs of `X` that are paraphrases according to `y`.

    Parameters
    ----------
    X : array-like of str of shape (n_pairs, 2), or TextStore
    y : array-like of shape (n_pairs,) or None
        None: all are paraphrases.
    positive_from : float or None
        Pairs with at least this graded score are paraphrases.
    scratch : ExitStack
        Removes temporary files.

    Raises
    ------
    ValueError
        For graded scores without `positive_from`, for inconsistent lengths, for fewer
        than two paraphrases, and for vectors.
    """
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) > 1 and shape[-1] > 1:
        raise ValueError(
            f"y has shape {tuple(shape)}: set loss='distillation' to learn the vectors "
            "of a teacher."
        )
    if isinstance(X, TextStore):
        if len(X.shape) != 2 and len(X):
            raise ValueError(
                f"Expected pairs of texts, shape (n_pairs, 2); got shape {X.shape}."
            )
        chosen = None if y is None else _paraphrases(X, y, positive_from)
        texts: TextsInMemory | TextsInStore = TextsInStore(X, chosen, scratch)
    else:
        pairs = check_pairs(
            X,
            hint="In a pipeline of single texts, FrozenEstimator(encoder) keeps an "
            "encoder that is already trained.",
        )
        chosen = None if y is None else _paraphrases(pairs, y, positive_from)
        texts = TextsInMemory(pairs if chosen is None else pairs[chosen])
    if len(texts) < 2:
        raise ValueError(
            f"Found {len(texts)} samples that are paraphrases, while a minimum of 2 is "
            "required: the negative examples of a pair are the other pairs."
        )
    return texts


def _paraphrases(pairs: Any, y: Any, positive_from: float | None) -> NDArray[np.intp]:
    """The rows of the paraphrases."""
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
        positive_from = 1.0
        values = set(np.unique(scores).tolist())
        if values <= {-1.0, 1.0} and -1.0 in values:
            raise ValueError(
                "y contains -1 and 1; mark paraphrases with 1 and other pairs with 0, "
                "or set positive_from=1."
            )
        if not values <= {0.0, 1.0}:
            raise ValueError(
                f"y contains scores between {min(values):g} and {max(values):g}. Set "
                "positive_from= to the lowest score of a paraphrase."
            )
    return np.flatnonzero(scores >= positive_from)


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
    _normalize(vectors.reshape(texts.size, -1))
    return TextsInMemory(texts, vectors)


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
    vectors: NDArray[np.float32], numbers: NDArray[np.intp], n_texts: int
) -> NDArray[np.float32]:
    """Unit targets of distinct texts, shape (n_texts, dim).

    Row `i` of `vectors` belongs to text `numbers[i]`; a text that occurs more than once
    gets the mean of its rows. `vectors` are changed in place.
    """
    if n_texts == len(vectors):  # numbered in order
        return _normalize(vectors)
    ones = np.ones(len(vectors), dtype=np.float32)
    shape = (n_texts, len(vectors))
    belongs = csr_array((ones, (numbers, np.arange(len(vectors)))), shape=shape)
    return _normalize(belongs @ vectors)


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


def _normalize(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to length 1, in place, since they may take gigabytes."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    lengths[lengths == 0] = 1
    vectors /= lengths[:, np.newaxis]
    return vectors


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
