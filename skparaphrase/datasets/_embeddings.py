"""Pretrained word vectors: GloVe and PARAGRAM."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from typing import Unpack

from numpy.typing import DTypeLike

from skparaphrase.datasets._cache import Cache, Download, sources
from skparaphrase.datasets._source import check_choice
from skparaphrase.vectors import WordVectors

_PARAGRAM = {
    "phrase-xxl": "paragram-phrase-XXL.txt",
    "sl999": "paragram_300_sl999.txt",
    "ws353": "paragram_300_ws353.txt",
}


def fetch_glove(
    name: str = "6B.300d",
    *,
    limit: int | None = None,
    vocabulary: Iterable[str] | None = None,
    unknown: str | None = None,
    dtype: DTypeLike = "float32",
    encoding_errors: str = "strict",
    **download: Unpack[Download],
) -> WordVectors:
    """Load GloVe vectors [1]_.

    Their authors dedicated them to the public domain (PDDL 1.0).

    Parameters
    ----------
    name : str, default="6B.300d"
        "6B.50d", "6B.100d", "6B.200d", "6B.300d" (400 thousand words, lower case; one
        download of 0.8 GB), "42B.300d" (1.9 million, lower case; 1.8 GB), "840B.300d"
        (2.2 million, both cases; 2.0 GB), "twitter.27B.25d", "twitter.27B.50d",
        "twitter.27B.100d" or "twitter.27B.200d" (1.2 million; 1.4 GB).
    limit, vocabulary, unknown, dtype, encoding_errors : optional
        As in :meth:`WordVectors.read <skparaphrase.vectors.WordVectors.read>`. The
        first words of the file are the most frequent ones.
    **download : dict
        As in :func:`fetch_sts`; the folder is `glove`, with the archive or text files
        such as `glove.6B.300d.txt`.

    Returns
    -------
    vectors : WordVectors
        In the order of the file, with unchanged words.

    Notes
    -----
    The archive stays next to the text file that is unpacked from it, and may be
    deleted. :meth:`WordVectors.save <skparaphrase.vectors.WordVectors.save>` writes a
    folder that loads immediately.

    References
    ----------
    .. [1] Jeffrey Pennington, Richard Socher and Christopher D. Manning. 2014. GloVe:
       Global vectors for word representation. EMNLP.

    Examples
    --------
    >>> from skparaphrase.datasets import fetch_glove
    >>> fetch_glove("6B.300d", limit=100_000).dim  # doctest: +SKIP
    300
    """
    files = [x for source in sources()["glove"].values() for x in source["members"]]
    names = [x.removeprefix("glove.").removesuffix(".txt") for x in files]
    check_choice("name", name, names)
    return WordVectors.read(
        Cache("glove", **download).get(f"glove.{name}.txt"),
        format="glove",
        limit=limit,
        vocabulary=vocabulary,
        unknown=unknown,
        dtype=dtype,
        encoding_errors=encoding_errors,
    )


def fetch_paragram(
    name: str = "phrase-xxl",
    *,
    limit: int | None = None,
    vocabulary: Iterable[str] | None = None,
    unknown: str | None = None,
    dtype: DTypeLike = "float32",
    encoding_errors: str = "replace",
    **download: Unpack[Download],
) -> WordVectors:
    """Load PARAGRAM vectors [1]_ [2]_: words trained on paraphrases.

    Parameters
    ----------
    name : {"phrase-xxl", "sl999", "ws353"}, default="phrase-xxl"
        "phrase-xxl" was trained to make averages of words similar [2]_. "sl999" and
        "ws353" were trained on pairs of words and tuned on one data set each [1]_.
        These two cannot be downloaded automatically: get `paragram_300_sl999.zip`
        (1.7 GB) from `Google Drive
        <https://drive.google.com/file/d/0B9w48e1rj-MOck1fRGxaZW1LU2M/view>`_,
        `paragram_300_ws353.zip` from `another page
        <https://drive.google.com/file/d/0B9w48e1rj-MOLVdZRzFfTlNsem8/view>`_, and put
        it into the folder `paragram` of the data home.
    limit, vocabulary, unknown, dtype, encoding_errors : optional
        As in :meth:`WordVectors.read <skparaphrase.vectors.WordVectors.read>`, except
        for the default of the last: some words of these files are not UTF-8.
    **download : dict
        As in :func:`fetch_sts`; the folder is `paragram`, with the archive or text
        files such as `paragram_300_sl999.txt`.

    Returns
    -------
    vectors : WordVectors
        In the order of the file, with unchanged words.

    Notes
    -----
    No checksum of "phrase-xxl" is published: that of the first download is stored with
    the file, and later downloads are compared with it.

    References
    ----------
    .. [1] John Wieting, Mohit Bansal, Kevin Gimpel and Karen Livescu. 2015. From
       paraphrase database to compositional paraphrase model and back. TACL 3.
    .. [2] John Wieting, Mohit Bansal, Kevin Gimpel and Karen Livescu. 2016. Towards
       universal paraphrastic sentence embeddings. ICLR.

    Examples
    --------
    >>> from skparaphrase.datasets import fetch_paragram
    >>> fetch_paragram("sl999", limit=100_000).dim  # doctest: +SKIP
    300
    """
    check_choice("name", name, tuple(_PARAGRAM))
    return WordVectors.read(
        Cache("paragram", **download).get(_PARAGRAM[name]),
        format="glove",
        limit=limit,
        vocabulary=vocabulary,
        unknown=unknown,
        dtype=dtype,
        encoding_errors=encoding_errors,
    )
