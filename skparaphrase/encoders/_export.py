"""Averaging encoders as static models of other libraries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import re
from importlib import import_module
from itertools import groupby
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from sklearn.utils.validation import check_is_fitted

from skparaphrase._persistence import new_folder, write_metadata
from skparaphrase.text import TOKEN_PATTERNS, WordTokenizer
from skparaphrase.text._lookup import JOINERS
from skparaphrase.vectors import WordVectors

_FORMAT_VERSION = 1
_MODULES = [
    {
        "idx": 0,
        "name": "0",
        "path": "",
        "type": "sentence_transformers.models.StaticEmbedding",
    }
]

_MARK = "\u2581"  # stands before every token of the foreign vocabulary
_CONTINUES = "##"  # so that no token can begin within a word

# Classes of characters as Python has them, for the regular expressions of Oniguruma.
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
# Greek's other s, at the ends of words; the lower-casing of `tokenizers` lacks it.
_FINAL_SIGMA = r"(?<=\p{Cased}\p{Case_Ignorable}*)Σ(?!\p{Case_Ignorable}*\p{Cased})"


class StaticExport:
    """Export of encoders that average word vectors, with or without weights."""

    if TYPE_CHECKING:

        def _word_vectors(self) -> WordVectors: ...

        def _word_weights(self) -> NDArray[np.floating] | None: ...

        def _tokenizer(self) -> WordTokenizer: ...

    def to_model2vec(self, folder: str | PathLike[str]) -> None:
        """Write a folder that model2vec and sentence-transformers load.

        `model2vec.StaticModel.from_pretrained(folder)` and
        `SentenceTransformer(folder)` then give the same vectors, to rounding: weights
        are part of the vectors, and the words of a text are found in the same way,
        compounds in parts included. Unknown words have no token there, or the token
        "\u2581" if the table has a vector for them. Characters that this Python's
        Unicode does not know yet may be letters there.

        Words that no text can meet (with capitals, if the encoder lower-cases) are
        left out. Steps that follow the encoder, such as
        :class:`~skparaphrase.decomposition.CommonComponentRemoval`, are not included.
        Releases of model2vec that do not know `max_length` in the folder cut texts
        after 512 tokens, unless `encode` is given `max_length=None`.
        Compounds of the table are part of a regular expression: with 100,000 of them a
        folder takes some seconds to open, which `split_compounds=False` saves.

        Parameters
        ----------
        folder : path-like
            Appears whole or not at all, and replaces one that was written before.

        Raises
        ------
        ValueError
            If the encoder has a `tokenizer` of its own, or a `token_pattern` that has
            no equal there, or if `folder` holds something else.
        ImportError
            If tokenizers is not installed: `pip install 'skparaphrase[interchange]'`.

        See Also
        --------
        skparaphrase.vectors.WordVectors.from_model2vec : The way back.

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
        tokenizer, matrix = self._static_model("to_model2vec")
        # Without max_length, model2vec cuts texts after 512 tokens.
        config = {"model_type": "model2vec", "normalize": False, "max_length": None}
        with new_folder(folder) as new:
            save_file({"embeddings": matrix}, new / "model.safetensors")
            tokenizer.save(str(new / "tokenizer.json"), pretty=False)
            for name, content in (("config", config), ("modules", _MODULES)):
                text = json.dumps(content, indent=1) + "\n"
                (new / f"{name}.json").write_text(text, encoding="ascii")
            write_metadata(
                new,
                kind="model2vec",
                version=_FORMAT_VERSION,
                encoder=type(self).__name__,
            )

    def to_static_embedding(self) -> Any:
        """The encoder as a module of sentence-transformers.

        `SentenceTransformer(modules=[encoder.to_static_embedding()])` gives the same
        vectors, to rounding, and can be trained on. See :meth:`to_model2vec`.

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
        skparaphrase.vectors.WordVectors.from_sentence_transformers : The way back.
        """
        caller = "to_static_embedding"
        try:
            modules = _import(
                "sentence_transformers.sentence_transformer.modules", caller
            )
        except ImportError:  # before version 6
            modules = _import("sentence_transformers.models", caller)
        tokenizer, matrix = self._static_model(caller)
        return modules.StaticEmbedding(tokenizer, embedding_weights=matrix)

    def _static_model(self, caller: str) -> tuple[Any, NDArray[np.float32]]:
        """A tokenizer of `tokenizers`, and the vector of each of its tokens."""
        check_is_fitted(self)
        if self._tokenizer().tokenizer is not None:
            raise ValueError(
                f"{caller} cannot take the function in tokenizer= along: other "
                "libraries need a token_pattern."
            )
        package = _import("tokenizers", caller)
        vectors, tokenizer = self._word_vectors(), self._tokenizer()
        rows = [i for i, w in enumerate(vectors.words) if _can_occur(w, tokenizer)]
        words = [vectors.words[i] for i in rows]
        if vectors.unknown_row is not None:
            rows.append(vectors.unknown_row)
        if not rows:
            raise ValueError("No word of the table can occur in a text.")
        matrix = vectors.rows(np.array(rows))
        weights = self._word_weights()
        if weights is not None:
            matrix *= weights[rows].astype(np.float32)[:, np.newaxis]
        has_unknown = vectors.unknown is not None
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
    """Whether a text can hold `word`, as far as is easily told."""
    if tokenizer.lowercase and word.lower() != word:
        return False
    if tokenizer.token_pattern in TOKEN_PATTERNS and word.split() != [word]:
        return False  # white space
    return word != "" and not re.search("[\ud800-\udfff]", word)


def _foreign_tokenizer(
    package: Any, tokenizer: WordTokenizer, words: list[str], has_unknown: bool
) -> Any:
    """The tokenizer for `tokenizers`; its vocabulary is `words`, then the unknown.

    The model is a BPE without merges: a token in the vocabulary is itself, and any
    other is looked up by characters, of which those that the vocabulary lacks vanish.
    All tokens begin with a mark, and the second and later characters of a token are
    looked up with another, so that only the mark is found, if there is an unknown. (A
    WordLevel model would give a token for every unknown word, and there are those who
    count it.)
    """
    regex, normalizers = package.Regex, package.normalizers
    split = package.pre_tokenizers.Split
    spare = _spare_character(words)
    replaced = [normalizers.Replace(_MARK, spare)]
    if tokenizer.lowercase:
        final_sigma = normalizers.Replace(regex(_FINAL_SIGMA), "ς")
        replaced = [final_sigma, normalizers.Lowercase(), *replaced]
    words = [word.replace(_MARK, spare) for word in words]
    pattern = TOKEN_PATTERNS.get(tokenizer.token_pattern, tokenizer.token_pattern)
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
            f"token_pattern {pattern!r} has no equal in tokenizers: {error}"
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
            f"token_pattern {pattern!r} cannot be taken along to tokenizers: {why}."
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
