"""Cleaning of texts, against another library and by hand."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skparaphrase import load_pretrained
from skparaphrase.datasets import load_faq, load_graded_pairs
from skparaphrase.pairs import PairSimilarity
from skparaphrase.text import clean_text

NASTY_PAGE = """<!DOCTYPE html><?xml version="1.0"?>
<html><head><title>Order &#8470; 7</title>
<style type="text/css">p > b { color: red } /* </p> */</style></head>
<!-- <p>not - shown -- at all</p> --><body onload='go("<now>")'>
<P CLASS=big>My <b>par</b>cel&nbsp;is&#160;<i title="x > y">late</i>&hellip;<br/>
Don&rsquo;t <unknown a='"'>worry</unknown> &lt; 5 &amp; more<p>unclosed
<script>if (a < b && c > d) { write("<p>no</p>"); }</script >
<table><tr><td>one<td>two</table><o:p></o:p><a href=x.html?a=1&b=2>link</a>
<img alt="a > b" src='x.png'>1 < 2 <SCRIPT src=x></SCRIPT>end</body></html>"""

FRAGMENTS = """< <b> </b> <a " ' > >> >>> & &amp; &lt; &gt; &#60; &# 38; amp; lt; &shy;
http:// ht tp:// www. ww w. x.org @ a@b.co -- ---- ________ From: wrote: 😀 \uff1c
\uff06 é e\u0301 <!-- --> <script> </script> <style - a / ! p t l ; <p \u200b \u00ad
""".split()
FRAGMENTS += [
    "🇩🇪",
    "&#8203;",
    "On 1 Jan 2020 x",
    " wrote:",
    "-----Original Message-----",
    "\n",
    " ",
    "\r",
]
FRAGMENTS += ["\x07", "\x92", "\x85", "\x93b\x94", "\x99", "\xad"]
FRAGMENTS += ["Sent from my phone", "\u2028", "\0", "<blockquote>", "</blockquote>"]
FRAGMENTS += [
    '<div class="signature">',
    "</div>",
    "From: a\n",
    "To: b\n",
    "Subject: c\n",
]


@given(st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=30))
def test_cleaning_again_changes_nothing(fragments):
    cleaned = clean_text("".join(fragments))
    assert clean_text(cleaned) == cleaned


def test_html_against_another_library():
    soup = pytest.importorskip("bs4").BeautifulSoup(NASTY_PAGE, "html.parser")
    expected = unicodedata.normalize("NFKC", soup.get_text()).replace("\u2019", "'")
    found = clean_text(NASTY_PAGE)
    assert "".join(found.split()) == "".join(expected.split())
    lines = found.split("\n")
    assert lines[:3] == ["Order No 7", "My parcel is late...", "Don't"]
    assert {"one", "two", "link", "unclosed"} <= {*lines}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "<p>My <b>par</b>cel&nbsp;is late<br>😡😡</p>",
            "My parcel is late\npouting face",
        ),
        ("&lt;p&gt;escaped &amp;amp; twice&lt;/p&gt;", "escaped & twice"),
        ("Use List<String> if x<y & a&b; AT&T", "Use List<String> if x<y & a&b; AT&T"),
        ("I added a <script> to it", "I added a\nto it"),
        ("x <b>1</b> & List<int>", "x 1 & List"),
        ("a &notanentity; &regional b", "a &notanentity; &regional b"),
        ("&#99999999999999999999;" * 3, "&#99999999999999999999;" * 3),
        ("", ""),
        (" \n\t ", ""),
        # addresses
        ("See https://a.org/x?y=1&copy=2#z. Or www.b.org!", "See Or"),
        ("Ask <ann.b+c@mail.example.org> or Bob@x, @ann", "Ask or Bob@x, @ann"),
        ("[site](http://a.org/b_(c)) then", "[site]( (c)) then"),
        # invisible characters, Unicode
        ("zero\u200bwidth so\u00adft \ufeffmark\u200e", "zerowidth soft mark"),
        (
            "\ufb01ne \uff28\uff49 \U0001d5db\U0001d5f6 Word™ cafe\u0301",
            "fine Hi Hi Word café",
        ),
        ("\u201cDon\u2019t\u201d", '"Don\'t"'),
        ("I forgot\0my\x1f password\x07\x7f", "I forgot my password"),
        ("\x93Don\x92t\x94 \x80 5\x85\x81Word\x99", '"Don\'t" € 5\nWord'),
        ("a\u00a0 \u2003b\t\tc\r\nd\r\r\n e", "a b c\nd\ne"),
        # emoji
        ("👍👍👍", "thumbs up"),
        ("👩🏽\u200d💻 ❤️ ✅", "woman personal computer heart check mark"),
        ("🇩🇪 1️⃣ 🆘 🆗", "flag flag 1 sos ok"),
        # e-mails
        ("Yes.\n\n-- \nAnn Miller\nSales, Example Ltd", "Yes."),
        ("-- \nAnn Miller", "--\nAnn Miller"),
        ("a\n--\n" + "line\n" * 9, "a\n--\n" + "line\n" * 8 + "line"),
        ("Thanks\nSent from my iPhone", "Thanks"),
        ("Sent from my iPhone", "Sent from my iPhone"),
        ("> only a quote\n>> and more", "only a quote\nand more"),
        ("No.\n> Is it?\n\n> Yes?\nMaybe.", "No.\nMaybe."),
        (">>> import this\n>>> x > 3", ">>> import this\n>>> x > 3"),
        ("Yes.\nOn 1 May 2024 at 9:00, Ann <a@b.co> wrote:\n\nIs it?", "Yes."),
        ("Yes.\nOn 1 May, Ann <a@b.co>\nwrote:\n\n> Is it?\nNo.", "Yes.\nNo."),
        ("On Monday I wrote:\nis it?", "On Monday I wrote:\nis it?"),
        ("Yes.\n-----Original Message-----\nFrom: Ann\nIs it?", "Yes."),
        ("Yes.\n________________________________\nFrom: Ann\nIs it?", "Yes."),
        ("Hi\n\nFrom: Al <a@b.co>\nSent: 3 May\nTo: Bo\nSubject: Re: x\n\nOld", "Hi"),
        ("Hi\n*From:* Al\nSmith\n*Date:* 3 May\n*Subject:* x\n> Old\nOld", "Hi"),
        ("From: Al\nTo: Bo\nSubject: x\n> Old\nHi", "From: Al\nTo: Bo\nSubject: x\nHi"),
        (
            "Book:\nFrom: Bonn\nTo: Ulm\nDate: 3 May",
            "Book:\nFrom: Bonn\nTo: Ulm\nDate: 3 May",
        ),
        ("Name\n________________________________\nAge", "Name\n" + "_" * 32 + "\nAge"),
    ],
)
def test_by_hand(text, expected):
    assert clean_text(text) == expected
    assert clean_text(expected) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<p>No.</p><blockquote>Is\nit <b>so</b>?<p>Yes?</blockquote>Maybe.",
            "No.\nMaybe.",
        ),
        ("A<BLOCKQUOTE>b<blockquote>c</blockquote>d</BLOCKQUOTE>e", "A\ne"),
        (
            "<blockquote>only <b>a</b><br>quote\nhere</blockquote>",
            "only a\nquote\nhere",
        ),
        ("How do I style a <blockquote> in\nCSS?", "How do I style a\nin\nCSS?"),
        (
            "<div>Late.</div>-- <br><div dir=ltr class='gmail_signature' id=x>"
            "<div>Ann</div>Sales</div>",
            "Late.",
        ),
        ('<p>Late.<div class="x signature y">Ann<br>Sales</div><p>Bye', "Late.\nBye"),
        ("Late.<div id=Signature><p>Ann</div>", "Late."),
        ("<p>Late.<pre class=moz-signature cols=72>Ann</pre>", "Late."),
        ('<p>f<div class="member-signature">int f()</div>', "f\nint f()"),
        (
            "<div>Yes.</div><br><div class=gmail_quote><div class=gmail_attr>Am 3. Mai "
            "schrieb Ann:<br></div><blockquote class=gmail_quote>Is it?</blockquote>"
            "</div>Below.",
            "Yes.\nBelow.",
        ),
        (
            "<p>Yes.</p><hr><div id=divRplyFwdMsg><b>From:</b> Ann &lt;a@b.co&gt;<br>"
            "<b>Sent:</b> Monday<br><b>To:</b> Bob<br><b>Subject:</b> x</div><p>Is it?",
            "Yes.",
        ),
    ],
)
def test_html_mails(html, expected):
    assert clean_text(html) == expected
    assert clean_text(expected) == expected


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "<",
            "<a ",
            "<a '\"",
            '<a b="<',
            "<b>",
            "<script>",
            "<script><style>",
            "<!--",
        ),
        *(
            "&amp;",
            "&",
            "&&#108;t;",
            "a.",
            "a@",
            "a@b.",
            "www.",
            "http://",
            "\n> ",
            "é",
        ),
        *("On 1\n", "On 1 1 wrote: ", "On 1 ", " wrote:\n", "--\n", "-", "_", "\ue000"),
        *(
            "<blockquote>",
            "<blockquote>\n</blockquote>",
            "<div class=",
            '<p id="a ',
            "class ",
        ),
        *("<div class=signature>\n", "From: a\n", "From:\nTo:\nSubject:\n"),
    ],
)
def test_long_texts_take_linear_time(unit):
    for start in ("", "<p>", "a@b.co <p>é"):  # a minute in quadratic time
        text = (start + unit * 50_000)[:50_000]
        cleaned = clean_text(text)
        assert clean_text(cleaned) == cleaned


def test_containers_and_shapes():
    texts = ["<b>a</b>", "b\u200b"]
    for X in (texts, np.array(texts), pd.Series(texts), pd.DataFrame({"x": texts})):
        found = clean_text(X)
        assert found.dtype == object and found.tolist() == ["a", "b"]
    pairs = [("<i>a</i>", "b"), ("c", "&lt;")]
    assert clean_text(pairs).tolist() == [["a", "b"], ["c", "<"]]
    assert clean_text(pd.DataFrame(pairs)).shape == (2, 2)
    assert clean_text([("a", "b", "c")]).shape == (1, 3)
    assert clean_text([]).shape == (0,)
    missing = ["a", None, np.nan, pd.NA, pd.NaT]
    assert clean_text(missing).tolist() == ["a", "", "", "", ""]
    assert clean_text(pd.Series(missing[:3], dtype="string")).tolist() == ["a", "", ""]
    assert clean_text([("a", None)]).tolist() == [["a", ""]]
    with pytest.raises(TypeError, match="index 1 is 3"):
        clean_text([None, 3])
    with pytest.raises(TypeError, match="got b'a' "):
        clean_text(b"a")


def wrapped(texts):
    mail = "<div><p>{}</p>Sent from my phone</div><style>p {{x: y}}</style>"
    return np.vectorize(mail.format, otypes=[object])(texts)


def test_the_first_step_of_a_pipeline():
    faq = load_faq()
    X, y = faq.data[:60], faq.target[:60]
    plain = make_pipeline(load_pretrained(), LogisticRegression()).fit(X, y)
    pipe = make_pipeline(
        FunctionTransformer(clean_text), *clone(plain).named_steps.values()
    )
    search = GridSearchCV(pipe, {"logisticregression__C": [1.0]}, cv=2)
    search.fit(wrapped(X).tolist(), y)
    search = pickle.loads(pickle.dumps(search))
    assert_allclose(search.predict_proba(wrapped(X)), plain.predict_proba(X), atol=1e-6)

    pairs, _ = load_graded_pairs(return_X_y=True)
    steps = FunctionTransformer(clean_text), load_pretrained(), PairSimilarity()
    found = make_pipeline(*steps).fit(wrapped(pairs)).predict(wrapped(pairs))
    assert_allclose(
        found, make_pipeline(*steps[1:]).fit(pairs).predict(pairs), atol=1e-6
    )
