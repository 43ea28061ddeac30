"""Averages of word vectors: plain, and weighted by inverse document frequency."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import math
from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import StrOptions, VisualBlock, fit_context
from skparaphrase._estimator import (
    PaperSettings,
    Settings,
    store_parameters,
    warn_caller,
)
from skparaphrase.encoders._base import TextEncoder, check_word_vectors
from skparaphrase.encoders._export import save_model2vec, static_embedding
from skparaphrase.text._check import check_text_blocks
from skparaphrase.vectors import WordVectors
from skparaphrase.vectors._bundled import SENTENCES, is_bundled
from skparaphrase.vectors._pooling import POOLINGS, pool_texts
from skparaphrase.vectors._weighting import warn_if_weighted


def to_model2vec(self: Any, folder: str | PathLike[str]) -> None:
    """Write a folder that model2vec and sentence-transformers load.

    `model2vec.StaticModel.from_pretrained(folder)` and
    `SentenceTransformer(folder)` then give the same vectors, up to rounding:
    weights are multiplied into the vectors, and words are found in the same way,
    including the parts of compounds. Unknown words have no token there, or the
    token "\u2581" if the table has one vector for all of them; vectors made of
    n-grams or hashes are left out, with a warning. Characters that this Python's
    Unicode version does not know may be letters there.

    Those libraries know plain averages only: with `pooling="distinct"` they give the
    vectors of `pooling="mean"`, and there is a warning.

    Words that no text can contain (with capitals, if the encoder lower-cases) are
    left out. Steps that follow the encoder, such as
    :class:`~skparaphrase.decomposition.CommonComponentRemoval`, are not included.
    Releases of model2vec that do not know `max_length` in the folder truncate texts
    after 512 tokens, unless `encode` is given `max_length=None`. The compounds of
    the table become a regular expression: with 100,000 of them a folder takes some
    seconds to open, which `WordTokenizer(split_compounds=False)` avoids.

    Parameters
    ----------
    folder : path-like
        Appears whole or not at all, and replaces an earlier one.

    Raises
    ------
    ValueError
        If the `tokenizer` is a function or has a pattern of its own, or if `folder`
        contains something else.
    ImportError
        If tokenizers is not installed: `pip install 'skparaphrase[interchange]'`.

    See Also
    --------
    skparaphrase.vectors.WordVectors.from_model2vec : The reverse.

    Examples
    --------
    >>> from skparaphrase.encoders import SIFEncoder
    >>> encoder = SIFEncoder().fit(["Counts are those of Wikipedia."])
    >>> encoder.to_model2vec("static_sif")  # doctest: +SKIP
    >>> from model2vec import StaticModel  # doctest: +SKIP
    >>> model = StaticModel.from_pretrained("static_sif")  # doctest: +SKIP
    >>> model.encode(["A cat sleeps."]).shape  # doctest: +SKIP
    (1, 128)
    """
    table, weights = _exported_parts(self, "to_model2vec")
    save_model2vec(
        folder, self._tokenizer(), table, weights, encoder=type(self).__name__
    )


def to_static_embedding(self: Any) -> Any:
    """The encoder as a module of sentence-transformers.

    `SentenceTransformer(modules=[encoder.to_static_embedding()])` gives the same
    vectors, up to rounding, and can be trained further. See :meth:`to_model2vec`.

    Returns
    -------
    module : sentence_transformers.sentence_transformer.modules.StaticEmbedding
        With a copy of the vectors, on the CPU.

    Raises
    ------
    ValueError
        As :meth:`to_model2vec`.
    ImportError
        If sentence-transformers is not installed:
        `pip install 'skparaphrase[interchange]'`.

    See Also
    --------
    skparaphrase.vectors.WordVectors.from_sentence_transformers : The reverse.
    """
    parts = _exported_parts(self, "to_static_embedding")
    return static_embedding(self._tokenizer(), *parts)


def _exported_parts(
    encoder: Any, caller: str
) -> tuple[WordVectors, NDArray[np.floating] | None]:
    """What other libraries can average; they cannot weigh words inside a text."""
    check_is_fitted(encoder)
    if encoder.pooling != "mean":
        warn_caller(
            f"{caller} exports a plain average: other libraries do not know pooling="
            f"{encoder.pooling!r}. Their vectors are those of pooling='mean'."
        )
    return static_parts(encoder)


def static_parts(encoder: Any) -> tuple[WordVectors, NDArray[np.floating] | None]:
    """The table that an encoder averages, and the weights of its words, or None."""
    table = getattr(encoder, "vectors_", None)  # of one that learns vectors
    table = check_word_vectors(encoder.vectors) if table is None else table
    return table, getattr(encoder, "weights_", None)


class AveragingEncoder(TextEncoder):
    """Base class of encoders that average word vectors, with a weight per word or none.

    They are static models, which other libraries can load.
    """

    pooling: str

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "pooling": [StrOptions(set(POOLINGS))],
        "tokenizer": [callable, None],
    }

    def __init__(
        self,
        vectors: WordVectors | None = None,
        *,
        pooling: str = "mean",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
    ) -> None:
        store_parameters(self, locals())

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        vectors, weights = static_parts(self)
        return pool_texts(
            vectors,
            self._tokenizer(),
            texts,
            weights=weights,
            unknown_weight=getattr(self, "unknown_weight_", 1.0),
            pooling=self.pooling,
        )

    @property
    def _n_features_out(self) -> int:
        return static_parts(self)[0].dim

    to_model2vec = to_model2vec
    to_static_embedding = to_static_embedding


class AverageEncoder(AveragingEncoder):
    """Average of word vectors.

    The common baseline, and the composition of paragram-phrase (Wieting et al. 2016)
    with any vectors. Nothing is learnt: `fit` only checks the parameters, and
    `transform` works without it.

    Parameters
    ----------
    vectors : WordVectors, default=None
        None takes :func:`skparaphrase.datasets.load_word_vectors`.
    pooling : {"mean", "distinct"}, default="mean"
        "distinct" averages the distinct words of a text, each of which has the less
        weight, the more the other words are similar to it. On most tasks this is
        better: see :ref:`the user guide <pooling>`.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words; None is :class:`~skparaphrase.text.WordTokenizer` with
        its defaults.

    See Also
    --------
    SIFEncoder : Down-weights frequent words.
    ParagramEncoder : Trains the vectors on paraphrases.

    Examples
    --------
    >>> from skparaphrase.encoders import AverageEncoder
    >>> encoder = AverageEncoder()
    >>> encoder.transform(["A cat sleeps.", "Two dogs bark."]).shape
    (2, 128)
    >>> encoder.transform([("A cat sleeps.", "A cat is asleep.")]).shape
    (1, 2, 128)
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Check parameters and texts.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
        y : array-like, default=None
            Ignored, with a warning if it holds vectors.

        Returns
        -------
        self : AverageEncoder

        Warns
        -----
        UserWarning
            If the vectors are those of :func:`skparaphrase.load_pretrained` and `X`
            holds pairs: training them takes another class.
        """
        if self._check(X, y).ndim == 2 and y is None:
            if is_bundled(self.vectors, SENTENCES):
                warn_caller(
                    "The encoder of load_pretrained() learns nothing in fit, and needs "
                    "none. To train it on these pairs, use "
                    "ParagramEncoder(init=encoder).fit(pairs)."
                )
        return self

    def _check(self, X: Any, y: Any) -> NDArray[np.object_]:
        """Check parameters and texts; return the last block of texts."""
        *_, texts = fit_blocks(X)
        check_word_vectors(self.vectors)
        self._tokenizer()
        warn_of_ignored_vectors(self, y)
        return texts

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(  # type: ignore[override]
        self, X: Any, y: Any = None
    ) -> NDArray[np.float32]:
        """Check parameters, then embed texts.

        Pipelines call this method. It does not warn: that a step embeds pairs without
        learning from them is as expected.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,), (n_texts, 1) or (n_pairs, 2)
            An iterator is read once.
        y : array-like, default=None
            As in :meth:`fit`.

        Returns
        -------
        vectors : ndarray of shape (n_texts, dim) or (n_pairs, 2, dim), float32
            As in :meth:`transform`.
        """
        X = list(X) if isinstance(X, Iterator) else X
        self._check(X, y)
        return self.transform(X)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def _sk_visual_block_(self) -> VisualBlock:
        name, details, caption = type(self).__name__, str(self), None
        if is_bundled(self.vectors, SENTENCES):
            assert self.vectors is not None
            caption = (
                f"load_pretrained(): English sentences, {len(self.vectors):,} words of "
                f"{self.vectors.dim} dimensions, character n-grams for all other words;"
                " teachers: all-MiniLM-L6-v2 and paraphrase-MiniLM-L3-v2"
            )
        return VisualBlock(
            "single", self, names=name, name_details=details, name_caption=caption
        )


def fit_blocks(X: Any) -> Iterator[NDArray[np.object_]]:
    """Texts to fit on, in blocks if they are on disk; at least one."""
    n_rows = 0
    for texts in check_text_blocks(X):
        n_rows += len(texts)
        yield texts
    if not n_rows:
        raise ValueError("Found 0 samples; a minimum of 1 text is required to fit.")


def check_fit_texts(X: Any) -> NDArray[np.object_]:
    """Texts to fit on in memory; at least one."""
    return np.concatenate(list(fit_blocks(X)))


def warn_of_ignored_vectors(encoder: Any, y: Any) -> None:
    """Warn if `y` is a teacher's vectors, which an encoder does not learn from."""
    holds_rows = isinstance(y, (list, tuple)) and len(y) > 0 and np.ndim(y[0]) > 0
    if holds_rows or getattr(y, "ndim", 1) > 1:
        warn_caller(
            f"{type(encoder).__name__} ignores y, and learns nothing from vectors of "
            "the texts. To learn from those of a teacher, use "
            "DistilledEncoder().fit(texts, vectors)."
        )


