"""Loaders of the bundled data sets."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Sequence
from importlib.resources import files
from itertools import groupby
from typing import Any

from sklearn.utils import Bunch

from skparaphrase.datasets._fetch import read_descr
from skparaphrase.datasets._tables import PAIR, make_bunch, read_table
from skparaphrase.text._check import unique_texts


def load_paraphrases(*, return_X_y: bool = False, as_frame: bool = False) -> Bunch:
    """Load pairs of English phrases and sentences with the same meaning.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return `(data, target)`.
    as_frame : bool, default=False
        Return pairs as a pandas frame, and everything else as series.

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
    return _load("paraphrases", PAIR, None, return_X_y, as_frame)


def load_graded_pairs(*, return_X_y: bool = False, as_frame: bool = False) -> Bunch:
    """Load pairs of English sentences graded for similarity from 0 to 5.

    The grades follow the semantic textual similarity tasks: 5 for the same meaning, 4
    if only details differ, 3 for roughly the same meaning, 2 for some shared details, 1
    for the same topic, 0 for unrelated sentences.

    Parameters
    ----------
    return_X_y, as_frame
        As in :func:`load_paraphrases`.

    Returns
    -------
    similarity : Bunch
        `data` of shape (570, 2), dtype object; `target` of shape (570,); `DESCR`. CC0.

    Examples
    --------
    >>> from skparaphrase.datasets import load_graded_pairs
    >>> pairs, scores = load_graded_pairs(return_X_y=True)
    >>> pairs.shape, scores.min(), scores.max()
    ((570, 2), np.float64(0.0), np.float64(5.0))
    """
    return _load("similarity", PAIR, "score", return_X_y, as_frame)


