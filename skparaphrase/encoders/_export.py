"""Averages of word vectors as static models of other libraries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import json
import re
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from skparaphrase._core import CHUNKS, JOINERS, MARKS, MOST_RUNS, ORDINAL, WORD, folded
from skparaphrase._estimator import warn_caller
from skparaphrase._lazy import import_for
from skparaphrase._typing import FilePath, Vectors
from skparaphrase.storage._folders import new_folder, write_metadata, write_safetensors
from skparaphrase.text import WordTokenizer
from skparaphrase.text._tokenizer import TOKEN_PATTERNS

if TYPE_CHECKING:
    from skparaphrase.vectors import WordVectors

_ROOM = "sentence_transformers.models"
_MODULES = [  # the second one with `norm="l2"` only
    {"idx": 0, "name": "0", "path": "", "type": f"{_ROOM}.StaticEmbedding"},
    {"idx": 1, "name": "1", "path": "1_Normalize", "type": f"{_ROOM}.Normalize"},
]

_EXTRA = "'skparaphrase[interchange]'"

_MARK = "\u2581"  # precedes every token of the foreign vocabulary
_CONTINUES = "##"  # so that no token can start inside a word

# Python's character classes and boundaries in the syntax of Oniguruma, the regular
# expressions of `tokenizers`.
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
_JOINERS = re.escape("".join(JOINERS))
# The Greek s at the end of words, whose own lower case `tokenizers` lacks.
_FINAL_SIGMA = r"(?<=\p{Cased}\p{Case_Ignorable}*)Σ(?!\p{Case_Ignorable}*\p{Cased})"


class StaticEncoder(Protocol):
    """An encoder that averages weighted word vectors."""

    pooling: str
    norm: str | None

    def _tokenizer(self) -> Any: ...

    def _static_parts(self) -> "tuple[WordVectors, Vectors | None]": ...


def to_model2vec(self: StaticEncoder, folder: FilePath) -> None:
    """Write a folder that model2vec and sentence-transformers load.

    `model2vec.StaticModel.from_pretrained(folder)` and
    `SentenceTransformer(folder)` then give the same vectors, up to rounding:
    weights are multiplied into the vectors, and words are found in the same way,
    including the parts of compounds and codes. Unknown words have no token there, or
    the token "\u2581" if the table has one vector for all of them; vectors made of
    n-grams or hashes are left out, with a warning. Characters that this Python's
    Unicode version does not know may be letters there.

    Those libraries know plain averages only: an encoder with `pooling="distinct"` is
    exported as one with `pooling="mean"`, with a warning.

    Words that no text can contain (with capitals, if the encoder lower-cases) are
    left out. Steps that follow the encoder, such as
    :class:`~skparaphrase.decomposition.CommonComponentRemoval`, are not included.
    Releases of model2vec that do not know `max_length` in the folder truncate texts
    after 512 tokens, unless `encode` is given `max_length=None`. The compounds of
    the table become a regular expression: with 100,000 of them a folder takes some
    seconds to open, which `WordTokenizer(split_compounds=False)` avoids.

    Parameters
    ----------
    folder : path-like
        Appears whole or not at all, and replaces an earlier one.

    Raises
    ------
    ValueError
        If the `tokenizer` is a function or has a pattern of its own, or if `folder`
        contains something else.
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


def to_static_embedding(self: StaticEncoder) -> Any:
    """Convert the encoder to a module of sentence-transformers.

    `SentenceTransformer(modules=[encoder.to_static_embedding()])` gives the same
    vectors, up to rounding and `norm`, and can be trained further: with `norm="l2"`,
    add the module `Normalize()`. See :meth:`to_model2vec`.

    Returns
    -------
    module : sentence_transformers.sentence_transformer.modules.StaticEmbedding
        With a copy of the vectors, on the CPU.

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
    if encoder.pooling != "mean":  # other libraries cannot weigh words inside a text
        warn_caller(
            f"{caller} exports a plain average: other libraries do not know pooling="
            f"{encoder.pooling!r}. Their vectors are those of pooling='mean'."
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
        raise ValueError("The tokenizer can return no word of the table.")
    matrix = vectors.rows(np.array(rows))
    if weights is not None:
        matrix *= weights[rows].astype(np.float32)[:, np.newaxis]
    has_unknown = vectors.unknown_row is not None
    if vectors.unknown is not None and not has_unknown:
        warn_caller(
            f"{caller} does not export the vectors that "
            f"unknown={vectors.unknown!r} makes for unknown words."
        )
    return _foreign_tokenizer(package, tokenizer, words, has_unknown), matrix


def _can_occur(word: str, tokenizer: WordTokenizer) -> bool:
    """Whether a text can contain `word`; True in case of doubt."""
    if folded(word, tokenizer.lowercase) != word:
        return False
    has_space = word.split() != [word]
    return not has_space and not re.search("[\ud800-\udfff]", word)


def _foreign_tokenizer(
    package: Any, tokenizer: WordTokenizer, words: list[str], has_unknown: bool
) -> Any:
    """The tokenizer for `tokenizers`, with `words` and the unknown as vocabulary.

    The model is a BPE without merges: a token in the vocabulary is kept, and any other
    is looked up character by character, without those missing from the vocabulary. All
    tokens start with a mark, and the later characters of a token are looked up with
    another, so that at most the mark is found, if there is an unknown. (A WordLevel
    model would return a token for every unknown word, which some callers count.)
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
        steps += [_runs(words), _compounds(words, has_unknown)]
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


