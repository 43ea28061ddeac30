"""Word vectors from models of other libraries, and from any encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self

from skparaphrase.vectors._distilled import distilled_table
from skparaphrase.vectors._static_models import (
    model2vec_table,
    static_embedding_table,
    to_numpy,
)


class Interchange:
    """Ways to make a table from what other libraries hold."""

    if TYPE_CHECKING:

        def __init__(
            self,
            words: Any,
            matrix: Any,
            *,
            scale: Any = None,
            unknown: str | None = None,
        ) -> None: ...

    @classmethod
    def from_keyed_vectors(
        cls, keyed_vectors: Any, *, unknown: str | None = None
    ) -> Self:
        """The table of gensim: `KeyedVectors`, or a model that has them.

        Parameters
        ----------
        keyed_vectors : object
            Has `index_to_key` (gensim 3: `index2word`), a list of str, and `vectors`,
            of shape (n_words, dim), or has an attribute `wv` that does. Of fastText,
            the words of the table; vectors that it makes up from n-grams stay behind.
            The matrix is shared: do not train the model further.

        unknown : str, default=None
            See :class:`WordVectors`.
        """
        return cls(**_keyed_vectors_table(keyed_vectors), unknown=unknown)

    @classmethod
    def from_spacy(cls, nlp_or_vocab: Any, *, unknown: str | None = None) -> Self:
        """The vectors of a pipeline or `Vocab` of spaCy.

        spaCy keeps capitals: give encoders `lowercase=False` to look words up as it
        does. `Doc.vector` counts tokens without a vector as zeros, we leave them out.

        Parameters
        ----------
        nlp_or_vocab : spacy.Language or spacy.Vocab
            With vectors of words, as pipelines of the sizes md and lg have.

        unknown : str, default=None
            See :class:`WordVectors`.

        Raises
        ------
        ValueError
            If there are no vectors, or vectors of pieces of words (floret).
        """
        return cls(**_spacy_table(nlp_or_vocab), unknown=unknown)

    @classmethod
    def from_model2vec(cls, model: Any, *, unknown: str | None = None) -> Self:
        """The table of a `StaticModel` of model2vec, weights folded in.

        The tokens become words. Special tokens are left out, and the token of unknown
        words, which model2vec leaves out too. Where the tokenizer marks the beginning
        of words ("\u2581the"), words lose the mark, and pieces that go on with a word
        are spelled as WordPiece does ("##ing").

        The averages of an encoder with this table are those of the model for texts
        that its tokenizer splits into the same whole words; a word that it splits into
        pieces is unknown here. Lengths differ if the model normalises. Give an encoder
        `split_compounds=False`, and `lowercase=False` for a table with capitals.

        Parameters
        ----------
        model : model2vec.StaticModel
            With whatever tokenizer, weights and token mapping.

        unknown : str, default=None
            See :class:`WordVectors`.
        """
        return cls(**model2vec_table(model, unknown))

    @classmethod
    def from_sentence_transformers(
        cls, model: Any, *, unknown: str | None = None
    ) -> Self:
        """The table of a static model of sentence-transformers.

        As in :meth:`from_model2vec`, except for unknown words, which count there.

        Parameters
        ----------
        model : SentenceTransformer or StaticEmbedding
            A model whose first module is `StaticEmbedding`, or that module.

        unknown : str, default=None
            See :class:`WordVectors`. None takes the unknown token of a tokenizer of
            whole words, if it has one.

        Raises
        ------
        ValueError
            If a later module is more than `Normalize`.
        """
        return cls(**static_embedding_table(model, unknown))

    @classmethod
    def distill(
        cls,
        words: Iterable[str],
        encode: Callable[[list[str]], Any],
        *,
        batch_size: int = 1024,
        dim: int | None = None,
        power: float = 0.0,
    ) -> Self:
        """The vectors that a better, slower model gives single words.

        Parameters
        ----------
        words : iterable of str
            No word twice.

        encode : callable
            Takes a list of at most `batch_size` words, gives their vectors, array-like
            of shape (n, d): `SentenceTransformer(...).encode`, for one.

        batch_size : int, default=1024
            The most words that `encode` is given at once.

        dim : int, default=None
            Keep so many principal axes of the table, without centring (averages of
            words must stay averages). None keeps the vectors as they are.

        power : float, default=0.0
            From 0 to 1: divide the coordinate on each axis by the axis' strength to
            this power. 1 makes all axes equally strong. The bundled vectors are 128
            axes with power 0.75.

        Returns
        -------
        vectors : WordVectors
            float32; see :meth:`astype`.

        Raises
        ------
        ValueError
            If a word occurs twice, or `encode` gives an array of another shape or a
            vector that is not finite; the message names the first such word.

        See Also
        --------
        skparaphrase.encoders.SIFEncoder : Weighs the words.

        Examples
        --------
        >>> from skparaphrase.vectors import WordVectors
        >>> def encode(words):
        ...     return [[len(word), word.count("o")] for word in words]
        >>> WordVectors.distill(["cat", "door"], encode)["door"]
        array([4., 2.], dtype=float32)
        """
        return cls(
            **distilled_table(
                words, encode, batch_size=batch_size, dim=dim, power=power
            )
        )


def _keyed_vectors_table(keyed_vectors: Any) -> dict[str, Any]:
    """The table of gensim; see `WordVectors.from_keyed_vectors`."""
    source = getattr(keyed_vectors, "wv", keyed_vectors)
    words = getattr(source, "index_to_key", None)
    if words is None:
        words = getattr(source, "index2word", None)  # gensim 3
    matrix = getattr(source, "vectors", None)
    if words is None or matrix is None:
        raise TypeError(
            "Expected an object with index_to_key and vectors, as gensim's "
            f"KeyedVectors; got {type(keyed_vectors).__name__}."
        )
    return {"words": words, "matrix": matrix}


def _spacy_table(nlp_or_vocab: Any) -> dict[str, Any]:
    """The table of spaCy; see `WordVectors.from_spacy`."""
    vocab = getattr(nlp_or_vocab, "vocab", nlp_or_vocab)
    try:
        vectors, strings = vocab.vectors, vocab.strings
        key_rows, data = vectors.key2row, vectors.data
    except AttributeError:
        raise TypeError(
            "Expected a pipeline or a Vocab of spaCy; got "
            f"{type(nlp_or_vocab).__name__}."
        ) from None
    if str(getattr(vectors, "mode", "")) == "floret":
        raise ValueError(
            "This pipeline has floret vectors, which are of pieces of words: it holds "
            "no table of words. WordVectors.distill(words, lambda words: "
            "np.stack([nlp.vocab.get_vector(word) for word in words])) makes one."
        )
    # Words that share a row (pruned tables) each get a copy of it.
    found = sorted(
        ((row, key) for key, row in key_rows.items() if row >= 0),
        key=lambda item: item[0],
    )
    if not found or data.shape[1] == 0:
        raise ValueError(
            "This pipeline has no word vectors; spaCy's have them from the size md on."
        )
    matrix = to_numpy(data)[[row for row, _ in found]]
    return {"words": [strings[key] for _, key in found], "matrix": matrix}