def load_sentiment(*, return_X_y: bool = False, as_frame: bool = False) -> Bunch:
    """Load positive (1) and negative (0) English sentences.

    The sentences were written to be hard: averages of word vectors are hardly better
    than chance.

    Parameters
    ----------
    return_X_y, as_frame
        As in :func:`load_paraphrases`.

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
    return _load("sentiment", ["text"], "label", return_X_y, as_frame)


def load_entailment(*, return_X_y: bool = False, as_frame: bool = False) -> Bunch:
    """Load pairs of English sentences labelled for entailment.

    The labels follow SICK: `"entailment"` if the second sentence must be true when the
    first one is, `"contradiction"` if it cannot be (both describe the same scene),
    `"neutral"` if it may be.

    Parameters
    ----------
    return_X_y, as_frame
        As in :func:`load_paraphrases`.

    Returns
    -------
    entailment : Bunch
        `data` of shape (360, 2), dtype object; `target` of shape (360,), dtype object
        (str); `DESCR`. CC0.

    Notes
    -----
    Three consecutive rows, one for each label, share their first sentence, so the first
    sentence alone predicts nothing. Split by these groups, `np.arange(360) // 3`,
    because a first sentence in both training and test data makes the test easier.

    Examples
    --------
    >>> from skparaphrase.datasets import load_entailment
    >>> pairs, labels = load_entailment(return_X_y=True)
    >>> pairs.shape, sorted(set(labels))
    ((360, 2), ['contradiction', 'entailment', 'neutral'])
    """
    return _load("entailment", PAIR, "label", return_X_y, as_frame)


def load_answer_ranking(*, return_X_y: bool = False, as_frame: bool = False) -> Bunch:
    """Load English questions with correct (1) and wrong (0) candidate answers.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return `(data, target)`, without the queries.
    as_frame
        As in :func:`load_paraphrases`.

    Returns
    -------
    answers : Bunch
        `data` of shape (317, 2), dtype object: a question and a candidate answer;
        `target` of shape (317,), dtype int64; `query` of shape (317,), dtype int64:
        the number of the question, from 0 to 59; `DESCR`. CC0.

    Notes
    -----
    The five or six candidates of a question are in consecutive rows in random order;
    one or two of them are correct. The others do not answer the question, but most of
    them share words with it. Split by `query`, for example with `GroupKFold`, because a
    question in both training and test data makes the test easier.

    Examples
    --------
    >>> from skparaphrase.datasets import load_answer_ranking
    >>> answers = load_answer_ranking()
    >>> answers.data.shape, int(answers.target.sum()), answers.query[-1]
    ((317, 2), 77, np.int64(59))
    """
    columns = ("question", "answer")
    table = _read("answers", columns, "label")
    table["query"] = unique_texts(table["question"])[1]
    descr = read_descr("answers")
    answers = make_bunch(table, columns, "label", descr, return_X_y, as_frame)
    if not return_X_y:
        answers["query"] = (answers.frame if as_frame else table)["query"]
    return answers


def load_faq(*, return_X_y: bool = False, as_frame: bool = False) -> Bunch:
    """Load frequently asked English questions of 25 topics with their answers.

    As in real collections, some questions have the same meaning, in similar or in
    entirely different words. Others have almost the same words but another meaning,
    such as `"How do I cancel an order?"` and `"How do I confirm an order?"`.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return `(data, target)`, without answers and groups.
    as_frame
        As in :func:`load_paraphrases`.

    Returns
    -------
    faq : Bunch
        `data` of shape (550,), dtype object: the questions; `target`, also named
        `topics`, of shape (550,), dtype object (str); `answers` of shape (550,), dtype
        object; `groups` of shape (550,), dtype int64, from 0 to 453: equal for
        questions with the same meaning; `DESCR`. CC0.

    Notes
    -----
    There are 88 groups of two questions and 4 of three, each within a topic. To train
    on the questions, split by `groups`, for example with `GroupKFold`, because a
    question in training data and its paraphrase in test data make the test easier.

    Examples
    --------
    >>> from skparaphrase.datasets import load_faq
    >>> faq = load_faq()
    >>> faq.data[0], faq.topics[0]
    ('My parcel never arrived, what happens now?', 'shop')
    >>> faq.data[faq.groups == faq.groups[0]][1]
    'I have been waiting for weeks and the package is still not here.'
    """
    table = _read("faq", ["question", "answer", "topic"], "group")
    descr = read_descr("faq")
    faq = make_bunch(table, ["question"], "topic", descr, return_X_y, as_frame)
    if not return_X_y:
        rest = faq.frame if as_frame else table
        faq.update(topics=faq.target, answers=rest["answer"], groups=rest["group"])
    return faq


def load_pos_tags(*, return_X_y: bool = False) -> Bunch:
    """Load English sentences with a part of speech for every token.

    The tags are from Universal Dependencies, assigned as in the English Web Treebank
    (`his` PRON, `not` PART, a copula AUX but `there is` VERB, `without` before a verb
    SCONJ). The tag X does not occur.

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
    >>> from skparaphrase.datasets import load_pos_tags
    >>> sentences, tags = load_pos_tags(return_X_y=True)
    >>> len(sentences), sum(map(len, sentences))
    (296, 2517)
    >>> list(zip(sentences[0], tags[0]))[:3]
    [('They', 'PRON'), ('are', 'AUX'), ('going', 'VERB')]
    """
    text = (_DATA / "tagged.tsv").read_text("utf-8")
    lines = [line.split("\t") for line in text.splitlines()[1:]]
    blocks = [[*rows] for filled, rows in groupby(lines, lambda x: x != [""]) if filled]
    data, target = ([[row[i] for row in rows] for rows in blocks] for i in (0, 1))
    columns: Any = {"token": data, "tag": target}
    descr = read_descr("tagged")
    return make_bunch(columns, ["token"], "tag", descr, return_X_y)


_DATA = files("skparaphrase.datasets") / "data"


def _read(name: str, texts: Sequence[str], target: str | None) -> Any:
    path = str(_DATA / f"{name}.tsv")
    return read_table(path, texts, target, numeric=target == "score")


def _load(
    name: str,
    texts: Sequence[str],
    target: str | None,
    return_X_y: bool,
    as_frame: bool,
) -> Any:
    table, descr = _read(name, texts, target), read_descr(name)
    return make_bunch(table, texts, target, descr, return_X_y, as_frame)
