"""An encoder with the methods that other libraries call."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import cosine_similarity as pairwise

from skparaphrase._math import cosine, unit_vectors
from skparaphrase.encoders._pretrained import load_pretrained
from skparaphrase.text._check import check_single_texts


class Embedder:
    """A fitted encoder with the methods that other libraries call.

    `embed_documents` and `embed_query` are those of LangChain, a call is that of
    Chroma, and `encode` that of mteb, SemHash and others that were made for models of
    sentence-transformers. Unlike models that were exported, it keeps the vectors of
    words that the table lacks.

    Parameters
    ----------
    encoder : transformer, default=None
        A fitted encoder, or a pipeline that ends with vectors. None is
        :func:`skparaphrase.load_pretrained`.

    See Also
    --------
    skparaphrase.encoders.AverageEncoder.to_static_embedding : A module of
        sentence-transformers.

    Notes
    -----
    Vectors have length 1, since some libraries compare by Euclidean distance; the
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

    def __init__(self, encoder: Any = None) -> None:
        self.encoder = load_pretrained() if encoder is None else encoder

    def encode(self, sentences: Any, **options: Any) -> NDArray[np.float32]:
        """Embed texts.

        Parameters
        ----------
        sentences : str or array-like of str of shape (n_texts,)
            Or, from mteb, an iterable of batches whose key "text" has texts.
        **options : dict
            Such as `batch_size` and `show_progress_bar`; ignored, but for
            `task_metadata`, which tells that mteb calls.

        Returns
        -------
        vectors : ndarray of shape (dim,) or (n_texts, dim), float32
        """
        if "task_metadata" in options:
            sentences = [text for batch in sentences for text in batch["text"]]
        is_single = isinstance(sentences, str)
        texts = check_single_texts([sentences] if is_single else sentences)
        vectors = unit_vectors(np.asarray(self.encoder.transform(texts), np.float32))
        return vectors[0] if is_single else vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts, as lists of numbers.

        Parameters
        ----------
        texts : list of str

        Returns
        -------
        vectors : list of list of float
        """
        found: list[list[float]] = self.encode(texts).tolist()
        return found

    def embed_query(self, text: Any = None, *, input: Any = None) -> Any:
        """Embed a text, as a list of numbers.

        Parameters
        ----------
        text : str
        input : list of str, default=None
            What Chroma passes instead.

        Returns
        -------
        vector : list of float, or ndarray of shape (n_texts, dim) for `input`
        """
        return self.encode(text).tolist() if input is None else self.encode(input)

    def __call__(self, input: Any) -> NDArray[np.float32]:
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
        """The same as :meth:`embed_documents`.

        Parameters
        ----------
        texts : list of str

        Returns
        -------
        vectors : list of list of float
        """
        return self.embed_documents(texts)

    async def aembed_query(self, text: str) -> list[float]:
        """The same as :meth:`embed_query`.

        Parameters
        ----------
        text : str

        Returns
        -------
        vector : list of float
        """
        found: list[float] = self.embed_query(text)
        return found

    def similarity(self, embeddings1: Any, embeddings2: Any) -> NDArray[np.float32]:
        """Cosines of all pairs of vectors, for mteb.

        Parameters
        ----------
        embeddings1 : array-like of shape (n, dim)
        embeddings2 : array-like of shape (m, dim)

        Returns
        -------
        cosines : ndarray of shape (n, m), float32
        """
        found: NDArray[np.float32] = pairwise(embeddings1, embeddings2)
        return found

    def similarity_pairwise(
        self, embeddings1: Any, embeddings2: Any
    ) -> NDArray[np.float32]:
        """Cosines of the vectors in the same row, for mteb.

        Parameters
        ----------
        embeddings1, embeddings2 : array-like of shape (n, dim)

        Returns
        -------
        cosines : ndarray of shape (n,), float32
        """
        found: NDArray[np.float32] = cosine(
            np.asarray(embeddings1), np.asarray(embeddings2)
        )
        return found

    @property
    def mteb_model_meta(self) -> Any:
        """What mteb asks of a model: nothing but its name is known."""
        from mteb.models import ModelMeta

        return ModelMeta.create_empty({"name": "skparaphrase/embedder"})

    def name(self) -> str:
        """What Chroma calls it.

        Returns
        -------
        name : str
        """
        return "skparaphrase"

    def is_legacy(self) -> bool:
        """Tell Chroma not to store how it is made: pass it to `get_collection`, too.

        Returns
        -------
        is_legacy : bool
        """
        return True

    def __repr__(self) -> str:
        return f"Embedder({self.encoder!r})"
