"""The encoder of English sentences that comes with the package, and a larger one."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from os import PathLike
from pathlib import Path
from typing import overload

from sklearn.frozen import FrozenEstimator

from skparaphrase.encoders._average import AverageEncoder
from skparaphrase.pairs import LastAxisUnion
from skparaphrase.storage import load
from skparaphrase.vectors._bundled import SENTENCES, bundled

# Shares of the parts of the large encoder in its cosines; each is a folder.
_SHARES = {"words": 0.65, "characters": 0.35}


@overload
def load_pretrained(path: None = None, *, pooling: str = ...) -> AverageEncoder: ...


@overload
def load_pretrained(
    path: str | PathLike[str], *, pooling: str = ...
) -> LastAxisUnion: ...


def load_pretrained(
    path: str | PathLike[str] | None = None, *, pooling: str = "distinct"
) -> AverageEncoder | LastAxisUnion:
    """Load the encoder of English sentences that comes with the package.

    An average of word vectors learnt so that averages predict the vectors that
    all-MiniLM-L6-v2 and paraphrase-MiniLM-L3-v2 (both Apache-2.0) give sentences:
    60,000 words, 256 dimensions, and character n-grams for other words
    (`unknown="subword"`). Weights and the removal of a common component are part of
    the vectors. Made by `benchmarks/build/pretrained_encoder.py` with
    :class:`DistilledEncoder`; `LICENSES/DATA.md` has the sources of the sentences.

    Parameters
    ----------
    path : path-like, default=None
        A folder that `benchmarks/build/pretrained_encoder.py --large` has written: the
        large encoder of 46 MB, which is better at similarity and slower. See
        :doc:`/user_guide/save`. None is what comes with the package.
    pooling : {"mean", "distinct"}, default="distinct"
        How words are averaged, as in :class:`AverageEncoder`. "distinct" is better on
        most tasks, and "mean" two to three times as fast.

    Returns
    -------
    encoder : AverageEncoder, or LastAxisUnion of the large one
        Needs no `fit`, and so survives :func:`sklearn.base.clone`. Its table,
        `encoder.vectors`, is the same object at every call. To train it on your
        texts, start a :class:`ParagramEncoder` from it; its own `fit` learns nothing.

    Raises
    ------
    FileNotFoundError, ValueError
        If `path` is not such a folder; see :func:`skparaphrase.load`.

    See Also
    --------
    skparaphrase.datasets.load_word_vectors : The bundled vectors of single words.
    skparaphrase.encoders.ParagramEncoder : Trains the vectors further.

    Examples
    --------
    >>> import skparaphrase
    >>> from skparaphrase.pairs import PairSimilarity
    >>> encoder = skparaphrase.load_pretrained()
    >>> pairs = [("A cat sleeps.", "The cat is asleep."), ("A cat sleeps.", "Hello!")]
    >>> first, second = PairSimilarity().predict(encoder.transform(pairs))
    >>> bool(first > 0.5 > second)
    True

    Training on paraphrases helps to find the partner of others. (By default,
    `ParagramEncoder()` starts from the same vectors.)

    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> from skparaphrase.metrics import RetrievalScorer
    >>> pairs = load_paraphrases().data
    >>> trained = ParagramEncoder(init=encoder, random_state=0).fit(pairs[:1000])
    >>> score = RetrievalScorer(pairs[1000:])
    >>> score(trained) > score(encoder)
    True
    """
    if path is not None:
        return _load_large(Path(path), pooling)
    encoder = AverageEncoder(bundled(SENTENCES), pooling=pooling)
    encoder._validate_params()
    return encoder


def _load_large(folder: Path, pooling: str) -> LastAxisUnion:
    """Both parts side by side: an average of words, and a sum of n-grams."""
    members = {name: load(folder / name) for name in _SHARES}
    words = members["words"].set_params(pooling=pooling)
    words._validate_params()
    frozen = [(name, FrozenEstimator(member)) for name, member in members.items()]
    return LastAxisUnion(frozen, weights=_SHARES).fit(["any"])
