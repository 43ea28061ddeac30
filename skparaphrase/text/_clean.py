"""Texts without markup, addresses, quoted replies and signatures."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import re
import unicodedata
from functools import cache
from html import unescape
from html.entities import html5
from typing import overload

import numpy as np
from numpy.typing import NDArray

from skparaphrase import _core
from skparaphrase._progress import progress_bar
from skparaphrase._typing import Texts
from skparaphrase.text._check import ANY, check_texts

_MOST_PASSES = 4  # over a text; only deliberately nested escapes need more

# No pattern below takes more than linear time: a match that fails stops at the next "<"
# or "&", or at the end of the word or line, and none is tried from inside a word.

_CONTROL = re.compile("[\0-\x08\x0e-\x1b\x7f]")
# Windows-1252 read as Latin-1, as in "don\x92t"; "\x85" also ends a line.
_WINDOWS = {
    code: bytes([code]).decode("cp1252", "ignore") or " "
    for code in range(0x80, 0xA0)
    if code != 0x85
}
# Format characters, variations and skin tones of emoji, trade marks
_INVISIBLE = re.compile(
    "[\xa9\xad\xae\u061c\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u20e3\u2120\u2122\ufe00-\ufe0f\ufeff"
    "\U0001f3fb-\U0001f3ff\U000e0000-\U000e007f]"
)
_EMOJI = re.compile(
    "([\u231a-\u23ff\u2600-\u2764\u2b50\u2b55\U0001f170-\U0001f19a\U0001f1e6-\U0001f1ff"
    "\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001faff])\\1*"
)
_QUOTES = dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc"), "'") | dict.fromkeys(
    map(ord, "\u201c\u201d\u201e\u201f"), '"'
)
_OF_NAMES = re.compile(
    r"\b(?:black|white|heavy|medium|large|negative|ornament|sign|squared|symbol)\b"
)

_ADDRESS = re.compile(
    r"<?(?:\b(?:https?|ftp)://|\bwww\.|\bmailto:)[^\s<>\"'()\[\]{}]++>?"
    r"|<?(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++>?",
    re.IGNORECASE,
)
_INLINE = (
    "a|abbr|b|bdi|bdo|big|cite|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strike"
    "|strong|sub|sup|tt|u|var|wbr"
)
# A text is HTML only if it contains one of these; others may have a "List<String>".
_IS_HTML = re.compile(
    rf"</?(?:{_INLINE}|blockquote|body|br|center|div|h[1-6]|head|hr|html|img|li|ol|p|pre"
    r"|script|style|table|td|th|title|tr|ul)\b[^<>]*+>|<!--|<!doctype\b",
    re.IGNORECASE,
)
_HIDDEN = re.compile(  # comments, and elements that are not text
    r"<!--(?:[^<-]++|<(?!!--)|-(?!->))*+-->"
    r"|<(?P<name>script|style)\b[^<>]*+>"
    r"[^<]*+(?:<(?!/?(?P=name)\b)[^<]*+)*+</(?P=name)\b[^<>]*+>",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"</?(?P<name>[a-z][\w:-]*+)(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+>"
    r"|<[/!?a-z][^<>]*+>",
    re.IGNORECASE,
)
_JOINS = re.compile(_INLINE, re.IGNORECASE)  # such a tag may occur inside a word
_QUOTE_TAG = re.compile(  # of Gmail, Outlook, Thunderbird
    r"<blockquote\b|<(?:div|p|pre|span|table)\b[^>]*?\s(?:class|id)=[\"']?(?:[\w -]* )?"
    r"(?:(?:gmail_|moz-|ms-outlook-mobile-)?signature|gmail_attr|moz-cite-prefix)"
    r"(?=[\"'\s>])",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:(#\d{1,7}|#x[0-9a-f]{1,6})|[a-z][a-z0-9]{1,31});", re.I)
_OPENS = re.compile(r"<(?=[/!?a-z])", re.IGNORECASE)

# In e-mails. ">>>" is a Python prompt rather than a triply nested quote.
_QUOTED = re.compile(
    r">(?!>>)|Sent from (?:my|Mail|Yahoo)\b.{0,40}$|Get Outlook for .{0,20}$"
)
_HEADER = re.compile(r"On .{0,80}\d.{0,200} wrote:$")
_REST_OF_HEADER = re.compile(r"[<> ]*wrote:$")
_ORIGINAL = re.compile(r"-{2,} ?Original [Mm]essage ?-{2,}\n|_{8,}\nFrom:")
_FIELDS = re.compile(  # with a subject, unlike "From: Bonn", "To: Ulm"
    r"\*?From:(?=(?:.*\n){1,6}?\*?(?:Sent|Date|To):)(?:.*\n){1,6}?\*?Subject:"
)
_SIGNATURE = 9  # maximum number of lines, including the first one, "--"


@overload
def clean_text(X: str) -> str: ...  # type: ignore[overload-overlap]


@overload
def clean_text(X: Texts) -> NDArray[np.object_]: ...


def clean_text(X: Texts | str) -> NDArray[np.object_] | str:
    r"""Remove markup, addresses, quoted replies and signatures from texts.

    As the first step of a pipeline:
    ``make_pipeline(FunctionTransformer(clean_text), load_pretrained())``.

    - Tags, comments, scripts and styles of HTML are removed, and its entities decoded.
      A text without a common tag keeps its angle brackets.
    - Web and e-mail addresses are removed.
    - In e-mails, lines that begin with ">" and signatures (up to eight lines after
      "--") are removed, as is everything after "On 1 May, Ann wrote:",
      "-----Original Message-----" or the lines "From:" to "Subject:" of a quoted mail.
      Only English phrases are recognised. In HTML, the elements "blockquote" and those
      that mail programs mark as a signature by class or id are also removed. If nothing
      would remain, all of this is kept.
    - An emoji becomes its Unicode name, "grinning face", once if it is repeated. (Emoji
      that are missing from Python's `unicodedata` are removed.)
    - A missing text (None, NaN) becomes an empty one, whose vector is zero.
    - Unicode is normalised (NFKC), curly quotation marks become straight, and runs of
      white space and control characters become one space. Invisible characters are
      removed. Line breaks are kept.

    Parameters
    ----------
    X : str or array-like of str of shape (n_texts,), (n_texts, 1) or (n_rows, k)
        One text, or texts or rows of texts in any form that encoders accept. A single
        None is not a text.

    Returns
    -------
    cleaned : str or ndarray of the shape of the texts, dtype object
        Cleaning it again changes nothing.

    Raises
    ------
    TypeError, ValueError
        If `X` contains anything but texts; the message names the first index.

    Examples
    --------
    >>> from skparaphrase.text import clean_text
    >>> clean_text("<p>My parcel&nbsp;is <b>late</b> 😡😡</p>")
    'My parcel is late pouting face'
    >>> clean_text(["See https://example.org/42!\n\n-- \nAnn, Sales"])
    array(['See'], dtype=object)
    """
    if isinstance(X, str):
        return _clean(X)
    texts = check_texts(X, widths=ANY, fill_missing=True)
    cleaned = np.empty(texts.size, dtype=object)
    with progress_bar(texts.size, "Cleaning") as advance:
        for i, text in enumerate(texts.ravel().tolist()):
            cleaned[i] = _clean(text)
            advance(1)
    return cleaned.reshape(texts.shape)


def _clean(text: str) -> str:
    for _ in range(_MOST_PASSES):
        before, text = text, _clean_once(text, join="")
        if text == before:
            return text
    # Tags and entities become spaces, so their neighbours never form new ones
    return _clean_once(text, join=" ")


def _clean_once(text: str, join: str) -> str:
    text = _CONTROL.sub(" ", text)
    if not text.isascii():
        text = _INVISIBLE.sub("", text.translate(_WINDOWS))
        text = _core.normalize("NFKC", text).translate(_QUOTES)
        text = _EMOJI.sub(_named, text)
    text = _ADDRESS.sub(" ", text)
    if "<" in text and _IS_HTML.search(text):
        text = _HIDDEN.sub(" ", text)
        text = _without_tags(text, join)
        text = _OPENS.sub("< ", text) if join else text
    if "&" in text:
        text = _ENTITY.sub(" " if join else _decoded, text)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return "\n".join(_own_lines([line for line in lines if line]))


def _named(emoji: re.Match[str]) -> str:
    return f" {_name(emoji[1])} "


@cache
def _name(character: str) -> str:
    name = unicodedata.name(character, "").lower()
    if name.startswith("regional indicator"):
        return "flag"
    return _OF_NAMES.sub("", name)


def _without_tags(text: str, join: str) -> str:
    """The text between tags; lines of quotes and signatures begin with ">"."""
    text = "\n".join(text.splitlines())
    parts: list[str] = []
    quote, depth, first, end = "", 0, 0, 0
    for tag in _TAG.finditer(text):
        name = (tag["name"] or "").lower()
        part, end = text[end : tag.start()], tag.end()
        parts.append(part.replace("\n", "\n> ") if depth else part)
        if not depth:
            quote, first = name if _QUOTE_TAG.match(tag[0]) else "", len(parts)
        if quote and name == quote:
            depth += -1 if tag[0][1] == "/" else 1
            parts.append("\n> " if depth else "\n")
        else:
            inline = _JOINS.fullmatch(name)
            parts.append(join if inline else "\n> " if depth else "\n")
    if depth:  # never closed, such as "How do I style a <blockquote>?"
        parts[first:] = (part.replace("\n> ", "\n") for part in parts[first:])
    return "".join([*parts, text[end:]])


def _decoded(entity: re.Match[str]) -> str:
    if entity[1]:  # a number
        return unescape(entity[0])
    return html5.get(entity[0][1:], entity[0])  # `unescape` also decodes prefixes


def _own_lines(lines: list[str]) -> list[str]:
    """The lines that are neither quoted nor a signature, or all if there are none."""
    unquoted = [line if line[:3] == ">>>" else line.lstrip("> ") for line in lines]
    unquoted = [line for line in unquoted if line]
    return _written_lines(lines) or _written_lines(unquoted) or unquoted


def _written_lines(lines: list[str]) -> list[str]:
    parts: list[list[str]] = []
    for line in lines:
        if parts and _REST_OF_HEADER.match(line):
            parts[-1].append(line)
        else:
            parts.append([line])
    joined = [*map(" ".join, parts)]
    written: list[str] = []
    for i, line in enumerate(joined):
        following = "\n".join([*joined[i + 1 : i + 7], ""])
        block = f"{line}\n{following}"
        if _ORIGINAL.match(block) or (written and _FIELDS.match(block)):
            break
        if _HEADER.match(line):
            if not following.startswith(">"):
                break
        elif not _QUOTED.match(line):
            written.append(line)
    for i in range(len(written) - 1, -1, -1):
        if len(written) - i > _SIGNATURE:
            break
        if written[i] == "--":
            del written[i:]
    return written
