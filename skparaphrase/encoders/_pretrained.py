"""The bundled encoders, and similarities."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from pathlib import Path
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.frozen import FrozenEstimator

from skparaphrase._math import cosine, unit_vectors
from skparaphrase._typing import Encoder, FilePath, Texts
from skparaphrase.encoders._average import AverageEncoder
from skparaphrase.pairs import EncoderUnion
from skparaphrase.storage._models import load
from skparaphrase.text._check import check_single_texts
from skparaphrase.vectors._storage import LANGUAGES, SENTENCES, bundled

# Slope and intercept of the logit of a paraphrase in the cosine of the bundled encoder;
# fitted by benchmarks/quality/probability.py.
_LOGIT = 7.78, -6.28
# Shares of the parts of the large encoder in its cosines; each part is a folder.
_SHARES = {"words": 0.65, "characters": 0.35}


_NAMES = {"english": SENTENCES, "multilingual": LANGUAGES}


@overload
def load_pretrained(
    name: Literal["english", "multilingual"] = ...,
    *,
    pooling: str = ...,
    norm: str | None = ...,
    dim: int | None = ...,
) -> AverageEncoder: ...


@overload
def load_pretrained(
    name: FilePath,
    *,
    pooling: str = ...,
    norm: str | None = ...,
    dim: int | None = ...,
) -> AverageEncoder | EncoderUnion: ...


def load_pretrained(
    name: FilePath = "english",
    *,
    pooling: str = "distinct",
    norm: str | None = "l2",
    dim: int | None = None,
) -> AverageEncoder | EncoderUnion:
    """Load a bundled sentence encoder.

    The encoder averages word vectors; other words get vectors from character n-grams
    (`unknown="subword"`). The vectors already include the weights of words and the
    removal of a common component. They were made by
    `benchmarks/build/pretrained_encoder.py`, in the same way as
    :class:`DistilledEncoder` learns; `LICENSES/DATA.md` lists the sources of the texts.

    ============== ========= ====== ====== ==================================
    name           languages words  dim    learnt from
    ============== ========= ====== ====== ==================================
    "english"      1         60,000 256    all-MiniLM-L6-v2 and
                                           paraphrase-MiniLM-L3-v2
    "multilingual" 9         58,251 160    Universal Sentence Encoder
                                           multilingual v3 and translations
    ============== ========= ====== ====== ==================================

    The languages are English, German, French, Spanish, Italian, Dutch, Portuguese,
    Polish and Russian. Their vectors are in one space, so texts can be compared across
    languages. For English texts alone, "english" is slightly better.

    Parameters
    ----------
    name : {"english", "multilingual"} or path-like, default="english"
        A path is a folder written by `benchmarks/build/pretrained_encoder.py --large`:
        the large English encoder of 46 MB, which is better at similarity, but slower.
        See :doc:`/user_guide/save`.
    pooling : {"mean", "distinct"}, default="distinct"
        How words are averaged, as in :class:`AverageEncoder`. "distinct" is better on
        most tasks, and "mean" two to three times as fast.
    norm : {"l2"} or None, default="l2"
        "l2" scales the vectors of texts to length 1; None keeps the raw averages. It
        cannot be None with a path, because the large encoder scales its two parts to
        fixed lengths.
    dim : int, default=None
        Keep only the first dimensions, before vectors are scaled, to save memory. The
        first ones contain most of the variance (:ref:`fewer_dimensions`). None keeps
        all. Cannot be combined with a path.

    Returns
    -------
    encoder : AverageEncoder, or EncoderUnion of the large one
        Ready to use: `fit` has no effect, and :func:`sklearn.base.clone` keeps the
        vectors. To train, use `ParaphraseEncoder().fit(X)`, which starts from this
        encoder. Its table, `encoder.vectors`, is the same object at every call with the
        same `dim`.

    Raises
    ------
    FileNotFoundError, ValueError
        If `name` is neither a name nor such a folder; see :func:`skparaphrase.load`.
    TypeError, ValueError
        If `dim` is not an integer from 1 to the number of dimensions, or if `dim` or
        `norm=None` is combined with a path.

    See Also
    --------
    skparaphrase.datasets.load_word_vectors : The bundled vectors of single words.
    skparaphrase.encoders.ParaphraseEncoder : Trains the vectors further.

    Examples
    --------
    >>> import skparaphrase
    >>> from skparaphrase.pairs import PairSimilarity
    >>> encoder = skparaphrase.load_pretrained()
    >>> pairs = [("A cat sleeps.", "The cat is asleep."), ("A cat sleeps.", "Hello!")]
    >>> first, second = PairSimilarity().predict(encoder.transform(pairs))
    >>> bool(first > 0.5 > second)
    True

    Training on paraphrases helps to match other paraphrases. (By default,
    `ParaphraseEncoder()` starts from the same vectors.)

    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParaphraseEncoder
    >>> from skparaphrase.metrics import RetrievalScorer
    >>> pairs = load_paraphrases().data
    >>> trained = ParaphraseEncoder(init=encoder, random_state=0).fit(pairs[:1000])
    >>> score = RetrievalScorer(pairs[1000:])
    >>> score(trained) > score(encoder)
    True

    Texts of several languages:

    >>> encoder = skparaphrase.load_pretrained("multilingual")
    >>> skparaphrase.similarity("The cat sleeps.", "Die Katze schläft.", encoder) > 0.5
    True
    """
    if name not in _NAMES:
        if dim is not None or norm != "l2":
            raise ValueError("With a path, neither dim nor norm=None is supported.")
        if not Path(name).is_dir():
            names = " or ".join(map(repr, _NAMES))
            raise FileNotFoundError(
                f"Unknown encoder {str(name)!r}: choose {names}. To open a saved "
                "folder, use skparaphrase.load."
            )
        if not (Path(name) / "words").is_dir():
            raise ValueError(f"{name}: use skparaphrase.load to open a saved folder.")
        return _load_large(Path(name), pooling)
    table = bundled(_NAMES[name], dim)
    encoder = AverageEncoder(table, pooling=pooling, norm=norm)
    encoder._validate_params()
    return encoder


def _load_large(folder: Path, pooling: str) -> EncoderUnion:
    """Both parts concatenated: an average of words, and a sum of n-grams."""
    parts = {name: load(folder / name) for name in _SHARES}
    words = parts["words"].set_params(pooling=pooling)
    words._validate_params()
    frozen = [(name, FrozenEstimator(part)) for name, part in parts.items()]
    return EncoderUnion(frozen, weights=_SHARES).fit(["any"])


@overload  # a str is also array-like
def similarity(  # type: ignore[overload-overlap]
    a: str, b: str, encoder: Encoder | None = None, *, probability: bool = False
) -> float: ...


@overload
def similarity(
    a: Texts,
    b: Texts | None = None,
    encoder: Encoder | None = None,
    *,
    matrix: bool = False,
    probability: bool = False,
) -> NDArray[np.floating]: ...


def similarity(
    a: Texts,
    b: Texts | None = None,
    encoder: Encoder | None = None,
    *,
    matrix: bool = False,
    probability: bool = False,
) -> float | NDArray[np.floating]:
    """Compute the cosines of texts.

    Parameters
    ----------
    a : str or array-like of str of shape (n_texts,)
        One text, or several.
    b : str or array-like of str of shape (n_texts,), default=None
        The other text, or texts. If `a` and `b` are sequences of the same length, each
        text is compared with its counterpart. None compares the texts of `a` with each
        other.
    encoder : encoder instance, default=None
        A fitted encoder, or a pipeline that ends with vectors. None uses
        :func:`load_pretrained`, whose table is read only once.
    matrix : bool, default=False
        If True, compare each text of `a` with each of `b`, whose lengths may differ.
    probability : bool, default=False
        If True, return probabilities instead of cosines: the share of such pairs that
        people rate as equivalent except for unimportant details, at least 4 of 5
        points. They are calibrated for the default `encoder` on data in which 39 % of
        the pairs are equivalent, and are too high if fewer pairs are. See
        :ref:`probability` for the correction, and for other encoders.

    Returns
    -------
    cosine : float or ndarray
        Between -1 and 1; 0 where a text is empty. A float for two `str`, an array of
        shape (n_texts,), or a matrix of shape (n_texts of a, n_texts of b).

    Raises
    ------
    ValueError
        If the sequences differ in length or contain anything but texts, if `a` is a
        `str` without `b`, or if probabilities are requested for another encoder.

    See Also
    --------
    skparaphrase.search.SemanticSearch : Find the most similar texts of a collection.
    skparaphrase.pairs.PairSimilarity : Other measures, as the last step of a pipeline.
    skparaphrase.inspection.explain_similarity : Which words make texts similar.

    Examples
    --------
    >>> import skparaphrase
    >>> cosine = skparaphrase.similarity("A cat sleeps.", "The cat is asleep.")
    >>> cosine > 0.5
    True
    >>> others = ["The cat is asleep.", "Hello!"]
    >>> skparaphrase.similarity("A cat sleeps.", others).round(1)
    array([0.9, 0. ], dtype=float32)
    >>> skparaphrase.similarity(others).shape  # each with each
    (2, 2)
    >>> skparaphrase.similarity("A cat sleeps.", others, probability=True).round(1)
    array([0.7, 0. ], dtype=float32)
    """
    if probability and encoder is not None:
        raise ValueError(
            "Probabilities are calibrated for the default encoder, encoder=None. For "
            'others, fit make_pipeline(encoder, PairFeatures(["cosine"]), '
            "LogisticRegression(C=10)) on labelled pairs."
        )
    if isinstance(a, str) and b is None:
        raise ValueError(
            "b is None: pass one or more texts to compare `a` with, or pass a list of "
            "texts as `a` to compare them with each other."
        )
    if isinstance(a, str) and isinstance(b, str) and not matrix:
        return float(similarity([a], [b], encoder, probability=probability)[0])
    first = _texts(a, "a")
    second = first if b is None else _texts(b, "b")
    is_matrix = matrix or b is None
    is_single = isinstance(a, str) or isinstance(b, str)
    if not (is_matrix or is_single or len(first) == len(second)):
        raise ValueError(
            f"a has {len(first)} texts and b has {len(second)}: pass the same number "
            "of texts, or matrix=True to compare each text with each."
        )
    encoder = load_pretrained() if encoder is None else encoder
    if isinstance(encoder, str):
        raise TypeError(
            f"encoder must be a fitted encoder, such as load_pretrained({encoder!r}); "
            "got a str."
        )
    vectors = np.asarray(encoder.transform([*first, *second]))
    rows, columns = vectors[: len(first)], vectors[len(first) :]
    if is_matrix:
        cosines = unit_vectors(rows) @ unit_vectors(columns).T
    else:
        cosines = cosine(rows, columns)
    cosines = np.clip(cosines, -1, 1)
    return expit(_LOGIT[0] * cosines + _LOGIT[1]) if probability else cosines


def _texts(texts: Texts, name: str) -> NDArray[np.object_]:
    return check_single_texts([texts] if isinstance(texts, str) else texts, name)
