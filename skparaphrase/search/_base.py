"""Base class of search, mining and near duplicates."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from scipy.sparse.linalg import norm
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, Interval, StrOptions
from skparaphrase._estimator import DocumentedOnline
from skparaphrase._frames import to_numpy
from skparaphrase._math import UnitVectors, dot, unit_vectors
from skparaphrase._nearest import Bound, Rows
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Encoder
from skparaphrase.encoders._pretrained import load_pretrained
from skparaphrase.storage._models import save
from skparaphrase.text._check import check_single_texts, unique_texts

_TEXTS = 2**14  # texts embedded at a time
_UNIT = 1e-6  # maximum rounding error of a length of 1


class TextComparer(DocumentedOnline, BaseEstimator):
    """Base class of estimators that compare texts by their vectors and words."""

    encoder_: Any
    lexical_: Any

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": [HasMethods(["fit", "transform"]), None],
        "lexical": [StrOptions({"char_wb"}), HasMethods(["fit", "transform"]), None],
        "lexical_weight": [Interval(Real, 0, 1, closed="both")],
    }

    def _fit_parts(self, texts: NDArray[np.object_]) -> None:
        self.encoder_ = fitted_encoder(self.encoder, texts)
        self.lexical_ = fitted_lexical(self.lexical, self.encoder_, texts)

    def _rows(self, texts: NDArray[np.object_], *, is_bounded: bool) -> Rows:
        """Prepare texts for comparison; a bound saves time if all are compared."""
        vectors = embed(self.encoder_, texts)
        words = read_words(self.lexical_, self.encoder_, texts)
        return Rows(vectors, words, Bound.of(vectors) if is_bounded else None)

    @property
    def _weight(self) -> float:
        return 0.0 if self.lexical_ is None else self.lexical_weight

    save = save

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


def fitted_encoder(encoder: Encoder | None, texts: NDArray[np.object_] | None) -> Any:
    """The pretrained encoder, the given encoder if it is fitted, or a fitted clone."""
    if encoder is None:
        return load_pretrained()
    if _is_fitted(encoder):
        return encoder
    if texts is None:
        raise ValueError(
            f"encoder={encoder!r} is not fitted, and there are no texts to fit it on: "
            "pass the fitted encoder that made the vectors."
        )
    return clone(encoder).fit(texts)


def fitted_lexical(lexical: Any, encoder: Any, texts: NDArray[np.object_]) -> Any:
    """The given vectorizer if it is fitted, otherwise a fitted copy, or None."""
    if isinstance(lexical, str):
        lexical = TfidfVectorizer(
            analyzer=lexical, ngram_range=(3, 5), sublinear_tf=True, dtype=np.float32
        )
    if lexical is None or _is_fitted(lexical):
        return lexical
    return clone(lexical).fit(unique_texts(cleaned(encoder, texts))[0])


def read_words(lexical: Any, encoder: Any, texts: NDArray[np.object_]) -> Any:
    """Sparse vectors of length 1 or 0, by rows; None without a vectorizer."""
    if lexical is None:
        return None
    distinct, indices = unique_texts(cleaned(encoder, texts))
    # Vectorizers raise an error for an empty list.
    words = lexical.transform(distinct or [""])[: len(distinct)]
    if not issparse(words):
        raise TypeError(
            f"lexical={lexical!r} returns dense vectors; it must be a vectorizer of "
            "words or n-grams, such as TfidfVectorizer()."
        )
    words = csr_array(words, dtype=np.float32)
    lengths = norm(words, axis=1)  # `normalize` would dominate the time of a query
    lengths[lengths == 0] = 1
    words.data /= np.repeat(lengths, np.diff(words.indptr))
    return words if len(distinct) == len(texts) else words[indices]


def embed(encoder: Encoder, texts: NDArray[np.object_]) -> UnitVectors:
    """Unit vectors of texts, or zeros; equal texts are embedded once."""
    distinct, indices = unique_texts(texts)
    with progress_bar(len(distinct), "Embedding") as update:
        for start in range(0, len(distinct) or 1, _TEXTS):
            texts_of_block = distinct[start : start + _TEXTS]
            block = as_unit_vectors(encoder.transform(texts_of_block))
            if not start:  # Filled: joining blocks would need twice the memory.
                vectors = np.empty((len(distinct), block.shape[1]), dtype=np.float32)
            vectors[start : start + _TEXTS] = block
            update(len(block))
    return vectors if len(distinct) == len(texts) else vectors[indices]


def cleaned(encoder: Encoder, texts: NDArray[np.object_]) -> NDArray[np.object_]:
    """Apply the first steps of a pipeline to texts, as long as they return texts."""
    if isinstance(encoder, FrozenEstimator):
        encoder = encoder.estimator
    if not isinstance(encoder, Pipeline) or not len(texts):
        return texts
    for _, step in encoder.steps:
        if step in (None, "passthrough"):
            continue
        first = step.transform(texts[:1])
        if issparse(first) or not isinstance(np.ravel(first)[0], str):
            return cleaned(step, texts)
        texts = check_single_texts(step.transform(texts))
    return texts


def _is_fitted(encoder: object) -> bool:
    """Whether the encoder, or each step of a pipeline, is fitted."""
    if isinstance(encoder, Pipeline):  # scikit-learn checks only its last step
        return all(_is_fitted(step) for _, step in encoder.steps)
    try:
        check_is_fitted(encoder)
    except NotFittedError:
        return False
    except TypeError:
        pass  # "passthrough"
    return True


def as_unit_vectors(vectors: Any) -> UnitVectors:
    """Check vectors and scale them to length 1; return the array itself if possible."""
    if issparse(vectors):
        raise TypeError(
            "The encoder returns sparse vectors. Add TruncatedSVD as its last step to "
            "make them dense, or pass the encoder as lexical."
        )
    # `check_array` would take half of the time of a query among 1,000 texts.
    kind = type(vectors), getattr(vectors, "dtype", None), getattr(vectors, "ndim", 0)
    if kind != (np.ndarray, np.float32, 2):
        vectors = check_array(
            to_numpy(vectors),
            dtype=np.float32,
            ensure_min_samples=0,
            input_name="vectors",
        )
    is_unit = np.abs(np.sqrt(dot(vectors, vectors)) - 1) <= _UNIT
    if not is_unit.all():
        check_array(vectors, ensure_min_samples=0, input_name="vectors")
        if not (is_unit | ~vectors.any(axis=1)).all():
            return unit_vectors(vectors)
    return vectors
