"""Tables of static models: tokens of a foreign tokenizer as words."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CONTINUES = "##"  # WordPiece's mark of what goes on with a word


def model2vec_table(model: Any, unknown: str | None) -> dict[str, Any]:
    """The table of a `StaticModel`; see `WordVectors.from_model2vec`."""
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
        scale = np.ones(len(matrix), dtype=np.float32)  # model2vec takes them as such
    return {"words": words, "matrix": matrix, "scale": scale, "unknown": unknown}


def static_embedding_table(model: Any, unknown: str | None) -> dict[str, Any]:
    """The table of a `StaticEmbedding`; see `WordVectors.from_sentence_transformers`.

    Its mean counts unknown tokens too, so that they have to keep their vector.
    """
    module = model
    if hasattr(model, "modules") and hasattr(model, "__getitem__"):
        module, *others = list(model)
        names = [type(m).__name__ for m in others if type(m).__name__ != "Normalize"]
        if names:
            raise ValueError(
                f"The modules {names} change the means of the word vectors, and are "
                "not part of a table. Give the first module, model[0], to do without."
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
    return {"words": words, "matrix": to_numpy(weight)[tokens], "unknown": unknown}


def _words_of(
    tokenizer: Any, n_tokens: int, unknown: str | None
) -> tuple[list[str], NDArray[np.intp]]:
    """Words of a tokenizer of `tokenizers`, and the identifiers of their tokens."""
    spec = json.loads(tokenizer.to_str())
    special = {token["content"] for token in spec["added_tokens"] if token["special"]}
    special |= {_unknown_token(spec["model"])}
    tokens = {
        piece: token
        for piece, token in tokenizer.get_vocab().items()
        if token < n_tokens and (piece not in special or piece == unknown)
    }
    parts = [spec.get(part) for part in ("normalizer", "pre_tokenizer", "decoder")]
    if any(part["type"] == "ByteLevel" for part in _components(parts)):
        tokens = _spelled(tokens, " ", unknown, _decode_bytes)
    else:
        marks: list[str] = [
            part["replacement"] if part["type"] == "Metaspace" else part["prepend"]
            for part in _components(parts)
            if part["type"] in ("Metaspace", "Prepend")
        ]
        if marks:
            tokens = _spelled(tokens, marks[0], unknown, str)
    words = sorted(tokens, key=tokens.__getitem__)
    return words, np.array([tokens[word] for word in words], dtype=np.intp)


def _unknown_token(model: dict[str, Any]) -> str | None:
    if model.get("unk_id") is not None:  # Unigram
        return model["vocab"][model["unk_id"]][0]
    return model.get("unk_token")


def _components(parts: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """All components of a tokenizer, those in sequences as well."""
    for part in parts:
        if part is not None:
            yield part
            for key in ("normalizers", "pretokenizers", "decoders"):
                yield from _components(part.get(key, ()))


def _spelled(
    tokens: dict[str, int], mark: str, unknown: str | None, decode: Callable[[str], str]
) -> dict[str, int]:
    """Words without the mark of their beginning, and pieces of words with "##".

    Punctuation follows a word mostly, so that there the piece without mark is taken.
    """
    words: dict[str, int] = {}
    pieces: dict[str, int] = {}
    for token, row in tokens.items():
        piece = token if token == unknown else decode(token)
        if token != unknown and len(piece) > 1 and piece.startswith(mark):
            words.setdefault(piece.removeprefix(mark), row)
        elif token == unknown or not any(map(str.isalnum, piece)):
            pieces[piece] = row
        else:
            pieces[_CONTINUES + piece] = row
    return words | pieces


def _decode_bytes(piece: str) -> str:
    """What a byte-level token spells; itself, if that is part of a character."""
    try:
        return bytes(map(_BYTES.__getitem__, piece)).decode("utf-8")
    except (KeyError, UnicodeDecodeError):
        return piece


def _bytes_of_characters() -> dict[str, int]:
    """The characters that byte-level tokenizers write for bytes (GPT-2's table)."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {
        chr(256 + i): byte for i, byte in enumerate(others)
    }


_BYTES = _bytes_of_characters()


def to_numpy(array: Any) -> NDArray[Any]:
    """An array of NumPy, torch or CuPy as NumPy's."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        if str(array.dtype) == "torch.bfloat16":  # NumPy has none
            array = array.float()
    elif hasattr(array, "__cuda_array_interface__"):
        array = array.get()
    return np.asarray(array)
