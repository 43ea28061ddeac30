"""Averages of word vectors as static models of other libraries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import re
from importlib import import_module
from itertools import groupby
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from skparaphrase._estimator import warn_caller
from skparaphrase.storage._folders import new_folder, write_metadata
from skparaphrase.text import TOKEN_PATTERNS, WordTokenizer
from skparaphrase.text._tokenizer import JOINERS
from skparaphrase.vectors import WordVectors

_FORMAT_VERSION = 1
_MODULE = "sentence_transformers.models.StaticEmbedding"
_MODULES = [{"idx": 0, "name": "0", "path": "", "type": _MODULE}]

_MARK = "\u2581"  # precedes every token of the foreign vocabulary
_CONTINUES = "##"  # so that no token can start inside a word

# Python's classes of characters, for the regular expressions of Oniguruma.
_WORD = r"[\p{L}\p{N}_]"
_CLASSES = {
    "w": _WORD,
    "W": r"[^\p{L}\p{N}_]",
    "d": r"\p{Nd}",
    "D": r"\P{Nd}",
    "s": r"[\s\x1c-\x1f]",
    "S": r"[^\s\x1c-\x1f]",
}
_PLACES = {
    "b": rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    "B": rf"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
    "A": r"\A",
    "Z": r"\z",
    "^": r"\A",
    "$": r"(?=\n?\z)",
}
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ITEM = re.compile(
    r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})"
    r"|\\.|\(\?(?:<[=!]|[:=!])|\(\?|\[\^?\]?|.",
    re.DOTALL,
)
# The Greek s at the end of words, which the lower-casing of `tokenizers` lacks.
_FINAL_SIGMA = r"(?<=\p{Cased}\p{Case_Ignorable}*)Σ(?!\p{Case_Ignorable}*\p{Cased})"


def save_model2vec(
    folder: str | PathLike[str],
    tokenizer: WordTokenizer,
    vectors: WordVectors,
    weights: NDArray[np.floating] | None,
    *,
    encoder: str,
) -> None:
    """Write a static model; see `AveragingEncoder.to_model2vec`."""
    foreign, matrix = _static_model("to_model2vec", tokenizer, vectors, weights)
    # Without max_length, model2vec truncates texts after 512 tokens.
    config = {"model_type": "model2vec", "normalize": False, "max_length": None}
    with new_folder(folder) as new:
        save_file({"embeddings": matrix}, new / "model.safetensors")
        foreign.save(str(new / "tokenizer.json"), pretty=False)
        for name, content in (("config", config), ("modules", _MODULES)):
            text = json.dumps(content, indent=1) + "\n"
            (new / f"{name}.json").write_text(text, encoding="ascii")
        write_metadata(new, kind="model2vec", version=_FORMAT_VERSION, encoder=encoder)


def static_embedding(
    tokenizer: WordTokenizer, vectors: WordVectors, weights: NDArray[np.floating] | None
) -> Any:
    """A static model as a module of sentence-transformers."""
    caller = "to_static_embedding"
    try:
        modules = _import("sentence_transformers.sentence_transformer.modules", caller)
    except ImportError:  # before version 6
        modules = _import("sentence_transformers.models", caller)
    foreign, matrix = _static_model(caller, tokenizer, vectors, weights)
    return modules.StaticEmbedding(foreign, embedding_weights=matrix)


def _static_model(
    caller: str,
    tokenizer: WordTokenizer,
    vectors: WordVectors,
    weights: NDArray[np.floating] | None,
) -> tuple[Any, NDArray[np.float32]]:
    """A tokenizer of `tokenizers`, and the vector of each of its tokens."""
    if type(tokenizer) is not WordTokenizer:
        raise ValueError(
            f"{caller} cannot export the function in tokenizer=: other libraries need "
            "the pattern of a WordTokenizer."
        )
    package = _import("tokenizers", caller)
    rows = [i for i, w in enumerate(vectors.words) if _can_occur(w, tokenizer)]
    words = [vectors.words[i] for i in rows]
    if vectors.unknown_row is not None:
        rows.append(vectors.unknown_row)
    if not rows:
        raise ValueError("No word of the table can occur in a text.")
    matrix = vectors.rows(np.array(rows))
    if weights is not None:
        matrix *= weights[rows].astype(np.float32)[:, np.newaxis]
    has_unknown = vectors.unknown_row is not None
    if vectors.unknown is not None and not has_unknown:
        warn_caller(
            f"{caller} leaves out what unknown={vectors.unknown!r} makes of unknown "
            "words: there, they have no vector."
        )
    return _foreign_tokenizer(package, tokenizer, words, has_unknown), matrix


def _import(name: str, caller: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0].replace("_", "-")
        raise ImportError(
            f"{caller} needs {package}: pip install 'skparaphrase[interchange]'"
        ) from error


def _can_occur(word: str, tokenizer: WordTokenizer) -> bool:
    """Whether a text can contain `word`; True in case of doubt."""
    if tokenizer.lowercase and word.lower() != word:
        return False
    if tokenizer.pattern in TOKEN_PATTERNS and word.split() != [word]:
        return False  # white space
    return word != "" and not re.search("[\ud800-\udfff]", word)


def _foreign_tokenizer(
    package: Any, tokenizer: WordTokenizer, words: list[str], has_unknown: bool
) -> Any:
    """The tokenizer for `tokenizers`; its vocabulary is `words`, then the unknown.

    The model is a BPE without merges: a token in the vocabulary is kept, and any other
    is looked up character by character; characters missing from the vocabulary vanish.
    All tokens start with a mark, and the later characters of a token are looked up with
    another, so that at most the mark is found, if there is an unknown. (A WordLevel
    model would give a token for every unknown word, which some callers count.)
    """
    regex, normalizers = package.Regex, package.normalizers
    split = package.pre_tokenizers.Split
    spare = _spare_character(words)
    replaced = [normalizers.Replace(_MARK, spare)]
    if tokenizer.lowercase:
        final_sigma = normalizers.Replace(regex(_FINAL_SIGMA), "ς")
        replaced = [final_sigma, normalizers.Lowercase(), *replaced]
    words = [word.replace(_MARK, spare) for word in words]
    pattern = TOKEN_PATTERNS.get(tokenizer.pattern, tokenizer.pattern)
    steps = [_translated(pattern)]
    if tokenizer.split_compounds:
        steps.append(_compounds(words, has_unknown))
    vocabulary = [_MARK + word.replace(" ", _MARK) for word in words]
    if has_unknown:
        vocabulary.append(_MARK)
    model = package.models.BPE(
        vocab={token: i for i, token in enumerate(vocabulary)},
        merges=[],
        ignore_merges=True,
        continuing_subword_prefix=_CONTINUES,
    )
    foreign = package.Tokenizer(model)
    foreign.normalizer = normalizers.Sequence(replaced)
    try:
        splits = [split(regex(step), "removed", invert=True) for step in steps]
    except Exception as error:  # of no narrower class
        raise ValueError(
            f"pattern {pattern!r} has no equivalent in tokenizers: {error}"
        ) from error
    marked = package.pre_tokenizers.Metaspace(
        _MARK, prepend_scheme="always", split=False
    )
    foreign.pre_tokenizer = package.pre_tokenizers.Sequence([*splits, marked])
    return foreign


def _spare_character(words: list[str]) -> str:
    """A code point that is no character, and that no word holds."""
    used = set().union(*words)
    return next(c for c in map(chr, range(0xFDD0, 0xFDF0)) if c not in used)


# Regular expressions ---------------------------------------------------------------


def _translated(pattern: str) -> str:
    r"""A regular expression of Python for Oniguruma, with Python's \w, \s and \b.

    Raises
    ------
    ValueError
        If it has groups, flags, backreferences or other things that differ.
    """

    def refuse(why: str) -> ValueError:
        return ValueError(
            f"pattern {pattern!r} cannot be exported to tokenizers: {why}."
        )

    python = re.compile(pattern)
    if python.groups or python.flags != re.compile("").flags:
        raise refuse("it has a capturing group or a flag")
    if python.fullmatch(""):
        raise refuse("it matches the empty string")
    if any(python.match(f" {chr(code)}") for code in range(128)):
        raise refuse("its tokens may begin with a space")
    if re.search(r"\}\+", pattern):
        raise refuse("}+ means something else there")
    out = []
    in_class = False
    for item in _ITEM.finditer(pattern.removeprefix("(?u)")):
        text = item[0]
        code = item[1] or item[2] or item[3]
        if code is not None:
            out.append(_literal(chr(int(code, 16))))
        elif text[0] == "\\":
            name = text[1]
            if name in _CLASSES:
                out.append(_CLASSES[name])
            elif name in _PLACES and not in_class:
                out.append(_PLACES[name])
            elif name in _CONTROLS:
                out.append(_literal(chr(_CONTROLS[name])))
            elif name.isascii() and name.isalnum():
                raise refuse(f"{text} means something else there")
            else:
                out.append(_literal(name))
        elif in_class:
            in_class = text != "]"
            out += [f"\\{c}" if c in "[&^" else c for c in text]
            # An opening bracket takes a closing one along, which closes here.
            in_class = in_class and not text.endswith("]")
        elif text[0] == "[":
            in_class = True
            out.append(text.replace("]", r"\]"))
        elif text == "(?":
            raise refuse("of (?...) only (?:...) and looking around are known there")
        else:
            out.append(_PLACES.get(text, text) if text in "^$" else text)
    return "".join(out)


def _compounds(words: list[str], has_unknown: bool) -> str:
    """Matches the parts of compounds, and tokens whole that have none to look up.

    A token without joiner, or one of the vocabulary, is whole. The others fall into
    all their parts; if unknown words have a vector into the known parts, or are whole
    where no part is known.
    """
    joiners = "".join(map(_literal, sorted(JOINERS)))
    compounds = [word for word in words if not JOINERS.isdisjoint(word)]
    whole = rf"\A[^{joiners}]+\z"
    if compounds:
        whole += rf"|\A{_any_of(compounds)}\z"
    parts = [word for word in words if re.fullmatch(r"\w+", word)]
    if not has_unknown:
        return rf"{whole}|{_WORD}+"
    if not parts:
        return rf"{whole}|(?m:.)+"
    bounds = rf"(?<!{_WORD})", rf"(?!{_WORD})"
    known = rf"{bounds[0]}(?<known>{_any_of(parts)}){bounds[1]}"
    again = rf"{bounds[0]}\g<known>{bounds[1]}"
    return rf"{whole}|{known}|\A(?!(?m:.)*{again})(?m:.)+"


def _any_of(words: list[str]) -> str:
    """A regular expression of many words, beginnings shared: quick to match."""
    words = sorted(words)
    ends_here = words[0] == ""
    alternatives = []
    for _, group in groupby(words[ends_here:], key=lambda word: word[0]):
        same = list(group)
        first, last = same[0], same[-1]  # in order: what they share, all share
        differs = (a != b for a, b in zip(first, last, strict=False))
        n_shared = next((i for i, d in enumerate(differs) if d), len(first))
        more = _any_of([word[n_shared:] for word in same]) if len(same) > 1 else ""
        alternatives.append("".join(map(_literal, first[:n_shared])) + more)
    return f"(?:{'|'.join(alternatives)}){'?' if ends_here else ''}"


def _literal(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    return f"\\x{{{ord(character):x}}}"
