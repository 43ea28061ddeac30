"""Word vectors from gensim, spaCy, model2vec and sentence-transformers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase._core import is_word
from skparaphrase._frames import to_numpy
from skparaphrase.vectors._subwords import Subwords
from skparaphrase.vectors._word_vectors import WordVectors

_BEGINS = "\u2581"  # how SentencePiece marks a piece that begins a word
_CONTINUES = "##"  # how WordPiece marks a piece that continues a word


def import_word_vectors(model: Any, *, unknown: str | None = None) -> WordVectors:
    """Convert a model of another library to word vectors.

    Parameters
    ----------
    model : object
        - gensim: `KeyedVectors`, or a model that contains them. The matrix is shared:
          do not train the model further.
        - spaCy: a pipeline or `Vocab` with word vectors, such as the pipelines of sizes
          md and lg. Its words are case-sensitive: give encoders a tokenizer with
          `lowercase=False`. `Doc.vector` counts tokens without a vector as zeros;
          encoders leave them out.
        - model2vec: a `StaticModel`. Its weights are multiplied into the vectors.
          Models written by releases that store no weights already include them, but are
          not marked as weighted.
        - sentence-transformers: a model whose first module is `StaticEmbedding`, or
          that module. Unlike the others, it includes unknown words in averages.
    unknown : str, default=None
        See :class:`WordVectors`. "subword" takes the n-grams of fastText, for example
        of `gensim.models.fasttext.load_facebook_vectors("cc.en.300.bin")`. Unknown
        words then have the same vectors as in gensim. With sentence-transformers, None
        takes the unknown token of a tokenizer of whole words, if it has one.

    Returns
    -------
    vectors : WordVectors

    Raises
    ------
    TypeError
        If the model is of none of these types.
    ValueError
        If a spaCy pipeline has no vectors or vectors of pieces of words (floret), or
        if a module of sentence-transformers after the first is not `Normalize`.

    Notes
    -----
    The tokens of model2vec and sentence-transformers become words. Special tokens are
    left out, as is the token of unknown words unless it is `unknown`. If the tokenizer
    marks the beginning of words ("\u2581the"), words lose the mark, and pieces that
    continue a word are spelled as in WordPiece ("##ing").

    Averages of these vectors equal the model's vectors for texts that its tokenizer
    splits into the same whole words. A word that it splits into pieces is unknown here.
    Lengths differ if the model normalises. Give an encoder a tokenizer with
    `split_compounds=False`, and `lowercase=False` for a table with capitals.
    """
    keyed_vectors = getattr(model, "wv", model)
    if hasattr(keyed_vectors, "index_to_key") and hasattr(keyed_vectors, "vectors"):
        return _from_gensim(keyed_vectors, unknown)
    vocab = getattr(model, "vocab", model)
    if hasattr(vocab, "strings") and hasattr(vocab, "vectors"):
        return _from_spacy(vocab, unknown)
    module = model
    if hasattr(model, "modules") and hasattr(model, "__getitem__"):
        module = _first_module(model)
    if hasattr(module, "tokenizer") and hasattr(module, "embedding"):
        if hasattr(module.embedding, "weight"):
            return _from_sentence_transformers(module, unknown)
        return _from_model2vec(module, unknown)
    raise TypeError(
        "Expected KeyedVectors of gensim, a pipeline or Vocab of spaCy, a StaticModel "
        "of model2vec, or a SentenceTransformer whose first module is StaticEmbedding; "
        f"got {type(model).__name__}."
    )


def _from_gensim(keyed_vectors: Any, unknown: str | None) -> WordVectors:
    subwords = None
    if getattr(keyed_vectors, "bucket", 0):
        subwords = Subwords(
            keyed_vectors.vectors_ngrams,
            ngram_range=(keyed_vectors.min_n, keyed_vectors.max_n),
            kind="fasttext",
        )
    words, matrix = keyed_vectors.index_to_key, keyed_vectors.vectors
    return WordVectors(words, matrix, unknown=unknown, subwords=subwords)


def _from_spacy(vocab: Any, unknown: str | None) -> WordVectors:
    vectors = vocab.vectors
    # Words that share a row (pruned tables) each get a copy of it.
    rows = {key: row for key, row in vectors.key2row.items() if row >= 0}
    if not rows or vectors.data.shape[1] == 0:
        raise ValueError(
            "This pipeline has no word vectors; those of size md and larger have "
            "them, unless they store vectors of pieces of words (floret)."
        )
    keys = sorted(rows, key=rows.__getitem__)
    words = [vocab.strings[key] for key in keys]
    matrix = to_numpy(vectors.data)[[rows[key] for key in keys]]
    return WordVectors(words, matrix, unknown=unknown)


def _from_model2vec(model: Any, unknown: str | None) -> WordVectors:
    embedding = to_numpy(model.embedding)
    mapping = getattr(model, "token_mapping", None)
    weights = getattr(model, "weights", None)
    n_tokens = len(embedding if mapping is None else mapping)
    words, tokens = _words_of(model.tokenizer, n_tokens, unknown)
    matrix = embedding[tokens if mapping is None else np.asarray(mapping)[tokens]]
    if weights is not None:
        weights = to_numpy(weights)[tokens].astype(np.float32)
        matrix = matrix.astype(np.float32) * weights[:, np.newaxis]
        return WordVectors(words, matrix, unknown=unknown, is_weighted=True)
    # model2vec has no scale.
    scale = np.ones(len(matrix)) if matrix.dtype == np.int8 else None
    return WordVectors(words, matrix, scale=scale, unknown=unknown)


def _first_module(model: Any) -> Any:
    """The first module of a SentenceTransformer; others may only normalise."""
    module, *others = list(model)
    names = [type(m).__name__ for m in others if type(m).__name__ != "Normalize"]
    if names:
        raise ValueError(
            f"The modules {names} change the means of the word vectors and cannot be "
            "part of a table. Pass the first module, model[0], to ignore them."
        )
    return module


def _from_sentence_transformers(module: Any, unknown: str | None) -> WordVectors:
    tokenizer, weight = module.tokenizer, module.embedding.weight
    if unknown is None:
        spec = json.loads(tokenizer.to_str())["model"]
        if spec["type"] == "WordLevel" and spec["unk_token"] in spec["vocab"]:
            unknown = spec["unk_token"]
    words, tokens = _words_of(tokenizer, len(weight), unknown)
    return WordVectors(words, to_numpy(weight)[tokens], unknown=unknown)


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
    """Remove the mark that begins words, and add "##" to pieces of words.

    Punctuation usually follows a word, so its piece without the mark is taken.
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
