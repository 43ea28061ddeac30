"""GloVe vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from typing import Unpack

from numpy.typing import DTypeLike

from skparaphrase.datasets._fetch import Download, check_choice, fetch_file, sources
from skparaphrase.vectors import WordVectors


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
    """
    files = [x for source in sources()["glove"].values() for x in source["members"]]
    names = [x.removeprefix("glove.").removesuffix(".txt") for x in files]
    check_choice("name", name, names)
    return WordVectors.read(
        fetch_file("glove", f"glove.{name}.txt", **download),
        format="glove",
        limit=limit,
        vocabulary=vocabulary,
        unknown=unknown,
        dtype=dtype,
        encoding_errors=encoding_errors,
    )
