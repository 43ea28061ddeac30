"""Heads that predict from the vectors of texts, and losses of predictions."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from skparaphrase._math import check_pair_features, pair_features
from skparaphrase.networks._compositions import Dense, Network
from skparaphrase.networks._table import unit_vectors

_SMOOTHING = 1e-4  # added to every one-hot target, as in the paper's code


class Head(Network):
    r"""A softmax on features of texts or of pairs, with or without a sigmoid layer.

    With a sigmoid layer, these are the heads of Wieting et al. (2016), after Tai et al.
    (2015), equation 15: :math:`\mathrm{softmax}(W_p\, \sigma(W_1 (g_1 \odot g_2) + W_2
    |g_1 - g_2| + b_1) + b_p)` for pairs; for single texts, the vector :math:`g`
    replaces the pair features. Weights are drawn from Glorot's range, and biases start
    at zero.

    Parameters
    ----------
    dim : int
        Length of the text vectors.
    hidden_dim : int or None
        Number of units of the sigmoid layer; with None, logits are linear in the
        features.
    n_outputs : int
    n_texts : {1, 2}
    features : sequence of str, default=("product", "absdiff")
        Features of a pair: any of "product", "absdiff", "difference", "sum", "first",
        "second" and "cosine".
    projection_dim : int, default=None
        If given, a linear layer with bias first maps the vectors to this length.
    text_norm : float, default=None
        Length to which vectors are scaled after the projection; None does not scale
        them.
    cosine_scale : float, default=1.0
        Factor of the cosine.
    """

    def __init__(
        self,
        dim: int,
        *,
        hidden_dim: int | None,
        n_outputs: int,
        n_texts: int,
        features: Sequence[str] = ("product", "absdiff"),
        projection_dim: int | None = None,
        text_norm: float | None = None,
        cosine_scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.n_texts = n_texts
        self.features = check_pair_features(features)
        self.text_norm = text_norm
        self.cosine_scale = cosine_scale
        self.projection: Dense | None = None
        if projection_dim is not None:
            self.projection = Dense(dim, projection_dim, "linear")
            dim = int(projection_dim)  # sums of small integers of NumPy overflow
        if n_texts == 2:
            dim = sum(1 if name == "cosine" else dim for name in self.features)
        self.hidden: Dense | None = None
        if hidden_dim is not None:
            self.hidden = Dense(dim, hidden_dim, "sigmoid")
            dim = hidden_dim
        self.output = Dense(dim, n_outputs, "linear")

    def forward(self, vectors: Tensor) -> Tensor:
        """Return the logits, of shape (n_examples, n_outputs).

        The texts of pair `i` are in rows `2i` and `2i + 1` of `vectors`.
        """
        if self.projection is not None:
            vectors = self.projection(vectors)
        if self.text_norm is not None:
            vectors = unit_vectors(vectors) * self.text_norm
        if self.n_texts == 2:
            one, other = vectors.view(-1, 2, vectors.shape[1]).unbind(dim=1)
            features = pair_features(self.features, one, other, self._cosine)
            vectors = torch.cat(features, dim=1)
        if self.hidden is not None:
            vectors = self.hidden(vectors)
        logits: Tensor = self.output(vectors)
        return logits

    def _cosine(self, one: Tensor, other: Tensor) -> Tensor:
        cosines = (unit_vectors(one) * unit_vectors(other)).sum(dim=1, keepdim=True)
        return cosines * self.cosine_scale


def divergence_losses(logits: Tensor, targets: Tensor) -> Tensor:
    r"""Kullback-Leibler divergence of the targets from the predictions, by class.

    :math:`\frac{1}{K} \sum_k p_k (\log p_k - \log \hat p_k)` with `K` classes, as in
    the code of Wieting et al. (2016), after Tai et al. (2015), equation 17.

    `logits` and `targets`, which are p, have shape (n_examples, K), and the result has
    shape (n_examples,).
    """
    predicted = F.log_softmax(logits, dim=1)
    return F.kl_div(predicted, targets, reduction="none").mean(dim=1)


def cross_entropy_losses(logits: Tensor, targets: Tensor) -> Tensor:
    r"""Cross-entropy :math:`-\sum_k p_k \log \hat p_k` of each example."""
    return F.cross_entropy(logits, targets, reduction="none")


def binary_cross_entropy_losses(logits: Tensor, targets: Tensor) -> Tensor:
    r"""Cross-entropy of independent labels, shape (n_examples, K).

    :math:`-p \log \hat p - (1 - p) \log (1 - \hat p)` of each, after a sigmoid.
    """
    return F.binary_cross_entropy_with_logits(logits, targets, reduction="none")


def hinge_losses(logits: Tensor, targets: Tensor) -> Tensor:
    r"""Margin of 1 between the log-probabilities of two classes, for each example.

    :math:`\frac{1}{2} \max(0, 1 - \log \hat p_y + \log \hat p_{1 - y})`: the loss of
    He & Lin (2016) for ranking, halved as in their code. `targets` are one at the class
    and zero at the other.
    """
    signs = targets[:, 1] - targets[:, 0]
    return F.relu(1 - signs * (logits[:, 1] - logits[:, 0])) / 2


def tagging_losses(logits: Tensor, tags: Tensor) -> Tensor:
    """Cross-entropy of each token against one-hot targets plus 1e-4.

    Parameters
    ----------
    logits : Tensor of shape (n_tokens, n_tags)
    tags : Tensor of shape (n_tokens,), int64
    """
    logs = F.log_softmax(logits, dim=1)
    right = logs.gather(1, tags[:, None])[:, 0]
    return -(right + _SMOOTHING * logs.sum(dim=1))


#: Losses of examples, given logits and targets.
TARGET_LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "divergence": divergence_losses,
    "cross_entropy": cross_entropy_losses,
    "binary_cross_entropy": binary_cross_entropy_losses,
    "hinge": hinge_losses,
    "tags": tagging_losses,
}
