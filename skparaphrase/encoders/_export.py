"""Export of averages of word vectors as static models of other libraries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import re
from abc import ABC, abstractmethod
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from skparaphrase._core import JOINERS, MARKS, ORDINAL, folded
from skparaphrase._estimator import warn_caller
from skparaphrase._lazy import import_for
from skparaphrase._typing import FilePath, Vectors
from skparaphrase.storage._folders import new_folder, write_metadata, write_safetensors
from skparaphrase.text import WordTokenizer
from skparaphrase.text._tokenizer import TOKEN_PATTERNS

if TYPE_CHECKING:
    from skparaphrase.vectors import WordVectors

_ROOM = "sentence_transformers.models"
_MODULES = [  # the second one only with `norm="l2"`
    {"idx": 0, "name": "0", "path": "", "type": f"{_ROOM}.StaticEmbedding"},
    {"idx": 1, "name": "1", "path": "1_Normalize", "type": f"{_ROOM}.Normalize"},
]

_EXTRA = "'skparaphrase[interchange]'"

_MARK = "\u2581"  # precedes every token of the foreign vocabulary
_CONTINUES = "##"  # prevents tokens from starting inside a word

# Python's character classes and boundaries in the syntax of Oniguruma, which
# `tokenizers` uses for regular expressions.
_WORD = r"[\p{L}\p{N}_]"
_MARKS = r"[\p{Mn}\p{Mc}\x{200c}\x{200d}&&[^\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}]]"
_INNER = rf"(?:{_WORD}|{_MARKS})"
_DIGIT = r"\p{Nd}"
_ONIGURUMA = {
    f"[{MARKS}]": _MARKS,
    r"\w": _WORD,
    r"\W": r"[^\p{L}\p{N}_]",
    r"\d": _DIGIT,
    r"\s": r"[\s\x1c-\x1f]",
    r"\b": rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    r"\u2019": r"\x{2019}",
}
# The final sigma of Greek words: `tokenizers` does not lower-case to it.
_FINAL_SIGMA = r"(?<=\p{Cased}\p{Case_Ignorable}*)Σ(?!\p{Case_Ignorable}*\p{Cased})"


class StaticEncoder(ABC):
    """Base class of encoders that average weighted word vectors.

    Other libraries can load such an encoder as a static model.
    """

    pooling: str
    norm: str | None

    @abstractmethod
    def _tokenizer(self) -> Any:
        """The tokenizer that splits texts into words."""

    @abstractmethod
    def _static_parts(self) -> "tuple[WordVectors, Vectors | None]":
        """The table that is averaged, and the weights of its words or None."""

    def to_model2vec(self, folder: FilePath) -> None:
        """Write a folder that model2vec and sentence-transformers load.

        `model2vec.StaticModel.from_pretrained(folder)` and
        `SentenceTransformer(folder)` then give the same vectors, up to rounding:
        weights are multiplied into the vectors, and words are found in the same way.
        Unknown words have no token there, or the token "\u2581" if the table has one
        vector for all of them. Vectors from n-grams are left out, with a warning.
        Characters that are not in this Python's Unicode version may be letters there.

        Compounds and codes that the table lacks are split into words and numbers by a
        simpler rule than in :class:`~skparaphrase.text.WordTokenizer`. It also splits
        codes of more than four parts ("kdl40v3000x"), "12th" and "1.7" inside a
        compound ("12th-largest"), and compounds without a known part. With
        `split_compounds=False` all vectors are the same.

        Those libraries support only plain averages. An encoder with
        `pooling="distinct"` is exported as if it had `pooling="mean"`, with a warning.

        Words that cannot occur in a text (such as words with capitals if the encoder
        lower-cases) are left out. Steps that follow the encoder, such as
        :class:`~skparaphrase.decomposition.CommonComponentRemoval`, are not included.
        Releases of model2vec that ignore `max_length` in the folder truncate texts
        after 512 tokens, unless `encode` is called with `max_length=None`.

        Parameters
        ----------
        folder : path-like
            Folder to write. It is written completely or not at all, and replaces an
            earlier one.

        Raises
        ------
        ValueError
            If the `tokenizer` is a function or has a custom pattern, or if `folder`
            contains other files.
        ImportError
            If tokenizers is not installed: `pip install 'skparaphrase[interchange]'`.

        See Also
        --------
        skparaphrase.vectors.import_word_vectors : The reverse.

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
        foreign, matrix = _static_model(self, "to_model2vec")
        # Without max_length, model2vec truncates texts after 512 tokens.
        is_unit = self.norm == "l2"
        config = {"model_type": "model2vec", "normalize": is_unit, "max_length": None}
        modules = _MODULES[: 1 + is_unit]
        with new_folder(folder) as new:
            write_safetensors(new / "model.safetensors", {"embeddings": matrix})
            foreign.save(str(new / "tokenizer.json"), pretty=False)
            for name, content in (("config", config), ("modules", modules)):
                text = json.dumps(content, indent=1) + "\n"
                (new / f"{name}.json").write_text(text, encoding="ascii")
            write_metadata(new, kind="model2vec", encoder=type(self).__name__)

    def to_static_embedding(self) -> Any:
        """Convert the encoder to a module of sentence-transformers.

        `SentenceTransformer(modules=[encoder.to_static_embedding()])` gives the same
        vectors, up to rounding and `norm`, and can be trained further. With
        `norm="l2"`, add the module `Normalize()`. See :meth:`to_model2vec`.

        Returns
        -------
        module : sentence_transformers.sentence_transformer.modules.StaticEmbedding
            It has a copy of the vectors, on the CPU.

        Raises
        ------
        ValueError
            As in :meth:`to_model2vec`.
        ImportError
            If sentence-transformers is not installed:
            `pip install 'skparaphrase[interchange]'`.

        See Also
        --------
        skparaphrase.vectors.import_word_vectors : The reverse.
        """
        caller = "to_static_embedding"
        room = "sentence_transformers"
        try:
            modules = import_for(caller, f"{room}.sentence_transformer.modules", _EXTRA)
        except ImportError:  # before version 6
            modules = import_for(caller, f"{room}.models", _EXTRA)
        foreign, matrix = _static_model(self, caller)
        return modules.StaticEmbedding(foreign, embedding_weights=matrix)


