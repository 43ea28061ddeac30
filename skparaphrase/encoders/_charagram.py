"""Charagram: character n-gram embeddings."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import Settings, store_parameters
from skparaphrase._lazy import networks
from skparaphrase.encoders._trained import TrainedEncoder
from skparaphrase.losses import BaseLoss, MarginLoss
from skparaphrase.optimizers import DENSE, Optimizer
from skparaphrase.text import NgramTokenizer
from skparaphrase.vectors import WordVectors

#: How the paper trains its models on phrases.
PAPER: dict[str, Any] = {
    "optimizer": Optimizer(
        "adam", **DENSE, vectors_penalty=1e-6, composition_penalty=1e-6
    ),
    "loss": MarginLoss(),
    "learning_rate": 0.001,
    "batch_size": 100,
    "max_epochs": 10,
}
# Table 1 prints a grid: batches of 25 or 50, MIX or MAX, tanh or linear, and lambda in
# 1e-4, 1e-5, 1e-6. Of these, what the released script has, and the smallest lambda: the
# script's is 0, which the paper has for the large model (section 4.4).
_WORDS: dict[str, Any] = {
    **PAPER,
    "max_epochs": 50,
    "activation": "linear",
    "batch_size": 25,
}


class CharagramEncoder(TrainedEncoder):
    r"""Sum of character n-gram vectors (charagram).

    Wieting et al. (2016, Charagram): :math:`g(x) = h(b + \sum_{i \in V} [i \in x]
    W^i)` over the character n-grams `i` of a word, phrase or sentence, where the
    vocabulary `V` is taken from the training texts. It starts from random vectors,
    needs no word vectors, and embeds unseen and misspelt words through their n-grams.
    Trained on paraphrases. The vocabulary and the network are by default those of
    charagram-phrase.

    Parameters
    ----------
    tokenizer : NgramTokenizer, default=None
        The orders of the n-grams, whether a text is lower-cased, and whether an n-gram
        counts once a text, as in the paper's code, or with `binary=False` as often as
        it occurs, as in its equation. None is
        :class:`~skparaphrase.text.NgramTokenizer` with its defaults.
    min_count : int, default=1
        Keep n-grams that occur at least so many times in the training pairs; the paper
        used 1 and 2.
    max_ngrams : int, default=None
        Keep so many n-grams of each order, the most frequent ones.
    dim : int, default=300
        Length of the vectors.
    n_layers : int, default=1
        2 adds a dense layer with the same activation (the two-layer model of the
        paper's tagging experiment).
    activation : {"tanh", "linear", "relu"}, default="tanh"
        h.
    init : encoder, default=None
        A fitted encoder of this class, or one in a
        :class:`~sklearn.frozen.FrozenEstimator` (in pipelines and grid searches), that
        training starts from: phrases first, then sentences.
    norm : {"l2"} or None, default="l2"
        As in :class:`ParaphraseEncoder`.
    loss
        As in :class:`ParaphraseEncoder`.
    optimizer : str or Optimizer, default=None
        None is `Optimizer("adam", vectors_penalty=1e-6, composition_penalty=1e-6)`.
    learning_rate, batch_size, max_epochs, validation_fraction, patience
        As in :class:`ParaphraseEncoder`.
    warm_start, device, random_state, verbose
        As in :class:`ParaphraseEncoder`.

    Attributes
    ----------
    vectors_ : WordVectors
        The trained vectors; its words are the n-grams.
    parameters_ : dict of str to ndarray
        "constant" and "bias" of shape (dim,), and "layers.i.weight" and "layers.i.bias"
        of further layers.
    teacher_axes_, loss_curve_, n_epochs_, validation_scores_, best_epoch_
        As in :class:`ParaphraseEncoder`.

    Notes
    -----
    As in the paper's code, all texts have one more feature, "constant", besides the
    bias. A text that is blank or has no known n-gram is a zero vector; in the paper's
    code it is h(constant + bias).

    `partial_fit` keeps the n-grams of its first call.

    Settings of :meth:`paper`: "phrases" (tables 3 and 11), "words" (the large model of
    table 2: the 50,000 most frequent n-grams of each order, 25 epochs, no penalty; the
    paper selects it on WordSim-353), "words-2-4" (table 1). For table 1, the paper
    prints a grid; of it, the values of the released script and the smallest lambda.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Charagram: Embedding Words and
    Sentences via Character n-grams", EMNLP 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import CharagramEncoder
    >>> encoder = CharagramEncoder(max_epochs=1, random_state=0)
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 300)
    """

    _learns_tokens = True
    _optimizer = Optimizer("adam", vectors_penalty=1e-6, composition_penalty=1e-6)

    _paper_settings: ClassVar[Settings] = {
        "phrases": PAPER,
        "words": {
            **_WORDS,
            "optimizer": Optimizer("adam", **DENSE),
            "tokenizer": NgramTokenizer(ngram_range=(2, 6)),
            "max_ngrams": 50_000,
            "max_epochs": 25,
        },
        "words-2-4": _WORDS,
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TrainedEncoder._parameter_constraints,
        "tokenizer": [NgramTokenizer, None],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "max_ngrams": [Interval(Integral, 1, None, closed="left"), None],
        "dim": [Interval(Integral, 1, None, closed="left")],
        "n_layers": [Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"linear", "tanh", "relu"})],
    }

    def __init__(
        self,
        *,
        tokenizer: NgramTokenizer | None = None,
        min_count: int = 1,
        max_ngrams: int | None = None,
        dim: int = 300,
        n_layers: int = 1,
        activation: str = "tanh",
        init: Any = None,
        norm: str | None = "l2",
        loss: str | BaseLoss = "auto",
        optimizer: str | Optimizer | None = None,
        learning_rate: float = 0.001,
        batch_size: int = 256,
        max_epochs: int = 5,
        validation_fraction: float | None = None,
        patience: int | None = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        store_parameters(self, locals())

    def _tokenizer(self) -> NgramTokenizer:
        return NgramTokenizer() if self.tokenizer is None else self.tokenizer

    def _draw_table(
        self, texts: Iterable[str], random_state: np.random.RandomState
    ) -> WordVectors:
        ngrams = self._tokenizer().vocabulary(
            texts, min_count=self.min_count, max_ngrams=self.max_ngrams
        )
        limit = networks.charagram_range(len(ngrams), self.dim)
        return random_table(ngrams, self.dim, limit, random_state)

    def _composition(self, vectors: WordVectors) -> "networks.Composition":
        return networks.Charagram(
            len(vectors), self.dim, activation=self.activation, n_layers=self.n_layers
        )


def random_table(
    tokens: list[str],
    dim: int,
    limit: float,
    random_state: np.random.RandomState,
    unknown: str | None = None,
) -> WordVectors:
    """Vectors drawn from U(-limit, limit)."""
    if not tokens:
        raise ValueError(
            "The training texts contain no n-gram to keep: are they blank, or is "
            "`min_count` too high?"
        )
    drawn = random_state.uniform(-limit, limit, size=(len(tokens), dim))
    return WordVectors(tokens, drawn.astype(np.float32), unknown=unknown)
