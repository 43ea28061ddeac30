"""Word vectors that others have trained."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from os import PathLike

from numpy.typing import DTypeLike

from skparaphrase.datasets._archives import get_member
from skparaphrase.datasets._fetched import check_choice
from skparaphrase.datasets._remote import Cache, RemoteFile
from skparaphrase.vectors import WordVectors


def _of_stanford(name: str, sha256: str) -> RemoteFile:
    return RemoteFile(name, (f"https://nlp.stanford.edu/data/{name}",), sha256)


# Checksums as recorded by torchtext and by Embeddings.jl, which agree.
_6B = _of_stanford(
    "glove.6B.zip", "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb"
)
_42B = _of_stanford(
    "glove.42B.300d.zip",
    "03d5d7fa28e58762ace4b85fb71fe86a345ef0b5ff39f5390c14869da0fc1970",
)
_840B = _of_stanford(
    "glove.840B.300d.zip",
    "c06db255e65095393609f19a4cfca20bf3a71e20cc53e892aafa490347e3849f",
)
_TWITTER = _of_stanford(
    "glove.twitter.27B.zip",
    "792af52f795d1a32c9842a3240f5f3fe5e941a8ff6df5eb0f9d668092ebc019c",
)
_GLOVE = {
    **{f"6B.{dim}d": _6B for dim in (50, 100, 200, 300)},
    "42B.300d": _42B,
    "840B.300d": _840B,
    **{f"twitter.27B.{dim}d": _TWITTER for dim in (25, 50, 100, 200)},
}


def _on_drive(name: str, identifier: str) -> RemoteFile:
    page = f"https://drive.google.com/file/d/{identifier}/view"
    by_hand = f"Google Drive hands it to people only, at {page}."
    return RemoteFile(name, (), None, by_hand)


_PARAGRAM = {  # the archive and its member
    "phrase-xxl": (
        RemoteFile(
            "paragram-phrase-XXL.zip",
            ("http://ttic.uchicago.edu/~wieting/paragram-phrase-XXL.zip",),
        ),
        "paragram-phrase-XXL.txt",
    ),
    "sl999": (
        _on_drive("paragram_300_sl999.zip", "0B9w48e1rj-MOck1fRGxaZW1LU2M"),
        "paragram_300_sl999.txt",
    ),
    "ws353": (
        _on_drive("paragram_300_ws353.zip", "0B9w48e1rj-MOLVdZRzFfTlNsem8"),
        "paragram_300_ws353.txt",
    ),
}


def fetch_glove(
    name: str = "6B.300d",
    *,
    limit: int | None = None,
    vocabulary: Iterable[str] | None = None,
    unknown: str | None = None,
    dtype: DTypeLike = "float32",
    encoding_errors: str = "strict",
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    n_retries: int = 3,
    delay: float = 1.0,
    progressbar: bool = False,
) -> WordVectors:
    """Load GloVe vectors [1]_, fetched if need be.

    Given to the public domain by their authors (PDDL 1.0).

    Parameters
    ----------
    name : str, default="6B.300d"
        "6B.50d", "6B.100d", "6B.200d", "6B.300d" (400 thousand words, lower case; 0.8
        GB to fetch, all of them together), "42B.300d" (1.9 million, lower case; 1.8
        GB), "840B.300d" (2.2 million, both cases; 2.0 GB), "twitter.27B.25d",
        "twitter.27B.50d", "twitter.27B.100d" or "twitter.27B.200d" (1.2 million; 1.4
        GB).

    limit, vocabulary, unknown, dtype, encoding_errors : optional
        As in :meth:`WordVectors.read <skparaphrase.vectors.WordVectors.read>`. The
        first words of the file are the most frequent ones.

    data_home : path-like, default=None
        Where files are kept; see :func:`get_data_home`. The archive or the text file,
        such as `glove.6B.300d.txt`, that is in its folder `glove` already is read,
        wherever it came from.

    download_if_missing : bool, default=True
        False raises an OSError instead of fetching anything.

    n_retries : int, default=3
        How often to try again after an answer that may pass.

    delay : float, default=1.0
        Seconds before each of these.

    progressbar : bool, default=False
        Draw one on stderr while fetching; needs tqdm.

    Returns
    -------
    vectors : WordVectors
        In the order of the file, with words as they stand there.

    Raises
    ------
    ImportError
        A file is missing, and pooch, which fetches it, is not installed.
    OSError
        The archive cannot be fetched, or is damaged.
    ValueError
        Names the file and the line of what is wrong.

    Notes
    -----
    The archive stays beside the text file that is unpacked from it, and may be deleted.
    :meth:`WordVectors.save <skparaphrase.vectors.WordVectors.save>` makes a folder that
    loads at once.

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
    check_choice("name", name, tuple(_GLOVE))
    cache = Cache.open(
        data_home,
        "glove",
        download_if_missing=download_if_missing,
        n_retries=n_retries,
        delay=delay,
        progressbar=progressbar,
    )
    return WordVectors.read(
        get_member(cache, _GLOVE[name], f"glove.{name}.txt"),
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
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    n_retries: int = 3,
    delay: float = 1.0,
    progressbar: bool = False,
) -> WordVectors:
    """Load PARAGRAM vectors [1]_ [2]_: words trained on paraphrases.

    Parameters
    ----------
    name : {"phrase-xxl", "sl999", "ws353"}, default="phrase-xxl"
        "phrase-xxl" was trained so that averages of words are alike [2]_. "sl999" and
        "ws353" are words trained on pairs of words, tuned on one data set each [1]_;
        no program may fetch them: get `paragram_300_sl999.zip` (1.7 GB) from `Google
        Drive <https://drive.google.com/file/d/0B9w48e1rj-MOck1fRGxaZW1LU2M/view>`_,
        `paragram_300_ws353.zip` from `another of its pages
        <https://drive.google.com/file/d/0B9w48e1rj-MOLVdZRzFfTlNsem8/view>`_, and put
        it in the folder `paragram` of the data home.

    limit, vocabulary, unknown, dtype, encoding_errors : optional
        As in :meth:`WordVectors.read <skparaphrase.vectors.WordVectors.read>`, but for
        the default of the last: some words of these files are not UTF-8.

    data_home : path-like, default=None
        Where files are kept; see :func:`get_data_home`. The archive or the text file,
        such as `paragram_300_sl999.txt`, that is in its folder `paragram` already is
        read, wherever it came from.

    download_if_missing : bool, default=True
        False raises an OSError instead of fetching anything.

    n_retries : int, default=3
        How often to try again after an answer that may pass.

    delay : float, default=1.0
        Seconds before each of these.

    progressbar : bool, default=False
        Draw one on stderr while fetching; needs tqdm.

    Returns
    -------
    vectors : WordVectors
        In the order of the file, with words as they stand there.

    Raises
    ------
    ImportError
        A file is missing, and pooch, which fetches it, is not installed.
    OSError
        The archive is missing and cannot be fetched, or is damaged; says what to do.
    ValueError
        Names the file and the line of what is wrong.

    Notes
    -----
    No checksum of "phrase-xxl" has been published: the one of the first download is
    kept beside the file and holds from then on.

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
    cache = Cache.open(
        data_home,
        "paragram",
        download_if_missing=download_if_missing,
        n_retries=n_retries,
        delay=delay,
        progressbar=progressbar,
    )
    return WordVectors.read(
        get_member(cache, *_PARAGRAM[name]),
        format="glove",
        limit=limit,
        vocabulary=vocabulary,
        unknown=unknown,
        dtype=dtype,
        encoding_errors=encoding_errors,
    )
