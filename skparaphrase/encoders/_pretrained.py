"""The encoder of English sentences that comes with the package, and its direct uses."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.pairwise import cosine_similarity

from skparaphrase._math import cosine, unit_vectors
from skparaphrase._typing import Encoder, FilePath, Texts
from skparaphrase.encoders._average import AverageEncoder
from skparaphrase.pairs import LastAxisUnion
from skparaphrase.storage import load
from skparaphrase.text import check_single_texts
from skparaphrase.vectors import SENTENCES, bundled

# Shares of the parts of the large encoder in its cosines; each is a folder.
_SHARES = {"words": 0.65, "characters": 0.35}


@overload
def load_pretrained(
    path: None = None, *, pooling: str = ..., dim: int | None = ...
) -> AverageEncoder: ...


@overload
def load_pretrained(path: FilePath, *, pooling: str = ...) -> LastAxisUnion: ...


def load_pretrained(
    path: FilePath | None = None, *, pooling: str = "distinct", dim: int | None = None
) -> AverageEncoder | LastAxisUnion:
    """Load the encoder of English sentences that comes with the package.

    An average of word vectors learnt so that averages predict the vectors that
    all-MiniLM-L6-v2 and paraphrase-MiniLM-L3-v2 (both Apache-2.0) give sentences:
    60,000 words, 256 dimensions, and character n-grams for other words
    (`unknown="subword"`). Weights and the removal of a common component are part of
    the vectors. Made by `benchmarks/build/pretrained_encoder.py` with
    :class:`DistilledEncoder`; `LICENSES/DATA.md` has the sources of the sentences.

    Parameters
    ----------
    path : path-like, default=None
        A folder that `benchmarks/build/pretrained_encoder.py --large` has written: the
        large encoder of 46 MB, which is better at similarity and slower. See
        :doc:`/user_guide/save`. None loads the encoder that comes with the package.
    pooling : {"mean", "distinct"}, default="distinct"
        How words are averaged, as in :class:`AverageEncoder`. "distinct" is better on
        most tasks, and "mean" two to three times as fast.
    dim : int, default=None
        Keep only the first dimensions, 1 to 256, to save memory; the first ones hold
        most of the variance (:ref:`fewer_dimensions`). None keeps all 256. Cannot be
        combined with `path`.

    Returns
    -------
    encoder : AverageEncoder, or LastAxisUnion of the large one
        Needs no `fit`, and so survives :func:`sklearn.base.clone`. Its table,
        `encoder.vectors`, is the same object at every call with the same `dim`. To
        train it on your texts, start a :class:`ParagramEncoder` from it; its own `fit`
        learns nothing.

    Raises
    ------
    FileNotFoundError, ValueError
        If `path` is not such a folder; see :func:`skparaphrase.load`.
    TypeError, ValueError
        If `dim` is not an integer from 1 to 256, or is combined with `path`.

    See Also
    --------
    skparaphrase.datasets.load_word_vectors : The bundled vectors of single words.
    skparaphrase.encoders.ParagramEncoder : Trains the vectors further.

    Examples
    --------
    >>> import skparaphrase
    >>> from skparaphrase.pairs import PairSimilarity
    >>> encoder = skparaphrase.load_pretrained()
    >>> pairs = [("A cat sleeps.", "The cat is asleep."), ("A cat sleeps.", "Hello!")]
    >>> first, second = PairSimilarity().predict(encoder.transform(pairs))
    >>> bool(first > 0.5 > second)
    True

    Training on paraphrases helps to find the partner of others. (By default,
    `ParagramEncoder()` starts from the same vectors.)

    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> from skparaphrase.metrics import RetrievalScorer
    >>> pairs = load_paraphrases().data
    >>> trained = ParagramEncoder(init=encoder, random_state=0).fit(pairs[:1000])
    >>> score = RetrievalScorer(pairs[1000:])
    >>> score(trained) > score(encoder)
    True
    """
    if path is not None:
        if dim is not None:
            raise ValueError("dim= cannot shorten the encoder of a path.")
        return _load_large(Path(path), pooling)
    encoder = AverageEncoder(bundled(SENTENCES, dim), pooling=pooling)
    encoder._validate_params()
    return encoder


def _load_large(folder: Path, pooling: str) -> LastAxisUnion:
    """Both parts side by side: an average of words, and a sum of n-grams."""
    parts = {name: load(folder / name) for name in _SHARES}
    words = parts["words"].set_params(pooling=pooling)
    words._validate_params()
    frozen = [(name, FrozenEstimator(part)) for name, part in parts.items()]
    return LastAxisUnion(frozen, weights=_SHARES).fit(["any"])


@overload  # a str is array-like, too
def similarity(  # type: ignore[overload-overlap]
    a: str, b: str, encoder: Encoder | None = None
) -> float: ...


@overload
def similarity(
    a: Texts,
    b: Texts | None = None,
    encoder: Encoder | None = None,
    *,
    matrix: bool = False,
) -> NDArray[np.floating]: ...


def similarity(
    a: Texts,
    b: Texts | None = None,
    encoder: Encoder | None = None,
    *,
    matrix: bool = False,
) -> float | NDArray[np.floating]:
    """Compute the cosines of texts.

    Parameters
    ----------
    a, b : str or array-like of str of shape (n_texts,)
        Two texts; a text and several others; or two sequences of the same length, of
        which each text is compared with its counterpart. If `b` is None, the texts of
        `a` are compared with each other.
    encoder : encoder instance, default=None
        A fitted encoder, or a pipeline that ends with vectors. None uses
        :func:`load_pretrained`, whose table is read at the first call only.
    matrix : bool, default=False
        If True, compare each text of `a` with each of `b`, whose lengths may differ.

    Returns
    -------
    cosine : float or ndarray
        Between -1 and 1; 0 where a text is empty. A float for two `str`, an array of
        shape (n_texts,), or a matrix of shape (n_texts of a, n_texts of b).

    Raises
    ------
    ValueError
        If the sequences differ in length or contain anything but texts.

    See Also
    --------
    skparaphrase.search.SemanticSearch : The most similar of many texts.
    skparaphrase.pairs.PairSimilarity : Other measures, as the last step of a pipeline.
    skparaphrase.inspection.explain_similarity : Which words make texts similar.

    Examples
    --------
    >>> import skparaphrase
    >>> cosine = skparaphrase.similarity("A cat sleeps.", "The cat is asleep.")
    >>> cosine > 0.5
    True
    >>> others = ["The cat is asleep.", "Hello!"]
    >>> skparaphrase.similarity("A cat sleeps.", others).round(1)
    array([0.9, 0. ], dtype=float32)
    >>> skparaphrase.similarity(others).shape  # each with each
    (2, 2)
    """
    if isinstance(a, str) and isinstance(b, str) and not matrix:
        return float(similarity([a], [b], encoder)[0])
    first = _texts(a, "a")
    second = first if b is None else _texts(b, "b")
    is_matrix = matrix or b is None
    is_single = isinstance(a, str) or isinstance(b, str)
    if not (is_matrix or is_single or len(first) == len(second)):
        raise ValueError(
            f"a has {len(first)} texts and b {len(second)}; give one text or as many "
            "as in the other, or matrix=True to compare each with each."
        )
    encoder = load_pretrained() if encoder is None else encoder
    vectors = np.asarray(encoder.transform([*first, *second]))
    rows, columns = vectors[: len(first)], vectors[len(first) :]
    if is_matrix:
        cosines = unit_vectors(rows) @ unit_vectors(columns).T
    else:
        cosines = cosine(rows, columns)
    return np.clip(cosines, -1, 1)


def _texts(texts: Texts, name: str) -> NDArray[np.object_]:
    return check_single_texts([texts] if isinstance(texts, str) else texts, name)


class Embedder:
    """A fitted encoder with the methods that other libraries call.

    LangChain calls `embed_documents` and `embed_query`, Chroma calls the object itself,
    and mteb, SemHash and other libraries for models of sentence-transformers call
    `encode`. Unlike an exported model, it has vectors for words that the table lacks.

    Parameters
    ----------
    encoder : transformer, default=None
        A fitted encoder, or a pipeline that ends with vectors. None uses
        :func:`skparaphrase.load_pretrained`.

    See Also
    --------
    skparaphrase.encoders.AverageEncoder.to_static_embedding : A module of
        sentence-transformers.

    Notes
    -----
    Vectors have length 1 because some libraries compare them by Euclidean distance; the
    vector of a text without a known word is zero.

    Examples
    --------
    >>> import skparaphrase
    >>> embedder = skparaphrase.Embedder()
    >>> len(embedder.embed_query("A cat sleeps."))
    256
    >>> embedder.encode(["A cat sleeps.", "It rains."]).shape
    (2, 256)
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        self.encoder = load_pretrained() if encoder is None else encoder

    def encode(
        self, sentences: Texts | Iterable[dict[str, list[str]]], **options: Any
    ) -> NDArray[np.float32]:
        """Embed texts.

        Parameters
        ----------
        sentences : str or array-like of str of shape (n_texts,)
            mteb passes an iterable of batches, dicts whose key "text" has texts.
        **options : dict
            Such as `batch_size` and `show_progress_bar`; ignored, except for
            `task_metadata`, which only mteb passes.

        Returns
        -------
        vectors : ndarray of shape (dim,) or (n_texts, dim), float32
        """
        if "task_metadata" in options:
            batches: Any = sentences
            sentences = [text for batch in batches for text in batch["text"]]
        is_single = isinstance(sentences, str)
        texts = check_single_texts([sentences] if is_single else sentences)
        vectors = unit_vectors(np.asarray(self.encoder.transform(texts), np.float32))
        return vectors[0] if is_single else vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts as lists of numbers.

        Parameters
        ----------
        texts : list of str

        Returns
        -------
        vectors : list of list of float
        """
        return self.encode(texts).tolist()

    def embed_query(
        self, text: Any = None, *, input: list[str] | None = None
    ) -> list[float] | NDArray[np.float32]:
        """Embed a text as a list of numbers.

        Parameters
        ----------
        text : str
        input : list of str, default=None
            Texts, which Chroma passes instead.

        Returns
        -------
        vector : list of float, or ndarray of shape (n_texts, dim) for `input`
        """
        return self.encode(text).tolist() if input is None else self.encode(input)

    def __call__(self, input: Texts) -> NDArray[np.float32]:
        """Embed texts.

        Parameters
        ----------
        input : str or list of str

        Returns
        -------
        vectors : ndarray of shape (dim,) or (n_texts, dim), float32
        """
        return self.encode(input)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts as :meth:`embed_documents` does.

        Parameters
        ----------
        texts : list of str

        Returns
        -------
        vectors : list of list of float
        """
        return self.embed_documents(texts)

    async def aembed_query(self, text: str) -> list[float] | NDArray[np.float32]:
        """Embed a text as :meth:`embed_query` does.

        Parameters
        ----------
        text : str

        Returns
        -------
        vector : list of float
        """
        return self.embed_query(text)

    def similarity(
        self, embeddings1: ArrayLike, embeddings2: ArrayLike
    ) -> NDArray[np.floating]:
        """Compute the cosines of all pairs of vectors, for mteb.

        Parameters
        ----------
        embeddings1 : array-like of shape (n, dim)
        embeddings2 : array-like of shape (m, dim)

        Returns
        -------
        cosines : ndarray of shape (n, m), float32
        """
        return cosine_similarity(embeddings1, embeddings2)

    def similarity_pairwise(
        self, embeddings1: ArrayLike, embeddings2: ArrayLike
    ) -> NDArray[np.floating]:
        """Compute the cosines of the vectors in the same row, for mteb.

        Parameters
        ----------
        embeddings1, embeddings2 : array-like of shape (n, dim)

        Returns
        -------
        cosines : ndarray of shape (n,), float32
        """
        return cosine(np.asarray(embeddings1), np.asarray(embeddings2))

    @property
    def mteb_model_meta(self) -> Any:
        """Description of the model for mteb, which has only a name."""
        from mteb.models import ModelMeta

        return ModelMeta.create_empty({"name": "skparaphrase/embedder"})

    def name(self) -> str:
        """Name of the embedding function in Chroma.

        Returns
        -------
        name : str
        """
        return "skparaphrase"

    def is_legacy(self) -> bool:
        """Mark as legacy, so that Chroma does not serialise the configuration.

        Pass the embedder to `get_collection`, too.

        Returns
        -------
        is_legacy : bool
        """
        return True

    def __repr__(self) -> str:
        return f"Embedder({self.encoder!r})"