def _runs(words: list[str]) -> str:
    """Match the numbers and letters of tokens that have both, and others as a whole.

    Tokens in the vocabulary, and parts of tokens that are, stay whole, as do one to
    three letters with a digit, and ordinals.
    """
    mixed = [word for word in words if re.search(r"\d.*[^\W\d]|[^\W\d].*\d", word)]
    parts = [word for word in mixed if CHUNKS.fullmatch(word)]
    joiner = f"[{_JOINERS}]"
    letter = rf"(?:(?!{_DIGIT}){_INNER})"
    wholes = rf"{letter}{{1,3}}{_DIGIT}|{ORDINAL}"
    if parts:
        wholes += "|" + _any_of(parts)
    start = rf"(?<!{_INNER})(?!(?<={_DIGIT}{joiner}){_DIGIT})"
    end = rf"(?!{_INNER}|(?<={_DIGIT}){joiner}{_DIGIT})"
    run = rf"{start}(?:{wholes}){end}|{_DIGIT}+(?:{joiner}{_DIGIT}+)*|{letter}+"
    whole = r"\A\P{Nd}+\z|" + (rf"\A{_any_of(mixed)}\z|" if mixed else "")
    of_a_kind = "".join(
        rf"(?!(?:{joiner}*(?{begins}{_DIGIT})\g<run>)+{joiner}*\z)" for begins in "=!"
    )
    apart = rf"{of_a_kind}(?:{joiner}*\g<run>){{2,{MOST_RUNS}}}{joiner}*\z"
    return rf"{whole}\A(?!{apart})(?m:.)+|(?<run>(?>{run}))"


def _compounds(words: list[str], has_unknown: bool) -> str:
    """Match the parts of compounds, and other tokens as a whole.

    A token without a joiner, or in the vocabulary, stays whole. Others are split into
    all their parts or, if unknown words have a vector, into the known parts; they stay
    whole if no part is known.
    """
    compounds = [word for word in words if not JOINERS.isdisjoint(word)]
    whole = rf"\A[^{_JOINERS}]+\z"
    if compounds:
        whole += rf"|\A{_any_of(compounds)}\z"
    parts = [word for word in words if re.fullmatch(WORD, word)]
    if not has_unknown:
        return rf"{whole}|{_WORD}{_INNER}*"
    if not parts:
        return rf"{whole}|(?m:.)+"
    bounds = rf"(?<!{_WORD}{_MARKS}*)", rf"(?!{_INNER})"
    known = rf"{bounds[0]}(?<known>{_any_of(parts)}){bounds[1]}"
    again = rf"{bounds[0]}\g<known>{bounds[1]}"
    return rf"{whole}|{known}|\A(?!(?m:.)*{again})(?m:.)+"


def _any_of(words: list[str]) -> str:
    """A regular expression of many words; shared prefixes make it fast."""
    words = sorted(words)
    ends_here = words[0] == ""
    alternatives = []
    for _, group in groupby(words[ends_here:], key=lambda word: word[0]):
        same = list(group)
        ends = zip(same[0], same[-1], strict=False)  # sorted: they share what all share
        prefix = [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], ends)]
        more = _any_of([word[len(prefix) :] for word in same]) if len(same) > 1 else ""
        alternatives.append("".join(map(_literal, prefix)) + more)
    return f"(?:{'|'.join(alternatives)}){'?' if ends_here else ''}"


def _literal(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    return f"\\x{{{ord(character):x}}}"