def _static_model(
    encoder: StaticEncoder, caller: str
) -> tuple[Any, NDArray[np.float32]]:
    """A tokenizer of `tokenizers`, and the vector of each of its tokens."""
    check_is_fitted(encoder)
    if encoder.pooling != "mean":  # other libraries cannot weight the words of a text
        warn_caller(
            f"{caller} exports a plain average, as with pooling='mean', because other "
            f"libraries do not support pooling={encoder.pooling!r}."
        )
    tokenizer = encoder._tokenizer()
    vectors, weights = encoder._static_parts()
    if type(tokenizer) is not WordTokenizer or tokenizer.pattern not in TOKEN_PATTERNS:
        raise ValueError(
            f"{caller} can export only a WordTokenizer with pattern 'words' or 'ptb'; "
            f"the tokenizer is {tokenizer!r}."
        )
    package = import_for(caller, "tokenizers", _EXTRA)
    rows = [i for i, w in enumerate(vectors.words) if _can_occur(w, tokenizer)]
    words = [vectors.words[i] for i in rows]
    if vectors.unknown_row is not None:
        rows.append(vectors.unknown_row)
    if not rows:
        raise ValueError("The tokenizer cannot return any word of the table.")
    matrix = vectors.rows(np.array(rows))
    if weights is not None:
        matrix *= weights[rows].astype(np.float32)[:, np.newaxis]
    has_unknown = vectors.unknown_row is not None
    if vectors.unknown is not None and not has_unknown:
        warn_caller(
            f"{caller} does not export the vectors of unknown words, which come from "
            f"unknown={vectors.unknown!r}."
        )
    return _foreign_tokenizer(package, tokenizer, words, has_unknown), matrix


