"""Word vectors from gensim, spaCy, model2vec and sentence-transformers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.text._tokenizer import is_word
from skparaphrase.vectors._subwords import Subwords

if TYPE_CHECKING:
    from skparaphrase.vectors._word_vectors import WordVectors

_BEGINS = "\u2581"  # how SentencePiece marks a piece that begins a word
_CONTINUES = "##"  # how WordPiece marks a piece that continues a word


def from_keyed_vectors(
    cls: "type[WordVectors]", keyed_vectors: Any, *, unknown: str | None = None
) -> "WordVectors":
    """Take the table of gensim's `KeyedVectors`, or of a model that has them.

    Parameters
    ----------
    keyed_vectors : object
        Has `index_to_key`, a list of str, and `vectors`, of shape (n_words, dim), or an
        attribute `wv` that does. Matrices are shared: do not train the model further.
    unknown : str, default=None
        See :class:`WordVectors`. "subword" takes the n-grams of fastText, as of
        `gensim.models.fasttext.load_facebook_vectors("cc.en.300.bin")`: unknown words
        then have the vectors that gensim gives them.
    """
    source = getattr(keyed_vectors, "wv", keyed_vectors)
    words = getattr(source, "index_to_key", None)
    matrix = getattr(source, "vectors", None)
    if words is None or matrix is None:
        raise TypeError(
            "Expected an object with index_to_key and vectors, such as gensim's "
            f"KeyedVectors; got {type(keyed_vectors).__name__}."
        )
    subwords = None
    if getattr(source, "vectors_ngrams", None) is not None and source.bucket:
        sizes = source.min_n, source.max_n
        subwords = Subwords(source.vectors_ngrams, ngram_range=sizes, kind="fasttext")
    return cls(words, matrix, unknown=unknown, subwords=subwords)


def from_spacy(
    cls: "type[WordVectors]", nlp_or_vocab: Any, *, unknown: str | None = None
) -> "WordVectors":
    """Take the vectors of a spaCy pipeline or `Vocab`.

    spaCy keeps capitals: give encoders a tokenizer with `lowercase=False` to look
    words up as it does. `Doc.vector` counts tokens without a vector as zeros; encoders
    leave them out.

    Parameters
    ----------
    nlp_or_vocab : spacy.Language or spacy.Vocab
        With vectors of words, as in pipelines of the sizes md and lg.
    unknown : str, default=None
        See :class:`WordVectors`.

    Raises
    ------
    ValueError
        If there are no vectors, or vectors of pieces of words (floret).
    """
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
            "This pipeline has floret vectors, which are of pieces of words, and no "
            "table of words. WordVectors(words, np.stack([nlp.vocab.get_vector(word) "
            "for word in words])) makes one."
        )
    # Words that share a row (pruned tables) each get a copy of it.
    found = sorted(
        ((row, key) for key, row in key_rows.items() if row >= 0),
        key=lambda item: item[0],
    )
    if not found or data.shape[1] == 0:
        raise ValueError(
            "This pipeline has no word vectors; those of size md and larger have them."
        )
    words = [strings[key] for _, key in found]
    return cls(words, to_numpy(data)[[row for row, _ in found]], unknown=unknown)


def from_model2vec(
    cls: "type[WordVectors]", model: Any, *, unknown: str | None = None
) -> "WordVectors":
    """Take the table of a model2vec `StaticModel`, with its weights folded in.

    Tokens become words. Special tokens are left out, and the token of unknown words,
    which model2vec leaves out too. If the tokenizer marks the beginning of words
    ("\u2581the"), words lose the mark, and pieces that continue a word are spelled as
    in WordPiece ("##ing").

    Averages of these vectors are those of the model for texts that its tokenizer
    splits into the same whole words; a word that it splits into pieces is unknown
    here. Lengths differ if the model normalises. Give an encoder a tokenizer with
    `split_compounds=False`, and `lowercase=False` for a table with capitals. Models
    of releases that store no weights have them in the vectors, unmarked.

    Parameters
    ----------
    model : model2vec.StaticModel
    unknown : str, default=None
        See :class:`WordVectors`.
    """
    try:
        tokenizer, embedding = model.tokenizer, to_numpy(model.embedding)
    except AttributeError:
        raise TypeError(
            f"Expected a StaticModel of model2vec; got {type(model).__name__}."
        ) from None
    mapping = getattr(model, "token_mapping", None)
    weights = getattr(model, "weights", None)
    n_tokens = len(embedding if mapping is None else mapping)
    words, tokens = _words_of(tokenizer, n_tokens, unknown)
    matrix = embedding[tokens if mapping is None else np.asarray(mapping)[tokens]]
    scale = None
    if weights is not None:
        weights = to_numpy(weights)[tokens].astype(np.float32)
        matrix = matrix.astype(np.float32) * weights[:, np.newaxis]
    elif matrix.dtype == np.int8:
        scale = np.ones(len(matrix), dtype=np.float32)  # model2vec has no scale
    is_weighted = weights is not None
    return cls(words, matrix, scale=scale, unknown=unknown, is_weighted=is_weighted)


def from_sentence_transformers(
    cls: "type[WordVectors]", model: Any, *, unknown: str | None = None
) -> "WordVectors":
    """Take the table of a static model of sentence-transformers.

    As in :meth:`from_model2vec`, except that unknown words count in its averages.

    Parameters
    ----------
    model : SentenceTransformer or StaticEmbedding
        A model whose first module is `StaticEmbedding`, or that module.
    unknown : str, default=None
        See :class:`WordVectors`. None takes the unknown token of a tokenizer of whole
        words, if it has one.

    Raises
    ------
    ValueError
        If a later module is not `Normalize`.
    """
    module = model
    if hasattr(model, "modules") and hasattr(model, "__getitem__"):
        module, *others = list(model)
        names = [type(m).__name__ for m in others if type(m).__name__ != "Normalize"]
        if names:
            raise ValueError(
                f"The modules {names} change the means of the word vectors and cannot "
                "be part of a table. Pass the first module, model[0], to ignore them."
            )
    try:
        tokenizer, weight = module.tokenizer, module.embedding.weight
    except AttributeError:
        raise TypeError(
            "Expected a SentenceTransformer whose first module is StaticEmbedding; got "
            f"{type(model).__name__}."
        ) from None
    if unknown is None:
        spec = json.loads(tokenizer.to_str())["model"]
        if spec["type"] == "WordLevel" and spec["unk_token"] in spec["vocab"]:
            unknown = spec["unk_token"]
    words, tokens = _words_of(tokenizer, len(weight), unknown)
    return cls(words, to_numpy(weight)[tokens], unknown=unknown)


def _words_of(
    tokenizer: Any, n_tokens: int, unknown: str | None
) -> tuple[list[str], NDArray[np.intp]]:
    """Words of a tokenizer of `tokenizers`, and the identifiers of their tokens."""
    spec = json.loads(tokenizer.to_str())
    special = {token["content"] for token in spec["added_tokens"] if token["special"]}
    spec_model = spec["model"]
    if spec_model.get("unk_id") is not None:  # Unigram
        special.add(spec_model["vocab"][spec_model["unk_id"]][0])
    else:
        special.add(spec_model.get("unk_token"))
    tokens = {
        piece: token
        for piece, token in tokenizer.get_vocab().items()
        if token < n_tokens and (piece not in special or piece == unknown)
    }
    decode: Callable[[list[str]], str] | None = None
    if tokenizer.decoder is None:
        if any(token.startswith(_BEGINS) for token in tokens):
            decode = _join_marked
    elif spec["decoder"]["type"] != "WordPiece":
        decode = tokenizer.decoder.decode
    if decode is not None:
        kept = {unknown: tokens.pop(unknown)} if unknown in tokens else {}
        tokens = _spelled(tokens, decode) | kept
    words = sorted(tokens, key=tokens.__getitem__)
    return words, np.array([tokens[word] for word in words], dtype=np.intp)


def _join_marked(tokens: list[str]) -> str:
    return "".join(tokens).replace(_BEGINS, " ")


def _spelled(
    tokens: dict[str, int], decode: Callable[[list[str]], str]
) -> dict[str, int]:
    """Words without the mark of their beginning, and pieces of words with "##".

    Punctuation usually follows a word, so that its piece without the mark is taken.
    """
    words: dict[str, int] = {}
    pieces: dict[str, int] = {}
    for token, row in tokens.items():
        piece = decode(["x", token]).removeprefix("x")  # after a word
        if len(piece) > 1 and piece.startswith(" "):
            words.setdefault(piece[1:], row)
        elif not is_word(piece):
            pieces[piece] = row
        else:
            pieces[_CONTINUES + piece] = row
    return words | pieces


def to_numpy(array: Any) -> NDArray[Any]:
    """Convert an array of NumPy, torch or CuPy to NumPy."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        if str(array.dtype) == "torch.bfloat16":  # NumPy has none
            array = array.float()
    elif hasattr(array, "__cuda_array_interface__"):
        array = array.get()
    return np.asarray(array)