class TfidfEncoder(PaperSettings, AveragingEncoder):
    r"""Average of word vectors weighted by inverse document frequency.

    The baseline of Arora et al. (2017), section 4.1: the vector of text `s` is
    :math:`\frac{1}{|s|} \sum_{w \in s} \mathrm{IDF}_w v_w` with
    :math:`\mathrm{IDF}_w = \log \frac{1 + N}{1 + N_w}`, where `N` is the number of
    texts given to `fit` and :math:`N_w` the number of those that contain `w`. (The code
    released with the paper counts every occurrence instead, and uses
    :math:`\log_2 \frac{N + 2}{1 + N_w}`.)

    Parameters
    ----------
    vectors : WordVectors, default=None
        None takes :func:`skparaphrase.datasets.load_word_vectors`.
    pooling : {"mean", "distinct"}, default="mean"
        As in :class:`AverageEncoder`.
    tokenizer : callable or WordTokenizer, default=None
        Splits a text into words; None is :class:`~skparaphrase.text.WordTokenizer` with
        its defaults.

    Attributes
    ----------
    weights_ : ndarray of shape (n_words,)
        Inverse document frequency of each word of the table, seen in `fit` or not.
    unknown_weight_ : float
        That of a word without a row, which no text of `fit` counts for.

    See Also
    --------
    SIFEncoder : Weights by the frequency in a large corpus.

    Notes
    -----
    Setting of :meth:`paper`: "sts" (tables 1 and 4), which has no parameters.

    Examples
    --------
    >>> from skparaphrase.encoders import TfidfEncoder
    >>> texts = ["A cat sleeps.", "A dog barks.", "A bird sings."]
    >>> TfidfEncoder().fit_transform(texts).shape
    (3, 128)
    """

    weights_: NDArray[np.float64]
    unknown_weight_: float

    _paper_settings: ClassVar[Settings] = {"sts": {}}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the texts that contain each word.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,) or (n_pairs, 2)
            Every text is a document, as is each side of a pair.
        y : array-like, default=None
            Ignored, with a warning if it holds vectors.

        Returns
        -------
        self : TfidfEncoder

        Warns
        -----
        UserWarning
            If the vectors already include weights (`vectors.is_weighted`).
        """
        vectors = check_word_vectors(self.vectors)
        warn_of_ignored_vectors(self, y)
        warn_if_weighted(self, vectors)
        n_texts, n_words = 0, len(vectors)
        found = np.zeros(n_words, dtype=np.int64)
        for texts in fit_blocks(X):
            flat = texts.ravel().tolist()
            batch = vectors.encode(flat, self._tokenizer(), known_only=True)
            document = np.repeat(np.arange(len(batch)), batch.lengths)
            once = np.unique(document * n_words + batch.ids) % n_words
            found += np.bincount(once, minlength=n_words)
            n_texts += len(batch)
        self.weights_ = np.log((1 + n_texts) / (1 + found))
        self.unknown_weight_ = math.log(1 + n_texts)
        return self