def _can_occur(word: str, tokenizer: WordTokenizer) -> bool:
    """Whether a text can contain `word`; True if in doubt."""
    if folded(word, tokenizer.lowercase) != word:
        return False
    has_space = word.split() != [word]
    return not has_space and not re.search("[\ud800-\udfff]", word)


def _foreign_tokenizer(
    package: Any, tokenizer: WordTokenizer, words: list[str], has_unknown: bool
) -> Any:
    """A tokenizer of `tokenizers` whose vocabulary is `words` and the unknown token.

    The model is a BPE without merges: a token in the vocabulary is kept, and any other
    is looked up character by character, without those missing from the vocabulary. All
    tokens start with a mark, and the later characters of a token are looked up with
    another mark. At most the first mark is found, if there is an unknown token. (A
    WordLevel model would return a token for every unknown word, which some callers
    count.)
    """
    regex, normalizers = package.Regex, package.normalizers
    split = package.pre_tokenizers.Split
    spare = _spare_character(words)
    replaced = [normalizers.Replace(_MARK, spare)]
    if tokenizer.lowercase:
        final_sigma = normalizers.Replace(regex(_FINAL_SIGMA), "ς")
        replaced = [final_sigma, normalizers.Lowercase(), *replaced]
    replaced = [normalizers.NFC(), *replaced]
    words = [word.replace(_MARK, spare) for word in words]
    steps = [_token_pattern(tokenizer.pattern)]
    if tokenizer.split_compounds:
        steps.append(_parts(words))
    vocabulary = [_MARK + word for word in words]
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
    splits = [split(regex(step), "removed", invert=True) for step in steps]
    marked = package.pre_tokenizers.Metaspace(
        _MARK, prepend_scheme="always", split=False
    )
    foreign.pre_tokenizer = package.pre_tokenizers.Sequence([*splits, marked])
    return foreign


def _spare_character(words: list[str]) -> str:
    """A noncharacter code point that no word contains."""
    used = set().union(*words)
    return next(c for c in map(chr, range(0xFDD0, 0xFDF0)) if c not in used)


# Regular expressions ---------------------------------------------------------------


def _token_pattern(name: str) -> str:
    """A named token pattern as a regular expression of Oniguruma."""
    pattern = TOKEN_PATTERNS[name]
    for python, oniguruma in _ONIGURUMA.items():
        pattern = pattern.replace(python, oniguruma)
    return pattern


def _parts(words: list[str]) -> str:
    """Match the numbers and words of a token, or all of it if the table has it.

    This is nearly the same as `split_compounds`. Here, however, "co2" and "12th" stay
    whole only as separate tokens, "1.7" only if the table has it, and codes of many
    parts are always split.
    """
    joiners, letter = re.escape("".join(JOINERS)), rf"(?:(?!{_DIGIT}){_INNER})"
    compounds = sorted(word for word in words if re.search(rf"[{joiners}\d]", word))
    plain = rf"[^{joiners}\p{{Nd}}]+|{letter}{{1,3}}{_DIGIT}|{ORDINAL}"
    return (
        rf"\A(?:{plain}|{_any_of(compounds)})\z|{_DIGIT}+|(?!{_DIGIT}){_WORD}{letter}*"
    )


def _any_of(words: list[str]) -> str:
    """A regular expression of sorted words; their shared beginnings make it fast."""
    if len(words) == 1:
        return re.escape(words[0])
    groups = groupby(words, key=lambda word: word[:1])
    branches = (
        re.escape(first) + _any_of([word[1:] for word in same]) if first else ""
        for first, same in groups
    )
    return f"(?:{'|'.join(branches)})"
