"""The texts that come with the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from importlib.resources import files
from typing import Any

import numpy as np

from skparaphrase.datasets._bunch import Columns, make_bunch
from skparaphrase.datasets._tagged import make_tagged

_FOLDER = files("skparaphrase.datasets") / "data"

_DESCR = """{title}

{text}

Written for skparaphrase by its developers and given to the public domain (CC0 1.0). A
sample to learn, to test and to show things with; too small and too much of one hand to
compare models by.
"""


def load_paraphrases(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load pairs of English phrases and sentences that mean the same.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return `(data, None)`.

    as_frame : bool, default=False
        Data as a pandas frame.

    Returns
    -------
    paraphrases : Bunch
        `data` of shape (1140, 2), dtype object; `target` is None; `DESCR`. CC0.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> load_paraphrases().data.shape
    (1140, 2)
    """
    columns = _read("paraphrases.tsv")
    return make_bunch(
        columns,
        data=["sentence1", "sentence2"],
        target=None,
        descr=_DESCR.format(
            title="Paraphrases",
            text="1,140 pairs of phrases and sentences that mean the same: everyday "
            "life, news,\nscience, scenes, work, questions, short phrases.",
        ),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def load_similarity(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load pairs of English sentences graded for similarity from 0 to 5.

    The grades follow the semantic textual similarity tasks: 5 the same meaning, 4 the
    same but for details, 3 roughly the same, 2 some details shared, 1 the same topic,
    0 unrelated.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return `(data, target)`.

    as_frame : bool, default=False
        Data as a pandas frame, target as a series.

    Returns
    -------
    similarity : Bunch
        `data` of shape (570, 2), dtype object; `target` of shape (570,); `DESCR`. CC0.

    Examples
    --------
    >>> from skparaphrase.datasets import load_similarity
    >>> pairs, scores = load_similarity(return_X_y=True)
    >>> pairs.shape, scores.min(), scores.max()
    ((570, 2), np.float64(0.0), np.float64(5.0))
    """
    columns = _read("similarity.tsv")
    columns["score"] = columns["score"].astype(np.float64)
    return make_bunch(
        columns,
        data=["sentence1", "sentence2"],
        target="score",
        descr=_DESCR.format(
            title="Graded similarity",
            text="570 pairs of sentences with a grade of similarity from 0 (unrelated) "
            "to 5 (the\nsame meaning), the whole range evenly filled; one grader.",
        ),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def load_sentiment(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load English sentences that say something good (1) or bad (0).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return `(data, target)`.

    as_frame : bool, default=False
        Data and target as pandas series.

    Returns
    -------
    sentiment : Bunch
        `data` of shape (440,), dtype object; `target` of shape (440,); `DESCR`. CC0.

    Examples
    --------
    >>> from skparaphrase.datasets import load_sentiment
    >>> sentences, labels = load_sentiment(return_X_y=True)
    >>> sentences.shape, labels.mean()
    ((440,), np.float64(0.5))
    """
    columns = _read("sentiment.tsv")
    columns["label"] = columns["label"].astype(np.int64)
    return make_bunch(
        columns,
        data=["text"],
        target="label",
        descr=_DESCR.format(
            title="Sentiment",
            text="440 sentences about films, meals, journeys, things and people, half "
            "of them\npositive (1), half negative (0).",
        ),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def load_entailment(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load pairs of English sentences of which the second follows or does not.

    The labels follow SICK: `"entailment"` where the second sentence must be true if the
    first one is, `"contradiction"` where it cannot be (both describe one scene),
    `"neutral"` where it may be.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return `(data, target)`.

    as_frame : bool, default=False
        Data as a pandas frame, target as a series.

    Returns
    -------
    entailment : Bunch
        `data` of shape (360, 2), dtype object; `target` of shape (360,), dtype object
        (str); `DESCR`. CC0.

    Notes
    -----
    Three rows in a row share their first sentence, one for each label, so that the
    first sentence alone says nothing. Split by these groups, `np.arange(360) // 3`: a
    first sentence in training and test alike makes a test easier.

    Examples
    --------
    >>> from skparaphrase.datasets import load_entailment
    >>> pairs, labels = load_entailment(return_X_y=True)
    >>> pairs.shape, sorted(set(labels))
    ((360, 2), ['contradiction', 'entailment', 'neutral'])
    """
    return make_bunch(
        _read("entailment.tsv"),
        data=["sentence1", "sentence2"],
        target="label",
        descr=_DESCR.format(
            title="Entailment",
            text="360 pairs of sentences about people, animals, things and weather, a "
            "third of them\neach entailment, neutral and contradiction; three pairs in "
            "a row, one of each label,\nshare their first sentence.",
        ),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def load_answers(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load English questions with candidate answers, right (1) or wrong (0).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return `(data, target)`, without the queries.

    as_frame : bool, default=False
        Data as a pandas frame, target and query as series.

    Returns
    -------
    answers : Bunch
        `data` of shape (317, 2), dtype object: a question and a candidate answer;
        `target` of shape (317,), dtype int64; `query` of shape (317,), dtype int64:
        the number of the question, from 0 to 59; `DESCR`. CC0.

    Notes
    -----
    The five or six candidates of a question stand in rows one after another, in random
    order; one or two of them are right. The others are sentences like any other that do
    not answer the question, most of them with words of it. Split by `query`, for
    example with `GroupKFold`: a question in training and test alike makes a test
    easier.

    Examples
    --------
    >>> from skparaphrase.datasets import load_answers
    >>> answers = load_answers()
    >>> answers.data.shape, int(answers.target.sum()), answers.query[-1]
    ((317, 2), 77, np.int64(59))
    """
    columns = _read("answers.tsv")
    query = columns.pop("query").astype(np.int64)
    columns["label"] = columns["label"].astype(np.int64)
    return make_bunch(
        columns,
        data=["question", "answer"],
        target="label",
        query=query,
        descr=_DESCR.format(
            title="Answers",
            text="60 short questions about nature, everyday life, history and places "
            "with five or six\ncandidate answers each, 317 in all, of which one or two "
            "are right (1).",
        ),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def load_tagged(*, return_X_y: bool = False) -> Any:
    """Load English sentences with a part of speech for every token.

    The tags are the universal ones of Universal Dependencies, given as the English Web
    Treebank gives them (`his` PRON, `not` PART, a copula AUX but `there is` VERB,
    `without` before a verb SCONJ). The tag X does not occur.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return `(data, target)`.

    Returns
    -------
    tagged : Bunch
        `data`, a list of 296 token lists; `target`, a list of the tag lists; `DESCR`.
        CC0.

    Examples
    --------
    >>> from skparaphrase.datasets import load_tagged
    >>> sentences, tags = load_tagged(return_X_y=True)
    >>> len(sentences), sum(map(len, sentences))
    (296, 2517)
    >>> list(zip(sentences[0], tags[0]))[:3]
    [('They', 'PRON'), ('are', 'AUX'), ('going', 'VERB')]
    """
    return make_tagged(
        (_FOLDER / "tagged.tsv").read_text(encoding="utf-8"),
        source="tagged.tsv",
        columns=("token", "tag"),
        conllu=False,
        descr=_DESCR.format(
            title="Parts of speech",
            text="296 sentences of 2,517 tokens with universal part-of-speech tags: "
            "function words that\nreturn often, content words that seldom do.",
        ),
        return_X_y=return_X_y,
    )


def _read(name: str) -> Columns:
    header, *lines = (_FOLDER / name).read_text(encoding="utf-8").split("\n")[:-1]
    cells = np.array([line.split("\t") for line in lines], dtype=object)
    return dict(zip(header.split("\t"), cells.T, strict=True))
