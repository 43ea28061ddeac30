"""Layers on top of text vectors that predict scores and classes."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import torch
from numpy.random import RandomState
from torch import Tensor, nn
from torch.nn import functional as F

from skparaphrase.nn._compositions import Dense, Layer
from skparaphrase.nn._losses import unit_vectors


class Head(nn.Module):
    r"""A sigmoid layer and a softmax on texts or on pairs of texts.

    The heads of Wieting et al. (2016), after Tai et al. (2015), equation 15:
    :math:`\mathrm{softmax}(W_p\, \sigma(W_1 (g_1 \odot g_2) + W_2 |g_1 - g_2| + b_1) +
    b_p)` for pairs; for single texts :math:`g` takes the place of the features.
    Weights are drawn from Glorot's range, biases are zero.

    Parameters
    ----------
    dim : int
        Length of a text's vector.
    hidden_dim : int
        Units of the sigmoid layer.
    n_outputs : int
    n_texts : {1, 2}
        2: pairs.
    projection_dim : int, default=None
        A linear layer, with bias, takes the vectors to this length first.
    train_projection : bool, default=True
        False leaves that layer as it is drawn.
    normalize : bool, default=False
        Divide the vectors by their lengths, behind the projection.
    scale : float, default=1.0
        Multiplies the vectors at last.
    """

    def __init__(
        self,
        dim: int,
        *,
        hidden_dim: int,
        n_outputs: int,
        n_texts: int,
        projection_dim: int | None = None,
        train_projection: bool = True,
        normalize: bool = False,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.n_texts = n_texts
        self.normalize = normalize
        self.scale = scale
        self.projection: Dense | None = None
        if projection_dim is not None:
            self.projection = Dense(dim, projection_dim, "linear")
            self.projection.requires_grad_(train_projection)
            dim = projection_dim
        self.hidden = Dense(n_texts * dim, hidden_dim, "sigmoid")
        self.output = Dense(hidden_dim, n_outputs, "linear")

    def reset(self, random_state: RandomState) -> None:
        """Draw initial parameters."""
        for module in self.modules():
            if isinstance(module, Layer):
                module.reset(random_state)

    def forward(self, vectors: Tensor) -> Tensor:
        """Scores before the softmax.

        Parameters
        ----------
        vectors : Tensor of shape (n_texts * n_examples, dim)
            The texts of pair `i` in rows `2i` and `2i + 1`.

        Returns
        -------
        logits : Tensor of shape (n_examples, n_outputs)
        """
        if self.projection is not None:
            vectors = self.projection(vectors)
        if self.normalize:
            vectors = unit_vectors(vectors)
        if self.scale != 1:
            vectors = vectors * self.scale
        if self.n_texts == 2:
            one, other = vectors.view(-1, 2, vectors.shape[1]).unbind(dim=1)
            vectors = torch.cat([one * other, (one - other).abs()], dim=1)
        logits: Tensor = self.output(self.hidden(vectors))
        return logits


def divergence_loss(logits: Tensor, targets: Tensor, weights: Tensor | None) -> Tensor:
    r"""Kullback-Leibler divergence of targets from predictions, by class.

    :math:`\frac{1}{K} \sum_k p_k (\log p_k - \log \hat p_k)` with `K` classes, as in
    the code of Wieting et al. (2016), who follow Tai et al. (2015), equation 17.

    Parameters
    ----------
    logits : Tensor of shape (n_examples, K)
    targets : Tensor of shape (n_examples, K)
        p.
    weights : Tensor of shape (n_examples,) or None

    Returns
    -------
    loss : Tensor, a scalar
        The sum over examples of weight times divergence, by the number of examples.
    """
    entropies = torch.special.xlogy(targets, targets).sum(dim=1)
    losses = _cross_entropies(logits, targets) + entropies
    return _mean(losses / logits.shape[1], weights)


def cross_entropy_loss(
    logits: Tensor, targets: Tensor, weights: Tensor | None
) -> Tensor:
    r"""Cross-entropy :math:`-\sum_k p_k \log \hat p_k`; see :func:`divergence_loss`."""
    return _mean(_cross_entropies(logits, targets), weights)


def _cross_entropies(logits: Tensor, targets: Tensor) -> Tensor:
    return -(targets * F.log_softmax(logits, dim=1)).sum(dim=1)


def _mean(losses: Tensor, weights: Tensor | None) -> Tensor:
    return losses.mean() if weights is None else (losses * weights).mean()
