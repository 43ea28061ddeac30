"""Adapter of encoders to the interfaces of other embedding libraries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.metrics.pairwise import cosine_similarity

from skparaphrase._compat import check_int
from skparaphrase._lazy import torch
from skparaphrase._math import cosine, unit_vectors
from skparaphrase._progress import show_progress
from skparaphrase._typing import Encoder, Texts
from skparaphrase.encoders._pretrained import load_pretrained
from skparaphrase.text._check import check_single_texts, describe

# Options of mteb, and values of sentence-transformers that, like None, have no effect.
_OF_MTEB = "task_metadata", "hf_split", "hf_subset", "prompt_type"
_DEFAULTS = {
    "precision": "float32",
    "output_value": "sentence_embedding",
    "device": "cpu",
}


class EmbeddingAdapter(FrozenEstimator):
    """Adapt a fitted encoder to the embedding interfaces of other libraries.

    LangChain calls `embed_documents` and `embed_query`, Chroma calls the object itself,
    and mteb, SemHash, the evaluators of sentence-transformers and other code for its
    models call `encode`. Unlike an exported model, it computes vectors for words that
    are not in the table.

    Parameters
    ----------
    encoder : transformer, default=None
        A fitted encoder, or a pipeline that ends with vectors. None uses
        :func:`skparaphrase.load_pretrained`.

    Raises
    ------
    TypeError
        If `encoder` has no method `transform`.

    See Also
    --------
    skparaphrase.encoders.AverageEncoder.to_static_embedding : A module of
        sentence-transformers.

    Notes
    -----
    Vectors always have length 1, even if the encoder has `norm=None`, because some
    libraries compare them by Euclidean distance. The vector of a text without a known
    word is zero.

    For scikit-learn and this package, it is a :class:`~sklearn.frozen.FrozenEstimator`:
    `fit` does nothing, and `transform`, `save` and other methods call the encoder. To
    load it again, write `EmbeddingAdapter(skparaphrase.load(folder))`.

    Examples
    --------
    >>> import skparaphrase
    >>> embedder = skparaphrase.EmbeddingAdapter()
    >>> len(embedder.embed_query("A cat sleeps."))
    256
    >>> embedder.encode(["A cat sleeps.", "It rains."]).shape
    (2, 256)
    """

    # Needed by the evaluators of sentence-transformers; no scores are kept for a card.
    similarity_fn_name = "cosine"
    model_card_data = SimpleNamespace(set_evaluation_metrics=lambda *_: None)

    def __init__(self, encoder: Encoder | None = None) -> None:
        super().__init__(load_pretrained() if encoder is None else encoder)
        self.encoder = self.estimator
        if not hasattr(self.encoder, "transform"):
            raise TypeError(
                "encoder must be a fitted encoder; EmbeddingAdapter() uses "
                "load_pretrained(). Pass skparaphrase.load(folder) for a saved one, or "
                "FunctionTransformer(model.encode) of another library's model. Got "
                f"{encoder!r}."
            )

    def encode(
        self,
        inputs: Texts | Iterable[dict[str, list[str]]],
        *,
        batch_size: int | None = None,
        show_progress_bar: bool | None = None,
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        normalize_embeddings: bool = True,
        truncate_dim: int | None = None,
        **options: Any,
    ) -> Any:
        """Embed texts.

        The parameters are the same as in `SentenceTransformer.encode`, version 6.

        Parameters
        ----------
        inputs : str or array-like of str of shape (n_texts,)
            mteb passes an iterable of batches, which are dicts with texts under the key
            "text".
        batch_size : int, default=None
            Ignored: encoders choose their own block size.
        show_progress_bar : bool, default=None
            If True, show a progress bar. None and False show one only inside
            :func:`skparaphrase.show_progress`.
        convert_to_numpy : bool, default=True
            If False, return a list of tensors.
        convert_to_tensor : bool, default=False
            If True, return a tensor. Needs PyTorch.
        normalize_embeddings : bool, default=True
            If True, vectors have length 1; otherwise, they have the encoder's length.
        truncate_dim : int, default=None
            Keep only the first dimensions, before vectors are scaled to length 1. The
            dimensions of :func:`skparaphrase.load_pretrained` are sorted by importance.
        **options : dict
            Other options of `SentenceTransformer.encode`, such as `prompt`, with a
            value that has no effect, and the options that mteb passes, such as
            `task_metadata`.

        Returns
        -------
        vectors : ndarray of shape (n_texts, dim) or (dim,), Tensor or list of Tensor

        Raises
        ------
        TypeError
            If an option is not supported.
        ValueError
            If `truncate_dim` is not between 1 and the number of dimensions.
        """
        if "task_metadata" in options:
            batches: Any = inputs
            inputs = [text for batch in batches for text in batch["text"]]
            options = {k: v for k, v in options.items() if k not in _OF_MTEB}
        for name, value in options.items():
            if value is not None and str(value) != _DEFAULTS.get(name):
                raise TypeError(
                    f"encode() does not support {name}={value!r}. Averages need no "
                    "prompts, devices or processes. For smaller vectors, use "
                    "quantize_embeddings of sentence-transformers."
                )
        is_single = isinstance(inputs, str)
        texts = check_single_texts([inputs] if is_single else inputs)
        with show_progress() if show_progress_bar else nullcontext():
            vectors: Any = np.asarray(self.encoder.transform(texts), np.float32)
        if truncate_dim is not None:
            n = vectors.shape[1]
            truncate_dim = check_int(truncate_dim, "truncate_dim", max_val=n)
            vectors = vectors[:, :truncate_dim]
        if normalize_embeddings:
            vectors = unit_vectors(vectors)
        if convert_to_tensor or not convert_to_numpy:
            vectors = torch.from_numpy(np.ascontiguousarray(vectors))
            vectors = vectors if convert_to_tensor else list(vectors)
        return vectors[0] if is_single else vectors

    encode_query = encode_document = encode

    def get_embedding_dimension(self) -> int:
        """Number of dimensions of a vector.

        Returns
        -------
        dim : int
        """
        return len(self.encode(""))

    get_sentence_embedding_dimension = get_embedding_dimension  # before version 6

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts as lists of numbers.

        Parameters
        ----------
        texts : list of str

        Returns
        -------
        vectors : list of list of float

        Raises
        ------
        TypeError
            If `texts` is a single str.
        """
        return self.encode(check_single_texts(texts)).tolist()

    def embed_query(
        self, text: Any = None, *, input: list[str] | None = None
    ) -> list[float] | NDArray[np.float32]:
        """Embed a text as a list of numbers.

        Parameters
        ----------
        text : str
        input : list of str, default=None
            Texts; Chroma passes these instead of `text`.

        Returns
        -------
        vector : list of float, or ndarray of shape (n_texts, dim) for `input`

        Raises
        ------
        TypeError
            If `text` is not a str.
        """
        if input is not None:
            return self.encode(check_single_texts(input))
        if not isinstance(text, str):
            raise TypeError(f"embed_query takes one text, a str; got {describe(text)}.")
        return self.encode(text).tolist()

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

    def similarity(self, embeddings1: ArrayLike, embeddings2: ArrayLike) -> Any:
        """Compute the cosines of all pairs of vectors.

        Parameters
        ----------
        embeddings1 : array-like or Tensor of shape (n, dim)
        embeddings2 : array-like or Tensor of shape (m, dim)

        Returns
        -------
        cosines : ndarray of shape (n, m), float32
            A Tensor if `embeddings1` is one.
        """
        return _like(embeddings1, cosine_similarity(embeddings1, embeddings2))

    def similarity_pairwise(
        self, embeddings1: ArrayLike, embeddings2: ArrayLike
    ) -> Any:
        """Compute the cosines of the vectors in the same row.

        Parameters
        ----------
        embeddings1, embeddings2 : array-like or Tensor of shape (n, dim)

        Returns
        -------
        cosines : ndarray of shape (n,), float32
            A Tensor if `embeddings1` is one.
        """
        found = cosine(np.asarray(embeddings1), np.asarray(embeddings2))
        return _like(embeddings1, found)

    @property
    def mteb_model_meta(self) -> Any:
        """Description of the model for mteb; it contains only a name."""
        models = sys.modules.get("mteb.models")
        if models is None:  # only mteb and `dir` read this attribute
            raise AttributeError("mteb_model_meta needs mteb")
        return models.ModelMeta.create_empty({"name": "skparaphrase/embedder"})

    def name(self) -> str:
        """Name of the embedding function in Chroma.

        Returns
        -------
        name : str
        """
        return "skparaphrase"

    def is_legacy(self) -> bool:
        """Mark as legacy, so that Chroma does not serialise the configuration.

        Also pass the adapter to `get_collection`.

        Returns
        -------
        is_legacy : bool
        """
        return True

    def __repr__(self) -> str:
        return f"EmbeddingAdapter({self.encoder!r})"


def _like(given: Any, found: NDArray[np.floating]) -> Any:
    """Convert an array to a tensor if the inputs were tensors."""
    return given.new_tensor(found) if hasattr(given, "new_tensor") else found
